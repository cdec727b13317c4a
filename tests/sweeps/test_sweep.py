"""A sweep gives what single runs of edited files give, whatever computes it, and loses nothing."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.report.sweeps import sweep_text
from cadbridge.simulation import MotorSpec, Scenario
from cadbridge.sweeps.crew import Crew
from cadbridge.sweeps.file import FORMAT, SweepFile
from cadbridge.sweeps.model import Parameter, Sweep
from solver.functions import constant
from tests.sweeps.conftest import written

SCENARIO: dict[str, Any] = {
    "format": "cadbridge.scenario/1",
    "duration": 0.2,
    "initial": {"positions": {"hinge": 40}},
    "motors": [{"joint": "hinge", "torque": 1.0}],
}


def document(*vary: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"format": "cadbridge.sweep/1", "vary": list(vary), **more}


def test_the_published_schema_is_current_and_takes_the_example_of_the_page() -> None:
    text = files("cadbridge").joinpath("data/schemas/sweep-1.json").read_text(encoding="utf-8")
    assert text == SweepFile.schema_text(FORMAT)
    page = (Path(__file__).resolve().parents[2] / "docs" / "sweep.md").read_text("utf-8")
    jsonschema.validate(yaml.safe_load(page.split("```yaml\n")[1].split("```")[0]), json.loads(text))


def test_each_row_is_the_run_of_a_file_that_says_its_values(pendulum: Mechanism, tmp_path: Path) -> None:
    what = document(
        {"joint": "hinge", "damping": [0, 2]},
        {"body": "bob", "mass": {"values": [0.5, 1.5], "relative": True}},
        {"joint": "hinge", "position": [10, -20]},
        {"scenario": "motors.hinge.torque", "values": [1.0, "sin(9*t)"]},
        keep={"final": ["joints"], "series": ["joint.*.q"]},
    )
    table = cb.sweep(pendulum, what, SCENARIO, workers=1)
    assert len(table) == 16
    assert table.statuses == {"ok": 16}
    assert table.findings == ()
    for run in (0, 7, 13):
        mass, damping = (float(table[name][run]) for name in ("body.bob.mass", "joint.hinge.damping"))
        mechanism = cb.build(cb.read(written(tmp_path, f"{run}.urdf", mass, damping)))
        path = tmp_path / "s.yaml"
        said = table["scenario.motors.hinge.torque"][run]
        motor = {"joint": "hinge", "torque": said if "sin" in said else float(said)}
        position = float(np.degrees(table["joint.hinge.position"][run]))
        initial = {"positions": {"hinge": position}}
        path.write_text(yaml.safe_dump({**SCENARIO, "motors": [motor], "initial": initial}))
        alone = cb.simulate(mechanism, cb.load_scenario(path, mechanism)).result.trajectory
        assert table["joint.hinge.q"][run] == pytest.approx(alone.coordinates[:, 0], abs=1e-12)
        assert table["joint.hinge.qdd.final"][run] == pytest.approx(alone.coordinate_accelerations[-1, 0], rel=1e-9)


def test_processes_give_the_same_bytes_as_one_and_the_parts_make_the_whole(pendulum: Mechanism, tmp_path: Path) -> None:
    what = document(
        {"joint": "hinge", "rate": {"normal": [0, 90]}},
        {"joint": "hinge", "damping": {"from": 0.1, "to": 10, "count": 2, "spacing": "log"}},
        samples=2,
        seed=3,
        keep={"series": ["joint.*.q"]},
    )
    done: list[tuple[int, int]] = []
    one = cb.sweep(pendulum, what, SCENARIO, workers=1)
    two = cb.sweep(pendulum, what, SCENARIO, workers=2, progress=lambda n, all_: done.append((n, all_)))
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    for table, name in ((one, "1.parquet"), (two, "2.parquet")):
        cb.write_sweep(table, tmp_path / name)
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()
    half = cb.sweep(pendulum, what, SCENARIO, workers=1, part=(2, 2))
    assert [str(s) for s in half["status"]] == ["not_run", "ok", "not_run", "ok"]
    assert half["joint.hinge.q.final"][[1, 3]] == pytest.approx(one["joint.hinge.q.final"][[1, 3]], abs=0)


def test_a_table_that_is_not_there_is_told_as_any_file(tmp_path: Path) -> None:
    with pytest.raises(cb.InputError) as caught:
        cb.load_sweep(tmp_path / "s.parquet")
    assert [f.code for f in caught.value.findings] == ["CB100"]


def test_what_was_written_is_read_with_units_and_series(pendulum: Mechanism, tmp_path: Path) -> None:
    keep = {"final": ["joint.hinge.q"], "extremes": ["joint.hinge.fz"], "series": ["joint.hinge.q"]}
    what = document({"scenario": "duration", "values": [0.1, 0.2]}, keep=keep)
    table = cb.sweep(pendulum, what, SCENARIO, workers=1)
    cb.write_sweep(table, tmp_path / "s.parquet")
    again = cb.load_sweep(tmp_path / "s.parquet")
    assert again.parameters == ("scenario.duration",)
    assert again.units["joint.hinge.q.final"] == "rad"
    assert again.units["joint.hinge.fz.least"] == "N"
    assert [len(v) for v in again.series["joint.hinge.q"]] == [11, 21]
    assert np.isnan(again["time"][0, 11:]).all()
    assert again["time"][1, -1] == pytest.approx(0.2)
    frame, data = again.to_pandas(), again.to_xarray()
    assert frame["joint.hinge.q.final"].tolist() == [float(v[-1]) for v in again.series["joint.hinge.q"]]
    assert data["joint.hinge.q"].dims == ("run", "sample")
    assert "scenario.duration" in data.coords
    with pytest.raises(InputError, match="no place for series"):
        cb.write_sweep(table, tmp_path / "s.csv")
    with pytest.raises(InputError, match=r"no cadbridge\.trajectory/1"):
        cb.load_trajectory(tmp_path / "s.parquet")


def test_a_run_that_fails_is_a_row_and_the_others_are_whole(pendulum: Mechanism) -> None:
    what = document({"body": "bob", "mass": {"normal": [0, 1]}}, samples=6, seed=1)
    table = cb.sweep(pendulum, what, SCENARIO, workers=1)
    heavy = table["body.bob.mass"] > 0
    assert 0 < heavy.sum() < 6
    assert [str(s) for s in table["status"]] == ["ok" if h else "refused" for h in heavy]
    assert np.isfinite(table["joint.hinge.q.final"]).tolist() == heavy.tolist()
    assert all("must be greater than 0" in str(m) for m in table["message"][~heavy])
    assert [f.code for f in table.findings] == ["CB652"]


BAD: list[tuple[dict[str, Any], str, str]] = [
    (document({"joint": "hing", "damping": [1]}), "CB649", "nearest: hinge"),
    (document({"joint": "hinge", "dampening": [1]}), "CB648", "did you mean damping"),
    (document({"joint": "hinge", "mass": [1]}), "CB648", "give one of position, rate"),
    (document({"joint": "hinge", "damping": [float("nan")]}), "CB648", "finite"),
    (document({"joint": "hinge", "damping": [-1.0]}), "CB650", "0 or more, not -1"),
    (document({"body": "Bob", "mass": [1]}), "CB649", "did you mean bob"),
    (document({"gear": "g", "efficiency": [1]}), "CB649", "no gear 'g'"),
    (document({"joint": "hinge", "damping": []}), "CB651", "no run"),
    (document(), "CB651", "no run"),
    (document(*({"joint": "hinge", k: {"from": 0, "to": 1, "count": 1000}} for k in ("damping", "rate", "position"))),
     "CB651", "1,000,000,000 runs are more"),
    (document({"joint": "hinge", "damping": {"from": 0, "to": 1, "count": 10**15}}), "CB651", "are more"),
    (document({"joint": "hinge", "damping": {"from": 0, "to": 1, "count": 2, "spacing": "log"}}), "CB648", "one sign"),
    (document({"joint": "hinge", "damping": [1]}, {"joint": "hinge", "damping": [2]}), "CB650", "by entry 1 as well"),
    (document({"joint": "hinge", "friction": {"values": [2], "relative": True}}), "CB650", "`relative` could multiply"),
    (document({"scenario": "motors.knee.torque", "values": [1]}), "CB649", "no entry knee"),
    (document({"scenario": "duratoin", "values": [1]}), "CB650", "did you mean duration"),
    (document({"scenario": "duration", "values": [1, -1]}), "CB650", "cannot be -1"),
    (document({"joint": "hinge", "damping": {"uniform": [0, 1]}}), "CB648", "needs `samples`"),
    (document({"joint": "hinge", "damping": [1]}, samples=3), "CB648", "without a parameter that is drawn"),
    (document({"joint": "hinge", "damping": [1]}, keep={"final": ["jonts"]}), "CB648", "no group 'jonts'"),
    ({"format": "cadbridge.scenario/1"}, "CB648", "scenario"),
]  # fmt: skip


def test_all_faults_of_a_sweep_at_once(pendulum: Mechanism) -> None:
    entries: list[Any] = [
        {"joint": "hinge", "damping": {"uniform": [0, "x"]}},
        3,
        {"joint": "hing", "damping": [1]},
        {"mass": [1]},
    ]
    with pytest.raises(InputError) as refused:
        cb.sweep(pendulum, document(*entries), SCENARIO)
    assert [f.code for f in refused.value.findings] == ["CB648", "CB648", "CB649", "CB648"]
    assert "entry 4" in refused.value.findings[-1].message


SWEEP = "format: cadbridge.sweep/1\nparameters: [{joint: hinge, damping: [1]}]\n"


@pytest.mark.parametrize(("text", "code"), [("", "CB648"), (SWEEP + "seed: 1\nseed: 2\n", "CB143")])
def test_an_empty_file_and_a_key_given_twice_are_refused(
    pendulum: Mechanism, tmp_path: Path, text: str, code: str
) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        cb.sweep(pendulum, path, SCENARIO, workers=1)
    assert [f.code for f in refused.value.findings] == [code]


@pytest.mark.parametrize(("what", "code", "said"), BAD)
def test_a_sweep_that_cannot_be_is_refused_before_anything_runs(
    pendulum: Mechanism, what: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(InputError) as refused:
        cb.sweep(pendulum, what, SCENARIO, workers=1)
    found = {f.code: f.message for f in refused.value.findings}
    assert list(found) == [code]
    assert said in found[code]


def test_friction_that_the_scenario_ignores_is_no_parameter(pendulum: Mechanism) -> None:
    what = document({"joint": "hinge", "friction": [0, 1]})
    with pytest.raises(InputError) as refused:
        cb.sweep(pendulum, what, {**SCENARIO, "friction": "ignore"}, workers=1)
    assert [f.code for f in refused.value.findings] == ["CB650"]


def test_functions_of_ones_own_stay_in_this_process(pendulum: Mechanism) -> None:
    motors = (MotorSpec("hinge", torque=constant(1.0)),)
    scenario = Scenario(duration=0.1, motors=motors)
    what = document({"joint": "hinge", "damping": [0, 1]})
    assert cb.sweep(pendulum, what, scenario, workers=1).statuses == {"ok": 2}
    with pytest.raises(InputError, match="workers=1"):
        cb.sweep(pendulum, what, scenario, workers=2)


def test_ctrl_c_keeps_what_was_computed(pendulum: Mechanism) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    table = cb.sweep(
        pendulum, document({"joint": "hinge", "damping": [0, 1, 2, 3]}), SCENARIO, workers=1, progress=interrupt
    )
    assert table.statuses == {"ok": 2, "not_run": 2}
    assert [f.code for f in table.findings] == ["CB654"]
    assert sweep_text(table, Path("s.parquet")).startswith("Simulated 2 of 4 runs: 2 not run, 2 ok.")


def test_a_process_that_ends_loses_its_run_alone(pendulum: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    started: Callable[[Crew], Any] = Crew._started
    killed: list[int] = []

    def shot(crew: Crew) -> Any:
        process = started(crew)
        if not killed:
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(Crew, "_started", shot)
    table = cb.sweep(pendulum, document({"joint": "hinge", "damping": [0, 1, 2]}), SCENARIO, workers=2)
    assert table.statuses == {"ok": 2, "crashed": 1}
    assert {f.code for f in table.findings} == {"CB652"}
    (lost,) = [str(m) for m in table["message"] if m]
    assert "signal 9" in lost


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 3))
def test_the_points_are_every_combination_once(counts: list[int], samples: int) -> None:
    parameters = [Parameter(f"p{i}", "joint", "", "damping", listed=tuple(range(n))) for i, n in enumerate(counts)]
    drawn = Parameter("drawn", "joint", "", "damping", drawn=("uniform", 0.0, 1.0))
    sweep = Sweep((*parameters, drawn), samples)
    *grid, random = sweep.points()
    points = list(zip(*grid, strict=True))
    assert len(points) == sweep.count == np.prod(counts) * samples
    assert len(set(points)) == np.prod(counts)
    assert points == sorted(points)
    assert len(set(random)) == len(random)
    assert sweep.points() == [*grid, random]


def test_the_command_writes_the_table_and_says_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    Path("scenario.yaml").write_text(yaml.safe_dump(SCENARIO))
    Path("sweep.yaml").write_text(yaml.safe_dump(document({"joint": "hinge", "damping": [0, 1]})))
    order = ["simulate", "pendulum.urdf", "--scenario", "scenario.yaml", "--sweep", "sweep.yaml", "--workers", "1"]
    assert main(order) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Simulated 2 runs: 2 ok.\n  table: sweep.parquet")
    assert "load_sweep" in said.err
    assert cb.load_sweep("sweep.parquet").statuses == {"ok": 2}
    assert main([*order, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["format"], answer["runs"], answer["statuses"]) == ("cadbridge.sweep/1", 2, {"ok": 2})
    assert main([*order, "--plots", "p"]) == 2
    assert "--plots goes with a single run" in capsys.readouterr().err
    Path("sweep.yaml").write_text("format: cadbridge.sweep/1\nvary:\n  - {joint: hing, damping: [0]}\n")
    assert main(order) == 2
    assert "sweep.yaml:3:13" in capsys.readouterr().err
    assert main([*order[:2], "--workers", "2"]) == 2
