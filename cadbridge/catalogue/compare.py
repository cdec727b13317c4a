"""Codes: What changed since an older version of the design."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB420": Entry(
        Severity.WARNING,
        "the mobility changed",
        "The design has more, fewer or other freedoms than the older version. A mate was lost, added or "
        "suppressed, or a pose became singular.",
        "Look at the joints and mates listed as gone or new. If the change is intended, keep the new document.",
        "`cadbridge check arm.step --compare nightly.json`: degrees of freedom 6 → 7, joint A3 is gone.",
    ),
    "CB421": Entry(
        Severity.WARNING,
        "the redundancy changed",
        "Compared with the older version, different mates repeat or contradict others.",
        "Look at the mates listed as gone, new or changed. If the change is intended, keep the new document.",
        "A second hinge was added to a door: redundant rows 0 → 5.",
    ),
    "CB422": Entry(
        Severity.WARNING,
        "masses changed",
        "Mass, centre of mass or inertia of a body differ from the older version by more than a millionth: its "
        "shape, density or material changed.",
        "Check material and density of the parts of the bodies named. If the change is intended, keep the new "
        "document.",
        "Link2 weighed 12.4 kg and weighs 33.5 kg: aluminium became steel.",
    ),
    "CB423": Entry(
        Severity.INFO,
        "added or removed bodies or joints",
        "By name, the design has other bodies or joints than the older version.",
        "No action is needed if this is intended. A renamed body counts as one removed and one added.",
        "Body bracket is gone, body bracket_v2 is new.",
    ),
}

FAMILIES = (Family("comparison", "changes since an older design", Stage.COMPARISON, ENTRIES),)
