// A program that still uses the driver while it ends: from an exit handler, from a destructor, and from a thread that nobody
// waits for.
#include "driver.h"

static address kept[3];

static void *busy(void *unused_)
{
    (void)unused_;
    begin_on(0);
    while (library) {
        address made;
        if (cu(MemAlloc_v2, (address *, size_t), &made, 4096) == 0) cu(MemFree_v2, (address), made);
    }
    return NULL;
}

static void at_exit(void) { cu(MemFree_v2, (address), kept[0]); }

__attribute__((destructor)) static void destroyed(void)
{
    if (!library) return;
    address made;
    cu(MemFree_v2, (address), kept[1]);
    if (cu(MemAlloc_v2, (address *, size_t), &made, 4096) == 0) cu(MemFree_v2, (address), made);
    puts("destroyed");
}

int main(void)
{
    begin();
    for (int i = 0; i < 3; i++) kept[i] = take(MIB);
    pthread_t thread;
    pthread_create(&thread, NULL, busy, NULL);
    pthread_detach(thread);
    atexit(at_exit);
    usleep(2000);
    return 5;
}
