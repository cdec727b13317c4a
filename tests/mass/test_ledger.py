"""The source of every number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import MassOverride, Part
from cadbridge.findings import Findings
from cadbridge.inertia import MassProperties
from cadbridge.mass import mass_ledger
from cadbridge.mechanism.masses import unknown_mass
from tests.mass.solids import box, placed, shape

BLOCK = Part("block", shape(box(0.1, 0.1, 0.1)), density=2700.0, density_source="material table: aluminium")
DECLARED = MassProperties(3.0, np.zeros(3), 0.01 * np.eye(3))


def test_a_part_is_weighed_by_its_mesh_and_density() -> None:
    (entry,) = mass_ledger(placed([BLOCK], ("block", (0, 0, 0)), ("block", (1, 0, 0))), Findings())
    assert entry.instances == 2
    assert (entry.mass, entry.source) == (pytest.approx(2.7), "mesh")
    assert (entry.density, entry.density_source) == (2700.0, "material table: aluminium")
    assert entry.mesh_volume == pytest.approx(1e-3)
    assert (entry.brep_volume, entry.declared) == (None, None)


def test_what_is_declared_stands_beside_what_is_taken() -> None:
    given = replace(BLOCK, declared=DECLARED, override=MassOverride(mass=4.0))
    first, second, third = mass_ledger(
        placed([replace(BLOCK, declared=DECLARED), replace(given, name="given"), Part("empty")]), Findings()
    )
    assert (first.mass, first.source, first.declared) == (3.0, "declared", 3.0)
    assert (second.mass, second.source, second.declared) == (4.0, "override", 3.0)
    assert (third.mass, third.source, third.mesh_volume) == (None, None, None)


def test_what_stands_still_needs_no_mass() -> None:
    """The mass of the world, or of a base that is fixed to it, matters to no simulation."""
    bare = replace(BLOCK, density=None)
    names = ("world", "base", "arm", "frame")
    parts = [replace(bare, name=name) for name in names[:3]] + [Part("frame")]
    source = placed(parts, *((name, (0, 0, 0)) for name in names))
    grounded = {"world:0", "frame:3"}
    components = tuple(replace(c, grounded=c.name in grounded) for c in source.components)
    findings = Findings()
    masses = mass_ledger(replace(source, components=components), findings, still=["base:1"])
    assert [(f.code, f.where.item) for f in findings] == [("CB301", "arm")]
    assert [m.mass for m in masses] == [None] * 4


def test_parts_without_a_density_are_told_together_after_what_moves() -> None:
    bare = replace(BLOCK, density=None)
    findings = Findings()
    mass_ledger(
        placed([replace(bare, name=name) for name in "abc"] + [replace(bare, name="d", material="X")]), findings
    )
    alone, together = sorted((f for f in findings if f.code == "CB301"), key=lambda f: len(f.items))
    assert (alone.items, together.items) == (("d",), ("a", "b", "c"))
    assert together.message == "3 parts have no density: a, b, c"
    findings.add("CB415", "no mates")
    assert min(findings, key=lambda f: f.weight).code == "CB415"


def test_a_body_says_which_of_its_parts_have_no_mass_and_the_true_cure() -> None:
    """A density helps no part without a solid; and of no mass a person need not say the centre."""
    parts = [replace(BLOCK, density=None), Part("ball"), Part("ring", override=MassOverride(mass=0.0))]
    made = placed(parts, *((part.name, (k, 0, 0)) for k, part in enumerate(parts)))
    ledger = mass_ledger(made, Findings())
    assert [entry.mass for entry in ledger] == [None, None, 0.0]
    names = [c.name for c in made.components]
    text, cure = unknown_mass(made, ledger, "arm", names)
    assert text == "the mass of arm is not known: ball has no solid to weigh; block has no density"
    assert cure is not None
    assert "mass: 0" in cure
    assert "--density" in cure
    assert unknown_mass(made, ledger, "arm", names[:1]) == ("the mass of arm is not known: block has no density", None)
