"""A law of hints: each holds in what is recognised, or a finding names its parts and says why it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cadbridge as cb
from cadbridge.recognition import Recognition
from cadbridge.recognition.choice.choosing import settled
from cadbridge.recognition.evidence.gathering import gather
from cadbridge.recognition.hints import KINDS, Hint, Hints, Told
from tests.late import cq
from tests.recognition.solids import Parts, at, box, disc, plate

NAMES = ("base", "arm", "plate", "return_spring", "stick", "stand", "lever", "slider")
TYPES = ("", "", "revolute", "prismatic", "cylindrical", "spherical")
NOT_KEPT = {"CB1641", "CB1642", "CB1657"}
"""What a hint that does not hold is told by: it contradicts another, has no axis, or another one took its place."""


@pytest.fixture(scope="module")
def recognised(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Hints], Recognition]:
    """What is recognised under hints: an arm with a pegged plate and a spring, a ball, a slider, a stand's lever."""
    post = disc(5, 20).translate((0, 0, 10))
    base = box(160, 100, 10).cut(cq.Workplane().sphere(8).translate((50, 30, 10)))
    base = base.union(post).cut(box(160, 12, 6).translate((0, -40, 4)))
    pegs = cq.Workplane().pushPoints([(20, 0), (35, 0)]).circle(2).extrude(13)
    shapes: Parts = {
        "base": (base, (0, 0, 0)),
        "arm": (plate(90, 20, 8, [(-35, 0)], 5).union(pegs), (35, 0, 10)),
        "plate": (plate(30, 16, 5, [(-7.5, 0), (7.5, 0)], 2), (62.5, 0, 18)),
        "return_spring": (box(4, 20, 4), (62.5, 0, 23)),
        "stick": (cq.Workplane().sphere(8).union(disc(3, 40)), (50, 30, 10)),
        "slider": (box(40, 12, 9), (0, -40, 4)),
        "stand": (box(30, 30, 10).union(disc(4, 16)), (0, 120, 0)),
        "lever": (plate(50, 14, 6, [(-18, 0)], 4), (18, 120, 10)),
    }
    made = cq.Assembly(name="made")
    for name, (shape, place) in shapes.items():
        made.add(shape, name=name, loc=at(*place))
    file = tmp_path_factory.mktemp("hints") / "made.step"
    made.export(str(file))
    evidence = gather(cb.read(file), True)
    return lambda hints: settled(evidence, hints)


def test_the_machine_has_every_kind_of_decision(recognised: Callable[[Hints], Recognition]) -> None:
    found = recognised(Hints())
    assert sorted(j.type for j in found.joints) == ["prismatic", "revolute", "revolute", "spherical"]
    assert found.yielding == {"return_spring"}
    assert found.body_of["stand"] == found.ground


@st.composite
def hints(draw: st.DrawFn) -> Hints:
    said = {}
    for _ in range(draw(st.integers(1, 3))):
        pair = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True))
        kind = draw(st.sampled_from(list(KINDS)))
        told = Told(type=draw(st.sampled_from(TYPES))) if kind == "joint" else Told()
        said[frozenset(pair)] = Hint(kind, (pair[0], pair[1]), told)
    return Hints(tuple(said.values()), draw(st.sampled_from([None, None, 0, 1, 3, 5])))


@settings(max_examples=12)
@example(hints=Hints((Hint("joint", ("stick", "base"), Told("revolute")),)))
@given(hints=hints())
def test_each_hint_holds_or_is_told(recognised: Callable[[Hints], Recognition], hints: Hints) -> None:
    found = recognised(hints)
    assert all(j.a != j.b for j in found.joints)
    told = {name for f in found.findings if f.code in NOT_KEPT for name in f.items}
    for hint in hints.said:
        assert holds(found, hint) or set(hint.pair) <= told, (str(hint), hint.told.type)
    if hints.freedoms is not None and found.missed(hints.freedoms):
        assert "CB1644" in {f.code for f in found.findings}


def holds(found: Recognition, hint: Hint) -> bool:
    """Whether what was recognised is what a hint says; a joint that is said is sure, unless it cannot move."""
    ends = {found.body_of[name] for name in hint.pair}
    between = [j for j in found.joints if {j.a, j.b} == ends]
    if hint.kind == "joint":
        sure = all(j.confidence == 1.0 or (j.motion is not None and j.motion.state == "blocked") for j in between)
        return bool(between) and sure and all(hint.told.type in ("", j.type) for j in between)
    if hint.kind == "fixed":
        return len(ends) == 1
    # What touches nothing is held by the ground, which other parts may join to the one that it is apart from.
    return len(ends) == 2 and not any(set(hint.pair) == set(pair) for j in between for pair in j.contacts)
