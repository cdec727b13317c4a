"""Over-constrained mechanisms whose dimensions were rounded run; those that contradict themselves are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.assembly import GROUND, Assembly, Coupling, CouplingKind, MateKind
from cadbridge.efforts import JointPath, Motion, inverse
from cadbridge.exporters.fmu.machine import machine_of
from cadbridge.exporters.options import ExportOptions
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Run, Scenario
from cadbridge.simulation.fitting import fitted
from cadbridge.simulation.interactive import InteractiveRun
from cadbridge.simulation.posing import Mover
from solver import rotation
from solver.functions import expression
from tests.diagnosis import linkages
from tests.diagnosis.linkages import bennett, planar, ring
from tests.mechanism.building import assembly, mate

SWING: dict[str, Any] = {"duration": 0.5, "rate": 20.0, "gravity": (1.0, -9.81, 2.0), "rtol": 1e-9, "atol": 1e-9}
TURN = 2 * np.pi
FOUR_BAR = ((0.0, 0.0), (0.0, 0.1), (0.2, 0.15), (0.25, 0.0))


@pytest.fixture(scope="module")
def schmidt(corpus: Path) -> Mechanism:
    return cb.build(cb.read(corpus / "ondsel" / "Schmidt_Coupling_Ass_1-1.asmt"))


@pytest.fixture(scope="module")
def handed_on(schmidt: Mechanism) -> Run:
    """The coupling driven through a quarter of a turn; `Run.mechanism` is fitted, which takes the most of its time."""
    speed = MotorSpec("r1", angle=expression(f"{TURN}*t"))
    return cb.simulate(schmidt, Scenario(duration=0.25, rate=20.0, rtol=1e-10, atol=1e-10, motors=(speed,)))


@pytest.fixture
def rounded(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Assembly]:
    """Bennett's linkage with its hinges written with so many digits after the point (m, 1)."""

    def make(digits: int) -> Assembly:
        def written(hinges: list[Any]) -> Assembly:
            return ring([(tuple(np.round(p, digits)), tuple(np.round(u, digits))) for p, u in hinges])

        monkeypatch.setattr(linkages, "ring", written)
        return bennett()

    return make


def codes(run: Run) -> set[str]:
    return {f.code for f in run.findings}


def shifted(assembly: Assembly, name: str, by: float) -> Assembly:
    """One side of a mate displaced along z by so much (m)."""
    move = np.array([0.0, 0.0, by])
    mates = (replace(m, b=replace(m.b, point=m.b.point + move)) if m.name == name else m for m in assembly.mates)
    return replace(assembly, mates=tuple(mates))


def turned(run: Run, name: str, other: str | None = None) -> np.ndarray:
    """How far a body has turned since the first sample (k, 3), rad; against another's turn where one is named."""
    T, names = run.result.trajectory, [u.name.rpartition("#")[2] for u in run.lowered.units]
    q = T.quaternions[:, names.index(name)]
    turn = rotation.multiply(q, rotation.conjugate(q[0]))
    if other is None:
        return rotation.logarithm(turn)
    p = T.quaternions[:, names.index(other)]
    return rotation.logarithm(
        rotation.multiply(turn, rotation.conjugate(rotation.multiply(p, rotation.conjugate(p[0]))))
    )


def test_schmidts_coupling_hands_its_turn_on(schmidt: Mechanism, handed_on: Run) -> None:
    # Placements of the file are rounded: 12 of 83 rows repeat others and contradict them by a fraction of a µm.
    run, T = handed_on, handed_on.result.trajectory
    assert run.result.status.ok
    assert codes(run) - {"CB683"} == {"CB625"}
    assert run.summary["rows"] == 65
    assert cb.diagnose(schmidt).mobility.dof == 1
    assert T.constraint_position.max() < 1e-10
    assert_allclose(turned(run, "Body005", "Part003004"), 0.0, atol=1e-5)
    rates = np.linalg.norm(T.velocities[:, [0, -1], 3:], axis=2)
    assert_allclose(rates, TURN, rtol=1e-7)
    balance = T.kinetic + T.potential - T.motor_work
    assert np.ptp(balance) < 1e-7 * T.kinetic.max()

    # The tree's joints hold other rows; so do they at once, and move alike.
    tree = cb.simulate(run.mechanism, run.scenario, method="tree")
    assert tree.result.status.ok
    assert_allclose(tree.result.trajectory.positions, T.positions, rtol=0, atol=1e-9)

    # What the motor has to give is what inverse dynamics ask for; and the page can pose it.
    path = JointPath("r1", expression(f"{TURN}*t"))
    found = inverse(run.mechanism, Motion(Scenario(duration=0.25, rate=20.0), (path,)))
    driver = T.multipliers[:, -1]
    assert_allclose(np.abs(found.forces.efforts[:, 0]), np.abs(driver), rtol=0, atol=1e-6 * np.abs(driver).max())
    assert Mover(run.mechanism, ("r1",)).move({"r1": 2.0}).status.ok


def test_schmidts_coupling_swings_and_keeps_its_energy(handed_on: Run) -> None:
    start: dict[str, Any] = {"gravity": (0.0, 0.0, 0.0), "rates": {"r1": 5.0}}
    run = cb.simulate(handed_on.mechanism, Scenario(duration=0.2, rate=20.0, rtol=1e-10, atol=1e-10, **start))
    T = run.result.trajectory
    assert run.result.status.ok
    assert np.abs(turned(run, "Body005")[-1]).max() > 0.5
    assert np.ptp(T.kinetic) < 1e-7 * T.kinetic[0]


@pytest.mark.parametrize("collapse", [True, False])
def test_a_linkage_written_with_five_digits_moves_as_the_exact_one(
    rounded: Callable[[int], Assembly], collapse: bool
) -> None:
    exact = cb.simulate(cb.build(bennett()), Scenario(**SWING), collapse=collapse)
    run = cb.simulate(cb.build(rounded(5)), Scenario(**SWING), collapse=collapse)
    assert codes(exact) <= {"CB683"}
    assert codes(run) - {"CB683"} == {"CB625"}
    assert run.summary["constraint_position"] < 1e-13
    assert run.summary["rows"] == exact.summary["rows"]
    assert np.ptp(exact.result.trajectory.coordinates, axis=0).min() > 1.0
    motion = Motion(Scenario(duration=0.1, rate=20.0), (JointPath("hinge 1", expression("t")),))
    assert "CB625" in {f.code for f in inverse(cb.build(rounded(5)), motion, collapse=collapse).findings}
    assert_allclose(run.result.trajectory.coordinates, exact.result.trajectory.coordinates, rtol=0, atol=1e-4)


def test_what_does_not_fit_is_told(rounded: Callable[[int], Assembly]) -> None:
    # 50 µm: more than CAD rounds to. As written it is rigid; with a larger gap it moves.
    mechanism = cb.build(rounded(4))
    run = cb.simulate(mechanism, Scenario(**SWING), duration=0.01)
    # Rows that contradict each other determine no motion to the tolerance: the run is not called right (CB627).
    assert codes(run) - {"CB683"} == {"CB626", "CB627"}
    assert not run.summary["trusted"]
    assert "hinge 3" in run.findings[0].message
    assert cb.diagnose(mechanism).mobility.dof == 0
    larger = cb.simulate(mechanism, Scenario(**SWING, gap=1e-3))
    assert codes(larger) - {"CB683"} == {"CB625"}
    assert np.abs(larger.result.trajectory.coordinates[-1]).min() > 1.0
    assert larger.summary["constraint_position"] < 1e-12


def test_a_run_of_mates_that_contradict_each_other_is_told_by_all_that_run_it(
    rounded: Callable[[int], Assembly],
) -> None:
    mechanism = cb.build(rounded(4))
    live = InteractiveRun(mechanism, Scenario(**SWING))
    assert live.advance(0.01).ok
    run = live.run()
    assert codes(run) == {"CB626", "CB684"}
    assert run.summary["trusted"] is None
    findings = Findings()
    machine = machine_of(mechanism, ExportOptions(scenario=Scenario(**SWING)), findings)
    assert machine is not None
    assert machine.contradictory
    assert "CB626" in {f.code for f in findings}
    what = {"format": "cadbridge.sweep/1", "vary": [{"joint": "hinge 3", "damping": [0, 1]}]}
    table = cb.sweep(mechanism, what, Scenario(**SWING), duration=0.01, workers=1)
    assert list(table.columns["status"]) == ["untrusted", "untrusted"]
    assert "CB626" in {f.code for f in table.findings}


def test_a_four_bar_with_a_plane_out_of_place() -> None:
    exact = cb.build(planar(FOUR_BAR))
    assert fitted(exact, Findings()) is exact
    assert fitted(exact, Findings(), collapse=False) is exact
    one = cb.simulate(exact, Scenario(**SWING), collapse=False)
    near = cb.build(shifted(planar(FOUR_BAR), "hinge 2", 3e-6))
    other = cb.simulate(near, Scenario(**SWING), collapse=False)
    assert codes(other) == {"CB625"}
    assert_allclose(other.result.trajectory.coordinates, one.result.trajectory.coordinates, rtol=0, atol=1e-5)
    exacting = [cb.simulate(near, Scenario(**SWING, gap=gap), collapse=False) for gap in (1e-7, 0.0)]
    far = cb.simulate(cb.build(shifted(planar(FOUR_BAR), "hinge 2", 1e-3)), Scenario(**SWING), collapse=False)
    for run in (*exacting, far):
        assert codes(run) == {"CB611"}
        assert "hinge 2" in run.result.status.message
        assert len(run.result.trajectory.t) == 1


def test_ratios_are_not_changed() -> None:
    # Two wheels of two teeth counts that agree but for a millionth: no place of a hinge makes both hold.
    places = {"one": (0.0, 0.0, 0.0), "other": (0.2, 0.0, 0.0)}
    hinges = [
        mate(places, f"{name} hinge", MateKind.INSERT, GROUND, name, at, (0, 0, 1)) for name, at in places.items()
    ]
    pairs = [
        Coupling(f"{k}", CouplingKind.JOINTS, None, None, ratio=ratio, joints=("one hinge", "other hinge"))
        for k, ratio in enumerate((2.0, 2.000001))
    ]
    findings = Findings()
    mechanism = cb.build(assembly(places, hinges, pairs))
    assert fitted(mechanism, findings) is mechanism
    assert [f.code for f in findings] == ["CB626"]
