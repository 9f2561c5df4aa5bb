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
    RangeList ranges = { 0 };
    size_t at = 0;
    Buf out = { 0 };
    Err err;

    assert_ok(sentences_find(sentences, text, len, &ranges, &err), &err);
    for (size_t i = 0; i < ranges.len; i++) {
        const Range range = ranges.data[i];
        assert_true(range.begin >= at && range.begin < range.end && range.end <= len);
        buf_put(&out, text + at, range.begin - at);
        if (i) buf_put_byte(&out, '|');
        at = range.begin;
    }
    buf_put(&out, text + at, len - at);
    buf_put_text(&out, "");
    ranges_free(&ranges);
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

/* The texts of one language; in each, | marks where a sentence begins. */
typedef struct {
    const char *language;
    const char *texts[10];
} SentencesCase;

static const SentencesCase cases[] = {
    /* Does not end sentences at initials and titles. */
    { "en",
      { "It is by J. R. R. Tolkien. |He wrote it.", "Dr. Smith met Mrs. Jones. |They left.",
        "J. A. Smith and George W. Bush met.", "I met Prof. A. Miller, Jr. at St. Paul. |It rained.",
        "Take vitamin C. |Drink water.", "She is taller than I. |Peter agrees.", "I. Newton. |A. The house." } },
    { "fr",
      { "M. Le Pen et Mme Le Goff parlent. |MM. Petit et Durand aussi.", "J.-J. Rousseau est mort. |Il pleut." } },
    { "es", { "D. José y la Sra. López vinieron. |El Sr. Díaz no." } },
    { "ru", { "А. С. Пушкин родился в Москве. |Он был поэтом." } },
    { "any", { "Dr. J. Doe is here. |He is well." } },
    /* Ends sentences at some abbreviations. */
    { "en",
      { "Dogs, cats, etc. are pets. |They bite.", "Acme Inc. Limited sold it.",
        "He works at Acme Inc. |The firm is big.", "The U.S. Senate met.", "He lives in the U.S. |He likes it.",
        "We meet at 5 p.m. |John comes, too.", "It starts at 5 p.m. Eastern time.",
        "It is, e.g. Monday, i.e. today." } },
    { "de",
      { "Es gab Tee, Kekse usw. |Danach gingen wir.", "Tiere, z. B. Hunde, d. h. Haustiere.", "Tiere, z.B. Hunde.",
        "Wir sahen u. a. Berlin.", "Das war 44 v. Chr. in Rom. |Er starb 14 n. Chr. |Danach kam Tiberius.",
        "Er sah die Mrd. Menschen." } },
    { "fr",
      { "Des pommes, etc. |Les enfants rient.", "Les chiens, p. ex. Médor, c.-à-d. lui.",
        "Il travaille pour l'O.N.U. |L'homme est grand." } },
    { "es",
      { "Vive en EE. UU. |Los precios suben.", "EE. UU. crece.", "La Pérez S. A. de C. V. vende, p. ej. Coches.",
        "Abre a las 9 a. m. todos los días." } },
    /* Keeps numbers with their words. */
    { "en",
      { "See No. 5 in vol. 3, pp. 4-5. |It is there.", "The answer is no. |I left vol. I there.",
        "The answer is no. |We stay.", "It was 1999. |Then came 2000.", "It was late. |20 people came.",
        "Version v1.2.3 costs 3.50 dollars.", "Art. 5 says so. |Art is long." } },
    { "de", { "Gemäß Art. 5 Abs. 2 Nr. 3 gilt das. |Siehe S. 4.", "Es waren 20. |Heute sind es 30." } },
    { "fr", { "Voir l'art. 5 et le chap. 2. |Puis la p. 3." } },
    /* Does not end sentences at german ordinals. */
    { "de",
      { "Am 3. Mai war es so. |Im 19. Jahrhundert nicht.", "Ludwig XIV. regierte lange. |Karl V. König von Spanien.",
        "Es folgte Benedikt XVI. |Er trat zurück.", "Vom 3. 5. bis 4./5. Juni.",
        "Ihr 80. Geburtstag. |Seine 9. Sinfonie.", "Er steht auf Platz 3. |Maria gewann.",
        "Das war 1990. |Karl lachte." } },
    { "any", { "Am 3. Mai war es so." } },
    { "en", { "It was World War II. |Churchill won." } },
    /* Keeps the numbers of list items. */
    { "en", { "1. Open it. |2. Take it. |a) Look. |b) Smile.", "II. Methods. |We did it." } },
    { "de", { "1. Öffnen. |12. Schließen." } },
    /* Continues a sentence before a lower case letter. */
    { "en",
      { "He waited... and waited. |Then... |Nobody.", "Wait\xe2\x80\xa6 what? |Yes\xe2\x80\xa6 |No.",
        "\"Stop!\" he said.", "Nobody (!) came. |It [...] ended.", "Who knows? maybe.", "Yahoo! is a site.",
        "I like eBay. |iPhones, too." } },
    { "de", { "Ja ... und nein. |Er sah ... Berge." } },
    { "ka", { "\xe1\x83\x99\xe1\x83\x98. |\xe1\x83\x90\xe1\x83\xa0\xe1\x83\x90." } },
    /* Ends a sentence at the only mark of a line. */
    { "any", { "Who is it? |Nobody", "Stop! |Nobody", "It is late. |Nobody" } },
    { "el", { "Ποιος; |Κανείς", "Ποιος\xcd\xbe |Κανείς" } },
    /* Keeps quotes brackets and emoji with their sentence. */
    { "en",
      { "\"Yes.\" |He left. |(She stayed.) |‘No.’ |“‘Why?’” |It rained.", "Great! 😀 |Go on. :-) |Stop!!! |Fine.",
        "He came.[1] |She left. |[2] It rained.", "He said: \"‘Well.\" |“‘No.’ |I left." } },
    { "de", { "„Ja.“ |Er ging. |»Nein!« |Sie blieb.", "„Nein!“, rief er." } },
    { "fr", { "« Oui. » |Il part. |« Tu viens ? » dit-il. |Quoi ? ! |Rien.", "— Bonjour. |— Salut ! |— Ça va ?" } },
    { "es", { "¿Sí? |¡No! |«Ya.» |Se fue. |—Hola —dijo él—. |¿Qué tal?" } },
    /* Tells opening quotes from closing ones. */
    { "zh",
      { "我是学生！|“真的吗？”|他问。|“好。”", "他说：“‘好。’|是的！”|然后走了。|“走。”|“‘走！’”",
        "好。|\"真的？\"|他问。|\"是。\"", "「好。」|他走了（真的。）|『是！』”|好。", "好！|“你!”|“我？”|（他。）" } },
    { "ja", { "はい。|“そう。”|いいえ。" } },
    { "de",
      { "„Ja.“ |„Nein!“ |‚Gut.‘ |Er ging. |»Ja.« |«Nein.» |Gut.", "Du auch.“ |Er ging.",
        "Er sagte: „Nein!“—„Doch.“ |Dann ging er." } },
    { "cs", { "„Ano.“ |Odešel." } },
    { "any",
      { "„Ja.“ |“Yes.” |„Tak.” |«Oui.» |« Non. » |»Ja.« |”Ja.” |»Ja.» |‘Yes.’ |\"Yes.\" |End.",
        "Oui. » |Il part. |« Non.", "It is 6' 2\". |\"Yes.\" |He left.", "He said: \" Yes. \" |She left." } },
    { "en", { "She read ‘War.’ |“‘Well.’” |The boys’ books. |’Tis late. |“Rock ’n’ roll.”" } },
    /* Continues after times and companies. */
    { "en",
      { "At 5 p.m. I left.", "We left at 5 p.m. |John came.", "Cats, dogs, etc. |I like them.",
        "Yahoo! Inc. was bought. |Jeopardy! |Income fell.", "He likes Yahoo! |It is a site." } },
    { "any", { "Yahoo! Inc. was bought." } },
    /* Knows the abbreviations of each language. */
    { "de",
      { "Frau Dr. med. dent. Weiß kam. |Sie blieb.", "Frankfurt a. d. Oder liegt dort.", "Neumarkt i. d. Oberpfalz.",
        "Er ist Oberst a. D. |Seine Frau lacht." } },
    { "es", { "Fco. Gómez y Ma. Luisa vinieron. |Se fueron." } },
    { "pl", { "W dn. 5 maja był tu. |Koty, psy itd. |Koniec." } },
    { "cs", { "Psi, kočky atd. |Konec.", "Psi atd. jsou tu." } },
    { "en",
      { "Brig. Gen. Smith met Asst. Prof. Miller.", "See Ref. 123 at Ste. 200, Boston.",
        "Open Sat. 9 a.m. and Sun. 10 a.m.", "He sat. |John saw the sun. |John left.",
        "They orbit the Sun. |Venus is near.", "Act now! |Limited seats are available." } },
    { "de",
      { "Sie ist stellv. Vorsitzende und wiss. Mitarbeiterin.", "Techn. Daten, zul. Gesamtgewicht, monatl. Rate.",
        "Der Brief ist gez. Dr. Müller, Inh. Peter.", "Siehe Anl. 3, Kto. 5 und USt-IdNr. DE123.",
        "Dipl.-Psych. Anna traf Min.-Präs. Müller.", "Er ist 1. Vorsitzender.", "Brot, Käse u. a. m. Kuchen.",
        "Ich gebe es dir. |Peter kommt." } },
    { "fr", { "Le Gén. Leclerc et not. Durand.", "Poids max. 5 kg pour 2 pers. |Il dort." } },
    { "it", { "Il D.Lgs. 81/2008, il Reg. (UE) 2016/679.", "Trib. Milano, portata max. 150 kg, min. 5 kg." } },
    { "es", { "Carga máx. 150 kg, mín. 5 kg.", "En Rep. Dominicana, Inst. Nacional." } },
    { "pt", { "Carga máx. 150 kg, mín. 5 kg." } },
    { "nl", { "Zie pag. 5, ong. 5 km." } },
    { "sv", { "Det är min. 18 år och max. 5 för Kungl. Tekniska.", "Den är min. |Anna kom." } },
    { "da", { "Det er maks. 5 dage." } },
    { "ru",
      { "Она (англ. United Nations) и город (нем. Deutschland).", "Иван (род. 5 мая 1950) жив.",
        "Стоит 5 млрд долл. США. |Это много.", "На оз. Байкал, наб. Обводного и пос. Лесной.",
        "См. абз. 2, разд. 3 и прил. 4.", "Я думал о нем. |Потом ушёл." } },
    { "pl", { "Adam (ur. 3 grudnia 1977, zm. 5 maja) żyje.", "To (ang. Title) i (łac. Homo)." } },
    { "cs",
      { "To je RNDr. Novák a PaedDr. Malá.", "Cena vč. DPH.", "Jan (nar. 5. 5. 1950) tu.",
        "Pro max. 5 osob, okr. Kladno." } },
    { "hi", { "डॉ. शर्मा आए। |वे गए।" } },
    { "any", { "डॉ. शर्मा आए।", "It was in 90 A.D. |The vet. |The dent. |By Yo-Yo Ma. |He plays." } },
    /* Knows the acronyms and initials of Indic scripts, whose vowel signs are not letters. */
    { "hi",
      { "को बी.जे.पी. ने कहा। |वह गया।", "5 कि.मी. दूर है। |वह गया।", "के. आर. नारायणन गए। |वे गए।",
        "जी. वी. मावलंकर और डब्ल्यू. बी. यीट्स आए।", "वह आता है. |वह जाता है." } },
    { "ne", { "यो वि.सं. २०७७ मा भयो।" } },
    { "bn", { "জনাব মো. আলী এসেছেন। |তিনি গেলেন।", "এম. এ. হান্নান এসেছেন।" } },
    { "ta", { "மு.க. ஸ்டாலின் வந்தார். |அவர் பேசினார்." } },
    /* Ends no Burmese sentence at a comma, and no Thai or Lao one at a full stop. */
    { "my", { "လူ၊ ခွေး။ |လူ၊ခွေး။" } },
    { "th", { "กกต. ประกาศผล ดร. สมชาย ดร.สมชาย", "ใช้ Linux. |ดี" } },
    { "lo", { "ດຣ. ສົມ" } },
    /* Knows abbreviations before Chinese and Japanese characters. */
    { "zh",
      { "J.K.罗琳写了。|你好。", "华盛顿D.C.的房子。", "1.打开门。", "他走了.|她来了.", "我喜欢ABC.|他走了。",
        "他走了...|她来了。" } },
    { "ja",
      { "Mr.ビーンが来た。|はい。", "『けいおん！』を見た。|「はい。」の一言。|「え？」|はい。|「え？」|でも。" } },
    /* Expects ordinal numbers in languages without words. */
    { "tr", { "Bu 2. Dünya Savaşı idi. |Padişah II. Abdülhamid geldi.", "Bu 1990. |Ali geldi." } },
    { "hu", { "A képen II. Rákóczi Ferenc van. |Ez jó." } },
    { "sl", { "Bilo je 5. 6. 2020 v mestu." } },
    { "ar", { "كان عمره 20. |ثم ذهب." } },
    /* Accepts names that begin in lower case. */
    { "en",
      { "iPhone sales fell. |iPad sales rose.", "The fig. pH values, approx. mRNA too.", "Measure it. pH is 7.",
        "He has e.g. iPads." } },
    /* Treats a korean syllable as a word. */
    { "ko", { "“네.” |그는 갔다. |네. |아니요." } },
    /* Does not split internet addresses. */
    { "en",
      { "See https://a.example/b.html?c=d!e or x.y@example.com. |Open config.json. |Go.",
        "It is at www.example.org. |Node.js runs.", "Edit php.ini. |Éclair knows." } },
    /* Knows the marks of other scripts. */
    { "zh", { "你好。|我是。|你呢？|好！|「是。」|他说。" } },
    { "ja", { "はい。|「そう。」と言った。|いいえ。" } },
    { "hi", { "मैं हूँ। |तुम हो।" } },
    { "ar", { "كيف؟ |بخير." } },
    { "el", { "Τι; |Ναι." } },
    { "en", { "It rains; It pours." } },
    /* Leaves white space out of sentences. */
    { "en",
      { "  \t One.\t\xc2\xa0 |Two. \xe2\x80\x83", "One\r|two\xe2\x80\xa8|three", "Only one", "One . |Two .", "" } },
    { "en", { " ", "\xe3\x80\x80", "\x1c\x1f", "One. \x1f|Two.\x1c" } },
};

TEST(finds_the_sentences_of_texts)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Sentences *sentences;
        Err err;
        assert_ok(sentences_new(&sentences, cases[i].language, &err), &err);
        for (const char *const *expected = cases[i].texts; *expected; expected++) {
            char *text = without_marks(*expected), *marked = mark(sentences, text, strlen(text));
            assert_string_equal(marked, *expected);
            free(marked);
            free(text);
        }
        sentences_free(sentences);
    }
}

/* Returns the seconds for n of them. */
static double time_of(const char *part, size_t n)
{
    size_t len = strlen(part);
    Buf text = { 0 };
    RangeList ranges = { 0 };
    Sentences *sentences;
    struct timespec a, b;
    Err err;

    for (size_t i = 0; i < n; i++) buf_put(&text, part, len);
    buf_put_text(&text, "End. It.");
    assert_ok(sentences_new(&sentences, NULL, &err), &err);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_ok(sentences_find(sentences, text.data, text.len, &ranges, &err), &err);
    clock_gettime(CLOCK_MONOTONIC, &b);
    ranges_free(&ranges);
    sentences_free(sentences);
    buf_free(&text);
    return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
}

/* Quadratic time would take minutes. */
/* Full-width digits are numbers of several characters. */
TEST(knows_scripts_without_spaces)
{
    static const uint32_t unspaced[] = { 0x4e2d, 0x3042, 0xe01, 0x3002, 0xff0c }, dense[] = { 0xff11, 0xff21 };

    for (size_t i = 0; i < COUNT(unspaced); i++) assert_true(sentence_is_unspaced(unspaced[i]));
    for (size_t i = 0; i < COUNT(dense); i++)
        assert_true(sentence_is_dense(dense[i]) && !sentence_is_unspaced(dense[i]));
    assert_false(sentence_is_dense('a'));
}

TEST(splits_long_texts_in_linear_time)
{
    static const char *const parts[] = { "J. ", "z. B. ", "a.",  "\" ) ", "...", ". ",   "1. ", "「。",
                                         "x",   "— ",     "[1]", "😀 ",    "！“", "。“”", "„",   "\"" };

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

TEST(can_be_shared_by_threads)
{
    pthread_t threads[THREADS];
    Sentences *sentences;
    Err err;

    assert_ok(sentences_new(&sentences, "deu_Latn", &err), &err);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_often, sentences), 0);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    sentences_free(sentences);
}

TEST(puts_a_space_where_the_translation_needs_one)
{
    assert_true(sentences_need_space("Hello.", 6, "You", 3));
    assert_false(sentences_need_space("Hello. ", 7, "You", 3));
    assert_false(sentences_need_space("你好。", strlen("你好。"), "好", strlen("好")));
    assert_false(sentences_need_space("", 0, "You", 3));
}

TEST(knows_marks_that_no_space_follows)
{
    static const char *const full[] = { "下雨了。", "走吧！”", "はい。」" }, *const others[] = { "", "Yes.", "好",
                                                                                                 "ភ្លៀង។" };

    for (size_t i = 0; i < COUNT(full); i++) assert_true(sentences_end_in_full_width(full[i], strlen(full[i])));
    for (size_t i = 0; i < COUNT(others); i++) assert_false(sentences_end_in_full_width(others[i], strlen(others[i])));
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
    RangeList ranges = { 0 };
    Sentences *sentences;
    Err err;
    Status st;

    alarm(60); /* a deadlock */
    uloc_setDefault("en", &fault);
    u_setMemoryFunctions(NULL, icu_alloc, icu_realloc, icu_free, &fault);
    if (U_FAILURE(fault) || sentences_new(&sentences, "en", &err) != OK) return SPLIT_WRONG;
    failing_allocation = n;
    st = sentences_find(sentences, text, strlen(text), &ranges, &err);
    if (st == ERR_MEMORY) return OUT_OF_MEMORY;
    return st == OK && ranges.len == 3 && ranges.data[1].begin == 10 && ranges.data[2].begin == 23 ? SPLIT_RIGHT
                                                                                                   : SPLIT_WRONG;
}

/* Must run before ICU is used in this process. */
TEST(reports_each_allocation_that_fails_in_icu)
{
    bool any = false;
    int result = OUT_OF_MEMORY;

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

TESTS(test_sentences);
