"""The progress of a batch on stderr: on a terminal the jobs that run now, elsewhere a line for each that has ended."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cadbridge.visible import plain
from cadbridge.wording import count

if TYPE_CHECKING:
    from rich.live import Live

    from cadbridge.jobs import Progress, Result

_SHOWN = 12
"""Running jobs that the terminal shows by name."""


class LineProgress:
    """One line a job."""

    def __init__(self) -> None:
        self._state: Progress | None = None

    def update(self, state: Progress) -> None:
        """Take how far it got."""
        self._state = state

    def ended(self, result: Result) -> None:
        """Say how a job ended."""
        print(self._line(result), file=sys.stderr, flush=True)

    def _line(self, result: Result) -> str:
        from cadbridge.jobs.model import shown

        done = f"[{self._state.done}/{self._state.total}] " if self._state else ""
        known = " (known)" if result.cached else f" ({result.seconds:.1f} s)" if result.seconds else ""
        why = f": {shown(result.reason)}" if result.reason else ""
        return f"{done}{shown(result.job.name)}: {result.state.value}{known}{why}"


class Screen(LineProgress):
    """All that runs, redrawn; failures stay above."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self._live = live

    def update(self, state: Progress) -> None:
        """Redraw."""
        from rich.text import Text

        from cadbridge.jobs.model import shown

        super().update(state)
        now = time.monotonic()
        running = sorted(state.running.items(), key=lambda item: item[1])
        counts = f"{state.failed} failed, {state.cached} known, {len(running)} running"
        lines = [f"{state.done} of {count(state.total, 'job')} done, {counts}"]
        lines += [f"  {now - since:6.1f} s  {shown(name)}" for name, since in running[:_SHOWN]]
        if len(running) > _SHOWN:
            lines.append(f"  and {len(running) - _SHOWN} more")
        self._live.update(Text("\n".join(lines)))

    def ended(self, result: Result) -> None:
        """Let failures stay to be read."""
        if not result.ok:
            from rich.text import Text

            self._live.console.print(Text(self._line(result)))


@contextmanager
def shown_progress() -> Iterator[LineProgress]:
    """The progress that suits where stderr goes."""
    if not sys.stderr.isatty():
        yield LineProgress()
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(file=plain(sys.stderr)), transient=True, refresh_per_second=8) as live:
        yield Screen(live)
