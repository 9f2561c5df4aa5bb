/* test_moses.c - the rules of Moses, and the tokenizer of FSMT, which applies them. The words and texts in the tables
 * are those of FSMTTokenizer of transformers 4.57.1 with sacremoses 0.2.0. */
#include "moses.h"
#include "test_support.h"

#include <string.h>

#include "template_support.h"

TEST(splits_a_text_into_words_like_sacremoses)
{
    static const struct {
        const char *language, *text, *words;
    } rows[] = {
        { "en", "Mr. Smith said: \"it's good\", isn't it?",
          "Mr. Smith said : &quot; it &apos;s good , &quot; isn &apos;t it ?" },
        { "en", "U.S. shares rose 1,000.5 points (e.g. No. 5).", "U.S. shares rose 1,000.5 points ( e.g. No. 5 ) ." },
        { "en", "No. Five. no. six", "No . Five. no. six" },
        { "en", "wait... and.. stop.", "wait ... and .. stop ." },
        { "en", "foo-bar x - y 3-4 -5", "foo @-@ bar x - y 3 @-@ 4 -5" },
        { "en", "1980's and 'quoted' l'eau", "1980 &apos;s and &apos; quoted &apos; l &apos;eau" },
        { "en", "a,b 5,c d,6 7,", "a , b 5 , c d , 6 7 ," },
        { "en", "„x“ – «y» … `z` \u00b4", "&quot; x &quot; - &quot; y &quot; ... &apos; z &apos; &apos;" },
        { "en", "[a] <b> & | c@d.org #1", "&#91; a &#93; &lt; b &gt; &amp; &#124; c @ d.org # 1" },
        { "en", "漢字，가 x\u00a0y z\u200b!", "漢 字 , 가 x y z !" },
        { "en", "He said \"yes.\" Then.", "He said &quot; yes . &quot; Then ." },
        { "de", "Er sagte „ja.“ und ging, z.B. am 5. Mai usw. Nr. 3.",
          "Er sagte &quot; ja &quot; . und ging , z.B. am 5. Mai usw. Nr. 3." },
        { "de", "1\u00a0000 \"Euro\", geht's?", "1,000 &quot; Euro &quot; , geht &apos; s ?" },
        { "de", "Das ist gut.\"x", "Das ist gut &quot; .x" },
        { "ru", "Он жил в 1995г. и т.д. «Ёлки-палки»", "Он жил в 1995г. и т.д. &quot; Ёлки @-@ палки &quot;" },
        { "ru", "г. Москва. тыс. руб.", "г. Москва. тыс. руб." },
        { "fr", "L'eau d'été ,\"oui\"", "L&apos; eau d&apos; été &quot; , oui &quot;" },
        { "en", "end.'", "end . &apos;" },
        { "en", "5. 5.a .5 1.2. x", "5 . 5.a .5 1.2. x" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        FREED_BY(buf_free) Buf words = { 0 };
        FREED_BY(ranges_free) RangeList map = { 0 };
        Moses *moses;
        Err err;
        assert_ok(moses_new(&moses, MOSES_WORDS, rows[i].language, false, &err), &err);
        assert_ok(moses_apply(moses, MOSES_WORDS, rows[i].text, strlen(rows[i].text), &words, &map, &err), &err);
        assert_string_equal(words.data, rows[i].words);
        assert_int_equal(map.len, words.len);
        for (size_t k = 0; k < map.len; k++)
            assert_true(map.data[k].begin <= map.data[k].end && map.data[k].end <= strlen(rows[i].text));
        moses_free(moses);
    }
    (void)state;
}

TEST(joins_words_like_sacremoses)
{
    static const struct {
        const char *language, *words, *text;
    } rows[] = {
        { "en", "He said &quot; yes &quot; , is n &apos;t it ?", "He said \"yes\", is n't it?" },
        { "en", "foo @-@ bar ( x ) [ y ] $ 5 % &amp; z", "foo-bar (x) [y] $5% & z" },
        { "en", "the boys &apos; house &apos; s", "the boys' house 's" },
        { "de", "&quot; Ja &quot; , geht &apos; s &apos; nicht ?", "\"Ja\", geht 's' nicht?" },
        { "fr", "C ' est bien ; d' accord ! l' eau", "C 'est bien ; d'accord ! l'eau" },
        { "en", "漢 字 a 가 b", "漢字 a 가 b" },
        { "ko", "한 국 말", "한 국 말" },
        { "de", "„ x “ ` y `", "„x“ `y`" },
        { "it", "l' acqua '' '' z", "l'acqua '''' z" },
        { "en", "¿ que ? &#91; a &#124; b &#93; &lt;", "¿que? [a | b] <" },
        { "en", "@-@ a @-@ @-@ b @-@", "-a-@-@ b-" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        FREED_BY(buf_free) Buf text = { 0 };
        FREED_BY(ranges_free) RangeList map = { 0 };
        Moses *moses;
        Err err;
        assert_ok(moses_new(&moses, MOSES_TEXT, rows[i].language, false, &err), &err);
        assert_ok(moses_join(moses, rows[i].words, strlen(rows[i].words), &text, &map, &err), &err);
        assert_string_equal(text.data, rows[i].text);
        assert_int_equal(map.len, text.len);
        moses_free(moses);
    }
    (void)state;
}

TEST(takes_linear_time_for_runs_of_marks)
{
    static const char *const marks[] = { ".", "a.", "' ", "\"", " ", "1,", "-", "x-" };
    Moses *moses;
    Err err;

    assert_ok(moses_new(&moses, MOSES_WORDS | MOSES_TEXT, "en", false, &err), &err);
    for (size_t i = 0; i < COUNT(marks); i++) {
        FREED_BY(buf_free) Buf text = { 0 }, words = { 0 }, again = { 0 };
        while (text.len < 60000) buf_put_text(&text, marks[i]);
        assert_ok(moses_apply(moses, MOSES_WORDS, text.data, text.len, &words, NULL, &err), &err);
        assert_ok(moses_join(moses, text.data, text.len, &again, NULL, &err), &err);
    }
    moses_free(moses);
    (void)state;
}

/* Writes the files of an FSMT folder. */
static void write_folder(const char *folder, const char *config, const char *merges)
{
    write_json(folder, "tokenizer_config.json", config);
    write_json(
        folder, "vocab-src.json",
        "{'<s>':0,'<pad>':1,'</s>':2,'<unk>':3,'a</w>':4,'ab</w>':5,'b':6,'.</w>':7,'c</w>':8,'\xcc\x87</w>':9}");
    write_json(folder, "vocab-tgt.json", "{'<s>':0,'<pad>':1,'</s>':2,'<unk>':3,'a</w>':4,'b':5,'.</w>':6}");
    write_text(folder, "merges.txt", merges);
}

FOLDER_TEST(fsmt_has_two_vocabularies_and_the_end_of_each_word)
{
    static const int32_t target[] = { 5, 4, 2, 6 };
    FREED_BY(buf_free) Buf text = { 0 };
    Range ranges[COUNT(target)];
    Err err;

    write_folder(*state, "{'langs':['en','de']}", "a b</w> 12\n\nonly\nc c");
    Tokenizer *tokenizer = open_with(*state, "fsmt", "en", "deu");
    CHECK_IDS(tokenizer, "ab a. X", 0, 5, 4, 7, 3, 2);
    CHECK_IDS(tokenizer, "ba </s>", 0, 6, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2);
    assert_string_equal(tokenizer_source_spelling(tokenizer, 5), "ab\xe2\x96\x81");
    assert_string_equal(tokenizer_source_language(tokenizer), "en");
    assert_ok(tokenizer_decode(tokenizer, target, COUNT(target), &text, ranges, &err), &err);
    assert_string_equal(text.data, "ba.");
    assert_int_equal(ranges[0].end, 1);
    assert_int_equal(ranges[1].end, 2);
    assert_int_equal(ranges[3].begin, 2);
    tokenizer_free(tokenizer);
    check_refused(*state, "fsmt", "fr", NULL, ERR_USAGE, SETTING(FROM) " fr: this model translates from en only");

    write_folder(*state, "{'langs':['en','de'],'do_lower_case':true}", "a b</w>\n");
    tokenizer = open_with(*state, "fsmt", NULL, NULL);
    CHECK_IDS(tokenizer, "AB A \xc4\xb0", 0, 5, 4, 3, 9, 2);
    tokenizer_free(tokenizer);
}

FOLDER_TEST(fsmt_names_faults_of_its_files)
{
    static const struct {
        const char *config, *merges, *fault;
    } rows[] = {
        { "{}", "a b</w>\n", ": langs is missing in tokenizer_config.json and config.json" },
        { "{'langs':['en']}", "a b</w>\n", "/tokenizer_config.json: langs must be a list of two languages" },
        { "{'langs':['en','de']}", "a b</w>", "/merges.txt: there are no merges" },
        { "{'langs':['en','de']}", "a b</w>\na b</w>\n", "/merges.txt: the merge in line 2 appears twice" },
        { "{'langs':['en','de']}", "a b</w>\na \xff\n", "/merges.txt: line 2 is not valid UTF-8" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        write_folder(*state, rows[i].config, rows[i].merges);
        check_folder_refused(*state, "fsmt", rows[i].fault);
    }
}

TESTS(test_moses);
