"""FMUs written, run in FMPy and driven step by step, for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.exporters import ExportOptions, ExportResult, export
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.simulation.run import Run, simulate
from cadbridge.simulation.study import requested_scenario
from cadbridge.simulation.trajectory import columns_of

ROOT = Path(__file__).resolve().parents[3]
KINDS_OF_FMU = ("CoSimulation", "ModelExchange")

LED = """
format: cadbridge.scenario/1
duration: 0.5
motors:
  - {joint: "Revolute:1", angle: "20*sin(3*t)"}
"""
HELD = """
format: cadbridge.scenario/1
duration: 0.5
rate: 200
initial: {positions: {"Revolute:1": 30}}
motors:
  - {joint: "Revolute:1", pd: {target: 10, kp: 5, kd: 0.5, effort: 3}}
"""


def written(mechanism: Mechanism, folder: Path, **options: Any) -> ExportResult:
    return export(mechanism, folder / "out", "fmu", name="rig", options=ExportOptions(**options))


def scenario(text: str, folder: Path) -> Path:
    path = folder / "what.scenario.yaml"
    path.write_text(text)
    return path


def own_run(mechanism: Mechanism, duration: float, file: Path | None = None) -> Run:
    what = requested_scenario(mechanism, Findings(), file, duration)
    run = simulate(mechanism, what)
    assert run.result.status.ok
    return run


def worst(run: Run, result: NDArray[Any], folder: Path) -> float:
    """The largest difference of our run from the FMU's variables, over what is largest of the same unit."""
    names = json.loads((folder / "out" / "losses.json").read_text())["names"]
    old = {"joint": names["joints"], "motor": names["joints"], "body": names["links"]}
    columns, missed, sizes = columns_of(run), {"": 0.0}, {"": 1e-3}
    for variable in (result.dtype.names or ())[1:]:
        kind, name, what = (*variable.split("."), "")[:3]
        column = f"{kind}.{old[kind][name]}.{what}" if kind in old else variable
        if column in columns:
            ours, unit = columns[column]
            missed[unit] = max(missed.get(unit, 0.0), float(np.max(np.abs(ours - result[variable]))))
            sizes[unit] = max(sizes.get(unit, 1e-3), float(np.max(np.abs(ours))))
    assert {"rad", "rad/s", "rad/s²", "m", "J"} <= missed.keys() or not run.lowered.joints
    return max(missed[unit] / sizes[unit] for unit in missed)


def simulated(path: Path, kind: str, duration: float, rate: float = 100.0, **more: Any) -> NDArray[Any]:
    import fmpy

    description = fmpy.read_model_description(str(path))
    outputs = [v.name for v in description.modelVariables if v.causality == "output"]
    found: NDArray[Any] = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=duration, output_interval=1 / rate, output=outputs, **more
    )
    return found


class Instance:
    """An instance for co-simulation, in step mode; `messages` are what it logged."""

    def __init__(self, path: Path, folder: Path, fmi: int = 3) -> None:
        import fmpy
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave, fmi3LogMessageCallback

        self.unzipped = folder / "unzipped"
        if not self.unzipped.is_dir():
            fmpy.extract(str(path), str(self.unzipped))
        said = fmpy.read_model_description(str(path))
        self.references = {v.name: v.valueReference for v in said.modelVariables}
        kind = FMU3Slave if fmi == 3 else FMU2Slave
        self.messages: list[str] = []
        self.fmu = kind(
            guid=said.guid, unzipDirectory=str(self.unzipped), modelIdentifier=said.coSimulation.modelIdentifier
        )
        if fmi == 3:
            log = fmi3LogMessageCallback(lambda e, status, category, text: self.messages.append(text.decode()))
            self.fmu.instantiate(logMessage=log)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.instantiate()
            self.fmu.setupExperiment(startTime=0.0)
            self.fmu.enterInitializationMode()
        self.read, self.write = (self.fmu.getFloat64, self.fmu.setFloat64) if fmi == 3 else (
            self.fmu.getReal, self.fmu.setReal)  # fmt: skip

    def ready(self) -> Instance:
        self.fmu.exitInitializationMode()
        return self

    def get(self, *names: str) -> list[float]:
        return list(self.read([self.references[name] for name in names]))

    def step(self, t: float, h: float = 0.01) -> None:
        self.fmu.doStep(t, h)

    def all(self) -> list[float]:
        return self.get(*(name for name in self.references if name != "time"))

    def to(self, first: int, last: int, h: float = 0.01) -> Instance:
        for k in range(first, last):
            self.step(k * h, h)
        return self
