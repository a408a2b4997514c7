"""
Flow behind a grid: the Navier–Stokes equations
===============================================

Kovasznay's solution of the steady Navier–Stokes equations: what is left of the flow behind a grid of bars, at a
Reynolds number of 40. The equations are nonlinear and are written down like any others; Newton's method does the rest.
"""

import sympy as sp

import fens

reynolds = 40
x, y = sp.symbols("x y")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")

# %%
# The known flow, of which we use the velocity on the boundary and the pressure at one point.
rate = sp.Rational(reynolds, 2) - sp.sqrt(sp.Rational(reynolds**2, 4) + 4 * sp.pi**2)
decay = sp.exp(rate * x)
known = {
    u: 1 - decay * sp.cos(2 * sp.pi * y),
    v: rate / (2 * sp.pi) * decay * sp.sin(2 * sp.pi * y),
    p: (1 - decay**2) / 2,
}


def laplacian(f):
    return f.diff(x, 2) + f.diff(y, 2)


def carried(f):
    return u * f.diff(x) + v * f.diff(y)


channel = fens.Box({x: (sp.Rational(-1, 2), 1), y: (sp.Rational(-1, 2), sp.Rational(1, 2))})
solution = fens.solve(
    fens.Problem(
        {
            channel: [
                sp.Eq(carried(u) + p.diff(x), laplacian(u) / reynolds),
                sp.Eq(carried(v) + p.diff(y), laplacian(v) / reynolds),
                sp.Eq(u.diff(x) + v.diff(y), 0),
            ],
            channel.boundary: [sp.Eq(u, known[u]), sp.Eq(v, known[v])],
            fens.Points({x: [0.0], y: [0.0]}): sp.Eq(p, 0),
        }
    ),
    features=100,
)
figure = solution.plot()

# %%
# The iteration, the expected error, and the true one:
for state in solution.stats.iterations:
    print(state)
print(solution.error)
errors = solution.compare(known)
for unknown, error in errors.items():
    print(f"{unknown}: {error}")
assert max(e.linf for e in errors.values()) < 1e-6
