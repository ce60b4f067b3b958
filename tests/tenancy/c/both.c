// NVML first, then CUDA: what both say about each device that CUDA shows, and how many MiB can be had of the first.
//   both [MiB]             stops at that many MiB
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long u64;

static void *cuda, *nvml;

static void *function(void *library, const char *name) {
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("%s is missing\n", name);
        exit(3);
    }
    return found;
}

#define CALL(library, name, types, ...)                                                                     \
    do {                                                                                                    \
        int code = ((int(*) types)function(library, name))(__VA_ARGS__);                                    \
        if (code) {                                                                                         \
            printf("%s: %d\n", name, code);                                                                 \
            return 1;                                                                                       \
        }                                                                                                   \
    } while (0)

int main(int words, char **word) {
    int most = words > 1 ? atoi(word[1]) : 1 << 20, devices = 0;
    nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    CALL(nvml, "nvmlInit_v2", (void));
    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    CALL(cuda, "cuInit", (unsigned), 0);
    CALL(cuda, "cuDeviceGetCount", (int *), &devices);
    printf("devices %d\n", devices);
    for (int i = devices - 1; i >= 0; i--) {
        unsigned char id[16];
        char uuid[64] = "GPU-", *at = uuid + 4;
        void *context, *handle;
        size_t available, total, device_total;
        u64 figures[3];
        unsigned index;
        CALL(cuda, "cuDeviceGetUuid", (void *, int), id, i);
        for (int byte = 0; byte < 16; byte++) {
            int dash = byte == 4 || byte == 6 || byte == 8 || byte == 10;
            at += sprintf(at, dash ? "-%02x" : "%02x", id[byte]);
        }
        CALL(cuda, "cuDevicePrimaryCtxRetain", (void **, int), &context, i);
        CALL(cuda, "cuCtxSetCurrent", (void *), context);
        CALL(cuda, "cuMemGetInfo_v2", (size_t *, size_t *), &available, &total);
        CALL(cuda, "cuDeviceTotalMem_v2", (size_t *, int), &device_total, i);
        CALL(nvml, "nvmlDeviceGetHandleByUUID", (const char *, void **), uuid, &handle);
        CALL(nvml, "nvmlDeviceGetMemoryInfo", (void *, void *), handle, figures);
        CALL(nvml, "nvmlDeviceGetIndex", (void *, unsigned *), handle, &index);
        printf("device %d uuid %s index %u total %zu device-total %zu nvml-total %llu free %zu nvml-free %llu\n", i, uuid, index,
               total, device_total, figures[0], available, figures[1]);
    }
    int (*allocate)(u64 *, size_t) = function(cuda, "cuMemAlloc_v2");
    int got = 0, code = 0;
    for (u64 pointer; got < most && !(code = allocate(&pointer, 1 << 20)); got++) {
    }
    printf("got %d code %d\n", got, code);
    fflush(stdout);
    if (words > 2) {
        while (getchar() != EOF) {
        }
    }
    return 0;
}
