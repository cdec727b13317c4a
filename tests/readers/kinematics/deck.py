"""Two blocks in an assembly as STEP text, joined by what a test says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.frames import Pose
from cadbridge.readers.options import ReadOptions
from cadbridge.reading import read
from tests.readers.same_mechanism.model import BODIES
from tests.readers.same_mechanism.step import Structure

A, B = "Base", "Crank"
X_WJ = Pose.from_rpy([0.1, 0.2, 0.3], [0.3, -0.2, 0.5])
"""Where the pair's frames stand as designed."""


class Pairs(Structure):
    """The structure with links for all bodies; `pair` adds joints and pairs, `text21` ends it."""

    def __init__(self) -> None:
        super().__init__()
        d = self.deck
        self.links: dict[str, str] = {}
        self.representations: dict[str, str] = {}
        self.items: list[str] = []
        for name in BODIES:
            self.links[name] = d.put(f"KINEMATIC_LINK('{name}')")
            origin = d.placement(Pose())
            representation = d.put(f"RIGID_LINK_REPRESENTATION('{name}',({origin}),{self.context},{self.links[name]})")
            self.representations[name] = representation
            bound = d.put(f"KINEMATIC_LINK_REPRESENTATION_ASSOCIATION('',$,{representation},{self.shape[name]})")
            relation = d.put(f"PRODUCT_DEFINITION_RELATIONSHIP_KINEMATICS('',$,{self.usage[name]})")
            d.put(f"CONTEXT_DEPENDENT_KINEMATIC_LINK_REPRESENTATION({bound},{relation})")

    def pair(self, kind: str, rest: str = "", X: tuple[Pose, Pose] = (X_WJ, X_WJ), name: str = "P") -> None:
        """A pair between A and B, `rest` after its joint; `X` are X_WJ of its two frames."""
        d = self.deck
        joint = d.put(f"KINEMATIC_JOINT('{name}',{self.links[A]},{self.links[B]})")
        frames = ",".join(d.placement(BODIES[n].X.inverse() @ x) for n, x in zip((A, B), X, strict=True))
        tail = f",{rest}" if rest else ""
        self.items.append(d.put(f"{kind}('{name}','{name}',$,{frames},{joint}{tail})"))

    def text21(self) -> str:
        """The whole file."""
        d = self.deck
        topology = d.put(f"KINEMATIC_TOPOLOGY_STRUCTURE('',(),{self.context})")
        mechanism = d.put(f"MECHANISM_REPRESENTATION('',({','.join(self.items)}),{self.context},{topology})")
        kinematics = d.put(f"PRODUCT_DEFINITION_KINEMATICS('','',{self.definition['fourbar']})")
        d.put(f"KINEMATIC_PROPERTY_MECHANISM_REPRESENTATION({kinematics},{mechanism},{self.representations[A]})")
        return d.text("AP242_MANAGED_MODEL_BASED_3D_ENGINEERING_MIM_LF { 1 0 10303 442 1 1 4 }")


def turned(angle: float = 0.0, advance: float = 0.0, axis: int = 2) -> Pose:
    """The pair's second frame after a turn (rad) and an advance (m) about and along an axis of the first."""
    e = np.eye(3)[axis]
    K = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return X_WJ @ Pose(R, advance * e)


def read_text(folder: Path, text: str) -> Assembly:
    """The assembly of a STEP text, without geometry."""
    path = folder / "pair.step"
    path.write_text(text, encoding="utf-8")
    return read(path, options=ReadOptions(geometry=False))
