"""The models of the jobs file; its published JSON Schema is made from them.

docs/jobs.md is the specification. Strict: no text becomes a number, no unknown key passes.
"""

from __future__ import annotations

import re
import types
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from cadbridge.numbers import Positive, Strict
from cadbridge.options import options_of
from cadbridge.readers.options import ReadOptions
from cadbridge.run_options import RunOptions

FORMAT = "cadbridge.jobs/1"

Text = Annotated[str, Field(min_length=1, max_length=4000)]
Texts = Text | list[Text]

_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B)\s*")
_MOST_BYTES = 10**15
"""No machine has a petabyte of memory: more is a slip, and would overflow where it is handed to the system."""
_UNITS = {"K": 1, "M": 2, "G": 3, "T": 4}


def memory_bytes(text: str) -> int:
    """Bytes of a size such as "2 GB" (10⁹) or "2 GiB" (2³⁰); ValueError where it is none."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a size; write for example 2 GB or 512 MiB")
    number, unit = found.groups()
    # MiB and GiB are powers of 1024, MB and GB of 1000.
    size = float(number) * (1024 if "i" in unit else 1000) ** _UNITS[unit[0]]
    if not 1 <= size <= _MOST_BYTES:
        raise ValueError("a size must be greater than nothing and at most 1000 TB")
    return int(size)


def _fault(message: str) -> PydanticCustomError:
    return PydanticCustomError("jobs_file", "{message}", {"message": message})


_FORMS: dict[Any, Any] = {float: Positive, str: Text, Path: Text, bool: bool}


def _declared(kind: type) -> dict[str, Any]:
    """The options that a dataclass declares, as fields of a model by their keys."""
    fields = {}
    for o in options_of(kind).values():
        form: Any = Literal[o.form] if isinstance(o.form, tuple) else _FORMS[o.form]
        if o.least is not None:
            form = Annotated[form, Field(ge=o.least)]
        form = types.GenericAlias(list, form) if o.many else form
        fields[o.key] = (form | None, Field(default=None, description=o.help))
    return fields


_Declared: Any = create_model("Declared", __base__=Strict, **_declared(ReadOptions), **_declared(RunOptions))


class Options(_Declared):  # type: ignore[misc]  # with the fields of ReadOptions and RunOptions
    """What a job may say and `defaults` may say for all: what to do, how to read, what it may use."""

    do: Literal["check", "convert", "simulate", "report"] | None = Field(default=None, description="What to do; check.")
    to: Text | None = Field(default=None, description="convert: the format to write.")
    collision: Text | None = Field(default=None, description="convert: what collides; as-is.")
    collision_tolerance: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        default=None, description="convert: how far that may be from the part, as a share of the part's size; 0.01."
    )
    mates: Text | None = Field(default=None, description="The mates file; {stem} and {path} are filled in.")
    strict: bool | None = Field(default=None, description="Warnings fail the job.")
    keep_going: bool | None = Field(
        default=None, description="convert, simulate: go on without what faults of the input left out."
    )
    limits: bool | None = Field(
        default=None, description="convert, simulate: limits of joints without, by moving them; with recognise."
    )
    plots: bool | None = Field(default=None, description="simulate: draw plots.")
    trajectory: Literal["parquet", "csv"] | None = Field(
        default=None, description="simulate: the form of the trajectory."
    )
    timeout: Positive | None = Field(default=None, description="Processor seconds after which the job is ended.")
    memory: Text | None = Field(default=None, description="What the job may use, such as 2 GB or 512 MiB.")

    @model_validator(mode="after")
    def _size(self) -> Options:
        if self.memory is not None:
            try:
                memory_bytes(self.memory)
            except ValueError as error:
                raise _fault(f"memory: {error}") from None
        return self


class Defaults(Options):
    """Options of all jobs of this file, and the folder of outputs."""

    output: Text | None = Field(default=None, description="The folder of outputs, from the jobs file's folder; out.")


class JobSpec(Options):
    """One job, or one for each file that a pattern matches."""

    sources: Texts = Field(description="Files or patterns (** is any folders), from the jobs file's folder.")
    exclude: Texts | None = Field(default=None, description="Patterns of files to leave out.")
    name: Text | None = Field(default=None, description="With {stem}, {path}, {file}, {do}, {to} for patterns.")
    output: Text | None = Field(default=None, description="The job's folder in the folder of outputs; its name.")


class JobsFile(Strict):
    """The file as people write it."""

    format: Literal["cadbridge.jobs/1"] | None = None
    include: Texts | None = Field(default=None, description="More jobs files, from this file's folder.")
    defaults: Defaults = Field(default_factory=Defaults)
    jobs: list[JobSpec] = Field(default_factory=list, max_length=100_000)
