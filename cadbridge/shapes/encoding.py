"""In which encoding the texts of a STEP file are, decided once for all of them.

Part 21 writes other letters than those of ASCII as escapes, or, since its third edition, in UTF-8. Older CAD systems
write them in the code page of their machine, which the file does not name. One name alone hardly tells which; all names
of a file do. Each language that a machine may have been set to says how likely the bytes are names in it: by which
letters are usual, and by where they stand. Of languages that read the same names none need be told from the others.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cadbridge.findings import Findings, Where
from cadbridge.shapes.letters import (
    ALPHABETS,
    HALF_KANA,
    HANGUL,
    HANZI,
    HANZI_TRADITIONAL,
    HIRAGANA,
    KANJI,
    KATAKANA,
    Language,
)
from cadbridge.wording import listed

_STRING = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)
_HIGH = re.compile(rb"[\x80-\xff]")
_THREE_BYTES = re.compile(rb"[\xe0-\xf4]")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_WITHIN_WORD = re.compile(
    r"[^\W\d_][\x80-\x9f¡¢£¤¥¦§¨©«¬®¯±´¶¸»¼½¾¿\u02c6\u02dc\u201a\u201e\u2020-\u203a\u20ac\u2122][^\W\d_]"
)
_TWO_ALPHABETS = re.compile(r"[a-z][\u03ac-\u03ce\u0430-\u045f]|[\u03ac-\u03ce\u0430-\u045f][a-z]")
MOST_BYTES = 20_000
"""Bytes of strings that are looked at: more tell no more."""
SURE = math.log(100)
"""Natural logarithm of how many times likelier than the next an encoding is that is sure. A choice."""
MOST_CONSONANTS = 3
"""Consonants in a row that words of Greek and Cyrillic letters often have."""

_NEVER = -14.0
"""Of a letter that names of a language do not have: about a millionth."""
_LOST = -20.0
"""Of bytes that an encoding does not have: a name that was cut within a letter, or another encoding."""
_RARER = math.log(0.1)
"""Of each encoding of a language behind the first, which most machines had."""
_PLAIN = math.log(1 / 25)
"""Of a letter of ASCII: what one reading takes for a letter of its own another may take for half a letter."""
_SIGNS = "°±µØø²³×·«»–—‘’“”…®™©½¼¾§€¿¡ "
"""What drawings have beside letters."""


@dataclass(frozen=True)
class Reading:
    """An encoding for all names of a file, what it is called, and the others (called so) that may be meant instead."""

    encoding: str
    called: str
    others: tuple[str, ...] = ()

    @property
    def in_single_bytes(self) -> bool:
        """Whether each byte is a letter: two that make one of UTF-8 are none of its words (`Ĺ‚` for `ł`)."""
        return any(self.encoding == name for language in ALPHABETS for name, _ in language.encodings)

    def of(self, string: bytes) -> str:
        """What a string reads, in UTF-8 if it is in that beside the names."""
        apart = _is_utf8(string) if self.in_single_bytes else _is_surely_utf8(string)
        return string.decode("utf-8" if apart else self.encoding, "replace")


def in_utf8(data: bytes, path: Path, findings: Findings) -> bytes:
    """A Part 21 text in UTF-8; where that says more than its bytes do, it is told (CB549; CB548 where it is unsure)."""
    if data.isascii():
        return data
    try:
        data.decode("utf-8")
        return data
    except UnicodeDecodeError:
        pass
    strings = _strings(data)
    read = reading_of(strings)
    if read.encoding == "utf-8":  # but for strings that an exporter cut within a letter, or comments
        return data.decode("utf-8", "replace").encode("utf-8")
    text = f"the names in {path.name} are not in UTF-8; they are read as {read.called}"
    odd = list(dict.fromkeys(name for name in map(read.of, strings) if _is_no_word(name)))
    if read.others:
        findings.add("CB548", f"{text}, and may be {listed(read.others)}", Where(file=str(path)))
    elif odd:
        findings.add("CB548", f"{text}, in which {listed(list(map(repr, odd)))} are no words", Where(file=str(path)))
    else:
        findings.add("CB549", text, Where(file=str(path)))
    decoded = _STRING.sub(lambda match: read.of(match[0]).encode("utf-8"), data)
    return decoded.decode("utf-8", "replace").encode("utf-8")


def _is_no_word(name: str) -> bool:
    """Whether a sign stands between letters, or letters of two alphabets do: names are in several code pages then."""
    return _WITHIN_WORD.search(name) is not None or _TWO_ALPHABETS.search(name) is not None


def reading_of(strings: list[bytes]) -> Reading:
    """The encoding of strings that have bytes beyond ASCII: UTF-8 if all are in it, else the likeliest of the others.

    SolidWorks writes words of its own in UTF-8, cut to so many bytes, beside names in the machine's code page.
    """
    if any(map(_is_utf8, strings)) and all(_is_utf8(s) or _is_cut_utf8(s) for s in strings):
        return Reading("utf-8", "UTF-8")
    # Beside names in a code page of single bytes all that is in UTF-8 is in it; of two bytes a pair may look so.
    if other := [s for s in strings if not _is_utf8(s)]:
        read = _likeliest(other)
        if read.in_single_bytes and not read.others:
            return read
    return _likeliest([s for s in strings if not _is_surely_utf8(s)])


def _likeliest(strings: list[bytes]) -> Reading:
    """The encoding in which strings are likeliest to be names."""
    # Numbered copies of a name tell no more than the name. Bytes from 0x40 on may be the second of a pair.
    words = sorted(
        {word for s in strings for word in re.split(rb"[\s,;:()-]+", re.sub(rb"\d+", b"0", s)) if _HIGH.search(word)}
    )
    scored: dict[str, tuple[float, str, str]] = {}
    for score, name, called, text in _scored(b" ".join(words)):
        if text not in scored or score > scored[text][0]:
            scored[text] = (score, name, called)
    best, *rest = sorted(scored.values(), reverse=True)
    others = tuple(dict.fromkeys(called for score, _, called in rest if best[0] - score < SURE))
    return Reading(best[1], best[2], others)


def _scored(text: bytes) -> list[tuple[float, str, str, str]]:
    """The logarithm of how likely a text is in each language and encoding, the encoding, its name, what it reads."""
    found = []
    for language in ALPHABETS:
        for rank, (name, called) in enumerate(language.encodings):
            read = text.decode(name, "replace")
            score = sum(_alphabetic(run, read, language) for run in _FOREIGN.finditer(read)) + rank * _RARER
            score -= math.log(language.rarity)
            found.append((score + _plain(read), name, f"{language.called} ({called})", read))
    for name, called, sets in _wide():
        read = text.decode(name, "replace")
        score = sum(_ideographic(run, read, sets) for run in _FOREIGN.finditer(read))
        found.append((score + _plain(read), name, called, read))
    return found


def _plain(text: str) -> float:
    return _PLAIN * sum(letter.isascii() for letter in text)


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


def _is_utf8(string: bytes) -> bool:
    try:
        string.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_cut_utf8(string: bytes) -> bool:
    """Whether the last letter of a string in UTF-8 lacks bytes."""
    try:
        string.decode("utf-8")
    except UnicodeDecodeError as fault:
        return fault.reason == "unexpected end of data"
    return False


def _is_surely_utf8(string: bytes) -> bool:
    """Whether a string is in UTF-8, with a letter of three bytes: of two a pair of a double-byte set may look so."""
    return _THREE_BYTES.search(string) is not None and _is_utf8(string)


def _alphabetic(run: re.Match[str], text: str, language: Language) -> float:
    """Letters of an alphabet: how usual they are; whether they stand as its words do; small ones behind the first."""
    score, shares = 0.0, _shares(language.letters)
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    among = before.isalpha() + after.isalpha()
    whole = before + run[0] + after
    for k, letter in enumerate(run[0]):
        small = letter.lower()
        share = None if _is_measure(run[0], after) else shares.get(small, shares.get(letter))
        if share is None:
            score += _sign(run[0], before + after, language) if letter in _SIGNS else _stranger(letter)
        else:
            score += math.log(share) + _crowded(run[0][: k + 1].lower(), language)
            previous = run[0][k - 1] if k else before
            if letter != small:
                score += math.log(0.01) if previous.isalpha() and previous.islower() else math.log(0.3)
            elif previous.isupper() and not _begins(whole, letter, k, before):
                score += math.log(0.05)
    if language.mixed:
        score += math.log(0.04) * (len(run[0]) - 1)
        if run[0][0].isalpha() and not _is_measure(run[0], after):
            score += math.log(0.9 if among else 0.1)
        return score
    return score + math.log(0.02) * among + (math.log(0.05) if len(run[0]) == 1 else 0.0)


def _begins(whole: str, letter: str, k: int, before: str) -> bool:
    """Whether the letter before is the first of its word."""
    return not (k >= 2 or (k == 1 and before.isalpha()))


def _is_measure(run: str, after: str) -> bool:
    """Whether a letter is the sign of a diameter."""
    return run in ("Ø", "ø") and after[:1].isdigit()


def _crowded(word: str, language: Language) -> float:
    """What speaks against a fourth consonant in a row, and more, of a word as far as it goes."""
    last = word[-MOST_CONSONANTS - 1 :]
    crowded = bool(language.vowels) and len(last) > MOST_CONSONANTS and not set(last) & set(language.vowels)
    return math.log(0.1) if crowded else 0.0


def _sign(run: str, beside: str, language: Language) -> float:
    """Of a sign: it is usual by itself, above all at a number, and hardly ever among letters beyond ASCII."""
    if len(run) == 1 and any(letter.isdigit() for letter in beside):
        return math.log(0.3)
    return math.log(0.03 if len(run) == 1 else 0.002 if language.mixed else 0.00005)


def _stranger(letter: str) -> float:
    """Of a letter that a language does not have: another of the same script, or anything else."""
    if letter == "\N{REPLACEMENT CHARACTER}":
        return _LOST
    return -9.0 if letter.isalpha() and unicodedata.name(letter, "").startswith(("LATIN", "GREEK", "CYR")) else _NEVER


@cache
def _shares(letters: str) -> dict[str, float]:
    """The share of each letter: of those in the order of how usual they are, the first has the largest."""
    weights = {letter: 1.0 / (rank + 4) for rank, letter in reversed(list(enumerate(letters)))}
    whole = sum(weights.values())
    return {letter: 0.95 * weight / whole for letter, weight in weights.items()}


@dataclass(frozen=True)
class _Set:
    """Letters of one kind within a double-byte set: those that are usual, evenly or by rank; the others of the rows."""

    usual: dict[str, float]
    encoding: str = ""
    rows: tuple[int, int, int] = (0, 0, 0)
    others: int = 1

    def share(self, letter: str) -> float | None:
        """The logarithm of a letter's share among those of its kind, None of what is of no kind."""
        share = self.usual.get(letter)
        if share is not None:
            return math.log(share)
        pair = letter.encode(self.encoding, "ignore") if self.encoding else b""
        first, last, trail = self.rows
        within = len(pair) == 2 and first <= pair[0] <= last and pair[1] >= trail
        return math.log(0.15 / self.others) if within else None


def _even(letters: str, encoding: str, rows: tuple[int, int, int], others: int) -> _Set:
    known = dict.fromkeys(letters)
    return _Set({letter: 0.84 / len(known) for letter in known}, encoding, rows, others)


@cache
def _wide() -> tuple[tuple[str, str, tuple[_Set, ...]], ...]:
    """The double-byte sets: the encoding, its name, the kinds of its letters."""
    kana = tuple(_Set(_shares(letters)) for letters in (KATAKANA, HALF_KANA, HIRAGANA))
    return (
        ("gb18030", "Chinese (GBK)", (_even(HANZI, "gb2312", (0xB0, 0xD7, 0xA1), 3755),)),
        ("big5", "Chinese (Big5)", (_even(HANZI_TRADITIONAL, "big5", (0xA4, 0xC6, 0), 5401),)),
        ("cp932", "Japanese (Shift JIS)", (*kana, _even(KANJI, "cp932", (0x88, 0x97, 0), 2965))),
        ("euc_jp", "Japanese (EUC)", (*kana[::2], _even(KANJI, "euc_jp", (0xB0, 0xCF, 0), 2965))),
        ("cp949", "Korean (Windows-949)", (_even(HANGUL, "cp949", (0xB0, 0xC8, 0xA1), 2350),)),
    )


def _ideographic(run: re.Match[str], text: str, sets: tuple[_Set, ...]) -> float:
    """Letters of a double-byte set: how usual each is among those of its kind, which changes now and then."""
    score, kind = math.log(0.2) if len(run[0]) == 1 else 0.0, -1
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    score += math.log(0.1) * (before.islower() + after.islower())
    for letter in run[0]:
        known = [(share, k) for k, letters in enumerate(sets) if (share := letters.share(letter)) is not None]
        if not known:
            score += math.log(0.002) if letter in _SIGNS else _stranger(letter)
            continue
        share, now = max(known)
        score += share + (math.log(1 / len(sets)) if now != kind else math.log(0.85 if len(sets) > 1 else 1.0))
        kind = now
    return score
