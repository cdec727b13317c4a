"""Welds of what is made to move by its name: a lever that merely rests on something turns there.

The name of a part is a witness, and so are its contacts. A slider that lies in its guide, or a wheel that touches
nothing, is held by weak evidence alone; that somebody called it so is stronger. Welds by several lines, seats and
bearings are stronger still, and stay. The joint is on the axis on which a hint would put it (`told`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cadbridge.recognition.choice.calibration import BY_NAME
from cadbridge.recognition.choice.told import SAID
from cadbridge.recognition.hints import Hints, Pair, Told
from cadbridge.recognition.model import Bond, FoundBody, FoundJoint, Recognition
from cadbridge.recognition.part_names import own_names
from cadbridge.recognition.standard.roles import STILL, called, called_to_move
from cadbridge.recognition.ties import Held

WEAK = frozenset({Held.RESTS, Held.REACHES, Held.TOGETHER, Held.FITS, Held.BESIDE, Held.NOTHING})
"""What holds a part by less than its name says."""


@dataclass(frozen=True)
class Mover:
    """A part that a weak weld holds, and that is made to move by its name: how, and what the weld's evidence was."""

    name: str
    pair: Pair
    motion: str
    bond: Bond


def movers(found: Recognition, hints: Hints) -> list[Mover]:
    """The parts that only weak welds hold to the largest of their body, and that their names say to move on it.

    Of parts that a person's hints name, those say enough.
    """
    of_hints = {name for pair in hints.pairs() for name in pair}
    own = own_names(i.name for i in found.assembly.instances)
    motions = {name: motion for name in own if (motion := _motion(found, name, own[name]))}
    return [m for body in found.bodies for m in _movers(motions, body) if m.name not in of_hints]


def _movers(motions: Mapping[str, str], body: FoundBody) -> Iterator[Mover]:
    called_so = {name: motions[name] for name in body.instances if name in motions}
    for name, motion in called_so.items():
        weak = {_other(b, name): b for b in body.bonds if b.to and name in (b.instance, b.to) and b.how in WEAK}
        pieces = body.without(weak.values())
        own, chief = (next(p for p in pieces if one in p.instances) for one in (name, body.name))
        # Of two that are made to move neither is known to hold the other.
        holding = next((other for other in weak if other in chief.instances and other not in called_so), None)
        if own is not chief and holding is not None:
            yield Mover(name, (name, holding), motion, weak[holding])


def _motion(found: Recognition, name: str, own: str) -> str:
    """How an instance is made to move by its own name; "" where that says nothing, or that it is put on another."""
    names = (own, found.assembly.instance(name).part)
    return "" if name in found.fasteners or called(STILL, names) else called_to_move(names)


def _other(bond: Bond, name: str) -> str:
    return str(bond.to) if bond.instance == name else bond.instance


def same_bodies(found: Recognition, pair: Pair, other: Pair) -> bool:
    """Whether two pairs of instances are of the same two bodies."""
    return {found.body_of[name] for name in pair} == {found.body_of[name] for name in other}


def moving(hints: Hints, known: Sequence[Mover]) -> Hints:
    """The hints with a joint for each mover."""
    for m in known:
        hints = hints.having("joint", [m.pair], Told(type=m.motion, by_name=True))
    return hints


def with_movers(found: Recognition, known: Sequence[Mover]) -> tuple[Recognition, list[Mover]]:
    """The recognition in which the joints of movers, hints by now, give the name as their reason, and those movers.

    Those of which nothing shows an axis (CB1642) stay as they were, and nobody hears of them.
    """
    own = {frozenset(m.pair) for m in known}
    useless = {pair for f in found.findings if f.code == "CB1642" and (pair := frozenset(f.items)) in own}
    findings = tuple(f for f in found.findings if f.code != "CB1642" or frozenset(f.items) not in useless)
    left = [m for m in known if frozenset(m.pair) not in useless]
    of = {frozenset(found.body_of[n] for n in m.pair): m for m in left}
    joints = tuple(_attributed(j, of.get(frozenset((j.a, j.b)))) for j in found.joints)
    return replace(found, findings=findings, joints=joints), left


def _attributed(joint: FoundJoint, mover: Mover | None) -> FoundJoint:
    if mover is None or SAID not in joint.evidence:
        return joint
    text = f"{mover.name.rsplit('/', 1)[-1]} is made to move, by its name"
    own = tuple(e for e in joint.evidence if e != SAID)
    against = (*joint.against, f"else a weld, {100 * mover.bond.confidence:.0f} %: {mover.bond.reason}")
    return replace(joint, evidence=(text, *own), against=against, confidence=BY_NAME)
