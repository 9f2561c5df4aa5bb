/* ct2_tokens.c - see ct2_tokens.h. */
#include "ct2_tokens.h"

#include <stdbool.h>
#include <string.h>

const Ct2SpNames ct2_sp_names[] = {
    { "source.spm", "target.spm" },
    { "src.spm", "tgt.spm" },
    { "src.spm", "trg.spm" },
    { "source.model", "target.model" },
    { "src.model", "tgt.model" },
    { "sentencepiece.model", NULL },
    { "sentencepiece.bpe.model", NULL },
    { "spiece.model", NULL },
    { "spm.model", NULL },
    { "tokenizer.model", NULL },
    { "vocab.spm", NULL },
    { "shared.model", NULL },
    { "spm.128k.model", NULL },
    { "flores200_sacrebleu_tokenizer_spm.model", NULL },
    { "bpe.model", NULL },
    { "joint.spm.model", NULL },
    { "src.spm.model", "tgt.spm.model" },
    { NULL, NULL },
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

static Status add_text(cJSON *object, const char *key, const char *text, Err *err)
{
    cJSON *item = text ? cJSON_CreateString(text) : cJSON_CreateNull();

    if (item && cJSON_AddItemToObject(object, key, item)) return OK;
    cJSON_Delete(item);
    return err_memory(err, "config.json");
}

/* An attribute that is text: its bytes are the variable's numbers. */
static Status add_attribute(cJSON *object, const Ct2File *file, const char *key, const char *otherwise, Err *err)
{
    const Ct2Variable *v = ct2_file_find(file, key);
    char text[256];

    if (!v) return add_text(object, key, otherwise, err);
    if (v->type != CT2_S8 || v->bytes >= sizeof text)
        return err_set(err, ERR_FORMAT, "%s: variable %s: is no text", file->path, key);
    memcpy(text, v->data, v->bytes);
    text[v->bytes] = '\0';
    return add_text(object, key, text, err);
}

static Status add_flag(cJSON *object, const Ct2File *file, const char *key, const char *attribute, Err *err)
{
    double value = 0;
    Status st = ct2_file_number(file, attribute, &value, err);

    if (st != OK || cJSON_AddBoolToObject(object, key, value != 0)) return st;
    return err_memory(err, "config.json");
}

Status ct2_tokens_add(cJSON *object, const Ct2File *file, Err *err)
{
    double begins = 1, user_begins = 0;
    const char *start = NULL;
    Status st = OK;

    if (file->version >= 6) return OK;
    st = add_attribute(object, file, "unk_token", "<unk>", err);
    if (st == OK) st = add_attribute(object, file, "bos_token", "<s>", err);
    if (st == OK) st = add_attribute(object, file, "eos_token", "</s>", err);
    if (st == OK) st = add_flag(object, file, "add_source_bos", "with_source_bos", err);
    if (st == OK) st = add_flag(object, file, "add_source_eos", "with_source_eos", err);
    if (st == OK) st = ct2_file_number(file, "with_target_bos", &begins, err);
    if (st == OK) st = ct2_file_number(file, "user_decoder_start_tokens", &user_begins, err);
    if (st != OK) return st;
    if (!user_begins)
        start = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, begins ? "bos_token" : "eos_token"));
    return add_text(object, "decoder_start_token", start, err);
}
