/* The loop nests that the matmul figures are compared with, compiled with the fixed flags named in xtask. Each nest is
 * the kernel's own: the loops over blocks and threads outside, the body of one thread as a function inside. Row-major
 * 512 x 512 matrices of f32. */

#include "loopnest.h"

#define THREAD static __attribute__((noinline)) void

/* A thread of the kernel that tinygrad emits: 4 x 4 outputs, k in steps of 4. */
THREAD tiled_thread(float *restrict c, const float *restrict a, const float *restrict b, int row, int col) {
    float acc[4][4] = {{0}};
    for (int k = 0; k < N; k += 4)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                acc[i][j] += a[(row + i) * N + k] * b[k * N + col + j] +
                             a[(row + i) * N + k + 1] * b[(k + 1) * N + col + j] +
                             a[(row + i) * N + k + 2] * b[(k + 2) * N + col + j] +
                             a[(row + i) * N + k + 3] * b[(k + 3) * N + col + j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + i) * N + col + j] = acc[i][j];
}

/* A thread of the naive kernel: one output. */
THREAD naive_thread(float *restrict c, const float *restrict a, const float *restrict b, int row, int col) {
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[row * N + k] * b[k * N + col];
    c[row * N + col] = sum;
}

void matmul_tiled(float *restrict c, const float *restrict a, const float *restrict b) {
    for (int block_row = 0; block_row < N; block_row += 32)
        for (int block_col = 0; block_col < N; block_col += 64)
            for (int row = block_row; row < block_row + 32; row += 4)
                for (int col = block_col; col < block_col + 64; col += 4)
                    tiled_thread(c, a, b, row, col);
}

void matmul_naive(float *restrict c, const float *restrict a, const float *restrict b) {
    for (int row = 0; row < N; row++)
        for (int col = 0; col < N; col++)
            naive_thread(c, a, b, row, col);
}

/* The naive nest as one function: here the compiler may compute several columns at once. Reported for scale. */
void matmul_naive_vectorised(float *restrict c, const float *restrict a, const float *restrict b) {
    for (int row = 0; row < N; row++)
        for (int col = 0; col < N; col++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[row * N + k] * b[k * N + col];
            c[row * N + col] = sum;
        }
}
