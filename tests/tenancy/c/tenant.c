// A small program that uses a device, and tells what it sees.
//
//   tenant info            total and free memory, as the driver tells it
//   tenant take BYTES      allocates once; prints the driver's answer, 0 or 2 (out of memory)
//   tenant hold BYTES      allocates, prints the answer, and stays until its input ends
//   tenant patient         prints `ready`; ends with 5 at SIGINT, after saying so
//   tenant alone           whether it has a child that it did not start
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library;

static void *function(const char *name) {
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("%s is missing: %s\n", name, dlerror());
        exit(3);
    }
    return found;
}

static void begin(void) {
    library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = function("cuInit");
    int (*retain)(void **, int) = function("cuDevicePrimaryCtxRetain");
    int (*current)(void *) = function("cuCtxSetCurrent");
    void *context;
    int answer = init(0);
    if (!answer) answer = retain(&context, 0);
    if (!answer) answer = current(context);
    if (answer) {
        printf("no context: %d\n", answer);
        exit(4);
    }
}

static int take(const char *bytes) {
    int (*allocate)(unsigned long long *, size_t) = function("cuMemAlloc_v2");
    unsigned long long pointer;
    return allocate(&pointer, strtoull(bytes, NULL, 10));
}

static void interrupted(int signal) {
    (void)signal;
    static const char text[] = "interrupted\n";
    if (write(1, text, sizeof text - 1) < 0) _exit(6);
    _exit(5);
}

int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(mode, "info")) {
        size_t total, available;
        begin();
        int (*info)(size_t *, size_t *) = function("cuMemGetInfo_v2");
        int answer = info(&available, &total);
        printf("%d %zu %zu\n", answer, total, available);
    } else if (!strcmp(mode, "take") && count == 3) {
        begin();
        printf("%d\n", take(words[2]));
    } else if (!strcmp(mode, "hold") && count == 3) {
        begin();
        printf("%d\n", take(words[2]));
        while (getchar() != EOF) {
        }
    } else if (!strcmp(mode, "patient")) {
        signal(SIGINT, interrupted);
        printf("ready\n");
        for (;;) pause();
    } else if (!strcmp(mode, "alone")) {
        int answer = waitpid(-1, NULL, WNOHANG);
        printf("%s\n", answer == -1 && errno == ECHILD ? "alone" : "not alone");
    } else {
        fprintf(stderr, "what should I do?\n");
        return 64;
    }
    return 0;
}
