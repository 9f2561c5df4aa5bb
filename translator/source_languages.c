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
static Status fill(SourceLanguage *l, const LineRules *rules, const char *name, Err *err)
{
    char tag[LANGUAGE_TAG_BYTES];
    Status st = tokenizer_view_new(&l->tokenizer, rules->tokenizer, name, err);

    if (st == OK) st = source_languages_tag(tag, l->tokenizer, name, err);
    if (st != OK) return st;
    l->rules = *rules;
    l->rules.tokenizer = l->tokenizer;
    l->rules.sentences = NULL;
    l->name = strdup(name);
    if (!l->name) return err_memory(err, "a language");
    return rules->sentences ? sentences_new(&l->rules.sentences, tag, err) : OK;
}

/* Adds a language. */
static Status add(SourceLanguages *languages, const char *name, SourceLanguage **out, Err *err)
{
    SourceLanguage *l = calloc(1, sizeof *l);
    Status st = l ? fill(l, languages->rules, name, err) : err_memory(err, "a language");

    if (st == OK) {
        l->next = languages->first;
        languages->first = *out = l;
        l = NULL;
    }
    free_language(l);
    return st;
}

Status source_languages_find(SourceLanguages *languages, const char *language, const LineRules **rules, Err *err)
{
    SourceLanguage *l;
    Status st = OK;

    pthread_mutex_lock(&languages->lock);
    for (l = languages->first; l; l = l->next)
        if (strcmp(l->name, language) == 0) break;
    if (!l) st = add(languages, language, &l, err);
    pthread_mutex_unlock(&languages->lock);
    *rules = st == OK ? &l->rules : NULL;
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
    Status st;

    buf_put(out, "", 0);
    st = buf_check(out, err);
    if (!tokenizer_facts(tokenizer)->chooses_source) return st;
    for (size_t i = 0; st == OK && i < tokenizer_facts(tokenizer)->language_count; i++)
        buf_put_format(out, "%s\n", tokenizer_facts(tokenizer)->languages[i].name);
    if (st == OK) st = buf_check(out, err);
    return st;
}
