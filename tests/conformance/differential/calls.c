// Functions: recursive, and chosen at run time.
#include "kernel.h"

FUNCTION u32 depth(u32 n, u32 salt) {
    if (n < 2) return n ^ salt;
    return depth(n - 1, salt + 1) + 3 * depth(n - 2, salt ^ n);
}

FUNCTION u32 plus(u32 x, u32 y) { return x + y; }
FUNCTION u32 times(u32 x, u32 y) { return x * y; }
FUNCTION u32 spread(u32 x, u32 y) { return x << (y & 15) ^ x >> 5; }

KERNEL void test(const u32 *a, const u32 *b, u32 *d) {
    u32 i = THREAD, x = a[i], y = b[i];
    u32 (*op)(u32, u32) = x % 3 == 0 ? plus : x % 3 == 1 ? times : spread;
    d[i] = depth(x & 7, y) + op(x, y) + op(y, x);
}
