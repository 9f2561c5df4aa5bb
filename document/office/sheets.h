/* sheets.h - what spreadsheets have in common, in Office Open XML and OpenDocument: the sheets, columns and cells that
 * are translated, and formulas that compare with a text that is translated.
 *
 * For each sheet, a format calls in this order:
 *
 *     sheets_add_area(s, ...)              for each area that stays, before all sheets
 *     sheets_enter(s, name, length)        returns whether texts of the sheet are translated
 *     sheets_name_column(s, ...)           for each text in the first row that has a text
 *     sheets_names_end(s)
 *     sheets_wants(s, ...)                 for each cell with a text; sheets_add_text() if it is translated
 *     sheets_add_formula(s, ...)           for each formula
 *
 * All texts are decoded. Rows and columns count from 0. If memory is short, the builder fails. */
#ifndef DRAGOMAN_SHEETS_H
#define DRAGOMAN_SHEETS_H

#include <stdbool.h>
#include <stddef.h>

#include "document_builder.h"

typedef struct Sheets Sheets; /* fields: sheets.c */

/* The most columns that a sheet has. */
#define SHEET_COLUMNS ((size_t)16384)

/* Returns NULL if the builder has failed. The caller ends the sheets with sheets_free(). */
Sheets *sheets_new(DocumentBuilder *builder);
void sheets_free(Sheets *sheets); /* NULL is allowed */

/* Cells that stay. The first cell is at the left and at the top. */
typedef struct {
    size_t top, left, bottom, right;
    bool has_names; /* they are the headers of a table */
} SheetArea;

void sheets_add_area(Sheets *sheets, const char *sheet, size_t length, SheetArea area);

bool sheets_enter(Sheets *sheets, const char *name, size_t length);
void sheets_name_column(Sheets *sheets, size_t column, const char *text, size_t length);
void sheets_names_end(Sheets *sheets);

/* Whether only cells are translated, because the options name columns; whether not all sheets are. */
bool sheets_has_columns(const Sheets *sheets);
bool sheets_has_sheets(const Sheets *sheets);

/* Whether the text of a cell is translated. `is_name`: it is in the row whose texts were given before
 * sheets_names_end(). */
bool sheets_wants(Sheets *sheets, bool is_name, size_t row, size_t column, const char *text, size_t length);

/* A text of a cell that is translated, and whether a text is one of them, in upper or lower case. */
void sheets_add_text(Sheets *sheets, const char *text, size_t length);
bool sheets_has_text(Sheets *sheets, const char *text, size_t length);

/* Where a formula is. */
typedef enum {
    SHEET_CELL,      /* in a cell */
    SHEET_CONDITION, /* of a conditional format; if it is one text, cells are compared with it */
    SHEET_RULE,      /* of the values that a cell may have */
    SHEET_LIST,      /* of the values that a cell may have: all its texts are compared with cells */
    SHEET_FILTER,    /* not a formula: the text that rows with the filter have */
    SHEET_TABLE,     /* like SHEET_FILTER, in a table */
    SHEET_NAME       /* of a name */
} SheetFormula;

/* Remembers a formula that compares with texts. `where`: the cells, or the name of the table
 * or of the formula. */
void sheets_add_formula(Sheets *sheets, SheetFormula kind, const char *where, const char *formula, size_t length);

/* Writes the name of a cell, such as AB12, and returns `out`. */
#define CELL_NAME_BYTES 32
char *sheets_cell_name(size_t row, size_t column, char out[CELL_NAME_BYTES]);

/* Reads the letters of a column and the number of a row from text[*at..end), such as $AB$12, and moves *at after them.
 * Returns false if they are not there. */
bool sheets_read_cell(const char *text, size_t *at, size_t end, size_t *row, size_t *column);

/* Fails if the options name a sheet or a column that does not exist. Warns of the formulas that compare with a text
 * that is translated. */
void sheets_finish(Sheets *sheets);

#endif
