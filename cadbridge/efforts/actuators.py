"""Which joints drive a mechanism along a motion: those named, else those declared, else those prescribed."""

from __future__ import annotations

import numpy as np

from cadbridge.efforts.coordinates import Measured
from cadbridge.efforts.follow import Followed, first_few
from cadbridge.efforts.guides import joint_coordinate
from cadbridge.efforts.motion import Motion
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Joint
from solver.algebra.rank import null_space
from solver.analyses.minimal import jacobian
from solver.equations.system import System


def declared_drives(lowered: Lowered) -> tuple[Joint, ...]:
    """The joints of one freedom that the source declares to be driven."""
    found = (lowered.coordinate_of(drive.joint) for drive in lowered.mechanism.drives)
    return tuple(dict.fromkeys(lowered.joints[i] for i in found if i is not None))


def driven_by(
    lowered: Lowered, system: System, motion: Motion, followed: Followed, findings: Findings
) -> tuple[Joint, ...]:
    """The joints that drive; finding (CB674, CB675) where none is named and the drives are not the prescribed.

    Drives that leave a freedom are not taken where bodies are not prescribed: the prescribed joints are.
    """
    by_name = {j.name: j for j in lowered.joints}
    prescribed = tuple(by_name[path.joint] for path in motion.joints)
    drives = declared_drives(lowered)
    if motion.actuators:
        return tuple(by_name[name] for name in motion.actuators)
    if not drives or set(drives) == set(prescribed):
        return prescribed
    if motion.bodies and not prescribed:
        return drives
    names, others = [j.name for j in drives], [j.name for j in prescribed]
    if motion.bodies or _drive_all(lowered, system, followed, drives):
        message = (
            f"no actuators are named: {first_few(names)} drive, as declared, and not {first_few(others)}, prescribed"
        )
        findings.add("CB674", message, Where(item=names[0]), items=names)
        return drives
    message = (
        f"{first_few(names)}, declared as drives, leave a freedom: {first_few(others)}, prescribed, are taken to drive"
    )
    findings.add("CB675", message, Where(item=names[0]), items=names)
    return prescribed


def _drive_all(lowered: Lowered, system: System, followed: Followed, drives: tuple[Joint, ...]) -> bool:
    """Whether drives move every freedom that is prescribed, in the middle of the motion."""
    T = followed.trajectory
    k = len(T.t) // 2
    state = T.state(k)
    N = np.linalg.qr(null_space(jacobian(system, state)[0], system.length))[0]
    rows = Measured(system.model, [joint_coordinate(lowered, j.name) for j in drives]).gradients(state) @ N
    # Rates of joints in an orthonormal basis of the motions: exact to 1e-12 or so, and a drive that moves a freedom
    # does so through its gears by more than 1e-5.
    return bool(np.linalg.matrix_rank(rows, 1e-9) >= N.shape[1] - followed.idle)
