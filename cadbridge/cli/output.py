"""Findings and progress to stderr, results to stdout."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cadbridge.findings import Finding, Severity
from cadbridge.findings import exit_status as exit_status
from cadbridge.visible import plain, visible, write_styled

if TYPE_CHECKING:
    from pathlib import Path

    from cadbridge.errors import CadbridgeError

STOPPED_STATUS = 130
"""The exit status after Ctrl-C, as of a shell: 128 and the number of the signal."""
SHOWN_PER_CODE = 5
"""Findings of one code that the terminal shows; JSON has all of them. As many as a person reads before asking for more.
"""
REFUSED_PER_CODE = 50
"""The same where a command stops for them: they are mended in one go."""


_printed = [0]


def printed_documents() -> int:
    """How many documents this process has printed to stdout."""
    return _printed[0]


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document to stdout."""
    _printed[0] += 1
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def say(text: str) -> None:
    """Write a message for the person to stderr."""
    print(text, file=sys.stderr)


def print_findings(findings: Iterable[Finding], per_code: int = SHOWN_PER_CODE) -> None:
    """Print findings to stderr, gravest first; many of one code are counted after the first `per_code`."""
    items = sorted(findings, key=lambda f: f.weight)
    shown: dict[str, int] = {}
    for finding in items:
        shown[finding.code] = shown.get(finding.code, 0) + 1
        if shown[finding.code] > per_code:
            continue
        place = visible(str(finding.where), lines=False)
        text = visible(finding.message, lines=False) + (f"  [{place}]" if place else "")
        _say_at(f"{finding.severity.value} {finding.code}", finding.severity.value, text)
        if finding.hint and finding.severity is not Severity.INFO and shown[finding.code] == 1:
            say(_fitted(f"    {finding.hint}"))
    for code, count in shown.items():
        if count > per_code:
            say(_fitted(f"{code}: {count - per_code} more like these (all of them with --json)"))


def print_error(error: CadbridgeError) -> None:
    """Print an error and the findings that it carries; its message once, though a finding may say it and more."""
    print_findings(error.findings, REFUSED_PER_CODE)
    said = str(error).rstrip(".")
    if not any(f"{said}: " in f"{f.message}: " for f in error.findings):
        _say_at("error", "error", visible(str(error), lines=False))


def _say_at(head: str, style: str, text: str) -> None:
    """A coloured head and a text behind it, on stderr."""
    write_styled(sys.stderr, head, style)
    say(_fitted(f"{head}: {text}")[len(head) :])


def _fitted(text: str) -> str:
    """A text of one line, broken between words where a terminal is narrower; a pipe gets it as one line."""
    if not sys.stderr.isatty():
        return text
    from cadbridge.report.terminal import width

    return textwrap.fill(text, width(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def print_answer(text: str, level: str) -> None:
    """Print a text to stdout, its first paragraph in the colour of a verdict's level."""
    answer, _, rest = text.partition("\n\n")
    write_styled(sys.stdout, answer, level)
    print(f"\n\n{rest}")


def typed(path: str | Path) -> str:
    """A path as a person types it: in quotes where it has a space or another sign of the shell."""
    return shlex.quote(str(path))


def print_next(*lines: str) -> None:
    """Say on stderr what was written and what to do next."""
    for line in lines:
        say(_fitted(visible(line, lines=False)))


EVERY = 10.0
"""Seconds between two lines of progress where stderr is no terminal."""


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something long goes on, and for how long: a spinner on a terminal, elsewhere a line now and then."""
    if not sys.stderr.isatty():
        with _now_and_then(lambda seconds: f"{_doing(what)}: {seconds:.0f} s"):
            yield
        return
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TimeElapsedColumn
    from rich.text import Text

    class Doing(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{_doing(task.description)} …")

    columns = (SpinnerColumn(), Doing(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=plain(sys.stderr)), transient=True) as shown:
        shown.add_task(visible(what, lines=False), total=None)
        yield


def _doing(what: str) -> str:
    """What goes on: amid it, the first run of an installation may compile the solver's kernels."""
    library = sys.modules.get("solver.compilation.library")
    if library is None:
        return what
    kernels = library.kernel_folder() / library.name()
    begun = kernels.with_name(f"{kernels.name}.lock").exists()
    made = any(kernels.with_name(kernels.name + suffix).exists() for suffix in (".so", ".o"))
    return f"{what}: compiling the solver's kernels" if begun and not made else what


@contextmanager
def progress_bar(what: str, total: float) -> Iterator[Callable[[float], None]]:
    """The share done and the seconds: a bar on a terminal, elsewhere a line now and then.

    Yields a function that takes how far it got (up to `total`).
    """
    if not sys.stderr.isatty():
        done = [0.0]
        with _now_and_then(lambda seconds: f"{what}: {100 * done[0] / total:.0f} % after {seconds:.0f} s"):
            yield lambda value: done.__setitem__(0, value)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=plain(sys.stderr)), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda value: bar.update(task, completed=value)


@contextmanager
def _now_and_then(line: Callable[[float], str]) -> Iterator[None]:
    """While the block runs, say on stderr every few seconds what `line` makes of the seconds gone."""
    ended, start, stream = threading.Event(), time.monotonic(), sys.stderr

    def speak() -> None:
        while not ended.wait(EVERY):
            print(visible(line(time.monotonic() - start), lines=False), file=stream, flush=True)

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        ended.set()
        speaker.join()
