"""Files that an MJCF names: within bounds; sizes and copies beyond what a reader takes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from cadbridge.errors import InputError
from cadbridge.findings import Finding
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from tests.readers.test_mjcf import ARM, write

BOX = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def _tree_of_files(top: Path) -> Path:
    """A folder five levels below `top`; shapes and models beside the folders on the way."""
    folder = top / "a" / "b" / "c" / "d" / "e"
    folder.mkdir(parents=True)
    for at in folder.parents[:5]:
        (at / "meshes").mkdir()
        (at / "meshes" / "box.obj").write_text(BOX, encoding="utf-8")
        (at / "shared.xml").write_text("<mujoco><option timestep='0.001'/></mujoco>", encoding="utf-8")
    return folder


def _refused(path: Path, **options: Any) -> bool:
    """Whether a file is refused for a path that leads out."""
    told: tuple[Finding, ...] = ()
    try:
        read(path, options=ReadOptions(**options))
    except InputError as error:
        told = tuple(error.findings)
    assert {f.code for f in told} <= {"CB102"}
    return bool(told)


def test_a_nan_is_told_where_mujoco_takes_it_for_not_given(tmp_path: Path) -> None:
    text = ARM.replace('<geom type="ellipsoid"', '<geom name="egg" type="ellipsoid" mass="NaN"', 1)
    (told,) = [f for f in read(write(tmp_path, text)).findings if f.code == "CB181"]
    assert (told.message, told.where and told.where.item) == ("egg: mass is 'NaN', not a number", "egg")


NAMED = {
    "shapes": '<asset><mesh file="{}meshes/box.obj"/></asset><worldbody>',
    "shapes of a folder": '<compiler meshdir="{}meshes"/><asset><mesh file="box.obj"/></asset><worldbody>',
    "models": '<include file="{}shared.xml"/><worldbody>',
}


@pytest.mark.parametrize("what", NAMED)
@pytest.mark.parametrize("up", [1, 2, 3, 4])
def test_shapes_and_models_may_lie_three_folders_above(up: int, what: str, tmp_path: Path) -> None:
    folder = _tree_of_files(tmp_path)
    path = write(folder, ARM.replace("<worldbody>", NAMED[what].format("../" * up), 1))
    assert _refused(path) == (up > 3)
    assert not _refused(path, package_dirs=(tmp_path / "a",))
    (tmp_path / "a" / ".git").mkdir()
    assert not _refused(path)  # all of the same repository


def test_included_files_are_models_and_the_line_of_a_mate_is_then_not_known(tmp_path: Path) -> None:
    path = write(_tree_of_files(tmp_path), ARM.replace("<worldbody>", NAMED["models"].format("../../"), 1))
    assert read(path).mates[1].where.line is None  # the line of which file?
    (tmp_path / "a" / "b" / "c" / "shared.xml").write_text("<passwords/>", encoding="utf-8")
    assert _refused(path)


@pytest.mark.parametrize("name", ["notes.txt", "link.obj", "link.xml"])
def test_nothing_else_above_is_opened(name: str, tmp_path: Path) -> None:
    folder = _tree_of_files(tmp_path)
    (folder.parent / "notes.txt").write_text("<mujoco/>", encoding="utf-8")
    (folder.parent / "link.obj").symlink_to(folder.parent / "notes.txt")
    (folder.parent / "link.xml").symlink_to(folder.parent / "notes.txt")
    extra = f'<asset><mesh file="../{name}"/></asset>' if name == "link.obj" else f'<include file="../{name}"/>'
    assert _refused(write(folder, ARM.replace("<worldbody>", extra + "<worldbody>", 1)))


def test_a_folder_that_an_included_file_names_is_looked_at_for_the_shapes_of_all(tmp_path: Path) -> None:
    folder = _tree_of_files(tmp_path)
    (folder / "place.xml").write_text('<mujoco><compiler meshdir="/etc"/></mujoco>', encoding="utf-8")
    extra = '<include file="place.xml"/><asset><mesh file="passwd.obj"/></asset><worldbody>'
    assert _refused(write(folder, ARM.replace("<worldbody>", extra, 1)))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
def test_a_pipe_is_no_shape(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.obj")
    extra = '<asset><mesh file="pipe.obj"/></asset><worldbody>'
    assert _refused(write(tmp_path, ARM.replace("<worldbody>", extra, 1)))


@pytest.mark.skipif(sys.platform != "linux", reason="limits what a process may ask for")
def test_a_few_bytes_that_ask_for_gigabytes_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "huge.xml"
    source.write_text(
        '<mujoco><asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset><worldbody>'
        '<geom type="hfield" hfield="h"/><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(InputError) as caught:
        read(source)
    assert [f.code for f in caught.value.findings] == ["CB1400"]
    assert "asks for more than" in str(caught.value)
    source.write_text('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>')
    assert len(read(source).mates) == 1


@pytest.mark.parametrize("count", ["1e9", "100000000"])
def test_copies_beyond_number_are_refused_before_mujoco_makes_them(count: str, tmp_path: Path) -> None:
    source = tmp_path / "many.xml"
    inner = '<body><joint/><geom size="1"/></body>'
    source.write_text(f'<mujoco><worldbody><replicate count="{count}">{inner}</replicate></worldbody></mujoco>')
    with pytest.raises(InputError) as caught:
        read(source)
    assert [f.code for f in caught.value.findings] == ["CB1400"]
    nested = f'<replicate count="1000"><replicate count="1000">{inner}</replicate></replicate>'
    source.write_text(f"<mujoco><worldbody>{nested}</worldbody></mujoco>")
    with pytest.raises(InputError, match="too many copies"):
        read(source)


def test_shapes_that_git_has_not_fetched_are_named(tmp_path: Path) -> None:
    for name in ("one.stl", "two.stl"):
        (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    model = """<mujoco><asset><mesh name="a" file="one.stl"/><mesh name="b" file="two.stl"/></asset><worldbody><body>
    <freejoint/><geom type="mesh" mesh="a"/><geom type="mesh" mesh="b"/></body></worldbody></mujoco>"""
    (tmp_path / "robot.xml").write_text(model)
    with pytest.raises(InputError) as caught:
        read(tmp_path / "robot.xml")
    (found,) = caught.value.findings
    assert (found.code, found.items) == ("CB1400", ("one.stl", "two.stl"))
    assert "git lfs pull" in found.hint


def test_all_files_that_are_missing_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    """MuJoCo names one, without a line, and reads all shapes before it looks for a picture."""
    (tmp_path / "parts.xml").write_text('<mujoco>\n<asset><mesh name="b" file="b.stl"/></asset></mujoco>')
    model = """<mujoco><compiler meshdir="meshes"/>
    <include file="parts.xml"/>
    <asset><mesh name="a" file="a.stl"/>
    <texture name="floor" type="2d" file="floor.png"/>
    <texture name="sky" type="skybox" builtin="flat" file="sky.png" width="8" height="8"/></asset>
    <worldbody><body><freejoint/><geom type="mesh" mesh="a"/><geom type="mesh" mesh="b"/></body></worldbody></mujoco>"""
    (tmp_path / "robot.xml").write_text(model)
    with pytest.raises(InputError, match="3 files") as caught:
        read(tmp_path / "robot.xml")
    told = {(Path(f.where.file or "").name, f.where.line, *f.items) for f in caught.value.findings}
    assert told == {("robot.xml", 3, "a.stl"), ("robot.xml", 4, "floor.png"), ("parts.xml", 2, "b.stl")}


def test_what_a_model_lacks_that_nothing_attaches_is_left_to_mujoco(tmp_path: Path) -> None:
    """It opens no shape of it."""
    (tmp_path / "arm.xml").write_text(
        '<mujoco model="arm"><asset><mesh name="m" file="gone.stl"/></asset><worldbody><body name="base">'
        '<joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    (tmp_path / "scene.xml").write_text(
        '<mujoco><asset><model name="arm" file="arm.xml"/></asset><worldbody>'
        '<body><joint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    assert len(read(tmp_path / "scene.xml").mates) == 1
