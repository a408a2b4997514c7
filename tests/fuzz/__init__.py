"""Input that no user should give, made from seeds: each is refused in a sentence, or it is good.

A fuzzer is a module here with `make(seed)`, which gives a case, and `run(case)`, which does with it what a user would.
`limits` runs one of them and says what went wrong; `run` runs many, `make fuzz`.
"""

from importlib import import_module
from types import ModuleType

FUZZERS = {
    "calls": "fuzz.calls",  # of the public interface, with bad values
    "problems": "fuzz.problems",  # problem files, mutated
    "saved": "fuzz.saved",  # saved solutions, forged, with the checksum made anew
}


def fuzzer(name: str) -> ModuleType:
    """The module of a fuzzer, imported when it is asked for."""
    return import_module(FUZZERS[name])
