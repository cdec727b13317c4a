"""An export that exists already: whether it is one, and whether it may be loaded."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from cadbridge.errors import InputError
from cadbridge.exporters import export
from cadbridge.exporters.sidecars import LOSSES, LOSSES_FORMAT
from cadbridge.mechanism.model import Mechanism
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from cadbridge.targets import Compared


def existing_export(folder: Path, to: str) -> Path:
    """The folder of an export to the format; InputError where it is none."""
    path = folder / LOSSES
    if not path.is_file():
        raise InputError(f"{folder} is no export of cadbridge: it has no {LOSSES}.")
    try:
        told = json.loads(path.read_text("utf-8"))
        kinds = [told["names"][kind] for kind in ("links", "joints")]
        right = told["format"] == LOSSES_FORMAT and all(isinstance(finding, dict) for finding in told["findings"])
        right = right and all(isinstance(v, str) for kind in kinds for v in kind.values())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise InputError(f"{path} cannot be read: {fault!r}.") from fault
    if not right:
        raise InputError(f"{path} is not of the format {LOSSES_FORMAT}.")
    if told.get("to") != to:
        raise InputError(f"{folder} is an export to {told.get('to')}, not to {to}.")
    return folder


def check_foreign(mechanism: Mechanism, to: str, how: Compared, folder: Path) -> None:
    """InputError unless an export that anybody may have changed may be handed to its engine.

    Its model is read by our own reader first, which is confined and bounded. Of an FMU, which is a program, only the
    data may differ from what is exported here.
    """
    models = [path for path in folder.glob(how.model) if not path.name.endswith(how.aside)]
    if len(models) != 1:
        raise InputError(f"{folder} holds {len(models)} models of {to}; one is expected.")
    if not how.is_program:
        # A ROS 2 package reads its own configuration beside the model.
        read(models[0], options=ReadOptions(package_dirs=(folder,)))
        return
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as scratch:
        own = export(mechanism, Path(scratch) / "export", to).files[0]
        if _programs(own) != _programs(models[0]):
            raise InputError(
                f"{models[0]} holds another program than this version of cadbridge exports here; it is not run. "
                "Export it anew to compare it."
            )


_LARGEST = 100_000_000
"""Bytes of a program within an FMU."""


def _programs(path: Path) -> dict[str, bytes]:
    """What is executed of an FMU, by path."""
    try:
        with ZipFile(path) as packed:
            entries = [e for e in packed.infolist() if e.filename.startswith(("binaries/", "sources/"))]
            if sum(e.file_size for e in entries) > _LARGEST:
                raise InputError(f"{path} holds programs of more than {_LARGEST / 1e6:g} MB.")
            return {e.filename: packed.read(e) for e in entries if not e.is_dir()}
    except (BadZipFile, OSError, NotImplementedError, RuntimeError) as fault:
        raise InputError(f"{path} is no FMU: {fault}.") from fault
