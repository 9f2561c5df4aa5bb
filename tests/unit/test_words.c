/* test_words.c - words of texts in several scripts. */
#include "range_cases.h"

#include "words.h"

static Status find_words(RangeList *out, const char *text, size_t len, Err *err)
{
    for (size_t begin, end = 0; words_next(text, len, &begin, &end);) LIST_PUT(out, ((Range){ begin, end }));
    return LIST_CHECK(out, "words", err);
}

TEST(finds_the_words_of_all_scripts)
{
    static const char *const cases[] = {
        /* Words are runs without white space. */
        "",
        " \t\xc2\xa0\xe3\x80\x80",
        "[One] [two]",
        "  [Don't] \t [stop,] [now!]\n",
        "[a]\xc2\xa0[b]\xe3\x80\x80[c]",
        "[Привет,] [мир]",
        "[한국어] [문장]",
        /* Characters of scripts without spaces stand alone. */
        "[你][好][。]",
        "[我][用][GNU/Linux][系][统] [x]",
        "[コ][ー][ヒ][ー]",
        "[こ][れ][は][3][つ]",
        "[\xf0\xa0\x80\x80][\xf0\xa0\x80\x81]",
        "[ไ][ท][ย]",
        /* Combining marks belong to the character before them. */
        "[ที่][นี่]",
        "[か\xe3\x82\x99][き]",
        "[e\xcc\x81t\xc3\xa9] [x]",
        " [\xcc\x81] [x]",
    };

    range_cases_check(find_words, '[', ']', cases, COUNT(cases));
}

TESTS(test_words);
