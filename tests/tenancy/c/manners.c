// A program that minds its own state. Prints what a library changed, and what happens at the edges of a process's life.
//
//   manners state          signals, mask, umask, folder, variables and descriptors, before and after the driver is used
//   manners fork           a child of a process that uses the driver, and what it leaves
//   manners fork-threads   children forked while threads allocate
//   manners variables      threads read variables while the driver starts
//   manners spawn          vfork and exec, posix_spawn, system
//   manners exit-threads   main returns while threads allocate
//   manners destructors    memory is freed by a handler of exit, and by a destructor
#include "driver.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static void use_both(void) {
    begin();
    give(take(MIB));
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void) = dlsym(nvml, "nvmlInit_v2"), (*shutdown)(void) = dlsym(nvml, "nvmlShutdown");
    OK(init());
    OK(shutdown());
}

static char *joined_environment(void) {
    static char text[2][1 << 16];
    static int which;
    char *at = text[which ^= 1];
    *at = 0;
    for (char **variable = environ; *variable; variable++) at += snprintf(at, 4096, "%s\n", *variable);
    return text[which];
}

static int inheritable(void) {
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        int number = atoi(entry->d_name), flags = fcntl(number, F_GETFD);
        count += entry->d_name[0] != '.' && number != dirfd(folder) && flags >= 0 && !(flags & FD_CLOEXEC);
    }
    closedir(folder);
    return count;
}

static void handler(int signal) { (void)signal; }

static void state(void) {
    struct sigaction before[65], now;
    sigset_t mask, mask_now;
    char folder[4096], folder_now[4096];
    umask(0123);
    signal(SIGUSR1, handler);
    signal(SIGUSR2, SIG_IGN);
    for (int i = 1; i < 65; i++) sigaction(i, 0, &before[i]);
    sigprocmask(SIG_SETMASK, 0, &mask);
    getcwd(folder, sizeof folder);
    char *variables = joined_environment(), **list = environ;
    int open_files = inheritable();
    use_both();
    for (int i = 1; i < 65; i++) {
        if (sigaction(i, 0, &now) == 0 && (now.sa_handler != before[i].sa_handler || now.sa_flags != before[i].sa_flags)) {
            printf("signal %d\n", i);
        }
    }
    sigprocmask(SIG_SETMASK, 0, &mask_now);
    printf("mask %d\n", memcmp(&mask, &mask_now, 8));
    printf("umask %o\n", umask(0));
    getcwd(folder_now, sizeof folder_now);
    printf("folder %d\n", strcmp(folder, folder_now));
    printf("variables %d %d\n", strcmp(variables, joined_environment()), list != environ);
    printf("inheritable %d\n", inheritable() - open_files);
}

static int ended(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// What the driver says to a child without exec is the driver's matter; that it says something is ours.
static void use_in_child(void) {
    size_t available, total;
    address made;
    cu(MemGetInfo_v2, (size_t *, size_t *), &available, &total);
    cu(MemAlloc_v2, (address *, size_t), &made, MIB);
    cu(Init, (unsigned), 0);
}

static void forks(void) {
    for (int early = 0; early < 3; early++) {
        pid_t child = fork();
        if (!child) {
            // A child that comes before its parent uses the driver is a process like any other.
            begin();
            take(8 * MIB);
            if (early) _exit(40 + early);
            exit(40);
        }
        printf("early %d\n", ended(child));
    }
    begin();
    take(16 * MIB);
    size_t left = unused();
    for (int late = 0; late < 3; late++) {
        pid_t child = fork();
        if (!child) {
            if (late) use_in_child();
            if (late > 1) _exit(50 + late);
            exit(50 + late);
        }
        printf("late %d\n", ended(child));
    }
    printf("parent's %d\n", unused() == left);
}

static volatile int stop;

static void *churn(void *nothing) {
    handle context;
    OK(cu(CtxGetCurrent, (handle *), &context));
    if (!context) begin_on(0);
    while (!stop) give(take(64 * 1024));
    return nothing;
}

static void *read_variables(void *nothing) {
    while (!stop) {
        int found = 0;
        for (char **variable = environ; *variable; variable++) found += !strncmp(*variable, "PATH=", 5);
        EQUAL(found, 1);
        EQUAL(getenv("PATH") != 0, 1);
    }
    return nothing;
}

static void variables(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, read_variables, 0);
    usleep(5000);
    load();
    for (int i = 0; i < 10000; i++) OK(cu(Init, (unsigned), 0));
    stop = 1;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    int count;
    OK(cu(DeviceGetCount, (int *), &count));
    printf("devices %d visible %s\n", count, getenv("CUDA_VISIBLE_DEVICES"));
}

static void fork_threads(void) {
    pthread_t threads[4];
    begin();
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, churn, 0);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (!child) {
            alarm(20);
            use_in_child();
            _exit(7);
        }
        EQUAL(ended(child), 7);
    }
    stop = 1;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    printf("children 50\n");
}

static void spawn(void) {
    use_both();
    pid_t child = vfork();
    if (!child) {
        execl("/bin/sh", "sh", "-c", "exit 31", (char *)0);
        _exit(99);
    }
    printf("vfork %d\n", ended(child));
    char *words[] = {"sh", "-c", "exit 32", 0};
    OK(posix_spawn(&child, "/bin/sh", 0, 0, words, environ));
    printf("spawn %d\n", ended(child));
    printf("system %d\n", system("exit 33") >> 8);
    FILE *pipe = popen("echo piped", "r");
    char line[32] = "";
    printf("popen %s", fgets(line, sizeof line, pipe));
    printf("closed %d\n", pclose(pipe));
}

static address kept;

static void free_late(void) { printf("late %d\n", cu(MemFree_v2, (address), kept)); }

__attribute__((destructor)) static void destructor(void) {
    size_t available, total;
    if (kept) printf("destructor %d\n", cu(MemGetInfo_v2, (size_t *, size_t *), &available, &total));
}

int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "";
    setvbuf(stdout, 0, _IOLBF, 0);
    if (!strcmp(mode, "state")) state();
    if (!strcmp(mode, "fork")) forks();
    if (!strcmp(mode, "fork-threads")) fork_threads();
    if (!strcmp(mode, "spawn")) spawn();
    if (!strcmp(mode, "variables")) variables();
    if (!strcmp(mode, "exit-threads")) {
        begin();
        pthread_t thread;
        for (int i = 0; i < 4; i++) pthread_create(&thread, 0, churn, 0);
        usleep(20000);
        return 9;
    }
    if (!strcmp(mode, "destructors")) {
        begin();
        kept = take(MIB);
        atexit(free_late);
        return 11;
    }
    return 0;
}
