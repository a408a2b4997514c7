"""DeepXDE: physics-informed networks, as its examples train them, but for a time that a benchmark has.

Networks, points and optimisers are those of its examples for the same equations: three tanh layers, Adam with a rate of
1e-3, then L-BFGS, in float32. Its examples train for 15,000 to 50,000 iterations; here Adam is stopped after three
fifths of SECONDS and L-BFGS at their end, or before if it has converged. Tuned runs differ in width, depth, precision,
the weight of the conditions and the share of Adam.
"""

from __future__ import annotations

import time

import deepxde as dde
import numpy as np
import torch
from deepxde.optimizers.config import LBFGS_options
from problems import PROBLEMS

NAME = "DeepXDE"
DISTRIBUTIONS = ("deepxde", "torch", "numpy", "scipy")
DEFAULTS = (
    "its examples `Burgers.py`, `heat.py` and `Poisson_Lshape.py`: `FNN([d] + [20] * 3 + [1])` (`[50] * 4` for Poisson "
    "and Helmholtz), tanh, Glorot, 2540 points inside (1200 for Poisson and Helmholtz), Adam at 1e-3, then L-BFGS, "
    "float32; stopped after 20 s, where the examples train for 15,000 to 50,000 iterations"
)
UNAVAILABLE: dict[str, str] = {}
HARNESS = ("Watch", "train")  # the watch on the error is ours
EXTRA_LINES = 5  # what a user writes in the place of `train`: a model, and twice compile and train
SECONDS = 20.0
FEW = 25  # iterations between looks at the clock


def settings(problem):
    """Float64, nearly all of it L-BFGS, with two weights of the conditions; each has nearly half the time."""
    for width, weight in ((32, 100.0), (48, 1.0)):
        given = {"width": width, "depth": 3, "adam": 0.1, "precision": "float64", "seconds": 0.45 * SECONDS}
        yield {**given, "weight": weight}


class Watch(dde.callbacks.Callback):
    """Stops a training when its time is over and takes the true error on the way, which is not counted."""

    def __init__(self, problem, model, curve, start, until, every):
        super().__init__()
        self.problem, self.network, self.curve = problem, model, curve
        self.start, self.until, self.every, self.next, self.steps = start, until, every, every, 0

    def on_epoch_end(self):
        self.steps += 1
        if self.steps % FEW and self.network.opt_name == "adam":
            return
        elapsed = time.perf_counter() - self.start[0]
        if elapsed >= self.next or elapsed >= self.until:
            before = time.perf_counter()
            self.curve.append((elapsed, PROBLEMS[self.problem].error(self.network.predict)))
            self.start[0] += time.perf_counter() - before
            self.next = elapsed + self.every
        self.network.stop_training = elapsed >= self.until


def train(problem, data, net, seconds, adam, weight):
    """Adam, then L-BFGS."""
    LBFGS_options.update(iter_per_step=FEW, fun_per_step=FEW * 5 // 4)
    weights = [1.0] + [weight] * len(data.bcs)
    model, curve, start = dde.Model(data, net), [], [time.perf_counter()]
    model.compile("adam", lr=1e-3, loss_weights=weights)
    model.train(
        iterations=10**6, verbose=0, callbacks=[Watch(problem, model, curve, start, adam * seconds, seconds / 20)]
    )
    model.compile("L-BFGS", loss_weights=weights)
    model.train(verbose=0, callbacks=[Watch(problem, model, curve, start, seconds, seconds / 20)])
    return model, curve


def helmholtz(width=50, depth=4, adam=0.6, precision="float32", seconds=SECONDS, weight=1.0):
    dde.config.set_default_float(precision)

    def exact(x):
        return np.sin(np.pi * x[:, :1]) * np.sin(4 * np.pi * x[:, 1:])

    def pde(x, u):
        u_xx, u_yy = dde.grad.hessian(u, x, i=0, j=0), dde.grad.hessian(u, x, i=1, j=1)
        f = (1 - 17 * np.pi**2) * torch.sin(np.pi * x[:, :1]) * torch.sin(4 * np.pi * x[:, 1:])
        return u_xx + u_yy + u - f

    square = dde.geometry.Rectangle([0, 0], [1, 1])
    condition = dde.icbc.DirichletBC(square, exact, lambda _, on_boundary: on_boundary)
    data = dde.data.PDE(square, pde, condition, num_domain=1200, num_boundary=120)
    net = dde.nn.FNN([2] + [width] * depth + [1], "tanh", "Glorot uniform")
    return train("helmholtz", data, net, seconds, adam, weight)


def heat(width=20, depth=3, adam=0.6, precision="float32", seconds=SECONDS, weight=1.0):
    dde.config.set_default_float(precision)

    def exact(x):
        return 2 * np.exp(-x[:, 2:]) * np.sin(np.pi * x[:, :1] / 2) * np.sin(np.pi * x[:, 1:2] / 2)

    def pde(x, u):
        u_t = dde.grad.jacobian(u, x, i=0, j=2)
        u_xx, u_yy = dde.grad.hessian(u, x, i=0, j=0), dde.grad.hessian(u, x, i=1, j=1)
        waves = torch.sin(np.pi * x[:, :1] / 2) * torch.sin(np.pi * x[:, 1:2] / 2)
        return u_t - u_xx - u_yy - (np.pi**2 / 2 - 1) * 2 * torch.exp(-x[:, 2:]) * waves

    square, period = dde.geometry.Rectangle([0, 0], [1, 1]), dde.geometry.TimeDomain(0, 1)
    plate = dde.geometry.GeometryXTime(square, period)
    sides = dde.icbc.DirichletBC(plate, exact, lambda _, on_boundary: on_boundary)
    initial = dde.icbc.IC(plate, exact, lambda _, on_initial: on_initial)
    data = dde.data.TimePDE(plate, pde, [sides, initial], num_domain=2540, num_boundary=80, num_initial=160)
    net = dde.nn.FNN([3] + [width] * depth + [1], "tanh", "Glorot normal")
    return train("heat", data, net, seconds, adam, weight)


def burgers(width=20, depth=3, adam=0.6, precision="float32", seconds=SECONDS, weight=1.0):
    dde.config.set_default_float(precision)

    def exact(x):
        return 1 / (1 + np.exp(50 * (x[:, :1] - x[:, 1:])))

    def pde(x, u):
        u_x, u_t = dde.grad.jacobian(u, x, i=0, j=0), dde.grad.jacobian(u, x, i=0, j=1)
        front = torch.sigmoid(-50 * (x[:, :1] - x[:, 1:]))
        return u_t + u * u_x - dde.grad.hessian(u, x, i=0, j=0) / 100 - 25 * front * (1 - front)

    strip = dde.geometry.GeometryXTime(dde.geometry.Interval(0, 1), dde.geometry.TimeDomain(0, 1))
    sides = dde.icbc.DirichletBC(strip, exact, lambda _, on_boundary: on_boundary)
    initial = dde.icbc.IC(strip, exact, lambda _, on_initial: on_initial)
    data = dde.data.TimePDE(strip, pde, [sides, initial], num_domain=2540, num_boundary=80, num_initial=160)
    net = dde.nn.FNN([2] + [width] * depth + [1], "tanh", "Glorot normal")
    return train("burgers", data, net, seconds, adam, weight)


def poisson(d, width, depth, adam, precision, seconds, weight):
    dde.config.set_default_float(precision)

    def exact(x):
        m = x.mean(axis=1, keepdims=True)
        return m**2 + np.sin(m)

    def pde(x, u):
        laplacian = sum(dde.grad.hessian(u, x, i=k, j=k) for k in range(d))
        return laplacian - (2 - torch.sin(x.mean(dim=1, keepdim=True))) / d

    cube = dde.geometry.Hypercube([-1] * d, [1] * d)
    condition = dde.icbc.DirichletBC(cube, exact, lambda _, on_boundary: on_boundary)
    data = dde.data.PDE(cube, pde, condition, num_domain=1200, num_boundary=120)
    net = dde.nn.FNN([d] + [width] * depth + [1], "tanh", "Glorot uniform")
    return train(f"poisson_{d}d", data, net, seconds, adam, weight)


def poisson_5d(width=50, depth=4, adam=0.6, precision="float32", seconds=SECONDS, weight=1.0):
    return poisson(5, width, depth, adam, precision, seconds, weight)


def poisson_10d(width=50, depth=4, adam=0.6, precision="float32", seconds=SECONDS, weight=1.0):
    return poisson(10, width, depth, adam, precision, seconds, weight)


def holed_square(width=50, depth=4, adam=0.6, precision="float32", seconds=SECONDS, weight=1.0):
    dde.config.set_default_float(precision)

    def exact(x):
        return np.exp(x[:, :1]) * np.sin(3 * x[:, 1:])

    def pde(x, u):
        laplacian = dde.grad.hessian(u, x, i=0, j=0) + dde.grad.hessian(u, x, i=1, j=1)
        return laplacian + 8 * torch.exp(x[:, :1]) * torch.sin(3 * x[:, 1:])

    holed = dde.geometry.Rectangle([0, 0], [1, 1]) - dde.geometry.Disk([0.5, 0.5], 0.25)
    condition = dde.icbc.DirichletBC(holed, exact, lambda _, on_boundary: on_boundary)
    data = dde.data.PDE(holed, pde, condition, num_domain=1200, num_boundary=120)
    net = dde.nn.FNN([2] + [width] * depth + [1], "tanh", "Glorot uniform")
    return train("holed_square", data, net, seconds, adam, weight)


def predictor(result):
    """What a run returned, as a function of points."""
    model, _ = result
    return model.predict


def facts(result):
    """How the error came down; the time of training, without that of looking at errors."""
    model, curve = result
    return {"curve": curve, "seconds": curve[-1][0], "iterations": model.train_state.iteration}
