// Memory that can move, one case a word. `kinds`: every way to get some works as ever. `stay`: fills memory of all kinds and
// computes on it until its input ends, then checks every byte and address. `hold`: has so many MiB until its input ends. `phases`: works
// now on the device, now on the host. `free`: prints how much nobody has.
#include "driver.h"
#include <poll.h>

static const size_t GRAIN = 2 * MIB;

enum { INVALID_VALUE = 1, NOT_SUPPORTED = 801 };
enum { CONTEXT = 1, MEMORY_TYPE = 2, BUFFER_ID = 7, ORDINAL = 9, LEGACY_IPC = 10, RANGE_START = 11, RANGE_SIZE = 12 };

static const char KERNEL[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .entry add(.param .u64 where, .param .u32 count) {\n"
                             "  .reg .u32 %r<6>; .reg .u64 %d<4>; .reg .pred %p;\n"
                             "  ld.param.u64 %d1, [where]; ld.param.u32 %r1, [count];\n"
                             "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                             "  mad.lo.u32 %r2, %r2, %r3, %r4;\n"
                             "  setp.ge.u32 %p, %r2, %r1; @%p bra done;\n"
                             "  mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d1, %d2;\n"
                             "  ld.global.u32 %r5, [%d2]; add.u32 %r5, %r5, 1; st.global.u32 [%d2], %r5;\n"
                             "done:\n"
                             "  ret;\n}\n";

static handle kernel(void)
{
    handle module, add;
    OK(cu(ModuleLoadData, (handle *, const void *), &module, KERNEL));
    OK(cu(ModuleGetFunction, (handle *, handle, const char *), &add, module, "add"));
    return add;
}

static void launch(handle add, address where, unsigned count)
{
    void *arguments[] = {&where, &count};
    OK(cu(LaunchKernel,
          (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **), add,
          (count + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
}

static void synchronise(void) { OK(cu(CtxSynchronize, (void))); }

static address take_async(size_t bytes)
{
    address made;
    OK(cu(MemAllocAsync, (address *, size_t, handle), &made, bytes, NULL));
    return made;
}

static uint64_t attribute(int which, address where)
{
    uint64_t value = 0;
    OK(cu(PointerGetAttribute, (void *, int, address), &value, which, where));
    return value;
}

// The range and the properties of a block are what was asked for, whatever is behind it.
static void looks_like(address block, size_t bytes, handle context)
{
    address base;
    size_t size;
    OK(cu(MemGetAddressRange_v2, (address *, size_t *, address), &base, &size, block + bytes - 1));
    EQUAL(base, block);
    EQUAL(size, bytes);
    EQUAL(attribute(RANGE_START, block + bytes / 2), block);
    EQUAL(attribute(RANGE_SIZE, block), bytes);
    EQUAL((uint32_t)attribute(MEMORY_TYPE, block), 2);
    EQUAL((uint32_t)attribute(ORDINAL, block), 0);
    EQUAL((uint32_t)attribute(LEGACY_IPC, block), 0);
    EQUAL(attribute(CONTEXT, block), (uintptr_t)context);
    int which[] = {MEMORY_TYPE, BUFFER_ID, RANGE_SIZE};
    uint64_t type = 0, id = 0, range = 0;
    void *places[] = {&type, &id, &range};
    OK(cu(PointerGetAttributes, (unsigned, int *, void **, address), 3, which, places, block));
    EQUAL(type, 2);
    EQUAL(id, attribute(BUFFER_ID, block));
    EQUAL(range, bytes);
}

static void kinds(void)
{
    handle context;
    OK(cu(CtxGetCurrent, (handle *), &context));
    size_t before = unused();
    unsigned char ipc[64];

    // Small blocks share what is charged for them, a large one is charged as it is rounded.
    address small[64];
    for (int n = 0; n < 64; n++) {
        small[n] = take(1000 + n);
        EQUAL(small[n] % 512, 0);
        looks_like(small[n], 1000 + n, context);
    }
    EQUAL(before - unused(), GRAIN);
    address large = take(3 * MIB + 5);
    looks_like(large, 3 * MIB + 5, context);
    EQUAL(before - unused(), 3 * GRAIN);
    EQUAL(attribute(BUFFER_ID, small[0]) == attribute(BUFFER_ID, small[1]), 0);

    // What is not a block is not freed, and nothing is shared by name.
    EQUAL(cu(MemFree_v2, (address), small[1] + 512), INVALID_VALUE);
    EQUAL(cu(MemFree_v2, (address), large + GRAIN), INVALID_VALUE);
    EQUAL(cu(IpcGetMemHandle, (void *, address), ipc, large), NOT_SUPPORTED);
    EQUAL(cu(MemRetainAllocationHandle, (handle *, address), (handle *)ipc, large), INVALID_VALUE);
    EQUAL(cu(MemAlloc_v2, (address *, size_t), &small[0], 0), INVALID_VALUE);
    EQUAL(cu(MemAlloc_v2, (address *, size_t), NULL, 16), INVALID_VALUE);

    // Every kind of copy, and memory that is set.
    char text[] = "the quick brown fox", back[sizeof text] = {0};
    OK(cu(MemcpyHtoD_v2, (address, void *, size_t), small[2], text, sizeof text));
    OK(cu(MemcpyDtoD_v2, (address, address, size_t), large + 7, small[2], sizeof text));
    OK(cu(Memcpy, (address, address, size_t), small[3], large + 7, sizeof text));
    OK(cu(MemcpyDtoHAsync_v2, (void *, address, size_t, handle), back, small[3], sizeof text, NULL));
    synchronise();
    EQUAL(memcmp(text, back, sizeof text), 0);
    unsigned words[4];
    OK(cu(MemsetD32_v2, (address, unsigned, size_t), small[4], 0xabcdef, 4));
    OK(cu(MemcpyDtoH_v2, (void *, address, size_t), words, small[4], sizeof words));
    EQUAL(words[3], 0xabcdef);
    give(small[0]);
    EQUAL(cu(MemFree_v2, (address), small[0]), INVALID_VALUE);
    for (int n = 1; n < 64; n++) give(small[n]);
    give(large);
    EQUAL(unused(), before);

    // Rows.
    size_t pitch = 0;
    address rows;
    OK(cu(MemAllocPitch_v2, (address *, size_t *, size_t, size_t, unsigned), &rows, &pitch, 1000, 3000, 4));
    EQUAL(pitch, 1024);
    looks_like(rows, 1024 * 3000, context);
    EQUAL(cu(MemAllocPitch_v2, (address *, size_t *, size_t, size_t, unsigned), &rows, &pitch, 1000, 3, 5), INVALID_VALUE);
    EQUAL(cu(MemAllocPitch_v2, (address *, size_t *, size_t, size_t, unsigned), &rows, &pitch, 1000, 0, 4), INVALID_VALUE);
    give(rows);
    EQUAL(unused(), before);

    // In stream order: a block is in use until the stream has come so far, and then it is free again.
    for (int round = 0; round < 100; round++) {
        address made = take_async(8 * MIB);
        OK(cu(MemsetD8Async, (address, unsigned char, size_t, handle), made, round, 8 * MIB, NULL));
        OK(cu(MemFreeAsync, (address, handle), made, NULL));
        EQUAL(cu(MemFreeAsync, (address, handle), made, NULL) == 0, 0);
    }
    synchronise();
    EQUAL(unused(), before);
    handle pool;
    uint64_t used = 1, high = 0;
    OK(cu(DeviceGetMemPool, (handle *, int), &pool, 0));
    address pooled = take_async(3 * MIB);
    OK(cu(MemPoolGetAttribute, (handle, int, void *), pool, 7, &used));
    EQUAL(used, 3 * MIB);
    give(pooled);
    OK(cu(MemPoolGetAttribute, (handle, int, void *), pool, 7, &used));
    OK(cu(MemPoolGetAttribute, (handle, int, void *), pool, 8, &high));
    EQUAL(used, 0);
    EQUAL(high >= 8 * MIB, 1);

    // The quota is what it was, and all of it can be had.
    EQUAL(try(before), 0);
    EQUAL(try(before + 1), OUT_OF_MEMORY);
    EQUAL(try(SIZE_MAX), OUT_OF_MEMORY);
    pooled = take_async(before);
    EQUAL(try(512), OUT_OF_MEMORY);
    OK(cu(MemFreeAsync, (address, handle), pooled, NULL));
    EQUAL(try(before), 0);

    // What is made in a context goes with it.
    handle other;
    OK(cu(CtxCreate_v2, (handle *, unsigned, int), &other, 0, 0));
    size_t there = unused();
    take(5 * MIB);
    take(5);
    EQUAL(there - unused(), 4 * GRAIN);
    OK(cu(CtxDestroy_v2, (handle), other));
    OK(cu(CtxSetCurrent, (handle), context));
    EQUAL(unused(), before);
}

typedef struct {
    address where;
    unsigned count;
} part;

static int goes_on(void)
{
    struct pollfd input = {0, POLLIN, 0};
    return !poll(&input, 1, 0);
}

static void check(part part, unsigned rounds)
{
    unsigned *all = malloc(part.count * 4ull);
    OK(cu(MemcpyDtoH_v2, (void *, address, size_t), all, part.where, part.count * 4ull));
    for (unsigned n = 0; n < part.count; n++)
        if (all[n] != n * 2654435761u + rounds) {
            printf("word %u of %u at %llx is %u after %u rounds\n", n, part.count, part.where, all[n] - n * 2654435761u, rounds);
            exit(1);
        }
    free(all);
}

static void stay(unsigned mebibytes)
{
    handle add = kernel();
    part parts[16] = {{take(mebibytes * MIB), mebibytes * MIB / 4}};
    size_t pitch;
    for (int n = 1; n < 12; n++) parts[n] = (part){take(1000 * n), 250 * n};
    OK(cu(MemAllocPitch_v2, (address *, size_t *, size_t, size_t, unsigned), &parts[12].where, &pitch, 4096, 100, 4));
    parts[12].count = 1024 * 100;
    for (int n = 13; n < 16; n++) parts[n] = (part){take_async(300000 * n), 75000 * n};
    for (int n = 0; n < 16; n++) {
        unsigned *all = malloc(parts[n].count * 4ull);
        for (unsigned word = 0; word < parts[n].count; word++) all[word] = word * 2654435761u;
        OK(cu(MemcpyHtoD_v2, (address, void *, size_t), parts[n].where, all, parts[n].count * 4ull));
        free(all);
    }
    printf("0\n"), fflush(stdout);
    unsigned rounds = 0;
    do {
        for (int n = 0; n < 16; n++) launch(add, parts[n].where, parts[n].count);
        rounds++;
        // Now and then something is taken and given back in between.
        address more = take(rounds % 7 * 100000 + 1);
        OK(cu(MemsetD8Async, (address, unsigned char, size_t, handle), more, 1, 1, NULL));
        if (rounds % 3 == 0) check(parts[rounds % 16], rounds);
        give(more);
        printf("%u\n", rounds), fflush(stdout);
    } while (goes_on());
    for (int n = 0; n < 16; n++) check(parts[n], rounds);
    for (int n = 0; n < 16; n++) give(parts[n].where);
    printf("good\n");
}

static void hold(unsigned mebibytes)
{
    address made = take(mebibytes * MIB);
    printf("0\n"), fflush(stdout);
    char line[16];
    while (fgets(line, sizeof line, stdin)) {}
    give(made);
}

// So many MiB, and as often as it is said (0: until its input ends): work on the device, then on the host. Checks every word at
// the end.
static void phases(unsigned mebibytes, unsigned phases)
{
    handle add = kernel();
    unsigned words = mebibytes * MIB / 4, touched = 20000, rounds = 0;
    address made = take(mebibytes * MIB);
    OK(cu(MemsetD32_v2, (address, unsigned, size_t), made, 5, words));
    for (unsigned phase = 0; phases ? phase < phases : goes_on(); phase++) {
        for (int n = 0; n < 30; n++, rounds++) launch(add, made, touched);
        synchronise();
        printf("%u\n", phase), fflush(stdout);
        usleep(100000);
    }
    unsigned *all = malloc(words * 4ull);
    OK(cu(MemcpyDtoH_v2, (void *, address, size_t), all, made, words * 4ull));
    for (unsigned n = 0; n < words; n++) EQUAL(all[n], n < touched ? 5 + rounds : 5);
    give(made);
    printf("good\n");
}

int main(int count, char **words)
{
    begin();
    unsigned mebibytes = count > 2 ? atoi(words[2]) : 8;
    if (!strcmp(words[1], "kinds")) kinds();
    if (!strcmp(words[1], "stay")) stay(mebibytes);
    if (!strcmp(words[1], "hold")) hold(mebibytes);
    if (!strcmp(words[1], "phases")) phases(mebibytes, atoi(words[3]));
    if (!strcmp(words[1], "free")) printf("%zu\n", unused());
    return 0;
}
