/* test_option_parse.c - tests of cli/options/options.h: the command line is accepted, or refused with one message,
 * before a model is opened. What the program does with the message, and what needs a model, is tested by
 * tests/cli/usage.bats. */
#include "test_support.h"

#include <getopt.h>

#include "help.h"
#include "options.h"

enum { ARGUMENTS = 12 };

/* A command line without the name of the program, and the message that refuses it; NULL: it is accepted. */
typedef struct {
    const char *message;
    const char *arguments[ARGUMENTS];
} Case;

/* Parses the arguments, which end with NULL; the options point into `texts`. */
static Status parse(Options **out, const char *const *arguments, char **texts, Err *err)
{
    static char program[] = "dragoman";
    int count = 1;

    texts[0] = program;
    for (; arguments[count - 1]; count++) {
        assert_true(count <= ARGUMENTS);
        texts[count] = strdup(arguments[count - 1]);
        assert_non_null(texts[count]);
    }
    texts[count] = NULL;
    optind = 0; /* getopt_long() begins anew */
    return options_parse(out, count, texts, err);
}

static void free_parsed(Options *options, char **texts)
{
    for (size_t i = 1; texts[i]; i++) free(texts[i]);
    options_free(options);
}

/* Checks that the command line is accepted, or refused with the message. A failure shows its first two arguments. */
static void check(const Case *c)
{
    char *texts[ARGUMENTS + 2];
    Options *options;
    Err err = { "" };
    const Status st = parse(&options, c->arguments, texts, &err);

    if (st != (c->message ? ERR_USAGE : OK) || strcmp(err.text, c->message ? c->message : "") != 0)
        fail_msg("%s %s: status %d, %s", c->arguments[0], c->arguments[1] ? c->arguments[1] : "", (int)st, err.text);
    free_parsed(options, texts);
}

/* Checks that an option, which begins with these dashes and is followed by this, is refused for the reason. */
static void check_option(const char *dashes, const char *name, const char *after, const char *reason)
{
    FREED char *text = support_format("%s%s%s", dashes, name, after);
    FREED char *expected = support_format("option '%s%s' %s", dashes, name, reason);

    check(&(Case){ expected, { text } });
}

#define SUBJECTS                                                                                                       \
    "info, models, pack, shortlist, score, align, calibrate, explain, get, help, completion, languages, formats, "     \
    "documents, csv, glossary, memory, beam, model-files, names, exit-codes"

static const Case cases[] = {
    /* Unknown and ambiguous options. */
    { "unknown option '--bogus'", { "--bogus" } },
    { "unknown option '--bogus'", { "--bogus=3" } },
    { "unknown option '--bogus'", { "file", "--bogus" } },
    { "unknown option '-Z'", { "-Z" } },
    { "unknown option '-Z'", { "-gZ" } },
    { "unknown option '-\\xc3'", { "-\xc3\xa4" } },
    { "ambiguous option '--b' (--beam, --blocks, --bilingual, --batch-rows)", { "--b=3" } },

    /* Near options are suggested. */
    { "unknown option '--beem' (did you mean '--beam'?)", { "--beem", "3" } },
    { "unknown option '--ouput' (did you mean '--output'?)", { "--ouput=x" } },
    { "unknown option '--max-lenght' (did you mean '--max-length'?)", { "--max-lenght", "3" } },
    { "unknown option '--nbest' (did you mean '--n-best'?)", { "--nbest", "3" } },
    { "unknown option '--help-mann'", { "--help-mann" } }, /* hidden */
    { "unknown option '--jsonl' (did you mean '--format jsonl'?)", { "--jsonl" } },
    { "unknown option '--verfy' (did you mean '--verify'?)", { "info", "--verfy" } },
    { "unknown option '--verfy'", { "--verfy" } }, /* an option of info */
    { "unknown option '--resme'", { "pack", "--resme" } },

    /* Words of other programs. */
    { "unknown option '--beam-size' (did you mean '--beam'?)", { "--beam-size", "3" } },
    { "unknown option '--num_beams' (did you mean '--beam'?)", { "explain", "--num_beams=3" } },
    { "unknown option '--json' (did you mean '--format jsonl'?)", { "score", "--json" } },
    { "unknown option '--json'", { "info", "--json" } }, /* it has no --format */
    { "unknown option '--source' (did you mean '--from'?)", { "--source", "en" } },
    { "unknown option '--form' (did you mean '--from'?)", { "--form", "de" } },
    { "unknown option '--form' (did you mean '--from'?)", { "-v", "--form=de", "-q" } },
    { "unknown option '--tm' (did you mean '--memory'?)", { "--tm", "m.tmx" } },
    { "unknown option '--scores' (did you mean '--format tsv'?)", { "--scores" } },
    { "unknown option '--langauge' (did you mean '--from LANG' or '--to LANG'?)", { "--langauge", "de" } },
    { "--lang can only be used with dragoman explain (did you mean '--from LANG' or '--to LANG'?)", { "--lang=de" } },
    { "unknown option '-V' (did you mean '--version'?)", { "-V" } },
    { "unknown option '-V'", { "info", "-V" } },
    { "--list can only be used with dragoman get (did you mean 'dragoman models'?)", { "--list" } },
    { "pack: --list cannot be used with this command", { "pack", "--list" } },
    { "translate: No such file or directory (did you mean 'dragoman FILE' or 'dragoman -e TEXT'?)", { "translate" } },
    { "list: No such file or directory (did you mean 'dragoman models'?)", { "list" } },
    { "languages: No such file or directory (did you mean 'dragoman help languages'?)", { "languages" } },
    { NULL, { "file.txt", "languages" } },

    /* Texts. */
    { "Where is it?: No such file or directory (to translate a text, use quotes: dragoman -e \"Where is it?\")",
      { "Where is it?" } },
    { "Where: No such file or directory (to translate a text, use quotes: dragoman -e \"Where is it.\")",
      { "Where", "is", "it." } },
    { "hello: No such file or directory (did you mean the command 'dragoman help'? To translate a text, use quotes: "
      "dragoman -e \"hello world\")",
      { "hello", "world" } },
    { "Please: No such file or directory (to translate a text, use quotes: dragoman -e \"Please help me\")",
      { "Please", "help", "me" } },
    { "world: No such file or directory (to translate a text, use quotes: dragoman -e \"hello world\")",
      { "-e", "hello", "world" } },
    { "is: No such file or directory (to translate a text, use quotes: dragoman -e \"Where is /\")",
      { "-e", "Where", "is", "/" } }, /* although the last word is the name of a file */
    { "say: No such file or directory (to translate a text, use quotes: dragoman -e \"TEXT\")",
      { "say", "\"hello\"" } },
    { "hello: No such file or directory (did you mean the command 'dragoman help'?)", { "hello", "world.txt" } },
    { NULL, { "where.txt", "it" } }, /* names of files */
    { NULL, { "where/is", "it" } },
    { NULL, { "-", "it" } },
    { NULL, { "-O", "out", "Where is it?" } }, /* reported with the other files */
    { NULL, { "-e", "Where is it?", "-e", "", "file.txt" } },
    { NULL, { "--text", "a", "--as", "html" } },
    { "-e: only one text can be translated as a document (html)", { "-e", "a", "-e", "b", "--as", "html" } },
    { "-e: only one text can be translated as a document (html)", { "-e", "a", "--as", "html", "file.txt" } },
    { "--format cannot be used with documents, and the text of -e is one (html)",
      { "-e", "a", "--as", "html", "--format", "tsv" } },
    { "--header needs documents, but the text of -e is read as lines; choose its format with --as",
      { "-e", "a", "--header" } },
    { "-O and -e cannot be used together", { "-O", "out", "-e", "a" } },
    { "--suffix and -e cannot be used together", { "--suffix", ".de", "-e", "a", "file" } },

    { "score: Hi: No such file or directory (a file has lines of SOURCE, a tab and TARGET; for two texts: printf "
      "'%s\\t%s\\n' \"SOURCE\" \"TARGET\" | dragoman score)",
      { "score", "Hi", "Hallo" } },
    { NULL, { "align", "pairs.tsv" } },

    /* Options of other commands. */
    { "info: --resume cannot be used with this command", { "info", "--resume" } },
    { "info: --format cannot be used with this command", { "info", "--format=tsv" } },
    { "info: --output-dir cannot be used with this command", { "info", "--output-dir=x" } },
    { "info: -O cannot be used with this command", { "info", "-O" } },
    { "info: -v cannot be used with this command", { "info", "-v" } },
    { "info: --int8 cannot be used with this command", { "info", "--int8" } },
    { "info: --version cannot be used with this command", { "info", "--version" } },
    { "pack: --beam cannot be used with this command", { "pack", "--beam=2" } },
    { "pack: -j cannot be used with this command", { "pack", "-j" } },
    { "pack: --to cannot be used with this command", { "pack", "--to=de" } },
    { "pack: --split cannot be used with this command", { "pack", "--split" } },
    { "pack: --verify cannot be used with this command", { "pack", "--verify" } },
    { "help: -m cannot be used with this command", { "help", "-m" } },
    { "completion: --quiet cannot be used with this command", { "completion", "--quiet" } },
    { "--verify can only be used with dragoman info", { "--verify" } },
    { "--int8 can only be used with dragoman pack (did you mean '--precision int8'?)", { "--int8" } },

    /* Near commands are suggested. */
    { "infos: No such file or directory (did you mean the command 'dragoman info'? To translate a text, use "
      "quotes: dragoman -e \"infos\")",
      { "infos" } },
    { "pakc: No such file or directory (did you mean the command 'dragoman pack'? To translate a text, use "
      "quotes: dragoman -e \"pakc\")",
      { "pakc", "-o", "x" } },
    { "shortlst: No such file or directory (did you mean the command 'dragoman shortlist'? To translate a text, use "
      "quotes: dragoman -e \"shortlst a b\")",
      { "shortlst", "a", "b", "-o", "x" } },
    { "inof: No such file or directory (did you mean the command 'dragoman info'? To translate a text, use "
      "quotes: dragoman -e \"inof\")",
      { "inof", "-m", "x" } },
    { "hlep: No such file or directory (did you mean the command 'dragoman help'? To translate a text, use "
      "quotes: dragoman -e \"hlep formats\")",
      { "hlep", "formats" } },
    { "completions: No such file or directory (did you mean the command 'dragoman completion'? To translate a text, "
      "use "
      "quotes: dragoman -e \"completions\")",
      { "completions" } },
    { NULL, { "complet" } }, /* the nearest command is hidden */
    { NULL, { "information" } },

    /* Invalid values. */
    { "--format must be one of text, tsv, jsonl, marian, not 'xml'", { "--format", "xml" } },
    { "--format must be one of text, tsv, jsonl, marian, not 'json' (did you mean 'jsonl'?)", { "--format=json" } },
    { "--format must be one of text, tsv, jsonl, marian, not 'de'", { "--forma=de" } },
    { NULL, { "explain", "Hello.", "--lang", "zh-CN" } },
    { NULL, { "explain", "Hello.", "--lang=Chinese" } },
    { "--lang must be one of en, zh, not 'fr-FR'", { "explain", "Hello.", "--lang", "fr-FR" } },
    { NULL, { "--format", "TSV" } },
    { "--precision must be one of auto, f32, bf16, int8, not 'int4' (did you mean 'int8'?)",
      { "--precision", "int4" } },
    { "--prefix: not valid UTF-8", { "--prefix", "a\xff" } },
    { "--prefix: must be a single line", { "--prefix", "a\nb" } },
    { "--suppress: must be a single line", { "--suppress", "a\nb" } },
    { "--end-token: not valid UTF-8", { "--end-token", "\xff" } },
    { "info: takes one model, not 2", { "info", "x", "y" } },
    { "info: unexpected 'x'; the model is already given with -m", { "info", "-m", "y", "x" } },

    /* Options that contradict each other. */
    { "--greedy and --beam 4 cannot be used together", { "-g", "-b", "4" } },
    { "--n-best 5 exceeds the beam size 4", { "-b", "4", "-n", "5" } },
    { "--n-best 2 exceeds the beam size 1", { "-g", "-n", "2" } },
    { "--min-length 6 exceeds --max-length 5", { "--min-length", "6", "--max-length", "5" } },
    { "--sample and --no-sample cannot be used together", { "--sample", "--no-sample" } },
    { "--alternatives and --n-best cannot be used together", { "--alternatives", "2", "-n", "2", "-b", "4" } },
    { "--min-alternative-probability needs --alternatives N", { "--min-alternative-probability", "0.1" } },
    { "--prefix-bias needs --prefix TEXT, or a column prefix (--tsv-in)", { "--prefix-bias", "0.5" } },
    { "--n-best 3 exceeds the beam size 2", { "--sample", "-b", "2", "-n", "3" } },
    { "--bilingual and --alternatives cannot be used together", { "--bilingual", "--alternatives", "2" } },
    { "--alternatives and --rescue cannot be used together", { "--alternatives", "2", "--rescue" } },
    { "--token-scores needs --format tsv or --format jsonl", { "--token-scores" } },
    { "--memory and --alternatives cannot be used together", { "--memory", "m.tsv", "--alternatives", "2" } },
    { NULL, { "-g", "-b", "1" } },
    { NULL, { "--sample", "-n", "3" } },

    /* Columns of the input. */
    { "--tsv-in: a column must be source, prefix, must or -, not 'text'", { "--tsv-in", "text" } },
    { "--tsv-in: a column must be source, prefix, must or -, not ''", { "--tsv-in", "source," } },
    { NULL, { "--tsv-in", "Source,PREFIX,must" } },
    { "--tsv-in: a column must be source, prefix, must or -, not 'sourc'", { "--tsv-in", "sourc" } },
    { "--tsv-in prefix,must: the column source must be given exactly once", { "--tsv-in", "prefix,must" } },
    { "--tsv-in source,source: the column source must be given exactly once", { "--tsv-in", "source,source" } },
    { "--tsv-in prefix,source,prefix: the column prefix can be given only once",
      { "--tsv-in", "prefix,source,prefix" } },
    { "option '--tsv-in' needs a value that is not empty", { "--tsv-in", "" } },
    { "--tsv-in and --force-decode cannot be used together", { "--tsv-in", "source", "--force-decode" } },
    { "--prefix and a column prefix cannot be used together", { "--force-decode", "--prefix", "a" } },
    { "--force-decode and --as html cannot be used together: columns are read in lines",
      { "--force-decode", "--as", "html" } },
    { "--memory and --tsv-in cannot be used together", { "--tsv-in", "source", "--memory", "m.tsv" } },
    { "the column must and --pieces cannot be used together", { "--tsv-in", "source,MUST", "--pieces" } },
    { NULL, { "--tsv-in", "source,PREFIX", "--prefix-bias", "0.5" } },

    /* Memories, glossaries and kept texts. */
    { "--memory and --format cannot be used together", { "--memory", "m.tsv", "--format", "jsonl", "in" } },
    { "--memory and --n-best cannot be used together", { "--memory", "m.tsv", "-b", "2", "--n-best", "2", "in" } },
    { "--memory and --alignment cannot be used together", { "--memory", "m.tsv", "--alignment", "hard", "in" } },
    { "--memory and --pieces cannot be used together", { "--memory", "m.tsv", "--pieces", "in" } },
    { "--memory and --identity cannot be used together", { "--memory", "m.tsv", "--identity", "--as", "html", "-" } },
    { "--memory and --pseudo cannot be used together", { "--memory", "m.tsv", "--pseudo", "--as", "html", "-" } },
    { "option '--memory' needs a value that is not empty", { "--memory", "" } },
    { "--memory: the name of a translation memory must end in .tsv or .tmx, not 'm.txt'", { "--memory", "m.txt" } },
    { "option '--glossary' needs a value that is not empty", { "--glossary", "" } },
    { "--glossary and --sample cannot be used together", { "--glossary", "terms.tsv", "--sample" } },
    { "--glossary and --alternatives cannot be used together", { "--glossary", "terms.tsv", "--alternatives=2" } },
    { "--glossary and --pieces cannot be used together", { "--glossary", "a", "--pieces" } },
    { "option '--keep' needs a value that is not empty", { "--keep", "" } },
    { "option '--keep-file' needs a value that is not empty", { "--keep-file", "" } },
    { "--keep and --pieces cannot be used together", { "--keep", "a", "--pieces" } },
    { "--keep-file and --pieces cannot be used together", { "--keep-file", "a", "--pieces" } },
    { "--capitals and --no-capitals cannot be used together", { "--capitals", "--no-capitals" } },
    { "--capitals and --pieces cannot be used together: the case of pieces cannot be changed",
      { "--capitals", "--pieces" } },

    /* Options that do not fit a batch. */
    { "-O and -o cannot be used together", { "-O", "de", "-o", "file", "docs" } },
    { "--suffix and -o cannot be used together", { "--suffix", ".de", "-o", "file", "docs" } },
    { "-O and --suffix cannot be used together", { "-O", "de", "--suffix", ".de", "docs" } },
    { "-O and - (standard input) cannot be used together", { "-O", "de", "docs", "-" } },
    { "--suffix needs files or folders to translate", { "--suffix", ".de" } },
    { "--suffix: 'a/b' contains a slash; use -O to write to another folder", { "--suffix", "a/b", "docs" } },
    { "option '--suffix' needs a value that is not empty", { "--suffix", "", "docs" } },
    { "--resume needs -O DIR or --suffix TEXT", { "--resume", "docs/a.txt" } },
    { "--include needs -O DIR or --suffix TEXT", { "--include", "*.txt", "docs/a.txt" } },

    /* Unknown subjects of help, and unknown shells. */
    { "help: 'langages' is neither a command nor a topic (did you mean 'languages'?); choose from " SUBJECTS,
      { "help", "langages" } },
    { "help: 'pakc' is neither a command nor a topic (did you mean 'pack'?); choose from " SUBJECTS,
      { "help", "pakc" } },
    { "help: 'e-x' is neither a command nor a topic; choose from " SUBJECTS, { "help", "e", "x" } },
    { "help: 'complete' is neither a command nor a topic (did you mean 'completion'?); choose from " SUBJECTS,
      { "help", "complete" } },
    { "help: '' is neither a command nor a topic; choose from " SUBJECTS, { "help", "" } },
    { "completion: needs one shell: bash, zsh or fish", { "completion" } },
    { "completion: needs one shell: bash, zsh or fish", { "completion", "bash", "zsh" } },
    { "completion: there is a script for bash, zsh and fish, not for 'ksh'", { "completion", "ksh" } },
    { NULL, { "completion", "Bash" } },
};

TEST(refused_and_accepted_command_lines)
{
    for (size_t i = 0; i < COUNT(cases); i++) check(&cases[i]);
}

TEST(commands_accept_abbreviations_of_their_options)
{
    static const char *const info[] = { "info", "--beam",       "2", "--max-in",   "20", "--prec",
                                        "f32",  "--batch-rows", "4", "--no-split", "-q", NULL };
    static const char *const pack[] = { "pack", "--mod", "model", "--in", "-o", "packed", "-q", NULL };
    char *texts[ARGUMENTS + 2];
    Options *options;
    Err err = { 0 };

    assert_ok(parse(&options, info, texts, &err), &err);
    assert_int_equal(options->max_input, 20);
    assert_int_equal(options->precision, DRAGOMAN_F32);
    free_parsed(options, texts);
    assert_ok(parse(&options, pack, texts, &err), &err); /* --in is --int8; translating has --include */
    assert_int_equal(options->precision, DRAGOMAN_INT8);
    assert_string_equal(options->models.items[0], "model");
    free_parsed(options, texts);
}

/* --help-man must not make --help ambiguous. */
TEST(hidden_options_have_no_abbreviations)
{
    static const char *const texts[] = { "--hel", "--help", "--help-man" };

    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *const arguments[] = { texts[i], NULL };
        char *copies[ARGUMENTS + 2];
        Options *options;
        Err err = { 0 };

        assert_ok(parse(&options, arguments, copies, &err), &err);
        assert_int_equal(options->help, i < 2);
        assert_int_equal(options->man, i == 2);
        free_parsed(options, copies);
    }
}

/* Each "--name" at the start of a line of the help, after "  -x, " or six blanks, is an option of the command. */
TEST(commands_accept_what_their_help_lists)
{
    for (Command command = 0; command < COMMANDS_SHOWN; command++) {
        const char *name = command_table[command].name;
        Buf help = { 0 };
        Err err = { 0 };
        size_t listed = 0;

        assert_ok(help_append(&help, command, 80, &err), &err);
        for (const char *line = help.data; (line = strchr(line, '\n'));) {
            FREED char *option = NULL;
            char *texts[ARGUMENTS + 2];
            Options *options;

            line++;
            if (strncmp(line, "      --", 8) != 0 &&
                !(strncmp(line, "  -", 3) == 0 && strncmp(line + 4, ", --", 4) == 0))
                continue;
            option = support_format("%.*s=x", (int)strspn(line + 6, "-abcdefghijklmnopqrstuvwxyz0123456789"), line + 6);
            if (parse(&options, (const char *const[]){ *name ? name : option, *name ? option : NULL, NULL }, texts,
                      &err) != OK) {
                assert_null(strstr(err.text, "cannot be used with this command"));
                assert_null(strstr(err.text, "unknown option"));
            }
            listed++;
            free_parsed(options, texts);
        }
        assert_true(listed >= 1);
        buf_free(&help);
    }
}

/* A name that exists is a file: the tests run in a folder that has models/. */
TEST(commands_must_come_first)
{
    for (Command c = COMMAND_FIRST; c < COMMANDS_SHOWN; c++) {
        const char *name = command_table[c].name;
        FREED char *message = support_format("the command '%s' must come first: dragoman %s [OPTION]...", name, name);
        if (c != COMMAND_MODELS) check(&(Case){ message, { "-m", "model", name } });
    }
}

/* Only a text and a prefix may be empty. */
TEST(values_that_are_missing_or_empty_are_refused)
{
    for (const OptionRow *row = option_table; row->name; row++) {
        const char letter[] = { row->letter, '\0' };
        const bool is_text = row->kind == OPTION_TEXT || row->kind == OPTION_LIST;
        if (!option_is_shown(row, COMMAND_TRANSLATE)) continue;
        if (row->argument) check_option("--", row->name, "", "needs a value");
        if (row->argument && row->letter) check_option("-", letter, "", "needs a value");
        if (is_text && strcmp(row->name, "prefix") != 0 && strcmp(row->name, "text") != 0)
            check_option("--", row->name, "=", "needs a value that is not empty");
        if (!row->argument) check_option("--", row->name, "=1", "takes no value");
    }
}

TEST(numbers_out_of_range_are_refused)
{
    static const struct {
        const char *name, *range;
        const char *values[12];
    } rows[] = {
        { "beam",
          "a whole number from 1 to 1024",
          { "0", "-1", "1025", "3x", "x", "", " 3", "3.0", "0x3", "99999999999999999999" } },
        { "n-best", "a whole number from 1 to 1024", { "0" } },
        { "threads", "a whole number from 1 to 1024", { "0" } },
        { "batch-rows", "a whole number from 1 to 65536", { "0" } },
        { "min-length", "a whole number from 0 to 1000000", { "-1" } },
        { "max-length", "a whole number from 1 to 1000000", { "0" } },
        { "no-repeat-ngram", "a whole number from 0 to 1000000", { "-1" } },
        { "length-penalty",
          "a number from -100 to 100",
          { "x", "", "nan", "inf", "1,5", "0x1p3", "1e999", " 1", "1f", "101", "-101" } },
        { "repetition-penalty", "a number from 0.001 to 1000", { "0", "-1" } },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        for (const char *const *value = rows[i].values; *value; value++) {
            FREED char *message = support_format("--%s: '%s' is not %s", rows[i].name, *value, rows[i].range);
            FREED char *option = support_format("--%s", rows[i].name),
                       *joined = support_format("%s=%s", option, *value);
            check(&(Case){ message, { option, *value } });
            check(&(Case){ message, { joined } });
        }
}

TESTS(test_option_parse);
