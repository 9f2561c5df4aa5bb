/* fault_calls.c - the functions that can be made to fail, see fault_injection.h.
 * Each passes its call on to the next library, which is the address sanitizer for those that it checks. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fault_ask.h"

/* The dynamic linker gives these definitions to the libraries, too. */
#pragma GCC visibility push(default)

static void *find_next(_Atomic(void *) *slot, const char *name)
{
    if (!*slot) *slot = dlsym(RTLD_NEXT, name);
    return *slot;
}

/* The function of this name in the next library. */
#define NEXT(name)                                                                                                     \
    ({                                                                                                                 \
        static _Atomic(void *) next_;                                                                                  \
        (__typeof__(&(name)))find_next(&next_, #name);                                                                 \
    })

#define ASK(kind, nature, name, code) fault_ask((FaultCall){ kind, nature, name, __builtin_return_address(0) }, code)
#define FAILS(kind, name, code)       (ASK(kind, FAULT_PLAIN, name, code) == FAULT_FAIL)

/* A call that returns `failure` when it fails and otherwise what the next library returns. */
#define PASS_ON(kind, name, code, failure, ...) return FAILS(kind, #name, code) ? (failure) : NEXT(name)(__VA_ARGS__)

/* Defines a function that does so and nothing else: PARAMETERS and the arguments for the next library. */
#define DEFINE(kind, nature, result, name, code, failure, parameters, ...)                                             \
    result name parameters                                                                                             \
    {                                                                                                                  \
        return ASK(kind, nature, #name, code) == FAULT_FAIL ? (failure) : NEXT(name)(__VA_ARGS__);                     \
    }

/* --- Memory. The sanitizer exports these names, so that no look-up is needed before it is ready. */
void *__interceptor_malloc(size_t size);

void *__interceptor_calloc(size_t count, size_t size);

void *__interceptor_realloc(void *old, size_t size);

void *__interceptor_aligned_alloc(size_t alignment, size_t size);

int __interceptor_posix_memalign(void **out, size_t alignment, size_t size);

void *malloc(size_t size)
{
    return FAILS(FAULT_MEMORY, "malloc", ENOMEM) ? NULL : __interceptor_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return FAILS(FAULT_MEMORY, "calloc", ENOMEM) ? NULL : __interceptor_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return FAILS(FAULT_MEMORY, "realloc", ENOMEM) ? NULL : __interceptor_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return FAILS(FAULT_MEMORY, "aligned_alloc", ENOMEM) ? NULL : __interceptor_aligned_alloc(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (FAILS(FAULT_MEMORY, "posix_memalign", ENOMEM)) return ENOMEM;
    return __interceptor_posix_memalign(out, alignment, size);
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = __interceptor_malloc(length + 1);

    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *strdup(const char *text)
{
    return FAILS(FAULT_MEMORY, "strdup", ENOMEM) ? NULL : copy_text(text, strlen(text));
}

char *strndup(const char *text, size_t most)
{
    return FAILS(FAULT_MEMORY, "strndup", ENOMEM) ? NULL : copy_text(text, strnlen(text, most));
}

DEFINE(FAULT_MAP, FAULT_PLAIN, void *, mmap, ENOMEM, MAP_FAILED,
       (void *address, size_t size, int protection, int flags, int fd, off_t offset), address, size, protection, flags,
       fd, offset)

/* --- Opening */
static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    PASS_ON(FAULT_OPEN, open, EMFILE, -1, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    PASS_ON(FAULT_OPEN, openat, EMFILE, -1, folder, path, flags, mode);
}

DEFINE(FAULT_OPEN, FAULT_PLAIN, FILE *, fopen, EMFILE, NULL, (const char *path, const char *mode), path, mode)
DEFINE(FAULT_OPEN, FAULT_PLAIN, DIR *, opendir, EMFILE, NULL, (const char *path), path)
DEFINE(FAULT_OPEN, FAULT_PLAIN, int, scandir, EMFILE, -1,
       (const char *path, struct dirent ***out, int (*choose)(const struct dirent *),
        int (*compare)(const struct dirent **, const struct dirent **)),
       path, out, choose, compare)
DEFINE(FAULT_OPEN, FAULT_PLAIN, void *, dlopen, EMFILE, NULL, (const char *path, int mode), path, mode)
DEFINE(FAULT_OPEN, FAULT_PLAIN, int, pipe, EMFILE, -1, (int ends[2]), ends)

/* Only the calls that make a new descriptor can fail; their argument, like that of the others, fits a long. */
int fcntl(int fd, int command, ...)
{
    va_list arguments;
    long argument;

    va_start(arguments, command);
    argument = va_arg(arguments, long);
    va_end(arguments);
    if (command != F_DUPFD_CLOEXEC && command != F_DUPFD) return NEXT(fcntl)(fd, command, argument);
    PASS_ON(FAULT_OPEN, fcntl, EMFILE, -1, fd, command, argument);
}

/* --- Reading and writing. A short call takes one byte. */
#define TRANSFER(kind, name, code, fd, bytes, count, ...)                                                              \
    do {                                                                                                               \
        const FaultAnswer answer_ = ASK(kind, FAULT_TRANSFERS, #name, code);                                           \
        if (answer_ == FAULT_FAIL) return -1;                                                                          \
        return NEXT(name)(fd, bytes, answer_ == FAULT_SHORTEN && (count) ? 1 : (count), ##__VA_ARGS__);                \
    } while (0)

ssize_t read(int fd, void *bytes, size_t count)
{
    TRANSFER(FAULT_READ, read, EIO, fd, bytes, count);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at)
{
    TRANSFER(FAULT_READ, pread, EIO, fd, bytes, count, at);
}

/* The error flag of a stream has no function that sets it; its bit is part of the interface of glibc. */
size_t fread(void *bytes, size_t size, size_t count, FILE *file)
{
    if (!FAILS(FAULT_READ, "fread", EIO)) return NEXT(fread)(bytes, size, count, file);
    file->_flags |= 0x20; /* _IO_ERR_SEEN */
    return 0;
}

DEFINE(FAULT_READ, FAULT_PLAIN, struct dirent *, readdir, EIO, NULL, (DIR * folder), folder)

ssize_t write(int fd, const void *bytes, size_t count)
{
    TRANSFER(FAULT_WRITE, write, ENOSPC, fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    TRANSFER(FAULT_WRITE, pwrite, ENOSPC, fd, bytes, count, at);
}

/* Messages go through writev(): they may be interrupted and cut, but the driver has to see them. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    const FaultAnswer answer = ASK(FAULT_WRITE, FAULT_TRANSFERS, "writev", ENOSPC);

    if (answer == FAULT_FAIL && (fd != STDERR_FILENO || errno == EINTR)) return -1;
    if (answer == FAULT_SHORTEN && parts->iov_len) return NEXT(write)(fd, parts->iov_base, 1);
    return NEXT(writev)(fd, parts, count);
}

DEFINE(FAULT_WRITE, FAULT_PLAIN, int, ftruncate, EIO, -1, (int fd, off_t size), fd, size)
DEFINE(FAULT_WRITE, FAULT_PLAIN, int, posix_fallocate, ENOSPC, errno, (int fd, off_t at, off_t size), fd, at, size)
DEFINE(FAULT_WRITE, FAULT_PLAIN, int, mkdir, ENOSPC, -1, (const char *path, mode_t mode), path, mode)

/* --- Ends of files */
int close(int fd)
{
    const bool fails = FAILS(FAULT_CLOSE, "close", EIO);
    const int code = errno, result = NEXT(close)(fd);

    if (!fails) return result;
    errno = code;
    return -1;
}

int fclose(FILE *file)
{
    const bool fails = FAILS(FAULT_CLOSE, "fclose", EIO);
    const int code = errno, result = NEXT(fclose)(file);

    if (!fails) return result;
    errno = code;
    return EOF;
}

DEFINE(FAULT_SYNC, FAULT_PLAIN, int, fsync, EIO, -1, (int fd), fd)
DEFINE(FAULT_RENAME, FAULT_PLAIN, int, rename, EIO, -1, (const char *from, const char *to), from, to)
DEFINE(FAULT_RENAME, FAULT_PLAIN, int, unlink, EIO, -1, (const char *path), path)
DEFINE(FAULT_RENAME, FAULT_PLAIN, int, unlinkat, EIO, -1, (int folder, const char *path, int flags), folder, path,
       flags)

/* --- What the system knows about files and descriptors */
DEFINE(FAULT_LOOK, FAULT_PLAIN, int, stat, EIO, -1, (const char *path, struct stat *out), path, out)
DEFINE(FAULT_LOOK, FAULT_PLAIN, int, lstat, EIO, -1, (const char *path, struct stat *out), path, out)
DEFINE(FAULT_LOOK, FAULT_PLAIN, int, fstat, EIO, -1, (int fd, struct stat *out), fd, out)
DEFINE(FAULT_LOOK, FAULT_PLAIN, int, fstatat, EIO, -1, (int folder, const char *path, struct stat *out, int flags),
       folder, path, out, flags)
DEFINE(FAULT_LOOK, FAULT_PLAIN, int, access, EIO, -1, (const char *path, int mode), path, mode)
DEFINE(FAULT_LOOK, FAULT_PLAIN, char *, realpath, EIO, NULL, (const char *path, char *out), path, out)
DEFINE(FAULT_LOOK, FAULT_PLAIN, ssize_t, readlink, EIO, -1, (const char *path, char *out, size_t room), path, out, room)
DEFINE(FAULT_LOOK, FAULT_WAITS, int, flock, ENOLCK, -1, (int fd, int operation), fd, operation)
DEFINE(FAULT_LOOK, FAULT_WAITS, int, poll, ENOMEM, -1, (struct pollfd * items, nfds_t count, int timeout), items, count,
       timeout)
DEFINE(FAULT_LOOK, FAULT_PLAIN, int, fchown, EPERM, -1, (int fd, uid_t owner, gid_t group), fd, owner, group)
DEFINE(FAULT_LOOK, FAULT_PLAIN, int, fchmod, EPERM, -1, (int fd, mode_t mode), fd, mode)

/* --- Threads: these return the error. */
DEFINE(FAULT_THREAD, FAULT_PLAIN, int, pthread_create, EAGAIN, errno,
       (pthread_t * out, const pthread_attr_t *attributes, void *(*run)(void *), void *argument), out, attributes, run,
       argument)
DEFINE(FAULT_THREAD, FAULT_PLAIN, int, pthread_attr_init, ENOMEM, errno, (pthread_attr_t * attributes), attributes)
DEFINE(FAULT_THREAD, FAULT_PLAIN, int, pthread_mutex_init, ENOMEM, errno,
       (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes), mutex, attributes)
DEFINE(FAULT_THREAD, FAULT_PLAIN, int, pthread_cond_init, ENOMEM, errno,
       (pthread_cond_t * condition, const pthread_condattr_t *attributes), condition, attributes)
#pragma GCC visibility pop
