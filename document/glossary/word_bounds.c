/* word_bounds.c - see word_bounds.h. */
#include "word_bounds.h"

#include <stdlib.h>

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "buf.h"

static Status icu_fault(UErrorCode fault, Err *err)
{
    if (fault == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the words of a text");
    return err_set(err, ERR_IO, "ICU cannot find words: %s; are its data files complete?", u_errorName(fault));
}

static Status read_places(WordBounds *b, Err *err)
{
    Status st = OK;

    for (int32_t at = ubrk_first(b->iterator); st == OK && at != UBRK_DONE; at = ubrk_next(b->iterator)) {
        st = buf_grow_list(&b->places, &b->capacity, b->count, 1, sizeof *b->places, "the words of a text", err);
        if (st == OK) b->places[b->count++] = (size_t)at;
    }
    return st;
}

Status word_bounds_read(WordBounds *b, const char *text, size_t length, Err *err)
{
    UErrorCode fault = U_ZERO_ERROR;
    UText *utext;
    Status st;

    if (b->is_read) return OK;
    b->count = 0;
    if (!b->iterator) b->iterator = ubrk_open(UBRK_WORD, "en", NULL, 0, &fault);
    utext = utext_openUTF8(NULL, text, (int64_t)length, &fault);
    if (U_SUCCESS(fault)) ubrk_setUText(b->iterator, utext, &fault);
    st = U_SUCCESS(fault) ? read_places(b, err) : icu_fault(fault, err);
    utext_close(utext);
    b->is_read = st == OK;
    return st;
}

void word_bounds_forget(WordBounds *b)
{
    b->is_read = false;
}

static int compare_places(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

bool word_bounds_has(const WordBounds *b, size_t place)
{
    return b->count && bsearch(&place, b->places, b->count, sizeof place, compare_places);
}

void word_bounds_free(WordBounds *b)
{
    if (b->iterator) ubrk_close(b->iterator);
    free(b->places);
    *b = (WordBounds){ 0 };
}
