/* Matrix size and nests shared by loopnest.c and bench.c. */
#define N 512
void matmul_tiled(float *restrict c, const float *restrict a, const float *restrict b);
void matmul_naive(float *restrict c, const float *restrict a, const float *restrict b);
void matmul_naive_vectorised(float *restrict c, const float *restrict a, const float *restrict b);
