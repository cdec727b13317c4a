"""Pages made from the code: commands and options, finding codes, public names of Python, files and their schemas."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import typer

import cadbridge
from cadbridge.catalogue import FAMILIES
from cadbridge.cli.app import app


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each."""
    yield "reference/commands.md", commands()
    yield "reference/findings.md", findings()
    yield "reference/python.md", python()
    yield "reference/files.md", schemas()


def commands() -> str:
    """Every command with its arguments and options, as `--help` says them."""
    lines = ["# Commands", "", "`cadbridge COMMAND --help` shows the same in a terminal.", ""]
    for path, command in _commands(typer.main.get_command(app), "cadbridge"):
        lines += [f"## {path}", "", _sentence(command.help or ""), ""]
        arguments = [p.metavar or p.name.upper() for p in command.params if p.param_type_name == "argument"]
        lines += [f"    {' '.join([path, *arguments, '[OPTIONS]'])}", ""]
        options = [p for p in command.params if p.param_type_name == "option"]
        if options:
            lines += ["| option | what it does |", "|---|---|"]
            lines += [f"| `{' '.join(p.opts)}` | {_cell(getattr(p, 'help', '') or '')} |" for p in options]
            lines.append("")
    return "\n".join(lines)


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        yield path, command
        return
    for name, one in below.items():
        yield from _commands(one, f"{path} {name}")


def findings() -> str:
    """Every code with its severity, meaning, cure and an example."""
    lines = ["# Finding codes", "", "`cadbridge explain CODE` shows one of them in a terminal.", ""]
    for family in FAMILIES:
        lines += [f"## {family.title} (`{family.name}`)", ""]
        for code in family.codes():
            left_out = " It leaves a part of the input out." if code.leaves_out else ""
            lines += [
                f"### {code.code}",
                "",
                f"**{code.severity.value}: {_prose(code.title)}.** {_prose(code.meaning)}{left_out}",
                "",
                f"What to do: {_prose(code.cure)}",
                "",
                f"Example: {_prose(code.example)}",
                "",
            ]
    return "\n".join(lines)


def python() -> str:
    """The public names of `cadbridge`, with their docstrings."""
    lines = ["# Python", "", "    import cadbridge as cb", ""]
    for name in dir(cadbridge):
        thing = getattr(cadbridge, name)
        if name.startswith("_") or inspect.ismodule(thing):
            continue
        lines += [f"## cb.{name}", ""]
        if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, Exception)):
            lines += [f"```python\n{name}{_signature(thing)}\n```", ""]
        lines += ["```text", inspect.getdoc(thing) or repr(thing), "```", ""]
    return "\n".join(lines)


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(…)"


def schemas() -> str:
    """The files that people write, each with its keys; the schemas lie beside."""
    lines = ["# Files", "", "The JSON Schemas of the files that cadbridge reads.", ""]
    for path in sorted((f for f in files("cadbridge").joinpath("data/schemas").iterdir()), key=lambda f: f.name):
        schema = json.loads(path.read_text(encoding="utf-8"))
        lines += [f"## {schema.get('$id', path.name)}", "", _sentence(schema.get("description", "")), ""]
        lines += [f"[{path.name}](../schemas/{path.name})", "", "| key | what it holds |", "|---|---|"]
        for key, value in schema.get("properties", {}).items():
            lines.append(f"| `{key}` | {_cell(_held(value, schema))} |")
        lines.append("")
    return "\n".join(lines)


def _held(value: dict[str, Any], schema: dict[str, Any]) -> str:
    """What a schema says of a key: its description, else that of what it is made of, else its type."""
    if "description" in value:
        return str(value["description"])
    inner = value.get("items") or value.get("additionalProperties") or value
    if isinstance(inner, dict) and "$ref" in inner:
        found = schema.get("$defs", {}).get(inner["$ref"].rsplit("/", 1)[-1], {})
        return str(found.get("description", value.get("type", "")))
    return str(value.get("type", value.get("const", "")))


def _sentence(text: str) -> str:
    return inspect.cleandoc(text).strip()


def _prose(text: str) -> str:
    """A text whose tags outside of code are shown, not taken for markup."""
    pieces = text.split("`")
    pieces[::2] = [piece.replace("<", "&lt;") for piece in pieces[::2]]
    return "`".join(pieces)


def _cell(text: str) -> str:
    """A text in one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
