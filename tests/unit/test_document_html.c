/* test_document_html.c - document/html: the units of HTML, and their spelling. Every document is also written with its
 * own texts, which must give the same bytes. */
#include "document_cases.h"
#include "html.h"

#define PAGE "<script src='x'/><p><a name='x'/>A<title/><p>B&nbsp;<br>"

static const DocumentCase html_cases[] = {
    { NULL, "finds the text of blocks and attributes" },
    { "<p>One</p>\n<p> Two\n</p>Three", "One|Two|Three" },
    { "<h1>A<br>B</h1><ul><li>C<li>D</ul>", "A|B|C|D" },
    { "<p>A <span>", "A" }, /* nothing is read after the end */
    { "<p>A <b>bold</b> <i>word</i></p>", "A bold word" },
    { "<p><a href='x'><b>All</b></a></p>", "All" },
    { "<p>See <img alt=\"a cat\" title='x'> here<p title=Hint>y", "a cat|x|See <img> here|Hint|y" },
    { "<meta name=description content='About us'><meta name=robots content=all>", "About us" },
    { "<meta name=twitter:description content=A><meta property='og:image:alt' content=B><meta property=og:url "
      "content=c><table summary=D><b aria-description=E class=x>F</b></table>",
      "A|B|D|E|F" },
    { "<p>The <ruby>cat<rp>(</rp><rt>neko</rt><rp>)</rp></ruby> and <ruby>dog<rt>inu</ruby> <ruby>a<rt>b<rt>c<p>x",
      "The cat and dog a|x" },
    { "<input type=submit value=Go><input type=text value=kept placeholder=Name>", "Go|Name" },
    { "<title>A &amp; <b></title><textarea>x</p></textarea>", "A & <b>|xp>" },
    { "<title>a\n  b</title><textarea>\n Sir,\n\n  I  am\r\n</textarea>", "a b|Sir,|I  am" },
    { "a <iframe title='A film'><p>no</p></iframe> b <svg aria-label=Logo><title>no</title></svg> c",
      "A film|Logo|a  b <svg> c" },
    { "<iframe title=T></iframe><svg title=S /><pre title=P>no</pre><style title=no></style>", "T|S|P" },
    /* The title of a style sheet names its set. */
    { "<link rel=stylesheet title=no><LINK title=no REL='alternate StyleSheet' href=x><link rel=alternate title=T>"
      "<p>a<link rel=\"stylesheet\" title='no' />b",
      "T|a|b" },
    { "<?xml version='1.0'?><iframe title=T /><svg aria-label=S /><script title=no />a", "T|S|a" },
    { "<iframe translate=no title=no></iframe><b translate=no>no <svg title=no></svg></b>", "" },
    { NULL, "leaves code and protected elements alone" },
    { "<script>if (a < b) x('<p>No</p>')</script><style>p { }</style>Yes", "Yes" },
    { "<script><!--\nx('<script>no</script>no');\n//--></script>Yes", "Yes" },
    { "<SCRIPT><!-- x('<Script src=y>');</SCRIPT >no<script/> --></script>Yes", "Yes" },
    { "<script><!-- no</script>Yes<p><script><!-- '<scripts>'</script>Yes", "Yes|Yes" },
    { "<script><!--><script></script>Yes<p><script><!-- --><script></script>Yes", "Yes|Yes" },
    { "<script>'<script>'</script>Yes<p><style><!-- <script></style>Yes<p><style><!--<style></style>Yes",
      "Yes|Yes|Yes" },
    { "<script><!-- <script>no</script>no", "" },
    { "<pre>No <b>no</b> <pre>no</pre> no</pre>Yes", "Yes" },
    { "<div translate=no>No <div>no</div> no</div>Yes", "Yes" },
    { "<div class='a notranslate'>No</div><p class=notranslates>Yes</p><p class=notranslate translate=yes>Yes</p>"
      "<p>A <i class=\"notranslate\" title=no>b</i> c</p>",
      "Yes|Yes|A b c" },
    { "<div translate=no>No <div translate=yes>yes <b translate=no>no <i translate>yes</i></b></div> no"
      "<script>'<p translate=yes>'</script><p translate=yes>Yes</div>No",
      "yes no yes|Yes|No" },
    { "<p>A <span translate=no>b <code translate=yes>c</code></span> <code translate=yes>d</code></p>", "A b c d" },
    { "<p>Call <code>run(x)</code> now", "Call run(x) now" },
    { "<p><code>run(x)</code></p><span translate='no'>Name</span>", "" },
    { "<p><code>open the<br>old file</code><br>now", "now" },
    { "<p><span translate=no>No<br></span>Yes", "Yes" },
    { "<p>x <svg><title>No</title></svg> y", "x <svg> y" },
    { "<!DOCTYPE html><!-- No --><?php no() > 1 ?><% no > 1 %>Yes<![CDATA[ no ]]>", "Yes" },
    { "{% if x %}Yes{% endif %}", "Yes" },
    { "<input placeholder=\"{% trans \"Your name\" %}\"><i title=\"{% x %} a {{ y }}\">b", "a {{ y }}|b" },
    { "<i title='{{ x|y:'No' }}' alt='<%= t('No') %> a' aria-label='A <?php no('x') ?>'>b",
      "{{ x|y:'No' }}|<%= t('No') %> a|A|b" },
    { "<a href=\"<%= x(\"no\") %>\" title=\"{{ 'a\" title=no>b}}<i title='<%'>c", "no|b}}c" },
    { "<i title='{% a' alt='a {% b %} {{ c'>d<i title='{ % x {'>e", "{ % x {|de" },
    { "a <% b<p>c</p> <![CDATA[d]>e<!-- f --!>g", "a  b|c|eg" },
    { "a <% b <% no %> c <%-- no <% no %> no --%> d <![CDATA[ e> f <![CDATA[ no> ]]> g", "a  b  c  d  f  g" },
    { "<p>A <picture><source srcset=x><img src=y></picture> here", "A <img> here" },
    { "", "" },
    { NULL, "keeps names of icons" },
    { "<p><i class=material-icons title=T>home</i> Start <span class='x material-symbols-outlined'>open_in</span>",
      "T|home Start open_in" },
    { "<button><i class=\"material-icons-round\">search</i></button><div class=material-icons title=no>no</div>"
      "<i class=material-icon>a</i>",
      "a" },
    { "<i class=material-icons>no <b>no</b></i><i class=material-icons translate=yes>yes</i>", "no noyes" },
    { NULL, "leaves signatures of programs alone" },
    { "<dl><dt class='sig sig-object py'><em>no</em>(<a title=no>no</a>)</dt><dd>Yes</dd></dl>", "Yes" },
    { "<dt class=sig>a<dt class=sig-object>b", "a|b" },
    { "<div class=member-signature><span>public</span> int</div><div class=type-signature>no</div>Yes", "Yes" },
    { "<section><h4 class='code-header'>pub fn <a>no</a></h4></section><p>Yes", "Yes" },
    { NULL, "leaves statements of angular alone" },
    { "@if (a > (b) || c == ')') {\n  <p>One</p>\n} @else if (c) {\n<p>Two {{ x }} three</p>\n} @else {\n<p>Four\n}\n",
      "One|Two {{ x }} three|Four" },
    { "<li>@for (a of b; track a.id) { One <b>two</b> {{ a }} } @empty { Three }</li>", "One two {{ a }}|Three" },
    { "@let x = a + 'b';\nOne @switch (x) {\n} two", "One @switch (x) { } two" },
    { "@switch (x) { @case (1) { <i>One</i> } @default { Two } } Three", "One|Two|Three" },
    { "@defer (on viewport) {<p>One</p>} @placeholder {<p>Two</p>}@loading (minimum 1s) { Three }", "One|Two|Three" },
    { "One } two @if (x) {<p>@if you {<p>@media (x) {<p>@let us go; now<p>@default<p>@if (a {<p>{a} }",
      "One } two @if (x) {|@if you {|@media (x) {|@let us go; now|@default|@if (a {|{a} }" },
    { "<p>Press <button>@if (x) { Save } @else { Send }</button> now", "Press|Save|Send|now" },
    { "<b>@if (x) { One } two</b> three", "One|two three" },
    { NULL, "controls and unknown elements are parts of texts beside them" },
    { "<p>Press <button title=T>Save <b>it</b></button> now", "T|Press Save it now" },
    { "<button>Save</button> <button>Cancel</button>", "Save|Cancel" },
    { "<button>Save</button> or <button>Cancel</button>", "Save or Cancel" },
    { "<p>In <st1:place><st1:City>London</st1:City></st1:place>, or <st1:City>Rome</st1:City>", "In London, or Rome" },
    { "<p class=x>One<o:p></o:p></p><p><o:p>&nbsp;</o:p></p><p>two <o:p>three</o:p>", "One|two three" },
    { "The <c:choose><c:when>man</c:when><c:otherwise>woman</c:otherwise></c:choose> left", "The|man|woman|left" },
    { "Click <my-icon x=y></my-icon> to save <my-a>a <my-b>file</my-b></my-a>", "Click <my-icon> to save a file" },
    { "Home<my-sep></my-sep>Our house.<x-br></x-br>Terms (<my-i></my-i>new), save<my-i></my-i>",
      "Home|Our house.|Terms (new), save" },
    { "<my-item>One</my-item>\n<my-item>Two</my-item>", "One|Two" },
    { "<my-app>One<p>Two</p></my-app> Three <my-card>four<br>five</my-card>", "One|Two|Three|four|five" },
    { "{% if x %}<my-a>One</my-a>{% endif %}<my-a>Two</my-a>", "One|Two" },
    { "See <video src=x title=T><track label=L></video> here <video>No video</video> now",
      "T|L|See <video> here|No video|now" },
    { "a <my-a translate=no>b</my-a> <button translate=no title=No></button> c", "a b <button> c" },
    { "A <my-a>b <my-a>c</my-a> d</my-a> e <my-a>f", "A b c d e|f" },
    { "a <button><svg><title>no</title></svg> b</button>", "a <svg> b" },
    { "</button>a</my-a>b</o:p>c", "a|b|c" },
    { "a <m:math><m:mi>no</m:mi><svg:svg/></m:math> b <svg:svg><svg:style>no</svg:style></svg:svg>", "a <m:math> b" },
    { "<html xmlns='http://www.w3.org/1999/xhtml'>a <my-a/> b<p/><my-a/><p>c <svg:svg/> d", "a <my-a> b|c  d" },
    { "<html xmlns='http://www.w3.org/1999/xhtml'>a<my-a/>b <my-a/> c", "a|b <my-a> c" },
    { NULL, "ends elements that have no end tag" },
    { "<hr translate=no><p>Text<br translate=no>More", "Text|More" },
    { "<ul><li translate=no>A<ul><li>B</ul>C<li>D</ul><p>E", "D|E" },
    { "<ul><li translate=no>A</ul><p>B", "B" },
    { "<p translate=no>A<p>B", "B" },
    { "<div><p translate=no>A</div>B", "B" },
    { "<table><tr><td translate=no>A<table><tr><td>B</table>C<td>D<tr translate=no><td>E</table>F", "D|F" },
    { "<select><option translate=no>A<option>B</select>C", "B|C" },
    { "<svg width=1 /><p>After", "After" },
    { "<p>a <svg><svg x=\"1\"/></svg> w</p><p>More", "a <svg> w|More" },
    { "<math/>x", "x" },
    { "<div translate=no>A<br>B<p>C</div>D", "D" },
    { NULL, "decodes references" },
    { "a&lt;b &quot;c&quot; &#8217;&#x2019; d&nbsp;e", "a<b \"c\" ’’ d\u00a0e" },
    { "AT&T &copy 2024 &notit; &notin; &nosuch; & x", "AT&T © 2024 ¬it; ∉ &nosuch; & x" },
    { "<a title='?a&copy=b&copy;'>x y</a>", "?a&copy=b©|x y" },
    { "&#150; &#0; &#xd800; x&NotEqualTilde;y", "– \ufffd \ufffd x≂̸y" },
    { "a < b > c <3 \"d\"", "a < b > c <3 \"d\"" },
    { "one\n  two&#10;three", "one two three" },
    /* They divide words of the source; a translation has other words. Identity is checked with them. */
    { NULL, "soft hyphens and word joiners are no text" },
    { "<p>The com&shy;pa&#173;ny&NoBreak;'s in\u00adter\u2060ests\u00ad\u00ad.", "The company's interests." },
    { "<p>&shy;Un <b>&shy;der&shy;</b>&shy; <i>\u00adx</i>\u00ad\n\u00ad y<i title='a&shy;b \u00ad'>&shy;</i>z\u2060",
      "ab|Un der x  yz" },
    { "<p>&shy;</p><p>a &shy; b", "a  b" },
    { "<p>Call <code>a&shy;b</code>", "Call a\u00adb" },
    { NULL, "reads whole elements of XHTML" },
    { "<html xmlns=\"http://www.w3.org/1999/xhtml\">" PAGE, "A|B" },
    { "<!-- x -->\n<ui:page xmlns:ui='y' xmlns='http://www.w3.org/1999/xhtml'>" PAGE, "A|B" },
    { "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"x\">" PAGE, "A|B" },
    { "<?xml version='1.0'?>" PAGE, "A|B" },
    { "<!DOCTYPE html><html>" PAGE, "" },
    { "<html xmlns='x'>" PAGE, "" },
    { "<html xmlns='http://www.w3.org/1999/xhtml'><script src=x/>no</script><p>A <a href=x/>B</a><a name=x />C",
      "A BC" },
    { "<!-- //DTD XHTML 1.0 --><html><p xmlns='http://www.w3.org/1999/xhtml'>" PAGE, "" },
    { NULL, "survives malformed documents" },
    { "<p>a <b>b <i>c</b> d</i> e", "a b c d e" },
    { "</p></b>a</div></div>", "a" },
    { "<p title=\"a>b", "" },
    { "a <!-- b", "a" },
    { "<p>a<script>b", "a" },
    { "<a title=x/>y</a", "x/|y" },
    { "<p>a <code>b <p>c", "a b|c" },
    { "\xef\xbb\xbf<p>a\r\nb", "a b" },
};

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check(&document_html, html_cases, COUNT(html_cases));
}

/* Elements in each other, and elements and code without an end, are searched to a limit, or until the next one begins:
 * with the square of their number, or of the number of attributes, this would take half a minute. */
TEST(reads_very_many_elements_and_attributes)
{
    static const struct {
        const char *begin, *part;
        size_t count, units;
    } rows[] = {
        { "", "a<x-y>", 15000, 15000 },    { "", "a<x-y></x-y>", 15000, 15000 },
        { "", "a<x:y>b", 15000, 15001 },   { "", "<x-y>", 15000, 0 },
        { "", "<p><% x ", 50000, 50000 },  { "", "<p><%-- x ", 50000, 50000 },
        { "", "<p><![CDATA[>", 50000, 0 }, { "<meta name=description", " content=xy", 30000, 30000 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Buf text = { 0 };
        Document *doc;
        buf_put_text(&text, rows[i].begin);
        document_cases_repeat(&text, rows[i].part, rows[i].count);
        buf_put_text(&text, ">");
        doc = document_cases_open(&document_html, text.data);
        assert_int_equal(document_unit_count(doc), rows[i].units);
        document_free(doc);
        buf_free(&text);
    }
}

/* The letters of the first text that are kept become "-". */
TEST(keeps_names_of_icons_and_what_the_innermost_translate_attribute_says)
{
    static const struct {
        const char *page, *kept;
    } cases[] = {
        { "<p>A <span translate=no>b <i translate=yes>c <code>d</code></i> e</span> f "
          "<code translate=yes>g</code> <code>h</code> <b translate=no>i <u>j</u></b> k</p>",
          "A - c - - f g - - - k" },
        { "<p><i class=material-icons>home</i> Start", "---- Start" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(&document_html, cases[i].page);
        const UnitText text = document_source(doc, 0);
        char kept[64] = "";
        memcpy(kept, text.text, text.length);
        for (size_t k = 0; k < text.run_count; k++)
            for (size_t at = text.runs[k].text.begin; text.runs[k].is_kept && at < text.runs[k].text.end; at++)
                if (kept[at] != ' ') kept[at] = '-';
        assert_string_equal(kept, cases[i].kept);
        document_free(doc);
    }
}

TEST(nested_translate_attributes_end_somewhere)
{
    static const DocumentCase no_text = { "<div translate=no><p translate=yes>", "" };
    char page[40000] = "";
    size_t at = 0;

    document_cases_check(&document_html, &no_text, 1);
    for (size_t i = 0; i < 1000; i++)
        at += (size_t)snprintf(page + at, sizeof page - at, "<div translate=%s>%s", i % 2 ? "yes" : "no",
                               i % 2 ? "y" : "n");
    document_cases_check(&document_html, &(DocumentCase){ page, "y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y" }, 1);
}

/* The blanks are elements of the text, which go where the alignment of its words says. */
TEST(writes_blanks_at_their_places)
{
    static const Range places[] = { { 6, 6 }, { 9, 9 }, { 13, 13 } };
    static const char text[] = "Eins. Zweidrei";
    Document *doc = document_cases_open(&document_html, "<p>One.  Two.   Three\tfour  </p>");
    char *out = document_cases_write(doc, &(Rendering){ .text = text, .length = strlen(text), .places = places });

    assert_string_equal(document_source(doc, 0).text, "One. Two. Three four");
    assert_int_equal(document_source(doc, 0).markup_count, 3);
    assert_string_equal(out, "<p>Eins.  Zweidrei  </p>");
    free(out);
    document_free(doc);
}

static const DocumentTextCase html_texts[] = {
    { NULL, "soft hyphens and word joiners are no text", NULL },
    { "<p>&shy;A com&shy;pa\u2060ny &shy;of&#xad; <br>", "B", "<p>B <br>" },
    { NULL, "spells translations as html", NULL },
    { "<p>a", "x < y & \"z\" > &amp;", "<p>x &lt; y &amp; \"z\" &gt; &amp;amp;" },
    { "<p>R&D a&nbsp;b", "F&E\u00a0c &amp;", "<p>F&E&nbsp;c &amp;amp;" },
    { "<p>R&D", "F&lt;", "<p>F&amp;lt;" },
    { "<i title=\"a\">", "x \"y\" 'z' <", "<i title=\"x &quot;y&quot; 'z' &lt;\">" },
    { "<i title=\"a < b\">", "x < y < z", "<i title=\"x < y &lt; z\">" },
    { "<i title='a'>", "x \"y\" 'z' <", "<i title='x \"y\" &#39;z&#39; &lt;'>" },
    { "<i title=a>", "x y>", "<i title=x&#32;y&gt;>" },
};

TEST(writes_texts_in_the_places_of_units)
{
    document_cases_check_texts(&document_html, html_texts, COUNT(html_texts));
}

TESTS(test_document_html);
