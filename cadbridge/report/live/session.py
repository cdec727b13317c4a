"""A live view in the browser: bodies dragged by the mouse, sliders, playback of a run, mates as rows, faces as YAML."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cadbridge.assembly import Assembly, Limit
from cadbridge.errors import CadbridgeError, InputError, MissingExtraError
from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.readers.mates_file.editing import left_out
from cadbridge.report.document import check_document
from cadbridge.report.live.deciding import Deciding
from cadbridge.report.live.dragging import Drags
from cadbridge.report.live.guard import Guard, refuse_unusable
from cadbridge.report.live.mates import MateList
from cadbridge.report.live.picking import Hit, hit, mesh_of, place_of_hit, yaml_of_hit
from cadbridge.report.live.saving import MakeGlb, Saving
from cadbridge.report.live.scene import dependent_values, node_name, ratio_words, scene_names, text_block
from cadbridge.report.live.showing import Showing
from cadbridge.report.live.simulating import SPEEDS, Simulation
from cadbridge.report.views.tables import components_between
from cadbridge.report.views.verdict import verdict
from cadbridge.simulation.posing import Mover

if TYPE_CHECKING:
    import viser

    from cadbridge.diagnosis import Diagnosis
    from cadbridge.mechanism import Joint
    from cadbridge.recognition.deciding import MatesEditor
    from cadbridge.report.page.motions import RunData
    from cadbridge.simulation.scenario import Scenario

PLAIN = (0.62, 0.65, 0.70, 1.0)
FRAMES_PER_SECOND = 30.0
SWING, SLIDE = np.radians(30.0), 0.1
"""rad, and share of the mechanism's length, by which a joint is tried to either side."""
VALUES = 0.2
"""s between two times that values of joints are written anew while a run goes on."""
PROMPT = "Drag a body, and the mechanism follows. Click a face to read the YAML that names it."


class LiveView:
    """A mechanism in a viser server: `server` is running from the start, `close` ends it.

    `sliders` by joint name (degrees, mm); `show` takes poses of bodies; `pick` a ray; `drag` pulls a point of a body;
    `say` gets every line of YAML that a click names. `diagnosis` marks redundant mates in their list. `simulation`
    plays the mechanism, with what a `scenario` says acts (and its file as plain data). `editor` takes decisions about
    mates, which `deciding` writes to the mates file. `glb` makes a model to save.
    MissingExtraError without viser, InputError where the port cannot be had.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        run: RunData | None = None,
        diagnosis: Diagnosis | None = None,
        scenario: tuple[Scenario, dict[str, Any]] | None = None,
        editor: MatesEditor | None = None,
        glb: MakeGlb | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
        say: Callable[[str], None] = print,
    ) -> None:
        self._say = say
        self._guard = Guard(host)
        self.server = _server(host, port, mechanism.assembly.name, self._guard)
        self._host = host
        self._lock = threading.RLock()  # setting a slider runs its callback at once, in this thread
        self._quiet = False
        self._playing = threading.Event()
        self._hand = ThreadPoolExecutor(1, "cadbridge drag")  # viser's own pool would mix up the events of a drag
        self._scenario, self._editor, self._glb = scenario, editor, glb
        self.deciding: Deciding | None = None
        self._begin_panel()
        self._written = 0.0
        self.simulation: Simulation | None = None
        self.server.on_client_disconnect(lambda _: self._left())
        self._whole, self._run_of_whole = mechanism.assembly, run
        self._left_out: tuple[str, ...] = ()
        self._fill(mechanism, run, diagnosis)
        self._frame()

    def _begin_panel(self) -> None:
        """What stays while mechanisms come and go: the text on top, and the tabs."""
        gui = self.server.gui
        self.told: Any = gui.add_html(text_block(PROMPT))
        group = gui.add_tab_group()
        names = ("Move", "Simulate", "Mates", *(("Edit",) if self._editor is not None else ()), "Picture")
        self._tabs = {name: group.add_tab(name) for name in names}
        self._pages: list[Any] = []

    @contextlib.contextmanager
    def _page(self, name: str) -> Iterator[None]:
        """A tab's content, which goes with the mechanism."""
        with self._tabs[name]:
            page = self.server.gui.add_folder(None)
        self._pages.append(page)
        with page:
            yield

    def leave_out(self, mates: tuple[str, ...]) -> None:
        """Show the mechanism without some of its mates, and tell what becomes of it; () puts all of them back.

        With an editor it is a decision like others, to be written to the mates file; else nothing is ever written.
        """
        from cadbridge.diagnosis import diagnose
        from cadbridge.mechanism import build

        if self.deciding is not None:
            new = tuple(name for name in mates if name not in self._left_out)
            if new:
                self.deciding.leave_out(new)
            else:
                self.deciding.put_back(self._left_out)
            return
        kept = tuple(mate for mate in self._whole.mates if mate.name not in mates)
        try:
            mechanism = build(replace(self._whole, mates=kept))
            diagnosis = diagnose(mechanism)
        except CadbridgeError as fault:
            self._tell(f"Without {', '.join(mates)} it cannot be built: {fault}")
            return
        answer = verdict(check_document(mechanism, diagnosis), components_between(mechanism)).text
        run = self._run_of_whole if not mates else None
        self._show(mechanism, run, diagnosis, mates)
        self._tell(f"Without {', '.join(mates)}: {answer}" if mates else f"With all mates: {answer}")

    def load(self, mechanism: Mechanism, run: RunData | None = None, diagnosis: Diagnosis | None = None) -> None:
        """Show a mechanism, in place of the one that is shown."""
        self._whole, self._run_of_whole = mechanism.assembly, run
        gone = () if self._editor is None else left_out(self._editor.text)
        self._show(mechanism, run, diagnosis, gone)

    def _show(
        self, mechanism: Mechanism, run: RunData | None, diagnosis: Diagnosis | None, left_out: tuple[str, ...]
    ) -> None:
        self._playing.clear()
        if self.simulation is not None:
            self.simulation.close()
        with self._lock:
            self._left_out = left_out
            self.server.scene.reset()
            for page in self._pages:
                page.remove()
            self._pages = []
            self._fill(mechanism, run, diagnosis)

    def _fill(self, mechanism: Mechanism, run: RunData | None, diagnosis: Diagnosis | None) -> None:
        """Make the scene and the panel of a mechanism."""
        self.mechanism, self.run = mechanism, run
        self.mover = Mover(mechanism)
        self._drags = Drags(self.mover)
        self._frames: list[Any] = []
        self._meshes: list[tuple[str, Any]] = []
        self._axes: list[Any] = []
        self._names = scene_names(mechanism)
        self._X_BI = self._instances()
        self._ratios = ratio_words(self.mover)
        self.poses: tuple[Pose, ...] = tuple(b.X_WB for b in mechanism.bodies)
        self._add_bodies()
        self._add_axes()
        with self._page("Move"):
            self._add_joints()
            self.time = self._add_playback() if run is not None else None
        with self._page("Simulate"):
            self.simulation = self._simulation()
        with self._page("Mates"):
            self.mates = MateList(self.server, mechanism, diagnosis, self._names, self._tell)
            self.mates.offer(self.leave_out, self._left_out)
        if self._editor is not None:
            with self._page("Edit"):
                self.deciding = self._decisions(self._editor)
        with self._page("Picture"):
            self.showing = Showing(self.server, (*self._names, "ground"), self._meshes, self._axes)
            args = (self.server, mechanism, self.simulation, lambda: self.poses, self._glb, self._tell)
            self.saving = Saving(*args)
        self.show(self.mover.home().poses)

    def _add_joints(self) -> None:
        self.sliders = {j.name: self._slider(j) for j in self.mover.joints}
        if self.sliders:
            self.server.gui.add_button("As designed").on_click(lambda _: self.home())
        self.values = self.server.gui.add_html("")

    def _simulation(self) -> Simulation:
        return Simulation(
            self.server,
            self.mechanism,
            self._names,
            self._scenario,
            self.show_running,
            self._tell,
            self._starting,
        )

    def _decisions(self, editor: MatesEditor) -> Deciding:
        return Deciding(
            self.server, self.mechanism, editor, self._decided, self._tell, self.attempt, lambda: self.mover.values
        )

    def _decided(self, assembly: Assembly, said: str) -> None:
        """Show what a decision made of the model, and tell what became of its mobility."""
        from cadbridge.diagnosis import diagnose
        from cadbridge.mechanism import build

        assert self._editor is not None
        try:
            mechanism = build(assembly)
            diagnosis = diagnose(mechanism)
        except CadbridgeError as fault:
            self._tell(f"{said} It cannot be built: {fault}")
            return
        answer = verdict(check_document(mechanism, diagnosis), components_between(mechanism)).text
        self._whole, self._run_of_whole = assembly, None
        self._show(mechanism, None, diagnosis, left_out(self._editor.text))
        self._tell(f"{said}\n{answer}")

    def attempt(self, name: str) -> None:
        """Move one joint to and fro, all else following, so that a person sees what it is."""
        joint = next((j for j in self.mechanism.joints if j.name == name), None)
        if joint is None or not joint.coordinate:
            self._tell(f"{name} has no single freedom to try: drag its bodies.")
            return
        self._by_hand()
        led = tuple(j.name for j in self.mover.joints)
        mover = Mover(self.mechanism, led if joint.name in led else (joint.name,))
        reach = SWING if joint.coordinate == "angle" else SLIDE * self.mechanism.length_scale
        low, high = (-reach, reach) if joint.limit is None else _within(joint.limit, reach)
        path = np.concatenate([np.linspace(0, high, 15), np.linspace(high, low, 30), np.linspace(low, 0, 15)])
        for value in path:
            posed = mover.move({joint.name: float(value)})
            self.show_running(posed.poses)
            if not posed.status.ok:
                self._tell(f"{name} goes no further: {posed.status.message}")
                break
            time.sleep(1 / FRAMES_PER_SECOND)
        self.home()

    def _starting(self) -> dict[str, float]:
        """A simulation begins where the joints are; what else plays stops."""
        self._playing.clear()
        return self.mover.values

    def _left(self) -> None:
        """The page was closed: with nobody to look at it, a run stops."""
        if not self.server.get_clients():
            self._playing.clear()
            if self.simulation is not None:
                self.simulation.pause()

    @property
    def address(self) -> str:
        """What a browser opens, with the token without which nothing is answered."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.server.get_port()}/?token={self._guard.token}"

    def close(self) -> None:
        """End the server."""
        self._playing.clear()
        if self.simulation is not None:
            self.simulation.close()
        self._hand.shutdown(wait=False, cancel_futures=True)
        self.server.stop()

    def show(self, poses: Sequence[Pose]) -> None:
        """Put the bodies at poses X_WB."""
        self._put(poses, dependent_values(self.mechanism, poses, self.sliders, self._ratios))

    def show_running(self, poses: Sequence[Pose]) -> None:
        """As `show`, many times a second: values of all joints are written now and then."""
        values = None
        if time.monotonic() - self._written > VALUES:
            self._written = time.monotonic()
            values = dependent_values(self.mechanism, poses, (), self._ratios)
        self._put(poses, values)

    def _put(self, poses: Sequence[Pose], values: str | None) -> None:
        self.poses = tuple(poses)
        with self.server.atomic():
            for frame, X in zip(self._frames, poses, strict=True):
                frame.position, frame.wxyz = X.p, X.quaternion()
            if values is not None:
                self.values.content = values

    def drag(self, body: int, phase: str, start: ArrayLike, end: ArrayLike, ticket: int | None = None) -> None:
        """Pull a body at the point `start` (world, m) towards `end`; `phase` is start, update or end.

        While a simulation is there, a spring does it. `ticket` is that of the event, where it had to wait.
        """
        if self.simulation is not None and self.simulation.active:
            self.simulation.drag(body, phase, np.asarray(start, dtype=float), np.asarray(end, dtype=float))
            return
        ticket = self._drags.ticket() if ticket is None else ticket
        with self._lock:
            if phase == "start":
                self._playing.clear()
                self._drags.grab(body, self.poses[body], np.asarray(start, dtype=float))
            elif phase == "update" and self._drags.newest(ticket):
                posed = self._drags.pull(np.asarray(end, dtype=float))
                self.show(posed.poses)
                self._follow()

    def home(self) -> None:
        """The designed pose."""
        self._by_hand()
        with self._lock:
            self.show(self.mover.home().poses)
            self._follow()

    def pick(self, origin: Sequence[float], direction: Sequence[float]) -> str | None:
        """The YAML of the face that a ray in the world meets first; it is shown and said."""
        d = np.asarray(direction, dtype=float)
        poses = [self._pose(k) for k in range(len(self._X_BI))]
        found = hit(self.mechanism.assembly, poses, np.asarray(origin, dtype=float), d / np.linalg.norm(d))
        if found is None:
            return None
        self._choose(found)
        line = yaml_of_hit(self.mechanism.assembly, found)
        name = self.mechanism.assembly.instances[found.instance].name
        if line is None:
            self._tell(f"{name} has no faces to name: its geometry is a mesh.")
            return None
        self._say(line)
        self._tell(name, line)
        return line

    def _choose(self, found: Hit) -> None:
        """Tell the simulation which body was clicked, and where."""
        body, X_BI = self._X_BI[found.instance]
        point, direction = place_of_hit(self.mechanism.assembly, found)
        self.showing.body.value = self._names[body] if body != GROUND_BODY else "ground"
        if self.simulation is not None:
            self.simulation.picked(body, X_BI.point(point), X_BI.vector(direction))

    def _tell(self, text: str, code: str = "") -> None:
        self.told.content = text_block(text, code)

    def _instances(self) -> list[tuple[int, Pose]]:
        """The body of each instance, and its pose in that body."""
        found = []
        for instance in self.mechanism.assembly.instances:
            body = self.mechanism.body_of.get(instance.component, GROUND_BODY)
            X_BW = self.mechanism.bodies[body].X_WB.inverse() if body != GROUND_BODY else Pose()
            found.append((body, X_BW @ instance.X_WI))
        return found

    def _pose(self, instance: int) -> Pose:
        body, X_BI = self._X_BI[instance]
        return self.poses[body] @ X_BI if body != GROUND_BODY else X_BI

    def _add_bodies(self) -> None:
        """A frame for each body, and below it one batch of meshes for each shape."""
        scene = self.server.scene
        scene.set_up_direction("+z")
        self._frames = [scene.add_frame(f"/{name}", show_axes=False) for name in self._names]
        batches: dict[tuple[int, str], list[int]] = defaultdict(list)
        for k, instance in enumerate(self.mechanism.assembly.instances):
            batches[self._X_BI[k][0], instance.part].append(k)
        for n, ((body, part), members) in enumerate(batches.items()):
            shape = self.mechanism.assembly.part(part).shape
            meshes = (shape.coarse, shape.fine) if shape is not None else ()
            mesh = next((m for m in meshes if m is not None and len(m.triangles)), None)
            if mesh is None:
                continue
            placed = [self._X_BI[k][1] for k in members]
            name = self._names[body] if body != GROUND_BODY else "ground"
            node = scene.add_batched_meshes_simple(
                f"/{name}/{node_name(part)} {n}",
                mesh.vertices.astype(np.float32),
                mesh.triangles,
                np.array([X.quaternion() for X in placed]),
                np.array([X.p for X in placed]),
                batched_colors=np.array([self._colour(k) for k in members]),
                flat_shading=True,
                side="double",
            )
            node.on_click(lambda event: self._clicked(event))
            if body != GROUND_BODY:
                node.on_drag(self._dragged(body))
            self._meshes.append((name, node))

    def _frame(self) -> None:
        """Look at all of it from the front, the right and above."""
        boxes = []
        for k, instance in enumerate(self.mechanism.assembly.instances):
            mesh = mesh_of(self.mechanism.assembly, instance)
            if mesh is not None:
                corners = np.array([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)])
                boxes.append(self._pose(k).point(corners))
        points = np.vstack(boxes) if boxes else np.array([X.p for X in self.poses]).reshape(-1, 3)
        if not len(points):
            return
        low, high = points.min(axis=0), points.max(axis=0)
        centre, size = (low + high) / 2, max(float(np.linalg.norm(high - low)), 1e-3)
        camera = self.server.initial_camera
        camera.fov = np.pi / 4
        camera.near, camera.far = 1e-3 * size, 1e2 * size
        camera.look_at = centre
        camera.position = centre + size * np.array([1.0, -1.0, 0.6])

    def _dragged(self, body: int) -> Callable[[Any], Any]:
        """What hears a drag of a body: in order, and without holding up the server."""

        async def heard(event: Any) -> None:
            ends = event.start_position, event.end_position
            self._hand.submit(self.drag, body, event.phase, *ends, self._drags.ticket())

        return heard

    def _clicked(self, event: Any) -> None:
        self.pick(event.ray_origin, event.ray_direction)

    def _colour(self, k: int) -> NDArray[np.uint8]:
        instance = self.mechanism.assembly.instances[k]
        colour = instance.colour or self.mechanism.assembly.part(instance.part).colour or PLAIN
        return np.rint(np.clip(colour[:3], 0, 1) * np.float64(255)).astype(np.uint8)

    def _add_axes(self) -> None:
        """The axis of each joint, fixed in its first body."""
        for k, joint in enumerate(self.mechanism.joints):
            length = 0.1 * self.mechanism.length_scale
            ends = np.array([[[0.0, 0.0, -length], [0.0, 0.0, length]]]) @ joint.X_AJ.R.T + joint.X_AJ.p
            parent = f"/{self._names[joint.a]}" if joint.a != GROUND_BODY else "/ground"
            if joint.a == GROUND_BODY:
                ends = self.mechanism.ground.X_WB.point(ends)
            name = f"{parent}/axis {k} {node_name(joint.name)}"
            self._axes.append(self.server.scene.add_line_segments(name, ends, colors=(47, 125, 225)))

    def _slider(self, joint: Joint) -> Any:
        """A slider that leads a joint within its limits; a turn or half the mechanism's length without any."""
        angle = joint.coordinate == "angle"
        scale = 180 / np.pi if angle else 1e3
        reach = np.pi if angle else 0.5 * self.mechanism.length_scale
        lower = joint.limit.lower if joint.limit and joint.limit.lower is not None else -reach
        upper = joint.limit.upper if joint.limit and joint.limit.upper is not None else reach
        low, high = min(lower, 0.0) * scale, max(upper, 0.0) * scale
        if high - low < 1e-9:
            low, high = -1.0, 1.0
        label = f"{joint.name} ({'°' if angle else 'mm'})"
        slider = self.server.gui.add_slider(label, float(low), float(high), float((high - low) / 720), 0.0)
        slider.on_update(lambda _: self._led())
        return slider

    def _led(self) -> None:
        """A slider was moved: lead its joint there, as far as it goes, and let the sliders tell how far."""
        with self._lock:
            if self._quiet:
                return
            self._by_hand()
            wanted = {}
            for joint in self.mover.joints:
                scale = np.pi / 180 if joint.coordinate == "angle" else 1e-3
                wanted[joint.name] = float(self.sliders[joint.name].value) * scale
            posed = self.mover.move(wanted)
            self.show(posed.poses)
            if not posed.status.ok:
                self._tell(f"It goes no further: {posed.status.message}")
                self._follow()

    def _by_hand(self) -> None:
        """Joints are led by hand from here on: a run that there is ends."""
        if self.simulation is not None:
            self.simulation.reset()

    def _follow(self) -> None:
        """Put the sliders to where the joints are, without leading them."""
        self._quiet = True
        try:
            for joint in self.mover.joints:
                scale = 180 / np.pi if joint.coordinate == "angle" else 1e3
                self.sliders[joint.name].value = self.mover.values[joint.name] * scale
        finally:
            self._quiet = False

    def _add_playback(self) -> Any:
        assert self.run is not None
        times = self.run.time
        step = float(max(times[-1] - times[0], 1e-3) / 1000)
        gui = self.server.gui
        with gui.add_folder("Run"):
            slider = gui.add_slider("time (s)", float(times[0]), float(times[-1]) + step, step, float(times[0]))
            gui.add_button("Play or pause").on_click(lambda _: self.toggle())
            steps = gui.add_button_group("step", ("◀ back", "on ▶"))
            self.speed: Any = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1 ×")
            self.loop: Any = gui.add_checkbox("loop", False)
        slider.on_update(lambda _: self._at(slider.value))
        steps.on_click(lambda _: self.step(1 if steps.value == "on ▶" else -1))
        return slider

    def step(self, samples: int) -> None:
        """Pause, and show the sample of the run that lies so many further on."""
        if self.run is None or self.time is None:
            return
        self._by_hand()
        self._playing.clear()
        k = int(np.searchsorted(self.run.time, self.time.value - 1e-9)) + samples
        self.time.value = float(self.run.time[np.clip(k, 0, len(self.run.time) - 1)])

    def _at(self, t: float) -> None:
        assert self.run is not None
        k = int(np.clip(np.searchsorted(self.run.time, t), 0, len(self.run.time) - 1))
        with self._lock:
            self.show([Pose.from_quaternion(x[:3], x[3:]) for x in self.run.poses(np.array([k]))[0]])

    def toggle(self) -> None:
        """Play the run from where it is, or stop."""
        if self._playing.is_set() or self.run is None or self.time is None:
            self._playing.clear()
            return
        self._by_hand()
        self._playing.set()
        threading.Thread(target=self._play, daemon=True).start()

    def _play(self) -> None:
        assert self.run is not None
        assert self.time is not None
        start, end = float(self.run.time[0]), float(self.run.time[-1])
        now = float(self.time.value) if self.time.value < end else start
        clock = time.monotonic()
        while self._playing.is_set():
            before, clock = clock, time.monotonic()
            now += (clock - before) * SPEEDS[self.speed.value]
            if now >= end:
                if not self.loop.value:
                    break
                now = start
            self.time.value = now
            time.sleep(1 / FRAMES_PER_SECOND)
        self._playing.clear()


def _within(limit: Limit, reach: float) -> tuple[float, float]:
    """How far to both sides a joint may be tried."""
    lower = -reach if limit.lower is None else max(-reach, min(limit.lower, 0.0))
    upper = reach if limit.upper is None else min(reach, max(limit.upper, 0.0))
    return lower, upper


def _server(host: str, port: int, label: str, guard: Guard) -> viser.ViserServer:
    try:
        import viser
    except ImportError as fault:
        raise MissingExtraError('The live view needs viser: pip install "cadbridge[view]".') from fault
    refuse_unusable(host)
    try:
        with (
            guard.installed(),
            contextlib.redirect_stdout(sys.stderr),
        ):  # its banner: stdout holds the YAML of faces and nothing else
            return viser.ViserServer(host=host, port=port, label=label, verbose=False)
    except (OSError, RuntimeError) as fault:
        raise InputError(f"The view cannot be served at {host}:{port}: {fault}.") from fault
