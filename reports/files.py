"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path


class OutputError(OSError):
    """A path cannot be written; the message is one line that names it."""


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OutputError unless :func:`write_whole` can be expected to succeed.  Leaves nothing behind."""
    target = Path(path)
    try:
        if _is_direct(target):
            if not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, "Permission denied")
            return
        _refuse_read_only(target)
        temporary = _temporary_for(_resolved(target))
        os.close(_create(temporary))
        temporary.unlink()
    except OSError as error:
        raise _output_error(target, error) from error


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace the file at `path` by `data`; on failure the old file stays.  Raises OutputError."""
    write_together({path: data})


def write_together(files: Mapping[str | os.PathLike[str], bytes]) -> None:
    """Replace several files; if one cannot be written, none is replaced.  Raises OutputError.

    Everything is on the disk under temporary names before the first file takes its place.
    Pipes and devices are written directly, just before that.
    """
    staged: list[tuple[Path, Path]] = []
    direct: list[tuple[Path, bytes]] = []
    target = Path()
    try:
        for path, data in files.items():
            target = Path(path)
            if _is_direct(target):
                direct.append((target, data))
                continue
            _refuse_read_only(target)
            final = _resolved(target)
            temporary = _temporary_for(final)
            descriptor = _create(temporary)
            staged.append((temporary, final))
            with open(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                if final.exists():
                    os.chmod(temporary, stat.S_IMODE(final.stat().st_mode))
                os.fsync(descriptor)
        for target, data in direct:
            # Appending, since /dev/stdout may be a file that already holds earlier output.
            with open(target, "ab") as stream:
                stream.write(data)
        for temporary, target in staged:
            os.replace(temporary, target)
    except OSError as error:
        raise _output_error(target, error) from error
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)


def _is_direct(path: Path) -> bool:
    """Whether `path` is a pipe, a device or a link into /proc: there a rename would miss the reader."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory")
    if path.exists() and not path.is_file():
        return True
    return path.exists() and Path(os.path.realpath(path.parent)).parts[:2] in {("/", "dev"), ("/", "proc")}


def _refuse_read_only(path: Path) -> None:
    """A rename would replace a read-only file without asking."""
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "Permission denied")


def _resolved(path: Path) -> Path:
    """The path without links."""
    try:
        return path.resolve()
    except RuntimeError as error:
        # How Python up to 3.12 says that links run in a circle.
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error


def _temporary_for(final: Path) -> Path:
    import secrets

    return final.with_name(f".{secrets.token_hex(8)}.tmp")


def _create(path: Path) -> int:
    """A new file, open for writing, with the permissions that the user's umask gives."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)


def _output_error(path: Path, error: OSError) -> OutputError:
    name = str(path).encode("unicode_escape").decode("ascii") if not str(path).isprintable() else str(path)
    return OutputError(f"cannot write {name}: {error.strerror or error}")
