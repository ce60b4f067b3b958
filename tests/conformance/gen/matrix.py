"""Matrix instructions. All values are small whole numbers, so that no order of summation can matter."""

from itertools import product

from . import number
from .corpus import Case, rng, width
from .number import FORMATS, F16, F32, F64

WARP = range(32)
PER = {"f16": 2, "bf16": 2, "tf32": 1, "e4m3": 4, "e5m2": 4, "s8": 4, "u8": 4, "s4": 8, "u4": 8, "b1": 32, "f64": 1}


def encode(type_, value):
    """The bits of a small whole number."""
    if type_ == "tf32":
        return number.from_float(value, F32)
    if type_ in FORMATS:
        return number.from_float(value, FORMATS[type_])
    return value & ((1 << int(type_[1:])) - 1)


def small(random_, type_):
    if type_ == "b1":
        return random_.getrandbits(1)
    if type_[0] == "u":
        return random_.randrange(16)
    return random_.randrange(-3, 4) if type_ in ("e4m3", "e5m2") else random_.randrange(-8, 8)


def matrix(random_, rows, columns, type_):
    return [[small(random_, type_) for _ in range(columns)] for _ in range(rows)]


def multiply(a, b, c, combine=lambda x, y: x * y):
    inner, columns = len(b), len(b[0])
    return [
        [c[i][j] + sum(combine(a[i][k], b[k][j]) for k in range(inner)) for j in range(columns)] for i in range(len(a))
    ]


# ---- where the manual puts element i of a fragment in a lane


def place_a(m, per):
    def place(i, lane):
        group, member = lane >> 2, lane & 3
        register = i // per
        row = group + 8 * (register % 2) if m == 16 else group
        column = member * per + i % per + 4 * per * (register // 2 if m == 16 else register)
        return row, column

    return place


def place_b(per):
    return lambda i, lane: ((lane & 3) * per + i % per + 4 * per * (i // per), lane >> 2)


def place_c(i, lane):
    return (lane >> 2) + 8 * (i >> 1), (lane & 3) * 2 + (i & 1)


def fragments(values, type_, elements, place):
    """Registers of the warp: one list of 32 words per register."""
    bits = 64 if type_ == "f64" else 32
    per = bits // (32 if type_ == "tf32" else 1 if type_ == "b1" else width(type_))
    registers = [[0] * 32 for _ in range(elements // per)]
    for lane, i in product(WARP, range(elements)):
        row, column = place(i, lane)
        registers[i // per][lane] |= encode(type_, values[row][column]) << (i % per) * (bits // per)
    return registers


class Warp(Case):
    """A case of one warp whose operands are vectors of registers."""

    def __init__(self, title, **more):
        super().__init__(title, block=32, **more)
        self.regs += [".reg .b32 %i;", ".reg .b64 %p;"]
        self.body += ["mov.u32 %i, %tid.x;"]

    def vector(self, name, registers, bits=32):
        """Loads registers and gives their names as a vector operand."""
        self.input(name, f"b{bits}", [word for register in registers for word in register])
        self.regs.append(f".reg .b{bits} %{name}<{len(registers)}>;")
        self.body += [f"ld.param.u64 %p, [{name}];", f"mad.wide.u32 %p, %i, {bits // 8}, %p;"]
        for r in range(len(registers)):
            self.body.append(f"ld.global.b{bits} %{name}{r}, [%p+{r * 4 * bits}];")
        return self.names(name, len(registers))

    def result(self, name, registers, bits=32):
        """Declares result registers and stores them once `emit` has run."""
        self.regs.append(f".reg .b{bits} %{name}<{len(registers)}>;")
        self.output(name, f"b{bits}", [word for register in registers for word in register])
        return self.names(name, len(registers))

    def store(self, name, count, bits=32):
        self.body += [f"ld.param.u64 %p, [{name}];", f"mad.wide.u32 %p, %i, {bits // 8}, %p;"]
        for r in range(count):
            self.body.append(f"st.global.b{bits} [%p+{r * 4 * bits}], %{name}{r};")

    @staticmethod
    def names(name, count):
        return "{" + ", ".join(f"%{name}{r}" for r in range(count)) + "}"


def mma_case(corpus, m, k, d, a, b, c, modifiers=("",), combine=None, clamp=False):
    """One `mma.sync.mXn8kY` with the fragments of the manual, once per modifier: none changes the result."""
    name = f"m{m}n8k{k}"
    suffix = modifiers[0].replace(".", "_")
    path = f"matrix/mma.{name}.{d}.{a}.{b}.{c}{suffix}.ptx"
    random_ = rng(path)
    left, right = matrix(random_, m, k, a), matrix(random_, k, 8, b)
    start = matrix(random_, m, 8, "s8")
    if clamp:
        # Sums that leave the range of an s32 on both sides.
        start = [[random_.choice((2**31 - 1, -(2**31), 5)) for _ in range(8)] for _ in range(m)]
    result = multiply(left, right, start, combine or (lambda x, y: x * y))
    if d == "f64":
        # The sign of a zero sum depends on the rounding: have none.
        start = [[c + (total == 0) for c, total in zip(*rows)] for rows in zip(start, result)]
        result = multiply(left, right, start)
    if clamp:
        limit = lambda v: max(-(2**31), min(2**31 - 1, v))
        result = [[limit(v) for v in row] for row in result]
    wide = 64 if d == "f64" else 32
    case = Warp(f"{name}: {a} times {b} plus {c} gives {d}.")
    va = case.vector("a", fragments(left, a, m * k // 32, place_a(m, PER[a])), wide)
    vb = case.vector("b", fragments(right, b, k // 4, place_b(PER[b])), wide)
    vc = case.vector("c", fragments(start, c, m // 4, place_c), wide)
    expected = fragments(result, d, m // 4, place_c)
    for index, modifier in enumerate(modifiers):
        front, back = ("", modifier) if a == "b1" else (modifier, "")
        vd = case.result(f"d{index}_", expected, wide)
        case.body.append(f"mma.sync.aligned.{name}.row.col{front}.{d}.{a}.{b}.{c}{back} {vd}, {va}, {vb}, {vc};")
        case.store(f"d{index}_", len(expected), wide)
    corpus.add(path, case.text())


def mma(corpus):
    for k in (8, 16):
        mma_case(corpus, 16, k, "f16", "f16", "f16", "f16")
        mma_case(corpus, 16, k, "f32", "f16", "f16", "f32")
        mma_case(corpus, 16, k, "f32", "bf16", "bf16", "f32")
    for k in (4, 8):
        mma_case(corpus, 16, k, "f32", "tf32", "tf32", "f32")
    for k, a, b, sum_ in product((16, 32), ("e4m3", "e5m2"), ("e4m3", "e5m2"), ("f32", "f16")):
        mma_case(corpus, 16, k, sum_, a, b, sum_)
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        mma_case(corpus, m, k, "f64", "f64", "f64", "f64", ("", ".rn", ".rz", ".rm", ".rp"))
    for (m, k), a, b in product(((8, 16), (16, 16), (16, 32)), ("s8", "u8"), ("s8", "u8")):
        mma_case(corpus, m, k, "s32", a, b, "s32")
        mma_case(corpus, m, k, "s32", a, b, "s32", (".satfinite",), clamp=True)
    for (m, k), a, b in product(((8, 32), (16, 32), (16, 64)), ("s4", "u4"), ("s4", "u4")):
        mma_case(corpus, m, k, "s32", a, b, "s32")
        mma_case(corpus, m, k, "s32", a, b, "s32", (".satfinite",), clamp=True)
    for m, k in ((8, 128), (16, 128), (16, 256)):
        mma_case(corpus, m, k, "s32", "b1", "b1", "s32", (".xor.popc",), lambda x, y: x ^ y)
        mma_case(corpus, m, k, "s32", "b1", "b1", "s32", (".and.popc",), lambda x, y: x & y)


def quads(corpus):
    """m8n8k4 of f16: lanes 4q..4q+3 and 16+4q..16+4q+3 compute product q."""
    upper = lambda lane: 4 if lane >= 16 else 0
    for la, lb, (d, c) in product(("row", "col"), ("row", "col"), (("f16", "f16"), ("f32", "f16"), ("f32", "f32"))):
        path = f"matrix/mma.m8n8k4.{la}.{lb}.{d}.f16.f16.{c}.ptx"
        random_ = rng(path)
        lefts = [matrix(random_, 8, 4, "f16") for _ in range(4)]
        rights = [matrix(random_, 4, 8, "f16") for _ in range(4)]
        starts = [matrix(random_, 8, 8, "f16") for _ in range(4)]
        results = [multiply(*operands) for operands in zip(lefts, rights, starts)]
        of = lambda lane: lane % 16 // 4

        def halves(count, at):
            return [[encode("f16", at(2 * r, n)) | encode("f16", at(2 * r + 1, n)) << 16 for n in WARP] for r in range(count)]

        def left(i, lane):
            row, k = (lane % 4 + upper(lane), i) if la == "row" else (i + upper(lane), lane % 4)
            return lefts[of(lane)][row][k]

        def right(i, lane):
            k, column = (lane % 4, i + upper(lane)) if lb == "row" else (i, lane % 4 + upper(lane))
            return rights[of(lane)][k][column]

        def sums(type_, values):
            if type_ == "f16":
                return halves(4, lambda i, lane: values[of(lane)][lane % 4 + upper(lane)][i])

            def at(i, lane):
                row = (lane & 1) + (i & 2) + upper(lane)
                return encode("f32", values[of(lane)][row][(i & 4) + (lane & 2) + (i & 1)])

            return [[at(i, lane) for lane in WARP] for i in range(8)]

        case = Warp(f"m8n8k4 by quad pairs: A by {la}, B by {lb}, {c} to {d}.")
        va, vb = case.vector("a", halves(2, left)), case.vector("b", halves(2, right))
        vc = case.vector("c", sums(c, starts))
        expected = sums(d, results)
        vd = case.result("d", expected)
        case.body.append(f"mma.sync.aligned.m8n8k4.{la}.{lb}.{d}.f16.f16.{c} {vd}, {va}, {vb}, {vc};")
        case.store("d", len(expected))
        corpus.add(path, case.text())


def memory_image(values, type_, layout, stride):
    """The elements of a matrix as they lie in memory, `stride` elements from line to line."""
    lines = values if layout == "row" else [list(line) for line in zip(*values)]
    elements = []
    for line in lines:
        elements += [encode(type_, v) for v in line] + [0] * (stride - len(line))
    bits = {"tf32": 32, "b1": 1}.get(type_) or width(type_)
    if bits >= 8:
        return f"b{bits}", elements
    per = 32 // bits
    words = [sum(e << bits * i for i, e in enumerate(elements[at : at + per])) for at in range(0, len(elements), per)]
    return "b32", words


def wmma_case(corpus, shape, d, a, b, c, la, lb, registers, bit_op="", modifiers="", space="global"):
    """Load, multiply, store: the fragments in between may lie as they like."""
    m, n, k = shape
    name = f"m{m}n{n}k{k}"
    suffix = (bit_op + modifiers).replace(".", "_")
    path = f"matrix/wmma.{name}.{la}.{lb}.{d}.{a}.{b}.{c}{suffix}.ptx"
    random_ = rng(path)
    left, right, start = matrix(random_, m, k, a), matrix(random_, k, n, b), matrix(random_, m, n, "s8")
    combine = {"": lambda x, y: x * y, ".xor.popc": lambda x, y: x ^ y, ".and.popc": lambda x, y: x & y}[bit_op]
    result = multiply(left, right, start, combine)
    if d == "f64":
        start = [[c + (total == 0) for c, total in zip(*rows)] for rows in zip(start, result)]
        result = multiply(left, right, start)
    wide = 64 if d == "f64" else 32
    na, nb, nc, nd = registers
    title = f"wmma {name}: {a} times {b} plus {c} gives {d}, with a stride wider than the matrix."
    # Saturation of float sums existed in the beginning only.
    old = {"language": ("6.4", "sm_70")} if modifiers == ".satfinite" and a == "f16" else {}
    case = Warp(title, **old)
    # C goes in by row and D comes out by column.
    step = 128 // (32 if a == "tf32" else width(a))
    strides = {
        "a": (k if la == "row" else m) + step,
        "b": (k if lb == "col" else n) + step,
        "c": n + 8,
        "d": m + 8,
    }
    for operand, values, type_, layout in (("a", left, a, la), ("b", right, b, lb), ("c", start, c, "row")):
        case.input(operand, *memory_image(values, type_, layout, strides[operand]))
    kind, image = memory_image(result, d, "col", strides["d"])
    case.output("d", kind, image)
    for operand, count in (("a", na), ("b", nb), ("c", nc), ("d", nd)):
        case.regs.append(f".reg .b{wide} %{operand}<{count}>;")
        type_ = {"a": a, "b": b, "c": c}.get(operand)
        layout = {"a": la, "b": lb, "c": "row"}.get(operand)
        if operand != "d":
            vector = case.names(operand, count)
            case.body.append(f"ld.param.u64 %p, [{operand}];")
            where = f"{space}." if space else ""
            case.body.append(
                f"wmma.load.{operand}.sync.aligned.{layout}.{name}.{where}{type_} {vector}, [%p], {strides[operand]};"
            )
    types = f"{d}.{c}" if a == "f16" else f"{d}.{a}.{b}.{c}"
    vectors = ", ".join(case.names(o, count) for o, count in (("d", nd), ("a", na), ("b", nb), ("c", nc)))
    front = f"wmma.mma{bit_op}.sync.aligned.{la}.{lb}.{name}"
    rounding = modifiers if modifiers in (".rn", ".rz", ".rm", ".rp") else ""
    back = modifiers if modifiers == ".satfinite" else ""
    case.body.append(f"{front}{rounding}.{types}{back} {vectors};")
    case.body.append("ld.param.u64 %p, [d];")
    case.body.append(f"wmma.store.d.sync.aligned.col.{name}.global.{d} [%p], {case.names('d', nd)}, {strides['d']};")
    corpus.add(path, case.text())


def wmma_shared(corpus):
    """Matrices in shared memory, by row throughout."""
    for space in ("shared", "shared::cta"):
        path = f"matrix/wmma.{space.replace('::', '_')}.ptx"
        random_ = rng(path)
        left, right, start = (matrix(random_, 16, 16, "f16") for _ in range(3))
        result = multiply(left, right, start)
        module = ".shared .align 16 .b8 pool[3072];\n"
        case = Warp(f"wmma with all matrices in .{space}.", module=module)
        flat = lambda values, type_: [encode(type_, v) for row in values for v in row]
        case.input("m", "b16", flat(left, "f16") + flat(right, "f16"))
        case.input("c", "b32", flat(start, "f32"))
        case.output("d", "b32", flat(result, "f32"))
        case.regs += [".reg .b64 %s, %g, %d;", ".reg .b32 %a<8>, %b<8>, %c<8>;"]
        case.body += [
            "mov.u64 %s, pool;",
            "ld.param.u64 %p, [m];",
            "mad.wide.u32 %p, %i, 32, %p;",
            "mad.wide.u32 %g, %i, 32, %s;",
        ]
        for at in (0, 16):
            case.body.append(f"ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%p+{at}];")
            case.body.append(f"st.shared.v4.b32 [%g+{at}], {{%a0, %a1, %a2, %a3}};")
        case.body += ["ld.param.u64 %p, [c];", "mad.wide.u32 %p, %i, 32, %p;"]
        for at in (0, 16):
            case.body.append(f"ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%p+{at}];")
            case.body.append(f"st.shared.v4.b32 [%g+{1024 + at}], {{%a0, %a1, %a2, %a3}};")
        name, v = "m16n16k16", lambda operand: case.names(operand, 8)
        case.body += [
            "bar.sync 0;",
            f"wmma.load.a.sync.aligned.row.{name}.{space}.f16 {v('a')}, [%s];",
            f"wmma.load.b.sync.aligned.row.{name}.{space}.f16 {v('b')}, [%s+512];",
            f"wmma.load.c.sync.aligned.row.{name}.{space}.f32 {v('c')}, [%s+1024];",
            f"wmma.mma.sync.aligned.row.row.{name}.f32.f32 {v('c')}, {v('a')}, {v('b')}, {v('c')};",
            f"wmma.store.d.sync.aligned.row.{name}.{space}.f32 [%s+2048], {v('c')}, 16;",
            "bar.sync 0;",
            "ld.param.u64 %p, [d];",
            "mad.wide.u32 %p, %i, 32, %p;",
        ]
        for at in (0, 16):
            case.body.append(f"ld.shared.v4.b32 {{%a0, %a1, %a2, %a3}}, [%g+{2048 + at}];")
            case.body.append(f"st.global.v4.b32 [%p+{at}], {{%a0, %a1, %a2, %a3}};")
        corpus.add(path, case.text())


def wmma(corpus):
    layouts = list(product(("row", "col"), ("row", "col")))
    for index, shape in enumerate(((16, 16, 16), (8, 32, 16), (32, 8, 16))):
        for (la, lb), (d, c) in zip(layouts, product(("f16", "f32"), ("f16", "f32"))):
            counts = (8, 8, 4 if c == "f16" else 8, 4 if d == "f16" else 8)
            wmma_case(corpus, shape, d, "f16", "f16", c, la, lb, counts)
            wmma_case(corpus, shape, d, "f16", "f16", c, lb, la, counts, modifiers=".satfinite")
        a, b = ((4, 4), (2, 8), (8, 2))[index]
        for la, lb in (("row", "col"), ("col", "row")):
            wmma_case(corpus, shape, "f32", "bf16", "bf16", "f32", la, lb, (a, b, 8, 8))
            for kind in ("s8", "u8"):
                counts = (a // 2, b // 2, 8, 8)
                wmma_case(corpus, shape, "s32", kind, kind, "s32", la, lb, counts)
                wmma_case(corpus, shape, "s32", kind, kind, "s32", lb, la, counts, modifiers=".satfinite")
    for la, lb in layouts:
        wmma_case(corpus, (16, 16, 8), "f32", "tf32", "tf32", "f32", la, lb, (4, 4, 8, 8), space="")
        wmma_case(corpus, (8, 8, 4), "f64", "f64", "f64", "f64", la, lb, (1, 1, 2, 2))
    for rounding in (".rn", ".rz", ".rm", ".rp"):
        wmma_case(corpus, (8, 8, 4), "f64", "f64", "f64", "f64", "row", "col", (1, 1, 2, 2), modifiers=rounding)
    for kind, modifiers in product(("s4", "u4"), ("", ".satfinite")):
        wmma_case(corpus, (8, 8, 32), "s32", kind, kind, "s32", "row", "col", (1, 1, 2, 2), modifiers=modifiers)
    for op in (".xor.popc", ".and.popc"):
        wmma_case(corpus, (8, 8, 128), "s32", "b1", "b1", "s32", "row", "col", (1, 1, 2, 2), bit_op=op)


def movement(corpus):
    """ldmatrix, stmatrix and movmatrix: row r of matrix i comes from (or goes to) the address in lane 8i+r."""
    shared = ".shared .align 16 .b8 tile[512];\n"
    # Rows lie in memory in this order, so that addresses are not simply consecutive.
    order = [(5 * row + 3) % 32 for row in range(32)]
    for count, trans in product((1, 2, 4), ("", ".trans")):
        path = f"matrix/ldmatrix.x{count}{trans.replace('.', '_')}.ptx"
        random_ = rng(path)
        memory = [[random_.getrandbits(16) for _ in range(8)] for _ in range(32)]
        rows = [memory[order[lane]] for lane in WARP]

        def word(i, lane):
            r, c = lane >> 2, (lane & 3) * 2
            at = (lambda x, y: rows[8 * i + y][x]) if trans else (lambda x, y: rows[8 * i + x][y])
            return at(r, c) | at(r, c + 1) << 16

        expected = [[word(i, lane) for lane in WARP] for i in range(count)]
        case = Warp(f"ldmatrix x{count}{trans}: eight rows per matrix, from anywhere.", module=shared)
        case.input("m", "b16", [v for row in memory for v in row])
        case.input("o", "b32", order)
        case.regs += [".reg .b32 %s, %o;", ".reg .b64 %q;", ".reg .b32 %w<4>;"]
        case.body += [
            "ld.param.u64 %p, [m];",
            "mad.wide.u32 %p, %i, 16, %p;",
            "ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%p];",
            "mov.u32 %s, tile;",
            "mad.lo.u32 %o, %i, 16, %s;",
            "st.shared.v4.b32 [%o], {%w0, %w1, %w2, %w3};",
            "bar.sync 0;",
            "ld.param.u64 %p, [o];",
            "mad.wide.u32 %p, %i, 4, %p;",
            "ld.global.b32 %o, [%p];",
            "mad.lo.u32 %o, %o, 16, %s;",
        ]
        vd = case.result("d", expected)
        case.body.append(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {vd}, [%o];")
        case.store("d", count)
        vc = case.result("c", expected)
        case.body.append(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared::cta.b16 {vc}, [%o];")
        case.store("c", count)
        vg = case.result("g", expected)
        case.body += ["cvt.u64.u32 %q, %o;", "cvta.shared.u64 %q, %q;"]
        case.body.append(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.b16 {vg}, [%q];")
        case.store("g", count)
        corpus.add(path, case.text())

        path = f"matrix/stmatrix.x{count}{trans.replace('.', '_')}.ptx"
        random_ = rng(path)
        registers = [[random_.getrandbits(32) for _ in WARP] for _ in range(count)]
        memory = [[0] * 8 for _ in range(32)]
        for i, lane, h in product(range(count), WARP, range(2)):
            r, c = lane >> 2, (lane & 3) * 2 + h
            value = registers[i][lane] >> 16 * h & 0xFFFF
            row, column = (c, r) if trans else (r, c)
            memory[order[8 * i + row]][column] = value
        case = Warp(f"stmatrix x{count}{trans}: eight rows per matrix, to anywhere.", module=shared)
        case.input("o", "b32", order)
        case.regs += [".reg .b32 %s, %o;", ".reg .b32 %w<4>;"]
        vr = case.vector("r", registers)
        case.body += [
            "mov.u32 %s, tile;",
            "mad.lo.u32 %o, %i, 16, %s;",
            "mov.b32 %w0, 0;",
            "st.shared.v4.b32 [%o], {%w0, %w0, %w0, %w0};",
            "bar.sync 0;",
            "ld.param.u64 %p, [o];",
            "mad.wide.u32 %p, %i, 4, %p;",
            "ld.global.b32 %o, [%p];",
            "mad.lo.u32 %o, %o, 16, %s;",
            f"stmatrix.sync.aligned.m8n8.x{count}{trans}.{'shared::cta' if count == 2 else 'shared'}.b16 [%o], {vr};",
            "bar.sync 0;",
            "mad.lo.u32 %o, %i, 16, %s;",
            "ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%o];",
            "ld.param.u64 %p, [d];",
            "mad.wide.u32 %p, %i, 16, %p;",
            "st.global.v4.b32 [%p], {%w0, %w1, %w2, %w3};",
        ]
        case.output("d", "b16", [v for row in memory for v in row])
        corpus.add(path, case.text())

    path = "matrix/movmatrix.ptx"
    random_ = rng(path)
    values = [[random_.getrandbits(16) for _ in range(8)] for _ in range(8)]
    word = lambda at, lane: at(lane >> 2, (lane & 3) * 2) | at(lane >> 2, (lane & 3) * 2 + 1) << 16
    case = Warp("movmatrix: the transposed fragment.")
    va = case.vector("a", [[word(lambda r, c: values[r][c], lane) for lane in WARP]])
    vd = case.result("d", [[word(lambda r, c: values[c][r], lane) for lane in WARP]])
    case.body.append("movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;")
    case.store("d", 1)
    corpus.add(path, case.text())


def generate(corpus):
    mma(corpus)
    quads(corpus)
    wmma(corpus)
    wmma_shared(corpus)
    movement(corpus)
