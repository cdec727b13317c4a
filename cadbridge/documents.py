"""JSON documents: the formats that commands print with --json, and what their schemas say of a class."""

from __future__ import annotations

import inspect
import re

FORMATS = {
    "batch": "cadbridge.batch/1", "cache": "cadbridge.cache/1", "check": "cadbridge.check/1",
    "convert": "cadbridge.convert/1", "fetch": "cadbridge.fetched/1", "fit": "cadbridge.fit/1",
    "inspect": "cadbridge.inspect/2", "inverse": "cadbridge.inverse/2", "matrices": "cadbridge.matrices/1",
    "recognise": "cadbridge.recognition/1", "simulate": "cadbridge.run/1", "sweep": "cadbridge.sweep/1",
    "transmission": "cadbridge.transmission/1", "verify": "cadbridge.verify/1",
}  # fmt: skip
"""By command, and that of `simulate --sweep`; the number rises where a key is renamed or removed."""


def said_of(kind: type) -> tuple[str, dict[str, str]]:
    """What the docstring of a class says of it, and of each of its attributes, for a JSON Schema."""
    about, _, listed = inspect.cleandoc(kind.__doc__ or "").partition("\n\nAttributes:\n")
    pieces = re.split(r"^ {4}(\w+): ", listed, flags=re.MULTILINE)
    return about, {name: " ".join(text.split()) for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
