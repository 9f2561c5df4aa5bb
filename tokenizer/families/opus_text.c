/* opus_text.c - see opus_text.h. */
#include "opus_text.h"

#include <string.h>
#include <unicode/uchar.h>

#include "language.h"
#include "utf8.h"

/* --- Moses' punctuation. --- */

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
static Status copy(Traced *out, const Traced *in, size_t at, size_t count, Err *err)
{
    Status st;

    buf_put(&out->text, in->text.data + at, count);
    st = buf_check(&out->text, err);
    return st == OK && out->traced ? ranges_append_all(&out->map, in->map.data + at, count, err) : st;
}

/* Appends the replacement of the bytes that the rule matches. */
static Status append_made(const Rule *rule, const Traced *in, size_t at, Traced *out, Err *err)
{
    const size_t used = strlen(rule->from);
    const char *place = rule->from;
    Status st = OK;

    for (const char *to = rule->to; st == OK && *to; to++) {
        if (!strchr("#@&", *to)) {
            buf_put(&out->text, to, 1);
            st = buf_check(&out->text, err);
            if (st == OK && out->traced) /* The byte comes from all that the rule matches. */
                st = ranges_append(&out->map, ranges_origin(&in->map, (Range){ at, at + used }), 1, err);
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

/* The length of the white space and the one character after a quote that the replacement includes. The character is
 * not '<'; the end of the line counts as one. */
static size_t tail_length(const Buf *in, size_t at)
{
    const size_t spaces = run_length(in, at, " \t\n\f\r\v");

    if (at + spaces == in->len) return spaces;
    return in->data[at + spaces] == '<' ? spaces : spaces + 1;
}

/* Moves full stops that precede a quote after it, unless '<' follows. */
static Status move_stops_after(const Traced *from, Traced *to, Err *err)
{
    const Buf *in = &from->text;
    Status st = OK;

    for (size_t i = 0; st == OK && i < in->len;) {
        const size_t run = run_length(in, i, "."), quote = i + run, tail = quote + 1;
        const bool moves =
            run && quote < in->len && in->data[quote] == '"' && !(tail < in->len && in->data[tail] == '<');
        size_t end = quote + (run == 0);
        if (moves) {
            end = tail + tail_length(in, tail);
            st = copy(to, from, quote, 1, err);
            if (st == OK) st = copy(to, from, i, run, err);
            i = tail;
        }
        if (st == OK && end > i) st = copy(to, from, i, end - i, err);
        i = end;
    }
    return st;
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

/* Applies a rule to *line; `spare` is scratch space. */
static Status apply_rule(const Rule *rule, Traced *line, Traced *spare, Err *err)
{
    swap(line, spare);
    return rule->from ? apply(rule, spare, line, err) : squeeze(spare, line, err);
}

/* The rules that depend on the language. */
static Status apply_quotes(MosesLanguage language, Traced *line, Traced *spare, Err *err)
{
    static const Rule commas_after = { ",\"", "\"," };
    static const Rule groups = { "#" NBSP "#", "#.#" }, comma_groups = { "#" NBSP "#", "#,#" };
    Status st = OK;

    if (language.quotes == MOSES_QUOTES_ENGLISH) {
        swap(line, spare);
        /* Move commas and full stops that follow a quote before it. */
        const Buf *in = &spare->text;
        for (size_t i = 0; st == OK && i < in->len; i++) {
            const size_t run = in->data[i] == '"' ? run_length(in, i + 1, ",.") : 0;
            st = copy(line, spare, i + (run > 0), run ? run : 1, err);
            if (st == OK && run) st = copy(line, spare, i, 1, err);
            i += run;
        }
    } else if (language.quotes == MOSES_QUOTES_OTHER) {
        st = apply_rule(&commas_after, line, spare, err);
        if (st == OK) {
            swap(line, spare);
            st = move_stops_after(spare, line, err);
        }
    }
    return st == OK ? apply_rule(language.comma ? &comma_groups : &groups, line, spare, err) : st;
}

/* normalize-punctuation.perl of the Moses decoder: applies the rules to a text of one line, one by one and byte by
 * byte, and appends the result to *out. `map` starts empty and receives the origins of the bytes that are appended:
 * bytes that a rule made have the range of all that it replaced. NULL: not asked for. */
static Status normalize_punctuation(MosesLanguage language, const char *text, size_t len, Buf *out, RangeList *map,
                                    Err *err)
{
    Traced line = { .traced = map != NULL }, spare = line;
    Status st;

    buf_put(&line.text, text, len);
    st = buf_check(&line.text, err);
    if (st == OK && map) st = ranges_append_bytes(&line.map, 0, len, err);
    for (size_t i = 0; st == OK && i < sizeof rules / sizeof *rules; i++)
        st = apply_rule(&rules[i], &line, &spare, err);
    if (st == OK) st = apply_quotes(language, &line, &spare, err);
    if (st == OK) buf_put(out, line.text.data, line.text.len);
    if (st == OK) st = buf_check(out, err);
    if (st == OK && map) st = ranges_append_all(map, line.map.data, line.map.len, err);
    buf_free(&line.text);
    ranges_free(&line.map);
    buf_free(&spare.text);
    ranges_free(&spare.map);
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

#define MARKS (sizeof marks / sizeof *marks)

/* Returns MARKS if the character has no replacement. */
static size_t find_mark(uint32_t code)
{
    size_t i = 0;

    if (code < marks[0].code) return MARKS;
    while (i < MARKS && marks[i].code < code) i++;
    return i < MARKS && marks[i].code == code ? i : MARKS;
}

/* Perl's \p{C}. */
static bool is_other(uint32_t code)
{
    return (U_MASK(u_charType((UChar32)code)) & U_GC_C_MASK) != 0;
}

/* A text being cleaned; a space is written only when another character follows. */
typedef struct {
    Buf *out;
    RangeList *map; /* NULL: not asked for */
    size_t begin;
    bool space;
    Range run; /* what the space stands for */
} Cleaner;

static Status put(Cleaner *c, char byte, Range from, Err *err)
{
    Status st;

    buf_put_byte(c->out, byte);
    st = buf_check(c->out, err);
    return st == OK && c->map ? ranges_append(c->map, from, 1, err) : st;
}

/* Appends what the bytes `from` of the text became. */
static Status append(Cleaner *c, const char *text, size_t len, Range from, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < len; i++) {
        if (text[i] == ' ') {
            c->run = (Range){ c->space ? c->run.begin : from.begin, from.end };
            c->space = true;
            continue;
        }
        if (c->space && c->out->len > c->begin) st = put(c, ' ', c->run, err);
        c->space = false;
        if (st == OK) st = put(c, text[i], from, err);
    }
    return st;
}

static Status clean(const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    Cleaner c = { .out = out, .map = map, .begin = out->len };
    Status st = OK;

    for (size_t at = 0, size; st == OK && at < len; at += size) {
        uint32_t code;
        size_t mark;
        size = utf8_next(text + at, len - at, &code);
        mark = find_mark(code);
        if (mark < MARKS)
            st = append(&c, marks[mark].text, strlen(marks[mark].text), (Range){ at, at + size }, err);
        else
            st = append(&c, is_other(code) ? " " : text + at, is_other(code) ? 1 : size, (Range){ at, at + size }, err);
    }
    return st;
}

/* After Moses' rules, only the runs of spaces remain to be joined. */
static Status clean_and_normalize(MosesLanguage language, const char *text, size_t len, Buf *out, RangeList *map,
                                  Err *err)
{
    Buf cleaned = { 0 }, normalized = { 0 };
    RangeList first = { 0 }, second = { 0 };
    Status st = clean(text, len, &cleaned, map ? &first : NULL, err);

    if (st == OK)
        st = normalize_punctuation(language, cleaned.data, cleaned.len, &normalized, map ? &second : NULL, err);
    if (st == OK) st = clean(normalized.data, normalized.len, out, map, err);
    if (st == OK && map) {
        ranges_trace(map, 0, &second);
        ranges_trace(map, 0, &first);
    }
    ranges_free(&first);
    ranges_free(&second);
    buf_free(&cleaned);
    buf_free(&normalized);
    return st;
}

Status opus_text_clean(const OpusSteps *steps, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    return steps->normalizes ? clean_and_normalize(steps->language, text, len, out, map, err)
                             : clean(text, len, out, map, err);
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

static bool holds(const char *line, size_t len, const char *text)
{
    const size_t size = strlen(text);

    for (size_t i = 0; i + size <= len; i++)
        if (memcmp(line + i, text, size) == 0) return true;
    return false;
}

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
            if (!holds(line, (size_t)(stop - line), known[i].text)) continue;
            if (known[i].kind == STEP_UNSUPPORTED)
                return err_set(err, ERR_UNSUPPORTED, "%s: %s is not supported", file->path, known[i].step);
            out->cleans = true;
            out->normalizes |= known[i].kind == STEP_NORMALIZES;
        }
    }
    return OK;
}
