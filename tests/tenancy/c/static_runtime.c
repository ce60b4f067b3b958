// The vendor's runtime, linked into the program as its compiler does by default: what it says on this machine.
#include <stdio.h>

int cudaDriverGetVersion(int *), cudaRuntimeGetVersion(int *), cudaGetDeviceCount(int *), cudaSetDevice(int);
int cudaMalloc(void **, unsigned long), cudaFree(void *), cudaMemGetInfo(unsigned long *, unsigned long *);
int cudaDeviceSynchronize(void), cudaGetLastError(void), cudaStreamCreate(void **);

int main(void) {
    int driver = -1, runtime = -1, count = -1;
    unsigned long free = 0, total = 0;
    void *memory = NULL, *stream = NULL;
    printf("cudaDriverGetVersion %d", cudaDriverGetVersion(&driver));
    printf(" %d\n", driver);
    printf("cudaRuntimeGetVersion %d", cudaRuntimeGetVersion(&runtime));
    printf(" %d\n", runtime);
    printf("cudaGetDeviceCount %d", cudaGetDeviceCount(&count));
    printf(" %d\n", count);
    printf("cudaSetDevice %d\n", cudaSetDevice(0));
    printf("cudaMalloc %d\n", cudaMalloc(&memory, 1 << 20));
    printf("cudaMemGetInfo %d\n", cudaMemGetInfo(&free, &total));
    printf("cudaStreamCreate %d\n", cudaStreamCreate(&stream));
    printf("cudaDeviceSynchronize %d\n", cudaDeviceSynchronize());
    printf("cudaFree %d\n", cudaFree(memory));
    printf("cudaGetLastError %d\n", cudaGetLastError());
    return 0;
}
