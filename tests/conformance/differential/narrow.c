// Bytes and half words, in memory and in registers, with their signs.
#include "kernel.h"

KERNEL void test(const u8 *a, const u8 *b, u32 *d) {
    u32 i = THREAD;
    const s8 *sa = (const s8 *)a + 4 * i;
    const u8 *ub = b + 4 * i;
    const s16 *ha = (const s16 *)(a + 4 * i);
    const u16 *hb = (const u16 *)(b + 4 * i);
    s32 sum = 0;
    for (int k = 0; k < 4; k++) sum += sa[k] * ub[3 - k];
    s16 h = (s16)(ha[0] + hb[1]);
    u16 g = (u16)(ha[1] * 3 - hb[0]);
    s8 c = (s8)(h >> 3);
    u8 e = (u8)(g + c);
    u16 r = (u16)(g << 5 | g >> 11);
    s16 q = (s16)(h / (s16)((hb[0] & 0xff) + 1));
    d[i] = (u32)sum * 7 + (u32)(u16)h * 5 + g + (u32)(s32)c + e + ((u32)r << 16) + (u32)(s32)q;
}
