// A driver that notes what it was asked for: libcuda.so.1 of the tests that look at how calls are passed on. It has few functions
// on purpose.
#include <stdio.h>
#include <string.h>

static char noted[256];

const char *recorder_noted(void) { return noted; }

int cuInit(unsigned flags) { return snprintf(noted, sizeof noted, "cuInit %u", flags) < 0; }
int cuDeviceGetUuid_v2(char *id, int device) { return memset(id, device, 16) == NULL; }
int cuCtxGetDevice(int *device) { return *device = 0; }
int cuCtxGetCurrent(void **context) { return (*context = noted) == NULL; }

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters, void **extra)
{
    return snprintf(noted, sizeof noted, "cuLaunchKernel %p %u %u %u %u %u %u %u %p %p %p", f, gx, gy, gz, bx, by, bz, shared, stream, (void *)parameters, (void *)extra) < 0;
}

int cuLaunchKernel_ptsz(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters, void **extra)
{
    return snprintf(noted, sizeof noted, "cuLaunchKernel_ptsz %p %u %u %u %u %u %u %u %p %p %p", f, gx, gy, gz, bx, by, bz, shared, stream, (void *)parameters, (void *)extra) < 0;
}

int cuMemCreate(unsigned long long *memory, size_t bytes, const void *properties, unsigned long long flags)
{
    *memory = 77;
    return snprintf(noted, sizeof noted, "cuMemCreate %zu %p %llx", bytes, properties, flags) < 0;
}

int cuMemAllocPitch_v2(unsigned long long *address, size_t *pitch, size_t width, size_t height, unsigned element)
{
    *address = 4096, *pitch = 512;
    return snprintf(noted, sizeof noted, "cuMemAllocPitch_v2 %zu %zu %u", width, height, element) < 0;
}

int cuMemFree_v2(unsigned long long address) { return snprintf(noted, sizeof noted, "cuMemFree_v2 %llx", address) < 0; }

// A function of tomorrow that allocates.
int cuMemAllocTomorrow(unsigned long long *address) { return *address = 0; }

int cuGetProcAddress(const char *name, void **found, int version, unsigned long long flags)
{
    (void)version, (void)flags;
    *found = !strcmp(name, "cuMemAllocTomorrow") ? (void *)cuMemAllocTomorrow : !strcmp(name, "cuLaunchKernel") ? (void *)cuLaunchKernel : NULL;
    return *found ? 0 : 500;
}
