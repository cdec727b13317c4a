"""Which reader takes a file, the mates file found beside it, and the finishing of every assembly."""

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cadbridge.assembly import Assembly, Component, Feature, FeatureKind, Instance, Mate, MateKind, Part
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.readers import ReadOptions
from cadbridge.readers.finish import finish, unique_names
from cadbridge.readers.materials import find_material
from cadbridge.readers.registry import taken_by
from cadbridge.reading import read

XML = '<?xml version="1.0"?>\n'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.step", "ISO-10303-21;", "step"),
        ("a.STP", "anything", "step"),
        ("a.txt", "\ufeffISO-10303-21;", "step"),
        ("a.stpZ", "PK", "step"),
        (
            "a.xml",
            XML + '<SimscapeMultibodyImportXML xmlns="urn:mathworks:SimscapeMultibody:import">',
            "simscape",
        ),
        ("a.xml", XML + '<robot name="r">', "urdf"),
        ("a.urdf", "<robot>", "urdf"),
        ("a.urdf", "nonsense", "urdf"),
        ("a.xml", XML + "<!DOCTYPE lolz [<!ENTITY lol 'lol'>]><x/>", "simscape"),
        ("a.xml", XML + "<html/>", None),
        ("a.txt", "hello", None),
        ("a", "", None),
    ],
)
def test_the_first_bytes_decide_then_the_ending(tmp_path: Path, name: str, content: str, expected: str | None) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    found = taken_by(path)
    assert (found and found[0].name) == expected


ROOTS = {
    "urdf": ("robot", ""),
    "mjcf": ("mujoco", ""),
    "sdf": ("sdf", ""),
    "simmechanics": ("PhysicalModelingXMLFile", ""),
    "simscape": ("SimscapeMultibodyImportXML", ' xmlns="urn:mathworks:SimscapeMultibody:import"'),
}
"""By format: the root element, and what stands in it."""

FORMS = {
    "as it is": ("<{root}{more} a='1'>{within}</{root}>", "utf-8"),
    "Windows' line ends": ("<?xml version='1.0'?>\r\n<{root}\r\n  a='1'{more}>\r\n{within}</{root}>", "utf-8"),
    "a tab": ("<{root}\ta='1'{more}>{within}</{root}>", "utf-8"),
    "a byte order mark": ("<{root}{more}>{within}</{root}>", "utf-8-sig"),
    "UTF-16": ("<?xml version='1.0' encoding='UTF-16'?><{root}{more}>{within}</{root}>", "utf-16"),
    "UTF-16 undeclared": ("<{root}{more}>{within}</{root}>", "utf-16"),
    "UTF-16 big-endian": (
        "\ufeff<?xml version='1.0' encoding='UTF-16'?><{root}{more}>{within}</{root}>",
        "utf-16-be",
    ),
    "Latin 1": ("<?xml version='1.0' encoding='ISO-8859-1'?><!-- é --><{root}{more}>{within}</{root}>", "iso-8859-1"),
    "Latin 1 undeclared": ("<!-- é --><{root}{more}>{within}</{root}>", "iso-8859-1"),
    "Chinese": ("<?xml version='1.0' encoding='GB2312'?><!-- 机 --><{root}{more}>{within}</{root}>", "gb2312"),
    "another encoding than declared": (
        "<?xml version='1.0' encoding='UTF-16'?><{root}{more}>{within}</{root}>",
        "ascii",
    ),
    "a long comment": ("<!--" + "{within}" * 3000 + "--><{root}{more}/>", "utf-8"),
    "dashes in a comment": ("<!-- a -- b ---><{root}{more}>{within}</{root}>", "utf-8"),
    "blanks before the declaration": (" \n<?xml version='1.0'?><{root}{more}>{within}</{root}>", "utf-8"),
    "a prefix that nothing declares": ("<{root} xacro:a='1'{more}>{within}</{root}>", "utf-8"),
    "an instruction": ("<?editor <mujoco>?><{root}{more}>{within}</{root}>", "utf-8"),
    "a document type": ("<!DOCTYPE r [<!ENTITY e '<sdf/>'>]><{root}{more}>{within}</{root}>", "utf-8"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("format", ROOTS)
def test_the_root_element_decides_however_it_is_written(tmp_path: Path, format: str, form: str) -> None:
    """Within, and in comments, stand the roots of all others: `<mujoco>` in a URDF is an extension of it."""
    root, more = ROOTS[format]
    text, code = FORMS[form]
    within = '<robot name="r"/><mujoco><compiler/></mujoco><sdf version="1.9"/><x:y xmlns:x="urn:mathworks:Simscape"/>'
    path = tmp_path / "a.xml"
    path.write_bytes(text.format(root=root, more=more, within=within).encode(code))
    found = taken_by(path)
    assert found is not None
    assert found[0].name == format
    assert f"its root element is <{root}>" in found[1]


def test_what_stands_in_an_unknown_root_is_not_taken_for_another_format(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<package><robot name="r"/><mujoco/>"rootAssembly"</package>')
    with pytest.raises(InputError) as refused:
        read(tmp_path / "a.xml")
    assert [(f.code, f.message) for f in refused.value.findings] == [
        ("CB101", "a.xml is in no format that cadbridge reads; its root element is <package>")
    ]


@pytest.mark.parametrize(
    ("root", "cure"),
    [("mujocoinclude", "the file that includes it"), ("model", "its <sdf> names"), ("package", "URDF")],
)
def test_a_file_of_a_robot_that_holds_none_is_told_which_one_does(root: str, cure: str, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<{root}/>", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read(tmp_path / "a.xml")
    assert [cure in (f.hint or "") for f in refused.value.findings] == [True]


@pytest.mark.parametrize(
    ("name", "code"), [("missing.step", "CB100"), (".", "CB100"), ("a.txt", "CB101"), ("a\0b", "CB100")]
)
def test_what_cannot_be_opened_or_read_is_an_input_error(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(InputError) as caught:
        read(tmp_path / name)
    assert [f.code for f in caught.value.findings] == [code]


def test_a_mesh_alone_is_told_what_can_be_done(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(b"solid part\nendsolid part\n")
    with pytest.raises(InputError) as refused:
        read(tmp_path / "part.stl")
    (finding,) = refused.value.findings
    assert finding.code == "CB101"
    assert "name the mesh in a URDF" in (finding.hint or "")


def test_a_named_mates_file_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text("<robot/>")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "a.urdf", mates=tmp_path / "none.yaml")
    assert [f.code for f in caught.value.findings] == ["CB100"]


def two(**changes: Any) -> Assembly:
    """Two parts, 1 m apart."""
    far = Pose(p=np.array([1.0, 0, 0]))
    given: dict[str, Any] = {
        "name": "two", "source": "two.step", "format": "step",
        "parts": (Part("P", material="Steel"), Part("Q", material="Unobtainium"), Part("R")),
        "instances": (Instance("A", "P", Pose(), "A"), Instance("B", "Q", far, "B")),
        "components": (Component("A", ("A",), Pose()), Component("B", ("B",), far)),
    }  # fmt: skip
    return Assembly(**{**given, **changes})


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> list[ReadOptions]:
    """A STEP reader that gives `two()` and keeps the options it was called with."""
    called: list[ReadOptions] = []
    module = ModuleType("cadbridge.readers.step")

    def fake(path: Path, options: ReadOptions) -> Assembly:
        called.append(options)
        return two()

    module.read = fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cadbridge.readers.step", module)
    return called


def test_the_mates_file_beside_the_source_is_taken(tmp_path: Path, reader: list[ReadOptions]) -> None:
    (tmp_path / "kr15.step").write_text("ISO-10303-21;")
    assert read(tmp_path / "kr15.step").component("A").grounded is False
    (tmp_path / "kr15.mates.yaml").write_text("format: cadbridge.mates/1\nsource_units: in\nground: [A]\n")
    assert read(str(tmp_path / "kr15.step")).component("A").grounded is True
    read(tmp_path / "kr15.step", options=ReadOptions(length_unit="m"))
    assert [o.length_unit for o in reader] == [None, "in", "m"]


def test_a_mates_file_that_cannot_be_used_leaves_the_assembly_and_its_findings(
    tmp_path: Path, reader: list[ReadOptions]
) -> None:
    (tmp_path / "kr15.step").write_text("ISO-10303-21;")
    (tmp_path / "other.yaml").write_text("format: [")
    done = read(tmp_path / "kr15.step", mates=tmp_path / "other.yaml")
    assert [c.name for c in done.components] == ["A", "B"]
    assert "CB140" in [f.code for f in done.findings]


def test_densities_come_from_the_table_then_the_option() -> None:
    done = finish(two(), ReadOptions())
    assert [(p.density, p.density_source) for p in done.parts] == [
        (7850, "material table: steel"), (None, None), (None, None),
    ]  # fmt: skip
    assert [f.code for f in done.findings] == ["CB156"]
    done = finish(two(), ReadOptions(density=1234.0))
    assert [p.density for p in done.parts] == [7850, 1234, 1234]
    assert done.parts[2].density_source == "--density"
    assert done.findings == ()
    done = finish(two(), ReadOptions(material="brass"))
    assert [p.density for p in done.parts] == [7850, 8500, 8500]
    done = finish(two(), ReadOptions(material="bras"))
    assert done.findings[0].code == "CB152"
    assert done.findings[0].hint.startswith("Near it: brass")


def test_masses_from_the_mesh_set_the_declared_ones_aside() -> None:
    declared = MassProperties(2.0, np.zeros(3), np.eye(3) * 0.01)
    given = two(parts=(Part("P", declared=declared), Part("Q", declared=declared)))
    assert finish(given, ReadOptions()).parts[0].declared is declared
    assert [p.declared for p in finish(given, ReadOptions(mass_from="mesh")).parts] == [None, None]


@pytest.mark.parametrize(("distance", "told"), [(1000.0, True), (150.0, False), (5e-5, True), (2e-4, False)])
def test_a_doubtful_size_is_told(distance: float, told: bool) -> None:
    given = two()
    moved = replace(given.instances[1], X_WI=Pose(p=np.array([distance, 0, 0])))
    done = finish(replace(given, instances=(given.instances[0], moved)), ReadOptions(density=1.0))
    assert ("CB105" in [f.code for f in done.findings]) is told


def test_names_alike_become_unique_and_are_told() -> None:
    feature = Feature("A", FeatureKind.POINT, np.zeros(3))
    mates = tuple(Mate(n, MateKind.FIXED, feature, feature) for n in ("M", "M (2)", "M", "M", "N"))
    findings = Findings()
    done = unique_names(mates, "mate", findings)
    assert [m.name for m in done] == ["M", "M (2)", "M (3)", "M (4)", "N"]
    assert [f.code for f in findings] == ["CB107", "CB107"]
    assert [m.name for m in finish(two(mates=mates), ReadOptions(density=1.0)).mates] == [m.name for m in done]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("AISI 304", "stainless steel"), ("AlMg3", "aluminium"), ("6061", "aluminium"),
        ("steel, mild", "steel"),
        ("ALUMINUM 6061-T6", "aluminium"), ("EN AW-6061", "aluminium"), ("PA 66", "nylon"), ("pom", "POM"),
        ("Stainless Steel, 440C", "stainless steel"), ("Unobtainium", None), ("PC ABS", None),
        ("rubber coated steel", None), ("Generic", None), ("", None), ("al dente", None),
    ],
)  # fmt: skip
def test_materials_are_known_by_many_names_and_never_guessed(name: str, known: str | None) -> None:
    found = find_material(name)
    assert (found and found[0]) == known
