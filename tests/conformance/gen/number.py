"""Binary floating point by definition: exact fractions and one rounding. Independent of the interpreter on purpose."""

from fractions import Fraction
from math import isqrt


class Format:
    """A sign, `exponent` bits and `mantissa` stored bits."""

    def __init__(self, name, exponent, mantissa, nan, finite_only=False):
        self.name, self.mantissa, self.nan = name, mantissa, nan
        self.width = 1 + exponent + mantissa
        self.sign = 1 << (exponent + mantissa)
        self.bias = (1 << (exponent - 1)) - 1
        self.finite_only = finite_only
        self.infinity = ((1 << exponent) - 1) << mantissa
        # e4m3 spends the top exponent on numbers; only all ones is NaN.
        self.largest = self.sign - 2 if finite_only else self.infinity - 1
        self.lowest = 1 - self.bias - mantissa  # exponent of the last place of subnormals

    def is_nan(self, bits):
        magnitude = bits & (self.sign - 1)
        return magnitude > self.largest if self.finite_only else magnitude > self.infinity

    def is_inf(self, bits):
        return not self.finite_only and bits & (self.sign - 1) == self.infinity

    def is_finite(self, bits):
        return bits & (self.sign - 1) <= self.largest

    def is_zero(self, bits):
        return bits & (self.sign - 1) == 0

    def is_subnormal(self, bits):
        return 0 < bits & (self.sign - 1) < 1 << self.mantissa

    def negative(self, bits):
        return bits & self.sign != 0

    def value(self, bits):
        """The exact value of a finite number."""
        magnitude = bits & (self.sign - 1)
        stored, fraction = magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1)
        significand = fraction if stored == 0 else fraction | 1 << self.mantissa
        value = significand * Fraction(2) ** (self.lowest + max(stored, 1) - 1)
        return -value if self.negative(bits) else value

    def round(self, value, mode="rn", negative_zero=False, satfinite=False):
        """The bits nearest to an exact value in direction `mode`."""
        sign = self.sign if value < 0 or (value == 0 and negative_zero) else 0
        if value == 0:
            return sign
        magnitude = abs(value)
        exponent = floor_log2(magnitude)
        place = max(exponent - self.mantissa, self.lowest)
        units = round_integer(value / Fraction(2) ** place, mode)
        units = abs(units)
        bits = ((place - self.lowest) << self.mantissa) + units
        if bits <= self.largest:
            return sign | bits
        toward_zero = mode == "rz" or (mode == "rm" and not sign) or (mode == "rp" and sign)
        if satfinite or toward_zero:
            return sign | self.largest
        return sign | self.infinity

    def infinite(self, negative):
        return self.infinity | (self.sign if negative else 0)

    def flush(self, bits):
        """`.ftz`: a subnormal becomes a zero of its sign."""
        return bits & self.sign if self.is_subnormal(bits) else bits

    def saturate(self, bits):
        """`.sat`: clamps to 0..1, NaN to zero."""
        if self.is_nan(bits) or self.negative(bits):
            return 0
        one = self.bias << self.mantissa
        return min(bits, one)

    def relu(self, bits):
        if self.is_nan(bits):
            return self.nan
        return 0 if self.negative(bits) else bits


F64 = Format("f64", 11, 52, 0xFFF8000000000000)
F32 = Format("f32", 8, 23, 0x7FFFFFFF)
TF32 = Format("tf32", 8, 10, 0x3FFFF)
F16 = Format("f16", 5, 10, 0x7FFF)
BF16 = Format("bf16", 8, 7, 0x7FFF)
E4M3 = Format("e4m3", 4, 3, 0x7F, finite_only=True)
E5M2 = Format("e5m2", 5, 2, 0x7F)
FORMATS = {f.name: f for f in (F64, F32, TF32, F16, BF16, E4M3, E5M2)}


def floor_log2(value):
    """The exponent of the highest bit of a positive fraction."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= value else exponent - 1


def round_integer(value, mode):
    """A fraction to a whole number; `rna` breaks ties away from zero."""
    below = value.numerator // value.denominator
    rest = value - below
    if rest == 0:
        return below
    if mode in ("rm", "rmi"):
        return below
    if mode in ("rp", "rpi"):
        return below + 1
    if mode in ("rz", "rzi"):
        return below + 1 if value < 0 else below
    if rest != Fraction(1, 2):
        return below + (rest > Fraction(1, 2))
    if mode == "rna":
        return below if value < 0 else below + 1
    return below + (below & 1)


# ---- arithmetic: bits to bits. A NaN result is the format's NaN.


def add(f, a, b, mode="rn"):
    if f.is_nan(a) or f.is_nan(b) or (f.is_inf(a) and f.is_inf(b) and a != b):
        return f.nan
    if f.is_inf(a) or f.is_inf(b):
        return a if f.is_inf(a) else b
    total = f.value(a) + f.value(b)
    both = f.negative(a) and f.negative(b)
    either = f.negative(a) or f.negative(b)
    zeros = f.is_zero(a) and f.is_zero(b)
    negative_zero = (either if zeros else True) if mode == "rm" else (both and zeros)
    return f.round(total, mode, negative_zero)


def sub(f, a, b, mode="rn"):
    return f.nan if f.is_nan(b) else add(f, a, b ^ f.sign, mode)


def mul(f, a, b, mode="rn"):
    negative = f.negative(a) != f.negative(b)
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_inf(a) or f.is_inf(b):
        return f.nan if f.is_zero(a) or f.is_zero(b) else f.infinite(negative)
    return f.round(f.value(a) * f.value(b), mode, negative)


def fma(f, a, b, c, mode="rn"):
    negative = f.negative(a) != f.negative(b)
    if f.is_nan(a) or f.is_nan(b) or f.is_nan(c):
        return f.nan
    if f.is_inf(a) or f.is_inf(b):
        if f.is_zero(a) or f.is_zero(b) or (f.is_inf(c) and f.negative(c) != negative):
            return f.nan
        return f.infinite(negative)
    if f.is_inf(c):
        return c
    product = f.value(a) * f.value(b)
    total = product + f.value(c)
    zeros = product == 0 and f.is_zero(c)
    both = negative and f.negative(c)
    either = negative or f.negative(c)
    negative_zero = (either if zeros else True) if mode == "rm" else (both and zeros)
    return f.round(total, mode, negative_zero)


def div(f, a, b, mode="rn"):
    negative = f.negative(a) != f.negative(b)
    if f.is_nan(a) or f.is_nan(b) or (f.is_inf(a) and f.is_inf(b)) or (f.is_zero(a) and f.is_zero(b)):
        return f.nan
    if f.is_inf(a) or f.is_zero(b):
        return f.infinite(negative)
    if f.is_inf(b):
        return f.sign if negative else 0
    return f.round(f.value(a) / f.value(b), mode, negative)


def sqrt(f, a, mode="rn"):
    if f.is_nan(a) or (f.negative(a) and not f.is_zero(a)):
        return f.nan
    if f.is_zero(a) or f.is_inf(a):
        return a
    return f.round(root(f.value(a)), mode)


def root(value):
    """A fraction that rounds as the square root does: its first 200 bits and, if there are more, one below them."""
    exponent = floor_log2(value)
    scale = 200 - exponent // 2
    scaled = value * Fraction(4) ** scale
    whole = isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(whole) * whole == scaled
    return (Fraction(whole) + (0 if exact else Fraction(1, 2))) / Fraction(2) ** scale


def minimum(f, a, b, nan=False, largest=False):
    """`min` and `max`: a NaN gives way to a number, unless `.NaN`; -0 is below +0."""
    if f.is_nan(a) or f.is_nan(b):
        if nan or (f.is_nan(a) and f.is_nan(b)):
            return f.nan
        return b if f.is_nan(a) else a
    order = lambda x: (f.infinity if f.is_inf(x) else x & (f.sign - 1)) * (-1 if f.negative(x) else 1)
    key = lambda x: (order(x), 0 if f.negative(x) else 1)
    return max(a, b, key=key) if largest else min(a, b, key=key)


def xorsign(f, a, b, nan=False, largest=False):
    result = minimum(f, a & ~f.sign, b & ~f.sign, nan, largest)
    return result if f.is_nan(result) else result | ((a ^ b) & f.sign)


def compare(f, op, a, b):
    """`setp` on floats."""
    unordered = f.is_nan(a) or f.is_nan(b)
    if op == "num":
        return not unordered
    if op == "nan":
        return unordered
    if unordered:
        return len(op) == 3
    order = lambda x: (f.infinity if f.is_inf(x) else x & (f.sign - 1)) * (-1 if f.negative(x) else 1)
    x, y = order(a), order(b)
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[op[:2]]


def convert(f, to, bits, mode="rn", satfinite=False):
    """One float format to another."""
    if f.is_nan(bits):
        return to.nan
    if f.is_inf(bits):
        if satfinite:
            return to.largest | (to.sign if f.negative(bits) else 0)
        return to.infinite(f.negative(bits))
    return to.round(f.value(bits), mode, f.negative(bits), satfinite)


def integral(f, bits, mode):
    """`cvt.rni` and the like between equal formats."""
    if f.is_nan(bits):
        return f.nan
    if f.is_inf(bits):
        return bits
    return f.round(Fraction(round_integer(f.value(bits), mode)), "rn", f.negative(bits))


def from_float(text, f):
    """The nearest bits to a Python number."""
    return f.round(Fraction(text))
