/* latex_syntax.h - the syntax of LaTeX documents: comments, names and arguments of commands; and what commands and
 * environments mean for a translation. */
#ifndef DRAGOMAN_LATEX_SYNTAX_H
#define DRAGOMAN_LATEX_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chars.h"
#include "err.h"
#include "ranges.h"
#include "str_map.h"

/* A search for the end of a part stops after this many bytes, so that reading takes linear time. */
#define LATEX_PART_BYTES ((size_t)4000)

/* A number of arguments: all arguments in braces that follow directly. */
#define LATEX_ANY_COUNT SIZE_MAX

/* A document that is being read. */
typedef struct {
    const char *bytes;
    size_t end;
    StrMap *commands, *environments; /* the names of known ones; commands include letters, as \ss */
    bool has_shorthands;             /* "a is ä: latex_scan_has_shorthands() */
    RangeList groups;                /* each { and its }, in the order of the {; end is 0 if there is no } */
} LatexScan;

/* Fills the maps of known commands and environments. The caller frees both maps, also after a failure. */
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

/* Whether the name is in a short list separated by spaces. A name without a star in the list also matches the name with
 * a star. */
bool latex_scan_is_in(const LatexScan *scan, Range name, const char *list);

/* Find the argument in brackets (option) or in braces (argument) that begins at byte `at`. *contents is the text inside
 * them. Return the end of the argument, or `at` if there is none. */
size_t latex_scan_option(const LatexScan *scan, size_t at, Range *contents);
size_t latex_scan_argument(const LatexScan *scan, size_t at, Range *contents);

/* Returns the end of the overlay specification of beamer at byte `at`, <1-> or <alert@2>; `at` if there is none. */
size_t latex_scan_overlay(const LatexScan *scan, size_t at);

/* Returns the end of the blanks and comments that begin at byte `at`, with at most one line end outside of comments.
 * TeX skips these before an argument. */
size_t latex_scan_blanks(const LatexScan *scan, size_t at);

/* Returns the end of the overlay specifications and arguments in brackets that begin at byte `at`. */
size_t latex_scan_settings(const LatexScan *scan, size_t at);

/* Returns the end of the arguments of a command whose name ends at byte `at`; `at` if there are none. `count` is the
 * number of arguments in braces. Blanks and settings, [x], <1-> and (x), may precede them. With LATEX_ANY_COUNT, all
 * arguments in braces and brackets that follow without blanks are read; with 0, all in brackets. *last becomes the text
 * inside the last braces, and stays unchanged if arguments are missing. If `last` is NULL, a command may take the place
 * of an argument. */
size_t latex_scan_arguments(const LatexScan *scan, size_t at, size_t count, Range *last);

/* Whether a blank line follows the newline at byte `at`. */
bool latex_scan_is_paragraph(const LatexScan *scan, size_t at);

/* Whether " begins shorthands in a document whose preamble ends at byte `end`: the language is German, the document
 * does not turn shorthands off, and " has no other meaning, such as that of csquotes. The language is the main language
 * in the options of babel, or of the class if babel has none; \selectlanguage must not name another one. */
bool latex_scan_has_shorthands(const LatexScan *scan, size_t begin, size_t end);

typedef enum {
    LATEX_KEPT,        /* stands for a text that is kept, with its arguments: \ref{x}, unknown commands */
    LATEX_TITLE,       /* its last argument and the options before it are separate texts: \section[short]{long} */
    LATEX_SPAN,        /* its last argument is part of the text: \emph{x}, \href{address}{x} */
    LATEX_BOX,         /* as LATEX_SPAN; a width may precede the argument: \hbox to 5cm{x} */
    LATEX_CODE,        /* as LATEX_SPAN, but kept: \texttt{x}, \foreignlanguage{french}{x} */
    LATEX_TEX_STRING,  /* its first argument is part of the text; the second one, for bookmarks, is a separate text:
                          \texorpdfstring{x}{y} */
    LATEX_INLINE,      /* code after an option and, if the count is 1, the name of a language; in braces or up to a
                          character that precedes it: \lstinline[x]|y|, \mintinline[x]{c}|y| */
    LATEX_NOTE,        /* its last argument is a separate text inside the text: \footnote{x} */
    LATEX_INVISIBLE,   /* an empty element with its arguments: \label{x} */
    LATEX_FILE,        /* as LATEX_INVISIBLE, but the argument may be a word without braces: \input x */
    LATEX_DECLARATION, /* an empty element without arguments: \bf, \small */
    LATEX_LENGTH,      /* an empty element with the length after it: \hskip 1em plus 1fil, \parskip=1em */
    LATEX_BREAK,       /* ends the text, and its arguments are left alone: \par, \\, \newpage */
    LATEX_ITEM,        /* ends the text; its option is a text: \item[x] */
    LATEX_FRAMED,      /* a span inside a text; elsewhere its argument contains texts: \frame{x} of beamer */
    LATEX_DEFINITION,  /* left alone with its arguments and the brackets among them: \newcommand{\x}[1]{...}; \def and
                          \let up to the end of their braces */
    LATEX_VERB         /* kept; the character after the name also ends the code: \verb|x| */
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
    LATEX_OPTIONS,   /* as LATEX_TEXT, but blanks may precede the options */
    LATEX_WIDTH,     /* text; a width may precede its arguments, which are left alone */
    LATEX_THEOREM,   /* text; its option is a title */
    LATEX_FRAME,     /* text; its options are left alone, its arguments are a title and a subtitle */
    LATEX_BLOCK,     /* as LATEX_FRAME, without a subtitle */
    LATEX_VERBATIM,  /* code: left alone */
    LATEX_CAPTIONED, /* code, except for captions: left alone */
    LATEX_FORMULA,   /* mathematics, a drawing, a text in another language: left alone; commands inside are active */
} LatexEnvironmentKind;

typedef struct {
    LatexEnvironmentKind kind;
    size_t count; /* as LatexCommand.count */
} LatexEnvironment;

/* Returns { LATEX_TEXT, LATEX_ANY_COUNT } for a name that is not known. */
LatexEnvironment latex_environment(const LatexScan *scan, Range name);

#endif
