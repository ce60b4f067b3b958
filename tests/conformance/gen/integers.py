"""Integer arithmetic, logic, shifts and bit fields."""

from .corpus import LANES, integers, lanes, pair, packed, rng, signed

UNSIGNED = ("u16", "u32", "u64")
SIGNED = ("s16", "s32", "s64")
INT = UNSIGNED + SIGNED
BITS = ("b16", "b32", "b64")
CARRY = ("u32", "s32", "u64", "s64")


def size(type_):
    return int(type_[1:])


def num(type_, bits):
    """The number that the low bits mean in a type."""
    bits &= (1 << size(type_)) - 1
    return signed(bits, size(type_)) if type_[0] == "s" else bits


def low(type_):
    return -(1 << (size(type_) - 1)) if type_[0] == "s" else 0


def high(type_):
    return (1 << (size(type_) - 1)) - 1 if type_[0] == "s" else (1 << size(type_)) - 1


def clamp(type_, value):
    return max(low(type_), min(high(type_), value))


def lift(type_, function):
    """A function of numbers as a function of bits."""
    return lambda *bits: function(*(num(type_, b) for b in bits))


def operands(path, *types):
    random_ = rng(path)
    return {name: (t, integers(random_, size(t))) for name, t in zip("abcdef", types)}


def div(type_):
    def function(a, b):
        # The manual leaves a zero divisor open; hardware answers with all ones.
        if b == 0:
            return -1
        quotient = abs(a) // abs(b)
        return quotient if (a < 0) == (b < 0) else -quotient

    return lift(type_, function)


def rem(type_):
    def function(a, b):
        if b == 0:
            return -1
        rest = abs(a) % abs(b)
        return -rest if a < 0 else rest

    return lift(type_, function)


def arithmetic(corpus):
    for t in INT:
        n = size(t)
        variants = [
            (f"add.{t} {{d}}, {{a}}, {{b}};", t, lift(t, lambda a, b, c: a + b)),
            (f"sub.{t} {{d}}, {{a}}, {{b}};", t, lift(t, lambda a, b, c: a - b)),
            (f"mul.lo.{t} {{d}}, {{a}}, {{b}};", t, lift(t, lambda a, b, c: a * b)),
            (f"mul.hi.{t} {{d}}, {{a}}, {{b}};", t, lift(t, lambda a, b, c, n=n: a * b >> n)),
            (f"mad.lo.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, lift(t, lambda a, b, c: a * b + c)),
            (f"mad.hi.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, lift(t, lambda a, b, c, n=n: (a * b >> n) + c)),
            (f"sad.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, lift(t, lambda a, b, c: abs(a - b) + c)),
            (f"min.{t} {{d}}, {{a}}, {{b}};", t, lift(t, lambda a, b, c: min(a, b))),
            (f"max.{t} {{d}}, {{a}}, {{b}};", t, lift(t, lambda a, b, c: max(a, b))),
        ]
        if t[0] == "s":
            variants += [
                (f"abs.{t} {{d}}, {{a}};", t, lift(t, lambda a, b, c: abs(a))),
                (f"neg.{t} {{d}}, {{a}};", t, lift(t, lambda a, b, c: -a)),
            ]
        if t == "s32":
            sat = lambda f: lift("s32", lambda a, b, c: clamp("s32", f(a, b, c)))
            variants += [
                ("add.sat.s32 {d}, {a}, {b};", t, sat(lambda a, b, c: a + b)),
                ("sub.sat.s32 {d}, {a}, {b};", t, sat(lambda a, b, c: a - b)),
                ("mad.hi.sat.s32 {d}, {a}, {b}, {c};", t, sat(lambda a, b, c: (a * b >> 32) + c)),
                ("min.relu.s32 {d}, {a}, {b};", t, lift(t, lambda a, b, c: max(0, min(a, b)))),
                ("max.relu.s32 {d}, {a}, {b};", t, lift(t, lambda a, b, c: max(0, a, b))),
            ]
        path = f"integer/arithmetic.{t}.ptx"
        lanes(corpus, path, f"Wrapping arithmetic on {t}.", operands(path, t, t, t), variants)

        path = f"integer/div.{t}.ptx"
        variants = [
            (f"div.{t} {{d}}, {{a}}, {{b}};", t, div(t)),
            (f"rem.{t} {{d}}, {{a}}, {{b}};", t, rem(t)),
        ]
        lanes(corpus, path, f"Division of {t}, by zero and by minus one too.", operands(path, t, t), variants)

    for t in ("u16", "u32", "s16", "s32"):
        wide = t[0] + str(2 * size(t))
        path = f"integer/wide.{t}.ptx"

        def mad(a, b, c, t=t, wide=wide):
            return num(t, a) * num(t, b) + num(wide, c)

        variants = [
            (f"mul.wide.{t} {{d}}, {{a}}, {{b}};", wide, lambda a, b, c, t=t: num(t, a) * num(t, b)),
            (f"mad.wide.{t} {{d}}, {{a}}, {{b}}, {{c}};", wide, mad),
        ]
        lanes(corpus, path, f"Products of {t} twice as wide.", operands(path, t, t, wide), variants)

    for t in ("u32", "s32"):
        path = f"integer/mul24.{t}.ptx"
        part = (lambda x: signed(x & 0xFFFFFF, 24)) if t == "s32" else (lambda x: x & 0xFFFFFF)
        product = lambda a, b, part=part: part(a) * part(b)
        variants = [
            (f"mul24.lo.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b, c, p=product: p(a, b)),
            (f"mul24.hi.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b, c, p=product: p(a, b) >> 16),
            (f"mad24.lo.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, lambda a, b, c, p=product: p(a, b) + c),
            (f"mad24.hi.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, lambda a, b, c, p=product: (p(a, b) >> 16) + c),
        ]
        if t == "s32":

            def saturating(a, b, c, p=product):
                return clamp("s32", signed(p(a, b) >> 16 & 0xFFFFFFFF, 32) + signed(c, 32))

            variants.append(("mad24.hi.sat.s32 {d}, {a}, {b}, {c};", t, saturating))
        lanes(corpus, path, f"24-bit products of {t}.", operands(path, t, t, t), variants)

    for t in ("u16x2", "s16x2"):
        path = f"integer/packed.{t}.ptx"
        half = t[:3]
        random_ = rng(path)
        values = {n: (t, pair(integers(random_, 16), random_)) for n in "ab"}
        each = lambda f: packed(lift(half, f), 16)
        variants = [
            (f"add.{t} {{d}}, {{a}}, {{b}};", t, each(lambda a, b: a + b)),
            (f"min.{t} {{d}}, {{a}}, {{b}};", t, each(min)),
            (f"max.{t} {{d}}, {{a}}, {{b}};", t, each(max)),
        ]
        if t == "s16x2":
            variants += [
                ("min.relu.s16x2 {d}, {a}, {b};", t, each(lambda a, b: max(0, min(a, b)))),
                ("max.relu.s16x2 {d}, {a}, {b};", t, each(lambda a, b: max(0, a, b))),
            ]
        lanes(corpus, path, f"Two halves at once: {t}.", values, variants)


def carries(corpus):
    for t in CARRY:
        path = f"integer/carry.{t}.ptx"
        n = size(t)
        mask = (1 << n) - 1

        def chain_add(a, b, c, n=n, mask=mask):
            total = (c << n | a) + (b << n | c)
            return total >> n & mask

        def chain_sub(a, b, c, n=n, mask=mask):
            total = (c << n | a) - (b << n | c)
            return total >> n & mask

        def carry_add(a, b, c, n=n):
            return (a + b >> n) + c + 5 >> n

        def carry_sub(a, b, c, n=n):
            borrow = a < b
            return 1 if c < 5 + borrow else 0

        def chain_mad(a, b, c, t=t, n=n, mask=mask):
            product = num(t, a) * num(t, b)
            lower = (product & mask) + c
            return (product >> n & mask) + c + (lower >> n)

        def mad_carry(a, b, c, t=t, n=n, mask=mask):
            product = num(t, a) * num(t, b)
            carry = (product & mask) + c >> n
            carry = (product & mask) + c + carry >> n
            return (product >> n & mask) + b + carry >> n

        def high_carry(a, b, c, t=t, n=n, mask=mask):
            return ((num(t, a) * num(t, b) >> n & mask) + c >> n) & 1

        def low_madc(a, b, c, t=t, n=n):
            return num(t, a) * num(t, b) + c + (a + b >> n)

        variants = [
            (f"add.cc.{t} {{d}}, {{a}}, {{c}};\naddc.{t} {{d}}, {{c}}, {{b}};", t, chain_add),
            (f"add.cc.{t} {{d}}, {{a}}, {{b}};\naddc.cc.{t} {{d}}, {{c}}, 5;\naddc.{t} {{d}}, 0, 0;", t, carry_add),
            (f"sub.cc.{t} {{d}}, {{a}}, {{c}};\nsubc.{t} {{d}}, {{c}}, {{b}};", t, chain_sub),
            (
                f"sub.cc.{t} {{d}}, {{a}}, {{b}};\nsubc.cc.{t} {{d}}, {{c}}, 5;\nsubc.{t} {{d}}, 0, 0;\n"
                f"neg.s{n} {{d}}, {{d}};",
                t,
                carry_sub,
            ),
            (f"mad.lo.cc.{t} {{d}}, {{a}}, {{b}}, {{c}};\nmadc.hi.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, chain_mad),
            (
                f"mad.lo.cc.{t} {{d}}, {{a}}, {{b}}, {{c}};\nmadc.lo.cc.{t} {{d}}, {{a}}, {{b}}, {{c}};\n"
                f"madc.hi.cc.{t} {{d}}, {{a}}, {{b}}, {{b}};\naddc.{t} {{d}}, 0, 0;",
                t,
                mad_carry,
            ),
            (f"mad.hi.cc.{t} {{d}}, {{a}}, {{b}}, {{c}};\naddc.{t} {{d}}, 0, 0;", t, high_carry),
            (f"add.cc.{t} {{d}}, {{a}}, {{b}};\nmadc.lo.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, low_madc),
        ]
        title = f"Carry chains of {t}: each result depends on the flag the instruction before it left."
        lanes(corpus, path, title, operands(path, t, t, t), variants)


def bit_fields(corpus):
    def bfe(type_):
        n = size(type_)

        def function(a, b, c):
            pos, length = b & 0xFF, c & 0xFF
            if length == 0:
                return 0
            sign = a >> min(pos + length - 1, n - 1) & 1 if type_[0] == "s" else 0
            bit = lambda i: a >> pos + i & 1 if i < length and pos + i < n else sign
            return sum(bit(i) << i for i in range(n))

        return function

    def bfind(type_, shift):
        n = size(type_)

        def function(a):
            if type_[0] == "s" and a >> n - 1:
                a = ~a & (1 << n) - 1
            if a == 0:
                return 0xFFFFFFFF
            return n - a.bit_length() if shift else a.bit_length() - 1

        return function

    for t in CARRY:
        path = f"integer/bfe.{t}.ptx"
        random_ = rng(path)
        values = {
            "a": (t, integers(random_, size(t))),
            "b": ("u32", [random_.choice((0, 1, 7, 31, 32, 40, 63, 64, 300)) + random_.randrange(4) for _ in range(LANES)]),
            "c": ("u32", [random_.choice((0, 1, 8, 31, 32, 60, 64, 257)) + random_.randrange(4) for _ in range(LANES)]),
        }
        lanes(corpus, path, f"Bit fields out of {t}.", values, [(f"bfe.{t} {{d}}, {{a}}, {{b}}, {{c}};", t, bfe(t))])
        path = f"integer/bfind.{t}.ptx"
        variants = [
            (f"bfind.{t} {{d}}, {{a}};", "u32", bfind(t, False)),
            (f"bfind.shiftamt.{t} {{d}}, {{a}};", "u32", bfind(t, True)),
        ]
        lanes(corpus, path, f"The highest bit of {t} that is not sign.", operands(path, t), variants)

    for t in ("b32", "b64"):
        n = size(t)
        path = f"integer/bits.{t}.ptx"
        random_ = rng(path)

        def bfi(a, b, c, d, n=n):
            pos, length = c & 0xFF, d & 0xFF
            for i in range(length):
                if pos + i < n:
                    b = b & ~(1 << pos + i) | (a >> i & 1) << pos + i
            return b

        values = {
            "a": (t, integers(random_, n)),
            "b": (t, integers(random_, n)),
            "c": ("u32", [random_.randrange(70) for _ in range(LANES)]),
            "e": ("u32", [random_.choice((0, 1, 5, 32, 64, 256, 300)) for _ in range(LANES)]),
        }
        variants = [
            (f"popc.{t} {{d}}, {{a}};", "u32", lambda a, b, c, e: bin(a).count("1")),
            (f"clz.{t} {{d}}, {{a}};", "u32", lambda a, b, c, e, n=n: n - a.bit_length()),
            (f"brev.{t} {{d}}, {{a}};", t, lambda a, b, c, e, n=n: int(f"{a:0{n}b}"[::-1], 2)),
            (f"bfi.{t} {{d}}, {{a}}, {{b}}, {{c}}, {{e}};", t, bfi),
        ]
        lanes(corpus, path, f"Counting, reversing and inserting bits of {t}.", values, variants)


def words(corpus):
    """What exists for 32 bits only."""

    def fns(mask, base, offset):
        base, offset = base & 31, signed(offset, 32)
        if offset == 0:
            return base if mask >> base & 1 else 0xFFFFFFFF
        step, left, at = (1 if offset > 0 else -1), abs(offset), base
        while 0 <= at < 32:
            left -= mask >> at & 1
            if left == 0:
                return at
            at += step
        return 0xFFFFFFFF

    path = "integer/fns.ptx"
    random_ = rng(path)
    values = {
        "a": ("b32", integers(random_, 32)),
        "b": ("b32", [random_.randrange(32) for _ in range(LANES)]),
        "c": ("s32", [random_.randrange(-9, 10) & 0xFFFFFFFF for _ in range(LANES)]),
    }
    lanes(corpus, path, "The n-th set bit from a position.", values, [("fns.b32 {d}, {a}, {b}, {c};", "b32", fns)])

    def szext(wrap, type_):
        def function(a, b):
            n = b & 31 if wrap else min(b, 32)
            if n == 0:
                return 0
            part = a & (1 << n) - 1
            return signed(part, n) if type_ == "s32" else part

        return function

    def bmsk(wrap):
        def function(a, b):
            pos, count = (a & 31, b & 31) if wrap else (a, b)
            return sum(1 << i for i in range(32) if pos <= i < pos + count)

        return function

    path = "integer/szext_bmsk.ptx"
    random_ = rng(path)
    values = {
        "a": ("b32", integers(random_, 32)),
        "b": ("u32", [random_.choice((0, 1, 8, 16, 31, 32, 33, 40, 1 << 31)) for _ in range(LANES)]),
        "c": ("u32", [random_.randrange(40) for _ in range(LANES)]),
    }
    variants = []
    for mode in ("clamp", "wrap"):
        for t in ("u32", "s32"):
            f = szext(mode == "wrap", t)
            variants.append((f"szext.{mode}.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b, c, f=f: f(a, b)))
        f = bmsk(mode == "wrap")
        variants.append((f"bmsk.{mode}.b32 {{d}}, {{c}}, {{b}};", "b32", lambda a, b, c, f=f: f(c, b)))
    lanes(corpus, path, "Extension from any bit, and masks.", values, variants)

    path = "integer/dot.ptx"
    variants = []
    for x in ("u32", "s32"):
        for y in ("u32", "s32"):

            def byte(v, at, kind):
                part = v >> 8 * at & 0xFF
                return signed(part, 8) if kind == "s32" else part

            def half(v, at, kind):
                part = v >> 16 * at & 0xFFFF
                return signed(part, 16) if kind == "s32" else part

            def dp4a(a, b, c, x=x, y=y, byte=byte):
                return c + sum(byte(a, i, x) * byte(b, i, y) for i in range(4))

            variants.append((f"dp4a.{x}.{y} {{d}}, {{a}}, {{b}}, {{c}};", "b32", dp4a))
            for mode, first in (("lo", 0), ("hi", 2)):

                def dp2a(a, b, c, x=x, y=y, first=first, byte=byte, half=half):
                    return c + sum(half(a, i, x) * byte(b, first + i, y) for i in range(2))

                variants.append((f"dp2a.{mode}.{x}.{y} {{d}}, {{a}}, {{b}}, {{c}};", "b32", dp2a))
    lanes(corpus, path, "Dot products of bytes and half words.", operands(path, "u32", "u32", "u32"), variants)


def logic(corpus):
    for t in BITS:
        n = size(t)
        path = f"logic/logic.{t}.ptx"
        variants = [
            (f"and.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b: a & b),
            (f"or.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b: a | b),
            (f"xor.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b: a ^ b),
            (f"not.{t} {{d}}, {{a}};", t, lambda a, b: ~a),
            (f"cnot.{t} {{d}}, {{a}};", t, lambda a, b: int(a == 0)),
        ]
        lanes(corpus, path, f"Bitwise logic on {t}.", operands(path, t, t), variants)

    path = "logic/logic.pred.ptx"
    random_ = rng(path)
    values = {n: ("pred", [random_.getrandbits(1) for _ in range(LANES)]) for n in "ab"}
    variants = [
        ("and.pred {d}, {a}, {b};", "pred", lambda a, b: a & b),
        ("or.pred {d}, {a}, {b};", "pred", lambda a, b: a | b),
        ("xor.pred {d}, {a}, {b};", "pred", lambda a, b: a ^ b),
        ("not.pred {d}, {a};", "pred", lambda a, b: 1 - a),
        ("mov.pred {d}, {a};", "pred", lambda a, b: a),
        ("mov.pred {d}, {a};\n@{b} not.pred {d}, {d};", "pred", lambda a, b: a ^ b),
        ("mov.pred {d}, {a};\n@!{b} not.pred {d}, {d};", "pred", lambda a, b: a ^ b ^ 1),
    ]
    lanes(corpus, path, "Logic on predicates, and guards.", values, variants)

    path = "logic/lop3.ptx"
    variants = []
    for lut in (0x00, 0x01, 0x1A, 0x40, 0x80, 0x96, 0xC0, 0xCA, 0xE8, 0xF0, 0xFE, 0xFF):

        def lop3(a, b, c, e, lut=lut):
            pick = lambda i: lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1
            return sum(pick(i) << i for i in range(32))

        variants.append((f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {lut:#x};", "b32", lop3))
        if lut in (0x40, 0x80):
            text = lambda op: f"{{{{ .reg .b32 %t; lop3.{op}.b32 %t|{{d}}, {{a}}, {{b}}, {{c}}, {lut:#x}, {{e}}; }}}}"
            either = lambda a, b, c, e, f=lop3: int(f(a, b, c, e) != 0 or e)
            both = lambda a, b, c, e, f=lop3: int(f(a, b, c, e) != 0 and e)
            variants.append((text("or"), "pred", either))
            variants.append((text("and"), "pred", both))
    values = operands(path, "b32", "b32", "b32")
    random_ = rng(path)
    values["c"] = ("b32", [random_.choice((0, v, 0xFFFFFFFF)) for v in values["c"][1]])
    values["e"] = ("pred", [random_.getrandbits(1) for _ in range(LANES)])
    lanes(corpus, path, "Any function of three bits.", values, variants)


def shifts(corpus):
    amounts = (0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 1 << 31, 0xFFFFFFFF)
    for t in BITS + INT:
        n = size(t)
        path = f"logic/shift.{t}.ptx"
        random_ = rng(path)
        values = {
            "a": (t, integers(random_, n)),
            "b": ("u32", [random_.choice(amounts) for _ in range(LANES)]),
        }
        shr = lift(t, lambda a, b: a) if t[0] == "s" else (lambda a, b: a)
        variants = [(f"shr.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b, f=shr: f(a, b) >> min(b, 100))]
        if t[0] == "b":
            variants.append((f"shl.{t} {{d}}, {{a}}, {{b}};", t, lambda a, b, n=n: a << b if b < n else 0))
        lanes(corpus, path, f"Shifts of {t}: amounts of the width and more leave nothing but the sign.", values, variants)

    path = "logic/shf.ptx"
    random_ = rng(path)
    values = {
        "a": ("b32", integers(random_, 32)),
        "b": ("b32", integers(random_, 32)),
        "c": ("u32", [random_.choice(amounts) for _ in range(LANES)]),
    }
    variants = []
    for direction in "lr":
        for mode in ("clamp", "wrap"):

            def shf(a, b, c, direction=direction, mode=mode):
                by = min(c, 32) if mode == "clamp" else c & 31
                joined = b << 32 | a
                return (joined << by) >> 32 if direction == "l" else joined >> by

            variants.append((f"shf.{direction}.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};", "b32", shf))
    lanes(corpus, path, "Funnel shifts.", values, variants)

    path = "logic/prmt.ptx"
    random_ = rng(path)
    values = {n: ("b32", integers(random_, 32)) for n in "abc"}

    def prmt(a, b, c):
        source = (b << 32 | a).to_bytes(8, "little")
        pick = lambda s: (0xFF if source[s & 7] & 0x80 else 0) if s & 8 else source[s & 7]
        return sum(pick(c >> 4 * i & 15) << 8 * i for i in range(4))

    # Which source byte each result byte comes from, lowest first, for the four values of the control.
    modes = {
        "f4e": ([0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]),
        "b4e": ([0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]),
        "rc8": ([0] * 4, [1] * 4, [2] * 4, [3] * 4),
        "ecl": ([0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]),
        "ecr": ([0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]),
        "rc16": ([0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]),
    }
    variants = [("prmt.b32 {d}, {a}, {b}, {c};", "b32", prmt)]
    for mode, table in modes.items():

        def pick(a, b, c, table=table):
            source = (b << 32 | a).to_bytes(8, "little")
            return sum(source[s] << 8 * i for i, s in enumerate(table[c & 3]))

        variants.append((f"prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}};", "b32", pick))
    lanes(corpus, path, "Byte permutations.", values, variants)


def generate(corpus):
    arithmetic(corpus)
    carries(corpus)
    bit_fields(corpus)
    words(corpus)
    logic(corpus)
    shifts(corpus)
