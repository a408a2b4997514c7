"""Texts to SymPy expressions, by a parser of our own: a file is data, and no text in it ever runs as code.

    equation   = sum ["=" sum]
    comparison = sum [("<" | "<=" | ">" | ">=") sum]      for implicit shapes, and the first argument of where()
    sum        = product {("+" | "-") product}
    product    = signed {("*" | "/") signed}
    signed     = {"-" | "+"} power
    power      = atom [("**" | "^") signed]          -x**2 is -(x**2), 2**3**2 is 2**(3**2)
    atom       = number | name | name "(" comparison {"," comparison} ")" | "(" sum ")"

`^` and `**` are the same. Names are coordinates, parameters, unknowns, named expressions and the constants pi, e and I;
functions are those of `words`. Everything else is refused with its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NoReturn

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from ..errors import FileError
from .bounds import MOST_NODES, extent, why_no_number, why_no_power, why_too_large
from .builtins import CONSTANTS, WORDS, Names, call
from .tokens import Token, refuse, tokens

DEEPEST = 30  # brackets within brackets
COMPARISONS = {"<": sp.StrictLessThan, "<=": sp.LessThan, ">": sp.StrictGreaterThan, ">=": sp.GreaterThan}


def expression(text: str, names: Names) -> sp.Expr:
    """A text as an expression.

    >>> x = sp.Symbol("x")
    >>> expression("2*sin(x)^2 + pi", Names({"x": x}, (x,)))
    2*sin(x)**2 + pi
    """
    return _parsed(text, names, _plain)


def equation(text: str, names: Names) -> sp.Basic:
    """A text as an equation, or as an expression that must vanish."""
    return _parsed(text, names, _equation)


def inequality(text: str, names: Names) -> Relational:
    """A text as a comparison of two expressions."""
    return _parsed(text, names, _inequality)


def number(text: str, names: Names) -> float:
    """A text as a real number."""
    value = expression(text, names)
    if not value.is_number:
        strange = sorted({str(s) for s in value.free_symbols} | {str(f.func) for f in value.atoms(AppliedUndef)})
        raise FileError(f"{text!r} must be a number, and contains {', '.join(strange)}")
    found = complex(value.evalf(18))
    if found.imag != 0:
        raise FileError(f"{text!r} must be a real number; it is {found:.6g}")
    return found.real


def _parsed(text: str, names: Names, grammar: Callable[[Parser], Any]) -> Any:
    parser = Parser(text, tokens(text), names)
    try:
        result = grammar(parser)
    except RecursionError as error:
        raise FileError("the expression is nested too deeply") from error
    if parser.next.kind != "end":
        parser.refuse(parser.next, _unexpected(parser.next, parser.last))
    if reason := why_too_large(result):
        parser.refuse(parser.tokens[0], reason)
    names.work.add(extent(result)[0])
    return result


def _plain(parser: Parser) -> sp.Expr:
    value = parser.comparison()
    if isinstance(value, Relational):
        parser.refuse(parser.tokens[0], "there is a comparison where an expression is expected")
    return value


def _equation(parser: Parser) -> sp.Basic:
    left = _plain(parser)
    if parser.next.text != "=":
        return left
    parser.take()
    return sp.Eq(left, _plain(parser), evaluate=False)


def _inequality(parser: Parser) -> Relational:
    value = parser.comparison()
    if not isinstance(value, Relational):
        parser.refuse(parser.next, "a comparison is expected, as in x**2 + y**2 < 1")
    return value


@dataclass
class Parser:
    """Recursive descent over the tokens of a text. It moves through them; everything that it makes is immutable."""

    text: str
    tokens: list[Token]
    names: Names
    at: int = 0
    depth: int = 0
    parts: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    in_data: bool = False

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    @property
    def last(self) -> Token | None:
        return self.tokens[self.at - 1] if self.at else None

    def take(self) -> Token:
        """The next token, which is then done with."""
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, sign: str) -> None:
        """Take a sign that must come now."""
        if self.next.text != sign:
            ended = f"the expression ends, where {sign!r} is expected"
            self.refuse(self.next, ended if self.next.kind == "end" else _unexpected(self.next, self.last))
        self.take()

    def refuse(self, token: Token, reason: str) -> NoReturn:
        refuse(self.text, token.at, reason)

    def checked(self, value: sp.Expr, token: Token) -> sp.Expr:
        """The value, refused if it is a constant that is no finite number of reasonable length."""
        if value.is_number and (reason := why_no_number(value)):
            self.refuse(token, reason)
        return value

    def comparison(self) -> sp.Basic:
        left = self.sum()
        if self.next.text not in COMPARISONS:
            return left
        return COMPARISONS[self.take().text](left, self.sum(), evaluate=False)

    def sum(self) -> sp.Expr:
        first = self.next
        parts = [self.product()]
        while self.next.text in ("+", "-"):
            sign = self.take().text
            parts.append(self.product() if sign == "+" else -self.product())
        return parts[0] if len(parts) == 1 else self.checked(sp.Add(*parts), first)

    def product(self) -> sp.Expr:
        first = self.next
        parts = [self.signed()]
        while self.next.text in ("*", "/"):
            sign = self.take()
            factor = self.signed()
            if sign.text == "/" and factor.is_zero:
                self.refuse(sign, "this divides by zero")
            parts.append(factor if sign.text == "*" else 1 / factor)
        return parts[0] if len(parts) == 1 else self.checked(sp.Mul(*parts), first)

    def signed(self) -> sp.Expr:
        minus = False
        while self.next.text in ("+", "-"):
            minus ^= self.take().text == "-"
        return -self.power() if minus else self.power()

    def power(self) -> sp.Expr:
        base = self.atom()
        if self.next.text not in ("**", "^"):
            return base
        sign = self.take()
        exponent = self.nested(self.signed, sign)
        if reason := why_no_power(base, exponent):
            self.refuse(sign, reason)
        return self.checked(base**exponent, sign)

    def atom(self) -> sp.Expr:
        token = self.take()
        if token.kind == "number":
            return self.number(token)
        if token.kind == "name":
            return self.call(token) if self.next.text == "(" else self.named(token)
        if token.text != "(":
            reason = "the expression ends too early" if token.kind == "end" else _unexpected(token, None)
            self.refuse(token, reason)
        inner = self.nested(self.sum, token)
        self.expect(")")
        return inner

    def number(self, token: Token) -> sp.Expr:
        whole = token.text.isdigit()
        return self.checked(sp.Integer(int(token.text)) if whole else sp.Float(float(token.text)), token)

    def named(self, token: Token) -> sp.Expr:
        """What a name stands for. It counts with its size, so that names of names of names stay bearable."""
        meaning = self.names.meanings.get(token.text, CONSTANTS.get(token.text))
        if self.in_data:  # data(u) is the column u, even where u is also an unknown
            meaning = self.names.columns.get(token.text, meaning)
        if meaning is None:
            self.refuse(token, self.unknown_name(token.text))
        if token.text not in self.sizes:
            self.sizes[token.text] = extent(meaning)[0]
        self.parts += self.sizes[token.text]
        if self.parts > MOST_NODES:
            self.refuse(token, f"the expression has more than {MOST_NODES} parts when all names are replaced")
        return meaning

    def unknown_name(self, name: str) -> str:
        """What to say of a name that has no meaning."""
        if name in WORDS:
            return f"{name} is a function; write {name}(…)"
        columns = self.names.columns  # whose names are another file's, which no error quotes
        own = [n for n, meaning in self.names.meanings.items() if columns.get(n) is not meaning]
        near = get_close_matches(name, [*own, *CONSTANTS, *WORDS], 1)
        listed = ", ".join(own[:12] or CONSTANTS) + (", and the columns of the file of points" if columns else "")
        return f"the name {name} is not known; " + (f"did you mean {near[0]}?" if near else f"known are: {listed}")

    def call(self, token: Token) -> sp.Expr:
        meaning = self.names.meanings.get(token.text)
        if token.text not in WORDS and not isinstance(meaning, AppliedUndef):
            if meaning is not None or token.text in CONSTANTS:
                self.refuse(token, f"{token.text} is not a function; a product is written {token.text}*(…)")
            near = get_close_matches(token.text, WORDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(WORDS)}"
            self.refuse(token, f"there is no function {token.text}; {hint}")
        arguments = self.arguments(token)
        try:
            return self.checked(call(token.text, arguments, self.names), token)
        except FileError as error:
            if error.line:
                raise
            self.refuse(token, error.reason)

    def arguments(self, token: Token) -> list[Any]:
        """What stands in the brackets of a call."""
        self.take()
        outside, self.in_data = self.in_data, token.text == "data"
        found = [self.nested(self.comparison, token)]
        while self.next.text == ",":
            self.take()
            found.append(self.nested(self.comparison, token))
        self.expect(")")
        self.in_data = outside
        return found

    def nested(self, rule: Callable[[], Any], token: Token) -> Any:
        """A rule, one level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(token, f"brackets and powers are nested more than {DEEPEST} deep; name parts of the expression")
        value = rule()
        self.depth -= 1
        return value


def _unexpected(token: Token, last: Token | None) -> str:
    if token.text == "==":
        return "an equation is written with one ="
    if token.text == "=":
        return "there is an = where none is expected: an equation has one, outside of brackets"
    if last is not None and token.kind in ("number", "name") and last.kind in ("number", "name"):
        return f"between {last.text} and {token.text} a sign is missing; a product is written {last.text}*{token.text}"
    if last is not None and token.text == "(" and last.text == ")":
        return "between the brackets a sign is missing; a product is written with *"
    return "the expression ends" if token.kind == "end" else f"{token.text!r} is not expected here"
