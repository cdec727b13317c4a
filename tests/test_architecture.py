"""docs/architecture.md shows the rooms as the import contracts of pyproject.toml hold them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def layers() -> list[set[str]]:
    """The rooms of each layer of the contract, from top to bottom."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (contract,) = (c for c in settings["contracts"] if c["type"] == "layers")
    return [{name.strip().removeprefix("cadbridge.") for name in re.split("[|:]", line)} for line in contract["layers"]]


def shown() -> list[set[str]]:
    """The rooms of each row of the page's table."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## Layers")[2].partition("`solver/` is")[0]
    rows = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return [set(re.findall(r"`(\w+)`", row)) for row in rows]


def test_the_map_is_that_of_the_contracts() -> None:
    assert shown() == layers()


def test_every_room_is_on_the_map() -> None:
    rooms = {p.stem for p in (ROOT / "cadbridge").iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    beside = {"__init__", "__main__", "plotting", "polyhedron", "data"}
    assert rooms - beside == set().union(*layers())
