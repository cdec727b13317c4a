"""Shapes through OCCT, which runs in a process of its own: its crash is a finding, not ours.

    face_features(shapes)         outlines, sides and extents of faces, for recognition
    load_breps(blobs, source)     shapes in OCCT's own text form
    load_shapes(paths)            whole STEP files as shapes
    read_document(path)           a STEP file as product graph with its distinct shapes
    select_faces(shape, selector) faces by a cadquery selector

Lengths in metres. Nothing of OCCT is imported here.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.geometry import Shape
from cadbridge.shapes import limits
from cadbridge.shapes.archive import Archive
from cadbridge.shapes.convert import to_shape
from cadbridge.shapes.external import begins_as_step
from cadbridge.shapes.kept import ask_once, content_of
from cadbridge.shapes.part21 import Prepared, Sources
from cadbridge.shapes.process import WORKER, WorkerDiedError, WorkerLateError, WorkerRefusedError
from cadbridge.shapes.protocol import Document, FeatureTable
from cadbridge.shapes.text21 import Text
from cadbridge.shapes.workspace import WORKSPACE
from cadbridge.units import GIGABYTE
from cadbridge.wording import count

__all__ = ["Brep", "face_features", "load_breps", "load_shapes", "read_document", "select_faces"]

MIRROR_SUFFIX = "|mirror"
"""Ends the label in `Shape.source` of a mirrored shape (mirrored at its plane x = 0)."""

_NEARLY = 0.5
"""This part of the memory that OCCT may take, and it may have died for want of more: it asks for large pieces."""

_MOST_DEATHS = 16
"""Ends of the kernel over the shapes of a file, each of which reads that anew. A choice: of a thousand shapes one is
found by ten."""

_SHOWN = 5
"""So many products are named in a message."""
_GEOMETRY = ("ADVANCED_FACE", "FACE_SURFACE", "EDGE_CURVE", "CARTESIAN_POINT", "COORDINATES_LIST")

_SOURCES = Sources(WORKSPACE)


class KernelDiedError(InputError):
    """The geometry kernel ended while it looked at something in a file."""


def read_document(
    path: Path, findings: Findings, *, length_unit: float | None = None, geometry: bool = True
) -> tuple[Document, Prepared]:
    """A STEP file as product graph, each distinct shape meshed and weighed once.

    `length_unit` (m) replaces the unit that the file claims, where a person says that it is wrong.
    Faults of the file go to `findings`; InputError only where nothing can be read.
    """
    prepared = _SOURCES.prepare(path, findings)
    arguments = {"length_unit": length_unit, "geometry": geometry}
    document: Document = _ask("read", arguments, path, prepared, findings)
    return document, prepared


def load_shapes(
    paths: Iterable[Path], *, findings: Findings | None = None, length_unit: float | None = None
) -> dict[Path, Shape]:
    """Whole STEP files, each as one shape in the file's own frame, SI.

    With `findings`, a file that cannot be read is a finding and missing from the result; without,
    InputError is raised with the findings of all files.
    """
    collected = Findings() if findings is None else findings
    shapes: dict[Path, Shape] = {}
    failed: list[Path] = []
    for path in dict.fromkeys(paths):
        try:
            prepared = _SOURCES.prepare(path, collected)
            data = _ask("whole", {"length_unit": length_unit}, path, prepared, collected)
            if data is None:
                collected.add("CB125", f"{path.name} holds no shape", Where(file=str(path)))
                failed.append(path)
            else:
                shapes[path] = to_shape(data, path)
        except InputError:
            failed.append(path)
    if failed and findings is None:
        names = ", ".join(p.name for p in failed)
        raise InputError(f"cannot read {names}", collected)
    return shapes


@dataclass(frozen=True, eq=False)
class Brep:
    """A shape with its edges as FreeCAD numbers them: (line, circle or curve; the radius of a circle in m)."""

    shape: Shape
    edges: tuple[tuple[str, float], ...]


def load_breps(blobs: dict[str, bytes], source: Path, findings: Findings, *, scale: float = 1.0) -> dict[str, Brep]:
    """Shapes in OCCT's text form (.brp), by name, each in its own frame (its stored placement taken off), SI.

    The texts are of a file `source`. One that cannot be read is reported (CB125) and missing from the result; where
    OCCT dies of one, each is tried alone. `scale` is the factor on the millimetres of the text.
    """
    if not blobs:
        return {}
    found = {}
    for name, answer in zip(blobs, _ask_breps(list(blobs.values()), "breps", {"scale": scale}), strict=True):
        if isinstance(answer, str):
            findings.add("CB125", f"{source.name}: no shape of {name}: {answer}", Where(str(source), item=name))
        else:
            found[name] = Brep(replace(to_shape(answer.shape, source), source=None), tuple(answer.edges))
    return found


def _ask_breps(blobs: list[bytes], verb: str, question: dict[str, Any]) -> list[Any]:
    """The answers to texts, in their order; where OCCT dies of one, each is tried alone."""
    content = hashlib.sha256(b"".join(hashlib.sha256(blob).digest() for blob in blobs)).hexdigest()
    return list(ask_once(content, verb, question, lambda: _ask_files(blobs, verb, question)))


def _ask_files(blobs: list[bytes], verb: str, question: dict[str, Any]) -> list[Any]:
    folder = WORKSPACE.new()
    try:
        paths = [folder / f"{i}.brp" for i in range(len(blobs))]
        for path, blob in zip(paths, blobs, strict=True):
            path.write_bytes(blob)
        try:
            return _of_files(paths, verb, question)
        except (WorkerDiedError, WorkerRefusedError):
            # Together first: a request costs far more than a small shape. Alone, the one that kills OCCT takes only
            # itself along.
            return [_alone(path, verb, question) for path in paths]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _of_files(paths: list[Path], verb: str, question: dict[str, Any]) -> list[Any]:
    limit = limits.seconds(sum(path.stat().st_size for path in paths))
    answer: list[Any] = WORKER.request(verb, {"paths": [str(p) for p in paths], **question}, limit)
    if len(answer) != len(paths):
        WORKER.close()  # no process of ours: a file has taken it over
        raise WorkerDiedError(f"it gave {count(len(answer), 'answer')} for {count(len(paths), 'shape')}")
    return answer


def _alone(path: Path, verb: str, question: dict[str, Any]) -> Any:
    try:
        return _of_files([path], verb, question)[0]
    except WorkerDiedError as died:
        return f"the geometry kernel failed on it: {_why(died)}"
    except WorkerRefusedError as refused:
        return refused.message


def select_faces(shape: Shape, selector: str) -> tuple[int, ...]:
    """Indices into `shape.faces` of the faces that a cadquery selector picks (">Z", "|X", "%CYLINDER").

    Empty where it picks none. Raises ValueError, with the reason, for a selector that cannot be
    read and for a shape that is of no STEP file.
    """
    if shape.source is None or not shape.faces or _in_archive(shape.source[0]):
        raise ValueError("a selector needs a shape from a STEP file; this one has no faces")
    file, label = shape.source
    path, findings = Path(file), Findings()
    prepared = _SOURCES.prepare(path, findings)
    mirrored = label.endswith(MIRROR_SUFFIX)
    arguments = {
        **_file(prepared),
        "label": label.removesuffix(MIRROR_SUFFIX),
        "mirrored": mirrored,
        "selector": selector,
    }
    try:
        picked = WORKER.request("select", arguments, limits.seconds(prepared.text_bytes))
    except WorkerRefusedError as refused:
        if refused.kind == "nothing":
            return ()
        if refused.kind == "selector":
            raise ValueError(f"the selector {selector!r} cannot be read: {refused.message}") from None
        raise InputError(f"{path.name}: {refused.message}") from None
    except WorkerDiedError as died:
        raise InputError(f"OCCT failed on {path.name}: {_why(died)}", findings) from None
    if not all(0 <= i < len(shape.faces) for i in picked):
        raise InputError(f"OCCT failed on {path.name}: it picks faces that {label or 'the shape'} does not have")
    return tuple(picked)


def face_features(shapes: Iterable[Shape]) -> dict[str, FeatureTable | str]:
    """The features of the faces of shapes of STEP and FreeCAD, by `Shape.key`, scaled to m as their faces are.

    A text says why in place of one that fails, or of which OCCT dies; a shape without faces or without a file is
    missing. Raises InputError where OCCT dies of many, or takes too long.
    """
    by_file: dict[str, list[Shape]] = {}
    for shape in {s.key: s for s in shapes if s.source is not None and s.faces}.values():
        assert shape.source is not None
        by_file.setdefault(shape.source[0], []).append(shape)
    found: dict[str, FeatureTable | str] = {}
    for file, members in by_file.items():
        labels = [s.source[1] for s in members if s.source]
        answers = _features_in_archive(file, labels) if _in_archive(file) else _features_in_step(Path(file), labels)
        for shape, answer in zip(members, answers, strict=True):
            found[shape.key] = answer if isinstance(answer, str) else _scaled(answer, shape)
    return found


def _features_in_step(path: Path, labels: list[str]) -> list[FeatureTable | str]:
    findings = Findings()
    prepared = _SOURCES.prepare(path, findings)
    products = [(x.removesuffix(MIRROR_SUFFIX), x.endswith(MIRROR_SUFFIX)) for x in labels]

    def ask(some: list[tuple[str, bool]]) -> list[FeatureTable | str]:
        answers: list[FeatureTable | str] = _ask("features", {"labels": some}, path, prepared, findings)
        return answers

    answers = _by_halves(ask, products)
    if len(answers) != len(labels):
        given = f"{count(len(answers), 'answer')} for {count(len(labels), 'shape')}"
        return [f"the geometry kernel gave {given}"] * len(labels)
    return answers


def _by_halves(
    ask: Callable[[list[tuple[str, bool]]], list[FeatureTable | str]], products: list[tuple[str, bool]]
) -> list[FeatureTable | str]:
    """The answers about products, one for each; that on which the kernel dies is found by halves, and says so."""
    found: list[FeatureTable | str] = []
    waiting, deaths = [products], 0
    while waiting:
        some = waiting.pop()
        try:
            found += ask(some)
        except KernelDiedError as died:
            deaths += 1
            if deaths > _MOST_DEATHS:
                raise
            half = len(some) // 2
            if half:
                waiting += [some[half:], some[:half]]
            else:
                found.append(str(died))
    return found


def _in_archive(file: str) -> bool:
    """Whether the shapes of a file are B-Reps in FreeCAD's archive, labelled by its members: a STEP file may end so."""
    path = Path(file)
    return path.suffix.lower() == ".fcstd" and not (path.is_file() and begins_as_step(path))


def _features_in_archive(file: str, members: list[str]) -> list[FeatureTable | str]:
    """Of members that the reader has unpacked before; the file may be another by now."""
    findings = Findings()
    try:
        archive = Archive(Path(file), findings)
    except InputError as fault:
        return [str(fault)] * len(members)
    try:
        blobs = [archive.read(member) for member in members]
    finally:
        archive.close()
    if not all(blobs):
        why = next((f.message for f in findings), "a shape is empty")
        return [f"{Path(file).name} cannot be unpacked again: {why}"] * len(members)
    return _ask_breps([blob for blob in blobs if blob], "brep_features", {})


def _scaled(table: FeatureTable, shape: Shape) -> FeatureTable | str:
    """The features in m: a shape's own areas say how long a millimetre of its file is, and of a scaled instance."""
    theirs, ours = float(table.areas.sum()), sum(face.area for face in shape.faces)
    if len(shape.faces) != len(table.areas) or not theirs > 0.0:
        return f"OCCT gives {count(len(table.areas), 'face')} where the reader found {len(shape.faces)}"
    scale = (ours / theirs) ** 0.5
    return replace(
        table,
        inner=table.inner * scale,
        tori=table.tori * scale,
        areas=table.areas * scale**2,
        points=table.points * scale,
    )


def _ask(verb: str, question: dict[str, Any], path: Path, prepared: Prepared, findings: Findings) -> Any:
    """A request to the worker about a file, whose failures become findings and InputError."""
    where = Where(file=str(path))
    arguments, limit = {**_file(prepared), **question}, limits.seconds(prepared.text_bytes)
    try:
        return ask_once(
            content_of(prepared.path, *prepared.externals),
            verb,
            question,
            lambda: WORKER.request(verb, arguments, limit),
        )
    except WorkerDiedError as died:
        tail = f" Its last words: {died.log.splitlines()[-1]}" if died.log else ""
        text = f"the geometry kernel failed on {path.name}: {_why(died, arguments['memory'])}.{tail}"
        findings.add("CB124", text, where)
        raise (InputError if isinstance(died, WorkerLateError) else KernelDiedError)(text, findings) from None
    except WorkerRefusedError as refused:
        code = {"unreadable": "CB125", "memory": "CB126", "machine": "CB126"}.get(refused.kind, "CB124")
        more = _without_shape(prepared) if code == "CB125" else ""
        more = f"; {limits.larger('memory')}" if refused.kind == "memory" else more
        text = f"{path.name}: {refused.message}{more}"
        # That nothing can be read of a file that breaks off is no second fault, and its cure would be no cure.
        cut = next((f for f in findings if f.code == "CB123"), None) if code == "CB125" else None
        if cut is None:
            findings.add(code, text, where)
        raise InputError(text if cut is None else cut.message, findings) from None


def _without_shape(prepared: Prepared) -> str:
    """What a file without shapes does hold: a part that was empty when it was saved still has its product."""
    text = Text(prepared.path.read_bytes())
    products = [next(iter(e.parts.values())) for e in text.of("PRODUCT")]
    names = [str(arguments[1] or arguments[0]) for arguments in products if len(arguments) > 1]
    if not names or text.numbers_of(*_GEOMETRY):
        return ""
    some = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    return f"; it names {some} but has no face, edge or point: the parts were empty or hidden during the export"


def _file(prepared: Prepared) -> dict[str, Any]:
    """What the worker is told of the file of a request."""
    return {"path": str(prepared.path), "memory": limits.memory(prepared.text_bytes)}


def _why(died: WorkerDiedError, memory: int | None = None) -> str:
    """How the worker ended, and what allows more where a limit ended it; `memory` bytes are what it could take.

    OCCT does not look everywhere whether it was given the memory that it asked for.
    """
    if isinstance(died, WorkerLateError):
        return f"{died.reason}; {limits.larger('time')}"
    if memory is not None and died.data > _NEARLY * memory:
        had = f"when it had {died.data / GIGABYTE:.1f} of the {memory / GIGABYTE:.1f} GB of memory that it may take"
        return f"{died.reason}, {had}; {limits.larger('memory')}"
    return died.reason
