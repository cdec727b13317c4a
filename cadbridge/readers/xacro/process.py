"""The process that expands xacro as its caller sees it: what it is asked, and what its answer says of a file."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from cadbridge.budget import raised, with_option
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.folders import Folders
from cadbridge.processes import TimeLimit, environment, python
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.paths import MOST_FILES, lies_beside, package_folder
from cadbridge.readers.xml import Element
from cadbridge.touched import looked_for

NAMESPACE = "xacro"
SECONDS_TO_EXPAND = 25.0
"""Processor seconds for an expansion, five above the child's own limit (`confinement.SECONDS`), which says what it was.

This one also ends what sleeps, on the clock.
"""

CURES: dict[str, str] = {
    r"xacro:arg: missing attribute 'default'": 'Give the argument a default, such as default="": xacro asks for one, '
    "whatever --arg says.",
    r"missing attribute '(.+?)'": "Write the attribute {}.",
    r"Undefined substitution argument (\S+)": "Give its value with --arg {0}:=VALUE, or declare it above with "
    '<xacro:arg name="{0}" default="…"/>.',
    r"unbound prefix": "Declare each prefix in the root element of the file that has it; that of xacro is "
    'xmlns:xacro="http://www.ros.org/wiki/xacro".',
    r"unknown macro name: (?:xacro:)?(\S+)": "Include the file that defines the macro {} above the call, or "
    "correct its name.",
    r"Undefined parameters \[(.*)\]": "Give the call of the macro its {}, or give the macro defaults "
    '(params="NAME:=0").',
    r"no folder of the package '(.*)' is known": "Name the folder that holds the package {} with --package-dir.",
    r"No such file or directory": "Correct the name of the file, or copy it to where it is looked for.",
    r"name '(\w+)' is not defined when evaluating expression '.*?\b\1\(": "Correct the name {}: it is none of the "
    "functions that docs/security.md lists.",
    r"name '(.*?)' is not defined": "Define {} with <xacro:property> above, or correct its name.",
    r"invalid syntax|invalid expression|when evaluating expression": "Correct the expression.",
    r"not a boolean expression": "Write true or false, a number, or an expression that gives one of them.",
    r"Invalid parameter \"(.*)\"": "Take {} out of the call, or add it to the params of the macro.",
    r"Not enough blocks": "Give the call of the macro an element for each of its parameters with *.",
    r"Undefined block \"(.*)\"": "Give the call of the macro the block {}, or correct its name.",
    r"call themselves without end": "End the recursion by <xacro:if> or <xacro:unless>, or take out the file's include "
    "of itself.",
}
"""Cures of what xacro says: a pattern, the cure with its groups; the first that fits, of all else the catalogue's."""

_OUTSIDE = "If that file is yours, name its folder with --package-dir, or copy it beside the source."
"""What lets a file be read that is kept from a stranger's."""

_LOOK = 0.2
"""Seconds between two looks at what the child has used; an answer is taken at once."""

_PACKAGE = re.compile(r"\$\(\s*find\s+([^\s)]+)\s*\)|find\(\s*['\"]([^'\"]+)['\"]\s*\)")
_INCLUDED = re.compile(r"""<(?:\w+:)?include\s[^<>]*?filename\s*=\s*["']([^"'$\0]+)["']""")
LARGEST_SEARCHED = 8 * 1024**2
"""Bytes of a file that is looked through for the packages it names; what is larger holds data and no `find`."""

_MOST_NAMES = 20_000
"""Names in the folders of a package that are looked at for xacro files. A choice: one of more waits for the disk."""


def is_xacro(root: Element, path: Path) -> bool:
    """Whether a file must be expanded: its name, an element of xacro, or an expression in an attribute.

    The namespace alone says nothing: expanded files keep its declaration.
    """
    return names_xacro(root, path) or has_expressions(root)


def names_xacro(root: Element, path: Path) -> bool:
    """Whether a file's name or an element of it is of xacro."""
    named = (e for e in root.iter() if isinstance(e.tag, str))
    return path.suffix.lower() == ".xacro" or any(e.prefix == NAMESPACE or "/xacro" in e.tag for e in named)


def has_expressions(root: Element) -> bool:
    """Whether an attribute holds an expression or a substitution of xacro."""
    return any(
        "${" in value or "$(" in value
        for element in root.iter()
        if isinstance(element.tag, str)
        for value in element.attrib.values()
    )


def expand(path: Path, options: ReadOptions, findings: Findings) -> bytes:
    """The URDF that a xacro file stands for; InputError (CB196, CB1921) where it cannot be expanded."""
    folders = Folders.of(path, options.package_dirs)
    packages = _packages(path, folders)
    request = {
        "path": str(path.resolve()),
        "arguments": dict(options.arguments),
        # The child is a fresh process: it does not know what this one allowed.
        "larger": options.larger,
        "packages": {name: str(where) for name, where in packages.items()},
        "own": str(folders.own),
        "given": sorted({*map(str, folders.given), *map(str, packages.values())}),
    }
    answer = _answer(request)
    for read in answer.get("read", ()):
        looked_for(read)  # the result depends on it, and another process opened it
    if "text" in answer:
        for note in answer["notes"]:
            findings.add("CB1922", f"{path.name}: {note}", Where(file=str(path)))
        for name in _unused(options, answer.get("read", ())):
            message = f"--arg {name} has no effect: no file of {path.name} names an argument {name!r}"
            findings.add("CB113", message, Where(file=str(path)))
        return str(answer["text"]).encode()
    place = Where(file=_as_named(answer.get("file"), path), line=answer.get("line"), item=answer.get("tag"))
    reason = str(answer["error"])
    at = Path(place.file or path).name  # of several files the one that is at fault
    findings.add("CB1921" if answer.get("refused") else "CB196", f"{at}: {reason}", place, _cure(answer, reason))
    within = "" if at == path.name else f"{at}: "
    raise InputError(f"{path.name} cannot be expanded: {within}{reason}", findings)


def _cure(answer: dict[str, Any], reason: str) -> str | None:
    """What mends a file that xacro refuses for a reason; None where the catalogue's entry says it."""
    if answer.get("refused"):
        return _OUTSIDE if "lies outside the folder" in reason else None
    found = ((re.search(pattern, reason), cure) for pattern, cure in CURES.items())
    return next((cure.format(*match.groups()) for match, cure in found if match), None)


def _unused(options: ReadOptions, files: Iterable[str]) -> list[str]:
    """The arguments given whose names stand in none of the files that were read."""
    texts = [Path(file).read_text("utf-8", errors="replace") for file in files]
    return [
        name for name, _ in options.arguments if not any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts)
    ]


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the process that expands says; {"error": …} where it ends otherwise."""
    with subprocess.Popen(
        python("cadbridge.readers.xacro.child"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        cwd=Path(request["path"]).parent,
        start_new_session=True,  # no terminal that it could type into
    ) as process:
        limit, sent = TimeLimit(process.pid, raised(SECONDS_TO_EXPAND)), json.dumps(request).encode()
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    said, _ = process.communicate(sent, timeout=_LOOK)
                    break
                sent = b""  # asked once, communicate goes on with what it has
                if reached := limit.reached:
                    return {"error": with_option(f"the expansion took longer than {reached}")}
        finally:
            process.kill()
    try:
        answer: dict[str, Any] = json.loads(said)
    except ValueError:
        return {"error": with_option("the expansion was ended at its limit of time or memory")}
    return answer


def _as_named(file: str | None, path: Path) -> str:
    """A file as the person named it, where it lies beside the source."""
    folder = path.resolve().parent
    if file is None or not Path(file).is_relative_to(folder):
        return file or str(path)
    return str(path.parent / Path(file).relative_to(folder))


def _packages(path: Path, folders: Folders) -> dict[str, Path]:
    """The folders of the packages that a file and what lies beside it name with find."""
    found: dict[str, Path] = {}
    seen: set[Path] = set()
    beside = sorted(islice(folders.own.glob("*.xacro"), MOST_FILES))
    waiting = [*(other for other in beside if lies_beside(other, path)), path.resolve()]
    while waiting and len(seen) < MOST_FILES:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        try:
            if not at.is_file() or at.stat().st_size > LARGEST_SEARCHED:
                continue
            text = at.read_text("utf-8", errors="replace")
        except OSError:
            continue
        for match in _PACKAGE.finditer(text):
            name = match[1] or match[2]
            where = None if name in found else package_folder(name, folders)
            if where is None:
                continue
            found[name] = where
            waiting += _xacros(where)
        # What lies in folders below is named by its place: it may name packages too.
        named = (at.parent / match[1] for match in _INCLUDED.finditer(text))
        waiting += [other.resolve() for other in named if other.resolve().is_relative_to(folders.own)]
    return found


def _xacros(package: Path) -> list[Path]:
    """The xacro files of a package, links out of it left out; of a large one only those that are found soon."""
    found: list[Path] = []
    looked_at = 0
    for folder, inner, names in os.walk(package):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        looked_at += len(inner) + len(names)
        paths = (Path(folder, name) for name in sorted(names) if name.endswith(".xacro"))
        found += [at for at in paths if at.resolve().is_relative_to(package)]
        if looked_at > _MOST_NAMES or len(found) > MOST_FILES:
            break
    return found
