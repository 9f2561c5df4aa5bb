/* dragoman_settings.h - what can be set in DragomanOptions. dragoman.h includes this header. settings.def, which is
 * installed next to it, has a row for each setting: what it does, how it is set, and its default. */
#ifndef DRAGOMAN_SETTINGS_LIST_H
#define DRAGOMAN_SETTINGS_LIST_H

/* The constants DRAGOMAN_MODEL, DRAGOMAN_WEIGHTS and so on. dragoman_open() needs DRAGOMAN_MODEL and no
 * other; a job chooses a model without it, by default the embedded en-de. */
typedef enum {
    DRAGOMAN_NO_SETTING,
#define SETTING_ROW(constant, ...) DRAGOMAN_##constant,
#include "settings.def"
    DRAGOMAN_SETTINGS /* one more than the last setting */
} DragomanSetting;

/* The values of DRAGOMAN_PRECISION: the precision of the weights in memory, which determines memory use and speed. */
typedef enum {
    DRAGOMAN_AUTO, /* as the model stores them */
    DRAGOMAN_F32,  /* not rounded */
    DRAGOMAN_BF16, /* weights rounded to bf16 */
    DRAGOMAN_INT8  /* int8 matmul: weights and activations are rounded to 8 bits, with scales */
} DragomanPrecision;

#define DRAGOMAN_LEAST_INPUT   16 /* minimum of DRAGOMAN_MAX_INPUT */
#define DRAGOMAN_DEFAULT_REUSE 64 /* default of DRAGOMAN_REUSE */

/* The kinds of settings, which differ in how they are set; see settings.def. */
typedef enum {
    DRAGOMAN_KIND_TEXT,
    DRAGOMAN_KIND_LIST,
    DRAGOMAN_KIND_EACH,
    DRAGOMAN_KIND_FLAG,
    DRAGOMAN_KIND_SWITCH,
    DRAGOMAN_KIND_CHOICE,
    DRAGOMAN_KIND_SIZE,
    DRAGOMAN_KIND_NUMBER,
    DRAGOMAN_KIND_REAL
} DragomanKind;

/* The models of a pipeline to which a setting applies. */
typedef enum {
    DRAGOMAN_FOR_ALL,
    DRAGOMAN_FOR_FIRST,
    DRAGOMAN_FOR_LAST,
    DRAGOMAN_FOR_EACH,    /* each model has its own text */
    DRAGOMAN_FOR_BETWEEN, /* text n belongs between models n and n + 1 */
    DRAGOMAN_FOR_JOB      /* no model: the setting is for texts and documents */
} DragomanScope;

/* A row of settings.def. */
typedef struct {
    const char *name;         /* of the constant, without DRAGOMAN_ */
    const char *option;       /* name of the program's option; "": there is no option */
    const char *argument;     /* name of the value in the help, such as "N" or "FILE"; NULL: there is no value */
    int kind;                 /* a DragomanKind */
    int models;               /* a DragomanScope */
    double low, high;         /* limits of a number; the default may be outside them */
    const char *const *words; /* CHOICE: its words in the order of their numbers, ended by NULL; else NULL */
    const char *help;         /* description and default for users; options as the program spells them (--max-length) */
} DragomanSettingRow;

#endif
