/* document_choice.c - see document_choice.h. */
#include "document_choice.h"

#include <string.h>
#include <strings.h>

#include "binary_file.h"
#include "document_encoding.h"

bool document_choice_is_lines(const Options *o)
{
    const char *as = o->as;

    return o->tsv_in || o->force_decode || (as && strcmp(as, AS_LINES) == 0);
}

/* Whether lines are in another encoding than UTF-8: that of the options, or that of a byte order mark. */
static bool is_encoded(const Options *o, const char *path)
{
    const char *encoding = o->encoding;
    char head[FILE_HEAD_BYTES];

    if (!encoding) encoding = document_encoding_mark(head, binary_file_head(path, head));
    return encoding && strcasecmp(encoding, "UTF-8") != 0 && strcasecmp(encoding, "UTF8") != 0;
}

const DocumentFormat *document_choice_of(const Options *o, const char *path)
{
    const DocumentFormat *format = document_choice_is_lines(o) ? NULL
                                   : o->as                     ? document_format_named(o->as)
                                                               : document_format_of(path);

    return !format && !o->tsv_in && !o->force_decode && is_encoded(o, path) ? &document_lines : format;
}

bool document_choice_is_without_model(const Options *o)
{
    return o->identity || o->pseudo;
}

const char *document_choice_file(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
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

/* Whether the list, separated by spaces, contains the name. */
static bool lists_name(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

/* Refuses options that only other formats have. In a batch, other files may have translations. */
static Status check_parts(const Options *o, const char *path, const DocumentFormat *format, Err *err)
{
    const bool is_batch = o->output_dir || o->suffix;
    const struct {
        const char *name;
        size_t count;
        const char *formats;
    } rows[] = { { "--select", o->selects.count, "xml json jsonl yaml" },
                 { "--skip", o->skips.count, "xml json jsonl yaml" },
                 { "--column", o->columns.count, "csv tsv" },
                 { "--bilingual", o->bilingual, "html markdown text" },
                 { "--retranslate", o->retranslate && !is_batch, "po xliff tmx qt" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count && !lists_name(rows[i].formats, format->name))
            return err_set(err, ERR_USAGE, "%s cannot be used with %s, a document of the format %s; it applies to: %s",
                           rows[i].name, path, format->name, rows[i].formats);
    return OK;
}

/* Refuses options that documents do not have: a document has one translation, in the format of the document. */
static Status check_document(const Options *o, const char *path, const DocumentFormat *format, Err *err)
{
    const struct {
        const char *name;
        bool given;
    } rows[] = { { "--format", o->format != 0 },
                 { "--n-best above 1", o->n_best > 1 },
                 { "--alternatives", o->alternatives != NOT_GIVEN },
                 { "--pieces", o->pieces_in },
                 { "--alignment", o->alignment.kind != ALIGNMENT_NONE },
                 { "--must", o->musts.count > 0 },
                 { "--word-scores", o->word_scores },
                 { "--bilingual", format == &document_lines && o->bilingual } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && format == &document_lines)
            return err_set(err, ERR_USAGE,
                           "%s cannot be used with %s, which is not in UTF-8; convert it to UTF-8 first, as with iconv",
                           rows[i].name, path);
        else if (rows[i].given)
            return err_set(err, ERR_USAGE, "%s cannot be used with documents, and %s is one (%s)%s", rows[i].name, path,
                           format->name, o->as ? "" : "; to translate its lines, use --as " AS_LINES);
    return check_parts(o, path, format, err);
}

/* Refuses options that only documents have. */
static Status check_lines(const Options *o, const char *path, Err *err)
{
    const char *option = o->identity ? "--identity" : "--pseudo";

    if (!document_choice_is_without_model(o)) return OK;
    return err_set(err, ERR_USAGE, "%s needs documents, but %s is read as lines; choose its format with --as", option,
                   path);
}

Status document_choice_check(const Options *o, const char *path, const DocumentFormat *format, Err *err)
{
    const char *name = document_choice_file(path);

    return format ? check_document(o, name, format, err) : check_lines(o, name, err);
}

DocumentOptions document_choice_options(const Options *o)
{
    return (DocumentOptions){ .selects = o->selects.items,
                              .select_count = o->selects.count,
                              .skips = o->skips.items,
                              .skip_count = o->skips.count,
                              .columns = o->columns.items,
                              .column_count = o->columns.count,
                              .encoding = o->encoding,
                              .keep_language = o->keep_language || o->bilingual,
                              .bilingual = o->bilingual,
                              .retranslate = o->retranslate };
}
