"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import FileError, quoted


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """A place to write to, which takes the place of the file when all is written; until then that stays as it is."""
    target = as_path(path)
    temporary = target.with_name(f".{secrets.token_hex(6)}.{target.name}")
    try:
        try:
            yield temporary
            with temporary.open("r+b") as file:
                os.fsync(file.fileno())
            if target.is_dir():
                raise IsADirectoryError
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"the file cannot be written: {reason(error)}", name=str(path)) from error


def as_path(path: Any) -> Path:
    """The path of a file, from a text or a path."""
    if not isinstance(path, str | os.PathLike) or not Path(path).name or "\0" in str(path):
        raise FileError(f"a file is given by its name; got {quoted(path)}")
    return Path(path)


def reason(error: OSError) -> str:
    """Why a file cannot be read or written, in lower case."""
    kinds = {FileNotFoundError: "no such file or folder", IsADirectoryError: "it is a folder"}
    return kinds.get(type(error), (error.strerror or str(error)).lower())
