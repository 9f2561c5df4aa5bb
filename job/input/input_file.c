/* input_file.c - see input_file.h. */
#include "input_file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

#define CHUNK_BYTES     ((size_t)8192)
#define LONGEST_PARTIAL ((size_t)3) /* bytes of a character whose end is in the next chunk */

static Status read_at(int fd, off_t position, char *bytes, size_t room, size_t *count, Err *err)
{
    ssize_t n;

    do n = pread(fd, bytes, room, position);
    while (n < 0 && errno == EINTR);
    if (n < 0) return err_set(err, ERR_IO, "%s", strerror(errno));
    *count = (size_t)n;
    return OK;
}

Status input_check_text(int fd, bool *is_text, Err *err)
{
    char chunk[LONGEST_PARTIAL + CHUNK_BYTES];
    size_t kept = 0, count = 0;
    off_t position = 0;

    for (;;) {
        Status st = read_at(fd, position, chunk + kept, CHUNK_BYTES, &count, err);
        size_t filled = kept + count, clean;

        if (st != OK) return st;
        clean = utf8_clean_length(chunk, filled);
        kept = filled - clean;
        *is_text = kept == 0;
        if (!count || kept > LONGEST_PARTIAL) return OK;
        position += (off_t)count;
        memmove(chunk, chunk + clean, kept);
    }
}

bool input_is_changed(const struct stat *before, const struct stat *now)
{
    return now->st_size != before->st_size || now->st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

const char *input_change(const struct stat *before, int fd)
{
    struct stat now;

    if (fstat(fd, &now) != 0) return strerror(errno);
    return input_is_changed(before, &now) ? INPUT_CHANGED : NULL;
}
