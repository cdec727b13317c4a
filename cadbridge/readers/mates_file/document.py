"""A mates file checked against its models: what can be used, and a finding for all that cannot."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from cadbridge.findings import Findings, Where
from cadbridge.readers.kinds import other_kind
from cadbridge.readers.mates_file import schema
from cadbridge.readers.mates_file.positions import TextPlace, Yaml, load_yaml, parse_yaml

MAX_REPORTED = 1000
"""Faults of the form reported one by one; the rest are counted: nobody reads on, and a file may have a million."""

MAX_SUGGESTED = 50
"""Faults that get a search for the nearest name, which compares it with all names of the source."""


@dataclass(frozen=True)
class MatesDocument:
    """A mates file: its models (None where nothing of it can be used), places and findings.

    `rows[section]` are the positions in the file of the items that `spec` kept, so that
    the way back to a line stays when faulty items are left out. `given` counts mates and gears
    as written. `faulty` are the sections of which something was left out.
    """

    file: str
    spec: schema.MatesFile | None
    places: TextPlace
    rows: dict[str, list[int]]
    given: int
    findings: Findings
    faulty: frozenset[str] = frozenset()

    def where(self, section: str, item: int | str, *path: str | int, name: str | None = None) -> Where:
        """The place of the item-th kept item of a section (or of a value in it)."""
        at = self.rows[section][item] if isinstance(item, int) else item
        line, column = self.places.find((section, at, *path))
        return Where(file=self.file, line=line, column=column, item=name)


def load_document(path: Path) -> MatesDocument:
    """Read a mates file; all faults of its form are findings, and what holds them is left out."""
    findings = Findings()
    return _document(load_yaml(path, findings, str(path)), findings, str(path))


def document_of(text: str, file: str) -> MatesDocument:
    """As `load_document`, of the text of a mates file; places name the file `file`."""
    findings = Findings()
    return _document(parse_yaml(text.encode(), findings, file), findings, file)


def _document(text: Yaml, findings: Findings, file: str) -> MatesDocument:
    data, places = text.data, text.places
    empty = MatesDocument(file, None, places, {}, 0, findings)
    if not _has_format(data, places, findings, file):
        return empty
    # Counted as written, before faulty items go: the report says how many of them hold.
    given = sum(len(data[key]) for key in ("mates", "gears") if isinstance(data.get(key), list))
    # A section with nothing below its key is an empty one.
    data = {k: v for k, v in data.items() if v is not None or k == "format" or k not in schema.MatesFile.model_fields}
    rows = {key: list(range(len(value))) for key, value in data.items() if isinstance(value, list)}
    report = Reporter(findings, file, places, names=_names(data))
    faulty = set[str]()
    # Leaving one item out can uncover no new fault in another, so two rounds are enough; a third
    # serves keys of the whole file that only then come to be judged.
    for _ in range(3):
        try:
            spec = schema.MatesFile.model_validate(data)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=True)
            for fault in faults:
                report(_original(fault["loc"], rows), fault)
            faulty |= {str(fault["loc"][0]) for fault in faults}
            _leave_out(data, rows, [fault["loc"] for fault in faults])
        else:
            report.count_the_rest()
            return MatesDocument(file, spec, places, rows, given, findings, frozenset(faulty))
    report.count_the_rest()
    return MatesDocument(file, None, places, {}, given, findings, frozenset(faulty))


def _names(data: dict[str, Any]) -> dict[tuple[int | str, ...], str]:
    """The names that items of lists have, by section and position."""
    lists = [(section, value) for section, value in data.items() if isinstance(value, list)]
    items = [((section, i), item.get("name")) for section, v in lists for i, item in enumerate(v) if _is_item(item)]
    return {place: name for place, name in items if isinstance(name, str) and name}


def _is_item(value: Any) -> bool:
    return isinstance(value, dict) and "name" in value


def _has_format(data: Any, places: TextPlace, findings: Findings, file: str) -> bool:
    if data is None and findings.errors:
        return False  # reported already
    if not isinstance(data, dict):
        where = Where(file=file, line=places.line, column=places.column)
        findings.add("CB141", "a mates file is a mapping with `format:` at its top", where)
        return False
    if data.get("format") != schema.FORMAT:
        line, column = places.find(("format",))
        if other := other_kind(data.get("format"), schema.FORMAT, file):
            findings.add("CB141", other[0], Where(file, line, column), other[1])
            return False
        found = f"is {str(data['format'])[:60]!r}" if "format" in data else "is missing"
        findings.add("CB141", f"the format {found}, not {schema.FORMAT!r}", Where(file, line, column))
        return False
    return True


def _original(loc: tuple[int | str, ...], rows: dict[str, list[int]]) -> tuple[int | str, ...]:
    if len(loc) > 1 and isinstance(loc[1], int) and loc[0] in rows:
        return (loc[0], rows[str(loc[0])][loc[1]], *loc[2:])
    return loc


def _leave_out(data: dict[str, Any], rows: dict[str, list[int]], locs: Iterable[Sequence[int | str]]) -> None:
    """Take the items with faults out of the data; `rows` keeps where the others came from."""
    whole: set[str] = set()
    items: dict[str, set[int | str]] = {}
    for loc in locs:
        section = str(loc[0])
        value = data.get(section)
        if len(loc) > 1 and isinstance(value, (list, dict)) and section != "units":
            items.setdefault(section, set()).add(loc[1])
        else:
            whole.add(section)
    for section, bad in items.items():
        value = data[section]
        if isinstance(value, list):
            keep = [i for i in range(len(value)) if i not in bad]
            data[section] = [value[i] for i in keep]
            rows[section] = [rows[section][i] for i in keep]
        else:
            data[section] = {k: v for k, v in value.items() if k not in bad}
    for section in whole:
        data.pop(section, None)
        rows.pop(section, None)


_MESSAGES = {
    "missing": "{key} is missing",
    "string_type": "{key} must be text{quote}",
    "float_type": "{key} must be a number, not {got}",
    "float_parsing": "{key} must be a number, not {got}",
    "int_type": "{key} must be a whole number, not {got}",
    "int_parsing": "{key} must be a whole number, not {got}",
    "bool_type": "{key} must be true or false, not {got}",
    "bool_parsing": "{key} must be true or false, not {got}",
    "list_type": "{key} must be a list, not {got}",
    "tuple_type": "{key} must be a list, not {got}",
    "dict_type": "{key} must be a mapping, not {got}",
    "model_type": "{key} must be a mapping, not {got}",
    "model_attributes_type": "{key} must be a mapping, not {got}",
    "finite_number": "{key} must be a finite number",
    "greater_than": "{key} must be greater than {gt:g}, not {got}",
    "greater_than_equal": "{key} must be at least {ge:g}, not {got}",
    "less_than": "{key} must be less than {lt:g}, not {got}",
    "less_than_equal": "{key} must be at most {le:g}, not {got}",
    "too_short": "{key} must have at least {min_length} values, not {actual_length}",
    "too_long": "{key} must have at most {max_length} values",
    "string_too_short": "{key} is empty",
    "union_tag_not_found": "type is missing",
}
"""Texts by pydantic's error type; other types keep pydantic's own text."""


class Reporter:
    """Turns pydantic's errors into findings, up to MAX_REPORTED.

    `root` is the model of the whole file; `unknown_key` and `faulty` are the codes of its findings; `names` are
    what items are called, by section and position. The
    description of a key of the file's top is the hint of a fault in it.
    """

    def __init__(
        self, findings: Findings, file: str, places: TextPlace, root: type[BaseModel] = schema.MatesFile,
        unknown_key: str = "CB144", faulty: str = "CB145",
        names: Mapping[tuple[int | str, ...], str] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.findings, self.file, self.places, self.root = findings, file, places, root
        self.unknown_key, self.faulty, self.names = unknown_key, faulty, names
        self.reported = 0
        self.left = 0

    def __call__(self, loc: tuple[int | str, ...], fault: Any) -> None:
        if self.reported >= MAX_REPORTED:
            self.left += 1
            return
        self.reported += 1
        kind = fault["type"]
        unknown_key = kind == "extra_forbidden"
        line, column = self.places.find(loc, key=unknown_key)
        code, message = self.faulty, self._message(loc, fault)
        if unknown_key:
            code = self.unknown_key
        elif loc[0] == "gears" and kind == "greater_than" and loc[-1] != "efficiency":
            code = "CB149"
        item = self.names.get(loc[:2]) or "/".join(str(step) for step in loc[:2])
        field = None if unknown_key else self.root.model_fields.get(str(loc[0]))
        hint = field.description if field is not None else None
        self.findings.add(code, message, Where(self.file, line, column, item), hint)

    def count_the_rest(self) -> None:
        """Say how many faults were not reported one by one."""
        if self.left:
            self.findings.add(self.faulty, f"{self.left} more faults of the form", Where(file=self.file))

    def _message(self, loc: tuple[int | str, ...], fault: Any) -> str:
        kind, ctx, got = fault["type"], fault.get("ctx", {}), fault["input"]
        key = str(loc[-1]) if not isinstance(loc[-1], int) else f"value {loc[-1] + 1} of {loc[-2]}"
        if kind == "extra_forbidden":
            return f"unknown key {key!r}" + self._near(key, keys_at(loc, self.root))
        if kind == "union_tag_invalid":
            known = [tag.strip(" '") for tag in ctx["expected_tags"].split(",")]
            return f"unknown type {ctx['tag']!r}" + self._near(str(ctx["tag"]), known)
        if kind == "literal_error":
            near = self._near(got, [t.strip(" '") for t in ctx["expected"].replace(" or ", ",").split(",")])
            one_of = "one of " if " or " in ctx["expected"] else ""
            return f"{key} must be {one_of}{ctx['expected']}, not {_shown(got)}{near}"
        if kind in _MESSAGES:
            quote = f", not {_shown(got)}; write it in quotes" if isinstance(got, (int, float)) else ""
            return _MESSAGES[kind].format(key=key, got=_shown(got), quote=quote, **ctx)
        return str(fault["msg"])

    def _near(self, name: Any, known: Sequence[str]) -> str:
        if self.reported > MAX_SUGGESTED or not isinstance(name, str):
            return ""
        return nearest(name, known)


def nearest(name: str, known: Iterable[str], count: int = 3) -> str:
    """'; did you mean A, B?' by the names nearest to a misspelt one, or ''."""
    # Very long names make the comparison slow and help nobody.
    near = difflib.get_close_matches(name[:100], list(dict.fromkeys(known)), n=count, cutoff=0.55)
    return f"; did you mean {', '.join(near)}?" if near else ""


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    return repr(value)[:60]


def keys_at(loc: Sequence[int | str], root: type[BaseModel]) -> list[str]:
    """The keys that the model holding loc's last step knows."""
    models: list[type[BaseModel]] = [root]
    for step in loc[:-1]:
        following: list[type[BaseModel]] = []
        for model in models:
            for name, info in model.model_fields.items():
                if step in (name, info.alias):
                    following += _models_in(info.annotation)
        if following:
            models = following
        elif isinstance(step, str):
            # The tag of a discriminated union narrows to the models of that type.
            models = [m for m in models if step in _types_of(m)] or models
    return sorted({info.alias or name for model in models for name, info in model.model_fields.items()})


def _types_of(model: type[BaseModel]) -> tuple[Any, ...]:
    info = model.model_fields.get("type")
    return get_args(info.annotation) if info is not None else ()


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is not None or isinstance(annotation, UnionType):
        return [m for arg in get_args(annotation) for m in _models_in(arg)]
    return []
