"""Calls of the public interface with values that no argument should have.

Every public callable, and every public method of what they make, with good arguments of which one or more are replaced.
What comes back is used as a user would, since a bad value may be noticed late.
"""

import contextlib
import inspect
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import sympy as sp

import fens
from fens.errors import FensError
from fens.geometry import Domain, Region

from .values import EXPRESSIONS, VALUES, k, rod, square, t, tube, u, v, x, y

HOOKS = {"sample", "draw", "rule", "depth", "section", "farthest", "check_inside", "of_conditions", "samples", "counts",
         "per_axis", "axis", "volume", "levels", "gradients", "projected", "near_boundary", "regions_of"}  # fmt: skip
NEVER = {  # which fens makes, not its users
    "FensError", "NotConverged", "ProblemFile", "Solution", "ToleranceNotMet", "UnreliableWarning",
}  # fmt: skip

theta = sp.Symbol("theta", real=True)
line = {rod: sp.Eq(v.diff(x, 2), -1), rod.boundary: sp.Eq(v, 0)}
modes = {rod: sp.Eq(-v.diff(x, 2), k * v), rod.boundary: sp.Eq(v, 0)}
rim = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
SMALL = {"features": 20, "estimate": False, "adapt": False, "scale": 2.0, "max_iterations": 10}

# good arguments of each callable, by name; those that are not here are left as they are by default
GOOD: dict[str, dict] = {
    "Ball": {"centre": {x: 0, y: 0}, "radius": 1, "name": "ball"},
    "Box": {"sides": {x: (0, 1)}, "name": "box"},
    "Cloud": {"inside": rim / 2 + 0.25, "boundary": rim, "normals": rim - 0.5, "coordinates": (x, y)},
    "Clustered": {"interior": 9, "boundary": 4, "rows": 2.5},
    "Corner": {"place": (0.0, 1.0)},
    "Data": {"values": [1.0, 2.0], "std": 0.1},
    "Grid": {"counts": 5},
    "Implicit": {"relation": x**2 + y**2 < 1, "box": fens.Box({x: (-2, 2), y: (-2, 2)}), "name": "disc"},
    "Isotropic": {"sobol": False},
    "Mixture": {"parts": ((0.5, fens.Isotropic()), (0.5, fens.Sparse.up_to(1, 1)))},
    "Oriented": {"matrix": ((1.0,),), "sobol": False},
    "Points": {"values": {x: [0.2, 0.5]}},
    "Polygon": {"corners": rim, "coordinates": (x, y), "holes": (), "name": "square"},
    "Problem": {"equations": line},
    "Random": {"interior": 30, "boundary": 4},
    "ScaleGrid": {"minimum": 0, "maximum": 4, "step": 2},
    "Segment": {"start": (0, 0), "end": (0.5, 0.5), "coordinates": (x, y), "name": "crack"},
    "Sparse": {"subsets": ((0,),), "shares": (1.0,), "sobol": False},
    "Sparse.up_to": {"order": 1, "dimension": 1},
    "Star": {"centre": {x: 0, y: 0}, "radius": 1 + sp.cos(3 * theta) / 4, "angle": theta, "name": "star"},
    "Surface": {"source": corners, "coordinates": sp.symbols("x y z"), "faces": triangles},
    "Unknown": {"name": "q", "initial": 1.0},
    "complex_unknown": {"name": "w"},
    "continuation": {"problem_of": lambda value: fens.Problem({**line, rod: sp.Eq(v.diff(x, 2), value)}),
                     "values": [1.0, 2.0], "initial": None, **SMALL},
    "eigen": {"problem": fens.Problem(modes), "eigenvalue": k, "count": 1, "near": 0.0, "features": 40},
    "div": {"flux": fens.grad(u)},
    "functional": {"name": "integral", "expression": v},
    "grad": {"expression": u},
    "laplacian": {"expression": u},
    "strong": {"expression": u.diff(x, 2)},
    "integral": {"expression": v},
    "jump": {"expression": v},
    "load": {"path": "u.fens"},
    "manufacture": {"operators": {rod: v.diff(x, 2), rod.boundary: v}, "unknown": v, "exact": x**3},
    "normal": {"coordinate": x},
    "normal_derivative": {"u": u},
    "read": {"path": "rod.toml"},
    "register": {"kind": "export", "name": "csv", "implementation": None},  # whatever it is, that name is taken
    "solve": {"problem": fens.Problem(line), **SMALL},
    "solve_again": {"solution": None},
    "wrap": {"function": np.sin, "name": "sine"},
}  # fmt: skip
# good arguments of methods, by their name
OF_METHODS: dict[str, dict] = {
    "__add__": {"other": square}, "__sub__": {"other": fens.Ball({x: 0.5, y: 0.5}, radius=0.25)},
    "__and__": {"other": square}, "__call__": {"coordinates": 0.5, "outside": "nan"}, "__getitem__": {"unknown": v},
    "animate": {"coordinate": x, "path": "u.gif", "frames": 2, "fps": 1}, "compare": {"exact": x, "points": None},
    "contains": {"points": [[0.5, 0.5]]}, "diff": {"variables": x}, "during": {"time": t, "start": 0, "end": 1},
    "edge": {"number": 0}, "equations_on": {"region": rod}, "face": {"coordinate": x, "value": 0},
    "integrate": {"expression": v**2, "on": None, "points": 8}, "meets": {"tol": 1e-3}, "of": {"unknown": v},
    "pair": {"coordinate": x}, "part": {"which": "box"}, "plot": {"path": None},
    "plot_error": {"exact": x, "path": None}, "plot_points": {"path": None}, "plot_search": {"path": None},
    "quadrature": {"n": 4}, "report": {"path": "u.html", "title": "u"}, "residual": {"region": rod, "points": None},
    "export": {"path": "u.csv", "to": None, "points": 5},
    "save": {"path": "v.fens"}, "to_csv": {"path": "u.csv", "points": 5}, "to_netcdf": {"path": "u.nc", "points": 5},
    "to_vtk": {"path": "u.vtu", "points": 5}, "to_xarray": {"points": 5, "units": None},
    "at": {"points": [[0.5]]}, "solve": {},
}  # fmt: skip


@cache
def solution() -> fens.Solution:
    """A solution to call methods of."""
    return fens.solve(fens.Problem(line), features=20)


@cache
def subjects() -> dict[str, object]:
    """Objects with methods."""
    ball = fens.Ball({x: 0, y: 0}, radius=1)
    polygon = fens.Polygon(rim, (x, y))
    return {
        "problem": fens.Problem(line), "solution": solution(), "derivative": solution().diff(x),
        "square": square, "ball": ball,
        "polygon": polygon, "tube": tube, "holed": square - fens.Ball({x: 0.5, y: 0.5}, radius=0.25),
        "star": fens.Star(**GOOD["Star"]), "implicit": fens.Implicit(**GOOD["Implicit"]),
        "surface": fens.Surface(**GOOD["Surface"]), "cloud": fens.Cloud(**GOOD["Cloud"]), "face": square.face(x, 0),
        "points": fens.Points({x: [0.5]}),
    }  # fmt: skip


@cache
def callables() -> dict[str, tuple[Callable, dict]]:
    """Everything that is called, with good arguments."""
    found = {name: (getattr(fens, name), GOOD[name]) for name in fens.__all__ if name not in NEVER}
    found["Sparse.up_to"] = fens.Sparse.up_to, GOOD["Sparse.up_to"]
    for subject, thing in subjects().items():
        for name in dir(type(thing)):
            public = not name.startswith("_") or name in OF_METHODS
            if public and name not in HOOKS and inspect.isfunction(getattr(type(thing), name)) and name in OF_METHODS:
                found[f"{subject}.{name}"] = getattr(thing, name), OF_METHODS[name]
    return found


@dataclass(frozen=True)
class Call:
    """What is called, and which of its arguments are replaced by which values."""

    name: str
    replaced: tuple[tuple[str, str], ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{p} = {value}' for p, value in self.replaced)})"


def make(seed: int) -> Call:
    """A call, one in a few with more than one argument replaced."""
    dice = random.Random(seed)
    name = dice.choice([*callables(), *["solve", "Problem", "solution.integrate"] * 8])
    function, good = callables()[name]
    parameters = [*{**good, **dict.fromkeys(_parameters(function))}]
    chosen = dice.sample(parameters, min(len(parameters), dice.choice((1, 1, 1, 1, 2, 3))))
    if name == "Problem" and dice.random() < 0.7:  # bad equations on good regions
        where = dice.choice(("rod", "boundary"))
        return Call(name, (("equation", dice.choice([*EXPRESSIONS])), ("where", where)), seed)
    return Call(name, tuple((p, dice.choice([*VALUES])) for p in chosen), seed)


def _parameters(function: Callable) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is not p.VAR_KEYWORD and p.name != "cluster"]


def run(call: Call) -> None:
    """Make the call, and use what it gives."""
    function, good = callables()[call.name]
    try:
        replaced = {p: VALUES[name]() for p, name in call.replaced if name in VALUES}
    except FensError:  # a value that cannot be is refused as it should be
        return
    if "equation" in replaced:
        where = rod if dict(call.replaced)["where"] == "rod" else rod.boundary
        arguments = {"equations": {**line, where: replaced["equation"]}}
    else:
        arguments = {**good, **replaced}
    if call.name == "solve_again" and "solution" not in replaced:
        arguments = {"solution": solution()}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), np.errstate(all="ignore"):
        result = _called(function, arguments)
        for use in uses(result):
            with contextlib.suppress(FensError):
                use()


def _called(function: Callable, arguments: dict) -> object:
    """The function with its arguments, those by position that have no name."""
    parameters = list(inspect.signature(function).parameters.values())
    last = next((k for k, p in enumerate(parameters) if p.kind is p.VAR_POSITIONAL), -1)  # and those before it
    listed = [arguments.pop(p.name) for p in parameters[: last + 1] if p.name in arguments]
    return function(*listed, **arguments)


def uses(result: object):
    """What users do with what a call gives."""
    yield lambda: repr(result)
    if isinstance(result, fens.Problem):
        yield lambda: fens.solve(result, **SMALL)
        yield lambda: (result._repr_html_(), result._repr_latex_())
    elif isinstance(result, fens.Solution):
        yield lambda: _looked_at(result)
    elif isinstance(result, Domain):
        yield lambda: result.quadrature(4)
        yield lambda: fens.solve(_dirichlet(result), **SMALL)
    elif isinstance(result, Region):
        yield lambda: (result.measure, len(result.patches))
    elif hasattr(result, "sample") and not isinstance(result, type):
        yield lambda: fens.solve(fens.Problem(line), **SMALL, points=result)
    elif isinstance(result, fens.Isotropic | fens.Oriented | fens.Sparse | fens.Mixture):
        yield lambda: fens.solve(fens.Problem(line), **SMALL, frequencies=result)
    elif isinstance(result, fens.ScaleGrid) and len(result) < 10:
        yield lambda: fens.solve(fens.Problem(line), **{**SMALL, "scale": result})
    elif isinstance(result, fens.Data):
        places = fens.Points({x: np.linspace(0, 1, max(1, len(result.values)))})
        yield lambda: fens.solve(fens.Problem({**line, places: sp.Eq(v, result)}), **SMALL)
    elif isinstance(result, fens.Unknown):
        yield lambda: fens.solve(fens.Problem({**line, rod.face(x, 0): sp.Eq(v, result)}), **SMALL)
    elif isinstance(result, sp.Basic):
        yield lambda: fens.solve(fens.Problem({**line, rod.boundary: result}), **SMALL)
    elif callable(result) and not isinstance(result, type):
        yield lambda: fens.solve(fens.Problem({**line, rod.boundary: sp.Eq(v, result(x))}), **SMALL)


def _dirichlet(domain: Domain) -> fens.Problem:
    unknown = sp.Function("w")(*domain.coordinates)
    return fens.Problem({domain: sp.Eq(unknown.diff(domain.coordinates[0], 2), 1), domain.boundary: sp.Eq(unknown, 0)})


def _looked_at(found: fens.Solution) -> None:
    for unknown, function in found.functions.items():
        if not isinstance(unknown, fens.Unknown):
            middle = np.mean(np.array(function.domain.bounds), axis=1)
            function.at(middle[None])
            repr((found.error, found.stats))
