"""A run computed in a thread beside the page: its pace, and what is asked of it between two steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from cadbridge.errors import CadbridgeError
from cadbridge.report.views.numbers import figure
from cadbridge.simulation.interactive import InteractiveRun
from solver.result import Status

Answer = TypeVar("Answer")

PICTURES = 30.0
"""Poses shown in a second of the clock."""
WINDOW = 1.0
"""s of the clock over which the pace is measured."""
BEHIND = 0.9
"""Share of the speed that is asked below which a run counts as slower than that."""
_FINEST = 1.0 / 512
"""Share of a picture's time by which a run that is slow goes on at once."""


class Player:
    """Plays a run: `show` is called with the run after each step of it, `ended` with a status that is not ok.

    All that touches the run goes through `with_run`, also from other threads; a step that takes long is broken off for
    it.
    """

    def __init__(
        self, run: InteractiveRun, show: Callable[[InteractiveRun], None], ended: Callable[[Status], None]
    ) -> None:
        self._run, self._show, self._ended = run, show, ended
        self._lock = threading.Lock()
        self._waiting: set[object] = set()
        self._playing = threading.Event()
        self._thread: threading.Thread | None = None
        self._marks: list[tuple[float, float]] = []
        self.speed = 1.0

    @property
    def playing(self) -> bool:
        """Whether the run goes on."""
        return self._playing.is_set()

    @contextmanager
    def with_run(self) -> Iterator[InteractiveRun]:
        """The run, while nothing else touches it."""
        me = object()
        # Before the lock is asked for: the step that holds it looks whether somebody waits, and breaks off.
        self._waiting.add(me)
        try:
            self._lock.acquire()
        finally:
            self._waiting.discard(me)
        try:
            yield self._run
        finally:
            self._lock.release()

    def play(self) -> None:
        """Go on, in a thread."""
        if self.playing:
            return
        self._marks = []
        self._playing.set()
        self._thread = threading.Thread(target=self._go, daemon=True, name="cadbridge simulation")
        self._thread.start()

    def pause(self) -> None:
        """Stop where the run is; returns when the thread has ended."""
        self._playing.clear()
        thread = self._thread
        # What a step shows may pause the run from its own thread, which cannot wait for itself.
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def step(self) -> Status:
        """Pause, and go on by one picture."""
        self.pause()
        with self.with_run() as run:
            status = run.advance(self.speed / PICTURES)
            self._show(run)
        return status

    def pace(self) -> str:
        """How the run keeps up with the clock, in words."""
        if len(self._marks) < 2:
            return ""
        (clock, t), (now, end) = self._marks[0], self._marks[-1]
        # s: two looks at one instant of the clock.
        factor = (end - t) / max(now - clock, 1e-9)
        if factor >= BEHIND * self.speed:
            return "real time" if self.speed == 1.0 else f"{figure(self.speed)} × real time"
        return f"{figure(factor, 2)} × real time, slower than the {figure(self.speed)} × asked for"

    def _go(self) -> None:
        part, due = 1.0, time.monotonic()
        while self._playing.is_set():
            began = time.monotonic()
            status = self._advance(part * self.speed / PICTURES)
            if not status.ok:
                self._playing.clear()
                self._ended(status)
                return
            self._mark()
            spent = time.monotonic() - began
            due = max(due + part / PICTURES, began - 1.0 / PICTURES)  # what is lost is not made up for
            part = max(_FINEST, part / 2) if spent > 2 / PICTURES else min(1.0, 2 * part)
            # Others may have the run meanwhile, also where it is behind the clock.
            time.sleep(max(due - time.monotonic(), 1e-3))

    def _advance(self, seconds: float) -> Status:
        try:
            with self.with_run() as run:
                status = run.advance(seconds, self._should_stop)
                self._show(run)
        except CadbridgeError as fault:
            return Status(False, "fault", str(fault), "")
        except (ValueError, ArithmeticError) as fault:
            return Status(False, "fault", str(fault), "Reset the run.")
        return status

    def _should_stop(self) -> bool:
        return bool(self._waiting) or not self._playing.is_set()

    def _mark(self) -> None:
        now = time.monotonic()
        self._marks.append((now, self._run.t))
        while len(self._marks) > 2 and now - self._marks[0][0] > WINDOW:
            self._marks.pop(0)
