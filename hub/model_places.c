/* model_places.c - see model_places.h. */
#include "model_places.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"
#include "text.h"

#define LONGEST_HUB_NAME 96

const char *model_places_variable(const char *name, const char *usual)
{
    const char *value = getenv(name);

    return value && *value ? value : usual;
}

/* Appends the name to the folder, which is freed. */
static char *inside(char *folder, const char *name)
{
    char *path = folder ? path_join(folder, name) : NULL;

    free(folder);
    return path;
}

static char *in_home(const char *name)
{
    const char *home = model_places_variable("HOME", NULL);

    if (home) return path_join(home, name);
    errno = 0; /* model_places_fault() would take ENOMEM for a lack of memory */
    return NULL;
}

/* Returns a folder of the XDG specification: the value of the variable, else `usual` in the home folder. */
static char *xdg_folder(const char *name, const char *usual)
{
    const char *value = model_places_variable(name, NULL);

    return value && *value == '/' ? strdup(value) : in_home(usual);
}

char *model_places_dragoman(void)
{
    return inside(xdg_folder("XDG_DATA_HOME", ".local/share"), "dragoman/models");
}

char *model_places_firefox(void)
{
    return inside(model_places_dragoman(), "firefox");
}

char *model_places_configuration(void)
{
    return inside(xdg_folder("XDG_CONFIG_HOME", ".config"), "dragoman/config");
}

char *model_places_catalog(void)
{
    return inside(xdg_folder("XDG_CACHE_HOME", ".cache"), "dragoman/models.tsv");
}

char *model_places_hugging_face(void)
{
    const char *own = model_places_variable("HF_HOME", NULL), *cache = model_places_variable("XDG_CACHE_HOME", NULL);

    if (own) return model_places_expand(own);
    return inside(cache ? model_places_expand(cache) : in_home(".cache"), "huggingface");
}

char *model_places_hub(void)
{
    const char *own = model_places_variable("HF_HUB_CACHE", NULL);

    if (!own) own = model_places_variable("HUGGINGFACE_HUB_CACHE", NULL);
    return own ? model_places_expand(own) : inside(model_places_hugging_face(), "hub");
}

char *model_places_argos(void)
{
    const char *own = model_places_variable("ARGOS_PACKAGES_DIR", NULL);

    return own ? strdup(own) : inside(xdg_folder("XDG_DATA_HOME", ".local/share"), "argos-translate/packages");
}

char *model_places_translate_locally(void)
{
    return inside(xdg_folder("XDG_CONFIG_HOME", ".config"), "translateLocally");
}

char *model_places_expand(const char *path)
{
    if (strcmp(path, "~") == 0) return in_home(".");
    return text_begins_with(path, "~/") ? in_home(path + 2) : strdup(path);
}

Status model_places_fault(const char *message, Err *err)
{
    return errno == ENOMEM ? err_memory(err, "a path") : err_set(err, ERR_IO, "%s", message);
}

/* Whether text[0..len) is a part of a hub name: letters, digits, '-', '_' and '.', no '-' or '.' at its ends. */
static bool is_hub_part(const char *text, size_t len)
{
    if (!len || strchr("-.", text[0]) || strchr("-.", text[len - 1])) return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && !(text[i] && strchr("-_.", text[i]))) return false;
    return true;
}

bool model_places_is_hub_name(const char *name)
{
    const size_t len = strlen(name), first = strcspn(name, "/");
    const char *rest = name + first + (name[first] == '/');

    if (len > LONGEST_HUB_NAME || strstr(name, "--") || strstr(name, "..") || text_ends_with(name, ".git"))
        return false;
    if (!is_hub_part(name, first)) return false;
    return !name[first] || is_hub_part(rest, strlen(rest));
}

Status small_file_read(Buf *out, const char *path, bool may_be_missing, Err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    struct stat info;
    Status st = OK;

    if (fd < 0 && may_be_missing && path_fault_is_out_of_reach(errno)) return OK;
    if (fd < 0) return path_fault_report(path, errno, err);
    if (fstat(fd, &info) != 0)
        st = path_fault_report(path, errno, err);
    else if (!S_ISREG(info.st_mode))
        st = err_set(err, ERR_FORMAT, "%s is not a regular file", path);
    if (st == OK) st = path_read_all(out, fd, path, SMALL_FILE_LIMIT, err);
    close(fd);
    if (st == OK && out->len > SMALL_FILE_LIMIT)
        st = err_set(err, ERR_FORMAT, "%s is larger than %zu bytes", path, SMALL_FILE_LIMIT);
    return st;
}
