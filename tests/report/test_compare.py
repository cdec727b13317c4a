"""What changed between two versions of a design."""

import json
from pathlib import Path
from typing import Any

import pytest

from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.mechanism import build
from cadbridge.report import check_document
from cadbridge.report.compare import changes_between, changes_text, findings_of_changes, read_old
from tests.mechanism.building import assembly, mate

Z = (0.0, 0.0, 1.0)
PLACES = {"door": (0.4, 0.0, 1.0), "flap": (0.8, 0.0, 1.0)}
HINGE = mate(PLACES, "hinge", MateKind.INSERT, GROUND, "door", (0.0, 0.0, 0.0), Z)
SECOND = mate(PLACES, "second", MateKind.INSERT, GROUND, "door", (0.0, 0.0, 0.5), Z)
FLAP = mate(PLACES, "flap hinge", MateKind.INSERT, "door", "flap", (0.6, 0.0, 0.0), Z)


def document(model: Assembly) -> dict[str, Any]:
    mechanism = build(model)
    return check_document(mechanism, diagnose(mechanism))


BEFORE = document(assembly({"door": PLACES["door"]}, [HINGE]))


def test_nothing_changed() -> None:
    changes = changes_between(BEFORE, BEFORE)
    assert changes == {}
    assert findings_of_changes(changes, "old.json") == ()
    assert changes_text(changes, "old.json") == "Nothing changed since old.json."


def test_a_second_hinge_changes_the_redundancy_only() -> None:
    after = document(assembly({"door": PLACES["door"]}, [HINGE, SECOND]))
    changes = changes_between(BEFORE, after)
    assert changes["mobility"] == {"rows": [5, 10], "redundant": [0, 5], "gruebler": [1, -4]}
    assert changes["redundancies"] == {"new": ["second"]}
    assert changes["groups"] == {"new": [["hinge", "second"]]}
    (finding,) = findings_of_changes(changes, "old.json")
    assert finding.code == "CB421"
    assert finding.message == "since old.json: redundant rows 0 → 5; second is new"
    assert "redundant rows: 0 → 5" in changes_text(changes, "old.json")


def test_a_new_body_changes_mobility_bodies_and_joints() -> None:
    after = document(assembly(PLACES, [HINGE, FLAP]))
    changes = changes_between(BEFORE, after)
    assert changes["mobility"]["dof"] == [1, 2]
    assert changes["bodies"] == {"new": ["flap"]}
    assert changes["joints"] == {"new": ["flap hinge"]}
    assert [f.code for f in findings_of_changes(changes, "old.json")] == ["CB420", "CB423"]
    back = changes_between(after, BEFORE)
    assert back["bodies"] == {"gone": ["flap"]}


def test_a_mass_that_changed_is_told_with_centre_and_inertia() -> None:
    after = json.loads(json.dumps(BEFORE))
    body = after["bodies"][0]
    body["mass"], body["com"][0], body["inertia"][0][0] = 1.5, body["com"][0] + 0.02, 0.02
    changes = changes_between(BEFORE, after)
    (changed,) = changes["bodies"]["changed"]
    assert changed == {"name": "door", "mass": [1.0, 1.5], "com_shift": 0.02, "inertia": 0.5}
    (finding,) = findings_of_changes(changes, "old.json")
    assert finding.code == "CB422"
    assert finding.message.endswith("door: 1 → 1.5 kg, centre moved by 20 mm, inertia changed by 0.5 of itself")
    body["mass"] = body["com"] = body["inertia"] = None
    assert changes_between(BEFORE, after)["bodies"]["changed"] == [{"name": "door", "mass": [1.0, None]}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not a JSON document"),
        ("[" * 100_000, "is not a JSON document"),
        ("[]", "write one by"),
        ('{"format": "cadbridge.inspect/1"}', "write one by"),
        ('{"format": "cadbridge.check/1", "mobility": 3}', "mobility is not as in"),
        ('{"format": "cadbridge.check/1", "mobility": {}, "bodies": [{"name": 3}]}', "bodies is not as in"),
        ('{"format": "cadbridge.check/1", "mobility": {}, "groups": 3}', "groups is not as in"),
        ('{"format": "cadbridge.check/1", "mobility": {}, "groups": [{"mates": [3]}]}', "groups is not as in"),
        ('{"format": "cadbridge.check/1", "mobility": {}, "bodies": [{"name": "a", "mass": "x"}]}', "mass of body a"),
    ],
)
def test_what_is_no_older_document_is_refused(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_old(path)


def test_an_older_document_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_old(tmp_path / "old.json")


def test_a_document_of_the_first_kind_without_later_keys_is_compared(tmp_path: Path) -> None:
    old = {k: v for k, v in BEFORE.items() if k not in ("motion", "freedoms", "groups", "reactions")}
    path = tmp_path / "old.json"
    path.write_text(json.dumps(old))
    assert set(changes_between(read_old(path), BEFORE)) == {"freedoms"}
