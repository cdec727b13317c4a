"""Ctrl-C during compiled code: requested between steps instead of raised wherever it falls.

A KeyboardInterrupt that falls while arguments are taken apart for compiled code may come out as a SystemError.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` without its enumerations, which take a third of a short run
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred() -> Iterator[Callable[[], bool]]:
    """Within, the first Ctrl-C only makes the function given true; the second is raised as ever.

    Nothing changes in other threads than the main one, nor where somebody else handles the signal.
    """
    requested = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal requested
        requested = True
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)

    ours = threading.current_thread() is threading.main_thread()
    ours = ours and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    if ours:
        _signal.signal(_signal.SIGINT, note)
    try:
        yield lambda: requested
    finally:
        if ours:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
