/* tutorial.c - the vocabularies of "model_type": "transformer" as config.json describes them: SentencePiece models
 * with their own ids, or word lists.
 *     source: [start] pieces [end]
 * A translation's text omits start, end and padding tokens. The unknown token appears in it, as in the tutorials. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

#define ROUNDED 64 /* rows of embeddings are rounded up to a multiple of this at most */

/* Files to look for if config.json names none: both sides in one, or one each. */
static const struct {
    const char *source, *target;
} usual_files[] = {
    { "source.spm", "target.spm" },
    { "vocab.spm", NULL },
    { "sentencepiece.model", NULL },
    { "spm.model", NULL },
    { "source_vocab.txt", "target_vocab.txt" },
    { "vocab.txt", NULL },
};

/* Settings of config.json; -1: no such id. */
typedef struct {
    int32_t start, end, pad, unk;
} SideIds;

typedef struct {
    SideIds source, target;
    bool source_start, source_end;
    const char *source_file, *target_file; /* target_file is NULL if both sides share one */
} Settings;

static Status read_side(SideIds *ids, JsonObject json, const char *start, const char *end, const char *pad,
                        const char *unk, Err *err)
{
    Status st = json_get_id(json, start, 0, VOCAB_MAX_ID, &ids->start, err);

    if (st == OK) st = json_get_id(json, end, 0, VOCAB_MAX_ID, &ids->end, err);
    if (st == OK) st = json_get_id(json, pad, 0, VOCAB_MAX_ID, &ids->pad, err);
    return st == OK ? json_get_id(json, unk, 0, VOCAB_MAX_ID, &ids->unk, err) : st;
}

static Status check_file_name(const char *name, const char *key, const char *file, Err *err)
{
    if (!name || (*name && !strchr(name, '/'))) return OK;
    return err_set(err, ERR_FORMAT, "%s: %s must be the plain name of a file in the same folder", file, key);
}

static Status read_files(Settings *settings, ModelFolder *folder, JsonObject json, Err *err)
{
    const char *both = NULL, *source = NULL, *target = NULL;
    Status st = json_get_string(json, "vocab", &both, err);

    if (st == OK) st = json_get_string(json, "source_vocab", &source, err);
    if (st == OK) st = json_get_string(json, "target_vocab", &target, err);
    if (st == OK) st = check_file_name(both, "vocab", json.file, err);
    if (st == OK) st = check_file_name(source, "source_vocab", json.file, err);
    if (st == OK) st = check_file_name(target, "target_vocab", json.file, err);
    if (st != OK) return st;
    if (both ? source || target : !source != !target)
        return err_set(err, ERR_FORMAT, "%s: give either vocab, or both source_vocab and target_vocab", json.file);
    settings->source_file = both ? both : source;
    settings->target_file = target;
    if (settings->source_file) return OK;
    for (size_t i = 0; i < sizeof usual_files / sizeof *usual_files; i++)
        if (model_folder_has(folder, usual_files[i].source)) {
            settings->source_file = usual_files[i].source;
            settings->target_file = usual_files[i].target;
            return OK;
        }
    return err_set(err, ERR_IO,
                   "%s: no vocabulary: expected source.spm and target.spm, vocab.spm, sentencepiece.model, spm.model, "
                   "source_vocab.txt and target_vocab.txt, or vocab.txt, or names in config.json",
                   model_folder_path(folder));
}

static Status open_side(SpModel **model, Vocab **vocab, ModelFolder *folder, const char *name, Err *err)
{
    const char *dot = strrchr(name, '.');
    FileView file;
    Status st = model_folder_read(folder, name, &file, err);

    if (st != OK) return st;
    if (!dot || (strcmp(dot, ".spm") != 0 && strcmp(dot, ".model") != 0)) return word_list_read(vocab, &file, err);
    st = sp_shim_open(model, &file, err);
    return st == OK ? template_list_pieces(vocab, *model, file.path, err) : st;
}

static Status open_sides(Tokenizer *tokenizer, ModelFolder *folder, const Settings *settings, Err *err)
{
    const char *target = settings->target_file;
    Status st = open_side(&tokenizer->source_sp, &tokenizer->source, folder, settings->source_file, err);

    if (st == OK && target) {
        st = open_side(&tokenizer->target_sp, &tokenizer->target, folder, target, err);
    } else {
        tokenizer->target_sp = tokenizer->source_sp;
        tokenizer->target = tokenizer->source;
    }
    if (st == OK && !tokenizer->source_sp)
        st = word_list_check(&tokenizer->cannot_tokenize, tokenizer->source, "SentencePiece model", err);
    if (st == OK && !tokenizer->target_sp)
        st = word_list_check(&tokenizer->cannot_tokenize, tokenizer->target, "SentencePiece model", err);
    return st;
}

static size_t largest(const SideIds *ids)
{
    const int32_t list[] = { ids->start, ids->end, ids->pad, ids->unk };
    int32_t most = -1;

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i] > most) most = list[i];
    return (size_t)most + 1;
}

/* Refuses the vocabulary of another model. A tutorial's model has one row of embeddings for each token; special tokens
 * may come after those of the vocabulary. Rows may be rounded up to a multiple of 8 where empty lines cannot be added:
 * for a SentencePiece model. */
static Status check_rows(const Vocab *vocab, bool is_list, const SideIds *ids, JsonObject json, const char *key,
                         Err *err)
{
    size_t rows = 0, used = vocab_lines(vocab);
    Status st = json_get_size(json, "vocab_size", 0, SIZE_MAX, &rows, err);

    if (st == OK) st = json_get_size(json, key, 0, SIZE_MAX, &rows, err);
    if (largest(ids) > used) used = largest(ids);
    if (st != OK || used >= rows || (!is_list && rows % 8 == 0 && rows - used < ROUNDED)) return st;
    return err_set(err, ERR_FORMAT, "%s: the vocabulary has %zu %s, but the model has %zu embeddings%s",
                   vocab_path(vocab), vocab_lines(vocab), is_list ? "lines" : "pieces", rows,
                   is_list ? "; if embeddings without a token follow, add an empty line for each" : "");
}

static Status find_piece(char **out, const Vocab *vocab, int32_t id, const char *key, Err *err)
{
    const VocabEntry *entry = vocab_entry(vocab, id);

    if (!entry)
        return err_set(err, ERR_FORMAT, "%s: no token has the id %d, the %s of config.json", vocab_path(vocab), (int)id,
                       key);
    *out = strdup(entry->piece);
    return *out ? OK : err_memory(err, "a token");
}

static void mark(Vocab *vocab, int32_t id)
{
    const VocabEntry *entry = vocab_entry(vocab, id);

    if (entry) vocab_mark_special(vocab, entry->piece);
}

static Status fill(Tokenizer *tokenizer, ModelFolder *folder, const Settings *settings, JsonObject json, Err *err)
{
    const SideIds *source = &settings->source, *target = &settings->target;
    char *unk = NULL;
    Status st = open_sides(tokenizer, folder, settings, err);

    if (st == OK) st = find_piece(&tokenizer->config.unk, tokenizer->target, target->unk, "unk_id", err);
    if (st == OK) st = find_piece(&tokenizer->config.eos, tokenizer->target, target->end, "end_id", err);
    if (st == OK) st = find_piece(&unk, tokenizer->source, source->unk, "source's unk_id", err);
    free(unk);
    if (st == OK) st = check_rows(tokenizer->source, !tokenizer->source_sp, source, json, "source_vocab_size", err);
    if (st == OK) st = check_rows(tokenizer->target, !tokenizer->target_sp, target, json, "target_vocab_size", err);
    if (st != OK) return st;
    tokenizer->source_unk = source->unk;
    tokenizer->target_unk = target->unk;
    tokenizer->eos = settings->source_end ? source->end : -1;
    tokenizer->own_specials = true;
    tokenizer->decode = tokenizer->target_sp ? DECODE_PLAIN : DECODE_WORDS;

    /* Text never becomes special tokens, and a translation's text leaves them out. */
    if (settings->source_start) mark(tokenizer->source, source->start);
    if (settings->source_end) mark(tokenizer->source, source->end);
    mark(tokenizer->source, source->pad);
    mark(tokenizer->target, target->start);
    mark(tokenizer->target, target->end);
    mark(tokenizer->target, target->pad);
    if (settings->source_start) st = ids_append(&tokenizer->before, source->start, err);
    if (st == OK && settings->source_end) st = ids_append(&tokenizer->after, source->end, err);
    return st;
}

Status tutorial_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Settings settings = { .source_file = NULL };
    JsonObject json;
    Status st = model_folder_require_json(folder, "config.json", &json, err);

    if (st == OK) st = template_reject_choice(choice, err); /* the languages have no names */
    if (st == OK) {
        st = json_require(json, "start_id", err);
        settings.source_start = settings.source_end = true;
        settings.target = (SideIds){ -1, -1, -1, -1 };
        if (st == OK) st = json_require(json, "end_id", err);
        if (st == OK) st = json_require(json, "unk_id", err);
        if (st == OK) st = read_side(&settings.target, json, "start_id", "end_id", "pad_id", "unk_id", err);
        settings.source = settings.target;
        if (st == OK)
            st = read_side(&settings.source, json, "source_start_id", "source_end_id", "source_pad_id", "source_unk_id",
                           err);
        if (st == OK) st = json_get_bool(json, "source_start", &settings.source_start, err);
        if (st == OK) st = json_get_bool(json, "source_end", &settings.source_end, err);
    }
    if (st == OK) st = read_files(&settings, folder, json, err);
    return st == OK ? fill(tokenizer, folder, &settings, json, err) : st;
}
