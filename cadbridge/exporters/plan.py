"""What the formats share: the tree with its clean names, relations, meshes, drives and frames."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import GROUND, Drive, Instance
from cadbridge.exporters.meshes import MeshFile, MeshFiles, write_meshes
from cadbridge.exporters.names import UniqueNames, clean
from cadbridge.exporters.numbers import balanced, numbers, possible
from cadbridge.exporters.options import GREY, ExportOptions
from cadbridge.exporters.relations import (
    LinearRelation,
    Polynomial,
    Relation,
    eliminate,
    polynomials_of,
    ranking,
    relations,
)
from cadbridge.exporters.tree import Link, Tree
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.mechanism.masses import unknown_mass
from cadbridge.mechanism.model import Joint, Mechanism
from cadbridge.units import EARTH
from cadbridge.wording import listed


@dataclass(frozen=True, eq=False)
class LinkPlan:
    """`link_names` by link, `joint_names` by coordinate; `lost` are couplings that are no linear relation."""

    tree: Tree
    link_names: list[str]
    joint_names: list[str]
    frame_names: list[str]
    relations: tuple[Relation, ...]
    lost: tuple[str, ...]
    meshes: MeshFiles
    names: dict[str, dict[str, str]]
    polynomials: tuple[Polynomial, ...] = ()

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is exported."""
        return self.tree.mechanism

    def instances(self, link: Link) -> list[tuple[Instance, Pose]]:
        """The instances of a link and their poses X_LI in its frame; half bodies of a closure have none."""
        first = self.tree.links[self.tree.link_of(link.body)]
        if first is not link:
            return []
        items = [self.mechanism.assembly.instance(n) for n in self.tree.body(link).instances if n != GROUND]
        return [(item, link.X_WL.inverse() @ item.X_WI) for item in items]

    def shown(self, link: Link) -> list[tuple[Instance, Pose, MeshFile]]:
        """The instances of a link that have meshes, their poses X_LI in its frame, and the files of these."""
        files = self.meshes.of_instance
        return [(item, X_LI, files[item.name]) for item, X_LI in self.instances(link) if item.name in files]

    def colour(self, instance: Instance) -> tuple[float, float, float, float]:
        """The colour of an instance: its own, its part's, or grey."""
        return instance.colour or self.mechanism.assembly.part(instance.part).colour or GREY

    def frames(self) -> list[tuple[str, int, Pose]]:
        """The frames people refer to: clean name, link, X_LF."""
        found = []
        for name, frame in zip(self.frame_names, self.mechanism.assembly.frames, strict=True):
            if frame.component == GROUND:
                link, X_WC = 0, Pose()
            else:
                link = self.tree.link_of(self.mechanism.body_of[frame.component])
                X_WC = self.mechanism.assembly.component(frame.component).X_WC
            found.append((name, link, self.tree.links[link].X_WL.inverse() @ X_WC @ frame.X_CF))
        return found

    def joint_of(self, drive: Drive) -> tuple[Joint, int] | None:
        """The joint that a drive moves and its coordinate; None unless it is one freedom of the tree."""
        for link in self.tree.links:
            joint = link.joint
            if joint is not None and (joint.name == drive.joint or drive.joint in joint.mates):
                turning = [k for k, f in enumerate(link.freedoms, link.first) if f.name == joint.name]
                return (joint, turning[0]) if turning else None
        return None

    def driven(self, drive: Drive, findings: Findings) -> tuple[Joint, int] | None:
        """As `joint_of`; a drive that moves no joint here is reported (CB519)."""
        found = self.joint_of(drive)
        if found is None:
            text = f"drive {drive.name} moves {drive.joint}, which is not a joint of one freedom there"
            findings.add("CB519", text, drive.where)
        return found

    def dependences(self, findings: Findings, apart: Container[str] = ()) -> tuple[LinearRelation, ...]:
        """The coordinates that follow others, by all relations but those of some names.

        Relations that contradict each other are reported (CB518).
        """
        found, agree = eliminate([r for r in self.relations if r.name not in apart], ranking(self.tree))
        if not agree:
            findings.add("CB518", "the couplings contradict each other at the designed pose")
        return found


def make_plan(
    tree: Tree, findings: Findings, options: ExportOptions, *, folders: tuple[str, str], masses_needed: bool,
    meshes: str = "stl", one_namespace: bool = False, polynomials: bool = False, root: str = "", least: float = 0.0,
) -> LinkPlan:  # fmt: skip
    """Names, relations and meshes of a tree; masses are checked, what cannot be carried is reported.

    In `one_namespace` no joint or frame is called like a link; the format may hold `polynomials` between two joints.
    `root` is what the format's users call the ground, unless a body has that name. `least` (kg, kg m²): masses and
    moments that are not above it stop the engine.
    """
    _check_masses(tree, findings, masses_needed, least)
    report_standing(tree.mechanism, findings)
    links, frames = UniqueNames("link"), UniqueNames("frame")
    joints = links if one_namespace else UniqueNames("joint")
    # URDF, which alone keeps what is seen and what collides in two folders, writes frames as links; in SDF and USD
    # links, joints and frames share their names. MJCF's sites have names of their own.
    frames_taken = links if one_namespace or folders[0] != folders[1] else frames
    wanted = [tree.body(link).name + ("" if _first(tree, link) else "_half") for link in tree.links]
    if root and root not in {clean(name) for name in wanted}:
        wanted[0] = root
    link_names = [links.give(name) for name in wanted]
    joint_names = [joints.give(f.name) for f in tree.freedoms]
    frame_names = [frames_taken.give(f.name) for f in tree.mechanism.assembly.frames]
    found, lost = relations(tree)
    laws = polynomials_of(tree, lost) if polynomials else ()
    lost = tuple(name for name in lost if name not in {law.name for law in laws})
    for name in lost:
        findings.add("CB506", f"coupling {name} is not a constant ratio of joint coordinates", Where(item=name))
    files = write_meshes(tree.mechanism, findings, folders, options, meshes)
    names = {
        "links": dict(zip(link_names, (tree.body(link).name for link in tree.links), strict=True)),
        "joints": dict(zip(joint_names, (f.name for f in tree.freedoms), strict=True)),
        "frames": dict(zip(frame_names, (f.name for f in tree.mechanism.assembly.frames), strict=True)),
        "meshes": {stem: part for part, stem in files.names.items()},
    }
    changed = sum(new not in (old, root) for kind in names.values() for new, old in kind.items())
    if changed:
        findings.add("CB510", f"names changed: {changed}")
    return LinkPlan(tree, link_names, joint_names, frame_names, found, lost, files, names, laws)


def _first(tree: Tree, link: Link) -> bool:
    return tree.links[tree.link_of(link.body)] is link


def _check_masses(tree: Tree, findings: Findings, masses_needed: bool, least: float) -> None:
    serial = {tree.links[i].body for i in tree.serial}
    for i, body in enumerate(tree.mechanism.bodies):
        if i in serial:
            continue
        where = Where(item=body.name)
        if body.mass is None:
            code = "CB500" if masses_needed else "CB501"
            text, cure = unknown_mass(
                tree.mechanism.assembly, tree.mechanism.part_masses, f"body {body.name}", body.components
            )
            findings.add(code, text, where, cure)
        elif not possible(body.mass, least):
            zero = f"{least:g}, the least that the engine takes" if possible(body.mass) else "0"
            mass = f"body {body.name} has mass {body.mass.mass:g} kg"
            findings.add("CB502", f"{mass} and a principal moment of inertia: one of them is not above {zero}", where)
        elif not balanced(body.mass):
            text = f"body {body.name} has a principal moment of inertia that exceeds the sum of the others"
            findings.add("CB1434", text, where)


def report_standing(mechanism: Mechanism, findings: Findings) -> None:
    """Report a mass of what stands still that is known in part, and so is not written (CB545)."""
    if mechanism.ground.mass is not None:
        return
    known = {p.part for p in mechanism.part_masses if p.properties is not None and p.properties.mass > 0}
    parts = {mechanism.assembly.instance(name).part for name in mechanism.ground.instances if name != GROUND}
    if heavy := sorted(parts & known):
        text, cure = unknown_mass(
            mechanism.assembly, mechanism.part_masses, "what stands still", mechanism.ground.components
        )
        findings.add("CB545", f"{text}, so that of {listed(heavy)} is not written", hint=cure, items=heavy)


def report_tree(plan: LinkPlan, findings: Findings, native: Container[str] = ()) -> None:
    """Report what a tree of single joints cannot hold; joints of the types `native` need not become single ones."""
    tree, mechanism = plan.tree, plan.mechanism
    for joint in tree.closures:
        code = "CB504" if joint.kind.unbound else "CB503"
        findings.add(code, f"joint {joint.name} ({joint.type}) closes a loop", Where(item=joint.name))
    for link in tree.links:
        if link.joint is not None and link.kind.unbound:
            findings.add("CB504", f"joint {link.joint.name} is not a lower pair", Where(item=link.joint.name))
        elif link.joint is not None and len(link.freedoms) > 1 and link.type not in native:
            message = f"the {link.type} joint {link.joint.name} became {len(link.freedoms)} joints"
            findings.add("CB505", message, Where(item=link.joint.name))
    report_limits(tree, findings)
    # m/s²: what a conversion of units rounds.
    if not np.allclose(mechanism.gravity, (0.0, 0.0, -EARTH), atol=1e-9):
        findings.add("CB515", f"the gravity of the model, ({numbers(mechanism.gravity)}) m/s², is left out")
    report_free(mechanism, findings)
    rotors = [j.name for j in mechanism.joints if j.armature > 0]
    if rotors:
        findings.add("CB516", f"rotor inertias are left out: {', '.join(rotors)}", items=rotors)
    if home := mechanism.assembly.home:
        findings.add("CB517", f"the home pose is left out: {', '.join(sorted(home))}", items=home)


def report_free(mechanism: Mechanism, findings: Findings) -> None:
    """Report what resists the motion of free bodies, for which only MJCF has a place."""
    for i, mate in mechanism.floats.items():
        loads = {"damping": mate.damping, "dry friction": mate.friction, "rotor inertia": mate.armature}
        loads["stiffness"] = mate.stiffness
        given = [f"{name} {value:g}" for name, value in loads.items() if value]
        if given:
            text = f"what acts on the free joint of {mechanism.bodies[i].name} is left out: {listed(given)}"
            findings.add("CB529", text, Where(item=mate.name))


def report_limits(tree: Tree, findings: Findings) -> None:
    """Report limits that no freedom of the tree takes, and limits and friction of closures: they are not written."""
    single = {
        link.joint.name
        for link in tree.links
        if link.joint is not None and any(f.name == link.joint.name for f in link.freedoms)
    }
    for joint in tree.mechanism.joints:
        if joint.limit is not None and joint.name not in single:
            findings.add("CB511", f"the limit of joint {joint.name} ({joint.type}) is left out", Where(item=joint.name))
    held = {link.joint.name for link in tree.links if link.joint is not None}
    for joint in tree.mechanism.joints:
        if joint.name not in held and (joint.damping or joint.friction):
            loads = (("damping", joint.damping), ("dry friction", joint.friction))
            given = " and ".join(f"{name} {value:g}" for name, value in loads if value)
            findings.add("CB529", f"of joint {joint.name} is left out: {given}", Where(item=joint.name))
