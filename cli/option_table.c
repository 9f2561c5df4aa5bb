/* option_table.c - see option_table.h: the table, and what --help prints; the man page is in man_page.c. */
#include "option_table.h"

#include <stdio.h>
#include <string.h>

#include "format.h"

/* In the order of DragomanPrecision. */
static const char *const precisions[] = { "auto", "f32", "bf16", "int8", NULL };

#define FLAG(f)              OPTION_FLAG, offsetof(Options, f), 0, 0, NULL
#define TEXT(f)              OPTION_TEXT, offsetof(Options, f), 0, 0, NULL
#define LIST(f)              OPTION_LIST, offsetof(Options, f), 0, 0, NULL
#define INTEGER(f, from, to) OPTION_INTEGER, offsetof(Options, f), from, to, NULL
#define REAL(f, from, to)    OPTION_REAL, offsetof(Options, f), from, to, NULL
#define CHOICE(f, words)     OPTION_CHOICE, offsetof(Options, f), 0, 0, words

const OptionRow option_table[] = {
    { "model", 'm', "PATH", GROUP_MODEL, DRAGOMAN_MODEL, LIST(models),
      "A model's folder, as Hugging Face has it (one of its cache, too) or as Marian or CTranslate2 writes it, "
      "Marian's model.npz, a package "
      "of Argos Translate, or a packed model. Default: $DRAGOMAN_MODEL, else the English-German model that comes with "
      "dragoman, en-de. Several times: what one model writes the next one translates" },
    { "vocab", 0, "FILES", GROUP_MODEL, DRAGOMAN_VOCABS, LIST(vocabs),
      "Vocabularies of a Marian model: SOURCE,TARGET or one for both. Default: those beside it. With several models, "
      "once for each; -: none" },
    { "weights", 0, "LIST", GROUP_MODEL, DRAGOMAN_WEIGHTS, LIST(weights),
      "Of the models of an ensemble, -m PATH,PATH, for the sum of their log-probabilities: 0.6,0.4. Default: 1 each. "
      "With several models, "
      "once for each; -: none" },
    { "from", 'f', "LANG", GROUP_MODEL, DRAGOMAN_FROM, TEXT(from),
      "Language of the input, for models that know several: a code, a locale or a name (de, deu, de_DE, German)" },
    { "to", 't', "LANG", GROUP_MODEL, DRAGOMAN_TO, TEXT(to),
      "Language to translate to, for models that know several, named in the same way" },
    { "via", 0, "LANG", GROUP_MODEL, DRAGOMAN_VIA, LIST(vias),
      "With several models: the language between one and the next, where neither is made for one" },
    { "precision", 0, "NAME", GROUP_MODEL, DRAGOMAN_PRECISION, CHOICE(precision, precisions),
      "auto: the weights as the model stores them (the default). f32: nothing is rounded. bf16: weights rounded to 16 "
      "bits, half the memory. int8: weights and products in 8 bits, a quarter of the memory and fastest; translations "
      "may differ in a word here and there" },

    { "beam", 'b', "N", GROUP_SEARCH, DRAGOMAN_BEAMS, INTEGER(beams, 1, 1024),
      "Beam search with N hypotheses; 1 is greedy" },
    { "greedy", 'g', NULL, GROUP_SEARCH, DRAGOMAN_NO_SETTING, FLAG(greedy), "The same as --beam 1: fastest" },
    { "n-best", 'n', "N", GROUP_SEARCH, DRAGOMAN_N_BEST, INTEGER(n_best, 1, 1024),
      "Write the N best translations of each line, best first, each on its own line; N is at most the beam. A blank "
      "line comes out N times, too" },
    { "length-penalty", 0, "X", GROUP_SEARCH, DRAGOMAN_LENGTH_PENALTY, REAL(length_penalty, -100, 100),
      "Scores are divided by length^X: above 0 favours long translations, below 0 short ones" },
    { "min-length", 0, "N", GROUP_SEARCH, DRAGOMAN_MIN_LENGTH, INTEGER(min_length, 0, 1000000),
      "At least N target pieces, the end token not counted" },
    { "max-length", 0, "N", GROUP_SEARCH, DRAGOMAN_MAX_LENGTH, INTEGER(max_length, 1, 1000000),
      "At most N target pieces, the end token counted; a translation that is cut off there may lack it" },
    { "max-length-factor", 0, "X", GROUP_SEARCH, DRAGOMAN_LENGTH_FACTOR, REAL(length_factor, 0.01, 1000),
      "Marian models: at most X target pieces for each source piece" },
    { "word-penalty", 0, "X", GROUP_SEARCH, DRAGOMAN_WORD_PENALTY, REAL(word_penalty, -1000, 1000),
      "Marian models: X is taken off a score for each target piece" },
    { "allow-unk", 0, NULL, GROUP_SEARCH, DRAGOMAN_ALLOW_UNK, FLAG(allow_unk),
      "Marian models: unknown pieces may come out" },
    { "prefix", 0, "TEXT", GROUP_SEARCH, DRAGOMAN_PREFIX, TEXT(prefix),
      "Begin each translation with TEXT; where lines are split, only that of the first sentence" },
    { "repetition-penalty", 0, "X", GROUP_SEARCH, DRAGOMAN_REPETITION_PENALTY, REAL(repetition_penalty, 0.001, 1000),
      "Above 1: pieces that are there already become less likely" },
    { "no-repeat-ngram", 0, "N", GROUP_SEARCH, DRAGOMAN_NO_REPEAT_NGRAM, INTEGER(no_repeat_ngram, 0, 1000000),
      "No run of N pieces comes twice in a translation; 0: no such rule" },

    { "shortlist", 0, "FILE", GROUP_SEARCH, DRAGOMAN_SHORTLIST, LIST(shortlists),
      "Choose from the target pieces that FILE lists for the source's pieces: faster. Formats: Marian's binary and "
      "lexical shortlists, CTranslate2's vmap. With several models, once for each; -: none" },
    { "shortlist-first", 0, "N", GROUP_SEARCH, DRAGOMAN_SHORTLIST_FIRST, INTEGER(shortlist_first, 0, 1000000),
      "The first N pieces of the vocabulary belong to every list. Default: what FILE says; lexical: 100. shortlist: "
      "the N most frequent ones, 200" },
    { "shortlist-best", 0, "N", GROUP_SEARCH, DRAGOMAN_SHORTLIST_BEST, INTEGER(shortlist_best, 0, 10000),
      "The N most probable pieces of each source piece, where FILE has probabilities. Default: 100; shortlist: 50" },

    { "output", 'o', "FILE", GROUP_STREAMS, DRAGOMAN_NO_SETTING, TEXT(output),
      "Write to FILE; an existing file is replaced only when everything has succeeded. A stream, such as /dev/stdout "
      "or a "
      "FIFO, is written as it is" },
    { "format", 0, "NAME", GROUP_STREAMS, DRAGOMAN_NO_SETTING, CHOICE(format, format_names),
      "text: the translations alone. tsv: line number, rank, score and translation, with \\t, \\n, \\r and \\\\ for "
      "tab, newline, carriage return and backslash. jsonl: an object a line, with ids, pieces and scores. marian: "
      "n-best lists as marian-decoder writes them, NUMBER ||| TRANSLATION ||| F0= SUM ||| SCORE, lines counted from "
      "0" },
    { "pieces", 0, NULL, GROUP_STREAMS, DRAGOMAN_PIECES_IN, FLAG(pieces),
      "Text is pieces of the model's vocabulary, separated by spaces, in and out" },

    { "split", 0, NULL, GROUP_STREAMS, DRAGOMAN_SPLIT, FLAG(split),
      "Split each line into sentences, translate them one by one and join them with the white space that was between "
      "them: still one line for each line. Default: only for models that ask for it, as the embedded one does" },
    { "no-split", 0, NULL, GROUP_STREAMS, DRAGOMAN_NO_SETTING, FLAG(no_split),
      "Translate each line as a whole, whatever the model asks for" },
    { "max-input", 0, "N", GROUP_STREAMS, DRAGOMAN_MAX_INPUT, INTEGER(max_input, DRAGOMAN_LEAST_INPUT, 1000000),
      "Cut lines, or sentences, of more than N tokens into parts. The tokens that the model itself adds count, as in "
      "source_ids of --format jsonl. Default, and the most: as many as the model takes" },

    { "f32", 0, NULL, GROUP_COMMANDS, DRAGOMAN_NO_SETTING, FLAG(as_f32),
      "pack: matrices become F32. Default: as they are stored" },
    { "bf16", 0, NULL, GROUP_COMMANDS, DRAGOMAN_NO_SETTING, FLAG(as_bf16),
      "pack: matrices become BF16: half the size of F32, results that differ in the third digit" },
    { "int8", 0, NULL, GROUP_COMMANDS, DRAGOMAN_NO_SETTING, FLAG(as_int8),
      "pack: matrices become 8-bit numbers: a quarter of the size of F32, and the fastest" },
    { "verify", 0, NULL, GROUP_COMMANDS, DRAGOMAN_NO_SETTING, FLAG(verify),
      "info: compare all weights of a packed model with their checksums" },

    { "threads", 'j', "N", GROUP_OTHER, DRAGOMAN_THREADS, INTEGER(threads, 1, 1024),
      "Use N threads. Default: all cores" },
    { "batch-rows", 0, "N", GROUP_OTHER, DRAGOMAN_BATCH_ROWS, INTEGER(batch_rows, 1, 65536),
      "At most N hypotheses at a time in each thread: less memory, less speed" },
    { "quiet", 'q', NULL, GROUP_OTHER, DRAGOMAN_NO_SETTING, FLAG(quiet),
      "No notes about single lines on stderr, errors alone" },
    { "verbose", 'v', NULL, GROUP_OTHER, DRAGOMAN_NO_SETTING, FLAG(verbose),
      "Lines, pieces and time on stderr at the end" },
    { "version", 0, NULL, GROUP_OTHER, DRAGOMAN_NO_SETTING, FLAG(version), "Print the version" },
    { "help", 'h', NULL, GROUP_OTHER, DRAGOMAN_NO_SETTING, FLAG(help), "Print this help" },

    { "help-man", 0, NULL, GROUP_HIDDEN, DRAGOMAN_NO_SETTING, FLAG(man), "Print the man page" },
};

_Static_assert(sizeof option_table / sizeof *option_table < OPTION_LIMIT, "raise OPTION_LIMIT");
const size_t option_count = sizeof option_table / sizeof *option_table;

const char *const option_group_names[GROUP_HIDDEN] = {
    [GROUP_MODEL] = "Model",
    [GROUP_SEARCH] = "Search (defaults: the model's own)",
    [GROUP_STREAMS] = "Input and output",
    [GROUP_COMMANDS] = "For the commands",
    [GROUP_OTHER] = "Other",
};

#define TEXT_COLUMN 27
#define LAST_COLUMN 79

static const char head[] = "Usage: dragoman [OPTION]... [FILE]...\n"
                           "       dragoman info -m PATH [--verify]\n"
                           "       dragoman pack -m PATH [--int8|--bf16|--f32] -o FILE\n"
                           "       dragoman shortlist -m PATH SOURCE TARGET -o FILE\n"
                           "\n"
                           "Translates each line of the files, or of standard input, to one line of\n"
                           "standard output. FILE - is standard input. `info` prints what a model is.\n"
                           "`pack` makes one file of a model's folder, which opens at once.\n"
                           "`shortlist` learns a file for --shortlist from text and its translation.\n";

static const char tail[] = "\n"
                           "Examples:\n"
                           "  echo \"Where is the train station?\" | dragoman\n"
                           "  dragoman -m opus-mt-fr-en -o book.en book.fr\n"
                           "  dragoman -m es-en.argosmodel -m en-de < notes.es\n"
                           "  dragoman -m opus-mt-fr-en -b 4 -n 4 --format tsv < book.fr\n"
                           "  dragoman pack -m opus-mt-fr-en --int8 -o fr-en.safetensors\n"
                           "\n"
                           "Exit status: 0; 1 for faults of a model, of data or of the system; 2 for usage.\n";

/* Appends `text` from `column` on, broken at spaces, each further line
 * indented to TEXT_COLUMN. */
static Status append_wrapped(Buf *out, const char *text, size_t column, Err *err)
{
    Status st = OK;

    while (st == OK && *text) {
        size_t word = strcspn(text, " ");

        if (column > TEXT_COLUMN && column + 1 + word > LAST_COLUMN) {
            st = buf_append_format(out, err, "\n%*s", TEXT_COLUMN, "");
            column = TEXT_COLUMN;
        }
        if (st == OK && column > TEXT_COLUMN) {
            st = buf_append(out, " ", 1, err);
            column++;
        }
        if (st == OK) st = buf_append(out, text, word, err);
        column += word;
        text += word + (text[word] == ' ');
    }
    return st == OK ? buf_append(out, "\n", 1, err) : st;
}

static Status append_row(Buf *out, const OptionRow *row, Err *err)
{
    char names[64], letter[8] = "    ";
    int width;
    Status st;

    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    width = snprintf(names, sizeof names, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                     row->argument ? row->argument : "");
    if (width < TEXT_COLUMN - 1)
        st = buf_append_format(out, err, "%-*s", TEXT_COLUMN, names);
    else
        st = buf_append_format(out, err, "%s\n%*s", names, TEXT_COLUMN, "");
    return st == OK ? append_wrapped(out, row->help, TEXT_COLUMN, err) : st;
}

Status help_append(Buf *out, Err *err)
{
    Status st = buf_append_text(out, head, err);

    for (OptionGroup g = 0; st == OK && g < GROUP_HIDDEN; g++) {
        st = buf_append_format(out, err, "\n%s:\n", option_group_names[g]);
        for (size_t i = 0; st == OK && i < option_count; i++)
            if (option_table[i].group == g) st = append_row(out, &option_table[i], err);
    }
    return st == OK ? buf_append_text(out, tail, err) : st;
}
