"""Equations as mathematics: LaTeX for notebooks, MathML for pages that need nothing else."""

from __future__ import annotations

from html import escape, unescape
from itertools import groupby
from typing import TYPE_CHECKING, Any
from xml.dom.minidom import Element

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.precedence import PRECEDENCE

from .equation import Equation, differentiated
from .operators import Held

if TYPE_CHECKING:
    from .problem import Problem

DIGITS = 12  # of numbers in floating point: 0.3, not 0.299999999999999989


class _Latex(LatexPrinter):  # type: ignore[misc]
    """Unknowns without their arguments, and our own words."""

    def _print_Function(self, expr: sp.Function, exp: Any = None) -> str:
        if not isinstance(expr, AppliedUndef):
            return str(super()._print_Function(expr, exp))
        name = self._print(sp.Symbol(type(expr).__name__))
        return f"{name}^{{{exp}}}" if exp else str(name)

    def _print_Derivative(self, expr: sp.Derivative) -> str:
        if not isinstance(expr.expr, AppliedUndef):
            return str(super()._print_Derivative(expr))
        d = r"\partial" if len(expr.expr.args) > 1 else "d"
        order = sum(n for _, n in expr.variable_count)
        below = r"\,".join(f"{d} {self._print(x)}{_power(n)}" for x, n in expr.variable_count)
        return rf"\frac{{{d}{_power(order)} {self._print(expr.expr)}}}{{{below}}}"

    def _print_Jump(self, expr: sp.Function) -> str:
        return rf"\left[\!\left[ {self._print(expr.args[0])} \right]\!\right]"

    def _print_Total(self, expr: sp.Function) -> str:
        return rf"\int {self.parenthesize(expr.args[0], PRECEDENCE['Mul'])}"

    def _print_Data(self, expr: sp.Dummy) -> str:
        return r"\text{data}"


class _MathML(MathMLPresentationPrinter):  # type: ignore[misc]
    """The same for MathML."""

    def _print_Function(self, expr: sp.Function) -> Element:
        if isinstance(expr, AppliedUndef):
            return self._print(sp.Symbol(type(expr).__name__))  # type: ignore[no-any-return]
        return super()._print_Function(expr)  # type: ignore[no-any-return]

    def _print_Derivative(self, expr: sp.Derivative) -> Element:
        if not isinstance(expr.expr, AppliedUndef):
            return super()._print_Derivative(expr)  # type: ignore[no-any-return]
        order = sum(n for _, n in expr.variable_count)
        above = self._row(self._raised(self._d(expr), order), self._print(expr.expr))
        below = [p for x, n in expr.variable_count for p in (self._d(expr), self._raised(self._print(x), n))]
        return self._nested("mfrac", above, self._row(*below))

    def _d(self, expr: sp.Derivative) -> Element:
        sign = self._word("mi", "∂" if len(expr.expr.args) > 1 else "d")
        sign.setAttribute("mathvariant", "normal")
        return sign

    def _print_Piecewise(self, expr: sp.Piecewise) -> Element:
        rows = []
        for value, condition in expr.args:
            when = [self._word("mtext", "otherwise")]
            if condition != sp.true:
                when = [self._word("mtext", "for\N{NO-BREAK SPACE}"), self._print(condition)]
            rows.append(self._nested("mtr", self._cell(self._print(value)), self._cell(*when)))
        cases = self._nested("mtable", *rows)
        # a line, since a brace that grows needs a font that not every machine has
        cases.setAttribute("style", "border-left: 0.07em solid; padding-left: 0.3em; margin-left: 0.3em")
        return cases

    def _cell(self, *parts: Element) -> Element:
        cell = self._nested("mtd", *parts)
        cell.setAttribute("style", "text-align: left; padding-right: 0.8em")
        return cell

    def parenthesize(self, item: sp.Basic, level: int, strict: bool = False) -> Element:
        if level <= PRECEDENCE["Mul"] and isinstance(item, sp.Derivative) and isinstance(item.expr, AppliedUndef):
            return self._print(item)  # type: ignore[no-any-return]  # a fraction as a factor needs no brackets
        return super().parenthesize(item, level, strict)  # type: ignore[no-any-return]

    def _print_BesselBase(self, expr: sp.Function) -> Element:
        order, argument = expr.args
        letter = self._nested("msub", self._word("mi", type(expr).__name__[-1].upper()), self._print(order))
        return self._row(letter, self._word("mo", "("), self._print(argument), self._word("mo", ")"))

    def _print_Jump(self, expr: sp.Function) -> Element:
        return self._row(self._word("mo", "⟦"), self._print(expr.args[0]), self._word("mo", "⟧"))

    def _print_Total(self, expr: sp.Function) -> Element:
        inside = self._print(expr.args[0])
        if isinstance(expr.args[0], sp.Add):
            inside = self._row(self._word("mo", "("), inside, self._word("mo", ")"))
        return self._row(self._word("mo", "∫"), inside)

    def _print_HeldLaplacian(self, expr: Held) -> Element:
        return self._operator(expr, "Δ")

    def _print_HeldGradient(self, expr: Held) -> Element:
        return self._operator(expr, "∇")

    def _print_HeldDivergence(self, expr: Held) -> Element:
        return self._operator(expr, "∇", "·")

    def _print_HeldStrong(self, expr: Held) -> Element:
        return self._bracketed(expr.args[0])

    def _operator(self, expr: Held, sign: str, *more: str) -> Element:
        """Δu, ∇u or ∇·(a∇u), with the coordinates below if some were named."""
        first = self._word("mo", sign)
        if expr.coordinates:
            names = [p for x in expr.coordinates for p in (self._word("mo", ","), self._print(x))][1:]
            first = self._nested("msub", first, self._row(*names))
        return self._row(first, *(self._word("mo", m) for m in more), self._bracketed(expr.args[0]))

    def _bracketed(self, item: sp.Basic) -> Element:
        """An expression in brackets, if it is a sum, a product or several components."""
        if isinstance(item, sp.Tuple):
            parts = [p for a in item for p in (self._word("mo", ","), self._print(a))][1:]
        elif isinstance(item, sp.Add | sp.Mul):
            parts = [self._print(item)]
        else:
            return self._print(item)  # type: ignore[no-any-return]
        return self._row(self._word("mo", "("), *parts, self._word("mo", ")"))

    def _print_Data(self, expr: sp.Dummy) -> Element:
        return self._word("mtext", "data")

    def _print_Wrapped(self, expr: sp.Expr) -> Element:
        arguments = [p for a in expr.args[1:] for p in (self._word("mo", ","), self._print(a))][1:]
        label, brackets = str(expr.args[0].label), (self._word("mo", "("), self._word("mo", ")"))
        return self._row(self._word("mi", label), brackets[0], *arguments, brackets[1])

    def _raised(self, base: Element, order: Any) -> Element:
        return base if order == 1 else self._nested("msup", base, self._word("mn", str(order)))

    def _row(self, *parts: Element) -> Element:
        return self._nested("mrow", *parts)

    def _nested(self, name: str, *parts: Element) -> Element:
        element: Element = self.dom.createElement(name)
        for part in parts:
            element.appendChild(part)
        return element

    def _word(self, name: str, text: str) -> Element:
        return self._nested(name, self.dom.createTextNode(text))


def latex(expression: sp.Basic) -> str:
    """LaTeX, without dollar signs."""
    return str(_Latex({"full_prec": False}).doprint(_rounded(expression)))


def mathml(expression: sp.Basic) -> str:
    """A formula of its own, as MathML."""
    content = _escaped(_MathML({})._print(_rounded(expression))).toxml()
    return f'<math display="block" xmlns="http://www.w3.org/1998/Math/MathML">{content}</math>'


def _escaped(element: Any) -> Any:
    """With names as texts: SymPy's printer writes them as they are, so that a name could be any element."""
    for child in element.childNodes:
        if child.nodeType == child.TEXT_NODE:
            text = unescape(child.data)
            child.data = escape("−" if (element.tagName, text) == ("mo", "-") else text)
        else:
            _escaped(child)
    return element


def statements(problem: Problem) -> list[tuple[str, list[sp.Basic]]]:
    """The equations as they were written, by the names of their regions."""
    found = []
    for region, conditions in groupby(problem.conditions, key=lambda c: c.region):
        written = [_written(c.equation, problem) for c in conditions]
        found.append((str(region.name), list(dict.fromkeys(written))))  # a complex equation is two conditions
    return found


def latex_of(problem: Problem) -> str:
    """All the equations of a problem, in lines."""
    lines = [rf"{latex(e)} && \text{{on {_plain(name)}}}" for name, equations in statements(problem) for e in equations]
    return r"\begin{aligned}" + r" \\ ".join("& " + line for line in lines) + r"\end{aligned}"


def html_of(problem: Problem) -> str:
    """All the equations of a problem, by region."""
    parts = []
    for name, equations in statements(problem):
        parts.append(f"<dt>on {escape(name)}</dt>" + "".join(f"<dd>{mathml(e)}</dd>" for e in equations))
    return f"<dl>{''.join(parts)}</dl>"


def sought(problem: Problem) -> str:
    """What is sought, and where, in words."""
    names = ", ".join(map(str, problem.unknowns))
    return f"{names} on {' and '.join(d.name for d in problem.domains)}"


def _written(equation: Equation, problem: Problem) -> sp.Basic:
    statement = equation.statement
    if statement is None:  # one of our own making
        jets = {
            s: differentiated(problem.components[j.unknown].unknown, problem.coordinates, j.orders)
            for j, s in equation.jets
        }
        statement = equation.residual.xreplace(jets)
    return statement if isinstance(statement, sp.Eq) else sp.Eq(statement, 0, evaluate=False)


def _rounded(expression: sp.Basic) -> sp.Basic:
    """With numbers as short as they can be read, and nothing evaluated."""
    if isinstance(expression, sp.Float):
        short = sp.Float(expression, DIGITS)
        return sp.Integer(int(short)) if short == int(short) and abs(short) < 10**6 else short
    if not expression.args or not expression.has(sp.Float):
        return expression
    arguments = [_rounded(a) for a in expression.args]
    return expression.func(*arguments, evaluate=False) if isinstance(expression, sp.Eq) else expression.func(*arguments)


def _power(order: Any) -> str:
    return "" if order == 1 else f"^{{{order}}}"


def _plain(name: str) -> str:
    for sign in "\\{}$&#^_%~":
        name = name.replace(sign, "\\" + sign if sign in "{}$&#_%" else " ")
    return name
