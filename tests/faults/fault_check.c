/* fault_check.c - see fault_check.h.
 * Promises: the process ends by itself and in time, without a report of the sanitizers. Either it succeeds and all it
 * wrote is the same as without a fault, or it fails with exit code 1 and says why in one line. A file in the working
 * folder is then as before or wholly new, and there is no file that no undisturbed run would have left. */
#define _GNU_SOURCE /* dladdr() */
#include "fault_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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
static bool has_report(const FaultResult *result, const char *function)
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
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return fault_text("does not end");
    if (WIFSIGNALED(status)) return fault_text("ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) > 1) return fault_text("exit code %d", WEXITSTATUS(status));
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
static bool is_begun_memory(const FaultFile *file, const FaultFile *made)
{
    const size_t length = strlen(file->path);

    if (!made || length < 4 || strcmp(file->path + length - 4, ".tsv") != 0 || file->size > made->size) return false;
    return memcmp(file->data, made->data, file->size) == 0 && (!file->size || file->data[file->size - 1] == '\n');
}

/* Each file is as before or as after the undisturbed run; when dragoman succeeds, as after it. */
static char *check_files(const FaultResult *result, const FaultResult *undisturbed, const FaultFiles *before,
                         bool may_stay)
{
    const bool succeeded = WEXITSTATUS(result->status) == 0;

    for (size_t i = 0; i < result->files.count; i++) {
        const FaultFile *file = &result->files.items[i];
        const FaultFile *old = fault_files_find(before, file->path);
        const FaultFile *made = fault_files_find(&undisturbed->files, file->path);
        if (!succeeded && is_begun_memory(file, made)) continue;
        if (is_cache(file->path) || (may_stay && is_temporary(file->path))) continue;
        if (made && fault_file_equals(file, made)) continue;
        if (!old && !made) return fault_text("%s was left", file->path);
        if (!old || succeeded || !fault_file_equals(file, old)) return fault_text("%s has other content", file->path);
    }
    for (size_t i = 0; i < before->count; i++)
        if (!fault_files_find(&result->files, before->items[i].path))
            return fault_text("%s is lost", before->items[i].path);
    for (size_t i = 0; succeeded && i < undisturbed->files.count; i++)
        if (!is_cache(undisturbed->files.items[i].path) &&
            !fault_files_find(&result->files, undisturbed->files.items[i].path))
            return fault_text("%s was not written", undisturbed->files.items[i].path);
    return NULL;
}

/* Whether text[0..length) is a line of `all`. */
static bool has_line(const FaultFile *all, const char *text, size_t length)
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

static char *read_messages(Messages *messages, const FaultResult *result, const FaultResult *undisturbed)
{
    static const char name[] = "dragoman: ";

    *messages = (Messages){ .last = "" };
    for (const char *at = result->err.data, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        if (!end) return fault_text("the last message has no end");
        if (strncmp(at, name, strlen(name)) != 0) return fault_text("a message without the name of the program");
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

static char *check_failure(const FaultResult *result, const FaultResult *undisturbed, Fault fault,
                           const FaultRecord *record)
{
    Messages messages;
    char *broken = read_messages(&messages, result, undisturbed);
    size_t expected;

    if (broken) return broken;
    expected = messages.listed ? messages.listed : 1;
    if (messages.count != expected && !(fault.mode == FAULT_LASTING && messages.count == expected + 1))
        return fault_text("%zu messages for %zu failures", messages.count, expected);
    if (!names_reason(messages.last, fault, record)) return fault_text("the message does not name the reason");
    if (fault.mode == FAULT_SHORT || fault.mode == FAULT_INTERRUPTED) return fault_text("fails for no reason");
    return NULL;
}

/* Whether each line of the output that no undisturbed run writes names the reason, as the list of models does. */
static bool lists_reason(const FaultResult *result, const FaultResult *undisturbed, Fault fault, int code)
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

static char *check_success(const FaultResult *result, const FaultResult *undisturbed, Fault fault,
                           const FaultRecord *record)
{
    Messages messages;

    if (!fault_file_equals(&result->out, &undisturbed->out) && !lists_reason(result, undisturbed, fault, record->code))
        return fault_text("success with another output");
    return read_messages(&messages, result, undisturbed);
}

char *fault_check(const FaultResult *result, const FaultResult *undisturbed, const FaultFiles *before, Fault fault,
                  const FaultRecord *record)
{
    const bool may_stay = fault.kind == FAULT_RENAME || fault.kind == FAULT_LOOK;
    char *broken = check_end(result->status);

    if (!broken && WEXITSTATUS(result->status) == 1) broken = check_failure(result, undisturbed, fault, record);
    if (!broken && WEXITSTATUS(result->status) == 0) broken = check_success(result, undisturbed, fault, record);
    if (!broken) broken = check_files(result, undisturbed, before, may_stay);
    return broken;
}

const char *fault_library_end(const FaultResult *result, const FaultRecord *record)
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
