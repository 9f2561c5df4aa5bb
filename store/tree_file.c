/* tree_file.c - see tree_file.h. */
#include "tree_file.h"

#include <string.h>

#include "json.h"
#include "stored_file.h"
#include "yaml_tree.h"

typedef Status (*Parser)(cJSON **out, const char *text, size_t len, const char *name, Err *err);

/* Returns whether the file is a web page or a server's reply such as "Entry not found"; JSON cannot begin like that. */
static bool is_other_text(const MappedFile *file)
{
    size_t i = 0;

    while (i < file->size && strchr(" \t\r\n", file->data[i]) && file->data[i]) i++;
    return i < file->size && (file->data[i] == '<' || (file->data[i] >= 'A' && file->data[i] <= 'Z'));
}

static Status parse_json(cJSON **out, const MappedFile *file, const char *path, Parser parse, Err *err)
{
    *out = NULL;
    if (file->size == 0) return err_set(err, ERR_FORMAT, "%s: is empty", path);
    if (is_other_text(file)) return err_set(err, ERR_FORMAT, "%s: is text, not JSON: did the download fail?", path);
    return parse(out, (const char *)file->data, file->size, path, err);
}

Status tree_file_parse_json(cJSON **out, const MappedFile *file, const char *path, Err *err)
{
    return parse_json(out, file, path, json_parse, err);
}

Status tree_file_parse_list(cJSON **out, const MappedFile *file, const char *path, Err *err)
{
    return parse_json(out, file, path, json_parse_list, err);
}

Status tree_file_parse_yaml(cJSON **out, const MappedFile *file, const char *path, Err *err)
{
    return yaml_tree_parse(out, (const char *)file->data, file->size, path, err);
}

Status tree_file_read_json(cJSON **out, const char *path, Err *err)
{
    MappedFile file;
    Status st = stored_file_open(&file, path, err);

    *out = NULL;
    if (st != OK) return st;
    st = tree_file_parse_json(out, &file, path, err);
    mapped_file_close(&file);
    return st;
}
