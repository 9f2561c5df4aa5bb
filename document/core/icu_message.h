/* icu_message.h - messages of ICU's MessageFormat with plurals and selections, and how they are divided into texts:
 *
 *     You have {n, plural, one {# file} other {# files}} in {dir}.
 *
 * becomes one whole sentence for each branch that the target language needs:
 *
 *     {n, plural, one {You have # file in {dir}.} other {You have # files in {dir}.}}
 *
 * Source   ICU, icu4c/source/common/messagepattern.cpp, for which strings are messages (UMSGPAT_APOS_DOUBLE_OPTIONAL).
 * Checked  tests/unit/test_icu_message.c, and scripts/reference/check_icu_messages.py with PyICU. */
#ifndef DRAGOMAN_ICU_MESSAGE_H
#define DRAGOMAN_ICU_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "plural_categories.h"
#include "ranges.h"

#define ICU_NONE ((size_t)-1)

typedef enum { ICU_SELECT, ICU_PLURAL, ICU_ORDINAL } IcuKind;

/* An argument with branches. The lists of a message are in the order of the text. */
typedef struct {
    IcuKind kind;
    bool has_offset;
    Range text, name; /* from { to } */
    size_t parent;    /* the branch around it; ICU_NONE: there is none */
    size_t branch;    /* its first branch */
    size_t next;      /* the next argument in the same branch; ICU_NONE: there is none */
} IcuArgument;

typedef struct {
    size_t argument;
    size_t lead;             /* where the white space before the selector begins */
    Range selector, text;    /* `text`: between the braces */
    PluralCategory category; /* PLURAL_CATEGORIES: another selector, such as =0 */
    bool has_number;         /* # or the argument is in the text */
    size_t first; /* the first argument in it, and the next branch of its argument; ICU_NONE: there is none */
    size_t next;
} IcuBranch;

typedef enum {
    ICU_KEPT,      /* an argument without branches, or text in apostrophes: '{x}' */
    ICU_NUMBER,    /* # */
    ICU_APOSTROPHE /* '' */
} IcuMarkKind;

/* A part of the text that is not plain text. */
typedef struct {
    IcuMarkKind kind;
    Range text, name; /* `name`: of an argument */
    size_t argument;  /* of a # that shows a number: the plural; ICU_NONE: the # is text */
} IcuMark;

/* Starts as {0} and ends with icu_message_free(). */
typedef struct {
    const char *text; /* the text that was read */
    size_t length;
    LIST_OF(IcuArgument) arguments;
    LIST_OF(IcuBranch) branches;
    LIST_OF(IcuMark) marks;
    bool has_apostrophe; /* a single apostrophe that is text: don't */
    bool is_fixed;       /* its text has characters that would mean something else in a branch: } and '#, and an
                            apostrophe at the end */
} IcuMessage;

/* Reads text[0..length), valid UTF-8, which must stay valid. Sets *is_message to whether ICU accepts it and it has at
 * least one plural or selection. Messages with a choice, or nested more than 32 deep, do not count. Takes linear time.
 */
MUST_USE Status icu_message_read(IcuMessage *message, const char *text, size_t length, bool *is_message, Err *err);
void icu_message_free(IcuMessage *message);

/* Returns the index of the first mark that begins at byte `at` or after it. */
size_t icu_message_mark(const IcuMessage *message, size_t at);

/* Whether the text is such a message. */
MUST_USE Status icu_message_test(const char *text, size_t length, bool *is_message, Err *err);

typedef enum {
    ICU_TEXT,   /* text, with marks */
    ICU_SYNTAX, /* bytes between texts, as in the source */
    ICU_NAME    /* the name of a plural category */
} IcuPieceKind;

/* A part of the message as it is translated. */
typedef struct {
    IcuPieceKind kind;
    bool follows_syntax; /* ICU_SYNTAX after other syntax: markup between the two belongs to it, not to a text */
    Range text;
    PluralCategory category; /* of ICU_NAME */
    size_t argument;         /* of ICU_TEXT: the plural whose number # shows there; ICU_NONE: # is text there */
} IcuPiece;

typedef LIST_OF(IcuPiece) IcuPieceList;

/* Appends the pieces of the message for a translation. Between two ICU_SYNTAX, all ICU_TEXT are one text. The
 * branches of a plural are those of the target language, and text around an argument moves into its branches. If the
 * message had more than 1,300 texts or 256 KB then, the text around arguments stays in its place; if it still has so
 * many then, all branches stay, too. */
MUST_USE Status icu_message_divide(const IcuMessage *message, const PluralTarget *target, IcuPieceList *out, Err *err);

#endif
