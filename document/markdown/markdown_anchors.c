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
#include "str_map.h"
#include "utf8.h"

#define LONGEST_ADDRESS ((size_t)300)
#define EQUAL_HEADINGS  100 /* more have no anchors */

struct MarkdownAnchors {
    StrMap *links;    /* addresses without # */
    StrMap *headings; /* those of the headings so far */
    Buf address, anchor;
};

static const char *const starts[] = { "(#", "]: #", "href=\"#" };

/* The end of the address at byte `at`. */
static size_t address_end(const char *text, size_t length, size_t at)
{
    while (at < length && (unsigned char)text[at] > ' ' && !strchr(")\"'<>", text[at])) at++;
    return at;
}

static Status find_links(MarkdownAnchors *a, const char *text, size_t length, Err *err)
{
    Status st = OK;

    for (const char *hash = text; st == OK && (hash = memchr(hash, '#', length - (size_t)(hash - text))); hash++) {
        const size_t at = (size_t)(hash - text) + 1, end = address_end(text, length, at);
        bool added;
        for (size_t i = 0; st == OK && i < sizeof starts / sizeof *starts; i++) {
            const size_t size = strlen(starts[i]);
            if (at >= size && memcmp(text + at - size, starts[i], size) == 0 && end > at && end - at <= LONGEST_ADDRESS)
                st = str_map_add(a->links, text + at, end - at, 0, &added, err);
        }
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

/* Sets a->address to that of the heading. */
static Status make_address(MarkdownAnchors *a, const char *text, ByteRange heading, Err *err)
{
    Status st = OK;

    buf_reuse(&a->address);
    for (size_t at = heading.begin; st == OK && at < heading.end;) {
        uint32_t code;
        char small[4];
        at += utf8_next(text + at, heading.end - at, &code);
        if (code == ']') at = skip_target(text, at, heading.end);
        if (code == ' ')
            st = buf_append(&a->address, "-", 1, err);
        else if (code != UTF8_INVALID && is_kept(code))
            st = buf_append(&a->address, small, utf8_put((uint32_t)u_tolower((UChar32)code), small), err);
    }
    return st;
}

/* Adds a number if another heading has the address. */
static Status make_unique(MarkdownAnchors *a, Err *err)
{
    const size_t length = a->address.len;
    bool added = false;
    Status st = str_map_add(a->headings, a->address.data, a->address.len, 0, &added, err);

    for (unsigned i = 1; st == OK && !added && i < EQUAL_HEADINGS; i++) {
        a->address.len = length;
        st = buf_append_format(&a->address, err, "-%u", i);
        if (st == OK) st = str_map_add(a->headings, a->address.data, a->address.len, 0, &added, err);
    }
    return st;
}

/* Whether attributes with an id follow the text of the heading: {#id} */
static bool has_id(const BuilderInput *input, ByteRange heading)
{
    size_t at = heading.end;

    while (at < input->end && strchr(" \t#", input->bytes[at])) at++;
    return input->end - at > 1 && input->bytes[at] == '{' && input->bytes[at + 1] == '#';
}

static Status add(MarkdownAnchors *a, DocumentBuilder *builder, ByteRange heading, Err *err)
{
    const BuilderInput input = document_builder_input(builder);
    Status st = make_address(a, input.bytes, heading, err);

    if (st != OK || !a->address.len || a->address.len > LONGEST_ADDRESS) return st;
    st = make_unique(a, err);
    if (st != OK || str_map_get(a->links, a->address.data, a->address.len, -1) < 0 || has_id(&input, heading))
        return st;
    buf_reuse(&a->anchor);
    st = buf_append_format(&a->anchor, err, "<a id=\"%.*s\"></a>", (int)a->address.len, a->address.data);
    if (st == OK) document_builder_replace(builder, heading.begin, heading.begin, a->anchor.data);
    return st;
}

void markdown_anchors_add(MarkdownAnchors *anchors, DocumentBuilder *builder, ByteRange heading)
{
    Err err;

    if (anchors && add(anchors, builder, heading, &err) != OK) document_builder_fail_memory(builder);
}
