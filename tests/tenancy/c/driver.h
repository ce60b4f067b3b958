// The driver as a program finds it by dlopen, and how a test says what it expects of a call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long address;
typedef void *handle;

enum { OUT_OF_MEMORY = 2 };
#define MIB (1024ull * 1024ull)

static void *library;

static void *function(const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("%s is missing\n", name);
        exit(3);
    }
    return found;
}

// A call by name: cu(MemAlloc_v2, (address *, size_t), &a, bytes).
#define cu(name, types, ...) (((int(*) types)function("cu" #name))(__VA_ARGS__))

static void expect(int line, const char *what, long long got, long long wanted)
{
    if (got != wanted) {
        printf("line %d: %s is %lld and not %lld\n", line, what, got, wanted);
        exit(1);
    }
}

#define EQUAL(got, wanted) expect(__LINE__, #got, (long long)(got), (long long)(wanted))
#define OK(call) EQUAL(call, 0)

static void load(void) { library = dlopen("libcuda.so.1", RTLD_NOW); }

__attribute__((unused)) static handle begin_on(int device)
{
    handle context;
    OK(cu(DevicePrimaryCtxRetain, (handle *, int), &context, device));
    OK(cu(CtxSetCurrent, (handle), context));
    return context;
}

__attribute__((unused)) static void begin(void)
{
    load();
    OK(cu(Init, (unsigned), 0));
    begin_on(0);
}

__attribute__((unused)) static size_t unused(void)
{
    size_t available, total;
    OK(cu(MemGetInfo_v2, (size_t *, size_t *), &available, &total));
    return available;
}

__attribute__((unused)) static address take(size_t bytes)
{
    address made;
    OK(cu(MemAlloc_v2, (address *, size_t), &made, bytes));
    return made;
}

__attribute__((unused)) static void give(address made) { OK(cu(MemFree_v2, (address), made)); }

__attribute__((unused)) static int try(size_t bytes)
{
    address made;
    int answer = cu(MemAlloc_v2, (address *, size_t), &made, bytes);
    if (!answer) give(made);
    return answer;
}
