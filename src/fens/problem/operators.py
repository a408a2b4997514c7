"""Divergence, gradient and Laplacian, held as they were written until a problem is read.

SymPy takes derivatives at once, and drops the jumps of what it differentiates: of (a u′)′ with a step a it leaves a u″.
These stand unevaluated, so that the flux can be looked at first; and which coordinates are space is known only once
there is a domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pretty.stringpict import prettyForm

from ..errors import EquationError, quoted
from .symbols import checked_expression


class Held(sp.Expr):  # type: ignore[misc]
    """An operator of an expression, and the coordinates that it goes over; none of them are all those of space."""

    is_commutative = True
    word = ""  # as it is written
    precedence = (PRECEDENCE["Mul"] + PRECEDENCE["Pow"]) // 2  # 2Δu, but (Δu)²
    signs = "", ""  # in LaTeX, before and after what names the coordinates

    def __new__(cls, *arguments: sp.Basic) -> Held:
        held, coordinates = arguments[:1], arguments[1:]
        if not held or not all(isinstance(x, sp.Symbol) for x in coordinates):
            raise EquationError(f"{cls.word}() takes an expression and then coordinates; got {quoted(arguments)}.")
        return sp.Expr.__new__(cls, *arguments)  # type: ignore[no-any-return]

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The coordinates that were named."""
        return tuple(self.args[1:])

    def _eval_derivative(self, symbol: sp.Symbol) -> sp.Expr:
        return sp.Derivative(self, symbol, evaluate=False)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.word}({', '.join(map(printer._print, self.args))})"

    def _pretty(self, printer: Any) -> prettyForm:
        return prettyForm(str(self))

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        below = f"_{{{', '.join(map(printer._print, self.coordinates))}}}" if self.coordinates else ""
        before, after = self.signs
        whole = f"{before}{below}{after} {printer.parenthesize(self.args[0], PRECEDENCE['Pow'])}".strip()
        return rf"\left({whole}\right)^{{{exp}}}" if exp else whole

    _sympyrepr = _sympystr


class HeldLaplacian(Held):
    """The sum of the second derivatives of an expression; what `laplacian(u)` gives."""

    word, signs = "laplacian", (r"\Delta", "")


class HeldGradient(Held):
    """The first derivatives of an expression, a vector; what `grad(u)` gives."""

    word, signs = "grad", (r"\nabla", "")


class HeldDivergence(Held):
    """The sum of the derivatives of components, each by its own coordinate; what `div(flux)` gives.

    The flux is an expression with gradients in it, a tuple of components, or one of rows of a matrix of these.
    """

    word, signs = "div", (r"\nabla", r" \cdot")


class HeldStrong(Held):
    """An expression that is meant as it stands, though a coefficient in it jumps; what `strong(a*u″)` gives."""

    word = "strong"


def laplacian(expression: Any, *coordinates: sp.Symbol) -> HeldLaplacian:
    """Δu, the sum of the second derivatives in space.

    Without coordinates it goes over all those of the domain, on which its equation stands, but for time, which is the
    coordinate of `shape.during(t, …)`; `laplacian(u, x)` goes over those that are named. It stays as it is written
    until a problem is made of it, and so do `grad` and `div`.

    >>> x, y = sp.symbols("x y")
    >>> sp.Eq(laplacian(sp.Function("u")(x, y)), 1)
    Eq(laplacian(u(x, y)), 1)
    """
    return HeldLaplacian(_expression(expression, "laplacian"), *_named(coordinates, "laplacian"))


def grad(expression: Any, *coordinates: sp.Symbol) -> HeldGradient:
    """∇u, the vector of the first derivatives in space, to stand in `div`: `div(a*grad(u))`.

    It may be multiplied by numbers, expressions and square matrices, and added to other gradients.
    """
    return HeldGradient(_expression(expression, "grad"), *_named(coordinates, "grad"))


def div(flux: Any, *coordinates: sp.Symbol) -> HeldDivergence:
    """∇·F, where F is `a*grad(u)`, `matrix*grad(u)` or a tuple with one component for each coordinate of space.

    In `div(a*grad(u))` the flux a ∇u is what is continuous, also where the coefficient a is not. Smooth coefficients,
    those of the unknown among them, are simply differentiated.
    """
    return HeldDivergence(_flux(flux), *_named(coordinates, "div"))


def strong(expression: Any) -> HeldStrong:
    """An expression whose coefficients may jump in front of the highest derivative: `strong(a*u.diff(x, 2))`.

    It says that a u″ is meant as it stands, with u and u′ continuous, and not (a u′)′, which is `div(a*grad(u))`.
    """
    return HeldStrong(_expression(expression, "strong"))


def unfolded(expression: sp.Expr, space: Sequence[sp.Symbol]) -> sp.Expr:
    """The expression with SymPy's derivatives, not taken yet, in the places of ours."""
    if not expression.has(Held):
        return expression
    if isinstance(expression, HeldStrong):
        return unfolded(expression.args[0], space)
    if isinstance(expression, HeldLaplacian):
        inside = unfolded(expression.args[0], space)
        return sp.Add(*(sp.Derivative(inside, (x, 2)) for x in expression.coordinates or space))
    if isinstance(expression, HeldDivergence):
        axes = _axes(expression, space)
        return sp.Add(*(sp.Derivative(_component(expression.args[0], k, axes, space), x) for k, x in enumerate(axes)))
    if isinstance(expression, HeldGradient):
        raise EquationError(
            f"{expression} is a vector, and stands where a number is expected; put it into fens.div(…), or take a "
            "derivative such as u.diff(x)."
        )
    return expression.func(*(unfolded(a, space) for a in expression.args))


def without_strong(expression: sp.Expr) -> sp.Expr:
    """The expression without what is meant as it stands."""
    return expression.xreplace(dict.fromkeys(expression.atoms(HeldStrong), sp.S.Zero))


def _axes(divergence: HeldDivergence, space: Sequence[sp.Symbol]) -> tuple[sp.Symbol, ...]:
    """The coordinates of a divergence: those named by it, or else by the gradients in it, or else those of space."""
    named = {g.coordinates for g in _gradients(divergence.args[0]) if g.coordinates}
    axes: tuple[sp.Symbol, ...] = divergence.coordinates or (tuple(space) if not named else next(iter(named)))
    if strange := [names for names in named if names != axes]:
        raise EquationError(
            f"{divergence} goes over the coordinates {_listed(axes)}, and a gradient in it over "
            f"{_listed(strange[0])}; name the same ones in both."
        )
    return axes


def _gradients(flux: sp.Basic) -> list[HeldGradient]:
    """The gradients in a flux that are not inside another operator."""
    found, walk = [], sp.preorder_traversal(flux)
    for node in walk:
        if isinstance(node, Held):
            walk.skip()
            found += [node] if isinstance(node, HeldGradient) else []
    return found


def _component(flux: sp.Basic, k: int, axes: Sequence[sp.Symbol], space: Sequence[sp.Symbol]) -> sp.Expr:
    """The component of a flux along an axis, by its number."""
    if isinstance(flux, sp.Tuple):
        if len(flux) != len(axes):
            raise EquationError(
                f"div({flux}) takes as many components as there are coordinates of space, {_listed(axes)}, which are "
                f"{len(axes)}; got {len(flux)}. Name others after the flux, as in fens.div(flux, x, y)."
            )
        row = flux[k]
        if not isinstance(row, sp.Tuple):
            return unfolded(row, space)
        # a matrix times a vector is, to SymPy, the vector in each of its entries
        return sp.Add(*(_component(entry, j, axes, space) for j, entry in enumerate(row)))
    if isinstance(flux, HeldGradient):
        return sp.Derivative(unfolded(flux.args[0], space), axes[k])
    if isinstance(flux, sp.Add):
        return sp.Add(*(_component(term, k, axes, space) for term in flux.args))
    if isinstance(flux, sp.Mul):
        factors = [_component(f, k, axes, space) if _gradients(f) else unfolded(f, space) for f in flux.args]
        return sp.Mul(*factors)
    if isinstance(flux, sp.Derivative):
        return sp.Derivative(_component(flux.expr, k, axes, space), *flux.variable_count)
    return unfolded(flux, space)  # zero


def _flux(given: Any) -> sp.Basic:
    """What stands in a divergence: checked to be a vector, and one only in each product."""
    if isinstance(given, sp.MatrixBase):
        is_tensor = given.rows == given.cols and (given.rows > 1 or bool(_gradients(given[0])))
        given = given.tolist() if is_tensor else list(given)
    if not isinstance(given, tuple | list | sp.Tuple):
        flux = _expression(given, "div")
        return flux if _is_vector(flux, flux) else sp.Tuple(flux)
    if not given:
        raise EquationError("div() takes a vector with at least one component; got none.")
    rows = [isinstance(row, tuple | list | sp.Tuple) for row in given]
    if not any(rows):
        components = [_expression(c, "div") for c in given]
        for c in components:
            if _is_vector(c, c):
                raise EquationError(f"The component {c} in div() is a vector itself; a component is a number.")
        return sp.Tuple(*components)
    if not all(rows) or any(len(row) != len(given) for row in given):
        raise EquationError("div() takes a matrix times a gradient where the matrix is square.")
    entries = [[_expression(e, "div") for e in row] for row in given]
    if not all(e == 0 or _is_vector(e, e) for row in entries for e in row):
        raise EquationError("div() of a matrix takes a matrix times a gradient, matrix*fens.grad(u).")
    return sp.Tuple(*(sp.Tuple(*row) for row in entries))


def _is_vector(part: sp.Expr, flux: sp.Expr) -> bool:
    """Whether a part of a flux is a vector; refused if vectors are added to numbers, or multiplied by one another."""
    if isinstance(part, HeldGradient):
        return True
    if not _gradients(part):
        return False
    inner = [_is_vector(a, flux) for a in part.args if isinstance(a, sp.Expr)]
    if isinstance(part, sp.Add) and all(inner):
        return True
    if (isinstance(part, sp.Mul) and sum(inner) == 1) or (isinstance(part, sp.Derivative) and inner[0]):
        return True
    raise EquationError(
        f"div({flux}) takes a sum of gradients, each times a number or an expression; {part} is not one. Write other "
        "vectors as a tuple of their components, fens.div((a*u.diff(x) + b*u, a*u.diff(y)))."
    )


def _expression(given: Any, word: str) -> sp.Expr:
    return checked_expression(given, f"{word}() takes")


def _named(coordinates: Sequence[Any], word: str) -> Sequence[sp.Symbol]:
    for x in coordinates:
        if not isinstance(x, sp.Symbol):
            raise EquationError(f"{word}() takes coordinates, SymPy symbols, after what it is of; got {quoted(x)}.")
    if len(set(coordinates)) < len(coordinates):
        raise EquationError(f"{word}() takes each coordinate once; got {_listed(coordinates)}.")
    return coordinates


def _listed(symbols: Sequence[sp.Symbol]) -> str:
    return ", ".join(map(str, symbols))
