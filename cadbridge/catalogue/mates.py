"""Codes CB2xx, mates and couplings."""

from __future__ import annotations

from cadbridge.findings import Entry, Severity

ENTRIES: dict[str, Entry] = {}
