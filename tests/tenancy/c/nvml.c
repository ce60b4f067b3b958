// What NVML shows: one fact a line, words apart by blanks.
//
//   nvml devices          the devices there are, and by which names they are found
//   nvml find KIND TEXT   a device by uuid, pci or serial
//   nvml memory           memory of each device, in both forms
//   nvml processes        every list of processes of device 0, and the protocol of one of them
//   nvml load             how busy device 0 is
//   nvml name PID         the name of a process
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

typedef void *device;
typedef struct {
    unsigned pid;
    unsigned long long memory;
} short_info;
typedef struct {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
} long_info;
typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} memory_v2;
typedef struct {
    unsigned pid;
    unsigned long long at;
    unsigned sm, memory, encode, decode;
} sample;

static void *library;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        printf("%s is missing\n", name);
        exit(3);
    }
    return found;
}

#define CALL(name, types, ...) ((int(*) types)function(name))(__VA_ARGS__)

static device by_index(unsigned index) {
    device handle = 0;
    if (CALL("nvmlDeviceGetHandleByIndex_v2", (unsigned, device *), index, &handle)) exit(4);
    return handle;
}

static unsigned count(void) {
    unsigned count = 0;
    if (CALL("nvmlDeviceGetCount_v2", (unsigned *), &count)) exit(5);
    return count;
}

static void devices(void) {
    unsigned old = 99;
    int code = CALL("nvmlDeviceGetCount", (unsigned *), &old);
    printf("count %u old %d %u\n", count(), code, old);
    for (unsigned i = 0; i < count(); i++) {
        device handle = by_index(i), same = 0;
        char uuid[96] = "", serial[32] = "", pci[256] = {0};
        unsigned index = 99, minor = 99;
        CALL("nvmlDeviceGetUUID", (device, char *, unsigned), handle, uuid, sizeof uuid);
        CALL("nvmlDeviceGetSerial", (device, char *, unsigned), handle, serial, sizeof serial);
        CALL("nvmlDeviceGetPciInfo_v3", (device, void *), handle, pci);
        CALL("nvmlDeviceGetIndex", (device, unsigned *), handle, &index);
        CALL("nvmlDeviceGetMinorNumber", (device, unsigned *), handle, &minor);
        // The address as text is the last of the struct's fields.
        const char *address = pci + 36;
        int old = CALL("nvmlDeviceGetHandleByIndex", (unsigned, device *), i, &same);
        printf("device %u index %u minor %u uuid %s serial %s pci %s old %d %d\n", i, index, minor, uuid, serial, address,
               old, same == handle);
    }
    device handle = 0;
    int beyond = CALL("nvmlDeviceGetHandleByIndex_v2", (unsigned, device *), count(), &handle);
    printf("beyond %d\n", beyond);
}

static void find(const char *kind, const char *text) {
    const char *name = !strcmp(kind, "uuid")  ? "nvmlDeviceGetHandleByUUID"
                       : !strcmp(kind, "pci") ? "nvmlDeviceGetHandleByPciBusId_v2"
                                              : "nvmlDeviceGetHandleBySerial";
    device handle = (device)1;
    int code = CALL(name, (const char *, device *), text, &handle);
    unsigned index = 99;
    if (!code) CALL("nvmlDeviceGetIndex", (device, unsigned *), handle, &index);
    printf("found %d %u\n", code, index);
}

static void memory(void) {
    for (unsigned i = 0; i < count(); i++) {
        unsigned long long one[3] = {0};
        int code = CALL("nvmlDeviceGetMemoryInfo", (device, void *), by_index(i), one);
        printf("memory %u code %d total %llu free %llu used %llu\n", i, code, one[0], one[1], one[2]);
        memory_v2 two = {.version = sizeof two | 2 << 24};
        code = CALL("nvmlDeviceGetMemoryInfo_v2", (device, void *), by_index(i), &two);
        printf("memory2 %u code %d total %llu reserved %llu free %llu used %llu\n", i, code, two.total, two.reserved, two.free,
               two.used);
        two.version = 7;
        printf("memory2-version %d null %d\n", CALL("nvmlDeviceGetMemoryInfo_v2", (device, void *), by_index(i), &two),
               CALL("nvmlDeviceGetMemoryInfo", (device, void *), by_index(i), 0));
    }
}

static void list(const char *name, int is_long) {
    short_info few[64];
    long_info many[64];
    unsigned count = 64;
    int code = CALL(name, (device, unsigned *, void *), by_index(0), &count, is_long ? (void *)many : (void *)few);
    printf("list %s %d %u", name, code, count);
    for (unsigned i = 0; !code && i < count; i++) {
        printf(" %u:%llu", is_long ? many[i].pid : few[i].pid, is_long ? many[i].memory : few[i].memory);
    }
    printf("\n");
}

static void processes(void) {
    const char *kinds[] = {"Compute", "Graphics", "MPSCompute"}, *forms[] = {"", "_v2", "_v3"};
    char name[128];
    for (int kind = 0; kind < 3; kind++) {
        for (int form = 0; form < 3; form++) {
            snprintf(name, sizeof name, "nvmlDeviceGet%sRunningProcesses%s", kinds[kind], forms[form]);
            list(name, form > 0);
        }
    }
    const char *last = "nvmlDeviceGetComputeRunningProcesses_v3";
    long_info one = {0};
    unsigned none = 0, few = 1, many = 64;
    int code = CALL(last, (device, unsigned *, void *), by_index(0), &none, 0);
    printf("without-room %d %u\n", code, none);
    code = CALL(last, (device, unsigned *, void *), by_index(0), &few, &one);
    printf("room-for-one %d %u\n", code, few);
    code = CALL(last, (device, unsigned *, void *), by_index(0), &many, 0);
    printf("null-room %d\n", code);
    printf("null-count %d\n", CALL(last, (device, unsigned *, void *), by_index(0), 0, &one));
    struct {
        unsigned version, mode, entries;
        void *array;
    } details = {0};
    char room[64 * 40];
    details.version = sizeof details | 1 << 24, details.entries = 64, details.array = room;
    code = CALL("nvmlDeviceGetRunningProcessDetailList", (device, void *), by_index(0), &details);
    printf("details %d %u\n", code, details.entries);
}

static void load(void) {
    unsigned rates[2] = {999, 999};
    int code = CALL("nvmlDeviceGetUtilizationRates", (device, void *), by_index(0), rates);
    printf("rates %d %u %u\n", code, rates[0], rates[1]);
    sample samples[64];
    unsigned found = 64;
    struct timeval now;
    gettimeofday(&now, 0);
    unsigned long long since = now.tv_sec * 1000000ull + now.tv_usec - 1000000;
    code = CALL("nvmlDeviceGetProcessUtilization", (device, void *, unsigned *, unsigned long long), by_index(0), samples,
                &found, since);
    printf("processes %d", code);
    for (unsigned i = 0; !code && i < found; i++) printf(" %u:%u", samples[i].pid, samples[i].sm);
    printf("\n");
    struct {
        unsigned flags;
        struct {
            unsigned present, percent, more, less;
        } part[8];
    } states = {0};
    code = CALL("nvmlDeviceGetDynamicPstatesInfo", (device, void *), by_index(0), &states);
    printf("states %d %u\n", code, states.part[0].percent);
    struct {
        unsigned long long at;
        union {
            unsigned number;
            unsigned long long room;
        } value;
    } past[128];
    unsigned kind = 0, moments = 128, most = 0;
    code = CALL("nvmlDeviceGetSamples", (device, int, unsigned long long, unsigned *, unsigned *, void *), by_index(0), 1, 0,
                &kind, &moments, past);
    for (unsigned i = 0; !code && i < moments; i++) most = past[i].value.number > most ? past[i].value.number : most;
    printf("samples %d %u most %u\n", code, kind, most);
}

int main(int words, char **word) {
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    int code = CALL("nvmlInit_v2", (void));
    if (code) return printf("no NVML: %d\n", code), 2;
    const char *mode = words > 1 ? word[1] : "";
    if (!strcmp(mode, "devices")) devices();
    if (!strcmp(mode, "find")) find(word[2], word[3]);
    if (!strcmp(mode, "memory")) memory();
    if (!strcmp(mode, "processes")) processes();
    if (!strcmp(mode, "load")) load();
    if (!strcmp(mode, "name")) {
        char name[256] = "";
        int code = CALL("nvmlSystemGetProcessName", (unsigned, char *, unsigned), atoi(word[2]), name, sizeof name);
        printf("name %d %s\n", code, name);
    }
    return CALL("nvmlShutdown", (void));
}
