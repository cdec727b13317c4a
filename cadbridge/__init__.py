"""From a CAD assembly with its mates to a simulation that can be trusted.

    import cadbridge as cb
    assembly = cb.read("robot.step", mates="robot.mates.yaml")
    mechanism = cb.build(assembly)
    diagnosis = cb.diagnose(mechanism)
    run = cb.simulate(mechanism, duration=5.0)
    cb.export(mechanism, "out/", to="mjcf")

Findings are on every result; nothing prints. Names are loaded when they are first used, so that
`import cadbridge` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cadbridge.version import __version__ as __version__

if TYPE_CHECKING:
    from cadbridge import jobs
    from cadbridge.diagnosis import diagnose
    from cadbridge.efforts import inverse, load_motion, write_inverse
    from cadbridge.errors import CadbridgeError, InputError, ModelError
    from cadbridge.exporters import export
    from cadbridge.geared import transmission
    from cadbridge.mechanism import build
    from cadbridge.misfit import fit, load_fit
    from cadbridge.readers import ReadOptions
    from cadbridge.reading import read
    from cadbridge.recognition import recognise
    from cadbridge.report import check_document
    from cadbridge.simulation import load_scenario, load_trajectory, simulate, write_trajectory
    from cadbridge.sweeps import load_sweep, sweep, write_sweep

_HOMES = {
    "read": "cadbridge.reading",
    "ReadOptions": "cadbridge.readers",
    "build": "cadbridge.mechanism",
    "recognise": "cadbridge.recognition",
    "diagnose": "cadbridge.diagnosis",
    "fit": "cadbridge.misfit",
    "load_fit": "cadbridge.misfit",
    "simulate": "cadbridge.simulation",
    "load_scenario": "cadbridge.simulation",
    "write_trajectory": "cadbridge.simulation",
    "load_trajectory": "cadbridge.simulation",
    "sweep": "cadbridge.sweeps",
    "load_sweep": "cadbridge.sweeps",
    "write_sweep": "cadbridge.sweeps",
    "export": "cadbridge.exporters",
    "inverse": "cadbridge.efforts",
    "load_motion": "cadbridge.efforts",
    "write_inverse": "cadbridge.efforts",
    "transmission": "cadbridge.geared",
    "check_document": "cadbridge.report",
    "jobs": "cadbridge.jobs",
    "CadbridgeError": "cadbridge.errors",
    "InputError": "cadbridge.errors",
    "ModelError": "cadbridge.errors",
}

__all__ = [
    "CadbridgeError", "InputError", "ModelError", "ReadOptions", "build", "check_document", "diagnose", "export",
    "fit", "inverse", "jobs", "load_fit", "load_motion", "load_scenario", "load_sweep", "load_trajectory", "read",
    "recognise", "simulate", "sweep", "transmission", "write_inverse", "write_sweep", "write_trajectory",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'cadbridge' has no attribute {name!r}")
    module = import_module(home)
    return module if home == f"cadbridge.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__", "__name__", "__path__", "__version__"]
