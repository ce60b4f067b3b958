// The driver and the NVML of a machine with a device that is divided into instances, beside one that is whole. As a driver it
// shows what CUDA_VISIBLE_DEVICES names, in full, and all of it if nothing is named; it makes one context a device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef unsigned long long u64;

struct device {
    const char *name;
    u64 memory;
    // The number of the device that it is an instance of, and where it lies there.
    int parent, number, gpu, compute;
};

#define MIB (1ull << 20)
static struct device devices[] = {
    {"GPU-11111111-1111-1111-1111-111111111111", 4096 * MIB, -1, 0, 0, 0},
    {"GPU-22222222-2222-2222-2222-222222222222", 512 * MIB, -1, 1, 0, 0},
    {"MIG-33333333-3333-5333-8333-333333333333", 1024 * MIB, 0, 0, 1, 0},
    {"MIG-44444444-4444-5444-8444-444444444444", 2048 * MIB, 0, 2, 5, 1},
};
enum { DEVICES = 4, WHOLE = 2, DIVIDED = 0, NOT_FOUND = 6, NO_ROOM = 7, NOT_SUPPORTED = 3, INVALID = 2 };

// NVML.

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = WHOLE; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device) {
    if (index >= WHOLE) return INVALID;
    *device = &devices[index];
    return 0;
}
int nvmlDeviceGetHandleByUUID(const char *name, struct device **device) {
    for (int i = 0; i < DEVICES; i++) {
        *device = &devices[i];
        if (!strcasecmp(devices[i].name, name)) return 0;
    }
    return NOT_FOUND;
}
static int text(const char *said, char *room, unsigned length) {
    if (strlen(said) >= length) return NO_ROOM;
    strcpy(room, said);
    return 0;
}
int nvmlDeviceGetUUID(struct device *device, char *room, unsigned length) { return text(device->name, room, length); }
int nvmlDeviceGetName(struct device *device, char *room, unsigned length) {
    return text(device->parent < 0 ? "Fake" : "Fake MIG", room, length);
}
int nvmlDeviceGetIndex(struct device *device, unsigned *index) { *index = device->number; return 0; }
int nvmlDeviceGetMemoryInfo(struct device *device, u64 figures[3]) {
    figures[0] = figures[1] = device->memory;
    figures[2] = 0;
    return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(struct device *device, unsigned *count, void *room) {
    (void)device, (void)room;
    *count = 0;
    return 0;
}
int nvmlDeviceGetMigMode(struct device *device, unsigned *now, unsigned *later) {
    if (device->parent >= 0) return NOT_SUPPORTED;
    *now = *later = device == &devices[DIVIDED];
    return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(struct device *device, unsigned *most) { *most = device == &devices[DIVIDED] ? 7 : 0; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(struct device *device, unsigned index, struct device **instance) {
    for (int i = WHOLE; i < DEVICES; i++) {
        *instance = &devices[i];
        if (&devices[devices[i].parent] == device && devices[i].number == (int)index) return 0;
    }
    return NOT_FOUND;
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(struct device *instance, struct device **device) {
    if (instance->parent < 0) return INVALID;
    *device = &devices[instance->parent];
    return 0;
}
int nvmlDeviceGetGpuInstanceId(struct device *instance, unsigned *id) { *id = instance->gpu; return 0; }
int nvmlDeviceGetComputeInstanceId(struct device *instance, unsigned *id) { *id = instance->compute; return 0; }

// The driver.

static struct device *seen[DEVICES];
static int count, current;
static u64 next_address = 0x700000000000ull;

int cuInit(unsigned flags) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    (void)flags;
    count = 0;
    for (int i = 0; i < DEVICES && !visible; i++) seen[count++] = &devices[i];
    char list[256] = "", *rest = list;
    snprintf(list, sizeof list, "%s", visible ? visible : "");
    for (char *name; (name = strsep(&rest, ",")) && count < DEVICES;) {
        if (nvmlDeviceGetHandleByUUID(name, &seen[count])) break;
        count++;
    }
    return count ? 0 : 100;
}
static int digits(const char *name, unsigned char id[16]) {
    name += 4;
    for (int i = 0; i < 16; i++, name += 2) {
        if (*name == '-') name++;
        sscanf(name, "%2hhx", &id[i]);
    }
    return 0;
}
int cuDriverGetVersion(int *version) { *version = 12020; return 0; }
int cuDeviceGetCount(int *devices) { *devices = count; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return ordinal < count ? 0 : 101; }
int cuDeviceGetUuid_v2(unsigned char *id, int device) { return device < count ? digits(seen[device]->name, id) : 101; }
int cuDeviceGetUuid(unsigned char *id, int device) {
    if (device >= count) return 101;
    struct device *whole = seen[device]->parent < 0 ? seen[device] : &devices[seen[device]->parent];
    return digits(whole->name, id);
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = seen[device]->memory; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &seen[device]; return 0; }
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) { (void)device; *flags = *active = 0; return 0; }
int cuCtxSetCurrent(void *context) { current = (struct device **)context - seen; return 0; }
int cuCtxGetCurrent(void **context) { *context = &seen[current]; return 0; }
int cuCtxGetDevice(int *device) { *device = current; return 0; }
int cuMemGetInfo_v2(size_t *available, size_t *total) { *available = *total = seen[current]->memory; return 0; }
int cuMemAlloc_v2(u64 *address, size_t bytes) {
    *address = next_address;
    next_address += (bytes + 511) & ~(size_t)511;
    return 0;
}
int cuMemFree_v2(u64 address) { (void)address; return 0; }
