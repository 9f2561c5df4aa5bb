/* options.c - see options.h. */
#define _GNU_SOURCE /* getopt_long() */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "path.h"
#include "text.h"

#define FIRST_CODE 256 /* getopt_long() returns this + the index of the row; smaller codes are letters */

static Status set_integer(const OptionRow *row, long *field, const char *text, Err *err)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (isspace((unsigned char)*text) || end == text || *end || errno || value < (long)row->low ||
        value > (long)row->high)
        return err_set(err, ERR_USAGE, "--%s: '%s' is not a whole number from %.0f to %.0f", row->name, text, row->low,
                       row->high);
    *field = value;
    return OK;
}

/* Accepts digits, signs, dots and exponents only, so "inf", "nan" and "0x1p3" are refused. The program never calls
 * setlocale(), so the locale is "C". */
static Status set_real(const OptionRow *row, OptionalFloat *field, const char *text, Err *err)
{
    char *end;
    double value = strtod(text, &end);

    if (strspn(text, "0123456789+-.eE") != strlen(text) || end == text || *end || !isfinite(value) ||
        value < row->low || value > row->high)
        return err_set(err, ERR_USAGE, "--%s: '%s' is not a number from %g to %g", row->name, text, row->low,
                       row->high);
    *field = (OptionalFloat){ true, (float)value };
    return OK;
}

static Status set_choice(const OptionRow *row, long *field, const char *text, Err *err)
{
    char list[128] = "";
    long i;

    for (i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], text) == 0) {
            *field = i;
            return OK;
        }
        if (i) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, row->choices[i], sizeof list - strlen(list) - 1);
    }
    return err_set(err, ERR_USAGE, "--%s must be one of %s, not '%s'", row->name, list, text);
}

static Status add_to_list(const OptionRow *row, OptionList *list, const char *text, Err *err)
{
    if (list->count == (size_t)row->high)
        return err_set(err, ERR_USAGE, "--%s can be given at most %.0f times", row->name, row->high);
    list->items[list->count++] = text;
    return OK;
}

static Status set_field(Options *out, const OptionRow *row, const char *text, Err *err)
{
    char *field = (char *)out + row->field;

    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)(void *)field = text;
        return OK;
    case OPTION_LIST:
        return add_to_list(row, (OptionList *)(void *)field, text, err);
    case OPTION_INTEGER:
        return set_integer(row, (long *)(void *)field, text, err);
    case OPTION_REAL:
        return set_real(row, (OptionalFloat *)(void *)field, text, err);
    case OPTION_CHOICE:
        return set_choice(row, (long *)(void *)field, text, err);
    default:
        *(bool *)field = true;
        return OK;
    }
}

#define LONGEST ((size_t)40)
#define FAR     ((size_t)-1)

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* row[k] is the distance between the letters of the word so far and the first k letters of the name. */
static void add_letter(size_t *row, char letter, const char *name, size_t name_len)
{
    size_t diagonal = row[0]++;

    for (size_t k = 1; k <= name_len; k++) {
        size_t changed = diagonal + (name[k - 1] != letter);
        diagonal = row[k];
        row[k] = least(changed, least(row[k], row[k - 1]) + 1);
    }
}

/* The Levenshtein distance from word[0, len) to `name`, computed row by row; FAR if it is too large for a typing
 * error. */
static size_t distance_to(const char *word, size_t len, const char *name)
{
    size_t row[LONGEST + 1], name_len = strlen(name), most = 1 + least(len, name_len) / 4;

    if (len < 2 || len > LONGEST || name_len > LONGEST) return FAR;
    for (size_t k = 0; k <= name_len; k++) row[k] = k;
    for (size_t i = 0; i < len; i++) add_letter(row, word[i], name, name_len);
    return row[name_len] <= most ? row[name_len] : FAR;
}

/* Appends the options that begin with word[0, len). */
static Status append_candidates(Buf *out, const char *word, size_t len, size_t *count, Err *err)
{
    Status st = OK;

    *count = 0;
    for (size_t i = 0; st == OK && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (row->group == GROUP_HIDDEN || strncmp(row->name, word, len) != 0) continue;
        st = buf_append_format(out, err, "%s--%s", (*count)++ ? ", " : "", row->name);
    }
    return st;
}

static const char *nearest_option(const char *word, size_t len)
{
    size_t best = FAR;
    const char *name = NULL;

    for (size_t i = 0; i < option_count; i++) {
        size_t distance = distance_to(word, len, option_table[i].name);
        if (option_table[i].group == GROUP_HIDDEN || distance >= best) continue;
        best = distance;
        name = option_table[i].name;
    }
    return name;
}

/* Refuses `word`, which begins with "--". */
static Status refused_word(const char *word, Err *err)
{
    const int len = (int)strcspn(word, "=");
    const char *nearest = nearest_option(word + 2, (size_t)len - 2);
    Buf list = { 0 };
    size_t count;
    Status st = append_candidates(&list, word + 2, (size_t)len - 2, &count, err);

    if (st == OK && count > 1)
        st = err_set(err, ERR_USAGE, "ambiguous option '%.*s' (%s)", len, word, list.data);
    else if (st == OK && nearest)
        st = err_set(err, ERR_USAGE, "unknown option '%.*s' (did you mean '--%s'?)", len, word, nearest);
    else if (st == OK)
        st = err_set(err, ERR_USAGE, "unknown option '%.*s'", len, word);
    buf_free(&list);
    return st;
}

/* Refuses what getopt_long() did not accept; `word` is the argument at which it stopped. */
static Status refused(int code, int option, const char *word, Err *err)
{
    if (code == ':' && option >= FIRST_CODE)
        return err_set(err, ERR_USAGE, "option '--%s' needs a value", option_table[option - FIRST_CODE].name);
    if (code == ':') return err_set(err, ERR_USAGE, "option '-%c' needs a value", option);
    if (option >= FIRST_CODE)
        return err_set(err, ERR_USAGE, "option '--%s' takes no value", option_table[option - FIRST_CODE].name);
    if (option > ' ' && option < 0x7f) return err_set(err, ERR_USAGE, "unknown option '-%c'", option);
    if (option) return err_set(err, ERR_USAGE, "unknown option '-\\x%02x'", (unsigned)option & 0xffu);
    return refused_word(word, err);
}

/* A hidden option is only accepted if it is written in full, so that it makes no abbreviation ambiguous. */
static bool is_offered(const OptionRow *row, char *const *argv)
{
    const size_t len = strlen(row->name);

    if (row->group != GROUP_HIDDEN) return true;
    for (; *argv; argv++)
        if (strncmp(*argv, "--", 2) == 0 && strncmp(*argv + 2, row->name, len) == 0 && !(*argv)[2 + len]) return true;
    return false;
}

static void fill_getopt_tables(struct option *longs, char *letters, char *const *argv)
{
    *letters++ = ':';
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];

        if (is_offered(row, argv))
            *longs++ = (struct option){ row->name, row->argument ? required_argument : no_argument, NULL,
                                        FIRST_CODE + (int)i };
        if (!row->letter) continue;
        *letters++ = row->letter;
        if (row->argument) *letters++ = ':';
    }
    *longs = (struct option){ 0 };
    *letters = '\0';
}

static const OptionRow *find_row(int code)
{
    if (code >= FIRST_CODE) return &option_table[code - FIRST_CODE];
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].letter == code) return &option_table[i];
    return NULL;
}

static Status parse_options(Options *out, int argc, char **argv, Err *err)
{
    struct option longs[OPTION_LIMIT];
    char letters[2 * OPTION_LIMIT + 2];
    Status st = OK;
    int code;

    fill_getopt_tables(longs, letters, argv);
    opterr = 0;
    while (st == OK && !out->help && !out->version && !out->man) {
        const OptionRow *row;

        optopt = 0;
        code = getopt_long(argc, argv, letters, longs, NULL);
        if (code == -1) break;
        row = find_row(code);
        st = row ? set_field(out, row, optarg, err) : refused(code, optopt, argv[optind - 1], err);
    }
    return st;
}

static Status check_prefix(const char *prefix, Err *err)
{
    Buf clean = { 0 };
    size_t replaced = 0;
    Status st = buf_append_clean(&clean, prefix, strlen(prefix), &replaced, err);

    buf_free(&clean);
    if (st != OK) return st;
    if (replaced) return err_set(err, ERR_USAGE, "--prefix: not valid UTF-8");
    return strpbrk(prefix, "\r\n") ? err_set(err, ERR_USAGE, "--prefix: must be a single line") : OK;
}

static Status check_value(const char *name, const char *text, Err *err)
{
    if (!text || *text) return OK;
    return err_set(err, ERR_USAGE, "option '--%s' needs a value that is not empty", name);
}

/* Refuses empty values, which mostly come from unset shell variables: -m "$MODEL" would otherwise use another model.
 * Only the prefix may be empty. */
static Status check_not_empty(const Options *o, Err *err)
{
    const struct {
        const char *name;
        const OptionList *list;
    } lists[] = {
        { "model", &o->models },         { "vocab", &o->vocabs }, { "weights", &o->weights },
        { "shortlist", &o->shortlists }, { "via", &o->vias },     { "include", &o->includes },
        { "exclude", &o->excludes },
    };
    Status st = check_value("from", o->from, err);

    if (st == OK) st = check_value("to", o->to, err);
    if (st == OK) st = check_value("output", o->output, err);
    if (st == OK) st = check_value("output-dir", o->output_dir, err);
    if (st == OK) st = check_value("suffix", o->suffix, err);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; st == OK && k < lists[i].list->count; k++)
            st = check_value(lists[i].name, lists[i].list->items[k], err);
    return st;
}

/* Checks the number of values of options that are given once per model or between models. */
static Status check_models(const Options *o, Err *err)
{
    size_t models = options_model_count(o);
    const struct {
        const char *name;
        size_t given, wanted;
        const char *rule;
    } lists[] = { { "vocab", o->vocabs.count, models, "give it once per model; use - for none" },
                  { "weights", o->weights.count, models, "give it once per model; use - for none" },
                  { "shortlist", o->shortlists.count, models, "give it once per model; use - for none" },
                  { "via", o->vias.count, models - 1, "give it once between each two models" } };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].given && lists[i].given != lists[i].wanted)
            return err_set(err, ERR_USAGE, "--%s: %zu given for %zu model%s: %s", lists[i].name, lists[i].given, models,
                           plural(models), lists[i].rule);
    if (models > 1 && (o->command == COMMAND_PACK || o->command == COMMAND_SHORTLIST))
        return err_set(err, ERR_USAGE, "%s: takes one model, not %zu", command_names[o->command], models);
    return OK;
}

/* A command that is not the first argument, or is mistyped, looks like a file. If a file with that name exists, it
 * is a file. */
static Status check_for_command(const Options *o, Err *err)
{
    for (size_t i = 0; i < o->file_count; i++) {
        const char *file = o->files[i];
        for (Command c = COMMAND_TRANSLATE + 1; c < COMMANDS; c++) {
            const char *command = command_names[c];
            size_t distance = distance_to(file, strlen(file), command);
            if (distance == FAR || (i && distance) || path_exists(file)) continue;
            if (!distance)
                return err_set(err, ERR_USAGE, "the command '%s' must come first: dragoman %s [OPTION]...", file, file);
            return err_set(err, ERR_USAGE, "%s: No such file or directory (did you mean the command 'dragoman %s'?)",
                           file, command);
        }
    }
    return OK;
}

/* Checks the command shortlist, which reads two files and writes one. */
static Status check_learn(const Options *o, Err *err)
{
    if (o->file_count != 2)
        return err_set(err, ERR_USAGE, "shortlist: needs two files, SOURCE and its translation TARGET");
    if (!o->output || strcmp(o->output, "-") == 0)
        return err_set(err, ERR_USAGE, "shortlist: needs -o FILE, the file to write");
    if (strcmp(o->files[0], "-") == 0 && strcmp(o->files[1], "-") == 0)
        return err_set(err, ERR_USAGE, "shortlist: only one of SOURCE and TARGET can be - (standard input)");
    if (o->shortlists.count) return err_set(err, ERR_USAGE, "shortlist: --shortlist cannot be used with this command");
    return OK;
}

/* Checks what each command needs, and options that belong to one command. */
static Status check_commands(const Options *o, Err *err)
{
    const bool info = o->command == COMMAND_INFO, pack = o->command == COMMAND_PACK;

    if ((info || pack) && o->file_count)
        return err_set(err, ERR_USAGE, "%s: unexpected file '%s'; give the model with -m", command_names[o->command],
                       o->files[0]);
    if (o->verify && !info) return err_set(err, ERR_USAGE, "--verify can only be used with dragoman info");
    if ((o->as_f32 || o->as_bf16 || o->as_int8) && !pack)
        return err_set(err, ERR_USAGE,
                       "--f32, --bf16 and --int8 can only be used with dragoman pack; use --precision to translate");
    if (o->as_f32 + o->as_bf16 + o->as_int8 + (pack && o->precision != DRAGOMAN_AUTO) > 1)
        return err_set(err, ERR_USAGE, "pack: only one of --f32, --bf16, --int8 and --precision can be used");
    if (pack && !o->models.count) return err_set(err, ERR_USAGE, "pack: needs -m PATH, the folder to pack");
    if (pack && (!o->output || strcmp(o->output, "-") == 0))
        return err_set(err, ERR_USAGE, "pack: needs -o FILE, the file to write");
    if (o->command == COMMAND_SHORTLIST) return check_learn(o, err);
    return info || pack ? OK : check_for_command(o, err);
}

/* Refuses options that have no effect without -O or --suffix. */
static Status check_no_batch(const Options *o, Err *err)
{
    const struct {
        const char *name;
        bool given;
    } rows[] = { { "include", o->includes.count > 0 },
                 { "exclude", o->excludes.count > 0 },
                 { "others", o->others != OTHERS_SKIP },
                 { "resume", o->resume },
                 { "dry-run", o->dry_run } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given) return err_set(err, ERR_USAGE, "--%s needs -O DIR or --suffix TEXT", rows[i].name);
    for (size_t i = 0; i < o->file_count; i++)
        if (path_is_directory(o->files[i]))
            return err_set(err, ERR_USAGE, "%s: is a folder; use -O DIR or --suffix TEXT to translate its files",
                           o->files[i]);
    return OK;
}

/* A batch writes a file for each file of the input, so neither can be a stream. */
static Status check_batch(const Options *o, Err *err)
{
    const char *option = o->output_dir ? "-O" : "--suffix";

    if (!o->output_dir && !o->suffix) return check_no_batch(o, err);
    if (o->output_dir && o->suffix) return err_set(err, ERR_USAGE, "-O and --suffix cannot be used together");
    if (o->output) return err_set(err, ERR_USAGE, "%s and -o cannot be used together", option);
    if (!o->file_count) return err_set(err, ERR_USAGE, "%s needs files or folders to translate", option);
    for (size_t i = 0; i < o->file_count; i++)
        if (strcmp(o->files[i], "-") == 0)
            return err_set(err, ERR_USAGE, "%s and - (standard input) cannot be used together", option);
    if (o->suffix && strchr(o->suffix, '/'))
        return err_set(err, ERR_USAGE, "--suffix: '%s' contains a slash; use -O to write to another folder", o->suffix);
    return OK;
}

static Status check(const Options *o, Err *err)
{
    long beams = o->greedy ? 1 : o->beams;
    Status st = check_not_empty(o, err);

    if (st == OK) st = check_commands(o, err);
    if (st == OK) st = check_models(o, err);
    if (st == OK && o->command == COMMAND_TRANSLATE) st = check_batch(o, err);
    if (st != OK) return st;

    if (o->progress && o->no_progress)
        return err_set(err, ERR_USAGE, "--progress and --no-progress cannot be used together");
    if (o->greedy && o->beams > 1)
        return err_set(err, ERR_USAGE, "--greedy and --beam %ld cannot be used together", o->beams);
    if (o->split && o->no_split) return err_set(err, ERR_USAGE, "--split and --no-split cannot be used together");
    if (o->split && o->pieces)
        return err_set(err, ERR_USAGE, "--split and --pieces cannot be used together: only text can be split");
    if (beams != NOT_GIVEN && o->n_best > beams)
        return err_set(err, ERR_USAGE, "--n-best %ld exceeds the beam size %ld", o->n_best, beams);
    if (o->max_length != NOT_GIVEN && o->min_length > o->max_length)
        return err_set(err, ERR_USAGE, "--min-length %ld exceeds --max-length %ld", o->min_length, o->max_length);
    if (!o->shortlists.count && o->command != COMMAND_SHORTLIST &&
        (o->shortlist_first != NOT_GIVEN || o->shortlist_best != NOT_GIVEN))
        return err_set(err, ERR_USAGE, "--shortlist-first and --shortlist-best need --shortlist FILE");
    return o->prefix ? check_prefix(o->prefix, err) : OK;
}

static Command find_command(const char *word)
{
    for (Command c = COMMAND_TRANSLATE + 1; c < COMMANDS; c++)
        if (strcmp(word, command_names[c]) == 0) return c;
    return COMMAND_TRANSLATE;
}

Status options_parse(Options *out, int argc, char **argv, Err *err)
{
    static char dash[] = "-";
    static char *const standard_input[] = { dash };
    Status st;

    *out = (Options){ .beams = NOT_GIVEN,
                      .n_best = NOT_GIVEN,
                      .min_length = NOT_GIVEN,
                      .max_length = NOT_GIVEN,
                      .max_input = NOT_GIVEN,
                      .no_repeat_ngram = NOT_GIVEN,
                      .threads = NOT_GIVEN,
                      .batch_rows = NOT_GIVEN,
                      .shortlist_first = NOT_GIVEN,
                      .shortlist_best = NOT_GIVEN };
    out->command = argc > 1 ? find_command(argv[1]) : COMMAND_TRANSLATE;
    if (out->command != COMMAND_TRANSLATE) argc--, argv++;
    st = parse_options(out, argc, argv, err);
    if (st != OK || out->help || out->version || out->man) return st;
    out->files = argv + optind;
    out->file_count = (size_t)(argc - optind);
    st = check(out, err);
    if (out->greedy) out->beams = 1;
    if (out->as_f32 || out->as_bf16 || out->as_int8)
        out->precision = out->as_f32 ? DRAGOMAN_F32 : out->as_bf16 ? DRAGOMAN_BF16 : DRAGOMAN_INT8;
    if (!out->file_count) {
        out->files = standard_input;
        out->file_count = 1;
    }
    return st;
}

size_t options_model_count(const Options *o)
{
    return o->models.count ? o->models.count : 1;
}
