/* soft_alignment.c - see soft_alignment.h. */
#include "soft_alignment.h"

#include <stdlib.h>

#include "buf.h"

Status soft_alignment_take(SoftAlignment *alignment, AlignmentBlock *block, Err *err)
{
    Status st = buf_grow_list(&alignment->blocks, &alignment->room, alignment->count, 1, sizeof *alignment->blocks,
                              "an alignment", err);

    if (st != OK) return st;
    alignment->blocks[alignment->count++] = *block;
    *block = (AlignmentBlock){ 0 };
    return OK;
}

void alignment_block_free(AlignmentBlock *block)
{
    free(block->sources);
    free(block->values);
    *block = (AlignmentBlock){ 0 };
}

void soft_alignment_free(SoftAlignment *alignment)
{
    for (size_t i = 0; i < alignment->count; i++) alignment_block_free(&alignment->blocks[i]);
    free(alignment->blocks);
    *alignment = (SoftAlignment){ 0 };
}

const AlignmentBlock *soft_alignment_block(const SoftAlignment *alignment, size_t target)
{
    size_t low = 0, high = alignment->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const AlignmentBlock *block = &alignment->blocks[middle];
        if (target < block->first)
            high = middle;
        else if (target - block->first >= block->targets)
            low = middle + 1;
        else
            return block;
    }
    return NULL;
}

AlignmentRow soft_alignment_row(const SoftAlignment *alignment, size_t target)
{
    const AlignmentBlock *block = soft_alignment_block(alignment, target);

    if (!block) return (AlignmentRow){ 0 };
    return (AlignmentRow){ block->sources, block->values + (target - block->first) * block->source_count,
                           block->source_count };
}
