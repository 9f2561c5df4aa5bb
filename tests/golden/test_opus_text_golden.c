/* test_opus_text_golden.c - compares cleaned lines with the script of OPUS-MT's releases
 * (scripts/reference/make_opus_text_goldens.py), and tests which steps are read from scripts. */
#include "test_support.h"

#include <ctype.h>

#include "opus_text.h"
#include "view_support.h"

#define GOLDEN GOLDEN_ROOT "/opus_text/"

/* Returns the next line of *text and NUL-terminates it in place. */
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');

    if (!end) return NULL;
    *end = '\0';
    *text = end + 1;
    return line;
}

/* An ASCII letter or digit of the clean text is in the bytes that it was made from, unless these were not ASCII. */
static void check_map(const RangeList *map, const char *line, const char *clean, size_t len)
{
    assert_int_equal(map->len, len);
    for (size_t i = 0; i < len; i++) {
        const Range range = map->data[i];
        bool same = false;
        assert_true(range.begin < range.end && range.end <= strlen(line));
        for (size_t k = range.begin; k < range.end; k++) same |= line[k] == clean[i] || (line[k] & 0x80);
        if (!same && isalnum((unsigned char)clean[i])) fail_msg("byte %zu of \"%s\" from \"%s\"", i, clean, line);
    }
}

static void check_lines(const OpusSteps *steps, const char *name)
{
    FREED char *path = support_format(GOLDEN "%s", name);
    FREED char *input = support_read_file(GOLDEN "input.txt", NULL), *wanted = support_read_file(path, NULL);
    char *in = input, *out = wanted, *line;
    size_t count = 0;

    for (; (line = next_line(&in)); count++) {
        const char *expected = next_line(&out);
        FREED_BY(ranges_free) RangeList map = { 0 };
        FREED_BY(buf_free) Buf clean = { 0 };
        Err err = { "" };
        buf_put_text(&clean, "before ");
        assert_ok(opus_text_clean(steps, line, strlen(line), &clean, count % 2 ? &map : NULL, &err), &err);
        assert_non_null(expected);
        assert_string_equal(clean.data + strlen("before "), expected);
        if (count % 2) check_map(&map, line, expected, clean.len - strlen("before "));
    }
    assert_true(count > 300);
}

TEST(cleans_lines_like_the_script)
{
    check_lines(&(OpusSteps){ .cleans = true }, "expected.txt");
    (void)state;
}

TEST(applies_the_moses_rules_of_the_language)
{
    static const char *const languages[] = { "en", "deu", "cs", "fi", NULL };

    for (size_t i = 0; languages[i]; i++) {
        OpusSteps steps = { .cleans = true, .normalizes = true };
        Err err;
        assert_ok(opus_text_set_language(&steps, languages[i], &err), &err);
        FREED char *name = support_format("expected.%s.txt", languages[i]);
        print_message("%s\n", languages[i]);
        check_lines(&steps, name);
        moses_free(steps.moses);
    }
    (void)state;
}

FOLDER_TEST(reads_steps_of_scripts_and_names_unsupported_ones)
{
    static const struct {
        const char *script, *fault; /* NULL: none */
        bool cleans;
    } cases[] = {
        { "sed -e 's/，/,/g' \\\n -e 's/。 */. /g' |\nperl -C -pe  's/(?!\\n)\\p{C}/ /g;' |\n${SPMENCODE} --model $2\n",
          NULL, true },
        { "${TOKENIZER}/replace-unicode-punctuation.perl |\n${TOKENIZER}/remove-non-printing-char.perl |\n"
          "${SPMENCODE} --model $2\n\n# ${TOKENIZER}/normalize-punctuation.perl -l $1 |\n",
          NULL, true },
        { "#!/bin/bash\n${SPMENCODE} --model $2", NULL, false },
        { "", NULL, false },
        { "${TOKENIZER}/replace-unicode-punctuation.perl |\n${TOKENIZER}/normalize-punctuation.perl -l $1 |\n", NULL,
          true },
        { "${TOKENIZER}/tokenizer.perl -a |\n", "Moses' tokenizer is not supported", false },
        { "\tpython3 ${SNMTPATH}/apply_bpe.py -c $2", "BPE by subword-nmt is not supported", false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *path = support_write_text(*state, "preprocess.sh", cases[i].script);
        FREED char *message = support_format("%s: %s", path, cases[i].fault ? cases[i].fault : "");
        Err err = { "" };
        OpusSteps steps = { .cleans = !cases[i].cleans };
        if (cases[i].fault) {
            assert_fails(READ_FILE(opus_text_read_script, &steps, path, &err), ERR_UNSUPPORTED, &err, message);
        } else {
            assert_ok(READ_FILE(opus_text_read_script, &steps, path, &err), &err);
            assert_int_equal(steps.cleans, cases[i].cleans);
            assert_int_equal(steps.normalizes, strstr(cases[i].script, "\n${TOKENIZER}/normalize") != NULL);
        }
    }
}

TESTS(test_opus_text_golden);
