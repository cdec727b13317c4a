"""`cadbridge transmission`: what a geared robot is made of, and why another mechanism is none."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import CouplingKind, MateKind
from cadbridge.cli import main
from cadbridge.errors import ModelError
from cadbridge.geared import transmission
from cadbridge.report.drawing import transmission_svg
from tests.exporters import models
from tests.mechanism.building import assembly, mate

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ROBOT = FIXTURES / "geared_robot3" / "geared_robot3.urdf"
WRIST = FIXTURES / "bendix_wrist" / "bendix_wrist.urdf"


def test_the_command_prints_the_document_and_draws_the_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transmission", str(WRIST), "--json", "--svg", str(tmp_path / "w.svg")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == "cadbridge.transmission/1"
    assert document["primary"] == ["ground", "link1", "link2", "link3"]
    assert document["lines"][1] == {
        "input": "q5",
        "links": ["link5", "link6", "link3"],
        "gears": ["5-6", "6-3"],
        "level": 3,
    }
    assert (document["form"], document["largest_system"]) == ("general", 2)
    assert document["gear_pairs"][0]["pressure_angle"] == pytest.approx(0.3490658504)
    drawing = ElementTree.parse(tmp_path / "w.svg").getroot()
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    heavy = [p for p in drawing.iter("{http://www.w3.org/2000/svg}path") if p.get("stroke-width") == "4"]
    assert len(heavy) == 5
    titles = {t.text for t in drawing.iter("{http://www.w3.org/2000/svg}title")}
    assert {"link3, primary", "link8, secondary", "q7, axis a", "6-3, carrier link2"} <= titles


def test_no_line_of_the_drawing_runs_through_a_name() -> None:
    """Thin lines and heavy curves end at the boxes of the links that they join."""
    drawing = ElementTree.fromstring(str(transmission_svg(transmission(cb.build(cb.read(ROBOT))))))
    svg = "{http://www.w3.org/2000/svg}"
    boxes = [[float(box.attrib[key]) for key in ("x", "y", "width", "height")] for box in drawing.iter(f"{svg}rect")]
    curves = []
    for path in drawing.iter(f"{svg}path"):
        a, bend, b = np.array(re.findall(r"-?[\d.]+", path.attrib["d"]), dtype=float).reshape(3, 2)
        curves.append((a, bend, b))
    for line in drawing.iter(f"{svg}line"):
        if line.get("stroke-width") == "4":
            continue  # of the legend
        a, b = (np.array([float(line.attrib[f"{axis}{end}"]) for axis in "xy"]) for end in (1, 2))
        curves.append((a, (a + b) / 2, b))
    assert len(boxes) == 8  # of seven links and the ground
    for a, bend, b in curves:
        for t in np.linspace(0.02, 0.98, 49):
            x, y = (1 - t) ** 2 * a + 2 * t * (1 - t) * bend + t**2 * b
            assert not [box for box in boxes if 1 < x - box[0] < box[2] - 1 and 1 < y - box[1] < box[3] - 1]


def test_the_command_tells_it_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transmission", str(ROBOT), "--output-link", "link3"]) == 0
    out = capsys.readouterr().out
    assert "open-loop chain: ground – link1 – link2 – link3" in out
    assert "pseudo-triangular form; at most 1 unknown is solved at once" in out
    assert "link6 → link7 → link3" in out


def test_the_page_of_a_geared_robot_shows_its_graph(page_code: None) -> None:
    from cadbridge.report.page.page import page_html

    mechanism = cb.build(cb.read(ROBOT))
    text = page_html(mechanism, cb.diagnose(mechanism))
    assert 'id="transmission"' in text
    assert "7-3, carrier link2" in text


@pytest.mark.parametrize(
    ("output", "inputs", "code", "said"),
    [
        ("no such link", None, "CB433", "no such link"),
        ("base", None, "CB433", "base"),
        ("link3", ["q4", "none"], "CB435", "'none'"),
        ("link3", ["q4", "q5"], "CB435", "not 2"),
        ("link2", None, "CB434", "leave 3 freedoms"),
        ("link3", ["q4", "q5", "theta2"], "CB435", "singular"),
    ],
)
def test_what_is_named_wrongly_is_told(output: str, inputs: list[str] | None, code: str, said: str) -> None:
    mechanism = cb.build(cb.read(ROBOT))
    with pytest.raises(ModelError) as error:
        transmission(mechanism, output, inputs)
    assert code in {f.code for f in error.value.findings}
    assert said in " ".join(f.message for f in error.value.findings)


def test_what_has_legs_instead_of_an_arm_is_told(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transmission", str(corpus / "quadruped_solidworks" / "Assem4.xml")]) == 1
    said = capsys.readouterr().err
    assert "CB434: to leg" in said
    assert "0 gear pairs for 6 secondary links leave 8 freedoms to 2 primary joints" in said
    assert "cadbridge inverse" in said


def test_a_loop_of_hinges_is_told() -> None:
    places = {"crank": [0, 0, 0.5], "coupler": [1.0, 0, 1.0], "rocker": [2.0, 0, 0.25]}
    ends = [
        ("A", "ground", "crank", [0.0, 0.0, 0.0]),
        ("B", "crank", "coupler", [0.0, 0.0, 1.0]),
        ("C", "coupler", "rocker", [2.0, 0.0, 1.0]),
        ("D", "ground", "rocker", [2.0, 0.0, -0.5]),
    ]
    mates = [mate(places, name, MateKind.INSERT, a, b, p, [0, 1, 0]) for name, a, b, p in ends]
    with pytest.raises(ModelError) as error:
        transmission(cb.build(assembly(places, mates)))
    assert [f.code for f in error.value.findings] == ["CB431"]
    assert "closes a loop of hinges" in error.value.findings[0].message


def test_without_gears_the_joints_are_the_inputs_and_the_only_end_the_output(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = corpus / "kuka_kr16_support" / "urdf" / "kr16_2.urdf"
    assert main(["transmission", str(source), "--json", "--output-link", "link_6"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["structure_matrix"] == [[float(i == k) for k in range(6)] for i in range(6)]
    assert document["sequence"] == [[f"link_{k}"] for k in range(6, 0, -1)]


def test_of_several_ends_that_would_do_none_is_guessed() -> None:
    mechanism = cb.build(cb.read(ROBOT))
    bare = replace(mechanism, assembly=replace(mechanism.assembly, frames=()))
    with pytest.raises(ModelError) as error:
        transmission(bare)
    assert [f.message for f in error.value.findings] == ["no output link is named; there are link3, link7"]
    demo = cb.build(cb.read(Path(cb.__file__).parent / "data" / "demo" / "demo.step"))
    assert [transmission(demo).name(i) for i in transmission(demo).robot.primary] == ["ground", "Turret", "Arm"]


@pytest.mark.parametrize(
    ("kind", "cure"), [("spur", "Add `pressure_angle`"), ("ratio", "give it as a gear with `teeth`")]
)
def test_the_cure_of_a_pressure_angle_is_one_that_the_kind_has(kind: str, cure: str) -> None:
    """A pair that is given by its ratio takes no pressure angle in a mates file."""
    pair = models.geared_pair(rack=False)
    couplings = tuple(replace(c, coupling=replace(c.coupling, kind=CouplingKind(kind))) for c in pair.couplings)
    found = transmission(replace(pair, couplings=couplings), inputs=["pinion"], output=pair.bodies[1].name)
    (told,) = [f for f in found.findings if f.code == "CB438"]
    assert told.items == ("Spur:1",)
    assert cure in told.hint
