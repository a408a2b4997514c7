"""FastLSQ: problems as classes in the way of its `add_your_own_pde.py`, solved by `solve_linear` and `solve_nonlinear`.

With nothing given these take 1500 features and choose the scale by a search of their own, of nine scales and several
seeds, which is judged by the exact solution: a class that has none cannot be searched with. It is given it here.
Untuned runs are that one, and for linear problems also the scale of 5 in the quick start of its README. Boundary rows
weigh 100, as in its examples.
"""

from __future__ import annotations

import numpy as np
import torch
from fastlsq import Op, solve_linear, solve_nonlinear
from fastlsq.geometry import SDFDomain, sample_boundary_box, sample_box

NAME = "FastLSQ"
DISTRIBUTIONS = ("fastlsq", "torch", "numpy")
DEFAULTS = (
    "`solve_linear(problem)`, or `solve_nonlinear(problem)`, with its own choice of the scale, by a search that is "
    "judged by the exact solution, and `solve_linear(problem, scale=5.0)` as in the quick start of its README; "
    "1500 features"
)
UNAVAILABLE: dict[str, str] = {}


def defaults(problem):
    """Its own choice of the scale, and the scale of its README."""
    return [{}] if problem == "burgers" else [{"scale": 5.0}, {}]


def settings(problem):
    """Scales and numbers of features, from few to many."""
    scales = {
        "helmholtz": (5.0, 8.0, 12.0),
        "heat": (1.0, 2.0, 3.0),
        "burgers": (10.0, 20.0, 40.0),
        "poisson_5d": (0.2, 0.5, 1.0),
        "poisson_10d": (0.05, 0.1, 0.3),
        "holed_square": (2.0, 4.0, 6.0),
    }
    for size in (200, 400, 800, 1500, 2500):
        for scale in scales[problem]:
            yield {"scale": scale, "n_blocks": 1, "hidden_size": size}


def helmholtz(**options):
    class Helmholtz:
        name, dim = "Helmholtz", 2

        def exact(self, x):
            return torch.sin(np.pi * x[:, :1]) * torch.sin(4 * np.pi * x[:, 1:])

        def exact_grad(self, x):
            X, Y = np.pi * x[:, :1], 4 * np.pi * x[:, 1:]
            return torch.cat([np.pi * X.cos() * Y.sin(), 4 * np.pi * X.sin() * Y.cos()], 1)

        def get_train_data(self, n_pde=5000, n_bc=1000):
            x, x_bc = sample_box(n_pde, 2), sample_boundary_box(n_bc, 2)
            return x, [(x_bc, self.exact(x_bc))], (1 - 17 * np.pi**2) * self.exact(x)

        def build(self, solver, x, bcs, f):
            operator = Op.laplacian(d=2) + Op.identity(d=2)
            A, b = [operator.apply(solver.basis, x, cache=solver.basis.cache(x))], [f]
            for x_bc, u_bc in bcs:
                A.append(100 * solver.basis.evaluate(x_bc))
                b.append(100 * u_bc)
            return torch.cat(A), torch.cat(b)

        def get_test_points(self, n=5000):
            return sample_box(n, 2)

    return solve_linear(Helmholtz(), verbose=False, **options)


def heat(**options):
    class Heat:
        name, dim = "Heat", 3

        def exact(self, x):
            return 2 * torch.exp(-x[:, 2:]) * torch.sin(np.pi * x[:, :1] / 2) * torch.sin(np.pi * x[:, 1:2] / 2)

        def exact_grad(self, x):
            X, Y, decay = np.pi * x[:, :1] / 2, np.pi * x[:, 1:2] / 2, 2 * torch.exp(-x[:, 2:])
            u_x, u_y = np.pi / 2 * X.cos() * Y.sin(), np.pi / 2 * X.sin() * Y.cos()
            return decay * torch.cat([u_x, u_y, -X.sin() * Y.sin()], 1)

        def get_train_data(self, n_pde=5000, n_bc=1000):
            x, t = sample_box(n_pde, 3), torch.rand(n_bc, 1)
            sides = torch.cat([sample_boundary_box(n_bc, 2), t], 1)
            initial = torch.cat([sample_box(n_bc, 2), torch.zeros(n_bc, 1)], 1)
            bcs = [(sides, self.exact(sides)), (initial, self.exact(initial))]
            return x, bcs, (np.pi**2 / 2 - 1) * self.exact(x)

        def build(self, solver, x, bcs, f):
            operator = Op.partial(dim=2, order=1, d=3) - Op.laplacian(d=3, dims=[0, 1])
            A, b = [operator.apply(solver.basis, x, cache=solver.basis.cache(x))], [f]
            for x_bc, u_bc in bcs:
                A.append(100 * solver.basis.evaluate(x_bc))
                b.append(100 * u_bc)
            return torch.cat(A), torch.cat(b)

        def get_test_points(self, n=5000):
            return sample_box(n, 3)

    return solve_linear(Heat(), verbose=False, **options)


def burgers(**options):
    class Burgers:
        name, dim, nu = "Burgers", 2, 0.01

        def exact(self, x):
            return torch.sigmoid(-50 * (x[:, :1] - x[:, 1:]))

        def exact_grad(self, x):
            u = self.exact(x)
            return 50 * u * (1 - u) * torch.tensor([[-1.0, 1.0]])

        def get_train_data(self, n_pde=5000, n_bc=1000):
            x, s = sample_box(n_pde, 2), torch.rand(n_bc, 1)
            left, right, initial = (torch.cat(c, 1) for c in ((0 * s, s), (0 * s + 1, s), (s, 0 * s)))
            return x, [(p, self.exact(p)) for p in (left, right, initial)], 25 * self.exact(x) * (1 - self.exact(x))

        def rows(self, solver, bcs, beta):
            for x_bc, u_bc in bcs:
                H = solver.basis.evaluate(x_bc)
                yield 100 * H, 100 * (u_bc - H @ beta)

        def build_newton_step(self, solver, x, bcs, f):
            basis, cache = solver.basis, solver.basis.cache(x)
            H, dH, ddH = (d(x, cache=cache) for d in (basis.evaluate, basis.gradient, basis.hessian_diag))
            u, u_x, u_t, u_xx = (F @ solver.beta for F in (H, dH[:, 0], dH[:, 1], ddH[:, 0]))
            J = dH[:, 1] + u * dH[:, 0] + u_x * H - self.nu * ddH[:, 0]
            A, b = zip((J, f - u_t - u * u_x + self.nu * u_xx), *self.rows(solver, bcs, solver.beta), strict=True)
            return torch.cat(A), torch.cat(b)

        def build_linear_init(self, solver, x, bcs, f):
            dH, ddH = solver.basis.gradient(x), solver.basis.hessian_diag(x)
            zero = torch.zeros(dH.shape[2], 1)
            A, b = zip((dH[:, 1] - self.nu * ddH[:, 0], f), *self.rows(solver, bcs, zero), strict=True)
            return torch.cat(A), torch.cat(b)

        def get_test_points(self, n=5000):
            return sample_box(n, 2)

    return solve_nonlinear(Burgers(), verbose=False, **options)


def poisson(d, **options):
    class Poisson:
        name, dim = "Poisson", d

        def exact(self, x):
            m = x.mean(dim=1, keepdim=True)
            return m**2 + torch.sin(m)

        def exact_grad(self, x):
            m = x.mean(dim=1, keepdim=True)
            return ((2 * m + torch.cos(m)) / d).expand(-1, d)

        def get_train_data(self, n_pde=5000, n_bc=1000):
            x, x_bc = sample_box(n_pde, d, bounds=(-1.0, 1.0)), sample_boundary_box(n_bc, d, bounds=(-1.0, 1.0))
            return x, [(x_bc, self.exact(x_bc))], (torch.sin(x.mean(dim=1, keepdim=True)) - 2) / d

        def build(self, solver, x, bcs, f):
            A, b = [-solver.basis.laplacian(x)], [f]
            for x_bc, u_bc in bcs:
                A.append(100 * solver.basis.evaluate(x_bc))
                b.append(100 * u_bc)
            return torch.cat(A), torch.cat(b)

        def get_test_points(self, n=5000):
            return sample_box(n, d, bounds=(-1.0, 1.0))

    return solve_linear(Poisson(), verbose=False, **options)


def poisson_5d(**options):
    return poisson(5, **options)


def poisson_10d(**options):
    return poisson(10, **options)


def holed_square(**options):
    domain = SDFDomain.box((0.0, 0.0), (1.0, 1.0)) - SDFDomain.disk(0.25, center=(0.5, 0.5))

    class Poisson:
        name, dim = "Poisson on a square without a disc", 2

        def exact(self, x):
            return torch.exp(x[:, :1]) * torch.sin(3 * x[:, 1:])

        def exact_grad(self, x):
            return torch.exp(x[:, :1]) * torch.cat([torch.sin(3 * x[:, 1:]), 3 * torch.cos(3 * x[:, 1:])], 1)

        def get_train_data(self, n_pde=5000, n_bc=1000):
            x, x_bc = domain.sample(n_pde), domain.sample_boundary(n_bc)
            return x, [(x_bc, self.exact(x_bc))], -8 * self.exact(x)

        def build(self, solver, x, bcs, f):
            A, b = [solver.basis.laplacian(x)], [f]
            for x_bc, u_bc in bcs:
                A.append(100 * solver.basis.evaluate(x_bc))
                b.append(100 * u_bc)
            return torch.cat(A), torch.cat(b)

        def get_test_points(self, n=5000):
            return domain.sample(n)

    return solve_linear(Poisson(), verbose=False, **options)


def predictor(result):
    """What a run returned, as a function of points."""
    return lambda points: result["u_fn"](torch.as_tensor(points)).detach().numpy()


def facts(result):
    """The scale that it used."""
    return {"chosen": f"scale {result['scale']:g}"}
