"""Which reader took a file and why, units and frames, and every mate of the file accounted for."""

import json
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly, Component
from cadbridge.cli import main
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.readers import ReadOptions
from cadbridge.report.ledger import count_mates, taken, taken_lines

CORPUS = [
    ("quadruped_solidworks/Assem4.xml", "simscape", 16),
    ("icub_simmechanics/LEGS_MECHANISM.xml", "simmechanics", 33),
    ("ondsel/rackscrew.asmt", "ondsel", 5),
    ("freecad/universal_joint_assembly.FCStd", "freecad", 3),
    ("so100/so100.urdf", "urdf", 6),
]


@pytest.mark.parametrize(("file", "reader", "mates"), CORPUS)
def test_real_files(corpus: Path, file: str, reader: str, mates: int) -> None:
    assembly = cb.read(corpus / file, options=ReadOptions(geometry=False))
    assert taken(assembly)["reader"] == reader
    assert taken(assembly)["why"].startswith(("it begins as", "its root element is"))
    assert assembly.units
    counted = count_mates(assembly)
    assert counted.in_file >= mates
    assert counted.in_file == counted.understood + counted.not_understood
    assert len(counted.left_out) + counted.unreported == counted.not_understood


def made(*codes: tuple[str, str]) -> Assembly:
    findings = Findings()
    for code, item in codes:
        findings.add(code, f"{item} is odd", Where(item=item))
    body = Component("Link", (), Pose())
    return Assembly("A", "a.x", "step", (), (), (body,), mates_in_file=3, findings=findings.as_tuple())


def test_what_was_not_understood_is_named_with_its_reasons() -> None:
    assembly = made(("CB164", "Gear:1"), ("CB181", "Gear:1"), ("CB163", "Link"), ("CB207", "Insert:2"))
    counted = count_mates(assembly)
    assert (counted.in_file, counted.understood, counted.not_understood) == (3, 0, 3)
    # Link is a component, and CB207 is not of reading: neither is a mate left out.
    assert [(m.name, [f.code for f in m.why]) for m in counted.left_out] == [("Gear:1", ["CB164", "CB181"])]
    assert counted.unreported == 2
    text = "\n".join(taken_lines(assembly))
    assert "3 mates in the file, 0 understood, 3 not:" in text
    assert "Gear:1: Gear:1 is odd (CB164); Gear:1 is odd (CB181)" in text


def test_inspect_tells(tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (corpus / "ondsel" / "fourbar.asmt").read_text()
    source = tmp_path / "odd.txt"
    source.write_text(text.replace("\t\t\tRevoluteJoint", "\t\t\tMagneticJoint", 1))
    main(["inspect", str(source), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["taken"]["reader"] == "ondsel"
    assert document["mates_report"]["in_file"] == 4
    assert document["mates_report"]["understood"] == 3
    assert [(m["name"], m["why"][0]["code"]) for m in document["mates_report"]["left_out"]] == [("Joint1", "CB1204")]
    main(["inspect", str(source)])
    out = capsys.readouterr().out
    assert "4 mates in the file, 3 understood, 1 not:" in out
    assert "frames: " in out


def test_mates_are_counted_by_file_and_units_told_of_both(tmp_path: Path) -> None:
    from tests.readers.same_mechanism import step

    source = step.ap242(tmp_path)
    beside = source.with_name("fourbar.mates.yaml")
    far = "{name: Far, type: fixed, a: {component: Nobody}, b: {component: Base}}"
    more = f"\nmates:\n- {{name: Odd, type: wobbly}}\n- {far}\n"
    beside.write_text(beside.read_text() + more)
    source.write_text(source.read_text().replace("REVOLUTE_PAIR('Hinge B'", "REVOLUTE_PAIR('Hinge B',5.", 1))
    assembly = cb.read(source)
    assert assembly.units[-2:] == (
        "pairs: mm and deg → m and rad",
        "mates file: m and rad → m and rad; kg, kg/m³ and kg m² as they are",
    )
    counted = count_mates(assembly)
    assert (counted.in_file, counted.of_mates_file, counted.understood, counted.unreported) == (9, 2, 6, 0)
    assert {m.name.split(" #")[0] for m in counted.left_out} == {"Hinge B", "Odd", "Far"}
    assert "  7 mates in the file, 2 in fourbar.mates.yaml, 6 understood, 3 not:" in taken_lines(assembly)
