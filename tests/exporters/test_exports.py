"""Exports, loaded by MuJoCo and Pinocchio, against the mechanism they came from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest

from cadbridge.errors import InputError, ModelError
from cadbridge.exporters import export
from cadbridge.exporters.loops import close_loops
from cadbridge.exporters.relations import relations
from cadbridge.exporters.tree import Tree, bodies_at, kinematics, spanning_tree
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.targets import target_names
from solver.constraints import Coordinate, Coupler, evaluate
from tests.exporters import models
from tests.exporters.models import MECHANISMS, names_of


def load(mechanism: Mechanism, folder: Path, to: str) -> mujoco.MjModel:
    """Export and load with MuJoCo; the scene for MJCF."""
    files = export(mechanism, folder / to, to).files
    return mujoco.MjModel.from_xml_path(str(files[0] if to == "urdf" else folder / to / "scene.xml"))


def mujoco_poses(model: mujoco.MjModel, tree: Tree, joints: dict[str, str], q: np.ndarray) -> mujoco.MjData:
    """Data with the tree's coordinates q set, balls by their three turns."""
    data = mujoco.MjData(model)
    for link in tree.links:
        values = q[link.first : link.first + len(link.freedoms)]
        for freedom, value in zip(link.freedoms, values, strict=True):
            name = joints[freedom.name]
            j = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
            if j >= 0 and model.jnt_type[j] != mujoco.mjtJoint.mjJNT_BALL:
                data.qpos[model.jnt_qposadr[j]] = value
            elif j >= 0:
                _set_ball(data.qpos, int(model.jnt_qposadr[j]), link, values[-3:])
    mujoco.mj_kinematics(model, data)
    return data


def _set_ball(qpos: np.ndarray, start: int, link: object, turns: np.ndarray) -> None:
    total = np.array([1.0, 0, 0, 0])
    for freedom, angle in zip(link.freedoms[-3:], turns, strict=True):  # type: ignore[attr-defined]
        turn, product = np.zeros(4), np.zeros(4)
        mujoco.mju_axisAngle2Quat(turn, freedom.axis, angle)
        mujoco.mju_mulQuat(product, total, turn)
        total = product
    qpos[start : start + 4] = total


def damped_four_bar() -> Mechanism:
    return models.four_bar(damped=0.1)


@pytest.mark.parametrize("to", ["mjcf", "urdf"])
@pytest.mark.parametrize("make", MECHANISMS, ids=lambda m: m.__name__)
def test_poses_and_masses_survive_in_mujoco(make: Callable[[], Mechanism], to: str, tmp_path: Path) -> None:
    mechanism = make()
    model = load(mechanism, tmp_path, to)
    tree = close_loops(mechanism).tree if to == "mjcf" else spanning_tree(mechanism)
    links, joints = names_of(tmp_path / to, "links"), names_of(tmp_path / to, "joints")
    random = np.random.default_rng(2)
    for _ in range(3):
        q = random.uniform(-0.5, 0.5, len(tree.freedoms))
        data = mujoco_poses(model, tree, joints, q)
        state = kinematics(tree, q)
        for link, X_WL in zip(tree.links[1:], state.X_WL[1:], strict=True):
            body = data.body(links[tree.body(link).name])
            np.testing.assert_allclose(body.xpos, X_WL.p, atol=1e-9)
            np.testing.assert_allclose(body.xmat.reshape(3, 3), X_WL.R, atol=1e-9)
            mass = tree.body(link).mass
            assert mass is not None
            X_WB = X_WL @ link.X_WL.inverse() @ tree.body(link).X_WB
            np.testing.assert_allclose(body.xipos, X_WB.point(mass.com), atol=1e-9)
            R = body.ximat.reshape(3, 3)
            inertia = R @ np.diag(model.body(links[tree.body(link).name]).inertia) @ R.T
            np.testing.assert_allclose(inertia, mass.moved(X_WB).inertia, atol=1e-9)
            assert model.body(links[tree.body(link).name]).mass[0] == pytest.approx(mass.mass, rel=1e-11)


@pytest.mark.parametrize("make", MECHANISMS, ids=lambda m: m.__name__)
def test_the_tree_moves_as_the_joints_allow(make: Callable[[], Mechanism]) -> None:
    mechanism = make()
    tree = spanning_tree(mechanism)
    q = np.random.default_rng(6).uniform(-0.5, 0.5, len(tree.freedoms))
    positions, quaternions, _ = bodies_at(tree, q)
    for link in tree.links[1:]:
        joint = link.joint
        assert joint is not None
        rows = list(joint.primitives)
        if joint.type in ("revolute", "prismatic"):
            kind = "angle" if joint.type == "revolute" else "distance"
            A, B = joint.X_AJ, joint.X_BJ
            measured = Coordinate(kind, joint.a, joint.b, A.p, A.R[:, 2], B.p, A.R[:, 0], B.R[:, 0])
            rows.append(Coupler(joint.a, joint.b, ((1.0, measured),), float(q[link.first])))
        np.testing.assert_allclose(evaluate(rows, positions, quaternions).g, 0, atol=1e-12)


@pytest.mark.parametrize("make", MECHANISMS, ids=lambda m: m.__name__)
def test_the_mass_matrix_survives_in_pinocchio(make: Callable[[], Mechanism], tmp_path: Path) -> None:
    mechanism = make()
    tree = spanning_tree(mechanism)
    folder = tmp_path / "urdf"
    path = export(mechanism, folder, "urdf").files[0]
    model = pinocchio.buildModelFromUrdf(str(path))
    joints = names_of(folder, "joints")
    q = np.random.default_rng(4).uniform(-0.5, 0.5, len(tree.freedoms))
    configuration = pinocchio.neutral(model)
    columns = []
    for freedom, value in zip(tree.freedoms, q, strict=True):
        j = model.joints[model.getJointId(joints[freedom.name])]
        configuration[j.idx_q : j.idx_q + j.nq] = [np.cos(value), np.sin(value)] if j.nq == 2 else value
        columns.append(j.idx_v)
    data = model.createData()
    M = np.array(pinocchio.crba(model, data, configuration))[np.ix_(columns, columns)]
    M = np.triu(M) if columns == sorted(columns) else M
    M = M + M.T - np.diag(np.diag(M)) if columns == sorted(columns) else M
    np.testing.assert_allclose(M, mass_matrix(tree, q), atol=1e-9)
    geometry = pinocchio.buildGeomFromUrdf(
        model, str(path), pinocchio.GeometryType.VISUAL, package_dirs=[str(path.parent)]
    )
    assert geometry.ngeoms == len(mechanism.bodies)


def mass_matrix(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Kinetic energy's matrix, body by body, from the tree's own kinematics."""
    state = kinematics(tree, q)
    M = np.zeros((len(q), len(q)))
    for i, link in enumerate(tree.links):
        mass = tree.mass(link)
        if mass is None:
            continue
        X = state.X_WL[i]
        arm, inertia = X.R @ mass.com, X.R @ mass.inertia @ X.R.T
        v = state.J[i, :3] + np.cross(state.J[i, 3:].T, arm).T
        M += mass.mass * v.T @ v + state.J[i, 3:].T @ inertia @ state.J[i, 3:]
    return M


def test_a_free_swing_agrees_between_the_mjcf_and_the_urdf(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    model = load(mechanism, tmp_path, "mjcf")
    model.opt.timestep, model.opt.integrator = 2.5e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.jnt_limited[:] = 0
    data = mujoco.MjData(model)
    data.qpos[:] = start = np.array([0.4, -0.3])
    mujoco.mj_step(model, data, 2000)
    path = export(mechanism, tmp_path / "urdf", "urdf").files[0]
    other = pinocchio.buildModelFromUrdf(str(path))
    joints = names_of(tmp_path / "urdf", "joints")
    order = [other.joints[other.getJointId(joints[f.name])] for f in spanning_tree(mechanism).freedoms]
    q, v = np.zeros(2), np.zeros(2)
    q[:] = start

    def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        full, rates = pinocchio.neutral(other), np.zeros(2)
        for k, j in enumerate(order):
            full[j.idx_q : j.idx_q + j.nq] = [np.cos(q[k]), np.sin(q[k])] if j.nq == 2 else q[k]
            rates[j.idx_v] = v[k]
        a = pinocchio.aba(other, acceleration_data, full, rates, np.zeros(2))
        return np.array([a[j.idx_v] for j in order])

    acceleration_data, h = other.createData(), 5e-4
    for _ in range(1000):
        k1 = acceleration(q, v)
        k2 = acceleration(q + h / 2 * v, v + h / 2 * k1)
        k3 = acceleration(q + h / 2 * v + h * h / 4 * k1, v + h / 2 * k2)
        k4 = acceleration(q + h * v + h * h / 2 * k2, v + h * k3)
        q = q + h * v + h * h / 6 * (k1 + k2 + k3)
        v = v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    np.testing.assert_allclose(data.qpos, q, atol=1e-8)
    assert np.linalg.norm(q - start) > 0.1


def test_gears_and_racks_become_mimics_and_equalities(tmp_path: Path) -> None:
    mechanism = models.geared_pair()
    tree = spanning_tree(mechanism)
    found, lost = relations(tree)
    assert not lost
    assert relations(tree)[0] is found  # looked for once: what exports and compares asks several times
    ratios = {r.name: dict(r.terms) for r in found}
    freedoms = [f.name for f in tree.freedoms]
    pinion, wheel, rack = (freedoms.index(n) for n in ("pinion", "wheel", "rack"))
    # The wheel's joint has the ground for its body b: its coordinate runs against the wheel's own turn.
    assert ratios["Spur:1"][wheel] / ratios["Spur:1"][pinion] == pytest.approx(-3.0)
    assert abs(ratios["Rack:1"][wheel] / ratios["Rack:1"][rack]) == pytest.approx(0.06)
    model = load(mechanism, tmp_path, "mjcf")
    assert model.actuator_gear[0, 0] == 2.0
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.05
    mujoco.mj_step(model, data, 300)
    turn = {n: data.joint(n).qpos[0] for n in ("pinion", "wheel", "rack")}
    assert abs(turn["pinion"]) > 0.02
    assert turn["wheel"] == pytest.approx(turn["pinion"] / 3, rel=2e-2)
    text = export(mechanism, tmp_path / "u", "urdf").files[0].read_text()
    assert text.count("<mimic ") == 2


def test_sensors_tell_free_joints_motors_and_frames(tmp_path: Path) -> None:
    model = load(models.geared_pair(), tmp_path, "mjcf")
    names = {model.sensor(i).name: model.sensor(i).type[0] for i in range(model.nsensor)}
    kinds = mujoco.mjtSensor
    assert len(names) == 3  # wheel and rack follow the pinion
    assert names["pinion_position"] == kinds.mjSENS_JOINTPOS
    assert names["pinion_velocity"] == kinds.mjSENS_JOINTVEL
    assert names["M1_effort"] == kinds.mjSENS_ACTUATORFRC
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.05
    mujoco.mj_step(model, data, 100)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.sensor("pinion_position").data, data.joint("pinion").qpos)
    np.testing.assert_allclose(data.sensor("pinion_velocity").data, data.joint("pinion").qvel)
    np.testing.assert_allclose(data.sensor("M1_effort").data, 0.05)


def test_a_planetary_train_obeys_willis(tmp_path: Path) -> None:
    model = load(models.planetary(), tmp_path, "mjcf")
    assert model.ntendon == 2
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rows = data.efc_J.reshape(-1, model.nv)[: data.ne]
    speeds = np.linalg.svd(rows)[2][data.ne :]
    for sun, carrier, _planet, ring in speeds:
        # z_ring / z_sun = 2: (n_sun − n_carrier) = −2 (n_ring − n_carrier)
        assert sun - carrier == pytest.approx(-2 * (ring - carrier), abs=1e-9)


def test_a_coordinate_coupler_keeps_its_constant(tmp_path: Path) -> None:
    mechanism = models.coupled_by_coordinates(ratio=-2.0, constant=0.25)
    text = export(mechanism, tmp_path / "u", "urdf").files[0].read_text()
    assert 'multiplier="-2"' in text
    assert 'offset="0.25"' in text
    model = load(mechanism, tmp_path, "mjcf")
    np.testing.assert_allclose(model.eq_data[0, :2], [0.25, -2.0], atol=1e-12)


def test_a_planar_loop_closes_by_one_connect_and_stays_closed(tmp_path: Path) -> None:
    mechanism = models.four_bar()
    model = load(mechanism, tmp_path, "mjcf")
    assert (model.neq, model.eq_type[0]) == (1, mujoco.mjtEq.mjEQ_CONNECT)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    assert np.max(np.abs(data.qpos)) > 0.05
    assert np.max(np.abs(data.efc_pos[: data.ne])) < 1e-4


def test_a_loop_that_needs_more_than_a_connect_halves_a_body(tmp_path: Path) -> None:
    mechanism = models.four_bar(damped=0.1)
    model = load(mechanism, tmp_path, "mjcf")
    assert (model.neq, model.eq_type[0]) == (1, mujoco.mjtEq.mjEQ_WELD)
    total = sum(b.mass.mass for b in mechanism.bodies if b.mass is not None)
    assert model.body_mass.sum() == pytest.approx(total, rel=1e-11)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    assert np.max(np.abs(data.efc_pos[: data.ne])) < 1e-4


@pytest.mark.parametrize(("to", "told"), [("urdf", 1), ("sdf", 1), ("mjcf", 0)])
def test_damping_of_a_joint_that_closes_a_loop_is_carried_or_told(to: str, told: int, tmp_path: Path) -> None:
    mechanism = models.four_bar(damped=0.125)
    result = export(mechanism, tmp_path / "x", to)
    closing = {j.name for j in spanning_tree(mechanism).closures}
    found = [f for f in result.findings if f.code == "CB529"]
    damped = [j.name for j in mechanism.joints if j.damping]
    assert set(damped) <= closing
    assert [f.where.item for f in found] == damped * told
    # A load that it does not have is not among those that are left out.
    assert [f.message for f in found] == [f"of joint {name} is left out: damping 0.125" for name in damped * told]
    assert (result.files[0].read_text().count("0.125") > 0) != bool(told)


def test_urdf_tells_its_loops_and_sums(tmp_path: Path) -> None:
    loop = export(models.four_bar(), tmp_path / "loop", "urdf")
    closures = json.loads((tmp_path / "loop" / "closures.json").read_text())
    assert [f.code for f in loop.findings if f.severity == "warning"] == ["CB503"]
    assert [j["type"] for j in closures["joints"]] == ["revolute"]
    train = export(models.planetary(), tmp_path / "train", "urdf")
    closures = json.loads((tmp_path / "train" / "closures.json").read_text())
    assert [f.code for f in train.findings if f.severity == "warning"] == ["CB507", "CB507"]
    follows = {f["joint"]: {t["joint"]: t["factor"] for t in f["terms"]} for f in closures["follows"]}
    assert follows["ring"] == pytest.approx({"sun": -0.5, "carrier": 1.5})


@pytest.mark.parametrize("to", sorted(set(target_names()) - {"json", "ros2", "step-ap242"}))
def test_exports_are_the_same_byte_for_byte_and_replace_earlier_ones(to: str, tmp_path: Path) -> None:
    first = export(models.joints_of_all_kinds(), tmp_path / "a", to)
    before = {p.relative_to(first.directory): p.read_bytes() for p in first.files}
    second = export(models.joints_of_all_kinds(), tmp_path / "a", to)
    after = {p.relative_to(second.directory): p.read_bytes() for p in second.files}
    assert before == after
    assert {p for p in (tmp_path / "a").rglob("*") if p.is_file()} == set(second.files)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="is not empty and holds no earlier export"):
        export(models.pendulum(), tmp_path, "mjcf")
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_an_unknown_format_names_the_choices(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="json, mates-file, mjcf"):
        export(models.pendulum(), tmp_path / "x", "vrml")


def test_unknown_and_impossible_masses(tmp_path: Path) -> None:
    rig = models.Builder()
    bad = MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, -3.0]))
    rig.joint("revolute", -1, rig.body(mass=bad), models.at((0, 0, 0)))
    with pytest.raises(ModelError) as caught:
        export(rig.build(), tmp_path / "x", "mjcf")
    assert [f.code for f in caught.value.findings if f.severity == "error"] == ["CB502"]
    assert not (tmp_path / "x").exists()


def test_a_tiny_ball_is_refused_by_mujoco_alone(tmp_path: Path) -> None:
    """A steel ball of 0.3 mm has 9.9e-16 kg m²: too little for MuJoCo, no reason for others."""
    mass, radius = 1.1e-7, 1.5e-4
    rig = models.Builder()
    ball = rig.body(mass=MassProperties(mass, np.zeros(3), 0.4 * mass * radius**2 * np.eye(3)))
    rig.joint("revolute", -1, ball, models.at((0, 0, 0)), damping=2e-15)
    with pytest.raises(ModelError, match="1e-15, the least that the engine takes"):
        export(rig.build(), tmp_path / "mjcf", "mjcf")
    for target, model in (("urdf", "test_rig.urdf"), ("sdf", "model.sdf")):
        done = export(rig.build(), tmp_path / target, target)
        text = next(path for path in done.files if path.name == model).read_text(encoding="utf-8")
        held = re.search(r"""ixx(?:="|>)([^"<]+)""", text), re.search(r"""damping(?:="|>)([^"<]+)""", text)
        assert [float(found[1]) for found in held if found] == pytest.approx([0.4 * mass * radius**2, 2e-15])


@pytest.mark.parametrize("moments", [[1.0, 1.0, 0.0], [1.0, 1.0, 4.0], [1.0, 1.0, -1.0]])
def test_mujoco_loads_what_stands_still_with_moments_that_no_body_has(moments: list[float], tmp_path: Path) -> None:
    rig = models.Builder()
    rig.joint("revolute", -1, rig.body(), models.at((0, 0, 0)))
    machine = rig.build()
    bad = MassProperties(0.1, np.array([0.0, 0.0, 0.5]), np.diag(moments))
    done = export(replace(machine, ground=replace(machine.ground, mass=bad)), tmp_path / "x", "mjcf")
    assert [f.where.item for f in done.findings if f.code == "CB1434"] == [machine.ground.name]
    base = mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "robot.xml")).body("ground")
    assert (*base.mass, *base.inertia, *base.ipos) == pytest.approx((0.1, 0, 0, 0, 0, 0, 0.5))


def test_an_inertia_that_no_body_has_is_exported_as_it_stands_and_balanced_in_mujoco(tmp_path: Path) -> None:
    rig = models.Builder()
    bad = MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, 4.0]))
    rig.joint("revolute", -1, rig.body(mass=bad), models.at((0, 0, 0)))
    for target in ("urdf", "mjcf"):
        done = export(rig.build(), tmp_path / target, target)
        assert [f.code for f in done.findings if f.severity == "warning"].count("CB1434") == 1
    inertia = mujoco.MjModel.from_xml_path(str(tmp_path / "mjcf" / "robot.xml")).body_inertia[-1]
    assert inertia == pytest.approx([2.0, 2.0, 2.0])
    path = next((tmp_path / "urdf").rglob("*.urdf"))
    model = pinocchio.buildModelFromUrdf(str(path))
    assert np.linalg.eigvalsh(model.inertias[1].inertia) == pytest.approx([1.0, 1.0, 4.0])
    assert 'balanceinertia="true"' in path.read_text("utf-8")


def accelerations(mechanism: Mechanism) -> np.ndarray:
    """Accelerations (6n,) of the bodies' frames from rest, in absolute coordinates, all rows kept."""
    n = len(mechanism.bodies)
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for i, body in enumerate(mechanism.bodies):
        assert body.mass is not None
        m, r, I = body.mass.mass, body.X_WB.R @ body.mass.com, body.mass.moved(body.X_WB).inertia  # noqa: E741
        at_com = np.eye(6)
        at_com[:3, 3:] = -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        block = slice(6 * i, 6 * i + 6)
        M[block, block] = at_com.T @ np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), I]]) @ at_com
        f[block] = at_com.T @ np.r_[m * np.asarray(mechanism.gravity), np.zeros(3)]
    rows = [p for j in mechanism.joints for p in j.primitives] + [c.primitive for c in mechanism.couplings]
    for joint in mechanism.joints:
        if joint.type == "screw":
            A, B = joint.X_AJ, joint.X_BJ
            turn = Coordinate("angle", joint.a, joint.b, A.p, A.R[:, 2], B.p, A.R[:, 0], B.R[:, 0])
            travel = Coordinate("distance", joint.a, joint.b, A.p, A.R[:, 2], B.p)
            rows.append(Coupler(joint.a, joint.b, ((1.0, travel), (-(joint.pitch or 0.0), turn))))
    poses = [body.X_WB for body in mechanism.bodies]
    G = evaluate(rows, [X.p for X in poses], [X.quaternion() for X in poses]).G
    free = np.linalg.svd(G)[2][np.linalg.matrix_rank(G, tol=1e-9) :].T
    return np.asarray(free @ np.linalg.solve(free.T @ M @ free, free.T @ f))


def accelerations_of(model: mujoco.MjModel, tree: Tree) -> np.ndarray:
    """The same from MuJoCo's mass matrix and the rows of its equalities, held exactly; without rotors."""
    model.dof_armature[:] = 0
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    rows = data.efc_J.reshape(-1, model.nv)[: data.ne]
    _, s, Vt = np.linalg.svd(rows)
    free = Vt[np.count_nonzero(s > 1e-9) :].T
    rates = free @ np.linalg.solve(free.T @ M @ free, -free.T @ data.qfrc_bias)
    return np.asarray(bodies_at(tree, np.zeros(len(tree.freedoms)))[2] @ rates)


@pytest.mark.parametrize("make", [*MECHANISMS[1:5], models.branched, damped_four_bar], ids=lambda m: m.__name__)
def test_accelerations_from_rest_are_those_of_the_mechanism(make: Callable[[], Mechanism], tmp_path: Path) -> None:
    mechanism = make()
    moved = accelerations_of(load(mechanism, tmp_path, "mjcf"), close_loops(mechanism).tree)
    np.testing.assert_allclose(moved, accelerations(mechanism), atol=1e-7)


def test_the_home_pose_is_a_keyframe_that_obeys_the_gears(tmp_path: Path) -> None:
    mechanism = models.geared_pair(rack=False)
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, home={"wheel": 0.2}))
    model = load(mechanism, tmp_path, "mjcf")
    key = model.key("home").qpos
    np.testing.assert_allclose([key[model.joint(n).qposadr[0]] for n in ("pinion", "wheel")], [0.6, 0.2], atol=1e-12)
    assert "CB517" in [f.code for f in export(mechanism, tmp_path / "u", "urdf").findings]


def test_the_home_pose_may_call_a_joint_by_a_mate_of_it(tmp_path: Path) -> None:
    mechanism = models.geared_pair(rack=False)
    mate = mechanism.joint("wheel").mates[0]
    assembly = replace(mechanism.assembly, joint_names={mate: "output"}, home={"output": 0.2})
    mechanism = replace(mechanism, assembly=assembly)
    model = load(mechanism, tmp_path, "mjcf")
    assert model.key("home").qpos[model.joint("wheel").qposadr[0]] == pytest.approx(0.2)
    assert mechanism.home == {"wheel": 0.2}


def test_the_home_pose_of_a_branched_machine_reaches_the_right_joints(tmp_path: Path) -> None:
    home = {f"hinge {i}": 0.1 * (i + 1) for i in range(7)}
    mechanism = models.branched()
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, home=home))
    model = load(mechanism, tmp_path, "mjcf")
    key = model.key("home").qpos
    for name, value in home.items():
        assert key[model.joint(name.replace(" ", "_")).qposadr[0]] == pytest.approx(value)
