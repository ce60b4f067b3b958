"""Branches, calls, barriers, asynchronous barriers, stacks, and launches that end badly."""

from .corpus import Case

M32 = 0xFFFFFFFF


class Program(Case):
    """Each thread writes b32 results one after another to `d`; %n is its number in the grid."""

    def __init__(self, title, path, block=64, grid=1, shared=0, module=""):
        super().__init__(title, block=block, grid=grid, shared=shared, module=module)
        self.path, self.results = path, []
        self.threads = block * grid
        self.regs += [".reg .b32 %n, %t, %b, %r, %x<8>;", ".reg .b64 %d, %p<8>;", ".reg .pred %q<8>;"]
        self.body += ["mov.u32 %t, %tid.x;", "mov.u32 %b, %ctaid.x;", f"mad.lo.u32 %n, %b, {block}, %t;"]
        self.body += ["ld.param.u64 %d, [d];", "mad.wide.u32 %d, %n, 4, %d;"]

    def run(self, text):
        self.body += [line.strip() for line in text.strip().split("\n")]

    def keep(self, values, register="%r"):
        """`values` is a list or a function of the thread's number."""
        if callable(values):
            values = [values(n) for n in range(self.threads)]
        self.body.append(f"st.global.b32 [%d+{len(self.results) * 4 * self.threads}], {register};")
        self.results.append(values)

    def finish(self, corpus):
        self.output("d", "b32", [v for values in self.results for v in values])
        corpus.add(self.path, self.text())


def branches(corpus):
    case = Program("Branches that part the lanes of a warp, and meet again.", "control/branches.ptx", block=80)
    case.run(
        """
        and.b32 %x0, %n, 3;
        mov.u32 %r, 0;
        setp.eq.u32 %q0, %x0, 0;
        @%q0 bra ZERO;
        setp.eq.u32 %q1, %x0, 1;
        @%q1 bra ONE;
        mad.lo.u32 %r, %n, 5, 2;
        bra JOIN;
        ZERO:
        mul.lo.u32 %r, %n, 3;
        bra JOIN;
        ONE:
        add.u32 %r, %n, 1000;
        JOIN:
        add.u32 %r, %r, 7;
        """
    )
    case.keep(lambda n: {0: 3 * n, 1: n + 1000}.get(n & 3, 5 * n + 2) + 7)
    # Each lane leaves the loop at its own time.
    case.run(
        """
        mov.u32 %r, 0;
        mov.u32 %x1, 0;
        LOOP:
        setp.ge.u32 %q0, %x1, %n;
        @%q0 bra AFTER;
        and.b32 %x2, %x1, 1;
        setp.ne.u32 %q1, %x2, 0;
        @%q1 bra ODD;
        add.u32 %r, %r, %x1;
        ODD:
        add.u32 %x1, %x1, 1;
        bra.uni LOOP;
        AFTER:
        """
    )
    case.keep(lambda n: sum(i for i in range(n) if i % 2 == 0))
    # The Collatz length: nothing about it is uniform.
    case.run(
        """
        add.u32 %x1, %n, 1;
        mov.u32 %r, 0;
        STEP:
        setp.eq.u32 %q0, %x1, 1;
        @%q0 bra END;
        and.b32 %x2, %x1, 1;
        setp.eq.u32 %q1, %x2, 0;
        @%q1 shr.u32 %x1, %x1, 1;
        @!%q1 mad.lo.u32 %x1, %x1, 3, 1;
        add.u32 %r, %r, 1;
        bra STEP;
        END:
        """
    )

    def collatz(n):
        x, steps = n + 1, 0
        while x != 1:
            x, steps = (x // 2 if x % 2 == 0 else 3 * x + 1), steps + 1
        return steps

    case.keep(collatz)
    # A loop in a loop, left from the inside.
    case.run(
        """
        mov.u32 %r, 0;
        mov.u32 %x1, 0;
        OUTER:
        mov.u32 %x2, 0;
        INNER:
        mad.lo.u32 %r, %x1, %x2, %r;
        add.u32 %x3, %x1, %x2;
        setp.gt.u32 %q0, %x3, %n;
        @%q0 bra OUT;
        add.u32 %x2, %x2, 1;
        setp.lt.u32 %q1, %x2, 5;
        @%q1 bra INNER;
        add.u32 %x1, %x1, 1;
        setp.lt.u32 %q1, %x1, 6;
        @%q1 bra OUTER;
        OUT:
        """
    )

    def nested(n):
        total = 0
        for i in range(6):
            for j in range(5):
                total += i * j
                if i + j > n:
                    return total
        return total

    case.keep(nested)
    case.finish(corpus)

    case = Program("Jump tables.", "control/tables.ptx")
    case.run(
        """
        and.b32 %x0, %n, 3;
        T: .branchtargets A, B, C, B;
        brx.idx %x0, T;
        A:
        add.u32 %r, %n, 100;
        bra.uni JOIN;
        B:
        add.u32 %r, %n, 200;
        bra JOIN;
        C:
        add.u32 %r, %n, 300;
        JOIN:
        """
    )
    case.keep(lambda n: n + (100, 200, 300, 200)[n & 3])
    case.run(
        """
        mov.u32 %x1, 1;
        U: .branchtargets E, F;
        brx.idx.uni %x1, U;
        E:
        mov.u32 %r, 1;
        F:
        add.u32 %r, %r, 5;
        """
    )
    case.keep(lambda n: n + (100, 200, 300, 200)[n & 3] + 5)
    case.finish(corpus)

    case = Program("Lanes that exit early; the others go on, and barriers count them no more.", "control/exit.ptx", block=96)
    case.run("mov.u32 %r, 7;")
    case.keep(lambda n: 7)
    case.run(
        """
        rem.u32 %x0, %n, 3;
        setp.eq.u32 %q0, %x0, 1;
        @%q0 exit;
        setp.lt.u32 %q1, %n, 32;
        @%q1 ret;
        bar.sync 0;
        add.u32 %r, %n, 1;
        """
    )
    case.keep(lambda n: 0 if n % 3 == 1 or n < 32 else n + 1)
    case.finish(corpus)


def calls(corpus):
    module = """.func (.reg .u32 %out) sum_to(.reg .u32 %in);
.func (.param .b32 r) twice(.param .b32 a)
{
    .reg .b32 %a;
    ld.param.b32 %a, [a];
    add.u32 %a, %a, %a;
    st.param.b32 [r], %a;
    ret.uni;
}
.func (.param .b32 r) square(.param .b32 a)
{
    .reg .b32 %a;
    ld.param::func.b32 %a, [a];
    mul.lo.u32 %a, %a, %a;
    st.param::func.b32 [r], %a;
    ret;
}
.func (.reg .u32 %out) sum_to(.reg .u32 %in)
{
    .reg .pred %p;
    .reg .u32 %m, %s;
    mov.u32 %out, 0;
    setp.eq.u32 %p, %in, 0;
    @%p ret;
    sub.u32 %m, %in, 1;
    call (%s), sum_to, (%m);
    add.u32 %out, %s, %in;
    ret;
}
.func nothing()
{
    ret;
}
.func store(.param .b64 a, .param .b32 v)
{
    .reg .b64 %a;
    .reg .b32 %v;
    ld.param.b64 %a, [a];
    ld.param.b32 %v, [v];
    st.global.b32 [%a], %v;
    ret;
}
"""
    case = Program("Functions: forward declared, recursive, by pointer.", "control/calls.ptx", module=module)
    case.run(
        """
        {
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %n;
        call.uni (y), twice, (x);
        ld.param.b32 %r, [y];
        }
        """
    )
    case.keep(lambda n: 2 * n)
    case.run("and.b32 %x0, %n, 15;\ncall (%r), sum_to, (%x0);")
    case.keep(lambda n: sum(range((n & 15) + 1)))
    # Each lane calls what its number says.
    case.run(
        """
        and.b32 %x0, %n, 1;
        setp.eq.u32 %q0, %x0, 0;
        mov.u64 %p0, twice;
        mov.u64 %p1, square;
        selp.b64 %p2, %p0, %p1, %q0;
        {
        .param .b32 x;
        .param .b32 y;
        P: .callprototype (.param .b32 _) _ (.param .b32 _);
        st.param.b32 [x], %n;
        call (y), %p2, (x), P;
        ld.param.b32 %r, [y];
        }
        """
    )
    case.keep(lambda n: n * n if n & 1 else 2 * n)
    case.run(
        """
        {
        .param .b32 x;
        .param .b32 y;
        Q: .calltargets twice, square;
        st.param.b32 [x], %n;
        call (y), %p2, (x), Q;
        ld.param.b32 %r, [y];
        }
        """
    )
    case.keep(lambda n: n * n if n & 1 else 2 * n)
    case.run("call nothing;")
    at = len(case.results) * 4 * case.threads
    case.run(
        f"""
        add.u64 %p3, %d, {at};
        {{
        .param .b64 x;
        .param .b32 y;
        st.param.b64 [x], %p3;
        st.param.b32 [y], %n;
        call store, (x, y);
        }}
        """
    )
    case.results.append(list(range(case.threads)))
    case.finish(corpus)

    case = Program("A stack that grows at run time.", "control/stack.ptx", block=40)
    case.run(
        """
        stacksave.u64 %p0;
        and.b32 %x0, %n, 3;
        add.u32 %x0, %x0, 1;
        mul.lo.u32 %x1, %x0, 16;
        cvt.u64.u32 %p1, %x1;
        alloca.u64 %p2, %p1, 16;
        st.local.u32 [%p2], %n;
        alloca.u64 %p3, 32;
        st.local.u32 [%p3], 77;
        ld.local.u32 %r, [%p2];
        """
    )
    case.keep(lambda n: n)
    case.run("and.b64 %p4, %p2, 15;\ncvt.u32.u64 %r, %p4;")
    case.keep(lambda n: 0)
    case.run(
        """
        stackrestore.u64 %p0;
        alloca.u64 %p4, %p1, 16;
        sub.u64 %p4, %p4, %p2;
        cvt.u32.u64 %r, %p4;
        """
    )
    case.keep(lambda n: 0)
    case.run(
        """
        stacksave.u32 %x2;
        alloca.u32 %x3, %x1;
        st.local.u32 [%x3], %n;
        ld.local.u32 %r, [%x3];
        stackrestore.u32 %x2;
        """
    )
    case.keep(lambda n: n)
    case.finish(corpus)


def barriers(corpus):
    threads = 128
    for index, spelling in enumerate(
        ("bar", "bar.cta", "barrier", "barrier.cta", "barrier.aligned", "barrier.cta.aligned")
    ):
        base, aligned = (spelling[:-8], ".aligned") if spelling.endswith(".aligned") else (spelling, "")
        module = f".shared .align 4 .b32 pool[{threads}];\n"
        path = f"control/barrier.{spelling}.ptx"
        case = Program(f"{base}{aligned}: everyone sees what was written before it.", path, block=threads, module=module)
        case.run(
            f"""
            mov.u32 %x0, pool;
            mad.lo.u32 %x1, %t, 4, %x0;
            mul.lo.u32 %x2, %t, 3;
            st.shared.u32 [%x1], %x2;
            {base}.sync{aligned} 0;
            sub.u32 %x3, {threads - 1}, %t;
            mad.lo.u32 %x3, %x3, 4, %x0;
            ld.shared.u32 %r, [%x3];
            """
        )
        case.keep(lambda n: 3 * (threads - 1 - n))
        # Half of the warps on a barrier of their own.
        case.run(
            f"""
            {base}.sync{aligned} 1;
            setp.lt.u32 %q0, %t, 64;
            @!%q0 bra OTHER;
            add.u32 %x2, %t, 500;
            st.shared.u32 [%x1], %x2;
            {base}.sync{aligned} 2, 64;
            xor.b32 %x3, %t, 63;
            mad.lo.u32 %x3, %x3, 4, %x0;
            ld.shared.u32 %r, [%x3];
            bra JOIN;
            OTHER:
            mov.u32 %r, %t;
            JOIN:
            """
        )
        case.keep(lambda n: (n ^ 63) + 500 if n < 64 else n)
        # Producers arrive and go on, consumers wait.
        case.run(
            f"""
            {base}.sync{aligned} 0;
            mov.u32 %r, 0;
            @%q0 bra CONSUME;
            add.u32 %x2, %t, 9;
            st.shared.u32 [%x1], %x2;
            {base}.arrive{aligned} 3, {threads};
            bra MET;
            CONSUME:
            {base}.sync{aligned} 3, {threads};
            ld.shared.u32 %r, [%x1+256];
            MET:
            """
        )
        case.keep(lambda n: n + 64 + 9 if n < 64 else 0)
        case.run("setp.lt.u32 %q1, %t, 77;\nsetp.lt.u32 %q2, %t, 1000;\nsetp.ge.u32 %q3, %t, 1000;")
        case.run(f"{base}.red.popc{aligned}.u32 %r, 4, %q1;")
        case.keep(lambda n: 77)
        case.run(f"{base}.red.popc{aligned}.u32 %r, 5, {threads}, !%q1;")
        case.keep(lambda n: threads - 77)
        tests = (("and", "%q1", 0), ("and", "%q2", 1), ("or", "%q1", 1), ("or", "%q3", 0))
        for op, source, expected in tests:
            count = f"{threads}, " if expected else ""
            case.run(f"{base}.red.{op}{aligned}.pred %q4, 6, {count}{source};\nselp.u32 %r, 1, 0, %q4;")
            case.keep(lambda n, e=expected: e)
        case.finish(corpus)


def fences(corpus):
    """A message from block to block: data, a fence, a flag. The other block waits for the flag."""
    lines = ["membar.cta;", "membar.sys;", "fence.acq_rel.cta;", "fence.acq_rel.cluster;", "fence.acq_rel.sys;"]
    lines += ["fence.sc.cta;", "fence.sc.gpu;", "fence.sc.sys;", "fence.acquire.gpu;", "fence.release.gpu;"]
    lines += ["fence.acquire.cluster;", "fence.proxy.alias;", "fence.proxy.async;", "fence.proxy.async.global;"]
    lines += ["fence.proxy.async.shared::cta;", "membar.proxy.alias;", "nanosleep.u32 20;", "nanosleep.u32 %t;", "pmevent 3;", "pmevent.mask 5;"]
    lines += ["griddepcontrol.launch_dependents;", "griddepcontrol.wait;"]
    module = ".global .align 4 .u32 ready;\n.global .align 4 .u32 data;\n"
    case = Program("One block waits for what another one sends.", "control/message.ptx", block=32, grid=8, module=module)
    case.run("\n".join(lines))
    case.run(
        """
        setp.ne.u32 %q0, %b, 7;
        @%q0 bra WAIT;
        setp.ne.u32 %q1, %t, 0;
        @%q1 bra WAIT;
        mov.u32 %x0, 4242;
        st.global.u32 [data], %x0;
        membar.gl;
        fence.acq_rel.gpu;
        st.relaxed.gpu.global.u32 [ready], 1;
        WAIT:
        ld.acquire.gpu.global.u32 %x1, [ready];
        setp.eq.u32 %q2, %x1, 0;
        @%q2 bra WAIT;
        ld.global.u32 %r, [data];
        """
    )
    case.keep(lambda n: 4242)
    case.finish(corpus)

    module = ".global .align 4 .u32 lock;\n.global .align 4 .u32 count;\n"
    case = Program(
        "Lanes of one warp take a lock in turn: each must get on while the others spin.",
        "control/lock.ptx",
        block=64,
        grid=2,
        module=module,
    )
    case.run(
        """
        AGAIN:
        atom.acquire.gpu.global.cas.b32 %x0, [lock], 0, 1;
        setp.ne.u32 %q0, %x0, 0;
        @%q0 bra AGAIN;
        ld.relaxed.gpu.global.u32 %x1, [count];
        add.u32 %x1, %x1, 1;
        st.relaxed.gpu.global.u32 [count], %x1;
        atom.release.gpu.global.exch.b32 %x0, [lock], 0;
        DONE:
        ld.relaxed.gpu.global.u32 %r, [count];
        setp.lt.u32 %q1, %r, 128;
        @%q1 bra DONE;
        """
    )
    # The count goes on between launches, so only what it is a multiple of is sure.
    case.run("setp.ge.u32 %q1, %r, 128;\nselp.u32 %r, 1, 0, %q1;")
    case.keep(lambda n: 1)
    case.finish(corpus)


def mbarriers(corpus):
    threads = 64
    module = f".shared .align 8 .b64 gate;\n.shared .align 8 .b64 other;\n.shared .align 8 .b64 spare;\n.shared .align 16 .b32 pool[{4 * threads}];\n"
    case = Program("Barriers in shared memory.", "control/mbarrier.ptx", block=threads, module=module)
    case.run(
        f"""
        setp.ne.u32 %q0, %t, 0;
        @%q0 bra READY;
        mbarrier.init.shared.b64 [gate], {threads};
        mbarrier.init.shared::cta.b64 [spare], 1;
        mov.u64 %p0, other;
        cvta.shared.u64 %p0, %p0;
        mbarrier.init.b64 [%p0], {2 * threads};
        READY:
        bar.sync 0;
        mov.u32 %x0, pool;
        mad.lo.u32 %x1, %t, 4, %x0;
        add.u32 %x2, %t, 11;
        st.shared.u32 [%x1], %x2;
        mbarrier.arrive.shared.b64 %p1, [gate];
        POLL:
        mbarrier.test_wait.shared.b64 %q1, [gate], %p1;
        @!%q1 bra POLL;
        xor.b32 %x3, %t, {threads - 1};
        mad.lo.u32 %x3, %x3, 4, %x0;
        ld.shared.u32 %r, [%x3];
        """
    )
    case.keep(lambda n: (n ^ threads - 1) + 11)
    case.run("mbarrier.pending_count.b64 %r, %p1;\nsetp.le.u32 %q2, %r, 64;\nselp.u32 %r, 1, 0, %q2;")
    case.keep(lambda n: 1)
    # The second phase, by parity; the first had parity 0.
    case.run(
        """
        mbarrier.test_wait.parity.acquire.cta.shared.b64 %q1, [gate], 0;
        selp.u32 %r, 1, 0, %q1;
        """
    )
    case.keep(lambda n: 1)
    case.run(
        """
        bar.sync 0;
        mbarrier.arrive.release.cta.shared::cta.b64 %p1, [gate], 1;
        MORE:
        mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %q1, [gate], 1;
        @!%q1 bra MORE;
        SAME:
        mbarrier.try_wait.acquire.cta.shared.b64 %q1, [gate], %p1, 1000;
        @!%q1 bra SAME;
        selp.u32 %r, 1, 0, %q1;
        """
    )
    case.keep(lambda n: 1)
    # Every thread arrives twice at the other one: once by hand without completing, once through its copies.
    case.run(
        """
        ld.param.u64 %p2, [d];
        mov.u64 %p0, other;
        cvta.shared.u64 %p0, %p0;
        mad.lo.u32 %x1, %t, 16, %x0;
        cp.async.ca.shared.global [%x1], [%p2], 4;
        cp.async.mbarrier.arrive.noinc.shared.b64 [other];
        mbarrier.arrive.b64 %p3, [%p0];
        LAST:
        mbarrier.test_wait.b64 %q1, [%p0], %p3;
        @!%q1 bra LAST;
        ld.shared.u32 %r, [%x1];
        """
    )
    case.keep(lambda n: threads - 1 + 11)
    case.run(
        """
        bar.sync 0;
        cp.async.ca.shared.global [%x1], [%p2], 4;
        cp.async.mbarrier.arrive.shared::cta.b64 [other];
        mbarrier.arrive.noComplete.shared.b64 %p4, [other], 1;
        bar.sync 0;
        mbarrier.arrive.relaxed.cluster.shared.b64 %p4, [other], 1;
        NEXT:
        mbarrier.test_wait.relaxed.cluster.shared::cta.b64 %q1, [other], %p4;
        @!%q1 bra NEXT;
        selp.u32 %r, 1, 0, %q1;
        """
    )
    case.keep(lambda n: 1)
    # Those who drop out are not waited for again.
    case.run(
        """
        bar.sync 0;
        setp.lt.u32 %q2, %t, 32;
        @!%q2 bra STAY;
        mbarrier.arrive_drop.relaxed.cluster.shared::cta.b64 %p5, [gate];
        bra GONE;
        STAY:
        mbarrier.arrive.shared.b64 %p5, [gate];
        WAIT0:
        mbarrier.test_wait.shared.b64 %q1, [gate], %p5;
        @!%q1 bra WAIT0;
        mbarrier.arrive.shared.b64 %p5, [gate];
        WAIT1:
        mbarrier.test_wait.shared.b64 %q1, [gate], %p5;
        @!%q1 bra WAIT1;
        GONE:
        bar.sync 0;
        mbarrier.arrive_drop.noComplete.release.cta.shared.b64 %p5, [other], 1;
        mbarrier.arrive_drop.release.cta.shared.b64 %p5, [other], 1;
        bar.sync 0;
        @%q0 bra OVER;
        mbarrier.inval.shared.b64 [gate];
        mbarrier.inval.shared::cta.b64 [spare];
        mbarrier.inval.b64 [%p0];
        OVER:
        mov.u32 %r, 5;
        """
    )
    case.keep(lambda n: 5)
    case.finish(corpus)


def faults(corpus):
    """Launches that must end with a fault, not with the process."""
    table = {
        "trap": ("Trap", "trap;"),
        "brkpt": ("Trap", "brkpt;"),
        "wild_load": ("IllegalAddress", "mov.u64 %p0, 0x123456789000;\nld.global.u32 %r, [%p0];"),
        "null_store": ("IllegalAddress", "mov.u64 %p0, 0;\nst.global.u32 [%p0], 1;"),
        "past_the_end": ("IllegalAddress", "st.global.u32 [%d+100000], 1;"),
        "misaligned": ("MisalignedAddress", "ld.global.u32 %r, [%d+2];"),
        "wild_atomic": ("IllegalAddress", "mov.u64 %p0, 0x123456789000;\nred.global.add.u32 [%p0], 1;"),
        "wild_call": (
            "InvalidPc",
            "mov.u64 %p0, 0x1234;\n{\n.param .b32 x;\n.param .b32 y;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
            "st.param.b32 [x], %n;\ncall (y), %p0, (x), P;\n}",
        ),
    }
    for name, (kind, text) in table.items():
        case = Program(f"Ends with a fault: {name.replace('_', ' ')}.\n\nfault {kind}", f"control/fault.{name}.ptx")
        case.run(text)
        case.keep(lambda n: 0, "%n")
        case.finish(corpus)

    module = ".func (.reg .u32 %out) down(.reg .u32 %in)\n{\n    .local .align 4 .b8 frame[256];\n    .reg .u32 %m;\n"
    module += "    st.local.u32 [frame], %in;\n    add.u32 %m, %in, 1;\n    call (%out), down, (%m);\n    ret;\n}\n"
    case = Program("A recursion without end.\n\nfault StackOverflow", "control/fault.recursion.ptx", block=32, module=module)
    case.run("call (%r), down, (%n);")
    case.keep(lambda n: 0)
    case.finish(corpus)


def refused(corpus):
    """Forms that parse but that the interpreter does not claim."""
    table = {
        "fma_oob": (
            "fma",
            """
            .reg .b16 %h; .reg .b32 %w;
            fma.rn.oob.f16 %h, %h, %h, %h;
            fma.rn.oob.relu.f16x2 %w, %w, %w, %w;
            fma.rn.oob.bf16 %h, %h, %h, %h;
            fma.rn.oob.bf16x2 %w, %w, %w, %w;
            """,
        ),
    }
    table["address32"] = ("cvta", "cvta.shared.u32 %r, %t;")
    for name, (reason, text) in table.items():
        case = Program(f"Not claimed.\n\nrefused {reason}", f"refused/{name}.ptx", block=1)
        case.run(text)
        case.keep(lambda n: 0)
        case.finish(corpus)


def generate(corpus):
    branches(corpus)
    calls(corpus)
    barriers(corpus)
    fences(corpus)
    mbarriers(corpus)
    faults(corpus)
    refused(corpus)
