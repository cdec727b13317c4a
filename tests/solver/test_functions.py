"""Functions of time."""

from __future__ import annotations

import math

import pytest
from numpy.testing import assert_allclose

from solver import bounds
from solver.functions import constant, expression, scaled, table


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("0.4*sin(2*pi*t)", lambda t: 0.4 * math.sin(2 * math.pi * t)),
        ("-t^3 + 2**t", lambda t: -(t**3) + 2**t),
        ("exp(-t)/(1 + t*t)", lambda t: math.exp(-t) / (1 + t * t)),
        ("sqrt(1+t) * log(2+t)", lambda t: math.sqrt(1 + t) * math.log(2 + t)),
        ("atan(t) + tanh(t) - tan(t/3)", lambda t: math.atan(t) + math.tanh(t) - math.tan(t / 3)),
        ("asin(t/4) + acos(t/5)", lambda t: math.asin(t / 4) + math.acos(t / 5)),
        ("sinh(t) - cosh(t)*abs(t)", lambda t: math.sinh(t) - math.cosh(t) * abs(t)),
        ("t**t", lambda t: t**t),
        ("smoothstep(t/2)", lambda t: (t / 2) ** 3 * (10 - 7.5 * t + 1.5 * t * t)),
        ("min(t^2, 2*t, 1 - t) + max(t, t^3)", lambda t: min(t * t, 2 * t, 1 - t) + max(t, t**3)),
        ("t*floor(4*t) - ceil(t)*t^2", lambda t: t * math.floor(4 * t) - math.ceil(t) * t * t),
        ("sin(mod(t, 0.25)) + mod(-t, 0.7)", lambda t: math.sin(t % 0.25) + -t % 0.7),
        ("mod(t, -0.4)", lambda t: t % -0.4),
    ],
)
@pytest.mark.parametrize("t", [0.3, 1.1])
def test_expressions_and_their_derivatives(text: str, function: object, t: float) -> None:
    f, h = function, 1e-4
    value, first, second = expression(text).evaluate(t)
    assert_allclose(value, f(t), rtol=1e-13)  # type: ignore[operator]
    assert_allclose(first, (f(t + h) - f(t - h)) / (2 * h), rtol=1e-6, atol=1e-7)  # type: ignore[operator]
    assert_allclose(second, (f(t + h) - 2 * f(t) + f(t - h)) / h**2, rtol=1e-5, atol=1e-6)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot read"),
        ("2*", "cannot read the expression"),
        ("2 3", "cannot read the expression at character 3"),
        ("x + 1", 'unknown name "x" at character 1'),
        ("__import__('os')", "unknown function"),
        ("sin(t).real", "not allowed"),
        ("sin(t, 2)", "sin at character 1 takes one argument"),
        ("floor()", "takes one argument"),
        ("1 + min(t)", "min at character 5 takes two arguments or more"),
        ("mod(t, 1, 2)", "mod at character 1 takes two arguments"),
        ("max(t, b=1)", "takes two arguments or more"),
        ("eval(t)", "unknown function .* known are sin"),
        ("t if t else 1", "not allowed"),
        ("'a'", "not a number"),
        ("True", "not a number"),
        ("t // 2", "unknown operator"),
        ("~t", "not allowed"),
        ("1e999", "too large"),
        ("9" * 1000, "too large"),
        ("+" * 1000 + "t", "nested|cannot read"),
        ("(" * 300 + "t" + ")" * 300, "nested|cannot read"),
        ("t+" * 2000 + "t", "longer than"),
    ],
)
def test_bad_expressions_say_where(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        expression(text)


@pytest.mark.parametrize("text", ["1/t", "mod(1, t)", "9**9**9**9*t", "log(t-1)", "(t-2)**0.5", "exp(exp(t+9))"])
def test_expressions_without_a_value_say_when(text: str) -> None:
    with pytest.raises(ValueError, match="at t = 0"):
        expression(text).evaluate(0.0)


def test_table_is_smooth_and_holds_its_ends() -> None:
    f = table([[0, 0], [1, 90], [3, 30]])
    assert_allclose([f.evaluate(t)[0] for t in (-1, 0, 1, 3, 9)], [0, 0, 90, 30, 30])
    assert_allclose([f.evaluate(t)[1] for t in (0, 3, 9)], 0.0, atol=1e-9)
    h = 1e-5
    for t in (0.4, 1.0, 2.2):
        slope = (f.evaluate(t + h)[0] - f.evaluate(t - h)[0]) / (2 * h)
        assert_allclose(f.evaluate(t)[1], slope, rtol=1e-6)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[0, 1]], "two points"),
        ([[0, 1, 2], [1, 2, 3]], "two points"),
        ([[0, 1], [0, 2]], "must rise"),
        ([[0, 1], [1, math.nan]], "finite"),
    ],
)
def test_bad_tables_are_refused(points: list[list[float]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        table(points)


def test_constant_and_scaled() -> None:
    assert constant(2.5).evaluate(7.0) == (2.5, 0.0, 0.0)
    assert_allclose(scaled(expression("t^2"), math.pi / 180).evaluate(3.0), [math.pi / 20, math.pi / 30, math.pi / 90])
    with pytest.raises(ValueError, match="finite"):
        constant(math.inf)


def test_the_greatest_of_one_function_twice_is_that_function() -> None:
    """No bounds exclude that it crosses itself: a search for corners would end at no interval."""
    once, twice = expression("sin(3*t)"), expression("max(sin(3*t), sin(3*t))")
    assert twice.corners(0.0, 1e4) == []
    assert twice.evaluate(0.4) == once.evaluate(0.4)
    assert expression("min(t, t, 1)").corners(0.0, 10.0) == pytest.approx([1.0])


@pytest.mark.parametrize(("exponent", "value"), [(100.0, (0.0, 2.0**100)), (101.0, (-1.0, 2.0**101))])
def test_high_whole_powers_have_bounds_about_zero_too(exponent: float, value: tuple[float, float]) -> None:
    assert bounds.power(((-1.0, 2.0), (1.0, 1.0)), ((exponent, exponent), (0.0, 0.0)))[0] == value


def test_an_infinite_exponent_has_no_whole_power() -> None:
    assert bounds.power(((-1.0, 2.0), (1.0, 1.0)), ((math.inf, math.inf), (0.0, 0.0)))[0] == bounds.ALL
