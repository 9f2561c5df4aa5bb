/* prompt_text.c - see prompt.h. */
#include "prompt.h"

#include <stdlib.h>
#include <string.h>

#include "language.h"

#define LONGEST ((size_t)1 << 16)

static const char *const names[PROMPT_NAMES] = {
    [PROMPT_SOURCE] = "{source}",
    [PROMPT_SOURCE_LANGUAGE] = "{source_language}",
    [PROMPT_TARGET_LANGUAGE] = "{target_language}",
    [PROMPT_SOURCE_CODE] = "{source_code}",
    [PROMPT_TARGET_CODE] = "{target_code}",
    [PROMPT_TERMS] = "{terms}",
    [PROMPT_TERM] = "{term}",
    [PROMPT_TRANSLATION] = "{translation}",
};

void prompt_free(Prompt *prompt)
{
    if (!prompt) return;
    free(prompt->text);
    free(prompt->chinese);
    free(prompt->terms);
    free(prompt->chinese_terms);
    free(prompt->term);
    free(prompt->chinese_term);
    free(prompt);
}

void prompt_filled_free(FilledPrompt *filled)
{
    buf_free(&filled->text);
    ranges_free(&filled->own);
    *filled = (FilledPrompt){ .text = { 0 } };
}

/* The name that the text begins with; PROMPT_NAMES: none. */
static PromptName name_at(const char *text)
{
    PromptName name = PROMPT_SOURCE;

    if (*text != '{') return PROMPT_NAMES;
    while (name < PROMPT_NAMES && strncmp(text, names[name], strlen(names[name])) != 0) name++;
    return name;
}

bool prompt_has(const char *text, PromptName name)
{
    return text && strstr(text, names[name]);
}

Status prompt_check(const char *text, bool is_term, const char *where, Err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    size_t sources = 0;

    if (strlen(text) > LONGEST)
        return err_set(err, ERR_USAGE, "%s: the prompt has more than %zu bytes", where, LONGEST);
    for (const char *at = text; (at = strchr(at, '{')); at++) {
        const PromptName name = name_at(at);
        const size_t len = strspn(at + 1, letters);
        const bool fits = name >= PROMPT_TERM ? is_term : !is_term;
        sources += name == PROMPT_SOURCE;
        if ((name == PROMPT_NAMES && (!len || at[1 + len] != '}')) || (name < PROMPT_NAMES && fits)) continue;
        return err_set(err, ERR_USAGE, "%s: unknown placeholder {%.*s}: %s", where, (int)len, at + 1,
                       is_term ? "the line of a term may have {term} and {translation}"
                               : "the prompt may have {source}, {source_language}, {target_language}, {source_code}, "
                                 "{target_code} and {terms}");
    }
    if (is_term || sources == 1) return OK;
    return err_set(err, ERR_USAGE, "%s: the prompt must have {source} exactly once, not %zu times", where, sources);
}

/* Whether the language is Chinese in any script, or Cantonese. */
static bool is_chinese(const TokenizerLanguage *language)
{
    return language && (language_same(language->name, "zh") || language_same(language->name, "yue"));
}

static void put_own(FilledPrompt *out, LineText text)
{
    LIST_PUT(&out->own, ((Range){ out->text.len, out->text.len + text.len }));
    buf_put(&out->text, text.data, text.len);
}

static void put_name(FilledPrompt *out, const TokenizerLanguage *language, bool chinese)
{
    if (language) buf_put_text(&out->text, chinese && language->chinese ? language->chinese : language->title);
}

/* Writes the code as the models know it, a BCP 47 tag. */
static void put_code(FilledPrompt *out, const TokenizerLanguage *language)
{
    if (language) buf_put_replaced(&out->text, language->name, strlen(language->name), "_", "-");
}

static void put_term(FilledPrompt *out, const char *line, const PromptTerm *term)
{
    for (const char *at = line; *at;) {
        const PromptName name = name_at(at);
        if (name == PROMPT_TERM)
            put_own(out, term->term);
        else if (name == PROMPT_TRANSLATION)
            put_own(out, term->translation);
        else
            buf_put_byte(&out->text, *at);
        at += name < PROMPT_NAMES ? strlen(names[name]) : 1;
    }
}

Status prompt_fill(FilledPrompt *out, const Prompt *prompt, const PromptValues *values, Err *err)
{
    const bool chinese = prompt->chinese && (is_chinese(values->from) || is_chinese(values->to));
    const char *text = chinese ? prompt->chinese : prompt->text;
    const char *line = chinese && prompt->chinese_term ? prompt->chinese_term : prompt->term;
    Status st;

    if (values->term_count && chinese && prompt->chinese_terms)
        text = prompt->chinese_terms;
    else if (values->term_count && !chinese && prompt->terms)
        text = prompt->terms;
    for (const char *at = text; *at;) {
        const PromptName name = name_at(at);
        switch (name) {
        case PROMPT_SOURCE:
            out->source = (Range){ out->text.len, out->text.len + values->source.len };
            put_own(out, values->source);
            break;
        case PROMPT_SOURCE_LANGUAGE:
            put_name(out, values->from, chinese);
            break;
        case PROMPT_TARGET_LANGUAGE:
            put_name(out, values->to, chinese);
            break;
        case PROMPT_SOURCE_CODE:
            put_code(out, values->from);
            break;
        case PROMPT_TARGET_CODE:
            put_code(out, values->to);
            break;
        case PROMPT_TERMS:
            for (size_t i = 0; i < values->term_count; i++) {
                if (i) buf_put_byte(&out->text, '\n');
                put_term(out, line, &values->terms[i]);
            }
            break;
        default:
            buf_put_byte(&out->text, *at);
        }
        at += name < PROMPT_NAMES ? strlen(names[name]) : 1;
    }
    st = buf_check(&out->text, err);
    return st == OK ? ranges_check(&out->own, err) : st;
}
