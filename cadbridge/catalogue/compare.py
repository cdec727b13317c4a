"""Codes CB42x, what changed since an older version of the design."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB420": Entry(
        Severity.WARNING,
        "the mobility changed",
        "The design moves with more or fewer freedoms, or other ones, than the older version that it is compared "
        "with. A mate was lost, added or suppressed, or a pose became singular.",
        "Look at the joints and mates listed as gone or new. If the change is intended, keep the new document.",
        "`cadbridge check arm.step --compare nightly.json`: degrees of freedom 6 → 7, joint A3 is gone.",
    ),
    "CB421": Entry(
        Severity.WARNING,
        "the redundancy changed",
        "Other mates repeat others than in the older version, or contradict them now.",
        "Look at the mates listed as gone, new or changed. If the change is intended, keep the new document.",
        "A second hinge was added to a door: redundant rows 0 → 5.",
    ),
    "CB422": Entry(
        Severity.WARNING,
        "masses changed",
        "A body of the same name has another mass, centre of mass or inertia than in the older version, beyond a "
        "millionth: a changed shape, density or material.",
        "Check material and density of the parts of the bodies named; where the change is meant, keep the new "
        "document.",
        "Link2 weighed 12.4 kg and weighs 33.5 kg: aluminium became steel.",
    ),
    "CB423": Entry(
        Severity.INFO,
        "bodies or joints came or went",
        "The design has other bodies or joints than the older version, by name.",
        "Nothing, where it is meant; a body that was renamed counts as gone and new.",
        "Body bracket is gone, body bracket_v2 is new.",
    ),
}

FAMILIES = (Family("comparison", "changes since an older design", Stage.COMPARISON, ENTRIES),)
