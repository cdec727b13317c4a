"""What programs that check files, and move nothing, find in an export: USD's validators, Omniverse's, FMPy's."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from cadbridge.findings import Findings


def judge_files(to: str, folder: Path, findings: Findings) -> None:
    """Report every fault that a checker of the format finds (CB1483), and the checkers that are missing (CB1484)."""
    endings, judges = _JUDGES.get(to, ("", {}))
    for name, judge in judges.items():
        silence = io.StringIO()
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
                warnings.simplefilter("ignore")
                faults = [fault for path in sorted(folder.glob(endings)) for fault in judge(path)]
        except ImportError:
            findings.add("CB1484", f"{name} is not installed", items=[name])
            continue
        for fault in faults:
            findings.add("CB1483", f"{name}: {fault}", items=[name])


def _usd(path: Path) -> Iterator[str]:
    usd, validation = import_module("pxr.Usd"), import_module("pxr.UsdValidation")
    validators = validation.ValidationRegistry().GetOrLoadAllValidators()
    for error in validation.ValidationContext(validators).Validate(usd.Stage.Open(str(path))):
        yield f"{error.GetName()}: {error.GetMessage()}"


def _omniverse(path: Path) -> Iterator[str]:
    engine = import_module("omni.asset_validator").ValidationEngine()
    yield from (str(issue) for issue in engine.validate(str(path)).issues())


def _fmpy(path: Path) -> Iterator[str]:
    yield from import_module("fmpy.validation").validate_fmu(str(path))


_JUDGES: dict[str, tuple[str, dict[str, Callable[[Path], Iterator[str]]]]] = {
    "usd": ("*.usda", {"the validators of USD (usdchecker)": _usd, "omniverse-asset-validator": _omniverse}),
    "fmu": ("*.fmu", {"the validation of FMPy": _fmpy}),
}
"""Format → the files that are checked, and by which programs."""
