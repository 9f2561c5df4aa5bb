/* template.c - see template.h. */
#include "template.h"

#include <stdlib.h>

#include "path.h"

/* How many bytes of language names fit into a message. */
#define NAMES_SHOWN 600

Status template_open_sp(SpModel **out, const char *folder, const char *name, Err *err)
{
    char *path = path_join(folder, name);
    Status st = path ? sp_shim_open(out, path, err) : err_memory(err, "a file name");

    free(path);
    return st;
}

Status template_open_vocab(Vocab **out, const char *folder, const char *name, Err *err)
{
    char *path = path_join(folder, name);
    Status st = path ? vocab_read(out, path, err) : err_memory(err, "a file name");

    free(path);
    return st;
}

Status template_language_error(const Tokenizer *tokenizer, const char *problem, Err *err)
{
    Buf names = { 0 };
    size_t i;
    Status st = OK;

    for (i = 0; st == OK && i < tokenizer->language_count && names.len < NAMES_SHOWN; i++)
        st = buf_append_format(&names, err, "%s%s", i ? ", " : "", tokenizer->languages[i].name);
    if (st == OK && i < tokenizer->language_count)
        st = buf_append_format(&names, err, " and %zu more", tokenizer->language_count - i);
    if (st == OK) st = err_set(err, ERR_USAGE, "%s; it translates into %s", problem, names.data ? names.data : "none");
    buf_free(&names);
    return st;
}
