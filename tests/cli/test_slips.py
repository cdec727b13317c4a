"""Slips that everybody makes: each message says what is wrong, where, and how to put it right in one go."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import pytest

from cadbridge.cli import main

ROOT = Path(__file__).resolve().parents[2]
DEMO = Path(str(files("cadbridge.data"))) / "demo"
MATES = "format: cadbridge.mates/1\n"
SCENARIO = "format: cadbridge.scenario/1\n"
MOTION = "format: cadbridge.motion/1\n"
BASE_MATE = MATES + "mates:\n  - {name: M, type: coincident, a: {component: Base, %s}, b: {component: Arm, %s}}\n"
FACE = "point: [0, 0, 0], normal: [0, 0, 1]"
MESH = '<mesh filename="gone.stl"/>'
LINK = '<robot name="r"><link name="a"><visual><geometry>%s</geometry></visual></link></robot>'


@dataclass(frozen=True)
class Slip:
    """A command line, the files that it needs, and what the message must hold; `never`: what it must not hold."""

    line: str
    says: tuple[str, ...]
    status: int = 2
    files: dict[str, str] = field(default_factory=dict)
    never: tuple[str, ...] = ()


SLIPS = {
    "density that is none": Slip("check demo.step --density nan", ("nan is not a number up to 1e+12",)),
    "density beyond numbers": Slip("check demo.step --density 1e308", ("1e+308 is not a number up to 1e+12",)),
    "limits times infinity": Slip("check demo.step --allow-larger inf", ("inf is not a number up to 1e+12",)),
    "pose beyond numbers": Slip("matrices demo.step --pose A1=1e308", ("--pose A1=1e308", "up to 1e+12")),
    "wrong path": Slip(
        "check demo.stp", ("CB100", "demo.stp does not exist; did you mean", "demo.step"), never=("error:",)
    ),
    "wrong folder": Slip("check robots/demo.step", ("There is no folder robots",)),
    "folder": Slip("check models", ("models is a folder", "Name one file in it, such as models/a.urdf")),
    "misspelt option": Slip("check demo.step --selct CB404", ("No such option: --selct", "--select")),
    "misspelt command": Slip("chek demo.step", ("No such command 'chek'", "'check'")),
    "misspelt code": Slip("check demo.step --ignore CB4O4", ("'CB4O4' is not a finding code", "CB404")),
    "no code to ignore": Slip("check demo.step --ignore ,", ("--ignore: ',' names nothing", "leave --ignore out")),
    "no loss to accept": Slip("verify demo.step --to urdf --accept ,", ("--accept: ',' names nothing",)),
    "no columns": Slip("simulate demo.step --columns ,", ("--columns: ',' names nothing",)),
    "nothing to explain": Slip("explain ,", ("CODE|WORDS: ',' names nothing",)),
    "pattern of no part": Slip(
        "recognise bare.step --no-limits --ignore cabel*", ("CB1653", "is called 'cabel*'"), status=0
    ),
    "patterns of all parts": Slip("recognise bare.step --ignore *", ("CB1654", "leaves no part of", "'*'")),
    "missing mates file": Slip(
        "check demo.step --mates dem.mates.yaml", ("did you mean demo.mates.yaml", "lies beside the source")
    ),
    "missing scenario": Slip(
        "simulate demo.step --scenario demo.scenaro.yaml", ("did you mean demo.scenario.yaml",), never=("error:",)
    ),
    "no mates": Slip("check bare.step", ("the source has no mates", "cadbridge recognise"), status=0),
    "mates file as source": Slip("check demo.mates.yaml", ("this is a mates file", "--mates demo.mates.yaml")),
    "missing mesh": Slip("check m.urdf", ("gone.stl is missing", "m.urdf:1"), 0, {"m.urdf": LINK % MESH}),
    "no density": Slip(
        "simulate demo.step --mates n.mates.yaml", ("the mass of Arm is not known", "--density"), 1,
        {"n.mates.yaml": MATES + "ground: [Base]\nmates:\n  - {name: I, type: insert, a: {component: Base, point: "
         "[0, 0, 50], axis: [0, 0, 1]}, b: {component: Arm, point: [0, 0, 0], axis: [0, 0, 1]}}\n"},
    ),
    "wrong component": Slip(
        "check demo.step --mates c.mates.yaml", ("c.mates.yaml:2", "no component 'Bse'", "did you mean Base"),
        files={"c.mates.yaml": MATES + "ground: [Bse]\n"},
    ),
    "wrong face": Slip(
        "check demo.step --mates f.mates.yaml", ("no face 'Top'", "inspect SOURCE --faces"),
        files={"f.mates.yaml": BASE_MATE % ("face: Top", FACE)}, never=("the source has no mates",),
    ),
    "bad selector": Slip(
        "check demo.step --mates s.mates.yaml", ("selector '>Q' cannot be read", 'select: ">Z"', "s.mates.yaml:3"),
        files={"s.mates.yaml": BASE_MATE % ('select: ">Q"', FACE)}, never=("cannot be used",),
    ),
    "fixed by component": Slip(
        "check demo.step --mates x.mates.yaml", ("CB401",), 0,
        {"x.mates.yaml": MATES + "mates:\n  - {name: M, type: fixed, a: {component: Base}, b: {component: Arm}}\n"},
        never=("error",),
    ),
    "key of a mates file": Slip(
        "check demo.step --mates k.mates.yaml", ("unknown key 'gruond'; did you mean ground", "k.mates.yaml:2:1"),
        files={"k.mates.yaml": MATES + "gruond: [Base]\n"},
    ),
    "key of a scenario": Slip(
        "simulate four_bar.urdf --scenario k.yaml", ("unknown key 'torqe'; did you mean torque", "k.yaml:3", "motor 1"),
        files={"k.yaml": SCENARIO + "motors:\n  - {joint: J1, torqe: 1}\n"}, never=("Extra inputs",),
    ),
    "value of a scenario": Slip(
        "simulate four_bar.urdf --scenario v.yaml",
        ("duration must be greater than 0, not -1", "v.yaml:2:", "joint is missing",
         "limits must be one of 'stop' or 'ignore', not 'hard'"),
        files={"v.yaml": SCENARIO + "duration: -1\nmotors: [{torque: 1}]\nlimits: hard\n"}, never=("Input should",),
    ),
    "gravity in micrometres": Slip(
        "simulate four_bar.urdf --scenario g.yaml", ("at least -1e+06, not -9810000.0", "m/s²", "[0, 0, -9.81]"),
        files={"g.yaml": SCENARIO + "gravity: [0, 0, -9.81e6]\n"},
    ),
    "gravity in millimetres": Slip(
        "simulate four_bar.urdf --scenario g.yaml --duration 0.01", ("CB544", "1000 times that of Earth", "9810"), 0,
        {"g.yaml": SCENARIO + "gravity: [0, 0, -9810]\n"},
    ),
    "key of a motion": Slip(
        "inverse four_bar.urdf --motion p.yaml", ("unknown key 'jonts'; did you mean joints", "rate must be greater"),
        files={"p.yaml": MOTION + "jonts: {J1: t}\nrate: -5\n"}, never=("Extra inputs", "Input should"),
    ),
    "misspelt function": Slip(
        "simulate four_bar.urdf --scenario e.yaml", ("unknown function", "known are sin, cos", "e.yaml:2:"),
        files={"e.yaml": SCENARIO + 'motors: [{joint: J1, torque: "sine(t)"}]\n'},
    ),
    "motor on a missing joint": Slip(
        "simulate four_bar.urdf --scenario j.yaml", ("no joint 'J9'", "nearest: J3, J2, J1"),
        files={"j.yaml": SCENARIO + "motors: [{joint: J9, torque: 1}]\n"},
    ),
    "scenario as motion": Slip(
        "inverse four_bar.urdf --motion four_bar.scenario.yaml",
        ("this is a scenario, not a motion file", "simulate SOURCE --scenario four_bar.scenario.yaml"),
    ),
    "motion as scenario": Slip(
        "simulate four_bar.urdf --scenario p.yaml", ("this is a motion file", "inverse SOURCE --motion p.yaml"),
        files={"p.yaml": MOTION + "joints: {J1: t}\n"},
    ),
    "scenario as mates file": Slip(
        "check four_bar.urdf --mates four_bar.scenario.yaml", ("this is a scenario, not a mates file", "--scenario")
    ),
    "zero teeth": Slip(
        "check demo.step --mates t.mates.yaml", ("value 2 of teeth must be greater than 0", "whole numbers above 0"),
        files={"t.mates.yaml": (DEMO / "demo.mates.yaml").read_text(encoding="utf-8").replace("[12, 36]", "[12, 0]")},
    ),
    "a name twice": Slip(
        "check demo.step --mates d.mates.yaml", ("two mates are called 'Insert:1'", "in the mates file"), 0,
        {"d.mates.yaml": (DEMO / "demo.mates.yaml").read_text(encoding="utf-8").replace('"Insert:2"', '"Insert:1"')},
        never=("in the CAD system",),
    ),
    "unknown unit": Slip("check demo.step --units furlong", ("'furlong' is not a unit", "mm")),
    "unit without effect": Slip("check four_bar.urdf --units mm", ("--units has no effect on urdf",)),
    "misspelt method": Slip(
        "simulate four_bar.urdf --method treee", ("'treee' is not one of auto, absolute, tree; did you mean tree?",),
        never=("Value error",),
    ),
    "misspelt format": Slip("convert four_bar.urdf --to mjfc -o o", ("'mjfc' is not one of", "did you mean mjcf?")),
    "folder in use": Slip("convert four_bar.urdf --to mjcf -o models", ("models is not empty",)),
    "page onto a folder": Slip("check four_bar.urdf --html models", ("models is a folder",)),
    "ending of a table": Slip("simulate four_bar.urdf -o run.txt", (".parquet or .csv",)),
    "nothing by that word": Slip("explain zzzqqq", ("`cadbridge explain` lists all",)),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two small models and what goes with them."""
    for path in (*DEMO.iterdir(), *(ROOT / "fixtures/four_bar").glob("four_bar.*")):
        shutil.copy(path, tmp_path)
    shutil.copy(DEMO / "demo.step", tmp_path / "bare.step")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.urdf").write_text("<robot name='a'><link name='l'/></robot>", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS.keys())
def test_a_slip_is_put_right_in_one_go(slip: Slip, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in slip.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert main(slip.line.split()) == slip.status
    said = capsys.readouterr().err
    assert [text for text in slip.says if text not in said] == [], said
    assert [text for text in slip.never if text in said] == [], said
    assert "Traceback" not in said


def test_a_step_too_long_says_which_key_to_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / "four_bar.scenario.yaml").read_text(encoding="utf-8")
    text = text.replace("rate: 100", "rate: 0.1\nstep: 10").replace("duration: 2", "duration: 20")
    text = re.sub(r"(?m)^integrator:.*", "integrator: rk4", text)
    (folder / "long.yaml").write_text(text, encoding="utf-8")
    assert main(["simulate", "four_bar.urdf", "--scenario", "long.yaml", "-o", "r.parquet"]) == 1
    said = capsys.readouterr().err
    assert "the fixed step of 10 s is too long" in said
    assert "Shorten `step` in the scenario" in said


def test_explain_finds_codes_by_words(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {"redundant": "CB404", "redundancy": "CB404", "no density": "CB301", "conflicting": "CB403"}
    for words, code in {**wanted, "over-constrained": "CB403", "missing shape": "CB112"}.items():
        assert main(["explain", *words.split()]) == 0
        assert capsys.readouterr().out.startswith(code), words


def test_the_words_of_options_are_those_of_the_library() -> None:
    from cadbridge.cli.convert import SHAPES
    from cadbridge.cli.inverse import METHODS
    from cadbridge.efforts import METHODS as KNOWN_METHODS
    from cadbridge.exporters import COLLISIONS

    assert set(SHAPES) == set(COLLISIONS)
    assert set(METHODS) == set(KNOWN_METHODS)
