"""`export`: check the target, write beside it, move into place."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from cadbridge.errors import InputError, ModelError
from cadbridge.exporters.collision import AS_IS, KINDS
from cadbridge.exporters.kept import report_kept
from cadbridge.exporters.left_behind import report_left_behind
from cadbridge.exporters.names import clean
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.sidecars import LOSSES, LOSSES_FORMAT, losses
from cadbridge.files import refuse_folder
from cadbridge.findings import Finding, Findings
from cadbridge.mechanism.model import Mechanism
from cadbridge.shown import sentence
from cadbridge.targets import Target, target_named, target_names
from cadbridge.touched import read_below
from cadbridge.wording import count


@dataclass(frozen=True)
class ExportResult:
    """What an export wrote.

    Attributes:
        directory: The folder.
        files: Its files, the model first.
        findings: What the format could not carry.
    """

    directory: Path
    files: tuple[Path, ...]
    findings: tuple[Finding, ...]

    def __repr__(self) -> str:
        return sentence(
            "ExportResult", str(self.directory), count(len(self.files), "file"), count(len(self.findings), "finding")
        )


def export(
    mechanism: Mechanism,
    directory: str | Path,
    to: str,
    *,
    name: str | None = None,
    options: ExportOptions | None = None,
) -> ExportResult:
    """Write a mechanism for another engine, as a folder.

    The folder appears whole or not at all, the same byte for byte on every run. An earlier export in its place is
    replaced; any other folder that is not empty is left alone.

    Args:
        mechanism: The mechanism.
        directory: The folder to write.
        to: The format, one of `cadbridge.targets.target_names()`: "urdf", "mjcf", "sdf", "usd", "fmu", "glb" and
            others.
        name: The model's name; None takes the assembly's.
        options: Collision geometry and what single formats take; None takes the defaults of `ExportOptions`.

    Returns:
        The files that were written, and what the format could not carry.

    Raises:
        InputError: There is no such format or collision geometry, the folder holds something else or a file that the
            model was read from, or it cannot be written.
        ModelError: The mechanism lacks what the format demands, such as a mass; the findings say what.
    """
    options, folder = options or ExportOptions(), Path(directory)
    target = _chosen(to, options)
    refuse_foreign(folder)
    findings = Findings()
    _report_collision(mechanism, target, options, findings)
    report_left_behind(mechanism, target, findings)
    if not target.extensions:
        report_kept(mechanism.assembly, to, findings)
    exporter = import_module(target.exporter)
    model = clean(name or mechanism.assembly.name, "model")
    contents = exporter.contents(mechanism, model, findings, options)
    if findings.errors:
        raise ModelError(
            f"{to} needs what this model lacks: {'; '.join(f.message for f in findings.errors)}", findings.as_tuple()
        )
    if LOSSES not in contents:
        contents[LOSSES] = losses(to, model, {}, findings, mechanism.assembly.home)
    try:
        _put(folder, contents)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}") from error
    return ExportResult(folder, tuple(folder / name for name in contents), findings.as_tuple())


def _report_collision(mechanism: Mechanism, target: Target, options: ExportOptions, findings: Findings) -> None:
    """CB526 for collision geometry, requested or of the source, that the format has no place for."""
    lacks = f"{target.name} has no collision geometry"
    if options.collision != AS_IS and not target.collision:
        findings.add("CB526", f"{lacks}: {options.collision} was not made")
    own = [part.name for part in mechanism.assembly.parts if part.collision is not None]
    if own and not (target.collision or target.carries_collision):
        findings.add("CB526", f"{lacks}: that of {', '.join(own)} was not written", items=own)


def _chosen(to: str, options: ExportOptions) -> Target:
    """The target of the name; InputError for a format, a collision geometry or a tolerance that does not exist."""
    target = target_named(to)
    if target is None:
        raise InputError(f"There is no export to {to!r}. Formats: {', '.join(sorted(target_names()))}.")
    if options.collision not in KINDS:
        raise InputError(f"There is no collision geometry {options.collision!r}. Kinds: {', '.join(KINDS)}.")
    if not 0 < options.collision_tolerance < 1:
        raise InputError(
            f"The collision tolerance is a share of a part's size between 0 and 1, not {options.collision_tolerance:g}."
        )
    return target


def refuse_foreign(target: Path) -> None:
    """InputError unless the target is absent, empty, or an earlier export, and stands where a folder can be made.

    What was read before is asked for, too; commands ask this first before they read.
    """
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; name a folder for the export")
    refuse_folder(target.absolute().parent)  # beside it the new folder is made, and takes its place
    if not target.is_dir() or not any(target.iterdir()):
        return
    try:
        ours = json.loads((target / LOSSES).read_text("utf-8")).get("format") == LOSSES_FORMAT
    except (OSError, ValueError, AttributeError):
        ours = False
    if not ours:
        raise InputError(f"{target} is not empty and holds no earlier export ({LOSSES}); name another folder")
    own = target / LOSSES
    # An earlier export may have been edited and be the source of this one.
    source = next((name for name in read_below(target) if not own.exists() or not own.samefile(name)), None)
    if source is not None:
        raise InputError(f"{target} holds {Path(source).name}, which this command reads; name another folder")


def _put(target: Path, contents: dict[str, bytes]) -> None:
    """Write to a folder beside the target, then rename; an interruption leaves the old state."""
    target = target.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target: a rename is one step only within a file system.
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        new, old = work / "new", work / "old"
        new.mkdir()
        for name, data in contents.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if target.exists():
            os.replace(target, old)
        try:
            os.replace(new, target)
        except OSError:
            if old.exists():
                os.replace(old, target)
            raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
