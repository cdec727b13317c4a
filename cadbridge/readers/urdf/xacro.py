"""xacro: macros, properties and includes expanded to a URDF, without ROS, in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.paths import package_folder
from cadbridge.readers.xml import Element

NAMESPACE = "xacro"
LIMIT_SECONDS = 30.0
"""Seconds of the clock for an expansion; the child's own limit of CPU time is shorter."""

_PACKAGE = re.compile(r"\$\(\s*find\s+([^\s)]+)\s*\)|find\(\s*['\"]([^'\"]+)['\"]\s*\)")
_INCLUDED = 200
"""So many files are looked through for the packages they name."""


def is_xacro(root: Element, path: Path) -> bool:
    """Whether a file must be expanded: its name, an element of xacro, or an expression in an attribute.

    The namespace alone says nothing: expanded files keep its declaration.
    """
    if path.suffix.lower() == ".xacro":
        return True
    for element in root.iter():
        if isinstance(element.tag, str):
            if element.prefix == NAMESPACE or "/xacro" in element.tag:
                return True
            if any("${" in value or "$(" in value for value in element.attrib.values()):
                return True
    return False


def expand(path: Path, options: ReadOptions, findings: Findings) -> bytes:
    """The URDF that a xacro file stands for; InputError (CB196) where it cannot be expanded."""
    folder = path.resolve().parent
    packages = _packages(path, folder, options)
    roots = [folder, *packages.values(), *(d.resolve() for d in options.package_dirs)]
    request = {
        "path": str(path.resolve()),
        "arguments": dict(options.arguments),
        "packages": {name: str(where) for name, where in packages.items()},
        "roots": sorted({str(root.resolve()) for root in roots}),
    }
    reason = "it gave no answer"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "cadbridge.readers.urdf.xacro_child"],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        answer = json.loads(done.stdout)
        if "text" in answer:
            return str(answer["text"]).encode()
        reason = str(answer["error"])
    except subprocess.TimeoutExpired:
        reason = f"the expansion took longer than {LIMIT_SECONDS:g} s"
    except ValueError:
        reason = "the expansion was ended at its limit of time or memory"
    findings.add("CB196", f"{path.name}: {reason}", Where(file=str(path)))
    raise InputError(f"{path.name} cannot be expanded: {reason}", findings)


def _packages(path: Path, folder: Path, options: ReadOptions) -> dict[str, Path]:
    """The folders of the packages that a file and what lies beside it name with find."""
    found: dict[str, Path] = {}
    seen: set[Path] = set()
    waiting = [path.resolve()]
    while waiting and len(seen) < _INCLUDED:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        try:
            text = at.read_text("utf-8", errors="replace")
        except OSError:
            continue
        for match in _PACKAGE.finditer(text):
            name = match[1] or match[2]
            where = found.get(name) or package_folder(name, folder, options.package_dirs)
            if where is None or name in found:
                continue
            found[name] = where.resolve()
            waiting += sorted(where.rglob("*.xacro"))[:_INCLUDED]
        if at.parent == folder:
            waiting += sorted(folder.glob("*.xacro"))[:_INCLUDED]
    return found
