"""Matrices made part by part."""

from __future__ import annotations

from collections.abc import Iterator

BLOCK_ENTRIES = 2**18  # a block of 2 MiB and the temporaries of its making stay in the processor's cache


def row_slices(rows: int, columns: int, height: int | None = None) -> Iterator[slice]:
    """Slices of a height, by default such that rows have about BLOCK_ENTRIES entries in each."""
    size = height or max(1, BLOCK_ENTRIES // columns)
    return (slice(start, start + size) for start in range(0, rows, size))
