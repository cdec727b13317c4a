"""The page as a file: whole or not at all, nothing from outside, names are text."""

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import html as lxml_html

from cadbridge.assembly import Part
from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.errors import InputError, MissingExtraError
from cadbridge.mechanism import Mechanism, build
from cadbridge.reading import read
from cadbridge.report.html import el
from cadbridge.report.page import Extras, page_html, write_page
from cadbridge.report.page import page as page_module
from cadbridge.report.provenance import provenance
from cadbridge.visible import visible
from tests.diagnosis import gearing, linkages
from tests.mass.solids import box, placed, shape

Made = tuple[Mechanism, Diagnosis]


@pytest.fixture(scope="module")
def text(page_code: None, hinged: Made) -> str:
    return page_html(*hinged)


def test_the_policy_allows_our_own_script_and_style_and_nothing_else(text: str) -> None:
    tree: Any = lxml_html.document_fromstring(text)
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        bodies = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(bodies) == 1
        digest = base64.b64encode(hashlib.sha256(bodies[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not tree.xpath("//link | //iframe | //@onclick | //@style")
    assert [source.split(",")[0] for source in tree.xpath("//@src")] == ["data:image/png;base64"]


def test_every_table_has_a_caption_and_every_section_a_heading(text: str) -> None:
    tree: Any = lxml_html.document_fromstring(text)
    assert tree.get("lang") == "en"
    assert len(tree.xpath("//main")) == 1
    for table in tree.xpath("//table"):
        assert table.xpath("./caption")
        assert table.xpath("./thead//th[@scope='col']")
    for section in tree.xpath("//section"):
        assert tree.xpath(f"//*[@id='{section.get('aria-labelledby')}']")


def test_names_with_markup_stay_names(page_code: None, hostile: Made) -> None:
    text = page_html(*hostile)
    tree: Any = lxml_html.document_fromstring(text)
    assert not tree.xpath("//img[@onerror or not(@class='still')]")
    assert len(tree.xpath("//script")) == 3  # the scene, the numbers, our code
    assert (
        tree.xpath("//section[@id='joints']//button[@data-pick='joint:0']")[0]
        .text_content()
        .startswith("upper</script>")
    )
    scene = json.loads(re.findall('id="scene">(.*?)</script>', text, re.DOTALL)[0])
    assert scene["bodies"]["names"][0] == visible(hostile[0].bodies[0].name)


def test_attributes_cannot_be_left_by_a_quote() -> None:
    assert el("p", "<b>", title='"><x') == '<p title="&quot;&gt;&lt;x">&lt;b&gt;</p>'


def test_the_picture_holds_the_mesh_to_its_steps(text: str, hinged: Made) -> None:
    scene = json.loads(re.findall('id="scene">(.*?)</script>', text, re.DOTALL)[0])
    block = zlib.decompress(base64.b64decode(re.findall('id="buffer">(.*?)</script>', text, re.DOTALL)[0]))
    shape = scene["shapes"][1]
    _, start, length = shape["vertices"]
    steps = np.frombuffer(block, "<u2", length, start).reshape(-1, 3)
    vertices = shape["low"] + steps * np.array(shape["step"])
    _, start, length = shape["triangles"]
    corners = vertices[np.cumsum(np.frombuffer(block, "<u4", length, start).astype(np.uint32), dtype=np.uint32)]
    volume = np.einsum("ij,ij->i", corners[::3], np.cross(corners[1::3], corners[2::3])).sum() / 6
    assert volume == pytest.approx(0.3**3, rel=1e-4)
    mate = next(m for m in scene["mates"] if m["state"])
    assert mate["point"] == pytest.approx([0, 0, 0.1 if mate["name"] == "upper" else -0.1])


def test_the_page_appears_whole_or_not_at_all(page_code: None, hinged: Made, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_page(blocked / "report.html", *hinged)
    path = tmp_path / "new" / "report.html"
    write_page(path, *hinged)
    assert path.read_text().startswith("<!doctype html>")
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_without_its_code_the_page_says_how_to_build_it() -> None:
    with pytest.raises(MissingExtraError, match="hatch_build"):
        page_module.built("absent.js")


def cells(text: str, section: str) -> list[list[str]]:
    """The rows of a section's table as text."""
    tree: Any = lxml_html.document_fromstring(text)
    rows = tree.xpath(f"//section[@id='{section}']//tbody/tr")
    return [[" ".join(c.text_content().split()) for c in row.xpath("./th|./td")] for row in rows]


def test_what_the_diagnosis_says_stands_on_the_page(page_code: None) -> None:
    mechanism = build(gearing.two_shafts((40, 20), (41, 20)))
    locked = page_html(mechanism, diagnose(mechanism))
    assert "lock each other: axle second would turn −2.05 and −2 times as far as axle first, 18° apart" in locked
    assert [row[3:5] for row in cells(locked, "gears")] == [["40 : 20", "0.5"], ["41 : 20", "0.4878"], ["30 : 60", "2"]]
    mechanism = build(gearing.planetary(3))
    text = page_html(mechanism, diagnose(mechanism))
    (group,) = cells(text, "groups")
    assert group[2:] == ["31", "29"]
    assert [row[0] for row in cells(text, "deletable")] == ["sun on 1, sun on 2"]
    assert ["axle sun", "axle carrier", "4.5 : 1", "0.2222"] in cells(text, "ratios")
    assert cells(text, "redundancies")[0][5] == "Delete it"
    (freedom,) = cells(text, "freedoms")
    assert freedom[0].startswith("sun turns about the axis of axle sun; axle carrier: 4.5 : 1")
    assert cells(text, "joints")[0][4] == "undetermined: Fx Fy"


def test_overlaps_and_instants_stand_on_the_page(page_code: None) -> None:
    block = Part("block", shape(box(0.1, 0.1, 0.1)))
    mechanism = build(placed([block], ("block", (0, 0, 0)), ("block", (0.09, 0.05, 0.0))))
    text = page_html(mechanism, diagnose(mechanism))
    assert cells(text, "overlaps") == [["block:0 – block:1", "50", "5"]]
    mechanism = build(linkages.planar([(0, 0), (0.3, 0), (0.8, 0)]))
    assert "only at this pose" in page_html(mechanism, diagnose(mechanism))


def test_no_folder_of_this_machine_is_on_the_page(page_code: None, tmp_path: Path) -> None:
    """Neither in a finding, its place or its words, nor beside a mate, though the file was read by its whole path."""
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"><visual><geometry><mesh filename="meshes/none.stl"/></geometry></visual>'
        '</link><link name="arm"/><joint name="j" type="revolute"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    mechanism = build(read(tmp_path / "arm.urdf"))
    assert "CB112" in [f.code for f in mechanism.assembly.findings]
    for live in (None, 1):
        text = page_html(mechanism, diagnose(mechanism), Extras(live=live, provenance=provenance(mechanism.assembly)))
        assert "arm.urdf:1" in text
        assert Path("meshes", "none.stl").as_posix() in text
        assert str(tmp_path) not in text


def test_provenance_states_the_gravity_of_the_source(hinged: Made) -> None:
    assembly = hinged[0].assembly
    assert dict(provenance(assembly))["gravity"] == "9.81 m/s² along −z, unless a scenario says otherwise"
    moon = dict(provenance(replace(assembly, gravity=(0.0, 0.0, -1.62))))
    assert moon["gravity"] == "(0, 0, −1.62) m/s² as the source states, unless a scenario says otherwise"
