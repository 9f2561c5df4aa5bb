/* yaml_values.c - see yaml_values.h. The marks of libyaml count characters; a cursor that goes with them finds their
 * bytes. */
#include "yaml_values.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uloc.h>
#include <yaml.h>

#include "chars.h"
#include "yaml_scalars.h"

/* The deepest nesting. */
#define YAML_DEPTH 256

/* An open mapping or sequence. */
typedef struct {
    bool is_mapping, is_flow;
    bool is_key;  /* the next node is a key */
    bool in_key;  /* all of it is a part of a key */
    size_t count; /* of the nodes in it, keys included */
} YamlLevel;

/* The first key at the top. */
typedef struct {
    Range bytes; /* without quotes */
    bool is_language, is_plain, has_mapping;
} YamlLabel;

typedef struct {
    DocumentBuilder *builder;
    BuilderInput input;
    size_t character, byte; /* the cursor: a character and its byte */
    DataPath path;
    YamlLabel label;
    YamlLevel levels[YAML_DEPTH]; /* [depth] */
    size_t depth;
} YamlReader;

static bool starts_character(const YamlReader *r, size_t byte)
{
    return byte >= r->input.end || ((unsigned char)r->input.bytes[byte] & 0xc0) != 0x80;
}

/* Returns the byte of a character. */
static size_t byte_of(YamlReader *r, size_t character)
{
    while (r->character < character && r->byte < r->input.end) {
        do r->byte++;
        while (!starts_character(r, r->byte));
        r->character++;
    }
    while (r->character > character && r->byte > r->input.begin) {
        do r->byte--;
        while (!starts_character(r, r->byte));
        r->character--;
    }
    return r->byte;
}

/* Whether libyaml takes the byte for a part of an anchor's name. */
static bool is_name(char c)
{
    return char_is_alphanumeric(c) || c == '_' || c == '-';
}

/* Skips an anchor or a tag and the white space and comments after it. */
static size_t skip_property(const YamlReader *r, size_t at, size_t end)
{
    const char *bytes = r->input.bytes;
    bool is_comment = false;
    size_t line_end;

    if (bytes[at] == '&')
        for (at++; at < end && is_name(bytes[at]);) at++;
    else
        while (at < end && !char_is_blank(bytes[at]) && !yaml_scalars_break(bytes + at, end - at)) at++;
    for (; at < end; at += line_end ? line_end : 1) {
        line_end = yaml_scalars_break(bytes + at, end - at);
        is_comment = !line_end && (is_comment || bytes[at] == '#');
        if (!line_end && !is_comment && !char_is_blank(bytes[at])) break;
    }
    return at;
}

/* The bytes of a scalar without its anchor and its tag. */
static Range scalar_bytes(YamlReader *r, const yaml_event_t *event)
{
    Range range;

    range.begin = byte_of(r, event->start_mark.index);
    range.end = byte_of(r, event->end_mark.index);
    while (range.begin < range.end && strchr("&!", r->input.bytes[range.begin]))
        range.begin = skip_property(r, range.begin, range.end);
    return range;
}

static bool is_string_tag(const yaml_char_t *tag)
{
    return !tag || strcmp((const char *)tag, "!") == 0 || strcmp((const char *)tag, YAML_STR_TAG) == 0;
}

/* Whether the file is a translation file of Rails by its name: in a folder `locales`, or "fr.yml", "devise.fr.yml". */
static bool is_named_for(const char *name, const char *key, size_t length)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    const char *base = slash ? slash + 1 : name;

    if (strstr(name, "locales/")) return true;
    return dot && (size_t)(dot - base) >= length && strncasecmp(dot - length, key, length) == 0 &&
           (dot - length == base || dot[-1 - (ptrdiff_t)length] == '.');
}

/* Codes of languages that are ordinary keys, too: id, no, to. */
static bool is_word(const char *key)
{
    static const char words[] =
        " am an as be br cs he hi id ie io is it la li lt mi ml ms my na ne no om or os pi ps se sm "
        "so st te th ti to tr ts tt ";
    const char at[] = { ' ', key[0], key[1], ' ', '\0' };

    return strstr(words, at) != NULL;
}

/* Whether the key names a language. Most codes of three letters are words (map, new, min), and some of two: these need
 * a region or the name of the file. */
static bool is_language(const YamlReader *r, const char *key, size_t length)
{
    const char *const *languages = uloc_getISOLanguages();
    const size_t size = strcspn(key, "-_");

    if (size < 2 || size > 3 || length > 16) return false;
    if (size == length && (size == 3 || is_word(key)) && !is_named_for(r->input.name, key, length)) return false;
    for (; *languages; languages++)
        if (strlen(*languages) == size && memcmp(*languages, key, size) == 0) return true;
    return false;
}

static void read_key(YamlReader *r, const yaml_event_t *event)
{
    const char *key = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    Err err;

    if (data_path_set(&r->path, r->depth - 1, key, length, &err) != OK) document_builder_fail_memory(r->builder);
    if (r->depth != 1 || r->levels[0].count) return;
    r->label = (YamlLabel){ scalar_bytes(r, event), is_language(r, key, length),
                            event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE, false };
    if (r->label.is_plain) return;
    r->label.bytes.begin++;
    r->label.bytes.end--;
}

/* Whether an anchor precedes the scalar without a space. libyaml reads this if the scalar begins with a mark such as
 * '?'; another text could not take its place. */
static bool follows_anchor(const YamlReader *r, Range scalar)
{
    return scalar.begin && is_name(r->input.bytes[scalar.begin - 1]);
}

/* Whether a tab begins a line after the scalar. libyaml reads this after a plain scalar that is the whole document, but
 * not after quotes, which another text could need. */
static bool precedes_tab(const YamlReader *r, Range scalar)
{
    const char *bytes = r->input.bytes;
    bool is_first = false;
    size_t line_end;

    if (r->depth) return false;
    for (size_t at = scalar.end; at < r->input.end; at += line_end ? line_end : 1) {
        line_end = yaml_scalars_break(bytes + at, r->input.end - at);
        if (!line_end && !char_is_blank(bytes[at])) break;
        if (is_first && bytes[at] == '\t') return true;
        is_first = line_end || (is_first && bytes[at] == ' ');
    }
    return false;
}

static void read_value(YamlReader *r, const yaml_event_t *event, bool in_flow)
{
    static const YamlScalarKind kinds[] = {
        [YAML_PLAIN_SCALAR_STYLE] = YAML_PLAIN,
        [YAML_SINGLE_QUOTED_SCALAR_STYLE] = YAML_SINGLE_QUOTED,
        [YAML_DOUBLE_QUOTED_SCALAR_STYLE] = YAML_DOUBLE_QUOTED,
        [YAML_LITERAL_SCALAR_STYLE] = YAML_LITERAL,
        [YAML_FOLDED_SCALAR_STYLE] = YAML_FOLDED,
    };
    const char *value = (const char *)event->data.scalar.value;
    const Range range = scalar_bytes(r, event);
    YamlScalarKind kind = kinds[event->data.scalar.style];

    if (!is_string_tag(event->data.scalar.tag)) return;
    if (!data_path_is_wanted(&r->path, r->input.options, value, event->data.scalar.length)) return;
    if (follows_anchor(r, range)) return;
    if (kind == YAML_PLAIN && precedes_tab(r, range)) return;
    if (kind == YAML_PLAIN && yaml_scalars_is_reserved(value, event->data.scalar.length)) return;
    if (kind == YAML_PLAIN && in_flow) kind = YAML_PLAIN_FLOW;
    yaml_scalars_report(r->builder, kind, range.begin, range.end);
}

/* Prepares the path of a node in a sequence. */
static void begin_item(YamlReader *r, const YamlLevel *level)
{
    Err err;

    if (!level->is_mapping && data_path_set_index(&r->path, r->depth - 1, level->count, &err) != OK)
        document_builder_fail_memory(r->builder);
}

/* Notes that a node is complete. */
static void end_node(YamlReader *r)
{
    YamlLevel *level = r->depth ? &r->levels[r->depth - 1] : NULL;

    if (!level) return;
    level->count++;
    level->is_key = level->is_mapping && !level->is_key;
}

static void read_scalar(YamlReader *r, const yaml_event_t *event)
{
    const YamlLevel *level = r->depth ? &r->levels[r->depth - 1] : NULL;

    if (level) begin_item(r, level);
    if (level && level->is_key && !level->in_key)
        read_key(r, event);
    else if (!level || !level->in_key)
        read_value(r, event, level && level->is_flow);
    end_node(r);
}

static void open_level(YamlReader *r, const yaml_event_t *event)
{
    const bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
    YamlLevel *level = r->depth ? &r->levels[r->depth - 1] : NULL;
    YamlLevel next = { .is_mapping = is_mapping, .is_key = is_mapping };

    if (r->depth == YAML_DEPTH) {
        document_builder_fail(r->builder, byte_of(r, event->start_mark.index), "nested too deeply");
        return;
    }
    next.is_flow = is_mapping ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                              : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    if (level) {
        begin_item(r, level);
        next.in_key = level->in_key || level->is_key;
        if (r->depth == 1 && level->count == 1) r->label.has_mapping = is_mapping;
    }
    r->levels[r->depth++] = next;
}

/* Makes the only key at the top the label of the document. */
static void report_label(YamlReader *r)
{
    const char *language = r->input.options->language;
    const bool is_reserved = language && yaml_scalars_is_reserved(language, strlen(language)); /* no */

    if (r->path.is_wanted_key || !language || r->levels[0].count != 2 || !r->label.is_language || !r->label.has_mapping)
        return;
    document_builder_language(r->builder, r->label.bytes.begin, r->label.bytes.end,
                              is_reserved && r->label.is_plain ? "\"no\"" : language);
}

static void close_level(YamlReader *r)
{
    if (r->depth == 1) report_label(r);
    data_path_cut(&r->path, --r->depth);
    end_node(r);
}

static void read_event(YamlReader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        read_scalar(r, event);
        break;
    case YAML_ALIAS_EVENT:
        end_node(r);
        break;
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        open_level(r, event);
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        close_level(r);
        break;
    case YAML_DOCUMENT_START_EVENT:
        r->label = (YamlLabel){ .is_language = false };
        break;
    default:
        break;
    }
}

static void refuse(YamlReader *r, const yaml_parser_t *parser)
{
    const size_t offset = r->input.begin + parser->problem_offset;

    if (!parser->problem) /* libyaml describes all errors but a lack of memory */
        document_builder_fail_memory(r->builder);
    else
        document_builder_fail(r->builder,
                              parser->error == YAML_READER_ERROR ? offset : byte_of(r, parser->problem_mark.index),
                              "%s", parser->problem);
}

static bool start_parser(yaml_parser_t *parser, BuilderInput input)
{
    if (!yaml_parser_initialize(parser)) return false;
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)input.bytes + input.begin, input.end - input.begin);
    return true;
}

void yaml_values_read(DocumentBuilder *builder, BuilderInput input, bool (*is_wanted_key)(const char *, size_t))
{
    YamlReader r = { .builder = builder, .input = input, .path = { .is_wanted_key = is_wanted_key } };
    yaml_parser_t parser;
    bool is_end = false;

    if (!start_parser(&parser, input)) {
        document_builder_fail_memory(builder);
        return;
    }
    r.byte = r.input.begin;
    while (!is_end && !document_builder_failed(builder)) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            refuse(&r, &parser);
            break;
        }
        is_end = event.type == YAML_STREAM_END_EVENT;
        read_event(&r, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    data_path_free(&r.path);
}

bool yaml_values_are_mapping(BuilderInput input)
{
    yaml_parser_t parser;
    yaml_event_type_t type = YAML_NO_EVENT;
    size_t events = 0, depth = 0;
    bool is_mapping = true;

    if (!start_parser(&parser, input)) return false;
    for (; is_mapping && type != YAML_STREAM_END_EVENT; events++) {
        yaml_event_t event;
        is_mapping = yaml_parser_parse(&parser, &event);
        if (!is_mapping) break;
        type = event.type;
        depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
        depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
        /* The first event is the beginning of the stream, the next one that of a document. */
        is_mapping = depth <= YAML_DEPTH && (events != 2 || type == YAML_MAPPING_START_EVENT) &&
                     (events < 2 || type != YAML_DOCUMENT_START_EVENT);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return is_mapping;
}
