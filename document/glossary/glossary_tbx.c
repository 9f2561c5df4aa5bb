/* glossary_tbx.c - glossaries in TBX: see glossary_file.h.
 *
 * The elements of 2008 and 2019 differ in their names alone: a concept is termEntry or conceptEntry, its part in a
 * language langSet or langSec, and a term with what is said about it tig, ntig or termSec. The status of a term is a
 * termNote with a type, or an element of that name. Prefixes of names are ignored, and so is everything else. */
#include "glossary_formats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>
#include <unicode/uloc.h>

#include "buf.h"
#include "language_detector.h"
#include "utf8.h"
#include "xml_defaults.h"

#define TAG_BYTES 64

typedef enum { TEXT_NONE, TEXT_TERM, TEXT_STATUS } TextKind;

/* A term of the concept. */
typedef struct {
    size_t text, length; /* in TbxReader.texts */
    uint16_t language;
    bool is_target, is_deprecated;
} ConceptTerm;

typedef struct {
    GlossaryEntries *entries;
    GlossaryLanguages languages;
    XML_Parser expat;
    bool has_root, in_group; /* in tig, ntig or termSec */
    size_t depth;
    size_t text_depth; /* of the element with the text that is being read */
    TextKind text_kind;
    Buf text; /* of that element */
    char root_language[TAG_BYTES], language[TAG_BYTES];
    ConceptTerm term; /* of the group */
    bool has_term;
    ConceptTerm *terms; /* [count], of the concept */
    size_t count, capacity;
    Buf texts; /* of these terms */
    XmlDefaults defaults;
    Status status;
    Err err; /* the reason */
} TbxReader;

static void stop(TbxReader *r, Status status)
{
    r->status = status;
    XML_StopParser(r->expat, XML_FALSE);
}

static void check(TbxReader *r, Status status)
{
    if (status != OK) stop(r, status);
}

/* Fails if there is a reason. */
static void refuse(TbxReader *r, const char *reason)
{
    if (reason) stop(r, err_set(&r->err, ERR_FORMAT, "%s", reason));
}

static bool is_one_of(const char *name, const char *const *names)
{
    const char *colon = strrchr(name, ':');

    if (colon) name = colon + 1;
    for (size_t i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static const char *const concepts[] = { "termEntry", "conceptEntry", NULL };
static const char *const language_parts[] = { "langSet", "langSec", NULL };
static const char *const term_groups[] = { "tig", "ntig", "termSec", NULL };
static const char *const term_texts[] = { "term", NULL };
static const char *const notes[] = { "termNote", NULL };
static const char *const statuses[] = { "administrativeStatus", "normativeAuthorization", NULL };
static const char *const roots[] = { "martif", "tbx", NULL };

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2)
        if (strcmp(attributes[i], name) == 0) return attributes[i + 1];
    return NULL;
}

/* Copies the language that an element names, as BCP 47 writes it; one that is too long is no language. */
static void read_language(const XML_Char **attributes, char out[TAG_BYTES])
{
    const char *language = attribute(attributes, "xml:lang");
    UErrorCode fault = U_ZERO_ERROR;
    int32_t length;

    if (!language) language = attribute(attributes, "lang");
    if (!language) return;
    length = strlen(language) < TAG_BYTES ? uloc_toLanguageTag(language, out, TAG_BYTES, false, &fault) : 0;
    if (U_FAILURE(fault) || length <= 0 || length >= TAG_BYTES) *out = '\0';
}

/* --- Concepts ---------------------------------------------------------------- */

static TermString string_of(const TbxReader *r, const ConceptTerm *term)
{
    return (TermString){ r->texts.data + term->text, term->length };
}

static Status add_pairs(TbxReader *r, const ConceptTerm *source)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < r->count; i++) {
        const ConceptTerm *target = &r->terms[i];
        if (target->is_target && !target->is_deprecated)
            st =
                glossary_entries_add(r->entries, string_of(r, source), source->language, string_of(r, target), &r->err);
    }
    return st;
}

static void end_concept(TbxReader *r)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < r->count; i++)
        if (!r->terms[i].is_target) st = add_pairs(r, &r->terms[i]);
    r->count = 0;
    buf_reuse(&r->texts);
    check(r, st);
}

static bool is_same(const char *language, const char *other)
{
    return other && language_detector_same(language, other);
}

/* The most terms of a concept: it bounds the number of their pairs. */
#define CONCEPT_TERMS 1000

/* Adds the term of the group to the concept, if its language is one of those that are read. */
static void end_group(TbxReader *r)
{
    const char *language = *r->language ? r->language : r->root_language;
    Status st = OK;

    if (r->has_term && *language) {
        r->term.is_target = is_same(language, r->languages.target);
        if (r->term.is_target || !r->languages.source || is_same(language, r->languages.source)) {
            if (r->count == CONCEPT_TERMS)
                st = err_set(&r->err, ERR_FORMAT, "a concept has more than %d terms", CONCEPT_TERMS);
            if (st == OK) st = glossary_entries_language(r->entries, language, &r->term.language, &r->err);
            if (st == OK)
                st = buf_grow_list(&r->terms, &r->capacity, r->count, 1, sizeof *r->terms, "the glossary", &r->err);
            if (st == OK) r->terms[r->count++] = r->term;
        }
    }
    r->has_term = false;
    r->term = (ConceptTerm){ 0 };
    check(r, st);
}

/* --- Texts ------------------------------------------------------------------- */

static void begin_text(TbxReader *r, TextKind kind)
{
    r->text_kind = kind;
    r->text_depth = r->depth;
    buf_clear(&r->text);
}

/* Appends the words of the text with one space between them. */
static Status append_words(Buf *out, const Buf *text, Err *err)
{
    Status st = OK;

    for (size_t at = 0; st == OK && at < text->len;) {
        const size_t space = utf8_leading_space(text->data + at, text->len - at);
        uint32_t code;
        size_t used;
        if (space && at && at + space < text->len) st = buf_append(out, " ", 1, err);
        at += space;
        if (st != OK || at == text->len) break;
        used = utf8_next(text->data + at, text->len - at, &code);
        st = buf_append(out, text->data + at, used, err);
        at += used;
    }
    return st;
}

static Status end_term(TbxReader *r)
{
    Status st;

    if (r->text.len > 4 * TERM_BYTES) return err_set(&r->err, ERR_FORMAT, "the term is too long");
    r->term.text = r->texts.len;
    st = append_words(&r->texts, &r->text, &r->err);
    r->term.length = r->texts.len - r->term.text;
    r->has_term = r->term.length > 0;
    return st;
}

static void end_status(TbxReader *r)
{
    const size_t space = r->text.data ? utf8_leading_space(r->text.data, r->text.len) : 0;
    const char *value = r->text.data ? r->text.data + space : "";

    if (strncmp(value, "deprecated", 10) == 0 || strncmp(value, "superseded", 10) == 0) r->term.is_deprecated = true;
}

/* --- Handlers of expat ------------------------------------------------------- */

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    TbxReader *r = data;

    if (r->text_kind != TEXT_NONE) check(r, buf_append(&r->text, text, (size_t)length, &r->err));
}

static void check_root(TbxReader *r, const char *name)
{
    r->has_root = true;
    if (is_one_of(name, roots)) return;
    stop(r, err_set(&r->err, ERR_FORMAT, "this is XML, but not TBX: its first element is '%s'", name));
}

static void begin_in_group(TbxReader *r, const char *name, const XML_Char **attributes)
{
    const char *type = attribute(attributes, "type");

    if (r->text_kind != TEXT_NONE) return;
    if (is_one_of(name, term_texts))
        begin_text(r, TEXT_TERM);
    else if (is_one_of(name, statuses) || (type && is_one_of(name, notes) && is_one_of(type, statuses)))
        begin_text(r, TEXT_STATUS);
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    TbxReader *r = data;

    r->depth++;
    refuse(r, xml_defaults_count_attributes(&r->defaults, r->expat, attributes));
    if (!r->has_root) {
        read_language(attributes, r->root_language);
        check_root(r, name);
    } else if (is_one_of(name, language_parts)) {
        *r->language = '\0';
        read_language(attributes, r->language);
    } else if (is_one_of(name, term_groups))
        r->in_group = true;
    else if (r->in_group)
        begin_in_group(r, name, attributes);
}

static void end_text(TbxReader *r)
{
    if (r->text_kind == TEXT_TERM)
        check(r, end_term(r));
    else
        end_status(r);
    r->text_kind = TEXT_NONE;
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    TbxReader *r = data;

    if (r->status != OK) return; /* expat may still end the element of an empty tag */
    if (r->text_kind != TEXT_NONE && r->depth == r->text_depth) end_text(r);
    if (r->status == OK && is_one_of(name, term_groups)) {
        end_group(r);
        r->in_group = false;
    }
    if (r->status == OK && is_one_of(name, concepts)) end_concept(r);
    r->depth--;
}

/* TBX needs no entities of its own; their expansion may be of any size. */
static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                              const XML_Char *notation)
{
    TbxReader *r = data;

    (void)length, (void)base, (void)system_id, (void)public_id, (void)notation;
    if (!is_parameter && value) stop(r, err_set(&r->err, ERR_FORMAT, "the entity '%s' is not supported", name));
}

static void XMLCALL on_attribute(void *data, const XML_Char *element, const XML_Char *name, const XML_Char *type,
                                 const XML_Char *value, int is_required)
{
    TbxReader *r = data;

    (void)element, (void)name, (void)type, (void)value, (void)is_required;
    refuse(r, xml_defaults_count_declaration(&r->defaults));
}

/* --- Files ------------------------------------------------------------------- */

static Status parse(TbxReader *r, const char *path, const char *bytes, size_t length, Err *err)
{
    enum XML_Error fault;
    size_t line;

    XML_SetUserData(r->expat, r);
    XML_SetElementHandler(r->expat, on_start, on_end);
    XML_SetCharacterDataHandler(r->expat, on_text);
    XML_SetEntityDeclHandler(r->expat, on_entity);
    XML_SetAttlistDeclHandler(r->expat, on_attribute);
    if (XML_Parse(r->expat, bytes, (int)length, XML_TRUE) == XML_STATUS_OK && r->status == OK) return OK;
    fault = XML_GetErrorCode(r->expat);
    line = (size_t)XML_GetCurrentLineNumber(r->expat);
    if (r->status != OK) return err_set(err, r->status, "%s:%zu: %s", path, line, r->err.text);
    if (fault == XML_ERROR_NO_MEMORY) return err_memory(err, "the glossary");
    return err_set(err, ERR_FORMAT, "%s:%zu: not well-formed XML: %s", path, line, XML_ErrorString(fault));
}

Status glossary_tbx_read(GlossaryEntries *out, const char *path, const char *bytes, size_t length,
                         GlossaryLanguages languages, Err *err)
{
    TbxReader r = { .entries = out, .languages = languages };
    Status st;

    if (!languages.target)
        return err_set(err, ERR_USAGE,
                       "%s: TBX cannot be used, because the model does not tell the language of its translations; use "
                       "a table of terms",
                       path);
    r.expat = XML_ParserCreate(NULL);
    if (!r.expat) return err_memory(err, "the glossary");
    st = parse(&r, path, bytes, length, err);
    XML_ParserFree(r.expat);
    buf_free(&r.text);
    buf_free(&r.texts);
    free(r.terms);
    return st;
}
