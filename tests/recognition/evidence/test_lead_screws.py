"""Lead screws in their nuts: the pitch by the ridges, by a name, or told as not known."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cadbridge.diagnosis import diagnose, settled
from cadbridge.mechanism import build
from cadbridge.readers.finish import finish
from cadbridge.readers.options import ReadOptions
from cadbridge.recognition import Recognition, recognise
from cadbridge.recognition.evidence import gathering
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind
from cadbridge.recognition.writing.reading import with_recognised
from tests.late import cq
from tests.recognition.solids import Parts, recognised

PITCH, ROOT, TIP = 4.0, 5.75, 8.0


def bar() -> cq.Workplane:
    """A plain screw along z of 160 mm with thinner ends."""
    return cq.Workplane().circle(TIP).extrude(120).union(cq.Workplane().circle(4).extrude(160).translate((0, 0, -20)))


def drive(screw: cq.Workplane, radius: float, names: tuple[str, str]) -> Parts:
    """A frame whose ends carry a screw and two rods, on which a nut of a radius slides."""
    end = cq.Workplane().box(100, 60, 10, centered=(True, True, False)).faces(">Z").workplane()
    end = end.pushPoints([(0, 0)]).hole(8.1)
    rods = cq.Workplane().pushPoints([(-35, 0), (35, 0)]).circle(3).extrude(140)
    frame = end.translate((0, 0, -20)).union(end.translate((0, 0, 125))).union(rods.translate((0, 0, -15)))
    frame = frame.union(cq.Workplane().box(100, 10, 155, centered=(True, True, False)).translate((0, 40, -20)))
    nut = cq.Workplane().box(90, 30, 12, centered=(True, True, False)).faces(">Z").workplane()
    nut = nut.pushPoints([(-35, 0), (35, 0)]).hole(6.1).faces(">Z").workplane().pushPoints([(0, 0)]).hole(2 * radius)
    return {"frame": (frame, (0, 0, 0)), names[0]: (screw, (0, 0, 0)), names[1]: (nut, (0, 0, 10))}


def dof(found: Recognition) -> int:
    """Freedoms of a model with what was recognised."""
    return diagnose(settled(build(finish(with_recognised(found.assembly, found), ReadOptions())))).mobility.dof


def ridges() -> Wheel:
    """What is found on a right-hand trapezoidal thread of one start over 100 mm of the screw."""
    reference = TIP - PITCH / math.pi
    helix = math.atan(2 * math.pi * reference / PITCH)
    up, middle = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.06])
    mm = 1e-3
    return Wheel(
        WheelKind.THREAD, 1, False, middle, up, 100 * mm, TIP * mm, ROOT * mm, reference * mm, 1.0 * mm, helix=helix,
        doubt="lead screw",
    )  # fmt: skip


@pytest.mark.parametrize("names", [("rod", "block"), ("LeadScrew Tr16x4", "travelling_nut")])
def test_a_turn_of_a_lead_screw_moves_its_nut_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str]
) -> None:
    """By the ridges on it, or by its name."""
    ridged = names[0] == "rod"
    if ridged:
        monkeypatch.setattr(gathering, "wheels_of_parts", lambda assembly: {"rod": (ridges(),)})
    found = recognised(tmp_path, drive(bar(), ROOT if ridged else TIP, names))
    types = {frozenset((found.bodies[j.a].name, found.bodies[j.b].name)): j for j in found.joints}
    screw = types[frozenset(names)]
    assert screw.type == "screw"
    assert screw.pitch == pytest.approx(1e-3 * PITCH)
    assert types[frozenset(("frame", names[0]))].type == "revolute"
    assert types[frozenset(("frame", names[1]))].type == "prismatic"
    assert dof(found) == 1


@pytest.mark.parametrize(
    ("part", "instance", "pitch"),
    [("LeadScrew_Tr8x1.5", "LeadScrew_Tr8x1.5", 1.5), ("LeadScrew Tr8x2", "LeadScrew Tr8x2.1", 2.0),
     ("spindle", "ballscrew lead 2.5 mm", 2.5)],
)  # fmt: skip
def test_a_broken_pitch_is_read_and_a_counter_is_none(tmp_path: Path, part: str, instance: str, pitch: float) -> None:
    """Tr8x1.5 has 1.5 mm; the first of the instances of Tr8x2 has 2, though some systems call it Tr8x2.1."""
    assembly = recognised(tmp_path, drive(bar(), TIP, ("screw", "nut"))).assembly
    assembly = replace(
        assembly,
        parts=tuple(replace(p, name=part) if p.name == "screw" else p for p in assembly.parts),
        instances=tuple(
            replace(i, name=instance, part=part) if i.part == "screw" else i for i in assembly.instances
        ),
        components=tuple(
            replace(c, name=instance, instances=(instance,)) if "screw" in c.instances else c
            for c in assembly.components
        ),
    )  # fmt: skip
    (screw,) = (j for j in recognise(assembly).joints if j.type == "screw")
    assert screw.pitch == pytest.approx(1e-3 * pitch)


def test_a_lead_screw_whose_pitch_nothing_says_is_told(tmp_path: Path) -> None:
    found = recognised(tmp_path, drive(bar(), TIP, ("lead_screw", "nut")))
    assert all(j.type != "screw" for j in found.joints)
    assert [f.items for f in found.findings if f.code == "CB1615"] == [("lead_screw", "nut")]
    assert any(r.type == "screw" for r in found.rejected)


def test_a_screw_that_is_left_out_has_no_nut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a fastener, a spring or as told: its ridges are those of a part that is not in the scene."""
    monkeypatch.setattr(gathering, "wheels_of_parts", lambda assembly: {"rod": (ridges(),)})
    assembly = recognised(tmp_path, drive(bar(), ROOT, ("rod", "block"))).assembly
    found = recognise(assembly, ignore=("rod",))
    assert {j.type for j in found.joints} == {"prismatic"}
