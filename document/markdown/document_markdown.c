/* document_markdown.c - Markdown: the blocks of CommonMark, with tables and footnotes as GitHub has them, and
 * definition lists as PHP Markdown Extra has them.
 *
 * A unit is a paragraph, a heading, a cell of a table, the title of a link or the description of an image; a hard line
 * break ends it, as <br> does in HTML. Left alone are code, addresses, labels, front matter except for titles and the
 * like, code in tags of templates, lines with :::, grid tables, and the lines before
 * callouts, admonitions and tabs, except for their titles. The text of a link that is its own label, as in
 * [text][] and [text], is translated as [translation][text]. HTML blocks are read as HTML.
 *
 * The document is read twice, because a definition may follow the links that it makes: first for the labels. */
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "document_formats.h"
#include "html_units.h"
#include "markdown_anchors.h"
#include "markdown_content.h"
#include "markdown_cursor.h"
#include "markdown_extensions.h"
#include "markdown_front_matter.h"
#include "markdown_lines.h"
#include "markdown_metadata.h"
#include "markdown_spelling.h"
#include "markdown_syntax.h"
#include "markdown_units.h"

/* More containers inside each other are taken for text. */
#define CONTAINER_DEPTH 100
/* Larger than a text may be, because addresses may contain whole pictures. */
#define LONGEST_PARAGRAPH ((size_t)64 << 20)

typedef enum { CONTAINER_QUOTE, CONTAINER_ITEM, CONTAINER_ADMONITION } ContainerKind;

typedef struct {
    ContainerKind kind;
    size_t indent; /* columns before the text of a list item, a footnote or an admonition */
    bool is_empty; /* nothing but the marker so far */
} Container;

typedef enum { LEAF_NONE, LEAF_TEXT, LEAF_TABLE, LEAF_FENCE, LEAF_TAG, LEAF_MODULE, LEAF_HTML, LEAF_GRID } LeafKind;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end;
    bool is_reporting; /* the second time */
    MarkdownLabels labels;
    MarkdownAnchors *anchors; /* the second time; NULL: none */
    Container containers[CONTAINER_DEPTH];
    size_t depth;
    LeafKind leaf;
    char fence;
    size_t fence_length;
    Range tag; /* the name of the tag of a template whose contents are code */
    int html_kind;
    Range html;
    MarkdownContent content; /* of the paragraph */
    Range last;              /* line of the paragraph */
} MarkdownParser;

static MarkdownTexts texts_of(const MarkdownParser *p, unsigned context)
{
    return (MarkdownTexts){ p->builder, &p->content, &p->labels, context };
}

static void add_line(MarkdownParser *p, Range line)
{
    Err err;

    if (line.end - line.begin > LONGEST_PARAGRAPH - p->content.text.len)
        document_builder_fail(p->builder, line.begin, "a paragraph has more than %zu MB, which is not supported",
                              LONGEST_PARAGRAPH >> 20);
    else if (markdown_content_add(&p->content, p->bytes, line, &err) != OK)
        document_builder_fail_memory(p->builder);
    p->last = line;
}

/* Returns the end of the line at byte `at` of the content, without its newline. */
static size_t content_line_end(const MarkdownParser *p, size_t at)
{
    const char *newline = memchr(p->content.text.data + at, '\n', p->content.text.len - at);

    return newline ? (size_t)(newline - p->content.text.data) : p->content.text.len;
}

static void add_units(MarkdownParser *p, Range range, unsigned context)
{
    const MarkdownTexts texts = texts_of(p, context);

    if (p->is_reporting && !document_builder_failed(p->builder)) markdown_units_add(&texts, range);
}

/* Adds a text of one or more lines. */
static void add_text(MarkdownParser *p, Range lines, unsigned context)
{
    if (!p->is_reporting || lines.begin == lines.end) return;
    markdown_content_clear(&p->content);
    add_line(p, lines);
    add_units(p, (Range){ 0, p->content.text.len }, context);
    markdown_content_clear(&p->content);
}

/* Reads the definitions at the beginning of the paragraph and returns where they end. */
static size_t read_definitions(MarkdownParser *p)
{
    const char *text = p->content.text.data;
    const MarkdownTexts texts = texts_of(p, MARKDOWN_PARAGRAPH);
    MarkdownDefinition definition;
    size_t at = 0, end;
    Err err;

    for (; at < p->content.text.len; at = end) {
        end = markdown_read_definition(text, at, p->content.text.len, &definition);
        if (end == at) return at;
        if (p->is_reporting)
            markdown_units_add_title(&texts, definition.title);
        else if (markdown_labels_add(&p->labels, markdown_label_key(text, definition.label), &err) != OK)
            document_builder_fail_memory(p->builder);
    }
    return at;
}

/* Adds each line of the content from byte `at` on, without its first `mark` bytes. */
static void add_lines(MarkdownParser *p, size_t at, size_t mark, unsigned context)
{
    for (size_t stop; at < p->content.text.len; at = stop + 1) {
        stop = content_line_end(p, at);
        add_units(p, (Range){ at + mark, stop }, context);
    }
}

static void end_paragraph(MarkdownParser *p, bool is_heading)
{
    const size_t begin = read_definitions(p);
    Range range = { begin, p->content.text.len };

    if (is_heading) range = markdown_line_heading_text(p->content.text.data, begin, range.end);
    if (is_heading && range.end > range.begin)
        markdown_anchors_add(p->anchors, p->builder,
                             (Range){ markdown_content_source(&p->content, range.begin),
                                      markdown_content_source(&p->content, range.end - 1) + 1 });
    if (!is_heading && markdown_lines_are_block(p->content.text.data, begin, range.end))
        add_lines(p, begin, 1, MARKDOWN_INLINE);
    else
        add_units(p, markdown_without_block_id(p->content.text.data, range), MARKDOWN_PARAGRAPH);
    markdown_content_clear(&p->content);
}

/* Ends a paragraph before a definition: each of its lines is a term. */
static void end_terms(MarkdownParser *p)
{
    add_lines(p, read_definitions(p), 0, MARKDOWN_PARAGRAPH);
    markdown_content_clear(&p->content);
    p->leaf = LEAF_NONE;
}

/* In quotes, the marks before each line are between the tags, so each line is read alone. */
static bool is_in_quote(const MarkdownParser *p)
{
    for (size_t i = 0; i < p->depth; i++)
        if (p->containers[i].kind == CONTAINER_QUOTE) return true;
    return false;
}

static void end_html(MarkdownParser *p)
{
    if (p->is_reporting && p->html.begin < p->html.end) html_units_add(p->builder, p->html.begin, p->html.end);
    p->html.begin = p->html.end;
}

static void end_leaf(MarkdownParser *p)
{
    if (p->leaf == LEAF_TEXT) end_paragraph(p, false);
    if (p->leaf == LEAF_HTML) end_html(p);
    p->leaf = LEAF_NONE;
}

/* Ends the leaf and the containers that this line does not go on with. */
static void end_blocks(MarkdownParser *p, size_t matched)
{
    end_leaf(p);
    p->depth = matched;
}

/* Whether the line goes on with the container; then the cursor moves to what follows its mark. */
static bool match_container(const MarkdownParser *p, const Container *container, MarkdownCursor *c)
{
    if (container->kind == CONTAINER_QUOTE) {
        if (markdown_cursor_indent(c) > 3 || c->text == c->end || p->bytes[c->text] != '>') return false;
        markdown_cursor_skip_marker(p->bytes, c, 1);
        markdown_cursor_skip_columns(p->bytes, c, 1);
        return true;
    }
    if (markdown_cursor_is_blank(p->bytes, c)) return !container->is_empty;
    if (markdown_cursor_indent(c) < container->indent) return false;
    markdown_cursor_skip_columns(p->bytes, c, container->indent);
    return true;
}

static void push_container(MarkdownParser *p, size_t *matched, const Container *container)
{
    end_blocks(p, *matched);
    p->containers[p->depth++] = *container;
    *matched = p->depth;
}

/* Opens a list item with a marker of `length` bytes. */
static void open_item(MarkdownParser *p, MarkdownCursor *c, size_t *matched, size_t length)
{
    const size_t column = c->column;
    Container item = { .kind = CONTAINER_ITEM };
    size_t blanks;

    markdown_cursor_skip_marker(p->bytes, c, length);
    blanks = markdown_cursor_indent(c);
    item.is_empty = markdown_cursor_is_blank(p->bytes, c);
    if (item.is_empty || blanks > 4) blanks = 1;
    item.indent = c->column - column + blanks;
    markdown_cursor_skip_columns(p->bytes, c, blanks);
    push_container(p, matched, &item);
}

/* Opens an admonition or a tab, whose line may contain a title. */
static bool open_admonition(MarkdownParser *p, MarkdownCursor *c, size_t *matched)
{
    Range title;

    if (!markdown_line_admonition(p->bytes, c->text, c->end, &title)) return false;
    push_container(p, matched, &(Container){ .kind = CONTAINER_ADMONITION, .indent = 4 });
    add_text(p, title, MARKDOWN_INLINE);
    markdown_cursor_skip_marker(p->bytes, c, c->end - c->text);
    return true;
}

/* Opens a container that begins at the cursor. */
static bool open_container(MarkdownParser *p, MarkdownCursor *c, size_t *matched)
{
    const bool interrupts = p->leaf == LEAF_TEXT && *matched == p->depth;
    const size_t text = c->text;
    size_t length;

    if (markdown_cursor_indent(c) > 3 || text == c->end || *matched == CONTAINER_DEPTH) return false;
    if (p->bytes[text] == '>') {
        markdown_cursor_skip_marker(p->bytes, c, 1);
        markdown_cursor_skip_columns(p->bytes, c, 1);
        push_container(p, matched, &(Container){ .kind = CONTAINER_QUOTE });
        return true;
    }
    if (markdown_line_is_rule(p->bytes, text, c->end)) return false;
    if (open_admonition(p, c, matched)) return true;
    length = markdown_line_definition(p->bytes, text, c->end);
    if (length && interrupts) end_terms(p);
    if (!length) length = markdown_line_marker(p->bytes, text, c->end, interrupts);
    if (length) {
        open_item(p, c, matched, length);
        return true;
    }
    length = markdown_line_footnote(p->bytes, text, c->end);
    if (!length) return false;
    markdown_cursor_skip_marker(p->bytes, c, length);
    push_container(
        p, matched,
        &(Container){ .kind = CONTAINER_ITEM, .indent = 4, .is_empty = markdown_cursor_is_blank(p->bytes, c) });
    return true;
}

static void add_html_line(MarkdownParser *p, const MarkdownCursor *c)
{
    if (is_in_quote(p)) {
        end_html(p);
        p->html.begin = c->text;
    }
    p->html.end = c->end;
    if (markdown_line_ends_html(p->bytes, c->text, c->end, p->html_kind)) end_leaf(p);
}

/* The cursor is at a line inside code, HTML or a grid. */
static void continue_raw(MarkdownParser *p, const MarkdownCursor *c)
{
    if (p->leaf == LEAF_HTML)
        add_html_line(p, c);
    else if (p->leaf == LEAF_FENCE && markdown_cursor_indent(c) < 4 &&
             markdown_line_closes_fence(p->bytes, c->text, c->end, p->fence, p->fence_length))
        p->leaf = LEAF_NONE;
}

/* A cell that begins the line must not begin a block, as a paragraph must not. */
static void add_cells(MarkdownParser *p, Range row)
{
    size_t at = row.begin + (row.begin < row.end && p->bytes[row.begin] == '|');
    Range cell;

    while (markdown_line_next_cell(p->bytes, &at, row.end, &cell))
        add_text(p, cell, (cell.begin == row.begin ? MARKDOWN_PARAGRAPH : MARKDOWN_INLINE) | MARKDOWN_CELL);
}

/* Makes the last line of the paragraph the header of a table. */
static void begin_table(MarkdownParser *p)
{
    const Range header = p->last;

    p->content.count--;
    p->content.text.len = p->content.count ? p->content.lines[p->content.count].content - 1 : 0;
    end_blocks(p, p->depth);
    add_cells(p, header);
    p->leaf = LEAF_TABLE;
}

/* Reads what can only follow a line of a paragraph. */
static bool end_with_underline(MarkdownParser *p, Range line)
{
    if (markdown_line_is_underline(p->bytes, line.begin, line.end)) {
        end_paragraph(p, true);
        p->leaf = LEAF_NONE;
        return true;
    }
    if (!markdown_line_is_delimiter_row(p->bytes, line, p->last)) return false;
    begin_table(p);
    return true;
}

/* Whether the line is alone, between paragraphs; *text is what is translated of it, or empty. */
static bool is_lone_line(const MarkdownParser *p, Range line, Range *text)
{
    const bool is_fence = line.end - line.begin >= 3 && memcmp(p->bytes + line.begin, ":::", 3) == 0;

    *text = (Range){ line.begin, line.begin };
    if (is_in_quote(p) && p->leaf != LEAF_TEXT && markdown_line_callout(p->bytes, line.begin, line.end, text))
        return true;
    return is_fence || markdown_line_is_snippet(p->bytes, line.begin, line.end) ||
           markdown_line_is_attributes(p->bytes, line.begin, line.end) ||
           markdown_line_abbreviation(p->bytes, line.begin, line.end, text);
}

/* Reads a leaf that begins at this line. */
static bool begin_leaf(MarkdownParser *p, const MarkdownCursor *c, Range line, size_t matched)
{
    const bool interrupts = p->leaf == LEAF_TEXT && matched == p->depth;
    const size_t heading = markdown_line_heading(p->bytes, line.begin, line.end);
    const size_t fence = markdown_line_fence(p->bytes, line.begin, line.end);
    const int html = markdown_line_html(p->bytes, line.begin, line.end, p->leaf == LEAF_TEXT);
    const bool is_grid = markdown_line_is_grid(p->bytes, line.begin, line.end);
    Range tag, text = { line.begin, line.begin };
    const bool is_tag = markdown_line_begins_code(p->bytes, line.begin, line.end, &tag);

    if (interrupts && end_with_underline(p, line)) return true;
    if (!heading && !fence && !is_tag && !html && !markdown_line_is_rule(p->bytes, line.begin, line.end) && !is_grid &&
        !is_lone_line(p, line, &text))
        return false;
    end_blocks(p, matched);
    if (heading) {
        text = markdown_line_heading_text(p->bytes, line.begin + heading, line.end);
        markdown_anchors_add(p->anchors, p->builder, text);
        add_text(p, text, MARKDOWN_INLINE);
    } else if (fence) {
        p->leaf = LEAF_FENCE;
        p->fence = p->bytes[line.begin];
        p->fence_length = fence;
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
    } else {
        add_text(p, text, MARKDOWN_INLINE);
    }
    return true;
}

/* Begins a paragraph; the box of a task is no part of it. */
static void begin_paragraph(MarkdownParser *p, Range line)
{
    const char *text = p->bytes + line.begin;

    if (p->depth && p->containers[p->depth - 1].kind == CONTAINER_ITEM && line.end - line.begin > 4 && text[0] == '[' &&
        strchr(" xX", text[1]) && text[2] == ']' && char_is_blank(text[3]))
        line.begin = markdown_skip_space(p->bytes, line.begin + 3, line.end);
    add_line(p, line);
    p->leaf = LEAF_TEXT;
}

static void read_text(MarkdownParser *p, Range line, size_t indent, size_t matched)
{
    if (p->leaf == LEAF_TEXT) { /* also if containers are not matched: a "lazy" line */
        add_line(p, line);
    } else if (p->leaf == LEAF_TABLE && matched == p->depth) {
        add_cells(p, line);
    } else {
        end_blocks(p, matched);
        if (indent < 4) begin_paragraph(p, line);
    }
}

static size_t match_containers(const MarkdownParser *p, MarkdownCursor *c)
{
    size_t matched = 0;

    while (matched < p->depth && match_container(p, &p->containers[matched], c)) matched++;
    return matched;
}

/* Whether the line goes on with code, HTML or a grid. A line that begins the code of a template ends a block of HTML
 * that a blank line would end. */
static bool is_raw(const MarkdownParser *p, const MarkdownCursor *c)
{
    Range tag;

    if (p->leaf == LEAF_GRID) return c->text < c->end && strchr("+|", p->bytes[c->text]) && p->bytes[c->text];
    if (p->leaf == LEAF_FENCE) return true;
    return p->html_kind < 6 || !markdown_line_begins_code(p->bytes, c->text, c->end, &tag);
}

static void read_line(MarkdownParser *p, MarkdownCursor c)
{
    size_t matched;
    Range line;

    if (p->leaf == LEAF_TAG) { /* templates know no containers */
        if (markdown_line_ends_code(p->bytes, c.text, c.end, p->tag)) p->leaf = LEAF_NONE;
        return;
    }
    if (p->leaf == LEAF_MODULE && !markdown_cursor_is_blank(p->bytes, &c)) return;
    matched = match_containers(p, &c);

    if (matched < p->depth && p->containers[matched].kind == CONTAINER_ADMONITION)
        end_blocks(p, matched); /* not lazy */
    if (p->leaf == LEAF_FENCE || p->leaf == LEAF_HTML || p->leaf == LEAF_GRID) {
        if (matched == p->depth && is_raw(p, &c)) {
            continue_raw(p, &c);
            return;
        }
        end_blocks(p, matched);
    }
    while (open_container(p, &c, &matched)) continue;
    if (markdown_cursor_is_blank(p->bytes, &c)) {
        end_blocks(p, matched);
        return;
    }
    if (p->depth && matched == p->depth) p->containers[p->depth - 1].is_empty = false;
    line = (Range){ c.text, c.end };
    if (p->leaf == LEAF_NONE && !p->depth && !markdown_cursor_indent(&c) &&
        markdown_line_is_module(p->bytes, c.text, c.end))
        p->leaf = LEAF_MODULE;
    else if (markdown_cursor_indent(&c) > 3 || !begin_leaf(p, &c, line, matched))
        read_text(p, line, markdown_cursor_indent(&c), matched);
}

static void read_lines(MarkdownParser *p, size_t at)
{
    p->depth = 0;
    for (size_t next; at < p->end && !document_builder_failed(p->builder); at = next) {
        const char *newline = memchr(p->bytes + at, '\n', p->end - at);
        size_t end = newline ? (size_t)(newline - p->bytes) : p->end;
        next = newline ? end + 1 : end;
        if (end > at && p->bytes[end - 1] == '\r') end--;
        read_line(p, markdown_cursor_at(p->bytes, at, end, 0));
    }
    end_blocks(p, 0);
}

/* Reads the metadata at the beginning and returns where the blocks begin. */
static size_t read_metadata(MarkdownParser *p, size_t begin)
{
    const size_t front_matter = markdown_front_matter_end(p->bytes, begin, p->end);
    const size_t end = front_matter > begin ? front_matter : markdown_metadata_end(p->bytes, begin, p->end);
    Range text;

    if (front_matter > begin && p->is_reporting) markdown_front_matter_report(p->builder, begin, end);
    for (size_t at = front_matter; markdown_metadata_next(p->bytes, &at, end, &text);)
        add_text(p, text, MARKDOWN_INLINE);
    return end;
}

static void parse_markdown(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    MarkdownParser p = { .builder = builder, .bytes = input.bytes, .end = input.end };

    read_lines(&p, read_metadata(&p, input.begin));
    markdown_labels_sort(&p.labels);
    p.is_reporting = true;
    p.anchors = markdown_anchors_new(builder);
    read_lines(&p, read_metadata(&p, input.begin));
    free(p.labels.keys);
    markdown_anchors_free(p.anchors);
    markdown_content_free(&p.content);
}

const DocumentFormat document_markdown = { .name = "markdown",
                                           .endings = ".md .markdown .mdx .qmd .rmd",
                                           .parse = parse_markdown,
                                           .bilingual = BILINGUAL_BLOCKS,
                                           .spelling = &markdown_spelling };
