"""Options are declared once: command line, jobs files and Python take the same ones and refuse the same mistakes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.cli.config import COMMAND_LINE_ONLY
from cadbridge.cli.options import parameters_of
from cadbridge.errors import InputError
from cadbridge.jobs.schema import JobSpec, _declared
from cadbridge.options import from_given, option, options_of
from cadbridge.readers import ReadOptions
from cadbridge.readers.registry import FORMATS
from cadbridge.run_options import RunOptions

URDF = """<robot name="door"><link name="frame"/>
  <link name="door"><inertial><mass value="5"/><origin xyz="0.4 0 0"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="frame"/><child link="door"/><axis xyz="0 0 1"/></joint>
</robot>"""
XACRO = URDF.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace(
    '<link name="frame"/>', '<xacro:arg name="mass" default="5"/><link name="frame"/>'
).replace('value="5"', 'value="$(arg mass)"')  # fmt: skip
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def door(tmp_path: Path) -> Path:
    path = tmp_path / "door.urdf"
    path.write_text(URDF)
    return path


@pytest.mark.parametrize("kind", [ReadOptions, RunOptions])
def test_every_option_is_on_the_command_line_and_in_jobs_files(kind: type, capsys: Capture) -> None:
    main(["simulate", "--help"])
    shown = capsys.readouterr().out
    for declared in options_of(kind).values():
        assert f" {declared.flag}" in shown
        assert declared.key in JobSpec.model_fields
        assert JobSpec.model_fields[declared.key].description == declared.help


@pytest.mark.parametrize(
    ("page", "keys"),
    [
        ("jobs", {*JobSpec.model_fields}),
        ("config", {o.key for o in options_of(ReadOptions).values()} - {*COMMAND_LINE_ONLY}),
    ],
)
def test_every_key_stands_in_the_table_of_its_page(page: str, keys: set[str]) -> None:
    text = (Path(__file__).resolve().parents[1] / "docs" / f"{page}.md").read_text("utf-8")
    assert {key for key in keys if f"`{key}`" not in text} == set()


@pytest.mark.parametrize("kind", [ReadOptions, RunOptions])
def test_every_option_is_described_on_a_page(kind: type) -> None:
    pages = [p for p in (Path(__file__).resolve().parents[1] / "docs").glob("*.md") if p.name != "how-to-add.md"]
    text = " ".join(p.read_text("utf-8") for p in pages)
    assert [o.flag for o in options_of(kind).values() if f"`{o.flag}" not in text and f" {o.flag}" not in text] == []


def test_what_is_given_becomes_the_fields() -> None:
    given = {"mass": "from-mesh", "units": " MM ", "package_dirs": ["a", "b"], "arguments": ["prefix:=left_", "n:="]}
    assert from_given(ReadOptions, given) == ReadOptions(
        mass_from="mesh",
        length_unit="mm",
        package_dirs=(Path("a"), Path("b")),
        arguments=(("prefix", "left_"), ("n", "")),
    )
    assert from_given(RunOptions, {"keep_redundant": True, "scenario": None}) == RunOptions(collapse=False)
    assert from_given(ReadOptions, {"package_dirs": [], "density": None}) == ReadOptions()


def test_a_new_option_needs_its_declaration_alone() -> None:
    @dataclass(frozen=True)
    class Trial:
        tolerance: float = option(0.1, "--mesh-tolerance", float, "Chord error of meshes in mm.", least=1e-6)

    (parameter,) = parameters_of(Trial)
    assert parameter.name == "mesh_tolerance"
    _, field = _declared(Trial)["mesh_tolerance"]
    assert field.description == "Chord error of meshes in mm."
    assert from_given(Trial, {"mesh_tolerance": 0.5}) == Trial(0.5)


@pytest.mark.parametrize("unit", ["furlong", "5 m", "", "mn"])
def test_a_unit_that_is_none_is_refused_for_every_format(unit: str, door: Path, capsys: Capture) -> None:
    assert main(["inspect", str(door), "--units", unit]) == 2
    assert "is not a unit of length" in capsys.readouterr().err
    with pytest.raises(InputError, match="not a unit of length"):
        ReadOptions(length_unit=unit)


@pytest.mark.parametrize(("flag", "value"), [("--units", "mm"), ("--arg", "mass:=3")])
def test_an_option_without_effect_is_an_error(flag: str, value: str, door: Path, capsys: Capture) -> None:
    assert main(["check", str(door), flag, value]) == 2
    assert f"error CB113: {flag} has no effect" in capsys.readouterr().err


def test_an_option_of_one_format_has_a_reader_that_heeds_it() -> None:
    fields = set(options_of(ReadOptions))
    assert all(fmt.heeds <= fields for fmt in FORMATS)


def test_a_floating_root_has_six_freedoms_more(door: Path, capsys: Capture) -> None:
    dof = []
    for more in ([], ["--floating"]):
        main(["check", str(door), *more, "--json"])
        dof.append(json.loads(capsys.readouterr().out)["mobility"]["dof"])
    assert dof == [1, 7]


def test_arguments_of_a_xacro_reach_it(tmp_path: Path) -> None:
    path = tmp_path / "door.xacro"
    path.write_text(XACRO)

    def mass(**options: Any) -> float | None:
        assembly = cb.read(path, options=ReadOptions(**options))
        return next(p.declared.mass for p in assembly.parts if p.name == "door" and p.declared is not None)

    assert mass() == 5.0
    assert mass(arguments=(("mass", "3"),)) == 3.0
    assert main(["inspect", str(path), "--arg", "mass:=3"]) == 0


def test_an_argument_that_the_xacro_does_not_have_is_reported(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "door.xacro"
    path.write_text(XACRO)
    assert main(["inspect", str(path), "--arg", "mas:=3"]) == 2
    assert "error CB113: --arg mas has no effect" in capsys.readouterr().err


def test_an_argument_of_another_form_is_refused(door: Path, capsys: Capture) -> None:
    assert main(["check", str(door), "--arg", "mass=3"]) == 2
    assert "NAME:=VALUE, not 'mass=3'" in capsys.readouterr().err


def test_a_table_with_another_ending_is_refused_before_anything_runs(
    door: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "run.txt"
    assert main(["simulate", str(door), "-o", str(out)]) == 2
    assert ".parquet or .csv" in capsys.readouterr().err
    assert not out.exists()
