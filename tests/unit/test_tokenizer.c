/* test_tokenizer.c - languages, special tokens, pieces, long lines and broken folders.
 * tests/golden/test_tokenizer_golden.c compares with transformers. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "template_support.h"

#define OPUS  GOLDEN_ROOT "/tokenizers/opus-mt-fr-en"
#define BYTES GOLDEN_ROOT "/tokenizers/bytes"
#define CODES GOLDEN_ROOT "/tokenizers/codes"

/* Ids of opus-mt-fr-en. */
enum { END = 43311, UNK = 50387, PAD = 53016 };

static Encoding encode(const Tokenizer *tokenizer, const char *text)
{
    Encoding out = { 0 };
    Err err;

    assert_ok(tokenizer_encode(tokenizer, text, strlen(text), &out, &err), &err);
    return out;
}

/* Checks the strings of the ids, each followed by a space, and how many of them come before the text. A text that
 * begins with '|' consists of pieces. */
static void check_line(const Tokenizer *tokenizer, const char *text, size_t body, const char *pieces)
{
    const bool is_pieces = *text == '|';
    FREED_BY(encoding_free) Encoding out = { 0 };
    FREED_BY(buf_free) Buf got = { 0 };
    Err err;

    text += is_pieces;
    assert_ok((is_pieces ? tokenizer_encode_pieces : tokenizer_encode)(tokenizer, text, strlen(text), &out, &err),
              &err);
    for (size_t i = 0; i < out.ids.len; i++)
        buf_put_format(&got, "%s ", tokenizer_source_piece(tokenizer, out.ids.data[i]));
    assert_string_equal(got.data, pieces);
    assert_int_equal(out.body, body);
    assert_int_equal(out.pieces, out.ids.len - body - 1); /* one end token */
}

static void check_line_refused(const Tokenizer *tokenizer, const char *text, const char *message)
{
    FREED_BY(encoding_free) Encoding out = { 0 };
    Err err;

    assert_fails(tokenizer_encode(tokenizer, text, strlen(text), &out, &err), ERR_USAGE, &err, message);
    assert_int_equal(tokenizer_encode_pieces(tokenizer, text, strlen(text), &out, &err), ERR_USAGE);
}

static void check_text(const Tokenizer *tokenizer, const int32_t *ids, size_t count, const char *want)
{
    FREED_BY(buf_free) Buf text = { 0 };
    Err err;

    buf_put_text(&text, "[");
    assert_ok(tokenizer_decode(tokenizer, ids, count, &text, NULL, &err), &err);
    assert_string_equal(text.data, want);
}

TEST(reports_where_the_pieces_of_an_encoding_are)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(OPUS, "marian", NULL, NULL);
    const TokenizerFacts *facts = tokenizer_facts(tokenizer);

    check_line(tokenizer, "Bonjour le monde", 0, "▁Bonjour ▁le ▁monde </s> ");
    check_line(tokenizer, "", 0, "</s> ");
    assert_int_equal(facts->source_vocab, 53017);
    assert_int_equal(facts->target_vocab, 53017);
    assert_int_equal(facts->model_max_length, 512);
    assert_int_equal(facts->language_count, 0);
}

TEST(treats_special_tokens_in_a_text_as_text)
{
    FREED_BY(free_tokenizer)
    Tokenizer *opus = open_with(OPUS, "marian", NULL, NULL), *codes = open_with(CODES, "marian", NULL, "de");
    FREED_BY(encoding_free) Encoding out = encode(opus, "a </s> <pad> <unk>");

    for (size_t i = 0; i < out.pieces; i++) {
        assert_int_not_equal(out.ids.data[i], END);
        assert_int_not_equal(out.ids.data[i], PAD);
    }
    assert_int_equal(out.ids.data[out.pieces], END);
    /* A user-defined symbol, and a run of unknown characters. */
    check_line(codes, "a<pad>§§a", 1, ">>deu<< ▁a <unk> <unk> a </s> ");
}

/* Any name of a language is accepted as the option and as the code of a line, which has priority. */
TEST(adds_the_language_of_the_option_or_of_the_line)
{
    static const char *const names[] = { "deu", "DE", "de", ">>deu<<", "ger" };
    static const char *const codes[] = { ">>ger<<a", ">>de<<a", ">>DE<<a", ">>deu<<a" };
    static const char *const texts[] = { ">>a<<", ">>abcd<<", ">>qq_<<", ">>a b<<", ">>qq.x<<", "a>>fra<<" };
    FREED_BY(free_tokenizer)
    Tokenizer *plain = open_with(CODES, "marian", NULL, NULL), *french = open_with(CODES, "marian", NULL, "fr");

    for (size_t i = 0; i < COUNT(names); i++) {
        FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(CODES, "marian", NULL, names[i]);
        check_line(tokenizer, "a", 1, ">>deu<< ▁a </s> ");
        check_line(tokenizer, ">>fra<<a", 1, ">>fra<< ▁a </s> ");
        for (size_t k = 0; k < COUNT(texts); k++) { /* no codes, but text */
            Encoding out = encode(tokenizer, texts[k]);
            assert_int_equal(out.body, 1);
            assert_int_equal(out.ids.data[0], 2);
            assert_true(out.pieces > 2);
            encoding_free(&out);
        }
    }
    for (size_t i = 0; i < COUNT(codes); i++) {
        check_line(plain, codes[i], 1, ">>deu<< ▁a </s> ");
        check_line(french, codes[i], 1, ">>deu<< ▁a </s> ");
    }
    check_line(plain, ">>German<<a", 1, ">>deu<< ▁a </s> ");
}

TEST(rejects_an_unknown_language_in_a_line_even_with_the_option)
{
    static const char *const unknown[] = { ">>xyz<<", ">>qq_Latn<<", ">>qq-x1<<" };
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(CODES, "marian", NULL, "deu");

    for (size_t i = 0; i < COUNT(unknown); i++) {
        FREED char *message =
            support_format("the line's code %s: unknown language; the model translates into deu, fra, "
                           "zho_Hans, zho_Hant, pt_br",
                           unknown[i]);
        check_line_refused(tokenizer, unknown[i], message);
    }
    check_line_refused(tokenizer, ">>zh<< a", "the line's code >>zh<<: ambiguous, this model has: zho_Hans, zho_Hant");
}

TEST(keeps_what_looks_like_a_code_in_a_model_without_languages)
{
    FREED_BY(free_tokenizer) Tokenizer *opus = open_with(OPUS, "marian", NULL, NULL);

    assert_int_equal(tokenizer_language_length(opus, ">>fr<< Bonjour", 14), 0);
    check_line(opus, ">>fr<< Bonjour", 0, "▁>> fr <unk> ▁Bonjour </s> ");
    check_line(opus, "|>>le monde<< ▁Bonjour", 0, "<unk> <unk> ▁Bonjour </s> ");
}

TEST(lists_languages_if_one_is_wrong_or_missing)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(CODES, "marian", "en", NULL);

    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 5);
    assert_string_equal(tokenizer_facts(tokenizer)->languages[3].name, "zho_Hant");
    check_line_refused(tokenizer, "a",
                       "no language to translate into: give " SETTING(
                           TO) ", or begin each line with its code, as in >>code<<; the model "
                               "translates into deu, fra, zho_Hans, zho_Hant, pt_br");
    check_refused(CODES, "marian", NULL, "xx", ERR_USAGE,
                  SETTING(TO) " xx: unknown language; the model translates into deu, fra, zho_Hans, "
                              "zho_Hant, pt_br");
    check_refused(CODES, "marian", NULL, "zh", ERR_USAGE,
                  SETTING(TO) " zh: ambiguous, this model has: zho_Hans, zho_Hant");
    check_refused(CODES, "marian", "fr", "de", ERR_USAGE, SETTING(FROM) " fr: this model translates from eng only");
    /* A bilingual model accepts its own languages. */
    tokenizer_free(open_with(OPUS, "marian", "fr", "en"));
    tokenizer_free(open_with(OPUS, "marian", "fra", "eng_Latn"));
    check_refused(OPUS, "marian", NULL, "de", ERR_USAGE, SETTING(TO) " de: this model translates into en only");
    check_refused(OPUS, "marian", "en", NULL, ERR_USAGE, SETTING(FROM) " en: this model translates from fr only");
}

TEST(accepts_any_pieces_and_adds_one_end_token)
{
    FREED_BY(free_tokenizer)
    Tokenizer *opus = open_with(OPUS, "marian", NULL, NULL), *codes = open_with(CODES, "marian", NULL, "fr");

    check_line(opus, "|  ▁Bonjour\t▁le nothing-like-this <pad>  ▁monde </s> ", 0,
               "▁Bonjour ▁le <unk> <pad> ▁monde </s> ");
    check_line(opus, "| ", 0, "</s> ");
    check_line(codes, "|▁a", 1, ">>fra<< ▁a </s> ");
    check_line(codes, "| >>deu<< ▁a", 1, ">>deu<< ▁a </s> ");
}

TEST(gives_a_part_the_special_tokens_of_the_whole)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(CODES, "marian", NULL, "de");
    FREED_BY(encoding_free) Encoding out = encode(tokenizer, ">>fra<<ab~@@");
    FREED_BY(ids_free) IdList part = { 0 };
    Err err;

    assert_true(out.pieces >= 4);
    assert_ok(tokenizer_encode_part(&out, 1, 2, &part, &err), &err);
    assert_int_equal(part.len, 4);
    assert_int_equal(part.data[0], out.ids.data[0]);
    assert_int_equal(part.data[1], out.ids.data[2]);
    assert_int_equal(part.data[2], out.ids.data[3]);
    assert_int_equal(part.data[3], out.ids.data[out.ids.len - 1]);
    assert_int_equal(tokenizer_encode_part(&out, out.pieces, 1, &part, &err), ERR_USAGE);
    assert_int_equal(tokenizer_encode_part(&out, SIZE_MAX, 2, &part, &err), ERR_USAGE);
}

TEST(encodes_a_target_prefix_without_special_tokens)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(OPUS, "marian", NULL, NULL);
    FREED_BY(ids_free) IdList ids = { 0 };
    Err err;

    assert_ok(tokenizer_encode_target(tokenizer, "The house", 9, false, &ids, &err), &err);
    assert_int_equal(ids.len, 2);
    assert_string_equal(tokenizer_target_piece(tokenizer, ids.data[1]), "▁house");
    assert_ok(tokenizer_encode_target(tokenizer, "▁The ▁house </s>", strlen("▁The ▁house </s>"), true, &ids, &err),
              &err);
    assert_int_equal(ids.len, 2);
    assert_ok(tokenizer_encode_target(tokenizer, "", 0, false, &ids, &err), &err);
    assert_int_equal(ids.len, 0);
}

TEST(omits_special_ids_and_ids_without_a_piece)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(OPUS, "marian", NULL, NULL);
    const int32_t hello[] = { PAD, 7869, UNK, 29025, -5, 1 << 30, END }; /* ▁Bonjour ▁le */

    check_text(tokenizer, hello, COUNT(hello), "[Bonjour le");
    check_text(tokenizer, hello, 0, "[");
    check_text(tokenizer, hello, 1, "[");
    assert_true(tokenizer_target_is_special(tokenizer, END));
    assert_true(tokenizer_target_is_special(tokenizer, 53017));
    assert_false(tokenizer_target_is_special(tokenizer, 7869));
    assert_string_equal(tokenizer_target_piece(tokenizer, -1), "<unk>");
    assert_string_equal(tokenizer_source_piece(tokenizer, 53017), "<unk>");
}

TEST(keeps_a_nul_byte_of_the_model_in_the_text)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(BYTES, "marian", NULL, NULL);
    FREED_BY(buf_free) Buf text = { 0 };
    FREED_BY(ids_free) IdList ids = { 0 };
    Err err;

    assert_ok(tokenizer_encode_target(tokenizer, "<0x41> <0x00> ▁haus ▁unheard", strlen("<0x41> <0x00> ▁haus ▁unheard"),
                                      true, &ids, &err),
              &err);
    assert_ok(tokenizer_decode(tokenizer, ids.data, ids.len, &text, NULL, &err), &err);
    assert_int_equal(text.len, 15);
    assert_memory_equal(text.data, "A\0 haus unheard", 15);
}

/* `word` repeated up to `bytes` in one line. */
static char *long_line(const char *word, size_t bytes)
{
    size_t len = strlen(word), count = bytes / len;
    char *text = malloc(count * len + 1);

    assert_non_null(text);
    for (size_t i = 0; i < count; i++) memcpy(text + i * len, word, len);
    text[count * len] = '\0';
    return text;
}

TEST(encodes_a_line_of_megabytes_like_its_words)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(OPUS, "marian", NULL, NULL);
    FREED char *text = long_line("Bonjour le monde ", 2000000);
    FREED_BY(encoding_free) Encoding out = encode(tokenizer, text);

    assert_int_equal(out.pieces, 3 * (2000000 / 17));
    for (size_t i = 0; i < out.pieces; i++)
        assert_int_equal(out.ids.data[i], i % 3 == 0 ? 7869 : i % 3 == 1 ? 29025 : 32333);
}

TEST(splits_a_line_without_spaces_between_characters)
{
    FREED_BY(free_tokenizer)
    Tokenizer *bytes = open_with(BYTES, "marian", NULL, NULL), *opus = open_with(OPUS, "marian", NULL, NULL);
    FREED char *text = long_line("漢", 300000);
    Encoding out = encode(bytes, text);
    size_t characters = 0;

    for (size_t i = 0; i < out.pieces; i++)
        if (strcmp(tokenizer_source_piece(bytes, out.ids.data[i]), "<0xE6>") == 0) characters++;
    assert_int_equal(characters, 100000);
    assert_in_range(out.pieces, 300000, 300010);
    encoding_free(&out);
    out = encode(opus, text);
    assert_in_range(out.pieces, 2, 20);
    encoding_free(&out);
}

static const char *const files[] = { "source.spm", "target.spm", "vocab.json", "target_vocab.json",
                                     "tokenizer_config.json" };

/* Copies the byte tokenizer without the file `missing`. */
static void copy_folder(const char *folder, const char *missing)
{
    for (size_t i = 0; i < COUNT(files); i++) {
        FREED char *from = support_path(BYTES, files[i]), *to = support_path(folder, files[i]);
        (void)remove(to);
        if (strcmp(files[i], missing) != 0) support_copy_file(from, folder, files[i]);
    }
}

FOLDER_TEST(says_what_a_missing_file_is_for)
{
    for (size_t i = 0; i < 4; i++) {
        FREED char *message = support_format(
            "%s: %s is missing, which has the %s; copy it from the model on the hub that this one was made "
            "from, or save the tokenizer into this folder with save_pretrained() of transformers",
            (char *)*state, files[i],
            i > 1 ? "ids of the model's pieces"
            : i   ? "pieces of the target language"
                  : "pieces of the source language");
        copy_folder(*state, files[i]);
        check_refused(*state, "marian", NULL, NULL, ERR_IO, message);
    }
    copy_folder(*state, "tokenizer_config.json");
    tokenizer_free(open_with(*state, "marian", "xx", "yy")); /* no file names its languages */
}

/* Checks the message about a vocabulary, the target's only if this is the file. */
static void check_vocab_refused(const char *folder, const char *file, const char *text, const char *message)
{
    const bool is_target = strcmp(file, "target_vocab.json") == 0;
    FREED char *whole = support_format("%s/%s: %s", folder, is_target ? file : "vocab.json", message);

    copy_folder(folder, "");
    free(support_write_text(folder, file, text));
    check_refused(folder, "marian", NULL, NULL, ERR_FORMAT, whole);
}

FOLDER_TEST(rejects_vocabularies_without_a_special_token)
{
    check_vocab_refused(*state, "vocab.json", "{\"</s>\": 0, \"<pad>\": 1}", "the unknown token \"<unk>\" is missing");
    check_vocab_refused(*state, "vocab.json", "{\"<unk>\": 0, \"<pad>\": 1}", "the end token \"</s>\" is missing");
    check_vocab_refused(*state, "vocab.json", "{\"<unk>\": 0, \"</s>\": 1}", "the padding token \"<pad>\" is missing");
    check_vocab_refused(*state, "target_vocab.json", "{\"</s>\": 0, \"<pad>\": 1}",
                        "the unknown token \"<unk>\" is missing");
    check_vocab_refused(*state, "tokenizer_config.json", "{\"pad_token\": null}", "the model has no padding token");
}

TEST(rejects_other_families_by_name)
{
    Tokenizer *tokenizer;
    Err err;

    assert_fails(open_tokenizer(&tokenizer, OPUS, "bert", NULL, NULL, &err), ERR_UNSUPPORTED, &err,
                 OPUS ": no tokenizer for models of type \"bert\"");
    assert_null(tokenizer);
    tokenizer_free(NULL);
}

FOLDER_TEST(lists_as_many_languages_as_fit_in_a_message)
{
    FREED_BY(buf_free) Buf vocab = { 0 };
    FREED char *path;
    Tokenizer *tokenizer;
    Err err;

    copy_folder(*state, "tokenizer_config.json");
    buf_put_text(&vocab, "{\"<unk>\": 0, \"</s>\": 1, \"<pad>\": 2");
    for (int i = 0; i < 500; i++) buf_put_format(&vocab, ", \">>l%03d<<\": %d", i, i + 3);
    buf_put_text(&vocab, "}");
    path = support_write_text(*state, "vocab.json", vocab.data);
    assert_int_equal(open_tokenizer(&tokenizer, *state, "marian", NULL, "de", &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "the model translates into l000, l001, "));
    assert_non_null(strstr(err.text, ", l100 and 399 more"));
}

TESTS(test_tokenizer);
