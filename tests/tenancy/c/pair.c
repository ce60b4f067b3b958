// A driver with two devices that does nothing and returns at once. It knows which context is current and whose a stream is, which
// is all that tells its devices apart.
#include <stddef.h>
#include <string.h>

typedef int CUresult;
typedef void *handle;

// A context is its device, and so is a stream.
static char devices[2];
static _Thread_local handle stack[16] = {&devices[0]};
static _Thread_local int depth;

static handle device(int ordinal) { return &devices[ordinal]; }

CUresult cuInit(unsigned flags) { (void)flags; return 0; }
CUresult cuDriverGetVersion(int *version) { *version = 12020; return 0; }
CUresult cuDeviceGetCount(int *count) { *count = 2; return 0; }
CUresult cuDeviceGet(int *made, int ordinal) { *made = ordinal; return ordinal >= 0 && ordinal < 2 ? 0 : 101; }
CUresult cuDeviceGetUuid(char *uuid, int ordinal) { memcpy(uuid, "cleave-pair-gpu0", 16); uuid[15] += ordinal; return 0; }
CUresult cuDeviceGetUuid_v2(char *uuid, int ordinal) { return cuDeviceGetUuid(uuid, ordinal); }
CUresult cuDeviceTotalMem_v2(size_t *bytes, int ordinal) { (void)ordinal; *bytes = 8ull << 30; return 0; }
CUresult cuMemGetInfo_v2(size_t *available, size_t *total) { *available = 7ull << 30; *total = 8ull << 30; return 0; }
CUresult cuDevicePrimaryCtxRetain(handle *context, int ordinal) { *context = device(ordinal); return 0; }
CUresult cuCtxGetCurrent(handle *context) { *context = stack[depth]; return 0; }
CUresult cuCtxSetCurrent(handle context) { stack[depth] = context; return 0; }
CUresult cuCtxPushCurrent_v2(handle context) { stack[++depth] = context; return 0; }
CUresult cuCtxPopCurrent_v2(handle *context) { *context = stack[depth--]; return 0; }
CUresult cuCtxGetDevice(int *ordinal) { *ordinal = stack[depth] == device(1); return 0; }
CUresult cuStreamCreate(handle *made, unsigned flags) { (void)flags; *made = stack[depth]; return 0; }
CUresult cuStreamGetCtx(handle stream, handle *context) { *context = stream; return 0; }
CUresult cuThreadExchangeStreamCaptureMode(int *mode) { (void)mode; return 0; }
CUresult cuLaunchCooperativeKernelMultiDevice(void *launches, unsigned count, unsigned flags) {
    (void)launches, (void)flags;
    return count == 2 ? 0 : 1;
}

// Events are done as soon as they are recorded.
CUresult cuEventCreate(handle *made, unsigned flags) { (void)flags; *made = devices; return 0; }
CUresult cuEventDestroy_v2(handle gone) { (void)gone; return 0; }
CUresult cuEventRecord(handle put, handle stream) { (void)put, (void)stream; return 0; }
CUresult cuEventQuery(handle asked) { (void)asked; return 0; }
CUresult cuEventElapsedTime(float *milliseconds, handle from, handle to) { (void)from, (void)to; *milliseconds = 0.1f; return 0; }
