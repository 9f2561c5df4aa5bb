/* translate_document.c - translates one document into one output: see commands.h. */
#include <unistd.h>

#include "commands.h"
#include "document_choice.h"
#include "input.h"

/* The LineWriter of a document. */
typedef struct {
    Documents *documents;
    DocumentOutput output;
    DocumentContent content;
    Output *out;
    const char *name; /* of the input, for messages */
} DocumentWriter;

/* Begins to write the document. A terminal cannot show another encoding than UTF-8. */
static Status begin_document(DocumentWriter *to, OpenDocument document, Err *err)
{
    if (!to->output.progress.document && document.encoding && isatty(to->out->fd))
        return err_set(err, ERR_USAGE,
                       "%s: a document in %s cannot be shown on a terminal; write it to a file with -o FILE", to->name,
                       text_encoding_name(document.encoding));
    document_output_begin(&to->output, to->content, document);
    return OK;
}

/* Writes the rest and releases the document. */
static Status end_document(DocumentWriter *to, Err *err)
{
    Status st = document_output_end(&to->output, &to->out->buffer, err);

    documents_release(to->documents, 0);
    return st == OK ? output_flush(to->out, err) : st;
}

static Status write_unit(void *writer, const RoutedLine *routed, Err *err)
{
    const DragomanLine *line = routed->line;
    DocumentWriter *to = writer;
    Status st;

    st = begin_document(to, documents_get(to->documents, 0), err);
    if (st != OK) return st;
    if (line_tag_ends_document(line)) return end_document(to, err);
    st = document_output_line(&to->output, routed, &to->out->buffer, err);
    return st == OK ? output_drain(to->out, err) : st;
}

/* Without a model there are no lines; the document is there if it could be read. */
static Status flush_units(void *writer, Err *err)
{
    DocumentWriter *to = writer;
    OpenDocument document;
    Status st;

    if (to->content == DOCUMENT_TRANSLATION) return output_flush(to->out, err); /* the input may still read it */
    document = documents_get(to->documents, 0);
    if (!document.document) return output_flush(to->out, err);
    st = begin_document(to, document, err);
    return st == OK ? end_document(to, err) : st;
}

Status command_translate_document(const Job *job, const DocumentFormat *format, const KeepRules *keep, Output *out,
                                  size_t *unreadable, Err *err)
{
    DocumentWriter to = { .content = command_document_content(job->options),
                          .out = out,
                          .name = document_choice_file(job->options->files[0]) };
    const LineWriter writer = { &to, write_unit, flush_units, NULL };
    Status st = command_open_documents(&to.documents, job, (FormatList){ &format, 1 }, keep, err);

    if (st == OK) st = command_filter(job, &writer, (FilterInput){ .documents = to.documents }, out, unreadable, err);
    document_output_free(&to.output);
    documents_free(to.documents);
    return st;
}
