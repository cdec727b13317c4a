"""`cadbridge check`: which findings are told, and what changed since an older version."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from cadbridge.cli import main
from cadbridge.cli.choosing import chooser
from cadbridge.findings import Findings
from cadbridge.reading import read

URDF = """<robot name="door">
  <link name="frame"/>
  <link name="door"><inertial><mass value="{mass}"/><origin xyz="0.4 0 0"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="{kind}"><parent link="frame"/><child link="door"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""
Capture = pytest.CaptureFixture[str]


def written(path: Path, mass: float = 5.0, kind: str = "revolute") -> Path:
    path.write_text(URDF.format(mass=mass, kind=kind))
    return path


def codes(capsys: Capture, *arguments: object) -> tuple[int, set[str]]:
    status = main(["check", *(str(a) for a in arguments), "--json"])
    return status, {f["code"] for f in json.loads(capsys.readouterr().out)["findings"]}


def test_findings_are_selected_and_ignored_and_so_is_the_status(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = Path(str(files("cadbridge.data"))) / "demo" / "demo.step"
    mates = (demo.parent / "demo.mates.yaml").read_text().replace("offset: 58", "offset: 60", 1)
    spoilt = tmp_path / "spoilt.mates.yaml"
    spoilt.write_text(mates)
    status, found = codes(capsys, demo, "--mates", spoilt)
    assert status == 1
    # The same file each time: read once more, and then only checked.
    assembly = read(demo, mates=spoilt)
    monkeypatch.setattr("cadbridge.reading.read", lambda *arguments, **options: assembly)
    assert {"CB403", "CB404", "CB409", "CB207"} <= found
    assert codes(capsys, demo, "--mates", spoilt, "--ignore", "CB403,CB409", "--ignore", "cb207") == (
        0,
        found - {"CB403", "CB409", "CB207"},
    )
    assert codes(capsys, demo, "--mates", spoilt, "--select", "cb404") == (0, {"CB404"})
    # The more exact word decides: a code before a family before a stage.
    assert codes(capsys, demo, "--mates", spoilt, "--ignore", "mobility", "--select", "CB403") == (1, {"CB403"})
    assert codes(capsys, demo, "--mates", spoilt, "--select", "mobility", "--ignore", "CB403,CB409")[1] == {"CB404"}
    assert codes(capsys, demo, "--mates", spoilt, "--select", "building") == (1, {"CB207"})


def test_a_finding_names_all_its_items_whatever_their_names_hold(tmp_path: Path, capsys: Capture) -> None:
    """Names with blanks, commas and full stops cannot be found in a message; they need not be."""
    demo = Path(str(files("cadbridge.data"))) / "demo" / "demo.step"
    mates = (demo.parent / "demo.mates.yaml").read_text().replace("offset: 58", "offset: 60", 1)
    spoilt = tmp_path / "spoilt.mates.yaml"
    spoilt.write_text(mates.replace('"Flush:1"', '"Flush, the 1. (lower)"'))
    main(["check", str(demo), "--mates", str(spoilt), "--json"])
    found = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["code"] == "CB403"]
    assert {tuple(f["items"]) for f in found} == {("Flush, the 1. (lower)", "Insert:1")}


def test_a_code_that_another_begins_with_leaves_that_one_alone() -> None:
    findings = Findings()
    findings.add("CB130", "a part consists of several solids")
    findings.add("CB1303", "an unsupported mate")
    assert [f.code for f in chooser(None, ["CB130"])(findings)] == ["CB1303"]
    assert [f.code for f in chooser(["reading"], ["cad-json"])(findings)] == ["CB130"]
    assert [f.code for f in chooser(None, ["mass,step"])(findings)] == ["CB1303"]


@pytest.mark.parametrize(
    ("word", "nearest"), [("CB4O4", "CB404"), ("CB4", "CB4"), ("masses", "mass"), ("mate-file", "mates-file")]
)
def test_a_word_that_names_no_finding_is_refused_with_the_nearest(
    word: str, nearest: str, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["check", str(written(tmp_path / "door.urdf")), "--ignore", word]) == 2
    assert nearest in capsys.readouterr().err.partition("Nearest: ")[2].partition(". ")[0]


def test_what_changed_since_the_older_version(tmp_path: Path, capsys: Capture) -> None:
    main(["check", str(written(tmp_path / "door.urdf")), "--json"])
    old = tmp_path / "old.json"
    old.write_text(capsys.readouterr().out)
    assert main(["check", str(tmp_path / "door.urdf"), "--compare", str(old), "--strict"]) == 0
    assert "Nothing changed since" in capsys.readouterr().out
    changed = written(tmp_path / "door.urdf", mass=6.0, kind="floating")
    assert main(["check", str(changed), "--compare", str(old), "--strict"]) == 1
    said = capsys.readouterr()
    assert "degrees of freedom: 1 → 6" in said.out
    assert "CB420" in said.err
    assert "CB422" in said.err
    main(["check", str(changed), "--compare", str(old), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["changes"]["mobility"]["dof"] == [1, 6]
    assert document["changes"]["joints"] == {"gone": ["hinge"]}


def test_an_older_document_that_cannot_be_used_is_status_2(tmp_path: Path, capsys: Capture) -> None:
    source = written(tmp_path / "door.urdf")
    assert main(["check", str(source), "--compare", str(source)]) == 2
    assert "is not a JSON document" in capsys.readouterr().err
