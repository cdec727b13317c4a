"""The bodies as the kernels know them: mass properties, and what is added where they lack them."""

from __future__ import annotations

from typing import NamedTuple

from solver.compilation.compiled import Array1, Array2, Array3, Ints1, table


@table
class Bodies(NamedTuple):
    """Mass properties, body axes; `spin` (n, 3): the axis about which a body may turn fast, or 0; gravity (3,).

    The inverses include what is added to the bodies `light`, which lack mass or inertia (`solver.equations.massless`).
    `even_mass` and `even_inertia` are the inverses for projections and multipliers of least norm: there any metric
    serves, and one in which masses are not far apart is exact.
    """

    mass: Array1
    inverse_mass: Array1
    inertia: Array3
    inverse_inertia: Array3
    even_mass: Array1
    even_inertia: Array3
    added_mass: Array1
    added_inertia: Array3
    light: Ints1
    spin: Array2
    gravity: Array1
