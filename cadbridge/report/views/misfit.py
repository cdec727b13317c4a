"""What redundant mates cost in sentences, and the forces as a table, for the terminal and the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cadbridge.misfit import Fit, GroupFit, Settings
from cadbridge.misfit.model import Alone, Load, Release
from cadbridge.misfit.settings import FORCE_STIFFNESS, TURN_STIFFNESS, ratings_of
from cadbridge.report.views.numbers import figure
from cadbridge.report.views.table import Badge, Names, Number, Row, Table
from cadbridge.wording import count, listed

STEPS = (1.0, 2.0, 5.0, 10.0)
MOST = 4
"""Mates that a sentence names."""


def headline(fit: Fit) -> str:
    """What is too much, and what that means."""
    group, many = fit.groups[0], len(fit.groups) > 1
    one = "the one that needs most play is" if many else "they are in"
    freedoms = "does not move" if fit.dof == 0 else f"moves with {count(fit.dof, 'degree')} of freedom"
    return (
        f"{fit.redundant} of {fit.rows} equations are redundant"
        + (f", in {len(fit.groups)} groups of mates; " if many else ": ")
        + f"{one} {listed(group.mates, MOST)}. It {freedoms} all the same, but the parts of these mates go together "
        "only if they fit."
    )


def answers(fit: Fit) -> list[tuple[str, str]]:
    """The designer's questions with their answers: what play, what for the drawing, what forces, what to change."""
    group = fit.groups[0]
    found = [("What play do they need?", _play(fit, group)), ("What goes on the drawing?", drawing(fit)[0])]
    forces = _carried(fit.groups, fit.settings)
    if forces:
        found.append(("What do they carry without play?", forces))
    if group.releases.found:
        found.append(("Which change frees them?", _freed(group)))
    return found


def _play(fit: Fit, group: GroupFit) -> str:
    play = group.play
    text = (
        f"{mm(play.worst)} in each mate, in the worst case of the tolerances; {mm(play.squares)} by root sum of "
        f"squares (RSS). Half of all assemblies need less than {mm(play.median)}, 95 % less than {mm(play.most95)}."
    )
    if play.designed > 1e-5:
        text += f" The design itself needs {mm(play.designed)}: its mates contradict each other."
    if fit.together is not None:
        text += f" With the play given, {100 * fit.together:.3g} % of all assemblies go together."
    return text


def drawing(fit: Fit) -> list[str]:
    """For each group a sentence for the drawing: close tolerances with a little play, or play at few mates alone."""
    return [_sentence(group) for group in fit.groups]


def _sentence(group: GroupFit) -> str:
    ways = [text for text in (_closer(group), _alone(group.alone[0]) if group.alone else "") if text]
    if not ways:
        return f"Give {listed(group.mates, MOST)} {mm(group.play.worst)} of play each."
    first = ways[0][0].upper() + ways[0][1:]
    return f"{first}{', or ' + ways[1] if len(ways) > 1 else ''}."


def _closer(group: GroupFit) -> str:
    """What the tolerances would have to be for a play that one can buy."""
    errors_only = group.play.worst - group.play.designed
    play = _round_below(group.play.worst / 4.0)
    if play <= group.play.designed or errors_only <= 0.0:
        return ""
    part = (play - group.play.designed) / errors_only
    kinds = {turns: [e.tolerance for e in group.errors if e.turns == turns] for turns in (False, True)}
    limits = [f"±{figure(part * min(own) * 1e3, 2)} {unit_of(turns)}" for turns, own in kinds.items() if own]
    return (
        f"keep the faces of {listed(group.mates, MOST)} within {' and '.join(limits)} and give each {mm(play)} of play"
    )


def _alone(found: Alone) -> str:
    """What few mates would need, if all others had no play."""
    by_mate: dict[str, list[str]] = {}
    for c in found.needs:
        by_mate.setdefault(c.mate, []).append(f"{figure(c.worst * 1e3, 2)} {unit_of(c.turns)} {_way(c.kind)}")
    texts = [f"{mate} ±({', '.join(needs)})" for mate, needs in by_mate.items()]
    return f"leave the tolerances as they are and give only {listed(texts, MOST, '; ')} of play"


def _way(kind: str) -> str:
    return {"across": "across", "along": "along its axis", "tilt": "of tilt", "turn": "of turn"}.get(kind, kind)


def _freed(group: GroupFit) -> str:
    """The stiffest release, and the one that changes fewest mates where that is another."""
    first = group.releases.found[0]
    plain = min(group.releases.found, key=lambda r: len(r.changes))
    text = (
        f"{_changes(first)}. Then nothing binds, the mobility stays the same, and {percent(first.left)} of the "
        f"stiffness at {group.releases.body} is left in its worst direction."
    )
    if len(plain.changes) < len(first.changes):
        text += f" With fewest changes: {_changes(plain)}; {percent(plain.left)} is left."
    return text


def _changes(release: Release) -> str:
    return listed([f"{c.mate}: {c.words}" for c in release.changes], MOST, "; ")


def _carried(groups: Sequence[GroupFit], settings: Settings) -> str:
    loads = [load for group in groups for load in group.loads]
    texts = []
    for turns, unit in ((False, "N"), (True, "N m")):
        own = max((load for load in loads if load.turns == turns), key=lambda load: load.worst, default=None)
        if own is not None and own.worst > 0.0:
            texts.append(f"{plain_force(own.worst)} {unit} ({own.mate}, {own.kind})")
    if not texts:
        return ""
    known = any(load.stiffness not in (FORCE_STIFFNESS, TURN_STIFFNESS) for load in loads)
    guess = "" if known else ": a guess, so that only the ratios of the forces mean something"
    over = list(dict.fromkeys(load.mate for load in loads if beyond(load, settings)))
    rated = f" Beyond their ratings: {listed(over, MOST)}." if over else ""
    return f"Up to {' and '.join(texts)} in the worst case, with stiffness {_stiffness(loads)}{guess}.{rated}"


def beyond(load: Load, settings: Settings) -> bool:
    """Whether a force or moment passes the rating of its mate."""
    rating = ratings_of(settings, load.mate)[load.turns]
    return rating is not None and load.worst > rating


def _stiffness(loads: Sequence[Load]) -> str:
    texts = []
    for turns, unit in ((False, "N/m"), (True, "N m/rad")):
        values = sorted({load.stiffness for load in loads if load.turns == turns})
        if values:
            least, most = f"{values[0]:.3g}", f"{values[-1]:.3g}"
            texts.append(f"{least} {unit}" if least == most else f"{least} to {most} {unit}")
    return f"k = {' and '.join(texts)}"


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
            Names((load.mate,), ("mate", "gear")), load.kind,
            *(Number(x, plain_force(x, most)) for x in (load.worst, load.squares)), Number(load.weight, weight),
            *((mark or ("–" if rating is None else plain_force(rating)),) if rated else ()),
            "N m" if load.turns else "N", f"{load.stiffness:.3g}",
        ), level="error" if mark else None))  # fmt: skip
    more = ("rating",) if rated else ()
    head = ("mate", "direction", "worst case", "RSS", "of weights", *more, "unit", "stiffness")
    return Table("carried", f"Forces in the mates without play: of errors (worst case, RSS), and of the weights{title}",
                 head, rows)  # fmt: skip


def direction(d: Sequence[float]) -> str:
    """An axis of the world by its letter, else the direction's components."""
    k = max(range(3), key=lambda i: abs(d[i]))
    return "xyz"[k] if abs(d[k]) > 1.0 - 1e-6 else ", ".join(figure(v, 2, scale=1.0) for v in d)


def unit_of(turns: bool) -> str:
    """mm, or mrad of a turn."""
    return "mrad" if turns else "mm"


def mm(value: float) -> str:
    """A length in m as millimetres."""
    return f"{figure(value * 1e3, 3)} mm"


def percent(part: float) -> str:
    """A part of 1 in percent, small ones to two digits."""
    return f"{100 * part:.0f} %" if part >= 0.0995 else f"{figure(100 * part, 2)} %"


def plain_force(value: float, scale: float = 0.0) -> str:
    """Three digits without a power of ten, as forces are read; beside the largest, `scale`, rounding is 0."""
    if abs(value) < 1e-9 * scale:
        return "0"
    if not 1e3 <= abs(value) < 1e7:
        return figure(value, 3)
    return f"{float(f'{value:.3g}'):.0f}"


def _round_below(value: float) -> float:
    """The largest 1, 2 or 5 times a power of ten that is no more."""
    if value <= 0.0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in STEPS if step * power <= value * (1.0 + 1e-9))
