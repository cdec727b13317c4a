"""Equality constraints: connect and weld close loops, joints and fixed tendons couple."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from cadbridge.assembly import CamLaw, Coupling, CouplingKind, Feature, FeatureKind, Mate, MateKind
from cadbridge.findings import Where
from cadbridge.frames import Pose, Vector
from cadbridge.readers.mjcf.context import Context, listed
from cadbridge.readers.mjcf.joints import HINGE, SLIDE
from cadbridge.readers.mjcf.tendons import WRAP_JOINT
from cadbridge.readers.names import free_name
from cadbridge.wording import count

_SITE = 6
"""MuJoCo's object type of sites (mjtObj)."""

_OF_FLEXES = (4, 5, 6)
"""MuJoCo's equality types (mjtEq) of flexible bodies, of which nothing is read but their points."""

_Z, _X = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])

_SAMPLES = 129
"""Points of a polynomial, for who can draw or write no polynomials; the solver takes the polynomial itself.

Of the fourth degree over the range, straight lines between them are off by 4e-4 of its height at most. A choice.
"""

Made = Mate | Coupling | None


def read_equalities(c: Context) -> tuple[list[Mate], list[Coupling]]:
    """The mates and couplings of all equalities that are active from the start."""
    mates: list[Mate] = []
    couplings: list[Coupling] = []
    taken: set[str] = set(c.joints)
    inactive: list[str] = []
    for i, kind in enumerate(c.model["eq_type"]):
        name = free_name(c.model["equalities"][i] or f"equality {i + 1}", taken)
        where = c.where("equalities", i, name)
        if not c.model["eq_active0"][i]:
            inactive.append(name)
            continue
        if int(kind) in _OF_FLEXES:
            c.findings.add("CB1410", f"{name} is a constraint of a flexible body; it is left out", where)
            continue
        maker = _KINDS.get(int(kind))
        if maker is None:
            c.findings.add("CB1403", f"{name}: this kind of equality holds no rigid bodies or joints", where)
            continue
        made = maker(c, i, name, where)
        if isinstance(made, Mate):
            mates.append(made)
        elif made is not None:
            couplings.append(made)
    if inactive:
        where = c.where("equalities", c.model["eq_active0"].tolist().index(0), inactive[0])
        c.findings.add(
            "CB1304", f"{listed(inactive)} {'is' if len(inactive) == 1 else 'are'} not active", where, items=inactive
        )
    return mates, couplings


_CLOSED = 1e-9
"""m up to which two points of a loop are one: rounding of double precision over chains of bodies, a thousand times.

What is farther apart is reported (CB1267), as MuJoCo pulls it together softly and the assembly of a run at once.
"""


def report_gaps(c: Context, loops: Sequence[Mate], X: Sequence[Pose]) -> None:
    """Report loops whose points are apart in the reference pose, X_WB of the bodies (CB1267)."""
    of = dict(zip(c.bodies, X, strict=True))
    gaps = {}
    for mate in loops:
        a, b = (of[f.component].point(f.point) if f.component in of else None for f in (mate.a, mate.b))
        if a is not None and b is not None and (gap := float(np.linalg.norm(a - b))) > _CLOSED:
            gaps[mate.name] = gap
    if gaps:
        worst = max(gaps, key=lambda name: gaps[name])
        open_ = "is open" if len(gaps) == 1 else "are open"
        text = f"{len(gaps)} of {count(len(loops), 'loop')} {open_} as drawn, {worst} by {gaps[worst]:.2g} m"
        c.findings.add("CB1267", text, Where(str(c.path)), items=list(gaps))


def _ends(c: Context, i: int) -> tuple[tuple[int, Pose], tuple[int, Pose]] | None:
    """The two bodies and X_BS of their sites; None where the equality is between bodies."""
    m = c.model
    if int(m["eq_objtype"][i]) != _SITE:
        return None
    first, second = (
        (int(m["site_bodyid"][s]), Pose.from_quaternion(m["site_pos"][s], m["site_quat"][s]))
        for s in (int(m["eq_obj1id"][i]), int(m["eq_obj2id"][i]))
    )
    return first, second


def _connect(c: Context, i: int, name: str, where: Where) -> Made:
    m = c.model
    ends = _ends(c, i)
    if ends is None:
        data = m["eq_data"][i]
        # The compiler has put the anchor, given in body 1, into body 2 at the reference pose as well.
        ends = ((int(m["eq_obj1id"][i]), Pose(p=data[0:3])), (int(m["eq_obj2id"][i]), Pose(p=data[3:6])))
    a, b = (_feature(c, body, X) for body, X in ends)
    return Mate(name, MateKind.SPHERICAL, a, b, joint_name=name, where=where)


def _weld(c: Context, i: int, name: str, where: Where) -> Made:
    m = c.model
    ends = _ends(c, i)
    if ends is None:
        data = m["eq_data"][i]  # anchor in body 2, then the pose of body 2 in body 1
        ends = ((int(m["eq_obj1id"][i]), Pose.from_quaternion(data[3:6], data[6:10])), (int(m["eq_obj2id"][i]), Pose()))
    a, b = (_feature(c, body, X) for body, X in ends)
    return Mate(name, MateKind.FIXED, a, b, aligned=True, joint_name=name, where=where)


def _feature(c: Context, body: int, X_BF: Pose) -> Feature:
    return Feature(c.bodies[body], FeatureKind.FRAME, np.array(X_BF.p), X_BF.vector(_Z), X_BF.vector(_X))


def _joint(c: Context, i: int, name: str, where: Where) -> Made:
    """q₁ − q₁⁰ = Σ aₖ (q₂ − q₂⁰)ᵏ, or a₀ alone."""
    m = c.model
    driven, driver = int(m["eq_obj1id"][i]), int(m["eq_obj2id"][i])
    polynomial = m["eq_data"][i][:5]
    # An equality of one joint holds it at a₀ of the polynomial.
    if driver < 0:
        return _linear(c, name, [(driven, 1.0)], float(polynomial[0]), where)
    return _coupling(c, name, driver, driven, polynomial, where)


def _tendon(c: Context, i: int, name: str, where: Where) -> Made:
    """Σ cᵢ qᵢ = a₀ of a fixed tendon over joints."""
    m = c.model
    tendon, other = int(m["eq_obj1id"][i]), int(m["eq_obj2id"][i])
    first, count = int(m["tendon_adr"][tendon]), int(m["tendon_num"][tendon])
    wraps = range(first, first + count)
    if other >= 0 or any(int(m["wrap_type"][w]) != WRAP_JOINT for w in wraps):
        c.findings.add("CB1403", f"{name}: only a fixed tendon over joints is a coupling", where)
        return None
    factors = [(int(m["wrap_objid"][w]), float(m["wrap_prm"][w])) for w in wraps if m["wrap_prm"][w]]
    constant = float(m["eq_data"][i][0])
    if len(factors) != 2:
        return _linear(c, name, factors, constant, where)
    (driver, c1), (driven, c2) = factors
    return _coupling(c, name, driver, driven, np.array([constant / c2, -c1 / c2, 0.0, 0.0, 0.0]), where)


def _linear(c: Context, name: str, factors: list[tuple[int, float]], constant: float, where: Where) -> Made:
    """Σ factor · q = constant over any number of joints."""
    if not factors or {int(c.model["jnt_type"][j]) for j, _ in factors} - {SLIDE, HINGE}:
        c.findings.add("CB1403", f"{name} couples joints of several freedoms, or none", where)
        return None
    named = tuple((c.joints[j], factor) for j, factor in factors)
    return Coupling(name, CouplingKind.LINEAR, None, None, factors=named, offset=constant, where=where)


def _coupling(c: Context, name: str, driver: int, driven: int, polynomial: Vector, where: Where) -> Made:
    if {int(c.model["jnt_type"][j]) for j in (driver, driven)} - {SLIDE, HINGE}:
        c.findings.add("CB1403", f"{name} couples joints of several freedoms", where)
        return None
    offset, joints = float(polynomial[0]), (c.joints[driver], c.joints[driven])
    if not np.any(polynomial[1:]):
        return _linear(c, name, [(driven, 1.0)], offset, where)
    if np.any(polynomial[2:]):
        law = _law(c, driver, polynomial)
        return Coupling(name, CouplingKind.CAM, None, None, offset=offset, joints=joints, cam=law, where=where)
    ratio = float(polynomial[1])
    return Coupling(name, CouplingKind.JOINTS, None, None, ratio=ratio, offset=offset, joints=joints, where=where)


def _law(c: Context, driver: int, polynomial: Vector) -> CamLaw:
    """The polynomial without its constant, over the driver's range (two turns or 4 m without one) and a tenth more."""
    m = c.model
    half = 2 * math.pi if int(m["jnt_type"][driver]) == HINGE else 2.0
    lower, upper = -half, half
    if m["jnt_limited"][driver]:
        lower, upper = (float(v) - float(m["qpos0"][int(m["jnt_qposadr"][driver])]) for v in m["jnt_range"][driver])
    # A tenth of the range beyond its ends: MuJoCo's limits are soft, and a law goes on there.
    more = 0.1 * (upper - lower)
    q = np.linspace(min(lower, 0.0) - more, max(upper, 0.0) + more, _SAMPLES)
    coefficients = (0.0, *(float(a) for a in polynomial[1:]))
    values = np.polynomial.Polynomial(coefficients)(q)
    return CamLaw(tuple(zip(q.tolist(), values.tolist(), strict=True)), polynomial=coefficients)


_KINDS: dict[int, Callable[[Context, int, str, Where], Made]] = {0: _connect, 1: _weld, 2: _joint, 3: _tendon}
"""MuJoCo's equality types (mjtEq)."""
