/* open_documents.c - what all commands with documents do first: see commands.h. */
#include "commands.h"

#include <string.h>

#include "document_choice.h"

DocumentContent command_document_content(const Options *options)
{
    return options->documents.identity ? DOCUMENT_IDENTITY
           : options->documents.pseudo ? DOCUMENT_PSEUDO
                                       : DOCUMENT_TRANSLATION;
}

/* The value of the last line "KEY: VALUE" of a description; NULL if there is none. *length: without the newline. */
static const char *last_value(const char *description, const char *key, size_t *length)
{
    const size_t key_length = strlen(key);
    const char *found = NULL;

    for (const char *line = description; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, key_length) == 0) found = line + key_length;
    *length = found ? strcspn(found, "\n") : 0;
    return found;
}

/* Asks the library for the language into which the last model translates. Nothing is appended if it is not known. */
static Status find_language(Buf *language, const Job *job, Err *err)
{
    DragomanError error;
    char *description = NULL;
    Status st =
        library_status(dragoman_describe(job->models.items, job->models.count, &description, &error), &error, err);
    size_t length;
    const char *value = st == OK ? last_value(description, "target language: ", &length) : NULL;

    if (value) st = buf_append(language, value, strcspn(value, " \n"), err);
    dragoman_free_text(description);
    return st;
}

static bool has_documents(const DocumentFormat *const *formats, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (formats[i]) return true;
    return false;
}

Status command_open_documents(CommandDocuments *out, const Job *job, const DocumentFormat *const *formats, size_t count,
                              Err *err)
{
    const Options *options = job->options;
    DocumentsPlan plan = { .formats = formats, .count = count, .by_name = !options->documents.as };
    Status st = OK;

    *out = (CommandDocuments){ .documents = NULL };
    if (!has_documents(formats, count)) return OK;
    if (!document_choice_is_without_model(options)) {
        st = library_models_set_documents(&job->models, options, err);
        if (st == OK && !options->documents.keep_language) st = find_language(&out->language, job, err);
    }
    plan.options = document_choice_options(options, out->language.data);
    return st == OK ? documents_new(&out->documents, &plan, err) : st;
}

void command_close_documents(CommandDocuments *documents)
{
    documents_free(documents->documents);
    buf_free(&documents->language);
}
