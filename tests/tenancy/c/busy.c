// Computes until its input ends. Prints 0 when it has begun.
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static const char KERNEL[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .entry spin(.param .u32 rounds) {\n"
                             "  .reg .u32 %r<4>; .reg .pred %p;\n"
                             "  ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
                             "again:\n"
                             "  add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra again;\n"
                             "  ret;\n}\n";

static void *library;

static void *function(const char *name) {
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) exit(3);
    return found;
}

#define CALL(name, types, ...)                                                                              \
    do {                                                                                                    \
        int code = ((int(*) types)function(name))(__VA_ARGS__);                                             \
        if (code) {                                                                                         \
            printf("%s: %d\n", name, code);                                                                 \
            return 1;                                                                                       \
        }                                                                                                   \
    } while (0)

int main(void) {
    void *context, *module, *spin;
    unsigned rounds = 100000;
    void *arguments[] = {&rounds};
    struct pollfd input = {0, POLLIN, 0};
    library = dlopen("libcuda.so.1", RTLD_NOW);
    CALL("cuInit", (unsigned), 0);
    CALL("cuCtxCreate_v2", (void **, unsigned, int), &context, 0, 0);
    CALL("cuModuleLoadData", (void **, const void *), &module, KERNEL);
    CALL("cuModuleGetFunction", (void **, void *, const char *), &spin, module, "spin");
    for (int begun = 0; !poll(&input, 1, 0);) {
        CALL("cuLaunchKernel",
             (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **), spin, 1,
             1, 1, 32, 1, 1, 0, 0, arguments, 0);
        CALL("cuCtxSynchronize", (void));
        if (!begun++) printf("0\n"), fflush(stdout);
    }
    return 0;
}
