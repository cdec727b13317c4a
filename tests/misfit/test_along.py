"""Along a motion: each pose is the mechanism drawn there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from cadbridge.cli.app import app
from cadbridge.errors import InputError
from cadbridge.geometry import Mesh, Shape
from cadbridge.mechanism import GROUND_BODY, Mechanism, build
from cadbridge.misfit import Settings, fit
from cadbridge.misfit.poses import posed_fit
from cadbridge.misfit.proposing import applied
from cadbridge.report.misfit_along import along_answer, along_findings
from cadbridge.sweeps.fits import Along, fit_along
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


def test_the_command_moves_a_joint(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Along] = []

    def once(mechanism: Mechanism, joint: str, settings: Settings) -> Along:
        if not found:
            found.append(fit_along(mechanism, joint, settings))
        return found[0]

    monkeypatch.setattr("cadbridge.sweeps.fits.fit_along", once)
    done = CliRunner().invoke(app, ["fit", str(DOOR / "door.sdf"), "--along", "swing", "--releases", "0"])
    assert done.exit_code == 0, done.output
    assert "Along swing, all 25 poses need about the same" in done.stdout
    order = ["fit", str(DOOR / "door.sdf"), "--along", "swing", "--releases", "0", "--json"]
    told = json.loads(CliRunner().invoke(app, order).stdout)["along"]
    assert (told["joint"], told["unit"], len(told["poses"])) == ("swing", "°", 25)


def parallelogram(angle: float, exact: bool) -> Assembly:
    """Cranks of 0.2 m, 0.5 m apart, at an angle of their base: all lies on a line at 0. `exact`: with weaker mates."""
    tip = 0.2 * np.array([np.cos(angle), np.sin(angle)])
    model = planar([(0.0, 0.0), tuple(tip), (0.5 + tip[0], tip[1]), (0.5, 0.0)])
    if not exact:
        return model
    (found,) = fit(build(model)).groups
    return applied(model, found.releases.found[-1].changes)


@pytest.mark.parametrize(("exact", "elsewhere"), [(True, 0), (False, 3)])
@pytest.mark.parametrize("start", [0.5, np.pi / 6, -0.2])
def test_a_parallelogram_on_one_line_is_found_between_the_poses(exact: bool, elsewhere: int, start: float) -> None:
    """There the coupler's place along the line is held twice: at the angle of the drawing, back."""
    mechanism = build(parallelogram(start, exact))
    found = fit_along(mechanism, next(j.name for j in mechanism.joints if j.coordinate and j.a == GROUND_BODY))
    assert min(f.redundant for f in found.fits) == elsewhere
    assert found.singular is not None
    (pose,) = found.singular
    assert abs(pose.value) == pytest.approx(abs(start), abs=1e-6)
    assert (pose.more, set(pose.mates)) == (1, {m.name for m in mechanism.assembly.mates})
    (finding,) = along_findings(found)
    assert (finding.code, finding.where.item, finding.items) == ("CB444", found.joint.name, pose.mates)
    assert f"At {np.degrees(pose.value):.4g}".replace("-", "\u2212") in finding.message


def test_a_linkage_that_passes_no_line_has_no_singular_pose() -> None:
    """Grashof's crank turns, and its links never lie on one line with another of the same two freedoms."""
    found = fit_along(build(planar(drawn(1.2))), "hinge 0")
    assert found.singular == ()
    assert along_findings(found) == ()


def test_where_nothing_binds_along_the_motion_the_answer_says_so() -> None:
    found = fit_along(build(on_line((0.5,))), "hinge 0", poses=5)
    answer = along_answer(found)
    assert answer.startswith("Along hinge 0, from \u221260 \u00b0 to 60 \u00b0, nothing binds at any of 5 poses.")
    assert answer.endswith("No pose between them is singular.")


def test_the_page_of_a_mechanism_that_fits_tells_of_its_motion(tmp_path: Path, page_code: None) -> None:
    page = tmp_path / "page.html"
    source = DOOR.parent / "four_bar" / "four_bar.urdf"
    run = CliRunner().invoke(app, ["fit", str(source), "--along", "J1", "--html", str(page)])
    assert run.exit_code == 0
    assert "nothing binds at any of 25 poses" in " ".join(run.stdout.split())
    assert "nothing binds at any of 25 poses" in page.read_text("utf-8")
