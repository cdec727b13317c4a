"""Which files a piece of work looked at: what its result depends on.

Python tells each `open` to audit hooks. Files that are looked for and not there would change the result if they
were: they are heard of because `os.stat`, through which pathlib looks, is listened to as well. What a library
opens in C without such a look is told by `looked_for`. A process that wants to know starts to `record` once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

_EVENT = "cadbridge.looked_for"


def looked_for(path: str | os.PathLike[str]) -> None:
    """Tell that the result depends on this path, whether there is a file or not."""
    sys.audit(_EVENT, os.fspath(path))


def record(take: Callable[[str], None]) -> None:
    """From now on to the end of the process, hand `take` each path that is read or looked for.

    Paths are as they were named: relative ones count from the current folder of that moment. For processes that
    do one thing and end: neither the hook nor the listening at `os.stat` can be taken back.
    """
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    busy = threading.local()  # `take` looks at files too

    def told(path: Any) -> None:
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
            told(arguments[0])
        elif event == "open":
            path, _, flags = arguments
            if not (isinstance(flags, int) and flags & writing):
                told(path)

    plain = os.stat

    def stat(path: Any, *arguments: Any, **how: Any) -> os.stat_result:
        told(path)
        return plain(path, *arguments, **how)

    os.stat = stat
    sys.addaudithook(hook)
