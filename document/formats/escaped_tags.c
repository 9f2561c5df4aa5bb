/* escaped_tags.c - see escaped_tags.h. */
#include "escaped_tags.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "chars.h"
#include "escaped_code.h"
#include "escaped_cursor.h"
#include "hash64.h"
#include "html_elements.h"

#define LONGEST_TAG ((size_t)1000)
#define MOST_TAGS   (UNIT_PARTS / 4) /* of a text: a unit with them and what is between them is not too large */

static bool is_name(char c)
{
    return char_is_alphanumeric(c) || c == '-' || c == ':' || c == '_' || c == '.';
}

/* Skips a name, or a number, as in <0>text</0> of React. Returns whether there was one. */
static bool skip_name(EscapedCursor *cursor)
{
    const bool is_number = char_is_digit(cursor->c), is_one = is_number || char_is_letter(cursor->c);

    while (is_one && (is_number ? char_is_digit(cursor->c) : is_name(cursor->c))) escaped_cursor_advance(cursor);
    return is_one;
}

static void skip_spaces(EscapedCursor *cursor)
{
    while (char_is_space(cursor->c)) escaped_cursor_advance(cursor);
}

static bool skip_value(EscapedCursor *cursor)
{
    const char quote = cursor->c;

    if (quote != '"' && quote != '\'') {
        while (cursor->c && !char_is_space(cursor->c) && cursor->c != '>') escaped_cursor_advance(cursor);
        return cursor->c != '\0';
    }
    escaped_cursor_advance(cursor);
    while (cursor->c && cursor->c != quote) escaped_cursor_advance(cursor);
    if (!cursor->c) return false;
    escaped_cursor_advance(cursor);
    return true;
}

/* NAME=VALUE */
static bool skip_attribute(EscapedCursor *cursor)
{
    if (!skip_name(cursor)) return false;
    skip_spaces(cursor);
    if (cursor->c != '=') return false;
    escaped_cursor_advance(cursor);
    skip_spaces(cursor);
    return skip_value(cursor);
}

static bool skip_attributes(EscapedCursor *cursor)
{
    for (;;) {
        skip_spaces(cursor);
        if (cursor->c == '>' || cursor->c == '/') return true;
        if (!skip_attribute(cursor)) return false;
    }
}

size_t escaped_tag_read(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedTag *tag)
{
    EscapedCursor cursor = escaped_cursor_at(bytes, at, end - at > LONGEST_TAG ? at + LONGEST_TAG : end, read);

    if (cursor.c != '<') return at;
    escaped_cursor_advance(&cursor);
    tag->kind = cursor.c == '/' ? ESCAPED_CLOSE : ESCAPED_OPEN;
    if (cursor.c == '/') escaped_cursor_advance(&cursor);
    tag->name.begin = cursor.at;
    if (!skip_name(&cursor)) return at;
    tag->name.end = cursor.at;
    if (!skip_attributes(&cursor)) return at;
    if (cursor.c == '/') {
        tag->kind = ESCAPED_EMPTY;
        escaped_cursor_advance(&cursor);
    }
    return cursor.c == '>' ? cursor.next : at;
}

/* The elements that end a line and have no end tag, and blocks: those of HTML that are common in strings. */
static const char line_ends[] = "br hr";
static const char blocks[] =
    "p div li ul ol dl dt dd tr td th table thead tbody tfoot caption h1 h2 h3 h4 h5 h6 html head "
    "body title meta link base section article aside header footer nav main blockquote figure "
    "figcaption details summary form fieldset legend address center pre";

/* Whether what is in the element is not translated. */
static bool is_code(const char *bytes, Range opening, const EscapedTag *tag, EscapedReader *read)
{
    char text[LONGEST_TAG];
    size_t length = 0;
    HtmlToken token;

    if (html_name_is_in(bytes, tag->name, "code pre kbd samp script style")) return true;
    if (tag->name.end + sizeof "class" >= opening.end) return false;
    for (EscapedCursor c = escaped_cursor_at(bytes, opening.begin, opening.end, read); c.c && length < sizeof text;
         escaped_cursor_advance(&c))
        text[length++] = c.c;
    token = html_token_read(text, 0, length);
    return token.kind == HTML_START && html_element_translate(text, &token) == HTML_PROTECT;
}

/* Sets *contents to what is in the element whose opening tag is `opening`: <code>, <pre>, <kbd>, <samp>, <script>,
 * <style>, and those with translate="no" or the class notranslate. Returns false, and does not set it, for other
 * elements, and if there is a tag in it. */
static bool find_code(const char *bytes, Range opening, const EscapedTag *tag, size_t end, EscapedReader *read,
                      Range *contents)
{
    if (tag->kind != ESCAPED_OPEN || !is_code(bytes, opening, tag, read)) return false;
    for (size_t at = opening.end; at < end;) {
        const EscapedPart part = read(bytes + at, end - at);
        EscapedTag closing;
        if (part.size && !*part.text) return false; /* a real tag */
        if (escaped_tag_read(bytes, at, end, read, &closing) > at) {
            if (closing.kind != ESCAPED_CLOSE || !ranges_are_same(bytes, closing.name, tag->name)) return false;
            *contents = (Range){ opening.end, at };
            return true;
        }
        at += part.length;
    }
    return false;
}

bool escaped_tag_is_block(const char *bytes, Range name)
{
    return html_name_is_in(bytes, name, blocks);
}

bool escaped_tag_ends_line(const char *bytes, const EscapedTag *tag)
{
    return html_name_is_in(bytes, tag->name, line_ends) || escaped_tag_is_block(bytes, tag->name);
}

/* Whether the tag ends a line without a partner: <br>, <hr>, <p/>, <meta charset="utf-8">. */
static bool is_line_end(const char *bytes, const EscapedTag *tag)
{
    if (html_name_is_in(bytes, tag->name, line_ends)) return true;
    if (tag->kind == ESCAPED_EMPTY) return escaped_tag_is_block(bytes, tag->name);
    return tag->kind == ESCAPED_OPEN && char_is_space(bytes[tag->name.end]) &&
           html_name_is_in(bytes, tag->name, "meta link base");
}

/* Keys of XML elements have the upper bits 00 or 01. */
static uint64_t name_key(const char *bytes, const EscapedTag *tag)
{
    return hash64_of(bytes + tag->name.begin, tag->name.end - tag->name.begin) >> 2 | (uint64_t)2 << 62;
}

void escaped_tags_report(DocumentBuilder *builder, const FoundTag *found)
{
    const char *text = document_builder_input(builder).bytes;
    const uint64_t key = name_key(text, &found->tag);
    const Range bytes = found->bytes;

    if (found->ends_line && html_name_is(text, found->tag.name, "br"))
        document_builder_line_end(builder, bytes.begin, bytes.end);
    else if (found->ends_line)
        document_builder_divide(builder, bytes.begin, bytes.end);
    else if (found->is_object)
        document_builder_object(builder, found->tag.name, bytes.begin, bytes.end);
    else if (found->tag.kind == ESCAPED_EMPTY)
        document_builder_empty(builder, bytes.begin, bytes.end);
    else if (found->tag.kind == ESCAPED_OPEN)
        document_builder_open(builder, key, bytes.begin, bytes.end);
    else
        document_builder_close(builder, key, bytes.begin, bytes.end);
}

/* Whether the tag is an empty element of HTML with attributes: <source> and <input> alone may be placeholders. */
static bool is_void(const char *bytes, const FoundTag *found)
{
    return found->tag.kind != ESCAPED_CLOSE && char_is_space(bytes[found->tag.name.end]) &&
           html_element_kind(bytes, found->tag.name) == HTML_VOID_INLINE;
}

/* The tags whose partner is not found yet, as their indexes in the list. */
typedef struct {
    size_t open[MARKUP_DEPTH], depth;
} OpenTags;

/* Returns the partner of a closing tag: the innermost open one of its name. Those inside it have none. */
static FoundTag *find_partner(const EscapedTagList *list, const char *bytes, const EscapedTag *tag, OpenTags *open)
{
    for (size_t i = open->depth; i > 0; i--) {
        FoundTag *found = &list->items[open->open[i - 1]];
        if (!ranges_are_same(bytes, found->tag.name, tag->name)) continue;
        open->depth = i - 1;
        return found;
    }
    return NULL;
}

/* Adds a tag of a pair, or an empty one. An opening one is markup once it has a partner. */
static Status add_found(EscapedTagList *list, const char *bytes, FoundTag *found, OpenTags *open, Err *err)
{
    FoundTag *partner = NULL;
    Status st;

    if (found->tag.kind == ESCAPED_CLOSE) {
        partner = find_partner(list, bytes, &found->tag, open);
        if (!partner) return OK;
        partner->is_markup = found->is_markup = true;
    } else if (found->tag.kind == ESCAPED_OPEN) {
        if (open->depth == MARKUP_DEPTH) return OK;
        open->open[open->depth++] = list->count;
    }
    st = buf_grow_list(&list->items, &list->capacity, list->count, 1, sizeof *list->items, "tags", err);
    if (st == OK) list->items[list->count++] = *found;
    return st;
}

/* Adds a tag if it can be markup. */
static Status add_tag(EscapedTagList *list, const char *bytes, FoundTag *found, OpenTags *open, Err *err)
{
    found->ends_line |= is_line_end(bytes, &found->tag);
    found->is_block = !found->ends_line && escaped_tag_is_block(bytes, found->tag.name);
    found->is_markup = found->ends_line || is_void(bytes, found);
    found->is_object = html_name_is_object(bytes, found->tag.name);
    if (!found->is_markup && found->tag.kind == ESCAPED_EMPTY) return OK;
    if (found->is_markup) found->tag.kind = ESCAPED_EMPTY;
    return add_found(list, bytes, found, open, err);
}

/* Adds an end of a link, whose name is its opening bracket. */
static Status add_link(EscapedTagList *list, const char *bytes, const EscapedLink *link, EscapedKind kind,
                       OpenTags *open, Err *err)
{
    FoundTag found = { .bytes = kind == ESCAPED_OPEN ? link->opening : link->closing, .tag = { kind, link->opening } };

    return add_found(list, bytes, &found, open, err);
}

/* What is found in a text from its beginning on. */
typedef struct {
    EscapedTagList *list;
    CodeReader code;
    OpenTags open;
    EscapedLink link; /* the last one; not after a word, as in list[i](x) */
} TagFinder;

/* Adds what is at byte `at`, and returns its end in *next: `at` if there is nothing. */
static Status find_at(TagFinder *finder, size_t at, size_t *next, Err *err)
{
    const CodeReader *code = &finder->code;
    FoundTag found = { .is_markup = false };
    EscapedLink link;
    Range kept = { at, *next = escaped_code_end(&finder->code, at) };
    Status st = OK;

    if (kept.end > at) return ranges_append(&finder->list->kept, kept, 1, err);
    if (at == finder->link.closing.begin && finder->link.closing.end) {
        *next = finder->link.closing.end;
        return add_link(finder->list, code->bytes, &finder->link, ESCAPED_CLOSE, &finder->open, err);
    }
    if (!char_is_alphanumeric(code->last) && escaped_code_link(code->bytes, at, code->end, code->read, &link)) {
        finder->link = link;
        *next = link.opening.end;
        return add_link(finder->list, code->bytes, &finder->link, ESCAPED_OPEN, &finder->open, err);
    }
    *next = escaped_tag_read(code->bytes, at, code->end, code->read, &found.tag);
    if (*next == at) return OK;
    found.bytes = (Range){ at, *next };
    if (find_code(code->bytes, found.bytes, &found.tag, code->end, code->read, &kept)) {
        EscapedTag closing;
        *next = kept.end;
        if (html_name_is_in(code->bytes, found.tag.name, "script style")) {
            found.ends_line = true;
            *next = found.bytes.end = escaped_tag_read(code->bytes, kept.end, code->end, code->read, &closing);
        } else {
            st = ranges_append(&finder->list->kept, kept, 1, err);
        }
    }
    return st == OK ? add_tag(finder->list, code->bytes, &found, &finder->open, err) : st;
}

/* Makes objects of elements that may be one and contain nothing: <i class="icon"></i>. */
static void join_objects(EscapedTagList *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        FoundTag *tag = &list->items[count++], *next = i + 1 < list->count ? &list->items[i + 1] : NULL;
        *tag = list->items[i];
        if (!tag->is_object || tag->tag.kind != ESCAPED_OPEN) continue;
        if (tag->is_markup && next && next->is_markup && next->tag.kind == ESCAPED_CLOSE &&
            next->bytes.begin == tag->bytes.end) {
            tag->bytes.end = next->bytes.end;
            tag->tag.kind = ESCAPED_EMPTY;
            i++;
        } else {
            tag->is_object = false;
        }
    }
    list->count = count;
}

/* Whether the bytes can contain a tag, <, \u003c or &lt;, code, a link or markup of reStructuredText. */
static bool may_have_tags(const char *bytes, size_t length)
{
    static const char marks[] = "<\\&`[{|_*";

    for (size_t i = 0; marks[i]; i++)
        if (memchr(bytes, marks[i], length)) return true;
    return false;
}

Status escaped_tags_find(EscapedTagList *out, const char *bytes, Range text, EscapedReader *read, Err *err)
{
    TagFinder finder = {
        .list = out,
        .code = { .bytes = bytes, .end = text.end, .read = read, .begins_line = true },
    };
    Status st = OK;

    if (!may_have_tags(bytes + text.begin, text.end - text.begin)) return OK;
    for (size_t at = text.begin, next; st == OK && at < text.end; at = next) {
        st = find_at(&finder, at, &next, err);
        if (next == at) next += read(bytes + at, text.end - at).length;
        escaped_code_skip(&finder.code, at, next);
    }
    if (out->count > MOST_TAGS) escaped_tags_free(out);
    join_objects(out);
    return st;
}

const FoundTag *escaped_tags_at(const EscapedTagList *list, size_t *next, size_t at)
{
    for (; *next < list->count && list->items[*next].bytes.begin <= at; ++*next) {
        const FoundTag *found = &list->items[*next];
        if (found->bytes.begin == at && found->is_markup) return found;
    }
    return NULL;
}

/* The first part of code that ends after byte `at`, as an index. */
static size_t kept_after(const EscapedTagList *list, size_t at)
{
    size_t first = 0, end = list->kept.len;

    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (list->kept.data[middle].end <= at)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

bool escaped_tags_is_code(const EscapedTagList *list, size_t at)
{
    const size_t index = kept_after(list, at);

    return index < list->kept.len && list->kept.data[index].begin <= at;
}

size_t escaped_tags_next(const EscapedTagList *list, size_t next, size_t at)
{
    size_t stop = SIZE_MAX;

    while (next < list->count && (list->items[next].bytes.begin <= at || !list->items[next].is_markup)) next++;
    if (next < list->count) stop = list->items[next].bytes.begin;
    next = kept_after(list, at);
    if (next < list->kept.len) {
        const Range kept = list->kept.data[next];
        const size_t edge = kept.begin > at ? kept.begin : kept.end;
        if (edge < stop) stop = edge;
    }
    return stop;
}

void escaped_tags_free(EscapedTagList *list)
{
    free(list->items);
    ranges_free(&list->kept);
    *list = (EscapedTagList){ 0 };
}
