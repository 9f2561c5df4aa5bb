/* test_sentences.c - document/sentences.c and its rules. In the texts, | marks a boundary, beside the white space
 * that belongs to no sentence. */
#include "test_support.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unicode/uclean.h>
#include <unicode/uloc.h>
#include <unistd.h>

#include "buf.h"
#include "sentences.h"

/* Returns the text with | where a sentence begins. */
static char *mark(Sentences *sentences, const char *text, size_t len)
{
    Range *ranges;
    size_t count, at = 0;
    Buf out = { 0 };
    Err err;

    assert_ok(sentences_find(sentences, text, len, &ranges, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        assert_true(ranges[i].begin >= at && ranges[i].begin < ranges[i].end && ranges[i].end <= len);
        buf_put(&out, text + at, ranges[i].begin - at);
        if (i) buf_put_byte(&out, '|');
        at = ranges[i].begin;
    }
    buf_put(&out, text + at, len - at);
    buf_put(&out, "", 0);
    free(ranges);
    return out.data;
}

static char *without_marks(const char *text)
{
    char *out = support_format("%s", text), *to = out;

    for (const char *from = text; *from; from++)
        if (*from != '|') *to++ = *from;
    *to = '\0';
    return out;
}

static void expect_all(const char *language, const char *const *texts, size_t count)
{
    Sentences *sentences;
    Err err;

    assert_ok(sentences_new(&sentences, language, &err), &err);
    for (size_t i = 0; i < count; i++) {
        char *text = without_marks(texts[i]), *marked = mark(sentences, text, strlen(text));
        assert_string_equal(marked, texts[i]);
        free(marked);
        free(text);
    }
    sentences_free(sentences);
}

#define EXPECT(language, ...)                                                                                          \
    do {                                                                                                               \
        static const char *const support_texts[] = { __VA_ARGS__ };                                                    \
        (void)state;                                                                                                   \
        expect_all(language, support_texts, COUNT(support_texts));                                                     \
    } while (0)

static void does_not_end_sentences_at_initials_and_titles(void **state)
{
    EXPECT("en", "It is by J. R. R. Tolkien. |He wrote it.", "Dr. Smith met Mrs. Jones. |They left.",
           "J. A. Smith and George W. Bush met.", "I met Prof. A. Miller, Jr. at St. Paul. |It rained.",
           "Take vitamin C. |Drink water.", "She is taller than I. |Peter agrees.", "I. Newton. |A. The house.");
    EXPECT("fr", "M. Le Pen et Mme Le Goff parlent. |MM. Petit et Durand aussi.",
           "J.-J. Rousseau est mort. |Il pleut.");
    EXPECT("es", "D. José y la Sra. López vinieron. |El Sr. Díaz no.");
    EXPECT("ru", "А. С. Пушкин родился в Москве. |Он был поэтом.");
    EXPECT("any", "Dr. J. Doe is here. |He is well.");
}

static void ends_sentences_at_some_abbreviations(void **state)
{
    EXPECT("en", "Dogs, cats, etc. are pets. |They bite.", "Acme Inc. Limited sold it.",
           "He works at Acme Inc. |The firm is big.", "The U.S. Senate met.", "He lives in the U.S. |He likes it.",
           "We meet at 5 p.m. |John comes, too.", "It starts at 5 p.m. Eastern time.",
           "It is, e.g. Monday, i.e. today.");
    EXPECT("de", "Es gab Tee, Kekse usw. |Danach gingen wir.", "Tiere, z. B. Hunde, d. h. Haustiere.",
           "Tiere, z.B. Hunde.", "Wir sahen u. a. Berlin.",
           "Das war 44 v. Chr. in Rom. |Er starb 14 n. Chr. |Danach kam Tiberius.", "Er sah die Mrd. Menschen.");
    EXPECT("fr", "Des pommes, etc. |Les enfants rient.", "Les chiens, p. ex. Médor, c.-à-d. lui.",
           "Il travaille pour l'O.N.U. |L'homme est grand.");
    EXPECT("es", "Vive en EE. UU. |Los precios suben.", "EE. UU. crece.",
           "La Pérez S. A. de C. V. vende, p. ej. Coches.", "Abre a las 9 a. m. todos los días.");
}

static void keeps_numbers_with_their_words(void **state)
{
    EXPECT("en", "See No. 5 in vol. 3, pp. 4-5. |It is there.", "The answer is no. |I left vol. I there.",
           "The answer is no. |We stay.", "It was 1999. |Then came 2000.", "It was late. |20 people came.",
           "Version v1.2.3 costs 3.50 dollars.", "Art. 5 says so. |Art is long.");
    EXPECT("de", "Gemäß Art. 5 Abs. 2 Nr. 3 gilt das. |Siehe S. 4.", "Es waren 20. |Heute sind es 30.");
    EXPECT("fr", "Voir l'art. 5 et le chap. 2. |Puis la p. 3.");
}

static void does_not_end_sentences_at_german_ordinals(void **state)
{
    EXPECT("de", "Am 3. Mai war es so. |Im 19. Jahrhundert nicht.",
           "Ludwig XIV. regierte lange. |Karl V. König von Spanien.", "Es folgte Benedikt XVI. |Er trat zurück.",
           "Vom 3. 5. bis 4./5. Juni.", "Ihr 80. Geburtstag. |Seine 9. Sinfonie.",
           "Er steht auf Platz 3. |Maria gewann.", "Das war 1990. |Karl lachte.");
    EXPECT("any", "Am 3. Mai war es so.");
    EXPECT("en", "It was World War II. |Churchill won.");
}

static void keeps_the_numbers_of_list_items(void **state)
{
    EXPECT("en", "1. Open it. |2. Take it. |a) Look. |b) Smile.", "II. Methods. |We did it.");
    EXPECT("de", "1. Öffnen. |12. Schließen.");
}

static void continues_a_sentence_before_a_lower_case_letter(void **state)
{
    EXPECT("en", "He waited... and waited. |Then... |Nobody.", "Wait\xe2\x80\xa6 what? |Yes\xe2\x80\xa6 |No.",
           "\"Stop!\" he said.", "Nobody (!) came. |It [...] ended.", "Who knows? maybe.", "Yahoo! is a site.",
           "I like eBay. |iPhones, too.");
    EXPECT("de", "Ja ... und nein. |Er sah ... Berge.");
    EXPECT("ka", "\xe1\x83\x99\xe1\x83\x98. |\xe1\x83\x90\xe1\x83\xa0\xe1\x83\x90.");
}

/* Lines without a mark are not looked at. */
static void ends_a_sentence_at_the_only_mark_of_a_line(void **state)
{
    EXPECT("any", "Who is it? |Nobody", "Stop! |Nobody", "It is late. |Nobody");
    EXPECT("el", "Ποιος; |Κανείς", "Ποιος\xcd\xbe |Κανείς");
}

static void keeps_quotes_brackets_and_emoji_with_their_sentence(void **state)
{
    EXPECT("en", "\"Yes.\" |He left. |(She stayed.) |‘No.’ |“‘Why?’” |It rained.",
           "Great! 😀 |Go on. :-) |Stop!!! |Fine.", "He came.[1] |She left. |[2] It rained.",
           "He said: \"‘Well.\" |“‘No.’ |I left.");
    EXPECT("de", "„Ja.“ |Er ging. |»Nein!« |Sie blieb.", "„Nein!“, rief er.");
    EXPECT("fr", "« Oui. » |Il part. |« Tu viens ? » dit-il. |Quoi ? ! |Rien.", "— Bonjour. |— Salut ! |— Ça va ?");
    EXPECT("es", "¿Sí? |¡No! |«Ya.» |Se fue. |—Hola —dijo él—. |¿Qué tal?");
}

static void tells_opening_quotes_from_closing_ones(void **state)
{
    EXPECT("zh", "我是学生！|“真的吗？”|他问。|“好。”", "他说：“‘好。’|是的！”|然后走了。|“走。”|“‘走！’”",
           "好。|\"真的？\"|他问。|\"是。\"", "「好。」|他走了（真的。）|『是！』”|好。", "好！|“你!”|“我？”|（他。）");
    EXPECT("ja", "はい。|“そう。”|いいえ。");
    EXPECT("de", "„Ja.“ |„Nein!“ |‚Gut.‘ |Er ging. |»Ja.« |«Nein.» |Gut.", "Du auch.“ |Er ging.",
           "Er sagte: „Nein!“—„Doch.“ |Dann ging er.");
    EXPECT("cs", "„Ano.“ |Odešel.");
    EXPECT("any", "„Ja.“ |“Yes.” |„Tak.” |«Oui.» |« Non. » |»Ja.« |”Ja.” |»Ja.» |‘Yes.’ |\"Yes.\" |End.",
           "Oui. » |Il part. |« Non.", "It is 6' 2\". |\"Yes.\" |He left.", "He said: \" Yes. \" |She left.");
    EXPECT("en", "She read ‘War.’ |“‘Well.’” |The boys’ books. |’Tis late. |“Rock ’n’ roll.”");
}

static void continues_after_times_and_companies(void **state)
{
    EXPECT("en", "At 5 p.m. I left.", "We left at 5 p.m. |John came.", "Cats, dogs, etc. |I like them.",
           "Yahoo! Inc. was bought. |Jeopardy! |Income fell.", "He likes Yahoo! |It is a site.");
    EXPECT("any", "Yahoo! Inc. was bought.");
}

static void knows_the_abbreviations_of_each_language(void **state)
{
    EXPECT("de", "Frau Dr. med. dent. Weiß kam. |Sie blieb.", "Frankfurt a. d. Oder liegt dort.",
           "Neumarkt i. d. Oberpfalz.", "Er ist Oberst a. D. |Seine Frau lacht.");
    EXPECT("es", "Fco. Gómez y Ma. Luisa vinieron. |Se fueron.");
    EXPECT("pl", "W dn. 5 maja był tu. |Koty, psy itd. |Koniec.");
    EXPECT("cs", "Psi, kočky atd. |Konec.", "Psi atd. jsou tu.");
    EXPECT("hi", "डॉ. शर्मा आए। |वे गए।");
    EXPECT("any", "डॉ. शर्मा आए।", "It was in 90 A.D. |The vet. |The dent. |By Yo-Yo Ma. |He plays.");
}

static void accepts_names_that_begin_in_lower_case(void **state)
{
    EXPECT("en", "iPhone sales fell. |iPad sales rose.", "The fig. pH values, approx. mRNA too.",
           "Measure it. pH is 7.", "He has e.g. iPads.");
}

static void treats_a_korean_syllable_as_a_word(void **state)
{
    EXPECT("ko", "“네.” |그는 갔다. |네. |아니요.");
}

static void does_not_split_internet_addresses(void **state)
{
    EXPECT("en", "See https://a.example/b.html?c=d!e or x.y@example.com. |Open config.json. |Go.",
           "It is at www.example.org. |Node.js runs.", "Edit php.ini. |Éclair knows.");
}

static void knows_the_marks_of_other_scripts(void **state)
{
    EXPECT("zh", "你好。|我是。|你呢？|好！|「是。」|他说。");
    EXPECT("ja", "はい。|「そう。」と言った。|いいえ。");
    EXPECT("hi", "मैं हूँ। |तुम हो।");
    EXPECT("ar", "كيف؟ |بخير.");
    EXPECT("el", "Τι; |Ναι.");
    EXPECT("en", "It rains; It pours.");
}

static void leaves_white_space_out_of_sentences(void **state)
{
    EXPECT("en", "  \t One.\t\xc2\xa0 |Two. \xe2\x80\x83", "One\r|two\xe2\x80\xa8|three", "Only one", "One . |Two .",
           "");
    EXPECT("en", " ", "\xe3\x80\x80", "\x1c\x1f", "One. \x1f|Two.\x1c"); /* the separators of ASCII, too */
}

/* Returns the seconds for n of them. */
static double time_of(const char *part, size_t n)
{
    size_t len = strlen(part), count;
    Buf text = { 0 };
    Sentences *sentences;
    Range *ranges;
    struct timespec a, b;
    Err err;

    for (size_t i = 0; i < n; i++) buf_put(&text, part, len);
    buf_put_text(&text, "End. It.");
    assert_ok(sentences_new(&sentences, NULL, &err), &err);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_ok(sentences_find(sentences, text.data, text.len, &ranges, &count, &err), &err);
    clock_gettime(CLOCK_MONOTONIC, &b);
    free(ranges);
    sentences_free(sentences);
    buf_free(&text);
    return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
}

/* Quadratic time would take minutes. */
static void splits_long_texts_in_linear_time(void **state)
{
    static const char *const parts[] = { "J. ", "z. B. ", "a.",  "\" ) ", "...", ". ",   "1. ", "「。",
                                         "x",   "— ",     "[1]", "😀 ",    "！“", "。“”", "„",   "\"" };

    (void)state;
    for (size_t i = 0; i < COUNT(parts); i++) assert_true(time_of(parts[i], 300000) < 20);
}

#define THREADS 4

static void *read_often(void *sentences)
{
    for (int i = 0; i < 200; i++) {
        char *marked = mark(sentences, "Dr. Ott kam am 3. Mai. Er blieb usw. Dann ging er.", 51);
        assert_string_equal(marked, "Dr. Ott kam am 3. Mai. |Er blieb usw. |Dann ging er.");
        free(marked);
    }
    return NULL;
}

static void can_be_shared_by_threads(void **state)
{
    pthread_t threads[THREADS];
    Sentences *sentences;
    Err err;

    (void)state;
    assert_ok(sentences_new(&sentences, "deu_Latn", &err), &err);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_often, sentences), 0);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    sentences_free(sentences);
}

static void puts_a_space_where_the_translation_needs_one(void **state)
{
    (void)state;
    assert_true(sentences_need_space("Hello.", 6, "You", 3));
    assert_false(sentences_need_space("Hello. ", 7, "You", 3));
    assert_false(sentences_need_space("你好。", strlen("你好。"), "好", strlen("好")));
    assert_false(sentences_need_space("", 0, "You", 3));
}

/* ICU's allocations, of which one fails. */
static long icu_allocations, failing_allocation;

static bool allocation_fails(void)
{
    return ++icu_allocations == failing_allocation;
}

static void *U_CALLCONV icu_alloc(const void *context, size_t size)
{
    (void)context;
    return allocation_fails() ? NULL : malloc(size);
}

static void *U_CALLCONV icu_realloc(const void *context, void *old, size_t size)
{
    (void)context;
    return allocation_fails() ? NULL : realloc(old, size);
}

static void U_CALLCONV icu_free(const void *context, void *old)
{
    (void)context;
    free(old);
}

enum { SPLIT_RIGHT, OUT_OF_MEMORY, SPLIT_WRONG };

/* Splits texts in a process in which ICU has loaded nothing, and lets its n-th allocation fail. */
static int split_without_memory(long n)
{
    static const char text[] = "One line. Another one! And more";
    UErrorCode fault = U_ZERO_ERROR;
    Sentences *sentences;
    Range *ranges;
    size_t count;
    Err err;
    Status st;

    alarm(60); /* a deadlock */
    uloc_setDefault("en", &fault);
    u_setMemoryFunctions(NULL, icu_alloc, icu_realloc, icu_free, &fault);
    if (U_FAILURE(fault) || sentences_new(&sentences, "en", &err) != OK) return SPLIT_WRONG;
    failing_allocation = n;
    st = sentences_find(sentences, text, strlen(text), &ranges, &count, &err);
    if (st == ERR_MEMORY) return OUT_OF_MEMORY;
    return st == OK && count == 3 && ranges[1].begin == 10 && ranges[2].begin == 23 ? SPLIT_RIGHT : SPLIT_WRONG;
}

/* Must run before ICU is used in this process. */
static void reports_each_allocation_that_fails_in_icu(void **state)
{
    bool any = false;
    int result = OUT_OF_MEMORY;

    (void)state;
    for (long n = 1; n < 200; n++) {
        pid_t child = fork();
        int status;
        assert_true(child >= 0);
        if (!child) _exit(split_without_memory(n));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status)) fail_msg("ended by signal %d at allocation %ld", WTERMSIG(status), n);
        result = WEXITSTATUS(status);
        assert_int_not_equal(result, SPLIT_WRONG);
        any = any || result == OUT_OF_MEMORY;
    }
    assert_true(any);
    assert_int_equal(result, SPLIT_RIGHT);
}

TEST_FILE(test_sentences)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_each_allocation_that_fails_in_icu),
        cmocka_unit_test(does_not_end_sentences_at_initials_and_titles),
        cmocka_unit_test(ends_sentences_at_some_abbreviations),
        cmocka_unit_test(keeps_numbers_with_their_words),
        cmocka_unit_test(does_not_end_sentences_at_german_ordinals),
        cmocka_unit_test(keeps_the_numbers_of_list_items),
        cmocka_unit_test(continues_a_sentence_before_a_lower_case_letter),
        cmocka_unit_test(ends_a_sentence_at_the_only_mark_of_a_line),
        cmocka_unit_test(keeps_quotes_brackets_and_emoji_with_their_sentence),
        cmocka_unit_test(tells_opening_quotes_from_closing_ones),
        cmocka_unit_test(continues_after_times_and_companies),
        cmocka_unit_test(knows_the_abbreviations_of_each_language),
        cmocka_unit_test(accepts_names_that_begin_in_lower_case),
        cmocka_unit_test(treats_a_korean_syllable_as_a_word),
        cmocka_unit_test(does_not_split_internet_addresses),
        cmocka_unit_test(knows_the_marks_of_other_scripts),
        cmocka_unit_test(leaves_white_space_out_of_sentences),
        cmocka_unit_test(splits_long_texts_in_linear_time),
        cmocka_unit_test(can_be_shared_by_threads),
        cmocka_unit_test(puts_a_space_where_the_translation_needs_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
