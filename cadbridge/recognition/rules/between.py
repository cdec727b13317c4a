"""Bodies that turn on one line with others: what is between two that turn against each other belongs to one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from cadbridge.freedoms import HINGE
from cadbridge.recognition.contacts.contacts import ONE_LINE, Contact
from cadbridge.recognition.contacts.guides import LINES
from cadbridge.recognition.contacts.one_line import NOTHING_ALONG
from cadbridge.recognition.evidence.candidates import Candidate, Jointed, one_axis
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.evidence.spinning import SPINS_ON_AXIS, only_spins
from cadbridge.recognition.rules.joints import spins_count
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.rules.subassemblies import inside, resting, shares
from cadbridge.recognition.standard.names import called_drive

SMALL_BETWEEN = 0.1
"""Size of what merely stands between two bodies beside the smaller of them, at most. A choice: 54 machines have 0.098 |
0.11. Tests: 0.18 is no spacer (`test_links`)."""


def bind_between(now: Jointed, toothed: Collection[str], names: bool) -> None:
    """Bind a small body, or a disc, that turns against two others about one line to that on which it is guided less.

    A horn between a servo and an arm, a disc, a spacer, what is called a motor (where `names` are a witness): the two
    turn against each other, and it on neither. So does what has a joint to one of them alone and fits the other.
    """
    scene, members, sizes, spun = now.scene, now.members, now.sizes, spins_count(now.scene)
    for body, own in now.of.items():
        near = SPINS_ON_AXIS * sizes[body] ** (1 / 3)
        if len(own) == 1 and not (spun and only_spins(scene, members[body], own[0])):
            own = [*own, *_fitted(now, body, own[0], near)]
        if len(own) != 2 or any(j.verdict.free != HINGE for j in own) or set(members[body]) & set(toothed):
            continue
        others = {j.other(body) for j in own}
        ends = {_end(now, j, body) for j in own}
        least = min(sizes[end] for end in (ends if len(ends) > 1 else others))
        small = sizes[body] < SMALL_BETWEEN * least or _disc(scene, members[body], own)
        # A motor that is one part turns on its shaft with what holds it; of two motors on one line each turns its own.
        motor = names and _drives(members[body]) and not _driven_each(members[body], own)
        if len(others) == 2 and (small or motor) and one_axis(scene, own[0], own[1], near):
            if motor and not small:  # the case of a motor turns against its own shaft, and what meshes stands on that
                meshes = {o for o in others if set(members[o]) & set(toothed)}
                turned = meshes | {o for o in others if shares(scene, members[body], members[o])}
                if turned == others:
                    continue
            else:  # a drive turns against its horn: the disc goes with what is no drive
                turned = {o for o in others if not motor and names and _drives(members[o])}
            loose = min(own, key=lambda j: (j.other(body) in turned, _guided(j), j.verdict.confidence, j.other(body)))
            if not loose.contacts:  # what touches nothing holds nothing: it turns on what the body between stands in
                held = [j for j in own if j.contacts]
                if spun or loose.alike is not None or not held:
                    continue
                loose = held[0]
            why = "the other turns" if turned - {loose.other(body)} else "guided less on this one"
            text = f"turns on one line between two bodies that turn against each other there; {why}"
            scene.bind(min(members[body]), min(members[loose.other(body)]), text, 0.6)


def bind_rotors(now: Jointed, toothed: Collection[str], names: bool) -> None:
    """Bind what has but a bore about a shaft, and nothing along it, where that shaft turns on the same line itself.

    A line of shafts has one freedom: a hub, a flywheel, half a coupling is fastened on what turns. A wheel that turns
    on a shaft which turns has shoulders or rings to hold it; but what a drive turns carries what stands on its line.
    """
    scene = now.scene
    for body, own in now.of.items() if not spins_count(scene) else ():
        joint, rotor = own[0], own[0].other(body)
        others = [j for j in now.of[rotor] if j is not joint]
        if len(own) != 1 or joint.verdict.free != HINGE or not others:
            continue
        near = SPINS_ON_AXIS * now.sizes[body] ** (1 / 3)
        if not all(j.verdict.free == HINGE and one_axis(scene, j, joint, near) for j in others):
            continue
        part, shaft = min(now.members[body]), min(now.members[rotor])
        free = set(now.members[body]) & set(toothed) or (names and _drives(now.members[body]))
        unit = scene.units & set(now.members[body])
        if joint.contacts and not free and any(_is_driven(now, j, rotor, names) for j in others):
            scene.bind(part, shaft, "on the line of what a drive turns, and joined to nothing else", 0.6)
        elif not unit and _fitted_on(now, joint, body, rotor, others):
            text = "its bore is on what turns on this line already, with nothing to hold it along: fastened there"
            scene.bind(part, shaft, text, 0.6)


def _fitted_on(now: Jointed, joint: Candidate, body: str, rotor: str, others: Sequence[Candidate]) -> bool:
    """Whether a body has its bore about what turns in others, and nothing along it."""
    # The axle of two wheels has two joints on one line as well: it turns in neither.
    turns = any(len(now.of[j.other(rotor)]) > 1 or now.sizes[j.other(rotor)] > now.sizes[rotor] for j in others)
    fitted = NOTHING_ALONG in joint.verdict.against and any(
        c.kind == "shaft" and now.scene.groups.root(c.b.instance) == body for c in joint.contacts
    )
    # What nothing holds along either is no shaft that turns: a motor's case in two clamps.
    return turns and fitted and any(NOTHING_ALONG not in j.verdict.against for j in others)


def _is_driven(now: Jointed, joint: Candidate, rotor: str, names: bool) -> bool:
    """Whether a joint is that of a drive with what it turns."""
    drive, turned = now.members[joint.other(rotor)], now.members[rotor]
    noted = any(d.case in drive and d.on in turned for d in now.scene.driven)
    return noted or (names and any(_drives([n]) for c in joint.contacts for n in c.pair if n in drive))


def bind_mounted(now: Jointed, names: bool) -> None:
    """Bind a drive that hangs on nothing but what it turns to the body of its sub-assembly that turns there as well.

    A drive is mounted on something: a servo that is drawn beside the arm which holds it. The sub-assembly of the two
    moves as a whole against what lies outside of it. Of one in no sub-assembly the line says it, where it or what
    it turns has another joint: a wheel on a horn has none. Names say what is a drive.
    """
    scene, members = now.scene, now.members
    for body, own in now.of.items() if names else ():
        joint, turned = own[0], own[0].other(body)
        if len(own) != 1 or joint.verdict.free != HINGE or not _drives(members[body]):
            continue
        others = [j for j in now.of[turned] if j is not joint]
        on_line = {j.other(turned) for j in others if one_axis(scene, j, joint, ONE_LINE)}
        alone = all(name.count("/") == scene.top for name in members[body])
        goes_on = any(j.other(turned) not in on_line for j in others)
        mounts = [
            other for other in on_line
            if (goes_on or len(now.of[other]) > 1 if alone else _moves_in(scene, members, body, other, turned))
        ]  # fmt: skip
        if len(mounts) == 1:
            within = "" if alone else "and of one sub-assembly "
            text = f"a drive by its name, {within}with what turns on the same line: mounted there"
            scene.bind(min(members[body]), min(members[mounts[0]]), text, 0.6)


def _moves_in(scene: Scene, members: Mapping[str, Sequence[str]], body: str, other: str, turned: str) -> bool:
    """Whether two bodies have a sub-assembly in common that does not hold all of what one of them turns."""
    path = inside(scene, members[body], members[other])
    return bool(path) and not all(name.startswith(f"{path}/") for name in members[turned])


def bind_cases(now: Jointed, names: bool) -> None:
    """Bind the case of a drive to what it would turn on about its own shaft, on which something else turns already.

    Names say what is a drive; a servo's arm and the next servo have axes of their own.
    """
    scene, members = now.scene, now.members
    driven = [scene.bodies(d.case, d.on) for d in scene.driven]
    for body, own in now.of.items() if names else ():
        turned = [j for j in own if scene.bodies(j.a, j.b) in driven]
        others = [j for j in own if j not in turned]
        if len(others) != 1 or not turned or not _drives(members[body]) or others[0].verdict.free != HINGE:
            continue
        if all(body == scene.groups.root(d.case) for d in scene.driven if body in scene.bodies(d.case, d.on)) and all(
            one_axis(scene, j, others[0], ONE_LINE) for j in turned
        ):
            text = "holds a drive about its shaft, on which something else turns"
            scene.bind(min(members[others[0].other(body)]), min(members[body]), text, 0.6)


def bind_flanges(now: Jointed) -> None:
    """Bind a part that lies on two bodies, which turn against each other there, to that on which it lies more.

    A flange before the end of a bearing: its bore goes on in the shaft's, but it lies on the housing.
    """
    scene, joints = now.scene, now.joints
    areas: dict[frozenset[str], float] = defaultdict(float)
    for a, b, area in resting(scene):
        areas[scene.bodies(a, b)] += area
    for joint in joints:
        if {c.kind for c in joint.contacts} != {"plane", "holes"}:
            continue
        for part in (joint.a, joint.b):
            near = joint.other(part)
            about = {j.other(near) for j in joints if near in (j.a, j.b) and one_axis(scene, j, joint)} - {part}
            most = max(about, key=lambda body: (areas[frozenset((part, body))], body), default=near)
            if areas[frozenset((part, most))] > areas[frozenset((part, near))]:
                text = "lies more on it than on what turns against it there, with no shaft in its bore"
                scene.bind(part, most, text, 0.6)


def _fitted(now: Jointed, body: str, joint: Candidate, near: float) -> Iterator[Candidate]:
    """What a body with one joint fits on the line of that, where the two others turn against each other already."""
    scene, host = now.scene, joint.other(body)
    for other in now.of[host]:
        if other is not joint and other.verdict.free == HINGE and one_axis(scene, other, joint, near):
            pair = (min(body, other.other(host)), max(body, other.other(host)))
            on_line = tuple(c for c in now.between.get(pair, ()) if c.kind in LINES and _along(scene, c, joint))
            if on_line:
                yield Candidate(*pair, joint.verdict, on_line)


def _along(scene: Scene, c: Contact, joint: Candidate) -> bool:
    """Whether a contact is on the line of a joint."""
    return one_axis(scene, replace(joint, verdict=replace(joint.verdict, point=c.point, axis=c.direction)), joint)


def _drives(body: Sequence[str]) -> bool:
    """Whether the name of any part of a body calls it a drive, or all of it is in sub-assemblies that are."""
    inside = all(any(called_drive(step) for step in name.split("/")) for name in body)
    return inside or any(called_drive(name.rsplit("/", 1)[-1]) for name in body)


def _driven_each(body: Sequence[str], own: Sequence[Candidate]) -> bool:
    """Whether each of the joints of a body is on a drive of its own: two wheels of a robot, on two motors."""
    at = [{name for c in joint.contacts for name in c.pair if name in body and _drives([name])} for joint in own]
    return all(at) and not set.intersection(*at)


def _end(now: Jointed, joint: Candidate, body: str) -> str:
    """The body at the end of the chain that goes on from one by a joint, through bodies that only turn on its line."""
    seen = {body}
    while (body := joint.other(body)) not in seen:
        seen.add(body)
        on = [j for j in now.of[body] if j is not joint]
        if len(on) != 1 or on[0].verdict.free != HINGE or not one_axis(now.scene, on[0], joint, ONE_LINE):
            break
        joint = on[0]
    return body


def _disc(scene: Scene, body: Sequence[str], own: Sequence[Candidate]) -> bool:
    """Whether a body is one part that is round outside, on nothing but a hole of each other: no wheel and no pin."""
    v = own[0].verdict
    holes = {c.kind for joint in own for c in joint.contacts} <= {"plane", "holes", "eyes"}
    return holes and len(body) == 1 and v.axis is not None and round_outside(scene, body[0], v.point, v.axis)


def _guided(joint: Candidate) -> float:
    """Over how many of its radii a joint is guided."""
    return sum(c.overlap / c.radius for c in joint.contacts if c.kind == "shaft")
