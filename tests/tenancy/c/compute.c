// Gives the device work in one way, for a while, and says how many pieces were done in it.
//
//   compute WAY MILLISECONDS ROUNDS
//
// A piece is a kernel of ROUNDS steps, a graph of four of them, or a copy of ROUNDS bytes. In no milliseconds it says how many
// nanoseconds a piece keeps the device busy.
#include "driver.h"
#include <time.h>

static const char KERNELS[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry spin(.param .u32 rounds) {\n"
                              "  .reg .u32 %r<4>; .reg .pred %p;\n"
                              "  ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
                              "again:\n"
                              "  add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra again;\n"
                              "  ret;\n}\n";

enum { DEPTH = 16, GRAPHS = 300, LONG = 5000 };

static handle spin, stream, events[DEPTH], graphs[GRAPHS];
static unsigned rounds;
static void *arguments[] = {&rounds};
static address device;
static void *host;

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec + at.tv_nsec * 1e-9;
}

#define SHAPE handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **

static void kernel_on(handle where)
{
    OK(cu(LaunchKernel, (SHAPE, void **), spin, 1, 1, 1, 32, 1, 1, 0, where, arguments, NULL));
}

static void kernel(void) { kernel_on(stream); }
static void legacy(void) { kernel_on(NULL); }
static void ptsz(void) { OK(cu(LaunchKernel_ptsz, (SHAPE, void **), spin, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL)); }
static void cooperative(void) { OK(cu(LaunchCooperativeKernel, (SHAPE), spin, 1, 1, 1, 32, 1, 1, 0, stream, arguments)); }

static void ex(void)
{
    struct { unsigned grid[3], block[3], shared; handle stream, attributes; unsigned count; } config =
        {{1, 1, 1}, {32, 1, 1}, 0, stream, NULL, 0};
    OK(cu(LaunchKernelEx, (void *, handle, void **, void **), &config, spin, arguments, NULL));
}

static void oldest(void)
{
    OK(cu(FuncSetBlockShape, (handle, int, int, int), spin, 32, 1, 1));
    OK(cu(ParamSetSize, (handle, unsigned), spin, 4));
    OK(cu(ParamSeti, (handle, int, unsigned), spin, 0, rounds));
    OK(cu(LaunchGridAsync, (handle, int, int, handle), spin, 1, 1, stream));
}

// Each launch in a shape that was never there before.
static void shapes(void)
{
    static unsigned n;
    n++;
    OK(cu(LaunchKernel, (SHAPE, void **), spin, 1, 1, 1, 1 + n % 32, 1, 1, n % 16 * 64, stream, arguments, NULL));
}

static handle captured(void)
{
    handle graph, made;
    OK(cu(StreamBeginCapture_v2, (handle, int), stream, 0));
    for (int i = 0; i < 4; i++) kernel();
    OK(cu(StreamEndCapture, (handle, handle *), stream, &graph));
    OK(cu(GraphInstantiateWithFlags, (handle *, handle, unsigned long long), &made, graph, 0));
    return made;
}

static void graph(void) { OK(cu(GraphLaunch, (handle, handle), graphs[0], stream)); }

static void many_graphs(void)
{
    static unsigned n;
    OK(cu(GraphLaunch, (handle, handle), graphs[n++ % GRAPHS], stream));
}

static void in(void) { OK(cu(MemcpyHtoDAsync_v2, (address, void *, size_t, handle), device, host, rounds, stream)); }
static void out(void) { OK(cu(MemcpyDtoHAsync_v2, (void *, address, size_t, handle), host, device, rounds, stream)); }
static void any(void) { OK(cu(MemcpyAsync, (address, address, size_t, handle), device, (address)host, rounds, stream)); }
static void set(void) { OK(cu(MemsetD8Async, (address, unsigned char, size_t, handle), device, 1, rounds, stream)); }

static void box(void)
{
    struct {
        size_t from_x, from_y; int from; void *from_host; address from_device; handle from_array; size_t from_pitch;
        size_t to_x, to_y; int to; void *to_host; address to_device; handle to_array; size_t to_pitch;
        size_t width, height;
    } copy = {0, 0, 1, host, 0, NULL, 1024, 0, 0, 2, NULL, device, NULL, 1024, 1024, rounds / 1024};
    OK(cu(Memcpy2DAsync_v2, (void *, handle), &copy, stream));
}

static void waiting(void)
{
    OK(cu(MemcpyHtoD_v2, (address, void *, size_t), device, host, rounds));
}

static const struct { const char *name; void (*give)(void); } WAYS[] = {
    {"kernel", kernel}, {"legacy", legacy}, {"ptsz", ptsz}, {"cooperative", cooperative}, {"ex", ex}, {"oldest", oldest},
    {"shapes", shapes}, {"graph", graph}, {"many_graphs", many_graphs}, {"in", in}, {"out", out}, {"any", any}, {"set", set},
    {"box", box}, {"waiting", waiting},
};

// Several pieces in a row, between two events; the least of several attempts is without the host's pauses.
static double busy(void (*give)(void), handle where)
{
    enum { PIECES = 8 };
    handle from, to;
    float least = 1e9, took;
    OK(cu(EventCreate, (handle *, unsigned), &from, 0));
    OK(cu(EventCreate, (handle *, unsigned), &to, 0));
    for (int attempt = 0; attempt < 12; attempt++) {
        give();
        OK(cu(EventRecord, (handle, handle), from, where));
        for (int i = 0; i < PIECES; i++) give();
        OK(cu(EventRecord, (handle, handle), to, where));
        OK(cu(EventSynchronize, (handle), to));
        OK(cu(EventElapsedTime, (float *, handle, handle), &took, from, to));
        if (took < least) least = took;
    }
    return least * 1e6 / PIECES;
}

int main(int count, char **words)
{
    if (count != 4) return 64;
    void (*give)(void) = NULL;
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++)
        if (!strcmp(words[1], WAYS[i].name)) give = WAYS[i].give;
    if (!give) return 64;
    rounds = strtoul(words[3], NULL, 10);
    begin();
    handle module;
    OK(cu(ModuleLoadData, (handle *, const void *), &module, KERNELS));
    OK(cu(ModuleGetFunction, (handle *, handle, const char *), &spin, module, "spin"));
    OK(cu(StreamCreate, (handle *, unsigned), &stream, 1));
    for (int i = 0; i < DEPTH; i++) OK(cu(EventCreate, (handle *, unsigned), &events[i], 2));
    device = take(32 * MIB);
    OK(cu(MemAllocHost_v2, (void **, size_t), &host, 32 * MIB));
    if (give == graph || give == many_graphs)
        for (int i = 0; i < (give == graph ? 1 : GRAPHS); i++) graphs[i] = captured();
    handle where = give == legacy ? (handle)1 : give == ptsz ? (handle)2 : stream;

    if (!atoi(words[2])) {
        printf("%.0f\n", busy(give, where));
        return 0;
    }
    // What is done is counted when it is, a few behind what is given; the first tenth of the time does not count.
    double length = atof(words[2]) * 1e-3, start = now(), from = start + length * 0.1, end = start + length;
    unsigned long given = 0, counted = 0, depth = rounds >= LONG && rounds < MIB ? 2 : DEPTH;
    for (double at = start; at < end; at = now()) {
        if (given >= depth) {
            OK(cu(EventSynchronize, (handle), events[given % depth]));
            if (now() >= from && now() < end) counted++;
        }
        give();
        OK(cu(EventRecord, (handle, handle), events[given % depth], where));
        given++;
    }
    OK(cu(CtxSynchronize, (void)));
    printf("%lu\n", counted);
    return 0;
}
