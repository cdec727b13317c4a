"""Sound files of every format that cadbridge reads, and what is done with each once it is broken.

A seed is a small folder; one file in it is broken, and the folder is used in the way that the format's users do. The
folders are written anew each time: a mechanism in all formats by the writers of the tests, the fixtures, and what
cadbridge itself writes (runs, check documents, meshes). With CADBRIDGE_CORPUS, real files beside them.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 200_000
"""Bytes of a file that is broken."""
BESIDE = 2_000_000
"""Bytes of all that lies beside it."""


@dataclass(frozen=True)
class Seed:
    """`broken` is the file that is broken, `source` the model, both by their paths in `folder`; `way` of `fuzzing.use`.

    `inner`: what is broken is this member of the archive that the file is.
    """

    folder: Path
    broken: str
    source: str
    way: str = "model"
    inner: str | None = None


def seeds(folder: Path, corpus: Path | None = None) -> dict[str, list[Seed]]:
    """Seeds by format, written into an empty folder; those that start OCCT have names that begin with "step"."""
    made: dict[str, list[Seed]] = defaultdict(list)
    _models(made, folder / "models")
    _robots(made, folder / "robots")
    _packed(made, folder / "packed")
    _meshes(made, folder / "meshes")
    _beside(made, folder / "beside")
    _written(made, folder / "written")
    if corpus is not None:
        _corpus(made, corpus)
    return dict(sorted(made.items()))


_MODELS = {
    "simscape": ("simscape joints", "simscape constraints"),
    "simmechanics": ("simmechanics",),
    "onshape": ("onshape",),
    "fusion": ("fusion",),
    "sw2robot": ("sw2robot",),
    "freecad": ("freecad", "freecad 1.1"),
    "ondsel": ("ondsel",),
    "chrono": ("chrono",),
    "step": ("step with mates",),
    "step-kinematics": ("ap242", "ap214"),
    "mechanism": ("our json",),
    "urdf": ("urdf",),
    "xacro": ("xacro",),
    "sdf": ("sdf",),
    "mjcf": ("mjcf",),
    "usd": ("usd",),
}
"""The formats of tests/readers/same_mechanism, by the names of the fuzzer."""


def _models(made: dict[str, list[Seed]], folder: Path) -> None:
    from tests.readers.same_mechanism.formats import FORMATS

    for kind, names in _MODELS.items():
        for name in names:
            source = FORMATS[name].write(_new(folder / name))
            made[kind].append(Seed(source.parent, source.name, source.name))
            mates = source.with_name(source.stem + ".mates.yaml")
            if mates.is_file() and not kind.startswith("step"):
                made["mates-file"].append(Seed(source.parent, mates.name, source.name))
            if kind == "onshape":
                made["onshape-features"].append(Seed(source.parent, f"{source.stem}.features.json", source.name))
            if kind == "xacro":
                made["xacro"].append(Seed(source.parent, "parts.xacro", source.name))
            if kind == "freecad":
                made["freecad-document"].append(Seed(source.parent, source.name, source.name, inner="Document.xml"))


_ROBOTS = ("four_bar/four_bar.urdf", "crank_slider/crank_slider.urdf", "puma560/puma560.urdf", "door/door.sdf",
           "delta/delta.sdf")  # fmt: skip
_WAYS = {
    ".mates.yaml": ("mates-file", "model"),
    ".scenario.yaml": ("scenario", "scenario"),
    ".torque.yaml": ("scenario", "scenario"),
    ".velocity.yaml": ("scenario", "scenario"),
    ".motion.yaml": ("motion", "motion"),
}
_LONG = {"scenario": (r"(time: )([\d.]+)", 0.01), "motion": (r"(\nrate: )([\d.]+)", 0.05)}
"""What is made smaller in a fixture: a case runs for some hundredths of a second."""


def _robots(made: dict[str, list[Seed]], folder: Path) -> None:
    """Fixtures, with the files beside them; motions and scenarios made short."""
    for name in _ROBOTS:
        source = ROOT / "fixtures" / name
        if source.stem != "delta":
            made[source.suffix[1:]].append(Seed(source.parent, source.name, source.name))
        home = _new(folder / source.stem)
        shutil.copy(source, home)
        for ending, (kind, way) in _WAYS.items():
            beside = source.with_name(source.stem + ending)
            if not beside.is_file():
                continue
            text = beside.read_text(encoding="utf-8")
            if kind in _LONG:
                pattern, factor = _LONG[kind]
                text = re.sub(pattern, lambda m, by=factor: f"{m[1]}{float(m[2]) * by:g}", text)  # type: ignore[misc]
            (home / beside.name).write_text(text, encoding="utf-8")
            made[kind].append(Seed(home, beside.name, source.name, way))


def _packed(made: dict[str, list[Seed]], folder: Path) -> None:
    """A STEP file in both kinds of .stpZ; the broken byte is one of the archive."""
    plain = made["step-kinematics"][0]
    text = (plain.folder / plain.source).read_bytes()
    members = io.BytesIO()
    with zipfile.ZipFile(members, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("fourbar.stp"), text)
    for name, data in (("gzip", gzip.compress(text, mtime=0)), ("zip", members.getvalue())):
        source = _new(folder / name) / "packed.stpZ"
        source.write_bytes(data)
        shutil.copy(plain.folder / "fourbar.mates.yaml", source.with_name("packed.mates.yaml"))
        made["step-packed"].append(Seed(source.parent, source.name, source.name))
    made["step-packed"].append(Seed(source.parent, source.name, source.name, inner="fourbar.stp"))


_ROBOT = """<robot name="meshed"><link name="base"/><link name="arm"><visual><geometry>
<mesh filename="meshes/part.{}" scale="1 1 2"/></geometry></visual><collision><geometry><box size="0.1 0.2 0.3"/>
</geometry></collision></link><joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 0 1"/></joint></robot>
"""


def _meshes(made: dict[str, list[Seed]], folder: Path) -> None:
    """A robot with a mesh of each kind that is read."""
    import trimesh

    part = trimesh.creation.cylinder(0.05, 0.2, sections=6)
    for ending in ("stl", "stl_ascii", "obj", "dae"):
        home = _new(folder / ending)
        short = ending.partition("_")[0]
        (home / "robot.urdf").write_text(_ROBOT.format(short), encoding="utf-8")
        mesh = _new(home / "meshes") / f"part.{short}"
        data = part.export(file_type=ending)
        mesh.write_bytes(data.encode() if isinstance(data, str) else data)
        made[f"mesh-{short}"].append(Seed(home, f"meshes/{mesh.name}", "robot.urdf", "weighed"))
    home = made["mesh-stl"][0].folder
    (home / "package.xml").write_text('<package format="2"><name>meshed</name></package>', encoding="utf-8")
    text = (home / "robot.urdf").read_text(encoding="utf-8").replace("meshes/", "package://meshed/meshes/")
    (home / "robot.urdf").write_text(text, encoding="utf-8")
    made["package"].append(Seed(home, "package.xml", "robot.urdf", "weighed"))


_JOBS = """format: cadbridge.jobs/1
defaults: {output: out, timeout: 300, memory: 2 GB}
jobs:
  - {sources: "*.urdf", do: check, strict: true}
  - {name: "{stem}-run", sources: [four_bar.urdf], exclude: ["x*"], do: simulate, duration: 0.01, trajectory: csv}
  - {name: arm, sources: four_bar.urdf, do: convert, to: mjcf, collision: as-is, package_dirs: [.]}
"""
_CONFIG = """density = 2700
units = "mm"
package_dirs = ["meshes"]
select = ["mates", "CB404"]
ignore = ["CB153"]
floating = false
arguments = ["a:=1"]
mass = "declared"
"""
_SWEEP = """format: cadbridge.sweep/1
vary:
  - {joint: J1, rate: {from: -30, to: 30, count: 2}}
  - {joint: J2, damping: [0, 0.1]}
  - {body: bar3, mass: {uniform: [0.9, 1.1], relative: true}}
  - {scenario: gravity, values: [[0, -9.81, 0], [0, 0, -9.81]]}
samples: 1
seed: 7
keep:
  final: [joints, energy]
  extremes: ['joint.J1.*']
  series: ['joint.J2.q']
"""


def _beside(made: dict[str, list[Seed]], folder: Path) -> None:
    """Files that people write beside a model."""
    for kind, name, text, way in (
        ("jobs", "jobs.yaml", _JOBS, "jobs"),
        ("config", "cadbridge.toml", _CONFIG, "config"),
        ("sweep", "sweep.yaml", _SWEEP, "sweep"),
    ):
        home = _new(folder / kind)
        shutil.copy(ROOT / "fixtures/four_bar/four_bar.urdf", home)
        (home / name).write_text(text, encoding="utf-8")
        made[kind].append(Seed(home, name, "four_bar.urdf", way))


RECOGNISED = """# cadbridge recognise 0123456789abcdef
format: cadbridge.mates/1
units: {length: mm, angle: deg}
ground: [base]
mates:
  - {name: A1, type: revolute, a: {component: base, point: [0, 0, 0]}, b: {component: arm, point: [0, 0, 1]}}
  - name: A2
    type: prismatic
    a: {component: base, point: [0, 0, 0], normal: [0, 0, 1]}
    b: {component: arm, face: top}
gears:
  - {name: G, type: spur, a: {component: wheel}, b: {component: arm}, ratio: 2}
joints:
  A1: {limits: {lower: -90, upper: 90}}
"""


def _written(made: dict[str, list[Seed]], folder: Path) -> None:
    """What cadbridge writes and reads again: runs, check documents, mates files that were recognised and edited."""
    import cadbridge as cb
    from cadbridge.simulation import Scenario, trajectory_table
    from cadbridge.simulation.trajectory import write_table

    home = _new(folder)
    source = home / "four_bar.urdf"
    shutil.copy(ROOT / "fixtures/four_bar/four_bar.urdf", source)
    mechanism = cb.build(cb.read(source))
    run = cb.simulate(mechanism, Scenario(duration=0.02, rate=100))
    write_table(trajectory_table(run), home / "run.parquet")
    document = cb.check_document(mechanism, cb.diagnose(mechanism))
    (home / "old.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    (home / "edited.mates.yaml").write_text(RECOGNISED, encoding="utf-8")
    for kind, name in (("run", "run.parquet"), ("compare", "old.json"), ("edited", "edited.mates.yaml")):
        made[kind].append(Seed(home, name, source.name, kind))


_OF_CORPUS = {
    ".urdf": "urdf", ".xacro": "xacro", ".sdf": "sdf", ".asmt": "ondsel", ".fcstd": "freecad", ".py": "chrono",
    ".stp": "step", ".step": "step",
}  # fmt: skip
_SNIFFED = {
    "simscape": "simscape", "simmechanics": "simmechanics", "mjcf": "mjcf", "fusion": "fusion", "onshape": "onshape",
    "sw2robot": "sw2robot",
}  # fmt: skip


def _corpus(made: dict[str, list[Seed]], corpus: Path) -> None:
    """Real files; those in folders too large to be copied for every case stand alone."""
    from cadbridge.readers.registry import taken_by

    for path in sorted(corpus.rglob("*")):
        if not path.is_file() or not 0 < path.stat().st_size <= LARGEST:
            continue
        kind = _OF_CORPUS.get(path.suffix.lower())
        if path.suffix.lower() in (".xml", ".json"):
            taken = taken_by(path)
            kind = _SNIFFED.get(taken[0].name) if taken else None
        if kind is not None:
            made[kind].append(Seed(path.parent, path.name, path.name, "parts" if kind == "step" else "model"))


def _new(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def copied(seed: Seed, folder: Path) -> None:
    """The seed's folder, or the files at the top of it where it is too large, in another folder."""
    files = [p for p in seed.folder.rglob("*") if p.is_file()]
    if sum(p.stat().st_size for p in files) > BESIDE:
        files = [seed.folder / seed.source, seed.folder / seed.broken]
    for path in files:
        target = folder / path.relative_to(seed.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
