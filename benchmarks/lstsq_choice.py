"""Why the least squares is damped and refined: largest true error of each way to solve the same systems.

    python benchmarks/lstsq_choice.py
"""

import numpy as np
import torch

import fens
from fens import zoo
from fens._support.matmul import matmul
from fens.discretise import System, discretise, linearise, weigh
from fens.lstsq import Direct
from fens.problem import function_values, newton_form

CASES = [
    ("helmholtz", zoo.helmholtz, 201, {"features": 900, "scale": 10}),
    ("helmholtz, too few features", lambda: zoo.helmholtz(-1, 1), 201, {"features": 400, "scale": 6}),
    ("helmholtz, scale too small", lambda: zoo.helmholtz(-1, 1), 201, {"features": 400, "scale": 2}),
    ("helmholtz, tanh", lambda: zoo.helmholtz(-1, 1), 201, {"features": 900, "activation": "tanh", "scale": 1.2}),
    ("function_2d", zoo.function_2d, 201, {"features": 1600, "scale": 10, "points": fens.Grid(101)}),
    ("heat", zoo.heat, 31, {"features": 1600, "scale": 3}),
    ("oscillating_poisson", zoo.oscillating_poisson, 5001, {"features": 900, "scale": 205}),
    (
        "poisson in three dimensions, nearly parallel columns",
        lambda: zoo.poisson(3),
        31,
        {"features": 1200, "scale": 0.6, "points": fens.Random(6000, 360), "weights": "unit", "adapt": False},
    ),
]


def truncated(A: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """By singular values above one unit of round-off."""
    n = A.shape[1]
    R = torch.linalg.qr(torch.cat([A, b[:, None]], dim=1), mode="r").R
    U, s, Vh = torch.linalg.svd(R[:n, :n])
    keep = s > torch.finfo(s.dtype).eps * s[0]
    return Vh[keep].T @ ((U.T @ R[:n, n])[keep] / s[keep])


def triangular(A: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """By back substitution."""
    n = A.shape[1]
    R = torch.linalg.qr(torch.cat([A, b[:, None]], dim=1), mode="r").R
    return torch.linalg.solve_triangular(R[:n, :n], R[:n, n:], upper=True)[:, 0]


def main() -> None:
    """Print a table: median and largest error over three seeds."""
    ways = ("triangular", "truncated", "damped", "damped, refined")
    print("| problem | " + " | ".join(ways) + " |\n|---" * 1 + "|---" * len(ways) + "|")
    for name, make, grid, options in CASES:
        known = make()
        errors: dict[str, list[float]] = {way: [] for way in ways}
        for seed in range(3):
            solution = fens.solve(known.problem, seed=seed, estimate=False, **options)
            conditions = linearise(discretise(known.problem, solution.samples, newton_form, torch.device("cpu")))
            system = System(weigh(conditions, solution.features, solution.settings.weights), solution.features)
            A, b = (torch.cat(parts) for parts in zip(*system, strict=True))
            damped = Direct(refinements=0).factorise(system).solve().weights
            found = (triangular(A, b), truncated(A, b), damped, solution.weights)
            axes = [np.linspace(*ends, grid) for ends in known.problem.domain.bounds]
            where = np.stack([m.ravel() for m in np.meshgrid(*axes, indexing="ij")], axis=1)
            coordinates = known.problem.coordinates
            exact = function_values(known.exact, coordinates, coordinates, where, "exact solution")
            basis = solution.features.matrix([(1.0, 0, (0,) * len(axes))], torch.as_tensor(where))
            for way, weights in zip(ways, found, strict=True):
                errors[way].append(float(np.abs(matmul(basis, weights).numpy() - exact).max()))
        cells = " | ".join(f"{np.median(e):.1e} ({max(e):.1e})" for e in errors.values())
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
