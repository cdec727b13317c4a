"""From a source to an Assembly whose mates are those recognised, by the same road as a mates file by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings, Where
from cadbridge.mechanism import joints_made
from cadbridge.readers import MATES_ENDING, ReadOptions
from cadbridge.readers.finish import finish
from cadbridge.readers.mates_file import document_of, overlay
from cadbridge.readers.registry import load, openable
from cadbridge.recognition.choice.choosing import recognise
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.writing.mates_text import mates_entries
from cadbridge.recognition.writing.own_mates import beside_own
from cadbridge.storage import use_cache


def read_bare(source: str | Path, options: ReadOptions | None = None) -> Assembly:
    """A source without the mates file that may lie beside it. Raises InputError as `cadbridge.read` does."""
    options = options or ReadOptions()
    use_cache(not options.no_cache)
    return load(openable(Path(source)), options)


def read_recognised(
    source: str | Path, options: ReadOptions | None = None, names: bool = True
) -> tuple[Assembly, Recognition]:
    """A source with its bodies, joints and gears as `recognise` finds them, and what was found.

    A mates file beside the source is left aside, which a finding says.
    """
    options = options or ReadOptions()
    bare = read_bare(source, options)
    beside = Path(source).with_name(Path(source).stem + MATES_ENDING)
    if beside.is_file():
        findings = Findings(bare.findings)
        findings.add("CB1606", f"{beside.name} beside the source is left aside", Where(file=str(beside)))
        bare = replace(bare, findings=findings.as_tuple())
    found = beside_own(recognise(bare, names))
    return finish(with_recognised(bare, found), options), found


def without_frames(assembly: Assembly) -> Assembly:
    """An assembly without mates without the frames of sub-assemblies that are flexible.

    They hold no part: as components of their own they would float.
    """
    kept = tuple(c for c in assembly.components if c.instances)
    return assembly if assembly.mates else replace(assembly, components=kept)


def laid_over(bare: Assembly, text: str, name: str) -> Assembly:
    """A source with the text of a mates file laid over it; findings name the file `name`."""
    return overlay(bare, document_of(text, name), joints_made)


def with_recognised(assembly: Assembly, found: Recognition) -> Assembly:
    """An assembly with the mates recognised in it laid over it."""
    assembly = without_frames(assembly)
    laid = laid_over(replace(assembly, findings=()), mates_entries(found), f"recognised{MATES_ENDING}")
    own = tuple(replace(f, where=_no_file(f.where)) for f in laid.findings if f.code != "CB153")
    extra: dict[str, Any] = {**laid.extra, "recognised_gears": list(found.wheels)}
    extra["mates_file"] = {**extra.get("mates_file", {}), "name": "recognised"}
    mates = tuple(replace(m, where=_no_file(m.where)) for m in laid.mates)
    couplings = tuple(replace(c, where=_no_file(c.where)) for c in laid.couplings)
    findings = (*assembly.findings, *found.findings, *own)
    return replace(laid, mates=mates, couplings=couplings, extra=extra, findings=findings)


def _no_file(where: Where) -> Where:
    """The place without the file that lived for a moment only."""
    return Where(item=where.item)
