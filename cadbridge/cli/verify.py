"""`cadbridge verify SOURCE --to FORMAT`: does the export move the same?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.options import Json, KeepGoing, Limits, Reading, Strict, one_of, reads_source
from cadbridge.errors import InputError
from cadbridge.targets import TARGETS
from cadbridge.wording import count

if TYPE_CHECKING:
    from cadbridge.verification import Verification

ENGINES = {target.name: target.compared.engine for target in TARGETS if target.compared is not None}


To = Annotated[
    str,
    typer.Option(
        "--to",
        help=f"Format and engine: {', '.join(f'{name} ({engine})' for name, engine in ENGINES.items())}.",
        **one_of(tuple(ENGINES)),
    ),
]
Duration = Annotated[float, typer.Option("--duration", min=1e-3, help="Maximum duration of the motion test in s.")]
Against = Annotated[
    Path | None,
    typer.Option(
        "--against",
        help="Compare the export in the folder SOURCE with this source file instead of exporting it.",
        metavar="FILE",
    ),
]
Accept = Annotated[
    list[str] | None,
    typer.Option(
        "--accept",
        help="Losses of the export that are known (CB516): they do not count in the exit status.",
        metavar="CODE",
    ),
]


@reads_source
def verify(
    reading: Reading, to: To, duration: Duration = 1.0, against: Against = None, accept: Accept = None,
    limits: Limits = None, json: Json = False, strict: Strict = False, keep_going: KeepGoing = False,
) -> None:  # fmt: skip
    """Load an export into its engine and compare masses, poses and motion."""
    from cadbridge.cli.output import exit_status, print_findings, print_json, working
    from cadbridge.verification import verification_document
    from cadbridge.verification import verify as compare

    if against is not None and against.is_dir() and not reading.source.is_dir():
        raise InputError(
            "The folder of the export comes first, the source after --against: "
            f"cadbridge verify {against} --to {to} --against {reading.source}"
        )
    folder = None if against is None else reading.source
    reading = reading if against is None else replace(reading, source=against)
    mechanism = reading.limited_mechanism(keep_going, limits)
    with working(f"comparing with the engine of {to}"):
        result = compare(mechanism, to, duration=duration, folder=folder, accept=accept or ())
    if json:
        print_json(verification_document(result))
    else:
        _print(result)
        print_findings(result.findings)
    raise typer.Exit(exit_status(result.findings, strict))


def _print(result: Verification) -> None:
    """What was compared, for a person."""
    typer.echo(
        f"{result.to} in {result.engine}: {count(result.links, 'link')}, {count(result.joints, 'joint')} of one freedom"
    )
    typer.echo(f"  mass, relative             {result.mass:.1e}")
    typer.echo(f"  centre of mass, m          {result.centre:.1e}")
    typer.echo(f"  inertia, relative          {result.inertia:.1e}")
    typer.echo(f"  poses, m and rad           {result.pose:.1e}")
    if result.swing is None:
        typer.echo(f"  swing                      {result.verdict}: {result.remark}")
    else:
        typer.echo(f"  swing of {result.duration:.3g} s, rad and m   {result.swing:.1e}   ({result.in_words})")
        typer.echo(f"  largest motion of a joint  {result.moved:.1e}")
        for loss in result.losses:
            apart = "not known" if loss.difference is None else f"{loss.difference:.1e} {loss.unit} at {loss.joint}"
            typer.echo(f"  with {loss.what}, elsewhere by  {apart}")
    if result.step_error is not None:
        typer.echo(f"  the engine against itself at half its step  {result.step_error:.1e}")
    if result.coupling_error is not None:
        typer.echo(f"  the engine's own error in couplings  {result.coupling_error:.1e}")
    missing = [f"{what} ({why})" for what, why in result.not_compared.items()]
    typer.echo(f"  compared: {', '.join(result.compared)}")
    if missing:
        typer.echo(f"  not compared: {', '.join(missing)}")
    same = f"passed: what was compared is the {result.in_words if result.losses else 'same'}"
    typer.echo(f"  {same if result.passed else _not_passed(result)}")


def _not_passed(result: Verification) -> str:
    """That a comparison did not pass, which by itself would read as a difference."""
    if result.verdict == "not tested" and {f.code for f in result.findings if f.severity == "error"} <= {"CB538"}:
        return "not passed: what was compared is the same, but the motion was not tested"
    return "not passed"
