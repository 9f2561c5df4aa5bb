/* attention_record.c - see attention_record.h. */
#include "attention_record.h"

#include <stdlib.h>
#include <string.h>

/* Number of positions for which a record has room at first. */
#define FIRST_POSITIONS ((size_t)32)

void attention_record_start(AttentionRecord *record, size_t planes, size_t source_len, size_t beams)
{
    record->planes = planes;
    record->source_len = source_len;
    record->beams = beams;
}

static size_t row_size(const AttentionRecord *record)
{
    return record->planes * record->source_len;
}

Status attention_record_open(AttentionRecord *record, size_t position, size_t most_positions, Err *err)
{
    const size_t floats = record->beams * row_size(record);
    size_t positions = 2 * position > FIRST_POSITIONS ? 2 * position : FIRST_POSITIONS;
    float *values;

    if (!record->planes) return OK;
    if ((position + 1) * floats > record->room) {
        if (positions > most_positions) positions = most_positions;
        values = realloc(record->values, positions * floats * sizeof *values);
        if (!values) return err_memory(err, "the attention");
        record->values = values;
        record->room = positions * floats;
    }
    memset(attention_record_row(record, position, 0), 0, floats * sizeof *record->values);
    return OK;
}

float *attention_record_row(const AttentionRecord *record, size_t position, size_t beam)
{
    return record->planes ? record->values + (position * record->beams + beam) * row_size(record) : NULL;
}

void attention_record_read(const AttentionRecord *record, const size_t *beams, size_t len, float *out)
{
    for (size_t p = 0; p < record->planes; p++)
        for (size_t t = 0; t < len; t++, out += record->source_len)
            memcpy(out, attention_record_row(record, t, beams[t]) + p * record->source_len,
                   record->source_len * sizeof *out);
}

void attention_record_free(AttentionRecord *record)
{
    free(record->values);
    *record = (AttentionRecord){ 0 };
}
