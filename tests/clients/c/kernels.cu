// Kernels of the C client. Compiled by clang in device-only mode: no vendor header, no vendor library.

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))

DEVICE static inline unsigned global_thread() {
    return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

KERNEL add(float *c, const float *a, const float *b, unsigned n) {
    unsigned i = global_thread();
    if (i < n)
        c[i] = a[i] + b[i];
}

// Sum of products: a tree in shared memory in each block, one atomic a block.
KERNEL dot(double *result, const float *a, const float *b, unsigned n) {
    SHARED static double partial[256];
    unsigned t = __nvvm_read_ptx_sreg_tid_x();
    double sum = 0;
    for (unsigned i = global_thread(); i < n; i += __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x())
        sum += (double)a[i] * b[i];
    partial[t] = sum;
    __nvvm_bar_sync(0);
    for (unsigned step = 128; step > 0; step /= 2) {
        if (t < step)
            partial[t] += partial[t + step];
        __nvvm_bar_sync(0);
    }
    if (t == 0)
        __nvvm_atom_add_gen_d(result, partial[0]);
}

// Two-dimensional launch, loops of different length in neighbouring threads.
KERNEL mandelbrot(unsigned *out, unsigned width, unsigned height, unsigned limit) {
    unsigned x = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    unsigned y = __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y();
    if (x >= width || y >= height)
        return;
    double cr = -2.2 + 3.2 * x / width, ci = -1.2 + 2.4 * y / height, zr = 0, zi = 0;
    unsigned steps = 0;
    while (steps < limit && zr * zr + zi * zi < 4) {
        double next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        steps++;
    }
    out[y * width + x] = steps;
}

CONSTANT int weights[4];
DEVICE int launches;

struct Triple {
    long long a;
    int b;
    short c;
};

// A struct by value, constant memory, a global variable, 64-bit arithmetic.
KERNEL mix(long long *out, Triple t, unsigned n) {
    unsigned i = global_thread();
    if (i >= n)
        return;
    long long v = t.a * (long long)(i + 1) / 7 + t.b % (int)(i + 3) - t.c;
    out[i] = v ^ weights[i & 3];
    if (i == 0)
        launches++;
}

DEVICE __attribute__((noinline)) static long long fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// Recursion and calls through pointers.
DEVICE static int twice(int v) { return 2 * v; }
DEVICE static int square(int v) { return v * v; }

KERNEL calls(long long *out, int n) {
    int i = global_thread();
    int (*choice)(int) = (i & 1) ? twice : square;
    if (i < n)
        out[i] = fibonacci(i % 12) * 1000000 + choice(i);
}

// Blocks hand a token around: each waits for the one before it.
KERNEL relay(volatile unsigned *token, unsigned *order) {
    if (__nvvm_read_ptx_sreg_tid_x() != 0)
        return;
    unsigned block = __nvvm_read_ptx_sreg_ctaid_x();
    while (*token != block) {
    }
    order[block] = block * 3;
    __nvvm_membar_gl();
    *token = block + 1;
}

KERNEL wild(int *p) { p[1 << 28] = 1; }

KERNEL spin(volatile int *flag) {
    while (*flag == 0) {
    }
}
