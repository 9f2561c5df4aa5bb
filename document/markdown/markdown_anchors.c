/* markdown_anchors.c - see markdown_anchors.h.
 *
 * Source   How GitHub makes an address of a heading: its text without markup, in lower case, without all characters but
 *          letters, marks, numbers, connectors such as _, hyphens and spaces, which become hyphens; a number is added
 *          to an address that exists (github.com/gjtorikian/html-pipeline, table_of_contents_filter.rb). */
#include "markdown_anchors.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "chars.h"
#include "str_map.h"
#include "utf8.h"

#define LONGEST_ADDRESS ((size_t)300)
#define LONGEST_ENTITY  ((size_t)32)
#define EQUAL_HEADINGS  20 /* more have no anchors */

struct MarkdownAnchors {
    StrMap *links;    /* addresses without # */
    StrMap *headings; /* those of the headings so far */
    Buf address, anchor;
};

static const char *const starts[] = { "(#", "]: #", "href=\"#" };

/* Whether a link to a heading begins before byte `at`. */
static bool is_link(const char *text, size_t at)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const size_t size = strlen(starts[i]);
        if (at >= size && memcmp(text + at - size, starts[i], size) == 0) return true;
    }
    return false;
}

/* Adds the address at byte `at`, in which %C3%BC is an ü. */
static Status add_link(MarkdownAnchors *a, const char *text, size_t length, size_t at, Err *err)
{
    bool added;
    Status st = OK;

    buf_reuse(&a->address);
    for (; st == OK && at < length && (unsigned char)text[at] > ' ' && !strchr(")\"'<>", text[at]); at++) {
        const int high = text[at] == '%' && length - at > 2 ? char_hex_value(text[at + 1]) : -1;
        const int low = high < 0 ? -1 : char_hex_value(text[at + 2]);
        const char byte = low < 0 ? text[at] : (char)(high * 16 + low);
        if (a->address.len == LONGEST_ADDRESS) return OK;
        if (low >= 0) at += 2;
        st = buf_append(&a->address, &byte, 1, err);
    }
    return st == OK && a->address.len ? str_map_add(a->links, a->address.data, a->address.len, 0, &added, err) : st;
}

static Status find_links(MarkdownAnchors *a, const char *text, size_t length, Err *err)
{
    Status st = OK;

    for (const char *hash = text; st == OK && (hash = memchr(hash, '#', length - (size_t)(hash - text))); hash++) {
        const size_t at = (size_t)(hash - text) + 1;
        if (is_link(text, at)) st = add_link(a, text, length, at, err);
    }
    return st;
}

MarkdownAnchors *markdown_anchors_new(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    MarkdownAnchors *a;
    Err err;
    Status st;

    if (input.options->bilingual || document_builder_failed(builder)) return NULL;
    a = calloc(1, sizeof *a);
    st = a ? str_map_new(&a->links, &err) : ERR_MEMORY;
    if (st == OK) st = str_map_new(&a->headings, &err);
    if (st == OK) st = find_links(a, input.bytes + input.begin, input.end - input.begin, &err);
    if (st != OK) document_builder_fail_memory(builder);
    if (st == OK && str_map_count(a->links)) return a;
    markdown_anchors_free(a);
    return NULL;
}

void markdown_anchors_free(MarkdownAnchors *a)
{
    if (!a) return;
    str_map_free(a->links);
    str_map_free(a->headings);
    buf_free(&a->address);
    buf_free(&a->anchor);
    free(a);
}

/* The end of the target of a link, (x), at byte `at`; `at` if there is none. */
static size_t skip_target(const char *text, size_t at, size_t end)
{
    const char *close = at < end && text[at] == '(' ? memchr(text + at, ')', end - at) : NULL;

    return close ? (size_t)(close - text) + 1 : at;
}

static bool is_kept(uint32_t code)
{
    return (U_GET_GC_MASK((UChar32)code) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK | U_GC_PC_MASK)) || code == '-';
}

static bool is_ascii_word(const char *text, size_t at, Range heading)
{
    return at >= heading.begin && at < heading.end && ((unsigned char)text[at] >= 0x80 || u_isalnum(text[at]));
}

/* Whether the _ at byte `at` is a mark of emphasis. */
static bool is_emphasis(const char *text, size_t at, Range heading)
{
    return text[at] == '_' && !(is_ascii_word(text, at - 1, heading) && is_ascii_word(text, at + 1, heading));
}

/* The end of the rest of an entity, amp; at byte `at`; `at` if there is none. */
static size_t skip_entity(const char *text, size_t at, size_t end)
{
    size_t i = at;

    while (i < end && i - at < LONGEST_ENTITY && (u_isalnum(text[i]) || text[i] == '#')) i++;
    return i < end && i > at && text[i] == ';' ? i + 1 : at;
}

/* Sets a->address to that of the heading. */
static Status make_address(MarkdownAnchors *a, const char *text, Range heading, Err *err)
{
    Status st = OK;

    buf_reuse(&a->address);
    for (size_t at = heading.begin; st == OK && at < heading.end && a->address.len <= LONGEST_ADDRESS;) {
        const bool is_mark = is_emphasis(text, at, heading);
        uint32_t code;
        char small[4];
        at += utf8_next(text + at, heading.end - at, &code);
        if (code == ']') at = skip_target(text, at, heading.end);
        if (code == '&') at = skip_entity(text, at, heading.end);
        if (code == ' ')
            st = buf_append(&a->address, "-", 1, err);
        else if (code != UTF8_INVALID && is_kept(code) && !is_mark)
            st = buf_append(&a->address, small, utf8_put((uint32_t)u_tolower((UChar32)code), small), err);
    }
    return st;
}

/* Adds a number if another heading has the address. *unique: no heading has it now. */
static Status make_unique(MarkdownAnchors *a, bool *unique, Err *err)
{
    const size_t length = a->address.len;
    Status st = str_map_add(a->headings, a->address.data, a->address.len, 0, unique, err);

    for (unsigned i = 1; st == OK && !*unique && i < EQUAL_HEADINGS; i++) {
        a->address.len = length;
        st = buf_append_format(&a->address, err, "-%u", i);
        if (st == OK) st = str_map_add(a->headings, a->address.data, a->address.len, 0, unique, err);
    }
    return st;
}

/* Whether attributes with an id follow the text of the heading: {#id} */
static bool has_id(const BuilderInput *input, Range heading)
{
    size_t at = heading.end;

    while (at < input->end && strchr(" \t#", input->bytes[at])) at++;
    return input->end - at > 1 && input->bytes[at] == '{' && input->bytes[at + 1] == '#';
}

static Status add(MarkdownAnchors *a, DocumentBuilder *builder, Range heading, Err *err)
{
    const BuilderInput input = document_builder_input(builder);
    bool unique;
    Status st = make_address(a, input.bytes, heading, err);

    if (st != OK || !a->address.len || a->address.len > LONGEST_ADDRESS) return st;
    st = make_unique(a, &unique, err);
    if (st != OK || !unique || str_map_get(a->links, a->address.data, a->address.len, -1) < 0 ||
        has_id(&input, heading))
        return st;
    buf_reuse(&a->anchor);
    st = buf_append_format(&a->anchor, err, "<a id=\"%.*s\"></a>", (int)a->address.len, a->address.data);
    if (st == OK) document_builder_replace(builder, heading.begin, heading.begin, a->anchor.data);
    return st;
}

void markdown_anchors_add(MarkdownAnchors *anchors, DocumentBuilder *builder, Range heading)
{
    Err err;

    if (anchors && add(anchors, builder, heading, &err) != OK) document_builder_fail_memory(builder);
}
