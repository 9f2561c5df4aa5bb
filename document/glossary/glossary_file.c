/* glossary_file.c - see glossary_file.h. */
#include "glossary_file.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uloc.h>

#include "buf.h"
#include "language_detector.h"
#include "text_file.h"
#include "chars.h"
#include "utf8.h"
#include "xml_tree.h"

/* --- Tables. */

/* A line that is being read. */
typedef struct {
    GlossaryEntries *entries;
    Buf source, form; /* without their escapes */
} LineReader;

static TermString trim(TermString text)
{
    const size_t space = utf8_leading_space(text.data, text.length);

    text.data += space;
    text.length -= space;
    text.length -= utf8_trailing_space(text.data, text.length);
    return text;
}

/* Sets *out to the field without white space around it and without escapes. `escapes` are the characters that a
 * backslash may precede. */
static Status unescape(TermString field, const char *escapes, Buf *out, Err *err)
{
    field = trim(field);
    buf_clear(out);
    for (size_t i = 0; i < field.length; i++) {
        if (field.data[i] == '\\' && i + 1 < field.length && field.data[i + 1] && strchr(escapes, field.data[i + 1]))
            i++;
        buf_put_byte(out, field.data[i]);
    }
    return buf_check(out, err);
}

static TermString string_of_buf(const Buf *text)
{
    return (TermString){ text->data ? text->data : "", text->len };
}

/* Adds the translations, which bars without a backslash before them separate, except those that are empty. */
static Status add_forms(LineReader *r, TermString field, Err *err)
{
    bool has_form = false;
    Status st = OK;

    for (size_t at = 0, end; st == OK && at < field.length; at = end + 1) {
        for (end = at; end < field.length && field.data[end] != '|';)
            end += field.data[end] == '\\' && end + 1 < field.length ? 2 : 1;
        st = unescape((TermString){ field.data + at, end - at }, "|\\", &r->form, err);
        if (st != OK || !r->form.len) continue;
        has_form = true;
        st = glossary_entries_add(r->entries, string_of_buf(&r->source), LANGUAGE_ANY, string_of_buf(&r->form), err);
    }
    if (st == OK && !has_form) st = err_set(err, ERR_FORMAT, "the translation is empty");
    return st;
}

/* On failure the message is only the reason. */
static Status read_line(LineReader *r, TermString line, Err *err)
{
    const char *tab = memchr(line.data, '\t', line.length), *end = line.data + line.length, *next;
    Status st;

    if (utf8_clean_length(line.data, line.length) < line.length) {
        if (line.length >= 2 && (memcmp(line.data, "\xff\xfe", 2) == 0 || memcmp(line.data, "\xfe\xff", 2) == 0))
            return err_set(err, ERR_FORMAT, "not UTF-8 but UTF-16; convert the file with iconv -f UTF-16 -t UTF-8");
        return err_set(err, ERR_FORMAT, "not valid UTF-8");
    }
    if (!trim(line).length || *line.data == '#') return OK;
    if (!tab) return err_set(err, ERR_FORMAT, "expected a term, a tab and its translation, but there is no tab");
    st = unescape((TermString){ line.data, (size_t)(tab - line.data) }, "|\\#", &r->source, err);
    if (st == OK && !r->source.len) st = err_set(err, ERR_FORMAT, "the term is empty");
    next = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
    if (!next) next = end;
    return st == OK ? add_forms(r, (TermString){ tab + 1, (size_t)(next - tab - 1) }, err) : st;
}

/* Adds the terms in bytes[0..length), without a byte order mark of UTF-8; messages name `path` and the line. */
static Status glossary_table_read(GlossaryEntries *out, const char *path, const char *bytes, size_t length, Err *err)
{
    LineReader r = { .entries = out };
    Status st = OK;
    Err reason;

    for (size_t at = 0, line = 1; st == OK && at < length; line++) {
        const char *begin = bytes + at, *end = memchr(begin, '\n', length - at);
        const size_t size = end ? (size_t)(end - begin) : length - at;
        st = read_line(&r, (TermString){ begin, size }, &reason);
        if (st != OK) st = err_set(err, st, "%s:%zu: %s", path, line, reason.text);
        at += size + 1;
    }
    buf_free(&r.source);
    buf_free(&r.form);
    return st;
}

/* --- TBX.
 *
 * The elements of 2008 and 2019 differ in their names alone: a concept is termEntry or conceptEntry, its part in a
 * language langSet or langSec, and a term with what is said about it tig, ntig or termSec. The status of a term is a
 * termNote with a type, or an element of that name. Prefixes of names are ignored, and so is everything else. */

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

/* --- Concepts. */

static TermString string_of(const TbxReader *r, const ConceptTerm *term)
{
    return (TermString){ r->texts.data + term->text, term->length };
}

/* Adds each pair of a term and its translation. */
static void end_concept(TbxReader *r)
{
    Status st = OK;

    for (size_t i = 0; i < r->count; i++) {
        const ConceptTerm *source = &r->terms[i];
        for (size_t k = 0; st == OK && !source->is_target && k < r->count; k++) {
            const ConceptTerm *target = &r->terms[k];
            if (!target->is_target || target->is_deprecated) continue;
            st =
                glossary_entries_add(r->entries, string_of(r, source), source->language, string_of(r, target), &r->err);
        }
    }
    r->count = 0;
    buf_reuse(&r->texts);
    check(r, st);
}

/* The most terms of a concept: it bounds the number of their pairs. */
#define CONCEPT_TERMS 1000

/* Adds the term of the group to the concept, if its language is one of those that are read. */
static void end_group(TbxReader *r)
{
    const char *language = *r->language ? r->language : r->root_language;
    Status st = OK;

    if (r->has_term && *language) {
        r->term.is_target = language_detector_same(language, r->languages.target);
        if (r->term.is_target || !r->languages.source || language_detector_same(language, r->languages.source)) {
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

/* --- Texts. */

static void begin_text(TbxReader *r, TextKind kind)
{
    r->text_kind = kind;
    r->text_depth = r->depth;
    buf_clear(&r->text);
}

/* --- Handlers of expat. */

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    TbxReader *r = data;

    if (r->text_kind != TEXT_NONE) buf_put(&r->text, text, (size_t)length);
    check(r, buf_check(&r->text, &r->err));
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    TbxReader *r = data;

    r->depth++;
    refuse(r, xml_defaults_count_attributes(&r->defaults, r->expat, attributes));
    if (!r->has_root) {
        read_language(attributes, r->root_language);
        r->has_root = true;
        if (!is_one_of(name, roots))
            stop(r, err_set(&r->err, ERR_FORMAT, "this is XML, but not TBX: its first element is '%s'", name));
    } else if (is_one_of(name, language_parts)) {
        *r->language = '\0';
        read_language(attributes, r->language);
    } else if (is_one_of(name, term_groups)) {
        r->in_group = true;
    } else if (r->in_group && r->text_kind == TEXT_NONE) {
        const char *type = attribute(attributes, "type");
        if (is_one_of(name, term_texts))
            begin_text(r, TEXT_TERM);
        else if (is_one_of(name, statuses) || (type && is_one_of(name, notes) && is_one_of(type, statuses)))
            begin_text(r, TEXT_STATUS);
    }
}

static void end_text(TbxReader *r)
{
    const size_t space = r->text.data ? utf8_leading_space(r->text.data, r->text.len) : 0;
    const char *status = r->text.data ? r->text.data + space : "";

    if (r->text_kind == TEXT_STATUS) {
        if (strncmp(status, "deprecated", 10) == 0 || strncmp(status, "superseded", 10) == 0)
            r->term.is_deprecated = true;
    } else if (r->text.len > 4 * TERM_BYTES) {
        stop(r, err_set(&r->err, ERR_FORMAT, "the term is too long"));
    } else {
        r->term.text = r->texts.len;
        for (size_t at = 0; at < r->text.len;) { /* the words with one space between them */
            const size_t blank = utf8_leading_space(r->text.data + at, r->text.len - at);
            uint32_t code;
            size_t used;
            if (blank && at && at + blank < r->text.len) buf_put_byte(&r->texts, ' ');
            at += blank;
            if (at == r->text.len) break;
            used = utf8_next(r->text.data + at, r->text.len - at, &code);
            buf_put(&r->texts, r->text.data + at, used);
            at += used;
        }
        check(r, buf_check(&r->texts, &r->err));
        r->term.length = r->texts.len - r->term.text;
        r->has_term = r->term.length > 0;
    }
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

/* --- TBX files. */

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

static Status glossary_tbx_read(GlossaryEntries *out, const char *path, const char *bytes, size_t length,
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

/* --- Files of both formats. */

/* The most bytes of a file that is not compressed. */
#define GLOSSARY_BYTES ((size_t)1 << 30)

/* Whether the file is XML. A term may begin with <, too, so the rest of the tag counts. UTF-16 has a byte order mark:
 * of a table, too, so the next character counts. */
static bool is_xml(const char *bytes, size_t length)
{
    static const char *const begins[] = { "<?xml", "<!DOCTYPE", "<!--", "<martif", "<tbx" };
    const size_t space = utf8_leading_space(bytes, length);

    if (chars_begin(bytes, 0, length, "\xff\xfe<") || (length >= 4 && memcmp(bytes, "\xfe\xff\0<", 4) == 0))
        return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (chars_begin(bytes, space, length, begins[i])) return true;
    return false;
}

Status glossary_file_parse(GlossaryEntries *out, const char *path, const char *bytes, size_t length,
                           GlossaryLanguages languages, Err *err)
{
    Status st = glossary_entries_begin_file(out, err);

    if (st != OK) return st;
    if (chars_begin(bytes, 0, length, "\xef\xbb\xbf")) {
        bytes += 3;
        length -= 3;
    }
    return is_xml(bytes, length) ? glossary_tbx_read(out, path, bytes, length, languages, err)
                                 : glossary_table_read(out, path, bytes, length, err);
}

/* Without a newline at the end, UTF-16 stays as it is. */
Status glossary_file_read(GlossaryEntries *out, const char *path, GlossaryLanguages languages, Err *err)
{
    Buf content = { 0 };
    TextFile *file = NULL;
    const Buf *line = NULL;
    Status st = text_file_open(&file, path, err);

    if (st == OK) st = text_file_next(file, &line, err);
    while (st == OK && line) {
        if (content.len + line->len >= GLOSSARY_BYTES)
            st = err_set(err, ERR_FORMAT, "%s: more than %zu MB; divide the glossary into several files", path,
                         GLOSSARY_BYTES >> 20);
        if (st == OK) buf_put(&content, line->data, line->len);
        if (st == OK) st = buf_check(&content, err);
        if (st == OK) st = text_file_next(file, &line, err);
        if (st == OK && line) buf_put_byte(&content, '\n');
        if (st == OK) st = buf_check(&content, err);
    }
    text_file_close(file);
    if (st == OK) st = glossary_file_parse(out, path, content.data ? content.data : "", content.len, languages, err);
    buf_free(&content);
    return st;
}
