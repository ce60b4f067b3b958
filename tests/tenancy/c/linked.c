// A program that names the driver's functions itself and is linked with the library.
#include <stddef.h>
#include <stdio.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(unsigned long long *, size_t);
int cuMemFree_v2(unsigned long long);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuDriverGetVersion(int *);

int main(void)
{
    void *context;
    size_t available, total;
    unsigned long long made;
    int version;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return 1;
    if (cuDriverGetVersion(&version) || cuMemGetInfo_v2(&available, &total)) return 2;
    int most = cuMemAlloc_v2(&made, total);
    if (!most && cuMemFree_v2(made)) return 3;
    printf("%zu %d %d\n", total, most, cuMemAlloc_v2(&made, total + 1));
    return 0;
}
