/* tree_file.c - see tree_file.h. */
#include "tree_file.h"

#include <string.h>

#include "json.h"
#include "stored_file.h"
#include "yaml_tree.h"

/* Returns whether the file is a web page or a server's reply such as "Entry not found"; JSON cannot begin like that. */
static bool is_other_text(const MappedFile *file)
{
    size_t i = 0;

    while (i < file->size && strchr(" \t\r\n", file->data[i]) && file->data[i]) i++;
    return i < file->size && (file->data[i] == '<' || (file->data[i] >= 'A' && file->data[i] <= 'Z'));
}

/* Checks that the file may be JSON. */
static Status check_json(const MappedFile *file, const char *path, Err *err)
{
    if (file->size == 0) return err_set(err, ERR_FORMAT, "%s: is empty", path);
    if (is_other_text(file)) return err_set(err, ERR_FORMAT, "%s: is text, not JSON: did the download fail?", path);
    return OK;
}

Status tree_file_parse_json(cJSON **out, const MappedFile *file, const char *path, size_t *room, Err *err)
{
    const Status st = check_json(file, path, err);
    size_t own = JSON_MAX_VALUES;

    *out = NULL;
    if (st != OK) return st;
    return json_parse_within(out, (const char *)file->data, file->size, path, room ? room : &own, err);
}

Status tree_file_parse_list(cJSON **out, const MappedFile *file, const char *path, Err *err)
{
    const Status st = check_json(file, path, err);

    *out = NULL;
    return st == OK ? json_parse_list(out, (const char *)file->data, file->size, path, err) : st;
}

Status tree_file_parse_yaml(cJSON **out, const MappedFile *file, const char *path, size_t *room, Err *err)
{
    const char *text = (const char *)file->data;

    return room ? yaml_tree_parse_within(out, text, file->size, path, room, err)
                : yaml_tree_parse(out, text, file->size, path, err);
}

Status tree_file_read_json(cJSON **out, const char *path, Err *err)
{
    MappedFile file;
    Status st = stored_file_open(&file, path, err);

    *out = NULL;
    if (st != OK) return st;
    st = tree_file_parse_json(out, &file, path, NULL, err);
    mapped_file_close(&file);
    return st;
}
