"""Options that several commands share, and the way from them to a mechanism."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec

import typer

from cadbridge.errors import InputError

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.findings import Finding
    from cadbridge.mechanism.model import Mechanism

P = ParamSpec("P")


class MassFrom(StrEnum):
    """Where masses come from."""

    DECLARED = "declared"
    FROM_MESH = "from-mesh"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else on stdout.")]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings count as errors for the exit status.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Go on without what faults of the input left out (refused otherwise).")
]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", help="Tell these findings only: a code or its beginning (CB4); may be repeated."),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", help="Leave these findings out: a code or its beginning (CB404).")
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
