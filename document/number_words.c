/* number_words.c - see number_scan.h: number_scan_words().
 *
 * A number is a chain of words, with or without spaces and hyphens between them: vierundsiebzig, seventy-four, two
 * hundred and five. Its value grows with each word: tens and units are added, hundred and thousand multiply what is
 * before them. Two words of tens are a year: nineteen seventy. An ordinal ends a chain: twenty-first. Months and words
 * such as half, both and noon are in no chain. */
#include <string.h>

#include "number_scan.h"

#define MOST_VALUE 1000000000

typedef enum { WORD_UNIT, WORD_TENS, WORD_FACTOR, WORD_ORDINAL, WORD_AND, WORD_ALONE, WORD_MONTH } WordKind;

typedef struct {
    const char *word;
    WordKind kind;
    unsigned value;
} NumberWord;

/* A word comes before those that it begins with. The lists end with NULL. */
static const NumberWord german[] = {
    { "dreizehn", WORD_UNIT, 13 },
    { "vierzehn", WORD_UNIT, 14 },
    { "fünfzehn", WORD_UNIT, 15 },
    { "sechzehn", WORD_UNIT, 16 },
    { "siebzehn", WORD_UNIT, 17 },
    { "achtzehn", WORD_UNIT, 18 },
    { "neunzehn", WORD_UNIT, 19 },
    { "zwanzig", WORD_TENS, 20 },
    { "dreißig", WORD_TENS, 30 },
    { "dreissig", WORD_TENS, 30 },
    { "vierzig", WORD_TENS, 40 },
    { "fünfzig", WORD_TENS, 50 },
    { "sechzig", WORD_TENS, 60 },
    { "siebzig", WORD_TENS, 70 },
    { "achtzig", WORD_TENS, 80 },
    { "neunzig", WORD_TENS, 90 },
    { "erst", WORD_ORDINAL, 1 },
    { "dritt", WORD_ORDINAL, 3 },
    { "siebt", WORD_ORDINAL, 7 },
    { "eins", WORD_UNIT, 1 },
    { "eine", WORD_UNIT, 1 },
    { "ein", WORD_UNIT, 1 },
    { "zwei", WORD_UNIT, 2 },
    { "drei", WORD_UNIT, 3 },
    { "viertel", WORD_ALONE, 15 },
    { "vier", WORD_UNIT, 4 },
    { "fünf", WORD_UNIT, 5 },
    { "sechs", WORD_UNIT, 6 },
    { "sieben", WORD_UNIT, 7 },
    { "acht", WORD_UNIT, 8 },
    { "neun", WORD_UNIT, 9 },
    { "zehn", WORD_UNIT, 10 },
    { "elf", WORD_UNIT, 11 },
    { "zwölf", WORD_UNIT, 12 },
    { "hundert", WORD_FACTOR, 100 },
    { "tausend", WORD_FACTOR, 1000 },
    { "million", WORD_FACTOR, 1000000 },
    { "und", WORD_AND, 0 },
    { "halb", WORD_ALONE, 30 },
    { "januar", WORD_MONTH, 1 },
    { "februar", WORD_MONTH, 2 },
    { "märz", WORD_MONTH, 3 },
    { "april", WORD_MONTH, 4 },
    { "mai", WORD_MONTH, 5 },
    { "juni", WORD_MONTH, 6 },
    { "juli", WORD_MONTH, 7 },
    { "august", WORD_MONTH, 8 },
    { "september", WORD_MONTH, 9 },
    { "oktober", WORD_MONTH, 10 },
    { "november", WORD_MONTH, 11 },
    { "dezember", WORD_MONTH, 12 },
    { "beide", WORD_ALONE, 2 },
    { "doppel", WORD_ALONE, 2 },
    { "paar", WORD_ALONE, 2 },
    { "mittag", WORD_ALONE, 12 },
    { "mitternacht", WORD_ALONE, 12 },
    { "dutzend", WORD_ALONE, 12 },
    { NULL, WORD_AND, 0 },
};

static const NumberWord english[] = {
    { "thirteen", WORD_UNIT, 13 },   { "fourteen", WORD_UNIT, 14 },     { "fifteen", WORD_UNIT, 15 },
    { "sixteen", WORD_UNIT, 16 },    { "seventeen", WORD_UNIT, 17 },    { "eighteen", WORD_UNIT, 18 },
    { "nineteen", WORD_UNIT, 19 },   { "twenty", WORD_TENS, 20 },       { "thirty", WORD_TENS, 30 },
    { "forty", WORD_TENS, 40 },      { "fifty", WORD_TENS, 50 },        { "sixty", WORD_TENS, 60 },
    { "seventy", WORD_TENS, 70 },    { "eighty", WORD_TENS, 80 },       { "ninety", WORD_TENS, 90 },
    { "one", WORD_UNIT, 1 },         { "two", WORD_UNIT, 2 },           { "three", WORD_UNIT, 3 },
    { "four", WORD_UNIT, 4 },        { "five", WORD_UNIT, 5 },          { "six", WORD_UNIT, 6 },
    { "seven", WORD_UNIT, 7 },       { "eight", WORD_UNIT, 8 },         { "nine", WORD_UNIT, 9 },
    { "ten", WORD_UNIT, 10 },        { "eleven", WORD_UNIT, 11 },       { "twelve", WORD_UNIT, 12 },
    { "hundred", WORD_FACTOR, 100 }, { "thousand", WORD_FACTOR, 1000 }, { "million", WORD_FACTOR, 1000000 },
    { "and", WORD_AND, 0 },          { "half", WORD_ALONE, 30 },        { "quarter", WORD_ALONE, 15 },
    { "january", WORD_MONTH, 1 },    { "february", WORD_MONTH, 2 },     { "march", WORD_MONTH, 3 },
    { "april", WORD_MONTH, 4 },      { "may", WORD_MONTH, 5 },          { "june", WORD_MONTH, 6 },
    { "july", WORD_MONTH, 7 },       { "august", WORD_MONTH, 8 },       { "september", WORD_MONTH, 9 },
    { "october", WORD_MONTH, 10 },   { "november", WORD_MONTH, 11 },    { "december", WORD_MONTH, 12 },
    { "both", WORD_ALONE, 2 },       { "double", WORD_ALONE, 2 },       { "twice", WORD_ALONE, 2 },
    { "pair", WORD_ALONE, 2 },       { "couple", WORD_ALONE, 2 },       { "noon", WORD_ALONE, 12 },
    { "midnight", WORD_ALONE, 12 },  { "midday", WORD_ALONE, 12 },      { "dozen", WORD_ALONE, 12 },
    { "first", WORD_ORDINAL, 1 },    { "second", WORD_ORDINAL, 2 },     { "third", WORD_ORDINAL, 3 },
    { "fifth", WORD_ORDINAL, 5 },    { "ninth", WORD_ORDINAL, 9 },      { "twelfth", WORD_ORDINAL, 12 },
    { NULL, WORD_AND, 0 },
};

static bool is_letter(const char *text, size_t length, size_t at)
{
    const unsigned char c = at < length ? (unsigned char)text[at] : ' ';

    return c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* The word of the list that begins at byte `at`, in any case of ASCII; NULL: none. *end: where it ends. */
static const NumberWord *word_at(const NumberWord *words, const char *text, size_t length, size_t at, size_t *end)
{
    for (; words->word; words++) {
        const char *word = words->word;
        size_t k = 0;
        while (word[k] && at + k < length &&
               (text[at + k] == word[k] || (word[k] > 0 && text[at + k] == (word[k] & ~0x20))))
            k++;
        *end = at + k;
        if (!word[k]) return words;
    }
    return NULL;
}

/* The value of the words so far: `sum` of finished thousands, and what is being added to. */
typedef struct {
    unsigned long long sum, part;
    WordKind last;
} ChainValue;

static void add_word(ChainValue *chain, const NumberWord *word)
{
    const bool is_year = word->kind == WORD_TENS && chain->part > 10 && chain->part <= 20 && chain->last != WORD_AND;

    if (word->kind == WORD_FACTOR && word->value == 100) {
        chain->part = (chain->part ? chain->part : 1) * 100;
    } else if (word->kind == WORD_FACTOR) {
        chain->sum += (chain->part ? chain->part : 1) * word->value;
        chain->part = 0;
    } else if (word->kind != WORD_AND) {
        chain->part = (is_year ? chain->part * 100 : chain->part) + word->value;
    }
    chain->last = word->kind;
}

static Status add_value(NumberList *list, unsigned long long value, Range place, Err *err)
{
    Number number = { .value = list->values.len, .place = place };
    Status st = buf_grow_list(&list->items, &list->capacity, list->count, 1, sizeof *list->items, "the numbers", err);

    if (st == OK) st = buf_append_format(&list->values, err, "%llu", value);
    if (st != OK) return st;
    number.length = list->values.len - number.value;
    list->items[list->count++] = number;
    return OK;
}

/* Reads the chain that begins at byte *at, and moves it there where the chain ends. */
static Status read_chain(NumberList *list, const NumberWord *words, const char *text, size_t length, size_t *at,
                         Err *err)
{
    const size_t begin = *at;
    ChainValue chain = { 0 };
    size_t next, end;
    const NumberWord *word = word_at(words, text, length, begin, &end);

    while (word && word->kind < WORD_ALONE && chain.sum + chain.part < MOST_VALUE) {
        add_word(&chain, word);
        if (word->kind != WORD_AND) *at = end;
        if (word->kind == WORD_ORDINAL) break;
        for (next = end; next < length && (text[next] == ' ' || text[next] == '-');) next++;
        word = word_at(words, text, length, next, &end);
    }
    return add_value(list, chain.sum + chain.part, (Range){ begin, *at }, err);
}

static Status scan_language(NumberList *list, const NumberWord *words, const char *text, size_t length, Err *err)
{
    Status st = OK;

    for (size_t at = 0, end; st == OK && at < length;) {
        const NumberWord *word = word_at(words, text, length, at, &end);
        if (word && word->kind >= WORD_ALONE) {
            st = add_value(list, word->value, (Range){ at, end }, err);
            if (st == OK) list->items[list->count - 1].is_month = word->kind == WORD_MONTH;
            if (st == OK && word->value == 15) st = add_value(list, 45, (Range){ at, end }, err);
            if (st == OK && word->value == 15) st = add_value(list, 4, (Range){ at, end }, err);
            if (st == OK && word->value == 30) st = add_value(list, 2, (Range){ at, end }, err);
        } else if (word && word->kind != WORD_AND) {
            st = read_chain(list, words, text, length, &at, err);
        }
        while (is_letter(text, length, at)) at++;
        while (at < length && !is_letter(text, length, at)) at++;
    }
    return st;
}

Status number_scan_words(NumberList *list, const char *text, size_t length, Err *err)
{
    Status st;

    buf_reuse(&list->values);
    list->count = 0;
    st = scan_language(list, german, text, length, err);
    return st == OK ? scan_language(list, english, text, length, err) : st;
}
