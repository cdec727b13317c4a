"""FMU of FMI 2.0 or 3.0, for co-simulation and model exchange: NAME.fmu, without Python in it.

It computes with the solver's own kernels, compiled ahead of time (`binary`), on the tables of the model (`tables`). The
C runtime (`runtime/`) keeps an instance's memory and speaks FMI.
"""

from __future__ import annotations

import hashlib
import io
import zipfile

from cadbridge.exporters import sidecars
from cadbridge.exporters.options import ExportOptions
from cadbridge.findings import Findings
from cadbridge.mechanism.model import Mechanism

PLATFORM = {2: "linux64", 3: "x86_64-linux"}
"""FMI version → the folder of the library."""


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export; the FMU first."""
    # The solver's tables and kernels are loaded only for who exports an FMU.
    from cadbridge.exporters.fmu.binary import NoBinaryError, shared_library
    from cadbridge.exporters.fmu.description import ModelDescription, description, page
    from cadbridge.exporters.fmu.machine import machine_of
    from cadbridge.exporters.fmu.signals import TooManyPiecesError
    from cadbridge.exporters.fmu.tables import importers_tolerance, tables_of
    from cadbridge.exporters.fmu.variables import rows_of, variables_of

    machine = machine_of(mechanism, options, findings)
    if machine is None:
        return {}
    try:
        tables, binary = tables_of(machine), shared_library()
    except (TooManyPiecesError, NoBinaryError) as fault:
        findings.add("CB694" if isinstance(fault, TooManyPiecesError) else "CB695", str(fault))
        return {}
    variables, names = variables_of(machine, tables, options.reactions)
    changed = sum(new != old for kind in names.values() for new, old in kind.items())
    if changed:
        findings.add("CB510", f"names changed: {changed}")
    rows = rows_of(variables)
    # The token is the digest of the tables with zeros in its own place: the runtime computes it anew, and refuses
    # tables that were changed, since kernels follow the indices in them unchecked.
    token = hashlib.sha256(tables.content(bytes(16), rows)).digest()[:16]
    what = machine.scenario
    description_of_model = ModelDescription(
        mechanism.assembly.name or name, name, _token(token), variables, what.duration, 1 / what.rate,
        importers_tolerance(what),
    )  # fmt: skip
    files = {
        "modelDescription.xml": description(options.fmi, description_of_model),
        "documentation/index.html": page(description_of_model),
        f"binaries/{PLATFORM[options.fmi]}/{name}.so": binary,
        "resources/model.bin": tables.content(token, rows),
    }
    sidecar = sidecars.losses("fmu", name, names, findings, mechanism.assembly.home)
    return {f"{name}.fmu": _packed(files), sidecars.LOSSES: sidecar}


def serves(mechanism: Mechanism, table: bytes) -> bool:
    """Whether the library may run with a `model.bin` of anybody: one laid out as the mechanism's without options."""
    from cadbridge.exporters.fmu.machine import machine_of
    from cadbridge.exporters.fmu.tables import tables_of
    from cadbridge.exporters.fmu.variables import rows_of, variables_of

    machine = machine_of(mechanism, ExportOptions(), Findings())
    if machine is None:
        return False
    tables = tables_of(machine)
    return tables.serve(table, rows_of(variables_of(machine, tables, reactions=True)[0]))


def _token(token: bytes) -> str:
    text = token.hex()
    return "{" + "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]]) + "}"


def _packed(files: dict[str, bytes]) -> bytes:
    """A zip file, the same on each run."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            # The earliest date that a zip can hold, and Unix as its system, whose permissions the library needs.
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data)
    return stream.getvalue()
