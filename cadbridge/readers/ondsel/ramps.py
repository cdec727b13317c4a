"""Ramps in expressions of `.asmt` files, and their integrals over time, stated by `step`.

`rampstep(time, t0, y0, t1, y1)` is y0 before t0, y1 after t1 and straight between. `integral(time, f)` counts from 0.
"""

from __future__ import annotations

import ast
import math
import operator

_RAMP = "rampstep"
_INTEGRAL = "integral"


def without_ramps(text: str) -> str:
    """The expression of t in functions of one argument; as it stands where it has no ramps, or none that is known."""
    if _RAMP not in text and _INTEGRAL not in text:
        return text
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval")
        return ast.unparse(ast.fix_missing_locations(_Said().visit(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


class _Said(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = _name(node)
        if called == _INTEGRAL and len(node.args) == 2 and _is_time(node.args[0]):
            return _integral(node.args[1])
        return _ramp(node, integrated=False) if called == _RAMP else self.generic_visit(node)


def _name(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _is_time(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "t"


def _integral(node: ast.expr) -> ast.expr:
    """The integral from 0 of sums of ramps and numbers, and of their multiples. ValueError for another form."""
    if _name(node) == _RAMP:
        return _ramp(node, integrated=True)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return ast.UnaryOp(node.op, _integral(node.operand))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return ast.BinOp(_integral(node.left), node.op, _integral(node.right))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div) and _is_number(node.right):
        return ast.BinOp(_integral(node.left), node.op, node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return ast.BinOp(ast.Constant(_number(node.left)), node.op, _integral(node.right))
    return ast.BinOp(ast.Constant(_number(node)), ast.Mult(), ast.Name("t"))


def _is_number(node: ast.expr) -> bool:
    try:
        _number(node)
    except ValueError:
        return False
    return True


def _ramp(node: ast.expr, integrated: bool) -> ast.expr:
    """A ramp, or its integral from 0. ValueError for another form."""
    assert isinstance(node, ast.Call)
    if len(node.args) != 5 or not _is_time(node.args[0]):
        raise ValueError("no ramp over time")
    t0, y0, t1, y1 = (_number(argument) for argument in node.args[1:])
    # The integral counts from 0: of a ramp that began earlier, the part before 0 would have to be taken off.
    if not 0.0 <= t0 < t1:
        raise ValueError("a ramp that begins before 0 or is none")
    slope = (y1 - y0) / (t1 - t0)
    if integrated:
        text = f"({y0!r}*t + {slope / 2!r}*((t-{t0!r})**2*step(t-{t0!r}) - (t-{t1!r})**2*step(t-{t1!r})))"
    else:
        text = f"({y0!r} + {slope!r}*((t-{t0!r})*step(t-{t0!r}) - (t-{t1!r})*step(t-{t1!r})))"
    return ast.parse(text, mode="eval").body


def _number(node: ast.expr) -> float:
    """The value of an expression of numbers alone. ValueError for any other."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        value = float(node.value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _number(node.operand) * (-1.0 if isinstance(node.op, ast.USub) else 1.0)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        a, b = _number(node.left), _number(node.right)
        if isinstance(node.op, ast.Div) and b == 0.0:
            raise ValueError("a division by zero")
        value = _OPERATIONS[type(node.op)](a, b)
    elif isinstance(node, ast.Name) and node.id == "pi":
        value = math.pi
    else:
        raise ValueError("no number")
    if not math.isfinite(value):
        raise ValueError("no finite number")
    return value


_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
