"""Floating-point arithmetic that is exact: every rounding, `.ftz`, `.sat`, `.relu`."""

from itertools import product

from . import number
from .corpus import LANES, floats, lanes, packed, pair, rng
from .number import BF16, F16, F32, F64

ROUNDINGS = ("rn", "rz", "rm", "rp")
NAMES = "abc"


def operands(path, f, count):
    random_ = rng(path)
    return {name: (f.name, floats(random_, f)) for name in NAMES[:count]}


def apply(f, function, mode, ftz=False, sat=False, relu=False):
    """A function of bits with the modifiers around it."""

    def whole(*bits):
        if ftz:
            bits = [f.flush(b) for b in bits]
        result = function(f, *bits, mode) if mode else function(f, *bits)
        if ftz:
            result = f.flush(result)
        if sat:
            result = f.saturate(result)
        return f.relu(result) if relu else result

    return whole


def text(opcode, modifiers, type_, count):
    words = [opcode, *(m for m in modifiers if m), type_]
    return ".".join(words) + " " + ", ".join(["{d}"] + [f"{{{n}}}" for n in NAMES[:count]]) + ";"


def rounded(corpus):
    """Operations that take a rounding mode on f32 and f64."""
    table = {
        "add": (number.add, 2),
        "sub": (number.sub, 2),
        "mul": (number.mul, 2),
        "fma": (number.fma, 3),
        "div": (number.div, 2),
        "sqrt": (number.sqrt, 1),
        "rcp": (lambda f, a, mode: number.div(f, f.bias << f.mantissa, a, mode), 1),
    }
    for (opcode, (function, count)), f in product(table.items(), (F32, F64)):
        path = f"float/{opcode}.{f.name}.ptx"
        single = f is F32
        variants = []
        optional = opcode in ("add", "sub", "mul")
        for mode in ROUNDINGS + (("",) if optional else ()):
            for ftz in ("", "ftz") if single else ("",):
                for sat in ("", "sat") if single and opcode in ("add", "sub", "mul", "fma") else ("",):
                    line = text(opcode, (mode, ftz, sat), f.name, count)
                    variants.append((line, f.name, apply(f, function, mode or "rn", bool(ftz), bool(sat))))
        lanes(corpus, path, f"{opcode} of {f.name} in every rounding.", f64_nans(operands(path, f, count)), variants)
        if opcode == "fma":
            path = f"float/mad.{f.name}.ptx"
            variants = [(line.replace("fma", "mad", 1), t, g) for line, t, g in variants]
            lanes(corpus, path, f"mad of {f.name} is fma.", f64_nans(operands(path, f, count)), variants)


def f64_nans(values):
    """f64 keeps the payload of a NaN operand, which the manual does not define: use none but what invalid operations give."""
    for name, (type_, bits) in values.items():
        if type_ == "f64":
            values[name] = (type_, [F64.nan if F64.is_nan(b) else b for b in bits])
    return values


def halves(corpus):
    """f16 and bf16, alone and packed."""
    table = {"add": (number.add, 2), "sub": (number.sub, 2), "mul": (number.mul, 2), "fma": (number.fma, 3)}
    for (opcode, (function, count)), f in product(table.items(), (F16, BF16)):
        for pack in ("", "x2"):
            path = f"half/{opcode}.{f.name}{pack}.ptx"
            variants = []
            around = (lambda g: packed(g, 16)) if pack else (lambda g: g)
            modes = ("rn",) if opcode == "fma" else ("rn", "")
            for mode in modes:
                for ftz in ("", "ftz") if f is F16 else ("",):
                    for extra in ("", "sat", "relu"):
                        if extra == "sat" and f is BF16 or extra == "relu" and opcode != "fma":
                            continue
                        line = text(opcode, (mode, ftz, extra), f.name + pack, count)
                        whole = apply(f, function, mode or "rn", bool(ftz), extra == "sat", extra == "relu")
                        variants.append((line, f.name + pack, around(whole)))
            values = operands(path, f, count)
            if pack:
                random_ = rng(path + "x2")
                values = {n: (t + pack, pair(bits, random_)) for n, (t, bits) in values.items()}
            lanes(corpus, path, f"{opcode} of {f.name}{pack}, rounded once.", values, variants)


def signs(corpus):
    """abs, neg, copysign. What they make of a NaN's sign is not defined, so none is tried."""
    for f in (F32, F64, F16, BF16):
        for pack in ("", "x2") if f.width == 16 else ("",):
            path = f"float/sign.{f.name}{pack}.ptx"
            around = (lambda g: packed(g, 16)) if pack else (lambda g: g)
            variants = []
            for ftz in ("", "ftz") if f in (F32, F16) else ("",):
                flush = f.flush if ftz else (lambda b: b)
                for opcode, change in (("abs", lambda b, f=f: b & ~f.sign), ("neg", lambda b, f=f: b ^ f.sign)):
                    whole = lambda a, b, change=change, flush=flush: flush(change(a))
                    variants.append((text(opcode, (ftz,), f.name + pack, 1), f.name + pack, around(whole)))
            if f.width >= 32:
                copysign = lambda a, b, f=f: a & f.sign | b & ~f.sign
                variants.append((text("copysign", (), f.name, 2), f.name, copysign))
            values = operands(path, f, 2)
            one = f.bias << f.mantissa
            values = {n: (t, [one if f.is_nan(b) else b for b in bits]) for n, (t, bits) in values.items()}
            if pack:
                random_ = rng(path + "x2")
                values = {n: (t + pack, pair(bits, random_)) for n, (t, bits) in values.items()}
            lanes(corpus, path, f"Signs of {f.name}{pack}.", values, variants)


def extremes(corpus):
    for f in (F32, F64, F16, BF16):
        for pack in ("", "x2") if f.width == 16 else ("",):
            path = f"float/minmax.{f.name}{pack}.ptx"
            around = (lambda g: packed(g, 16)) if pack else (lambda g: g)
            variants = []
            for opcode in ("min", "max"):
                for ftz in ("", "ftz") if f in (F32, F16) else ("",):
                    for nan in ("", "NaN") if f is not F64 else ("",):
                        for xor in ("", "xorsign.abs") if f is not F64 else ("",):
                            base = number.xorsign if xor else number.minimum
                            function = lambda f, a, b, base=base, nan=nan, opcode=opcode: base(
                                f, a, b, bool(nan), opcode == "max"
                            )
                            whole = apply(f, function, None, bool(ftz))
                            line = text(opcode, (ftz, nan, xor), f.name + pack, 2)
                            variants.append((line, f.name + pack, around(whole)))
            values = f64_nans(operands(path, f, 2))
            if pack:
                random_ = rng(path + "x2")
                values = {n: (t + pack, pair(bits, random_)) for n, (t, bits) in values.items()}
            lanes(corpus, path, f"min and max of {f.name}{pack}: NaN gives way, -0 is below +0.", values, variants)

    path = "float/minmax3.f32.ptx"
    variants = []
    for opcode in ("min", "max"):
        for ftz, nan, absolute in product(("", "ftz"), ("", "NaN"), ("", "abs")):

            def function(f, a, b, c, nan=nan, absolute=absolute, opcode=opcode):
                if absolute:
                    a, b, c = (v & ~f.sign for v in (a, b, c))
                pick = lambda x, y: number.minimum(f, x, y, bool(nan), opcode == "max")
                return pick(pick(a, b), c)

            line = text(opcode, (ftz, nan, absolute), "f32", 3)
            variants.append((line, "f32", apply(F32, function, None, bool(ftz))))
    lanes(corpus, path, "min and max of three.", operands(path, F32, 3), variants, language=("8.8", "sm_100"))


def properties(corpus):
    tests = {
        "finite": lambda f, a: f.is_finite(a),
        "infinite": lambda f, a: f.is_inf(a),
        "number": lambda f, a: not f.is_nan(a),
        "notanumber": lambda f, a: f.is_nan(a),
        "normal": lambda f, a: f.is_finite(a) and not f.is_subnormal(a),
        "subnormal": lambda f, a: f.is_subnormal(a),
    }
    for f in (F32, F64):
        path = f"float/testp.{f.name}.ptx"
        variants = [
            (f"testp.{name}.{f.name} {{d}}, {{a}};", "pred", lambda a, f=f, g=g: int(g(f, a)))
            for name, g in tests.items()
        ]
        lanes(corpus, path, f"Properties of {f.name}; zero counts as normal.", operands(path, f, 1), variants)


def generate(corpus):
    rounded(corpus)
    halves(corpus)
    signs(corpus)
    extremes(corpus)
    properties(corpus)
