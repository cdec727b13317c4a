"""`cadbridge check SOURCE`: the diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadbridge.cli.choosing import chooser
from cadbridge.cli.options import Ignore, Json, Reading, Select, Strict, one_of, reads_source
from cadbridge.errors import CadbridgeError, InputError

if TYPE_CHECKING:
    from cadbridge.findings import Finding

FORMS = ("text", "json", "github", "sarif")


@dataclass(frozen=True)
class _Request:
    """What a check compares, writes and prints."""

    chosen: Callable[[Iterable[Finding]], tuple[Finding, ...]]
    strict: bool
    compare: Path | None
    html: Path | None
    runs: tuple[Path, ...]
    form: str


Compare = Annotated[
    Path | None,
    typer.Option("--compare", help="Report changes since this older output of --json.", metavar="OLD.json"),
]
Html = Annotated[Path | None, typer.Option("--html", help="Write the report as one HTML page that works offline.")]
Runs = Annotated[
    list[Path] | None,
    typer.Option(
        "--run",
        help="Play and plot this trajectory (.parquet) on the page; repeat to compare several.",
        metavar="PATH",
    ),
]
Form = Annotated[
    str,
    typer.Option(
        "--output-format",
        help="Print findings for GitHub Actions (github) or code scanning (sarif).",
        rich_help_panel="Output",
        **one_of(FORMS),
    ),
]
Watch = Annotated[bool, typer.Option("--watch", help="Check again whenever a file of the model changes.")]


@reads_source
def check(
    reading: Reading, json: Json = False, strict: Strict = False, select: Select = None, ignore: Ignore = None,
    compare: Compare = None, html: Html = None, run: Runs = None, output_format: Form = "text", watch: Watch = False,
) -> None:  # fmt: skip
    """Diagnose mobility, redundant and conflicting mates."""
    from cadbridge.files import refuse_output

    if run and html is None:
        raise InputError("A run is shown on the page: --run needs --html.")
    if html is not None:
        refuse_output(html)
    if json and output_format not in ("text", "json"):
        raise InputError(f"--json and --output-format {output_format} exclude each other.")
    requested = _Request(
        chooser(select, ignore), strict, compare, html, tuple(run or ()), "json" if json else output_format
    )
    if watch:
        _stay(reading, requested)
    raise typer.Exit(_check(reading, requested))


def _stay(reading: Reading, requested: _Request) -> None:
    """Check after each change of a file that was read, until Ctrl-C."""
    from cadbridge.cli.output import print_error, say
    from cadbridge.jobs.watching import changed_files

    while True:
        try:
            _check(reading, requested)
        except CadbridgeError as error:
            print_error(error)  # a file half edited; the next change may put it right
        say("watching; Ctrl-C ends it")
        changed = changed_files(reading.source, reading.mates, ignored=requested.html)
        say(f"changed: {', '.join(sorted(path.name for path in changed))}")


def _check(reading: Reading, requested: _Request) -> int:
    """Read, diagnose, write the page, print; the exit status."""
    from cadbridge.cli.output import exit_status, working
    from cadbridge.diagnosis import diagnose, settled
    from cadbridge.report import all_findings, check_document, findings_list

    older = None
    if requested.compare is not None:
        from cadbridge.report.compare import changes_between, findings_of_changes, read_old

        # First: a file that cannot be compared with is told before the model takes its time.
        older = read_old(requested.compare)
    assembly = reading.assembly()
    with working("finding the joints"):
        mechanism = settled(reading.built(assembly))
        diagnosis = diagnose(mechanism)
    findings = requested.chosen(all_findings(mechanism, diagnosis))
    document = check_document(mechanism, diagnosis, findings, twists=requested.form == "json")
    if older is not None:
        document["changes"] = changes_between(older, document)
        findings += requested.chosen(findings_of_changes(document["changes"], str(requested.compare)))
        document["findings"] = findings_list(findings)
    if requested.html is not None:
        _write_page(requested.html, requested, mechanism, diagnosis, document, findings)
    _print(reading, requested, mechanism, document, findings)
    return exit_status(findings, requested.strict)


def _fit(mechanism: Any, document: dict[str, Any]) -> Any:
    """What redundant mates cost, for the page; None where no mate repeats another."""
    if not document["mobility"]["redundant"]:
        return None
    from cadbridge.misfit import fit, load_fit
    from cadbridge.report.page.misfit import FitShown

    return FitShown(fit(mechanism, load_fit(None, mechanism)))


def _write_page(
    html: Path,
    requested: _Request,
    mechanism: Any,
    diagnosis: Any,
    document: dict[str, Any],
    findings: tuple[Finding, ...],
) -> None:
    """The report as a page, with what changed and the run to play."""
    from cadbridge.cli.output import working
    from cadbridge.report.compare import changes_lines
    from cadbridge.report.page import Extras, write_page
    from cadbridge.report.provenance import provenance

    with working("drawing the page"):
        extras = Extras(
            requested.runs[0] if requested.runs else None,
            findings,
            changes=changes_lines(document["changes"]) if requested.compare is not None else None,
            since=requested.compare.name if requested.compare is not None else "",
            provenance=provenance(mechanism.assembly),
            others=requested.runs[1:],
            fit=_fit(mechanism, document),
        )
        write_page(html, mechanism, diagnosis, extras)


def _print(
    reading: Reading, requested: _Request, mechanism: Any, document: dict[str, Any], findings: tuple[Finding, ...]
) -> None:
    """The result in the form that was requested."""
    from cadbridge.cli.output import print_answer, print_findings, print_json, print_next, typed
    from cadbridge.report import check_text
    from cadbridge.report.terminal import width
    from cadbridge.report.views import verdict
    from cadbridge.report.views.tables import components_between

    if requested.form == "json":
        print_json(document)
        return
    if requested.form in ("github", "sarif"):
        from cadbridge.report.annotations import github_text, sarif_document

        print_json(sarif_document(findings)) if requested.form == "sarif" else typer.echo(github_text(findings))
        return
    level = verdict(document, components_between(mechanism)).level
    print_answer(check_text(mechanism, document, width()), level)
    if requested.compare is not None:
        from cadbridge.report.compare import changes_text

        typer.echo("\n" + changes_text(document["changes"], str(requested.compare)))
    print_findings(findings)
    if document["mobility"]["redundant"]:
        mates = "" if reading.mates is None else f" --mates {typed(reading.mates)}"
        to = f"{typed(reading.source)}{mates}"
        print_next(f"Next: cadbridge fit {to}   (what redundant mates cost, which freedom to give)")
    if requested.html is not None:
        print_next(f"Wrote {requested.html}. Open it in a browser; it works offline.")
