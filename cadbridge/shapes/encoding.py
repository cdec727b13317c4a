"""In which encoding the texts of a STEP file are, decided once for all of them.

Part 21 writes other letters than those of ASCII as escapes, or, since its third edition, in UTF-8. Older CAD systems
write them in the code page of their machine, which the file does not name. One name alone hardly tells which; all names
of a file do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from cadbridge.findings import Findings, Where

_STRING = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)
_HIGH = re.compile(rb"[\x80-\xff]")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
MOST_BYTES = 200_000
"""Bytes of strings that are looked at: more tell no more."""
LIKELY = 0.6
"""Share of the letters beyond ASCII that are usual in an encoding, below which it is none of these. A choice."""


def in_utf8(data: bytes, path: Path, findings: Findings) -> bytes:
    """A Part 21 text in UTF-8; where that says more than its bytes do, it is told (CB549)."""
    if data.isascii():
        return data
    try:
        data.decode("utf-8")
        return data
    except UnicodeDecodeError:
        pass
    name = encoding_of(_strings(data))
    if name == "utf-8":  # but for strings that an exporter cut within a letter, or comments
        return data.decode("utf-8", "replace").encode("utf-8")
    text = f"the names in {path.name} are not in UTF-8; they are read as {_CALLED[name]}"
    findings.add("CB549", text, Where(file=str(path)))
    return data.decode(name, "replace").encode("utf-8")


def encoding_of(strings: list[bytes]) -> str:
    """The encoding of strings that have bytes beyond ASCII: UTF-8 if most are in it, else the likeliest."""
    if sum(_decoded(s, "utf-8") is not None for s in strings) > len(strings) / 2:
        return "utf-8"
    shares = {name: _share(strings, name, usual) for name, usual in _USUAL.items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= LIKELY else "latin-1"


def _strings(data: bytes) -> list[bytes]:
    """The strings of a text with bytes beyond ASCII, as far as they are looked at."""
    found, size = [], 0
    for match in _STRING.finditer(data):
        if match[0].startswith(b"'") and _HIGH.search(match[0]):
            found.append(match[0][1:-1])
            size += len(match[0])
            if size > MOST_BYTES:
                break
    return found


def _decoded(string: bytes, name: str) -> str | None:
    try:
        return string.decode(name)
    except UnicodeDecodeError:
        return None


def _share(strings: list[bytes], name: str, usual: Callable[[str, str], int]) -> float:
    """How many of the letters beyond ASCII are usual in an encoding; 0 where it cannot decode all strings."""
    letters = good = 0
    for string in strings:
        text = _decoded(string, name)
        if text is None:
            return 0.0
        for run in _FOREIGN.finditer(text):
            letters += len(run[0])
            good += usual(run[0], text)
    return good / letters if letters else 0.0


_SIGNS = frozenset("°±µØø²³×·«»–—‘’“”…®™©½¼¾§€")
"""What drawings have beside letters."""


def _latin(run: str, text: str) -> int:
    """Letters of western Europe stand alone or by twos between others; a name of nothing else is in another script."""
    known = sum(letter in _SIGNS or (letter.isalpha() and unicodedata.name(letter, "").startswith("LATIN"))
                for letter in run)  # fmt: skip
    return known if len(run) <= 2 else 0


def _cyrillic(run: str, text: str) -> int:
    """Words of Cyrillic letters, small ones behind the first or capitals throughout."""
    right = len(run) > 2 and (run[1:] == run[1:].lower() or run == run.upper())
    return sum("а" <= letter.lower() <= "я" or letter in "ёЁ" for letter in run) if right else 0


def _common(encoding: str, first: int, last: int, trail: int = 0) -> Callable[[str, str], int]:
    """Letters of the rows of a double-byte set that hold what is usual."""

    def usual(run: str, text: str) -> int:
        pairs = [letter.encode(encoding, "ignore") for letter in run]
        return sum(len(p) == 2 and first <= p[0] <= last and p[1] >= trail for p in pairs)

    return usual


def _japanese(run: str, text: str) -> int:
    kana = sum("\u3040" <= letter <= "\u30ff" for letter in run)
    return kana + _common("cp932", 0x88, 0x97)(run, text)


_USUAL: dict[str, Callable[[str, str], int]] = {
    "cp1252": _latin,
    "gb18030": _common("gb2312", 0xB0, 0xD7, 0xA1),
    "cp932": _japanese,
    "big5": _common("big5", 0xA4, 0xC6),
    "cp1251": _cyrillic,
}
"""How many letters of a run beyond ASCII are usual, by encoding; of equals the first is taken."""
_CALLED = {
    "cp1252": "Latin letters (Windows-1252)",
    "gb18030": "Chinese (GBK)",
    "cp932": "Japanese (Shift JIS)",
    "big5": "Chinese (Big5)",
    "cp1251": "Cyrillic letters (Windows-1251)",
    "latin-1": "Latin letters (ISO 8859-1)",
}
