/* skipped_files.c - see skipped_files.h. */
#include "skipped_files.h"

#include <stdlib.h>
#include <string.h>

#include "binary_file.h"
#include "buf.h"
#include "document_encoding.h"
#include "report.h"
#include "text.h"

#define MOST_NAMED 3 /* reasons in the report */

/* Counts the reason. Those that do not fit count as the last one. */
static void count_reason(SkippedFiles *s, const char *reason)
{
    size_t i = 0;

    while (i < s->kind_count && strcmp(s->kinds[i].reason, reason) != 0) i++;
    if (i == SKIPPED_MOST_REASONS) i--;
    if (i == s->kind_count) s->kinds[s->kind_count++].reason = reason;
    s->kinds[i].count++;
    s->count++;
}

void skipped_files_add(SkippedFiles *s, const BatchFile *file)
{
    const bool is_shown = s->is_verbose || (file->named && !s->is_quiet);
    const char *reason = file->other, *guess = NULL;
    char head[FILE_HEAD_BYTES];

    if (!reason) {
        const DocumentFile text = { file->source, head, binary_file_head(file->source, head) };
        guess = document_encoding_guess(&text);
        reason = !guess && memchr(head, 0, text.size) ? "text with NUL bytes" : "not UTF-8 text";
    }
    count_reason(s, reason);
    if (!is_shown) return;
    report("%s%s: skipped: %s%s%s%s", file->named ? "warning: " : "", file->source, reason,
           guess ? "; it may be in " : "", guess ? guess : "", guess ? ": name its encoding with --encoding" : "");
}

static int compare_counts(const void *a, const void *b)
{
    const SkippedKind *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->reason, y->reason);
}

void skipped_files_report(SkippedFiles *s)
{
    const size_t named = s->kind_count < MOST_NAMED ? s->kind_count : MOST_NAMED;
    size_t others = s->count;
    Buf text = { 0 };
    Err err;
    Status st = OK;

    if (!s->count || s->is_quiet) return;
    qsort(s->kinds, s->kind_count, sizeof *s->kinds, compare_counts);
    for (size_t i = 0; st == OK && i < named; i++) {
        others -= s->kinds[i].count;
        st = buf_append_format(&text, &err, "%s%s", i ? ", " : "", s->kinds[i].reason);
        if (st == OK && s->kind_count > 1) st = buf_append_format(&text, &err, " (%zu)", s->kinds[i].count);
    }
    if (st == OK && others) st = buf_append_format(&text, &err, ", others (%zu)", others);
    report("%zu file%s skipped: %s (%ssee --others)", s->count, plural(s->count),
           st == OK ? text.data : "not text to translate", s->is_verbose ? "" : "-v names each; ");
    buf_free(&text);
}
