"""Least squares on the workers of a Dask cluster: the same passes over rows, made there.

Each task makes a block of rows and folds it into a triangle; pairs of triangles are folded into one, in a tree, until
one is left. Tasks hold nothing but numbers and depend on nothing but their arguments: should a worker be lost, the
scheduler gives what it had done to the others.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_host
from .._support.progress import tell
from ..errors import EvaluationError, MissingPackage, SettingError, quoted
from . import Failed, QRAccumulator, Rows, Scaled, Sequential, Solvable, factorise

T = TypeVar("T")
PATIENCE = 60.0  # seconds for which a cluster may be without workers
HEIGHT = 4  # rows for each column that a task makes and folds


@dataclass(frozen=True)
class Cluster:
    """The workers behind a `distributed.Client`."""

    client: Any

    @classmethod
    def of(cls, client: Any) -> Cluster:
        """The workers of a client, if it is one and has some."""
        try:
            import distributed
        except ImportError as error:
            raise MissingPackage("cluster needs the package distributed; install fens[cluster].") from error
        if not isinstance(client, distributed.Client) or client.asynchronous:
            raise SettingError(f"cluster must be a distributed.Client that is not asynchronous; got {quoted(client)}.")
        if client.status != "running":
            raise SettingError(f"The client of the cluster is {client.status}; make a new one.")
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise SettingError(
                f"The cluster has no workers, and none came in {PATIENCE:g} s; start some, and where they take long "
                "to start wait for them first, by client.wait_for_workers(1)."
            ) from error
        return cls(client)

    def map(self, function: Callable[..., T], *arguments: Sequence[Any], label: str) -> list[T]:
        """A function of each of the arguments, as tasks; they are pickled without what they are only views of."""
        futures = [self.client.submit(_called, packed((function, a)), pure=False) for a in zip(*arguments, strict=True)]
        return [unpacked(result) for result in self.gathered(futures, futures, label)]

    def folded(self, blocks: Sequence[Rows], height: int) -> Tensor:
        """R of a QR of the rows of all blocks, by a tree of tasks."""
        found = [self.client.submit(_triangle, packed(block), height, pure=False) for block in blocks]
        everything = list(found)
        while len(found) > 1:
            pairs = [found[k : k + 2] for k in range(0, len(found), 2)]
            found = [self.client.submit(_joined, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
            everything += found
        return torch.as_tensor(self.gathered(found, everything, "rows folded")[0])

    def gathered(self, wanted: Sequence[Any], watched: Sequence[Any], label: str) -> list[Any]:
        """The results of tasks; how many of those watched are done is told as they are."""
        from distributed.scheduler import KilledWorker

        unique = list({future.key: future for future in watched}.values())
        for k, _ in enumerate(self._finished(unique), 1):
            tell(f"cluster: {label}, {k} of {len(unique)} tasks")
        try:
            return list(self.client.gather(list(wanted)))
        except KilledWorker as error:
            raise EvaluationError(
                "Several workers of the cluster were lost over the same task, most likely for want of memory; "
                f"give them more, or take fewer features. {error}"
            ) from error


    def _finished(self, futures: Sequence[Any]) -> Iterator[Any]:
        """Tasks as they are done; not for ever, if there is nobody left to do them."""
        from distributed import wait

        left = set(futures)
        while left:
            try:
                done, left = wait(left, timeout=PATIENCE, return_when="FIRST_COMPLETED")
                yield from done
            except TimeoutError as error:
                if not self.client.nthreads():
                    raise EvaluationError(
                        f"The cluster has lost all its workers, and none came in {PATIENCE:g} s; start some."
                    ) from error


@dataclass(frozen=True)
class Distributed:
    """The least-squares solver that leaves the machine; a task has `height` rows at most, by default HEIGHT·columns."""

    cluster: Cluster
    height: int | None = None

    def factorise(self, rows: Rows) -> Solvable | Failed:
        """The part of the work that does not depend on the right-hand side."""
        modest, height = Scaled.modest(rows), self.height or HEIGHT * rows.shape[1]
        passes = OnWorkers(self.cluster, modest, tuple(modest.blocks(height)), height)
        return factorise(passes, modest.size, modest.rhs_size)


@dataclass(frozen=True)
class OnWorkers:
    """Passes over rows made by workers, a block at a time each."""

    cluster: Cluster
    rows: Rows
    blocks: tuple[Rows, ...]
    height: int

    @property
    def rhs(self) -> Tensor:
        """b."""
        return self.rows.rhs

    def triangle(self) -> Tensor:
        """R of a QR of [A | b]."""
        return self.cluster.folded(self.blocks, self.height)

    def matvec(self, weights: Tensor) -> Tensor:
        """A w."""
        copies = [weights] * len(self.blocks)
        return torch.cat(self.cluster.map(_image, self.blocks, copies, label="residual"))

    def rmatvec(self, residual: Tensor) -> Tensor:
        """Aᵀ r."""
        ends = list(accumulate(block.shape[0] for block in self.blocks))
        parts = [residual[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        return torch.stack(self.cluster.map(_gradient, self.blocks, parts, label="refinement")).sum(0)


def _triangle(block: bytes, height: int) -> np.ndarray:
    return np.asarray(Sequential(unpacked(block), height).triangle())


def _joined(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    A = torch.as_tensor(np.concatenate([one, other]))
    stack = QRAccumulator.like(A[:, :-1], len(one))
    stack.add(A[:, :-1], A[:, -1])
    return np.asarray(stack.triangle())


def _image(block: Rows, weights: Tensor) -> Tensor:
    return block.matvec(weights)


def _gradient(block: Rows, residual: Tensor) -> Tensor:
    return Sequential(block, 1).rmatvec(residual)


def _called(task: bytes) -> bytes:
    function, arguments = unpacked(task)
    return packed(function(*arguments))


def packed(value: Any) -> bytes:
    """A value as bytes, functions included; tensors as arrays, for PyTorch would pickle all they are views of."""
    from cloudpickle import Pickler

    class Compact(Pickler):  # type: ignore[misc]
        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, Tensor):
                return torch.as_tensor, (to_host(obj),)
            return super().reducer_override(obj)

    file = io.BytesIO()
    Compact(file, protocol=5).dump(value)
    return file.getvalue()


def unpacked(data: bytes) -> Any:
    """The value again."""
    return pickle.loads(data)
