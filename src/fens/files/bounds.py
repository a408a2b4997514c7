"""How large expressions may become: on some short ones SymPy would work for ever, 9**9**9 or a sum to the power 500."""

from __future__ import annotations

import math
from dataclasses import dataclass

import sympy as sp

from ..errors import FileError

MOST_NODES = 5000  # of an expression as a tree
MOST_INSIDE = 500  # nodes of the argument of a function or of an exponent, about which SymPy asks many questions
DEEPEST = 60  # levels of it
MOST_TERMS = 20_000  # if all products were multiplied out, as they are to see whether an equation is linear
MOST_WORK = 50_000  # nodes of all expressions of a file
LARGEST = 1e300
MOST_BITS = 1100  # of a whole number, or of the parts of a fraction


@dataclass(eq=False)
class Work:
    """The nodes of all expressions of a file, derivatives on the way included; it grows as the file is read."""

    nodes: int = 0

    def add(self, nodes: int) -> None:
        """Refuse to go on where there are too many: each may be bearable, and all of them not."""
        self.nodes += nodes
        if self.nodes > MOST_WORK:
            raise FileError(f"the expressions of the file have more than {MOST_WORK} parts, with those of derivatives")


def extent(expression: sp.Basic) -> tuple[int, int]:
    """The number of nodes and of levels of an expression as a tree; parts that are shared count each time."""
    known: dict[sp.Basic, tuple[int, int]] = {}
    for node in sp.postorder_traversal(expression) if not expression.is_Atom else [expression]:
        if node not in known:
            inner = [known[a] for a in node.args]
            known[node] = 1 + sum(n for n, _ in inner), 1 + max((d for _, d in inner), default=0)
    return known[expression]


def terms(expression: sp.Basic) -> int:
    """About how many terms there would be if everything were multiplied out, up to a bound that parts pass on."""
    inner = [terms(a) for a in expression.args]
    if isinstance(expression, sp.Add):
        return min(sum(inner), MOST_TERMS + 1)
    if isinstance(expression, sp.Mul):
        return min(math.prod(inner), MOST_TERMS + 1)
    if isinstance(expression, sp.Pow) and expression.exp.is_Integer:
        n, t = abs(int(expression.exp)), inner[0]
        return min(math.comb(n + t - 1, t - 1), MOST_TERMS + 1) if n * t < 10**6 else MOST_TERMS + 1
    return MOST_TERMS + 1 if max(inner, default=1) > MOST_TERMS else 1


def why_too_large(expression: sp.Basic) -> str:
    """What is too large about an expression; empty if nothing is."""
    nodes, levels = extent(expression)
    if nodes > MOST_NODES:
        return f"the expression has {nodes} parts when all names are replaced, and {MOST_NODES} are the most"
    if levels > DEEPEST:
        return f"the expression is {levels} levels deep when all names are replaced, and {DEEPEST} are the most"
    if terms(expression) > MOST_TERMS:
        return f"multiplied out, it has more than {MOST_TERMS} terms; a power or product of sums is too high"
    if any(not _bounded(q) for q in expression.atoms(sp.Rational)):
        return f"the expression contains a number with more than {MOST_BITS} bits"
    if expression.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return "the expression is infinite or undefined: something is divided by zero, or is the logarithm of it"
    return ""


def brief(expression: sp.Basic) -> str:
    """An expression in a message; printing a large one takes long."""
    return str(expression)[:60] if extent(expression)[0] <= 50 else "a long expression"


def why_no_number(constant: sp.Expr) -> str:
    """What is wrong with a constant; empty if it is a finite number of reasonable size."""
    if isinstance(constant, sp.Rational):
        return "" if _bounded(constant) else f"this number has more than {MOST_BITS} bits"
    try:
        size = abs(complex(constant.evalf(15)))
    except Exception:  # mpmath refuses in many ways, as a series does that does not converge
        return "this is not a finite number"
    return "" if size <= LARGEST else f"this number is larger than {LARGEST:g}, or infinite"


def why_no_power(base: sp.Expr, exponent: sp.Expr) -> str:
    """What is wrong with a power; empty if nothing is. Both must have passed the tests here."""
    if not exponent.is_number:
        nodes = extent(exponent)[0]
        return f"the exponent has {nodes} parts, and {MOST_INSIDE} are the most" if nodes > MOST_INSIDE else ""
    size = abs(complex(exponent.evalf(15)))
    if size > 1000:
        return f"the exponent {brief(exponent)} is beyond ±1000"
    if isinstance(base, sp.Rational) and math.log2(max(abs(base.p), base.q, 1)) * size > MOST_BITS:
        return f"{base}**{brief(exponent)} is too large a number"
    return ""


def _bounded(number: sp.Rational) -> bool:
    return bool(abs(number.p).bit_length() <= MOST_BITS and number.q.bit_length() <= MOST_BITS)
