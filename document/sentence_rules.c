/* sentence_rules.c - see sentence_text.h.
 * Before the white space come a word, a mark, and possibly closing quotes, brackets and emoji; after it comes the
 * next word. A sentence never begins with a lower-case letter. Otherwise ! and ? end a sentence. A full stop ends one
 * unless the word before it is an abbreviation, an initial or an ordinal number. Many of those can end a sentence,
 * too; they do if the next word is one that sentences often begin with. */
#include "sentence_text.h"

#include <stdio.h>
#include <string.h>
#include <unicode/uchar.h>

#include "sentence_context.h"
#include "utf8.h"

#define MAX_CHAIN 4 /* words of an abbreviation: "a. d. S." */
#define MAX_DAY   31

/* The flags of abbreviations. */
#define ABOUT_STOPS (WORD_NEVER | WORD_NUMBER | WORD_STARTER | WORD_CAPITAL)

static bool is_roman(const char *word)
{
    return strlen(word) > 1 && strspn(word, "IVX") == strlen(word);
}

/* True for "U.S", "z.B", "Ph.D", "J.-J": groups of one or two letters. */
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

/* True for "vgl", "Mrd": in most languages every word has a vowel. */
static bool lacks_vowel(const Abbreviations *words, const char *word)
{
    if (abbreviations_may_lack_vowels(words)) return false;
    if (strlen(word) < 2 || strspn(word + 1, "bcdfghjklmnpqrstvwxz") != strlen(word) - 1) return false;
    return strchr("bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ", word[0]) != NULL;
}

/* Returns the flags of the last words from `begin`, without their spaces. A word in capitals ("ID", "CO") can be an
 * ordinary word, so only WORD_NEVER and WORD_NUMBER count for it. For a single letter only WORD_NUMBER counts if the
 * language is unknown, because the letter is a title in some language: French "M.". */
static unsigned flags_from(const SentenceContext *s, size_t begin)
{
    SentenceWord word;
    unsigned flags;

    sentence_read_word(&word, s->position->text, begin, s->end);
    if (!*word.exact) return 0;
    flags = context_word_flags(s, &word) & ABOUT_STOPS;
    if (abbreviations_are_multilingual(s->position->words) && sentence_word_letters(word.exact) == 1)
        return flags & WORD_NUMBER;
    return sentence_word_is_capitals(word.exact) ? flags & (WORD_NEVER | WORD_NUMBER) : flags;
}

/* Returns the start of the short word with a full stop before `begin`, or `begin` if there is none. */
static size_t chain_begin(const SentenceContext *s, size_t begin)
{
    const SentencePosition *p = s->position;
    size_t at = begin, start;

    if (!utf8_is_space(sentence_before(p->text, p->begin, &at))) return begin;
    if (sentence_before(p->text, p->begin, &at) != '.') return begin;
    start = context_word_begin(p, at);
    return start < at && at - start <= 12 ? start : begin;
}

/* True if the full stop is inside an abbreviation: "EE. UU.", "S. A.". */
static bool is_inside(const SentenceContext *s)
{
    SentenceWord both;
    char exact[2 * SENTENCE_WORD_BYTES], folded[2 * SENTENCE_WORD_BYTES];

    if (!s->abbreviated) return false;
    sentence_read_word(&both, s->position->text, s->begin, s->end);
    snprintf(exact, sizeof exact, "%s.%s", both.exact, s->word.exact);
    snprintf(folded, sizeof folded, "%s.%s", both.folded, s->word.folded);
    return (abbreviations_find(s->position->words, exact, folded) & ABOUT_STOPS) != 0;
}

/* Returns the flags of the word together with those before it ("z. B.", the longest first), of the word itself, and
 * of its part after an apostrophe or a hyphen ("l'art. 5"). */
static unsigned word_flags(const SentenceContext *s)
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
        uint32_t c = sentence_before(s->position->text, s->begin, &at);
        if (c == '-' || c == '\'' || c == 0x2019) return flags_from(s, part);
    }
    return flags;
}

/* True for one letter, unless words of its script can be that short. */
static bool is_initial(const char *word)
{
    size_t at = 0;
    uint32_t c = sentence_next(word, strlen(word), &at);

    return sentence_word_letters(word) == 1 && !u_hasBinaryProperty((UChar32)c, UCHAR_IDEOGRAPHIC) &&
           u_getIntPropertyValue((UChar32)c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_NOT_APPLICABLE;
}

/* "than I. Peter" ends a sentence, "by I. Newton" does not. */
static bool initial_ends(const SentenceContext *s, const SentenceWord *word)
{
    SentenceWord previous;
    unsigned flags;

    if (context_word_is_first(s) || s->next == NEXT_DIGIT || s->next == NEXT_SYMBOL) return false;
    context_read_previous(s, &previous);
    flags = context_word_flags(s, &previous);
    if (flags & WORD_BEFORE_LETTER || (flags & WORD_BEFORE_PRONOUN && strcmp(word->exact, "I") == 0)) return true;
    return context_next_is_first(s);
}

/* Returns the number that a word ends with: "5" of "5", "4./5" and "4-5". */
static const char *number_in(const char *word)
{
    const char *slash = strrchr(word, '/'), *hyphen = strrchr(word, '-');
    const char *number = slash ? slash + 1 : hyphen ? hyphen + 1 : word;

    return *number && strspn(number, "0123456789") == strlen(number) ? number : NULL;
}

/* Decides whether a number ends its sentence or is an ordinal number with a full stop. */
static bool number_ends(const SentenceContext *s, const char *number)
{
    size_t digits = strlen(number);
    long value = 0;
    SentenceWord previous;
    unsigned flags;

    if (digits < 4 && context_word_is_first(s)) return false;
    if (digits < 3 && context_word_flags(s, &s->word) & WORD_DATED) return false;
    if (!abbreviations_have_dotted_ordinals(s->position->words) || digits > 3) return true;
    for (size_t i = 0; i < digits; i++) value = value * 10 + (number[i] - '0');
    if (s->next == NEXT_DIGIT) return value > MAX_DAY;
    if (context_word_flags(s, &s->word) & WORD_DATED) return false;
    if (context_next_is_first(s)) return true;
    context_read_previous(s, &previous);
    flags = context_word_flags(s, &previous);
    if (flags & WORD_BEFORE_ORDINAL) return false;
    if (flags & WORD_BEFORE_COUNT || strchr(previous.folded, '.')) return true;
    return value > MAX_DAY;
}

/* "vol. IV", "No. B". A word that is an abbreviation only before a number is an ordinary word otherwise: "The answer
 * is no. I left." After "p.m." the sentence may continue with a word that sentences often begin with; after "etc." it
 * does not: "At 5 p.m. I left." */
static bool abbreviation_ends(const SentenceContext *s, const SentenceWord *word, unsigned flags)
{
    unsigned next = context_word_flags(s, &s->word);
    bool numeral = is_roman(s->word.exact) || strlen(s->word.exact) == 1;

    if (flags & WORD_NEVER || s->next == NEXT_DIGIT || s->next == NEXT_SYMBOL || s->next == NEXT_NAME) return false;
    if (flags & WORD_CAPITAL) return !(next & WORD_AFTER_TIME) || (next & WORD_FIRST && !is_acronym(word->exact));
    if (flags & WORD_NUMBER && !(flags & WORD_STARTER)) return !numeral || context_next_is_first(s);
    return !(flags & WORD_NUMBER && numeral) && context_next_is_first(s);
}

/* A full stop after a space ends a sentence ("the end ."). One of ". . ." ends it only before a word that sentences
 * often begin with. */
static bool lone_stop_ends(const SentenceContext *s)
{
    size_t at = s->end;

    sentence_before(s->position->text, s->position->begin, &at);
    return sentence_before(s->position->text, s->position->begin, &at) != '.' || context_next_is_first(s);
}

static bool stop_ends(const SentenceContext *s)
{
    SentenceWord word;
    const char *number;
    unsigned flags;

    if (s->begin == s->end) {
        size_t at = s->end;
        return !utf8_is_space(sentence_before(s->position->text, s->position->begin, &at)) || lone_stop_ends(s);
    }
    sentence_read_word(&word, s->position->text, s->begin, s->end);
    number = number_in(word.exact);
    if (number) return number_ends(s, number);
    if (is_inside(s)) return false;
    flags = word_flags(s);
    if (flags && !(flags == WORD_NUMBER && sentence_word_letters(word.exact) == 1))
        return abbreviation_ends(s, &word, flags);
    if (is_initial(word.exact)) return initial_ends(s, &word);
    if (is_roman(word.exact) && (context_word_is_first(s) || abbreviations_have_dotted_ordinals(s->position->words)))
        return context_next_is_first(s) && !context_word_is_first(s);
    if (is_acronym(word.exact) || lacks_vowel(s->position->words, word.exact)) return context_next_is_first(s);
    return true;
}

/* An ellipsis after a space may stand for omitted words. */
static bool ellipsis_ends(const SentenceContext *s)
{
    size_t at = s->end;

    if (s->next == NEXT_DIGIT) return false;
    if (!utf8_is_space(sentence_before(s->position->text, s->position->begin, &at))) return true;
    return s->next == NEXT_LETTER || context_next_is_first(s);
}

/* The marks of Chinese and related scripts end a sentence without white space, unless Japanese continues after a
 * quotation with 'to'. */
static bool full_mark_ends(const SentenceContext *s)
{
    const SentencePosition *p = s->position;
    size_t at = p->left, next = p->right, mark = context_skip_closers(p);
    uint32_t before = sentence_before(p->text, p->begin, &at), after = sentence_next(p->text, p->len, &next);

    if (context_open_at(p, at, before)) return false;
    if ((before == 0x300d || before == 0x300f) && (after == 0x3068 || after == 0x3063)) return false;
    if (s->mark) return sentence_is_dense(context_after_openers(p));
    return u_hasBinaryProperty((UChar32)sentence_before(p->text, p->begin, &mark), UCHAR_S_TERM);
}

bool sentence_ends_at(const SentencePosition *position)
{
    SentenceContext s = { .position = position };

    context_read_before(&s);
    if (position->left == position->right) return position->found && full_mark_ends(&s);
    if (!s.mark && !position->found) return false;
    context_read_after(&s);
    if (s.next == NEXT_NOTHING || s.next == NEXT_LOWER) return false;
    if (!s.mark) return true;
    if (context_are_bracketed(&s)) return false;
    if (s.strong) return !(s.next == NEXT_UPPER && context_word_flags(&s, &s.word) & WORD_COMPANY);
    return s.dots ? ellipsis_ends(&s) : stop_ends(&s);
}
