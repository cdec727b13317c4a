"""The assembly as a whole: what rests and has nothing else to hold it, what hangs on nothing, and the ground."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from cadbridge.freedoms import HINGE
from cadbridge.recognition.evidence.candidates import Candidate, linked_by
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.rules.axles import coaxial, in_line, on_axis, overlapping
from cadbridge.recognition.rules.bearing_units import journal_in_unit
from cadbridge.recognition.rules.pivots import (
    Seen,
    about_disc,
    eyes_on,
    named_on,
    on_ring,
    rack_on,
    rod_in_bearing,
    unpinned,
    wheel_on,
)
from cadbridge.recognition.rules.subassemblies import resting
from cadbridge.recognition.rules.turntables import turntable
from cadbridge.recognition.standard.names import StandardKind, called_drive, named_kinds
from cadbridge.recognition.standard.roles import HORNS, IDLERS, SCREWED_ON, STILL, called, called_last
from cadbridge.recognition.ties import Held, Tie
from cadbridge.recognition.wheels.meshing import steps_about
from cadbridge.recognition.wheels.placed import MeshingPair, about
from cadbridge.recognition.wheels.wheel import Wheel

COAXIAL = 0.25
"""Strength of the evidence that parts of one sub-assembly which touch nothing, and share an axis, are one body. A
guess, and reported as one."""


def connect(
    scene: Scene, joints: Sequence[Candidate], pairs: Sequence[MeshingPair], drives: Sequence[MeshingPair], names: bool
) -> tuple[list[list[str]], list[Candidate]]:
    """Bind what no joint connects to what it rests on or reaches into.

    Returns the groups that stay loose, and the joints of bodies that turn on what they lie on.
    What lies in one sub-assembly comes first, down to parts that touch nothing: the product structure is the better
    witness where the geometry has none. `pairs` are wheels that mesh, `drives` those that a belt ties: their teeth hold
    nothing. What is put on a body by its name (where `names` are a witness) turns on none.
    """
    meshing = {frozenset((p.a.instance, p.b.instance)) for p in (*pairs, *drives)}
    linked = linked_by(scene, joints)
    # Before anything rests on anything: a gearbox without product structure falls apart where nothing says that what
    # holds both axes is one housing.
    bind_carriers(scene, linked, joints, pairs)
    late: list[Tie] = []
    turning: set[str] | None = None
    still, rollers, horns = (
        {i.name for i in scene.assembly.instances if names and called(pattern, scene.called(i.name))}
        for pattern in (STILL, IDLERS, HORNS)
    )
    asked = scene.assembly.instances if names else ()
    screwed = {i.name for i in asked if not scene.links_only and called_last(SCREWED_ON, scene.called(i.name))}
    bearings = {i.name for i in asked if StandardKind.BEARING in named_kinds(scene.called(i.name))}
    motors = {i.name for i in asked if any(map(called_drive, scene.called(i.name)))}
    seen = Seen(scene, joints, pairs, rollers - still, horns, screwed, bearings, motors)
    for tie in _ties(scene, linked):
        if frozenset(tie.pair) in meshing or set(tie.pair) <= scene.fasteners.keys() or scene.stay_apart(*tie.pair):
            continue
        if not scene.shared(*tie.pair):
            # What turns in a bearing touches much that does not hold it: its ties come last. Only now that
            # housings have their parts is it clear which of two bodies that is.
            turning = _turning(scene, [w for p in pairs for w in (p.a, p.b)]) if turning is None else turning
            if set(tie.pair) & turning:
                late.append(tie)
                continue
        _tied(seen, linked, tie, still)
    bind_carriers(scene, linked, joints, pairs)
    for tie in sorted(late, key=lambda tie: sum(name in (turning or ()) for name in tie.pair)):
        if not _meshing(scene, tie, pairs):
            _tied(seen, linked, tie, still)
    groups = sorted(linked.members().values(), key=lambda names: -sum(scene.size(n) for n in names))
    return groups[1:], seen.found


def _meshing(scene: Scene, tie: Tie, pairs: Sequence[MeshingPair]) -> bool:
    """Whether a tie would make one body of two wheels that mesh."""
    return any(scene.bodies(p.a.instance, p.b.instance) == scene.bodies(*tie.pair) for p in pairs)


def bind_carriers(scene: Scene, linked: Groups, joints: Sequence[Candidate], pairs: Sequence[MeshingPair]) -> None:
    """Bind what holds the axes of two wheels that mesh, where nothing else connects the two."""
    body_of = {name: root for root, names in scene.groups.members().items() for name in names}
    root = scene.groups.root
    revolutes = [
        (root(c.a), root(c.b), v.point, v.axis) for c in joints if (v := c.verdict).free == HINGE and v.axis is not None
    ]
    for pair in pairs:
        if linked.root(pair.a.instance) == linked.root(pair.b.instance):
            continue
        holders = []
        for p in (pair.a, pair.b):
            near = steps_about(p, body_of[p.instance], revolutes)
            holders += sorted(root for root, steps in near.items() if steps == 1)[:1]
        if len(holders) == 2:
            one, other = holders
            linked.join(one, other)
            scene.bind(one, other, f"both hold axes of {pair.a.instance} and {pair.b.instance}, which mesh", 0.7)


@dataclass(frozen=True)
class Sign:
    """A sign of a joint between two bodies that a tie holds, with the kind of the ties of which it is asked, or all.

    `alone`: asked only where nothing else connects the two. A weak sign would close a loop by guess.
    """

    name: str
    how: Held | None
    alone: bool
    find: Callable[[Seen, set[str], set[str]], Candidate | None]


SIGNS = (
    Sign("faces about an axis of both", None, False, lambda seen, a, b: turntable(seen.scene, a, b)),
    Sign("a wheel without its axle", Held.TOGETHER, False, lambda seen, a, b: on_axis(seen.scene, a, b)),
    Sign("one line of what does not touch", Held.TOGETHER, True, lambda seen, a, b: in_line(seen.scene, a, b)),
    Sign("a rod through a bearing by its name", Held.REACHES, True, rod_in_bearing),
    Sign("a shaft drawn into a bearing unit", Held.REACHES, False, journal_in_unit),
    Sign("a ring that is a bearing by its name", Held.RESTS, True, on_ring),
    Sign("links drawn into each other", Held.REACHES, False, lambda seen, a, b: overlapping(seen.scene, a, b)),
    Sign("eyes drawn into each other", Held.REACHES, False, eyes_on),
    Sign("eyes drawn beside each other", Held.RESTS, True, eyes_on),
    Sign("holes in line, no pin", Held.RESTS, True, unpinned),
    Sign("a disc of its own between", Held.RESTS, True, about_disc),
    Sign("a rack on its pinion", None, True, rack_on),
    Sign("a wheel on what its partner turns on", None, True, wheel_on),
    Sign("a wheel or a horn by its name", None, True, named_on),
)
"""Signs of joints where contacts show none, in the order in which they are asked."""


def _tied(seen: Seen, linked: Groups, tie: Tie, still: Set[str]) -> None:
    """Bind two parts that nothing connects yet, or let one move on the other, unless it is one of `still`."""
    scene, alone = seen.scene, linked.join(*tie.pair)
    if scene.groups.root(tie.a) == scene.groups.root(tie.b):
        return
    first, second = (scene.groups.group(name) for name in tie.pair)
    moves = not (first <= still or second <= still)
    asked = (s for s in SIGNS if moves and s.how in (None, tie.how) and (alone or not s.alone))
    found = next(filter(None, (s.find(seen, first, second) for s in asked)), None)
    if found is not None:
        seen.found.append(found)
    elif alone:
        # What only the product structure holds, about an axis of both, may well turn on it.
        unsure = tie.how is Held.TOGETHER and coaxial(scene, *tie.pair)
        scene.bind(*tie.pair, tie.reason, COAXIAL if unsure else tie.confidence, tie.how)


def _turning(scene: Scene, wheels: Sequence[Wheel]) -> set[str]:
    """The instances of that body of each rolling bearing which has a wheel there, else of the smaller: the shaft."""
    members = scene.groups.members()
    sizes = scene.sizes(members)
    found: set[str] = set()
    toothed: dict[str, list[Wheel]] = defaultdict(list)
    for w in wheels:
        toothed[scene.groups.root(w.instance)].append(w)
    for inner, outer, c in scene.rolling:
        driven = {
            root: any(about(w, c.point, c.direction) for w in toothed[root])
            for root in (scene.groups.root(inner), scene.groups.root(outer))
        }
        found |= set(members[min(driven, key=lambda r: (not driven[r], sizes[r], r))])
    return found


def _ties(scene: Scene, linked: Groups) -> Iterator[Tie]:
    """What may hold parts that no joint holds, the surest first; later ones are only looked for where needed."""
    resting_pairs = resting(scene)
    yield from (_tie_of_rest(e, 0.7) for e in resting_pairs if scene.shared(e[0], e[1]))
    yield from scene.screwed_ties
    if len(linked.members()) > 1:
        reaching = _reaching(scene)
        yield from (_tie_of_reach(e, 0.6) for e in reaching if scene.shared(e[0], e[1]))
        yield from _of_one_assembly(scene)
        yield from (_tie_of_rest(e, 0.6) for e in resting_pairs if not scene.shared(e[0], e[1]))
        yield from (_tie_of_reach(e, 0.5) for e in reaching if not scene.shared(e[0], e[1]))


def _tie_of_rest(edge: tuple[str, str, float], confidence: float) -> Tie:
    a, b, area = edge
    return Tie(a, b, f"rests on it over {area * 1e6:.4g} mm², with no joint to anything", confidence, Held.RESTS)


def _tie_of_reach(edge: tuple[str, str, float], confidence: float) -> Tie:
    a, b, volume = edge
    reason = f"reaches into it by {volume * 1e9:.4g} mm³, with no joint to anything"
    return Tie(a, b, reason, confidence, Held.REACHES)


def _of_one_assembly(scene: Scene) -> Iterator[Tie]:
    """Parts of one sub-assembly to its largest part, the deepest sub-assemblies first."""
    inside: dict[str, list[str]] = defaultdict(list)
    for instance in scene.assembly.instances:
        steps = instance.name.split("/")
        for k in range(scene.top + 1, len(steps)):  # what holds all distinguishes nothing
            inside["/".join(steps[:k])].append(instance.name)
    for path, names in sorted(inside.items(), key=lambda e: (-e[0].count("/"), e[0])):
        chief = max(names, key=lambda n: (scene.size(n), n))
        # A group of parts is held by its largest, not by the horn or the wheel on it.
        for name in sorted(names, key=lambda n: (-scene.size(n), n)):
            if name != chief:
                reason = f"of the same sub-assembly {path}, and nothing else holds it"
                yield Tie(name, chief, reason, 0.4, Held.TOGETHER)


def _reaching(scene: Scene) -> list[tuple[str, str, float]]:
    return sorted(scene.overlaps.of(scene.assembly), key=lambda e: (-len(scene.shared(e[0], e[1])), -e[2], e[0], e[1]))
