/* family.c - see family.h. */
#include "family.h"

#include <string.h>

#include "family_marian.h"

static const Family *const families[] = { &marian_family };

#define FAMILIES (sizeof families / sizeof *families)

const Family *family_find(const char *name)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

Status family_list(Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < FAMILIES; i++)
        st = buf_append_format(out, err, "%s%s", i ? ", " : "", families[i]->name);
    return st;
}
