"""Kernels: functions in the part of Python that Numba compiles, made to machine code before they are called.

`entry` marks the kernels that Python calls. Their annotations are their types: `Array1` … `Array4` and `Ints1`, `Ints2`
(C-contiguous arrays of so many dimensions), tables (below), float, int, bool, and tuples of these; they return floats,
ints, bools, a tuple of them, or nothing. All entries together make one library of machine code (`library`), in
which every kernel that they call stands once. Python calls it by ctypes: neither Numba nor its compiler is imported.
`kernel` marks the functions that entries call. A kernel gets all its arrays from its caller and makes none. Its
annotations are for readers and mypy: Numba finds its types anew from those of the entries.

`table` marks a named tuple of arrays, numbers and other tables that kernels get as one pointer. It points to words of 8
bytes, a field after the other: of an array its address and its shape, of a number itself, of a table its pointer. The
words are written once, when a table is first handed to a kernel, and live as long as the table; so an array of a table
is never exchanged, only filled.

An entry `f` has the symbol `solver_f` and the C interface `int32_t solver_f(const int64_t *words)`: the arguments stand
in `words` as the fields of a table do, and the last word is the address of the results, one double each. It returns 0.

Numba, where code that it compiles at run time calls a kernel, takes it for a function of its own.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from solver.compilation.library import load

Class = TypeVar("Class", bound=type)
P = ParamSpec("P")
R = TypeVar("R")
_PREFIX = "solver_"
ENTRIES: dict[str, Entry[..., Any]] = {}
"""All entries of the modules that are imported, by name."""


@dataclass(frozen=True)
class ArrayOf:
    """An array argument: whether of float64 (else int64), and its dimensions."""

    real: bool
    dimensions: int


Array1 = Annotated[NDArray[np.float64], ArrayOf(True, 1)]
Array2 = Annotated[NDArray[np.float64], ArrayOf(True, 2)]
Array3 = Annotated[NDArray[np.float64], ArrayOf(True, 3)]
Array4 = Annotated[NDArray[np.float64], ArrayOf(True, 4)]
Ints1 = Annotated[NDArray[np.int64], ArrayOf(False, 1)]
Ints2 = Annotated[NDArray[np.int64], ArrayOf(False, 2)]
Pair = tuple[float, float]
Triple = tuple[float, float, float]
Quad = tuple[float, float, float, float]
"""Small vectors and quaternions are tuples: they need no memory."""

Kind = ArrayOf | type | tuple["Kind", ...] | None
"""What an annotation says: an array, a table's class or float, int, bool, a tuple of kinds, None: nothing."""


def kind_of(hint: Any) -> Kind:
    """What an evaluated annotation says. Raises TypeError for one that kernels do not know."""
    if get_origin(hint) is Annotated:
        return hint.__metadata__[0]  # type: ignore[no-any-return]  # an ArrayOf
    if get_origin(hint) is tuple:
        return tuple(map(kind_of, get_args(hint)))
    if hint is type(None):
        return None
    if hint in (float, int, bool) or (isinstance(hint, type) and issubclass(hint, Table)):
        return hint  # type: ignore[no-any-return]  # one of the types just asked for
    raise TypeError(f"no type that kernels know: {hint}")


def _address(array: Any, kind: ArrayOf) -> int:
    """Where an array's numbers are. Raises TypeError unless it is what a kernel takes it for."""
    wanted = _REAL if kind.real else _WHOLE
    # Nearly all arrays pass this test by identity; one of an equal type that was made elsewhere passes the slower one.
    if type(array) is not np.ndarray or array.dtype is not wanted or array.ndim != kind.dimensions:
        fits = isinstance(array, np.ndarray) and array.dtype == wanted and array.ndim == kind.dimensions
        if not fits:
            raise TypeError(f"a kernel takes a {wanted} array of {kind.dimensions} dimensions, not {_described(array)}")
    if not array.flags.c_contiguous:
        raise TypeError("a kernel takes arrays whose rows lie one after the other (C order)")
    return _start(array)


def _start(array: Any) -> int:
    """Where the numbers of a contiguous array begin: as `array.ctypes.data`, in a fifth of its time."""
    try:
        return ctypes.addressof(_NO_BYTES.from_buffer(array))
    except TypeError:  # read-only
        return int(array.ctypes.data)


_NO_BYTES = ctypes.c_char * 0
"""A buffer of no bytes: it has the address of any array that can be written to, also of an empty one."""


_REAL, _WHOLE = np.dtype(np.float64), np.dtype(np.int64)


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"one of {value.dtype} with {value.ndim}"
    return type(value).__name__


class Table(tuple[Any, ...]):
    """What `table` makes of a named tuple: `kinds` of its fields, and `address` of its words."""

    kinds: dict[str, Kind]
    address: int

    def __getattr__(self, name: str) -> Any:
        if name != "address":
            raise AttributeError(f"{type(self).__name__} has no {name}")
        words: list[int] = []
        for value, kind in zip(self, type(self).kinds.values(), strict=True):
            words += _words(value, kind)
        # They stay with the table, as the address is that of this memory.
        self._words = np.array(words, dtype=np.int64)
        self.address = int(self._words.ctypes.data)
        return self.address

    def __reduce__(self) -> Any:
        # Addresses are those of this process: a copy writes its own.
        return type(self), tuple(self)


def _words(value: Any, kind: Kind) -> list[int]:
    """A value in words, as fields and arguments stand in memory."""
    if isinstance(kind, ArrayOf):
        return [_address(value, kind), *value.shape]
    if isinstance(kind, tuple):
        return [word for one, inner in zip(value, kind, strict=True) for word in _words(one, inner)]
    if kind is float:
        return list(_FLOAT_AS_WORD.unpack(_FLOAT.pack(value)))
    return [int(value) if kind is int or kind is bool else value.address]


_FLOAT, _FLOAT_AS_WORD = struct.Struct("=d"), struct.Struct("=q")


def table(cls: Class) -> Class:
    """A named tuple that kernels get as one pointer; see above. Its annotations are the types of its fields."""
    kinds = {name: kind_of(hint) for name, hint in get_type_hints(cls, include_extras=True).items()}
    if "address" in kinds:
        raise TypeError(f"{cls.__name__}: the address is that of the table itself, no field")
    space = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__annotations__": cls.__annotations__,
        "kinds": kinds,
    }
    made: Any = type(cls.__name__, (Table, cls), space)
    made.__reduce__ = Table.__reduce__
    return made  # type: ignore[no-any-return]  # the class given, with a table's methods


def zeros(*shapes: int | tuple[int, ...]) -> Iterator[Any]:
    """An array of zeros of each shape: the fields of a table that is a workspace."""
    return map(np.zeros, shapes)


class Kernel(Generic[P, R]):
    """A function that entries call; in Python it runs as it stands."""

    def __init__(self, function: Callable[P, R], inline: bool = False) -> None:
        self.py_func = function
        self.inline = inline
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        return self.py_func(*arguments, **named)

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba takes it for, where code that Numba compiles calls it."""
        from solver.compilation.building import dispatcher_type

        return dispatcher_type(self)


class Entry(Kernel[P, R]):
    """A kernel that Python calls; see above."""

    def __init__(self, function: Callable[P, R]) -> None:
        super().__init__(function)
        self.symbol = _PREFIX + function.__name__
        if function.__name__ in ENTRIES and ENTRIES[function.__name__].__module__ != function.__module__:
            raise TypeError(f"two entries have the name {function.__name__}")
        ENTRIES[function.__name__] = self

    @cached_property
    def kinds(self) -> tuple[tuple[Kind, ...], Kind]:
        """The kinds of its arguments, and of what it returns."""
        hints = get_type_hints(self.py_func, include_extras=True)
        returned = kind_of(hints.pop("return"))
        return tuple(map(kind_of, hints.values())), returned

    @cached_property
    def results(self) -> tuple[type, ...]:
        """The types of the numbers that it returns."""
        returned = self.kinds[1]
        some: Any = returned if isinstance(returned, tuple) else (() if returned is None else (returned,))
        return tuple(some)

    @cached_property
    def _call(self) -> Callable[..., R]:
        return _caller(self, load(self.symbol))

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        assert not named
        return self._call(*arguments)

    def bound(self, *arguments: P.args, **named: P.kwargs) -> Callable[[], R]:
        """The call with these arguments, their addresses taken once: for arrays that stay and are filled anew."""
        given, _ = self.kinds
        words = [word for value, kind in zip(arguments, given, strict=True) for word in _words(value, kind)]
        results = self.results
        out = (ctypes.c_double * max(len(results), 1))()
        packed = struct.pack(f"={len(words) + 1}q", *words, ctypes.addressof(out))
        compiled, several = load(self.symbol), isinstance(self.kinds[1], tuple)

        def call() -> Any:
            _ = arguments  # they live as long as the call
            if compiled(packed):
                raise SystemError(self.symbol)
            found = tuple(kind(value) for kind, value in zip(results, out, strict=False))
            return found if several else (found[0] if found else None)

        return call


def _caller(entry: Entry[..., Any], compiled: Callable[[bytes], int]) -> Callable[..., Any]:
    """The function that hands Python's arguments to the compiled one: written out, for it is called often."""
    lines: list[str] = []
    codes: list[str] = []
    values: list[str] = []

    def hand(name: str, kind: Kind) -> None:
        if isinstance(kind, ArrayOf):
            wanted = "REAL" if kind.real else "WHOLE"
            d = kind.dimensions
            lines.append(f"if not ({name}.dtype is {wanted} and {name}.ndim == {d} and {name}.flags.c_contiguous):")
            lines.append(f"    address({name}, {kind!r})")
            values.extend([f"start({name})", f"*{name}.shape"])
            codes.append("q" * (1 + d))
        elif isinstance(kind, tuple):
            inner = [f"{name}_{k}" for k in range(len(kind))]
            lines.append(f"({', '.join(inner)},) = {name}")
            for one, part in zip(inner, kind, strict=True):
                hand(one, part)
        elif kind in (float, int, bool):
            values.append(name)
            codes.append("d" if kind is float else "q")
        else:
            values.append(f"{name}.address")
            codes.append("q")

    given, _ = entry.kinds
    names = [f"a{k}" for k in range(len(given))]
    for name, kind in zip(names, given, strict=True):
        hand(name, kind)
    results = entry.results
    converted = [f"{r.__name__}(out[{k}])" if r is not float else f"out[{k}]" for k, r in enumerate(results)]
    returned = f"({', '.join(converted)},)" if isinstance(entry.kinds[1], tuple) else "".join(converted)
    lines += ["out = room()", f"words = pack({', '.join([*values, 'at(out)'])})"]
    lines += [f"if compiled(words): raise SystemError({entry.symbol!r})", f"return {returned}"]
    text = "\n    ".join([f"def call({', '.join(names)}):", *lines])
    space: dict[str, Any] = {
        "REAL": _REAL, "WHOLE": _WHOLE, "address": _address, "start": _start, "ArrayOf": ArrayOf, "compiled": compiled,
        "pack": struct.Struct("=" + "".join(codes) + "q").pack, "room": ctypes.c_double * max(len(results), 1),
        "at": ctypes.addressof,
    }  # fmt: skip
    exec(text, space)  # - the text is made of the entry's own argument kinds alone
    return space["call"]  # type: ignore[no-any-return]  # what exec made


class Foreign(Kernel[P, R]):
    """A function that only compiled code can call; `solver.compilation.building` has it, by its name."""

    @cached_property
    def _numba_type_(self) -> Any:
        from solver.compilation import building

        return building.dispatcher_type(Kernel(getattr(building, self.__name__)))


@Foreign
def call_python(address: int, k: int, t: float, room: Array2) -> None:
    """Call the C function at `address` with (k, t, the address of `room`)."""
    raise NotImplementedError("only compiled code calls a function by its address")


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """A function that entries call, and that neither makes nor returns arrays."""
    return Kernel(function)


def inlined(function: Callable[P, R]) -> Kernel[P, R]:
    """A small kernel, put in place of each call."""
    return Kernel(function, inline=True)


def entry(function: Callable[P, R]) -> Entry[P, R]:
    """A kernel that Python calls: a part of the library."""
    return Entry(function)
