"""GeneralMotion of OndselSolver: a marker led along and about another, with turns of any size and order."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import cadbridge as cb
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.simulation import Run, simulate, study_scenario
from cadbridge.simulation.against import component_poses
from tests.simulation.asmt import assembly, hinged, lines, part

Array = NDArray[np.float64]

TURNED = Rotation.from_euler("xyz", [0.4, -0.7, 1.1]).as_matrix()
PART_J = Pose(Rotation.from_euler("xyz", [-1.2, 0.3, 0.5]).as_matrix(), np.array([0.2, -0.1, 0.3]))


def motion(i: str, j: str, place: tuple[str, str, str], turns: tuple[str, str, str], order: str) -> str:
    text = lines(3, "GeneralMotion")
    keys = ("rIJI1", "rIJI2", "rIJI3", "angIJJ1", "angIJJ2", "angIJJ3")
    said = {"Name": "Heave", "MarkerI": i, "MarkerJ": j, **dict(zip(keys, (*place, *turns), strict=True))}
    for key, value in (said | {"RotationOrder": order}).items():
        text += lines(4, key) + lines(5, value)
    return text


def pose_of(run: Run, component: str, X: Pose) -> list[Pose]:
    p, R = component_poses(run, component)
    return [Pose(b, a) @ X for a, b in zip(p, R, strict=True)]


PLACE = ("0.5*sin(time)", "1 - 0.2*time", "0.3*cos(2*time)")
TURNS = ("3*time", "0.4 + 0.2*sin(time)", "1 - 4*time")


@pytest.mark.parametrize(("order", "method"), [("1 2 3", "absolute"), ("3 1 3", "absolute"), ("3 1 2", "tree")])
def test_a_marker_follows_its_expressions_in_the_order_stated(tmp_path: Path, order: str, method: str) -> None:
    """The file holds the part elsewhere; the turns go on beyond one round."""
    parts = part("Ship", Pose(p=np.array([0.1, 0.9, 0.2])), {"J": PART_J})
    text = assembly(
        parts, {"I": Pose(TURNED, np.array([1.0, 2.0, 3.0]))}, "", motion("/A/I", "/A/Ship/J", PLACE, TURNS, order)
    )
    path = tmp_path / "ship.asmt"
    path.write_text(text)
    mechanism = cb.build(cb.read(path))
    assert [f.code for f in mechanism.assembly.findings] == ["CB1209", "CB1257"]
    run = simulate(mechanism, method=method)
    assert run.result.status.ok
    t = run.result.trajectory.t
    wanted = np.stack([0.5 * np.sin(t), 1 - 0.2 * t, 0.3 * np.cos(2 * t)], axis=1)
    turns = np.stack([3 * t, 0.4 + 0.2 * np.sin(t), 1 - 4 * t], axis=1)
    R = Rotation.from_euler("".join("?XYZ"[int(k)] for k in order.split()), turns).as_matrix()
    for X_WJ, p, turned in zip(pose_of(run, "Ship", PART_J), wanted, R, strict=True):
        assert np.allclose(X_WJ.p, [1.0, 2.0, 3.0] + TURNED @ p, atol=1e-9)
        assert np.allclose(X_WJ.R, TURNED @ turned, atol=1e-9)


def test_a_pendulum_on_a_ship_that_heaves_and_has_no_mass(tmp_path: Path) -> None:
    """(I + m l²) θ'' = −m l (g + z'') sin θ; the mass of what is led may be unknown."""
    along_y = Pose(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))  # z is −y of the part
    hung = Pose(Rotation.from_euler("y", -0.5).as_matrix(), np.array([0.8 * np.sin(0.5), 0.0, -0.8 * np.cos(0.5)]))
    bob = Pose(along_y.R, np.array([0.0, 0.0, 0.8]))
    parts = part("Ship", Pose(), {"J": Pose(), "Hook": along_y}, mass=0.0) + part("Bob", hung, {"Eye": bob})
    joints = hinged("RevoluteJoint", "Hinge", "/A/Ship/Hook", "/A/Bob/Eye")
    led = motion("/A/I", "/A/Ship/J", ("0", "0", "0.1 - 0.1*cos(5*time)"), ("0", "0", "0"), "1 2 3")
    path = tmp_path / "ship.asmt"
    path.write_text(assembly(parts, {"I": Pose()}, joints, led))
    run = simulate(cb.build(cb.read(path)))
    assert run.result.status.ok
    assert "CB617" in [f.code for f in run.findings]
    t = run.result.trajectory.t

    def slope(t: float, y: Array) -> list[float]:
        return [y[1], -2.0 * 0.8 * (9.81 + 2.5 * np.cos(5 * t)) * np.sin(y[0]) / (0.1 + 2.0 * 0.8**2)]

    swung = solve_ivp(slope, (0, 2), [0.5, 0.0], t_eval=t, rtol=1e-11, atol=1e-12).y[0]
    down = np.array([X.R @ [0, 0, -1] for X in pose_of(run, "Bob", Pose())])
    assert np.allclose(np.arctan2(down[:, 0], -down[:, 2]), swung, atol=1e-7)


def test_what_leads_two_free_bodies_against_each_other_gives_them_no_momentum(tmp_path: Path) -> None:
    parts = part("One", Pose(), {"I": PART_J}) + part("Two", Pose(p=np.ones(3)), {"J": PART_J}, mass=1.0, moment=0.3)
    path = tmp_path / "two.asmt"
    path.write_text(assembly(parts, {}, "", motion("/A/One/I", "/A/Two/J", PLACE, TURNS, "3 1 2"), "0 0 0"))
    mechanism = cb.build(cb.read(path))
    asked = study_scenario(mechanism, Findings())
    for collapse in (True, False):
        T = simulate(mechanism, replace(asked, rtol=1e-10, atol=1e-10), collapse=collapse).result.trajectory
        x, v, w = T.positions[:, :2], T.velocities[:, :2, :3], T.velocities[:, :2, 3:]
        momentum = 2.0 * v[:, 0] + v[:, 1]
        spin = 2.0 * np.cross(x[:, 0], v[:, 0]) + np.cross(x[:, 1], v[:, 1]) + 0.1 * w[:, 0] + 0.3 * w[:, 1]
        assert np.allclose(momentum, momentum[0], atol=1e-8)
        assert np.allclose(spin, spin[0], atol=1e-8)
        assert np.max(np.abs(w)) > 1.0


def test_motions_that_cannot_be_followed_are_named(tmp_path: Path) -> None:
    parts = part("Ship", Pose(), {"J": PART_J})
    text = assembly(parts, {"I": Pose()}, "", motion("/A/I", "/A/Ship/J", PLACE, ("0", "0", "0"), "1 2 4"))
    path = tmp_path / "ship.asmt"
    path.write_text(text)
    assert "CB181" in [f.code for f in cb.read(path).findings]
    path.write_text(text.replace("1 2 4", "1 2 3").replace(PLACE[1], "log(time - 1)"))
    run = simulate(cb.build(cb.read(path)))
    assert [f.code for f in run.findings if f.code == "CB603"]
