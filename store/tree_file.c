/* tree_file.c - see tree_file.h. */
#include "tree_file.h"

#include <string.h>

#include "json.h"
#include "stored_file.h"
#include "yaml_tree.h"

typedef Status (*Parser)(cJSON **out, const char *text, size_t len, const char *name, Err *err);

/* A web page, or what a server says instead of a file ("Entry not found"): no JSON begins so. */
static bool is_other_text(const MappedFile *file)
{
    size_t i = 0;

    while (i < file->size && strchr(" \t\r\n", file->data[i]) && file->data[i]) i++;
    return i < file->size && (file->data[i] == '<' || (file->data[i] >= 'A' && file->data[i] <= 'Z'));
}

static Status read_file(cJSON **out, const char *path, Parser parse, Err *err)
{
    MappedFile file;
    Status st = stored_file_open(&file, path, err);

    *out = NULL;
    if (st != OK) return st;
    if (parse != yaml_tree_parse && file.size == 0)
        st = err_set(err, ERR_FORMAT, "%s: is empty", path);
    else if (parse != yaml_tree_parse && is_other_text(&file))
        st = err_set(err, ERR_FORMAT, "%s: is text, not JSON: did the download fail?", path);
    else
        st = parse(out, (const char *)file.data, file.size, path, err);
    mapped_file_close(&file);
    return st;
}

Status tree_file_read_json(cJSON **out, const char *path, Err *err)
{
    return read_file(out, path, json_parse, err);
}

Status tree_file_read_list(cJSON **out, const char *path, Err *err)
{
    return read_file(out, path, json_parse_list, err);
}

Status tree_file_read_yaml(cJSON **out, const char *path, Err *err)
{
    return read_file(out, path, yaml_tree_parse, err);
}
