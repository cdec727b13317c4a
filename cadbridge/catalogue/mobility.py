"""Codes CB4xx, redundancy and mobility."""

from __future__ import annotations

from cadbridge.findings import Entry

ENTRIES: dict[str, Entry] = {}
