"""Results print as one line, and show a picture and a table in a notebook."""

from dataclasses import replace
from typing import Any

import pytest
from lxml import html as lxml_html

import cadbridge as cb
from cadbridge.diagnosis import Diagnosis
from cadbridge.mechanism import Mechanism
from cadbridge.report.notebook import MOST_ROWS, notebook_html
from tests.report.page.models import HOSTILE, door

MADE = tuple[Mechanism, Diagnosis]


@pytest.fixture(scope="module")
def made() -> MADE:
    mechanism = cb.build(door())
    return mechanism, cb.diagnose(mechanism)


def test_every_result_prints_as_one_short_line(made: MADE) -> None:
    mechanism, diagnosis = made
    assembly = mechanism.assembly
    assert repr(assembly) == (
        "<Assembly 'door': test, 2 parts, 2 instances, 2 components, 2 mates, no couplings, no findings>"
    )
    assert repr(mechanism).startswith("<Mechanism 'door': 1 moving body, 1 joint, no couplings")
    assert repr(diagnosis).startswith("<Diagnosis: 1 degree of freedom, 5 of 10 equations redundant")
    assert repr(mechanism.joints[0]) == "<Joint 'upper': revolute, ground – body 0, 2 mates>"
    assert repr(assembly.parts[0]) == "<Part 'frame': <Shape: 12 triangles, no faces>>"
    assert repr(assembly.mates[0]) == "<Mate 'upper': revolute, frame – leaf>"
    run = cb.simulate(mechanism, duration=0.1)
    assert repr(run).startswith("<Run 'door': 0.1 s, 11 samples, ok")
    small = (*assembly.instances, *assembly.components, *mechanism.bodies, *mechanism.mate_rows)
    assert all("\n" not in repr(it) and len(repr(it)) < 120 for it in small)


def test_a_notebook_shows_a_picture_and_tables(made: MADE) -> None:
    mechanism, diagnosis = made
    tree: Any = lxml_html.document_fromstring(mechanism._repr_html_())
    assert tree.xpath("//img/@src")[0].startswith("data:image/png;base64,")
    assert [c.text_content() for c in tree.xpath("//tbody/tr[1]/td")][:3] == ["upper", "revolute", "ground – leaf"]
    assert "equations repeated" in diagnosis._repr_html_()
    assert "<svg" in cb.simulate(mechanism, duration=0.1)._repr_html_()


def test_names_with_markup_stay_names_and_long_tables_are_cut() -> None:
    hostile = cb.build(door(HOSTILE))
    for shown in (hostile._repr_html_(), hostile.assembly._repr_html_()):
        tree: Any = lxml_html.document_fromstring(shown)
        assert not tree.xpath("//script | //img[@onerror]")
    few = door()
    assert "… and 4 more" in replace(few, mates=few.mates[:1] * (MOST_ROWS + 4))._repr_html_()


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(TypeError, match="nothing draws int"):
        notebook_html(3)


def test_what_redundant_mates_cost_is_shown_as_questions_and_answers(made: MADE) -> None:
    tree: Any = lxml_html.document_fromstring(notebook_html(cb.fit(made[0])))
    text = tree.text_content()
    assert "5 redundant equations" in text
    assert "What goes on the drawing?" in text
    alone = cb.build(replace(made[0].assembly, mates=made[0].assembly.mates[:1]))
    assert "CB441" in notebook_html(cb.fit(alone))
