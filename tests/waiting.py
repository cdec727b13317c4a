"""How tests wait for what happens in threads and processes of their own: as long as a loaded machine takes."""

from __future__ import annotations

import time
from collections.abc import Callable

SLOW = 300.0
"""s that a loaded machine may take for what a person sees at once."""


def settled(condition: Callable[[], bool], seconds: float = SLOW) -> bool:
    """Whether a condition comes true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
