/* fuzz_request.c - fuzzes lines and what is asked of their translations, with a small random model: kept ranges, texts
 * that a translation has to contain, prefixes, terms, and pairs of texts.
 * Input    A byte with the bits of what is asked (ASK_...), a text and, after the byte 0x01, a second text. Ranges in
 *          [...] are kept, and those in {...} are terms.
 * Checks   A request is refused with one line. Otherwise the source is the text, and a translation is clean UTF-8 in
 *          which the kept ranges have their bytes and the demands that are met have a form. Ranges of tokens and words
 *          are in their texts, alignments are probabilities, and the scores of the tokens add up to that of the line.
 * Options  -max_len=150 -timeout=60 */
#include "fuzz_support.h"

#include <math.h>
#include <strings.h>

#include "buf.h"
#include "dragoman.h"
#include "utf8.h"

#define MODEL       GOLDEN_ROOT "/families/m2m100-relu"
#define MOST_RANGES 16
#define TOLERANCE   1e-3

enum { ASK_PAIR = 1, ASK_KEPT = 2, ASK_MUST = 4, ASK_PREFIX = 8, ASK_TERMS = 16 };

typedef struct {
    unsigned asked;
    Buf text, second;
    DragomanRange ranges[MOST_RANGES]; /* in brackets */
    size_t count;
} Input;

static void require_done(DragomanStatus st, const DragomanError *error)
{
    require(st == DRAGOMAN_OK, "no failure", error->message);
}

static Dragoman *open_model(void)
{
    static const struct {
        DragomanSetting setting;
        long number;
    } numbers[] = {
        { DRAGOMAN_BEAMS, 2 },
        { DRAGOMAN_N_BEST, 2 },
        { DRAGOMAN_THREADS, 1 },
        { DRAGOMAN_MAX_LENGTH, 24 },
    };
    static const DragomanSetting flags[] = { DRAGOMAN_RANGES,      DRAGOMAN_ATTENTION, DRAGOMAN_TOKEN_SCORES,
                                             DRAGOMAN_CONFIDENCE,  DRAGOMAN_CAPITALS,  DRAGOMAN_KEEP_UNKNOWN,
                                             DRAGOMAN_KEEP_NUMBERS };
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    Dragoman *model;

    require(options != NULL, "memory", "options");
    require_done(dragoman_set_text(options, DRAGOMAN_MODEL, MODEL, &error), &error);
    require_done(dragoman_set_text(options, DRAGOMAN_FROM, "en", &error), &error);
    require_done(dragoman_set_text(options, DRAGOMAN_TO, "fr", &error), &error);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        require_done(dragoman_set_number(options, numbers[i].setting, numbers[i].number, &error), &error);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        require_done(dragoman_set_flag(options, flags[i], true, &error), &error);
    require_done(dragoman_open(&model, options, &error), &error);
    dragoman_options_free(options);
    return model;
}

/* Reads a text as a line: clean UTF-8 without newlines. */
static Buf read_text(const uint8_t *data, size_t size)
{
    Buf text = { 0 };
    size_t replaced;

    buf_put(&text, "", 0);
    buf_put_clean(&text, (const char *)data, size, &replaced);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\n') text.data[i] = ' ';
    return text;
}

static void find_ranges(Input *input, char open, char close)
{
    const char *text = input->text.data, *end = text + input->text.len, *at = text;

    while (input->count < MOST_RANGES && (at = memchr(at, open, (size_t)(end - at)))) {
        const char *last = memchr(at, close, (size_t)(end - at));
        if (!last) return;
        input->ranges[input->count++] = (DragomanRange){ (size_t)(at - text), (size_t)(last + 1 - text) };
        at = last;
    }
}

static void read_input(Input *input, const uint8_t *data, size_t size)
{
    const unsigned asked = fuzz_take(&data, &size);
    const uint8_t *divider = fuzz_divider(data, size);
    const size_t first = divider ? (size_t)(divider - data) : size, skipped = first + (divider != NULL);

    *input =
        (Input){ .asked = asked, .text = read_text(data, first), .second = read_text(data + skipped, size - skipped) };
    if (asked & ASK_KEPT)
        find_ranges(input, '[', ']');
    else if (asked & ASK_TERMS)
        find_ranges(input, '{', '}');
}

static DragomanStatus fill_request(DragomanRequest *request, const Input *input, DragomanError *error)
{
    const char *forms[] = { input->second.data, "Haus" };
    DragomanStatus st = dragoman_request_begin(request, input->text.data, input->text.len, error);

    if (st == DRAGOMAN_OK && input->asked & ASK_KEPT)
        st = dragoman_request_keep(request, input->ranges, input->count, error);
    for (size_t i = 0; !(input->asked & ASK_KEPT) && st == DRAGOMAN_OK && i < input->count; i++)
        st = dragoman_request_demand(request, input->ranges[i], forms, 2, error);
    if (st == DRAGOMAN_OK && input->asked & ASK_MUST)
        st = dragoman_request_must(request, input->second.data, input->second.len, error);
    if (st == DRAGOMAN_OK && input->asked & ASK_PREFIX)
        st = dragoman_request_prefix(request, input->second.data, input->second.len, error);
    return st;
}

static DragomanStatus submit(Dragoman *model, const Input *input, DragomanError *error)
{
    DragomanRequest *request = dragoman_request_new();
    DragomanStatus st;

    require(request != NULL, "memory", "a request");
    if (input->asked & ASK_PAIR) {
        st = dragoman_request_begin(request, input->text.data, input->text.len, error);
        if (st == DRAGOMAN_OK) st = dragoman_request_score(request, input->second.data, input->second.len, error);
    } else {
        st = fill_request(request, input, error);
    }
    if (st == DRAGOMAN_OK) st = dragoman_submit(model, request, 7, error);
    dragoman_request_free(request);
    return st;
}

static void check_ranges(const DragomanRange *ranges, size_t count, size_t length)
{
    for (size_t i = 0; i < count; i++)
        require(ranges[i].begin <= ranges[i].end && ranges[i].end <= length, "a range", "in its text");
}

/* What the vocabulary does not have is kept as well. Numbers may have other separators. */
static void check_kept(const DragomanLine *line, const Input *input, size_t rank, const char *text, size_t length)
{
    size_t count, asked = 0;
    const DragomanSpan *kept = dragoman_line_kept(line, rank, &count);

    for (size_t i = 0; i < count; i++) {
        const DragomanRange source = kept[i].source, place = kept[i].place;
        check_ranges(&source, 1, input->text.len);
        check_ranges(&place, 1, length);
        require(source.end - source.begin == place.end - place.begin, "as many bytes", text);
        if (kept[i].kind == DRAGOMAN_SPAN_KEPT)
            require(source.begin == input->ranges[asked].begin && source.end == input->ranges[asked++].end, "the range",
                    "that was asked for");
        if (kept[i].kind == DRAGOMAN_SPAN_KEPT)
            require(memcmp(text + place.begin, input->text.data + source.begin, place.end - place.begin) == 0,
                    "the bytes of a kept range", text);
    }
    if (input->asked & ASK_KEPT && !(input->asked & ASK_PAIR))
        require(asked == input->count, "a place", "for each range");
}

static void check_demands(const DragomanLine *line, size_t rank, const char *text, size_t length)
{
    size_t count;
    const DragomanSpan *demands = dragoman_line_demands(line, rank, &count);

    for (size_t i = 0; i < count; i++) {
        const DragomanRange place = demands[i].place;
        const char *form;
        if (!demands[i].place.end) continue;
        form = dragoman_line_demand_form(line, i, demands[i].form);
        require(form && *form, "a form", "of a demand");
        require(place.begin < place.end && place.end <= length, "the place", "of a demand");
        require(utf8_clean_length(text + place.begin, place.end - place.begin) == place.end - place.begin,
                "whole characters", text);
    }
}

static void check_scores(const DragomanLine *line, size_t rank)
{
    size_t count, ids;
    const float *scores = dragoman_line_token_scores(line, rank, &count);
    double sum = 0;

    (void)dragoman_line_ids(line, rank, &ids);
    require(count == ids, "a score", "for each token");
    for (size_t i = 0; i < count; i++) {
        require(scores[i] <= 0, "a logarithm", "of a probability");
        sum += (double)scores[i];
    }
    require(fabs(sum - (double)dragoman_line_sum(line, rank)) < TOLERANCE * (1 + fabs(sum)), "the sum",
            "of the scores");
}

static void check_alignment(const DragomanLine *line, size_t rank, DragomanUnit unit)
{
    DragomanAlignment *alignment;
    const DragomanLink *links;
    size_t sources, targets, count;
    DragomanError error;
    float *row;

    require_done(dragoman_align(&alignment, line, rank, unit, &error), &error);
    (void)dragoman_alignment_sources(alignment, &sources);
    (void)dragoman_alignment_targets(alignment, &targets);
    row = malloc((sources + 1) * sizeof *row);
    require(row != NULL, "memory", "a row");
    for (size_t t = 0; t < targets; t++) {
        double sum = 0;
        dragoman_alignment_row(alignment, t, row);
        for (size_t s = 0; s < sources; s++) sum += (double)row[s];
        require(fabs(sum) < TOLERANCE || fabs(sum - 1) < TOLERANCE, "probabilities", "of an alignment");
    }
    require_done(dragoman_alignment_links(alignment, 1, &links, &count, &error), &error);
    for (size_t i = 0; i < count; i++)
        require(links[i].source < sources && links[i].target < targets, "a link", "between units");
    free(row);
    dragoman_alignment_free(alignment);
}

static void check_translation(const DragomanLine *line, const Input *input, size_t rank)
{
    size_t length, count;
    const char *text = dragoman_line_translation(line, rank, &length);
    const DragomanRange *ranges = dragoman_line_ranges(line, rank, &count);

    require(utf8_clean_length(text, length) == length && !memchr(text, '\n', length), "clean UTF-8", text);
    check_ranges(ranges, count, length);
    for (size_t i = 1; i < count; i++) require(ranges[i].begin >= ranges[i - 1].begin, "ascending ranges", text);
    check_kept(line, input, rank, text, length);
    check_demands(line, rank, text, length);
    check_scores(line, rank);
    check_alignment(line, rank, DRAGOMAN_TOKENS);
    check_alignment(line, rank, DRAGOMAN_WORDS);
}

static void check_line(const DragomanLine *line, const Input *input)
{
    size_t length, count;
    const char *source = dragoman_line_source(line, &length);
    const DragomanRange *ranges = dragoman_line_source_ranges(line, &count);

    require(length == input->text.len && memcmp(source, input->text.data, length) == 0, "the source", source);
    require(dragoman_line_tag(line) == 7, "the tag", source);
    check_ranges(ranges, count, length);
    if (!dragoman_line_count(line)) check_kept(line, input, 0, source, length);
    for (size_t rank = 0; rank < dragoman_line_count(line); rank++) check_translation(line, input, rank);
}

static void take_line(Dragoman *model, const Input *input)
{
    const DragomanLine *line;
    DragomanError error;

    if (dragoman_next(model, &line, &error) == DRAGOMAN_OK) {
        check_line(line, input);
        return;
    }
    require(dragoman_failed_line(model) > 0, "only a line that fails", error.message);
    require(!strpbrk(error.message, "\n\r\x1b"), "one line", error.message);
    dragoman_skip_failed_line(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Dragoman *model;
    DragomanError error;
    Input input;

    if (!model) model = open_model();
    read_input(&input, data, size);
    if (submit(model, &input, &error) == DRAGOMAN_OK)
        take_line(model, &input);
    else
        require(error.status == DRAGOMAN_ERROR_USAGE && !strpbrk(error.message, "\n\r\x1b"), "wrong usage",
                error.message);
    buf_free(&input.text);
    buf_free(&input.second);
    return 0;
}
