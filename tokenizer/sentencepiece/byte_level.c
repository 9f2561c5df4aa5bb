/* byte_level.c - see byte_level.h, and the functions for byte-level models in sp_model.h. */
#include "byte_level.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sp_model.h"
#include "utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* --- Bytes as characters. A printable byte of Latin-1 is the character with its number; the 68 others are U+0100 to
 * U+0143, in their order. --- */

static uint32_t character_of(unsigned char byte)
{
    if (byte <= 0x20) return 0x100u + byte;
    if (byte >= 0x7f && byte <= 0xa0) return 0x121u + byte - 0x7fu;
    return byte == 0xad ? 0x143 : byte;
}

/* -1: the character stands for no byte. */
static int byte_of(uint32_t code)
{
    if (code < 0x100) return character_of((unsigned char)code) == code ? (int)code : -1;
    if (code <= 0x120) return (int)code - 0x100;
    if (code <= 0x142) return (int)code - 0x121 + 0x7f;
    return code == 0x143 ? 0xad : -1;
}

void byte_level_put(Buf *out, const char *piece)
{
    const size_t start = out->len, len = strlen(piece);
    uint32_t code;

    for (size_t at = 0; at < len;) {
        int byte;
        at += utf8_next(piece + at, len - at, &code);
        byte = byte_of(code);
        if (byte < 0) {
            out->len = start;
            buf_put(out, piece, len);
            return;
        }
        buf_put_byte(out, (char)byte);
    }
}

Status byte_level_new(ByteLevel **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? OK : err_memory(err, "a tokenizer");
}

void byte_level_free(ByteLevel *level)
{
    if (!level) return;
    for (size_t i = 0; i < level->splits.len; i++) pcre2_code_free(level->splits.data[i].code);
    free(level->splits.data);
    free(level);
}

void byte_level_complete(ByteLevel *level, const SpPieces *pieces)
{
    for (unsigned byte = 0; level->drops_unknown && byte < 256; byte++) {
        char text[4];
        const size_t len = utf8_put(character_of((unsigned char)byte), text);
        level->lacks[byte] = sp_pieces_find_text(pieces, text, len) < 0;
    }
}

/* --- Expressions. tokenizers uses Oniguruma with Ruby's syntax. Only what it and PCRE2 understand in the same way is
 * accepted: this includes the expressions of GPT-2, GPT-4, Llama 3 and Qwen. Two differences remain:
 * - PCRE2 counts U+180E, a format character, as white space. U+200B, which takes its place, is like it in all else.
 * - The two may know different versions of Unicode. --- */

#define MONGOLIAN_SEPARATOR "\xe1\xa0\x8e" /* U+180E */
#define ZERO_WIDTH_SPACE    "\xe2\x80\x8b" /* U+200B */

/* The length of \p{L} or \p{Lu} at `c`; of another escape with the same meaning in both, or 0. */
static size_t escape_length(const char *c)
{
    const unsigned char kind = (unsigned char)c[1];

    if (kind == 'p' || kind == 'P') {
        const size_t open = c[2] == '{' ? 3 : 0,
                     letters = open && isalpha((unsigned char)c[3]) ? 1 + (isalpha((unsigned char)c[4]) != 0) : 0;
        return letters && c[open + letters] == '}' ? open + letters + 1 : 0;
    }
    return kind && (strchr("sSdDnrtf", kind) || (kind < 0x80 && ispunct(kind))) ? 2 : 0;
}

/* The length of {3} or {1,3} at `c`, if neither + nor ? follows; else 0. */
static size_t count_length(const char *c)
{
    size_t len = 1 + strspn(c + 1, "0123456789");

    if (len == 1) return 0;
    if (c[len] == ',') len += 1 + strspn(c + len + 1, "0123456789");
    return c[len] == '}' && !(c[len + 1] && strchr("+?", c[len + 1])) ? len + 1 : 0;
}

/* The length of the parenthesis at `c` with the letters and marks that tell its kind; 0: not supported. */
static size_t group_length(const char *c)
{
    static const char *const kinds[] = { "(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:" };

    if (c[1] != '?') return c[1] == '*' ? 0 : 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(c, kinds[i], strlen(kinds[i])) == 0) return strlen(kinds[i]);
    return 0;
}

/* Returns the first part of the expression that is not supported, or NULL. */
static const char *unsupported_part(const char *expression)
{
    bool in_class = false; /* inside [...] */
    size_t step;

    for (const char *c = expression; *c; c += step) {
        step = 1;
        if (*c == '\\') {
            step = escape_length(c);
        } else if (in_class) {
            if (*c == ']') in_class = false;
            if (*c == '[' || (*c == '&' && c[1] == '&')) step = 0;
        } else if (*c == '[') {
            in_class = true;
            step = c[1] == '^' ? 2 : 1;
            if (c[step] == ']') step = 0;
        } else if (*c == '(') {
            step = group_length(c);
        } else if (*c == '{') {
            step = count_length(c);
        } else if (strchr("^$.", *c)) {
            step = 0;
        }
        if (!step) return c;
    }
    return NULL;
}

Status byte_level_add_split(ByteLevel *level, const char *expression, bool is_text, ByteSplitKind kind, bool inverts,
                            Err *err)
{
    const char *part = is_text ? NULL : unsupported_part(expression);
    uint32_t matches_empty = 0;
    pcre2_code *code;
    int fault;
    size_t at;

    if (part)
        return err_set(err, ERR_UNSUPPORTED, "the expression \"%s\" is not supported, because of \"%s\"", expression,
                       part);
    code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
                         is_text ? PCRE2_UTF | PCRE2_LITERAL : PCRE2_UTF | PCRE2_UCP, &fault, &at, NULL);
    if (!code) {
        char reason[256];
        if (fault == PCRE2_ERROR_HEAP_FAILED) return err_memory(err, "an expression");
        (void)pcre2_get_error_message(fault, (PCRE2_UCHAR *)reason, sizeof reason);
        return err_set(err, ERR_FORMAT, "the expression \"%s\": %s (at byte %zu)", expression, reason, at);
    }
    (void)pcre2_pattern_info(code, PCRE2_INFO_MATCHEMPTY, &matches_empty);
    if (matches_empty) {
        pcre2_code_free(code);
        return err_set(err, ERR_UNSUPPORTED, "the expression \"%s\" is not supported, because it matches empty text",
                       expression);
    }
    LIST_PUT(&level->splits, ((ByteSplit){ code, kind, inverts }));
    if (level->splits.failed) pcre2_code_free(code);
    return LIST_CHECK(&level->splits, "an expression", err);
}

/* --- Words. An attempt to match at one byte may take FEW_STEPS; if it needs more, it is repeated with more and more,
 * which are taken from those that the whole text may use. --- */

#define FEW_STEPS     1000
#define STEP_FACTOR   8
#define MOST_STEPS    20000000
#define MOST_HEAP_KIB 65536

typedef struct {
    const char *text;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    size_t steps; /* left */
} Matcher;

/* Sets *end to the end of the match that begins at byte `at`, or to `at` if there is none. The expression sees nothing
 * outside of the word. */
static Status match_at(Matcher *m, const ByteSplit *split, Range word, size_t at, size_t *end, Err *err)
{
    size_t steps = FEW_STEPS;
    int count;

    for (;;) {
        (void)pcre2_set_match_limit(m->limits, (uint32_t)steps);
        count = pcre2_match(split->code, (PCRE2_SPTR)m->text + word.begin, word.end - word.begin, at - word.begin,
                            PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, m->match, m->limits);
        steps *= STEP_FACTOR;
        if (count != PCRE2_ERROR_MATCHLIMIT || steps > m->steps) break;
        m->steps -= steps;
    }
    *end = count >= 0 ? word.begin + pcre2_get_ovector_pointer(m->match)[1] : at;
    if (count >= 0 || count == PCRE2_ERROR_NOMATCH) return OK;
    return err_set(err, ERR_FORMAT, "an expression of the tokenizer needs too many steps for a text of %zu bytes",
                   word.end - word.begin);
}

/* Appends a part of a word to the parts from index `first` on, or joins it to the part before. *follows: whether that
 * part was a match. */
static void put_part(const ByteSplit *split, RangeList *parts, size_t first, Range part, bool is_match, bool *follows)
{
    const bool after_match = *follows;
    bool joins = false;

    *follows = is_match = is_match != split->inverts;
    if (part.begin == part.end || (is_match && split->kind == BYTE_SPLIT_REMOVED)) return;
    if (split->kind == BYTE_SPLIT_CONTIGUOUS) joins = is_match == after_match;
    if (split->kind == BYTE_SPLIT_WITH_PREVIOUS) joins = is_match && !after_match;
    if (split->kind == BYTE_SPLIT_WITH_NEXT) joins = !is_match && after_match;
    if (joins && parts->len > first)
        parts->data[parts->len - 1].end = part.end;
    else
        ranges_put(parts, part, 1);
}

static Status split_word(Matcher *m, const ByteSplit *split, Range word, RangeList *parts, Err *err)
{
    const size_t first = parts->len;
    size_t done = word.begin; /* the parts before it have been appended */
    bool follows = false;
    Status st = OK;

    for (size_t at = done, end; st == OK && at < word.end;) {
        uint32_t code;
        st = match_at(m, split, word, at, &end, err);
        if (st != OK || end == at) {
            at += utf8_next(m->text + at, word.end - at, &code);
            continue;
        }
        if (done < at) put_part(split, parts, first, (Range){ done, at }, false, &follows);
        put_part(split, parts, first, (Range){ at, end }, true, &follows);
        done = at = end;
    }
    if (done < word.end) put_part(split, parts, first, (Range){ done, word.end }, false, &follows);
    return st;
}

/* Sets *words to the words of the text. */
static Status find_words(const ByteLevel *level, const Buf *text, RangeList *words, Err *err)
{
    Matcher m = { .text = text->data, .steps = MOST_STEPS };
    Status st = OK;

    m.match = pcre2_match_data_create(1, NULL);
    m.limits = pcre2_match_context_create(NULL);
    if (!m.match || !m.limits) st = err_memory(err, "the words of a text");
    if (st == OK) (void)pcre2_set_heap_limit(m.limits, MOST_HEAP_KIB);
    ranges_put(words, (Range){ 0, text->len }, 1);
    for (size_t i = 0; st == OK && i < level->splits.len; i++) {
        RangeList parts = { 0 };
        for (size_t k = 0; st == OK && k < words->len; k++)
            st = split_word(&m, &level->splits.data[i], words->data[k], &parts, err);
        ranges_free(words);
        *words = parts;
    }
    pcre2_match_context_free(m.limits);
    pcre2_match_data_free(m.match);
    return st == OK ? ranges_check(words, err) : st;
}

/* --- Encoding. --- */

/* Passes on pieces, and leaves out spaces at the ends of their ranges, like process_offsets() of tokenizers. */
typedef struct {
    const char *text;
    RangeList *ranges;
    bool keeps_first;
    SpPieceFn each;
    void *context;
} Trimmer;

static void trim_piece(void *context, const char *piece, size_t len)
{
    static const char space[] = "\xc4\xa0"; /* U+0120 */
    const size_t size = strlen(space);
    const Trimmer *t = context;
    Range *range = t->ranges->len ? &t->ranges->data[t->ranges->len - 1] : NULL;
    size_t left = 0, right = 0;
    uint32_t code;

    while ((left + 1) * size <= len && memcmp(piece + left * size, space, size) == 0) left++;
    while ((right + 1) * size <= len && memcmp(piece + len - (right + 1) * size, space, size) == 0) right++;
    if (range && range->begin == 0 && t->keeps_first && left == 1) left = 0;
    for (; left && range && range->begin < range->end; left--)
        range->begin += utf8_next(t->text + range->begin, range->end - range->begin, &code);
    for (; right && range && range->begin < range->end; right--) range->end = utf8_previous(t->text, range->end, &code);
    t->each(t->context, piece, len);
}

/* The text that is encoded. */
typedef struct {
    Buf text;          /* in the forms of the normalizer */
    RangeList origins; /* of its bytes in the given text, if ranges are asked for */
    size_t added;      /* number of spaces before it: 0 or 1 */
} Source;

/* Writes a word in the characters of its bytes. All bytes of a character have its range, and an added space has the
 * range of the character after it. */
static void map_word(const ByteLevel *level, const Source *source, Range word, Buf *out, RangeList *map)
{
    for (size_t at = word.begin, size; at < word.end; at += size) {
        const size_t begin = at < source->added ? 0 : at - source->added;
        const char *bytes = source->text.data + begin;
        uint32_t code;
        Range range = { begin, begin + utf8_next(bytes, source->text.len - begin, &code) };
        size = at < source->added ? 1 : range.end - range.begin;
        if (at < source->added) bytes = " ";
        if (map) range = ranges_origin(&source->origins, range);
        for (size_t i = 0; i < size; i++) {
            char made[4];
            const size_t count = utf8_put(character_of((unsigned char)bytes[i]), made);
            if (level->lacks[(unsigned char)bytes[i]]) continue;
            buf_put(out, made, count);
            if (map) ranges_put(map, range, count);
        }
    }
}

/* Finds the words of the text. */
static Status divide(const SpTraits *traits, const char *text, size_t len, bool traced, Source *source,
                     RangeList *words, Err *err)
{
    Buf all = { 0 };
    Status st = normal_form_append(&traits->forms, text, len, &source->text, traced ? &source->origins : NULL, err);

    if (st != OK || !source->text.len) return st;
    source->added = traits->normalizer.add_dummy_prefix && *source->text.data != ' ';
    if (source->added) buf_put_byte(&all, ' ');
    buf_put_replaced(&all, source->text.data, source->text.len, MONGOLIAN_SEPARATOR, ZERO_WIDTH_SPACE);
    st = buf_check(&all, err);
    if (st == OK) st = find_words(traits->byte_level, &all, words, err);
    buf_free(&all);
    return st;
}

Status byte_level_encode(const SpTraits *traits, const char *text, size_t len, SpPieceFn each, void *context,
                         RangeList *ranges, Err *err)
{
    const ByteLevel *level = traits->byte_level;
    Trimmer trimmer = { text, ranges, level->keeps_first, each, context };
    Source source = { 0 };
    Buf word = { 0 };
    RangeList words = { 0 }, map = { 0 };
    SpSink sink = { .each = each,
                    .context = context,
                    .ranges = ranges,
                    .map = &map,
                    .style = SP_ORIGINS_TOKENIZERS,
                    .splits_unknown = !level->joins_unknown };
    Status st = divide(traits, text, len, ranges != NULL, &source, &words, err);

    if (ranges && level->trims_ranges) {
        sink.each = trim_piece;
        sink.context = &trimmer;
    }
    for (size_t i = 0; st == OK && i < words.len; i++) {
        buf_clear(&word);
        ranges_clear(&map);
        map_word(level, &source, words.data[i], &word, ranges ? &map : NULL);
        st = buf_check(&word, err);
        if (st == OK) st = ranges_check(&map, err);
        sink.text = word.data;
        if (st == OK) st = bpe_encode(traits->pieces, word.data, word.len, &sink, err);
    }
    if (st == OK && ranges) st = ranges_check(ranges, err);
    buf_free(&source.text);
    ranges_free(&source.origins);
    buf_free(&word);
    ranges_free(&words);
    ranges_free(&map);
    return st;
}

/* --- Decoding. --- */

Status byte_level_decode(const char *const *pieces, size_t count, Buf *out, Range *ranges, Err *err)
{
    Buf bytes = { 0 };
    size_t *ends = ranges ? calloc(count + 1, sizeof *ends) : NULL; /* where the bytes of each piece end */
    size_t piece = 0, start = out->len;
    Status st = ranges && !ends ? err_memory(err, "a translation") : OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        byte_level_put(&bytes, pieces[i]);
        if (ends) ends[i] = bytes.len;
    }
    if (st == OK) st = buf_check(&bytes, err);
    for (size_t at = 0, step; st == OK; at += step) {
        const size_t before = out->len;
        uint32_t code;
        step = at < bytes.len ? utf8_next(bytes.data + at, bytes.len - at, &code) : 1;
        /* A character belongs to the piece with its last byte. */
        for (; ends && piece < count && ends[piece] < at + step; piece++) {
            ranges[piece] = (Range){ start, before };
            start = before;
        }
        if (at >= bytes.len) break;
        if (code == UTF8_INVALID)
            buf_put_text(out, REPLACEMENT);
        else
            buf_put(out, bytes.data + at, step);
    }
    free(ends);
    buf_free(&bytes);
    return st == OK ? buf_check(out, err) : st;
}
