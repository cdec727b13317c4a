"""Codes CB4xx, redundancy and mobility."""

from __future__ import annotations

from cadbridge.findings import Entry, Severity

ENTRIES: dict[str, Entry] = {
    "CB401": Entry(
        Severity.WARNING,
        "a floating part",
        "No mate holds this component: in a simulation it falls freely.",
        "Mate it, ground it, or attach it to another component in the mates file.",
    ),
    "CB402": Entry(
        Severity.WARNING,
        "nothing is grounded",
        "No component stands still and no mate holds the ground: the whole assembly floats.",
        "Name what stands still under `ground` in the mates file.",
    ),
    "CB403": Entry(
        Severity.ERROR,
        "mates that contradict each other",
        "A mate repeats what others hold, and does not agree with them by the gap given: no pose fulfils all.",
        "Remove the mate, or correct the dimension in which it disagrees.",
    ),
    "CB404": Entry(
        Severity.INFO,
        "redundant mates",
        "Some rows of the mates repeat others. The motion is unaffected; the reactions of the joints concerned "
        "are not determined by a rigid model.",
        "See the list of what repeats what; a weaker mate, or none, would do.",
    ),
    "CB405": Entry(
        Severity.WARNING,
        "two ways of counting the mobility differ",
        "The mates as read and the joints they were collapsed to have different mobilities: a joint was found "
        "whose freedom depends on the pose.",
        "Check the joints of type generic, and whether the designed pose is a singular one.",
    ),
}  # fmt: skip
