/* template_support.h - folders with a tokenizer of a family, and checks of their texts and languages. */
#ifndef DRAGOMAN_TEMPLATE_SUPPORT_H
#define DRAGOMAN_TEMPLATE_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "model_support.h"
#include "test_support.h"
#include "tokenizer.h"

#define MODELS GOLDEN_ROOT "/family_tokenizers/"

/* SentencePiece's ids of "the" and "house" in the models. */
enum { FAIRSEQ_PIECES = 238, THE = 91, HOUSE = 148 };

/* Ids of mBART's languages after the pieces. */
enum { MB_DE = FAIRSEQ_PIECES + 1 + 2, MB_EN = MB_DE + 1, MB_FR = MB_DE + 5, MB_RO = MB_DE + 17 };

/* Copies the model `from`/name into the folder as `as`. */
static inline void copy_model(const char *folder, const char *from, const char *name, const char *as)
{
    FREED char *path = support_format("%s%s/%s", MODELS, from, name);

    support_copy_file(path, folder, as);
}

static inline void write_text(const char *folder, const char *name, const char *text)
{
    free(support_write_text(folder, name, text));
}

/* Writes a JSON file; the text has ' in place of ". */
static inline void write_json(const char *folder, const char *name, const char *text)
{
    FREED char *json = support_quoted(support_format("%s", text));

    write_text(folder, name, json);
}

static inline Tokenizer *open_with(const char *folder, const char *type, const char *from, const char *to)
{
    Tokenizer *tokenizer;
    Err err;

    assert_ok(open_tokenizer(&tokenizer, folder, type, from, to, &err), &err);
    return tokenizer;
}

static inline void check_refused(const char *folder, const char *type, const char *from, const char *to, Status status,
                                 const char *message)
{
    Tokenizer *tokenizer;
    Err err;

    assert_fails(open_tokenizer(&tokenizer, folder, type, from, to, &err), status, &err, message);
    assert_null(tokenizer);
}

/* Checks a refusal whose message begins with the folder. */
static inline void check_folder_refused(const char *folder, const char *type, const char *message)
{
    FREED char *whole = support_format("%s%s", folder, message);
    Tokenizer *tokenizer;
    Err err;
    Status st = open_tokenizer(&tokenizer, folder, type, NULL, NULL, &err);

    assert_string_equal(err.text, whole);
    assert_int_not_equal(st, OK);
    assert_null(tokenizer);
}

static inline void check_ids(const Tokenizer *tokenizer, const char *text, const int32_t *ids, size_t count,
                             size_t body)
{
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err err;

    assert_ok(tokenizer_encode(tokenizer, text, strlen(text), &encoding, &err), &err);
    for (size_t i = 0; i < count && i < encoding.ids.len; i++) assert_int_equal(encoding.ids.data[i], ids[i]);
    assert_int_equal(encoding.ids.len, count);
    assert_int_equal(encoding.body, body);
}

#define CHECK_IDS(tokenizer, text, body, ...)                                                                          \
    do {                                                                                                               \
        static const int32_t wanted[] = { __VA_ARGS__ };                                                               \
        check_ids(tokenizer, text, wanted, COUNT(wanted), body);                                                       \
    } while (0)

/* Checks that tokenizer_encode() fails like tokenizer_check_languages(). */
static inline void check_missing(const char *folder, const char *type, const char *from, const char *to,
                                 const char *begins)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(folder, type, from, to);
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err first = { "" }, second = { "" };

    assert_int_equal(tokenizer_check_languages(tokenizer, &first), ERR_USAGE);
    assert_int_equal(tokenizer_encode(tokenizer, "the house", 9, &encoding, &second), ERR_USAGE);
    assert_string_equal(first.text, second.text);
    if (strncmp(first.text, begins, strlen(begins)) != 0) fail_msg("\"%s\"", first.text);
}

static inline void check_decoder(const Tokenizer *tokenizer, int32_t start, int32_t forced)
{
    Err err;

    assert_ok(tokenizer_check_languages(tokenizer, &err), &err);
    assert_int_equal(tokenizer_facts(tokenizer)->decoder_start, start);
    assert_int_equal(tokenizer_facts(tokenizer)->forced_bos, forced);
}

/* The same for a tokenizer that is opened for this. */
static inline void check_opened(const char *folder, const char *type, const char *from, const char *to, int32_t start,
                                int32_t forced)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(folder, type, from, to);

    check_decoder(tokenizer, start, forced);
}

/* Opens a tokenizer and checks the ids of a text. */
#define CHECK_OPENED_IDS(folder, type, from, to, text, body, ...)                                                      \
    do {                                                                                                               \
        Tokenizer *opened = open_with(folder, type, from, to);                                                         \
        CHECK_IDS(opened, text, body, __VA_ARGS__);                                                                    \
        tokenizer_free(opened);                                                                                        \
    } while (0)

#endif
