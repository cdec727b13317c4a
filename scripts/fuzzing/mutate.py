"""Ways to break a file: its bytes, its tokens, its structure, its numbers, its entities."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import yaml

_NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][+-]?\d+)?")
_TOKEN = re.compile(rb"[A-Za-z_][\w:.-]*|\"[^\"\n]*\"")
_WILD = (
    b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-308", b"0", b"-0", b"-1", b"1e12", b"1e-12", b"9" * 20,
    b"0x10", b"1_000", b"1,5", b"", b"true", b"null", b"[]", b"{}",
)  # fmt: skip
_STRANGE = (
    b"\x00",
    b"\xff\xfe",
    b"\r",
    b"\x1b[2J",
    "\u202e".encode(),
    b"<",
    b"&",
    b"&#0;",
    b"${",
    b"!!python/x ",
    b"*a",
    b"../..",
)


def by_bytes(data: bytes, chance: random.Random) -> bytes:
    """Bits turned, bytes cut, put in or said twice."""
    out = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(out) + 1)
        way = chance.randrange(4)
        if way == 0 and at < len(out):
            out[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            del out[at : at + chance.randint(1, 64)]
        elif way == 2:
            out[at:at] = chance.choice(_STRANGE)
        else:
            out = out[: max(1, at)] if chance.random() < 0.2 else out[:at] + out[at : at + 40] + out[at:]
    return bytes(out)


def _replaced(data: bytes, pattern: re.Pattern[bytes], chance: random.Random, others: list[bytes]) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return by_bytes(data, chance)
    for hit in sorted(chance.sample(found, min(len(found), chance.randint(1, 3))), key=lambda m: -m.start()):
        data = data[: hit.start()] + chance.choice(others) + data[hit.end() :]
    return data


def by_tokens(data: bytes, chance: random.Random) -> bytes:
    """Names and texts in place of others of the same file."""
    return _replaced(data, _TOKEN, chance, [*(m.group() for m in _TOKEN.finditer(data)), b'""', b"x" * 5000])


def by_numbers(data: bytes, chance: random.Random) -> bytes:
    """Numbers that are huge, tiny, negative, none, or of elsewhere in the file."""
    return _replaced(data, _NUMBER, chance, [*(m.group() for m in _NUMBER.finditer(data)), *_WILD * 3])


def by_structure(data: bytes, chance: random.Random) -> bytes:
    """Lines, and what stands between two of them, gone, doubled, or elsewhere."""
    lines = data.split(b"\n") if data.count(b"\n") > 3 else re.split(rb"(?=<)|(?<=[,{}])", data)
    for _ in range(chance.randint(1, 3)):
        first = chance.randrange(len(lines))
        last = min(len(lines), first + chance.randint(1, 8))
        block = lines[first:last]
        way = chance.randrange(3)
        if way != 1:
            del lines[first:last]
        if way != 0:
            at = chance.randrange(len(lines) + 1)
            lines[at:at] = block
        lines = lines or [b""]
    return (b"\n" if b"\n" in data else b"").join(lines)


_OPENINGS = (b"[", b"{", b"(", b"<a>", b"- ", b'{"a":', b"-(", b"&a [", b"*", b"a.", b"${", b"/*", b"'")


def by_depth(data: bytes, chance: random.Random) -> bytes:
    """Something that opens, or a line, so many times that what reads it by recursion has no end."""
    at = chance.randrange(len(data) + 1)
    what = chance.choice((*_OPENINGS, data[at : at + 40].partition(b"\n")[0] or b"x"))
    return data[:at] + what * chance.choice((30, 1_000, 20_000)) + data[at:]


def by_tree(data: bytes, chance: random.Random) -> bytes:
    """Elements of an XML, YAML or JSON gone, doubled, elsewhere, or with another's values: it stays well-formed."""
    try:
        if data.lstrip()[:1] == b"<":
            return _xml(data, chance)
        whole = yaml.safe_load(data)  # JSON is YAML
    except (ValueError, ElementTree.ParseError, yaml.YAMLError):
        return by_structure(data, chance)
    places = list(_places(whole))
    for _ in range(chance.randint(1, 3) if places else 0):
        (holder, key), (other, its) = chance.choice(places), chance.choice(places)
        with contextlib.suppress(LookupError):  # what held it may be gone by now
            if chance.random() < 0.2:
                del holder[key]
            elif chance.random() < 0.5:
                holder[key] = chance.choice(_VALUES)
            else:
                holder[key] = copy.deepcopy(other[its])
    return json.dumps(whole).encode()


_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 1e-308, 1e12, float("nan"), float("inf"), "", "x", "..", [], {}, [1e12] * 3, 10**30,
)  # fmt: skip


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _xml(data: bytes, chance: random.Random) -> bytes:
    root = ElementTree.fromstring(data)
    for _ in range(chance.randint(1, 3)):
        elements = [element for element in root.iter() if len(element)]
        everything = list(root.iter())
        holder, element = chance.choice(elements or [root]), chance.choice(everything)
        valued = [e for e in everything if e.attrib]
        way = chance.randrange(4)
        if way == 0 and len(holder):
            holder.remove(chance.choice(list(holder)))
        elif way == 1:
            holder.insert(chance.randrange(len(holder) + 1), copy.deepcopy(element))
        elif way == 2 and valued:
            one, other = chance.choice(valued), chance.choice(valued)
            one.set(chance.choice(list(one.attrib)), chance.choice([*other.attrib.values(), *map(str, _VALUES)]))
        else:
            element.text = chance.choice([element.text or "", *map(str, _VALUES)])
    return bytes(ElementTree.tostring(root))


_ENTITY = re.compile(rb"#(\d+)\s*=\s*((?:'[^']*'|[^';])*);")
_REFERENCE = re.compile(rb"#(\d+)")
_REAL = re.compile(rb"(?<![\w.'-])-?\d+\.\d*(?:E[+-]?\d+)?")
_TEXT = re.compile(rb"'[^']*'")
_CHOSEN = re.compile(rb"\.[A-Z_]+\.|\$|\*")
_REALS = (b"0.", b"-1.", b"1.E-7", b"1.E+12", b"1.E-12", b"-1.E+300", b"3.14159", b"360.", b"1.0000001")
_TEXTS = (b"''", b"'" + b"x" * 5000 + b"'", b"'../../a'", rb"'\X2\202E\X0\'", rb"'\X\00'", b"'<b>&amp;'", b"'/abs'")
_CHOICES = (b".MILLI.", b".KILO.", b".CENTI.", b"$", b"*", b".METRE.", b".RADIAN.", b".T.", b".F.", b".U.")
_REFERRING = 12
"""Entities at most that a doubled one takes with it."""


def by_entities(data: bytes, chance: random.Random) -> bytes:
    """Entities of a STEP file with another's numbers, references, names or units, swapped, gone or doubled.

    A reference is to another entity of its type and a number a real, so that most files are still read; every other
    time a type is chosen before its entity, so that the few occurrences and units are met beside the many points.
    """
    entities = {int(m[1]): m[2] for m in _ENTITY.finditer(data)}
    if not entities:
        return by_bytes(data, chance)
    types: dict[bytes, list[int]] = {}
    for number, text in entities.items():
        types.setdefault(_type(text), []).append(number)
    gone: set[int] = set()
    for _ in range(chance.randint(1, 4)):
        alike = types[chance.choice(sorted(types) if chance.random() < 0.5 else [*map(_type, entities.values())])]
        number, other, way = chance.choice(alike), chance.choice(alike), chance.random()
        if way < 0.75:
            entities[number] = _altered(entities, types, number, chance)
        elif way < 0.85:
            entities[number], entities[other] = entities[other], entities[number]
        elif way < 0.92:
            gone.add(number)
        else:
            _double(entities, number)
    lines = b"\n".join(b"#%d=%s;" % (k, text) for k, text in entities.items() if k not in gone)
    hits = list(_ENTITY.finditer(data))
    return data[: hits[0].start()] + lines + data[hits[-1].end() :]


def _type(text: bytes) -> bytes:
    """The name of an entity's type; of a complex one, all its names."""
    return b" ".join(re.findall(rb"[A-Z_0-9]{4,}(?=\s*\()", text)) if text.startswith(b"(") else text.partition(b"(")[0]


def _altered(entities: dict[int, bytes], types: dict[bytes, list[int]], number: int, chance: random.Random) -> bytes:
    """An entity with another number, reference, text or choice in one place."""
    text = entities[number]
    hits = [hit for pattern in (_REAL, _REFERENCE, _TEXT, _CHOSEN) for hit in pattern.finditer(text)]
    if not hits:
        return text
    hit = chance.choice(hits)
    if hit.re is _REFERENCE:
        alike = types.get(_type(entities.get(int(hit[1]), b"")), [number])
        new = b"#%d" % chance.choice(alike)
    elif hit.re is _REAL:
        near = b"%r" % (float(hit[0]) * chance.uniform(-2, 2))
        new = chance.choice((*_REALS, near.upper() if b"." in near else b"0.", *_REAL.findall(text)))
    else:
        new = chance.choice(_TEXTS if hit.re is _TEXT else _CHOICES)
    return text[: hit.start()] + new + text[hit.end() :]


def _double(entities: dict[int, bytes], number: int) -> None:
    """A second entity like one, and of those that refer to it: an occurrence with its placement and shape."""
    copies, waiting = {number: max(entities) + 1}, [number]
    while waiting and len(copies) < _REFERRING:
        of = waiting.pop(0)
        for other, text in list(entities.items()):
            if other not in copies and re.search(rb"#%d(?!\d)" % of, text):
                copies[other] = max(entities) + 1 + len(copies)
                waiting.append(other)
    for old, new in copies.items():
        entities[new] = _REFERENCE.sub(lambda m: b"#%d" % copies.get(int(m[1]), int(m[1])), entities[old])


def within(data: bytes, member: str, way: Callable[[bytes, random.Random], bytes], chance: random.Random) -> bytes:
    """A zip archive of which one member is broken."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as broken:
        for info in whole.infolist():
            content = whole.read(info)
            broken.writestr(
                zipfile.ZipInfo(info.filename), way(content, chance) if info.filename == member else content
            )
    return made.getvalue()


WAYS = {"bytes": by_bytes, "tokens": by_tokens, "structure": by_structure, "numbers": by_numbers, "depth": by_depth,
        "tree": by_tree}  # fmt: skip
STEP_WAYS = {**WAYS, "entities": by_entities}
OF_STEP = ("entities",) * 20
"""Taken more often in STEP files: other ways seldom leave one that is read."""
DEEPER = ("numbers", "tokens", "tree", "tree")
"""Ways that are taken more often: what they break is more often read to its end."""
