/* A job that works now on the device and now on the host, with much memory: what two of them that do not fit together lose.
 *
 *   oversubscription KERNELS MIB PHASES LAUNCHES TURNS HOST_MS
 *
 * Says `ready` when it has its memory, waits for a line, and says `seconds` of all phases, each of so many launches and then
 * so long on the host. When its input ends, every byte of its memory is checked. */

#include "../driver.h"

static void pause_for(double ms) {
    struct timespec span = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000L};
    nanosleep(&span, NULL);
}

int main(int count, char **words) {
    if (count != 7)
        return 2;
    size_t bytes = strtoul(words[2], NULL, 10) << 20;
    int phases = atoi(words[3]), launches = atoi(words[4]);
    unsigned turns = atoi(words[5]);
    double host_ms = atof(words[6]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    begin();
    Handle module, work;
    TRY(cuModuleLoadData(&module, read_file(words[1])));
    TRY(cuModuleGetFunction(&work, module, "work"));
    CUdeviceptr memory;
    TRY(cuMemAlloc_v2(&memory, bytes));
    TRY(cuMemsetD8_v2(memory, 0x5a, bytes));
    /* The first words are the kernel's; the rest is only to be there. */
    void *arguments[] = {&turns, &memory};
    TRY(cuLaunchKernel(work, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    TRY(cuCtxSynchronize());
    puts("ready");
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    double from = now();
    for (int phase = 0; phase < phases; phase++) {
        for (int n = 0; n < launches; n++)
            TRY(cuLaunchKernel(work, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
        TRY(cuCtxSynchronize());
        pause_for(host_ms);
    }
    printf("seconds %.6f\n", now() - from);
    while (fgets(line, sizeof line, stdin))
        ;
    unsigned char *all = malloc(bytes);
    TRY(cuMemcpyDtoH_v2(all, memory, bytes));
    for (size_t n = 32 * 4; n < bytes; n++)
        if (all[n] != 0x5a) {
            fprintf(stderr, "byte %zu of %zu is lost\n", n, bytes);
            return 1;
        }
    puts("done");
    return 0;
}
