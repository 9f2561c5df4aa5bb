/* fuzz_line_columns.c - fuzzes the columns of lines: --tsv-in, --force-decode and --must.
 * Input    Lines: the names of the columns, or ! for --force-decode, or nothing; a text for --must, or nothing; and
 *          lines of input.
 * Checks   Wrong names are wrong usage. Parts of a line are inside of it and have no tab, and the bytes of the source
 *          and the others are those of the line. There are as many columns as names.
 * Options  -max_len=1000 */
#include "fuzz_support.h"

#include "buf.h"
#include "line_columns.h"
#include "utf8.h"

static void check_inside(RouterPart part, const char *line, size_t length)
{
    require(part.text >= line && part.text + part.length <= line + length, "a part", "of the line");
    require(!part.length || !memchr(part.text, '\t', part.length), "a cell", "without tabs");
}

static void check_must(RouterPart must)
{
    require(must.length && !utf8_leading_space(must.text, must.length) && !utf8_trailing_space(must.text, must.length),
            "a text", "without white space around it");
}

static size_t count_tabs(const char *line, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) count += line[i] == '\t';
    return count;
}

static void check_parts(const LineColumns *columns, const LineParts *parts, const char *line, size_t length)
{
    const bool blank = utf8_leading_space(line, length) == length;
    size_t from_line = 0;

    if (columns->count) check_inside(parts->source, line, length);
    require(parts->source.length + parts->other_bytes == length, "all bytes", "of the line");
    require(!columns->count || blank || count_tabs(line, length) + 1 == columns->count, "as many columns", "as names");
    if (parts->prefix.text) check_inside(parts->prefix, line, length);
    require(blank || !line_columns_has(columns, COLUMN_PREFIX) || parts->prefix.text, "a prefix", "of its column");
    for (size_t i = 0; i < parts->must_count; i++) {
        check_must(parts->musts[i]);
        from_line += parts->musts[i].text >= line && parts->musts[i].text < line + length;
    }
    require(parts->must_count <= from_line + columns->every.count, "texts", "of the line or the option");
}

static void check_line(const LineColumns *columns, const char *bytes, size_t size)
{
    Buf clean = { 0 };
    size_t replaced;
    LineParts parts;
    char *line;
    Err err = { "" };

    require_ok(buf_append_clean(&clean, bytes, size, &replaced, &err), &err);
    line = fuzz_copy(clean.data, clean.len);
    if (line_columns_split(columns, line, clean.len, &parts, &err) == OK)
        check_parts(columns, &parts, line, clean.len);
    else
        require(strncmp(err.text, "the line has ", 13) == 0 && count_tabs(line, clean.len) + 1 != columns->count,
                "the number of columns", err.text);
    free(line);
    buf_free(&clean);
}

/* Takes a line from the input; the caller frees it. */
static char *take_line(const char **at, const char *end)
{
    const char *newline = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    char *line = strndup(*at, (size_t)((newline ? newline : end) - *at));

    require(line != NULL, "memory", "a line");
    *at = newline ? newline + 1 : end;
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    char *names = take_line(&at, end), *must = take_line(&at, end);
    DragomanOptions *options = dragoman_options_new();
    const JobSettings settings = { .options = options, .force_decode = *names == '!' };
    LineColumns columns;
    Err err = { "" };

    require(options != NULL, "memory", "options");
    if (*names) require(dragoman_set_text(options, DRAGOMAN_COLUMNS, names, NULL) == DRAGOMAN_OK, "a setting", names);
    if (*must) require(dragoman_add_text(options, DRAGOMAN_MUST, must, NULL) == DRAGOMAN_OK, "a setting", must);
    if (line_columns_read(&columns, &settings, &err) != OK)
        require(strncmp(err.text, "--tsv-in", 8) == 0, "the option", err.text);
    while (!*err.text && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        check_line(&columns, at, (size_t)((newline ? newline : end) - at));
        at = newline ? newline + 1 : end;
    }
    dragoman_options_free(options);
    free(names);
    free(must);
    return 0;
}
