/* document_choice.c - see document_choice.h. */
#include "document_choice.h"

#include <string.h>
#include <strings.h>

#include "foreign_file.h"
#include "document_encoding.h"
#include "path.h"

bool document_choice_is_lines(const JobSettings *s)
{
    const char *as = s->options->as;

    return s->options->tsv_in || s->force_decode || (as && strcmp(as, AS_LINES) == 0);
}

/* Whether lines are in another encoding than UTF-8: that of the settings, or that of a byte order mark. */
static bool is_encoded(const JobSettings *s, const char *head, size_t size)
{
    const char *encoding = s->options->encoding ? s->options->encoding : document_encoding_mark(head, size);

    return encoding && strcasecmp(encoding, "UTF-8") != 0 && strcasecmp(encoding, "UTF8") != 0;
}

/* Sets *out to the format that the settings or the path name. Returns whether the file may be lines, whose encoding
 * is to be looked at. */
static bool choose(const DocumentFormat **out, const JobSettings *s, const char *path)
{
    *out = document_choice_is_lines(s) ? NULL
           : s->options->as            ? document_format_named(s->options->as)
                                       : document_format_of(path);
    return !*out && !s->options->tsv_in && !s->force_decode;
}

const DocumentFormat *document_choice_of(const JobSettings *s, const char *path)
{
    const DocumentFormat *format;
    char head[FILE_HEAD_BYTES];

    if (!choose(&format, s, path)) return format;
    return is_encoded(s, head, s->options->encoding ? 0 : binary_file_head(path, head)) ? &document_lines : NULL;
}

const DocumentFormat *document_choice_of_bytes(const JobSettings *s, const char *path, const char *bytes, size_t size)
{
    const DocumentFormat *format;

    if (!choose(&format, s, path)) return format;
    return is_encoded(s, bytes, size) ? &document_lines : NULL;
}

const char *document_choice_name(const DocumentFormat *format)
{
    return format ? format->name : AS_LINES;
}

void document_choice_put_names(Buf *out, const char *separator)
{
    buf_put_text(out, AS_LINES);
    for (size_t i = 0; document_formats[i]; i++) buf_put_format(out, "%s%s", separator, document_formats[i]->name);
}

DocumentOptions document_choice_options(const JobSettings *s)
{
    return (DocumentOptions){ .selects = (const char *const *)s->options->selects.items,
                              .select_count = s->options->selects.count,
                              .skips = (const char *const *)s->options->skips.items,
                              .skip_count = s->options->skips.count,
                              .columns = (const char *const *)s->options->columns.items,
                              .column_count = s->options->columns.count,
                              .encoding = s->options->encoding,
                              .keep_language = s->options->keep_language || s->options->bilingual,
                              .bilingual = s->options->bilingual,
                              .retranslate = s->options->retranslate };
}
