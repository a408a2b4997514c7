"""Every least-squares solver passes the same contract."""

import weakref
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from fens import lstsq
from fens._support.matmul import matmul
from fens.errors import SettingError
from fens.lstsq import Automatic, Direct, Failed, Gels, Ridged, Sketched, Streamed, numerical_rank
from fens.lstsq.triangle import Damped

NAMED = {name: made(10**9, False) for name, made in lstsq.SOLVERS.items()}
SOLVERS = [Direct(), Streamed(50), Streamed(5000), Sketched(Direct()), *NAMED.values()]
EPS = np.finfo(float).eps


@dataclass(frozen=True)
class Blocks:
    A: torch.Tensor
    b: torch.Tensor
    size: int = 37

    @property
    def shape(self):
        return tuple(self.A.shape)

    @property
    def rhs(self):
        return self.b

    def __iter__(self):
        return zip(self.A.split(self.size), self.b.split(self.size), strict=True)

    def blocks(self, height=None):
        height = height or self.size
        return (Blocks(A, b) for A, b in zip(self.A.split(height), self.b.split(height), strict=True))

    def matvec(self, weights):
        return matmul(self.A, weights)


def random_matrix(m, n, seed=0):
    return torch.as_tensor(np.random.default_rng(seed).standard_normal((m, n)))


def cosines(m, n, rho, seed=0):
    """A feature matrix: numerically rank-deficient, as all of ours are."""
    rng = np.random.default_rng(seed)
    x, w, b = rng.uniform(-1, 1, m), rng.uniform(-rho, rho, n), rng.uniform(-rho, rho, n)
    return torch.as_tensor(x), torch.cos(torch.as_tensor(np.outer(x, w) + b))


@pytest.fixture(params=SOLVERS, ids=repr)
def solver(request):
    return request.param


@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 5), (300, 40), (700, 600), (600, 600), (1000, 257)])
def test_recovers_the_weights_of_a_consistent_system(solver, m, n):
    A, w = random_matrix(m, n), random_matrix(n, 1, seed=1)[:, 0]
    result = solver.factorise(Blocks(A, A @ w)).solve()
    condition = float(torch.linalg.cond(A))
    assert result.status == "solved"
    assert float((result.weights - w).norm()) <= 100 * EPS * condition * float(w.norm())
    assert result.rank == n


def test_several_right_hand_sides_are_solved_for_as_each_alone(solver):
    x, A = cosines(400, 60, 5.0)
    B = torch.stack([torch.exp(x), 1e-150 * torch.sin(3 * x), A[:, 7], torch.full_like(x, float("nan"))]).T
    factorised = solver.factorise(Blocks(A, B[:, 0]))
    together = factorised.weights_for(B)
    assert together[:, 3].isnan().all()
    for k in range(3):
        alone = factorised.solve(B[:, k])
        assert alone.status == "solved"
        gap = matmul(A, together[:, k] - alone.weights).abs().max()  # weights themselves are not determined
        assert float(gap) <= 1e-12 * float(B[:, k].abs().max())


def test_weights_that_are_not_refined_serve_where_a_few_digits_do(solver):
    x, A = cosines(400, 60, 5.0)
    B = torch.stack([torch.exp(x), A[:, 7]]).T
    factorised = solver.factorise(Blocks(A, B[:, 0]))
    rough, refined = factorised.weights_for(B, refined=False), factorised.weights_for(B)
    assert float(matmul(A, rough - refined).abs().max()) <= 1e-11 * float(B.abs().max())


@pytest.mark.parametrize("triangular", [False, True])
@pytest.mark.parametrize("n", [1, 119, 120, 121, 300])
def test_damping_is_that_of_a_taller_system(n, triangular):
    A = torch.geqrf(random_matrix(2 * n, n))[0][:n].triu() if triangular else random_matrix(2 * n, n)
    c = random_matrix(len(A), 3, seed=1)
    taller = torch.cat([A, 0.3 * torch.eye(n, dtype=torch.float64)])
    expected = torch.linalg.lstsq(taller, torch.cat([c, torch.zeros_like(c[:1]).expand(n, 3)])).solution
    damped = Damped(A.clone(), 0.3, triangular)
    torch.testing.assert_close(damped.solve(c), expected, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(damped.normal(A.T @ c), expected, rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(damped.inverse_row(n // 2) @ c, expected[n // 2], rtol=1e-10, atol=1e-12)


def test_the_rank_of_a_damped_matrix_is_that_of_the_matrix():
    A = random_matrix(400, 300) @ torch.cat([torch.eye(300)[:, :200], torch.eye(300)[:, 50:150]], 1).double()
    assert Damped(A.clone(), 1e-14).rank == 200
    assert Damped(A.clone(), 1e-10).rank == 200  # though the diagonal of R has nothing below the damping


def test_a_ridge_keeps_weights_small_where_rows_contradict_each_other(solver):
    _, A = cosines(400, 60, 5.0)
    b = random_matrix(400, 1)[:, 0]
    ridged = Ridged(Blocks(A, b), 1e-3)
    result = solver.factorise(ridged).solve()
    taller = torch.cat([A, 1e-3 * torch.eye(60, dtype=torch.float64)])
    assert ridged.shape == tuple(taller.shape)
    torch.testing.assert_close(torch.cat([block for rows in ridged.blocks(50) for block, _ in rows]), taller)
    expected = torch.linalg.lstsq(taller, torch.cat([b, b.new_zeros(60)])[:, None], driver="gelsd").solution[:, 0]
    torch.testing.assert_close(ridged.matvec(expected), taller @ expected)
    assert result.residual <= 1.5 * float((ridged.rhs - taller @ expected).norm())
    assert float(result.weights.norm()) < 1e5 < float(solver.factorise(Blocks(A, b)).solve().weights.norm())


def test_minimises_the_residual_of_an_inconsistent_system(solver):
    if isinstance(solver, Sketched):
        pytest.skip("a sketch minimises another norm; see below")
    A, b = random_matrix(200, 30), random_matrix(200, 1, seed=2)[:, 0]
    result = solver.factorise(Blocks(A, b)).solve()
    expected = torch.linalg.lstsq(A, b[:, None]).solution[:, 0]
    torch.testing.assert_close(result.weights, expected, rtol=1e-11, atol=1e-12)
    assert result.residual == pytest.approx(float((A @ expected - b).norm()), rel=1e-12)


def test_fits_to_round_off_with_a_rank_deficient_basis(solver):
    x, A = cosines(900, 300, rho=20.0)
    b = torch.exp(x) * torch.sin(5 * x)
    result = solver.factorise(Blocks(A, b)).solve()
    assert result.rank < 100
    assert result.residual < 1e-13 * float(b.norm())
    assert float(result.weights.norm()) < 1e3


def test_fewer_rows_than_columns(solver):
    A, b = random_matrix(50, 130), random_matrix(50, 1, seed=1)[:, 0]
    result = solver.factorise(Blocks(A, b)).solve()
    least = torch.linalg.lstsq(A, b[:, None], driver="gelsd").solution[:, 0]
    assert result.residual < 1e-12 * float(b.norm())
    assert float(result.weights.norm()) <= 1.5 * float(least.norm())
    assert len(solver.factorise(Blocks(A, b)).inverse_row(120)) == 50


def test_exactly_repeated_columns_do_no_harm(solver):
    A = random_matrix(100, 10)
    A = torch.cat([A, A], dim=1)
    b = A @ torch.ones(20, dtype=torch.float64)
    result = solver.factorise(Blocks(A, b)).solve()
    assert result.residual < 1e-13 * float(b.norm())
    assert result.rank == 10
    assert float(result.weights.norm()) < (1e6 if solver == NAMED["gels"] else 10)  # without damping there is noise


def test_scaling_everything_scales_nothing_but_the_residual(solver):
    A, b = random_matrix(300, 100), random_matrix(300, 1, seed=1)[:, 0]
    one, tiny = solver.factorise(Blocks(A, b)).solve(), solver.factorise(Blocks(A * 1e-60, b * 1e-60)).solve()
    assert tiny.residual == pytest.approx(one.residual * 1e-60, rel=1e-10)


def test_the_blocks_do_not_matter(solver):
    x, A = cosines(300, 100, rho=3.0)
    b = torch.exp(x)
    results = [solver.factorise(Blocks(A, b, size)).solve().weights for size in (7, 300)]
    if isinstance(solver, Direct):
        assert torch.equal(*results)
    else:  # sums over blocks round differently
        assert float((A @ (results[0] - results[1])).norm()) < 1e-12 * float(b.norm())


def test_a_factorisation_serves_many_right_hand_sides(solver):
    A = random_matrix(300, 100)
    factorised = solver.factorise(Blocks(A, A[:, 0]))
    for seed in (1, 2):
        b = random_matrix(300, 1, seed=seed)[:, 0]
        alone = solver.factorise(Blocks(A, b)).solve().weights
        torch.testing.assert_close(factorised.solve(b).weights, alone, rtol=0, atol=1e-12)


def test_zero_right_hand_side_gives_zero(solver):
    result = solver.factorise(Blocks(random_matrix(30, 5), torch.zeros(30, dtype=torch.float64))).solve()
    assert float(result.weights.abs().max()) == 0
    assert result.residual == 0


@pytest.mark.parametrize(("value", "status"), [(float("nan"), "not finite"), (float("inf"), "not finite")])
def test_values_that_are_not_finite_are_a_status_with_a_remedy(solver, value, status):
    A = random_matrix(30, 5)
    A[3, 2] = value
    result = solver.factorise(Blocks(A, torch.ones(30, dtype=torch.float64))).solve()
    assert result.status == status
    assert "lower the scale" in result.remedy


def test_a_zero_matrix_is_a_status_with_a_remedy(solver):
    zeros, ones = torch.zeros((30, 5), dtype=torch.float64), torch.ones(30, dtype=torch.float64)
    result = solver.factorise(Blocks(zeros, ones)).solve()
    assert result.status == "all zero"
    assert "check the equations" in result.remedy


def test_damping_beats_back_substitution_on_a_feature_matrix():
    """The reason for it: smaller weights, along directions that the rows do not see, and a smaller residual."""
    x, A = cosines(900, 300, rho=40.0)
    b = torch.sin(20 * x)
    R = torch.linalg.qr(torch.cat([A, b[:, None]], dim=1), mode="r").R
    plain = torch.linalg.solve_triangular(R[:300, :300], R[:300, 300:], upper=True)[:, 0]
    damped = Direct().factorise(Blocks(A, b)).solve()
    assert float(damped.weights.norm()) < float(plain.norm())
    assert damped.residual < float((matmul(A, plain) - b).norm())


def test_product_is_more_accurate_than_one_pass_over_the_columns():
    A, w = random_matrix(200, 5000), random_matrix(5000, 1, seed=4)[:, 0]
    exact = (A.numpy().astype(np.longdouble) @ w.numpy().astype(np.longdouble)).astype(float)
    error = np.abs(matmul(A, w).numpy() - exact).max()
    assert error <= 40 * EPS * np.sqrt(64) * np.abs(exact).std()


def test_numerical_rank_counts_independent_columns():
    A = random_matrix(50, 20) @ random_matrix(20, 40, seed=1)
    assert numerical_rank(A) == 20


def test_a_row_of_the_pseudo_inverse(solver):
    A, w = random_matrix(400, 20), random_matrix(20, 1, seed=1)[:, 0]
    factorised = solver.factorise(Blocks(A, A[:, 0]))
    for column in (0, 7, 19):  # of the pseudo-inverse of what is solved, which for a sketch is not that of A
        assert float(factorised.inverse_row(column) @ (A @ w)) == pytest.approx(float(w[column]), abs=1e-12)
        if not isinstance(solver, Sketched):
            torch.testing.assert_close(factorised.inverse_row(column), torch.linalg.pinv(A)[column], rtol=0, atol=1e-12)


def test_a_function_of_rank_deficient_features_is_found_again(solver):
    """Any right-hand side, not only that of the rows, as the error estimate needs."""
    x, A = cosines(900, 300, rho=20.0)
    factorised = solver.factorise(Blocks(A, torch.exp(x)))
    for b in (torch.exp(x) * torch.sin(5 * x), factorised.matvec(random_matrix(300, 1, seed=3)[:, 0])):
        found = factorised.solve(b)
        assert float((factorised.matvec(found.weights) - b).norm()) < 1e-12 * float(b.norm())
        assert float(found.weights.norm()) < 1e4


@pytest.mark.parametrize(("rho", "factor"), [(None, 1.01), (1000.0, 1.01), (200.0, 1.03), (20.0, 1.15)])
def test_a_sketch_is_as_good_as_all_rows(rho, factor):
    A, b = random_matrix(6000, 200), random_matrix(6000, 1, seed=1)[:, 0]
    if rho is not None:
        x, A = cosines(6000, 200, rho)
        b = (x - 0.3).abs()
    ours, best = (solver.factorise(Blocks(A, b)).solve() for solver in (Sketched(Direct()), Direct()))
    # with parallel columns, the last few percent are what rounding makes of them, by weights of 1e9 and more
    assert best.residual / 1.0001 < ours.residual < factor * best.residual
    assert ours.residual == pytest.approx(float((A @ ours.weights - b).norm()), rel=1e-2 if rho else 1e-10)


def test_a_misleading_sketch_is_not_believed(monkeypatch):
    """One row that says what no other does, and that the sketch is made to overlook."""
    A = random_matrix(3000, 10)
    A[:, 9] = 0
    A[17] = 0
    A[17, 9] = 1.0
    b = torch.ones(3000, dtype=torch.float64)
    rows, asked = Blocks(A, b), []

    class Watched(Direct):
        def factorise(self, rows):
            asked.append(rows.shape)
            return super().factorise(rows)

    monkeypatch.setattr("fens._support.steering.Sketching.TRUSTED", 0.5)
    found = Sketched(Watched()).factorise(rows).solve()
    expected = Direct().factorise(rows).solve()
    assert asked == [(3000, 10)]
    assert torch.equal(found.weights, expected.weights)


@pytest.mark.parametrize(("m", "n"), [(300, 100), (100, 100), (50, 130)])
def test_gels_is_lapacks(m, n):
    A, B = random_matrix(m, n), random_matrix(m, 3, seed=1)
    factorised = Gels().factorise(Blocks(A, B[:, 0]))
    expected = torch.linalg.lstsq(A, B, driver="gels").solution
    torch.testing.assert_close(factorised.weights_for(B), expected, rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(factorised.inverse_row(n // 2), torch.linalg.pinv(A)[n // 2], rtol=1e-9, atol=1e-11)
    assert factorised.solve().residual == pytest.approx(float((A @ expected[:, 0] - B[:, 0]).norm()), abs=1e-11)


@pytest.mark.parametrize("transposed", [False, True])
def test_without_damping_a_column_that_is_nothing_is_a_status_with_a_remedy(transposed):
    A = random_matrix(30, 5)
    A[:, 3] = 0
    A = A.T.contiguous() if transposed else A
    found = Gels().factorise(Blocks(A, torch.ones(len(A), dtype=torch.float64)))
    assert isinstance(found, Failed)
    assert found.solve().status == "singular"
    assert "take solver='automatic'" in found.solve().remedy


@pytest.mark.parametrize("size", [1e-200, 1e-120, 1e120, 1e200])
def test_sizes_that_cannot_be_squared(solver, size):
    A, w = random_matrix(60, 20), random_matrix(20, 1, seed=1)[:, 0]
    result = solver.factorise(Blocks(A * size, A @ w)).solve()
    torch.testing.assert_close(result.weights * size, w, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", ["direct", "gels"])
def test_a_solver_that_holds_the_matrix_asks_for_the_room(name):
    rows = Blocks(random_matrix(400, 100), random_matrix(400, 1)[:, 0])
    with pytest.raises(SettingError, match=rf"'{name}' holds .* 400 rows of 100 columns.*'streamed'") as told:
        lstsq.SOLVERS[name](10**6, False).factorise(rows)
    assert told.value.option == "solver"
    assert lstsq.SOLVERS["streamed"](10**6, False).factorise(rows).solve().status == "solved"


@pytest.mark.parametrize(
    ("shape", "memory", "exact", "expected"),
    [
        ((1000, 400), 10**9, False, Direct),
        ((1000, 400), 4 * 10**6, False, Streamed),
        ((132_651, 2500), 16 * 10**9, False, Sketched),
        ((132_651, 2500), 16 * 10**9, True, Direct),
        ((132_651, 2500), 10**9, True, Streamed),
        ((10_000, 20), 10**9, False, Direct),  # too small to be worth it
    ],
)
def test_the_solver_follows_size_and_memory(shape, memory, exact, expected):
    assert isinstance(Automatic(memory, exact).choice(shape), expected)


def test_a_streamed_solver_keeps_within_its_memory():
    for memory, columns in ((10**9, 2500), (10**7, 300), (10**8, 1000)):
        solver = Streamed.within(memory, columns)
        assert 8 * columns * (5 * columns + solver.height) <= memory
        assert solver.height >= columns // 2


def test_failures_are_the_same_for_all(solver):
    zero = solver.factorise(Blocks(torch.zeros((30, 5), dtype=torch.float64), torch.ones(30, dtype=torch.float64)))
    assert isinstance(zero, Failed)
    assert zero.rank == 0


class Live(TorchDispatchMode):
    """The largest number of bytes that tensors made within it held at a time; pages of libraries do not count."""

    def __init__(self):
        super().__init__()
        self.holders, self.now, self.peak = {}, 0, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for tensor in made if isinstance(made, tuple | list) else (made,):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                key = storage.data_ptr(), storage.nbytes()
                self._hold(key, 1)
                weakref.finalize(tensor, self._hold, key, -1)
        return made

    def _hold(self, key, change):
        before = self.holders.get(key, 0)
        self.holders[key] = before + change
        self.now += key[1] * ((before + change > 0) - (before > 0))
        self.peak = max(self.peak, self.now)


class Made:
    """30,000 × 400 random numbers, which would be 96 MB."""

    shape, rhs = (30_000, 400), torch.ones(30_000, dtype=torch.float64)

    def __iter__(self):
        for k in range(30):
            generator = torch.Generator().manual_seed(k)
            yield torch.randn(1000, 400, dtype=torch.float64, generator=generator), self.rhs[:1000]

    def matvec(self, weights):
        return torch.cat([A @ weights for A, _ in self])


@pytest.mark.parametrize(
    ("solver", "least", "most"),
    [(Streamed.within(4 * 10**7, 400), 0, 40e6), (Sketched(Direct()), 0, 60e6), (Direct(), 192e6, 300e6)],
    ids=repr,
)
def test_rows_that_are_never_held_together_take_little_memory(solver, least, most):
    with Live() as live:
        assert solver.factorise(Made()).solve().status == "solved"
    assert least < live.peak < most


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 63), (5, 64), (7, 200)])
@pytest.mark.parametrize("column_major", [True, False])
def test_products_of_one_and_of_several_columns(m, n, column_major):
    A, w = random_matrix(m, n), random_matrix(n, 3, seed=1)
    A = A.T.contiguous().T if column_major else A
    torch.testing.assert_close(matmul(A, w), A @ w, rtol=1e-13, atol=1e-13)
    torch.testing.assert_close(matmul(A, w[:, 0]), A @ w[:, 0], rtol=1e-13, atol=1e-13)
