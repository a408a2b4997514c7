"""The bytes of a file: a line that says what it is, a checksum, the entries as one line of JSON, the arrays."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._support.disk import as_path, atomic_write, contents
from ..errors import FileError
from .decode import decoded
from .encode import Encoder, renumbered
from .registry import Kind, written

FORMAT = 1
FIRST_LINE = re.compile(rb"fens solution, format ([0-9]{1,9})\n")
DIGEST = 64  # hexadecimal digits of SHA-256
LARGEST = 2**33  # bytes


def write(path: str | Path, value: Any, kinds: Mapping[str, Kind], check: Callable[[Any, str], None]) -> None:
    """Write a value to a file, all of it or nothing: what was there before stays until the new file is complete.

    What could not be read again, or would then not pass the check, is not written.
    """
    target = as_path(path)
    content = packed(value, kinds)
    check(unpacked(content, kinds, target.name), target.name)
    with atomic_write(target) as temporary:
        temporary.write_bytes(content)


def read(path: str | Path, kinds: Mapping[str, Kind]) -> Any:
    """The value that a file holds."""
    content = contents(path, LARGEST)
    return unpacked(content, kinds, str(path))


def packed(value: Any, kinds: Mapping[str, Kind]) -> bytes:
    """A value as the bytes of a file."""
    encoder = Encoder(kinds)
    root = encoder.value(value)
    used = {e[0] for e in encoder.entries} & set(kinds)
    fields = {name: kinds[name].fields for name in sorted(used)}
    document = {"fields": fields, "entries": renumbered(encoder.entries), "value": root}
    tree = json.dumps(document, separators=(",", ":"), allow_nan=False)
    body = b"".join([tree.encode("ascii"), b"\n", *encoder.arrays])
    return b"".join([f"fens solution, format {FORMAT}\n".encode(), _digest(body), b"\n", body])


def unpacked(content: bytes, kinds: Mapping[str, Kind], name: str) -> Any:
    """The value in the bytes of a file, which messages call `name`."""
    first = FIRST_LINE.match(content)
    if first is None:
        raise FileError("this is not a solution saved by fens", name=name)
    if (found := int(first[1])) != FORMAT or first[1] != b"%d" % FORMAT:
        raise FileError(
            f"the file has format {found}, and this version of fens reads format {FORMAT}; "
            "read it with the version that wrote it, or a newer one",
            name=name,
        )
    start = first.end() + DIGEST + 1
    body = content[start:]
    if content[first.end() : start] != _digest(body) + b"\n":
        raise FileError("the file is damaged: its content is not what was written; take another copy of it", name=name)
    tree, _, arrays = body.partition(b"\n")
    try:
        document = json.loads(tree)
        return decoded(document["entries"], document["value"], arrays, written(document["fields"], kinds))
    except FileError as error:
        raise FileError(error.reason, name=name) from error
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise FileError("the content of the file cannot be understood", name=name) from error


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
