"""Codes: Fetching a source from where it lives."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1460": Entry(
        Severity.ERROR,
        "not the address of an assembly",
        "An address reads https://cad.onshape.com/documents/DID/w/WID/e/EID, with v or m in place of w for a version "
        "or a microversion. Keys are sent to hosts of onshape.com only.",
        "Copy the address of the assembly's tab from the browser.",
        "The address of a document without /e/EID.",
    ),
    "CB1461": Entry(
        Severity.ERROR,
        "keys that are missing or refused",
        "ONSHAPE_ACCESS_KEY or ONSHAPE_SECRET_KEY is not set, or the server refuses the keys. cadbridge sends them to "
        "the server only.",
        "Make keys in Onshape's developer portal, and set both variables.",
        "A secret with one letter missing.",
    ),
    "CB1462": Entry(
        Severity.ERROR,
        "a document that the keys do not open",
        "The server knows no such document, workspace or tab, or the owner of the keys may not read it.",
        "Open the address in a browser, and ask its owner to share the document.",
        "A workspace that was deleted.",
    ),
    "CB1463": Entry(
        Severity.ERROR,
        "a server that does not answer",
        "Each request was tried five times, with growing pauses. What arrived before is kept.",
        "Run the same command again later: it asks for the rest only.",
        "Status 502 for a minute.",
    ),
    "CB1464": Entry(
        Severity.ERROR,
        "an answer that is not what Onshape documents",
        "The server's answer does not have the form that Onshape documents. cadbridge did not store it.",
        "Check that the tab is an assembly, and that no proxy answers in the server's place.",
        "A login page in place of JSON.",
    ),
    "CB1465": Entry(
        Severity.WARNING,
        "no STEP of the assembly",
        "Onshape did not translate the assembly. Mates and masses were stored; shapes are missing.",
        "Export STEP in the browser and put it beside the definition as NAME.step, or run the command again.",
        "An assembly of meshes.",
    ),
    "CB1466": Entry(
        Severity.ERROR,
        "a folder that holds something else",
        "The folder holds files that do not come from this address. Nothing was requested.",
        "Name an empty folder.",
        "The folder of another configuration.",
    ),
    "CB1467": Entry(
        Severity.ERROR,
        "a server that asks for a long pause",
        "These keys have used up their requests for some time. What arrived before is kept.",
        "Run the same command again after that time: it asks for the rest only.",
        "Retry-After: 3600.",
    ),
    "CB1468": Entry(
        Severity.WARNING,
        "a translation that is not finished",
        "Onshape takes minutes to translate a large assembly. Mates and masses are stored, and the translation is "
        "noted.",
        "Run the same command again: it fetches the result of the same translation.",
        "An assembly of 2,000 parts.",
    ),
}

OVERRIDES: dict[str, Entry] = {
    "CB1470": Entry(
        Severity.INFO,
        "parts that are ignored",
        "A line of the overrides leaves these parts out, with their shapes and masses. A component that has no part "
        "left goes too, with its mates, gears and drives.",
        "Remove the line, or narrow its pattern, if the parts matter.",
        '`{parts: "DIN912*", ignore: true}`.',
    ),
}

FAMILIES = (
    Family("fetching", "fetching from Onshape", Stage.READING, ENTRIES, errors_leave_out=True),
    Family("overrides", "overrides of a source", Stage.READING, OVERRIDES, errors_leave_out=True),
)
