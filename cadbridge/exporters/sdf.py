"""SDFormat: model.sdf (1.11), model-1_9.sdf and model.config, meshes as OBJ; for Drake and Gazebo.

Every link's frame is its joint's frame as designed, so that each joint's pose is that of its child. Gears become mimics
where one joint follows one other; screws and ball joints are the format's own.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from cadbridge.exporters import sidecars
from cadbridge.exporters.markup import add, document
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.plan import LinkPlan, make_plan, report_tree
from cadbridge.exporters.ranges import report_apart, within_followers
from cadbridge.exporters.sdf_writer import NATIVE, ModelWriter, Older, servos_of
from cadbridge.exporters.tree import spanning_tree
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import Mechanism

MESHES = "meshes"
OLDER = "model-1_9.sdf"
"""The same model for programs that take no newer version; model.config names both, and each takes the newest it can."""


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the model first."""
    tree = spanning_tree(mechanism)
    plan = make_plan(
        tree, findings, options, folders=(MESHES, MESHES), masses_needed=True, meshes="obj", one_namespace=True
    )
    _report(plan, findings)
    if findings.errors:
        return {}
    screws = {link.joint.name for link in tree.links if link.kind.coupled and link.joint is not None}
    # The format's own screw holds its coupling itself.
    dependences = plan.dependences(findings, screws)
    sums = [d for d in dependences if len(d.terms) != 1]
    for d in sums:
        joint = plan.joint_names[d.dependent]
        drivers = " and ".join(plan.joint_names[k] for k, _ in d.terms) or "none: it stands still"
        findings.add("CB507", f"joint {joint} follows {drivers}", Where(item=joint))
    mimics = {d.dependent: d for d in dependences if len(d.terms) == 1}
    left_out = [*tree.closures, *(link.joint for link in tree.links if link.joint and link.kind.unbound)]
    return {
        "model.sdf": ModelWriter(plan, mimics).model(name),
        OLDER: Older(plan, mimics, findings).model(name),
        "model.config": _config(name),
        sidecars.CLOSURES: sidecars.closures(tree, plan.link_names, plan.joint_names, left_out, sums, plan.lost),
        sidecars.LOSSES: sidecars.losses("sdf", name, plan.names, findings, mechanism.assembly.home),
        **plan.meshes.contents,
    }


def _report(plan: LinkPlan, findings: Findings) -> None:
    """What SDFormat has no place for."""
    report_tree(plan, findings, NATIVE)
    mechanism = plan.mechanism
    report_apart(within_followers(mechanism)[1], findings)
    sprung = [j.name for j in mechanism.joints if j.stiffness and len(j.freedom.T) > 1]
    if sprung:
        findings.add("CB535", f"springs are left out: {', '.join(sprung)}", items=sprung)
    held = servos_of(plan)
    for drive in mechanism.drives:
        if drive.name not in held:
            findings.add("CB520", f"drive {drive.name} on {drive.joint} is left out", drive.where)


def _config(name: str) -> bytes:
    """The manifest by which Gazebo knows a model folder."""
    root = ET.Element("model")
    add(root, "name").text = name
    add(root, "version").text = "1.0"
    for file, version in (("model.sdf", ModelWriter.version), (OLDER, Older.version)):
        add(root, "sdf", version=version).text = file
    add(root, "description").text = f"{name}, written by cadbridge."
    return document(root)
