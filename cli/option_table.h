/* option_table.h - one row for each option, and the table as text for people. */
#ifndef DRAGOMAN_OPTION_TABLE_H
#define DRAGOMAN_OPTION_TABLE_H

#include <stddef.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"

typedef enum {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* OptionList, of texts */
    OPTION_INTEGER, /* long, from `low` to `high` */
    OPTION_REAL,    /* OptionalFloat, from `low` to `high` */
    OPTION_CHOICE   /* long, the place of the word in `choices` */
} OptionKind;

typedef enum { GROUP_MODEL, GROUP_SEARCH, GROUP_STREAMS, GROUP_COMMANDS, GROUP_OTHER, GROUP_HIDDEN } OptionGroup;

typedef struct {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* what the help calls it; NULL: takes none */
    OptionGroup group;
    DragomanSetting setting; /* of the library that it gives; messages name the setting so */
    OptionKind kind;
    size_t field; /* offset in Options */
    double low, high;
    const char *const *choices; /* ends with NULL */
    const char *help;           /* sentences; the last one without its full stop */
} OptionRow;

#define OPTION_LIMIT 64 /* there are fewer */
extern const OptionRow option_table[];
extern const size_t option_count;

/* Indexed by OptionGroup, without the hidden one. */
extern const char *const option_group_names[GROUP_HIDDEN];

/* Appends what --help prints, at most 80 columns wide. */
MUST_USE Status help_append(Buf *out, Err *err);

/* Appends the man page, dragoman.1, as roff. */
MUST_USE Status man_page_append(Buf *out, Err *err);

#endif
