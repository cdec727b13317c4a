"""`verify --against`: an export that a stranger changed runs nothing, opens nothing elsewhere and writes nothing."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.exporters.fmu.binary import serves
from cadbridge.exporters.fmu.tables import PLACES
from cadbridge.verification.existing import check_program

ROBOT = Path(__file__).resolve().parents[2] / "fixtures/four_bar/four_bar.urdf"
_RUN = (
    "${(lambda: [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]"
    ".__init__.__globals__['system']('touch %s'))()}"
)
"""What the package xacro runs: it looks at the names of the expression, not at those within a lambda."""
_CALL = '  <xacro:four_bar_robot prefix="" />'


def _exported(folder: Path, to: str) -> tuple[Path, Path]:
    source = folder / ROBOT.name
    shutil.copyfile(ROBOT, source)
    assert main(["convert", str(source), "--to", to, "-o", str(folder / "out")]) == 0
    return source, folder / "out"


def _verified(source: Path, out: Path, to: str) -> int:
    return main(["verify", str(out), "--against", str(source), "--to", to, "--duration", "0.05"])


@pytest.fixture
def package(tmp_path: Path) -> tuple[Path, Path, Path]:
    pytest.importorskip("pinocchio")
    source, out = _exported(tmp_path, "ros2")
    (model,) = out.glob("*/urdf/*.urdf.xacro")
    return source, out, model


def test_a_branch_that_only_the_environment_opens_runs_nothing(package: tuple[Path, Path, Path]) -> None:
    source, out, model = package
    done = source.with_name("done")
    run = (_RUN % done).replace("<", "&lt;")
    evil = (
        '<xacro:property name="e" value="$(optenv HOME none)"/><xacro:if value="${e != \'none\'}">'
        f'<xacro:property name="q" value="{run}"/><xacro:if value="${{q == 9}}"/></xacro:if>'
    )
    model.write_text(model.read_text("utf-8").replace(_CALL, evil + _CALL), "utf-8")
    _verified(source, out, "ros2")
    assert not done.exists()


def test_a_link_in_a_package_is_not_written_through(package: tuple[Path, Path, Path]) -> None:
    source, out, model = package
    kept = source.with_name("kept")
    kept.write_text("mine", "utf-8")
    (model.parent / "expanded.urdf").symlink_to(kept)
    assert _verified(source, out, "ros2") == 2
    (model.parent / "expanded.urdf").unlink()
    before = sorted(out.rglob("*"))
    assert _verified(source, out, "ros2") == 0
    assert sorted(out.rglob("*")) == before
    assert kept.read_text("utf-8") == "mine"


@pytest.mark.parametrize("way", ["mesh elsewhere", "encoding"])
def test_what_the_engine_would_open_or_read_otherwise_is_refused(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = _exported(tmp_path, "urdf")
    (model,) = (p for p in out.glob("*/urdf/*.urdf") if not p.name.endswith(".ros.urdf"))
    text = model.read_text("utf-8")
    if way == "mesh elsewhere":
        begin = text.index('filename="') + len('filename="')
        text = text[:begin] + "file:///etc/a.stl" + text[text.index('"', begin) :]
    else:
        text = text.replace("<?xml version='1.0' encoding='utf-8'?>", "").replace('<?xml version="1.0" ?>', "")
        text = '<?xml version="1.0" encoding="iso-2022-kr"?>' + text[text.index("<robot") :]
    model.write_text(text, "utf-8")
    assert _verified(source, out, "urdf") == 2
    assert "is not loaded" in capsys.readouterr().err.replace("\n", " ")


def _fmu(path: Path, change: Callable[[dict[str, bytes]], object] = len) -> Path:
    files = {
        "modelDescription.xml": b'<fmiModelDescription><CoSimulation modelIdentifier="m"/></fmiModelDescription>',
        "binaries/x86_64-linux/m.so": b"ours",
        "resources/model.bin": b"data",
    }
    change(files)
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name), data)
    return path


CHANGES: dict[str, Callable[[dict[str, bytes]], object]] = {
    "another program": lambda f: f.update({"binaries/x86_64-linux/m.so": b"theirs"}),
    "a program by a way around": lambda f: f.update({"./binaries/x86_64-linux/m.so": b"theirs"}),
    "a program beside": lambda f: f.update({"resources/evil.so": b"theirs"}),
    "a name that leads to it": lambda f: f.update(
        {"modelDescription.xml": f["modelDescription.xml"].replace(b'"m"', b'"../../resources/model"')}
    ),
    "no program": lambda f: f.pop("binaries/x86_64-linux/m.so"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_fmu_with_another_program_is_refused(change: str, tmp_path: Path) -> None:
    own = _fmu(tmp_path / "own.fmu")
    check_program(own, _fmu(tmp_path / "data.fmu", lambda f: f.update({"resources/model.bin": b"other"})))
    with pytest.raises(InputError, match="not run"):
        check_program(own, _fmu(tmp_path / "other.fmu", CHANGES[change]))


def test_an_fmu_with_a_document_type_is_refused(tmp_path: Path) -> None:
    """FMPy's parser would open what an entity names."""
    evil = b'<!DOCTYPE x [<!ENTITY e SYSTEM "/etc/passwd">]><x/>'
    with pytest.raises(InputError, match="DOCTYPE"):
        check_program(
            _fmu(tmp_path / "a.fmu"), _fmu(tmp_path / "b.fmu", lambda f: f.update({"modelDescription.xml": evil}))
        )


def _with_table(path: Path, place: str, change: int) -> None:
    """Change the place of the table of an FMU (as its number stands) and sign it anew, as who makes one would."""
    with zipfile.ZipFile(path) as packed:
        files = {entry.filename: packed.read(entry) for entry in packed.infolist()}
    words = np.frombuffer(files["resources/model.bin"], np.int64).copy()
    old = words[1:3].tobytes().hex()
    words[7 + PLACES.index(place)] += change
    words[1:3] = 0
    words[1:3] = np.frombuffer(hashlib.sha256(words.tobytes()).digest()[:16], np.int64)
    new = words[1:3].tobytes().hex()
    files["resources/model.bin"] = words.tobytes()
    told = files["modelDescription.xml"].decode()
    for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)):
        told = told.replace(old[a:b], new[a:b])
    files["modelDescription.xml"] = told.encode()
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name), data)


def test_an_fmu_whose_table_leads_elsewhere_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fmpy")
    if not serves():
        pytest.skip("no FMU is made here")
    source, out = _exported(tmp_path, "fmu")
    (fmu,) = out.glob("*.fmu")
    _with_table(fmu, "EFFORT_COUNT", 0)
    assert _verified(source, out, "fmu") == 0
    _with_table(fmu, "EFFORT_COUNT", -1)
    capsys.readouterr()
    assert _verified(source, out, "fmu") == 2
    assert "another layout" in capsys.readouterr().err.replace("\n", " ")
