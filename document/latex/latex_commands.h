/* latex_commands.h - what commands and environments of LaTeX mean for a translation: those that are known, those that a
 * document defines, and environments of code. */
#ifndef DRAGOMAN_LATEX_COMMANDS_H
#define DRAGOMAN_LATEX_COMMANDS_H

#include "err.h"
#include "latex_scan.h"
#include "str_map.h"

typedef enum {
    LATEX_KEPT,        /* stands for a text that is kept, with its arguments: \ref{x}, unknown commands */
    LATEX_TITLE,       /* its last argument is a text of its own, as are options before it: \section[short]{long} */
    LATEX_SPAN,        /* its last argument is part of the text: \emph{x}, \href{address}{x} */
    LATEX_BOX,         /* likewise; a width may precede it: \hbox to 5cm{x} */
    LATEX_CODE,        /* likewise, but it is kept: \texttt{x}, \foreignlanguage{french}{x} */
    LATEX_TEX_STRING,  /* its first argument is part of the text, the second one, for bookmarks, a text of its own:
                          \texorpdfstring{x}{y} */
    LATEX_INLINE,      /* code after an option, in braces or up to a character that precedes it: \lstinline[x]|y| */
    LATEX_MINTED,      /* likewise, after the name of a language: \mintinline[x]{c}|y| */
    LATEX_NOTE,        /* its last argument is a text of its own inside the text: \footnote{x} */
    LATEX_INVISIBLE,   /* an empty element with its arguments: \label{x} */
    LATEX_FILE,        /* likewise, but the argument may be a word without braces: \input x */
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

/* The names that are known. Starts as {0} and ends with latex_names_free(). */
typedef struct LatexNames {
    StrMap *commands, *environments, *letters;
} LatexNames;

MUST_USE Status latex_names_open(LatexNames *names, Err *err);
void latex_names_free(LatexNames *names);

LatexCommand latex_command(const LatexScan *scan, Range name);

/* Returns the letter that a command stands for, \ss; 0: none. */
uint32_t latex_letter(const LatexScan *scan, Range name);

typedef enum {
    LATEX_TEXT,      /* text; its arguments are left alone */
    LATEX_OPTIONS,   /* likewise; blanks may precede its options */
    LATEX_WIDTH,     /* text; a width may precede its arguments, which are left alone */
    LATEX_THEOREM,   /* text; its option is a title */
    LATEX_FRAME,     /* text; its options are left alone, its arguments are a title and a subtitle */
    LATEX_BLOCK,     /* likewise, without a subtitle */
    LATEX_VERBATIM,  /* code: left alone */
    LATEX_CAPTIONED, /* likewise, except for captions */
    LATEX_FORMULA,   /* mathematics, a drawing, another language: left alone, but read by LaTeX */
} LatexEnvironmentKind;

typedef struct {
    LatexEnvironmentKind kind;
    size_t count; /* the same */
} LatexEnvironment;

LatexEnvironment latex_environment(const LatexScan *scan, Range name);

/* Whether this is what latex_environment() returns for a name that it does not know. */
static inline bool latex_environment_is_unknown(LatexEnvironment environment)
{
    return environment.kind == LATEX_TEXT && environment.count == LATEX_ANY_COUNT;
}

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

/* The same as latex_environment(), but with the environments that the document defines. */
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
