"""A real FreeCAD 1.0 assembly: a universal joint with links to three parts."""

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.findings import Severity
from cadbridge.readers import ReadOptions


@pytest.fixture(scope="module")
def joint(corpus: Path) -> Assembly:
    return cb.read(corpus / "freecad" / "universal_joint_assembly.FCStd", options=ReadOptions(density=7850.0))


def test_what_the_file_holds(joint: Assembly) -> None:
    assert joint.format == "freecad"
    assert [p.name for p in joint.parts] == ["Fork", "Cross", "Base"]
    assert [c.name for c in joint.components] == ["Fork001", "Cross001", "Base001", "Fork002"]
    assert [c.name for c in joint.components if c.grounded] == ["Base001"]
    assert joint.mates_in_file == len(joint.mates) == 3
    assert not [f for f in joint.findings if f.severity is Severity.ERROR]


def test_how_it_moves(joint: Assembly) -> None:
    mechanism = cb.build(joint)
    found = cb.diagnose(mechanism).mobility
    assert (found.rows, found.rank, found.dof) == (15, 15, 3)
    assert [j.type for j in mechanism.joints] == ["revolute"] * 3
    assert "CB207" not in {f.code for f in mechanism.findings}  # the connectors meet as FreeCAD's solver left them


def test_parts_are_in_their_own_frames(joint: Assembly) -> None:
    """The stored placement is taken off: the base lies on its own origin, 5 mm of its hub off centre."""
    brep = joint.part("Base").shape
    assert brep is not None
    assert brep.brep is not None
    np.testing.assert_allclose(brep.brep.com[:2], 0.0, atol=1e-9)
    assert brep.brep.mass == pytest.approx(5.3407e-5, rel=1e-4)  # the volume in m³
