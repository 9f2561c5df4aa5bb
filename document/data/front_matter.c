/* front_matter.c - see front_matter.h. */
#include "front_matter.h"

#include <string.h>

#include "chars.h"
#include "data_values.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A language of front matter: the mark of its first line, the name after the mark, and its reader (NULL: it stays). */
typedef struct {
    const char *mark, *name;
    void (*read)(DocumentBuilder *builder, BuilderInput input);
    const SpellingRules *spelling;
} FrontLanguage;

static const FrontLanguage languages[] = {
    /* an object at the beginning of the file, which find_data() does not find, because no mark ends it */
    { "{", "", json_values_read_front_matter, &json_spelling },
    { "---", "", yaml_values_read_front_matter, &yaml_spelling },
    { "---", "yaml", yaml_values_read_front_matter, &yaml_spelling },
    { "---", "json", json_values_read_front_matter, &json_spelling },
    { "---", "toml", toml_values_read_front_matter, &toml_spelling },
    { "---", "js", NULL, NULL },
    { "---", "javascript", NULL, NULL },
    { "+++", "", toml_values_read_front_matter, &toml_spelling },
    { ";;;", "", json_values_read_front_matter, &json_spelling },
};

static const FrontLanguage yaml = { "", "", yaml_values_read_front_matter, &yaml_spelling };

static void read_data(DocumentBuilder *builder, const FrontLanguage *language, Range data)
{
    BuilderInput input = document_builder_input(builder);

    input.begin = data.begin;
    input.end = data.end;
    document_builder_embed(builder, language->spelling);
    language->read(builder, input);
    document_builder_embed(builder, NULL);
}

/* Whether the line consists of these two texts and the white space after them. */
static bool line_is(const char *bytes, Range line, const char *mark, const char *name)
{
    const size_t at = line.begin + strlen(mark);

    return chars_begin(bytes, line.begin, line.end, mark) && chars_begin(bytes, at, line.end, name) &&
           chars_skip_space(bytes, at + strlen(name), line.end) == line.end;
}

/* Finds the data between the mark at the beginning of the document [at, end) and the same mark after it, or after YAML
 * three dots. Returns the byte after the front matter, or `at` if there is none. */
static size_t find_data(const char *bytes, size_t at, size_t end, const FrontLanguage **language, Range *data)
{
    const FrontLanguage *row = languages;
    Range line = { at, chars_next_line(bytes, at, end) };

    while (row < languages + COUNT(languages) && !line_is(bytes, line, row->mark, row->name)) row++;
    if (row == languages + COUNT(languages)) return at;
    *language = row;
    *data = (Range){ line.end, line.end };
    while (data->end < end) {
        line = (Range){ data->end, chars_next_line(bytes, data->end, end) };
        if (line_is(bytes, line, row->mark, "") || (!strcmp(row->mark, "---") && line_is(bytes, line, "...", "")))
            return line.end;
        if (line.begin == data->begin && line_is(bytes, line, "", "")) return at; /* a rule of Markdown */
        data->end = line.end;
    }
    return at;
}

size_t front_matter_read(DocumentBuilder *builder, const char *bytes, size_t at, size_t end)
{
    const FrontLanguage *language = languages;
    Range data = { at, at };
    size_t next;

    if (at < end && bytes[at] == '{') { /* an object of JSON: nothing may follow it in its last line */
        data.end = json_values_end(bytes, at, end);
        next = data.end > at ? chars_next_line(bytes, data.end, end) : at;
        if (chars_skip_space(bytes, data.end, next) < next) next = at;
    } else {
        next = find_data(bytes, at, end, &language, &data);
    }
    if (next > at && builder && language->read) read_data(builder, language, data);
    return next;
}

void front_matter_read_yaml(DocumentBuilder *builder, size_t begin, size_t end)
{
    read_data(builder, &yaml, (Range){ begin, end });
}
