/* glossary_file.c - see glossary_file.h. */
#include "glossary_file.h"

#include <stdbool.h>
#include <string.h>

#include "buf.h"
#include "text_file.h"
#include "utf8.h"

static bool begins_with(const char *bytes, size_t length, const char *begin)
{
    const size_t size = strlen(begin);

    return length >= size && memcmp(bytes, begin, size) == 0;
}

/* Whether the file is XML. A term may begin with <, too, so the rest of the tag counts. UTF-16 has a byte order mark:
 * of a table, too, so the next character counts. */
static bool is_xml(const char *bytes, size_t length)
{
    static const char *const begins[] = { "<?xml", "<!DOCTYPE", "<!--", "<martif", "<tbx" };
    const size_t space = utf8_leading_space(bytes, length);

    if (begins_with(bytes, length, "\xff\xfe<") || (length >= 4 && memcmp(bytes, "\xfe\xff\0<", 4) == 0)) return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (begins_with(bytes + space, length - space, begins[i])) return true;
    return false;
}

Status glossary_file_parse(GlossaryEntries *out, const char *path, const char *bytes, size_t length,
                           GlossaryLanguages languages, Err *err)
{
    Status st = glossary_entries_begin_file(out, err);

    if (st != OK) return st;
    if (begins_with(bytes, length, "\xef\xbb\xbf")) {
        bytes += 3;
        length -= 3;
    }
    return is_xml(bytes, length) ? glossary_tbx_read(out, path, bytes, length, languages, err)
                                 : glossary_table_read(out, path, bytes, length, err);
}

/* Appends the lines of a file. Without a newline at the end, UTF-16 stays as it is. */
static Status read_lines(TextFile *file, const char *path, Buf *out, Err *err)
{
    const Buf *line = NULL;
    Status st = text_file_next(file, &line, err);

    while (st == OK && line) {
        if (out->len + line->len >= GLOSSARY_BYTES)
            return err_set(err, ERR_FORMAT, "%s: more than %zu MB; divide the glossary into several files", path,
                           GLOSSARY_BYTES >> 20);
        st = buf_append(out, line->data, line->len, err);
        if (st == OK) st = text_file_next(file, &line, err);
        if (st == OK && line) st = buf_append(out, "\n", 1, err);
    }
    return st;
}

Status glossary_file_read(GlossaryEntries *out, const char *path, GlossaryLanguages languages, Err *err)
{
    Buf content = { 0 };
    TextFile *file = NULL;
    Status st = text_file_open(&file, path, err);

    if (st == OK) st = read_lines(file, path, &content, err);
    text_file_close(file);
    if (st == OK) st = glossary_file_parse(out, path, content.data ? content.data : "", content.len, languages, err);
    buf_free(&content);
    return st;
}
