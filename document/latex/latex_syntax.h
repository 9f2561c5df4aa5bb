/* latex_syntax.h - the syntax of LaTeX documents: comments, names and arguments of commands; and what commands and
 * environments mean for a translation (latex_names.txt). */
#ifndef DRAGOMAN_LATEX_SYNTAX_H
#define DRAGOMAN_LATEX_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chars.h"
#include "err.h"
#include "ranges.h"
#include "str_map.h"

/* A search for the end of a part stops after this many bytes. The limit keeps the reading time linear. */
#define LATEX_PART_BYTES ((size_t)4000)

/* As a number of arguments: all arguments in braces that follow directly. */
#define LATEX_ANY_COUNT 9

/* A document that is being read. */
typedef struct {
    const char *bytes;
    size_t end;
    StrMap *commands, *environments; /* known names; the commands include letters such as \ss */
    bool has_shorthands;             /* "a stands for ä: latex_scan_has_shorthands() */
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

/* Returns the name of the command at byte `at`, which is a backslash: letters and at signs, with a star after them, or
 * one character. At the end of the document, the name is empty. */
Range latex_scan_name(const LatexScan *scan, size_t at);

/* Whether the name is in a short list separated by spaces. A name without a star in the list also matches the name with
 * a star. */
bool latex_scan_is_in(const LatexScan *scan, Range name, const char *list);

/* Find the argument in brackets (option) or in braces (argument) that begins at byte `at`. *contents is the text inside
 * them. Return the end of the argument, or `at` if there is none. */
size_t latex_scan_option(const LatexScan *scan, size_t at, Range *contents);
size_t latex_scan_argument(const LatexScan *scan, size_t at, Range *contents);

/* Returns the end of the overlay specification of beamer at byte `at`, such as <1-> or <alert@2>, or `at`. */
size_t latex_scan_overlay(const LatexScan *scan, size_t at);

/* Returns the end of the blanks and comments that begin at byte `at`, with at most one line end outside of comments.
 * TeX skips these before an argument. */
size_t latex_scan_blanks(const LatexScan *scan, size_t at);

/* Returns the end of the overlay specifications and arguments in brackets that begin at byte `at`. */
size_t latex_scan_settings(const LatexScan *scan, size_t at);

/* Returns the end of the arguments of a command whose name ends at byte `at`; `at` if there are none. `count` is the
 * number of arguments in braces. Blanks and settings, such as [x], <1-> and (x), may precede them. With
 * LATEX_ANY_COUNT, all arguments in braces and brackets that follow without blanks are read; with 0, all in brackets.
 * *last becomes the text inside the last braces; if arguments are missing, it stays unchanged. If `last` is NULL, a
 * command may take the place of an argument. */
size_t latex_scan_arguments(const LatexScan *scan, size_t at, size_t count, Range *last);

/* Whether a blank line follows the newline at byte `at`. */
bool latex_scan_is_paragraph(const LatexScan *scan, size_t at);

/* Whether " begins shorthands in a document whose preamble ends at byte `end`: the language is German, the document
 * does not turn shorthands off, and " has no other meaning, such as a quotation mark of csquotes. The language is the
 * main language in the options of babel, or of the class if babel has none; \selectlanguage must not name another
 * one. */
bool latex_scan_has_shorthands(const LatexScan *scan, size_t begin, size_t end);

/* The kinds of commands and, from LATEX_TEXT on, of environments, with examples. latex_names.txt explains them. */
typedef enum {
    LATEX_KEPT,        /* \ref{x}; unknown commands */
    LATEX_TITLE,       /* \section[short]{long} */
    LATEX_SPAN,        /* \emph{x} */
    LATEX_BOX,         /* \hbox to 5cm{x} */
    LATEX_CODE,        /* \texttt{x} */
    LATEX_TEX_STRING,  /* \texorpdfstring{x}{y} */
    LATEX_INLINE,      /* \lstinline[x]|y| */
    LATEX_NOTE,        /* \footnote{x} */
    LATEX_INVISIBLE,   /* \label{x} */
    LATEX_FILE,        /* \input x */
    LATEX_DECLARATION, /* \bf */
    LATEX_LENGTH,      /* \hskip 1em plus 1fil */
    LATEX_BREAK,       /* \par, \\ */
    LATEX_ITEM,        /* \item[x] */
    LATEX_FRAMED,      /* \frame{x} */
    LATEX_DEFINITION,  /* \newcommand{\x}{y} */
    LATEX_VERB,        /* \verb|x| */
    LATEX_LETTER,      /* \ss */
    LATEX_TEXT,        /* quote; unknown environments */
    LATEX_OPTIONS,     /* figure */
    LATEX_WIDTH,       /* tabu */
    LATEX_THEOREM,     /* theorem */
    LATEX_FRAME,       /* frame */
    LATEX_BLOCK,       /* block */
    LATEX_VERBATIM,    /* verbatim */
    LATEX_CAPTIONED,   /* algorithm */
    LATEX_FORMULA      /* equation */
} LatexKind;

/* What a command or an environment means for a translation. */
typedef struct {
    LatexKind kind;
    size_t count; /* number of arguments in braces, or LATEX_ANY_COUNT; 0 if the kind needs none */
} LatexMeaning;

/* Return the meaning of a name. An unknown command has { LATEX_KEPT, LATEX_ANY_COUNT }; an unknown environment has
 * { LATEX_TEXT, LATEX_ANY_COUNT }. */
LatexMeaning latex_command(const LatexScan *scan, Range name);
LatexMeaning latex_environment(const LatexScan *scan, Range name);

/* Returns the letter that a command such as \ss stands for; 0: none. */
uint32_t latex_letter(const LatexScan *scan, Range name);

#endif
