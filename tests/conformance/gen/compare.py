"""setp, set, selp, slct."""

from itertools import product

from . import number
from .corpus import LANES, floats, integers, lanes, pair, rng
from .integers import BITS, INT, SIGNED, UNSIGNED, num, size
from .number import BF16, F16, F32, F64, FORMATS

FLOAT_OPS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
SIGNED_OPS = ("eq", "ne", "lt", "le", "gt", "ge")
UNSIGNED_OPS = SIGNED_OPS + ("lo", "ls", "hi", "hs")
BOOLS = {"and": lambda t, c: t & c, "or": lambda t, c: t | c, "xor": lambda t, c: t ^ c}
FLOATS = ("f16", "bf16", "f32", "f64")


def ops(type_):
    if type_[0] == "b" and type_ != "bf16":
        return ("eq", "ne")
    if type_ in FLOATS:
        return FLOAT_OPS
    return SIGNED_OPS if type_[0] == "s" else UNSIGNED_OPS


def holds(type_, op, ftz=False):
    """A comparison of bits as 0 or 1."""
    if type_ in FLOATS:
        f = FORMATS[type_]
        flush = f.flush if ftz else (lambda v: v)
        return lambda a, b: int(number.compare(f, op, flush(a), flush(b)))
    plain = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(op, op)
    order = {
        "eq": lambda x, y: x == y,
        "ne": lambda x, y: x != y,
        "lt": lambda x, y: x < y,
        "le": lambda x, y: x <= y,
        "gt": lambda x, y: x > y,
        "ge": lambda x, y: x >= y,
    }[plain]
    kind = type_ if type_[0] == "s" else "u" + type_[1:]
    return lambda a, b: int(order(num(kind, a), num(kind, b)))


def values(random_, type_):
    """Two columns that are equal about every third time."""
    if type_ in FLOATS:
        a, b = floats(random_, FORMATS[type_]), floats(random_, FORMATS[type_])
    else:
        a, b = integers(random_, size(type_)), integers(random_, size(type_))
    return a, [x if random_.randrange(3) == 0 else y for x, y in zip(a, b)]


def flushes(type_):
    return ("", ".ftz") if type_ in ("f32", "f16") else ("",)


def setp(corpus):
    for t in BITS + INT + FLOATS:
        path = f"compare/setp.{t}.ptx"
        random_ = rng(path)
        a, b = values(random_, t)
        columns = {"a": (t, a), "b": (t, b), "c": ("pred", [random_.getrandbits(1) for _ in range(LANES)])}
        variants = []
        for op, ftz in product(ops(t), flushes(t)):
            test = holds(t, op, bool(ftz))
            variants.append((f"setp.{op}{ftz}.{t} {{d}}, {{a}}, {{b}};", "pred", lambda a, b, c, f=test: f(a, b)))
        op = ops(t)[-1]
        for name, join in BOOLS.items():
            test = holds(t, op)
            first = lambda a, b, c, f=test, j=join: j(f(a, b), c)
            second = lambda a, b, c, f=test, j=join: j(1 - f(a, b), c)
            negated = lambda a, b, c, f=test, j=join: j(f(a, b), 1 - c)
            variants.append((f"setp.{op}.{name}.{t} {{d}}, {{a}}, {{b}}, {{c}};", "pred", first))
            # Halves have no complement: their second predicate is that of the second half of a pair.
            if t not in ("f16", "bf16"):
                both = f"{{{{ .reg .pred %q; setp.{op}.{name}.{t} %q|{{d}}, {{a}}, {{b}}, {{c}}; }}}}"
                variants.append((both, "pred", second))
            variants.append((f"setp.{op}.{name}.{t} {{d}}, {{a}}, {{b}}, !{{c}};", "pred", negated))
        if t not in ("f16", "bf16"):
            pairwise = f"{{{{ .reg .pred %q; setp.{op}.{t} %q|{{d}}, {{a}}, {{b}}; }}}}"
            variants.append((pairwise, "pred", lambda a, b, c, f=holds(t, op): 1 - f(a, b)))
        lanes(corpus, path, f"Comparisons of {t}.", columns, variants)

    for t in ("f16", "bf16"):
        path = f"compare/setp.{t}x2.ptx"
        random_ = rng(path)
        a, b = values(random_, t)
        order = list(range(LANES))
        random_.shuffle(order)
        join = lambda column: [column[i] << 16 | low for i, low in zip(order, column)]
        columns = {"a": (t + "x2", join(a)), "b": (t + "x2", join(b))}
        columns["c"] = ("pred", [random_.getrandbits(1) for _ in range(LANES)])
        variants = []
        for op, ftz in product(FLOAT_OPS, flushes(t)):
            test = holds(t, op, bool(ftz))
            low = lambda a, b, c, f=test: f(a & 0xFFFF, b & 0xFFFF)
            high = lambda a, b, c, f=test: f(a >> 16, b >> 16)
            line = f"{{{{ .reg .pred %q; setp.{op}{ftz}.{t}x2 "
            variants.append((line + "{d}|%q, {a}, {b}; }}", "pred", low))
            variants.append((line + "%q|{d}, {a}, {b}; }}", "pred", high))
        test = holds(t, "lt")
        combined = lambda a, b, c, f=test: f(a >> 16, b >> 16) ^ c
        line = f"{{{{ .reg .pred %q; setp.lt.xor.{t}x2 %q|{{d}}, {{a}}, {{b}}, {{c}}; }}}}"
        variants.append((line, "pred", combined))
        lanes(corpus, path, f"Comparisons of {t}x2: one predicate per half.", columns, variants)


def set_(corpus):
    results = {t: ("u32", "s32", "f32") for t in BITS + INT + ("f32", "f64")}
    results["f16"] = ("f16", "u16", "s16", "u32", "s32")
    results["bf16"] = ("bf16", "u16", "s16", "u32", "s32")
    for t, kinds in results.items():
        path = f"compare/set.{t}.ptx"
        random_ = rng(path)
        a, b = values(random_, t)
        columns = {"a": (t, a), "b": (t, b), "c": ("pred", [random_.getrandbits(1) for _ in range(LANES)])}
        variants = []
        for kind in kinds:
            true = FORMATS[kind].bias << FORMATS[kind].mantissa if kind in FORMATS else (1 << size(kind)) - 1
            for op, ftz in product(ops(t), flushes(t)):
                test = holds(t, op, bool(ftz))
                function = lambda a, b, c, f=test, true=true: true * f(a, b)
                variants.append((f"set.{op}{ftz}.{kind}.{t} {{d}}, {{a}}, {{b}};", kind, function))
            for name, join in BOOLS.items():
                test = holds(t, "ne")
                function = lambda a, b, c, f=test, j=join, true=true: true * j(f(a, b), c)
                variants.append((f"set.ne.{name}.{kind}.{t} {{d}}, {{a}}, {{b}}, {{c}};", kind, function))
        lanes(corpus, path, f"Comparisons of {t} with a number as the result.", columns, variants)

    for t in ("f16", "bf16"):
        path = f"compare/set.{t}x2.ptx"
        random_ = rng(path)
        a, b = values(random_, t)
        order = list(range(LANES))
        random_.shuffle(order)
        join = lambda column: [column[i] << 16 | low for i, low in zip(order, column)]
        columns = {"a": (t + "x2", join(a)), "b": (t + "x2", join(b))}
        variants = []
        one = FORMATS[t].bias << FORMATS[t].mantissa
        for kind in (t + "x2", "u32", "s32"):
            true = one if kind == t + "x2" else 0xFFFF
            for op, ftz in product(FLOAT_OPS, flushes(t)):
                test = holds(t, op, bool(ftz))

                def function(a, b, f=test, true=true):
                    return true * f(a >> 16, b >> 16) << 16 | true * f(a & 0xFFFF, b & 0xFFFF)

                variants.append((f"set.{op}{ftz}.{kind}.{t}x2 {{d}}, {{a}}, {{b}};", kind, function))
        lanes(corpus, path, f"Comparisons of {t}x2, half by half.", columns, variants)


def select(corpus):
    for t in BITS + INT + ("f32", "f64"):
        path = f"compare/select.{t}.ptx"
        random_ = rng(path)
        bits = size(t)
        columns = {
            "a": (t, integers(random_, bits)),
            "b": (t, integers(random_, bits)),
            "c": ("pred", [random_.getrandbits(1) for _ in range(LANES)]),
            "e": ("s32", integers(random_, 32)),
            "f": ("f32", floats(random_, F32)),
        }

        def by_float(a, b, c, e, f, ftz=False):
            f = F32.flush(f) if ftz else f
            return a if number.compare(F32, "ge", f, 0) else b

        variants = [
            (f"selp.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, lambda a, b, c, e, f: a if c else b),
            (f"slct.{t}.s32 {{d}}, {{a}}, {{b}}, {{e}};", t, lambda a, b, c, e, f: b if e >> 31 else a),
            (f"slct.{t}.f32 {{d}}, {{a}}, {{b}}, {{f}};", t, by_float),
            (f"slct.ftz.{t}.f32 {{d}}, {{a}}, {{b}}, {{f}};", t, lambda *v: by_float(*v, ftz=True)),
        ]
        lanes(corpus, path, f"Choosing between two of {t}.", columns, variants)


def generate(corpus):
    setp(corpus)
    set_(corpus)
    select(corpus)
