"""What changed between two check documents: mobility, redundancy, masses, bodies, joints, findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.budget import beyond
from cadbridge.catalogue.compare import ENTRIES
from cadbridge.documents import FORMATS
from cadbridge.errors import InputError
from cadbridge.findings import Finding, Findings
from cadbridge.units import TO_MM
from cadbridge.wording import listed

Document = Mapping[str, Any]
Changes = dict[str, Any]

FORMAT = FORMATS["check"]
_MOST = 10**15
"""No count of a document is as large."""
_WILD = 1e30
"""No mass, length or inertia is as large: their products stay finite."""
SAME = 1e-6
"""Relative change of a mass or inertia, and shift of a centre in radii of gyration, below which it is the same."""

_COUNTED = {"mobility": ("dof", "rows", "rank", "redundant", "gruebler"), "motion": ("finite", "generic_rank")}
_LISTS = {
    "bodies": "name", "joints": "name", "redundancies": "mate", "reactions": "joint", "freedoms": "words",
    "findings": "code",
}  # fmt: skip
"""Lists of a check document that are compared, with the key that every entry has."""


def read_old(path: Path) -> Document:
    """An older check document; InputError where the file holds none that can be compared."""
    try:
        # A pipe would be waited for, and a device has no end.
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a plain file (a folder, a device or a pipe).")
        if why := beyond("document bytes", path.stat().st_size, path.name):
            raise InputError(why)
        text = path.read_text(encoding="utf-8")
        # Each value takes many times its bytes once it is parsed.
        if why := beyond("marks", text.count(",") + text.count(":"), path.name):
            raise InputError(why)
        document = json.loads(text)
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror or fault}.") from fault
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{path} is not a JSON document: {fault}.") from fault
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{path} is no {FORMAT} document: write one by `cadbridge check SOURCE --json > OLD.json`.")
    faults = list(_faults(document))
    if faults:
        raise InputError(f"{path}: {'; '.join(faults)}; write it anew by `cadbridge check SOURCE --json`.")
    return document


def _faults(document: Document) -> Iterable[str]:
    """What keeps a document from being compared."""
    for section, keys in _COUNTED.items():
        numbers = document.get(section, {} if section == "motion" else None)
        if not isinstance(numbers, dict) or not all(_counts(numbers.get(k, 0)) for k in keys):
            yield f"{section} is not as in {FORMAT}"
    for section, key in _LISTS.items():
        entries = document.get(section, [])
        if not isinstance(entries, list) or not all(
            isinstance(e, dict) and isinstance(e.get(key), str) for e in entries
        ):
            yield f"{section} is not as in {FORMAT}"
    groups = document.get("groups", [])
    if not isinstance(groups, list) or not all(isinstance(g, dict) and _are_texts(g.get("mates")) for g in groups):
        yield f"groups is not as in {FORMAT}"
    for body in document["bodies"] if isinstance(document.get("bodies"), list) else ():
        if isinstance(body, dict) and not _weighs(body):
            yield f"the mass of body {body.get('name')} is not as in {FORMAT}"


def _counts(value: Any) -> bool:
    return isinstance(value, int) and abs(value) < _MOST


def _are_texts(entries: Any) -> bool:
    return isinstance(entries, list) and all(isinstance(entry, str) for entry in entries)


def _weighs(body: Document) -> bool:
    """Whether mass, com and inertia are numbers of the right shape, or null together."""
    if body.get("mass") is None:
        return True
    try:
        found = [np.array(body.get(k), dtype=float) for k in ("mass", "com", "inertia")]
    except (TypeError, ValueError, OverflowError):
        return False
    shapes = [value.shape for value in found]
    return shapes == [(), (3,), (3, 3)] and all(bool((np.abs(value) < _WILD).all()) for value in found)


def changes_between(old: Document, new: Document) -> Changes:
    """What is gone, new and changed from `old` to `new`; empty entries are left out. Pairs are [old, new]."""
    found: Changes = {}
    for section, keys in _COUNTED.items():
        before, after = old.get(section, {}), new[section]
        found[section] = {k: [before[k], after[k]] for k in keys if k in before and before[k] != after[k]}
    found["freedoms"] = _sets(_values(old, "freedoms", "words"), _values(new, "freedoms", "words"))
    found["redundancies"] = _entries(old, new, "redundancies", "mate", _repeats_differ)
    found["groups"] = _sets(_values(old, "groups", "mates"), _values(new, "groups", "mates"))
    found["reactions"] = _entries(old, new, "reactions", "joint", _differ("determined"), only_changed=True)
    found["bodies"] = _entries(old, new, "bodies", "name", _mass_differs)
    found["joints"] = _entries(old, new, "joints", "name", _differ("type", "bodies", "limits"))
    found["findings"] = _sets(_codes_and_items(old), _codes_and_items(new))
    return {key: value for key, value in found.items() if value}


def findings_of_changes(changes: Changes, since: str) -> tuple[Finding, ...]:
    """The changes that a nightly job should stumble over."""
    findings = Findings()
    pairs = {**changes.get("mobility", {}), **changes.get("motion", {})}
    summary = [f"{_WORDS[k]} {a} → {b}" for k, (a, b) in pairs.items() if k in ("dof", "finite")]
    summary += [
        f'"{words}" is {state}' for state in ("gone", "new") for words in changes.get("freedoms", {}).get(state, [])
    ]
    if "dof" in pairs or "finite" in pairs:
        findings.add("CB420", f"since {since}: {listed(summary, between='; ')}")
    if "redundant" in pairs or "redundancies" in changes:
        rows = [f"redundant rows {a} → {b}" for a, b in [pairs["redundant"]]] if "redundant" in pairs else []
        findings.add("CB421", f"since {since}: {listed(rows + _named(changes.get('redundancies', {})), between='; ')}")
    heavier = changes.get("bodies", {}).get("changed", [])
    if heavier:
        findings.add("CB422", f"since {since}: {listed([_heavier(b) for b in heavier], between='; ')}")
    moved = [f"{kind[:-1] if kind == 'joints' else 'body'} {entry}" for kind in ("bodies", "joints")
             for entry in _named({k: v for k, v in changes.get(kind, {}).items() if k != "changed"})]  # fmt: skip
    if moved:
        findings.add("CB423", f"since {since}: {listed(moved, between='; ')}")
    return findings.as_tuple()


_WORDS = {
    "dof": "degrees of freedom", "rows": "rows", "rank": "rank", "redundant": "redundant rows",
    "gruebler": "Grübler's count", "finite": "finite freedoms", "generic_rank": "generic rank",
}  # fmt: skip


def changes_text(changes: Changes, since: str) -> str:
    """What changed, for a person."""
    lines = changes_lines(changes)
    if not lines:
        return f"Nothing changed since {since}."
    return "\n".join([f"Changes since {since}", *(f"  {line}" for line in lines)])


def changes_lines(changes: Changes) -> list[str]:
    """What changed, a line for each change."""
    lines: list[str] = []
    for section in _COUNTED:
        lines += [f"{_WORDS[k]}: {a} → {b}" for k, (a, b) in changes.get(section, {}).items()]
    for kind, title in (
        ("joints", "joint"), ("bodies", "body"), ("redundancies", "redundant mate"), ("reactions", "reaction of"),
    ):  # fmt: skip
        lines += [f"{title} {text}" for text in _named(changes.get(kind, {}))]
    for kind, title in (("freedoms", "freedom"), ("groups", "dependent group"), ("findings", "finding")):
        for state in ("gone", "new"):
            entries = changes.get(kind, {}).get(state, [])
            lines += [f"{title} {state}: {', '.join(e) if isinstance(e, list) else e}" for e in entries[:20]]
            if len(entries) > 20:
                lines.append(f"… and {len(entries) - 20} more {title}s {state} (all of them with --json)")
    return lines


def _values(document: Document, section: str, key: str) -> list[Any]:
    return [entry.get(key) for entry in document.get(section, []) if isinstance(entry, dict)]


def _sets(old: Sequence[Any], new: Sequence[Any]) -> dict[str, list[Any]]:
    found = {"gone": [x for x in old if x not in new], "new": [x for x in new if x not in old]}
    return {key: value for key, value in found.items() if value}


def _entries(
    old: Document, new: Document, section: str, key: str, differ: Callable[[Document, Document], dict[str, Any]], *,
    only_changed: bool = False,
) -> dict[str, list[Any]]:  # fmt: skip
    """Entries of a list by their key: names gone and new, and what `differ` finds in those in both."""
    before = {e[key]: e for e in old.get(section, [])}
    after = {e[key]: e for e in new[section]}
    changed = [{key: k, **d} for k, e in after.items() if k in before and (d := differ(before[k], e))]
    gone, came = [k for k in before if k not in after], [k for k in after if k not in before]
    found: dict[str, list[Any]] = (
        {"changed": changed} if only_changed else {"gone": gone, "new": came, "changed": changed}
    )
    return {k: v for k, v in found.items() if v}


def _differ(*keys: str) -> Callable[[Document, Document], dict[str, Any]]:
    return lambda a, b: {k: [a[k], b[k]] for k in keys if k in a and k in b and a[k] != b[k]}


_repeats_differ = _differ("rows", "kind", "duplicates")


def _mass_differs(a: Document, b: Document) -> dict[str, Any]:
    """Masses, and how far centre (m) and inertia (relative) have moved."""
    if a.get("mass") is None or b.get("mass") is None:
        return _differ("mass")(a, b)
    found: dict[str, Any] = {}
    size = max(abs(float(a["mass"])), abs(float(b["mass"])))
    if abs(float(a["mass"]) - float(b["mass"])) > SAME * size:
        found["mass"] = [a["mass"], b["mass"]]
    inertia = max(float(np.max(np.abs(np.array(x["inertia"], float)))) for x in (a, b))
    gyration = float(np.sqrt(inertia / size)) if size else 0.0
    shift = float(np.linalg.norm(np.array(b["com"], float) - np.array(a["com"], float)))
    if shift > SAME * gyration:
        found["com_shift"] = shift
    turned = float(np.max(np.abs(np.array(b["inertia"], float) - np.array(a["inertia"], float))))
    if turned > SAME * inertia:
        found["inertia"] = turned / inertia
    return found


def _codes_and_items(document: Document) -> list[str]:
    """Findings but those of a comparison, which are about another document."""
    return [f"{f['code']}: {f.get('message')}" for f in document.get("findings", []) if f["code"] not in ENTRIES]


def _named(entries: Mapping[str, Sequence[Any]]) -> list[str]:
    """Entries gone, new and changed, in words."""
    summary = [f"{name} is {state}" for state in ("gone", "new") for name in entries.get(state, ())]
    for entry in entries.get("changed", ()):
        name, *_ = entry.values()
        summary.append(_heavier(entry) if {"mass", "com_shift", "inertia"} & set(entry) else f"{name}: {_pairs(entry)}")
    return summary


def _pairs(entry: Document) -> str:
    return ", ".join(f"{key} {_plain(v[0])} → {_plain(v[1])}" for key, v in entry.items() if isinstance(v, list))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return listed([str(v) for v in value], between="; ")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def _heavier(body: Document) -> str:
    summary = []
    if "mass" in body:
        summary.append(" → ".join("unknown" if m is None else f"{m:.6g}" for m in body["mass"]) + " kg")
    if "com_shift" in body:
        summary.append(f"centre moved by {body['com_shift'] * TO_MM:.3g} mm")
    if "inertia" in body:
        summary.append(f"inertia changed by {body['inertia']:.2g} of itself")
    return f"{body['name']}: {', '.join(summary)}"
