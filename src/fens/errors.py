"""The errors a user can meet. Each is also the builtin it resembles, so `except ValueError` keeps working."""


class FensError(Exception):
    """Anything fens refuses, in a sentence that names the thing, the constraint, what was given and what to do."""


class EquationError(FensError, ValueError):
    """An equation, or the set of them, is malformed."""


class UnsupportedEquation(FensError, NotImplementedError):
    """An equation is well formed, but of a kind fens cannot solve yet."""


class RegionError(FensError, ValueError):
    """A domain or a region of it cannot be what was asked for."""


class SettingError(FensError, ValueError):
    """An option of `solve`, or an argument of a solution, is out of its range."""


class EvaluationError(FensError, ValueError):
    """A coefficient, a source or a callable gave something other than finite real numbers."""


class NotConverged(FensError, RuntimeError):
    """A nonlinear iteration did not reach a solution. `states` holds what it did, the last one included."""

    def __init__(self, message: str, states: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.states = states


class ToleranceNotMet(FensError, RuntimeError):
    """The error estimate stayed above the tolerance. `solution` is the best that was found."""

    def __init__(self, message: str, solution: object) -> None:
        super().__init__(message)
        self.solution = solution


class MissingPackage(FensError, ImportError):
    """An optional package that something needs is not installed."""
