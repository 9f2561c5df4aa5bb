/* ct2_tokens.c - see ct2_tokens.h. */
#include "ct2_tokens.h"

#include <string.h>

#include "ct2_file.h"
#include "json.h"

const Ct2SpNames ct2_sp_names[] = {
    { "source.spm", "target.spm", false },
    { "src.spm", "tgt.spm", false },
    { "src.spm", "trg.spm", false },
    { "source.model", "target.model", false },
    { "src.model", "tgt.model", false },
    { "sentencepiece.model", NULL, false },
    { "sentencepiece.bpe.model", NULL, false },
    { "spiece.model", NULL, false },
    { "spm.model", NULL, false },
    { "tokenizer.model", NULL, false },
    { "vocab.spm", NULL, false },
    { "shared.model", NULL, false },
    { "spm.128k.model", NULL, false },
    { "flores200_sacrebleu_tokenizer_spm.model", NULL, false },
    { "bpe.model", NULL, false },
    { "joint.spm.model", NULL, true },
    { "src.spm.model", "tgt.spm.model", true },
    { NULL, NULL, false },
};

const char *const ct2_text_files[] = {
    "config.json",
    "metadata.json",
    "vmap.txt",
    "shared_vocabulary.json",
    "shared_vocabulary.txt",
    "source_vocabulary.json",
    "source_vocabulary.txt",
    "target_vocabulary.json",
    "target_vocabulary.txt",
    NULL,
};

static const char *const text_keys[] = { "unk_token", "bos_token", "eos_token", "decoder_start_token" };

/* Reads the attributes of model.bin. Text is stored as a variable of bytes. */
static Status read_attributes(Ct2Tokens *out, const Ct2File *file, Err *err)
{
    const char **const tokens[] = { &out->unk, &out->bos, &out->eos };
    const char *const names[] = { "with_source_bos", "with_source_eos", "with_target_bos",
                                  "user_decoder_start_tokens" };
    double flags[] = { 0, 0, 1, 0 };
    Status st = OK;

    for (size_t i = 0; i < 3; i++) {
        const Ct2Variable *v = ct2_file_find(file, text_keys[i]);
        if (!v) continue;
        if (v->type != CT2_S8 || v->bytes >= CT2_TOKEN_BYTES)
            return err_set(err, ERR_FORMAT, "%s: variable %s is not text", file->path, text_keys[i]);
        memcpy(out->texts[i], v->data, v->bytes);
        out->texts[i][v->bytes] = '\0';
        *tokens[i] = out->texts[i];
    }
    for (size_t i = 0; st == OK && i < 4; i++) st = ct2_file_number(file, names[i], &flags[i], err);
    out->source_bos = flags[0] != 0;
    out->source_eos = flags[1] != 0;
    if (flags[3] == 0) out->start = flags[2] != 0 ? out->bos : out->eos;
    return st;
}

Status ct2_tokens_read(Ct2Tokens *out, ModelFolder *folder, Err *err)
{
    const char **const tokens[] = { &out->unk, &out->bos, &out->eos, &out->start };
    const Ct2File *file = NULL;
    JsonReader r = { .err = err };

    *out = (Ct2Tokens){ .unk = "<unk>", .bos = "<s>", .eos = "</s>" };
    if (model_folder_kind(folder) == MODEL_CTRANSLATE2) r.st = model_folder_ct2(folder, &file, err);
    if (r.st == OK && file && file->version < 6) return read_attributes(out, file, err);
    if (r.st == OK) r.st = model_folder_json(folder, "config.json", &r.json, err);
    for (size_t i = 0; i < 4; i++) json_read_string(&r, text_keys[i], tokens[i]);
    json_read_bool(&r, "add_source_bos", &out->source_bos);
    json_read_bool(&r, "add_source_eos", &out->source_eos);
    return r.st;
}

Status ct2_tokens_add(cJSON *json, const Ct2Tokens *tokens, Err *err)
{
    const char *const texts[] = { tokens->unk, tokens->bos, tokens->eos, tokens->start };
    Status st = OK;

    for (size_t i = 0; st == OK && i < 4; i++)
        st = json_put(json, text_keys[i], texts[i] ? cJSON_CreateString(texts[i]) : cJSON_CreateNull(), err);
    if (st == OK) st = json_put(json, "add_source_bos", cJSON_CreateBool(tokens->source_bos), err);
    return st == OK ? json_put(json, "add_source_eos", cJSON_CreateBool(tokens->source_eos), err) : st;
}
