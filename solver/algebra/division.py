"""The least number by which anything is divided."""

from __future__ import annotations

LEAST_DIVISOR = 1e-300
"""Stands in for a divisor that may be zero: what is divided is zero then too, or the quotient is not used. Any unit;
far below whatever a model holds, and above the least number of full precision, 2e-308, so that 1 / this is finite."""
