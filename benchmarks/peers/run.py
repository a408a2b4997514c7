"""Ours and what a user would pick instead, on the same problems, one process after another, taking turns.

    python benchmarks/peers/run.py [--problems NAME ...] [--solvers NAME ...] [--fresh]

Results are lines appended to out/peers/results.jsonl; a run that was stopped goes on where it was. `report.py` makes
docs/benchmarks/peers.md of them. The peers need their environment: `make peers`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from child import CHEAP, MODULES
from problems import PROBLEMS
from sources import constant

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "out" / "peers" / "results.jsonl"
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
TOLERANCES = ("tol=1e-3", "tol=1e-6", "tol=1e-9", "tol=1e-12")
MODES = dict.fromkeys(MODULES, ("default", "tuned")) | {
    "fens": ("default", *TOLERANCES),
    "chebyshev": ("tuned",),
}
PATIENCE = {"fens": 90.0, "default": 45.0, "tuned": 25.0}  # seconds: of our runs, of others' with defaults, of a search
GRACE = 15.0  # seconds for import and evaluation
REPEATS = 2  # of a run with defaults that is cheap


@dataclass(frozen=True)
class Job:
    """A process: one solver on one problem in one mode."""

    solver: str
    problem: str
    mode: str
    repeat: int = 0

    @property
    def budget(self) -> float:
        """Seconds."""
        return PATIENCE["tuned" if self.mode == "tuned" else "fens" if self.solver == "fens" else "default"]

    @property
    def key(self) -> str:
        """Everything that a result depends on, in short."""
        sources = [HERE / "problems.py", HERE / "child.py", HERE / f"{MODULES[self.solver]}.py"]
        if self.solver == "fens":
            sources += sorted((ROOT / "src" / "fens").rglob("*.py"))
        digest = hashlib.sha256(json.dumps([asdict(self), threads(), self.budget]).encode())
        for path in sources:
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]


def jobs(problems: Sequence[str], solvers: Sequence[str]) -> Iterator[Job]:
    """The processes in their order: for each problem, all solvers in their first mode, then in their second, …"""
    for problem in problems:
        available = [s for s in solvers if problem not in constant(MODULES[s], "UNAVAILABLE", {})]
        rounds = zip_longest(*([Job(s, problem, m) for m in MODES[s]] for s in available))
        first = [job for group in rounds for job in group if job is not None]
        yield from first
        for repeat in range(1, REPEATS):  # the other way round, so that who comes after whom differs
            yield from (Job(j.solver, j.problem, j.mode, repeat) for j in reversed(first) if j.mode != "tuned")


def run_job(job: Job, python: str) -> list[dict[str, Any]]:
    """The results of a process, which is ended when its time is over."""
    with tempfile.TemporaryDirectory() as folder:
        output, log = Path(folder) / "results.jsonl", Path(folder) / "log"
        command = [python, str(HERE / "child.py"), job.solver, job.problem, job.mode, str(job.budget), str(output)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "DDE_BACKEND": "pytorch", "MPLBACKEND": "agg"}
        with log.open("wb") as file:
            process = subprocess.Popen(
                command, stdout=file, stderr=file, env=environment, cwd=folder, start_new_session=True
            )
            ended = ""
            try:
                if process.wait(job.budget + GRACE):
                    ended = f"the process ended with code {process.returncode}: {_last(log)}"
            except subprocess.TimeoutExpired:
                ended = f"stopped after {job.budget + GRACE:.0f} s"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        found = [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []
        return [*found, {"settings": {}, "failure": ended}] if ended else found


def _last(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "nothing was said"


def threads() -> str:
    """The number of threads that every solver is told to use."""
    return os.environ.get("OMP_NUM_THREADS", "all cores")


def machine() -> dict[str, str]:
    """What times depend on; no names."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return {"cores": str(cores), "processor": model, "threads": threads(), "python": platform.python_version()}


def read(path: Path) -> list[dict[str, Any]]:
    """All results so far; a last line that was cut off counts for nothing."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1] if line.strip()]


def append(path: Path, records: Sequence[dict[str, Any]]) -> None:
    """Write results, on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in records)
        file.flush()
        os.fsync(file.fileno())


def worth_repeating(job: Job, records: Sequence[dict[str, Any]]) -> bool:
    """Whether the first time was cheap."""
    same = [r for r in records if (r["solver"], r["problem"], r["mode"]) == (job.solver, job.problem, job.mode)]
    return bool(same) and all(r.get("seconds", CHEAP + 1) <= CHEAP for r in same)


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", choices=tuple(PROBLEMS), default=tuple(PROBLEMS))
    parser.add_argument("--solvers", nargs="+", choices=tuple(MODULES), default=tuple(MODULES))
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--peers-python", default=str(PEERS_PYTHON), help="of the environment of the peers")
    parser.add_argument("--fresh", action="store_true", help="forget what is in the results file")
    args = parser.parse_args()
    if args.fresh:
        args.results.unlink(missing_ok=True)
    peers = [s for s in args.solvers if s not in ("fens", "chebyshev")]
    if peers and not Path(args.peers_python).exists():
        sys.exit(f"The environment of the peers is not there ({args.peers_python}); make it with `make peers`.")
    begin = time.perf_counter()
    for job in jobs(args.problems, args.solvers):
        records = read(args.results)
        if job.key in {r["key"] for r in records}:
            continue
        if job.repeat and not worth_repeating(job, records):
            continue
        start = time.perf_counter()
        found = run_job(job, args.peers_python if job.solver in peers else sys.executable)
        spent = time.perf_counter() - start
        common = {"key": job.key, **asdict(job), "date": time.strftime("%Y-%m-%d"), "spent": spent, **machine()}
        append(args.results, [{**common, **record} for record in found])
        told = "; ".join(_told(record) for record in found[-1:])
        print(
            f"{time.perf_counter() - begin:6.0f} s  {job.problem:<13} {job.solver:<11} {job.mode:<9} {told}", flush=True
        )


def _told(record: dict[str, Any]) -> str:
    if "failure" in record:
        return record["failure"]
    return f"error {float(record['error']):.1e} in {record['seconds']:.2f} s {record['settings'] or ''}"


if __name__ == "__main__":
    main()
