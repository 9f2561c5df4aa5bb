/* sandbox.c - see sandbox.h: a filter of system calls, which the kernel runs before each call.
 *
 * libseccomp knows the numbers of the calls. The filter itself is written here, without allocating anything: libseccomp
 * 2.5 needs a thousand allocations for a filter, and can crash if one of them fails.
 *
 * The filter lists the forbidden calls. A list of the allowed calls would have to name every call of every version of a
 * C library, and a missing one would make translations fail on systems that nobody has tested. The filter does not
 * limit which files are read and written. */
#define _GNU_SOURCE /* CLONE_THREAD */
#include "sandbox.h"

#include "report.h"

#ifdef SANDBOX_SECCOMP

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Calls that always fail. The names are looked up when the filter is made, because not every processor has all of
 * them. */
static const char *const forbidden[] = {
    "socketcall",
    /* Other programs and processes. For clone(), see below. */
    "execve", "execveat", "uselib", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
    "process_madvise", "process_mrelease", "pidfd_open", "pidfd_getfd", "kcmp", "unshare", "setns",
    /* Executable memory by other calls than mmap() and mprotect(), for which see below. */
    "personality", "memfd_create", "memfd_secret", "remap_file_pages", "modify_ldt",
    /* Interfaces by which the kernel does things that this filter does not see, or in which errors are frequent. */
    "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "keyctl",
    "add_key", "request_key", "fanotify_init", "lookup_dcookie", "name_to_handle_at", "open_by_handle_at", "vm86",
    "vm86old", "move_pages", "migrate_pages",
    /* Rights. */
    "setuid", "setuid32", "setgid", "setgid32", "setreuid", "setreuid32", "setregid", "setregid32", "setresuid",
    "setresuid32", "setresgid", "setresgid32", "setgroups", "setgroups32", "setfsuid", "setfsuid32", "setfsgid",
    "setfsgid32", "capset",
    /* File systems and devices. */
    "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount",
    "open_tree", "mount_setattr", "mknod", "mknodat", "quotactl", "quotactl_fd", "swapon", "swapoff", "acct", "iopl",
    "ioperm",
    /* The system. */
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "settimeofday", "stime",
    "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64", "adjtimex", "sethostname", "setdomainname",
    "syslog", "vhangup", "nfsservctl"
};

/* Network calls. A standard stream only needs read() and write(), even if it is a socket. They are
 * listed by number, not by name: on processors with socketcall(), libseccomp converts their names to negative numbers
 * that the kernel does not know. SCMP_SYS() gives the real numbers if the headers of the kernel define them. */
static const int forbidden_sockets[] = { SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind),
                                         SCMP_SYS(listen) };

/* What a server does with its sockets; forbidden for the other programs. */
static const int server_calls[] = { SCMP_SYS(accept),  SCMP_SYS(accept4),  SCMP_SYS(sendto),
                                    SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg), SCMP_SYS(recvfrom),
                                    SCMP_SYS(recvmsg), SCMP_SYS(recvmmsg), SCMP_SYS(recvmmsg_time64) };

/* Calls that libseccomp 2.5 does not know. Each number is the call's number minus the number of clone3(), which is the
 * same on all processors, because calls that are newer than Linux 5.0 have the same order everywhere. */
static const int forbidden_after_clone3[] = { 25 /* lsm_set_self_attr */, 32 /* open_tree_attr */ };

#define REFUSE    (SECCOMP_RET_ERRNO | EPERM)
#define FIRST_X32 0x40000000u /* the first number of the calls of x32 (32-bit pointers) on x86-64 */
#define NEW_SPACES                                                                                                     \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* USERFAULTFD_IOC_NEW, which headers before Linux 6.1 lack. On /dev/userfaultfd, it works like userfaultfd(). */
#define NEW_USERFAULTFD _IO(0xaa, 0)

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64 /* x32 programs have it as well */
#else
#define ARCHITECTURE seccomp_arch_native()
#endif

#ifdef __s390__
#define CLONE_FLAGS 1 /* the argument of clone() */
#else
#define CLONE_FLAGS 0
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW_WORD 4
#else
#define LOW_WORD 0
#endif

/* The filter: a program of the kernel's virtual machine, which reads struct seccomp_data. */
typedef struct {
    struct sock_filter
        code[2 * (COUNT(forbidden) + COUNT(forbidden_sockets) + COUNT(server_calls) + COUNT(forbidden_after_clone3)) +
             100];
    unsigned short count;
} Filter;

static void add(Filter *filter, struct sock_filter instruction)
{
    assert(filter->count < COUNT(filter->code));
    filter->code[filter->count++] = instruction;
}

static void add_load(Filter *filter, size_t offset)
{
    add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Returns the number of a call on this processor, or a negative number if libseccomp knows none. */
static int number_of(const char *name)
{
    return seccomp_syscall_resolve_name(name);
}

/* Adds instructions that return `result` if the number that was loaded before is the number of this call. */
static void answer(Filter *filter, int number, uint32_t result)
{
    if (number < 0) return;
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

/* Forbids a call if the bits `mask` of argument number `argument` (from 0) are equal to `value`. If `is_required`,
 * forbids the call if they are not equal. Compares only the lower 32 bits: most of these arguments have no more, and
 * the compared flags are in them. */
static void forbid_value(Filter *filter, int number, size_t argument, uint32_t mask, uint32_t value, bool is_required)
{
    if (number < 0) return;
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5));
    add_load(filter, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t) + LOW_WORD);
    add(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, is_required, !is_required));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
    add_load(filter, offsetof(struct seccomp_data, nr));
}

static void write_filter(Filter *filter, SandboxKind kind)
{
    static const char *const executable[] = { "mmap", "mmap2", "mprotect", "pkey_mprotect" };
    static const uint32_t requests[] = { TIOCSTI, TIOCLINUX, NEW_USERFAULTFD };
    const int clone3 = number_of("clone3");

    filter->count = 0;
    /* Calls of other architectures, i386 and x32 on x86-64, are forbidden, because their numbers mean other calls. */
    add_load(filter, offsetof(struct seccomp_data, arch));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
    add_load(filter, offsetof(struct seccomp_data, nr));
#if defined __x86_64__ && !defined __ILP32__
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_X32, 0, 1));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
#endif
    /* New threads are allowed, new processes and namespaces are not. The flags of clone3() are in memory, where the
     * filter cannot read them. So clone3() fails as if the system did not have it; C libraries then use clone(). */
    forbid_value(filter, number_of("clone"), CLONE_FLAGS, CLONE_THREAD | NEW_SPACES, CLONE_THREAD, true);
    answer(filter, clone3, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t i = 0; i < COUNT(executable); i++)
        forbid_value(filter, number_of(executable[i]), 2, PROT_EXEC, PROT_EXEC, false);
    forbid_value(filter, SCMP_SYS(shmat), 2, SHM_EXEC, SHM_EXEC, false);
    /* TIOCSTI and TIOCLINUX put text into the input of a terminal, where the user's shell would read it. */
    for (size_t i = 0; i < COUNT(requests); i++)
        forbid_value(filter, number_of("ioctl"), 1, UINT32_MAX, requests[i], false);
    for (size_t i = 0; i < COUNT(forbidden); i++) answer(filter, number_of(forbidden[i]), REFUSE);
    for (size_t i = 0; i < COUNT(forbidden_sockets); i++) answer(filter, forbidden_sockets[i], REFUSE);
    for (size_t i = 0; kind != SANDBOX_SERVER && i < COUNT(server_calls); i++) answer(filter, server_calls[i], REFUSE);
    for (size_t i = 0; clone3 >= 0 && i < COUNT(forbidden_after_clone3); i++)
        answer(filter, clone3 + forbidden_after_clone3[i], REFUSE);
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

/* Gives all threads the filter. Kernels from 4.17 to 5.15 then also turn on a mitigation of speculative store bypass,
 * unless they are asked not to. It would slow down all computation, and only helps a process with code that must not
 * read all of its memory; this program has no such code. */
Status sandbox_enter(SandboxKind kind, Err *err)
{
    Filter filter;
    struct sock_fprog program;
    long result = -1;

    write_filter(&filter, kind);
    program = (struct sock_fprog){ filter.count, filter.code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) { /* without this, only root may load a filter */
        result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                         SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
        if (result < 0 && errno == EINVAL)
            result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    }
    if (!result) return OK;
    return err_set(err, ERR_UNSUPPORTED, "the system does not allow a filter of system calls: %s",
                   strerror(result < 0 ? errno : ESRCH /* one thread cannot have the filter */));
}

#else

Status sandbox_enter(SandboxKind kind, Err *err)
{
    (void)kind;
    return err_set(err, ERR_UNSUPPORTED,
                   "this build has none; a sandbox needs Linux, libseccomp and a build without sanitizers");
}

#endif

void sandbox_start(SandboxKind kind, bool is_off, bool is_verbose)
{
    Err reason;
    const Status st = is_off ? OK : sandbox_enter(kind, &reason);

    if (!is_verbose) return;
    if (st != OK)
        report("sandbox: off: %s", reason.text);
    else
        report(is_off ? "sandbox: off (--no-sandbox)" : "sandbox: on");
}
