/* Parts about memory and processes: allocation, what the dead leave, the start of one more process, NVML. */

#include "device.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#define MIB (1 << 20)

/* allocate: with 50,000 live allocations, one more and its free; then new chunks, and what the kernel takes for the same
 * number of pages by itself. */
void allocate(char **words) {
    (void)words;
    int file = memfd_create("pages", MFD_CLOEXEC);
    enum { LIVE = 50000, ROUNDS = 20000, CHUNKS = 100 };
    static CUdeviceptr live[LIVE], chunks[CHUNKS];
    static double new_chunk[CHUNKS], by_itself[CHUNKS];
    begin();
    for (int i = 0; i < LIVE; i++)
        TRY(cuMemAlloc_v2(&live[i], 1024));
    double each[9];
    for (int turn = -1; turn < 9; turn++) {
        double t = now();
        for (int i = 0; i < ROUNDS; i++) {
            CUdeviceptr block;
            TRY(cuMemAlloc_v2(&block, 4096));
            TRY(cuMemFree_v2(block));
        }
        if (turn >= 0)
            each[turn] = (now() - t) * 1e6 / ROUNDS;
    }
    for (int i = 0; i < CHUNKS; i++) {
        double t = now();
        TRY(cuMemAlloc_v2(&chunks[i], 2 * MIB));
        new_chunk[i] = (now() - t) * 1e6;
    }
    for (int i = 0; i < CHUNKS; i++) {
        double t = now();
        if (fallocate(file, 0, (off_t)i * 2 * MIB, 2 * MIB) != 0) {
            perror("fallocate");
            exit(1);
        }
        by_itself[i] = (now() - t) * 1e6;
    }
    printf("fallocate_us %.9g\n", percentile(by_itself, CHUNKS, 50));
    printf("alloc_free_us %.9g\n", percentile(each, 9, 50));
    printf("new_chunk_us %.9g\n", percentile(new_chunk, CHUNKS, 50));
    printf("new_chunk_p99_us %.9g\n", percentile(new_chunk, CHUNKS, 99));
}

/* Whether process `holder` still holds its death token. */
static int holds_token(int lock, pid_t holder) {
    for (off_t from = 0;;) {
        struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from};
        if (fcntl(lock, F_OFD_GETLK, &range) != 0) {
            perror("F_OFD_GETLK");
            exit(1);
        }
        if (range.l_type == F_UNLCK)
            return 0;
        if (range.l_pid == holder)
            return 1;
        from = range.l_start + range.l_len;
    }
}

/* hold MIB: takes that much, touches it, says `ready` and waits to be killed. */
void hold(char **words) {
    size_t bytes = (size_t)atol(words[0]) * MIB;
    CUdeviceptr block;
    begin();
    if (bytes > 0) {
        TRY(cuMemAlloc_v2(&block, bytes));
        TRY(cuMemsetD8_v2(block, 1, bytes));
        TRY(cuCtxSynchronize());
    }
    puts("ready");
    pause();
}

/* recover LOCK PID MIB: kills a process that holds that much of a device whose rest this process has taken. How long until
 * the kernel dropped its death token, and from then until a chunk of its memory is ours and all of it shows as free. */
void recover(char **words) {
    pid_t holder = atoi(words[1]);
    size_t held = (size_t)atol(words[2]) * MIB, step = 64 * MIB, free, total;
    int lock = open(words[0], O_RDWR | O_CLOEXEC);
    CUdeviceptr block;
    begin();
    while (step >= 2 * MIB)
        if (cuMemAlloc_v2(&block, step) != 0)
            step /= 2;
    if (lock < 0) {
        perror(words[0]);
        exit(1);
    }
    double killed = now();
    kill(holder, SIGKILL);
    while (holds_token(lock, holder))
        ;
    double dropped = now();
    do
        TRY(cuMemGetInfo_v2(&free, &total));
    while (free < held || cuMemAlloc_v2(&block, 2 * MIB) != 0);
    printf("available_ms %.9g\n", (now() - dropped) * 1e3);
    printf("drop_ms %.9g\n", (dropped - killed) * 1e3);
}

/* start: from nothing to a context. */
void start_up(char **words) {
    (void)words;
    double t = now();
    begin();
    printf("start_ms %.9g\n", (now() - t) * 1e3);
    puts("ready");
    pause();
}

/* nvml LIBRARY: what a call costs that a monitor makes every second; the dearest of them, and each by name. */
void nvml(char **words) {
    void *library = dlopen(words[0], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    enum { ROUNDS = 201, MOST = 128 };
    int (*init)(void) = (int (*)(void))dlsym(library, "nvmlInit_v2");
    int (*by_index)(unsigned, Handle *) = (int (*)(unsigned, Handle *))dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    Handle device;
    TRY(init());
    TRY(by_index(0, &device));
    static unsigned char answer[MOST * 64];
    static const struct {
        const char *name;
        int lists;
    } calls[] = {
        {"nvmlDeviceGetMemoryInfo", 0},
        {"nvmlDeviceGetUtilizationRates", 0},
        {"nvmlDeviceGetComputeRunningProcesses_v3", 1},
    };
    double dearest = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *function = dlsym(library, calls[i].name);
        static double each[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            unsigned count = MOST;
            double t = now();
            if (calls[i].lists)
                TRY(((int (*)(Handle, unsigned *, void *))function)(device, &count, answer));
            else
                TRY(((int (*)(Handle, void *))function)(device, answer));
            each[round] = (now() - t) * 1e6;
        }
        double middle = percentile(each, ROUNDS, 50);
        printf("%s_us %.9g\n", calls[i].name, middle);
        dearest = middle > dearest ? middle : dearest;
    }
    printf("call_us %.9g\n", dearest);
}
