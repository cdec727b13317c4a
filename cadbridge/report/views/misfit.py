"""What redundant mates cost in sentences, and the forces as a table, for the terminal and the page."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from cadbridge.misfit import Fit, GroupFit, Settings
from cadbridge.misfit.model import Alone, Load, Release
from cadbridge.misfit.settings import FORCE_STIFFNESS, TURN_STIFFNESS, ratings_of
from cadbridge.report.views.numbers import figure
from cadbridge.report.views.table import Badge, ItemNames, Number, Row, Table
from cadbridge.units import TO_MILLI, TO_MM
from cadbridge.wording import count, listed

ROUND_STEPS = (1.0, 2.0, 5.0, 10.0)
"""The steps of a decade to which a number is rounded down, for a person to choose."""
LABEL = "{}.{}"
"""The label by which a release of a group is applied: both by their places."""
NO_PLAY = 1e-9
"""m: play below this is none."""
NAMED = 4
"""Mates that a sentence names."""


def headline(fit: Fit) -> str:
    """What is too much, and what that means."""
    group, many = fit.groups[0], len(fit.groups) > 1
    freedoms = "It does not move, and its" if fit.dof == 0 else (
        f"It moves all the same, with {count(fit.dof, 'degree')} of freedom, but its"
    )  # fmt: skip
    return (
        f"{listed(group.mates, NAMED)} constrain the same motions more than once"
        + (f", and {_more(len(fit.groups) - 1)}" if many else "")
        + f": {fit.redundant} of all {fit.rows} equations are redundant. {freedoms} parts go together without force "
        "only if they are exact, or if these mates have play."
    )


def _more(groups: int) -> str:
    return "so does one more group of mates" if groups == 1 else f"so do {groups} more groups of mates"


Answer = tuple[str, Sequence[str]]
"""A question and what answers it, a paragraph each."""


def answers(fit: Fit) -> list[Answer]:
    """The designer's questions with their answers: first what goes on the drawing, then what happens without it."""
    group = fit.groups[0]
    of = f" for {listed(group.mates, NAMED)}, which need most play" if len(fit.groups) > 1 else ""
    found: list[Answer] = [(f"What goes on the drawing{of}?", drawing(group))]
    found.append(("How much play do they need as they are?", [play_needed(fit, group)]))
    forces = _carried([g for g in fit.groups if g.one_sided is None], fit.settings)
    if forces:
        found.append(("What do they carry if they are forced together without play?", [forces]))
    return found


def play_needed(fit: Fit, group: GroupFit) -> str:
    """How much play the mates of a group need, where contacts only push if that was asked for."""
    play, both = group.play, ""
    if group.one_sided is not None and group.one_sided.play is not None:
        play, both = group.one_sided.play, f" If the faces held both ways, it would be {mm(group.play.worst)}."
        if play.worst < NO_PLAY:
            return f"None: {listed(group.contacts, NAMED)} may lift off, so that no error binds.{both}"
    text = (
        f"Each of these mates up to {mm(play.worst)} to either side, if all errors come together at their worst "
        f"({mm(play.squares)} as a root sum of squares, RSS). Half of all assemblies need more than {mm(play.median)}, "
        f"one of twenty more than {mm(play.most95)}.{both}"
    )
    # m: below a hundredth of a millimetre files round (`ROUNDED_MM`), and no design contradicts itself.
    if play.designed > 1e-5:
        text += f" The design itself needs {mm(play.designed)}: its mates contradict each other."
    if fit.together is not None and not both:
        text += f" With the play given, {100 * fit.together:.3g} % of all assemblies go together."
    return text


def drawing(group: GroupFit, number: int = 1) -> list[str]:
    """What a designer may do, one of them is enough: closer parts, play at few mates, or weaker mates.

    `number` is the place of the group, by which its releases are labelled.
    """
    if not group.play.worst > 0.0:
        return ["Nothing: with these tolerances no part is off, and exact parts go together."]
    if group.one_sided is not None and group.one_sided.play is not None and group.one_sided.play.worst < NO_PLAY:
        return [f"Nothing, if {listed(group.contacts, NAMED)} may lift off as far as the table of gaps says."]
    ways = [_closer(group), _alone(group.alone[0]) if group.alone else "", *_freed(group, number)]
    found = [way for way in ways if way]
    return found or [f"Give {listed(group.mates, NAMED)} ±{mm(group.play.worst)} of play each."]


def _closer(group: GroupFit) -> str:
    """What the tolerances would have to be for a play that one can buy.

    Play is convex in the errors, with faces that lift off too: with a part of all errors it is no more than that part
    of what they add to the play of the design.
    """
    pushed = group.one_sided.play if group.one_sided is not None else None
    needed = group.play if pushed is None else pushed
    errors_only = needed.worst - needed.designed
    play = _round_below(needed.worst / 4.0)
    if play <= needed.designed or errors_only <= 0.0 or not group.errors:
        return ""
    part = (play - needed.designed) / errors_only
    limits, now = [], []
    for turns in (False, True):
        own = [e.tolerance for e in group.errors if e.turns == turns]
        if own:
            per = " (mm per m)" if turns else ""
            limits.append(f"±{figure(part * min(own) * TO_MILLI, 2)} {unit_of(turns)}{per}")
            now.append(f"±{figure(min(own) * TO_MILLI, 2)} {unit_of(turns)}")
    return (
        f"Closer parts: keep the faces of {listed(group.mates, NAMED)} within {' and '.join(limits)} of their places "
        f"in each part (now {' and '.join(now)}), and give each of these mates ±{mm(play)} of play."
    )


def _alone(found: Alone) -> str:
    """What few mates would need, if all others had no play."""
    by_mate: dict[str, list[str]] = {}
    for c in found.needs:
        by_mate.setdefault(c.mate, []).append(f"±{figure(c.worst * TO_MILLI, 2)} {unit_of(c.turns)} {_way(c.kind)}")
    texts = [f"{mate} {', '.join(needs)}" for mate, needs in by_mate.items()]
    return f"More play: keep the tolerances, and give play to no mate but {listed(texts, NAMED, '; ')}."


def _way(kind: str) -> str:
    return {"across": "across", "along": "along its axis", "tilt": "of tilt", "turn": "of turn",
            "swing": "of turn about every axis", "place": "in every direction"}.get(kind, kind)  # fmt: skip


def _freed(group: GroupFit, number: int) -> list[str]:
    """The stiffest release, and the one that changes fewest mates where that is another."""
    if not group.releases.found:
        why = group.releases.reason
        return [f"Weaker mates: none were looked for, since {why}."] if why else []
    releases = group.releases.found
    first, plain = releases[0], min(releases, key=lambda r: len(r.changes))
    found = [
        f"Weaker mates (--apply {LABEL.format(number, 1)}): {_changes(first)}. Then these mates go together "
        f"whatever the errors of the parts, and the mechanism moves as before. {_stiffness_left(first, group)}"
    ]
    if len(plain.changes) < len(first.changes):
        label = LABEL.format(number, releases.index(plain) + 1)
        found.append(f"Fewest changes (--apply {label}): {_changes(plain)}. {_stiffness_left(plain, group)}")
    return found


def _stiffness_left(release: Release, group: GroupFit) -> str:
    return f"{group.releases.body} keeps {percent(release.left)} of its stiffness in the direction that loses most."


def _changes(release: Release) -> str:
    texts = [f"{c.mate}: {_in_brackets(c.words)}" for c in release.changes]
    more = len(texts) - NAMED
    return "; ".join(texts[:NAMED]) + (f"; and {count(more, 'more change')} (--all)" if more > 0 else "")


def _in_brackets(words: str) -> str:
    """A change with the hardware for it in brackets, so that a sentence can go on."""
    what, _, hardware = words.partition(": ")
    return f"{what} ({hardware})" if hardware else what


def _carried(groups: Sequence[GroupFit], settings: Settings) -> str:
    loads = [load for group in groups for load in group.loads]
    texts = []
    for turns, unit in ((False, "N"), (True, "N m")):
        own = max((load for load in loads if load.turns == turns), key=lambda load: load.worst, default=None)
        if own is not None and own.worst > 0.0:
            texts.append(f"{plain_force(own.worst)} {unit} ({own.mate}, {_way(own.kind)})")
    if not texts:
        return ""
    known = any(load.stiffness not in (FORCE_STIFFNESS, TURN_STIFFNESS) for load in loads)
    guess = "" if known else (
        ". That stiffness is a guess: until a fit file gives it, only the ratios of the forces mean something"
    )  # fmt: skip
    over = list(dict.fromkeys(load.mate for load in loads if beyond(load, settings)))
    rated = f" Beyond their ratings: {listed(over, NAMED)}." if over else ""
    return (
        f"Up to {' and '.join(texts)} in the worst case, if each mate is as stiff as {_stiffness(loads)}{guess}.{rated}"
    )


def one_sided_notes(group: GroupFit) -> list[str]:
    """What contacts that only push change, a sentence each; none where `--one-sided` was not asked for."""
    found = group.one_sided
    if found is None:
        return []
    names, notes = listed(group.contacts, NAMED), []
    if found.play is None:
        notes.append(f"The play is computed as if {names} held both ways: the group has too many redundant equations.")
    if not found.holds:
        return [*notes, f"The weights lift a face off: no forces that only push at {names} balance them."]
    gaps = [load.off for load in found.loads if load.off is not None]
    if any(off.largest is None for off in gaps):
        notes.append("A gap is free where neither a weight nor another mate keeps the face from lifting off.")
    if any(off.share > 0.0 for off in gaps):
        notes.append(
            "A gap is how far the face stands off at most while the other mates carry the weights, without any play "
            "in them."
        )
    return notes


def assumed(fit: Fit) -> str:
    """What the numbers rest on."""
    settings = fit.settings
    weights = {
        True: "", False: "; what mates carry of the weights is that of the instant at which the mechanism is let go",
        None: "; the weights are not known",
    }[fit.rests]  # fmt: skip
    contacts = [name for group in fit.groups for name in group.contacts]
    solved = any(group.one_sided is not None for group in fit.groups)
    named = f"{listed(contacts, NAMED)}, faces on faces"
    pushing = f", but {named}, only push" if solved else (
        f", even {named}, which can only push (--one-sided computes with that)" if contacts else ""
    )  # fmt: skip
    spread = "evenly spread" if settings.uniform else "normal, with the tolerance as 3σ"
    # What ±0.1 mm at both ends of its reach (mm) tilt a group by, in mrad.
    tilts = [f"{0.1 / (group.reach * TO_MILLI) * TO_MILLI:.2g}" for group in fit.groups]
    tilt = " to ".join(sorted({min(tilts, key=float), max(tilts, key=float)}, key=float))
    bearings = [f.mate for f in settings.fitted if f.name.startswith("bearing")]
    notes = [
        f"{listed(bearings, NAMED)}: a bearing's tilt and axial play are taken as none, for its clearance class does "
        "not fix them (the fit file's play gives them)" if bearings else "",
        f"{listed(fit.units, NAMED)}: a sub-assembly is off as a whole, its inner parts have no errors of their own "
        "(flexible in the mates file lets them)" if fit.units else "",
    ]  # fmt: skip
    more = "".join("; " + note for note in notes if note)
    given = ", unless the fit file gives its tolerance" if settings.tolerances else ""
    return (
        "Assumed, where a fit file (NAME.fit.yaml) says nothing else: each face is off by at most half of what ISO "
        f"2768-{settings.iso_class} allows for the size of its part{given}; errors are {spread}, {settings.draws} "
        f"draws; a mate with ±0.1 mm of play has it in each direction that it constrains, and tilts by up to ±{tilt} "
        f"mrad; first order, at the designed pose; mates push and pull{pushing}{weights}{more}."
    )


def beyond(load: Load, settings: Settings) -> bool:
    """Whether a force or moment passes the rating of its mate."""
    rating = ratings_of(settings, load.mate)[load.turns]
    return rating is not None and load.worst > rating


def _stiffness(loads: Sequence[Load]) -> str:
    texts = []
    for turns, unit in ((False, "N/m"), (True, "N m/rad")):
        values = sorted({load.stiffness for load in loads if load.turns == turns})
        if values:
            least, most = (_plain(v) for v in (values[0], values[-1]))
            texts.append(f"{least} {unit}" if least == most else f"{least} to {most} {unit}")
    return " and ".join(texts)


def _plain(value: float) -> str:
    """A stiffness as people write it: 1e7, not 1e+07."""
    return re.sub(r"e\+?(-?)0*", r"e\1", f"{value:.3g}")


def loads_table(group: GroupFit, settings: Settings, title: str = "") -> Table:
    """The forces of a group: of errors in the worst case and by RSS, of the weights, and which pass their rating."""
    most = max((load.worst for load in group.loads), default=0.0)
    rated = any(ratings_of(settings, mate) != (None, None) for mate in group.mates)
    rows = []
    for load in group.loads:
        weight = "–" if load.weight is None else plain_force(load.weight, most)
        rating = ratings_of(settings, load.mate)[load.turns]
        mark = Badge("beyond", "error", f" {plain_force(rating)}") if rating and beyond(load, settings) else None
        rows.append(Row((
            ItemNames((load.mate,), ("mate", "gear")), load.kind,
            *(Number(x, plain_force(x, most)) for x in (load.worst, load.squares)), Number(load.weight, weight),
            *((mark or ("–" if rating is None else plain_force(rating)),) if rated else ()),
            "N m" if load.turns else "N", f"{_plain(load.stiffness)} {'N m/rad' if load.turns else 'N/m'}",
        ), level="error" if mark else None))  # fmt: skip
    more = ("rating",) if rated else ()
    head = ("mate", "direction", "worst case", "RSS", "of weights", *more, "unit", "stiffness")
    return Table("carried", f"Forces in the mates without play: of errors (worst case, RSS), and of the weights{title}",
                 head, rows)  # fmt: skip


def direction(d: Sequence[float]) -> str:
    """An axis of the world by its letter, else the direction's components."""
    k = max(range(3), key=lambda i: abs(d[i]))
    # Within 1.4 mrad of an axis of the world (1 − cos).
    return "xyz"[k] if abs(d[k]) > 1.0 - 1e-6 else ", ".join(figure(v, 2, scale=1.0) for v in d)


def unit_of(turns: bool) -> str:
    """mm, or mrad of a turn."""
    return "mrad" if turns else "mm"


def mm(value: float) -> str:
    """A length in m as millimetres."""
    return f"{figure(value * TO_MM, 3)} mm"


def percent(part: float) -> str:
    """A part of 1 in percent, small ones to two digits."""
    # From there on the rounded percentage has two digits.
    return f"{100 * part:.0f} %" if part >= 0.0995 else f"{figure(100 * part, 2)} %"


def plain_force(value: float, scale: float = 0.0) -> str:
    """Three digits without a power of ten, as forces are read; beside the largest, `scale`, rounding is 0."""
    if abs(value) < 1e-9 * scale:
        return "0"
    # Below a thousand three digits need no power of ten; above ten million nobody counts the noughts.
    if not 1e3 <= abs(value) < 1e7:
        return figure(value, 3)
    return f"{float(f'{value:.3g}'):.0f}"


def _round_below(value: float) -> float:
    """The largest 1, 2 or 5 times a power of ten that is no more."""
    if value <= 0.0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    # A value that is round but for rounding is itself.
    return max(step * power for step in ROUND_STEPS if step * power <= value * (1.0 + 1e-9))
