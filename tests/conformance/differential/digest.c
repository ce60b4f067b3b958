// SHA-256 of 64 bytes per thread: long straight-line code with rotations and a table.
#include "kernel.h"

TABLE u32 round_key[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))

KERNEL void test(const u32 *a, const u32 *b, u32 *d) {
    u32 i = THREAD, w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (u32 k = 0; k < 16; k++) w[k] = k & 1 ? b[i] + k : a[i] ^ k;
    for (u32 k = 16; k < 64; k++) {
        u32 p = ROTATE(w[k - 15], 7) ^ ROTATE(w[k - 15], 18) ^ w[k - 15] >> 3;
        u32 q = ROTATE(w[k - 2], 17) ^ ROTATE(w[k - 2], 19) ^ w[k - 2] >> 10;
        w[k] = w[k - 16] + p + w[k - 7] + q;
    }
    for (u32 k = 0; k < 64; k++) {
        u32 p = ROTATE(s[4], 6) ^ ROTATE(s[4], 11) ^ ROTATE(s[4], 25);
        u32 t = s[7] + p + ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_key[k] + w[k];
        u32 q = ROTATE(s[0], 2) ^ ROTATE(s[0], 13) ^ ROTATE(s[0], 22);
        u32 m = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        for (u32 j = 7; j > 0; j--) s[j] = s[j - 1];
        s[4] += t;
        s[0] = t + q + m;
    }
    u32 h = 0;
    for (u32 k = 0; k < 8; k++) h = h * 33 + s[k];
    d[i] = h;
}
