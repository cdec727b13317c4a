"""How a file was taken: by which reader and why, what its units and frames became, which mates were not understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cadbridge.assembly import Assembly
from cadbridge.findings import Finding, Stage
from cadbridge.readers.registry import FORMATS
from cadbridge.wording import count

OTHER = "placements as the file has them → the world"


@dataclass(frozen=True)
class LeftOut:
    """A mate of the file that is not in the assembly, with what the reader reported of it."""

    name: str
    why: tuple[Finding, ...]


@dataclass(frozen=True)
class MateCount:
    """`in_file` = `understood` + `not_understood`; `left_out` names those that the findings name.

    `of_mates_file` of those in the file stand in the mates file beside it, None where there is none.
    """

    in_file: int
    understood: int
    left_out: tuple[LeftOut, ...]
    of_mates_file: int | None = None

    @property
    def not_understood(self) -> int:
        """How many mates of the file are not in the assembly."""
        return self.in_file - self.understood

    @property
    def unreported(self) -> int:
        """How many of them no finding names: they share a name, or the file has no name for them."""
        return max(0, self.not_understood - len(self.left_out))


def count_mates(assembly: Assembly) -> MateCount:
    """The mates of the file, those understood, and the others by name.

    A finding is about a mate that was left out where its item is something that the assembly does not have.
    """
    understood = len(assembly.mates) + len(assembly.couplings)
    given = max(assembly.mates_in_file, understood)
    named: dict[str, list[Finding]] = {}
    if given > understood:
        known = _known(assembly)
        for finding in assembly.findings:
            item = finding.where.item
            if item is not None and item not in known and finding.stage is Stage.READING:
                named.setdefault(item, []).append(finding)
    left = tuple(LeftOut(name, tuple(findings)) for name, findings in named.items())
    # Our own JSON holds all that a mates file brought to what it was made from.
    beside = assembly.extra.get("mates_file") if taken(assembly)["reader"] != "json" else None
    return MateCount(given, understood, left, beside["mates"] if beside else None)


def _known(assembly: Assembly) -> set[str]:
    groups: tuple[tuple[Any, ...], ...] = (
        assembly.parts, assembly.instances, assembly.components, assembly.mates, assembly.couplings,
        assembly.drives, assembly.frames,
    )  # fmt: skip
    return {assembly.name, *(str(item.name) for group in groups for item in group)}


def taken(assembly: Assembly) -> dict[str, str]:
    """The reader, why it took the file, and what became of the frames."""
    choice = assembly.extra.get("taken") or {}
    reader = str(choice.get("reader") or assembly.format)
    return {
        "reader": reader,
        "why": str(choice.get("why") or "it was asked for"),
        "frames": next((f.frames for f in FORMATS if f.name == reader), OTHER),
    }


def taken_lines(assembly: Assembly) -> list[str]:
    """Which reader and why, units, frames and mates, for a person."""
    how, mates = taken(assembly), count_mates(assembly)
    lines = [f"  read as {how['reader']}: {how['why']}"]
    lines += [f"  units: {line}" for line in assembly.units]
    lines.append(f"  frames: {how['frames']}")
    lines.append(
        f"  {_where(assembly, mates)}, {mates.understood} understood"
        + (f", {mates.not_understood} not:" if mates.not_understood else "")
    )
    for item in mates.left_out:
        lines.append(f"    {item.name}: " + "; ".join(f"{f.message} ({f.code})" for f in item.why))
    if mates.unreported:
        lines.append(f"    {mates.unreported} more, which the findings do not distinguish by name")
    return lines


def _where(assembly: Assembly, mates: MateCount) -> str:
    """How many mates stand in which file."""
    if not mates.of_mates_file:
        return f"{count(mates.in_file, 'mate')} in the file"
    own = mates.in_file - mates.of_mates_file
    return f"{count(own, 'mate')} in the file, {mates.of_mates_file} in {assembly.extra['mates_file']['name']}"


def mates_document(assembly: Assembly) -> dict[str, Any]:
    """The same counts for a program."""
    mates = count_mates(assembly)
    return {
        "in_file": mates.in_file,
        "understood": mates.understood,
        "not_understood": mates.not_understood,
        "of_mates_file": mates.of_mates_file,
        "left_out": [
            {"name": m.name, "why": [{"code": f.code, "message": f.message} for f in m.why]} for m in mates.left_out
        ],
    }
