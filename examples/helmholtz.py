"""The paper's Helmholtz problem: Δu + u = q on the unit square, u = sin πx sin 4πy.

Solves it with nothing chosen, prints the true error and writes a picture.
"""

from pathlib import Path

import sympy as sp

import fens

# Domain
x, y = sp.symbols("x y")
square = fens.Box({x: (0, 1), y: (0, 1)})

# Unknown, and the solution we know
u = sp.Function("u")(x, y)
exact = sp.sin(sp.pi * x) * sp.sin(4 * sp.pi * y)

# Equations
problem = fens.Problem(
    {
        square: sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u, (1 - 17 * sp.pi**2) * exact),
        square.boundary: sp.Eq(u, exact),
    }
)


def main() -> float:
    """Solve, look, and return the largest error."""
    solution = fens.solve(problem)
    error = solution.compare(exact, fens.Grid(201))
    picture = Path("out/helmholtz.png")
    picture.parent.mkdir(exist_ok=True)
    solution.plot(str(picture))
    print(solution)
    print(f"  true error: {error}")
    print(f"  picture: {picture}")
    return error.linf


if __name__ == "__main__":
    main()
