#!/usr/bin/env python3
"""What a file of 100 MB of each kind takes until it is read or refused. Run it with the Python that has cadbridge.

    scripts/measure/large.py [--megabytes 100] [-o out/measure] [KIND …]

A small sound file is made large by what it may repeat. Told for each kind: the bytes, the exit status, processor
seconds and memory (resident, of all processes at once, looked at twenty times a second) of the command, and what it
said last. A command is ended at 120 s or 6 GB. Writes large.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cadbridge.processes import family, processor_seconds  # noqa: E402

SECONDS, MEMORY = 120.0, 6_000_000_000
_ROBOT = '<robot name="r"><link name="base"/>{}</robot>'
_JOINT = '<joint name="j" type="fixed"><parent link="base"/><child link="a"/></joint>'
_MESHED = _ROBOT.format(f'<link name="a"><visual><geometry><mesh filename="{{}}"/></geometry></visual></link>{_JOINT}')


@dataclass(frozen=True)
class Kind:
    """A text is `head`, then `unit` as often as it takes, with its number, then `tail`; `words` are the command's."""

    file: str
    head: str
    unit: str
    tail: str = ""
    words: tuple[str, ...] = ("check", "{source}")
    beside: tuple[str, str] = ("", "")

    def write(self, folder: Path, size: int) -> tuple[Path, Sequence[str]]:
        """The large file, and the words of the command."""
        path = folder / self.file
        count = size // len(self.unit.format(10**6))
        with path.open("w", encoding="utf-8") as stream:
            stream.write(self.head)
            for k in range(count):
                stream.write(self.unit.format(k))
            stream.write(self.tail)
        source = path
        if self.beside[0]:
            source = folder / self.beside[0]
            source.write_text(self.beside[1], encoding="utf-8")
        return path, [word.format(source=source, path=path) for word in self.words]


_SCENARIO = "format: cadbridge.scenario/1\nduration: 0.01\n"
_SMALL = ("r.urdf", _ROBOT.format(""))
_STEP = "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n"
_OF_STEP = _STEP + "FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n"
_END_OF_STEP = "ENDSEC;\nEND-ISO-10303-21;\n"
_LINK = '<link name="l{0}"/><joint name="j{0}" type="fixed"><parent link="base"/><child link="l{0}"/></joint>'

TEXTS = {
    "urdf links": Kind("r.urdf", _ROBOT[: _ROBOT.index("{")], _LINK, "</robot>"),
    "urdf balls": Kind("r.urdf", '<robot name="r"><link name="a">',
                       '<visual><geometry><sphere radius="{}"/></geometry></visual>', "</link></robot>"),
    "urdf attribute": Kind("r.urdf", '<robot name="', "{:08d}", '"><link name="a"/></robot>'),
    "urdf comments": Kind("r.urdf", '<robot name="r">', "<!-- {:090d} -->\n", '<link name="a"/></robot>'),
    "xacro": Kind("r.xacro", '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">',
                  '<xacro:property name="p{0}" value="{0}"/>', '<link name="a"/></robot>'),
    "sdf": Kind("r.sdf", '<sdf version="1.9"><model name="m">', '<link name="l{0}"/>', "</model></sdf>"),
    "mjcf": Kind("r.xml", "<mujoco><worldbody>", '<body name="b{}"><geom size="1"/></body>', "</worldbody></mujoco>"),
    "usd": Kind("r.usda", "#usda 1.0\n", 'def Xform "p{}" {{}}\n'),
    "step points": Kind("r.step", _OF_STEP, "#{0}=CARTESIAN_POINT('',(0.,0.,0.));\n", _END_OF_STEP),
    "step brackets": Kind("r.step", _OF_STEP + "#1=A(", "(" * 98, ");\n" + _END_OF_STEP),
    "ondsel": Kind("r.asmt", "OndselSolver\nAssembly\n", "\tNotes\n\t\t{:060d}\n"),
    "chrono": Kind("r.py", "import pychrono as chrono\n", "body_{0} = chrono.ChBodyAuxRef()\n"),
    "simscape": Kind("r.xml", '<?xml version="1.0"?><SimscapeMultibodyImportXML>', "<Part name='p{0}'/>",
                     "</SimscapeMultibodyImportXML>"),
    "onshape": Kind("r.json", '{"rootAssembly":{"instances":[', '{{"id":"{0}","type":"Part","name":"n"}},', "0]}}"),
    "json lists": Kind("r.json", '{"rootAssembly":{},"x":[', "[],", "0]}"),
    "mechanism": Kind("m.json", '{"format":"cadbridge.mechanism/1","x":[', "{0},", "0]}"),
    "mates file": Kind("r.mates.yaml", "format: cadbridge.mates/1\nmates:\n", "  - {{name: M{0}, type: revolute}}\n",
                       beside=_SMALL),
    "mates brackets": Kind("r.mates.yaml", "format: cadbridge.mates/1\nmates: ", "[[[[[[", beside=_SMALL),
    "scenario": Kind("s.yaml", _SCENARIO + "notes: [", "{0}, ", "0]\n",
                     ("simulate", "{source}", "--scenario", "{path}"), _SMALL),
    "motion": Kind("m.yaml", "format: cadbridge.motion/1\nduration: 1\njoints: {{A: {{table: [", "[{0}, 0], ", "]}}\n",
                   ("inverse", "{source}", "--motion", "{path}"), _SMALL),
    "sweep": Kind("s.yaml", "format: cadbridge.sweep/1\nvary:\n", "  - {{joint: J{0}, damping: [0]}}\n", "",
                  ("simulate", "{source}", "--sweep", "{path}"), _SMALL),
    "jobs": Kind("jobs.yaml", "format: cadbridge.jobs/1\njobs:\n", "  - {{sources: r{0}.urdf, do: check}}\n", "",
                 ("batch", "{path}", "--dry-run"), _SMALL),
    "config": Kind("cadbridge.toml", "arguments = [", '"a{0}:=1",', "]\n", beside=_SMALL),
    "compare": Kind("old.json", '{"format":"cadbridge.check/1","x":[', "{0},", "0]}",
                    ("check", "{source}", "--compare", "{path}"), _SMALL),
    "run csv": Kind("run.csv", "time,a,b\n", "{0},1,2\n", "", ("check", "{source}", "--html", "{source}.html", "--run",
                                                            "{path}"), _SMALL),
    "mesh stl text": Kind("m.stl", "solid a\n", "facet normal 0 0 1\nouter loop\nvertex 0 0 {0}\nvertex 1 0 0\n"
                          "vertex 0 1 0\nendloop\nendfacet\n", "endsolid\n", beside=("r.urdf", _MESHED.format("m.stl")),
                          ),
    "mesh obj": Kind("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "v 0 0 {0}\nf 1 2 3\n",
                     beside=("r.urdf", _MESHED.format("m.obj"))),
    "mesh dae": Kind("m.dae", '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
                     '<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="f" count="3">',
                     "{0} 0 1 ", "</float_array></source></mesh></geometry></library_geometries></COLLADA>",
                     beside=("r.urdf", _MESHED.format("m.dae"))),
}  # fmt: skip
"""Texts; the YAML and JSON of formats go one way through one reader each."""

Maker = Callable[[Path, int], tuple[Path, Sequence[str]]]


def _stl(folder: Path, size: int) -> tuple[Path, Sequence[str]]:
    count = size // 50
    table = np.zeros(count, np.dtype([("f", "<f4", 12), ("a", "<u2")]))
    table["f"] = np.random.default_rng(1).random((count, 12))
    (folder / "m.stl").write_bytes(bytes(80) + np.uint32(count).tobytes() + table.tobytes())
    (folder / "r.urdf").write_text(_MESHED.format("m.stl"), encoding="utf-8")
    return folder / "m.stl", ("check", str(folder / "r.urdf"))


def _image(folder: Path, size: int) -> tuple[Path, Sequence[str]]:
    """A height field whose picture has so many pixels; packed it is small."""
    import struct
    import zlib

    side = int(size**0.5)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(side * (side + 1)), 1)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    (folder / "h.png").write_bytes(png)
    text = (
        '<mujoco><asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset><worldbody><geom type="hfield" '
        'hfield="h"/><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    )
    (folder / "r.xml").write_text(text, encoding="utf-8")
    return folder / "h.png", ("check", str(folder / "r.xml"))


def _packed(name: str, member: str, head: str, unit: str, tail: str, words: tuple[str, ...] = ()) -> Maker:
    def make(folder: Path, size: int) -> tuple[Path, Sequence[str]]:
        rest = size
        with (
            zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
            archive.open(member, "w", force_zip64=True) as stream,
        ):
            stream.write(head.encode())
            for k in range(rest // len(unit.format(10**6))):
                stream.write(unit.format(k).encode())
            stream.write(tail.encode())
        return folder / name, ("check", str(folder / name), *words)

    return make


def _parquet(folder: Path, size: int) -> tuple[Path, Sequence[str]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from cadbridge.simulation.trajectory import FORMAT

    rows = size // 8 // 4
    chance = np.random.default_rng(1)
    table = pa.table({"time": np.arange(rows) * 1.0, **{n: chance.random(rows) for n in "abc"}})
    pq.write_table(table.replace_schema_metadata({FORMAT: ""}), folder / "run.parquet")
    (folder / "r.urdf").write_text(_SMALL[1], encoding="utf-8")
    words = ("check", str(folder / "r.urdf"), "--html", str(folder / "p.html"), "--run", str(folder / "run.parquet"))
    return folder / "run.parquet", words


MADE: dict[str, Maker] = {
    "step packed": _packed("r.stpZ", "r.stp", _OF_STEP, "#{0}=CARTESIAN_POINT('',(0.,0.,0.));\n", _END_OF_STEP),
    "freecad": _packed("r.FCStd", "Document.xml", '<Document SchemaVersion="4"><Objects Count="1">',
                       '<Object type="Part::Feature" name="o{0}" id="{0}"/>', "</Objects></Document>"),
    "mesh stl": _stl,
    "image": _image,
    "run parquet": _parquet,
}  # fmt: skip


def run(words: Iterable[str]) -> dict[str, float | int | str | None]:
    """A command, its processor seconds and its memory."""
    command = [sys.executable, "-P", "-m", "cadbridge", *words]
    most, used, began = 0, 0.0, time.monotonic()
    with tempfile.TemporaryFile() as said:
        env = {**os.environ, "CADBRIDGE_NO_CACHE": "1"}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=env)
        ended = ""
        while process.poll() is None:
            used, now = max(used, processor_seconds(process.pid)), 0
            for pid in (process.pid, *family(process.pid)):
                try:
                    now += psutil.Process(pid).memory_info().rss
                except psutil.Error:
                    continue
            most = max(most, now)
            if used > SECONDS or most > MEMORY or time.monotonic() - began > 5 * SECONDS:
                ended = "ended: too much"
                for pid in (*family(process.pid), process.pid):
                    psutil.Process(pid).kill()
                process.wait()
            time.sleep(0.05)
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").strip().splitlines()
    told = ended or next((x for x in lines if "CB108" in x or "error" in x.lower()), lines[-1] if lines else "")
    return {"status": process.returncode, "seconds": used, "bytes": most, "said": told}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--megabytes", type=float, default=100.0)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "out" / "measure")
    asked = parser.parse_args()
    makers: dict[str, Maker] = {**{name: kind.write for name, kind in TEXTS.items()}, **MADE}
    rows = []
    print(f"{'kind':16} {'MB':>6} {'status':>6} {'s':>7} {'MB used':>8}")
    for name in asked.kinds or makers:
        with tempfile.TemporaryDirectory() as folder:
            path, words = makers[name](Path(folder), int(asked.megabytes * 1e6))
            row: dict[str, Any] = {"kind": name, "file_bytes": path.stat().st_size, **run(words)}
        rows.append(row)
        print(
            f"{name:16} {row['file_bytes'] / 1e6:6.1f} {row['status']:6} {row['seconds']:7.1f} "
            f"{row['bytes'] / 1e6:8.0f} {str(row['said'])[:150]}",
            flush=True,
        )
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "large.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
