/* page.c - see page.h. The parts of the page are files in this folder, which the Makefile makes strings of. */
#include "page.h"

#include <stddef.h>
#include <string.h>

extern const char page_head_html[], page_body_html[], page_css[];
extern const char page_labels_js[], page_parts_js[], page_map_js[], page_words_js[], page_attention_js[],
    page_beam_js[], page_main_js[];

const char *const page_format_names[] = { "html", "json", NULL };
const char *const page_language_names[] = { "en", "zh", NULL };

/* In the order in which they need each other. */
static const char *const scripts[] = { page_labels_js,    page_parts_js, page_map_js, page_words_js,
                                       page_attention_js, page_beam_js,  page_main_js };

/* "<" occurs only in strings of the JSON; written as an escape, it cannot end the script element. */
static Status append_json(Buf *out, const char *json, Err *err)
{
    Status st = OK;

    while (st == OK && *json) {
        const size_t len = strcspn(json, "<");
        st = buf_append(out, json, len, err);
        json += len;
        if (st != OK || !*json) break;
        st = buf_append_text(out, "\\u003c", err);
        json++;
    }
    return st;
}

Status page_append(Buf *out, const char *json, PageLanguage language, Err *err)
{
    Status st = buf_append_format(out, err, "<!DOCTYPE html>\n<html lang=\"%s\">\n", page_language_names[language]);

    if (st == OK) st = buf_append_text(out, page_head_html, err);
    if (st == OK) st = buf_append_format(out, err, "<style>\n%s</style>\n<body>\n%s", page_css, page_body_html);
    if (st == OK) st = buf_append_text(out, "<script type=\"application/json\" id=\"trace\">", err);
    if (st == OK) st = append_json(out, json, err);
    if (st == OK) st = buf_append_text(out, "</script>\n<script>\n\"use strict\";\n", err);
    for (size_t i = 0; st == OK && i < sizeof scripts / sizeof *scripts; i++)
        st = buf_append_text(out, scripts[i], err);
    return st == OK ? buf_append_text(out, "</script>\n</body>\n</html>\n", err) : st;
}
