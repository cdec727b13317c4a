"""What a person takes along from the live view: the pose as a model, the run as a table, its changes as a scenario."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cadbridge.errors import CadbridgeError, InputError
from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.report.live.panel import Panel
from cadbridge.report.live.player import Player
from cadbridge.report.live.simulating import Simulation
from cadbridge.simulation.trajectory import trajectory_table, write_table

if TYPE_CHECKING:
    import pyarrow as pa

MakeGlb = Callable[[Mechanism, Path | None], bytes]
"""The binary glTF of a mechanism, with the run of a file as its animation where one is given."""


class Saving:
    """Buttons that `give` files to the browser that asks; `poses` gives X_WB of the bodies, `notify` takes a text."""

    def __init__(
        self, panel: Panel, give: Callable[[str, bytes], None], mechanism: Mechanism, simulation: Simulation,
        poses: Callable[[], Sequence[Pose]], glb: MakeGlb | None, notify: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._mechanism, self._simulation, self._poses = mechanism, simulation, poses
        self._glb, self._give, self._notify = glb, give, notify
        stem = Path(mechanism.assembly.source).stem or "mechanism"
        makers: dict[str, tuple[str, Callable[[], bytes]]] = {
            "Run as a table (Parquet)": (f"{stem}.run.parquet", self.table),
            "Run as a scenario": (f"{stem}.scenario.yaml", self.scenario),
        }
        if glb is not None:
            makers = {
                "Model at this pose (GLB)": (f"{stem}.glb", self.model),
                "Model with its run (GLB)": (f"{stem}.run.glb", self.film),
                **makers,
            }
        for label, (name, make) in makers.items():
            panel.button(label, partial(self.send, name, make))

    def send(self, name: str, make: Callable[[], bytes]) -> None:
        """Give what is made to the browser that pressed the button; what cannot be made is reported."""
        try:
            content = make()
        except CadbridgeError as fault:
            self._notify(str(fault))
            return
        self._give(name, content)
        self._notify(f"{name} is ready to be saved.")

    def model(self) -> bytes:
        """The mechanism where it is, as binary glTF."""
        assert self._glb is not None
        return self._glb(posed(self._mechanism, self._poses()), None)

    def film(self) -> bytes:
        """The mechanism with its run as animation, as binary glTF."""
        assert self._glb is not None
        with tempfile.TemporaryDirectory(prefix="cadbridge-") as folder:
            path = Path(folder) / "run.parquet"
            path.write_bytes(self.table())
            return self._glb(self._mechanism, path)

    def so_far(self) -> pa.Table:
        """The run so far as a table."""
        with self._player().with_run() as run:
            return trajectory_table(run.run())

    def table(self) -> bytes:
        """The run so far, as `simulate` writes one."""
        with tempfile.TemporaryDirectory(prefix="cadbridge-") as folder:
            write_table(self.so_far(), path := Path(folder) / "run.parquet")
            return path.read_bytes()

    def scenario(self) -> bytes:
        """The run so far as a scenario that repeats it."""
        with self._player().with_run() as run:
            return run.scenario_text().encode()

    def _player(self) -> Player:
        player = self._simulation.player
        if player is None:
            raise InputError("There is no run: press Play under Simulate first.")
        return player


def posed(mechanism: Mechanism, poses: Sequence[Pose]) -> Mechanism:
    """The mechanism with its bodies, and the parts in them, at poses X_WB: what is drawn of it stands there."""
    bodies = tuple(replace(b, X_WB=X) for b, X in zip(mechanism.bodies, poses, strict=True))
    moved = []
    for instance in mechanism.assembly.instances:
        k = mechanism.body_of.get(instance.component, GROUND_BODY)
        if k != GROUND_BODY:
            X_BI = mechanism.bodies[k].X_WB.inverse() @ instance.X_WI
            instance = replace(instance, X_WI=poses[k] @ X_BI)
        moved.append(instance)
    return replace(mechanism, bodies=bodies, assembly=replace(mechanism.assembly, instances=tuple(moved)))
