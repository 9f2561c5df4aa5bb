/* moses_punctuation.c - see moses_punctuation.h. */
#include "moses_punctuation.h"

#include <string.h>

#include "language.h"

/* The rules, in the order of the script. In `from`, # matches a digit, @ a letter and & one of .!:?;, (all ASCII);
 * the matched character is copied to the same sign in `to`. Other bytes match themselves. If `from` is NULL, runs of
 * spaces become one. NBSP is U+00A0. */
#define NBSP "\xc2\xa0"
typedef struct {
    const char *from, *to;
} Rule;

static const Rule rules[] = {
    { "\r", "" },
    { "(", " (" },
    { ")", ") " },
    { NULL, "" },
    { ") &", ")&" },
    { "( ", "(" },
    { " )", ")" },
    { "# %", "#%" },
    { " :", ":" },
    { " ;", ";" },
    { "`", "'" },
    { "''", " \" " },
    { "\u201e", "\"" },
    { "\u201c", "\"" },
    { "\u201d", "\"" },
    { "\u2013", "-" },
    { "\u2014", " - " },
    { NULL, "" },
    { "\u00b4", "'" },
    { "@\u2018@", "@'@" },
    { "@\u2019@", "@'@" },
    { "\u2018", "'" },
    { "\u201a", "'" },
    { "\u2019", "\"" },
    { "''", "\"" },
    { "\u2026", "..." },
    { NBSP "\u00ab" NBSP, " \"" },
    { "\u00ab" NBSP, "\"" },
    { "\u00ab", "\"" },
    { NBSP "\u00bb" NBSP, "\" " },
    { NBSP "\u00bb", "\"" },
    { "\u00bb", "\"" },
    { NBSP "%", "%" },
    { "n\u00ba" NBSP, "n\u00ba " },
    { NBSP ":", ":" },
    { NBSP "\u00baC", " \u00baC" },
    { NBSP "cm", " cm" },
    { NBSP "?", "?" },
    { NBSP "!", "!" },
    { NBSP ";", ";" },
    { "," NBSP, ", " },
    { NULL, "" },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool fits(char rule, char c)
{
    if (rule == '#') return is_digit(c);
    if (rule == '@') return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (rule == '&') return c && strchr(".!:?;,", c) != NULL;
    return rule == c;
}

/* The text between two rules. */
typedef struct {
    Buf text;
    bool traced;   /* the origins are asked for */
    RangeList map; /* of the bytes of `text`, if traced */
} Traced;

/* Appends `count` bytes of `in`. */
static Status copy(Traced *out, const Traced *in, size_t at, size_t count, Err *err)
{
    Status st = buf_append(&out->text, in->text.data + at, count, err);

    return st == OK && out->traced ? ranges_append_all(&out->map, in->map.data + at, count, err) : st;
}

/* Appends a byte in place of `used` bytes of `in`. */
static Status put(Traced *out, char byte, const Traced *in, size_t at, size_t used, Err *err)
{
    Status st = buf_append(&out->text, &byte, 1, err);

    if (st != OK || !out->traced) return st;
    return ranges_append(&out->map, ranges_origin(&in->map, (Range){ at, at + used }), 1, err);
}

/* Appends the replacement of the bytes that the rule matches. */
static Status append_made(const Rule *rule, const Traced *in, size_t at, Traced *out, Err *err)
{
    const size_t used = strlen(rule->from);
    const char *place = rule->from;
    Status st = OK;

    for (const char *to = rule->to; st == OK && *to; to++) {
        if (!strchr("#@&", *to)) {
            st = put(out, *to, in, at, used, err);
            continue;
        }
        while (!strchr("#@&", *place)) place++;
        st = copy(out, in, at + (size_t)(place++ - rule->from), 1, err);
    }
    return st;
}

static Status apply(const Rule *rule, const Traced *source, Traced *out, Err *err)
{
    const size_t size = strlen(rule->from);
    const Buf *in = &source->text;
    Status st = OK;

    for (size_t i = 0; st == OK && i < in->len;) {
        size_t same = 0;
        while (same < size && i + same < in->len && fits(rule->from[same], in->data[i + same])) same++;
        st = same == size ? append_made(rule, source, i, out, err) : copy(out, source, i, 1, err);
        i += same == size ? size : 1;
    }
    return st;
}

static Status squeeze(const Traced *in, Traced *out, Err *err)
{
    const char *text = in->text.data;
    Status st = OK;

    for (size_t i = 0; st == OK && i < in->text.len; i++)
        if (text[i] != ' ' || !i || text[i - 1] != ' ') st = copy(out, in, i, 1, err);
    return st;
}

static size_t run_length(const Buf *in, size_t at, const char *bytes)
{
    size_t n = 0;

    while (at + n < in->len && in->data[at + n] && strchr(bytes, in->data[at + n])) n++;
    return n;
}

/* Moves commas and full stops that follow a quote before it. */
static Status move_quotes_last(const Traced *line, Traced *out, Err *err)
{
    const Buf *in = &line->text;
    Status st = OK;

    for (size_t i = 0; st == OK && i < in->len; i++) {
        const size_t run = in->data[i] == '"' ? run_length(in, i + 1, ",.") : 0;
        st = copy(out, line, i + (run > 0), run ? run : 1, err);
        if (st == OK && run) st = copy(out, line, i, 1, err);
        i += run;
    }
    return st;
}

/* The length of the white space and the one character after a quote that the replacement includes. The character is
 * not '<'; the end of the line counts as one. */
static size_t tail_length(const Buf *in, size_t at)
{
    const size_t spaces = run_length(in, at, " \t\n\f\r\v");

    if (at + spaces == in->len) return spaces;
    return in->data[at + spaces] == '<' ? spaces : spaces + 1;
}

/* Moves full stops that precede a quote after it, unless '<' follows. */
static Status move_stops_after(const Traced *line, Traced *out, Err *err)
{
    const Buf *in = &line->text;
    Status st = OK;

    for (size_t i = 0; st == OK && i < in->len;) {
        const size_t run = run_length(in, i, "."), quote = i + run, tail = quote + 1;
        const bool moves =
            run && quote < in->len && in->data[quote] == '"' && !(tail < in->len && in->data[tail] == '<');
        size_t end = quote + (run == 0);
        if (moves) {
            end = tail + tail_length(in, tail);
            st = copy(out, line, quote, 1, err);
            if (st == OK) st = copy(out, line, i, run, err);
            i = tail;
        }
        if (st == OK && end > i) st = copy(out, line, i, end - i, err);
        i = end;
    }
    return st;
}

static Status separate_groups(const Traced *in, Traced *out, Err *err)
{
    static const Rule rule = { "#" NBSP "#", "#.#" };

    return apply(&rule, in, out, err);
}

static Status separate_groups_by_comma(const Traced *in, Traced *out, Err *err)
{
    static const Rule rule = { "#" NBSP "#", "#,#" };

    return apply(&rule, in, out, err);
}

static Status move_commas_after(const Traced *in, Traced *out, Err *err)
{
    static const Rule rule = { ",\"", "\"," };

    return apply(&rule, in, out, err);
}

/* Makes the line the *spare that the next rule reads, and empties *line, which it writes. */
static void swap(Traced *line, Traced *spare)
{
    const Traced before = *line;

    *line = *spare;
    *spare = before;
    buf_clear(&line->text);
    ranges_clear(&line->map);
}

typedef Status Step(const Traced *before, Traced *after, Err *err);

/* Applies the step to *line; `spare` is scratch space. */
static Status apply_step(Step *step, Traced *line, Traced *spare, Err *err)
{
    swap(line, spare);
    return step(spare, line, err);
}

static Status finish(MosesLanguage language, Traced *line, Traced *spare, Err *err)
{
    Status st = OK;

    if (language.quotes == MOSES_QUOTES_ENGLISH) st = apply_step(move_quotes_last, line, spare, err);
    if (language.quotes == MOSES_QUOTES_OTHER) st = apply_step(move_commas_after, line, spare, err);
    if (st == OK && language.quotes == MOSES_QUOTES_OTHER) st = apply_step(move_stops_after, line, spare, err);
    if (st != OK) return st;
    return apply_step(language.comma ? separate_groups_by_comma : separate_groups, line, spare, err);
}

static Status apply_rules(Traced *line, Traced *spare, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < sizeof rules / sizeof *rules; i++) {
        swap(line, spare);
        st = rules[i].from ? apply(&rules[i], spare, line, err) : squeeze(spare, line, err);
    }
    return st;
}

static void free_traced(Traced *traced)
{
    buf_free(&traced->text);
    ranges_free(&traced->map);
}

Status moses_punctuation_normalize(MosesLanguage language, const char *text, size_t len, Buf *out, RangeList *map,
                                   Err *err)
{
    Traced line = { .traced = map != NULL }, spare = line;
    Status st = buf_append(&line.text, text, len, err);

    if (st == OK && map) st = ranges_append_bytes(&line.map, 0, len, err);
    if (st == OK) st = apply_rules(&line, &spare, err);
    if (st == OK) st = finish(language, &line, &spare, err);
    if (st == OK) st = buf_append(out, line.text.data, line.text.len, err);
    if (st == OK && map) st = ranges_append_all(map, line.map.data, line.map.len, err);
    free_traced(&line);
    free_traced(&spare);
    return st;
}

MosesLanguage moses_punctuation_language(const char *name)
{
    static const char *const commas[] = { "de", "es", "cs", "fr" };
    MosesLanguage out = { MOSES_QUOTES_OTHER, false };

    if (!name || language_same(name, "en")) out.quotes = MOSES_QUOTES_ENGLISH;
    if (name && language_same(name, "cs")) out.quotes = MOSES_QUOTES_CZECH;
    for (size_t i = 0; name && i < sizeof commas / sizeof *commas; i++) out.comma |= language_same(name, commas[i]);
    return out;
}
