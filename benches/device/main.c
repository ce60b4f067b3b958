/* Measures the software GPU as several processes share it. Each part prints lines `name value`; xtask runs the parts,
 * several of them at once, and knows units and targets. */

#include "device.h"

static unsigned full_grid;
static CUdeviceptr out;

Handle kernel(const char *file, const char *name) {
    Handle module, function;
    char *text = read_file(file);
    TRY(cuModuleLoadData(&module, text));
    TRY(cuModuleGetFunction(&function, module, name));
    free(text);
    return function;
}

#define BLOCK 256

void launch_work(Handle work, unsigned turns) {
    if (full_grid == 0) {
        int sms, threads;
        enum { MULTIPROCESSOR_COUNT = 16, MAX_THREADS_PER_MULTIPROCESSOR = 39 };
        TRY(cuDeviceGetAttribute(&sms, MULTIPROCESSOR_COUNT, 0));
        TRY(cuDeviceGetAttribute(&threads, MAX_THREADS_PER_MULTIPROCESSOR, 0));
        full_grid = sms * (threads / BLOCK);
        TRY(cuMemAlloc_v2(&out, BLOCK * 4));
    }
    void *args[] = {&turns, &out};
    TRY(cuLaunchKernel(work, full_grid, 1, 1, BLOCK, 1, 1, 0, NULL, args, NULL));
}

void launch_empty(Handle empty) {
    TRY(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        int arguments;
        void (*run)(char **);
    } parts[] = {
        {"share", 3, share},       {"train", 3, train},     {"latency", 2, latency}, {"beside", 2, beside},
        {"allocate", 0, allocate}, {"recover", 3, recover}, {"entry", 1, entry},     {"start", 0, start_up},
        {"hold", 1, hold},         {"nvml", 1, nvml},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (count == parts[i].arguments + 2 && strcmp(words[1], parts[i].name) == 0) {
            setvbuf(stdout, NULL, _IOLBF, 0);
            parts[i].run(words + 2);
            return 0;
        }
    fprintf(stderr, "unknown part, or not the right number of words for it\n");
    return 2;
}
