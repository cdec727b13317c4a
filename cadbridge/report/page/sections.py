"""The sections of the page, from the document `cadbridge.check/1`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cadbridge.diagnosis.model import Diagnosis
from cadbridge.findings import Finding, Severity
from cadbridge.report.page.html import Child, Html, el, join
from cadbridge.report.page.items import GROUND_REF, Items
from cadbridge.report.page.tables import Number, Row, figure, pick, picks, table

Document = Mapping[str, Any]

MOST_OVERLAPS = 300
"""Rows of overlapping parts; the document has all of them."""

_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


def summary(document: Document) -> Html:
    """What the mechanism is, in numbers."""
    n, m = document["counts"], document["mobility"]
    kinds = ", ".join(f"{count} {kind}" for kind, count in n["joint_types"].items()) or "none"
    gears = ", ".join(f"{count} {kind.replace('_', ' and ')}" for kind, count in n["gears"].items() if count)
    conflicts = sum(1 for r in document["redundancies"] if r["kind"] == "conflicting")
    flag = "mark" if m["redundant"] else None
    cards: list[tuple[str, Child, str, str | None]] = [
        ("degrees of freedom", m["dof"], f"Grübler's count {m['gruebler']}" + _finite(document), None),
        ("redundant rows", m["redundant"], f"of {m['rows']} rows, rank {m['rank']}", flag),
        ("redundant mates", len(document["redundancies"]), f"{conflicts} conflicting" if conflicts else "all benign",
         "bad" if conflicts else None),
        ("moving bodies", n["bodies"], f"of {n['components']} components, {n['instances']} part instances", None),
        ("joints", n["joints"], kinds, None),
        ("mates", n["mates"], f"{n['couplings']} couplings" + (f" ({gears})" if gears else ""), None),
        ("mass of what moves", *_mass(document), None),
    ]  # fmt: skip
    if not document["redundancies"]:
        cards[2] = ("redundant mates", 0, "none repeats another", None)
    return el(
        "section",
        el("h2", "Summary", id="summary-h"),
        el("dl", [
            el("div", el("dt", name), el("dd", el("strong", value), " ", el("span", more)), class_=class_)
            for name, value, more, class_ in cards
        ], class_="cards"),
        id="summary", aria_labelledby="summary-h",
    )  # fmt: skip


def _finite(document: Document) -> str:
    finite = document["motion"]["finite"]
    return "" if finite == document["mobility"]["dof"] else f"; {finite} of them go on beyond the first instant"


def findings(items: Items, found: Iterable[Finding]) -> Html:
    """Findings, gravest first, with the mates they are about."""
    rows = []
    for f in sorted(found, key=lambda f: (_ORDER[f.severity], f.code)):
        names = items.named_in(f)
        hint = el("details", el("summary", "how to mend it"), el("p", f.hint)) if f.hint else None
        rows.append(
            Row(
                None,
                (
                    el("span", f.severity.value, class_=f"badge {f.severity.value}"),
                    f.code,
                    join(f.message, hint),
                    picks(items, names),
                    str(f.where),
                ),
                f.severity.value,
            )
        )
    if not rows:
        text = el("p", "Nothing was found to complain of.", class_="note")
        return el("section", el("h2", "Findings", id="findings-h"), text, id="findings", aria_labelledby="findings-h")
    return table("findings", "Findings", ("severity", "code", "what", "about", "where"), rows)


def redundancies(items: Items, document: Document) -> Html:
    """Which mate repeats which."""
    rows = []
    for r in document["redundancies"]:
        disagree = r["residual"]
        rows.append(
            Row(
                items.ref(r["mate"], "mate"),
                (
                    r["mate"],
                    Number(r["rows"], f"{r['rows']} of {r['of']}"),
                    picks(items, r["duplicates"], "mate"),
                    "nothing: it can go" if r["deletable"] else r["weaker"] or "–",
                    el("span", r["kind"], class_=f"badge {'error' if r['kind'] == 'conflicting' else 'mark'}"),
                    figure(disagree["mm"], 3),
                    figure(disagree["deg"], 3),
                ),
            )
        )
    head = ("mate", "rows repeated", "what it repeats", "what would do instead", "kind", "gap in mm", "gap in °")
    note = "A mate is redundant where some of its equations are already held by others, through loops as well."
    return table("redundancies", "Redundant mates", head, rows, note)


def groups(items: Items, document: Document) -> Html:
    """Mates whose rows depend on each other, and which of them can be deleted together."""
    rows = []
    for k, g in enumerate(document["groups"]):
        members = set(g["mates"])
        sets = [s["mates"] for s in document["deletable_sets"] if members.issuperset(s["mates"])]
        ways = [join(" or " if i else None, picks(items, names, "mate")) for i, names in enumerate(sets)]
        rows.append(
            Row(
                None,
                (
                    str(k + 1),
                    picks(items, g["mates"], "mate", most=24),
                    Number(g["rows"], str(g["rows"])),
                    Number(g["rank"], str(g["rank"])),
                    join(ways) if ways else "none of them",
                ),
            )
        )
    head = ("group", "mates", "rows", "independent", "can be deleted together, the motion staying the same")
    note = "The rows of a group's mates depend on each other, whatever their order in the file."
    return table("groups", "Dependent groups", head, rows, note)


def overlaps(items: Items, document: Document) -> Html:
    """Parts that reach into each other."""
    found = document["overlaps"]
    rows = [
        Row(
            None,
            (
                join(pick(o["parts"][0], items.ref(o["parts"][0], "part"))),
                join(pick(o["parts"][1], items.ref(o["parts"][1], "part"))),
                figure(o["volume"] * 1e6),
                figure(100 * o["share"], 3),
            ),
        )
        for o in found[:MOST_OVERLAPS]
    ]
    note = "What two solids share as placed counts twice in the masses."
    if len(found) > MOST_OVERLAPS:
        note += f" The {MOST_OVERLAPS} largest of {len(found)}."
    head = ("part", "and", "share in cm³", "of the smaller in %")
    return table("overlaps", "Parts that overlap", head, rows, note)


def bodies(items: Items, document: Document) -> Html:
    """The moving bodies."""
    rows = [
        Row(
            f"body:{k}",
            (
                b["name"],
                Number(len(b["parts"]), str(len(b["parts"]))),
                figure(b["mass"]),
                join(", ".join(f"{x * 1e3:.4g}" for x in b["com"]) if b["com"] else "–"),
                b["mass_source"] or "–",
            ),
        )
        for k, b in enumerate(document["bodies"])
    ]
    head = ("body", "parts", "mass in kg", "centre of mass in mm, its frame", "mass from")
    return table("bodies", "Bodies", head, rows)


def joints(items: Items, document: Document) -> Html:
    """The joints, each with its mates and whether its reaction is determined."""
    determined = {r["joint"]: r for r in document["reactions"]}
    rows = []
    for k, j in enumerate(document["joints"]):
        reaction = determined.get(j["name"])
        rows.append(
            Row(
                f"joint:{k}",
                (
                    j["name"],
                    j["type"],
                    body(items, j["bodies"][0]),
                    body(items, j["bodies"][1]),
                    _limits(j),
                    _reaction(reaction) if reaction else "",
                    picks(items, j["mates"], "mate"),
                ),
            )
        )
    head = ("joint", "type", "between", "and", "limits", "reaction", "mates")
    return table("joints", "Joints", head, rows)


def gears(items: Items, document: Document) -> Html:
    """Gears and other couplings: their numbers beside each other."""
    told = {g["name"]: g for g in document["gears"]}
    rows = []
    for k, c in enumerate(items.mechanism.couplings):
        it, g = c.coupling, told[c.name]
        rows.append(
            Row(
                f"gear:{k}",
                (
                    c.name,
                    it.kind.value.replace("_", " and "),
                    component(items, it.a.component) if it.a else ", ".join(it.joints or ()),
                    component(items, it.b.component) if it.b else "",
                    figure(g["ratio"]),
                    " : ".join(str(z) for z in g["teeth"]) if g["teeth"] else "–",
                    _millimetres(g["centre_distance"]),
                    " : ".join(f"{r * 1e3:.4g}" for r in g["pitch_radii"]) if g["pitch_radii"] else "–",
                    "yes" if g["agrees"] else el("span", "no", class_="badge error"),
                ),
                None if g["agrees"] else "error",
            )
        )
    head = ("gear", "type", "of", "with", "ratio", "teeth", "centre distance in mm", "pitch radii in mm", "they agree")
    locked = [
        el("p", f"{', '.join(t['mates'])} lock each other: they take {t['joints'][1]} {t['ratios'][0]:.6g} and "
           f"{t['ratios'][1]:.6g} times as far as {t['joints'][0]}, "
           f"{np.degrees(t['mismatch']):.4g}° apart after a turn.")
        for t in document["locked_trains"]
    ]  # fmt: skip
    return table("gears", "Gears", head, rows, join(locked) if locked else None)


def _millimetres(metres: float | None) -> Number:
    return figure(None if metres is None else metres * 1e3)


def ratios(items: Items, document: Document) -> Html:
    """How fast every axis goes for each motor."""
    rows = [
        Row(
            None,
            (
                join(pick(t["motor"], items.ref(t["motor"], "joint"))),
                join(pick(t["axis"], items.ref(t["axis"], "joint"))),
                Number(t["ratio"], f"{t['ratio']:.6g} {t['unit']}".rstrip()),
                figure(1 / t["ratio"], 6) if not t["unit"] else figure(None),
            ),
        )
        for t in document["transmissions"]
    ]
    note = "The rate of an axis for a rate of 1 of the motor, all other motors at rest."
    return table("ratios", "From every motor to every axis", ("motor", "axis", "ratio", "reduction"), rows, note)


def freedoms(items: Items, diagnosis: Diagnosis, clips: Sequence[Mapping[str, Any]]) -> Html:
    """How it moves, in words, each freedom with a button that plays it where one does."""
    played = {clip["joint"]: k for k, clip in enumerate(clips) if clip["kind"] == "freedom"}
    rows = []
    for f in diagnosis.freedoms:
        joint = next((name for name in (f.leader, *f.rates) if name in played), None)
        k = played.pop(joint) if joint is not None else None
        goes_on = "yes" if f.finite else el("span", "only for an instant", class_="badge mark")
        rows.append(Row(None, (f.words, goes_on, *_play(clips, k))))
    rows += [Row(None, (clips[k]["name"], "yes", *_play(clips, k))) for k in played.values()]
    return table("freedoms", "How it moves", ("freedom", "goes on", "played from", "in the picture"), rows)


def _play(clips: Sequence[Mapping[str, Any]], k: int | None) -> tuple[Child, Child]:
    """The range of a clip and the button that plays it."""
    if k is None:
        return "–", ""
    clip = clips[k]
    values = clip["values"]
    label = f"{clip['name']}, {min(values):.4g} to {max(values):.4g} {clip['unit']}"
    return label, el("button", "Play", type="button", data_clip=k, aria_label=f"Play: {clip['name']}")


def mates(items: Items) -> Html:
    """All mates as read, couplings included."""
    rows = [
        Row(
            f"mate:{k}",
            (
                m.name,
                m.kind.value.replace("_", " "),
                component(items, m.a.component if m.a else ""),
                component(items, m.b.component if m.b else ""),
                str(m.where),
            ),
        )
        for k, m in enumerate(items.all_mates)
    ]
    return table("mates", "Mates", ("mate", "type", "of", "with", "where"), rows)


def parts(items: Items) -> Html:
    """Every placement of a part."""
    mechanism = items.mechanism
    rows = []
    for k, i in enumerate(mechanism.assembly.instances):
        part, b = mechanism.assembly.part(i.part), items.body_of_instance(i.component)
        name = mechanism.bodies[b].name if b >= 0 else "ground"
        rows.append(Row(f"part:{k}", (i.name, i.part, body(items, name), part.material or "–")))
    return table("parts", "Parts", ("instance", "part", "body", "material"), rows)


def masses(items: Items, document: Document) -> Html:
    """Every part's mass beside all that it could be taken from."""

    def volume(metres: float | None) -> Number:
        return figure(None if metres is None else metres * 1e6, 5)

    rows = [
        Row(
            None,
            (
                join(m["part"]),
                Number(m["instances"], str(m["instances"])),
                figure(m["mass"]),
                m["source"] or "–",
                figure(m["declared"]),
                figure(m["density"], 5),
                m["density_source"] or "–",
                volume(m["mesh_volume"]),
                volume(m["brep_volume"]),
            ),
        )
        for m in document["masses"]
    ]
    head = (
        "part", "placed", "mass in kg", "from", "declared in kg", "density in kg/m³", "given by", "mesh in cm³",
        "exact shape in cm³",
    )  # fmt: skip
    return table("masses", "Masses of the parts", head, rows)


def body(items: Items, name: str) -> Html:
    """A body's name as a button."""
    return pick(name, GROUND_REF if name == "ground" else items.ref(name, "body"))


def component(items: Items, name: str) -> Html:
    """A component's name as a button that picks its body."""
    known = name in items.components or name == "ground"
    return pick(name, f"body:{items.body_of_instance(name)}" if known else None)


def _mass(document: Document) -> tuple[str, str]:
    known = [b["mass"] for b in document["bodies"] if b["mass"] is not None]
    lacking = len(document["bodies"]) - len(known)
    if lacking:
        return "unknown", f"{lacking} of {len(document['bodies'])} bodies lack a density or a mass"
    return f"{sum(known):.4g} kg", f"in {len(known)} bodies"


def _limits(joint: Document) -> str:
    limits, angle = joint["limits"], joint["type"] in ("revolute", "cylindrical", "screw")
    if "lower" not in limits and "upper" not in limits:
        return "–"
    factor, unit = (180 / np.pi, "°") if angle else (1e3, " mm")
    ends = [limits.get("lower"), limits.get("upper")]
    return " to ".join("∞" if e is None else f"{e * factor:.4g}{unit}" for e in ends)


def _reaction(reaction: Document) -> Html:
    """Whether the wrench is determined, and which components of it are not, in the joint's frame."""
    if reaction["determined"]:
        return el("span", "determined", class_="badge good")
    names = [
        f"{what}{axis}"
        for what in ("force", "torque")
        for axis, ok in zip("xyz", reaction[what], strict=True)
        if not ok
    ]
    short = " ".join(name.replace("force", "F").replace("torque", "T") for name in names)
    return join(el("span", "undetermined", class_="badge mark"), f" {short}")
