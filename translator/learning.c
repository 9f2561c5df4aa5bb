/* learning.c - see translator.h: learns a shortlist from two text files with parallel lines. */
#include <string.h>
#include <unistd.h>

#include "lexicon.h"
#include "loaded_model.h"
#include "shortlist_write.h"
#include "text_file.h"
#include "translator.h"

/* Longest side of a pair in tokens. Longer pairs teach little, and the cost of a pair is the product of both
 * lengths. */
#define LONGEST_SIDE 200

/* The least number of targets that learning keeps for each source piece. More are kept than written, because they
 * share the probability. */
#define LEAST_KEPT 400

typedef struct {
    const LoadedModel *loaded;
    const DragomanOptions *options;
    TextFile *source, *target;
    Lexicon *lexicon;
    Encoding encoding;
    IdList target_ids;
    Buf clean;
} Learning;

static Status encode(Learning *l, const Buf *source, const Buf *target, Err *err)
{
    const Tokenizer *tokenizer = l->loaded->tokenizer;
    bool pieces = l->options->pieces_in;
    size_t replaced;
    Status st;

    buf_clear(&l->clean);
    ids_clear(&l->target_ids);
    st = buf_append_clean(&l->clean, source->data, source->len, &replaced, err);
    if (st == OK)
        st = (pieces ? tokenizer_encode_pieces : tokenizer_encode)(tokenizer, l->clean.data, l->clean.len, &l->encoding,
                                                                   err);
    buf_clear(&l->clean);
    if (st == OK) st = buf_append_clean(&l->clean, target->data, target->len, &replaced, err);
    if (st == OK) st = tokenizer_encode_target(tokenizer, l->clean.data, l->clean.len, pieces, &l->target_ids, err);
    return st;
}

static Status add_pair(Learning *l, const Buf *source, const Buf *target, bool *full, Err *err)
{
    Status st;

    if (!source->len || !target->len) return OK;
    st = encode(l, source, target, err);
    if (st != OK || !l->encoding.pieces || !l->target_ids.len || l->encoding.ids.len > LONGEST_SIDE ||
        l->target_ids.len > LONGEST_SIDE)
        return st;
    return lexicon_add(l->lexicon, l->encoding.ids.data, l->encoding.ids.len, l->target_ids.data, l->target_ids.len,
                       full, err);
}

/* Reads pairs until the end of the files, or until the lexicon is full. */
static Status read_pairs(Learning *l, const char *source_path, const char *target_path, Err *err)
{
    const Buf *source = NULL, *target = NULL;
    bool full = false;
    Status st = OK;

    while (st == OK && !full) {
        st = text_file_next(l->source, &source, err);
        if (st == OK) st = text_file_next(l->target, &target, err);
        if (st != OK || !source || !target) break;
        st = add_pair(l, source, target, &full, err);
    }
    if (st == OK && !full && (source || target))
        st = err_set(err, ERR_USAGE, "%s: has more lines than %s, which has %zu", source ? source_path : target_path,
                     source ? target_path : source_path, text_file_line(source ? l->target : l->source));
    return st;
}

static const char *source_piece(const void *context, int32_t id)
{
    return tokenizer_source_piece(context, id);
}

static const char *target_piece(const void *context, int32_t id)
{
    return tokenizer_target_piece(context, id);
}

static size_t size_or(long number, size_t other)
{
    return number >= 0 ? (size_t)number : other;
}

static Status write_shortlist(const Learning *l, bool as_text, Buf *out, Err *err)
{
    const LoadedModel *o = l->loaded;
    const SearchParams *search = &o->settings.search;
    ShortlistWriting w = { .source_size = o->config.encoder.vocab,
                           .target_size = o->config.decoder.vocab,
                           .first = size_or(l->options->shortlist_first, SHORTLIST_WRITE_FIRST),
                           .best = size_or(l->options->shortlist_best, SHORTLIST_WRITE_BEST),
                           .context = o->tokenizer,
                           .source_piece = source_piece,
                           .target_piece = target_piece };
    int32_t unknown = tokenizer_target_unknown(o->tokenizer);
    Status st = ids_append_all(&w.always, search->eos.data, search->eos.len, err);

    if (st == OK && unknown >= 0) st = ids_append(&w.always, unknown, err);
    if (st == OK) st = (as_text ? shortlist_write_map : shortlist_write_binary)(out, &w, l->lexicon, err);
    ids_free(&w.always);
    return st;
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static Status open_text(TextFile **out, const char *path, Err *err)
{
    if (strcmp(path, "-") == 0) return text_file_open_descriptor(out, STDIN_FILENO, name_of(path), err);
    return text_file_open(out, path, err);
}

static Status learn(Learning *l, const char *source_path, const char *target_path, bool as_text, Buf *out, Err *err)
{
    const ModelConfig *config = &l->loaded->config;
    size_t best = size_or(l->options->shortlist_best, SHORTLIST_WRITE_BEST);
    Status st = lexicon_new(&l->lexicon, config->encoder.vocab, config->decoder.vocab, err);

    if (st == OK) st = open_text(&l->source, source_path, err);
    if (st == OK) st = open_text(&l->target, target_path, err);
    if (st == OK) st = read_pairs(l, name_of(source_path), name_of(target_path), err);
    if (st == OK && !lexicon_pairs(l->lexicon))
        st = err_set(err, ERR_FORMAT, "%s, %s: there is no pair of lines to learn from", name_of(source_path),
                     name_of(target_path));
    if (st == OK) st = lexicon_learn(l->lexicon, best > LEAST_KEPT ? best : LEAST_KEPT, err);
    return st == OK ? write_shortlist(l, as_text, out, err) : st;
}

Status translator_learn_shortlist(const DragomanOptions *options, const char *source_path, const char *target_path,
                                  bool as_text, Buf *out, Err *err)
{
    LoadedModel loaded = { 0 };
    Learning l = { .loaded = &loaded, .options = options };
    Status st = loaded_model_read_head(&loaded, options, err);

    if (st == OK) st = loaded_model_check_languages(&loaded, options, err);
    if (st == OK) st = learn(&l, source_path, target_path, as_text, out, err);
    text_file_close(l.source);
    text_file_close(l.target);
    lexicon_free(l.lexicon);
    encoding_free(&l.encoding);
    ids_free(&l.target_ids);
    buf_free(&l.clean);
    loaded_model_close(&loaded);
    return st;
}
