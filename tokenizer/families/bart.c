/* bart.c - tokenizers of BART models without languages:
 *     <s> pieces </s>
 * or the special tokens that their tokenizer.json adds. Barthez (models/barthez/tokenization_barthez.py of
 * transformers 4.57.1) has sentencepiece.bpe.model, whose ids are used as they are. */
#include "template.h"

#include <stdlib.h>

Status bart_add_special_tokens(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    int32_t cls = -1, sep = -1;
    Status st = template_find_token(tokenizer->source, config->cls, "first", &cls, err);

    if (st == OK) st = template_find_token(tokenizer->source, config->sep, "separating", &sep, err);
    if (st == OK) st = ids_append(&tokenizer->before, cls, err);
    if (st == OK) st = ids_append(&tokenizer->before_target, cls, err);
    if (st == OK) st = ids_append(&tokenizer->after, sep, err);
    return st == OK ? template_reject_choice(choice, err) : st;
}

static Status open_vocab(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    Draft draft = { 0 };
    Status st;

    if (tokenizer->source) return template_find_unk_and_eos(tokenizer, err);
    st = template_draft_begin(&draft, folder, "sentencepiece.bpe.model", err);
    if (st == OK) st = template_draft_added(&draft, &tokenizer->config, err);
    if (st == OK) st = template_draft_pieces(&draft, tokenizer->source_sp, 0, 0, err);
    if (st == OK) st = template_draft_specials(&draft, &tokenizer->config, err);
    st = template_draft_end(&draft, tokenizer, st, err);
    return st == OK ? template_find_unk_and_eos(tokenizer, err) : st;
}

Status bart_open_barthez(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = token_config_read(&tokenizer->config, folder, &token_defaults_bart, err);

    tokenizer->decode = template_decode_style(folder, DECODE_STRIPPED);
    if (st == OK) st = template_open_model(tokenizer, folder, err);
    if (st == OK) st = open_vocab(tokenizer, folder, err);
    return st == OK ? bart_add_special_tokens(tokenizer, choice, err) : st;
}

static Status refuse(ModelFolder *folder, Err *err)
{
    char *class_name;
    Status st = token_config_class(&class_name, folder, err);

    if (st == OK) {
        st = err_set(err, ERR_UNSUPPORTED,
                     "%s: the tokenizer class \"%s\" is not supported for this model without a tokenizer.json; "
                     "BarthezTokenizer, MBartTokenizer, MBart50Tokenizer, NllbTokenizer and XLMRobertaTokenizer are",
                     model_folder_path(folder), class_name ? class_name : "");
    }
    free(class_name);
    return st;
}

/* The special tokens are those that tokenizer.json adds. */
static Status complete_json(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    Status st = ids_append_all(&tokenizer->before_target, tokenizer->before.data, tokenizer->before.len, err);

    if (st == OK) st = template_find_unk_and_eos(tokenizer, err);
    return st == OK ? template_reject_choice(choice, err) : st;
}

/* Opens a model whose tokenizer class is missing or unknown: a tokenizer.json is sufficient. Its vocabulary tells
 * whether the model has languages. That of BART's own class is rejected, because it is byte-level BPE. */
Status bart_open_unknown(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = token_config_read(&tokenizer->config, folder, &token_defaults_bart, err);

    tokenizer->decode = template_decode_style(folder, DECODE_STRIPPED);
    if (st != OK) return st;
    if (model_folder_has(folder, "tokenizer.json")) {
        st = template_open_json(tokenizer, folder, err);
        if (st == OK && fairseq_has_languages(tokenizer)) return fairseq_open_json(tokenizer, folder, choice, err);
        return st == OK ? complete_json(tokenizer, choice, err) : st;
    }
    if (model_folder_has(folder, "merges.txt")) return template_open_model(tokenizer, folder, err);
    return refuse(folder, err);
}
