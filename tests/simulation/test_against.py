"""Runs beside the time series that OndselSolver's examples hold: motion only."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Comparison, Run, compare, load_scenario, simulate, study_scenario, trajectory_table
from cadbridge.simulation.against import component_poses, component_rates
from cadbridge.study import Reference, Study
from tests.simulation.asmt import assembly, hinged, part, turning


def mechanism(corpus: Path, name: str) -> Mechanism:
    return cb.build(cb.read(corpus / "ondsel" / f"{name}.asmt"))


@pytest.mark.parametrize("name", ["fourbar", "crank_slider", "piston", "Gears", "rackscrew"])
def test_driven_motion_is_within_the_tolerance_that_the_file_states(corpus: Path, name: str) -> None:
    findings = Findings()
    found = compare(simulate(mechanism(corpus, name)), findings)
    assert found.tolerance == 1e-6
    assert found.samples >= 26
    assert found.within
    assert max(found.largest, found.largest_angle, found.largest_rate) < 1e-10
    assert not len(findings)


def test_every_row_of_every_mate_gives_the_same_motion(corpus: Path) -> None:
    assert compare(simulate(mechanism(corpus, "fourbar"), collapse=False), Findings()).largest < 1e-10


@pytest.mark.parametrize(("name", "agreed"), [("gyro", 1e-8), ("circularPendulum", 1e-7)])
def test_free_motion_leaves_a_reference_that_loses_energy(corpus: Path, name: str, agreed: float) -> None:
    """The first sample agrees; later the series strays, as its own energy shows. Ours has converged."""
    free = mechanism(corpus, name)
    asked = study_scenario(free, Findings())
    coarse, fine = (simulate(free, replace(asked, rtol=tol, atol=tol)) for tol in (1e-9, 1e-12))
    gap = np.abs(coarse.result.trajectory.positions - fine.result.trajectory.positions)
    assert np.max(gap) < 1e-6
    findings = Findings()
    found = compare(fine, findings)
    assert fine.summary["energy_drift_J"] < 1e-8 * fine.summary["energy_exchanged_J"]
    assert found.energy_error is not None
    assert found.energy_error > 1e-3
    assert [f.code for f in findings] == ["CB618"]
    assert _first(fine, free) < agreed


def _first(run: Run, free: Mechanism) -> float:
    study = free.assembly.study
    assert study is not None
    assert study.reference is not None
    return max(
        float(np.linalg.norm(component_poses(run, name)[0][1] - p[1])) for name, p in study.reference.positions.items()
    )


def test_masses_may_stay_unknown_only_where_all_is_driven(corpus: Path) -> None:
    gears = mechanism(corpus, "Gears")
    run = simulate(gears)
    assert [f.code for f in run.findings] == ["CB617", "CB684"]
    table = trajectory_table(run)
    assert np.all(np.isnan(table["energy.kinetic"].to_numpy()))
    assert np.all(np.isnan(table["joint.Joint1.fx"].to_numpy()))
    assert np.all(np.isfinite(table["joint.Joint2.q"].to_numpy()))
    with pytest.raises(ModelError):
        simulate(gears, replace(study_scenario(gears, Findings()), motors=()))


def test_a_scenario_says_otherwise(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text("format: cadbridge.scenario/1\nduration: 0.5\n")
    fourbar = mechanism(corpus, "fourbar")
    asked = study_scenario(fourbar, Findings())
    kept = load_scenario(path, fourbar, asked)
    assert (kept.duration, kept.rate, kept.gravity) == (0.5, asked.rate, asked.gravity)
    assert kept.motors == asked.motors
    path.write_text("format: cadbridge.scenario/1\nmotors: []\n")
    assert load_scenario(path, fourbar, asked).motors == ()


def test_a_wrong_run_is_told(corpus: Path) -> None:
    fourbar = mechanism(corpus, "fourbar")
    asked = study_scenario(fourbar, Findings())
    findings = Findings()
    still = simulate(fourbar, replace(asked, motors=(), positions={}))
    assert not compare(still, findings).within
    assert [f.code for f in findings] == ["CB616"]


def test_velocities_that_differ_are_told_though_the_places_agree(corpus: Path) -> None:
    run = simulate(mechanism(corpus, "fourbar"))
    moved = run.result.trajectory.velocities + np.array([0, 0, 1e-5, 0, 0, 0])
    faster = replace(run, result=replace(run.result, trajectory=replace(run.result.trajectory, velocities=moved)))
    findings = Findings()
    found = compare(faster, findings)
    assert not found.within
    assert found.largest < 1e-10
    assert found.largest_rate == pytest.approx(1e-5)
    assert [f.code for f in findings] == ["CB616"]
    assert "1e-05 m/s" in next(iter(findings)).message


def judged(run: Run) -> tuple[Comparison, list[str], str]:
    """The comparison of a run, its codes, and what its first finding says."""
    findings = Findings()
    found = compare(run, findings)
    return found, [f.code for f in findings], next((f.message for f in findings), "")


def with_reference(run: Run, **changes: object) -> Run:
    """The run beside a reference of which some fields differ."""
    study = run.mechanism.assembly.study
    assert study is not None
    assert study.reference is not None
    reference = replace(study.reference, **changes)  # type: ignore[arg-type]
    assembly = replace(run.mechanism.assembly, study=replace(study, reference=reference))
    return replace(run, mechanism=replace(run.mechanism, assembly=assembly))


def reference_of(run: Run) -> Reference:
    study = run.mechanism.assembly.study
    assert study is not None
    assert study.reference is not None
    return study.reference


def test_a_reference_off_its_own_motions_is_met_once_it_is_put_on_them(corpus: Path) -> None:
    found, codes, said = judged(simulate(mechanism(corpus, "engine1")))
    assert found.largest > found.tolerance
    assert found.largest_rate > 1e-4
    assert not found.judged
    assert codes == ["CB1242"]
    assert float(said.rpartition("agrees with the run to ")[2]) < 1e-12


def test_a_reference_without_velocities_is_judged_by_its_positions(corpus: Path) -> None:
    found, codes, said = judged(simulate(mechanism(corpus, "parm")))
    assert found.within
    assert found.largest < 1e-12
    assert (found.speeds, found.spins) == ({}, {})
    assert codes == ["CB1241"]
    assert "Part2, Part3, Part4" in said


def test_a_reference_that_breaks_its_own_joint_is_told_though_the_run_stops(corpus: Path) -> None:
    """Its solver gave up a row of the cylindrical joint; no pose but the first fulfils all of them."""
    run = simulate(mechanism(corpus, "constvel"))
    assert run.result.status.code == "inconsistent"
    found, codes, said = judged(run)
    assert (found.within, found.judged) == (False, False)
    assert codes == ["CB1242"]
    assert "breaks Cylindrical by" in said
    assert "14°" in said


def test_a_reference_computed_with_what_is_left_out_is_not_judged(corpus: Path) -> None:
    found, codes, said = judged(simulate(mechanism(corpus, "00camrocker")))
    assert (found.within, found.judged) == (False, False)
    assert codes == ["CB1243"]
    assert "CurveCurveContact" in said
    assert "SpringDamper1" in said


def test_a_reference_that_stands_still_is_told(corpus: Path) -> None:
    run = simulate(mechanism(corpus, "fourbar"))
    known = reference_of(run)
    positions = {name: np.repeat(p[:1], len(p), axis=0) for name, p in known.positions.items()}
    rotations = {name: np.repeat(R[:1], len(R), axis=0) for name, R in known.rotations.items()}
    still = with_reference(run, positions=positions, rotations=rotations)
    found, codes, said = judged(still)
    assert not found.judged
    assert codes == ["CB1240"]
    assert "101 samples" in said


def test_a_broken_joint_of_the_reference_is_named(corpus: Path) -> None:
    run = simulate(mechanism(corpus, "fourbar"))
    known = reference_of(run)
    moved = {name: p + (np.arange(len(p)) == 40)[:, None] * [1e-3, 0, 0] for name, p in known.positions.items()}
    _, codes, said = judged(with_reference(run, positions={**known.positions, "Part2": moved["Part2"]}))
    assert codes == ["CB1242"]
    # Of a shift of 1 mm, the larger part along one of the joint's two directions.
    assert 0.7 < float(said.partition(" by ")[2].partition(" mm")[0]) < 1.0
    assert f"t = {known.t[40] - known.t[0]:.3g} s" in said


def placed(rng: np.random.Generator) -> Pose:
    return Pose(Rotation.from_rotvec(0.6 * rng.normal(size=3)).as_matrix(), 0.5 * rng.normal(size=3))


@pytest.mark.parametrize("seed", range(3))
def test_a_driven_heap_of_parts_is_assembled_before_it_runs(tmp_path: Path, seed: int) -> None:
    """The crank's place and the motion's beginning cannot both be led to from where the parts lie."""
    rng, tip = np.random.default_rng(seed), lambda x: Pose(p=np.array([x, 0.0, 0.0]))
    parts = part("Crank", placed(rng), {"O": Pose(), "A": tip(0.3)}) + part(
        "Rod", placed(rng), {"A": Pose(), "B": tip(1.0)}
    )
    joints = hinged("RevoluteJoint", "Main", "/A/I", "/A/Crank/O") + hinged(
        "RevoluteJoint", "Pin", "/A/Crank/A", "/A/Rod/A"
    )
    joints += hinged("PointInLineJoint", "Guide", "/A/Along", "/A/Rod/B")
    along_x = Pose(np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    path = tmp_path / "heap.asmt"
    path.write_text(assembly(parts, {"I": Pose(), "Along": along_x}, joints, turning("/A/Main", "2.5 + time")))
    run = simulate(cb.build(cb.read(path)), duration=0.1)
    assert run.result.status.ok
    assert "CB408" in [f.code for f in run.mechanism.findings]
    R = component_poses(run, "Crank")[1][-1]
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(2.6, abs=1e-7)


def test_a_reference_that_stands_still_while_it_has_speed_is_told(corpus: Path) -> None:
    run = simulate(mechanism(corpus, "circularPendulum"))
    own = reference_of(run)
    still = {name: np.repeat(p[:1], len(p), axis=0) for name, p in own.positions.items()}
    turned = {name: np.concatenate([R[:-1], np.eye(3)[None]]) for name, R in own.rotations.items()}
    found, codes, text = judged(with_reference(run, positions=still, rotations=turned))
    assert not found.judged
    assert codes == ["CB1258"]
    assert "at 0 m/s by its positions" in text


def test_a_part_of_the_ground_needs_no_mass_for_the_energy_of_the_reference(tmp_path: Path) -> None:
    """A pendulum whose series was made with Euler's method gains energy; its frame is fixed and has no mass."""
    hook = Pose(Rotation.from_euler("x", 90, degrees=True).as_matrix())
    parts = part("Frame", Pose(), {"O": Pose(), "Hook": hook}, mass=0.0)
    parts += part("Bob", Pose(p=np.array([0.0, 0.0, -1.0])), {"Eye": Pose(hook.R, np.array([0.0, 0.0, 1.0]))})
    joints = hinged("FixedJoint", "Held", "/A/I", "/A/Frame/O") + hinged(
        "RevoluteJoint", "Pin", "/A/Frame/Hook", "/A/Bob/Eye"
    )
    path = tmp_path / "pendulum.asmt"
    path.write_text(assembly(parts, {"I": Pose()}, joints, ""))
    mechanism = cb.build(cb.read(path))
    asked = replace(study_scenario(mechanism, Findings()), rates={"Pin": 1.0})
    run = simulate(mechanism, asked)
    exact = {name: component_poses(run, name) for name in ("Frame", "Bob")}
    rates = {name: component_rates(run, name, p) for name, (p, _) in exact.items()}
    rates["Bob"] = rates["Bob"] * np.linspace(1.0, 1.001, len(rates["Bob"]))[:, None]
    places, turns = ({name: pose[k] for name, pose in exact.items()} for k in (0, 1))
    reference = Reference(run.result.trajectory.t, places, turns, rates, 1e-8)
    study = replace(mechanism.assembly.study or Study(), reference=reference)
    assembly_ = replace(run.mechanism.assembly, study=study)
    _, codes, _ = judged(replace(run, mechanism=replace(run.mechanism, assembly=assembly_)))
    assert codes == ["CB618"]


def test_a_source_without_a_series_cannot_be_compared_with(corpus: Path) -> None:
    schmidt = mechanism(corpus, "Schmidt_Coupling_Ass_1-1")
    with pytest.raises(InputError, match="no time series"):
        compare(simulate(schmidt, duration=0.01), Findings())


def test_the_command(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(corpus / "ondsel" / "crank_slider.asmt")
    status = main(["simulate", source, "--against", "reference", "-o", str(tmp_path / "run.parquet"), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert status == 0
    assert document["against"]["within"] is True
    assert document["against"]["samples"] == 101
    for gaps in ("distances_m", "angles_rad", "speeds_m_s", "spins_rad_s"):
        assert sorted(document["against"][gaps]) == ["Part1", "Part2", "Part3"]
