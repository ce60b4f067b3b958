// Kernels that wait for each other's values: one on each device of each process, round after round, as in an all-reduce.
//
//   collective WAY ROUNDS RANKS RANK FILE [WORK [graph]]    this process is the RANK-th of RANKS; `all` makes one process for each
//
// A process uses all devices it has; one is enough for `shared`. WAY says where the values stand: `host`, `managed` or `peer` within one process (peer: on device 0); `shared` (FILE, mapped
// and registered) or `ipc` (on device 0 of rank 0, opened by name) between processes, which meet in FILE in any case.
// With WORK there are so many kernels of a millisecond before each meeting, which is waited for; without it, or with 0, nothing is. With
// `graph` a round is one launch of a graph. At the end each kernel's sum must be that of what all wrote.
#include "driver.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

static const char KERNELS[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              // In the round that `done` counts: values[me] = mine; sums[me] = the sum of values[0..all], each waited for.
                              ".visible .entry meet(.param .u64 values, .param .u64 sums, .param .u32 me, .param .u32 all,\n"
                              "                     .param .u64 done) {\n"
                              "  .reg .u32 %r<9>; .reg .u64 %rd<8>; .reg .pred %p<3>;\n"
                              "  ld.param.u64 %rd1, [values]; ld.param.u64 %rd2, [sums]; ld.param.u64 %rd6, [done];\n"
                              "  ld.param.u32 %r1, [me]; ld.param.u32 %r2, [all];\n"
                              "  ld.volatile.global.u32 %r7, [%rd6]; add.u32 %r8, %r7, 1; st.volatile.global.u32 [%rd6], %r8;\n"
                              "  add.u32 %r3, %r8, %r1; mul.lo.u32 %r7, %r7, %r2; mul.wide.u32 %rd7, %r7, 4;\n"
                              "  add.u64 %rd1, %rd1, %rd7; add.u64 %rd2, %rd2, %rd7;\n"
                              "  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n"
                              "  st.volatile.global.u32 [%rd4], %r3; membar.sys;\n"
                              "  mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
                              "next:\n"
                              "  ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra next;\n"
                              "  add.u32 %r5, %r5, %r6; add.u64 %rd1, %rd1, 4; add.u32 %r4, %r4, 1;\n"
                              "  setp.lt.u32 %p2, %r4, %r2; @%p2 bra next;\n"
                              "  st.volatile.global.u32 [%rd5], %r5;\n"
                              "  ret;\n}\n"
                              ".visible .entry work() {\n"
                              "  .reg .u32 %r<2>; .reg .pred %p<2>;\n"
                              "  mov.u32 %r1, 0;\n"
                              "again:\n"
                              "  add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 40; @%p1 bra again;\n"
                              "  ret;\n}\n";

enum { DEVICES = 4, CELLS = 1 << 14 };

static int devices;

// What ranks share: a place to meet, and the values where these are the host's.
static struct meeting {
    _Atomic int named, left;
    unsigned char name[64];
    _Alignas(4096) unsigned cells[2 * CELLS];
} *meeting;

static handle contexts[DEVICES], kernels[DEVICES], works[DEVICES], streams[DEVICES], graphs[DEVICES];
static address done[DEVICES];

static void ready(int device)
{
    handle module;
    contexts[device] = begin_on(device);
    OK(cu(ModuleLoadData, (handle *, const void *), &module, KERNELS));
    OK(cu(ModuleGetFunction, (handle *, handle, const char *), &kernels[device], module, "meet"));
    OK(cu(ModuleGetFunction, (handle *, handle, const char *), &works[device], module, "work"));
    OK(cu(StreamCreate, (handle *, unsigned), &streams[device], 1));
    done[device] = take(sizeof(unsigned));
    OK(cu(MemsetD32_v2, (address, unsigned, size_t), done[device], 0, 1));
}

static void reach_each_other(void)
{
    for (int device = 0; device < devices; device++) {
        OK(cu(CtxSetCurrent, (handle), contexts[device]));
        for (int other = 0; other < devices; other++)
            if (other != device) OK(cu(CtxEnablePeerAccess, (handle, unsigned), contexts[other], 0));
    }
    OK(cu(CtxSetCurrent, (handle), contexts[0]));
}

struct ipc { unsigned char bytes[64]; };

static address opened(int rank)
{
    address made;
    struct ipc name;
    if (!rank) {
        made = take(2 * CELLS * sizeof(unsigned));
        OK(cu(MemsetD32_v2, (address, unsigned, size_t), made, 0, 2 * CELLS));
        OK(cu(IpcGetMemHandle, (struct ipc *, address), &name, made));
        memcpy(meeting->name, &name, sizeof name);
        meeting->named = 1;
        return made;
    }
    while (!meeting->named) usleep(1000);
    memcpy(&name, meeting->name, sizeof name);
    OK(cu(IpcOpenMemHandle_v2, (address *, struct ipc, unsigned), &made, name, 1));
    return made;
}

// Where the values stand, as every device of this process finds them.
static address values(const char *way, int rank)
{
    address made = 0;
    void *host = meeting->cells;
    size_t bytes = sizeof meeting->cells;
    if (!strcmp(way, "shared")) {
        OK(cu(MemHostRegister_v2, (void *, size_t, unsigned), host, bytes, 3));
        OK(cu(MemHostGetDevicePointer_v2, (address *, void *, unsigned), &made, host, 0));
    } else if (!strcmp(way, "host")) {
        OK(cu(MemHostAlloc, (void **, size_t, unsigned), &host, bytes, 3));
        memset(host, 0, bytes);
        made = (address)host;
    } else if (!strcmp(way, "managed")) {
        OK(cu(MemAllocManaged, (address *, size_t, unsigned), &made, bytes, 1));
        memset((void *)made, 0, bytes);
    } else if (!strcmp(way, "peer") || !strcmp(way, "ipc")) {
        reach_each_other();
        made = opened(!strcmp(way, "ipc") ? rank : 0);
    } else {
        exit(64);
    }
    return made;
}

static void launch(int device, handle kernel, void **arguments)
{
    OK(cu(LaunchKernel,
          (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **), kernel, 1, 1,
          1, 1, 1, 1, 0, streams[device], arguments, NULL));
}

static void finish(void)
{
    for (int device = 0; device < devices; device++) {
        OK(cu(CtxSetCurrent, (handle), contexts[device]));
        OK(cu(CtxSynchronize, (void)));
    }
}

// What a device does in a round.
static void round_on(int device, address cells, unsigned me, unsigned all, unsigned work)
{
    address sums = cells + 4ull * CELLS;
    void *arguments[] = {&cells, &sums, &me, &all, &done[device]};
    for (unsigned i = 0; i < work; i++) launch(device, works[device], NULL);
    launch(device, kernels[device], arguments);
}

static void record(int device, address cells, unsigned me, unsigned all, unsigned work)
{
    handle graph;
    OK(cu(StreamBeginCapture_v2, (handle, int), streams[device], 0));
    round_on(device, cells, me, all, work);
    OK(cu(StreamEndCapture, (handle, handle *), streams[device], &graph));
    OK(cu(GraphInstantiateWithFlags, (handle *, handle, unsigned long long), &graphs[device], graph, 0));
    OK(cu(GraphDestroy, (handle), graph));
}

static void meet(const char *way, unsigned rounds, unsigned ranks, unsigned rank, unsigned work, int by_graph)
{
    load();
    OK(cu(Init, (unsigned), 0));
    OK(cu(DeviceGetCount, (int *), &devices));
    EQUAL(devices <= DEVICES && (devices > 1 || !strcmp(way, "shared")), 1);
    for (int device = devices; device--;) ready(device);
    address cells = values(way, rank);
    unsigned all = ranks * devices;
    EQUAL(rounds * all <= CELLS, 1);
    for (unsigned round = 0; round < rounds; round++) {
        for (int i = 0; i < devices; i++) {
            // Every rank begins with another device.
            unsigned device = (i + rank) % devices, me = rank * devices + device;
            OK(cu(CtxSetCurrent, (handle), contexts[device]));
            if (!by_graph) {
                round_on(device, cells, me, all, work);
                continue;
            }
            if (!round) record(device, cells, me, all, work);
            OK(cu(GraphLaunch, (handle, handle), graphs[device], streams[device]));
        }
        if (work) finish();
    }
    finish();
    static unsigned sums[CELLS];
    OK(cu(Memcpy, (address, address, size_t), (address)sums, cells + 4ull * CELLS, sizeof sums));
    for (unsigned round = 0; round < rounds; round++)
        for (int device = 0; device < devices; device++)
            EQUAL(sums[round * all + rank * devices + device], all * (round + 1) + all * (all - 1) / 2);
    // Memory that others opened stays until they are done with it.
    meeting->left++;
    while (meeting->left < (int)ranks) usleep(1000);
}

int main(int count, char **words)
{
    if (count < 6 || count > 8) return 64;
    unsigned work = count > 6 ? strtoul(words[6], NULL, 10) : 0;
    unsigned rounds = strtoul(words[2], NULL, 10), ranks = strtoul(words[3], NULL, 10), rank = strtoul(words[4], NULL, 10);
    int file = open(words[5], O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof *meeting)) return 65;
    meeting = mmap(NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (meeting == MAP_FAILED) return 65;
    unsigned children = 0;
    if (!strcmp(words[4], "all"))
        for (rank = ranks; --rank && fork(); children++) {}
    if (rank) children = 0;
    meet(words[1], rounds, ranks, rank, work, count == 8);
    for (int status; children--;) {
        EQUAL(wait(&status) > 0, 1);
        EQUAL(status, 0);
    }
    if (!rank) printf("met\n");
    return 0;
}
