"""Ways to break a file: its bytes, its tokens, its structure, its numbers."""

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


_VALUES = (
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
DEEPER = ("numbers", "tokens", "tree", "tree")
"""Ways that are taken more often: what they break is more often read to its end."""
