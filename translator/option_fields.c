/* option_fields.c - see option_fields.h; also the functions of dragoman.h that set options. A table has one row per
 * setting, which says where the value is stored. */
#include "option_fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { KIND_NONE, KIND_TEXT, KIND_NUMBER, KIND_SIZE, KIND_CHOICE, KIND_REAL, KIND_FLAG } Kind;

typedef struct {
    const char *name; /* name of the constant without DRAGOMAN_ */
    size_t field;
    Kind kind;
    int last; /* KIND_CHOICE: the largest constant of its enumeration */
} Row;

#define ROW(setting, type, member)                                                                                     \
    [DRAGOMAN_##setting] = { #setting, offsetof(struct DragomanOptions, member), KIND_##type, 0 }
#define CHOICE(setting, member, last)                                                                                  \
    [DRAGOMAN_##setting] = { #setting, offsetof(struct DragomanOptions, member), KIND_CHOICE, last }

/* dragoman_set_number() writes all choices as int. */
_Static_assert(sizeof(DragomanPrecision) == sizeof(int) && sizeof(DragomanSplit) == sizeof(int) &&
                   sizeof(DragomanSampling) == sizeof(int) && sizeof(DragomanCapitals) == sizeof(int),
               "choices have the size of int");

static const Row rows[] = {
    ROW(MODEL, TEXT, model),
    ROW(WEIGHTS, TEXT, weights),
    ROW(VOCABS, TEXT, vocabs),
    ROW(FROM, TEXT, from),
    ROW(VIA, TEXT, via),
    ROW(TO, TEXT, to),
    ROW(SHORTLIST, TEXT, shortlist),
    ROW(SHORTLIST_FIRST, NUMBER, shortlist_first),
    ROW(SHORTLIST_BEST, NUMBER, shortlist_best),
    ROW(PREFIX, TEXT, prefix),
    CHOICE(PRECISION, precision, DRAGOMAN_INT8),
    CHOICE(SPLIT, split, DRAGOMAN_SPLIT_OFF),
    ROW(MAX_INPUT, SIZE, max_input),
    ROW(PIECES_IN, FLAG, pieces_in),
    ROW(PIECES_OUT, FLAG, pieces_out),
    ROW(THREADS, SIZE, threads),
    ROW(BATCH_ROWS, SIZE, batch_rows),
    ROW(N_BEST, SIZE, n_best),
    ROW(SKIP_SCORES, FLAG, skip_scores),
    ROW(BEAMS, SIZE, beams),
    ROW(MIN_LENGTH, NUMBER, min_length),
    ROW(MAX_LENGTH, SIZE, max_length),
    ROW(LENGTH_PENALTY, REAL, length_penalty),
    ROW(REPETITION_PENALTY, REAL, repetition_penalty),
    ROW(WORD_PENALTY, REAL, word_penalty),
    ROW(LENGTH_FACTOR, REAL, length_factor),
    ROW(ALLOW_UNK, FLAG, allow_unk),
    ROW(NO_REPEAT_NGRAM, NUMBER, no_repeat_ngram),
    ROW(RANGES, FLAG, ranges),
    ROW(ATTENTION, FLAG, attention),
    ROW(TOKEN_SCORES, FLAG, token_scores),
    ROW(CONFIDENCE, FLAG, confidence),
    ROW(RESCUE, FLAG, rescue),
    ROW(CALIBRATION, TEXT, calibration),
    ROW(FROM_LINES, FLAG, from_lines),
    CHOICE(SAMPLING, sampling, DRAGOMAN_SAMPLING_OFF),
    ROW(TEMPERATURE, REAL, temperature),
    ROW(TOP_K, NUMBER, top_k),
    ROW(TOP_P, REAL, top_p),
    ROW(MIN_P, REAL, min_p),
    ROW(SEED, SIZE, seed),
    ROW(ALTERNATIVES, SIZE, alternatives),
    ROW(ALTERNATIVE_PROBABILITY, REAL, alternative_probability),
    ROW(PREFIX_BIAS, REAL, prefix_bias),
    ROW(SUPPRESS, TEXT, suppress),
    ROW(DISABLE_UNK, FLAG, disable_unk),
    ROW(REPLACE_UNKNOWNS, FLAG, replace_unknowns),
    ROW(END_TOKEN, TEXT, end_token),
    ROW(COVERAGE_PENALTY, REAL, coverage_penalty),
    ROW(PATIENCE, REAL, patience),
    ROW(CROP, FLAG, crop),
    ROW(PREFER_PRECISION, FLAG, prefer_precision),
    CHOICE(CAPITALS, capitals, DRAGOMAN_CAPITALS_OFF),
    CHOICE(KEEP_UNKNOWN, keep_unknown, DRAGOMAN_KEEP_UNKNOWN_OFF),
    CHOICE(KEEP_NUMBERS, keep_numbers, DRAGOMAN_KEEP_NUMBERS_OFF),
};
#define ROWS (sizeof rows / sizeof *rows)

DragomanOptions option_fields_default(void)
{
    return (DragomanOptions){
        .min_length = -1, .no_repeat_ngram = -1, .shortlist_first = -1, .shortlist_best = -1, .top_k = -1
    };
}

static void *field_of(DragomanOptions *options, DragomanSetting setting)
{
    return (char *)options + rows[setting].field;
}

void dragoman_options_free(DragomanOptions *options)
{
    for (size_t i = 0; options && i < ROWS; i++)
        if (rows[i].kind == KIND_TEXT) free((void *)*(const char **)field_of(options, (DragomanSetting)i));
    free(options);
}

void dragoman_options_spell(DragomanOptions *options, DragomanSpeller *speller, void *context)
{
    options->spelling = (Spelling){ speller, context };
}

static Kind kind_of(DragomanSetting setting)
{
    return (size_t)setting < ROWS ? rows[setting].kind : KIND_NONE;
}

static DragomanSetting find_setting(const char *name, size_t len)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].name && strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return (DragomanSetting)i;
    return DRAGOMAN_NO_SETTING;
}

/* Removes the beginning of a SETTING() at the end of a message that was too long. */
static void remove_cut_setting(Err *err)
{
    static const char dots[] = "...", letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const size_t mark = sizeof SETTING_BEGIN - 1;

    for (char *at = strstr(err->text, SETTING_BEGIN); at; at = strstr(at + mark, SETTING_BEGIN))
        if (strcmp(at + mark + strspn(at + mark, letters), dots) == 0) memcpy(at, dots, sizeof dots);
}

DragomanSetting option_fields_name(Err *err, Spelling spelling)
{
    const size_t mark = sizeof SETTING_BEGIN - 1;
    DragomanSetting first = DRAGOMAN_NO_SETTING;
    char *begin, *end;

    while ((begin = strstr(err->text, SETTING_BEGIN)) && (end = strstr(begin, SETTING_END))) {
        const DragomanSetting setting = find_setting(begin + mark, (size_t)(end - begin) - mark);
        char name[64];
        if (!spelling.speller || !spelling.speller(spelling.context, setting, name, sizeof name))
            snprintf(name, sizeof name, "DRAGOMAN_%.*s", (int)((size_t)(end - begin) - mark), begin + mark);
        (void)err_set(err, OK, "%.*s%s%s", (int)(begin - err->text), err->text, name, end + mark);
        if (!first) first = setting;
    }
    remove_cut_setting(err);
    return first;
}

DragomanStatus option_fields_answer(Status st, Err *err, Spelling spelling, DragomanError *error)
{
    if (!error) return (DragomanStatus)st;
    error->status = (DragomanStatus)st;
    error->setting = st == OK ? DRAGOMAN_NO_SETTING : option_fields_name(err, spelling);
    memcpy(error->message, st == OK ? "" : err->text, st == OK ? 1 : sizeof error->message);
    return error->status;
}

Status option_fields_check_model(const DragomanOptions *options, Err *err)
{
    if (options && options->model && *options->model) return OK;
    return err_set(err, ERR_USAGE, "no model is set; set " SETTING(MODEL));
}

/* Returns the answer of a setter. `fault` describes what is wrong with the setting or its value; NULL: nothing. */
static DragomanStatus answer(const DragomanOptions *options, DragomanSetting setting, const char *fault,
                             DragomanError *error)
{
    Err err = { "" };
    Status st = OK;

    if (fault && kind_of(setting) == KIND_NONE)
        st = err_set(&err, ERR_USAGE, "there is no setting %d", (int)setting);
    else if (fault)
        st = err_set(&err, ERR_USAGE, SETTING_BEGIN "%s" SETTING_END " %s", rows[setting].name, fault);
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_set_text(DragomanOptions *options, DragomanSetting setting, const char *text,
                                 DragomanError *error)
{
    char *copy = text ? strdup(text) : NULL;
    const char **field;

    if (kind_of(setting) != KIND_TEXT) {
        free(copy);
        return answer(options, setting, "is not a text setting", error);
    }
    if (text && !copy) {
        Err err = { "" };
        return option_fields_answer(err_memory(&err, "a text"), &err, options->spelling, error);
    }
    field = field_of(options, setting);
    free((void *)*field);
    *field = copy;
    return answer(options, setting, NULL, error);
}

DragomanStatus dragoman_set_number(DragomanOptions *options, DragomanSetting setting, long number, DragomanError *error)
{
    const Kind kind = kind_of(setting);
    const int choice = (int)number;

    if (kind != KIND_NUMBER && kind != KIND_SIZE && kind != KIND_CHOICE)
        return answer(options, setting, "is not a number setting", error);
    if (number < (kind == KIND_NUMBER ? -1 : 0) || (kind == KIND_CHOICE && number > rows[setting].last))
        return answer(options, setting, "is out of range", error);
    if (kind == KIND_NUMBER)
        *(long *)field_of(options, setting) = number;
    else if (kind == KIND_SIZE)
        *(size_t *)field_of(options, setting) = (size_t)number;
    else
        memcpy(field_of(options, setting), &choice, sizeof choice);
    return answer(options, setting, NULL, error);
}

DragomanStatus dragoman_set_real(DragomanOptions *options, DragomanSetting setting, double number, DragomanError *error)
{
    if (kind_of(setting) != KIND_REAL) return answer(options, setting, "is not a real setting", error);
    if (!isfinite((float)number)) return answer(options, setting, "must be a finite number", error);
    *(OptionalReal *)field_of(options, setting) = (OptionalReal){ true, (float)number };
    return answer(options, setting, NULL, error);
}

DragomanStatus dragoman_set_flag(DragomanOptions *options, DragomanSetting setting, bool flag, DragomanError *error)
{
    if (kind_of(setting) != KIND_FLAG) return answer(options, setting, "is not a flag setting", error);
    *(bool *)field_of(options, setting) = flag;
    return answer(options, setting, NULL, error);
}
