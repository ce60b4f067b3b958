/* What all benches in C share: the driver's functions they call, time, medians, files. */
#ifndef DRIVER_H
#define DRIVER_H

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long CUdeviceptr;
typedef void *Handle;
int cuInit(unsigned), cuCtxCreate_v2(Handle *, unsigned, int), cuCtxSynchronize(void);
int cuDeviceGetAttribute(int *, int, int);
int cuModuleLoadData(Handle *, const void *), cuModuleUnload(Handle), cuModuleGetFunction(Handle *, Handle, const char *);
int cuMemAlloc_v2(CUdeviceptr *, size_t), cuMemFree_v2(CUdeviceptr), cuMemGetInfo_v2(size_t *, size_t *);
int cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t);
int cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t), cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
int cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **);
int cuStreamCreate(Handle *, unsigned), cuStreamSynchronize(Handle);
int cuEventCreate(Handle *, unsigned), cuEventRecord(Handle, Handle), cuEventSynchronize(Handle), cuEventQuery(Handle);
int cuEventElapsedTime(float *, Handle, Handle), cuEventDestroy_v2(Handle);

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int code = call;                                                                                               \
        if (code != 0) {                                                                                               \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, code);                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which `percent` of all lie. Sorts them. */
static inline double percentile(double *values, int count, int percent) {
    qsort(values, count, sizeof *values, by_value);
    int at = (int)((long)count * percent / 100);
    return values[at < count ? at : count - 1];
}

/* A context on device 0. */
static inline void begin(void) {
    Handle context;
    TRY(cuInit(0));
    TRY(cuCtxCreate_v2(&context, 0, 0));
}

static inline char *read_file(const char *name) {
    FILE *file = fopen(name, "r");
    if (!file) {
        perror(name);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(size + 1, 1);
    if (fread(text, 1, size, file) != (size_t)size)
        exit(1);
    fclose(file);
    return text;
}

#endif
