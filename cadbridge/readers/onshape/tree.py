"""Instances unfolded by the definitions of their sub-assemblies, placed by the root's occurrences."""

from __future__ import annotations

from typing import Any

import numpy as np

from cadbridge.assembly import Part
from cadbridge.budget import beyond
from cadbridge.errors import InputError
from cadbridge.frames import Matrix
from cadbridge.readers.json_file import names_of, text_of
from cadbridge.readers.onshape.context import Context
from cadbridge.readers.placement import affine, compose
from cadbridge.readers.structure import DEEPEST_ASSEMBLY, Key, Occurrence

FIXING = ("FASTENED",)
"""Mate types that leave no motion."""

Definition = dict[str, Any]


def read_tree(c: Context, root: Definition) -> None:
    """Place all instances and note every assembly at its places in `c.holders`.

    A sub-assembly is flexible where it, or one below it, has a mate that moves; else it is rigid.
    """
    tree = _Tree(c, root)
    occurrences = tree.instances(root, (), np.eye(3, 4))
    c.structure.place(occurrences)
    features = list(c.file.objects(root.get("features"), "rootAssembly.features"))
    c.holders.insert(0, ((), features))


class _Tree:
    """The definitions and the places of occurrences."""

    def __init__(self, c: Context, root: Definition) -> None:
        self._c = c
        self._definitions = {
            _identity(d): d for d in c.file.objects(c.file.content.get("subAssemblies"), "subAssemblies")
        }
        self._places: dict[Key, Definition] = {}
        for occurrence in c.file.objects(root.get("occurrences"), "rootAssembly.occurrences"):
            path = names_of(occurrence.get("path"))
            if path:
                self._places[path] = occurrence
            else:
                c.file.say("CB181", "an occurrence has no path of instance ids")
        self._moving: dict[str, bool] = {}
        self._count = 0

    def instances(self, definition: Definition, above: Key, X_WP: Matrix) -> list[Occurrence]:
        """The occurrences of an assembly's instances below a path; X_WP places that path."""
        found = []
        for instance in self._c.file.objects(definition.get("instances"), "instances"):
            name, uid = text_of(instance.get("name")), text_of(instance.get("id"))
            if instance.get("suppressed") is True:
                self._c.suppressed.append(name or uid)
                continue
            self._count += 1
            deep = f"more than {DEEPEST_ASSEMBLY} levels of assemblies" if len(above) > DEEPEST_ASSEMBLY else ""
            if text := beyond("instances", self._count, "this assembly") or deep:
                self._c.file.say("CB138", text, name or None)
                raise InputError(text, self._c.findings)
            occurrence = self._occurrence(instance, name, (*above, uid), X_WP)
            if occurrence is not None:
                found.append(occurrence)
        return found

    def _occurrence(self, instance: Definition, name: str, path: Key, X_WP: Matrix) -> Occurrence | None:
        c, place = self._c, self._places.get(path)
        what = f"{name or path[-1]}"
        is_assembly = text_of(instance.get("type")).lower() == "assembly"
        X = None
        if place is not None:
            X = _transform(c, place.get("transform"), what)
        elif is_assembly:
            # Places in the file are the root's own: without that of a sub-assembly its parts stand right all the same.
            X = X_WP
        else:
            c.file.say("CB162", f"{what} is not among the root's occurrences, so its place is not known", path[-1])
        if X is None:
            return None
        where = c.file.where(path[-1], what)
        grounded = place is not None and place.get("fixed") is True
        relative = compose(_inverse(X_WP), X)
        if not is_assembly:
            return Occurrence(what, path[-1], relative, self._part(instance, what), [], grounded, where=where)
        key = _identity(instance)
        definition = self._definitions.get(key)
        if definition is None:
            c.file.say("CB162", f"{what} is of a sub-assembly that the file does not define", path[-1])
            return None
        inner = self.instances(definition, path, X)
        features = list(c.file.objects(definition.get("features"), "features"))
        c.holders.append((path, features))
        flexible = self._moves(key)
        return Occurrence(what, path[-1], relative, None, inner, grounded, flexible, where=where)

    def _moves(self, key: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a sub-assembly, or one below it, has a mate that leaves a motion."""
        if key in seen or key not in self._definitions:
            return False
        if key not in self._moving:
            definition = self._definitions[key]
            own = any(_is_moving(f) for f in _dicts(definition.get("features")))
            self._moving[key] = own or any(
                self._moves(_identity(i), seen | {key})
                for i in _dicts(definition.get("instances"))
                if i.get("suppressed") is not True
            )
        return self._moving[key]

    def _part(self, instance: Definition, name: str) -> str:
        """The key of the part; parts are known by their part id and configuration, named by their instances."""
        key = f"{_identity(instance)}|{text_of(instance.get('partId'))}"
        if not self._c.structure.known(key):
            own = name.rpartition(" <")[0] or name
            self._c.structure.add_part(key, Part(name=own, where=self._c.file.where(text_of(instance.get("id")))))
        return key


def _dicts(value: Any) -> list[Definition]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _is_moving(feature: Definition) -> bool:
    data = feature.get("featureData")
    return (
        feature.get("featureType") == "mate"
        and feature.get("suppressed") is not True
        and isinstance(data, dict)
        and data.get("mateType") not in FIXING
    )


def _identity(definition: Definition) -> str:
    """What makes two instances be of one definition: document, element and configuration."""
    # Each configuration of a part is another shape.
    configuration = definition.get("fullConfiguration") or definition.get("configuration") or "default"
    return "|".join(text_of(v) for v in (definition.get("documentId"), definition.get("elementId"), configuration))


def _transform(c: Context, value: Any, what: str) -> Matrix | None:
    """The map (3, 4) to the world of 16 numbers, row by row, in m."""
    sixteen = c.file.vector(value, 16, f"the transform of {what}", what)
    if sixteen is None:
        return None
    matrix = sixteen.reshape(4, 4)
    # Onshape writes placements with all digits: whoever is off by more wrote no rigid motion, and one without volume
    # none at all.
    if float(np.abs(matrix[3] - [0.0, 0.0, 0.0, 1.0]).max()) > 1e-9 or abs(np.linalg.det(matrix[:3, :3])) < 1e-9:
        c.file.say("CB181", f"the transform of {what} is not a placement", what)
        return None
    return np.asarray(matrix[:3])


def _inverse(X: Matrix) -> Matrix:
    """The inverse of an affine map (3, 4)."""
    back: Matrix = np.linalg.inv(X[:, :3]).astype(np.float64)
    return affine(back, -back @ X[:, 3])
