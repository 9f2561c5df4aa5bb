/* shortlist_write.c - see shortlist_write.h. */
#include "shortlist_write.h"

#include <string.h>

#include "id_set.h"
#include "shortlist_parts.h"

/* Appends the targets that every sentence gets. */
static Status add_common(const ShortlistWriting *w, const Lexicon *lexicon, IdList *out, Err *err)
{
    Status st = ids_append_all(out, w->always.data, w->always.len, err);

    return st == OK ? lexicon_frequent(lexicon, w->first, out, err) : st;
}

/* The targets of a source id in ascending order; with `common`, the targets of every sentence are added. */
static Status sorted_targets(const ShortlistWriting *w, const Lexicon *lexicon, size_t source, bool common, IdSet *set,
                             IdList *out, Err *err)
{
    Status st = lexicon_best(lexicon, (int32_t)source, w->best, out, err);

    if (st == OK && common) st = add_common(w, lexicon, out, err);
    if (st != OK) return st;
    id_set_add_all(set, out->data, out->len);
    ids_clear(out);
    return id_set_take(set, out, err);
}

/* Collects offsets[source_size + 1] and the ids that they refer to. */
static Status collect(const ShortlistWriting *w, const Lexicon *lexicon, int32_t everywhere, Buf *offsets, Buf *ids,
                      Err *err)
{
    IdList targets = { 0 };
    uint64_t end = 0;
    IdSet *set;
    Status st = id_set_new(&set, w->target_size, err);

    if (st == OK) st = buf_append(offsets, &end, sizeof end, err);
    for (size_t x = 0; st == OK && x < w->source_size; x++) {
        ids_clear(&targets);
        st = sorted_targets(w, lexicon, x, (int32_t)x == everywhere, set, &targets, err);
        end += targets.len;
        if (st == OK) st = buf_append(offsets, &end, sizeof end, err);
        if (st == OK) st = buf_append(ids, targets.data, targets.len * sizeof *targets.data, err);
    }
    ids_free(&targets);
    id_set_free(set);
    return st;
}

Status shortlist_write_binary(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err)
{
    uint64_t head[SHORTLIST_HEAD_WORDS] = { SHORTLIST_MAGIC, 0, 0, writing->best, writing->source_size + 1, 0 };
    int32_t everywhere = lexicon_everywhere(lexicon);
    Buf offsets = { 0 }, ids = { 0 };
    Status st;

    if (everywhere < 0)
        return err_set(err, ERR_UNSUPPORTED,
                       "no piece occurs in every source sentence, but the binary format needs one for the targets of "
                       "every sentence: write text instead (a name that ends in .txt)");
    st = collect(writing, lexicon, everywhere, &offsets, &ids, err);
    head[5] = ids.len / sizeof(int32_t);
    if (st == OK) st = buf_append(out, head, sizeof head, err);
    if (st == OK) st = buf_append(out, offsets.data, offsets.len, err);
    if (st == OK) st = buf_append(out, ids.data, ids.len, err);
    buf_free(&offsets);
    buf_free(&ids);
    if (st != OK) return st;
    head[1] = shortlist_checksum((const unsigned char *)out->data, out->len);
    memcpy(out->data, head, sizeof head);
    return OK;
}

/* A map separates pieces by spaces, so a piece that contains white space cannot be written. */
static bool is_writable(const char *piece)
{
    return *piece && !strpbrk(piece, " \t\r\n");
}

static Status append_rule(Buf *out, const ShortlistWriting *w, const char *key, const IdList *targets, Err *err)
{
    char before = '\t';
    Status st = buf_append_text(out, key, err);

    for (size_t i = 0; st == OK && i < targets->len; i++) {
        const char *piece = w->target_piece(w->context, targets->data[i]);
        if (!is_writable(piece)) continue;
        st = buf_append_format(out, err, "%c%s", before, piece);
        before = ' ';
    }
    if (st == OK && before == '\t') st = buf_append_text(out, "\t", err);
    return st == OK ? buf_append_text(out, "\n", err) : st;
}

Status shortlist_write_map(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err)
{
    const ShortlistWriting *w = writing;
    IdList targets = { 0 };
    Status st = add_common(w, lexicon, &targets, err);

    if (st == OK) st = append_rule(out, w, "", &targets, err);
    for (size_t x = 0; st == OK && x < w->source_size; x++) {
        const char *piece = w->source_piece(w->context, (int32_t)x);
        ids_clear(&targets);
        st = lexicon_best(lexicon, (int32_t)x, w->best, &targets, err);
        if (st == OK && targets.len && is_writable(piece)) st = append_rule(out, w, piece, &targets, err);
    }
    ids_free(&targets);
    return st;
}
