"""Broken .asmt files end in findings: never a traceback, never silence."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from cadbridge.simulation import simulate

Mutation = Callable[[str], str]


def sub(pattern: str, new: str, count: int = 1) -> Mutation:
    def change(text: str) -> str:
        changed, times = re.subn(pattern, lambda _: new, text, count=count, flags=re.MULTILINE)
        assert times, pattern
        return changed

    return change


def cut(after: str, keep: int = 0) -> Mutation:
    return lambda text: text[: text.index(after) + keep]


def series(text: str) -> str:
    """A part's X without one of its columns."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("PartSeries")) + 1
    lines[at] = lines[at].rstrip().rsplit("\t", 1)[0]
    return "\n".join(lines)


def twice(text: str) -> str:
    """A second joint of the name of the first."""
    return re.sub(r"^(\t+)Joint2$", r"\1Joint1", text, count=1, flags=re.MULTILINE)


# What is done to a crank and slider, and a code that tells of it (None: any).
MUTATIONS: dict[str, tuple[Mutation, str | None]] = {
    "empty": (lambda text: "", "CB180"),
    "head only": (cut("Assembly"), "CB180"),
    "another head": (sub("^freeCAD.*$", "freeDAC"), None),
    "no assembly": (sub("^Assembly$", "Ensemble"), "CB180"),
    "cut in a part": (cut("PrincipalMassMarker"), None),
    "cut in the joints": (cut("CylindricalJoint"), None),
    "no parts": (sub(r"^\tParts$", "\tPieces"), "CB162"),
    "a part without a name": (sub(r"^\t\t\tName\n\t\t\t\tPart2$", "\t\t\tTitle\n\t\t\t\tPart2"), "CB181"),
    "two parts of one name": (sub(r"^\t\t\t\tPart2$", "\t\t\t\tPart1"), "CB107"),
    "a position of words": (sub(r"^\t\t\t\t0\.0 \t0\.0 \t-0\.1 $", "\t\t\t\tover there yes"), "CB181"),
    "a position of two": (sub(r"^\t\t\t\t0\.0 \t0\.0 \t-0\.1 $", "\t\t\t\t0.0 0.0"), "CB181"),
    "a position not finite": (sub(r"^\t\t\t\t0\.0 \t0\.0 \t-0\.1 $", "\t\t\t\tnan inf 0.0"), "CB181"),
    "huge numbers": (sub(r"^\t\t\t\t0\.0 \t0\.0 \t-0\.1 $", "\t\t\t\t1e308 1e308 1e999"), "CB181"),
    "no rotation": (sub(r"^\t\t\tRotationMatrix$", "\t\t\tSpin"), "CB181"),
    "a rotation that mirrors": (
        sub(r"^\t\t\t\t1\.0 \t0\.0 \t0\.0 \n", "\t\t\t\t-1.0 \t0.0 \t0.0 \n"), "CB133",
    ),
    "a huge rotation": (sub(r"^\t\t\t\t1\.0 \t0\.0 \t0\.0 \n", "\t\t\t\t1e300 0.0 0.0\n"), "CB181"),
    "a mass of words": (sub(r"^\t\t\t\t\t0\.2 $", "\t\t\t\t\theavy"), "CB181"),
    "a mass below zero": (sub(r"^\t\t\t\t\t0\.2 $", "\t\t\t\t\t-0.2"), "CB163"),
    "a marker that is not there": (sub("/Assembly1/Part1/Marker1", "/Assembly1/Part1/Marker9"), "CB162"),
    "a joint of one part": (sub("/Assembly1/Part2/Marker1", "/Assembly1/Part1/Marker1"), "CB168"),
    "a joint without markers": (sub(r"^\t\t\t\tMarkerI$", "\t\t\t\tMarkerX"), "CB162"),
    "a joint of no kind": (sub(r"^\t\t\tCylindricalJoint$", "\t\t\tWobblyJoint"), "CB1204"),
    "two joints of one name": (twice, "CB107"),
    "a motion of no joint": (sub("/Assembly1/Joint1$", "/Assembly1/Joint9"), "CB162"),
    "a motion of code": (sub(r"(?<=\t)2\.0d\*pi\*time", "__import__('os').system('true')"), "CB1208"),
    "a motion without a value": (sub(r"(?<=\t)2\.0d\*pi\*time", "1/(t-t)"), None),
    "a motion nested deeply": (sub(r"(?<=\t)2\.0d\*pi\*time", "(" * 500 + "time" + ")" * 500), "CB1208"),
    "a motion too long": (sub(r"(?<=\t)2\.0d\*pi\*time", "+".join(["time"] * 100_000)), "CB1208"),
    "a motion of another kind": (sub(r"^\t\t\tRotationalMotion$", "\t\t\tGeneralMotion"), "CB1212"),
    "spaces for tabs": (lambda text: text.replace("\t\t", "        "), None),
    "a level skipped": (sub(r"^\t\t\tName$", "\t\t\t\t\t\t\tName"), "CB1201"),
    "a thousand tabs": (sub(r"^\t\t\tName$", "\t" * 1000 + "Name"), "CB1201"),
    "a series cut off": (series, "CB1210"),
    "a series of no part": (sub(r"^PartSeries\s*/Assembly1/Part1", "PartSeries /Assembly1/Nobody"), "CB162"),
    "times that fall": (sub(r"^Time\tInput\t0\.0 \t0\.01", "Time\tInput\t0.02 \t0.01"), "CB1210"),
    "words in a series": (sub(r"^X\t", "X\tnot\ta\tnumber\t"), None),
    "no gravity": (sub(r"^\t\t0\.0 \t-9\.81 \t0\.0 $", "\t\tdown"), None),
    "an end before the start": (sub(r"^\t\ttend\n\t\t\t1\.0", "\t\ttend\n\t\t\t-1.0"), None),
    "no step": (sub(r"^\t\thout\n\t\t\t0\.01", "\t\thout\n\t\t\t0"), None),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_file_ends_in_findings(corpus: Path, tmp_path: Path, name: str) -> None:
    change, code = MUTATIONS[name]
    path = tmp_path / "made.asmt"
    path.write_text(change((corpus / "ondsel" / "crank_slider.asmt").read_text()))
    try:
        assembly = cb.read(path)
    except InputError as error:
        codes = {f.code for f in error.findings}
        assert codes
    else:
        mechanism = cb.build(assembly)
        cb.diagnose(mechanism)
        codes = {f.code for f in (*assembly.findings, *mechanism.findings)}
    assert code is None or code in codes
    assert sorted(p.name for p in tmp_path.iterdir()) == ["made.asmt"]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "made.asmt"
    path.write_bytes(b"OndselSolver\nAssembly\n\tName\n\t\t\xff\xfe\x00")
    with pytest.raises(InputError) as caught:
        cb.read(path)
    assert [f.code for f in caught.value.findings] == ["CB180"]


@pytest.mark.parametrize("law", ["1/time", "sqrt(-time)"])
def test_a_motion_without_a_value_on_its_way_is_told(corpus: Path, tmp_path: Path, law: str) -> None:
    path = tmp_path / "made.asmt"
    path.write_text((corpus / "ondsel" / "crank_slider.asmt").read_text().replace("2.0d*pi*time", law))
    with pytest.raises(InputError) as caught:
        simulate(cb.build(cb.read(path)), duration=0.1)
    assert [f.code for f in caught.value.findings] == ["CB603"]
