"""Simulation in the live view: play, pause, step, reset, changes on the way, pulls by a spring."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cadbridge.errors import CadbridgeError
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.report.html import el
from cadbridge.report.live.changing import GROUND, attached, changes_table, direction_in, place_in, words_of
from cadbridge.report.live.joint_charts import JointCharts
from cadbridge.report.live.panel import Panel
from cadbridge.report.live.player import Player
from cadbridge.report.live.scene import body_names
from cadbridge.report.views.numbers import figure
from cadbridge.simulation.interactive import AppliedChange, InteractiveRun
from cadbridge.simulation.scenario import Scenario
from cadbridge.visible import visible
from solver.result import Status

SPEEDS = {"⅒ ×": 0.1, "¼ ×": 0.25, "½ ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "5 ×": 5.0}
"""Seconds of the run for each second of the clock."""
NOTHING = "– none –"
"""Stands in a choice where there is nothing to choose."""

Pulled = tuple[Vector, Vector, str]
"""A pull: the point of the body and the place it is drawn to, in the world (m), and the force in words."""
_TOLD = 0.2
"""s between two times that the numbers of a run are written anew."""


@dataclass(frozen=True, eq=False)
class Picked:
    """Where a person clicked last: a body, the point of it (m, frame B), and the axis or normal there, or None."""

    body: int
    point: Vector
    axis: Vector | None


class Simulation:
    """The run of a live view, its panel and what a person does to it.

    `show` takes poses of the bodies, `notify` a text, `draw` the ends of a pull with its force, or None. `start` gives
    the joint values (rad, m) from which a run begins; `plots` plots the run that is there.
    """

    def __init__(
        self, panel: Panel, mechanism: Mechanism, scenario: tuple[Scenario, dict[str, Any]] | None,
        show: Callable[[Sequence[Pose]], None], draw: Callable[[Pulled | None], None], notify: Callable[[str], None],
        start: Callable[[], Mapping[str, float]], plots: Callable[[], None],
    ) -> None:  # fmt: skip
        self._mechanism, self._scenario = mechanism, scenario
        self._show, self._draw, self._notify, self._start = show, draw, notify, start
        self.player: Player | None = None
        self.pull: Pulled | None = None
        self._picked: Picked | None = None
        self._written = 0.0
        names = zip(body_names(mechanism), mechanism.bodies, strict=True)
        self._bodies = {**{name: body.components[0] for name, body in names}, GROUND: GROUND}
        self._add_run(panel, plots)
        self._add_changes(panel)

    def _add_run(self, panel: Panel, plots: Callable[[], None]) -> None:
        self.answer = panel.text()
        self._say("Play lets the mechanism move by itself, under gravity and its loads.")
        panel.buttons("run", ("Play", "Pause", "Step", "Reset"), self.press)
        self.speed = panel.choice("speed", tuple(SPEEDS), lambda _: self._set_speed(), "1 ×")
        panel.key(" ", "Play or pause", lambda: self.press("Pause" if self.playing else "Play"))
        panel.key("n", "Step", lambda: self.press("Step"))
        panel.key("u", "Undo the last change", self.undo)
        self.charts = JointCharts(panel, self._mechanism)
        panel.button("All plots of this run", plots)

    def _add_changes(self, panel: Panel) -> None:
        joints = tuple(visible(j.name) for j in self._mechanism.joints) or (NOTHING,)
        self._joints = dict(zip(joints, (j.name for j in self._mechanism.joints), strict=False))
        with panel.within("folder", "Change it while it runs"):
            self.joint = panel.choice("joint", joints, _nothing)
            panel.buttons("do", ("Lock", "Unlock", "Release", "Restore"), self.joint_change)
            self.a = panel.choice("body a", tuple(self._bodies), _nothing)
            self.b = panel.choice("body b", tuple(self._bodies), _nothing, GROUND)
            panel.buttons("attach", ("Rigid", "Ball", "Hinge"), self.attach)
            self.made = panel.choice("attached", (NOTHING,), _nothing)
            panel.button("Detach", lambda: self.take_off(self.made.value))
            panel.button("Undo the last change", self.undo)
            self.list = panel.text()

    @property
    def active(self) -> bool:
        """Whether there is a run: bodies are pulled by a spring then, not by hand."""
        return self.player is not None

    @property
    def playing(self) -> bool:
        """Whether the run goes on now."""
        return self.player is not None and self.player.playing

    def press(self, button: str) -> None:
        """Play, Pause, Step or Reset."""
        if button == "Reset":
            self.reset()
            return
        if button == "Pause":
            self.pause()
            return
        player = self._begin()
        if player is None:
            return
        if button == "Play":
            player.play()
        else:
            status = player.step()
            self._write()
            if not status.ok:
                self._ended(status)

    def pause(self) -> None:
        """Stop where the run is; nothing happens where there is none."""
        if self.player is not None:
            self.player.pause()
            self._write()

    def close(self) -> None:
        """End the run."""
        if self.player is not None:
            self.player.pause()
            self.player = None

    def reset(self) -> None:
        """Throw the run away: bodies can be moved by hand again, from where it began."""
        if self.player is None:
            return
        self.player.pause()
        with self.player.with_run() as run:
            run.reset()
            self._drawn(run)
            self._show(run.poses())
        self.player = None
        self.charts.clear()
        self._list(())
        self._say("The run is reset. Play lets it move again from here.")

    def _begin(self) -> Player | None:
        """The run, made where there is none yet; None where there cannot be one, which is reported."""
        if self.player is not None:
            return self.player
        self._say("Preparing the run …")
        scenario, document = self._scenario or (None, None)
        # rad or m: what rounding leaves of a joint that was not moved.
        positions = {name: value for name, value in self._start().items() if abs(value) > 1e-12}
        try:
            run = InteractiveRun(self._mechanism, scenario, document, positions)
        except CadbridgeError as fault:
            self._say("It cannot be simulated.")
            findings = getattr(fault, "findings", ())
            lines = [str(fault), *(f.message for f in list(findings)[:5] if f.message not in str(fault))]
            lines += list(dict.fromkeys(f.hint for f in list(findings)[:5] if f.hint))
            self._notify("\n".join(lines))
            return None
        self.player = Player(run, self._shown, self._ended)
        self._set_speed()
        for finding in run.findings.as_tuple():
            self._notify(finding.message)
        return self.player

    def _set_speed(self) -> None:
        if self.player is not None:
            self.player.speed = SPEEDS[self.speed.value]

    def _shown(self, run: InteractiveRun) -> None:
        """After each step, with the run in hand: bodies, spring, and now and then the numbers."""
        self._show(run.poses())
        self.charts.sample(run.t, run.poses())
        self._drawn(run)
        if time.monotonic() - self._written > _TOLD:
            self._say_where(run)

    def _write(self) -> None:
        if self.player is not None:
            with self.player.with_run() as run:
                self._say_where(run)

    def _say(self, text: str) -> None:
        self.answer.content = str(el("p", text, class_="lines"))

    def _say_where(self, run: InteractiveRun) -> None:
        self._written = time.monotonic()
        pace = self.player.pace() if self.player is not None else ""
        state = f"runs at {pace}" if self.playing and pace else "runs" if self.playing else "paused"
        self._say(f"t = {run.t:.2f} s, {state}")
        self.charts.sample(run.t, run.poses())
        self.charts.draw()

    def _ended(self, status: Status) -> None:
        """A run that cannot go on is reported, with the advice that there is."""
        self._say("The run stopped. Undo the last change, or Reset.")
        self._notify(f"{status.message}\n{status.advice}".strip())

    def joint_change(self, button: str) -> None:
        """Lock, Unlock, Release or Restore the joint that is chosen."""
        name = self._joints.get(self.joint.value)
        if name is None:
            self._notify("There is no joint.")
            return
        verb = {"Lock": "lock", "Unlock": "unlock", "Release": "release", "Restore": "attach"}[button]
        self.change(verb, name)

    def attach(self, how: str) -> None:
        """Attach body b to body a: "Rigid" as they stand, by a "Ball" or a "Hinge" at the point clicked last."""
        a, b = self._bodies[self.a.value], self._bodies[self.b.value]
        if a == b:
            self._notify("Choose two bodies to attach: body a and body b are the same.")
            return
        name = self._new_name(f"{self.a.value} to {self.b.value}")
        if how == "Rigid":
            self.change("lock", {"name": name, "a": a, "b": b})
            return
        if self._picked is None:
            self._notify(f"Click the face at which the {how.lower()} shall be first.")
            return
        if how == "Hinge" and self._picked.axis is None:
            self._notify("The point clicked has no direction for a hinge: click a face, or attach by a ball.")
            return
        self._attach_points(name, a, b, how)

    def _attach_points(self, name: str, a: str, b: str, how: str) -> None:
        """Points of both bodies at the place that was picked; a hinge by a second one along its axis."""
        if self._begin() is None or self.player is None or self._picked is None:
            return
        with self.player.with_run() as run:
            poses = run.poses()
        X = poses[self._picked.body] if self._picked.body != GROUND_BODY else Pose()
        at = X.point(self._picked.point)
        ends = {key: place_in(self._mechanism, poses, component, at) for key, component in (("a", a), ("b", b))}
        if not self.change("attach", {"name": name, **ends}) or how == "Ball" or self._picked.axis is None:
            return
        axis = X.vector(self._picked.axis)
        # Two points of an axis so far apart that their distance is no rounding, and still near the machine.
        away = at + 0.2 * self._mechanism.length_scale * axis
        line = place_in(self._mechanism, poses, a, at)
        line["axis"] = direction_in(self._mechanism, poses, a, axis)
        self.change("attach", {"name": f"{name}, axis", "a": line, "b": place_in(self._mechanism, poses, b, away)})

    def _new_name(self, wanted: str) -> str:
        taken = {e.spec.name for e in self._events()}
        if wanted not in taken:
            return wanted
        return next(name for k in range(2, len(taken) + 3) if (name := f"{wanted} ({k})") not in taken)

    def take_off(self, name: str) -> None:
        """Detach what was attached by hand."""
        found = next((e for e in self._events() if e.spec.name == name), None)
        if found is None or name not in self.made.options:
            self._notify("Nothing is attached by hand.")
            return
        if self.change("unlock" if found.spec.verb == "lock" else "release", name):
            axis = f"{name}, axis"
            if axis in attached(self._events()):
                self.change("release", axis)

    def change(self, verb: str, what: str | dict[str, Any]) -> bool:
        """Change the mechanism where the run is, and report what became of it; whether it was changed."""
        player = self._begin()
        if player is None:
            return False
        with player.with_run() as run:
            status = run.change(verb, what)
            events = run.events
            if status.ok:
                self._show(run.poses())
        if not status.ok:
            self._notify(f"Not done. {status.message}\n{status.advice}".strip())
            return False
        summary = words_of(events)
        self._notify(f"{summary}\n{status.message}".strip())
        self._list(events)
        self._write()
        return True

    def undo(self) -> None:
        """Take the last change back: the run is again where it was made."""
        if self.player is None:
            self._notify("There is no change to undo.")
            return
        was = self.player.playing
        self.player.pause()
        with self.player.with_run() as run:
            done, events = run.undo(), run.events
            self._drawn(run)
            self._show(run.poses())
        self._list(events)
        self._write()
        self._notify("The last change is undone." if done else "There is no change to undo.")
        if was and done:
            self.player.play()

    def drag(self, body: int, phase: str, start: Vector, end: Vector) -> None:
        """Pull a body by a spring from the point `start` (world, m) to `end`; `phase` is start, update or end."""
        if self.player is None:
            return
        if phase == "start" and not self.playing:
            self._notify("The run is paused: a pull acts while it plays. Reset it to move bodies by hand.")
        with self.player.with_run() as run:
            if phase == "start":
                run.grab(body, run.poses()[body].inverse().point(start))
            elif phase == "update":
                run.pull(end)
            else:
                run.let_go()
            self._drawn(run)

    def _drawn(self, run: InteractiveRun) -> None:
        """The spring as a line with its force."""
        pulling = run.pulling()
        self.pull = None if pulling is None else (pulling[0], pulling[1], f"{figure(pulling[2], 3)} N")
        self._draw(self.pull)

    def picked(self, body: int, point: Vector, axis: Vector | None) -> None:
        """A click on a body: it becomes body a, the one before body b; its first joint is chosen."""
        self._picked = Picked(body, point, axis)
        names = [name for name in self._bodies if name != GROUND]
        name = names[body] if body != GROUND_BODY else GROUND
        if name != self.a.value:
            self.b.value, self.a.value = self.a.value, name
        own = next((j.name for j in self._mechanism.joints if body in (j.b, j.a)), None)
        label = next((label for label, joint in self._joints.items() if joint == own), None)
        if label is not None:
            self.joint.value = label

    def _events(self) -> tuple[AppliedChange, ...]:
        if self.player is None:
            return ()
        with self.player.with_run() as run:
            return run.events

    def _list(self, events: Sequence[AppliedChange]) -> None:
        """The changes as rows, and what can be detached."""
        self.list.content = changes_table(events)
        names = tuple(attached(events))
        self.made.options = names or (NOTHING,)
        self.made.value = self.made.options[-1]


def _nothing(_: Any) -> None:
    """Of what is only read when a button beside it is pressed."""
