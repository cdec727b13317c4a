"""`simulate --method tree` beside the absolute coordinates: the same columns, on real machines and robots."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import app
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.readers import ReadOptions
from cadbridge.simulation import Run, Scenario, compare, load_scenario
from cadbridge.simulation.trajectory import columns_of
from tests.real_robots import ROBOTS, robot_folder

DEMO = Path(str(files("cadbridge.data"))) / "demo"
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
KR15, GEARED = FIXTURES / "kr15", FIXTURES / "geared_robot3" / "geared_robot3.urdf"
# Judged by what they are compared with, and not by a second run at a larger tolerance.
FINE: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10, "sensitivity": False}


def agree(mechanism: Mechanism, scenario: Scenario, tolerance: float) -> Run:
    """Both methods give the same columns, in the same order, to a part of each column's largest value."""
    one, other = (cb.simulate(mechanism, scenario, method=method) for method in ("absolute", "tree"))
    expected, found = columns_of(one), columns_of(other)
    assert list(found) == list(expected)
    for name, (values, unit) in expected.items():
        assert found[name][1] == unit
        size = max(1.0, float(np.abs(values).max()))
        assert_allclose(found[name][0], values, rtol=0, atol=tolerance * size, err_msg=name)
    return other


@pytest.mark.parametrize("name", ["fourbar", "piston"])
def test_a_driven_loop_across_a_plane(corpus: Path, name: str) -> None:
    # Rows that the tree's joints hold but for rounding, beside a driver that leaves no freedom.
    mechanism = cb.build(cb.read(corpus / "ondsel" / f"{name}.asmt"))
    run = cb.simulate(mechanism, method="tree")
    assert run.result.status.ok
    assert run.result.statistics.steps < 200
    assert compare(run, Findings()).within


def test_the_kr15_with_its_gears(kr15: Mechanism) -> None:
    scenario = replace(load_scenario(KR15 / "kr15.scenario.yaml", kr15), duration=0.3, rate=50.0, **FINE)
    run = agree(kr15, scenario, 1e-7)
    assert run.summary["constraint_position"] < 1e-12


def test_the_quadruped_falls_the_same(corpus: Path) -> None:
    mechanism = cb.build(cb.read(corpus / "quadruped_solidworks" / "Assem4.xml"))
    agree(mechanism, Scenario(gravity=(0.0, -9.81, 0.0), duration=0.5, **FINE), 1e-8)


@pytest.mark.parametrize("name", [ROBOTS[1], ROBOTS[4], ROBOTS[9]])
def test_real_urdfs_fall_as_in_absolute_coordinates_and_in_pinocchio(name: str) -> None:
    path = robot_folder() / name
    packages = (robot_folder().parent.parent, robot_folder().parent, robot_folder())
    mechanism = cb.build(cb.read(path, options=ReadOptions(package_dirs=packages)))
    scenario = Scenario(duration=0.2, friction=None, gravity=(0.0, 0.0, -9.81), **FINE)
    mechanism = replace(mechanism, joints=tuple(replace(j, damping=0.0) for j in mechanism.joints))
    run = agree(mechanism, scenario, 1e-7)
    # The first accelerations are those of Pinocchio at the same pose.
    model = pin.buildModelFromUrdf(str(path))
    model.armature[:] = 0.0
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    zero = np.zeros(model.nv)
    expected = pin.aba(model, model.createData(), pin.neutral(model), zero, zero)
    armature = {j.name: j.armature for j in mechanism.joints}
    if not any(armature.values()):
        found = dict(
            zip(run.lowered.model.coordinate_names, run.result.trajectory.coordinate_accelerations[0], strict=True)
        )
        assert_allclose([found[n] for n in model.names if n in found], expected, atol=1e-9 * np.abs(expected).max())


def test_the_command_writes_the_same_table_and_says_what_it_cannot(tmp_path: Path) -> None:
    tables = []
    for method in ("absolute", "tree"):
        out = tmp_path / f"{method}.parquet"
        call = ["simulate", str(DEMO / "demo.step"), "--duration", "0.2", "--method", method, "-o", str(out), "--json"]
        said = CliRunner().invoke(app, call)
        assert said.exit_code == 0, said.output
        assert f'"method": "{method}"' in said.stdout
        tables.append(pq.read_table(out))
    assert tables[0].schema.names == tables[1].schema.names
    gap = np.array([np.abs(a.to_numpy() - b.to_numpy()).max() for a, b in zip(*tables, strict=True)])
    assert gap.max() < 1e-5
    mechanism = cb.build(cb.read(DEMO / "demo.step"))
    with pytest.raises(InputError) as refused:
        cb.simulate(mechanism, Scenario(integrator="generalized_alpha"), method="tree", collapse=False)
    assert [f.code for f in refused.value.findings] == ["CB619", "CB619"]
    with pytest.raises(InputError, match="auto, absolute, tree"):
        cb.simulate(mechanism, method="forest")


def test_without_a_method_the_mechanism_decides(corpus: Path) -> None:
    short: dict[str, Any] = {"duration": 0.01, "gravity": (0.0, 0.0, -9.81)}
    geared = cb.build(cb.read(GEARED))
    fourbar = cb.build(cb.read(corpus / "ondsel" / "fourbar.asmt"))
    arm = cb.build(
        cb.read(robot_folder() / ROBOTS[1], options=ReadOptions(package_dirs=(robot_folder().parent.parent,)))
    )
    for mechanism, scenario, expected in (
        (geared, Scenario(**short), "tree"),  # gears
        (fourbar, None, "tree"),  # a loop
        (arm, Scenario(**short), "absolute"),
        (geared, Scenario(integrator="generalized_alpha", **short), "absolute"),
    ):
        assert cb.simulate(mechanism, scenario).summary["method"] == expected
    assert cb.simulate(geared, Scenario(**short), collapse=False).summary["method"] == "absolute"
