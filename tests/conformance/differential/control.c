// Loops, switches and early returns that no two threads take alike.
#include "kernel.h"

KERNEL void test(const u32 *a, const u32 *b, u32 *d) {
    u32 i = THREAD, x = a[i] & 0xffff, y = b[i] & 0xffff, steps = 0;
    if (x == y) {
        d[i] = 0xabcdef;
        return;
    }
    while (x > 1 && steps < 200) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
        if ((x ^ y) % 97 == 5) break;
    }
    u32 g = a[i] | 1, h = b[i] | 1;
    while (h) {
        u32 t = g % h;
        g = h;
        h = t;
    }
    u32 r = 0;
    for (u32 k = 0; k < (y & 15); k++) {
        for (u32 m = k; m < 12; m++) {
            if (m * k == (x & 63)) goto found;
            if ((m + k) % 5 == 0) continue;
            r += m * k;
        }
    }
found:
    switch (steps % 11) {
    case 0: r += 1;
    case 1: r ^= 0x55; break;
    case 2: r *= 3; break;
    case 5:
    case 7: r = ~r; break;
    case 9: r -= g; break;
    default: r += y;
    }
    d[i] = r + steps * 1000 + g;
}
