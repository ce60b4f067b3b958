// Calls that must reach the driver as they were made, over recorder.c. Prints what the driver noted.
#include "driver.h"

static void noted(void)
{
    const char *(*ask)(void) = function("recorder_noted");
    puts(ask());
}

int main(void)
{
    load();
    OK(cu(Init, (unsigned), 3));
    noted();
    typedef int launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    const char *names[] = {"cuLaunchKernel", "cuLaunchKernel_ptsz"};
    for (int i = 0; i < 2; i++) {
        OK(((launch *)function(names[i]))((void *)1, 65535, 65535, 3, 4, 5, 6, 7, (void *)8, (void **)9, (void **)10));
        noted();
    }
    address made = 0;
    size_t pitch = 0;
    struct { int type, handles, location, device; void *more[2]; } wish = {1, 0, 1, 0, {0}};
    OK(cu(MemCreate, (address *, size_t, const void *, unsigned long long), &made, 2 * MIB, &wish, 0x123456789abcdef0ull));
    const char *(*ask)(void) = function("recorder_noted");
    puts(strstr(ask(), "123456789abcdef0") ? "64 bits of flags" : ask());
    EQUAL(made, 77);
    OK(cu(MemAllocPitch_v2, (address *, size_t *, size_t, size_t, unsigned), &made, &pitch, 100, 4, 0xfffffff0u));
    noted();
    EQUAL(made, 4096);
    EQUAL(pitch, 512);
    OK(cu(MemFree_v2, (address), made));
    noted();
    // What the driver does not have is not there.
    printf("%d %d\n", dlsym(library, "cuGraphLaunch") == NULL, dlsym(library, "cuMemAlloc_v2") == NULL);
    void *found = NULL;
    EQUAL(cu(GetProcAddress, (const char *, void **, int, unsigned long long), "cuGraphLaunch", &found, 12000, 0), 500);
    // What we do not know goes out as it is, and is counted.
    OK(cu(GetProcAddress, (const char *, void **, int, unsigned long long), "cuMemAllocTomorrow", &found, 99000, 0));
    EQUAL(found == function("cuMemAllocTomorrow"), 1);
    fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
