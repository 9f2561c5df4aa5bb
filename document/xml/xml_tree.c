/* xml_tree.c - see xml_tree.h. expat gets the document in one piece: in smaller ones, versions before 2.6 need
 * quadratic time for long tokens. Entities in texts are not expanded; those in attributes are, so they are limited here
 * as well: versions before 2.4 have no limit of their own. */
#include "xml_tree.h"

#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "buf.h"
#include "chars.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "utf8.h"

#define NODE_LIMIT ((size_t)1 << 25)
/* R references between entities make at most 3^(R/3) expansions. */
#define ENTITY_REFERENCES 36
/* The most bytes of all attributes of a document with entities: this, and so many times its size. */
#define ATTRIBUTE_BYTES     ((size_t)8 << 20)
#define ATTRIBUTE_RATIO     100
#define ENTITY_BYTES_REASON "the entities expand to too many bytes"

/* --- References ---------------------------------------------------------------------- */

size_t xml_reference_read(const char *bytes, size_t at, char text[HTML_ENTITY_BYTES], size_t *length)
{
    static const char *const names[] = { "amp", "lt", "gt", "quot", "apos" };
    const char *name = bytes + at + 1;
    size_t size = 0;

    while (name[size] != ';') size++; /* expat has checked that the reference is complete */
    if (*name == '#') {
        const uint32_t base = name[1] == 'x' ? 16 : 10;
        uint32_t code = 0; /* expat has checked that this is a character */
        for (size_t i = base == 16 ? 2 : 1; i < size; i++) {
            const uint32_t c = (unsigned char)name[i];
            code = code * base + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        *length = utf8_put(code, text);
    } else {
        *length = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names && !*length; i++) {
            *length = chars_are(name, size, names[i]);
            text[0] = "&<>\"'"[i];
        }
        if (!*length && html_entity_read(bytes + at, size + 2, false, text, length) != size + 2) *length = 0;
    }
    return at + size + 2;
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

EscapedPart xml_reference_part(const char *bytes, size_t length)
{
    EscapedPart part;

    if (*bytes == '<') return (EscapedPart){ markup_length(bytes, length), 1, "" };
    if (*bytes != '&') return escaped_text_plain(bytes, length);
    part.length = xml_reference_read(bytes, 0, part.text, &part.size);
    return part.size ? part : escaped_text_code(part.length, '&');
}

/* --- Attributes that a DTD declares ---------------------------------------------------- */

/* expat compares each declaration with the others, and each element with all that are declared for it. */
#define MOST_DECLARED ((size_t)256)
/* The most attributes that a DTD adds: MOST_ADDED, and ADDED_RATIO more for each byte up to the element. */
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
    size_t references; /* between entities */
    size_t attribute_bytes;
    bool has_entities; /* the limits of attributes hold only then */
    XmlDefaults defaults;
} XmlReader;

/* Before the first byte, expat says that the place is -1. */
static size_t event_begin(const XmlReader *r)
{
    const XML_Index index = XML_GetCurrentByteIndex(r->expat);

    return r->input.begin + (index < 0 ? 0 : (size_t)index);
}

static size_t event_end(const XmlReader *r)
{
    return event_begin(r) + (size_t)XML_GetCurrentByteCount(r->expat);
}

/* Fails if there is a reason. */
static void fail(XmlReader *r, const char *reason)
{
    if (!reason) return;
    document_builder_fail(r->tree->builder, event_begin(r), "%s", reason);
    XML_StopParser(r->expat, XML_FALSE);
}

/* Returns NULL after a failure. */
static XmlNode *add_node(XmlReader *r, XmlKind kind, size_t begin, size_t end)
{
    XmlTree *tree = r->tree;
    const XmlNode *parent = r->open == XML_NO_NODE ? NULL : &tree->nodes[r->open];
    XmlNode node = { .kind = (uint8_t)kind, .parent = (uint32_t)r->open };
    Err err;

    if (tree->count == NODE_LIMIT) {
        fail(r, "too many elements and texts");
        return NULL;
    }
    node.is_preserved = parent && parent->is_preserved;
    node.is_protected = parent && parent->is_protected;
    node.next = (uint32_t)tree->count + 1;
    node.begin = (uint32_t)begin;
    node.end = (uint32_t)end;
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

/* A CDATA section is a node already: on_cdata_end() sets its end. */
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

/* With a default handler, expat does not expand entities in texts. Those with the names of HTML's are text. */
static void XMLCALL on_other(void *data, const XML_Char *text, int length)
{
    XmlReader *r = data;
    char character[HTML_ENTITY_BYTES];
    size_t size;

    if (r->open == XML_NO_NODE || length < 3 || *text != '&') return;
    xml_reference_read(r->input.bytes, event_begin(r), character, &size);
    if (size) add_text(r, event_begin(r), event_end(r), utf8_leading_space(character, size) < size);
}

bool xml_tree_read_part(XmlTree *tree, DocumentBuilder *builder, Range part)
{
    XmlReader r = { .tree = tree, .input = document_builder_input(builder), .open = XML_NO_NODE };

    r.input.begin = part.begin;
    r.input.end = part.end;
    *tree = (XmlTree){ .builder = builder, .bytes = r.input.bytes };
    r.expat = XML_ParserCreate("UTF-8"); /* whatever the XML declaration says: the document was converted */
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
               XML_STATUS_OK) { /* after a failure of a handler the builder has a reason */
        const enum XML_Error error = XML_GetErrorCode(r.expat);
        bool is_limit = false;
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 4 /* from then on, expat has a limit itself */
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
    *tree = (XmlTree){ 0 };
}

Status xml_source_read(XmlTree *tree, const PackageBytes *part, Err *err)
{
    static const DocumentFormat format = { .name = "xml" };
    static const DocumentOptions options = { .encoding = NULL };
    const DocumentFile file = { part->path, part->bytes, part->size };
    DocumentBuilder *builder; /* takes the failures of the tree, and gets no units */
    Document *document;
    Status st = document_builder_new(&builder, &format, &file, &options, err);

    *tree = (XmlTree){ .builder = NULL };
    if (st != OK) return st;
    tree->owns_builder = xml_tree_read(tree, builder);
    if (tree->owns_builder) return OK;
    xml_tree_free(tree);
    return document_builder_finish(builder, &document, err);
}

Status xml_entry_open(XmlEntry *out, Package *package, const char *name, Err *err)
{
    Buf path = { 0 };
    Status st;

    *out = (XmlEntry){ .bytes = { 0 } };
    st = package_read(package, name, &path, &out->bytes, err);
    if (st == OK)
        st = xml_source_read(&out->tree, &(PackageBytes){ path.data, name, out->bytes.data, out->bytes.len }, err);
    buf_free(&path);
    return st;
}

void xml_entry_close(XmlEntry *entry)
{
    xml_tree_free(&entry->tree);
    buf_free(&entry->bytes);
}

/* --- What the tree says ---------------------------------------------------------------- */

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

static bool range_is(const XmlTree *tree, Range range, const char *text)
{
    return chars_are(tree->bytes + range.begin, range.end - range.begin, text);
}

/* The name of an element without its prefix. */
static Range local_name(const XmlTree *tree, Range name)
{
    const char *colon = memchr(tree->bytes + name.begin, ':', name.end - name.begin);

    return (Range){ colon ? (size_t)(colon + 1 - tree->bytes) : name.begin, name.end };
}

bool xml_tree_is(const XmlTree *tree, size_t node, const char *name)
{
    Range range;

    if (tree->nodes[node].kind != NODE_ELEMENT) return false;
    range = xml_tree_name(tree, node);
    return range_is(tree, range, name) || range_is(tree, local_name(tree, range), name);
}

bool xml_tree_lists(const XmlTree *tree, Range bytes, const char *words)
{
    const char *text = tree->bytes + bytes.begin;
    const size_t length = bytes.end - bytes.begin;

    while (*words) {
        size_t size = 0;
        while (words[size] && words[size] != ' ') size++;
        if (size == length && memcmp(text, words, size) == 0) return true;
        words += size + (words[size] == ' ');
    }
    return false;
}

bool xml_tree_is_listed(const XmlTree *tree, size_t node, const char *names)
{
    Range range;

    if (tree->nodes[node].kind != NODE_ELEMENT) return false;
    range = xml_tree_name(tree, node);
    return xml_tree_lists(tree, range, names) || xml_tree_lists(tree, local_name(tree, range), names);
}

/* expat has checked that all attributes are of the form NAME = "VALUE". */
bool xml_tree_next_attribute(const char *bytes, size_t *at, Range *name, Range *value)
{
    size_t i = *at;
    char quote;

    while (char_is_space(bytes[i])) i++;
    if (bytes[i] == '>' || bytes[i] == '/') return false;
    name->begin = i;
    while (!char_is_space(bytes[i]) && bytes[i] != '=') i++;
    name->end = i;
    while (bytes[i] != '"' && bytes[i] != '\'') i++;
    quote = bytes[i++];
    value->begin = i;
    while (bytes[i] != quote) i++;
    value->end = i;
    *at = i + 1;
    return true;
}

bool xml_tree_attribute(const XmlTree *tree, size_t node, const char *name, Range *value)
{
    size_t at = xml_tree_name(tree, node).end;
    Range found;

    while (xml_tree_next_attribute(tree->bytes, &at, &found, value))
        if (range_is(tree, found, name)) return true;
    return false;
}

bool xml_tree_attribute_is(const XmlTree *tree, size_t node, const char *name, const char *value)
{
    Range range;

    return xml_tree_attribute(tree, node, name, &range) && range_is(tree, range, value);
}

size_t xml_tree_child(const XmlTree *tree, size_t node, const char *name)
{
    for (size_t i = node + 1; i < tree->nodes[node].next; i = tree->nodes[i].next)
        if (xml_tree_is(tree, i, name)) return i;
    return XML_NO_NODE;
}

size_t xml_tree_end(const XmlTree *tree, size_t node)
{
    const XmlNode *n = &tree->nodes[node];

    return n->close_end > n->end ? n->close_end : n->end;
}
