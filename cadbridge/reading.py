"""A source with all that lies over it: its mates file or what recognition finds, then its overrides.

After that, what is common to all formats: densities requested on the command line, doubtful units, names alike.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cadbridge.budget import allow
from cadbridge.errors import InputError
from cadbridge.readers import MATES_ENDING, OVERRIDES_ENDING, ReadOptions
from cadbridge.storage import use_cache

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly

_OPTIONS = {MATES_ENDING: "--mates", OVERRIDES_ENDING: "--overrides"}
"""By the ending of a file that is read unasked, the option that names one."""


def read(source: str | Path, mates: str | Path | None = None, options: ReadOptions | None = None) -> Assembly:
    """Read a source of any format, with its mates file over it.

    Faults of the files become findings of the Assembly: a faulty mate is left out and reported, and nothing is raised.

    Args:
        source: The file. Its content says what format it has, its name only where the content cannot.
        mates: The mates file to lay over it; None takes NAME.mates.yaml beside the source, where there is one.
        options: How to read it; None takes the defaults of `ReadOptions`. Over all lies NAME.cadbridge.yaml beside the
            source, or the file that `options.overrides` names.

    Returns:
        What the source states, in SI and the world's axes, with its findings.

    Raises:
        InputError: No Assembly can be made: the source or the named mates file cannot be opened, no reader takes it,
            its content cannot be used at all, or both `mates` and `options.recognise` are given. It carries all
            findings so far.
    """
    from cadbridge.readers.finish import finish
    from cadbridge.readers.registry import load, openable

    options = options or ReadOptions()
    use_cache(not options.no_cache)
    allow(options.larger)
    path = openable(Path(source))
    if options.recognise:
        if mates is not None:
            raise InputError("Give either a mates file or --recognise, not both: each supplies the mates.")
        from cadbridge.recognition import read_recognised

        return _overridden(read_recognised(path, options)[0], path, options)
    mates_path = _named_or_beside(mates, path, MATES_ENDING)
    with _without_collection():
        if mates_path is None:
            return finish(_overridden(load(path, options), path, options), options)

        from cadbridge.mechanism import joints_made
        from cadbridge.readers.mates_file import load_document, overlay
        from cadbridge.readers.mates_file.written import tell_changed_hints

        document = load_document(mates_path)
        tell_changed_hints(mates_path, document.findings)
        if options.length_unit is None and document.spec is not None:
            options = replace(options, length_unit=document.spec.source_units)
        return finish(_overridden(overlay(load(path, options), document, joints_made), path, options), options)


def _overridden(assembly: Assembly, path: Path, options: ReadOptions) -> Assembly:
    """The assembly with the overrides over it: the file that is named, else the one beside the source."""
    file = _named_or_beside(options.overrides, path, OVERRIDES_ENDING)
    if file is None:
        return assembly
    from cadbridge.mechanism import joints_made
    from cadbridge.readers.mates_file import load_document, overlay

    done = overlay(assembly, load_document(file), joints_made)
    extra = {key: value for key, value in done.extra.items() if key != "mates_file"}
    # The overrides were read as a mates file is, and noted as one.
    if "mates_file" in assembly.extra:
        extra["mates_file"] = assembly.extra["mates_file"]
    return replace(done, extra={**extra, "overrides_file": file.name})


@contextmanager
def _without_collection() -> Iterator[None]:
    """No search for circular garbage: among the millions of young objects of a large file it finds none, slowly."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _named_or_beside(named: str | Path | None, source: Path, ending: str) -> Path | None:
    """The file that is named, else the one beside the source; None if there is none. InputError for a pipe or link."""
    from cadbridge.readers.paths import beside
    from cadbridge.readers.registry import openable

    candidate = source.with_name(source.stem + ending)
    if named is not None:
        return openable(Path(named), candidate)
    if not (candidate.exists() or candidate.is_symlink()):
        return None
    return openable(beside(candidate, source, f"name it: {_OPTIONS[ending]} {candidate}"))
