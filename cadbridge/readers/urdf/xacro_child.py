"""Expands one xacro file, in a process of its own: `python -m cadbridge.readers.urdf.xacro_child`.

xacro evaluates Python expressions of the file. Here they are held to plain ones (no attributes that lead to the
interpreter, nothing that builds giants), files may be opened inside the folders given only, and the process is
killed at limits of time and memory. It reads a JSON request from stdin and writes a JSON answer to stdout.
"""

from __future__ import annotations

import ast
import gc
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

MEMORY = 2 * 1024**3
"""Bytes of address space."""

SECONDS = 20
"""Seconds of CPU time."""

LARGEST_POWER = 64
"""The highest exponent, shift or repetition that an expression may write down."""

_HIDDEN = ("_", "gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_")
_REFUSED = {"format", "format_map", "vars", "type", "open", "exec", "eval", "compile", "getattr", "mro"}
_GROWING = (ast.Pow, ast.LShift)
_REFUSED_EVENTS = ("os.", "subprocess.", "socket.", "shutil.", "ctypes.", "tempfile.", "pty.", "signal.", "winreg.")
_READ_ONLY_EVENTS = ("os.listdir", "os.scandir", "os.walk")


def check_expression(text: str) -> None:
    """ValueError where an expression is more than arithmetic, texts, lists and xacro's own functions."""
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        if isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.Name):
            name = node.id
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _GROWING):
            exponent = node.right
            if not (isinstance(exponent, ast.Constant) and isinstance(exponent.value, int | float)):
                raise ValueError(f"the expression {text!r} raises to a power that it computes")
            if abs(exponent.value) > LARGEST_POWER:
                raise ValueError(f"the expression {text!r} raises to a power above {LARGEST_POWER}")
            continue
        else:
            continue
        if name in _REFUSED or name.startswith(_HIDDEN):
            raise ValueError(f"the expression {text!r} uses {name!r}, which is refused")


def _guard(roots: list[Path]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook: only reading, and only below the roots."""

    def allowed(path: object) -> bool:
        if isinstance(path, int):
            return True
        if isinstance(path, bytes):
            path = path.decode(errors="replace")
        real = Path(str(path)).resolve()
        return any(real.is_relative_to(root) for root in roots)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode = arguments[0], arguments[1]
            if (isinstance(mode, str) and set(mode) & set("wax+")) or not allowed(path):
                raise PermissionError(f"{path} lies outside the folder of the source and its packages")
        elif event.startswith(_REFUSED_EVENTS) and event not in _READ_ONLY_EVENTS:
            raise PermissionError(f"{event} is refused")

    return hook


def _limit() -> None:
    """Bounds of time and memory, where the system has them."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def expand(path: str, arguments: Mapping[str, str], packages: Mapping[str, str], roots: list[str]) -> str:
    """The URDF text. Raises what xacro and the guards raise."""
    import xml.dom.expatbuilder  # noqa: F401 - like the next two before the guard closes the disk

    import xacro
    import yaml  # noqa: F401
    from xacro import substitution_args

    plain_eval, plain_parse = xacro.safe_eval, xacro.parse

    def checked_eval(text: str, symbols: Any, local: Any = None) -> Any:
        check_expression(text)
        return plain_eval(text, symbols, local)

    def parse(source: Any, filename: str | None = None) -> Any:
        if filename is not None:
            head = Path(filename).read_bytes()
            if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                raise ValueError(f"{filename} declares a document type, which is refused")
        return plain_parse(source, filename)

    def find(package: str) -> str:
        if package not in packages:
            raise ValueError(f"no folder of the package {package!r} is known")
        return packages[package]

    def eval_extension(text: str, context: Any) -> str:
        symbols = dict(xacro._global_symbols) | {"arg": lambda name: context["arg"][name], "find": find}
        return str(checked_eval(text, symbols | dict(context["arg"])))

    def no_environment(name: str, default: str = "") -> str:
        if default:
            return default
        raise ValueError(f"the environment ({name}) is not read")

    xacro.safe_eval, xacro.parse = checked_eval, parse
    substitution_args._eval = eval_extension
    substitution_args._eval_find = find
    substitution_args._eval_env = substitution_args._eval_optenv = no_environment
    sys.addaudithook(_guard([Path(r) for r in roots]))
    document = xacro.process_file(path, mappings=dict(arguments), verbosity=0)
    return str(document.toxml())


def main() -> None:
    """Read the request, answer."""
    # The process ends with its answer: to look for circular garbage among all these nodes costs a third of its time.
    gc.disable()
    request = json.loads(sys.stdin.buffer.read())
    _limit()
    answer: dict[str, str]
    try:
        text = expand(request["path"], request["arguments"], request["packages"], request["roots"])
        answer = {"text": text}
    except RecursionError:
        answer = {"error": "macros or properties call themselves without end"}
    except MemoryError:
        answer = {"error": "the expansion is too large"}
    except Exception as fault:
        reason = " ".join(str(fault).split()) or type(fault).__name__
        answer = {"error": reason[:500]}
    sys.stdout.buffer.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
