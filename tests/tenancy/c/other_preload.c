// A preload of somebody else's, with a dlsym of its own as tracers have: it asks the one behind it, and says once at the end
// whether the program's look-ups came through. When it is loaded it looks something up itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int (*next_puts)(const char *);

__attribute__((constructor)) static void begin(void) { next_puts = dlsym(RTLD_NEXT, "puts"); }

__attribute__((destructor)) static void end(void)
{
    Dl_info info;
    if (next_puts && dladdr((void *)next_puts, &info) && strstr(info.dli_fname, "libc"))
        fputs("the other one was asked for puts\n", stderr);
}

int puts(const char *text) { return next_puts(text); }
