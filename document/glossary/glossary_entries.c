/* glossary_entries.c - see glossary_entries.h. */
#include "glossary_entries.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "utf8.h"

/* A term of more letters is found in lower case, too, even if all of them are capitals. */
#define CAPITALS 5

#define CHUNK_BYTES ((size_t)1 << 16)

/* --- Memory ------------------------------------------------------------------ */

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

static Status no_memory(Err *err)
{
    return err_memory(err, "the glossary");
}

/* --- Files and languages ----------------------------------------------------- */

static Status add_language(GlossaryEntries *e, const char *tag, Err *err)
{
    char *name = tag ? strdup(tag) : NULL;
    Status st = tag && !name ? no_memory(err) : OK;

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

/* --- Entries ----------------------------------------------------------------- */

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
        if (!forms) return no_memory(err);
        if (entry->form_count) memcpy(forms, entry->forms, entry->form_count * sizeof *forms);
        entry->forms = forms;
        entry->form_room = room;
    }
    entry->forms[entry->form_count] = copy(e, form);
    if (!entry->forms[entry->form_count]) return no_memory(err);
    entry->form_count++;
    return OK;
}

/* Adds an entry. Until `last` leads to it, nothing does. */
static Status append_entry(GlossaryEntries *e, GlossaryEntry *made, TermString source, TermString form, Err *err)
{
    Status st = buf_grow_list(&e->items, &e->capacity, e->count, 1, sizeof *e->items, "the glossary", err);

    if (st != OK) return st;
    if (e->count == GLOSSARY_ENTRIES) return err_set(err, ERR_FORMAT, "more than %zu terms", GLOSSARY_ENTRIES);
    made->source = copy(e, source);
    if (!made->source) return no_memory(err);
    st = add_form(e, made, form, err);
    if (st == OK) e->items[e->count++] = *made;
    return st;
}

/* Sets *last to the last entry of the chain from `first` on, and *same to the one for the language, or to TERM_NONE. */
static void walk_chain(const GlossaryEntries *e, int32_t first, uint16_t language, int32_t *last, int32_t *same)
{
    *last = *same = TERM_NONE;
    for (int32_t at = first; at != TERM_NONE; at = e->items[at].next) {
        if (e->items[at].language == language && *same == TERM_NONE) *same = at;
        *last = at;
    }
}

static Status add_entry(GlossaryEntries *e, GlossaryEntry made, TermString source, TermString form, Err *err)
{
    const KeyKind kind = made.is_exact ? KEY_EXACT : KEY_FOLDED;
    const int32_t number = (int32_t)e->count;
    int32_t first, last, same;
    Status st = term_index_add(&e->by_key[kind], &e->scratch, kind, number, &first, err);

    if (st != OK) return st;
    walk_chain(e, first, made.language, &last, &same);
    if (same != TERM_NONE) return e->items[same].file == made.file ? add_form(e, &e->items[same], form, err) : OK;
    st = append_entry(e, &made, source, form, err);
    if (st == OK && last != TERM_NONE) e->items[last].next = number;
    return st;
}

static Status check_length(TermString text, const char *what, Err *err)
{
    if (!text.length) return err_set(err, ERR_FORMAT, "the %s is empty", what);
    if (text.length <= TERM_BYTES) return OK;
    return err_set(err, ERR_FORMAT, "the %s is longer than %zu bytes", what, TERM_BYTES);
}

/* Checks the words of the term in e->scratch. */
static Status check_words(const TermText *term, Err *err)
{
    if (term->count > TERM_WORDS) return err_set(err, ERR_FORMAT, "the term has more than %zu words", TERM_WORDS);
    for (size_t i = 0; i < term->count; i++)
        if (term->words[i].is_barrier) return err_set(err, ERR_FORMAT, "the term has only invisible characters");
    return OK;
}

Status glossary_entries_add(GlossaryEntries *e, TermString source, uint16_t language, TermString form, Err *err)
{
    const GlossaryEntry made = {
        .next = TERM_NONE, .language = language, .file = (uint16_t)e->files, .is_exact = is_short_and_capital(source)
    };
    Status st = check_length(source, "term", err);

    if (st == OK) st = check_length(form, "translation", err);
    if (st == OK) st = term_text_read(&e->scratch, source.data, source.length, NULL, 0, NULL, err);
    if (st == OK) st = check_words(&e->scratch, err);
    return st == OK ? add_entry(e, made, source, form, err) : st;
}

void glossary_entries_free(GlossaryEntries *e)
{
    for (size_t i = 0; i < e->language_count; i++) free(e->languages[i]);
    free(e->languages);
    free(e->items);
    for (size_t i = 0; i < 2; i++) term_index_free(&e->by_key[i]);
    term_text_free(&e->scratch);
    arena_free(e->memory);
    *e = (GlossaryEntries){ 0 };
}
