"""`cadbridge recognise SOURCE`: mates, joints and gears from bare geometry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.options import Json, Reading, Strict, reads_source

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.readers import ReadOptions
    from cadbridge.recognition import Recognition


Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write this mates file instead of printing it.", metavar="FILE"),
]
NoNames = Annotated[bool, typer.Option("--no-names", help="Ignore the names of parts; use the geometry alone.")]
MovedTo = Annotated[
    bool | None,
    typer.Option(
        "--limits/--no-limits",
        help="Move each joint until parts meet, and write its limits. By default with a bounded amount of work.",
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Overwrite an edited mates file. By default your lines are kept.")
]
Html = Annotated[
    Path | None,
    typer.Option("--html", help="Write the proposals with their evidence as one HTML page that works offline."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", help="Ignore parts whose names match, such as 'cable*'; may be repeated.", metavar="PATTERN"
    ),
]
Ask = Annotated[bool, typer.Option("--ask", help="Ask about uncertain decisions; keep the answers in the mates file.")]
Questions = Annotated[bool, typer.Option("--questions", help="Print the questions that --ask would ask, as JSON.")]


@reads_source
def recognise(
    reading: Reading, output: Output = None, no_names: NoNames = False, limits: MovedTo = None,
    overwrite: Overwrite = False, html: Html = None, ignore: Ignore = None, ask: Ask = False,
    questions: Questions = False, json: Json = False, strict: Strict = False,
) -> None:  # fmt: skip
    """Find bodies, joints and gears in bare geometry; write a mates file."""
    from cadbridge.cli.asking import answered
    from cadbridge.cli.output import exit_status, print_findings, print_json, working
    from cadbridge.findings import Findings
    from cadbridge.recognition import beside_own, mates_text, recognition_document
    from cadbridge.recognition.choice.reporting import unknowable
    from cadbridge.recognition.evidence.gathering import report_unmatched
    from cadbridge.recognition.questions.inquiry import Inquiry
    from cadbridge.recognition.questions.questions import questions_document
    from cadbridge.recognition.writing.edited import write_mates
    from cadbridge.recognition.writing.hints_text import hints_of

    assembly = _read(reading, output)
    unmatched = Findings()
    report_unmatched(assembly, ignore or (), unmatched)
    reading.known.extend((*assembly.findings, *unmatched.as_tuple()))
    # Told at once: to recognise takes time, and here nothing can come of it.
    print_findings(known_first := unknowable(assembly))
    with working("recognising bodies and joints"):
        inquiry = Inquiry(assembly, not no_names, ignore or (), hints_of(output or _beside(reading.source)))
    found = beside_own(answered(inquiry) if ask else inquiry.found)
    if questions:
        print_json(questions_document(found))
        raise typer.Exit(exit_status((*reading.known, *found.findings), strict))
    with working("moving each joint"):
        found = moved(found, limits)
    text = mates_text(found)
    merged = () if output is None else write_mates(output, text, overwrite=overwrite)
    findings = (*assembly.findings, *unmatched.as_tuple(), *found.findings, *merged)
    if html is not None:
        _write_page(html, assembly, found, reading.options)
    if json:
        print_json(recognition_document(found))
    else:
        typer.echo(output if output is not None else text)
        first = {known.code for known in known_first}
        print_findings(f for f in findings if f.code not in first)
        if output is not None:
            _print_next(reading.source, output, found, bool(merged))
    raise typer.Exit(exit_status(findings, strict))


def _read(reading: Reading, output: Path | None) -> Assembly:
    """The source without its mates; before that, an output that cannot be written is refused."""
    from cadbridge.cli.output import working
    from cadbridge.files import refuse_output
    from cadbridge.recognition import read_bare

    if output is not None:
        refuse_output(output)
    with working(f"reading {reading.source.name}"):
        assembly = read_bare(reading.source, reading.options)
    if output is not None:  # now that it is known what was read: a source is no mates file, and is not replaced by one
        refuse_output(output)
    return assembly


def _beside(source: Path) -> Path:
    """The mates file beside a source."""
    from cadbridge.readers import MATES_ENDING

    return source.with_name(source.stem + MATES_ENDING)


def _print_next(source: Path, output: Path, found: Recognition, kept: bool) -> None:
    """Say what was written, whether it is sure, and what to do next."""
    from cadbridge.cli.output import print_next, typed
    from cadbridge.recognition.writing.mates_text import freedoms_text

    mates = "" if output.resolve() == _beside(source.resolve()) else f" --mates {typed(output)}"
    unsure = any(f.code == "CB1601" for f in found.findings)
    # An edited file says something else than what was recognised now.
    hinted = " (hints change none of the lines of a file that was edited)" if found.hints.said else ""
    done = f"Kept and added to {output}{hinted}. Recognised now, without your changes:" if kept else f"Wrote {output}:"
    print_next(
        f"{done} {freedoms_text(found)}",
        *([f"Some of it is not sure; see and answer: cadbridge view {typed(source)} --recognise"] * unsure),
        f"Next: cadbridge check {typed(source)}{mates} --html report.html",
    )


def moved(found: Recognition, limits: bool | None = None) -> Recognition:
    """The recognition with its joints moved: a little, and, unless `limits` is False, to their ends."""
    import math

    from cadbridge.recognition import move_each
    from cadbridge.simulation.limits import MOST_TRIANGLES, of_recognised

    found = move_each(found)
    return found if limits is False else of_recognised(found, math.inf if limits else MOST_TRIANGLES)


def _write_page(html: Path, assembly: Assembly, found: Recognition, options: ReadOptions) -> None:
    """The report of the mechanism with the recognised mates, and the evidence of each."""
    from cadbridge.cli.output import working
    from cadbridge.diagnosis import diagnose, settled
    from cadbridge.mechanism import build
    from cadbridge.readers.finish import finish
    from cadbridge.recognition import with_recognised
    from cadbridge.report.page import Extras, write_page
    from cadbridge.report.provenance import provenance
    from cadbridge.report.views.recognised import recognised

    with working("drawing the page"):
        mechanism = settled(build(finish(with_recognised(assembly, found), options)))
        extras = Extras(provenance=provenance(mechanism.assembly), tables=recognised(found))
        write_page(html, mechanism, diagnose(mechanism), extras)
