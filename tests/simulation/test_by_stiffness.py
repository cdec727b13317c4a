"""Reactions shared by stiffness along a run, and a run with springs: closed forms, dense algebra, springs that bend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import cadbridge as cb
from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.cli import main
from cadbridge.efforts.table import inverse_columns
from cadbridge.mechanism import build
from cadbridge.misfit import Rule, Settings
from cadbridge.simulation import load_scenario
from cadbridge.simulation.by_stiffness import mate_rows_of, multipliers_by_stiffness, stages_of
from cadbridge.simulation.elastic import elastic
from cadbridge.simulation.run import Run, simulate
from cadbridge.simulation.scenario import EventSpec, Scenario
from cadbridge.simulation.trajectory import columns_of, trajectory_table
from solver.constraints.evaluation import evaluate_program
from tests.diagnosis.linkages import bennett, planar
from tests.mechanism.building import assembly, mate
from tests.misfit.models import on_line, turned

G = 9.81
DOOR = Path(__file__).parents[2] / "fixtures" / "door" / "door.sdf"
FOUR_BAR = [(0.0, 0.0), (0.05, 0.2), (0.45, 0.35), (0.5, 0.0)]


def alike(k: float) -> Settings:
    """The same stiffness for all mates, N/m; turns have a thousandth of it."""
    places = dict.fromkeys(("across", "along", "place"), k)
    return Settings(stiffness=[Rule("mates", "*", {**places, **dict.fromkeys(("tilt", "turn", "swing"), 1e-3 * k)})])


def falling(model: Assembly, gravity: tuple[float, float, float], seconds: float = 0.2) -> Run:
    return simulate(build(replace(model, gravity=gravity)), duration=seconds, collapse=False)


def test_a_swinging_door_hangs_on_its_hinges_by_their_stiffness() -> None:
    """A third of the weight each; across, springs at heights h carry moments by k h: for any pose of the door."""
    heights = (0.0, 0.5, 1.0)
    run = falling(on_line(heights), (0.0, 2.0, -G))
    columns = columns_of(run)
    angle = columns["joint.hinge 0.q"][0]
    assert np.ptp(angle) > 0.05
    for i in range(3):
        np.testing.assert_allclose(columns[f"by_stiffness.mate.hinge {i}.fz"][0], G / 3, rtol=1e-9)
    # What each of the outer two has beyond a third of the whole is a couple; their difference carries the moment.
    for axis in "xy":
        parts = [columns[f"by_stiffness.mate.hinge {i}.f{axis}"][0] for i in range(3)]
        np.testing.assert_allclose(parts[0] - parts[1], parts[1] - parts[2], atol=1e-9)
        np.testing.assert_allclose(sum(parts), columns[f"joint.hinge 0.f{axis}"][0], atol=1e-9)
    moment = np.hypot(*(columns[f"by_stiffness.mate.hinge 0.t{axis}"][0] for axis in "xy"))
    assert 0.0 < moment.max() < 0.02 * G * 0.4


def test_a_hinge_that_points_against_its_joint_has_its_share_all_the_same() -> None:
    """It had none, or one of the wrong sign, so that the shares did not add up to what the joint carries."""
    model = on_line((0.0, 0.5, 1.0))
    against = replace(model, mates=(model.mates[0], turned(model.mates[1]), model.mates[2]))
    plain, columns = (columns_of(falling(m, (0.0, 2.0, -G))) for m in (model, against))
    for axis in "xyz":
        parts = [columns[f"by_stiffness.mate.hinge {i}.f{axis}"][0] for i in range(3)]
        np.testing.assert_allclose(sum(parts), columns[f"joint.hinge 0.f{axis}"][0], atol=1e-8)
        for i, part in enumerate(parts):
            np.testing.assert_allclose(part, plain[f"by_stiffness.mate.hinge {i}.f{axis}"][0], atol=1e-5)


@pytest.mark.parametrize("model", [planar(FOUR_BAR), bennett(), on_line((0.0, 0.3, 0.9))])
def test_shares_balance_what_the_run_balances_and_no_self_stress_lowers_their_energy(model: Assembly) -> None:
    """Beside dense algebra: λ₀ − N (Nᵀ C N)⁻¹ Nᵀ C λ₀ with N of a singular value decomposition, along the motion."""
    settings = Settings(
        stiffness=[Rule("mates", "*", {"across": 3e7, "tilt": 2e4}), Rule("mates", "*1", {"along": 1e6})]
    )
    run = replace(falling(model, (1.0, -G, -2.0)), stiffness=settings)
    rows = mate_rows_of(run)
    assert rows is not None
    T = run.result.trajectory
    shared = multipliers_by_stiffness(rows, run)
    for s in (0, len(T.t) // 2, len(T.t) - 1):
        A = _dense(run, s) * rows.scale[:, None]
        U, values, _ = np.linalg.svd(A)
        N = U[:, np.concatenate([values, np.zeros(len(A) - len(values))])[: len(A)] < 1e-8 * values[0]]
        before, after = (m[s, : len(rows)] / rows.scale for m in (T.multipliers, shared))
        C = np.diag(1.0 / rows.stiffness)
        expected = before - N @ np.linalg.solve(N.T @ C @ N, N.T @ C @ before)
        np.testing.assert_allclose(after, expected, atol=1e-7 * np.abs(expected).max())


def _dense(run: Run, s: int) -> NDArray[np.float64]:
    T = run.result.trajectory
    found = evaluate_program(run.system.program, T.positions[s], T.quaternions[s], T.velocities[s], T.angles[s])
    return np.asarray(found.G)


@pytest.mark.parametrize(("model", "gravity"), [(planar(FOUR_BAR), (0.0, -G, -3.0)), (bennett(), (1.0, -2.0, -G))])
def test_springs_bend_to_the_rigid_shares_as_they_become_stiffer(
    model: Assembly, gravity: tuple[float, float, float]
) -> None:
    """Ten times the stiffness, a tenth of the difference: what is left is the bending itself."""
    run = falling(model, gravity, 0.1)
    found = [elastic(replace(run, stiffness=alike(k))) for k in (1e6, 1e7, 1e8)]
    assert all(not e.reason and not e.stiff for e in found)
    assert found[1].moved == pytest.approx(0.1 * found[0].moved, rel=0.1)
    assert found[2].moved == pytest.approx(0.1 * found[1].moved, rel=0.1)
    assert found[1].force < 0.2 * found[0].force
    assert found[2].force < 2e-3 * found[2].of_force


def test_springs_are_compared_at_the_samples_of_a_run_that_an_event_ends() -> None:
    """Its last sample was held against one 12 ms later."""
    door = build(cb.read(DOOR))
    scenario = Scenario(duration=0.2, rate=50, rates={"swing": 1.0}, events=(EventSpec("swing", 0.108, stop=True),))
    run = simulate(door, scenario, collapse=False)
    assert run.result.trajectory.t[-1] == pytest.approx(0.108, abs=1e-9)
    found = elastic(run)
    assert found.force < 1e-3 * found.of_force
    assert found.moved < 1e-4


def test_where_nothing_repeats_there_are_no_shares_and_no_springs() -> None:
    run = falling(on_line((0.5,)), (0.0, 0.0, -G), 0.05)
    assert not [name for name in columns_of(run) if name.startswith("by_stiffness")]
    assert elastic(run).reason == "no mates repeat each other"


def test_the_inverse_has_the_shares_by_stiffness_and_their_peaks(tmp_path: Path) -> None:
    mechanism = build(cb.read(DOOR))
    motion = tmp_path / "motion.yaml"
    motion.write_text("format: cadbridge.motion/1\nduration: 0.2\nrate: 10\njoints: {swing: '9*t^2'}\n", "utf-8")
    found = cb.inverse(mechanism, cb.load_motion(motion, mechanism), collapse=False)
    columns = inverse_columns(found)
    for axis in "xyz":
        whole = sum(columns[f"by_stiffness.mate.{n}.f{axis}"][0] for n in ("bottom", "middle", "top"))
        np.testing.assert_allclose(whole, columns[f"joint.swing.f{axis}"][0], rtol=1e-6, atol=1e-6)
    from cadbridge.efforts import inverse_document

    peaks = [p for p in inverse_document(found)["peaks"] if p["kind"] == "by stiffness"]
    assert {p["name"] for p in peaks} == {"bottom", "middle", "top"}


def test_the_command_takes_stiffness_from_the_fit_file_beside_the_source(tmp_path: Path) -> None:
    for path in DOOR.parent.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "door.fit.yaml").write_text(
        "format: cadbridge.fit/1\nstiffness: [{mates: middle, along: 2e7}]\n", "utf-8"
    )
    table = tmp_path / "run.parquet"
    assert main(["simulate", str(tmp_path / "door.sdf"), "--duration", "0.05", "--elastic", "-o", str(table)]) == 0
    found = pq.read_table(table)
    weight = 30 * G
    for name, part in (("bottom", 0.25), ("middle", 0.5), ("top", 0.25)):
        assert found[f"by_stiffness.mate.{name}.fz"][0].as_py() == pytest.approx(part * weight, rel=1e-9)
        assert found[f"elastic.mate.{name}.fz"][-1].as_py() == pytest.approx(part * weight, rel=1e-4)


def test_chosen_columns_know_the_group() -> None:
    run = falling(on_line((0.0, 0.5)), (0.0, 0.0, -G), 0.02)
    names = trajectory_table(run, ["by_stiffness"]).column_names
    assert all(name.startswith("by_stiffness.") for name in names if name != "time")
    assert "by_stiffness.joint.hinge 0.fz" in names


def changed(model: Assembly, events: str, tmp_path: Path, settings: Settings | None = None) -> Run:
    """A run with changes, of which the rows of every mate are kept."""
    mechanism = build(replace(model, gravity=(1.0, -G, -3.0)))
    path = tmp_path / "s.yaml"
    text = "format: cadbridge.scenario/1\nduration: 0.3\nrate: 50\ntolerance: 1.0e-10\nevents:\n"
    path.write_text(text + "".join(f"  - {{{event}}}\n" for event in events.split("; ")), "utf-8")
    run = simulate(mechanism, load_scenario(path, mechanism), collapse=False)
    assert run.result.status.ok, run.findings
    return replace(run, stiffness=settings)


def unlike() -> Settings:
    return Settings(stiffness=[Rule("mates", "*", {"across": 3e7, "tilt": 2e4}), Rule("mates", "*1", {"along": 1e6})])


def three_bars() -> Assembly:
    """A parallelogram of which a third bar, alike, could be left out."""
    places = {f"bar {i}": (0.2 * i, 0.0, 0.0) for i in range(3)} | {"coupler": (0.2, 0.3, 0.0)}
    up = (0.0, 0.0, 1.0)
    mates = [
        mate(places, f"{end} {i}", MateKind.INSERT, *sides, (0.2 * i, y, 0.0), up)
        for i in range(3)
        for end, y, sides in (("foot", 0.0, (GROUND, f"bar {i}")), ("head", 0.3, (f"bar {i}", "coupler")))
    ]
    return assembly(places, mates)


def test_each_stage_of_a_run_with_changes_has_the_shares_of_what_holds_in_it(tmp_path: Path) -> None:
    """Beside runs of each stage's own mechanism: with all three bars, and with the middle bar's head let go."""
    run = changed(three_bars(), "time: 0.1, release: head 1", tmp_path, unlike())
    columns = columns_of(run)
    t = columns["time"][0]
    short = Scenario(duration=0.1, rate=50, rtol=1e-10)
    model = replace(three_bars(), gravity=(1.0, -G, -3.0))
    whole = replace(simulate(build(model), short, collapse=False), stiffness=unlike())
    left = build(replace(model, mates=tuple(m for m in model.mates if m.name != "head 1")))
    at = int(np.flatnonzero(np.isclose(t, 0.1))[0])
    names = [f"{end} {i}" for end in ("foot", "head") for i in range(3) if (end, i) != ("head", 1)]
    joints = {n: (columns[f"joint.{n}.q"][0][at], columns[f"joint.{n}.qd"][0][at]) for n in names}
    begun = Scenario(
        duration=0.2, rate=50, rtol=1e-10, positions={n: q for n, (q, _) in joints.items()},
        rates={n: rate for n, (_, rate) in joints.items()},
    )  # fmt: skip
    later = replace(simulate(left, begun, collapse=False), stiffness=unlike())
    for first, alone in ((slice(0, at), whole), (slice(at, None), later)):
        expected = columns_of(alone)
        for name in (f"by_stiffness.mate.{n}.{c}" for n in names for c in ("fx", "fy", "fz", "tx", "ty")):
            values = columns[name][0]
            if name not in expected:  # The bar that hangs alone repeats nothing: below.
                continue
            own = expected[name][0][: len(values[first])]
            np.testing.assert_allclose(values[first], own, atol=1e-6 * np.abs(values).max() + 1e-9, err_msg=name)
    hanging = columns["by_stiffness.joint.foot 1.fy"][0]
    np.testing.assert_allclose(hanging[at:], columns_of(later)["joint.foot 1.fy"][0], rtol=1e-6)
    gone = columns["by_stiffness.mate.head 1.fz"][0]
    assert np.all(gone[at:] == 0.0)
    assert np.all(gone[:at] != 0.0)
    assert np.all(columns["joint.head 1.fx"][0][at:] == 0.0)


LOCKS = (
    "time: 0.1, lock: hinge 0, impact: plastic; time: 0.14, lock: {name: glue, a: link 2, b: ground}, impact: plastic; "
    "time: 0.2, unlock: glue; time: 0.24, unlock: hinge 0"
)


def test_locks_that_repeat_mates_share_with_them(tmp_path: Path) -> None:
    """Beside dense algebra with the self-stresses of all rows that hold, in each stage: λ₀ − N (NᵀCN)⁻¹ NᵀC λ₀."""
    run = changed(planar(FOUR_BAR), LOCKS, tmp_path, unlike())
    stages = stages_of(run)
    attached = []
    for stage in stages:
        rows = mate_rows_of(stage)
        assert rows is not None
        T = stage.result.trajectory
        A = rows.sampled(stage.system, T, -1, 0.3).toarray()
        U, values, _ = np.linalg.svd(A)
        N = U[:, np.concatenate([values, np.zeros(len(A) - len(values))])[: len(A)] < 1e-8 * values[0]]
        before, after = (m[-1, rows.at] / rows.scale for m in (T.multipliers, multipliers_by_stiffness(rows, stage)))
        C = np.diag(1.0 / rows.stiffness)
        expected = before - N @ np.linalg.solve(N.T @ C @ N, N.T @ C @ before)
        np.testing.assert_allclose(after, expected, atol=1e-7 * np.abs(expected).max())
        attached.append((N.shape[1], rows.attached))
    # The lock of the one freedom repeats nothing; the glue repeats that lock, and two planar closures beside.
    assert attached == [(3, ()), (3, ()), (9, ("lock of hinge 0", "lock of glue")), (3, ()), (3, ())]
    columns = columns_of(run)
    t = columns["time"][0]
    glued = (t > 0.14 - 1e-9) & (t < 0.2 - 1e-9)
    # The coupler rests: what holds it balances its weight.
    held = columns["by_stiffness.attachment.lock of glue.fz"][0]
    upward = columns["by_stiffness.joint.hinge 1.fz"][0] - columns["by_stiffness.joint.hinge 2.fz"][0] + held
    np.testing.assert_allclose(upward[glued], 3.0, rtol=1e-9)
    assert np.all(held[~glued] == 0.0)


@pytest.mark.nightly  # the test of springs above has one stage, the one of stages no springs
def test_springs_agree_with_the_shares_in_every_stage(tmp_path: Path) -> None:
    run = changed(three_bars(), "time: 0.1, release: head 1", tmp_path)
    found = [elastic(replace(run, stiffness=alike(k))) for k in (1e7, 1e8)]
    assert [e.reason for e in found] == ["", ""]
    assert found[1].moved < 0.2 * found[0].moved
    assert found[1].force < 1e-2 * found[1].of_force
    columns = trajectory_table(replace(run, elastic=found[1]), ["elastic"])
    assert np.all(np.isfinite(columns["elastic.mate.head 0.fz"].to_numpy()))
    assert np.all(columns["elastic.mate.head 1.fz"].to_numpy()[columns["time"].to_numpy() > 0.1 - 1e-9] == 0.0)
