/* argos.c - downloads and installs a package of Argos Translate: see get.h.
 * The index is a list of packages with their languages and links. It states neither sizes nor checksums, so the
 * checksums of the archive's files are compared, and the package is opened before it is installed. $ARGOS_PACKAGE_INDEX
 * is the folder of the index, as for Argos Translate.
 *
 * Argos Translate takes each folder in the folder of its packages for a package, and fails if it is none. So the work
 * is done beside that folder, if possible (folders_find_workplace()), with these names:
 *     .dragoman-get-PAIR.lock                held all the time
 *     .dragoman-get-PAIR.HASH-N.incomplete   the archive: HASH is that of the package's entry in the index, N its link
 *     .dragoman-get-PAIR.new                 the folder that the archive is unpacked to */
#include "get.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "model_places.h"
#include "path.h"
#include "text.h"
#include "temporary_file.h"
#include "zip_file.h"

#define INDEX       "https://raw.githubusercontent.com/argosopentech/argospm-index/main/"
#define LARGEST     ((uint64_t)8 << 30) /* bytes of a package */
#define LARGEST_OUT ((uint64_t)16 << 30)

const cJSON *argos_index_find(const cJSON *list, const char *pair)
{
    const cJSON *item, *best = NULL;

    cJSON_ArrayForEach(item, list)
    {
        const char *type = get_text_of(item, "type");
        if (!get_is_pair(pair, get_text_of(item, "from_code"), get_text_of(item, "to_code"))) continue;
        if (*type && strcmp(type, "translate") != 0) continue;
        if (!best || get_is_newer(item, best, "package_version")) best = item;
    }
    return best;
}

/* --- Archives ------------------------------------------------------------------------------
 * A package is a zip archive, whose entries must all be in one folder. The checksum of every entry is compared. Names
 * that lead out of the folder, links, implausible compression ratios and too many bytes in total are refused; what has
 * been written until then stays. */

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

/* Writes an entry to a new file. */
static Status unpack_entry(Unpacking *u, size_t index, const char *name, const char *path, Err *err)
{
    const unsigned char *data = NULL;
    MappedFile file = { 0 };
    size_t size = 0;
    int fd, fault;
    Status st;

    if (u->zip.entries[index].size > u->left)
        return err_set(err, ERR_FORMAT, "%s: refused: the archive is too large when unpacked", u->path);
    u->left -= u->zip.entries[index].size;
    st = zip_file_read(&u->zip, name, &data, &size, &file, err);
    if (st == OK && !zip_file_has_checksum(&u->zip, index, data ? data : (const unsigned char *)"", size))
        st = err_set(err, ERR_FORMAT, "%s: checksum mismatch of %s: the archive is corrupt", u->path, name);
    if (st == OK) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        fault = fd < 0 ? errno : write_all(fd, data, size);
        if (fd >= 0 && fsync(fd) != 0 && !fault && errno != EINVAL && errno != ENOTSUP) fault = errno;
        if (fd >= 0 && close(fd) != 0 && !fault) fault = errno;
        if (fault) st = err_set(err, ERR_IO, "%s: %s", path, strerror(fault));
    }
    mapped_file_close(&file);
    return st;
}

/* All entries must be in the folder of the first one. */
static Status unpack_all(Unpacking *u, Err *err)
{
    MappedFile map = { 0 };
    int fault;
    Status st = mapped_file_open(&map, u->path, &fault, err);

    if (st == OK && !zip_file_is(&map)) st = err_set(err, ERR_FORMAT, "%s: is not a zip archive", u->path);
    if (st == OK) st = zip_file_open(&u->zip, &map, u->path, err);
    for (size_t i = 0; st == OK && i < u->zip.count; i++) {
        char *name = NULL, *path = NULL, *folder = NULL;
        st = copy_name(&name, u, i, err);
        const size_t top = st == OK ? strcspn(name, "/") : 0;
        if (st == OK && (!name[top] || (u->top && (strlen(u->top) != top || strncmp(u->top, name, top) != 0))))
            st = err_set(err, ERR_FORMAT, "%s: the files of the archive are not in one folder", u->path);
        if (st == OK && !u->top && !(u->top = strndup(name, top))) st = err_memory(err, "a file name");
        if (st == OK) {
            path = path_join(u->folder, name);
            folder = path ? path_folder(path) : NULL;
            st = folder ? folders_create(folder, err) : err_memory(err, "a path");
        }
        if (st == OK && !text_ends_with(name, "/")) st = unpack_entry(u, i, name, path, err);
        free(folder);
        free(path);
        free(name);
    }
    if (st == OK && !u->top) st = err_set(err, ERR_FORMAT, "%s: the archive is empty", u->path);
    zip_file_close(&u->zip);
    mapped_file_close(&map);
    return st;
}

/* --- The download --------------------------------------------------------------------------- */

typedef struct {
    Get *get;
    const char *pair;
    char hash[17];   /* of what is downloaded */
    char *packages;  /* the folder of Argos Translate */
    char *workplace; /* the folder for the files below */
    char *names;     /* how their paths begin: WORKPLACE/.dragoman-get-PAIR. */
    char *partial;   /* the archive */
    char *fresh;     /* the folder that it is unpacked to */
} ArgosGet;

/* Filters of files in the workplace. */
static bool is_no_archive(const void *context, const char *name)
{
    const ArgosGet *a = context;

    return !text_begins_with(name, path_name(a->names)) || !text_ends_with(name, ".incomplete");
}

static bool is_no_other_archive(const void *context, const char *name)
{
    const ArgosGet *a = context;

    return is_no_archive(a, name) || text_begins_with(name + strlen(path_name(a->names)), a->hash);
}

/* Chooses the paths, waits for other downloads of this pair, and removes what has been left by those of other versions,
 * or of processes that were killed. */
static void prepare(ArgosGet *a)
{
    Get *get = a->get;
    char *lock;

    a->packages = get->st == OK ? model_places_argos() : NULL;
    if (get->st == OK && !a->packages)
        get->st = model_places_fault("get: the folder of Argos Translate is not known: set HOME", get->err);
    get_create_folder(get, a->packages);
    if (get->st == OK) get->st = folders_find_workplace(&a->workplace, a->packages, get->err);
    a->names = get_format(get, "%s/.dragoman-get-%s.", a->workplace, a->pair);
    a->fresh = get_format(get, "%snew", a->names);
    lock = get_format(get, "%slock", a->names);
    get_lock(get, lock);
    if (get->st == OK) folders_remove(a->fresh);
    if (get->st == OK) get->st = folders_clear(a->workplace, is_no_other_archive, a, get->err);
    free(lock);
}

/* Tries the links in their order. Each link has an archive of its own: what it leads to may differ. */
static void fetch(ArgosGet *a, const cJSON *package)
{
    const cJSON *links = cJSON_GetObjectItemCaseSensitive(package, "links"), *link;
    Get *get = a->get;
    int number = 0;

    if (get->st != OK) return;
    get_fail(get, ERR_FORMAT, "get: argos:%s: the index has no link to the package", a->pair);
    cJSON_ArrayForEach(link, links)
    {
        DownloadTask task = {
            .url = cJSON_GetStringValue(link), .name = a->pair, .size = DOWNLOAD_SIZE_UNKNOWN, .most = LARGEST
        };
        WebReply reply;
        number++;
        if (!task.url) continue;
        get->st = OK;
        free(a->partial);
        task.partial = a->partial = get_format(get, "%s%s-%d.incomplete", a->names, a->hash, number);
        if (get->st == OK) get->st = download_file(get->web, &task, get->progress, &reply, get->err);
        if (get->st != ERR_IO && get->st != ERR_FORMAT) break;
    }
}

/* Unpacks the archive, opens the result, and moves it to the folder of packages. A package of the same name is
 * replaced. One of another version stays, because it may have been installed by the user; of these, the newest is used
 * (hub.c). */
static void install(const ArgosGet *a, char **path)
{
    Unpacking unpacking = { .path = a->partial, .folder = a->fresh, .left = LARGEST_OUT };
    Get *get = a->get;
    char *from;
    Err unused;

    if (get->st != OK) return;
    get_create_folder(get, a->fresh);
    if (get->st == OK) get->st = unpack_all(&unpacking, get->err);
    from = get_join(get, a->fresh, unpacking.top);
    get_try_to_open(get, from);
    /* Nothing tells whether a part of an archive is right. What cannot be removed is removed by the next download. */
    (void)!folders_clear(a->workplace, is_no_archive, a, &unused);
    *path = get_join(get, a->packages, unpacking.top);
    if (get->st == OK) get->st = folders_replace(from, *path, get->err);
    folders_remove(a->fresh);
    free(unpacking.top);
    free(from);
}

void get_from_argos(Get *get, const char *pair, char **path)
{
    const char *folder = model_places_variable("ARGOS_PACKAGE_INDEX", INDEX);
    ArgosGet a = { .get = get, .pair = pair };
    char *address = get_format(get, "%s%sindex.json", folder, text_ends_with(folder, "/") ? "" : "/"), *text = NULL;
    const cJSON *package;
    cJSON *index;

    get_open(get, address, NULL);
    get_json(get, address, true, &index);
    package = argos_index_find(index, pair);
    if (!package) get_fail(get, ERR_IO, "get: argos:%s: the index %s has no package of these languages", pair, address);
    if (get->st == OK && !(text = cJSON_PrintUnformatted(package)))
        get->st = err_memory(get->err, "an entry of the index");
    if (text) snprintf(a.hash, sizeof a.hash, "%016llx", (unsigned long long)hash64_of(text, strlen(text)));
    prepare(&a);
    fetch(&a, package);
    install(&a, path);
    cJSON_free(text);
    cJSON_Delete(index);
    free(address);
    free(a.packages);
    free(a.workplace);
    free(a.names);
    free(a.partial);
    free(a.fresh);
}
