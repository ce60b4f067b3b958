// 64 and 128 bits: carry chains, long division, shifts across words.
#include "kernel.h"

KERNEL void test(const u64 *a, const u64 *b, u64 *d) {
    u32 i = THREAD;
    u64 x = a[i], y = b[i];
    unsigned __int128 w = (unsigned __int128)x * y + ((unsigned __int128)y << 64 | x);
    unsigned __int128 v = w - ((unsigned __int128)x << 17);
    u64 h = (u64)(w >> 64) ^ (u64)w ^ (u64)(v >> (x & 127)) ^ (u64)(v << (y & 63) >> 64);
    h += x / (y | 1) + y % (x >> 40 | 1);
    s64 sx = (s64)x, sy = (s64)((y & ~1ull) | 2);
    h ^= (u64)(sx / sy) + (u64)(sx % sy) + (u64)(sx >> (y & 63));
    h += (u64)__builtin_popcountll(x) + (u64)__builtin_clzll(y | 1) + (x << (y & 63) | x >> (63 - (y & 63)) >> 1);
    h ^= w > v ? x : y;
    d[i] = h;
}
