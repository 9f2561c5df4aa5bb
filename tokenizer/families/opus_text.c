/* opus_text.c - see opus_text.h. */
#include "opus_text.h"

#include <string.h>
#include <unicode/uchar.h>

#include "utf8.h"

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
    Status st = buf_append(c->out, &byte, 1, err);

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
        st = moses_punctuation_normalize(language, cleaned.data, cleaned.len, &normalized, map ? &second : NULL, err);
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

static Status read_line(OpusSteps *out, const char *path, const char *line, size_t len, Err *err)
{
    while (len && (*line == ' ' || *line == '\t')) line++, len--;
    if (len && *line == '#') return OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!holds(line, len, known[i].text)) continue;
        if (known[i].kind == STEP_UNSUPPORTED)
            return err_set(err, ERR_UNSUPPORTED, "%s: %s is not supported", path, known[i].step);
        out->cleans = true;
        out->normalizes |= known[i].kind == STEP_NORMALIZES;
    }
    return OK;
}

Status opus_text_read_script(OpusSteps *out, const FileView *file, Err *err)
{
    const char *text = (const char *)file->map.data, *end = text ? text + file->map.size : NULL;
    Status st = OK;

    out->cleans = out->normalizes = false;
    while (st == OK && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        st = read_line(out, file->path, text, (size_t)(stop - text), err);
        text = stop + (stop < end);
    }
    return st;
}
