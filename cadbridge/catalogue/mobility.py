"""Codes CB4xx, redundancy and mobility."""

from __future__ import annotations

from cadbridge.findings import Entry, Severity

ENTRIES: dict[str, Entry] = {}
