"""The layers of a USD, and its library in a process of its own: within bounds."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Sdf

import cadbridge as cb
from cadbridge.errors import InputError, MissingExtraError
from cadbridge.processes import environment
from cadbridge.readers.usd import robot
from cadbridge.shapes.process import WorkerRefusedError
from tests.readers.test_usd import COLLIDES, HEAD, MASSED, SOLIDS, Near, body, codes, joint, read
from tests.waiting import SLOW


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot, "Worker", Near)


def test_references_payloads_and_instances_are_composed(near: None, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "link.usda").write_text(
        f'{HEAD}def Xform "r" {{\n{SOLIDS["ball"].format(COLLIDES, "float physics:density = 500")}\n}}\n'
    )
    brings = 'def Xform "{}" (instanceable = true\nprepend {} = @./parts/link.usda@) {{}}\n'
    inner = body("arm", brings.format("a", "references")) + body("leg", brings.format("b", "payload"))
    assembly = read(tmp_path, inner)
    assert codes(assembly) == ["CB190"]
    arm, leg = (assembly.part(name).declared for name in ("arm", "leg"))
    assert arm is not None
    assert leg is not None
    assert arm.mass == leg.mass == pytest.approx(500 * 4 / 3 * np.pi * 0.027)


def test_a_layer_of_a_folder_around_is_read_and_named(near: None, tmp_path: Path) -> None:
    (tmp_path / "props.usda").write_text(HEAD + 'def Xform "p" {\n' + body("tool") + "}\n")
    robot = tmp_path / "robots" / "arm"
    robot.mkdir(parents=True)
    inner = body("arm") + 'def Xform "held" (references = @../../props.usda@</p>) {}\n'
    assembly = read(robot, inner)
    assert [c.name for c in assembly.components if not c.grounded] == ["arm", "tool"]
    assert codes(assembly) == ["CB1616"]


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("@./missing.usda@", "CB1443"), ("@https://example.org/a.usd@", "CB1443"), ("@omniverse://x/a.usd@", "CB1443"),
        ("@./robot.usda@", "CB1443"), ("@/etc/passwd@", "CB102"), ("@../../../../../../../../../etc/a.usda@", "CB102"),
        ("@./other.txt@", "CB1443"), ("@./link.usda@", "CB102"),
    ],
)  # fmt: skip
def test_layers_that_are_not_read_are_told(reference: str, code: str, near: None, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text(HEAD + 'def Xform "r" {}')
    (tmp_path / "link.usda").symlink_to("/etc/passwd")
    assembly = read(tmp_path, body("arm", f'{MASSED}def Xform "in" (prepend references = {reference}) {{\n}}\n'))
    assert codes(assembly) == [code]
    assert len(assembly.components) == (2 if "robot" in reference else 1)  # a cycle is cut after one round


def test_of_a_stage_whose_bodies_are_missing_the_missing_files_are_the_cure(tmp_path: Path) -> None:
    """It said that a robot has bodies, and to save the file again."""
    source = tmp_path / "robot.usda"
    source.write_text(HEAD + 'def Xform "r" (references = @./missing.usda@</r>) {}')
    with pytest.raises(InputError) as refused:
        cb.read(source)
    found = {f.code: f.hint for f in refused.value.findings}
    assert found.keys() == {"CB1443", "CB1440"}
    assert "CB1443" in found["CB1440"]


def test_a_package_is_read(near: None, tmp_path: Path) -> None:
    text = f'{HEAD}def Xform "r" {{\n{body("arm")}{joint("RevoluteJoint", "j")}}}\n'
    with zipfile.ZipFile(tmp_path / "robot.usdz", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("robot.usda", text)
    assert len(cb.read(tmp_path / "robot.usdz").mates) == 1


# --- held in a process of its own ---

_BROKEN = {
    "a text that ends early": lambda text: text[: len(text) // 2].encode(),
    "a crate that ends early": lambda text: _crate(text)[:-200],
    "a placement that is no number": lambda text: text.replace("(0, 0, 0)", "(nan, 0, 0)", 1).encode(),
    "a mass that is no number": lambda text: text.replace("mass = 2", "mass = nan").encode(),
    "no body": lambda text: text.replace("PhysicsRigidBodyAPI", "PhysicsX").encode(),
    "a unit of nothing": lambda text: text.replace("metersPerUnit = 1", "metersPerUnit = 0").encode(),
}


def _crate(text: str) -> bytes:
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    with tempfile.TemporaryDirectory() as folder:
        layer.Export(f"{folder}/a.usdc")
        return Path(folder, "a.usdc").read_bytes()


@pytest.mark.parametrize("case", _BROKEN)
def test_a_broken_stage_ends_in_a_finding(case: str, tmp_path: Path) -> None:
    source = tmp_path / "robot.usd"
    source.write_bytes(_BROKEN[case](f'{HEAD}def Xform "r" {{\n{body("arm")}}}\n'))
    with pytest.raises(InputError) as refused:
        cb.read(source)
    assert [f.code for f in refused.value.findings] == ["CB1440"]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel that holds the process is Linux")
def test_the_process_may_open_nothing_outside(tmp_path: Path) -> None:
    """A layer that slips past what is looked through before is refused by the kernel."""
    code = (
        "import sys, os; os.environ['PXR_WORK_THREAD_LIMIT'] = '1'\n"
        "from pathlib import Path\n"
        "from cadbridge.readers.usd import stage, worker\nfrom pxr import Sdf\n"
        f"stage.load_plugins()\nworker.confine([Path({str(tmp_path)!r})], 10)\n"
        "try: print(Sdf.Layer.FindOrOpen(sys.argv[1]))\nexcept Exception as error: print('refused', type(error))"
    )
    outside = tmp_path.parent / f"{tmp_path.name}.usda"
    outside.write_text(HEAD)
    command = [sys.executable, "-P", "-c", code, str(outside)]
    said = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=SLOW, check=False)
    assert said.stdout.startswith(("None", "refused")), said.stdout + said.stderr


def test_without_usd_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Missing(Near):
        def request(self, verb: str, arguments: dict[str, Any], limit: float) -> Any:
            raise WorkerRefusedError("missing", "No module named 'pxr'")

    monkeypatch.setattr(robot, "Worker", Missing)
    with pytest.raises(MissingExtraError, match=r"cadbridge\[usd\]"):
        read(tmp_path, body("arm"))
