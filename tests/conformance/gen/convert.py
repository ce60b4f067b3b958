"""cvt in all its forms."""

from fractions import Fraction
from itertools import product

from . import number
from .corpus import LANES, floats, integers, lanes, pair, rng, signed
from .integers import clamp, high, low, num, size
from .number import BF16, E4M3, E5M2, F16, F32, F64, FORMATS, TF32

INTEGERS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
FLOATS = ("f16", "bf16", "f32", "f64")
WHOLE = ("rni", "rzi", "rmi", "rpi")
ROUND = ("rn", "rz", "rm", "rp")


def column(random_, type_):
    if type_ in FLOATS:
        f = FORMATS[type_]
        values = floats(random_, f, count=LANES - 12)
        # Halves and edges of integer ranges, where rounding and clamping show.
        for edge in ("0.5", "1.5", "-2.5", "127.5", "-128.75", "255.5", "32767.5", "65535", "-0.5", "3e9", "-3e9", "1e19"):
            values.append(number.from_float(edge, f))
        return values
    return integers(random_, size(type_))


def to_int(source, kind, mode, bits, ftz=False):
    f = FORMATS[source]
    bits = f.flush(bits) if ftz else bits
    if f.is_nan(bits):
        return 1 << (size(kind) - 1) if source == "f64" or size(kind) == 64 else 0
    if f.is_inf(bits):
        return low(kind) if f.negative(bits) else high(kind)
    return clamp(kind, number.round_integer(f.value(bits), mode))


def integers_to_integers(corpus):
    for source in INTEGERS:
        path = f"convert/int.{source}.ptx"
        columns = {"a": (source, column(rng(path), source))}
        variants = []
        for kind in INTEGERS:
            # Stored as 64 bits, to see the extension into a wider register.
            wide = f"{kind[0]}64"
            plain = lambda a, s=source, k=kind: num(k, num(s, a))
            variants.append((f"cvt.{kind}.{source} {{d}}, {{a}};", wide, plain))
            if low(kind) > low(source) or high(kind) < high(source):
                sat = lambda a, s=source, k=kind: clamp(k, num(s, a))
                variants.append((f"cvt.sat.{kind}.{source} {{d}}, {{a}};", wide, sat))
        lanes(corpus, path, f"Integers of {source} to every integer type, in 64-bit registers.", columns, variants)


def floats_to_integers(corpus):
    for source in FLOATS:
        path = f"convert/to_int.{source}.ptx"
        columns = {"a": (source, column(rng(path), source))}
        variants = []
        # bf16 knows no bytes.
        kinds = [kind for kind in INTEGERS if source != "bf16" or size(kind) > 8]
        for kind, mode in product(kinds, WHOLE):
            plain = lambda a, s=source, k=kind, m=mode: to_int(s, k, m, a)
            # Stored in the type's own width: a wider register would only repeat the previous file.
            variants.append((f"cvt.{mode}.{kind}.{source} {{d}}, {{a}};", kind, plain))
        for kind in kinds:
            plain = lambda a, s=source, k=kind: to_int(s, k, "rzi", a)
            if source != "bf16":
                variants.append((f"cvt.rzi.sat.{kind}.{source} {{d}}, {{a}};", kind, plain))
            if source == "f32":
                flushed = lambda a, k=kind: to_int("f32", k, "rpi", a, ftz=True)
                variants.append((f"cvt.rpi.ftz.{kind}.f32 {{d}}, {{a}};", kind, flushed))
        lanes(corpus, path, f"Numbers of {source} to integers: clamped, NaN by width.", columns, variants)


def integers_to_floats(corpus):
    for source in INTEGERS:
        path = f"convert/from_int.{source}.ptx"
        columns = {"a": (source, column(rng(path), source))}
        variants = []
        for kind, mode in product(FLOATS, ROUND):
            f = FORMATS[kind]
            if kind == "bf16" and size(source) == 8:
                continue
            plain = lambda a, s=source, f=f, m=mode: f.round(Fraction(num(s, a)), m)
            variants.append((f"cvt.{mode}.{kind}.{source} {{d}}, {{a}};", kind, plain))
            if kind == "f32":
                variants.append((f"cvt.{mode}.ftz.f32.{source} {{d}}, {{a}};", kind, plain))
            if mode == "rn" and kind != "bf16":
                sat = lambda a, s=source, f=f: f.saturate(f.round(Fraction(num(s, a)), "rn"))
                variants.append((f"cvt.rn.sat.{kind}.{source} {{d}}, {{a}};", kind, sat))
        lanes(corpus, path, f"Integers of {source} to floats in every rounding.", columns, variants)


def f64_canonical(values):
    return [F64.nan if F64.is_nan(v) else v for v in values]


def floats_to_floats(corpus):
    for source in FLOATS:
        f = FORMATS[source]
        path = f"convert/float.{source}.ptx"
        values = column(rng(path), source)
        # What becomes of a NaN on the way to f64 is not defined: widening keeps payloads, here there are none.
        values = [f.bias << f.mantissa if f.is_nan(v) else v for v in values]
        columns = {"a": (source, values)}
        variants = []
        for kind in FLOATS:
            to = FORMATS[kind]
            narrowing = kind != source and (to.mantissa < f.mantissa or to.bias < f.bias)
            for mode in ROUND if narrowing else ("",):
                plain = lambda a, to=to, m=mode: number.convert(f, to, a, m or "rn")
                dot = f".{mode}" if mode else ""
                if kind == source:
                    continue
                line = f"cvt{dot}.{kind}.{source} {{d}}, {{a}};"
                variants.append((line, kind, lambda a, g=plain: g(a)))
                if mode in ("rn", "") and "bf16" not in (source, kind):
                    sat = lambda a, to=to, g=plain: to.saturate(g(a))
                    variants.append((f"cvt{dot}.sat.{kind}.{source} {{d}}, {{a}};", kind, sat))
                if "f32" in (source, kind):

                    def flushed(a, f=f, to=to, m=mode):
                        a = f.flush(a) if f is F32 else a
                        result = number.convert(f, to, a, m or "rn")
                        return to.flush(result) if to is F32 else result

                    variants.append((f"cvt{dot}.ftz.{kind}.{source} {{d}}, {{a}};", kind, flushed))
        for mode in ("",) + WHOLE:
            dot = f".{mode}" if mode else ""
            same = lambda a, m=mode: number.integral(f, a, m) if m else a
            variants.append((f"cvt{dot}.{source}.{source} {{d}}, {{a}};", source, same))
            if source != "bf16":
                sat = lambda a, g=same: f.saturate(g(a))
                variants.append((f"cvt{dot}.sat.{source}.{source} {{d}}, {{a}};", source, sat))
            if source == "f32":
                flushed = lambda a, g=same: F32.flush(g(F32.flush(a)))
                variants.append((f"cvt{dot}.ftz.f32.f32 {{d}}, {{a}};", source, flushed))
        lanes(corpus, path, f"Numbers of {source} to every float type.", columns, variants)

    path = "convert/nan.ptx"
    nans = {"f32": (0x7FC00000, 0xFF800001), "f16": (0x7E00, 0xFC01), "f64": (0x7FF8000000000000,), "bf16": (0x7FC0,)}
    columns = {name: (t, (v * 4)[:4]) for name, (t, v) in zip("abce", nans.items())}
    conversions = (("f16", "f32", "a", ".rn"), ("bf16", "f32", "a", ".rn"), ("f32", "f16", "b", ""))
    conversions += (("f32", "f64", "c", ".rn"), ("f16", "f64", "c", ".rn"), ("bf16", "f16", "b", ".rn"))
    variants = [
        (f"cvt{dot}.{to}.{source} {{d}}, {{{name}}};", to, lambda *v, to=to: FORMATS[to].nan)
        for to, source, name, dot in conversions
    ]
    lanes(corpus, path, "A NaN of a narrow format is the canonical one.", columns, variants)


def narrow(corpus):
    """The forms for tensor core types."""
    def one(to, mode, relu, satfinite):
        def function(bits):
            result = number.convert(F32, to, bits, mode, satfinite)
            return to.relu(result) if relu else result

        return function

    path = "convert/narrow.f32.ptx"
    random_ = rng(path)
    columns = {n: ("f32", spread(random_)) for n in "ab"}
    variants = []
    for to, mode, relu, finite in product((F16, BF16), ("rn", "rz"), ("", ".relu"), ("", ".satfinite")):
        g = one(to, mode, relu, finite)
        if relu or finite:
            line = f"cvt.{mode}{relu}{finite}.{to.name}.f32 {{d}}, {{a}};"
            variants.append((line, to.name, lambda a, b, g=g: g(a)))
        both = lambda a, b, g=g: g(a) << 16 | g(b)
        variants.append((f"cvt.{mode}{relu}{finite}.{to.name}x2.f32 {{d}}, {{a}}, {{b}};", to.name + "x2", both))
    for mode, relu, finite in product(("rna", "rn", "rz"), ("", ".relu"), ("", ".satfinite")):
        if mode == "rna" and relu:
            continue

        def tf32(a, b, mode=mode, relu=relu, finite=finite):
            if F32.is_nan(a):
                return 0x7FFFFFFF
            return one(TF32, mode, relu, finite)(a) << 13

        variants.append((f"cvt.{mode}{relu}{finite}.tf32.f32 {{d}}, {{a}};", "b32", tf32))
    lanes(corpus, path, "f32 to the types tensor cores read.", columns, variants, language=("8.8", "sm_100"))

    path = "convert/fp8.ptx"
    random_ = rng(path)
    columns = {n: ("f32", spread(random_)) for n in "ab"}
    columns["c"] = ("f16x2", pair(floats(random_, F16), random_))
    columns["e"] = ("b16", [random_.getrandbits(16) for _ in range(LANES - 4)] + [0x7F80, 0xFF7E, 0x7C7B, 0xFC01])
    variants = []
    for to, relu in product((E4M3, E5M2), ("", ".relu")):
        g = one(to, "rn", relu, True)

        def from_half(bits, to=to, relu=relu):
            result = number.convert(F16, to, bits, "rn", True)
            return to.relu(result) if relu else result

        def to_half(bits, to=to, relu=relu):
            result = number.convert(to, F16, bits)
            return F16.relu(result) if relu else result

        singles = lambda a, b, c, e, g=g: g(a) << 8 | g(b)
        halves = lambda a, b, c, e, g=from_half: g(c >> 16) << 8 | g(c & 0xFFFF)
        back = lambda a, b, c, e, g=to_half: g(e >> 8) << 16 | g(e & 0xFF)
        name = f"{to.name}x2"
        variants.append((f"cvt.rn.satfinite{relu}.{name}.f32 {{d}}, {{a}}, {{b}};", "b16", singles))
        variants.append((f"cvt.rn.satfinite{relu}.{name}.f16x2 {{d}}, {{c}};", "b16", halves))
        variants.append((f"cvt.rn{relu}.f16x2.{name} {{d}}, {{e}};", "f16x2", back))
    lanes(corpus, path, "To and from the 8-bit formats.", columns, variants)


def spread(random_):
    """f32 values over the ranges of the narrow formats and beyond them."""
    values = floats(random_, F32, count=LANES // 2)
    while len(values) < LANES:
        exponent = 127 + random_.randrange(-30, 20)
        values.append(random_.getrandbits(1) << 31 | exponent << 23 | random_.getrandbits(23))
    return values


def pack(corpus):
    path = "convert/pack.ptx"
    random_ = rng(path)
    columns = {n: ("s32", integers(random_, 32)) for n in "abc"}
    small = [random_.randrange(-300, 300) & 0xFFFFFFFF for _ in range(LANES)]
    columns["a"] = ("s32", [x if i % 2 else y for i, (x, y) in enumerate(zip(columns["a"][1], small))])
    variants = []
    for kind in ("u16", "s16", "u8", "s8", "u4", "s4"):
        n = size(kind)

        def function(a, b, c, kind=kind, n=n):
            field = lambda v: clamp(kind, signed(v, 32)) & (1 << n) - 1
            rest = c << 2 * n if n < 16 else 0
            return rest | field(a) << n | field(b)

        if n == 16:
            variants.append((f"cvt.pack.sat.{kind}.s32 {{d}}, {{a}}, {{b}};", "b32", function))
        else:
            variants.append((f"cvt.pack.sat.{kind}.s32.b32 {{d}}, {{a}}, {{b}}, {{c}};", "b32", function))
    lanes(corpus, path, "Two integers clamped and packed.", columns, variants)


def generate(corpus):
    integers_to_integers(corpus)
    floats_to_integers(corpus)
    integers_to_floats(corpus)
    floats_to_floats(corpus)
    narrow(corpus)
    pack(corpus)
