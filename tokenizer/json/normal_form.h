/* normal_form.h - Unicode's normalization forms, over ICU, and the clean-up of
 * control characters that goes with them in tokenizers ("Nmt"). */
#ifndef DRAGOMAN_NORMAL_FORM_H
#define DRAGOMAN_NORMAL_FORM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "buf.h"
#include "err.h"

typedef enum { FORM_NMT, FORM_NFC, FORM_NFD, FORM_NFKC, FORM_NFKD } NormalForm;

/* Some forms, one after the other. */
#define NORMAL_FORMS_MAX 4
typedef struct {
    NormalForm list[NORMAL_FORMS_MAX];
    size_t count;
} NormalForms;

/* By the name that tokenizer.json has for it; false: no such form. */
bool normal_form_find(const char *name, NormalForm *out);

/* Appends the text (valid UTF-8, fewer than 2^30 bytes) in these forms. */
MUST_USE Status normal_form_append(const NormalForms *forms, const char *text, size_t len, Buf *out, Err *err);

#ifdef __cplusplus
}
#endif

#endif
