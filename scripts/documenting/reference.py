"""Pages made from the code: commands and options, finding codes, public names of Python, files and their schemas."""

from __future__ import annotations

import enum
import inspect
import json
from collections.abc import Iterator
from functools import cached_property
from importlib.resources import files
from typing import Any

import python_names
import typer

from cadbridge.catalogue import FAMILIES
from cadbridge.cli.app import app


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each."""
    yield "reference/commands.md", commands()
    yield "reference/findings.md", findings()
    yield from python()
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


def python() -> Iterator[tuple[str, str]]:
    """The public names of Python: a page that lists the groups, and one for each of them."""
    lines = ["# Python", "", "    import cadbridge as cb", ""]
    lines += [
        "Data flows one way; each step returns plain frozen data with its findings and prints nothing. All is SI.",
        "",
    ]
    for group in python_names.GROUPS:
        calls = ", ".join(f"`{name.rpartition('.')[2]}`" for name in group.functions)
        lines.append(f"- [{group.title}](python/{group.page}.md){': ' if calls else ''}{calls}")
    lines += ["", "```{toctree}", ":hidden:", "", *(f"python/{group.page}" for group in python_names.GROUPS), "```", ""]
    yield "reference/python.md", "\n".join(lines)
    for group in python_names.GROUPS:
        yield f"reference/python/{group.page}.md", _group(group)


def _group(group: python_names.Group) -> str:
    """Its example, its functions, then its classes, as Sphinx draws their docstrings."""
    lines = [f"# {group.title}", "", group.about, "", "```python", group.example.rstrip(), "```", ""]
    for title, names in (("Functions", group.functions), ("Classes", group.classes)):
        if names:
            lines += [f"## {title}", "", "```{eval-rst}"]
            for name in names:
                lines += _directive(name)
            lines += ["```", ""]
    return "\n".join(lines)


def _directive(name: str) -> Iterator[str]:
    """What draws a function, or a class with its own methods; its attributes stand in its docstring."""
    thing = python_names.meant(name)
    if not inspect.isclass(thing):
        yield from (f".. autofunction:: {name}", "")
        return
    yield f".. {'autoexception' if issubclass(thing, Exception) else 'autoclass'}:: {name}"
    if issubclass(thing, enum.Enum):
        yield "   :undoc-members:"
    if members := own_members(thing):
        yield f"   :members: {', '.join(members)}"
    yield ""


def own_members(thing: type) -> list[str]:
    """The values of an enumeration, the public methods and properties of a class, and what it does with brackets."""
    values = list(thing.__members__) if issubclass(thing, enum.Enum) else []
    kinds = (property, cached_property, staticmethod, classmethod)
    fields = getattr(thing, "__dataclass_fields__", {})
    return values + [
        name
        for name, value in vars(thing).items()
        if (inspect.isfunction(value) or isinstance(value, kinds))
        and ((not name.startswith("_") and name not in fields) or name == "__getitem__")
    ]


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
