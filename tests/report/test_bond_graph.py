"""The drawing of a bond graph, by itself and on the page."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree
from lxml import html as lxml_html

import cadbridge as cb
from cadbridge.diagnosis import diagnose
from cadbridge.efforts import Inverse
from cadbridge.report.bond_graph import bond_graph_svg
from cadbridge.report.page import Extras, page_html

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=["geared_robot3", "rrrt3"])
def found(request: pytest.FixtureRequest) -> Inverse:
    if request.param == "geared_robot3":
        mechanism = cb.build(cb.read(FIXTURES / "geared_robot3" / "geared_robot3.urdf"))
        from cadbridge.efforts import JointPath, Motion
        from solver.functions import expression

        asked = Motion(joints=tuple(JointPath(n, expression("t")) for n in ("q4", "q5", "q6")))
    else:
        mechanism = cb.build(cb.read(FIXTURES / "rrrt3" / "rrrt3.sdf"))
        asked = cb.load_motion(FIXTURES / "rrrt3" / "rrrt3.motion.yaml", mechanism)
    scenario = replace(asked.scenario, rate=4 / asked.scenario.duration)
    return cb.inverse(mechanism, replace(asked, scenario=scenario), method="bond-graph")


def test_every_node_and_bond_is_drawn_once_and_nothing_lies_on_another(found: Inverse) -> None:
    assert found.forces.graph is not None
    graph = found.forces.graph.built.graph
    root = etree.fromstring(bond_graph_svg(found.forces.graph.built))
    titles = [t.text or "" for t in root.iter(f"{SVG}title")]
    nodes = [t for t in titles if re.match(r"(1|0|I|R|Se|EJS|MTF): ", t)]
    assert len(nodes) == len(graph.nodes)
    assert sum(t.endswith(" wide") for t in titles) == len(graph.bonds)
    width, height = (float(x) for x in root.get("viewBox", "").split()[2:])
    places = []
    for group in root.iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        if title is not None and title.text in nodes:
            text = group.find(f"{SVG}text")
            assert text is not None
            places.append((float(text.get("x", "nan")), float(text.get("y", "nan"))))
    at = np.array(places)
    assert np.all(at > 0)
    assert np.all(at < [width, height])
    apart = np.linalg.norm(at[:, None] - at[None], axis=2) + 1e9 * np.eye(len(at))
    assert apart.min() > 12.0
    # Each bond has its causal stroke: three paths.
    assert len(list(root.iter(f"{SVG}path"))) == 3 * len(graph.bonds)


def test_the_page_shows_efforts_peaks_and_graph(page_code: None, found: Inverse) -> None:
    mechanism = found.run.mechanism
    text = page_html(mechanism, diagnose(mechanism), Extras(efforts=found))
    tree: Any = lxml_html.document_fromstring(text)
    assert {"efforts", "peaks", "bondgraph", "run"} <= set(tree.xpath("//section/@id"))
    assert not tree.xpath("//@style")
    shown = [c.text_content() for c in tree.xpath("//section[@id='peaks']//tbody/tr[1]/*")]
    joint = found.actuators[0].name
    peak = float(np.max(np.abs(found.forces.efforts[:, 0])))
    assert shown[:4] == [joint, "actuator", "effort", f"{peak:.4g} N m"]
    plain = cb.inverse(mechanism, found.motion)
    assert "bondgraph" not in page_html(mechanism, diagnose(mechanism), Extras(efforts=plain)).split("<main")[1]
