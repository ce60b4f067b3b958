/* Measures the software GPU through its C interface, beside the host code that each figure is compared with, in one
 * process. Prints a line `name value` a figure; xtask knows units and targets. */

#include "../driver.h"
#include "loopnest.h"
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static double median(double *values, int count) {
    return percentile(values, count, 50);
}

static Handle load(const char *file, const char *entry) {
    Handle module, function;
    TRY(cuModuleLoadData(&module, read_file(file)));
    TRY(cuModuleGetFunction(&function, module, entry));
    return function;
}

/* matmul NAME FILE ENTRY GX GY GZ BX BY BZ: the kernel and its nest in turns; medians of nine. The clock frequency and
 * the neighbours of a shared machine change, so the ratio is taken within each turn. */
static void matmul(char **words) {
    const char *name = words[0];
    unsigned shape[6];
    for (int i = 0; i < 6; i++)
        shape[i] = atoi(words[3 + i]);
    begin();
    Handle kernel = load(words[1], words[2]);
    size_t bytes = N * N * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *host = malloc(bytes), *device = malloc(bytes);
    for (int i = 0; i < N * N; i++)
        a[i] = (i % 17) * 0.25f - 2, b[i] = (i % 13) * 0.5f - 3;
    CUdeviceptr da, db, dc;
    TRY(cuMemAlloc_v2(&da, bytes));
    TRY(cuMemAlloc_v2(&db, bytes));
    TRY(cuMemAlloc_v2(&dc, bytes));
    TRY(cuMemcpyHtoD_v2(da, a, bytes));
    TRY(cuMemcpyHtoD_v2(db, b, bytes));
    void *args[] = {&dc, &da, &db};
    double gpu[9], cpu[9], ratio[9], vectorised[9];
    int tiled = strcmp(name, "tiled") == 0;
    for (int turn = -1; turn < 9; turn++) {
        double t0 = now();
        TRY(cuLaunchKernel(kernel, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], 0, 0, args, 0));
        TRY(cuCtxSynchronize());
        double t1 = now();
        (tiled ? matmul_tiled : matmul_naive)(host, a, b);
        double t2 = now();
        matmul_naive_vectorised(host, a, b);
        double t3 = now();
        if (turn < 0)
            continue;
        double flop = 2.0 * N * N * N * 1e-9;
        gpu[turn] = flop / (t1 - t0), cpu[turn] = flop / (t2 - t1), ratio[turn] = (t2 - t1) / (t1 - t0);
        vectorised[turn] = (t3 - t2) / (t1 - t0);
    }
    TRY(cuMemcpyDtoH_v2(device, dc, bytes));
    for (int i = 0; i < N * N; i++)
        if (!(fabsf(device[i] - host[i]) <= 1e-3f * (fabsf(host[i]) + 1))) {
            fprintf(stderr, "bench.c: element %d is %g, not %g\n", i, device[i], host[i]);
            exit(1);
        }
    printf("%s_gflops %g\n%s_loopnest_gflops %g\n", name, median(gpu, 9), name, median(cpu, 9));
    printf("%s_ratio %g\n", name, median(ratio, 9));
    if (!tiled)
        printf("naive_vectorised_ratio %g\n", median(vectorised, 9));
}

static atomic_int ball;

static void futex(int operation, int value) {
    syscall(SYS_futex, &ball, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *returner(void *unused) {
    pin(1);
    for (;;) {
        while (atomic_load(&ball) != 1)
            futex(FUTEX_WAIT, 0);
        atomic_store(&ball, 0);
        futex(FUTEX_WAKE, 1);
    }
    return unused;
}

#define ROUNDS 2000

/* A round trip between two threads on different cores, by futex, both asleep between the strokes. */
static double futex_round_trip(void) {
    static double samples[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double t = now();
        atomic_store(&ball, 1);
        futex(FUTEX_WAKE, 1);
        while (atomic_load(&ball) != 0)
            futex(FUTEX_WAIT, 1);
        samples[i] = now() - t;
    }
    return median(samples, ROUNDS);
}

static double launch_and_wait(Handle kernel) {
    static double samples[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double t = now();
        TRY(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, NULL, 0));
        TRY(cuCtxSynchronize());
        samples[i] = now() - t;
    }
    return median(samples, ROUNDS);
}

/* launch FILE: an empty kernel, launched and waited for, against the round trip; medians of five turns. */
static void launch(char **words) {
    begin();
    Handle kernel = load(words[0], "empty");
    launch_and_wait(kernel);
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    pthread_t thread;
    pthread_create(&thread, NULL, returner, NULL);
    double trips[5], launches[5], ratio[5];
    for (int turn = 0; turn < 5; turn++) {
        pin(0);
        trips[turn] = futex_round_trip();
        sched_setaffinity(0, sizeof all, &all);
        launches[turn] = launch_and_wait(kernel);
        ratio[turn] = launches[turn] / trips[turn];
    }
    printf("futex_round_trip_us %g\n", median(trips, 5) * 1e6);
    printf("launch_us %g\nlaunch_ratio %g\n", median(launches, 5) * 1e6, median(ratio, 5));
}

/* copy: 256 MiB to the device against memcpy, all pages touched before; and the first copy into fresh memory. */
static void copy(char **words) {
    (void)words;
    begin();
    size_t bytes = 256 << 20;
    char *from = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    CUdeviceptr device;
    double t = now();
    TRY(cuMemAlloc_v2(&device, bytes));
    double allocation = now() - t;
    t = now();
    TRY(cuMemcpyHtoD_v2(device, from, bytes));
    double first = now() - t;
    double host[7], gpu[7], ratio[7];
    for (int turn = 0; turn < 7; turn++) {
        t = now();
        memcpy(to, from, bytes);
        host[turn] = now() - t;
        t = now();
        TRY(cuMemcpyHtoD_v2(device, from, bytes));
        gpu[turn] = now() - t;
        ratio[turn] = host[turn] / gpu[turn];
    }
    printf("memcpy_gbps %g\ncopy_gbps %g\n", bytes / median(host, 7) * 1e-9, bytes / median(gpu, 7) * 1e-9);
    printf("copy_ratio %g\ncopy_first_touch_ms %g\n", median(ratio, 7), (allocation + first) * 1e3);
    if (to[bytes - 1] != 1)
        exit(1);
}

/* init: from nothing to a usable context, in a fresh process. */
static void init(char **words) {
    (void)words;
    CUdeviceptr p;
    double t = now();
    begin();
    TRY(cuMemAlloc_v2(&p, 16));
    printf("init_ms %g\n", (now() - t) * 1e3);
}

/* load FILE: a module of 1 MB of PTX, to a function that can be launched; median of five. */
static void load_module(char **words) {
    begin();
    char *text = read_file(words[0]);
    double samples[5];
    for (int i = 0; i < 5; i++) {
        Handle module, function;
        double t = now();
        TRY(cuModuleLoadData(&module, text));
        TRY(cuModuleGetFunction(&function, module, "k0"));
        samples[i] = now() - t;
        TRY(cuModuleUnload(module));
    }
    printf("load_ms_per_mb %g\n", median(samples, 5) * 1e3 / (strlen(text) / 1e6));
}

static double allocate_and_free(void) {
    static double samples[200];
    for (int i = 0; i < 200; i++) {
        double t = now();
        for (int j = 0; j < 50; j++) {
            CUdeviceptr p;
            TRY(cuMemAlloc_v2(&p, 4096));
            TRY(cuMemFree_v2(p));
        }
        samples[i] = (now() - t) / 50;
    }
    return median(samples, 200);
}

static double launch_on(Handle kernel, Handle stream) {
    static double samples[1000];
    for (int i = 0; i < 1000; i++) {
        double t = now();
        TRY(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, NULL, 0));
        TRY(cuStreamSynchronize(stream));
        samples[i] = now() - t;
    }
    return median(samples, 1000);
}

/* flat FILE: what a call costs when much is alive, against when little is. */
static void flat(char **words) {
    begin();
    Handle kernel = load(words[0], "empty"), stream;
    TRY(cuStreamCreate(&stream, 1));
    allocate_and_free();
    launch_on(kernel, stream);
    double alloc_few = allocate_and_free(), launch_few = launch_on(kernel, stream);
    for (int i = 0; i < 50000; i++) {
        CUdeviceptr p;
        TRY(cuMemAlloc_v2(&p, 1024 + i % 7 * 512));
    }
    for (int i = 1; i < 1000; i++) {
        Handle another;
        TRY(cuStreamCreate(&another, 1));
        TRY(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, another, NULL, 0));
    }
    TRY(cuCtxSynchronize());
    double alloc_many = allocate_and_free(), launch_many = launch_on(kernel, stream);
    printf("alloc_free_us %g\nalloc_free_growth %g\n", alloc_few * 1e6, alloc_many / alloc_few);
    printf("stream_launch_us %g\nstream_launch_growth %g\n", launch_few * 1e6, launch_many / launch_few);
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        int words;
        void (*run)(char **);
    } parts[] = {{"matmul", 9, matmul}, {"launch", 1, launch}, {"copy", 0, copy},
                 {"init", 0, init},     {"load", 1, load_module}, {"flat", 1, flat}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (count >= 2 && strcmp(words[1], parts[i].name) == 0 && count - 2 == parts[i].words) {
            parts[i].run(words + 2);
            return 0;
        }
    fprintf(stderr, "usage: bench matmul NAME FILE ENTRY GX GY GZ BX BY BZ | launch FILE | copy | init | load FILE | flat FILE\n");
    return 2;
}
