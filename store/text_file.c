/* text_file.c - see text_file.h. Files that are not compressed are read by zlib as well, which leaves them unchanged.
 * Only zstd files and files in containers are read as a whole. */
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "file_kind.h"
#include "stored_file.h"
#include "text.h"

struct TextFile {
    const char *path;
    gzFile file;    /* NULL: the text is in `map` */
    MappedFile map; /* map.data[taken ..) is unread */
    size_t taken;
    char chunk[1 << 16]; /* chunk[at .. end) is unread */
    size_t at, end;
    Buf line;
    size_t number;
};

Status text_file_open(TextFile **out, int fd, const char *path, Err *err)
{
    TextFile *f = calloc(1, sizeof *f);
    Status st = OK;

    *out = NULL;
    if (!f) return err_memory(err, path);
    f->path = path;
    if (fd == TEXT_FILE_PATH) {
        if (!text_ends_with(path, ".zst")) f->file = gzopen(path, "rb");
        if (!f->file) st = stored_file_open(&f->map, path, err);
    } else {
        const int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (own < 0) st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        if (own >= 0) f->file = gzdopen(own, "rb");
        if (own >= 0 && !f->file) {
            close(own);
            st = err_memory(err, path);
        }
    }
    if (st == OK)
        *out = f;
    else
        free(f);
    return st;
}

void text_file_close(TextFile *file)
{
    if (!file) return;
    if (file->file) gzclose(file->file);
    mapped_file_close(&file->map);
    buf_free(&file->line);
    free(file);
}

/* If the chunk is empty, reads the next one, unless the file has ended. */
static Status fill_chunk(TextFile *f, Err *err)
{
    int got, fault = Z_OK;

    if (f->at < f->end) return OK;
    if (f->file) {
        got = gzread(f->file, f->chunk, sizeof f->chunk);
        if (got <= 0) (void)gzerror(f->file, &fault);
    } else {
        const size_t left = f->map.size - f->taken;
        got = left < sizeof f->chunk ? (int)left : (int)sizeof f->chunk;
        if (got) memcpy(f->chunk, f->map.data + f->taken, (size_t)got);
        f->taken += (size_t)got;
    }
    f->at = 0;
    f->end = got > 0 ? (size_t)got : 0;
    if (fault == Z_OK || fault == Z_STREAM_END) return OK;
    if (fault == Z_MEM_ERROR) return err_memory(err, f->path);
    if (fault == Z_ERRNO)
        return err_set(err, ERR_IO, "%s: cannot be read after line %zu: %s", f->path, f->number, strerror(errno));
    return err_set(err, ERR_FORMAT, "%s is %s after line %zu: its gzip data %s; download it again", f->path,
                   fault == Z_BUF_ERROR ? "cut off" : "damaged", f->number,
                   fault == Z_BUF_ERROR ? "end there" : "cannot be decompressed");
}

Status text_file_next(TextFile *file, const Buf **line, Err *err)
{
    TextFile *f = file;
    const char *newline = NULL;
    Status st = fill_chunk(f, err);

    *line = NULL;
    buf_clear(&f->line);
    if (st != OK || f->at == f->end) return st;
    f->number++;
    while (st == OK && !newline && f->at < f->end) {
        size_t len = f->end - f->at; /* length of the part of the line that is in the chunk */
        newline = memchr(f->chunk + f->at, '\n', len);
        if (newline) len = (size_t)(newline - (f->chunk + f->at));
        if (f->line.len + len > TEXT_FILE_LONGEST)
            return err_set(err, ERR_FORMAT, "%s: line %zu has more than %zu bytes", f->path, f->number,
                           TEXT_FILE_LONGEST);
        buf_put(&f->line, f->chunk + f->at, len);
        st = buf_check(&f->line, err);
        f->at += len + (newline != NULL);
        if (st == OK && !newline) st = fill_chunk(f, err);
    }
    if (st != OK) return st;
    if (f->line.len && f->line.data[f->line.len - 1] == '\r') f->line.data[--f->line.len] = '\0';
    if (f->number == 1) {
        const MappedFile first = { .data = (const unsigned char *)f->line.data, .size = f->line.len };
        if (file_kind_is_lfs_pointer(&first)) return file_kind_refuse_lfs_pointer(f->path, err);
    }
    *line = &f->line;
    return OK;
}

size_t text_file_line(const TextFile *file)
{
    return file->number;
}
