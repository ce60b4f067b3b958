// What NVML and CUDA show: the devices' names and MiB, and how many MiB can be had of CUDA's first.
#include "driver.h"

#define nvml(name, types, ...) (((int(*) types)dlsym(monitor, "nvml" #name))(__VA_ARGS__))

int main(void)
{
    void *monitor = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    unsigned shown;
    OK(nvml(Init_v2, (void)));
    OK(nvml(DeviceGetCount_v2, (unsigned *), &shown));
    for (unsigned i = 0; i < shown; i++) {
        handle device;
        char name[96];
        unsigned long long figures[3];
        unsigned index;
        OK(nvml(DeviceGetHandleByIndex_v2, (unsigned, handle *), i, &device));
        OK(nvml(DeviceGetUUID, (handle, char *, unsigned), device, name, sizeof name));
        OK(nvml(DeviceGetMemoryInfo, (handle, void *), device, figures));
        OK(nvml(DeviceGetIndex, (handle, unsigned *), device, &index));
        EQUAL(index, i);
        printf("nvml %s %llu\n", name, figures[0] / MIB);
    }
    load();
    int code = cu(Init, (unsigned), 0), devices, got = 0;
    if (code) {
        printf("cuInit %d\n", code);
        return 0;
    }
    OK(cu(DeviceGetCount, (int *), &devices));
    for (int device = 0; device < devices; device++) {
        unsigned char id[16];
        size_t bytes;
        OK(cu(DeviceGetUuid_v2, (unsigned char *, int), id, device));
        OK(cu(DeviceTotalMem_v2, (size_t *, int), &bytes, device));
        printf("cuda %02x%02x %llu\n", id[0], id[15], bytes / MIB);
    }
    begin_on(0);
    size_t available, total;
    OK(cu(MemGetInfo_v2, (size_t *, size_t *), &available, &total));
    for (address made; !(code = cu(MemAlloc_v2, (address *, size_t), &made, MIB)); got++) {
    }
    EQUAL(code, OUT_OF_MEMORY);
    printf("got %d of %llu\n", got, total / MIB);
    return 0;
}
