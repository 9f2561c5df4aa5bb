/* normal_form.h - Unicode's normalization forms, using ICU, and two steps of tokenizer.json before these forms: the
 * removal of control characters that is called "Nmt", and a Replace that turns tabs and ends of lines into spaces. */
#ifndef DRAGOMAN_NORMAL_FORM_H
#define DRAGOMAN_NORMAL_FORM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "buf.h"
#include "err.h"
#include "ranges.h"

typedef enum { FORM_NMT, FORM_NFC, FORM_NFD, FORM_NFKC, FORM_NFKD, FORM_TABS } NormalForm;

/* Forms that are applied one after the other. */
#define NORMAL_FORMS_MAX 4
typedef struct {
    NormalForm list[NORMAL_FORMS_MAX];
    size_t count;
} NormalForms;

/* Finds a form by its name in tokenizer.json, or by the expression of the Replace; false if there is no such form. */
bool normal_form_find(const char *name, NormalForm *out);

/* Appends the text (valid UTF-8, fewer than 2^30 bytes), normalized to these forms. `map` starts empty and receives the
 * origin of each byte, as the library tokenizers defines it (sp_steps.c); NULL: not asked for. */
MUST_USE Status normal_form_append(const NormalForms *forms, const char *text, size_t len, Buf *out, RangeList *map,
                                   Err *err);

#ifdef __cplusplus
}
#endif

#endif
