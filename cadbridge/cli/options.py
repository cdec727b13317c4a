"""Options that several commands share, and the way from them to a mechanism."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
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
