"""What is told deletable can go, what is told necessary cannot: by taking each mate out and counting anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cadbridge.diagnosis import diagnose
from cadbridge.mechanism import build
from tests.diagnosis.dense import motions, names_of, without
from tests.diagnosis.following import weakened
from tests.diagnosis.pool import POOL


@pytest.mark.parametrize("name", POOL)
def test_each_mate_can_go_exactly_where_it_is_told_so(name: str) -> None:
    model = POOL[name]()
    found = diagnose(build(model))
    whole = motions(model)
    alone = {r.mate for r in found.repetitions if r.alone}
    for mate in names_of(model):
        rest = without(model, mate)
        same = bool(np.allclose(motions(rest), whole, atol=1e-6))
        assert same == (mate in alone), mate
        assert (diagnose(build(rest)).mobility.dof == found.mobility.dof) == same
    for choice in found.deletable_sets:
        rest = without(model, *choice.mates)
        assert np.allclose(motions(rest), whole, atol=1e-6)
        # No further mate of the group could go with them.
        group = next(g for g in found.groups if set(choice.mates) <= set(g.mates))
        left = {r.mate for r in diagnose(build(rest)).repetitions if r.alone and not r.carries}
        assert not left & set(group.mates)


@pytest.mark.parametrize("name", POOL)
def test_what_a_mate_repeats_holds_its_rows_and_none_of_it_could_be_left_out(name: str) -> None:
    """A set of mates repeats `rows` rows of a mate where the mate adds only the others to the set's rank."""
    model = POOL[name]()
    found = diagnose(build(model))

    def rank(*mates: str) -> int:
        names = set(names_of(model)) - set(mates)
        some = without(model, *names)
        return len(motions(some)) - round(float(np.trace(motions(some))))

    for r in found.redundancies:
        assert rank(r.mate, *r.duplicates) == rank(*r.duplicates) + r.of - r.rows
        for other in r.duplicates:
            fewer = [d for d in r.duplicates if d != other]
            assert rank(r.mate, *fewer) > rank(*fewer) + r.of - r.rows
    for g in found.groups:
        assert rank(*g.mates) == g.rank


def test_the_weaker_mate_does_in_place_of_the_one_that_repeats() -> None:
    tried: Counter[str] = Counter()
    for name, make in POOL.items():
        model = make()
        whole = motions(model)
        for r in diagnose(build(model)).repetitions:
            if r.weaker:
                mates = tuple(weakened(m, r.weaker, model) if m.name == r.mate else m for m in model.mates)
                assert np.allclose(motions(replace(model, mates=mates)), whole, atol=1e-6), (name, r)
                tried[r.weaker.split(" instead of ")[0].split(" along ")[0]] += 1
    assert set(tried) >= {"point on plane", "point on axis", "axis on axis", "plane on plane", "parallel"}
