"""Codes CB44x: what redundant mates cost (`cadbridge fit`)."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB440": Entry(
        Severity.ERROR,
        "a fault of the fit file",
        "A key, a value or a name of the fit file has no meaning: nothing is computed, for a tolerance that is read "
        "wrongly would give a wrong answer.",
        "docs/fit.md lists the keys. Names are those of mates, components and faces, with * and ? as wildcards.",
        "`tolerances: [{mates: hinge_9, across: 0.05}]` in a model that has no mate of that name.",
    ),
    "CB441": Entry(
        Severity.INFO,
        "nothing binds",
        "No equation of the mates repeats another. Parts that are off move the mechanism a little, but need no play "
        "and cause no force: the design is an exact one.",
        "Nothing needs to be done.",
        "A door on one hinge, a table on three legs.",
    ),
    "CB442": Entry(
        Severity.WARNING,
        "a design that does not fit",
        "The mates of the design contradict each other by more than files round. Their misfit is the first error: "
        "without that much play the parts are strained even if they are made exactly as drawn.",
        "Correct the dimension in which the mates disagree (`cadbridge check` names it), or give them play.",
        "Three hinges of a door, the middle one drawn 0.1 mm beside the line of the others.",
    ),
    "CB443": Entry(
        Severity.WARNING,
        "a pose near a singular one",
        "Here a small error asks for a displacement many times as large. Numbers to first order are then good for very "
        "small errors only.",
        "Look at another pose, or place the mates farther apart.",
        "Two hinges 10 mm apart, and a third one 400 mm away.",
    ),
}

FAMILIES = (Family("fit", "misfit, play and forces of redundant mates", Stage.MOBILITY, ENTRIES),)
