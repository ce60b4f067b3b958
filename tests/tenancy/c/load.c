// A load on the device that keeps its own account: when each of its kernels was found done.
//
//   load FILE ROUNDS [DEPTH]    kernels of ROUNDS steps one after the other, DEPTH ahead (8), until the input ends
//   load FILE ROUNDS endless    as many kernels as there are before the input ends, then one that never does
//   load FILE ROUNDS rest       as many, then a few that nobody waits for, and nothing more until it is killed
//   load FILE ROUNDS lie        the same kernels, while another thread writes garbage over the tenant's page and rings
//
// FILE is made: a count, then so many moments in nanoseconds of the monotonic clock. SIGINT ends it with 5, after saying so.
// Launches are checked: the sum that the kernels leave in device memory must be their number.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char KERNEL[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .entry spin(.param .u64 done, .param .u32 rounds) {\n"
                             "  .reg .u32 %r<6>; .reg .u64 %rd<3>; .reg .pred %p<3>;\n"
                             "  ld.param.u64 %rd1, [done]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
                             "again:\n"
                             "  add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, %r1; @%p1 bra again;\n"
                             "  mov.u32 %r3, %tid.x; setp.ne.u32 %p2, %r3, 0; @%p2 bra end;\n"
                             "  cvta.to.global.u64 %rd2, %rd1; atom.global.add.u32 %r4, [%rd2], 1;\n"
                             "end:\n"
                             "  ret;\n}\n";

#define MOST (1 << 20)
#define RING 64

struct account {
    _Atomic uint64_t count;
    uint64_t moments[MOST];
};

static void *library;

static void *function(const char *name) {
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) exit(3);
    return found;
}

#define CALL(name, types, ...)                                                                              \
    do {                                                                                                    \
        int code = ((int(*) types)function(name))(__VA_ARGS__);                                             \
        if (code) {                                                                                         \
            fprintf(stderr, "%s: %d\n", name, code);                                                        \
            exit(1);                                                                                        \
        }                                                                                                   \
    } while (0)

static void interrupted(int signal) {
    (void)signal;
    static const char text[] = "interrupted\n";
    if (write(1, text, sizeof text - 1) < 0) _exit(6);
    _exit(5);
}

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000ull + at.tv_nsec;
}

static void launch(void *kernel, uint64_t done, unsigned rounds) {
    void *arguments[] = {&done, &rounds};
    CALL("cuLaunchKernel",
         (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **), kernel, 1, 1,
         1, 32, 1, 1, 0, 0, arguments, 0);
}

// Everything behind the first line of the page, again and again: no word of it is what it should be for long.
static void *lie(void *nothing) {
    char path[4096];
    snprintf(path, sizeof path, "%s/gpu0/usage", getenv("CLEAVE_TENANT"));
    int file = open(path, O_RDWR);
    struct stat about;
    if (file < 0 || fstat(file, &about)) exit(7);
    uint32_t *words = mmap(NULL, about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (words == MAP_FAILED) exit(7);
    uint64_t random = 0x9e3779b97f4a7c15ull;
    for (size_t at = 32;; at = at + 1 < about.st_size / 4 ? at + 1 : 32) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        words[at] = (uint32_t)random;
        // Some word there is the bell.
        if (at < 1024) syscall(SYS_futex, &words[at], FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return nothing;
}

int main(int count, char **words) {
    if (count < 3) return 64;
    const char *mode = count > 3 ? words[3] : "";
    unsigned rounds = strtoul(words[2], NULL, 10);
    unsigned depth = atoi(mode) > 0 ? atoi(mode) : 8;
    int file = open(words[1], O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof(struct account)) || depth > RING) return 65;
    struct account *account = mmap(NULL, sizeof *account, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (account == MAP_FAILED) return 65;
    signal(SIGINT, interrupted);
    setvbuf(stdout, NULL, _IOLBF, 0);

    void *context, *module, *kernel, *events[RING];
    unsigned long long done;
    unsigned zero = 0, sum = 0;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    CALL("cuInit", (unsigned), 0);
    CALL("cuCtxCreate_v2", (void **, unsigned, int), &context, 0, 0);
    CALL("cuModuleLoadData", (void **, const void *), &module, KERNEL);
    CALL("cuModuleGetFunction", (void **, void *, const char *), &kernel, module, "spin");
    CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &done, sizeof sum);
    CALL("cuMemcpyHtoD_v2", (unsigned long long, const void *, size_t), done, &zero, sizeof zero);
    for (unsigned at = 0; at < RING; at++) CALL("cuEventCreate", (void **, unsigned), &events[at], 2);

    pthread_t liar;
    if (!strcmp(mode, "lie") && pthread_create(&liar, NULL, lie, NULL)) return 66;
    struct pollfd input = {0, POLLIN, 0};
    uint64_t launched = 0, finished = 0;
    while (finished < MOST && (finished < launched || !poll(&input, 1, 0))) {
        int goes_on = !poll(&input, 1, 0);
        while (goes_on && launched - finished < depth) {
            launch(kernel, done, rounds);
            CALL("cuEventRecord", (void *, void *), events[launched++ % RING], NULL);
        }
        if (finished == launched) break;
        CALL("cuEventSynchronize", (void *), events[finished % RING]);
        account->moments[finished++] = now();
        atomic_store(&account->count, finished);
        if (finished == 1) printf("begun\n");
    }
    if (!strcmp(mode, "rest")) {
        for (int more = 0; more < 8; more++) launch(kernel, done, rounds);
        printf("resting\n");
        for (;;) pause();
    }
    CALL("cuMemcpyDtoH_v2", (void *, unsigned long long, size_t), &sum, done, sizeof sum);
    if (!strcmp(mode, "endless")) {
        // From one it counts up and never meets none.
        launch(kernel, done, 0);
        launch(kernel, done, 0);
        printf("endless\n");
        CALL("cuCtxSynchronize", (void));
    }
    printf("%s\n", sum == launched ? "whole" : "lost");
    return sum != launched;
}
