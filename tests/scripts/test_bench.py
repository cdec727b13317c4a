"""The benchmark says the same mechanism to every engine, and judges each by its raw motion."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SCRIPTS), str(SCRIPTS.parent)]))
    import benchmark.__main__
    import benchmark.cases
    import benchmark.engines
    import benchmark.errors

    yield benchmark
    for name in [n for n in sys.modules if n.partition(".")[0] == "benchmark"]:
        del sys.modules[name]


@pytest.mark.parametrize("case_name", ["chain 43", "four-bars 2", "redundant four-bar", "Bricard", "train 10"])
def test_every_engine_has_the_same_accelerations(benchmark: Any, case_name: str) -> None:
    case = benchmark.cases.CASES[case_name]()
    reference = benchmark.cases.relative_accelerations(case)
    rates = case.first_rates()
    scale = max(np.abs(reference).max(), 1.0)
    for name in ("cadbridge", "cadbridge-tree"):
        own = benchmark.engines.load(name)(case)
        assert np.abs(own.accelerations() - reference).max() < 1e-9 * scale
    pinocchio = benchmark.engines.load("pinocchio")(case)
    assert np.abs(pinocchio.accelerations(np.zeros(case.count), rates) - reference).max() < 1e-9 * scale
    drake = benchmark.engines.load("drake")(case)
    if not case.loops:
        assert np.abs(drake.accelerations(np.zeros(case.count), rates) - reference).max() < 1e-9 * scale


def test_errors_are_seen_in_the_raw_motion(benchmark: Any) -> None:
    case = benchmark.cases.fourbars(2, 0.1)
    right = case.motion(np.zeros(case.count), case.first_rates())
    times, places = np.linspace(0.0, 0.1, 11), np.tile(right.positions, (11, 1, 1))

    def errors(case: Any, motion: Any, path: Any = None) -> Any:
        one, exact = (benchmark.engines.base.Run("", 0, 0, 0, each) for each in (motion, right))
        return benchmark.errors.errors(case, replace(one, path=path), replace(exact, path=(times, places)))

    found = errors(case, right)
    assert found.position == 0
    assert found.along is None
    assert found.held < 1e-15
    assert found.held_rates < 1e-15
    moved = right.positions.copy()
    moved[1] += [0.0, 0.0, 1e-3]
    found = errors(case, replace(right, positions=moved))
    assert found.position == pytest.approx(1e-3)
    assert found.held == pytest.approx(1e-3)
    faster = right.velocities.copy()
    faster[1, 3] += 0.5
    found = errors(case, replace(right, velocities=faster))
    assert found.held_rates == pytest.approx(0.5 / np.abs(faster).max(), rel=0.2)
    slipped = replace(case, couplings=np.array([[1.0, -2.0, 0, 0, 0]]))
    turned = replace(right, coordinates=np.array([0.2, 0.05, 0, 0, 0]))
    assert errors(slipped, turned).held == pytest.approx(0.1)


def test_the_largest_error_is_that_at_any_time_that_both_runs_sample(benchmark: Any) -> None:
    case = benchmark.cases.fourbars(2, 0.1)
    right = case.motion(np.zeros(case.count), case.first_rates())
    times, places = np.linspace(0.0, 0.1, 11), np.tile(right.positions, (11, 1, 1))
    exact = benchmark.engines.base.Run("", 0, 0, 0, right, path=(times, places))
    # Steps of 4 ms: every fifth is a sample of the other's; a state between its samples says nothing.
    steps, moved = np.arange(0.0, 0.1 + 1e-9, 0.004), np.tile(right.positions, (26, 1, 1))
    moved[10, 1, 2] += 2e-3
    moved[11, 1, 2] += 1.0
    found = benchmark.errors.errors(case, replace(exact, path=(steps, moved)), exact)
    assert found.along == pytest.approx(2e-3)
    assert found.position == 0.0


@pytest.mark.nightly  # of how we measure; what the tables hold is tested above
def test_one_run_writes_tables_data_and_plot_and_tells_what_is_missing(
    benchmark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A module of that name that cannot be imported, whether the machine has the engine or not.
    (tmp_path / "exudyn.py").write_text("raise ImportError('none here')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]))
    arguments = [
        "--cases",
        "chain 6",
        "--engines",
        "cadbridge,pinocchio,exudyn",
        "--seconds",
        "0.1",
        "-o",
        str(tmp_path),
    ]
    benchmark.__main__.main(arguments)
    text = capsys.readouterr().out
    assert "| chain 6 |" in text
    assert "pinocchio" in text
    found = json.loads((tmp_path / "bench.json").read_text("utf-8"))["results"][0]
    assert found["engines"]["cadbridge"]["evaluation"]["error"] < 1e-9
    assert found["engines"]["pinocchio"]["evaluation"]["error"] < 1e-9
    # At its coarsest step; how many it takes depends on the machine.
    assert 0.05 < found["engines"]["pinocchio"]["runs"][0]["position"] < 0.1
    assert found["first_call"] > 0
    missing = found["engines"]["exudyn"]
    assert missing["said"].startswith("not installed")
    assert "exudyn: not installed" in text
    assert (tmp_path / "bench.png").stat().st_size > 1000
    assert (tmp_path / "bench.md").read_text("utf-8").strip() in text


def test_a_name_that_is_none_is_refused(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        benchmark.__main__.main(["--engines", "cadbridge,ansys"])
    assert "there is no ansys" in capsys.readouterr().err
