/* fault_cases.c - see fault_cases.h. */
#include "fault_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64 };

typedef struct {
    const char *golden, *fixtures;
} Folders;

static void *grown(void *items, size_t bytes)
{
    items = realloc(items, bytes);
    if (!items) fault_give_up("out of memory");
    return items;
}

/* "a=@b" becomes "a=GOLDEN/b". The caller frees the result. */
static char *expand(const char *word, const Folders *folders)
{
    char *text = fault_text("%s", "");

    for (size_t i = 0; word[i]; i++) {
        const bool starts = i == 0 || word[i - 1] == '=' || word[i - 1] == ',';
        const char *folder = starts && word[i] == '@'   ? folders->golden
                             : starts && word[i] == '%' ? folders->fixtures
                                                        : NULL;
        char *longer =
            folder ? fault_text("%s%s/", text, folder) : fault_text("%s%c", text, word[i] == '~' ? ' ' : word[i]);
        free(text);
        text = longer;
    }
    return text;
}

static FaultCase read_case(char *line, const Folders *folders)
{
    FaultCase test = { .arguments = grown(NULL, (MOST_WORDS + 2) * sizeof *test.arguments) };
    char *rest = NULL, *word = strtok_r(line, " \n", &rest);

    test.name = fault_text("%s", word);
    word = strtok_r(NULL, " \n", &rest);
    if (!word) fault_give_up("cases: %s has no standard input", test.name);
    test.input = expand(word, folders);
    test.arguments[test.count++] = fault_text("dragoman");
    while (test.count <= MOST_WORDS && (word = strtok_r(NULL, " \n", &rest)))
        test.arguments[test.count++] = expand(word, folders);
    test.arguments[test.count] = NULL;
    return test;
}

static bool is_wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return count == 0;
}

static void check_names(const FaultCases *cases, char **names, int count)
{
    for (int i = 0; i < count; i++) {
        size_t found = 0;
        while (found < cases->count && strcmp(cases->items[found].name, names[i]) != 0) found++;
        if (found == cases->count) fault_give_up("cases: no case has the name %s", names[i]);
    }
}

FaultCases fault_cases_read(const char *path, const char *golden, const char *fixtures, char **names, int count)
{
    const Folders folders = { golden, fixtures };
    FaultCases cases = { 0 };
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    if (!file) fault_give_up("%s: cannot be opened", path);
    while (getline(&line, &room, file) > 0) {
        FaultCase test;
        if (*line == '#' || *line == '\n') continue;
        test = read_case(line, &folders);
        if (!is_wanted(test.name, names, count)) continue;
        cases.items = grown(cases.items, (cases.count + 1) * sizeof test);
        cases.items[cases.count++] = test;
    }
    free(line);
    fclose(file);
    check_names(&cases, names, count);
    return cases;
}
