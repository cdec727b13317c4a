"""Codes CB5xx, exports."""

from __future__ import annotations

from cadbridge.findings import Entry

ENTRIES: dict[str, Entry] = {}
