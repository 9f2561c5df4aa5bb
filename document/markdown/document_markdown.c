/* document_markdown.c - Markdown: the blocks of CommonMark, the tables and footnotes of GitHub, and the definition
 * lists of PHP Markdown Extra.
 *
 * A unit is a paragraph, a heading, a cell of a table, the title of a link or the description of an image. A hard line
 * break ends a unit, as <br> does in HTML. These parts are not translated: code, addresses, labels, front matter
 * (except for titles and the like), code in tags of templates, lines with :::, tables of Pandoc, and the first lines of
 * callouts, admonitions and tabs (except for their titles). If the text of a link is also its label, as in [text][] or
 * [text], the translation is [translation][text]. HTML blocks are read as HTML.
 *
 * The document is read twice, because a link may come before the definition of its label: the first time, only the
 * labels are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "data_values.h"
#include "front_matter.h"
#include "markdown.h"
#include "str_map.h"
#include "utf8.h"

/* --- Recognizing what a line of Markdown begins. Each function looks at text[at .. end), a line without white space at
 * its beginning and without its newline. */

#define LONGEST_FENCE ((size_t)1 << 20)

static size_t run_length(const char *text, size_t at, size_t end, char mark)
{
    size_t length = 0;

    while (at + length < end && text[at + length] == mark) length++;
    return length;
}

/* A thematic break: three or more *, - or _. */
static bool line_is_rule(const char *text, size_t at, size_t end)
{
    const char mark = at < end ? text[at] : '\0';
    size_t count = 0;

    if (!char_is_among(mark, "*-_")) return false;
    for (; at < end; at++) {
        if (text[at] == mark)
            count++;
        else if (!char_is_space(text[at]))
            return false;
    }
    return count >= 3;
}

/* Returns where the text of a heading ends: before closing # marks and the white space before these. */
static size_t before_closing(const char *text, size_t at, size_t end)
{
    size_t closing = end;

    while (closing > at && text[closing - 1] == '#') closing--;
    return closing == at || char_is_space(text[closing - 1]) ? chars_trimmed_end(text, at, closing) : end;
}

/* Returns the heading's text without closing # and {#id}. */
static Range line_heading_text(const char *text, size_t at, size_t end)
{
    const size_t begin = chars_skip_space(text, at, end);
    size_t brace;

    end = before_closing(text, begin, chars_trimmed_end(text, begin, end));
    if (end - begin > 2 && text[end - 1] == '}') { /* {#id .class key=value} */
        for (brace = end; brace > begin && text[brace - 1] != '{' && end - brace < 200;) brace--;
        if (brace > begin && markdown_read_attributes(text, brace - 1, end) == end)
            end = chars_trimmed_end(text, begin, brace - 1);
    }
    return (Range){ begin, before_closing(text, begin, end) };
}

/* Returns the length of the list marker at the beginning of the line, without the blanks after it; 0: there is none. If
 * `interrupts`, the previous line is part of a paragraph. Then the marker must be a bullet or the number 1, with text
 * after it. */
static size_t line_marker(const char *text, size_t at, size_t end, bool interrupts)
{
    size_t i = at;

    if (at == end) return 0;
    if (!char_is_among(text[at], "-+*")) {
        while (i < end && i - at < 9 && char_is_digit(text[i])) i++;
        if (i == at || i == end || (text[i] != '.' && text[i] != ')')) return 0;
        if (interrupts && (i - at != 1 || text[at] != '1')) return 0;
    }
    i++; /* the bullet, or the mark after the number */
    if (i < end && !char_is_space(text[i])) return 0;
    return interrupts && markdown_line_is_blank(text, i, end) ? 0 : i - at;
}

/* Whether the line is !!! type "Title", ??? type "Title" or === "Title" of Python-Markdown, which precedes a block that
 * is indented by four columns. The type may have several words; type and title may be missing. *title is the text
 * inside the quotes; it may be empty. */
static bool line_admonition(const char *text, size_t at, size_t end, Range *title)
{
    const char mark = at < end ? text[at] : '\0';
    size_t i = at + 3, begin;

    *title = (Range){ at, at };
    if (!char_is_among(mark, "!?=") || run_length(text, at, end, mark) != 3) return false;
    while (i < end && ((mark != '!' && text[i] == '+') || (mark == '=' && text[i] == '!'))) i++;
    end = chars_trimmed_end(text, at, end);
    if (i >= end || !char_is_blank(text[i])) return false;
    begin = i = chars_skip_space(text, i, end);
    while (i < end && (char_is_alphanumeric(text[i]) || char_is_blank(text[i]) || text[i] == '-' || text[i] == '_'))
        i++;
    if (mark == '=' && i > begin) return false;
    if (i == end) return true;
    if (text[i] != '"' || end - i < 2 || text[end - 1] != '"') return false;
    *title = (Range){ i + 1, end - 1 };
    return true;
}

/* Whether one of `bytes` is in text[at..end). */
static bool has_any(const char *text, size_t at, size_t end, const char *bytes)
{
    while (at < end && !char_is_among(text[at], bytes)) at++;
    return at < end;
}

/* Whether the line is an import or export of MDX, such as import x from 'y', and not a sentence. */
static bool line_is_module(const char *text, size_t at, size_t end)
{
    static const struct {
        const char *word, *marks; /* one of the marks must follow, because sentences do not contain them */
    } rows[] = { { "const ", "={;" }, { "let ", "={;" }, { "var ", "={;" },        { "function ", "({" },
                 { "async ", "({" },  { "class ", "{" }, { "default ", "({[=;<" }, { "* ", "'\"" } };
    const bool is_import = chars_begin(text, at, end, "import ");

    end = chars_trimmed_end(text, at, end);
    if (!is_import && !chars_begin(text, at, end, "export ")) return false;
    at += sizeof "import " - 1;
    if (at >= end) return false;
    if (is_import) { /* an import ends with an address in quotes, or its braces end in a later line */
        if (text[at] == '{' && !has_any(text, at, end, "}")) return true;
        if (text[end - 1] == ';') end = chars_trimmed_end(text, at, end - 1);
        if (end == at || !has_any(text, end - 1, end, "'\"")) return false;
        return has_any(text, at, at + 1, "{*'\"") || chars_after(text, at, end, " from '", 0) ||
               chars_after(text, at, end, " from \"", 0);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (chars_begin(text, at, end, rows[i].word) && has_any(text, at + strlen(rows[i].word), end, rows[i].marks))
            return true;
    return text[at] == '{' || (chars_begin(text, at, end, "default ") && !has_any(text, at + 8, end, " "));
}

/* Returns where the object in a line that exports it begins, as in export const metadata = {, or `end`. */
static size_t line_object(const char *text, size_t at, size_t end)
{
    static const char head[] = "export default ";
    const size_t mark = chars_begin(text, at, end, head) ? at + sizeof head - 1 : chars_after(text, at, end, "=", end);
    const size_t object = chars_skip_space(text, mark, end);

    return chars_begin(text, at, end, "export ") && object < end && text[object] == '{' ? object : end;
}

/* Returns where the first cell of a row begins. */
static size_t first_cell(const char *text, Range row)
{
    return row.begin + chars_begin(text, row.begin, row.end, "|");
}

/* Finds the next cell of a row from *at on. Returns false after the last cell. */
static bool line_next_cell(const char *text, size_t *at, size_t end, Range *cell)
{
    size_t i = *at;

    if (chars_skip_space(text, i, end) >= end) return false;
    while (i < end && text[i] != '|') i += text[i] == '\\' && i + 1 < end ? 2 : 1;
    *cell = chars_trimmed(text, *at, i);
    *at = i + 1;
    return true;
}

static size_t count_cells(const char *text, Range row)
{
    size_t at = first_cell(text, row), count = 0;
    Range cell;

    while (line_next_cell(text, &at, row.end, &cell)) count++;
    return count;
}

/* Whether the row is the line under the header of a table, and has as many cells as the header. */
static bool line_is_delimiter_row(const char *text, Range row, Range header)
{
    size_t at = first_cell(text, row);
    Range cell;

    if (row.begin == row.end || !strchr("|-:", text[row.begin]) || !has_any(text, row.begin, row.end, "|:"))
        return false;
    while (line_next_cell(text, &at, row.end, &cell)) {
        const size_t begin = cell.begin + (cell.begin < cell.end && text[cell.begin] == ':');
        const size_t stop = cell.end - (cell.end > begin && text[cell.end - 1] == ':');
        if (begin == stop || begin + run_length(text, begin, stop, '-') != stop) return false;
    }
    return count_cells(text, row) == count_cells(text, header);
}

/* Returns the length of [^label]: at the beginning of the line; 0: the line begins no footnote. */
static size_t line_footnote(const char *text, size_t at, size_t end)
{
    size_t after;

    if (end - at < 5 || text[at] != '[' || text[at + 1] != '^') return 0;
    after = markdown_read_label(text, at, end);
    return after > at + 3 && after < end && text[after] == ':' ? after + 1 - at : 0;
}

/* Returns the byte after {%, {%-, {{< or {{% and the blanks that follow; `at` if there is no such mark. */
static size_t after_tag_mark(const char *text, size_t at, size_t end)
{
    size_t i = at;

    if (chars_begin(text, at, end, "{%"))
        i += chars_begin(text, at, end, "{%-") ? 3 : 2;
    else if (chars_begin(text, at, end, "{{<") || chars_begin(text, at, end, "{{%"))
        i += 3;
    return i > at ? chars_skip_blanks(text, i, end) : at;
}

static size_t name_end(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_letter(text[at])) at++;
    return at;
}

/* Tags of templates whose contents are code or a comment. */
static const char *const code_tags[] = { "codeblock", "comment", "highlight", "katex", "math", "mermaid" };

#define CODE_TAGS (sizeof code_tags / sizeof *code_tags)

/* Whether the line is only {% highlight ... %} of Jekyll, {{< highlight ... >}} of Hugo or the like. *tag is the index
 * of the tag. */
static bool line_begins_code(const char *text, size_t at, size_t end, size_t *tag)
{
    const size_t begin = after_tag_mark(text, at, end), stop = name_end(text, begin, end);
    const char *mark = end - at < 3 || text[at + 1] == '%' ? "%}" : text[at + 2] == '<' ? ">}}" : "%}}";
    size_t after;

    end = chars_trimmed_end(text, at, end);
    for (*tag = 0; *tag < CODE_TAGS && !chars_are(text + begin, stop - begin, code_tags[*tag]);) ++*tag;
    if (begin == at || *tag == CODE_TAGS) return false;
    after = chars_after(text, stop, end, mark, 0);
    return after == end && text[after - strlen(mark) - 1] != '/';
}

/* Returns the place of the end tag of `name`, {% endhighlight %} or {{< /highlight >}}; `end` if there is none. */
static size_t find_code_end(const char *text, size_t at, size_t end, const char *name)
{
    for (; (at = chars_find(text, at, end, '{')) < end; at++) {
        size_t i = after_tag_mark(text, at, end);
        if (i == at) continue;
        if (text[at + 1] == '%')
            i = chars_begin(text, i, end, "end") ? i + 3 : end;
        else
            i = chars_begin(text, i, end, "/") ? chars_skip_blanks(text, i + 1, end) : end;
        if (chars_are(text + i, name_end(text, i, end) - i, name)) return at;
    }
    return end;
}

/* Whether one of `names`, a list separated by spaces, is at byte `at` as a whole word. */
static bool has_name(const char *text, size_t at, size_t end, const char *names)
{
    size_t after = at;

    while (after < end && !char_is_space(text[after]) && text[after] != '>' && text[after] != '/') after++;
    return after <= end && chars_are_in(text + at, after - at, names);
}

/* Returns the kind (1 to 7 in CommonMark) of the HTML block that begins, or 0. `interrupts`: it is in a paragraph. */
static int line_html(const char *text, size_t at, size_t end, bool interrupts)
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
        if (chars_begin(text, at, end, "<!--")) return 2;
        if (chars_begin(text, at, end, "<![CDATA[")) return 5;
        return char_is_letter(text[at + 2]) ? 4 : 0;
    }
    if (has_name(text, at + 1 + (text[at + 1] == '/'), end, block_names)) return 6;
    if (interrupts) return 0;
    tag = markdown_read_html(text, at, end);
    if (tag == at || !markdown_line_is_blank(text, tag, end)) return 0;
    return html_token_read(text, at, end).bytes.end == tag ? 7 : 0; /* HTML may end a tag of JSX earlier */
}

/* Whether the line defines an abbreviation, such as *[HTML]: Hyper Text Markup Language. *meaning may be empty. */
static bool line_abbreviation(const char *text, size_t at, size_t end, Range *meaning)
{
    size_t i;

    if (end - at < 5 || text[at] != '*' || text[at + 1] != '[') return false;
    i = markdown_read_label(text, at + 1, end);
    if (i == at + 1 || i == end || text[i] != ':') return false;
    *meaning = chars_trimmed(text, i + 1, end);
    return true;
}

/* --- Lines that belong to no standard, but are markup in many documents. */

/* A ^ before fewer characters may stand for a key or an exponent, as in ^C and x ^2. */
#define SHORTEST_BLOCK_ID 3

/* Whether the line is [!type], [!type]+ Title or [!type]- Title, the first line of a callout. *title may be empty. */
static bool line_callout(const char *text, size_t at, size_t end, Range *title)
{
    size_t i = chars_find(text, at, end, ']') + 1;

    if (!chars_begin(text, at, end, "[!") || i > end || i == at + 3) return false;
    if (i < end && (text[i] == '+' || text[i] == '-')) i++;
    if (i < end && !char_is_space(text[i])) return false;
    *title = chars_trimmed(text, i, end);
    return true;
}

/* Whether the line is /// or /// type | Title, which pymdownx.blocks has around a block. *title becomes the title if
 * there is one. /// html | x has the name of an element instead. */
static bool line_block(const char *text, size_t at, size_t end, Range *title)
{
    const size_t slashes = at + run_length(text, at, end, '/'), type = chars_skip_blanks(text, slashes, end);
    size_t type_end = type, i;

    while (type_end < end && (char_is_alphanumeric(text[type_end]) || char_is_among(text[type_end], "-_"))) type_end++;
    i = chars_skip_blanks(text, type_end, end);
    if (slashes < at + 3 || (type_end > type && type == slashes)) return false;
    if (i == end || text[i] != '|' || type_end == type) return markdown_line_is_blank(text, i, end);
    if (!chars_are(text + type, type_end - type, "html")) *title = chars_trimmed(text, i + 1, end);
    return true;
}

/* Whether the line is like +---+===+: part of a grid table of Pandoc, or of a figure that is drawn with characters. */
static bool line_is_grid(const char *text, size_t at, size_t end)
{
    const Range line = chars_trimmed(text, at, end);

    if (line.end - line.begin < 3 || text[line.begin] != '+' || text[line.end - 1] != '+') return false;
    for (size_t i = line.begin + 1; i < line.end; i++)
        if (!char_is_among(text[i], "+-=:") || (text[i] == '+' && text[i - 1] == '+')) return false;
    return true;
}

/* Counts the groups of two or more dashes in a line like -----  ----; 0: the line has something else in it. */
static size_t dash_groups(const char *text, Range line)
{
    size_t count = 0, dashes;

    for (size_t at = line.begin; (at = chars_skip_space(text, at, line.end)) < line.end; at += dashes, count++) {
        dashes = run_length(text, at, line.end, '-');
        if (dashes < 2) return 0;
    }
    return count;
}

/* Whether the line is like -----  ----: it underlines the header of a simple table of Pandoc. Where the line has blanks
 * between its dashes, the header has blanks as well, and it has two cells. Both ranges are whole lines. */
static bool line_is_columns(const char *text, Range line, Range header)
{
    size_t columns = 0, k = header.begin;

    line.end = chars_trimmed_end(text, line.begin, line.end);
    if (dash_groups(text, line) < 2) return false;
    for (size_t i = line.begin; i < line.end && k < header.end; i++) {
        if (text[i] != '-' && !char_is_space(text[k])) return false;
        columns += text[i] == '-' && (i == line.begin || text[i - 1] != '-');
        do k++;
        while (k < header.end && char_goes_on(text[k]));
    }
    return columns >= 2;
}

/* The most bytes of a table between two lines of dashes. */
#define LONGEST_TABLE ((size_t)1 << 16)
/* How often a byte is searched for such tables in vain, on average. Then the time is linear. */
#define MOST_SEARCHES 16

/* Returns the end of the table of Pandoc that the line begins; 0: it begins none. The table is between two equal lines
 * of dashes. They have several groups, or a line with several groups underlines the header; blank lines may follow.
 * *searched counts the bytes that were searched in vain since the beginning of the text. */
static size_t table_end(const char *text, Range line, size_t end, size_t *searched)
{
    const size_t first = chars_next_line(text, line.end, end), limit = chars_limit(first, end, LONGEST_TABLE);
    const Range top = chars_trimmed(text, line.begin, line.end);
    size_t groups = *searched / MOST_SEARCHES > line.end ? 0 : dash_groups(text, top);

    for (size_t at = first, next; groups && at < limit; at = next) {
        Range row;
        next = chars_next_line(text, at, end);
        row = chars_trimmed(text, at, next);
        *searched += next - at;
        if (row.begin == row.end && (groups == 1 || at == first)) return 0;
        if (groups > 1 && row.end - row.begin == top.end - top.begin &&
            memcmp(text + row.begin, text + top.begin, row.end - row.begin) == 0) {
            *searched -= next - first;
            return row.end;
        }
        if (groups == 1 && dash_groups(text, row) > 1) groups = 2;
    }
    return 0;
}

/* Whether the lines of the paragraph [at, end) are a line block of Pandoc: each line begins with | and a blank. A line
 * with another | would belong to a table. */
static bool lines_are_block(const char *text, size_t at, size_t end)
{
    for (size_t next; at < end; at = next) {
        const size_t stop = chars_find(text, at, end, '\n');
        next = stop + (stop < end);
        if (text[at] != '|' || (at + 1 < stop && !char_is_blank(text[at + 1]))) return false;
        if (memchr(text + at + 1, '|', stop - at - 1)) return false;
    }
    return true;
}

/* Returns the paragraph without a block name of Obsidian, such as ^shopping-list, at its end. */
static Range without_block_id(const char *text, Range paragraph)
{
    const size_t end = chars_trimmed(text, paragraph.begin, paragraph.end).end;
    size_t i = end;

    while (i > paragraph.begin && (char_is_alphanumeric(text[i - 1]) || text[i - 1] == '-')) i--;
    if (end - i < SHORTEST_BLOCK_ID || i == paragraph.begin || text[i - 1] != '^') return paragraph;
    if (--i > paragraph.begin && !char_is_space(text[i - 1])) return paragraph;
    return chars_trimmed(text, paragraph.begin, i);
}

/* --- A position in a line of Markdown, with its column. A tab reaches up to the next column that is a multiple of
 * 4. */

/* A position in a line that ends at byte `end`. */
typedef struct {
    size_t at, end, column;
    size_t text, text_column; /* the position after the white space */
} MarkdownCursor;

static size_t next_column(char c, size_t column)
{
    return c == '\t' ? (column / 4 + 1) * 4 : column + 1;
}

static MarkdownCursor cursor_at(const char *bytes, size_t at, size_t end, size_t column)
{
    MarkdownCursor c = { at, end, column, at, column };

    for (; c.text < end && char_is_blank(bytes[c.text]); c.text++)
        c.text_column = next_column(bytes[c.text], c.text_column);
    return c;
}

/* Returns the columns of white space after the cursor. */
static size_t cursor_indent(const MarkdownCursor *c)
{
    return c->text_column - c->column;
}

/* Skips at most `columns` columns of white space. It may skip only a part of a tab. */
static void cursor_skip_columns(const char *bytes, MarkdownCursor *c, size_t columns)
{
    const size_t target = c->column + columns;

    while (c->at < c->text && next_column(bytes[c->at], c->column) <= target) {
        c->column = next_column(bytes[c->at], c->column);
        c->at++;
    }
    if (c->at < c->text && bytes[c->at] == '\t') c->column = target;
}

/* Skips all white space and `length` bytes after it. */
static void cursor_skip_marker(const char *bytes, MarkdownCursor *c, size_t length)
{
    *c = cursor_at(bytes, c->text + length, c->end, c->text_column + length);
}

static bool cursor_is_blank(const char *bytes, const MarkdownCursor *c)
{
    return c->text == c->end || (bytes[c->text] == '\r' && markdown_line_is_blank(bytes, c->text, c->end));
}

/* --- Metadata without marks around it at the beginning of a Markdown document: lines `Key: value` of Pelican and
 * MultiMarkdown up to a blank line; or the title block of Pandoc, at most three lines that begin with %: title,
 * authors, date. An indented line continues the value before it. */

#define TITLE_BLOCK_FIELDS 3

/* Returns the byte after the line at byte `at`, which is less than `end`, and after the indented lines that follow. */
static size_t field_end(const char *bytes, size_t at, size_t end)
{
    at = chars_next_line(bytes, at, end);
    while (at < end && char_is_blank(bytes[at])) {
        const size_t next = chars_next_line(bytes, at, end);
        if (markdown_line_is_blank(bytes, at, next)) break;
        at = next;
    }
    return at;
}

static bool is_percent_field(const char *bytes, size_t at, size_t end)
{
    return at < end && bytes[at] == '%' && (at + 1 == end || char_is_space(bytes[at + 1]));
}

/* Finds the key of the line [at, end) and where its value begins. */
static bool read_key(const char *bytes, size_t at, size_t end, Range *key, size_t *value)
{
    size_t i = at;

    if (i == end || !char_is_letter(bytes[i])) return false;
    while (i < end && (char_is_alphanumeric(bytes[i]) || bytes[i] == '_' || bytes[i] == '-' || bytes[i] == ' ')) i++;
    if (i == end || bytes[i] != ':' || (i + 1 < end && !char_is_space(bytes[i + 1]))) return false;
    *key = (Range){ at, i };
    *value = i + 1;
    return true;
}

/* Whether the key is a word that hardly ever begins a sentence. */
static bool is_common(const char *bytes, Range key)
{
    return html_name_is_in(bytes, key, "title slug layout template css");
}

/* Whether a line that begins with this key and a colon may be metadata. Only keys of MultiMarkdown have several
 * words. */
static bool is_key(const char *bytes, Range key)
{
    static const char *const phrases[] = { "base header level", "html header",    "html footer",  "latex config",
                                           "latex input",       "latex footer",   "latex header", "latex mode",
                                           "odf header",        "quotes language" };

    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (chars_begin_case(bytes, key.begin, key.end, phrases[i]) && strlen(phrases[i]) == key.end - key.begin)
            return true;
    if (memchr(bytes + key.begin, ' ', key.end - key.begin)) return false;
    return (bytes[key.begin] >= 'A' && bytes[key.begin] <= 'Z') || is_common(bytes, key) ||
           html_name_is_in(bytes, key,
                           "author authors date category categories tag tags modified date_created date_modified "
                           "subtitle summary description keywords lang language status copyright url save_as email "
                           "affiliation");
}

/* Returns the byte after the metadata that begins at byte `at` of the document [at, end), or `at` if there is none.
 * Lines with keys are metadata if there are two or more, all keys pass is_key(), and one of them is a common key such
 * as Title. */
static size_t metadata_end(const char *bytes, size_t at, size_t end)
{
    size_t i = at, count = 0, value;
    bool has_common = false;
    Range key;

    if (is_percent_field(bytes, at, end)) {
        for (; count < TITLE_BLOCK_FIELDS && is_percent_field(bytes, i, end); count++) i = field_end(bytes, i, end);
        return i;
    }
    for (; i < end; i = field_end(bytes, i, end), count++) {
        if (markdown_line_is_blank(bytes, i, chars_next_line(bytes, i, end))) return count > 1 && has_common ? i : at;
        if (!read_key(bytes, i, end, &key, &value) || !is_key(bytes, key)) break;
        has_common |= is_common(bytes, key);
    }
    return at;
}

/* --- Links to headings of the same document: [Setup](#first-steps) leads to the heading "First steps", because GitHub
 * and others make the address of a heading from its text. The translated heading would have another address, so it gets
 * an anchor with the old address: <a id="first-steps"></a>. GitHub makes an address from the text without markup, in
 * lower case, with hyphens instead of spaces. It keeps only letters, marks, numbers, hyphens and connectors such as _.
 * If the address exists already, GitHub adds a number (github.com/gjtorikian/html-pipeline,
 * table_of_contents_filter.rb). */

#define LONGEST_ADDRESS ((size_t)300)
#define LONGEST_ENTITY  ((size_t)32)
#define EQUAL_HEADINGS  20 /* if more headings have the same text, the others get no anchor */

/* Starts as {0}. */
typedef struct {
    StrMap *links;    /* addresses of headings in links, without #; NULL: there are none, so no anchors are needed */
    StrMap *headings; /* the addresses of the headings so far */
    Buf address;
} MarkdownAnchors;

static void anchors_free(MarkdownAnchors *a)
{
    str_map_free(a->links);
    str_map_free(a->headings);
    buf_free(&a->address);
    *a = (MarkdownAnchors){ 0 };
}

/* Finds the addresses of headings in links: after "(#", "]: #" and href="#. %C3%BC in an address stands for ü. A
 * bilingual document keeps the old headings, so it needs no anchors. */
static void anchors_find(MarkdownAnchors *a, DocumentBuilder *builder)
{
    static const char *const marks[] = { "(#", "]: #", "href=\"#" };
    const BuilderInput input = document_builder_input(builder);
    const char *text = input.bytes;
    Status st;

    if (input.options->bilingual || document_builder_failed(builder)) return;
    st = str_map_new(&a->links, NULL);
    if (st == OK) st = str_map_new(&a->headings, NULL);
    for (size_t at = input.begin; st == OK && (at = chars_find(text, at, input.end, '#') + 1) <= input.end;) {
        bool is_link = false;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) is_link |= chars_end(text, input.begin, at, marks[i]);
        if (!is_link) continue;
        buf_reuse(&a->address);
        for (size_t i = at; i < input.end && (unsigned char)text[i] > ' ' && !strchr(")\"'<>", text[i]); i++) {
            const int high = text[i] == '%' && input.end - i > 2 ? char_hex_value(text[i + 1]) : -1;
            const int low = high < 0 ? -1 : char_hex_value(text[i + 2]);
            buf_put_byte(&a->address, low < 0 ? text[i] : (char)(high * 16 + low));
            if (a->address.len > LONGEST_ADDRESS) break;
            if (low >= 0) i += 2;
        }
        st = buf_check(&a->address, NULL);
        if (st == OK && a->address.len && a->address.len <= LONGEST_ADDRESS)
            st = str_map_add(a->links, a->address.data, a->address.len, 0, NULL, NULL);
    }
    document_builder_check(builder, st);
    if (st != OK || !str_map_count(a->links)) anchors_free(a);
}

/* Whether byte `at` of the heading is a letter or a digit, or part of a character that is not ASCII. */
static bool is_in_word(const char *text, size_t at, Range heading)
{
    return at >= heading.begin && at < heading.end && ((unsigned char)text[at] >= 0x80 || u_isalnum(text[at]));
}

/* Sets a->address to the address of the heading. The caller checks the buffer. */
static void make_address(MarkdownAnchors *a, const char *text, Range heading)
{
    const uint32_t kept = U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK | U_GC_PC_MASK;

    buf_reuse(&a->address);
    for (size_t at = heading.begin, i; at < heading.end && a->address.len <= LONGEST_ADDRESS;) {
        const bool is_emphasis =
            text[at] == '_' && !(is_in_word(text, at - 1, heading) && is_in_word(text, at + 1, heading));
        uint32_t code;
        char small[4];
        at += utf8_next(text + at, heading.end - at, &code);
        if (code == ']' && at < heading.end && text[at] == '(') /* the target of a link */
            at = chars_after(text, at, heading.end, ")", at);
        if (code == '&') { /* the rest of an entity */
            for (i = at; i < heading.end && i - at < LONGEST_ENTITY && (u_isalnum(text[i]) || text[i] == '#');) i++;
            if (i < heading.end && i > at && text[i] == ';') at = i + 1;
        }
        if (code == ' ')
            buf_put_byte(&a->address, '-');
        else if (code != UTF8_INVALID && ((U_GET_GC_MASK((UChar32)code) & kept) || code == '-') && !is_emphasis)
            buf_put(&a->address, small, utf8_put((uint32_t)u_tolower((UChar32)code), small));
    }
}

/* Whether {#id} or other attributes with an id, such as {: #id } or {.class #id}, begin at byte `at`. */
static bool has_id(const char *text, size_t at, size_t end)
{
    const size_t close =
        at < end && text[at] == '{' ? chars_find(text, at, chars_limit(at, end, LONGEST_ADDRESS), '}') : at;

    return chars_find(text, at, close, '#') < close;
}

/* Adds an anchor before the text `heading` if a link has its address and no {#id} follows it. Call it for all headings,
 * in order: the second heading "First steps" has the address first-steps-1. */
static void anchors_add(MarkdownAnchors *a, DocumentBuilder *builder, Range heading)
{
    const BuilderInput input = document_builder_input(builder);
    const size_t after = chars_skip(input.bytes, heading.end, input.end, " \t#");
    char anchor[LONGEST_ADDRESS + sizeof "-19<a id=\"\"></a>"];
    bool unique = false;
    size_t length;
    Status st = OK;

    if (!a->links) return;
    make_address(a, input.bytes, heading);
    length = a->address.len;
    if (!a->address.failed && (!length || length > LONGEST_ADDRESS)) return;
    for (unsigned i = 0; st == OK && !unique && i < EQUAL_HEADINGS; i++) {
        a->address.len = length;
        if (i) buf_put_format(&a->address, "-%u", i);
        st = buf_check(&a->address, NULL);
        if (st == OK) st = str_map_add(a->headings, a->address.data, a->address.len, 0, &unique, NULL);
    }
    document_builder_check(builder, st);
    if (!unique || has_id(input.bytes, after, input.end)) return;
    if (str_map_get(a->links, a->address.data, a->address.len, -1) < 0) return;
    (void)snprintf(anchor, sizeof anchor, "<a id=\"%s\"></a>", a->address.data);
    document_builder_mark(builder, EVERY_TRANSLATION, heading.begin, heading.begin, anchor);
}

/* --- Blocks. */

/* The most nested containers. Deeper ones are taken for text. */
#define CONTAINER_DEPTH 100
/* A paragraph may be longer than any single text, because addresses may contain whole pictures. */
#define LONGEST_PARAGRAPH ((size_t)64 << 20)

typedef enum { CONTAINER_QUOTE, CONTAINER_ITEM, CONTAINER_ADMONITION } ContainerKind;

typedef struct {
    ContainerKind kind;
    size_t indent; /* columns before the text of a list item, a footnote or an admonition */
    bool is_empty; /* only its marker was read so far */
} Container;

/* Those from LEAF_FENCE on are read by continue_raw(). */
typedef enum {
    LEAF_NONE,
    LEAF_TEXT,
    LEAF_TABLE,
    LEAF_TAG,
    LEAF_MODULE,
    LEAF_FENCE,
    LEAF_HTML,
    LEAF_GRID,
    LEAF_COLUMNS
} LeafKind;

typedef struct {
    const char *bytes;
    size_t end;
    bool is_reporting;       /* the document is read for the second time */
    MarkdownTexts texts;     /* the paragraph that is being read */
    MarkdownAnchors anchors; /* empty while the document is read for the first time */
    Container containers[CONTAINER_DEPTH];
    size_t depth;
    LeafKind leaf;
    char fence;
    size_t fence_length;
    bool has_options;               /* the lines read so far of the code are options of Quarto */
    size_t object_end, object_read; /* of the object that a module of MDX exports; where reading objects ended */
    size_t tag;                     /* the template tag whose contents, code, are being read */
    size_t code_ends[CODE_TAGS];    /* the last end tags that were searched for, or `end`; 0: none yet */
    int html_kind;
    Range html;
    Range last;         /* the last line of the paragraph */
    size_t whole_end;   /* of the last display formula or tag in the paragraph, or of the table */
    size_t searched;    /* bytes in which table_end() has found no table */
    bool is_in_formula; /* a $$ of the paragraph has no second $$ yet */
} MarkdownParser;

static void clear_paragraph(MarkdownTexts *t)
{
    buf_reuse(&t->text);
    t->lines.len = 0;
}

/* Adds one or more lines to the paragraph. Lines after the first one lose the white space at their beginning. */
static void add_line(MarkdownParser *p, Range line)
{
    MarkdownTexts *t = &p->texts;
    bool is_last;

    p->last = line;
    if (line.end - line.begin > LONGEST_PARAGRAPH - t->text.len) {
        document_builder_fail(p->texts.builder, line.begin, "a paragraph has more than %zu MB, which is not supported",
                              LONGEST_PARAGRAPH >> 20);
        return;
    }
    do {
        const size_t newline = chars_find(p->bytes, line.begin, line.end, '\n');
        const MarkdownLine begin = { t->text.len + (t->lines.len > 0), line.begin };
        is_last = newline == line.end;
        if (t->lines.len) buf_put_byte(&t->text, '\n');
        LIST_PUT(&t->lines, begin);
        buf_put(&t->text, p->bytes + line.begin,
                newline - line.begin - (!is_last && newline > line.begin && p->bytes[newline - 1] == '\r'));
        if (!is_last) line.begin = chars_skip_blanks(p->bytes, newline + 1, line.end);
    } while (!is_last);
    if (t->text.failed || t->lines.failed) document_builder_fail_memory(p->texts.builder);
}

static void add_units(MarkdownParser *p, Range range, unsigned context)
{
    if (p->is_reporting && !document_builder_failed(p->texts.builder)) markdown_units_add(&p->texts, range, context);
}

/* Adds a text of one or more lines. */
static void add_text(MarkdownParser *p, Range lines, unsigned context)
{
    if (!p->is_reporting || lines.begin == lines.end) return;
    add_line(p, lines);
    add_units(p, (Range){ 0, p->texts.text.len }, context);
    clear_paragraph(&p->texts);
}

/* Reads the definitions of link labels at the beginning of the paragraph and returns where they end. */
static size_t read_definitions(MarkdownParser *p)
{
    const MarkdownTexts *t = &p->texts;
    size_t at = 0, end;
    Range label, title;

    for (; at < t->text.len; at = end) {
        uint64_t key;
        end = markdown_read_definition(t->text.data, at, t->text.len, &label, &title);
        if (end == at) return at;
        if (p->is_reporting) {
            markdown_units_add_title(t, title);
            continue;
        }
        key = markdown_label_key(t->text.data, label);
        document_builder_check(t->builder, str_map_add(t->labels, (const char *)&key, sizeof key, 0, NULL, NULL));
    }
    return at;
}

/* Adds each line of the paragraph from byte `at` on as a unit, without its first `mark` bytes. */
static void add_lines(MarkdownParser *p, size_t at, size_t mark, unsigned context)
{
    for (size_t stop; at < p->texts.text.len; at = stop + 1) {
        stop = chars_find(p->texts.text.data, at, p->texts.text.len, '\n');
        add_units(p, (Range){ at + mark, stop }, context);
    }
}

static void end_paragraph(MarkdownParser *p, bool is_heading)
{
    const size_t begin = read_definitions(p);
    Range range = { begin, p->texts.text.len };

    if (is_heading) range = line_heading_text(p->texts.text.data, begin, range.end);
    if (is_heading && range.end > range.begin)
        anchors_add(&p->anchors, p->texts.builder,
                    (Range){ markdown_texts_source(&p->texts, range.begin),
                             markdown_texts_source(&p->texts, range.end - 1) + 1 });
    if (!is_heading && lines_are_block(p->texts.text.data, begin, range.end))
        add_lines(p, begin, 1, MARKDOWN_INLINE);
    else
        add_units(p, without_block_id(p->texts.text.data, range), MARKDOWN_PARAGRAPH);
    clear_paragraph(&p->texts);
}

/* Whether the line is in a quote. There, HTML is read line by line, because quote marks are between the lines. */
static bool is_in_quote(const MarkdownParser *p)
{
    for (size_t i = 0; i < p->depth; i++)
        if (p->containers[i].kind == CONTAINER_QUOTE) return true;
    return false;
}

static void end_html(MarkdownParser *p)
{
    if (p->is_reporting && p->html.begin < p->html.end)
        html_units_add(p->texts.builder, p->html.begin, p->html.end, false);
    p->html.begin = p->html.end;
}

static void end_leaf(MarkdownParser *p)
{
    if (p->leaf == LEAF_TEXT) end_paragraph(p, false);
    if (p->leaf == LEAF_HTML) end_html(p);
    p->leaf = LEAF_NONE;
}

/* Ends the leaf block, and all containers but the outer `matched` ones, which the current line continues. */
static void end_blocks(MarkdownParser *p, size_t matched)
{
    end_leaf(p);
    p->depth = matched;
}

/* Whether the line continues the container. If so, the cursor skips the container's mark. */
static bool match_container(const MarkdownParser *p, const Container *container, MarkdownCursor *c)
{
    if (container->kind == CONTAINER_QUOTE) {
        if (cursor_indent(c) > 3 || c->text == c->end || p->bytes[c->text] != '>') return false;
        cursor_skip_marker(p->bytes, c, 1);
        cursor_skip_columns(p->bytes, c, 1);
        return true;
    }
    if (cursor_is_blank(p->bytes, c)) return !container->is_empty;
    if (cursor_indent(c) < container->indent) return false;
    cursor_skip_columns(p->bytes, c, container->indent);
    return true;
}

static void push_container(MarkdownParser *p, size_t *matched, Container container)
{
    end_blocks(p, *matched);
    p->containers[p->depth++] = container;
    *matched = p->depth;
}

/* Opens the container that begins at the cursor. Returns false if none begins there. */
static bool open_container(MarkdownParser *p, MarkdownCursor *c, size_t *matched)
{
    const bool interrupts = p->leaf == LEAF_TEXT && *matched == p->depth;
    const size_t text = c->text;
    Container item;
    bool is_empty;
    Range title;
    size_t length;

    if (cursor_indent(c) > 3 || text == c->end || *matched == CONTAINER_DEPTH) return false;
    if (p->bytes[text] == '>') {
        cursor_skip_marker(p->bytes, c, 1);
        cursor_skip_columns(p->bytes, c, 1);
        push_container(p, matched, (Container){ .kind = CONTAINER_QUOTE });
        return true;
    }
    if (line_is_rule(p->bytes, text, c->end)) return false;
    if (line_admonition(p->bytes, text, c->end, &title)) { /* or a tab; the line may contain a title */
        push_container(p, matched, (Container){ .kind = CONTAINER_ADMONITION, .indent = 4 });
        add_text(p, title, MARKDOWN_INLINE);
        cursor_skip_marker(p->bytes, c, c->end - c->text);
        return true;
    }
    /* a definition begins with a colon, a blank and text */
    length = c->end - text > 2 && p->bytes[text] == ':' && char_is_blank(p->bytes[text + 1]) &&
             !markdown_line_is_blank(p->bytes, text + 1, c->end);
    if (length && interrupts) { /* each line of the paragraph is a term */
        add_lines(p, read_definitions(p), 0, MARKDOWN_PARAGRAPH);
        clear_paragraph(&p->texts);
        p->leaf = LEAF_NONE;
    }
    if (!length) length = line_marker(p->bytes, text, c->end, interrupts);
    if (length) { /* an item of a list */
        const size_t column = c->column;
        size_t blanks;
        cursor_skip_marker(p->bytes, c, length);
        is_empty = cursor_is_blank(p->bytes, c);
        blanks = is_empty || cursor_indent(c) > 4 ? 1 : cursor_indent(c);
        item = (Container){ CONTAINER_ITEM, c->column - column + blanks, is_empty };
        cursor_skip_columns(p->bytes, c, blanks);
        push_container(p, matched, item);
        return true;
    }
    length = line_footnote(p->bytes, text, c->end);
    if (!length) return false;
    cursor_skip_marker(p->bytes, c, length);
    push_container(p, matched,
                   (Container){ .kind = CONTAINER_ITEM, .indent = 4, .is_empty = cursor_is_blank(p->bytes, c) });
    return true;
}

/* Adds a line to the HTML block, which it may end: a blank line ends a block of CommonMark's kind 6 or 7. */
static void add_html_line(MarkdownParser *p, const MarkdownCursor *c)
{
    static const char *const marks[][4] = { [1] = { "</pre>", "</script>", "</style>", "</textarea>" },
                                            [2] = { "-->" },
                                            [3] = { "?>" },
                                            [4] = { ">" },
                                            [5] = { "]]>" } };
    bool is_last = p->html_kind >= 6 && markdown_line_is_blank(p->bytes, c->text, c->end);

    for (size_t i = 0; p->html_kind < 6 && i < 4 && marks[p->html_kind][i]; i++)
        for (size_t at = c->text; !is_last && at < c->end; at++)
            is_last = chars_begin_case(p->bytes, at, c->end, marks[p->html_kind][i]);
    if (is_in_quote(p)) {
        const bool is_whole = p->html_kind >= 6 || (is_last && p->html.begin == c->text);
        end_html(p);
        p->html.begin = is_whole ? c->text : c->end; /* a part of code or of a comment has no text */
    }
    p->html.end = c->end;
    if (is_last) end_leaf(p);
}

/* Adds the texts of the cells. The translation of a cell at the beginning of the line must not begin a block. */
static void add_cells(MarkdownParser *p, Range row)
{
    size_t at = first_cell(p->bytes, row);
    Range cell;

    while (line_next_cell(p->bytes, &at, row.end, &cell))
        add_text(p, cell, (cell.begin == row.begin ? MARKDOWN_PARAGRAPH : MARKDOWN_INLINE) | MARKDOWN_CELL);
}

/* Returns the line with the blanks before it. */
static Range whole_line(const char *bytes, Range line)
{
    while (line.begin && char_is_blank(bytes[line.begin - 1])) line.begin--;
    return line;
}

/* Whether the paragraph contains the settings of a slide of Slidev: the line before it is ---, and all its lines are
 * like `layout: two-cols`. */
static bool is_slide_settings(const MarkdownParser *p)
{
    const char *text = p->texts.text.data;
    size_t before = markdown_texts_source(&p->texts, 0) - 1, value;

    if (p->depth || before >= p->end || p->bytes[before] != '\n') return false;
    before -= before && p->bytes[before - 1] == '\r';
    if (!chars_end(p->bytes, 0, before, "\n---")) return false;
    for (size_t at = 0, stop; at < p->texts.text.len; at = stop + 1) {
        Range key;
        stop = chars_find(text, at, p->texts.text.len, '\n');
        if (text[at] < 'a' || text[at] > 'z' || !read_key(text, at, stop, &key, &value)) return false;
        if (memchr(text + at, ' ', key.end - at)) return false;
    }
    return true;
}

/* Reads the line if it underlines a heading or the header of a table; otherwise returns false. */
static bool end_with_underline(MarkdownParser *p, Range line)
{
    const Range header = p->last;
    const size_t next = chars_next_line(p->bytes, line.end, p->end);
    const char mark = line.begin < line.end ? p->bytes[line.begin] : '\0';
    const size_t marks = run_length(p->bytes, line.begin, line.end, mark);
    bool is_table;

    if ((mark == '=' || mark == '-') && markdown_line_is_blank(p->bytes, line.begin + marks, line.end)) {
        if (mark == '-' && is_slide_settings(p))
            clear_paragraph(&p->texts);
        else
            end_paragraph(p, true);
        p->leaf = LEAF_NONE;
        return true;
    }
    is_table = line_is_delimiter_row(p->bytes, line, header);
    if (!is_table &&
        (p->depth || !line_is_columns(p->bytes, whole_line(p->bytes, line), whole_line(p->bytes, header)) ||
         markdown_line_is_blank(p->bytes, next, chars_next_line(p->bytes, next, p->end))))
        return false;
    p->texts.lines.len--; /* the last line of the paragraph is the header */
    p->texts.text.len = p->texts.lines.len ? p->texts.lines.data[p->texts.lines.len].text - 1 : 0;
    end_blocks(p, p->depth);
    if (is_table) add_cells(p, header);
    p->leaf = is_table ? LEAF_TABLE : LEAF_COLUMNS;
    p->whole_end = 0;
    return true;
}

/* Whether the line begins code in a template. Without an end tag, it would hide the rest of the document. Each end tag
 * is searched for once, so the time is linear. */
static bool begins_code(MarkdownParser *p, Range line, size_t *tag)
{
    if (!line_begins_code(p->bytes, line.begin, line.end, tag)) return false;
    if (p->code_ends[*tag] < line.end) p->code_ends[*tag] = find_code_end(p->bytes, line.end, p->end, code_tags[*tag]);
    return p->code_ends[*tag] < p->end;
}

/* Whether the line belongs to no paragraph: the first line of a callout, a line with ::: or ///, --8<-- "file" of
 * Python-Markdown, attributes of the next or the previous block ({ .class #id name=value } or {: ... }), [TOC], a
 * comment of MDX, or an abbreviation. *text is the part of the line that is translated; it may be empty. */
static bool is_lone_line(const MarkdownParser *p, Range line, Range *text)
{
    const size_t dashes = run_length(p->bytes, line.begin, line.end, '-');
    const size_t attributes = markdown_read_attributes(p->bytes, line.begin, line.end);
    const Range trimmed = chars_trimmed(p->bytes, line.begin, line.end);
    const size_t size = trimmed.end - trimmed.begin;

    *text = (Range){ line.begin, line.begin };
    if (is_in_quote(p) && p->leaf != LEAF_TEXT && line_callout(p->bytes, line.begin, line.end, text)) return true;
    if (chars_begin(p->bytes, line.begin, line.end, ":::")) return true;
    if (line_block(p->bytes, line.begin, line.end, text)) return true;
    if (dashes && chars_begin(p->bytes, line.begin + dashes, line.end, "8<-")) return true;
    if (attributes > line.begin && markdown_line_is_blank(p->bytes, attributes, line.end)) return true;
    if (size == 5 && p->leaf != LEAF_TEXT && chars_begin_case(p->bytes, trimmed.begin, trimmed.end, "[TOC]"))
        return true;
    if (chars_begin(p->bytes, trimmed.begin, trimmed.end, "{/*") &&
        chars_after(p->bytes, trimmed.begin + 3, trimmed.end, "*/}", 0) == trimmed.end)
        return true;
    return line_abbreviation(p->bytes, line.begin, line.end, text);
}

/* Reads the line if it is a heading, a lone line, or the beginning of code, HTML or a table of Pandoc. Returns false
 * otherwise. */
static bool begin_leaf(MarkdownParser *p, const MarkdownCursor *c, size_t matched)
{
    const Range line = { c->text, c->end };
    const bool interrupts = p->leaf == LEAF_TEXT && matched == p->depth;
    const char mark = line.begin < line.end ? p->bytes[line.begin] : '\0';
    const size_t marks = run_length(p->bytes, line.begin, line.end, mark), after = line.begin + marks;
    /* a heading begins with up to six #; a line that begins with ``` has no other backquotes */
    const bool is_heading = mark == '#' && marks <= 6 && (after == line.end || char_is_space(p->bytes[after]));
    const bool is_fence =
        marks >= 3 && (mark == '~' || (mark == '`' && chars_find(p->bytes, after, line.end, '`') == line.end));
    const int html = line_html(p->bytes, line.begin, line.end, p->leaf == LEAF_TEXT);
    const bool is_grid = line_is_grid(p->bytes, line.begin, line.end);
    Range text = { line.begin, line.begin };
    size_t cell, tag;
    const bool is_tag = begins_code(p, line, &tag);

    if (interrupts && end_with_underline(p, line)) return true;
    if (!is_heading && !is_fence && !is_tag && !html && !line_is_rule(p->bytes, line.begin, line.end) && !is_grid &&
        !is_lone_line(p, line, &text))
        return false;
    end_blocks(p, matched);
    if (is_heading) {
        text = line_heading_text(p->bytes, after, line.end);
        anchors_add(&p->anchors, p->texts.builder, text);
        add_text(p, text, MARKDOWN_INLINE);
    } else if (is_fence) {
        p->leaf = LEAF_FENCE;
        p->fence = mark;
        p->fence_length = marks < LONGEST_FENCE ? marks : LONGEST_FENCE;
        cell = chars_skip_blanks(p->bytes, after, line.end);
        p->has_options = cell + 1 < line.end && p->bytes[cell] == '{' && char_is_letter(p->bytes[cell + 1]);
    } else if (is_tag) {
        p->leaf = LEAF_TAG;
        p->tag = tag;
    } else if (html) {
        p->leaf = LEAF_HTML;
        p->html_kind = html;
        p->html = (Range){ line.begin, line.begin };
        add_html_line(p, c);
    } else if (is_grid) {
        p->leaf = LEAF_GRID;
    } else if ((p->whole_end = table_end(p->bytes, line, p->end, &p->searched)) > 0) {
        p->leaf = LEAF_COLUMNS;
    } else {
        add_text(p, text, MARKDOWN_INLINE);
    }
    return true;
}

/* Adds a line to the paragraph. `may_open`: it may begin a formula or a tag, unless a formula is open. */
static void add_text_line(MarkdownParser *p, Range line, bool may_open)
{
    if (may_open) p->whole_end = p->is_in_formula ? 0 : markdown_whole_lines_end(p->bytes, line, p->end);
    for (size_t at = line.begin; (at = chars_after(p->bytes, at, line.end, "$$", 0));)
        p->is_in_formula = !p->is_in_formula;
    add_line(p, line);
}

/* Reads a line of a paragraph or of a table, which begins no other block at the cursor. */
static void read_text(MarkdownParser *p, Range line, size_t indent, size_t matched)
{
    const bool is_in_item = matched && p->containers[matched - 1].kind == CONTAINER_ITEM;
    const char *text = p->bytes + line.begin;

    if (p->leaf == LEAF_TEXT) { /* the marks of the containers may be missing: CommonMark's "lazy" line */
        add_text_line(p, line, true);
        return;
    }
    if (p->leaf == LEAF_TABLE && matched == p->depth) {
        add_cells(p, line);
        return;
    }
    end_blocks(p, matched);
    if (indent > 3) return; /* code */
    if (is_in_item && line.end - line.begin > 4 && text[0] == '[' && strchr(" xX", text[1]) && text[2] == ']' &&
        char_is_blank(text[3])) /* the box of a task is not part of the paragraph */
        line.begin = chars_skip_space(p->bytes, line.begin + 3, line.end);
    p->is_in_formula = false;
    add_text_line(p, line, true);
    p->leaf = LEAF_TEXT;
}

/* Returns the byte after the mark of an option in a comment of a program, such as #| or //|; `at`: there is none. */
static size_t option_begin(const char *bytes, size_t at, size_t end)
{
    const size_t mark = chars_skip(bytes, at, end, "#/%-*");

    return mark > at && mark < end && bytes[mark] == '|' ? mark + 1 : at;
}

/* Reads a line at the beginning of a cell of Quarto: an option in YAML, such as #| fig-cap: "A house". A value that
 * goes on in an indented line stays, and so does the label, to which the text refers. */
static void read_cell_option(MarkdownParser *p, const MarkdownCursor *c)
{
    const size_t begin = option_begin(p->bytes, c->text, c->end), next = chars_next_line(p->bytes, c->end, p->end);
    const size_t rest = option_begin(p->bytes, next, p->end), key = chars_skip_blanks(p->bytes, begin, c->end);
    const bool goes_on = rest > next && chars_begin(p->bytes, rest, p->end, "  ");

    p->has_options = begin > c->text;
    if (p->has_options && p->is_reporting && !p->depth && !goes_on && !chars_begin(p->bytes, key, c->end, "label:"))
        front_matter_read_yaml(p->texts.builder, begin, c->end);
}

/* Reads a line inside code, HTML or a grid. Returns whether the line belongs to this block. HTML that a blank line can
 * end also ends before a line that begins the code of a template. */
static bool continue_raw(MarkdownParser *p, const MarkdownCursor *c)
{
    const char *bytes = p->bytes;
    size_t tag;

    if (p->leaf == LEAF_COLUMNS) return p->whole_end ? c->text < p->whole_end : !cursor_is_blank(bytes, c);
    if (p->leaf == LEAF_GRID) return c->text < c->end && char_is_among(bytes[c->text], "+|");
    if (p->leaf == LEAF_FENCE) {
        const size_t marks = run_length(bytes, c->text, c->end, p->fence);
        if (cursor_indent(c) < 4 && marks >= p->fence_length && markdown_line_is_blank(bytes, c->text + marks, c->end))
            p->leaf = LEAF_NONE;
        else if (p->has_options)
            read_cell_option(p, c);
        return true;
    }
    if (p->html_kind >= 6 && begins_code(p, (Range){ c->text, c->end }, &tag)) return false;
    add_html_line(p, c);
    return true;
}

static void read_line(MarkdownParser *p, MarkdownCursor c)
{
    size_t matched = 0;

    if (p->leaf == LEAF_TAG) { /* templates know no containers */
        if (find_code_end(p->bytes, c.text, c.end, code_tags[p->tag]) < c.end) p->leaf = LEAF_NONE;
        return;
    }
    if (p->leaf == LEAF_MODULE && (!cursor_is_blank(p->bytes, &c) || c.text < p->object_end)) return;
    while (matched < p->depth && match_container(p, &p->containers[matched], &c)) matched++;

    if (p->leaf == LEAF_TEXT && c.text < p->whole_end) { /* no block begins in a formula or a tag */
        add_text_line(p, (Range){ c.text, c.end }, false);
        return;
    }
    if (matched < p->depth && p->containers[matched].kind == CONTAINER_ADMONITION)
        end_blocks(p, matched); /* a paragraph in an admonition has no lazy lines */
    if (p->leaf >= LEAF_FENCE) {
        if (matched == p->depth && continue_raw(p, &c)) return;
        end_blocks(p, matched);
    }
    while (open_container(p, &c, &matched)) continue;
    if (cursor_is_blank(p->bytes, &c)) {
        end_blocks(p, matched);
        return;
    }
    if (p->depth && matched == p->depth) p->containers[p->depth - 1].is_empty = false;
    if (p->leaf == LEAF_NONE && !p->depth && !cursor_indent(&c) && line_is_module(p->bytes, c.text, c.end)) {
        const size_t object = line_object(p->bytes, c.text, c.end);
        p->leaf = LEAF_MODULE;
        p->object_end = c.text;
        if (object < c.end && object >= p->object_read && /* reads no byte twice, so the time is linear */
            script_values_read_object(p->texts.builder, object, p->is_reporting, &p->object_read))
            p->object_end = p->object_read;
    } else if (cursor_indent(&c) > 3 || !begin_leaf(p, &c, matched)) {
        read_text(p, (Range){ c.text, c.end }, cursor_indent(&c), matched);
    }
}

static void read_lines(MarkdownParser *p, size_t at)
{
    p->depth = 0;
    p->object_read = 0;
    memset(p->code_ends, 0, sizeof p->code_ends);
    for (size_t next; at < p->end && !document_builder_failed(p->texts.builder); at = next) {
        size_t end = chars_find(p->bytes, at, p->end, '\n');
        next = end + (end < p->end);
        if (end > at && p->bytes[end - 1] == '\r') end--;
        read_line(p, cursor_at(p->bytes, at, end, 0));
    }
    end_blocks(p, 0);
}

/* Reads the metadata at the beginning and returns where the blocks begin. A value may have several lines. */
static size_t read_metadata(MarkdownParser *p, size_t begin)
{
    size_t end = front_matter_read(p->is_reporting ? p->texts.builder : NULL, p->bytes, begin, p->end);
    DataPath path = { .builder = p->texts.builder, .is_front_matter = true };

    if (end > begin) return end;
    end = metadata_end(p->bytes, begin, p->end);
    for (size_t at = begin, next; at < end; at = next) {
        size_t value = at + 1;
        Range key;
        next = field_end(p->bytes, at, end);
        if (p->bytes[at] != '%') {
            if (!read_key(p->bytes, at, end, &key, &value)) continue;
            data_path_set(&path, 0, p->bytes + key.begin, key.end - key.begin);
            if (!data_path_is_wanted(&path, p->bytes + value, next - value)) continue;
        }
        add_text(p, chars_trimmed(p->bytes, value, next), MARKDOWN_INLINE);
        if (p->bytes[at] == '%') break; /* only the first field is text */
    }
    data_path_free(&path);
    return end;
}

static void parse_markdown(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    MarkdownParser p = { .texts.builder = builder, .bytes = input.bytes, .end = input.end };

    document_builder_check(builder, str_map_new(&p.texts.labels, NULL));
    read_lines(&p, read_metadata(&p, input.begin));
    p.is_reporting = true;
    anchors_find(&p.anchors, builder);
    read_lines(&p, read_metadata(&p, input.begin));
    str_map_free(p.texts.labels);
    anchors_free(&p.anchors);
    buf_free(&p.texts.text);
    free(p.texts.lines.data);
}

/* --- How characters are spelled in Markdown: with a backslash where they would be markup. */

static const char specials[] = "\\`*_[]<>&!#~|+-.)(:\"'";

#define FIRST_FLAG 64u

/* The most bytes of white space and quote marks before a line of a paragraph. */
#define LONGEST_INDENT ((size_t)200)

static unsigned flag_of(char c)
{
    return char_is_among(c, specials) ? FIRST_FLAG << (strchr(specials, c) - specials) : 0;
}

static char next_byte(const SpellingPlace *place)
{
    return place->after_length ? *place->after : '\n';
}

/* Whether only blanks and quote marks are between the line's beginning and byte `at` of the text before the place. */
static bool is_line_start(const SpellingPlace *place, size_t at)
{
    const size_t limit = at < LONGEST_INDENT ? 0 : at - LONGEST_INDENT;

    if (!at) return true;
    while (at > limit && (char_is_blank(place->before[at - 1]) || place->before[at - 1] == '>')) at--;
    return at > limit && char_is_newline(place->before[at - 1]);
}

/* Whether a character is not markup at this place in a text. Titles have other rules. */
static bool is_safe_in_text(unsigned kind, char c, const SpellingPlace *place)
{
    const char before = place->before_length ? place->before[place->before_length - 1] : '\n', after = next_byte(place);
    const bool is_alone = place->before_length && char_is_space(before) && char_is_space(after);
    const bool can_begin = kind == MARKDOWN_PARAGRAPH; /* its lines can begin blocks */
    const bool begins = can_begin && is_line_start(place, place->before_length);
    size_t number = place->before_length; /* where the digits before it begin */

    if (c == '`') return false;
    if (c == '*') return is_alone;
    if (c == '_')
        return is_alone || (u_isalnum((UChar32)utf8_code_before(place->before, place->before_length)) &&
                            u_isalnum((UChar32)utf8_code_at(place->after, place->after_length, 0)));
    if (c == '[') return place->before_length && after != '^';
    if (c == ']') return !strchr("([:", after);
    if (c == '<') return !char_is_letter(after) && !strchr("/!?", after);
    if (c == '!') return after != '[';
    if (c == '~') return before != '~' && after != '~';
    if (c == ':') return before != ']' && !(begins && char_is_space(after));
    if (c == '(') return before != ']';
    if (c == '>') return !begins;
    if (c == '#' && begins) return after != '#' && !char_is_space(after);
    if (c == '#') return can_begin || !char_is_space(before) || !(after == '#' || char_is_space(after));
    if (c == '+' || c == '-') return !begins || !(char_is_space(after) || after == '-');
    if ((c != '.' && c != ')') || !can_begin || !char_is_space(after)) return true;
    /* with a number before it, the character would begin an item of a list */
    while (number && place->before_length - number < 9 && char_is_digit(place->before[number - 1])) number--;
    return number == place->before_length || !is_line_start(place, number);
}

static bool is_safe(char c, const SpellingPlace *place)
{
    const unsigned kind = place->context % MARKDOWN_KINDS;
    char joined[SPELLING_AHEAD + 1] = "&", reference[HTML_ENTITY_BYTES];
    size_t size, length;

    if (c == '&') { /* safe unless it begins a character reference */
        if (place->after_length) memcpy(joined + 1, place->after, place->after_length);
        length = html_entity_read(joined, place->after_length + 1, false, reference, &size);
        return !length || joined[length - 1] != ';';
    }
    if (c == '\\')
        return place->after_length && !markdown_is_punctuation(next_byte(place)) && !char_is_space(next_byte(place));
    if (c == '|') return !(place->context & MARKDOWN_CELL);
    if (kind == MARKDOWN_DOUBLE) return c != '"';
    if (kind == MARKDOWN_SINGLE) return c != '\'';
    if (kind == MARKDOWN_PARENTHESES) return c != '(' && c != ')';
    return is_safe_in_text(kind, c, place);
}

unsigned markdown_spelling_flag(char c, const SpellingPlace *place)
{
    const unsigned flag = flag_of(c);

    return flag && !is_safe(c, place) ? flag : 0;
}

/* Whether a line of a paragraph that begins with these bytes may begin another block, or be the line below a heading or
 * the header of a table. The rest of the line is not known. All list markers count, because inside a list each would
 * begin an item. */
static bool may_begin_block(const char *text, size_t length)
{
    const char first = length ? text[0] : '\0';
    size_t at = 0, count = 0, tag;
    Range range;

    if (!length) return false;
    if (char_is_among(first, "#>=|:")) return true;
    if (first == '-' || first == '+') return line_marker(text, 0, length, false) || strchr("-=|:", text[1]);
    if (char_is_among(first, "`~!?/")) return length > 2 && text[1] == first && text[2] == first;
    if (first == '<') return line_html(text, 0, length, true) != 0;
    if (first == '[')
        return length > 1 && text[1] == '^' && (!memchr(text, ']', length) || line_footnote(text, 0, length));
    if (first == '*' || first == '_') {
        for (; at < length && (text[at] == first || char_is_blank(text[at])); at++) count += text[at] == first;
        if (count >= 3 && (at == length || char_is_space(text[at]) || char_is_space(text[at - 1])))
            return true; /* a rule */
        return (first == '*' && line_marker(text, 0, length, false)) || line_abbreviation(text, 0, length, &range);
    }
    if (first != '{') return line_marker(text, 0, length, false) > 0;
    if (markdown_read_attributes(text, 0, length)) return true;
    for (size_t end = 3; end <= length; end++)
        if (text[end - 1] == '}') return line_begins_code(text, 0, end, &tag);
    return length > 1 && text[1] != '{' && text[1] != '%';
}

/* Whether a newline may be written here: after a blank or a backslash, it would be a hard break. */
static bool may_break_markdown(const SpellingPlace *place)
{
    const size_t length = place->before_length;

    if (place->context < HTML_CONTEXTS) return true;
    if (may_begin_block(place->after, place->after_length)) return false;
    return !(length && char_is_blank(place->before[length - 1])) && !markdown_is_escaped(place->before, length);
}

static bool is_special_markdown(unsigned context, uint32_t code)
{
    static const char *const lists[] = { "\\`*_[]<>&!#~|+-.)(:", "\\`*_[]<&!#~|(", "\\&|\"", "\\&|'", "\\&|()" };

    if (context < HTML_CONTEXTS) return html_spelling.is_special(context, code);
    return code && code < 128 && strchr(lists[context % MARKDOWN_KINDS - MARKDOWN_PARAGRAPH], (int)code);
}

/* Whether the place is in code or in an address in <>, which contain no escapes. */
static bool is_raw(const SpellingPlace *place)
{
    return place->span_length && (*place->span == '`' || (*place->span == '<' && place->span_length == 1));
}

static size_t spell_markdown(uint32_t code, const SpellingPlace *place, char *out)
{
    size_t length = 0;
    bool is_plain;

    if (place->context < HTML_CONTEXTS) return html_spelling.spell(code, place, out);
    if (code == '`' && (place->context & flag_of('`')) && !is_raw(place)) { /* \` might end code before it */
        memcpy(out, "&#96;", 5);
        return 5;
    }
    /* In the text of a link, brackets have to be balanced, so brackets that are not in the source are escaped. */
    is_plain = is_raw(place) ? code != '|' || !(place->context & MARKDOWN_CELL)
                             : code != '[' && code != ']' && is_safe((char)code, place);
    if (!is_plain) out[length++] = '\\';
    out[length++] = (char)code;
    return length;
}

/* Writes a character reference, except in code, where it would be text. */
static size_t refer_markdown(uint32_t code, const SpellingPlace *place, char *out)
{
    if (place->context < HTML_CONTEXTS) return html_spelling.refer(code, place, out);
    return is_raw(place) ? 0 : (size_t)snprintf(out, SPELLING_BYTES, "&#%u;", (unsigned)code);
}

static bool keeps_markdown(const char *spelling, size_t length, const SpellingPlace *place)
{
    if (place->context < HTML_CONTEXTS) return html_spelling.keeps(spelling, length, place);
    if (is_raw(place)) return length == 1 || (unsigned char)*spelling >= 128 || (length == 2 && spelling[1] == '|');
    if (length > 1) return true;
    if (strchr("[]", *spelling) && place->span_length && *place->span == '[') /* in the text of a link */
        return place->context & MARKDOWN_BRACKETS;
    return (place->context & flag_of(*spelling)) || is_safe(*spelling, place);
}

/* Writes the end of a link whose text was also its label: [text][] and [text] become [translation][text]. */
static Status close_label_markdown(const char *label, size_t length, Buf *out, Err *err)
{
    buf_put_text(out, "][");
    buf_put(out, label, length);
    buf_put_byte(out, ']');
    return buf_check(out, err);
}

/* Whether the bytes are a comment, a declaration or an instruction, which begin a block of HTML. */
static bool begins_block_markdown(const char *bytes, size_t length)
{
    return length > 1 && bytes[0] == '<' && (bytes[1] == '!' || bytes[1] == '?');
}

static const SpellingRules markdown_spelling = { .is_special = is_special_markdown,
                                                 .spell = spell_markdown,
                                                 .keeps = keeps_markdown,
                                                 .may_break = may_break_markdown,
                                                 .refer = refer_markdown,
                                                 .close_label = close_label_markdown,
                                                 .marks = &markdown_emphasis_marks,
                                                 .begins_block = begins_block_markdown };

const DocumentFormat document_markdown = { .name = "markdown",
                                           .endings = ".md .markdown .mdx .qmd .rmd",
                                           .parse = parse_markdown,
                                           .bilingual = BILINGUAL_BLOCKS,
                                           .block_contexts = HTML_CONTEXTS,
                                           .spelling = &markdown_spelling };
