/* argos_get.c - downloads and installs a package of Argos Translate: see get_sources.h.
 * The index is a list of packages with their languages and links. It states neither sizes nor checksums, so the
 * checksums of the archive's files are compared, and the package is opened before it is installed. $ARGOS_PACKAGE_INDEX
 * is the folder of the index, as for Argos Translate. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argos_index.h"
#include "download.h"
#include "dragoman_archive.h"
#include "folders.h"
#include "get_sources.h"
#include "json.h"
#include "library.h"
#include "model_places.h"
#include "path.h"

#define INDEX       "https://raw.githubusercontent.com/argosopentech/argospm-index/main/"
#define LARGEST     ((uint64_t)8 << 30) /* bytes of a package */
#define LARGEST_OUT ((uint64_t)16 << 30)

typedef struct {
    const char *pair;
    char *packages; /* the folder of Argos Translate */
    char *partial;  /* the archive */
    char *fresh;    /* the folder that it is unpacked to */
    Web *web;
    Meter *meter;
} ArgosGet;

static Status index_address(Buf *out, Err *err)
{
    const char *own = getenv("ARGOS_PACKAGE_INDEX");
    const char *folder = own && *own ? own : INDEX;

    return buf_append_format(out, err, "%s%sindex.json", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
}

/* Tries the links in their order. */
static Status fetch(const ArgosGet *get, const cJSON *package, Err *err)
{
    const cJSON *links = cJSON_GetObjectItemCaseSensitive(package, "links"), *link;
    WebReply reply;
    Status st = err_set(err, ERR_FORMAT, "get: argos:%s: the index has no link to the package", get->pair);

    cJSON_ArrayForEach(link, links)
    {
        const DownloadTask task = { .url = cJSON_GetStringValue(link),
                                    .name = get->pair,
                                    .partial = get->partial,
                                    .size = DOWNLOAD_SIZE_UNKNOWN,
                                    .most = LARGEST };
        if (!task.url) continue;
        st = download_file(get->web, &task, get->meter, &reply, err);
        if (st == OK || (st != ERR_IO && st != ERR_FORMAT)) break;
    }
    return st;
}

/* Unpacks the archive and opens the result; what is wrong is removed. */
static Status unpack(const ArgosGet *get, char **name, Err *err)
{
    DragomanError error;
    char *folder = NULL, *path = NULL;
    Status st;

    folders_remove(get->fresh);
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
    (void)unlink(get->partial); /* nothing tells whether a part of it is right */
    dragoman_free_text(folder);
    return st == OK && !*name ? err_memory(err, "a name") : st;
}

/* Moves the folder of the package to its place. A package of the same name is replaced. One of another version stays,
 * because it may have been installed by the user; of these, the newest is used (catalogue.c). */
static Status install(const ArgosGet *get, const char *name, char **path, Err *err)
{
    char *from = path_join(get->fresh, name), *to = path_join(get->packages, name);
    Buf old = { 0 };
    Status st = from && to ? buf_append_format(&old, err, "%s.old", get->fresh) : err_memory(err, "a path");

    if (st == OK) {
        folders_remove(old.data);
        (void)rename(to, old.data);
        if (rename(from, to) != 0) {
            st = err_set(err, ERR_IO, "%s: %s", to, strerror(errno));
            (void)rename(old.data, to);
        }
        folders_remove(old.data);
        folders_remove(get->fresh);
    }
    free(from);
    buf_free(&old);
    if (st == OK)
        *path = to;
    else
        free(to);
    return st;
}

static Status choose_paths(ArgosGet *get, Err *err)
{
    Buf partial = { 0 }, fresh = { 0 };
    Status st;

    get->packages = model_places_argos();
    if (!get->packages) return err_set(err, ERR_IO, "get: the folder of Argos Translate is not known: set HOME");
    st = folders_create(get->packages, err);
    if (st == OK)
        st = buf_append_format(&partial, err, "%s/.translate-%s.argosmodel.incomplete", get->packages, get->pair);
    if (st == OK) st = buf_append_format(&fresh, err, "%s/.dragoman-%s-%ld", get->packages, get->pair, (long)getpid());
    get->partial = partial.data;
    get->fresh = fresh.data;
    return st;
}

static Status get_package(ArgosGet *get, const cJSON *index, const char *address, char **path, Err *err)
{
    const cJSON *package = argos_index_find(index, get->pair);
    char *name = NULL;
    Status st;

    if (!package)
        return err_set(err, ERR_IO, "get: argos:%s: the index %s has no package of these languages", get->pair,
                       address);
    st = choose_paths(get, err);
    if (st == OK) st = fetch(get, package, err);
    if (st == OK) st = unpack(get, &name, err);
    if (st == OK) st = install(get, name, path, err);
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
    free(get.partial);
    free(get.fresh);
    return st;
}
