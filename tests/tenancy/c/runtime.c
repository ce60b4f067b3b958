// The vendor's runtime library on whatever driver there is: prints the code of each call and what the error is called.
//   runtime LIBCUDART
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static void *runtime;

#define CALL(name, types, ...)                                                                              \
    do {                                                                                                    \
        int(*function) types = dlsym(runtime, #name);                                                       \
        if (!function) {                                                                                    \
            printf(#name " missing\n");                                                                     \
        } else {                                                                                            \
            int code = function(__VA_ARGS__);                                                               \
            printf(#name " %d %s, last %d, then %d\n", code, called(code), peek(), last());                 \
        }                                                                                                   \
    } while (0)

static const char *called(int code) {
    const char *(*name)(int) = dlsym(runtime, "cudaGetErrorName");
    return name(code);
}

static int last(void) {
    int (*get)(void) = dlsym(runtime, "cudaGetLastError");
    return get();
}

static int peek(void) {
    int (*get)(void) = dlsym(runtime, "cudaPeekAtLastError");
    return get();
}

int main(int count, char **words) {
    runtime = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : 0;
    if (!runtime) return puts(dlerror()), 1;
    int number = -1, flags = -1;
    size_t free = 1, total = 2;
    void *pointer = 0;
    char properties[4096] = {0};
    CALL(cudaDriverGetVersion, (int *), &number);
    printf("driver %d\n", number);
    CALL(cudaRuntimeGetVersion, (int *), &number);
    printf("runtime %d\n", number);
    CALL(cudaGetDeviceCount, (int *), &number);
    printf("devices %d\n", number);
    CALL(cudaGetDevice, (int *), &number);
    CALL(cudaSetDevice, (int), 0);
    CALL(cudaGetDeviceFlags, (unsigned *), (unsigned *)&flags);
    CALL(cudaGetDeviceProperties, (void *, int), properties, 0);
    CALL(cudaDeviceGetAttribute, (int *, int, int), &number, 1, 0);
    CALL(cudaMemGetInfo, (size_t *, size_t *), &free, &total);
    printf("memory %zu %zu\n", free, total);
    CALL(cudaMalloc, (void **, size_t), &pointer, 1 << 20);
    CALL(cudaMallocManaged, (void **, size_t, unsigned), &pointer, 1 << 20, 1);
    CALL(cudaMallocAsync, (void **, size_t, void *), &pointer, 1 << 20, 0);
    CALL(cudaMallocHost, (void **, size_t), &pointer, 1 << 20);
    CALL(cudaHostAlloc, (void **, size_t, unsigned), &pointer, 1 << 20, 0);
    CALL(cudaFree, (void *), 0);
    CALL(cudaFreeHost, (void *), 0);
    CALL(cudaStreamCreate, (void **), &pointer);
    CALL(cudaEventCreate, (void **), &pointer);
    CALL(cudaMemcpy, (void *, void *, size_t, int), 0, 0, 0, 3);
    CALL(cudaMemset, (void *, int, size_t), 0, 0, 0);
    CALL(cudaLaunchKernel, (const void *, uint64_t, unsigned, uint64_t, unsigned, void **, size_t, void *), main, 1, 1, 1,
         1, 0, 0, 0);
    CALL(cudaDeviceSynchronize, (void), );
    CALL(cudaDeviceReset, (void), );
    return 0;
}
