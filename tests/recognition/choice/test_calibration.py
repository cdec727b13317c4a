"""The confidence of a joint: what its evidence was worth on machines when they were new."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition.choice.calibration import JOINTS_AS_BUILT, JOINTS_OF_LINKS, of_joint
from cadbridge.recognition.contacts.walls import Witness
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, recognised


def arm_on_a_pin() -> Parts:
    base = box(60, 60, 10).union(disc(6, 30))
    return {"base": (base, (0, 0, 0)), "arm": (box(100, 24, 12).cut(disc(6, 12)), (0, 0, 10))}


@pytest.mark.parametrize("more", ["", "nut", "servo"])
def test_a_shaft_in_a_bore_is_surer_where_links_alone_are_drawn(tmp_path: Path, more: str) -> None:
    """A fastener or a drive says a machine as it is built, where a bore about a pin is as often one that is fixed."""
    parts = arm_on_a_pin()
    if more == "nut":
        parts["nut"] = (cq.Workplane().polygon(6, 10).circle(2.5).extrude(4), (25, 25, 10))
    if more == "servo":
        parts["servo"] = (box(20, 10, 20), (0, -25, 10))
    found = recognised(tmp_path, parts)
    (joint,) = (j for j in found.joints if {found.bodies[j.a].name, found.bodies[j.b].name} == {"base", "arm"})
    expected = JOINTS_AS_BUILT[Witness.SHAFT] if more else JOINTS_OF_LINKS
    assert joint.confidence == expected


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("witness", Witness)
def test_stronger_evidence_is_never_less_sure(witness: Witness, links: bool) -> None:
    shares = [of_joint(k / 100, witness, links) for k in range(20, 101)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
