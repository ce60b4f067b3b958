// Local arrays indexed at run time, structures by value, a constant table.
#include "kernel.h"

struct pair {
    u32 key;
    s16 rank;
    u8 tag[3];
};

TABLE u32 primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

FUNCTION struct pair mix(struct pair p, u32 by) {
    p.key = p.key * primes[by & 15] + by;
    p.rank = (s16)(p.rank - (s16)by);
    p.tag[by % 3] ^= (u8)by;
    return p;
}

KERNEL void test(const u32 *a, const u32 *b, u32 *d) {
    u32 i = THREAD;
    struct pair heap[12];
    for (u32 k = 0; k < 12; k++) {
        heap[k].key = a[i] * primes[k] ^ b[i] >> k;
        heap[k].rank = (s16)k;
        for (u32 m = 0; m < 3; m++) heap[k].tag[m] = (u8)(b[i] >> 8 * m);
    }
    for (u32 k = 1; k < 12; k++) {
        struct pair p = heap[k];
        u32 m = k;
        for (; m > 0 && heap[m - 1].key > p.key; m--) heap[m] = heap[m - 1];
        heap[m] = p;
    }
    u32 h = 0;
    for (u32 k = 0; k < 12; k++) {
        struct pair p = mix(heap[(k * 5 + i) % 12], a[i] >> k & 0xff);
        h = h * 31 + p.key + (u32)(s32)p.rank + p.tag[0] + 256u * p.tag[1] + 65536u * p.tag[2];
    }
    d[i] = h;
}
