"""What older versions of SDF mean otherwise, in the file itself and in models that it includes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import Assembly
from cadbridge.mechanism import build
from cadbridge.reading import read

LINKS = """<link name="base"><inertial><mass>1</mass></inertial></link><link name="tip">
  <pose>0 0 1 1.5707963267948966 0 0</pose><inertial><mass>1</mass></inertial></link>"""
HINGE = '<joint name="{}" type="revolute"><parent>base</parent><child>tip</child><axis><xyz>0 0 1</xyz></axis></joint>'


def arm(version: str, joint: str = "hinge") -> str:
    return f'<sdf version="{version}"><model name="arm">{LINKS}{HINGE.format(joint)}</model></sdf>'


def written(folder: Path, text: str) -> Assembly:
    path = folder / "whole.sdf"
    path.write_text(text, encoding="utf-8")
    return read(path)


def axis(assembly: Assembly) -> np.ndarray:
    """The axis of the only joint in the world."""
    (joint,) = (mechanism := build(assembly)).joints
    return np.asarray(mechanism.X_WB(joint.b).R @ joint.X_BJ.R[:, 2])


@pytest.mark.parametrize("around", ["1.4", "1.6", "1.9"])
@pytest.mark.parametrize(("own", "expected"), [("1.4", [0, 0, 1]), ("1.6", [0, -1, 0])])
def test_a_model_that_is_included_keeps_the_rules_of_its_own_version(
    own: str, expected: list[float], around: str, tmp_path: Path
) -> None:
    """Up to 1.4 an axis stands in the model's frame, from 1.5 on in the joint's (Drake reads the same)."""
    np.testing.assert_allclose(axis(written(tmp_path, arm(own))), expected, atol=1e-12)
    (tmp_path / "arm.sdf").write_text(arm(own), encoding="utf-8")
    world = f'<sdf version="{around}"><world name="w"><include><uri>arm.sdf</uri></include></world></sdf>'
    np.testing.assert_allclose(axis(written(tmp_path, world)), expected, atol=1e-12)


def test_an_unknown_version_of_a_model_that_is_included_is_told(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(arm("9.9"), encoding="utf-8")
    world = '<sdf version="1.9"><world name="w"><include><uri>arm.sdf</uri></include></world></sdf>'
    found = [f for f in written(tmp_path, world).findings if f.code == "CB1426"]
    assert [(Path(str(f.where.file)).name, f.where.line) for f in found] == [("arm.sdf", 1)]


def test_a_joint_of_an_old_file_may_have_the_name_of_a_link(tmp_path: Path) -> None:
    assembly = written(tmp_path, arm("1.6", "tip"))
    assert [(m.name, m.a.component, m.b.component) for m in assembly.mates] == [("tip_joint", "base", "tip")]
    assert {f.code for f in assembly.findings} == {"CB1269"}
    newer = written(tmp_path, arm("1.7", "tip"))
    assert not newer.mates
    assert "CB1422" in {f.code for f in newer.findings}


def test_names_that_joints_and_frames_of_old_files_share_are_told_apart_whatever_the_order(tmp_path: Path) -> None:
    after = f'{LINKS}<frame name="tip"/><link name="tip_joint"/></model>'
    assembly = written(tmp_path, arm("1.5", "tip").replace(LINKS, "").replace("</model>", after))
    assert [m.name for m in assembly.mates] == ["tip_joint0"]
    assert [f.name for f in assembly.frames] == ["tip_frame"]
    assert {c.name for c in assembly.components} == {"base", "tip", "tip_joint"}
    # Two joints of one name are a fault in every version.
    twice = arm("1.5").replace("</model>", f"{HINGE.format('hinge')}</model>")
    assert "CB1422" in {f.code for f in written(tmp_path, twice).findings}


def test_what_newer_versions_no_longer_have_is_told_and_passed_over(tmp_path: Path) -> None:
    """As sdformat: `frame` of a pose and `use_parent_model_frame` of an axis ended with 1.6."""
    flagged = "<use_parent_model_frame>true</use_parent_model_frame></axis>"
    old = arm("1.6").replace("</axis>", flagged).replace("<pose>", '<pose frame="far">')
    old = old.replace("</model>", '<frame name="far"><pose>5 0 0 0 0 0</pose></frame></model>')
    assembly = written(tmp_path, old)
    np.testing.assert_allclose(axis(assembly), [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(assembly.component("tip").X_WC.p, [5, 0, 1], atol=1e-12)
    assert not assembly.findings
    newer = written(tmp_path, old.replace("1.6", "1.9"))
    np.testing.assert_allclose(axis(newer), [0, -1, 0], atol=1e-12)
    np.testing.assert_allclose(newer.component("tip").X_WC.p, [0, 0, 1], atol=1e-12)
    assert [(f.code, f.where.item) for f in newer.findings] == [("CB1262", "tip"), ("CB1262", "hinge")]


MOMENTS = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
LONE = '<link name="{0}"><inertial><mass>1</mass></inertial></link>'


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (
            "".join(f'<model name="{k}">{LONE.format("a")}</model>' for k in "mn"),
            "CB1274",
            "2 models without a world: all are read",
        ),
        (
            f'<model name="m">{LONE.format("a")}<joint name="j" type="fixed"><parent>a</parent><child>world</child>'
            "</joint></model>",
            "CB1274",
            "joint j has the world as its child",
        ),
        (f'<model name="m" canonical_link="b">{LONE.format("a")}</model>', "CB1425", "'b' names no link"),
        (f'<world name="w"><model name="m">{LONE.format("a")}</model></world>', "", ""),
        (f'<model name="m" canonical_link="a">{LONE.format("a")}</model>', "", ""),
    ],
)
def test_what_sdformat_refuses_is_told(body: str, code: str, words: str, tmp_path: Path) -> None:
    """Drake takes none of the files; all were read without a word of it."""
    found = written(tmp_path, f'<sdf version="1.9">{body}</sdf>').findings
    assert [f.code for f in found if f.code in ("CB1274", "CB1425")] == [code] * bool(code)
    assert not code or words in next(f.message for f in found if f.code == code)


def test_an_unknown_version_is_told_of_any_file(tmp_path: Path) -> None:
    """It was told only where an element asked for the version."""
    found = written(tmp_path, f'<sdf version="100"><model name="m">{LONE.format("a")}</model></sdf>').findings
    assert "CB1426" in {f.code for f in found}


@pytest.mark.parametrize(("inertia", "words"), [("", "the inertia that the format gives to a"), (MOMENTS, "declared")])
def test_the_inertia_of_a_link_that_declares_none_is_not_called_declared(
    inertia: str, words: str, tmp_path: Path
) -> None:
    """SDF gives 1 kg m² to a link with a mass alone."""
    box = "<visual name='v'><geometry><box><size>0.1 0.1 0.1</size></box></geometry></visual>"
    link = f'<link name="a"><inertial><mass>1</mass>{inertia}</inertial>{box}</link>'
    built = build(written(tmp_path, f'<sdf version="1.9"><model name="m">{link}</model></sdf>'))
    (told,) = (f for f in (*built.assembly.findings, *built.findings) if f.code == "CB319")
    assert words in told.message
    assert ("Write the inertia into the file" in (told.hint or "")) != bool(inertia)
