"""What came of an iteration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._support.progress import time_left
from .._support.steering import Nonlinear
from .newton import State

ELSEWHERE = "Try another initial function, fens.continuation from an easier problem, or more features."


def status_of(states: Sequence[State], max_iterations: int) -> tuple[str, str]:
    """The status, and what to do about it.

    "converged" if the equations hold, "settled" if they hold only as well as the features allow, and else "failed".
    """
    last = states[-1]
    if not np.isfinite(last.residual):
        return "failed", f"the residual became infinite or undefined. {ELSEWHERE}"
    if len(states) == 1:
        return "failed", f"no step could be computed from the initial function. {ELSEWHERE}"
    if last.settled and last.relative <= Nonlinear.HOLDS:
        return "converged", ""
    if last.settled and last.relative <= Nonlinear.NO_SOLUTION:
        return "settled", (
            f"an equation holds only to {last.relative:.1%} of its terms. More features may represent the solution "
            "better; or it is another one than this iteration went to, and another initial function will find it."
        )
    if last.settled:
        return "failed", (
            f"the iteration ended where the equations do not hold: the residual of one is {last.relative:.0%} of its "
            f"terms. Either there is no solution nearby, or the features cannot represent it. {ELSEWHERE}"
        )
    if not time_left():
        return "failed", f"the time was up when the step was still {last.step:.1e} of the solution; raise max_seconds."
    if last.damping == 0 or last.iteration < max_iterations:
        return "failed", f"no step makes the residual fall below {last.residual:.2e}. {ELSEWHERE}"
    return "failed", (
        f"after {max_iterations} iterations the step is still {last.step:.1e} of the solution. Try a larger "
        "max_iterations, another initial function, or fens.continuation from an easier problem."
    )


def best(states: Sequence[State]) -> State:
    """The state to keep: the last, unless it is worse than the one before; if it failed, that of smallest residual."""
    candidates = states[-2:] if states[-1].settled else states
    return min(reversed(candidates), key=lambda s: s.residual)
