"""Files as they are read and written: regular ones only, within bounds, and there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import FileError, quoted

STALE = 24 * 3600  # seconds after which nobody writes to a temporary file any more
AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe is opened without waiting for who writes to it
BINARY = getattr(os, "O_BINARY", 0)


def as_path(path: Any) -> Path:
    """The path of a file, from a text or a path."""
    named = isinstance(path, str | os.PathLike) and isinstance(name := os.fspath(path), str) and "\0" not in name
    if not named or not Path(path).name:
        raise FileError(f"a file is given by its name; got {quoted(path)}")
    return Path(path)


def contents(path: str | Path, most: int) -> bytes:
    """The bytes of a regular file, which are no more than so many. Pipes and devices may have no end."""
    source = as_path(path)
    try:
        with open(os.open(source, os.O_RDONLY | AT_ONCE | BINARY), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise FileError(f"the file cannot be read: it is {_kind(found.st_mode)}", name=str(path))
            content = file.read(found.st_size) if found.st_size <= most else b""  # Python takes the space at once
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"the file cannot be read: {reason(error)}", name=str(path)) from error
    if found.st_size > most:
        raise FileError(f"the file has more than {most:,} bytes", name=str(path))
    return content


def check_readable(path: str | Path, most: int) -> None:
    """Refuse what `contents` would refuse, for files that others read."""
    try:
        found = os.stat(as_path(path))
    except (OSError, ValueError) as error:
        raise FileError(f"the file {path} cannot be read: {reason(error)}") from error
    if not stat.S_ISREG(found.st_mode):
        raise FileError(f"the file {path} cannot be read: it is {_kind(found.st_mode)}")
    if found.st_size > most:
        raise FileError(f"the file {path} has more than {most:,} bytes")


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """A place to write to, which takes the place of the file when all is written; until then that stays as it is.

    What is there already must be a regular file: neither a device, which would be gone, nor a link, of which nobody
    knows where it leads.
    """
    target = as_path(path)
    temporary = target.with_name(f".fens-{secrets.token_hex(6)}{target.suffix[:20]}")
    try:
        check_target(target)
        try:
            yield temporary
            with temporary.open("r+b") as file:
                os.fsync(file.fileno())
            check_target(target)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
            _sweep(target.parent)
    except (OSError, UnicodeEncodeError) as error:
        raise FileError(f"the file cannot be written: {reason(error)}", name=str(path)) from error


def check_target(target: Path) -> None:
    """Refuse to write over what is no regular file."""
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise FileError(f"the file cannot be written: {reason(error)}", name=str(target)) from error
    if not stat.S_ISREG(mode):
        raise FileError(f"the file cannot be written: it is {_kind(mode)}", name=str(target))


def reason(error: Exception) -> str:
    """Why a file cannot be read or written, in lower case."""
    if isinstance(error, UnicodeEncodeError):
        return "a name in it has characters that no text can have"
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    return str(getattr(error, "strerror", None) or error).lower()


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"), (stat.S_ISLNK, "a link"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"),
    )  # fmt: skip
    return next((name for is_one, name in kinds if is_one(mode)), "a device")


def _sweep(folder: Path) -> None:
    """Remove what writers left behind that were ended before they could clean up."""
    for left in folder.glob(".fens-" + "[0-9a-f]" * 12 + "*"):
        try:
            if time.time() - left.lstat().st_mtime > STALE:
                left.unlink()
        except OSError:  # another process was faster, or it is not ours
            continue
