"""`cadbridge fit --apply`: a release written into the mates file, proved by reading and diagnosing the model anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cadbridge.errors import InputError, ModelError
from cadbridge.wording import listed

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.cli.options import Reading
    from cadbridge.misfit import Fit
    from cadbridge.misfit.model import Release

MARK = "cadbridge fit"


def chosen(found: Fit, labels: list[str]) -> list[Release]:
    """The releases of labels, as the table has them: GROUP.NUMBER."""
    releases = {
        f"{i}.{k}": release
        for i, group in enumerate(found.groups, 1)
        for k, release in enumerate(group.releases.found, 1)
    }
    unknown = [label for label in labels if label not in releases]
    if unknown:
        there = f"the labels are {listed(list(releases), 12)}" if releases else "there is none"
        raise InputError(f"--apply: no release has the label {', '.join(unknown)}; {there}.")
    if len({label.partition(".")[0] for label in labels}) < len(labels):
        raise InputError("--apply takes one release of each group.")
    return [releases[label] for label in labels]


def apply(reading: Reading, assembly: Assembly, found: Fit, labels: list[str]) -> Path:
    """Write releases into the mates file and return its path; ModelError where the model does not become as told."""
    from cadbridge.files import renewing
    from cadbridge.mechanism import build
    from cadbridge.misfit.groups import constraints_of
    from cadbridge.reading import read

    releases = chosen(found, labels)
    path = reading.mates or reading.source.with_name(reading.source.stem + ".mates.yaml")
    before = path.read_text("utf-8") if path.exists() else None
    text = with_releases(before, assembly, releases)
    with renewing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    new = constraints_of(build(read(reading.source, mates=path, options=reading.options)))
    gone = sum(g.redundant for g in found.groups if any(r in releases for r in g.releases.found))
    dof = 6 * new.rows.count - new.dependence.rank
    if dof != found.dof or len(new.dependence.repeated) != found.redundant - gone:
        raise ModelError(
            f"{path} was written, but read again the model has {dof} degrees of freedom and "
            f"{len(new.dependence.repeated)} redundant equations in place of {found.dof} and {found.redundant - gone}."
        )
    return path


def with_releases(before: str | None, assembly: Assembly, releases: list[Release]) -> str:
    """The text of a mates file (None: a new one) in which weaker mates stand in place of some."""
    from cadbridge.exporters.mates_file import mate_item
    from cadbridge.readers.mates_file import editing
    from cadbridge.readers.names import free_name

    text = before if before is not None else editing.EMPTY
    changes = [change for release in releases for change in release.changes]
    taken = {mate.name for mate in assembly.mates}
    names: dict[str, list[str]] = {}
    for change in changes:
        names[change.mate] = []
        for number, mate in enumerate(change.mates, 1):
            name = f"{change.mate}, weaker" + (f" {number}" if len(change.mates) > 1 else "")
            name = free_name(name, taken)
            names[change.mate].append(name)
            item = mate_item(assembly, replace(mate, name=name), editing.length_unit(text))
            text = editing.add_mate(text, item, f"{MARK}: {change.words}")
    text = editing.leave_out(text, list(names), MARK)
    return editing.rename_in_joints(text, names)
