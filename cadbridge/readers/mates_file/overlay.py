"""The mates file laid over an assembly: the order of its sections."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from cadbridge.assembly import Assembly, NamedFrame
from cadbridge.frames import Pose, frame_of_person
from cadbridge.readers.mates_file.contact import attach_by_contact
from cadbridge.readers.mates_file.document import MatesDocument
from cadbridge.readers.mates_file.draft import Draft, last
from cadbridge.readers.mates_file.gears import add_gears
from cadbridge.readers.mates_file.joint_couplings import add_joint_couplings
from cadbridge.readers.mates_file.left_out import leave_out
from cadbridge.readers.mates_file.mates import add_mates, drives, home_pose, name_joints
from cadbridge.readers.mates_file.overrides import JointOverrides, JointsOf
from cadbridge.readers.mates_file.part_overrides import override_parts
from cadbridge.readers.mates_file.structure import attach_by_name, restructure
from cadbridge.readers.mates_file.weights import set_densities, set_masses


def overlay(assembly: Assembly, document: MatesDocument, joints_of: JointsOf) -> Assembly:
    """The assembly with all that the mates file adds; what is faulty in the file is left out and reported.

    `joints_of` makes the joints of mates, which overrides name.

    Where nothing of the file can be used, the assembly with the file's findings.
    """
    if document.spec is None:
        return assembly.with_findings(document.findings.as_tuple())
    draft = Draft(assembly, document)
    # The order counts. Components are made before mates name them; densities before masses, which hold over them;
    # contact after mates, since only what no mate holds is loose; leave_out after all mates and gears are there.
    restructure(draft)
    attach_by_name(draft)
    set_densities(draft)
    add_mates(draft)
    add_gears(draft)
    attach_by_contact(draft)
    leave_out(draft)
    set_masses(draft)
    override_parts(draft)
    _add_frames(draft)
    # Joints get their stable names first: patterns, couplings, home pose and drives refer to those.
    overrides = JointOverrides(draft, name_joints(draft), joints_of)
    overrides.apply()
    joint_names = overrides.names
    add_joint_couplings(draft, joint_names)
    home = home_pose(draft, joint_names)
    motors = overrides.drives(drives(draft, joint_names))
    units = draft.spec.units
    ledger = f"mates file: {units.length} and {units.angle} → m and rad; kg, kg/m³ and kg m² as they are"
    return replace(
        draft.finished(),
        joint_names=joint_names,
        home=home,
        drives=motors,
        units=(*assembly.units, ledger),
        extra={**assembly.extra, "mates_file": {"name": Path(document.file).name, "mates": document.given}},
    )


def _add_frames(draft: Draft) -> None:
    """Frames that people refer to, into their component's frame C."""
    for index, spec in enumerate(draft.spec.frames):
        component = draft.component(spec.component, draft.place("frames", index, "component", name=spec.name))
        if component is None:
            continue
        X_CP = Pose()
        if spec.part is not None:
            found = [n for n in component.instances if spec.part in (n, last(n)) or n.endswith("/" + spec.part)]
            if len(found) != 1:
                what = f"{len(found)} parts are called" if found else "there is no part"
                message = f"{what} {spec.part!r} in {component.name!r}"
                draft.findings.add("CB146", message, draft.place("frames", index, "part", name=spec.name))
                continue
            X_CP = component.X_WC.inverse() @ draft.instances[found[0]].X_WI
        try:
            R = frame_of_person(spec.z, spec.x)
        except ValueError:
            where = draft.place("frames", index, name=spec.name)
            draft.findings.add("CB145", f"frame {spec.name!r}: z is zero, or x is parallel to it", where)
            continue
        X_PF = Pose(R, np.asarray(spec.point, dtype=float) * draft.length)
        draft.frames.append(NamedFrame(spec.name, component.name, X_CP @ X_PF))
