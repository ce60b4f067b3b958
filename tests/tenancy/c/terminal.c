// Runs a program on a terminal of its own, as a shell does for a person.
//
//   terminal interrupt PROGRAM …   types Ctrl-C once the program has said `ready`; prints how it ended
//   terminal hangup PROGRAM …      closes the terminal once the program has said `ready`, as a logout does; prints how it ended
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 3) return 64;
    int interrupt = !strcmp(words[1], "interrupt");
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal)) {
        perror("terminal");
        return 65;
    }
    pid_t child = fork();
    if (child == 0) {
        setsid();
        int own = open(ptsname(terminal), O_RDWR);
        if (own < 0 || ioctl(own, TIOCSCTTY, 0)) _exit(66);
        dup2(own, 0);
        dup2(own, 1);
        dup2(own, 2);
        close(own);
        // As after a login, whatever started this.
        signal(SIGHUP, SIG_DFL);
        execvp(words[2], words + 2);
        _exit(67);
    }
    char text[65536] = "";
    size_t length = 0;
    int done = 0;
    for (;;) {
        ssize_t got = length < sizeof text - 1 ? read(terminal, text + length, sizeof text - 1 - length) : 0;
        if (got <= 0) break; // The last one who had it open is gone.
        length += got;
        text[length] = 0;
        if (!done && strstr(text, "ready")) {
            done = 1;
            if (!interrupt) {
                close(terminal);
                break;
            }
            if (write(terminal, "\003", 1) != 1) return 68;
        }
    }
    int status;
    waitpid(child, &status, 0);
    if (!done) fputs(text, stdout);
    if (strstr(text, "interrupted")) printf("interrupted\n");
    if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
    if (WIFEXITED(status)) printf("exit %d\n", WEXITSTATUS(status));
    return 0;
}
