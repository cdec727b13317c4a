"""What JSON says of redundant mates: misfit, play, forces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cadbridge.assembly import Assembly
from cadbridge.documents import FORMATS
from cadbridge.findings import Finding
from cadbridge.misfit import Fit, GroupFit
from cadbridge.misfit.model import Equation, Error, LiftOff, PlayNeeded, Term
from cadbridge.misfit.settings import ratings_of
from cadbridge.report.document import findings_list
from cadbridge.report.views.misfit import one_sided_notes, play_needed, unit_of
from cadbridge.units import TO_MILLI, TO_MM

Document = dict[str, Any]


def fit_document(fit: Fit, assembly: Assembly, findings: Iterable[Finding]) -> Document:
    """The document `cadbridge.fit/1`. Lengths in mm, turns in mrad, forces in N and N m."""
    return {
        "format": FORMATS["fit"],
        "name": assembly.name,
        "source": assembly.source,
        "mobility": {"dof": fit.dof, "rows": fit.rows, "redundant": fit.redundant},
        "assumed": {
            "iso_2768": fit.settings.iso_class,
            "draws": fit.settings.draws,
            "seed": fit.settings.seed,
            "distribution": "uniform" if fit.settings.uniform else "normal",
        },
        "fits": [
            {
                "mate": f.mate,
                "fit": f.name,
                "diameter_mm": None if f.diameter is None else f.diameter * TO_MM,
                "length_mm": None if f.length is None else f.length * TO_MM,
                "clearance_mm": [f.least * TO_MM, f.most * TO_MM],
            }
            for f in fit.settings.fitted
        ],
        "together": fit.together,
        "rests": fit.rests,
        "rigid_units": list(fit.units),
        "groups": [_group_document(group, fit) for group in fit.groups],
        "findings": findings_list(findings),
    }


def _group_document(group: GroupFit, fit: Fit) -> Document:
    play = group.play
    return {
        "mates": list(group.mates),
        "rows": group.rows,
        "redundant": group.redundant,
        "play_mm": _play_document(play),
        "reach_mm": group.reach * TO_MM,
        "together": play.together,
        "equations": [_equation_document(e) for e in group.equations],
        "errors": [
            {**_whose(e), "tolerance": e.tolerance * TO_MILLI, "unit": unit_of(e.turns), "share": e.share}
            for e in group.errors
        ],
        "play_alone": [
            {"mates": list(a.mates),
             "needs": [{"mate": c.mate, "kind": c.kind, "unit": unit_of(c.turns), "worst": c.worst * TO_MILLI,
                        "root_sum_square": c.squares * TO_MILLI} for c in a.needs]}
            for a in group.alone
        ],
        "contacts": list(group.contacts),
        "one_sided": _one_sided_document(fit, group),
        "releases": _releases_document(group),
        "loads": [
            {"mate": load.mate, "kind": load.kind, "unit": "N m" if load.turns else "N", "stiffness": load.stiffness,
             "designed": load.designed, "worst": load.worst, "root_sum_square": load.squares, "weight": load.weight,
             "rating": ratings_of(fit.settings, load.mate)[load.turns]}
            for load in group.loads
        ],
    }  # fmt: skip


def _play_document(play: PlayNeeded) -> Document:
    return {
        "designed": play.designed * TO_MILLI, "worst": play.worst * TO_MILLI, "sufficient": play.sufficient * TO_MILLI,
        "root_sum_square": play.squares * TO_MILLI, "median": play.median * TO_MILLI, "most_95": play.most95 * TO_MILLI,
        "most_99_7": play.most997 * TO_MILLI,
    }  # fmt: skip


def _one_sided_document(fit: Fit, group: GroupFit) -> Document | None:
    """What contacts that only push make of a group. Under `lift_off_mm` null stands for a gap that nothing limits."""
    found = group.one_sided
    return None if found is None else {
        "meaning": [play_needed(fit, group), *one_sided_notes(group)],
        "holds": found.holds, "draws": found.draws,
        "play_mm": None if found.play is None else _play_document(found.play),
        "together": None if found.play is None else found.play.together,
        "loads": [
            {"mate": x.mate, "kind": x.kind, "unit": "N m" if x.turns else "N", "designed": x.designed,
             "most_95": x.most95, "largest": x.largest, "only_pushes": x.off is not None,
             "lifted": None if x.off is None else x.off.share, "lift_off_mm": _lift_off_document(x.off)}
            for x in found.loads
        ],
    }  # fmt: skip


def _lift_off_document(off: LiftOff | None) -> Document | None:
    if off is None:
        return None
    sizes = (("designed", off.designed), ("most_95", off.most95), ("largest", off.largest))
    return {name: None if size is None else size * TO_MILLI for name, size in sizes}


def _releases_document(group: GroupFit) -> Document:
    releases = group.releases
    return {
        "body": releases.body, "compared": releases.compared, "complete": releases.complete,
        "fixed": list(releases.fixed), "refused": releases.refused,
        "reason": releases.reason,
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
        "mate": e.mate, "kind": e.kind, "direction": list(e.direction), "unit": unit_of(e.turns),
        "misfit": e.misfit * TO_MILLI, "worst": e.worst * TO_MILLI,
        "terms": [
            {**_whose(t), "coefficient": t.coefficient, "unit": f"{unit_of(e.turns)}/{unit_of(t.turns)}"}
            for t in e.terms
        ],
    }  # fmt: skip


def _whose(item: Error | Term) -> Document:
    return {"component": item.component, "mates": list(item.mates), "kind": item.kind}
