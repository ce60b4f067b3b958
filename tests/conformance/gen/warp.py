"""What lanes of a warp do together."""

from itertools import product

from .corpus import Case, integers, rng, signed

THREADS = 64
OLD = ("6.3", "sm_70")  # the last language in which lanes may speak without naming each other


class Lanes(Case):
    """Two whole warps; each thread loads `a`, writes b32 results one after another to `d`."""

    def __init__(self, title, path, values=None, block=THREADS, **more):
        super().__init__(title, block=block, **more)
        self.path = path
        self.values = values or integers(rng(path), 32, block)
        self.input("a", "b32", self.values)
        self.results = []
        self.regs += [".reg .b32 %i, %a, %r, %l;", ".reg .b64 %p, %d;", ".reg .pred %t, %u, %odd;"]
        self.body += ["mov.u32 %i, %tid.x;", "ld.param.u64 %p, [a];", "mad.wide.u32 %p, %i, 4, %p;"]
        self.body += ["ld.global.b32 %a, [%p];", "ld.param.u64 %d, [d];", "mad.wide.u32 %d, %i, 4, %d;"]
        self.body += ["and.b32 %l, %i, 31;", "and.b32 %r, %i, 1;", "setp.ne.u32 %odd, %r, 0;"]

    def keep(self, values, register="%r"):
        self.body.append(f"st.global.b32 [%d+{len(self.results) * 4 * self.block}], {register};")
        self.results.append(values)

    def keep_pred(self, values, register="%t"):
        self.body.append(f"selp.u32 %r, 1, 0, {register};")
        self.keep(values)

    def finish(self, corpus):
        self.output("d", "b32", [v for values in self.results for v in values])
        corpus.add(self.path, self.text())


def shuffle_source(mode, lane, b, c):
    """The lane a shuffle reads from, and whether it was in range."""
    b, clamp, segment = b & 31, c & 31, c >> 8 & 31
    top = lane & segment | clamp & ~segment & 31
    bottom = lane & segment
    if mode == "up":
        source = lane - b
        inside = source >= top
    elif mode == "down":
        source = lane + b
        inside = source <= top
    elif mode == "bfly":
        source = lane ^ b
        inside = source <= top
    else:
        source = bottom | b & ~segment & 31
        inside = source <= top
    return (source if inside else lane), inside


def shuffles(corpus):
    for sync in (".sync", ""):
        path = f"warp/shfl{sync.replace('.', '_')}.ptx"
        case = Lanes(f"shfl{sync} in every mode, in whole warps and in segments.", path, language=OLD)
        mask = ", 0xffffffff" if sync else ""
        for mode, b, width in product(("up", "down", "bfly", "idx"), (0, 1, 5, 16, 31), (32, 8)):
            segment = (32 - width) << 8
            c = segment if mode == "up" else segment | 31
            sources = [shuffle_source(mode, i & 31, b, c) for i in range(THREADS)]
            case.body.append(f"shfl{sync}.{mode}.b32 %r|%t, %a, {b}, {c}{mask};")
            case.keep([case.values[(i & ~31) + source] for i, (source, _) in enumerate(sources)])
            case.keep_pred([int(inside) for _, inside in sources])
        # The source lane may differ from lane to lane.
        sources = [shuffle_source("idx", i & 31, case.values[i], 31)[0] for i in range(THREADS)]
        case.body.append(f"shfl{sync}.idx.b32 %r, %a, %a, 31{mask};")
        case.keep([case.values[(i & ~31) + source] for i, source in enumerate(sources)])
        case.finish(corpus)

    case = Lanes("shfl.sync among the odd lanes only, the even ones elsewhere.", "warp/shfl_divergent.ptx")
    case.body += [
        "mov.b32 %r, 0;",
        "@!%odd bra EVEN;",
        "shfl.sync.down.b32 %r, %a, 2, 31, 0xaaaaaaaa;",
        "bra DONE;",
        "EVEN:",
        "shfl.sync.up.b32 %r, %a, 2, 0, 0x55555555;",
        "DONE:",
    ]
    values = []
    for i in range(THREADS):
        lane = i & 31
        source = shuffle_source("down" if lane & 1 else "up", lane, 2, 31 if lane & 1 else 0)[0]
        values.append(case.values[(i & ~31) + source])
    case.keep(values)
    case.finish(corpus)


def votes(corpus):
    path = "warp/vote.ptx"
    random_ = rng(path)
    # The first warp is mixed, the second agrees.
    values = [random_.getrandbits(1) for _ in range(32)] + [1] * 32
    case = Lanes("Votes of mixed and of unanimous warps, of all lanes and of some.", path, values)
    case.body.append("setp.ne.u32 %u, %a, 0;")
    for negate, mask in product(("", "!"), (0xFFFFFFFF, 0xAAAAAAAA)):
        some = mask != 0xFFFFFFFF
        if some:
            case.body.append(f"@!%odd bra SKIP{len(case.results)};")
            label = f"SKIP{len(case.results)}:"
        for mode in ("all", "any", "uni", "ballot"):
            result = []
            for i in range(THREADS):
                base = i & ~31
                votes_ = [(values[base + lane] ^ bool(negate)) for lane in range(32) if mask >> lane & 1]
                ballot = sum((values[base + lane] ^ bool(negate)) << lane for lane in range(32) if mask >> lane & 1)
                answer = {"all": all(votes_), "any": any(votes_), "uni": len(set(votes_)) == 1, "ballot": ballot}[mode]
                result.append(int(answer) if not some or i & 1 else 0)
            kind = "b32 %r" if mode == "ballot" else "pred %t"
            case.body.append(f"vote.sync.{mode}.{kind}, {negate}%u, {mask:#x};")
            (case.keep if mode == "ballot" else case.keep_pred)(result)
        if some:
            case.body.append(label)
    case.finish(corpus)
    case = Lanes("Votes without a mask.", "warp/vote_old.ptx", values, language=OLD)
    case.body.append("setp.ne.u32 %u, %a, 0;")
    for mode in ("all", "any", "uni", "ballot"):
        result = []
        for i in range(THREADS):
            group = values[i & ~31 : (i & ~31) + 32]
            ballot = sum(v << lane for lane, v in enumerate(group))
            answer = {"all": all(group), "any": any(group), "uni": len(set(group)) == 1, "ballot": ballot}[mode]
            result.append(int(answer))
        kind = "b32 %r" if mode == "ballot" else "pred %t"
        case.body += ["bar.warp.sync 0xffffffff;", f"vote.{mode}.{kind}, %u;"]
        (case.keep if mode == "ballot" else case.keep_pred)(result)
    case.finish(corpus)


def matches(corpus):
    path = "warp/match.ptx"
    random_ = rng(path)
    values = [random_.choice((7, 7, 9, 0xFFFFFFFF, random_.getrandbits(32))) for _ in range(32)] + [3] * 32
    case = Lanes("match: who has the same value.", path, values)
    case.regs.append(".reg .b64 %w;")
    case.body += ["cvt.u64.u32 %w, %a;", "shl.b64 %w, %w, 20;"]
    groups = [values[i & ~31 : (i & ~31) + 32] for i in range(THREADS)]
    same = [sum((v == values[i]) << lane for lane, v in enumerate(groups[i])) for i in range(THREADS)]
    every = [0xFFFFFFFF if len(set(group)) == 1 else 0 for group in groups]
    for type_, register in (("b32", "%a"), ("b64", "%w")):
        case.body.append(f"match.any.sync.{type_} %r, {register}, 0xffffffff;")
        case.keep(same)
        case.body.append(f"match.all.sync.{type_} %r|%t, {register}, 0xffffffff;")
        case.keep(every)
        case.keep_pred([int(v != 0) for v in every])
        case.body.append(f"match.all.sync.{type_} %r, {register}, 0xffffffff;")
        case.keep(every)
    some = [sum((v == values[i] and lane & 1) << lane for lane, v in enumerate(groups[i])) for i in range(THREADS)]
    case.body += ["mov.b32 %r, 0;", "@!%odd bra DONE;", "match.any.sync.b32 %r, %a, 0xaaaaaaaa;", "DONE:"]
    case.keep([v if i & 1 else 0 for i, v in enumerate(some)])
    case.finish(corpus)


def reductions(corpus):
    path = "warp/redux.ptx"
    case = Lanes("redux of all lanes and of the odd ones.", path)
    s32 = lambda v: signed(v, 32)
    functions = {
        ("add", "u32"): sum,
        ("add", "s32"): sum,
        ("min", "u32"): min,
        ("max", "u32"): max,
        ("min", "s32"): lambda group: min(map(s32, group)),
        ("max", "s32"): lambda group: max(map(s32, group)),
        ("and", "b32"): lambda group: fold(group, lambda x, y: x & y),
        ("or", "b32"): lambda group: fold(group, lambda x, y: x | y),
        ("xor", "b32"): lambda group: fold(group, lambda x, y: x ^ y),
    }
    for (op, t), function in functions.items():
        case.body.append(f"redux.sync.{op}.{t} %r, %a, 0xffffffff;")
        case.keep([function(case.values[i & ~31 : (i & ~31) + 32]) for i in range(THREADS)])
    label = 0
    for (op, t), function in functions.items():
        case.body += ["mov.b32 %r, 0;", f"@!%odd bra L{label};", f"redux.sync.{op}.{t} %r, %a, 0xaaaaaaaa;", f"L{label}:"]
        label += 1
        odd = [function(case.values[(i & ~31) + 1 : (i & ~31) + 32 : 2]) for i in range(THREADS)]
        case.keep([v if i & 1 else 0 for i, v in enumerate(odd)])
    case.finish(corpus)


def fold(group, function):
    result = group[0]
    for value in group[1:]:
        result = function(result, value)
    return result


def identity(corpus):
    """Who is there. Which lane `elect` picks and who is active is not defined, what must hold of them is."""
    case = Lanes("activemask holds the asker; elect picks one of those asked.", "warp/elect.ptx")
    case.body += ["activemask.b32 %r;", "shr.u32 %r, %r, %l;", "and.b32 %r, %r, 1;"]
    case.keep([1] * THREADS)
    for mask in (0xFFFFFFFF, 0xAAAAAAAA):
        label = len(case.results)
        odd = mask == 0xAAAAAAAA
        member = [1 if not odd or i & 1 else 0 for i in range(THREADS)]
        case.body.append("mov.b32 %r, 0;")
        if odd:
            case.body.append(f"@!%odd bra L{label};")
        case.body += [
            f"elect.sync %a|%t, {mask:#x};",
            # One leader, whose number everyone was told, and who was asked.
            f"vote.sync.ballot.b32 %r, %t, {mask:#x};",
            "bfind.u32 %i, %r;",
            "setp.eq.u32 %u, %i, %a;",
            "popc.b32 %r, %r;",
            "setp.eq.and.u32 %u, %r, 1, %u;",
            f"shr.u32 %r, {mask:#x}, %a;",
            "and.b32 %r, %r, 1;",
            "setp.ne.and.u32 %u, %r, 0, %u;",
            "selp.u32 %r, 1, 0, %u;",
        ]
        if odd:
            case.body.append(f"L{label}:")
        case.keep(member)
    case.body += ["bar.warp.sync 0xffffffff;", "bar.warp.sync -1;"]
    case.finish(corpus)


def generate(corpus):
    shuffles(corpus)
    votes(corpus)
    matches(corpus)
    reductions(corpus)
    identity(corpus)
