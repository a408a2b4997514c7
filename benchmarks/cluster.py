"""A cost model of least squares on a Dask cluster, checked against what two workers measure here.

    python benchmarks/cluster.py

The model counts the flops of making and folding the blocks and of the tree of triangles, and the bytes that move, and
takes three rates: flops and bytes a second, and seconds for each task. They are measured on one worker alone; the
prediction is for two workers, and for 10⁷ rows and 20,000 features on 32 nodes with rates given below.
"""

import math
import time
from dataclasses import dataclass

import distributed
import torch

from fens.lstsq import Direct
from fens.lstsq.cluster import HEIGHT, Cluster, Distributed
from large import error, system


@dataclass(frozen=True)
class Rates:
    """Of one worker: flops a second in a QR, seconds for an entry of a row, bytes a second, seconds for a task."""

    flops: float
    entry: float
    bytes: float
    task: float


@dataclass(frozen=True)
class Cost:
    """What a factorisation takes."""

    flops: float
    bytes: float
    memory: float
    seconds: float


def cost(rows: int, columns: int, workers: int, rates: Rates) -> Cost:
    """Leaves side by side on all workers, then a tree whose levels have ever fewer tasks."""
    height = HEIGHT * columns
    tasks = math.ceil(rows / height)
    leaf, join = _qr(height + columns, columns), _qr(2 * columns, columns)
    triangle = 8 * columns**2
    leaf_seconds = leaf / rates.flops + height * columns * rates.entry + rates.task
    seconds, left = math.ceil(tasks / workers) * leaf_seconds, tasks
    while left > 1:
        left = math.ceil(left / 2)
        seconds += math.ceil(left / workers) * (join / rates.flops + triangle / rates.bytes + rates.task)
    total = tasks * leaf + (tasks - 1) * join
    return Cost(total, (tasks - 1) * triangle, 8 * (height + columns) * columns, seconds)


def _qr(rows: int, columns: int) -> float:
    return 2 * rows * columns**2 - 2 / 3 * columns**3


def measured_rates(client: distributed.Client, columns: int) -> Rates:
    """The rates of one worker, with nothing else running."""
    one = [next(iter(client.scheduler_info()["workers"]))]
    flops = client.submit(_flops, columns, workers=one, pure=False).result()
    entry = client.submit(_entry, columns, workers=one, pure=False).result()
    start = time.perf_counter()
    for _ in range(20):
        client.submit(int, 0, workers=one, pure=False).result()
    task = (time.perf_counter() - start) / 20
    start = time.perf_counter()
    client.submit(len, client.submit(_zeros, 4_000_000, workers=one, pure=False).result(), pure=False).result()
    return Rates(flops, entry, 2 * 8 * 4_000_000 / (time.perf_counter() - start), task)


def _zeros(count: int):
    return torch.zeros(count, dtype=torch.float64).numpy()


def _flops(columns: int) -> float:
    A = torch.randn(columns, (HEIGHT + 1) * columns, dtype=torch.float64).T
    start = time.perf_counter()
    torch.geqrf(A)
    return _qr((HEIGHT + 1) * columns, columns) / (time.perf_counter() - start)


def _entry(columns: int) -> float:
    rows = system(columns, 21)
    start = time.perf_counter()
    entries = sum(A.numel() for A, _ in rows)
    return (time.perf_counter() - start) / entries


def main(columns: int = 1200, side: int = 41) -> None:
    """Predicted and measured seconds on two workers, and the prediction for a large problem."""
    rows = system(columns, side)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers:
        client = distributed.Client(workers)
        client.upload_file("benchmarks/large.py")
        client.upload_file("benchmarks/cluster.py")
        rates = measured_rates(client, columns)
        solver = Distributed(Cluster.of(client))
        solver.factorise(system(60, 9))
        start = time.perf_counter()
        factorised = solver.factorise(rows)
        seconds = time.perf_counter() - start
        found = factorised.solve()
        client.close()
    expected = cost(*rows.shape, 2, rates)
    here = Direct().factorise(rows).solve()
    print(
        f"rates of one worker: {rates.flops / 1e9:.0f} Gflop/s, {rates.entry * 1e9:.1f} ns an entry, "
        f"{rates.bytes / 1e9:.1f} GB/s, {rates.task * 1e3:.0f} ms a task"
    )
    print(
        f"{rows.shape[0]} × {rows.shape[1]}, two workers: "
        f"predicted {expected.seconds:.1f} s, measured {seconds:.1f} s, ratio {seconds / expected.seconds:.2f}"
    )
    print(f"error {error(rows, found.weights):.1e}, on one machine {error(rows, here.weights):.1e}")
    node = Rates(flops=1e12, entry=rates.entry / 32, bytes=1.25e9, task=rates.task)
    large = cost(10**7, 20_000, 32, node)
    print(
        f"10⁷ × 20,000 on 32 nodes of 1 Tflop/s with 10 Gbit/s: {large.flops:.1e} flops, {large.bytes / 1e9:.0f} GB "
        f"moved, {large.memory / 1e9:.0f} GB on a node, {large.seconds / 60:.0f} minutes"
    )


if __name__ == "__main__":
    main()
