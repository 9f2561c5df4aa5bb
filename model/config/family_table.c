/* family_table.c - the families by name (family.h). */
#include <string.h>

#include "families.h"

static const Family *const families[] = { &marian_family, &bart_family,        &mbart_family,
                                          &m2m100_family, &t5_family,          &mt5_family,
                                          &umt5_family,   &transformer_family, &ctranslate2_family };

#define FAMILIES (sizeof families / sizeof *families)

const Family *family_find(const char *name)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

const char *family_reason(const char *name)
{
    if (strcmp(name, "fsmt") == 0)
        return " (FSMT, facebook/wmt19-*: its text is cut by the Moses tokenizer and fastBPE, for which there is no "
               "well-kept C library)";
    return "";
}

Status family_list(Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < FAMILIES; i++)
        st = buf_append_format(out, err, "%s%s", i ? ", " : "", families[i]->name);
    return st;
}
