/* glossary.c - see glossary.h. */
#include "glossary.h"

#include <expat.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/uloc.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>

#include "arena.h"
#include "buf.h"
#include "chars.h"
#include "language_detector.h"
#include "str_map.h"
#include "term_words.h"
#include "text_file.h"
#include "utf8.h"
#include "xml.h"

/* --- An index of terms by one kind of key: a hash table of keys, and for each first word of a term the number of words
 * of the longest term that begins with it. So each place in a text needs one look-up, and more only if a term may begin
 * there. */

#define TERM_NONE (-1)

/* Starts as {0} and ends with index_free(). */
typedef struct {
    StrMap *keys;   /* of terms -> their values */
    StrMap *firsts; /* first words of terms -> the number of words of the longest term */
} TermIndex;

/* Adds the term (1 to TERM_WORDS words) with a new value, unless the index has a term with the same key. Sets *found to
 * the value of that term, or to TERM_NONE. */
static Status index_add(TermIndex *x, const TermWords *term, KeyKind kind, int32_t value, int32_t *found, Err *err)
{
    const LineText key = term_words_key(term, kind, 0, term->len), first = term_words_key(term, kind, 0, 1);
    int32_t *held;
    Status st = x->keys ? OK : str_map_new(&x->keys, err);

    *found = TERM_NONE;
    if (st == OK && !x->firsts) st = str_map_new(&x->firsts, err);
    if (st == OK) st = str_map_hold(x->keys, key.data, key.len, value, &held, err);
    if (st != OK) return st;
    if (*held != value) {
        *found = *held;
        return OK;
    }
    st = str_map_hold(x->firsts, first.data, first.len, 0, &held, err);
    if (st == OK && *held < (int32_t)term->len) *held = (int32_t)term->len;
    return st;
}

static void index_free(TermIndex *x)
{
    str_map_free(x->keys);
    str_map_free(x->firsts);
    *x = (TermIndex){ 0 };
}

/* --- The terms with their translations. A short term in capitals, such as US, is found by its exact key; all other
 * terms are found by the folded key. */

typedef struct {
    const char *source;
    const char *near;   /* +WORD, several: one of them has to be near the term; "": the entry needs none */
    const char **forms; /* [form_count], its translations, in the order of the file */
    uint32_t form_count, form_room;
    int32_t next;      /* the next entry with the same key, for another language or with other words near it;
                          TERM_NONE: there is none */
    uint16_t language; /* number of the source language: its value in Glossary.tags */
    uint16_t file;     /* number of the file, from 1 */
    bool is_exact;     /* found only by the exact key */
} GlossaryEntry;

/* GlossaryEntry.language of entries for all languages: the value of the key "" in Glossary.tags. */
#define LANGUAGE_ANY 0

/* Data for the texts in one language. The stems of the terms are listed when the first of these texts is read. */
typedef struct {
    char *tag;        /* NULL: not known */
    Stemmer *stemmer; /* NULL: there is none */
    TermIndex stems;
    bool *fits; /* for each language of Glossary.tags: its entries apply to these texts */
} SourceLanguage;

/* Words of the text that form a term. */
typedef struct {
    size_t first, count, bytes;
    int32_t entry;
} Candidate;

struct Glossary {
    const char *source, *target; /* languages: glossary_new() */
    LIST_OF(GlossaryEntry) entries;
    StrMap *tags;        /* tags of the languages of entries -> their numbers */
    size_t files;        /* number of files read, including the current one */
    TermIndex by_key[2]; /* KEY_EXACT and KEY_FOLDED */
    LIST_OF(SourceLanguage) languages;
    Buf warnings;
    bool has_notes; /* the warnings name a third column that is ignored */
    Arena *memory;  /* for the strings */
    char *room;     /* [room_left], unused memory of the arena */
    size_t room_left;

    /* For the term that is being added. */
    TermWords term;
    Buf cell, form;        /* cells of a table without escapes: a term, a translation */
    LineText near;         /* GlossaryEntry.near of the row */
    bool may_name_columns; /* it is in the first row of a file */

    /* For the text that is being read. */
    pthread_mutex_t lock; /* held by glossary_find() */
    TermWords text;
    UBreakIterator *bounds; /* finds words; NULL: not opened yet */
    bool has_bounds;        /* `bounds` has been set to this text */
    LIST_OF(Candidate) candidates;
    bool *taken; /* [taken_capacity], whether a match contains the word */
    size_t taken_capacity;
};

/* The most terms. */
#define GLOSSARY_ENTRIES ((size_t)1 << 25)

/* A term with more letters than this is also found in lower case, even if all its letters are capitals. */
#define CAPITALS 5

#define CHUNK_BYTES ((size_t)1 << 16)

/* --- Memory. */

/* Returns memory for strings or pointers to strings, aligned for pointers; NULL if memory has run out. */
static void *take(Glossary *g, size_t bytes)
{
    const size_t rounded = (bytes + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);
    void *taken;

    if (rounded > g->room_left) {
        const size_t size = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;
        char *chunk = arena_alloc(g->memory, size, 1);
        if (!chunk) return NULL;
        g->room = chunk;
        g->room_left = size;
    }
    taken = g->room;
    g->room += rounded;
    g->room_left -= rounded;
    return taken;
}

static char *copy(Glossary *g, LineText text)
{
    char *made = take(g, text.len + 1);

    if (!made) return NULL;
    memcpy(made, text.data, text.len);
    made[text.len] = '\0';
    return made;
}

/* Finds the number of a language, or adds it. */
static Status number_language(Glossary *g, const char *tag, uint16_t *out, Err *err)
{
    int32_t *number;
    Status st = str_map_hold(g->tags, tag, strlen(tag), (int32_t)str_map_count(g->tags), &number, err);

    if (st != OK) return st;
    *out = (uint16_t)*number;
    return *number <= 1000 ? OK : err_set(err, ERR_FORMAT, "more than 1000 languages");
}

/* --- Entries. */

/* Whether the term has 1 to CAPITALS letters, all of them capitals. */
static bool is_short_and_capital(LineText term)
{
    size_t letters = 0;
    uint32_t code;

    for (size_t at = 0; at < term.len;) {
        at += utf8_next(term.data + at, term.len - at, &code);
        if (!u_isalpha((UChar32)code)) continue;
        letters++;
        if (!u_isupper((UChar32)code)) return false;
    }
    return letters > 0 && letters <= CAPITALS;
}

static Status add_form(Glossary *g, GlossaryEntry *entry, LineText form, Err *err)
{
    for (size_t i = 0; i < entry->form_count; i++)
        if (chars_are(form.data, form.len, entry->forms[i])) return OK;
    if (entry->form_count == TERM_FORMS)
        return err_set(err, ERR_FORMAT, "the term \"%s\" has more than %zu translations", entry->source, TERM_FORMS);
    if (entry->form_count == entry->form_room) {
        const uint32_t room = entry->form_room ? 4 * entry->form_room : 1;
        const char **forms = take(g, room * sizeof *forms);
        if (!forms) return err_memory(err, "the glossary");
        if (entry->form_count) memcpy(forms, entry->forms, entry->form_count * sizeof *forms);
        entry->forms = forms;
        entry->form_room = room;
    }
    entry->forms[entry->form_count] = copy(g, form);
    if (!entry->forms[entry->form_count]) return err_memory(err, "the glossary");
    entry->form_count++;
    return OK;
}

static Status check_length(LineText text, const char *what, Err *err)
{
    if (!text.len) return err_set(err, ERR_FORMAT, "the %s is empty", what);
    if (text.len <= TERM_BYTES) return OK;
    return err_set(err, ERR_FORMAT, "the %s is longer than %zu bytes", what, TERM_BYTES);
}

/* Adds a term of the current file, or another translation for a term that this file already has with the same words
 * near it (g->near). Both texts are valid UTF-8 without a NUL. Returns ERR_FORMAT if one of them is too long or empty;
 * the message does not name the file. */
static Status add_term(Glossary *g, LineText source, uint16_t language, LineText form, Err *err)
{
    GlossaryEntry made = { .next = TERM_NONE, .language = language, .file = (uint16_t)g->files };
    const int32_t number = (int32_t)g->entries.len;
    KeyKind kind;
    int32_t last = TERM_NONE, at;
    Status st = check_length(source, "term", err);

    if (st == OK) st = check_length(form, "translation", err);
    if (st == OK) st = term_words_read(&g->term, source.data, source.len, NULL, 0, NULL, err);
    if (st == OK && g->term.len > TERM_WORDS)
        st = err_set(err, ERR_FORMAT, "the term has more than %zu words", TERM_WORDS);
    for (size_t i = 0; st == OK && i < g->term.len; i++)
        if (g->term.data[i].is_barrier) st = err_set(err, ERR_FORMAT, "the term has only invisible characters");
    if (st != OK) return st;

    made.is_exact = is_short_and_capital(source);
    kind = made.is_exact ? KEY_EXACT : KEY_FOLDED;
    st = index_add(&g->by_key[kind], &g->term, kind, number, &at, err);
    if (st != OK) return st;
    for (; at != TERM_NONE; at = g->entries.data[at].next) { /* the entries with the same key */
        GlossaryEntry *entry = &g->entries.data[at];
        const bool is_same = chars_are(g->near.data, g->near.len, entry->near), is_earlier = entry->file < made.file;
        if (entry->language == language && is_same) return is_earlier ? OK : add_form(g, entry, form, err);
        if (entry->language == language && is_earlier && !*entry->near) return OK;
        last = at;
    }
    if (g->entries.len == GLOSSARY_ENTRIES) return err_set(err, ERR_FORMAT, "more than %zu terms", GLOSSARY_ENTRIES);
    made.source = copy(g, source);
    made.near = copy(g, g->near);
    st = made.source && made.near ? add_form(g, &made, form, err) : err_memory(err, "the glossary");
    if (st == OK) LIST_PUT(&g->entries, made);
    if (st == OK) st = LIST_CHECK(&g->entries, "the glossary", err);
    if (st == OK && last != TERM_NONE) g->entries.data[last].next = number; /* only now, because nothing failed */
    return st;
}

/* --- Glossaries. */

Status glossary_new(Glossary **out, const char *source, const char *target, Err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the glossary");
    pthread_mutex_init(&(*out)->lock, NULL);
    (*out)->source = source;
    (*out)->target = target;
    return OK;
}

static void free_language(SourceLanguage *language)
{
    free(language->tag);
    stemmer_free(language->stemmer);
    index_free(&language->stems);
    free(language->fits);
}

void glossary_free(Glossary *g)
{
    if (!g) return;
    for (size_t i = 0; i < g->languages.len; i++) free_language(&g->languages.data[i]);
    free(g->languages.data);
    str_map_free(g->tags);
    free(g->entries.data);
    for (size_t i = 0; i < 2; i++) index_free(&g->by_key[i]);
    arena_free(g->memory);
    buf_free(&g->warnings);
    term_words_free(&g->term);
    buf_free(&g->cell);
    buf_free(&g->form);
    pthread_mutex_destroy(&g->lock);
    term_words_free(&g->text);
    if (g->bounds) ubrk_close(g->bounds);
    free(g->candidates.data);
    free(g->taken);
    free(g);
}

/* --- Tables. */

static LineText trim(LineText text)
{
    const Range range = ranges_trimmed(text.data, (Range){ 0, text.len });

    return (LineText){ text.data + range.begin, range.end - range.begin };
}

/* Sets *out to the field without white space around it and without escapes: a backslash escapes a character of
 * `escapes`; before any other character, it stays. */
static Status unescape(LineText field, const char *escapes, Buf *out, Err *err)
{
    field = trim(field);
    buf_clear(out);
    for (size_t i = 0; i < field.len; i++) {
        if (field.data[i] == '\\' && i + 1 < field.len && char_is_among(field.data[i + 1], escapes)) i++;
        buf_put_byte(out, field.data[i]);
    }
    return buf_check(out, err);
}

/* Adds the translations in the field, except empty ones. A bar without a backslash before it separates them. */
static Status add_forms(Glossary *g, LineText field, Err *err)
{
    bool has_form = false;
    Status st = OK;

    for (size_t at = 0, end; st == OK && at < field.len; at = end + 1) {
        for (end = at; end < field.len && field.data[end] != '|';)
            end += field.data[end] == '\\' && end + 1 < field.len ? 2 : 1;
        st = unescape((LineText){ field.data + at, end - at }, "|\\", &g->form, err);
        if (st != OK || !g->form.len) continue;
        has_form = true;
        st = add_term(g, (LineText){ g->cell.data, g->cell.len }, LANGUAGE_ANY, (LineText){ g->form.data, g->form.len },
                      err);
    }
    if (st == OK && !has_form) st = err_set(err, ERR_FORMAT, "the translation is empty");
    return st;
}

/* The place of the + after the one at `at` in GlossaryEntry.near, or the end. A + inside a word is part of it: C++. */
static size_t next_near(LineText near, size_t at)
{
    for (at++; at < near.len; at++)
        if (near.data[at] == '+' && utf8_is_space(utf8_code_before(near.data, at))) return at;
    return near.len;
}

/* Whether the cell names the language: by a code, or by its English or own name. */
static bool names_language(LineText cell, const char *tag)
{
    const char *const display[] = { "en", tag };
    char code[ULOC_FULLNAME_CAPACITY], name[4 * ULOC_FULLNAME_CAPACITY];
    UChar wide[ULOC_FULLNAME_CAPACITY];

    if (!tag || !cell.len || cell.len >= sizeof code) return false;
    memcpy(code, cell.data, cell.len);
    code[cell.len] = '\0';
    if (language_detector_same(tag, code) || strcasecmp(code, uloc_getISO3Language(tag)) == 0) return true;
    for (size_t i = 0; i < sizeof display / sizeof *display; i++) {
        UErrorCode fault = U_ZERO_ERROR;
        int32_t length = uloc_getDisplayLanguage(tag, display[i], wide, ULOC_FULLNAME_CAPACITY, &fault);
        if (U_FAILURE(fault) || length >= ULOC_FULLNAME_CAPACITY) continue;
        u_strToUTF8(name, sizeof name, NULL, wide, length, &fault);
        if (U_SUCCESS(fault) && strcasecmp(code, name) == 0) return true;
    }
    return false;
}

/* Whether the cells of the first row name the columns: by usual words, or by the languages of the glossary. */
static bool is_header(const Glossary *g, LineText source, LineText target)
{
    if (chars_are_in(source.data, source.len, "source term original source_term") &&
        chars_are_in(target.data, target.len, "target translation target_term"))
        return true;
    return names_language(source, g->source) && names_language(target, g->target);
}

/* Reads a line of a table. After a failure, the message is only the reason, without the place. */
static Status read_line(Glossary *g, const char *path, size_t number, LineText line, Err *err)
{
    const char *tab = memchr(line.data, '\t', line.len), *end = line.data + line.len, *next;
    const bool is_first = g->may_name_columns;
    Status st;

    if (utf8_clean_length(line.data, line.len) < line.len) {
        if (line.len >= 2 && (memcmp(line.data, "\xff\xfe", 2) == 0 || memcmp(line.data, "\xfe\xff", 2) == 0))
            return err_set(err, ERR_FORMAT, "not UTF-8 but UTF-16; convert the file with iconv -f UTF-16 -t UTF-8");
        return err_set(err, ERR_FORMAT, "not valid UTF-8");
    }
    if (!trim(line).len || *line.data == '#') return OK;
    if (!tab) return err_set(err, ERR_FORMAT, "expected a term, a tab and its translation, but there is no tab");
    next = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
    if (!next) next = end;
    g->may_name_columns = false;
    if (is_first && is_header(g, trim((LineText){ line.data, (size_t)(tab - line.data) }),
                              trim((LineText){ tab + 1, (size_t)(next - tab - 1) }))) {
        buf_put_format(&g->warnings, "%s:%zu: the first row names the columns and is not a term\n", path, number);
        return buf_check(&g->warnings, err);
    }
    st = unescape((LineText){ line.data, (size_t)(tab - line.data) }, "|\\#", &g->cell, err);
    if (st == OK && !g->cell.len) st = err_set(err, ERR_FORMAT, "the term is empty");
    g->near = (LineText){ "", 0 };
    if (st == OK && end - next > 1 && next[1] == '+') { /* else a note */
        const char *note = memchr(next + 1, '\t', (size_t)(end - next - 1));
        g->near = trim((LineText){ next + 1, (size_t)((note ? note : end) - next - 1) });
        st = check_length(g->near, "third column", err);
        for (size_t i = 0; st == OK && i < g->near.len; i = next_near(g->near, i))
            if (!trim((LineText){ g->near.data + i + 1, next_near(g->near, i) - i - 1 }).len)
                st = err_set(err, ERR_FORMAT, "a + in the third column has no word after it");
    } else if (st == OK && !g->has_notes && end - next > 1 && next[1] != '\t' &&
               trim((LineText){ next + 1, (size_t)(end - next - 1) }).len) {
        g->has_notes = true;
        buf_put_format(&g->warnings,
                       "%s:%zu: the third column is ignored as a note; +WORD there would limit the line to texts with "
                       "WORD near the term\n",
                       path, number);
        st = buf_check(&g->warnings, err);
    }
    return st == OK ? add_forms(g, (LineText){ tab + 1, (size_t)(next - tab - 1) }, err) : st;
}

/* Adds the terms in bytes[0..length), without a byte order mark of UTF-8; messages name `path` and the line. */
static Status read_table(Glossary *g, const char *path, const char *bytes, size_t length, Err *err)
{
    Status st = OK;
    Err reason;

    for (size_t at = 0, line = 1; st == OK && at < length; line++) {
        const char *begin = bytes + at, *end = memchr(begin, '\n', length - at);
        const size_t size = end ? (size_t)(end - begin) : length - at;
        st = read_line(g, path, line, (LineText){ begin, size }, &reason);
        if (st != OK) st = err_set(err, st, "%s:%zu: %s", path, line, reason.text);
        at += size + 1;
    }
    return st;
}

/* --- TBX.
 *
 * The versions of 2008 and 2019 differ only in the names of elements: a concept is termEntry or conceptEntry; its part
 * in one language is langSet or langSec; a term with its notes is in a tig, ntig or termSec. The status of a term is a
 * termNote with a type, or an element with the name of that type. Prefixes of names and other elements are ignored. */

#define TAG_BYTES 64

typedef enum { TEXT_NONE, TEXT_TERM, TEXT_STATUS } TextKind;

/* A term of a concept. */
typedef struct {
    size_t text, length; /* in TbxReader.texts */
    uint16_t language;
    bool is_target, is_deprecated;
} ConceptTerm;

typedef struct {
    Glossary *glossary;
    XML_Parser expat;
    bool has_root, in_group; /* the first element was read; reading is inside a tig, ntig or termSec */
    size_t depth;
    size_t text_depth; /* the depth of the element whose text is being read */
    TextKind text_kind;
    Buf text; /* of that element */
    char root_language[TAG_BYTES], language[TAG_BYTES];
    ConceptTerm term; /* the term of the current group */
    bool has_term;
    LIST_OF(ConceptTerm) terms; /* the terms of the current concept */
    Buf texts;                  /* the texts of these terms */
    XmlDefaults defaults;
    Status status;
    Err err; /* the reason */
} TbxReader;

/* Ends reading after a failure. */
static void check(TbxReader *r, Status status)
{
    if (status == OK) return;
    r->status = status;
    XML_StopParser(r->expat, XML_FALSE);
}

/* Fails if there is a reason. */
static void refuse(TbxReader *r, const char *reason)
{
    if (reason) check(r, err_set(&r->err, ERR_FORMAT, "%s", reason));
}

static bool is_one_of(const char *name, const char *names)
{
    const char *colon = strrchr(name, ':');

    if (colon) name = colon + 1;
    return chars_are_among(name, strlen(name), names);
}

static const char term_groups[] = "tig ntig termSec";
static const char statuses[] = "administrativeStatus normativeAuthorization";

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2)
        if (strcmp(attributes[i], name) == 0) return attributes[i + 1];
    return NULL;
}

/* Copies the language of an element, a BCP 47 tag. If the tag is too long, copies "". */
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

/* Adds each pair of a term and its translation. */
static Status end_concept(TbxReader *r)
{
    Status st = OK;

    for (size_t i = 0; i < r->terms.len; i++) {
        const ConceptTerm *source = &r->terms.data[i];
        for (size_t k = 0; st == OK && !source->is_target && k < r->terms.len; k++) {
            const ConceptTerm *target = &r->terms.data[k];
            if (!target->is_target || target->is_deprecated) continue;
            st = add_term(r->glossary, (LineText){ r->texts.data + source->text, source->length }, source->language,
                          (LineText){ r->texts.data + target->text, target->length }, &r->err);
        }
    }
    r->terms.len = 0;
    buf_reuse(&r->texts);
    return st;
}

/* The most terms of a concept. The number of pairs of terms grows with the square of this number. */
#define CONCEPT_TERMS 1000

/* Adds the term of the group to the concept if it is in the source or target language. */
static Status end_group(TbxReader *r)
{
    const Glossary *g = r->glossary;
    const char *language = *r->language ? r->language : r->root_language;
    Status st = OK;

    if (r->has_term && *language) {
        r->term.is_target = language_detector_same(language, g->target);
        if (r->term.is_target || !g->source || language_detector_same(language, g->source)) {
            if (r->terms.len == CONCEPT_TERMS)
                st = err_set(&r->err, ERR_FORMAT, "a concept has more than %d terms", CONCEPT_TERMS);
            if (st == OK) st = number_language(r->glossary, language, &r->term.language, &r->err);
            if (st == OK) LIST_PUT(&r->terms, r->term);
            if (st == OK) st = LIST_CHECK(&r->terms, "the glossary", &r->err);
        }
    }
    r->in_group = r->has_term = false;
    r->term = (ConceptTerm){ 0 };
    return st;
}

/* --- Handlers of expat. */

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    TbxReader *r = data;

    if (r->text_kind == TEXT_NONE) return;
    buf_put(&r->text, text, (size_t)length);
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
        if (!is_one_of(name, "martif tbx"))
            check(r, err_set(&r->err, ERR_FORMAT, "this is XML, but not TBX: its first element is '%s'", name));
    } else if (is_one_of(name, "langSet langSec")) {
        *r->language = '\0';
        read_language(attributes, r->language);
    } else if (is_one_of(name, term_groups)) {
        r->in_group = true;
    } else if (r->in_group && r->text_kind == TEXT_NONE) {
        const char *type = attribute(attributes, "type");
        if (is_one_of(name, "term"))
            r->text_kind = TEXT_TERM;
        else if (is_one_of(name, statuses) || (type && is_one_of(name, "termNote") && is_one_of(type, statuses)))
            r->text_kind = TEXT_STATUS;
        r->text_depth = r->depth;
        buf_clear(&r->text);
    }
}

static Status end_text(TbxReader *r)
{
    const LineText text = trim((LineText){ r->text.data ? r->text.data : "", r->text.len });
    const bool is_status = r->text_kind == TEXT_STATUS;

    r->text_kind = TEXT_NONE;
    if (is_status) {
        r->term.is_deprecated |=
            chars_begin(text.data, 0, text.len, "deprecated") || chars_begin(text.data, 0, text.len, "superseded");
        return OK;
    }
    if (r->text.len > 4 * TERM_BYTES) return err_set(&r->err, ERR_FORMAT, "the term is too long");
    r->term.text = r->texts.len;
    for (size_t at = 0, used; at < text.len; at += used) { /* copies the words with one space between them */
        const size_t blank = utf8_leading_space(text.data + at, text.len - at);
        uint32_t code;
        used = blank ? blank : utf8_next(text.data + at, text.len - at, &code);
        buf_put(&r->texts, blank ? " " : text.data + at, blank ? 1 : used);
    }
    r->term.length = r->texts.len - r->term.text;
    r->has_term = r->term.length > 0;
    return buf_check(&r->texts, &r->err);
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    TbxReader *r = data;
    Status st = OK;

    if (r->status != OK) return; /* after a fault in <x/>, expat still ends the element */
    if (r->text_kind != TEXT_NONE && r->depth == r->text_depth) st = end_text(r);
    if (st == OK && is_one_of(name, term_groups)) st = end_group(r);
    if (st == OK && is_one_of(name, "termEntry conceptEntry")) st = end_concept(r);
    check(r, st);
    r->depth--;
}

/* Refuses files that define entities: TBX needs none, and a small file of them could expand to any size. */
static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                              const XML_Char *notation)
{
    TbxReader *r = data;

    (void)length, (void)base, (void)system_id, (void)public_id, (void)notation;
    if (!is_parameter && value) check(r, err_set(&r->err, ERR_FORMAT, "the entity '%s' is not supported", name));
}

static void XMLCALL on_attribute(void *data, const XML_Char *element, const XML_Char *name, const XML_Char *type,
                                 const XML_Char *value, int is_required)
{
    TbxReader *r = data;

    (void)element, (void)name, (void)type, (void)value, (void)is_required;
    refuse(r, xml_defaults_count_declaration(&r->defaults));
}

static Status read_tbx(Glossary *g, const char *path, const char *bytes, size_t length, Err *err)
{
    TbxReader r = { .glossary = g };
    Status st = OK;

    if (!g->target)
        return err_set(err, ERR_USAGE,
                       "%s: TBX cannot be used, because the model does not tell the language of its translations; use "
                       "a table of terms",
                       path);
    r.expat = XML_ParserCreate(NULL);
    if (!r.expat) return err_memory(err, "the glossary");
    XML_SetUserData(r.expat, &r);
    XML_SetElementHandler(r.expat, on_start, on_end);
    XML_SetCharacterDataHandler(r.expat, on_text);
    XML_SetEntityDeclHandler(r.expat, on_entity);
    XML_SetAttlistDeclHandler(r.expat, on_attribute);
    if (XML_Parse(r.expat, bytes, (int)length, XML_TRUE) != XML_STATUS_OK || r.status != OK) {
        const enum XML_Error fault = XML_GetErrorCode(r.expat);
        const size_t line = (size_t)XML_GetCurrentLineNumber(r.expat);
        if (r.status != OK)
            st = err_set(err, r.status, "%s:%zu: %s", path, line, r.err.text);
        else if (fault == XML_ERROR_NO_MEMORY)
            st = err_memory(err, "the glossary");
        else
            st = err_set(err, ERR_FORMAT, "%s:%zu: not well-formed XML: %s", path, line, XML_ErrorString(fault));
    }
    XML_ParserFree(r.expat);
    buf_free(&r.text);
    buf_free(&r.texts);
    free(r.terms.data);
    return st;
}

/* --- Files of both formats. */

/* The most bytes of a glossary file after decompression. */
#define GLOSSARY_BYTES ((size_t)1 << 30)

/* Whether the file is XML. A term in a table may begin with <, so a longer beginning is compared. In UTF-16, a table
 * also begins with a byte order mark, so the character after the mark is compared. */
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

Status glossary_parse(Glossary *g, const char *path, const char *bytes, size_t length, Err *err)
{
    uint16_t any;
    size_t mark;
    Status st = g->memory ? OK : arena_new(&g->memory, err);

    while (g->languages.len) free_language(&g->languages.data[--g->languages.len]);
    if (st == OK && !g->tags) st = str_map_new(&g->tags, err);
    if (st == OK) st = number_language(g, "", &any, err); /* the first one: LANGUAGE_ANY */
    g->files++;                                           /* the number of this file; see GlossaryEntry.file */
    if (st != OK) return st;
    g->near = (LineText){ "", 0 };
    mark = chars_skip_mark(bytes, 0, length);
    bytes += mark;
    length -= mark;
    return is_xml(bytes, length) ? read_tbx(g, path, bytes, length, err) : read_table(g, path, bytes, length, err);
}

/* Joins the lines of the file with newlines, and adds none after the last line: in UTF-16, a single added byte would
 * make the length odd. */
Status glossary_add_file(Glossary *g, const char *path, Err *err)
{
    Buf content = { 0 };
    TextFile *file = NULL;
    const Buf *line = NULL;
    Status st = text_file_open(&file, TEXT_FILE_PATH, path, err);

    if (st == OK) st = text_file_next(file, &line, err);
    while (st == OK && line) {
        if (content.len + line->len >= GLOSSARY_BYTES)
            st = err_set(err, ERR_FORMAT, "%s: more than %zu MB; divide the glossary into several files", path,
                         GLOSSARY_BYTES >> 20);
        if (st == OK) buf_put(&content, line->data, line->len);
        if (st == OK) st = text_file_next(file, &line, err);
        if (st == OK && line) buf_put_byte(&content, '\n');
        if (st == OK) st = buf_check(&content, err);
    }
    text_file_close(file);
    /* in big-endian UTF-16, the LF at the end of the file is half of a character */
    if (st == OK && content.len % 2 && content.data[0] == '\xfe') buf_put_byte(&content, '\n');
    if (st == OK) st = buf_check(&content, err);
    g->may_name_columns = true;
    if (st == OK) st = glossary_parse(g, path, content.data ? content.data : "", content.len, err);
    g->may_name_columns = false;
    buf_free(&content);
    return st;
}

const char *glossary_warnings(const Glossary *g)
{
    return g->warnings.data ? g->warnings.data : "";
}

/* --- Languages. */

/* Finds the data for the texts in one language, or prepares them. */
static Status find_language(Glossary *g, const char *tag, SourceLanguage **out, Err *err)
{
    const size_t count = str_map_count(g->tags);
    SourceLanguage *made;
    Status st;

    for (size_t i = 0; i < g->languages.len; i++) {
        const char *known = g->languages.data[i].tag;
        *out = &g->languages.data[i];
        if (tag && known ? strcmp(tag, known) == 0 : tag == known) return OK;
    }
    LIST_PUT(&g->languages, (SourceLanguage){ .tag = NULL });
    st = LIST_CHECK(&g->languages, "the glossary", err);
    if (st != OK) return st;
    *out = made = &g->languages.data[g->languages.len - 1];
    made->tag = tag ? strdup(tag) : NULL;
    made->fits = calloc(count, sizeof *made->fits);
    if ((tag && !made->tag) || !made->fits) st = err_memory(err, "the glossary");
    for (size_t i = 0; st == OK && i < count; i++)
        made->fits[i] = i == LANGUAGE_ANY || !tag || language_detector_same(str_map_key(g->tags, i), tag);
    if (st == OK) made->stemmer = stemmer_new(tag);
    for (size_t i = 0; st == OK && made->stemmer && i < g->entries.len; i++) { /* the stems of the terms */
        const GlossaryEntry *entry = &g->entries.data[i];
        int32_t found;
        if (entry->is_exact || !made->fits[entry->language]) continue;
        st = term_words_read(&g->text, entry->source, strlen(entry->source), NULL, 0, made->stemmer, err);
        if (st == OK) st = index_add(&made->stems, &g->text, KEY_STEMMED, (int32_t)i, &found, err);
    }
    if (st != OK) {
        free_language(made);
        g->languages.len--;
    }
    return st;
}

/* --- Terms in a text. All sequences of words that are terms are listed and sorted by length, the longest first. A
 * sequence is a match unless an earlier match contains one of its words. */

static const TermIndex *index_of(const Glossary *g, const SourceLanguage *language, KeyKind kind)
{
    return kind == KEY_STEMMED ? &language->stems : &g->by_key[kind];
}

/* How many words before a term, and after it, are near it. */
#define NEAR_WORDS ((size_t)10)

/* Sets *distance to the number of words between the words [first, first + count) and the nearest of the words `near`
 * (GlossaryEntry); to NEAR_WORDS if `near` is empty, and to SIZE_MAX if none of them is near. As for terms, case does
 * not matter, and other forms with the same stem count. After a + there may be several words, which stand together. */
static Status find_near(Glossary *g, const SourceLanguage *language, const char *near, size_t first, size_t count,
                        size_t *distance, Err *err)
{
    const LineText texts = { near, strlen(near) };
    const size_t begin = first > NEAR_WORDS ? first - NEAR_WORDS : 0;
    const size_t last = first + count + NEAR_WORDS, end = last < g->text.len ? last : g->text.len;
    Status st = OK;

    *distance = texts.len ? SIZE_MAX : NEAR_WORDS;
    for (size_t at = 0, next; st == OK && at < texts.len; at = next) {
        next = next_near(texts, at);
        st = term_words_read(&g->term, near + at + 1, next - at - 1, NULL, 0, language->stemmer, err);
        for (size_t i = begin; st == OK && g->term.len && i + g->term.len <= end; i++) {
            const LineText wanted = term_words_key(&g->term, KEY_STEMMED, 0, g->term.len);
            const LineText found = term_words_key(&g->text, KEY_STEMMED, i, g->term.len);
            const size_t after = i + g->term.len, between = i >= first + count ? i - first - count : first - after;
            if (after > first && i < first + count) continue;
            if (between < *distance && wanted.len && chars_are_equal(found, wanted)) *distance = between;
        }
    }
    return st;
}

/* Finds the first entry that has these words as its key and is for the language of the text. Of a file's entries with
 * words near the term, the one with the nearest word is taken, and an entry without such words only if there is none.
 * Tries the exact key, then the folded key and the stems. longest[kind] is the number of words of the longest term that
 * may begin here. */
static Status find_entry(Glossary *g, const SourceLanguage *language, size_t first, size_t count,
                         const size_t longest[KEYS], int32_t *out, Err *err)
{
    size_t least = SIZE_MAX;
    Status st = OK;

    *out = TERM_NONE;
    for (int kind = 0; *out == TERM_NONE && kind < KEYS; kind++) {
        const LineText key = term_words_key(&g->text, (KeyKind)kind, first, count);
        int32_t at;
        if (count > longest[kind]) continue;
        at = str_map_get(index_of(g, language, (KeyKind)kind)->keys, key.data, key.len, TERM_NONE);
        for (; st == OK && at != TERM_NONE; at = g->entries.data[at].next) {
            const GlossaryEntry *entry = &g->entries.data[at];
            size_t distance;
            if (!language->fits[entry->language] || (*out >= 0 && entry->file > g->entries.data[*out].file)) continue;
            st = find_near(g, language, entry->near, first, count, &distance, err);
            if (st != OK || distance >= least) continue;
            *out = at;
            least = distance;
        }
    }
    return st;
}

/* Whether the term begins and ends at word boundaries of ICU, which has dictionaries for scripts without spaces. True
 * for words of other scripts. */
static Status check_bounds(Glossary *g, const char *text, size_t length, size_t first, size_t count, bool *out,
                           Err *err)
{
    const TermWord *begin = &g->text.data[first], *end = &g->text.data[first + count - 1];
    UErrorCode fault = U_ZERO_ERROR;

    *out = true;
    if (!begin->is_unspaced && !end->is_unspaced) return OK;
    if (!g->bounds) g->bounds = ubrk_open(UBRK_WORD, "en", NULL, 0, &fault);
    if (!g->has_bounds) {
        UText *utext = utext_openUTF8(NULL, text, (int64_t)length, &fault);
        if (U_SUCCESS(fault)) ubrk_setUText(g->bounds, utext, &fault);
        utext_close(utext);
    }
    if (U_FAILURE(fault)) return term_words_fault(fault, "find words", err);
    g->has_bounds = true;
    if (begin->is_unspaced) *out = ubrk_isBoundary(g->bounds, (int32_t)begin->place.begin);
    if (end->is_unspaced) *out = *out && ubrk_isBoundary(g->bounds, (int32_t)end->place.end);
    return OK;
}

/* Adds the terms that begin with word `first` to the candidates. */
static Status add_terms_at(Glossary *g, const SourceLanguage *language, const char *text, size_t length, size_t first,
                           Err *err)
{
    size_t longest[KEYS], most = 0;
    Status st = OK;

    for (int kind = 0; kind < KEYS; kind++) {
        const TermIndex *index = index_of(g, language, (KeyKind)kind);
        const LineText key = term_words_key(&g->text, (KeyKind)kind, first, 1);
        longest[kind] = index->firsts ? (size_t)str_map_get(index->firsts, key.data, key.len, 0) : 0;
        if (longest[kind] > most) most = longest[kind];
    }
    for (size_t count = 1; st == OK && count <= most && first + count <= g->text.len; count++) {
        const TermWord *last = &g->text.data[first + count - 1];
        bool fits;
        int32_t entry;
        if (last->is_barrier || (count > 1 && last->is_apart)) break;
        st = find_entry(g, language, first, count, longest, &entry, err);
        if (st != OK || entry == TERM_NONE) continue;
        st = check_bounds(g, text, length, first, count, &fits, err);
        if (st == OK && fits)
            LIST_PUT(&g->candidates,
                     ((Candidate){ first, count, last->place.end - g->text.data[first].place.begin, entry }));
    }
    return st;
}

static int compare_candidates(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;

    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static Status choose(Glossary *g, TermMatches *out, Err *err)
{
    Status st = buf_grow_list(&g->taken, &g->taken_capacity, 0, g->text.len, sizeof *g->taken, "the terms", err);

    if (st != OK) return st;
    memset(g->taken, 0, g->text.len * sizeof *g->taken);
    qsort(g->candidates.data, g->candidates.len, sizeof *g->candidates.data, compare_candidates);
    for (size_t i = 0; st == OK && i < g->candidates.len; i++) {
        const Candidate *c = &g->candidates.data[i];
        const GlossaryEntry *entry = &g->entries.data[c->entry];
        const size_t begin = g->text.data[c->first].place.begin;
        size_t untaken = 0; /* words */
        while (untaken < c->count && !g->taken[c->first + untaken]) untaken++;
        if (untaken < c->count) continue;
        for (size_t k = 0; k < c->count; k++) g->taken[c->first + k] = true;
        st = buf_grow_list(&out->items, &out->capacity, out->count, 1, sizeof *out->items, "the terms", err);
        if (st != OK) return st;
        out->items[out->count++] =
            (TermMatch){ { begin, begin + c->bytes }, (const char *const *)entry->forms, entry->form_count };
    }
    qsort(out->items, out->count, sizeof *out->items, ranges_compare_begin);
    return st;
}

Status glossary_find(Glossary *g, const char *tag, const char *text, size_t length, const Range *kept,
                     size_t kept_count, TermMatches *out, Err *err)
{
    SourceLanguage *language;
    Status st = OK;

    out->count = 0;
    if (!g->entries.len) return OK;
    pthread_mutex_lock(&g->lock);
    g->candidates.len = 0;
    st = find_language(g, tag, &language, err);
    if (st == OK) st = term_words_read(&g->text, text, length, kept, kept_count, language->stemmer, err);
    g->has_bounds = false;
    for (size_t i = 0; st == OK && i < g->text.len; i++)
        if (!g->text.data[i].is_barrier) st = add_terms_at(g, language, text, length, i, err);
    if (st == OK) st = LIST_CHECK(&g->candidates, "the terms", err);
    if (st == OK && g->candidates.len) st = choose(g, out, err);
    pthread_mutex_unlock(&g->lock);
    return st;
}

void term_matches_free(TermMatches *matches)
{
    free(matches->items);
    *matches = (TermMatches){ 0 };
}
