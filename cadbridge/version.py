"""The version, which the package's metadata takes from here, and the folder of the sources."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"

PACKAGE = Path(__file__).resolve().parent
"""The folder of the package."""
