/* model_languages.c - the languages of a model: see model_languages.h. And dragoman_languages(), which lists their
 * codes and names, or those of all families: see dragoman_tools.h. */
#include "model_languages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dragoman_tools.h"
#include "language.h"
#include "loaded_model.h"

static Status append_language(Buf *out, const char *code, Err *err)
{
    char name[LANGUAGE_DESCRIBED];
    Status st = language_describe(name, code, err);

    if (st == OK) buf_put_format(out, "%s%s%s\n", code, *name ? "\t" : "", name);
    return st == OK ? buf_check(out, err) : st;
}

/* Appends `code`, the only source or target language, unless it is also in the list of languages to choose from. */
static Status append_side(Buf *out, const char *code, const Tokenizer *tokenizer, Err *err)
{
    if (!code) return OK;
    for (size_t i = 0; i < tokenizer_facts(tokenizer)->language_count; i++)
        if (language_equal(code, tokenizer_facts(tokenizer)->languages[i].name)) return OK;
    return append_language(out, code, err);
}

#define MOST_LANGUAGES 400 /* more than the lists of language.h have */

/* The languages that were listed so far. */
typedef struct {
    LanguageTag tags[MOST_LANGUAGES];
    size_t count;
} KnownLanguages;

/* Appends the languages of a list that no earlier list has. A language in two scripts counts as two languages. */
static Status append_codes(Buf *out, KnownLanguages *known, const char *codes, Err *err)
{
    const size_t before = known->count;
    Status st = OK;

    while (st == OK && *codes) {
        char code[LANGUAGE_CODE];
        size_t len = strcspn(codes, " ");
        LanguageTag tag;
        bool is_known = false;
        snprintf(code, sizeof code, "%.*s", (int)len, codes);
        codes += len + (codes[len] == ' ');
        st = language_tag_read(&tag, code, err);
        if (st != OK || !tag.language[0]) continue;
        for (size_t i = 0; st == OK && !is_known && i < before; i++)
            st = language_tag_same_language(&is_known, &known->tags[i], &tag, err);
        if (st != OK || is_known) continue;
        if (known->count < MOST_LANGUAGES) known->tags[known->count++] = tag;
        st = append_language(out, code, err);
    }
    return st;
}

static Status append_languages(const DragomanOptions *options, Buf *out, Err *err)
{
    LoadedModel loaded = { 0 };
    Status st;

    if (!options) {
        /* The short codes of M2M100 come first; models with other codes accept them as well. */
        KnownLanguages known = { .count = 0 };
        st = append_codes(out, &known, language_codes_m2m100, err);
        if (st == OK) st = append_codes(out, &known, language_codes_nllb, err);
        if (st == OK) st = append_codes(out, &known, language_codes_indictrans, err);
        return st == OK ? append_codes(out, &known, language_codes_mbart50, err) : st;
    }
    st = loaded_model_read_head(&loaded, options, err);
    if (st == OK) {
        const Tokenizer *tokenizer = loaded.tokenizer;
        const char *source = tokenizer_source_language(tokenizer), *target = tokenizer_target_language(tokenizer);
        st = append_side(out, source, tokenizer, err);
        if (st == OK && !(source && target && language_equal(source, target)))
            st = append_side(out, target, tokenizer, err);
        for (size_t i = 0; st == OK && i < tokenizer_facts(tokenizer)->language_count; i++)
            st = append_language(out, tokenizer_facts(tokenizer)->languages[i].name, err);
    }
    loaded_model_close(&loaded);
    return st;
}

DragomanStatus dragoman_languages(const DragomanOptions *options, char **text, DragomanError *error)
{
    const Spelling spelling = options ? options->spelling : (Spelling){ 0 };
    Buf out = { 0 };
    Err err = { "" };

    return option_fields_answer_text(text, append_languages(options, &out, &err), &out, &err, spelling, error);
}

/* --- Lists of codes -------------------------------------------------------------------- */

const char *model_languages_standard_code(const char *code)
{
    if (code && strcmp(code, "zt") == 0) return "zh_Hant";
    return code && strcmp(code, "pb") == 0 ? "pt_BR" : code;
}

Status model_languages_add_pair(ModelLanguages *out, const char *from, const char *to, Err *err)
{
    if (!from || !to || !language_is_known(from) || !language_is_known(to)) return OK;
    return text_list_add(&out->sources, from) && text_list_add(&out->targets, to) ? OK : err_memory(err, "languages");
}

/* A model with target languages and no known source, such as MADLAD-400, translates from any of its languages; the
 * prefixes of T5 ("translate English to German: ") name both languages. */
Status model_languages_read(ModelLanguages *out, const char *path, Err *err)
{
    DragomanOptions options = option_fields_default();
    LoadedModel loaded = { 0 };
    const char *source, *target;
    bool added = true;
    size_t count;
    Status st;

    options.model = path;
    options.skip_calibration = true;
    st = loaded_model_read_head(&loaded, &options, err);
    if (st == OK) st = model_check_weights(loaded.files, err);
    if (st == OK) st = tokenizer_check_text(loaded.tokenizer, err);
    if (st != OK) {
        loaded_model_close(&loaded);
        return st;
    }
    count = tokenizer_facts(loaded.tokenizer)->language_count;
    source = tokenizer_source_language(loaded.tokenizer);
    target = tokenizer_target_language(loaded.tokenizer);
    if (!count)
        st = model_languages_add_pair(out, model_languages_standard_code(source), model_languages_standard_code(target),
                                      err);
    if (tokenizer_facts(loaded.tokenizer)->chooses_source) source = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *code = tokenizer_facts(loaded.tokenizer)->languages[i].name;
        const char *own = tokenizer_facts(loaded.tokenizer)->languages[i].from;
        bool is_new = !source;
        added &= text_list_add(&out->targets, code);
        if (!own) own = code;
        for (size_t k = 0; is_new && k < out->sources.count; k++) is_new = strcmp(out->sources.items[k], own) != 0;
        if (is_new) added &= text_list_add(&out->sources, own);
    }
    if (count && source) added &= text_list_add(&out->sources, source);
    loaded_model_close(&loaded);
    return added ? st : err_memory(err, "languages");
}

void model_languages_free(ModelLanguages *languages)
{
    text_list_free(&languages->sources);
    text_list_free(&languages->targets);
}
