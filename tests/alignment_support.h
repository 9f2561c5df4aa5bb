/* alignment_support.h - checks the links of alignments. */
#ifndef DRAGOMAN_ALIGNMENT_SUPPORT_H
#define DRAGOMAN_ALIGNMENT_SUPPORT_H

#include "test_support.h"

#include "buf.h"
#include "dragoman.h"

/* Compares the links, as S-T with spaces, with `want`. */
static inline void check_links(DragomanAlignment *alignment, float threshold, const char *want)
{
    FREED_BY(buf_free) Buf got = { 0 };
    const DragomanLink *links;
    DragomanError error;
    size_t count;

    assert_int_equal(dragoman_alignment_links(alignment, threshold, &links, &count, &error), DRAGOMAN_OK);
    for (size_t i = 0; i < count; i++)
        buf_put_format(&got, "%s%zu-%zu", i ? " " : "", links[i].source, links[i].target);
    assert_string_equal(got.data ? got.data : "", want);
}

#endif
