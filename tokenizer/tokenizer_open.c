/* tokenizer_open.c - opens the tokenizer of a model by the template of its family: see tokenizer.h. */
#include "template.h"
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* The first row that matches is used. */
static const TokenizerTemplate templates[] = {
    { "marian", NULL, marian_open_tokenizer },
    { "m2m_100", "NllbTokenizer", fairseq_open_nllb },
    { "m2m_100", "SMALL100Tokenizer", m2m_open_small100 },
    { "m2m_100", "M2M100Tokenizer", m2m_open_tokenizer },
    { "m2m_100", NULL, m2m_open_any },
    { "mbart", "MBartTokenizer", fairseq_open_mbart },
    { "mbart", "MBart50Tokenizer", fairseq_open_mbart50 },
    { "mbart", "NllbTokenizer", fairseq_open_nllb },
    { "mbart", "BarthezTokenizer", bart_open_barthez },
    { "mbart", "XLMRobertaTokenizer", fairseq_open_roberta },
    { "mbart", "", fairseq_open_any_mbart },
    { "mbart", NULL, bart_open_unknown },
    { "bart", "MBartTokenizer", fairseq_open_mbart },
    { "bart", "MBart50Tokenizer", fairseq_open_mbart50 },
    { "bart", "BarthezTokenizer", bart_open_barthez },
    { "bart", "XLMRobertaTokenizer", fairseq_open_roberta },
    { "bart", NULL, bart_open_unknown },
    { "t5", "ByT5Tokenizer", t5_reject_byt5 },
    { "t5", NULL, t5_open_tokenizer },
    { "mt5", NULL, t5_open_tokenizer },
    { "umt5", NULL, t5_open_tokenizer },
    { "transformer", NULL, tutorial_open_tokenizer },
    { "ctranslate2", NULL, ct2_open_tokenizer },
};
#define TEMPLATES (sizeof templates / sizeof *templates)

static Status find_template(const TokenizerTemplate **out, ModelFolder *folder, const char *model_type, Err *err)
{
    char *class_name;
    Status st = token_config_class(&class_name, folder, err);

    *out = NULL;
    for (const TokenizerTemplate *row = templates; st == OK && !*out && row < templates + TEMPLATES; row++)
        if (strcmp(row->model_type, model_type) == 0 &&
            (!row->class_name || strcmp(row->class_name, class_name ? class_name : "") == 0))
            *out = row;
    if (st == OK && !*out)
        st = err_set(err, ERR_UNSUPPORTED, "%s: no tokenizer for models of type \"%s\"", model_folder_path(folder),
                     model_type);
    free(class_name);
    return st;
}

Status tokenizer_open(Tokenizer **out, ModelFolder *folder, const char *model_type, const char *from, const char *to,
                      Err *err)
{
    const TokenizerTemplate *row;
    Tokenizer *tokenizer;
    Status st = find_template(&row, folder, model_type, err);

    *out = NULL;
    if (st != OK) return st;
    tokenizer = calloc(1, sizeof *tokenizer);
    if (!tokenizer) return err_memory(err, "the tokenizer");
    tokenizer->decoder_start = tokenizer->forced_bos = tokenizer->target_eos = -1;
    st = row->open(tokenizer, folder, (LanguageChoice){ from, to }, err);
    if (st == OK && tokenizer->source_sp)
        st = added_new(&tokenizer->added, &tokenizer->config, tokenizer->source_sp, tokenizer->space_before_added, err);
    if (st == OK) {
        for (size_t i = 0; i < tokenizer->config.special_count; i++) {
            vocab_mark_special(tokenizer->source, tokenizer->config.special[i]);
            vocab_mark_special(tokenizer->target, tokenizer->config.special[i]);
        }
        *out = tokenizer;
    } else {
        tokenizer_free(tokenizer);
    }
    return st;
}
