/* csv_cells.h - the cells of a CSV file (RFC 4180, with other delimiters) and what can be written in them. */
#ifndef DRAGOMAN_CSV_CELLS_H
#define DRAGOMAN_CSV_CELLS_H

#include <stdbool.h>

#include "document_formats.h"
#include "escaped_text.h"

typedef enum {
    CELL_PLAIN,       /* gets quotes if a translation needs them */
    CELL_QUOTED,      /* "a ""b""" */
    CELL_HALF_QUOTED, /* "a" b: the quotes are part of the text; gets others around it if these would not end */
    CELL_RAW          /* gets no quotes; those in it are part of the text */
} CellKind;

typedef struct {
    CellKind kind;
    Range bytes, text; /* with and without quotes */
    bool ends_row;
    size_t next; /* where the next cell begins */
} CsvCell;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end;
    char delimiter;
    bool is_tsv; /* quoted cells contain tabs or newlines, but not both: many files have quotes that are only text */
} CsvReader;

/* Reads the cell at byte `at`, which may be the end of the file. */
CsvCell csv_cells_read(const CsvReader *reader, size_t at);

/* Returns the delimiter of a file: that of a first line like "sep=;", and moves *begin to the line after it; otherwise
 * the most frequent one of , ; tab and | outside of quotes in the first row; if possible, one that is as frequent in
 * the next rows. */
char csv_cells_delimiter(const char *bytes, size_t *begin, size_t end);

/* The context of a cell's text. */
unsigned csv_cells_context(const CsvReader *reader, CellKind kind);

/* Reads a character of a cell. */
EscapedReader *csv_cells_reader(CellKind kind);

extern const SpellingRules csv_spelling;

#endif
