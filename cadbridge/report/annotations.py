"""Findings in the forms of other programs: GitHub's workflow commands, and SARIF 2.1.0 for code scanning."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from cadbridge.catalogue import CATALOGUE
from cadbridge.findings import Finding, Severity, Where
from cadbridge.version import __version__

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_SARIF = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def github_text(findings: Iterable[Finding]) -> str:
    """A line for each finding, which GitHub Actions shows at its place in the file."""
    return "\n".join(_command(finding) for finding in findings)


def _command(finding: Finding) -> str:
    place = finding.where
    given = {"file": place.file and _relative(place.file), "line": place.line, "col": place.column}
    properties = [f"{name}={_property(str(value))}" for name, value in given.items() if value]
    message = f"{finding.message} ({place.item})" if place.item else finding.message
    command = ",".join([*properties, f"title={finding.code}"])
    return f"::{_GITHUB[finding.severity]} {command}::{_data(message)}"


def _data(text: str) -> str:
    # The runner reads a command to the end of its line.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # Within properties these two separate.
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif_document(findings: Iterable[Finding]) -> dict[str, Any]:
    """A SARIF log of one run; its rules are the codes that occur, as the catalogue explains them."""
    items = list(findings)
    codes = sorted({finding.code for finding in items})
    index = {code: i for i, code in enumerate(codes)}
    driver = {"name": "cadbridge", "version": __version__, "rules": [_rule(code) for code in codes]}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, index[finding.code]) for finding in items],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    entry = CATALOGUE[code]
    return {
        "id": code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.meaning},
        "help": {"text": entry.cure},
        "defaultConfiguration": {"level": _SARIF[entry.severity]},
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    text = finding.message + (f"\n{finding.hint}" if finding.hint else "")
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _SARIF[finding.severity],
        "message": {"text": text},
        "locations": _locations(finding.where),
    }


def _locations(place: Where) -> list[dict[str, Any]]:
    location: dict[str, Any] = {}
    if place.file:
        location["physicalLocation"] = {"artifactLocation": {"uri": quote(_relative(place.file))}}
        if place.line:
            region = {"startLine": place.line} | ({"startColumn": place.column} if place.column else {})
            location["physicalLocation"]["region"] = region
    if place.item:
        location["logicalLocations"] = [{"name": place.item}]
    return [location] if location else []


def _relative(file: str) -> str:
    """A path from the current folder where it lies below it, with forward slashes."""
    path = PurePath(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_posix()
