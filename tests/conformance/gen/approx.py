"""Approximate functions, held to the error bounds that the manual promises."""

import math
from fractions import Fraction

from . import number
from .corpus import LANES, floats, lanes, pair, rng
from .number import BF16, F16, F32, F64

FLUSH = ("", ".ftz")


def to_python(f, bits):
    if f.is_nan(bits):
        return math.nan
    if f.is_inf(bits):
        return -math.inf if f.negative(bits) else math.inf
    value = float(f.value(bits))
    return -0.0 if value == 0 and f.negative(bits) else value


def from_python(f, value):
    if math.isnan(value):
        return f.nan
    if math.isinf(value):
        return f.infinite(value < 0)
    return f.round(Fraction(value), "rn", math.copysign(1, value) < 0)


def lg2(x):
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else math.log2(x)


def rsqrt(x):
    if x == 0:
        return math.copysign(math.inf, x)
    return math.nan if x < 0 else 1 / math.sqrt(x)


def ex2(x):
    return math.inf if x > 2000 else 2.0**x


def circular(function):
    return lambda x: math.nan if math.isinf(x) else function(x)


def lifted(f, function, ftz=False):
    def whole(*bits):
        bits = [f.flush(b) if ftz else b for b in bits]
        values = [to_python(f, b) for b in bits]
        if any(math.isnan(v) for v in values):
            return f.nan
        result = from_python(f, function(*values))
        return f.flush(result) if ftz else result

    return whole


def generate(corpus):
    # Bounds: relative unless the name says otherwise. sin, cos and tanh of f16 and bf16 have absolute ones.
    table = {
        "lg2": (lg2, "relative 2^-22 or absolute 2^-22"),
        "ex2": (ex2, "relative 2^-22"),
        "rsqrt": (rsqrt, "relative 2^-22"),
        "sin": (circular(math.sin), "absolute 2^-20"),
        "cos": (circular(math.cos), "absolute 2^-20"),
    }
    for opcode, (function, within) in table.items():
        path = f"approx/{opcode}.f32.ptx"
        random_ = rng(path)
        values = floats(random_, F32)
        if opcode in ("sin", "cos"):
            # The bound holds in the neighbourhood of zero only.
            far = lambda v: F32.is_finite(v) and abs(F32.value(v)) > 3
            values = [v & 0x807FFFFF | 0x3F800000 if far(v) else v for v in values]
        variants = [
            (f"{opcode}.approx{ftz}.f32 {{d}}, {{a}};", "f32", lifted(F32, function, bool(ftz))) for ftz in FLUSH
        ]
        lanes(corpus, path, f"{opcode} to the accuracy of the manual.", {"a": ("f32", values)}, variants, within)

    path = "approx/reciprocal.f32.ptx"
    values = {n: ("f32", floats(rng(path + n), F32)) for n in "ab"}
    variants = []
    for ftz in FLUSH:

        def exact(function, ftz=ftz):
            def whole(a, b):
                a, b = (F32.flush(a), F32.flush(b)) if ftz else (a, b)
                result = function(a, b)
                return F32.flush(result) if ftz else result

            return whole

        def approximate(a, b):
            # Above 2^126 the reciprocal is taken for zero.
            huge = F32.is_finite(b) and b & 0x7FFFFFFF > 0x7E800000
            return number.mul(F32, a, b & F32.sign) if huge else number.div(F32, a, b)

        one = 0x3F800000
        variants += [
            (f"rcp.approx{ftz}.f32 {{d}}, {{a}};", "f32", exact(lambda a, b: number.div(F32, one, a))),
            (f"sqrt.approx{ftz}.f32 {{d}}, {{a}};", "f32", exact(lambda a, b: number.sqrt(F32, a))),
            (f"div.full{ftz}.f32 {{d}}, {{a}}, {{b}};", "f32", exact(lambda a, b: number.div(F32, a, b))),
            (f"div.approx{ftz}.f32 {{d}}, {{a}}, {{b}};", "f32", exact(approximate)),
        ]
    lanes(corpus, path, "Fast division and roots.", values, variants, "relative 2^-21 or absolute 2^-148")

    path = "approx/wide.f64.ptx"
    values = [v & ~0xFFFFFFFF for v in floats(rng(path), F64)]

    def upper(function):
        def whole(a):
            result = function(F64.flush(a))
            return F64.nan if F64.is_nan(result) else F64.flush(result)

        return whole

    rsqrt64 = lambda a: number.div(F64, 0x3FF0000000000000, number.sqrt(F64, a))
    coarse, fine = "relative 2^-19", "relative 2^-50"
    variants = [
        (
            "rcp.approx.ftz.f64 {d}, {a};",
            ("f64", coarse),
            upper(lambda a: number.div(F64, 0x3FF0000000000000, a)),
        ),
        ("rsqrt.approx.ftz.f64 {d}, {a};", ("f64", coarse), upper(rsqrt64)),
        ("rsqrt.approx.f64 {d}, {a};", ("f64", fine), rsqrt64),
    ]
    lanes(corpus, path, "Coarse approximations of f64: the start of Newton's method.", {"a": ("f64", values)}, variants)

    path = "approx/tanh.ptx"
    values = {"a": ("f32", floats(rng(path), F32))}
    values["b"] = ("f16", floats(rng(path + "b"), F16))
    values["c"] = ("bf16", floats(rng(path + "c"), BF16))
    values["e"] = ("f16x2", pair(values["b"][1], rng(path + "e")))
    values["f"] = ("bf16x2", pair(values["c"][1], rng(path + "f")))
    single, half, brain = lifted(F32, math.tanh), lifted(F16, math.tanh), lifted(BF16, math.tanh)
    both = lambda g, v: g(v >> 16) << 16 | g(v & 0xFFFF)
    variants = [
        ("tanh.approx.f32 {d}, {a};", ("f32", "relative 2^-10"), lambda a, b, c, e, f: single(a)),
        ("tanh.approx.f16 {d}, {b};", ("f16", "relative 2^-10"), lambda a, b, c, e, f: half(b)),
        ("tanh.approx.bf16 {d}, {c};", ("bf16", "relative 2^-7"), lambda a, b, c, e, f: brain(c)),
        ("tanh.approx.f16x2 {d}, {e};", ("f16x2", "relative 2^-10"), lambda a, b, c, e, f: both(half, e)),
        ("tanh.approx.bf16x2 {d}, {f};", ("bf16x2", "relative 2^-7"), lambda a, b, c, e, f: both(brain, f)),
    ]
    lanes(corpus, path, "tanh in every width.", values, variants)

    path = "approx/ex2.half.ptx"
    half, brain = lifted(F16, ex2), lifted(BF16, ex2, True)
    del values["a"]
    variants = [
        ("ex2.approx.f16 {d}, {b};", ("f16", "relative 2^-9 or absolute 2^-24"), lambda b, c, e, f: half(b)),
        ("ex2.approx.ftz.bf16 {d}, {c};", ("bf16", "relative 2^-7"), lambda b, c, e, f: brain(c)),
        ("ex2.approx.f16x2 {d}, {e};", ("f16x2", "relative 2^-9 or absolute 2^-24"), lambda b, c, e, f: both(half, e)),
        ("ex2.approx.ftz.bf16x2 {d}, {f};", ("bf16x2", "relative 2^-7"), lambda b, c, e, f: both(brain, f)),
    ]
    lanes(corpus, path, "Powers of two in 16 bits.", values, variants)
