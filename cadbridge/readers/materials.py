"""Densities of the usual materials, by the names that people and CAD systems give them."""

from __future__ import annotations

import re
from functools import cache

MATERIALS: dict[str, float] = {
    "steel": 7850.0,
    "stainless steel": 7930.0,
    "cast iron": 7200.0,
    "aluminium": 2700.0,
    "magnesium": 1740.0,
    "titanium": 4430.0,
    "brass": 8500.0,
    "bronze": 8800.0,
    "copper": 8940.0,
    "zinc": 7140.0,
    "lead": 11340.0,
    "tungsten": 19300.0,
    "silicon nitride": 3200.0,
    "ABS": 1040.0,
    "ASA": 1070.0,
    "PLA": 1240.0,
    "nylon": 1140.0,
    "POM": 1410.0,
    "PC": 1200.0,
    "PETG": 1270.0,
    "PEEK": 1300.0,
    "PE": 950.0,
    "PP": 905.0,
    "PVC": 1390.0,
    "PTFE": 2180.0,
    "PMMA": 1180.0,
    "TPU": 1210.0,
    "rubber": 1100.0,
    "carbon fibre": 1550.0,
    "glass fibre": 1900.0,
    "glass": 2500.0,
    "plywood": 680.0,
    "wood": 600.0,
}
"""kg/m³ at room temperature, typical values of handbooks: alloys and grades of one name differ by some 2 %."""

ALIASES: dict[str, tuple[str, ...]] = {
    "steel": (
        "plain carbon steel", "carbon steel", "mild steel", "alloy steel", "tool steel", "stahl",
        "acier", "s235", "s235jr", "s275", "s355", "s355j2", "c45", "ck45", "c45e", "42crmo4",
        "16mncr5", "100cr6", "aisi 1020", "aisi 1045", "aisi 4130", "aisi 4140", "aisi 4340",
        "aisi 52100", "1.0038", "1.0503", "1.7225", "1.7131", "1.3505", "12.9", "8.8", "10.9",
    ),
    "stainless steel": (
        "stainless", "inox", "edelstahl", "aisi 304", "aisi 303", "aisi 316", "aisi 316l", "304", "316",
        "316l", "a2", "a4", "1.4301", "1.4305", "1.4401", "1.4404", "x5crni18-10", "17-4ph",
    ),
    "cast iron": (
        "grey cast iron", "gray cast iron", "ductile iron", "gjl-250", "gjs-400", "gg25", "ggg40",
        "gusseisen",
    ),
    "aluminium": (
        "aluminum", "alu", "al", "alloy aluminum", "6061", "6061-t6", "6063", "6082", "7075", "7075-t6",
        "5083", "2024", "1060 alloy", "6061 alloy", "7075 alloy", "aluminium 6061", "aluminum 6061",
        "aluminum-6061", "almg3", "almgsi1", "alsi10mg", "en aw-6061", "en aw-6082", "en aw-7075",
        "cast aluminium", "cast aluminum",
    ),
    "titanium": (
        "ti", "ti6al4v", "ti-6al-4v", "grade 5 titanium",
    ),
    "brass": (
        "messing", "cuzn37", "cuzn39pb3",
    ),
    "bronze": (
        "cusn8", "cusn12", "tin bronze", "sintered bronze",
    ),
    "copper": (
        "cu", "kupfer",
    ),
    "nylon": (
        "pa", "pa6", "pa66", "pa12", "polyamide", "polyamid", "nylon 6", "nylon 6/6", "nylon 66",
    ),
    "POM": (
        "acetal", "delrin", "polyoxymethylene", "pom-c",
    ),
    "PC": (
        "polycarbonate", "lexan",
    ),
    "ABS": (
        "abs plastic", "acrylonitrile butadiene styrene",
    ),
    "PLA": (
        "polylactic acid", "polylactide", "pla plastic",
    ),
    "PE": (
        "polyethylene", "hdpe", "pe-hd",
    ),
    "PP": (
        "polypropylene",
    ),
    "PTFE": (
        "teflon",
    ),
    "PMMA": (
        "acrylic", "plexiglas", "perspex",
    ),
    "PEEK": (
        "polyether ether ketone",
    ),
    "PETG": (
        "pet-g",
    ),
    "rubber": (
        "nbr", "epdm", "natural rubber", "gummi",
    ),
    "carbon fibre": (
        "carbon fiber", "cfrp", "cfk", "carbon fibre composite",
    ),
    "glass fibre": (
        "glass fiber", "gfrp", "gfk", "fiberglass",
    ),
    "wood": (
        "holz", "timber", "pine", "spruce",
    ),
}  # fmt: skip
"""Other names of the same, compared without regard to capitals, blanks, dashes and dots."""


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-./,()]+", "", name).casefold()


@cache
def _table() -> dict[str, str]:
    table = {_plain(name): name for name in MATERIALS}
    for name, others in ALIASES.items():
        for other in others:
            table.setdefault(_plain(other), name)
    return table


def find_material(name: str) -> tuple[str, float] | None:
    """The table's name of a material and its density in kg/m³; None where the name is unknown.

    The whole name decides ('steel', 'AISI 304', 'EN AW-6061'); then, for names such as
    'Steel, mild' or 'Aluminum 6061-T6', the longest run of its words that is a material. Runs that
    mean different materials ('PC ABS', 'rubber coated steel') decide nothing.
    """
    table = _table()
    words = re.split(r"[\s_,;:()/]+", name.strip())
    for count in range(len(words), 0, -1):
        runs = [_plain(" ".join(words[i : i + count])) for i in range(len(words) - count + 1)]
        known = {table[run] for run in runs if run in table}
        if len(known) > 1:
            return None
        # Two letters or digits within a longer name are a material by chance only.
        if known and (count == len(words) or any(run in table and len(run) > 2 for run in runs)):
            found = known.pop()
            return found, MATERIALS[found]
    return None


def names() -> list[str]:
    """All names that the table knows, for suggestions."""
    return sorted({*MATERIALS, *(other for others in ALIASES.values() for other in others)})
