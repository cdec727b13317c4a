"""Along a motion: each pose is the mechanism drawn there."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from cadbridge.assembly import GROUND, FeatureKind, Mate, MateKind, Mesh, Shape
from cadbridge.cli.app import app
from cadbridge.errors import InputError
from cadbridge.mechanism import build
from cadbridge.misfit import fit
from cadbridge.misfit.poses import posed_fit
from cadbridge.sweeps.fits import fit_along
from tests.diagnosis.linkages import planar
from tests.diagnosis.pool import door
from tests.mechanism.building import feature
from tests.misfit.models import on_line
from tests.misfit.test_fit_file import DOOR

BASE, CRANK, COUPLER, ROCKER = (0.5, 0.0), 0.2, 0.4, 0.35


def drawn(angle: float) -> list[tuple[float, float]]:
    """The hinges of a four-bar at an angle of its crank: the rocker's end by two circles."""
    A = CRANK * np.array([np.cos(angle), np.sin(angle)])
    way = np.array(BASE) - A
    d = float(np.hypot(*way))
    along = (COUPLER**2 - ROCKER**2 + d**2) / (2 * d)
    across = np.sqrt(COUPLER**2 - along**2)
    B = A + (along * way + across * np.array([-way[1], way[0]])) / d
    return [(0.0, 0.0), tuple(A), tuple(B), BASE]


def test_each_pose_is_the_linkage_drawn_there() -> None:
    start = 1.2
    found = fit_along(build(planar(drawn(start))), "hinge 0", poses=5)
    assert not found.stopped
    turned = found.joint.X_AJ.R[2, 2]  # which way the joint's axis points
    for value, here in zip(found.values.tolist(), found.fits, strict=True):
        expected = fit(build(planar(drawn(start + turned * value))), releases=0).groups[0]
        assert here.redundant == expected.redundant == 3
        assert here.play == pytest.approx(expected.play.worst, rel=5e-3)
        assert here.force == pytest.approx(max(x.worst for x in expected.loads if not x.turns), rel=1e-6)
        assert here.moment == pytest.approx(max(x.worst for x in expected.loads if x.turns), rel=1e-6)
    assert found.fits[found.first].play == max(f.play for f in found.fits)


def test_a_door_needs_the_same_everywhere() -> None:
    found = fit_along(build(door(2)), "hinge 0", poses=4)
    assert found.alike
    assert len(found.fits) == 5


def test_a_part_held_in_one_point_has_the_size_of_its_shape_at_every_pose() -> None:
    """Its mates span nothing: by ISO 2768 a part of 3 m may be off ten times as far as one of no size."""
    hinged, places = on_line((0.5,)), {"door": (0.4, 0.0, 1.0)}
    a, b = (feature(places, name, FeatureKind.POINT, (0.0, 0.0, 0.5)) for name in (GROUND, "door"))
    model = replace(hinged, mates=(*hinged.mates, Mate("ball", MateKind.SPHERICAL, a, b)))
    corners = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.5, 0.0]])
    shape = Shape("leaf", None, Mesh(corners, np.array([[0, 1, 2]], np.int32)))
    large = build(replace(model, parts=(replace(model.parts[0], shape=shape),)))
    (designed,) = fit(large, releases=0).groups
    (posed,) = posed_fit(large, [body.X_WB for body in large.bodies]).groups
    assert {e.tolerance for e in posed.errors} == {e.tolerance for e in designed.errors}
    small = fit(build(model), releases=0).groups[0]
    assert max(e.tolerance for e in designed.errors if not e.turns) == pytest.approx(1e-3)
    assert max(e.tolerance for e in small.errors if not e.turns) == pytest.approx(0.05e-3)
    assert posed.play.worst == pytest.approx(designed.play.worst, rel=1e-2)


def test_a_joint_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean hinge 0"):
        fit_along(build(door(2)), "hinge O")


def test_the_command_moves_a_joint() -> None:
    done = CliRunner().invoke(app, ["fit", str(DOOR / "door.sdf"), "--along", "swing", "--releases", "0"])
    assert done.exit_code == 0, done.output
    assert "Along swing, all 25 poses need about the same" in done.stdout
    order = ["fit", str(DOOR / "door.sdf"), "--along", "swing", "--releases", "0", "--json"]
    found = json.loads(CliRunner().invoke(app, order).stdout)["along"]
    assert (found["joint"], found["unit"], len(found["poses"])) == ("swing", "°", 25)
