/* fault_ask.h - the question that a function asks which may have to fail, in C and in C++; see fault_injection.h. */
#ifndef DRAGOMAN_FAULT_ASK_H
#define DRAGOMAN_FAULT_ASK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Groups of calls that are counted together. All but FAULT_LIBRARY counts calls of dragoman's own code only. */
typedef enum {
    FAULT_MEMORY,  /* malloc, calloc, realloc, aligned_alloc, strdup, strndup, operator new */
    FAULT_LIBRARY, /* the same, called by libraries: cJSON, SentencePiece, ICU, libyaml, zlib, zstd, expat, libc ... */
    FAULT_MAP,     /* mmap */
    FAULT_OPEN,    /* open, openat, fopen, opendir, scandir, dlopen, pipe, fcntl that duplicates */
    FAULT_READ,    /* read, pread, fread, readdir */
    FAULT_WRITE,   /* write, pwrite, writev (except to standard error), ftruncate, posix_fallocate, mkdir */
    FAULT_CLOSE,   /* close, fclose: the descriptor is closed, as Linux does, and an error is returned */
    FAULT_SYNC,    /* fsync */
    FAULT_RENAME,  /* rename, unlink, unlinkat */
    FAULT_LOOK,    /* stat, lstat, fstat, fstatat, access, realpath, readlink, flock, poll, fchown, fchmod */
    FAULT_THREAD,  /* pthread_create, pthread_attr_init, pthread_mutex_init, pthread_cond_init */
    FAULT_KINDS
} FaultKind;

typedef enum { FAULT_NONE, FAULT_FAIL, FAULT_SHORTEN } FaultAnswer;

/* What a function does besides failing: a signal may interrupt one that waits, and one that transfers bytes may also
 * transfer fewer than it was asked to. */
typedef enum { FAULT_PLAIN, FAULT_WAITS, FAULT_TRANSFERS } FaultNature;

typedef struct {
    FaultKind kind;
    FaultNature nature;
    const char *name;
    const void *caller; /* the return address */
} FaultCall;

/* Counts a call and says what it must do. After FAULT_FAIL, errno is `code`, or EINTR. */
FaultAnswer fault_ask(FaultCall call, int code);

#ifdef __cplusplus
}
#endif

#endif
