/* test_keep_patterns.c - document/keep/keep_patterns.c: what documents keep by default. */
#include "keep_cases.h"

#include <time.h>

#include "keep_patterns.h"

/* Each by itself, because another pattern could hide one that matches nothing. */
TEST(patterns_match_their_examples)
{
    Err err;

    for (const KeepPattern *pattern = keep_patterns; pattern->expression; pattern++) {
        KeepRules *rules = keep_cases_rules();
        assert_ok(keep_rules_add_expression(rules, pattern->expression, &err), &err);
        assert_non_null(pattern->examples[0]);
        for (size_t i = 0; i < KEEP_EXAMPLES && pattern->examples[i]; i++) {
            const bool is_whole = strncmp(pattern->expression, "\\A", 2) == 0;
            char text[200];
            (void)snprintf(text, sizeof text, is_whole ? "%s" : "A %s word.", pattern->examples[i]);
            keep_cases_assert_found(rules, text, pattern->examples[i]);
        }
        keep_rules_free(rules);
    }
}

TEST(keeps_what_patterns_match)
{
    static const KeepCase cases[] = {
        /* Addresses and technical names. */
        { "See https://example.org/a?b=c&d=%20#e.", "https://example.org/a?b=c&d=%20#e" },
        { "Is it http://example.org, or www.example.org/x?", "http://example.org|www.example.org/x" },
        { "(see https://en.wikipedia.org/wiki/C_(language)).", "https://en.wikipedia.org/wiki/C_(language)" },
        { "“http://[::1]:80/”; HTTP://A.B!", "http://[::1]:80/|HTTP://A.B" },
        { "请看https://example.org/查看。好", "https://example.org/" },
        { "Visit https://example.org/{lang}/x.", "https://example.org/{lang}/x" },
        { "ftp://ftp.example.org/pub/ and mailto:me@example.org", "ftp://ftp.example.org/pub/|mailto:me@example.org" },
        { "Write to first.last+tag@mail.example.co.uk.", "first.last+tag@mail.example.co.uk" },
        { "the file /usr/lib/x.so, ~/.bashrc or ../a/b.", "/usr/lib/x.so|~/.bashrc|../a/b" },
        { "Edit src/main.c and ./configure.", "src/main.c|./configure" },
        { "In C:\\Program Files\\x\\y.txt. And D:\\.", "C:\\Program Files\\x\\y.txt|D:\\" },
        { "Use --name, --out-dir=/tmp/x or --no-color.", "--name|--out-dir=/tmp/x|--no-color" },
        { "From 192.168.1.1 (or 10.0.0.0/8) to 127.0.0.1:8080, version 6.1.0.22.",
          "192.168.1.1|10.0.0.0/8|127.0.0.1:8080|6.1.0.22" },
        { "服务器192.168.178.123在线，地址是10.100.200.250。", "192.168.178.123|10.100.200.250" },
        { "In 1.234.567.890 Fällen am 3.4.2024, 1.2.3.4.5 und 1.2.3.4567; 01.23.45.67.", "" },
        { "See example.com/docs/a-b, git@github.com:a/b-c.git or 2001:db8::1.",
          "example.com/docs/a-b|git@github.com:a/b-c.git|2001:db8::1" },
        { "Id 550e8400-e29b-41d4-a716-446655440000 (9f86d081884c7d659a2feaa0c55ad015) of 2024-01-01T00:00:00Z.",
          "550e8400-e29b-41d4-a716-446655440000|9f86d081884c7d659a2feaa0c55ad015|2024-01-01T00:00:00Z" },
        { "Open house.txt with snake_case_x and house.getDogs().", "house.txt|snake_case_x|house.getDogs()" },
        { "It reads SubRip (.srt), \".ssa\", .tar.gz/.7z and .PDF or .ipynb.", ".srt|.ssa|.tar.gz|.7z|.PDF|.ipynb" },
        { "支持.ssa文件。 Edit .gitignore, .bashrc or c.ipynb, a.py and b.pyc.",
          ".ssa|.gitignore|.bashrc|c.ipynb|a.py|b.pyc" },
        { "It was late .and then we slept .So we . . .left ...and .5 of (.25) it. The end.So it.is", "" },
        { "The :attribute must be (:value) :material-account-circle: @smith2020. See @fig-old-house, (@eq-x).",
          ":attribute|:value|:material-account-circle:|@smith2020|@fig-old-house|@eq-x" },
        { "One\\nTwo\\t three", "\\n|\\t" },
        { "Date: ........ Name: ____________", "........|____________" },
        { "The house | The houses", "|" },
        /* Placeholders. */
        { "%s has %d files of %-5.2f MB", "%s|%d|%-5.2f" },
        { "%1$s and %2$d, %@, %lu, %5.1f%% or %ds", "%1$s|%2$d|%@|%lu|%5.1f|%%|%d" },
        { "%1$,.2f, %,d, %'d of %2$'d, %(,.2f; % d and % 5.1f", "%1$,.2f|%,d|%'d|%2$'d|%(,.2f|% d|% 5.1f" },
        { "It is %d%% bigger than 50%% of %s%% or %Lf", "%d|%%|%%|%s|%%|%Lf" },
        { "%(name)s of %(count)03d", "%(name)s|%(count)03d" },
        { "%<name>s has %<count>d of %-8<size>s and %<price>.2f.", "%<name>s|%<count>d|%-8<size>s|%<price>.2f" },
        { "%#@files@ in %1$#@all_folders@", "%#@files@|%1$#@all_folders@" },
        { "page %1 of %L2 at %name% or %APP_DATA%", "%1|%L2|%name%|%APP_DATA%" },
        { "Hello {name}, {0}: {user.name!r:>10} {} {list[0]}", "{name}|{0}|{user.name!r:>10}|{}|{list[0]}" },
        { "On {0, date, short} {1,number}", "{0, date, short}|{1,number}" },
        { "On {0:dd MMM yyyy}, {0,10:F2}, {1,-5} {2:MMM d, yyyy}", "{0:dd MMM yyyy}|{0,10:F2}|{1,-5}|{2:MMM d, yyyy}" },
        { "{0,choice,0#are no files|1#is one|1<are {0,number,integer} files}.",
          "{0,choice,0#are no files|1#is one|1<are {0,number,integer} files}" },
        { "{count, plural, one {# file} other {{count} files}} left",
          "{count, plural, one {# file} other {{count} files}}" },
        { "{g, select, a {{n, plural, one {# x {y}} other {z}}} other {w}}.",
          "{g, select, a {{n, plural, one {# x {y}} other {z}}} other {w}}" },
        { "Dear {{ user.name | title }}, {{{raw}}} {% if x %}ok{% endif %}",
          "{{ user.name | title }}|{{{raw}}}|{% if x %}ok{% endif %}" },
        { "In ${HOME} or $(pwd), #{x} %{count}", "${HOME}|$(pwd)|#{x}|%{count}" },
        { "Click <x id=\"1\"/>here</x> or <b>", "<x id=\"1\"/>|</x>|<b>" },
        { "<0/> The house <12/> of </3>", "<0/>|<12/>|</3>" },
        { "Tom &amp; Co &#8211; x", "&amp;|&#8211;" },
        { "If $x$ and $a_1 + b^2 = c$, then $\\alpha$.", "$x$|$a_1 + b^2 = c$|$\\alpha$" },
        { "We have $n$ items and $m > n$ boxes.", "$n$|$m > n$" },
        { "$x = 5$, $a + b = c$; $2 < 3$ ($n - 1$, $|a| / ab$).", "$x = 5$|$a + b = c$|$2 < 3$|$n - 1$|$|a| / ab$" },
        { "The formula \\(x^2 + y\\), \\\\(f(x) + \\alpha\\\\) and \\[a_{[1]} \\le b\\] (see).",
          "\\(x^2 + y\\)|\\\\(f(x) + \\alpha\\\\)|\\[a_{[1]} \\le b\\]" },
        { "The $i$th of $x, y, z$ takes $O(n log n)$.", "$i$|$x, y, z$|$O(n log n)$" },
        { "%s/%s: {a}-{b}", "%s|%s|{a}|{b}" },
        { "%count%%s of %first%%last% (%left%%)", "%count%%s|%first%%last%|%left%%" },
        /* Names between marks. */
        { "%percent%% used, in %HOMEDRIVE%%HOMEPATH%", "%percent%%|%HOMEDRIVE%%HOMEPATH%" },
        { "Dear %first%%last%: page %%pagenumber%% of %d%%, %lu%%", "%first%%last%|%%pagenumber%%|%d|%%|%lu|%%" },
        { "any $LINK_START$tracking domains$LINK_END$ yet", "$LINK_START$|$LINK_END$" },
        { "Click $LINK$here$END$, $A1$$B2$x", "$LINK$|$END$|$A1$$B2$" },
        { "Howdy ###USER_NAME###, see ###SITEURL###.", "###USER_NAME###|###SITEURL###" },
        { "Hi *|FNAME|*, *|IF:COUPON|*use it*|END:IF|* on *|DATE:d/m/y|*",
          "*|FNAME|*|*|IF:COUPON|*|*|END:IF|*|*|DATE:d/m/y|*" },
        { "See [gallery ids=\"1,2\" size='large' columns=3] and [video src=\"a.mp4\"/]",
          "[gallery ids=\"1,2\" size='large' columns=3]|[video src=\"a.mp4\"/]" },
        { "[caption]The house[/caption] is [b]red[/b].", "[caption]|[/caption]|[b]|[/b]" },
        { "It costs US$10$, $US 5$ or A$5; ### Title ### and # x #", "" },
        { "In $HOME/$USER or $PATH:$HOME, [text], [a = b] [see this], [x](y z) [1] *a|*", "|" },
        /* Bars, and names of files in dialogs. */
        { "a|b, || and |x|", "||||||||" },
        { "One file|%d files", "||%d" },
        { "one house |||| many houses", "||||" },
        { "{0} None|[1,19] Some|[20,*] Many; see [1, 2]", "{0}|||[1,19]|||[20,*]" },
        { "Images (*.png *.xpm);;Text (*.txt)", "(*.png *.xpm);;|(*.txt)" },
        { "All Files (*);;C++ (*.cpp, *.h)", "(*);;|(*.cpp, *.h)" },
        { "Open *.txt, *.tar.gz, *.* or *.%1.", "*.txt|*.tar.gz|*.*|*.%1" },
        { "An image *.{png,jpg} or *.log.", "*.{png,jpg}|*.log" },
        { "2*.5 and a*.b, * . x; the end *. So; (x)", "" },
        /* Code and links of Markdown. */
        { "The key `a b`, ``c`` or (`<d>`).", "`a b`|``c``|`<d>`" },
        { "使用`ab`来", "`ab`" },
        { "The option `foo' and `bar', or `%s',`%c'; l`homme et l`enfant; ` a ` b", "%s|%c" },
        { "See [the docs](https://a.org/x) or ![an image](b.png).", "[|](https://a.org/x)|![|](b.png)" },
        { "[Run](command:a.b.c) [it](%{url}/new)", "[|](command:a.b.c)|[|](%{url}/new)" },
        { "A [word] (see [x]), [y] (z) and [a](b c), list[i] (j).", "" },
        { "Before <!-- a <b> - c --> and after -->", "<!-- a <b> - c -->" },
        /* Names with dots and colons. */
        { "Visit castfeedvalidator.com, example.org or my-site.co.io:8080.",
          "castfeedvalidator.com|example.org|my-site.co.io:8080" },
        { "See example.com/a and me@example.com; .com", "example.com/a|me@example.com|.com" },
        { "the end.So it is.Then Example.Com; end.information, this.is, node.appx, a.b.com.So; x.com", "x.com" },
        { "Use org.freedesktop.portal.Desktop or xmpp.muc.room.fmuc.enabled.",
          "org.freedesktop.portal.Desktop|xmpp.muc.room.fmuc.enabled" },
        { "Set httpbind.client.processing.threads-min=1", "httpbind.client.processing.threads-min" },
        { "e.g. a.m. i.e. z.B. d.h. p.m.; one.two, so...then.what, 1.2.3, No.One.Two; Wort.weiß.so", "" },
        { "A std::vector of std::collections::HashMap, Foo::Bar: x", "std::vector|std::collections::HashMap|Foo::Bar" },
        { "word:: word, a ::b, C++::, note::", "" },
        /* Patterns for dates. */
        { "yyyy-MM-dd hh:mm:ss", "yyyy-MM-dd hh:mm:ss" },
        { "MMMM Do [at] h:mm", "MMMM Do [at] h:mm" },
        { "d. MMMM yyyy HH:mm 'Uhr'", "d. MMMM yyyy HH:mm 'Uhr'" },
        { "hh:mma", "hh:mma" },
        { "%A, %B %-d at %H:%M", "%A|%B|%-d|%H:%M" },
        { "%H\u2236%M %p on %Y/%m/%d; %Y年%m月", "%H\u2236%M|%p|%Y|%m|%d|%Y|%m" },
        { "The time is h:mm a today", "" },
        { "Add", "" },
        { "Hmm, essay", "" },
        { "A: mass", "" },
        { "D:", "" },
        { "Q: A", "" },
        { "was a day", "" },
        { "Do a", "" },
        { "Mm. Mm.", "" },
        { "a %age of 50 %B, 5%A; %Anteil, the %-Zeichen", "" },
        /* Messages in messages. */
        { "You have $t(item, { \"count\": {{n}} }) and $t(common.x)", "$t(item, { \"count\": {{n}} })|$t(common.x)" },
        { "Say @:{'message.dio'} or @:message.dio. Also @.lower:(a.b)!",
          "@:{'message.dio'}|@:message.dio|@.lower:(a.b)" },
        { "me@:x, @: y, @home:x, cost$t(a), $t (a)", "" },
        /* Blocks of templates inside sentences. */
        { "{{ name }} has {% if a %}bought{% else %}sold{% endif %} the house.",
          "{{ name }}|{% if a %}bought{% else %}sold{% endif %}" },
        { "{% if a.b != 1 %}We{% else %}{{ c.d }}{% endif %} go.",
          "{% if a.b != 1 %}We{% else %}{{ c.d }}{% endif %}" },
        { "Yesterday {{#if a}}wanted to buy{{else}}wanted to sell{{/if}} it.",
          "{{#if a}}wanted to buy{{else}}wanted to sell{{/if}}" },
        { "It {{#a}}is{{/a}}{{^a}}was{{/a}} {{#b}}a {{#c}}red{{/c}} house{{/b}}.",
          "{{#a}}is{{/a}}|{{^a}}was{{/a}}|{{#b}}a {{#c}}red{{/c}} house{{/b}}" },
        { "I have <% if a %>never<% else %>often<% end %> seen it.", "<% if a %>never<% else %>often<% end %>" },
        { "I have \\ifpdf never\\else often\\fi\\ seen it, \\iff I was \\fill.", "\\ifpdf never\\else often\\fi" },
        { "Take {%- for a in b -%}{% if c %}{{ a }}{% endif %}, {% endfor %} with you.",
          "{%- for a in b -%}{% if c %}{{ a }}{% endif %}, {% endfor %}" },
        /* The whole text, or with the end of a sentence in it. */
        { "{% if a %}The house is big{% endif %}.", "{% if a %}|{% endif %}" },
        { "{{#a}}The house{{/a}}", "{{#a}}|{{/a}}" },
        { "So {% if a %}we open it. Then we{% else %}you{% endif %} go.", "{% if a %}|{% else %}|{% endif %}" },
        { "So {% if a %}we open {% if b %}the door.", "{% if a %}|{% if b %}" },
        { "So {% block a %}we open{% endblock %} the door.", "{% block a %}|{% endblock %}" },
        /* Symbols. */
        { "I like it 😀👍🏽 👨‍👩‍👧 ☀️🇩🇪 1️⃣",
          "😀👍🏽|👨‍👩‍👧|☀️🇩🇪|1️⃣" },
        { "A → B × 2 ≥ ½ §5 © 2020 ★★☆", "→|×|≥|½|§|©|★★☆" },
        { "It is 20 °C, 90° or 5°F.", "°C|°|°F" },
        { "€5, £4 million, €1,500.50, €3.50 and 5 €.", "€5|£4|€|€|€" },
    };
    KeepRules *rules = keep_cases_patterns();

    for (size_t i = 0; i < COUNT(cases); i++) keep_cases_assert_kept(rules, cases[i].text, cases[i].items);
    keep_rules_free(rules);
}

TEST(leaves_ordinary_text)
{
    static const char *const texts[] = {
        "50% of all, 100 % sure, 5%discount and 30%-40%",
        "50% der, 100% (sicher), 100 %(d), in %, d, in % der, 30 % d, in % d'argent, % d’un, % i, the %'s",
        "%(sales), %,der, 5 %, der, in % (d. h. all), (% d. BIP)",
        "{a, b}, {a,b}, {1: the first}, {1:one  two}, {a:one two}, {0, choice}, {choice, one}",
        "He and/or she, 24/7, 1/2, km/h, w/o, TCP/IP, he/she/they",
        "A { alone, and } too; {see the page above}",
        "R&D; AT&T; Q&A",
        "It costs $5 or US$10-$20, 5$ and $1,000.50.",
        "It costs $5 + $3 = $8; between $5 + tax and $10, or US$ 5 = A$ 7.",
        "$5, $6 or US$(7) in A$, B$; $ab, cd$, $x$there, $f (a)$; @home-office, @fig or me@fig-x, not @figure-x",
        "From $5 - a week - up to 6$, $5+/$6, $5 <$10, $ 5 = 5 $, $x = $y",
        "e.g. this, i.e. that; etc. U.S. Mr. Smith",
        "The dog--which barked - ran -- and a - b",
        "a < b and c > d, <3 is no tag: 5 > 3, x<5>y, <5 m>",
        "At 10:30, on 1/5/2010, No. 5, #1, @home, 3:2",
        "the %age; a 5 % interest",
        "E_xit, camelCase, a_b and _this_; a.b.c; 3.5.1; Lehrer_innen, Kolleg_in",
        "He said:yes, at 10:30:45 or 1:2; Leser:innen, a :) or :D and ::",
        "the end.So is it. Das z.B. und/oder d.h. u.a./o.Ä. im Jahr 1234567890, dead beef; Well.... No... a....",
        "f(x), 0x, @home, @smith, me@home: you, the . txt files; C++::",
        "C:, a\\b, 1. item, \\now",
        "wwwhat? www. https: mailto: http://",
        "Ünïcödé and 中文 text — “quotes”… m², $5, 50 %",
        "",
    };
    KeepRules *rules = keep_cases_patterns();

    for (size_t i = 0; i < COUNT(texts); i++) keep_cases_assert_kept(rules, texts[i], "");
    keep_rules_free(rules);
}

/* Finds in a text of copies of a part, in less than a second; with the square of its length, a minute. */
static void find_in_copies(const KeepRules *rules, const char *part, size_t part_length, size_t bytes)
{
    const size_t count = bytes / part_length;
    char *text = support_alloc(bytes + 1);
    const UnitText unit = { .text = text, .length = count * part_length };
    RangeList list = { 0 };
    clock_t begin;
    Err err;

    for (size_t k = 0; k < count; k++) memcpy(text + k * part_length, part, part_length);
    begin = clock();
    assert_ok(keep_rules_find_in_unit(rules, &unit, &list, &err), &err);
    if ((clock() - begin) / CLOCKS_PER_SEC > 20) fail_msg("%.*s: too slow", (int)part_length, part);
    ranges_free(&list);
    free(text);
}

/* Texts of LONG bytes show whether the steps or the stack grow faster than the text; the longest units there are take
 * eight times as long. */
TEST(takes_linear_time_on_any_text)
{
    enum { LONG = 1 << 17 };
    static const char longest[] = "a\n{a,plural,{b}\n\\(()\n[a](b\n<!--\n%H:\n[a b=c \n";
    static const char parts[] =
        "a\na@\na.\n{\n{a,plural,\n{a,plural,{b}\n%\n%a\n$a \n$\n$a=\n$= a\\b \n/a\na/\n../\nC:\\a a\\\n--a=\n"
        "<a b=\"\" \n&\nhttp://a(\nmailto:a@\n{%\n\\(()\n\xc3\xa9\n\\(\n\\(a(\n\\[[]\n\\\\(a\n\\\n<0\n%d%\n% \n%,\n"
        "%1$'\n%<a\n%<a>\n%-8<a\n%#@a\n{0:a \n{0,1\n{0:a a\n{a,choice,\n{a,choice,{b}\n%a%\n%%a\n$A\n###a\n*|A\n"
        "*|A:a \n[a b=\"\n[a b=c \n[a]\n[/a\n|\n(*.a\n*.a \n;;\n<!--\n<!-- -\n`\n`a\n[a](\n[a](b\n](\n](a(\n<code>\n"
        "<code>a\nab.\na.com.\na::\nyy\nyy \n'y' \n[y]y \n%H:\n$t(\n@:a.\n@:{a\n";
    KeepRules *rules = keep_cases_patterns();

    for (const char *at = parts; *at; at += strcspn(at, "\n") + 1) find_in_copies(rules, at, strcspn(at, "\n"), LONG);
    for (const char *at = longest; *at; at += strcspn(at, "\n") + 1)
        find_in_copies(rules, at, strcspn(at, "\n"), UNIT_BYTES);
    keep_rules_free(rules);
}

/* Each pattern on texts that are made of the beginnings of all examples. */
TEST(takes_linear_time_on_texts_of_almost_matches)
{
    enum { LONG = 50000 };
    KeepRules *rules = keep_cases_patterns();

    for (const KeepPattern *pattern = keep_patterns; pattern->expression; pattern++) {
        for (size_t i = 0; i < KEEP_EXAMPLES && pattern->examples[i]; i++) {
            const size_t length = strlen(pattern->examples[i]) - 1;
            if ((unsigned char)pattern->examples[i][length] >= 0x80) continue;
            if (length) find_in_copies(rules, pattern->examples[i], length, LONG);
        }
    }
    keep_rules_free(rules);
}

/* What documents keep of the prose in tests/golden/sentences, lines in four languages that a person wrote: addresses,
 * names of files and symbols, and nothing else. Each item is followed by a blank. */
TEST(keeps_nothing_of_the_words_of_prose)
{
    static const char *const files[][2] = {
        { "en.1", "https://example.com/files/v1.2.3/setup.exe?x=1&y=2 config.json support@example.com Node.js " },
        { "en.2", "www.example.org report.final.pdf C:\\Temp 😀 " },
        { "de.1", "https://www.example.de/download/v2.1/setup.exe info@example.de config.ini " },
        { "de.2", "§ 😀 " },
        { "fr.1", "https://www.exemple.fr/v1.2.3/index.html?a=b info@exemple.fr config.json " },
        { "fr.2", "www.exemple.org rapport.final.pdf 😀 ° " },
        { "es.1", "https://www.ejemplo.es/v1.2.3/index.html?a=b info@ejemplo.es config.json " },
        { "es.2", "😀 www.ejemplo.org informe.final.pdf " },
    };
    KeepRules *rules = keep_cases_patterns();

    for (size_t i = 0; i < COUNT(files); i++) {
        char *path = support_format(GOLDEN_ROOT "/sentences/%s.txt", files[i][0]),
             *file = support_read_file(path, NULL);
        Buf items = { 0 };
        size_t lines = 0;
        for (char *at = file; *at; lines++) {
            const size_t length = strcspn(at, "\n");
            const UnitText text = { .text = at, .length = length };
            RangeList list = { 0 };
            Err err;
            assert_ok(keep_rules_find_in_unit(rules, &text, &list, &err), &err);
            for (size_t k = 0; k < list.len; k++)
                buf_put_format(&items, "%.*s ", (int)(list.data[k].end - list.data[k].begin), at + list.data[k].begin);
            ranges_free(&list);
            at += length + (at[length] == '\n');
        }
        assert_true(lines >= 70);
        assert_string_equal(items.data, files[i][1]);
        buf_free(&items);
        free(file);
        free(path);
    }
    keep_rules_free(rules);
}

TESTS(test_keep_patterns);
