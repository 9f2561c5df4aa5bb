/* memory_tmx.c - see memory_tmx.h. expat gets the file in one piece, as in xml_tree.c. */
#include "memory_tmx.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <expat.h>

#include "dragoman.h"
#include "language_detector.h"
#include "utf8.h"
#include "xml_tree.h"

/* The most pairs of variants in a file: MOST_PAIRS, and one more for every BYTES_PER_PAIR bytes. A unit of n variants
 * whose source may be any of them has n * (n - 1) pairs. Units in the 24 languages of the European Union, of 60 letters
 * each, are within the limit. */
#define MOST_PAIRS     ((size_t)1 << 16)
#define BYTES_PER_PAIR 4

typedef struct {
    char language[DRAGOMAN_LANGUAGE_TAG];
    size_t begin, end; /* of its segment in TmxReader.text */
} Variant;

typedef enum { IN_NOTHING, IN_SEGMENT, IN_MADE, IN_PARTS } Place;

typedef struct {
    const MemoryTmx *tmx;
    XML_Parser expat;
    Status st;
    Err *err;
    TmxPlace place;
    bool has_root, has_body;
    char header_source[DRAGOMAN_LANGUAGE_TAG], source[DRAGOMAN_LANGUAGE_TAG]; /* srclang; "": any */
    Variant variants[MEMORY_TMX_VARIANTS];                                    /* of the unit */
    size_t count;
    Buf text, made, parts;
    Place in;
    size_t codes; /* open elements of inline codes */
    XmlDefaults defaults;
} TmxReader;

static void stop(TmxReader *r, Status st)
{
    if (r->st == OK) r->st = st;
    XML_StopParser(r->expat, XML_FALSE);
}

static void fail(TmxReader *r, const char *reason)
{
    if (r->st != OK) return;
    stop(r, err_set(r->err, ERR_FORMAT, "%s:%lu: %s", r->tmx->name, (unsigned long)XML_GetCurrentLineNumber(r->expat),
                    reason));
}

/* Fails if there is a reason. */
static void check(TmxReader *r, const char *reason)
{
    if (reason) fail(r, reason);
}

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

static void read_language(TmxReader *r, char tag[DRAGOMAN_LANGUAGE_TAG], const char *name)
{
    const MemoryText text = { name ? name : "", name ? strlen(name) : 0 };
    size_t language;
    Err reason;

    tag[0] = '\0';
    if (strcasecmp(text.text, TMX_UNKNOWN) == 0) return;
    if (!memory_row_is_language(text))
        fail(r, "a language must be a code such as de or pt-BR");
    else if (memory_map_find_language(r->tmx->map, text, &language, &reason) != OK)
        fail(r, reason.text);
    else
        memcpy(tag, memory_map_tag(r->tmx->map, language), DRAGOMAN_LANGUAGE_TAG);
}

static void read_source(TmxReader *r, char tag[DRAGOMAN_LANGUAGE_TAG], const XML_Char **attributes)
{
    const char *name = attribute(attributes, "srclang");

    if (name) read_language(r, tag, strcasecmp(name, "*all*") == 0 ? "" : name);
}

static void start_unit(TmxReader *r, const XML_Char **attributes)
{
    memcpy(r->source, r->header_source, sizeof r->source);
    read_source(r, r->source, attributes);
    r->count = 0;
    buf_reuse(&r->text);
    buf_clear(&r->made);
    buf_reuse(&r->parts);
}

static void start_variant(TmxReader *r, const XML_Char **attributes)
{
    const char *name = attribute(attributes, "xml:lang");

    if (r->count == MEMORY_TMX_VARIANTS) {
        fail(r, "a unit with more than 100 variants is not supported");
        return;
    }
    r->variants[r->count++] = (Variant){ .begin = r->text.len, .end = r->text.len };
    read_language(r, r->variants[r->count - 1].language, name ? name : attribute(attributes, "lang"));
}

static void start_property(TmxReader *r, const XML_Char **attributes)
{
    const char *type = attribute(attributes, "type");

    if (type && strcmp(type, TMX_MADE) == 0) r->in = IN_MADE;
    if (type && strcmp(type, TMX_PARTS) == 0) r->in = IN_PARTS;
}

/* The contents of hi are text; those of the other elements in a segment are codes. */
static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    TmxReader *r = data;

    check(r, xml_defaults_count_attributes(&r->defaults, r->expat, attributes));
    if (!r->has_root && strcmp(name, "tmx") != 0)
        fail(r, "not a translation memory in TMX: its root element is not tmx");
    r->has_root = true;
    if (r->in == IN_SEGMENT)
        r->codes += r->codes || strcmp(name, "hi") != 0;
    else if (strcmp(name, "header") == 0)
        read_source(r, r->header_source, attributes);
    else if (strcmp(name, "body") == 0 && !r->has_body) {
        r->place.begin = (size_t)XML_GetCurrentByteIndex(r->expat);
        r->place.end = r->place.begin + (size_t)XML_GetCurrentByteCount(r->expat);
    } else if (strcmp(name, "tu") == 0)
        start_unit(r, attributes);
    else if (strcmp(name, "tuv") == 0)
        start_variant(r, attributes);
    else if (strcmp(name, "prop") == 0 && !r->count)
        start_property(r, attributes);
    else if (strcmp(name, "seg") == 0 && r->count)
        r->in = IN_SEGMENT;
}

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    TmxReader *r = data;
    Buf *out = r->in == IN_SEGMENT ? &r->text : r->in == IN_MADE ? &r->made : &r->parts;
    Status st = OK;

    if (r->in != IN_NOTHING && !r->codes) buf_put(out, text, (size_t)length);
    if (st == OK) st = buf_check(out, r->err);
    if (st != OK) stop(r, st);
}

/* The text of a variant; one by a person without white space at its ends, which formats the file. */
static MemoryText text_of(const TmxReader *r, char *texts, size_t index, bool is_made)
{
    char *text = texts + r->variants[index].begin;
    size_t length = r->variants[index].end - r->variants[index].begin, skipped;

    if (is_made) return (MemoryText){ text, length };
    skipped = utf8_leading_space(text, length);
    length -= skipped;
    return (MemoryText){ text + skipped, length - utf8_trailing_space(text + skipped, length) };
}

static void add_pair(TmxReader *r, char *texts, size_t from, size_t to, MemoryRow row)
{
    Err reason;

    row.from = (MemoryText){ r->variants[from].language, strlen(r->variants[from].language) };
    row.to = (MemoryText){ r->variants[to].language, strlen(r->variants[to].language) };
    row.source = text_of(r, texts, from, row.is_made);
    row.target = text_of(r, texts, to, row.is_made);
    memory_row_join_lines(&row);
    if (memory_map_add(r->tmx->map, &row, &reason) != OK) fail(r, reason.text);
    if (memory_map_count(r->tmx->map) > MOST_PAIRS + r->tmx->size / BYTES_PER_PAIR)
        fail(r, "the variants of the units make too many pairs; name the source language in srclang");
}

static bool is_source(const TmxReader *r, size_t index)
{
    return !*r->source || language_detector_same(r->variants[index].language, r->source);
}

static bool is_target(const TmxReader *r, size_t index)
{
    return !r->tmx->target || language_detector_same(r->variants[index].language, r->tmx->target);
}

static void add_given(TmxReader *r, char *texts)
{
    for (size_t i = 0; r->st == OK && i < r->count; i++)
        for (size_t k = 0; is_source(r, i) && k < r->count && r->st == OK; k++)
            if (i != k && is_target(r, k) && !language_detector_same(r->variants[i].language, r->variants[k].language))
                add_pair(r, texts, i, k, (MemoryRow){ .is_made = false });
}

static void end_unit(TmxReader *r)
{
    MemoryRow row;
    char *texts;

    if (r->count < 2) return;
    texts = arena_alloc(r->tmx->texts, r->text.len + r->parts.len + 1, 1);
    if (!texts) {
        stop(r, err_memory(r->err, "the translation memory"));
        return;
    }
    if (r->text.len) memcpy(texts, r->text.data, r->text.len);
    if (r->parts.len) memcpy(texts + r->text.len, r->parts.data, r->parts.len);
    row = (MemoryRow){ .parts = { texts + r->text.len, r->parts.len } };
    if (!r->made.len)
        add_given(r, texts);
    else if (memory_row_read_made(&row, (MemoryText){ r->made.data, r->made.len }))
        add_pair(r, texts, 0, 1, row);
    else
        fail(r, "the property " TMX_MADE " must be # and 16 hexadecimal digits");
}

/* Units are inserted before the end tag. An empty tag, <body/>, has none: it is replaced. */
static void end_body(TmxReader *r)
{
    if (r->has_body) return;
    r->has_body = true;
    if (r->tmx->bytes[r->place.end - 2] != '/')
        r->place.begin = r->place.end = (size_t)XML_GetCurrentByteIndex(r->expat);
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    TmxReader *r = data;

    if (r->st != OK) return;
    if (r->codes)
        r->codes--;
    else if (r->in == IN_SEGMENT && strcmp(name, "seg") == 0) {
        r->variants[r->count - 1].end = r->text.len;
        r->in = IN_NOTHING;
    } else if (strcmp(name, "prop") == 0)
        r->in = IN_NOTHING;
    else if (strcmp(name, "tu") == 0)
        end_unit(r);
    else if (strcmp(name, "body") == 0)
        end_body(r);
}

static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *note)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)note;
    fail(data, "entities of the file's own are not supported");
}

static void XMLCALL on_attribute(void *data, const XML_Char *element, const XML_Char *name, const XML_Char *type,
                                 const XML_Char *value, int is_required)
{
    TmxReader *r = data;

    (void)element, (void)name, (void)type, (void)value, (void)is_required;
    check(r, xml_defaults_count_declaration(&r->defaults));
}

static void fail_parse(TmxReader *r)
{
    const enum XML_Error error = XML_GetErrorCode(r->expat);

    if (error == XML_ERROR_NO_MEMORY)
        stop(r, err_memory(r->err, "the translation memory"));
    else
        fail(r, XML_ErrorString(error));
}

static Status parse(TmxReader *r)
{
    XML_SetUserData(r->expat, r);
    XML_SetElementHandler(r->expat, on_start, on_end);
    XML_SetCharacterDataHandler(r->expat, on_text);
    XML_SetEntityDeclHandler(r->expat, on_entity);
    XML_SetAttlistDeclHandler(r->expat, on_attribute);
    if (XML_Parse(r->expat, r->tmx->bytes, (int)r->tmx->size, XML_TRUE) != XML_STATUS_OK) fail_parse(r);
    if (r->st == OK && !r->has_body)
        return err_set(r->err, ERR_FORMAT, "%s: not a translation memory in TMX: it has no body", r->tmx->name);
    return r->st;
}

/* Units are inserted as UTF-8. */
static Status check_bytes(const MemoryTmx *tmx, Err *err)
{
    if (tmx->size > MEMORY_TMX_BYTES)
        return err_set(err, ERR_UNSUPPORTED, "%s: a TMX file of more than %zu MB is not supported; use a .tsv file",
                       tmx->name, MEMORY_TMX_BYTES >> 20);
    if (utf8_clean_length(tmx->bytes, tmx->size) == tmx->size) return OK;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: a TMX file must be UTF-8; convert it with iconv, and change its first line", tmx->name);
}

Status memory_tmx_read(const MemoryTmx *tmx, TmxPlace *place, Err *err)
{
    TmxReader *r;
    Status st = check_bytes(tmx, err);

    *place = (TmxPlace){ 0, 0 };
    if (st != OK || !tmx->size) return st;
    r = calloc(1, sizeof *r);
    if (!r) return err_memory(err, "the translation memory");
    r->tmx = tmx;
    r->err = err;
    r->expat = XML_ParserCreate("UTF-8");
    st = r->expat ? parse(r) : err_memory(err, "the translation memory");
    *place = r->place;
    if (r->expat) XML_ParserFree(r->expat);
    buf_free(&r->text);
    buf_free(&r->made);
    buf_free(&r->parts);
    free(r);
    return st;
}
