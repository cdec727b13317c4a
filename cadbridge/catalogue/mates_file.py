"""Codes CB140–CB159, the mates file."""

from __future__ import annotations

from cadbridge.findings import Entry, Severity

ENTRIES: dict[str, Entry] = {}
