/* memory_tsv.c - see memory_tsv.h. */
#include "memory_tsv.h"

#include <string.h>

static Status add_row(MemoryMap *map, char *bytes, size_t length, Err *err)
{
    MemoryRow row;
    Status st;

    if (length && bytes[length - 1] == '\r') length--;
    if (!length) return OK;
    st = memory_row_read(&row, bytes, length, err);
    if (st != OK) return st;
    memory_row_join_lines(&row);
    return memory_map_add(map, &row, err);
}

Status memory_tsv_read(MemoryMap *map, const char *name, char *bytes, size_t size, MemoryTsvEnd *out, Err *err)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    *out = (MemoryTsvEnd){ .complete = size };
    for (size_t line = 1; at < size; line++) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        const size_t end = newline ? (size_t)(newline - bytes) : size;
        Err reason;
        Status st;
        if (!newline && memory_row_is_torn(bytes + at, end - at)) {
            out->complete = at;
            out->torn_line = line;
            return OK;
        }
        out->lacks_newline = !newline;
        st = add_row(map, bytes + at, end - at, &reason);
        if (st != OK) return err_set(err, st, "%s:%zu: %s", name, line, reason.text);
        at = end + 1;
    }
    return OK;
}
