"""A ROS 2 description package: layered xacro, ros2_control, launch files, SRDF, and a relay that closes loops.

The model is that of `--to urdf`, and xacro expands to it. What a tree cannot hold (loops, joints that follow several
others) is solved while ROS runs: a node of the package takes the states of the active joints, computes the others from
closures.json and publishes all. Its mathematics is the module `loop_closure`, which needs numpy alone; the export uses
the same module to sample poses.
"""

from __future__ import annotations

from cadbridge.exporters import sidecars
from cadbridge.exporters.kept import extensions_of
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.ros import package_name
from cadbridge.exporters.ros2 import control, description, package, srdf
from cadbridge.exporters.ros2.collisions import collision_matrix
from cadbridge.exporters.ros2.roles import Roles, roles_of
from cadbridge.exporters.urdf import by_package, closures_of, describe
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import Mechanism


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the model first."""
    described = describe(mechanism, name, findings, options)
    roles = roles_of(described)
    folder = package_name(name)
    _report(roles, mechanism, folder, findings)
    matrix = collision_matrix(described, roles, options.poses, findings)
    robot = by_package(described.robot, folder)
    files = {
        **description.files(robot, name, folder, described.plan.link_names[0], bool(roles.controlled)),
        **(control.files(roles, name, robot) if roles.controlled else {}),
        f"config/{name}.srdf": srdf.document_of(described, roles, name, matrix),
        **package.files(name, folder, described.plan.link_names[0], roles),
        **({f"config/{sidecars.CLOSURES}": closures_of(described, roles.active)} if roles.relayed else {}),
        **described.plan.meshes.contents,
    }
    return {
        **{f"{folder}/{path}": data for path, data in files.items()},
        sidecars.LOSSES: sidecars.losses("ros2", name, described.plan.names, findings, mechanism.assembly.home),
    }


def _report(roles: Roles, mechanism: Mechanism, folder: str, findings: Findings) -> None:
    """What ROS carries otherwise than the mechanism says."""
    source = mechanism.assembly.name
    if folder != f"{source}_description":
        findings.add("CB550", f"{source!r} became the package {folder}")
    if roles.undriven:
        names = ", ".join(roles.undriven)
        findings.add("CB551", f"no drive moves {names}: they have states and no commands", items=roles.undriven)
    if roles.surplus:
        names = ", ".join(roles.surplus)
        findings.add(
            "CB552",
            f"the drives on {names} take no commands: these joints follow the other driven ones",
            items=roles.surplus,
        )
    for closure, reason in roles.left_open.items():
        findings.add("CB553", f"the relay does not close {closure}: {reason}", Where(item=closure))
    # rad or m: by less than a µm the home pose fulfils the loops, as controllers see it.
    if roles.gap > 1e-6:
        findings.add("CB554", f"the loops are open by {roles.gap:.2g} (m, rad) as designed")
    if roles.floating:
        findings.add(
            "CB555",
            f"no transform is published for the floating joints {', '.join(roles.floating)}",
            items=roles.floating,
        )
    if roles.controlled and extensions_of(mechanism.assembly).get("ros2_control"):
        findings.add(
            "CB561", "the package's <ros2_control> replaces that of the source", Where(file=mechanism.assembly.source)
        )
    if roles.relayed:
        findings.add("CB560", f"the relay computes the joints {', '.join(roles.passive)}", items=roles.passive)
    if not roles.controlled:
        findings.add("CB556", "no joint has one freedom, so the package has no ros2_control part")
