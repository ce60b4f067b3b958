// A process of a crowd: gets and frees device memory at random, a fixed number of times.
//
//   crowd SEED OPERATIONS     then prints `held BYTES`, and stays until its input ends
//
// Out of memory is an answer like another here; any other error is a failure.
#include "driver.h"

enum { GRAIN = 2 * 1024 * 1024, PLACES = 12, KINDS = 4 };

typedef struct {
    enum { NOTHING, LINEAR, MANAGED, MAPPED, ORDERED } kind;
    address at;
    size_t bytes;
} place;

typedef struct {
    int type, handles, where, device;
    void *more;
    unsigned char flags[8];
} properties;

static unsigned long long state;

static unsigned roll(unsigned sides)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % sides;
}

// Whether a call gave what it was asked for.
static int given(int answer)
{
    if (answer != OUT_OF_MEMORY) OK(answer);
    return answer == 0;
}

// Room for a context may have to be waited for: others are at the brim.
static void enter(void)
{
    load();
    OK(cu(Init, (unsigned), 0));
    handle context;
    int tries = 0;
    while (!given(cu(DevicePrimaryCtxRetain, (handle *, int), &context, 0))) {
        EQUAL(tries++ < 60000, 1);
        usleep(1000);
    }
    OK(cu(CtxSetCurrent, (handle), context));
}

static int map(address *at, size_t bytes)
{
    properties wish = {.type = 1, .where = 1, .device = 0};
    handle memory;
    if (!given(cu(MemCreate, (handle *, size_t, const properties *, unsigned long long), &memory, bytes, &wish, 0)))
        return 0;
    OK(cu(MemAddressReserve, (address *, size_t, size_t, address, unsigned long long), at, bytes, 0, 0, 0));
    OK(cu(MemMap, (address, size_t, size_t, handle, unsigned long long), *at, bytes, 0, memory, 0));
    // The mapping keeps it.
    OK(cu(MemRelease, (handle), memory));
    return 1;
}

static void get(place *here)
{
    here->kind = LINEAR + roll(KINDS);
    here->bytes = (1 + roll(6)) * GRAIN;
    int got = 0;
    switch (here->kind) {
    case LINEAR: got = given(cu(MemAlloc_v2, (address *, size_t), &here->at, here->bytes)); break;
    case MANAGED:
        got = given(cu(MemAllocManaged, (address *, size_t, unsigned), &here->at, here->bytes, 1));
        break;
    case MAPPED: got = map(&here->at, here->bytes); break;
    case ORDERED:
        got = given(cu(MemAllocAsync, (address *, size_t, handle), &here->at, here->bytes, NULL));
        break;
    default: break;
    }
    if (!got) here->kind = NOTHING;
}

static void drop(place *here)
{
    switch (here->kind) {
    case LINEAR:
    case MANAGED: OK(cu(MemFree_v2, (address), here->at)); break;
    case MAPPED:
        OK(cu(MemUnmap, (address, size_t), here->at, here->bytes));
        OK(cu(MemAddressFree, (address, size_t), here->at, here->bytes));
        break;
    case ORDERED: OK(cu(MemFreeAsync, (address, handle), here->at, NULL)); break;
    default: break;
    }
    here->kind = NOTHING;
}

int main(int count, char **words)
{
    if (count != 3) return 2;
    state = strtoull(words[1], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
    enter();
    place places[PLACES] = {0};
    for (unsigned long n = strtoul(words[2], NULL, 10); n > 0; n--) {
        place *here = &places[roll(PLACES)];
        if (here->kind == NOTHING)
            get(here);
        else
            drop(here);
        if (roll(8) == 0) OK(cu(CtxSynchronize, (void)));
    }
    // What a pool keeps is not what the program holds: in the end it keeps nothing.
    handle pool;
    size_t held = 0;
    for (place *here = places; here < places + PLACES; here++) {
        if (here->kind == ORDERED) drop(here);
        if (here->kind != NOTHING) held += here->bytes;
    }
    OK(cu(CtxSynchronize, (void)));
    OK(cu(DeviceGetDefaultMemPool, (handle *, int), &pool, 0));
    OK(cu(MemPoolTrimTo, (handle, size_t), pool, 0));
    printf("held %zu\n", held);
    fflush(stdout);
    char end;
    return read(0, &end, 1) < 0;
}
