"""Which files a piece of work looked at: what its result depends on.

Python reports each `open` to audit hooks. Files that are looked for and not there would change the result if they
were: they are heard of because `os.stat`, through which pathlib looks, is listened to as well. What a library
opens in C without such a look is named by `looked_for`. A process that wants to know starts to `record` once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

_EVENT = "cadbridge.looked_for"


def looked_for(path: str | os.PathLike[str]) -> None:
    """Report that the result depends on this path, whether there is a file or not."""
    sys.audit(_EVENT, os.fspath(path))


_read: set[str] | None = None
_hooked = False


def remember() -> None:
    """From now on remember the files that this process opens to read, beginning anew; for `was_read`.

    The audit hook behind it stays for the life of the process, and is added once.
    """
    global _read, _hooked
    if not _hooked:
        sys.addaudithook(_remembered)
        _hooked = True
    _read = set()


def forget() -> None:
    """Remember no longer: what the next command of this process writes may lie where this one read."""
    global _read
    _read = None


def _remembered(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
    elif event == _EVENT:
        path = arguments[0]
    else:
        return
    if _read is not None and isinstance(path, str | bytes | os.PathLike):
        _read.add(os.path.abspath(os.fsdecode(path)))


def was_read(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of those remembered, by whatever name or link; False where nothing is remembered."""
    try:
        there = os.stat(path)
    except OSError:
        return False
    for name in _read or ():
        try:
            if os.path.samestat(there, os.stat(name)):
                return True
        except (OSError, ValueError):
            continue
    return False


def read_below(folder: str | os.PathLike[str]) -> list[str]:
    """The remembered files that lie below a folder, links resolved."""
    root = os.path.join(os.path.realpath(folder), "")
    return [name for name in sorted(_read or ()) if os.path.realpath(name).startswith(root)]


def record(take: Callable[[str], None]) -> None:
    """From now on to the end of the process, hand `take` each path that is read or looked for.

    Paths are as they were named: relative ones count from the current folder of that moment. For processes that
    do one thing and end: neither the hook nor the listening at `os.stat` can be taken back.
    """
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    busy = threading.local()  # `take` looks at files too

    def note(path: Any) -> None:
        if isinstance(path, (bytes, os.PathLike)):
            path = os.fsdecode(path)
        if isinstance(path, str) and not getattr(busy, "now", False):
            busy.now = True
            try:
                take(path)
            finally:
                busy.now = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == _EVENT:
            note(arguments[0])
        elif event == "open":
            path, _, flags = arguments
            if not (isinstance(flags, int) and flags & writing):
                note(path)

    plain = os.stat

    def stat(path: Any, *arguments: Any, **how: Any) -> os.stat_result:
        note(path)
        return plain(path, *arguments, **how)

    os.stat = stat
    sys.addaudithook(hook)
