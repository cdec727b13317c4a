"""The mechanisms of OndselSolver's own examples, counted."""

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import MateKind
from cadbridge.diagnosis import settled
from cadbridge.findings import Severity
from cadbridge.readers.ondsel.text import expression
from solver.functions import expression as parsed

# (bodies, joints by type, couplings, rows, redundant, dof); drivers count neither in rows nor in freedom.
EXPECTED = {
    "fourbar": (3, {"revolute": 4}, 0, 20, 3, 1),
    "crank_slider": (3, {"revolute": 3, "cylindrical": 1}, 0, 19, 2, 1),
    "piston": (3, {"revolute": 3, "cylindrical": 1}, 0, 19, 2, 1),
    "Gears": (2, {"revolute": 2}, 1, 11, 0, 1),
    "rackscrew": (3, {"revolute": 2, "prismatic": 1}, 2, 17, 0, 1),
    "gyro": (1, {"spherical": 1}, 0, 3, 0, 3),
    "circularPendulum": (1, {"spherical": 1}, 0, 3, 0, 3),
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_counts(corpus: Path, name: str) -> None:
    assembly = cb.read(corpus / "ondsel" / f"{name}.asmt")
    mechanism = cb.build(assembly)
    bodies, types, couplings, rows, redundant, dof = EXPECTED[name]
    found = cb.diagnose(mechanism).mobility
    kinds = [joint.type for joint in mechanism.joints]
    assert assembly.format == "ondsel"
    assert assembly.mates_in_file == len(assembly.mates) + len(assembly.couplings)
    assert len(mechanism.bodies) == bodies
    assert {kind: kinds.count(kind) for kind in kinds} == types
    assert len(mechanism.couplings) == couplings
    assert (found.rows, found.redundant, found.dof) == (rows, redundant, dof)
    assert not [f for f in mechanism.findings if f.severity is Severity.ERROR]


def test_the_schmidt_coupling_is_redundant_and_still_moves(corpus: Path) -> None:
    assembly = cb.read(corpus / "ondsel" / "Schmidt_Coupling_Ass_1-1.asmt")
    found = cb.diagnose(cb.build(assembly)).mobility
    assert assembly.mates_in_file == 17
    assert found.dof == 1
    assert found.redundant == 12
    assert {f.code for f in assembly.findings} == {"CB1206", "CB1209"}  # FreeCAD's placeholder masses, and no unit
    assert assembly.components[0].X_WC.p[0] == pytest.approx(-33.642333984375e-3)


def test_the_study_that_goes_with_a_mechanism(corpus: Path) -> None:
    study = cb.read(corpus / "ondsel" / "crank_slider.asmt").study
    assert study is not None
    assert study.gravity == (0.0, -9.81, 0.0)
    assert (study.duration, study.rate, study.tolerance) == (1.0, 100.0, 1e-6)
    assert [(m.mate, m.kind, m.text) for m in study.motions] == [("Joint1", "angle", "2.0*pi*t")]
    assert study.reference is not None
    assert study.reference.t.shape == (101,)
    assert sorted(study.reference.positions) == ["Part1", "Part2", "Part3"]
    assert all(p.shape == (101, 3) for p in study.reference.positions.values())


def test_the_study_and_its_series_come_back_from_json(corpus: Path, tmp_path: Path) -> None:
    from cadbridge.exporters import export

    mechanism = cb.build(cb.read(corpus / "ondsel" / "fourbar.asmt"))
    back = cb.read(export(mechanism, tmp_path / "out", "json").files[0]).study
    study = mechanism.assembly.study
    assert study is not None
    assert back is not None
    assert study.reference is not None
    assert back.reference is not None
    assert [m.text for m in back.motions] == [m.text for m in study.motions]
    for field in ("positions", "rotations", "velocities"):
        for name, values in getattr(study.reference, field).items():
            np.testing.assert_array_equal(getattr(back.reference, field)[name], values)


@pytest.mark.parametrize(("name", "rows", "rank", "dof"), [("CylSphJt", 7, 7, 5), ("00camrocker", 28, 28, 2)])
def test_mechanisms_that_stand_before_their_assembly(corpus: Path, name: str, rows: int, rank: int, dof: int) -> None:
    mechanism = settled(cb.build(cb.read(corpus / "ondsel" / f"{name}.asmt")))
    found = cb.diagnose(mechanism).mobility
    assert (found.rows, found.rank, found.dof) == (rows, rank, dof)
    assert not [f.code for f in mechanism.findings if f.severity == "error"]


def test_a_run_begins_where_all_joints_close(corpus: Path) -> None:
    run = cb.simulate(cb.build(cb.read(corpus / "ondsel" / "CylSphJt.asmt")), duration=0.01)
    assert run.result.status.ok
    assert "CB408" in {f.code for f in run.mechanism.findings}
    assert not [f for f in (*run.findings, *run.mechanism.findings) if f.severity == "error"]


def test_a_constant_velocity_joint_has_four_rows(corpus: Path) -> None:
    assembly = cb.read(corpus / "ondsel" / "constvel.asmt")
    assert MateKind.CONSTANT_VELOCITY in {m.kind for m in assembly.mates}
    assert cb.diagnose(cb.build(assembly)).mobility.rows == 13


def test_a_contact_and_a_spring_are_told_as_what_they_are(corpus: Path) -> None:
    told = {f.code: f.message for f in cb.read(corpus / "ondsel" / "00camrocker.asmt").findings}
    assert "contact (CurveCurveContact) of two curves" in told["CB1204"]
    assert "force (InLineForceTorque)" in told["CB1212"]
    assert "CB162" not in told


@pytest.mark.parametrize("time", [0.0, 0.3, 0.7, 1.4, 3.0])
def test_ramps_and_their_integrals_are_said_by_steps(time: float) -> None:
    ramp = expression("rampstep(time, 0.5, 2.0, 1.0, 2.0 + 10.0*(1.0 - 0.5))")
    area = expression("1 - integral(time,  rampstep(time, 0.5, 2.0, 1.0, 2.0 + 10.0*(1.0 - 0.5)))")
    value = np.interp(time, [0.5, 1.0], [2.0, 7.0])
    fine = np.linspace(0.0, time, 200_001)
    whole = np.trapezoid(np.interp(fine, [0.5, 1.0], [2.0, 7.0]), fine)
    assert parsed(ramp).evaluate(time)[0] == pytest.approx(value)
    assert parsed(area).evaluate(time)[:2] == pytest.approx((1 - whole, -value), abs=1e-8)
    mixed = expression("integral(time, 3 - 2*rampstep(time, 0.5, 2.0, 1.0, 7.0)/4)")
    assert parsed(mixed).evaluate(time)[:2] == pytest.approx((3 * time - whole / 2, 3 - value / 2), abs=1e-8)


@pytest.mark.parametrize(
    "text",
    ["rampstep(time, 1)", "integral(x, rampstep(t, 0, 1, 2, 3))", "rampstep(t, 2, 0, 1, 0)", "integral(t, sin(t))"],
)
def test_ramps_of_another_form_stay_what_nobody_knows(text: str) -> None:
    with pytest.raises(ValueError, match="unknown"):
        parsed(expression(text))


def test_comments_in_expressions_are_skipped() -> None:
    assert expression('-1*("a(time - T1)"<n>2*time<n>+<n>1)').replace(" ", "") == "-1*(2*t+1)"


def test_a_motion_of_a_run_that_starts_later_is_of_the_files_time(corpus: Path, tmp_path: Path) -> None:
    """In the file `time` is `tstart` where the run starts; in cadbridge t is 0 there."""
    text = (corpus / "ondsel" / "fourbar.asmt").read_text()
    lines = text.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.strip() == "tstart")
    lines[at + 1] = lines[at + 1].replace("0.0", "0.25")
    later = tmp_path / "later.asmt"
    later.write_text("".join(lines))
    studies = [cb.read(path).study for path in (corpus / "ondsel" / "fourbar.asmt", later)]
    own, shifted = (parsed(study.motions[0].text) for study in studies if study is not None)
    assert shifted.evaluate(0.5)[:2] == pytest.approx(own.evaluate(0.75)[:2])
