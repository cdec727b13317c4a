"""Codes CB1900–CB1909, cadbridge's own plain data."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_AGAIN = "Write the document again with `cadbridge convert SOURCE --to json`."

ENTRIES: dict[str, Entry] = {
    "CB1900": Entry(
        Severity.ERROR,
        "not a mechanism as plain data",
        'The file is no JSON, or its "format" is not one that this version reads.',
        _AGAIN,
        '`{"format": "cadbridge.mechanism/9"}`.',
    ),
    "CB1901": Entry(
        Severity.ERROR,
        "a value that does not fit the schema",
        "The place named holds something else than the published schema asks for.",
        _AGAIN + " Where the document was edited, hold it against the schema.",
        "Expected numbers of shape 3 × 3 at assembly.instances[4].X_WI.R.",
    ),
    "CB1902": Entry(
        Severity.ERROR,
        "a mesh that cannot be read",
        "The PLY file beside the document is damaged, or written by another program.",
        _AGAIN,
        "meshes/arm.ply that was cut off.",
    ),
    "CB1903": Entry(
        Severity.ERROR,
        "plain data that contradicts itself",
        "Something names a part, an instance or a component that the document does not have, or a placement "
        "is no proper rigid motion.",
        _AGAIN,
        "A mate of component arm in a document without an arm.",
    ),
}

FAMILIES = (Family("plain", "cadbridge's own JSON", Stage.READING, ENTRIES, errors_leave_out=True),)
