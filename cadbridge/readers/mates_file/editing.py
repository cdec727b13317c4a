"""Decisions written into the text of a mates file: lines are added or commented out, all others stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import yaml

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers.mates_file.faces import yaml_text
from cadbridge.readers.mates_file.positions import Yaml, parse_yaml
from cadbridge.units import LENGTH, MM

EMPTY = "format: cadbridge.mates/1\nunits: {length: mm, angle: deg}\n"
"""The file that says nothing yet."""
_KEY = re.compile(r"[^\s#\-]")
_ITEM = re.compile(r"( *)-( |$)")
_FLOW = re.compile(r"\[([^\[\]{}]*)\]\s*(#.*)?$")
MARK = "decided in the view"


def leave_out(text: str, names: Sequence[str], mark: str = MARK) -> str:
    """The file in which mates or gears do not hold; `mark` is the comment behind each."""
    there = left_out(text)
    for name in (n for n in names if n not in there):
        text = _add_item(text, "leave_out", [f"{yaml_text(name)}  # {mark}"])
    return text


def put_back(text: str, names: Sequence[str]) -> str:
    """The file without names in `leave_out`: what held them is commented out."""
    data = _parsed(text)
    kept = [n for n in data.data.get("leave_out") or [] if n not in names]
    return _renewed(text, "leave_out", [f"  - {yaml_text(n)}" for n in kept])


def rename_in_joints(text: str, names: Mapping[str, Sequence[str]]) -> str:
    """The file whose joints name other mates in place of some; a joint of which none is left is commented out."""
    joints = _parsed(text).data.get("joints")
    if not isinstance(joints, dict) or not any(n in names for spec in joints.values() for n in _members(spec)):
        return text
    content = []
    for joint, spec in joints.items():
        members = [new for name in _members(spec) for new in names.get(name, (name,))]
        if members:
            shown = yaml.safe_dump(
                # One line, however long: YAML would break it anywhere.
                {**spec, "mates": members},
                default_flow_style=True,
                sort_keys=False,
                width=1_000_000,
            )
            content.append(f"  {yaml_text(joint)}: {shown.strip()}")
    return _renewed(text, "joints", content)


def _members(spec: object) -> list[str]:
    members = spec.get("mates") if isinstance(spec, dict) else None
    return [name for name in members if isinstance(name, str)] if isinstance(members, list) else []


def add_mate(text: str, item: str, mark: str = MARK) -> str:
    """The file with one mate more, `item` as YAML in braces; `mark` is the comment behind it."""
    return _add_item(text, "mates", [f"{item}  # {mark}"])


def rename(text: str, name: str, new: str) -> str:
    """The file in which a joint has another name."""
    item = f"{{joints: {yaml_text(name)}, rename: {yaml_text(new)}}}"
    return _add_item(text, "overrides", [f"{item}  # {MARK}"])


def length_unit(text: str) -> float:
    """The metres of a unit of length in the file."""
    units = _parsed(text).data.get("units")
    return LENGTH.get(units.get("length", "mm"), MM) if isinstance(units, dict) else MM


def set_type(text: str, name: str, kind: str) -> str | None:
    """The file in which a mate of it has another type; None where no mate of that name has a plain type in it."""
    data = _parsed(text)
    for i, mate in enumerate(data.data.get("mates") or []):
        if isinstance(mate, dict) and mate.get("name") == name and isinstance(mate.get("type"), str):
            line, column = data.places.find(("mates", i, "type"))
            lines = text.split("\n")
            old, at = lines[line - 1], column - 1
            # A type in quotes, or of an alias: its text in the file is not the value that was read.
            if not old[at:].startswith(mate["type"]):
                return None
            lines[line - 1] = old[:at] + kind + old[at + len(mate["type"]) :]
            return "\n".join(lines)
    return None


def keys_of(text: str, name: str) -> frozenset[str]:
    """The keys of a mate of the file, none where it is not there."""
    mates = _parsed(text).data.get("mates") or []
    return frozenset(next((m for m in mates if isinstance(m, dict) and m.get("name") == name), {}))


def set_ground(text: str, component: str) -> str:
    """The file in which one component stands still; what stood there before is commented out."""
    return _renewed(text, "ground", [f"  - {yaml_text(component)}  # {MARK}"])


def set_home(text: str, values: Mapping[str, float]) -> str:
    """The file with a home pose, values in its units; what stood there before is commented out."""
    return _renewed(text, "home", [f"  {yaml_text(name)}: {value:.6g}  # {MARK}" for name, value in values.items()])


def accept(text: str, name: str) -> str:
    """The file in which the line of a mate says that a person looked at it and took it."""
    data = _parsed(text)
    for section in ("mates", "gears"):
        for i, mate in enumerate(data.data.get(section) or []):
            if isinstance(mate, dict) and mate.get("name") == name:
                line = data.places.find((section, i))[0]
                lines = text.split("\n")
                if "accepted" not in lines[line - 1]:
                    # One comment a line: recognition's evidence stands in it already.
                    joint = "," if "#" in lines[line - 1] else "  #"
                    lines[line - 1] += f"{joint} accepted in the view"
                return "\n".join(lines)
    raise InputError(f"{name} is not in the mates file: there is nothing to accept.")


def left_out(text: str) -> tuple[str, ...]:
    """The names that do not hold."""
    return tuple(n for n in _parsed(text).data.get("leave_out") or [] if isinstance(n, str))


def _parsed(text: str) -> Yaml:
    findings = Findings()
    found = parse_yaml(text.encode(), findings, "")
    if not isinstance(found.data, dict):
        raise InputError("The mates file cannot be read, so that nothing can be written into it.", findings)
    return found


def _section(lines: Sequence[str], key: str) -> tuple[int, int] | None:
    """The first line of a top-level section and the line after its last."""
    start = next((i for i, line in enumerate(lines) if re.match(rf"{key}\s*:", line)), None)
    if start is None:
        return None
    end = next((i for i in range(start + 1, len(lines)) if _KEY.match(lines[i])), len(lines))
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return start, end


def _add_item(text: str, key: str, item: Sequence[str]) -> str:
    """The text with one item more in a list of it."""
    lines = text.rstrip("\n").split("\n")
    place = _section(lines, key)
    if place is None:
        return "\n".join([*lines, f"{key}:", f"  - {item[0]}", *item[1:]]) + "\n"
    start, end = place
    rest = lines[start].split(":", 1)[1].strip()
    flow = _FLOW.match(rest)
    if flow is not None:
        # Names in brackets on one line get a line each.
        names = _parsed(text).data[key] or []
        block = [f"  - {yaml_text(str(n))}" for n in names]
        lines[start : start + 1] = [f"{key}:  {flow[2] or ''}".rstrip(), *block]
        start, end = start, end + len(block)
    elif rest and not rest.startswith("#"):
        raise InputError(f"`{key}` is written in brackets over its lines: give each of its items a line of its own.")
    items = [i for i in range(start + 1, end) if _ITEM.match(lines[i])]
    found = _ITEM.match(lines[items[0]]) if items else None
    indent = found[1] if found is not None else "  "
    at = end
    while at > start + 1 and lines[at - 1].startswith("#"):
        at -= 1  # comments at the margin belong to what follows
    return "\n".join([*lines[:at], f"{indent}- {item[0]}", *item[1:], *lines[at:]]) + "\n"


def _renewed(text: str, key: str, content: Sequence[str]) -> str:
    """The text with another content of a section; the one before is commented out."""
    lines = text.rstrip("\n").split("\n")
    new = [f"{key}:", *content] if content else []
    place = _section(lines, key)
    if place is None:
        return "\n".join([*lines, *new]) + "\n"
    start, end = place
    # Lines that the view wrote itself are replaced without a trace; those of a person stay as comments.
    own = all(MARK in line for line in lines[start + 1 : end]) and end > start + 1
    before = (
        [] if own else [line if line.startswith("#") or not line else f"# before: {line}" for line in lines[start:end]]
    )
    return "\n".join([*lines[:start], *before, *new, *lines[end:]]) + "\n"
