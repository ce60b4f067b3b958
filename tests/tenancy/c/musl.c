// A program that has nothing to do with a GPU, for another C library than the shim was linked with.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static __thread int number = 1;

int main(int count, char **words) {
    int (*found)(const char *) = dlsym(RTLD_DEFAULT, "atoi");
    char *copy = malloc(1000);
    if (!copy || !found || found("7") != 7 || dlopen("libnothing.so.1", RTLD_NOW)) return 1;
    free(copy);
    printf("hello %s %d\n", count > 1 ? words[1] : "", number);
    return 7;
}
