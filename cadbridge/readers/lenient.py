"""XML as TinyXML and its like read it: what they let pass, made well-formed, line by line the same."""

from __future__ import annotations

import re

_DECLARATION = re.compile(rb"\A((?:\s|<!--.*?-->)*)(<\?xml\b[^>]*\?>)", re.DOTALL)
_VERSION = re.compile(rb"""(version\s*=\s*["'])[^"']*""")
_COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)
_PREFIX = re.compile(rb"""(?:<|\s)([A-Za-z_][\w.-]*):[A-Za-z_]""")
_QUOTED = re.compile(rb"""=\s*("[^"]*"|'[^']*')""")
_ROOT = re.compile(rb"<([A-Za-z_][^\s/>]*)")


def lenient(text: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The text made well-formed where it breaks these rules only, and what they were; UTF-8 or ASCII, else as it is."""
    mended = []
    for mend in (_declaration, _comments, _prefixes):
        text, what = mend(text)
        mended += what
    return text, tuple(mended)


def _declaration(text: bytes) -> tuple[bytes, list[str]]:
    found = _DECLARATION.match(text)
    if found is None:
        return text, []
    before, declaration, what = found[1], found[2], []
    version = _VERSION.search(declaration)
    if version is not None and not version[0].endswith((b"1.0", b"1.1")):
        declaration = _VERSION.sub(rb"\g<1>1.0", declaration)
        what.append("a version of XML that does not exist")
    if before:
        what.append("comments before the XML declaration" if before.strip() else "blanks before the XML declaration")
    # They stand behind the declaration then: elements keep their lines.
    return declaration + before + text[found.end() :], what


def _comments(text: bytes) -> tuple[bytes, list[str]]:
    def within(found: re.Match[bytes]) -> bytes:
        inner = found[1].replace(b"--", b"==")
        return b"<!--" + (inner[:-1] + b"=" if inner.endswith(b"-") else inner) + b"-->"

    mended = _COMMENT.sub(within, text)
    return mended, ["-- within a comment"] if mended != text else []


def _prefixes(text: bytes) -> tuple[bytes, list[str]]:
    """Prefixes that nothing declares are declared at the root, each as a namespace of its own."""
    bare = _QUOTED.sub(b'=""', _COMMENT.sub(b"", text))
    used = sorted(set(_PREFIX.findall(bare)) - {b"xml", b"xmlns"})
    missing = [p for p in used if b"xmlns:" + p not in text]
    start = _DECLARATION.match(text)
    root = _first_element(text, start.end() if start else 0)
    if not missing or root is None:
        return text, []
    declared = b"".join(b' xmlns:%s="undeclared:%s"' % (p, p) for p in missing)
    return text[:root] + declared + text[root:], [f"undeclared prefixes ({b', '.join(missing).decode()})"]


def _first_element(text: bytes, at: int) -> int | None:
    """Where the name of the root element ends."""
    comments = [found.span() for found in _COMMENT.finditer(text)]
    for found in _ROOT.finditer(text, at):
        if not any(a <= found.start() < b for a, b in comments):
            return found.end()
    return None
