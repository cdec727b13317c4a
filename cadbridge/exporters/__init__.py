"""Exports to other engines: one spanning tree, one file a format, and a word on everything that was lost."""

from __future__ import annotations

from cadbridge.exporters.collision import KINDS as COLLISIONS
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.result import ExportResult, export

__all__ = ["COLLISIONS", "ExportOptions", "ExportResult", "export"]
