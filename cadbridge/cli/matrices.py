"""`cadbridge matrices SOURCE`: the matrices of a mechanism's spanning tree at a pose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.options import Json, KeepGoing, Reading, Strict, reads_source
from cadbridge.errors import InputError
from cadbridge.options import MOST

if TYPE_CHECKING:
    from cadbridge.findings import Findings
    from cadbridge.mechanism import Mechanism
    from cadbridge.tree.matrices import Matrices


Pose = Annotated[
    list[str] | None,
    typer.Option(
        "--pose", help="Value of a joint, NAME=VALUE, in degrees or mm; may be repeated.", metavar="NAME=VALUE"
    ),
]
Motion = Annotated[
    Path | None, typer.Option("--motion", help="Take pose, rates and accelerations from this motion, at --time.")
]
Time = Annotated[float, typer.Option("--time", help="Time in the motion, in s.", metavar="NUMBER")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the matrices: NAME.npz, or a folder for one CSV each.")
]


@reads_source
def matrices(
    reading: Reading, pose: Pose = None, motion: Motion = None, time: Time = 0.0, output: Output = None,
    json: Json = False, strict: Strict = False, keep_going: KeepGoing = False,
) -> None:  # fmt: skip
    """Compute inertia matrix, its factors, orthogonal complement, topology, base reaction."""
    from cadbridge.cli.output import exit_status, print_findings, print_json, print_next, working
    from cadbridge.findings import Findings
    from cadbridge.report.matrices import matrices_document, matrices_text, write_matrices
    from cadbridge.report.terminal import width

    if motion is not None and pose:
        raise InputError("Give --pose or --motion, not both: the motion has its own pose.")
    if motion is None and time:
        raise InputError("--time is a time in a motion: give --motion too.")
    mechanism = reading.whole_mechanism(keep_going)
    findings = Findings()
    with working("computing the matrices"):
        found = _computed(mechanism, pose or [], motion, time, findings)
    if output is not None:
        write_matrices(found, output)
    everything_found = (*mechanism.assembly.findings, *mechanism.findings, *findings)
    if json:
        print_json(matrices_document(found, everything_found))
    else:
        typer.echo(matrices_text(found, width()))
        print_findings(everything_found)
        if output is not None:
            print_next(f"Wrote {output}.")
    raise typer.Exit(exit_status(everything_found, strict))


def _computed(mechanism: Mechanism, pose: list[str], motion: Path | None, time: float, findings: Findings) -> Matrices:
    from cadbridge.efforts import load_motion
    from cadbridge.efforts.matrices import matrices_along, matrices_of

    if motion is not None:
        return matrices_along(mechanism, load_motion(motion, mechanism), time, findings)
    return matrices_of(mechanism, _values(pose), findings)


def _values(pose: list[str]) -> dict[str, float]:
    """Joint values as typed; InputError for what is no NAME=VALUE."""
    found = {}
    for text in pose:
        # The last sign: names of joints may have one too.
        name, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not equals or not name or not abs(number) <= MOST:
            raise InputError(
                f"--pose {text}: write NAME=VALUE with a number in degrees or mm (up to {MOST:g}), such as A1=30."
            )
        found[name] = number
    return found
