"""Compiles the kernels to the library of machine code: `python -m solver.compilation.building FOLDER x86-64-v3`.

Numba types the kernels and lowers them to LLVM's code. Its own way from there, a module for each function with all
that it calls, optimised and emitted anew, would take minutes. Here all functions go into one module, which
is optimised and emitted once for the kind of processor named. It stands on nothing but the C library's mathematics.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, sigutils
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.datamodel import models
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, intrinsic, register_model, unbox
from numba.np.arrayobj import make_array, populate_array

from solver.compilation import library
from solver.compilation.compiled import ENTRIES, ArrayOf, Entry, Kernel, Kind, Table

_WORD_BYTES = 8
"""Bytes of a pointer, an int64 and a float64: all that tables hold, on the machines that are compiled for."""


class TableType(types.Type):  # type: ignore[misc]  # Numba has no types, here and below
    """A table, as Numba knows it: a pointer to its words."""

    def __init__(self, name: str, kinds: dict[str, Kind]) -> None:
        self.offsets: dict[str, int] = {}
        self.fields: dict[str, Any] = {}
        word = 0
        for field, kind in kinds.items():
            self.offsets[field], self.fields[field] = word, type_of(kind)
            word += 1 + (kind.dimensions if isinstance(kind, ArrayOf) else 0)
        super().__init__(name=f"Table({name})")


_TABLES: dict[type, TableType] = {}


def table_type(cls: type[Table]) -> TableType:
    """The type of a table's class."""
    if cls not in _TABLES:
        _TABLES[cls] = TableType(cls.__name__, cls.kinds)
    return _TABLES[cls]


def type_of(kind: Kind) -> Any:
    """A kind as a type of Numba's."""
    if isinstance(kind, ArrayOf):
        return types.Array(types.float64 if kind.real else types.int64, kind.dimensions, "C")
    if isinstance(kind, tuple):
        return types.Tuple([type_of(one) for one in kind])
    numbers = {float: types.float64, int: types.int64, bool: types.boolean}
    if kind in numbers:
        return numbers[kind]
    assert isinstance(kind, type)
    return table_type(kind)


@typeof_impl.register(Table)  # type: ignore[untyped-decorator]
def _type_of_table(value: Table, context: Any) -> TableType:
    return table_type(type(value))


@register_model(TableType)
class _Pointer(models.OpaqueModel):  # type: ignore[misc]
    pass


@unbox(TableType)  # type: ignore[untyped-decorator]
def _unbox_table(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = TableType

    def generic_resolve(self, kind: Any, attribute: str) -> Any:
        return kind.fields.get(attribute)


@lower_getattr_generic(TableType)  # type: ignore[untyped-decorator]
def _load_field(context: Any, builder: Any, kind: Any, value: Any, attribute: str) -> Any:
    """A field: loads that never see another value, so that LLVM takes them out of loops."""
    at, field = kind.offsets[attribute], kind.fields[attribute]
    integer = context.get_value_type(types.intp)

    def load(word: int, as_type: Any) -> Any:
        place = builder.gep(value, [context.get_constant(types.intp, _WORD_BYTES * (at + word))], source_etype=_BYTE)
        found = builder.load(builder.bitcast(place, as_type.as_pointer()), typ=as_type)
        found.set_metadata("invariant.load", builder.module.add_metadata([]))
        return found

    if not isinstance(field, types.Array):
        if field is types.boolean:
            return builder.trunc(load(0, integer), cgutils.bool_t)
        return load(0, context.get_value_type(field))
    data = load(0, context.get_data_type(field.dtype).as_pointer())
    shape = [load(1 + k, integer) for k in range(field.ndim)]
    item = context.get_constant(types.intp, _WORD_BYTES)
    strides = [item]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size, flags=["nsw"]))
    array = make_array(field)(context, builder)
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None)
    return array._getvalue()


_BYTE = cgutils.int8_t


_dispatchers: list[Any] = []
"""Numba's types only refer to them."""


def dispatcher_type(kernel: Kernel[..., Any]) -> Any:
    """A kernel as a function of Numba's: without its runtime, no reference is counted."""
    options = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    made = numba.njit(**options, forceinline=kernel.inline)(kernel.py_func)
    template = made.get_call_template

    def plain(arguments: Any, keywords: Any) -> Any:
        # A literal True and a bool would make two functions of one.
        return template(tuple(types.unliteral(one) for one in arguments), keywords)

    made.get_call_template = plain
    _dispatchers.append(made)
    return types.Dispatcher(made)


def modules() -> list[str]:
    """The modules that have kernels."""
    found = []
    for path in library.sources():
        parts = path.relative_to(library.PACKAGE).with_suffix("").parts
        found.append(".".join(("solver", *(part for part in parts if part != "__init__"))))
    return [name for name in found if name not in ("solver.compilation.compiled", "solver.compilation.building")]


@contextmanager
def _unfinished() -> Iterator[None]:
    """While it lasts Numba leaves each function's module as it was lowered, and makes nothing of it that could run."""
    with ExitStack() as stack:
        for owner, name, function in (
            (JITCodeLibrary, "_optimize_functions", lambda self, module: None),
            (JITCodeLibrary, "finalize", lambda self: setattr(self, "_finalized", True)),
            (JITCodeLibrary, "get_pointer_to_function", lambda self, name: 0),
            (JITCPUCodegen, "set_env", lambda self, name, environment: None),
        ):
            stack.enter_context(patch.object(owner, name, function))
        yield


def _arguments(entry: Entry[..., Any]) -> tuple[Any, str]:
    """The table type of an entry's arguments and results, and the call that takes them from it, as text."""
    kinds: dict[str, Kind] = {}

    def taken(kind: Kind) -> str:
        if isinstance(kind, tuple):
            return f"({', '.join(taken(one) for one in kind)},)"
        kinds[f"w{len(kinds)}"] = kind
        return f"words.w{len(kinds) - 1}"

    given, _ = entry.kinds
    call = f"f({', '.join([taken(kind) for kind in given])})"
    kinds["out"] = int
    count = len(entry.results)
    if not count:
        body = f"    {call}\n"
    else:
        names = [f"r{k}" for k in range(count)]
        left = names[0] if not isinstance(entry.kinds[1], tuple) else f"({', '.join(names)},)"
        body = f"    {left} = {call}\n" + "".join(f"    store(words.out, {k}, 1.0 * r{k})\n" for k in range(count))
    return TableType(f"arguments of {entry.__name__}", kinds), f"def call(words):\n{body}"


@intrinsic  # type: ignore[untyped-decorator]
def _store(context: Any, address: Any, place: Any, value: Any) -> Any:
    """Write a double to the place (a literal) after an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        real = context.get_value_type(types.float64)
        offset = builder.add(arguments[0], builder.mul(arguments[1], context.get_constant(types.int64, _WORD_BYTES)))
        builder.store(arguments[2], builder.inttoptr(offset, real.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _call_address(context: Any, address: Any, k: Any, t: Any, room: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, real = context.get_value_type(types.int64), context.get_value_type(types.float64)
        kind = ir.FunctionType(ir.VoidType(), [word, real, word])
        data = make_array(signature.args[3])(context, builder, arguments[3]).data
        given = [arguments[1], arguments[2], builder.ptrtoint(data, word)]
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), given)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64, types.Array(types.float64, 2, "C")), generate


def call_python(address: Any, k: Any, t: Any, room: Any) -> None:
    """See `solver.compilation.compiled.call_python`."""
    _call_address(address, k, t, room)


def _lowered(entry: Entry[..., Any]) -> Any:
    """What Numba makes of an entry, its arguments being words."""
    kind, text = _arguments(entry)
    space: dict[str, Any] = {"f": entry, "store": _store}
    exec(text, space)  # - the text is made of the entry's own argument kinds alone
    options = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    made = numba.njit(**options)(space["call"])
    args, _ = sigutils.normalize_signature((kind,))
    made.compile(args)
    return made.overloads[args]


def _libraries(some: list[Any]) -> list[Any]:
    """The libraries, and all that they call, each once."""
    found: dict[int, Any] = {}
    waiting = list(some)
    while waiting:
        one = waiting.pop()
        if id(one) not in found:
            found[id(one)] = one
            waiting += one._linking_libraries
    return list(found.values())


_WRAPPER = """
declare i32 @"{inner}"(ptr, ptr, ptr)
define i32 @{symbol}(ptr %words) {{
  %result = alloca ptr
  %fault = alloca ptr
  %status = call i32 @"{inner}"(ptr %result, ptr %fault, ptr %words)
  ret i32 %status
}}
"""


def _module(entries: list[Entry[..., Any]]) -> Any:
    """One module of all entries and what they call; only the entries' symbols are seen from outside."""
    lowered = [_lowered(entry) for entry in entries]
    whole = llvm.parse_assembly("")
    for one in _libraries([result.library for result in lowered]):
        whole.link_in(one._final_module)
    text = "".join(
        _WRAPPER.format(inner=result.fndesc.llvm_func_name, symbol=entry.symbol)
        for entry, result in zip(entries, lowered, strict=True)
    )
    whole.link_in(llvm.parse_assembly(text))
    # What nobody sees from outside, LLVM may put in place, merge and leave out.
    symbols = {entry.symbol for entry in entries}
    for function in whole.functions:
        if not function.is_declaration and function.name not in symbols:
            function.linkage = "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    whole.verify()
    return whole


def machine(processor: str, far: bool = False) -> Any:
    """LLVM's machine for a kind of processor; `far`: for code whose sections may lie anywhere in memory."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    named = processor if processor.startswith("x86-64") else "generic"
    return target.create_target_machine(cpu=named, opt=3, reloc="pic", codemodel="large" if far else "default")


def _optimised(module: Any, target: Any) -> None:
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)


def objects_of(entries: list[Entry[..., Any]], processors: Sequence[str], far: bool = False) -> Iterator[bytes]:
    """The machine code of entries as an object file, for one kind of processor after the other.

    `far` is for objects that no linker puts together: LLVM loads each section where it finds room, and where much is
    loaded beside them they may lie more than 2 GB apart, which offsets of 32 bits do not reach.

    Call it in a process of its own: it takes apart what Numba has compiled, so Numba can run nothing there afterwards.
    """
    with _unfinished():
        module = _module(entries)
    for processor in processors:
        # A copy, as optimising binds a module to the vectors of one kind of processor.
        target, copy = machine(processor, far), module.clone()
        _optimised(copy, target)
        yield bytes(target.emit_object(copy))


def _linkers() -> list[list[str]]:
    """Commands that link an object to a shared library."""
    found = [["cc"], ["gcc"], ["clang"]]
    if find_spec("ziglang") is not None:
        found.append([sys.executable, "-m", "ziglang", "cc"])
    return found


def _linked(linker: list[str], bare: Path, shared: Path) -> bool:
    """Link an object to a shared library; whether the linker is there and does it."""
    try:
        command = [*linker, "-shared", "-o", str(shared), str(bare), "-lm"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _linker(space: Path) -> list[str] | None:
    """The first linker that links an object without code; None where there is none."""
    empty = space / "empty.o"
    empty.write_bytes(bytes(machine(library.processor()).emit_object(llvm.parse_assembly(""))))
    return next((linker for linker in _linkers() if _linked(linker, empty, space / "empty.so")), None)


def main(folder: str, *processors: str) -> None:
    """Write the libraries into a folder, linked if anything links them; their names go to stdout, a line each."""
    for name in modules():
        importlib.import_module(name)
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".kernels") as space:
        linker = _linker(Path(space))
        codes = objects_of(list(ENTRIES.values()), processors, far=linker is None)
        for processor, code in zip(processors, codes, strict=True):
            bare, shared = Path(space) / "kernels.o", Path(space) / "kernels.so"
            bare.write_bytes(code)
            if linker is not None and not _linked(linker, bare, shared):
                raise RuntimeError(f"{' '.join(linker)} does not link them")
            made = bare if linker is None else shared
            written = Path(folder) / (library.name(processor) + made.suffix)
            os.replace(made, written)
            sys.stdout.write(f"{written}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
