"""Hints that name sub-assemblies of several parts: of the whole where that moves as one, else a finding."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Findings
from cadbridge.freedoms import SLIDE
from cadbridge.recognition.choice.hint_names import instance_of, resolved, wholes_of
from cadbridge.recognition.evidence.pins import ROUNDED
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.hints import Hint, Hints, Pair
from cadbridge.recognition.model import Recognition
from cadbridge.wording import count, listed

Wholes = Mapping[str, Sequence[str]]
"""Sub-assemblies by the names that hints give them, with their instances."""


def on_parts(
    scene: Scene, hints: Hints, recognised: Callable[[Hints], Recognition]
) -> tuple[Hints, tuple[Finding, ...]]:
    """The hints with those that name sub-assemblies as hints on their parts, and findings on these (`with_wholes`)."""
    wholes = wholes_of(scene.assembly, hints)
    if not wholes:
        return hints, ()
    # Whether a sub-assembly moves as one is seen without the hints on it.
    known, _ = resolved(scene.assembly, without_wholes(hints, wholes))
    return with_wholes(scene, hints, wholes, recognised(known))


def without_wholes(hints: Hints, wholes: Collection[str]) -> Hints:
    """The hints that name parts alone."""
    ground = None if hints.ground in wholes else hints.ground
    return replace(hints, said=tuple(h for h in hints.said if not set(h.pair) & set(wholes)), ground=ground)


def with_wholes(scene: Scene, hints: Hints, wholes: Wholes, before: Recognition) -> tuple[Hints, tuple[Finding, ...]]:
    """The hints with those on sub-assemblies as hints on their parts, and findings on those that cannot be (CB1659).

    `before`: what is recognised without them. A sub-assembly of which it makes several bodies moves inside: no one of
    them is meant. Else its parts are fixed to each other, and the two are named on which the joint is seen best.
    """
    findings = Findings()
    aside = before.fasteners | before.yielding
    parts = {name: [n for n in own if n not in aside] or list(own) for name, own in wholes.items()}
    moving = {
        name: bodies for name, own in parts.items()
        if len(bodies := _bodies(before, own)) > 1 and not _held_whole(scene.assembly, own)
    }  # fmt: skip
    said = list(without_wholes(hints, wholes).said)
    for hint in hints.said:
        named = [name for name in hint.pair if name in wholes]
        inner = [name for name in named if name in moving]
        if inner:
            _tell_moving(f"hint {hint}", inner[0], moving[inner[0]], findings)
        elif named and hint.told.point is not None and hint.told.frame in wholes:
            text = f"hint {hint} gives a point in the frame of {hint.told.frame}, a sub-assembly of several parts"
            findings.add("CB1659", text, hint="Give the point in the world, with `in: world`.", items=named)
        elif named:
            said += [Hint("fixed", pair) for name in named for pair in pairwise(parts[name])]
            said.append(_on_parts(scene, hint, parts))
    ground = hints.ground
    if ground in moving:
        _tell_moving(f"ground: {ground}", ground, moving[ground], findings)
        ground = None
    elif ground in parts:
        said += [Hint("fixed", pair) for pair in pairwise(parts[ground])]
        ground = parts[ground][0]
    return replace(hints, said=tuple(said), ground=ground), findings.as_tuple()


def _held_whole(assembly: Assembly, names: Sequence[str]) -> bool:
    """Whether the source has mates of its own, which hold some instances as one, whatever their shapes let move."""
    return bool(assembly.mates) and any(set(names) <= set(c.instances) for c in assembly.components)


def _bodies(found: Recognition, names: Sequence[str]) -> list[str]:
    """The bodies of some instances, by their names; the ground by one of these, as it may be called after another."""
    first = {found.body_of[name]: name for name in reversed(names)}
    called = {k: found.bodies[k].name for k in dict.fromkeys(found.body_of[name] for name in names)}
    return [first[k] if k == found.ground and name not in names else name for k, name in called.items()]


def _tell_moving(hint: str, name: str, bodies: Sequence[str], findings: Findings) -> None:
    text = f"{hint} names the sub-assembly {name}, which is {count(len(bodies), 'body', 'bodies')}: {listed(bodies)}"
    findings.add("CB1659", f"{text}; it is not used", items=[name, *bodies])


def _on_parts(scene: Scene, hint: Hint, parts: Wholes) -> Hint:
    """A hint on the two parts of its sides on which a joint of the two is seen best."""
    ones, others = (parts.get(name) or _named(scene, name) for name in hint.pair)
    if ones and others:
        pair = _best_pair(scene, ones, others, slides=hint.told.type == SLIDE)
    else:
        # A name that no part has stays as it is: whoever reads hints on parts tells of it, or which is meant.
        a, b = (max(own, key=scene.size, default=name) for own, name in zip((ones, others), hint.pair, strict=True))
        pair = a, b
    frame = dict(zip(hint.pair, pair, strict=True)).get(hint.told.frame, "")
    return replace(hint, pair=pair, told=replace(hint.told, frame=frame))


def _named(scene: Scene, name: str) -> list[str]:
    """The instance that a name means, if there is one."""
    own = instance_of(scene.assembly, name)
    return [] if own is None else [own]


def _best_pair(scene: Scene, ones: Sequence[str], others: Sequence[str], slides: bool) -> Pair:
    """Of the parts of two sides the pair with the widest axis in common, else (of slides first) the most faces."""
    turning: list[tuple[float, Pair]] = []
    for line in scene.contacts.lines:
        rounds = [(m.surface.radius, m.instance) for m in line.members if m.surface.turn >= ROUNDED]
        own, theirs = (max((r for r in rounds if r[1] in side), default=None) for side in (ones, others))
        if own is not None and theirs is not None:
            turning.append((min(own[0], theirs[0]), (own[1], theirs[1])))
    touching = [
        (sum(c.overlap for c in contacts if c.kind == "plane"), (a, b))
        for a in ones for b in others if (contacts := scene.contacts.by_both[a][b])
    ]  # fmt: skip
    seen = (touching, turning) if slides else (turning, touching)
    best = next((max(found) for found in seen if found), None)
    return best[1] if best is not None else (max(ones, key=scene.size), max(others, key=scene.size))
