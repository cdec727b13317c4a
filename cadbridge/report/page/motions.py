"""Motions that the page plays: each freedom moved through the constraints, and a simulated run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.constraint_graph import ConstraintGraph
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import GROUND_BODY, Joint, Mechanism
from cadbridge.report.page.buffer import Buffer
from cadbridge.report.page.scene import packed
from cadbridge.simulation import read_trajectory
from cadbridge.simulation.posing import SHOWN_SLIDE, SHOWN_TURN, Mover, graph_of_joints, leading_joints
from cadbridge.units import DEGREE, MM, TO_MM
from cadbridge.wording import listed
from solver.rotation import matrix

if TYPE_CHECKING:
    import pyarrow as pa

Array = NDArray[np.float64]

MOST_FREEDOMS = 24
"""Freedoms that are moved; more than a person looks at would only fill the page."""
MOST_POSES = 250_000
"""Poses of bodies in all freedoms together: some MB of the page."""
MOST_FRAMES = 600
"""Frames of a run; longer ones are thinned: ten seconds of the clock at sixty pictures."""
ONE_WAY = 20
"""Frames to either side of the designed pose, at least."""
SAME_PLACE = 1e-3
"""Share of the mechanism's length by which a run may leave a joint open, and still belong to it."""


def freedom_clips(mechanism: Mechanism, buffer: Buffer) -> list[dict[str, Any]]:
    """A clip for each leading joint: to and fro about the designed pose, as far as limits and loops let it.

    What hangs on a joint in no loop turns or slides with it as one: the page does that by itself.
    """
    if not mechanism.bodies or not mechanism.joints:
        return []
    leading = leading_joints(mechanism)[:MOST_FREEDOMS]
    joints = {joint.name: joint for joint in mechanism.joints}
    rigid = _carried_alone(mechanism, leading)
    mover = None if rigid.keys() >= set(leading) else Mover(mechanism)
    clips, poses = [], 0
    for joint in (joints[name] for name in leading):
        motion: dict[str, Any]
        if joint.name in rigid:
            low, high = _ends(mechanism, joint)
            values = np.unique(np.concatenate([np.linspace(low, 0, ONE_WAY + 1), np.linspace(0, high, ONE_WAY + 1)]))
            motion = {"bodies": rigid[joint.name][0], "twist": rigid[joint.name][1].tolist()}
        else:
            assert mover is not None
            values, path = _path(mover, joint)
            poses += path.shape[0] * path.shape[1]
            if poses > MOST_POSES:
                break
            motion = _packed(path, buffer)
        angle = joint.coordinate == "angle"
        shown = np.degrees(values) if angle else values * TO_MM
        clips.append(
            {
                "kind": "freedom",
                "name": f"{joint.name} {'turns' if angle else 'slides'}",
                "joint": joint.name,
                "detail": "",
                "duration": 4.0,
                "values": [round(float(v), 4) for v in shown],
                "unit": "°" if angle else "mm",
                **motion,
            }
        )
    return clips


def _carried_alone(mechanism: Mechanism, leading: Sequence[str]) -> dict[str, tuple[list[int], Array]]:
    """Of each leading joint in no loop: the bodies that it moves as one, and how.

    A twist (6,), [v of the world's origin; ω] in m and rad, is for 1 degree or mm of the joint.
    """
    graph = graph_of_joints(mechanism)
    looped = {unit for block in graph.loops for unit in block.units}
    found = {}
    for joint in (j for j in mechanism.joints if j.name in leading):
        child = next((u for u in (joint.b, joint.a) if _is_branch(graph, u, joint)), None)
        if child is None or child in looped:
            continue
        bodies = [child]
        for body in bodies:  # grows while it is walked
            bodies += graph.children.get(body, ())
        X_WJ = mechanism.X_WB(joint.a) @ joint.X_AJ
        way = DEGREE if joint.coordinate == "angle" else MM
        freedom = way * (1.0 if child == joint.b else -1.0) * joint.freedom[:, 0]
        w = X_WJ.vector(freedom[3:])
        found[joint.name] = sorted(bodies), np.concatenate([X_WJ.vector(freedom[:3]) + np.cross(X_WJ.p, w), w])
    return found


def _is_branch(graph: ConstraintGraph, unit: int, joint: Joint) -> bool:
    """Whether a unit of the tree hangs on the other body of a joint by that joint."""
    branch = graph.branches.get(unit)
    return branch is not None and {unit, branch.parent} == {joint.a, joint.b} and branch.freedom.shape[1] == 1


def _ends(mechanism: Mechanism, joint: Joint) -> tuple[float, float]:
    """How far (rad, m) a joint is shown to both sides of the designed pose, within its limits."""
    reach = SHOWN_TURN if joint.coordinate == "angle" else SHOWN_SLIDE * mechanism.length_scale
    lower, upper = -reach, reach
    if joint.limit is not None:
        lower = max(lower, joint.limit.lower) if joint.limit.lower is not None else lower
        upper = min(upper, joint.limit.upper) if joint.limit.upper is not None else upper
    return min(lower, 0.0), max(upper, 0.0)


def _path(mover: Mover, joint: Joint) -> tuple[Array, Array]:
    """Values (k,) of a joint moved from end to end, and the poses (k, n, 7) of all bodies."""
    ends = _ends(mover.mechanism, joint)
    mover.home()
    # rad, m: a joint that has no range still has a step.
    step = min(mover.reach(joint.name), max(ends[1] - ends[0], 1e-9) / (2 * ONE_WAY))
    sides = []
    for end in ends:
        home = mover.home()
        values, poses = [0.0], [packed(home.poses)]
        for value in np.linspace(0.0, end, int(np.ceil(abs(end) / step)) + 1)[1:]:
            posed = mover.move({joint.name: float(value)})
            if not posed.status.ok:
                break
            values.append(float(value))
            poses.append(packed(posed.poses))
        sides.append((values, poses))
    mover.home()
    (down, low), (up, high) = sides
    return np.array(down[:0:-1] + up), np.array(low[:0:-1] + high).reshape(-1, len(mover.mechanism.bodies), 7)


def _packed(path: Array, buffer: Buffer) -> dict[str, Any]:
    """Poses (k, n, 7) of the bodies that move: positions in steps across their box, quaternions in 1/32767."""
    # m, and parts of a unit quaternion: no pixel shows less.
    moving = [b for b in range(path.shape[1]) if np.ptp(path[:, b], axis=0).max(initial=0.0) > 1e-9]
    kept = path[:, moving]
    positions = kept[..., :3].reshape(-1, 3)
    low = positions.min(axis=0) if len(positions) else np.zeros(3)
    # Places as 16 bits over their range, turns as 15 bits and a sign: half the bytes of the page.
    step = np.ptp(positions, axis=0) / 65535 if len(positions) else np.zeros(3)
    steps = np.divide(positions - low, step, out=np.zeros_like(positions), where=step > 0)
    return {
        "bodies": moving,
        "low": [float(x) for x in low],
        "step": [float(x) for x in step],
        "positions": buffer.add(np.rint(steps), "u2"),
        "quaternions": buffer.add(np.rint(kept[..., 3:] * 32767), "i2"),
    }


class RunData:
    """A trajectory that belongs to a mechanism: its table, and the poses of the mechanism's bodies.

    Raises InputError with finding CB630 where it belongs to another one.
    """

    def __init__(self, mechanism: Mechanism, path: Path, table: pa.Table | None = None) -> None:
        """Of a file, or of a table with the same columns, which `path` then only names."""
        self.mechanism, self.path = mechanism, path
        self.table: pa.Table = read_trajectory(path) if table is None else table
        self._names = set(self.table.column_names)
        self.time = self.column("time")
        self._bearers = [self._bearer(k) for k in range(len(mechanism.bodies))]
        missing = [b.name for b, bearer in zip(mechanism.bodies, self._bearers, strict=True) if bearer is None]
        if missing:
            self._refuse(f"it has no motion of {listed(missing, 3)}")
        if not len(self.time):
            self._refuse("it has no samples")
        if not np.all(np.isfinite(self.poses(np.array([0])))):
            self._refuse("its first sample is not finite")
        self._check_joints()

    def column(self, name: str) -> Array:
        """The values (k,) of a column; KeyError where there is none."""
        return np.asarray(self.table.column(name).to_numpy(), dtype=float)

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self._names

    def poses(self, samples: NDArray[np.int64]) -> Array:
        """Poses (k, n, 7) of the mechanism's bodies at some samples."""
        axes = ("x", "y", "z", "qw", "qx", "qy", "qz")
        found = np.empty((len(samples), len(self._bearers), 7))
        for b, bearer in enumerate(self._bearers):
            for k, axis in enumerate(axes):
                found[:, b, k] = self.column(f"body.{bearer}.{axis}")[samples]
        return found

    def _bearer(self, body: int) -> str | None:
        """The unit of the run that bears a body's frame: the body, or (mates kept) its first component."""
        it = self.mechanism.bodies[body]
        return next((n for n in (it.name, *it.components[:1]) if f"body.{n}.qz" in self._names), None)

    def _check_joints(self) -> None:
        """At the first sample both bodies of every joint must agree on where it is."""
        poses = self.poses(np.array([0]))[0]
        tolerance = SAME_PLACE * self.mechanism.length_scale
        apart = []
        for joint in self.mechanism.joints:
            # Where a joint slides its two origins differ by right.
            if joint.kind.slides:
                continue
            ends = [self._point(poses, joint.a, joint.X_AJ.p), self._point(poses, joint.b, joint.X_BJ.p)]
            if float(np.linalg.norm(ends[0] - ends[1])) > tolerance:
                apart.append(joint.name)
        if apart:
            self._refuse(f"in its first sample {listed(apart, 3)} would be apart")

    def _point(self, poses: Array, body: int, p: Array) -> Array:
        if body == GROUND_BODY:
            return self.mechanism.ground.X_WB.point(p)
        return np.asarray(poses[body, :3] + matrix(poses[body, 3:]) @ p)

    def _refuse(self, why: str) -> None:
        findings = Findings()
        name = Path(self.mechanism.assembly.source).name
        findings.add("CB630", f"{self.path.name} is not a run of {name}: {why}", Where(file=str(self.path)))
        raise InputError("The run belongs to another model.", findings)


def run_clip(run: RunData, buffer: Buffer, label: str = "") -> dict[str, Any]:
    """The simulated motion, thinned to at most `MOST_FRAMES` frames."""
    samples = np.unique(np.linspace(0, len(run.time) - 1, min(MOST_FRAMES, len(run.time))).astype(np.int64))
    times = run.time[samples]
    return {
        "kind": "run",
        "name": label or run.path.name,
        "detail": f"{times[-1]:.4g} s simulated, {len(run.time)} samples, {len(samples)} shown",
        # s: a run of one sample still plays.
        "duration": max(float(times[-1] - times[0]), 1e-3),
        "values": [round(float(t), 6) for t in times],
        "unit": "s",
        **_packed(run.poses(samples), buffer),
    }
