/* line_tag.h - the tag of a line: its file, its ending, and whether it is the empty line that ends a document; for a
 * unit of a document, how its arguments are read. */
#ifndef DRAGOMAN_LINE_TAG_H
#define DRAGOMAN_LINE_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document.h"
#include "dragoman.h"
#include "line_reader.h"

uintptr_t line_tag(size_t file, Ending ending);
uintptr_t line_tag_of_unit(size_t file, ArgumentRule arguments);
uintptr_t line_tag_of_end(size_t file);

/* The line's file, as an index in InputPlan.inputs, and its ending. */
size_t line_tag_file(const DragomanLine *line);
Ending line_tag_ending(const DragomanLine *line);
size_t line_tag_ending_bytes(Ending ending);

/* Of a unit. */
ArgumentRule line_tag_arguments(const DragomanLine *line);

/* Whether the line is the empty line that ends a document. */
bool line_tag_ends_document(const DragomanLine *line);

#endif
