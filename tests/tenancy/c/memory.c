// Ways to get device memory under a quota, one case a word. Every case leaves nothing behind, and finds as much free at its end
// as at its beginning.
#include "driver.h"
#include <errno.h>
#include <sys/wait.h>

typedef struct {
    int type, handles, location, device;
    void *metadata;
    unsigned char flags[8];
} properties;

static const size_t GRAIN = 2 * MIB;

static int create(handle *made, size_t bytes, int device)
{
    properties wish = {.type = 1, .location = 1, .device = device};
    return cu(MemCreate, (handle *, size_t, const properties *, unsigned long long), made, bytes, &wish, 0);
}

static int release(handle memory) { return cu(MemRelease, (handle), memory); }

static int map(address at, size_t bytes, handle memory)
{
    return cu(MemMap, (address, size_t, size_t, handle, unsigned long long), at, bytes, 0, memory, 0);
}

static int unmap(address at, size_t bytes) { return cu(MemUnmap, (address, size_t), at, bytes); }

// 11: a mapping keeps the memory when its handle is gone.
static void physical(void)
{
    size_t before = unused(), mapped = 0;
    address window;
    OK(cu(MemAddressReserve, (address *, size_t, size_t, address, unsigned long long), &window, 4096 * MIB / 4, 0, 0, 0));
    int answer;
    handle memory;
    while ((answer = create(&memory, GRAIN, 0)) == 0) {
        OK(map(window + mapped, GRAIN, memory));
        OK(release(memory));
        mapped += GRAIN;
        EQUAL(mapped <= before, 1);
    }
    EQUAL(answer, OUT_OF_MEMORY);
    EQUAL(before - mapped < GRAIN, 1);
    OK(unmap(window, mapped));
    EQUAL(unused(), before);

    // A handle found again by an address keeps it as well.
    OK(create(&memory, GRAIN, 0));
    OK(map(window, GRAIN, memory));
    OK(release(memory));
    OK(cu(MemRetainAllocationHandle, (handle *, address), &memory, window + 4096));
    OK(unmap(window, GRAIN));
    EQUAL(before - unused(), GRAIN);
    OK(release(memory));
    EQUAL(unused(), before);

    // Exported and imported again it is still there, and still charged.
    properties wish = {.type = 1, .handles = 1, .location = 1};
    OK(cu(MemCreate, (handle *, size_t, const properties *, unsigned long long), &memory, GRAIN, &wish, 0));
    int descriptor;
    handle again;
    OK(cu(MemExportToShareableHandle, (int *, handle, int, unsigned long long), &descriptor, memory, 1, 0));
    OK(cu(MemImportFromShareableHandle, (handle *, intptr_t, int), &again, descriptor, 1));
    OK(release(memory));
    EQUAL(before - unused(), GRAIN);
    OK(release(again));
    EQUAL(unused(), before);
    close(descriptor);
}

static address take_async(size_t bytes)
{
    address made;
    OK(cu(MemAllocAsync, (address *, size_t, handle), &made, bytes, NULL));
    return made;
}

static void synchronise(void) { OK(cu(CtxSynchronize, (void))); }

// 12: the pool is charged as it grows, and gives back what it does not keep.
static void pool(void)
{
    size_t before = unused();
    for (int round = 0; round < 1000; round++) {
        address made = take_async(8 * MIB);
        OK(cu(MemFreeAsync, (address, handle), made, NULL));
    }
    synchronise();
    EQUAL(unused(), before);

    address live[256];
    int count = 0, answer;
    while ((answer = cu(MemAllocAsync, (address *, size_t, handle), &live[count], 8 * MIB, NULL)) == 0) {
        count++;
        EQUAL(count * 8 * MIB <= before, 1);
    }
    EQUAL(answer, OUT_OF_MEMORY);
    EQUAL(count, before / (8 * MIB));
    while (count--) OK(cu(MemFreeAsync, (address, handle), live[count], NULL));
    synchronise();
    EQUAL(unused(), before);

    // What a pool keeps without need does not stand in the way of other memory.
    handle mine;
    properties wish[3] = {{.type = 1, .location = 1}};
    uint64_t keep = UINT64_MAX;
    OK(cu(MemPoolCreate, (handle *, void *), &mine, wish));
    OK(cu(MemPoolSetAttribute, (handle, int, void *), mine, 4, &keep));
    OK(cu(MemAllocFromPoolAsync, (address *, size_t, handle, handle), &live[0], 32 * MIB, mine, NULL));
    OK(cu(MemFreeAsync, (address, handle), live[0], NULL));
    synchronise();
    EQUAL(before - unused() >= 32 * MIB, 1);
    EQUAL(try(before), 0);
    // A pool that is destroyed holds its memory until the last block is freed.
    OK(cu(MemAllocFromPoolAsync, (address *, size_t, handle, handle), &live[0], 32 * MIB, mine, NULL));
    OK(cu(MemPoolDestroy, (handle), mine));
    EQUAL(before - unused() >= 32 * MIB, 1);
    OK(cu(MemFreeAsync, (address, handle), live[0], NULL));
    synchronise();
    EQUAL(unused(), before);
}

// 13: whatever the program frees how ever, the driver is asked.
static void mixed_frees(void)
{
    size_t before = unused();
    for (int round = 0; round < 100; round++) give(take_async(16 * MIB));
    synchronise();
    EQUAL(unused(), before);
    address inside = take(1 * MIB);
    EQUAL(cu(MemFree_v2, (address), inside + 256), 1);
    EQUAL(cu(MemFree_v2, (address), 0x123456), 1);
    OK(cu(MemFree_v2, (address), 0));
    EQUAL(before - unused(), MIB);
    give(inside);
    EQUAL(unused(), before);
}

typedef struct {
    size_t width, height, depth;
    int format, channels, flags;
} shape;

static void one_array(size_t width, size_t height, size_t depth, int format, int channels, int flags, size_t bytes)
{
    size_t before = unused();
    shape wish = {width, height, depth, format, channels, flags};
    handle made;
    OK(cu(Array3DCreate_v2, (handle *, shape *), &made, &wish));
    EQUAL(before - unused(), bytes);
    OK(cu(ArrayDestroy, (handle), made));
    EQUAL(unused(), before);
}

// 15: sizes of arrays are right.
static void arrays(void)
{
    enum { U8 = 1, HALF = 16, FLOAT = 32, LAYERED = 1 };
    one_array(65536, 0, 0, U8, 1, 0, 65536);
    one_array(1024, 1024, 0, U8, 1, 0, MIB);
    one_array(1024, 1024, 0, HALF, 1, 0, 2 * MIB);
    one_array(1024, 256, 0, FLOAT, 4, 0, 4 * MIB);
    one_array(512, 512, 8, U8, 1, LAYERED, 2 * MIB);
    one_array(512, 64, 64, U8, 1, 0, 2 * MIB);
    one_array(100, 10, 0, U8, 1, 0, 5120);

    size_t before = unused();
    shape wish = {1024, 1024, 0, U8, 1, 0};
    handle made;
    OK(cu(MipmappedArrayCreate, (handle *, shape *, unsigned), &made, &wish, 2));
    EQUAL(before - unused(), MIB + MIB / 4);
    OK(cu(MipmappedArrayDestroy, (handle), made));
    EQUAL(unused(), before);
    shape flat[] = {{1024, 512, U8 | (size_t)1 << 32}};
    OK(cu(ArrayCreate_v2, (handle *, shape *), &made, flat));
    EQUAL(before - unused(), MIB / 2);
    OK(cu(ArrayDestroy, (handle), made));

    address rows;
    size_t pitch;
    OK(cu(MemAllocPitch_v2, (address *, size_t *, size_t, size_t, unsigned), &rows, &pitch, 1000, 1024, 4));
    EQUAL(before - unused(), pitch * 1024);
    give(rows);
    EQUAL(unused(), before);
    OK(cu(MemAllocManaged, (address *, size_t, unsigned), &rows, 3 * MIB, 1));
    EQUAL(before - unused(), 3 * MIB);
    give(rows);
    EQUAL(unused(), before);
}

// 16: memory of the host is not the device's.
static void host(void)
{
    address all = take(unused());
    EQUAL(unused(), 0);
    EQUAL(try(1), OUT_OF_MEMORY);
    void *pinned;
    OK(cu(MemHostAlloc, (void **, size_t, unsigned), &pinned, 16 * MIB, 0));
    OK(cu(MemFreeHost, (void *), pinned));
    OK(cu(MemAllocHost_v2, (void **, size_t), &pinned, 16 * MIB));
    OK(cu(MemFreeHost, (void *), pinned));
    static char own[65536];
    OK(cu(MemHostRegister_v2, (void *, size_t, unsigned), own, sizeof own, 0));
    OK(cu(MemHostUnregister, (void *), own));
    give(all);
}

// 17: takes what it can get, says how much that was, and holds it until its input ends.
static void brim(void)
{
    long count = 0;
    address made;
    while (cu(MemAlloc_v2, (address *, size_t), &made, MIB) == 0) count++;
    printf("%ld\n", count);
    fflush(stdout);
    while (getchar() != EOF) {}
}

// 18: a context is there as long as anybody uses it.
static void primary(void)
{
    size_t total, whole;
    handle context;
    OK(cu(DeviceTotalMem_v2, (size_t *, int), &total, 0));
    OK(cu(DevicePrimaryCtxRetain, (handle *, int), &context, 0));
    OK(cu(CtxSetCurrent, (handle), context));
    EQUAL(total - unused(), 16 * MIB);
    address forgotten = take(MIB);
    EQUAL(forgotten != 0, 1);
    OK(cu(DevicePrimaryCtxRetain, (handle *, int), &context, 0));
    OK(cu(DevicePrimaryCtxRelease_v2, (int), 0));
    EQUAL(total - unused(), 17 * MIB);
    OK(cu(DevicePrimaryCtxRelease_v2, (int), 0));
    // All that was made in it went with it. Another one of the same kind is charged again, and only once.
    OK(cu(CtxCreate_v2, (handle *, unsigned, int), &context, 0, 0));
    EQUAL(total - unused(), 16 * MIB);
    take(2 * MIB);
    OK(cu(MemGetInfo_v2, (size_t *, size_t *), &whole, &total));
    OK(cu(CtxDestroy_v2, (handle), context));
    OK(cu(DevicePrimaryCtxRetain, (handle *, int), &context, 0));
    OK(cu(CtxSetCurrent, (handle), context));
    EQUAL(total - unused(), 16 * MIB);
    OK(cu(DevicePrimaryCtxReset_v2, (int), 0));
}

// 19: memory belongs to the device it is made on, whichever is current. Says what is free of the current one.
static void elsewhere(void)
{
    size_t before = unused();
    handle memory, more;
    OK(create(&memory, 4 * MIB, 1));
    EQUAL(unused(), before);
    EQUAL(create(&more, 6 * MIB, 1), OUT_OF_MEMORY);
    OK(release(memory));
    OK(create(&more, 6 * MIB, 1));
    OK(release(more));
}

static void *churn(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed * 2654435761u + 1;
    handle held[8] = {0};
    begin_on(0);
    for (int round = 0; round < 2000; round++) {
        state = state * 1664525u + 1013904223u;
        handle *place = &held[state >> 29];
        if (*place) {
            OK(release(*place));
            *place = NULL;
        } else if (create(place, GRAIN, 0)) {
            *place = NULL;
        }
    }
    for (int i = 0; i < 8; i++)
        if (held[i]) OK(release(held[i]));
    return NULL;
}

// 20: threads that make and release at once lose nothing.
static void threads(void)
{
    size_t before = unused();
    pthread_t thread[4];
    for (uintptr_t i = 0; i < 4; i++) pthread_create(&thread[i], NULL, churn, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    EQUAL(unused(), before);
}

// 22: over the quota a device is out of memory, and nothing else.
static void over(void)
{
    size_t total, available;
    OK(cu(MemGetInfo_v2, (size_t *, size_t *), &available, &total));
    EQUAL(available, total);
    EQUAL(try(total + 1), OUT_OF_MEMORY);
    EQUAL(try(SIZE_MAX), OUT_OF_MEMORY);
    EQUAL(try(0), 1);
    address made;
    EQUAL(cu(MemAllocManaged, (address *, size_t, unsigned), &made, total + 1, 1), OUT_OF_MEMORY);
    EQUAL(cu(MemAllocAsync, (address *, size_t, handle), &made, total + 1, NULL), OUT_OF_MEMORY);
    handle memory;
    EQUAL(create(&memory, total + GRAIN, 0), OUT_OF_MEMORY);
    shape wish = {1 << 16, 1 << 14, 0, 1, 1, 0};
    EQUAL(cu(Array3DCreate_v2, (handle *, shape *), &memory, &wish), OUT_OF_MEMORY);
    EQUAL(try(total), 0);
}

// 23: what the driver refuses is not charged. The grant is larger than the device here.
static void refused(void)
{
    size_t before = unused();
    address made;
    for (int round = 0; round < 100; round++) EQUAL(cu(MemAlloc_v2, (address *, size_t), &made, 200 * MIB), OUT_OF_MEMORY);
    handle memory;
    EQUAL(create(&memory, 200 * MIB, 0), OUT_OF_MEMORY);
    EQUAL(cu(MemAllocAsync, (address *, size_t, handle), &made, 200 * MIB, NULL), OUT_OF_MEMORY);
    EQUAL(unused(), before);
}

static int child_of(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void *forks(void *unused_)
{
    (void)unused_;
    pid_t child = fork();
    if (child == 0) {
        // The driver of a forked child is not initialised, with or without us; nothing hangs and nothing is given back.
        size_t a, b;
        address made = 0;
        int silent = cu(MemGetInfo_v2, (size_t *, size_t *), &a, &b) != 0
            && cu(MemAlloc_v2, (address *, size_t), &made, MIB) != 0 && cu(MemFree_v2, (address), 4096) != 0;
        _exit(silent ? 0 : 7);
    }
    EQUAL(child_of(child), 0);
    return NULL;
}

// 28: a child that does not exec is a process of its own.
static void forked(void)
{
    // Before the driver is used here, a child may use it: what it holds is its own, and is gone when it is.
    pid_t child = fork();
    if (child == 0) {
        begin();
        take(4 * MIB);
        _exit(0);
    }
    EQUAL(child_of(child), 0);
    begin();
    size_t before = unused();
    address mine = take(4 * MIB);
    pthread_t thread;
    pthread_create(&thread, NULL, forks, NULL);
    pthread_join(thread, NULL);
    forks(NULL);
    EQUAL(before - unused(), 4 * MIB);
    give(mine);
    EQUAL(unused(), before);
}

// 42: answers to null pointers, to be compared with the driver's own.
static void nulls(void)
{
    size_t available = 1, total = 1;
    address made;
    int answers[] = {
        cu(MemGetInfo_v2, (size_t *, size_t *), NULL, &total),
        cu(MemGetInfo_v2, (size_t *, size_t *), &available, NULL),
        cu(MemGetInfo_v2, (size_t *, size_t *), NULL, NULL),
        cu(DeviceTotalMem_v2, (size_t *, int), NULL, 0),
        cu(DeviceTotalMem_v2, (size_t *, int), &total, 77),
        cu(MemAlloc_v2, (address *, size_t), NULL, 512),
        cu(MemAllocManaged, (address *, size_t, unsigned), &made, 512, 77),
        cu(MemAllocPitch_v2, (address *, size_t *, size_t, size_t, unsigned), &made, NULL, 64, 64, 4),
        cu(MemAllocAsync, (address *, size_t, handle), NULL, 512, NULL),
        cu(MemCreate, (handle *, size_t, void *, unsigned long long), NULL, 512, NULL, 0),
        cu(ArrayCreate_v2, (handle *, void *), NULL, NULL),
        cu(CtxCreate_v2, (handle *, unsigned, int), NULL, 0, 0),
        cu(DevicePrimaryCtxRetain, (handle *, int), NULL, 0),
        cu(GraphInstantiateWithFlags, (handle *, handle, unsigned long long), NULL, NULL, 0),
        cu(MemPoolCreate, (handle *, void *), NULL, NULL),
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) printf("%d ", answers[i]);
    printf("\n");
}

// 43: says what is free whenever it is asked, holding 32 MiB.
static void ask(void)
{
    take(32 * MIB);
    do {
        size_t available, total;
        int answer = cu(MemGetInfo_v2, (size_t *, size_t *), &available, &total);
        printf("%d %llu %llu %d\n", answer, available / MIB, total / MIB, try(MIB));
        fflush(stdout);
    } while (getchar() != EOF);
}

// 46: what kind of memory an address is.
static void kinds(void)
{
    address linear = take(MIB), managed;
    OK(cu(MemAllocManaged, (address *, size_t, unsigned), &managed, MIB, 1));
    for (int i = 0; i < 2; i++) {
        unsigned kind = 7;
        int is_managed = 7, asked[] = {2, 8};
        void *data[] = {&kind, &is_managed};
        OK(cu(PointerGetAttributes, (unsigned, int *, void **, address), 2, asked, data, i ? managed : linear));
        EQUAL(kind, 2);
        EQUAL(is_managed & 255, i);
    }
    give(linear);
    give(managed);
}

// Memory that graphs allocate.
static void graphs(void)
{
    size_t before = unused();
    handle stream, graph, exec;
    address made;
    OK(cu(StreamCreate, (handle *, unsigned), &stream, 1));
    OK(cu(StreamBeginCapture_v2, (handle, int), stream, 2));
    OK(cu(MemAllocAsync, (address *, size_t, handle), &made, 24 * MIB, stream));
    OK(cu(MemsetD8Async, (address, unsigned char, size_t, handle), made, 7, MIB, stream));
    OK(cu(MemFreeAsync, (address, handle), made, stream));
    OK(cu(StreamEndCapture, (handle, handle *), stream, &graph));
    EQUAL(unused(), before);
    OK(cu(GraphInstantiateWithFlags, (handle *, handle, unsigned long long), &exec, graph, 0));
    for (int round = 0; round < 20; round++) OK(cu(GraphLaunch, (handle, handle), exec, stream));
    OK(cu(StreamSynchronize, (handle), stream));
    EQUAL(before - unused(), 24 * MIB);
    OK(cu(DeviceGraphMemTrim, (int), 0));
    EQUAL(unused(), before);

    // A launch that would not fit is refused; what other graphs keep is given back first.
    OK(cu(GraphLaunch, (handle, handle), exec, stream));
    OK(cu(StreamSynchronize, (handle), stream));
    EQUAL(try(before), 0);
    address most = take(before - 16 * MIB);
    EQUAL(cu(GraphLaunch, (handle, handle), exec, stream), OUT_OF_MEMORY);
    give(most);
    OK(cu(GraphLaunch, (handle, handle), exec, stream));
    OK(cu(StreamSynchronize, (handle), stream));
    OK(cu(GraphExecDestroy, (handle), exec));
    OK(cu(GraphDestroy, (handle), graph));
    OK(cu(DeviceGraphMemTrim, (int), 0));
    EQUAL(unused(), before);
}

static const struct {
    const char *name;
    void (*run)(void);
    int prepared;
} CASES[] = {
    {"physical", physical, 1},   {"pool", pool, 1},       {"mixed_frees", mixed_frees, 1}, {"arrays", arrays, 1},
    {"host", host, 1},           {"brim", brim, 1},       {"elsewhere", elsewhere, 1},     {"threads", threads, 1},
    {"over", over, 1},           {"refused", refused, 1}, {"nulls", nulls, 1},             {"ask", ask, 1},
    {"kinds", kinds, 1},         {"graphs", graphs, 1},   {"forked", forked, 0},           {"primary", primary, 2},
};

int main(int count, char **words)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (count < 2 || strcmp(words[1], CASES[i].name)) continue;
        load();
        if (CASES[i].prepared) OK(cu(Init, (unsigned), 0));
        if (CASES[i].prepared == 1) begin_on(0);
        CASES[i].run();
        return 0;
    }
    return 9;
}
