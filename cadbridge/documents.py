"""The documents that commands print with --json: their formats, which name what other programs read."""

from __future__ import annotations

FORMATS = {
    "batch": "cadbridge.batch/1", "cache": "cadbridge.cache/1", "check": "cadbridge.check/1",
    "convert": "cadbridge.convert/1", "fetch": "cadbridge.fetched/1", "fit": "cadbridge.fit/1",
    "inspect": "cadbridge.inspect/2", "inverse": "cadbridge.inverse/2", "matrices": "cadbridge.matrices/1",
    "recognise": "cadbridge.recognition/1", "simulate": "cadbridge.run/1", "sweep": "cadbridge.sweep/1",
    "transmission": "cadbridge.transmission/1", "verify": "cadbridge.verify/1",
}  # fmt: skip
"""By command, and that of `simulate --sweep`; the number rises where a key is renamed or removed."""
