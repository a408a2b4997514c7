"""Eigenvalue problems."""

import numpy as np
import pytest
import sympy as sp

import fens
from fens.eigenvalues.corners import singular_corners
from fens.eigenvalues.pencil import Pencil
from fens.errors import EquationError, NotConverged, SettingError, UnsupportedEquation

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
w = sp.Function("w")(x)
z = fens.complex_unknown("z")(x)
eigenvalue = fens.Unknown("λ")
square = fens.Box({x: (0, 1), y: (0, 1)})
rod = fens.Box({x: (0, 1)})
laplacian = u.diff(x, 2) + u.diff(y, 2)


n = np.arange(1, 12)
whole = np.arange(-9, 10)


def damped_wave(damping, p, q):
    """u″ − 2a u′ = u¨ as a system: λ = −a ± √(a² − n²π²)."""
    equations = [sp.Eq(q, eigenvalue * p), sp.Eq(p.diff(x, 2) - 2 * damping * q, eigenvalue * q)]
    roots = np.sqrt((damping**2 - (np.pi * n) ** 2).astype(complex))
    exact = np.concatenate([-damping + roots, -damping - roots])
    return {rod: equations, rod.boundary: [sp.Eq(p, 0), sp.Eq(q, 0)]}, exact


line = fens.Box({x: (-7, 7)})
disc = fens.Ball({x: 0, y: 0}, radius=1)
bessel = np.array([2.404825557695773, 3.831705970207512, 3.831705970207512, 5.135622301840683, 5.135622301840683,
                   5.520078110286311, 6.380161895923984, 6.380161895923984])  # fmt: skip
KNOWN = {  # equations, eigenvalues, features
    "diffusion 1+i": ({rod: sp.Eq(-(1 + sp.I) * z.diff(x, 2), eigenvalue * z), rod.boundary: sp.Eq(z, 0)},
                      (1 + 1j) * (np.pi * n) ** 2, 60),
    "diffusion 2-3i": ({rod: sp.Eq((3 * sp.I - 2) * z.diff(x, 2), eigenvalue * z), rod.boundary: sp.Eq(z, 0)},
                       (2 - 3j) * (np.pi * n) ** 2, 60),
    "real, of complex functions": ({rod: sp.Eq(-z.diff(x, 2), eigenvalue * z), rod.boundary: sp.Eq(z, 0)},
                                   (np.pi * n) ** 2, 60),
    "rotation": ({rod: sp.Eq(w.diff(x), eigenvalue * w), rod.pair(x): sp.Eq(fens.jump(w), 0)}, 2j * np.pi * whole, 60),
    "rotation of complex functions": ({rod: sp.Eq(z.diff(x), eigenvalue * z), rod.pair(x): sp.Eq(fens.jump(z), 0)},
                                      2j * np.pi * whole, 60),
    "momentum": ({rod: sp.Eq(sp.I * z.diff(x), eigenvalue * z), rod.pair(x): sp.Eq(fens.jump(z), 0)},
                 2 * np.pi * whole, 60),
    "advection": ({rod: sp.Eq(10 * w.diff(x) - w.diff(x, 2), eigenvalue * w), rod.boundary: sp.Eq(w, 0)},
                  25 + (np.pi * n) ** 2, 80),
    "oscillator": ({line: sp.Eq(x**2 * w - w.diff(x, 2), eigenvalue * w), line.boundary: sp.Eq(w, 0)},
                   2.0 * n - 1, 120),
    "complex oscillator": ({line: sp.Eq((x**2 + 2 * sp.I * x) * z - z.diff(x, 2), eigenvalue * z),
                            line.boundary: sp.Eq(z, 0)}, 2.0 * n, 150),
    "underdamped": (*damped_wave(0.5, sp.Function("p")(x), sp.Function("q")(x)), 60),
    "overdamped": (*damped_wave(4.0, fens.complex_unknown("p")(x), fens.complex_unknown("q")(x)), 60),
    "membrane": ({square: sp.Eq(-laplacian, eigenvalue * u), square.boundary: sp.Eq(u, 0)},
                 np.pi**2 * np.add.outer(n[:6] ** 2, n[:6] ** 2).ravel(), 200),
    "drum": ({disc: sp.Eq(-laplacian, eigenvalue * u), disc.boundary: sp.Eq(u, 0)}, bessel**2, 250),
    "tiny": ({rod: sp.Eq(-w.diff(x, 2) / 10**6, eigenvalue * w), rod.boundary: sp.Eq(w, 0)},
             1e-6 * (np.pi * n) ** 2, 60),
}  # fmt: skip


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for seed, name in enumerate(KNOWN)])
def test_known_eigenvalues(name, seed):
    """None is missed, none is spurious, and the estimates hold."""
    equations, exact, features = KNOWN[name]
    modes = fens.eigen(fens.Problem(equations), eigenvalue, count=4, features=features, seed=seed)
    left = sorted(exact, key=abs)
    assert abs(modes[-1].eigenvalue) == pytest.approx(abs(left[3]), rel=1e-3)
    for mode in modes:
        nearest = min(left, key=lambda e: abs(e - mode.eigenvalue))
        left.remove(nearest)  # so that a double one has to be there twice
        assert abs(mode.eigenvalue - nearest) <= 3 * mode.estimate
        assert mode.estimate <= 1e-3 * max(abs(nearest), 1e-6)


def test_the_growing_wave_of_a_channel():
    """Orr and Sommerfeld's equation at Reynolds number 10000: Orszag's value, and not its conjugate."""
    profile, speed = 1 - x**2, eigenvalue
    vorticity = z.diff(x, 2) - z
    friction = (z.diff(x, 4) - 2 * z.diff(x, 2) + z) / (10000 * sp.I)
    channel = fens.Box({x: (-1, 1)})
    problem = fens.Problem({
        channel: sp.Eq((profile - speed) * vorticity - profile.diff(x, 2) * z, friction),
        channel.boundary: [sp.Eq(z, 0), sp.Eq(z.diff(x), 0)],
    })  # fmt: skip
    for near in (0.0, 0.25 + 0.01j):
        (mode,) = fens.eigen(problem, speed, count=1, near=near, features=200)
        assert abs(mode.eigenvalue - (0.23752649 + 0.00373967j)) <= 3 * mode.estimate + 1e-8
        assert mode.estimate < 1e-6
    assert isinstance(mode(0.5), complex)


def test_a_complex_mode_satisfies_the_complex_equation():
    problem = fens.Problem(KNOWN["diffusion 1+i"][0])
    mode = fens.eigen(problem, eigenvalue, count=1, features=60)[0]
    at = np.linspace(0.05, 0.95, 7)
    assert np.abs(-(1 + 1j) * mode[z].diff(x, 2)(at) - mode.eigenvalue * mode(at)).max() < 1e-9
    assert np.abs(mode(at) / np.sin(np.pi * at) - mode(0.5)).max() < 1e-10


def test_eigenvalues_near_a_complex_number():
    problem = fens.Problem(KNOWN["rotation"][0])
    (mode,) = fens.eigen(problem, eigenvalue, count=1, near=-12j, features=60)
    assert abs(mode.eigenvalue + 4j * np.pi) <= 3 * mode.estimate < 1e-6


def test_real_and_complex_unknowns_in_one_problem():
    equations = [sp.Eq(-w.diff(x, 2), eigenvalue * w), sp.Eq(-sp.I * z.diff(x, 2), eigenvalue * z)]
    problem = fens.Problem({rod: equations, rod.boundary: [sp.Eq(w, 0), sp.Eq(z, 0)]})
    found = [m.eigenvalue / np.pi**2 for m in fens.eigen(problem, eigenvalue, count=2, features=60)]
    assert min(np.abs(np.subtract(found, pair)).max() for pair in ([1, 1j], [1j, 1])) < 1e-10


def test_what_is_not_resolved_ends_in_a_sentence():
    problem = fens.Problem({disc: sp.Eq(-laplacian, eigenvalue * u), disc.boundary: sp.Eq(u, 0)})
    with pytest.raises(NotConverged, match="take more features than 60"):
        fens.eigen(problem, eigenvalue, features=60)
    never = fens.Problem({rod: sp.Eq(w.diff(x), eigenvalue * w), rod.face(x, 0): sp.Eq(w, 0)})  # has no eigenvalue
    with pytest.raises(NotConverged, match="Only 0 of 1"):
        fens.eigen(never, eigenvalue, count=1, features=50)


@pytest.mark.parametrize("features", [1, 2, 5, 8])
def test_few_features_end_in_a_sentence(features):
    problem = fens.Problem(KNOWN["advection"][0])
    with pytest.raises(SettingError if features < 4 else NotConverged, match="more features"):
        fens.eigen(problem, eigenvalue, count=4, features=features)


@pytest.mark.parametrize("seed", range(2))
def test_a_membrane_with_double_eigenvalues(seed):
    problem = fens.Problem({square: sp.Eq(-laplacian, eigenvalue * u), square.boundary: sp.Eq(u, 0)})
    modes = fens.eigen(problem, eigenvalue, count=4, features=300, seed=seed)
    exact = np.pi**2 * np.array([2, 5, 5, 8])
    errors = np.abs([m.eigenvalue for m in modes] - exact)
    assert errors.max() < 1e-8
    assert all(e <= 3 * m.estimate and m.estimate < 1e-6 for e, m in zip(errors, modes, strict=True))
    at = np.random.default_rng(0).random((2, 50))
    first = modes[0](*at)
    assert np.abs(first / (np.sin(np.pi * at[0]) * np.sin(np.pi * at[1])) - first[0] / (
        np.sin(np.pi * at[0, 0]) * np.sin(np.pi * at[1, 0]))).max() < 1e-8  # fmt: skip
    pair = np.stack([modes[1](*at), modes[2](*at)])
    assert np.linalg.svd(pair, compute_uv=False)[1] > 0.1  # two independent functions


def test_an_eigenvalue_zero_is_found():
    problem = fens.Problem(
        {square: sp.Eq(-laplacian, eigenvalue * u), square.boundary: sp.Eq(fens.normal_derivative(u), 0)}
    )
    modes = fens.eigen(problem, eigenvalue, count=3, features=200)
    assert np.abs([m.eigenvalue for m in modes] - np.pi**2 * np.array([0, 1, 1])).max() < 1e-9
    assert modes[0](0.2, 0.3) == pytest.approx(modes[0](0.8, 0.1))


def test_eigenvalues_near_a_number():
    problem = fens.Problem({rod: sp.Eq(-w.diff(x, 2), eigenvalue * w), rod.boundary: sp.Eq(w, 0)})
    modes = fens.eigen(problem, eigenvalue, count=2, near=(5 * np.pi) ** 2, features=80)
    assert modes[0].eigenvalue == pytest.approx((5 * np.pi) ** 2, abs=1e-8)


def test_complex_eigenvalues_of_a_rotation():
    """u' = λ u around a circle: λ = 2πik."""
    problem = fens.Problem({rod: sp.Eq(w.diff(x), eigenvalue * w), rod.pair(x): sp.Eq(fens.jump(w), 0)})
    modes = fens.eigen(problem, eigenvalue, count=3, features=80)
    assert abs(modes[0].eigenvalue) < 1e-9
    assert {round(m.eigenvalue.imag / (2 * np.pi), 9) for m in modes[1:]} == {1.0, -1.0}
    assert abs(abs(modes[1](0.3)) - abs(modes[1](0.7))) < 1e-9


def test_an_eigenvalue_in_a_boundary_condition():
    """Steklov: u'' = 0 on (0, 1), u(0) = 0, u'(1) = λ u(1) has λ = 1."""
    problem = fens.Problem(
        {rod: sp.Eq(w.diff(x, 2), 0), rod.face(x, 0): sp.Eq(w, 0), rod.face(x, 1): sp.Eq(w.diff(x), eigenvalue * w)}
    )
    (mode,) = fens.eigen(problem, eigenvalue, count=1, features=40)
    assert mode.eigenvalue == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize(
    ("equation", "error", "sentence"),
    [
        (sp.Eq(-w.diff(x, 2), eigenvalue * w + 1), EquationError, "not homogeneous"),
        (sp.Eq(-w.diff(x, 2), eigenvalue**2 * w), UnsupportedEquation, "not linear in the eigenvalue"),
        (sp.Eq(-w.diff(x, 2), eigenvalue * w**2), UnsupportedEquation, "not linear in the unknown"),
        (sp.Eq(-z.diff(x, 2) + sp.conjugate(z), eigenvalue * z), UnsupportedEquation, "not linear over the complex"),
        (sp.Eq(-z.diff(x, 2), eigenvalue * sp.re(z)), UnsupportedEquation, "two real unknowns"),
        (sp.Eq(x * w, eigenvalue * w), UnsupportedEquation, "continuous spectrum"),
    ],
)
def test_sentences(equation, error, sentence):
    unknown = z if equation.has(z) else w
    problem = fens.Problem({rod: equation, rod.boundary: sp.Eq(unknown, 0)})
    with pytest.raises(error, match=sentence):
        fens.eigen(problem, eigenvalue)


def test_what_eigen_takes():
    problem = fens.Problem({rod: sp.Eq(-w.diff(x, 2), eigenvalue * w), rod.boundary: sp.Eq(w, 0)})
    with pytest.raises(SettingError, match="whole positive number"):
        fens.eigen(problem, eigenvalue, count=0)
    for near in ("zero", float("nan"), complex(0, float("inf")), None, sp.Symbol("a")):
        with pytest.raises(SettingError, match="near must be a finite number"):
            fens.eigen(problem, eigenvalue, near=near)
    with pytest.raises(SettingError, match=r"fens\.Unknown"):
        fens.eigen(problem, sp.Symbol("λ"))


L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
L_KNOWN = [9.63972384402, 15.19725192645, 2 * np.pi**2]  # published to so many digits; the third is that of a square


def on(domain, at_the_boundary=u):
    return fens.Problem({domain: sp.Eq(-laplacian, eigenvalue * u), domain.boundary: sp.Eq(at_the_boundary, 0)})


def corners_of(problem):
    """The openings, in parts of π, of the corners at which there are functions."""
    (domain,) = problem.domains
    found = singular_corners(Pencil.of(problem, eigenvalue), domain)
    return sorted(round(c.opening / np.pi, 3) for c in found)


def test_the_l_has_functions_at_its_corner():
    found = fens.eigen(on(fens.Polygon(L_SHAPE, (x, y))), eigenvalue, count=3, features=500)
    errors = [abs(mode.eigenvalue - known) for mode, known in zip(found, L_KNOWN, strict=True)]
    assert max(errors) < 5e-8
    assert all(e < m.estimate + 1e-10 < 1e-6 for e, m in zip(errors, found, strict=True))
    near, nearer = (found[0](1 - r, 1 - r) for r in (1e-4, 1e-7))
    assert near / nearer == pytest.approx(1000 ** (2 / 3), rel=1e-3)  # as r^(2/3) goes to zero


def test_an_equilateral_triangle_needs_none():
    triangle = fens.Polygon([(0, 0), (1, 0), (0.5, np.sqrt(3) / 2)], (x, y))
    found = fens.eigen(on(triangle), eigenvalue, count=3, features=300)
    exact = 16 * np.pi**2 / 9 * np.array([3, 7, 7])  # m² + mn + n²
    errors = [abs(m.eigenvalue - e) for m, e in zip(found, exact, strict=True)]
    assert max(errors) < 2e-9
    assert all(e < m.estimate for e, m in zip(errors, found, strict=True))


def test_which_corners_have_functions():
    assert corners_of(on(square)) == []
    assert corners_of(on(fens.Polygon(L_SHAPE, (x, y)))) == [1.5]
    triangle = fens.Polygon([(0, 0), (1, 0), (0.5, np.sqrt(3) / 2)], (x, y))
    assert corners_of(on(triangle)) == []
    assert corners_of(on(triangle, fens.normal_derivative(u))) == []
    mixed = fens.Problem({
        triangle: sp.Eq(-laplacian, eigenvalue * u),
        triangle.edge(0): sp.Eq(u, 0),
        triangle.edge(1): sp.Eq(fens.normal_derivative(u), 0),
        triangle.edge(2): sp.Eq(fens.normal_derivative(u), 0),
    })  # fmt: skip
    assert corners_of(mixed) == [0.333] * 3


@pytest.mark.parametrize(
    "inside",
    [u.diff(x, 2) + u.diff(y, 2) + u.diff(x, y), u.diff(x, 2) + 2 * u.diff(y, 2), sp.exp(x) * u + laplacian],
    ids=["a mixed derivative", "two scales", "a coefficient that varies"],
)
def test_other_equations_may_be_singular_at_right_angles(inside):
    problem = fens.Problem({square: sp.Eq(-inside, eigenvalue * u), square.boundary: sp.Eq(u, 0)})
    assert corners_of(problem) == [0.5] * 4
