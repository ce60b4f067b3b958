// Asks a library for everything it has, and prints each answer on a line of its own. Two runs that print the same cannot be
// told apart by a program.
//
//   sweep look-up NAMES            cuGetProcAddress, both forms, for each name in the file, many versions, all flags
//   sweep null LIBRARY NAMES       each function called with null for every argument, before anything is initialised
//   sweep null-after LIBRARY NAMES INIT   the same after INIT(0)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*any)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                   uint64_t, uint64_t);

static int answers[2];

static void *open_library(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return library;
}

static FILE *open_names(const char *path) {
    FILE *names = fopen(path, "r");
    if (!names) {
        perror(path);
        exit(1);
    }
    return names;
}

static const int VERSIONS[] = {-1,    0,     1000,  2000,  3000,  3020,  4000,  5000,  6000,  6050,  7000,  7050,
                               8000,  9000,  9020,  10000, 10010, 10020, 11000, 11010, 11020, 11030, 11040, 11060,
                               11070, 11080, 12000, 12010, 12020, 12030, 12040, 12050, 12060, 12080, 12090, 13000,
                               13010, 13020, 13040, 99999};

// What a pointer says without its address, which differs from run to run.
static const char *seen(void *pointer) {
    return pointer == (void *)1 ? "untouched" : pointer ? "found" : "null";
}

static void look_up(const char *path) {
    void *library = open_library("libcuda.so.1");
    int (*old)(const char *, void **, int, uint64_t) = dlsym(library, "cuGetProcAddress");
    int (*new)(const char *, void **, int, uint64_t, int *) = dlsym(library, "cuGetProcAddress_v2");
    printf("%d %d\n", old != 0, new != 0);
    FILE *names = open_names(path);
    char name[256];
    while (fscanf(names, "%255s", name) == 1) {
        printf("dlsym %s %s\n", name, seen(dlsym(library, name)));
        for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++) {
            for (uint64_t flags = 0; flags < 5; flags++) {
                void *pointer = (void *)1;
                if (old) {
                    int code = old(name, &pointer, VERSIONS[i], flags);
                    printf("%s %d %d: %d %s", name, VERSIONS[i], (int)flags, code, seen(pointer));
                }
                if (new) {
                    int status = 77;
                    pointer = (void *)1;
                    int code = new (name, &pointer, VERSIONS[i], flags, &status);
                    void *again = (void *)1;
                    int silent = new (name, &again, VERSIONS[i], flags, 0);
                    printf(", %d %s %d, %d %d", code, seen(pointer), status, silent, again == pointer);
                }
                printf("\n");
            }
        }
    }
}

// What a call said.
struct answer {
    int found, code;
};

// Calls one function after the other, and tells each answer. A function that ends the process ends it for the next ones too.
static void call_each(const char *library_name, const char *init, char **names, int from, int to) {
    void *library = open_library(library_name);
    if (init) {
        int (*start)(unsigned) = dlsym(library, init);
        start(0);
    }
    for (int i = from; i < to; i++) {
        any function = dlsym(library, names[i]);
        struct answer answer = {function != 0, 0};
        alarm(20);
        if (function) answer.code = function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        alarm(0);
        // The only one that answers with a pointer.
        if (!strcmp(names[i], "nvmlErrorString")) answer.code = 0;
        if (write(answers[1], &answer, sizeof answer) != sizeof answer) _exit(1);
    }
    _exit(0);
}

// Whatever a call breaks, the calls behind it are made by another process.
static void null(const char *library_name, const char *path, const char *init) {
    FILE *file = open_names(path);
    static char *names[4096];
    char name[256];
    int count = 0;
    while (count < 4096 && fscanf(file, "%255s", name) == 1) names[count++] = strdup(name);
    for (int next = 0; next < count; next++) {
        fflush(stdout);
        if (pipe(answers)) exit(1);
        pid_t child = fork();
        if (child == 0) call_each(library_name, init, names, next, count);
        close(answers[1]);
        struct answer answer;
        while (read(answers[0], &answer, sizeof answer) == sizeof answer) {
            printf(answer.found ? "%s %d\n" : "%s missing\n", names[next], answer.code);
            next++;
        }
        close(answers[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (next < count) {
            printf("%s %s %d\n", names[next], WIFEXITED(status) ? "exits" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        }
    }
}

int main(int count, char **words) {
    if (count == 3 && !strcmp(words[1], "look-up")) {
        look_up(words[2]);
    } else if (count == 4 && !strcmp(words[1], "null")) {
        null(words[2], words[3], 0);
    } else if (count == 5 && !strcmp(words[1], "null-after")) {
        null(words[2], words[3], words[4]);
    } else {
        return 2;
    }
    return 0;
}
