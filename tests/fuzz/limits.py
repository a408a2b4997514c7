"""One case under limits of time and memory."""

import contextlib
import resource
import signal
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

from fens.errors import FensError, Unconverged, UnreliableWarning

from . import fuzzer

SECONDS = 10
MEMORY = 10**9  # bytes above those that are taken before a case


class Hang(BaseException):
    """A case took too long. Not an Exception, so that nothing that catches those hides it."""


def failure(name: str, seed: int) -> str:
    """What is wrong with how a case ends; empty if it is refused in a sentence, or accepted."""
    module = fuzzer(name)
    case = module.make(seed)
    try:
        with _limited_memory(), _limited_time(), warnings.catch_warnings():
            for doubt in (UnreliableWarning, Unconverged):  # of solutions, which is as it should be
                warnings.simplefilter("ignore", doubt)
            module.run(case)
    except FensError as error:
        if not _starved(error):
            return ""
        return _told(name, seed, case, "more memory than there may be")
    except Hang:
        return _told(name, seed, case, f"it took more than {SECONDS} s:\n{traceback.format_exc(limit=-12)}")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return _told(name, seed, case, traceback.format_exc(limit=-6))
    return ""


def _told(name: str, seed: int, case: object, what: str) -> str:
    return f"{name}, seed {seed}: {what.rstrip()}\nthe case: {str(case)[:600]}"


def _starved(error: BaseException | None) -> bool:
    """Whether an error comes from memory that was not there."""
    while error is not None and not isinstance(error, MemoryError):
        error = error.__cause__ or error.__context__
    return error is not None


@contextlib.contextmanager
def _limited_memory() -> Iterator[None]:
    """No more than so much: what asks for more gets a MemoryError."""
    if not Path("/proc/self/statm").exists():
        yield
        return
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextlib.contextmanager
def _limited_time() -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
