/* document_choice.c - see document_choice.h. */
#include "document_choice.h"

#include <string.h>
#include <strings.h>

#include "foreign_file.h"
#include "document_encoding.h"
#include "path.h"

bool document_choice_is_lines(const DragomanOptions *s)
{
    const char *as = s->as;

    return s->tsv_in || s->force_decode || (as && strcmp(as, DRAGOMAN_LINES) == 0);
}

/* Whether lines are in another encoding than UTF-8: that of the settings, or that of a byte order mark. */
static bool is_encoded(const DragomanOptions *s, const char *head, size_t size)
{
    const char *encoding = s->encoding ? s->encoding : document_encoding_mark(head, size);

    return encoding && strcasecmp(encoding, "UTF-8") != 0 && strcasecmp(encoding, "UTF8") != 0;
}

/* Sets *out to the format that the settings or the path name. Returns whether the file may be lines, whose encoding
 * is to be looked at. */
static bool choose(const DocumentFormat **out, const DragomanOptions *s, const char *path)
{
    *out = document_choice_is_lines(s) ? NULL : s->as ? document_format_named(s->as) : document_format_of(path);
    return !*out && !s->tsv_in && !s->force_decode;
}

const DocumentFormat *document_choice_of(const DragomanOptions *s, const char *path)
{
    const DocumentFormat *format;
    char head[FILE_HEAD_BYTES];

    if (!choose(&format, s, path)) return format;
    return is_encoded(s, head, s->encoding ? 0 : binary_file_head(path, head)) ? &document_lines : NULL;
}

const DocumentFormat *document_choice_of_bytes(const DragomanOptions *s, const char *path, const char *bytes,
                                               size_t size)
{
    const DocumentFormat *format;

    if (!choose(&format, s, path)) return format;
    return is_encoded(s, bytes, size) ? &document_lines : NULL;
}

DragomanFormat document_choice_describe(const DocumentFormat *format)
{
    return (DragomanFormat){ .name = format ? format->name : DRAGOMAN_LINES,
                             .is_document = format,
                             .is_archive = format && format->package };
}

DragomanFormat dragoman_format_of(const DragomanOptions *options, const char *path)
{
    return document_choice_describe(document_choice_of(options, path));
}

DragomanFormat dragoman_format_of_ending(const char *path)
{
    const DocumentFormat *format = document_format_of(path);

    if (format) return document_choice_describe(format);
    return (DragomanFormat){ .name = binary_file_ending(path) ? DRAGOMAN_OTHER : NULL };
}

bool dragoman_format_row(size_t index, DragomanFormat *out)
{
    const DocumentFormat *format = index ? document_formats[index - 1] : NULL;

    *out = document_choice_describe(format);
    return !index || format;
}

DocumentOptions document_choice_options(const DragomanOptions *s)
{
    return (DocumentOptions){ .selects = (const char *const *)s->selects.items,
                              .select_count = s->selects.count,
                              .skips = (const char *const *)s->skips.items,
                              .skip_count = s->skips.count,
                              .columns = (const char *const *)s->columns.items,
                              .column_count = s->columns.count,
                              .encoding = s->encoding,
                              .keep_language = s->keep_language || s->bilingual,
                              .bilingual = s->bilingual,
                              .retranslate = s->retranslate };
}
