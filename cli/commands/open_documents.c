/* open_documents.c - what all commands with documents do first: see commands.h. */
#include "commands.h"

#include "document_choice.h"

DocumentContent command_document_content(const Options *options)
{
    return options->identity ? DOCUMENT_IDENTITY : options->pseudo ? DOCUMENT_PSEUDO : DOCUMENT_TRANSLATION;
}

static bool has_documents(FormatList formats)
{
    for (size_t i = 0; i < formats.count; i++)
        if (formats.items[i]) return true;
    return false;
}

Status command_open_documents(Documents **out, const Job *job, FormatList formats, const KeepRules *keep, Err *err)
{
    const Options *options = job->options;
    const DocumentsPlan plan = { .formats = formats.items,
                                 .count = formats.count,
                                 .options = document_choice_options(options),
                                 .keep = keep,
                                 .by_name = !options->as,
                                 .any_language = options->force_language };
    Status st;

    *out = NULL;
    if (!has_documents(formats)) return OK;
    st = job->settings ? library_options_set_documents(job->settings, err) : OK;
    return st == OK ? documents_new(out, &plan, err) : st;
}
