/* options.c - see options.h: finds the command, reads its options with getopt_long(), and has them checked. */
#define _GNU_SOURCE /* getopt_long() */
#include "options.h"

#include <getopt.h>
#include <string.h>
#include <strings.h>

#include "command_table.h"
#include "option_parts.h"

/* A hidden option is only accepted if it is written in full, so that it makes no abbreviation ambiguous. */
static bool is_offered(const OptionRow *row, Command command, char *const *argv)
{
    const size_t len = strlen(row->name);

    if (!option_help(row, command)) return false;
    if (row->group != GROUP_HIDDEN) return true;
    for (; *argv; argv++)
        if (strncmp(*argv, "--", 2) == 0 && strncmp(*argv + 2, row->name, len) == 0 && !(*argv)[2 + len]) return true;
    return false;
}

static void fill_getopt_tables(struct option *longs, char *letters, Command command, char *const *argv)
{
    *letters++ = ':';
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];

        if (!is_offered(row, command, argv)) continue;
        *longs++ = (struct option){ row->name, row->argument ? required_argument : no_argument, NULL,
                                    OPTION_FIRST_CODE + (int)i };
        if (!row->letter) continue;
        *letters++ = row->letter;
        if (row->argument) *letters++ = ':';
    }
    *longs = (struct option){ 0 };
    *letters = '\0';
}

static const OptionRow *find_row(Command command, int code)
{
    if (code >= OPTION_FIRST_CODE) return &option_table[code - OPTION_FIRST_CODE];
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].letter == code && option_help(&option_table[i], command)) return &option_table[i];
    return NULL;
}

static Status parse_options(Options *out, int argc, char **argv, Err *err)
{
    struct option longs[OPTION_LIMIT];
    char letters[2 * OPTION_LIMIT + 2];
    Status st = OK;
    int code;

    fill_getopt_tables(longs, letters, out->command, argv);
    opterr = 0;
    while (st == OK && !out->help && !out->version && !out->man) {
        const OptionRow *row;

        optopt = 0;
        code = getopt_long(argc, argv, letters, longs, NULL);
        if (code == -1) break;
        row = find_row(out->command, code);
        st = row ? option_set(out, row, optarg, err) : option_refuse(out->command, code, optopt, argv[optind - 1], err);
    }
    return st;
}

Status options_parse(Options *out, int argc, char **argv, Err *err)
{
    static char dash[] = "-";
    static char *const standard_input[] = { dash };
    Status st;

    *out = (Options){ .command = COMMAND_TRANSLATE };
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].setting &&
            (option_table[i].kind == OPTION_INTEGER || option_table[i].kind == OPTION_CHOICE))
            *(long *)(void *)((char *)out + option_table[i].field) = NOT_GIVEN;
    out->command = argc > 1 ? command_find(argv[1]) : COMMAND_TRANSLATE;
    if (out->command != COMMAND_TRANSLATE) argc--, argv++;
    st = parse_options(out, argc, argv, err);
    if (st != OK || out->help || out->version || out->man) return st;
    out->files = argv + optind;
    out->file_count = (size_t)(argc - optind);
    st = option_check_all(out, err);
    if (out->command == COMMAND_ALIGN && out->alignment.kind == ALIGNMENT_NONE)
        out->alignment = (AlignmentStyle){ ALIGNMENT_LINKS, 1 };
    if (out->greedy) out->beams = 1;
    if (out->as_f32 || out->as_bf16 || out->as_int8)
        out->precision = out->as_f32 ? DRAGOMAN_F32 : out->as_bf16 ? DRAGOMAN_BF16 : DRAGOMAN_INT8;
    if (options_read_lines(out) && !out->file_count) {
        out->files = standard_input;
        out->file_count = 1;
    }
    return st;
}

bool options_read_lines(const Options *o)
{
    return o->command == COMMAND_TRANSLATE || o->command == COMMAND_SCORE || o->command == COMMAND_ALIGN;
}

bool options_detect(const Options *o)
{
    return o->command == COMMAND_TRANSLATE && o->from && strcasecmp(o->from, "auto") == 0;
}

size_t options_model_count(const Options *o)
{
    return o->models.count ? o->models.count : 1;
}

bool options_need_no_model(const Options *o)
{
    return o->identity || o->pseudo;
}

JobSettings options_job_settings(const Options *o)
{
    return (JobSettings){ .options = o->settings,
                          .quiet = o->quiet,
                          .verbose = o->verbose,
                          .pairs = o->command == COMMAND_SCORE || o->command == COMMAND_ALIGN,
                          .force_decode = o->force_decode };
}

void options_free(Options *o)
{
    dragoman_options_free(o->settings);
}
