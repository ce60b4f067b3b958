// The devices a program sees.
//   devices list     the identity of each
//   devices sizes    how many, and the memory of each
#include "driver.h"

int main(int count, char **words)
{
    int devices;
    load();
    OK(cu(Init, (unsigned), 0));
    OK(cu(DeviceGetCount, (int *), &devices));
    int list = count > 1 && !strcmp(words[1], "list");
    if (!list) printf("%d", devices);
    for (int device = 0; device < devices; device++) {
        if (list) {
            unsigned char id[16];
            OK(cu(DeviceGetUuid_v2, (unsigned char *, int), id, device));
            printf("GPU-");
            for (int i = 0; i < 16; i++) printf(i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
            printf("\n");
        } else {
            size_t bytes;
            OK(cu(DeviceTotalMem_v2, (size_t *, int), &bytes, device));
            printf(" %zu", bytes);
        }
    }
    if (!list) printf("\n");
    return 0;
}
