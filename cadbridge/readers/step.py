"""STEP assemblies (AP203, AP214, AP242; .step, .stp, .stpZ; with external references)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import Assembly, Component, Instance, Part
from cadbridge.budget import beyond
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Matrix
from cadbridge.geometry import Shape
from cadbridge.readers.kinematics import with_kinematics
from cadbridge.readers.names import unused
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.placement import EXACT_ROTATION, Rigid, compose, proper
from cadbridge.readers.product_names import clean
from cadbridge.shapes import MIRROR_SUFFIX, read_document
from cadbridge.shapes.convert import mirrored, scaled, to_shape
from cadbridge.shapes.part21 import Prepared
from cadbridge.shapes.protocol import Document, Occurrence, Product, ShapeData
from cadbridge.units import DENSITY, LENGTH, TO_MM
from cadbridge.wording import count

VALIDATION_TOLERANCE = 5e-3
"""Of volume, area and size: how far a part is off the file's validation properties before it is reported (CB134).

A choice: writers compute them on other surfaces, or with few digits; a lost face or solid is mostly more.
"""


Colour = tuple[float, float, float, float]


@dataclass
class OccurrenceNode:
    """An occurrence unfolded: where it is and what is below it. `matrix` (3, 4) takes it to the world."""

    path: str
    product: Product
    matrix: Matrix
    colour: Colour | None
    products: tuple[str, ...]
    children: list[OccurrenceNode] = field(default_factory=list)

    @cached_property
    def rigid(self) -> Rigid:
        """Its placement as rigid motion, mirrored, scale, shear."""
        return proper(self.matrix)


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """A STEP file as assembly: every first-level occurrence is a rigid component with all in it.

    `Assembly.extra["tree"]` lists every occurrence: path, product, X_WI, children (paths), leaf.
    InputError where nothing can be read; all else is in the findings.
    """
    options = options or ReadOptions()
    path, findings = Path(path), Findings()
    unit = _unit(options, findings)
    document, prepared = read_document(path, findings, length_unit=unit, geometry=options.geometry)
    if not document.roots:
        findings.add("CB125", f"{path.name} holds no product", Where(file=str(path)))
        raise InputError(f"{path.name} holds no product", findings)
    _restore(document, prepared, path, findings)
    name, tops = _unfold(document, path, findings)
    parts = _Parts(document, path, options.geometry, findings)
    instances: list[Instance] = []
    components = [_component(top, parts, instances) for top in tops]
    _report_shapes(document, parts, path, findings)
    assembly = Assembly(
        name=name,
        source=str(path),
        format="step",
        parts=tuple(parts.parts.values()),
        instances=tuple(instances),
        components=tuple(components),
        units=_ledger(document, options),
        extra={
            "tree": tuple(entry for top in tops for entry in _tree(top)),
            "external_files": tuple(str(p) for p in prepared.externals),
            "layers": {p.name: p.layers for p in document.products.values() if p.layers},
        },
        findings=findings.as_tuple(),
    )
    # Last, since a link of the kinematics may be an occurrence of any level, whose paths are known only here.
    return with_kinematics(assembly, prepared.path.read_bytes(), path)


def _restore(document: Document, prepared: Prepared, path: Path, findings: Findings) -> None:
    """Put back what OCCT loses: the units of densities, mirroring and scaling of placements."""
    for product in document.products.values():
        density = prepared.densities.get(product.name)
        if density is not None:
            product.density = density.value
            product.density_unit = "" if density.factor is None else "kg/m3"
            product.density *= density.factor or 1.0
    for operator in prepared.operators:
        candidates = [
            child
            for product in document.products.values()
            if product.name == operator.parent
            for child in product.children
            if child.name == operator.name and document.products[child.product].name == operator.child
        ]
        # OCCT gives occurrences no numbers of the file: they are found again by the names of parent, child and their
        # own.
        if len(candidates) != 1:
            where = Where(file=str(path), item=operator.name or operator.child)
            text = f"{operator.child} in {operator.parent} is mirrored or scaled, but which one is not clear"
            findings.add("CB133", text, where)
            continue
        # OCCT keeps the first and third axis and makes the second right-handed.
        signs = np.array([1.0, -1.0 if operator.mirrors else 1.0, 1.0])
        candidates[0].matrix[:, :3] *= signs * operator.scale


def _unit(options: ReadOptions, findings: Findings) -> float | None:
    if options.length_unit is None:
        return None
    return LENGTH[options.length_unit]


def _ledger(document: Document, options: ReadOptions) -> tuple[str, ...]:
    lines = [f"length: {unit.lower()} → m" for unit in document.units] or ["length: mm (assumed) → m"]
    if options.length_unit is not None:
        lines.append(f"length: taken as {options.length_unit} on request")
    return (*lines, "angle: rad")


# --- the product structure unfolded ---


def _unfold(document: Document, path: Path, findings: Findings) -> tuple[str, list[OccurrenceNode]]:
    """The assembly's name and its first-level occurrences with all below them."""
    unfolder = _Unfolder(document, path, findings)
    name, roots, start = path.stem, document.roots, np.eye(3, 4)
    colour: Colour | None = None
    above: tuple[str, ...] = ()
    if len(roots) == 1:
        product = document.products[roots[0].product]
        name = clean(product.name) or path.stem
        # One root with children is the assembly itself: its children are the components, and its name the model's.
        if product.children:
            start, colour, above, roots = roots[0].matrix, product.colour, (name,), product.children
    tops = unfolder.occurrences(roots, start, "", colour, above)
    unfolder.report_replaced()
    return name, tops


class _Unfolder:
    """Turns the product graph into a tree, naming every occurrence."""

    def __init__(self, document: Document, path: Path, findings: Findings) -> None:
        self._document = document
        self._path = path
        self._findings = findings
        self._count = 0
        self._replaced: list[str] = []

    def occurrences(
        self, occurrences: list[Occurrence], matrix: Matrix, prefix: str, colour: Colour | None, above: tuple[str, ...]
    ) -> list[OccurrenceNode]:
        """The nodes of siblings and of all below them, placed in the world by way of `matrix`."""
        nodes = []
        for occurrence, name in zip(occurrences, self._names(occurrences, prefix), strict=True):
            self._count += 1
            if why := beyond("instances", self._count, self._path.name):
                self._findings.add("CB138", why, Where(file=str(self._path)))
                raise InputError(why, self._findings)
            product = self._document.products[occurrence.product]
            placed = compose(matrix, occurrence.matrix)
            # A colour given to an occurrence or an assembly overrides those of the parts in it.
            shade = occurrence.colour or colour
            products = (*above, clean(product.name) or product.label)
            node = OccurrenceNode(prefix + name, product, placed, shade, products)
            node.children = self.occurrences(
                product.children, placed, node.path + "/", shade or product.colour, products
            )
            nodes.append(node)
        return nodes

    def _names(self, occurrences: list[Occurrence], prefix: str) -> list[str]:
        """A unique name for each sibling: its own; else its product's, with a count where that is not unique."""
        own = [clean(o.name) for o in occurrences]
        products = [clean(self._document.products[o.product].name) or "Unnamed" for o in occurrences]
        taken = {name for name in own if _is_name(name)}
        used: set[str] = set()
        counts: dict[str, int] = {}
        names = []
        for name, product in zip(own, products, strict=True):
            counts[product] = counts.get(product, 0) + 1
            if _is_name(name) and name not in used:
                final = name
            elif _is_name(name):
                final = _free(f"{name}:2", taken | used)
                text = f"two occurrences are named {prefix}{name}; one is called {prefix}{final}"
                self._findings.add("CB107", text, Where(file=str(self._path), item=final))
            elif products.count(product) == 1 and product not in taken | used:
                final = product
            else:
                final = _free(f"{product}:{counts[product]}", taken | used)
                self._replaced.append(f"{prefix}{final}")
            used.add(final)
            names.append(final)
        return names

    def report_replaced(self) -> None:
        """One finding for all occurrences that got a name with a count."""
        if self._replaced:
            some = ", ".join(self._replaced[:5]) + (" …" if len(self._replaced) > 5 else "")
            text = count(len(self._replaced), "occurrence without a name is", "occurrences without a name are")
            text += f" called by product and count: {some}"
            self._findings.add("CB137", text, Where(file=str(self._path)))


_IDENTIFIER = re.compile(r"NAUO\d+$|[\d.\-]+$")
"""What OCCT shows where an occurrence has no name: its identifier, as SolidWorks or FreeCAD number them."""


def _is_name(name: str) -> bool:
    """Whether a name is informative: not empty, and not a mere number or identifier."""
    return bool(name) and not _IDENTIFIER.match(name)


def _free(name: str, taken: set[str]) -> str:
    """The name, or the next with a higher count at its end, that nobody has."""
    base, _, count = name.rpartition(":")
    number = int(count)
    while f"{base}:{number}" in taken:
        number += 1
    return f"{base}:{number}"


def _tree(node: OccurrenceNode) -> list[dict[str, Any]]:
    """The description of an occurrence and of all below it, parents first."""
    entry = {
        "path": node.path,
        "product": node.products[-1],
        "X_WI": node.rigid[0],
        "children": tuple(child.path for child in node.children),
        "leaf": not node.children,
    }
    return [entry, *(below for child in node.children for below in _tree(child))]


def _component(top: OccurrenceNode, parts: _Parts, instances: list[Instance]) -> Component:
    """A first-level occurrence as component; its leaves are added to `instances`."""
    leaves: list[OccurrenceNode] = []
    waiting = [top]
    while waiting:
        node = waiting.pop()
        leaves.extend([] if node.children else [node])
        waiting.extend(reversed(node.children))
    mine = [_instance(leaf, top.path, parts) for leaf in leaves]
    instances.extend(mine)
    # A component of one part has that part's frame, in which people give points, however many levels lie between.
    pose = mine[0].X_WI if len(mine) == 1 else top.rigid[0]
    where = Where(file=str(parts.path), item=top.path)
    return Component(top.path, tuple(i.name for i in mine), pose, where=where)


def _instance(leaf: OccurrenceNode, component: str, parts: _Parts) -> Instance:
    pose, flip, scale, shear = leaf.rigid
    where = Where(file=str(parts.path), item=leaf.path)
    if shear > EXACT_ROTATION:
        text = f"the placement of {leaf.path} is sheared by up to {shear:.2g}"
        parts.findings.add("CB133", text, where)
    if flip:
        parts.findings.add("CB131", f"{leaf.path} is a mirrored {leaf.products[-1]}", where)
    if abs(scale - 1.0) > EXACT_ROTATION:
        parts.findings.add("CB132", f"{leaf.path} is scaled by {scale:.6g}", where)
    else:
        scale = 1.0
    part = parts.part(leaf.product, flip, scale)
    return Instance(leaf.path, part.name, pose, component, leaf.colour, leaf.products)


# --- parts ---


class _Parts:
    """The distinct parts, made as instances ask for them."""

    def __init__(self, document: Document, path: Path, geometry: bool, findings: Findings) -> None:
        self.parts: dict[str, Part] = {}
        self.path = path
        self.findings = findings
        self._document = document
        self._geometry = geometry
        self._shapes: dict[str, Shape] = {}
        self._made: dict[tuple[Any, ...], str] = {}
        self._by_product: dict[tuple[str, bool, float], str] = {}

    def part(self, product: Product, flip: bool, scale: float) -> Part:
        """The part of a product; copies of one shape under one name are one part."""
        requested = (product.label, flip, round(scale, 9))
        if requested not in self._by_product:
            self._by_product[requested] = self._part_name(product, flip, scale)
        return self.parts[self._by_product[requested]]

    def _part_name(self, product: Product, flip: bool, scale: float) -> str:
        # A copy is known by its geometry; a product without any is known by itself only.
        base = clean(product.name) or "Unnamed"
        same = (base, product.shape or product.label, product.material, product.density, product.colour)
        key = (*same, flip, round(scale, 9))
        if key not in self._made:
            original = None
            if flip or scale != 1.0:
                original = self.part(product, False, 1.0).name
            self._made[key] = self._make(product, base, flip, scale, original)
        return self._made[key]

    def _make(self, product: Product, base: str, flip: bool, scale: float, original: str | None) -> str:
        name = original or base
        if flip:
            name += " (mirrored)"
        if scale != 1.0:
            name += f" (scaled {scale:.6g})"
        name = unused(name, self.parts, "{}:{}")
        shape = self._shape(product)
        if shape is not None and flip:
            shape = mirrored(shape, MIRROR_SUFFIX)
        if shape is not None and scale != 1.0:
            shape = scaled(shape, scale)
        where = Where(file=str(self.path), item=name)
        # Said of the original already.
        density, source = _density(product, name, where, self.findings if original is None else Findings())
        self.parts[name] = Part(
            name=name,
            shape=shape,
            material=product.material,
            density=density,
            density_source=source,
            colour=product.colour,
            mirrored_from=original if flip else None,
            where=where,
        )
        if shape is None and self._geometry and original is None:
            self.findings.add("CB127", f"the product {name!r} has no shape", where)
        return name

    def _shape(self, product: Product) -> Shape | None:
        if product.shape is None:
            return None
        if product.shape not in self._shapes:
            self._shapes[product.shape] = to_shape(self._document.shapes[product.shape], self.path)
        shape = self._shapes[product.shape]
        numbers = {k: v for k, v in product.validation.items() if isinstance(v, float)}
        return replace(shape, validation=numbers) if numbers else shape


_DENSEST, _LIGHTEST = 23000.0, 1.0
"""kg/m³ outside of which a density is misread: osmium has 22,600, aerogels begin at 1."""


def _density(product: Product, name: str, where: Where, findings: Findings) -> tuple[float | None, str | None]:
    """The density in kg/m³ and where it is from; a missing unit is found by the size of the number."""
    value = product.density
    if value is None:
        return None, None
    words = product.density_unit.lower().split()
    factor = next((DENSITY[w] for w in words if w in DENSITY), None)
    if factor is None:
        # No material of parts has less than 0.1 g/cm³ or 100 kg/m³, so that a number fits one of the two units only.
        for guess, unit, least in ((1e3, "g/cm³", 0.1), (1.0, "kg/m³", 100.0)):
            if least <= value and value * guess <= _DENSEST:
                text = f"{name}: the density {value:g} has no unit; taken as {value:g} {unit}"
                findings.add("CB135", text, where)
                return value * guess, f"file ({unit} assumed)"
        findings.add(
            "CB136", f"{name}: {value:g} is not a density of a material in g/cm³ or kg/m³; it is ignored", where
        )
        return None, None
    if not _LIGHTEST <= value * factor <= _DENSEST:
        findings.add("CB136", f"{name}: no material has the density {value * factor:g} kg/m³; it is ignored", where)
        return None, None
    return value * factor, "file"


# --- what is reported of the shapes ---


def _report_shapes(document: Document, parts: _Parts, path: Path, findings: Findings) -> None:
    """Solids, sheets and validation properties of every part."""
    seen: set[tuple[str, str]] = set()
    for product in document.products.values():
        data = None if product.shape is None else document.shapes[product.shape]
        name = clean(product.name) or "Unnamed"
        if data is None or (name, data.key) in seen:
            continue
        seen.add((name, data.key))
        where = Where(file=str(path), item=name)
        if data.solids == 0:
            findings.add("CB128", f"{name} has no solid ({count(len(data.faces.kinds), 'loose face')})", where)
        elif data.sheets:
            message = f"{name} has {count(data.sheets, 'loose sheet')} beside {count(data.solids, 'solid')}"
            findings.add("CB129", message, where)
        if data.solids > 1:
            findings.add("CB130", f"{name} consists of {data.solids} solids", where)
        if data.inverted:
            findings.add("CB139", f"{name} is inside out", where)
        _compare(product, data, name, where, findings)


def _compare(product: Product, data: ShapeData, name: str, where: Where, findings: Findings) -> None:
    """Our volume, area and centroid against those that the file claims."""
    ours = {"area": data.area}
    if data.brep is not None:
        ours["volume"] = data.brep[0]
    for quantity, value in ours.items():
        claimed = product.validation.get(quantity)
        if claimed and abs(value - claimed) > VALIDATION_TOLERANCE * abs(claimed):
            unit = "m³" if quantity == "volume" else "m²"
            findings.add(
                "CB134",
                f"{name}: {quantity} is {value:.6g} {unit}, the file claims {claimed:.6g} {unit} "
                f"({100 * (value / claimed - 1):+.2f} %)",
                where,
            )
    centroid = product.validation.get("centroid")
    if centroid is not None and data.brep is not None:
        away = float(np.linalg.norm(np.asarray(centroid) - data.brep[1]))
        size = data.brep[0] ** (1.0 / 3.0)
        if away > VALIDATION_TOLERANCE * size:
            text = f"{name}: the centroid is {away * TO_MM:.4g} mm from where the file claims it"
            findings.add("CB134", text, where)
