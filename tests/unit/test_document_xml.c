/* test_document_xml.c - document/xml: the units of XML, their spelling, how a program reads their placeholders, and
 * what is refused. Every document is also written with its own texts, which must give the same bytes. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    static const DocumentCase cases[] = {
        { NULL, "elements with text" },
        { "<a><b>One</b><c x='no'> Two\n</c></a>", "One|Two" },
        { "<?xml version=\"1.0\"?><!-- no --><p>A <b>bold</b> <?no no?><i/>word</p>", "A bold word" },
        { "<p>See <ul><li>one</li><li>two</li></ul> and <b><i>this</i></b></p>", "See|one|two|and this" },
        { "<p>a &amp; b &lt; c &#8217;&#x2019; &quot;d&apos;</p>", "a & b < c ’’ \"d'" },
        { "<p><![CDATA[a < & c]]></p>", "a < & c" },
        { "<p>&lt;b x=&quot;y>z&quot;>a&#60;/b> c &lt;d e&gt; 1&lt;2</p>", "a c <d e> 1<2" },
        { "<p><![CDATA[<p class='x'>a <b>c</b><br/>\n<your name></p>]]></p>", "a c|<your name>" },
        { "<p>x <![CDATA[ a\n< ]]> y</p>", "x a < y" },
        { "<p>one\n  two</p>", "one two" },
        { "<p><![CDATA[A &amp; B & &eacute;&copy C&#33;]]></p>", "A & B & é&copy C!" },
        { "<p>A &amp;amp; B &amp; &amp;eacute; &amp;amp &amp;;</p>", "A & B & é &amp &;" },
        { "<p xml:space='preserve'>  one\n  two</p>", "one two" },
        { "<p its:translate='no'>No <b translate='yes'>Yes</b></p>", "Yes" },
        { "<p>Call <c translate='no'>Name</c> now</p>", "Call Name now" },
        { "<!DOCTYPE p [<!ENTITY e \"no\">]><p>a &e; b</p>\n", "a  b" },
        { "<!DOCTYPE p [<!-- no --><!ATTLIST q translate CDATA 'no'>]><p>a <q>No</q> b</p>", "a No b" },
        { "\xef\xbb\xbf<p>a\r\nb</p>", "a b" },
        { "<?xml version='1.0' encoding='ISO-8859-1'?><p>é</p>", "é" },
        { "<p translate='no'><q translate='10,2'>No</q></p>", "" },
        { "<p>1 2</p>", "" },
        { "<p>one<br/>two<br/> three<br></br>four &lt;br/>five&lt;/p>\n&lt;p>six</p>",
          "one|two|three|four|five</p> <p>six" },
        { "<p><![CDATA[<p>One.</p><p>Two <i>three</i></p>]]></p>", "One.|Two three" },
        { "<!DOCTYPE p [<!ENTITY nbsp '&#160;'><!ENTITY eacute '&#233;'><!ENTITY e 'no'>]>"
          "<p>ten&nbsp;houses caf&eacute; &e;<b>&eacute;</b></p>",
          "ten\xc2\xa0houses café é" },
        { NULL, "empty lines divide messages" },
        { "<p>One.\n\nTwo.\n three</p>", "One.|Two. three" },
        { NULL, "links of Markdown" },
        { "<r><p>See [the docs](a?b&amp;c) or ![a &lt;b>dog&lt;/b>](d.png)!</p></r>", "See the docs or a dog!" },
        { "<r><p>A list[i](x), [a] (b) and [c](d e).</p></r>", "A list[i](x), [a] (b) and [c](d e)." },
        { NULL, "notes in a text are texts of their own" },
        { "<p>One<footnote><para>two</para> <para>three</para></footnote> four</p>", "two|three|One four" },
        { "<p>The cat<indexterm><primary>cat</primary><secondary>black</secondary></indexterm></p>",
          "The cat|cat|black" },
        { "<p><note>one</note>two <b>three<fn>four <i>five</i></fn></b></p>", "one|four five|two three" },
        { "<p>one<note>two<fn>three</fn> four</note></p>", "one|three|two four" },
        { "<p>one <note translate='no'>two</note><fn/> three</p>", "one two three" },
        { "<note>one <b>two</b></note>", "one two" },
        { NULL, "the strings of Android" },
        { "<resources><string name='a'>It\\'s \\\"x\\\" \\u0041</string></resources>", "It's \"x\" A" },
        { "<resources><string name='a'>\"It's  x\"</string></resources>", "It's  x" },
        { "<resources><string name='a' translatable='false'>No</string><color>no</color>"
          "<string name='b'>@string/no</string><string name='c'><b>?Yes</b></string></resources>",
          "?Yes" },
        { "<resources><plurals name='a'><item quantity='one'>%d day</item><item quantity='other'>%d days</item>"
          "</plurals><string-array name='b'><item>x</item></string-array></resources>",
          "%d day|%d days|x" },
        { "<resources><string name='a'>a\\nb <![CDATA[x]]></string><string name='b'><![CDATA[<a href=\\\"x\\\">"
          "It\\'s]]></string></resources>",
          "a b x|<a href=\"x\">It's" },
        { "<resources><string name='a'>Hi <xliff:g id='n'>%1$s</xliff:g>\\ \\u12</string></resources>", "Hi %1$s u12" },
        { "<resources><string name='a'>x \\ud83d\\ude00 \\ud83d y</string><item type='string' name='b'>c</item>"
          "<item type='id' name='d'>no</item></resources>",
          "x 😀  y|c" },
        { "<resources><string name='a'>\"a  <b>b  c</b>  d\"  e</string></resources>", "a  b  c  d e" },
        { "<resources><string>\\n@a</string><string>\\u00a0?b</string><string>&#10;@c</string>"
          "<string>\xc2\xa0@d</string></resources>",
          "@a|?b|@c|@d" },
        { NULL, "the strings of .resx" },
        { "<root><resheader name='version'><value>No</value></resheader><data name='a' xml:space='preserve'><value>"
          "Open\n  {0}</value><comment>No</comment></data><data name='b' type='System.Drawing.Size'><value>No</value>"
          "</data><data name='c' mimetype='x'><value>No</value></data><data name='>>d.Name'><value>No</value></data>"
          "<data name='&gt;&gt;e'><value>No</value></data><data name='$this.Text'><value>&amp;Two</value></data>"
          "<metadata name='x'><value>No</value></metadata></root>",
          "Open|Two" },
        { NULL, "pairs in bilingual files" },
        { "<xliff><file source-language='en'><trans-unit><source>a <g id='1'>b</g><x id='2'/></source>"
          "<target state='new'>x</target></trans-unit><trans-unit translate='no'><source>no</source></trans-unit>"
          "<trans-unit><source>one<x id='1' ctype='lb'/>two<ph id='2'>&lt;br/></ph>three</source></trans-unit>"
          "<trans-unit><source>c<bpt id='1'>&lt;b></bpt>d<ept id='1'/></source><target/></trans-unit></file></xliff>",
          "a b{2}|one|two|three|cd" },
        { "<TS><message><source>a\n b</source><translation type='obsolete'>x</translation></message><message><source>c"
          "</source><translation>d</translation></message><message numerus='yes'><source>%n e</source><translation "
          "type='unfinished'><numerusform></numerusform><numerusform>f</numerusform></translation></message></TS>",
          "c|%n e|%n e" },
        { "<tmx><header srclang='en-US'/><body><tu><tuv xml:lang='fr'><seg>x</seg></tuv>"
          "<tuv xml:lang='en'><seg>a</seg></tuv></tu></body></tmx>",
          "a" },
        { "<tmx><header srclang='en'/><body><tu><tuv xml:lang='de'><seg>x</seg></tuv><tuv xml:lang='fr'><seg>y</seg>"
          "</tuv></tu></body></tmx>",
          "" },
        { "<tmx><header srclang='*all*'/><body><tu><tuv xml:lang='de-AT'><seg>x</seg></tuv><tuv xml:lang='fr'>"
          "<seg>y</seg></tuv></tu><tu srclang='de'><tuv xml:lang='de'><seg>z</seg></tuv></tu></body></tmx>",
          "y" },
    };
    document_cases_check(&document_xml, cases, COUNT(cases));
}

TEST(spells_translations_as_xml)
{
    static const DocumentTextCase cases[] = {
        { "<p>a</p>", "x < y & \"z\" ]]>", "<p>x &lt; y &amp; \"z\" ]]&gt;</p>" },
        { "<p>a &quot;b&#x22; ></p>", "\"c\" > \"", "<p>&quot;c&#x22; > \"</p>" },
        { "<p><![CDATA[a > b]]></p>", "x < & ]]> ]]>", "<p><![CDATA[x < & ]]]]><![CDATA[> ]]]]><![CDATA[>]]></p>" },
        { "<resources><string>a</string></resources>", "@l'\"a\" \\ ? &",
          "<resources><string>\\@l\\'\\\"a\\\" \\\\ ? &amp;</string></resources>" },
        { "<resources><string>Hi @a ?</string></resources>", "@a ?", "<resources><string>\\@a ?</string></resources>" },
        { "<resources><string>\\'Hi @a</string></resources>", "@a", "<resources><string>\\@a</string></resources>" },
        { "<resources><string>&amp; @a</string></resources>", "@a", "<resources><string>\\@a</string></resources>" },
        { "<p xml:lang='en'>a</p>", "x\x01", "<p xml:lang='de'>x\ufffd</p>" },
    };

    document_cases_check_texts(&document_xml, cases, COUNT(cases));
}

#define SEGMENT(mid, text)           "<mrk mtype='seg' mid='" mid "'>" text "</mrk>"
#define UNIT_OF(source, target)      "<xliff><trans-unit><source>a</source>" source target "</trans-unit></xliff>"
#define ONE_SEGMENT                  "<seg-source>" SEGMENT("1", "a") "</seg-source>"
#define TWO_SEGMENTS                 "<seg-source>" SEGMENT("1", "a") SEGMENT("2", "b") "</seg-source>"
#define ONE_EMPTY                    "<seg-source>" SEGMENT("1", "a") SEGMENT("2", "") "</seg-source>"
#define TARGET(attributes, segments) "<target" attributes ">" segments "</target>"
#define REVIEW                       " state=\"needs-review-translation\""

TEST(writes_translations_of_xliff)
{
    static const WrittenCase cases[] = {
        { "de",
          "<xliff><file source-language=\"en\">\n <trans-unit approved='yes'>\n  <source> a </source>\n </trans-unit>\n"
          "<trans-unit><x:source>b</x:source><x:target id='1' /></trans-unit></file></xliff>",
          "T",
          "<xliff><file target-language=\"de\" source-language=\"en\">\n <trans-unit approved='no'>\n  <source> a "
          "</source>\n  <target state=\"needs-review-translation\"> T </target>\n </trans-unit>\n<trans-unit><x:source>"
          "b</x:source><x:target state=\"needs-review-translation\" id='1'>T</x:target></trans-unit></file></xliff>" },
        { "de",
          "<xliff srcLang='en' trgLang='fr'><unit><segment subState='x:y' state='initial'><source>a</source><target>b"
          "</target></segment><segment><source>c</source></segment></unit></xliff>",
          "T",
          "<xliff srcLang='en' trgLang='de'><unit><segment state='translated'><source>a</source><target>T</target>"
          "</segment><segment state=\"translated\"><source>c</source><target>T</target></segment></unit></xliff>" },
        /* segments and labels stay */
        { "de",
          "<xliff><file><trans-unit><source>a</source><seg-source><mrk mtype='seg' mid='0'>a</mrk></seg-source>"
          "</trans-unit><trans-unit><source>b</source><target xml:lang='fr' state='new' state-qualifier='exact-match' "
          "/></trans-unit><trans-unit><source>c</source><target  state-qualifier = 'exact-match' xml:lang='fr'>"
          "</target></trans-unit></file></xliff>",
          "T",
          "<xliff><file><trans-unit><source>a</source><seg-source><mrk mtype='seg' mid='0'>a</mrk></seg-source><target "
          "state=\"needs-review-translation\"><mrk mtype='seg' mid='0'>T</mrk></target></trans-unit><trans-unit>"
          "<source>b</source><target xml:lang='de' state='needs-review-translation'>T</target></trans-unit><trans-unit>"
          "<source>c</source><target state=\"needs-review-translation\" xml:lang='de'>T</target></trans-unit></file>"
          "</xliff>" },
        /* targets with empty segments are translated */
        { "de", UNIT_OF(ONE_SEGMENT, TARGET("", "<mrk mtype='seg' mid='1'/>")), "T",
          UNIT_OF(ONE_SEGMENT, TARGET(REVIEW, SEGMENT("1", "T"))) },
        { "de", UNIT_OF(ONE_SEGMENT, TARGET("", "\n" SEGMENT("0", "") SEGMENT("2", " "))), "T",
          UNIT_OF(ONE_SEGMENT, TARGET(REVIEW, SEGMENT("1", "T"))) },
        { "de",
          "<xliff version='2.0'><unit><segment><source>a</source><target><mrk "
          "id='1'/></target></segment></unit></xliff>",
          "T",
          "<xliff version='2.0'><unit><segment state=\"translated\"><source>a</source><target>T</target></segment>"
          "</unit></xliff>" },
        /* translated segments beside empty ones stay */
        { "de", UNIT_OF(TWO_SEGMENTS, TARGET(" state='final'", SEGMENT("1", "c") " <mrk mtype='seg' mid='2' />")), "T",
          UNIT_OF(TWO_SEGMENTS, TARGET(" state='needs-review-translation'", SEGMENT("1", "c") " " SEGMENT("2", "T"))) },
        { "de", UNIT_OF(TWO_SEGMENTS, TARGET("", SEGMENT("2", "") SEGMENT("3", "") SEGMENT("1", "c"))), "T",
          UNIT_OF(TWO_SEGMENTS, TARGET(REVIEW, SEGMENT("2", "T") SEGMENT("3", "") SEGMENT("1", "c"))) },
        /* texts without letters, and segments that are empty in both languages, are copied */
        { "de",
          "<xliff><file><trans-unit><source>12 <x id='1'/></source></trans-unit>"
          "<trans-unit><source>12</source><target>13</target></trans-unit></file></xliff>",
          "T",
          "<xliff><file><trans-unit><source>12 <x id='1'/></source>"
          "<target state=\"needs-review-translation\">12 <x id='1'/></target></trans-unit>"
          "<trans-unit><source>12</source><target>13</target></trans-unit></file></xliff>" },
        { "de", UNIT_OF(ONE_EMPTY, TARGET("", SEGMENT("1", "c") SEGMENT("2", ""))), "T",
          UNIT_OF(ONE_EMPTY, TARGET("", SEGMENT("1", "c") SEGMENT("2", ""))) },
        { "de", "<xliff><trans-unit><source>" SEGMENT("1", "") "</source><target/></trans-unit></xliff>", "T",
          "<xliff><trans-unit><source>" SEGMENT("1", "") "</source><target/></trans-unit></xliff>" },
    };

    document_cases_check_written(&document_xliff, cases, COUNT(cases), false);
}

TEST(writes_translations_of_qt)
{
    static const WrittenCase cases[] = {
        { "de",
          "<TS language='de'><message numerus='yes'><source>a</source><translation><numerusform/>"
          "<numerusform></numerusform></translation></message><message numerus='yes'>"
          "<source>b</source><translation/></message></TS>",
          "T",
          "<TS language='de'><message numerus='yes'><source>a</source><translation type=\"unfinished\"><numerusform>T"
          "</numerusform><numerusform>T</numerusform></translation></message><message numerus='yes'><source>b</source>"
          "<translation type=\"unfinished\"><numerusform>T</numerusform><numerusform>T</numerusform></translation>"
          "</message></TS>" },
        { "de",
          "<TS language='de'><message numerus='yes'><source>a</source><translation type='unfinished'>\n <numerusform/>"
          "\n</translation></message><message numerus='yes'><source>b</source></message></TS>",
          "T",
          "<TS language='de'><message numerus='yes'><source>a</source><translation type='unfinished'>\n <numerusform>T"
          "</numerusform>\n <numerusform>T</numerusform>\n</translation></message><message numerus='yes'><source>b"
          "</source><translation type=\"unfinished\"><numerusform>T</numerusform><numerusform>T</numerusform>"
          "</translation></message></TS>" },
        { "de",
          "<TS language=\"x\"><message><source>a</source><translation></translation></message>"
          "<message>\n <source>b</source>\n <comment/>\n</message></TS>",
          "T",
          "<TS language=\"de\"><message><source>a</source><translation type=\"unfinished\">T"
          "</translation></message><message>\n <source>b</source>\n <comment/>\n "
          "<translation type=\"unfinished\">T</translation>\n</message></TS>" },
        /* texts without letters are copied */
        { "de", "<TS><message><source>12</source><translation type='unfinished'/></message></TS>", "T",
          "<TS language=\"de\"><message><source>12</source>"
          "<translation type='unfinished'>12</translation></message></TS>" },
    };

    document_cases_check_written(&document_qt, cases, COUNT(cases), false);
}

TEST(writes_translations_of_tmx)
{
    static const DocumentTextCase cases[] = {
        { "<tmx><header srclang='en'/><body><tu>\n<tuv xml:lang='en'> <seg>a</seg> </tuv>\n</tu>"
          "<tu><tuv lang='EN'><seg>b</seg></tuv><tuv lang='de-AT'><seg/></tuv></tu></body></tmx>",
          "T",
          "<tmx><header srclang='en'/><body><tu>\n<tuv xml:lang='en'> <seg>a</seg> </tuv>\n<tuv xml:lang=\"de\"> <seg>T"
          "</seg> </tuv>\n</tu><tu><tuv lang='EN'><seg>b</seg></tuv><tuv lang='de-AT'><seg>T</seg></tuv></tu></body>"
          "</tmx>" },
    };

    document_cases_check_texts(&document_tmx, cases, COUNT(cases));
}

TEST(writes_markup_at_its_places)
{
    static const struct {
        const DocumentFormat *format;
        const char *document, *source, *text, *written;
        Range places[5];
        size_t spaces; /* elements that stand for a space */
    } cases[] = {
        /* Codes of Angular: only start tags are numbered. */
        { &document_xml,
          "<xliff><trans-unit><source>a <x id='START_TAG_B'/>b <ph id='START_TAG_B_12'/>c<ph id='CLOSE_TAG_B'/><x "
          "id='CLOSE_TAG_B'/> d<x id='START_'/>e<x id='CLOSE_A'/>f<x id='START_A_1'/>g</source></trans-unit></xliff>",
          "a b c defg",
          "xxx yyy zzz",
          "><x id='START_TAG_B'/>xxx <ph id='START_TAG_B_12'/>yyy<ph id='CLOSE_TAG_B'/><x id='CLOSE_TAG_B'/> "
          "z<x id='START_'/>z<x id='CLOSE_A'/><x id='START_A_1'/>z<",
          { { 0, 7 }, { 4, 7 }, { 9, 9 }, { 10, 10 }, { 10, 10 } },
          0 },
        /* words stay apart at newlines */
        { &document_qt,
          "<TS><message><source>One,\ntwo\n three</source><translation>x</translation></message></TS>",
          "One, two three",
          "Eins, zwei drei",
          "<TS language=\"de\"><message><source>One,\ntwo\n three</source>"
          "<translation>Eins,\nzw\n ei drei</translation></message></TS>",
          { { 5, 5 }, { 8, 8 } },
          2 },
        /* the indentation of lines stays */
        { &document_xml,
          "<p xml:space='preserve'>One,\n\ttwo \n  three&#10;  four</p>",
          "One, two three four",
          "Ein zwe, drei vier",
          "<p xml:space='preserve'>Ein\n\tzwe, \n  drei&#10;  vier</p>",
          { { 3, 3 }, { 8, 8 }, { 13, 13 } },
          3 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Rendering made = { .text = cases[i].text, .length = strlen(cases[i].text), .places = cases[i].places };
        Document *doc = document_cases_open(cases[i].format, cases[i].document);
        char *out = document_cases_write(doc, &made), *same = document_cases_write(doc, NULL);
        const UnitText source = document_source(doc, 0);
        size_t spaces = 0;
        for (size_t k = 0; k < source.markup_count; k++) spaces += source.markup[k].is_space;
        assert_int_equal(spaces, cases[i].spaces);
        assert_string_equal(source.text, cases[i].source);
        assert_string_equal(same, cases[i].document);
        if (!strstr(out, cases[i].written)) fail_msg("%s lacks %s", out, cases[i].written);
        free(out);
        free(same);
        document_free(doc);
    }
}

TEST(obeys_select_and_skip)
{
    static const char *const selects[] = { "b", "x:c" }, *const skips[] = { "s" };
    static const DocumentOptions options = { .selects = selects, .select_count = 2, .skips = skips, .skip_count = 1 };
    Document *doc;
    Err err;

    assert_ok(document_cases_read(&document_xml,
                                  "<a>no<b>one <s>kept</s></b><x:c><d>two</d></x:c><y:c>no</y:c><s><b>no</b></s></a>",
                                  &options, &doc, &err),
              &err);
    assert_int_equal(document_unit_count(doc), 2);
    assert_string_equal(document_source(doc, 0).text, "one kept");
    assert_true(document_source(doc, 0).runs[1].is_kept);
    assert_string_equal(document_source(doc, 1).text, "two");
    document_free(doc);
}

TEST(keeps_translations_unless_asked)
{
    static const char text[] = "<xliff><trans-unit><source>a</source><target>b</target></trans-unit></xliff>";
    DocumentOptions options = { .language = NULL };
    Document *doc;
    Err err;

    assert_ok(document_cases_read(&document_xliff, text, &options, &doc, &err), &err);
    assert_false(document_is_wanted(doc, 0));
    assert_string_equal(document_own_text(doc, 0).text, "b");
    options.retranslate = true;
    assert_true(document_is_wanted(doc, 0));
    document_free(doc);
}

#define ANDROID(text) "<resources><string name='a'>" text "</string></resources>"

/* How a program reads placeholders is known from the format, and from the placeholders in tags. */
TEST(knows_how_placeholders_are_read)
{
    static const struct {
        const DocumentFormat *format;
        const char *text;
        ArgumentRule rule;
    } cases[] = {
        { &document_xml, "<p>a</p>", ARGUMENTS_UNKNOWN },
        { &document_xml, "<resources><color>a</color></resources>", ARGUMENTS_UNKNOWN },
        { &document_xml, ANDROID("a"), ARGUMENTS_PRINTF },
        { &document_android, ANDROID("a"), ARGUMENTS_PRINTF },
        { &document_xml, "<xliff><trans-unit><source>a</source></trans-unit></xliff>", ARGUMENTS_IN_ORDER },
        { &document_xml, "<TS><message><source>a</source><translation/></message></TS>", ARGUMENTS_IN_ORDER },
        { &document_xml, "<root><resheader/><data name='a'><value>a</value></data></root>", ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("Open <a href='x'>the page</a>."), ARGUMENTS_PRINTF },
        { &document_android, ANDROID("Open <a href='%s'>the page</a>."), ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("<a href='{}'>the page</a>"), ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("Open &lt;a href=\\\"%s\\\">the page&lt;/a>."), ARGUMENTS_IN_ORDER },
        { &document_xml, "<p>Open <a href='%s'>the page</a>.</p>", ARGUMENTS_UNKNOWN },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(cases[i].format, cases[i].text);
        assert_int_equal(document_unit_count(doc), 1);
        if (document_source(doc, 0).arguments != cases[i].rule) fail_msg("%s", cases[i].text);
        document_free(doc);
    }
}

/* --- What is refused, and deep documents ------------------------------------- */

TEST(refuses_what_is_not_xml)
{
    document_cases_refuse(&document_xml, "<a>\n<b>é</a>", "f:2:7: not well-formed XML: mismatched tag");
    document_cases_refuse(&document_xml, "", "f:1:1: not well-formed XML: the document is empty");
    document_cases_refuse(&document_xml, "<a>&nbsp;</a>", "f:1:4: not well-formed XML: undefined entity");
    document_cases_refuse(&document_qt, "import x from 'y';", "f:1:1: not XML: a file of this format begins with <TS>");
    document_cases_refuse(&document_qt, "<!-- --><a/>", "f:1:9: the first element must be <TS>");
}

/* Checks that the document is refused for this reason; NULL: it is read. Frees the text. */
static void check_reason(Buf *text, const char *reason)
{
    const DocumentOptions options = { .language = NULL };
    Document *doc;
    Err err;
    const Status st = document_cases_read(&document_xml, text->data, &options, &doc, &err);

    if (reason) {
        assert_int_equal(st, ERR_FORMAT);
        assert_non_null(strstr(err.text, reason));
    } else {
        char *same;
        assert_ok(st, &err);
        same = document_cases_write(doc, NULL);
        assert_string_equal(same, text->data);
        free(same);
    }
    document_free(doc);
    buf_free(text);
}

TEST(refuses_entity_bombs_and_reads_deep_nesting)
{
    Buf text = { 0 };

    /* Ten entities, each of which contains the one before ten times. In texts they stay references; in attributes they
     * would expand. */
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e0 'x'>");
    for (int i = 1; i < 10; i++) {
        buf_put_format(&text, "<!ENTITY e%d '", i);
        for (int k = 0; k < 10; k++) buf_put_format(&text, "&e%d;", i - 1);
        buf_put_text(&text, "'>");
    }
    buf_put_text(&text, "]><a b='&e9;'>c</a>");
    check_reason(&text, "too many entities that contain entities");
    /* An entity of 100 kB in 1,000 attributes. */
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e '");
    document_cases_repeat(&text, "x", 100000);
    buf_put_text(&text, "'>]><a>");
    document_cases_repeat(&text, "<b c='&e;'/>", 1000);
    buf_put_text(&text, "d</a>");
    check_reason(&text, "the entities expand to too many bytes");
    document_cases_repeat(&text, "<a>x", 10000);
    document_cases_repeat(&text, "</a>", 10000);
    check_reason(&text, NULL);
}

TEST(refuses_too_many_declared_attributes)
{
    static const char many[] = "the DTD declares too many attributes";
    static const char added[] = "the DTD adds too many attributes to the elements";
    static const struct {
        int attributes;
        size_t elements;
        const char *reason;
    } cases[] = { { 256, 200, NULL }, { 16, 100000, NULL }, { 257, 1, many }, { 256, 400, added } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf text = { 0 };
        buf_put_text(&text, "<!DOCTYPE r [<!ATTLIST a");
        for (int k = 0; k < cases[i].attributes; k++) buf_put_format(&text, " b%d CDATA 'x'", k);
        buf_put_text(&text, ">]><r>");
        document_cases_repeat(&text, "<a/>", cases[i].elements);
        buf_put_text(&text, "</r>");
        check_reason(&text, cases[i].reason);
    }
}

TESTS(test_document_xml);
