/* option_fields.h - the fields of DragomanOptions. dragoman.h describes them. */
#ifndef DRAGOMAN_OPTION_FIELDS_H
#define DRAGOMAN_OPTION_FIELDS_H

#include "dragoman.h"
#include "err.h"

/* A number that may be unset. */
typedef struct {
    bool given;
    float value;
} OptionalReal;

/* How messages call the settings. */
typedef struct {
    DragomanSpeller *speller; /* NULL: by the names of the constants */
    void *context;
} Spelling;

/* A copy shares the texts with the original. */
struct DragomanOptions {
    const char *model, *weights, *vocabs;
    const char *from, *via, *to; /* NULL: not given */
    const char *shortlist, *prefix;
    long shortlist_first, shortlist_best; /* < 0: not given */
    DragomanPrecision precision;
    bool prefer_precision; /* not for packed models */
    DragomanSplit split;
    DragomanCapitals capitals;
    DragomanKeepUnknown keep_unknown;
    DragomanKeepNumbers keep_numbers;
    size_t max_input; /* 0: not given */
    bool pieces_in, pieces_out;
    size_t threads, batch_rows, n_best; /* 0: not given */
    bool skip_scores;
    size_t beams;      /* 0: the model's */
    long min_length;   /* < 0: the model's */
    size_t max_length; /* 0: the model's */
    OptionalReal length_penalty, repetition_penalty, word_penalty, length_factor;
    bool allow_unk;
    long no_repeat_ngram; /* < 0: the model's */
    bool ranges;
    bool attention, token_scores, confidence, rescue;
    const char *calibration;
    bool from_lines;
    DragomanSampling sampling;
    OptionalReal temperature, top_p, min_p;
    long top_k; /* < 0: the model's */
    size_t seed;
    size_t alternatives;
    OptionalReal alternative_probability, prefix_bias;
    const char *suppress, *end_token;
    bool disable_unk, replace_unknowns;
    OptionalReal coverage_penalty, patience;
    bool crop;
    bool skip_calibration; /* not a setting: for calibrating and for the other models of an ensemble */
    /* Not a setting: finds the path of what `model` names, to be freed by the caller, if it does not exist; NULL: it is
     * always a path. */
    Status (*find_model)(char **path, const char *name, Err *err);
    Spelling spelling;
};

/* Options without any setting. */
DragomanOptions option_fields_default(void);

/* Returns ERR_USAGE if the options name no model; an empty name is none. NULL stands for no options at all. */
MUST_USE Status option_fields_check_model(const DragomanOptions *options, Err *err);

/* Replaces each SETTING() of the message by its name. Returns the first one, or DRAGOMAN_NO_SETTING. */
DragomanSetting option_fields_name(Err *err, Spelling spelling);

/* Fills in *error, which may be NULL, and returns the status. Each SETTING() of the message is replaced by its name.
 * With OK, `err` is not read and the message becomes "". */
DragomanStatus option_fields_answer(Status st, Err *err, Spelling spelling, DragomanError *error);

#endif
