"""An Onshape assembly in at most six requests: definition, features, one STEP translation of the whole.

What came is kept; a second call asks only for the rest. The number of requests does not depend on the number of parts:
definition, features, order of the translation, two looks at whether it is done, download. Requests that the server
refuses for a while and that are repeated come on top.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cadbridge.errors import InputError
from cadbridge.fetching.address import Address, parse
from cadbridge.fetching.server import Keys, OnshapeServer
from cadbridge.findings import Finding, Findings
from cadbridge.storage import write_atomically

FORMAT = "cadbridge.fetch/1"
STATE = "fetch.json"
ACCESS, SECRET = "ONSHAPE_ACCESS_KEY", "ONSHAPE_SECRET_KEY"
LOOKS = (10.0, 50.0)
"""s that are waited before each look at the translation."""
_API = "/api/v6"
_IDENTIFIER = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True)
class Fetched:
    """The file to read, all files by this name, how many requests were sent, and what is still missing."""

    source: Path
    files: tuple[Path, ...]
    requests: int
    findings: tuple[Finding, ...]


def fetch(
    url: str, folder: str | Path, *, server: str | None = None, wait: Callable[[float], None] | None = None
) -> Fetched:
    """Bring an assembly of Onshape into a folder, as FOLDER/NAME.json, NAME.features.json and NAME.step.

    NAME is that of the folder. The keys come from the environment (ONSHAPE_ACCESS_KEY, ONSHAPE_SECRET_KEY). `server`
    stands in place of the address's host, `wait` of time.sleep. Raises InputError with findings where the address, the
    keys, the folder or the answers cannot be used; what came before is kept.
    """
    address = parse(url, server)
    target = Path(folder).absolute()
    course = _Course(address, target, _state_of(target, address))
    if course.complete:
        return course.result(0)
    connection = OnshapeServer(address.server, _keys())
    if wait is not None:
        connection.wait = wait
    target.mkdir(parents=True, exist_ok=True)
    course.run(connection)
    return course.result(connection.requests)


def _keys() -> Keys:
    access, secret = os.environ.get(ACCESS, "").strip(), os.environ.get(SECRET, "").strip()
    if not access or not secret or not (access + secret).isascii() or not (access + secret).isprintable():
        findings = Findings()
        findings.add("CB1461", f"{ACCESS} or {SECRET} is not set or is not a valid key")
        raise InputError("There are no keys for Onshape.", findings)
    return Keys(access, secret)


def _state_of(target: Path, address: Address) -> dict[str, Any]:
    """What an earlier call left; InputError (CB1466) where the folder is another's."""
    findings = Findings()
    path = target / STATE
    try:
        state = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            findings.add("CB1466", f"{target} is not empty, and no earlier fetch wrote it")
            raise InputError("Name another folder.", findings) from None
        return {"format": FORMAT, "address": address.text}
    except (OSError, ValueError, RecursionError):
        state = None
    ours: dict[str, Any] = state if isinstance(state, dict) else {}
    known = ours.get("format") == FORMAT and ours.get("address") == address.text
    if not known or not all(_is_identifier(ours[key]) for key in ("translation", "data") if key in ours):
        findings.add("CB1466", f"{target} holds another address, or its {STATE} cannot be read")
        raise InputError("Name another folder.", findings)
    return ours


class _Course:
    """The steps of a fetch, each kept as soon as it is done."""

    def __init__(self, address: Address, target: Path, state: dict[str, Any]) -> None:
        self._address, self._target, self._state = address, target, state
        self._findings = Findings()
        name = target.name
        self._definition = target / f"{name}.json"
        self._features = target / f"{name}.features.json"
        self._step = target / f"{name}.step"

    @property
    def complete(self) -> bool:
        """Whether nothing is left to bring."""
        return all(path.is_file() for path in (self._definition, self._features, self._step))

    def result(self, requests: int) -> Fetched:
        """What there is now."""
        files = tuple(p for p in (self._definition, self._features, self._step) if p.is_file())
        return Fetched(self._definition, files, requests, self._findings.as_tuple())

    def run(self, server: OnshapeServer) -> None:
        """Bring what is missing."""
        address = self._address
        element = f"{_API}/assemblies/d/{address.document}/{address.kind}/{address.state}/e/{address.element}"
        chosen = {"configuration": address.configuration} if address.configuration else {}
        if not self._definition.is_file():
            query = {"includeMateFeatures": "true", "includeMateConnectors": "true", **chosen}
            data = server.get(element, query)
            self._keep(self._definition, data, _is_definition(server.parsed(data, "definition")), server)
        if not self._features.is_file():
            data = server.get(f"{self._as_read(element)}/features", chosen)
            self._keep(self._features, data, _is_features(server.parsed(data, "features")), server)
        if not self._step.is_file():
            self._bring_step(server, element)

    def _as_read(self, element: str) -> str:
        """The element as it was when its definition was read: workspaces change."""
        try:
            microversion = json.loads(self._definition.read_text("utf-8"))["rootAssembly"].get("documentMicroversion")
        except (OSError, ValueError, KeyError, AttributeError, RecursionError):
            microversion = None
        if not isinstance(microversion, str) or re.fullmatch("[0-9a-f]{24}", microversion) is None:
            return element
        return element.replace(f"/{self._address.kind}/{self._address.state}/", f"/m/{microversion}/")

    def _keep(self, path: Path, data: bytes, good: bool, server: OnshapeServer) -> None:
        if not good:
            raise server.failed("CB1464", f"{path.name}: the answer is not of the documented form")
        write_atomically(path, data)
        self._note()

    def _note(self, **more: Any) -> None:
        self._state.update(more)
        data = json.dumps(self._state, indent=2, sort_keys=True) + "\n"
        write_atomically(self._target / STATE, data.encode())

    def _bring_step(self, server: OnshapeServer, element: str) -> None:
        """Order the translation where there is none, look twice whether it is done, and download it."""
        if self._address.kind == "m":
            self._findings.add("CB1465", "Onshape translates workspaces and versions, not microversions")
            return
        if "translation" not in self._state:
            # Stored in the document, the result would be a new tab in it.
            order = {"formatName": "STEP", "storeInDocument": False}
            if self._address.configuration:
                order["configuration"] = self._address.configuration
            answer = server.post(f"{element}/translations", order)
            self._note(translation=_identifier(answer, "id", server))
        if "data" not in self._state and not self._translated(server):
            return
        try:
            data = server.get(f"{_API}/documents/d/{self._address.document}/externaldata/{self._state['data']}")
        except InputError as error:
            if any(f.code == "CB1462" for f in error.findings):
                # Onshape keeps results for some time only: the next call orders anew.
                self._state = {key: self._state[key] for key in ("format", "address")}
                self._note()
            raise
        self._keep(self._step, data, data[:100].lstrip().startswith(b"ISO-10303-21"), server)

    def _translated(self, server: OnshapeServer) -> bool:
        """Whether the translation is done; its data is noted then."""
        for pause in LOOKS:
            server.wait(pause)
            answer = server.json(f"{_API}/translations/{self._state['translation']}")
            state = answer.get("requestState") if isinstance(answer, dict) else None
            if state == "DONE":
                results = answer.get("resultExternalDataIds")
                found = {"id": results[0]} if isinstance(results, list) and results else {}
                self._note(data=_identifier(found, "id", server))
                return True
            if state != "ACTIVE":
                # Without it the next call orders a new one.
                self._state.pop("translation")
                self._note()
                reason = answer.get("failureReason") if isinstance(answer, dict) else None
                self._findings.add("CB1465", server.keys.hide(f"Onshape could not translate to STEP: {reason!s:.200}"))
                return False
        self._findings.add("CB1468", "Onshape is still translating to STEP")
        return False


def _is_identifier(value: Any) -> bool:
    return isinstance(value, str) and _IDENTIFIER.fullmatch(value) is not None


def _identifier(answer: Any, key: str, server: OnshapeServer) -> str:
    value = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(value, str) or not _is_identifier(value):
        raise server.failed("CB1464", f"translation: the answer has no {key}")
    return value


def _is_definition(answer: Any) -> bool:
    root = answer.get("rootAssembly") if isinstance(answer, dict) else None
    return isinstance(root, dict) and isinstance(root.get("instances"), list)


def _is_features(answer: Any) -> bool:
    return isinstance(answer, dict) and isinstance(answer.get("features"), list)
