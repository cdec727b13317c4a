"""Reactions shared by stiffness along a run, and a run with springs: closed forms, dense algebra, springs that bend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.cli import main
from cadbridge.efforts.table import inverse_columns
from cadbridge.mechanism import build
from cadbridge.misfit import Rule, Settings
from cadbridge.simulation.by_stiffness import mate_rows_of, multipliers_by_stiffness
from cadbridge.simulation.elastic import elastic
from cadbridge.simulation.run import Run, simulate
from cadbridge.simulation.scenario import EventSpec, Scenario
from cadbridge.simulation.trajectory import columns_of, trajectory_table
from solver.constraints.evaluation import evaluate_program
from tests.diagnosis.linkages import bennett, planar
from tests.misfit.models import on_line

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


@pytest.mark.parametrize("model", [planar(FOUR_BAR), bennett(), on_line((0.0, 0.3, 0.9))])
def test_shares_balance_what_the_run_balances_and_no_self_stress_lowers_their_energy(model: Assembly) -> None:
    """Beside dense algebra: λ₀ − N (Nᵀ C N)⁻¹ Nᵀ C λ₀ with N of a singular value decomposition, along the motion."""
    run = falling(model, (1.0, -G, -2.0))
    settings = Settings(
        stiffness=[Rule("mates", "*", {"across": 3e7, "tilt": 2e4}), Rule("mates", "*1", {"along": 1e6})]
    )
    rows = mate_rows_of(run.lowered, settings)
    assert rows is not None
    T = run.result.trajectory
    shared = multipliers_by_stiffness(rows, run.system, T, 0.3)
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
    assert elastic(run).reason == "no mates repeat each other, or the mechanism changes on its way"


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
