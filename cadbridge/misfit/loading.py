"""From a fit file to settings: names and units are checked, all faults at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadbridge.assembly import GROUND
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.mechanism import Mechanism
from cadbridge.misfit.blocks import KINDS, LENGTHS, TURNS
from cadbridge.misfit.settings import Fitted, Rule, Settings, matches
from cadbridge.units import MM
from cadbridge.wording import listed

if TYPE_CHECKING:
    from cadbridge.misfit.file import FitEntry, FitFile
    from cadbridge.readers.mates_file.positions import TextPlace

ENDING = ".fit.yaml"
_OF = ("mates", "components", "faces")


def load_fit(path: str | Path | None, mechanism: Mechanism) -> Settings:
    """Read the settings of a fit file for a mechanism.

    Args:
        path: The fit file; None takes NAME.fit.yaml beside the source, or the defaults where there is none.
        mechanism: The mechanism whose mates and components the file names.

    Returns:
        The settings for `fit`, in SI.

    Raises:
        InputError: The file cannot be read, or has faults; its findings are all of them, each with line and column.
    """
    from cadbridge.readers.paths import beside

    if path is None:
        source = Path(mechanism.assembly.source)
        path = source.with_name(source.stem + ENDING)
        if not path.is_file():
            return Settings()
        beside(path, source, "put the file itself there; cadbridge fit takes it by --fit")
    # Models and YAML are not light: only who has a file waits for them.
    from cadbridge.misfit.file import FitFile
    from cadbridge.readers.mates_file.validated import load_spec

    findings, path = Findings(), Path(path)
    spec, places = load_spec(FitFile, path, findings, "CB440")
    settings = None if spec is None else _FitResolver(mechanism, findings, str(path), places).resolve(spec)
    if findings.errors or settings is None:
        raise InputError("The fit file cannot be used; nothing was computed.", findings)
    return settings


@dataclass
class _FitResolver:
    """Patterns held against names, mm and mrad to SI; every fault is reported at its place."""

    mechanism: Mechanism
    findings: Findings
    file: str
    places: TextPlace

    def resolve(self, spec: FitFile) -> Settings:
        from cadbridge.misfit.fits import rules_of

        fitted = self._fitted(spec.fits)
        play, preloads = rules_of(fitted)
        shared = [pattern for i, e in enumerate(spec.shared) if (pattern := self._subject("shared", i, e)[1])]
        return Settings(
            tolerances=self._rules("tolerances", spec.tolerances, MM),
            stiffness=self._rules("stiffness", spec.stiffness, 1.0),
            play=(*play, *self._rules("play", spec.play, MM)),
            preloads=(*preloads, *self._rules("preload", spec.preload, MM)),
            ratings=self._rules("rating", spec.rating, 1.0),
            shared=tuple(shared),
            fitted=tuple(fitted),
            iso_class=spec.iso,
            draws=spec.draws,
            seed=spec.seed,
            uniform=spec.distribution == "uniform",
        )

    def _rules(self, section: str, entries: Sequence[Any], factor: float) -> tuple[Rule, ...]:
        found = []
        for i, entry in enumerate(entries):
            of, pattern = self._subject(section, i, entry)
            if of is None:
                continue
            values = {kind: v * factor for kind in KINDS if (v := getattr(entry, kind, None)) is not None}
            for word, kinds in (("force", LENGTHS), ("moment", TURNS)):
                if (v := getattr(entry, word, None)) is not None:
                    values = {**dict.fromkeys(kinds, v), **values}
            where = self._where(section, i)
            silent = not values and getattr(entry, "iso", None) is None
            if silent and not any(f.where.line == where.line for f in self.findings):
                self.findings.add("CB440", f"{section} of {pattern} gives no value", where)
            found.append(Rule(of, pattern, values, getattr(entry, "iso", None)))
        return tuple(found)

    def _fitted(self, entries: Sequence[FitEntry]) -> list[Fitted]:
        """The clearance of every mate that a fit names; of several the last holds."""
        from cadbridge.misfit.fits import fitted_by

        found: dict[str, Fitted] = {}
        for i, entry in enumerate(entries):
            _, pattern = self._subject("fits", i, entry)
            for mate in self.mechanism.assembly.mates:
                if matches(pattern, mate.name):
                    try:
                        found[mate.name] = fitted_by(self.mechanism.assembly, mate, entry)
                    except ValueError as fault:
                        self.findings.add("CB440", f"fits: {mate.name}: {fault}", self._where("fits", i))
        return list(found.values())

    def _subject(self, section: str, index: int, entry: Any) -> tuple[str | None, str]:
        """What an entry is about, and its pattern; findings where it says none or two, and where no name fits."""
        from cadbridge.readers.mates_file.document import nearest

        given = [(of, pattern) for of in _OF if (pattern := getattr(entry, of, None)) is not None]
        if len(given) != 1:
            text = f"{section}: give one of {', '.join(of for of in _OF if hasattr(entry, of))}"
            self.findings.add("CB440", text, self._where(section, index))
            return None, ""
        (of, pattern) = given[0]
        names = sorted(set(self._names(of)))
        if not any(matches(pattern, name) for name in names):
            near = nearest(pattern, names) or (f"; there are {listed(names)}" if names else "; there are none")
            text = f"{section}: no name among the {of} fits {pattern!r}{near}"
            self.findings.add("CB440", text, self._where(section, index, of))
        return of, pattern

    def _names(self, of: str) -> Iterable[str]:
        assembly = self.mechanism.assembly
        if of == "components":
            return [GROUND, *(c.name for c in assembly.components)]
        if of == "mates":
            return [*(m.name for m in assembly.mates), *(c.name for c in assembly.couplings)]
        return [f.label for m in assembly.mates for f in (m.a, m.b) if f.label]

    def _where(self, *path: str | int) -> Where:
        return Where(self.file, *self.places.find(path))
