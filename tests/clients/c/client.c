/* A C program on the driver API, linked with -lcuda: results are compared with the same loops on the host. */

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;

CUresult cuInit(unsigned), cuDriverGetVersion(int *), cuDeviceGet(CUdevice *, int), cuDeviceGetCount(int *);
CUresult cuDeviceGetName(char *, int, CUdevice), cuCtxCreate_v2(CUcontext *, unsigned, CUdevice), cuCtxDestroy_v2(CUcontext);
CUresult cuCtxSynchronize(void), cuCtxSetCurrent(CUcontext), cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleLoad(CUmodule *, const char *), cuModuleUnload(CUmodule), cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, CUmodule, const char *);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t), cuMemFree_v2(CUdeviceptr), cuMemGetInfo_v2(size_t *, size_t *);
CUresult cuMemAllocHost_v2(void **, size_t), cuMemFreeHost(void *), cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t), cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr, const void *, size_t, CUstream), cuMemcpyDtoHAsync_v2(void *, CUdeviceptr, size_t, CUstream);
CUresult cuMemsetD32_v2(CUdeviceptr, unsigned, size_t);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
CUresult cuStreamCreate(CUstream *, unsigned), cuStreamSynchronize(CUstream), cuStreamDestroy_v2(CUstream), cuStreamQuery(CUstream);
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned), cuLaunchHostFunc(CUstream, void (*)(void *), void *);
CUresult cuStreamBeginCapture_v2(CUstream, int), cuStreamEndCapture(CUstream, CUgraph *);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, unsigned long long), cuGraphLaunch(CUgraphExec, CUstream);
CUresult cuGraphExecDestroy(CUgraphExec), cuGraphDestroy(CUgraph), cuGraphGetNodes(CUgraph, CUgraphNode *, size_t *);
CUresult cuEventCreate(CUevent *, unsigned), cuEventRecord(CUevent, CUstream), cuEventSynchronize(CUevent);
CUresult cuEventElapsedTime(float *, CUevent, CUevent), cuEventDestroy_v2(CUevent), cuGetErrorName(CUresult, const char **);

#define TRY(call) expect(call, 0, #call, __LINE__)
#define EXPECT(code, call) expect(call, code, #call, __LINE__)
#define CHECK(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static void fail(const char *what, int line) {
    fprintf(stderr, "client.c:%d: %s does not hold\n", line, what);
    exit(1);
}

static void expect(CUresult got, CUresult want, const char *call, int line) {
    if (got == want)
        return;
    const char *name = "?";
    cuGetErrorName(got, &name);
    fprintf(stderr, "client.c:%d: %s gave %d (%s), expected %d\n", line, call, got, name, want);
    exit(1);
}

static CUmodule module;
static const char *ptx_file;

static CUfunction kernel(const char *name) {
    CUfunction function;
    TRY(cuModuleGetFunction(&function, module, name));
    return function;
}

static CUdeviceptr upload(const void *data, size_t bytes) {
    CUdeviceptr p;
    TRY(cuMemAlloc_v2(&p, bytes));
    TRY(cuMemcpyHtoD_v2(p, data, bytes));
    return p;
}

static float *ramp(unsigned n, float scale) {
    float *v = malloc(n * sizeof *v);
    for (unsigned i = 0; i < n; i++)
        v[i] = (float)((i * 2654435761u) % 1000) * scale;
    return v;
}

static void vectors(void) {
    unsigned n = 100003;
    float *a = ramp(n, 0.5f), *b = ramp(n, 0.25f), *c = malloc(n * sizeof *c);
    CUdeviceptr da = upload(a, n * 4), db = upload(b, n * 4), dc;
    TRY(cuMemAlloc_v2(&dc, n * 4));
    void *args[] = {&dc, &da, &db, &n};
    TRY(cuLaunchKernel(kernel("add"), (n + 255) / 256, 1, 1, 256, 1, 1, 0, 0, args, 0));
    TRY(cuMemcpyDtoH_v2(c, dc, n * 4));
    double want = 0, got = 0;
    for (unsigned i = 0; i < n; i++) {
        CHECK(c[i] == a[i] + b[i]);
        want += (double)a[i] * b[i];
    }
    CUdeviceptr result;
    TRY(cuMemAlloc_v2(&result, 8));
    TRY(cuMemsetD32_v2(result, 0, 2));
    void *dot_args[] = {&result, &da, &db, &n};
    TRY(cuLaunchKernel(kernel("dot"), 32, 1, 1, 256, 1, 1, 0, 0, dot_args, 0));
    TRY(cuMemcpyDtoH_v2(&got, result, 8));
    CHECK(fabs(got - want) < 1e-9 * want);
    TRY(cuMemFree_v2(da)), TRY(cuMemFree_v2(db)), TRY(cuMemFree_v2(dc)), TRY(cuMemFree_v2(result));
    free(a), free(b), free(c);
}

static void divergence(void) {
    unsigned width = 101, height = 67, limit = 200, pixels = width * height;
    unsigned *out = malloc(pixels * 4);
    CUdeviceptr d;
    TRY(cuMemAlloc_v2(&d, pixels * 4));
    void *args[] = {&d, &width, &height, &limit};
    TRY(cuLaunchKernel(kernel("mandelbrot"), 7, 5, 1, 16, 16, 1, 0, 0, args, 0));
    TRY(cuMemcpyDtoH_v2(out, d, pixels * 4));
    unsigned different = 0, inside = 0;
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            double cr = -2.2 + 3.2 * x / width, ci = -1.2 + 2.4 * y / height, zr = 0, zi = 0;
            unsigned steps = 0;
            while (steps < limit && zr * zr + zi * zi < 4) {
                double next = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci, zr = next, steps++;
            }
            inside += steps == limit;
            different += steps != out[y * width + x];
        }
    /* The device fuses multiply and add; a pixel on the edge of chaos may escape a step earlier or later. */
    CHECK(inside > 500 && different < pixels / 50);
    TRY(cuMemFree_v2(d));
    free(out);
}

static void structs_and_globals(void) {
    struct Triple {
        long long a;
        int b;
        short c;
    } t = {123456789012345LL, -987654321, 777};
    unsigned n = 1000;
    int weights[4] = {1, -2, 3, -4}, launches = -1;
    CUdeviceptr d, symbol;
    size_t bytes;
    TRY(cuModuleGetGlobal_v2(&symbol, &bytes, module, "weights"));
    CHECK(bytes == sizeof weights);
    TRY(cuMemcpyHtoD_v2(symbol, weights, sizeof weights));
    TRY(cuMemAlloc_v2(&d, n * 8));
    /* The packed form of arguments: one buffer, named by the extra list. */
    struct {
        CUdeviceptr out;
        struct Triple t;
        unsigned n;
    } packed = {d, t, n};
    size_t size = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &size, (void *)0};
    TRY(cuLaunchKernel(kernel("mix"), 4, 1, 1, 256, 1, 1, 0, 0, 0, extra));
    long long out[1000];
    TRY(cuMemcpyDtoH_v2(out, d, sizeof out));
    for (unsigned i = 0; i < n; i++)
        CHECK(out[i] == ((t.a * (long long)(i + 1) / 7 + t.b % (int)(i + 3) - t.c) ^ weights[i & 3]));
    TRY(cuModuleGetGlobal_v2(&symbol, 0, module, "launches"));
    TRY(cuMemcpyDtoH_v2(&launches, symbol, 4));
    CHECK(launches == 1);
    TRY(cuMemFree_v2(d));
}

static long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static void calls(void) {
    int n = 200;
    long long out[200];
    CUdeviceptr d;
    TRY(cuMemAlloc_v2(&d, sizeof out));
    void *args[] = {&d, &n};
    TRY(cuLaunchKernel(kernel("calls"), 2, 1, 1, 128, 1, 1, 0, 0, args, 0));
    TRY(cuMemcpyDtoH_v2(out, d, sizeof out));
    for (int i = 0; i < n; i++)
        CHECK(out[i] == fibonacci(i % 12) * 1000000 + ((i & 1) ? 2 * i : i * i));
    TRY(cuMemFree_v2(d));
}

static void blocks_that_wait(void) {
    unsigned order[100], zero[101] = {0};
    CUdeviceptr d = upload(zero, sizeof zero), token = d + 400;
    void *args[] = {&token, &d};
    TRY(cuLaunchKernel(kernel("relay"), 100, 1, 1, 32, 1, 1, 0, 0, args, 0));
    TRY(cuMemcpyDtoH_v2(order, d, sizeof order));
    for (unsigned i = 0; i < 100; i++)
        CHECK(order[i] == i * 3);
    TRY(cuMemFree_v2(d));
}

static void store_one(void *flag) { *(volatile int *)flag = 1; }

/* A kernel spins until the host writes: the call that launched it must not wait, and other streams go on. */
static void asynchronous(void) {
    volatile int *flag;
    CUdeviceptr managed;
    CUstream spinning, other;
    CUevent start, end;
    unsigned n = 4096;
    TRY(cuMemAllocManaged(&managed, 4, 1));
    flag = (volatile int *)(uintptr_t)managed;
    *flag = 0;
    TRY(cuStreamCreate(&spinning, 1));
    TRY(cuStreamCreate(&other, 1));
    TRY(cuEventCreate(&start, 0));
    TRY(cuEventCreate(&end, 0));
    TRY(cuEventRecord(start, spinning));
    void *args[] = {&managed};
    TRY(cuLaunchKernel(kernel("spin"), 1, 1, 1, 32, 1, 1, 0, spinning, args, 0));
    TRY(cuEventRecord(end, spinning));
    EXPECT(600, cuStreamQuery(spinning));
    float *a = ramp(n, 1), *host;
    TRY(cuMemAllocHost_v2((void **)&host, n * 4));
    CUdeviceptr da, dc;
    TRY(cuMemAlloc_v2(&da, n * 4));
    TRY(cuMemAlloc_v2(&dc, n * 4));
    TRY(cuMemcpyHtoDAsync_v2(da, a, n * 4, other));
    void *add_args[] = {&dc, &da, &da, &n};
    TRY(cuLaunchKernel(kernel("add"), 16, 1, 1, 256, 1, 1, 0, other, add_args, 0));
    TRY(cuMemcpyDtoHAsync_v2(host, dc, n * 4, other));
    TRY(cuStreamSynchronize(other));
    for (unsigned i = 0; i < n; i++)
        CHECK(host[i] == 2 * a[i]);
    EXPECT(600, cuStreamQuery(spinning));
    TRY(cuLaunchHostFunc(other, store_one, (void *)flag));
    TRY(cuStreamSynchronize(spinning));
    float ms = -1;
    TRY(cuEventElapsedTime(&ms, start, end));
    CHECK(ms > 0);
    TRY(cuEventDestroy_v2(start)), TRY(cuEventDestroy_v2(end));
    TRY(cuStreamDestroy_v2(spinning)), TRY(cuStreamDestroy_v2(other));
    TRY(cuMemFree_v2(da)), TRY(cuMemFree_v2(dc)), TRY(cuMemFree_v2(managed)), TRY(cuMemFreeHost(host));
    free(a);
}

static void graph(void) {
    unsigned n = 1000;
    float *a = ramp(n, 1), out[1000];
    CUdeviceptr d = upload(a, n * 4);
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    size_t nodes = 0;
    TRY(cuStreamCreate(&stream, 1));
    TRY(cuStreamBeginCapture_v2(stream, 0));
    void *args[] = {&d, &d, &d, &n};
    for (int i = 0; i < 3; i++)
        TRY(cuLaunchKernel(kernel("add"), 4, 1, 1, 256, 1, 1, 0, stream, args, 0));
    TRY(cuStreamEndCapture(stream, &graph));
    TRY(cuGraphGetNodes(graph, 0, &nodes));
    CHECK(nodes == 3);
    TRY(cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cuGraphLaunch(exec, stream));
    TRY(cuGraphLaunch(exec, stream));
    TRY(cuStreamSynchronize(stream));
    TRY(cuMemcpyDtoH_v2(out, d, n * 4));
    for (unsigned i = 0; i < n; i++)
        CHECK(out[i] == 64 * a[i]);
    TRY(cuGraphExecDestroy(exec)), TRY(cuGraphDestroy(graph)), TRY(cuStreamDestroy_v2(stream)), TRY(cuMemFree_v2(d));
    free(a);
}

static void *thread_main(void *context) {
    TRY(cuCtxSetCurrent(context));
    for (int i = 0; i < 20; i++)
        vectors();
    return 0;
}

static void threads(CUcontext context) {
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&ids[i], 0, thread_main, context) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], 0);
}

/* A child forked after cuInit has no device, and says so. */
static void forked(void) {
    pid_t child = fork();
    if (child == 0) {
        CUdeviceptr p;
        int count;
        _exit(cuMemAlloc_v2(&p, 16) == 3 && cuDeviceGetCount(&count) == 3 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* A bad address kills the context, as on hardware, and not the process; the next context is whole again. */
static void bad_address(CUcontext old) {
    CUdeviceptr d, other;
    TRY(cuMemAlloc_v2(&d, 64));
    void *args[] = {&d};
    TRY(cuLaunchKernel(kernel("wild"), 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
    EXPECT(700, cuCtxSynchronize());
    EXPECT(700, cuMemAlloc_v2(&other, 64));
    TRY(cuCtxDestroy_v2(old));
    CUcontext fresh;
    TRY(cuCtxCreate_v2(&fresh, 0, 0));
    TRY(cuModuleLoad(&module, ptx_file));
    vectors();
    TRY(cuModuleUnload(module));
    TRY(cuCtxDestroy_v2(fresh));
}

static void bad_input(void) {
    CUmodule none;
    CUfunction function;
    CUdeviceptr p;
    EXPECT(218, cuModuleLoadData(&none, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f() { add.s32 %r1; }"));
    EXPECT(500, cuModuleGetFunction(&function, module, "absent"));
    EXPECT(301, cuModuleLoad(&none, "/nonexistent.ptx"));
    EXPECT(2, cuMemAlloc_v2(&p, (size_t)1 << 62));
    EXPECT(1, cuMemAlloc_v2(&p, 0));
    EXPECT(1, cuMemAlloc_v2(0, 16));
    EXPECT(1, cuMemFree_v2(0x1234));
    EXPECT(1, cuLaunchKernel(kernel("spin"), 0, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    EXPECT(1, cuLaunchKernel(kernel("spin"), 1, 1, 1, 4096, 1, 1, 0, 0, 0, 0));
    EXPECT(400, cuStreamSynchronize((CUstream)0xdeadbeef));
}

int main(int count, char **words) {
    CHECK(count == 2);
    ptx_file = words[1];
    CUcontext context;
    CUdeviceptr early;
    char name[100];
    int version = 0;
    EXPECT(3, cuMemAlloc_v2(&early, 16));
    TRY(cuInit(0));
    TRY(cuDriverGetVersion(&version));
    TRY(cuDeviceGetName(name, sizeof name, 0));
    CHECK(version >= 12000 && name[0]);
    TRY(cuCtxCreate_v2(&context, 0, 0));
    TRY(cuModuleLoad(&module, ptx_file));
    vectors();
    divergence();
    structs_and_globals();
    calls();
    blocks_that_wait();
    asynchronous();
    graph();
    threads(context);
    forked();
    bad_input();
    size_t before, after, total;
    TRY(cuMemGetInfo_v2(&before, &total));
    vectors();
    TRY(cuMemGetInfo_v2(&after, &total));
    CHECK(before == after);
    bad_address(context);
    puts("12 groups of checks");
}
