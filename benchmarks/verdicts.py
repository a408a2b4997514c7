"""How far verdicts and error estimates can be trusted, on problems drawn by seed with known answers.

    python benchmarks/verdicts.py [FAMILY …] [--seeds 10] [--automatic] [--verbose]

Reports for each family: how often it was confidently wrong, how often a solution within reach was called unreliable,
and how the estimates compare with the errors where the verdict trusts them.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import verdicts


def one(case):
    """An outcome, on one thread."""
    import torch

    torch.set_num_threads(1)
    return verdicts.outcome(*case)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--automatic", action="store_true", help="leave the number of features to fens")
    parser.add_argument("--verbose", action="store_true", help="a line for each problem")
    options = parser.parse_args()
    families = options.families or list(verdicts.FAMILIES)
    cases = [(f, s, options.automatic) for f in families for s in range(options.first, options.first + options.seeds)]
    with ProcessPoolExecutor(options.processes) as pool:
        found = []
        for o in pool.map(one, cases):
            found.append(o)
            if options.verbose or said(o):
                numbers = f"estimate {o.estimate:.1e}, error {o.error:.1e}"
                print(f"  {o.family} {o.seed}: {o.verdict}, {numbers}{said(o)}", flush=True)
    report(families, found)


def said(o):
    """What is wrong with an outcome, if anything."""
    if o.confidently_wrong:
        return ", CONFIDENTLY WRONG"
    if o.verdict == "inconsistent" and o.kind != "contradictory":
        return ", not inconsistent"
    return ", too cautious" if o.too_cautious else ""


def report(families, found):
    """A line for each family, and one for all."""
    print(f"{'family':24}{'kind':15}{'wrong':>6}{'cautious':>9}{'trusted':>9}{'inconsist.':>11}  estimate/error")
    for family in [*families, None]:
        own = [o for o in found if family in (o.family, None)]
        ratios = np.array([o.ratio for o in own if o.trusted and np.isfinite(o.error)])
        spread = ""
        if len(ratios):
            inside = np.mean((ratios >= 1) & (ratios <= 30))
            spread = f"{ratios.min():.2g} … {np.median(ratios):.2g} … {ratios.max():.2g}, {inside:.0%} in [1, 30]"
        print(
            f"{family or 'all':24}{own[0].kind if family else '':15}{sum(o.confidently_wrong for o in own):6}"
            f"{sum(o.too_cautious for o in own):9}{sum(o.trusted for o in own):5}/{len(own):<3}"
            f"{sum(o.verdict == 'inconsistent' for o in own):11}  {spread}"
        )


if __name__ == "__main__":
    main()
