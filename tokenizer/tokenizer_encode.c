/* tokenizer_encode.c - see tokenizer.h: converts texts and pieces to ids. */
#include <string.h>

#include "line_code.h"
#include "template.h"
#include "tokenizer.h"
#include "word_list.h"

/* A text longer than CHUNK_BYTES goes to SentencePiece in chunks that end at a space, so that its tables stay small.
 * If there is no space up to CHUNK_MAX_BYTES, the chunk ends there: SentencePiece joins unknown characters in
 * quadratic time. No model accepts that much text at once, so no reference exists to compare with. */
#define CHUNK_BYTES     ((size_t)1 << 16)
#define CHUNK_MAX_BYTES ((size_t)9 << 13)

void encoding_free(Encoding *encoding)
{
    ids_free(&encoding->ids);
    *encoding = (Encoding){ 0 };
}

/* Where ids are appended, and the vocabulary that they come from. */
typedef struct {
    const Vocab *vocab;
    int32_t unk;
    IdList *ids;
} Sink;

/* A piece that spells a special token is text that the user wrote, so it becomes the unknown token. */
static Status append_text_piece(void *context, const char *piece, size_t len, Err *err)
{
    const Sink *sink = context;
    const VocabEntry *entry = vocab_find(sink->vocab, piece, len);

    return ids_append(sink->ids, entry && !entry->special ? entry->id : sink->unk, err);
}

/* The length of the first chunk, which can be encoded separately. */
static size_t chunk_length(const char *text, size_t len)
{
    size_t most = len < CHUNK_MAX_BYTES ? len : CHUNK_MAX_BYTES;
    const char *space;

    if (len <= CHUNK_BYTES) return len;
    space = memchr(text + CHUNK_BYTES, ' ', most - CHUNK_BYTES);
    if (space) return (size_t)(space - text);
    while (most < len && ((unsigned char)text[most] & 0xc0) == 0x80) most--;
    return most;
}

/* Without a SentencePiece model, each word is a piece. */
static Status encode_words(const char *text, size_t len, Sink *sink, Err *err)
{
    const char *word;
    size_t at = 0, word_len;
    Status st = OK;

    while (st == OK && word_list_next(text, len, &at, &word, &word_len))
        st = append_text_piece(sink, word, word_len, err);
    return st;
}

/* The space between two chunks is dropped if SentencePiece adds one before the second chunk. */
static Status encode_plain(const SpModel *model, const char *text, size_t len, Sink *sink, Err *err)
{
    Status st = OK;

    if (!model) return encode_words(text, len, sink, err);
    while (st == OK && len) {
        size_t chunk = chunk_length(text, len);
        st = sp_shim_encode(model, text, chunk, append_text_piece, sink, err);
        if (chunk < len && text[chunk] == ' ' && sp_shim_adds_prefix(model)) chunk++;
        text += chunk;
        len -= chunk;
    }
    return st;
}

/* Context of encode_part(), which encodes an added token or the text between two. */
typedef struct {
    const SpModel *model;
    Sink *sink;
} Part;

static Status encode_part(void *context, const char *text, size_t len, const AddedToken *token, Err *err)
{
    const Part *part = context;

    return token ? ids_append(part->sink->ids, token->id, err) : encode_plain(part->model, text, len, part->sink, err);
}

static Status encode_text(const Tokenizer *tokenizer, const SpModel *model, const char *text, size_t len, Sink *sink,
                          Err *err)
{
    Part part = { model, sink };

    if (!tokenizer->added) return encode_plain(model, text, len, sink, err);
    return added_split(tokenizer->added, text, len, encode_part, &part, err);
}

/* Appends the special tokens before the text. The line's own language code, *used bytes long, replaces the configured
 * language. */
static Status begin_source(const Tokenizer *tokenizer, const char *text, size_t len, size_t *used, IdList *ids,
                           Err *err)
{
    size_t code = line_code_length(tokenizer, text, len);
    Status st = tokenizer_check_languages(tokenizer, err);

    *used = 0;
    if (st != OK) return st;
    if (code) {
        *used = code;
        return line_code_append(tokenizer, text, code, ids, err);
    }
    if (tokenizer->leading_code && tokenizer->before.len == 0 && tokenizer->language_count > 1)
        return template_language_error(tokenizer,
                                       "no language to translate into: give " SETTING(TO) ", or begin each line with "
                                                                                          "its code, as in >>code<<",
                                       err);
    return ids_append_all(ids, tokenizer->before.data, tokenizer->before.len, err);
}

/* The length of the language prefix that the text itself begins with, or 0. */
static size_t own_prefix_length(const Tokenizer *tokenizer, const char *text, size_t len)
{
    size_t start = 0;

    while (start < len && text[start] == ' ') start++;
    for (size_t i = 0; i < tokenizer->language_count; i++) {
        const char *prefix = tokenizer->languages[i].prefix;
        size_t size = prefix ? strlen(prefix) : 0;
        while (size && prefix[size - 1] == ' ') size--;
        if (size && size <= len - start && memcmp(text + start, prefix, size) == 0) return start + size;
    }
    return 0;
}

static bool begins_with(const IdList *ids, size_t from, const IdList *first)
{
    return ids->len - from >= first->len && memcmp(ids->data + from, first->data, first->len * sizeof(int32_t)) == 0;
}

/* A prefix that is one special token (<2de> in additional_special_tokens) does not go through SentencePiece. */
static const VocabEntry *special_prefix(const Tokenizer *tokenizer, const char *text, size_t words)
{
    const VocabEntry *entry;

    while (words && *text == ' ') text++, words--;
    entry = vocab_find(tokenizer->source, text, words);
    return entry && entry->special ? entry : NULL;
}

/* Encodes a text that begins with a prefix of `words` bytes. Both are encoded together, and the prefix's pieces then
 * count as special tokens, so that every part of a long line gets them. If no piece ends where the prefix does, all
 * pieces count as text, and later parts of a long line may lack the prefix. */
static Status encode_with_prefix(const Tokenizer *tokenizer, const char *text, size_t len, size_t words, Encoding *out,
                                 Err *err)
{
    IdList alone = { 0 };
    Sink sink = { tokenizer->source, tokenizer->source_unk, &out->ids }, first = sink;
    const VocabEntry *word;
    Status st;

    first.ids = &alone;
    while (words && text[words - 1] == ' ') words--;
    word = special_prefix(tokenizer, text, words);
    if (word) {
        st = ids_append(&out->ids, word->id, err);
        out->body = out->ids.len;
        return st == OK ? encode_text(tokenizer, tokenizer->source_sp, text + words, len - words, &sink, err) : st;
    }
    st = encode_text(tokenizer, tokenizer->source_sp, text, words, &first, err);
    if (st == OK) st = encode_text(tokenizer, tokenizer->source_sp, text, len, &sink, err);
    if (st == OK && begins_with(&out->ids, out->body, &alone)) out->body += alone.len;
    ids_free(&alone);
    return st;
}

static Status encode_body(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    Sink sink = { tokenizer->source, tokenizer->source_unk, &out->ids };
    size_t own = own_prefix_length(tokenizer, text, len);
    Buf both = { 0 };
    Status st;

    if (own) return encode_with_prefix(tokenizer, text, len, own, out, err);
    if (!tokenizer->prefix && tokenizer->needs_prefix)
        return template_language_error(
            tokenizer,
            "no language to translate into: give " SETTING(TO) ", or begin each line with its code, as "
                                                               "in <2code>",
            err);
    if (!tokenizer->prefix) return encode_text(tokenizer, tokenizer->source_sp, text, len, &sink, err);
    st = buf_append_text(&both, tokenizer->prefix, err);
    if (st == OK) st = buf_append(&both, text, len, err);
    if (st == OK) st = encode_with_prefix(tokenizer, both.data, both.len, strlen(tokenizer->prefix), out, err);
    buf_free(&both);
    return st;
}

size_t tokenizer_language_length(const Tokenizer *tokenizer, const char *text, size_t len)
{
    size_t used = line_code_length(tokenizer, text, len);

    used += own_prefix_length(tokenizer, text + used, len - used);
    while (used && used < len && text[used] == ' ') used++;
    return used;
}

/* Counts the pieces and appends the special tokens after them. If nothing is left of a text (white space, or
 * characters that the model drops) and there are no special tokens, the source becomes one unknown token, because it
 * must not be empty. */
static Status end_source(const Tokenizer *tokenizer, const IdList *after, Encoding *out, Err *err)
{
    Status st = OK;

    if (!out->ids.len && !after->len) st = ids_append(&out->ids, tokenizer->source_unk, err);
    out->pieces = out->ids.len - out->body;
    return st == OK ? ids_append_all(&out->ids, after->data, after->len, err) : st;
}

static Status encode_cleaned(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    Buf clean = { 0 };
    Status st = opus_text_clean(&tokenizer->steps, text, len, &clean, err);

    if (st == OK) st = encode_body(tokenizer, clean.data, clean.len, out, err);
    buf_free(&clean);
    return st;
}

Status tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    size_t used;
    Status st;

    if (tokenizer->separate_piece_tokens && !tokenizer->source_sp)
        return tokenizer_encode_pieces(tokenizer, text, len, out, err);
    ids_clear(&out->ids);
    st = begin_source(tokenizer, text, len, &used, &out->ids, err);
    out->body = out->ids.len;
    text += used;
    len -= used;
    if (st == OK)
        st = tokenizer->steps.cleans ? encode_cleaned(tokenizer, text, len, out, err)
                                     : encode_body(tokenizer, text, len, out, err);
    return st == OK ? end_source(tokenizer, &tokenizer->after, out, err) : st;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Looks up pieces separated by white space. */
static Status append_pieces(Sink *sink, const char *text, size_t len, Err *err)
{
    Status st = OK;
    size_t i = 0;

    while (st == OK) {
        const VocabEntry *entry;
        size_t start;
        while (i < len && is_space(text[i])) i++;
        if (i == len) break;
        start = i;
        while (i < len && !is_space(text[i])) i++;
        entry = vocab_find(sink->vocab, text + start, i - start);
        st = ids_append(sink->ids, entry ? entry->id : sink->unk, err);
    }
    return st;
}

/* Removes an end token that the user wrote, because one is appended anyway. */
static void drop_end(IdList *ids, size_t first, int32_t eos)
{
    if (ids->len > first && ids->data[ids->len - 1] == eos) ids->len--;
}

static Status encode_bare_pieces(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    Sink sink = { tokenizer->source, tokenizer->source_unk, &out->ids };
    const IdList *before = &tokenizer->pieces_before;
    Status st = ids_append_all(&out->ids, before->data, before->len, err);

    out->body = out->ids.len;
    if (st == OK) st = append_pieces(&sink, text, len, err);
    drop_end(&out->ids, out->body, tokenizer->eos);
    return st == OK ? end_source(tokenizer, &tokenizer->pieces_after, out, err) : st;
}

Status tokenizer_encode_pieces(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    Sink sink = { tokenizer->source, tokenizer->source_unk, &out->ids };
    size_t used;
    Status st;

    ids_clear(&out->ids);
    if (tokenizer->separate_piece_tokens) return encode_bare_pieces(tokenizer, text, len, out, err);
    while (len && is_space(*text)) text++, len--;
    st = begin_source(tokenizer, text, len, &used, &out->ids, err);
    out->body = out->ids.len;
    if (st == OK && tokenizer->prefix)
        st = encode_with_prefix(tokenizer, tokenizer->prefix, strlen(tokenizer->prefix), strlen(tokenizer->prefix), out,
                                err);
    out->body = out->ids.len;
    if (st == OK) st = append_pieces(&sink, text + used, len - used, err);
    drop_end(&out->ids, out->body, tokenizer->eos);
    return st == OK ? end_source(tokenizer, &tokenizer->after, out, err) : st;
}

Status tokenizer_encode_part(const Tokenizer *tokenizer, const Encoding *whole, size_t first, size_t count, IdList *out,
                             Err *err)
{
    const size_t after_body = whole->body + whole->pieces;
    Status st;

    (void)tokenizer;
    if (first > whole->pieces || count > whole->pieces - first)
        return err_set(err, ERR_USAGE, "pieces %zu to %zu of %zu", first, first + count, whole->pieces);
    ids_clear(out);
    st = ids_append_all(out, whole->ids.data, whole->body, err);
    if (st == OK) st = ids_append_all(out, whole->ids.data + whole->body + first, count, err);
    return st == OK ? ids_append_all(out, whole->ids.data + after_body, whole->ids.len - after_body, err) : st;
}

Status tokenizer_encode_target(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces, IdList *out,
                               Err *err)
{
    Sink sink = { tokenizer->target, tokenizer->target_unk, out };
    const VocabEntry *end = vocab_find(tokenizer->target, tokenizer->config.eos, strlen(tokenizer->config.eos));
    Status st;

    ids_clear(out);
    if (!pieces && !(tokenizer->separate_piece_tokens && !tokenizer->target_sp))
        return encode_text(tokenizer, tokenizer->target_sp, text, len, &sink, err);
    st = append_pieces(&sink, text, len, err);
    drop_end(out, 0, end ? end->id : -1);
    return st;
}
