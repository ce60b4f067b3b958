/* Parts about time: shares, trains of kernels, latency, an endless neighbour. */

#include "device.h"

/* share KERNELS TURNS SECONDS: keeps the device busy for ever; says `ready` when warm, waits for a line, then measures
 * kernels per device second over that many seconds of device time, and goes on until it is killed. */
void share(char **words) {
    unsigned turns = atoi(words[1]);
    double seconds = atof(words[2]);
    enum { BATCH = 4, DEPTH = 4 };
    begin();
    Handle work = kernel(words[0], "work"), marks[DEPTH], first = NULL;
    for (int i = 0; i < DEPTH; i++)
        TRY(cuEventCreate(&marks[i], 0));
    TRY(cuEventCreate(&first, 0));
    long batches = 0, counted_from = -1;
    int measured = 0;
    for (;; batches++) {
        Handle mark = marks[batches % DEPTH];
        if (batches >= DEPTH) {
            TRY(cuEventSynchronize(mark));
            if (batches == 2 * DEPTH) {
                puts("ready");
                char line[16];
                if (!fgets(line, sizeof line, stdin))
                    return;
                counted_from = -2;
            }
            if (counted_from >= 0 && batches - DEPTH >= counted_from && !measured) {
                float ms;
                TRY(cuEventElapsedTime(&ms, first, mark));
                long done = batches - DEPTH + 1 - counted_from;
                if (ms >= seconds * 1e3) {
                    printf("rate %.9g\n", done * BATCH / (ms * 1e-3));
                    measured = 1;
                }
            }
        }
        for (int i = 0; i < BATCH; i++)
            launch_work(work, turns);
        TRY(cuEventRecord(mark, NULL));
        if (counted_from == -2) {
            /* The window begins behind this batch. */
            TRY(cuEventRecord(first, NULL));
            counted_from = batches + 1;
        }
    }
}

/* train KERNELS TURNS SECONDS: launches for about that long without waiting; device time of the train and of one
 * kernel, wall time against it, CPU per kernel. TURNS 0 is an empty kernel. */
void train(char **words) {
    unsigned turns = atoi(words[1]);
    double seconds = atof(words[2]);
    begin();
    Handle run = kernel(words[0], turns ? "work" : "empty"), from, to;
    TRY(cuEventCreate(&from, 0));
    TRY(cuEventCreate(&to, 0));
    float ms;
    for (int i = 0; i < 3; i++) {
        TRY(cuEventRecord(from, NULL));
        turns ? launch_work(run, turns) : launch_empty(run);
        TRY(cuEventRecord(to, NULL));
        TRY(cuEventSynchronize(to));
    }
    TRY(cuEventElapsedTime(&ms, from, to));
    long count = (long)(seconds * 1e3 / ms) + 1;
    double ratio[5], cpu[5];
    for (int turn = 0; turn < 5; turn++) {
        double wall = now(), spent = cpu_time();
        TRY(cuEventRecord(from, NULL));
        for (long i = 0; i < count; i++)
            turns ? launch_work(run, turns) : launch_empty(run);
        TRY(cuEventRecord(to, NULL));
        TRY(cuEventSynchronize(to));
        wall = now() - wall;
        spent = cpu_time() - spent;
        float total;
        TRY(cuEventElapsedTime(&total, from, to));
        ratio[turn] = wall * 1e3 / total;
        cpu[turn] = spent * 1e6 / count;
    }
    printf("kernel_us %.9g\n", ms * 1e3);
    printf("wall_ratio %.9g\n", percentile(ratio, 5, 50));
    printf("cpu_us %.9g\n", percentile(cpu, 5, 50));
}

/* latency KERNELS TURNS: one kernel at a time; wall time from launch to the end of the wait, above the model. */
void latency(char **words) {
    enum { ROUNDS = 1000 };
    static double above[ROUNDS];
    unsigned turns = atoi(words[1]);
    begin();
    Handle work = kernel(words[0], "work"), from, to;
    TRY(cuEventCreate(&from, 0));
    TRY(cuEventCreate(&to, 0));
    for (int i = -10; i < ROUNDS; i++) {
        TRY(cuEventRecord(from, NULL));
        double wall = now();
        launch_work(work, turns);
        TRY(cuEventRecord(to, NULL));
        TRY(cuCtxSynchronize());
        wall = now() - wall;
        float ms;
        TRY(cuEventElapsedTime(&ms, from, to));
        if (i >= 0)
            above[i] = wall * 1e6 - ms * 1e3;
        usleep(300);
    }
    printf("p50_us %.9g\n", percentile(above, ROUNDS, 50));
    printf("p90_us %.9g\n", percentile(above, ROUNDS, 90));
    printf("p99_us %.9g\n", percentile(above, ROUNDS, 99));
}

/* beside KERNELS ROLE: `endless` runs a kernel that never ends; `short` says how long, in device time, its own short
 * kernels took beside that. The device's clock goes on while the host gets from the first event to the launch: that is the
 * host's time and left out. */
void beside(char **words) {
    begin();
    if (strcmp(words[1], "endless") == 0) {
        CUdeviceptr flag;
        TRY(cuMemAlloc_v2(&flag, 4));
        TRY(cuMemsetD8_v2(flag, 0, 4));
        void *args[] = {&flag};
        Handle endless = kernel(words[0], "endless");
        TRY(cuLaunchKernel(endless, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
        puts("ready");
        pause();
    }
    enum { ROUNDS = 200 };
    static double waits[ROUNDS];
    Handle empty = kernel(words[0], "empty"), from, to;
    TRY(cuEventCreate(&from, 0));
    TRY(cuEventCreate(&to, 0));
    for (int i = 0; i < ROUNDS; i++) {
        double host = now();
        TRY(cuEventRecord(from, NULL));
        launch_empty(empty);
        host = now() - host;
        TRY(cuEventRecord(to, NULL));
        TRY(cuCtxSynchronize());
        float ms;
        TRY(cuEventElapsedTime(&ms, from, to));
        waits[i] = ms * 1e3 - host * 1e6;
        usleep(rand() % 3000);
    }
    printf("median_us %.9g\n", percentile(waits, ROUNDS, 50));
    printf("max_us %.9g\n", waits[ROUNDS - 1]);
}

/* entry KERNELS: an asynchronous train of empty kernels; microseconds a kernel. */
void entry(char **words) {
    enum { COUNT = 20000 };
    begin();
    Handle empty = kernel(words[0], "empty");
    double each[5];
    for (int turn = -1; turn < 5; turn++) {
        double t = now();
        for (int i = 0; i < COUNT; i++)
            launch_empty(empty);
        TRY(cuCtxSynchronize());
        if (turn >= 0)
            each[turn] = (now() - t) * 1e6 / COUNT;
    }
    printf("kernel_us %.9g\n", percentile(each, 5, 50));
}
