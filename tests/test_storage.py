"""Saved solutions: the same bits for every kind of solution, and nothing but what fens wrote is read."""

import contextlib
import hashlib
import json
import math
import os
import pickle
import stat
import subprocess
import sys
import traceback
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import fens
from fens.errors import FileError, NotInFile, Unconverged
from fens.problem import Unknown
from fens.solution.export import report
from fens.storage import KINDS, packed, registry
from fens.storage.container import unpacked

pytestmark = pytest.mark.xdist_group("storage")  # each solution is made once
x, y, z, t = sp.symbols("x y z t")
u, v = sp.Function("u")(x, y), sp.Function("v")(x, y)
f = sp.Function("f")(x)
w = sp.Function("w")(x, t)
square = fens.Box({x: (0, 1), y: (0, 1)})
line = fens.Box({x: (0, 1)})
rod = line.during(t, 0, 1)
theta = sp.Symbol("theta", real=True)


def laplace(unknown, *coordinates):
    return sp.Add(*(unknown.diff(c, 2) for c in coordinates))


def poisson(domain):
    """Δu = Δ exact on a plane domain."""
    exact = sp.exp(x) * sp.sin(y)
    return fens.Problem({domain: sp.Eq(laplace(u, x, y), laplace(exact, x, y)), domain.boundary: sp.Eq(u, exact)})


def plane(domain, **options):
    return fens.solve(poisson(domain), **{"features": 60, "estimate": False, "adapt": False, **options})


def peak(domain, **options):
    exact = sp.exp(-100 * ((x - 0.3) ** 2 + (y - 0.4) ** 2))
    problem = fens.manufacture({domain: laplace(u, x, y), domain.boundary: u}, u, exact)
    return fens.solve(problem, estimate=False, **options)


def warm_rod():
    """One that is warm at first, between cold ends."""
    T, time = sp.Function("T")(x, t), fens.Box({x: (0, 1)}).during(t, 0, 0.1)
    equations = {time: sp.Eq(T.diff(t), T.diff(x, 2)), time.sides: sp.Eq(T, 0), time.initial: sp.Eq(T, 1)}
    return fens.solve(fens.Problem(equations), features=100, estimate=False)


def warm_ell():
    """One with an edge at all times."""
    T, ell = sp.Function("T")(x, y, t), fens.Polygon([(-1, -1), (1, -1), (1, 0), (0, 0), (0, 1), (-1, 1)], (x, y))
    heated, angle = ell.during(t, 0, 0.1), sp.atan2(x - y, -x - y) + 3 * sp.pi / 4
    singular = (x**2 + y**2) ** sp.Rational(1, 3) * sp.sin(2 * angle / 3)
    conditions = {heated.sides: sp.Eq(T, singular), heated.initial: sp.Eq(T, singular)}
    problem = fens.Problem({heated: sp.Eq(T.diff(t), fens.laplacian(T)), **conditions})
    return fens.solve(problem, features=300, estimate=False)


def torsion(domain):
    problem = fens.Problem({domain: sp.Eq(laplace(u, x, y), -1), domain.boundary: sp.Eq(u, 0)})
    return fens.solve(problem, features=100, estimate=False)


def solid(domain):
    p = sp.Function("p")(x, y, z)
    exact = sp.cos(x) * sp.exp(y) + z
    problem = fens.Problem({domain: sp.Eq(laplace(p, x, y, z), 0), domain.boundary: sp.Eq(p, exact)})
    return fens.solve(problem, features=60, estimate=False)


def tetrahedron():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    return fens.Surface(corners, (x, y, z), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))


def cloud():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    rim = np.column_stack([np.cos(angle), np.sin(angle)])
    inside = np.random.default_rng(0).uniform(-0.6, 0.6, (200, 2))
    return fens.Cloud(inside, rim, rim, (x, y))


def nonlinear(**options):
    problem = fens.Problem({line: sp.Eq(f.diff(x, 2), sp.exp(f)), line.boundary: sp.Eq(f, 0)})
    return fens.solve(problem, features=40, **options)


def inverse():
    k = fens.Unknown("k", initial=1)
    data = fens.Data([0.55, 0.25, 0.4], std=[0.01, 0.02, 0.01])
    return fens.solve(
        fens.Problem({
            rod: sp.Eq(w.diff(t), k * w.diff(x, 2)),
            rod.sides: sp.Eq(w, 0),
            rod.initial: sp.Eq(w, sp.sin(sp.pi * x)),
            fens.Points({x: [0.5, 0.3, 0.4], t: [0.2, 0.4, 0.3]}): sp.Eq(w, data),
        }),
        features=150,
        estimate=False,
    )


def two_domains():
    left, right = fens.Box({x: (0, 1), y: (0, 1)}), fens.Box({x: (1, 2), y: (0, 1)})
    return fens.solve(
        fens.Problem({
            left: sp.Eq(laplace(u, x, y), 1),
            right: sp.Eq(2 * laplace(v, x, y), 1),
            left.face(x, 1): [sp.Eq(u, v), sp.Eq(u.diff(x), 2 * v.diff(x))],
            left.face(x, 0): sp.Eq(u, 0),
            left.face(y, 0): sp.Eq(u, 0),
            right.face(x, 2): sp.Eq(fens.normal_derivative(v) + v, sp.Piecewise((y, y < 0.5), (1 - y, True))),
        }),
        features={u: 50, v: 40},
        estimate=False,
    )


c = fens.complex_unknown("c")(x, y)


def complex_wave(**options):
    robin = sp.Eq(fens.normal_derivative(c) - 3 * sp.I * c, 1)
    return fens.solve(
        fens.Problem({square: laplace(c, x, y) + 9 * c, square.boundary: robin}), features=60, estimate=False, **options
    )


def periodic():
    return fens.solve(
        fens.Problem({
            square: sp.Eq(laplace(u, x, y) - u, sp.cos(2 * sp.pi * x) * sp.Abs(sp.sin(3))),
            square.pair(x): [sp.Eq(fens.jump(u), 0), sp.Eq(fens.jump(x * u.diff(x)), u)],
            square.face(y, 0): sp.Eq(u, 0),
            square.face(y, 1): sp.Eq(fens.normal_derivative(u) + u, 0),
        }),
        features=60,
        estimate=False,
    )


def neumann():
    disc = fens.Ball({x: 0, y: 0}, radius=1, name="disc")
    return fens.solve(
        fens.Problem({
            disc: [sp.Eq(laplace(u, x, y), 0), sp.Eq(fens.integral(u), 0)],
            disc.boundary: sp.Eq(fens.normal_derivative(u), fens.normal(x)),
        }),
        features=60,
        estimate=False,
    )


def string(**options):
    problem = fens.Problem({
        rod: sp.Eq(w.diff(t, 2), w.diff(x, 2)),
        rod.sides: sp.Eq(w, 0),
        rod.initial: [sp.Eq(w, sp.sin(sp.pi * x)), sp.Eq(w.diff(t), 0)],
    })
    return fens.solve(problem, **{"features": 60, "estimate": False, **options})


def vibrating(end):
    long = fens.Box({x: (0, 1)}).during(t, 0, end)
    v = sp.Function("v")(x, t)
    return fens.Problem({
        long: sp.Eq(v.diff(t, 2), v.diff(x, 2)),
        long.sides: sp.Eq(v, 0),
        long.initial: [sp.Eq(v, sp.sin(sp.pi * x)), sp.Eq(v.diff(t), 0)],
    })


swing = sp.Function("swing")(t)


def pendulum(end):
    interval = fens.Box({t: (0, end)})
    return fens.Problem({
        interval: sp.Eq(swing.diff(t, 2), -sp.sin(swing)),
        interval.face(t, 0): [sp.Eq(swing, 1), sp.Eq(swing.diff(t), 0)],
    })


def five_dimensions():
    axes = sp.symbols("c0:5")
    g = sp.Function("g")(*axes)
    cube = fens.Box(dict.fromkeys(axes, (0, 1)))
    exact = sp.Add(*(sp.sin(s) for s in axes))
    problem = fens.Problem({cube: sp.Eq(laplace(g, *axes), laplace(exact, *axes)), cube.boundary: sp.Eq(g, exact)})
    return fens.solve(problem, features=80, points=fens.Random(200, 200))


def annulus():
    ring = fens.Ball({x: 0, y: 0}, radius=1) - fens.Ball({x: 0, y: 0}, radius=0.5, name="hole")
    exact = sp.log(x**2 + y**2) + x
    problem = fens.Problem({ring: sp.Eq(laplace(u, x, y), 0), ring.boundary: sp.Eq(u, exact)})
    return fens.solve(problem, features=200, estimate=False)


def plate_in_time():
    g = sp.Function("g")(x, y, t)
    holed = (square - fens.Ball({x: 0.5, y: 0.5}, radius=0.2, name="hole")).during(t, 0, 1)
    exact = sp.exp(-t) * x * y
    return fens.solve(
        fens.Problem({
            holed: sp.Eq(g.diff(t), laplace(g, x, y) - exact),
            holed.initial: sp.Eq(g, exact),
            holed.part("hole"): sp.Eq(fens.normal_derivative(g), 0),
            holed.part("box"): sp.Eq(g, exact),
        }),
        features=60,
        estimate=False,
    )


corners = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
egg = fens.Implicit(x**2 + y**4 < 1, fens.Box({x: (-2, 2), y: (-2, 2)}))
SOLUTIONS = {
    "an interval, everything chosen": lambda: fens.solve(
        fens.Problem({line: sp.Eq(f.diff(x, 2), -2), line.boundary: sp.Eq(f, 0)}), max_features=400
    ),
    "a square with an estimate": lambda: plane(square, estimate=True, adapt=None),
    "the paper's options": lambda: plane(square, scale=fens.ScaleGrid(0, 6, 2), points=fens.Grid(11), weights="unit"),
    "given scales, weights and seed": lambda: plane(
        square, seed=7, scale={x: 2, y: sp.Rational(5, 2)},
        weights={square.boundary: 3.0}, points=fens.Grid({x: 9, y: 12})
    ),
    "an array of scales": lambda: plane(square, scale=np.array([2.0, 3.0]), features=np.int64(50), affine=True),
    "random points": lambda: plane(square, points=fens.Random(150, 80), activation="cos_sin"),
    "Xavier": lambda: plane(square, initialisation="xavier", activation="tanh"),
    "frequencies of one's own": lambda: plane(
        square,
        frequencies=fens.Mixture(((0.4, fens.Oriented(((1.0, 0.5), (0.0, 1.0)))), (0.6, fens.Sparse.up_to(2, 2))))
    ),
    "a disc": lambda: plane(fens.Ball({x: 0, y: 0}, radius=1)),
    "an ellipse": lambda: plane(fens.Ball({x: 0, y: 0}, radius={x: 1, y: 0.5})),
    "a polygon with a hole": lambda: plane(
        fens.Polygon(corners, (x, y), holes=[[(0.2, 0.2), (0.5, 0.2), (0.3, 0.6)]])
    ),
    "a star": lambda: plane(fens.Star({x: 0, y: 0}, radius=1 + sp.cos(5 * theta) / 4, angle=theta)),
    "an implicit shape": lambda: plane(egg),
    "a cloud": lambda: plane(cloud()),
    "a square without a disc": lambda: plane(square - fens.Ball({x: 0.5, y: 0.5}, radius=0.25)),
    "a square with a crack": lambda: plane(square - fens.Segment((0, 0.5), (0.5, 0.6), (x, y))),
    "an annulus, features around its hole": annulus,
    "an ellipsoid": lambda: solid(fens.Ball({x: 0, y: 0, z: 0}, radius=[1, 0.8, 0.6])),
    "a box without a ball": lambda: solid(
        fens.Box({x: (0, 1), y: (0, 1), z: (0, 1)}) - fens.Ball({x: 0.5, y: 0.5, z: 0.5}, radius=0.2)
    ),
    "an implicit solid": lambda: solid(
        fens.Implicit(x**2 + 2 * y**2 + z**2 < 1, fens.Box({x: (-2, 2), y: (-2, 2), z: (-2, 2)}))
    ),
    "a solid of triangles": lambda: solid(tetrahedron()),
    "space and time": string,
    "a plate with a hole in time": plate_in_time,
    "periodic": periodic,
    "an integral": neumann,
    "two domains": two_domains,
    "complex": complex_wave,
    "complex, from a function": lambda: complex_wave(initial={c: solved("complex")[c]}, points=fens.Clustered(rows=3)),
    "a number from data": inverse,
    "nonlinear, with an estimate": nonlinear,
    "Picard from an expression": lambda: nonlinear(nonlinear="picard", initial=-x * (1 - x) / 2, estimate=False),
    "from another solution": lambda: nonlinear(initial=nonlinear(estimate=False), estimate=False),
    "from a mapping": lambda: nonlinear(initial={f: 0.1}, estimate=False),
    "two layers": lambda: plane(square, layers=2, activation="tanh"),
    "cells": lambda: plane(square, partition=2),
    "corners": lambda: torsion(square),
    "a crack inside": lambda: torsion(square - fens.Segment((0.3, 0.5), (0.6, 0.6), (x, y))),
    "a rod with an onset": warm_rod,
    "a square hole": lambda: torsion(square - fens.Box({x: (0.3, 0.6), y: (0.4, 0.7)})),
    "corners in the course of time": warm_ell,
    "spots": lambda: peak(square, partition=[2, 2], features=100),
    "blocks of time": lambda: string(blocks=3),
    "slabs of time": lambda: fens.solve(vibrating(60)),
    "an event": lambda: fens.solve(pendulum(30), until=swing.diff(t) > 0, keep=[1, 2]),
    "five dimensions, couplings learnt": five_dimensions,
}
SOLVED_AGAIN = (
    "an interval, everything chosen", "the paper's options", "a square without a disc", "a cloud", "periodic",
    "a number from data", "nonlinear, with an estimate", "from another solution", "spots", "blocks of time", "an event",
    "five dimensions, couplings learnt", "two domains", "complex", "a star", "an implicit shape",
)  # fmt: skip


@cache
def solved(name):
    return SOLUTIONS[name]()


def functions(solution):
    return {str(k): g for k, g in solution.functions.items() if not isinstance(k, Unknown)}


def points_in(domain):
    return np.random.default_rng(1).uniform(*np.array(domain.bounds).T, (50, len(domain.coordinates)))


def same(one, other):
    """Bit for bit."""
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def has_the_same_bits(before, after):
    assert type(after) is type(before)
    assert same(after.weights, before.weights)
    for name, function in functions(before).items():
        loaded = functions(after)[name]
        rows = points_in(function.domain)
        assert same(loaded.at(rows), function.at(rows))
        assert same(loaded(*rows.T), function(*rows.T))
        first = before.problem.coordinates[0]
        assert same(loaded.diff(first, 2).at(rows), function.diff(first, 2).at(rows))
    for unknown, number in before.functions.items():
        if isinstance(unknown, Unknown):
            assert repr(after[unknown]) == repr(number)


def tells_the_same(before, after):
    assert repr(after) == repr(before)
    assert repr(after.problem) == repr(before.problem)
    assert repr(after.stats) == repr(before.stats)
    assert repr(after.error) == repr(before.error)
    assert after.error == before.error
    assert after.search == before.search
    assert (after.scale, after.scales) == (before.scale, before.scales)
    assert after.provenance == before.provenance
    assert after.problem.unknowns == before.problem.unknowns
    assert list(after.settings.options) == list(before.settings.options)
    assert after.problem.is_linear == before.problem.is_linear
    assert all(one.region == other.region or one.region.domain is None
               for one, other in zip(after.problem.conditions, before.problem.conditions, strict=True))


def has_the_same_residuals(before, after):
    for one, other in zip(*(getattr(s, "blocks", [s]) for s in (after, before)), strict=True):
        for mine, region in zip(one.problem.regions, other.problem.regions, strict=True):
            assert same(one.residual(mine), other.residual(region))
            assert same(one.residual(mine, fens.Clustered()), other.residual(region, fens.Clustered()))


def compares_and_integrates_alike(before, after):
    unknown = before.problem.unknowns[0]
    exact = {k: sp.cos(before.problem.coordinates[0]) for k in before.problem.unknowns if not isinstance(k, Unknown)}
    few = fens.Random(200)
    assert before.compare(exact, few) == after.compare(exact, few)
    long = hasattr(before, "blocks") or hasattr(before, "slabs")
    if not long and not isinstance(before.problem.domain, fens.Cloud):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Unconverged)  # of a rough function few points are enough here
            n = 20 if len(before.problem.coordinates) < 3 else 6
            assert before.integrate(unknown, points=n) == after.integrate(unknown, points=n)


def is_saved_to_the_same_file(before, after):
    assert packed(after, KINDS) == packed(before, KINDS)


CHECKS = (
    has_the_same_bits, tells_the_same, has_the_same_residuals, compares_and_integrates_alike, is_saved_to_the_same_file,
)  # fmt: skip


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_comes_back_as_it_was(name, tmp_path):
    before, failures = solved(name), []
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    for check in CHECKS:
        try:
            check(before, after)
        except AssertionError:
            failures.append(f"{check.__name__}: {traceback.format_exc(limit=-1)}")
    assert not failures, "\n\n".join(failures)


def test_the_table_has_all_kinds():
    contents = [packed(solved(name), KINDS) for name in SOLUTIONS]
    entries = [e for raw in contents for e in json.loads(raw.split(b"\n", 3)[2])["entries"]]
    assert set(KINDS) <= {e[0] for e in entries}


@pytest.mark.parametrize("name", SOLVED_AGAIN)
def test_it_is_solved_again_to_the_same_bits(name, tmp_path):
    before = solved(name)
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    again = fens.solve_again(after)
    assert same(again.weights, before.weights)
    assert again.error == before.error
    assert replace(again.stats, seconds={}, iterations=()) == replace(before.stats, seconds={}, iterations=())


def test_options_solve_it_again(tmp_path):
    before = solved("given scales, weights and seed")
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    assert set(after.settings.options) == {"features", "scale", "weights", "seed", "points", "estimate", "adapt"}
    assert same(fens.solve(after.problem, **after.settings.options).weights, before.weights)
    with pytest.raises(fens.FensError, match=r"takes a fens\.Solution; got Problem"):
        fens.solve_again(after.problem)


def small():
    return solved("an integral")


@cache
def content():
    return packed(small(), KINDS)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_altered_byte_is_refused(data):
    good = bytearray(content())
    place = data.draw(st.one_of(st.integers(0, 120), st.integers(0, len(good) - 1)))
    good[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(FileError, match=r"damaged|not a solution|format"):
        unpacked(bytes(good), KINDS, "u.fens")


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**9))
def test_any_truncated_file_is_refused(length):
    with pytest.raises(FileError, match=r"damaged|not a solution"):
        unpacked(content()[: length % len(content())], KINDS, "u.fens")


def test_a_longer_file_is_refused():
    with pytest.raises(FileError, match="damaged"):
        unpacked(content() + b"\0", KINDS, "u.fens")


@pytest.mark.parametrize(
    ("name", "made", "words"),
    [
        ("none.fens", lambda p: None, "none.fens: the file cannot be read: no such file"),
        ("folder.fens", Path.mkdir, "it is a folder"),
        ("empty.fens", Path.touch, "not a solution saved by fens"),
        ("text.fens", lambda p: p.write_text("hello"), "not a solution saved by fens"),
        ("pickle.fens", lambda p: p.write_bytes(pickle.dumps([1])), "not a solution saved by fens"),
        ("new.fens", lambda p: p.write_bytes(b"fens solution, format 2\nab"), "has format 2, and this version of fens"),
    ],
)
def test_what_is_not_ours_is_refused(tmp_path, name, made, words):
    made(tmp_path / name)
    with pytest.raises(FileError, match=words):
        fens.load(tmp_path / name)


@pytest.mark.parametrize("path", [3, "", "a\0b", None])
def test_names_of_files_are_checked(path):
    for use in (fens.load, small().save):
        with pytest.raises(FileError, match="given by its name"):
            use(path)


def test_a_file_is_written_as_a_whole(tmp_path, monkeypatch):
    path = tmp_path / "u.fens"
    small().save(path)
    before = path.read_bytes()

    def fails(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(FileError, match=r"cannot be written: no space left"):
        solved("periodic").save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["u.fens"]
    monkeypatch.undo()
    for wrong in (tmp_path, tmp_path / "none" / "u.fens"):
        with pytest.raises(FileError, match="cannot be written"):
            small().save(wrong)
    assert [p.name for p in tmp_path.iterdir()] == ["u.fens"]


def forged(entries):
    """A file with a good checksum and any content."""
    document = {"fields": {"Box": ["coordinates", "intervals", "label"], "Ball": list(KINDS["Ball"].fields)}}
    document |= {"entries": entries, "value": [len(entries) - 1]}
    return sealed(json.dumps(document).encode() + b"\n" + bytes(64))


def sealed(body):
    return b"fens solution, format 1\n" + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


HOSTILE = {
    "a class that is not on the list": [["subprocess.Popen", "true"]],
    "a function of Python's": [["eval", "1"]],
    "an attribute": [["__class__"]],
    "an expression that is code": [["node", "__import__", "os"]],
    "a text in an expression": [["node", "sin", "__import__('os').system('true')"]],
    "a node of texts": [["node", "Add", "x", "y"]],
    "no kind": [[3, 4]],
    "nothing": [[]],
    "no list": [{"a": 1}],
    "a later entry": [["tuple", [1]], ["tuple"]],
    "itself": [["tuple", [0]]],
    "a negative reference": [["tuple"], ["tuple", [-1]]],
    "a strange reference": [["tuple"], ["tuple", [0, 0]]],
    "an array beyond the file": [["array", "<f8", "C", 0, 10**15]],
    "an array of objects": [["array", "|O", "C", 0, 1]],
    "a negative shape": [["array", "<f8", "C", 0, -1]],
    "a negative offset": [["array", "<f8", "C", -8, 1]],
    "a giant power": [["rational", 9, 1], ["rational", 10**9, 1], ["node", "Pow", [0], [1]]],
    "a tower": [["rational", 9, 1], ["rational", 99, 1], ["node", "Pow", [0], [1]], ["node", "Pow", [0], [2]]],
    "a giant factorial": [["rational", 10**9, 1], ["node", "factorial", [0]]],
    "a giant gamma": [["rational", 10**9, 1], ["node", "gamma", [0]]],
    "a giant float": [["real", 0, 1, 10**12, 53]],
    "a float of texts": [["real", "0", "1", 0, 53]],
    "a division by zero": [["rational", 1, 0]],
    "an assumption that is none": [["mapping", "__class__", True], ["symbol", "x", [0]]],
    "a symbol without a name": [["mapping"], ["symbol", "", [0]]],
    "an odd mapping": [["mapping", 1]],
    "an unhashable key": [["list"], ["mapping", [0], 1]],
    "an activation that is none": [["activation", "system"]],
    "a box of texts": [["Box", "x", "y", "z"]],
    "a box of too few parts": [["Box", "x"]],
    "a field of the wrong type": [["tuple", "x"], ["tuple", 1.0], ["Ball", [0], [1], [1], ""]],
    "no solution": [["tuple", 1, 2]],
    "an infinite number": [["float", "1e5"]],
    "a function with a handle that is none": [["handle", "os.system", "f"]],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_content_is_refused(name, tmp_path):
    path = tmp_path / "u.fens"
    path.write_bytes(forged(HOSTILE[name]))
    with pytest.raises(FileError, match=r"u\.fens: "):
        fens.load(path)


@pytest.mark.parametrize(
    "tree",
    [b"[" * 10**6, b"null",
     b"{}", b"[1]", b'{"fields": {}, "entries": 3, "value": 1}',
     b'{"fields": {}, "entries": [["tuple", NaN]], "value": [0]}', b'{"fields": 1, "entries": [], "value": 1}',
     b'{"fields": {"Box": ["a"]}, "entries": [], "value": 1}', b'{"fields": {"Box": []}, "entries": [], "value": 1}',
     b'{"fields": {}, "entries": [["tuple", ' + b"9" * 10**5 + b']], "value": [0]}', b"\xff\xfe", b""],
)  # fmt: skip
def test_other_trees_are_refused(tree):
    with pytest.raises(FileError):
        unpacked(sealed(tree + b"\n"), KINDS, "u.fens")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_changed_entries_with_a_good_checksum_raise_nothing_but_sentences(data):
    """A forged file may hold another solution, or none; it never raises from within a library."""
    tree, _, arrays = content().split(b"\n", 2)[2].partition(b"\n")
    document = json.loads(tree)
    entries = document["entries"]
    k = data.draw(st.integers(0, len(entries) - 1))
    i = data.draw(st.integers(0, len(entries[k]) - 1))
    entries[k][i] = data.draw(
        st.one_of(st.none(), st.booleans(), st.integers(-3, 10**6), st.floats(allow_nan=False, allow_infinity=False),
                  st.sampled_from(["", "x", "tuple", "node", "Add", "Box", "Solution"]),
                  st.lists(st.integers(-1, k + 1), max_size=2))
    )
    raw = sealed(json.dumps(document).encode() + b"\n" + arrays)
    with contextlib.suppress(FileError):
        unpacked(raw, KINDS, "u.fens")


def test_another_process_gets_the_same_bits_and_nothing_runs_where_it_loads(tmp_path):
    """Loading a file imports nothing more, unpickles nothing, connects to nothing and starts no processes."""
    before = solved("blocks of time")
    before.save(tmp_path / "u.fens")
    program = (
        "import sys, fens\n"
        "def hook(event, args):\n"
        "    if event in ('subprocess.Popen', 'os.system', 'pickle.find_class', 'marshal.loads', 'socket.connect'):\n"
        "        raise SystemExit(event)\n"
        "first = fens.load(sys.argv[1])\n"
        "again = fens.solve_again(first)\n"
        "sys.addaudithook(hook)\n"
        "print(fens.load(sys.argv[1])(0.3, 0.7).hex(), again(0.3, 0.7).hex())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(fens.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "u.fens")],
        check=True, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == [before(0.3, 0.7).hex()] * 2


def wavy(s):
    return np.sin(s)


class MyFunction(sp.Function):
    """A function of a user's own, with code for its values."""

    def fdiff(self, argindex=1):
        return sp.cos(self.args[0])

    @staticmethod
    def _imp_(value):
        return np.sin(value)


def code_in_it():
    problem = fens.Problem({line: sp.Eq(f.diff(x, 2), fens.wrap(wavy)(x)), line.boundary: sp.Eq(f, 0)})
    return fens.solve(problem, features=40, estimate=False)


def test_python_functions_are_left_behind(tmp_path):
    before = code_in_it()
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    assert after(0.3) == before(0.3)
    assert after.diff(x)(0.3) == before.diff(x)(0.3)
    assert repr(after.problem) == repr(before.problem)
    sentence = r"The problem contains wavy, written in Python, which a file cannot hold"
    for use in (lambda: after.residual(line), lambda: fens.solve_again(after), lambda: fens.solve(after.problem)):
        with pytest.raises(NotInFile, match=sentence):
            use()
    after.save(tmp_path / "again.fens")
    assert (tmp_path / "again.fens").read_bytes() == (tmp_path / "u.fens").read_bytes()


def test_other_code_is_left_behind(tmp_path):
    before = nonlinear(initial=lambda s: -s * (1 - s), estimate=False)
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    assert after(0.3) == before(0.3)
    assert same(after.residual(line), before.residual(line))
    with pytest.raises(NotInFile, match="contains <lambda>, written in Python"):
        fens.solve_again(after)

    class Everywhere:
        def sample(self, demand, seed):
            return fens.Clustered().sample(demand, seed)

    before = plane(square, points=Everywhere())
    before.save(tmp_path / "u.fens")
    with pytest.raises(NotInFile, match="contains Everywhere"):
        fens.solve_again(fens.load(tmp_path / "u.fens"))


def test_functions_of_ones_own_are_left_behind_in_equations_and_refused_in_shapes(tmp_path):
    problem = fens.Problem({line: sp.Eq(f.diff(x, 2), MyFunction(x) + 1), line.boundary: sp.Eq(f, 0)})
    before = fens.solve(problem, features=40, estimate=False)
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    assert after(0.3) == before(0.3)
    assert repr(after.problem) == repr(before.problem)
    with pytest.raises(NotInFile, match="contains MyFunction"):
        after.residual(line)
    star = plane(fens.Star({x: 0, y: 0}, radius=2 + MyFunction(theta), angle=theta))
    with pytest.raises(fens.FensError, match="contains MyFunction, which is not one of SymPy's functions"):
        star.save(tmp_path / "v.fens")


def test_computed_functions_in_a_problem_are_kept(tmp_path):
    first = solved("an interval, everything chosen")
    problem = fens.Problem({line: sp.Eq(f, 2 * fens.wrap(first.function, "before")(x))})
    before = fens.solve(problem, features=40, estimate=False)
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    assert same(after.residual(line), before.residual(line))
    assert same(fens.solve_again(after).weights, before.weights)


def test_functions_of_sympy_come_back(tmp_path):
    s = sp.Symbol("s", positive=True)
    interval = fens.Box({s: (1, 2)})
    g = sp.Function("g", real=True)(s)
    known = (
        sp.besselj(0, s) + sp.erf(s) + sp.gamma(s) + sp.Max(s, 1.5) + sp.Heaviside(s - 1.2) + sp.atan2(s, 2)
        + sp.Piecewise((s, (s < 1.3) | (s > 1.8)), (sp.cbrt(s), True)) + sp.Float("0.1", 30) + sp.E**s + sp.zeta(3)
        + sp.Rational(1, 3) * sp.log(s, 10) + sp.sqrt(2) * sp.pi * sp.GoldenRatio + 10**40 * sp.sign(s) / 10**40
    )  # fmt: skip
    before = fens.solve(fens.Problem({interval: sp.Eq(g, known)}), features=30, estimate=False)
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    assert after.problem.unknowns == (g,)
    one, other = (p.conditions[0].equation.statement for p in (after.problem, before.problem))
    assert sp.srepr(one) == sp.srepr(other)
    assert same(after.residual(interval), before.residual(interval))


def test_what_cannot_be_kept_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(fens.FensError, match="cannot be saved"):
        replace(small(), samples={small().problem.domain: object()}).save(tmp_path / "u.fens")
    assert list(tmp_path.iterdir()) == []


def test_provenance_tells_versions_and_no_names(tmp_path):
    import getpass
    import socket

    facts = small().provenance.facts
    assert facts["fens"] == fens.__version__
    assert facts["torch"] == torch.__version__.split("+")[0] or facts["torch"] == torch.__version__
    assert facts["time"].endswith("+00:00")
    assert small().provenance.same_machine(fens.solution.Solution.__dataclass_fields__["provenance"].default_factory())
    told = content()
    for secret in {socket.gethostname(), str(Path.home()), str(Path.cwd()), getpass.getuser()}:
        if len(secret) > 3:
            assert secret.encode() not in told


def test_sums_do_not_depend_on_how_many_dummies_there_were():
    """The bits of a formula are the same, whenever in a process it is compiled."""
    from fens.problem import Formula

    p, q, r = sp.symbols("p q r")
    formula = sp.sin(p) + q * sp.pi + r / 3 + p * q * r
    rng = np.random.default_rng(0)
    values = {s: rng.standard_normal(200) for s in (p, q, r)}
    found = []
    for _ in range(120):
        found.append(Formula(formula)(values, 200).tobytes())
        sp.Dummy()
    assert len(set(found)) == 1
    assert math.isfinite(np.frombuffer(found[0])[0])


MARK = "evil"
CODE = f"open('{MARK}','w').close"  # a name that, written into a program as it is, would leave a file behind


@pytest.mark.parametrize(
    "evil",
    [
        sp.Symbol(f"{CODE}()"),
        sp.Function(CODE)(x),
        fens.wrap(np.sin, CODE)(x),
        sp.Dummy(f"{CODE}()"),
        sp.Function("exit")(x),
    ],
    ids=["symbol", "function", "wrapped", "dummy", "builtin"],
)
def test_names_in_a_file_never_become_code(evil, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solution = solved("an implicit shape")
    domain = replace_field(solution.problem.domain, "relation", sp.Lt(x**2 + y**4 + evil, 1))
    equation = replace(solution.problem.conditions[0].equation, residual=evil)
    conditions = [replace(solution.problem.conditions[0], equation=equation), *solution.problem.conditions[1:]]
    component = replace(solution.problem.components[0], domain=domain)
    problem = fens.Problem.of_conditions((domain,), (component,), conditions)
    Path("u.fens").write_bytes(packed(replace(solution, problem=problem), KINDS))
    with pytest.raises(FileError):  # of which no formula is one of its coordinates, or has a value
        fens.load("u.fens")
    assert not Path(MARK).exists()
    monkeypatch.setattr(registry, "is_sound", lambda value: True)  # as if that had been overlooked
    loaded = unpacked(Path("u.fens").read_bytes(), KINDS, "u.fens")
    for use in (
        lambda: loaded(0.1, 0.2), lambda: loaded.residual(loaded.problem.conditions[0].region),
        lambda: loaded.problem.domain.boundary, lambda: loaded.report("u.html"), lambda: fens.solve_again(loaded),
        lambda: loaded.to_vtk("u.vtu", 5), lambda: loaded.integrate(u), lambda: loaded.problem.is_linear,
        lambda: repr(loaded), loaded._repr_html_, loaded._repr_latex_,
    ):  # fmt: skip
        with contextlib.suppress(Exception):
            use()
    assert not Path(MARK).exists()
    with pytest.raises(fens.FensError, match="has no"):
        loaded(0.1, 0.2)


def replace_field(thing, name, value):
    """A copy of a frozen object, unchecked."""
    made = object.__new__(type(thing))
    made.__dict__.update(thing.__getstate__())
    made.__dict__[name] = value
    return made


def test_names_in_features_never_become_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solution = solved("an annulus, features around its hole")
    (union,) = solution.features.members
    plain, around = union.members
    composed = replace(around.members[0], amplitude=sp.Symbol(f"{CODE}()"))
    around = replace(around, members=(composed, *around.members[1:]))
    space = replace(solution.features, members=(replace(union, members=(plain, around)),))
    content = packed(replace(solution, features=space), KINDS)
    with pytest.raises(FileError, match="parts of a Composed in the file do not belong together"):
        unpacked(content, KINDS, "u.fens")
    monkeypatch.setattr(registry, "is_sound", lambda value: True)
    loaded = unpacked(content, KINDS, "u.fens")
    with pytest.raises(fens.FensError, match="has no value"):
        loaded(0.6, 0.2)
    assert not Path(MARK).exists()


def test_shared_parts_do_not_explode():
    entries = [["mapping"], ["symbol", "x", [0]], ["node", "Add", [1], [1]]]
    entries += [["node", "Add", [k], [k]] for k in range(2, 100)]
    with pytest.raises(FileError, match="more than 100000 parts"):
        unpacked(forged(entries), KINDS, "u.fens")


def test_options_given_as_lists_and_arrays_are_kept(tmp_path):
    drawn = fens.Mixture([(0.5, fens.Oriented(np.eye(2))), (0.5, fens.Sparse([(0,), (1,)], [0.5, 0.5]))])
    before = plane(square, frequencies=drawn, points=fens.Clustered(rows=sp.Rational(5, 2)), scale=[2, 3])
    before.save(tmp_path / "u.fens")
    after = fens.load(tmp_path / "u.fens")
    assert same(fens.solve_again(after).weights, before.weights)


def test_fields_that_came_later_have_their_default(tmp_path):
    """A file written before a dataclass got a further field, with a default, can still be read."""
    tree, _, arrays = content().split(b"\n", 2)[2].partition(b"\n")
    document = json.loads(tree)
    names = document["fields"]["Settings"]
    place = names.index("blocks")
    del names[place]
    for entry in document["entries"]:
        if entry[0] == "Settings":
            del entry[1 + place]
    loaded = unpacked(sealed(json.dumps(document).encode() + b"\n" + arrays), KINDS, "u.fens")
    assert loaded.settings.blocks is None
    assert repr(loaded) == repr(small())


def altered(change):
    """A good file, its document altered by a function, and sealed again."""
    tree, _, arrays = content().split(b"\n", 2)[2].partition(b"\n")
    document = json.loads(tree)
    arrays = change(document) or arrays
    return sealed(json.dumps(document).encode() + b"\n" + arrays)


def of_kind(document, kind):
    return [e for e in document["entries"] if e[0] == kind]


def overlapping(document):
    arrays = of_kind(document, "array")
    arrays[1][3] = arrays[0][3]


def repeated(document):
    """A thousand arrays of the same bytes."""
    document["entries"] += [of_kind(document, "array")[0]] * 1000


def beyond(document):
    of_kind(document, "array")[-1][4] = 2**40


def left_over(document):
    return content().split(b"\n", 2)[2].partition(b"\n")[2] + bytes(8)


def as_integers(document):
    for e in of_kind(document, "array"):
        e[1] = "<i8"


def transposed(document):
    for e in of_kind(document, "array"):
        e[4:] = e[:3:-1]


def flat(document):
    for e in of_kind(document, "array"):
        e[4:] = [math.prod(e[4:])]


def named_at_length(document):
    of_kind(document, "symbol")[0][1] = "x" * 5000


def half_a_character(document):
    of_kind(document, "symbol")[0][1] = "\ud800"


def other_order(document):
    of_kind(document, "Jet")[0][1] = 3


def no_points(document):
    of_kind(document, "Solution")[0][4] = [document["entries"].index(["mapping"])]


def no_region(document):
    of_kind(document, "Condition")[0][1] = "inside"


def doubled(document):
    """One shape of two of one shape of two …"""
    entries = document["entries"]
    shape = next(k for k, e in enumerate(entries) if e[0] == "Ball")
    entries.append(["Combined", [shape], "+", [shape]])
    for _ in range(60):
        entries.append(["Combined", [len(entries) - 1], "+", [len(entries) - 1]])
    document["fields"]["Combined"] = list(KINDS["Combined"].fields)


def said_again(document):
    """One equation thousands of times."""
    conditions = of_kind(document, "Problem")[0][1 + KINDS["Problem"].fields.index("conditions")]
    of_it = document["entries"][conditions[0]]
    of_it[1:] = of_it[1:2] * 20_000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (overlapping, "not where it should be"),
        (repeated, "not where it should be"),
        (beyond, "not where it should be"),
        (left_over, "bytes that belong to none"),
        (as_integers, "do not belong together"),
        (transposed, "do not belong together"),
        (flat, "do not belong together"),
        (named_at_length, "more than 1000 characters"),
        (half_a_character, "too long, or has characters"),
        (other_order, "do not belong together"),
        (no_points, "do not belong to its problem"),
        (no_region, "do not belong together"),
        (said_again, "more than 2000 equations"),
        (doubled, "do not belong together|more than 10000000 parts"),
    ],
)
def test_forged_files_are_refused(tmp_path, change, words):
    (tmp_path / "u.fens").write_bytes(altered(change))
    with pytest.raises(FileError, match=words):
        fens.load(tmp_path / "u.fens")


def test_a_file_sealed_again_is_good(tmp_path):
    (tmp_path / "u.fens").write_bytes(altered(lambda document: None))
    assert fens.load(tmp_path / "u.fens")(0.1, 0.2) == small()(0.1, 0.2)


def places_taken(folder):
    """Names that no file can go to, by what they are."""
    (folder / "kept").write_text("kept")
    (folder / "link").symlink_to("kept")
    (folder / "loose").symlink_to("none")
    (folder / "device").symlink_to("/dev/null")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    return [folder / name for name in ("link", "loose", "device", "folder", "pipe")]


WRITERS = {
    ".fens": lambda s, p: s.save(p),
    ".csv": lambda s, p: s.to_csv(p, 3),
    ".vtu": lambda s, p: s.to_vtk(p, 3),
    ".html": lambda s, p: s.report(p),
    ".png": lambda s, p: s.plot(p),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_only_regular_files_are_written_over(tmp_path, ending):
    for place in places_taken(tmp_path):
        target = place.with_name(place.name + ending)
        place.rename(target)
        before = os.lstat(target)
        with pytest.raises(fens.FensError, match=r"cannot be written: it is a (link|folder|pipe)"):
            WRITERS[ending](small(), target)
        assert os.lstat(target)[:2] == before[:2]  # what it is, and which one
    assert (tmp_path / "kept").read_text() == "kept"
    assert not [p.name for p in tmp_path.iterdir() if p.name.startswith(".")]
    for path in ("", "a\0b", 3):
        with pytest.raises(fens.FensError):
            WRITERS[ending](small(), path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="makes a device")
def test_a_device_stays_one(tmp_path):
    try:
        os.mknod(tmp_path / "device.fens", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except OSError:
        pytest.skip("no devices can be made here")
    with pytest.raises(FileError, match="cannot be written: it is a device"):
        small().save(tmp_path / "device.fens")
    with pytest.raises(FileError, match="cannot be read: it is a device"):
        fens.load(tmp_path / "device.fens")
    assert stat.S_ISCHR(os.lstat(tmp_path / "device.fens").st_mode)


def test_what_has_no_end_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.fens")
    for path, words in ((tmp_path / "pipe.fens", "it is a pipe"), ("/dev/zero", "it is a device")):
        with pytest.raises(FileError, match=words):
            fens.load(path)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    old, new = (tmp_path / f".fens-{digit * 12}.csv" for digit in "ab")
    for left in (old, new, tmp_path / ".fens-other"):
        left.touch()
    os.utime(old, (0, 0))
    small().save(tmp_path / ("u" * 250 + ".fens"))  # as long as names may be
    assert not old.exists()
    assert new.exists()
    new.unlink()

    def fails(*args, **options):
        (tmp_path / "begun").touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fails)
    with pytest.raises(fens.FensError, match="no space left on device"):
        small().plot(tmp_path / "u.png")
    monkeypatch.setattr(Path, "write_text", fails)
    with pytest.raises(FileError, match="no space left on device"):
        small().to_vtk(tmp_path / "u.vtu", 3)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".fens-other", "begun", "u" * 250 + ".fens"]


def test_everything_on_a_page_is_escaped(tmp_path):
    tree, _, arrays = packed(solved("a square with an estimate"), KINDS).split(b"\n", 2)[2].partition(b"\n")
    document, evil = json.loads(tree), "<evil>'\"&"
    shown = 0
    for k, entry in enumerate(document["entries"]):
        for place, part in enumerate(entry):
            if place == 0 or not isinstance(part, str):
                continue
            forged = json.loads(json.dumps(document))
            forged["entries"][k][place] = evil
            (tmp_path / "u.fens").write_bytes(sealed(json.dumps(forged).encode() + b"\n" + arrays))
            with contextlib.suppress(FileError):
                solution = fens.load(tmp_path / "u.fens")
                shown += 1
                for page in (solution._repr_html_(), page_without_picture(solution)):
                    assert "<evil" not in page
                    assert "evil>" not in page
    assert shown > 20


def page_without_picture(solution):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "_picture", lambda solution: "")
        return report.page(solution, "a title", "u")


@pytest.mark.parametrize(
    ("once", "now"),
    [
        ({"is_integral": False}, None),
        ({"is_integral": True}, "integral"),
        ({"is_integral": False, "functional": "integral"}, None),
        ({"is_integral": True, "functional": "mean"}, "mean"),
    ],
)
def test_equations_that_said_whether_they_are_integrals_are_read(once, now):
    values = {"residual": sp.Symbol("r"), "jets": (), "text": "r", **once, "statement": None}
    assert KINDS["Equation"].written_with(list(values)).built(values).functional == now


def test_whether_an_equation_is_an_integral_is_a_matter_of_yes_or_no():
    values = {"residual": sp.Symbol("r"), "jets": (), "text": "r", "is_integral": 3, "statement": None}
    with pytest.raises(FileError, match="neither one of integrals nor without any"):
        KINDS["Equation"].written_with(list(values)).built(values)
