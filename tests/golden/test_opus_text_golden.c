/* test_opus_text_golden.c - lines as the script of OPUS-MT's releases changes
 * them (made by scripts/reference/make_opus_text_goldens.py), and what is taken
 * out of scripts. */
#include "test_support.h"

#include "opus_text.h"

#define GOLDEN "tests/golden/opus_text/"

/* The next line of *text, NUL-ended in place. */
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');

    if (!end) return NULL;
    *end = '\0';
    *text = end + 1;
    return line;
}

static void lines_become_what_the_script_makes_of_them(void **state)
{
    char *input = support_read_file(GOLDEN "input.txt", NULL), *wanted = support_read_file(GOLDEN "expected.txt", NULL);
    char *in = input, *out = wanted, *line;
    size_t count = 0;

    for (; (line = next_line(&in)); count++) {
        const char *expected = next_line(&out);
        Buf clean = { 0 };
        Err err = { "" };
        assert_ok(buf_append_text(&clean, "before ", &err), &err);
        assert_ok(opus_text_clean(line, strlen(line), &clean, &err), &err);
        assert_non_null(expected);
        assert_string_equal(clean.data + strlen("before "), expected);
        buf_free(&clean);
    }
    assert_true(count > 300);
    free(input);
    free(wanted);
    (void)state;
}

static void the_steps_of_a_script_are_known_or_named(void **state)
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
        { "${TOKENIZER}/replace-unicode-punctuation.perl |\n${TOKENIZER}/normalize-punctuation.perl -l $1 |\n",
          "Moses' normalize-punctuation.perl is not supported", false },
        { "${TOKENIZER}/tokenizer.perl -a |\n", "Moses' tokenizer is not supported", false },
        { "\tpython3 ${SNMTPATH}/apply_bpe.py -c $2", "BPE by subword-nmt is not supported", false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *path = support_write_text(*state, "preprocess.sh", cases[i].script);
        char *message = support_format("%s: %s", path, cases[i].fault ? cases[i].fault : "");
        Err err = { "" };
        bool cleans = !cases[i].cleans;
        if (cases[i].fault) {
            assert_fails(opus_text_read_script(&cleans, path, &err), ERR_UNSUPPORTED, &err, message);
        } else {
            assert_ok(opus_text_read_script(&cleans, path, &err), &err);
            assert_int_equal(cleans, cases[i].cleans);
        }
        free(message);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_what_the_script_makes_of_them),
        cmocka_unit_test_setup_teardown(the_steps_of_a_script_are_known_or_named, support_setup_folder,
                                        support_teardown_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
