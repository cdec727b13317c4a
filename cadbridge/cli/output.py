"""What is said: findings and progress to stderr, results to stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cadbridge.findings import Finding, Severity
from cadbridge.findings import exit_status as exit_status
from cadbridge.visible import plain, visible

if TYPE_CHECKING:
    from cadbridge.errors import CadbridgeError

SHOWN_PER_CODE = 5
"""Findings of one code that the terminal shows; JSON has all of them."""

_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document to stdout."""
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def say(text: str) -> None:
    """Tell the person something, on stderr."""
    print(text, file=sys.stderr)


def say_findings(findings: Iterable[Finding]) -> None:
    """Print findings to stderr, gravest first; many of one code are counted after the first few."""
    items = sorted(findings, key=lambda f: (_ORDER[f.severity], f.code))
    shown: dict[str, int] = {}
    for finding in items:
        shown[finding.code] = shown.get(finding.code, 0) + 1
        if shown[finding.code] > SHOWN_PER_CODE:
            continue
        place = str(finding.where)
        print(
            f"{finding.severity.value} {finding.code}: {visible(finding.message, lines=False)}"
            + (f"  [{visible(place, lines=False)}]" if place else ""),
            file=sys.stderr,
        )
        if finding.hint and finding.severity is not Severity.INFO and shown[finding.code] == 1:
            print(f"    {finding.hint}", file=sys.stderr)
    for code, count in shown.items():
        if count > SHOWN_PER_CODE:
            say(f"{code}: {count - SHOWN_PER_CODE} more like these (all of them with --json)")


def say_error(error: CadbridgeError) -> None:
    """Print an error and the findings that it carries."""
    say_findings(error.findings)
    if not any(f.message == str(error) for f in error.findings):
        print(f"error: {visible(str(error), lines=False)}", file=sys.stderr)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal that something long goes on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(file=plain(sys.stderr)).status(Text(f"{visible(what, lines=False)} …")):
        yield


@contextmanager
def progress_bar(what: str, total: float) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal; yields a function that takes how far it got (up to `total`)."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=plain(sys.stderr)), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
