"""modelDescription.xml of FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from cadbridge.exporters.fmu.variables import Variable
from cadbridge.exporters.numbers import number
from cadbridge.version import __version__

STATES = (
    "Model exchange: the states are the poses and velocities of all bodies and the angles that are counted. Their "
    "derivatives are those of the state put on the constraints, plus 20 per second times the way back to it, so that "
    "loops and gears stay closed in any integrator. Co-simulation: the solver's own steps (Dormand and Prince 5(4), "
    "every step put on the constraints)."
)

INPUTS = (
    "Inputs are kept from one communication point to the next; a target moves on with its rate and acceleration. "
    "Parameters may change between steps. Initial joint values are those of the scenario that the FMU was made with; "
    "what the scenario says holds over its duration, and its last values after it."
)

_BASE = {
    "s": "s='1'",
    "m": "m='1'",
    "m/s": "m='1' s='-1'",
    "m/s2": "m='1' s='-2'",
    "rad": "rad='1'",
    "rad/s": "rad='1' s='-1'",
    "rad/s2": "rad='1' s='-2'",
    "1/s": "s='-1'",
    "kg": "kg='1'",
    "N": "kg='1' m='1' s='-2'",
    "N.m": "kg='1' m='2' s='-2'",
    "J": "kg='1' m='2' s='-2'",
    "V": "kg='1' m='2' s='-3' A='-1'",
    "N.s/m": "kg='1' s='-1'",
    "N.m.s/rad": "kg='1' m='2' s='-1' rad='-1'",
}
"""Unit → its exponents of SI."""


@dataclass(frozen=True)
class ModelDescription:
    """What both versions say of a model."""

    name: str
    identifier: str
    token: str
    variables: Sequence[Variable]
    duration: float
    step: float
    tolerance: float

    @property
    def units(self) -> list[str]:
        """All units that the variables have."""
        used = {v.unit for v in self.variables} - {"1"}
        return [unit for unit in _BASE if unit in used]

    def references(self, *kinds: str) -> list[int]:
        """The value references of variables of some kinds."""
        return [k for k, v in enumerate(self.variables) if v.kind in kinds]


def page(content: ModelDescription) -> bytes:
    """The documentation within the FMU."""
    title = escape(content.name)
    rows = [f"<tr><td>{escape(v.name)}</td><td>{_SAYS[v.kind][0]}</td><td>{v.unit}</td><td>{escape(v.text)}</td></tr>"
            for v in content.variables if v.kind not in ("state", "derivative")]  # fmt: skip
    head = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>'
    introduction = [f"<h1>{title}</h1>", f"<p>{STATES}</p>", f"<p>{INPUTS}</p>"]
    lines = [head, *introduction, "<table>", *rows, "</table></body></html>"]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def description(fmi: int, content: ModelDescription) -> bytes:
    """The file for FMI 2 or 3."""
    lines = _fmi2(content) if fmi == 2 else _fmi3(content)
    return ("\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines]) + "\n").encode(errors="backslashreplace")


def _attributes(**values: object) -> str:
    return "".join(f" {name}={quoteattr(str(value))}" for name, value in values.items() if value is not None)


def _head(content: ModelDescription) -> dict[str, str]:
    tool = f"cadbridge {__version__}"
    return {
        "modelName": content.name,
        "description": STATES,
        "generationTool": tool,
        "variableNamingConvention": "structured",
    }


_CAN = {"canHandleVariableCommunicationStepSize": "true"}


def _kinds(content: ModelDescription, states: str) -> Iterable[str]:
    """The two elements of the kinds of FMU; `states` is how this version writes "FMUState"."""
    saved = {f"canGetAndSet{states}": "true", f"canSerialize{states}": "true"}
    yield f"  <ModelExchange{_attributes(modelIdentifier=content.identifier, **saved)}/>"
    yield f"  <CoSimulation{_attributes(modelIdentifier=content.identifier, **_CAN, **saved)}/>"


def _unit_definitions(content: ModelDescription) -> Iterable[str]:
    yield "  <UnitDefinitions>"
    for unit in content.units:
        yield f"    <Unit{_attributes(name=unit)}><BaseUnit {_BASE[unit]}/></Unit>".replace("'", '"')
    yield "  </UnitDefinitions>"


def _experiment(content: ModelDescription) -> str:
    times = {"startTime": "0", "stopTime": number(content.duration), "tolerance": number(content.tolerance)}
    return f"  <DefaultExperiment{_attributes(**times, stepSize=number(content.step))}/>"


_SAYS = {
    "time": ("independent", "continuous", None),
    "input": ("input", "continuous", None),
    "parameter": ("parameter", "tunable", "exact"),
    "mass": ("parameter", "tunable", "exact"),
    "state": ("local", "continuous", "exact"),
    "derivative": ("local", "continuous", "calculated"),
    "output": ("output", "continuous", "calculated"),
    "reaction": ("output", "continuous", "calculated"),
}
"""Kind → causality, variability, initial."""


def _common(k: int, v: Variable) -> dict[str, object]:
    causality, variability, initial = _SAYS[v.kind]
    return {"name": v.name, "valueReference": k, "description": v.text, "causality": causality,
            "variability": variability, "initial": initial}  # fmt: skip


def _real(content: ModelDescription, v: Variable, offset: int) -> dict[str, object]:
    """Unit, start and derivative; `offset` from a value reference to what the version counts by."""
    start = None if v.start is None else repr(v.start)
    derivative = None if v.of is None else v.of + offset
    return {"unit": None if v.unit == "1" else v.unit, "derivative": derivative, "start": start}


def _fmi2(content: ModelDescription) -> Iterable[str]:
    version = {"fmiVersion": "2.0", "guid": content.token, "numberOfEventIndicators": 0}
    yield f"<fmiModelDescription{_attributes(**version, **_head(content))}>"
    yield from _kinds(content, "FMUstate")
    yield from _unit_definitions(content)
    yield '  <LogCategories><Category name="logStatusError"/><Category name="logStatusDiscard"/></LogCategories>'
    yield _experiment(content)
    yield "  <ModelVariables>"
    for k, v in enumerate(content.variables):
        # FMI 2.0 counts variables from 1 in `derivative` and in ModelStructure, by their places; FMI 3.0 by value
        # references.
        inner = f"<Real{_attributes(**_real(content, v, 1))}/>"
        yield f"    <ScalarVariable{_attributes(**_common(k, v))}>{inner}</ScalarVariable>"
    yield "  </ModelVariables>"
    outputs, derivatives = content.references("output", "reaction"), content.references("derivative")
    yield "  <ModelStructure>"
    parts = {"Outputs": outputs, "Derivatives": derivatives, "InitialUnknowns": sorted({*outputs, *derivatives})}
    for name, references in parts.items():
        if references:
            yield f"    <{name}>"
            yield from (f'      <Unknown index="{k + 1}"/>' for k in references)
            yield f"    </{name}>"
    yield "  </ModelStructure>"
    yield "</fmiModelDescription>"


def _fmi3(content: ModelDescription) -> Iterable[str]:
    version = {"fmiVersion": "3.0", "instantiationToken": content.token}
    yield f"<fmiModelDescription{_attributes(**version, **_head(content))}>"
    yield from _kinds(content, "FMUState")
    yield from _unit_definitions(content)
    yield '  <LogCategories><Category name="logStatusError"/><Category name="logStatusDiscard"/></LogCategories>'
    yield _experiment(content)
    yield "  <ModelVariables>"
    for k, v in enumerate(content.variables):
        yield f"    <Float64{_attributes(**_common(k, v), **_real(content, v, 0))}/>"
    yield "  </ModelVariables>"
    outputs, derivatives = content.references("output", "reaction"), content.references("derivative")
    yield "  <ModelStructure>"
    yield from (f'    <Output valueReference="{k}"/>' for k in outputs)
    yield from (f'    <ContinuousStateDerivative valueReference="{k}"/>' for k in derivatives)
    yield from (f'    <InitialUnknown valueReference="{k}"/>' for k in sorted({*outputs, *derivatives}))
    yield "  </ModelStructure>"
    yield "</fmiModelDescription>"
