"""What the solver refuses, as an error with a code: no fault of an input reaches a person without one."""

from __future__ import annotations

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from solver.faults import NoStorageError, NoValueError, TooManySamplesError

_CODES: dict[type[ValueError], str] = {
    NoValueError: "CB606",
    TooManySamplesError: "CB607",
    NoStorageError: "CB677",
}


def refused(fault: ValueError, findings: Findings) -> InputError:
    """The error to raise for what the solver raised, with a finding of it beside those so far."""
    code = next((code for kind, code in _CODES.items() if isinstance(fault, kind)), "CB608")
    findings.add(code, str(fault))
    return InputError(str(fault), findings)
