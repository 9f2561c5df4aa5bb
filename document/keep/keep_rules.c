/* keep_rules.c - see keep_rules.h. */
#include "keep_rules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "chars.h"
#include "keep_patterns.h"
#include "statement_blocks.h"
#include "utf8.h"

/* --- Regular expressions. Each attempt to match has a limit of steps and a limit of depth, so that an expression that
 * backtracks too much fails instead of taking forever. */

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* The limits of one attempt to match. A frame of the interpreter takes about 200 bytes. */
#define MOST_STEPS 10000000
#define MOST_DEPTH 100000

#define JIT_STACK_BYTES ((size_t)1 << 20)

typedef struct {
    const char *source;
    pcre2_code *code;
} KeepExpression;

typedef LIST_OF(KeepExpression) ExpressionList;

typedef struct {
    Buf file;
    LIST_OF(LineText) phrases; /* in the file, sorted */
} KeepWords;

struct KeepRules {
    ExpressionList expressions, patterns;
    LIST_OF(KeepWords) words; /* of each file */

    pthread_mutex_t lock;    /* guards the fields below while expressions are matched */
    pcre2_match_data *match; /* where the last match is; without its groups */
    pcre2_match_context *limits;
    pcre2_jit_stack *stack; /* NULL: no expression is compiled to machine code */
};

/* See keep_rules_add_expression(). Expressions are compiled to machine code if the system allows it. */
static Status add_expression(KeepRules *rules, ExpressionList *list, const char *expression, Err *err)
{
    int fault;
    size_t at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &fault, &at, NULL);
    Status st;

    if (!code && fault != PCRE2_ERROR_HEAP_FAILED) {
        char reason[256];
        (void)pcre2_get_error_message(fault, (PCRE2_UCHAR *)reason, sizeof reason);
        return err_set(err, ERR_USAGE, "'%s': %s (at character %zu)", expression, reason,
                       1 + chars_count(expression, at));
    }
    if (!code) return err_memory(err, "an expression");
    LIST_PUT(list, ((KeepExpression){ expression, code }));
    st = LIST_CHECK(list, "the rules", err);
    if (st != OK) pcre2_code_free(code);
    if (st != OK || pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0 || rules->stack) return st;
    rules->stack = pcre2_jit_stack_create(JIT_STACK_BYTES / 16, JIT_STACK_BYTES, NULL);
    pcre2_jit_stack_assign(rules->limits, NULL, rules->stack);
    return rules->stack ? OK : err_memory(err, "an expression");
}

/* Appends the matches in text[0..length), valid UTF-8, that are not empty. Returns ERR_FORMAT if a limit is reached. */
static Status add_matches(KeepRules *rules, const ExpressionList *list, const char *text, size_t length, RangeList *out,
                          Err *err)
{
    const size_t *found = pcre2_get_ovector_pointer(rules->match);
    Status st = OK;

    pthread_mutex_lock(&rules->lock);
    for (size_t i = 0; st == OK && i < list->len; i++) {
        const KeepExpression *e = &list->data[i];
        for (size_t at = 0; at < length; at = at < found[1] ? found[1] : length) {
            const int count = pcre2_match(e->code, (PCRE2_SPTR)text, length, at, PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY,
                                          rules->match, rules->limits);
            if (count == PCRE2_ERROR_NOMATCH) break;
            if (count < 0) {
                st = err_set(err, ERR_FORMAT, "the expression '%s' needs too many steps for this text; simplify it",
                             e->source);
                break;
            }
            if (found[0] < found[1]) LIST_PUT(out, ((Range){ found[0], found[1] }));
        }
    }
    pthread_mutex_unlock(&rules->lock);
    return st != OK ? st : LIST_CHECK(out, "the kept parts", err);
}

/* --- Words and phrases. From each place where a word may begin, binary searches narrow the range of phrases that
 * continue like the text, byte by byte, until none is left. */

Status keep_rules_add_words(KeepRules *rules, const char *name, Buf *file, Err *err)
{
    KeepWords *words;
    size_t at;
    Status st;

    LIST_PUT(&rules->words, (KeepWords){ 0 });
    st = LIST_CHECK(&rules->words, "the rules", err);
    if (st != OK) return st;
    words = &rules->words.data[rules->words.len - 1];
    words->file = *file;
    *file = (Buf){ 0 };
    at = chars_skip_mark(words->file.data, 0, words->file.len);
    for (size_t line = 1, end; at < words->file.len; line++, at = end + 1) {
        const char *text = words->file.data;
        Range phrase;
        end = chars_find(text, at, words->file.len, '\n');
        if (utf8_clean_length(text + at, end - at) < end - at)
            return err_set(err, ERR_FORMAT, "%s:%zu: not valid UTF-8", name, line);
        phrase = ranges_trimmed(text, (Range){ at, end });
        if (phrase.end - phrase.begin > KEEP_WORD_BYTES)
            return err_set(err, ERR_FORMAT, "%s:%zu: this phrase is longer than %zu bytes", name, line,
                           KEEP_WORD_BYTES);
        if (phrase.begin < phrase.end)
            LIST_PUT(&words->phrases, ((LineText){ text + phrase.begin, phrase.end - phrase.begin }));
    }
    st = LIST_CHECK(&words->phrases, "the words", err);
    if (words->phrases.len)
        qsort(words->phrases.data, words->phrases.len, sizeof *words->phrases.data, ranges_compare_texts);
    return st;
}

/* Whether the character belongs to words of a script that puts spaces between words. */
static bool is_in_word(uint32_t code)
{
    UErrorCode fault = U_ZERO_ERROR;

    if (code < 0x80) return u_isalnum((UChar32)code) || code == '_';
    if (!u_isalnum((UChar32)code) && !(U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK)) return false;
    return !uscript_breaksBetweenLetters(uscript_getScript((UChar32)code, &fault));
}

bool keep_words_divides_word(const char *text, size_t length, size_t at)
{
    return is_in_word(utf8_code_before(text, at)) && is_in_word(utf8_code_at(text, length, at));
}

/* The phrases [low, high) have the same first `at` bytes. Returns the first one whose next byte is `least` or more. */
static size_t first_from(const KeepWords *words, size_t low, size_t high, size_t at, int least)
{
    const LineText *phrases = words->phrases.data + low;
    size_t i;

    FIND_FIRST(i, high - low, (at < phrases[i].len ? (unsigned char)phrases[i].data[at] : -1) >= least); /* -1: ended */
    return low + i;
}

/* Appends the places of the phrases in the text. */
static void find_words(const KeepWords *words, const char *text, size_t length, RangeList *out)
{
    bool was_in_word = false;

    for (size_t at = 0, step; at < length; at += step) {
        size_t found = 0; /* length of the longest phrase at `at` that does not end inside a word; 0: none */
        size_t low = 0, high = words->phrases.len;
        uint32_t code;
        bool is_word;
        step = utf8_next(text + at, length - at, &code);
        is_word = is_in_word(code);
        for (size_t k = 0; !(was_in_word && is_word) && at + k < length && low < high; k++) {
            const int byte = (unsigned char)text[at + k];
            low = first_from(words, low, high, k, byte);
            high = first_from(words, low, high, k, byte + 1);
            if (low < high && words->phrases.data[low].len == k + 1 &&
                !keep_words_divides_word(text + at, length - at, k + 1))
                found = k + 1;
        }
        if (found) LIST_PUT(out, ((Range){ at, at + found }));
        was_in_word = found ? is_in_word(utf8_code_before(text, at + found)) : is_word;
        if (found) step = found;
    }
}

/* --- Rules. */

Status keep_rules_new(KeepRules **out, Err *err)
{
    KeepRules *rules = *out = calloc(1, sizeof **out);

    if (rules) pthread_mutex_init(&rules->lock, NULL);
    if (rules) rules->match = pcre2_match_data_create(1, NULL);
    if (rules && rules->match) rules->limits = pcre2_match_context_create(NULL);
    if (rules && rules->limits) {
        (void)pcre2_set_match_limit(rules->limits, MOST_STEPS);
        (void)pcre2_set_depth_limit(rules->limits, MOST_DEPTH);
        return OK;
    }
    keep_rules_free(rules);
    *out = NULL;
    return err_memory(err, "the rules");
}

static void free_expressions(ExpressionList *list)
{
    for (size_t i = 0; i < list->len; i++) pcre2_code_free(list->data[i].code);
    free(list->data);
}

void keep_rules_free(KeepRules *rules)
{
    if (!rules) return;
    free_expressions(&rules->expressions);
    free_expressions(&rules->patterns);
    pcre2_jit_stack_free(rules->stack);
    pcre2_match_context_free(rules->limits);
    pcre2_match_data_free(rules->match);
    for (size_t i = 0; i < rules->words.len; i++) {
        buf_free(&rules->words.data[i].file);
        free(rules->words.data[i].phrases.data);
    }
    free(rules->words.data);
    pthread_mutex_destroy(&rules->lock);
    free(rules);
}

Status keep_rules_add_expression(KeepRules *rules, const char *expression, Err *err)
{
    return add_expression(rules, &rules->expressions, expression, err);
}

Status keep_rules_add_patterns(KeepRules *rules, Err *err)
{
    Status st = OK;

    for (const KeepPattern *pattern = keep_patterns; st == OK && pattern->expression; pattern++)
        st = add_expression(rules, &rules->patterns, pattern->expression, err);
    return st;
}

/* Appends the parts that the user has chosen. */
static Status add_chosen(KeepRules *rules, const char *text, size_t length, RangeList *out, Err *err)
{
    for (size_t i = 0; i < rules->words.len; i++) find_words(&rules->words.data[i], text, length, out);
    return add_matches(rules, &rules->expressions, text, length, out, err);
}

/* Removes white space at the ends of the ranges if a word or an end of the text is beside it. Then removes the empty
 * ranges. */
static void trim(RangeList *list, const char *text, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->len; i++) {
        Range range = list->data[i];
        if (!range.begin || u_isalnum((UChar32)utf8_code_before(text, range.begin)))
            range.begin += utf8_leading_space(text + range.begin, range.end - range.begin);
        if (range.end == length || u_isalnum((UChar32)utf8_code_at(text, length, range.end)))
            range.end -= utf8_trailing_space(text + range.begin, range.end - range.begin);
        if (range.begin < range.end) list->data[kept++] = range;
    }
    list->len = kept;
}

Status keep_rules_find(KeepRules *rules, const char *text, size_t length, RangeList *out, Err *err)
{
    Status st;

    ranges_clear(out);
    st = add_chosen(rules, text, length, out, err);
    trim(out, text, length);
    ranges_merge(out, true);
    return st;
}

/* Appends the parts that the format marks. Marked runs that follow each other are one part, unless the bytes of markup
 * are between them. A span whose runs are all marked is one part, with the markup in it. */
static void add_marked(const UnitText *text, RangeList *out)
{
    const size_t first = out->len;
    size_t begin = 0;

    for (size_t i = 0; i < text->run_count; i++) {
        const Run *run = &text->runs[i];
        Range *last = out->len > first ? &out->data[out->len - 1] : NULL;
        if (!run->is_kept || run->text.begin == run->text.end) continue;
        if (last && last->end == run->text.begin && run[-1].bytes.end == run->bytes.begin)
            last->end = run->text.end;
        else
            LIST_PUT(out, run->text);
    }
    for (size_t i = 0; i < text->markup_count; i++) {
        const Range range = text->markup[i].text;
        bool is_marked = range.begin < range.end; /* all of its runs */
        while (begin < text->run_count && text->runs[begin].text.end <= range.begin) begin++;
        for (size_t run = begin; is_marked && run < text->run_count && text->runs[run].text.begin < range.end; run++)
            is_marked = text->runs[run].is_kept || text->runs[run].text.end <= range.begin;
        if (is_marked) LIST_PUT(out, range);
    }
}

/* The ranges are in order. Widens those that contain only a part of a spelling of several characters to all of it. */
static void widen(RangeList *list, const UnitText *text)
{
    size_t run = 0;

    for (size_t i = 0; i < list->len; i++) {
        Range *range = &list->data[i];
        while (run < text->run_count && text->runs[run].text.end <= range->begin) run++;
        for (size_t at = run; at < text->run_count && text->runs[at].text.begin < range->end; at++) {
            const Run *spelling = &text->runs[at];
            if (spelling->kind != RUN_SPELLED && spelling->kind != RUN_ELEMENT) continue;
            if (spelling->text.begin < range->begin) range->begin = spelling->text.begin;
            if (spelling->text.end > range->end) range->end = spelling->text.end;
        }
    }
}

Status keep_rules_find_in_unit(KeepRules *rules, const UnitText *text, RangeList *out, Err *err)
{
    Status st;

    ranges_clear(out);
    st = add_chosen(rules, text->text, text->length, out, err);
    if (st == OK) st = add_matches(rules, &rules->patterns, text->text, text->length, out, err);
    if (st == OK && rules->patterns.len) st = statement_blocks_find(text->text, text->length, out, err);
    if (st == OK) add_marked(text, out);
    if (st == OK) st = LIST_CHECK(out, "the kept parts", err);
    trim(out, text->text, text->length);
    ranges_merge(out, true);
    widen(out, text);
    ranges_merge(out, true);
    return st;
}

/* --- Documents. */

Status kept_items_find(KeptItems *items, KeepRules *rules, const Document *document, const char *name, Err *err)
{
    const size_t count = document_unit_count(document);
    RangeList found = { 0 };
    Err reason;
    Status st;

    items->ends = malloc((count + 1) * sizeof *items->ends);
    st = items->ends ? OK : err_memory(err, "a document");
    for (size_t i = 0; st == OK && i < count; i++) {
        const UnitText text = document_source(document, i);
        if (document_is_wanted(document, i)) {
            st = keep_rules_find_in_unit(rules, &text, &found, &reason);
            if (st == OK) st = ranges_append_all(&items->ranges, found.data, found.len, &reason);
        }
        if (st != OK) {
            const DocumentPlace place = document_place(document, i);
            (void)err_set(err, st, DOCUMENT_PLACE ": %s", name, place.slash, place.part, place.mark, place.number,
                          reason.text);
        }
        items->ends[i] = items->ranges.len;
    }
    ranges_free(&found);
    return st;
}

void kept_items_free(KeptItems *items)
{
    ranges_free(&items->ranges);
    free(items->ends);
    items->ends = NULL;
}

const Range *kept_items_of(const KeptItems *items, size_t unit, size_t *count)
{
    const size_t begin = unit && items->ends ? items->ends[unit - 1] : 0;

    *count = items->ends ? items->ends[unit] - begin : 0;
    return *count ? items->ranges.data + begin : NULL;
}
