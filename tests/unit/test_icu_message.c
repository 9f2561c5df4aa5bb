/* test_icu_message.c - which texts are messages of ICU, checked with ICU itself, and how they are divided. */
#include "icu_pieces.h"
#include "test_support.h"

static bool is_message(const char *text)
{
    bool is = false;
    Err err;

    assert_ok(icu_message_test(text, strlen(text), &is, &err), &err);
    return is;
}

TEST(messages_are_those_that_icu_reads)
{
    static const char *const messages[] = {
        "{n, plural, one {# file} other {# files}}",
        "{n,plural,offset:1 =0{a}other{b}} {x}",
        "{ n , PLURAL , offset: -1.5 =1{a} =-2.5 {b} other{d}}",
        "{0, select, other {{1, selectordinal, one {#st} other {#th}}}} '{'x'}' {d, date, ::yMMMd}",
        "{n, plural, other {it''s '#' '{a}' don't}}",
        "{n, plural, other {}} }",
        "{\xc3\xa9t\xc3\xa9, select, a_1 {x} other\xe2\x80\x8e{y}}",
        "{n, plural, other {a}} {m, number, #0'{'}",
        "{n, plural, few {a} foo {b} other {c}}",
    };
    static const char *const others[] = {
        "{n}",
        "{n, plural, one {# file}}",
        "{n, plural, one {# file} other {# files}",
        "{n, plural, one {# file} other {# files}} {{x}}",
        "{n, plural, other {it's} offset:1 other {b}}",
        "{n, plural}",
        "{n, plural, {a} other {b}}",
        "{n, plural, = {a} other {b}}",
        "{n, plural, = 3 {a} other {b}}",
        "{n, plural, =\xe2\x88\x9e {a} other {b}}",
        "{a.b, plural, other {b}}",
        "{a b, plural, other {b}}",
        "{00, plural, other {b}}",
        "{, plural, other {b}}",
        "{n, plural other {b}}",
        "{n, plural, other {'{b}}",
        "{n, select, =1 {a} other {b}}",
        "{n, select, other {b}} {a",
        "{n, plural, other {b}} {m, number, {}",
        "{n, plural, offset:a other {b}}",
        "",
    };

    for (size_t i = 0; i < COUNT(messages); i++)
        if (!is_message(messages[i]) || !icu_accepts(messages[i]))
            fail_msg("a message: %s (ICU: %d)", messages[i], icu_accepts(messages[i]));
    for (size_t i = 0; i < COUNT(others); i++)
        if (is_message(others[i]) || (strstr(others[i], ", ") && icu_accepts(others[i])))
            fail_msg("not a message: %s (ICU: %d)", others[i], icu_accepts(others[i]));
    assert_false(is_message("{n, plural, other {a}} {m, choice, 0#b}")); /* valid, but left alone */
}

static char *divide(const char *text, const char *source, const char *language, size_t *texts)
{
    const PluralTarget target = plural_target_of(source, language);
    IcuMessage message;
    IcuPieceList pieces = { 0 };
    Buf out = { 0 };
    bool is, is_text = false;
    Err err;

    assert_ok(icu_message_read(&message, text, strlen(text), &is, &err), &err);
    assert_true(is);
    assert_ok(icu_message_divide(&message, &target, &pieces, &err), &err);
    *texts = 0;
    for (size_t i = 0; i < pieces.len; i++) {
        *texts += pieces.data[i].kind == ICU_TEXT && !is_text;
        is_text = pieces.data[i].kind == ICU_TEXT;
        icu_pieces_put(&out, &message, &pieces.data[i]);
    }
    buf_put(&out, "", 1);
    assert_ok(buf_check(&out, &err), &err);
    free(pieces.data);
    icu_message_free(&message);
    return out.data;
}

TEST(branches_are_whole_sentences_with_the_categories_of_the_language)
{
    static const struct {
        const char *language, *message, *divided;
    } rows[] = {
        { "de", "You have {n, plural, one {# file} other {# files}} in {dir}.",
          "{n, plural, one {You have # file in {dir}.} other {You have # files in {dir}.}}" },
        { "ru", "{n, plural,\n one {# file}\n other {# files}\n}",
          "{n, plural,\n one {# file}\n few {# files}\n many {# files}\n other {# files}\n}" },
        { "ar", "{n, plural, one {x} other {#}}", "{n, plural, zero {#} one {x} two {#} few {#} many {#} other {#}}" },
        { "ja", "{n, plural, =0 {a} =1 {b} one {c} other {#}}", "{n, plural, =0 {a} =1 {b} other {#}}" },
        { NULL, "a {n, plural, zero {b} other {#}}", "{n, plural, zero {a b} other {a #}}" },
        { "en-GB", "a {n, plural, zero {b} other {#}}", "a {n, plural, zero {b} other {#}}" },
        /* a text for 1 only is not used for 21 */
        { "ru", "{n, plural, one {a file} other {# files}}",
          "{n, plural, one {# files} few {# files} many {# files} other {# files}}" },
        { "fr", "{n} {n, plural, one {file} other {files}}",
          "{n, plural, one {{n} file} many {{n} files} other {{n} files}}" },
        { "de", "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}", "{n, selectordinal, other {#th}}" },
        { "de", "{n, plural, offset:1 =0 {a} one {b #} other {c #}} d",
          "{n, plural, offset:1 =0 {a d} one {b # d} other {c # d}}" },
        { "de", "{g, select, a {He} other {They}} {n, plural, one {has # dog} other {have # dogs}}.",
          "{g, select, a {{n, plural, one {He has # dog.} other {He have # dogs.}}} other {{n, plural, one {They has # "
          "dog.} other {They have # dogs.}}}}" },
        { "ja", "#1: {a, plural, other {# x}} {b, plural, other {# y}} {g, select, other {# z}}",
          "{a, plural, other {{b, plural, other {{g, select, other {#1: {a, number} x {b, number} y # z}}}}}}" },
        { "ja", "#1: {a, plural, other {# x}}", "{a, plural, other {'#'1: # x}}" },
        /* the number of a plural with an offset has no other spelling, and '#' in another branch is no quotation */
        { "ja", "{a, plural, offset:1 one {x} other {# x}} {b, plural, other {# y}}",
          "{a, plural, offset:1 other {# x}} {b, plural, other {# y}}" },
        { "ja", "a {a, plural, other {'#' x}}", "a {a, plural, other {'#' x}}" },
        { "ja", "'{x}'{a, plural, other {'{y}'}}", "'{x}'{a, plural, other {'{y}'}}" },
        { "ja", "{a, plural, other {'{y}'}}'s", "{a, plural, other {'{y}'}}'s" },
        { "ja", "#'s {a, plural, other {b}}", "#'s {a, plural, other {b}}" },
        { "ja", "a {a, plural, other {b}}'", "a {a, plural, other {b}}'" },
        { "ja", "a} {a, plural, other {b}}", "a} {a, plural, other {b}}" },
    };
    size_t texts;

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *made = divide(rows[i].message, "en", rows[i].language, &texts);
        assert_string_equal(made, rows[i].divided);
        assert_true(icu_accepts(made));
        free(made);
    }
}

/* Four plurals in Arabic are 1,296 sentences; five would be too many, and nested ones, too. */
TEST(a_message_has_not_too_many_texts)
{
    static const char plural[] = "{n, plural, one {# a} other {# b}} and ";
    Buf message = { 0 };
    size_t texts;
    char *made;

    for (size_t i = 1; i <= 5; i++) {
        buf_put_text(&message, plural);
        buf_put(&message, "", 1);
        made = divide(message.data, "en", "ar", &texts);
        message.len--;
        if (i == 4) assert_int_equal(texts, 1296);
        if (i == 5) assert_true(strncmp(made, "{n, plural, zero {# b}", 22) == 0 && texts < 40);
        free(made);
    }
    buf_free(&message);
    for (size_t i = 0; i < 8; i++) buf_put_text(&message, "{n, plural, other {");
    for (size_t i = 0; i < 8; i++) buf_put_text(&message, "}}");
    buf_put(&message, "", 1);
    made = divide(message.data, "en", "ar", &texts);
    assert_string_equal(made, message.data);
    free(made);
    buf_free(&message);
}

TESTS(test_icu_message);
