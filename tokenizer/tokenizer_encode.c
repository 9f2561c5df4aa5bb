/* tokenizer_encode.c - see tokenizer.h: converts texts and pieces to ids. */
#include <ctype.h>
#include <string.h>

#include "template.h"
#include "tokenizer.h"

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

/* A text that is encoded, and where it comes from. */
typedef struct Origin {
    const char *text;
    const RangeList *map;       /* origins; NULL: the text is a copy, after `added` bytes that the user did not write */
    size_t added;               /* 0 with a map */
    size_t start;               /* where the copied or mapped part starts in the earlier text */
    const struct Origin *below; /* the earlier text; NULL: this is the text as given */
} Origin;

/* Where ids are appended, and the vocabulary that they come from. `ranges` and `origin` are read only if ranges are
 * asked for. */
typedef struct {
    const Vocab *vocab;
    int32_t unk;
    IdList *ids;
    RangeList *ranges; /* NULL: not asked for */
    const Origin *origin;
    SpEdges edges; /* of the text between added tokens */
} Sink;

static size_t place_below(const Origin *origin, size_t at)
{
    return origin->start + (at > origin->added ? at - origin->added : 0);
}

/* Returns the range in the text as the user gave it. */
static Range given_range(const Origin *origin, Range range)
{
    for (; origin->below; origin = origin->below) {
        if (origin->map) range = ranges_origin(origin->map, range);
        range = (Range){ place_below(origin, range.begin), place_below(origin, range.end) };
    }
    return range;
}

/* Appends an id and the range of text[0..len), which is a part of the origin's text. */
static void put_id(const Sink *sink, int32_t id, const char *text, size_t len)
{
    Range range;

    LIST_PUT(sink->ids, id);
    if (!sink->ranges) return;
    range.begin = (size_t)(text - sink->origin->text);
    range.end = range.begin + len;
    ranges_put(sink->ranges, given_range(sink->origin, range), 1);
}

/* Appends special tokens, whose range is empty. */
static void put_special(Encoding *out, const IdList *ids, size_t at)
{
    for (size_t i = 0; i < ids->len; i++) LIST_PUT(&out->ids, ids->data[i]);
    if (out->ranges) ranges_put(out->ranges, (Range){ at, at }, ids->len);
}

static Status check_memory(IdList *ids, RangeList *ranges, Err *err)
{
    Status st = LIST_CHECK(ids, "a list of ids", err);

    return st == OK && ranges ? ranges_check(ranges, err) : st;
}

static Sink source_sink(const Tokenizer *tokenizer, Encoding *out, const Origin *origin)
{
    return (Sink){ tokenizer->source, tokenizer->facts.source_unknown, &out->ids, out->ranges, origin, { 0 } };
}

/* A piece that spells a special token is text that the user wrote, so it becomes the unknown token. */
static int32_t text_id(const Sink *sink, const char *piece, size_t len)
{
    const VocabEntry *entry = vocab_find(sink->vocab, piece, len);

    return entry && !entry->special ? entry->id : sink->unk;
}

/* The ranges of SentencePiece's pieces are appended by sp_shim_encode(). */
static void put_text_piece(void *context, const char *piece, size_t len)
{
    const Sink *sink = context;

    LIST_PUT(sink->ids, text_id(sink, piece, len));
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

/* The space between two chunks is dropped if SentencePiece adds one before the second chunk. */
static Status encode_plain(const SpModel *model, const char *text, size_t len, Sink *sink, Err *err)
{
    SpEdges edges = sink->edges;
    Status st = OK;

    /* Without a SentencePiece model, each word is a piece. */
    if (!model) {
        const char *word;
        size_t at = 0, word_len;

        while (word_list_next(text, len, &at, &word, &word_len))
            put_id(sink, text_id(sink, word, word_len), word, word_len);
        return OK;
    }
    for (; st == OK && len; edges.follows = false) {
        const size_t first = sink->ranges ? sink->ranges->len : 0;
        size_t chunk = chunk_length(text, len);
        edges.keeps_end = sink->edges.keeps_end && chunk == len;
        st = sp_shim_encode(model, edges, text, chunk, put_text_piece, sink, sink->ranges, err);
        /* Turn the ranges from `first` on, which are in the text at `text`, into those in the text as given. */
        if (sink->ranges) {
            const size_t offset = (size_t)(text - sink->origin->text);

            for (size_t i = first; i < sink->ranges->len; i++) {
                Range *range = &sink->ranges->data[i];
                *range = given_range(sink->origin, (Range){ offset + range->begin, offset + range->end });
            }
        }
        if (chunk < len && text[chunk] == ' ' && sp_shim_adds_prefix(model)) chunk++;
        text += chunk;
        len -= chunk;
    }
    return st;
}

/* Context of encode_part(), which encodes an added token or the text between two. */
typedef struct {
    const Tokenizer *tokenizer;
    const SpModel *model;
    const Sink *sink;
    size_t start; /* where the split text starts in the sink's text */
    bool follows; /* see SpEdges */
} Part;

static Status encode_part(void *context, const AddedPart *given, Err *err)
{
    Part *part = context;
    const Origin origin = { given->text, given->map, 0, part->start, part->sink->origin };
    Sink sink = *part->sink;

    sink.origin = &origin;
    sink.edges = (SpEdges){ part->follows || given->has_space, given->keeps_end };
    part->follows = given->token && part->tokenizer->no_space_after_added;
    if (given->token) { /* a token that the target lacks becomes the unknown token */
        const int32_t id = vocab_entry(sink.vocab, given->token->id) ? given->token->id : sink.unk;
        put_id(&sink, id, given->text, given->len);
        return OK;
    }
    return encode_plain(part->model, given->text, given->len, &sink, err);
}

static Status encode_text(const Tokenizer *tokenizer, const SpModel *model, const char *text, size_t len, Sink *sink,
                          Err *err)
{
    const size_t start = sink->ranges ? (size_t)(text - sink->origin->text) : 0;
    Part part = { tokenizer, model, sink, start, sink->edges.follows };

    if (!tokenizer->added) return encode_plain(model, text, len, sink, err);
    return added_split(tokenizer->added, text, len, sink->ranges != NULL, encode_part, &part, err);
}

/* --- The language code >>xxx<< at the beginning of a text. It selects the target language of that text, for models
 * that have such tokens (Tokenizer.leading_code). --- */

/* Buffer for the name of a code's language. A longer name is truncated and matches no language. */
typedef struct {
    char text[64];
} CodeName;

static CodeName code_name(const char *text, size_t len)
{
    CodeName name = { "" };

    memcpy(name.text, text, len < sizeof name.text ? len : sizeof name.text - 1);
    return name;
}

/* The id of a code's language: of the code's own token, or of the language that it names differently (>>ger<< where
 * the model has >>deu<<); -1: none. */
static int32_t find_code(const Tokenizer *tokenizer, const char *text, size_t len)
{
    const int32_t id = vocab_id(tokenizer->source, text, len);
    const TokenizerLanguage *language = id >= 0 ? NULL : template_known_language(tokenizer, code_name(text, len).text);

    return language ? language->id : id;
}

/* True if >>xxx<< has the form of a language code: two or three letters, optionally with a script or a region. */
static bool looks_like_language(const char *text, size_t len)
{
    size_t letters = 0;

    text += 2;
    len -= 4;
    while (letters < len && isalpha((unsigned char)text[letters])) letters++;
    if (letters < 2 || letters > 3) return false;
    for (size_t i = letters; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-') return false;
    return letters == len || ((text[letters] == '_' || text[letters] == '-') && letters + 1 < len);
}

/* The length of the >>xxx<< that the text begins with, or 0. As in transformers, any characters may stand in it. If the
 * target language is already set, only a code that names a language or looks like one (>>fra<<, >>zho_Hans<<) counts;
 * anything else is text. */
static size_t line_code_length(const Tokenizer *tokenizer, const char *text, size_t len)
{
    size_t end = 4;

    if (!tokenizer->leading_code || len < 4 || memcmp(text, ">>", 2) != 0) return 0;
    while (end <= len && memcmp(text + end - 2, "<<", 2) != 0) end++;
    if (end > len) return 0;
    return tokenizer->before.len == 0 || find_code(tokenizer, text, end) >= 0 || looks_like_language(text, end) ? end
                                                                                                                : 0;
}

/* --- Whole texts. --- */

/* Appends the special tokens before the text, which begins `at` bytes after the text as given. The line's own language
 * code, *used bytes long, replaces the configured language; it may also be a name (>>German<<). A code that names no
 * language is ERR_USAGE with the list of languages. */
static Status begin_source(const Tokenizer *tokenizer, const char *text, size_t len, size_t at, size_t *used,
                           Encoding *out, Err *err)
{
    const size_t code = line_code_length(tokenizer, text, len);
    Status st = tokenizer_check_languages(tokenizer, err);

    *used = code;
    if (st != OK) return st;
    if (code) {
        const TokenizerLanguage *named;
        int32_t id = find_code(tokenizer, text, code);
        if (id < 0) {
            st = template_find_language(tokenizer, "the line's code", code_name(text, code).text, &named, err);
            if (st == OK) id = named->id;
        }
        LIST_PUT(&out->ids, id);
        if (out->ranges) ranges_put(out->ranges, (Range){ at, at + code }, 1);
        return st;
    }
    if (tokenizer->leading_code && tokenizer->before.len == 0 && tokenizer->facts.language_count > 1)
        return template_language_error(tokenizer,
                                       "no language to translate into: give " SETTING(TO) ", or begin each line with "
                                                                                          "its code, as in >>code<<",
                                       err);
    put_special(out, &tokenizer->before, 0);
    return OK;
}

/* The length of the language prefix that the text itself begins with, or 0. */
static size_t own_prefix_length(const Tokenizer *tokenizer, const char *text, size_t len)
{
    size_t start = 0;

    while (start < len && text[start] == ' ') start++;
    for (size_t i = 0; i < tokenizer->facts.language_count; i++) {
        const char *prefix = tokenizer->facts.languages[i].prefix;
        size_t size = prefix ? strlen(prefix) : 0;
        while (size && prefix[size - 1] == ' ') size--;
        if (size && size <= len - start && memcmp(text + start, prefix, size) == 0) return start + size;
    }
    return 0;
}

/* Encodes a text that begins with a prefix of `words` bytes. Both are encoded together, and the prefix's pieces then
 * count as special tokens, so that every part of a long line gets them. If no piece ends where the prefix does, all
 * pieces count as text, and later parts of a long line may lack the prefix. */
static Status encode_with_prefix(const Tokenizer *tokenizer, const char *text, size_t len, size_t words,
                                 const Origin *origin, Encoding *out, Err *err)
{
    IdList alone = { 0 };
    Sink sink = source_sink(tokenizer, out, origin), first = sink;
    const VocabEntry *word;
    size_t start = 0;
    Status st;

    first.ids = &alone;
    first.ranges = NULL;
    while (words && text[words - 1] == ' ') words--;
    while (start < words && text[start] == ' ') start++;
    word = vocab_find(tokenizer->source, text + start, words - start);
    /* A prefix that is one special token (<2de> in additional_special_tokens) does not go through SentencePiece. */
    if (word && word->special) {
        put_id(&sink, word->id, text + start, words - start);
        sink.edges.follows = tokenizer->no_space_after_added ||
                             added_begins_with_space(tokenizer->space_before_added, text + words, len - words);
        out->body = out->ids.len;
        return encode_text(tokenizer, tokenizer->source_sp, text + words, len - words, &sink, err);
    }
    st = encode_text(tokenizer, tokenizer->source_sp, text, words, &first, err);
    if (st == OK) st = LIST_CHECK(&alone, "a list of ids", err);
    if (st == OK) st = encode_text(tokenizer, tokenizer->source_sp, text, len, &sink, err);
    if (st == OK && out->ids.len - out->body >= alone.len &&
        memcmp(out->ids.data + out->body, alone.data, alone.len * sizeof *alone.data) == 0)
        out->body += alone.len;
    ids_free(&alone);
    return st;
}

/* Encodes a part of the origin's text. */
static Status encode_body(const Tokenizer *tokenizer, const char *text, size_t len, const Origin *origin, Encoding *out,
                          Err *err)
{
    Sink sink = source_sink(tokenizer, out, origin);
    size_t own = own_prefix_length(tokenizer, text, len);

    if (own) return encode_with_prefix(tokenizer, text, len, own, origin, out, err);
    /* Encode the text after the prefix of the language that the user chose. */
    if (tokenizer->prefix) {
        const size_t added = strlen(tokenizer->prefix);
        Buf both = { 0 };
        Status st;

        buf_put(&both, tokenizer->prefix, added);
        buf_put(&both, text, len);
        st = buf_check(&both, err);
        if (st == OK) {
            const Origin here = { both.data, NULL, added, (size_t)(text - origin->text), origin };
            st = encode_with_prefix(tokenizer, both.data, both.len, added, &here, out, err);
        }
        buf_free(&both);
        return st;
    }
    if (tokenizer->needs_prefix)
        return template_language_error(
            tokenizer,
            "no language to translate into: give " SETTING(TO) ", or begin each line with its code, as "
                                                               "in <2code>",
            err);
    return encode_text(tokenizer, tokenizer->source_sp, text, len, &sink, err);
}

size_t tokenizer_language_length(const Tokenizer *tokenizer, const char *text, size_t len)
{
    size_t used = line_code_length(tokenizer, text, len);

    used += own_prefix_length(tokenizer, text + used, len - used);
    while (used && used < len && text[used] == ' ') used++;
    return used;
}

/* Counts the pieces and appends the special tokens after them. If a text has no pieces (white space, or characters that
 * the model drops) and there are no special tokens, the source becomes one unknown token, because it must not be empty.
 * `len` is the length of the text as given. */
static Status end_source(const Tokenizer *tokenizer, const IdList *after, size_t len, Encoding *out, Err *err)
{
    if (!out->ids.len && !after->len) {
        LIST_PUT(&out->ids, tokenizer->facts.source_unknown);
        if (out->ranges) ranges_put(out->ranges, (Range){ 0, len }, 1);
    }
    out->pieces = out->ids.len - out->body;
    put_special(out, after, len);
    return check_memory(&out->ids, out->ranges, err);
}

static Status encode_cleaned(const Tokenizer *tokenizer, const char *text, size_t len, const Origin *given,
                             Encoding *out, Err *err)
{
    Buf clean = { 0 };
    RangeList map = { 0 };
    Status st = opus_text_clean(&tokenizer->steps, text, len, &clean, out->ranges ? &map : NULL, err);

    if (st == OK) {
        const Origin origin = { clean.data, &map, 0, (size_t)(text - given->text), given };
        st = encode_body(tokenizer, clean.data, clean.len, &origin, out, err);
    }
    ranges_free(&map);
    buf_free(&clean);
    return st;
}

static void clear(Encoding *out)
{
    ids_clear(&out->ids);
    if (out->ranges) ranges_clear(out->ranges);
}

Status tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    const Origin given = { .text = text };
    size_t used;
    Status st;

    if (tokenizer->facts.pieces_are_complete && !tokenizer->source_sp)
        return tokenizer_encode_pieces(tokenizer, text, len, out, err);
    clear(out);
    st = begin_source(tokenizer, text, len, 0, &used, out, err);
    out->body = out->ids.len;
    if (st == OK)
        st = (tokenizer->steps.cleans ? encode_cleaned : encode_body)(tokenizer, text + used, len - used, &given, out,
                                                                      err);
    return st == OK ? end_source(tokenizer, &tokenizer->after, len, out, err) : st;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Looks up pieces separated by white space. */
static void put_pieces(Sink *sink, const char *text, size_t len)
{
    for (size_t i = 0, start;;) {
        int32_t id;
        while (i < len && is_space(text[i])) i++;
        if (i == len) return;
        start = i;
        while (i < len && !is_space(text[i])) i++;
        id = vocab_id(sink->vocab, text + start, i - start);
        put_id(sink, id >= 0 ? id : sink->unk, text + start, i - start);
    }
}

/* Removes an end token that the user wrote, because one is appended anyway. */
static void drop_end(IdList *ids, RangeList *ranges, size_t first, int32_t eos)
{
    if (ids->len <= first || ids->data[ids->len - 1] != eos) return;
    ids->len--;
    if (ranges && ranges->len) ranges->len--; /* it may lack ranges after a failure, which is reported later */
}

Status tokenizer_encode_pieces(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    const Origin given = { .text = text };
    Sink sink = source_sink(tokenizer, out, &given);
    const size_t prefix_len = tokenizer->prefix ? strlen(tokenizer->prefix) : 0;
    size_t start = 0, used;
    Status st;

    clear(out);
    if (tokenizer->facts.pieces_are_complete) {
        put_special(out, &tokenizer->pieces_before, 0);
        out->body = out->ids.len;
        put_pieces(&sink, text, len);
        drop_end(&out->ids, out->ranges, out->body, tokenizer->eos);
        return end_source(tokenizer, &tokenizer->pieces_after, len, out, err);
    }
    while (start < len && is_space(text[start])) start++;
    st = begin_source(tokenizer, text + start, len - start, start, &used, out, err);
    start += used;
    out->body = out->ids.len;
    if (st == OK && prefix_len) { /* the prefix of the language that the user chose */
        const Origin origin = { tokenizer->prefix, NULL, prefix_len, 0, &given };
        st = encode_with_prefix(tokenizer, tokenizer->prefix, prefix_len, prefix_len, &origin, out, err);
    }
    out->body = out->ids.len;
    if (st == OK) put_pieces(&sink, text + start, len - start);
    drop_end(&out->ids, out->ranges, out->body, tokenizer->eos);
    return st == OK ? end_source(tokenizer, &tokenizer->after, len, out, err) : st;
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

/* Appends the target ids of a text. An end token at the end of pieces is dropped. */
static Status append_target(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces, Sink *sink, Err *err)
{
    const size_t first = sink->ids->len;
    const char *eos = tokenizer->config.eos;
    Status st = OK;

    if (!pieces && !(tokenizer->facts.pieces_are_complete && !tokenizer->target_sp)) {
        st = encode_text(tokenizer, tokenizer->target_sp, text, len, sink, err);
    } else {
        put_pieces(sink, text, len);
        drop_end(sink->ids, sink->ranges, first, vocab_id(tokenizer->target, eos, strlen(eos)));
    }
    return st == OK ? check_memory(sink->ids, sink->ranges, err) : st;
}

Status tokenizer_encode_target(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces, IdList *out,
                               Err *err)
{
    Sink sink = { .vocab = tokenizer->target, .unk = tokenizer->facts.target_unknown, .ids = out };

    ids_clear(out);
    return append_target(tokenizer, text, len, pieces, &sink, err);
}

Status tokenizer_encode_translation(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces,
                                    Encoding *out, Err *err)
{
    const Origin given = { .text = text };
    Sink sink = { tokenizer->target, tokenizer->facts.target_unknown, &out->ids, out->ranges, &given, { 0 } };
    Status st;

    clear(out);
    put_special(out, &tokenizer->before_target, 0);
    out->body = out->ids.len;
    st = append_target(tokenizer, text, len, pieces, &sink, err);
    out->pieces = out->ids.len - out->body;
    return st;
}
