/* ooxml_formats.h - the different formats of the runs in a paragraph, without what does not change how text looks: the
 * language and the notes of the spelling checker. */
#ifndef DRAGOMAN_OOXML_FORMATS_H
#define DRAGOMAN_OOXML_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "xml_tree.h"

typedef struct {
    size_t at, length; /* in OoxmlFormats.bytes: the element w:rPr or a:rPr; nothing for no formatting */
    size_t text;       /* bytes of text with this format */
    bool has_letter;   /* in this text */
    bool is_visible;   /* also on spaces alone: a link, a line under the text */
} OoxmlFormat;

/* Starts as {0} and ends with ooxml_formats_free(). */
typedef struct {
    Buf bytes;
    OoxmlFormat *items; /* [count] */
    size_t count, capacity;
} OoxmlFormats;

/* Finds the format of a run, or adds it. */
MUST_USE Status ooxml_formats_find(OoxmlFormats *formats, const XmlTree *tree, size_t run, size_t *format, Err *err);

/* Notes bytes of text with the format. */
void ooxml_formats_add_text(OoxmlFormats *formats, size_t format, const char *text, size_t length);

/* Returns the format with the most text, the first one of equals; (size_t)-1 if there is none. What no format claims in
 * the translation, such as spaces, gets this one. So a format that is visible in spaces is returned only if no other
 * one has a letter. */
size_t ooxml_formats_main(const OoxmlFormats *formats);

void ooxml_formats_free(OoxmlFormats *formats);

#endif
