/* test_sandbox.c - the sandbox of the program. A process cannot leave it, so each test enters it in a process of its
 * own, which returns the number of its failures as its exit code. */
#define _GNU_SOURCE
#include "test_support.h"

#include "sandbox.h"

#ifdef __linux__
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE             4096
#define EXIT_UNSUPPORTED 100 /* of a child: there is no sandbox */

/* Runs a function in a child process and returns its exit status as waitpid() gives it. */
static int run_child(int (*function)(void *), void *argument)
{
    pid_t child = fork();
    int status;

    if (child == 0) _exit(function(argument));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void check_child(int (*function)(void *), void *argument)
{
    const int status = run_child(function, argument);

    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == EXIT_UNSUPPORTED) skip_because("no sandbox here");
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void enter(void)
{
    Err err;

    if (sandbox_enter(SANDBOX_PROGRAM, &err) == OK) return;
    fprintf(stderr, "# %s\n", err.text);
    _exit(EXIT_UNSUPPORTED);
}

/* --- System calls that the sandbox refuses. The arguments are such that a call does no harm if it is not refused, and
 * then fails with another error, if at all. --- */

/* In the child of a call that should have failed, ends it. */
static long end_child(long pid)
{
    if (pid == 0) _exit(0);
    return pid;
}

static long call_fork(void)
{
    return end_child(fork());
}

static long call_clone(void)
{
    return end_child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static long call_clone3(void)
{
    struct clone_args arguments = { .exit_signal = SIGCHLD };

    return end_child(syscall(SYS_clone3, &arguments, sizeof arguments));
}

static long call_spawn(void)
{
    char name[] = "true", *arguments[] = { name, NULL };
    pid_t pid;

    errno = posix_spawnp(&pid, "true", NULL, NULL, arguments, NULL);
    return errno ? -1 : pid;
}

#define X32  0x40000000L
#define CODE (PROT_READ | PROT_EXEC)

/* Outside, the kernel refuses these flags together. */
#define THREAD_IN_NEW_NAMESPACE (CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWUSER)

/* How the call is made: with a function, or with its number and arguments. */
#define FUNCTION(function)                                                                                             \
    function, 0,                                                                                                       \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define NUMBER(number, ...)                                                                                            \
    NULL, number,                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static const struct {
    const char *name;
    int wanted;         /* errno in the sandbox */
    bool often_refused; /* also outside: for a user without rights, in containers, in emulators */
    long (*call)(void); /* returns -1 and sets errno if the call is refused */
    long number, arguments[6];
} forbidden_calls[] = {
    { "socket", EPERM, false, NUMBER(SYS_socket, AF_INET, SOCK_STREAM) },
    { "unix socket", EPERM, false, NUMBER(SYS_socket, AF_UNIX, SOCK_DGRAM) },
    { "socketpair", EPERM, false, NUMBER(SYS_socketpair, AF_UNIX, SOCK_STREAM) },
    { "connect", EPERM, false, NUMBER(SYS_connect, -1) },
    { "bind", EPERM, false, NUMBER(SYS_bind, -1) },
    { "listen", EPERM, false, NUMBER(SYS_listen, -1, 1) },
    { "accept", EPERM, false, NUMBER(SYS_accept4, -1) },
    { "send", EPERM, false, NUMBER(SYS_sendto, -1) },
    { "recvmsg", EPERM, false, NUMBER(SYS_recvmsg, -1) },
    { "execve", EPERM, false, NUMBER(SYS_execve, 0) },
    { "execveat", EPERM, false, NUMBER(SYS_execveat, -1) },
    { "fork", EPERM, false, FUNCTION(call_fork) },
    { "clone", EPERM, false, FUNCTION(call_clone) },
    { "clone of a thread in a new namespace", EPERM, false, NUMBER(SYS_clone, THREAD_IN_NEW_NAMESPACE) },
    { "clone3", ENOSYS, true, FUNCTION(call_clone3) },
    { "posix_spawn", EPERM, false, FUNCTION(call_spawn) },
    { "ptrace", EPERM, false, NUMBER(SYS_ptrace, PTRACE_CONT, -1) },
    { "process_vm_readv", EPERM, false, NUMBER(SYS_process_vm_readv, -1) },
    { "process_vm_writev", EPERM, false, NUMBER(SYS_process_vm_writev, -1) },
    { "mmap of code", EPERM, false, NUMBER(SYS_mmap, 0, PAGE, CODE, MAP_PRIVATE | MAP_ANONYMOUS, -1) },
    { "mmap of writable code", EPERM, false,
      NUMBER(SYS_mmap, 0, PAGE, CODE | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1) },
    { "mmap of a file of code", EPERM, false, NUMBER(SYS_mmap, 0, PAGE, CODE, MAP_PRIVATE, -1) },
    { "mprotect", EPERM, false, NUMBER(SYS_mprotect, 0, PAGE, CODE) },
    { "pkey_mprotect", EPERM, false, NUMBER(SYS_pkey_mprotect, 0, PAGE, CODE, -1) },
    { "shmat", EPERM, false, NUMBER(SYS_shmat, -1, 0, SHM_EXEC) },
    { "memfd_create", EPERM, false, NUMBER(SYS_memfd_create, (long)"code") },
    { "personality", EPERM, true, NUMBER(SYS_personality, 0xffffffff) },
    { "io_uring_enter", EPERM, true, NUMBER(SYS_io_uring_enter, -1) },
    { "keyctl", EPERM, true, NUMBER(SYS_keyctl, -1) },
    { "perf_event_open", EPERM, true, NUMBER(SYS_perf_event_open, 0, 0, -1, -1) },
    { "bpf", EPERM, true, NUMBER(SYS_bpf, -1) },
    { "userfaultfd", EPERM, true, NUMBER(SYS_userfaultfd, -1) },
    { "open_by_handle_at", EPERM, true, NUMBER(SYS_open_by_handle_at, -1) },
    { "mount", EPERM, true, NUMBER(SYS_mount, 0) },
    { "unshare", EPERM, true, NUMBER(SYS_unshare, 0) },
    { "setns", EPERM, true, NUMBER(SYS_setns, -1) },
    { "setuid", EPERM, false, NUMBER(SYS_setuid, -1) },
    { "setresgid", EPERM, false, NUMBER(SYS_setresgid, -1, -1, -1) },
    { "init_module", EPERM, true, NUMBER(SYS_init_module, 0) },
    { "kexec_load", EPERM, true, NUMBER(SYS_kexec_load, 0, 0, 0, -1) },
    { "TIOCSTI", EPERM, false, NUMBER(SYS_ioctl, -1, TIOCSTI, (long)"x") },
    { "TIOCSTI with high bits, which the kernel ignores", EPERM, false,
      NUMBER(SYS_ioctl, -1, TIOCSTI | 1L << 32, (long)"x") },
    { "USERFAULTFD_IOC_NEW", EPERM, false, NUMBER(SYS_ioctl, -1, _IO(0xaa, 0)) },
    { "lsm_set_self_attr, which libseccomp may not know", EPERM, true, NUMBER(460, 0) },
    { "open_tree_attr, which libseccomp may not know", EPERM, true, NUMBER(467, -1) },
#ifdef __x86_64__
    { "x32", EPERM, false, NUMBER(X32 + SYS_getpid, 0) },
#endif
};

/* Makes all calls and counts those with an unexpected result. */
static int count_wrong(const char *where, bool inside)
{
    int wrong = 0;

    for (size_t i = 0; i < COUNT(forbidden_calls); i++) {
        const long *a = forbidden_calls[i].arguments;
        long result;
        bool refused;
        errno = 0;
        result = forbidden_calls[i].call ? forbidden_calls[i].call()
                                         : syscall(forbidden_calls[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);
        refused = result == -1 && errno == forbidden_calls[i].wanted;
        if (refused == inside || (!inside && forbidden_calls[i].often_refused)) continue;
        fprintf(stderr, "# %s %s: %s\n", forbidden_calls[i].name, where, strerror(errno));
        wrong++;
    }
    return wrong;
}

/* A thread that exists when the process enters the sandbox. */
typedef struct {
    sem_t may_go;
    int wrong;
} EarlyThread;

static void *run_early(void *argument)
{
    EarlyThread *thread = argument;

    sem_wait(&thread->may_go);
    thread->wrong = count_wrong("in a thread from before", true);
    return NULL;
}

static void *run_late(void *wrong)
{
    *(int *)wrong = count_wrong("in a thread from inside", true);
    return NULL;
}

static int make_forbidden_calls(void *unused)
{
    EarlyThread early = { .wrong = 0 };
    pthread_t first, second;
    int wrong = 0;

    (void)unused;
    sem_init(&early.may_go, 0, 0);
    if (pthread_create(&first, NULL, run_early, &early) != 0) return 1;
    enter();
    sem_post(&early.may_go);
    if (pthread_create(&second, NULL, run_late, &wrong) != 0) return 2;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return wrong + early.wrong + count_wrong("in the main thread", true);
}

TEST(all_threads_are_refused_forbidden_calls)
{
    check_child(make_forbidden_calls, NULL);
}

static int make_calls_outside(void *unused)
{
    (void)unused;
    return count_wrong("outside", false);
}

/* Otherwise the test above would show nothing. */
TEST(the_same_calls_are_not_refused_outside)
{
    check_child(make_calls_outside, NULL);
}

#ifdef __x86_64__
/* getpid() as an i386 program calls it. A kernel without that interface raises SIGSEGV. */
static int call_as_i386(void *unused)
{
    long result = 20;

    (void)unused;
    enter();
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return result == -EPERM ? 0 : 1;
}

TEST(calls_of_i386_programs_are_refused)
{
    const int status = run_child(call_as_i386, NULL);

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) skip_because("this kernel runs no i386 programs");
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNSUPPORTED) skip_because("no sandbox here");
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

/* --- Ordinary work ------------------------------------------------------------------------------------------------ */

static void *add_one(void *number)
{
    ++*(int *)number;
    return NULL;
}

static bool starts_threads(void)
{
    int number = 0;

    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, add_one, &number) != 0 || pthread_join(thread, NULL) != 0) return false;
    }
    return number == 20;
}

static bool uses_memory(void)
{
    const size_t size = (size_t)64 << 20;
    char *block = malloc(size), *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = block && page != MAP_FAILED && mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0;

    if (good) block[size - 1] = page[0] = 1;
    free(block);
    return good && munmap(page, PAGE) == 0;
}

static bool uses_files(const char *folder)
{
    char *first = support_path(folder, "first"), *second = support_path(folder, "second"), byte = 0;
    int file = open(first, O_RDWR | O_CREAT | O_EXCL, 0600);
    bool good = file >= 0 && write(file, "x", 1) == 1 && fsync(file) == 0 && rename(first, second) == 0 &&
                pread(file, &byte, 1, 0) == 1 && byte == 'x' && close(file) == 0 && unlink(second) == 0;

    free(first);
    free(second);
    return good;
}

static int do_ordinary_work(void *folder)
{
    enter();
    if (!starts_threads()) return 1;
    if (!uses_memory()) return 2;
    if (!uses_files(folder)) return 3;
    return raise(0) == 0 && isatty(-1) == 0 ? 0 : 4;
}

FOLDER_TEST(ordinary_work_goes_on)
{
    check_child(do_ordinary_work, *state);
}

/* Part of glibc, and in no program unless it asks for it. */
#define LIBRARY "libanl.so.1"

static int load_library(void *unused)
{
    (void)unused;
    enter();
    return !dlopen(LIBRARY, RTLD_NOW) && dlerror() ? 0 : 1;
}

static int load_library_outside(void *unused)
{
    (void)unused;
    return dlopen(LIBRARY, RTLD_NOW) ? 0 : 1;
}

TEST(libraries_cannot_be_loaded)
{
    if (run_child(load_library_outside, NULL) != 0) skip_because("no " LIBRARY);
    check_child(load_library, NULL);
}

static int enter_twice(void *unused)
{
    (void)unused;
    enter();
    enter();
    return 0;
}

TEST(the_sandbox_can_be_entered_inside_another)
{
    check_child(enter_twice, NULL);
}

/* Enters where another filter, such as that of a container, forbids to add filters. */
static int enter_where_filters_are_forbidden(void *fault)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)*(int *)fault),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { COUNT(rules), rules };
    Err err;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return EXIT_UNSUPPORTED;
    return sandbox_enter(SANDBOX_PROGRAM, &err) == ERR_UNSUPPORTED && *err.text && socket(AF_INET, SOCK_STREAM, 0) >= 0
               ? 0
               : 1;
}

TEST(says_that_the_system_has_no_sandbox)
{
    static int faults[] = { EPERM, ENOSYS, EINVAL };

    for (size_t i = 0; i < COUNT(faults); i++) check_child(enter_where_filters_are_forbidden, &faults[i]);
}

#else

TEST(a_system_without_sandbox_says_so)
{
    Err err;

    assert_int_equal(sandbox_enter(SANDBOX_PROGRAM, &err), ERR_UNSUPPORTED);
}

#endif

TESTS(test_sandbox);
