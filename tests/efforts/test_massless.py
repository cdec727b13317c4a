"""Prescribed motions of mechanisms with bodies that have no mass and no inertia."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.catalogue import Severity
from cadbridge.errors import ModelError
from cadbridge.mechanism import Mechanism
from solver.rotation import matrix
from tests.efforts.test_inverse import LINK, G, arm, four_bar, motion


@pytest.fixture(scope="module")
def two() -> Mechanism:
    return cb.build(arm())


def massless(mechanism: Mechanism, name: str) -> Mechanism:
    """The mechanism with a body of no mass and no inertia."""
    nothing = {b.name: replace(b.mass, mass=0.0, inertia=np.zeros((3, 3))) for b in mechanism.bodies if b.mass}
    bodies = tuple(replace(b, mass=nothing[b.name]) if b.name == name else b for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


@pytest.mark.parametrize("method", ["absolute", "tree", "transmission"])
def test_what_has_no_inertia_takes_no_torque_along_a_motion(two: Mechanism, method: str, tmp_path: Path) -> None:
    """The elbow's is 0, the shoulder's that of the upper link alone: m r² q̈ + I q̈, and its weight at 0.5 m."""
    path = motion(tmp_path, two, "duration: 0.2\nrate: 10\njoints: {shoulder: 20*t^2, elbow: 300*t}\n")
    found = cb.inverse(massless(two, "lower"), path, method=method)
    t, rate = found.run.result.trajectory.t, np.radians(40)
    assert found.forces.efforts[:, 1] == pytest.approx(np.zeros(3), abs=1e-9)
    weight = G * 0.5 * np.cos(np.radians(20 * t**2))
    assert np.abs(found.forces.efforts[:, 0]) == pytest.approx(np.abs((0.25 + LINK) * rate - weight), rel=1e-6)
    assert not found.findings


def test_a_freedom_without_inertia_that_is_left_free_is_told(two: Mechanism, tmp_path: Path) -> None:
    told = {}
    for free in ("refuse", "simulate"):
        path = motion(tmp_path, two, f"duration: 0.2\nfree: {free}\njoints: {{shoulder: 20*t}}\n")
        with pytest.raises(ModelError) as fault:
            cb.inverse(massless(two, "lower"), path)
        told[free] = [(f.code, f.where.item) for f in fault.value.findings if f.severity == Severity.ERROR]
    assert told == {"refuse": [("CB662", "elbow")], "simulate": [("CB697", "lower")]}


@pytest.mark.parametrize("method", ["absolute", "tree"])
def test_a_coupler_without_inertia_hands_on_what_the_rocker_takes(method: str, tmp_path: Path) -> None:
    """By power: crank effort times crank rate is what kinetic and potential energies of the two others take."""
    machine = massless(cb.build(four_bar()), "coupler")
    path = motion(tmp_path, machine, "duration: 0.2\nrate: 100\njoints: {A: 40*t^2}\n")
    found = cb.inverse(machine, path, method=method)
    T = found.run.result.trajectory
    energy = T.kinetic + T.potential
    power = found.forces.efforts[:, 0] * np.radians(80 * T.t)
    assert np.trapezoid(power, T.t) == pytest.approx(energy[-1] - energy[0], rel=1e-3)


@pytest.mark.parametrize("method", ["absolute", "tree", "bond-graph"])
def test_links_of_placeholder_masses_hand_on_the_whole_load(method: str, tmp_path: Path) -> None:
    """Parts without a material have 1e-9 kg in files of onshape-to-robot: half of the load came out."""
    links = ["base", *(f"l{k}" for k in range(6)), "hand"]
    weights = dict.fromkeys(links, (1e-9, 1e-9)) | {"hand": (0.3, 4e-4)}
    body = '<link name="{0}"><inertial><origin xyz="0.05 0.02 0.03"/><mass value="{1}"/><inertia ixx="{2}" iyy="{2}" '
    body += 'izz="{2}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    turn = '<joint name="q{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="0.02 0.1 0.06" '
    turn += 'rpy="1.57 {3} 0.4"/><axis xyz="0 0 1"/></joint>'
    joints = [turn.format(k, a, b, 0.3 * k - 1) for k, (a, b) in enumerate(pairwise(links))]
    text = "".join([*(body.format(name, *weights[name]) for name in links), *joints])
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{text}</robot>', encoding="utf-8")
    arm = cb.build(cb.read(tmp_path / "arm.urdf"))
    rows = ", ".join(f'q{k}: "{20 + k} * sin({3 + k} * t)"' for k in range(len(joints)))
    path = motion(tmp_path, arm, f"duration: 0.2\nrate: 10\njoints: {{{rows}}}\n")
    found = cb.inverse(arm, path, method=method)
    T = found.run.result.trajectory
    assert T.constraint_velocity.max() < 1e-9
    # Work and energy: what all drives give at a time is what the energies change by.
    power = np.sum(found.forces.efforts * T.coordinate_rates, axis=1)
    hand = [unit.name for unit in found.run.lowered.units].index("hand")
    v, a = T.velocities[:, hand], T.accelerations[:, hand]
    R = np.asarray(matrix(T.quaternions[:, hand]))
    inertia = R @ np.asarray(found.run.lowered.model.bodies[hand].inertia) @ np.swapaxes(R, 1, 2)
    given = 0.3 * np.sum(v[:, :3] * (a[:, :3] + [0, 0, G]), axis=1)
    given += np.einsum("ki,kij,kj->k", v[:, 3:], inertia, a[:, 3:])
    assert power == pytest.approx(given, rel=1e-5, abs=1e-7)
    assert not [f.code for f in found.findings if f.code == "CB671"]
