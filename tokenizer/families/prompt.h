/* prompt.h - prompts: the texts in which language models get a source text to translate. prompt.c opens tokenizers of
 * such models, prompt_text.c fills in prompts, and prompt_models.c has the prompts of published translation models. */
#ifndef DRAGOMAN_PROMPT_H
#define DRAGOMAN_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "tokenizer.h"

/* The names in braces that a prompt may have; {source} occurs exactly once. */
typedef enum {
    PROMPT_SOURCE,
    PROMPT_SOURCE_LANGUAGE, /* "German" */
    PROMPT_TARGET_LANGUAGE,
    PROMPT_SOURCE_CODE, /* "de" */
    PROMPT_TARGET_CODE,
    PROMPT_TERMS,       /* a line for each term of the text */
    PROMPT_TERM,        /* in the line of a term: the term, */
    PROMPT_TRANSLATION, /* and its translation */
    PROMPT_NAMES
} PromptName;

/* The texts of a prompt. `chinese`: for translations from or into Chinese. `terms`: for texts that have terms. NULL:
 * the first one is used instead. */
typedef struct {
    char *text, *chinese, *terms, *chinese_terms;
    char *term, *chinese_term; /* the line of a term */
    bool any_language;         /* it has no list of languages */
} Prompt;

void prompt_free(Prompt *prompt); /* NULL is allowed */

/* Returns ERR_USAGE if the text has more than 65,536 bytes, has an unknown name in braces, or does not have {source}
 * exactly once; in the line of a term, {source} and the languages are not allowed. `where` begins the message. */
MUST_USE Status prompt_check(const char *text, bool is_term, const char *where, Err *err);
/* Whether the text has the name. */
bool prompt_has(const char *text, PromptName name);

/* What a prompt is filled in with. */
typedef struct {
    LineText source;
    const TokenizerLanguage *from, *to; /* NULL: not chosen, and not named in the prompt */
    const PromptTerm *terms;            /* [term_count] */
    size_t term_count;
} PromptValues;

/* A prompt that is filled in. Starts as {0} and ends with prompt_filled_free(). */
typedef struct {
    Buf text;
    Range source;  /* where the source text is */
    RangeList own; /* all bytes that come from the user, ascending */
} FilledPrompt;
MUST_USE Status prompt_fill(FilledPrompt *out, const Prompt *prompt, const PromptValues *values, Err *err);
void prompt_filled_free(FilledPrompt *filled);

/* --- The prompts of published models. --- */

/* The tokens around the text of a user, and the token that ends the answer. */
typedef struct {
    const char *token; /* the vocabulary must have it */
    const char *before, *after;
    const char *stop; /* NULL: only the end tokens of the model's settings */
} PromptFrame;

/* The texts are those of a user: a frame is put around them. */
typedef struct {
    const char *name;
    const char *types; /* model_type, separated by spaces */
    const char *marks; /* the names that a model has: fragments, separated by spaces; NULL: any name */
    const char *shows; /* a fragment of the model's chat template; NULL: any */
    const PromptFrame *frames[2];
    const char *text, *chinese, *terms, *chinese_terms, *term, *chinese_term;
    /* CODE=NAME or CODE=NAME=CHINESE NAME, separated by commas; without names: those of ICU. */
    const char *languages;
} PromptModel;

extern const PromptModel prompt_models[]; /* the last one has no name */

#endif
