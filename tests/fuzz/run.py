"""Run many cases: python tests/fuzz/run.py [NAME …] --count 20000 --start 0.

Cases run in a process of their own. One that ends it, or hangs where Python cannot stop it, is a failure like others,
and the next process goes on behind it. Seeds that fail are printed; `--count 1 --start SEED` runs one of them again.
"""

import argparse
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz import FUZZERS, fuzzer
from fuzz.limits import SECONDS, failure

GRACE = 30  # seconds more, for making a case and for importing fens


def work(name: str, seeds: range) -> None:
    """What the inner process does: one line for each case."""
    for seed in seeds:
        print(json.dumps([seed, failure(name, seed)]), flush=True)


def results(name: str, seeds: range) -> Iterator[tuple[int, str]]:
    """Seeds with their failures, whatever happens to the processes that run them."""
    seed = seeds.start
    while seed < seeds.stop:
        for done, wrong in _lines(name, range(seed, seeds.stop)):
            yield done, wrong
            seed = done + 1
        if seed < seeds.stop:
            yield seed, f"{name}, seed {seed}: the process ended, or hung beyond {SECONDS + GRACE} s"
            seed += 1


def _lines(name: str, seeds: range) -> Iterator[tuple[int, str]]:
    command = [sys.executable, "-W", "error", __file__, name, "--inner"]
    command += ["--start", str(seeds.start), "--count", str(len(seeds))]
    environment = {"OMP_NUM_THREADS": "1", **os.environ}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        selector, text = selectors.DefaultSelector(), b""
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(timeout=SECONDS + GRACE) and (more := os.read(process.stdout.fileno(), 65536)):
            *lines, text = (text + more).split(b"\n")
            for line in lines:
                seed, wrong = json.loads(line)
                yield seed, wrong
        process.kill()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FUZZERS)}; default: all")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    seeds, failed = range(args.start, args.start + args.count), 0
    for name in args.names or FUZZERS:
        if args.inner:
            work(name, seeds)
            continue
        fuzzer(name).make(args.start)  # a fuzzer that is broken itself ends all
        start, wrong = time.perf_counter(), 0
        for _, text in results(name, seeds):
            if text:
                print(f"{text}\n", flush=True)
                wrong += 1
        print(f"{name}: {len(seeds)} cases, {wrong} failed, {time.perf_counter() - start:.0f} s", flush=True)
        failed += wrong
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
