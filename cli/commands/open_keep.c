/* open_keep.c - makes the rules of --keep and --keep-file: see commands.h. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "path.h"

#define CHUNK_BYTES 8192

/* Appends the rest of an open file. */
static Status read_all(FILE *file, const char *path, Buf *out, Err *err)
{
    char chunk[CHUNK_BYTES];
    Status st = OK;

    for (size_t count = 1; st == OK && count;) {
        count = fread(chunk, 1, sizeof chunk, file);
        if (count > KEEP_FILE_BYTES - out->len)
            return err_set(err, ERR_FORMAT, "%s: lists of words of more than %zu MB are not supported", path,
                           KEEP_FILE_BYTES >> 20);
        st = buf_append(out, chunk, count, err);
    }
    return st == OK && ferror(file) ? err_set(err, ERR_IO, "%s: %s", path, strerror(errno)) : st;
}

static Status add_words(KeepRules *rules, const char *path, Err *err)
{
    FILE *file;
    Buf content = { 0 };
    Status st = path_refuse_fifo(path, err);

    if (st != OK) return st;
    file = fopen(path, "re");
    if (!file) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    st = read_all(file, path, &content, err);
    fclose(file);
    if (st == OK) st = keep_rules_add_words(rules, path, &content, err);
    buf_free(&content);
    return st;
}

static Status add_expression(KeepRules *rules, const char *expression, Err *err)
{
    Err reason;
    const Status st = keep_rules_add_expression(rules, expression, &reason);

    return st == OK ? OK : err_set(err, st, "--keep %s", reason.text);
}

Status command_open_keep(KeepRules **out, const Options *options, bool has_documents, Err *err)
{
    const OptionList *keeps = &options->keeps, *files = &options->keep_files;
    Status st;

    *out = NULL;
    if (!keeps->count && !files->count && !has_documents) return OK;
    st = keep_rules_new(out, err);
    for (size_t i = 0; st == OK && i < keeps->count; i++) st = add_expression(*out, keeps->items[i], err);
    for (size_t i = 0; st == OK && i < files->count; i++) st = add_words(*out, files->items[i], err);
    if (st == OK && has_documents) st = keep_rules_add_patterns(*out, err);
    return st;
}
