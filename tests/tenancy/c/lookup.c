// What look-ups answer. Functions are printed by the name that the loader knows for the address, so that two runs can be compared.
//   lookup versions           cuGetProcAddress and its second form, over names, versions and flags
//   lookup names              dlsym on the driver's handle
//   lookup order              dlsym on handles that mean an order of libraries
//   lookup hooked NAME...     in which library the functions are that a program gets
#include "driver.h"

static const char *NAMES[] = {
    "cuCtxCreate",        "cuLaunchKernel",     "cuGraphLaunch",      "cuMemAlloc",       "cuMemAlloc_v2",
    "cuMemGetInfo",       "cuMemAllocAsync",    "cuGetProcAddress",   "cuMemcpyHtoD",     "cuMemcpyBatchAsync",
    "cuDeviceTotalMem",   "cuMemCreate",        "cuStreamGetCtx",     "cuGraphExecUpdate", "cuEventElapsedTime",
    "cuNoSuchFunction",   "cuSubgridCreate",    "cuGraphInstantiate", "cuMemFree",        "cuLaunchKernelEx",
    "cuDeviceGetUuid",    "cuGetExportTable",   "cuArray3DCreate",    "cuMemPoolCreate",  "",
};
static const int VERSIONS[] = {0, 2000, 3020, 6000, 7000, 10000, 11020, 11030, 11040, 11060, 12000, 12020, 12050, 13000, 99000};

static const char *called(void *found)
{
    Dl_info info;
    if (!found) return "nothing";
    return dladdr(found, &info) && info.dli_sname ? info.dli_sname : "nameless";
}

static const char *home_of(void *found)
{
    Dl_info info;
    if (!found) return "nowhere";
    if (!dladdr(found, &info)) return "unknown";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static void versions(void)
{
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++)
        for (size_t v = 0; v < sizeof VERSIONS / sizeof *VERSIONS; v++)
            for (unsigned long long flags = 0; flags < 6; flags++) {
                void *found = (void *)1;
                int status = 77;
                int answer = cu(GetProcAddress, (const char *, void **, int, unsigned long long), NAMES[n], &found, VERSIONS[v], flags);
                printf("%s %d %llu: %d %s", NAMES[n], VERSIONS[v], flags, answer, found == (void *)1 ? "untouched" : called(found));
                found = (void *)1;
                answer = cu(GetProcAddress_v2, (const char *, void **, int, unsigned long long, int *), NAMES[n], &found, VERSIONS[v], flags, &status);
                printf(", %d %s %d", answer, found == (void *)1 ? "untouched" : called(found), status);
                answer = cu(GetProcAddress_v2, (const char *, void **, int, unsigned long long, int *), NAMES[n], &found, VERSIONS[v], flags, NULL);
                printf(", %d\n", answer);
            }
    printf("%d\n", cu(GetProcAddress, (const char *, void **, int, unsigned long long), "cuInit", NULL, 12000, 0));
    printf("%d\n", cu(GetProcAddress_v2, (const char *, void **, int, unsigned long long, int *), NULL, NULL, 12000, 0, NULL));
}

static void names(void)
{
    static const char *suffixes[] = {"", "_v2", "_v3", "_v4", "_v5", "_ptsz", "_v2_ptds"};
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++)
        for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
            char name[100];
            snprintf(name, sizeof name, "%s%s", NAMES[n], suffixes[s]);
            dlerror();
            void *found = dlsym(library, name);
            printf("%s: %s %s\n", name, called(found), dlerror() ? "error" : "fine");
        }
}

// Case 7, and who is found where.
static void order(void)
{
    void *first = dlsym(RTLD_NEXT, "puts"), *second = dlsym(RTLD_NEXT, "puts");
    printf("%d %d\n", first != NULL, first == second);
    printf("%d\n", dlsym(RTLD_DEFAULT, "puts") == first);
    printf("%d\n", dlsym(NULL, "puts") == first);
    void *program = dlopen(NULL, RTLD_NOW);
    printf("%d\n", dlsym(program, "main") != NULL);
    printf("%s %s\n", called(dlsym(RTLD_NEXT, "no_such_function")), dlerror() ? "error" : "fine");
    const char *asked[] = {"cuMemAlloc_v2", "cuLaunchKernel_ptsz", "cuMemcpyHtoD_v2", "cuNoSuchFunction", "nvmlInit_v2"};
    void *handles[] = {RTLD_DEFAULT, RTLD_NEXT, program, library};
    for (int h = 0; h < 4; h++)
        for (int n = 0; n < 5; n++) printf("%d %s %s\n", h, asked[n], called(dlsym(handles[h], asked[n])));
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    if (!strcmp(what, "before")) {
        // Without a driver in the process there is nothing to find, preload or not.
        order();
        return 0;
    }
    int flags = getenv("GLOBAL") ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW;
    library = dlopen("libcuda.so.1", flags);
    if (!strcmp(what, "versions")) versions();
    if (!strcmp(what, "names")) names();
    if (!strcmp(what, "order")) order();
    for (int n = 2; !strcmp(what, "hooked") && n < count; n++) {
        void *found = dlsym(library, words[n]), *asked = NULL;
        cu(GetProcAddress, (const char *, void **, int, unsigned long long), words[n], &asked, 13000, 0);
        printf("%s: %s %s\n", words[n], home_of(found), home_of(asked));
    }
    return 0;
}
