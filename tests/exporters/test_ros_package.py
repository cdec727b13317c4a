"""The ROS package of a URDF: the same model in every loader, by relative paths and by package://."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest
import yaml

from cadbridge.exporters import ExportOptions, export
from cadbridge.exporters.tree import kinematics, spanning_tree
from cadbridge.mechanism import Mechanism
from tests.exporters import models
from tests.exporters.test_collision import BODIES, placed, shaped
from tests.waiting import SLOW

# Pinocchio brings it, and this starts it: the script of that name may lie in another environment.
START = "import sys; del sys.argv[0]; from cmeel.run import cmeel_run; cmeel_run()"
CHECK_URDF = (sys.executable, "-c", START, "check_urdf")


def with_solids() -> Mechanism:
    return shaped(placed(BODIES["pill"][0]()))


MAKE: list[Callable[[], Mechanism]] = [
    models.pendulum, models.joints_of_all_kinds, models.geared_pair, models.four_bar, with_solids,
]  # fmt: skip


@pytest.fixture(scope="module", params=MAKE, ids=lambda make: make.__name__)
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    mechanism: Mechanism = request.param()
    where = tmp_path_factory.mktemp("export") / "out"
    export(mechanism, where, "urdf", options=ExportOptions(collision="primitives"))
    (found,) = (p for p in where.iterdir() if p.is_dir())
    return found


@pytest.fixture(params=["", ".ros"], ids=["relative", "package"])
def urdf(request: pytest.FixtureRequest, package: Path) -> Path:
    return package / "urdf" / f"{package.name.removesuffix('_description')}{request.param}.urdf"


def test_mujoco_takes_both_forms(urdf: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(urdf))
    tags = ("collision",) if ".ros." in urdf.name else ("collision", "visual")
    assert model.ngeom == sum(len(ET.parse(urdf).getroot().findall(f"link/{tag}")) for tag in tags) > 0


def test_pinocchio_takes_both_forms(urdf: Path) -> None:
    model = pinocchio.buildModelFromUrdf(str(urdf), mimic=True)
    root = urdf.parents[2] if ".ros." in urdf.name else urdf.parent
    for kind in (pinocchio.GeometryType.VISUAL, pinocchio.GeometryType.COLLISION):
        found = pinocchio.buildGeomFromUrdf(model, str(urdf), kind, package_dirs=[str(root)])
        tag = "visual" if kind == pinocchio.GeometryType.VISUAL else "collision"
        assert found.ngeoms == len(ET.parse(urdf).getroot().findall(f"link/{tag}")) > 0


@pytest.mark.filterwarnings("ignore:.*Scene.dump:DeprecationWarning")  # yourdfpy's own call of trimesh
def test_yourdfpy_takes_both_forms(urdf: Path) -> None:
    import yourdfpy

    robot = yourdfpy.URDF.load(str(urdf), build_collision_scene_graph=True, load_collision_meshes=True)
    assert robot.validate(), robot.errors
    assert len(robot.scene.geometry) > 0
    assert np.isfinite(robot.scene.bounds).all()
    mimics = [j for j in robot.robot.joints if j.mimic is not None]
    assert len(mimics) == len(ET.parse(urdf).getroot().findall("joint/mimic"))


def test_check_urdf_takes_both_forms(urdf: Path) -> None:
    done = subprocess.run([*CHECK_URDF, urdf], capture_output=True, text=True, timeout=SLOW, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Successfully Parsed XML" in done.stdout
    assert "warning" not in (done.stdout + done.stderr).lower()


def test_the_package_is_one(package: Path) -> None:
    name = package.name
    manifest = ET.parse(package / "package.xml").getroot()
    assert (manifest.get("format"), manifest.findtext("name")) == ("3", name)
    assert manifest.findtext("export/build_type") == "ament_cmake"
    used = {e.text for e in manifest.findall("exec_depend")}
    launch = (package / "launch" / "display.launch.py").read_text()
    calls = [n for n in ast.walk(ast.parse(launch)) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "Node"]
    started = {ast.literal_eval(k.value) for call in calls for k in call.keywords if k.arg == "package"}
    assert started == {"robot_state_publisher", "joint_state_publisher_gui", "rviz2"} <= used
    assert f'"{name.removesuffix("_description")}.ros.urdf"' in launch
    view = yaml.safe_load((package / "rviz" / "view.rviz").read_text())["Visualization Manager"]
    urdf = ET.parse(next((package / "urdf").glob("*.ros.urdf"))).getroot()
    children = {e.get("link") for e in urdf.findall("joint/child")}
    roots = [e.get("name") for e in urdf.findall("link") if e.get("name") not in children]
    assert roots == [view["Global Options"]["Fixed Frame"]]
    cmake = (package / "CMakeLists.txt").read_text()
    installed = cmake.partition("DIRECTORY ")[2].partition(" DESTINATION")[0].split()
    assert {p.name for p in package.iterdir() if p.is_dir()} == set(installed)
    assert f"project({name})" in cmake


def test_both_forms_say_the_same(package: Path) -> None:
    one, other = (p.read_text() for p in sorted((package / "urdf").glob("*.urdf"), key=lambda p: ".ros." in p.name))
    one, other = (re.sub("<compiler.*/>", "", text) for text in (one, other))
    assert other.replace(f"package://{package.name}", "..") == one


def test_couplings_hold_in_pinocchio(tmp_path: Path) -> None:
    mechanism = models.geared_pair()
    path = export(mechanism, tmp_path / "x", "urdf").files[0]
    tree = spanning_tree(mechanism)
    names = json.loads((tmp_path / "x" / "losses.json").read_text())["names"]
    model = pinocchio.buildModelFromUrdf(str(path), mimic=True)
    assert (model.nq, len(tree.freedoms)) == (1, 3)
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, np.array([0.7]))
    q = np.zeros(3)
    mimics = {j.get("name"): j.find("mimic") for j in ET.parse(path).getroot().findall("joint")}
    for k, freedom in enumerate(tree.freedoms):
        mimic = next(m for new, m in mimics.items() if names["joints"].get(new) == freedom.name)
        q[k] = 0.7 if mimic is None else 0.7 * float(mimic.get("multiplier", "nan"))
    assert len(set(q)) == 3
    for link, X in zip(tree.links, kinematics(tree, q).X_WL, strict=True):
        (name,) = (new for new, old in names["links"].items() if old == tree.body(link).name)
        placed_at = data.oMf[model.getFrameId(name)]
        np.testing.assert_allclose(placed_at.translation, X.p, atol=1e-9)
        np.testing.assert_allclose(placed_at.rotation, X.R, atol=1e-9)
