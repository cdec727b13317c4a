"""What programs that check files, and move nothing, find in an export: USD's validators, Omniverse's, FMPy's."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from cadbridge.findings import Findings
from cadbridge.targets import EngineCheck, loaded

Fault = tuple[str, str]
"""Code and message."""


def judge_files(how: EngineCheck, folder: Path, findings: Findings) -> None:
    """Report what checkers of the format find: faults (CB1483), warnings (CB1485); and which are missing (CB1484)."""
    for name, place in how.judges:
        judge: Callable[[Path], Iterator[Fault]] = loaded(place)
        silence = io.StringIO()
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
                warnings.simplefilter("ignore")
                faults = [fault for path in sorted(folder.glob(how.model)) for fault in judge(path)]
        except ImportError:
            findings.add("CB1484", f"{name} is not installed", items=[name])
            continue
        for code, fault in faults:
            findings.add(code, f"{name}: {fault}", items=[name])


def usd(path: Path) -> Iterator[Fault]:
    """What USD's own validators find."""
    usd, validation = import_module("pxr.Usd"), import_module("pxr.UsdValidation")
    validators = validation.ValidationRegistry().GetOrLoadAllValidators()
    for error in validation.ValidationContext(validators).Validate(usd.Stage.Open(str(path))):
        yield "CB1483", f"{error.GetName()}: {error.GetMessage()}"


def omniverse(path: Path) -> Iterator[Fault]:
    """What Omniverse's validator finds."""
    validator = import_module("omni.asset_validator")
    small = (validator.IssueSeverity.WARNING, validator.IssueSeverity.INFO)
    for issue in validator.ValidationEngine().validate(str(path)).issues():
        place = getattr(issue.at, "path", None) or getattr(getattr(issue.at, "prim_id", None), "path", "")
        yield "CB1485" if issue.severity in small else "CB1483", f"{issue.message} {place}".strip()


def fmpy(path: Path) -> Iterator[Fault]:
    """What FMPy finds in an FMU's description."""
    yield from (("CB1483", fault) for fault in import_module("fmpy.validation").validate_fmu(str(path)))
