"""Codes: cadbridge's own plain data."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_AGAIN = "Write the document again with `cadbridge convert SOURCE --to json`."

ENTRIES: dict[str, Entry] = {
    "CB1901": Entry(
        Severity.ERROR,
        "a value that does not fit the schema",
        "The named place does not contain what the published schema requires.",
        "Correct the place named, or write the document again with `cadbridge convert SOURCE --to json`.",
        "Expected numbers of shape 3 × 3 at assembly.instances[4].X_WI.R.",
    ),
    "CB1902": Entry(
        Severity.ERROR,
        "a mesh that cannot be read",
        "The PLY file beside the document is damaged, or another program wrote it.",
        _AGAIN,
        "A truncated meshes/arm.ply.",
    ),
    "CB1903": Entry(
        Severity.ERROR,
        "a document that contradicts itself",
        "An item names a part, instance or component that the document does not have, or a placement is not a "
        "proper rigid motion.",
        _AGAIN,
        "A mate of component arm in a document without an arm.",
    ),
    "CB1904": Entry(
        Severity.WARNING,
        "an edit that has no effect",
        "`mechanism` holds results: the bodies, joints and rows that cadbridge built from `assembly`. cadbridge builds "
        "them again and does not read this key.",
        "Edit the parts, mates and couplings of `assembly`, or write a mates file beside the document.",
        "A limit of `mechanism.joints[2]` changed by hand; the mate of that joint has it in `assembly.mates`.",
    ),
}

FAMILIES = (Family("plain", "cadbridge's own JSON", Stage.READING, ENTRIES, errors_leave_out=True),)
