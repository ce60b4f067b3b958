// 32-bit arithmetic: products, quotients, shifts, rotations, signed and unsigned.
#include "kernel.h"

KERNEL void test(const u32 *a, const u32 *b, u32 *d) {
    u32 i = THREAD, x = a[i], y = b[i];
    s32 sx = (s32)x, sy = (s32)y;
    u32 h = x * 2654435761u + (y << 7 | y >> 25);
    h ^= x / (y | 1) + y % (x | 1);
    h += (u32)((s64)sx * sy >> 32);
    h ^= (u32)((u64)x * y >> 32);
    if (sy != 0 && !(sx == -2147483647 - 1 && sy == -1)) h += (u32)(sx / sy) * 31 + (u32)(sx % sy);
    h ^= (u32)(sx >> (y & 31)) + (x >> (y & 31)) + (x << (y & 31));
    h += sx < sy ? x - y : y - x;
    h ^= (x > y ? x : y) + (sx < sy ? (u32)sx : (u32)sy);
    h += (x & y) ^ (x | ~y);
    d[i] = h;
}
