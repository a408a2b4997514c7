r"""
Heat on a plate with two holes
==============================

A plate of two by one, with two pipes through it: a hot one at temperature 1 and a cold one at 0. Its left and right
sides are insulated, and along the others it loses heat to air of temperature 0. In the steady state
:math:`\Delta u = 0` inside.
"""

import sympy as sp

import fens

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)

# %%
# The plate is a box without two discs. Each part of its boundary keeps the name of the shape it comes from.
hot = fens.Ball({x: 0.5, y: 0.5}, radius=0.2, name="hot")
cold = fens.Ball({x: 1.5, y: 0.5}, radius=0.2, name="cold")
plate = fens.Box({x: (0, 2), y: (0, 1)}) - hot - cold

loss = fens.normal_derivative(u) + u / 2
solution = fens.solve(
    fens.Problem(
        {
            plate: sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0),
            plate.part("hot"): sp.Eq(u, 1),
            plate.part("cold"): sp.Eq(u, 0),
            plate.face(x, 0): sp.Eq(fens.normal_derivative(u), 0),
            plate.face(x, 2): sp.Eq(fens.normal_derivative(u), 0),
            plate.face(y, 0): sp.Eq(loss, 0),
            plate.face(y, 1): sp.Eq(loss, 0),
        }
    ),
    features=350,
)
figure = solution.plot()

# %%
# What it thinks of itself:
print(solution)

# %%
# Heat is neither made nor lost on the way: what comes out of the hot pipe leaves through the cold one and the air.
flux = {
    name: solution.integrate(-fens.normal_derivative(u), on=part, points=100)
    for name, part in {
        "hot pipe": plate.part("hot"),
        "cold pipe": plate.part("cold"),
        "air below": plate.face(y, 0),
        "air above": plate.face(y, 1),
    }.items()
}
for name, value in flux.items():
    print(f"{name}: {value:+.8f}")
print(f"sum: {sum(flux.values()):.1e}")
assert abs(sum(flux.values())) < 1e-4
assert abs(flux["air below"] - flux["air above"]) < 1e-4
