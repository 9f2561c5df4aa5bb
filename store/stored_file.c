/* stored_file.c - see stored_file.h. */
#include "stored_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decompress.h"
#include "file_kind.h"
#include "hash64.h"
#include "packed_file.h"
#include "path.h"
#include "zip_file.h"

/* No file system allows longer names. */
#define STORED_MAX_NAME ((size_t)255)

/* Narrows *out, a whole packed model, to the file. */
static Status narrow_packed(MappedFile *out, const char *packed, const char *name, Err *err)
{
    char inside[sizeof PACKED_FILES + STORED_MAX_NAME];
    size_t offset, size;
    uint64_t expected;
    bool found = false;
    Status st;

    if (!packed_file_is(out) || strchr(name, '/'))
        return err_set(err, ERR_IO, "%s/%s: %s", packed, name, strerror(ENOTDIR));
    st = packed_file_check(out, packed, err);
    if (st != OK) return st;
    if (strlen(name) <= STORED_MAX_NAME) st = packed_file_find(&found, out, name, &offset, &size);
    if (st != OK) return err_memory(err, name);
    if (!found) return err_set(err, ERR_IO, "%s/%s: %s", packed, name, strerror(ENOENT));
    if (offset > out->size || size > out->size - offset)
        return err_set(err, ERR_FORMAT,
                       "%s: the file is incomplete: %s in it ends at byte %zu, but the file has %zu bytes; copy or "
                       "download it again",
                       packed, name, offset + size, out->size);
    snprintf(inside, sizeof inside, PACKED_FILES "%s", name);
    if (packed_file_checksum(&found, out, inside, &expected) != OK) return err_memory(err, name);
    if (!found || hash64_of(out->data + offset, size) != expected)
        return err_set(err, ERR_FORMAT, "%s/%s: checksum mismatch: the file is corrupt", packed, name);
    out->data = size ? out->data + offset : NULL;
    out->size = size;
    return OK;
}

/* Narrows *out, a whole archive, to the file; a compressed entry replaces it. */
static Status narrow_archive(MappedFile *out, const char *archive, const char *name, Err *err)
{
    MappedFile unpacked = { 0 };
    const unsigned char *data = NULL;
    size_t size = 0;
    ZipFile zip = { 0 };
    Status st = zip_file_open(&zip, out, archive, err);

    if (st == OK) st = zip_file_read(&zip, name, &data, &size, &unpacked, err);
    zip_file_close(&zip);
    if (st != OK) return st;
    if (unpacked.pages) {
        mapped_file_close(out);
        *out = unpacked;
    }
    out->data = size ? data : NULL;
    out->size = size;
    return OK;
}

/* Maps the container in the path, which is *length bytes of it. ENOTDIR: there is none. */
static Status map_container(MappedFile *out, char *path, size_t *length, int *fault, Err *err)
{
    Status st = err_set(err, ERR_IO, "%s: %s", path, strerror(ENOTDIR));

    *out = (MappedFile){ 0 };
    *fault = ENOTDIR;
    for (char *slash = strrchr(path, '/'); slash && *fault == ENOTDIR; slash = strrchr(path, '/')) {
        *slash = '\0';
        *length = (size_t)(slash - path);
        st = mapped_file_open(out, path, fault, err);
    }
    return st;
}

static Status open_inside(MappedFile *out, const char *path, Err *err)
{
    char *container = strdup(path);
    size_t length = 0;
    int fault;
    Status st = container ? map_container(out, container, &length, &fault, err) : err_memory(err, "a path");

    if (container && st == ERR_IO) st = err_set(err, ERR_IO, "%s: %s", path, strerror(ENOTDIR));
    if (st == OK && zip_file_is(out))
        st = narrow_archive(out, container, path + length + 1, err);
    else if (st == OK)
        st = narrow_packed(out, container, path + length + 1, err);
    if (st != OK) mapped_file_close(out);
    free(container);
    return st;
}

Status stored_file_open(MappedFile *out, const char *path, Err *err)
{
    int fault;
    Status st = mapped_file_open(out, path, &fault, err);

    if (fault == ENOTDIR) return open_inside(out, path, err);
    if (st == OK && file_kind_is_lfs_pointer(out)) st = file_kind_refuse_lfs_pointer(path, err);
    if (st == OK) st = decompress_file(out, path, err);
    if (st != OK) mapped_file_close(out);
    return st;
}

Status stored_file_open_inside(MappedFile *out, const MappedFile *container, const char *path, const char *name,
                               Err *err)
{
    Status st;

    *out = *container;
    out->pages = NULL;
    st = zip_file_is(container) ? narrow_archive(out, path, name, err) : narrow_packed(out, path, name, err);
    if (st != OK) *out = (MappedFile){ 0 };
    return st;
}

static Status archive_has(bool *has, const MappedFile *archive, const char *name, Err *err)
{
    ZipFile zip = { 0 };
    const Status st = zip_file_open(&zip, archive, "", err);

    *has = st == OK && zip_file_has(&zip, name);
    zip_file_close(&zip);
    return st == ERR_MEMORY ? st : OK;
}

Status stored_file_holds(bool *holds, const MappedFile *container, const char *name, Err *err)
{
    size_t offset, size;

    if (zip_file_is(container)) return archive_has(holds, container, name, err);
    *holds = false;
    if (packed_file_is(container) && packed_file_find(holds, container, name, &offset, &size) != OK)
        return err_memory(err, name);
    return OK;
}

Status stored_file_find_container(MappedFile *out, char **container, const char *path, Err *err)
{
    size_t length = 0;
    int fault;
    Status st;

    *container = strdup(path);
    st = *container ? map_container(out, *container, &length, &fault, err) : err_memory(err, "a path");
    if (st == OK) return OK;
    free(*container);
    *container = NULL;
    return st;
}

static Status is_inside(bool *found, const char *path, Err *err)
{
    char *container;
    MappedFile file = { 0 };
    Status st = stored_file_find_container(&file, &container, path, err);

    *found = false;
    if (st == OK) st = stored_file_holds(found, &file, path + strlen(container) + 1, err);
    mapped_file_close(&file);
    free(container);
    return st == ERR_MEMORY ? st : OK;
}

Status stored_file_exists(bool *exists, const char *path, Err *err)
{
    struct stat info;

    *exists = lstat(path, &info) == 0;
    if (*exists || errno == ENOENT || errno == ENAMETOOLONG) return OK;
    return errno == ENOTDIR ? is_inside(exists, path, err) : path_fault_report(path, errno, err);
}
