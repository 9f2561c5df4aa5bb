/* xml.c - see xml.h. expat gets the document in one piece: with smaller pieces, versions before 2.6 need quadratic time
 * for long tokens. Entities in texts are not expanded, but expat expands those in attributes. This file limits the
 * number of entities, because expat has no limit before version 2.4. */
#include "xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "chars.h"
#include "escaped_text.h"
#include "hash.h"
#include "html.h"
#include "utf8.h"

#define NODE_LIMIT ((size_t)1 << 25)
/* The most references in the values of entities. R of them expand to at most 3^(R/3) references. */
#define ENTITY_REFERENCES 36
/* The attributes of a document with entities have at most ATTRIBUTE_BYTES bytes, or ATTRIBUTE_RATIO times the size of
 * the document, if that is more. */
#define ATTRIBUTE_BYTES     ((size_t)8 << 20)
#define ATTRIBUTE_RATIO     100
#define ENTITY_BYTES_REASON "the entities expand to too many bytes"

/* --- References ---------------------------------------------------------------------- */

/* Reads the reference at the beginning of `bytes`, which expat has checked. The returned part has no text if neither
 * XML nor HTML defines the entity. */
static EscapedPart read_reference(const char *bytes)
{
    EscapedPart part = { .length = 1 };

    while (bytes[part.length - 1] != ';') part.length++;
    if (bytes[1] == '#') {
        const bool is_hex = bytes[2] == 'x';
        return escaped_text_code(part.length, (uint32_t)strtoul(bytes + 2 + is_hex, NULL, is_hex ? 16 : 10));
    }
    if (html_entity_read(bytes, part.length, false, part.text, &part.size) != part.length) part.size = 0;
    return part;
}

/* Returns the length of a tag, a comment, a CDATA section or the like. */
static size_t markup_length(const char *bytes, size_t length)
{
    static const char *const marks[][2] = { { "<!--", "-->" }, { "<![CDATA[", "]]>" }, { "<?", "?>" } };
    char quote = '\0';
    size_t at = 1;

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (chars_begin(bytes, 0, length, marks[i][0]))
            return chars_after(bytes, strlen(marks[i][0]), length, marks[i][1], length);
    for (; at < length && (quote || bytes[at] != '>'); at++) {
        if (bytes[at] == quote)
            quote = '\0';
        else if (!quote && (bytes[at] == '"' || bytes[at] == '\''))
            quote = bytes[at];
    }
    return at < length ? at + 1 : length;
}

/* Reads a character of a well-formed document. An entity that neither XML nor HTML defines counts as a &. A tag, a
 * comment or a CDATA section counts as a NUL, which no tag in a text contains. */
static EscapedPart read_part(const char *bytes, size_t length)
{
    EscapedPart part;

    if (*bytes == '<') return (EscapedPart){ .length = markup_length(bytes, length), .size = 1 };
    if (*bytes != '&') return escaped_text_plain(bytes, length);
    part = read_reference(bytes);
    return part.size ? part : escaped_text_code(part.length, '&');
}

/* --- Attributes that a DTD declares ---------------------------------------------------- */

/* Limits the time: expat compares each declared attribute with all others, and with the attributes of each element. */
#define MOST_DECLARED ((size_t)256)
/* Up to byte N of the document, a DTD may add at most MOST_ADDED + ADDED_RATIO * N attributes. */
#define MOST_ADDED  ((size_t)1 << 16)
#define ADDED_RATIO ((size_t)4)

const char *xml_defaults_count_declaration(XmlDefaults *defaults)
{
    return ++defaults->declared > MOST_DECLARED ? "the DTD declares too many attributes" : NULL;
}

const char *xml_defaults_count_attributes(XmlDefaults *defaults, XML_Parser expat, const XML_Char **attributes)
{
    const XML_Index at = XML_GetCurrentByteIndex(expat);

    if (!defaults->declared) return NULL;
    for (int i = XML_GetSpecifiedAttributeCount(expat); attributes[i]; i += 2) defaults->added++;
    if (at < 0 || defaults->added <= MOST_ADDED + ADDED_RATIO * (size_t)at) return NULL;
    return "the DTD adds too many attributes to the elements";
}

/* --- Reading with expat --------------------------------------------------------------- */

typedef struct {
    XmlTree *tree;
    XML_Parser expat;
    BuilderInput input;
    size_t open;       /* the innermost open element */
    size_t references; /* number of references in the values of entities */
    size_t attribute_bytes;
    bool has_entities; /* without entities, attribute_bytes is not limited */
    XmlDefaults defaults;
} XmlReader;

/* Returns where the current event begins. Before the first byte, expat returns -1. */
static size_t event_begin(const XmlReader *r)
{
    const XML_Index index = XML_GetCurrentByteIndex(r->expat);

    return r->input.begin + (index < 0 ? 0 : (size_t)index);
}

static size_t event_end(const XmlReader *r)
{
    return event_begin(r) + (size_t)XML_GetCurrentByteCount(r->expat);
}

/* Stops reading with this message; does nothing if `reason` is NULL. */
static void fail(XmlReader *r, const char *reason)
{
    if (!reason) return;
    document_builder_fail(r->tree->builder, event_begin(r), "%s", reason);
    XML_StopParser(r->expat, XML_FALSE);
}

/* Adds a node to the tree. Returns NULL after a failure. */
static XmlNode *add_node(XmlReader *r, XmlKind kind, size_t begin, size_t end)
{
    XmlTree *tree = r->tree;
    const XmlNode *parent = r->open == XML_NO_NODE ? NULL : &tree->nodes[r->open];
    const XmlNode node = { .kind = (uint8_t)kind,
                           .is_preserved = parent && parent->is_preserved,
                           .is_protected = parent && parent->is_protected,
                           .parent = (uint32_t)r->open,
                           .next = (uint32_t)tree->count + 1,
                           .begin = (uint32_t)begin,
                           .end = (uint32_t)end };
    Err err;

    if (tree->count == NODE_LIMIT) {
        fail(r, "too many elements and texts");
        return NULL;
    }
    if (buf_grow_list(&tree->nodes, &tree->capacity, tree->count, 1, sizeof *tree->nodes, "XML", &err) != OK) {
        document_builder_fail_memory(tree->builder);
        XML_StopParser(r->expat, XML_FALSE);
        return NULL;
    }
    tree->nodes[tree->count] = node;
    return &tree->nodes[tree->count++];
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    XmlReader *r = data;
    XmlNode *node = add_node(r, NODE_ELEMENT, event_begin(r), event_end(r));

    (void)name;
    if (!node) return;
    for (size_t i = 0; attributes[i]; i += 2) {
        const char *attribute = attributes[i], *value = attributes[i + 1], *colon = strchr(attribute, ':');
        const bool is_no = strcmp(value, "no") == 0;
        if (strcmp(attribute, "xml:space") == 0)
            node->is_preserved = strcmp(value, "preserve") == 0;
        else if (strcmp(colon ? colon + 1 : attribute, "translate") == 0 && (is_no || strcmp(value, "yes") == 0))
            node->is_protected = is_no;
        r->attribute_bytes += strlen(value);
    }
    fail(r, xml_defaults_count_attributes(&r->defaults, r->expat, attributes));
    if (r->has_entities && r->attribute_bytes > ATTRIBUTE_BYTES && r->attribute_bytes / ATTRIBUTE_RATIO > r->input.end)
        fail(r, ENTITY_BYTES_REASON);
    r->open = r->tree->count - 1;
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    XmlReader *r = data;
    XmlNode *node;

    (void)name;
    if (document_builder_failed(r->tree->builder)) return; /* expat ends <a/> even after XML_StopParser() */
    node = &r->tree->nodes[r->open];
    node->close_begin = (uint32_t)event_begin(r);
    node->close_end = (uint32_t)event_end(r);
    node->next = (uint32_t)r->tree->count;
    r->open = node->parent;
}

/* Adds text to the tree. Skips the text of a CDATA section: it has a node already, whose end on_cdata_end() sets. */
static void add_text(XmlReader *r, size_t begin, size_t end, bool is_filled)
{
    XmlTree *tree = r->tree;
    XmlNode *last = &tree->nodes[tree->count - 1];

    if (is_filled) tree->nodes[r->open].has_text = true;
    if (last->kind == NODE_CDATA && !last->end) return;
    if (last->kind == NODE_TEXT && last->end == begin)
        last->end = (uint32_t)end;
    else
        add_node(r, NODE_TEXT, begin, end);
}

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    XmlReader *r = data;
    const size_t size = (size_t)length;

    add_text(r, event_begin(r), event_end(r), chars_skip_space(text, 0, size) < size);
}

static void XMLCALL on_cdata_start(void *data)
{
    XmlReader *r = data;

    add_node(r, NODE_CDATA, event_end(r), 0);
}

static void XMLCALL on_cdata_end(void *data)
{
    XmlReader *r = data;

    r->tree->nodes[r->tree->count - 1].end = (uint32_t)event_begin(r);
}

static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *note)
{
    XmlReader *r = data;

    (void)name, (void)base, (void)system, (void)public, (void)note;
    r->has_entities = true;
    if (is_parameter || !value) return;
    for (int i = 0; i + 1 < length; i++) r->references += value[i] == '&' && value[i + 1] != '#';
    if (r->references > ENTITY_REFERENCES) fail(r, "too many entities that contain entities");
}

static void XMLCALL on_attribute(void *data, const XML_Char *element, const XML_Char *name, const XML_Char *type,
                                 const XML_Char *value, int is_required)
{
    XmlReader *r = data;

    (void)element, (void)name, (void)type, (void)value, (void)is_required;
    fail(r, xml_defaults_count_declaration(&r->defaults));
}

/* With a default handler, expat does not expand entities in texts. Entities that HTML defines become text, others
 * become values. Such a value alone may stand for a whole chapter, so it does not count as text of its element. */
static void XMLCALL on_other(void *data, const XML_Char *text, int length)
{
    XmlReader *r = data;
    EscapedPart part;

    if (r->open == XML_NO_NODE || length < 3 || *text != '&') return;
    part = read_reference(r->input.bytes + event_begin(r));
    add_text(r, event_begin(r), event_end(r), part.size && !utf8_is_blank(part.text, part.size));
}

bool xml_tree_read_part(XmlTree *tree, DocumentBuilder *builder, Range part)
{
    XmlReader r = { .tree = tree, .input = document_builder_input(builder), .open = XML_NO_NODE };

    r.input.begin = part.begin;
    r.input.end = part.end;
    *tree = (XmlTree){ .builder = builder, .bytes = r.input.bytes };
    r.expat = XML_ParserCreate("UTF-8"); /* ignores the XML declaration: the document was converted to UTF-8 */
    if (!r.expat) {
        document_builder_fail_memory(builder);
        return false;
    }
    XML_SetUserData(r.expat, &r);
    XML_SetElementHandler(r.expat, on_start, on_end);
    XML_SetCharacterDataHandler(r.expat, on_text);
    XML_SetCdataSectionHandler(r.expat, on_cdata_start, on_cdata_end);
    XML_SetEntityDeclHandler(r.expat, on_entity);
    XML_SetAttlistDeclHandler(r.expat, on_attribute);
    XML_SetDefaultHandler(r.expat, on_other);
    if (r.input.begin == r.input.end) {
        document_builder_fail(builder, r.input.begin, "not well-formed XML: the document is empty");
    } else if (XML_Parse(r.expat, r.input.bytes + r.input.begin, (int)(r.input.end - r.input.begin), XML_TRUE) !=
               XML_STATUS_OK) { /* if a handler has failed, the builder keeps its message */
        const enum XML_Error error = XML_GetErrorCode(r.expat);
        bool is_limit = false;
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 4 /* since this version, expat has its own limit */
        is_limit = error == XML_ERROR_AMPLIFICATION_LIMIT_BREACH;
#endif
        if (error == XML_ERROR_NO_MEMORY)
            document_builder_fail_memory(builder);
        else if (is_limit)
            document_builder_fail(builder, event_begin(&r), ENTITY_BYTES_REASON);
        else
            document_builder_fail(builder, event_begin(&r), "not well-formed XML: %s",
                                  error == XML_ERROR_INVALID_TOKEN ? "invalid token" : XML_ErrorString(error));
    }
    XML_ParserFree(r.expat);
    if (document_builder_failed(builder)) xml_tree_free(tree);
    return !document_builder_failed(builder);
}

bool xml_tree_read(XmlTree *tree, DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);

    return xml_tree_read_part(tree, builder, (Range){ input.begin, input.end });
}

void xml_tree_free(XmlTree *tree)
{
    Document *document;
    Err err;

    if (tree->owns_builder && document_builder_finish(tree->builder, &document, &err) == OK) document_free(document);
    free(tree->nodes);
    buf_free(&tree->entry);
    *tree = (XmlTree){ .builder = NULL };
}

Status xml_source_read(XmlTree *tree, const DocumentFile *part, Err *err)
{
    static const DocumentFormat format = { .name = "xml" };
    static const DocumentOptions options = { .encoding = NULL };
    DocumentBuilder *builder; /* for failures while the tree is read; it gets no units */
    Document *document;
    Status st = document_builder_new(&builder, &format, part, &options, err);

    *tree = (XmlTree){ .builder = NULL };
    if (st != OK) return st;
    tree->owns_builder = xml_tree_read(tree, builder);
    return tree->owns_builder ? OK : document_builder_finish(builder, &document, err);
}

Status xml_entry_read(XmlTree *tree, Package *package, const char *name, Err *err)
{
    Buf path = { 0 }, bytes = { 0 };
    Status st = package_read(package, name, &path, &bytes, err);

    *tree = (XmlTree){ .builder = NULL };
    if (st == OK) st = xml_source_read(tree, &(DocumentFile){ path.data, bytes.data, bytes.len }, err);
    tree->entry = bytes;
    buf_free(&path);
    return st;
}

/* --- Questions about nodes ------------------------------------------------------------- */

bool xml_tree_is_space(const XmlTree *tree, size_t begin, size_t end)
{
    return chars_skip_space(tree->bytes, begin, end) == end;
}

Range xml_tree_name(const XmlTree *tree, size_t node)
{
    Range name = { tree->nodes[node].begin + 1, tree->nodes[node].begin + 1 };

    while (!char_is_space(tree->bytes[name.end]) && tree->bytes[name.end] != '>' && tree->bytes[name.end] != '/')
        name.end++;
    return name;
}

/* Returns the end of the prefix of a name, after its colon; without a prefix, the beginning of the name. */
static size_t prefix_end(const XmlTree *tree, Range name)
{
    const char *colon = memchr(tree->bytes + name.begin, ':', name.end - name.begin);

    return colon ? (size_t)(colon + 1 - tree->bytes) : name.begin;
}

Range xml_tree_prefix(const XmlTree *tree, size_t node)
{
    const Range name = xml_tree_name(tree, node);

    return (Range){ name.begin, prefix_end(tree, name) };
}

bool xml_tree_lists(const XmlTree *tree, Range bytes, const char *words)
{
    return chars_are_among(tree->bytes + bytes.begin, bytes.end - bytes.begin, words);
}

bool xml_tree_is(const XmlTree *tree, size_t node, const char *names)
{
    Range name;

    if (node == XML_NO_NODE || tree->nodes[node].kind != NODE_ELEMENT) return false;
    name = xml_tree_name(tree, node);
    if (xml_tree_lists(tree, name, names)) return true;
    name.begin = prefix_end(tree, name);
    return xml_tree_lists(tree, name, names);
}

XmlAttribute xml_tree_attributes(const XmlTree *tree, size_t node)
{
    if (tree->nodes[node].kind != NODE_ELEMENT) return (XmlAttribute){ 0 };
    return (XmlAttribute){ .bytes = tree->bytes, .end = xml_tree_name(tree, node).end };
}

/* expat has checked that all attributes are of the form NAME = "VALUE". */
bool xml_next_attribute(XmlAttribute *attribute)
{
    const char *bytes = attribute->bytes;
    size_t i = attribute->end;
    char quote;

    if (!bytes) return false;
    while (char_is_space(bytes[i])) i++;
    if (bytes[i] == '>' || bytes[i] == '/') return false;
    attribute->name.begin = i;
    while (!char_is_space(bytes[i]) && bytes[i] != '=') i++;
    attribute->name.end = i;
    while (bytes[i] != '"' && bytes[i] != '\'') i++;
    quote = bytes[i++];
    attribute->value.begin = i;
    while (bytes[i] != quote) i++;
    attribute->value.end = i;
    attribute->end = i + 1;
    return true;
}

bool xml_tree_attribute(const XmlTree *tree, size_t node, const char *name, Range *value)
{
    for (XmlAttribute a = xml_tree_attributes(tree, node); xml_next_attribute(&a);) {
        if (!chars_are(tree->bytes + a.name.begin, a.name.end - a.name.begin, name)) continue;
        *value = a.value;
        return true;
    }
    return false;
}

bool xml_tree_attribute_is(const XmlTree *tree, size_t node, const char *name, const char *values)
{
    Range value;

    return xml_tree_attribute(tree, node, name, &value) && xml_tree_lists(tree, value, values);
}

Range xml_tree_attribute_bytes(const XmlTree *tree, Range value)
{
    const char *bytes = tree->bytes;
    size_t at = value.begin;

    while (bytes[at] != '=') at--;
    while (char_is_space(bytes[at - 1])) at--;
    while (!char_is_space(bytes[at - 1])) at--;
    while (char_is_space(bytes[at - 1])) at--;
    return (Range){ at, value.end + 1 };
}

size_t xml_tree_child(const XmlTree *tree, size_t node, const char *names)
{
    for (size_t i = node + 1; i < tree->nodes[node].next; i = tree->nodes[i].next)
        if (xml_tree_is(tree, i, names)) return i;
    return XML_NO_NODE;
}

size_t xml_tree_end(const XmlTree *tree, size_t node)
{
    const XmlNode *n = &tree->nodes[node];

    return n->close_end > n->end ? n->close_end : n->end;
}

/* --- Contexts of texts ------------------------------------------------------------------ */

unsigned xml_text_context(const XmlTree *tree, size_t element, bool is_android)
{
    const XmlNode *nodes = tree->nodes;
    const unsigned context = XML_IN_TEXT | (is_android ? XML_IN_ANDROID : 0);
    bool has_cdata = false;

    for (size_t i = element + 1; i < nodes[element].next; i++) {
        const bool is_one = nodes[i].kind == NODE_CDATA && !has_cdata;
        if (!is_one && (nodes[i].kind != NODE_TEXT || !xml_tree_is_space(tree, nodes[i].begin, nodes[i].end)))
            return context;
        has_cdata |= is_one;
    }
    return has_cdata ? context | XML_IN_CDATA : context;
}

/* --- Characters ------------------------------------------------------------------------ */

/* Decodes a character reference of HTML that is written as text at the beginning of `bytes`: &amp;nbsp;, or &nbsp; in
 * CDATA. The length of the part is 0 if there is no such reference. */
static EscapedPart read_escaped_reference(const char *bytes, size_t length, bool in_cdata)
{
    const char *mark = in_cdata ? "&" : "&amp;";
    const size_t skipped = strlen(mark) - 1; /* all but the & */
    char reference[HTML_ENTITY_NAME + 2] = "&";
    EscapedPart part = { .size = 0 };
    size_t size;

    if (length <= skipped + 1 || !chars_begin(bytes, 0, length, mark)) return part;
    size = length - skipped < sizeof reference ? length - skipped : sizeof reference;
    memcpy(reference + 1, bytes + skipped + 1, size - 1);
    size = html_entity_read(reference, size, false, part.text, &part.size);
    if (size && reference[size - 1] == ';') part.length = skipped + size;
    return part;
}

/* Reads the escape of a character in spreadsheets: _x000D_ is a carriage return, which may have a newline after it. The
 * part has no text if it stands for no character of a text. Its length is 0 if there is no escape. */
static EscapedPart read_sheet_escape(const char *bytes, size_t length)
{
    static const size_t size = sizeof "_x000D_" - 1;
    const bool is_one = length >= size && bytes[0] == '_' && bytes[1] == 'x' && bytes[size - 1] == '_';
    const uint32_t code = is_one ? escaped_text_hex(bytes + 2, 4, 4) : UTF8_INVALID;

    if (code == UTF8_INVALID) return (EscapedPart){ .length = 0 };
    if (code == '\r' && length > size && bytes[size] == '\n') return escaped_text_code(size + 1, '\n');
    return escaped_text_code(size, code < ' ' && !strchr("\t\r\n", (int)code) ? UTF8_INVALID : code);
}

static EscapedPart read_sheet(const char *bytes, size_t length)
{
    const EscapedPart part = read_sheet_escape(bytes, length);

    return part.length ? part : read_part(bytes, length);
}

/* Reads a character that may be an escape of Android: \' \" \\ \@ \? \n \t \u0020. Before other characters, the
 * backslash is a part without text. */
static EscapedPart read_android(const char *bytes, size_t length, EscapedReader *read)
{
    static const EscapeRules rules = { "nt'\"\\@?#", "\n\t'\"\\@?#", "u", 0, false };
    EscapedPart part;

    if (*bytes != '\\') return read(bytes, length);
    part = length < 2 ? escaped_text_code(1, 0) : escaped_text_escape(&rules, bytes, length);
    if (!part.size && part.length == 2) part.length = 1;
    return part;
}

static EscapedPart read_android_xml(const char *bytes, size_t length)
{
    return read_android(bytes, length, read_part);
}

static EscapedPart read_android_cdata(const char *bytes, size_t length)
{
    return read_android(bytes, length, escaped_text_plain);
}

typedef struct {
    const XmlTree *tree;
    unsigned context;
    bool is_preserved;
    bool is_quoted; /* inside quotes, in which Android keeps white space */
    bool has_ended; /* the last character was the end of a line that is spelled: &#10; or \n */
    EscapedReader *read;
    EscapedTagList tags;
    size_t next_tag; /* for escaped_tags_at() */
} TextReader;

/* Starts to read a text. Finds the tags in it that are written as text, such as &lt;b>. The caller frees the result
 * with escaped_tags_free(&reader.tags). */
static TextReader start_text(const XmlTree *tree, Range text, unsigned context, bool is_preserved)
{
    static EscapedReader *const readers[] = {
        [0] = read_part,
        [XML_IN_CDATA] = escaped_text_plain,
        [XML_IN_ANDROID] = read_android_xml,
        [XML_IN_ANDROID | XML_IN_CDATA] = read_android_cdata,
    };
    EscapedReader *read = tree->has_escapes ? read_sheet : readers[context & (XML_IN_ANDROID | XML_IN_CDATA)];

    return (TextReader){ .tree = tree,
                         .context = context,
                         .is_preserved = is_preserved,
                         .read = read,
                         .tags = escaped_tags_find(tree->builder, text, read) };
}

/* Spaces that divide columns, like a tab. */
#define GAP "   "

/* Reports a reference to an entity that only the document defines: &name; is the value {name}. */
static void report_entity(DocumentBuilder *builder, const char *bytes, size_t at, size_t end)
{
    char value[64];
    const size_t length = end - at;

    if (length > sizeof value) {
        document_builder_object(builder, (Range){ at + 1, end - 1 }, at, end);
        return;
    }
    memcpy(value, bytes + at, length);
    value[0] = '{';
    value[length - 1] = '}';
    document_builder_value(builder, value, length, at, end);
}

/* Reports the text that begins at byte `at`, and returns its end. */
static size_t report_characters(TextReader *t, size_t at, size_t end)
{
    DocumentBuilder *builder = t->tree->builder;
    const char *bytes = t->tree->bytes;
    const bool in_cdata = t->context & XML_IN_CDATA, is_android = t->context & XML_IN_ANDROID;
    const bool keeps_space = t->is_preserved || t->is_quoted;
    const bool begins_line = t->has_ended;
    const char *stops = is_android ? "&\\\"\t" : t->tree->has_escapes ? "&_\t" : "&\t";
    EscapedPart part = read_escaped_reference(bytes + at, end - at, in_cdata);
    size_t next = at + 1;

    if (!part.length && bytes[at] == '&' && !in_cdata) part = read_reference(bytes + at);
    if (bytes[at] == '\\' && is_android) part = t->read(bytes + at, end - at);
    if (bytes[at] == '_' && t->tree->has_escapes) part = read_sheet_escape(bytes + at, end - at);
    t->has_ended = part.size == 1 && *part.text == '\n';
    if (part.length) {
        next = at + part.length;
        if (bytes[at] == '\\' && part.size == 1 && *part.text == '\t')
            document_builder_separate(builder, at, next, BREAK_ALWAYS);
        else if (!part.size && bytes[at] == '&')
            report_entity(builder, bytes, at, next);
        else
            document_builder_spelled(builder, part.text, part.size, at, next);
    } else if (char_is_space(bytes[at]) && !keeps_space) {
        size_t lines = 0;
        next = chars_skip_space(bytes, next, end);
        for (size_t i = at; i < next; i++) lines += bytes[i] == '\n';
        if (lines > 1 && !is_android) /* an empty line divides the paragraphs of a message */
            document_builder_separate(builder, at, next, BREAK_HARD);
        else
            document_builder_space(builder, at, next);
    } else if (bytes[at] == '\t' || chars_begin(bytes, at, end, GAP)) {
        size_t before = at; /* the blanks before it */
        while (before && char_is_blank(bytes[before - 1])) before--;
        next = chars_skip_blanks(bytes, next, end);
        if (begins_line || (before && char_is_newline(bytes[before - 1])))
            document_builder_plain(builder, at, next);
        else
            document_builder_separate(builder, at, next, BREAK_ALWAYS); /* between columns */
    } else if (bytes[at] == '"' && is_android) {
        t->is_quoted = !t->is_quoted;
        document_builder_empty(builder, at, next);
    } else {
        while (next < end && bytes[next] && !strchr(stops, bytes[next]) &&
               (keeps_space ? !chars_begin(bytes, next, end, GAP) : !char_is_space(bytes[next])))
            next++;
        document_builder_plain(builder, at, next);
    }
    return next;
}

/* Reports the text [at, end). Returns its end, which is after `end` if a tag written as text continues there. */
static size_t report_range(TextReader *t, size_t at, size_t end)
{
    DocumentBuilder *builder = t->tree->builder;

    while (at < end && !document_builder_failed(builder)) {
        const FoundTag *tag = escaped_tags_at(&t->tags, &t->next_tag, at);
        const size_t next = escaped_tags_next(&t->tags, t->next_tag, at);
        const bool is_kept = document_builder_keeps(builder);
        if (tag) {
            if (tag->is_block)
                document_builder_separate(builder, at, tag->bytes.end, BREAK_ALWAYS);
            else
                escaped_tags_report(builder, tag);
            at = tag->bytes.end;
            continue;
        }
        document_builder_keep(builder, is_kept || escaped_tags_is_code(&t->tags, at));
        at = report_characters(t, at, next < end ? next : end);
        document_builder_keep(builder, is_kept);
    }
    return at;
}

/* Reports a text or a CDATA section. A CDATA section among other text is reported as one piece: all its bytes from
 * <![CDATA[ to ]]> spell its text without white space at the ends. */
static void report_text(TextReader *t, size_t index)
{
    static const size_t open = sizeof "<![CDATA[" - 1, close = sizeof "]]>" - 1;
    const XmlTree *tree = t->tree;
    const XmlNode *node = &tree->nodes[index];
    const bool is_preserved = t->is_preserved;
    const size_t length = node->end - node->begin;
    Range inside;
    char *text;

    if (node->kind == NODE_TEXT || (t->context & XML_IN_CDATA)) {
        if (node->kind == NODE_TEXT && (t->context & XML_IN_CDATA)) return; /* white space around the section */
        t->is_preserved |= node->is_preserved;
        report_range(t, node->begin, node->end);
        t->is_preserved = is_preserved;
        return;
    }
    text = malloc(length + 1);
    if (!text) {
        document_builder_fail_memory(tree->builder);
        return;
    }
    memcpy(text, tree->bytes + node->begin, length);
    for (size_t i = 0; i < length; i++)
        if (char_is_space(text[i])) text[i] = ' ';
    inside = ranges_trimmed(text, (Range){ 0, length });
    document_builder_spelled(tree->builder, text + inside.begin, inside.end - inside.begin, node->begin - open,
                             node->end + close);
    free(text);
}

EscapedPart xml_text_read(const XmlTree *tree, size_t at, size_t end)
{
    return (tree->has_escapes ? read_sheet : read_part)(tree->bytes + at, end - at);
}

void xml_text_put(Buf *out, const XmlTree *tree, Range range)
{
    escaped_text_decode(out, tree->has_escapes ? read_sheet : read_part, tree->bytes, range);
}

bool xml_text_decode(Buf *out, const XmlTree *tree, Range bytes)
{
    buf_clear(out);
    xml_text_put(out, tree, bytes);
    return document_builder_check(tree->builder, buf_check(out, NULL)) && out->len;
}

void xml_text_report(const XmlTree *tree, size_t index, unsigned context, bool has_columns)
{
    const XmlNode *node = &tree->nodes[index];
    const bool divides = has_columns && node->kind == NODE_TEXT;
    const bool is_piece = node->kind == NODE_CDATA && !(context & XML_IN_CDATA); /* no tags or references are in it */
    TextReader reader = start_text(tree, (Range){ node->begin, is_piece ? node->begin : node->end }, context, divides);

    if (!divides) report_text(&reader, index);
    for (size_t at = node->begin; divides && at < node->end && !document_builder_failed(tree->builder);) {
        const size_t stop = chars_find(tree->bytes, at, node->end, '\t');
        at = report_range(&reader, at, stop);
        if (at > stop || stop == node->end) continue; /* if the tab is in a tag, it divides nothing */
        document_builder_next_unit(tree->builder, context, at, at + 1);
        at++;
    }
    escaped_tags_free(&reader.tags);
}

void xml_text_open(const XmlTree *tree, size_t index)
{
    /* In DocBook, TEI and similar formats, these elements only mark a place if they have no contents. */
    static const char invisible[] = "a anchor lb pb cb gb milestone wbr index indexmark bookmark comment b i em strong "
                                    "hi phrase emphasis indexterm set";
    const XmlNode *node = &tree->nodes[index];

    if (xml_tree_is(tree, index, "br"))
        document_builder_separate(tree->builder, node->begin, node->end, BREAK_HARD);
    else if (node->close_begin == node->close_end && xml_tree_is(tree, index, invisible))
        document_builder_empty(tree->builder, node->begin, node->end);
    else if (node->close_begin == node->close_end)
        document_builder_object(tree->builder, xml_tree_name(tree, index), node->begin, node->end);
    else
        document_builder_open(tree->builder, index, node->begin, node->end);
}

void xml_text_close(const XmlTree *tree, size_t index)
{
    const XmlNode *node = &tree->nodes[index];

    if (node->close_begin < node->close_end && !xml_tree_is(tree, index, "br"))
        document_builder_close(tree->builder, index, node->close_begin, node->close_end);
}

/* --- Inline codes of bilingual files ---------------------------------------------------
 * What a code stands for is known from its attributes, or from its native code: its contents, or equiv-text (XLIFF
 * 1.2), disp and equiv (2.0). Native code that is a tag of HTML is reported as this tag; "%s" or "{name}" is a value.
 * <x/> and <ph/> without native code are also values. */

#define LONGEST_VALUE 64

typedef enum { CODE_UNKNOWN, CODE_VALUE, CODE_PICTURE, CODE_LINE_END, CODE_OPEN, CODE_CLOSE, CODE_FORMAT } CodeKind;

/* Returns the kind that the attributes of an inline code show: that of the first row that matches, or CODE_UNKNOWN. */
static CodeKind kind_of_attributes(const XmlTree *tree, size_t node)
{
    static const struct {
        const char *name, *values;
        CodeKind kind;
    } rows[] = {
        { "ctype", "lb x-br x-html-br", CODE_LINE_END },
        { "subType", "xlf:lb", CODE_LINE_END },
        { "type", "lb", CODE_LINE_END },
        { "ctype", "image", CODE_PICTURE },
        { "type", "image", CODE_PICTURE },
        { "type", "fmt link quote fnote enote index bold italic struct", CODE_FORMAT },
        { "ctype", "bold italic underlined font link", CODE_FORMAT },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (xml_tree_attribute_is(tree, node, rows[i].name, rows[i].values)) return rows[i].kind;
    return CODE_UNKNOWN;
}

/* The native code of an inline code, as a range that must be decoded; empty: none. */
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

/* Returns the kind of native code that is a tag of HTML, and sets *tag. Returns CODE_UNKNOWN for other code. */
static CodeKind kind_of_tag(const XmlTree *tree, Range native, EscapedTag *tag)
{
    const char *bytes = tree->bytes;
    const size_t end = escaped_tag_read(bytes, native.begin, native.end, read_part, tag);

    if (end == native.begin || !xml_tree_is_space(tree, end, native.end)) return CODE_UNKNOWN;
    if (escaped_tag_ends_line(bytes, tag)) return CODE_LINE_END;
    if (html_element_kind(bytes, tag->name) == HTML_VOID_INLINE) return CODE_PICTURE;
    return tag->kind == ESCAPED_OPEN ? CODE_OPEN : tag->kind == ESCAPED_CLOSE ? CODE_CLOSE : CODE_VALUE;
}

/* Decodes native code into text[LONGEST_VALUE]. Returns its length; 0: it is too long or has control characters. */
static size_t decode(const char *bytes, Range range, char *text)
{
    size_t length = 0;

    for (size_t at = range.begin; at < range.end;) {
        const EscapedPart part = read_part(bytes + at, range.end - at);
        if (length + part.size > LONGEST_VALUE || (part.size && (unsigned char)*part.text < ' ')) return 0;
        memcpy(text + length, part.text, part.size);
        length += part.size;
        at += part.length;
    }
    return length;
}

/* Whether native code is a value, and not a mark such as ** or a command such as \b. If `kind` is not INLINE_VALUE, the
 * code must begin like a placeholder. */
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

/* The key of a span with this name. It is larger than the key of any element, which is the number of its node. */
static uint64_t key_of(const XmlTree *tree, Range name)
{
    return hash64_of(tree->bytes + name.begin, name.end - name.begin) >> 2 | (uint64_t)1 << 62;
}

uint64_t xml_text_range_key(const XmlTree *tree, size_t node, Range name)
{
    static const char *const ends[] = { "-start", "-end", "Start", "End" };
    Range kind = { xml_tree_prefix(tree, node).end, xml_tree_name(tree, node).end };
    Hash64 hash = hash64_begin();

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (chars_end(tree->bytes, kind.begin + 1, kind.end, ends[i])) kind.end -= strlen(ends[i]);
    hash64_add(&hash, tree->bytes + kind.begin, kind.end - kind.begin);
    hash64_add(&hash, " ", 1);
    hash64_add(&hash, tree->bytes + name.begin, name.end - name.begin);
    return (uint64_t)1 << 63 | hash64_end(&hash) >> 1;
}

/* Reports an inline code with all its contents: as a value or a picture in the text, as the end of a line, as the
 * beginning or end of a span, or as an empty element. `id` is the name of an INLINE_OPEN or INLINE_CLOSE. */
static void report_code(const XmlTree *tree, size_t node, XmlInline kind, Range id)
{
    static const char line_ends[] = "\\n \\r\\n \\line \\par";
    DocumentBuilder *b = tree->builder;
    const size_t begin = tree->nodes[node].begin, end = xml_tree_end(tree, node);
    const bool is_span = kind == INLINE_OPEN || kind == INLINE_CLOSE;
    const Range native = shown(tree, node);
    CodeKind code = kind_of_attributes(tree, node);
    char text[LONGEST_VALUE + 2];
    size_t length = decode(tree->bytes, native, text), command = length;
    EscapedTag tag;

    if (is_span && code != CODE_LINE_END) code = CODE_UNKNOWN;
    if (code == CODE_UNKNOWN) {
        code = kind_of_tag(tree, native, &tag);
        if (code != CODE_UNKNOWN && !is_span) id = tag.name;
    }
    if (is_span && code != CODE_LINE_END) code = kind == INLINE_OPEN ? CODE_OPEN : CODE_CLOSE;
    while (command && char_is_blank(text[command - 1])) command--;
    if (code == CODE_UNKNOWN && chars_are_among(text, command, line_ends)) code = CODE_LINE_END;
    if (code == CODE_UNKNOWN && length) code = is_value(text, length, kind) ? CODE_VALUE : CODE_FORMAT;
    if (code == CODE_UNKNOWN) code = kind == INLINE_VALUE ? CODE_VALUE : CODE_FORMAT;
    switch (code) {
    case CODE_VALUE:
        if (!length) { /* a value without a text to show is shown as {ID} */
            Range name;
            if (xml_tree_attribute(tree, node, "id", &name) || xml_tree_attribute(tree, node, "x", &name))
                length = decode(tree->bytes, name, text + 1);
            if (length > LONGEST_VALUE - 2) length = 0;
            text[0] = '{';
            text[length + 1] = '}';
            length += 2;
        }
        document_builder_value(b, text, length, begin, end);
        break;
    case CODE_PICTURE:
        document_builder_object(b, xml_tree_name(tree, node), begin, end);
        break;
    case CODE_LINE_END:
        document_builder_separate(b, begin, end, BREAK_HARD);
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

/* --- The contents of elements --------------------------------------------------------- */

/* Reports the start or end tag of a span. In strings of Android, the tags of HTML's block elements divide the text. */
static void report_tag(const XmlTree *tree, const XmlTextRules *rules, size_t index, bool closes)
{
    const XmlNode *node = &tree->nodes[index];

    if (!rules->is_android || !escaped_tag_is_block(tree->bytes, xml_tree_name(tree, index)))
        (closes ? xml_text_close : xml_text_open)(tree, index);
    else
        document_builder_separate(tree->builder, closes ? node->close_begin : node->begin,
                                  closes ? node->close_end : node->end, BREAK_ALWAYS);
}

/* Returns XML_AFTER_TAG if the element begins with a tag, a quote, or white space that Android keeps; otherwise 0. */
static unsigned begin_context(const TextReader *t, const XmlNode *element)
{
    const char *bytes = t->tree->bytes;
    const size_t at = chars_skip_space(bytes, element->end, element->close_begin);
    EscapedPart part;

    if (at == element->close_begin || bytes[at] == '<' || bytes[at] == '"') return XML_AFTER_TAG;
    part = bytes[at] == '&' ? read_reference(bytes + at) : t->read(bytes + at, element->close_begin - at);
    return utf8_is_blank(part.text, part.size) ? XML_AFTER_TAG : 0;
}

void xml_text_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules, bool is_whole, size_t *number)
{
    const XmlNode *nodes = tree->nodes;
    const unsigned context = xml_text_context(tree, element, rules->is_android);
    const XmlNode *section = &nodes[element]; /* the only CDATA section */
    Range bytes = { section->end, section->close_begin };
    size_t open = element, kept = XML_NO_NODE; /* the innermost open span; the span whose contents are kept */
    TextReader text;

    while ((context & XML_IN_CDATA) && section->kind != NODE_CDATA) section++;
    if (context & XML_IN_CDATA) bytes = (Range){ section->begin, section->end };
    text = start_text(tree, bytes, context, rules->is_preserved);
    document_builder_begin(tree->builder, context | begin_context(&text, &nodes[element]), nodes[element].end);
    if (is_whole)
        document_builder_whole(tree->builder);
    else if (text.tags.is_message)
        document_builder_message(tree->builder);
    document_builder_next_context(tree->builder, context | XML_AFTER_TAG);
    for (size_t i = element + 1; i < nodes[element].next || open != element;) {
        if (i == nodes[open].next) {
            report_tag(tree, rules, open, true);
            if (kept == open) kept = XML_NO_NODE;
            open = nodes[open].parent;
        } else if (nodes[i].kind != NODE_ELEMENT) {
            document_builder_keep(tree->builder, kept != XML_NO_NODE || nodes[i].is_protected);
            report_text(&text, i++);
        } else {
            Range id = { 0, 0 };
            const XmlInline kind = rules->inline_kind ? rules->inline_kind(tree, i, &id) : INLINE_SPAN;
            if (kind == INLINE_SPAN || kind == INLINE_KEPT) {
                if (kind == INLINE_KEPT && kept == XML_NO_NODE) kept = i;
                open = i++;
                report_tag(tree, rules, open, false);
            } else {
                report_code(tree, i, kind, id);
                i = nodes[i].next;
            }
        }
    }
    escaped_tags_free(&text.tags);
    if (number)
        document_builder_end_text(tree->builder, nodes[element].close_begin, number);
    else
        document_builder_end_unit(tree->builder, nodes[element].close_begin);
}

void xml_text_element(const XmlTree *tree, size_t element)
{
    static const XmlTextRules rules = { .is_preserved = false };
    const XmlNode *node = &tree->nodes[element];

    if (node->close_begin > node->end && xml_text_context(tree, element, false) == XML_IN_TEXT)
        xml_text_contents(tree, element, &rules, false, NULL);
}

const char *xml_language(const XmlTree *tree)
{
    return document_builder_input(tree->builder).options->language;
}

void xml_label(const XmlTree *tree, size_t element, const char *attribute, const char *language)
{
    Range value;

    if (language && xml_tree_attribute(tree, element, attribute, &value))
        document_builder_language(tree->builder, value.begin, value.end, language);
}

void xml_label_contents(const XmlTree *tree, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const char *language = xml_language(tree);

    if (language && node->close_begin > node->end)
        document_builder_language(tree->builder, node->end, node->close_begin, language);
}

void xml_text_attribute(const XmlTree *tree, Range value)
{
    TextReader reader = start_text(tree, value, XML_IN_TEXT | XML_IN_ATTRIBUTE, false);

    document_builder_begin(tree->builder, reader.context, value.begin);
    report_range(&reader, value.begin, value.end);
    document_builder_end_unit(tree->builder, value.end);
    escaped_tags_free(&reader.tags);
}

void xml_text_attributes(const XmlTree *tree, size_t node, const char *names)
{
    for (XmlAttribute a = xml_tree_attributes(tree, node); xml_next_attribute(&a);)
        if (a.value.begin < a.value.end && xml_tree_lists(tree, a.name, names)) xml_text_attribute(tree, a.value);
}

/* --- Spelling ------------------------------------------------------------------------- */

static bool is_special_xml(unsigned context, uint32_t code)
{
    if (code == '>' || (code < 0x20 && code != '\t') || code == 0xfffe || code == 0xffff) return true;
    if (context & XML_IN_ATTRIBUTE) return code == '&' || code == '<' || code == '"' || code == '\'';
    if ((context & XML_IN_ANDROID) && code < 0x80 && strchr("'\"\\@?", (int)code)) return true;
    return !(context & XML_IN_CDATA) && (code == '&' || code == '<');
}

/* Whether a > here would complete "]]>", which ends a CDATA section and is not allowed in other text. Attributes may
 * contain it. */
static bool ends_section(const SpellingPlace *place)
{
    return !(place->context & XML_IN_ATTRIBUTE) && place->before_length >= 2 &&
           memcmp(place->before + place->before_length - 2, "]]", 2) == 0;
}

static size_t spell_xml(uint32_t code, const SpellingPlace *place, char *out)
{
    switch (code) {
    case '>':
        if (place->context & XML_IN_CDATA) return spelling_copy(ends_section(place) ? "]]><![CDATA[>" : ">", out);
        /* fall through */
    case '&':
    case '<':
        return html_spell(code, place, out);
    case '@':
    case '?':
        if (place->before_length) return utf8_put(code, out);
        /* fall through */
    case '\'':
    case '"':
    case '\\':
        if (place->context & XML_IN_ATTRIBUTE) return spelling_copy(code == '"' ? "&quot;" : "&apos;", out);
        out[0] = '\\', out[1] = (char)code;
        return 2;
    default: /* XML 1.0 does not allow this character */
        return utf8_put(0xfffd, out);
    }
}

/* References are not read in a CDATA section, so the section ends before a reference and begins again after it. */
static size_t refer_xml(uint32_t code, const SpellingPlace *place, char *out)
{
    const char *format = place->context & XML_IN_CDATA ? "]]>&#%u;<![CDATA[" : "&#%u;";

    return (size_t)snprintf(out, SPELLING_BYTES, format, (unsigned)code);
}

static bool keeps_xml(const char *spelling, size_t length, const SpellingPlace *place)
{
    const bool is_reference =
        (place->context & XML_IN_ANDROID) && length == 1 && (*spelling == '@' || *spelling == '?');

    if (is_reference && !place->before_length) return (place->context & XML_AFTER_TAG) != 0;
    return *spelling != '>' || !ends_section(place);
}

#define SPELLS_XML .is_special = is_special_xml, .spell = spell_xml, .keeps = keeps_xml, .refer = refer_xml

const SpellingRules xml_spelling = { SPELLS_XML };
const SpellingRules xml_cue_spelling = { SPELLS_XML, .lines = LINES_AT_MOST };
