"""Couplings of joints in the file: cams, linear laws, differentials. They come after the joints have their names."""

from __future__ import annotations

import math

from cadbridge.assembly import CamLaw, Coupling, CouplingKind, Mate, MateKind
from cadbridge.findings import Where
from cadbridge.freedoms import TURN
from cadbridge.readers.mates_file.draft import Draft
from cadbridge.readers.mates_file.gear_schema import CamPair, DifferentialSpec, JointCouplingSpec, LinearSpec
from cadbridge.readers.mates_file.repeated import add_coupling
from cadbridge.readers.mates_file.senses import beside, sense_of

_TITLES = {"cam": CouplingKind.CAM, "linear": CouplingKind.LINEAR, "differential": CouplingKind.LINEAR}


def add_joint_couplings(draft: Draft, joint_names: dict[str, str]) -> None:
    """Every cam, linear law and differential whose joints are there; the others are left out and reported."""
    for index, spec in enumerate(draft.spec.gears):
        if not isinstance(spec, CamPair | LinearSpec | DifferentialSpec):
            continue
        name = spec.name or f"{spec.type.title()}:{draft.document.rows['gears'][index] + 1}"
        where = draft.place("gears", index, name=name)
        mates = {joint: _mate(draft, joint_names, joint, name, where) for joint in _joints(spec)}
        found = {joint: mate for joint, mate in mates.items() if mate is not None}
        if len(found) < len(mates):
            continue
        if len({mate.name for mate in found.values()}) < len(_joints(spec)):
            draft.findings.add("CB157", f"{name!r} couples a joint to itself; it is left out", where)
            continue
        senses = {joint: _sense(draft, joint_names, joint, mate) for joint, mate in found.items()}
        add_coupling(draft, _coupling(draft, spec, name, found, senses, where))


def _joints(spec: JointCouplingSpec) -> tuple[str, ...]:
    if isinstance(spec, CamPair):
        return (spec.driver, spec.follower)
    return tuple(spec.factors) if isinstance(spec, LinearSpec) else (spec.case, spec.left, spec.right)


def _mate(draft: Draft, joint_names: dict[str, str], joint: str, name: str, where: Where) -> Mate | None:
    """The mate that determines the value of a joint, which is named by a mate or by its own name."""
    by_name = {mate.name: mate for mate in draft.mates}
    named = [joint] if joint in by_name else [mate for mate, own in joint_names.items() if own == joint]
    if not named:
        known = draft.near(joint, [*by_name, *joint_names.values()])
        draft.findings.add("CB155", f"{name!r}: there is no joint {joint!r}{known}", where)
        return None
    own = [by_name[n] for n in named if n in by_name]
    # A face that gives a joint its name says nothing of its motion: the other mates of the joint do.
    found = [mate for mate in (*own, *beside(draft, own)) if mate.freedom is not None]
    if not found:
        cure = (
            f"Write what {joint!r} is: `revolute`, `prismatic` or `concentric` where it has an axis, `planar` where it "
            "lies on a plane; or couple another joint."
        )
        text = f"{name!r}: none of the mates of {joint!r} says about or along what it moves"
        draft.findings.add("CB149", text, where, cure)
        return None
    # What lies on a plane is counted by its turn, which other mates of the joint may lock.
    return next((mate for mate in found if mate.kind is not MateKind.PLANAR), found[0])


def _sense(draft: Draft, joint_names: dict[str, str], joint: str, mate: Mate) -> float:
    """−1 where what a joint is called by, a mate or its own name, counts against the mate that determines its value."""
    named = [other for other in draft.mates if joint in (other.name, joint_names.get(other.name))]
    # A mate before a joint that has its name; what is across the axis says nothing of its sense.
    named.sort(key=lambda other: other.name != joint)
    return 1.0 if joint == mate.name else sense_of(draft, mate, [*named, *beside(draft, [mate])])


def _unit(draft: Draft, mate: Mate) -> float:
    """What one of the file's units is of this joint's value, rad or m."""
    return draft.angle if mate.counted == TURN else draft.length


def _coupling(
    draft: Draft, spec: JointCouplingSpec, name: str, mates: dict[str, Mate], senses: dict[str, float], where: Where
) -> Coupling:
    kind = _TITLES[spec.type]
    if isinstance(spec, CamPair):
        driver, follower = mates[spec.driver], mates[spec.follower]
        cam = _law(draft, spec, driver, follower, (senses[spec.driver], senses[spec.follower]))
        return Coupling(name, kind, None, None, joints=(driver.name, follower.name), cam=cam, where=where)
    if isinstance(spec, DifferentialSpec):
        factor_of = {spec.case: 1.0 + spec.ratio, spec.left: -1.0, spec.right: -spec.ratio}
    else:
        # The factors are of the values as the file writes them.
        factor_of = {joint: factor / _unit(draft, mates[joint]) for joint, factor in spec.factors.items()}
        # The equation is one of any scale; residuals of joints in mm beside joints in degrees are of one size only so.
        largest = max(map(abs, factor_of.values())) or 1.0
        factor_of = {joint: factor / largest for joint, factor in factor_of.items()}
    factors = tuple((mates[joint].name, factor * senses[joint]) for joint, factor in factor_of.items())
    return Coupling(name, kind, None, None, factors=factors, where=where)


def _law(draft: Draft, spec: CamPair, driver: Mate, follower: Mate, senses: tuple[float, float]) -> CamLaw:
    turn = _unit(draft, driver)
    period = 2.0 * math.pi if driver.counted == TURN else 0.0
    if spec.law is not None:
        value = _unit(draft, follower)
        points = tuple((q * turn * senses[0], f * value * senses[1]) for q, f in spec.law)[:: int(senses[0])]
        return CamLaw(points, period=period if spec.periodic else 0.0)
    assert spec.profile is not None
    return CamLaw(
        points=tuple((angle * draft.angle, radius * draft.length) for angle, radius in spec.profile),
        profile=True,
        period=period,
        roller=spec.roller * draft.length,
        arm=None if spec.arm is None else spec.arm * draft.length,
        side=1 if spec.side == "left" else -1,
    )
