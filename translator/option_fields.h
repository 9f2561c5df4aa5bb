/* option_fields.h - the fields of DragomanOptions, one for each row of settings.def, and the table of these rows. */
#ifndef DRAGOMAN_OPTION_FIELDS_H
#define DRAGOMAN_OPTION_FIELDS_H

#include "buf.h"
#include "dragoman.h"
#include "err.h"

/* A number that may be unset. */
typedef struct {
    bool given;
    float value;
} OptionalReal;

typedef enum { SWITCH_AUTO, SWITCH_ON, SWITCH_OFF } Switch;

/* The values of DRAGOMAN_GLOSSARY_MATCH. */
typedef enum { GLOSSARY_MATCH_STEM, GLOSSARY_MATCH_EXACT } GlossaryMatch;

/* Starts as {0}, owns its texts and ends with text_list_free(). */
typedef struct {
    char **items; /* [count]; in a setting, an item that is NULL gives its model no text */
    size_t count;
} TextList;

/* Appends a copy of the text, or NULL. Returns whether there was memory for it. */
MUST_USE bool text_list_add(TextList *list, const char *text);
void text_list_free(TextList *list);

/* The names of the settings in messages. */
typedef struct {
    DragomanSpeller *speller; /* NULL: messages use the names of the constants */
    void *context;
} Spelling;

/* A copy shares the texts with the original. A setting of the kind EACH has two fields: the text for one model, and the
 * list for all models of a pipeline. */
struct DragomanOptions {
#define SETTING_ROW(constant, kind, ...) kind
#define TEXT(field)                      const char *field; /* NULL: not given */
#define LIST(field)                      TextList field;
#define EACH(field, list)                                                                                              \
    const char *field;                                                                                                 \
    TextList list;
#define FLAG(field)              bool field;
#define SWITCH(field)            Switch field;
#define CHOICE(field, ...)       int field;
#define SIZE(field, low, high)   size_t field; /* 0: not given */
#define NUMBER(field, low, high) long field;   /* < 0: not given */
#define REAL(field, low, high)   OptionalReal field;
#include "settings.def"
    bool skip_calibration; /* not a setting: set while calibrating, and for all but the first model of an ensemble */
    /* Not a setting: if there is no file `model`, finds the path for this name, which the caller frees. NULL: `model`
     * is always a path. */
    Status (*find_model)(char **path, const char *name, Err *err);
    Spelling spelling;
};

/* A row of settings.def. */
typedef struct {
    DragomanSettingRow about;
    size_t field, list; /* offsets in DragomanOptions; `list` is used by the kind EACH only */
    enum { IDENTITY_CHANGES, IDENTITY_FILES, IDENTITY_GIVEN, IDENTITY_KEEPS } identity;
    const char *reason; /* IDENTITY_KEEPS: why the setting changes no translation; else NULL */
} SettingRow;

/* Indexed by DragomanSetting; the row of DRAGOMAN_NO_SETTING is empty. */
extern const SettingRow setting_rows[DRAGOMAN_SETTINGS];

/* Options without any setting. */
DragomanOptions option_fields_default(void);

/* DRAGOMAN_REUSE, or its default. */
long option_fields_reuse(const DragomanOptions *options);

/* On OK the caller owns *out and frees it with dragoman_options_free(). */
MUST_USE Status option_fields_copy(DragomanOptions **out, const DragomanOptions *options, Err *err);

/* Copies the options `of` with the settings of `options` that belong to no model. `asked` are the options from which
 * `of` was made; any other setting of `options` must have the value that it has there, or none, or else ERR_USAGE is
 * returned. On OK the caller owns *out and frees it with dragoman_options_free(). */
MUST_USE Status option_fields_share(DragomanOptions **out, const DragomanOptions *of, const DragomanOptions *asked,
                                    const DragomanOptions *options, Err *err);

/* Whether the setting has the same value in both. */
bool option_fields_same(const DragomanOptions *options, const DragomanOptions *other, DragomanSetting setting);

/* The field of a setting. */
const void *option_fields_value(const DragomanOptions *options, DragomanSetting setting);

/* Returns the value of a setting of any kind but TEXT, LIST, EACH and REAL. 0, or -1 for a NUMBER, is the default. */
long option_fields_number(const SettingRow *row, const void *value);

/* The number of models that the options name. If they name no model, it is 1, and that model has no path. */
size_t option_fields_model_count(const DragomanOptions *options);

/* The options of one model of a pipeline, from 0 to option_fields_model_count() - 1: the texts of the kind EACH for
 * this model, and all other settings that apply to it. */
DragomanOptions option_fields_of_model(const DragomanOptions *options, size_t model);

/* The options of the first model when it is used alone: all settings apply to it. */
DragomanOptions option_fields_of_first(const DragomanOptions *options);

/* Does what dragoman_check_options() does. */
MUST_USE Status option_fields_check(const DragomanOptions *options, Err *err);

/* Returns ERR_USAGE if the options of a model have no model name or an empty one, if settings exclude each other, and
 * if `options` is NULL. */
MUST_USE Status option_fields_check_model(const DragomanOptions *options, Err *err);

/* Replaces each SETTING() of the message by the name of the setting. Returns the first setting that the message names,
 * or DRAGOMAN_NO_SETTING. */
DragomanSetting option_fields_name(Err *err, Spelling spelling);

/* Fills in *error, which may be NULL, and returns the status. Each SETTING() of the message is replaced by its name.
 * With OK, `err` is not read and the message becomes "". */
DragomanStatus option_fields_answer(Status st, Err *err, Spelling spelling, DragomanError *error);
/* Like option_fields_answer(), and moves the text to *out, which the caller frees: never NULL on success; NULL after an
 * error. */
DragomanStatus option_fields_answer_text(char **out, Status st, Buf *text, Err *err, Spelling spelling,
                                         DragomanError *error);

#endif
