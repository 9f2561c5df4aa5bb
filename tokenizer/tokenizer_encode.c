/* tokenizer_encode.c - see tokenizer.h: converts texts and pieces to ids. */
#include <ctype.h>
#include <string.h>

#include "chars.h"
#include "template.h"
#include "tokenizer.h"

/* SentencePiece gets a text longer than CHUNK_BYTES in chunks, which keeps its tables small. A chunk ends at the first
 * space after CHUNK_BYTES, but at the latest at CHUNK_MAX_BYTES, because SentencePiece joins unknown characters in
 * quadratic time. Chunks may change the tokens, but no model accepts so long a text, so there are no reference tokens
 * to match. */
#define CHUNK_BYTES     ((size_t)1 << 16)
#define CHUNK_MAX_BYTES ((size_t)9 << 13)

void encoding_free(Encoding *encoding)
{
    ids_free(&encoding->ids);
    buf_free(&encoding->replaced);
    *encoding = (Encoding){ 0 };
}

/* Where the ids of a text go. A function that encodes a text appends ranges within this text. A caller that made the
 * text from an earlier one turns them into ranges within the earlier text. */
typedef struct {
    const Tokenizer *tokenizer;
    const SpModel *model; /* NULL: word lists */
    const Vocab *vocab;
    int32_t unk;
    IdList *ids;
    RangeList *ranges;    /* NULL: not asked for */
    SpEdges edges;        /* of the text between added tokens */
    const RangeList *own; /* the user's text in a prompt; NULL: all of it */
    bool is_part;         /* of a translation, see Encoding */
} Sink;

static Sink source_sink(const Tokenizer *t, IdList *ids, RangeList *ranges)
{
    return (Sink){ t, t->source_sp, t->source, t->facts.source_unknown, ids, ranges, { 0 }, NULL, false };
}

static Sink target_sink(const Tokenizer *t, IdList *ids, RangeList *ranges)
{
    const SpEdges edges = { t->answer_follows, false };

    return (Sink){ t, t->target_sp, t->target, t->facts.target_unknown, ids, ranges, edges, NULL, false };
}

/* The number of ranges so far; 0 if they are not asked for. */
static size_t range_count(const RangeList *ranges)
{
    return ranges ? ranges->len : 0;
}

/* Makes the ranges from number `first` on refer to an earlier text. They refer to a text that consists of `added` new
 * bytes and a part of the earlier text, from byte `start` of that text on. */
static void move_ranges(RangeList *ranges, size_t first, size_t added, size_t start)
{
    for (size_t i = first; i < range_count(ranges); i++) {
        Range *range = &ranges->data[i];
        range->begin = start + (range->begin > added ? range->begin - added : 0);
        range->end = start + (range->end > added ? range->end - added : 0);
    }
}

/* Appends an id and its range. */
static void put_id(const Sink *sink, int32_t id, size_t begin, size_t end)
{
    LIST_PUT(sink->ids, id);
    if (sink->ranges) ranges_put(sink->ranges, (Range){ begin, end }, 1);
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

/* A piece that spells a special token is text that the user wrote, so it becomes the unknown token. */
static int32_t text_id(const Sink *sink, const char *piece, size_t len)
{
    const VocabEntry *entry = vocab_find(sink->vocab, piece, len);

    return entry && !entry->special ? entry->id : sink->unk;
}

/* Appends only the id of a SentencePiece piece, because sp_shim_encode() appends its range. */
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
    while (most < len && char_goes_on(text[most])) most--;
    return most;
}

/* Encodes a text without added tokens, in chunks if it is long. The space between two chunks is dropped if
 * SentencePiece adds one before the second chunk. */
static Status encode_plain(Sink *sink, const char *text, size_t len, Err *err)
{
    SpEdges edges = sink->edges;
    size_t at = 0, chunk;
    Status st = OK;

    /* Without a SentencePiece model, each word is a piece. */
    if (!sink->model) {
        const char *word;
        size_t word_len;

        while (word_list_next(text, len, &at, &word, &word_len))
            put_id(sink, text_id(sink, word, word_len), at - word_len, at);
        return OK;
    }
    for (; st == OK && at < len; edges.follows = false, at += chunk) {
        const size_t first = range_count(sink->ranges);
        chunk = chunk_length(text + at, len - at);
        edges.keeps_end = sink->edges.keeps_end && at + chunk == len;
        st = sp_shim_encode(sink->model, edges, text + at, chunk, put_text_piece, sink, sink->ranges, err);
        move_ranges(sink->ranges, first, 0, at);
        if (at + chunk < len && text[at + chunk] == ' ' && sink->model->traits.normalizer.add_dummy_prefix) chunk++;
    }
    return st;
}

/* Encodes an added token, or the text between two added tokens. */
static Status encode_part(void *context, const AddedPart *given, Err *err)
{
    Sink *sink = context, part = *sink;
    const size_t first = range_count(sink->ranges);
    Status st = OK;

    part.edges = (SpEdges){ sink->edges.follows || given->has_space, given->keeps_end };
    sink->edges.follows = given->token && sink->tokenizer->no_space_after_added;
    if (given->token) /* a token that the target lacks becomes the unknown token */
        put_id(&part, vocab_entry(sink->vocab, given->token->id) ? given->token->id : sink->unk, 0, given->len);
    else
        st = encode_plain(&part, given->text, given->len, err);
    if (st == OK && sink->ranges) ranges_trace(sink->ranges, first, given->map);
    return st;
}

static Status encode_text(Sink *sink, const char *text, size_t len, Err *err)
{
    const Added *added = sink->tokenizer->added;

    if (!added) return encode_plain(sink, text, len, err);
    return added_split(added, (LineText){ text, len }, sink->own, sink->ranges != NULL, encode_part, sink, err);
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

/* The id of the language that a code names: of the code's own token, or of another token for the same language (>>deu<<
 * for >>ger<<); -1: none. */
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

/* Appends the special tokens before the text, which begins at byte `at` of the text as given. The line's own language
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
static Status encode_with_prefix(const Tokenizer *tokenizer, const char *text, size_t len, size_t words, Encoding *out,
                                 Err *err)
{
    IdList alone = { 0 };
    Sink sink = source_sink(tokenizer, &out->ids, out->ranges), first = source_sink(tokenizer, &alone, NULL);
    const VocabEntry *word;
    size_t start = 0, ranges;
    Status st;

    while (words && text[words - 1] == ' ') words--;
    while (start < words && text[start] == ' ') start++;
    word = vocab_find(tokenizer->source, text + start, words - start);
    /* A prefix that is one special token (<2de> in additional_special_tokens) does not go through SentencePiece. */
    if (word && word->special) {
        put_id(&sink, word->id, start, words);
        sink.edges.follows = tokenizer->no_space_after_added ||
                             added_begins_with_space(tokenizer->space_before_added, text + words, len - words);
        out->body = out->ids.len;
        ranges = range_count(out->ranges);
        st = encode_text(&sink, text + words, len - words, err);
        move_ranges(out->ranges, ranges, 0, words);
        return st;
    }
    st = encode_text(&first, text, words, err);
    if (st == OK) st = LIST_CHECK(&alone, "a list of ids", err);
    if (st == OK) st = encode_text(&sink, text, len, err);
    if (st == OK && out->ids.len - out->body >= alone.len &&
        memcmp(out->ids.data + out->body, alone.data, alone.len * sizeof *alone.data) == 0)
        out->body += alone.len;
    ids_free(&alone);
    return st;
}

static Status encode_body(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    Sink sink = source_sink(tokenizer, &out->ids, out->ranges);
    const size_t own = own_prefix_length(tokenizer, text, len), first = range_count(out->ranges);

    if (own) return encode_with_prefix(tokenizer, text, len, own, out, err);
    /* Encode the text after the prefix of the language that the user chose. */
    if (tokenizer->prefix) {
        const size_t added = strlen(tokenizer->prefix);
        Buf both = { 0 };
        Status st;

        buf_put(&both, tokenizer->prefix, added);
        buf_put(&both, text, len);
        st = buf_check(&both, err);
        if (st == OK) st = encode_with_prefix(tokenizer, both.data, both.len, added, out, err);
        move_ranges(out->ranges, first, added, 0);
        buf_free(&both);
        return st;
    }
    if (tokenizer->needs_prefix)
        return template_language_error(
            tokenizer,
            "no language to translate into: give " SETTING(TO) ", or begin each line with its code, as "
                                                               "in <2code>",
            err);
    return encode_text(&sink, text, len, err);
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

static Status encode_cleaned(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    const size_t first = range_count(out->ranges);
    Buf clean = { 0 };
    RangeList map = { 0 };
    Status st = tokenizer->is_indic
                    ? indic_text_prepare(tokenizer->steps.moses, tokenizer->from->name, text, len, &clean,
                                         &out->replaced, out->ranges ? &map : NULL, err)
                    : opus_text_clean(&tokenizer->steps, text, len, &clean, out->ranges ? &map : NULL, err);

    if (st == OK) st = encode_body(tokenizer, clean.data, clean.len, out, err);
    if (st == OK && out->ranges) ranges_trace(out->ranges, first, &map);
    ranges_free(&map);
    buf_free(&clean);
    return st;
}

/* Where byte `at` of a text is in a part of it; at one of its ends if it is outside. */
static size_t place_in(Range part, size_t at)
{
    return at < part.begin ? 0 : (at < part.end ? at : part.end) - part.begin;
}

/* Encodes the prompt with the text inside. The tokens that have bytes of the text are its pieces; all others have empty
 * ranges. */
static Status encode_prompt(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    const PromptValues values = { { text, len }, tokenizer->from, tokenizer->to, out->terms, out->term_count };
    RangeList own = { 0 }, *ranges = out->ranges ? out->ranges : &own;
    FilledPrompt filled = { 0 };
    Sink sink = source_sink(tokenizer, &out->ids, ranges);
    size_t first, end;
    Status st = tokenizer_check_languages(tokenizer, err);

    if (st == OK) st = prompt_fill(&filled, tokenizer->prompt, &values, err);
    sink.own = &filled.own;
    if (st == OK) st = encode_text(&sink, filled.text.data, filled.text.len, err);
    if (st == OK) st = check_memory(&out->ids, ranges, err);
    first = end = st == OK ? out->ids.len : 0;
    for (size_t i = 0; st == OK && i < out->ids.len; i++) {
        Range *range = &ranges->data[i];
        const bool shares = range->begin < filled.source.end && range->end > filled.source.begin;
        if (shares && first > i) first = i;
        if (shares) end = i + 1;
        range->begin = place_in(filled.source, range->begin);
        range->end = place_in(filled.source, range->end);
    }
    out->body = first;
    out->pieces = first < end ? end - first : 0;
    prompt_filled_free(&filled);
    ranges_free(&own);
    return st;
}

static void clear(Encoding *out)
{
    ids_clear(&out->ids);
    buf_clear(&out->replaced);
    if (out->ranges) ranges_clear(out->ranges);
}

Status tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    size_t used, first;
    Status st;

    if (tokenizer->facts.pieces_are_complete && !tokenizer->source_sp)
        return tokenizer_encode_pieces(tokenizer, text, len, out, err);
    clear(out);
    if (tokenizer->prompt) return encode_prompt(tokenizer, text, len, out, err);
    st = begin_source(tokenizer, text, len, 0, &used, out, err);
    out->body = out->ids.len;
    first = range_count(out->ranges);
    if (st == OK)
        st = (tokenizer->steps.cleans || tokenizer->is_indic ? encode_cleaned : encode_body)(tokenizer, text + used,
                                                                                             len - used, out, err);
    move_ranges(out->ranges, first, 0, used);
    return st == OK ? end_source(tokenizer, &tokenizer->after, len, out, err) : st;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Looks up the pieces of text[at..len), which white space separates. */
static void put_pieces(Sink *sink, const char *text, size_t at, size_t len)
{
    for (size_t start;;) {
        int32_t id;
        while (at < len && is_space(text[at])) at++;
        if (at == len) return;
        start = at;
        while (at < len && !is_space(text[at])) at++;
        id = vocab_id(sink->vocab, text + start, at - start);
        put_id(sink, id >= 0 ? id : sink->unk, start, at);
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
    Sink sink = source_sink(tokenizer, &out->ids, out->ranges);
    const size_t prefix_len = tokenizer->prefix ? strlen(tokenizer->prefix) : 0;
    size_t start = 0, used;
    Status st;

    clear(out);
    if (tokenizer->facts.pieces_are_complete) {
        put_special(out, &tokenizer->pieces_before, 0);
        out->body = out->ids.len;
        put_pieces(&sink, text, 0, len);
        drop_end(&out->ids, out->ranges, out->body, tokenizer->eos);
        return end_source(tokenizer, &tokenizer->pieces_after, len, out, err);
    }
    while (start < len && is_space(text[start])) start++;
    st = begin_source(tokenizer, text + start, len - start, start, &used, out, err);
    start += used;
    out->body = out->ids.len;
    if (st == OK && prefix_len) { /* the prefix of the language that the user chose */
        const size_t first = range_count(out->ranges);
        st = encode_with_prefix(tokenizer, tokenizer->prefix, prefix_len, prefix_len, out, err);
        move_ranges(out->ranges, first, prefix_len, 0);
    }
    out->body = out->ids.len;
    if (st == OK) put_pieces(&sink, text, start, len);
    drop_end(&out->ids, out->ranges, out->body, tokenizer->eos);
    return st == OK ? end_source(tokenizer, &tokenizer->after, len, out, err) : st;
}

Status tokenizer_encode_part(const Encoding *whole, size_t first, size_t count, IdList *out, Err *err)
{
    const size_t after_body = whole->body + whole->pieces;
    Status st;

    if (first > whole->pieces || count > whole->pieces - first)
        return err_set(err, ERR_USAGE, "pieces %zu to %zu of %zu", first, first + count, whole->pieces);
    ids_clear(out);
    st = ids_append_all(out, whole->ids.data, whole->body, err);
    if (st == OK) st = ids_append_all(out, whole->ids.data + whole->body + first, count, err);
    return st == OK ? ids_append_all(out, whole->ids.data + after_body, whole->ids.len - after_body, err) : st;
}

/* Encodes a translation in the form in which IndicTrans2 writes it. In a part of one, numbers and addresses stay: the
 * names for them would be read as those of the parts of the source. */
static Status encode_indic(Sink *sink, const char *text, size_t len, Err *err)
{
    const size_t first = range_count(sink->ranges);
    Buf clean = { 0 }, replaced = { 0 };
    RangeList map = { 0 };
    Status st = indic_text_prepare(sink->tokenizer->steps.moses, sink->tokenizer->to->name, text, len, &clean,
                                   sink->is_part ? NULL : &replaced, sink->ranges ? &map : NULL, err);

    if (st == OK) st = encode_text(sink, clean.data, clean.len, err);
    if (st == OK && sink->ranges) ranges_trace(sink->ranges, first, &map);
    ranges_free(&map);
    buf_free(&replaced);
    buf_free(&clean);
    return st;
}

/* Appends the target ids of a text. An end token at the end of pieces is dropped. */
static Status append_target(const char *text, size_t len, bool pieces, Sink *sink, Err *err)
{
    const Tokenizer *tokenizer = sink->tokenizer;
    const size_t first = sink->ids->len;
    const char *eos = tokenizer->config.eos;
    Status st = OK;

    if (!pieces && !(tokenizer->facts.pieces_are_complete && !tokenizer->target_sp)) {
        st = (tokenizer->is_indic && tokenizer->to ? encode_indic : encode_text)(sink, text, len, err);
    } else {
        put_pieces(sink, text, 0, len);
        drop_end(sink->ids, sink->ranges, first, vocab_id(tokenizer->target, eos, strlen(eos)));
    }
    return st == OK ? check_memory(sink->ids, sink->ranges, err) : st;
}

Status tokenizer_encode_target(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces, IdList *out,
                               Err *err)
{
    Sink sink = target_sink(tokenizer, out, NULL);

    sink.is_part = true;
    ids_clear(out);
    return append_target(text, len, pieces, &sink, err);
}

Status tokenizer_encode_translation(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces,
                                    Encoding *out, Err *err)
{
    Sink sink = target_sink(tokenizer, &out->ids, out->ranges);
    Status st;

    clear(out);
    sink.is_part = out->is_part;
    put_special(out, &tokenizer->before_target, 0);
    out->body = out->ids.len;
    st = append_target(text, len, pieces, &sink, err);
    out->pieces = out->ids.len - out->body;
    return st;
}
