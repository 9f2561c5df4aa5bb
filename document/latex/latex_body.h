/* latex_body.h - where the text of a LaTeX document begins and ends. */
#ifndef DRAGOMAN_LATEX_BODY_H
#define DRAGOMAN_LATEX_BODY_H

#include "latex_scan.h"

/* Finds \begin{document} and the \end{document} after it from byte `begin` on, outside of comments, code and examples
 * in other environments. The braces of the scan need not be known. Returns where they begin; the end of the document
 * where there is none. */
Range latex_body_find(const LatexScan *scan, size_t begin);

#endif
