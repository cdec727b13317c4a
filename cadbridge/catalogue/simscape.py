"""Codes CB160–CB179, Simscape Multibody XML."""

from __future__ import annotations

from cadbridge.findings import Entry

ENTRIES: dict[str, Entry] = {}
