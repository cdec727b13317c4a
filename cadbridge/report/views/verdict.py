"""The answer in one sentence: does it move as intended, what is too much, is it harmless, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cadbridge.report.views.numbers import figure
from cadbridge.report.views.tables import Between, gap_of
from cadbridge.wording import count, listed

Document = Mapping[str, Any]

NAMED = 3
"""Mates that are named in a sentence."""
LOOPS = {"CB199", "CB1264"}
"""Findings of loops that a source marks without closing them."""


@dataclass(frozen=True, slots=True)
class ReportVerdict:
    """`level` is good, mark (worth a look) or bad; `sentences` are the answer, the gravest first."""

    level: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole answer as one paragraph."""
        return " ".join(self.sentences)


def verdict(document: Document, between: Between) -> ReportVerdict:
    """The answer of a check document (`cadbridge.check/1`); `between` gives each mate's two components."""
    parts = [_conflicts(document, between), _faults(document), _motion(document), _open_loops(document),
             _redundancy(document), _reactions(document), _masses(document)]  # fmt: skip
    spoken = [part for part in parts if part is not None]
    levels = {level for level, _ in spoken}
    level = "bad" if "bad" in levels else "mark" if "mark" in levels else "good"
    return ReportVerdict(level, tuple(sentence for _, sentence in spoken))


def _conflicts(document: Document, between: Between) -> tuple[str, str] | None:
    """Mates that contradict others, with the components they join and the gap."""
    wrong = [r for r in document["redundancies"] if r["kind"] == "conflicting"]
    if not wrong:
        return None
    summary = [f"{r['mate']} ({' – '.join(between.get(r['mate'], ('?', '?')))}) by {gap_of(r)}" for r in wrong]
    verb = "contradicts" if len(wrong) == 1 else "contradict"
    cure = "Correct them."
    if len(wrong) == 1:
        cure = "Correct or delete it." if wrong[0]["alone"] and not wrong[0]["carries"] else "Correct it."
    return "bad", f"{count(len(wrong), 'mate')} {verb} other mates: {listed(summary, NAMED)}. {cure}"


def _faults(document: Document) -> tuple[str, str] | None:
    """Errors other than those of conflicting mates."""
    codes = sorted({f["code"] for f in document["findings"] if f["severity"] == "error"})
    if not codes or (codes == ["CB404"] and any(r["kind"] == "conflicting" for r in document["redundancies"])):
        return None
    errors = sum(1 for f in document["findings"] if f["severity"] == "error")
    return (
        "bad",
        f"The findings have {count(errors, 'error')} ({', '.join(codes[:NAMED])}{' …' * (len(codes) > NAMED)}).",
    )


def _motion(document: Document) -> tuple[str, str]:
    """How many ways it moves."""
    dof, finite = document["mobility"]["dof"], document["motion"]["finite"]
    bodies = document["counts"]["bodies"]
    if not bodies:
        return "mark", "Nothing moves: all components are grounded or locked to the ground."
    if not dof:
        return "mark", f"It cannot move: its mates lock all {bodies} bodies." if bodies > 1 else "It cannot move."
    loose = sum(f["count"] for f in document["freedoms"] if f["kind"] == "float")
    if finite == dof == loose:
        own = "body" if bodies == 1 else f"{bodies} bodies"
        return "mark", f"Nothing holds its {own} ({dof} degrees of freedom)."
    if not finite:
        one = "degree of freedom is" if dof == 1 else f"{dof} degrees of freedom are"
        return "mark", f"It cannot move, yet is not stiff at this pose: its {one} infinitesimal."
    text = f"It moves with {count(finite, 'degree')} of freedom"
    if loose:
        text += f"; {loose} of them {'belongs' if loose == 1 else 'belong'} to bodies that nothing holds"
    if spins := sum(1 for f in document["freedoms"] if f.get("spin")):
        text += f"; {_of(spins, finite)} only {'spins' if spins == 1 else 'spin'} a body about its own axis"
    if finite < dof:
        text += f"; {dof - finite} more {'exists' if dof - finite == 1 else 'exist'} only at this pose"
    return ("good" if finite == dof and not loose else "mark"), text + "."


def _of(some: int, all_of_them: int) -> str:
    """Some of several in words: "it", "all of them", "3 of them"."""
    if some == all_of_them:
        return "it" if some == 1 else f"all {some}"
    return f"{some} of them"


def _open_loops(document: Document) -> tuple[str, str] | None:
    """Loops that the source names and does not close: an open chain has other freedoms and other reactions."""
    codes = sorted({f["code"] for f in document["findings"]} & LOOPS)
    if not codes:
        return None
    return "mark", (
        f"The source names loops that it does not close ({', '.join(codes)}): unless mates close them, freedoms and "
        "reactions are those of open chains."
    )


def _redundancy(document: Document) -> tuple[str, str] | None:
    """How many equations are too many, and what can go."""
    m = document["mobility"]
    if not m["redundant"]:
        return ("good", "No mate repeats another.") if m["rows"] else None
    conflicting = any(r["kind"] == "conflicting" for r in document["redundancies"])
    text = f"{m['redundant']} of {m['rows']} equations are redundant"
    if not conflicting:
        text += " and consistent: they do no harm to the motion"
    sets: Sequence[Any] = document["deletable_sets"]
    if sets and not conflicting:
        text += f"; you can delete {listed(sets[0]['mates'], NAMED)}"
    return "good", text + "."


def _reactions(document: Document) -> tuple[str, str] | None:
    """Of how many joints a rigid model determines the reactions."""
    reactions = document["reactions"]
    if not reactions:
        return None
    unknown = sum(1 for r in reactions if not r["determined"])
    if not unknown:
        noun = "the joint" if len(reactions) == 1 else f"all {len(reactions)} joints"
        shared = [r["joint"] for r in reactions if not all(s["determined"] for s in r.get("shares", ()))]
        more = f" In {listed(shared, NAMED)} several mates carry one load; the share of each is not." if shared else ""
        return "good", f"The reactions of {noun} are determined.{more}"
    return "mark", f"A rigid model does not determine the reactions of {unknown} of {count(len(reactions), 'joint')}."


def _masses(document: Document) -> tuple[str, str] | None:
    """Bodies whose mass is unknown."""
    unknown = sum(1 for b in document["bodies"] if b["mass"] is None)
    if not unknown:
        return None
    lacking = [m for m in document["masses"] if m["mass"] is None]
    solid = [m for m in lacking if m["brep_volume"] or m["mesh_volume"]]
    cures = ["pass --density 7850 (kg/m³) or --material steel, or name materials in the mates file"] if solid else []
    if len(solid) < len(lacking) or not lacking:
        cures.append("give the masses of parts without a closed shape in the mates file")
    which = count(unknown, "body", "bodies")
    return "mark", f"The mass of {which} is unknown, and a simulation needs it: {'; '.join(cures)}."


_KINDS = {"rack_pinion": "rack and pinion", "crossed_helical": "crossed helical", "joints": "of joints"}
"""Kinds of coupling in words behind their number, where the name of the kind is none: "1 of joints"."""


def figures(document: Document) -> tuple[tuple[str, str, str, str | None], ...]:
    """The numbers below the answer: name, value, what to know about it, level (mark, bad or none)."""
    n, m = document["counts"], document["mobility"]
    kinds = ", ".join(f"{k} {kind}" for kind, k in n["joint_types"].items()) or "none"
    gears = ", ".join(f"{k} {_KINDS.get(kind, kind)}" for kind, k in n["gears"].items() if k)
    conflicts = sum(1 for r in document["redundancies"] if r["kind"] == "conflicting")
    finite = document["motion"]["finite"]
    at_pose = "" if finite == m["dof"] else f"; {finite} of them beyond this pose"
    repeats = len(document["redundancies"])
    return (
        ("degrees of freedom", str(m["dof"]), f"Grübler's count {m['gruebler']}".replace("-", "−") + at_pose, None),
        ("redundant equations", str(m["redundant"]), f"of {m['rows']}, rank {m['rank']}",
         "mark" if m["redundant"] else None),
        ("redundant mates", str(repeats),
         f"{conflicts} conflicting" if conflicts else "all consistent" if repeats else "none repeats another",
         "bad" if conflicts else None),
        ("moving bodies", str(n["bodies"]),
         f"of {count(n['components'], 'component')}, {count(n['instances'], 'part instance')}", None),
        ("joints", str(n["joints"]), kinds, None),
        ("mates", str(n["mates"]), count(n["couplings"], "coupling") + (f" ({gears})" if gears else ""), None),
        ("mass of the moving bodies", *_mass(document), None),
    )  # fmt: skip


def _mass(document: Document) -> tuple[str, str]:
    bodies = document["bodies"]
    known = [b["mass"] for b in bodies if b["mass"] is not None]
    if len(known) < len(bodies):
        lacking = len(bodies) - len(known)
        lack = "lacks" if lacking == 1 else "lack"
        return "unknown", f"{lacking} of {count(len(bodies), 'body', 'bodies')} {lack} a density or a mass"
    return f"{figure(sum(known))} kg", f"in {count(len(known), 'body', 'bodies')}"
