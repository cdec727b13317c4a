"""Files made to do harm: bombs, ways out of the folder, circles, depth. Each with a code that must tell of it."""

from __future__ import annotations

import functools
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable

from tests.readers.mutations.anchors import ANCHORS
from tests.readers.mutations.common import span

SECRET = "/etc/passwd"
OUT = "../../../../../../etc/passwd"

Make = Callable[[str], str | bytes]
"""From the sample's text to the hostile file's content."""


def at(name: str, anchor: str, new: str) -> Make:
    """The sample with something else at an anchor."""

    def make(text: str) -> str:
        start, end = span(text, ANCHORS[name][anchor])
        return text[:start] + new + text[end:]

    return make


def swap(old: str, new: str) -> Make:
    """The sample with a text replaced, once."""

    def make(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, 1)

    return make


def doctype(body: str) -> Make:
    """A document type with entities before the root."""

    def make(text: str) -> str:
        start = text.index("<", text.index("?>") + 2) if text.startswith("<?xml") else 0
        return text[:start] + f"<!DOCTYPE x [{body}]>" + text[start:]

    return make


LAUGHS = '<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(12)
)  # fmt: skip
EXTERNAL = f'<!ENTITY x SYSTEM "file://{SECRET}">'


def deep_xml(text: str) -> str:
    """100,000 elements within each other before the end of the root."""
    end = text.rindex("</")
    return text[:end] + "<a>" * 100_000 + "</a>" * 100_000 + text[end:]


def deep_json(text: str) -> str:
    """Lists 100,000 deep."""
    return '{"deep": ' + "[" * 100_000 + "]" * 100_000 + "," + text.lstrip().removeprefix("{")


def long_integer(name: str) -> Make:
    return at(name, "place", "9" * 20_000)


def packed(**members: bytes) -> bytes:
    """A zip of members by name."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def fcstd(text: str, **more: bytes) -> bytes:
    return packed(**{"Document.xml": text.encode(), **more})


@functools.cache
def bomb(text: str) -> bytes:
    """An archive of a document with 100 MB of spaces."""
    return fcstd(text + " " * 100_000_000)


def cyclic_onshape(text: str) -> str:
    """A sub-assembly that holds itself."""
    document = json.loads(text)
    own = {"id": "S1", "type": "Assembly", "name": "S", "documentId": "d", "elementId": "s", "configuration": "c"}
    document["rootAssembly"]["instances"].append(own)
    document["rootAssembly"]["occurrences"].append({"path": ["S1"], "transform": [1.0, 0, 0, 0] * 4})
    document["subAssemblies"] = [
        {"documentId": "d", "elementId": "s", "configuration": "c", "instances": [own], "features": []}
    ]
    return json.dumps(document)


def cyclic_fusion(text: str) -> str:
    """An occurrence below itself without end, as deep as JSON goes."""
    document = json.loads(text)
    tree: dict[str, object] = {}
    for _ in range(400):
        tree = {"Crank": tree}
    document["tree"]["root"] = tree
    return json.dumps(document)


XML = {
    "entities that grow": (doctype(LAUGHS), "CB103"),
    "an entity from outside": (doctype(EXTERNAL), "CB103"),
    "elements without end": (deep_xml, "CB104"),
}
"""Of all formats that are XML."""


def mesh(inner: str) -> str:
    """A URDF link's visual of a mesh, and its end."""
    return f"<visual><geometry><mesh {inner}/></geometry></visual></link>"


def _json(name: str) -> dict[str, tuple[Make, str]]:
    return {"lists without end": (deep_json, "CB180"), "a number of 20,000 digits": (long_integer(name), "CB181")}


def pattern(old: str, new: str) -> Make:
    """The sample with what a pattern fits replaced, once."""

    def make(text: str) -> str:
        changed, count = re.subn(old, lambda m: m.expand(new), text, count=1, flags=re.DOTALL)
        assert count, old
        return changed

    return make


def entity(text: str) -> Make:
    """A STEP file with one entity more, whose number nobody has."""
    return swap("ENDSEC;\nEND-ISO", f"#{10**7}={text};\nENDSEC;\nEND-ISO")


USAGE = r"(NEXT_ASSEMBLY_USAGE_OCCURRENCE\('Crank','Crank','',)(#\d+),(#\d+)"
STEP: dict[str, tuple[Make, str]] = {
    "a bomb": (lambda text: gzip.compress(text.encode() + b" " * 30_000_000), "CB108"),
    "an archive that ends early": (lambda text: gzip.compress(text.encode())[:-9], "CB121"),
    "a placement of itself": (swap("=AXIS2_PLACEMENT_3D('',#27,", "=AXIS2_PLACEMENT_3D('',#30,"), "CB"),
    "an assembly within itself": (pattern(USAGE, r"\1\3,\3"), "CB"),
    "the whole within a part": (pattern(USAGE, r"\1\3,\2"), "CB"),
    "an occurrence of nothing": (pattern(USAGE, r"\1$,$"), "CB"),
    "a file from outside": (entity(f"DOCUMENT_FILE('{OUT}.stp','','',#1,'',$)"), "CB102"),
    "a file of the system": (entity("DOCUMENT_FILE('C:\\\\Windows\\\\x.stp','','',#1,'',$)"), "CB102"),
    "a number twice": (pattern(r"\n#30=", r"\n#29="), "CB110"),
    "a number beyond machines": (pattern(r"\n#30=", "\n#" + "9" * 5000 + "="), "CB"),
    "a string without end": (swap("'Rocker'", "'Rocker"), "CB"),
    "a comment without end": (swap("DATA;", "DATA; /* "), "CB"),
    "no data": (pattern(r"DATA;.*ENDSEC;\nEND-ISO", r"DATA;\nENDSEC;\nEND-ISO"), "CB"),
    "an axis of no length": (pattern(r"(\(20\.0,.*?DIRECTION\('',)\([^)]*\)", r"\1(0.,0.,0.)"), "CB"),
    "a text of other letters": (lambda text: text.encode("utf-16"), "CB"),
}
"""Of all formats that are STEP."""
LISTS = "#186=REVOLUTE_PAIR(" + "(" * 50_000 + ");"


HOSTILE: dict[str, dict[str, tuple[Make, str]]] = {
    "simscape joints": {
        **XML,
        "a way out": (swap("</MassProperties>", f"</MassProperties><GeometryFile name='{OUT}'/>"), "CB102"),
        "an instance without end": (
            swap("</InstanceTree>", "<Instance name='L' uid='L' entityUid='L'/>" * 2 + "</InstanceTree>"), "CB"
        ),
    },
    "simmechanics": XML,
    "urdf": {
        **XML,
        "a way out": (swap("</link>", mesh(f'filename="{OUT}"')), "CB1438"),
        "a file of the system": (
            swap("</link>", mesh(f'filename="file://{SECRET}"')), "CB1438"
        ),
        "a link above itself": (swap('<parent link="Crank"/>', '<parent link="Coupler"/>'), "CB183"),
    },
    "xacro": {
        **XML,
        "a way out": (swap('filename="parts.xacro"', f'filename="{OUT}"'), "CB1921"),
        "itself within itself": (swap('filename="parts.xacro"', 'filename="fourbar.urdf.xacro"'), "CB196"),
        "code": (swap("-1 / ratio", "__import__('os').abort()"), "CB1921"),
        "a number without end": (swap("-1 / ratio", "9**9**9"), "CB196"),
        "a text without end": (swap("-1 / ratio", "('a' * 60000) * 60000 * 60000"), "CB196"),
        "a file of the system": (swap("-1 / ratio", f"xacro.load_yaml('{SECRET}')"), "CB1921"),
    },
    "sdf": {
        **XML,
        "a way out": (
            swap("</link>", f'<visual name="v"><geometry><mesh><uri>{OUT}</uri></mesh></geometry></visual></link>'),
            "CB1438",
        ),
        "a model within itself": (swap("<link ", "<include><uri>fourbar.sdf</uri></include><link "), "CB"),
        "a frame on itself": (swap('<link name="Crank"><pose>', '<link name="Crank"><pose relative_to="Crank">'), "CB"),
    },
    "mjcf": {
        "entities that grow": XML["entities that grow"],
        "an entity from outside": XML["an entity from outside"],
        "a way out": (swap("<worldbody>", f'<include file="{OUT}"/><worldbody>'), "CB102"),
        "itself within itself": (swap("<worldbody>", '<include file="fourbar.xml"/><worldbody>'), "CB"),
        "a mesh from outside": (
            swap("<worldbody>", f'<asset><mesh name="m" file="{OUT}"/></asset><worldbody>'), "CB102"
        ),
    },
    "usd": {
        "a way out": (swap('def Xform "Wheel" (', f'def Xform "Wheel" (references = @{OUT}@; '), "CB102"),
        "a file of the system": (swap('def Xform "Wheel" (', f'def Xform "Wheel" (payload = @{SECRET}@; '), "CB102"),
        "itself within itself": (swap('def Xform "Wheel" (', 'def Xform "Wheel" (references = @fourbar.usda@; '), "CB"),
        "a layer on itself": (swap("metersPerUnit = 1", "metersPerUnit = 1; subLayers = [@fourbar.usda@]"), "CB"),
        "prims without end": (lambda text: text + 'def "a" {' * 100_000, "CB1440"),
        "a number of 20,000 digits": (at("usd", "place", "9" * 20_000), "CB1440"),
        "a string without end": (swap('"Hinge A"', '"Hinge A'), "CB1440"),
        "another encoding": (lambda text: text.encode("utf-16"), "CB"),
    },
    "onshape": {**_json("onshape"), "a sub-assembly within itself": (cyclic_onshape, "CB")},
    "fusion": {**_json("fusion"), "an occurrence within itself": (cyclic_fusion, "CB")},
    "sw2robot": _json("sw2robot"),
    "chrono": {
        "calls without end": (swap("SetPos(", "SetPos(" + "abs(" * 5000), "CB180"),
        "code": (swap("import builtins", f"import builtins, os\nopen('{OUT}x', 'w').write('x'); os.abort()"), ""),
    },
    "ap242": {**STEP, "lists without end": (at("ap242", "mate", LISTS), "CB")},
    "ap214": {**STEP, "lists without end": (at("ap214", "mate", LISTS), "CB")},
    "step with mates": STEP,
    "simscape constraints": XML,
    "freecad": {
        "a bomb": (bomb, "CB1223"),
        "a way out of the archive": (lambda text: fcstd(text, **{"../../../out.brp": b"x"}), ""),
        "elements without end": (lambda text: fcstd(deep_xml(text)), "CB104"),
        "entities that grow": (lambda text: fcstd(str(doctype(LAUGHS)(text))), "CB103"),
    },
    "ondsel": {
        "tabs without end": (swap("\tParts", "\t" * 10_000 + "Parts"), "CB1201"),
        "a line without end": (at("ondsel", "end", "/" * 5_000_000), "CB162"),
    },
    "our json": {"lists without end": (deep_json, "CB"), "a number of 20,000 digits": (long_integer("our json"), "CB")},
    "mates file": {
        "anchors that grow": (
            lambda text: "\n".join([f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10) if k else '1'}]" for k in range(12)])
            + "\n" + text,
            "CB142",
        ),
        "a tag that runs": (swap("mates:\n", "mates: !!python/object/apply:os.abort []\nold:\n"), "CB"),
    },
}  # fmt: skip
