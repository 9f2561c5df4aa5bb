/* document_languages.c - the languages that a document names, beside those of the model: see document.h. */
#include <string.h>

#include "document.h"
#include "document_parts.h"
#include "language_detector.h"

bool document_languages_is(const Document *doc, Range name)
{
    char tag[LABEL_LANGUAGE_BYTES];

    return doc->options->language && label_language_read(doc->file.bytes + name.begin, name.end - name.begin, tag) &&
           language_detector_same(tag, doc->options->language);
}

/* The line of a byte, from 1. */
static size_t line_of(const Document *doc, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++) line += doc->file.bytes[i] == '\n';
    return line;
}

void document_languages_note(Document *doc, LanguageSide side, Range name)
{
    const char *wanted = side == LANGUAGE_SOURCE ? doc->options->source_language : doc->options->language;
    NamedLanguage *named = side == LANGUAGE_SOURCE ? &doc->languages.source : &doc->languages.target;
    char tag[LABEL_LANGUAGE_BYTES];

    if (named->line || !label_language_read(doc->file.bytes + name.begin, name.end - name.begin, tag)) return;
    if (wanted && !language_detector_same(tag, wanted))
        named->line = line_of(doc, name.begin);
    else if (*named->tag)
        return;
    memcpy(named->tag, tag, sizeof tag);
}

/* Whether a translation that is there stays. */
static bool has_translation(const Document *doc)
{
    for (size_t i = 0; i < doc->unit_count; i++)
        if (!document_parts_changes(doc, i)) return true;
    return false;
}

/* A template whose translations are still to come may name the source language as the one of its translations. */
void document_languages_complete(Document *doc)
{
    DocumentLanguages *languages = &doc->languages;
    const char *source = doc->options->source_language ? doc->options->source_language : languages->source.tag;

    if (languages->target.line && *source && language_detector_same(languages->target.tag, source) &&
        !has_translation(doc))
        languages->target.line = 0;
}

const DocumentLanguages *document_languages(const Document *doc)
{
    return &doc->languages;
}
