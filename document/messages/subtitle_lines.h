/* subtitle_lines.h - whether a sentence goes on in the next line or cue of subtitles. One rule for all formats of
 * subtitles: document_subtitles.c. */
#ifndef DRAGOMAN_SUBTITLE_LINES_H
#define DRAGOMAN_SUBTITLE_LINES_H

#include <stdbool.h>

#include "document_builder.h"

/* Whether the line `next` goes on with the text of the line before it. The lines are bytes of the document, without
 * white space at their ends, and may have tags and entities of HTML or XML. `is_new_cue`: `next` begins a cue. */
bool subtitle_lines_go_on(DocumentBuilder *builder, Range last, Range next, bool is_new_cue);

#endif
