/* sentence_rules.c - see sentence_text.h.
 *
 * In front of the white space are a mark, perhaps closing quotes, brackets and
 * emoji after it, and a word before it; after it the next word. No sentence
 * begins with a letter in lower case. ! and ? end one otherwise. A full stop
 * does, too, unless the word before it is an abbreviation, an initial or an
 * ordinal number; many of those may end a sentence all the same, and then the
 * next word tells: one that sentences often begin with. */
#include "sentence_text.h"

#include <stdio.h>
#include <string.h>
#include <unicode/uchar.h>

#include "sentence_sides.h"

#define MAX_CHAIN 4 /* abbreviations of several words: "a. d. S." */
#define MAX_DAY   31

/* What makes a word an abbreviation. */
#define ABOUT_STOPS (WORD_NEVER | WORD_NUMBER | WORD_STARTER | WORD_CAPITAL)

static bool is_roman(const char *word)
{
    return strlen(word) > 1 && strspn(word, "IVX") == strlen(word);
}

/* "U.S", "z.B", "Ph.D", "J.-J": groups of one or two letters. */
static bool is_acronym(const char *word)
{
    size_t at = 0, group = 0, groups = 1, len = strlen(word);

    while (at < len) {
        uint32_t c = sentence_next(word, len, &at);
        if (c == '.' && group) {
            group = 0;
            groups++;
        } else if (!(c == '-' && !group && groups > 1) && (!u_isalpha((UChar32)c) || ++group > 2)) {
            return false;
        }
    }
    return groups > 1 && group;
}

/* "vgl", "Mrd": in most languages no word lacks a vowel. */
static bool lacks_vowel(const Abbreviations *words, const char *word)
{
    if (abbreviations_lack_vowels(words)) return false;
    if (strlen(word) < 2 || strspn(word + 1, "bcdfghjklmnpqrstvwxz") != strlen(word) - 1) return false;
    return strchr("bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ", word[0]) != NULL;
}

/* The last words, without their spaces, from `begin`. A word in capitals is
 * mostly one of its own: "ID", "CO". So is a letter, where any language may
 * have it for a title: French "M.". */
static unsigned flags_from(const Sides *s, size_t begin)
{
    SentenceWord word;
    unsigned flags;

    sentence_read_word(&word, s->place->text, begin, s->end);
    if (!*word.exact) return 0;
    flags = sides_find(s, &word) & ABOUT_STOPS;
    if (abbreviations_mix(s->place->words) && sentence_word_letters(word.exact) == 1) return flags & WORD_NUMBER;
    return sentence_word_is_capitals(word.exact) ? flags & (WORD_NEVER | WORD_NUMBER) : flags;
}

/* Where the short word with a full stop begins that stands before `begin`;
 * `begin` where there is none. */
static size_t chain_begin(const Sides *s, size_t begin)
{
    const SentencePlace *p = s->place;
    size_t at = begin, start;

    if (!sentence_is_space(sentence_before(p->text, p->begin, &at))) return begin;
    if (sentence_before(p->text, p->begin, &at) != '.') return begin;
    start = sides_word_begin(p, at);
    return start < at && at - start <= 12 ? start : begin;
}

/* "EE. UU.", "S. A.": the full stop is inside an abbreviation. */
static bool is_inside(const Sides *s)
{
    SentenceWord both;
    char exact[2 * SENTENCE_WORD_BYTES], folded[2 * SENTENCE_WORD_BYTES];

    if (!s->abbreviated) return false;
    sentence_read_word(&both, s->place->text, s->begin, s->end);
    snprintf(exact, sizeof exact, "%s.%s", both.exact, s->word.exact);
    snprintf(folded, sizeof folded, "%s.%s", both.folded, s->word.folded);
    return (abbreviations_find(s->place->words, exact, folded) & ABOUT_STOPS) != 0;
}

/* Of the word with those in front of it ("z. B.", the longest first), of
 * itself, and of its part after an apostrophe or a hyphen ("l'art. 5"). */
static unsigned word_flags(const Sides *s)
{
    size_t begins[MAX_CHAIN] = { s->begin }, count = 1;
    unsigned flags = 0;

    while (count < MAX_CHAIN) {
        size_t begin = chain_begin(s, begins[count - 1]);
        if (begin == begins[count - 1]) break;
        begins[count++] = begin;
    }
    while (!flags && count) flags = flags_from(s, begins[--count]);
    for (size_t at = s->end; !flags && at > s->begin;) {
        size_t part = at;
        uint32_t c = sentence_before(s->place->text, s->begin, &at);
        if (c == '-' || c == '\'' || c == 0x2019) return flags_from(s, part);
    }
    return flags;
}

/* One letter, but of no script whose words may be that short. */
static bool is_initial(const char *word)
{
    size_t at = 0;
    uint32_t c = sentence_next(word, strlen(word), &at);

    return sentence_word_letters(word) == 1 && !u_hasBinaryProperty((UChar32)c, UCHAR_IDEOGRAPHIC) &&
           u_getIntPropertyValue((UChar32)c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_NOT_APPLICABLE;
}

/* "than I. Peter" ends, "by I. Newton" does not. */
static bool initial_ends(const Sides *s, const SentenceWord *word)
{
    SentenceWord previous;
    unsigned flags;

    if (sides_word_is_first(s) || s->next == NEXT_DIGIT || s->next == NEXT_SYMBOL) return false;
    sides_read_previous(s, &previous);
    flags = sides_find(s, &previous);
    if (flags & WORD_BEFORE_LETTER || (flags & WORD_BEFORE_PRONOUN && strcmp(word->exact, "I") == 0)) return true;
    return sides_next_is_first(s);
}

/* The number that a word ends with: "5" of "5", "4./5" and "4-5". */
static const char *number_in(const char *word)
{
    const char *slash = strrchr(word, '/'), *hyphen = strrchr(word, '-');
    const char *number = slash ? slash + 1 : hyphen ? hyphen + 1 : word;

    return *number && strspn(number, "0123456789") == strlen(number) ? number : NULL;
}

/* An ordinal number with a full stop, or the last word of its sentence. */
static bool number_ends(const Sides *s, const char *number)
{
    size_t digits = strlen(number);
    long value = 0;
    SentenceWord previous;
    unsigned flags;

    if (digits < 4 && sides_word_is_first(s)) return false;
    if (digits < 3 && sides_find(s, &s->word) & WORD_DATED) return false;
    if (!abbreviations_dot_ordinals(s->place->words) || digits > 3) return true;
    for (size_t i = 0; i < digits; i++) value = value * 10 + (number[i] - '0');
    if (s->next == NEXT_DIGIT) return value > MAX_DAY;
    if (sides_find(s, &s->word) & WORD_DATED) return false;
    if (sides_next_is_first(s)) return true;
    sides_read_previous(s, &previous);
    flags = sides_find(s, &previous);
    if (flags & WORD_BEFORE_ORDINAL) return false;
    if (flags & WORD_BEFORE_COUNT || strchr(previous.folded, '.')) return true;
    return value > MAX_DAY;
}

/* "vol. IV", "No. B". What only a number makes an abbreviation is a word of
 * its own otherwise: "The answer is no. I left." After "p.m." a word that
 * sentences begin with may go on, after "etc." it does not: "At 5 p.m. I left." */
static bool abbreviation_ends(const Sides *s, const SentenceWord *word, unsigned flags)
{
    unsigned next = sides_find(s, &s->word);
    bool numeral = is_roman(s->word.exact) || strlen(s->word.exact) == 1;

    if (flags & WORD_NEVER || s->next == NEXT_DIGIT || s->next == NEXT_SYMBOL || s->next == NEXT_NAME) return false;
    if (flags & WORD_CAPITAL) return !(next & WORD_AFTER_TIME) || (next & WORD_FIRST && !is_acronym(word->exact));
    if (flags & WORD_NUMBER && !(flags & WORD_STARTER)) return !numeral || sides_next_is_first(s);
    return !(flags & WORD_NUMBER && numeral) && sides_next_is_first(s);
}

/* A lone full stop is one after a space ("the end ."), or a part of ". . .". */
static bool lone_stop_ends(const Sides *s)
{
    size_t at = s->end;

    sentence_before(s->place->text, s->place->begin, &at);
    return sentence_before(s->place->text, s->place->begin, &at) != '.' || sides_next_is_first(s);
}

static bool stop_ends(const Sides *s)
{
    SentenceWord word;
    const char *number;
    unsigned flags;

    if (s->begin == s->end) {
        size_t at = s->end;
        return !sentence_is_space(sentence_before(s->place->text, s->place->begin, &at)) || lone_stop_ends(s);
    }
    sentence_read_word(&word, s->place->text, s->begin, s->end);
    number = number_in(word.exact);
    if (number) return number_ends(s, number);
    if (is_inside(s)) return false;
    flags = word_flags(s);
    if (flags && !(flags == WORD_NUMBER && sentence_word_letters(word.exact) == 1))
        return abbreviation_ends(s, &word, flags);
    if (is_initial(word.exact)) return initial_ends(s, &word);
    if (is_roman(word.exact) && (sides_word_is_first(s) || abbreviations_dot_ordinals(s->place->words)))
        return sides_next_is_first(s) && !sides_word_is_first(s);
    if (is_acronym(word.exact) || lacks_vowel(s->place->words, word.exact)) return sides_next_is_first(s);
    return true;
}

/* With a space before it an ellipsis may stand for words that are left out. */
static bool ellipsis_ends(const Sides *s)
{
    size_t at = s->end;

    if (s->next == NEXT_DIGIT) return false;
    if (!sentence_is_space(sentence_before(s->place->text, s->place->begin, &at))) return true;
    return s->next == NEXT_LETTER || sides_next_is_first(s);
}

/* Without white space between: the marks of Chinese and its neighbours, where
 * no quotation goes on with 'to' in Japanese. */
static bool full_mark_ends(const Sides *s)
{
    const SentencePlace *p = s->place;
    size_t at = p->left, next = p->right, mark = sides_skip_closers(p);
    uint32_t before = sentence_before(p->text, p->begin, &at), after = sentence_next(p->text, p->len, &next);

    if (sides_open_at(p, at, before)) return false;
    if ((before == 0x300d || before == 0x300f) && (after == 0x3068 || after == 0x3063)) return false;
    if (s->mark) return sentence_is_dense(sides_after_openers(p));
    return u_hasBinaryProperty((UChar32)sentence_before(p->text, p->begin, &mark), UCHAR_S_TERM);
}

bool sentence_ends_at(const SentencePlace *place)
{
    Sides s = { .place = place };

    sides_read_before(&s);
    if (place->left == place->right) return place->found && full_mark_ends(&s);
    if (!s.mark && !place->found) return false;
    sides_read_after(&s);
    if (s.next == NEXT_NOTHING || s.next == NEXT_LOWER) return false;
    if (!s.mark) return true;
    if (sides_are_bracketed(&s)) return false;
    if (s.strong) return !(s.next == NEXT_UPPER && sides_find(&s, &s.word) & WORD_COMPANY);
    return s.dots ? ellipsis_ends(&s) : stop_ends(&s);
}
