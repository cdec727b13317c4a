"""The main job on real files: the quadruped's swing and the KR 15 fixture, as a user would run them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import cadbridge as cb
from cadbridge.diagnosis import Diagnosis
from cadbridge.exporters import export
from cadbridge.mechanism import Mechanism
from cadbridge.report.page import write_page
from cadbridge.simulation import MotorSpec, Run, Scenario, load_scenario, read_trajectory, simulate, write_trajectory
from cadbridge.simulation.trajectory import columns_of
from solver.functions import constant
from tests.report.page.browser import launched, opened

KR15 = Path(__file__).resolve().parents[2] / "fixtures" / "kr15"
# Judged by what they are compared with, and not by a second run at a larger tolerance.
TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10, "sensitivity": False}


@pytest.fixture(scope="module")
def quadruped(corpus: Path) -> Mechanism:
    return cb.build(cb.read(corpus / "quadruped_solidworks" / "Assem4.xml"))


@pytest.fixture(scope="module")
def swing(quadruped: Mechanism) -> Run:
    return simulate(quadruped, Scenario(gravity=(0.0, -9.81, 0.0), duration=5.0, rate=100.0, **TIGHT))


def test_the_quadruped_keeps_its_constraints_and_its_energy(swing: Run) -> None:
    T = swing.result.trajectory
    assert swing.result.status.ok
    assert T.t[-1] == pytest.approx(5.0)
    assert np.max(T.constraint_position) < 1e-10
    assert np.max(T.constraint_velocity) < 1e-10
    energy = T.kinetic + T.potential
    assert np.max(np.abs(energy - energy[0])) < 1e-7 * np.ptp(T.kinetic)


def test_the_quadruped_swings_as_in_mujoco(quadruped: Mechanism, swing: Run, tmp_path: Path) -> None:
    """The same bodies and joints, integrated by another engine in minimal coordinates."""
    export(quadruped, tmp_path / "mjcf", to="mjcf")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "mjcf" / "robot.xml"))
    model.opt.gravity[:] = (0.0, -9.81, 0.0)
    model.opt.timestep = 1e-4
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.dof_damping[:] = 0.0
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 10_000)
    index = int(np.argmin(np.abs(swing.result.trajectory.t - 1.0)))
    ours = {j.name: swing.result.trajectory.coordinates[index, i] for i, j in enumerate(swing.lowered.joints)}
    theirs = {model.joint(i).name: float(data.qpos[model.jnt_qposadr[i]]) for i in range(model.njnt)}
    assert len(theirs) == 8
    for name, value in ours.items():
        # A spanning tree may hang a joint the other way round; its angle is then the same.
        assert theirs[name] == pytest.approx(value, abs=1e-6), name


def test_all_redundant_rows_make_the_same_motion(quadruped: Mechanism, swing: Run) -> None:
    scenario = Scenario(gravity=(0.0, -9.81, 0.0), duration=1.0, rate=100.0, **TIGHT)
    kept = simulate(quadruped, scenario, collapse=False)
    assert kept.summary["rows"] == 56
    assert swing.summary["rows"] == 40
    ours, theirs = swing.result.trajectory.coordinates[:101], kept.result.trajectory.coordinates
    assert np.max(np.abs(ours - theirs)) < 1e-8


def test_the_kr15_counts_as_in_the_paper(kr15: Mechanism, kr15_diagnosis: Diagnosis) -> None:
    document = cb.check_document(kr15, kr15_diagnosis)
    counts, mobility = document["counts"], document["mobility"]
    assert counts["instances"] >= 1036
    assert counts["components"] == 43
    assert counts["mates"] == 95
    assert counts["couplings"] == 20
    assert {kind: n for kind, n in counts["gears"].items() if n} == {"spur": 7, "bevel": 3, "internal": 10}
    assert counts["bodies"] == 26
    assert counts["joint_types"] == {"revolute": 26}
    assert mobility == {"dof": 6, "rows": 297, "rank": 246, "redundant": 51, "gruebler": -45}
    assert sum(r["rows"] for r in document["redundancies"]) == 51


def test_the_kr15_keeps_its_gears_over_many_turns(kr15: Mechanism, tmp_path: Path) -> None:
    run = simulate(kr15, load_scenario(KR15 / "kr15.scenario.yaml", kr15))
    assert run.result.status.ok
    columns = columns_of(run)
    errors = [np.max(np.abs(v)) for name, (v, _) in columns.items() if name.endswith(".error")]
    assert len(errors) == 20
    assert max(errors) < 1e-9
    turns = max(np.ptp(run.result.trajectory.coordinates[:, i]) for i in range(len(run.lowered.joints)))
    assert turns > 2 * np.pi * 5
    write_trajectory(run, tmp_path / "run.parquet")
    table = read_trajectory(tmp_path / "run.parquet")
    assert table.column_names == list(columns)
    np.testing.assert_array_equal(table["time"].to_numpy(), run.result.trajectory.t)
    assert [p.name for p in tmp_path.iterdir()] == ["run.parquet"]


def test_the_kr15_moves_the_same_with_all_redundant_rows(kr15: Mechanism) -> None:
    motor = MotorSpec("Insert:A1_MotorRotor", torque=constant(1.0))
    scenario = Scenario(duration=0.25, rate=40.0, motors=(motor,), **TIGHT)
    dropped = simulate(kr15, scenario).result.trajectory.coordinates
    kept = simulate(kr15, scenario, collapse=False)
    assert kept.summary["rows"] == 297
    assert np.max(np.abs(kept.result.trajectory.coordinates - dropped)) < 1e-8


@pytest.mark.nightly
def test_the_kr15_page_is_small_and_opens_in_a_browser(page_code: None, kr15: Mechanism, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_page(path, kr15, cb.diagnose(kr15))
    assert path.stat().st_size < 5e6
    with sync_playwright() as playwright:
        browser = launched(playwright)
        with opened(browser, path) as (page, _):
            assert page.locator("#parts tbody tr").count() == len(kr15.assembly.instances)
            assert page.locator("select[aria-label='Motion'] option").count() == 6
            page.locator("canvas").click()
            assert str(page.locator("#view").get_attribute("data-selected")).split(":")[0] in ("part", "joint", "mate")
            assert page.locator("tr.picked").count() == 1
        browser.close()
