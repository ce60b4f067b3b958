// A library of the vendor's with the runtime of CUDA 11 linked into it: which runtime that is, and what it makes of this machine.
//   inside LIBNVJPEG
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
    void *library = count == 2 ? dlopen(words[1], RTLD_NOW) : 0;
    if (!library) return puts(dlerror()), 1;
    int (*runtime)(int, int *) = dlsym(library, "nvjpegGetCudartProperty");
    int (*create)(void **) = dlsym(library, "nvjpegCreateSimple");
    int version[3] = {0};
    for (int part = 0; part < 3; part++) runtime(part, &version[part]);
    printf("runtime %d.%d.%d\n", version[0], version[1], version[2]);
    for (int time = 0; time < 2; time++) {
        void *made = 0;
        int code = create(&made);
        printf("create %d %s\n", code, made ? "made" : "nothing");
    }
    return 0;
}
