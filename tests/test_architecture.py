"""docs/architecture.md shows the rooms as the import contracts of pyproject.toml hold them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def layers(container: str = "") -> list[set[str]]:
    """The rooms of each layer of a contract, from top to bottom: of all rooms, or of those of one room."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    contracts = [c for c in settings["contracts"] if c["type"] == "layers"]
    (contract,) = (c for c in contracts if c.get("containers", []) == ([container] if container else []))
    return [{name.strip().removeprefix("cadbridge.") for name in re.split("[|:]", line)} for line in contract["layers"]]


def page() -> str:
    return (ROOT / "docs" / "architecture.md").read_text("utf-8")


def rows(text: str) -> list[list[str]]:
    """The cells of each row of the first table in a text, without its head."""
    lines = text[text.index("\n|") + 1 :].splitlines()
    return [line.strip("| ").split(" | ") for line in takewhile(lambda line: line.startswith("|"), lines[2:])]


def named(cell: str) -> set[str]:
    """The rooms that a cell of the page names."""
    return set(re.findall(r"`(\w+)/?`", cell))


def shown() -> list[set[str]]:
    """The rooms of each row of the page's table."""
    return [named(cells[0]) for cells in rows(page().partition("## Layers")[2])]


def shown_of_solver() -> list[set[str]]:
    """The same of the table of the solver."""
    return [named(cells[0]) for cells in rows(page().partition("`solver/` is a package")[2])]


def shown_of_recognition() -> list[set[str]]:
    """The same of the table of recognition."""
    return [named(cells[0]) for cells in rows(page().partition("`recognition/` finds")[2])]


def rooms_of(package: str) -> set[str]:
    """The folders and modules of a package."""
    inside = (ROOT / package).iterdir()
    return {p.stem for p in inside if p.suffix == ".py" or (p / "__init__.py").is_file()} - {"__init__", "__main__"}


def imported(text: str) -> Iterator[str]:
    """The modules that a module imports, at any place, for types alone too: a statement begins its line."""
    for found in re.finditer(r"^[ \t]*(?:from ([\w.]+) import|import ([\w.]+))", text, re.MULTILINE):
        yield found[1] or found[2]


def in_words(text: str) -> Iterator[str]:
    """The modules of ours that a module names in strings, to import them by name."""
    for found in re.finditer(r"""["'](cadbridge(?:\.\w+)+)(:\w+)?["']""", text):
        if any((ROOT / found[1].replace(".", "/")).with_suffix(s).exists() for s in ("", ".py")):
            yield found[1]


def upward(package: str, heights: dict[str, int], modules: dict[Path, set[str]]) -> set[tuple[str, str]]:
    """Rooms of a package that name one above them, with that room."""
    found = set()
    for path, names in modules.items():
        own = path.relative_to(ROOT / package).parts[0].removesuffix(".py")
        for name in names:
            above = name.split(".")[1] if name.startswith(f"{package}.") else own
            if own in heights and heights.get(above, 99) < heights[own]:
                found.add((own, above))
    return found


def heights(layers: list[set[str]]) -> dict[str, int]:
    """The row of each room, from the top."""
    return {room: i for i, row in enumerate(layers) for room in row}


def test_the_map_is_that_of_the_contracts() -> None:
    assert shown() == layers()
    assert shown_of_recognition() == layers("cadbridge.recognition")


def test_every_room_is_on_the_map() -> None:
    beside = named(page().partition("Beside the layers stands")[2].partition("\n\n")[0])
    assert rooms_of("cadbridge") - beside == set().union(*layers())
    assert rooms_of("solver") == set().union(*shown_of_solver())
    assert rooms_of("cadbridge/recognition") == set().union(*shown_of_recognition())


def test_every_row_says_what_belongs_there_and_what_does_not() -> None:
    for head in ("## Layers", "`solver/` is a package", "`recognition/` finds"):
        text = page().partition(head)[2]
        for cells in rows(text):
            assert len(cells) == 3, cells
            assert all(cell.strip() for cell in cells), cells


def test_what_the_contracts_do_not_see_goes_downward_too() -> None:
    """Imports for types alone, and modules named in strings; the page gives the reasons of two rooms."""
    files = ((path, path.read_text("utf-8")) for path in (ROOT / "cadbridge").rglob("*.py"))
    modules = {path: {*imported(text), *in_words(text)} for path, text in files}
    known = {("targets", "exporters"), ("targets", "verification"), ("shown", "report")}
    assert upward("cadbridge", heights(layers()), modules) == known


def test_the_solver_s_rooms_import_downward() -> None:
    modules = {path: set(imported(path.read_text("utf-8"))) for path in (ROOT / "solver").rglob("*.py")}
    assert upward("solver", heights(shown_of_solver()), modules) == set()
