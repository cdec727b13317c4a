"""The live view answers its own page only."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator

import numpy as np
import pytest
from websockets.exceptions import InvalidHandshake
from websockets.sync.client import connect
from websockets.typing import Origin

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.mechanism import build
from cadbridge.reading import read
from cadbridge.report.live import LiveView
from cadbridge.report.live.guard import Guard
from tests.report.live.test_live import DEMO
from tests.waiting import SLOW


@pytest.fixture(scope="module")
def view() -> Iterator[LiveView]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    live = LiveView(build(read(DEMO)), port=port, say=lambda line: None)
    yield live
    live.close()


def _get(view: LiveView, path: str, headers: dict[str, str]) -> int:
    """Status of an answer."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", view.server.port, timeout=SLOW)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status


def test_page_and_socket_open_with_the_token(view: LiveView) -> None:
    token = view.address.partition("?")[2]
    assert _get(view, f"/?{token}", {}) == 200
    assert _get(view, f"/file/nothing?{token}", {}) == 404
    host = f"127.0.0.1:{view.server.port}"
    with connect(f"ws://{host}/socket?{token}", origin=Origin(f"http://{host}")) as socket:
        assert "reload" in json.loads(socket.recv())  # it names no model: the page is to be loaded


def test_a_slow_page_gets_the_newest_and_not_all_that_was_before(view: LiveView) -> None:
    host, token = f"127.0.0.1:{view.server.port}", view.address.partition("?")[2]
    with connect(f"ws://{host}/socket?{token}", origin=Origin(f"http://{host}")) as socket:
        while "taken" not in socket.recv(timeout=SLOW):
            pass
        for k in range(100):
            view.server.post("count", {"count": k})
        with pytest.raises(TimeoutError):
            socket.recv(timeout=0.2)
        socket.send('{"taken": true}')
        assert json.loads(socket.recv(timeout=SLOW)) == {"count": 99}


def test_two_views_at_one_port_stand_side_by_side(view: LiveView) -> None:
    other = LiveView(view.mechanism, port=view.server.port)
    try:
        assert other.server.port > view.server.port
        assert [_get(v, f"/?{v.address.partition('?')[2]}", {}) for v in (view, other)] == [200, 200]
    finally:
        other.close()


def test_messages_of_no_sense_do_nothing(view: LiveView) -> None:
    host, token = f"127.0.0.1:{view.server.port}", view.address.partition("?")[2]
    poses, items = view.poses, list(view.panel.items.values())
    slider = next(item.number for item in items if item.state["kind"] == "slider")
    choice = next(item.number for item in items if item.state["kind"] == "choice")
    said = [
        "{", "[]", "7", '{"item": 9999}', '{"item": []}', '{"drag": -3}', '{"drag": 0}', '{"pick": 1e9}', '{"pick": 1}',
        '{"time": "x"}', f'{{"item": {slider}, "value": "far"}}', f'{{"item": {slider}, "value": NaN}}',
        f'{{"item": {choice}, "value": []}}', '{"drag": 0, "phase": "update", "start": [1], "end": {}}',
    ]  # fmt: skip
    with connect(f"ws://{host}/socket?{token}", origin=Origin(f"http://{host}")) as socket:
        for text in said:
            socket.send(text)
    assert _get(view, f"/?{token}", {}) == 200
    assert all(np.allclose(a.p, b.p) for a, b in zip(view.poses, poses, strict=True))


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/?token=", {}),
        ("/?token=guessed", {}),
        ("/?TOKEN", {"Host": "evil.example:8080"}),
        ("/?TOKEN", {"Origin": "http://evil.example"}),
        ("/?TOKEN", {"Origin": "null"}),
    ],
)
def test_others_are_refused(path: str, headers: dict[str, str], view: LiveView) -> None:
    path = path.replace("TOKEN", view.address.partition("?")[2])
    assert _get(view, path, headers) == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
def test_a_stranger_s_page_gets_no_socket(origin: str | None, view: LiveView) -> None:
    token = view.address.partition("?")[2]
    with pytest.raises(InvalidHandshake):
        connect(f"ws://127.0.0.1:{view.server.port}/?{token}", origin=origin, open_timeout=SLOW)  # type: ignore[arg-type]


def test_a_port_in_use_is_told(
    view: LiveView, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupted)
    port = view.server.port
    assert main(["view", str(DEMO), "--port", str(port)]) == 0
    assert f"Port {port} is in use; the view takes " in capsys.readouterr().err


def test_each_view_has_a_token_of_its_own() -> None:
    assert len({Guard("127.0.0.1").token for _ in range(10)}) == 10


@pytest.mark.parametrize("host", ["nowhere.invalid", "203.0.113.7", "", "a b", "x" * 300])
def test_a_wrong_host_is_told(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    if host:
        assert main(["view", str(DEMO), "--host", host]) == 2
        assert "cannot be served" in capsys.readouterr().err
    else:
        with pytest.raises(InputError, match="cannot be served"):
            LiveView(build(read(DEMO)), host=" ", port=8080)
