/* open_documents.c - what all commands with documents do first: see commands.h. */
#include "commands.h"

#include "document_choice.h"

DocumentContent command_document_content(const Options *options)
{
    return options->documents.identity ? DOCUMENT_IDENTITY
           : options->documents.pseudo ? DOCUMENT_PSEUDO
                                       : DOCUMENT_TRANSLATION;
}

static bool has_documents(const DocumentFormat *const *formats, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (formats[i]) return true;
    return false;
}

Status command_open_documents(Documents **out, const Job *job, const DocumentFormat *const *formats, size_t count,
                              Err *err)
{
    const Options *options = job->options;
    const DocumentsPlan plan = { .formats = formats,
                                 .count = count,
                                 .options = document_choice_options(options),
                                 .by_name = !options->documents.as };
    Status st;

    *out = NULL;
    if (!has_documents(formats, count)) return OK;
    st = library_models_set_documents(&job->models, options, err);
    return st == OK ? documents_new(out, &plan, err) : st;
}
