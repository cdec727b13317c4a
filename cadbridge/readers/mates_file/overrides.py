"""Properties of joints by patterns on their names, over whatever the source or the file's own mates say."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from cadbridge.assembly import Drive, Limit, Mate, MateKind
from cadbridge.readers.mates_file.draft import Draft, wildcard
from cadbridge.readers.mates_file.mates import joint_freedom, limit_in_si, report_open
from cadbridge.readers.mates_file.schema import OverrideSpec

OF_A_JOINT = ("damping", "friction", "stiffness", "armature")
"""What a joint has once, whichever of its mates bears it."""


def override_joints(draft: Draft, joint_names: dict[str, str]) -> dict[str, str]:
    """Apply the lines in their order, so that a later one wins; returns mate name → joint name, renamed where asked."""
    names = dict(joint_names)
    for index, spec in enumerate(draft.spec.overrides):
        fits = wildcard(spec.joints)
        joints: dict[str, list[int]] = {}
        for i, mate in enumerate(draft.mates):
            joint = _joint_of(mate, names)
            if mate.kind is not MateKind.FIXED and (fits(joint) or fits(mate.name)):
                joints.setdefault(joint, []).append(i)
        where = draft.place("overrides", index, "joints")
        if not joints:
            known = [*names.values(), *(mate.name for mate in draft.mates)]
            draft.findings.add("CB151", f"no joint fits {spec.joints!r}{draft.near(spec.joints, known)}", where)
        for joint, members in joints.items():
            _apply(draft, index, spec, joint, members)
        if spec.rename is not None and joints:
            _rename(draft, index, spec, joints, names)
    return names


def override_drives(draft: Draft, joint_names: dict[str, str], drives: tuple[Drive, ...]) -> tuple[Drive, ...]:
    """The drives with those that the lines change or add; a drive that is added has the name of its joint."""
    for index, spec in enumerate(draft.spec.overrides):
        if spec.drive is None:
            continue
        fits = wildcard(spec.rename or spec.joints)
        given = {key: value for key, value in spec.drive.model_dump().items() if value is not None}
        if given.get("reduction") == 0.0:
            message = f"{spec.joints!r}: a reduction of zero moves nothing"
            draft.findings.add("CB145", message, draft.place("overrides", index, "drive"))
            continue
        joints: dict[str, set[str]] = {}
        for mate in draft.mates:
            joint = _joint_of(mate, joint_names)
            if mate.kind is not MateKind.FIXED and (fits(joint) or fits(mate.name)):
                joints.setdefault(joint, {joint}).add(mate.name)
        for joint, names in joints.items():
            if any(d.joint in names for d in drives):
                drives = tuple(replace(d, **given) if d.joint in names else d for d in drives)
            else:
                where = draft.place("overrides", index, "drive", name=joint)
                drives = (*drives, replace(Drive(joint, joint, where=where), **given))
    return drives


def _joint_of(mate: Mate, names: dict[str, str]) -> str:
    """The name of the joint that a mate belongs to; its own where nobody named one."""
    return names.get(mate.name) or mate.joint_name or mate.name


def _apply(draft: Draft, index: int, spec: OverrideSpec, joint: str, members: list[int]) -> None:
    """The first mate of a joint bears what the joint has; its others have nothing of it."""
    given = {key: getattr(spec, key) for key in OF_A_JOINT if getattr(spec, key) is not None}
    for place, i in enumerate(members):
        changed: dict[str, Any] = dict(given) if place == 0 else dict.fromkeys(given, 0.0)
        draft.mates[i] = replace(draft.mates[i], **changed)
    if spec.limits is not None:
        freedom = joint_freedom(draft, joint, None)
        report_open(draft, joint, freedom, draft.place("overrides", index, "limits", name=joint))
        new = limit_in_si(draft, spec.limits, freedom)
        first = next((i for i in members if draft.mates[i].limit is not None), members[0])
        old = draft.mates[first].limit or Limit()
        kept = {key: value for key, value in asdict(new).items() if value is not None}
        draft.mates[first] = replace(draft.mates[first], limit=replace(old, **kept))


def _rename(draft: Draft, index: int, spec: OverrideSpec, joints: dict[str, list[int]], names: dict[str, str]) -> None:
    where = draft.place("overrides", index, "rename", name=spec.rename)
    taken = {_joint_of(mate, names) for mate in draft.mates} - set(joints)
    if len(joints) > 1:
        some = ", ".join(list(joints)[:4])
        message = f"{spec.joints!r} fits {len(joints)} joints ({some}), which cannot all be called {spec.rename!r}"
        draft.findings.add("CB155", message, where)
    elif spec.rename in taken:
        draft.findings.add("CB155", f"there is another joint {spec.rename!r}", where)
    else:
        for i in next(iter(joints.values())):
            draft.mates[i] = replace(draft.mates[i], joint_name=spec.rename)
            names[draft.mates[i].name] = str(spec.rename)
