"""Codes CB44x: what redundant mates cost (`cadbridge fit`)."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB440": Entry(
        Severity.ERROR,
        "a fault of the fit file",
        "The fit file has an unknown key, an invalid value, or a name that fits nothing in the model. cadbridge "
        "computes nothing, because a misread tolerance would give a wrong answer.",
        "Correct the line that the message names; docs/fit.md lists the keys. Names are those of mates, components "
        "and faces, with * and ? as wildcards.",
        "`tolerances: [{mates: hinge_9, across: 0.05}]` in a model that has no mate of that name.",
    ),
    "CB441": Entry(
        Severity.INFO,
        "an exactly constrained design",
        "No equation of the mates is redundant, so nothing binds. Manufacturing errors of the parts shift the "
        "mechanism a little, but need no play and cause no force.",
        "No action is needed.",
        "A door on one hinge, a table on three legs.",
    ),
    "CB442": Entry(
        Severity.WARNING,
        "a design that does not fit",
        "The mates contradict each other at the designed pose by more than the rounding of CAD files. Without that "
        "much play the parts are strained even if they are made exactly as drawn.",
        "Correct the dimension in which the mates disagree (`cadbridge check` names it), or give the mates that much "
        "play.",
        "A door on three hinges, the middle one drawn 0.1 mm off the axis of the other two.",
    ),
    "CB443": Entry(
        Severity.WARNING,
        "a pose near a singular one",
        "Here a small error of a face makes a misfit many times as large. The computation is to first order, so its "
        "figures hold for very small errors only.",
        "Look at another pose, or place the mates farther apart.",
        "A table whose fourth leg stands 1 m away from three that are 10 mm apart.",
    ),
    "CB444": Entry(
        Severity.WARNING,
        "mates that are redundant at some poses only",
        "On the way of the joint there is a singular pose: mates that hold different motions elsewhere hold the same "
        "one there. At that pose errors of the parts bind, beside it they are magnified, and the mechanism may go on "
        "along another branch.",
        "Keep the motion away from that pose by a limit of the joint, or drive the mechanism through it by a second "
        "joint.",
        "A parallelogram whose four hinges lie on one line.",
    ),
}

FAMILIES = (Family("fit", "misfit, play and forces of redundant mates", Stage.MOBILITY, ENTRIES),)
