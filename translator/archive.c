/* archive.c - see dragoman_archive.h. */
#include "dragoman_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "option_fields.h"
#include "path.h"
#include "write_all.h"
#include "zip_file.h"

typedef struct {
    const char *path;   /* of the archive */
    const char *folder; /* to write to */
    ZipFile zip;
    uint64_t left; /* bytes that may still be unpacked */
    char *top;     /* the folder that contains all entries */
} Unpacking;

/* Copies the name; ERR_FORMAT if it could lead out of the folder. */
static Status copy_name(char **out, const Unpacking *u, size_t index, Err *err)
{
    size_t size, at = 0;
    const char *name = zip_file_name(&u->zip, index, &size);
    bool safe = size && !memchr(name, '\0', size) && !memchr(name, '\\', size);

    while (safe && at < size) {
        const char *slash = memchr(name + at, '/', size - at);
        size_t len = slash ? (size_t)(slash - name) - at : size - at;
        safe = len && !(len <= 2 && memcmp(name + at, "..", len) == 0);
        at += len + 1;
    }
    *out = safe ? strndup(name, size) : NULL;
    if (!safe) return err_set(err, ERR_FORMAT, "%s: refused: unsafe file name in the archive", u->path);
    if (!*out) return err_memory(err, "a file name");
    if (!zip_file_is_special(&u->zip, index)) return OK;
    return err_set(err, ERR_FORMAT, "%s: refused: %s is a link or a special file", u->path, *out);
}

/* All entries must be in the folder of the first one. */
static Status check_top(Unpacking *u, const char *name, Err *err)
{
    const size_t len = strcspn(name, "/");

    if (!name[len] || (u->top && (strlen(u->top) != len || strncmp(u->top, name, len) != 0)))
        return err_set(err, ERR_FORMAT, "%s: the files of the archive are not in one folder", u->path);
    if (!u->top && !(u->top = strndup(name, len))) return err_memory(err, "a file name");
    return OK;
}

/* Creates the folders in the path, which ends with a slash or with the name of a file. */
static Status create_folders(char *path, size_t root, Err *err)
{
    for (char *slash = strchr(path + root, '/'); slash; slash = strchr(slash + 1, '/')) {
        int code;
        *slash = '\0';
        code = mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
        if (code) return err_set(err, ERR_IO, "%s: %s", path, strerror(code));
        *slash = '/';
    }
    return OK;
}

static Status write_file(const char *path, const unsigned char *data, size_t size, Err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    int fault = fd < 0 ? errno : write_all(fd, data, size);

    if (fd >= 0 && fsync(fd) != 0 && !fault && errno != EINVAL && errno != ENOTSUP) fault = errno;
    if (fd >= 0 && close(fd) != 0 && !fault) fault = errno;
    return fault ? err_set(err, ERR_IO, "%s: %s", path, strerror(fault)) : OK;
}

static Status unpack_entry(Unpacking *u, size_t index, const char *name, const char *path, Err *err)
{
    const unsigned char *data = NULL;
    MappedFile file = { 0 };
    size_t size = 0;
    Status st;

    if (u->zip.entries[index].size > u->left)
        return err_set(err, ERR_FORMAT, "%s: refused: the archive is too large when unpacked", u->path);
    u->left -= u->zip.entries[index].size;
    st = zip_file_read(&u->zip, name, &data, &size, &file, err);
    if (st == OK && !zip_file_has_checksum(&u->zip, index, data ? data : (const unsigned char *)"", size))
        st = err_set(err, ERR_FORMAT, "%s: checksum mismatch of %s: the archive is corrupt", u->path, name);
    if (st == OK) st = write_file(path, data, size, err);
    mapped_file_close(&file);
    return st;
}

static Status unpack(Unpacking *u, size_t index, Err *err)
{
    char *name = NULL, *path = NULL;
    Status st = copy_name(&name, u, index, err);

    if (st == OK) st = check_top(u, name, err);
    if (st == OK && !(path = path_join(u->folder, name))) st = err_memory(err, "a path");
    if (st == OK) st = create_folders(path, strlen(u->folder) + 1, err);
    if (st == OK && name[strlen(name) - 1] != '/') st = unpack_entry(u, index, name, path, err);
    free(path);
    free(name);
    return st;
}

static Status unpack_all(Unpacking *u, Err *err)
{
    MappedFile map = { 0 };
    int fault;
    Status st = mapped_file_open(&map, u->path, &fault, err);

    if (st == OK && !zip_file_is(&map)) st = err_set(err, ERR_FORMAT, "%s: is not a zip archive", u->path);
    if (st == OK) st = zip_file_open(&u->zip, &map, u->path, err);
    for (size_t i = 0; st == OK && i < u->zip.count; i++) st = unpack(u, i, err);
    if (st == OK && !u->top) st = err_set(err, ERR_FORMAT, "%s: the archive is empty", u->path);
    zip_file_close(&u->zip);
    mapped_file_close(&map);
    return st;
}

DragomanStatus dragoman_unpack_archive(const char *archive, const char *folder, uint64_t most, char **name,
                                       DragomanError *error)
{
    Unpacking u = { .path = archive, .folder = folder, .left = most };
    Err err = { "" };
    Status st = unpack_all(&u, &err);

    *name = NULL;
    if (st == OK)
        *name = u.top;
    else
        free(u.top);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}
