/* sentences.h - where the sentences of a text begin and end.
 *
 * Candidates are the boundaries of ICU's break iterator, which knows the marks
 * of all scripts, and every space after a mark; sentence_rules.c then decides
 * with the words around it. Needs ICU and base/ alone. */
#ifndef DRAGOMAN_SENTENCES_H
#define DRAGOMAN_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

typedef struct Sentences Sentences; /* fields: sentences.c */

/* For texts in the language of this code ("de", "deu", "de_DE"); NULL or
 * another word: any language. Cheap: ICU's iterator is opened when a text first
 * needs it. Threads may share one. OK: the caller owns *out. */
MUST_USE Status sentences_new(Sentences **out, const char *language, Err *err);
void sentences_free(Sentences *sentences); /* NULL is allowed */

/* One sentence: text[begin..end), without the white space around it. */
typedef struct {
    size_t begin, end;
} SentenceRange;

/* The sentences of a text (valid UTF-8) in their order; none in one that is
 * blank. Everything between them is white space. Takes time linear in `len`;
 * a text of 2 GB and more is one sentence. OK: the caller frees *out. */
MUST_USE Status sentences_find(Sentences *sentences, const char *text, size_t len, SentenceRange **out, size_t *count,
                               Err *err);

/* Whether a space belongs between two translations whose sources had none
 * between them, as in Chinese: not where either side is written without spaces. */
bool sentences_need_space(const char *before, size_t before_len, const char *after, size_t after_len);

#endif
