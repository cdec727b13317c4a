"""What the steps of `build` share: the assembly, its components by index, the bodies once merged, findings."""

from __future__ import annotations

from dataclasses import dataclass, field

from cadbridge.assembly import Assembly, Feature, Mate
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.mechanism.model import GROUND_BODY, Body
from cadbridge.mechanism.sides import MateSide, side_of
from solver.algebra.rank import HIGHEST


@dataclass(eq=False)
class Builder:
    """What the steps of `build` share."""

    assembly: Assembly
    length: float = 1.0
    highest: float = HIGHEST
    findings: Findings = field(default_factory=Findings)
    names: tuple[str, ...] = ()
    poses: tuple[Pose, ...] = ()
    index: dict[str, int] = field(default_factory=dict)
    body_of: dict[str, int] = field(default_factory=dict)
    bodies: tuple[Body, ...] = ()

    def side(self, feature: Feature) -> MateSide:
        """A feature on its component; on the ground, in the world frame."""
        return side_of(self.assembly, self.index, feature)

    def known(self, feature: Feature | None, name: str, where: Where) -> bool:
        """Whether a feature's component exists; a finding where it does not."""
        if feature is not None and feature.component in self.index:
            return True
        text = f"names {feature.component}, which does not exist" if feature else "names no component on one side"
        self.findings.add("CB201", f"{name} {text}", where)
        return False

    def requested_name(self, mate: Mate) -> str | None:
        """The name that somebody gave the joint of a mate."""
        return mate.joint_name or self.assembly.joint_names.get(mate.name)

    def body_index(self, component: int) -> int:
        """The body of a component, by its index; once bodies are merged."""
        return GROUND_BODY if component == GROUND_BODY else self.body_of[self.names[component]]

    def body_pose(self, body: int) -> Pose:
        """X_WB of a body."""
        return Pose() if body == GROUND_BODY else self.bodies[body].X_WB

    def place(self, component: int) -> tuple[int, Pose]:
        """The body of a component and X_BC, where it stands in it."""
        body = self.body_index(component)
        X_WC = Pose() if component == GROUND_BODY else self.poses[component]
        return body, self.body_pose(body).inverse() @ X_WC
