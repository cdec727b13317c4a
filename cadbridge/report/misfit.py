"""What the terminal and JSON say of redundant mates: misfit, play, forces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding
from cadbridge.misfit import Fit, GroupFit
from cadbridge.misfit.model import Equation, Error, Load, Term
from cadbridge.misfit.settings import FORCE_STIFFNESS, TURN_STIFFNESS
from cadbridge.report.document import findings_list
from cadbridge.report.terminal import PIPED, plain_table, wrapped
from cadbridge.report.views.numbers import figure
from cadbridge.wording import count, listed

Document = dict[str, Any]

MOST_TERMS = 6
"""Errors of one equation that the terminal shows."""
STEPS = (1.0, 2.0, 5.0, 10.0)


def fit_document(fit: Fit, assembly: Assembly, findings: Iterable[Finding]) -> Document:
    """The document `cadbridge.fit/1`. Lengths in mm, turns in mrad, forces in N and N m."""
    return {
        "format": "cadbridge.fit/1",
        "name": assembly.name,
        "source": assembly.source,
        "mobility": {"dof": fit.dof, "rows": fit.rows, "redundant": fit.redundant},
        "assumed": {
            "iso_2768": fit.settings.iso_class,
            "draws": fit.settings.draws,
            "seed": fit.settings.seed,
            "distribution": "uniform" if fit.settings.uniform else "normal",
        },
        "together": fit.together,
        "rests": fit.rests,
        "groups": [_group_document(group) for group in fit.groups],
        "findings": findings_list(findings),
    }


def _group_document(group: GroupFit) -> Document:
    play = group.play
    return {
        "mates": list(group.mates),
        "rows": group.rows,
        "redundant": group.redundant,
        "play_mm": {
            "designed": play.designed * 1e3, "worst": play.worst * 1e3, "sufficient": play.sufficient * 1e3,
            "root_sum_square": play.squares * 1e3, "median": play.median * 1e3, "most_95": play.most95 * 1e3,
            "most_99_7": play.most997 * 1e3,
        },
        "reach_mm": group.reach * 1e3,
        "together": play.together,
        "equations": [_equation_document(e) for e in group.equations],
        "errors": [
            {**_whose(e), "tolerance": e.tolerance * 1e3, "unit": _unit(e.turns), "share": e.share}
            for e in group.errors
        ],
        "contacts": list(group.contacts),
        "one_sided": _one_sided_document(group),
        "releases": _releases_document(group),
        "loads": [
            {"mate": load.mate, "kind": load.kind, "unit": "N m" if load.turns else "N", "stiffness": load.stiffness,
             "designed": load.designed, "worst": load.worst, "root_sum_square": load.squares, "weight": load.weight}
            for load in group.loads
        ],
    }  # fmt: skip


def _one_sided_document(group: GroupFit) -> Document | None:
    found = group.one_sided
    return None if found is None else {
        "holds": found.holds, "draws": found.draws,
        "loads": [
            {"mate": x.mate, "kind": x.kind, "unit": "N m" if x.turns else "N", "designed": x.designed,
             "most_95": x.most95, "largest": x.largest, "lifted": x.lifted}
            for x in found.loads
        ],
    }  # fmt: skip


def _releases_document(group: GroupFit) -> Document:
    releases = group.releases
    return {
        "body": releases.body, "compared": releases.compared, "complete": releases.complete,
        "fixed": list(releases.fixed), "refused": releases.refused,
        "found": [
            {
                "stiffness_left": r.left,
                "along": r.along,
                "changes": [
                    {"mate": c.mate, "change": c.words, "mates": [m.kind.value for m in c.mates]} for c in r.changes
                ],
            }
            for r in releases.found
        ],
    }  # fmt: skip


def _equation_document(e: Equation) -> Document:
    return {
        "mate": e.mate, "kind": e.kind, "direction": list(e.direction), "unit": _unit(e.turns),
        "misfit": e.misfit * 1e3, "worst": e.worst * 1e3,
        "terms": [
            {**_whose(t), "coefficient": t.coefficient, "unit": f"{_unit(e.turns)}/{_unit(t.turns)}"} for t in e.terms
        ],
    }  # fmt: skip


def _whose(item: Error | Term) -> Document:
    return {"component": item.component, "mates": list(item.mates), "kind": item.kind}


def _unit(turns: bool) -> str:
    return "mrad" if turns else "mm"


# --- text ---


def fit_text(fit: Fit, name: str, everything: bool = False, columns: int = PIPED) -> str:
    """The answer first, then the groups, then what counts in the costliest one (or in all)."""
    if not fit.groups:
        text = f"{name}: Nothing binds. None of its {fit.rows} equations is redundant: errors of parts need no play."
        return "\n".join(wrapped([text], columns))
    groups = fit.groups
    parts = ["\n".join(wrapped([f"{name}: {_answer(fit, groups[0])}", *_assumed(fit)], columns))]
    if len(groups) > 1:
        parts.append(_overview(groups, columns))
    shown = groups if everything else groups[:1]
    parts += [_details(group, i if len(groups) > 1 else 0, columns) for i, group in enumerate(shown, 1)]
    if len(shown) < len(groups):
        parts.append(f"The other {count(len(groups) - len(shown), 'group')} in full: --all")
    return "\n\n".join(part.rstrip("\n") for part in parts)


def _answer(fit: Fit, group: GroupFit) -> str:
    """Play that is needed, how close the faces must be instead, and what the mates carry where neither is given."""
    play = group.play
    many = len(fit.groups) > 1
    sentences = [
        f"{fit.redundant} of {fit.rows} equations are redundant"
        + (f", in {len(fit.groups)} groups of mates." if many else ".")
    ]
    where = f"{'The group that needs most is' if many else 'They are in'} {listed(group.mates, 4)}"
    sentences.append(
        f"{where}: each of these mates needs {_mm(play.worst)} of play so that the parts go together in the worst "
        f"case of their tolerances, {_mm(play.squares)} by root sum of squares (RSS); half of all assemblies need "
        f"less than {_mm(play.median)}."
    )
    if play.designed > 1e-5:
        sentences.append(f"The design itself needs {_mm(play.designed)}, because its mates contradict each other.")
    sentences.append(_closer(group))
    if fit.together is not None:
        sentences.append(f"With the play given, {100 * fit.together:.3g} % of all assemblies go together.")
    sentences.append(_carried(fit.groups))
    if group.releases.found:
        first = group.releases.found[0]
        changes = listed([f"{c.mate}: {c.words}" for c in first.changes], 4, "; ")
        left = f"{_percent(first.left)} of the stiffness at {group.releases.body} in its worst direction"
        sentences.append(
            f"Weaker mates remove the redundancy{' of this group' if many else ''} and keep {left}: {changes}."
        )
    return " ".join(sentences)


def _closer(group: GroupFit) -> str:
    """What the tolerances would have to be for a play that one can buy."""
    errors_only = group.play.worst - group.play.designed
    play = _round_below(group.play.worst / 4.0)
    if play <= group.play.designed or errors_only <= 0.0:
        return ""
    part = (play - group.play.designed) / errors_only
    kinds = {turns: [e.tolerance for e in group.errors if e.turns == turns] for turns in (False, True)}
    limits = [f"±{figure(part * min(own) * 1e3, 2)} {_unit(turns)}" for turns, own in kinds.items() if own]
    return f"With only {_mm(play)} of play, their faces must be within {' and '.join(limits)}."


def _carried(groups: Sequence[GroupFit]) -> str:
    loads = [load for group in groups for load in group.loads]
    texts = []
    for turns, unit in ((False, "N"), (True, "N m")):
        own = max((load for load in loads if load.turns == turns), key=lambda load: load.worst, default=None)
        if own is not None and own.worst > 0.0:
            texts.append(f"{plain_force(own.worst)} {unit} ({own.mate}, {own.kind})")
    if not texts:
        return ""
    known = any(load.stiffness not in (FORCE_STIFFNESS, TURN_STIFFNESS) for load in loads)
    guess = "" if known else " (a guess: only the ratios of the forces mean something)"
    return f"Without play the mates carry up to {' and '.join(texts)}, with stiffness {_stiffness(loads)}{guess}."


def _stiffness(loads: Sequence[Load]) -> str:
    texts = []
    for turns, unit in ((False, "N/m"), (True, "N m/rad")):
        values = sorted({load.stiffness for load in loads if load.turns == turns})
        if values:
            least, most = f"{values[0]:.3g}", f"{values[-1]:.3g}"
            texts.append(f"{least} {unit}" if least == most else f"{least} to {most} {unit}")
    return f"k = {' and '.join(texts)}"


def _assumed(fit: Fit) -> list[str]:
    """What the numbers rest on."""
    settings = fit.settings
    weights = {True: "", False: "; weights at the instant of release from rest", None: "; weights unknown"}[fit.rests]
    names = [name for group in fit.groups for name in group.contacts]
    contacts = f" ({listed(names, 4)} only push, as faces on faces: --one-sided)" if names else ""
    spread = "uniform" if settings.uniform else "normal, tolerance = 3σ"
    reach = sorted({f"{group.reach * 1e3:.3g}" for group in fit.groups}, key=float)
    return [
        "",
        f"Assumed: each face is off by at most half of ISO 2768-{settings.iso_class}, so that a distance between two "
        f"faces keeps the standard{', unless the fit file says otherwise' if settings.tolerances else ''}; errors are "
        f"{spread}, {settings.draws} draws; play is equal in all directions, and tilt play is that play divided by "
        f"{' to '.join(reach)} mm; first order, at the designed pose; mates push and pull{contacts}{weights}.",
    ]


def _overview(groups: Sequence[GroupFit], columns: int) -> str:
    head = ("mates", "redundant", "worst play mm", "RSS mm", "95 % mm", "force N", "moment N m", "costliest error")
    rows = []
    for g in groups:
        forces = [max((load.worst for load in g.loads if load.turns == turns), default=0.0) for turns in (False, True)]
        cells = [figure(x * 1e3, 3) for x in (g.play.worst, g.play.squares, g.play.most95)]
        rows.append(
            [
                listed(g.mates, 3),
                str(g.redundant),
                *cells,
                *(plain_force(f) for f in forces),
                _face(g.errors[0]) if g.errors else "–",
            ]
        )
    title = "Groups of mates, most play first (play: worst case, RSS, 95 % of assemblies; force and moment: worst case)"
    return f"{title}\n" + plain_table(head, rows, columns, (False, True, True, True, True, True, True, False))


def _details(group: GroupFit, number: int, columns: int) -> str:
    """A group in full; `number` (0: the only one) is its place."""
    title = f" of {listed(group.mates, 4)}" if number else ""
    equations = [[_equation(e), _feels(e), f"{figure(e.worst * 1e3, 3)} {_unit(e.turns)}"] for e in group.equations]
    most = max((load.worst for load in group.loads), default=0.0)
    loads = [
        [load.mate, load.kind, *(plain_force(x, most) for x in (load.worst, load.squares)),
         "–" if load.weight is None else plain_force(load.weight, most), "N m" if load.turns else "N",
         f"{load.stiffness:.3g}"]
        for load in group.loads
    ]  # fmt: skip
    errors = [
        [_face(e), f"±{figure(e.tolerance * 1e3, 3)} {_unit(e.turns)}", f"{100 * e.share:.0f} %"]
        for e in group.errors
        if e.share > 5e-3
    ]
    return "\n\n".join(filter(None, [
        f"What must agree{title}: an equation holds without play where the errors in its line add up to zero\n"
        + plain_table(("redundant equation", "errors × factors", "worst misfit"), equations, columns,
                      (False, False, True)).rstrip("\n"),
        f"What costs most play{title}\n"
        + plain_table(("error", "tolerance", "share of play"), errors, columns, (False, True, True)).rstrip("\n"),
        f"Forces in the mates without play: of errors (worst case, RSS), and of the weights{title}\n"
        + plain_table(("mate", "direction", "worst case", "RSS", "of weights", "unit", "stiffness"), loads, columns,
                      (False, False, True, True, True, False, True)).rstrip("\n"),
        _one_sided(group, title, columns),
        _releases(group, title, max(number, 1), columns),
    ])).rstrip()  # fmt: skip


def _one_sided(group: GroupFit, title: str, columns: int) -> str:
    """What the mates carry where faces that lie on each other only push."""
    found = group.one_sided
    if found is None:
        return ""
    head = f"Forces where {listed(group.contacts, 4)} only push{title}"
    if not found.holds:
        return f"{head}\n The weights lift a face off: no forces that only push balance them."
    most = max((load.largest for load in found.loads), default=0.0)
    rows = [
        [load.mate, load.kind, *(plain_force(x, most) for x in (load.designed, load.most95, load.largest)),
         "N m" if load.turns else "N", "–" if load.lifted is None else f"{100 * load.lifted:.3g} %"]
        for load in found.loads
    ]  # fmt: skip
    heads = ("mate", "direction", "exact parts", "95 %", "largest", "unit", "lifts off")
    table = plain_table(heads, rows, columns, (False, False, True, True, True, False, True)).rstrip("\n")
    return f"{head}: the weights with {found.draws} draws of the errors\n{table}"


def _releases(group: GroupFit, title: str, number: int, columns: int) -> str:
    """The ranked table of releases, with the label by which --apply takes each."""
    releases = group.releases
    if not releases.found:
        return ""
    axes = list(releases.found[0].along)
    rows = []
    for k, r in enumerate(releases.found, 1):
        parts = (r.left, *(r.along[axis] for axis in axes))
        changes = "; ".join(f"{c.mate}: {c.words}" for c in r.changes)
        rows.append([f"{number}.{k}", *map(_percent, parts), changes])
    what = "all" if releases.complete else "some"
    notes = [
        f"in % of the stiffness at {releases.body} with all mates; each set is proved by a new diagnosis",
        f"{what} {releases.compared} sets compared",
        *([f"{releases.refused} refuted by their diagnosis"] if releases.refused else []),
        *([f"{listed(releases.fixed, 4)} must keep their one freedom"] if releases.fixed else []),
        "--apply LABEL writes a set into the mates file",
    ]
    head = ("label", "worst direction", *axes, "what to change")
    table = plain_table(head, rows, columns, (False, *[True] * (len(axes) + 1), False)).rstrip("\n")
    return "\n".join([f"Which mates to weaken{title}", *wrapped([f" {'; '.join(notes)}"], columns), table])


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %" if part >= 0.0995 else f"{figure(100 * part, 2)} %"


def _equation(e: Equation) -> str:
    k = max(range(3), key=lambda i: abs(e.direction[i]))
    axis = "xyz"[k] if abs(e.direction[k]) > 1.0 - 1e-6 else ", ".join(figure(v, 2, scale=1.0) for v in e.direction)
    return f"{e.mate}, {e.kind}" + (f" ({axis})" if any(e.direction) else "")


def _feels(e: Equation) -> str:
    """The errors with their coefficients; those of both sides of a mate in one."""
    merged: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    for t in e.terms:
        factor = f"{figure(t.coefficient, 3)} {_unit(e.turns)}/{_unit(t.turns)}"
        merged.setdefault((t.mates, t.kind, factor), []).append(t.component or "teeth")
    texts = [
        f"{kind} of {'/'.join(mates[:2])} ({', '.join(owners)}) × {factor}"
        for (mates, kind, factor), owners in merged.items()
    ]
    return listed(texts, MOST_TERMS, "; ")


def _face(e: Error) -> str:
    return f"{e.component or 'teeth'} at {listed(e.mates, 2)}, {e.kind}"


def _mm(value: float) -> str:
    return f"{figure(value * 1e3, 3)} mm"


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
