// A driver that does nothing and returns at once: what is measured over it is the cost of whatever stands in front of it.
// Addresses of memory are handed out in a row and never looked at; one device, one context.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef void *handle;

static const char UUID[16] = "cleave-bench-gpu";
static CUdeviceptr next_address = 0x700000000000ull;

CUresult cuInit(unsigned flags) { (void)flags; return 0; }
CUresult cuDriverGetVersion(int *version) { *version = 12020; return 0; }
CUresult cuDeviceGetCount(int *count) { *count = 1; return 0; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { *device = ordinal; return ordinal == 0 ? 0 : 101; }
CUresult cuDeviceGetUuid(char *uuid, CUdevice device) { (void)device; memcpy(uuid, UUID, 16); return 0; }
CUresult cuDeviceGetUuid_v2(char *uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) { (void)device; *bytes = 8ull << 30; return 0; }
CUresult cuCtxCreate_v2(handle *context, unsigned flags, CUdevice device) { (void)flags, (void)device; *context = &next_address; return 0; }
CUresult cuCtxDestroy_v2(handle context) { (void)context; return 0; }
CUresult cuCtxGetCurrent(handle *context) { *context = &next_address; return 0; }
CUresult cuCtxGetDevice(CUdevice *device) { *device = 0; return 0; }
CUresult cuMemGetInfo_v2(size_t *free, size_t *total) { *free = 7ull << 30; *total = 8ull << 30; return 0; }
CUresult cuMemFree_v2(CUdeviceptr address) { (void)address; return 0; }
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    *address = next_address;
    next_address += (bytes + 511) & ~(size_t)511;
    return 0;
}
CUresult cuLaunchKernel(handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, handle stream, void **parameters, void **extra) {
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz;
    (void)shared, (void)stream, (void)parameters, (void)extra;
    return 0;
}

// Events are done as soon as they are recorded, and any two of them are two microseconds apart.
static char event;
CUresult cuEventCreate(handle *made, unsigned flags) { (void)flags; *made = &event; return 0; }
CUresult cuEventDestroy_v2(handle gone) { (void)gone; return 0; }
CUresult cuEventRecord(handle put, handle stream) { (void)put, (void)stream; return 0; }
CUresult cuEventQuery(handle asked) { (void)asked; return 0; }
CUresult cuEventElapsedTime(float *milliseconds, handle from, handle to) { (void)from, (void)to; *milliseconds = 0.002f; return 0; }
CUresult cuCtxPushCurrent_v2(handle context) { (void)context; return 0; }
CUresult cuCtxPopCurrent_v2(handle *context) { *context = &next_address; return 0; }
CUresult cuThreadExchangeStreamCaptureMode(int *mode) { (void)mode; return 0; }
