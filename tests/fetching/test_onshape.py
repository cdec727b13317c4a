"""Onshape by a recorded server of our own making, in the shapes that its API documents; no real one was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import app
from cadbridge.errors import InputError
from cadbridge.fetching import fetch, server
from cadbridge.fetching.address import parse
from cadbridge.fetching.server import Keys

DID, WID, EID, MID = "d" * 24, "a" * 24, "e" * 24, "c" * 24
URL = f"https://cad.onshape.com/documents/{DID}/w/{WID}/e/{EID}"
ACCESS, SECRET = "accessKeyOfTheTest", "secretKeyOfTheTest"
ROOT = {"instances": [], "occurrences": [], "features": [], "documentMicroversion": MID}
DEFINITION = {"rootAssembly": ROOT, "parts": [], "subAssemblies": []}
STEP = b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n"

Answer = tuple[int, dict[str, str], bytes]


class Recorded:
    """Answers by method and path; `before[path]` are given first, each once. `asked` is all that came."""

    def __init__(self) -> None:
        element = f"/api/v6/assemblies/d/{DID}/w/{WID}/e/{EID}"
        frozen = f"/api/v6/assemblies/d/{DID}/m/{MID}/e/{EID}"
        self.element, self.features, self.order = element, f"{frozen}/features", f"{element}/translations"
        self.look, self.download = "/api/v6/translations/tr1", f"/api/v6/documents/d/{DID}/externaldata/ex1"
        self.answers: dict[str, Answer] = {
            self.element: _json(DEFINITION),
            self.features: _json({"features": []}),
            self.order: _json({"id": "tr1", "requestState": "ACTIVE"}),
            self.look: _json({"id": "tr1", "requestState": "DONE", "resultExternalDataIds": ["ex1"]}),
            self.download: (200, {}, STEP),
        }
        self.before: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, str]] = []
        self.bodies: list[Any] = []
        self.signed: list[str | None] = []
        self.url = ""

    @property
    def paths(self) -> list[str]:
        return [path.partition("?")[0] for _, path in self.asked]

    def answer(self, path: str) -> Answer:
        bare = path.partition("?")[0]
        waiting = self.before.get(bare, [])
        return waiting.pop(0) if waiting else self.answers.get(bare, (404, {}, b"{}"))


def _json(data: Any) -> Answer:
    return 200, {}, json.dumps(data).encode()


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    monkeypatch.setenv("ONSHAPE_ACCESS_KEY", ACCESS)
    monkeypatch.setenv("ONSHAPE_SECRET_KEY", SECRET)
    said = Recorded()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            said.asked.append((self.command, self.path))
            said.signed.append(self.headers.get("Authorization"))
            if self.command == "POST":
                said.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status, headers, body = said.answer(self.path)
            if status == 0:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body) + 10))
                self.end_headers()
                self.wfile.write(body)
                return
            self.send_response(status)
            for key, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    said.url = f"http://127.0.0.1:{server.server_port}"
    yield said
    server.shutdown()
    server.server_close()


class Pauses(list[float]):
    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def bring(recorded: Recorded, folder: Path, url: str = URL, pauses: Pauses | None = None) -> Any:
    return fetch(url, folder, server=recorded.url, wait=Pauses() if pauses is None else pauses)


def refused(recorded: Recorded, folder: Path, url: str = URL) -> str:
    with pytest.raises(InputError) as caught:
        bring(recorded, folder, url)
    told = str(caught.value) + "".join(f.message for f in caught.value.findings)
    assert ACCESS not in told
    assert SECRET not in told
    (finding,) = caught.value.findings
    return finding.code


def test_an_assembly_takes_at_most_six_requests(recorded: Recorded, tmp_path: Path) -> None:
    result = bring(recorded, tmp_path / "arm")
    assert recorded.paths == [recorded.element, recorded.features, recorded.order, recorded.look, recorded.download]
    assert result.requests == 5 <= 6
    assert [p.name for p in result.files] == ["arm.json", "arm.features.json", "arm.step"]
    assert json.loads((tmp_path / "arm" / "arm.json").read_text()) == DEFINITION
    assert (tmp_path / "arm" / "arm.step").read_bytes() == STEP
    assert "includeMateFeatures=true&includeMateConnectors=true" in recorded.asked[0][1]
    assert recorded.bodies == [{"formatName": "STEP", "storeInDocument": False}]
    assert cb.read(result.source, options=cb.ReadOptions(geometry=False)).format == "onshape"


def test_a_second_call_asks_for_nothing(recorded: Recorded, tmp_path: Path) -> None:
    bring(recorded, tmp_path / "arm")
    recorded.asked.clear()
    assert bring(recorded, tmp_path / "arm").requests == 0
    assert not recorded.asked


def test_the_configuration_goes_with_every_request(recorded: Recorded, tmp_path: Path) -> None:
    bring(recorded, tmp_path / "arm", f"{URL}?configuration=Length%3D2%2Bmeter&renderMode=0")
    said = [path.partition("?")[2] for _, path in recorded.asked]
    assert "configuration=Length%3D2%2Bmeter" in said[0]
    assert "configuration=Length%3D2%2Bmeter" in said[1]
    assert recorded.bodies[0]["configuration"] == "Length=2+meter"


def test_a_cut_is_resumed_where_it_was(recorded: Recorded, tmp_path: Path) -> None:
    recorded.before[recorded.download] = [(0, {}, STEP)] * 5
    assert refused(recorded, tmp_path / "arm") == "CB1463"
    assert sorted(p.name for p in (tmp_path / "arm").iterdir()) == ["arm.features.json", "arm.json", "fetch.json"]
    recorded.asked.clear()
    bring(recorded, tmp_path / "arm")
    assert recorded.paths == [recorded.download]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(recorded: Recorded, tmp_path: Path, status: int) -> None:
    pauses = Pauses()
    recorded.before[recorded.element] = [(status, {"Retry-After": "7"}, b"busy"), (status, {}, b"busy")]
    assert bring(recorded, tmp_path / "arm", pauses=pauses).requests == 7
    assert pauses[:2] == [7.0, 2.0]


def test_a_long_pause_is_not_waited_for(recorded: Recorded, tmp_path: Path) -> None:
    recorded.before[recorded.features] = [(429, {"Retry-After": "3600"}, b"")]
    assert refused(recorded, tmp_path / "arm") == "CB1467"
    recorded.asked.clear()
    bring(recorded, tmp_path / "arm")
    assert recorded.paths[0] == recorded.features


def test_a_translation_that_goes_on_is_taken_up_again(recorded: Recorded, tmp_path: Path) -> None:
    active = _json({"id": "tr1", "requestState": "ACTIVE"})
    recorded.before[recorded.look] = [active, active]
    result = bring(recorded, tmp_path / "arm")
    assert [f.code for f in result.findings] == ["CB1468"]
    assert result.requests == 5
    recorded.asked.clear()
    assert not bring(recorded, tmp_path / "arm").findings
    assert recorded.paths == [recorded.look, recorded.download]


def test_a_translation_that_fails_leaves_the_mates(recorded: Recorded, tmp_path: Path) -> None:
    recorded.answers[recorded.look] = _json({"requestState": "FAILED", "failureReason": "no solids"})
    result = bring(recorded, tmp_path / "arm")
    assert [f.code for f in result.findings] == ["CB1465"]
    assert "no solids" in result.findings[0].message
    assert [p.name for p in result.files] == ["arm.json", "arm.features.json"]


@pytest.mark.parametrize(
    ("path", "answer", "code"),
    [
        ("element", (200, {}, b"<html>log in</html>"), "CB1464"),
        ("element", (200, {}, b"[" * 100_000), "CB1464"),
        ("element", (200, {}, b'{"rootAssembly": 5}'), "CB1464"),
        ("features", (200, {}, b"[]"), "CB1464"),
        ("order", (200, {}, b'{"id": "../../x"}'), "CB1464"),
        ("download", (200, {}, b"PK\x03\x04"), "CB1464"),
        ("element", (401, {}, b""), "CB1461"),
        ("element", (403, {}, b""), "CB1462"),
        ("element", (404, {}, SECRET.encode()), "CB1462"),
        ("element", (400, {}, b""), "CB1463"),
        ("element", (307, {"Location": "http://example.invalid/x"}, b""), "CB1464"),
    ],
)
def test_bad_answers_are_findings_and_are_not_stored(
    recorded: Recorded, tmp_path: Path, path: str, answer: Answer, code: str
) -> None:
    recorded.answers[getattr(recorded, path)] = answer
    with pytest.raises(InputError) as caught:
        bring(recorded, tmp_path / "arm")
    assert [f.code for f in caught.value.findings] == [code] or "http is allowed" in str(caught.value)
    stored = {p.name: p.read_bytes() for p in (tmp_path / "arm").iterdir()}
    assert answer[2] not in stored.values()
    assert not any(SECRET.encode() in data or ACCESS.encode() in data for data in stored.values())


def test_an_answer_without_end_is_asked_for_once(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LARGEST_ANSWER", 100)
    recorded.answers[recorded.element] = (200, {}, b" " * 101)
    assert refused(recorded, tmp_path / "arm") == "CB1464"
    assert len(recorded.asked) == 1


def test_an_answer_that_trickles_is_cut(recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "time", SimpleNamespace(monotonic=count(0.0, 100.0).__next__))
    recorded.answers[recorded.element] = (200, {}, b" " * 99_000)
    assert refused(recorded, tmp_path / "arm") == "CB1463"


def test_a_redirection_within_the_server_is_followed_signed(recorded: Recorded, tmp_path: Path) -> None:
    recorded.answers[recorded.download] = (307, {"Location": "/blob"}, b"")
    recorded.answers["/blob"] = (200, {}, STEP)
    bring(recorded, tmp_path / "arm")
    assert recorded.signed[-1] == recorded.signed[0] == Keys(ACCESS, SECRET).header()


def test_another_host_gets_no_keys(recorded: Recorded, tmp_path: Path) -> None:
    other = recorded.url.replace("127.0.0.1", "localhost")
    recorded.answers[recorded.download] = (307, {"Location": f"{other}/blob"}, b"")
    recorded.answers["/blob"] = (200, {}, STEP)
    bring(recorded, tmp_path / "arm")
    assert recorded.signed[-1] is None
    assert recorded.signed[0] is not None


@pytest.mark.parametrize(
    "url",
    [
        "https://cad.onshape.com/documents",
        f"https://evil.example/documents/{DID}/w/{WID}/e/{EID}",
        f"https://onshape.com.evil.example/documents/{DID}/w/{WID}/e/{EID}",
        f"http://cad.onshape.com/documents/{DID}/w/{WID}/e/{EID}",
        f"https://me@cad.onshape.com/documents/{DID}/w/{WID}/e/{EID}",
        f"https://cad.onshape.com/documents/{DID}/x/{WID}/e/{EID}",
        f"https://cad.onshape.com/documents/{DID}/w/{WID}/e/../..",
        "https://[::1", "", "\x00",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(recorded: Recorded, tmp_path: Path, url: str) -> None:
    assert refused(recorded, tmp_path / "arm", url) == "CB1460"
    assert not recorded.asked


def test_versions_and_enterprise_hosts_are_addresses() -> None:
    said = parse(f"https://company.onshape.com/documents/{DID}/v/{WID}/e/{EID}?configuration=a%3Db")
    assert (said.server, said.kind, said.configuration) == ("https://company.onshape.com", "v", "a=b")


def test_a_foreign_folder_is_left_alone(recorded: Recorded, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years")
    assert refused(recorded, tmp_path) == "CB1466"
    bring(recorded, tmp_path / "arm")
    assert refused(recorded, tmp_path / "arm", f"{URL}?configuration=x") == "CB1466"


def test_without_keys_nothing_is_asked(recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONSHAPE_SECRET_KEY")
    assert refused(recorded, tmp_path / "arm") == "CB1461"
    assert not recorded.asked
    assert not (tmp_path / "arm").exists()


def test_the_command_prints_files_and_no_keys(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cadbridge.fetching.onshape.LOOKS", (0.0, 0.0))
    done = CliRunner().invoke(app, ["fetch", URL, "-o", str(tmp_path / "arm"), "--server", recorded.url])
    assert done.exit_code == 0, done.output
    assert "arm.step" in done.output
    assert SECRET not in done.output
    assert SECRET not in repr(Keys(ACCESS, SECRET))
