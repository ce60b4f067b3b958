// What a gate must never break: one case by name.
#include "driver.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>

static const char KERNELS[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry spin(.param .u64 flag) {\n"
                              "  .reg .u32 %r<4>; .reg .pred %p;\n"
                              "  mov.u32 %r2, 0;\n"
                              "again:\n"
                              "  add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 100; @%p bra again;\n"
                              "  ret;\n}\n"
                              ".visible .entry await(.param .u64 flag) {\n"
                              "  .reg .u32 %r<4>; .reg .u64 %rd<3>; .reg .pred %p;\n"
                              "  ld.param.u64 %rd1, [flag];\n"
                              "again:\n"
                              "  ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p, %r1, 0; @%p bra again;\n"
                              "  ret;\n}\n"
                              ".visible .entry raise(.param .u64 flag) {\n"
                              "  .reg .u32 %r<4>; .reg .u64 %rd<3>;\n"
                              "  ld.param.u64 %rd1, [flag]; mov.u32 %r1, 1; st.volatile.global.u32 [%rd1], %r1;\n"
                              "  ret;\n}\n";

enum { STREAMS = 12 };

static handle spin, await, raise_flag, streams[STREAMS];
static address flags;
static _Atomic unsigned *host_flags;

static void launch(handle kernel, handle stream, address flag)
{
    void *arguments[] = {&flag};
    OK(cu(LaunchKernel,
          (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **), kernel, 1,
          1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

static void ready(void)
{
    handle module;
    OK(cu(ModuleLoadData, (handle *, const void *), &module, KERNELS));
    OK(cu(ModuleGetFunction, (handle *, handle, const char *), &spin, module, "spin"));
    OK(cu(ModuleGetFunction, (handle *, handle, const char *), &await, module, "await"));
    OK(cu(ModuleGetFunction, (handle *, handle, const char *), &raise_flag, module, "raise"));
    for (int i = 0; i < STREAMS; i++) OK(cu(StreamCreate, (handle *, unsigned), &streams[i], 1));
    flags = take(4096);
    OK(cu(MemHostAlloc, (void **, size_t, unsigned), (void **)&host_flags, 4096, 2));
    for (int i = 0; i < 1024; i++) host_flags[i] = 0;
}

static void wait_for_all(void) { OK(cu(CtxSynchronize, (void))); }

// Kernels that wait for others, which are given later, on other streams.
static void across(void)
{
    for (int round = 0; round < 8; round++) {
        OK(cu(MemsetD32_v2, (address, unsigned, size_t), flags, 0, 64));
        launch(await, streams[0], flags);
        launch(await, streams[1], flags + 4);
        launch(await, streams[2], flags + 8);
        for (int i = 0; i < 3; i++) launch(spin, streams[3], 0);
        for (int i = 0; i < 3; i++) launch(raise_flag, streams[4 + i], flags + 4 * i);
        wait_for_all();
    }
}

// Kernels that wait for what the host writes, after it has given more work.
static void from_host(void)
{
    for (int round = 0; round < 8; round++) {
        address flag = (address)&host_flags[round];
        launch(await, streams[0], flag);
        for (int i = 1; i < 5; i++) launch(await, streams[i], flag);
        for (int i = 0; i < 20; i++) launch(spin, streams[5], 0);
        host_flags[round] = 1;
        wait_for_all();
    }
}

// A kernel that stays while all others come and go.
static void persistent(void)
{
    launch(await, streams[0], (address)&host_flags[0]);
    for (int i = 0; i < 100; i++) {
        launch(spin, streams[1 + i % 8], 0);
        if (i % 10 == 9) OK(cu(StreamSynchronize, (handle), streams[1 + i % 8]));
    }
    host_flags[0] = 1;
    wait_for_all();
}

static _Atomic int stop;

static void *beside(void *context)
{
    OK(cu(CtxSetCurrent, (handle), context));
    for (int i = 0; !stop; i++) launch(spin, streams[1 + i % 4], 0);
    return NULL;
}

// What one thread records has in it what it recorded, whatever the gate does for another thread meanwhile.
static void recorded(void)
{
    handle context;
    pthread_t thread;
    OK(cu(CtxGetCurrent, (handle *), &context));
    pthread_create(&thread, NULL, beside, context);
    for (int round = 0; round < 30; round++) {
        handle graph, made;
        size_t nodes = 0;
        // 0: no other thread may make a call that a recording has to fail over.
        OK(cu(StreamBeginCapture_v2, (handle, int), streams[0], 0));
        for (int i = 0; i < 40; i++) launch(spin, streams[0], 0), usleep(50);
        OK(cu(StreamEndCapture, (handle, handle *), streams[0], &graph));
        OK(cu(GraphGetNodes, (handle, handle *, size_t *), graph, NULL, &nodes));
        EQUAL(nodes, 40);
        OK(cu(GraphInstantiateWithFlags, (handle *, handle, unsigned long long), &made, graph, 0));
        OK(cu(GraphLaunch, (handle, handle), made, streams[0]));
        OK(cu(StreamSynchronize, (handle), streams[0]));
        OK(cu(GraphExecDestroy, (handle), made));
        OK(cu(GraphDestroy, (handle), graph));
    }
    stop = 1;
    pthread_join(thread, NULL);
}

// Streams and contexts that end with work on them.
static void ended(void)
{
    for (int i = 0; i < 100; i++) {
        handle stream;
        OK(cu(StreamCreate, (handle *, unsigned), &stream, 1));
        for (int n = 0; n < 3; n++) launch(spin, stream, 0);
        OK(cu(StreamDestroy_v2, (handle), stream));
    }
    wait_for_all();
    for (int i = 0; i < 5; i++) {
        handle context;
        OK(cu(CtxCreate_v2, (handle *, unsigned, int), &context, 0, 0));
        ready();
        for (int n = 0; n < 10; n++) launch(spin, streams[n], 0);
        OK(cu(CtxDestroy_v2, (handle), context));
    }
    begin_on(0);
    ready();
    launch(spin, streams[0], 0);
    wait_for_all();
}

// Children that end, by either way, take nothing of the parent's with them.
static void forked(void)
{
    for (int i = 0; i < 10; i++) {
        for (int n = 0; n < 20; n++) launch(spin, streams[n % 8], 0);
        int status;
        pid_t child = fork();
        if (!child) {
            if (i % 2) _exit(0);
            exit(0);
        }
        EQUAL(waitpid(child, &status, 0), child);
        EQUAL(status, 0);
    }
    wait_for_all();
}

// The process ends with work under way.
static void left(void)
{
    for (int i = 0; i < 40; i++) launch(spin, streams[i % 8], 0);
    if (getenv("AT_ONCE")) return;
    usleep(2000);
}

static void on_signal(int signal)
{
    static int times;
    (void)signal;
    if (++times < 3) return;
    static const char text[] = "handled\n";
    _exit(write(1, text, sizeof text - 1) < 0);
}

// The gate is closed: handlers run all the same.
static void closed(void)
{
    struct itimerval often = {{0, 50000}, {0, 50000}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    launch(spin, streams[0], 0);
    printf("passed\n");
}

static const struct { const char *name; void (*run)(void); } CASES[] = {
    {"across", across}, {"from_host", from_host}, {"persistent", persistent}, {"recorded", recorded},
    {"ended", ended}, {"forked", forked}, {"left", left}, {"closed", closed},
};

int main(int count, char **words)
{
    if (count != 2) return 64;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        if (!strcmp(words[1], CASES[i].name)) {
            begin();
            ready();
            CASES[i].run();
            return 0;
        }
    return 64;
}
