"""Joints moved by hand in the view: by sliders, by a drag of a body, and one tried to and fro; the rest follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cadbridge.assembly import Limit
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.report.live.panel import Item, Panel
from cadbridge.report.live.scene import dependent_values, ratio_words
from cadbridge.simulation.posing import Mover, Posed
from cadbridge.units import TO_MM

FRAMES_PER_SECOND = 30.0
"""Poses shown in a second of the clock, while a joint swings by itself: as smooth as the run's (`player`), and a
browser draws no more of a large assembly."""
SWING, SLIDE = np.radians(30.0), 0.1
"""rad, and share of the mechanism's length, by which a joint is tried to either side."""


class JointSliders:
    """The sliders (degrees, mm) of the joints that lead, and the values of the others.

    `show` takes poses X_WB of the bodies, `notify` a text; `begin` is called when a person takes over.
    """

    def __init__(
        self,
        panel: Panel,
        mechanism: Mechanism,
        show: Callable[[Sequence[Pose]], None],
        notify: Callable[[str], None],
        begin: Callable[[], None],
    ) -> None:
        self._mechanism, self._show, self._notify, self._begin = mechanism, show, notify, begin
        self.mover = Mover(mechanism)
        self._ratios = ratio_words(self.mover)
        self._held: tuple[int, Vector] | None = None
        self.sliders = {j.name: self._slider(panel, j) for j in self.mover.joints}
        if self.sliders:
            panel.button("As designed", self.home)
        self.values = panel.text()

    def say_values(self, poses: Sequence[Pose], running: bool) -> None:
        """Write where the joints without a slider are; all of them while a simulation leads."""
        leading = () if running else self.sliders
        self.values.content = dependent_values(self._mechanism, poses, leading, self._ratios)

    def home(self) -> None:
        """The designed pose."""
        self._begin()
        self._follow(self.mover.home())

    def grab(self, body: int, X_WB: Pose, point: Vector) -> None:
        """Hold a body at a point of the world (m)."""
        self._begin()
        self._held = body, X_WB.inverse().point(point)

    def pull(self, target: Vector) -> None:
        """Pull the point that is held towards a place in the world (m)."""
        if self._held is not None:
            self._follow(self.mover.pull(*self._held, target))

    def let_go(self) -> None:
        """Hold nothing any more."""
        self._held = None

    def attempt(self, name: str) -> None:
        """Move one joint to and fro, all else following, so that a person sees what it is."""
        joint = next((j for j in self._mechanism.joints if j.name == name), None)
        if joint is None or not joint.coordinate:
            self._notify(f"{name} has no single freedom to try: drag its bodies.")
            return
        self._begin()
        leading = tuple(j.name for j in self.mover.joints)
        mover = Mover(self._mechanism, leading if joint.name in leading else (joint.name,))
        reach = SWING if joint.coordinate == "angle" else SLIDE * self._mechanism.length_scale
        low, high = _within(joint.limit, reach, reach)
        path = np.concatenate([np.linspace(0, high, 15), np.linspace(high, low, 30), np.linspace(low, 0, 15)])
        for value in path:
            posed = mover.move({joint.name: float(value)})
            self._show(posed.poses)
            if not posed.status.ok:
                self._notify(f"{name} goes no further: {posed.status.message}")
                break
            time.sleep(1 / FRAMES_PER_SECOND)
        self.home()

    def _slider(self, panel: Panel, joint: Joint) -> Item:
        """Within the joint's limits; a turn or half the mechanism's length without any."""
        angle = joint.coordinate == "angle"
        reach = np.pi if angle else 0.5 * self._mechanism.length_scale
        low, high = (float(end * scale(joint)) for end in _within(joint.limit, reach))
        # ° or mm: a slider needs a range, though its joint has none.
        if high - low < 1e-9:
            low, high = -1.0, 1.0
        return panel.slider(f"{joint.name} ({'°' if angle else 'mm'})", low, high, self._moved)

    def _moved(self, _: Any) -> None:
        """A slider was moved: lead its joint there, as far as it goes."""
        self._begin()
        posed = self.mover.move({j.name: float(self.sliders[j.name].value) / scale(j) for j in self.mover.joints})
        if posed.status.ok:
            self._show(posed.poses)
        else:
            self._follow(posed)
            self._notify(f"It goes no further: {posed.status.message}")

    def _follow(self, posed: Posed) -> None:
        """Show where the joints are, by the sliders too."""
        self._show(posed.poses)
        for joint in self.mover.joints:
            self.sliders[joint.name].value = self.mover.values[joint.name] * scale(joint)


def scale(joint: Joint) -> float:
    """Degrees or mm in a unit of the joint's coordinate."""
    return 180 / np.pi if joint.coordinate == "angle" else TO_MM


def _within(limit: Limit | None, reach: float, most: float = np.inf) -> tuple[float, float]:
    """How far to both sides a joint may be moved: to its limits but at most `most`, and `reach` where it has none."""
    lower = -reach if limit is None or limit.lower is None else max(-most, min(limit.lower, 0.0))
    upper = reach if limit is None or limit.upper is None else min(most, max(limit.upper, 0.0))
    return lower, upper
