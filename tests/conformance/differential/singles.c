// f32: sums, products, quotients, comparisons and conversions, each rounded once.
#include "kernel.h"

FUNCTION float apply(float x, float y, u32 op) {
    switch (op & 7) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x / y;
    case 4: return x < y ? x : y;
    case 5: return x >= y ? x : -y;
    case 6: return (float)(s32)(x > -1e9f && x < 1e9f ? x : 3.0f);
    default: return (float)(u64)(x > 0.0f && x < 1e18f ? x : 9.0f);
    }
}

KERNEL void test(const float *a, const float *b, float *d) {
    u32 i = THREAD;
    float x = a[i], y = b[i], sum = 0.0f;
    for (u32 op = 0; op < 8; op++) {
        float r = apply(x, y, op + i);
        r = plain(r);
        sum = op & 1 ? sum * 0.5f + r : r - sum;
        sum = plain(sum);
    }
    d[i] = sum;
}
