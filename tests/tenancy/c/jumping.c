// A wall clock that jumps to and fro by ten years, twenty times a second, for whoever has this library preloaded. Monotonic
// time is as it is.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const time_t TEN_YEARS = 10L * 365 * 24 * 3600;

static time_t jump(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (now.tv_nsec / 50000000) % 2 ? TEN_YEARS : -TEN_YEARS;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int failed = syscall(SYS_gettimeofday, now, zone);
    if (!failed) now->tv_sec += jump();
    return failed;
}

time_t time(time_t *at) {
    time_t now = syscall(SYS_time, (time_t *)0) + jump();
    if (at) *at = now;
    return now;
}
