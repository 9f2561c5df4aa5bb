/* latex_elements.c - see latex_elements.h. */
#include "latex_elements.h"

#include "chars.h"
#include "latex_extent.h"

/* Returns the end of the declaration at byte `at`, \it or \color{x}; `at` if there is none. */
static size_t skip_declaration(const LatexParser *p, size_t at)
{
    const Range name = latex_scan_name(&p->scan, at);
    const LatexCommand command = latex_command(&p->scan, name);

    if (name.end - name.begin < 2) return at;
    switch (command.kind) {
    case LATEX_DECLARATION:
        return name.end;
    case LATEX_INVISIBLE:
        return latex_scan_arguments(&p->scan, name.end, command.count, NULL);
    case LATEX_LENGTH:
        return latex_extent_length(&p->scan, name.end);
    default:
        return at;
    }
}

/* Returns the end of the blanks, comments and at most one line end from byte `at` on, but of blanks only if an empty
 * line follows. */
static size_t skip_blanks(const LatexParser *p, size_t at, size_t end)
{
    const size_t next = latex_scan_blanks(&p->scan, at);

    if (next <= end && !(next < end && p->bytes[next] == '\n')) return next;
    while (at < end && char_is_blank(p->bytes[at])) at++;
    return at;
}

/* The declarations at the beginning of a group belong to its opening bytes: {\it x}. So does white space after them,
 * because a name must not be joined with a word. */
static size_t skip_declarations(const LatexParser *p, size_t at, size_t end)
{
    while (at < end && p->bytes[at] == '\\') {
        const size_t next = skip_declaration(p, at);
        if (next == at || next > end) break;
        at = skip_blanks(p, next, end);
    }
    return at;
}

/* Whether declarations choose the typewriter font, as \texttt does. */
static bool sets_code(const LatexParser *p, size_t at, size_t end)
{
    bool is_code = false;

    for (; at < end; at++) {
        const Range name = latex_scan_name(&p->scan, at);
        if (p->bytes[at] != '\\') continue;
        is_code |= latex_scan_is_in(&p->scan, name, "tt ttfamily");
        if (latex_scan_is_in(&p->scan, name, "rm sf rmfamily sffamily normalfont")) is_code = false;
    }
    return is_code;
}

size_t latex_element_group(LatexParser *p, size_t at)
{
    Range contents;
    const size_t end = latex_scan_argument(&p->scan, at, &contents);

    if (end == at || p->depth == LATEX_GROUP_DEPTH) {
        latex_parser_empty(p, at, at + 1);
        return at + 1;
    }
    contents.begin = skip_declarations(p, contents.begin, contents.end);
    return latex_parser_open_span(p, sets_code(p, at, contents.begin) ? LATEX_GROUP_CODE : LATEX_GROUP_SPAN, at,
                                  contents);
}

/* Mathematics from byte `at` on, whose contents begin at `begin`; `close` ends it. */
size_t latex_element_math(LatexParser *p, size_t at, size_t begin, const char *close, bool is_display)
{
    const size_t end = latex_extent_math(&p->scan, begin, close);

    if (end == begin || is_display)
        latex_parser_empty(p, at, end);
    else
        latex_parser_kept(p, at, end);
    return end;
}

size_t latex_element_verb(LatexParser *p, size_t at, size_t name_end)
{
    const size_t end = latex_extent_verb(&p->scan, name_end);

    latex_parser_kept(p, at, end);
    return end;
}

/* Code after the name of a command, in braces or between two other characters. */
size_t latex_element_code(LatexParser *p, LatexCommandKind kind, size_t at, size_t name_end)
{
    const size_t begin = latex_extent_code_settings(&p->scan, name_end, kind == LATEX_MINTED);
    const size_t end = latex_extent_code(&p->scan, begin);
    Range contents;

    if (latex_scan_argument(&p->scan, begin, &contents) > begin) return latex_parser_code(p, at, contents);
    if (end == begin) {
        latex_parser_empty(p, at, name_end);
        return name_end;
    }
    latex_parser_kept(p, at, end);
    return end;
}

/* Without arguments, but {} after the name only ends it. */
size_t latex_element_declaration(LatexParser *p, size_t at, size_t name_end)
{
    Range contents = { 0 };
    const size_t argument_end = latex_scan_argument(&p->scan, name_end, &contents);
    const size_t end = contents.begin == contents.end ? argument_end : name_end;

    latex_parser_empty(p, at, end);
    return end;
}

/* A command with a length after it. */
size_t latex_element_length(LatexParser *p, size_t at, size_t name_end)
{
    size_t end = latex_extent_length(&p->scan, name_end);

    if (end == name_end) end = latex_scan_arguments(&p->scan, name_end, LATEX_ANY_COUNT, NULL);
    latex_parser_empty(p, at, end);
    return end;
}

size_t latex_element_definition(LatexParser *p, LatexCommand command, size_t at, Range name)
{
    const size_t name_end = name.end;
    size_t end = name_end;

    latex_definitions_read(&p->definitions, &p->scan, name);
    if (command.count) end = latex_scan_arguments(&p->scan, end, command.count, NULL);
    end = end == name_end ? latex_extent_definition(&p->scan, end) : latex_scan_arguments(&p->scan, end, 0, NULL);
    latex_parser_empty(p, at, end);
    return end;
}

/* A name that is unknown, or that stands for a text. */
size_t latex_element_kept(LatexParser *p, LatexCommand command, size_t at, size_t name_end)
{
    Range contents; /* given, so that no command takes the place of an argument */
    const size_t end = latex_scan_arguments(&p->scan, name_end, command.count, &contents);

    latex_parser_kept(p, at, end);
    return end;
}

size_t latex_element_invisible(LatexParser *p, LatexCommand command, size_t at, size_t name_end)
{
    size_t end = latex_scan_arguments(&p->scan, name_end, command.count, NULL);

    if (command.kind == LATEX_FILE && end == name_end) end = latex_extent_word(&p->scan, name_end);
    latex_parser_empty(p, at, end);
    return end;
}

/* \texorpdfstring{x}{y}. It needs room for two groups. */
size_t latex_element_tex_string(LatexParser *p, LatexCommand command, size_t at, size_t name_end)
{
    Range contents = { 0, 0 }, bookmark = { 0, 0 };
    const size_t end = latex_scan_arguments(&p->scan, name_end, 1, &contents);

    if (contents.end) (void)latex_scan_argument(&p->scan, latex_scan_blanks(&p->scan, end), &bookmark);
    if (!bookmark.end || p->depth + 1 >= LATEX_GROUP_DEPTH) return latex_element_kept(p, command, at, name_end);
    return latex_parser_open_span(p, LATEX_GROUP_TEX_STRING, at, contents);
}
