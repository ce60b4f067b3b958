// Calls a driver in a loop and says what a call takes. The same program runs with and without the shim in front.
#include "../driver.h"
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { ROUNDS = 15, CALLS = 20000, LIVE = 50000 };

static void launch(void) { TRY(cuLaunchKernel(&now, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL)); }

static void alloc_free(void) {
    CUdeviceptr address;
    TRY(cuMemAlloc_v2(&address, 4096));
    TRY(cuMemFree_v2(address));
}

static CUdeviceptr live[LIVE];

// A new one for the oldest of many: neither is in any cache.
static void alloc_free_live(void) {
    static int oldest;
    TRY(cuMemFree_v2(live[oldest]));
    TRY(cuMemAlloc_v2(&live[oldest], 4096));
    oldest = (oldest + 1) % LIVE;
}

static void info(void) {
    size_t free, total;
    TRY(cuMemGetInfo_v2(&free, &total));
}

// The least of several rounds would hide what a real program meets, the mean would show the machine's other work.
static void measure(const char *name, void (*call)(void)) {
    double rounds[ROUNDS];
    for (int i = 0; i < CALLS; i++)
        call();
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < CALLS; i++)
            call();
        rounds[round] = (now() - start) / CALLS;
    }
    printf("%s %.2f\n", name, percentile(rounds, ROUNDS, 50) * 1e9);
}

// Ticks of a clock that costs little to read.
static inline uint64_t ticks(void) {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000ull + at.tv_nsec;
#endif
}

// What most launches take. A few in a row are timed together, since clocks tick too coarsely for one; most of these rows meet
// nothing that is done for one launch in many, and the median is one of them.
static void measure_most(void) {
    enum { ROW = 8 };
    static double rows[CALLS / ROW];
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        uint64_t first = ticks();
        for (int row = 0; row < CALLS / ROW; row++) {
            uint64_t before = ticks();
            for (int i = 0; i < ROW; i++)
                launch();
            rows[row] = ticks() - before;
        }
        double seconds_a_tick = (now() - start) / (ticks() - first);
        rounds[round] = percentile(rows, CALLS / ROW, 50) / ROW * seconds_a_tick;
    }
    printf("launch_median %.2f\n", percentile(rounds, ROUNDS, 50) * 1e9);
}

// From here on any system call but read, write and exit kills the process.
static void without_system_calls(void) {
    launch(), alloc_free(), info();
    fflush(stdout);
    TRY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
    for (int i = 0; i < CALLS; i++)
        launch(), alloc_free(), info();
    static const char said[] = "system_calls 0\n";
    if (write(1, said, sizeof said - 1) < 0)
        syscall(SYS_exit, 1);
    syscall(SYS_exit, 0);
}

int main(int count, char **words) {
    double start = now();
    begin();
    info();
    printf("first_call_us %.1f\n", (now() - start) * 1e6);
    if (count > 1 && strcmp(words[1], "start") == 0) {
        // One of many: it stays until its input ends.
        fflush(stdout);
        char byte;
        return read(0, &byte, 1) != 0;
    }
    measure("launch", launch);
    if (count > 1 && strcmp(words[1], "launches") == 0) {
        measure_most();
        return 0;
    }
    measure("alloc_free", alloc_free);
    measure("mem_info", info);
    for (int i = 0; i < LIVE; i++)
        TRY(cuMemAlloc_v2(&live[i], 4096));
    measure("alloc_free_live", alloc_free_live);
    without_system_calls();
}
