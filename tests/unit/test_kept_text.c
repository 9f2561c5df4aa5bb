/* test_kept_text.c - translator/kept_text.c: sentences with stand-ins or without their
 * items, and the items in translations. In these sentences, { and } are around items. */
#include "test_support.h"

#include <stdlib.h>

#include "kept_text.h"

static const char *const names[] = { "X1", "X2", "X3", NULL }, *const numbers[] = { "23", "45", NULL };

typedef struct {
    char text[256];
    Range ranges[8];
    size_t len, count;
    LineText prefix, others;
} Sentence;

static Sentence read_marked(const char *marked)
{
    Sentence s = { .len = 0 };

    for (; *marked; marked++) {
        if (*marked == '{')
            s.ranges[s.count].begin = s.len;
        else if (*marked == '}')
            s.ranges[s.count++].end = s.len;
        else
            s.text[s.len++] = *marked;
    }
    return s;
}

static LineText text_of(const char *text)
{
    return (LineText){ text, strlen(text) };
}

static KeptSource source_of(const Sentence *s)
{
    static Span spans[sizeof s->ranges / sizeof *s->ranges];

    for (size_t i = 0; i < s->count; i++) spans[i] = span_at(DRAGOMAN_SPAN_KEPT, s->ranges[i]);
    return (KeptSource){
        .text = { s->text, s->len }, .spans = spans, .count = s->count, .prefix = s->prefix, .others = s->others
    };
}

static KeptText stand_in(const Sentence *s)
{
    const KeptSource source = source_of(s);
    KeptText out = { 0 };
    Err err;

    assert_ok(kept_text_write(&out, &source, names, numbers, &err), &err);
    return out;
}

static KeptText leave_out(const Sentence *s)
{
    const KeptSource source = source_of(s);
    KeptText out = { 0 };
    Err err;

    assert_ok(kept_text_write(&out, &source, NULL, NULL, &err), &err);
    return out;
}

/* Checks sentences as the model reads them: with stand-ins, or without their items. */
static void check_texts(const char *const cases[][2], size_t count, KeptText (*write)(const Sentence *))
{
    for (size_t i = 0; i < count; i++) {
        const Sentence s = read_marked(cases[i][0]);
        KeptText text = write(&s);
        assert_string_equal(text.text.data, cases[i][1]);
        kept_text_free(&text);
    }
}

TEST(stand_ins_take_the_places_of_groups)
{
    static const char *const cases[][2] = {
        { "Open {a.txt} now", "Open X1 now" },
        { "{a} and {b}", "X1 and X2" },
        { "{a} {b}, {c}/{d} and {e}", "X1 and X2" },
        { "{a} ({b})", "X1 (X2)" },
        { "yes{|}no or x{|}{y}", "yes X1 no or xX2" },
        { "See {a}. {b} is", "See X1. X2 is" },
        { "X1 and {a}", "X1 and X2" },
        { "{%d} of {%s} and {$n} houses", "23 of X1 and 45 houses" }, /* numbers stand for numbers */
        { "{%s}/{%n} files of {%n}/{%s}", "23 files of X1" },
        { "23 of {%d}", "23 of 45" },
    };

    check_texts(cases, COUNT(cases), stand_in);
}

TEST(names_in_other_texts_stand_for_nothing)
{
    Sentence s = read_marked("Open {a.txt} now");
    KeptText text;

    s.prefix = text_of("Der X1");
    s.others = (LineText){ "a\0X2", 5 };
    text = stand_in(&s);
    assert_string_equal(text.text.data, "Open X3 now");
    assert_int_equal(text.prefix.len, 0);
    kept_text_free(&text);
}

TEST(stand_ins_take_the_places_of_items_in_the_prefix)
{
    static const char *const cases[][4] = {
        { "{A-1} is new", "A-1 ist", "X1 is new", "X1 ist" },
        { "{A-1}, {A-2} ({A-3}) are new", "A-2 und", "X1, X2 (X3) are new", "X2 und" },
        { "{Tom} and {Tom S} and {Tom}", "Ein Tom S Tom, Tom, Tom", "X1 and X2 and X3", "Ein X2 X1, X3, Tom" },
        { "{Tom} is new", "Toms Tomate", "X1 is new", NULL },
        { "{%d}px and {,} {-}", "%dpx, - und %d", "X1 and X2", "X1, - und %d" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Sentence s = read_marked(cases[i][0]);
        KeptText text;
        s.prefix = text_of(cases[i][1]);
        text = stand_in(&s);
        assert_string_equal(text.text.data, cases[i][2]);
        if (cases[i][3])
            assert_string_equal(text.prefix.data, cases[i][3]);
        else
            assert_int_equal(text.prefix.len, 0);
        kept_text_free(&text);
    }
}

TEST(there_are_no_edits_without_enough_names)
{
    const Sentence s = read_marked("{a} 1 {b} 2 {c} 3 {d}");
    KeptText text = stand_in(&s);

    assert_int_equal(text.count, 0);
    kept_text_free(&text);
}

TEST(what_is_left_out_leaves_no_double_space)
{
    static const char *const cases[][2] = {
        { "Visit {url} for more", "Visit for more" },
        { "Visit {url}.", "Visit." },
        { "Visit {url}", "Visit" },
        { "{url} is here", "is here" },
        { "Visit {url}, then", "Visit, then" },
        { "The file ({a}) is", "The file is" },
        { "Press \"{OK}\" now", "Press now" },
        { "From {a} to {b}!", "From to!" },
        { "{a} b {c}", "b" },
        { "in {a} (x)", "in (x)" },
        { "in (v{1}s) x", "in x" },
        { "{a} ({b}) c", "c" },
        { "{a} \"{b}\" c", "c" },
        { "{a} x{b} c", "c" },
        { "I saw \"{A}\"{B}\" in", "I saw \" in" },
        { "yes{|}no", "yes no" },
    };

    check_texts(cases, COUNT(cases), leave_out);
}

TEST(a_space_that_the_next_item_begins_with_belongs_to_that_item)
{
    Sentence s = read_marked("{Tom}{ S} is new");
    KeptText text;

    s.prefix = text_of("Tom"); /* so the items are two groups */
    text = leave_out(&s);
    assert_string_equal(text.text.data, "is new");
    assert_int_equal(text.count, 2);
    assert_int_equal(text.edits[0].after, 0);
    kept_text_free(&text);
}

/* Every byte of what remains comes from the same byte of the sentence. */
TEST(ranges_of_the_text_become_those_of_the_sentence)
{
    static const char *const cases[] = { "Visit {url} for {a}, {b} or (\"{c}\").", "{a} b {c} d", "b {a}" };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Sentence s = read_marked(cases[i]);
        KeptText texts[2] = { stand_in(&s), leave_out(&s) };
        for (size_t t = 0; t < 2; t++) {
            for (size_t at = 0, e = 0; at < texts[t].text.len; at++) {
                Range range = { at, at + 1 };
                kept_edits_trace(texts[t].edits, texts[t].count, &range, 1);
                while (e < texts[t].count && texts[t].edits[e].from.end <= at) e++;
                if (e < texts[t].count && texts[t].edits[e].from.begin <= at)
                    assert_true(range.begin == texts[t].edits[e].to.begin || range.end == texts[t].edits[e].to.end);
                else
                    assert_int_equal(s.text[range.begin], texts[t].text.data[at]);
            }
            kept_text_free(&texts[t]);
        }
    }
}

TEST(stand_ins_are_found_as_whole_words_and_once)
{
    static const struct {
        const char *translation;
        bool found;
    } cases[] = {
        { "X2, X1", true },
        { "(X1)-Datei X2", true },
        { "X1", false },
        { "X1 X2 X1", false },
        { "X12 X2", false },
        { "AX1 X2", false },
        { "X1s X2", false },
        { "\xc3\xa4X1 X2", false },
        { "X1\xe3\x80\x82X2", true },
        { "\xe7\x9a\x84X1\xe7\x9a\x84X2", true },
        { "X1 X11 X2 AX1", true },
    };
    const Sentence s = read_marked("{a} and {b}");
    KeptText text = stand_in(&s);
    KeptEdit edits[2];

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(kept_text_find(&text, text_of(cases[i].translation), edits), cases[i].found);
    kept_text_free(&text);
}

/* Finds the stand-ins in a translation, and puts the groups there. Returns false unless all are found. `edits` has room
 * for them. */
static bool put(const Sentence *s, const KeptText *text, const char *translation, KeptEdit *edits, Buf *out)
{
    Err err;

    buf_clear(out);
    if (!kept_text_find(text, text_of(translation), edits)) return false;
    assert_ok(kept_text_put(text, (LineText){ s->text, s->len }, text_of(translation), edits, out, &err), &err);
    return true;
}

/* A sentence, its translation with stand-ins, and with their groups. */
static void check_put(const char *const row[3])
{
    const Sentence s = read_marked(row[0]);
    KeptText text = stand_in(&s);
    KeptEdit edits[2];
    Range last = { strlen(row[1]) - 1, strlen(row[1]) };
    Buf out = { 0 };

    assert_true(put(&s, &text, row[1], edits, &out));
    assert_string_equal(out.data, row[2]);
    kept_edits_trace(edits, text.count, &last, 1);
    assert_int_equal(last.end, out.len);
    buf_free(&out);
    kept_text_free(&text);
}

/* The spaces around the stand-in vanish with it. */
TEST(a_group_that_divides_words_still_does)
{
    static const char *const cases[][2] = {
        { "ja X1 nein", "ja|nein" }, { "ja X1", NULL },    { "X1 nein", NULL },
        { "ja X1, nein", NULL },     { "jaX1nein", NULL },
    };
    const Sentence s = read_marked("yes{|}no");
    KeptText text = stand_in(&s);
    KeptEdit edit;
    Buf out = { 0 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(put(&s, &text, cases[i][0], &edit, &out), cases[i][1] != NULL);
        if (cases[i][1]) assert_string_equal(out.data, cases[i][1]);
    }
    buf_free(&out);
    kept_text_free(&text);
}

TEST(dividers_that_share_a_space_are_not_found)
{
    const Sentence s = read_marked("yes{|}no{|}so");
    KeptText text = stand_in(&s);
    KeptEdit edits[2];

    assert_string_equal(text.text.data, "yes X1 no X2 so");
    assert_true(kept_text_find(&text, text_of("ja X1 n X2 so"), edits));
    assert_false(kept_text_find(&text, text_of("ja X1 X2 so"), edits));
    kept_text_free(&text);
}

TEST(groups_are_put_to_their_places)
{
    static const char translation[] = "X2: X1.";
    const Sentence s = read_marked("{aa}, {b} and {c}");
    KeptText text = stand_in(&s);
    KeptEdit edits[2];
    Range ranges[] = { { 0, 2 }, { 2, 3 }, { 3, 6 }, { 6, 7 }, { 7, 7 } };
    Buf out = { 0 };

    assert_true(put(&s, &text, translation, edits, &out));
    assert_string_equal(out.data, "c: aa, b.");
    assert_int_equal(edits[0].group, 1);
    kept_edits_trace(edits, 2, ranges, COUNT(ranges));
    assert_int_equal(ranges[0].end, 1);
    assert_int_equal(ranges[1].begin, 1);
    assert_int_equal(ranges[2].begin, 2);
    assert_int_equal(ranges[2].end, 8);
    assert_int_equal(ranges[3].begin, 8);
    assert_int_equal(ranges[4].end, 9);
    buf_free(&out);
    kept_text_free(&text);
}

TEST(what_is_beside_groups_stays_as_in_the_sentence)
{
    static const char *const cases[][3] = {
        /* Addresses are not continued. */
        { "The {http://a.org} website {x@a.org} here", "Die X1-Website und X2-Adresse",
          "Die http://a.org Website und x@a.org Adresse" },
        { "The {www.a.org}-site and {http://b} 2", "X1-Website, X2-2", "www.a.org-Website, http://b-2" },
        { "The {a}/{http://b} site of {NASA} people", "X1-Seite, X2-Leute", "a/http://b Seite, NASA-Leute" },
        { "Go {%@} to {http://b}.", "X1-Weg, X2-Seite", "%@-Weg, http://b-Seite" },
        { "Go {http://b} or {c} it", "X1-X2", "http://b c" },
        { "The {%d} files of {%1} houses", "23-Dateien, X1-H\xc3\xa4user", "%d Dateien, %1 H\xc3\xa4user" },
        { "The {%d}-files of {%n} years", "23-Dateien, 45-j\xc3\xa4hrig", "%d-Dateien, %n-j\xc3\xa4hrig" },
        { "The {@Override} of {react@18.2} package", "Die X1-Anmerkung im X2-Paket",
          "Die @Override-Anmerkung im react@18.2-Paket" },
        /* No-break spaces stay. */
        { "In Figure\u00a0{a} now", "In Bild X1 jetzt", "In Bild\u00a0a jetzt" },
        { "See {a}\u00a0km of\u00a0{b}", "X2 sehen X1 km", "b sehen a\u00a0km" },
        { "See {a}\u00a0is\u00a0{b} of", "X1 X2 von", "a\u00a0b von" },
        { "In {a} or\u00a0{b}", "In X1-X2", "In a-b" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) check_put(cases[i]);
}

static void find_tokens(RangeList *out, const char *text)
{
    size_t begin = 0;
    Err err;

    for (size_t i = 0; i <= strlen(text); i++) {
        if (text[i] && text[i] != ' ' && !strchr(".,", text[i])) continue;
        if (i > begin) assert_ok(ranges_append(out, (Range){ begin, i }, 1, &err), &err);
        begin = i;
    }
    if (text[begin]) assert_ok(ranges_append(out, (Range){ begin, strlen(text) }, 1, &err), &err);
}

/* `links`: the source word of each word of the translation, by its letter. */
typedef struct {
    const char *sentence, *translation, *links, *expected, *prefix;
} PlaceCase;

static void check_place(const PlaceCase *c)
{
    Sentence s = read_marked(c->sentence);
    KeptText text;
    RangeList sources = { 0 }, targets = { 0 };
    SoftAlignment alignment = { 0 };
    AlignmentBlock block = { 0 };
    KeptEdit edits[8];
    Buf out = { 0 };
    Err err;

    s.prefix = text_of(c->prefix);
    text = leave_out(&s);
    find_tokens(&sources, text.text.data);
    find_tokens(&targets, c->translation);
    assert_int_equal(targets.len, strlen(c->links));
    block = (AlignmentBlock){ 0, targets.len, calloc(sources.len + 1, sizeof(size_t)), sources.len,
                              calloc(targets.len * sources.len + 1, sizeof(float)) };
    for (size_t i = 0; i < sources.len; i++) block.sources[i] = i;
    for (size_t t = 0; t < targets.len; t++) block.values[t * sources.len + (size_t)(c->links[t] - 'a')] = 1;
    assert_ok(soft_alignment_take(&alignment, &block, &err), &err);
    kept_places_find(&(KeptSentence){ .text = &text,
                                      .sentence = { s.text, s.len },
                                      .sources = &sources,
                                      .translation = text_of(c->translation),
                                      .targets = &targets,
                                      .alignment = &alignment,
                                      .forced = strlen(c->prefix) },
                     edits);
    assert_ok(kept_text_put(&text, (LineText){ s.text, s.len }, text_of(c->translation), edits, &out, &err), &err);
    assert_string_equal(out.data, c->expected);
    buf_free(&out);
    soft_alignment_free(&alignment);
    ranges_free(&sources);
    ranges_free(&targets);
    kept_text_free(&text);
}

/* A group is at the place that divides what came before it from what came after it. */
static const PlaceCase places[] = {
    { "Visit {url} for more.", "Besuchen Sie weitere.", "aacd", "Besuchen Sie url weitere.", "" },
    { "Visit {url} for more.", "Mehr finden unter.", "cabd", "Mehr finden url unter.", "" },
    { "We saw {it} today.", "Heute sahen wir.", "cbad", "Heute sahen wir it.", "" },
    { "Visit {url}, then call.", "Besuchen, dann rufen.", "abcde", "Besuchen url, dann rufen.", "" },
    { "{a} is new.", "ist neu.", "abc", "a ist neu.", "" },
    { "It is {a}", "Es ist", "ab", "Es ist a", "" },
    { "The file ({a}) is here", "Die Datei ist da", "abcd", "Die Datei (a) ist da", "" },
    { "From {a} to {b}.", "Von bis.", "abc", "Von a bis b.", "" },
    { "{a} x {b} (y).", "y x.", "bac", "a b y x.", "" },
    { "now =%{a} to", "jetzt =% zu", "abc", "jetzt =%a zu", "" },
    { "Use {a} now", "\xe7\x94\xa8\xe5\x9c\xa8 \xe4\xbb\x8a", "ab",
      "\xe7\x94\xa8\xe5\x9c\xa8"
      "a \xe4\xbb\x8a",
      "" },
    { "We saw {\xe6\x97\xa5} today.", "Wir sahen heute.", "abcd", "Wir sahen \xe6\x97\xa5 heute.", "" },
    { "Use {\xe6\x97\xa5} now", "\xe7\x94\xa8\xe5\x9c\xa8 \xe4\xbb\x8a", "ab",
      "\xe7\x94\xa8\xe5\x9c\xa8\xe6\x97\xa5 \xe4\xbb\x8a", "" },
    /* The word that translates the one that touches a group touches it; another one does not. */
    { "the {<}red{>} house", "das rote Haus", "abc", "das <rote> Haus", "" },
    { "{<}red{>} house", "rotes Haus", "ab", "<rotes> Haus", "" },
    { "it is {#}px wide", "es ist Px breit", "abcd", "es ist #Px breit", "" },
    { "a b{#}c d", "w x y z", "abcd", "w x#y z", "" },
    { "the {#}s are", "die sind", "ac", "die # sind", "" },
    /* Items in the prefix are there, and all others after it. */
    { "{Tom} saw us in {Ulm}.", "Tom sah uns in.", "aabcd", "Tom sah uns in Ulm.", "Tom" },
    { "{Tom} saw us in {Ulm}.", "In Ulm sah Tom uns.", "ccaabd", "In Ulm sah Tom Tom uns.", "In Ulm sah" },
    { "The file ({a}) of {b} is here", "Datei b ist da", "bbde", "Datei b (a) ist da", "Datei b" },
    { "The file ({a}) is here", "Datei a ist da", "bbcd", "Datei a ist da", "Datei a" },
    { "The file ({a}) is here", "Datei ab ist da", "bbcd", "Datei ab a ist da", "Datei a" },
    { "It costs {1} cent", "Es ist 17 Cent", "aabc", "Es ist 17 1 Cent", "Es ist 1" },
    { "I see {Bob}", "Bobhaben ich", "ba", "Bobhaben ich Bob", "Bob" },
};

TEST(items_left_out_come_to_their_places)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        print_message("%s\n", places[i].sentence);
        check_place(&places[i]);
    }
}

TEST(a_sentence_of_items_and_marks_needs_no_model)
{
    static const struct {
        const char *marked;
        bool needed;
    } cases[] = {
        { "{a}", false }, { " {a}: ({b})! ", false }, { "{a} b", true }, { "{a} 1", true }, { "x {a}", true }
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Sentence s = read_marked(cases[i].marked);
        const KeptSource source = source_of(&s);
        assert_int_equal(kept_text_is_needed(&source), cases[i].needed);
    }
}

TESTS(test_kept_text);
