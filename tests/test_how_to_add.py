"""docs/how-to-add.md is followed to the letter: all that it adds works as it stands there."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import yaml

from cadbridge import targets
from cadbridge.catalogue import CATALOGUE
from cadbridge.cli import main
from cadbridge.readers import registry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to-add.md"
ARM = "lines/1\nshoulder ground upper 0 0 0 0 0 1\nelbow upper fore 0.3 0 0 0 0 1\n"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    """The code blocks of the page: modules by the path in their first line, entries in the tables they name."""
    entries = []
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        head, _, code = block.partition("\n")
        if head in ("# in FORMATS", "# in TARGETS"):
            entries.append(code)
            continue
        if head.startswith("# in "):
            continue  # an edit of a file; see `extended`
        name = head.removeprefix("# ").removesuffix(".py").replace("/", ".")
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(code, head, "exec"), module.__dict__)
        for family in getattr(module, "FAMILIES", ()):
            for entry in family.codes():
                monkeypatch.setitem(CATALOGUE, entry.code, entry)
    reader, exporter = entries
    monkeypatch.setattr(registry, "FORMATS", (*registry.FORMATS, eval(reader.strip(), vars(registry))))
    monkeypatch.setattr(targets, "TARGETS", (*targets.TARGETS, eval(exporter.strip(), vars(targets))))


def test_the_reader_reads(tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "arm.lines"
    source.write_text(ARM)
    assert main(["check", str(source), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mobility"]["dof"] == 2
    assert document["counts"]["joint_types"] == {"revolute": 2}


@pytest.mark.parametrize("fault", ["wrist fore hand 0 0 0 0 0 0", "wrist fore", "wrist fore hand 0 0 0 0 nan 1"])
def test_a_fault_is_a_finding_that_names_its_line_and_item(fault: str, tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "arm.lines"
    source.write_text(ARM + fault + "\n")
    assert main(["check", str(source), "--json"]) == 2
    (found,) = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["code"] == "CB1950"]
    assert (found["stage"], found["items"], found["where"]) == ("reading", ["wrist"], f"{source}:4")
    assert main(["simulate", str(source), "-o", str(tmp_path / "run.parquet")]) == 2
    assert not (tmp_path / "run.parquet").exists()


def test_the_finding_is_explained(capsys: Capture) -> None:
    assert main(["explain", "CB1950"]) == 0
    assert "a line that cannot be read" in capsys.readouterr().out


def test_the_exporter_writes(tmp_path: Path) -> None:
    source = tmp_path / "arm.lines"
    source.write_text(ARM)
    for _ in range(2):  # the second replaces the first, as every export does
        assert main(["convert", str(source), "--to", "dot", "-o", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "arm.dot").read_text()
    assert '"ground" -- "upper" [label="shoulder"];' in text


def test_every_file_that_the_pages_name_exists() -> None:
    root = PAGE.parents[1]
    for page in (PAGE, root / "docs" / "architecture.md", root / "CONTRIBUTING.md"):
        for name in re.findall(r"`((?:cadbridge|solver|scripts|tests)/[\w/.]*)`", page.read_text("utf-8")):
            assert (root / name).exists(), f"{page.name} names {name}"


# A mate, a joint type, a kind of gear and a load are edits of files: they are made in a copy of the sources.

NEIGHBOURS = (
    "tests/mechanism", "tests/cli/test_slips.py", "tests/readers/test_registry.py", "tests/test_catalogue.py",
    "tests/test_options.py", "fixtures/four_bar", "docs",
)  # fmt: skip
"""Tests that hold the tables which the page adds to, and what they read."""
ELSEWHERE = ("slips", "cam_by", "follower", "rim_of_its_wheel", "of_a_xacro")
"""Tests among them that look at no table: slips of other words, how cams move, arguments of a xacro."""
TABLES = {"# in FORMATS": "cadbridge/readers/registry.py", "# in TARGETS": "cadbridge/targets.py"}
EDIT = re.compile(r"# in (\S+), (after|before|instead of) `(.*)`")
PLATE = """format: cadbridge.mates/1
ground: [base]
mates:
  - {name: Held, type: %s, a: {component: base, point: [0, 0, 0], axis: [0, 0, 1]},
     b: {component: plate, point: [0, 0, 0], axis: [0, 0, 1]}}
"""
CLOSED = """format: cadbridge.mates/1
ground: [base]
mates:
  - {name: Held, type: parallel, a: {component: base, point: [0, 0, 0], axis: [0, 0, 1]},
     b: {component: plate, point: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: Above, type: parallel, a: {component: plate, point: [0, 0, 200], axis: [0, 0, 1]},
     b: {component: lid, point: [0, 0, 200], axis: [0, 0, 1]}}
  - {name: Axle, type: revolute, a: {component: lid, point: [400, 0, 0], axis: [0, 0, 1]},
     b: {component: base, point: [400, 0, 0], axis: [0, 0, 1]}}
  - {name: Pin, type: revolute, a: {component: plate, point: [100, 0, 0], axis: [0, 0, 1]},
     b: {component: disc, point: [100, 0, 0], axis: [0, 0, 1]}}
gears:
  - {name: Cam, type: linear, factors: {Axle: 1, Pin: 2}}
"""
PUSHED = """format: cadbridge.scenario/1
duration: 0.5
rate: 40
tolerance: 1.0e-10
gravity: [1, 2, -3]
motors: [{joint: Axle, torque: 2}]
"""
ROPE = """format: cadbridge.mates/1
gears:
  - {name: Rope, type: rope, ratio: 2,
     a: {component: upper, point: [0, 0, 0], axis: [0, 0, 1]},
     b: {component: fore, point: [0, 0, 0], axis: [0, 0, 1]}}
"""
BODY = """<link name="%s"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
<origin xyz="0.3 0 0"/></inertial></link>"""
PLATES = f"""<robot name="plates">{BODY % "base"}{BODY % "plate"}
<joint name="j" type="floating"><parent link="base"/><child link="plate"/></joint></robot>"""
FLOATING = """<joint name="of_%s" type="floating"><parent link="base"/><child link="%s"/></joint>"""
MORE = "".join(BODY % name + FLOATING % (name, name) for name in ("lid", "disc"))
CLOSED_PLATES = PLATES.replace("</robot>", f"{MORE}</robot>")
PENDULUM = f"""<robot name="pendulum"><link name="world"/>{BODY % "bob"}<joint name="hinge" type="continuous">
<parent link="world"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""
ARMS = f"""<robot name="arms"><link name="frame"/>{BODY % "upper"}{BODY % "fore"}
<joint name="first" type="continuous"><parent link="frame"/><child link="upper"/><axis xyz="0 0 1"/></joint>
<joint name="second" type="continuous"><parent link="frame"/><child link="fore"/><origin xyz="0.3 0 0"/>
<axis xyz="0 0 1"/></joint></robot>"""
FOLLOWED = """
import contextlib, io, json, sys
from cadbridge.cli import main
from cadbridge.report.page import page
from cadbridge.targets import TARGETS

def run(*words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = main(list(words))
    return status, json.loads(out.getvalue()) if out.getvalue() else None

folder = sys.argv[1]
found = {name: run("check", f"{folder}/{name}.urdf", "--json") for name in ("held", "sliding", "rope", "closed")}
for method in ("auto", "tree", "absolute"):
    words = ("--method", method, "--scenario", f"{folder}/pushed.yaml", "-o", f"{folder}/{method}.csv", "--json")
    found[method] = run("simulate", f"{folder}/closed.urdf", *words)
for target in TARGETS:
    found[target.name] = run("convert", f"{folder}/closed.urdf", "--to", target.name, "-o", f"{folder}/to", "--json")
page.built = lambda name: ""  # its code and style need not be built for its sections
found["page"] = run("check", f"{folder}/rope.urdf", "--html", f"{folder}/rope.html", "--json")
found["written"] = run("convert", f"{folder}/rope.urdf", "--to", "mates-file", "-o", f"{folder}/out", "--json")
words = ("--scenario", f"{folder}/carried.yaml", "-o", f"{folder}/run.csv", "--json")
found["carried"] = run("simulate", f"{folder}/pendulum.urdf", *words)
json.dump(found, open(f"{folder}/found.json", "w"))
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of commands run on sources edited as the page says."""
    folder = tmp_path_factory.mktemp("extended")
    root = PAGE.parents[1]
    shutil.copytree(root / "cadbridge", folder / "cadbridge")  # with its bytecode: only what is edited is compiled
    for name in NEIGHBOURS:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (shutil.copytree if (root / name).is_dir() else shutil.copy)(root / name, folder / name)
    (folder / "tests" / "__init__.py").touch()
    (folder / "solver").symlink_to(root / "solver", target_is_directory=True)
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        head, _, code = block.partition("\n")
        edit = EDIT.fullmatch(head)
        if head in TABLES:
            path = folder / TABLES[head]
            before, start, rest = path.read_text("utf-8").partition(f"\n{head.removeprefix('# in ')}: tuple")
            path.write_text(before + start + rest.replace("\n)\n", f"\n    {code.strip()},\n)\n", 1), "utf-8")
        elif edit is None and not head.startswith("# in "):
            (folder / head.removeprefix("# ")).write_text(code, "utf-8")
        elif edit is not None:
            path, line = folder / edit[1], edit[3] + "\n"
            text = path.read_text("utf-8")
            assert text.count(line) == 1, f"{edit[1]} has no line {edit[3]} (any more): name another on {PAGE.name}"
            path.write_text(
                text.replace(line, {"after": line + code, "before": code + line}.get(edit[2], code)), "utf-8"
            )
    for name, source, mates in (
        ("held", PLATES, PLATE % "translational"),
        ("sliding", PLATES, PLATE % "parallel"),
        ("closed", CLOSED_PLATES, CLOSED),
        ("rope", ARMS, ROPE),
        ("pendulum", PENDULUM, None),
    ):
        (folder / f"{name}.urdf").write_text(source)
        if mates is not None:
            (folder / f"{name}.mates.yaml").write_text(mates)
    (folder / "carried.yaml").write_text(
        "format: cadbridge.scenario/1\nduration: 0.2\nrate: 50\nloads: {balancers: [{component: bob, force: 19.62}]}\n"
    )
    (folder / "pushed.yaml").write_text(PUSHED)
    # Another test may have put modules on the path that import the sources as they are.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([sys.executable, "-c", FOLLOWED, str(folder)], cwd=folder, env=alone, check=True)
    return folder


def _result(extended: Path, name: str) -> dict[str, Any]:
    status, document = json.loads((extended / "found.json").read_text())[name]
    assert status == 0
    assert isinstance(document, dict)
    return document


def test_the_mate_holds_what_it_says(extended: Path) -> None:
    held = _result(extended, "held")
    assert (held["mobility"]["rows"], held["mobility"]["dof"]) == (3, 3)
    assert [f["kind"] for f in held["freedoms"]] == ["slide"] * 3


def test_the_tests_of_the_rooms_that_were_edited_pass(extended: Path) -> None:
    """In the copy, where the reader and the exporter are in their tables too."""
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    chosen = ("-k", f"not ({' or '.join(ELSEWHERE)}) or words_of_options")
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "tests")
    done = subprocess.run((*command, *chosen), cwd=extended, env=alone, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_joint_type_is_recognised(extended: Path) -> None:
    sliding = _result(extended, "sliding")
    assert sliding["counts"]["joint_types"] == {"schoenflies": 1}
    assert sorted(f["kind"] for f in sliding["freedoms"]) == ["slide", "slide", "slide", "turn"]


@pytest.mark.parametrize("method", ["auto", "tree"])
def test_the_joint_type_moves_the_same_by_each_method(extended: Path, method: str) -> None:
    """In a loop, with a coupling beside it: joint coordinates against poses, by every column."""
    assert _result(extended, "closed")["counts"]["joint_types"] == {"revolute": 2, "schoenflies": 2}
    assert _result(extended, method)["method"] == "tree"
    _result(extended, "absolute")
    texts = [(extended / f"{m}.csv").read_text("utf-8") for m in (method, "absolute")]
    one, other = (list(csv.DictReader(text.splitlines())) for text in texts)
    assert one[0].keys() == other[0].keys()
    for row, reference in zip(one, other, strict=True):
        for column, value in row.items():
            assert float(value) == pytest.approx(float(reference[column]), rel=1e-6, abs=1e-6), column


@pytest.mark.parametrize("target", [target.name for target in targets.TARGETS])
def test_the_joint_type_goes_through_each_export(extended: Path, target: str) -> None:
    if target == "step-ap242":
        status, document = json.loads((extended / "found.json").read_text())[target]
        assert (status, "not from a STEP file" in document["error"]) == (1, True), document
    else:
        assert _result(extended, target)["files"]


def test_the_gear_is_counted_turns_its_wheels_and_is_written(extended: Path) -> None:
    rope = _result(extended, "rope")
    assert rope["counts"]["gears"]["rope"] == 1
    assert rope["freedoms"][0]["rates"] == {"first": 1.0, "second": 0.5}
    (written,) = (f for f in _result(extended, "written")["files"] if f.endswith(".mates.yaml"))
    assert yaml.safe_load(Path(written).read_text())["gears"][0]["type"] == "rope"


def test_the_section_is_on_the_page_and_among_its_links(extended: Path) -> None:
    _result(extended, "page")
    text = (extended / "rope.html").read_text("utf-8")
    assert '<a href="#frames">Frames</a>' in text
    assert "frame" in re.findall('<section id="frames".*?</section>', text, re.DOTALL)[0].partition("<tbody>")[2]


def test_the_load_carries_the_weight(extended: Path) -> None:
    run = _result(extended, "carried")
    assert (run["status"], run["simulated_s"]) == ("ok", 0.2)
    rows = list(csv.DictReader((extended / "run.csv").read_text("utf-8").splitlines()))
    assert abs(float(rows[-1]["joint.hinge.q"])) < 1e-9
