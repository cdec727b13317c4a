"""Codes: What is shown: the report page and the live view."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB630": Entry(
        Severity.ERROR,
        "a run of another model",
        "A trajectory can only be shown with the mechanism that it was simulated from. This one names other "
        "bodies, or its bodies do not meet at the joints.",
        "Simulate the present source again, or pass the source that the run was made from.",
        "`cadbridge check arm_v2.step --html report.html --run arm_v1.parquet`",
        formerly=("CB521",),
    ),
}

FAMILIES = (Family("view", "report page and live view", Stage.VIEW, ENTRIES),)
