"""mov in all types, packing and unpacking, addresses, special registers."""

from .corpus import LANES, Case, integers, lanes, rng
from .integers import BITS, INT, size


def plain(corpus):
    for t in BITS + INT + ("f32", "f64"):
        path = f"move/mov.{t}.ptx"
        n = size(t)
        columns = {"a": (t, integers(rng(path), n))}
        constant = {"f32": "0f3fc00000", "f64": "0d3ff8000000000000"}.get(t, "77")
        number = {"f32": 0x3FC00000, "f64": 0x3FF8000000000000}.get(t, 77)
        variants = [
            (f"mov.{t} {{d}}, {{a}};", t, lambda a: a),
            (f"mov.{t} {{d}}, {constant};", t, lambda a, v=number: v),
        ]
        lanes(corpus, path, f"Copies of {t}.", columns, variants)


def parts(corpus):
    path = "move/parts.ptx"
    random_ = rng(path)
    columns = {"a": ("b32", integers(random_, 32)), "b": ("b64", integers(random_, 64)), "c": ("b64", integers(random_, 64))}
    low = lambda v, n, at=0: v >> n * at & (1 << n) - 1
    variants = [
        ("{{ .reg .b16 %x, %y; mov.b32 {{%x, %y}}, {a}; mov.b32 {d}, {{%y, %x}}; }}", "b32", lambda a, b, c: low(a, 16) << 16 | a >> 16),
        (
            "{{ .reg .b8 %x<4>; mov.b32 {{%x0, %x1, %x2, %x3}}, {a}; mov.b32 {d}, {{%x3, %x2, %x1, %x0}}; }}",
            "b32",
            lambda a, b, c: int.from_bytes(a.to_bytes(4, "big"), "little"),
        ),
        ("{{ .reg .b32 %x, %y; mov.b64 {{%x, %y}}, {b}; mov.b64 {d}, {{%y, %x}}; }}", "b64", lambda a, b, c: low(b, 32) << 32 | b >> 32),
        (
            "{{ .reg .b16 %x<4>; mov.b64 {{%x0, %x1, %x2, %x3}}, {b}; mov.b64 {d}, {{%x2, %x3, %x0, %x1}}; }}",
            "b64",
            lambda a, b, c: low(b, 32) << 32 | b >> 32,
        ),
        ("{{ .reg .b32 %x; mov.b64 {{_, %x}}, {b}; mov.b32 {d}, %x; }}", "b32", lambda a, b, c: b >> 32),
        (
            "{{ .reg .b128 %x; .reg .b64 %y; mov.b128 %x, {{{b}, {c}}}; mov.b128 {{%y, {d}}}, %x; }}",
            "b64",
            lambda a, b, c: c,
        ),
        ("{{ .reg .b8 %x, %y; .reg .b16 %z; cvt.u16.u32 %z, {a}; mov.b16 {{%x, %y}}, %z; mov.b16 {d}, {{%y, %x}}; }}", "b16", lambda a, b, c: low(a, 8) << 8 | low(a, 8, 1)),
    ]
    lanes(corpus, path, "Registers taken apart and put together.", columns, variants)

    path = "move/b128.ptx"
    columns = {"b": ("b64", integers(rng(path), 64)), "c": ("b64", integers(rng(path + "c"), 64))}
    text = "{{ .reg .b128 %x, %y; .reg .b64 %z; mov.b128 %x, {{{b}, {c}}}; mov.b128 %y, %x; mov.b128 {{{d}, %z}}, %y; }}"
    lanes(corpus, path, "Copies of 128 bits.", columns, [(text, "b64", lambda b, c: b)])


def special(corpus):
    """Registers whose value follows from the launch."""
    block, grid = (6, 4, 3), (2, 3, 2)
    threads = block[0] * block[1] * block[2]
    blocks = grid[0] * grid[1] * grid[2]
    case = Case(
        "Special registers that follow from the launch.",
        block=",".join(map(str, block)),
        grid=",".join(map(str, grid)),
        shared=256,
        module=".shared .align 16 .b8 pool[48];\n",
    )
    case.regs += [".reg .b32 %n, %b, %t, %r;", ".reg .b64 %d, %w;", ".reg .pred %p;"]
    coordinates = lambda n, shape: (n % shape[0], n // shape[0] % shape[1], n // shape[0] // shape[1])
    case.body += [
        "mov.u32 %t, %tid.z;",
        "mov.u32 %r, %tid.y;",
        f"mad.lo.u32 %t, %t, {block[1]}, %r;",
        "mov.u32 %r, %tid.x;",
        f"mad.lo.u32 %t, %t, {block[0]}, %r;",
        "mov.u32 %b, %ctaid.z;",
        "mov.u32 %r, %ctaid.y;",
        f"mad.lo.u32 %b, %b, {grid[1]}, %r;",
        "mov.u32 %r, %ctaid.x;",
        f"mad.lo.u32 %b, %b, {grid[0]}, %r;",
        f"mad.lo.u32 %n, %b, {threads}, %t;",
        "ld.param.u64 %d, [d];",
        "mad.wide.u32 %d, %n, 4, %d;",
    ]
    results = []

    def keep(text, values):
        case.body.append(text)
        case.body.append(f"st.global.b32 [%d+{len(results) * 4 * threads * blocks}], %r;")
        results.append([values(t, b) for b in range(blocks) for t in range(threads)])

    for axis, name in enumerate("xyz"):
        keep(f"mov.u32 %r, %tid.{name};", lambda t, b: coordinates(t, block)[axis])
        keep(f"mov.u32 %r, %ctaid.{name};", lambda t, b: coordinates(b, grid)[axis])
        keep(f"mov.u32 %r, %ntid.{name};", lambda t, b: block[axis])
        keep(f"mov.u32 %r, %nctaid.{name};", lambda t, b: grid[axis])
    keep("mov.u32 %r, %laneid;", lambda t, b: t & 31)
    lane = lambda t: t & 31
    keep("mov.u32 %r, %lanemask_eq;", lambda t, b: 1 << lane(t))
    keep("mov.u32 %r, %lanemask_lt;", lambda t, b: (1 << lane(t)) - 1)
    keep("mov.u32 %r, %lanemask_le;", lambda t, b: (2 << lane(t)) - 1)
    keep("mov.u32 %r, %lanemask_gt;", lambda t, b: 0xFFFFFFFF & ~((2 << lane(t)) - 1))
    keep("mov.u32 %r, %lanemask_ge;", lambda t, b: 0xFFFFFFFF & ~((1 << lane(t)) - 1))
    keep("mov.u32 %r, %dynamic_smem_size;", lambda t, b: 256)
    # What a scheduler decides is only bounded.
    keep("{ .reg .b32 %x; mov.u32 %r, %smid; mov.u32 %x, %nsmid; setp.lt.u32 %p, %r, %x; } selp.u32 %r, 1, 0, %p;", lambda t, b: 1)
    keep("{ .reg .b32 %x; mov.u32 %r, %warpid; mov.u32 %x, %nwarpid; setp.lt.u32 %p, %r, %x; } selp.u32 %r, 1, 0, %p;", lambda t, b: 1)
    clocks = "{ .reg .b64 %x, %y; mov.u64 %x, %{0}; mov.u64 %y, %{0}; setp.le.u64 %p, %x, %y; } selp.u32 %r, 1, 0, %p;"
    keep(clocks.replace("%{0}", "%clock64"), lambda t, b: 1)
    keep(clocks.replace("%{0}", "%globaltimer"), lambda t, b: 1)
    keep("{ .reg .b32 %x; mov.u32 %x, %clock; mov.u32 %r, %clock_hi; setp.ge.u32 %p, %x, 0; } selp.u32 %r, 1, 0, %p;", lambda t, b: 1)
    case.output("d", "b32", [v for values in results for v in values])
    corpus.add("move/special.ptx", case.text())


def addresses(corpus):
    module = """.global .align 8 .b32 numbers[4] = {11, 22, 33, 44};
.global .align 8 .u64 pointer = generic(numbers)+8;
.const .align 4 .f32 ratio = 0f3e800000;
.shared .align 16 .b8 pool[64];
"""
    case = Case("Addresses of variables, and variables that hold them.", block=1, module=module)
    case.regs += [".reg .b64 %d, %p, %q;", ".reg .b32 %r;", ".reg .f32 %f;", ".reg .pred %t;"]
    case.body.append("ld.param.u64 %d, [d];")
    results = []

    def keep(lines, value):
        case.body.extend(lines)
        case.body.append(f"st.global.b32 [%d+{4 * len(results)}], %r;")
        results.append(value)

    keep(["ld.global.u32 %r, [numbers];"], 11)
    keep(["ld.global.u32 %r, [numbers+12];"], 44)
    keep(["ld.global.u32 %r, [numbers+4];"], 22)
    keep(["mov.u64 %p, numbers;", "ld.global.u32 %r, [%p+8];"], 33)
    keep(["mov.u64 %p, numbers+4;", "ld.global.u32 %r, [%p];"], 22)
    keep(["ld.global.u64 %p, [pointer];", "ld.u32 %r, [%p];"], 33)
    keep(["ld.const.f32 %f, [ratio];", "mov.b32 %r, %f;"], 0x3E800000)
    keep(["st.shared.u32 [pool+20], 99;", "ld.shared.u32 %r, [pool+20];"], 99)
    keep(["mov.u32 %r, pool;", "st.shared.u32 [%r+4], 98;", "ld.shared.u32 %r, [pool+4];"], 98)
    keep(["mov.u64 %p, pool;", "cvta.shared.u64 %p, %p;", "st.u32 [%p+8], 97;", "ld.shared.u32 %r, [pool+8];"], 97)
    keep(["mov.u64 %p, pool;", "cvta.shared::cta.u64 %q, %p;", "isspacep.shared::cta %t, %q;", "selp.u32 %r, 1, 0, %t;"], 1)
    keep(["cvta.const.u64 %q, ratio;", "ld.f32 %f, [%q];", "mov.b32 %r, %f;"], 0x3E800000)
    keep(["st.global.u32 [numbers+4], 5;", "ld.volatile.global.u32 %r, [numbers+4];"], 5)
    keep(["st.global.u32 [numbers+4], 22;", "ld.global.u32 %r, [numbers+4];"], 22)
    case.output("d", "b32", results)
    corpus.add("move/addresses.ptx", case.text())


def generate(corpus):
    plain(corpus)
    parts(corpus)
    special(corpus)
    addresses(corpus)
