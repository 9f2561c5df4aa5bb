/* xml_codes.c - see xml_codes.h. What a code stands for is known from its attributes, or from the native code that it
 * shows: its contents, or equiv-text (XLIFF 1.2), disp and equiv (2.0). A tag of HTML is that tag; "%s" or "{name}" is
 * a value, and so are <x/> and <ph/> that show nothing. */
#include "xml_codes.h"

#include <string.h>

#include "chars.h"
#include "escaped_tags.h"
#include "hash64.h"
#include "html_elements.h"
#include "utf8.h"
#include "xml_references.h"

#define LONGEST_VALUE 64

typedef enum { CODE_UNKNOWN, CODE_VALUE, CODE_PICTURE, CODE_LINE_END, CODE_OPEN, CODE_CLOSE, CODE_FORMAT } CodeKind;

/* What the attributes say; the first row that is right. */
static CodeKind kind_of_attributes(const XmlTree *tree, size_t node)
{
    static const struct {
        const char *name, *value;
        CodeKind kind;
    } rows[] = {
        { "ctype", "lb", CODE_LINE_END },        { "ctype", "x-br", CODE_LINE_END },
        { "ctype", "x-html-br", CODE_LINE_END }, { "subType", "xlf:lb", CODE_LINE_END },
        { "type", "lb", CODE_LINE_END },         { "ctype", "image", CODE_PICTURE },
        { "type", "image", CODE_PICTURE },       { "type", "fmt", CODE_FORMAT },
        { "type", "link", CODE_FORMAT },         { "type", "quote", CODE_FORMAT },
        { "type", "fnote", CODE_FORMAT },        { "type", "enote", CODE_FORMAT },
        { "type", "index", CODE_FORMAT },        { "type", "bold", CODE_FORMAT },
        { "type", "italic", CODE_FORMAT },       { "ctype", "bold", CODE_FORMAT },
        { "ctype", "italic", CODE_FORMAT },      { "ctype", "underlined", CODE_FORMAT },
        { "ctype", "font", CODE_FORMAT },        { "ctype", "link", CODE_FORMAT },
        { "type", "struct", CODE_FORMAT },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (xml_tree_attribute_is(tree, node, rows[i].name, rows[i].value)) return rows[i].kind;
    return CODE_UNKNOWN;
}

/* The native code that is shown: a range that is decoded as text; empty: none. */
static Range shown(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "equiv-text", "disp", "equiv" };
    const XmlNode *n = &tree->nodes[node];
    Range value;

    if (n->next == node + 2 && n[1].kind == NODE_TEXT) return (Range){ n[1].begin, n[1].end };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xml_tree_attribute(tree, node, names[i], &value) && value.begin < value.end) return value;
    return (Range){ n->end, n->end };
}

/* What a tag of HTML stands for. */
static CodeKind kind_of_tag(const char *bytes, const EscapedTag *tag)
{
    if (escaped_tag_ends_line(bytes, tag)) return CODE_LINE_END;
    if (html_element_kind(bytes, tag->name) == HTML_VOID_INLINE) return CODE_PICTURE;
    return tag->kind == ESCAPED_OPEN ? CODE_OPEN : tag->kind == ESCAPED_CLOSE ? CODE_CLOSE : CODE_VALUE;
}

/* Whether native code is a tag of HTML. */
static bool is_tag(const XmlTree *tree, Range native, EscapedTag *tag)
{
    const size_t end = escaped_tag_read(tree->bytes, native.begin, native.end, xml_reference_part, tag);

    return end > native.begin && xml_tree_is_space(tree, end, native.end);
}

/* Decodes the native code into text[LONGEST_VALUE]. Returns its length; 0: it is too long, or no line of text. */
static size_t decode(const char *bytes, Range range, char *text)
{
    size_t length = 0;

    for (size_t at = range.begin; at < range.end;) {
        const EscapedPart part = xml_reference_part(bytes + at, range.end - at);
        if (length + part.size > LONGEST_VALUE || (part.size && (unsigned char)*part.text < ' ')) return 0;
        memcpy(text + length, part.text, part.size);
        length += part.size;
        at += part.length;
    }
    return length;
}

/* Whether native code is a value: not a mark such as ** or a command such as \b. Codes that may also be formatting
 * must begin as placeholders do. */
static bool is_value(const char *text, size_t length, XmlInline kind)
{
    bool has_name = false;

    for (size_t i = 0; i < length; i++) {
        if (strchr("\\<", text[i])) return false;
        has_name |= char_is_alphanumeric(text[i]) || (unsigned char)text[i] >= 0x80;
    }
    if (kind != INLINE_VALUE) return length > 1 && strchr("{%$#@[", *text);
    return has_name || (length > 1 && strchr("{%$", *text));
}

/* Whether native code breaks a line. */
static bool is_line_end(const char *text, size_t length)
{
    static const char *const codes[] = { "\\n", "\\r\\n", "\\line", "\\par" };

    while (length && char_is_blank(text[length - 1])) length--;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strlen(codes[i]) == length && memcmp(codes[i], text, length) == 0) return true;
    return false;
}

/* Names a value that shows nothing: {ID}. Returns the length. */
static size_t name_value(const XmlTree *tree, size_t node, char *text)
{
    size_t length = 0;
    Range id;

    if (xml_tree_attribute(tree, node, "id", &id) || xml_tree_attribute(tree, node, "x", &id))
        length = decode(tree->bytes, id, text + 1);
    if (length > LONGEST_VALUE - 2) length = 0;
    text[0] = '{';
    text[length + 1] = '}';
    return length + 2;
}

/* Keys of spans: those of elements are their nodes, those of tags in text are larger. */
static uint64_t key_of(const XmlTree *tree, Range name)
{
    return hash64_of(tree->bytes + name.begin, name.end - name.begin) >> 2 | (uint64_t)1 << 62;
}

static void report(const XmlTree *tree, size_t node, CodeKind kind, Range id, const char *text, size_t length)
{
    DocumentBuilder *b = tree->builder;
    const size_t begin = tree->nodes[node].begin, close = tree->nodes[node].close_end;
    const size_t end = close > tree->nodes[node].end ? close : tree->nodes[node].end;

    switch (kind) {
    case CODE_VALUE:
        document_builder_value(b, text, length, begin, end);
        break;
    case CODE_PICTURE:
        document_builder_object(b, xml_tree_name(tree, node), begin, end);
        break;
    case CODE_LINE_END:
        document_builder_line_end(b, begin, end);
        break;
    case CODE_OPEN:
        document_builder_open(b, key_of(tree, id), begin, end);
        break;
    case CODE_CLOSE:
        document_builder_close(b, key_of(tree, id), begin, end);
        break;
    default:
        document_builder_empty(b, begin, end);
    }
}

void xml_codes_report(const XmlTree *tree, size_t node, XmlInline kind, Range id)
{
    const bool is_span = kind == INLINE_OPEN || kind == INLINE_CLOSE;
    const Range native = shown(tree, node);
    CodeKind code = kind_of_attributes(tree, node);
    char text[LONGEST_VALUE + 2];
    size_t length = decode(tree->bytes, native, text);
    EscapedTag tag;

    if (is_span && code != CODE_LINE_END) code = CODE_UNKNOWN;
    if (code == CODE_UNKNOWN && is_tag(tree, native, &tag)) {
        code = kind_of_tag(tree->bytes, &tag);
        if (!is_span) id = tag.name;
    }
    if (is_span && code != CODE_LINE_END) code = kind == INLINE_OPEN ? CODE_OPEN : CODE_CLOSE;
    if (code == CODE_UNKNOWN && is_line_end(text, length)) code = CODE_LINE_END;
    if (code == CODE_UNKNOWN && length) code = is_value(text, length, kind) ? CODE_VALUE : CODE_FORMAT;
    if (code == CODE_UNKNOWN) code = kind == INLINE_VALUE ? CODE_VALUE : CODE_FORMAT;
    if (code == CODE_VALUE && !length) length = name_value(tree, node, text);
    report(tree, node, code, id, text, length);
}
