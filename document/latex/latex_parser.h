/* latex_parser.h - the texts and groups of a LaTeX document that is being read, and how they are reported. */
#ifndef DRAGOMAN_LATEX_PARSER_H
#define DRAGOMAN_LATEX_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "document_builder.h"
#include "latex_definitions.h"
#include "latex_scan.h"

/* More groups inside each other are only bytes. */
#define LATEX_GROUP_DEPTH 200

typedef enum {
    LATEX_GROUP_SPAN,
    LATEX_GROUP_CODE,
    LATEX_GROUP_TEXT, /* texts of their own */
    LATEX_GROUP_FRAME_TITLE,
    LATEX_GROUP_BLOCK_TITLE,
    LATEX_GROUP_NOTE,
    LATEX_GROUP_TEX_STRING, /* a span; the text for bookmarks follows in braces */
    LATEX_GROUP_PDF_STRING  /* this text; it begins with the end of the span */
} LatexGroupKind;

/* A group that is being read. */
typedef struct {
    LatexGroupKind kind;
    size_t begin, end; /* the first byte of its command, and its closing brace */
    size_t kept;       /* LatexParser.kept before it */
} LatexGroup;

typedef struct {
    DocumentBuilder *builder;
    LatexScan scan;
    LatexDefinitions definitions;
    const char *bytes;
    LatexGroup groups[LATEX_GROUP_DEPTH];
    size_t depth;        /* at most LATEX_GROUP_DEPTH; the functions that open a group need room for it */
    size_t notes;        /* texts of notes that have begun */
    size_t kept;         /* groups of code */
    bool has_scripts[2]; /* a subscript or superscript is outside of mathematics: in the text; in its note */
    bool has_equals[2];  /* likewise a sign such as = */
    bool has_open_code;  /* an environment of code does not end in the preamble */
    bool reads_scripts;  /* that is an error */
    size_t body;         /* where \begin{document} begins, or the end of the file */
    bool is_body;        /* not in the preamble */
} LatexParser;

/* Begins or ends a text at byte `at`, unless it has begun or ended. A note does not end before its group. */
void latex_parser_begin_text(LatexParser *parser, size_t at);
void latex_parser_end_text(LatexParser *parser, size_t at);

/* Reports bytes of the text, which has begun. A text with x_1 or x^2 is mathematics that was not recognized, so it is
 * left alone; names (snake_case) are not. */
void latex_parser_plain(LatexParser *parser, size_t begin, size_t end);

/* Reports an empty element if it is in a text. */
void latex_parser_empty(LatexParser *parser, size_t begin, size_t end);

/* Reports bytes that a translation contains as they are. */
void latex_parser_kept(LatexParser *parser, size_t begin, size_t end);

/* Reports a span from `begin` on whose contents are kept. Returns its end. */
size_t latex_parser_code(LatexParser *parser, size_t begin, Range contents);

/* Begins a group that is reported with its contents. */
void latex_parser_open_group(LatexParser *parser, LatexGroupKind kind, size_t begin, size_t end);

/* Reports the beginning of a span from `begin` to `contents.begin`; its end follows with its brace. Returns where to go
 * on. */
size_t latex_parser_open_span(LatexParser *parser, LatexGroupKind kind, size_t begin, Range contents);

/* Begins a note, which is a text inside the text, or a text of its own. Returns where to go on. */
size_t latex_parser_open_note(LatexParser *parser, size_t begin, Range contents);

/* Begins the texts that are in the braces after byte `at` and blanks, if there are braces. Returns where to go on. */
size_t latex_parser_open_texts(LatexParser *parser, LatexGroupKind kind, size_t at);

/* Reports the end of the innermost group at its brace, or at a later byte `at` if something goes on over the brace, as
 * mathematics may. Returns where to go on. */
size_t latex_parser_close_group(LatexParser *parser, size_t at);

#endif
