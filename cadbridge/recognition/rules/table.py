"""The rules that make bodies and joints of contacts, each with the strength of its evidence.

A rule gives way to a stronger one, wherever it stands in the list: `applied` sorts them. What bodies are so far decides
which contacts two bodies have, so weak evidence is read on the bodies that strong evidence has made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cadbridge.recognition.evidence.belt_drives import bind_belts
from cadbridge.recognition.evidence.candidates import Candidate, Jointed, linked_by
from cadbridge.recognition.evidence.gathering import Evidence
from cadbridge.recognition.evidence.lead_screws import lead_screws
from cadbridge.recognition.evidence.pins import is_pin
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.actuators import find_actuators
from cadbridge.recognition.rules.attaching import Hosts
from cadbridge.recognition.rules.bearing_units import bind_units
from cadbridge.recognition.rules.bearings import bind_rings, bind_rolling, bind_seats, bind_twins
from cadbridge.recognition.rules.beside import bind_beside, bind_wheels, hinge_meshing, hinge_wheels, wheels_apart
from cadbridge.recognition.rules.between import bind_between, bind_cases, bind_flanges, bind_mounted, bind_rotors
from cadbridge.recognition.rules.bodies import bind_fixed, bind_flats, bind_keys, bind_stubs
from cadbridge.recognition.rules.bolted_rods import bind_bolted_rods
from cadbridge.recognition.rules.guide_rods import bind_frames, bind_stacked
from cadbridge.recognition.rules.hubs import bind_hubs
from cadbridge.recognition.rules.joints import bind_pins, find_joints
from cadbridge.recognition.rules.likewise import bind_rails, joined_alike, without_models
from cadbridge.recognition.rules.linear_bearings import bind_linear_bearings
from cadbridge.recognition.rules.motors import find_motors
from cadbridge.recognition.rules.plates import bind_plates
from cadbridge.recognition.rules.rolling_carriages import rolling_carriages
from cadbridge.recognition.rules.seated import (
    bind_plugs,
    bind_put_on,
    bind_screwed_on,
    bind_sets,
    bind_spinning,
    bind_trays,
)
from cadbridge.recognition.rules.splines import bind_splined
from cadbridge.recognition.rules.subassemblies import bind_clamped, bind_idle, bind_within
from cadbridge.recognition.rules.turntables import bind_standing, still_apart
from cadbridge.recognition.rules.undercut import undercut_slides
from cadbridge.recognition.rules.whole import connect
from cadbridge.recognition.standard.names import called_lead_screw


@dataclass(eq=False)
class Inference:
    """An inference under way: the scene without fasteners, joints that contacts do not show, and what touches none."""

    evidence: Evidence
    scene: Scene
    hosts: Hosts
    turning: list[Candidate]
    screws: list[Candidate] = field(default_factory=list)
    loose: list[list[str]] = field(default_factory=list)
    _now: tuple[tuple[int, int, int], Jointed] | None = None

    def pin(self, name: str) -> bool:
        """Whether an instance is a pin: no lead screw by its name, where names are a witness."""
        screw = self.evidence.names and called_lead_screw(self.scene.called(name))
        return not screw and is_pin(self.scene, name)

    @property
    def toothed(self) -> set[str]:
        """The instances whose teeth mesh, or that a belt ties."""
        return {name for pair in self.evidence.meshes for name in pair}

    @property
    def now(self) -> Jointed:
        """The bodies and the joints between them as they are now."""
        # Bodies only grow: as long as there are as many, and nothing was seen to turn since, all is as it was.
        state = self.scene.groups.count, len(self.turning), len(self.scene.driven)
        if self._now is None or self._now[0] != state:
            joints = with_turning(self.scene, find_joints(self.scene, self.pin)[0], self.turning)
            self._now = state, Jointed(self.scene, joints)
        return self._now[1]

    @property
    def joints(self) -> list[Candidate]:
        """The joints between the bodies as they are now."""
        return list(self.now.joints)


@dataclass(frozen=True)
class Rule:
    """A rule by its name; `strength` from 1 (nothing overrules it) to 0."""

    name: str
    strength: float
    apply: Callable[[Inference], object]


def applied(run: Inference, rules: Sequence[Rule]) -> None:
    """Apply rules to an inference, the strongest first."""
    for rule in ordered(rules):
        rule.apply(run)


def ordered(rules: Sequence[Rule]) -> list[Rule]:
    """Rules, the strongest first, those of equal strength by their names."""
    return sorted(rules, key=lambda rule: (-rule.strength, rule.name))


def with_turning(scene: Scene, joints: list[Candidate], turning: list[Candidate]) -> list[Candidate]:
    """The joints that contacts show, and those seen in another way; a screw rules over what its bore shows."""
    # The bore of a nut on its screw looks like any shaft in a bore: a hinge there, beside the screw joint, would hold
    # the nut.
    screws = still_apart(scene, [c for c in turning if c.verdict.free.pitched], ())
    pairs = {(c.a, c.b) for c in screws}
    joints = [*screws, *(c for c in joints if (c.a, c.b) not in pairs)]
    return [*joints, *still_apart(scene, turning, joints)]


def _splined(run: Inference) -> None:
    bind_splined(run.scene, run.evidence.wheels, run.evidence.names)


def _lead_screws(run: Inference) -> None:
    run.screws = lead_screws(run.scene, run.evidence.wheels, run.evidence.names)
    run.turning += run.screws


def _pins(run: Inference) -> None:
    if run.evidence.names:
        # The shaft of a wheel and a lead screw lie in two bodies as a pin does, but their spin drives something.
        turned = {w.instance for w in run.evidence.wheels} | {name for c in run.screws for name in (c.a, c.b)}
        bind_pins(run.scene, run.pin, turned)
        bind_fixed(run.scene)


def _within(run: Inference) -> None:
    run.turning += bind_within(run.scene, run.joints, run.evidence.meshes)
    bind_fixed(run.scene)


def _meshing(run: Inference) -> None:
    """Keep wheels that mesh apart: whatever rests or hangs together, one body of the two could not turn."""
    for a, b in run.scene.meshing:
        run.scene.hold_apart(a, b)


def _wheels_apart(run: Inference) -> None:
    """A shaft that carries a wheel is no plug in its bore."""
    scene, pairs = run.scene, run.evidence.meshing.pairs
    bind_wheels(scene, wheels_apart(scene, pairs), pairs, lone=True)


def _moves_nothing(run: Inference) -> None:
    """What only spins, would but slide out of its pocket, or stands between two bodies: until none is left."""
    # What was bound may leave another body with a single joint, by which it moves nothing either: all begins anew.
    while any(_binds(run, rule) for rule in ordered(MOVES_NOTHING)):
        continue


def _binds(run: Inference, rule: Rule) -> bool:
    """Apply a rule; whether it made two bodies one."""
    before = run.scene.groups.count
    rule.apply(run)
    return run.scene.groups.count != before


MOVES_NOTHING = (
    Rule("what only spins in its sub-assembly", 0.60, lambda r: bind_idle(r.now, r.toothed, r.evidence.names)),
    Rule(
        "what slides and turns on a rod and carries nothing is clamped", 0.58,
        lambda r: bind_clamped(r.now, r.toothed, r.evidence.names),
    ),
    Rule("many that would slide on one rod are a stack", 0.577, lambda r: bind_stacked(r.now)),
    Rule("many equal parts that would slide out are set in", 0.575, lambda r: bind_sets(r.now)),
    Rule("what lies in an open tray", 0.57, lambda r: bind_trays(r.now, r.evidence.names)),
    Rule("a round rod goes with the largest of what turns on it", 0.56, lambda r: bind_spinning(r.now, r.toothed)),
    Rule("a plug goes with its bore", 0.55, lambda r: bind_plugs(r.now, r.toothed, r.evidence.names)),
    Rule("what stands between two that turn", 0.54, lambda r: bind_between(r.now, r.toothed, r.evidence.names)),
    Rule("a drive is mounted on something", 0.535, lambda r: bind_mounted(r.now, r.evidence.names)),
    Rule("a flange goes with what it lies on more", 0.53, lambda r: bind_flanges(r.now)),
    Rule("what is on a shaft that turns goes with it", 0.52, lambda r: bind_rotors(r.now, r.toothed, r.evidence.names)),
)  # fmt: skip
"""Rules about a joint by which a body moves nothing, one after the other until none binds anything more."""


def _connected(run: Inference) -> None:
    """What nothing connects yet is bound, or hinged, to what it rests on, reaches into or stands beside."""
    scene, pairs = run.scene, run.evidence.meshing.pairs
    apart, on_faces = connect(scene, run.joints, pairs, run.evidence.drives, run.evidence.names)
    apart, lone = hinge_wheels(scene, bind_wheels(scene, apart, pairs), pairs, run.joints)
    run.loose, beside = bind_beside(scene, apart, run.evidence.names)
    run.turning += [*on_faces, *lone, *beside]
    bind_rails(scene, run.joints)
    bind_standing(run.now, run.toothed, run.evidence.names)
    # What was bound since may hold more, and may have made two bodies of a joint one.
    bind_fixed(scene)
    bind_between(run.now, run.toothed, run.evidence.names)
    bind_cases(run.now, run.evidence.names)
    bind_fixed(scene)
    run.turning += hinge_meshing(scene, pairs, run.joints)
    run.turning = without_models(scene, run.turning)
    # A hinge by a hole falls where its partner was bound to what its faces lie on, too: it hangs on nothing then.
    if len(linked_by(scene, run.joints).members()) > 1 + len(run.loose):
        run.loose, on_faces = connect(scene, run.joints, pairs, run.evidence.drives, run.evidence.names)
        run.turning += on_faces


RULES = (
    Rule("wheels that mesh are two bodies", 1.00, _meshing),
    # Actuators and motors come first: what is screwed to an output shares several holes with it, which elsewhere are a
    # weld, and bodies that are one already cannot be held apart any more.
    Rule("what is screwed to an actuator's output turns", 0.99, lambda r: find_actuators(r.scene, r.evidence.names)),
    Rule("what stands on a motor's shaft turns", 0.98, lambda r: find_motors(r.scene, r.evidence)),
    Rule("a splined shaft turns with its hub", 0.978, _splined),
    # Before anything holds its wheels: they touch the profile, and what is in their bores.
    Rule("a plate rolls on its wheels along a profile", 0.975, lambda r: r.turning.extend(rolling_carriages(r.scene))),
    Rule("a key holds what it stands in", 0.97, lambda r: bind_keys(r.scene)),
    # From here on it is known which rings roll on each other: seats, rings and fits would lock a bearing otherwise.
    Rule("balls go with the outer ring of their bearing", 0.96, lambda r: bind_rolling(r.scene)),
    Rule("what is seated on the axis of a rolling bearing turns with its ring", 0.94, lambda r: bind_seats(r.scene)),
    Rule("a bearing with its housing stands on its carrier", 0.935, lambda r: bind_units(r.scene)),
    Rule("what stands on a shaft that turns in bearings turns with it", 0.93, lambda r: bind_hubs(r.scene)),
    Rule("two bearings of a shaft stand in one housing", 0.92, lambda r: bind_twins(r.scene)),
    # A linear bearing is a slim ring too: on its rod it would be held.
    Rule("a linear bearing runs along its rod", 0.91, lambda r: bind_linear_bearings(r.scene, r.evidence.names)),
    Rule("a ring goes with its bore or its shaft", 0.90, lambda r: bind_rings(r.scene, r.evidence.names)),
    Rule("rods that a carriage goes along are of one frame", 0.89, lambda r: bind_frames(r.scene)),
    Rule("a shaft turns with the bore that has its flat", 0.88, lambda r: bind_flats(r.scene)),
    Rule("a rod with a screw in each end is tightened", 0.87, lambda r: bind_bolted_rods(r.scene, r.evidence.names)),
    Rule("contacts that leave nothing free hold fast", 0.86, lambda r: bind_fixed(r.scene)),
    Rule("what grips behind its rail slides", 0.84, lambda r: r.turning.extend(undercut_slides(r.scene))),
    Rule("what is put on one body, by its name, is held there", 0.82, lambda r: bind_put_on(r.scene, r.evidence.names)),
    # A dowel is told from a pin by the bodies that it goes through: they must be known by what holds them fast.
    Rule("a stub in one bore is pressed in", 0.80, lambda r: bind_stubs(r.scene, r.pin, r.evidence.names)),
    Rule("a lead screw turns in its nut", 0.78, _lead_screws),
    Rule("a pin goes with the part that it is flush with", 0.76, _pins),
    # Before what rests is bound: a carriage that is drawn a little off its rail lies on something else too.
    Rule("equal parts are joined alike", 0.72, lambda r: r.turning.extend(joined_alike(r.scene, r.joints))),
    Rule("a part goes with what it rests on in its sub-assembly", 0.70, _within),
    Rule("a wheel apart goes with its shaft", 0.62, _wheels_apart),
    Rule("what is screwed on, by its name, where holes meet", 0.61, lambda r: bind_screwed_on(r.now, r.evidence.names)),
    Rule("what moves nothing else is no joint", 0.60, _moves_nothing),
    # Rods between two plates that carry nothing are their spacers: bound by now, they are no bodies that turn on both.
    Rule("plates with the same bodies between are one", 0.59, lambda r: bind_plates(r.now)),
    Rule("a belt goes with its pulley", 0.50, lambda r: bind_belts(r.scene, r.evidence.belts, r.joints)),
    # Last of all: what is tied for want of anything better would be one body with what it moves against.
    Rule("all hangs together", 0.40, _connected),
)  # fmt: skip
"""All rules. Their strengths were set so that what is surer in `docs/recognition.md` (reliability) is stronger."""
