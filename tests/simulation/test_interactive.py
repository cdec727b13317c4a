"""A run that is steered while it goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism, build
from cadbridge.simulation import Scenario, load_scenario, simulate, write_trajectory
from cadbridge.simulation.interactive import InteractiveRun
from cadbridge.simulation.scenario_file import ScenarioFile
from cadbridge.simulation.trajectory import read_trajectory
from tests.report.page.models import door

SIDEWAYS = Scenario(gravity=(0.0, -9.81, 0.0), rtol=1e-9, atol=1e-9)
"""Gravity that swings a door, whose hinge stands upright."""


@pytest.fixture(scope="module")
def mechanism() -> Mechanism:
    return build(door())


def angle(run: InteractiveRun) -> float:
    return run.values()["upper"]


def test_it_goes_the_same_way_as_a_run_at_once(mechanism: Mechanism) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS)
    for _ in range(30):
        assert run.advance(1 / 60).ok
    whole = simulate(mechanism, SIDEWAYS, duration=0.5).result.trajectory
    assert run.t == pytest.approx(0.5)
    assert angle(run) == pytest.approx(float(whole.coordinates[-1, 0]), abs=1e-7)
    assert run.run().result.trajectory.coordinates == pytest.approx(whole.coordinates, abs=1e-7)
    run.reset()
    assert (run.t, angle(run)) == (0.0, pytest.approx(0.0))


def test_it_begins_where_a_person_put_the_joints(mechanism: Mechanism) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS, positions={"upper": 0.4})
    assert angle(run) == pytest.approx(0.4)
    assert yaml.safe_load(run.scenario_text())["initial"]["positions"]["upper"] == pytest.approx(np.degrees(0.4))


def test_a_lock_holds_and_takes_the_energy_of_the_impact(mechanism: Mechanism) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS)
    run.advance(0.3)
    rate = float(run.run().result.trajectory.coordinate_rates[-1, 0])
    held = angle(run)
    assert run.change("lock", "upper").ok
    (locked,) = run.events
    assert locked.dof == 0
    assert locked.changed.lost == pytest.approx(0.5 * 0.6 * rate**2)  # 0.1 + 2 · 0.5² kg m² about the hinge
    run.advance(0.2)
    assert angle(run) == pytest.approx(held, abs=1e-9)
    assert run.change("unlock", "upper").ok
    run.advance(0.2)
    assert abs(angle(run) - held) > 1e-2


def test_what_was_changed_by_hand_is_repeated_by_simulate(mechanism: Mechanism, tmp_path: Path) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS, {"format": "cadbridge.scenario/1", "gravity": [0, -9.81, 0]})
    run.advance(0.2)
    assert run.change("release", "upper").ok
    run.advance(0.1)
    assert run.change("lock", {"name": "caught", "a": "leaf", "b": "ground"}).ok
    assert run.change("unlock", "caught").ok
    run.advance(0.2)
    (path := tmp_path / "by_hand.yaml").write_text(run.scenario_text())
    again = simulate(mechanism, load_scenario(path, mechanism))
    assert [e.spec.title for e in run.events] == ["release upper", "lock caught", "unlock caught"]
    assert [c["change"] for c in again.summary["changes"]] == [e.spec.title for e in run.events]
    end = again.result.trajectory
    assert float(end.t[-1]) == pytest.approx(0.5)
    assert np.asarray(run.poses()[0].p) == pytest.approx(end.positions[-1, 0], abs=1e-6)
    ScenarioFile.model_validate(yaml.safe_load(run.scenario_text()))


def test_changes_that_a_scenario_plans_are_made_when_their_time_comes(mechanism: Mechanism) -> None:
    document = {"format": "cadbridge.scenario/1", "events": [{"time": 0.05, "release": "upper", "impact": "plastic"}]}
    run = InteractiveRun(mechanism, Scenario(), document)
    for _ in range(4):
        assert run.advance(0.04).ok
    assert [e.spec.title for e in run.events] == ["release upper"]
    assert run.events[0].changed.t == pytest.approx(0.05)
    assert len(yaml.safe_load(run.scenario_text())["events"]) == 1


def test_undo_goes_back_to_where_the_change_was_made(mechanism: Mechanism) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS)
    assert not run.undo()
    run.advance(0.2)
    there = angle(run)
    assert run.change("lock", "upper").ok
    run.advance(0.2)
    assert run.undo()
    assert (run.t, run.events) == (pytest.approx(0.2), ())
    assert angle(run) == pytest.approx(there)
    run.advance(0.2)
    whole = simulate(mechanism, SIDEWAYS, duration=0.4).result.trajectory
    assert angle(run) == pytest.approx(float(whole.coordinates[-1, 0]), abs=1e-7)


@pytest.mark.parametrize(
    ("verb", "what", "said"),
    [
        ("unlock", "upper", "not locked"),
        ("attach", "upper", "attached at 0 s already"),
        ("lock", "nothing like it", "there is no joint"),
        ("lock", {"name": "x", "a": "frame", "b": "ground"}, "on one rigid body"),
    ],
)
def test_a_change_that_cannot_be_changes_nothing(mechanism: Mechanism, verb: str, what: object, said: str) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS)
    status = run.change(verb, what)  # type: ignore[arg-type]
    assert not status.ok
    assert said in status.message
    assert (run.events, run.undo()) == ((), False)
    assert run.advance(0.01).ok


def test_parts_that_do_not_meet_are_not_restored(mechanism: Mechanism) -> None:
    run = InteractiveRun(mechanism, Scenario())
    assert run.change("release", "upper").ok
    run.advance(0.1)
    status = run.change("attach", "upper")
    assert (status.ok, status.code) == (False, "parted")
    assert "the parts do not meet" in status.message


def test_a_lock_too_many_is_counted(mechanism: Mechanism) -> None:
    run = InteractiveRun(mechanism, Scenario())
    assert run.change("lock", {"name": "weld", "a": "leaf", "b": "ground"}).ok
    assert (run.events[-1].dof, run.events[-1].redundant) == (0, 5)


def test_a_pull_weighs_what_it_moves_and_leads_it_to_its_place(mechanism: Mechanism) -> None:
    """At 0.5 m from its hinge the door's 0.6 kg m² are 2.4 kg; a damped spring brings it to rest at its target."""
    from cadbridge.simulation.pull import carried_mass

    run = InteractiveRun(mechanism, Scenario(rtol=1e-6, atol=1e-6))
    assert carried_mass(run._course, run._model, 0, np.zeros(3)) == pytest.approx(2.4)
    run.grab(0, np.zeros(3))
    target = np.array([0.5 * np.cos(0.6), 0.5 * np.sin(0.6), 0.0])
    run.pull(target)
    found = run.pulling()
    assert found is not None
    assert found[2] == pytest.approx(run._pull.stiffness * np.linalg.norm(target - found[0]))  # type: ignore[union-attr]
    for _ in range(60):
        assert run.advance(1 / 30).ok
    assert angle(run) == pytest.approx(0.6, abs=1e-3)
    run.let_go()
    assert run.pulling() is None
    assert "pulls are not in it" in run.scenario_text()


def test_energy_of_a_run_with_pulls_and_changes_adds_up(mechanism: Mechanism) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS)
    run.advance(0.1)
    run.grab(0, np.array([0.1, 0.0, 0.0]))
    run.pull(np.array([0.6, 0.3, 0.1]))
    run.advance(0.1)
    run.pull(np.array([0.5, 0.4, 0.0]))
    run.advance(0.1)
    run.let_go()
    run.change("lock", "upper")
    run.advance(0.05)
    found = run.run().summary
    assert found["energy_exchanged_J"] > 0.1
    assert found["energy_drift_J"] < 1e-4 * found["energy_exchanged_J"]


def test_a_run_by_hand_is_written_as_a_table(mechanism: Mechanism, tmp_path: Path) -> None:
    run = InteractiveRun(mechanism, SIDEWAYS)
    with pytest.raises(InputError, match="has not begun"):
        run.run()
    run.advance(0.1)
    run.change("lock", "upper")
    run.advance(0.1)
    write_trajectory(run.run(), tmp_path / "run.parquet")
    table = read_trajectory(tmp_path / "run.parquet")
    assert table["time"].to_pylist() == pytest.approx(np.arange(21) / 100)


def test_a_run_that_is_too_long_goes_on_without_being_kept(
    mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cadbridge.simulation.interactive.MOST_KEPT", 10)
    run = InteractiveRun(mechanism, SIDEWAYS)
    for _ in range(70):
        assert run.advance(0.001).ok
    with pytest.raises(InputError, match="too long to be kept"):
        run.run()
    assert run.change("lock", "upper").ok
    assert run.advance(0.01).ok
