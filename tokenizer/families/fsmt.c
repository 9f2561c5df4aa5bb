/* fsmt.c - the tokenizer of FSMT, fairseq's models of WMT19: Moses' rules (moses.h), then fastBPE.
 *     source: pieces </s>
 * vocab-src.json and vocab-tgt.json have the ids of both languages, merges.txt the merges in their order. Follows
 * transformers 4.57.1: models/fsmt/tokenization_fsmt.py. The class encodes translations as if they were in the language
 * of the source; dragoman uses the rules of their own language. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "str_map.h"
#include "utf8.h"

/* The pieces of a model that is being opened. */
typedef struct {
    SpPieces *list;
    StrMap *index; /* piece -> its number in `list` */
    Err *err;
    Status status;
} Pieces;

/* Returns the number of a piece, which is added if it is new. */
static int32_t number_of(Pieces *pieces, const char *text, size_t len)
{
    const int32_t next = (int32_t)pieces->list->count;
    int32_t number = str_map_get(pieces->index, text, len, next);
    bool added;

    if (pieces->status != OK || number < next) return number;
    pieces->status = str_map_add(pieces->index, text, len, next, &added, pieces->err);
    if (pieces->status == OK) pieces->status = sp_pieces_add(pieces->list, text, len, 0, SP_NORMAL, pieces->err);
    return number;
}

/* A merge is the first two words of a line; lines with fewer words are left out, and so is a last line without a
 * newline. */
static void read_merges(Pieces *pieces, const FileView *file)
{
    const char *line = (const char *)file->map.data, *end = line ? line + file->map.size : NULL, *stop;
    Buf both = { 0 };

    for (size_t number = 1; pieces->status == OK && line < end; number++, line = stop + 1) {
        const char *left, *right;
        size_t at = 0, left_len, right_len, len;
        bool added;
        stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) break;
        len = (size_t)(stop - line);
        if (memchr(line, '\0', len) || utf8_clean_length(line, len) < len) {
            pieces->status = err_set(pieces->err, ERR_FORMAT, "%s: line %zu is not valid UTF-8", file->path, number);
            break;
        }
        if (!word_list_next(line, len, &at, &left, &left_len) || !word_list_next(line, len, &at, &right, &right_len))
            continue;
        buf_clear(&both);
        buf_put(&both, left, left_len);
        buf_put(&both, right, right_len);
        pieces->status = buf_check(&both, pieces->err);
        if (pieces->status == OK && both.len > SP_PIECE_MAX)
            pieces->status = err_set(pieces->err, ERR_FORMAT, "%s: the merge in line %zu makes a piece of %zu bytes",
                                     file->path, number, both.len);
        if (pieces->status != OK) break;
        const int32_t a = number_of(pieces, left, left_len), b = number_of(pieces, right, right_len);
        (void)number_of(pieces, both.data, both.len);
        if (pieces->status == OK) pieces->status = sp_pieces_add_merge(pieces->list, a, b, &added, pieces->err);
        if (pieces->status == OK && !added)
            pieces->status =
                err_set(pieces->err, ERR_FORMAT, "%s: the merge in line %zu appears twice", file->path, number);
    }
    buf_free(&both);
}

/* Opens the pieces of one side: those of its vocabulary, and those that the merges join. */
static void open_pieces(Opening *o, SpModel **out, const Vocab *vocab, unsigned uses, const char *language, bool lowers)
{
    SpTraits traits = { 0 };
    Pieces pieces = { .err = o->err };
    FileView merges;

    if (o->status == OK) o->status = model_folder_read(o->folder, "merges.txt", &merges, o->err);
    if (o->status != OK) return;
    pieces.status = sp_traits_init(&traits, o->err);
    traits.kind = SP_BPE;
    traits.normalizer.add_dummy_prefix = false;
    if (pieces.status == OK) pieces.status = moses_new(&traits.moses, uses, language, lowers, o->err);
    if (pieces.status == OK) pieces.status = str_map_new(&pieces.index, o->err);
    pieces.list = traits.pieces;
    for (size_t i = 0; pieces.status == OK && i < vocab_count(vocab); i++) {
        const char *piece = vocab_at(vocab, i)->piece;
        const size_t len = strlen(piece);
        if (len && len <= SP_PIECE_MAX) (void)number_of(&pieces, piece, len);
    }
    if (pieces.status == OK) pieces.list->suffix = strlen(MOSES_END);
    read_merges(&pieces, &merges);
    if (pieces.status == OK && !pieces.list->merges)
        pieces.status = err_set(o->err, ERR_FORMAT, "%s: there are no merges", merges.path);
    if (pieces.status == OK) pieces.status = sp_check_traits(&traits, merges.path, o->err);
    if (pieces.status == OK) pieces.status = sp_shim_new(out, &traits, merges.path, o->err);
    str_map_free(pieces.index);
    sp_traits_free(&traits);
    o->status = pieces.status;
}

/* Opens a vocabulary. As in the class, a token or an id is looked up among the added tokens first, whose ids are those
 * of the source: `rows` is the number of embeddings. */
static void open_vocab(Opening *o, Vocab **out, const char *name, const char *rows)
{
    Vocab *file = NULL;

    template_open_vocab(o, &file, name);
    template_draft(o, name);
    template_model_size(o, rows, &o->limit);
    template_draft_added(o);
    o->limit = 0;
    if (o->status == OK) template_draft_vocab(o, file);
    vocab_free(file);
    template_draft_complete(o, out);
}

/* Reads the languages, which tokenizer_config.json or config.json has. */
static void read_languages(Opening *o, bool *lowers)
{
    static const char *const files[] = { "tokenizer_config.json", "config.json" };
    TokenConfig *config = &o->tokenizer->config;
    const char *langs[2] = { NULL, NULL };

    for (size_t i = 0; o->status == OK && !langs[1] && i < 2; i++) {
        JsonReader r = { .err = o->err };
        const cJSON *list;
        r.st = model_folder_json(o->folder, files[i], &r.json, o->err);
        if (r.st == OK && i == 0) json_read_bool(&r, "do_lower_case", lowers);
        list = r.st == OK ? json_member(r.json, "langs") : NULL;
        if (cJSON_IsArray(list) && cJSON_GetArraySize(list) == 2)
            for (int k = 0; k < 2; k++) langs[k] = cJSON_GetStringValue(cJSON_GetArrayItem(list, k));
        if (list && !cJSON_IsNull(list) && (!langs[0] || !langs[1]))
            json_fault(&r, ERR_FORMAT, "langs must be a list of two languages");
        o->status = r.st;
    }
    if (o->status == OK && !langs[1])
        o->status = err_set(o->err, ERR_FORMAT, "%s: langs is missing in tokenizer_config.json and config.json",
                            model_folder_path(o->folder));
    if (o->status != OK) return;
    free(config->source_lang);
    free(config->target_lang);
    config->source_lang = config->target_lang = NULL;
    template_copy_text(o, &config->source_lang, langs[0]);
    template_copy_text(o, &config->target_lang, langs[1]);
}

void fsmt_open_tokenizer(Opening *o)
{
    static const TokenDefaults defaults = {
        .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .bos = "<s>", .sep = "</s>"
    };
    Tokenizer *t = o->tokenizer;
    const TokenConfig *config = &t->config;
    bool lowers = false;
    int32_t sep = -1;

    template_read_config(o, &defaults);
    read_languages(o, &lowers);
    template_check_language(o, SETTING(FROM), o->from, config->source_lang, "from");
    template_check_language(o, SETTING(TO), o->to, config->target_lang, "into");
    open_vocab(o, &t->source, "vocab-src.json", "src_vocab_size");
    open_vocab(o, &t->target, "vocab-tgt.json", "tgt_vocab_size");
    open_pieces(o, &t->source_sp, t->source, MOSES_WORDS, config->source_lang, lowers);
    open_pieces(o, &t->target_sp, t->target, MOSES_WORDS | MOSES_TEXT, config->target_lang, lowers);
    template_find_unk_and_eos(o);
    template_find_token(o, t->target, config->unk, "unknown", &t->facts.target_unknown);
    template_find_token(o, t->source, config->sep, "separating", &sep);
    LIST_PUT(&t->after, sep);
    t->decode = DECODE_STRIPPED;
}
