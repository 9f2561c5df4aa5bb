/* latex_braces.h - the pairs of braces in a LaTeX document. */
#ifndef DRAGOMAN_LATEX_BRACES_H
#define DRAGOMAN_LATEX_BRACES_H

#include "err.h"
#include "latex_scan.h"

/* Finds the braces in [begin, scan->end), where scan->bytes and scan->end are set, except \{ and \}, those in comments,
 * and those in code between delimiters: \verb|}|. In code in braces and in addresses, a % is no comment. If it fails,
 * nothing needs to be freed. */
MUST_USE Status latex_braces_find(LatexScan *scan, size_t begin, Err *err);
void latex_braces_free(LatexScan *scan);

#endif
