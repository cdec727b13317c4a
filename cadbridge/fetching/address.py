"""The address of an Onshape tab: document, workspace or version, element, configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlsplit

from cadbridge.errors import InputError
from cadbridge.findings import Findings

_PATH = re.compile(r"/documents/([0-9a-f]{24})/([wvm])/([0-9a-f]{24})/e/([0-9a-f]{24})/?")
_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Address:
    """`server` is scheme and host; `kind` w (workspace), v (version) or m (microversion) of `state`."""

    server: str
    document: str
    kind: str
    state: str
    element: str
    configuration: str

    @property
    def text(self) -> str:
        """The address in one form, by which an earlier call is known."""
        more = f"?configuration={quote(self.configuration, safe='')}" if self.configuration else ""
        return f"{self.server}/documents/{self.document}/{self.kind}/{self.state}/e/{self.element}{more}"


def parse(url: str, server: str | None = None) -> Address:
    """The parts of an address; InputError (CB1460) for any other text. `server` takes the place of its host."""
    try:
        parts = urlsplit(url.strip())
        configuration = parse_qs(parts.query).get("configuration", [""])[0]
    except ValueError:
        raise _refused(url) from None
    match = _PATH.fullmatch(parts.path)
    host = (parts.hostname or "").lower()
    # The keys go to this host: "onshape.com@elsewhere" and "notonshape.com" must not get them.
    own = parts.scheme == "https" and (host == "onshape.com" or host.endswith(".onshape.com")) and not parts.username
    if match is None or not own:
        raise _refused(url)
    document, kind, state, element = match.groups()
    own_server = checked_server(server) if server else f"https://{host}"
    return Address(own_server, document, kind, state, element, configuration)


def checked_server(url: str) -> str:
    """Scheme, host and port of a server; InputError unless by https, or http on this machine."""
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise InputError("This is not the address of a server.") from None
    if parts.username or not host or not (parts.scheme == "https" or (parts.scheme == "http" and host in _LOCAL)):
        raise InputError("A server is named by https://HOST; http is allowed on this machine only.")
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def _refused(url: str) -> InputError:
    findings = Findings()
    findings.add("CB1460", f"{url[:200]!r} is not the address of a tab of Onshape")
    return InputError("The address is not one of Onshape.", findings)
