"""Every command that README, docs, notebooks and fixtures print runs as printed, in a folder like the root.

Names of files that a page makes up stand for small files here, and outputs go where the command puts them: into a
temporary folder.
"""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
import shutil
import time
from importlib.resources import files
from itertools import count
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from cadbridge.cli.app import app
from cadbridge.diagnosis import Diagnosis
from cadbridge.mechanism import Mechanism
from cadbridge.plotting import write_figure
from cadbridge.simulation.pace import Pacer

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("fixtures/*/README.md"))]
DEMO = Path(str(files("cadbridge.data"))) / "demo"
GEARED = ROOT / "fixtures" / "geared_robot3"

SERVES = (
    "cadbridge fetch ", "cadbridge view ", "cadbridge batch jobs.yaml --scheduler", "cadbridge check robot.step --watch"
)  # fmt: skip
"""What waits for a browser, for other machines, for keys or for a change."""
KR15 = "fixtures/kr15/kr15.step"
"""A source that takes half a minute to read: the tests read it once, and run the commands on what was read."""
STATUS = {"cadbridge check arm.step --compare last.json --strict": 1}
"""The exit status of a command where it is not 0: the robot of the tests has warnings."""
WORDS = {
    "SOURCE": "robot.step", "FILE": "robot.step", "arm.step": "robot.step", "DIR": "out", "…": "", "Flange": "link3",
    "robot.usda": "body.usda",  # beside robot.usda the mates file of robot.step would lie
    "PART": "Base", "FORMAT": "urdf", "Housing": "Base",
    "urdf|ros2|mjcf|sdf|usd|fmu|glb|json|python": "urdf", "mjcf|urdf|ros2|sdf|usd|fmu": "mjcf",
}  # fmt: skip
"""Words of the pages that stand for something, and what they stand for here."""
SCENARIO = "format: cadbridge.scenario/1\nduration: 0.05\nmotors: [{joint: q4, speed: 10}]\n"
MOTION = "format: cadbridge.motion/1\nduration: 0.1\nrate: 20\njoints: {theta1: 5*t, theta2: 5*t, theta3: 5*t}\n"
SWEEP = "format: cadbridge.sweep/1\nvary: [{joint: q4, damping: [0, 1]}]\n"
USD = """#usda 1.0
(defaultPrim = "b"
 metersPerUnit = 1
 upAxis = "Z")
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float physics:mass = 2
    float3 physics:diagonalInertia = (0.1, 0.2, 0.25)
}
"""
JOBS = "defaults: {output: out, timeout: 300}\njobs: [{sources: arm.urdf, do: convert, to: urdf}]\n"


def texts() -> list[str]:
    """The pages, and what stands between the code of the notebooks."""
    found = [page.read_text(encoding="utf-8") for page in PAGES]
    for book in sorted(ROOT.glob("notebooks/*.ipynb")):
        cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
        found += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return found


def printed() -> list[str]:
    """Each command once: in blocks, and within sentences where it has arguments."""
    found: dict[str, None] = {}
    for text in texts():
        found |= dict.fromkeys(re.findall(r"^    (cadbridge .*)$", text, re.MULTILINE))
        found |= dict.fromkeys(re.findall(r"`(cadbridge [a-z]+ [^`-][^`]*)`", text))
    lines = [line.split(" #")[0].rstrip() for line in found if not line.startswith(SERVES)]
    return lines


def looked_at() -> dict[str, list[str]]:
    """The columns that docs/papers.md says to look at, by the command that writes them."""
    rows = re.findall(
        r"^\|[^|]*\| `(cadbridge [^`]*)` \|([^|]*)\|", (ROOT / "docs" / "papers.md").read_text("utf-8"), re.M
    )
    return {
        line: re.findall(r"`((?:actuator|tooth|bearing|gear|joint|attachment)\.[^`]+)`", said) for line, said in rows
    }


LOOKED_AT = looked_at()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the fixtures and the files that the pages speak of."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures", target_is_directory=True)
    for name in ("robot.step", "robot.urdf", "arm.urdf"):
        # The content says the format.
        shutil.copy(GEARED / "geared_robot3.urdf", tmp_path / name)
    for name in ("robot", "arm"):
        shutil.copy(GEARED / "geared_robot3.mates.yaml", tmp_path / f"{name}.mates.yaml")
    texts = {
        "pick.yaml": SCENARIO, "build_up.yaml": SCENARIO, "path.yaml": MOTION, "jobs.yaml": JOBS, "sweep.yaml": SWEEP,
        "body.usda": USD,
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    # Real time needs no waiting to be tried.
    monkeypatch.setattr(Pacer.__init__, "__defaults__", (None, time.perf_counter, lambda seconds: None))
    # Of a command's figures one is drawn; tests of each command with figures draw all.
    figures = count()
    for room in ("efforts.plots", "simulation.plots"):
        drawn = f"cadbridge.{room}.write_figure"
        monkeypatch.setattr(drawn, lambda *what: () if next(figures) else write_figure(*what))
    return tmp_path


@pytest.mark.parametrize("line", [line for line in printed() if KR15 in line])
def test_a_printed_command_runs_on_the_kr15(
    line: str, root: Path, kr15: Mechanism, kr15_diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cadbridge.reading.read", lambda *arguments, **options: kr15.assembly)
    monkeypatch.setattr("cadbridge.diagnosis.diagnose", lambda mechanism: kr15_diagnosis)
    done = CliRunner().invoke(app, shlex.split(line)[1:])
    assert done.exit_code == STATUS.get(line, 0), done.output


def words_of(line: str) -> tuple[str, ...]:
    """A command's arguments, with what its words stand for here."""
    words = (WORDS.get(word, word) for word in shlex.split(line)[1:])
    return tuple(word for word in words if word)


def different() -> list[str]:
    """Of lines that are the same command here, one: that of which columns are looked at, where there is such a one."""
    found: dict[tuple[str, ...], str] = {}
    for line in sorted(printed(), key=lambda line: line not in LOOKED_AT):
        if KR15 not in line:
            found.setdefault(words_of(line), line)
    return list(found.values())


@pytest.mark.parametrize("line", different())
def test_a_printed_command_runs(line: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_of(line)
    if words[0] == "cache":
        monkeypatch.setenv("CADBRIDGE_CACHE", str(root / "cache"))
    if "--compare" in words:
        old = CliRunner().invoke(app, ["check", "robot.step", "--json"])
        (root / words[words.index("--compare") + 1]).write_text(old.stdout, encoding="utf-8")
    if "--against" in words and words[0] == "verify":
        assert CliRunner().invoke(app, ["convert", "robot.step", "--to", words[-1], "-o", "FOLDER"]).exit_code == 0
    if "--faces" in words or words[0] == "recognise":
        shutil.copy(DEMO / "demo.step", root / "robot.step")
        (root / "robot.mates.yaml").unlink()
    done = CliRunner().invoke(app, words)
    assert done.exit_code == STATUS.get(line, 0), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    for option in ("-o", "--output", "--html", "--plots", "--svg"):
        if option in words:
            assert (root / words[words.index(option) + 1]).exists()
    if LOOKED_AT.get(line):
        names = pq.read_table(next(root.glob("*.parquet"))).column_names
        assert not [look for look in LOOKED_AT[line] if not fnmatch.filter(names, look)]
