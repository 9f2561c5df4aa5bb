/* explain.c - the command explain: see commands.h. Its page is one HTML file that contains a trace (docs/explain.md),
 * its scripts and its styles, and loads nothing else. */
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "report.h"

/* --- The page: the Makefile converts files in this folder to these strings ----------- */

extern const char page_head_html[], page_body_html[], page_css[];
extern const char page_labels_js[], page_parts_js[], page_map_js[], page_words_js[], page_attention_js[],
    page_beam_js[], page_main_js[];

/* Each script only needs scripts before it. */
static const char *const scripts[] = { page_labels_js,    page_parts_js, page_map_js, page_words_js,
                                       page_attention_js, page_beam_js,  page_main_js };

/* Appends the page for the JSON of a trace. It is first shown in `language`. "<" occurs only in strings of the JSON; it
 * is written as an escape, so that it cannot end the script element. */
static Status append_page(Buf *out, const char *json, PageLanguage language, Err *err)
{
    buf_put_format(out, "<!DOCTYPE html>\n<html lang=\"%s\">\n%s", page_language_names[language], page_head_html);
    buf_put_format(out, "<style>\n%s</style>\n<body>\n%s", page_css, page_body_html);
    buf_put_text(out, "<script type=\"application/json\" id=\"trace\">");
    while (*json) {
        const size_t len = strcspn(json, "<");
        buf_put(out, json, len);
        json += len;
        if (!*json) break;
        buf_put_text(out, "\\u003c");
        json++;
    }
    buf_put_text(out, "</script>\n<script>\n\"use strict\";\n");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) buf_put_text(out, scripts[i]);
    buf_put_text(out, "</script>\n</body>\n</html>\n");
    return buf_check(out, err);
}

/* --- The text and its trace ------------------------------------------------------------ */

/* Appends `raw`, which must be valid UTF-8 without line breaks; messages call it `name`. */
static Status append_line(Buf *text, const char *raw, size_t length, const char *name, Err *err)
{
    size_t replaced = 0;
    Status st;

    buf_put_clean(text, raw, length, &replaced);
    st = buf_check(text, err);
    if (st == OK && replaced) st = err_set(err, ERR_USAGE, "%s contains invalid UTF-8 or NUL", name);
    if (st == OK && text->data && strpbrk(text->data, "\r\n"))
        st = err_set(err, ERR_USAGE, "%s must be a single line", name);
    return st;
}

/* Sets *json to the trace of the operand; "-" means the only line of standard input. The caller frees *json with
 * dragoman_free_text(). */
static Status trace(const Job *job, char **json, Err *err)
{
    const Options *options = job->options;
    const char *operand = options->files[0], *given = options->forced, *forced_text;
    Buf text = { 0 }, forced = { 0 };
    char *warnings = NULL, *line = NULL;
    size_t length = strlen(operand);
    DragomanError error;
    Status st = OK;

    if (strcmp(operand, "-") == 0) {
        st = library_status(dragoman_read_line(job->settings, STDIN_FILENO, "standard input", &line, &length, &error),
                            &error, err);
        operand = line;
    }
    if (st == OK) st = append_line(&text, operand, length, "the text", err);
    if (st == OK && given) st = append_line(&forced, given, strlen(given), "the forced translation", err);
    forced_text = given && !forced.data ? "" : forced.data;
    if (st == OK)
        st = library_status(
            dragoman_trace(job->settings, text.data ? text.data : "", text.len, forced_text, json, &warnings, &error),
            &error, err);
    if (st == OK && !options->quiet) reporter_say_warnings(&program_reporter, warnings);
    dragoman_free_text(line);
    dragoman_free_text(warnings);
    buf_free(&text);
    buf_free(&forced);
    return st;
}

Status command_explain(const Job *job, Output *out, Err *err)
{
    const Options *options = job->options;
    char *json = NULL;
    Status st = command_choose_output(job, out, err);

    if (st != OK) return st;
    if (output_target_is_terminal(&out->target))
        st = err_set(err, ERR_USAGE, "a page is too long for a terminal; write it to a file with -o FILE");
    if (st == OK) st = trace(job, &json, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK && options->page_format == PAGE_HTML)
        st = append_page(&out->buffer, json, (PageLanguage)options->page_language, err);
    else if (st == OK)
        buf_put_format(&out->buffer, "%s\n", json);
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(json);
    return st == ERR_USAGE ? err_set(err, st, "explain: %s", err->text) : st;
}
