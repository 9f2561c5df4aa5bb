/* test_normal_form.c - Unicode's normalization forms and the removal of control characters. */
#include "test_support.h"

#include "normal_form.h"

static void check(NormalForms forms, const char *text, const char *wanted)
{
    Buf out = { 0 };
    Err err;

    buf_put_text(&out, "kept ");
    assert_ok(normal_form_append(&forms, text, strlen(text), &out, NULL, &err), &err);
    assert_memory_equal(out.data, "kept ", 5);
    assert_string_equal(out.data + 5, wanted);
    buf_free(&out);
}

static NormalForms form(const char *name)
{
    NormalForms forms = { .count = 1 };

    assert_true(normal_form_find(name, &forms.list[0]));
    return forms;
}

TEST(applies_each_form_as_unicode_defines_it)
{
    /* e + acute, fi ligature, full-width A, half-width KA + voiced mark */
    const char *text = "e\xcc\x81 \xef\xac\x81 \xef\xbc\xa1 \xef\xbd\xb6\xef\xbe\x9e \xc3\xa9";

    check(form("NFC"), text, "\xc3\xa9 \xef\xac\x81 \xef\xbc\xa1 \xef\xbd\xb6\xef\xbe\x9e \xc3\xa9");
    check(form("NFD"), text, "e\xcc\x81 \xef\xac\x81 \xef\xbc\xa1 \xef\xbd\xb6\xef\xbe\x9e e\xcc\x81");
    check(form("NFKC"), text, "\xc3\xa9 fi A \xe3\x82\xac \xc3\xa9");
    check(form("NFKD"), text, "e\xcc\x81 fi A \xe3\x82\xab\xe3\x82\x99 e\xcc\x81");
}

TEST(handles_long_replacements_and_other_planes)
{
    /* U+FDFA becomes 18 characters; U+1D400 becomes A; marks are put in canonical order */
    check(form("NFKC"), "\xef\xb7\xba\xef\xb7\xba",
          "\xd8\xb5\xd9\x84\xd9\x89 \xd8\xa7\xd9\x84\xd9\x84\xd9\x87 \xd8\xb9\xd9\x84\xd9\x8a\xd9\x87 "
          "\xd9\x88\xd8\xb3\xd9\x84\xd9\x85\xd8\xb5\xd9\x84\xd9\x89 \xd8\xa7\xd9\x84\xd9\x84\xd9\x87 "
          "\xd8\xb9\xd9\x84\xd9\x8a\xd9\x87 \xd9\x88\xd8\xb3\xd9\x84\xd9\x85");
    check(form("NFKC"), "\xf0\x9d\x90\x80\xf0\x9f\x98\x80", "A\xf0\x9f\x98\x80");
    check(form("NFC"), "q\xcc\x87\xcc\xa3", "q\xcc\xa3\xcc\x87");
    check(form("NFKC"), "", "");
    check((NormalForms){ 0 }, "\xef\xac\x81", "\xef\xac\x81");
}

TEST(removes_control_characters_and_converts_spaces)
{
    check(form("Nmt"),
          "a\x01"
          "b\x0b"
          "c\x1f"
          "d\x7f"
          "e\xc2\x8f"
          "f\xc2\x9f"
          "g\xc2\x85",
          "abcdefg\xc2\x85");
    check(form("Nmt"),
          "a\tb\fc\xe2\x80\x8b"
          "d\xe2\x80\x8f"
          "e\xe2\x96\x81"
          "f\xef\xbb\xbf"
          "g\xef\xbf\xbd"
          "h",
          "a b c d e f g h");
    check(form("Nmt"), "\x01\x02", "");
}

TEST(makes_spaces_of_tabs_and_ends_of_lines)
{
    check(form("[\\n\\r\\t]"), "a\tb\r\nc\f\xc3\xa9", "a b  c\f\xc3\xa9");
}

TEST(applies_forms_in_order)
{
    NormalForms forms = { .list = { FORM_NMT, FORM_NFKC, FORM_NFD }, .count = 3 };

    check(forms, "\xef\xac\x81\x01\t\xc3\xa9", "fi e\xcc\x81");
    check(forms, "\x01", "");
}

TEST(rejects_unknown_form_names)
{
    NormalForm found;

    assert_false(normal_form_find("nfkc", &found));
    assert_false(normal_form_find("", &found));
    assert_false(normal_form_find("NFKC_Casefold", &found));
}

TESTS(test_normal_form);
