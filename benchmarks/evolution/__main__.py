"""The command line of the benchmark."""

import argparse

from . import fluids, ordinary, variants, waves  # noqa: F401 – put their cases in the table
from .cases import CASES
from .report import run, shown, write


def main() -> None:
    parser = argparse.ArgumentParser(description="Problems of evolution, against independent references.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CASES)}")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--variants", action="store_true", help="problems like these, and not the same, instead")
    parser.add_argument("--page", action="store_true", help="write docs/evolution.csv and docs/evolution.md")
    parser.add_argument("--make", action="store_true", help="make the kept references again, which takes minutes")
    parser.add_argument("--cost", action="store_true", help="what slabs cost after the first one, and nothing else")
    options = parser.parse_args()
    if options.cost:
        from .cost import report

        report()
        return
    if options.make:
        make(options.names)
        return
    if unknown := [n for n in options.names if n not in CASES]:
        parser.error(f"There is no problem {unknown[0]!r}; there are {', '.join(CASES)}.")
    outcomes = []
    for name in options.names or [n for n, case in CASES.items() if case.variant == options.variants]:
        for seed in range(options.seeds):
            outcomes.append(run(CASES[name], seed))
            print(shown(outcomes[-1]), flush=True)
    if options.page:
        write(outcomes)


def make(names: list[str]) -> None:
    """Computes references, says how far they can be relied on, and keeps them beside the code."""
    from .computed import MAKERS

    for name in names or MAKERS:
        for what, size in MAKERS[name]().items():
            print(f"{name}: {what}: {size:.2g}", flush=True)


if __name__ == "__main__":
    main()
