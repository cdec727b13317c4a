"""`cadbridge transmission`: what a geared robot is made of, and why another mechanism is none."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.errors import ModelError
from cadbridge.transmission import transmission

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
