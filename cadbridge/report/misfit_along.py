"""What the terminal and JSON say of redundant mates along a motion."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Finding, Findings, Where
from cadbridge.plotting import PlottedCurve, write_figure
from cadbridge.report.terminal import PIPED, plain_table, wrapped
from cadbridge.report.views.misfit import plain_force
from cadbridge.report.views.numbers import figure
from cadbridge.sweeps.fits import Along
from cadbridge.units import TO_MILLI, TO_MM
from cadbridge.wording import count, listed


def along_document(along: Along) -> dict[str, Any]:
    """The key `along` of `cadbridge.fit/1`: values in degrees or mm, play in mm."""
    return {
        "joint": along.joint.name,
        "unit": _unit(along),
        "first": along.first,
        "stopped": along.stopped,
        "singular": None if along.singular is None else [
            {"value": _shown(along, s.value), "more": s.more, "mates": list(s.mates)} for s in along.singular
        ],
        "poses": [
            {"value": _shown(along, value), "redundant": f.redundant, "play_mm": f.play * TO_MM, "mates": list(f.mates),
             "force": f.force, "moment": f.moment}
            for value, f in zip(along.values.tolist(), along.fits, strict=True)
        ],
    }  # fmt: skip


def along_answer(along: Along) -> str:
    """At which value of the joint the mechanism binds first, singular poses, and what kept the joint from going on."""
    first = along.fits[along.first]
    at = _at(along, float(along.values[along.first]))
    ends = f"from {_at(along, float(along.values[0]))} to {_at(along, float(along.values[-1]))}"
    need = f"{figure(first.play * TO_MM, 3)} mm of play ({listed(first.mates, 4)})"
    if not first.play:
        answer = f"Along {along.joint.name}, {ends}, nothing binds at any of {count(len(along.fits), 'pose')}."
    elif along.alike:
        answer = f"Along {along.joint.name}, all {count(len(along.fits), 'pose')} need about the same: {need}."
    else:
        least = min(f.play for f in along.fits)
        easiest = f"the easiest pose needs {figure(least * TO_MM, 3)} mm"
        answer = f"Along {along.joint.name}, the mechanism binds first at {at}: it needs {need}; {easiest}."
    answer += "".join(f" {text}" for text in singular_texts(along))
    if along.singular is None:
        answer += " Its joints have too many equations to look for singular poses between these."
    elif not along.singular:
        answer += " No pose between them is singular."
    if along.stopped:
        answer += f" The motion stops before the ends of the range: {along.stopped}."
    return answer


def singular_texts(along: Along) -> list[str]:
    """A sentence for each pose at which more equations are redundant than elsewhere."""
    return [
        f"At {_at(along, pose.value)}, {count(pose.more, 'equation becomes', 'equations become')} redundant that "
        f"{'is' if pose.more == 1 else 'are'} not so elsewhere ({listed(pose.mates, 4)}): there errors of the parts "
        "bind, and near it they are magnified."
        for pose in along.singular or ()
    ]


def along_findings(along: Along) -> tuple[Finding, ...]:
    """Each singular pose as a finding (CB444)."""
    findings = Findings()
    for pose, text in zip(along.singular or (), singular_texts(along), strict=True):
        findings.add("CB444", f"{along.joint.name}: {text}", Where(item=along.joint.name), items=pose.mates)
    return findings.as_tuple()


def along_text(along: Along, columns: int = PIPED) -> str:
    """Where it binds first, then a line for each pose."""
    rows = [
        [figure(_shown(along, value), 3), figure(f.play * TO_MILLI, 3), plain_force(f.force), plain_force(f.moment),
         str(f.redundant)]
        for value, f in zip(along.values.tolist(), along.fits, strict=True)
    ]  # fmt: skip
    head = (f"{along.joint.name} ({_unit(along)})", "worst play mm", "force N", "moment N m", "redundant")
    table = plain_table(head, rows, columns, (True,) * 5).rstrip("\n")
    return "\n".join([*wrapped([along_answer(along)], columns), "", table])


def plot_lines(along: Along) -> tuple[NDArray[np.float64], str, list[tuple[str, str, NDArray[np.float64]]]]:
    """The joint's values (k,) with their unit, and what to draw over them: titles, axes and values (k,)."""
    values = np.array([_shown(along, v) for v in along.values.tolist()])
    found = along.fits
    lines = [
        ("Play needed in the worst case", "play in mm", np.array([TO_MM * f.play for f in found])),
        ("Largest force without play", "force in N", np.array([f.force for f in found])),
        ("Largest moment without play", "moment in N m", np.array([f.moment for f in found])),
    ]
    return values, _unit(along), [line for line in lines if np.any(line[2] > 0.0)]


def write_along_plots(along: Along, folder: Path) -> tuple[Path, ...]:
    """Write fit.png and fit.svg into a folder: play and forces over the joint's value. InputError if it cannot be."""
    values, unit, lines = plot_lines(along)
    curves = [PlottedCurve(title, own, axis.rpartition(" in ")[2]) for title, axis, own in lines]
    title = f"What redundant mates need and carry along {along.joint.name}"
    return write_figure(folder, "fit", title, values, curves, f"{along.joint.name} in {unit}")


def _at(along: Along, value: float) -> str:
    """A value of the joint with its unit; what is not above the rounding of a search is 0."""
    return f"{figure(_shown(along, value), 4, scale=_shown(along, float(np.ptp(along.values))))} {_unit(along)}"


def _unit(along: Along) -> str:
    return "°" if along.joint.coordinate == "angle" else "mm"


def _shown(along: Along, value: float) -> float:
    return math.degrees(value) if along.joint.coordinate == "angle" else value * TO_MILLI
