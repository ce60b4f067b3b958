/* What the parts of the device bench share: the driver's functions they call, time, medians. */
#ifndef DEVICE_H
#define DEVICE_H

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
int cuModuleLoadData(Handle *, const void *), cuModuleGetFunction(Handle *, Handle, const char *);
int cuMemAlloc_v2(CUdeviceptr *, size_t), cuMemFree_v2(CUdeviceptr), cuMemGetInfo_v2(size_t *, size_t *);
int cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t);
int cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **);
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

static inline double cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
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

void share(char **words);
void train(char **words);
void latency(char **words);
void beside(char **words);
void allocate(char **words);
void hold(char **words);
void recover(char **words);
void entry(char **words);
void start_up(char **words);
void nvml(char **words);

/* A context on device 0. */
void begin(void);
Handle kernel(const char *file, const char *name);
/* Launches `work` on as many blocks as fill the device. */
void launch_work(Handle work, unsigned turns);
void launch_empty(Handle empty);

#endif
