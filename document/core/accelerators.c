/* accelerators.c - see accelerators.h. */
#include "accelerators.h"

#include <stdbool.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "utf8.h"

static bool is_alnum(uint32_t code)
{
    return u_isalnum((UChar32)code);
}

/* The word that contains byte `at`, up to the spaces around it. */
static Range word_at(const LineText *label, size_t at)
{
    Range word = { at, at };

    while (word.begin && label->data[word.begin - 1] != ' ') word.begin--;
    while (word.end < label->len && label->data[word.end] != ' ') word.end++;
    return word;
}

/* Whether the range contains one of the characters. */
static bool has_any(const LineText *label, Range range, const char *characters)
{
    for (size_t i = range.begin; i < range.end; i++)
        if (char_is_among(label->data[i], characters)) return true;
    return false;
}

static bool is_sentence(const LineText *label)
{
    return label->len > 1 && label->data[label->len - 1] == '.' && label->data[label->len - 2] != '.';
}

/* Whether the & at byte `at` is a mark: it begins neither an entity nor a part of an address. */
static bool is_ampersand(const LineText *label, size_t at)
{
    const uint32_t next = utf8_code_at(label->data, label->len, at + 1);
    size_t end = at + 1;

    while (end < label->len && is_alnum((unsigned char)label->data[end])) end++;
    if (!is_alnum(next) || (end < label->len && (label->data[end] == ';' || label->data[end] == '='))) return false;
    return !is_alnum(utf8_code_before(label->data, at)) ||
           (u_islower((UChar32)next) && !is_sentence(label) && !has_any(label, word_at(label, at), "?=/\\@#"));
}

static bool is_underscore(const LineText *label, size_t at)
{
    const uint32_t before = utf8_code_before(label->data, at);
    Range word = word_at(label, at);

    if (!is_alnum(utf8_code_at(label->data, label->len, at + 1)) || is_sentence(label)) return false;
    if (at && before != ' ' && before != '(' && before != '"' && before != '\'') return false;
    while (word.end > at + 1 && strchr(".:;,!?)\"'", label->data[word.end - 1])) word.end--;
    return !has_any(label, (Range){ at + 1, word.end }, "_=/\\.(){}[]:;<>@$%");
}

/* Whether the ~ at byte `at` is a mark of LibreOffice. Before a digit, ~ means "about"; in a path, a user's folder. */
static bool is_tilde(const LineText *label, size_t at)
{
    const uint32_t next = utf8_code_at(label->data, label->len, at + 1);

    return u_isalpha((UChar32)next) && !is_sentence(label) && !has_any(label, word_at(label, at), "/\\@=");
}

size_t accelerators_find(const char *text, size_t length, const char *marks)
{
    const LineText label = { text, length };
    size_t found = ACCELERATOR_NONE;

    if (length > ACCELERATOR_TEXT) return ACCELERATOR_NONE;
    for (size_t at = 0; at < length; at++) {
        const char c = text[at];
        if (!char_is_among(c, marks)) continue;
        if (at + 1 < length && text[at + 1] == c) {
            at++; /* a double mark stands for the character itself */
        } else if (c == '&' ? is_ampersand(&label, at) : c == '~' ? is_tilde(&label, at) : is_underscore(&label, at)) {
            if (found != ACCELERATOR_NONE) return ACCELERATOR_NONE;
            found = at;
        }
    }
    return found;
}

/* A translation that needs a place for the mark of its source. places[]: where the markup of the source goes. */
typedef struct {
    LineText label;
    const UnitText *source;
    const Range *places;
} Target;

/* The characters of placeholders and markup. */
#define PLACEHOLDER "%{}$\\<>@&"

/* The characters before which the mark may go: letters; if any_digit, also digits; if `digit`, only this digit. */
typedef struct {
    bool any_digit, in_part; /* in_part: also in a word with an underscore, or joined to a placeholder by a hyphen */
    uint32_t digit;          /* 0: none */
} Kind;

static bool is_allowed(const Target *t, size_t at)
{
    const Markup *markup = t->source->markup, *mark = &markup[t->source->accelerator - 1];
    const Range *parent = mark->parent == MARKUP_ROOT ? NULL : &t->places[mark->parent];

    if (parent && (at < parent->begin || at >= parent->end)) return false;
    for (size_t i = 0; i < t->source->markup_count; i++)
        if (markup[i].parent == mark->parent && t->places[i].begin < at && at < t->places[i].end) return false;
    return true;
}

/* The part of the word that contains byte `at`. Hyphens after letters, digits and brackets divide a word into parts. */
static Range part_at(const LineText *label, size_t at)
{
    const Range word = word_at(label, at);
    Range part = word;

    for (size_t i = word.begin + 1; i < word.end; i++) {
        if (label->data[i] != '-' ||
            (!is_alnum(utf8_code_before(label->data, i)) && !strchr("})>", label->data[i - 1])))
            continue;
        if (i < at) {
            part.begin = i + 1;
        } else {
            part.end = i;
            break;
        }
    }
    return part;
}

/* Whether a mark may go before the character at byte `at`, by the rules of `kind`. */
static bool suits(const Target *t, size_t at, const Kind *kind)
{
    const uint32_t code = utf8_code_at(t->label.data, t->label.len, at);
    const bool is_start = !char_goes_on(t->label.data[at]);
    const bool is_kind =
        kind->digit ? code == kind->digit : u_isalpha((UChar32)code) || (kind->any_digit && is_alnum(code));

    if (!is_start || !is_kind || !is_allowed(t, at)) return false;
    if (!kind->in_part) return !has_any(&t->label, word_at(&t->label, at), PLACEHOLDER "_=/");
    return !has_any(&t->label, part_at(&t->label, at), PLACEHOLDER) &&
           !has_any(&t->label, word_at(&t->label, at), "{}<>@=/");
}

/* The best place for the mark, from `at` on or else before it; ACCELERATOR_NONE: there is none. */
static size_t find_place(const Target *t, size_t at, Kind kind)
{
    size_t word;

    for (size_t i = at; i < t->label.len; i++)
        if (suits(t, i, &kind)) return i;
    while (at && !suits(t, at - 1, &kind)) at--;
    if (!at) return ACCELERATOR_NONE;
    word = accelerators_word(t->label.data, at);
    return suits(t, word, &kind) ? word : at - 1;
}

void accelerators_move(const UnitText *source, const char *text, size_t length, Range *places)
{
    const Target t = { { text, length }, source, places };
    Range *place = source->accelerator ? &places[source->accelerator - 1] : NULL;
    size_t at = ACCELERATOR_NONE;
    uint32_t code;

    if (!place) return;
    code = utf8_code_at(source->text, source->length, source->markup[source->accelerator - 1].text.begin);
    if (u_isdigit((UChar32)code)) at = find_place(&t, place->begin, (Kind){ .digit = code });
    if (at == ACCELERATOR_NONE) at = find_place(&t, place->begin, (Kind){ .any_digit = false });
    if (at == ACCELERATOR_NONE) at = find_place(&t, place->begin, (Kind){ .in_part = true });
    if (at == ACCELERATOR_NONE) at = find_place(&t, place->begin, (Kind){ .any_digit = true });
    if (at == ACCELERATOR_NONE) at = length;
    *place = (Range){ at, at };
}

size_t accelerators_word(const char *text, size_t at)
{
    size_t begin = at;

    while (begin && is_alnum(utf8_code_before(text, begin)))
        for (begin--; begin && char_goes_on(text[begin]);) begin--;
    return begin;
}
