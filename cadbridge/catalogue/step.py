"""Codes CB120–CB139, reading STEP."""

from __future__ import annotations

from cadbridge.findings import Entry

ENTRIES: dict[str, Entry] = {}
