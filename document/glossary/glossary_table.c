/* glossary_table.c - glossaries with a term on each line: see glossary_file.h. */
#include "glossary_formats.h"

#include <string.h>

#include "buf.h"
#include "utf8.h"

/* A line that is being read. */
typedef struct {
    GlossaryEntries *entries;
    Buf source, form; /* without their escapes */
    bool has_form;
} LineReader;

static TermString trim(TermString text)
{
    const size_t space = utf8_leading_space(text.data, text.length);

    text.data += space;
    text.length -= space;
    text.length -= utf8_trailing_space(text.data, text.length);
    return text;
}

/* Sets *out to the field without white space around it and without escapes. `escapes` are the characters that a
 * backslash may precede. */
static Status unescape(TermString field, const char *escapes, Buf *out, Err *err)
{
    Status st = OK;

    field = trim(field);
    buf_clear(out);
    for (size_t i = 0; st == OK && i < field.length; i++) {
        if (field.data[i] == '\\' && i + 1 < field.length && field.data[i + 1] && strchr(escapes, field.data[i + 1]))
            i++;
        st = buf_append(out, &field.data[i], 1, err);
    }
    return st;
}

static TermString string_of(const Buf *text)
{
    return (TermString){ text->data ? text->data : "", text->len };
}

/* Adds one of the translations, unless it is empty. */
static Status add_form(LineReader *r, TermString field, Err *err)
{
    Status st = unescape(field, "|\\", &r->form, err);

    if (st != OK || !r->form.len) return st;
    r->has_form = true;
    return glossary_entries_add(r->entries, string_of(&r->source), LANGUAGE_ANY, string_of(&r->form), err);
}

/* The number of bytes before the next bar that no backslash precedes, or before the end. */
static size_t form_length(TermString field)
{
    size_t i = 0;

    while (i < field.length && field.data[i] != '|') i += field.data[i] == '\\' && i + 1 < field.length ? 2 : 1;
    return i < field.length ? i : field.length;
}

static Status add_forms(LineReader *r, TermString field, Err *err)
{
    Status st = OK;

    r->has_form = false;
    while (st == OK && field.length) {
        const size_t length = form_length(field), used = length < field.length ? length + 1 : length;
        st = add_form(r, (TermString){ field.data, length }, err);
        field.data += used;
        field.length -= used;
    }
    if (st == OK && !r->has_form) st = err_set(err, ERR_FORMAT, "the translation is empty");
    return st;
}

static Status check_utf8(TermString line, Err *err)
{
    if (utf8_clean_length(line.data, line.length) == line.length) return OK;
    if (line.length >= 2 && (memcmp(line.data, "\xff\xfe", 2) == 0 || memcmp(line.data, "\xfe\xff", 2) == 0))
        return err_set(err, ERR_FORMAT, "not UTF-8 but UTF-16; convert the file with iconv -f UTF-16 -t UTF-8");
    return err_set(err, ERR_FORMAT, "not valid UTF-8");
}

/* On failure the message is only the reason. */
static Status read_line(LineReader *r, TermString line, Err *err)
{
    const char *tab = memchr(line.data, '\t', line.length), *end = line.data + line.length, *next;
    Status st = check_utf8(line, err);

    if (st != OK || !trim(line).length || *line.data == '#') return st;
    if (!tab) return err_set(err, ERR_FORMAT, "expected a term, a tab and its translation, but there is no tab");
    st = unescape((TermString){ line.data, (size_t)(tab - line.data) }, "|\\#", &r->source, err);
    if (st == OK && !r->source.len) st = err_set(err, ERR_FORMAT, "the term is empty");
    next = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
    if (!next) next = end;
    return st == OK ? add_forms(r, (TermString){ tab + 1, (size_t)(next - tab - 1) }, err) : st;
}

Status glossary_table_read(GlossaryEntries *out, const char *path, const char *bytes, size_t length, Err *err)
{
    LineReader r = { .entries = out };
    Status st = OK;
    Err reason;

    for (size_t at = 0, line = 1; st == OK && at < length; line++) {
        const char *begin = bytes + at, *end = memchr(begin, '\n', length - at);
        const size_t size = end ? (size_t)(end - begin) : length - at;
        st = read_line(&r, (TermString){ begin, size }, &reason);
        if (st != OK) st = err_set(err, st, "%s:%zu: %s", path, line, reason.text);
        at += size + 1;
    }
    buf_free(&r.source);
    buf_free(&r.form);
    return st;
}
