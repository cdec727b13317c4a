"""Codes CB140–CB159, the mates file."""

from __future__ import annotations

from cadbridge.findings import Entry

ENTRIES: dict[str, Entry] = {}
