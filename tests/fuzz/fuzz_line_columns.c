/* fuzz_line_columns.c - fuzzes the columns of lines: --tsv-in, --force-decode and --must.
 * Input    Lines: the names of the columns, or ! for --force-decode, or nothing; a text for --must, or nothing; and
 *          lines of input.
 * Checks   Wrong names are wrong usage. Parts of a line are inside of it and have no tab, and the bytes of the source
 *          and the others are those of the line. There are as many columns as names.
 * Options  -max_len=1000 */
#include "fuzz_support.h"

#include "buf.h"
#include "line_columns.h"
#include "line.h"
#include "utf8.h"

static size_t count_tabs(const char *line, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) count += line[i] == '\t';
    return count;
}

static void check_source(const LineColumns *columns, LineText line, LineText source)
{
    const bool blank = utf8_leading_space(line.data, line.len) == line.len;

    require(source.data >= line.data && source.data + source.len <= line.data + line.len, "a text", "of the line");
    require(!columns->count || !memchr(source.data, '\t', source.len), "a cell", "without tabs");
    require(!columns->count || blank || count_tabs(line.data, line.len) + 1 == columns->count, "as many columns",
            "as names");
}

static void check_asked(const LineColumns *columns, LineText line)
{
    DragomanRequest *request = dragoman_request_new();
    const bool blank = utf8_leading_space(line.data, line.len) == line.len;
    size_t texts = columns->settings->musts.count;

    require(request != NULL, "memory", "a request");
    require(dragoman_request_begin(request, line.data, line.len, NULL) == DRAGOMAN_OK &&
                line_columns_ask(columns, line, request, NULL) == DRAGOMAN_OK,
            "no failure", "of a request");
    require(request->has_prefix == (!blank && line_columns_has(columns, COLUMN_PREFIX)), "a prefix", "of its column");
    for (size_t i = 0; i < columns->count; i++) texts += columns->items[i] == COLUMN_MUST;
    require(request->demands.len <= (blank ? 0 : texts), "texts", "of the line or the option");
    for (size_t i = 0; i < request->demands.len; i++) {
        const char *text = request->forms.data + request->demands.data[i].first_form;
        const size_t length = strlen(text);
        require(length && !utf8_leading_space(text, length) && !utf8_trailing_space(text, length), "a text",
                "without white space around it");
    }
    dragoman_request_free(request);
}

static void check_line(const LineColumns *columns, const char *bytes, size_t size)
{
    Buf clean = { 0 };
    size_t replaced;
    LineText line, source;
    char *copy;
    Err err = { "" };

    buf_put_clean(&clean, bytes, size, &replaced);
    copy = fuzz_copy(clean.data, clean.len);
    line = (LineText){ copy, clean.len };
    if (line_columns_source(columns, line, &source, &err) == OK) {
        check_source(columns, line, source);
        check_asked(columns, line);
    } else {
        require(strncmp(err.text, "the line has ", 13) == 0 && count_tabs(line.data, line.len) + 1 != columns->count,
                "the number of columns", err.text);
    }
    free(copy);
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
    LineColumns columns;
    Err err = { "" };

    require(options != NULL, "memory", "options");
    if (*names) require(dragoman_set_text(options, DRAGOMAN_COLUMNS, names, NULL) == DRAGOMAN_OK, "a setting", names);
    if (*must) require(dragoman_add_text(options, DRAGOMAN_MUST, must, NULL) == DRAGOMAN_OK, "a setting", must);
    if (line_columns_read(&columns, options, &err) != OK)
        require(strncmp(err.text, SETTING(COLUMNS), strlen(SETTING(COLUMNS))) == 0, "the option", err.text);
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
