"""A live view in the browser: the report page with a panel that moves, simulates and changes the mechanism."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.errors import CadbridgeError
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism import GROUND_BODY, Mechanism, build
from cadbridge.readers.mates_file.editing import left_out
from cadbridge.report.document import check_document
from cadbridge.report.live.asking import Asking
from cadbridge.report.live.deciding import Deciding
from cadbridge.report.live.fitting import Fitting, weighed
from cadbridge.report.live.joining import Clicked, Joining
from cadbridge.report.live.mates import MateChoice
from cadbridge.report.live.moving import JointSliders, scale
from cadbridge.report.live.panel import Item, Panel
from cadbridge.report.live.picking import Hit, place_of_hit, yaml_of_hit
from cadbridge.report.live.saving import MakeGlb, Saving
from cadbridge.report.live.scene import joint_value, text_block
from cadbridge.report.live.server import LiveServer, Told
from cadbridge.report.live.simulating import Pulled, Simulation
from cadbridge.report.live.swaying import Pointed
from cadbridge.report.page.motions import RunData
from cadbridge.report.page.page import Extras, page_html
from cadbridge.report.page.scene import packed
from cadbridge.report.views.tables import components_between
from cadbridge.report.views.verdict import verdict

if TYPE_CHECKING:
    from cadbridge.recognition.writing.deciding import Decision, MatesEditor
    from cadbridge.simulation.scenario import Scenario

VALUES = 0.2
"""s between two times that values of joints are written anew while bodies move."""
PROMPT = "Drag a body, and the mechanism follows. Click a face to read the YAML that names it."


class LiveView:
    """A mechanism at `address`, served from the start; `close` ends it.

    `show` takes poses of bodies; `pick` a place on a part; `drag` pulls a point of a body; `say` gets every line of
    YAML that a click names. `run` is played and plotted. `simulation` plays the mechanism, with what a `scenario` says
    acts (and its file as plain data). `editor` takes decisions about mates, which `deciding` writes to the mates file.
    `glb` makes a model to save. MissingExtraError without websockets, InputError where the port cannot be had.
    """

    def __init__(
        self, mechanism: Mechanism, *, run: RunData | None = None, diagnosis: Diagnosis | None = None,
        scenario: tuple[Scenario, dict[str, Any]] | None = None, editor: MatesEditor | None = None,
        glb: MakeGlb | None = None, host: str = "127.0.0.1", port: int = 8080, say: Callable[[str], None] = print,
    ) -> None:  # fmt: skip
        self._say, self._scenario, self._editor, self._glb = say, scenario, editor, glb
        self._lock, self._html, self._model, self._written = threading.RLock(), "", 0, 0.0
        self.panel = Panel(self._changed)
        self.simulation: Simulation | None = None
        self.deciding: Deciding | None = None
        self.joining: Joining | None = None
        self.asking: Asking | None = None
        self.fitting: Fitting | None = None
        self._pointed: dict[str, Pointed | None] = {}
        self._whole, self._answer = mechanism.assembly, PROMPT
        self.server = LiveServer(host, port, self._page, self._greet, self._hear, self._failed, self._left)
        self.address = self.server.address
        self._fill(mechanism, run, diagnosis, ())

    def load(self, mechanism: Mechanism, run: RunData | None = None, diagnosis: Diagnosis | None = None) -> None:
        """Show a mechanism, in place of the one that is shown."""
        self._whole = mechanism.assembly
        self._fill(mechanism, run, diagnosis, () if self._editor is None else left_out(self._editor.text))

    def leave_out(self, mates: Sequence[str]) -> None:
        """Show the mechanism without some of its mates, and report what becomes of it; () puts all of them back.

        With an editor it is a decision like others, to be written to the mates file; else nothing is ever written.
        """
        if self.deciding is not None:
            new = tuple(name for name in mates if name not in self._gone)
            if new:
                self.deciding.leave_out(new)
            else:
                self.deciding.put_back(self._gone)
            return
        kept = tuple(mate for mate in self._whole.mates if mate.name not in mates)
        text = f"Without {', '.join(mates)}: " if mates else "With all mates: "
        self._try(replace(self._whole, mates=kept), text, tuple(mates))

    def close(self) -> None:
        """End the server."""
        if self.simulation is not None:
            self.simulation.close()
        self.server.close()

    def show(self, poses: Sequence[Pose]) -> None:
        """Put the bodies at poses X_WB; values of joints are written now and then."""
        with self._lock:
            self.poses = tuple(poses)
            self.server.post("poses", self._packed())
            running = self.simulation is not None and self.simulation.playing
            if not running or time.monotonic() - self._written > VALUES:
                self._written = time.monotonic()
                self.moving.say_values(self.poses, running)
            if self.fitting is not None:
                self.fitting.moved()

    def drag(self, body: int, phase: str, start: Vector, end: Vector) -> None:
        """Pull a body at the point `start` (world, m) towards `end`; `phase` is start, update or end.

        While a simulation is there, a spring does it.
        """
        if self.simulation is not None and self.simulation.active:
            self.simulation.drag(body, phase, start, end)
        elif phase == "start":
            self.moving.grab(body, self.poses[body], start)
        elif phase == "update":
            self.moving.pull(end)
        else:
            self.moving.let_go()

    def pick(self, part: int, point: Vector, normal: Vector) -> str | None:
        """The YAML of the face of an instance at a point, with the normal there (world, m); it is shown."""
        assembly = self.mechanism.assembly
        body, X_BI = self._X_BI[part]
        X_IW = ((self.poses[body] if body != GROUND_BODY else Pose()) @ X_BI).inverse()
        found = Hit(part, X_IW.point(point), X_IW.vector(normal))
        at, direction = place_of_hit(assembly, found)
        if self.simulation is not None:
            self.simulation.picked(body, X_BI.point(at), X_BI.vector(direction))
        if self.joining is not None:
            X_WI = assembly.instances[part].X_WI
            name = assembly.instances[part].name
            self.joining.picked(Clicked(name, X_WI.point(at), X_WI.vector(direction)))
        line, name = yaml_of_hit(assembly, found), assembly.instances[part].name
        if line is None:
            self._notify(f"{name} has no faces to name: its geometry is a mesh.")
        else:
            self._say(line)
            self._notify(name, line)
        return line

    def _fill(
        self, mechanism: Mechanism, run: RunData | None, diagnosis: Diagnosis | None, gone: tuple[str, ...]
    ) -> None:
        """Make the panel of a mechanism anew, and let the page be loaded again."""
        if self.simulation is not None:
            self.simulation.close()
        with self._lock:
            self.mechanism, self.run, self._gone, self._pointed = mechanism, run, gone, {}
            self._diagnosis = diagnosis or diagnose(mechanism)
            self.poses = tuple(b.X_WB for b in mechanism.bodies)
            self._X_BI = [self._placed(i.component, i.X_WI) for i in mechanism.assembly.instances]
            self.panel.clear()
            self.fitting = None
            self.answer = self.panel.text(text_block(self._answer))
            self._add_tabs()
            self.show(self.poses)
            self._new_page()

    def _add_tabs(self) -> None:
        panel, mechanism = self.panel, self.mechanism
        if self._editor is not None and self._editor.inquiry is not None:
            with panel.within("tab", "Ask"):
                point = partial(self._point, "Ask")
                self.asking = Asking(panel, mechanism.assembly, self._editor, self._take, point, self._notify)
        with panel.within("tab", "Move"):
            self.moving = JointSliders(panel, mechanism, self.show, self._notify, self._by_hand)
        with panel.within("tab", "Simulate"):
            draw, start = self._draw_pull, lambda: self.moving.mover.values
            args = (mechanism, self._scenario, self.show, draw, self._notify, start, self._show_run)
            self.simulation = Simulation(panel, *args)
        with panel.within("tab", "Mates"):
            self.mates = MateChoice(panel, mechanism, self._diagnosis, self._light, self.leave_out, self._gone)
        if weighed(mechanism, self._diagnosis):
            with panel.within("tab", "Fit"):
                self.fitting = Fitting(panel, mechanism, self.moving.sliders, lambda: self.poses, self._new_page)
        if self._editor is not None:
            with panel.within("tab", "Edit"):
                acts = (self._decided, self._notify, self.moving.attempt, self._standing)
                self.deciding = Deciding(panel, mechanism, self._editor, *acts, before=self.deciding)
            with panel.within("tab", "Join"):
                point = partial(self._point, "Join")
                self.joining = Joining(panel, mechanism.assembly, self._editor, self._take, point, self._notify)
        with panel.within("tab", "Save"):
            give, poses = self.server.give, lambda: self.poses
            self.saving = Saving(panel, give, mechanism, self.simulation, poses, self._glb, self._notify)

    def _standing(self) -> dict[str, float]:
        """Where the joints that lead stand (rad, m): as they were moved, or as a run has them."""
        values = self.moving.mover.values
        if self.run is None and (self.simulation is None or not self.simulation.active):
            return values
        leading = (joint for joint in self.mechanism.joints if joint.name in values)
        return {j.name: joint_value(self.mechanism, self.poses, j) / scale(j) for j in leading}

    def _placed(self, component: str, X_WI: Pose) -> tuple[int, Pose]:
        """The body that a component belongs to, and a pose in it as designed."""
        body = self.mechanism.body_of.get(component, GROUND_BODY)
        return body, X_WI if body == GROUND_BODY else self.mechanism.bodies[body].X_WB.inverse() @ X_WI

    def _show_run(self) -> None:
        """Play and plot the simulation so far on the page."""
        try:
            self.run = RunData(self.mechanism, Path("this run"), self.saving.so_far())
        except CadbridgeError as fault:
            self._notify(str(fault))
            return
        self._notify("The run is plotted below, and played under the picture.")
        self._new_page()

    def _take(self, decision: Decision) -> None:
        """Take a decision that another tab makes, as one of the editor."""
        if self.deciding is not None:
            self.deciding.take(decision)

    def _decided(self, assembly: Assembly, text: str) -> None:
        """Show what a decision made of the model."""
        assert self._editor is not None
        if self._try(assembly, f"{text}\n", left_out(self._editor.text)):
            self._whole = assembly

    def _try(self, assembly: Assembly, text: str, gone: tuple[str, ...]) -> bool:
        """Show another assembly, and report what became of its mobility; whether it can be built."""
        try:
            mechanism = build(assembly)
            diagnosis = diagnose(mechanism)
        except CadbridgeError as fault:
            self._notify(f"{text}it cannot be built: {fault}")
            return False
        document = check_document(mechanism, diagnosis, twists=False)
        self._answer = text + verdict(document, components_between(mechanism)).text
        self._fill(mechanism, None, diagnosis, gone)
        return True

    def _by_hand(self) -> None:
        """Joints are moved by hand from here on: a run that there is ends."""
        if self.simulation is not None:
            self.simulation.reset()

    def _notify(self, text: str, code: str = "") -> None:
        self._answer = text
        self.answer.content = text_block(text, code)

    def _packed(self) -> bytes:
        return packed(self.poses).astype("<f4").tobytes()

    # What the server asks.

    def _new_page(self) -> None:
        self._html, self._model = "", self._model + 1
        self.server.post("reload", {"reload": self._model})

    def _page(self) -> str:
        """The page of the mechanism that is shown."""
        with self._lock:
            if not self._html:
                shown = None if self.fitting is None else self.fitting.shown()
                extras = Extras(run=self.run, live=self._model, fit=shown)
                self._html = page_html(self.mechanism, self._diagnosis, extras)
            return self._html

    def _greet(self, path: str) -> Iterator[Told]:
        """What a page that opens is sent; one of a model that is no longer shown loads again."""
        if parse_qs(urlsplit(path).query).get("model") != [str(self._model)]:
            yield "reload", json.dumps({"reload": self._model})
            return
        yield "panel", json.dumps({"panel": self.panel.document()})
        yield "poses", self._packed()
        for tab in self._pointed:
            yield f"point {tab}", json.dumps(self._pointing(tab))

    def _changed(self, item: Item, name: str) -> None:
        self.server.post(f"{item.number} {name}", {"item": item.number, name: item.state[name]})

    def _light(self, ref: str | None) -> None:
        self.server.post("light", {"light": ref})

    def _point(self, tab: str, what: Pointed | None) -> None:
        """While a tab is open, light two parts and show a motion of one against the other; None lights nothing."""
        self._pointed[tab] = what
        self.server.post(f"point {tab}", self._pointing(tab))

    def _pointing(self, tab: str) -> dict[str, Any]:
        what = self._pointed[tab]
        return {"tab": tab, "point": None if what is None else what.message()}

    def _draw_pull(self, pull: Pulled | None) -> None:
        ends = None if pull is None else [[float(x) for x in end] for end in pull[:2]]
        self.server.post("pull", {"pull": ends, "text": "" if pull is None else pull[2]})

    def _hear(self, request: Mapping[str, Any]) -> None:
        """What a browser says: a control used, a body dragged, a face clicked, a mate chosen, a time shown."""
        item = self.panel.items.get(request.get("item", 0))
        if item is not None:
            item.enter(request.get("value"))
        elif "drag" in request and request["drag"] in range(len(self.poses)):
            self.drag(
                request["drag"], request["phase"], *(np.array(request[end], dtype=float) for end in ("start", "end"))
            )
        elif "pick" in request and request["pick"] in range(len(self._X_BI)):
            self.pick(request["pick"], *(np.array(request[key], dtype=float) for key in ("point", "normal")))
        elif "chosen" in request:
            self._choose(request["chosen"])
        elif "time" in request and self.run is not None:
            self._at(float(request["time"]))

    def _choose(self, ref: str | None) -> None:
        """Something was chosen in a table or in the picture: the panels choose it too."""
        self.mates.chosen(ref)
        if self.deciding is not None:
            joints = {f"joint:{k}": joint.name for k, joint in enumerate(self.mechanism.joints)}
            self.deciding.choose(joints.get(str(ref), ""))

    def _at(self, t: float) -> None:
        """The page plays the run, and is at a time: what is saved, dragged or shown stands there too."""
        assert self.run is not None
        if self.simulation is None or not self.simulation.active:
            k = int(np.clip(np.searchsorted(self.run.time, t), 0, len(self.run.time) - 1))
            self.poses = tuple(Pose.from_quaternion(x[:3], x[3:]) for x in self.run.poses(np.array([k]))[0])
            self.moving.say_values(self.poses, True)

    def _failed(self, fault: BaseException) -> None:
        self._notify(f"That could not be done: {fault}")

    def _left(self) -> None:
        """The last page was closed: with nobody to look at it, a run stops."""
        if self.simulation is not None:
            self.simulation.pause()
