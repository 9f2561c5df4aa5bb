/* document_latex.c - LaTeX (.tex): text outside of commands and mathematics.
 *
 * A unit is a paragraph, a heading, an item of a list, a cell of a table, a caption or a footnote. Mathematics, code,
 * references and commands that are not known are kept with their arguments. The preamble is left alone except for the
 * title; so are definitions, environments of mathematics and of code, and what follows \end{document}. The options of
 * babel are left alone, too: the package of another language may not be installed. A document without
 * \begin{document}, a chapter, is text from its beginning on.
 *
 * The syntax of TeX can be changed by a document; then the wrong bytes may be taken for text, but no byte is lost. */
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "document_formats.h"
#include "latex_body.h"
#include "latex_braces.h"
#include "latex_commands.h"
#include "latex_elements.h"
#include "latex_extent.h"
#include "latex_parser.h"
#include "latex_scan.h"
#include "latex_shorthands.h"
#include "latex_symbols.h"

/* Mathematics in a note is not longer, so that reading takes linear time. */
#define NOTE_FORMULA_BYTES ((size_t)4000)

static size_t parse(LatexParser *p, size_t at, size_t end);

/* An option that is a text of its own, [x], from byte `at` on, after blanks. Returns where it ends, or `at`.
 * Mathematics and code in it may go on over its end. */
static size_t report_option(LatexParser *p, size_t at)
{
    Range contents;
    const size_t begin = latex_scan_blanks(&p->scan, at), end = latex_scan_option(&p->scan, begin, &contents);
    size_t stop;

    if (end == begin) return at;
    if (document_builder_is_in_text(p->builder)) return end;
    stop = parse(p, contents.begin, contents.end);
    latex_parser_end_text(p, stop);
    return stop > end ? stop : end;
}

static size_t report_options(LatexParser *p, size_t at)
{
    for (;;) {
        const size_t end = report_option(p, at);
        if (end == at) return at;
        at = end;
    }
}

/* The end of an environment that is left alone, whose \begin ends at byte `at`. */
static size_t skip_environment(const LatexParser *p, LatexEnvironment environment, size_t at, Range name)
{
    size_t end;

    if (environment.kind == LATEX_VERBATIM) return latex_extent_environment(&p->scan, at, name);
    end = latex_definitions_environment_end(&p->definitions, &p->scan, at, p->scan.end, name);
    return end ? end : p->scan.end;
}

/* A text inside a text is not divided. Only mathematics that ends in it, and that is not long, is left alone. */
static size_t report_begin_in_note(LatexParser *p, LatexEnvironment environment, size_t at, size_t begin_end,
                                   Range name)
{
    const size_t group_end = p->groups[p->depth - 1].end; /* a note is a group */
    const size_t limit = group_end - begin_end < NOTE_FORMULA_BYTES ? group_end : begin_end + NOTE_FORMULA_BYTES;
    size_t end = 0;

    if (environment.kind == LATEX_FORMULA || environment.kind == LATEX_CAPTIONED)
        end = latex_definitions_environment_end(&p->definitions, &p->scan, begin_end, limit, name);
    if (!end) end = begin_end;
    latex_parser_empty(p, at, end);
    return end;
}

/* The captions in [at, end) are texts. Each is in a group, so that the depth of groups limits that of calls. */
static size_t report_captions(LatexParser *p, size_t at, size_t end)
{
    if (p->depth == LATEX_GROUP_DEPTH) return end;
    while (at < end) {
        Range name, contents = { 0, 0 };
        size_t stop;
        if (p->bytes[at] == '%') {
            at = latex_scan_line_end(&p->scan, at);
            continue;
        }
        name = latex_scan_name(&p->scan, at);
        if (p->bytes[at] != '\\' || !latex_scan_is_in(&p->scan, name, "caption")) {
            at = p->bytes[at] == '\\' ? name.end : at + 1;
            continue;
        }
        stop = latex_scan_arguments(&p->scan, name.end, 1, &contents);
        at = contents.end ? parse(p, at, stop) : name.end;
        latex_parser_end_text(p, at);
    }
    return at;
}

static size_t report_begin(LatexParser *p, size_t at, size_t name_end)
{
    Range name;
    const size_t brace = latex_scan_blanks(&p->scan, name_end), end = latex_scan_argument(&p->scan, brace, &name);
    LatexEnvironment environment;

    if (end == brace) {
        latex_parser_empty(p, at, name_end);
        return name_end;
    }
    environment = latex_definitions_environment(&p->definitions, &p->scan, name);
    if (latex_environment_is_unknown(environment) && latex_listing_is_code(&p->scan, end, name))
        environment.kind = LATEX_VERBATIM;
    if (p->notes) return report_begin_in_note(p, environment, at, end, name);
    latex_parser_end_text(p, at);
    switch (environment.kind) {
    case LATEX_VERBATIM:
    case LATEX_FORMULA:
        return skip_environment(p, environment, end, name);
    case LATEX_CAPTIONED:
        return report_captions(p, end, skip_environment(p, environment, end, name));
    case LATEX_THEOREM:
        return report_option(p, latex_scan_overlay(&p->scan, end));
    case LATEX_FRAME:
        return latex_parser_open_texts(p, LATEX_GROUP_FRAME_TITLE, latex_scan_settings(&p->scan, end));
    case LATEX_BLOCK:
        return latex_parser_open_texts(p, LATEX_GROUP_BLOCK_TITLE, latex_scan_settings(&p->scan, end));
    case LATEX_WIDTH:
        return latex_scan_arguments(&p->scan, latex_extent_width(&p->scan, end), environment.count, NULL);
    case LATEX_OPTIONS:
        return latex_scan_arguments(&p->scan, latex_scan_settings(&p->scan, end), environment.count, NULL);
    default:
        return latex_scan_arguments(&p->scan, latex_scan_overlay(&p->scan, end), environment.count, NULL);
    }
}

/* A title, a span, code or a note. Without an argument it is an empty element. */
static size_t report_argument(LatexParser *p, LatexCommand command, size_t at, size_t name_end)
{
    const size_t overlay_end =
        command.kind == LATEX_BOX ? latex_extent_width(&p->scan, name_end) : latex_scan_overlay(&p->scan, name_end);
    Range contents = { 0, 0 };
    size_t end = latex_scan_arguments(&p->scan, overlay_end, command.count, &contents), option_end;

    if (p->depth == LATEX_GROUP_DEPTH || !contents.end) {
        if (contents.end) end = overlay_end;
        latex_parser_empty(p, at, end);
        return end;
    }
    if (command.kind == LATEX_TITLE && !p->notes) {
        latex_parser_end_text(p, at);
        option_end = report_options(p, overlay_end);
        latex_parser_open_group(p, LATEX_GROUP_TEXT, at, contents.end);
        return option_end > contents.begin ? option_end : contents.begin;
    }
    if (command.kind == LATEX_NOTE) return latex_parser_open_note(p, at, contents);
    return latex_parser_open_span(p, command.kind == LATEX_CODE ? LATEX_GROUP_CODE : LATEX_GROUP_SPAN, at, contents);
}

/* \frame draws a frame around a part of a text, but in old documents with beamer, it is a slide. */
static size_t report_framed(LatexParser *p, size_t at, size_t name_end)
{
    if (document_builder_is_in_text(p->builder))
        return report_argument(p, (LatexCommand){ LATEX_SPAN, 1 }, at, name_end);
    return latex_parser_open_texts(p, LATEX_GROUP_TEXT, latex_scan_settings(&p->scan, name_end));
}

/* Whether the innermost group is a text, such as a title. Elsewhere, \\ may end the row of a table. */
static bool is_in_group_of_text(const LatexParser *p)
{
    const LatexGroupKind kind = p->depth ? p->groups[p->depth - 1].kind : LATEX_GROUP_SPAN;

    return kind == LATEX_GROUP_TEXT || kind == LATEX_GROUP_FRAME_TITLE || kind == LATEX_GROUP_BLOCK_TITLE;
}

/* Only \\ may have an option after a blank; it is a length. */
static size_t report_break(LatexParser *p, LatexCommand command, size_t at, size_t name_end)
{
    const size_t begin = name_end + (name_end < p->scan.end && p->bytes[name_end] == '*');
    const size_t option = p->bytes[at + 1] == '\\' ? latex_extent_break(&p->scan, begin) : begin;
    const size_t end = latex_scan_arguments(&p->scan, option, command.count, NULL);

    if (p->notes)
        latex_parser_empty(p, at, end);
    else if (p->bytes[at + 1] == '\\' && is_in_group_of_text(p) && document_builder_is_in_text(p->builder))
        document_builder_line_end(p->builder, at, end);
    else
        latex_parser_end_text(p, at);
    return end;
}

/* The title is in the preamble. */
static bool is_in_body(const LatexParser *p)
{
    return p->is_body || p->depth > 0;
}

/* Returns the end of an environment of code in the preamble, whose \begin ends at byte `at`: a file that the document
 * contains. */
static size_t skip_preamble_environment(LatexParser *p, size_t at)
{
    Range name;
    const size_t end = latex_scan_argument(&p->scan, latex_scan_blanks(&p->scan, at), &name);
    size_t close;

    if (p->has_open_code || end <= at || latex_environment(&p->scan, name).kind != LATEX_VERBATIM) return at;
    close = latex_extent_environment(&p->scan, end, name);
    if (close <= p->body) return close;
    p->has_open_code = true;
    return at;
}

/* Commands of the preamble are left alone, except for titles. */
static size_t report_preamble(LatexParser *p, LatexCommand command, size_t at, Range name)
{
    if (at >= p->body) {
        p->is_body = true;
        return at > p->body ? at : latex_scan_arguments(&p->scan, name.end, 1, NULL);
    }
    if (latex_scan_is_in(&p->scan, name, "begin")) return skip_preamble_environment(p, name.end);
    if (latex_scan_is_in(&p->scan, name, "title subtitle")) return report_argument(p, command, at, name.end);
    if (command.kind == LATEX_DEFINITION) return latex_element_definition(p, command, at, name);
    return latex_scan_arguments(&p->scan, name.end, LATEX_ANY_COUNT, NULL);
}

/* Mathematics between commands that the document defines. Like its environments, it ends the text. */
static size_t report_formula(LatexParser *p, size_t begin, size_t end)
{
    if (p->notes)
        latex_parser_empty(p, begin, end);
    else
        latex_parser_end_text(p, begin);
    return end;
}

static size_t report_command(LatexParser *p, size_t at)
{
    const Range name = latex_scan_name(&p->scan, at);
    const LatexCommand command = latex_command(&p->scan, name);
    size_t formula_end;

    if (name.begin == name.end) {
        latex_parser_empty(p, at, name.end);
        return name.end;
    }
    if (!is_in_body(p)) return report_preamble(p, command, at, name);
    if (p->bytes[name.begin] == '(') return latex_element_math(p, at, name.end, "\\)", false);
    if (p->bytes[name.begin] == '[') return latex_element_math(p, at, name.end, "\\]", true);
    if (latex_scan_is_in(&p->scan, name, "begin")) return report_begin(p, at, name.end);
    formula_end = latex_definitions_formula_end(&p->definitions, &p->scan, name);
    if (formula_end > name.end) return report_formula(p, at, formula_end);
    switch (command.kind) {
    case LATEX_TITLE:
    case LATEX_SPAN:
    case LATEX_BOX:
    case LATEX_CODE:
    case LATEX_NOTE:
        return report_argument(p, command, at, name.end);
    case LATEX_TEX_STRING:
        return latex_element_tex_string(p, command, at, name.end);
    case LATEX_INLINE:
    case LATEX_MINTED:
        return latex_element_code(p, command.kind, at, name.end);
    case LATEX_DECLARATION:
        return latex_element_declaration(p, at, name.end);
    case LATEX_LENGTH:
        return latex_element_length(p, at, name.end);
    case LATEX_FRAMED:
        return report_framed(p, at, name.end);
    case LATEX_BREAK:
        return report_break(p, command, at, name.end);
    case LATEX_ITEM:
        if (p->notes) return latex_element_invisible(p, command, at, name.end);
        latex_parser_end_text(p, at);
        return report_option(p, latex_scan_overlay(&p->scan, name.end));
    case LATEX_DEFINITION:
        return latex_element_definition(p, command, at, name);
    case LATEX_VERB:
        return latex_element_verb(p, at, name.end);
    case LATEX_KEPT:
        return latex_element_kept(p, command, at, name.end);
    default:
        return latex_element_invisible(p, command, at, name.end);
    }
}

static bool is_plain(char c)
{
    return c && !char_is_space(c) && !strchr("\\{}$&%~`'-\"", c);
}

/* Reports what begins at byte `at`, and returns its end. */
static size_t report_part(LatexParser *p, size_t at, size_t end)
{
    char symbol[LATEX_SYMBOL_BYTES];
    size_t length, next = latex_symbol_read(&p->scan, at, symbol, &length), blank;
    const char c = p->bytes[at];

    if (next > at && next <= end && is_in_body(p)) {
        latex_parser_begin_text(p, at);
        document_builder_spelled(p->builder, symbol, length, at, next);
        return next;
    }
    if (char_is_space(c)) {
        const bool is_paragraph = c == '\n' && latex_scan_is_paragraph(&p->scan, at, &blank);
        for (next = at; next < end && char_is_space(p->bytes[next]); next++)
            if (!is_paragraph && next > at && p->bytes[next] == '\n' && latex_scan_is_paragraph(&p->scan, next, &blank))
                break;
        if (is_paragraph && !p->notes)
            latex_parser_end_text(p, at);
        else if (document_builder_is_in_text(p->builder))
            document_builder_space(p->builder, at, next);
        return next;
    }
    if (c == '%') {
        next = latex_scan_comment(&p->scan, at);
        latex_parser_empty(p, at, next < end ? next : end);
        return next < end ? next : end;
    }
    if (c == '\\') return report_command(p, at);
    if (!is_in_body(p)) return at + 1;
    if (c == '{') return latex_element_group(p, at);
    if (c == '$') {
        const bool is_display = at + 1 < p->scan.end && p->bytes[at + 1] == '$';
        return latex_element_math(p, at, at + 1 + is_display, is_display ? "$$" : "$", is_display);
    }
    if (c == '&' && !p->notes) {
        latex_parser_end_text(p, at);
        return at + 1;
    }
    if (c == '}' || c == '&') {
        latex_parser_empty(p, at, at + 1);
        return at + 1;
    }
    for (next = at + 1; next < end && is_plain(p->bytes[next]);) next++;
    latex_parser_begin_text(p, at);
    latex_parser_plain(p, at, next);
    return next;
}

/* Reads [at, end), which contains whole groups, and returns where it stopped. */
static size_t parse(LatexParser *p, size_t at, size_t end)
{
    const size_t depth = p->depth;

    while (at < end && !document_builder_failed(p->builder)) {
        const size_t limit = p->depth > depth ? p->groups[p->depth - 1].end : end;
        at = at >= limit ? latex_parser_close_group(p, at) : report_part(p, at, limit < end ? limit : end);
    }
    while (p->depth > depth)
        at = latex_parser_close_group(p, at > p->groups[p->depth - 1].end ? at : p->groups[p->depth - 1].end);
    return at;
}

static void parse_latex(DocumentBuilder *builder)
{
    static const char underscore[] = "{underscore}"; /* a package with which x_1 is text */
    const BuilderInput input = document_builder_input(builder);
    const LatexScan all = { .bytes = input.bytes, .end = input.end };
    const Range body = latex_body_find(&all, input.begin);
    LatexParser *p = calloc(1, sizeof *p);
    Err err;

    if (p) p->scan = (LatexScan){ .bytes = input.bytes, .end = body.end };
    if (!p || !latex_symbols_open() || latex_braces_find(&p->scan, input.begin, &err) != OK) {
        free(p);
        document_builder_fail_memory(builder);
        return;
    }
    p->builder = builder;
    p->bytes = input.bytes;
    p->body = body.begin;
    p->reads_scripts = latex_scan_find(&all, 0, all.end, underscore, sizeof underscore - 1) == all.end;
    p->is_body = body.begin == input.end;
    p->scan.has_shorthands =
        latex_shorthands_are_german(&p->scan, input.begin, body.begin < body.end ? body.begin : body.end);
    parse(p, input.begin, body.end);
    latex_parser_end_text(p, body.end);
    latex_braces_free(&p->scan);
    free(p);
}

/* The encoding that the package inputenc declares: \usepackage[latin1]{inputenc}. */
static void find_encoding(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    static const struct {
        const char *option, *encoding;
    } rows[] = { { "latin1", "windows-1252" }, { "ansinew", "windows-1252" }, { "cp1252", "windows-1252" },
                 { "latin9", "ISO-8859-15" },  { "latin2", "ISO-8859-2" },    { "cp1250", "windows-1250" },
                 { "applemac", "macintosh" },  { "cp1251", "windows-1251" },  { "koi8-r", "KOI8-R" } };
    static const char package[] = "]{inputenc}";
    const LatexScan scan = { .bytes = bytes, .end = size };
    const size_t found = latex_scan_find(&scan, 0, size, package, sizeof package - 1);
    size_t begin = found;

    *name = '\0';
    if (found == size) return;
    while (begin && found - begin < ENCODING_NAME && bytes[begin - 1] != '[') begin--;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].option) == found - begin && memcmp(bytes + begin, rows[i].option, found - begin) == 0)
            text_encoding_set_name(name, rows[i].encoding, strlen(rows[i].encoding));
}

const DocumentFormat document_latex = { .name = "latex",
                                        .endings = ".tex .ltx .latex",
                                        .parse = parse_latex,
                                        .spelling = &latex_spelling,
                                        .find_encoding = find_encoding };
