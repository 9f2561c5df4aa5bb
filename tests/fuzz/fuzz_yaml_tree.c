/* fuzz_yaml_tree.c - fuzzes the reader of YAML with libFuzzer.
 * Input    The file.
 * Checks   A tree is not deeper than promised, and its numbers are finite. Written as JSON, which is YAML, and read
 *          again, it is the same tree. The message for a rejected file is one line that begins with the file's name.
 * Options  -max_len=4096 */
#include "fuzz_support.h"

#include <math.h>

#include "json.h"
#include "tree_file.h"

#define NAME "dir/decoder.yml"

static void check_node(const cJSON *node, size_t depth)
{
    require(depth <= YAML_TREE_DEPTH + 1, "the depth", "of a tree");
    if (cJSON_IsNumber(node)) require(isfinite(node->valuedouble), "a finite number", "in a tree");
    for (const cJSON *child = node->child; child; child = child->next) check_node(child, depth + 1);
}

/* A key of JSON may be too long for YAML, and a character may not be allowed in it: then the text is rejected. */
static void check_json(const cJSON *tree)
{
    char *text = json_print(tree);
    cJSON *again = NULL;
    Err err = { "" };

    require(text != NULL, "memory", "JSON");
    if (yaml_tree_parse(&again, text, strlen(text), NAME, NULL, &err) == OK)
        require(cJSON_Compare(tree, again, true), "the same tree", text);
    else
        require_message(&err, NAME);
    cJSON_Delete(again);
    cJSON_free(text);
}

static bool has_same_keys(const cJSON *node)
{
    for (const cJSON *a = node->child; a; a = a->next) {
        for (const cJSON *b = a->next; a->string && b; b = b->next)
            if (strcmp(a->string, b->string) == 0) return true;
        if (has_same_keys(a)) return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    cJSON *tree;
    Err err = { "" };

    if (yaml_tree_parse(&tree, text, size, NAME, NULL, &err) == OK) {
        check_node(tree, 1);
        if (!has_same_keys(tree)) check_json(tree);
    } else {
        require(!tree, "no tree after a failure", err.text);
        require_message(&err, NAME);
    }
    cJSON_Delete(tree);
    free(text);
    return 0;
}
