"""`cadbridge convert SOURCE --to FORMAT -o DIR`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from cadbridge.cli.options import Json, KeepGoing, Limits, Reading, Strict, one_of, reads_source, refuse_unknown
from cadbridge.targets import target_named, target_names

SHAPES = ("as-is", "box", "hull", "decomposition", "primitives", "simplified")
"""The words of `exporters.COLLISIONS`, here so that the help need not import them."""


To = Annotated[
    str,
    typer.Option("--to", help=f"The format: {', '.join(target_names())}.", metavar="NAME", autocompletion=target_names),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Write into this folder.", metavar="FOLDER")]
Played = Annotated[
    Path | None, typer.Option("--run", help="Animate a GLB with this trajectory of the model.", metavar="RUN.parquet")
]
Collision = Annotated[
    str,
    typer.Option("--collision", help=f"The collision geometry: {', '.join(SHAPES)}.", **one_of(SHAPES, listed=False)),
]
Tolerance = Annotated[
    float,
    typer.Option(
        "--collision-tolerance",
        help="Maximum distance of collision geometry from the part, relative to its size.",
        metavar="SHARE",
    ),
]
Poses = Annotated[
    int, typer.Option("--poses", min=0, help="Number of poses to compute the collision matrix of a ROS 2 package.")
]
Acting = Annotated[
    Path | None, typer.Option("--scenario", help="Motors, loads and initial state of an FMU.", metavar="FILE.yaml")
]
Fmi = Annotated[int, typer.Option("--fmi", help="The version of an FMU: 2 or 3.", min=2, max=3)]
Reactions = Annotated[bool, typer.Option("--reactions", help="Add the joint reactions to the outputs of an FMU.")]


@reads_source
def convert(
    reading: Reading, to: To, output: Output, run: Played = None, collision: Collision = "as-is",
    collision_tolerance: Tolerance = 0.01, poses: Poses = 10_000, scenario: Acting = None, fmi: Fmi = 3,
    limits: Limits = None, reactions: Reactions = False, json: Json = False, strict: Strict = False,
    keep_going: KeepGoing = False,
) -> None:  # fmt: skip
    """Export to URDF, MJCF, SDF, glTF and others; report what is lost."""
    from cadbridge.cli.output import exit_status, print_findings, print_json, print_next, working
    from cadbridge.exporters import ExportOptions, export
    from cadbridge.exporters.result import refuse_foreign
    from cadbridge.report import export_document
    from cadbridge.wording import count
    from solver.compilation.caches import cache_folder

    if target_named(to) is None:
        refuse_unknown(to, target_names())
    refuse_foreign(output)
    mechanism = reading.limited_mechanism(keep_going, limits)
    with working(f"writing {to}"):
        chosen = (poses, scenario, fmi, reactions)
        options = ExportOptions(run, collision, collision_tolerance, cache_folder(), *chosen)
        result = export(mechanism, output, to=to, options=options)
    findings = (*mechanism.assembly.findings, *mechanism.findings, *result.findings)
    if json:
        print_json(export_document(mechanism, result, to))
    else:
        for path in result.files:
            typer.echo(path)
        print_findings(findings)
        print_next(f"Wrote {count(len(result.files), 'file')} into {output}.", *_next_of(to, output, result.files))
    raise typer.Exit(exit_status(findings, strict))


def _next_of(to: str, output: Path, files: Iterable[str | Path]) -> tuple[str, ...]:
    """How to open what was written; a scene comes before the model within it."""
    from cadbridge.cli.output import typed

    target = target_named(to)
    if target is None or not target.opens_with:
        return ()
    able = (Path(f) for f in files if str(f).endswith(target.opened))
    found = sorted(able, key=lambda f: (f.stem != "scene", str(f)))
    if not found:
        return ()
    path = found[0] if found[0].exists() else output / found[0]
    if target.is_package:
        path = path.parents[1]
    return (f"Next: {target.opens_with.format(typed(path), path.name)}",)
