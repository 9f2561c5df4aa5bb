/* latex_definitions.h - commands and environments of a LaTeX document that begin or end mathematics or code. */
#ifndef DRAGOMAN_LATEX_DEFINITIONS_H
#define DRAGOMAN_LATEX_DEFINITIONS_H

#include "latex_commands.h"
#include "latex_scan.h"

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

#endif
