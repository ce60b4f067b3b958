// f64, and its way to integers and f32 and back.
#include "kernel.h"

KERNEL void test(const double *a, const double *b, u64 *d) {
    u32 i = THREAD;
    union { double f; u64 u; } out;
    double x = a[i], y = b[i];
    double r = x / y + x * y - (x - y);
    r = plain(r);
    u64 h = 0;
    out.f = r;
    h ^= out.u;
    float s = (float)x;
    out.f = plain((double)s);
    h = h * 3 + out.u;
    if (x > -9e18 && x < 9e18) h += (u64)(s64)x;
    if (y >= 0 && y < 1.8e19) h ^= (u64)y;
    out.f = (double)(s64)h;
    h ^= out.u;
    out.f = (double)h;
    h += out.u + (x < y) + 2 * (x == y) + 4 * (x != x) + 8 * !(x <= y);
    d[i] = h;
}
