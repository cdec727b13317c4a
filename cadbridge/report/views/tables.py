"""The tables of a diagnosis, from the document `cadbridge.check/1`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cadbridge.assembly import GROUND
from cadbridge.mechanism.joint_types import JOINT_TYPES
from cadbridge.report.views.findings import place
from cadbridge.report.views.numbers import figure, vector
from cadbridge.report.views.table import Badge, Cell, ItemNames, Number, Row, Table, number, whole
from cadbridge.units import TO_CM3, TO_MM
from cadbridge.wording import count, listed

if TYPE_CHECKING:
    from cadbridge.assembly import Coupling, Mate
    from cadbridge.mechanism.model import Mechanism

Document = Mapping[str, Any]
Between = Mapping[str, tuple[str, str]]

MOST_OVERLAPS = 300
"""Rows of overlapping parts; the document has all of them."""


def components_between(mechanism: Mechanism) -> Between:
    """The two components that each mate and coupling joins, by its name; a coupling of joints names those."""
    found: dict[str, tuple[str, str]] = {m.name: (m.a.component, m.b.component) for m in mechanism.assembly.mates}
    for c in mechanism.assembly.couplings:
        if c.a is not None:
            found[c.name] = (c.a.component, c.b.component if c.b is not None else GROUND)
        elif c.joints is not None:
            found[c.name] = c.joints
    return found


def gap(mm: float, deg: float) -> str:
    """How far a mate is from what the others hold, without what is rounding."""
    # mm and degrees: a billionth of a metre is rounding of the pose.
    summary = [text for value, text in ((mm, f"{figure(mm, 3)} mm"), (deg, f"{figure(deg, 3)}°")) if value > 1e-6]
    return ", ".join(summary) or "0"


def gap_of(redundancy: Document) -> str:
    """The gap of an entry of the document's redundancies."""
    return gap(redundancy["residual"]["mm"], redundancy["residual"]["deg"])


def redundancies(document: Document, between: Between) -> Table:
    """Which mate repeats which; conflicting ones first."""
    listed = [(k, r) for k, r in enumerate(document["redundancies"])]
    listed.sort(key=lambda item: (item[1]["kind"] != "conflicting", item[0]))
    rows = [
        Row(
            (
                ItemNames((r["mate"],), ("mate", "gear")),
                ItemNames(between.get(r["mate"], ()), ("body", "part"), " – "),
                Badge("conflicting", "error", f" by {gap_of(r)}") if r["kind"] == "conflicting"
                else Badge("consistent", "good"),
                Number(r["rows"], f"{r['rows']} of {r['of']}"),
                ItemNames(r["duplicates"], ("mate", "gear")),
                _cure(r, document),
            ),
            level="error" if r["kind"] == "conflicting" else None,
        )
        for _, r in listed
    ]  # fmt: skip
    return Table(
        "redundancies",
        "Redundant mates",
        ("mate", "between", "kind", "equations repeated", "held already by", "what to do"),
        rows,
        "Other mates hold some of the equations of a redundant mate already, through loops as well. "
        "A consistent one does no harm to the motion; a conflicting one cannot be fulfilled together with the others. "
        "All that stands under what to do can be done together. A point or line in place of a face is one of the "
        "second part.",
    )


def _cure(redundancy: Document, document: Document) -> str:
    """What to do with a redundant mate; all of it can be done together."""
    if redundancy["kind"] == "conflicting":
        return "Correct this mate, or one that it contradicts"
    if redundancy["deletable"]:
        return "Delete it"
    if redundancy["carries"]:
        return f"Keep it: without it {listed(redundancy['carries'])} would go too"
    weaker = redundancy["weaker"]
    choice = next((c for c in document["deletion_choices"] if redundancy["mate"] in c["mates"]), None)
    if choice is None:
        return f"Use {weaker}" if weaker else "Weaken it: cadbridge fit compares the ways"
    return chosen(choice) + (f"; where it stays, use {weaker}" if weaker else "")


def chosen(choice: Document) -> str:
    """A choice of mates to delete: "Delete one of a, b, c", "Delete a and b, or c"."""
    if choice["count"] is None:
        return "Delete " + ", or ".join(" and ".join(s) for s in choice["sets"])
    number = "one" if choice["count"] == 1 else str(choice["count"])
    return f"Delete {number} of {listed(choice['mates'])}"


def cures(document: Document, between: Between) -> Table:
    """Redundant mates grouped by what to do with them; a conflicting one stands alone, and first."""
    grouped: dict[tuple[str, str], list[Document]] = {}
    for k, r in enumerate(document["redundancies"]):
        alone = r["kind"] == "conflicting"
        grouped.setdefault((_cure(r, document), str(k) if alone else ""), []).append(r)
    rows = []
    for (cure, alone), members in sorted(grouped.items(), key=lambda item: not item[0][1]):
        first = members[0]
        kind = Badge("conflicting", "error", f" by {gap_of(first)}") if alone else Badge("consistent", "good")
        joined = f" ({' – '.join(between.get(first['mate'], ()))})" if len(members) == 1 else ""
        named = ItemNames([first["mate"] + joined] if joined else [r["mate"] for r in members], ("mate", "gear"))
        repeated = sum(r["rows"] for r in members)
        rows.append(Row((named, kind, whole(len(members)), whole(repeated), cure)))
    head = ("mates", "kind", "count", "equations repeated", "what to do")
    return Table("cures", "Redundant mates", head, rows)


def deletable(document: Document) -> Table:
    """Mates that can be deleted together without a change of the motion."""
    rows = [Row((ItemNames(s["mates"], ("mate", "gear")), whole(s["rows"]))) for s in document["deletable_sets"]]
    return Table("deletable", "Mates that you can delete together", ("mates", "equations"), rows,
                 "Each line is one way, in place of the above. The motion stays the same.", folded=True)  # fmt: skip


def groups(document: Document) -> Table:
    """Mates whose equations depend on each other."""
    rows = [
        Row((str(k + 1), ItemNames(g["mates"], ("mate", "gear")), whole(g["rows"]), whole(g["rank"])))
        for k, g in enumerate(document["groups"])
    ]
    return Table("groups", "Dependent groups", ("group", "mates", "equations", "independent"), rows,
                 "The equations of a group's mates depend on each other, whatever their order in the file.",
                 folded=True)  # fmt: skip


def freedoms(document: Document) -> Table:
    """How it moves, a row for each freedom."""
    rows = [
        Row((motion(document, f), Badge("finite", "good") if f["finite"] else Badge("only at this pose", "mark")))
        for f in document["freedoms"]
    ]
    return Table("freedoms", "How it moves", ("motion", "extent"), rows)


def motion(document: Document, freedom: Document) -> str:
    """A freedom in words; where a motor drives axes by gears, with their reductions: "A1: 80 : 1, reversed"."""
    driven = [t for t in document["transmissions"] if t["motor"] == freedom["leader"]]
    if not driven or next(f for f in document["freedoms"] if f["leader"] == freedom["leader"]) is not freedom:
        return str(freedom["words"])
    leader = str(freedom["words"]).split("; ")[0]
    summary = [
        f"{t['axis']}: {figure(t['ratio'])} {t['unit']}" if t["unit"] else f"{t['axis']}: {reduction(t['ratio'])}"
        for t in driven
    ]
    return "; ".join([leader, *summary])


def ratios(document: Document) -> Table:
    """How fast every axis goes for each motor, first as an engineer reads it: "80 : 1, reversed"."""
    rows = [
        Row((
            ItemNames((t["motor"],), ("joint",)), ItemNames((t["axis"],), ("joint",)), reduction(t["ratio"], t["unit"]),
            Number(t["ratio"], f"{figure(t['ratio'])} {t['unit']}".rstrip()),
        ))
        for t in document["transmissions"]
    ]  # fmt: skip
    return Table("ratios", "From every motor to every axis", ("motor", "axis", "reduction", "rate of the axis"), rows,
                 "The rate of an axis for a rate of 1 of the motor, all other motors at rest.")  # fmt: skip


def reduction(ratio: float, unit: str = "") -> str:
    """A ratio below 1 as "80 : 1", another one as "1 : 4"; "reversed" where the sense of rotation changes."""
    if unit or not ratio:
        return "–"
    size = abs(ratio)
    text = f"{figure(1 / size)} : 1" if size < 1 else f"1 : {figure(size)}"
    return text + (", reversed" if ratio < 0 else "")


def joints(document: Document) -> Table:
    """The joints, each with its mates and whether its reaction is determined."""
    determined = {r["joint"]: r for r in document["reactions"]}
    rows = [
        Row(
            (
                ItemNames((j["name"],), ("joint",)),
                j["type"],
                ItemNames(j["bodies"], ("body",), " – "),
                limits(j),
                _reaction(determined[j["name"]]) if j["name"] in determined else "–",
                ItemNames(j["mates"], ("mate", "gear")),
            ),
            f"joint:{k}",
        )
        for k, j in enumerate(document["joints"])
    ]
    return Table("joints", "Joints", ("joint", "type", "between", "limits", "reaction", "mates"), rows)


def shares(document: Document) -> Table:
    """The mates that share a joint: whether the share of each is determined, and which equations to free if not."""
    rows = []
    for r in document["reactions"]:
        free = {
            f["mate"]: "all" if f["all"] else ", ".join(f["equations"]).replace("-", "−") for f in r.get("free", ())
        }
        rows += [
            Row((ItemNames((r["joint"],), ("joint",)), ItemNames((s["mate"],), ("mate", "gear")), _reaction(s),
                 free.get(s["mate"], "–")))
            for s in r.get("shares", ())
        ]  # fmt: skip
    note = "What each of a joint's mates carries. To determine it, free the equations named (axes of the joint)."
    return Table("shares", "Mates that share a joint", ("joint", "mate", "share", "equations to free"), rows, note)


def carried_weights(document: Document) -> Table:
    """What mates that repeat each other carry of the weights, by stiffness."""
    found = document.get("by_stiffness", {"mates": (), "rests": True, "stiffness_given": False})
    rows = [
        Row((ItemNames((m["joint"],), ("joint",)) if m["joint"] else "–", ItemNames((m["mate"],), ("mate", "gear")),
             number(m["force_N"], 3), number(m["torque_N_m"], 3)))
        for m in found["mates"]
    ]  # fmt: skip
    given = "of the fit file" if found["stiffness_given"] else "alike in all mates (1e7 N/m, 1e4 N m/rad)"
    when = "at rest" if found["rests"] else "at the instant of release from rest"
    note = f"A rigid model leaves these shares open. By stiffness, {given}, {when}; at each mate's own point."
    head = ("joint", "mate", "force N", "moment N m")
    return Table("by_stiffness", "Weights in redundant mates, by stiffness", head, rows, note)


def limits(joint: Document) -> str:
    """The range of a joint in degrees or millimetres."""
    given, angle = joint["limits"], JOINT_TYPES[joint["type"]].resisted == "angle"
    if "lower" not in given and "upper" not in given:
        return "–"
    factor, unit = (180 / math.pi, "°") if angle else (TO_MM, " mm")
    ends = [given.get("lower"), given.get("upper")]
    names = ("−∞", "∞")
    return " to ".join(
        name if e is None else f"{figure(e * factor)}{unit}" for name, e in zip(names, ends, strict=True)
    )


def _reaction(reaction: Document) -> Badge:
    """Whether the wrench is determined, and which components of it are not, in the joint's frame (z its axis)."""
    if reaction["determined"]:
        return Badge("determined", "good")
    names = [
        f"{symbol}{axis}"
        for symbol, known in (("F", reaction["force"]), ("T", reaction["torque"]))
        for axis, ok in zip("xyz", known, strict=True)
        if not ok
    ]
    return Badge("undetermined", "mark", f": {' '.join(names)}")


def gears(document: Document, between: Between) -> Table:
    """Gears and other couplings: their numbers beside each other."""
    rows = []
    for k, g in enumerate(document["gears"]):
        radii = g["pitch_radii"]
        numbers: tuple[Cell, ...] = (
            " : ".join(map(str, g["teeth"])) if g["teeth"] else "–",
            number(g["ratio"]),
            number(None if g["centre_distance"] is None else g["centre_distance"] * TO_MM),
            " : ".join(figure(r * TO_MM) for r in radii) if radii else "–",
        )
        agrees = Badge("yes", "good") if g["agrees"] else Badge("no", "error")
        kinds = ("joint", "body", "part")
        cells = (g["name"], g["type"].replace("_", " "), ItemNames(between.get(g["name"], ()), kinds, " – "))
        rows.append(Row((*cells, *numbers, agrees), f"gear:{k}", None if g["agrees"] else "error"))
    head = ("gear", "type", "between", "teeth", "ratio", "centres mm", "pitch radii mm", "numbers agree")
    locked = [
        f"{', '.join(t['mates'])} lock each other: {t['joints'][1]} would turn {figure(t['ratios'][0])} and "
        f"{figure(t['ratios'][1])} times as far as {t['joints'][0]}, {_apart(t)}."
        for t in document["locked_trains"]
    ]
    return Table("gears", "Gears and couplings", head, rows, " ".join(locked))


def _apart(trains: Mapping[str, Any]) -> str:
    first, second = trains["units"]
    value = trains["mismatch"]
    gap = f"{figure(math.degrees(value))}°" if second == "rad" else f"{figure(value * TO_MM)} mm"
    return f"{gap} apart after {'one turn' if first == 'rad' else '1 m'}"


def bodies(document: Document) -> Table:
    """The moving bodies."""
    rows = [
        Row(
            (b["name"], whole(len(b["parts"])), number(b["mass"]), vector(b["com"], TO_MM), b["mass_source"] or "–"),
            f"body:{k}",
        )
        for k, b in enumerate(document["bodies"])
    ]
    return Table("bodies", "Bodies", ("body", "parts", "mass kg", "centre of mass mm", "mass from"), rows,
                 "Centres of mass are in the frame of the body.")  # fmt: skip


def mates(mechanism: Mechanism, between: Between) -> Table:
    """All mates as read, couplings included."""
    listed: tuple[Mate | Coupling, ...] = (*mechanism.assembly.mates, *mechanism.assembly.couplings)
    rows = [
        Row(
            (
                m.name,
                m.kind.value.replace("_", " "),
                ItemNames(between.get(m.name, ()), ("body", "part", "joint"), " – "),
                str(place(m.where)),
            ),
            f"mate:{k}",
        )
        for k, m in enumerate(listed)
    ]
    return Table("mates", "Mates", ("mate", "type", "between", "where"), rows, folded=True)


def parts(mechanism: Mechanism) -> Table:
    """Every placement of a part."""
    rows = []
    for k, i in enumerate(mechanism.assembly.instances):
        body = mechanism.body_of.get(i.component, -1)
        name = mechanism.bodies[body].name if body >= 0 else GROUND
        material = mechanism.assembly.part(i.part).material or "–"
        rows.append(Row((i.name, i.part, ItemNames((name,), ("body",)), material), f"part:{k}"))
    return Table("parts", "Parts", ("instance", "part", "body", "material"), rows, folded=True)


def masses(document: Document) -> Table:
    """Every part's mass beside all that it could be taken from."""

    def volume(cubic_metres: float | None) -> Number:
        return number(None if cubic_metres is None else cubic_metres * TO_CM3)

    rows = [
        Row((
            m["part"], whole(m["instances"]), number(m["mass"]), m["source"] or "–", number(m["declared"]),
            number(m["density"]), m["density_source"] or "–", volume(m["mesh_volume"]), volume(m["brep_volume"]),
        ))
        for m in document["masses"]
    ]  # fmt: skip
    head = ("part", "placed", "mass kg", "from", "declared kg", "density kg/m³", "given by", "mesh cm³", "B-Rep cm³")
    return Table("masses", "Masses of the parts", head, rows, folded=True)


def overlaps(document: Document) -> Table:
    """Parts that reach into each other, the largest first."""
    found: Sequence[Any] = document["overlaps"]
    rows = [
        Row((ItemNames(o["parts"], ("part",), " – "), number(o["volume"] * TO_CM3), number(100 * o["share"], 3)))
        for o in found[:MOST_OVERLAPS]
    ]
    note = "Where two solids overlap, their masses count the shared volume twice."
    if len(found) > MOST_OVERLAPS:
        note += f" These are the {MOST_OVERLAPS} largest of {count(len(found), 'overlap')}."
    return Table("overlaps", "Parts that overlap", ("parts", "shared cm³", "% of the smaller"), rows, note, folded=True)
