"""The controls beside the picture: items in tabs and folders, which the page shows and a person uses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cadbridge.visible import visible

MOST_LETTERS = 200
"""Of a line of text."""
Heard = Callable[[Any], None]
Changed = Callable[["Item", str], None]


class _Told:
    """A property of an item: browsers are informed when the program sets it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, item: Item, owner: type) -> Any:
        return item.state.get(self._name)

    def __set__(self, item: Item, value: Any) -> None:
        item.state[self._name] = value
        item.changed(item, self._name)


class Item:
    """One control: `state` is what browsers know of it; `value` a choice, number or switch, `content` HTML."""

    value, content, options, visible = _Told(), _Told(), _Told(), _Told()

    def __init__(self, number: int, state: dict[str, Any], heard: Heard, changed: Changed) -> None:
        self.number, self.state, self.changed, self._heard = number, state, changed, heard

    def enter(self, value: Any = None) -> None:
        """What a person does: press it, or give it a value; one that it cannot have does nothing."""
        # Anything can be in a message: what the item cannot have must not reach what hears of it.
        given = self.fit(value)
        if given is None:
            return
        if self.state["kind"] in ("choice", "tick", "slider", "entry"):
            self.state["value"] = given  # the browser that gave it has it
        self._heard(given)

    def fit(self, value: Any) -> Any:
        """The value as the item takes it, None where it cannot."""
        kind = self.state["kind"]
        if kind in ("choice", "buttons"):
            return value if value in self.options else None
        if kind == "slider":
            number = isinstance(value, int | float) and math.isfinite(value)
            return min(max(float(value), self.state["low"]), self.state["high"]) if number else None
        if kind == "entry":
            return value[:MOST_LETTERS] if isinstance(value, str) else None
        return bool(value) if kind == "tick" else True if kind in ("button", "key") else None


class Panel:
    """All items, in order; `changed` hears of an item and the name of its property that the program set."""

    def __init__(self, changed: Changed) -> None:
        self.items: dict[int, Item] = {}
        self._changed, self._inside, self._count = changed, 0, 0

    def document(self) -> list[dict[str, Any]]:
        """What a browser shows."""
        return [{"number": item.number, **item.state} for item in list(self.items.values())]

    def clear(self) -> None:
        """Take all items away."""
        self.items = {}

    def text(self, content: str = "") -> Item:
        """HTML that the program writes."""
        return self._add("text", "", _nothing, content=content)

    def button(self, label: str, do: Callable[[], None], shown: bool = True) -> Item:
        """A button."""
        return self._add("button", label, lambda _: do(), visible=shown)

    def buttons(self, label: str, names: Sequence[str], do: Heard) -> Item:
        """Buttons side by side; `do` gets the name of the one that is pressed."""
        return self._add("buttons", label, do, options=tuple(names))

    def choice(self, label: str, options: Sequence[str], heard: Heard, value: str | None = None) -> Item:
        """One of several names, at first `value` or else the first."""
        return self._add("choice", label, heard, options=tuple(options), value=value or next(iter(options)))

    def tick(self, label: str, on: bool, heard: Heard) -> Item:
        """A switch."""
        return self._add("tick", label, heard, value=on)

    def slider(self, label: str, low: float, high: float, heard: Heard) -> Item:
        """A number from `low` to `high`, at first 0."""
        return self._add("slider", label, heard, value=0.0, low=low, high=high)

    def entry(self, label: str, value: str, heard: Heard) -> Item:
        """A line of text."""
        return self._add("entry", label, heard, value=value)

    def key(self, letter: str, label: str, do: Callable[[], None]) -> Item:
        """A letter of the keyboard that does something."""
        return self._add("key", label, lambda _: do(), letter=letter)

    def chart(self) -> Item:
        """Lines over time; its `value` holds the series."""
        return self._add("chart", "", _nothing, value=None)

    @contextmanager
    def within(self, kind: str, label: str) -> Iterator[None]:
        """What is added meanwhile stands in a "tab" or a "folder"."""
        outside, self._inside = self._inside, self._add(kind, label, _nothing).number
        try:
            yield
        finally:
            self._inside = outside

    def _add(self, kind: str, label: str, heard: Heard, **state: Any) -> Item:
        self._count += 1
        state = {"kind": kind, "label": visible(label), "inside": self._inside, "visible": True, **state}
        item = self.items[self._count] = Item(self._count, state, heard, self._changed)
        return item


def _nothing(_: Any) -> None:
    """Of what is only looked at."""
