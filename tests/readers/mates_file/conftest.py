"""A small assembly made by hand, and a mates file laid over it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.assembly import Assembly, Component, Instance, Part
from cadbridge.frames import Pose
from cadbridge.geometry import Face, Mesh, Shape
from cadbridge.mechanism import joints_made
from cadbridge.readers.mates_file import load_document, overlay

Overlay = Callable[..., Assembly]


def box_mesh(size: tuple[float, float, float]) -> Mesh:
    """A closed box about the origin, edges in m."""
    corners = np.array([[i >> k & 1 for k in range(3)] for i in range(8)], dtype=float) - 0.5
    quads = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Mesh(corners * np.asarray(size), np.array(triangles, dtype=np.int32))


def v(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


FACES = (
    Face("plane", v(0, 0, 0.05), v(0, 0, 1), name="top", centre=v(0, 0, 0.05)),
    Face("plane", v(0, 0, -0.05), v(0, 0, -1), name="bottom"),
    Face("cylinder", v(0, 0, 0), v(0, 0, 1), radius=0.01, name="bore"),
    Face("sphere", v(0, 0, 0.02), None, radius=0.004, name="knob"),
    Face("other", v(0, 0, 0), None, name="flank"),
    # A bore that the CAD system cut in two halves, and two holes that bear one name.
    Face("cylinder", v(0.02, 0, 0), v(0, 0, 1), radius=0.003, name="split"),
    Face("cylinder", v(0.02, 0, 0.04), v(0, 0, -1), radius=0.003, name="split"),
    Face("cylinder", v(0.03, 0, 0), v(0, 0, 1), radius=0.003, name="hole"),
    Face("cylinder", v(-0.03, 0, 0), v(0, 0, 1), radius=0.003, name="hole"),
)

TURN = Pose(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), v(0.1, 0, 0))


def make_assembly(**changes: Any) -> Assembly:
    """Base, Link1 (turned by 90°), a rigid Arm with Shaft and Hub, Pin with a ball, all 0.1 m boxes."""
    block = Part("Block", Shape("b", box_mesh((0.1, 0.1, 0.1)), None, faces=FACES))
    shaft = Part("ShaftPart", Shape("s", box_mesh((0.02, 0.02, 0.02)), None, faces=FACES[:3]), material="AISI 304")
    placed = [
        ("Base", "Block", Pose(), "Base"),
        ("Link1", "Block", TURN, "Link1"),
        ("Arm/Shaft", "ShaftPart", Pose(p=v(0, 0.3, 0)), "Arm"),
        ("Arm/Hub", "Block", Pose(p=v(0, 0.4, 0)), "Arm"),
        ("Pin", "ShaftPart", Pose(p=v(0, 0, 0.06)), "Pin"),
    ]
    components = (
        Component("Base", ("Base",), Pose()),
        Component("Link1", ("Link1",), TURN),
        Component("Arm", ("Arm/Shaft", "Arm/Hub"), Pose(p=v(0, 0.2, 0))),
        Component("Pin", ("Pin",), Pose(p=v(0, 0, 0.06))),
    )
    leaf: dict[str, Any] = {"product": "x", "children": [], "leaf": True}
    tree = [
        {"path": "Base", "X_WI": Pose(), **leaf},
        {"path": "Link1", "X_WI": TURN, **leaf},
        {
            "path": "Arm", "product": "ArmProduct", "X_WI": Pose(p=v(0, 0.2, 0)), "leaf": False,
            "children": [
                {"path": "Arm/Shaft", "X_WI": Pose(p=v(0, 0.3, 0)), **leaf},
                {"path": "Arm/Hub", "X_WI": Pose(p=v(0, 0.4, 0)), **leaf},
            ],
        },
        {"path": "Pin", "X_WI": Pose(p=v(0, 0, 0.06)), **leaf},
    ]  # fmt: skip
    given: dict[str, Any] = {
        "name": "hand", "source": "hand.step", "format": "step", "parts": (block, shaft),
        "instances": tuple(Instance(n, p, X, c) for n, p, X, c in placed),
        "components": components, "extra": {"tree": tree},
    }  # fmt: skip
    return Assembly(**{**given, **changes})


@pytest.fixture
def assembly() -> Assembly:
    """The assembly made by hand."""
    return make_assembly()


@pytest.fixture
def lay(tmp_path: Path) -> Overlay:
    """Lay the text of a mates file (without its format line) over an assembly."""

    def over(text: str, assembly: Assembly | None = None) -> Assembly:
        path = tmp_path / "hand.mates.yaml"
        path.write_text("format: cadbridge.mates/1\n" + text, encoding="utf-8")
        return overlay(assembly or make_assembly(), load_document(path), joints_made)

    return over
