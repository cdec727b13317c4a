"""What leaves a part of the input out of the model is never simulated or exported as if nothing were missing."""

from dataclasses import replace
from pathlib import Path

import pytest

import cadbridge.reading
from cadbridge.assembly import Assembly
from cadbridge.catalogue import CATALOGUE
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where, exit_status
from cadbridge.jobs.work import Order, perform
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from tests.readers.kinematics import deck

LEAVES_OUT = sorted(code.code for code in CATALOGUE.values() if code.leaves_out)
DOOR = """<robot name="door"><link name="frame"/>
  <link name="door"><inertial><mass value="5"/><origin xyz="0.4 0 0"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="frame"/><child link="door"/><axis xyz="0 0 1"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    path = tmp_path_factory.mktemp("door") / "door.urdf"
    path.write_text(DOOR)
    return read(path)


@pytest.mark.parametrize("code", LEAVES_OUT)
def test_every_such_code_is_refused_and_gives_status_2(
    code: str, door: Assembly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = Findings()
    findings.add(code, "hinge 2 is left out", Where(file="door.urdf", line=3, item="hinge 2"))
    faulty = replace(door, findings=findings.as_tuple())
    monkeypatch.setattr(cadbridge.reading, "read", lambda *arguments, **options: faulty)
    assert exit_status(findings) == 2
    for order in (["simulate", "-o", str(tmp_path / "run.parquet")], ["convert", "--to", "json", "-o", str(tmp_path)]):
        assert main([order[0], "door.urdf", *order[1:]]) == 2
        said = capsys.readouterr().err
        assert f"error {code}: hinge 2 is left out  [door.urdf:3 (hinge 2)]" in said
        assert "--keep-going" in said
    for verb in ("simulate", "convert"):
        with pytest.raises(InputError, match="keep-going"):
            perform(Order(verb, "door.urdf", {"to": "json"}, tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_mate_that_is_held_all_the_same_is_no_reason_to_refuse(
    door: Assembly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = Findings()
    findings.add("CB207", "hinge is off by 1 mm", Where(item="hinge"))
    monkeypatch.setattr(
        cadbridge.reading, "read", lambda *arguments, **options: replace(door, findings=findings.as_tuple())
    )
    assert main(["simulate", "door.urdf", "--duration", "0.01", "-o", str(tmp_path / "run.parquet")]) == 1
    assert (tmp_path / "run.parquet").is_file()


@pytest.mark.parametrize(
    ("code", "pair"),
    [
        ("CB781", ("REVOLUTE_PAIR_WITH_RANGE", "*,*,*,*,*,*,-10.")),
        ("CB783", ("POINT_ON_SURFACE_PAIR", "#1")),
    ],
)
def test_a_step_file_that_loses_a_pair_is_refused(
    code: str,
    pair: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pairs = deck.Pairs()
    pairs.pair(*pair)
    source = tmp_path / "pair.step"
    source.write_text(pairs.text21())
    plain = lambda path, mates=None, options=None: read(path, mates, ReadOptions(geometry=False))  # noqa: E731
    monkeypatch.setattr(cadbridge.reading, "read", plain)
    assert main(["check", str(source)]) == 2
    assert f"error {code}: " in capsys.readouterr().err
    out = tmp_path / "run.parquet"
    assert main(["simulate", str(source), "-o", str(out)]) == 2
    assert "--keep-going" in capsys.readouterr().err
    assert not out.exists()
