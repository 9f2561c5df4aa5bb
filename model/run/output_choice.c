/* output_choice.c - see output_choice.h. */
#include "output_choice.h"

#include <stdlib.h>

/* A choice of more than 1 / WIDE_PART of the vocabulary is wide. The gathered rows of all sentences in
 * flight may exist side by side, and must not take many times the memory of the output layer. */
#define WIDE_PART 4

/* Number of logits per block when whole rows are not required: half of a second-level cache of a megabyte. */
#define LOGITS_TOGETHER ((size_t)1 << 17)

/* Up to this number of logits (four megabytes), whole rows are as fast as blocks. */
#define LOGITS_IN_CACHE ((size_t)1 << 20)

/* If whole rows are required, they are computed in groups of this number of logits: the whole rows of everything in
 * flight may take as much memory as the model. Each group reads the output layer again, so smaller groups are
 * slower. */
#define WHOLE_LOGITS ((size_t)1 << 21)

/* The number of columns that are allocated for a row. */
static size_t row_width(const Model *model)
{
    return (matrix_n(model->output.weight) + ROW_BLOCK - 1) / ROW_BLOCK * ROW_BLOCK;
}

LogitsRoom logits_room(const Model *model, size_t max_rows, size_t beams)
{
    const size_t width = row_width(model), most = WHOLE_LOGITS / width;
    LogitsRoom room = { .whole_rows = most > beams ? most : beams };

    if (room.whole_rows > max_rows) room.whole_rows = max_rows;
    room.room = room.whole_rows * width;
    if (room.room < LOGITS_TOGETHER) room.room = LOGITS_TOGETHER;
    return room;
}

size_t output_choice_rows(const OutputChoice *choice, const Model *model, const LogitsRoom *room, bool whole_rows)
{
    const size_t widest = LOGITS_TOGETHER / ROW_BLOCK, able = matrix_block_rows(model->output.weight);
    const size_t rows = able < widest ? able : widest;

    return choice || whole_rows || rows < room->whole_rows ? room->whole_rows : rows;
}

Status output_choice_gather(OutputChoice *choice, const Model *model, MatrixRows *rows, Err *err)
{
    size_t count = choice->ids.len;
    Status st;

    choice->wide = count > matrix_n(model->output.weight) / WIDE_PART;
    if (choice->wide) return OK;
    st = matrix_gather(&choice->weight, rows, choice->ids.data, count, err);
    if (st != OK) return st;
    if (!model->output.bias) return OK;
    if (count > choice->bias_room) {
        free(choice->bias);
        choice->bias_room = 0;
        choice->bias = calloc(count, sizeof *choice->bias);
        if (!choice->bias) return err_memory(err, "the output layer");
        choice->bias_room = count;
    }
    for (size_t i = 0; i < count; i++) choice->bias[i] = model->output.bias[choice->ids.data[i]];
    return OK;
}

void output_choice_free(OutputChoice *choice)
{
    ids_free(&choice->ids);
    matrix_free(choice->weight);
    free(choice->bias);
    *choice = (OutputChoice){ 0 };
}

/* Computes the logits as [rows, width], and returns the width. */
static size_t multiply(const OutputChoice *choice, const Layers *layers, size_t rows, const float *x, float *out)
{
    const Linear *all = &layers->model->output;
    const Linear few = choice ? (Linear){ choice->weight, choice->bias } : *all;

    layers_linear(layers, choice && !choice->wide ? &few : all, rows, x, out);
    /* Narrows rows in place: writes never overtake reads. */
    if (choice && choice->wide) {
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < choice->ids.len; i++)
                out[r * choice->ids.len + i] = out[r * matrix_n(all->weight) + (size_t)choice->ids.data[i]];
    }
    return choice ? choice->ids.len : matrix_n(all->weight);
}

/* True when there are many logits and the matrix can be multiplied in blocks. */
static bool is_in_blocks(const Model *model, size_t rows)
{
    return rows * row_width(model) > LOGITS_IN_CACHE && rows <= LOGITS_TOGETHER / ROW_BLOCK &&
           rows <= matrix_block_rows(model->output.weight);
}

void output_choice_logits(const OutputChoice *choice, const Layers *layers, const float *x, LogitsBlock block,
                          const LogitsSink *sink)
{
    const Linear *all = &layers->model->output;

    if (choice || sink->whole_rows || !is_in_blocks(layers->model, block.rows)) {
        block.count = block.stride = multiply(choice, layers, block.rows, x, block.logits);
        sink->take(sink->context, &block);
        return;
    }
    block.stride = LOGITS_TOGETHER / block.rows / ROW_BLOCK * ROW_BLOCK;
    matrix_multiply_in_blocks(layers->team, layers->scratch, all->weight, x, all->bias, &block, sink);
}
