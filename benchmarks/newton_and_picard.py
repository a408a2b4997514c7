"""Newton and Picard on Burgers' equation, as its front sharpens.

    python benchmarks/newton_and_picard.py

Newton's steps end where F'(u)ᵀF(u) = 0, at the least residual; Picard's where A(u)ᵀF(u) = 0 with the lagged matrix A.
These are the same function if F(u) = 0, that is if the features resolve the front, and differ if they do not.
"""

import numpy as np

import fens
from fens import zoo


def main() -> None:
    """Print a table of errors and of the difference between the two."""
    print("| viscosity | Newton L∞ | Picard L∞ | difference | relative residual |\n|---|---|---|---|---|")
    a, b = np.linspace(0, 1, 101)[:, None], np.linspace(0, 1, 101)
    for viscosity in (0.1, 0.05, 0.03, 0.02, 0.01):
        known = zoo.burgers(viscosity)
        options = {"features": 1200, "activation": "sin", "adapt": False, "estimate": False, "raise_on_failure": False}
        newton = fens.solve(known.problem, **options)
        picard = fens.solve(known.problem, nonlinear="picard", max_iterations=40, **options)
        errors = " | ".join(f"{s.compare(known.exact).linf:.1e}" for s in (newton, picard))
        difference = np.abs(newton(a, b) - picard(a, b)).max()
        relative = newton.stats.iterations[-1].relative
        print(f"| {viscosity} | {errors} | {difference:.1e} | {relative:.1e} |", flush=True)


if __name__ == "__main__":
    main()
