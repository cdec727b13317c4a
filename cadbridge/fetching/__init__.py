"""Sources from where they live: an Onshape assembly by its address, kept on disk as the files that the reader takes."""

from __future__ import annotations

from cadbridge.fetching.onshape import Fetched, fetch

__all__ = ["Fetched", "fetch"]
