"""The joints over time while a mechanism runs: a chart for each unit, thinned evenly as the run grows long."""

from __future__ import annotations

from collections.abc import Sequence

from cadbridge.frames import Pose
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.report.live.panel import Panel
from cadbridge.report.live.scene import joint_value
from cadbridge.visible import visible

MOST_LINES = 8
"""As many as there are colours."""
MOST_SAMPLES = 400
"""Of a curve: more than the chart has pixels; older ones are thinned."""
_UNITS = {"angle": "°", "distance": "mm"}
_TITLES = {"angle": "Angles while it runs", "distance": "Distances while it runs"}


class JointCharts:
    """Values of joints at times of a run (° and mm), the newest last; those before are at least `every` s apart."""

    def __init__(self, panel: Panel, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        joints = {kind: [j for j in mechanism.joints if j.coordinate == kind][:MOST_LINES] for kind in _UNITS}
        self._joints: dict[str, list[Joint]] = {kind: some for kind, some in joints.items() if some}
        self.charts = {kind: panel.chart() for kind in self._joints}
        self._charted = [joint for some in self._joints.values() for joint in some]
        self.clear()

    def clear(self) -> None:
        """Forget the run."""
        self.samples: list[list[float]] = []
        self.every = 0.0
        for chart in self.charts.values():
            chart.value = None

    def sample(self, t: float, poses: Sequence[Pose]) -> None:
        """Keep the joints of this moment; of what is more than there is room for, every second moment."""
        values = [joint_value(self._mechanism, poses, joint) for joint in self._charted]
        kept = [sample for sample in self.samples if sample[0] < t]
        for k, joint in enumerate(self._charted):
            if kept and joint.coordinate == "angle":
                # Degrees: an angle goes on over a turn.
                values[k] += 360.0 * round((kept[-1][k + 1] - values[k]) / 360.0)
        if len(kept) > 1 and kept[-1][0] - kept[-2][0] < self.every:
            kept.pop()  # it was the newest, and nearer to the one before than older ones are
        self.samples = [*kept, [t, *values]]
        if len(self.samples) > MOST_SAMPLES:
            self.every = 2.0 * (t - self.samples[0][0]) / MOST_SAMPLES
            self.samples = thinned(self.samples, self.every)

    def draw(self) -> None:
        """Show the run so far."""
        if len(self.samples) < 2:
            return
        times, first = [round(sample[0], 4) for sample in self.samples], 1
        for kind, joints in self._joints.items():
            lines = [
                {"name": visible(joint.name), "values": [round(sample[k], 4) for sample in self.samples], "look": look}
                for k, (joint, look) in enumerate(
                    zip(joints, map("c{}".format, range(MOST_LINES)), strict=False), first
                )
            ]
            axis = f"value in {_UNITS[kind]}"
            self.charts[kind].value = {
                "title": _TITLES[kind], "axis": axis, "logarithmic": False, "time": times, "lines": lines,
            }  # fmt: skip
            first += len(joints)


def thinned(samples: Sequence[list[float]], every: float) -> list[list[float]]:
    """Samples at least `every` s apart, from the first on, and the last one."""
    found = [samples[0]]
    for sample in samples[1:-1]:
        if sample[0] - found[-1][0] >= every:
            found.append(sample)
    return [*found, samples[-1]]
