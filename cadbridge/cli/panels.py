"""Help in panels: the options of a command under the heading of what they are for, and plain words for values."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

FIRST = "Options"
ORDER = (FIRST, "Output", "Reading")
"""Headings in order; an option names its own by `rich_help_panel`, without one it is under the first."""

_WORDS = {"path": "FILE", "float": "NUMBER", "int": "NUMBER", "str": "TEXT"}


class Panels(TyperCommand):
    """A command whose help groups its options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and each group of options."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *ORDER)}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                argument = param.param_type_name == "argument"
                panel = "Arguments" if argument else getattr(param, "rich_help_panel", None) or FIRST
                groups[panel].append((_plain_words(record[0]), record[1]))
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def _plain_words(record: str) -> str:
    """`--html <path>` as `--html FILE`."""
    return re.sub(r"<(?:list\[)?(\w+)[^>]*>", lambda found: _WORDS.get(found[1], found[1].upper()), record)
