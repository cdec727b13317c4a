"""The KR 15 without its mates, and without its sub-assemblies too: all parts at the root, as many exporters write."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from cadbridge.assembly import Assembly, Component
from cadbridge.mechanism import Mechanism
from cadbridge.recognition import recognise


def flattened(assembly: Assembly) -> Assembly:
    """All instances at the root, each a component of its own."""
    names = (i.name.replace("/", "~") for i in assembly.instances)
    instances = tuple(
        replace(i, name=name, component=name, product_path=())
        for i, name in zip(assembly.instances, names, strict=True)
    )
    components = tuple(Component(i.name, (i.name,), i.X_WI) for i in instances)
    return replace(assembly, instances=instances, components=components, mates=(), couplings=(), drives=())


@pytest.mark.nightly
def test_the_flattened_kr15_is_recognised_part_by_part(kr15: Mechanism) -> None:
    found = recognise(flattened(kr15.assembly))
    by_hand = {frozenset(name.replace("/", "~") for name in b.instances) for b in (*kr15.bodies, kr15.ground)}
    assert {frozenset(b.instances) for b in found.bodies} == by_hand
    assert Counter(j.type for j in found.joints) == {"revolute": 26}
    assert Counter(str(g.kind) for g in found.gears if not g.against) == {"spur": 7, "bevel": 3, "internal": 10}
    assert not found.loose
