/* sample_translations.c - see sample_translations.h. */
#include "sample_translations.h"

#include <stdlib.h>

#include "chrf.h"
#include "line_features.h"
#include "translator.h"

/* Lines that are submitted before the first one is taken. A translator always has room for this many of
 * PARALLEL_TEXT_LONGEST tokens, so that submitting them does not wait for translations that nobody takes. */
enum { IN_FLIGHT = 32 };

/* The same model with the settings of the user, except that its confidence is recorded. */
static Status open_translator(Dragoman **out, const DragomanOptions *options, Err *err)
{
    DragomanOptions own = *options;

    own.confidence = own.skip_calibration = true;
    own.skip_scores = false;
    own.pieces_out = own.pieces_in;
    return translator_open(out, &own, 1, err);
}

/* Skips lines without a translation, such as those whose sentences have no tokens by themselves, and translations
 * without tokens of their own. */
static Status add_example(ConfidenceExample *examples, size_t *count, const DragomanLine *line, const Buf *reference,
                          Err *err)
{
    const DragomanTranslation *translation = line->translations;
    LineFeatures f;
    double score = 0;
    Status st;

    if (!line->count || !translation->features.tokens) return OK;
    st = chrf(&score, translation->text.data, translation->text.len, reference->data, reference->len, err);
    if (st != OK) return st;
    f = line_features(&translation->features);
    examples[(*count)++] = (ConfidenceExample){ .features = { (double)f.mean, (double)f.least, (double)f.deviation,
                                                              (double)f.margin, (double)f.entropy },
                                                .good = score >= SAMPLE_GOOD_CHRF };
    return OK;
}

static Status translate(Dragoman *translator, const PairSample *sample, ConfidenceExample *examples, size_t *count,
                        Err *err)
{
    const DragomanLine *line;
    size_t submitted = 0, taken = 0;
    Status st = OK;

    while (st == OK && taken < sample->count) {
        for (; st == OK && submitted < sample->count && submitted < taken + IN_FLIGHT; submitted++) {
            const Buf *source = &sample->pairs[submitted].source;
            st = translator_submit(translator, &(DragomanRequest){ .text = { source->data, source->len } }, 0, err);
        }
        if (st == OK) st = translator_next(translator, &line, err);
        if (st == OK) st = add_example(examples, count, line, &sample->pairs[taken++].target, err);
    }
    return st;
}

Status sample_translations(ConfidenceExample **out, size_t *count, const PairSample *sample,
                           const DragomanOptions *options, Err *err)
{
    ConfidenceExample *examples = calloc(sample->count + 1, sizeof *examples);
    Dragoman *translator = NULL;
    Status st = examples ? OK : err_memory(err, "the translations");

    *out = NULL;
    *count = 0;
    if (st == OK) st = open_translator(&translator, options, err);
    if (st == OK) st = translate(translator, sample, examples, count, err);
    dragoman_close(translator);
    if (st == OK)
        *out = examples;
    else
        free(examples);
    return st;
}
