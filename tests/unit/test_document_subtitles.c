/* test_document_subtitles.c - document/messages: SubRip and WebVTT. */
#include "document_cases.h"

#define TIMES    "00:00:01,000 --> 00:00:02,000"
#define VTT      "WEBVTT\n\n"
#define NO_TIMES "expected a cue, but no line has times such as 00:00:01,000 --> 00:00:02,000"

TEST(finds_the_cues_of_subrip)
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
        { " \n\r\n", "" },
        { NULL, "speakers, sounds and songs are texts" },
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
        { NULL, "brackets and colons in a sentence begin no text" },
        { TIMES "\nThe president\n(then a senator) said\n", "The president (then a senator) said" },
        { TIMES "\nThe house\n(which was closed\nfor years), and\n", "The house (which was closed for years), and" },
        { TIMES "\nThe man\n\n" TIMES "\n<i>[sighs]</i> that I know\n", "The man [sighs] that I know" },
        { TIMES "\nI talked to\nNASA: he has been ill\n", "I talked to NASA: he has been ill" },
        { NULL, "what belongs to a cue stays in it" },
        { TIMES "\n<i>One...</i>\n\n" TIMES "\n...two\n", "One... two" },
        { TIMES "\n<i>One...</i>\n\n" TIMES "\n<b>...two</b>\n", "One... ...two" },
        { TIMES "\nOne....\n\n" TIMES "\n{\\an8}<i>two</i>\n", "One two" },
        { TIMES "\n<i>One…</i>\n\n" TIMES "\n<i>…two…</i>\n\n" TIMES "\n<i>…three.</i>\n", "One two three." },
        { NULL, "override blocks are pairs as other tags are" },
        { TIMES "\n{\\i1}One...{\\i0}\n\n" TIMES "\n{\\i1}...two{\\i0}\n", "One two" },
        { TIMES "\n{\\an8\\i1}One{\\i0}\n\n" TIMES "\n{\\an8}two{\\b1}\n", "One two" },
        { TIMES "\n{i}One...{/i}\n\n" TIMES "\n{i}...two{/i} {x} {\n", "One two {x} {" },
        { NULL, "refuses what is not SubRip" },
        { "{100}{200}Hello\n", "f:1:1: " NO_TIMES },
        { "\n \n[Script Info]\nDialogue: 0,0:00:01.00,,Hello\n", "f:3:1: " NO_TIMES },
    };
    document_cases_check(&document_srt, cases, COUNT(cases));
}

TEST(finds_the_cues_of_webvtt)
{
    static const DocumentCase cases[] = {
        { "", "" },
        { " \n\r\n", "" },
        { "WEBVTT", "" },
        { "\xef\xbb\xbfWEBVTT a title\n\nNOTE x\n", "" },
        { "WEBVTT - title\nKind: captions\n\nNOTE one\ntwo\n\nSTYLE\n::cue { }\n\nname\n" TIMES
          " align:start\n<v Bob>Three &amp; <c.x>four</c>&lt;\n\n" TIMES "\n<v.loud Ann>Five</v> <00:00:01.500>six\n",
          "Three & four<|Five six" },
        { "WEBVTT\n\nname\n" TIMES "\nOne.\nTwo.\n" TIMES "\nThree.\n", "One. Two.|Three." },
        { NULL, "speakers, sounds and songs are texts" },
        { VTT TIMES "\n<ruby>One<rt>No</rt></ruby> <ruby.x>two<rt.y>no</ruby> three <rt>four\n", "One two three four" },
        { VTT TIMES "\n&gt;&gt; A: one\n>> two &lt;\n&#9834; three\n", "A: one|two <|♪ three" },
        { NULL, "what belongs to a cue stays in it" },
        { VTT TIMES "\n<v Ann>One</v>\n\n" TIMES "\n<v Ann>two...</v>\n\n" TIMES "\n<v Tom>and three\n",
          "One two...|and three" },
        { VTT TIMES "\n<v Ann>One\n\n" TIMES "\ntwo\n\n" TIMES "\n<v.loud Tom>three\n", "One two|three" },
        { VTT TIMES "\nso<00:00:01.500><c> we</c>\n\n" TIMES "\nso we\n", "so we|so we" },
        { VTT TIMES "\nso we\n\n" TIMES "\nso we\nand you\n", "so we|so we and you" },
        { NULL, "refuses what is not WebVTT" },
        { "\nHello\n", "f:2:1: expected WEBVTT" },
        { "WEBVTTX\n", "f:1:1: expected WEBVTT" },
        { "1\n" TIMES "\nHello\n", "f:1:1: expected WEBVTT" },
    };
    document_cases_check(&document_vtt, cases, COUNT(cases));
}

/* The markup of the only unit is these spans, which enclose the word "two", and empty elements. */
TEST(override_blocks_are_pairs_as_other_tags_are)
{
    static const struct {
        const char *line;
        size_t spans, others;
    } cases[] = {
        { "One {\\i1}two{\\i0} three", 1, 0 },
        { "One {\\b700}two{\\b0} three", 1, 0 },
        { "One {\\i1\\b1}two{\\b0\\i0} three", 1, 0 },
        { "One {\\u1}{\\s1}two{\\s0}{\\u} three", 2, 0 },
        { "One {\\c&H0000FF&\\fnArial}two{\\fn\\c} three", 1, 0 },
        { "One {\\i1}{\\1c&HFF&}two{\\r}{\\r} three", 2, 0 },
        { "One {\\an8\\i1}two{\\i0} three", 1, 0 },
        { "One {i}two{/i} three", 1, 0 },
        { "One {\\i1}two{\\b0} {\\r} {\\i1\\b0} {\\} {\\k20}three", 0, 6 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = support_format(TIMES "\n%s\n", cases[i].line);
        Document *doc = document_cases_open(&document_srt, text);
        const UnitText source = document_source(doc, 0);
        size_t found = 0;
        assert_int_equal(document_unit_count(doc), 1);
        for (size_t k = 0; k < source.markup_count; k++) {
            const Range place = source.markup[k].text;
            if (source.markup[k].is_empty) continue;
            found++;
            assert_int_equal(place.end - place.begin, 3);
            assert_memory_equal(source.text + place.begin, "two", 3);
        }
        if (found != cases[i].spans || source.markup_count != found + cases[i].others)
            fail_msg("%s: %zu spans of %zu tags", text, found, source.markup_count);
        document_free(doc);
        free(text);
    }
}

#define LONG_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LONG_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* A sentence goes on in the next cue at a place of its translation. Cues get no more lines than they have, and none of
 * them is blank. */
TEST(divides_a_sentence_over_its_cues)
{
    static const struct {
        const char *first, *second, *text;
        size_t place;
        const char *written_first, *written_second;
    } cases[] = {
        { "One two", "three four", "a b c d e", 4, "a b", "c d e" },
        { "One two", "three four", "a b c d e", 6, "a b c", "d e" },
        { "One two\nthree", "four five", "aaaaaaaaaaaaaaaaa bbbbb ccccc dddddddd eeee", 30,
          "aaaaaaaaaaaaaaaaa\nbbbbb ccccc", "dddddddd eeee" },
        { "One", "two\nsix", LONG_A "  " LONG_B " cc", 34, LONG_A " ", LONG_B "\ncc" },
        { "One", "two\nsix", LONG_A "  " LONG_B " cc", 33, LONG_A, " " LONG_B "\ncc" },
    };
    static const char frame[] = "1\n" TIMES "\n%s\n\n2\n" TIMES "\n%s\n";

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Range place = { cases[i].place, cases[i].place };
        const Rendering made = { .text = cases[i].text, .length = strlen(cases[i].text), .places = &place };
        char *text = support_format(frame, cases[i].first, cases[i].second);
        char *expected = support_format(frame, cases[i].written_first, cases[i].written_second);
        Document *doc = document_cases_open(&document_srt, text);
        char *out = document_cases_write(doc, &made);
        assert_int_equal(document_source(doc, 0).markup_count, 1);
        assert_string_equal(out, expected);
        free(out);
        free(text);
        free(expected);
        document_free(doc);
    }
}

TEST(wraps_lines_as_the_source)
{
    static const DocumentTextCase cases[] = {
        { "1\n" TIMES "\nOne two\nthree\n", "aa bb - cc dd", "1\n" TIMES "\naa bb -\ncc dd\n" },
        { "1\n" TIMES "\nOne t\nthree\n", "aa bb - cc", "1\n" TIMES "\naa bb -\ncc\n" },
        { TIMES "\nI don't think that this is\na very good idea, my friend.\n",
          "Ich glaube nicht, dass das eine sehr gute Idee ist, mein Freund.",
          TIMES "\nIch glaube nicht, dass das eine\nsehr gute Idee ist, mein Freund.\n" },
        { TIMES "\nOne two three\nfour\n", "aa bb cc", TIMES "\naa bb cc\n" },
        /* what belongs to a cue stays in it */
        { TIMES "\nOne...\n\n" TIMES "\n{\\an8}...two\n", "X", TIMES "\n...\n\n" TIMES "\n{\\an8}...X\n" },
        { TIMES "\n<i>One...</i>\n\n" TIMES "\n<i>....two</i>\n", "X",
          TIMES "\n<i>...</i>\n\n" TIMES "\n<i>....X</i>\n" },
        { TIMES "\na\n", "x & y", TIMES "\nx & y\n" },
    };

    document_cases_check_texts(&document_srt, cases, COUNT(cases));
}

TEST(spells_entities_in_webvtt)
{
    static const DocumentTextCase cases[] = {
        { VTT TIMES "\na\n", "x & <y> -->", VTT TIMES "\nx &amp; &lt;y&gt; --&gt;\n" },
        { VTT TIMES "\na > b\n", "-->", VTT TIMES "\n--&gt;\n" },
        { VTT TIMES "\na > b & c\n", "> &", VTT TIMES "\n> &\n" },
    };

    document_cases_check_texts(&document_vtt, cases, COUNT(cases));
}

TESTS(test_document_subtitles);
