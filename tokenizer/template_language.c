/* template_language.c - see template.h: finds the language of a tokenizer that the user means. */
#include "template.h"

#include "language.h"
#include "language_choice.h"

static const char *name_of(const void *list, size_t index)
{
    return ((const Language *)list)[index].name;
}

static LanguageList languages_of(const Tokenizer *tokenizer)
{
    return (LanguageList){ name_of, tokenizer->languages, tokenizer->language_count };
}

/* Reports an ambiguous language and lists the ones that it may mean. */
static Status ambiguous_error(const Tokenizer *tokenizer, const char *option, const char *wanted, const IdList *found,
                              Err *err)
{
    Buf names = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < found->len; i++)
        st = buf_append_format(&names, err, "%s%s", i ? ", " : "", tokenizer->languages[found->data[i]].name);
    if (st == OK)
        st = err_set(err, ERR_USAGE, "%s %s: ambiguous, this model has: %s", option, wanted,
                     names.data ? names.data : "");
    buf_free(&names);
    return st;
}

static Status append_suggestion(Buf *out, const char *name, Err *err)
{
    char english[LANGUAGE_DESCRIBED];
    Status st = language_describe(english, name, err);

    return st == OK ? buf_append_format(out, err, " (did you mean %s%s%s?)", name, *english ? ", " : "", english) : st;
}

static Status unknown_error(const Tokenizer *tokenizer, const char *option, const char *wanted, Err *err)
{
    int closest = -1;
    Buf problem = { 0 };
    Status st = buf_append_format(&problem, err, "%s %s: unknown language", option, wanted);

    if (st == OK) st = language_closest(&closest, wanted, languages_of(tokenizer), err);
    if (st == OK && closest >= 0) st = append_suggestion(&problem, tokenizer->languages[closest].name, err);
    if (st == OK) st = template_language_error(tokenizer, problem.data, err);
    buf_free(&problem);
    return st;
}

Status template_find_language(const Tokenizer *tokenizer, const char *option, const char *wanted, const Language **out,
                              Err *err)
{
    IdList found = { 0 };
    Status st = language_choose(&found, wanted, languages_of(tokenizer), err);

    *out = NULL;
    if (st == OK && found.len == 1)
        *out = &tokenizer->languages[found.data[0]];
    else if (st == OK && found.len)
        st = ambiguous_error(tokenizer, option, wanted, &found, err);
    else if (st == OK)
        st = unknown_error(tokenizer, option, wanted, err);
    ids_free(&found);
    return st;
}

const Language *template_known_language(const Tokenizer *tokenizer, const char *name)
{
    int found = name ? language_find(name, name_of, tokenizer->languages, tokenizer->language_count) : LANGUAGE_NONE;

    return found >= 0 ? &tokenizer->languages[found] : NULL;
}
