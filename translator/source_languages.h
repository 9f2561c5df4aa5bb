/* source_languages.h - the rules of the first model for lines in its source languages, which differ in the special
 * tokens of the tokenizer and in the sentence splitter. They are made when a line first needs them. */
#ifndef DRAGOMAN_SOURCE_LANGUAGES_H
#define DRAGOMAN_SOURCE_LANGUAGES_H

#include "buf.h"
#include "err.h"
#include "language.h"
#include "line.h"

typedef struct SourceLanguages SourceLanguages; /* fields: source_languages.c */

/* `rules` are those of the model for another language; they, with what they point to, must live longer. On OK the
 * caller owns *out. */
MUST_USE Status source_languages_new(SourceLanguages **out, const LineRules *rules, Err *err);
void source_languages_free(SourceLanguages *languages); /* NULL is allowed */

/* Finds the rules for lines in this language, in any spelling that DRAGOMAN_FROM may have. Any thread may call it. The
 * rules stay valid. ERR_USAGE for a language that the model does not have, and for a model without a choice. */
MUST_USE Status source_languages_find(SourceLanguages *languages, const char *language, const LineRules **rules,
                                      Err *err);

/* Writes the language of the input as BCP 47 does: that of the model, unless it is a group of languages or not known,
 * else the one that the user has named (NULL: none); "" if neither is known. */
MUST_USE Status source_languages_tag(char out[LANGUAGE_TAG_BYTES], const Tokenizer *tokenizer, const char *named,
                                     Err *err);

/* Appends the names of the source languages, one per line; nothing if the model has no choice. */
MUST_USE Status source_languages_list(const Tokenizer *tokenizer, Buf *out, Err *err);

#endif
