/* argos_get.c - downloads and installs a package of Argos Translate: see get_sources.h.
 * The index is a list of packages with their languages and links. It states neither sizes nor checksums, so the
 * checksums of the archive's files are compared, and the package is opened before it is installed. $ARGOS_PACKAGE_INDEX
 * is the folder of the index, as for Argos Translate.
 *
 * Argos Translate takes each folder in the folder of its packages for a package, and fails if it is none. So the work
 * is done beside that folder, if possible (folders_find_workplace()), with these names:
 *     .dragoman-get-PAIR.lock                held (file_lock.h) all the time
 *     .dragoman-get-PAIR.HASH-N.incomplete   the archive: HASH is that of the package's entry in the index, N its link
 *     .dragoman-get-PAIR.new                 the folder that the archive is unpacked to */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argos_index.h"
#include "download.h"
#include "dragoman_archive.h"
#include "file_lock.h"
#include "folders.h"
#include "get_sources.h"
#include "hash64.h"
#include "json.h"
#include "library.h"
#include "model_places.h"
#include "path.h"
#include "text.h"

#define INDEX       "https://raw.githubusercontent.com/argosopentech/argospm-index/main/"
#define LARGEST     ((uint64_t)8 << 30) /* bytes of a package */
#define LARGEST_OUT ((uint64_t)16 << 30)

typedef struct {
    const char *pair;
    char hash[17];   /* of what is downloaded */
    char *packages;  /* the folder of Argos Translate */
    char *workplace; /* the folder for the files below */
    char *names;     /* how their paths begin: WORKPLACE/.dragoman-get-PAIR. */
    char *partial;   /* the archive */
    char *fresh;     /* the folder that it is unpacked to */
    FileLock lock;
    Web *web;
    Meter *meter;
} ArgosGet;

static Status index_address(Buf *out, Err *err)
{
    const char *own = getenv("ARGOS_PACKAGE_INDEX");
    const char *folder = own && *own ? own : INDEX;

    return buf_append_format(out, err, "%s%sindex.json", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
}

/* Sets *path to a path in the workplace, in place of the one before. */
static Status name_file(const ArgosGet *get, char **path, const char *ending, Err *err)
{
    Buf name = { 0 };
    const Status st = buf_append_format(&name, err, "%s%s", get->names, ending);

    free(*path);
    *path = name.data;
    return st;
}

/* Each link has an archive of its own: what it leads to may differ. */
static Status fetch_link(ArgosGet *get, const char *url, int number, Err *err)
{
    char ending[sizeof get->hash + 40];
    WebReply reply;
    Status st;

    snprintf(ending, sizeof ending, "%s-%d.incomplete", get->hash, number);
    st = name_file(get, &get->partial, ending, err);
    if (st != OK) return st;
    return download_file(
        get->web,
        &(DownloadTask){
            .url = url, .name = get->pair, .partial = get->partial, .size = DOWNLOAD_SIZE_UNKNOWN, .most = LARGEST },
        get->meter, &reply, err);
}

/* Tries the links in their order. */
static Status fetch(ArgosGet *get, const cJSON *package, Err *err)
{
    const cJSON *links = cJSON_GetObjectItemCaseSensitive(package, "links"), *link;
    int number = 0;
    Status st = err_set(err, ERR_FORMAT, "get: argos:%s: the index has no link to the package", get->pair);

    cJSON_ArrayForEach(link, links)
    {
        const char *url = cJSON_GetStringValue(link);
        number++;
        if (!url) continue;
        st = fetch_link(get, url, number, err);
        if (st == OK || (st != ERR_IO && st != ERR_FORMAT)) break;
    }
    return st;
}

/* Filters of files in the workplace. */
static bool is_no_archive(const void *context, const char *name)
{
    const ArgosGet *get = context;

    return !text_begins_with(name, path_name(get->names)) || !text_ends_with(name, ".incomplete");
}

static bool is_no_other_archive(const void *context, const char *name)
{
    const ArgosGet *get = context;

    return is_no_archive(get, name) || text_begins_with(name + strlen(path_name(get->names)), get->hash);
}

static void remove_archives(const ArgosGet *get)
{
    Err unused;
    const Status st = folders_clear(get->workplace, is_no_archive, get, &unused);

    (void)st; /* the next download removes what is left */
}

/* Unpacks the archive and opens the result; what is wrong is removed. */
static Status unpack(const ArgosGet *get, char **name, Err *err)
{
    DragomanError error;
    char *folder = NULL, *path = NULL;
    Status st;

    st = folders_create(get->fresh, err);
    if (st == OK)
        st = library_status(dragoman_unpack_archive(get->partial, get->fresh, LARGEST_OUT, &folder, &error), &error,
                            err);
    if (st == OK && !(path = path_join(get->fresh, folder))) st = err_memory(err, "a path");
    if (st == OK) st = get_try_to_open(path, err);
    free(path);
    if (st == OK)
        *name = strdup(folder);
    else
        folders_remove(get->fresh);
    remove_archives(get); /* nothing tells whether a part of one is right */
    dragoman_free_text(folder);
    return st == OK && !*name ? err_memory(err, "a name") : st;
}

/* Moves the folder of the package to its place. A package of the same name is replaced. One of another version stays,
 * because it may have been installed by the user; of these, the newest is used (catalogue.c). */
static Status install(const ArgosGet *get, const char *name, char **path, Err *err)
{
    char *from = path_join(get->fresh, name), *to = path_join(get->packages, name);
    const Status st = from && to ? folders_replace(from, to, err) : err_memory(err, "a path");

    folders_remove(get->fresh);
    free(from);
    if (st == OK)
        *path = to;
    else
        free(to);
    return st;
}

static Status choose_paths(ArgosGet *get, Err *err)
{
    Buf names = { 0 };
    Status st;

    get->packages = model_places_argos();
    if (!get->packages) return model_places_fault("get: the folder of Argos Translate is not known: set HOME", err);
    st = folders_create(get->packages, err);
    if (st == OK) st = folders_find_workplace(&get->workplace, get->packages, err);
    if (st == OK) st = buf_append_format(&names, err, "%s/.dragoman-get-%s.", get->workplace, get->pair);
    get->names = names.data;
    if (st == OK) st = name_file(get, &get->fresh, "new", err);
    return st;
}

/* Waits for other downloads of this pair, and removes what has been left by those of other versions, or of processes
 * that were killed. */
static Status take_lock(ArgosGet *get, Err *err)
{
    char *path = NULL;
    Status st = name_file(get, &path, "lock", err);

    if (st == OK) st = file_lock_take(&get->lock, path, err);
    if (st == OK) folders_remove(get->fresh);
    if (st == OK) st = folders_clear(get->workplace, is_no_other_archive, get, err);
    free(path);
    return st;
}

static Status hash_entry(ArgosGet *get, const cJSON *package, Err *err)
{
    char *text = cJSON_PrintUnformatted(package);

    if (!text) return err_memory(err, "an entry of the index");
    snprintf(get->hash, sizeof get->hash, "%016llx", (unsigned long long)hash64_of(text, strlen(text)));
    cJSON_free(text);
    return OK;
}

static Status get_package(ArgosGet *get, const cJSON *index, const char *address, char **path, Err *err)
{
    const cJSON *package = argos_index_find(index, get->pair);
    char *name = NULL;
    Status st;

    if (!package)
        return err_set(err, ERR_IO, "get: argos:%s: the index %s has no package of these languages", get->pair,
                       address);
    st = hash_entry(get, package, err);
    if (st == OK) st = choose_paths(get, err);
    if (st == OK) st = take_lock(get, err);
    if (st == OK) st = fetch(get, package, err);
    if (st == OK) st = unpack(get, &name, err);
    if (st == OK) st = install(get, name, path, err);
    file_lock_release(&get->lock);
    free(name);
    return st;
}

Status get_from_argos(char **path, const char *pair, Meter *meter, Err *err)
{
    ArgosGet get = { .pair = pair, .meter = meter };
    WebReply reply;
    Buf address = { 0 }, answer = { 0 };
    cJSON *index = NULL;
    Status st = index_address(&address, err);

    if (st == OK) st = web_new(&get.web, address.data, NULL, err);
    if (st == OK) st = web_get_text(get.web, address.data, GET_MOST_ANSWER, &answer, &reply, err);
    if (st == OK) st = json_parse_list(&index, answer.data, answer.len, address.data, err);
    if (st == OK) st = get_package(&get, index, address.data, path, err);
    cJSON_Delete(index);
    buf_free(&answer);
    buf_free(&address);
    web_free(get.web);
    free(get.packages);
    free(get.workplace);
    free(get.names);
    free(get.partial);
    free(get.fresh);
    return st;
}
