"""What is found is held to the truth: pairs by parts, type and axis, bodies, mobility; in either format of truths."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest

from cadbridge.recognition import Recognition
from cadbridge.recognition.model import FoundBody, FoundJoint
from tests.loading import module_of

FOLDER = Path(__file__).resolve().parents[2] / "scripts" / "measure"
DEMO = Path(str(files("cadbridge.data"))) / "demo" / "demo.step"
NEW = {
    "format": "cadbridge.truth/1",
    "name": "demo",
    "population": "built",
    "source": {"repository": "owner/name", "path": "cad/demo.step"},
    "freedoms": 2,
    "bodies": {"base": ["Base", "Screw:*"], "turret": ["Turret", "Wheel"], "arm": ["Arm"], "pinion": ["Pinion"]},
    "unknown": ["Pin"],
    "pairs": [
        {
            "bodies": ["base", "turret"],
            "parts": ["Base", "Turret"],
            "type": "revolute",
            "axis": [0, 0, 1],
            "point": [0, 0, 0],
        },
        {
            "bodies": ["base", "pinion"],
            "parts": ["Base", "Pinion"],
            "type": "revolute",
            "axis": [0, 0, 1],
            "point": [0.048, 0, 0],
        },
        {
            "bodies": ["turret", "arm"],
            "parts": ["Turret", "Arm"],
            "type": "hinge",
            "axis": [0, -1, 0],
            "point": [0, 0, 0.11],
        },
    ],
}
OLD = {
    "format": "recognition-truth/1",
    "name": "old",
    "components": [{"name": "Base", "aliases": ["Base:1"]}, {"name": "Arm", "aliases": []}, {"name": "Hand"}],
    "bodies": [
        {"name": "ground", "components": ["Base"]},
        {"name": "b1", "components": ["Arm"]},
        {"name": "b2", "components": ["Hand"]},
    ],
    "pairs": [
        {"bodies": ["ground", "b1"], "type": "revolute", "axis": [0, 0, 1], "point": [0, 0, 0], "mates": []},
        {"bodies": ["b1", "b2"], "type": "ball", "axis": None, "point": [1, 0, 0]},
    ],
    "dof": 4,
    "absent": ["Hand"],
    "dof_without_absent": 1,
}


@pytest.fixture(scope="module")
def truths() -> ModuleType:
    return module_of(FOLDER / "truths.py")


@pytest.fixture
def truth_of(truths: ModuleType, tmp_path: Path) -> Callable[[dict[str, Any]], Any]:
    def made(document: dict[str, Any]) -> Any:
        file = tmp_path / "truth.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        return truths.load(file)

    return made


def joint(a: int, b: int, point: Any, axis: Any = (0.0, 0.0, 1.0), kind: str = "revolute") -> FoundJoint:
    line = None if axis is None else np.array(axis, float)
    return FoundJoint("", kind, a, b, np.array(point, float), line, (), (), 0.8)


def found_of(*bodies: str, joints: tuple[FoundJoint, ...] = (), freedoms: int = 2) -> Recognition:
    made = tuple(FoundBody(names.split()[0], tuple(names.split()), ()) for names in bodies)
    return Recognition(cast(Any, None), made, 0, "", joints, (), (), 0.0, freedoms=freedoms)


RIGHT = (joint(0, 1, (0, 0, 0.3)), joint(2, 0, (0.0485, 0, 0)), joint(1, 3, (0, 7, 0.11), (0, 1, 0)))
BODIES = ("Base Screw:1", "Turret Wheel", "Pinion", "Arm Pin")


def test_what_is_right_is_found(truths: ModuleType, truth_of: Any) -> None:
    score = truths.judge(found_of(*BODIES, joints=RIGHT), truth_of(NEW))
    assert score == truths.Score(3, 3, 3, 2, 2, True, ())


@pytest.mark.parametrize(
    ("bodies", "joints", "miss"),
    [
        (BODIES, (joint(0, 1, (0.002, 0, 0.3)), *RIGHT[1:]), "Base - Turret (revolute): revolute, 0 deg, 2 mm"),
        (
            BODIES,
            (joint(0, 1, (0, 0, 0), (0, 0.1, 1)), *RIGHT[1:]),
            "Base - Turret (revolute): revolute, 5.7 deg, 0 mm",
        ),
        (
            BODIES,
            (joint(0, 1, (0, 0, 0), kind="cylindrical"), *RIGHT[1:]),
            "Base - Turret (revolute): cylindrical, 0 deg, 0 mm",
        ),
        (BODIES, RIGHT[1:], "Base - Turret (revolute): no joint"),
        (("Base Turret Wheel", "Screw:1", "Pinion", "Arm"), RIGHT[1:], "Base - Turret (revolute): welded"),
        (("Base", "Wheel", "Pinion", "Arm"), RIGHT[1:], "Base - Turret (revolute): no such part"),
    ],
)
def test_a_pair_is_missed_and_it_is_said_why(
    truths: ModuleType, truth_of: Any, bodies: tuple[str, ...], joints: tuple[FoundJoint, ...], miss: str
) -> None:
    score = truths.judge(found_of(*bodies, joints=joints), truth_of(NEW))
    assert score.found < 3
    assert miss in score.misses


@pytest.mark.parametrize(
    ("bodies", "told"),
    [
        (("Base Screw:1 Pinion", "Turret Wheel", "Arm"), "one body: Base (base), Pinion (pinion)"),
        (("Base Screw:1", "Turret", "Pinion", "Arm", "Wheel"), "turret in two bodies: Turret; Wheel"),
    ],
)
def test_wrong_bodies_are_told(truths: ModuleType, truth_of: Any, bodies: tuple[str, ...], told: str) -> None:
    assert truths.wrong_bodies(found_of(*bodies), truth_of(NEW)) == [told]


def test_what_nobody_knows_may_go_anywhere(truths: ModuleType, truth_of: Any) -> None:
    truth = truth_of(NEW)
    assert (truth.body("Pin"), truth.body("Screw:4"), truth.body("Other")) == (None, "base", None)
    assert truths.bodies_right(found_of("Base Pin", "Turret", "Arm Other", "Pinion"), truth)
    wrong = found_of("Base Wheel", "Turret", "Arm", "Pinion")
    assert not truths.bodies_right(wrong, truth)
    assert truths.bodies_right(replace(wrong, fasteners=frozenset({"Wheel"})), truth)


def test_the_truths_of_the_corpus_are_read_too(truths: ModuleType, truth_of: Any) -> None:
    truth = truth_of(OLD)
    assert (truth.freedoms, len(truth.pairs), truth.population) == (1, 1, "by mates")  # without what is absent
    assert (truth.body("Base:1"), truth.body("arm"), truth.body("Hand")) == ("ground", "b1", None)
    found = found_of("Base:1", "arm", joints=(joint(0, 1, (0, 0, 0)),), freedoms=1)
    assert truths.judge(found, truth) == truths.Score(1, 1, 1, 1, 1, True, ())


def test_a_ball_is_held_by_its_centre(truths: ModuleType, truth_of: Any) -> None:
    truth = truth_of({**OLD, "absent": []})
    for x, count in ((1.0, 2), (1.002, 1)):
        ball = joint(1, 2, (x, 0, 0), None, "spherical")
        found = found_of("Base", "Arm", "Hand", joints=(joint(0, 1, (0, 0, 0)), ball))
        assert truths.judge(found, truth).found == count


def test_another_format_is_refused(truth_of: Any) -> None:
    with pytest.raises(ValueError, match="the format is 'other/1'"):
        truth_of({**NEW, "format": "other/1"})


def test_a_source_is_found_by_repository_or_name_and_no_other_file_is_taken(
    truths: ModuleType, truth_of: Any, tmp_path: Path
) -> None:
    truth, folder = truth_of(NEW), tmp_path / "sources"
    assert truths.source_of(truth, folder) is None
    for place in (folder / "demo.step", folder / "owner+name" / "cad" / "demo.step"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("ISO", encoding="utf-8")
        assert truths.source_of(truth, folder) == place
    other = truth_of({**NEW, "source": {**NEW["source"], "sha256": "0" * 64}})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="its sha256 is another"):
        truths.source_of(other, folder)


def test_the_table_counts_a_machine_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    told, folder = tmp_path / "truths", tmp_path / "sources"
    told.mkdir()
    folder.mkdir()
    for name in ("demo", "broken"):
        (told / f"{name}.json").write_text(json.dumps({**NEW, "name": name}), encoding="utf-8")
    (folder / "demo.step").symlink_to(DEMO)
    (folder / "broken.step").write_text("no STEP", encoding="utf-8")
    module_of(FOLDER / "machines.py").main([str(folder), "--truths", str(told), "--misses"])
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("|")][2:]
    assert rows[0].startswith("| broken | built | 0/3/0 | -/2 | failed: ")
    assert (shown := re.fullmatch(r"\| demo \| built \| ([123])/3/(\d) \| \d/2 \| (right|wrong) \|", rows[1]))
    assert rows[2].startswith(f"| 2 machines | built | {shown[1]}/6/{shown[2]} | ")


@pytest.mark.parametrize("file", sorted((FOLDER / "machines").glob("*.json")), ids=lambda file: file.stem)
def test_a_truth_that_comes_with_the_project_agrees_with_itself(truths: ModuleType, file: Path) -> None:
    truth = truths.load(file)
    assert truth.name == file.stem
    assert truth.population in ("built", "links")
    assert {"repository", "commit", "path", "sha256", "licence", "system"} <= set(truth.source)
    assert not str(truth.source["path"]).startswith("/")
    for pair in truth.pairs:
        assert [truth.body(part) for part in pair.parts] == list(pair.bodies)
        for part, body in zip(pair.parts, pair.bodies, strict=True):
            others = [b for b, patterns in truth.bodies.items() if b != body for p in patterns if fnmatchcase(part, p)]
            assert not others


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The arguments that name the demo and its truth."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "truths").mkdir()
    (folder / "truths" / "demo.json").write_text(json.dumps(NEW), encoding="utf-8")
    (folder / "demo.step").symlink_to(DEMO)
    return [str(folder), "demo", "--truths", str(folder / "truths")]


@pytest.mark.parametrize(
    ("script", "row"),
    [
        pytest.param(
            "measure/answers.py", r"\| demo \| \d \| 2 \| [\d>]+ \| [\d>]+ \| \d+ \| ", marks=pytest.mark.nightly
        ),
        pytest.param("measure/ablation.py", r"\| nothing \| [123] \| \d \| [01] \|", marks=pytest.mark.nightly),
        pytest.param("reliability", r"(?m)^\|.*\|.*\|.*\| \| \d+ % \| \d+ % \| [1-9] \|$", marks=pytest.mark.nightly),
    ],
)
def test_the_other_scripts_read_the_same_truths(
    demo: list[str], script: str, row: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [script, *demo])
    monkeypatch.syspath_prepend(str(FOLDER))
    runpy.run_path(str(FOLDER.parent / script), run_name="__main__")
    assert re.search(row, shown := capsys.readouterr().out), shown


@pytest.mark.parametrize("which", ["new", "corpus"])
def test_the_table_of_confidences_is_written_below_its_own_heading(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    script = runpy.run_path(str(FOLDER.parent / "reliability"))
    heading, table = script["HEADINGS"][which], f"{script['HEAD']}| 1 % | 2 % | 3 | | 4 % | 5 % | 6 |\n"
    before = script["DOCS"].read_text(encoding="utf-8")
    after = script["written"](before, heading, table)
    assert after.count(script["HEAD"]) == before.count(script["HEAD"]) == 2
    at = after.index(table)
    assert after[:at].rfind(heading) == after[:at].rfind("\n## ") + 1
    # All else stays: the old table put back makes the old document.
    start = before.index(script["HEAD"], before.index(heading))
    old = before[start : before.index("\n\n", start) + 1]
    assert script["written"](after, heading, old) == before


def test_a_script_stops_where_a_machine_or_its_file_is_not_there(
    truths: ModuleType, demo: list[str], tmp_path: Path
) -> None:
    parser = truths.arguments_of("")
    assert [truth.name for _, truth in truths.with_sources(parser.parse_intermixed_args(demo))] == ["demo"]
    with pytest.raises(SystemExit, match="no truth of other"):
        truths.with_sources(parser.parse_intermixed_args([*demo, "other"]))
    with pytest.raises(SystemExit, match="no file of demo"):
        truths.with_sources(parser.parse_intermixed_args([str(tmp_path), *demo[1:]]))
