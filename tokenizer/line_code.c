/* line_code.c - see line_code.h. */
#include "line_code.h"

#include <ctype.h>
#include <string.h>

/* The length of the >>xxx<< that the text begins with, or 0. As in transformers, any characters may stand in it. */
static size_t code_length(const char *text, size_t len)
{
    if (len < 4 || memcmp(text, ">>", 2) != 0) return 0;
    for (size_t i = 2; i + 2 <= len; i++)
        if (text[i] == '<' && text[i + 1] == '<') return i + 2;
    return 0;
}

/* Buffer for the name of a code's language. A longer name is truncated and matches no language. */
typedef struct {
    char text[64];
} CodeName;

static CodeName code_name(const char *text, size_t len)
{
    CodeName name = { "" };

    memcpy(name.text, text, len < sizeof name.text ? len : sizeof name.text - 1);
    return name;
}

/* The id of a code's language: of the code's own token, or of the language that it names differently (>>ger<< where
 * the model has >>deu<<); -1: none. */
static int32_t find_code(const Tokenizer *tokenizer, const char *text, size_t len)
{
    const VocabEntry *entry = vocab_find(tokenizer->source, text, len);
    const Language *language = entry ? NULL : template_known_language(tokenizer, code_name(text, len).text);

    return entry ? entry->id : language ? language->id : -1;
}

/* True if >>xxx<< has the form of a language code: two or three letters, optionally with a script or a region. */
static bool looks_like_language(const char *text, size_t len)
{
    size_t letters = 0;

    text += 2;
    len -= 4;
    while (letters < len && isalpha((unsigned char)text[letters])) letters++;
    if (letters < 2 || letters > 3) return false;
    for (size_t i = letters; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-') return false;
    return letters == len || ((text[letters] == '_' || text[letters] == '-') && letters + 1 < len);
}

size_t line_code_length(const Tokenizer *tokenizer, const char *text, size_t len)
{
    size_t code = tokenizer->leading_code ? code_length(text, len) : 0;

    if (!code || tokenizer->before.len == 0 || find_code(tokenizer, text, code) >= 0) return code;
    return looks_like_language(text, code) ? code : 0;
}

Status line_code_append(const Tokenizer *tokenizer, const char *text, size_t len, IdList *ids, Err *err)
{
    const int32_t id = find_code(tokenizer, text, len);
    const Language *named;
    Status st;

    if (id >= 0) return ids_append(ids, id, err);
    st = template_find_language(tokenizer, "the line's code", code_name(text, len).text, &named, err);
    return st == OK ? ids_append(ids, named->id, err) : st;
}
