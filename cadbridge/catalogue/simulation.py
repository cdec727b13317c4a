"""Codes CB6xx, simulation."""

from __future__ import annotations

from cadbridge.findings import Entry

ENTRIES: dict[str, Entry] = {}
