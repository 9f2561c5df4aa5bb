/* public_functions.c - the functions of dragoman.h. They call the translator and convert its errors. */
#include "dragoman.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "line_demands.h"
#include "line_flags.h"
#include "line_request.h"
#include "public_parts.h"
#include "translator.h"

_Static_assert((int)DRAGOMAN_ERROR_IO == (int)ERR_IO && (int)DRAGOMAN_ERROR_USAGE == (int)ERR_USAGE,
               "a Status is passed on as a DragomanStatus");

const char *dragoman_version(void)
{
    return DRAGOMAN_VERSION;
}

/* Sets *out to the options of each model of the pipeline. The caller frees the array with free(). */
static Status divide(DragomanOptions **out, size_t *count, const DragomanOptions *options, Err *err)
{
    *out = NULL;
    *count = option_fields_model_count(options);
    if (option_fields_check(options, err) != OK) return ERR_USAGE;
    *out = calloc(*count, sizeof **out);
    if (!*out) return err_memory(err, "the options");
    for (size_t i = 0; i < *count; i++) (*out)[i] = option_fields_of_model(options, i);
    return OK;
}

/* Appending nothing still allocates the buffer, so that *out is never NULL on success. */
static Status take_text(char **out, Status st, Buf *text, Err *err)
{
    if (st == OK) st = buf_append(text, "", 0, err);
    if (st == OK)
        *out = text->data;
    else
        buf_free(text);
    return st;
}

DragomanStatus dragoman_open(Dragoman **out, const DragomanOptions *options, DragomanError *error)
{
    Dragoman *d = calloc(1, sizeof *d);
    DragomanOptions *models = NULL;
    Err err = { "" };
    size_t count = 0;
    Status st = d ? divide(&models, &count, options, &err) : err_memory(&err, "the translator");

    if (st == OK) st = translator_open(&d->translator, models, count, &err);
    if (st == OK) d->spelling = options->spelling;
    *out = st == OK ? d : NULL;
    if (st != OK) free(d);
    free(models);
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_open_copier(Dragoman **out, DragomanError *error)
{
    Dragoman *d = calloc(1, sizeof *d);
    Err err = { "" };
    Status st = d ? translator_open_copier(&d->translator, &err) : err_memory(&err, "the translator");

    *out = st == OK ? d : NULL;
    if (st != OK) free(d);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

void dragoman_close(Dragoman *d)
{
    if (d) translator_close(d->translator);
    free(d);
}

DragomanStatus dragoman_submit(Dragoman *d, const char *text, size_t length, uintptr_t tag, DragomanError *error)
{
    return dragoman_submit_kept(d, text, length, NULL, 0, tag, error);
}

DragomanStatus dragoman_submit_pair(Dragoman *d, const char *source, size_t source_length, const char *target,
                                    size_t target_length, uintptr_t tag, DragomanError *error)
{
    Err err = { "" };
    const Status st = translator_submit_pair(d->translator, (LineText){ source, source_length },
                                             (LineText){ target, target_length }, tag, &err);

    return option_fields_answer(st, &err, d->spelling, error);
}

DragomanStatus dragoman_submit_kept(Dragoman *d, const char *text, size_t length, const Range *kept, size_t count,
                                    uintptr_t tag, DragomanError *error)
{
    return dragoman_submit_from(d, text, length, NULL, kept, count, tag, error);
}

DragomanStatus dragoman_submit_from(Dragoman *d, const char *text, size_t length, const char *language,
                                    const Range *kept, size_t count, uintptr_t tag, DragomanError *error)
{
    const LineRequest request = { .text = { text, length }, .language = language, .kept = kept, .kept_count = count };
    Err err = { "" };

    return option_fields_answer(translator_submit(d->translator, &request, tag, &err), &err, d->spelling, error);
}

void dragoman_finish(Dragoman *d)
{
    scheduler_finish(translator_scheduler(d->translator));
}

void dragoman_cancel(Dragoman *d)
{
    scheduler_cancel(translator_scheduler(d->translator));
}

DragomanStatus dragoman_next(Dragoman *d, const DragomanLine **line, DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(translator_next(d->translator, line, &err), &err, d->spelling, error);
}

size_t dragoman_failed_line(Dragoman *d)
{
    return scheduler_failed_line(translator_scheduler(d->translator));
}

void dragoman_skip_failed_line(Dragoman *d)
{
    scheduler_skip_failed_line(translator_scheduler(d->translator));
}

bool dragoman_ready(Dragoman *d)
{
    return scheduler_ready(translator_scheduler(d->translator));
}

size_t dragoman_line_number(const DragomanLine *line)
{
    return line->number;
}

uintptr_t dragoman_line_tag(const DragomanLine *line)
{
    return line->tag;
}

/* NULL stands for an index that does not exist. */
static const char *text_of(const Buf *text, size_t *length)
{
    if (length) *length = text ? text->len : 0;
    return text && text->data ? text->data : "";
}

static const int32_t *ids_of(const IdList *ids, size_t *count)
{
    if (count) *count = ids ? ids->len : 0;
    return ids ? ids->data : NULL;
}

static const Range *ranges_of(const RangeList *ranges, size_t *count)
{
    if (count) *count = ranges ? ranges->len : 0;
    return ranges ? ranges->data : NULL;
}

static const DragomanTranslation *translation_of(const DragomanLine *line, size_t rank)
{
    return rank < line->count ? &line->translations[rank] : NULL;
}

const char *dragoman_line_source(const DragomanLine *line, size_t *length)
{
    return text_of(&line->source, length);
}

const int32_t *dragoman_line_source_ids(const DragomanLine *line, size_t *count)
{
    return ids_of(&line->source_ids, count);
}

const Range *dragoman_line_source_ranges(const DragomanLine *line, size_t *count)
{
    return ranges_of(&line->source_ranges, count);
}

size_t dragoman_line_pieces(const DragomanLine *line)
{
    return line->pieces;
}

size_t dragoman_line_segments(const DragomanLine *line)
{
    return line->segments;
}

bool dragoman_line_wrapped(const DragomanLine *line)
{
    return line->wrapped;
}

size_t dragoman_line_cropped(const DragomanLine *line)
{
    return line->cropped;
}

size_t dragoman_line_pivot_count(const DragomanLine *line)
{
    return line->pivot_count;
}

const char *dragoman_line_pivot(const DragomanLine *line, size_t index, size_t *length)
{
    return text_of(index < line->pivot_count ? &line->pivots[index].text : NULL, length);
}

size_t dragoman_line_count(const DragomanLine *line)
{
    return line->count;
}

const char *dragoman_line_translation(const DragomanLine *line, size_t rank, size_t *length)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return text_of(translation ? &translation->text : NULL, length);
}

float dragoman_line_score(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->score : 0;
}

float dragoman_line_sum(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->sum : 0;
}

const int32_t *dragoman_line_ids(const DragomanLine *line, size_t rank, size_t *count)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return ids_of(translation ? &translation->ids : NULL, count);
}

size_t dragoman_line_forced(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->forced : 0;
}

const Range *dragoman_line_ranges(const DragomanLine *line, size_t rank, size_t *count)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return ranges_of(translation ? &translation->ranges : NULL, count);
}

const float *dragoman_line_token_scores(const DragomanLine *line, size_t rank, size_t *count)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    if (count) *count = translation ? translation->scores.len : 0;
    return translation ? translation->scores.data : NULL;
}

const DragomanDemand *dragoman_line_demands(const DragomanLine *line, size_t rank, size_t *count)
{
    const bool exists = rank < line->count && line->translations[rank].demands;

    if (count) *count = exists ? line->demand_count : 0;
    return exists ? line->translations[rank].demands : NULL;
}

const char *dragoman_line_demand_form(const DragomanLine *line, size_t demand, size_t form)
{
    return line_demands_form(line->demands, demand, form);
}

double dragoman_line_confidence(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->confidence : (double)NAN;
}

unsigned dragoman_line_flags(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->flags : 0;
}

bool dragoman_line_rescued(const DragomanLine *line)
{
    return line->rescued;
}

const char *dragoman_flag_name(unsigned flag)
{
    return line_flags_name(flag);
}

const char *dragoman_piece(const Dragoman *d, int32_t id)
{
    return translator_piece(d->translator, id);
}

const char *dragoman_warnings(const Dragoman *d)
{
    return translator_warnings(d->translator);
}

size_t dragoman_language_length(const Dragoman *d, const char *text, size_t length)
{
    return translator_language_length(d->translator, text, length);
}

const char *dragoman_source_languages(const Dragoman *d)
{
    return translator_source_languages(d->translator);
}

DragomanStatus dragoman_find_language_tag(const char *name, char tag[DRAGOMAN_LANGUAGE_TAG], DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(translator_language_tag(name, tag, &err), &err, (Spelling){ 0 }, error);
}

const char *dragoman_target_language(const Dragoman *d)
{
    return translator_target_language(d->translator);
}

const char *dragoman_source_language(const Dragoman *d)
{
    return translator_source_language(d->translator);
}

void dragoman_free_text(char *text)
{
    free(text);
}

DragomanStatus dragoman_describe(const DragomanOptions *options, char **text, DragomanError *error)
{
    DragomanOptions *models;
    Buf out = { 0 };
    Err err = { "" };
    size_t count;
    Status st = divide(&models, &count, options, &err);

    *text = NULL;
    if (st == OK) st = translator_describe(models, count, &out, &err);
    st = take_text(text, st, &out, &err);
    free(models);
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_languages(const DragomanOptions *options, char **text, DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_languages(options, &out, &err);

    *text = NULL;
    st = take_text(text, st, &out, &err);
    return option_fields_answer(st, &err, options ? options->spelling : (Spelling){ 0 }, error);
}

DragomanStatus dragoman_describe_build(char **text, DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_describe_build(&out, &err);

    *text = NULL;
    st = take_text(text, st, &out, &err);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                        const char *target_path, bool as_text, char **list, size_t *length,
                                        DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_learn_shortlist(options, source_path, target_path, as_text, &out, &err);

    *list = NULL;
    st = take_text(list, st, &out, &err);
    *length = out.len;
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_calibrate(const DragomanOptions *options, const char *source_path, const char *target_path,
                                  char **calibration, size_t *length, DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_calibrate(options, source_path, target_path, &out, &err);

    *calibration = NULL;
    st = take_text(calibration, st, &out, &err);
    *length = st == OK ? out.len : 0;
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_pack(const DragomanOptions *options, int fd, const char *name, char **warnings,
                             DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    char *text = NULL;
    Status st = translator_pack(options, fd, name, &out, &err);

    st = take_text(&text, st, &out, &err);
    if (warnings)
        *warnings = text;
    else
        free(text);
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_trace(const DragomanOptions *options, const char *text, size_t length, const char *forced,
                              char **json, char **warnings, DragomanError *error)
{
    Buf out = { 0 }, about = { 0 };
    Err err = { "" };
    Status st = translator_trace(options, text, length, forced, &out, &about, &err);

    *json = *warnings = NULL;
    st = take_text(json, st, &out, &err);
    st = take_text(warnings, st, &about, &err);
    if (st != OK) {
        free(*json);
        *json = NULL;
    }
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_reads(const DragomanOptions *options, size_t model, bool packing, const DragomanFile *files,
                              size_t count, size_t *index, DragomanError *error)
{
    const DragomanOptions one = option_fields_of_model(options, model);
    Err err = { "" };

    return option_fields_answer(translator_reads(&one, packing, files, count, index, &err), &err, options->spelling,
                                error);
}

DragomanStatus dragoman_verify(const DragomanOptions *options, size_t *tensors, DragomanError *error)
{
    Err err = { "" };
    Status st = OK;

    *tensors = 0;
    for (size_t i = 0; st == OK && i < option_fields_model_count(options); i++) {
        size_t count = 0;
        const DragomanOptions one = option_fields_of_model(options, i);
        st = translator_verify(&one, &count, &err);
        *tensors += count;
    }
    return option_fields_answer(st, &err, options->spelling, error);
}
