"""A kink of the sine-Gordon equation, u_tt − u_xx + sin u = 0, moving at half the speed of light.

The equation is nonlinear; it is written down like any other, and Newton's method does the rest.
"""

from pathlib import Path

import sympy as sp

import fens

# Parameters
speed = sp.Rational(1, 2)
gamma = 1 / sp.sqrt(1 - speed**2)

# Domain: a line through time
x, t = sp.symbols("x t")
line = fens.Box({x: (-4, 4)}).during(t, 0, 1)

# Unknown, and the solution we know
u = sp.Function("u")(x, t)
exact = 4 * sp.atan(sp.exp(gamma * (x - speed * t)))

# Equations
problem = fens.Problem(
    {
        line: u.diff(t, 2) - u.diff(x, 2) + sp.sin(u),
        line.sides: sp.Eq(u, exact),
        line.initial: [sp.Eq(u, exact), sp.Eq(u.diff(t), exact.diff(t))],
    }
)


def main() -> float:
    """Solve, look, and return the largest error."""
    solution = fens.solve(problem, features=1600)
    for state in solution.stats.iterations:
        print(state)
    error = solution.compare(exact, fens.Grid(201))
    picture = Path("out/sine_gordon.png")
    picture.parent.mkdir(exist_ok=True)
    solution.plot(str(picture))
    print(solution)
    print(f"  true error: {error}")
    print(f"  picture: {picture}")
    return error.linf


if __name__ == "__main__":
    main()
