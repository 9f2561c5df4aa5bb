/* source_languages.c - see source_languages.h. A list with an entry for each name by which a language was asked for:
 * names come from a detector or from a list, so they are few. */
#include "source_languages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

typedef struct SourceLanguage {
    char *name;
    Tokenizer *tokenizer; /* a view */
    LineRules rules;      /* owns .sentences */
    struct SourceLanguage *next;
} SourceLanguage;

struct SourceLanguages {
    const LineRules *rules;
    pthread_mutex_t lock;  /* guards the field below */
    SourceLanguage *first; /* never removed before the end */
};

Status source_languages_new(SourceLanguages **out, const LineRules *rules, Err *err)
{
    SourceLanguages *languages = calloc(1, sizeof *languages);

    *out = languages;
    if (!languages) return err_memory(err, "the source languages");
    languages->rules = rules;
    pthread_mutex_init(&languages->lock, NULL);
    return OK;
}

static void free_language(SourceLanguage *language)
{
    if (!language) return;
    sentences_free(language->rules.sentences);
    tokenizer_view_free(language->tokenizer);
    free(language->name);
    free(language);
}

void source_languages_free(SourceLanguages *languages)
{
    SourceLanguage *next;

    if (!languages) return;
    for (SourceLanguage *l = languages->first; l; l = next) {
        next = l->next;
        free_language(l);
    }
    pthread_mutex_destroy(&languages->lock);
    free(languages);
}

/* Sentences are split as for --from with the same name. */
Status source_languages_find(SourceLanguages *languages, const char *language, const LineRules **rules, Err *err)
{
    char tag[LANGUAGE_TAG_BYTES];
    SourceLanguage *l;
    Status st = OK;

    *rules = NULL;
    pthread_mutex_lock(&languages->lock);
    for (l = languages->first; l && strcmp(l->name, language) != 0;) l = l->next;
    if (!l) {
        SourceLanguage *added = calloc(1, sizeof *added);
        if (added) added->name = strdup(language);
        if (!added || !added->name) st = err_memory(err, "a language");
        if (st == OK) st = tokenizer_view_new(&added->tokenizer, languages->rules->tokenizer, language, err);
        if (st == OK) st = source_languages_tag(tag, added->tokenizer, language, err);
        if (st == OK) {
            added->rules = *languages->rules;
            added->rules.tokenizer = added->tokenizer;
            added->rules.sentences = NULL;
            if (languages->rules->sentences) st = sentences_new(&added->rules.sentences, tag, err);
        }
        if (st == OK) {
            added->next = languages->first;
            languages->first = l = added;
        } else {
            free_language(added);
        }
    }
    pthread_mutex_unlock(&languages->lock);
    if (st == OK) *rules = &l->rules;
    return st;
}

Status source_languages_tag(char out[LANGUAGE_TAG_BYTES], const Tokenizer *tokenizer, const char *named, Err *err)
{
    const char *name = tokenizer_source_language(tokenizer);
    char room[LANGUAGE_CODE];
    Status st = OK;

    out[0] = '\0';
    if (named && !(name && language_is_known(name))) st = language_code(&name, room, named, err);
    return st == OK && name ? language_tag_shortest(out, name, err) : st;
}

Status source_languages_list(const Tokenizer *tokenizer, Buf *out, Err *err)
{
    const TokenizerFacts *facts = tokenizer_facts(tokenizer);

    buf_put(out, "", 0);
    for (size_t i = 0; facts->chooses_source && i < facts->language_count; i++)
        buf_put_format(out, "%s\n", facts->languages[i].name);
    return buf_check(out, err);
}
