"""Options that several commands share, and the way from them to a mechanism."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.errors import InputError

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.findings import Finding
    from cadbridge.mechanism.model import Mechanism


class MassFrom(StrEnum):
    """Where masses come from."""

    DECLARED = "declared"
    FROM_MESH = "from-mesh"


Source = Annotated[
    Path,
    typer.Argument(help="A file of any format that is read (STEP, URDF, Simscape XML, FreeCAD …).", metavar="SOURCE"),
]
Mates = Annotated[
    Path | None, typer.Option("--mates", help="The mates file; by default NAME.mates.yaml beside the source.")
]
Density = Annotated[
    float | None, typer.Option("--density", min=1e-3, help="kg/m³, for parts that nothing else gives one.")
]
Material = Annotated[str | None, typer.Option("--material", help="Material, for parts that nothing else gives one.")]
Mass = Annotated[MassFrom, typer.Option("--mass", help="Take declared masses, or weigh the meshes (needs a density).")]
PackageDir = Annotated[
    list[Path] | None, typer.Option("--package-dir", help="A folder with ROS packages; may be repeated.")
]
Units = Annotated[
    str | None, typer.Option("--units", help="Length unit of the source (mm, m, in …), instead of its own.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else on stdout.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Go on without what faults of the input left out (refused otherwise).")
]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings count as errors for the exit status.")]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", help="Tell these findings only: a code or its beginning (CB4); may be repeated."),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", help="Leave these findings out: a code or its beginning (CB404).")
]


def chooser(select: list[str] | None, ignore: list[str] | None) -> Callable[[Iterable[Finding]], tuple[Finding, ...]]:
    """What leaves of findings those that are selected and not ignored; where both match, the longer pattern counts.

    Codes may be separated by commas. InputError for what begins no code.
    """
    chosen, left_out = _patterns(select), _patterns(ignore)

    def takes(code: str) -> bool:
        yes = max((len(p) for p in chosen if code.startswith(p)), default=-1) if chosen else 0
        return yes > max((len(p) for p in left_out if code.startswith(p)), default=-1)

    return lambda findings: tuple(f for f in findings if takes(f.code))


def _patterns(given: list[str] | None) -> list[str]:
    from cadbridge.catalogue import CATALOGUE

    patterns = [p.strip().upper() for text in given or () for p in text.split(",") if p.strip()]
    for pattern in patterns:
        if not any(code.startswith(pattern) for code in CATALOGUE):
            near = difflib.get_close_matches(pattern, CATALOGUE, n=3, cutoff=0.6)
            raise InputError(
                f"No finding has a code that begins with {pattern}."
                + (f" Near it: {', '.join(near)}." if near else "")
                + " `cadbridge explain` lists all."
            )
    return patterns


def read_assembly(
    source: Path,
    mates: Path | None = None,
    *,
    density: float | None = None,
    material: str | None = None,
    mass: MassFrom = MassFrom.DECLARED,
    package_dir: list[Path] | None = None,
    units: str | None = None,
) -> Assembly:
    """Read a source with the options of the command line, telling that it takes its time."""
    from cadbridge.cli.output import working
    from cadbridge.readers import ReadOptions, read

    options = ReadOptions(
        package_dirs=tuple(package_dir or ()),
        density=density,
        material=material,
        mass_from="mesh" if mass is MassFrom.FROM_MESH else "declared",
        length_unit=units,
    )
    with working(f"reading {source.name}"):
        return read(source, mates=mates, options=options)


def build_whole(assembly: Assembly, keep_going: bool) -> Mechanism:
    """The mechanism, for what computes or writes a motion; refused where faults of the input left something out."""
    from cadbridge.findings import refuse_incomplete
    from cadbridge.mechanism import build

    mechanism = build(assembly)
    refuse_incomplete((*assembly.findings, *mechanism.findings), keep_going)
    return mechanism
