"""A mates file that a person has edited is never written over: what was recognised anew is added to it, commented out.

The first line of a file holds the hash of what was written: a file that still has it was not edited, but for its hints,
and is renewed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from cadbridge.errors import InputError
from cadbridge.files import renewing
from cadbridge.findings import Finding, Findings, Where
from cadbridge.readers.mates_file import document_of
from cadbridge.readers.mates_file.written import HINTS, MARK, SECTION, hash_of_hints
from cadbridge.storage import digest
from cadbridge.wording import count

_ENTRY = re.compile(r"  - name: (?P<name>.+?)  # \d+ %$")
_OWN = re.compile(
    SECTION.format("leave_out|home|joints|overrides|drives|frames|materials|density|mass|parts"), re.MULTILINE
)
"""Sections that recognition never writes: a person's, which stay when the file is written again."""
_BARE = re.compile(r"(?:format[ \t]*:.*|[ \t]*)\n?", re.MULTILINE)
"""What says nothing beside a section: the format, empty lines. A comment is a person's."""
_BEGIN = "# Recognised again, and not in this file; take the comment marks from what you want:\n"
_END = "# End of what was recognised again.\n"
MOST_BYTES = 100_000_000
"""Bytes of a mates file above which it is none that was written here."""


def write_mates(path: Path, text: str, *, overwrite: bool = False) -> tuple[Finding, ...]:
    """Write a mates file that recognition made; one that a person edited keeps every line, unless `overwrite`.

    As `renewed`, of the file that is there.
    """
    new, findings = renewed(None if overwrite else text_of(path), text, path)
    with renewing(path) as temporary:
        temporary.write_text(new, encoding="utf-8")
    return findings


def renewed(known: str | None, text: str, path: Path) -> tuple[str, tuple[Finding, ...]]:
    """The text of the mates file `path` after a recognition, `text`, from the one before; None where none is there.

    What an edited file does not have is added at its end, commented out, and reported (CB1612). InputError where the
    file comes from elsewhere or is no mates file.
    """
    if known is None or unedited(known):
        return marked(text) + own_sections(known or ""), ()
    if MARK.match(known) is None:
        raise InputError(
            f"{path} comes from elsewhere: its first line is none of `cadbridge recognise`. Write to another file (-o) "
            "and compare the two, or pass --overwrite: its hints are taken, and all else that it says is lost."
        )
    entries, names = _entries(text), _names(known, path)
    added = {name: lines for name, lines in entries.items() if name not in names}
    block = "".join(f"#{line}" for lines in added.values() for line in lines)
    findings = _findings(path, list(added), [name for name in names if name not in entries])
    return _without_added(known) + (f"{_BEGIN}{block}{_END}" if added else ""), findings


def text_of(path: Path) -> str | None:
    """The text of a mates file, None where there is no file. InputError where it is not UTF-8."""
    if not path.exists():
        return None
    try:
        return _text(path, "strict")
    except UnicodeDecodeError as fault:
        raise InputError(
            f"{path} is not UTF-8, and is left as it is. Save it as UTF-8, or pass --overwrite to lose what it says."
        ) from fault


def marked(text: str) -> str:
    """A text that recognition made, headed by its hash and that of its hints."""
    return f"# cadbridge recognise {_hash(text)} hints {hash_of_hints(text)}\n{text}"


def unedited(text: str) -> bool:
    """Whether nothing of a mates file is a person's but hints and sections that recognition never writes.

    Hints alone, written before anything was recognised, are such a file too.
    """
    mark = MARK.match(text)
    if mark is None:
        return HINTS.search(text) is not None and not _BARE.sub("", HINTS.sub("", text))
    return mark[1] == _hash(text[mark.end() :])


def has_hints(path: Path) -> bool:
    """Whether a mates file, as far as it is one, has a section of hints."""
    return HINTS.search(_text(path, "replace")) is not None


def own_sections(text: str) -> str:
    """The sections of a mates file that recognition never writes, as they stand."""
    return "".join(match[0].rstrip("\n") + "\n" for match in _OWN.finditer(text))


def _findings(path: Path, added: Sequence[str], gone: Sequence[str]) -> tuple[Finding, ...]:
    findings = Findings()
    message = f"{path.name} was edited and keeps every line"
    if added:
        message += f"; {count(len(added), 'mate')} recognised now and not in it stand at its end, commented out"
    if gone:
        message += f"; not recognised now: {', '.join(gone[:5])}{f' and {len(gone) - 5} more' if len(gone) > 5 else ''}"
    findings.add("CB1612", message, Where(file=str(path)), items=[*added, *gone])
    return findings.as_tuple()


def _text(path: Path, errors: str) -> str:
    """The text of a file; empty where it is none that was written here."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return ""
    return path.read_text(encoding="utf-8", errors=errors)


def _without_added(text: str) -> str:
    """The text without what an earlier run added to its end."""
    start = text.find(_BEGIN)
    end = text.find(_END, start)
    kept = text if start < 0 or end < 0 else text[:start] + text[end + len(_END) :]
    return kept if kept.endswith("\n") else kept + "\n"


def _entries(text: str) -> dict[str, list[str]]:
    """The mates and gears of a text that recognition made, by their names, with their lines."""
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in text.splitlines(keepends=True):
        entry = _ENTRY.match(line.rstrip("\n"))
        if entry is not None:
            # By the name as YAML reads it: a person may have quoted it in another way.
            lines = found.setdefault(str(yaml.safe_load(entry["name"])), [])
        elif not line.startswith("    "):
            lines = None
        if lines is not None:
            lines.append(line)
    return found


def _names(text: str, path: Path) -> list[str]:
    """The names of the mates and gears of a mates file; InputError where it cannot be read."""
    document = document_of(text, str(path))
    if document.spec is None:
        raise InputError(
            f"{path} was edited and cannot be read as a mates file any more: `cadbridge check SOURCE --mates {path}` "
            "says where. Correct it, or pass --overwrite to lose what it says."
        )
    named = [*document.spec.mates, *document.spec.gears]
    return [item.name for item in named if item.name is not None]


def _hash(text: str) -> str:
    """The hash of a file without its hints and a person's own sections: with them it can be recognised anew."""
    return digest(_OWN.sub("", HINTS.sub("", text)).encode())[:16]
