"""What a command prints with --json where it comes to no result: the document that it would have printed, with why."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cadbridge.documents import FORMATS
from cadbridge.errors import CadbridgeError

if TYPE_CHECKING:
    from cadbridge.findings import Finding

_NO_RESULT: dict[str, dict[str, Any]] = {
    "simulate": {"trajectory": None, "trusted": None, "verdict": {"state": "not tested"}},
    "verify": {"verdict": "not tested", "passed": False},
}
"""What programs ask such a document first."""


@contextmanager
def printed_errors(
    command: str, values: Mapping[str, Any], source: object, known: Sequence[Finding] = ()
) -> Iterator[None]:
    """While a command runs with the options `values`: print its document at an error, if it is to print one.

    `known` are the findings of the source so far. The error goes on: it is also told on stderr, and has its status.
    """
    from cadbridge.cli import output

    before = output.printed_documents()
    try:
        yield
    except (CadbridgeError, OSError) as error:
        form = "json" if values.get("json") else values.get("output_format")
        # One document a call: a program that reads stdout would stumble over the second.
        if output.printed_documents() > before:
            raise
        findings = tuple(dict.fromkeys((*known, *getattr(error, "findings", ()))))
        if form == "json":
            output.print_json(_document("sweep" if values.get("sweep") else command, source, error, findings))
        elif form == "sarif":
            from cadbridge.report.annotations import sarif_document

            output.print_json(sarif_document(findings))
        elif form == "github":
            from cadbridge.report.annotations import github_text

            print(github_text(findings))
        raise


def prints_errors(command: str, source: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same for a command that reads no source of the usual kind: `source` is the parameter that names its own."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(**values: Any) -> None:
            with printed_errors(command, values, values.get(source)):
                function(**values)

        return run

    return decorate


def _document(command: str, source: object, error: Exception, findings: Sequence[Finding]) -> dict[str, Any]:
    return {
        "format": FORMATS[command],
        "source": str(source),
        **_NO_RESULT.get(command, {}),
        "error": str(error),
        "findings": [finding.document() for finding in findings],
    }
