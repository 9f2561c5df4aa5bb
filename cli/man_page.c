/* man_page.c - the man page: fixed sections around the option table. */
#include "option_table.h"

#include <string.h>

/* In these constants `-` is a minus sign and `\e` a backslash already. */
static const char head[] =
    ".TH DRAGOMAN 1 \"\" \"dragoman " DRAGOMAN_VERSION "\" \"User Commands\"\n"
    ".SH NAME\n"
    "dragoman \\- translate lines of text\n"
    ".SH SYNOPSIS\n"
    ".B dragoman\n"
    ".RI [ OPTION ]... \" \" [ FILE ]...\n"
    ".br\n"
    ".B dragoman info\n"
    ".B \\-m\n"
    ".I PATH\n"
    ".RB [ \\-\\-verify ]\n"
    ".br\n"
    ".B dragoman pack\n"
    ".B \\-m\n"
    ".I PATH\n"
    ".RB [ \\-\\-int8 | \\-\\-bf16 | \\-\\-f32 ]\n"
    ".B \\-o\n"
    ".I FILE\n"
    ".br\n"
    ".B dragoman shortlist\n"
    ".B \\-m\n"
    ".I PATH SOURCE TARGET\n"
    ".B \\-o\n"
    ".I FILE\n"
    ".SH DESCRIPTION\n"
    "Translates each line of the files, or of standard input, to one line of standard output, in order.\n"
    "A\n"
    ".I FILE\n"
    "of \\- is standard input.\n"
    "A translation is written as soon as it and all before it are ready, so that dragoman can serve as a coprocess.\n"
    ".PP\n"
    "Blank lines are left as they are.\n"
    "A line ends as it ended in the input, with LF or with CR LF; a last newline that is missing stays missing.\n"
    "A byte order mark at the start of a file is dropped.\n"
    "NUL bytes and invalid UTF-8 become U+FFFD, and a note on standard error names file and line.\n"
    "A line with more pieces than the model can take is translated in parts, at ends of sentences where there are "
    "any,\n"
    "and a note says so.\n"
    "Of each kind of note the first ten are printed, then a count.\n"
    ".PP\n"
    "With several models, each named by \\-m, a line goes through all of them: the best translation by one is the "
    "text\n"
    "of the next.\n"
    "The output is that of a pipe of as many programs, but all models work at the same time and share the threads.\n"
    "\\-\\-from is for the first one, \\-\\-to, \\-\\-prefix and \\-\\-n\\-best are for the last one, the other "
    "settings for all.\n"
    "The language between two models is the one that they are made for; where neither says it, \\-\\-via does.\n"
    ".PP\n"
    ".B dragoman info\n"
    "prints what a model is: family, languages, sizes, memory, defaults of its search.\n"
    "With \\-\\-verify it reads all of a packed model, too, and compares it with its checksums.\n"
    ".PP\n"
    ".B dragoman pack\n"
    "makes one file of a model's folder: configuration, vocabularies and weights in the form in which products take\n"
    "them.\n"
    "Such a file opens in milliseconds, and all processes that use it share its pages in memory.\n"
    "The same folder gives the same bytes everywhere.\n"
    "It takes the folder's place after \\-m and in $DRAGOMAN_MODEL.\n"
    ".PP\n"
    ".B dragoman shortlist\n"
    "learns from two files, each line of one the translation of the same line of the other, which target pieces are\n"
    "worth scoring for a source piece (IBM model 1), and writes a file for \\-\\-shortlist: Marian's binary format, "
    "or\n"
    "CTranslate2's vmap where FILE ends in .txt.\n"
    "One of the files may be \\-, standard input; they may be compressed by gzip or zstd (standard input: gzip).\n"
    "Pairs with a side of more than 200 pieces are left out.\n"
    "The same files give the same bytes everywhere.\n"
    ".PP\n"
    "Files of the names\n"
    ".IR info ,\n"
    ".I pack\n"
    "and\n"
    ".I shortlist\n"
    "are translated as\n"
    ".IR ./info ,\n"
    ".I ./pack\n"
    "and\n"
    ".IR ./shortlist .\n"
    ".SH OPTIONS\n"
    "Options may stand before and after the files; \\-\\- ends them.\n"
    "Of an option given twice, the last one counts, but for those that are given once for each model.\n";

static const char tail[] =
    ".SH OUTPUT FORMATS\n"
    ".TP\n"
    ".B text\n"
    "The translations alone, for \\-\\-n\\-best N of them for each line.\n"
    "With \\-\\-pieces they are pieces separated by spaces, without the end token.\n"
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
    "(on one line). The ids of a translation are without the start token and with the end token.\n"
    "With several models \"pivots\":[\"...\"] has the texts between them.\n"
    "A blank line has no translations. A score that is not a finite number is null.\n"
    ".TP\n"
    ".B marian\n"
    "N-best lists as marian\\-decoder writes them, of one translation without \\-\\-n\\-best:\n"
    ".IP\n"
    ".EX\n"
    "0 ||| TRANSLATION ||| F0= \\-4.50415 ||| \\-1.40137\n"
    ".EE\n"
    ".IP\n"
    "Line number from 0, translation, sum of log\\-probabilities, score.\n"
    ".SH OUTPUT FILES\n"
    "With \\-o, a regular file is written under the name .NAME.dragoman\\-PID in the same folder, synced, and renamed\n"
    "when it is complete: after an error, a full disk or an interrupt, an existing file is as it was.\n"
    "The next run for the same file removes what a killed one has left.\n"
    "What exists stays as far as possible:\n"
    ".TP\n"
    ".B mode, owner, group\n"
    "The new file gets those of the old one.\n"
    ".TP\n"
    ".B hard links, ACLs, other extended attributes, an owner that cannot be kept\n"
    "The complete result is copied into the existing file, which stays the same inode.\n"
    "The same goes for a mount point, such as a file in a container, and for a file in a folder that cannot be\n"
    "written; the temporary file is in $TMPDIR then, else in /tmp.\n"
    "Before it is copied, the complete result becomes NAME.dragoman\\-PID. It is removed when the copy is complete;\n"
    "after a failure or an interrupt it stays, and the message says where it is.\n"
    ".TP\n"
    ".B symbolic links\n"
    "stay; the file they lead to is written, or created where there is none.\n"
    ".TP\n"
    ".B streams\n"
    "/dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N and links to them are the open descriptor, written at its\n"
    "own place; FIFOs, terminals and devices are opened and written.\n"
    "Packing needs a regular file.\n"
    ".PP\n"
    "No command writes to a file that it reads, whatever its name: an input, or a file of the model, its vocabularies\n"
    "or its shortlist.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n"
    ".B TMPDIR\n"
    "Folder for the temporary file of \\-o where that cannot be beside FILE. Default: /tmp.\n"
    ".TP\n"
    ".B DRAGOMAN_MODEL\n"
    "Folder of the model, packed model, or the name of a model that comes with dragoman, when \\-m is not given.\n"
    "Without both, the model that comes with dragoman is taken: models/en\\-de.safetensors beside the\n"
    "program, else share/dragoman/models/en\\-de.safetensors under the prefix it is installed in.\n"
    ".TP\n"
    ".B DRAGOMAN_CPU\n"
    "Highest level of CPU instructions to use: scalar; avx2, avxvnni, avx512, avx512vnni, amx (x86); neon, dotprod "
    "(Arm).\n"
    "Default: the best that this CPU has. The output is the same on every level; only the speed differs.\n"
    ".SH EXIT STATUS\n"
    ".TP\n"
    ".B 0\n"
    "All lines have been translated and written.\n"
    ".TP\n"
    ".B 1\n"
    "A model is missing or broken, an input could not be read (the others have been translated), or the output could\n"
    "not be written. With \\-o nothing takes the place of FILE then.\n"
    ".TP\n"
    ".B 2\n"
    "The options are wrong, or do not fit the model.\n"
    ".PP\n"
    "When the reader of a pipe goes away, dragoman ends silently by SIGPIPE, as other filters do.\n"
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
    "The four best translations of each line with their scores:\n"
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
    "What a model is:\n"
    ".PP\n"
    ".EX\n"
    "  dragoman info \\-m opus\\-mt\\-fr\\-en\n"
    ".EE\n"
    ".PP\n"
    "One file of a model's folder, a quarter of the size and faster:\n"
    ".PP\n"
    ".EX\n"
    "  dragoman pack \\-m opus\\-mt\\-fr\\-en \\-\\-int8 \\-o fr\\-en.safetensors\n"
    "  dragoman \\-m fr\\-en.safetensors < book.fr\n"
    ".EE\n";

/* Plain text as roff: minus signs, backslashes, no request at a line start. */
static Status append_escaped(Buf *out, const char *text, Err *err)
{
    Status st = OK;

    if (*text == '.' || *text == '\'') st = buf_append_text(out, "\\&", err);
    for (; st == OK && *text; text++) {
        if (*text == '-')
            st = buf_append_text(out, "\\-", err);
        else if (*text == '\\')
            st = buf_append_text(out, "\\e", err);
        else
            st = buf_append(out, text, 1, err);
    }
    return st;
}

static Status append_row(Buf *out, const OptionRow *row, Err *err)
{
    Status st = buf_append_text(out, ".TP\n", err);

    if (st == OK && row->letter) st = buf_append_format(out, err, "\\fB\\-%c\\fR, ", row->letter);
    if (st == OK) st = buf_append_text(out, "\\fB\\-\\-", err);
    if (st == OK) st = append_escaped(out, row->name, err);
    if (st == OK) st = buf_append_text(out, "\\fR", err);
    if (st == OK && row->argument) st = buf_append_format(out, err, " \\fI%s\\fR", row->argument);
    if (st == OK) st = buf_append(out, "\n", 1, err);
    if (st == OK) st = append_escaped(out, row->help, err);
    if (st == OK && row->kind == OPTION_INTEGER)
        st = buf_append_format(out, err, " (from %.0f to %.0f)", row->low, row->high);
    if (st == OK && row->kind == OPTION_REAL)
        st = buf_append_format(out, err, " (from %s%g to %g)", row->low < 0 ? "\\" : "", row->low, row->high);
    return st == OK ? buf_append_text(out, ".\n", err) : st;
}

Status man_page_append(Buf *out, Err *err)
{
    Status st = buf_append_text(out, head, err);

    for (OptionGroup g = 0; st == OK && g < GROUP_HIDDEN; g++) {
        st = buf_append_format(out, err, ".SS %s\n", option_group_names[g]);
        for (size_t i = 0; st == OK && i < option_count; i++)
            if (option_table[i].group == g) st = append_row(out, &option_table[i], err);
    }
    return st == OK ? buf_append_text(out, tail, err) : st;
}
