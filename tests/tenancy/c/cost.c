// What an allocation and a free cost with few and with many allocations alive, in nanoseconds: the best of several rounds, each
// of which frees what it made in the order it was made.
#include "driver.h"
#include <time.h>

enum { BATCH = 512, ROUNDS = 40, MANY = 50000 };

static int (*allocate)(address *, size_t), (*release)(address);

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static double best(void)
{
    static address made[BATCH];
    double least = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < BATCH; i++) OK(allocate(&made[i], 4096));
        for (int i = 0; i < BATCH; i++) OK(release(made[i]));
        double each = (now() - start) / BATCH;
        if (each < least) least = each;
    }
    return least;
}

int main(void)
{
    load();
    OK(cu(Init, (unsigned), 0));
    allocate = function("cuMemAlloc_v2"), release = function("cuMemFree_v2");
    double few = best();
    address kept;
    for (int i = 0; i < MANY; i++) OK(allocate(&kept, 4096));
    printf("%.0f %.0f\n", few, best());
    return 0;
}
