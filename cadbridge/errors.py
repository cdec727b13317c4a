"""The errors of cadbridge.

    CadbridgeError
    ├── InputError          the input or the call cannot be used      (exit status 2)
    ├── ModelError          the model was read but has errors         (exit status 1)
    ├── MissingExtraError   an optional package is not installed      (exit status 2)
    └── InternalError       a fault of ours                           (exit status 3)

Faults of an input are findings (`cadbridge.findings`), all of them at once; an
error carries the findings that made it impossible to go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cadbridge.findings import Finding


class CadbridgeError(Exception):
    """Base of all errors that cadbridge raises.

    Args:
        message: What is wrong, in a sentence.
        findings: What is known of the cause.

    Attributes:
        findings: What is known of the cause, as a tuple.
        exit_status: The exit status of a command that ends so.
    """

    exit_status = 3

    def __init__(self, message: str, findings: Iterable[Finding] = ()) -> None:
        super().__init__(message)
        self.findings: tuple[Finding, ...] = tuple(findings)


class InputError(CadbridgeError):
    """The input or the call cannot be used; a command ends with the status 2."""

    exit_status = 2


class ModelError(CadbridgeError):
    """The model was read, but what was asked of it cannot be done; a command ends with the status 1."""

    exit_status = 1


class MissingExtraError(InputError):
    """An optional package is needed and not installed."""


class InternalError(CadbridgeError):
    """A fault of cadbridge itself."""


def refuse_incomplete(findings: Iterable[Finding], keep_going: bool = False) -> None:
    """Stop where a finding left a part of the input out: what is left would move differently.

    For whatever computes or writes a motion; `keep_going` continues all the same. InputError with all the findings.
    """
    items = tuple(findings)
    n = sum(f.leaves_out for f in items)
    if n and not keep_going:
        what = "1 input error removed or changed a part" if n == 1 else f"{n} input errors removed or changed parts"
        cure = f"Fix {'it' if n == 1 else 'them'}, or pass --keep-going to continue without what is missing."
        raise InputError(f"{what} of the model, which would move differently. {cure}", items)
