/* forbidden_calls.c - see forbidden_calls.h. The arguments are such that a call does no harm if it is not refused, and
 * then fails with another error, if at all. */
#define _GNU_SOURCE
#include "forbidden_calls.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096

static long call_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static long call_unix_socket(void)
{
    return socket(AF_UNIX, SOCK_DGRAM, 0);
}

static long call_socketpair(void)
{
    int ends[2];

    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static long call_connect(void)
{
    return connect(-1, NULL, 0);
}

static long call_bind(void)
{
    return bind(-1, NULL, 0);
}

static long call_listen(void)
{
    return listen(-1, 1);
}

static long call_accept(void)
{
    return accept(-1, NULL, NULL);
}

static long call_send(void)
{
    return send(-1, "", 1, 0);
}

static long call_receive_message(void)
{
    struct msghdr message = { 0 };

    return recvmsg(-1, &message, 0);
}

static long call_execve(void)
{
    return syscall(SYS_execve, NULL, NULL, NULL);
}

static long call_execveat(void)
{
    return syscall(SYS_execveat, -1, NULL, NULL, NULL, 0);
}

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

/* Outside, the kernel refuses these flags together. */
static long call_clone_in_new_namespace(void)
{
    return syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWUSER, 0, 0, 0, 0);
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

static long call_ptrace(void)
{
    return ptrace(PTRACE_CONT, -1, NULL, NULL);
}

static long call_process_read(void)
{
    return process_vm_readv(-1, NULL, 0, NULL, 0, 0);
}

static long call_process_write(void)
{
    return process_vm_writev(-1, NULL, 0, NULL, 0, 0);
}

static long map(int protection)
{
    void *page = mmap(NULL, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return page == MAP_FAILED ? -1 : 0;
}

static long call_map_code(void)
{
    return map(PROT_READ | PROT_EXEC);
}

static long call_map_writable_code(void)
{
    return map(PROT_READ | PROT_WRITE | PROT_EXEC);
}

static long call_map_file_of_code(void)
{
    const int file = open("/proc/self/exe", O_RDONLY);
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

    return page == MAP_FAILED ? -1 : 0;
}

static long protect(long number)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return syscall(number, page, (size_t)PAGE, PROT_READ | PROT_EXEC, -1);
}

static long call_make_code(void)
{
    return protect(SYS_mprotect);
}

static long call_make_code_with_key(void)
{
    return protect(SYS_pkey_mprotect);
}

static long call_attach_code(void)
{
    return (long)shmat(-1, NULL, SHM_EXEC);
}

static long call_memfd(void)
{
    return memfd_create("code", 0);
}

static long call_personality(void)
{
    return syscall(SYS_personality, 0xffffffffUL);
}

static long call_io_uring(void)
{
    return syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0);
}

static long call_keyctl(void)
{
    return syscall(SYS_keyctl, -1, 0, 0, 0, 0);
}

static long call_perf(void)
{
    return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
}

static long call_bpf(void)
{
    return syscall(SYS_bpf, -1, NULL, 0);
}

static long call_userfaultfd(void)
{
    return syscall(SYS_userfaultfd, -1);
}

static long call_open_by_handle(void)
{
    return syscall(SYS_open_by_handle_at, -1, NULL, 0);
}

static long call_mount(void)
{
    return syscall(SYS_mount, NULL, NULL, NULL, 0, NULL);
}

static long call_unshare(void)
{
    return unshare(0);
}

static long call_setns(void)
{
    return setns(-1, 0);
}

static long call_setuid(void)
{
    return setuid(getuid());
}

static long call_setresgid(void)
{
    return setresgid((gid_t)-1, (gid_t)-1, (gid_t)-1);
}

static long call_init_module(void)
{
    return syscall(SYS_init_module, NULL, 0, NULL);
}

static long call_kexec(void)
{
    return syscall(SYS_kexec_load, 0, 0, NULL, -1);
}

static long call_type(void)
{
    return ioctl(-1, TIOCSTI, "x");
}

/* The kernel ignores the upper half of the request. */
static long call_type_with_high_bits(void)
{
    return syscall(SYS_ioctl, -1, TIOCSTI | 1UL << 32, "x");
}

static long call_new_userfaultfd(void)
{
    return ioctl(-1, _IO(0xaa, 0));
}

/* The C library and libseccomp may not know these yet. */
static long call_lsm_set_self_attr(void)
{
    return syscall(460, 0, NULL, 0, 0);
}

static long call_open_tree_attr(void)
{
    return syscall(467, -1, NULL, 0, NULL, 0);
}

#ifdef __x86_64__
#define X32 0x40000000L

static long call_x32(void)
{
    return syscall(X32 + SYS_getpid);
}
#endif

const ForbiddenCall forbidden_calls[] = {
    { "socket", call_socket, EPERM, false },
    { "unix socket", call_unix_socket, EPERM, false },
    { "socketpair", call_socketpair, EPERM, false },
    { "connect", call_connect, EPERM, false },
    { "bind", call_bind, EPERM, false },
    { "listen", call_listen, EPERM, false },
    { "accept", call_accept, EPERM, false },
    { "send", call_send, EPERM, false },
    { "recvmsg", call_receive_message, EPERM, false },
    { "execve", call_execve, EPERM, false },
    { "execveat", call_execveat, EPERM, false },
    { "fork", call_fork, EPERM, false },
    { "clone", call_clone, EPERM, false },
    { "clone with CLONE_THREAD and CLONE_NEWUSER", call_clone_in_new_namespace, EPERM, false },
    { "clone3", call_clone3, ENOSYS, true },
    { "posix_spawn", call_spawn, EPERM, false },
    { "ptrace", call_ptrace, EPERM, false },
    { "process_vm_readv", call_process_read, EPERM, false },
    { "process_vm_writev", call_process_write, EPERM, false },
    { "mmap of code", call_map_code, EPERM, false },
    { "mmap of writable code", call_map_writable_code, EPERM, false },
    { "mmap of a file of code", call_map_file_of_code, EPERM, false },
    { "mprotect", call_make_code, EPERM, false },
    { "pkey_mprotect", call_make_code_with_key, EPERM, false },
    { "shmat", call_attach_code, EPERM, false },
    { "memfd_create", call_memfd, EPERM, false },
    { "personality", call_personality, EPERM, true },
    { "io_uring_enter", call_io_uring, EPERM, true },
    { "keyctl", call_keyctl, EPERM, true },
    { "perf_event_open", call_perf, EPERM, true },
    { "bpf", call_bpf, EPERM, true },
    { "userfaultfd", call_userfaultfd, EPERM, true },
    { "open_by_handle_at", call_open_by_handle, EPERM, true },
    { "mount", call_mount, EPERM, true },
    { "unshare", call_unshare, EPERM, true },
    { "setns", call_setns, EPERM, true },
    { "setuid", call_setuid, EPERM, false },
    { "setresgid", call_setresgid, EPERM, false },
    { "init_module", call_init_module, EPERM, true },
    { "kexec_load", call_kexec, EPERM, true },
    { "TIOCSTI", call_type, EPERM, false },
    { "TIOCSTI with high bits", call_type_with_high_bits, EPERM, false },
    { "USERFAULTFD_IOC_NEW", call_new_userfaultfd, EPERM, false },
    { "lsm_set_self_attr", call_lsm_set_self_attr, EPERM, true },
    { "open_tree_attr", call_open_tree_attr, EPERM, true },
#ifdef __x86_64__
    { "x32", call_x32, EPERM, false },
#endif
};

const size_t forbidden_call_count = sizeof forbidden_calls / sizeof *forbidden_calls;

#endif
