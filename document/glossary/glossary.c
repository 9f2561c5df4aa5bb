/* glossary.c - see glossary.h. */
#include "glossary.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>

#include "arena.h"
#include "buf.h"
#include "chars.h"
#include "glossary_file.h"
#include "language_detector.h"
#include "stemmer.h"
#include "str_map.h"
#include "utf8.h"

/* --- A text, or a term of a glossary, as words that can be compared.
 *
 * A word is a run of letters, digits, marks and underscores. Each character of the scripts that are written without
 * spaces, such as Han, kana and Thai, is a word by itself, together with the marks after it, and so is each other
 * character that is not white space. Each word has three keys:
 *   exact     normalized (NFC), to compare capitals
 *   folded    without differences of case and width (NFKC_Casefold)
 *   stemmed   the stem of the folded word (stemmer.h)
 * The keys of neighbouring words are joined, with one space where there is white space in the text. Therefore the key
 * of a sequence of words is a part of a longer string, and sequences are compared as strings. */

typedef enum { KEY_EXACT, KEY_FOLDED, KEY_STEMMED, KEYS } KeyKind;

typedef struct {
    Range place;      /* in the text */
    Range key[KEYS];  /* in TermText.keys */
    bool is_unspaced; /* of a script that is written without spaces */
    bool is_apart;    /* no term contains the word before it and this one: white space between them is kept */
    bool is_barrier;  /* no term contains this word: its key has nothing in it, or the translation keeps it */
} TermWord;

/* Starts as {0}, is reused, and ends with text_free(). */
typedef struct {
    TermWord *data; /* [len] */
    size_t len, cap;
    bool failed;
    Buf keys[KEYS];
    uint16_t *units, *folded; /* [unit_capacity], [folded_capacity], of the word that is being read */
    size_t unit_capacity, folded_capacity;
} TermText;

/* The key of words [first, first + count). */
typedef struct {
    const char *data;
    size_t length;
} TermKey;

/* --- Where words begin and end. */

typedef enum { CLASS_SPACE, CLASS_WORD, CLASS_UNSPACED, CLASS_EXTENDER, CLASS_OTHER } CharClass;

/* An extender belongs to the word before it: marks, and characters that are not shown, such as the soft hyphen. */
static CharClass class_of(uint32_t code)
{
    UErrorCode fault = U_ZERO_ERROR;
    const UChar32 c = (UChar32)code;

    if (code < 0x80 && (u_isalnum(c) || code == '_')) return CLASS_WORD;
    if (utf8_is_space(code)) return CLASS_SPACE;
    if (code < 0x80) return CLASS_OTHER;
    if ((U_GET_GC_MASK(c) & U_GC_M_MASK) || u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
        return CLASS_EXTENDER;
    if (!u_isalnum(c)) return CLASS_OTHER;
    return uscript_breaksBetweenLetters(uscript_getScript(c, &fault)) ? CLASS_UNSPACED : CLASS_WORD;
}

/* Returns the end of the word at `begin`, which is not white space. */
static size_t word_end(const char *text, size_t length, size_t begin, CharClass *first)
{
    uint32_t code;
    size_t at = begin + utf8_next(text + begin, length - begin, &code);

    *first = class_of(code);
    while (at < length) {
        const size_t used = utf8_next(text + at, length - at, &code);
        const CharClass next = class_of(code);
        if (next != CLASS_EXTENDER && !(next == CLASS_WORD && *first == CLASS_WORD)) break;
        at += used;
    }
    return at;
}

/* --- Keys. */

/* `what`: "find words" */
static Status icu_fault(UErrorCode fault, const char *what, Err *err)
{
    if (fault == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the words of a text");
    return err_set(err, ERR_IO, "ICU cannot %s: %s; are its data files complete?", what, u_errorName(fault));
}

/* Appends a normalized form of t->units[0..count). */
static Status append_normalized(TermText *t, const UNormalizer2 *form, size_t count, Buf *out, Err *err)
{
    for (;;) {
        UErrorCode fault = U_ZERO_ERROR;
        const int32_t needed =
            unorm2_normalize(form, t->units, (int32_t)count, t->folded, (int32_t)t->folded_capacity, &fault);
        Status st;
        if (U_SUCCESS(fault)) {
            for (size_t i = 0; i < (size_t)needed;) { /* UTF-16 as UTF-8 */
                char bytes[4];
                UChar32 code;
                U16_NEXT(t->folded, i, (size_t)needed, code);
                buf_put(out, bytes, utf8_put((uint32_t)code, bytes));
            }
            return OK;
        }
        if (fault != U_BUFFER_OVERFLOW_ERROR) return icu_fault(fault, "normalize a text", err);
        st = buf_grow_list(&t->folded, &t->folded_capacity, 0, (size_t)needed, sizeof *t->folded, "a word", err);
        if (st != OK) return st;
    }
}

/* Appends both forms of a word with other characters than ASCII. */
static Status append_forms(TermText *t, const char *word, size_t length, Err *err)
{
    UErrorCode fault = U_ZERO_ERROR;
    const UNormalizer2 *composed = unorm2_getNFCInstance(&fault), *folding = unorm2_getNFKCCasefoldInstance(&fault);
    int32_t count;
    Status st;

    if (U_FAILURE(fault)) return icu_fault(fault, "normalize a text", err);
    if (length > INT_MAX / 4) return err_set(err, ERR_FORMAT, "a word of %zu bytes is too long", length);
    st = buf_grow_list(&t->units, &t->unit_capacity, 0, length, sizeof *t->units, "a word", err);
    if (st != OK) return st;
    u_strFromUTF8(t->units, (int32_t)t->unit_capacity, &count, word, (int32_t)length, &fault);
    if (U_FAILURE(fault)) return icu_fault(fault, "normalize a text", err);
    st = append_normalized(t, composed, (size_t)count, &t->keys[KEY_EXACT], err);
    return st == OK ? append_normalized(t, folding, (size_t)count, &t->keys[KEY_FOLDED], err) : st;
}

/* Appends the keys of a word. */
static Status append_keys(TermText *t, TermWord *word, const char *text, bool has_stem, Stemmer *stemmer, Err *err)
{
    const char *bytes = text + word->place.begin;
    const size_t length = word->place.end - word->place.begin;
    Buf *folded = &t->keys[KEY_FOLDED];
    bool is_ascii = true;
    Status st = OK;

    for (int i = 0; i < KEYS; i++) word->key[i].begin = t->keys[i].len;
    for (size_t i = 0; i < length && is_ascii; i++) is_ascii = (unsigned char)bytes[i] < 0x80;
    if (is_ascii) {
        buf_put(&t->keys[KEY_EXACT], bytes, length);
        buf_put(folded, bytes, length);
        for (size_t i = word->key[KEY_FOLDED].begin; i < folded->len; i++)
            if (char_is_upper(folded->data[i])) folded->data[i] = (char)(folded->data[i] + 'a' - 'A');
    } else {
        st = append_forms(t, bytes, length, err);
    }
    buf_put_text(folded, ""); /* allocates, even if all words fold to nothing */
    if (st == OK) st = buf_check(folded, err);
    if (st == OK)
        st = stemmer_append(has_stem ? stemmer : NULL, folded->data + word->key[KEY_FOLDED].begin,
                            folded->len - word->key[KEY_FOLDED].begin, &t->keys[KEY_STEMMED], err);
    for (int i = 0; i < KEYS; i++) word->key[i].end = t->keys[i].len;
    return st;
}

/* --- Texts. */

/* Reads text[0..length), valid UTF-8. Words that touch one of the ranges, which are in order and do not overlap, are
 * barriers. With `stemmer` NULL, stems are the folded words. */
static Status text_read(TermText *t, const char *text, size_t length, const Range *kept, size_t kept_count,
                        Stemmer *stemmer, Err *err)
{
    Status st = OK, memory;
    Err reason;

    t->len = 0;
    for (int i = 0; i < KEYS; i++) buf_reuse(&t->keys[i]);
    for (size_t at = 0, end; st == OK && at < length; at = end) {
        const size_t space = utf8_leading_space(text + at, length - at);
        TermWord word = { .place = { at + space, 0 } };
        CharClass first;
        if (word.place.begin == length) break;
        for (int i = 0; space && t->len && i < KEYS; i++) buf_put_byte(&t->keys[i], ' ');
        word.place.end = end = word_end(text, length, word.place.begin, &first);
        word.is_unspaced = first == CLASS_UNSPACED;
        st = append_keys(t, &word, text, first == CLASS_WORD, stemmer, err);
        word.is_barrier = word.key[KEY_FOLDED].begin == word.key[KEY_FOLDED].end;
        LIST_PUT(t, word);
    }
    for (size_t i = 0, k = 0; i < t->len; i++) {
        TermWord *word = &t->data[i];
        for (; k < kept_count && kept[k].end <= word->place.begin; k++) word->is_apart = true;
        if (k < kept_count && kept[k].begin < word->place.end) word->is_barrier = true;
    }
    for (int i = 0; i < KEYS; i++) t->failed |= buf_check(&t->keys[i], &reason) != OK;
    memory = LIST_CHECK(t, "the words", &reason);
    if (st == OK && memory != OK) st = err_memory(err, "the words");
    return st;
}

static void text_free(TermText *t)
{
    for (int i = 0; i < KEYS; i++) buf_free(&t->keys[i]);
    free(t->data);
    free(t->units);
    free(t->folded);
    *t = (TermText){ 0 };
}

static TermKey text_key(const TermText *t, KeyKind kind, size_t first, size_t count)
{
    const size_t begin = t->data[first].key[kind].begin;

    return (TermKey){ t->keys[kind].data + begin, t->data[first + count - 1].key[kind].end - begin };
}

/* --- An index of terms by one kind of their keys: a hash table of keys, and for each first word of a term the
 * number of words of the longest term that begins with it. So a place in a text costs one look-up, and more only
 * where a term may begin. */

#define TERM_NONE (-1)

/* Starts as {0} and ends with index_free(). */
typedef struct {
    StrMap *keys;   /* of terms -> their values */
    StrMap *firsts; /* of first words -> index of `longest` */
    struct {
        uint8_t *data; /* words of the longest term */
        size_t len, cap;
        bool failed;
    } longest;
} TermIndex;

/* Adds the term, which has 1 to TERM_WORDS words, unless one has the same key. Sets *found to the value of that one, or
 * to TERM_NONE. */
static Status index_add(TermIndex *x, const TermText *term, KeyKind kind, int32_t value, int32_t *found, Err *err)
{
    const TermKey key = text_key(term, kind, 0, term->len), first = text_key(term, kind, 0, 1);
    bool added = false, is_first = false;
    Status st = x->keys ? OK : str_map_new(&x->keys, err);
    uint8_t *longest;

    *found = TERM_NONE;
    if (st == OK && !x->firsts) st = str_map_new(&x->firsts, err);
    if (st == OK) st = str_map_add(x->keys, key.data, key.length, value, &added, err);
    if (st == OK && !added) *found = str_map_get(x->keys, key.data, key.length, TERM_NONE);
    if (st != OK || !added) return st;
    st = str_map_add(x->firsts, first.data, first.length, (int32_t)x->longest.len, &is_first, err);
    if (st == OK && is_first) LIST_PUT(&x->longest, 0);
    if (st == OK) st = LIST_CHECK(&x->longest, "the glossary", err);
    if (st != OK) return st;
    longest = &x->longest.data[str_map_get(x->firsts, first.data, first.length, 0)];
    if (*longest < term->len) *longest = (uint8_t)term->len;
    return OK;
}

static void index_free(TermIndex *x)
{
    str_map_free(x->keys);
    str_map_free(x->firsts);
    free(x->longest.data);
    *x = (TermIndex){ 0 };
}

/* --- Where ICU's break iterator divides a text into words. For scripts that are written without spaces it uses
 * dictionaries. */

/* Starts as {0}, and is reused; close the iterator and free `data`. */
typedef struct {
    void *iterator; /* of ICU; NULL: not open yet */
    size_t *data;   /* [len], places in order */
    size_t len, cap;
    bool failed;
    bool is_read; /* the places are those of the text */
} WordBounds;

/* Finds the bounds in text[0..length), valid UTF-8, unless that has been done since `is_read` was cleared. */
static Status bounds_read(WordBounds *b, const char *text, size_t length, Err *err)
{
    UErrorCode fault = U_ZERO_ERROR;
    UText *utext;
    Status st;

    if (b->is_read) return OK;
    b->len = 0;
    if (!b->iterator) b->iterator = ubrk_open(UBRK_WORD, "en", NULL, 0, &fault);
    utext = utext_openUTF8(NULL, text, (int64_t)length, &fault);
    if (U_SUCCESS(fault)) ubrk_setUText(b->iterator, utext, &fault);
    for (int32_t at = U_SUCCESS(fault) ? ubrk_first(b->iterator) : UBRK_DONE; at != UBRK_DONE && !b->failed;) {
        LIST_PUT(b, (size_t)at);
        at = ubrk_next(b->iterator);
    }
    st = U_SUCCESS(fault) ? LIST_CHECK(b, "the words of a text", err) : icu_fault(fault, "find words", err);
    utext_close(utext);
    b->is_read = st == OK;
    return st;
}

static int compare_places(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Whether a word begins or ends at this byte. */
static bool bounds_has(const WordBounds *b, size_t place)
{
    return b->len && bsearch(&place, b->data, b->len, sizeof place, compare_places);
}

/* --- The terms with what they are to be translated as. A term is found by its exact key if it is short and in
 * capitals, such as US, else by its folded key. */

typedef struct {
    const char *source;
    const char **forms; /* [form_count], of the translation, in the order of the file */
    uint32_t form_count, form_room;
    int32_t next;      /* the next entry with the same key, for another language; TERM_NONE: there is none */
    uint16_t language; /* of the source: an index of GlossaryEntries.languages */
    uint16_t file;     /* number of the file, from 1 */
    bool is_exact;     /* found by the exact key alone */
} GlossaryEntry;

/* Starts as {0}. */
struct GlossaryEntries {
    GlossaryEntry *items; /* [count] */
    size_t count, capacity;
    char **languages; /* [language_count], tags; [LANGUAGE_ANY] is NULL */
    size_t language_count, language_capacity;
    size_t files;        /* that were begun */
    TermIndex by_key[2]; /* KEY_EXACT and KEY_FOLDED */
    TermText scratch;
    Arena *memory; /* of the strings */
    char *room;    /* [room_left], unused */
    size_t room_left;
};

/* The most terms. */
#define GLOSSARY_ENTRIES ((size_t)1 << 25)

/* A term of more letters is found in lower case, too, even if all of them are capitals. */
#define CAPITALS 5

#define CHUNK_BYTES ((size_t)1 << 16)

/* --- Memory. */

/* Memory for strings and pointers to them, aligned for the latter. */
static void *take(GlossaryEntries *e, size_t bytes)
{
    const size_t rounded = (bytes + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);
    void *taken;

    if (rounded > e->room_left) {
        const size_t size = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;
        char *chunk = arena_alloc(e->memory, size, 1);
        if (!chunk) return NULL;
        e->room = chunk;
        e->room_left = size;
    }
    taken = e->room;
    e->room += rounded;
    e->room_left -= rounded;
    return taken;
}

static char *copy(GlossaryEntries *e, TermString text)
{
    char *made = take(e, text.length + 1);

    if (!made) return NULL;
    memcpy(made, text.data, text.length);
    made[text.length] = '\0';
    return made;
}

/* --- Files and languages. */

static Status add_language(GlossaryEntries *e, const char *tag, Err *err)
{
    char *name = tag ? strdup(tag) : NULL;
    Status st = tag && !name ? err_memory(err, "the glossary") : OK;

    if (st == OK)
        st = buf_grow_list(&e->languages, &e->language_capacity, e->language_count, 1, sizeof *e->languages,
                           "the glossary", err);
    if (st == OK)
        e->languages[e->language_count++] = name;
    else
        free(name);
    return st;
}

Status glossary_entries_begin_file(GlossaryEntries *e, Err *err)
{
    Status st = e->memory ? OK : arena_new(&e->memory, err);

    if (st == OK && !e->language_count) st = add_language(e, NULL, err);
    e->files++;
    return st;
}

Status glossary_entries_language(GlossaryEntries *e, const char *tag, uint16_t *out, Err *err)
{
    *out = LANGUAGE_ANY;
    for (size_t i = 1; i < e->language_count; i++) {
        if (strcmp(e->languages[i], tag) != 0) continue;
        *out = (uint16_t)i;
        return OK;
    }
    if (e->language_count > 1000) return err_set(err, ERR_FORMAT, "more than 1000 languages");
    *out = (uint16_t)e->language_count;
    return add_language(e, tag, err);
}

/* --- Entries. */

/* Whether the term has 1 to CAPITALS letters, all of them capitals. */
static bool is_short_and_capital(TermString term)
{
    size_t letters = 0;
    uint32_t code;

    for (size_t at = 0; at < term.length;) {
        at += utf8_next(term.data + at, term.length - at, &code);
        if (!u_isalpha((UChar32)code)) continue;
        letters++;
        if (!u_isupper((UChar32)code)) return false;
    }
    return letters > 0 && letters <= CAPITALS;
}

static Status add_form(GlossaryEntries *e, GlossaryEntry *entry, TermString form, Err *err)
{
    for (size_t i = 0; i < entry->form_count; i++)
        if (strlen(entry->forms[i]) == form.length && memcmp(entry->forms[i], form.data, form.length) == 0) return OK;
    if (entry->form_count == TERM_FORMS)
        return err_set(err, ERR_FORMAT, "the term \"%s\" has more than %zu translations", entry->source, TERM_FORMS);
    if (entry->form_count == entry->form_room) {
        const uint32_t room = entry->form_room ? 4 * entry->form_room : 1;
        const char **forms = take(e, room * sizeof *forms);
        if (!forms) return err_memory(err, "the glossary");
        if (entry->form_count) memcpy(forms, entry->forms, entry->form_count * sizeof *forms);
        entry->forms = forms;
        entry->form_room = room;
    }
    entry->forms[entry->form_count] = copy(e, form);
    if (!entry->forms[entry->form_count]) return err_memory(err, "the glossary");
    entry->form_count++;
    return OK;
}

/* Adds the term in e->scratch, or a form of one that there is. Until an entry is complete, no other one leads to it. */
static Status add_entry(GlossaryEntries *e, GlossaryEntry made, TermString source, TermString form, Err *err)
{
    const KeyKind kind = made.is_exact ? KEY_EXACT : KEY_FOLDED;
    const int32_t number = (int32_t)e->count;
    int32_t last = TERM_NONE, first;
    Status st = index_add(&e->by_key[kind], &e->scratch, kind, number, &first, err);

    if (st != OK) return st;
    for (int32_t at = first; at != TERM_NONE; at = e->items[at].next) {
        last = at;
        if (e->items[at].language != made.language) continue;
        return e->items[at].file == made.file ? add_form(e, &e->items[at], form, err) : OK;
    }
    st = buf_grow_list(&e->items, &e->capacity, e->count, 1, sizeof *e->items, "the glossary", err);
    if (st != OK) return st;
    if (e->count == GLOSSARY_ENTRIES) return err_set(err, ERR_FORMAT, "more than %zu terms", GLOSSARY_ENTRIES);
    made.source = copy(e, source);
    st = made.source ? add_form(e, &made, form, err) : err_memory(err, "the glossary");
    if (st != OK) return st;
    e->items[e->count++] = made;
    if (last != TERM_NONE) e->items[last].next = number;
    return OK;
}

static Status check_length(TermString text, const char *what, Err *err)
{
    if (!text.length) return err_set(err, ERR_FORMAT, "the %s is empty", what);
    if (text.length <= TERM_BYTES) return OK;
    return err_set(err, ERR_FORMAT, "the %s is longer than %zu bytes", what, TERM_BYTES);
}

Status glossary_entries_add(GlossaryEntries *e, TermString source, uint16_t language, TermString form, Err *err)
{
    const GlossaryEntry made = {
        .next = TERM_NONE, .language = language, .file = (uint16_t)e->files, .is_exact = is_short_and_capital(source)
    };
    Status st = check_length(source, "term", err);

    if (st == OK) st = check_length(form, "translation", err);
    if (st == OK) st = text_read(&e->scratch, source.data, source.length, NULL, 0, NULL, err);
    if (st == OK && e->scratch.len > TERM_WORDS)
        st = err_set(err, ERR_FORMAT, "the term has more than %zu words", TERM_WORDS);
    for (size_t i = 0; st == OK && i < e->scratch.len; i++)
        if (e->scratch.data[i].is_barrier) st = err_set(err, ERR_FORMAT, "the term has only invisible characters");
    return st == OK ? add_entry(e, made, source, form, err) : st;
}

/* --- Glossaries.
 *
 * All sequences of words that are terms are listed, the longest ones first, and each is taken if none of its words is
 * taken already. The stems of the terms are listed when the first text in a language is read. */

/* What depends on the language of a text. */
typedef struct {
    char *tag;        /* NULL: not known */
    Stemmer *stemmer; /* NULL: there is none */
    TermIndex stems;
    bool *fits; /* [language_count], whether the entries of a language are for the text */
} SourceLanguage;

/* Words of the text that are a term. */
typedef struct {
    size_t first, count, bytes;
    int32_t entry;
} Candidate;

struct Glossary {
    char *source, *target;
    GlossaryEntries entries;
    SourceLanguage *languages; /* [language_count] */
    size_t language_count, language_capacity;

    /* Of the text that is being read. */
    TermText text;
    WordBounds bounds;
    struct {
        Candidate *data;
        size_t len, cap;
        bool failed;
    } candidates;
    bool *taken; /* [taken_capacity], of each word */
    size_t taken_capacity;
};

static Status copy_text(char **out, const char *text, Err *err)
{
    *out = text ? strdup(text) : NULL;
    return text && !*out ? err_memory(err, "the glossary") : OK;
}

Status glossary_new(Glossary **out, const char *source, const char *target, Err *err)
{
    Status st;

    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the glossary");
    st = copy_text(&(*out)->source, source, err);
    if (st == OK) st = copy_text(&(*out)->target, target, err);
    if (st == OK) return OK;
    glossary_free(*out);
    *out = NULL;
    return st;
}

static void free_language(SourceLanguage *language)
{
    free(language->tag);
    stemmer_free(language->stemmer);
    index_free(&language->stems);
    free(language->fits);
}

static void forget_languages(Glossary *g)
{
    for (size_t i = 0; i < g->language_count; i++) free_language(&g->languages[i]);
    g->language_count = 0;
}

void glossary_free(Glossary *g)
{
    GlossaryEntries *e = g ? &g->entries : NULL;

    if (!g) return;
    forget_languages(g);
    free(g->languages);
    for (size_t i = 0; i < e->language_count; i++) free(e->languages[i]);
    free(e->languages);
    free(e->items);
    for (size_t i = 0; i < 2; i++) index_free(&e->by_key[i]);
    text_free(&e->scratch);
    arena_free(e->memory);
    text_free(&g->text);
    if (g->bounds.iterator) ubrk_close(g->bounds.iterator);
    free(g->bounds.data);
    free(g->candidates.data);
    free(g->taken);
    free(g->source);
    free(g->target);
    free(g);
}

Status glossary_add_file(Glossary *g, const char *path, Err *err)
{
    forget_languages(g);
    return glossary_file_read(&g->entries, path, (GlossaryLanguages){ g->source, g->target }, err);
}

Status glossary_parse(Glossary *g, const char *path, const char *bytes, size_t length, Err *err)
{
    forget_languages(g);
    return glossary_file_parse(&g->entries, path, bytes, length, (GlossaryLanguages){ g->source, g->target }, err);
}

size_t glossary_count(const Glossary *g)
{
    return g->entries.count;
}

/* --- Languages. */

/* Lists the stems of the terms. */
static Status list_stems(Glossary *g, SourceLanguage *language, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < g->entries.count; i++) {
        const GlossaryEntry *entry = &g->entries.items[i];
        int32_t found;
        if (entry->is_exact || !language->fits[entry->language]) continue;
        st = text_read(&g->text, entry->source, strlen(entry->source), NULL, 0, language->stemmer, err);
        if (st == OK) st = index_add(&language->stems, &g->text, KEY_STEMMED, (int32_t)i, &found, err);
    }
    return st;
}

/* Finds what depends on the language, or prepares it. */
static Status find_language(Glossary *g, const char *tag, SourceLanguage **out, Err *err)
{
    SourceLanguage made = { .tag = NULL };
    Status st;

    for (size_t i = 0; i < g->language_count; i++) {
        const char *known = g->languages[i].tag;
        *out = &g->languages[i];
        if (tag && known ? strcmp(tag, known) == 0 : tag == known) return OK;
    }
    st = buf_grow_list(&g->languages, &g->language_capacity, g->language_count, 1, sizeof *g->languages, "the glossary",
                       err);
    if (st == OK) st = copy_text(&made.tag, tag, err);
    if (st == OK) made.fits = calloc(g->entries.language_count + 1, sizeof *made.fits);
    if (st == OK && !made.fits) st = err_memory(err, "the glossary");
    for (size_t i = 0; st == OK && i < g->entries.language_count; i++)
        made.fits[i] = i == LANGUAGE_ANY || !tag || language_detector_same(g->entries.languages[i], tag);
    if (st == OK) made.stemmer = stemmer_new(tag);
    if (made.stemmer) st = list_stems(g, &made, err);
    if (st != OK) {
        free_language(&made);
        return st;
    }
    g->languages[g->language_count] = made;
    *out = &g->languages[g->language_count++];
    return OK;
}

/* --- Terms in a text. */

static const TermIndex *index_of(const Glossary *g, const SourceLanguage *language, KeyKind kind)
{
    return kind == KEY_STEMMED ? &language->stems : &g->entries.by_key[kind];
}

/* The first entry for the language of the text with these words as its key; those with their spelling come first.
 * `longest` are the words of the longest term of each kind here. */
static int32_t find_entry(const Glossary *g, const SourceLanguage *language, size_t first, size_t count,
                          const size_t longest[KEYS])
{
    int32_t found = TERM_NONE;

    for (int kind = 0; found == TERM_NONE && kind < KEYS; kind++) {
        const TermKey key = text_key(&g->text, (KeyKind)kind, first, count);
        if (count > longest[kind]) continue;
        found = str_map_get(index_of(g, language, (KeyKind)kind)->keys, key.data, key.length, TERM_NONE);
        while (found != TERM_NONE && !language->fits[g->entries.items[found].language])
            found = g->entries.items[found].next;
    }
    return found;
}

/* Whether the words begin and end where words of scripts without spaces do. */
static Status check_bounds(Glossary *g, const char *text, size_t length, size_t first, size_t count, bool *out,
                           Err *err)
{
    const TermWord *begin = &g->text.data[first], *end = &g->text.data[first + count - 1];
    Status st = OK;

    *out = true;
    if (!begin->is_unspaced && !end->is_unspaced) return OK;
    st = bounds_read(&g->bounds, text, length, err);
    if (st != OK) return st;
    if (begin->is_unspaced) *out = bounds_has(&g->bounds, begin->place.begin);
    if (end->is_unspaced) *out = *out && bounds_has(&g->bounds, end->place.end);
    return OK;
}

/* Adds the terms that begin with word `first`. */
static Status add_terms_at(Glossary *g, const SourceLanguage *language, const char *text, size_t length, size_t first,
                           Err *err)
{
    size_t longest[KEYS], most = 0;
    Status st = OK;

    for (int kind = 0; kind < KEYS; kind++) {
        const TermIndex *index = index_of(g, language, (KeyKind)kind);
        const TermKey key = text_key(&g->text, (KeyKind)kind, first, 1);
        const int32_t at = index->firsts ? str_map_get(index->firsts, key.data, key.length, TERM_NONE) : TERM_NONE;
        longest[kind] = at == TERM_NONE ? 0 : index->longest.data[at];
        if (longest[kind] > most) most = longest[kind];
    }
    for (size_t count = 1; st == OK && count <= most && first + count <= g->text.len; count++) {
        const TermWord *last = &g->text.data[first + count - 1];
        bool fits;
        int32_t entry;
        if (last->is_barrier || (count > 1 && last->is_apart)) break;
        entry = find_entry(g, language, first, count, longest);
        if (entry == TERM_NONE) continue;
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

static int compare_matches(const void *a, const void *b)
{
    const TermMatch *x = a, *y = b;

    return x->place.begin < y->place.begin ? -1 : x->place.begin > y->place.begin;
}

static Status choose(Glossary *g, TermMatches *out, Err *err)
{
    Status st = buf_grow_list(&g->taken, &g->taken_capacity, 0, g->text.len, sizeof *g->taken, "the terms", err);

    if (st != OK) return st;
    memset(g->taken, 0, g->text.len * sizeof *g->taken);
    qsort(g->candidates.data, g->candidates.len, sizeof *g->candidates.data, compare_candidates);
    for (size_t i = 0; st == OK && i < g->candidates.len; i++) {
        const Candidate *c = &g->candidates.data[i];
        const GlossaryEntry *entry = &g->entries.items[c->entry];
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
    qsort(out->items, out->count, sizeof *out->items, compare_matches);
    return st;
}

Status glossary_find(Glossary *g, const char *tag, const char *text, size_t length, const Range *kept,
                     size_t kept_count, TermMatches *out, Err *err)
{
    SourceLanguage *language;
    Status st = OK;

    out->count = g->candidates.len = 0;
    if (!g->entries.count) return OK;
    st = find_language(g, tag, &language, err);
    if (st == OK) st = text_read(&g->text, text, length, kept, kept_count, language->stemmer, err);
    g->bounds.is_read = false;
    for (size_t i = 0; st == OK && i < g->text.len; i++)
        if (!g->text.data[i].is_barrier) st = add_terms_at(g, language, text, length, i, err);
    if (st == OK) st = LIST_CHECK(&g->candidates, "the terms", err);
    return st == OK && g->candidates.len ? choose(g, out, err) : st;
}

void term_matches_free(TermMatches *matches)
{
    free(matches->items);
    *matches = (TermMatches){ 0 };
}
