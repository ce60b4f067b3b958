// Runs a kernel on the host, one thread after the other: buffers `a` and `b` come in on standard input, `d` goes out.

#include <stdio.h>
#include <stdlib.h>

unsigned host_thread;
void test(const void *a, const void *b, void *d);

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    unsigned threads = (unsigned)atoi(argv[1]);
    size_t bytes = (size_t)atol(argv[2]);
    char *a = malloc(bytes), *b = malloc(bytes), *d = calloc(bytes, 1);
    if (!a || !b || !d) return 3;
    if (fread(a, 1, bytes, stdin) != bytes || fread(b, 1, bytes, stdin) != bytes) return 4;
    for (host_thread = 0; host_thread < threads; host_thread++) test(a, b, d);
    return fwrite(d, 1, bytes, stdout) != bytes;
}
