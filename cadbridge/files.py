"""Writing files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from cadbridge.errors import InputError
from cadbridge.touched import was_read


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new empty file to write in place of `path`, which it replaces by rename when the block ends well.

    When the block fails, `path` is as it was and nothing stays behind. Its folder is made where it is missing;
    the file may be read by those whom the user's umask lets (mkstemp's by nobody else). OSError as from the
    system.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder: between file systems a rename is a copy, which can stop halfway.
    temporary = path.with_name(f".part-{os.urandom(8).hex()}")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def ignores_case(folder: Path) -> bool:
    """Whether the file system of a folder, which need not be there yet, takes `Arm` and `arm` for one name."""
    above = (folder, *folder.parents)
    for at in (path for path in above if path.name.swapcase() != path.name and path.exists()):
        try:
            return os.path.samefile(at, at.with_name(at.name.swapcase()))
        except OSError:
            return False
    return False


def refuse_output(path: Path) -> None:
    """InputError unless a result may be written to `path`: a name for a file, which is none of those read.

    A folder, a device or a pipe is not replaced by a file, nor a source by what was made from it. The folder must be
    one to write into: commands ask before they compute, as what took hours would be lost.
    """
    if str(path) in ("", ".") or path.name in ("", ".."):
        raise InputError(f"{str(path)!r} names no file to write")
    try:
        _refuse_above(path, path.absolute().parents)
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"{path} is a folder; name a file to write")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is not a plain file (a device or a pipe), and is not replaced")
    if was_read(path):
        raise InputError(f"{path} is a file that this command reads; name another file to write")


def refuse_folder(path: Path | None) -> None:
    """InputError unless results may be written into the folder `path`, which need not be there yet; not of None."""
    if path is None:
        return
    try:
        _refuse_above(path, (path.absolute(), *path.absolute().parents))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _refuse_above(path: Path, folders: Iterable[Path]) -> None:
    """InputError where the first of some folders that is there, from the nearest on, takes no file."""
    above = next((folder for folder in folders if folder.exists()), None)
    if above is not None and not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
        what = f"nothing may be written into the folder {above}" if above.is_dir() else f"{above} is no folder"
        raise InputError(f"{path} cannot be written: {what}")


@contextlib.contextmanager
def renewing(path: Path) -> Iterator[Path]:
    """`replacing`, for a file that a person named, which may be one that was read: InputError for OSError."""
    try:
        with replacing(path) as temporary:
            yield temporary
    except OSError as fault:
        raise InputError(f"{path} cannot be written: {fault.strerror or fault}.") from fault


@contextlib.contextmanager
def output(path: Path) -> Iterator[Path]:
    """`renewing`, for a result: InputError as of `refuse_output` too."""
    refuse_output(path)
    with renewing(path) as temporary:
        yield temporary


def write_text(path: Path, text: str) -> None:
    """Write a text to a file that a person named, in UTF-8, with the same bytes on every system; as `output`."""
    with output(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def below(folder: Path, name: str) -> Path:
    """The file of a relative name below a folder; ValueError where the name leads out of it, on any system.

    For names that others made: in a shared cache, or on another machine.
    """
    parts = PurePosixPath(name).parts
    windows = PureWindowsPath(name)
    if not parts or "\0" in name or "\\" in name or ".." in parts or name.startswith("/") or windows.anchor:
        raise ValueError(f"{name!r} does not name a file below the job's folder")
    return folder.joinpath(*parts)
