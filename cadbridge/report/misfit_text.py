"""What the terminal says of redundant mates: the designer's questions first, then what the answers rest on."""

from __future__ import annotations

from collections.abc import Sequence

from cadbridge.misfit import Fit, GroupFit
from cadbridge.misfit.model import Equation, Error, LiftOff
from cadbridge.report.terminal import PIPED, draw, plain_table, wrapped
from cadbridge.report.views.misfit import (
    answers,
    assumed,
    direction,
    drawing,
    headline,
    loads_table,
    mm,
    one_sided_notes,
    percent,
    plain_force,
    unit_of,
)
from cadbridge.report.views.numbers import figure
from cadbridge.units import TO_MILLI
from cadbridge.wording import count, listed

MOST_TERMS = 6
"""Errors of one equation that the terminal shows."""


def fit_text(
    fit: Fit, name: str, everything: bool = False, columns: int = PIPED, ranked: bool = False
) -> str:  # fmt: skip
    """The answer first, then the groups; with `everything` the tables of each group, from which the answers follow.

    `ranked` shows the weaker mates of the costliest group all the same; contacts that only push always show.
    """
    if not fit.groups:
        text = (
            f"{name}: Nothing binds at the designed pose. None of its {fit.rows} equations is redundant: errors of "
            "parts need no play. Add --along JOINT to see whether that holds at other poses too."
        )
        return "\n".join(wrapped([text], columns))
    groups = fit.groups
    asked: list[str] = []
    for question, texts in answers(fit):
        asked += ["", *_listed(question, texts)]
    parts = ["\n".join(wrapped([f"{name}: {headline(fit)}", *asked, "", assumed(fit)], columns))]
    if len(groups) > 1:
        parts.append(_overview(groups, columns))
    if everything:
        parts += [_details(fit, group, i if len(groups) > 1 else 0, columns) for i, group in enumerate(groups, 1)]
    else:
        parts += [table for g in groups if (table := _one_sided(g, _of(g, len(groups) > 1), columns))]
        if ranked and groups[0].releases.found:
            parts.append(_releases(groups[0], _of(groups[0], len(groups) > 1), 1, columns))
        text = "With --all: what must agree, what costs most play, all forces, and the weaker mates with their labels."
        parts.append("\n".join(wrapped([text], columns)))
    return "\n\n".join(part.rstrip("\n") for part in parts)


def _overview(groups: Sequence[GroupFit], columns: int) -> str:
    head = ("mates", "redundant", "worst play mm", "95 % mm", "force N", "moment N m", "costliest error")
    rows = []
    for g in groups:
        forces = [max((load.worst for load in g.loads if load.turns == turns), default=0.0) for turns in (False, True)]
        cells = [figure(x * TO_MILLI, 3) for x in (g.play.worst, g.play.most95)]
        costliest = f"{g.errors[0].component or 'teeth'}, {g.errors[0].kind}" if g.errors else "–"
        rows.append(
            [
                listed(g.mates, 2 if len(g.mates) == 2 else 1),
                str(g.redundant),
                *cells,
                *(plain_force(f) for f in forces),
                costliest,
            ]
        )
    title = "Groups of mates, most play first (play at worst and in 95 % of assemblies; forces in the worst case)"
    return f"{title}\n" + plain_table(head, rows, columns, (False, True, True, True, True, True, False))


def _details(fit: Fit, group: GroupFit, number: int, columns: int) -> str:
    """A group in full; `number` (0: the only one) is its place."""
    title = _of(group, number > 0)
    equations = [
        [_equation(e), _feels(e), f"{figure(e.worst * TO_MILLI, 3)} {unit_of(e.turns)}"] for e in group.equations
    ]
    errors = [
        [_face(e), f"±{figure(e.tolerance * TO_MILLI, 3)} {unit_of(e.turns)}", f"{100 * e.share:.0f} %"]
        for e in group.errors
        # A smaller share would read 0 %.
        if e.share > 5e-3
    ]
    return "\n\n".join(filter(None, [
        _drawing(group, number, columns) if number > 1 else "",
        f"What must agree{title}: an equation holds without play where the errors in its line add up to zero\n"
        + plain_table(("redundant equation", "errors × factors", "worst misfit"), equations, columns,
                      (False, False, True)).rstrip("\n"),
        f"What costs most play{title}\n"
        + plain_table(("error", "tolerance", "share of play"), errors, columns, (False, True, True)).rstrip("\n"),
        draw(loads_table(group, fit.settings, title), columns).rstrip("\n"),
        _alone(group, title, columns),
        _one_sided(group, title, columns),
        _releases(group, title, max(number, 1), columns),
    ])).rstrip()  # fmt: skip


def _listed(question: str, texts: Sequence[str]) -> list[str]:
    """A question with its answer, or with ways of which one is enough."""
    return [f"{question} {texts[0]}"] if len(texts) == 1 else [f"{question} One of:", *(f"  - {t}" for t in texts)]


def _drawing(group: GroupFit, number: int, columns: int) -> str:
    """What goes on the drawing for another group than the first, whose answer stands at the head."""
    question = f"What goes on the drawing for {listed(group.mates, 4)}?"
    return "\n".join(wrapped(_listed(question, drawing(group, number)), columns))


def _of(group: GroupFit, many: bool) -> str:
    return f" of {listed(group.mates, 4)}" if many else ""


def _one_sided(group: GroupFit, title: str, columns: int) -> str:
    """What the mates carry where faces that lie on each other only push."""
    found = group.one_sided
    if found is None:
        return ""
    head = f"Forces where {listed(group.contacts, 4)} only push{title}"
    if not found.holds:
        notes = "\n".join(wrapped([f" {note}" for note in one_sided_notes(group)], columns))
        return f"{head}\n{notes}"
    most = max((load.largest for load in found.loads), default=0.0)
    rows = [
        [load.mate, load.kind, *(plain_force(x, most) for x in (load.designed, load.most95, load.largest)),
         "N m" if load.turns else "N", *_lifting(load.off)]
        for load in found.loads
    ]  # fmt: skip
    heads = ("mate", "direction", "exact parts", "95 %", "largest", "unit", "lifts off", "gap 95 %", "largest gap")
    table = plain_table(heads, rows, columns, (False, False, True, True, True, False, True, True, True)).rstrip("\n")
    notes = "\n".join(wrapped([f" {note}" for note in one_sided_notes(group)], columns))
    return f"{head}: the weights with {count(found.draws, 'draw')} of the errors\n{notes}\n{table}"


def _lifting(off: LiftOff | None) -> tuple[str, ...]:
    """In how many assemblies a contact is open, and how far; nothing of mates that hold both ways."""
    if off is None:
        return "–", "–", "–"
    return f"{100 * off.share:.3g} %", *("free" if x is None else mm(x) for x in (off.most95, off.largest))


def _releases(group: GroupFit, title: str, number: int, columns: int) -> str:
    """The ranked table of releases, with the label by which --apply takes each."""
    releases = group.releases
    if not releases.found:
        why = f": no set was looked for, since {releases.reason}." if releases.reason else ""
        return "\n".join(wrapped([f"Which mates to weaken{title}{why}"], columns)) if why else ""
    axes = list(releases.found[0].along)
    rows = []
    for k, r in enumerate(releases.found, 1):
        parts = (r.left, *(r.along[axis] for axis in axes))
        changes = "; ".join(f"{c.mate}: {c.words}" for c in r.changes)
        rows.append([f"{number}.{k}", *map(percent, parts), changes])
    notes = [
        f"in % of the stiffness at {releases.body} with all mates; each set is proved by a new diagnosis",
        f"all {count(releases.compared, 'set')} compared"
        if releases.complete
        else f"{count(releases.compared, 'set')} compared, stiff ones and plain ones, of more than can be searched",
        *([f"{releases.refused} refuted by their diagnosis"] if releases.refused else []),
        *([f"{listed(releases.fixed, 4)} must keep their one freedom"] if releases.fixed else []),
        "--apply LABEL writes a set into the mates file",
    ]
    head = ("label", "worst direction", *axes, "what to change")
    table = plain_table(head, rows, columns, (False, *[True] * (len(axes) + 1), False)).rstrip("\n")
    return "\n".join([f"Which mates to weaken{title}", *wrapped([f" {'; '.join(notes)}"], columns), table])


def _alone(group: GroupFit, title: str, columns: int) -> str:
    """What few mates need if all others have no play."""
    rows = [
        [", ".join(a.mates) if k == 0 else "", c.mate, c.kind]
        + [f"±{figure(x * TO_MILLI, 3)} {unit_of(c.turns)}" for x in (c.worst, c.squares)]
        for a in group.alone
        for k, c in enumerate(a.needs)
    ]
    if not rows:
        return ""
    table = plain_table(("play only in", "mate", "direction", "worst case", "RSS"), rows, columns,
                        (False, False, False, True, True)).rstrip("\n")  # fmt: skip
    return f"Play in few mates, none in the others{title}\n{table}"


def _equation(e: Equation) -> str:
    return f"{e.mate}, {e.kind}" + (f" ({direction(e.direction)})" if any(e.direction) else "")


def _feels(e: Equation) -> str:
    """The errors with their coefficients; those of both sides of a mate in one."""
    merged: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    for t in e.terms:
        factor = f"{figure(t.coefficient, 3)} {unit_of(e.turns)}/{unit_of(t.turns)}"
        merged.setdefault((t.mates, t.kind, factor), []).append(t.component or "teeth")
    texts = [
        f"{kind} of {'/'.join(mates[:2])} ({', '.join(owners)}) × {factor}"
        for (mates, kind, factor), owners in merged.items()
    ]
    return listed(texts, MOST_TERMS, "; ")


def _face(e: Error) -> str:
    return f"{e.component or 'teeth'} at {listed(e.mates, 2)}, {e.kind}"
