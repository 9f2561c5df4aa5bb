/* language_watch.h - notices texts in another language than the one that the model reads. */
#ifndef DRAGOMAN_LANGUAGE_WATCH_H
#define DRAGOMAN_LANGUAGE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

#define WATCHED_LANGUAGES 8

/* A language other than the model's. */
typedef struct {
    const char *code; /* NULL: none; valid as long as the process */
    size_t texts;
} WatchedLanguage;

/* Starts as {0} and ends with language_watch_free(). */
typedef struct {
    const char *language; /* that of the model; NULL: texts are not watched */
    bool watches_all;     /* otherwise, only some of many texts */
    size_t texts, checked;
    WatchedLanguage others[WATCHED_LANGUAGES];
    Buf joined; /* texts that are too short to be checked one by one */
    size_t joined_count;
} LanguageWatch;

/* `language`: as BCP 47 writes it; it must stay valid. Without CLD2, texts are not watched. */
void language_watch_start(LanguageWatch *watch, const char *language, bool all);

/* Sets *is_other to whether the text, valid UTF-8, is surely in another language. Short texts never are, but they count
 * together. */
MUST_USE Status language_watch_text(LanguageWatch *watch, const char *text, size_t length, bool *is_other, Err *err);

/* Appends a warning to *out if most texts are in other languages. */
MUST_USE Status language_watch_describe(LanguageWatch *watch, Buf *out, Err *err);

void language_watch_free(LanguageWatch *watch);

#endif
