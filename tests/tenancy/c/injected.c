// A tool that the driver loads when it starts. It says that it was there.
#include <stdio.h>

int InitializeInjection(void) {
    fputs("injected\n", stderr);
    return 1;
}
