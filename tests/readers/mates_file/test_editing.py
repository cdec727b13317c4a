"""Decisions written into a mates file keep every line of a person."""

from __future__ import annotations

import pytest
import yaml

from cadbridge.errors import InputError
from cadbridge.readers.mates_file import editing

FILE = """\
# My robot, with notes.
format: cadbridge.mates/1
ground: [Base]  # the foot

mates:  # all by hand
  - name: Turn  # 74 %
    type: revolute  # or is it?
    a: {component: Base, point: [0, 0, 0], axis: [0, 0, 1]}
    b: {component: Arm}
    # for: a shaft in a bore

  - {name: Slide, type: "prismatic", a: {component: Arm, point: [0, 0, 0], axis: [1, 0, 0]}, b: {component: Tool}}
# Seen, and not taken:
#   cylindrical: Arm - Tool: too short
home: {Turn: 30}
"""


def kept(text: str) -> bool:
    """Whether each line of the person is still there, as it was or behind a comment mark."""
    there = [line.removeprefix("# before: ") for line in text.splitlines()]
    return all(line in there for line in FILE.splitlines())


def test_names_are_left_out_and_put_back() -> None:
    one = editing.leave_out(FILE, ["Turn", "Slide: 2"])
    assert yaml.safe_load(one)["leave_out"] == ["Turn", "Slide: 2"]
    assert editing.left_out(one) == ("Turn", "Slide: 2")
    assert kept(one)
    back = editing.put_back(one, ["Turn"])
    assert yaml.safe_load(back)["leave_out"] == ["Slide: 2"]
    assert editing.left_out(editing.put_back(back, ["Slide: 2"])) == ()
    assert kept(back)


def test_a_mate_is_added_behind_the_others() -> None:
    text = editing.add_mate(FILE, "{name: New, type: fixed, a: {component: A}, b: {component: B}}")
    assert [m["name"] for m in yaml.safe_load(text)["mates"]] == ["Turn", "Slide", "New"]
    assert text.index("Slide") < text.index("New") < text.index("# Seen, and not taken")
    assert kept(text)


def test_a_type_is_changed_where_it_stands() -> None:
    text = editing.set_type(FILE, "Turn", "cylindrical")
    assert text == FILE.replace("type: revolute  #", "type: cylindrical  #")
    assert editing.set_type(FILE, "Slide", "fixed") is None  # in quotes: not where its letters are
    assert editing.set_type(FILE, "Nobody", "fixed") is None
    assert editing.keys_of(FILE, "Turn") == {"name", "type", "a", "b"}


def test_the_ground_and_the_home_pose_are_set_and_set_again() -> None:
    text = editing.set_home(editing.set_ground(FILE, "Arm/Link: 1"), {"Turn": 12.5, "A: 2": -3})
    found = yaml.safe_load(text)
    assert found["ground"] == ["Arm/Link: 1"]
    assert found["home"] == {"Turn": 12.5, "A: 2": -3}
    assert kept(text)
    again = editing.set_home(text, {"Turn": 1})
    assert yaml.safe_load(again)["home"] == {"Turn": 1}
    assert again.count("before: home") == 1
    assert "12.5" not in again


def test_an_accepted_line_says_so_once() -> None:
    text = editing.accept(FILE, "Turn")
    assert "  - name: Turn  # 74 %, accepted in the view\n" in text
    assert editing.accept(text, "Turn") == text
    assert "Tool}}  # accepted in the view\n" in editing.accept(FILE, "Slide")
    with pytest.raises(InputError, match="nothing to accept"):
        editing.accept(FILE, "Nobody")


@pytest.mark.parametrize(
    "text",
    [
        "format: cadbridge.mates/1\nmates: [{name: A, type: fixed, a: {component: A}, b: {component: B}}]\n",
        "format: cadbridge.mates/1\nmates: [\n  {name: A}]\n",
    ],
)
def test_mates_in_brackets_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="a line of its own"):
        editing.add_mate(text, "{name: B}")


def test_lists_of_other_shapes() -> None:
    at_margin = "format: cadbridge.mates/1\nmates:\n- {name: A}\n# end\n"
    assert editing.add_mate(at_margin, "{name: B}").splitlines()[3].startswith("- {name: B}")
    empty = "format: cadbridge.mates/1\nleave_out: []\n"
    assert yaml.safe_load(editing.leave_out(empty, ["X"]))["leave_out"] == ["X"]
    assert yaml.safe_load(editing.leave_out("format: cadbridge.mates/1\nleave_out:\n", ["X"]))["leave_out"] == ["X"]
    with pytest.raises(InputError, match="cannot be read"):
        editing.leave_out("format: [", ["X"])
