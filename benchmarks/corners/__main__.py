"""The command line of the benchmark."""

import argparse

from . import scalar, spectra, systems, variants  # noqa: F401 – put their cases in the table
from .cases import CASES
from .report import PICTURES, run, shown, write


def main() -> None:
    parser = argparse.ArgumentParser(description="Problems with corners, against independent references.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CASES)}")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--variants", action="store_true", help="problems like these, and not the same, instead")
    parser.add_argument("--page", action="store_true", help="write docs/corners.md, docs/corners.csv and pictures")
    parser.add_argument("--make", action="store_true", help="make the kept references again, which takes minutes")
    options = parser.parse_args()
    if options.make:
        make(options.names)
        return
    if unknown := [n for n in options.names if n not in CASES]:
        parser.error(f"There is no problem {unknown[0]!r}; there are {', '.join(CASES)}.")
    outcomes = []
    for name in options.names or [n for n, case in CASES.items() if case.variant == options.variants]:
        for seed in range(options.seeds):
            outcomes.append(run(CASES[name], seed, PICTURES if options.page and seed == 0 else None))
            print(shown(outcomes[-1]), flush=True)
            if outcomes[-1].failure.startswith("not stated"):
                break
    if options.page:
        write(outcomes)


def make(names: list[str]) -> None:
    """Computes references and keeps them beside the code."""
    from .computed import MAKERS

    for name in names or MAKERS:
        MAKERS[name]()


if __name__ == "__main__":
    main()
