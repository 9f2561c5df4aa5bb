/* batch.c - translates many files: those given by name, and those in the given folders. Implements the functions of
 * dragoman_job.h for batches.
 *
 * dragoman_plan_new() finds the files and their targets. In dragoman_plan_run(), the calling thread gets the
 * translations from a run (run.c) and writes them to temporary files. A second thread syncs these to the disk and
 * renames them to their targets: syncing takes milliseconds, and meanwhile the next files are written. All files that
 * are waiting are synced together. If a file fails, the batch continues with the others. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "chars.h"
#include "document_choice.h"
#include "document_encoding.h"
#include "dragoman_tools.h"
#include "job.h"
#include "output.h"
#include "path.h"
#include "public_status.h"
#include "str_map.h"
#include "temporary_file.h"
#include "text.h"
#include "thread.h"

#define MOST_REASONS 64
#define MOST_NAMED   3   /* how many reasons the report of skipped files names */
#define LONGEST_PART 256 /* longer than a file name can be */
#define COPY_BYTES   8192
#define MOST_WAITING ((size_t)30)
#define OTHER_FILES  ((size_t)32) /* at most this many files are open besides the outputs */
_Static_assert(2 * MOST_WAITING + 1 < TEMPORARY_FILES_MOST, "a signal must find all temporary files");

typedef struct {
    char *source;    /* path, owned */
    size_t relative; /* offset in `source` where the path below the given folder begins or, if `named`, the file name */
    bool named;      /* given by name, not found in a folder */
    DragomanFile id;
    mode_t mode;
    off_t size;
    struct timespec modified;
    char *target;           /* path of the translation, owned */
    bool target_exists;     /* and is a regular file */
    DragomanFile target_id; /* if target_exists */
    bool up_to_date;        /* with `resume`: the target exists and is not older than the source */
    InputKind kind;
} BatchFile;

/* The number of files that are skipped for the same reason, such as "a zip archive". */
typedef struct {
    const char *reason; /* constant */
    size_t count;
} SkippedKind;

typedef struct DragomanPlan {
    DragomanBatch request;
    DragomanOptions *options; /* owned */
    const Reporter *reporter;
    SpellingReporter spelling_reporter;
    BatchFile *files; /* [count] */
    size_t count, capacity;
    size_t *todo; /* [todo_count], indices of the files that are not up to date */
    size_t todo_count;
    DragomanInput *inputs; /* [todo_count] */
    size_t translated, copied, skipped;
    SkippedKind kinds[MOST_REASONS]; /* [kind_count] */
    size_t kind_count;

    pthread_mutex_t lock; /* guards the fields below */
    Buf failures;         /* the messages, one per line */
    size_t failed;
} Batch;

/* --- Failures and skipped files ---------------------------------------------- */

/* Reports a failure; the message names the file. Also stores the message for dragoman_plan_report(), unless memory is
 * short. Any thread may call it. */
static void add_failure(Batch *b, const char *message)
{
    reporter_say(b->reporter, "%s", message);
    pthread_mutex_lock(&b->lock);
    b->failed++;
    buf_put_format(&b->failures, "%s\n", message);
    (void)!buf_check(&b->failures, NULL);
    pthread_mutex_unlock(&b->lock);
}

static void fail(Batch *b, const char *path, const char *reason)
{
    Err message;

    (void)err_set(&message, ERR_IO, "%s: %s", path, reason);
    add_failure(b, message.text);
}

static void say(const Batch *b, const char *path, const char *what)
{
    if (b->options->verbose) reporter_say(b->reporter, "%s: %s", path, what);
}

static void skip(const Batch *b, const char *path, const char *reason)
{
    if (b->options->verbose) reporter_say(b->reporter, "%s: skipped: %s", path, reason);
}

/* Counts a file that is skipped because it is not text to translate. Reports the reason if `verbose` is set or the file
 * was given by name. When the list of reasons is full, its last entry counts all further reasons. */
static void skip_file(Batch *b, const BatchFile *file)
{
    const char *reason = file->kind.other, *guess = NULL;
    char head[FILE_HEAD_BYTES];
    size_t i = 0;

    if (!reason) {
        const DocumentFile text = { file->source, head, binary_file_head(file->source, head) };
        guess = document_encoding_guess(&text);
        reason = !guess && memchr(head, 0, text.size) ? "text with NUL bytes" : "not UTF-8 text";
    }
    while (i < b->kind_count && strcmp(b->kinds[i].reason, reason) != 0) i++;
    if (i == MOST_REASONS) i--;
    if (i == b->kind_count) b->kinds[b->kind_count++].reason = reason;
    b->kinds[i].count++;
    b->skipped++;
    if (!b->options->verbose && (!file->named || b->options->quiet)) return;
    reporter_say(b->reporter, "%s%s: skipped: %s%s%s%s", file->named ? "warning: " : "", file->source, reason,
                 guess ? "; it may be in " : "", guess ? guess : "",
                 guess ? ": name its encoding with " SETTING(ENCODING) : "");
}

static int compare_counts(const void *a, const void *b)
{
    const SkippedKind *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->reason, y->reason);
}

/* Reports the number of skipped files and the most frequent reasons, and repeats the failures of several files. */
void dragoman_plan_report(DragomanPlan *b)
{
    const char *at = b->failures.data, *end;
    size_t others = b->skipped;
    Buf text = { 0 };

    if (b->skipped && !b->options->quiet) {
        qsort(b->kinds, b->kind_count, sizeof *b->kinds, compare_counts);
        for (size_t i = 0; i < b->kind_count && i < MOST_NAMED; i++) {
            others -= b->kinds[i].count;
            buf_put_format(&text, "%s%s", i ? ", " : "", b->kinds[i].reason);
            if (b->kind_count > 1) buf_put_format(&text, " (%zu)", b->kinds[i].count);
        }
        if (others) buf_put_format(&text, ", others (%zu)", others);
        reporter_say(b->reporter, "%zu file%s skipped, reason%s: %s (%ssee --others)", b->skipped, plural(b->skipped),
                     plural(b->kind_count), buf_check(&text, NULL) == OK ? text.data : "not text to translate",
                     b->options->verbose ? "" : "-v names each; ");
        buf_free(&text);
    }
    if (b->failed == 1 && b->count < 2 && !b->translated && !b->copied && !b->skipped) return; /* it is the last line */
    if (b->failed) reporter_say(b->reporter, "%zu failure%s:", b->failed, plural(b->failed));
    for (; at && (end = strchr(at, '\n')); at = end + 1) reporter_say(b->reporter, "  %.*s", (int)(end - at), at);
}

/* --- Globs -------------------------------------------------------------------
 * A glob without a slash is matched against the file name; a glob with a slash against the path, part by part. The part
 * `**` matches any number of parts, or none. Other parts may contain *, ? and [...], as in fnmatch(). A leading
 * slash, repeated slashes and the part `.` are ignored in globs and paths. */

/* Skips slashes and the part `.`. */
static const char *skip_to_part(const char *path)
{
    while (*path == '/' || text_begins_with(path, "./")) path += *path == '/' ? 1 : 2;
    return path;
}

/* Copies the first part of a path or glob and returns where the next part begins; NULL if the first one is too long. */
static const char *take_part(const char *path, char part[LONGEST_PART])
{
    const size_t len = strcspn(path, "/");

    if (len >= LONGEST_PART) return NULL;
    memcpy(part, path, len);
    part[len] = '\0';
    return skip_to_part(path + len);
}

static bool matches_path(const char *glob, const char *path)
{
    char pattern[LONGEST_PART], part[LONGEST_PART];
    const char *glob_rest = take_part(glob, pattern), *path_rest;

    if (!*glob || !*path || !glob_rest) return !*glob && !*path;
    path_rest = take_part(path, part);
    if (strcmp(pattern, "**") == 0)
        return !*glob_rest || matches_path(glob_rest, path) || (path_rest && matches_path(glob, path_rest));
    return path_rest && fnmatch(pattern, part, 0) == 0 && matches_path(glob_rest, path_rest);
}

/* Whether one of the globs matches the path. A slash at the end of a glob is ignored: `build/` matches like `build`. */
static bool any_matches(const char *const *globs, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        const size_t len = strlen(globs[i]);
        const bool has_slash = memchr(globs[i], '/', len && globs[i][len - 1] == '/' ? len - 1 : len);
        if (has_slash ? matches_path(skip_to_part(globs[i]), skip_to_part(path))
                      : matches_path(globs[i], path_name(path)))
            return true;
    }
    return false;
}

/* Whether the globs of the request choose the file; if not, reports the reason if `verbose` is set. `relative` is its
 * path below the given folder. For a file that was given by name, it is the path that the user gave. */
static bool is_chosen(const Batch *b, const char *path, const char *relative, bool is_folder)
{
    const DragomanBatch *request = &b->request;
    const bool is_excluded = any_matches(request->excludes, request->exclude_count, relative);

    if (!is_excluded &&
        (is_folder || !request->include_count || any_matches(request->includes, request->include_count, relative)))
        return true;
    say(b, path, is_excluded ? "excluded" : "not included");
    return false;
}

/* --- Names of targets -------------------------------------------------------- */

/* Returns the length of the path without its extension, which begins at the last dot of the file name. A dot at the
 * start of the name does not begin an extension. */
static size_t stem_length(const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');

    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

/* Whether the file name has the suffix of a translation. For ".de", guide.de.txt and guide.de have it. */
static bool has_suffix(const char *path, const char *suffix)
{
    const char *name = path_name(path);

    return suffix && (chars_end(name, 1, strlen(name), suffix) ||
                      chars_end(name, 1, stem_length(path) - (size_t)(name - path), suffix));
}

/* Inserts the suffix before the extension. Returns NULL if memory is short; the caller frees the result. */
static char *path_with_suffix(const char *source, const char *suffix)
{
    const size_t stem = stem_length(source);
    Buf path = { 0 };

    buf_put(&path, source, stem);
    buf_put_text(&path, suffix);
    buf_put_text(&path, source + stem);
    if (buf_check(&path, NULL) != OK) buf_free(&path);
    return path.data;
}

/* --- Finding files ----------------------------------------------------------- */

/* The search for files in a folder that the user has given. */
typedef struct {
    Batch *batch;
    const struct stat *output_dir; /* the output folder, which is not searched for sources; NULL: there is none */
    char *real;                    /* the given folder with links resolved, owned */
    size_t relative;               /* length of the given folder's path, including a slash at its end */
} Walk;

/* Adds a file that stat() has described by `info`. */
static Status add(Batch *b, const char *path, size_t relative, bool named, const struct stat *info, Err *err)
{
    Status st = buf_grow_list(&b->files, &b->capacity, b->count, 1, sizeof *b->files, "the list of files", err);
    char *copy = st == OK ? strdup(path) : NULL;

    if (st != OK) return st;
    if (!copy) return err_memory(err, "a path");
    b->files[b->count++] = (BatchFile){ .source = copy,
                                        .relative = relative,
                                        .named = named,
                                        .id = { info->st_dev, info->st_ino },
                                        .mode = info->st_mode,
                                        .size = info->st_size,
                                        .modified = info->st_mtim };
    return OK;
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Calls stat() for an entry of a folder. Returns false if the entry must be skipped or stat() fails. */
static bool describe(const Walk *walk, const char *path, struct stat *info)
{
    const size_t len = strlen(walk->real);
    char *target;
    bool stays;

    if (*path_name(path) == '.') {
        skip(walk->batch, path, "hidden");
        return false;
    }
    if (lstat(path, info) != 0) {
        if (errno != ENOENT) fail(walk->batch, path, strerror(errno));
        return false;
    }
    if (!S_ISLNK(info->st_mode)) return true;
    target = realpath(path, NULL);
    if (!target || stat(path, info) != 0) {
        if (path_fault_is_absence(errno))
            skip(walk->batch, path, "a link that leads to nothing");
        else
            fail(walk->batch, path, strerror(errno));
        free(target);
        return false;
    }
    stays = strncmp(target, walk->real, len) == 0 && (strchr("/", target[len]) || strcmp(walk->real, "/") == 0);
    free(target);
    if (!stays)
        skip(walk->batch, path, "a link out of the folder");
    else if (S_ISDIR(info->st_mode))
        skip(walk->batch, path, "a link to a folder");
    return stays && !S_ISDIR(info->st_mode);
}

/* Adds the entry if it is a file to translate. Sets *folder if it is a folder to search. */
static Status visit_entry(const Walk *walk, const char *path, bool *folder, Err *err)
{
    const struct stat *output_dir = walk->output_dir;
    const DragomanBatch *request = &walk->batch->request;
    const char *relative = path + walk->relative;
    struct stat info;

    if (!describe(walk, path, &info)) return OK;
    if (S_ISDIR(info.st_mode)) {
        *folder = is_chosen(walk->batch, path, relative, true) &&
                  !(output_dir && info.st_dev == output_dir->st_dev && info.st_ino == output_dir->st_ino);
        return OK;
    }
    if (!S_ISREG(info.st_mode))
        skip(walk->batch, path, "neither a regular file nor a folder");
    else if (!is_chosen(walk->batch, path, relative, false))
        return OK;
    else if (has_suffix(path, request->suffix))
        skip(walk->batch, path, "its name already has the suffix");
    else
        return add(walk->batch, path, walk->relative, false, &info, err);
    return OK;
}

/* Adds the files of a folder, and then the files of its sub-folders. */
static Status walk_folder(const Walk *walk, const char *path, Err *err)
{
    struct dirent **entries;
    const int found = scandir(path, &entries, is_entry, compare_entries);
    size_t folders = 0;
    Status st = OK;

    if (found < 0) {
        fail(walk->batch, path, strerror(errno));
        return OK;
    }
    for (size_t i = 0; i < (size_t)found; i++) {
        char *entry = st == OK ? path_join(path, entries[i]->d_name) : NULL;
        bool is_folder = false;
        if (st == OK) st = entry ? visit_entry(walk, entry, &is_folder, err) : err_memory(err, "a path");
        free(entry);
        if (is_folder)
            entries[folders++] = entries[i];
        else
            free(entries[i]);
    }
    for (size_t i = 0; i < folders; i++) {
        char *folder = st == OK ? path_join(path, entries[i]->d_name) : NULL;
        if (st == OK) st = folder ? walk_folder(walk, folder, err) : err_memory(err, "a path");
        free(folder);
        free(entries[i]);
    }
    free(entries);
    return st;
}

/* Adds a file that was given, or all regular files below a folder that was given, sorted by the bytes of their names.
 * Skips hidden files and folders, links out of the folder, links to folders (their files are found in the folder
 * itself), and everything that is neither a file nor a folder. */
static Status add_path(Batch *b, const char *path, const struct stat *output_dir, Err *err)
{
    struct stat info;
    Status st = OK;

    if (stat(path, &info) != 0) {
        fail(b, path, strerror(errno));
    } else if (S_ISDIR(info.st_mode)) {
        Walk walk = { b, output_dir, realpath(path, NULL), strlen(path) };
        if (walk.relative && path[walk.relative - 1] != '/') walk.relative++;
        if (walk.real)
            st = walk_folder(&walk, path, err);
        else
            fail(b, path, strerror(errno));
        free(walk.real);
    } else if (!S_ISREG(info.st_mode)) {
        fail(b, path, "neither a regular file nor a folder");
    } else if (is_chosen(b, path, path, false)) {
        if (!has_suffix(path, b->request.suffix))
            return add(b, path, (size_t)(path_name(path) - path), true, &info, err);
        if (!b->options->quiet)
            reporter_say(b->reporter, "warning: %s: skipped: its name already has the suffix %s", path,
                         b->request.suffix);
    }
    return st;
}

/* Finds the files, their formats and their targets and, for `resume`, which files are up to date. Reports a failure for
 * each file or folder that cannot be examined. */
static Status find_files(Batch *b, Err *err)
{
    const char *output_dir = b->request.output_dir, *suffix = b->request.suffix;
    struct stat info;
    const bool exists = output_dir && stat(output_dir, &info) == 0;
    Status st = OK;

    if (!output_dir == !suffix || !*(suffix ? suffix : output_dir))
        return err_set(err, ERR_USAGE, "a batch needs either an output folder or a suffix for its translations");
    if (output_dir && !exists && !path_fault_is_absence(errno)) return path_fault_report(output_dir, errno, err);
    if (exists && !S_ISDIR(info.st_mode))
        return err_set(err, ERR_USAGE, "%s: not a folder; choose another output folder", output_dir);
    for (size_t i = 0; st == OK && i < b->request.count; i++)
        st = add_path(b, b->request.paths[i], exists ? &info : NULL, err);
    for (size_t i = 0; st == OK && i < b->count; i++) {
        BatchFile *file = &b->files[i];
        struct stat target;
        file->kind.format = document_choice_of(b->options, file->source, NULL, 0);
        file->kind.other = foreign_file_find(b->options, file->source, file->kind.format).what;
        if (file->kind.other) file->kind.format = NULL;
        file->target =
            suffix ? path_with_suffix(file->source, suffix) : path_join(output_dir, file->source + file->relative);
        if (!file->target) return err_memory(err, "a path");
        if (stat(file->target, &target) != 0 || !S_ISREG(target.st_mode)) continue;
        file->target_exists = true;
        file->target_id = (DragomanFile){ target.st_dev, target.st_ino };
        file->up_to_date = b->request.resume && (target.st_mtim.tv_sec != file->modified.tv_sec
                                                     ? target.st_mtim.tv_sec > file->modified.tv_sec
                                                     : target.st_mtim.tv_nsec >= file->modified.tv_nsec);
        if (file->up_to_date) say(b, file->source, "up to date");
    }
    if (st == OK && suffix && isalnum((unsigned char)*suffix) && b->count && !b->options->quiet)
        reporter_say(b->reporter, "warning: %s becomes %s; for a dot before '%s', use the suffix .%s",
                     b->files[0].source, b->files[0].target, suffix, suffix);
    return st;
}

/* Checks that the settings apply to the files. */
static Status check_formats(const Batch *b, Err *err)
{
    NamedFormat *files = calloc(b->count + 1, sizeof *files);
    size_t count = 0;
    Status st;

    if (!files) return err_memory(err, "the list of files");
    for (size_t i = 0; i < b->count; i++)
        if (!b->files[i].kind.other)
            files[count++] = (NamedFormat){ b->files[i].source, document_choice_describe(b->files[i].kind.format) };
    st = document_choice_check_all(b->options, files, count, b->reporter, err);
    free(files);
    return st;
}

/* --- Conflicts: a target must be neither a source nor the target of another file. --- */

/* Returns a key for the target of a file; two files have the same target if their keys are equal. With an output
 * folder, the key is the relative path; otherwise it is the source with the links in its folder resolved. The caller
 * frees the key. */
static char *key_of(const Batch *b, const BatchFile *file)
{
    char *folder, *real, *key;

    if (!b->request.suffix) return strdup(file->source + file->relative);
    folder = path_folder(file->source);
    real = folder ? realpath(folder, NULL) : NULL;
    key = real ? path_join(real, path_name(file->source)) : strdup(file->source);
    free(folder);
    free(real);
    return key;
}

/* Checks that all targets differ, and that no target would have to be a folder: with the targets a and a/b, a would. */
static Status check_names(const Batch *b, Err *err)
{
    StrMap *targets; /* from the key of a target, key_of(), to its index in b->files */
    Status st = str_map_new(&targets, err);

    for (size_t i = 0; st == OK && i < b->count; i++) {
        const BatchFile *file = &b->files[i], *other;
        char *key = key_of(b, file);
        bool is_new = true;
        st = key ? str_map_add(targets, key, strlen(key), (int32_t)i, &is_new, err) : err_memory(err, "a path");
        other = st != OK || is_new ? NULL : &b->files[str_map_get(targets, key, strlen(key), 0)];
        free(key);
        if (other && strcmp(other->source, file->source) == 0)
            st = err_set(err, ERR_USAGE, "%s is given twice, by its name or in a folder", file->source);
        else if (other)
            st = err_set(err, ERR_USAGE, "%s and %s would both be translated into %s", other->source, file->source,
                         other->target);
    }
    for (size_t i = 0; st == OK && i < b->count; i++) {
        const char *key = str_map_key(targets, i);
        for (const char *slash = key; st == OK && (slash = strchr(slash + 1, '/'));) {
            const int32_t found = str_map_get(targets, key, (size_t)(slash - key), -1);
            if (found >= 0)
                st = err_set(err, ERR_USAGE, "%s would be translated into %s, which must be a folder for %s",
                             b->files[found].source, b->files[found].target, b->files[i].source);
        }
    }
    str_map_free(targets);
    return st;
}

/* Checks the targets that exist already: none may be the same file as a source or as another target. */
static Status check_files(const Batch *b, Err *err)
{
    const char *advice = b->request.suffix ? "choose another suffix" : "choose another output folder";
    StrMap *sources, *targets = NULL; /* from the DragomanFile of a file to its index in b->files */
    bool is_new;
    Status st = str_map_new(&sources, err);

    if (st == OK) st = str_map_new(&targets, err);
    for (size_t i = 0; st == OK && i < b->count; i++)
        st = str_map_add(sources, (const char *)&b->files[i].id, sizeof(DragomanFile), (int32_t)i, &is_new, err);
    for (size_t i = 0; st == OK && i < b->count; i++) {
        const BatchFile *file = &b->files[i];
        const char *id = (const char *)&file->target_id;
        const int32_t source = file->target_exists ? str_map_get(sources, id, sizeof(DragomanFile), -1) : -1;
        if (!file->target_exists) continue;
        st = str_map_add(targets, id, sizeof(DragomanFile), (int32_t)i, &is_new, err);
        if (st != OK) break;
        if (source == (int32_t)i)
            st = err_set(err, ERR_USAGE, "%s would be overwritten by its translation; %s", file->source, advice);
        else if (source >= 0)
            st = err_set(err, ERR_USAGE, "%s would be overwritten by the translation of %s; %s",
                         b->files[source].source, file->source, advice);
        else if (!is_new)
            st = err_set(err, ERR_USAGE, "the targets of %s and %s are links to the same file",
                         b->files[str_map_get(targets, id, sizeof(DragomanFile), 0)].source, file->source);
    }
    str_map_free(sources);
    str_map_free(targets);
    return st;
}

/* --- The plan ---------------------------------------------------------------- */

DragomanStatus dragoman_plan_new(DragomanPlan **out, const DragomanBatch *request, const DragomanOptions *options,
                                 const DragomanReporter *reporter, DragomanError *error)
{
    Batch *b = calloc(1, sizeof *b);
    Err err;
    Status st = b ? OK : err_memory(&err, "the list of files");

    if (b) {
        b->request = *request;
        b->reporter = spelling_reporter_start(&b->spelling_reporter, reporter, options->spelling);
        pthread_mutex_init(&b->lock, NULL);
        st = option_fields_copy(&b->options, options, &err);
        if (st == OK) st = find_files(b, &err);
        if (st == OK) st = check_formats(b, &err);
    }
    if (st == OK) {
        b->todo = calloc(b->count + 1, sizeof *b->todo);
        b->inputs = calloc(b->count + 1, sizeof *b->inputs);
        if (!b->todo || !b->inputs) st = err_memory(&err, "the list of files");
    }
    for (size_t i = 0; st == OK && i < b->count; i++) {
        if (b->files[i].up_to_date) continue;
        b->inputs[b->todo_count] = (DragomanInput){ .path = b->files[i].source };
        b->todo[b->todo_count++] = i;
    }
    if (st == OK && b->count) st = check_names(b, &err);
    if (st == OK && b->count) st = check_files(b, &err);
    *out = st == OK ? b : NULL;
    if (st != OK) dragoman_plan_free(b);
    return option_fields_answer(st, &err, options->spelling, error);
}

void dragoman_plan_free(DragomanPlan *b)
{
    if (!b) return;
    for (size_t i = 0; i < b->count; i++) {
        free(b->files[i].source);
        free(b->files[i].target);
    }
    free(b->files);
    free(b->todo);
    free(b->inputs);
    dragoman_options_free(b->options);
    pthread_mutex_destroy(&b->lock);
    buf_free(&b->failures);
    free(b);
}

bool dragoman_plan_file(const DragomanPlan *b, size_t index, DragomanPlanned *out)
{
    const BatchFile *file = index < b->count ? &b->files[index] : NULL;

    if (!file) return false;
    *out = (DragomanPlanned){ .source = file->source,
                              .target = file->target,
                              .format = document_choice_describe(file->kind.format),
                              .is_other = file->kind.other,
                              .up_to_date = file->up_to_date };
    return true;
}

const DragomanInput *dragoman_plan_inputs(const DragomanPlan *b, size_t *count)
{
    *count = b->todo_count;
    return b->inputs;
}

/* Only checks that lines are valid text. A damaged document is not noticed here; it fails when it is translated. */
const char *dragoman_plan_examine(DragomanPlan *b, size_t index, const char **format)
{
    const BatchFile *file = &b->files[index];
    bool is_text = false;

    if (!file->kind.other) {
        const int fd = open(file->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        Err reason;
        Status st = fd >= 0 ? input_check_text(fd, &is_text, &reason) : err_set(&reason, ERR_IO, "%s", strerror(errno));
        if (fd >= 0) close(fd);
        if (st != OK) {
            fail(b, file->source, reason.text);
            return NULL;
        }
    }
    is_text = is_text || file->kind.format;
    *format = is_text ? document_choice_describe(file->kind.format).name : DRAGOMAN_OTHER;
    if (file->up_to_date) return "up to date";
    if (is_text) return "translate";
    if (b->request.copies_others) return "copy";
    if (b->options->verbose) skip_file(b, file);
    return "skip";
}

DragomanBatchResult dragoman_plan_result(const DragomanPlan *b)
{
    return (DragomanBatchResult){ .translated = b->translated,
                                  .copied = b->copied,
                                  .up_to_date = b->count - b->todo_count,
                                  .skipped = b->skipped,
                                  .failed = b->failed };
}

/* --- Finishing files --------------------------------------------------------- */

/* A complete output that is not yet synced and renamed. */
typedef struct {
    Output output;
    const BatchFile *file; /* that was translated or copied */
    struct stat read;      /* the source when it was opened; it must not change until the target is finished */
    bool is_copy;
    bool has_failed; /* and the failure was reported */
} CompleteOutput;

typedef struct {
    Batch *batch;
    const DragomanBatchHooks *hooks;
    pthread_t thread;
    char *folder;                       /* the folder of the last finished target; not synced yet; owned */
    CompleteOutput group[MOST_WAITING]; /* the files that the thread is finishing */
    pthread_mutex_t lock;               /* guards the fields below */
    pthread_cond_t added, taken;
    CompleteOutput files[MOST_WAITING];
    size_t count, limit;
    bool ended; /* no more files will be added */
} FileFinisher;

/* Syncs the folder of the previous target unless `path` is in the same folder. Call it with the path of each finished
 * target, and with NULL at the end. */
static void sync_previous_folder(FileFinisher *f, const char *path)
{
    char *folder = path ? path_folder(path) : NULL;

    if (f->folder && folder && strcmp(f->folder, folder) == 0) {
        free(folder);
        return;
    }
    if (f->folder) replace_file_sync_folder(f->folder);
    free(f->folder);
    f->folder = folder;
}

/* The finishing thread: repeatedly takes all complete files and finishes them. First it writes a target; then it checks
 * whether the source has changed. So a later change makes the source newer than the target, which --resume notices. */
static void *finish_all(void *argument)
{
    FileFinisher *f = argument;

    for (;;) {
        Output *outputs[MOST_WAITING];
        size_t count, prepared = 0;
        Err err;
        Status st;
        pthread_mutex_lock(&f->lock);
        while (!f->count && !f->ended) pthread_cond_wait(&f->added, &f->lock);
        count = f->count;
        memcpy(f->group, f->files, count * sizeof *f->group);
        f->count = 0;
        pthread_cond_signal(&f->taken);
        pthread_mutex_unlock(&f->lock);
        if (!count) break;
        for (size_t i = 0; i < count; i++) {
            CompleteOutput *complete = &f->group[i];
            struct stat now;
            st = output_prepare(&complete->output, &err);
            if (st == OK && stat(complete->file->source, &now) == 0 && input_is_changed(&complete->read, &now))
                st = err_set(&err, ERR_IO, "%s: " INPUT_CHANGED, complete->file->source);
            complete->has_failed = st != OK;
            if (st == OK)
                outputs[prepared++] = &complete->output;
            else
                add_failure(f->batch, err.text);
        }
        output_sync_together(outputs, prepared);
        for (size_t i = 0; i < count; i++) {
            CompleteOutput *complete = &f->group[i];
            if (!complete->has_failed && output_finish(&complete->output, &err) != OK) {
                add_failure(f->batch, err.text);
            } else if (!complete->has_failed) {
                ++*(complete->is_copy ? &f->batch->copied : &f->batch->translated);
                if (f->hooks->finish) f->hooks->finish(f->hooks->context);
            }
            if (!complete->has_failed) sync_previous_folder(f, complete->file->target);
            output_abandon(&complete->output);
        }
    }
    sync_previous_folder(f, NULL);
    return NULL;
}

static Status finisher_start(FileFinisher **out, Batch *batch, const DragomanBatchHooks *hooks, Err *err)
{
    FileFinisher *f = calloc(1, sizeof *f);
    struct rlimit files;
    int fault;

    *out = NULL;
    if (!f) return err_memory(err, "the output files");
    f->batch = batch;
    f->hooks = hooks;
    f->limit = MOST_WAITING;
    /* Up to `limit` files wait while up to `limit` others are being finished, and all of them are open. */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < OTHER_FILES + 2 * MOST_WAITING)
        f->limit = files.rlim_cur > OTHER_FILES + 2 ? ((size_t)files.rlim_cur - OTHER_FILES) / 2 : 1;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->added, NULL);
    pthread_cond_init(&f->taken, NULL);
    fault = thread_start_masked(&f->thread, finish_all, f);
    if (fault) {
        free(f);
        return err_set(err, ERR_IO, "cannot start a thread for the output files: %s", strerror(fault));
    }
    *out = f;
    return OK;
}

/* Waits until all files are finished, and syncs their folders. */
static void finisher_end(FileFinisher *f)
{
    pthread_mutex_lock(&f->lock);
    f->ended = true;
    pthread_cond_signal(&f->added);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->added);
    pthread_cond_destroy(&f->taken);
    free(f);
}

/* --- Writing files ----------------------------------------------------------- */

typedef struct {
    Batch *batch;
    DragomanRun *run;
    const DragomanBatchHooks *hooks;
    FileFinisher *finisher;
    bool has_failed; /* the current file has failed, and this was reported */
    bool is_open;    /* `out` is in use */
    Output out;
} BatchWriter;

static const BatchFile *file_of(const Batch *b, const DragomanItem *item)
{
    return &b->files[b->todo[item->file]];
}

static void close_output(BatchWriter *w)
{
    if (w->is_open) output_abandon(&w->out);
    w->is_open = false;
}

static void fail_file(BatchWriter *w, size_t file, const char *message)
{
    add_failure(w->batch, message);
    w->has_failed = true;
    dragoman_run_drop(w->run, file);
    close_output(w);
}

/* Creates the missing folders of a target, the outermost one first. A new folder gets the mode of the corresponding
 * source folder, and write permission for its owner. */
static Status make_folders(const BatchFile *file, Err *err)
{
    char *folder = path_folder(file->target), *path = strdup(file->target);
    const size_t relative = strlen(file->target) - strlen(file->source + file->relative);
    Status st = folder && path ? OK : err_memory(err, "a path");

    for (char *slash = path; st == OK && !path_is_directory(folder) && (slash = strchr(slash + 1, '/'));) {
        const size_t len = (size_t)(slash - path);
        char *source =
            len + 1 >= relative && !file->named ? strndup(file->source, file->relative + len - relative) : NULL;
        struct stat info;
        mode_t mode = 0777;
        if (source && stat(source, &info) == 0) mode = (info.st_mode & mode) | S_IRWXU;
        free(source);
        *slash = '\0';
        if (mkdir(path, mode) != 0) {
            const int fault = errno;
            if (fault != EEXIST && !path_is_directory(path))
                st = err_set(err, ERR_IO, "%s: cannot create the folder: %s", path, strerror(fault));
        }
        *slash = '/';
    }
    free(folder);
    free(path);
    return st;
}

/* Opens the output of a file, unless it is open or the file has failed. */
static void open_output(BatchWriter *w, const DragomanItem *item)
{
    const BatchFile *file = file_of(w->batch, item);
    Err reason;
    Status st = OK;

    if (w->is_open || w->has_failed) return;
    w->is_open = true;
    w->out = (Output){ .fd = -1 };
    if (!w->batch->request.suffix) st = make_folders(file, &reason);
    if (st == OK) st = output_choose(&w->out, file->target, w->batch->reporter, &reason);
    if (st == OK && !output_is_file(&w->out)) st = err_set(&reason, ERR_IO, "%s: not a regular file", file->target);
    if (st == OK) {
        w->out.mode = (file->mode & (mode_t)0777) | S_IWUSR;
        w->out.in_batch = true;
        st = output_open(&w->out, &reason);
    }
    if (st != OK) fail_file(w, item->file, reason.text);
}

/* Gives the output to the finishing thread. Waits while too many outputs are waiting for that thread. */
static void hand_over(BatchWriter *w, const DragomanItem *item, bool is_copy)
{
    FileFinisher *f = w->finisher;

    if (!w->is_open) return;
    w->is_open = false;
    pthread_mutex_lock(&f->lock);
    while (f->count == f->limit) pthread_cond_wait(&f->taken, &f->lock);
    f->files[f->count++] = (CompleteOutput){ .output = w->out,
                                             .file = file_of(w->batch, item),
                                             .read = run_file(w->run, item->file)->info,
                                             .is_copy = is_copy };
    pthread_cond_signal(&f->added);
    pthread_mutex_unlock(&f->lock);
}

static Status copy_file(BatchWriter *w, const char *source, Err *err)
{
    const int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char chunk[COPY_BYTES];
    Status st = OK;

    if (fd < 0) return err_set(err, ERR_IO, "%s: %s", source, strerror(errno));
    for (ssize_t n = 1; st == OK && n;) {
        n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno != EINTR) st = err_set(err, ERR_IO, "%s: %s", source, strerror(errno));
        if (n > 0) buf_put(&w->out.buffer, chunk, (size_t)n);
        if (st == OK) st = buf_check(&w->out.buffer, err);
        if (st == OK) st = output_drain(&w->out, err);
    }
    close(fd);
    return st;
}

static Status write_item(BatchWriter *w, const DragomanItem *item, Err *err)
{
    DragomanError error = { .setting = DRAGOMAN_NO_SETTING }; /* a callback may leave it out */
    const char *text = NULL;
    size_t length = 0;
    Err reason;
    Status st;

    open_output(w, item);
    if (!w->is_open) return OK;
    if (item->kind == DRAGOMAN_ITEM_LINE && w->hooks->format) {
        st = public_status(w->hooks->format(w->hooks->context, item, &text, &length, &error), &error, err);
        if (st == OK && text) buf_put(&w->out.buffer, text, length);
        if (st == OK) st = buf_check(&w->out.buffer, err);
    } else {
        st = run_append_item(&w->out.buffer, item, err);
    }
    if (st == OK && output_drain(&w->out, &reason) != OK) fail_file(w, item->file, reason.text);
    return st;
}

static Status take_item(BatchWriter *w, const DragomanItem *item, Err *err)
{
    const BatchFile *file = file_of(w->batch, item);
    const bool is_over = item->kind == DRAGOMAN_ITEM_FILE || item->kind == DRAGOMAN_ITEM_OTHER;
    const uint64_t size = (uint64_t)file->size, read = is_over ? run_file(w->run, item->file)->bytes : size;
    Err reason;
    Status st = OK;

    if (w->hooks->watch) w->hooks->watch(w->hooks->context, item, read < size ? size - read : 0);
    if (item->kind == DRAGOMAN_ITEM_FAULT) {
        fail_file(w, item->file, item->message);
    } else if (!is_over) {
        st = write_item(w, item, err);
    } else if (item->kind == DRAGOMAN_ITEM_OTHER && !w->batch->request.copies_others) {
        skip_file(w->batch, file);
    } else {
        const bool is_copy = item->kind == DRAGOMAN_ITEM_OTHER;
        open_output(w, item); /* the output of a file without lines has not been opened yet */
        if (is_copy && w->is_open && copy_file(w, file->source, &reason) != OK) fail_file(w, item->file, reason.text);
        hand_over(w, item, is_copy);
    }
    if (is_over) w->has_failed = false;
    return st;
}

static Status translate(Batch *b, DragomanJob *job, const DragomanBatchHooks *hooks, Err *err)
{
    BatchWriter w = { .batch = b, .hooks = hooks };
    InputKind *kinds = calloc(b->todo_count + 1, sizeof *kinds);
    DragomanItem item;
    Status st = kinds ? finisher_start(&w.finisher, b, hooks, err) : err_memory(err, "the list of files");

    for (size_t i = 0; st == OK && i < b->todo_count; i++) kinds[i] = b->files[b->todo[i]].kind;
    if (st == OK) st = run_start(&w.run, job, b->inputs, b->todo_count, (DragomanRunRules){ .each = true }, kinds, err);
    while (st == OK && (st = run_next(w.run, &item, err)) == OK && item.kind != DRAGOMAN_ITEM_END)
        st = take_item(&w, &item, err);
    close_output(&w);
    dragoman_run_end(w.run, st != OK);
    if (w.finisher) finisher_end(w.finisher);
    free(kinds);
    return st;
}

/* Removes the temporary files that killed processes have left in the folders of the targets. */
static Status clean_folders(const Batch *b, Err *err)
{
    char *last = NULL;

    for (size_t i = 0; i < b->count; i++) {
        char *folder = path_folder(b->files[i].target);
        if (folder && (!last || strcmp(last, folder) != 0)) temporary_file_remove_left(folder, NULL);
        free(last);
        last = folder;
        if (!folder) return err_memory(err, "a path");
    }
    free(last);
    return OK;
}

DragomanStatus dragoman_plan_run(DragomanPlan *b, DragomanJob *job, const DragomanBatchHooks *hooks,
                                 DragomanError *error)
{
    static const DragomanBatchHooks none = { .context = NULL };
    const Memory *memory = job ? job->memory : NULL;
    Err err;
    Status st = clean_folders(b, &err);

    for (size_t i = 0; st == OK && memory && i < b->todo_count; i++) {
        const BatchFile *file = &b->files[b->todo[i]];
        const char *found = memory_is_at(memory, file->source)   ? file->source
                            : memory_is_at(memory, file->target) ? file->target
                                                                 : NULL;
        if (found) st = err_set(&err, ERR_USAGE, "%s is the translation memory; exclude it from the files", found);
    }
    if (st == OK && b->todo_count) st = translate(b, job, hooks ? hooks : &none, &err);
    return option_fields_answer(st, &err, b->options->spelling, error);
}

DragomanStatus dragoman_job_files(DragomanJob *job, const DragomanBatch *batch, DragomanBatchResult *result,
                                  DragomanError *error)
{
    DragomanPlan *plan;
    DragomanStatus st = dragoman_plan_new(&plan, batch, job->options, job->reporter, error);

    *result = (DragomanBatchResult){ 0 };
    if (st != DRAGOMAN_OK) return st;
    st = dragoman_plan_run(plan, job, NULL, error);
    dragoman_plan_report(plan);
    *result = dragoman_plan_result(plan);
    dragoman_plan_free(plan);
    return st;
}
