"""The elements that SDF has within those that this reader looks into: another is misspelt, or another program's."""

from __future__ import annotations

import difflib

from cadbridge.readers.sdf.context import Context
from cadbridge.readers.xml import Element, children, local

_AXIS = ("xyz", "use_parent_model_frame", "dynamics", "limit", "mimic", "initial_position")
_ROUND = ("radius", "length")

KNOWN: dict[str, tuple[str, ...]] = {
    "model": (
        "static", "self_collide", "allow_auto_disable", "include", "model", "enable_wind", "frame", "pose", "origin",
        "link", "joint", "plugin", "gripper", "static_frame",
    ),
    "include": ("uri", "name", "static", "pose", "placement_frame", "plugin"),
    "frame": ("pose",),
    "link": (
        "gravity", "enable_wind", "self_collide", "kinematic", "must_be_base_link", "pose", "origin", "inertial",
        "velocity_decay", "frame", "collision", "visual", "sensor", "projector", "audio_sink", "audio_source",
        "battery", "light", "particle_emitter", "plugin",
    ),
    "inertial": ("mass", "density", "auto_inertia_params", "pose", "origin", "frame", "inertia", "fluid_added_mass"),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "collision": (
        "laser_retro", "max_contacts", "pose", "origin", "frame", "density", "auto_inertia_params", "geometry",
        "surface", "mass",
    ),
    "visual": (
        "cast_shadows", "laser_retro", "transparency", "visibility_flags", "pose", "origin", "frame", "material",
        "geometry", "plugin", "meta",
    ),
    "geometry": (
        "empty", "box", "capsule", "cone", "cylinder", "ellipsoid", "heightmap", "image", "mesh", "plane", "polyline",
        "sphere",
    ),
    "material": (
        "script", "shader", "lighting", "ambient", "diffuse", "specular", "shininess", "emissive", "render_order",
        "double_sided", "pbr",
    ),
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": _ROUND,
    "capsule": _ROUND,
    "cone": _ROUND,
    "ellipsoid": ("radii",),
    "mesh": ("uri", "filename", "submesh", "scale", "convex_decomposition"),
    "joint": (
        "parent", "child", "pose", "origin", "frame", "gearbox_ratio", "gearbox_reference_body", "thread_pitch",
        "screw_thread_pitch", "axis", "axis2", "physics", "sensor", "plugin", "provide_feedback", "rotor_inertia",
        "gear_ratio", "mimic",
    ),
    "axis": _AXIS,
    "axis2": _AXIS,
    "dynamics": ("damping", "friction", "spring_reference", "spring_stiffness"),
    "limit": ("lower", "upper", "effort", "velocity", "stiffness", "dissipation", "acceleration"),
    "mimic": ("multiplier", "offset", "reference"),
}  # fmt: skip
"""By the tag of an element, those that may stand in it (SDF 1.3 to 1.12, and Drake's without their prefix)."""
THROUGH = ("sdf", "world")
"""Elements in which only models and what they hold are looked at."""


def report_unknown(c: Context, root: Element) -> None:
    """CB1262 of each element that stands where SDF has none of that name; those of other programs have a prefix."""
    waiting = [(root, "")]
    for element, owner in waiting:
        tag = local(element)
        name = element.get("name") or owner
        known = KNOWN.get(tag, ())
        for inner in children(element):
            word = local(inner)
            if tag in THROUGH or word in known:
                if word in KNOWN or word in THROUGH:
                    waiting.append((inner, name))
            elif ":" not in str(word) and "{" not in inner.tag and tag in KNOWN:
                near = difflib.get_close_matches(word.lower(), known, n=1)
                meant = f"; <{near[0]}> is near" if near else ""
                of = f" of {name}" if name else ""
                c.say("CB1262", f"<{tag}>{of} has no element <{word}>{meant}", inner, name or None)
