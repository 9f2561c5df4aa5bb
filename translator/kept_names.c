/* kept_names.c - see kept_names.h.
 *
 * Measured on sentences of seven held-out sets (community texts, encyclopedia, everyday sentences, speeches, technical
 * texts, FLORES, Tatoeba) of which 1, 2 or 3 words, names and terms, are the same in the translation by people: 260,
 * 260 and 183 of them for the embedded model, 260, 260 and 189 for a German-English model of the same size. Stand-ins
 * took the place of these words. The figures are the percentages of sentences in which each stand-in came out exactly
 * once, and the chrF of what is around them (-b 1; the embedded model, then the other one):
 *
 *     X1 X2 X3         95 83 65, 42.6 40.8 40.3      94 80 65, 46.7 45.8 45.5
 *     A1 B2 C3         95 84 68, 42.7 40.6 40.2      91 78 70, 46.9 45.9 45.3
 *     8731 8842 8953   96 83 69, 42.5 40.5 39.9      97 22 18, 46.3 43.5 42.8
 *     ZQ7 ZQ8 ZQ9      97 77 55, 42.3 40.7 39.4      91 69 51, 46.6 44.9 44.0
 *     XA XB XC         94 82 64, 42.7 40.8 39.7      94 73 66, 46.7 45.4 45.2
 *     %1 %2 %3         95 78 57, 42.7 40.3 39.6      94 84 67, 47.0 45.7 45.5
 *     [1] [2] [3]      83 54 37, 42.2 39.9 38.7      97 80 65, 46.3 45.4 45.4
 *     {0} {1} {2}       0  0  0, 39.6 36.4 34.5      97 76 61, 46.6 44.9 44.1
 *     __1__ ...         0  0  0, 40.7 35.9 34.7      47  4  1, 44.7 41.4 39.4
 *     Karvenio ...     89 23 15, 42.4 40.3 38.6      76 40 44, 46.3 44.9 44.8 (made-up names)
 *     www.x1.com ...   54 12  3, 41.5 38.6 36.0      97 79 59, 46.4 44.4 42.5
 *     the words        69 41 25, 42.8 40.0 38.8      79 58 35, 46.2 45.2 45.0
 *
 * With -b 4, X1 has 98 90 78 and 97 84 67.
 *
 * Stand-ins for numbers: 600 messages of programs with placeholders of numbers, 49 of them with two. The figures are
 * the percentages of messages with one and with two, the number of translations in which a hyphen joins a stand-in to a
 * word, and the chrF (-b 1; the embedded models en-de, then de-en):
 *
 *     X1 X2            97 100, 122, 49.6      96 92, 10, 46.6
 *     12 15            97  98,  20, 50.8      94 96,  1, 47.0
 *     23 45            97  98,  19, 50.4      96 98,  1, 47.0
 *     37 48            97 100,  37, 50.5      97 98,  2, 46.9
 *     5 7              95  98,  19, 51.2      95 98,  1, 47.0
 *     347 358          97  98,  33, 50.2      96 98,  1, 46.6
 *     8731 8842        97  84,  50, 49.5      95 69,  1, 46.3 */
#include "kept_names.h"

#include <string.h>

/* The best kind first. */
static const char *const kinds[][10] = {
    { "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", NULL },
    { "A1", "B2", "C3", "D4", "E5", "F6", "G7", "H8", "J9", NULL },
    { "8731", "8842", "8953", "9064", "9175", "9286", "9397", "9518", "9629", NULL },
};

/* They have several digits, since models write small numbers as words, and are plural in all languages. */
static const char *const numbers[] = { "23", "45", "67", "18", "34", "56", "78", "89", "26", NULL };

/* Encodes the name as a source text. If the model needs a line to begin with a language code, adds any. */
static Status encode_source(const Tokenizer *tokenizer, const char *name, Encoding *out, Err *err)
{
    Status st = tokenizer_encode(tokenizer, name, strlen(name), out, err);
    Buf text = { 0 };

    if (st != ERR_USAGE || !tokenizer_language_count(tokenizer)) return st;
    st = buf_append_format(&text, err, ">>%s<< %s", tokenizer_language(tokenizer, 0), name);
    if (st == OK) st = tokenizer_encode(tokenizer, text.data, text.len, out, err);
    buf_free(&text);
    return st;
}

static Status check_source(const Tokenizer *tokenizer, const char *name, bool *known, Err *err)
{
    Encoding encoding = { .ranges = NULL };
    Status st = encode_source(tokenizer, name, &encoding, err);

    *known = st == OK && encoding.pieces > 0;
    for (size_t i = 0; *known && i < encoding.pieces; i++)
        *known = encoding.ids.data[encoding.body + i] != tokenizer_source_unknown(tokenizer);
    encoding_free(&encoding);
    return st;
}

static Status check_target(const Tokenizer *tokenizer, const char *name, bool *known, Err *err)
{
    IdList ids = { 0 };
    Buf text = { 0 };
    Status st = tokenizer_encode_target(tokenizer, name, strlen(name), false, &ids, err);

    if (st == OK) st = tokenizer_decode(tokenizer, ids.data, ids.len, &text, NULL, err);
    *known = st == OK && text.data && !strcmp(text.data, name);
    ids_free(&ids);
    buf_free(&text);
    return st;
}

static Status check_kind(const Tokenizer *tokenizer, KeptNames names, bool *known, Err *err)
{
    Status st = OK;

    *known = true;
    for (; st == OK && *known && *names; names++) {
        st = check_source(tokenizer, *names, known, err);
        if (st == OK && *known) st = check_target(tokenizer, *names, known, err);
    }
    return st;
}

/* A tokenizer that cannot encode text at all knows no name. */
Status kept_names_choose(KeptNames *out, const Tokenizer *tokenizer, Err *err)
{
    Status st = OK;

    *out = NULL;
    for (size_t i = 0; st == OK && !*out && i < sizeof kinds / sizeof *kinds; i++) {
        bool known;
        st = check_kind(tokenizer, kinds[i], &known, err);
        if (st == OK && known) *out = kinds[i];
    }
    return st == ERR_MEMORY ? st : OK;
}

Status kept_names_choose_numbers(KeptNames *out, const Tokenizer *tokenizer, Err *err)
{
    bool known;
    Status st = check_kind(tokenizer, numbers, &known, err);

    *out = st == OK && known ? numbers : NULL;
    return st == ERR_MEMORY ? st : OK;
}
