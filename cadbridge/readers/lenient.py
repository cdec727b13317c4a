"""XML as TinyXML and its like read it: what they let pass, made well-formed, line by line the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_DECLARATION = re.compile(rb"<\?xml\b[^>]*\?>")
_VERSION = re.compile(rb"""(version\s*=\s*["'])[^"']*""")
_BLANKS = re.compile(rb"\s*")
_PREFIX = re.compile(rb"""(?:<|\s)([A-Za-z_][\w.-]*):[A-Za-z_]""")
_QUOTED = re.compile(rb"""=\s*("[^"]*"|'[^']*')""")
_TOUCHING = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')(?=[A-Za-z_][\w.:-]*\s*=)""")
_COLONS = re.compile(rb"(</?[A-Za-z_][\w.-]*:)([\w.-]*:[\w.:-]*)")
"""A name of an element with several colons, such as Gazebo's `gz::system_priority`."""
MOST_PREFIXES = 100
"""Undeclared prefixes of a text that are declared; each is looked for in the whole of it. Files use a few."""
_ROOT = re.compile(rb"<([A-Za-z_][^\s/>]*)")


def lenient(text: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The text made well-formed where it breaks these rules only, and what they were; UTF-8 or ASCII, else as it is."""
    mended = []
    for mend in (_declaration, _comments, _blanks, _colons, _prefixes):
        text, what = mend(text)
        mended += what
    return text, tuple(mended)


def _declaration(text: bytes) -> tuple[bytes, list[str]]:
    at = _after_blanks_and_comments(text)
    found = _DECLARATION.match(text, at)
    if found is None:
        return text, []
    before, declaration, what = text[:at], found[0], []
    version = _VERSION.search(declaration)
    if version is not None and not version[0].endswith((b"1.0", b"1.1")):
        declaration = _VERSION.sub(rb"\g<1>1.0", declaration)
        what.append("a version of XML that does not exist")
    if before:
        what.append("comments before the XML declaration" if before.strip() else "blanks before the XML declaration")
    # They stand behind the declaration then: elements keep their lines.
    return declaration + before + text[found.end() :], what


def _comments(text: bytes) -> tuple[bytes, list[str]]:
    def mended(comment: bytes) -> bytes:
        inner = comment[4:-3].replace(b"--", b"==")
        return b"<!--" + (inner[:-1] + b"=" if inner.endswith(b"-") else inner) + b"-->"

    whole = _with_comments(text, mended)
    return whole, ["-- within a comment"] if whole != text else []


def _blanks(text: bytes) -> tuple[bytes, list[str]]:
    """A blank after each value that the next attribute follows at once."""
    whole = _TOUCHING.sub(rb"\g<0> ", text)
    return whole, ["no blank between attributes"] if whole != text else []


def _colons(text: bytes) -> tuple[bytes, list[str]]:
    """Names keep their first colon, which ends a prefix."""
    whole = _COLONS.sub(lambda found: found[1] + found[2].replace(b":", b"_"), text)
    return whole, ["names with several colons"] if whole != text else []


def _prefixes(text: bytes) -> tuple[bytes, list[str]]:
    """Prefixes that nothing declares are declared at the root, each as a namespace of its own."""
    # Values hold colons that end no prefix (package://, file:), and comments hold elements that are not there.
    bare = _QUOTED.sub(b'=""', _with_comments(text, lambda comment: b""))
    used = {found[1] for found in _PREFIX.finditer(bare)} - {b"xml", b"xmlns"}
    if len(used) > MOST_PREFIXES:  # each is looked for in the whole text
        return text, []
    missing = [p for p in sorted(used) if b"xmlns:" + p not in text]
    if not missing:
        return text, []
    # Comments become blanks: the places of elements stay.
    start = _ROOT.search(_with_comments(text, lambda comment: b" " * len(comment)))
    if start is None:
        return text, []
    root = start.end()
    declared = b"".join(b' xmlns:%s="undeclared:%s"' % (p, p) for p in missing)
    return text[:root] + declared + text[root:], [f"undeclared prefixes ({b', '.join(missing).decode()})"]


def _after_blanks_and_comments(text: bytes) -> int:
    """Where the first other byte stands."""
    at = 0
    for begin, end in _comment_places(text):
        if text[at:begin].strip():
            break
        at = end
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _with_comments(text: bytes, mended: Callable[[bytes], bytes]) -> bytes:
    """The text with each whole comment as `mended` gives it."""
    pieces, at = [], 0
    for begin, end in _comment_places(text):
        pieces += [text[at:begin], mended(text[begin:end])]
        at = end
    return b"".join([*pieces, text[at:]])


def _comment_places(text: bytes) -> Iterator[tuple[int, int]]:
    """Where comments begin and end, in one pass: a regular expression tries each "<!--" to the end of the text."""
    at = 0
    while (begin := text.find(b"<!--", at)) >= 0 and (end := text.find(b"-->", begin + 4)) >= 0:
        at = end + 3
        yield begin, at
