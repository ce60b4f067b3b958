"""atom and red: alone on a cell, to see each result, and crowded, to see that nothing is lost."""

from itertools import product

from . import number
from .corpus import LANES, Case, floats, integers, pair, rng
from .integers import num
from .number import BF16, F16, F32, F64, FORMATS

SCOPES = ("", ".cta", ".cluster", ".gpu", ".sys")
SEMANTICS = ("", ".relaxed", ".acquire", ".release", ".acq_rel")


def float_add(f):
    return lambda old, b, c: number.add(f, old, b)


def halves(f):
    def function(old, b, c):
        low = number.add(f, old & 0xFFFF, b & 0xFFFF)
        return number.add(f, old >> 16, b >> 16) << 16 | low

    return function


def numeric(type_, function):
    mask = (1 << int(type_[1:])) - 1
    return lambda old, b, c: function(num(type_, old), num(type_, b)) & mask


OPS = {
    ("add", t): numeric(t, lambda old, b: old + b) for t in ("u32", "s32", "u64")
}
OPS |= {("min", t): numeric(t, min) for t in ("u32", "s32", "u64", "s64")}
OPS |= {("max", t): numeric(t, max) for t in ("u32", "s32", "u64", "s64")}
OPS |= {
    ("inc", "u32"): lambda old, b, c: 0 if old >= b else old + 1,
    ("dec", "u32"): lambda old, b, c: b if old == 0 or old > b else old - 1,
}
OPS |= {("and", t): lambda old, b, c: old & b for t in ("b32", "b64")}
OPS |= {("or", t): lambda old, b, c: old | b for t in ("b32", "b64")}
OPS |= {("xor", t): lambda old, b, c: old ^ b for t in ("b32", "b64")}
OPS |= {("exch", t): lambda old, b, c: b for t in ("b32", "b64", "b128")}
OPS |= {("cas", t): lambda old, b, c: c if old == b else old for t in ("b16", "b32", "b64", "b128")}
OPS |= {("add", "f32"): float_add(F32), ("add", "f64"): float_add(F64)}
OPS |= {("add.noftz", "f16"): float_add(F16), ("add.noftz", "bf16"): float_add(BF16)}
OPS |= {("add.noftz", "f16x2"): halves(F16), ("add.noftz", "bf16x2"): halves(BF16)}


def bits(type_):
    return {"f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}.get(type_) or int(type_[1:])


def values(random_, type_):
    base = type_.replace("x2", "")
    if base not in FORMATS:
        return integers(random_, bits(type_))
    f = FORMATS[base]
    # f32 in global memory may flush subnormals, and f64 keeps NaN payloads: neither is tried.
    one = f.bias << f.mantissa
    column = [one if f.is_nan(v) or f.is_subnormal(v) else v for v in floats(random_, f)]
    column = [one if f.is_inf(v) and f is F64 else v for v in column]
    return pair(column, random_) if "x2" in type_ else column


def alone(corpus):
    """Each thread has a cell of its own and applies operations to it one after the other."""
    for opcode, space in product(("atom", "red"), ("global", "shared", "generic")):
        by_type = {}
        for (op, t), function in OPS.items():
            if opcode == "red" and op in ("exch", "cas"):
                continue
            by_type.setdefault(t, []).append((op, function))
        for t, ops in by_type.items():
            path = f"atomic/{opcode}.{space}.{t}.ptx"
            random_ = rng(path)
            n, size = bits(t), bits(t) // 8
            module = f".shared .align 16 .b8 cells[{size * LANES}];\n" if space == "shared" else ""
            case = Case(f"{opcode} on {t} in {space} memory, one cell per thread.", module=module)
            cells, b, c = values(random_, t), values(random_, t), values(random_, t)
            cells = [x if random_.randrange(2) else y for x, y in zip(b, cells)]
            for name, column in (("m", cells), ("b", b), ("c", c)):
                case.input(name, f"b{n}", column)
            case.regs += [".reg .b32 %i;", ".reg .b64 %p, %m, %d, %s, %policy;", f".reg .b{n} %b, %c, %o;"]
            case.body += ["mov.u32 %i, %tid.x;", "ld.param.u64 %m, [m];", f"mad.wide.u32 %m, %i, {size}, %m;"]
            for name in "bc":
                case.body += [f"ld.param.u64 %p, [{name}];", f"mad.wide.u32 %p, %i, {size}, %p;"]
                case.body.append(f"ld.global.b{n} %{name}, [%p];")
            at, word = "%m", "" if space == "generic" else f".{space}"
            if space == "shared":
                case.body += ["mov.u64 %s, cells;", f"mad.wide.u32 %s, %i, {size}, %s;"]
                case.body += [f"ld.global.b{n} %o, [%m];", f"st.shared.b{n} [%s], %o;"]
                at = "%s"
            if opcode == "atom":
                case.body += ["ld.param.u64 %d, [d];", f"mad.wide.u32 %d, %i, {size}, %d;"]
            if space == "global" and len(ops) > 1 and n < 128:
                case.body.append("createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;")
            olds = []
            for index, (op, function) in enumerate(ops):
                semantics = SEMANTICS[index % 5 if opcode == "atom" else index % 4 if index % 4 != 2 else 1]
                scope = SCOPES[index % 5] or (".gpu" if semantics else "")
                wide_space = ".shared::cta" if space == "shared" and index % 2 else word
                cas = ", %c" if op == "cas" else ""
                hint = ".L2::cache_hint" if index == 1 and space == "global" and n < 128 else ""
                operands = f"[{at}], %b{cas}" + (", %policy" if hint else "")
                line = f"{opcode}{semantics}{scope}{wide_space}.{op}{hint}.{t} "
                case.body.append(line + (f"%o, {operands};" if opcode == "atom" else f"{operands};"))
                if opcode == "atom":
                    case.body.append(f"st.global.b{n} [%d+{index * size * LANES}], %o;")
                olds += cells
                cells = [function(*row) for row in zip(cells, b, c)]
            if space == "shared":
                case.body += [f"ld.shared.b{n} %o, [%s];", f"st.global.b{n} [%m], %o;"]
            if opcode == "atom":
                case.output("d", f"b{n}", olds)
            case.output("m", f"b{n}", cells)
            corpus.add(path, case.text())


def crowded(corpus):
    """Four blocks of 96 threads on eight cells. Only what commutes has one right answer."""
    threads, blocks, cells = 96, 4, 8
    table = [
        ("add", "u32", lambda old, i: old + i & 0xFFFFFFFF),
        ("add", "u64", lambda old, i: old + i & (1 << 64) - 1),
        ("max", "s32", lambda old, i: max(old, i)),
        ("min", "u32", lambda old, i: min(old, i)),
        ("xor", "b32", lambda old, i: old ^ i),
        ("or", "b64", lambda old, i: old | i),
        ("inc", "u32", None),
        ("dec", "u32", None),
        # Whole numbers this small are exact, so even a float sum has one answer.
        ("add", "f32", None),
        ("add", "f64", None),
    ]
    for opcode in ("atom", "red"):
        path = f"atomic/crowded.{opcode}.ptx"
        case = Case("Many threads on few cells: no update may be lost.", block=threads, grid=blocks)
        case.regs += [".reg .b32 %i, %t, %n, %v;", ".reg .b64 %p, %w, %o;", ".reg .f32 %f;", ".reg .f64 %g;"]
        case.regs += [".reg .b32 %r;"]
        case.body += ["mov.u32 %i, %ctaid.x;", "mov.u32 %n, %ntid.x;", "mov.u32 %t, %tid.x;"]
        case.body += ["mad.lo.u32 %i, %i, %n, %t;", f"rem.u32 %t, %i, {cells};"]
        case.body += ["cvt.u64.u32 %w, %i;", "cvt.rn.f32.u32 %f, %i;", "cvt.rn.f64.u32 %g, %i;"]
        total = threads * blocks
        for index, (op, t, function) in enumerate(table):
            n = bits(t)
            name = f"m{index}"
            initial = [1000 if op == "min" else 5] * cells
            final = []
            for cell in range(cells):
                members = range(cell, total, cells)
                old = initial[cell]
                if op == "inc":  # wraps after 40
                    final.append((old + len(members)) % 41)
                elif op == "dec":
                    final.append((old - len(members)) % 41)
                elif t[0] == "f":
                    final.append(old + sum(members))
                else:
                    for i in members:
                        old = function(old, i)
                    final.append(old)
            encode = (lambda v, t=t: number.from_float(v, FORMATS[t])) if t[0] == "f" else (lambda v: v)
            case.input(name, f"b{n}", [encode(v) for v in initial])
            value = {"f32": "%f", "f64": "%g"}.get(t) or ("%w" if n == 64 else "%i")
            if op in ("inc", "dec"):
                value = "40"
            old = {"f32": "%f", "f64": "%g"}.get(t) or ("%o" if n == 64 else "%r")
            if t[0] == "f":
                old = "%v" if n == 32 else "%o"
            case.body += [f"ld.param.u64 %p, [{name}];", f"mad.wide.u32 %p, %t, {n // 8}, %p;"]
            result = f"{old}, " if opcode == "atom" else ""
            case.body.append(f"{opcode}.global.{op}.{t} {result}[%p], {value};")
            case.output(name, f"b{n}", [encode(v) for v in final])
        corpus.add(path, case.text())


def generate(corpus):
    alone(corpus)
    crowded(corpus)
