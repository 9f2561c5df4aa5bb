/* markdown_lines.c - see markdown_lines.h. */
#include "markdown_lines.h"

#include <string.h>
#include <strings.h>

#include "chars.h"
#include "markdown_syntax.h"

#define LONGEST_FENCE ((size_t)1 << 20)

bool markdown_line_is_blank(const char *text, size_t at, size_t end)
{
    return markdown_skip_space(text, at, end) == end;
}

static size_t run_length(const char *text, size_t at, size_t end, char mark)
{
    size_t length = 0;

    while (at + length < end && text[at + length] == mark) length++;
    return length;
}

bool markdown_line_is_rule(const char *text, size_t at, size_t end)
{
    const char mark = at < end ? text[at] : '\0';
    size_t count = 0;

    if (mark != '*' && mark != '-' && mark != '_') return false;
    for (; at < end; at++) {
        if (text[at] == mark)
            count++;
        else if (!char_is_space(text[at]))
            return false;
    }
    return count >= 3;
}

size_t markdown_next_line(const char *text, size_t at, size_t end)
{
    const char *newline = memchr(text + at, '\n', end - at);

    return newline ? (size_t)(newline - text) + 1 : end;
}

bool markdown_line_is_underline(const char *text, size_t at, size_t end)
{
    if (at == end || (text[at] != '=' && text[at] != '-')) return false;
    return markdown_line_is_blank(text, at + run_length(text, at, end, text[at]), end);
}

size_t markdown_line_heading(const char *text, size_t at, size_t end)
{
    const size_t length = run_length(text, at, end, '#');

    if (!length || length > 6) return 0;
    return at + length == end || char_is_space(text[at + length]) ? length : 0;
}

static size_t without_space(const char *text, size_t at, size_t end)
{
    while (end > at && char_is_space(text[end - 1])) end--;
    return end;
}

/* Returns where {#id .class key=value} begins at the end, otherwise `end`. */
static size_t before_attributes(const char *text, size_t at, size_t end)
{
    size_t i = end;

    if (end - at < 3 || text[end - 1] != '}') return end;
    while (i > at && text[i - 1] != '{' && end - i < 200) i--;
    return i > at && markdown_read_attributes(text, i - 1, end) == end ? without_space(text, at, i - 1) : end;
}

/* Returns where the closing # begin, with the white space before them, otherwise `end`. */
static size_t before_closing(const char *text, size_t at, size_t end)
{
    size_t closing = end;

    while (closing > at && text[closing - 1] == '#') closing--;
    return closing == at || char_is_space(text[closing - 1]) ? without_space(text, at, closing) : end;
}

Range markdown_line_heading_text(const char *text, size_t at, size_t end)
{
    const size_t begin = markdown_skip_space(text, at, end);

    end = without_space(text, begin, end);
    end = before_attributes(text, begin, before_closing(text, begin, end));
    return (Range){ begin, before_closing(text, begin, end) };
}

size_t markdown_line_fence(const char *text, size_t at, size_t end)
{
    size_t length;

    if (at == end || (text[at] != '`' && text[at] != '~')) return 0;
    length = run_length(text, at, end, text[at]);
    if (length < 3 || (text[at] == '`' && memchr(text + at + length, '`', end - at - length))) return 0;
    return length < LONGEST_FENCE ? length : LONGEST_FENCE;
}

bool markdown_line_closes_fence(const char *text, size_t at, size_t end, char mark, size_t length)
{
    const size_t marks = run_length(text, at, end, mark);

    return marks >= length && markdown_line_is_blank(text, at + marks, end);
}

size_t markdown_line_marker(const char *text, size_t at, size_t end, bool interrupts)
{
    size_t i = at;

    if (at == end) return 0;
    if (strchr("-+*", text[at]) && text[at]) {
        i++;
    } else {
        while (i < end && i - at < 9 && char_is_digit(text[i])) i++;
        if (i == at || i == end || (text[i] != '.' && text[i] != ')')) return 0;
        if (interrupts && (i - at != 1 || text[at] != '1')) return 0;
        i++;
    }
    if (i < end && !char_is_space(text[i])) return 0;
    return interrupts && markdown_line_is_blank(text, i, end) ? 0 : i - at;
}

size_t markdown_line_definition(const char *text, size_t at, size_t end)
{
    if (end - at < 3 || text[at] != ':' || !char_is_blank(text[at + 1])) return 0;
    return markdown_line_is_blank(text, at + 1, end) ? 0 : 1;
}

size_t markdown_line_footnote(const char *text, size_t at, size_t end)
{
    size_t after;

    if (end - at < 5 || text[at] != '[' || text[at + 1] != '^') return 0;
    after = markdown_read_label(text, at, end);
    return after > at + 3 && after < end && text[after] == ':' ? after + 1 - at : 0;
}

/* Returns the byte after the mark and the blanks that must follow it, or `at`. */
static size_t after_admonition_mark(const char *text, size_t at, size_t end)
{
    const char mark = at < end ? text[at] : '\0';
    size_t i = at + 3;

    if ((mark != '!' && mark != '?' && mark != '=') || run_length(text, at, end, mark) != 3) return at;
    while (i < end && ((mark != '!' && text[i] == '+') || (mark == '=' && text[i] == '!'))) i++;
    if (i == end || !char_is_blank(text[i])) return at;
    return markdown_skip_space(text, i, end);
}

/* A type may be several words. */
static bool is_type_character(char c)
{
    return char_is_alphanumeric(c) || char_is_blank(c) || c == '-' || c == '_';
}

bool markdown_line_admonition(const char *text, size_t at, size_t end, Range *title)
{
    const size_t begin = after_admonition_mark(text, at, end);
    size_t i = begin;

    *title = (Range){ at, at };
    end = without_space(text, at, end);
    if (begin == at || begin >= end) return false;
    while (i < end && is_type_character(text[i])) i++;
    if (text[at] == '=' && i > begin) return false;
    if (i == end) return true;
    if (text[i] != '"' || end - i < 2 || text[end - 1] != '"') return false;
    *title = (Range){ i + 1, end - 1 };
    return true;
}

bool markdown_line_is_snippet(const char *text, size_t at, size_t end)
{
    const size_t dashes = run_length(text, at, end, '-'), left = end - at - dashes;

    return dashes && left >= 3 && memcmp(text + at + dashes, "8<-", 3) == 0;
}

static bool is_at(const char *text, size_t at, size_t end, const char *word)
{
    const size_t length = strlen(word);

    return at + length <= end && memcmp(text + at, word, length) == 0;
}

/* Whether [at, end) has one of the bytes of the string. */
static bool has_any(const char *text, size_t at, size_t end, const char *bytes)
{
    while (at < end && !(text[at] && strchr(bytes, text[at]))) at++;
    return at < end;
}

/* The line ends with the quotes of an address, or its braces are not closed. */
static bool is_import(const char *text, size_t at, size_t end)
{
    if (text[at] == '{' && !has_any(text, at, end, "}")) return true;
    if (text[end - 1] == ';') end = without_space(text, at, end - 1);
    if (end == at || !has_any(text, end - 1, end, "'\"")) return false;
    if (has_any(text, at, at + 1, "{*'\"")) return true;
    while (at < end && !is_at(text, at, end, " from '") && !is_at(text, at, end, " from \"")) at++;
    return at < end;
}

static bool is_export(const char *text, size_t at, size_t end)
{
    static const struct {
        const char *word, *marks; /* one of the marks, which sentences lack, must follow */
    } rows[] = { { "const ", "={;" }, { "let ", "={;" }, { "var ", "={;" },        { "function ", "({" },
                 { "async ", "({" },  { "class ", "{" }, { "default ", "({[=;<" }, { "* ", "'\"" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_at(text, at, end, rows[i].word) && has_any(text, at + strlen(rows[i].word), end, rows[i].marks))
            return true;
    return text[at] == '{' || (is_at(text, at, end, "default ") && !has_any(text, at + 8, end, " "));
}

bool markdown_line_is_module(const char *text, size_t at, size_t end)
{
    static const size_t length = sizeof "import " - 1;

    end = without_space(text, at, end);
    if (end - at <= length) return false;
    if (is_at(text, at, end, "import ")) return is_import(text, at + length, end);
    return is_at(text, at, end, "export ") && is_export(text, at + length, end);
}

/* Returns the byte after {%, {%-, {{< or {{% with the blanks that follow, or `at`. */
static size_t after_tag_mark(const char *text, size_t at, size_t end)
{
    size_t i = at;

    if (is_at(text, at, end, "{%"))
        i += is_at(text, at, end, "{%-") ? 3 : 2;
    else if (is_at(text, at, end, "{{<") || is_at(text, at, end, "{{%"))
        i += 3;
    while (i > at && i < end && char_is_blank(text[i])) i++;
    return i;
}

static size_t name_end(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_letter(text[at])) at++;
    return at;
}

bool markdown_line_begins_code(const char *text, size_t at, size_t end, Range *name)
{
    static const char *const names[] = { "codeblock", "comment", "highlight", "katex", "math", "mermaid" };
    const size_t begin = after_tag_mark(text, at, end), stop = name_end(text, begin, end);
    const char *mark = end - at < 3 || text[at + 1] == '%' ? "%}" : text[at + 2] == '<' ? ">}}" : "%}}";
    bool is_known = false;
    size_t i = stop;

    end = without_space(text, at, end);
    *name = (Range){ begin, stop };
    for (size_t k = 0; begin > at && k < sizeof names / sizeof *names; k++)
        is_known |= stop - begin == strlen(names[k]) && is_at(text, begin, end, names[k]);
    while (is_known && i < end && !is_at(text, i, end, mark)) i++;
    return is_known && i + strlen(mark) == end && text[i - 1] != '/';
}

bool markdown_line_ends_code(const char *text, size_t at, size_t end, Range name)
{
    const size_t length = name.end - name.begin;

    for (; at < end; at++) {
        size_t i = after_tag_mark(text, at, end);
        if (i == at) continue;
        if (text[at + 1] == '%')
            i = is_at(text, i, end, "end") ? i + 3 : end;
        else
            i = is_at(text, i, end, "/") ? markdown_skip_space(text, i + 1, end) : end;
        if (name_end(text, i, end) - i == length && memcmp(text + i, text + name.begin, length) == 0) return true;
    }
    return false;
}

/* Whether one of the names, separated by spaces, is at `at` and ends there. */
static bool has_name(const char *text, size_t at, size_t end, const char *names)
{
    for (const char *name = names; *name;) {
        const size_t size = strcspn(name, " ");
        const size_t after = at + size;
        if (after <= end && strncasecmp(text + at, name, size) == 0 &&
            (after == end || char_is_space(text[after]) || text[after] == '>' || text[after] == '/'))
            return true;
        name += size + strspn(name + size, " ");
    }
    return false;
}

int markdown_line_html(const char *text, size_t at, size_t end, bool interrupts)
{
    static const char raw_names[] = "pre script style textarea";
    static const char block_names[] =
        "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl "
        "dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend "
        "li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td "
        "tfoot th thead title tr track ul";
    size_t tag;

    if (end - at < 3 || text[at] != '<') return 0;
    if (has_name(text, at + 1, end, raw_names)) return 1;
    if (text[at + 1] == '?') return 3;
    if (text[at + 1] == '!') {
        if (end - at >= 4 && memcmp(text + at, "<!--", 4) == 0) return 2;
        if (end - at >= 9 && memcmp(text + at, "<![CDATA[", 9) == 0) return 5;
        return char_is_letter(text[at + 2]) ? 4 : 0;
    }
    if (has_name(text, at + 1 + (text[at + 1] == '/'), end, block_names)) return 6;
    if (interrupts) return 0;
    tag = markdown_read_html(text, at, end);
    return tag > at && markdown_line_is_blank(text, tag, end) ? 7 : 0;
}

/* Whether the line contains the mark, in upper or lower case. */
static bool contains(const char *text, size_t at, size_t end, const char *mark)
{
    const size_t length = strlen(mark);

    for (; end - at >= length; at++)
        if (strncasecmp(text + at, mark, length) == 0) return true;
    return false;
}

bool markdown_line_ends_html(const char *text, size_t at, size_t end, int kind)
{
    static const char *const marks[] = { [2] = "-->", [3] = "?>", [4] = ">", [5] = "]]>" };

    if (kind == 1)
        return contains(text, at, end, "</pre>") || contains(text, at, end, "</script>") ||
               contains(text, at, end, "</style>") || contains(text, at, end, "</textarea>");
    return kind >= 6 ? markdown_line_is_blank(text, at, end) : contains(text, at, end, marks[kind]);
}

bool markdown_line_next_cell(const char *text, size_t *at, size_t end, Range *cell)
{
    size_t i = *at;

    while (end > i && char_is_space(text[end - 1])) end--;
    if (i >= end) return false;
    while (i < end && text[i] != '|') i += text[i] == '\\' && i + 1 < end ? 2 : 1;
    *cell = (Range){ markdown_skip_space(text, *at, i), i };
    while (cell->end > cell->begin && char_is_space(text[cell->end - 1])) cell->end--;
    *at = i + 1;
    return true;
}

static size_t count_cells(const char *text, Range row)
{
    size_t at = row.begin + (row.begin < row.end && text[row.begin] == '|'), count = 0;
    Range cell;

    while (markdown_line_next_cell(text, &at, row.end, &cell)) count++;
    return count;
}

static bool is_delimiter_cell(const char *text, Range cell)
{
    size_t begin = cell.begin + (cell.begin < cell.end && text[cell.begin] == ':');
    const size_t end = cell.end - (cell.end > begin && text[cell.end - 1] == ':');

    return begin < end && begin + run_length(text, begin, end, '-') == end;
}

bool markdown_line_is_delimiter_row(const char *text, Range row, Range header)
{
    size_t at = row.begin + (row.begin < row.end && text[row.begin] == '|');
    Range cell;

    if (row.begin == row.end || !strchr("|-:", text[row.begin])) return false;
    if (!memchr(text + row.begin, '|', row.end - row.begin) && !memchr(text + row.begin, ':', row.end - row.begin))
        return false;
    while (markdown_line_next_cell(text, &at, row.end, &cell))
        if (!is_delimiter_cell(text, cell)) return false;
    return count_cells(text, row) == count_cells(text, header);
}
