/* range_cases.h - texts in which marks show the ranges that a function finds: "Home {|} Books". */
#ifndef DRAGOMAN_RANGE_CASES_H
#define DRAGOMAN_RANGE_CASES_H

#include "test_support.h"

#include "buf.h"
#include "ranges.h"

/* Appends the ranges of a text, valid UTF-8. */
typedef Status RangeFinder(RangeList *out, const char *text, size_t length, Err *err);

/* Checks that exactly the ranges between the characters `open` and `close` are found. */
static inline void range_cases_check(RangeFinder *find, char open, char close, const char *const *marked, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        RangeList found = { 0 };
        Buf text = { 0 }, out = { 0 };
        size_t at = 0;
        Err err;
        buf_put_text(&text, "");
        for (const char *c = marked[i]; *c; c++)
            if (*c != open && *c != close) buf_put_byte(&text, *c);
        assert_ok(find(&found, text.data, text.len, &err), &err);
        for (size_t k = 0; k < found.len; k++) {
            const Range range = found.data[k];
            assert_true(range.begin >= at && range.begin < range.end && range.end <= text.len);
            buf_put(&out, text.data + at, range.begin - at);
            buf_put_byte(&out, open);
            buf_put(&out, text.data + range.begin, range.end - range.begin);
            buf_put_byte(&out, close);
            at = range.end;
        }
        buf_put_text(&out, text.data + at);
        assert_string_equal(out.data, marked[i]);
        ranges_free(&found);
        buf_free(&text);
        buf_free(&out);
    }
}

#endif
