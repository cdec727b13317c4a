"""Play and forces of redundant mates at the pose that the live view shows, and along the motion of a joint."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.diagnosis import Diagnosis
from cadbridge.frames import Pose
from cadbridge.mechanism import Mechanism
from cadbridge.report.html import Html, el, join
from cadbridge.report.live.panel import Panel
from cadbridge.report.live.scene import joint_value
from cadbridge.report.views.numbers import figure
from cadbridge.units import TO_MM
from cadbridge.visible import visible
from cadbridge.wording import listed

if TYPE_CHECKING:
    from cadbridge.misfit import Fit, Settings
    from cadbridge.report.page.misfit import FitShown
    from cadbridge.sweeps.fits import Along

DRAWS, MOST_REDUNDANT = 1000, 200
"""Draws of errors for the page, and redundant equations above which it does not say what they cost."""
MOST_ROWS = 40
"""Mates whose forces stand in the panel."""
AS_DESIGNED = 1e-6
"""Degrees or mm, and m or radians of a body: what is nearer to the designed pose stands there."""
WAITING = "The section Play and forces is of the designed pose. Move the mechanism, and ask for the pose that is shown."


def weighed(mechanism: Mechanism, diagnosis: Diagnosis) -> bool:
    """Whether a page that a person waits for says what redundant mates cost: loops may have some at other poses."""
    closed = len(mechanism.joints) + len(mechanism.couplings) > len(mechanism.bodies)
    return (closed or diagnosis.mobility.redundant > 0) and diagnosis.mobility.redundant <= MOST_REDUNDANT


class Fitting:
    """The panel of a mechanism whose mates are or may become redundant.

    `poses` gives X_WB of the bodies, `leading` joints name the pose.

    All is computed in a thread of its own, the newest request next. `plotted` is called when a motion is to be shown.
    """

    def __init__(
        self, panel: Panel, mechanism: Mechanism, leading: Collection[str], poses: Callable[[], Sequence[Pose]],
        plotted: Callable[[], None],
    ) -> None:  # fmt: skip
        self._mechanism, self._leading, self._poses, self._plotted = mechanism, leading, poses, plotted
        self._lock, self._busy = threading.Lock(), False
        self._next: Callable[[], None] | None = None
        self.along: Along | None = None
        self.answer = panel.text(str(el("p", WAITING, class_="lines")))
        panel.button("For this pose", self.ask)
        self.follow = panel.tick("while it moves", False, lambda on: self.ask() if on else None)
        self._joints = {visible(j.name): j.name for j in mechanism.joints if j.coordinate is not None}
        if self._joints:
            self.joint = panel.choice("joint", tuple(self._joints), lambda _: None)
            panel.button("Plot along its motion", self.ask_along)

    def shown(self) -> FitShown:
        """What the page shows: the designed pose, and the motion that was asked for last."""
        from cadbridge.report.page.misfit import FitShown

        return FitShown(self._designed, self.along)

    def moved(self) -> None:
        """The mechanism was moved."""
        if self.follow.value:
            self.ask()

    def ask(self) -> None:
        """Compute play and forces where the mechanism stands now."""
        poses = self._poses()
        self._soon(lambda: self._say_pose(poses))

    def ask_along(self) -> None:
        """Compute play and forces along the motion of the joint that is chosen, for the page."""
        name = self._joints[self.joint.value]
        self._say(el("p", f"Moving {name} through its range …", class_="lines"))
        self._soon(lambda: self._go_along(name))

    @cached_property
    def _settings(self) -> Settings:
        from cadbridge.misfit import load_fit

        return replace(load_fit(None, self._mechanism), draws=DRAWS)

    @cached_property
    def _designed(self) -> Fit:
        """From few draws and without weaker mates: a person waits."""
        from cadbridge.misfit import fit

        return fit(self._mechanism, self._settings, releases=0)

    def _say_pose(self, poses: Sequence[Pose]) -> None:
        from cadbridge.misfit.poses import posed_fit

        where = self._where(poses)
        self._say(el("p", f"{where}: computing …", class_="lines"))
        self._say(pose_block(where, posed_fit(self._mechanism, poses, self._settings)))

    def _go_along(self, joint: str) -> None:
        from cadbridge.report.misfit_along import along_answer
        from cadbridge.sweeps.fits import fit_along

        self.along = fit_along(self._mechanism, joint, self._settings)
        self._say(el("p", along_answer(self.along), " The plots are in the section Play and forces.", class_="lines"))
        self._plotted()

    def _where(self, poses: Sequence[Pose]) -> str:
        """The pose in words: the joints that lead, where they are not as designed."""
        designed = [b.X_WB for b in self._mechanism.bodies]
        if all(np.abs(X.matrix() - Y.matrix()).max() < AS_DESIGNED for X, Y in zip(poses, designed, strict=True)):
            return "As designed"
        own = [j for j in self._mechanism.joints if j.name in self._leading]
        values = [(j, joint_value(self._mechanism, poses, j)) for j in own]
        texts = [
            f"{j.name} at {figure(value, 3, scale=1.0)}{'°' if j.coordinate == 'angle' else ' mm'}"
            for j, value in values if abs(value) > AS_DESIGNED
        ]  # fmt: skip
        return f"With {listed(texts, 4)}" if texts else "At the pose that was shown"

    def _say(self, content: Html) -> None:
        self.answer.content = str(content)

    def _soon(self, act: Callable[[], None]) -> None:
        """Do something in the thread; what waits there for its turn is dropped."""
        with self._lock:
            self._next = act
            if self._busy:
                return
            self._busy = True
        threading.Thread(target=self._work, daemon=True, name="cadbridge fit").start()

    def _work(self) -> None:
        while True:
            with self._lock:
                act, self._next = self._next, None
                self._busy = act is not None
            if act is None:
                return
            try:
                act()
            except Exception as fault:  # the thread goes on, and a person reads what went wrong
                self._say(el("p", f"That could not be computed: {fault}", class_="lines"))


def pose_block(where: str, found: Fit) -> Html:
    """Play and forces at a pose, as a sentence and a table of the mates."""
    if not found.groups:
        return el("p", f"{where}: nothing binds.", class_="lines")
    first = found.groups[0]
    answer = (
        f"{where}: {found.redundant} of {found.rows} equations are redundant. Play needed in the worst case: "
        f"{figure(first.play.worst * TO_MM, 3)} mm ({listed(first.mates, 4)}). Forces of the worst errors without play:"
    )
    return join([el("p", answer, class_="lines"), _forces(found)])


def _forces(found: Fit) -> Html:
    """The largest force and moment of each mate, those of the costliest group first."""
    from cadbridge.report.views.misfit import beyond, plain_force

    mates = [(mate, [x for x in group.loads if x.mate == mate]) for group in found.groups for mate in group.mates]
    rows = []
    for mate, loads in mates[:MOST_ROWS]:
        cells = [max((x.worst for x in loads if x.turns == turns), default=0.0) for turns in (False, True)]
        mark = el("span", "beyond its rating", class_="badge error")
        over = [" ", mark] if any(beyond(x, found.settings) for x in loads) else []
        rows.append(
            el("tr", el("td", mate, *over, class_="long"), [el("td", plain_force(x), class_="n") for x in cells])
        )
    if len(mates) > MOST_ROWS:
        rows.append(el("tr", el("td", f"… and {len(mates) - MOST_ROWS} more", colspan=3)))
    heads = el("tr", [el("th", text, scope="col") for text in ("mate", "force N", "moment N m")])
    return el("table", el("thead", heads), el("tbody", rows))
