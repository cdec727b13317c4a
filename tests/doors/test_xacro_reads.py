"""A xacro reads what belongs to it: by command line, no other file comes out in the names of an export."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cadbridge import folders
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.readers import ReadOptions
from cadbridge.readers.paths import package_folder
from cadbridge.reading import read

SECRET = "secret_of_another_file"
ROBOT = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="d" value="${load_yaml('FILE')}"/><link name="${d}"/></robot>"""

PLACES = {
    "a package that is a path": "$(find HOME/other)/secret.yaml",
    "a package above": "$(find ..)/../../other/secret.yaml",
    "a package further above": "$(find ../..)/../other/secret.yaml",
    "the disk as a package": "$(find /)/HOME/other/secret.yaml",
    "the folder itself as a package": "$(find .)/../../other/secret.yaml",
    "a backslash": "$(find ..\\\\other)/secret.yaml",
    "the home as a package": "$(find alice)/.aws/credentials",
    "the home as a package, plain": "$(find alice)/notes.yaml",
    "a neighbour without a manifest": "$(find other)/secret.yaml",
    "a package that is a link": "$(find linked)/secret.yaml",
    "out of a package": "$(find own)/../../other/secret.yaml",
    "a link of the folder": "link.yaml",
    "a hidden file of the folder above": "$(dirname)/../.aws/credentials",
    "find as a function": "${find('HOME/other')}/secret.yaml",
    "find within eval": "$(eval find('HOME/other'))/secret.yaml",
}
"""Where a xacro looks for a file that is not its own; HOME is the home."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with secrets and, in it, a stranger's folder that a robot lies in."""
    home = tmp_path / "alice"
    for file in (".aws/credentials", "notes.yaml", "other/secret.yaml"):
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text(f"{SECRET}\n", encoding="utf-8")
    stranger = home / "stranger"
    (stranger / "own").mkdir(parents=True)
    (stranger / "own" / "package.xml").write_text("<package><name>own</name></package>", encoding="utf-8")
    (stranger / "link.yaml").symlink_to(home / "other" / "secret.yaml")
    (stranger / "linked").symlink_to(home / "other", target_is_directory=True)
    monkeypatch.setenv("HOME", str(home))
    folders._home.cache_clear()
    yield home
    folders._home.cache_clear()


def exported(source: Path, *options: str) -> tuple[int, str]:
    """The status of an export, and all text that it wrote."""
    target = source.parent / "out"
    status = main(["convert", str(source), "--to", "urdf", "-o", str(target), "--keep-going", *options])
    return status, "".join(p.read_text("utf-8") for p in target.rglob("*.urdf")) if target.is_dir() else ""


WITHOUT = ("a package further above", "out of a package", "a link of the folder")
"""Places of which a day looks also without folders of packages, which allow no more than with them."""


@pytest.mark.parametrize(
    ("place", "config"),
    [
        pytest.param(place, config, marks=pytest.mark.nightly if config is None and place not in WITHOUT else ())
        for place in PLACES
        for config in (None, 'package_dirs = ["."]\n')
    ],
)
def test_a_file_of_others_does_not_come_out(
    place: str, config: str | None, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = home / "stranger" / "robot.xacro"
    source.write_text(ROBOT.replace("FILE", PLACES[place].replace("HOME", str(home))), encoding="utf-8")
    if config is not None:
        (source.parent / "cadbridge.toml").write_text(config, encoding="utf-8")
    status, text = exported(source)
    said = capsys.readouterr()
    assert status == 2
    assert "CB1921" in said.err or "CB196" in said.err
    assert SECRET not in text + said.out + said.err


def test_what_belongs_to_the_source_and_its_packages_is_read(home: Path) -> None:
    source = home / "stranger" / "robot.xacro"
    (source.parent / "own" / "data.yaml").write_text("of_the_package\n", encoding="utf-8")
    source.write_text(ROBOT.replace("FILE", "$(find own)/data.yaml"), encoding="utf-8")
    status, text = exported(source)
    assert (status, "of_the_package" in text) == (0, True)


def test_a_folder_that_the_person_gives_is_read_but_nothing_hidden_in_a_home(home: Path) -> None:
    source = home / "stranger" / "robot.xacro"
    source.write_text(ROBOT.replace("FILE", "$(find other)/secret.yaml"), encoding="utf-8")
    assert exported(source)[0] == 2
    status, text = exported(source, "--package-dir", str(home / "other"))
    assert (status, SECRET in text) == (0, True)
    source.write_text(ROBOT.replace("FILE", "$(dirname)/../.aws/credentials"), encoding="utf-8")
    status, text = exported(source, "--package-dir", str(home))
    assert SECRET not in text or status == 2


def test_a_source_in_a_home_reads_nothing_hidden_there(home: Path) -> None:
    source = home / "robot.xacro"
    source.write_text(ROBOT.replace("FILE", ".aws/credentials"), encoding="utf-8")
    status, text = exported(source)
    assert (status, text) == (2, "")


def test_the_configuration_of_a_stranger_opens_no_folder_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = home / "stranger" / "robot.xacro"
    source.write_text(ROBOT.replace("FILE", "$(find other)/secret.yaml"), encoding="utf-8")
    for folder in (source.parent, home / "stranger"):
        (folder / "cadbridge.toml").write_text('package_dirs = [".."]\n', encoding="utf-8")
        monkeypatch.chdir(folder)
        assert exported(source) == (2, "")


@pytest.mark.parametrize("name", ["robot.mates.yaml", "robot.cadbridge.yaml", "cadbridge.toml", "robot.fit.yaml"])
def test_no_file_beside_a_source_is_a_link_out_of_its_folder(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = home / "stranger" / "robot.urdf"
    source.write_text('<robot name="r"><link name="a"/></robot>', encoding="utf-8")
    (source.parent / name).symlink_to(home / "other" / "secret.yaml")
    assert main(["fit" if name == "robot.fit.yaml" else "check", str(source)]) == 2
    said = capsys.readouterr()
    assert "CB102" in said.err
    assert SECRET not in said.out + said.err


def test_nothing_beside_a_source_is_looked_through_by_a_link(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither for the packages that a xacro beside it names, nor for the name in a manifest."""
    source, elsewhere = home / "stranger" / "robot.xacro", home / "elsewhere"
    elsewhere.mkdir()
    for name in ("other.xacro", "package.xml"):
        (elsewhere / name).write_text("<package><name>found</name></package>$(find found)", encoding="utf-8")
        (source.parent / name).symlink_to(elsewhere / name)
    source.write_text(ROBOT.replace("FILE", "$(find found)/secret.yaml"), encoding="utf-8")
    opened: list[str] = []
    real = Path.open

    def watched(self: Path, *arguments: Any, **options: Any) -> Any:
        opened.append(str(self.resolve()))
        return real(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", watched)
    assert exported(source)[0] == 2
    assert str(source.resolve()) in opened
    assert [path for path in opened if path.startswith(str(elsewhere.resolve()))] == []


def test_a_folder_directly_below_the_root_is_told() -> None:
    assert "every file in it" in folders.opened_by(Path("/etc"))
    assert folders.opened_by(Path("/etc/ros")) == ""


@pytest.mark.parametrize("name", ["a/b", "a\\b", "/a", "a:b", "", ".", ".."])
def test_a_name_with_a_separator_is_no_package(name: str, tmp_path: Path) -> None:
    for folder in (tmp_path / "a" / "b", tmp_path / "a\\b", tmp_path / "a:b", tmp_path):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.xml").write_text("<package><name>x</name></package>", encoding="utf-8")
    for given in ((), (tmp_path,)):
        assert package_folder(name, folders.Folders(tmp_path / "in", given)) is None


@pytest.mark.parametrize(("given", "opens"), [("me", "every file in it"), (".", "directly in it"), ("me/ws", "")])
def test_a_package_dir_says_what_it_opens(
    given: str, opens: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "me" / "ws").mkdir(parents=True)
    monkeypatch.setattr("cadbridge.folders._home", lambda: (tmp_path / "me").resolve())
    source = tmp_path / "r.urdf"
    source.write_text('<robot name="r"><link name="a"/></robot>', "utf-8")
    found = read(source, options=ReadOptions(package_dirs=(tmp_path / given,))).findings
    told = [f.message for f in found if f.code == "CB117"]
    assert len(told) == bool(opens)
    assert all(opens in text for text in told)


def test_a_package_that_a_file_in_a_folder_below_names_is_found(tmp_path: Path) -> None:
    """`--package-dir` named its folder, and CB196 said to name it."""
    below, package = tmp_path / "m" / "sub", tmp_path / "share" / "np2"
    below.mkdir(parents=True)
    package.mkdir(parents=True)
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    for path, text in (
        (tmp_path / "m" / "main.xacro", '<xacro:include filename="sub/a.xacro"/>'),
        (below / "a.xacro", "<xacro:include filename='b.xacro'/>"),
        (below / "b.xacro", '<xacro:include filename="$(find np2)/x.xacro"/>'),
        (package / "x.xacro", '<link name="a"/>'),
    ):
        path.write_text(f"{head}{text}</robot>", "utf-8")
    (package / "package.xml").write_text("<package><name>np2</name></package>", "utf-8")
    robot = read(tmp_path / "m" / "main.xacro", options=ReadOptions(package_dirs=(tmp_path / "share",)))
    assert [c.name for c in robot.components] == ["a"]


def test_an_expansion_that_sleeps_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "r.xacro"
    source.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/></robot>')
    monkeypatch.setattr("cadbridge.processes.PATIENCE", 0.04)
    asleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr("cadbridge.readers.xacro.process.python", lambda *_: asleep)
    with pytest.raises(InputError, match="took longer than 1 s on the clock"):
        read(source)
