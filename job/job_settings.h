/* job_settings.h - what is asked of texts, documents and files, besides the settings of the models. */
#ifndef DRAGOMAN_JOB_SETTINGS_H
#define DRAGOMAN_JOB_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#define JOB_TEXTS_MOST 64

typedef struct {
    const char *const *items; /* [count], at most JOB_TEXTS_MOST */
    size_t count;
} JobTexts;

/* Whoever makes the settings owns all texts. */
typedef struct {
    bool quiet;   /* no warnings */
    bool verbose; /* counts at the end, and each skipped file */

    /* How files are read. */
    const char *as;       /* the name of a format, or "lines"; NULL: by the names of the files */
    const char *encoding; /* NULL: what each document declares */
    JobTexts selects, skips, columns;
    bool retranslate, keep_language, force_language, bilingual;
    bool identity, pseudo; /* documents without a model: at most one of them */

    /* How lines are read. */
    const char *tsv_in; /* names of their columns, separated by commas; NULL: a line is one text */
    bool force_decode;  /* a line is a text, a tab and the beginning of its translation */
    bool pairs;         /* a line is a text, a tab and its translation, which is scored */
    bool pieces;        /* lines consist of pieces, so their words and numbers are not looked at */
    bool confidence;    /* the flags of each line are written */

    /* What translations must have. */
    JobTexts keeps, keep_files; /* regular expressions; files of words */
    JobTexts glossaries;        /* files */
    JobTexts musts;             /* texts */
    const char *memory;         /* the file of a translation memory; NULL: none */

    bool detects;       /* the language of each line or document */
    bool unknown_fails; /* a text whose language is not recognized, instead of being copied */
} JobSettings;

#endif
