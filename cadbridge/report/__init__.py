"""Reports of a model: JSON documents for tools, text for the terminal."""

from cadbridge.report.document import (
    all_findings,
    check_document,
    export_document,
    findings_list,
    inspect_document,
    run_document,
    weighed,
    write_json,
)
from cadbridge.report.text import check_text, confirmation_text, faces_text, inspect_text, run_text

__all__ = [
    "all_findings", "check_document", "check_text", "confirmation_text", "export_document", "faces_text",
    "findings_list", "inspect_document", "inspect_text", "run_document", "run_text", "weighed",
    "write_json",
]  # fmt: skip
