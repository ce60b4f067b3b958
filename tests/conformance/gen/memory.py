"""Loads and stores in every space and form, and what goes with them: policies, prefetches, asynchronous copies."""

from .corpus import Case, rng
from .integers import signed

TYPES = ("b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64")
LANES = 8  # threads: enough to tell addresses apart
SLOT = 32  # bytes that each thread calls its own


def bits(type_):
    return int(type_[1:])


def slots(random_):
    """A slot of random bytes per thread, as numbers."""
    return [int.from_bytes(random_.randbytes(SLOT), "little") for _ in range(LANES)]


def words(values, size=SLOT):
    """Slots as b64 words."""
    return [v >> 64 * i & (1 << 64) - 1 for v in values for i in range(size // 8)]


def extend(type_, value):
    """What a 64-bit register receives."""
    value &= (1 << bits(type_)) - 1
    return signed(value, bits(type_)) & (1 << 64) - 1 if type_[0] == "s" else value


class Slots(Case):
    """Each thread has a slot of the buffer `m` at %m and writes b64 results one after another to `d`."""

    def __init__(self, title, path, module=""):
        super().__init__(title, block=LANES, module=module)
        self.path = path
        self.memory = slots(rng(path))
        self.input("m", "b64", words(self.memory))
        self.results = []
        self.regs += [".reg .b32 %i;", ".reg .b64 %p, %m, %d, %policy;", ".reg .b16 %h<4>;", ".reg .b32 %w<4>;"]
        self.regs += [".reg .b64 %x<4>;", ".reg .b128 %q;"]
        self.body += ["mov.u32 %i, %tid.x;", "ld.param.u64 %m, [m];", f"mad.wide.u32 %m, %i, {SLOT}, %m;"]
        self.body += ["ld.param.u64 %d, [d];", f"mad.wide.u32 %d, %i, 8, %d;"]

    def keep(self, register, values):
        """Stores a b64 register as the next result."""
        self.body.append(f"st.global.b64 [%d+{len(self.results) * 8 * LANES}], {register};")
        self.results.append(values)

    def load(self, head, type_, address="[%m]", vector=1, hint=""):
        """One load into registers wider than the type, where the type allows that."""
        step = bits(type_)
        fits = {16: "%h", 32: "%w", 64: "%x"}
        prefix = fits[step] if type_[0] == "f" else "%x"
        names = [f"{prefix}{n}" for n in range(vector)]
        target = names[0] if vector == 1 else "{" + ", ".join(names) + "}"
        self.body.append(f"{head}{'' if vector == 1 else f'.v{vector}'}.{type_} {target}, {address}{hint};")
        for n, name in enumerate(names):
            values = [extend(type_, v >> n * step) for v in self.memory]
            if prefix == "%w":
                self.body.append(f"cvt.u64.u32 %x3, {name};" if vector < 4 else f"cvt.u64.u32 %p, {name};")
                name = "%x3" if vector < 4 else "%p"
            self.keep(name, values)

    def load128(self, head, address="[%m]"):
        self.body += [f"{head}.b128 %q, {address};", "mov.b128 {%x0, %x1}, %q;"]
        for n in range(2):
            self.keep(f"%x{n}", [v >> 64 * n & (1 << 64) - 1 for v in self.memory])

    def finish(self, corpus):
        self.output("d", "b64", [v for values in self.results for v in values])
        corpus.add(self.path, self.text())


def loads(corpus):
    case = Slots("Loads of every type from global memory, alone and in vectors.", "memory/ld.global.ptx")
    for t in TYPES:
        case.load("ld.global", t)
        case.load("ld.global", t, vector=2)
        if bits(t) < 64:
            case.load("ld.weak.global", t, vector=4)
    case.load128("ld.global")
    case.finish(corpus)

    case = Slots("Cache operators and hints change nothing but speed.", "memory/ld.hints.ptx")
    case.body.append("createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;")
    for word in ("ca", "cg", "cs", "lu", "cv"):
        case.load(f"ld.global.{word}", "u32")
    for word in ("evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate"):
        case.load(f"ld.global.L1::{word}", "u32")
    for word in ("64B", "128B", "256B"):
        case.load(f"ld.global.L2::{word}", "u32")
    case.load("ld.global.L2::cache_hint", "u32", hint=", %policy")
    case.load("ld.global.nc.L2::cache_hint", "u64", hint=", %policy")
    case.load("ld.relaxed.gpu.global.L2::cache_hint", "u64", hint=", %policy")
    case.finish(corpus)

    for name, head in (
        ("volatile", "ld.volatile.global"),
        ("relaxed", "ld.relaxed.gpu.global"),
        ("acquire", "ld.acquire.sys.global"),
        ("mmio", "ld.mmio.relaxed.sys.global"),
        ("nc", "ld.global.nc"),
        ("ldu", "ldu.global"),
    ):
        case = Slots(f"Loads by {head}.", f"memory/ld.{name}.ptx")
        for t in TYPES:
            case.load(head, t)
            if name != "mmio":
                case.load(head, t, vector=2)
            if name == "ldu" and bits(t) < 64:
                case.load(head, t, vector=4)
        if name not in ("mmio", "ldu"):
            case.load128(head)
        if name == "relaxed":
            for scope in ("cta", "cluster", "sys"):
                case.load(f"ld.relaxed.{scope}.global", "u32")
        if name == "nc":
            for word in ("ca", "cg", "cs"):
                case.load(f"ld.global.{word}.nc", "u32")
        case.finish(corpus)

    module = f".shared .align 16 .b8 pool[{SLOT * LANES}];\n"
    for space, module in (("shared", module), ("local", "")):
        case = Slots(f"Loads of every type from {space} memory, directly and by generic address.", f"memory/ld.{space}.ptx", module)
        if space == "local":
            case.regs.append(f".local .align 16 .b8 pool[{SLOT}];")
        case.regs += [".reg .b64 %s, %g;", ".reg .pred %is;"]
        case.body.append("mov.u64 %s, pool;")
        if space == "shared":
            case.body.append(f"mad.wide.u32 %s, %i, {SLOT}, %s;")
        for at in (0, 16):
            case.body.append(f"ld.global.v2.b64 {{%x0, %x1}}, [%m+{at}];")
            case.body.append(f"st.{space}.v2.b64 [%s+{at}], {{%x0, %x1}};")
        case.body.append(f"cvta.{space}.u64 %g, %s;")
        for t in TYPES:
            case.load(f"ld.{space}", t, "[%s]")
            case.load(f"ld.{space}", t, "[%s]", vector=2)
            case.load("ld", t, "[%g]")
            case.load("ld.volatile", t, "[%g]")
        case.load128(f"ld.{space}", "[%s]")
        case.load128("ld", "[%g]")
        if space == "shared":
            case.load("ld.shared::cta", "u32", "[%s]")
            case.load("ld.volatile.shared", "u32", "[%s]")
            case.load("ld.relaxed.cta.shared", "u32", "[%s]")
        case.body.append(f"cvta.to.{space}.u64 %p, %g;")
        case.body.append("sub.u64 %p, %p, %s;")
        case.keep("%p", [0] * LANES)
        for asked in ("global", "shared", "local", "const"):
            case.body += [f"isspacep.{asked} %is, %g;", "selp.u64 %p, 1, 0, %is;"]
            case.keep("%p", [int(asked == space)] * LANES)
        case.finish(corpus)

    path = "memory/ld.const.ptx"
    random_ = rng(path)
    table = [random_.getrandbits(32) for _ in range(LANES * SLOT // 4)]
    rows = ",\n    ".join(", ".join(f"{v:#010x}" for v in table[at : at + 8]) for at in range(0, len(table), 8))
    module = f".const .align 16 .b32 table[{len(table)}] = {{\n    {rows}\n}};\n"
    case = Slots("Loads of every type from constant memory.", path, module)
    case.memory = [sum(table[lane * 8 + i] << 32 * i for i in range(8)) for lane in range(LANES)]
    case.regs += [".reg .b64 %s, %g;", ".reg .pred %is;"]
    case.body += ["mov.u64 %s, table;", f"mad.wide.u32 %s, %i, {SLOT}, %s;", "cvta.const.u64 %g, %s;"]
    for t in TYPES:
        case.load("ld.const", t, "[%s]")
        case.load("ld.const", t, "[%s]", vector=2)
        case.load("ld", t, "[%g]")
    case.load128("ld.const", "[%s]")
    case.finish(corpus)

    case = Slots("Loads of every type by generic address from global memory.", "memory/ld.generic.ptx")
    case.regs += [".reg .b64 %g;", ".reg .pred %is;"]
    case.body.append("cvta.global.u64 %g, %m;")
    for t in TYPES:
        case.load("ld", t, "[%g]")
        case.load("ld.relaxed.gpu", t, "[%g]")
        case.load("ldu", t, "[%g]")
    case.load128("ld.acquire.gpu", "[%g]")
    case.body += ["isspacep.global %is, %g;", "selp.u64 %p, 1, 0, %is;"]
    case.keep("%p", [1] * LANES)
    case.body += ["cvta.to.global.u64 %p, %g;", "sub.u64 %p, %p, %m;"]
    case.keep("%p", [0] * LANES)
    case.finish(corpus)


class Stores(Case):
    """Each thread stores parts of its slot of `m` to slots of `d`, one slot per store; the rest stays zero."""

    def __init__(self, title, path, module="", **more):
        super().__init__(title, block=LANES, module=module, **more)
        self.path = path
        self.memory = slots(rng(path))
        self.input("m", "b64", words(self.memory))
        self.results = []
        self.regs += [".reg .b32 %i;", ".reg .b64 %p, %m, %d, %policy;", ".reg .b16 %h<4>;", ".reg .b32 %w<4>;"]
        self.regs += [".reg .b64 %x<4>;", ".reg .b128 %q;"]
        self.body += ["mov.u32 %i, %tid.x;", "ld.param.u64 %m, [m];", f"mad.wide.u32 %m, %i, {SLOT}, %m;"]
        self.body += ["ld.param.u64 %d, [d];", f"mad.wide.u32 %d, %i, 16, %d;"]

    def store(self, head, type_, vector=1, hint="", base="%d", offset=None):
        step = bits(type_)
        prefix = {8: "%h", 16: "%h", 32: "%w", 64: "%x"}[step]
        for n in range(vector):
            self.body.append(f"ld.global.b{step} {prefix}{n}, [%m+{n * step // 8}];")
        names = [f"{prefix}{n}" for n in range(vector)]
        source = names[0] if vector == 1 else "{" + ", ".join(names) + "}"
        at = len(self.results) * 16 * LANES if offset is None else offset
        self.body.append(f"{head}{'' if vector == 1 else f'.v{vector}'}.{type_} [{base}+{at}], {source}{hint};")
        self.results.append([v & (1 << step * vector) - 1 for v in self.memory])

    def store128(self, head, base="%d", offset=None):
        at = len(self.results) * 16 * LANES if offset is None else offset
        self.body += ["ld.global.v2.b64 {%x0, %x1}, [%m];", "mov.b128 %q, {%x0, %x1};"]
        self.body.append(f"{head}.b128 [{base}+{at}], %q;")
        self.results.append([v & (1 << 128) - 1 for v in self.memory])

    def finish(self, corpus):
        self.output("d", "b64", [w for values in self.results for w in words(values, 16)])
        corpus.add(self.path, self.text())


def stores(corpus):
    for name, head in (
        ("global", "st.global"),
        ("weak", "st.weak"),
        ("volatile", "st.volatile.global"),
        ("relaxed", "st.relaxed.gpu.global"),
        ("release", "st.release.sys"),
        ("mmio", "st.mmio.relaxed.sys.global"),
    ):
        case = Stores(f"Stores by {head}.", f"memory/st.{name}.ptx")
        for t in TYPES:
            case.store(head, t)
            if name != "mmio":
                case.store(head, t, vector=2)
            if name in ("global", "weak", "volatile") and bits(t) < 64:
                case.store(head, t, vector=4)
        if name != "mmio":
            case.store128(head)
        if name == "relaxed":
            for scope in ("cta", "cluster", "sys"):
                case.store(f"st.relaxed.{scope}.global", "u32")
        case.finish(corpus)

    case = Stores("Cache operators and hints change nothing but speed.", "memory/st.hints.ptx")
    case.body.append("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %policy, 0.5;")
    for word in ("wb", "cg", "cs", "wt"):
        case.store(f"st.global.{word}", "u32")
    for word in ("evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate"):
        case.store(f"st.global.L1::{word}", "u32")
    case.store("st.global.L2::cache_hint", "u32", hint=", %policy")
    case.store("st.relaxed.gpu.global.L2::cache_hint", "u32", hint=", %policy")
    case.finish(corpus)

    for space in ("shared", "local"):
        module = f".shared .align 16 .b8 pool[{16 * LANES}];\n" if space == "shared" else ""
        path = f"memory/st.{space}.ptx"
        case = Stores(f"Stores of every type to {space} memory.", path, module, language=("9.1", "sm_90"))
        if space == "local":
            case.regs.append(".local .align 16 .b8 pool[16];")
        case.regs += [".reg .b64 %s, %z;"]
        case.body += ["mov.u64 %s, pool;", "mov.b64 %z, 0;"]
        if space == "shared":
            case.body.append("mad.wide.u32 %s, %i, 16, %s;")

        def through(emit):
            """Clears the slot, stores into it and copies it out."""
            at = len(case.results) * 16 * LANES
            case.body.append(f"st.{space}.v2.b64 [%s], {{%z, %z}};")
            emit()
            case.body += [f"ld.{space}.v2.b64 {{%x0, %x1}}, [%s];", f"st.global.v2.b64 [%d+{at}], {{%x0, %x1}};"]

        for t in TYPES:
            through(lambda: case.store(f"st.{space}", t, base="%s", offset=0))
            through(lambda: case.store(f"st.volatile.{space}", t, vector=2, base="%s", offset=0))
        through(lambda: case.store128(f"st.{space}", base="%s", offset=0))
        if space == "shared":
            through(lambda: case.store("st.shared::cta", "u32", base="%s", offset=0))
            through(lambda: case.store("st.release.cta.shared", "u32", base="%s", offset=0))
        case.finish(corpus)


def parameters(corpus):
    """Every type through the parameters and results of a function."""
    path = "memory/param.ptx"
    module = ""
    for t in TYPES:
        module += f""".func (.param .align 16 .b8 r[32]) swap_{t}(.param .align 16 .b8 a[32], .param .align 16 .b8 b[32])
{{
    .reg .b{max(bits(t), 16)} %v<4>;
    ld.param.{t} %v0, [a];
    ld.param.v2.{t} {{%v1, %v2}}, [b];
    st.param.{t} [r], %v2;
    st.param.v2.{t} [r+16], {{%v1, %v0}};
    ret;
}}
"""
    module += """.func (.param .align 16 .b8 r[16]) wide(.param .align 16 .b8 a[16])
{
    .reg .b128 %q;
    ld.param.b128 %q, [a];
    st.param.b128 [r], %q;
    ret;
}
"""
    case = Stores("Every type through the parameters and results of a function.", path, module)

    def call(function, results):
        at = len(case.results) * 16 * LANES
        for n in range(4):
            case.body.append(f"ld.global.b64 %x{n}, [%m+{8 * n}];")
        case.body += [
            "{",
            ".param .align 16 .b8 x[32];",
            ".param .align 16 .b8 y[32];",
            ".param .align 16 .b8 z[32];",
            "st.param.v2.b64 [x], {%x0, %x1};",
            "st.param.v2.b64 [y], {%x2, %x3};",
            f"call (z), {function}, (x, y);",
            "ld.param.b64 %x0, [z];",
            "ld.param.v2.b64 {%x1, %x2}, [z+16];",
            "}",
        ]
        return at

    for t in TYPES:
        n = bits(t)
        mask = (1 << n) - 1
        at = call(f"swap_{t}", None)
        keep = {8: 0xFF, 16: 0xFFFF, 32: 0xFFFFFFFF, 64: (1 << 64) - 1}[n]
        # Bytes of the result that the function did not write are not defined: mask them off.
        case.body.append(f"and.b64 %x0, %x0, {keep:#x};")
        if n < 64:
            case.body.append(f"and.b64 %x1, %x1, {(1 << 2 * n) - 1:#x};")
        case.body.append(f"st.global.v2.b64 [%d+{at}], {{%x0, %x1}};")

        def expected(v, n=n, mask=mask):
            a, b = v & (1 << 128) - 1, v >> 128
            first = b >> n & mask
            second = b & mask | (a & mask) << n
            return first | (second & (1 << 64) - 1) << 64

        case.results.append([expected(v) for v in case.memory])
    at = len(case.results) * 16 * LANES
    case.body += [
        "ld.global.v2.b64 {%x0, %x1}, [%m];",
        "mov.b128 %q, {%x0, %x1};",
        "{",
        ".param .align 16 .b8 x[16];",
        ".param .align 16 .b8 z[16];",
        "st.param.b128 [x], %q;",
        "call (z), wide, (x);",
        "ld.param.b128 %q, [z];",
        "}",
        f"st.global.b128 [%d+{at}], %q;",
    ]
    case.results.append([v & (1 << 128) - 1 for v in case.memory])
    case.finish(corpus)


def silent(corpus):
    """Instructions that only advise: the kernel must come through and copy its data."""
    case = Slots("Prefetches and policies have no result.", "memory/advice.ptx")
    case.regs += [".reg .b64 %g, %l;", ".local .align 16 .b8 pool[16];"]
    case.body += [
        "cvta.global.u64 %g, %m;",
        "mov.u64 %l, pool;",
        "prefetch.global.L1 [%m];",
        "prefetch.global.L2 [%m];",
        "prefetch.local.L1 [%l];",
        "prefetch.L1 [%g];",
        "prefetch.L2 [%g];",
        "prefetch.global.L2::evict_last [%m];",
        "prefetch.global.L2::evict_normal [%m];",
        "prefetchu.L1 [%g];",
        "applypriority.global.L2::evict_normal [%m], 128;",
        "createpolicy.fractional.L2::evict_normal.b64 %policy;",
        "createpolicy.fractional.L2::evict_unchanged.b64 %policy, 0.25;",
        "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %policy, [%m], 0x100, 0x200;",
        "createpolicy.range.L2::evict_first.b64 %policy, [%g], 0x100, 0x200;",
        "createpolicy.range.L2::evict_normal.b64 %policy, [%g], 0x100, 0x200;",
        "createpolicy.cvt.L2.b64 %policy, 0x10f0000000000000;",
    ]
    case.load("ld.global", "u64")
    case.finish(corpus)


def entry_parameters(corpus):
    """A kernel's own parameters: parts of a pointer, and their place in the generic address space."""
    case = Slots("The parameters of the kernel as memory.", "memory/param_entry.ptx")
    case.regs += [".reg .b64 %g;", ".reg .pred %is;"]
    whole = ["ld.param.u64 %p, [m];"]
    tests = (
        (["ld.param::entry.u64 %x0, [m];"], "%x0"),
        (["ld.param.v2.u32 {%w0, %w1}, [m];", "mov.b64 %x0, {%w0, %w1};"], "%x0"),
        (["ld.param.u32 %w0, [m];", "ld.param.u32 %w1, [m+4];", "mov.b64 %x0, {%w0, %w1};"], "%x0"),
        (["mov.b64 %x1, m;", "cvta.param.u64 %g, %x1;", "ld.u64 %x0, [%g];"], "%x0"),
        (["mov.b64 %x1, m;", "cvta.param::entry.u64 %g, %x1;", "ld.u64 %x0, [%g];"], "%x0"),
        (["cvta.to.param.u64 %x1, %g;", "ld.param.u64 %x0, [%x1];"], "%x0"),
    )
    for lines, register in tests:
        case.body += whole + lines + [f"sub.u64 %p, %p, {register};"]
        case.keep("%p", [0] * LANES)
    for word, expected in (("param", 1), ("param::entry", 1), ("global", 0)):
        case.body += [f"isspacep.{word} %is, %g;", "selp.u64 %p, 1, 0, %is;"]
        case.keep("%p", [expected] * LANES)
    case.finish(corpus)


def discards(corpus):
    """What was discarded has no value until it is written again."""
    case = Case("Discarded memory can be written again.", block=4)
    case.input("m", "b32", [9] * 256)
    case.regs += [".reg .b32 %i, %r;", ".reg .b64 %p, %g;"]
    case.body += [
        "mov.u32 %i, %tid.x;",
        "ld.param.u64 %p, [m];",
        "mad.wide.u32 %p, %i, 256, %p;",
        "discard.global.L2 [%p], 128;",
        "cvta.global.u64 %g, %p;",
        "discard.L2 [%g], 128;",
    ]
    for at in range(0, 128, 4):
        case.body.append(f"st.global.u32 [%p+{at}], %i;")
    case.output("m", "b32", [thread if at < 32 else 9 for thread in range(4) for at in range(64)])
    corpus.add("memory/discard.ptx", case.text())


def copies(corpus):
    """cp.async: whole, cut short (the rest is zero), skipped by a predicate (all zero)."""
    module = f".shared .align 16 .b8 pool[{16 * LANES}];\n.shared .align 8 .b64 done;\n"
    path = "memory/cp_async.ptx"
    case = Slots("Asynchronous copies to shared memory.", path, module)
    case.regs += [".reg .b64 %s;", ".reg .b32 %n;", ".reg .pred %skip;"]
    case.body += ["mov.u64 %s, pool;", "mad.wide.u32 %s, %i, 16, %s;", "and.b32 %n, %i, 3;"]
    case.body += ["setp.eq.u32 %skip, %n, 1;", "createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;"]

    def copy(text, wait, values):
        case.body.append("st.shared.v2.b64 [%s], {%m, %m};")
        case.body += [text] + wait
        for n in range(2):
            case.body.append(f"ld.shared.b64 %x0, [%s+{8 * n}];")
            words_ = [v[n] for v in values]
            case.keep("%x0", words_)

    low = lambda v, n: v & (1 << 8 * n) - 1
    halves = lambda v: (v & (1 << 64) - 1, v >> 64)
    whole = [halves(low(v, 16)) for v in case.memory]
    group, all_ = ["cp.async.commit_group;", "cp.async.wait_group 0;"], ["cp.async.wait_all;"]
    copy("cp.async.cg.shared.global [%s], [%m], 16;", group, whole)
    copy("cp.async.ca.shared.global [%s], [%m], 16;", all_, whole)
    for size in (64, 128, 256):
        copy(f"cp.async.cg.shared::cta.global.L2::{size}B [%s], [%m], 16;", group, whole)
    copy("cp.async.cg.shared.global.L2::cache_hint [%s], [%m], 16, 16, %policy;", group, whole)
    short = [halves(low(v, lane & 3)) for lane, v in enumerate(case.memory)]
    copy("cp.async.cg.shared.global [%s], [%m], 16, %n;", group, short)
    skipped = [(0, 0) if lane & 3 == 1 else halves(low(v, 16)) for lane, v in enumerate(case.memory)]
    copy("cp.async.cg.shared.global [%s], [%m], 16, %skip;", group, skipped)
    for size in (4, 8):
        case.body.append("st.shared.b64 [%s], %m;")
        case.body += [f"cp.async.ca.shared.global [%s], [%m], {size};"] + group
        case.body.append(f"ld.shared.b{8 * size} %{'w' if size == 4 else 'x'}0, [%s];")
        if size == 4:
            case.body.append("cvt.u64.u32 %x0, %w0;")
        case.keep("%x0", [low(v, size) for v in case.memory])
    # A group may be left under way: of two, only the older must have come.
    case.body += [
        "cp.async.ca.shared.global [%s], [%m], 8;",
        "cp.async.commit_group;",
        "cp.async.ca.shared.global [%s+8], [%m+8], 8;",
        "cp.async.commit_group;",
        "cp.async.wait_group 1;",
        "ld.shared.b64 %x0, [%s];",
    ]
    case.keep("%x0", [low(v, 8) for v in case.memory])
    case.body += ["cp.async.wait_group 0;", "ld.shared.b64 %x0, [%s+8];"]
    case.keep("%x0", [low(v, 16) >> 64 for v in case.memory])
    case.finish(corpus)


def copy_policy(corpus):
    module = f".shared .align 16 .b8 pool[{16 * LANES}];\n"
    case = Slots("An asynchronous copy with a policy but without a source size.", "memory/cp_async_policy.ptx", module)
    case.regs.append(".reg .b64 %s;")
    case.body += [
        "mov.u64 %s, pool;",
        "mad.wide.u32 %s, %i, 16, %s;",
        "createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;",
        "cp.async.cg.shared.global.L2::cache_hint [%s], [%m], 16, %policy;",
        "cp.async.wait_all;",
        "ld.shared.b64 %x0, [%s+8];",
    ]
    case.keep("%x0", [v >> 64 & (1 << 64) - 1 for v in case.memory])
    case.finish(corpus)


def generate(corpus):
    copy_policy(corpus)
    loads(corpus)
    stores(corpus)
    parameters(corpus)
    entry_parameters(corpus)
    discards(corpus)
    silent(corpus)
    copies(corpus)
