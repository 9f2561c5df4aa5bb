/* test_help_texts.c - texts with places to fill in (cli/options/help.c). */
#include "test_support.h"

#include "help.h"

static void put_name(Buf *out, const char *name)
{
    if (strcmp(name, "NOTHING") != 0) buf_put_format(out, "<%s>", name);
}

TEST(places_are_filled_in)
{
    static const struct {
        const char *text, *filled;
    } rows[] = {
        { "", "" },
        { "a@b\n", "a@b\n" },
        { "@@A@@", "<A>" },
        { "(@@A@@, @@long-name@@)\n", "(<A>, <long-name>)\n" },
        { "one\n@@A@@\ntwo\n", "one\n<A>two\n" },
        { "one\n@@NOTHING@@\n@@B@@\n", "one\n<B>" },
        { "one @@A@@\n", "one <A>\n" },
        { "@@A@@ two\n", "<A> two\n" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Buf out = { 0 };
        Err err;
        help_put_filled(&out, rows[i].text, put_name);
        assert_ok(buf_check(&out, &err), &err);
        assert_string_equal(out.data ? out.data : "", rows[i].filled);
        buf_free(&out);
    }
}

TESTS(test_help_texts);
