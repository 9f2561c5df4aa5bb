/* opus_text.c - see opus_text.h. */
#define _GNU_SOURCE /* memmem() */
#include "opus_text.h"

#include <string.h>
#include <unicode/uchar.h>

#include "language.h"
#include "utf8.h"

/* --- Moses' punctuation. --- */

/* The rules, in the order of the script. In `from`, # matches a digit, @ a letter and & one of .!:?;, (all ASCII);
 * the matched character replaces the same sign in `to`. Other bytes match themselves. If `from` is NULL, runs of
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

static bool fits(char rule, char c)
{
    if (rule == '#') return c >= '0' && c <= '9';
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
static void copy(Traced *out, const Traced *in, size_t at, size_t count)
{
    buf_put(&out->text, in->text.data + at, count);
    if (out->traced) ranges_put_all(&out->map, in->map.data + at, count);
}

/* Swaps *line and *spare and empties *line: the next rule reads *spare and writes *line. Returns ERR_MEMORY if the
 * previous rule has run out of memory. */
static Status swap(Traced *line, Traced *spare, Err *err)
{
    const Traced before = *line;
    Status st;

    *line = *spare;
    *spare = before;
    buf_clear(&line->text);
    ranges_clear(&line->map);
    st = buf_check(&spare->text, err);
    return st == OK ? ranges_check(&spare->map, err) : st;
}

/* Applies a rule to *line; `spare` is scratch space. */
static Status apply_rule(const Rule *rule, Traced *line, Traced *spare, Err *err)
{
    const Status st = swap(line, spare, err);
    const Buf *in = &spare->text;

    for (size_t i = 0; st == OK && !rule->from && i < in->len; i++)
        if (in->data[i] != ' ' || !i || in->data[i - 1] != ' ') copy(line, spare, i, 1);
    for (size_t i = 0; st == OK && rule->from && i < in->len;) {
        const char *from = rule->from, *place = from;
        size_t same = 0;
        while (from[same] && i + same < in->len && fits(from[same], in->data[i + same])) same++;
        if (from[same]) {
            copy(line, spare, i++, 1);
            continue;
        }
        for (const char *to = rule->to; *to; to++) {
            if (strchr("#@&", *to)) {
                while (!strchr("#@&", *place)) place++;
                copy(line, spare, i + (size_t)(place++ - from), 1);
            } else { /* a new byte has the range of all that the rule matches */
                buf_put_byte(&line->text, *to);
                if (line->traced) ranges_put(&line->map, ranges_origin(&spare->map, (Range){ i, i + same }), 1);
            }
        }
        i += same;
    }
    return st;
}

static size_t run_length(const Buf *in, size_t at, const char *bytes)
{
    size_t n = 0;

    while (at + n < in->len && in->data[at + n] && strchr(bytes, in->data[at + n])) n++;
    return n;
}

/* Moves full stops that precede a quote after it, unless '<' follows. */
static void move_stops_after(const Traced *from, Traced *to)
{
    const Buf *in = &from->text;

    for (size_t i = 0; i < in->len;) {
        const size_t run = run_length(in, i, "."), quote = i + run, tail = quote + 1;
        const bool moves =
            run && quote < in->len && in->data[quote] == '"' && !(tail < in->len && in->data[tail] == '<');
        size_t end = quote + (run == 0);
        if (moves) {
            /* The script's pattern also matches the white space after the quote and one more character other than '<',
             * or the end of the line. The search continues after the match. */
            end = tail + run_length(in, tail, " \t\n\f\r\v");
            if (end < in->len && in->data[end] != '<') end++;
            copy(to, from, quote, 1);
            copy(to, from, i, run);
            i = tail;
        }
        if (end > i) copy(to, from, i, end - i);
        i = end;
    }
}

/* The rules that depend on the language. */
static Status apply_quotes(MosesLanguage language, Traced *line, Traced *spare, Err *err)
{
    static const Rule commas_after = { ",\"", "\"," };
    static const Rule groups = { "#" NBSP "#", "#.#" }, comma_groups = { "#" NBSP "#", "#,#" };
    Status st = OK;

    if (language.quotes == MOSES_QUOTES_ENGLISH) {
        /* Move commas and full stops that follow a quote before it. */
        const Buf *in = &spare->text;
        st = swap(line, spare, err);
        for (size_t i = 0; st == OK && i < in->len; i++) {
            const size_t run = in->data[i] == '"' ? run_length(in, i + 1, ",.") : 0;
            copy(line, spare, i + (run > 0), run ? run : 1);
            if (run) copy(line, spare, i, 1);
            i += run;
        }
    } else if (language.quotes == MOSES_QUOTES_OTHER) {
        st = apply_rule(&commas_after, line, spare, err);
        if (st == OK) st = swap(line, spare, err);
        if (st == OK) move_stops_after(spare, line);
    }
    return st == OK ? apply_rule(language.comma ? &comma_groups : &groups, line, spare, err) : st;
}

/* normalize-punctuation.perl of the Moses decoder: applies the rules to *line, one by one and byte by byte. Bytes that
 * a rule made have the range of all that it replaced. The result is in *spare. */
static Status normalize_punctuation(MosesLanguage language, Traced *line, Traced *spare, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < sizeof rules / sizeof *rules; i++) st = apply_rule(&rules[i], line, spare, err);
    if (st == OK) st = apply_quotes(language, line, spare, err);
    return st == OK ? swap(line, spare, err) : st;
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

/* --- Cleaning. --- */

/* The replacements of the scripts in the releases, plus a quote for the full-width quotation mark. Ascending. */
static const struct {
    uint32_t code;
    const char *text;
} marks[] = {
    { 0x2019, "'" },  { 0x201c, "\"" }, { 0x201d, "\"" }, { 0x2026, "..." }, { 0x2236, ":" },  { 0x2501, "-" },
    { 0x3001, "," },  { 0x3002, ". " }, { 0x3008, "<" },  { 0x3009, ">" },   { 0x300a, "\"" }, { 0x300b, "\"" },
    { 0x300c, "\"" }, { 0x300d, "\"" }, { 0x3010, "[" },  { 0x3011, "]" },   { 0xff01, "!" },  { 0xff05, "%" },
    { 0xff08, "(" },  { 0xff09, ")" },  { 0xff0c, "," },  { 0xff0e, ". " },  { 0xff10, "0" },  { 0xff11, "\"" },
    { 0xff12, "2" },  { 0xff13, "3" },  { 0xff14, "4" },  { 0xff15, "5" },   { 0xff16, "6" },  { 0xff17, "7" },
    { 0xff18, "8" },  { 0xff19, "9" },  { 0xff1a, ":" },  { 0xff1b, ";" },   { 0xff1f, "?" },  { 0xff5e, "~" },
};

/* A text being cleaned; a space is written only when another character follows. */
typedef struct {
    Buf *out;
    RangeList *map; /* NULL: not asked for */
    size_t begin;
    bool space;
    Range run; /* the characters that the pending space replaces */
} Cleaner;

static void put_byte(Cleaner *c, char byte, Range from)
{
    buf_put_byte(c->out, byte);
    if (c->map) ranges_put(c->map, from, 1);
}

/* Appends a text that replaces the bytes `from`. */
static void put(Cleaner *c, const char *text, size_t len, Range from)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == ' ') {
            c->run = (Range){ c->space ? c->run.begin : from.begin, from.end };
            c->space = true;
            continue;
        }
        if (c->space && c->out->len > c->begin) put_byte(c, ' ', c->run);
        c->space = false;
        put_byte(c, text[i], from);
    }
}

static Status clean(const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    const size_t count = sizeof marks / sizeof *marks;
    Cleaner c = { .out = out, .map = map, .begin = out->len };
    Status st;

    for (size_t at = 0, size; at < len; at += size) {
        uint32_t code;
        size_t mark = 0;
        size = utf8_next(text + at, len - at, &code);
        while (code >= marks[0].code && mark < count && marks[mark].code < code) mark++;
        if (mark < count && marks[mark].code == code)
            put(&c, marks[mark].text, strlen(marks[mark].text), (Range){ at, at + size });
        else if (U_MASK(u_charType((UChar32)code)) & U_GC_C_MASK) /* Perl's \p{C} */
            put(&c, " ", 1, (Range){ at, at + size });
        else
            put(&c, text + at, size, (Range){ at, at + size });
    }
    st = buf_check(out, err);
    return st == OK && map ? ranges_check(map, err) : st;
}

Status opus_text_clean(const OpusSteps *steps, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    Traced line = { .traced = map != NULL }, spare = line;
    Status st;

    if (!steps->normalizes) return clean(text, len, out, map, err);
    st = clean(text, len, &line.text, map ? &line.map : NULL, err);
    if (st == OK) st = normalize_punctuation(steps->language, &line, &spare, err);
    /* After Moses' rules, clean() only has runs of spaces to join. */
    if (st == OK) st = clean(spare.text.data, spare.text.len, out, map, err);
    if (st == OK && map) ranges_trace(map, 0, &spare.map);
    buf_free(&line.text);
    ranges_free(&line.map);
    buf_free(&spare.text);
    ranges_free(&spare.map);
    return st;
}

/* Text that occurs in a line of a script, and the step that it stands for. */
typedef enum { STEP_CLEANS, STEP_NORMALIZES, STEP_UNSUPPORTED } ScriptStep;
static const struct {
    const char *text, *step;
    ScriptStep kind;
} known[] = {
    { "s/\xef\xbc\x8c/,/g", "", STEP_CLEANS },
    { "replace-unicode-punctuation.perl", "", STEP_CLEANS },
    { "\\p{C}", "", STEP_CLEANS },
    { "remove-non-printing-char.perl", "", STEP_CLEANS },
    { "normalize-punctuation.perl", "", STEP_NORMALIZES },
    { "apply_bpe", "BPE by subword-nmt", STEP_UNSUPPORTED },
    { "tokenizer.perl", "Moses' tokenizer", STEP_UNSUPPORTED },
};

Status opus_text_read_script(OpusSteps *out, const FileView *file, Err *err)
{
    const char *line = (const char *)file->map.data, *end = line ? line + file->map.size : NULL;

    out->cleans = out->normalizes = false;
    for (const char *stop; line < end; line = stop + (stop < end)) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        while (line < stop && (*line == ' ' || *line == '\t')) line++;
        if (line < stop && *line == '#') continue;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (!memmem(line, (size_t)(stop - line), known[i].text, strlen(known[i].text))) continue;
            if (known[i].kind == STEP_UNSUPPORTED)
                return err_set(err, ERR_UNSUPPORTED, "%s: %s is not supported", file->path, known[i].step);
            out->cleans = true;
            out->normalizes |= known[i].kind == STEP_NORMALIZES;
        }
    }
    return OK;
}
