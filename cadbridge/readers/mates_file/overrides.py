"""Properties of joints by patterns on their names, over whatever the source or the file's own mates say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from cadbridge.assembly import Assembly, Drive, Limit, Mate, MateKind
from cadbridge.freedoms import SLIDE, TURN
from cadbridge.readers.mates_file.draft import Draft, wildcard
from cadbridge.readers.mates_file.mates import limit_in_si, report_open
from cadbridge.readers.mates_file.schema import OverrideSpec
from cadbridge.readers.mates_file.senses import sense_of

OF_A_JOINT = ("damping", "friction", "stiffness", "armature")
"""What a joint has once, whichever of its mates bears it."""


class FreeCounts(Protocol):
    """What a joint leaves free: how many turns and slides."""

    @property
    def turns(self) -> int: ...
    @property
    def slides(self) -> int: ...


class MadeJoint(Protocol):
    """A joint as the mechanism, which stands above the readers, makes it of mates."""

    @property
    def name(self) -> str: ...
    @property
    def mates(self) -> tuple[str, ...]: ...
    @property
    def kind(self) -> FreeCounts: ...


JointsOf = Callable[[Assembly], Sequence[MadeJoint]]
"""Makes the joints of an assembly: `cadbridge.mechanism.joints_made`."""


@dataclass(eq=False)
class _Joint:
    """All mates (by name) between two bodies. `freedom` is that of its limits, None where that is open."""

    name: str
    mates: tuple[str, ...]
    freedom: str | None


class JointOverrides:
    """The lines under `overrides`, with the joints that each fits."""

    def __init__(self, draft: Draft, joint_names: dict[str, str], joints_of: JointsOf) -> None:
        """Find the joints of every line, and rename them; `names` is mate name → joint name after that."""
        self.names = dict(joint_names)
        self._draft = draft
        joints = _joints(draft, self.names, joints_of) if draft.spec.overrides else []
        self._lines = [(i, spec, self._fitting(i, spec, joints)) for i, spec in enumerate(draft.spec.overrides)]

    def _fitting(self, index: int, spec: OverrideSpec, joints: list[_Joint]) -> list[_Joint]:
        draft, fits = self._draft, wildcard(spec.joints)
        found = [joint for joint in joints if any(map(fits, (joint.name, *joint.mates)))]
        if not found:
            moving = [*(j.name for j in joints), *(name for j in joints for name in j.mates)]
            held = [m.name for m in draft.mates if fits(m.name) or fits(self.names.get(m.name, ""))]
            why = f"{held[0]!r} leaves nothing free" if held else f"no joint fits{draft.near(spec.joints, moving)}"
            draft.findings.add("CB151", f"{spec.joints!r}: {why}", draft.place("overrides", index, "joints"))
        elif spec.rename is not None:
            self._rename(index, spec.rename, spec.joints, found, joints)
        return found

    def _rename(self, index: int, name: str, pattern: str, found: list[_Joint], joints: list[_Joint]) -> None:
        draft, where = self._draft, self._draft.place("overrides", index, "rename", name=name)
        if len(found) > 1:
            some = ", ".join(joint.name for joint in found[:4])
            message = f"{pattern!r} fits {len(found)} joints ({some}), which cannot all be called {name!r}"
            draft.findings.add("CB155", message, where)
        elif any(name in (joint.name, *joint.mates) for joint in joints if joint is not found[0]):
            draft.findings.add("CB155", f"there is another joint {name!r}", where)
        else:
            found[0].name = name
            self.names |= dict.fromkeys(found[0].mates, name)
            for i, mate in enumerate(draft.mates):
                if mate.name in found[0].mates:
                    draft.mates[i] = replace(mate, joint_name=name)

    def apply(self) -> None:
        """Put what the lines say on the mates, in their order, so that a later line wins."""
        for index, spec, joints in self._lines:
            for joint in joints:
                self._apply(index, spec, joint)

    def _apply(self, index: int, spec: OverrideSpec, joint: _Joint) -> None:
        """One mate of a joint bears what is given of the joint; its others have nothing of that."""
        draft = self._draft
        members = [i for i, mate in enumerate(draft.mates) if mate.name in joint.mates]
        bearer = self._bearer(members, joint.freedom)
        given = {key: getattr(spec, key) for key in OF_A_JOINT if getattr(spec, key) is not None}
        for i in members:
            changed: dict[str, Any] = given if i == bearer else dict.fromkeys(given, 0.0)
            draft.mates[i] = replace(draft.mates[i], **changed)
        if spec.limits is not None:
            report_open(draft, joint.name, joint.freedom, draft.place("overrides", index, "limits", name=joint.name))
            given_limit = limit_in_si(draft, spec.limits, joint.freedom)
            # By the name of a mate it is given as that counts, else as the joint does.
            called = next((i for i in members if draft.mates[i].name == spec.joints != joint.name), None)
            for i in members:
                sense = self._sense(i, members) * (1.0 if called is None else self._sense(called, members))
                new = asdict(given_limit.oriented(sense))
                kept = {key: value for key, value in new.items() if value is not None}
                old = draft.mates[i].limit
                if i == bearer:
                    draft.mates[i] = replace(draft.mates[i], limit=replace(old or Limit(), **kept))
                elif old is not None:
                    draft.mates[i] = replace(draft.mates[i], limit=replace(old, **dict.fromkeys(kept)))

    def _sense(self, index: int, members: list[int]) -> float:
        """−1 where one of the mates of a joint counts against it."""
        mates = [self._draft.mates[i] for i in members]
        # The joint counts as a mate that somebody gave its name; without one as its first.
        first = sorted(mates, key=lambda mate: not (mate.joint_name or mate.name in self.names))
        return sense_of(self._draft, self._draft.mates[index], first)

    def _bearer(self, members: list[int], freedom: str | None) -> int:
        """The mate that names its joint, else the first whose own motion can be the joint's."""
        mates = self._draft.mates
        named = (i for i in members if mates[i].joint_name or mates[i].name in self.names)
        fitting = (i for i in members if freedom is None or mates[i].freedom in (None, freedom))
        return next(named, next(fitting, members[0]))

    def drives(self, drives: tuple[Drive, ...]) -> tuple[Drive, ...]:
        """The drives with those that the lines change or add; a drive that is added has the name of its joint."""
        for index, spec, joints in self._lines:
            if spec.drive is None:
                continue
            given = {key: value for key, value in spec.drive.model_dump().items() if value is not None}
            if given.get("reduction") == 0.0:
                message = f"{spec.joints!r}: a reduction of zero moves nothing"
                self._draft.findings.add("CB145", message, self._draft.place("overrides", index, "drive"))
                continue
            for joint in joints:
                names = (joint.name, *joint.mates)
                if any(d.joint in names for d in drives):
                    drives = tuple(replace(d, **given) if d.joint in names else d for d in drives)
                else:
                    where = self._draft.place("overrides", index, "drive", name=joint.name)
                    drives = (*drives, replace(Drive(joint.name, joint.name, where=where), **given))
        return drives


def _joints(draft: Draft, names: dict[str, str], joints_of: JointsOf) -> list[_Joint]:
    """The joints that the mates make of their components, and the floating bodies that have a mate."""
    # Shapes and masses do not change which joints there are, and weighing them takes seconds.
    bare = tuple(replace(c, instances=(), override=None) for c in draft.components.values())
    assembly = replace(
        draft.finished(), parts=(), instances=(), components=bare, couplings=(), drives=(), joint_names=names
    )
    # A floating body has no joint in the mechanism, but its mate bears damping, too.
    # Where other mates hold it, it has one, and its own mate is among those of that.
    made = joints_of(assembly)
    held = {name for joint in made for name in joint.mates}
    free = (m for m in draft.mates if m.kind is MateKind.FREE and m.name not in held)
    return [
        *(_Joint(joint.name, joint.mates, _freedom(joint.kind.turns, joint.kind.slides)) for joint in made),
        *(_Joint(_own_name(mate, names), (mate.name,), None) for mate in free),
    ]


def _own_name(mate: Mate, names: dict[str, str]) -> str:
    return mate.joint_name or names.get(mate.name) or mate.name


def _freedom(turns: int, slides: int) -> str | None:
    """Limits are of the one turn; else of the turns or of the slides, where there is nothing else."""
    if turns == 1 or not slides:
        return TURN
    return SLIDE if not turns else None
