"""Every hint that proposes a change is followed, on the assembly, and the mobility is then what the hint promises."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cadbridge.assembly import (
    GROUND,
    Assembly,
    Component,
    Coupling,
    CouplingKind,
    Drive,
    FeatureKind,
    Limit,
    Mate,
    MateKind,
)
from cadbridge.catalogue import FAMILIES
from cadbridge.diagnosis import diagnose
from cadbridge.findings import Finding, Where
from cadbridge.mechanism import build
from cadbridge.reading import read
from tests.diagnosis import gearing
from tests.diagnosis.dense import without
from tests.diagnosis.pool import POOL
from tests.mechanism.building import assembly, feature, mate

Z = (0.0, 0.0, 1.0)
Change = Callable[[Assembly, Finding], Assembly]


def the_mate(f: Finding, model: Assembly) -> str:
    """The mate that a finding is about."""
    known = {m.name for m in model.mates}
    return next((name for name in f.items if name in known), f.message.split(" is ")[0])


def delete_it(model: Assembly, f: Finding) -> Assembly:
    return without(model, the_mate(f, model))


def with_mate(model: Assembly, name: str, **changes: object) -> Assembly:
    return replace(model, mates=tuple(replace(m, **changes) if m.name == name else m for m in model.mates))  # type: ignore[arg-type]


def ground(model: Assembly, name: str) -> Assembly:
    components = tuple(replace(c, grounded=True) if c.name == name else c for c in model.components)
    return replace(model, components=components)


def ground_it(model: Assembly, f: Finding) -> Assembly:
    known = {c.name for c in model.components}
    return ground(model, next((name for name in f.items if name in known), model.components[0].name))


def attach_it(model: Assembly, f: Finding) -> Assembly:
    """Fixed to another component that is held."""
    (name,) = f.items
    other = next(c for c in model.components if c.name != name)
    places = {c.name: c.X_WC.p for c in model.components}
    return replace(
        model, mates=(*model.mates, mate(places, "attached", MateKind.FIXED, other.name, name, places[name], Z))
    )


def flip(model: Assembly, f: Finding) -> Assembly:
    aligned = next(m.aligned for m in model.mates if m.name == the_mate(f, model))
    return with_mate(model, the_mate(f, model), aligned=aligned is False)


def take_the_range(model: Assembly, f: Finding) -> Assembly:
    return with_mate(model, the_mate(f, model), limit=None)


def take_what_it_carries(model: Assembly, f: Finding) -> Assembly:
    return with_mate(model, the_mate(f, model), limit=None, stiffness=0.0, damping=0.0, friction=0.0)


def delete_the_first_home(model: Assembly, f: Finding) -> Assembly:
    return replace(model, home=dict(list(model.home.items())[1:]))


def free_the_lock(model: Assembly, f: Finding) -> Assembly:
    return without(model, next(m.name for m in model.mates if m.kind is MateKind.FIXED))


def remove_the_drive(model: Assembly, f: Finding) -> Assembly:
    return replace(model, drives=model.drives[:-1])


def name_the_carrier(model: Assembly, f: Finding) -> Assembly:
    return replace(model, couplings=tuple(replace(c, carrier="frame") for c in model.couplings))


def correct_the_teeth(model: Assembly, f: Finding) -> Assembly:
    first, second = (c for c in model.couplings if c.name.startswith("pair"))
    return replace(
        model,
        couplings=tuple(
            replace(c, teeth_a=first.teeth_a, teeth_b=first.teeth_b, ratio=first.ratio) if c.name == second.name else c
            for c in model.couplings
        ),
    )


CURES: dict[str, list[tuple[Change, Callable[[int], bool]]]] = {
    "CB202": [(delete_it, lambda change: change == 0)],
    "CB203": [(delete_it, lambda change: change == 0)],
    "CB206": [(flip, lambda change: change == 0)],
    "CB223": [(name_the_carrier, lambda change: change == -1)],
    "CB227": [(remove_the_drive, lambda change: change == 0)],
    "CB229": [(take_the_range, lambda change: change == 0)],
    "CB231": [(take_what_it_carries, lambda change: change == 0), (free_the_lock, lambda change: change == 1)],
    "CB233": [(delete_the_first_home, lambda change: change == 0)],
    "CB401": [(ground_it, lambda change: change == -6), (attach_it, lambda change: change == -6)],
    "CB402": [(ground_it, lambda change: change == -6)],
    "CB403": [(delete_it, lambda change: change == 0)],
    "CB411": [(correct_the_teeth, lambda change: change == 1)],
    "CB412": [(remove_the_drive, lambda change: change == 0)],
    "CB413": [(ground_it, lambda change: change == -6)],
}
"""By the code what its hint proposes, and by how much the freedoms change."""
ELSEWHERE = {
    "CB404": "the advice on redundant mates: test_advice",
    "CB1601": "tests/recognition/choice/test_hints",
    "CB1610": "the same words as CB1601",
    "CB1602": "tests/recognition/choice/test_hints; what is attached moves as one: tests/readers/mates_file",
    "CB1606": "an option of the call",
    "CB1614": "a part of the mass, not of the motion",
    "CB1657": "tests/recognition/choice/test_hint_reach",
    "CB1658": "tests/recognition/choice/test_hint_reach",
    "CB1659": "names a part instead of a sub-assembly: tests/recognition/choice/test_hinted_wholes",
    "CB1615": "tests/recognition/evidence/test_lead_screws",
    "CB1655": "tests/recognition/evidence/test_belt_drives",
    "CB1641": "hints of the mates file, no mates: tests/recognition/questions/test_questions",
}
PROPOSES = re.compile(
    r"\b(delete|remove|ground|attach|free|flip|take one|drive another|mate it|name the part)\b|`type:"
)

PLACES = {"frame": (0.0, 0.0, 0.0), "arm": (0.3, 0.0, 0.0)}


def hinged(**more: object) -> Assembly:
    model = assembly(PLACES, [mate(PLACES, "hinge", MateKind.INSERT, "frame", "arm", (0.0, 0.0, 0.0), Z)])
    model = replace(model, mates=tuple(replace(m, where=Where(item=m.name)) for m in model.mates))
    return replace(ground(model, "frame"), **more)  # type: ignore[arg-type]


def also(model: Assembly, *mates: Mate) -> Assembly:
    made = tuple(replace(m, where=Where(item=m.name)) for m in mates)
    return replace(model, mates=(*model.mates, *made))


def doubled(first: Limit, second: Limit) -> Assembly:
    one = hinged()
    other = mate(PLACES, "second", MateKind.INSERT, "frame", "arm", (0.0, 0.0, 0.1), Z)
    return with_mate(also(one, replace(other, limit=second)), "hinge", limit=first)


def locked_hinge() -> Assembly:
    bolt = mate(PLACES, "bolt", MateKind.FIXED, "frame", "arm", (0.0, 0.0, 0.0), Z)
    return with_mate(also(hinged(), bolt), "hinge", stiffness=2.0)


def coaxial(**more: object) -> Assembly:
    """Two coaxial shafts in a frame and one in another part; their ratio does not say which part carries it."""
    places = {"frame": (0.0, 0.0, 0.0), "other": (0.0, 0.5, 0.0), "fast": (0.0, 0.0, 0.1), "slow": (0.0, 0.0, 0.2)}
    mates = [mate(places, f"{n} in {m}", MateKind.INSERT, m, n, places[n], Z) for n in ("fast", "slow")
             for m in ("frame", "other")]  # fmt: skip
    axes = [feature(places, n, FeatureKind.AXIS, places[n], Z) for n in ("fast", "slow")]
    ratio = Coupling("reducer", CouplingKind.RATIO, axes[0], axes[1], ratio=0.01, where=Where(item="reducer"))
    return ground(replace(assembly(places, mates, [ratio]), **more), "frame")  # type: ignore[arg-type]


def pair_of_floats() -> Assembly:
    places = {**PLACES, "a": (1.0, 0.0, 0.0), "b": (1.0, 0.3, 0.0)}
    model = assembly(places, [
        mate(places, "hinge", MateKind.INSERT, "frame", "arm", (0.0, 0.0, 0.0), Z),
        mate(places, "their own", MateKind.INSERT, "a", "b", (1.0, 0.1, 0.0), Z),
    ])  # fmt: skip
    return ground(model, "frame")


def door_off() -> Assembly:
    model = POOL["door on three"]()
    wrong = replace(model.mates[-1], value=0.002)
    return replace(model, mates=(*model.mates[:-1], wrong))


MADE: dict[str, Callable[[], Assembly]] = {
    "CB202": lambda: also(hinged(), mate(PLACES, "own", MateKind.INSERT, "arm", "arm", (0.0, 0.0, 0.1), Z)),
    "CB203": lambda: also(hinged(), mate(PLACES, "own", MateKind.INSERT, GROUND, "frame", (0.0, 0.0, 0.1), Z)),
    "CB206": lambda: with_mate(hinged(), "hinge", aligned=False),
    "CB223": coaxial,
    "CB227": lambda: replace(locked_hinge(), drives=(Drive("motor", "hinge"),)),
    "CB229": lambda: doubled(Limit(-0.5, -0.1), Limit(0.1, 0.5)),
    "CB231": locked_hinge,
    "CB233": lambda: replace(doubled(Limit(-0.5, 0.5), Limit(-0.5, 0.5)), home={"hinge": 0.1, "second": 0.2}),
    "CB401": lambda: replace(
        hinged(), components=(*hinged().components, Component("lost", (), hinged().components[0].X_WC))
    ),
    "CB402": lambda: replace(hinged(), components=tuple(replace(c, grounded=False) for c in hinged().components)),
    "CB403": door_off,
    "CB411": lambda: gearing.two_shafts((40, 20), (41, 20)),
    "CB412": lambda: gearing.two_shafts((40, 20), driven=("first", "second")),
    "CB413": pair_of_floats,
}
CORPUS = ["chrono_biped/bp.py", "creo_kinematicmodel/ASM0002.xml", "ondsel/circularPendulum.asmt",
          "ondsel/piston.asmt", "hand_crane/Assem1.xml",
          pytest.param("intothedeepclaws/AssemblyWBAssembly.FCStd", marks=pytest.mark.nightly)]  # fmt: skip


def told(model: Assembly) -> tuple[int, list[Finding]]:
    """The freedoms of an assembly and its findings."""
    mechanism = build(model)
    found = diagnose(mechanism)
    return found.mobility.dof, [*mechanism.findings, *found.findings]


def follow(model: Assembly) -> int:
    """Follow each hint of an assembly that can be; how many were."""
    dof, findings = told(model)
    done = 0
    for f in findings:
        for change, promised in CURES.get(f.code, ()):
            if f.code == "CB403" and "delete" not in (f.hint or ""):
                continue
            after, left = told(change(model, f))
            assert promised(after - dof), (f.code, change.__name__, dof, after)
            assert (f.code, f.items) not in {(g.code, g.items) for g in left}, (f.code, change.__name__)
            done += 1
    return done


@pytest.mark.parametrize("code", CURES)
def test_a_hint_that_is_followed_gives_what_it_promises(code: str) -> None:
    model = MADE[code]()
    assert code in {f.code for f in told(model)[1]}
    assert follow(model)


@pytest.mark.parametrize("name", POOL)
def test_the_hints_on_textbook_mechanisms_are_true(name: str) -> None:
    follow(POOL[name]())


@pytest.mark.parametrize("source", CORPUS)
def test_the_hints_on_designs_by_others_are_true(corpus: Path, source: str) -> None:
    follow(read(corpus / source))


def test_every_hint_that_proposes_a_change_is_followed_somewhere() -> None:
    proposing = {
        code.code
        for family in FAMILIES
        if family.name in ("building", "diagnosis", "recognition")
        for code in family.codes()
        if PROPOSES.search(code.cure.lower())
    }
    assert proposing - set(CURES) - set(ELSEWHERE) == set()
