/* What the parts of the device bench share. */
#ifndef DEVICE_H
#define DEVICE_H

#include "../driver.h"

static inline double cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
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

Handle kernel(const char *file, const char *name);
/* Launches `work` on as many blocks as fill the device. */
void launch_work(Handle work, unsigned turns);
void launch_empty(Handle empty);

#endif
