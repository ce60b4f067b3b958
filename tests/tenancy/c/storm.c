// Threads that take and give every kind of memory at random, at the brim of a quota. At the end as much is free as before.
#include "driver.h"

enum { THREADS = 4, HELD = 6, STEPS = 1500 };

typedef struct { int type, handles, location, device; void *more; unsigned char flags[8]; } properties;
typedef struct { size_t width, height, depth; int format, channels, flags; } shape;
typedef struct { int kind; address memory; handle object; size_t bytes; } thing;

static const size_t GRAIN = 2 * MIB;
static handle pool;

static int make(thing *made, handle stream)
{
    handle memory;
    switch (made->kind) {
    case 1: return cu(MemAlloc_v2, (address *, size_t), &made->memory, made->bytes);
    case 2: return cu(MemAllocAsync, (address *, size_t, handle), &made->memory, made->bytes, stream);
    case 3: return cu(MemAllocFromPoolAsync, (address *, size_t, handle, handle), &made->memory, made->bytes, pool, stream);
    case 4: return cu(MemAllocManaged, (address *, size_t, unsigned), &made->memory, made->bytes, 1);
    case 5: {
        shape wish = {1024, made->bytes / 4096 + 1, 0, 32, 1, 0};
        return cu(Array3DCreate_v2, (handle *, shape *), &made->object, &wish);
    }
    default: {
        properties wish = {.type = 1, .location = 1};
        int answer = cu(MemCreate, (handle *, size_t, const properties *, unsigned long long), &memory, GRAIN, &wish, 0);
        if (answer) return answer;
        OK(cu(MemAddressReserve, (address *, size_t, size_t, address, unsigned long long), &made->memory, GRAIN, 0, 0, 0));
        OK(cu(MemMap, (address, size_t, size_t, handle, unsigned long long), made->memory, GRAIN, 0, memory, 0));
        OK(cu(MemRelease, (handle), memory));
        return 0;
    }
    }
}

static void drop(thing *made, handle stream, unsigned how)
{
    switch (made->kind) {
    case 2:
    case 3:
        if (how & 1) {
            OK(cu(MemFreeAsync, (address, handle), made->memory, stream));
            break;
        }
        // fall through
    case 1:
    case 4: OK(cu(MemFree_v2, (address), made->memory)); break;
    case 5: OK(cu(ArrayDestroy, (handle), made->object)); break;
    default:
        OK(cu(MemUnmap, (address, size_t), made->memory, GRAIN));
        OK(cu(MemAddressFree, (address, size_t), made->memory, GRAIN));
    }
    made->kind = 0;
}

static void *churn(void *number)
{
    unsigned state = (unsigned)(uintptr_t)number * 2654435761u + 12345;
    thing held[HELD] = {{0}};
    handle stream;
    int refused = 0;
    begin_on(0);
    OK(cu(StreamCreate, (handle *, unsigned), &stream, 1));
    for (int step = 0; step < STEPS; step++) {
        state = state * 1664525u + 1013904223u;
        thing *place = &held[(state >> 20) % HELD];
        if (place->kind) {
            drop(place, stream, state >> 10);
            continue;
        }
        *place = (thing){.kind = 1 + (state >> 12) % 6, .bytes = 4096 + (state >> 8) % (6 * MIB)};
        int answer = make(place, stream);
        if (answer) {
            EQUAL(answer, OUT_OF_MEMORY);
            place->kind = 0;
            refused++;
        }
        if (step % 64 == 0) OK(cu(StreamSynchronize, (handle), stream));
    }
    for (int i = 0; i < HELD; i++)
        if (held[i].kind) drop(&held[i], stream, 0);
    OK(cu(StreamSynchronize, (handle), stream));
    return (void *)(uintptr_t)refused;
}

int main(void)
{
    begin();
    properties wish[3] = {{.type = 1, .location = 1}};
    OK(cu(MemPoolCreate, (handle *, void *), &pool, wish));
    size_t before = unused();
    pthread_t thread[THREADS];
    uintptr_t refused = 0;
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, churn, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *count;
        pthread_join(thread[i], &count);
        refused += (uintptr_t)count;
    }
    OK(cu(CtxSynchronize, (void)));
    EQUAL(unused(), before);
    // At the brim: some did not fit.
    EQUAL(refused > 0, 1);
    EQUAL(try(before), 0);
    OK(cu(MemPoolDestroy, (handle), pool));
    return 0;
}
