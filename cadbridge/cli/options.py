"""Options that several commands share, and the way from them to a mechanism."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec

import typer

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.mechanism.model import Mechanism

P = ParamSpec("P")


class MassFrom(StrEnum):
    """Where masses come from."""

    DECLARED = "declared"
    FROM_MESH = "from-mesh"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else on stdout.")]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings count as errors for the exit status.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Continue although input errors removed parts of the model.")
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select", help="Report only these findings: codes (CB404), families (mates-file) or stages (mass), by commas."
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", help="Leave out these findings: codes, families or stages, as in --select."),
]


@dataclass(frozen=True)
class Reading:
    """A source, and what a person may say about how it is read; the first argument of most commands."""

    source: Annotated[
        Path,
        typer.Argument(
            help="A file of any format that is read (STEP, URDF, Simscape XML, FreeCAD …).", metavar="SOURCE"
        ),
    ]
    mates: Annotated[
        Path | None, typer.Option("--mates", help="The mates file; by default NAME.mates.yaml beside the source.")
    ] = None
    density: Annotated[
        float | None, typer.Option("--density", min=1e-3, help="kg/m³, for parts that nothing else gives one.")
    ] = None
    material: Annotated[
        str | None, typer.Option("--material", help="Material, for parts that nothing else gives one.")
    ] = None
    mass: Annotated[
        MassFrom, typer.Option("--mass", help="Take declared masses, or weigh the meshes (needs a density).")
    ] = MassFrom.DECLARED
    package_dir: Annotated[
        list[Path] | None, typer.Option("--package-dir", help="A folder with ROS packages; may be repeated.")
    ] = None
    units: Annotated[
        str | None, typer.Option("--units", help="Length unit of the source (mm, m, in …), instead of its own.")
    ] = None

    def assembly(self) -> Assembly:
        """Read the source, telling on a terminal that it takes its time."""
        from cadbridge.cli.output import working
        from cadbridge.readers import ReadOptions, read

        options = ReadOptions(
            package_dirs=tuple(self.package_dir or ()),
            density=self.density,
            material=self.material,
            mass_from="mesh" if self.mass is MassFrom.FROM_MESH else "declared",
            length_unit=self.units,
        )
        with working(f"reading {self.source.name}"):
            return read(self.source, mates=self.mates, options=options)

    def whole_mechanism(self, keep_going: bool) -> Mechanism:
        """The mechanism, for what computes or writes a motion; refused where faults of the input left something out."""
        from cadbridge.findings import refuse_incomplete
        from cadbridge.mechanism import build

        assembly = self.assembly()
        mechanism = build(assembly)
        refuse_incomplete((*assembly.findings, *mechanism.findings), keep_going)
        return mechanism


def reads_source(command: Callable[Concatenate[Reading, P], None]) -> Callable[..., None]:
    """A command as Typer wants it: the fields of `Reading` stand in place of its first parameter."""
    told = list(inspect.signature(Reading, eval_str=True).parameters.values())
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

    @functools.wraps(command)
    def typed(**values: Any) -> None:
        reading = Reading(**{field.name: values.pop(field.name) for field in told})
        command(reading, **values)  # type: ignore[call-arg]  # Typer hands over what the signature below asks for

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (told[0], *own, *told[1:])]
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    typed.__annotations__ = {p.name: p.annotation for p in parameters}
    return typed
