/* opus_text.c - see opus_text.h. */
#define _GNU_SOURCE /* memmem() */
#include "opus_text.h"

#include <string.h>
#include <unicode/uchar.h>

#include "chars.h"
#include "language.h"
#include "utf8.h"

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
    Buf line = { 0 }, normalized = { 0 };
    RangeList line_map = { 0 }, normalized_map = { 0 };
    Status st;

    if (!steps->moses) return clean(text, len, out, map, err);
    st = clean(text, len, &line, map ? &line_map : NULL, err);
    if (st == OK)
        st = moses_apply(steps->moses, MOSES_SCRIPT, line.data, line.len, &normalized, map ? &normalized_map : NULL,
                         err);
    /* After Moses' rules, clean() only has runs of spaces to join. */
    if (st == OK) st = clean(normalized.data, normalized.len, out, map, err);
    if (st == OK && map) ranges_trace(map, 0, &normalized_map);
    if (st == OK && map) ranges_trace(map, 0, &line_map);
    buf_free(&line);
    buf_free(&normalized);
    ranges_free(&line_map);
    ranges_free(&normalized_map);
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
        while (line < stop && char_is_blank(*line)) line++;
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

Status opus_text_set_language(OpusSteps *steps, const char *name, Err *err)
{
    static const char *const special[] = { "en", "de", "es", "cs", "fr" };
    const char *language = name ? "" : "en";

    for (size_t i = 0; name && i < sizeof special / sizeof *special; i++)
        if (language_same(name, special[i])) language = special[i];
    return steps->normalizes ? moses_new(&steps->moses, MOSES_SCRIPT, language, false, err) : OK;
}
