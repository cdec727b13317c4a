"""The files beside the model: `losses.json` (what was lost, what was renamed) and `closures.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np

from cadbridge.assembly import Limit
from cadbridge.exporters.names import clean
from cadbridge.exporters.relations import LinearRelation
from cadbridge.exporters.tree import Tree, joint_pose
from cadbridge.findings import Finding
from cadbridge.frames import Pose
from cadbridge.mechanism.model import Joint
from solver.constraints import Primitive

LOSSES = "losses.json"
CLOSURES = "closures.json"
LOSSES_FORMAT = "cadbridge.losses/1"
CLOSURES_FORMAT = "cadbridge.closures/1"


def json_bytes(document: dict[str, Any]) -> bytes:
    """A document as indented JSON, ending in a newline; bytes of names that are no UTF-8 as \\udcXX."""
    return (json.dumps(document, indent=2, ensure_ascii=False, default=_plain) + "\n").encode(errors="backslashreplace")


def _plain(value: Any) -> Any:
    """What JSON does not know: arrays, and values with fields."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Pose):
        return {"xyz": value.p.tolist(), "rpy": value.rpy().tolist()}
    return {"kind": type(value).__name__} | {f.name: getattr(value, f.name) for f in fields(value)}


def losses(
    to: str, name: str, names: dict[str, dict[str, str]], findings: Iterable[Finding], home: dict[str, float]
) -> bytes:
    """`losses.json`: the names given (new → old) by kind, the home pose, and the findings of the export."""
    return json_bytes(
        {
            "format": LOSSES_FORMAT,
            "to": to,
            "name": name,
            "names": names,
            "home": dict(sorted(home.items())),
            "findings": [f.document() for f in findings],
        }
    )


def closures(
    tree: Tree, link_names: list[str], joint_names: list[str], joints: Iterable[Joint],
    dependences: Iterable[LinearRelation] = (), couplings: Iterable[str] = (), active: Iterable[str] | None = None,
) -> bytes:  # fmt: skip
    """`closures.json`: joints that are not in the tree, coordinates that follow several, couplings left out.

    Poses are in link frames; primitives refer to links by name, with points and directions in
    the frame of the body (`X_LB` places it in its link). `active`: the joints from which all others follow.
    """
    by_name = {c.name: c.primitive for c in tree.mechanism.couplings}
    used = list(joints)
    left_out = {name: by_name[name] for name in couplings}
    bodies = {b for p in left_out.values() for b in p.bodies} | {b for j in used for b in (j.a, j.b)}
    return json_bytes(
        {
            "format": CLOSURES_FORMAT,
            **({} if active is None else {"active": list(active)}),
            "joints": [_joint(tree, joint, link_names) for joint in used],
            "follows": [
                {
                    "joint": joint_names[d.dependent],
                    "terms": [{"joint": joint_names[k], "factor": c} for k, c in d.terms],
                    "offset": d.offset,
                }
                for d in dependences
            ],
            "couplings": [{"name": n, "primitive": p} for n, p in left_out.items()],
            "bodies": [_body(tree, b, link_names) for b in sorted(bodies)],
        }
    )


def _body(tree: Tree, body: int, link_names: list[str]) -> dict[str, Any]:
    i = tree.link_of(body)
    X_LB = tree.links[i].X_WL.inverse() @ tree.mechanism.X_WB(body)
    return {"index": body, "link": link_names[i], "X_LB": X_LB}


def _joint(tree: Tree, joint: Joint, link_names: list[str]) -> dict[str, Any]:
    X_WJ = joint_pose(tree.mechanism, joint)
    a, b = tree.link_of(joint.a), tree.link_of(joint.b)
    limit: Limit | None = joint.limit
    primitives: tuple[Primitive, ...] = joint.primitives
    return {
        "name": clean(joint.name, "joint"),
        "original": joint.name,
        "type": joint.type,
        "link_a": link_names[a],
        "link_b": link_names[b],
        "X_LaJ": tree.links[a].X_WL.inverse() @ X_WJ,
        "X_LbJ": tree.links[b].X_WL.inverse() @ X_WJ,
        "pitch": joint.pitch,
        "limit": limit,
        "mates": list(joint.mates),
        "primitives": list(primitives),
    }
