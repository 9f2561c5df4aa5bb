/* sandbox.c - see sandbox.h. libseccomp makes a filter of system calls, which the kernel runs before each call.
 *
 * The filter lists what is forbidden. A list of what is allowed would have to name every call that some version of a C
 * library makes, and a missing one would end translations on systems that nobody has tested. The filter does not limit
 * which files are read and written. */
#define _GNU_SOURCE /* CLONE_THREAD */
#include "sandbox.h"

#ifdef SANDBOX_SECCOMP

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>

/* Calls that always fail. The names are looked up when the filter is made, because neither each version of libseccomp
 * nor each processor has all of them. */
static const char *const forbidden[] = {
    /* Network. With sockets that were inherited, too: read() and write() are enough for a standard stream. */
    "socket", "socketcall", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg",
    "sendmmsg", "recvfrom", "recvmsg", "recvmmsg", "recvmmsg_time64",
    /* Other programs and processes. clone() is below. */
    "execve", "execveat", "uselib", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
    "process_madvise", "process_mrelease", "pidfd_open", "pidfd_getfd", "kcmp", "unshare", "setns",
    /* Executable memory by other ways than mmap() and mprotect(), which are below. */
    "personality", "memfd_create", "memfd_secret", "remap_file_pages", "modify_ldt",
    /* Interfaces of the kernel that do work for the process past this filter, or have often had errors. */
    "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "keyctl",
    "add_key", "request_key", "fanotify_init", "lookup_dcookie", "name_to_handle_at", "open_by_handle_at", "vm86",
    "vm86old", "move_pages", "migrate_pages",
    /* Rights. */
    "setuid", "setuid32", "setgid", "setgid32", "setreuid", "setreuid32", "setregid", "setregid32", "setresuid",
    "setresuid32", "setresgid", "setresgid32", "setgroups", "setgroups32", "setfsuid", "setfsuid32", "setfsgid",
    "setfsgid32", "capset",
    /* File systems and devices. */
    "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount",
    "open_tree", "open_tree_attr", "mount_setattr", "mknod", "mknodat", "quotactl", "quotactl_fd", "swapon", "swapoff",
    "acct", "iopl", "ioperm",
    /* The system. */
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "settimeofday", "stime",
    "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64", "adjtimex", "sethostname", "setdomainname",
    "syslog", "vhangup", "nfsservctl", "lsm_set_self_attr"
};

/* Forbids a call. Returns 0 or a negative error number. A name that libseccomp does not know is skipped. */
static int forbid(scmp_filter_ctx filter, const char *name)
{
    const int number = seccomp_syscall_resolve_name(name);

    return number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
}

/* Forbids a call if `argument`, counted from 0, has the value in the bits of the mask. */
static int forbid_value(scmp_filter_ctx filter, const char *name, unsigned argument, scmp_datum_t mask,
                        scmp_datum_t value)
{
    const struct scmp_arg_cmp condition = { argument, SCMP_CMP_MASKED_EQ, mask, value };
    const int number = seccomp_syscall_resolve_name(name);

    return number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number, 1, &condition);
}

/* New threads are allowed, new processes are not. The flags of clone3() are in memory, where the filter cannot read
 * them, so the system seems not to have this call; C libraries then use clone(). */
static int forbid_processes(scmp_filter_ctx filter)
{
    const int clone3 = seccomp_syscall_resolve_name("clone3");
    const int fault = forbid_value(filter, "clone", 0, CLONE_THREAD, 0);

    if (fault || clone3 == __NR_SCMP_ERROR) return fault;
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), clone3, 0);
}

static int forbid_executable_memory(scmp_filter_ctx filter)
{
    static const char *const names[] = { "mmap", "mmap2", "mprotect", "pkey_mprotect" };
    int fault = 0;

    for (size_t i = 0; !fault && i < sizeof names / sizeof *names; i++)
        fault = forbid_value(filter, names[i], 2, PROT_EXEC, PROT_EXEC);
    return fault ? fault : forbid_value(filter, "shmat", 2, SHM_EXEC, SHM_EXEC);
}

/* These requests put text into the input of a terminal, where the user's shell would read it. The kernel compares 32
 * bits only. */
static int forbid_typing(scmp_filter_ctx filter)
{
    static const scmp_datum_t requests[] = { TIOCSTI, TIOCLINUX };
    int fault = 0;

    for (size_t i = 0; !fault && i < sizeof requests / sizeof *requests; i++)
        fault = forbid_value(filter, "ioctl", 1, UINT32_MAX, requests[i]);
    return fault;
}

static int forbid_all(scmp_filter_ctx filter)
{
    int fault = 0;

    for (size_t i = 0; !fault && i < sizeof forbidden / sizeof *forbidden; i++) fault = forbid(filter, forbidden[i]);
    if (!fault) fault = forbid_processes(filter);
    if (!fault) fault = forbid_executable_memory(filter);
    return fault ? fault : forbid_typing(filter);
}

/* All threads get the filter; calls of another processor architecture (i386 and x32 on x86-64) are refused like those
 * above. The rest needs libseccomp 2.5 and affects speed only: a search in a binary tree, and no mitigation of
 * speculative store bypass, which kernels before 5.16 turn on with a filter. It would slow down all computation, and
 * protects a process from code inside it that may not read all its memory; here there is none. */
static int set_attributes(scmp_filter_ctx filter)
{
    int fault = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);

    if (!fault) fault = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
#if SCMP_VER_MAJOR > 2 || SCMP_VER_MINOR >= 5
    if (!fault) fault = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
    if (!fault) (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (!fault) (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
#endif
    return fault;
}

/* seccomp_load() also sets no_new_privs, without which only root may load a filter. */
Status sandbox_enter(Err *err)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int fault = filter ? set_attributes(filter) : -ENOMEM;

    if (!fault) fault = forbid_all(filter);
    if (!fault) fault = seccomp_load(filter);
    if (filter) seccomp_release(filter);
    if (!fault) return OK;
    return err_set(err, ERR_UNSUPPORTED, "the system does not allow a filter of system calls: %s", strerror(-fault));
}

#else

Status sandbox_enter(Err *err)
{
    return err_set(err, ERR_UNSUPPORTED,
                   "this build has none; a sandbox needs Linux, libseccomp and a build without sanitizers");
}

#endif
