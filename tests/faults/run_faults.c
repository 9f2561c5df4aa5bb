/* run_faults.c - makes every call of dragoman fail in turn and checks what it promises then.
 *
 *   run_faults [-j JOBS] [-s] [-k KIND] [-m MODE] -g GOLDEN -f FIXTURES [CASE...]
 *
 * Each CASE is a line of tests/faults/cases; without one, all are run. For each case, each kind of calls and each mode
 * (fault_injection.h), dragoman is run with a fault in the first call of the kind, in the second one, and so on, until
 * a run ends without a fault. With -s, only the first and the last one of the calls with the same callers are tried,
 * and only in the first case that has these callers: this takes minutes instead of hours. KIND and MODE, such as
 * "memory" and "once", choose one kind and one mode. GOLDEN is the folder of the golden models, FIXTURES the one that
 * tests/faults/make_fixtures has written.
 *
 * The address and leak sanitizers are part of each run. A line is printed for each case; broken promises are described
 * on stderr with the callers of the call that failed. The last line is "N passed, N failed". */
#define _GNU_SOURCE /* clearenv(), dladdr(), nftw(), vasprintf(), MAP_ANONYMOUS */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_injection.h"
#include "program.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Files ------------------------------------------------------------------ */

/* The regular files and symbolic links of a folder, kept in memory. If something fails, the driver ends: the results
 * would be worthless. */
typedef struct {
    char *path; /* below the folder */
    char *data; /* of a symbolic link: what it names */
    size_t size;
    bool is_link;
} File;

typedef struct {
    File *items;
    size_t count;
} Files;

/* Prints the message and ends the driver. */
static _Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void give_up(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("run_faults: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    fflush(stderr);
    va_end(arguments);
    _exit(3);
}

/* Formats into a new string. */
static char *make_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *make_text(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) give_up("out of memory");
    va_end(arguments);
    return text;
}

/* Reads a whole file. */
static File read_file(const char *path)
{
    File file = { .path = make_text("%s", path) };
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) give_up("%s: %s", path, strerror(errno));
    file.size = (size_t)info.st_size;
    file.data = calloc(1, file.size + 1);
    if (!file.data || read(fd, file.data, file.size) != (ssize_t)file.size) give_up("%s: cannot be read", path);
    close(fd);
    return file;
}

static File read_link(const char *path, size_t size)
{
    File file = { .path = make_text("%s", path), .size = size, .is_link = true };

    file.data = calloc(1, size + 1);
    if (!file.data || readlink(path, file.data, size) != (ssize_t)size) give_up("%s: cannot be read", path);
    return file;
}

/* nftw() has no argument for its function. */
static struct {
    Files files;
    size_t skipped; /* characters of the folder */
} found;

static int add_file(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    File file;

    (void)position;
    if (kind != FTW_F && kind != FTW_SL && kind != FTW_SLN) return 0;
    file = S_ISLNK(info->st_mode) ? read_link(path, (size_t)info->st_size) : read_file(path);
    memmove(file.path, file.path + found.skipped, strlen(file.path + found.skipped) + 1);
    found.files.items = realloc(found.files.items, (found.files.count + 1) * sizeof file);
    if (!found.files.items) give_up("out of memory");
    found.files.items[found.files.count++] = file;
    return 0;
}

static Files read_files(const char *folder)
{
    found.files = (Files){ 0 };
    found.skipped = strlen(folder) + 1;
    if (nftw(folder, add_file, 16, FTW_PHYS) != 0) give_up("%s: cannot be listed", folder);
    return found.files;
}

static void free_files(Files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].data);
    }
    free(files->items);
    *files = (Files){ 0 };
}

static const File *find_file(const Files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0) return &files->items[i];
    return NULL;
}

/* NULL: there is no such file. */
static bool is_same_file(const File *a, const File *b)
{
    if (!a || !b) return a == b;
    return a->is_link == b->is_link && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static bool are_same_files(const Files *a, const Files *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!is_same_file(&a->items[i], find_file(b, a->items[i].path))) return false;
    return true;
}

static int remove_item(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    (void)info;
    (void)kind;
    if (position->level > 0 && remove(path) != 0) give_up("%s: %s", path, strerror(errno));
    return 0;
}

static void make_folders(char *path)
{
    for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) give_up("%s: %s", path, strerror(errno));
        *end = '/';
    }
}

static void write_file(const File *file, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0 || write(fd, file->data, file->size) != (ssize_t)file->size) give_up("%s: %s", path, strerror(errno));
    close(fd);
}

/* Makes the folder contain these files alone. */
static void restore_files(const Files *files, const char *folder)
{
    if (nftw(folder, remove_item, 16, FTW_PHYS | FTW_DEPTH) != 0) give_up("%s: cannot be emptied", folder);
    for (size_t i = 0; i < files->count; i++) {
        char *path = make_text("%s/%s", folder, files->items[i].path);
        make_folders(path);
        if (!files->items[i].is_link)
            write_file(&files->items[i], path);
        else if (symlink(files->items[i].data, path) != 0)
            give_up("%s: %s", path, strerror(errno));
        free(path);
    }
}

/* --- Cases: tests/faults/cases ------------------------------------------------ */

enum { MOST_WORDS = 64 };

/* A command of dragoman. The working folder of each run has the same files at first. */
typedef struct {
    char *name;
    char *input; /* the file that is standard input */
    char **arguments;
    int count;
} Case;

typedef struct {
    Case *items;
    size_t count;
} Cases;

typedef struct {
    const char *golden, *fixtures;
} Folders;

static void *grown(void *items, size_t bytes)
{
    items = realloc(items, bytes);
    if (!items) give_up("out of memory");
    return items;
}

/* "a=@b" becomes "a=GOLDEN/b". The caller frees the result. */
static char *expand(const char *word, const Folders *folders)
{
    char *text = make_text("%s", "");

    for (size_t i = 0; word[i]; i++) {
        const bool starts = i == 0 || word[i - 1] == '=' || word[i - 1] == ',';
        const char *folder = starts && word[i] == '@'   ? folders->golden
                             : starts && word[i] == '%' ? folders->fixtures
                                                        : NULL;
        char *longer =
            folder ? make_text("%s%s/", text, folder) : make_text("%s%c", text, word[i] == '~' ? ' ' : word[i]);
        free(text);
        text = longer;
    }
    return text;
}

static Case read_case(char *line, const Folders *folders)
{
    Case test = { .arguments = grown(NULL, (MOST_WORDS + 2) * sizeof *test.arguments) };
    char *rest = NULL, *word = strtok_r(line, " \n", &rest);

    test.name = make_text("%s", word);
    word = strtok_r(NULL, " \n", &rest);
    if (!word) give_up("cases: %s has no standard input", test.name);
    test.input = expand(word, folders);
    test.arguments[test.count++] = make_text("dragoman");
    while (test.count <= MOST_WORDS && (word = strtok_r(NULL, " \n", &rest)))
        test.arguments[test.count++] = expand(word, folders);
    test.arguments[test.count] = NULL;
    return test;
}

/* `golden` and `fixtures` replace "@" and "%". With `names`, only the cases of these names are read, and an unknown
 * name ends the driver. The result lives as long as the driver. */
static Cases read_cases(const char *path, const char *golden, const char *fixtures, char **names, int count)
{
    const Folders folders = { golden, fixtures };
    Cases cases = { 0 };
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int known = 0;

    if (!file) give_up("%s: cannot be opened", path);
    while (getline(&line, &room, file) > 0) {
        bool is_wanted = count == 0;
        Case test;
        if (*line == '#' || *line == '\n') continue;
        test = read_case(line, &folders);
        for (int i = 0; i < count; i++) is_wanted = is_wanted || strcmp(test.name, names[i]) == 0;
        if (!is_wanted) continue;
        known++;
        cases.items = grown(cases.items, (cases.count + 1) * sizeof test);
        cases.items[cases.count++] = test;
    }
    free(line);
    fclose(file);
    if (known < count) give_up("cases: only %d of %d names are known", known, count);
    return cases;
}

/* --- Runs --------------------------------------------------------------------- */

/* A run takes a fraction of a second. One that takes this long does not end. */
#define MOST_SECONDS 120

/* Where a driver process works: files of its own. */
typedef struct {
    char *folder; /* holds work/, out and err */
    const Files *before;
    FaultRecord *record; /* shared with the children */
    bool is_clean;       /* the working folder is as before */
} Desk;

static void redirect(int to, const char *path, int flags)
{
    const int fd = open(path, flags, 0666);

    if (fd < 0 || dup2(fd, to) < 0 || (fd != to && close(fd) != 0)) give_up("%s: %s", path, strerror(errno));
}

static void become_child(const Desk *desk, const Case *test)
{
    char *out = make_text("%s/out", desk->folder), *err = make_text("%s/err", desk->folder);
    char *work = make_text("%s/work", desk->folder), *home = make_text("%s/home", work);

    redirect(STDIN_FILENO, test->input, O_RDONLY);
    redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    if (chdir(work) != 0) give_up("%s: %s", work, strerror(errno));
    free(out);
    free(err);
    free(work);
    if (setenv("HOME", home, 1) != 0) give_up("setenv: %s", strerror(errno));
    free(home);
    optind = 0; /* getopt() has read the options of the driver */
    (void)alarm(MOST_SECONDS);
}

typedef struct {
    int status; /* as waitpid() returns it */
    File out, err;
    Files files; /* the working folder afterwards */
} Result;

/* Runs dragoman in a child process with one fault; desk->record says what happened. The child is forked before dragoman
 * has started, so that each run begins in the same state without the time that a program with sanitizers and large
 * libraries takes to start. */
static Result run_case(Desk *desk, const Case *test, Fault fault)
{
    Result result = { 0 };
    char *path = make_text("%s/work", desk->folder);
    pid_t child;

    if (!desk->is_clean) restore_files(desk->before, path);
    for (int i = 0; i < FAULT_KINDS; i++) atomic_store(&desk->record->calls[i], 0);
    atomic_store(&desk->record->injected, false);
    child = fork();
    if (child < 0) give_up("fork: %s", strerror(errno));
    if (child == 0) {
        become_child(desk, test);
        __lsan_enable();
        fault_arm(fault, desk->record);
        exit(program_run(test->count, test->arguments));
    }
    while (waitpid(child, &result.status, 0) < 0)
        if (errno != EINTR) give_up("waitpid: %s", strerror(errno));
    result.files = read_files(path);
    desk->is_clean = are_same_files(&result.files, desk->before);
    free(path);
    result.out = read_file(path = make_text("%s/out", desk->folder));
    free(path);
    result.err = read_file(path = make_text("%s/err", desk->folder));
    free(path);
    return result;
}

static void free_result(Result *result)
{
    free_files(&result->files);
    free(result->out.path);
    free(result->out.data);
    free(result->err.path);
    free(result->err.data);
}

/* --- Promises -------------------------------------------------------------------
 * The process ends by itself and in time, without a report of the sanitizers. Either it succeeds and all it wrote is
 * the same as without a fault, or it fails with exit code 1 and says why in one line. A file in the working folder is
 * then as before or wholly new, and every file is one that an undisturbed run could have left. */

/* Libraries that cannot bear a lack of memory. README.md explains each row. */
static const struct {
    const char *library, *function;
    bool leaks; /* the process ends by itself, and the leak sanitizer reports memory */
    const char *reason;
} library_ends[] = {
    { "libc.so", "pthread_getattr_np", false, "the address sanitizer asks for the stack of a new thread" },
    { "libcld2", "", true, "CLD2 does not free what it has reserved before" },
    { "libicu", "", true, "ICU loses memory that it has reserved before" },
    { "ld-linux", "__tls_get_addr", false, "the dynamic linker has no memory for the variables of a thread" },
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Whether a check of the address sanitizer failed in its call of that function. The call is not among the callers if
 * another one was the first to fail. */
static bool has_report(const Result *result, const char *function)
{
    const char *check = strstr(result->err.data, "AddressSanitizer: CHECK failed");

    return check && *function && memmem(check, strcspn(check, "\n"), function, strlen(function));
}

/* Whether a function is among the callers whose library and name begin so; "" stands for any. */
static bool has_frame(const FaultRecord *record, const char *library, const char *function)
{
    if (!*function) return strncmp(record->library, library, strlen(library)) == 0;
    for (int i = 0; i < record->depth; i++) {
        Dl_info info;
        if (!dladdr(record->frames[i], &info) || strncmp(base_name(info.dli_fname), library, strlen(library)) != 0)
            continue;
        if (info.dli_sname && strcmp(info.dli_sname, function) == 0) return true;
    }
    return false;
}

static char *check_end(int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return make_text("does not end");
    if (WIFSIGNALED(status)) return make_text("ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) > 1) return make_text("exit code %d", WEXITSTATUS(status));
    return NULL;
}

static bool is_temporary(const char *path)
{
    return strstr(path, ".dragoman-") != NULL;
}

/* A cache may be written or not: it has no part in the result. */
static bool is_cache(const char *path)
{
    return strncmp(path, "home/.cache/", strlen("home/.cache/")) == 0;
}

/* A memory grows by whole lines and keeps them when dragoman fails. */
static bool is_begun_memory(const File *file, const File *made)
{
    const size_t length = strlen(file->path);

    if (!made || length < 4 || strcmp(file->path + length - 4, ".tsv") != 0 || file->size > made->size) return false;
    return memcmp(file->data, made->data, file->size) == 0 && (!file->size || file->data[file->size - 1] == '\n');
}

/* Each file is as before or as after the undisturbed run; when dragoman succeeds, as after it. */
static char *check_files(const Result *result, const Result *undisturbed, const Files *before, bool may_stay)
{
    const bool succeeded = WEXITSTATUS(result->status) == 0;

    for (size_t i = 0; i < result->files.count; i++) {
        const File *file = &result->files.items[i];
        const File *old = find_file(before, file->path);
        const File *made = find_file(&undisturbed->files, file->path);
        if (!succeeded && is_begun_memory(file, made)) continue;
        if (is_cache(file->path) || (may_stay && is_temporary(file->path))) continue;
        if (made && is_same_file(file, made)) continue;
        if (!old && !made) return make_text("%s was left", file->path);
        if (!old || succeeded || !is_same_file(file, old)) return make_text("%s has other content", file->path);
    }
    for (size_t i = 0; i < before->count; i++)
        if (!find_file(&result->files, before->items[i].path)) return make_text("%s is lost", before->items[i].path);
    for (size_t i = 0; succeeded && i < undisturbed->files.count; i++)
        if (!is_cache(undisturbed->files.items[i].path) && !find_file(&result->files, undisturbed->files.items[i].path))
            return make_text("%s was not written", undisturbed->files.items[i].path);
    return NULL;
}

/* Whether text[0..length) is a line of `all`. */
static bool has_line(const File *all, const char *text, size_t length)
{
    for (const char *at = all->data; *at;) {
        const char *end = strchr(at, '\n');
        const size_t size = end ? (size_t)(end - at) : strlen(at);
        if (size == length && memcmp(at, text, length) == 0) return true;
        at += size + (end ? 1 : 0);
    }
    return false;
}

/* What the messages of a run are that the undisturbed run does not write. */
typedef struct {
    size_t count, listed; /* listed: how many failures the list at the end of a batch has */
    const char *last;
} Messages;

/* The counts that -v reports do not count as messages. A batch repeats its failures in a list, whose lines are
 * indented, after a line with their number. */
static void note_message(Messages *messages, const char *text)
{
    static const char warning[] = "warning: ", choice[] = "using ",
                      terms[] = "terms: ", consequence[] = ": not written because an input could not be read";
    const size_t digits = strspn(text, "0123456789");
    const size_t length = strcspn(text, "\n");

    if (strncmp(text, warning, strlen(warning)) == 0 || strncmp(text, choice, strlen(choice)) == 0) return;
    if (*text == ' ' || memmem(text, length, consequence, strlen(consequence))) return;
    if (memmem(text, length, " lines/s", strlen(" lines/s")) || strncmp(text, terms, strlen(terms)) == 0) return;
    if (digits && strncmp(text + digits, " failure", strlen(" failure")) == 0) {
        messages->listed = strtoul(text, NULL, 10);
    } else {
        messages->count++;
        messages->last = text;
    }
}

static char *read_messages(Messages *messages, const Result *result, const Result *undisturbed)
{
    static const char name[] = "dragoman: ";

    *messages = (Messages){ .last = "" };
    for (const char *at = result->err.data, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        if (!end) return make_text("the last message has no end");
        if (strncmp(at, name, strlen(name)) != 0) return make_text("a message without the name of the program");
        if (!has_line(&undisturbed->err, at, (size_t)(end - at))) note_message(messages, at + strlen(name));
    }
    return NULL;
}

static bool names_code(const char *text, size_t length, int code)
{
    const char *name = code == ENOMEM ? "memory" : strerror(code);

    return memmem(text, length, name, strlen(name)) != NULL;
}

/* The message must name what happened and not, say, call a sound file broken. dlopen() and pthread_create() do not
 * tell, even if they are not the first calls that fail, and a file about which nothing can be learned may count as
 * missing. */
static bool names_reason(const char *message, Fault fault, const FaultRecord *record)
{
    if (fault.kind == FAULT_LOOK || has_frame(record, "", "dlopen") || has_frame(record, "", "pthread_create"))
        return true;
    if (fault.mode == FAULT_LASTING && strstr(message, "cannot start ")) return true;
    return names_code(message, strcspn(message, "\n"), record->code);
}

static char *check_failure(const Result *result, const Result *undisturbed, Fault fault, const FaultRecord *record)
{
    Messages messages;
    char *broken = read_messages(&messages, result, undisturbed);
    size_t expected;

    if (broken) return broken;
    expected = messages.listed ? messages.listed : 1;
    if (messages.count != expected && !(fault.mode == FAULT_LASTING && messages.count == expected + 1))
        return make_text("%zu messages for %zu failures", messages.count, expected);
    if (!names_reason(messages.last, fault, record)) return make_text("the message does not name the reason");
    if (fault.mode == FAULT_SHORT || fault.mode == FAULT_INTERRUPTED) return make_text("fails for no reason");
    return NULL;
}

/* Whether each line of the output that no undisturbed run writes names the reason, as the list of models does. */
static bool lists_reason(const Result *result, const Result *undisturbed, Fault fault, int code)
{
    if (fault.mode == FAULT_SHORT || fault.mode == FAULT_INTERRUPTED) return false;
    for (const char *at = result->out.data, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        if (!end) return false;
        if (!has_line(&undisturbed->out, at, (size_t)(end - at)) && !names_code(at, (size_t)(end - at), code))
            return false;
    }
    return true;
}

static char *check_success(const Result *result, const Result *undisturbed, Fault fault, const FaultRecord *record)
{
    Messages messages;

    if (!is_same_file(&result->out, &undisturbed->out) && !lists_reason(result, undisturbed, fault, record->code))
        return make_text("success with another output");
    return read_messages(&messages, result, undisturbed);
}

/* `undisturbed` is the result of the same command without a fault, `before` the files of its working folder at first.
 * Returns NULL, or the broken promise, which the caller frees. */
static char *check_promises(const Result *result, const Result *undisturbed, const Files *before, Fault fault,
                            const FaultRecord *record)
{
    const bool may_stay = fault.kind == FAULT_RENAME || fault.kind == FAULT_LOOK;
    char *broken = check_end(result->status);

    if (!broken && WEXITSTATUS(result->status) == 1) broken = check_failure(result, undisturbed, fault, record);
    if (!broken && WEXITSTATUS(result->status) == 0) broken = check_success(result, undisturbed, fault, record);
    if (!broken) broken = check_files(result, undisturbed, before, may_stay);
    return broken;
}

/* Why a library, and not dragoman, ended the process at this fault; NULL: it did not. */
static const char *library_end_of(const Result *result, const FaultRecord *record)
{
    const bool leaks = WIFEXITED(result->status) && strstr(result->err.data, "LeakSanitizer: detected memory leaks");

    if (WIFEXITED(result->status) && WEXITSTATUS(result->status) <= 1) return NULL;
    for (size_t i = 0; i < sizeof library_ends / sizeof *library_ends; i++) {
        if (library_ends[i].leaks && !leaks) continue;
        if (has_frame(record, library_ends[i].library, library_ends[i].function) ||
            has_report(result, library_ends[i].function))
            return library_ends[i].reason;
    }
    return NULL;
}

/* --- The driver ------------------------------------------------------------------ */

/* MOST_REPORTS: broken promises that are printed for each case. */
enum { MOST_REPORTS = 12, MOST_JOBS = 64, SEEN_SLOTS = 1 << 20 };

static const char *const kind_names[] = { "memory", "library", "map",    "open", "read",  "write",
                                          "close",  "sync",    "rename", "look", "thread" };
static const char *const mode_names[] = { "once", "lasting", "short", "interrupted" };
_Static_assert(COUNT(kind_names) == FAULT_KINDS && COUNT(mode_names) == FAULT_MODES, "a name for each");

typedef struct {
    int jobs, kind, mode; /* -1: all kinds, all modes */
    bool samples;
    const char *cases, *golden, *fixtures;
} Settings;

typedef struct {
    size_t faults;    /* injected */
    size_t broken;    /* runs that broke a promise */
    size_t ended;     /* runs that a library ended; they are not counted as broken */
    bool is_complete; /* a run has made fewer calls */
} Tally;

/* The same numbers for all processes. */
typedef struct {
    _Atomic size_t faults, broken, ended;
} Totals;

/* What the processes of the driver share. */
typedef struct {
    _Atomic size_t next, passed, failed;
    Totals totals[FAULT_KINDS][FAULT_MODES];
    _Atomic uint64_t seen[SEEN_SLOTS]; /* hashes of callers; 0: free */
    FaultRecord records[MOST_JOBS];
} Shared;

/* All that stays until the end. */
static struct {
    Settings settings;
    Cases cases;
    Files before;
    Result undisturbed; /* of the current case */
    Shared *shared;
    char *folder; /* of the driver */
} driver;

/* The sanitizers end a process with a code that dragoman does not use. What the driver frees is kept only for a while:
 * otherwise it would grow, and with it the time that fork() and the search for leaks take. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
           ":quarantine_size_mb=8";
}
__attribute__((visibility("default"))) const char *__ubsan_default_options(void)
{
    return "exitcode=99:print_stacktrace=1";
}

static Desk make_desk(size_t number)
{
    Desk desk = { .folder = make_text("%s/%zu", driver.folder, number),
                  .before = &driver.before,
                  .record = &driver.shared->records[number] };
    char *work = make_text("%s/work", desk.folder);

    if (mkdir(desk.folder, 0777) != 0 || mkdir(work, 0777) != 0) give_up("%s: %s", work, strerror(errno));
    free(work);
    return desk;
}

/* Adds the hash to those that were seen. Returns whether it is new. */
static bool is_new(uint64_t hash)
{
    size_t at = hash % SEEN_SLOTS;

    if (!hash) hash = 1;
    for (size_t tries = 0; tries < SEEN_SLOTS; tries++, at = (at + 1) % SEEN_SLOTS) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&driver.shared->seen[at], &there, hash)) return true;
        if (there == hash) return false;
    }
    return true;
}

static void print_frames(const FaultRecord *record)
{
    char text[1024];

    for (int i = 0, shown = 0; i < record->depth && shown < 12; i++) {
        const char *address = record->frames[i];
        __sanitizer_symbolize_pc((void *)(address - 1), "%f %S", text, sizeof text);
        if (strncmp(text, "fault_", 6) == 0 || strncmp(text, "note_fault", 10) == 0 || strncmp(text, "answer", 6) == 0)
            continue;
        fprintf(stderr, "      in %s\n", text);
        shown++;
    }
}

static void report(const Case *test, Fault fault, const FaultRecord *record, const Result *result, const char *broken)
{
    fprintf(stderr, "      %s %s:%s:%zu: %s\n      %s\n", test->name, kind_names[fault.kind], mode_names[fault.mode],
            fault.at, broken, record->injected ? record->call : "without a fault");
    if (record->injected) print_frames(record);
    for (const char *at = result->err.data, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        fprintf(stderr, "      | %.*s\n", (int)(end - at), at);
    }
    fflush(stderr);
}

static void try_fault(Desk *desk, size_t number, Fault fault, Tally *tally)
{
    const Case *test = &driver.cases.items[number];
    Result result = run_case(desk, test, fault);
    char *broken = check_promises(&result, &driver.undisturbed, &driver.before, fault, desk->record);

    tally->is_complete = desk->record->calls[fault.kind] < fault.at;
    tally->faults += desk->record->injected;
    if (broken && library_end_of(&result, desk->record))
        tally->ended++;
    else if (broken && tally->broken++ < MOST_REPORTS)
        report(test, fault, desk->record, &result, broken);
    free(broken);
    free_result(&result);
}

/* Makes the first and the last of the calls with the same callers fail: a list that cannot grow leaves more to be freed
 * than one that cannot begin. Callers that another case had are skipped. `counts` has the calls of the undisturbed run,
 * which was the last one that noted them. */
static void try_new_callers(Desk *desk, size_t number, Fault fault, const size_t *counts, Tally *tally)
{
    const uint64_t *callers = desk->record->callers[fault.kind];
    const size_t count = counts[fault.kind] < FAULT_MAX_CALLS ? counts[fault.kind] : FAULT_MAX_CALLS;

    for (size_t i = 0; i < count; i++) {
        size_t last = count - 1;
        if (!is_new((callers[i] + 1) * (FAULT_MODES + fault.mode))) continue;
        while (callers[last] != callers[i]) last--;
        fault.at = i + 1;
        try_fault(desk, number, fault, tally);
        fault.at = last + 1;
        if (last > i) try_fault(desk, number, fault, tally);
    }
}

static void try_all(Desk *desk, size_t number, Fault fault, Tally *tally)
{
    tally->is_complete = false;
    for (fault.at = 1; !tally->is_complete; fault.at++) try_fault(desk, number, fault, tally);
}

/* Only calls that wait or transfer bytes can be interrupted, and only the latter can be short. */
static bool is_wanted(Fault fault)
{
    const Settings *settings = &driver.settings;
    const bool transfers = fault.kind == FAULT_READ || fault.kind == FAULT_WRITE;
    const bool waits = fault.kind == FAULT_LOOK;

    if (settings->kind >= 0 && fault.kind != (FaultKind)settings->kind) return false;
    if (settings->mode >= 0 && fault.mode != (FaultMode)settings->mode) return false;
    return fault.mode < FAULT_SHORT || transfers || (waits && fault.mode == FAULT_INTERRUPTED);
}

/* Tries all kinds and modes. */
static void try_faults(Desk *desk, size_t number, Tally *tally)
{
    size_t counts[FAULT_KINDS];

    for (int i = 0; i < FAULT_KINDS; i++) counts[i] = desk->record->calls[i];
    for (Fault fault = { 0 }; fault.kind < FAULT_KINDS; fault.kind++)
        for (fault.mode = 0; fault.mode < FAULT_MODES; fault.mode++) {
            const Tally before = *tally;
            Totals *totals;
            if (!is_wanted(fault)) continue;
            if (driver.settings.samples)
                try_new_callers(desk, number, fault, counts, tally);
            else
                try_all(desk, number, fault, tally);
            totals = &driver.shared->totals[fault.kind][fault.mode];
            atomic_fetch_add(&totals->faults, tally->faults - before.faults);
            atomic_fetch_add(&totals->broken, tally->broken - before.broken);
            atomic_fetch_add(&totals->ended, tally->ended - before.ended);
        }
}

static void try_case(Desk *desk, size_t number)
{
    const Case *test = &driver.cases.items[number];
    Tally tally = { 0 };

    driver.undisturbed = run_case(desk, test, (Fault){ .at = 0 });
    if (driver.undisturbed.status == 0) {
        try_faults(desk, number, &tally);
    } else {
        report(test, (Fault){ .at = 0 }, desk->record, &driver.undisturbed, "fails without a fault");
        tally.broken++;
    }
    if (tally.faults || tally.broken) {
        atomic_fetch_add(tally.broken ? &driver.shared->failed : &driver.shared->passed, 1);
        printf("%s %s (%zu faults, %zu unhandled)\n", tally.broken ? "FAIL " : "ok   ", test->name, tally.faults,
               tally.broken);
        fflush(stdout);
    }
    free_result(&driver.undisturbed);
}

static void work(size_t number)
{
    Desk desk = make_desk(number);

    for (size_t job; (job = atomic_fetch_add(&driver.shared->next, 1)) < driver.cases.count;) try_case(&desk, job);
}

/* Starts the processes and waits for them. Each child is forked again for each run, so it has no threads. */
static void run_jobs(void)
{
    int status;

    for (int i = 1; i <= driver.settings.jobs; i++) {
        const pid_t child = fork();
        if (child < 0) give_up("fork: %s", strerror(errno));
        if (child == 0) {
            work((size_t)i);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        if (status != 0) give_up("a process of the driver has failed");
}

static int index_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return (int)i;
    give_up("unknown name: %s", name);
}

static Settings read_settings(int argc, char **argv)
{
    Settings settings = { .jobs = 1, .kind = -1, .mode = -1, .cases = "tests/faults/cases" };

    for (int option; (option = getopt(argc, argv, "j:sk:m:g:f:")) != -1;) {
        if (option == 'j')
            settings.jobs = (int)strtol(optarg, NULL, 10);
        else if (option == 's')
            settings.samples = true;
        else if (option == 'k')
            settings.kind = index_of(optarg, kind_names, COUNT(kind_names));
        else if (option == 'm')
            settings.mode = index_of(optarg, mode_names, COUNT(mode_names));
        else if (option == 'g')
            settings.golden = optarg;
        else if (option == 'f')
            settings.fixtures = optarg;
        else
            exit(2);
    }
    if (!settings.golden || !settings.fixtures) give_up("-g and -f are needed");
    if (settings.jobs < 1 || settings.jobs >= MOST_JOBS) give_up("-j takes 1 to %d", MOST_JOBS - 1);
    return settings;
}

/* Prints the numbers for the table in tests/faults/README.md. */
static void print_totals(void)
{
    size_t all = 0;

    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (int mode = 0; mode < FAULT_MODES; mode++) {
            const Totals *totals = &driver.shared->totals[kind][mode];
            if (!totals->faults && !totals->broken) continue;
            printf("%s, %s: %zu faults, %zu unhandled, %zu ended by a library\n", kind_names[kind], mode_names[mode],
                   totals->faults, totals->broken, totals->ended);
            all += totals->faults;
        }
    printf("%zu faults\n%zu passed, %zu failed\n", all, driver.shared->passed, driver.shared->failed);
}

int main(int argc, char **argv)
{
    const Settings settings = read_settings(argc, argv);
    char *golden, *fixtures, *before;

    __lsan_disable(); /* a child does not answer for the memory of the driver */
    golden = realpath(settings.golden, NULL);
    fixtures = realpath(settings.fixtures, NULL);
    if (!golden || !fixtures) give_up("-g and -f are folders that exist");
    driver.settings = settings;
    driver.folder = make_text("%s/dragoman-faults-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(driver.folder)) give_up("%s: %s", driver.folder, strerror(errno));
    driver.cases = read_cases(settings.cases, golden, fixtures, argv + optind, argc - optind);
    driver.before = read_files(before = make_text("%s/work", fixtures));
    driver.shared = mmap(NULL, sizeof *driver.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (driver.shared == MAP_FAILED) give_up("mmap: %s", strerror(errno));
    if (clearenv() != 0 || setenv("LC_ALL", "C.UTF-8", 1) != 0) give_up("setenv: %s", strerror(errno));
    (void)setvbuf(stderr, NULL, _IOFBF, 1 << 16); /* the reports of several processes do not mix */
    run_jobs();
    print_totals();
    free(before);
    restore_files(&(Files){ 0 }, driver.folder);
    (void)rmdir(driver.folder);
    return driver.shared->failed == 0 && driver.shared->passed > 0 ? 0 : 1;
}
