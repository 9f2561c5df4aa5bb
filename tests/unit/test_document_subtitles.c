/* test_document_subtitles.c - document/messages: SubRip and WebVTT. */
#include "document_cases.h"

#define TIMES "00:00:01,000 --> 00:00:02,000"
#define VTT   "WEBVTT\n\n"

static void finds_the_cues_of_subrip(void **state)
{
    static const DocumentCase cases[] = {
        { "", "" },
        { "1\n" TIMES "\nOne\n\n2\n" TIMES "\nTwo\nthree\n", "One|Two three" },
        { "1\r\n" TIMES " X1:1\r\n{\\an8}<i>One</i> <b>two\r\n\r\n", "One two" },
        { "1\n" TIMES "\nOne two three four five six,\n\n2\n" TIMES "\na\nb c d\ne\n",
          "One two three four five six, a b c d e" },
        { "1\n" TIMES "\n- One\n- Two\n", "- One|- Two" },
        { "1\n" TIMES "\nOne,\n\n2\n" TIMES "\ntwo.\n\n3\n" TIMES "\nThree...\n\n4\n" TIMES "\n...four",
          "One, two.|Three four" },
        { TIMES "\nOne…\n\n" TIMES "\n{\\an8}…two\nthree... \n\n" TIMES "\nFour... five\n",
          "One two three...|Four... five" },
        { TIMES "\nOne ...\ntwo ...\n\n" TIMES "\n...\n", "One ... two ..." },
        { "1\n" TIMES "\nOne.\n\n2\n" TIMES "\ntwo\n\nthree\n", "One.|two|three" },
        { "Title\n\n1\n" TIMES "\nOne \n \n2\n" TIMES "\n two", "One two" },
        { "1\n" TIMES "\nWhen we came,\n\n2\n" TIMES "\nTom and\n\n3\n" TIMES "\n<i>I'm there\n\n4\n" TIMES "\nIt is",
          "When we came, Tom and I'm there|It is" },
        { "1\n" TIMES "\n<i>One\n…two</i> …\n“three”\n", "One …two … “three”" },
    };
    (void)state;
    document_cases_check(&document_srt, cases, COUNT(cases));
}

static void speakers_sounds_and_songs_are_texts(void **state)
{
    static const DocumentCase srt[] = {
        { TIMES "\nJOHN: Come in.\nMR. O'NEIL #2: Thanks,\nJohn: yes\n",
          "JOHN: Come in.|MR. O'NEIL #2: Thanks, John: yes" },
        { TIMES "\n♪ One two ♪\n<i>♪♪ three\nfour ♪</i>\n", "One two|three four" },
        { TIMES "\n♪ One two ♪\nThree\n<i>♫ four\nfive ♫</i>\nsix\n# Seven #\nEight\n",
          "One two|Three|four five|six|# Seven #|Eight" },
        { TIMES "\n♪ One ♪\n[DOOR CLOSES]\nhe left\n(quietly) at\nten\n",
          "One|[DOOR CLOSES]|he left (quietly) at ten" },
        { TIMES "\nOne\n(quietly) Two\n[a door\ncloses]\n(two\n", "One|(quietly) Two|[a door closes]|(two" },
        { TIMES "\nOne\n\n" TIMES "\n>> ANNA: two\n>>> three\n> four\n", "One|ANNA: two|three > four" },
        { TIMES "\n# One #\n# two #\n#3 three A: b\n", "# One #|# two #|#3 three A: b" },
        { TIMES "\n{\\i1}THE CAT{\\i0}\\NIS\\N OLD\\nx\n", "THE CAT IS OLD\\nx" },
    };
    static const DocumentCase vtt[] = {
        { VTT TIMES "\n<ruby>One<rt>No</rt></ruby> <ruby.x>two<rt.y>no</ruby> three <rt>four\n", "One two three four" },
        { VTT TIMES "\n&gt;&gt; A: one\n>> two &lt;\n&#9834; three\n", "A: one|two <|♪ three" },
    };
    (void)state;
    document_cases_check(&document_srt, srt, COUNT(srt));
    document_cases_check(&document_vtt, vtt, COUNT(vtt));
}

static void brackets_and_colons_in_a_sentence_begin_no_text(void **state)
{
    static const DocumentCase cases[] = {
        { TIMES "\nThe president\n(then a senator) said\n", "The president (then a senator) said" },
        { TIMES "\nThe house\n(which was closed\nfor years), and\n", "The house (which was closed for years), and" },
        { TIMES "\nThe man\n\n" TIMES "\n<i>[sighs]</i> that I know\n", "The man [sighs] that I know" },
        { TIMES "\nI talked to\nNASA: he has been ill\n", "I talked to NASA: he has been ill" },
    };
    (void)state;
    document_cases_check(&document_srt, cases, COUNT(cases));
}

static void cues_get_no_more_lines_than_they_have(void **state)
{
    Document *doc = document_cases_open(&document_srt, TIMES "\nOne two\nthree\n\n" TIMES "\nfour five\n");
    const Range place = { 30, 30 };
    char *out = document_cases_write(
        doc, &(Rendering){ .text = "aaaaaaaaaaaaaaaaa bbbbb ccccc dddddddd eeee", .length = 43, .places = &place });

    (void)state;
    assert_string_equal(out, TIMES "\naaaaaaaaaaaaaaaaa\nbbbbb ccccc\n\n" TIMES "\ndddddddd eeee\n");
    free(out);
    document_free(doc);
    document_cases_check_text(&document_srt, TIMES "\nI don't think that this is\na very good idea, my friend.\n",
                              "Ich glaube nicht, dass das eine sehr gute Idee ist, mein Freund.",
                              TIMES "\nIch glaube nicht, dass das eine\nsehr gute Idee ist, mein Freund.\n");
    document_cases_check_text(&document_srt, TIMES "\nOne two three\nfour\n", "aa bb cc", TIMES "\naa bb cc\n");
}

static void finds_the_cues_of_webvtt(void **state)
{
    static const DocumentCase cases[] = {
        { "WEBVTT - title\nKind: captions\n\nNOTE one\ntwo\n\nSTYLE\n::cue { }\n\nname\n" TIMES
          " align:start\n<v Bob>Three &amp; <c.x>four</c>&lt;\n\n" TIMES "\n<v.loud Ann>Five</v> <00:00:01.500>six\n",
          "Three & four<|Five six" },
        { "WEBVTT\n\nname\n" TIMES "\nOne.\nTwo.\n" TIMES "\nThree.\n", "One. Two.|Three." },
    };
    (void)state;
    document_cases_check(&document_vtt, cases, COUNT(cases));
}

static void what_belongs_to_a_cue_stays_in_it(void **state)
{
    static const DocumentCase srt[] = {
        { TIMES "\n<i>One...</i>\n\n" TIMES "\n...two\n", "One... two" },
        { TIMES "\n<i>One...</i>\n\n" TIMES "\n<b>...two</b>\n", "One... ...two" },
        { TIMES "\nOne....\n\n" TIMES "\n{\\an8}<i>two</i>\n", "One two" },
        { TIMES "\n<i>One…</i>\n\n" TIMES "\n<i>…two…</i>\n\n" TIMES "\n<i>…three.</i>\n", "One two three." },
    };
    static const DocumentCase cases[] = {
        { VTT TIMES "\n<v Ann>One</v>\n\n" TIMES "\n<v Ann>two...</v>\n\n" TIMES "\n<v Tom>and three\n",
          "One two...|and three" },
        { VTT TIMES "\n<v Ann>One\n\n" TIMES "\ntwo\n\n" TIMES "\n<v.loud Tom>three\n", "One two|three" },
        { VTT TIMES "\nso<00:00:01.500><c> we</c>\n\n" TIMES "\nso we\n", "so we|so we" },
        { VTT TIMES "\nso we\n\n" TIMES "\nso we\nand you\n", "so we|so we and you" },
    };
    (void)state;
    document_cases_check(&document_vtt, cases, COUNT(cases));
    document_cases_check_text(&document_srt, TIMES "\nOne...\n\n" TIMES "\n{\\an8}...two\n", "X",
                              TIMES "\n...\n\n" TIMES "\n{\\an8}...X\n");
    document_cases_check_text(&document_srt, TIMES "\n<i>One...</i>\n\n" TIMES "\n<i>....two</i>\n", "X",
                              TIMES "\n<i>...</i>\n\n" TIMES "\n<i>....X</i>\n");
    document_cases_check(&document_srt, srt, COUNT(srt));
}

/* Checks that the markup of the only unit is these spans, which enclose the word "two", and empty elements. */
static void check_spans(const char *text, size_t spans, size_t others)
{
    Document *doc = document_cases_open(&document_srt, text);
    const UnitText source = document_source(doc, 0);
    size_t found = 0;

    assert_int_equal(document_unit_count(doc), 1);
    for (size_t i = 0; i < source.markup_count; i++) {
        const Range place = source.markup[i].text;
        if (source.markup[i].is_empty) continue;
        found++;
        assert_int_equal(place.end - place.begin, 3);
        assert_memory_equal(source.text + place.begin, "two", 3);
    }
    if (found != spans || source.markup_count != spans + others)
        fail_msg("%s: %zu spans of %zu tags", text, found, source.markup_count);
    document_free(doc);
}

static void override_blocks_are_pairs_as_other_tags_are(void **state)
{
    static const DocumentCase cases[] = {
        { TIMES "\n{\\i1}One...{\\i0}\n\n" TIMES "\n{\\i1}...two{\\i0}\n", "One two" },
        { TIMES "\n{\\an8\\i1}One{\\i0}\n\n" TIMES "\n{\\an8}two{\\b1}\n", "One two" },
        { TIMES "\n{i}One...{/i}\n\n" TIMES "\n{i}...two{/i} {x} {\n", "One two {x} {" },
    };

    (void)state;
    check_spans(TIMES "\nOne {\\i1}two{\\i0} three\n", 1, 0);
    check_spans(TIMES "\nOne {\\b700}two{\\b0} three\n", 1, 0);
    check_spans(TIMES "\nOne {\\i1\\b1}two{\\b0\\i0} three\n", 1, 0);
    check_spans(TIMES "\nOne {\\u1}{\\s1}two{\\s0}{\\u} three\n", 2, 0);
    check_spans(TIMES "\nOne {\\c&H0000FF&\\fnArial}two{\\fn\\c} three\n", 1, 0);
    check_spans(TIMES "\nOne {\\i1}{\\1c&HFF&}two{\\r}{\\r} three\n", 2, 0);
    check_spans(TIMES "\nOne {\\an8\\i1}two{\\i0} three\n", 1, 0);
    check_spans(TIMES "\nOne {i}two{/i} three\n", 1, 0);
    check_spans(TIMES "\nOne {\\i1}two{\\b0} {\\r} {\\i1\\b0} {\\} {\\k20}three\n", 0, 6);
    document_cases_check(&document_srt, cases, COUNT(cases));
}

static void divides_a_sentence_over_its_cues(void **state)
{
    static const char text[] = "1\n" TIMES "\nOne two\n\n2\n" TIMES "\nthree four\n";
    Document *doc = document_cases_open(&document_srt, text);
    const UnitText source = document_source(doc, 0);
    char *out;

    (void)state;
    assert_int_equal(source.markup_count, 1);
    out = document_cases_write(doc, &(Rendering){ .text = "a b c d e", .length = 9, .places = &(Range){ 4, 4 } });
    assert_string_equal(out, "1\n" TIMES "\na b\n\n2\n" TIMES "\nc d e\n");
    free(out);
    out = document_cases_write(doc, &(Rendering){ .text = "a b c d e", .length = 9, .places = &(Range){ 6, 6 } });
    assert_string_equal(out, "1\n" TIMES "\na b c\n\n2\n" TIMES "\nd e\n");
    free(out);
    document_free(doc);
}

static void wraps_lines_as_the_source(void **state)
{
    (void)state;
    document_cases_check_text(&document_srt, "1\n" TIMES "\nOne two\nthree\n", "aa bb - cc dd",
                              "1\n" TIMES "\naa bb -\ncc dd\n");
    document_cases_check_text(&document_srt, "1\n" TIMES "\nOne t\nthree\n", "aa bb - cc",
                              "1\n" TIMES "\naa bb -\ncc\n");
}

static void adds_no_blank_lines(void **state)
{
    static const char text[] = "1\n" TIMES "\nOne\n\n2\n" TIMES "\ntwo\nsix\n";
    Document *doc = document_cases_open(&document_srt, text);
    char *out = document_cases_write(
        doc, &(Rendering){ .text = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb cc",
                           .length = 69,
                           .places = &(Range){ 34, 34 } });

    (void)state;
    assert_string_equal(out, "1\n" TIMES "\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa \n\n2\n" TIMES
                             "\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\ncc\n");
    free(out);
    out = document_cases_write(
        doc, &(Rendering){ .text = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb cc",
                           .length = 69,
                           .places = &(Range){ 33, 33 } });
    assert_string_equal(out, "1\n" TIMES "\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n2\n" TIMES
                             "\n bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\ncc\n");
    free(out);
    document_free(doc);
}

static void spells_entities_in_webvtt(void **state)
{
    (void)state;
    document_cases_check_text(&document_vtt, VTT TIMES "\na\n", "x & <y> -->",
                              VTT TIMES "\nx &amp; &lt;y&gt; --&gt;\n");
    document_cases_check_text(&document_vtt, VTT TIMES "\na > b\n", "-->", VTT TIMES "\n--&gt;\n");
    document_cases_check_text(&document_vtt, VTT TIMES "\na > b & c\n", "> &", VTT TIMES "\n> &\n");
    document_cases_check_text(&document_srt, TIMES "\na\n", "x & y", TIMES "\nx & y\n");
}

#define NO_TIMES "expected a cue, but no line has times such as 00:00:01,000 --> 00:00:02,000"

static void refuses_what_is_not_subtitles(void **state)
{
    (void)state;
    document_cases_refuse(&document_srt, "{100}{200}Hello\n", "f:1:1: " NO_TIMES);
    document_cases_refuse(&document_srt, "\n \n[Script Info]\nDialogue: 0,0:00:01.00,,Hello\n", "f:3:1: " NO_TIMES);
    document_cases_refuse(&document_vtt, "\nHello\n", "f:2:1: expected WEBVTT");
    document_cases_refuse(&document_vtt, "WEBVTTX\n", "f:1:1: expected WEBVTT");
    document_cases_refuse(&document_vtt, "1\n" TIMES "\nHello\n", "f:1:1: expected WEBVTT");
}

static void accepts_documents_without_text(void **state)
{
    static const DocumentCase cases[] = { { "", "" }, { " \n\r\n", "" } };
    static const DocumentCase headers[] = { { "WEBVTT", "" }, { "\xef\xbb\xbfWEBVTT a title\n\nNOTE x\n", "" } };

    (void)state;
    document_cases_check(&document_srt, cases, COUNT(cases));
    document_cases_check(&document_vtt, cases, COUNT(cases));
    document_cases_check(&document_vtt, headers, COUNT(headers));
}

TEST_FILE(test_document_subtitles)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_cues_of_subrip),
        cmocka_unit_test(finds_the_cues_of_webvtt),
        cmocka_unit_test(speakers_sounds_and_songs_are_texts),
        cmocka_unit_test(brackets_and_colons_in_a_sentence_begin_no_text),
        cmocka_unit_test(cues_get_no_more_lines_than_they_have),
        cmocka_unit_test(what_belongs_to_a_cue_stays_in_it),
        cmocka_unit_test(override_blocks_are_pairs_as_other_tags_are),
        cmocka_unit_test(divides_a_sentence_over_its_cues),
        cmocka_unit_test(wraps_lines_as_the_source),
        cmocka_unit_test(adds_no_blank_lines),
        cmocka_unit_test(spells_entities_in_webvtt),
        cmocka_unit_test(refuses_what_is_not_subtitles),
        cmocka_unit_test(accepts_documents_without_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
