"""HTML built from escaped pieces: what is not `Html` is text, so a name with markup in it stays a name."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from typing import Any

from cadbridge.visible import visible

VOID = {"img", "input", "meta", "br", "hr", "wbr"}
"""Elements without an end tag."""


class Html(str):
    """Text that is already HTML."""

    __slots__ = ()


Child = str | float | Iterable["Child"] | None


def raw(text: str) -> Html:
    """Text that is HTML already: our own code and style, nothing that came from a file."""
    return Html(text)


def join(*children: Child) -> Html:
    """The children one after another; strings are escaped, None leaves nothing."""
    return Html("".join(_piece(child) for child in children))


def el(tag: str, /, *children: Child, **attributes: str | float | bool | None) -> Html:
    """An element. `class_`, `for_` become class, for; `_` in a name becomes `-`; None and False leave it out."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if tag in VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{join(*children)}</{tag}>")


_HIDDEN = re.compile(
    # A backslash that is escaped comes first: what follows it is no escape.
    r"\\\\|\\(u(?:00[01][0-9a-f]|007f|00[89][0-9a-f]|061c|200[b-f]|202[89a-e]|206[0-9a-f]|feff|db40)|[bfr])"
)
_SHORT = {"\\b": "\\u0008", "\\f": "\\u000c", "\\r": "\\u000d"}


def embedded(document: Any, name: str | None = None) -> Html:
    """A JSON document in the page that no name in it can end early."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    # What the page reads back from an escape is the character: where that is hidden, the escape itself is shown.
    text = _HIDDEN.sub(lambda found: found[0] if found[1] is None else "\\" + _SHORT.get(found[0], found[0]), text)
    escaped = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return el("script", raw(escaped), type="application/json", id=name)


def _piece(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int | float):
        return html.escape(visible(str(child)), quote=False)
    return "".join(_piece(item) for item in child)


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if name == "viewbox":
        name = "viewBox"  # the one of SVG's attributes that is spelled so
    if value is True:
        return f" {name}"
    return f' {name}="{html.escape(visible(str(value)))}"'
