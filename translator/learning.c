/* learning.c - see translator.h: learns a shortlist from two text files with parallel lines. */
#include "lexicon.h"
#include "loaded_model.h"
#include "parallel_text.h"
#include "shortlist.h"
#include "translator.h"

/* The least number of targets that learning keeps for each source piece. More are kept than written, because they
 * share the probability. */
#define LEAST_KEPT 400

typedef struct {
    const LoadedModel *loaded;
    const DragomanOptions *options;
    ParallelText text;
    Lexicon *lexicon;
} Learning;

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

static Status learn(Learning *l, const char *source_path, const char *target_path, bool as_text, Buf *out, Err *err)
{
    const LoadedModel *o = l->loaded;
    const SearchParams *search = &o->settings.search;
    const IdList *source = &l->text.encoding.ids, *target = &l->text.target_ids;
    ShortlistWriting w = { .source_size = o->config.encoder.vocab,
                           .target_size = o->config.decoder.vocab,
                           .first = size_or(l->options->shortlist_first, SHORTLIST_WRITE_FIRST),
                           .best = size_or(l->options->shortlist_best, SHORTLIST_WRITE_BEST),
                           .context = o->tokenizer,
                           .source_piece = source_piece,
                           .target_piece = target_piece };
    const int32_t unknown = tokenizer_target_unknown(o->tokenizer);
    bool found = true, full = false;
    Status st = lexicon_new(&l->lexicon, w.source_size, w.target_size, err);

    /* Pairs are read until the end of the files, or until the lexicon is full. */
    if (st == OK) st = parallel_text_open(&l->text, o->tokenizer, l->options->pieces_in, source_path, target_path, err);
    while (st == OK && found && !full) {
        st = parallel_text_next(&l->text, &found, err);
        if (st == OK && found)
            st = lexicon_add(l->lexicon, source->data, source->len, target->data, target->len, &full, err);
    }
    if (st == OK && !lexicon_pairs(l->lexicon)) st = parallel_text_is_empty(&l->text, err);
    if (st == OK) st = lexicon_learn(l->lexicon, w.best > LEAST_KEPT ? w.best : LEAST_KEPT, err);

    if (st == OK) st = ids_append_all(&w.always, search->eos.data, search->eos.len, err);
    if (st == OK && unknown >= 0) st = ids_append(&w.always, unknown, err);
    if (st == OK) st = (as_text ? shortlist_write_map : shortlist_write_binary)(out, &w, l->lexicon, err);
    ids_free(&w.always);
    return st;
}

Status translator_learn_shortlist(const DragomanOptions *options, const char *source_path, const char *target_path,
                                  bool as_text, Buf *out, Err *err)
{
    LoadedModel loaded = { 0 };
    Learning l = { .loaded = &loaded, .options = options };
    Status st = loaded_model_read_head(&loaded, options, err);

    if (st == OK) st = loaded_model_check_languages(&loaded, options, err);
    if (st == OK) st = learn(&l, source_path, target_path, as_text, out, err);
    parallel_text_close(&l.text);
    lexicon_free(l.lexicon);
    loaded_model_close(&loaded);
    return st;
}
