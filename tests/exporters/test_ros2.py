"""The ROS 2 package: the same model, its controllers, a matrix that holds, and a relay that closes loops."""

from __future__ import annotations

import ast
import json
import math
import py_compile
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest
import xacro
import yaml

from cadbridge.assembly import Drive, Limit
from cadbridge.exporters import ExportOptions, export
from cadbridge.exporters.ros2.loop_closure import LoopClosure
from cadbridge.exporters.tree import spanning_tree
from cadbridge.mechanism import Mechanism
from cadbridge.verification import verify
from solver.constraints import evaluate
from tests.exporters import models

FEW = ExportOptions(poses=100)


def gripper() -> Mechanism:
    """Two fingers, each a four-bar; the second crank follows the first by a gear of ratio 1."""
    rig = models.Builder(13)
    cranks = []
    for side in (1, -1):
        crank, coupler, rocker = rig.body(), rig.body(), rig.body()
        name = "left" if side > 0 else "right"
        at = [(0.02 * side, 0, 0), (0.05 * side, 0.06, 0), (0.1 * side, 0.06, 0), (0.07 * side, 0.01, 0)]
        a, b, c, d = (models.at(p) for p in at)
        limit = Limit(-0.5, 0.7, 1.0, 5.0) if side > 0 else None
        rig.joint("revolute", -1, crank, a, name=f"{name}_crank", limit=limit)
        rig.joint("revolute", crank, coupler, b, name=f"{name}_knuckle")
        rig.joint("revolute", coupler, rocker, c, name=f"{name}_tip")
        rig.joint("revolute", -1, rocker, d, name=f"{name}_rocker")
        cranks.append((crank, a))
    (one, X_one), (two, X_two) = cranks
    rig.gear("mesh", "spur", one, two, X_one, X_two, 1.0)
    rig.drives.append(Drive("motor", "left_crank"))
    return rig.build()


def four_bar() -> Mechanism:
    mechanism = models.four_bar()
    return replace(mechanism, assembly=replace(mechanism.assembly, name="Four Bar"))


MAKE: list[Callable[[], Mechanism]] = [
    models.pendulum,
    models.joints_of_all_kinds,
    models.geared_pair,
    four_bar,
    gripper,
]


@pytest.fixture(scope="module", params=MAKE, ids=lambda make: make.__name__)
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    made: Mechanism = request.param()
    return made


@pytest.fixture(scope="module")
def package(mechanism: Mechanism, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("export") / "out"
    export(mechanism, where, "ros2", options=FEW)
    (found,) = (p for p in where.iterdir() if p.is_dir())
    return found


def expanded(package: Path, **arguments: str) -> ET.Element:
    (model,) = (package / "urdf").glob("*.urdf.xacro")
    return ET.fromstring(xacro.process_file(str(model), mappings=arguments).toxml())


def said(element: ET.Element) -> Any:
    """An element as data; numbers as numbers."""

    def value(text: str) -> Any:
        try:
            return tuple(float(v) for v in text.split())
        except ValueError:
            return text

    attributes = {key: value(text) for key, text in element.attrib.items()}
    return element.tag, attributes, (element.text or "").strip(), [said(child) for child in element]


def test_xacro_expands_to_the_plain_urdf(mechanism: Mechanism, package: Path, tmp_path: Path) -> None:
    export(mechanism, tmp_path / "plain", "urdf")
    (plain,) = (tmp_path / "plain").glob("*/urdf/*.ros.urdf")
    arguments = {"ros2_control": "false"}
    assert said(expanded(package, **arguments)) == said(ET.parse(plain).getroot())


def test_ros2_control_adds_only_itself(package: Path) -> None:
    bare, whole = expanded(package, ros2_control="false"), expanded(package)
    more = [e for e in whole if said(e) not in [said(x) for x in bare]]
    assert [e.tag for e in more] in ([], ["ros2_control"])


def test_the_hardware_is_chosen_by_arguments(package: Path) -> None:
    for arguments, plugin in (
        ({}, "mock_components/GenericSystem"),
        ({"sim_gazebo": "true"}, "gz_ros2_control/GazeboSimSystem"),
        ({"use_mock_hardware": "false", "hardware_plugin": "mine/Robot"}, "mine/Robot"),
    ):
        robot = expanded(package, **arguments)
        assert [e.text for e in robot.iter("plugin") if e.text and "/" in e.text] == [plugin]
        assert (robot.find("link[@name='world']") is not None) == ("sim_gazebo" in arguments)


def test_controllers_and_interfaces_agree(package: Path) -> None:
    robot = expanded(package)
    commanded = [j.get("name") for j in robot.findall("ros2_control/joint") if j.find("command_interface") is not None]
    controllers = yaml.safe_load((package / "config" / "controllers.yaml").read_text())
    assert controllers["joint_trajectory_controller"]["ros__parameters"]["joints"] == commanded
    initial = yaml.safe_load((package / "config" / "initial_positions.yaml").read_text())["initial_positions"]
    assert set(commanded) <= set(initial)
    assert all(isinstance(value, float) for value in initial.values())
    movable = {j.get("name") for j in robot.findall("joint") if j.get("type") not in ("fixed", "floating")}
    mimics = {j.get("name") for j in robot.findall("joint") if j.find("mimic") is not None}
    held = {j.get("name") for j in robot.findall("ros2_control/joint")}
    assert held <= movable
    assert not mimics & set(commanded)
    interfaces = {
        tuple(s.get("name") for s in j.findall("state_interface")) for j in robot.findall("ros2_control/joint")
    }
    assert interfaces == {("position", "velocity")}


def test_launch_files_start_what_the_package_needs(package: Path) -> None:
    manifest = ET.parse(package / "package.xml").getroot()
    used = {e.text for e in manifest.findall("exec_depend")}
    for path in sorted((package / "launch").glob("*.py")):
        tree = ast.parse(path.read_text())
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "Node"]
        started = {ast.literal_eval(k.value) for call in nodes for k in call.keywords if k.arg == "package"}
        assert started - {package.name} <= used
        executables = {ast.literal_eval(k.value) for call in nodes for k in call.keywords if k.arg == "executable"}
        assert ("loop_relay" in executables) == (package / "scripts" / "loop_relay").exists()


def test_every_script_compiles(package: Path, tmp_path: Path) -> None:
    scripts = [*package.glob("launch/*.py"), *package.glob("scripts/*"), *package.glob("*/*.py")]
    assert len(scripts) >= 3
    for k, path in enumerate(scripts):
        py_compile.compile(str(path), cfile=str(tmp_path / f"{k}.pyc"), doraise=True)


def test_the_package_installs_what_it_holds(package: Path) -> None:
    cmake = (package / "CMakeLists.txt").read_text()
    installed = cmake.partition("install(DIRECTORY ")[2].partition(" DESTINATION")[0].split()
    assert set(installed) | {package.name, "scripts"} >= {p.name for p in package.iterdir() if p.is_dir()}
    assert all((package / name).is_dir() for name in installed)
    assert ET.parse(package / "package.xml").getroot().findtext("name") == package.name == package.name.lower()
    view = yaml.safe_load((package / "rviz" / "view.rviz").read_text())
    links = [e.get("name") for e in expanded(package).findall("link")]
    assert view["Visualization Manager"]["Global Options"]["Fixed Frame"] == links[0]


def srdf_of(package: Path) -> ET.Element:
    (path,) = (package / "config").glob("*.srdf")
    return ET.parse(path).getroot()


def model_of(package: Path, tmp_path: Path) -> tuple[Any, Any]:
    """Pinocchio's model and geometry of the expanded description."""
    path = tmp_path / "robot.urdf"
    path.write_bytes(ET.tostring(expanded(package, ros2_control="false")))
    model = pinocchio.buildModelFromUrdf(str(path))
    geometry = pinocchio.buildGeomFromUrdf(
        model, str(path), pinocchio.GeometryType.COLLISION, package_dirs=[str(package.parent)]
    )
    return model, geometry


def test_pinocchio_reads_the_srdf(package: Path, tmp_path: Path) -> None:
    model, geometry = model_of(package, tmp_path)
    geometry.addAllCollisionPairs()
    before = len(geometry.collisionPairs)
    (path,) = (package / "config").glob("*.srdf")
    pinocchio.removeCollisionPairs(model, geometry, str(path))
    disabled = srdf_of(package).findall("disable_collisions")
    assert {e.get("reason") for e in disabled} <= {"Adjacent", "Default", "Always", "Never"}
    assert before - len(geometry.collisionPairs) >= len(disabled)
    pinocchio.loadReferenceConfigurations(model, str(path))
    assert "home" in model.referenceConfigurations or srdf_of(package).find("group_state") is None


def test_srdf_names_what_the_model_has(package: Path) -> None:
    robot, srdf = expanded(package), srdf_of(package)
    links = {e.get("name") for e in robot.findall("link")}
    joints = {e.get("name") for e in robot.findall("joint")}
    for pair in srdf.findall("disable_collisions"):
        assert {pair.get("link1"), pair.get("link2")} <= links
    assert {e.get("name") for e in srdf.iter("joint")} | {e.get("name") for e in srdf.iter("passive_joint")} <= joints
    chain = srdf.find("group/chain")
    assert chain is None or {chain.get("base_link"), chain.get("tip_link")} <= links


def relay_of(package: Path) -> LoopClosure:
    urdf = ET.tostring(expanded(package), encoding="unicode")
    return LoopClosure(urdf, (package / "config" / "closures.json").read_text())


def residual(mechanism: Mechanism, package: Path, values: dict[str, float]) -> float:
    """How far the joints that close loops are open (m, rad), by Pinocchio's poses and the solver's own rows."""
    model = pinocchio.buildModelFromXML(ET.tostring(expanded(package, ros2_control="false"), encoding="unicode"))
    data, q = model.createData(), pinocchio.neutral(model)
    for name, value in values.items():
        joint = model.joints[model.getJointId(name)]
        turn = [math.cos(value), math.sin(value)] if joint.nq == 2 else [value]
        q[joint.idx_q : joint.idx_q + joint.nq] = turn
    pinocchio.framesForwardKinematics(model, data, q)
    names = {
        old: new for new, old in json.loads((package.parent / "losses.json").read_text())["names"]["links"].items()
    }
    tree = spanning_tree(mechanism)
    positions, quaternions = [], []
    for number, body in enumerate(mechanism.bodies):
        placed = data.oMf[model.getFrameId(names[body.name])]
        X_LB = tree.links[tree.link_of(number)].X_WL.inverse() @ body.X_WB
        positions.append(placed.rotation @ X_LB.p + placed.translation)
        x, y, z, w = pinocchio.Quaternion(placed.rotation @ X_LB.R).coeffs()
        quaternions.append([w, x, y, z])
    rows = [p for joint in tree.closures for p in joint.primitives]
    return float(np.max(np.abs(evaluate(rows, np.array(positions), np.array(quaternions)).g)))


@pytest.mark.parametrize("make", [four_bar, gripper], ids=lambda make: make.__name__)
def test_the_relay_closes_loops_over_the_whole_range(make: Callable[[], Mechanism], tmp_path: Path) -> None:
    mechanism = make()
    export(mechanism, tmp_path / "x", "ros2", options=ExportOptions(poses=0))
    (package,) = (p for p in (tmp_path / "x").iterdir() if p.is_dir())
    relay = relay_of(package)
    assert len(relay.active) == 1
    (active,) = relay.active
    closed = []
    for value in np.linspace(-3.0, 3.0, 61):
        solution = relay.follow({active: float(value)})
        closed.append(solution.closed)
        if solution.closed:
            assert solution.values[active] == pytest.approx(value)
            assert set(solution.values) == set(relay.joints)
            assert residual(mechanism, package, solution.values) < 1e-6
    assert sum(closed) >= 10


ALONE = """
import json, sys

# Beside ROS there is neither.
sys.modules["cadbridge"] = sys.modules["solver"] = None
sys.path.insert(0, sys.argv[1])
from importlib import import_module

asked = json.load(sys.stdin)
relay = import_module(f"{sys.argv[2]}.loop_closure").LoopClosure(asked["urdf"], asked["closures"])
print(json.dumps(relay.follow(asked["values"]).values))
"""


def test_the_mathematics_of_the_package_runs_without_cadbridge(tmp_path: Path) -> None:
    export(four_bar(), tmp_path / "x", "ros2", options=ExportOptions(poses=0))
    (package,) = (p for p in (tmp_path / "x").iterdir() if p.is_dir())
    own = relay_of(package)
    values = {own.active[0]: 0.3}
    asked = {
        "urdf": ET.tostring(expanded(package), encoding="unicode"),
        "closures": (package / "config" / "closures.json").read_text(),
        "values": values,
    }
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, str(package), package.name], input=json.dumps(asked),
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    solution = own.follow(values)
    assert solution.closed
    assert json.loads(done.stdout) == solution.values


def test_the_relay_refuses_what_cannot_close(tmp_path: Path) -> None:
    export(gripper(), tmp_path / "x", "ros2", options=ExportOptions(poses=0))
    (package,) = (p for p in (tmp_path / "x").iterdir() if p.is_dir())
    relay = relay_of(package)
    good = relay.follow({"left_crank": 0.3})
    assert good.closed
    assert not relay.follow({"left_crank": 3.1}).closed
    assert not relay.follow({"left_crank": math.nan}).closed
    assert relay.follow({"left_crank": 0.3}).values == pytest.approx(good.values)


def test_a_gripper_has_one_command_and_a_mimic(tmp_path: Path) -> None:
    result = export(gripper(), tmp_path / "x", "ros2", options=FEW)
    (package,) = (p for p in (tmp_path / "x").iterdir() if p.is_dir())
    robot = expanded(package)
    commanded = [j.get("name") for j in robot.findall("ros2_control/joint") if j.find("command_interface") is not None]
    assert commanded == ["left_crank"]
    assert [j.get("name") for j in robot.findall("joint") if j.find("mimic") is not None] == ["right_crank"]
    passive = {e.get("name") for e in srdf_of(package).findall("passive_joint")}
    assert passive == {"left_knuckle", "right_knuckle", *(passive - {"left_knuckle", "right_knuckle"})}
    assert "right_crank" not in passive
    assert {"CB503", "CB558", "CB560"} <= {f.code for f in result.findings}


def test_no_disabled_pair_collides_in_other_poses(tmp_path: Path) -> None:
    """Of an arm whose last bar reaches its base: what the matrix calls Never stays apart in 10⁴ other poses."""
    rig = models.Builder(21)
    previous = -1
    for k in range(4):
        body = rig.body(models.at((0.08 * k, 0, 0.02 * k)))
        limit = Limit(-1.2, 2.0)
        rig.joint("revolute", previous, body, models.at((0.08 * k - 0.04, 0, 0.01 * k), (0, k % 2, 1)), limit=limit)
        previous = body
    export(rig.build(), tmp_path / "x", "ros2", options=ExportOptions(poses=2000))
    (package,) = (p for p in (tmp_path / "x").iterdir() if p.is_dir())
    model, geometry = model_of(package, tmp_path)
    geometry.addAllCollisionPairs()
    never = [
        (e.get("link1"), e.get("link2"))
        for e in srdf_of(package).iter("disable_collisions")
        if e.get("reason") == "Never"
    ]
    names = [g.name.rsplit("_", 1)[0] for g in geometry.geometryObjects]
    kept = [
        p
        for p in geometry.collisionPairs
        if {(names[p.first], names[p.second])} & {*never, *((b, a) for a, b in never)}
    ]
    geometry.removeAllCollisionPairs()
    for pair in kept:
        geometry.addCollisionPair(pair)
    assert len(geometry.collisionPairs) == len(never)
    data, touching = model.createData(), geometry.createData()
    random = np.random.default_rng(99)
    for _ in range(10_000 if never else 0):
        q = random.uniform(model.lowerPositionLimit, model.upperPositionLimit)
        assert not pinocchio.computeCollisions(model, data, geometry, touching, q, True)


def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    mechanism = gripper()
    contents = []
    for name in ("a", "b"):
        result = export(mechanism, tmp_path / name, "ros2", options=FEW)
        contents.append([(f.relative_to(tmp_path / name), f.read_bytes()) for f in result.files])
    assert contents[0] == contents[1]


def test_text_of_strangers_is_not_evaluated(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    text = '<gazebo><plugin name="p" filename="lib.so"><command>${1+1} $(find x)</command></plugin></gazebo>'
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, extra={"extensions": {"gazebo": [text]}}))
    export(mechanism, tmp_path / "x", "ros2", options=ExportOptions(poses=0))
    (package,) = (p for p in (tmp_path / "x").iterdir() if p.is_dir())
    assert [e.text for e in expanded(package).iter("command")] == ["${1+1} $(find x)"]


def test_the_equations_of_the_relay_have_the_right_gradient() -> None:
    """By finite differences, of every kind of equation."""
    from cadbridge.exporters.ros2 import loop_rows as module
    from cadbridge.exporters.ros2.loop_tree import rotations_about

    random = np.random.default_rng(4)
    vectors = {key: random.normal(size=3) for key in ("point_a", "point_b")}
    axes = {
        key: random.normal(size=3)
        for key in ("axis_a", "axis_b", "normal_a", "first_a", "first_b", "second_a", "second_b")
    }
    numbers = {"offset": 0.1, "cosine": 0.2, "length": 0.3, "distance": 0.1}
    primitive = {
        **{k: v.tolist() for k, v in vectors.items()},
        **{k: (v / np.linalg.norm(v)).tolist() for k, v in axes.items()},
        **numbers,
    }
    identity = (np.eye(3), np.zeros(3))
    rows = [make(module.InLinks(primitive, identity, identity)) for make in module.ROWS.values()]
    rows.append(module.screw(identity, identity, 0.05))
    for row in rows:
        for step in np.eye(6):
            R_a, p_a = np.eye(3)[None], np.array([[0.1, 0.2, 0.3]])

            def moved(h: float, step: np.ndarray = step) -> tuple[np.ndarray, np.ndarray]:
                R = rotations_about(step[None, 3:], np.array([[h]]))[:, 0]
                return R, np.array([[0.4, -0.2, 0.5]]) + h * step[:3]

            value, force, moment, point = row(R_a, p_a, *moved(0.0))
            slope = (row(R_a, p_a, *moved(1e-6))[0] - row(R_a, p_a, *moved(-1e-6))[0]) / 2e-6
            speed = step[:3] + np.cross(step[3:], point - moved(0.0)[1])
            expected = np.sum(force * speed, axis=-1) + np.sum(moment * step[3:], axis=-1)
            np.testing.assert_allclose(slope, expected, atol=1e-7)
            assert value.shape == (1,)


def test_the_ros2_control_of_a_source_is_there_where_ours_is_not(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    text = '<ros2_control name="real" type="system"><hardware><plugin>real/Robot</plugin></hardware></ros2_control>'
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, extra={"extensions": {"ros2_control": [text]}}))
    result = export(mechanism, tmp_path / "x", "ros2", options=ExportOptions(poses=0))
    assert "CB561" in {f.code for f in result.findings}
    (package,) = (p for p in (tmp_path / "x").iterdir() if p.is_dir())
    for arguments, plugins in (({}, ["mock_components/GenericSystem"]), ({"ros2_control": "false"}, ["real/Robot"])):
        assert [e.text for e in expanded(package, **arguments).iter("plugin")] == plugins


@pytest.mark.parametrize("make", [models.pendulum, gripper], ids=["pendulum", "gripper"])
def test_verify_reads_the_package_as_ros_does(make: Callable[[], Mechanism]) -> None:
    result = verify(make(), "ros2", duration=0.05)
    assert result.verdict == "same"
    assert not result.findings
    assert max(result.mass, result.pose) < 1e-9


def test_verify_finds_a_relay_that_leaves_loops_open(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = LoopClosure.follow

    def dishonest(self: LoopClosure, values: dict[str, float]) -> Any:
        return replace(honest(self, values), error=1e-3)

    monkeypatch.setattr(LoopClosure, "follow", dishonest)
    assert "CB562" in {f.code for f in verify(gripper(), "ros2", duration=0.05).findings}
