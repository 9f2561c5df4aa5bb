/* odf_styles.h - removes spans of OpenDocument that do not change how text looks.
 *
 * Editors put a span around each part of a paragraph that was typed at another time, even inside words. */
#ifndef DRAGOMAN_ODF_STYLES_H
#define DRAGOMAN_ODF_STYLES_H

#include "buf.h"
#include "err.h"
#include "package.h"

/* Appends a part without such spans, and with spans joined that follow each other and look the same. */
MUST_USE Status odf_join_spans(const PackageBytes *part, Buf *out, Err *err);

#endif
