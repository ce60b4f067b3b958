// The Mandelbrot set: f32 arithmetic in a loop that ends at a different time for each thread.
#include "kernel.h"

KERNEL void test(const u32 *a, const u32 *b, u32 *d) {
    u32 i = THREAD;
    float cx = (float)(a[i] & 0xffff) / 24576.0f - 2.0f, cy = (float)(b[i] & 0xffff) / 32768.0f - 1.0f;
    float x = 0.0f, y = 0.0f;
    u32 n = 0;
    while (n < 300 && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    union { float f; u32 u; } bits;
    bits.f = plain(x);
    d[i] = n ^ bits.u;
}
