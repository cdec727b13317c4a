"""Options that several commands share, and the way from them to a mechanism."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec

import typer

from cadbridge.cli.failing import printed_errors
from cadbridge.options import MOST, Option, from_given, options_of
from cadbridge.readers.options import ReadOptions
from cadbridge.run_options import RunOptions

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.findings import Finding
    from cadbridge.mechanism.model import Mechanism

P = ParamSpec("P")


Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else on stdout.", rich_help_panel="Output")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Count warnings as errors in the exit status.", rich_help_panel="Output")
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Continue although input errors removed parts of the model.")
]
Limits = Annotated[
    bool | None,
    typer.Option(
        "--limits/--no-limits",
        help="Move each joint without limits until parts meet, and use these limits. By default with --recognise only, "
        "with a bounded amount of work.",
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        help="Report only these findings: codes (CB404), families (mates-file) or stages (mass), separated by commas.",
        metavar="CODES",
        rich_help_panel="Output",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        help="Leave out these findings: codes, families or stages, as in --select.",
        metavar="CODES",
        rich_help_panel="Output",
    ),
]


@dataclass(frozen=True)
class Reading:
    """A source, its mates file, and the options of reading; the first argument of most commands."""

    source: Path
    mates: Path | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    known: list[Finding] = field(default_factory=list)
    """The findings so far of what was read and built."""

    def assembly(self) -> Assembly:
        """Read the source, with a sign of life on a terminal."""
        from cadbridge.cli.output import working
        from cadbridge.reading import read

        with working(f"reading {self.source.name}"):
            assembly = read(self.source, mates=self.mates, options=self.options)
        self.known.extend(assembly.findings)
        return assembly

    def built(self, assembly: Assembly) -> Mechanism:
        """The mechanism of an assembly."""
        from cadbridge.mechanism import build

        mechanism = build(assembly)
        self.known.extend(mechanism.findings)
        return mechanism

    def whole_mechanism(self, keep_going: bool) -> Mechanism:
        """The mechanism, for what computes or writes a motion; refused where faults of the input left something out."""
        from cadbridge.errors import refuse_incomplete

        assembly = self.assembly()
        mechanism = self.built(assembly)
        refuse_incomplete((*assembly.findings, *mechanism.findings), keep_going)
        return mechanism

    def limited_mechanism(self, keep_going: bool, limits: bool | None) -> Mechanism:
        """The whole mechanism, with limits found by moving the joints that have none, where asked.

        Without a word on `limits` what was recognised has them, with the work that `recognise` allows.
        """
        mechanism = self.whole_mechanism(keep_going)
        if limits is False or (limits is None and not self.options.recognise):
            return mechanism
        from cadbridge.cli.output import working
        from cadbridge.simulation.limits import with_wished_limits

        with working("moving each joint"):
            return with_wished_limits(mechanism, limits, self.options.recognise)


_SOURCE = (
    Parameter(
        "source",
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[
            Path,
            typer.Argument(
                help="The CAD or robot file: STEP, FreeCAD, URDF, MJCF, SDF, USD, Simscape XML …", metavar="SOURCE"
            ),
        ],
    ),
    Parameter(
        "mates",
        Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            Path | None,
            typer.Option(
                "--mates", help="Mates file; by default NAME.mates.yaml beside the source.", rich_help_panel="Reading"
            ),
        ],
    ),
)


_METAVARS: dict[Any, str] = {Path: "FILE", float: "NUMBER", str: "TEXT"}
"""What stands for a value in the help."""


def refuse_unknown(given: str, words: Sequence[str]) -> None:
    """typer.BadParameter with the nearest word unless `given` is one of some words."""
    if given not in words:
        near = difflib.get_close_matches(given, words, n=1)
        meant = f"; did you mean {near[0]}?" if near else "."
        raise typer.BadParameter(f"{given!r} is not one of {', '.join(words)}{meant}")


def one_of(words: Sequence[str], listed: bool = True) -> dict[str, Any]:
    """The keywords of an option that takes one of some words: checked with the nearest named, completed by the shell.

    `listed`: the help shows the words themselves.
    """

    def check(given: str | None) -> str | None:
        if given is not None:
            refuse_unknown(given, words)
        return given

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return {"callback": check, "autocompletion": complete, "metavar": "|".join(words) if listed else "NAME"}


def parameters_of(kind: type) -> list[Parameter]:
    """The declared options of a dataclass as parameters of a command, by their keys."""
    panel = "Reading" if kind is ReadOptions else None
    return [_parameter(declared, panel) for declared in options_of(kind).values()]


def _parameter(declared: Option, panel: str | None) -> Parameter:
    form: Any = declared.form
    if isinstance(declared.form, tuple):
        kind: Any = str | None
        shown = typer.Option(declared.flag, help=declared.help, rich_help_panel=panel, **one_of(declared.form))
    else:
        kind = bool if form is bool else (list[form] if declared.many else form) | None
        word = None if form is bool else declared.metavar or _METAVARS[form]
        check = _number if form is float else None
        shown = typer.Option(
            declared.flag, help=declared.help, min=declared.least, metavar=word, rich_help_panel=panel, callback=check
        )
    default = False if form is bool else None
    return Parameter(declared.key, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def _number(given: float | None) -> float | None:
    # Of "nan" no comparison with a bound is true, so that no bound refuses it.
    if given is not None and not given <= MOST:
        raise typer.BadParameter(f"{given:g} is not a number up to {MOST:g}.")
    return given


def reads_source(command: Callable[Concatenate[Reading, P], None]) -> Callable[..., None]:
    """A command as Typer wants it: source, mates file and the options of reading in place of its first parameter.

    A parameter of the type RunOptions is replaced by the options that it declares.
    """
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    runs = [p.name for p in own if p.annotation is RunOptions]

    @functools.wraps(command)
    def typed(**values: Any) -> None:
        source, mates = values.pop("source"), values.pop("mates")
        known: list[Finding] = []
        with printed_errors(command.__name__, values, source, known):
            _configure(values, source)
            reading = Reading(source, mates, from_given(ReadOptions, _taken(ReadOptions, values)), known)
            values |= {name: from_given(RunOptions, _taken(RunOptions, values)) for name in runs}
            command(reading, **values)  # type: ignore[call-arg]  # Typer hands over what the signature below asks for

    source, mates = _SOURCE
    rest = [q for p in own for q in (parameters_of(RunOptions) if p.name in runs else [p])]
    rest = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in rest]
    parameters = [source, *rest, mates, *parameters_of(ReadOptions)]
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what `inspect` and Typer read
    typed.__annotations__ = {p.name: p.annotation for p in parameters}
    return typed


def _configure(values: dict[str, Any], source: Path) -> None:
    """Fill what the command line leaves open from the folder's `cadbridge.toml`, and say which options that were."""
    from cadbridge.cli.config import config_for
    from cadbridge.cli.output import print_next
    from cadbridge.readers.registry import unused_keys

    config = config_for(source)
    unused = unused_keys(source) if config.values else ()
    used = [key for key in config.values if key in values and not values[key] and key not in unused]
    values |= {key: config.values[key] for key in used}
    if used:
        print_next(f"{config.path}: {', '.join(used)}")


def _taken(kind: type, values: dict[str, Any]) -> dict[str, Any]:
    """The values of the declared options of a dataclass, by their keys, taken out of `values`."""
    return {declared.key: values.pop(declared.key) for declared in options_of(kind).values()}
