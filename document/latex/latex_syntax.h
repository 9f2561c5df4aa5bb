/* latex_syntax.h - the syntax of LaTeX documents: comments, names and arguments of commands, where parts end that are
 * left alone or kept; and what commands and environments mean for a translation. */
#ifndef DRAGOMAN_LATEX_SYNTAX_H
#define DRAGOMAN_LATEX_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chars.h"
#include "err.h"
#include "ranges.h"
#include "str_map.h"

/* Longer parts are not looked through, so that reading takes linear time. */
#define LATEX_PART_BYTES ((size_t)4000)

/* Of arguments in braces: as many as follow directly. */
#define LATEX_ANY_COUNT SIZE_MAX

/* A document that is being read. */
typedef struct {
    const char *bytes;
    size_t end;
    StrMap *commands, *environments; /* the names that are known, letters among the commands: latex_scan_open() */
    bool has_shorthands;             /* of German: has_german_shorthands() */
    RangeList groups;                /* a { and its }, ascending by the first; end is 0 if there is no } */
} LatexScan;

/* Sets the names that are known; free both maps, also after a failure. */
MUST_USE Status latex_scan_open(LatexScan *scan, Err *err);

/* Returns the byte at `at`; NUL at the end of the document. */
static inline char latex_byte(const LatexScan *scan, size_t at)
{
    return at < scan->end ? scan->bytes[at] : '\0';
}

static inline size_t latex_line_end(const LatexScan *scan, size_t at)
{
    return chars_find(scan->bytes, at, scan->end, '\n');
}

static inline size_t latex_skip_blanks(const LatexScan *scan, size_t at)
{
    return chars_skip_blanks(scan->bytes, at, scan->end);
}

/* Returns the end of the comment at byte `at`: with the newline and the blanks after it, unless the next line is
 * blank. */
size_t latex_scan_comment(const LatexScan *scan, size_t at);

/* The name of the command at byte `at`, which is a backslash: letters and at signs, with a star after them, or one
 * character. Empty at the end of the document. */
Range latex_scan_name(const LatexScan *scan, size_t at);

/* Whether the name is in a short list separated by spaces; a name without a star there also stands for the one with a
 * star. */
bool latex_scan_is_in(const LatexScan *scan, Range name, const char *list);

/* Finds the argument in brackets or in braces that begins at byte `at`: *contents is what is between them. Returns
 * where it ends, or `at` if there is none. */
size_t latex_scan_option(const LatexScan *scan, size_t at, Range *contents);
size_t latex_scan_argument(const LatexScan *scan, size_t at, Range *contents);

/* Returns the end of the overlay specification of beamer at byte `at`, <1-> or <alert@2>; `at` if there is none. */
size_t latex_scan_overlay(const LatexScan *scan, size_t at);

/* Returns the end of the blanks and comments from byte `at` on, with at most one line end that is not in a comment. TeX
 * skips them before an argument. */
size_t latex_scan_blanks(const LatexScan *scan, size_t at);

/* Returns the end of all overlay specifications and arguments in brackets from byte `at` on. */
size_t latex_scan_settings(const LatexScan *scan, size_t at);

/* Returns the end of the arguments of a command whose name ends at byte `at`; `at` if there are none. `count` is the
 * number of its arguments in braces. Blanks may precede them, and settings: [x], <1-> and (x). A command may take the
 * place of an argument unless `last` is given. With LATEX_ANY_COUNT, the arguments are all in braces and brackets that
 * follow without blanks; with 0, all in brackets. *last is what is between the last braces, unchanged if not all
 * arguments are there; it may be NULL. */
size_t latex_scan_arguments(const LatexScan *scan, size_t at, size_t count, Range *last);

/* Whether there is a blank line at byte `at`, which is a newline. */
bool latex_scan_is_paragraph(const LatexScan *scan, size_t at);

/* Returns the end of \verb|x|, whose name ends at byte `at`: after the second of the characters around the code; `at`
 * if it is not in this line. */
size_t latex_extent_verb(const LatexScan *scan, size_t at);

/* Returns the end of \begin{name} or \end{name} at byte `at`, where `command` is \begin or \end; `at` if it is not
 * there. Blanks may precede the brace. */
size_t latex_extent_boundary(const LatexScan *scan, size_t at, const char *command, LineText name);

/* Finds such a boundary from byte `at` on. Returns an empty range at the end of the document if there is none. */
Range latex_extent_find_boundary(const LatexScan *scan, size_t at, const char *command, LineText name);

typedef enum {
    LATEX_KEPT,        /* stands for a text that is kept, with its arguments: \ref{x}, unknown commands */
    LATEX_TITLE,       /* its last argument is a text of its own, as are options before it: \section[short]{long} */
    LATEX_SPAN,        /* its last argument is part of the text: \emph{x}, \href{address}{x} */
    LATEX_BOX,         /* as LATEX_SPAN; a width may precede the argument: \hbox to 5cm{x} */
    LATEX_CODE,        /* as LATEX_SPAN, but kept: \texttt{x}, \foreignlanguage{french}{x} */
    LATEX_TEX_STRING,  /* its first argument is part of the text, the second one, for bookmarks, a text of its own:
                          \texorpdfstring{x}{y} */
    LATEX_INLINE,      /* code after an option, in braces or up to a character that precedes it: \lstinline[x]|y| */
    LATEX_MINTED,      /* as LATEX_INLINE, after the name of a language: \mintinline[x]{c}|y| */
    LATEX_NOTE,        /* its last argument is a text of its own inside the text: \footnote{x} */
    LATEX_INVISIBLE,   /* an empty element with its arguments: \label{x} */
    LATEX_FILE,        /* as LATEX_INVISIBLE, but the argument may be a word without braces: \input x */
    LATEX_DECLARATION, /* an empty element without arguments: \bf, \small */
    LATEX_LENGTH,      /* an empty element with the length after it: \hskip 1em plus 1fil, \parskip=1em */
    LATEX_BREAK,       /* ends the text, and its arguments are left alone: \par, \\, \newpage */
    LATEX_ITEM,        /* ends the text; its option is a text: \item[x] */
    LATEX_FRAMED,      /* a span inside a text; elsewhere its argument contains texts: \frame{x} of beamer */
    LATEX_DEFINITION,  /* left alone with its arguments and the brackets after them: \newcommand{\x}[1]{...}; \def and
                          \let up to the end of their braces */
    LATEX_VERB         /* kept up to the character that follows its name: \verb|x| */
} LatexCommandKind;

typedef struct {
    LatexCommandKind kind;
    size_t count; /* of arguments in braces, or LATEX_ANY_COUNT; 0 if the kind needs none */
} LatexCommand;

/* Returns { LATEX_KEPT, LATEX_ANY_COUNT } for a name that is not known. */
LatexCommand latex_command(const LatexScan *scan, Range name);

/* Returns the letter that a command stands for, \ss; 0: none. */
uint32_t latex_letter(const LatexScan *scan, Range name);

typedef enum {
    LATEX_TEXT,      /* text; its arguments are left alone */
    LATEX_OPTIONS,   /* as LATEX_TEXT; blanks may precede its options */
    LATEX_WIDTH,     /* text; a width may precede its arguments, which are left alone */
    LATEX_THEOREM,   /* text; its option is a title */
    LATEX_FRAME,     /* text; its options are left alone, its arguments are a title and a subtitle */
    LATEX_BLOCK,     /* as LATEX_FRAME, without a subtitle */
    LATEX_VERBATIM,  /* code: left alone */
    LATEX_CAPTIONED, /* code, except for captions: left alone */
    LATEX_FORMULA,   /* mathematics, a drawing, another language: left alone, but read by LaTeX */
} LatexEnvironmentKind;

typedef struct {
    LatexEnvironmentKind kind;
    size_t count; /* of arguments in braces, as that of a command */
} LatexEnvironment;

/* Returns { LATEX_TEXT, LATEX_ANY_COUNT } for a name that is not known. */
LatexEnvironment latex_environment(const LatexScan *scan, Range name);

/* Later definitions are not read, so that reading takes linear time. */
#define LATEX_DEFINITIONS ((size_t)200)

typedef enum {
    LATEX_BEGINS_FORMULA, /* \newcommand{\be}{\begin{equation}} */
    LATEX_ENDS_FORMULA,   /* \newcommand{\ee}{\end{equation}} */
    LATEX_IS_FORMULA,     /* \newenvironment{eqn}{\begin{equation}}{\end{equation}} */
    LATEX_IS_CODE         /* \lstnewenvironment{code}{}{}, \newenvironment{code}{\verbatim}{\endverbatim} */
} LatexDefinitionKind;

typedef struct {
    LatexDefinitionKind kind;
    Range name;        /* without a backslash */
    Range environment; /* empty: \[ and \] */
} LatexDefinition;

/* Starts as {0}. */
typedef struct {
    LatexDefinition items[LATEX_DEFINITIONS]; /* [count] */
    size_t count;
} LatexDefinitions;

/* Reads what a command of definitions, \newcommand, defines, if it is mathematics or code. `name` is the name
 * of the command. */
void latex_definitions_read(LatexDefinitions *definitions, const LatexScan *scan, Range name);

/* latex_environment(), or what the document defines. */
LatexEnvironment latex_definitions_environment(const LatexDefinitions *definitions, const LatexScan *scan, Range name);

/* Returns the end of the mathematics that the command `name` begins: after the command that ends it. Returns
 * `name.end` if it begins none or if its end is not in the same paragraph. Of commands that the document does not
 * define, \be, \bea, \beq, \beqa and \beqn begin mathematics that ends with \ee, \eea and so on. */
size_t latex_definitions_formula_end(const LatexDefinitions *definitions, const LatexScan *scan, Range name);

/* Returns the end of an environment of mathematics whose \begin{name} ends at byte `at`: after \end{name} or a command
 * that stands for it; 0 if there is none before `limit`. */
size_t latex_definitions_environment_end(const LatexDefinitions *definitions, const LatexScan *scan, size_t at,
                                         size_t limit, Range name);

/* Whether most lines of the environment whose \begin{name} ends at byte `at` look like code or a listing: a prompt, an
 * operator, an underscore or a # that is an error in text, a semicolon or a brace at the end. If the name says that it
 * is code, its lines need only not be sentences or commands of LaTeX. Only the first lines are read. */
bool latex_listing_is_code(const LatexScan *scan, size_t at, Range name);

#endif
