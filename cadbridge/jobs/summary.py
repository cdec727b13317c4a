"""What became of all jobs: a table, JSON, and a page that links the reports."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cadbridge.documents import FORMATS
from cadbridge.findings import Severity
from cadbridge.jobs.model import Result, State, shown
from cadbridge.jobs.planning import Plan
from cadbridge.jobs.publish import LOG, MANIFEST, TIMES, Stages
from cadbridge.wording import count

FORMAT = FORMATS["batch"]
SUMMARY, INDEX = "summary.json", "index.html"

_FIRST = ("report.html", "check.txt", "run.txt", "check.json", "convert.json", "run.json")
"""Outputs that a reader wants first."""


def ordered(plan: Plan, results: Sequence[Result]) -> list[Result]:
    """Results in the order of the plan, whatever order they came in."""
    by_name = {result.job.name: result for result in results}
    return [by_name[job.name] for job in plan.jobs if job.name in by_name]


def document(plan: Plan, results: Sequence[Result]) -> dict[str, Any]:
    """The document `cadbridge.batch/1`: the same for a run that computed and one that found all known."""
    items = ordered(plan, results)
    states = Counter(result.state.value for result in items)
    return {
        "format": FORMAT,
        "counts": {"jobs": len(plan.jobs), **{state.value: states[state.value] for state in State}},
        "jobs": [_item(plan, result) for result in items],
    }


def _item(plan: Plan, result: Result) -> dict[str, Any]:
    severities = Counter(finding.severity.value for finding in result.findings if finding.code not in _OF_THE_RUN)
    return {
        "name": result.job.name,
        "do": result.job.do,
        "source": result.job.source,
        "state": result.state.value,
        "reason": result.reason,
        "folder": result.job.folder.relative_to(plan.output).as_posix(),
        "outputs": sorted(result.outputs),
        "findings": {severity: severities[severity] for severity in map(str, Severity)},
    }


_OF_THE_RUN = ("CB730", "CB731")
"""Remarks on how a run went, which say nothing of the job."""


def write_summary(plan: Plan, results: Sequence[Result]) -> tuple[Path, Path]:
    """Write summary.json and index.html into the folder of outputs.

    Args:
        plan: The plan that was run.
        results: Results of its jobs, in any order.

    Returns:
        The paths of the two files.

    Raises:
        InputError: The folder of outputs cannot be written (CB707).
        OSError: One of the files cannot be written.
    """
    summary = document(plan, results)
    paths = plan.output / SUMMARY, plan.output / INDEX
    contents = json.dumps(summary, indent=2).encode() + b"\n", page(summary).encode("utf-8", "backslashreplace")
    stages = Stages(plan.output)
    try:
        # Written where the next run clears up what a kill left, and shown by rename.
        stage = stages.new(0)
        for path, content in zip(paths, contents, strict=True):
            (stage / path.name).write_bytes(content)
            os.replace(stage / path.name, path)
    finally:
        stages.close()
    return paths


def table(plan: Plan, results: Sequence[Result]) -> str:
    """The summary as text: a line a job, and the counts."""
    items = ordered(plan, results)
    width = min(60, max((len(shown(r.job.name)) for r in items), default=0))
    lines = [f"{shown(r.job.name):<{width}}  {r.state.value:<8}{shown(r.reason)}".rstrip() for r in items]
    counts = Counter(result.state for result in items)
    known = sum(result.cached for result in items)
    words = ", ".join(f"{counts[state]} {state.value}" for state in State if counts[state])
    return "\n".join([*lines, f"{count(len(items), 'job')}: {words}" + (f"; {known} were known" if known else "")])


def page(summary: dict[str, Any]) -> str:
    """The summary as one page of HTML that needs nothing else."""
    counts = summary["counts"]
    heading = (
        f"{count(counts['jobs'], 'job')}: {counts['done']} done, {counts['failed']} failed, {counts['not run']} not run"
    )
    rows = "\n".join(_row(item) for item in summary["jobs"])
    return _PAGE.format(heading=escape(heading), rows=rows)


def _row(item: dict[str, Any]) -> str:
    folder = item["folder"]
    names = sorted(item["outputs"], key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    own = [] if item["state"] == State.NOT_RUN.value else [LOG, MANIFEST, TIMES]
    links = [_link(folder, name) for name in (*names[:6], *own)]
    if len(names) > 6:
        links.insert(6, f"{len(names) - 6} more")
    found = item["findings"]
    words = ", ".join(count(found[s], s, "info" if s == "info" else None) for s in found if found[s])
    cells = (escape(shown(item["name"])), escape(item["do"]), escape(shown(item["source"])))
    state = f'<td class="{item["state"].replace(" ", "-")}">{escape(item["state"])}</td>'
    text = "".join(f"<td>{cell}</td>" for cell in cells)
    return f"<tr>{text}{state}<td>{escape(shown(item['reason']))}</td><td>{words}</td><td>{' '.join(links)}</td></tr>"


def _link(folder: str, name: str) -> str:
    address = quote(f"{folder}/{name}", errors="surrogateescape")
    return f'<a href="{escape("./" + address)}">{escape(shown(name))}</a>'


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>cadbridge: jobs</title>
<style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 2em; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; vertical-align: top; padding: .3em .8em .3em 0; border-bottom: 1px solid #ddd; }}
.done {{ color: #176f2c; }} .failed {{ color: #b3261e; font-weight: 600; }} .not-run {{ color: #777; }}
</style>
<h1>{heading}</h1>
<table>
<thead><tr><th>Job<th>Does<th>Source<th>State<th>Reason<th>Findings<th>Files</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</html>
"""
