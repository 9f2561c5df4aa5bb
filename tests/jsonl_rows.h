/* jsonl_rows.h - reads references: files with one JSON object per line. */
#ifndef DRAGOMAN_JSONL_ROWS_H
#define DRAGOMAN_JSONL_ROWS_H

#include "test_support.h"

#include "json.h"

typedef struct {
    char *text; /* the whole file, split into lines */
    size_t size, at, number;
    const char *name;
    cJSON *row;
} Rows;

static inline Rows rows_open(const char *name)
{
    Rows rows = { .name = name };

    rows.text = support_read_file(name, &rows.size);
    return rows;
}

/* Parses the next line into rows->row; returns false after the last line. */
static inline bool rows_next(Rows *rows)
{
    char *end;
    Err err;

    cJSON_Delete(rows->row);
    rows->row = NULL;
    if (rows->at == rows->size) {
        free(rows->text);
        return false;
    }
    end = memchr(rows->text + rows->at, '\n', rows->size - rows->at);
    assert_non_null(end);
    assert_ok(json_parse(&rows->row, rows->text + rows->at, (size_t)(end - rows->text) - rows->at, rows->name, &err),
              &err);
    rows->at = (size_t)(end - rows->text) + 1;
    rows->number++;
    return true;
}

#endif
