"""pyRFM: random features in subdomains, assembled by hand as in its examples, which is how it is used.

It chooses nothing by itself. Untuned runs take the sizes that its examples state for the problem nearest to ours; tuned
ones vary the features, the subdomains, tanh or cosine, and the range of the random weights (the last by a class of
random features of one's own, as its `poisson_hd.py` has one).
"""

from __future__ import annotations

import pyrfm
import torch

NAME = "pyRFM"
DISTRIBUTIONS = ("pyrfm", "torch", "numpy", "scipy")
DEFAULTS = (
    "all sizes that its examples state for the nearest problem: `Classic/Poisson.py` (300 features in each of 2², 3², "
    "4² subdomains) for Helmholtz, `Time-dependent/Vibration.py` (400 in each of 2 × 2 × 1) for heat, "
    "`Nonlinear/burgers.py` (200 in each of 4²), `poisson_hd.py` (1000, Xavier) for many dimensions, "
    "`Classic/Stokes-1.py` (400) for the square without a disc"
)
UNAVAILABLE: dict[str, str] = {}
HARNESS = ("stretched",)  # needed for tuned runs only


def defaults(problem):
    """The sizes in the examples."""
    if problem == "helmholtz":
        return [{"cells": c, "points": q} for c, q in ((2, 1600), (3, 3600), (4, 6400))]
    if problem == "holed_square":
        return [{"points": 400}, {"points": 800}]
    return [{}]


def settings(problem):
    """Features, subdomains, kinds and gains, from small to large."""
    tanh, cos = "tanh", "cos"
    sizes = {
        "helmholtz": [(h, 1, *k) for h in (300, 500, 800) for k in ((cos, 8.0), (cos, 14.0), (tanh, 6.0))]
        + [(200, 2, tanh, 3.0)],
        "heat": [(h, 1, *k) for h in (200, 400, 600, 900, 1300) for k in ((cos, 2.0), (cos, 4.0), (tanh, 1.0))],
        "burgers": [(50, 3, tanh, 3.0), (100, 3, tanh, 3.0), (100, 3, cos, 6.0), (100, 4, tanh, 3.0)],
        "poisson_5d": [(h, 1, *k) for h in (200, 500, 1000) for k in ((cos, 0.3), (cos, 1.0), (tanh, 0.5))],
        "poisson_10d": [(h, 1, *k) for h in (200, 500, 1000) for k in ((cos, 0.3), (cos, 1.0), (tanh, 0.5))],
        "holed_square": [(h, 1, *k) for h in (200, 400, 800) for k in ((cos, 3.0), (cos, 6.0), (tanh, 2.0))],
    }
    return [
        {"hidden": h, "cells": c, "kind": k, "gain": g, **fewer_points(problem, h, c)} for h, c, k, g in sizes[problem]
    ]


def fewer_points(problem, hidden, cells):
    """Where the examples take many more points than features need: about three for each."""
    if problem == "burgers":
        return {"points": 3 * hidden * cells**2, "edge": hidden * cells}
    if problem == "heat":
        return {"points": round((3 * hidden) ** (1 / 3))}
    return {"points": 3 * hidden, "edge": 100} if problem.startswith("poisson") else {}


def stretched(kind, gain):
    """Random features with weights and biases in (−gain, gain)."""

    class Stretched(pyrfm.RFCos if kind == "cos" else pyrfm.RFTanH):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.weights, self.biases = gain * self.weights, max(gain, 3.2 if kind == "cos" else 0.0) * self.biases

    return Stretched


def helmholtz(hidden=300, cells=2, points=None, kind="tanh", gain=1.0):
    points = points or 3 * hidden * cells**2

    def exact(x):
        return torch.sin(torch.pi * x[:, [0]]) * torch.sin(4 * torch.pi * x[:, [1]])

    square = pyrfm.Square2D(center=[0.5, 0.5], radius=[0.5, 0.5])
    model = pyrfm.RFMBase(
        dim=2, n_hidden=hidden, domain=square, n_subdomains=cells, pou=pyrfm.PsiB, rf=stretched(kind, gain)
    )
    x_in, x_on = square.in_sample(points, with_boundary=False), square.on_sample(points // 5)
    A_xx = model.features_second_derivative(x_in, axis1=0, axis2=0).cat(dim=1)
    A_yy = model.features_second_derivative(x_in, axis1=1, axis2=1).cat(dim=1)
    A_in = model.features(x_in).cat(dim=1)
    A_on = model.features(x_on).cat(dim=1)
    A = pyrfm.concat_blocks([[A_xx + A_yy + A_in], [A_on]])
    f = pyrfm.concat_blocks([[(1 - 17 * torch.pi**2) * exact(x_in)], [exact(x_on)]])
    model.compute(A).solve(f)
    return model


def heat(hidden=400, cells=2, kind="tanh", gain=1.0, points=30):
    def exact(x):
        waves = torch.sin(torch.pi / 2 * x[:, [0]]) * torch.sin(torch.pi / 2 * x[:, [1]])
        return 2 * torch.exp(-x[:, [2]]) * waves

    square = pyrfm.Square2D(center=[0.5, 0.5], radius=[0.5, 0.5])
    model = pyrfm.STRFMBase(
        dim=2, n_hidden=hidden, domain=square, time_interval=[0.0, 1.0], n_spatial_subdomains=[cells, cells],
        n_temporal_subdomains=1, st_type="STC", space_rf=stretched(kind, gain), time_rf=stretched(kind, gain),
    )  # fmt: skip
    x_in, x_on = square.in_sample([points * cells] * 2, with_boundary=False), square.on_sample([points * cells] * 2)
    t0, t = torch.zeros(1, 1), torch.linspace(0, 1, points + 1)[1:].reshape(-1, 1)
    initial = model.validate_and_prepare_xt(x=torch.cat([x_in, x_on]), t=t0)
    inside, sides = model.validate_and_prepare_xt(x=x_in, t=t), model.validate_and_prepare_xt(x=x_on, t=t)
    A_in = model.features_derivative(xt=inside, axis=2).cat(dim=1)
    A_in -= model.features_second_derivative(xt=inside, axis1=0, axis2=0).cat(dim=1)
    A_in -= model.features_second_derivative(xt=inside, axis1=1, axis2=1).cat(dim=1)
    A_initial, A_sides = model.features(xt=initial).cat(dim=1), model.features(xt=sides).cat(dim=1)
    A = pyrfm.concat_blocks([[A_initial], [A_sides], [A_in]])
    f = pyrfm.concat_blocks([[exact(initial)], [exact(sides)], [(torch.pi**2 / 2 - 1) * exact(inside)]])
    model.compute(A).solve(f)
    return model


def burgers(hidden=200, cells=4, kind="tanh", gain=1.0, points=10000, edge=1000, tol=1e-6):
    def exact(x):
        return torch.sigmoid(-50 * (x[:, [0]] - x[:, [1]]))

    strip = pyrfm.Square2D(center=[0.5, 0.5], radius=[0.5, 0.5])
    model = pyrfm.RFMBase(
        dim=2, n_hidden=hidden, domain=strip, n_subdomains=cells, pou=pyrfm.PsiB, rf=stretched(kind, gain)
    )
    x_in, s = strip.in_sample(points, with_boundary=False), torch.rand(edge)
    zero, one = torch.zeros(edge), torch.ones(edge)
    x_on = torch.cat([torch.column_stack(side) for side in ((zero, s), (one, s), (s, zero))])
    A, A_on = model.features(x_in).cat(dim=1), model.features(x_on).cat(dim=1)
    A_x = model.features_derivative(x_in, axis=0).cat(dim=1)
    A_t = model.features_derivative(x_in, axis=1).cat(dim=1)
    A_xx = model.features_second_derivative(x_in, axis1=0, axis2=0).cat(dim=1)
    linear, f_in, f_on = A_t - A_xx / 100, 25 * exact(x_in) * (1 - exact(x_in)), exact(x_on)

    def fcn(w):
        return torch.cat([linear @ w + (A @ w) * (A_x @ w) - f_in, A_on @ w - f_on])

    def jac(w):
        return torch.cat([linear + (A @ w) * A_x + (A_x @ w) * A, A_on])

    start = torch.zeros((A.shape[1], 1))
    model.W, _ = pyrfm.nonlinear_least_square(fcn=fcn, x0=start, jac=jac, ftol=tol, gtol=tol, xtol=tol, method="newton")
    return model


def poisson(d, hidden, kind, gain, points, edge):
    class Xavier(pyrfm.RFTanH):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            torch.nn.init.xavier_normal_(self.weights, gain=5 / 3)
            torch.nn.init.normal_(self.biases, mean=0.0, std=1 / hidden)

    def exact(x):
        m = x.mean(dim=1, keepdim=True)
        return m**2 + torch.sin(m)

    torch.manual_seed(2025)
    cube = pyrfm.HyperCube(dim=d)
    model = pyrfm.RFMBase(
        rf=stretched(kind, gain) if gain else Xavier, dim=d, n_hidden=hidden, domain=cube, n_subdomains=1, seed=2025
    )
    x_in, x_on = cube.in_sample(points, with_boundary=False), cube.on_sample(edge * 2 * d)
    A_in = sum(model.features_second_derivative(x_in, axis1=k, axis2=k).cat(dim=1) for k in range(d))
    A_on = model.features(x_on).cat(dim=1)
    A = pyrfm.concat_blocks([[-A_in], [A_on]])
    f = pyrfm.concat_blocks([[(torch.sin(x_in.mean(dim=1, keepdim=True)) - 2) / d], [exact(x_on)]])
    model.compute(A).solve(f)
    return model


def poisson_5d(hidden=1000, cells=1, kind="tanh", gain=None, points=3000, edge=400):
    return poisson(5, hidden, kind, gain, points, edge)


def poisson_10d(hidden=1000, cells=1, kind="tanh", gain=None, points=3000, edge=400):
    return poisson(10, hidden, kind, gain, points, edge)


def holed_square(hidden=400, cells=1, points=None, kind="tanh", gain=1.0):
    def exact(x):
        return torch.exp(x[:, [0]]) * torch.sin(3 * x[:, [1]])

    square, disc = pyrfm.Square2D(center=(0.5, 0.5), radius=(0.5, 0.5)), pyrfm.Circle2D(center=(0.5, 0.5), radius=0.25)
    holed = square - disc
    model = pyrfm.RFMBase(dim=2, n_hidden=hidden, domain=holed, n_subdomains=cells, rf=stretched(kind, gain))
    x_in, x_on = holed.in_sample(points or 3 * hidden * cells**2, with_boundary=False), holed.on_sample(400)
    A_xx = model.features_second_derivative(x_in, axis1=0, axis2=0).cat(dim=1)
    A_yy = model.features_second_derivative(x_in, axis1=1, axis2=1).cat(dim=1)
    A_on = model.features(x_on).cat(dim=1)
    A = pyrfm.concat_blocks([[A_xx + A_yy], [A_on]])
    f = pyrfm.concat_blocks([[-8 * exact(x_in)], [exact(x_on)]])
    model.compute(A).solve(f)
    return model


def predictor(model):
    """A model as a function of points."""
    if isinstance(model, pyrfm.STRFMBase):
        return lambda points: model.forward(xt=torch.as_tensor(points)).numpy()
    return lambda points: model(torch.as_tensor(points)).numpy()
