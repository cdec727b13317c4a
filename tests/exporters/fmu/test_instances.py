"""Instances of an FMU: side by side, saved and restored, reset, with other parameters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.exporters import models
from tests.exporters.fmu.running import (
    Instance,
    own_run,
    written,
)


@pytest.fixture(scope="module", params=[2, 3])
def rig(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, library: bytes
) -> tuple[Path, Path, int]:
    folder = tmp_path_factory.mktemp("rig")
    return written(models.pendulum(), folder, fmi=request.param).files[0], folder, request.param


def opened(rig: tuple[Path, Path, int]) -> Instance:
    path, folder, fmi = rig
    return Instance(path, folder, fmi)


def test_instances_differ_as_their_inputs_do(rig: tuple[Path, Path, int]) -> None:
    """Two at once, their steps in turn; each as one that is alone."""
    efforts = (0.0, 0.7)
    alone = []
    for effort in efforts:
        one = opened(rig).ready()
        alone.append(_pushed(one, effort).to(0, 10).all())
    both = [_pushed(opened(rig).ready(), effort) for effort in efforts]
    for k in range(10):
        for one in both:
            one.step(0.01 * k)
    assert [one.all() for one in both] == alone
    assert alone[0] != alone[1]


def _pushed(one: Instance, effort: float) -> Instance:
    name = next(name for name in one.references if name.endswith(".effort") and name.startswith("joint."))
    one.write([one.references[name]], [effort])
    return one


def test_a_state_comes_back_bit_for_bit(rig: tuple[Path, Path, int]) -> None:
    one = _pushed(opened(rig).ready(), 0.3).to(0, 5)
    state = one.fmu.getFMUState() if rig[2] == 3 else one.fmu.getFMUstate()
    before = one.all()
    after = one.to(5, 9).all()
    restore = one.fmu.setFMUState if rig[2] == 3 else one.fmu.setFMUstate
    restore(state)
    assert one.all() == before
    assert one.to(5, 9).all() == after
    # As bytes it serves another instance too.
    data = one.fmu.serializeFMUState(state) if rig[2] == 3 else one.fmu.serializeFMUstate(state)
    other = opened(rig).ready()
    (other.fmu.setFMUState if rig[2] == 3 else other.fmu.setFMUstate)(
        other.fmu.deserializeFMUState(data) if rig[2] == 3 else other.fmu.deSerializeFMUstate(data)
    )
    assert other.to(5, 9).all() == after
    (one.fmu.freeFMUState if rig[2] == 3 else one.fmu.freeFMUstate)(state)


def test_reset_begins_anew(rig: tuple[Path, Path, int]) -> None:
    one = _pushed(opened(rig).ready(), 0.3).to(0, 5)
    first = opened(rig).ready().to(0, 3).all()
    one.fmu.terminate()
    one.fmu.reset()
    if rig[2] == 2:
        one.fmu.setupExperiment(startTime=0.0)
    one.fmu.enterInitializationMode()
    assert one.ready().to(0, 3).all() == first
    one.fmu.freeInstance()


def test_parameters_change_the_motion_as_the_mechanism_would(tmp_path: Path) -> None:
    """Twice the mass, and damping, by parameters and in the mechanism."""
    mechanism = models.pendulum()
    one = Instance(written(mechanism, tmp_path).files[0], tmp_path)
    body = mechanism.bodies[0]
    assert body.mass is not None
    heavy = replace(body.mass, mass=2 * body.mass.mass, inertia=2 * body.mass.inertia)
    joint = replace(mechanism.joints[0], damping=0.2)
    changed = replace(
        mechanism, bodies=(replace(body, mass=heavy), *mechanism.bodies[1:]), joints=(joint, *mechanism.joints[1:])
    )
    mass = next(name for name in one.references if name.endswith(".mass"))
    damping = next(name for name in one.references if name.endswith(".damping"))
    one.write([one.references[mass], one.references[damping]], [2 * one.get(mass)[0], 0.2])
    value = next(name for name in one.references if name.endswith(".q"))
    run = own_run(changed, 0.3)
    assert one.ready().to(0, 30).get(value)[0] == pytest.approx(run.result.trajectory.coordinates[-1, 0], rel=1e-7)
