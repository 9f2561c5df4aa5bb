/* memory_context.h - what the translation of a text depends on besides the text. */
#ifndef DRAGOMAN_MEMORY_CONTEXT_H
#define DRAGOMAN_MEMORY_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "glossary.h"

typedef struct {
    const char *from, *to;  /* languages as BCP 47 writes them; NULL: not known */
    uint64_t identity;      /* of the models and settings: dragoman_identify() */
    bool is_unit;           /* of a document: its sentences are translated one by one */
    const TermMatch *terms; /* [term_count], of the glossary in the text */
    size_t term_count;
} MemoryContext;

#endif
