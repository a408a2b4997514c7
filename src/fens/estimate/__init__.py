"""How wrong a solution is, and how far that number can be trusted; without knowing the exact one.

The problem is solved once more, with independent features and points (`second`). Two such solutions err independently
of each other where both are resolved, so that their difference is of the size of the error. What they may have in
common is looked for in other ways: equations that do not determine a solution, by a test of the same matrix (`second`)
and by their type (`kind`); what both err in alike near corners, ends and zeros of coefficients, by residuals there
(`closer`, `local`); what no point of either saw, by a look at the known functions (`scan`); and equations that
contradict each other, by what becomes of residuals as weights and features change (`conflict`).
"""

from .estimate import estimate_error

__all__ = ["estimate_error"]
