"""What an inverse analysis found, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadbridge.report.document import findings_list
from cadbridge.report.terminal import PIPED, plain_table
from cadbridge.report.views.numbers import figure

if TYPE_CHECKING:
    from cadbridge.efforts import Inverse


def efforts_document(found: Inverse, output: Path) -> dict[str, Any]:
    """The document `cadbridge.inverse/2` with its findings, as `--json` prints it."""
    from cadbridge.efforts import inverse_document

    mechanism = found.run.mechanism
    return {
        **inverse_document(found),
        "table": str(output),
        "findings": findings_list((*mechanism.assembly.findings, *mechanism.findings, *found.findings)),
    }


def efforts_text(found: Inverse, output: Path, columns: int = PIPED) -> str:
    """How far the motion was followed, and the table of peaks."""
    from cadbridge.efforts import peaks

    end = found.summary["simulated_s"]
    early = found.run.result.status.code not in ("ok", "missed")
    reached = f"the motion ends early, at {end:.6g} s" if early else f"followed to {end:.6g} s"
    lines = [f"{reached}; efforts and reactions are in {output}"]
    lines += [f"  {key}: {value}" for key, value in found.summary.items() if not isinstance(value, dict | list)]
    rows = [
        (p.kind, p.name, p.what, f"{figure(p.peak)} {p.unit}", figure(p.at_s), f"{figure(p.rms)} {p.unit}",
         "yes" if p.determined else "no")
        for p in peaks(found)
    ]  # fmt: skip
    if rows:
        head = ("kind", "name", "quantity", "peak", "at s", "rms", "determined")
        numeric = [False, False, False, True, True, True, False]
        lines.append(plain_table(head, rows, columns, numeric))
    return "\n".join(lines)
