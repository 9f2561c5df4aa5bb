/* test_router.c - lines in many languages, each with models of its own: their order, the number of open models, and
 * failures. The model of all routes is a small one of the golden tests. Skipped without CLD2. */
#include "test_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "golden_folders.h"
#include "public_status.h"
#include "request_support.h"
#include "router.h"

/* A language with letters of its own, or with a text that is surely recognized. */
static const struct {
    const char *name, *text;
} languages[] = {
    { "de", "Die Kinder spielen im Garten hinter der alten Schule." },
    { "fr", "Les enfants jouent dans le jardin derrière la vieille école." },
    { "it", "I bambini giocano nel giardino dietro la vecchia scuola." },
    { "pl", "Dzieci bawią się w ogrodzie za starą szkołą." },
    { "cs", "Děti si hrají na zahradě za starou školou." },
    { "nl", "De kinderen spelen in de tuin achter de oude school." },
    { "sv", "Barnen leker i trädgården bakom den gamla skolan." },
    { "uk", "Діти граються в саду за старою школою." },
    { "zh", "孩子们正在旧学校后面的花园里玩耍。" },
    { "ja", "子どもたちは古い学校の裏の庭で遊んでいます。" },
    { "ko", "아이들이 오래된 학교 뒤의 정원에서 놀고 있습니다." },
    { "el", "Τα παιδιά παίζουν στον κήπο πίσω από το παλιό σχολείο." },
    { "he", "הילדים משחקים בגינה מאחורי בית הספר הישן." },
    { "th", "เด็กๆ กำลังเล่นอยู่ในสวนหลังโรงเรียนเก่า" },
    { "ka", "ბავშვები თამაშობენ ბაღში ძველი სკოლის უკან." },
    { "hy", "Երեխաները խաղում են այգում հին դպրոցի հետևում։" },
    { "ta", "குழந்தைகள் பழைய பள்ளிக்குப் பின்னால் உள்ள தோட்டத்தில் விளையாடுகிறார்கள்." },
    { "km", "កុមារកំពុងលេងនៅក្នុងសួនច្បារ" },
    { "ml", "കുട്ടികൾ പഴയ സ്കൂളിന് പിന്നിലെ പൂന്തോട്ടത്തിൽ കളിക്കുന്നു." },
    { "kn", "ಮಕ್ಕಳು ಹಳೆಯ ಶಾಲೆಯ ಹಿಂದಿನ ತೋಟದಲ್ಲಿ ಆಡುತ್ತಿದ್ದಾರೆ." },
};
#define LANGUAGES (sizeof languages / sizeof *languages)

/* What the routes are opened with. */
typedef struct {
    atomic_size_t opened;
    size_t refused; /* route that cannot be opened */
} Opener;

static Status open_model(void *context, size_t route, Dragoman **out, Err *err)
{
    Opener *opener = context;
    DragomanOptions *options;
    DragomanError error;
    DragomanStatus st;

    if (route == opener->refused) return err_set(err, ERR_IO, "no such model");
    opener->opened++;
    options = options_for(GOLDEN_FAMILIES "/m2m100-relu");
    set_text(options, DRAGOMAN_FROM, languages[route].name);
    set_text(options, DRAGOMAN_TO, "en");
    set_number(options, DRAGOMAN_THREADS, 1);
    set_number(options, DRAGOMAN_MAX_LENGTH, 3);
    st = dragoman_open(out, options, &error);
    dragoman_options_free(options);
    return public_status(st, &error, err);
}

static Status find_model(void *context, const char *language, size_t *route, const char **name, Err *err)
{
    (void)name;
    (void)context;
    (void)err;
    *route = 0;
    while (strcmp(languages[*route].name, language) != 0) ++*route;
    return OK;
}

static Router *new_router(Opener *opener)
{
    Buf sources = { 0 };
    RouterPlan plan = { .detects = true,
                        .target = "en",
                        .opener = { .context = opener, .open = open_model, .find = find_model } };
    Router *router;
    Err err;
    Status st;

    for (size_t i = 0; i < LANGUAGES; i++) buf_put_format(&sources, "%s\n", languages[i].name);
    plan.sources = sources.data;
    st = router_new(&router, &plan, &err);
    buf_free(&sources);
    if (st == ERR_UNSUPPORTED) skip();
    assert_ok(st, &err);
    return router;
}

/* The text of a line: of the languages in turn, and at times one that is copied. */
static const char *text_of(size_t number)
{
    static const char *const copied[] = { "", "12, 34", "Hmm", "The children play in the garden." };

    if (number % 7 == 3) return copied[number % 4];
    return languages[(number * 13 + number / 50) % LANGUAGES].text;
}

/* The thread of the input. */
typedef struct {
    Router *router;
    size_t count;
    Status status; /* that ended it early */
    Err err;
    size_t submitted;
} Submitter;

static void *submit_all(void *argument)
{
    Submitter *s = argument;

    for (size_t i = 0; s->status == OK && i < s->count; i++) {
        const char *text = text_of(i);
        DragomanRequest *request = dragoman_request_new();
        TermMatches terms = { .items = support_alloc((i % 8 + 1) * sizeof *terms.items), .count = i % 8 };
        Destination to;
        terms.items[0].place.begin = i;
        s->status = router_choose(s->router, text, strlen(text), "", &to, &s->err);
        if (s->status == OK)
            s->status = dragoman_request_begin(request, text, strlen(text), NULL) == DRAGOMAN_OK
                            ? router_submit(s->router, to, request, i, &terms, &s->err)
                            : ERR_MEMORY;
        dragoman_request_free(request);
        term_matches_free(&terms);
        s->submitted += s->status == OK;
    }
    router_finish(s->router);
    return NULL;
}

/* Receives lines until the last one, and returns their number. */
static size_t receive_all(Router *router)
{
    RoutedLine line;
    size_t count = 0;
    Err err;

    for (;;) {
        const char *source;
        size_t length;
        assert_ok(router_next(router, &line, &err), &err);
        if (!line.line) return count;
        assert_int_equal(line.number, count + 1);
        assert_int_equal(dragoman_line_tag(line.line), count);
        source = dragoman_line_source(line.line, &length);
        assert_string_equal(source, text_of(count));
        assert_int_equal(line.terms.count, count % 8);
        if (count % 8) assert_int_equal(line.terms.items[0].place.begin, count);
        if (length > 40 && count % 7 != 3) {
            assert_string_equal(line.language, languages[(count * 13 + count / 50) % LANGUAGES].name);
            assert_int_equal(dragoman_line_count(line.line), 1);
        }
        count++;
    }
}

TEST(lines_of_more_languages_than_models_that_fit_come_in_order)
{
    Opener opener = { .refused = SIZE_MAX };
    Submitter submitter = { .router = new_router(&opener), .count = 1000 };
    pthread_t thread;

    assert_true(LANGUAGES > OPEN_ROUTES);
    assert_int_equal(pthread_create(&thread, NULL, submit_all, &submitter), 0);
    assert_int_equal(receive_all(submitter.router), 1000);
    pthread_join(thread, NULL);
    assert_int_equal(submitter.status, OK);
    assert_true(opener.opened > LANGUAGES); /* some were closed and opened again */
    router_free(submitter.router);
}

TEST(a_named_language_comes_before_the_text)
{
    static const char text[] = "The children play in the garden."; /* English */
    Opener opener = { .refused = SIZE_MAX };
    Router *router = new_router(&opener);
    Destination to;
    Err err;

    assert_ok(router_choose(router, text, strlen(text), "fr-CA", &to, &err), &err);
    assert_string_equal(router_language_of(router, to), "fr");
    assert_false(to.is_copied);
    assert_ok(router_choose(router, text, strlen(text), "ku", &to, &err), &err);
    assert_true(to.is_unknown && to.is_copied);
    router_free(router);
}

TEST(models_are_opened_when_they_are_needed)
{
    Opener opener = { .refused = SIZE_MAX };
    Submitter submitter = { .router = new_router(&opener), .count = 3 };

    assert_int_equal(opener.opened, 0);
    submit_all(&submitter);
    assert_int_equal(opener.opened, 3);
    assert_int_equal(receive_all(submitter.router), 3);
    router_free(submitter.router);
}

TEST(a_model_that_cannot_be_opened_ends_the_input_after_the_lines_before_it)
{
    Opener opener = { .refused = 19 };
    Submitter submitter = { .router = new_router(&opener), .count = 1000 };
    pthread_t thread;
    size_t received;

    assert_int_equal(pthread_create(&thread, NULL, submit_all, &submitter), 0);
    received = receive_all(submitter.router);
    pthread_join(thread, NULL);
    assert_int_equal(submitter.status, ERR_IO);
    assert_string_equal(submitter.err.text, "no such model");
    assert_int_equal(received, submitter.submitted);
    assert_true(received > 0 && received < 1000);
    router_free(submitter.router);
}

TEST(cancelling_ends_both_threads)
{
    Opener opener = { .refused = SIZE_MAX };
    Submitter submitter = { .router = new_router(&opener), .count = 100000 };
    RoutedLine line;
    pthread_t thread;
    Err err;

    assert_int_equal(pthread_create(&thread, NULL, submit_all, &submitter), 0);
    for (size_t i = 0; i < 100; i++) assert_ok(router_next(submitter.router, &line, &err), &err);
    router_cancel(submitter.router);
    pthread_join(thread, NULL);
    assert_int_equal(submitter.status, ERR_IO);
    assert_ok(router_next(submitter.router, &line, &err), &err);
    assert_null(line.line);
    assert_true(router_ready(submitter.router));
    router_free(submitter.router);
}

TESTS(test_router);
