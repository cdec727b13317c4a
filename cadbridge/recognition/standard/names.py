"""What standard parts are called: words of several languages, numbers of standards, and sizes as M3x20.

Names are a witness only: where they are one, is the caller's to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache


class StandardKind(StrEnum):
    """Kinds of standard parts."""

    SCREW = "screw"
    NUT = "nut"
    WASHER = "washer"
    PIN = "pin"
    RIVET = "rivet"
    CIRCLIP = "circlip"
    KEY = "key"
    BALL = "ball"
    ROLLER = "roller"
    BEARING = "bearing"
    BEARING_RING = "bearing_ring"
    SPRING = "spring"


_NUTS = (
    r"\bnuts?\b|(lock|hex|wing)nuts?\b|mutter\b|écrou|ecrou|tuerca|\bdado\b|porca|matice|nakręt|nakret|гайк|螺母|ナット"
    r"|너트|somun|threaded ?insert|heat ?set|gewindeeinsatz"
    r"|\biso ?(4032|4033|4035|7040|10511)\b|\bdin ?(439|557|562|934|982|985|6923)\b|\bgb ?t? ?6170\b"
)
_WASHERS = (
    r"washer|(?<!riemen)(?<!brems)(?<!keilriemen)scheibe|\bshim|rondell|arandela|arruela|anilha|\bbricka|podkład|podklad"
    r"|podložk|шайб|垫圈|垫片|ワッシャ|座金|와셔|\biso ?(7089|7090|7092|7093)\b|\bdin ?(125|127|433|6797|6798|9021)\b"
    r"|\bgb ?t? ?(93|97)\b"
)
_SCREWS = (
    r"\bstand ?offs?\b|abstandsbolzen|distanzbolzen|entretoise|铜柱"
    r"|screw|bolt\b|bolts\b|schraube|\bvis\b|tornillo|\bperno|parafuso|\bvit[ei]\b|skruv|\bskrue|schroef|śrub|wkręt|šroub"
    r"|винт|болт|шуруп|саморез|螺钉|螺丝|螺栓|ボルト|ねじ|ネジ|나사|볼트|\bvida\b|civata|\bm\d{1,2}( \d)? ?x ?\d{1,3}"
    r"|\b(s|b|f|l)hcs\b|\b(phs|fhs|bts|bhs|ths|pts|pms)\d*\b"
    r"|\biso ?(1207|1580|2009|4014|4017|4762|7045|7046|7047|7380|10642|14583)\b"
    r"|\bdin ?(84|85|603|912|931|933|963|965|6912|7380|7500|7981|7984|7985|7991)\b|\bgb ?t? ?(70|818|819|5781|5783)\b"
)

_SLOT_NUTS = re.compile(r"\bt ?nuts?\b|\b(slot|hammer|sliding) ?nuts?\b|nutenstein|hammermutter|\bdin ?508\b")
"""Nuts for the slot of a profile, which are neither round nor hexagons."""

_HELD_BY = (StandardKind.NUT, StandardKind.WASHER, StandardKind.CIRCLIP, StandardKind.RIVET, StandardKind.SCREW)
"""Fasteners. What goes on a screw is often named by it (bolt washer, M5 lock nut), a screw never by what goes on it."""
_NAMES: tuple[tuple[StandardKind, str], ...] = (
    (StandardKind.NUT, _NUTS),
    (StandardKind.WASHER, _WASHERS),
    (StandardKind.CIRCLIP, r"circlip|snap ?ring|retaining|seeger|sicherungsring|din ?47[12]|e ?clip|卡簧|挡圈"),
    (StandardKind.RIVET, r"rivet|\bniete?n?\b|blindniet|remache|rebite|заклепк|铆钉|リベット"),
    (StandardKind.PIN, r"\bpins?\b|dowel|zylinderstift|iso ?2338|iso ?8734|din ?7\b"),
    (StandardKind.KEY, r"\bkeys?\b|passfeder|din ?6885"),
    (StandardKind.SPRING, r"spring|feder\b"),
    (StandardKind.BALL, r"ball|kugel"),
    (StandardKind.BEARING, r"bearing|lager|\b6[0-3]0\d\b|\b6[0-9]{2}zz|\b6[0-9]{2}2rs|skf"),
    (StandardKind.SCREW, _SCREWS),
)
_MADE_FOR_ONE = re.compile(
    r"cover|holder|mount|plate|bracket|driver|housing|block|body|case|base|\barm\b|link|lever|motor|servo|gear|pulley"
    r"|clamp|knob|handle|horn|hub"
)
"""Words of parts that take a fastener. Before the fastener's own word they say where it sits: a servo screw is a screw,
a screw cover a cover."""
_LEAD_SCREWS = re.compile(r"lead ?screw|ball ?screw|power ?screw|spind|\btr ?\d|\bsf[usk] ?\d")
"""Screws that are made to turn in a nut."""
_MOVES_A_NUT = re.compile(f"{_LEAD_SCREWS.pattern}|jack|threaded ?rod")
"""Words of screws that are no fasteners."""
_FASTENERS = re.compile("|".join(pattern for kind, pattern in _NAMES if kind in _HELD_BY))
_SIZE = re.compile(r"\bm(\d{1,2})(?: (\d))? ?x ?(\d{1,3})(?: (\d))?\b")

_LINEAR_BEARINGS = re.compile(
    r"\blme?[fhkt]?p? ?\d{1,2} ?[sl]?uu\b|linear ?(ball ?|motion ?)?(bearing|bush)|linear ?(kugel ?)?lager"
    r"|kugelb(u|ü)chse|roulement ?lin(e|é)aire|douille ?(a|à) ?billes|rodamiento ?lineal|cuscinetto ?lineare"
    r"|линейный ?подшипник|直线轴承|リニア(ブッシュ|ベアリング)|\bsc[sej]? ?\d{1,2} ?l?uu\b|\brj4jp|\bdrylin"
)
_BEARING_UNITS = re.compile(
    r"(pillow|plummer) ?block|mounted bearing|bearing (unit|block)|stehlager"
    r"|flanschlager|chumacera|\buc[pftkh][lca]?\d? ?\d{3}|\bk(p|fl) ?0\d{1,2}\b"
)
"""A bearing in a housing with feet or a flange, drawn as one part: makers' UCP204, UCFL205, KP08, KFL08."""
_HOUSING_NUMBERS = re.compile(r"\b(?:p|fl)2(\d\d)\b")
"""Such a bearing by the number of its housing alone, P204, as any part may be numbered. It ends in the code of the bore
(ISO 15)."""
_BORES = {0: 10.0, 1: 12.0, 2: 15.0, 3: 17.0}
"""mm of the codes that are not a fifth of the bore."""
_FOR_RODS = re.compile(r"support|holder|mount|bracket|clamp|\bshaft|\brods?\b|\brails?\b|housing|plate|cover|retainer")
"""What goes with a linear bearing and is called by it."""
_COUNTED = re.compile(r"(?<=[^\W\d_])(?<!\d[xX])0\d\d(?!\d)")
"""Three digits behind a letter, the first a zero: a counter, and no size or number of a type (M3x020, 6001, MG996)."""
_COUNTS_ON = re.compile(r"(?<=[^\W\d_]{3})(?=[1-9]\d\d(?!\d))")
"""Before three digits behind a word: a counter from 100 on, or the number of a type (UCP204), which may stand apart."""
NAMES = 20_000
"""Names of which it is kept what they say: thousands of instances have a few hundred, each asked for many times."""

_YIELDING = re.compile(
    r"\bcables?\b|\bwires?\b|\bwiring\b|harness|\bhoses?\b|\bkabel|kabelbaum|\bschlauch|\bcâbles?\b|\bcavo\b|电缆|线束|ケーブル"
    r"|\bsprings?\b(?! ?(pins?|washers?|nuts?|clips?|plungers?|seats?|cups?|guides?|rods?)\b)|(?<!pass)feder\b|ressort"
    r"|muelle|\bmolla\b|пружин|弹簧|ばね|バネ|스프링|\bo ?rings?\b|\brubber ?bands?\b|gummiband"
)
"""What yields to any motion: cables, hoses, springs and rings of rubber; not what holds them."""

_BELTS = re.compile(
    r"(belts?|riemen|courroie|correa|cinghia|ремень)( ?\d+\w*)*$|\bclosed ?loop\b|(皮带|同步带|ベルト)( ?\d+)*$"
)
"""What belts are called: the last word says it, for belt clamps and belt pulleys are none."""

_DRIVES = re.compile(
    r"servo|motor|stepper|\bnema ?\d|dynamixel|gear ?box|reducer|harmonic|actuator|getriebe|antrieb|aktuator|moteur"
    r"|motore|двигател|привод|редуктор|舵机|电机|減速|减速|モータ|サーボ|모터"
    r"|\b(sts|scs|sms|xl|xm|xc|xh|xw|mx|ax|rx|lx|hx|mg|sg|rds|kst) ?\d{2,4}",
    re.IGNORECASE,
)
"""What actuators are called; letters with a number are hobby servos."""
_TYPES_OF_DRIVES = re.compile(
    r"\b(\d\d)?j?g[abmwy]\d{0,2} ?\d{3}\b|\b(ga ?\d\d ?)?n20\b"  # gearmotors: JGA25-370, JGY-370, 25GA370, GA12-N20
    r"|\b\d{1,2}hs\d\d|\b(sy)?\d\dsth\d\d|\b\d\dbyg?h?j? ?\d\d|\bqsh\d{4}|\bpkp?\d{3}"  # steppers: 17HS19, 28BYJ-48
    r"|\b(ds\d{4}|td ?8\d{3}|pdi ?\d{4}|f[st]90|hs ?\d{3}|s3003)"  # hobby servos: DS3218, HS-422
    # With brushes and without, and actuators of robots: RS-775, 2212 920KV, AK80-9, DM-J4310.
    r"|\brs ?\d{3}\b|\b\d{3,4} ?kv\b|\bak\d\d ?\d|\brmd\b|\bgim\d{4}|\bdm ?j?\d{4}|\bmaxon|\bfaulhaber|\bneo ?550"
    r"|\bdc\d\d a(\d\d)?\b",  # Dynamixels as Robotis draws them: DC07_A_DUMMY
    re.IGNORECASE,
)
"""Makers' types of motors, which stand for the word in many files."""
_OF_A_DRIVE = re.compile(
    r"\b(mounts?|brackets?|holders?|horns?|plates?|covers?|screws?|bolts?|shafts?|coupl\w*|wheels?|pulleys?|caps?"
    r"|gears?(?! ?(motor|box|head))"
    r"|arms?|bases?|pins?|washers?|nuts?|spacers?|hubs?|discs?|disks?|adapt\w*|clamps?|links?|rotors?|stators?|frames?"
    r"|housings?|cases?|casings?|flanges?|drivers?|controllers?|boards?|cables?|connectors?|idlers?|bodies|to|boxes"
    # A dummy is one, but for Robotis' (DC07_A_DUMMY); a number before the encoder: what the motor has (172-encoder).
    r"|(?<!\ba )(?<!\ba\d\d )dumm(y|ies)|(?<!\d{3} )encoders?"
    r"|supports?|seats?|blocks?|rings?|brakes?|fans?|belts?|pinions?|tops?|bottoms?|middle|ends?|side)\b",
    re.IGNORECASE,
)
"""What is called by a drive and is none itself."""


@lru_cache(NAMES)
def of_a_drive(name: str) -> bool:
    """Whether a name says a drive, or a part of one or for one: a horn, a mount."""
    text = _apart(name)
    return bool(_DRIVES.search(text) or _TYPES_OF_DRIVES.search(text))


@lru_cache(NAMES)
def called_drive(name: str) -> bool:
    """Whether a part or sub-assembly is a drive by its name."""
    return of_a_drive(name) and not _OF_A_DRIVE.search(_apart(name))


def _apart(name: str) -> str:
    """The words of a name, also of one written asThis1 or counted as This001, one blank between them."""
    return re.sub(r"[_\W]+", " ", split(_COUNTED.sub("", name)))


def split(name: str) -> str:
    """A name written asThis1 with blanks between its words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[a-z]{3})(?=\d)", " ", name)


def called_linear_bearing(names: Sequence[str]) -> bool:
    """Whether names say that a part runs along a rod: a linear ball bearing, a block with one, a polymer bush."""
    text = words(names)
    return bool(_LINEAR_BEARINGS.search(text)) and not _FOR_RODS.search(text)


def called_bearing_unit(names: Sequence[str]) -> bool:
    """Whether names say a bearing with its housing, in which a shaft turns: a pillow block."""
    text = words(names)
    return bool(_BEARING_UNITS.search(text)) and not _FOR_RODS.search(text)


def housing_bore(names: Sequence[str]) -> float | None:
    """The bore (mm) of a bearing in a housing, of which names say the housing's number; None where they say none."""
    found = _HOUSING_NUMBERS.search(words(names))
    return None if found is None else _BORES.get(int(found[1]), 5.0 * int(found[1]))


def called_lead_screw(names: Sequence[str]) -> bool:
    """Whether names say that a screw is made to move a nut; a threaded rod may hold a stack together."""
    return bool(_LEAD_SCREWS.search(words(names)))


def called_yielding(names: Sequence[str]) -> bool:
    """Whether names say that a part yields to any motion: a cable, a hose, a spring."""
    return bool(_YIELDING.search(words(names))) and not _MADE_FOR_ONE.search(words(names))


def called_belt(names: Sequence[str]) -> bool:
    """Whether names say a belt."""
    return any(_BELTS.search(words([name])) for name in names)


def words(names: Sequence[str]) -> str:
    """Names as lower-case words, one blank between them, and one before their counters (`Nut127`).

    The counter of `Nut001`, as FreeCAD writes it, is left out.
    """
    return " ".join(map(_plain, names))


@lru_cache(maxsize=65536)
def _plain(name: str) -> str:
    """One name as lower-case words: many rules ask it of each part."""
    counted = _COUNTS_ON.sub(" ", _COUNTED.sub("", re.sub("[×*]", "x", name)))
    return re.sub(r"[_\W]+", " ", counted).lower()


def named_kinds(names: Sequence[str]) -> list[StandardKind]:
    """The kinds of standard parts that names say."""
    text = words(names)
    return [kind for kind, pattern in _NAMES if re.search(pattern, text)]


def called_fastener(names: Sequence[str]) -> StandardKind | None:
    """The kind of fastener that names say a part is; None where they say another kind, or what takes a fastener."""
    text = words(names)
    takes = max((m.start() for m in _MADE_FOR_ONE.finditer(text)), default=-1)
    if _MOVES_A_NUT.search(text) or takes > max((m.start() for m in _FASTENERS.finditer(text)), default=-1):
        return None
    kinds = named_kinds(names)
    return next((kind for kind in _HELD_BY if kind in kinds), None)


def called_slot_nut(names: Sequence[str]) -> bool:
    """Whether names say a nut for the slot of a profile; the names of parts that take one do not."""
    return bool(_SLOT_NUTS.search(words(names))) and called_fastener(names) is StandardKind.NUT


def named_size(names: Sequence[str]) -> tuple[float, float] | None:
    """Thread diameter and length (m) of names like M3x20; None where they have none."""
    found = _SIZE.search(words(names))
    if found is None:
        return None
    d, d_tenths, length, length_tenths = (float(x or 0) for x in found.groups())
    return 1e-3 * (d + d_tenths / 10), 1e-3 * (length + length_tenths / 10)
