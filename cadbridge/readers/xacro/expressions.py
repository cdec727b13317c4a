"""Expressions of a xacro file, computed without Python's `eval`: an allow-list of syntax, data and listed functions.

Python has no safe `eval`: any object that an expression reaches leads to the interpreter by its attributes. Here an
expression reaches no object at all. Values are data only (numbers, texts, True, False, None, and lists, tuples and
dictionaries of them); a name stands for data, a `Function` of a table or a `Group` of them; a dot selects a key of a
dictionary, a member of a group, or one of the listed methods, never an attribute of Python. What is not in the tables
below is refused. Sizes are bounded, because a short expression can ask for more than any memory.
"""

from __future__ import annotations

import ast
import builtins
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# Bounds of what a stranger's expression may make: each is far beyond what a robot's file needs, and together they keep
# one expression within milliseconds and megabytes. All but the last are choices.

LONGEST_EXPRESSION = 20_000
"""Characters of an expression; Python's parser takes time and memory in proportion."""

LONGEST_TEXT = 1_000_000
"""Characters of a text that an expression makes."""

MOST_ITEMS = 100_000
"""Items of a list or dictionary, those within it counted."""

DEEPEST_LISTS = 50
"""Lists within lists."""

MOST_BITS = 4_096
"""Bits of a whole number: above 1,024 it cannot become a double, and products of larger ones take long."""


class RefusedError(Exception):
    """An expression does more than compute values; the message says what and why."""


class TooLargeError(Exception):
    """A value beyond the bounds of this module."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function that an expression may call, by name only: it is no value.

    `keywords` are the names of arguments that may be given by name (None: any). With `applies` it takes other
    functions as arguments. `kind` is the type that it stands for where it is the name of one.
    """

    name: str
    call: Callable[..., Any]
    keywords: frozenset[str] | None = frozenset()
    applies: bool = False
    kind: type | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A name before a dot, as `math` in `math.pi`; its members are all it has."""

    name: str
    members: Mapping[str, Any]


def evaluate(text: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression whose names are those of `names`.

    RefusedError and TooLargeError as above; else what Python raises of an expression that has no value (SyntaxError,
    NameError, TypeError, ValueError, ArithmeticError, LookupError).
    """
    text = text.strip()
    if len(text) > LONGEST_EXPRESSION:
        raise TooLargeError(f"it is longer than {LONGEST_EXPRESSION} characters")
    return _data(_value(ast.parse(text, mode="eval").body, names))


def checked(value: Any) -> Any:
    """The value if it is data within the bounds."""
    items, waiting = 0, [(value, 0)]
    while waiting:
        at, depth = waiting.pop()
        kind = type(at)
        if kind is str:
            # A text counts by its length: ten thousand texts of a megabyte each are few items.
            items += len(at) // 16
            if len(at) > LONGEST_TEXT:
                raise TooLargeError(f"a text is longer than {LONGEST_TEXT} characters")
        elif kind is int:
            _bits(at.bit_length())
        elif kind in (list, tuple, dict):
            inner = [*at, *at.values()] if kind is dict else at
            items += len(inner)
            if depth >= DEEPEST_LISTS:
                raise TooLargeError(f"lists are more than {DEEPEST_LISTS} deep")
            if items > MOST_ITEMS:
                break
            waiting += [(each, depth + 1) for each in inner]
        else:
            _data(at)
    if items > MOST_ITEMS:
        raise TooLargeError(f"a list has more than {MOST_ITEMS} items")
    return value


def _data(value: Any) -> Any:
    """The value if its type is one of data."""
    if isinstance(value, Function | Group):
        raise RefusedError(f"{value.name!r} is not a value: it can only be called or selected from")
    if type(value) is complex:
        raise ValueError("a root of a negative number")
    if type(value) not in (bool, int, float, str, type(None), list, tuple, dict):
        raise RefusedError(f"a value of the type {type(value).__name__!r} is not data")
    return value


def _bits(count: int) -> None:
    if count > MOST_BITS:
        raise TooLargeError(f"a whole number has more than {MOST_BITS} bits")


def add(a: Any, b: Any) -> Any:
    """a + b within the bounds."""
    return checked(_data(a) + _data(b))


def multiply(a: Any, b: Any) -> Any:
    """a * b within the bounds; also a text or list repeated."""
    _data(a), _data(b)
    for many, count in ((a, b), (b, a)):
        if isinstance(many, str | list | tuple) and isinstance(count, int):
            if len(many) * max(count, 0) > (LONGEST_TEXT if isinstance(many, str) else MOST_ITEMS):
                raise TooLargeError("a text or list is repeated too often")
            return checked(many * count)
    if isinstance(a, int) and isinstance(b, int):
        # Before the product is computed: its bits are those of both factors together.
        _bits(a.bit_length() + b.bit_length())
    return a * b


def power(a: Any, b: Any) -> Any:
    """a ** b within the bounds."""
    _data(a), _data(b)
    if isinstance(a, int) and isinstance(b, int):
        _bits(max(a.bit_length(), 1) * abs(b) if abs(a) > 1 else 1)
    return _data(a**b)


def _shift(a: Any, b: Any) -> Any:
    _data(a), _data(b)
    if isinstance(a, int) and isinstance(b, int):
        _bits(a.bit_length() + max(b, 0))
    return a << b


_CONVERSION = re.compile(r"%(?:%|[-+ 0#]{0,5}\d{0,3}(?:\.\d{0,3})?[diouxXeEfFgGcrs])")


def _modulo(a: Any, b: Any) -> Any:
    """a % b; of a text, its conversions filled in, where their widths are short."""
    _data(a), _data(b)
    if isinstance(a, str):
        # "%999999999d" makes a gigabyte of a few letters.
        if "%" in _CONVERSION.sub("", a):
            raise RefusedError("a conversion of % with a width of more than three digits, a * or a name")
        checked([a, b])
        return checked(a % b)
    return a % b


_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: add,
    ast.Sub: operator.sub,
    ast.Mult: multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: power,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    # Each of these bounds its result before it is made.
    if len(text) + (text.count(old) + 1) * len(new) > LONGEST_TEXT:
        raise TooLargeError(f"a text is longer than {LONGEST_TEXT} characters")
    return text.replace(old, new, count)


def _join(text: str, items: Any) -> str:
    items = list(items)
    if len(text) * len(items) + sum(len(i) for i in items) > LONGEST_TEXT:
        raise TooLargeError(f"a text is longer than {LONGEST_TEXT} characters")
    return text.join(items)


def _zfill(text: str, width: int) -> str:
    if width > LONGEST_TEXT:
        raise TooLargeError(f"a text is longer than {LONGEST_TEXT} characters")
    return text.zfill(width)


_TEXT = (
    "split", "rsplit", "splitlines", "strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize",
    "startswith", "endswith", "find", "rfind", "index", "count", "isdigit", "isalpha", "isnumeric", "isupper",
    "islower",
)  # fmt: skip
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {name: getattr(str, name) for name in _TEXT} | {"replace": _replace, "join": _join, "zfill": _zfill},
    list: {"index": list.index, "count": list.count},
    tuple: {"index": tuple.index, "count": tuple.count},
    dict: {
        "get": dict.get,
        "keys": lambda d: list(d),
        "values": lambda d: list(d.values()),
        "items": lambda d: list(d.items()),
    },
}
"""What may be called after a dot, by the type before it."""


def _constant(node: ast.Constant, _names: Mapping[str, Any]) -> Any:
    if type(node.value) not in (bool, int, float, str, type(None)):
        raise RefusedError(f"a constant of the type {type(node.value).__name__!r}")
    return checked(node.value)


def _name(node: ast.Name, names: Mapping[str, Any]) -> Any:
    try:
        return names[node.id]
    except KeyError:
        pass
    if node.id.startswith("__") or hasattr(builtins, node.id):
        raise RefusedError(f"{node.id!r} is none of the functions that a file may call")
    raise NameError(f"name {node.id!r} is not defined")


def _sequence(node: ast.List | ast.Tuple, names: Mapping[str, Any]) -> Any:
    items = [_data(_value(each, names)) for each in node.elts]
    return checked(items if isinstance(node, ast.List) else tuple(items))


def _dictionary(node: ast.Dict, names: Mapping[str, Any]) -> Any:
    made: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise RefusedError("** in a dictionary")
        made[_data(_value(key, names))] = _data(_value(value, names))
    return checked(made)


def _binary(node: ast.BinOp, names: Mapping[str, Any]) -> Any:
    if type(node.op) not in _BINARY:
        raise RefusedError(f"the operator {type(node.op).__name__}")
    return checked(_BINARY[type(node.op)](_data(_value(node.left, names)), _data(_value(node.right, names))))


def _unary(node: ast.UnaryOp, names: Mapping[str, Any]) -> Any:
    return _UNARY[type(node.op)](_data(_value(node.operand, names)))


def _boolean(node: ast.BoolOp, names: Mapping[str, Any]) -> Any:
    value: Any = None
    stops = isinstance(node.op, ast.Or)
    for each in node.values:
        value = _data(_value(each, names))
        if bool(value) is stops:
            break
    return value


def _comparison(node: ast.Compare, names: Mapping[str, Any]) -> Any:
    left: Any = _data(_value(node.left, names))
    result: Any = True
    for op, other in zip(node.ops, node.comparators, strict=True):
        right = _data(_value(other, names))
        result = _COMPARE[type(op)](left, right)
        if not result:
            break
        left = right
    return result


def _choice(node: ast.IfExp, names: Mapping[str, Any]) -> Any:
    return _value(node.body if _data(_value(node.test, names)) else node.orelse, names)


def _subscript(node: ast.Subscript, names: Mapping[str, Any]) -> Any:
    value = _value(node.value, names)
    if type(value) not in (str, list, tuple, dict):
        raise RefusedError(f"a subscript of {_described(value)}")
    if isinstance(node.slice, ast.Slice):
        ends = (node.slice.lower, node.slice.upper, node.slice.step)
        return value[slice(*(None if e is None else _data(_value(e, names)) for e in ends))]
    return value[_data(_value(node.slice, names))]


def _attribute(node: ast.Attribute, names: Mapping[str, Any]) -> Any:
    value = _value(node.value, names)
    if isinstance(value, Group):
        if node.attr not in value.members:
            raise RefusedError(f"{value.name}.{node.attr} is none of the names that a file may use")
        return value.members[node.attr]
    if type(value) is dict:
        if node.attr not in value:
            raise LookupError(f"the dictionary has no key {node.attr!r}")
        return value[node.attr]
    raise RefusedError(f"the attribute {node.attr!r} of {_described(value)}")


def _call(node: ast.Call, names: Mapping[str, Any]) -> Any:
    function = _callee(node.func, names)
    arguments = []
    for each in node.args:
        if isinstance(each, ast.Starred):
            raise RefusedError("* in a call")
        value = _value(each, names)
        arguments.append(value if function.applies and isinstance(value, Function) else _data(value))
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = _data(_value(keyword.value, names))
        if function.keywords is not None and keyword.arg not in function.keywords:
            raise RefusedError(f"the argument {keyword.arg or '**'} of {function.name}")
        keywords |= {keyword.arg: value} if keyword.arg is not None else value
    checked([each for each in arguments if not isinstance(each, Function)])
    return checked(function.call(*arguments, **keywords))


def _callee(node: ast.expr, names: Mapping[str, Any]) -> Function:
    """What is called: a function by its name, or a listed method of data."""
    if isinstance(node, ast.Attribute):
        value = _value(node.value, names)
        if not isinstance(value, Group):
            # By the exact type, never by getattr: what is not listed cannot be reached.
            method = METHODS.get(type(value), {}).get(node.attr)
            if method is None:
                raise RefusedError(f"the method {node.attr!r} of {_described(value)}")
            return Function(node.attr, lambda *arguments: method(value, *arguments))
    if not isinstance(node, ast.Name | ast.Attribute):
        raise RefusedError("a call of what is not a name")
    found = _value(node, names)
    if not isinstance(found, Function):
        raise RefusedError(f"a call of {_described(found)}")
    return found


def _described(value: Any) -> str:
    if isinstance(value, Function | Group):
        return f"the {type(value).__name__.lower()} {value.name}"
    return f"a value of the type {type(value).__name__!r}"


_NODES: dict[type, Callable[[Any, Mapping[str, Any]], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Dict: _dictionary,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _choice,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.Call: _call,
}
_WORDS = {
    "Lambda": "a lambda",
    "ListComp": "a comprehension",
    "SetComp": "a comprehension",
    "DictComp": "a comprehension",
    "GeneratorExp": "a comprehension",
    "JoinedStr": "an f-string",
    "NamedExpr": "an assignment",
    "Set": "a set",
}


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The data, function or group that a node stands for."""
    compute = _NODES.get(type(node))
    if compute is None:
        kind = type(node).__name__
        raise RefusedError(f"{_WORDS.get(kind, kind)} has no place in an expression")
    return compute(node, names)
