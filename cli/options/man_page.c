/* man_page.c - the man page: sections made from the tables of commands, options and topics, and fixed ones. */
#include <ctype.h>
#include <string.h>

#include "help.h"

/* These constants are roff already: they write minus signs and backslashes as escapes. */
static const char head[] = ".TH DRAGOMAN 1 \"\" \"dragoman " DRAGOMAN_VERSION "\" \"User Commands\"\n"
                           ".SH NAME\n"
                           "dragoman \\- translate lines of text\n"
                           ".SH SYNOPSIS\n";

static const char description[] =
    ".SH DESCRIPTION\n"
    "Translate each line of the FILEs, or of standard input, to one line of standard output, in the same order.\n"
    "A\n"
    ".I FILE\n"
    "of \\- is standard input.\n"
    "A translation is written as soon as it and all before it are ready, so that dragoman can serve as a coprocess.\n"
    ".PP\n"
    "Blank lines are copied unchanged.\n"
    "A line of output ends like its line of input, with LF or CR LF; if the last line has no newline, its translation "
    "has none.\n"
    "A byte order mark at the start of a file is removed.\n"
    "NUL bytes and invalid UTF-8 are replaced by U+FFFD.\n"
    "A line with more tokens than the model accepts is translated in parts, which end at sentence ends where "
    "possible.\n"
    "In the last two cases a warning on standard error names the file and the line.\n"
    "Only the first ten warnings of each kind are printed, then their number.\n"
    ".PP\n"
    "With several models, each named by \\-m, a line goes through all of them: each model translates the best "
    "translation\n"
    "of the one before.\n"
    "The output is that of a shell pipe of as many programs, but all models work at the same time and share the "
    "threads.\n"
    "\\-\\-from applies to the first model. \\-\\-to, \\-\\-prefix, \\-\\-prefix\\-bias, \\-\\-n\\-best, "
    "\\-\\-alternatives, \\-\\-sample, \\-\\-suppress,\n"
    "\\-\\-end\\-token, \\-\\-disable\\-unk and \\-\\-replace\\-unknowns apply to the last one. Beam, lengths, "
    "penalties and precision\n"
    "apply to all.\n"
    "The pivot language between two models is the one that they are made for; if neither determines it, give "
    "\\-\\-via.\n"
    ".PP\n"
    "To translate a file with the name of a command, such as info, write\n"
    ".IR ./info .\n";

static const char options_head[] =
    ".SH OPTIONS\n"
    "Options may stand before and after the files; \\-\\- ends the options.\n"
    "If an option is given several times, the last one counts, except for options that can be repeated.\n"
    "A long option may be abbreviated to a unique beginning.\n";

static const char tail[] =
    ".SH OUTPUT FORMATS\n"
    ".TP\n"
    ".B text\n"
    "The translations only: one for each line, or N with \\-\\-n\\-best N.\n"
    "With \\-\\-pieces, a translation is written as its pieces, separated by spaces, without the end token.\n"
    ".TP\n"
    ".B tsv\n"
    "Line number (counted through all files), rank from 1, score, and translation, separated by tabs.\n"
    "In the translation \\et, \\en, \\er and \\e\\e stand for tab, newline, carriage return and backslash.\n"
    "A blank line gives one row of rank 1 and score 0 with an empty translation.\n"
    ".TP\n"
    ".B jsonl\n"
    "One object for each line of the input:\n"
    ".IP\n"
    ".EX\n"
    "{\"line\":1,\"source\":\"...\",\"source_ids\":[...],\"translations\":\n"
    " [{\"text\":\"...\",\"score\":\\-0.41,\"ids\":[...],\"tokens\":[\"...\"]}]}\n"
    ".EE\n"
    ".IP\n"
    "(on one line). The ids of a translation include the end token but not the start token.\n"
    "With several models, \"pivots\":[\"...\"] lists the intermediate texts.\n"
    "With \\-\\-glossary, each translation has "
    "\"terms\":[{\"source\":\"...\",\"expected\":[\"...\"],\"found\":\"...\"}];\n"
    "found is null if the translation does not have the term.\n"
    "A blank line has no translations. A score that is not a finite number is null.\n"
    ".TP\n"
    ".B marian\n"
    "The n-best lists of marian\\-decoder, with one translation for each line unless \\-\\-n\\-best is given:\n"
    ".IP\n"
    ".EX\n"
    "0 ||| TRANSLATION ||| F0= \\-4.50415 ||| \\-1.40137\n"
    ".EE\n"
    ".IP\n"
    "Line number from 0, translation, sum of log\\-probabilities, score.\n"
    ".SH BATCHES OF FILES\n"
    "With \\-O DIR or \\-\\-suffix TEXT, each file is translated into a file of its own.\n"
    "A folder stands for all files below it: with \\-O german, the file english/a/b.txt of the folder english is\n"
    "translated into german/a/b.txt.\n"
    "Lines of several files are translated together, so many small files are as fast as one large file.\n"
    ".TP\n"
    ".B which files\n"
    "Hidden files and folders are skipped, and so are broken links, links that lead out of the folder and links to\n"
    "folders.\n"
    "So is DIR, if it is inside the folder.\n"
    "\\-\\-include and \\-\\-exclude choose files; \\-\\-dry\\-run lists them.\n"
    "Files that are not text to translate, such as archives, pictures, source code and settings, are skipped and\n"
    "counted; with \\-\\-others copy they are copied.\n"
    ".TP\n"
    ".B what is refused\n"
    "If two files would be translated into the same file, or a file of the batch would be overwritten, nothing is\n"
    "written, and the exit status is 2.\n"
    ".TP\n"
    ".B failures\n"
    "A file that fails is reported, and the others are translated. At the end all failures are listed, and the exit\n"
    "status is 1.\n"
    "A file that changes before its translation is complete fails, too.\n"
    ".TP\n"
    ".B interruptions\n"
    "A translation gets its name when it is complete and on the disk.\n"
    "With \\-\\-resume, files whose translation exists and is not older than the file are skipped. The option\n"
    "compares only times, and does not notice another model or other options.\n"
    "A run removes the temporary files that killed runs have left in the folders that it writes to, if the file\n"
    "system has locks.\n"
    ".TP\n"
    ".B permissions\n"
    "New files and folders get the permissions of their sources; existing files keep theirs.\n"
    ".SH OUTPUT FILES\n"
    "With \\-o, a regular file is written under the name .NAME.dragoman\\-PID in the same folder, synced, and renamed\n"
    "when it is complete. An error, a full disk or an interrupt leaves an existing file unchanged.\n"
    "The next run for the same file removes what a killed run has left.\n"
    "An existing file keeps as much as possible:\n"
    ".TP\n"
    ".B mode, owner, group\n"
    "The new file gets those of the old one.\n"
    ".TP\n"
    ".B hard links, ACLs, other extended attributes, an owner that cannot be kept\n"
    "The complete result is copied into the existing file, which keeps its inode.\n"
    "The same applies to a mount point, such as a file in a container, and to a file in a folder that cannot be\n"
    "written; then the temporary file is in $TMPDIR, or /tmp by default.\n"
    "Before the copy starts, the complete result is renamed to NAME.dragoman\\-PID. It is removed when the copy is\n"
    "complete; after a failure or an interrupt it stays, and the message names it.\n"
    ".TP\n"
    ".B symbolic links\n"
    "A link is kept; the file that it leads to is written, or created if it does not exist.\n"
    ".TP\n"
    ".B streams\n"
    "/dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N and links to them stand for the open descriptor, which is\n"
    "written at its current position; FIFOs, terminals and devices are opened and written.\n"
    "dragoman pack needs a regular file.\n"
    ".PP\n"
    "No command writes to a file that it reads, under any name, such as an input or a file of the model. Only the\n"
    "file of \\-\\-memory is read and written.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n"
    ".B TMPDIR\n"
    "Folder for the temporary file of \\-o if it cannot be created next to FILE. Default: /tmp.\n"
    ".TP\n"
    ".B DRAGOMAN_MODEL\n"
    "The model to use without \\-m: a path, or a name that 'dragoman models' lists. Default: the model of the\n"
    "configuration file, else one for \\-\\-from and \\-\\-to, else en\\-de, which comes with dragoman.\n"
    ".TP\n"
    ".B DRAGOMAN_CPU\n"
    "Highest level of CPU instructions to use: scalar; avx2, avxvnni, avx512, avx512vnni, amx (x86); neon, dotprod "
    "(Arm).\n"
    "The output is the same on every level; only the speed differs. Default: the highest level of this CPU.\n"
    ".TP\n"
    ".B NO_COLOR\n"
    "If set and not empty, the progress bar has no colour.\n"
    ".TP\n"
    ".B TERM\n"
    "If not set, empty or dumb, there is no progress bar.\n"
    ".SH EXIT STATUS\n"
    ".TP\n"
    ".B 0\n"
    "Everything was translated and written.\n"
    ".TP\n"
    ".B 1\n"
    "A model is missing or corrupt, an input could not be read, or the output could not be written.\n"
    "If an input could not be read, the others were translated; with \\-o FILE, FILE was not replaced.\n"
    "Or a pair of score or align, or a line of JSON Lines, was refused: all others were written, also to FILE. A pair\n"
    "that is refused gives an empty line, in jsonl an object with its error; a line of JSON Lines is copied.\n"
    ".TP\n"
    ".B 2\n"
    "The options are wrong or do not fit the model.\n"
    ".PP\n"
    "If the reader closes the pipe, SIGPIPE ends dragoman without a message, as it ends other filters.\n"
    ".SH EXAMPLES\n"
    "Translate a sentence with the model that comes with dragoman:\n"
    ".PP\n"
    ".EX\n"
    "  echo \"Where is the train station?\" | dragoman\n"
    ".EE\n"
    ".PP\n"
    "Translate a book with a model from Hugging Face:\n"
    ".PP\n"
    ".EX\n"
    "  dragoman \\-m opus\\-mt\\-fr\\-en \\-o book.en book.fr\n"
    ".EE\n"
    ".PP\n"
    "Write the four best translations of each line with their scores:\n"
    ".PP\n"
    ".EX\n"
    "  dragoman \\-m opus\\-mt\\-fr\\-en \\-b 4 \\-n 4 \\-\\-format tsv < book.fr\n"
    ".EE\n"
    ".PP\n"
    "Translate Spanish through English to German:\n"
    ".PP\n"
    ".EX\n"
    "  dragoman \\-m es\\-en.argosmodel \\-m en\\-de notes.es\n"
    ".EE\n"
    ".PP\n"
    "Describe a model:\n"
    ".PP\n"
    ".EX\n"
    "  dragoman info \\-m opus\\-mt\\-fr\\-en\n"
    ".EE\n"
    ".PP\n"
    "Convert a model's folder to one file that is a quarter of the size and faster:\n"
    ".PP\n"
    ".EX\n"
    "  dragoman pack \\-m opus\\-mt\\-fr\\-en \\-\\-int8 \\-o fr\\-en.safetensors\n"
    "  dragoman \\-m fr\\-en.safetensors < book.fr\n"
    ".EE\n";

/* Appends plain text[0, len) as roff: escapes minus signs, backslashes, and a dot or quote at the start. */
static Status append_escaped(Buf *out, const char *text, size_t len, Err *err)
{
    Status st = OK;

    if (len && (*text == '.' || *text == '\'')) st = buf_append_text(out, "\\&", err);
    for (size_t i = 0; st == OK && i < len; i++) {
        if (text[i] == '-')
            st = buf_append_text(out, "\\-", err);
        else if (text[i] == '\\')
            st = buf_append_text(out, "\\e", err);
        else
            st = buf_append(out, text + i, 1, err);
    }
    return st;
}

static Status append_row(Buf *out, const OptionRow *row, Command command, Err *err)
{
    const char *help = option_help(row, command);
    Status st = buf_append_text(out, ".TP\n", err);

    if (st == OK && row->letter) st = buf_append_format(out, err, "\\fB\\-%c\\fR, ", row->letter);
    if (st == OK) st = buf_append_text(out, "\\fB\\-\\-", err);
    if (st == OK) st = append_escaped(out, row->name, strlen(row->name), err);
    if (st == OK) st = buf_append_text(out, "\\fR", err);
    if (st == OK && row->argument) st = buf_append_format(out, err, " \\fI%s\\fR", row->argument);
    if (st == OK) st = buf_append(out, "\n", 1, err);
    if (st == OK) st = append_escaped(out, help, strlen(help), err);
    if (st == OK && row->kind == OPTION_INTEGER)
        st = buf_append_format(out, err, ".\nRange: %.0f to %.0f", row->low, row->high);
    if (st == OK && row->kind == OPTION_REAL)
        st = buf_append_format(out, err, ".\nRange: %s%g to %g", row->low < 0 ? "\\" : "", row->low, row->high);
    return st == OK ? buf_append_text(out, ".\n", err) : st;
}

/* Appends a usage line: words in capitals stand for values, words in small letters are typed as they are. */
static Status append_usage(Buf *out, const char *line, size_t len, Err *err)
{
    Status st = OK;

    for (size_t i = 0, word; st == OK && i < len; i += word) {
        const unsigned char first = (unsigned char)line[i];
        word = 1;
        while (i + word < len && (isalnum(first) || first == '-') &&
               (isalnum((unsigned char)line[i + word]) || line[i + word] == '-'))
            word++;
        if (isalnum(first) || first == '-') st = buf_append_text(out, isupper(first) ? "\\fI" : "\\fB", err);
        for (size_t k = 0; st == OK && k < word; k++)
            st = buf_append_format(out, err, line[i + k] == '-' ? "\\-" : "%c", line[i + k]);
        if (st == OK && (isalnum(first) || first == '-')) st = buf_append_text(out, "\\fR", err);
    }
    return st == OK ? buf_append_text(out, "\n", err) : st;
}

static Status append_synopsis(Buf *out, Err *err)
{
    Status st = OK;

    for (Command c = 0; st == OK && c < COMMANDS; c++) {
        const char *line = command_table[c].usage;
        if (c != COMMAND_TRANSLATE && !command_is_shown(c)) continue;
        for (size_t len; st == OK && *line; line += len + 1) {
            len = strcspn(line, "\n");
            if (line != command_table[0].usage) st = buf_append_text(out, ".br\n", err);
            if (st == OK) st = append_usage(out, line, len, err);
        }
    }
    return st;
}

/* Appends the options that mean the same for translating as a list of names, and the others with their help. */
static Status append_command_options(Buf *out, Command command, Err *err)
{
    Buf shared = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        const bool is_shared = option_help(row, command) == option_help(row, COMMAND_TRANSLATE);
        if (!option_is_shown(row, command)) continue;
        if (!is_shared) st = append_row(out, row, command, err);
        if (st != OK || !is_shared || strcmp(row->name, "help") == 0) continue;
        st = buf_append_text(&shared, shared.len ? ", --" : "--", err);
        if (st == OK) st = buf_append_text(&shared, row->name, err);
    }
    if (st == OK && shared.len) st = buf_append_text(out, ".PP\nIt also accepts these options, see below: ", err);
    if (st == OK && shared.len) st = append_escaped(out, shared.data, shared.len, err);
    if (st == OK && shared.len) st = buf_append_text(out, ".\n", err);
    buf_free(&shared);
    return st;
}

/* Each line of `text` is a paragraph. */
static Status append_paragraphs(Buf *out, const char *text, Err *err)
{
    Status st = OK;

    for (size_t len; st == OK && *text; text += len + 1) {
        len = strcspn(text, "\n");
        st = append_escaped(out, text, len, err);
        if (st == OK) st = buf_append_text(out, text[len + 1] ? "\n.PP\n" : "\n", err);
    }
    return st;
}

static Status append_commands(Buf *out, Err *err)
{
    Status st = buf_append_text(out, ".SH COMMANDS\n", err);

    for (Command c = 0; st == OK && c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        st = buf_append_format(out, err, ".SS dragoman %s\n", command_table[c].name);
        if (st == OK) st = append_paragraphs(out, command_table[c].about, err);
        if (st == OK) st = append_command_options(out, c, err);
    }
    return st;
}

static Status append_options(Buf *out, Err *err)
{
    Status st = buf_append_text(out, options_head, err);

    for (OptionGroup g = 0; st == OK && g < GROUP_HIDDEN; g++) {
        st = buf_append_format(out, err, ".SS %s\n", option_group_names[g]);
        for (size_t i = 0; st == OK && i < option_count; i++)
            if (option_table[i].group == g && option_is_shown(&option_table[i], COMMAND_TRANSLATE))
                st = append_row(out, &option_table[i], COMMAND_TRANSLATE, err);
    }
    return st;
}

/* Appends line[0, len) of a topic. Empty lines separate paragraphs and verbatim lines. */
static Status append_topic_line(Buf *out, const char *line, size_t len, bool *verbatim, Err *err)
{
    const bool indented = strncmp(line, "  ", 2) == 0;
    const bool begins = line[-1] == '\n' && line[-2] == '\n';
    Status st = OK;

    if (!len) st = buf_append_text(out, *verbatim ? ".EE\n" : "", err);
    if (!len) *verbatim = false;
    if (st != OK || !len) return st;
    if (begins) st = buf_append_text(out, indented ? ".PP\n.EX\n" : ".PP\n", err);
    *verbatim = indented;
    if (st == OK) st = append_escaped(out, line, len, err);
    return st == OK ? buf_append(out, "\n", 1, err) : st;
}

/* Appends a topic as a section. */
static Status append_topic(Buf *out, const char *name, const char *heading, Err *err)
{
    const char *text = topic_find(name)->text, *end = text + strlen(text);
    size_t len = strcspn(text, "\n");
    bool verbatim = false;
    Status st = buf_append_format(out, err, ".SH %s\n%.*s\n", heading, (int)len, text);

    for (text += len + 1; st == OK && text < end; text += len + 1) {
        len = strcspn(text, "\n");
        st = append_topic_line(out, text, len, &verbatim, err);
    }
    return st == OK && verbatim ? buf_append_text(out, ".EE\n", err) : st;
}

Status man_page_append(Buf *out, Err *err)
{
    Status st = buf_append_text(out, head, err);

    if (st == OK) st = append_synopsis(out, err);
    if (st == OK) st = buf_append_text(out, description, err);
    if (st == OK) st = append_commands(out, err);
    if (st == OK) st = append_options(out, err);
    if (st == OK) st = append_topic(out, "model-files", "MODELS", err);
    if (st == OK) st = append_topic(out, "names", "NAMES OF MODELS", err);
    if (st == OK) st = append_topic(out, "languages", "LANGUAGES", err);
    return st == OK ? buf_append_text(out, tail, err) : st;
}
