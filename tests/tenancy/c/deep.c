// deep LIBRARY DRIVER BYTES: loads the library with RTLD_DEEPBIND and has it allocate through the driver of that name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    void *library = count == 4 ? dlopen(words[1], RTLD_NOW | RTLD_DEEPBIND) : NULL;
    int (*take)(const char *, size_t) = library ? dlsym(library, "take") : NULL;
    if (!take) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("%d\n", take(words[2], strtoull(words[3], NULL, 10)));
    return 0;
}
