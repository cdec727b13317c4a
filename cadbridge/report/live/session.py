"""A live view in the browser: a slider for each freedom, playback of a run, and faces that tell their YAML."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError, MissingExtraError
from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.report.live.guard import Guard, refuse_unusable
from cadbridge.report.live.picking import hit, mesh_of, yaml_of_hit
from cadbridge.simulation.posing import Mover

if TYPE_CHECKING:
    import viser

    from cadbridge.mechanism import Joint
    from cadbridge.report.page.motions import RunData

PLAIN = (0.62, 0.65, 0.70, 1.0)
FRAMES_PER_SECOND = 30.0


class LiveView:
    """A mechanism in a viser server: `server` is running from the start, `close` ends it.

    `sliders` by joint name (degrees, mm); `show` takes poses of bodies; `pick` a ray; `say` gets every line of
    YAML that a click names. MissingExtraError without viser, InputError where the port cannot be had.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        run: RunData | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
        say: Callable[[str], None] = print,
    ) -> None:
        self.mechanism, self.run, self._say = mechanism, run, say
        self.mover = Mover(mechanism)
        self._guard = Guard(host)
        self.server = _server(host, port, mechanism.assembly.name, self._guard)
        self._host = host
        self._lock = threading.RLock()  # setting a slider runs its callback at once, in this thread
        self._quiet = False
        self._playing = threading.Event()
        self._frames: list[Any] = []
        self._X_BI = self._instances()
        self.poses: tuple[Pose, ...] = tuple(b.X_WB for b in mechanism.bodies)
        self._add_bodies()
        self._add_axes()
        self._frame()
        self.told = self.server.gui.add_markdown("Click a face to read the YAML that names it.")
        self.sliders = {j.name: self._slider(j) for j in self.mover.joints}
        if self.sliders:
            self.server.gui.add_button("As designed").on_click(lambda _: self.home())
        self.time = self._add_playback() if run is not None else None
        self.show(self.mover.home().poses)

    @property
    def address(self) -> str:
        """What a browser opens, with the token without which nothing is answered."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.server.get_port()}/?token={self._guard.token}"

    def close(self) -> None:
        """End the server."""
        self._playing.clear()
        self.server.stop()

    def show(self, poses: Sequence[Pose]) -> None:
        """Put the bodies at poses X_WB."""
        self.poses = tuple(poses)
        with self.server.atomic():
            for frame, X in zip(self._frames, poses, strict=True):
                frame.position, frame.wxyz = X.p, X.quaternion()

    def home(self) -> None:
        """The designed pose."""
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
        line = yaml_of_hit(self.mechanism.assembly, found)
        name = self.mechanism.assembly.instances[found.instance].name
        if line is None:
            self._tell(f"{name} has no faces to name: its geometry is a mesh.")
            return None
        self._say(line)
        self._tell(name, line)
        return line

    def _tell(self, text: str, code: str = "") -> None:
        # Names are text, whatever is in them: as code, with no fence of their own.
        self.told.content = "\n".join(f"    {line}" for line in f"{text}\n{code}".splitlines())

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
        self._frames = [scene.add_frame(f"/{k}", show_axes=False) for k in range(len(self.mechanism.bodies))]
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
            node = scene.add_batched_meshes_simple(
                (f"/{body}" if body != GROUND_BODY else "") + f"/part{n}",
                mesh.vertices.astype(np.float32),
                mesh.triangles,
                np.array([X.quaternion() for X in placed]),
                np.array([X.p for X in placed]),
                batched_colors=np.array([self._colour(k) for k in members]),
                flat_shading=True,
                side="double",
            )
            node.on_click(lambda event: self._clicked(event))

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
            parent = f"/{joint.a}" if joint.a != GROUND_BODY else ""
            if joint.a == GROUND_BODY:
                ends = self.mechanism.ground.X_WB.point(ends)
            self.server.scene.add_line_segments(f"{parent}/axis{k}", ends, colors=(47, 125, 225))

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
            wanted = {}
            for joint in self.mover.joints:
                scale = np.pi / 180 if joint.coordinate == "angle" else 1e-3
                wanted[joint.name] = float(self.sliders[joint.name].value) * scale
            posed = self.mover.move(wanted)
            self.show(posed.poses)
            if not posed.status.ok:
                self._tell(f"It goes no further: {posed.status.message}")
                self._follow()

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
        slider = self.server.gui.add_slider("time (s)", float(times[0]), float(times[-1]) + step, step, float(times[0]))
        slider.on_update(lambda _: self._at(slider.value))
        button = self.server.gui.add_button("Play or pause")
        button.on_click(lambda _: self.toggle())
        return slider

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
        self._playing.set()
        threading.Thread(target=self._play, daemon=True).start()

    def _play(self) -> None:
        assert self.run is not None
        assert self.time is not None
        start, end = float(self.run.time[0]), float(self.run.time[-1])
        t = float(self.time.value) if self.time.value < end else start
        began = time.monotonic()
        while self._playing.is_set() and (now := t + time.monotonic() - began) < end:
            self.time.value = now
            time.sleep(1 / FRAMES_PER_SECOND)
        self._playing.clear()


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
