/* option_table.c - see option_table.h. An option that means something else with another command has two rows. */
#include "option_table.h"

#include "explain.h"
#include "format.h"
#include "pair_format.h"

/* In the order of DragomanPrecision. */
static const char *const precisions[] = { "auto", "f32", "bf16", "int8", NULL };

/* In the order of OtherFiles. */
static const char *const other_files[] = { "skip", "copy", NULL };

/* In the order of UnknownLanguage. */
static const char *const unknown_actions[] = { "copy", "error", NULL };

/* In the order of ModelListFormat. */
static const char *const model_list_formats[] = { "text", "jsonl", NULL };

#define MOST_MODELS 8
#define MOST_GLOBS  OPTION_LIST_LIMIT

/* Sets of commands. */
#define TRANSLATE     COMMAND_BIT(COMMAND_TRANSLATE)
#define INFO          COMMAND_BIT(COMMAND_INFO)
#define MODELS        COMMAND_BIT(COMMAND_MODELS)
#define PACK          COMMAND_BIT(COMMAND_PACK)
#define SHORTLIST     COMMAND_BIT(COMMAND_SHORTLIST)
#define SCORE         COMMAND_BIT(COMMAND_SCORE)
#define ALIGN         COMMAND_BIT(COMMAND_ALIGN)
#define CALIBRATE     COMMAND_BIT(COMMAND_CALIBRATE)
#define EXPLAIN       COMMAND_BIT(COMMAND_EXPLAIN)
#define GET           COMMAND_BIT(COMMAND_GET)
#define COMPLETE      COMMAND_BIT(COMMAND_COMPLETE)
#define SETTINGS      (TRANSLATE | INFO)      /* settings of a translation; info describes them */
#define SENTENCES     (SETTINGS | EXPLAIN)    /* those that a single sentence has */
#define LEARN         (SHORTLIST | CALIBRATE) /* from a text and its translation */
#define TEXTS         (SETTINGS | LEARN)      /* also how texts become tokens */
#define PAIRS         (SCORE | ALIGN)         /* commands that read pairs of texts */
#define EVERY_COMMAND (COMMAND_BIT(COMMANDS) - 1)

#define FLAG(f)              OPTION_FLAG, offsetof(Options, f), 0, 0, NULL
#define TEXT(f)              OPTION_TEXT, offsetof(Options, f), 0, 0, NULL
#define LIST(f, most)        OPTION_LIST, offsetof(Options, f), 0, most, NULL
#define INTEGER(f, from, to) OPTION_INTEGER, offsetof(Options, f), from, to, NULL
#define REAL(f, from, to)    OPTION_REAL, offsetof(Options, f), from, to, NULL
#define CHOICE(f, words)     OPTION_CHOICE, offsetof(Options, f), 0, 0, words

const OptionRow option_table[] = {
    { "model", 'm', "PATH", GROUP_MODEL, SETTINGS | COMPLETE, DRAGOMAN_MODEL, LIST(models, MOST_MODELS),
      "Use the model at PATH: a folder in the format of Hugging Face (also in its cache), Marian or "
      "CTranslate2, Marian's model.npz, an Argos Translate package, or a packed model. PATH can also be the name of a "
      "model that 'dragoman models' lists (see 'dragoman help names'). PATH,PATH is an ensemble. Repeat to pivot: "
      "each model translates the output of the one before. Default: $DRAGOMAN_MODEL, else the model of the "
      "configuration, else one for --from and --to, else en-de, the English-German model that comes with dragoman" },
    { "model", 'm', "PATH", GROUP_MODEL, PACK, DRAGOMAN_MODEL, LIST(models, MOST_MODELS),
      "Pack the model at PATH, in any of the formats that dragoman translates with, except ensembles and packed "
      "models" },
    { "model", 'm', "PATH", GROUP_MODEL, EXPLAIN, DRAGOMAN_MODEL, LIST(models, MOST_MODELS),
      "Explain the model at PATH, in any of the formats that dragoman translates with, except ensembles. Default: as "
      "for translating" },
    { "model", 'm', "PATH", GROUP_MODEL, SHORTLIST, DRAGOMAN_MODEL, LIST(models, MOST_MODELS),
      "Use the vocabularies of the model at PATH, in any of the formats that dragoman translates with. Default: as for "
      "translating" },
    { "model", 'm', "PATH", GROUP_MODEL, PAIRS, DRAGOMAN_MODEL, LIST(models, MOST_MODELS),
      "Use the model at PATH, in any of the formats that dragoman translates with. PATH,PATH is an ensemble. Default: "
      "as for translating" },
    { "model", 'm', "PATH", GROUP_MODEL, CALIBRATE, DRAGOMAN_MODEL, LIST(models, MOST_MODELS),
      "Calibrate the model at PATH, in any of the formats that dragoman translates with, except ensembles. Default: as "
      "for translating" },
    { "vocab", 0, "FILES", GROUP_MODEL, TEXTS | PAIRS | EXPLAIN, DRAGOMAN_VOCABS, LIST(vocabs, MOST_MODELS),
      "Use these vocabularies for a Marian model: SOURCE,TARGET, or one file for both. With several models, give it "
      "once per model; use - for none. Default: the vocabularies next to the model" },
    { "weights", 0, "LIST", GROUP_MODEL, SETTINGS | PAIRS, DRAGOMAN_WEIGHTS, LIST(weights, MOST_MODELS),
      "Weight the log-probabilities of the models of an ensemble (-m PATH,PATH), as in 0.6,0.4. With several models, "
      "give it once per model; use - for none. Default: 1 each" },
    { "from", 'f', "LANG", GROUP_MODEL, (TEXTS & ~TRANSLATE) | PAIRS | EXPLAIN, DRAGOMAN_FROM, TEXT(from),
      "Translate from LANG, a code, a locale or a name: de, deu, de_DE, German. Models with several source languages "
      "need it" },
    { "from", 'f', "LANG", GROUP_MODEL, TRANSLATE, DRAGOMAN_FROM, TEXT(from),
      "Translate from LANG, a code, a locale or a name: de, deu, de_DE, German. Models with several source languages "
      "need it. auto: detect the language of each line and of each document; texts that are already in the target "
      "language are copied" },
    { "unknown", 0, "ACTION", GROUP_MODEL, TRANSLATE, DRAGOMAN_NO_SETTING, CHOICE(unknown, unknown_actions),
      "With --from auto, select what happens to texts whose language is not recognized or that no model translates. "
      "copy: copy them and print a warning. error: stop with an error. Texts without letters are always copied. "
      "Default: copy" },
    { "to", 't', "LANG", GROUP_MODEL, TEXTS | PAIRS | EXPLAIN, DRAGOMAN_TO, TEXT(to),
      "Translate into LANG, if the model has several target languages. LANG has the same forms as in --from" },
    { "from", 'f', "LANG", GROUP_MODEL, MODELS, DRAGOMAN_FROM, TEXT(from),
      "List only models that translate from LANG: a code, a locale or a name, such as de, de_DE or German" },
    { "to", 't', "LANG", GROUP_MODEL, MODELS, DRAGOMAN_TO, TEXT(to), "List only models that translate into LANG" },
    { "via", 0, "LANG", GROUP_MODEL, SETTINGS, DRAGOMAN_VIA, LIST(vias, MOST_MODELS),
      "Use LANG as the pivot language between two models, if neither of them determines it. With more than two "
      "models, give it once between each two; use - for none" },
    { "calibration", 0, "FILE", GROUP_MODEL, SENTENCES | PAIRS, DRAGOMAN_CALIBRATION, LIST(calibrations, MOST_MODELS),
      "Use the calibration FILE, which 'dragoman calibrate' made for this model, for alignments and confidence. With "
      "several models, give it once per model; use - for none. Default: the calibration in the packed model or in the "
      "model's folder, if there is one" },
    { "calibration", 0, "FILE", GROUP_MODEL, PACK, DRAGOMAN_CALIBRATION, LIST(calibrations, MOST_MODELS),
      "Put the calibration FILE, which 'dragoman calibrate' made for this model, into the packed model. Default: the "
      "calibration in the model's folder, if there is one" },
    { "precision", 0, "NAME", GROUP_MODEL, SENTENCES | CALIBRATE | PAIRS, DRAGOMAN_PRECISION,
      CHOICE(precision, precisions),
      "Hold the weights in memory as NAME. auto: as the model stores them. f32: without rounding. bf16: rounded to "
      "16 bits, half the memory. int8: 8-bit weights and int8 matrix multiplication, a quarter of the memory and the "
      "fastest; a translation may differ in a word here and there. Default: auto" },
    { "precision", 0, "NAME", GROUP_MODEL, PACK, DRAGOMAN_PRECISION, CHOICE(precision, precisions),
      "Store the matrices as NAME: the same as --f32, --bf16 or --int8. auto: as the model stores them. Default: "
      "auto" },
    { "f32", 0, NULL, GROUP_MODEL, PACK, DRAGOMAN_NO_SETTING, FLAG(as_f32), "Store the matrices as F32" },
    { "bf16", 0, NULL, GROUP_MODEL, PACK, DRAGOMAN_NO_SETTING, FLAG(as_bf16),
      "Store the matrices as BF16, half the size of F32. Results differ in the third digit" },
    { "int8", 0, NULL, GROUP_MODEL, PACK, DRAGOMAN_NO_SETTING, FLAG(as_int8),
      "Store the matrices as 8-bit integers, a quarter of the size of F32 and the fastest" },
    { "int8", 0, NULL, GROUP_MODEL, GET, DRAGOMAN_NO_SETTING, FLAG(as_int8),
      "Also pack the model in dragoman's folder, with its matrices as 8-bit integers, and print the path of that "
      "file" },

    { "beam", 'b', "N", GROUP_SEARCH, SENTENCES, DRAGOMAN_BEAMS, INTEGER(beams, 1, 1024),
      "Use beam search with N hypotheses; 1 is greedy search" },
    { "greedy", 'g', NULL, GROUP_SEARCH, SENTENCES, DRAGOMAN_NO_SETTING, FLAG(greedy),
      "Use greedy search, the fastest; the same as --beam 1" },
    { "beam", 'b', "N", GROUP_SEARCH, PAIRS, DRAGOMAN_BEAMS, INTEGER(beams, 1, 1024),
      "Compute the scores that beam search with N hypotheses gives to the same tokens. 1 is greedy search, which "
      "normalizes probabilities after it has excluded the tokens that the model's settings forbid" },
    { "greedy", 'g', NULL, GROUP_SEARCH, PAIRS, DRAGOMAN_NO_SETTING, FLAG(greedy), "The same as --beam 1" },
    { "n-best", 'n', "N", GROUP_SEARCH, SETTINGS, DRAGOMAN_N_BEST, INTEGER(n_best, 1, 1024),
      "Write the N best translations of each line, best first, each on its own line. N is at most the beam size, "
      "except with --patience, or with --sample and beam size 1. As text, a blank line is written N times, too. "
      "Default: 1" },
    { "length-penalty", 0, "X", GROUP_SEARCH, SENTENCES, DRAGOMAN_LENGTH_PENALTY, REAL(length_penalty, -100, 100),
      "Divide scores by length^X. X above 0 favours long translations, X below 0 short ones" },
    { "min-length", 0, "N", GROUP_SEARCH, SENTENCES, DRAGOMAN_MIN_LENGTH, INTEGER(min_length, 0, 1000000),
      "Translate into at least N tokens, not counting the end token" },
    { "min-length", 0, "N", GROUP_SEARCH, PAIRS, DRAGOMAN_MIN_LENGTH, INTEGER(min_length, 0, 1000000),
      "Compute the scores that a translation into at least N tokens has, not counting the end token. With 0, models of "
      "CTranslate2 give the scores of its score_batch(); their default is 1" },
    { "max-length", 0, "N", GROUP_SEARCH, SENTENCES, DRAGOMAN_MAX_LENGTH, INTEGER(max_length, 1, 1000000),
      "Translate into at most N tokens, counting the end token. A translation that is cut off may have no end token" },
    { "max-length-factor", 0, "X", GROUP_SEARCH, SENTENCES, DRAGOMAN_LENGTH_FACTOR, REAL(length_factor, 0.01, 1000),
      "Translate into at most X tokens for each source token. Default: the Marian model's; no such limit for others" },
    { "word-penalty", 0, "X", GROUP_SEARCH, SENTENCES, DRAGOMAN_WORD_PENALTY, REAL(word_penalty, -1000, 1000),
      "Subtract X from the score for each target token. Default: the Marian model's; 0 for others" },
    { "allow-unk", 0, NULL, GROUP_SEARCH, SENTENCES, DRAGOMAN_ALLOW_UNK, FLAG(allow_unk),
      "Marian models: allow the unknown token in the output" },
    { "prefix", 0, "TEXT", GROUP_SEARCH, SETTINGS, DRAGOMAN_PREFIX, TEXT(prefix),
      "Begin the translation of each line with TEXT. If lines are split, only the first sentence of each begins with "
      "it" },
    { "repetition-penalty", 0, "X", GROUP_SEARCH, SENTENCES, DRAGOMAN_REPETITION_PENALTY,
      REAL(repetition_penalty, 0.001, 1000),
      "Make tokens that the translation already contains less likely if X is above 1, more likely if it is below 1" },
    { "no-repeat-ngram", 0, "N", GROUP_SEARCH, SENTENCES, DRAGOMAN_NO_REPEAT_NGRAM,
      INTEGER(no_repeat_ngram, 0, 1000000), "Never repeat an n-gram of N tokens; 0 turns this off" },
    { "prefix-bias", 0, "X", GROUP_SEARCH, SETTINGS, DRAGOMAN_PREFIX_BIAS, REAL(prefix_bias, 0, 1),
      "Favour the prefix instead of forcing it: give its next token the share X of the probability, until the "
      "translation departs from it. X is below 1" },
    { "alternatives", 0, "N", GROUP_SEARCH, SETTINGS, DRAGOMAN_ALTERNATIVES, INTEGER(alternatives, 1, 1024),
      "Take the N most probable tokens after the prefix, and write the best translation that continues with each of "
      "them" },
    { "min-alternative-probability", 0, "X", GROUP_SEARCH, SETTINGS, DRAGOMAN_ALTERNATIVE_PROBABILITY,
      REAL(alternative_probability, 0, 1), "Leave out alternatives whose first token is less probable than X" },
    { "must", 0, "TEXT", GROUP_SEARCH, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(musts, OPTION_LIST_LIMIT),
      "Make every translation contain TEXT, as whole words. A warning names each line whose translation lacks it. Can "
      "be repeated" },
    { "suppress", 0, "TEXT", GROUP_SEARCH, SETTINGS, DRAGOMAN_SUPPRESS, LIST(suppressed, OPTION_LIST_LIMIT),
      "Never write TEXT, not even as a part of a word. With --pieces, TEXT is a sequence of pieces. Can be repeated" },
    { "disable-unk", 0, NULL, GROUP_SEARCH, SETTINGS, DRAGOMAN_DISABLE_UNK, FLAG(disable_unk),
      "Never write the unknown token" },
    { "replace-unknowns", 0, NULL, GROUP_SEARCH, SETTINGS, DRAGOMAN_REPLACE_UNKNOWNS, FLAG(replace_unknowns),
      "Replace each unknown token in a translation by the source token that it attends to most" },
    { "end-token", 0, "TOKEN", GROUP_SEARCH, SETTINGS, DRAGOMAN_END_TOKEN, LIST(end_tokens, OPTION_LIST_LIMIT),
      "End translations with TOKEN, a piece of the vocabulary, instead of the end token. Can be repeated" },
    { "coverage-penalty", 0, "X", GROUP_SEARCH, SETTINGS, DRAGOMAN_COVERAGE_PENALTY, REAL(coverage_penalty, -100, 100),
      "Prefer translations that cover the whole source: add X times the sum of log(min(a, 1)) to the score, where a is "
      "the total attention to a source token. Default: 0" },
    { "patience", 0, "X", GROUP_SEARCH, SETTINGS, DRAGOMAN_PATIENCE, REAL(patience, 0.001, 1000),
      "End the search when X times as many hypotheses as the beam size have finished. Default: 1" },
    { "sample", 0, NULL, GROUP_SEARCH, SETTINGS, DRAGOMAN_NO_SETTING, FLAG(sample),
      "Draw each token at random from its probabilities, instead of searching. With -n N, draw N translations. With "
      "-b above 1, draw the hypotheses of the beam. Default: as the model's do_sample says" },
    { "no-sample", 0, NULL, GROUP_SEARCH, SETTINGS, DRAGOMAN_NO_SETTING, FLAG(no_sample),
      "Turn sampling off, even if do_sample of the model is true" },
    { "temperature", 0, "X", GROUP_SEARCH, SETTINGS, DRAGOMAN_TEMPERATURE, REAL(temperature, 0.001, 1000),
      "With sampling: divide the logits by X. X above 1 gives more variety. Default: the model's, or 1" },
    { "top-k", 0, "N", GROUP_SEARCH, SETTINGS, DRAGOMAN_TOP_K, INTEGER(top_k, 0, 10000000),
      "With sampling: draw from the N most probable tokens; 0 means all. Default: the model's, or 0" },
    { "top-p", 0, "X", GROUP_SEARCH, SETTINGS, DRAGOMAN_TOP_P, REAL(top_p, 0.000001, 1),
      "With sampling: draw from the most probable tokens whose probabilities add up to X. Default: the model's, or 1" },
    { "min-p", 0, "X", GROUP_SEARCH, SETTINGS, DRAGOMAN_MIN_P, REAL(min_p, 0, 1),
      "With sampling: draw from the tokens that are at least X times as probable as the most probable one. Default: "
      "the model's, or 0" },
    { "seed", 0, "N", GROUP_SEARCH, SETTINGS, DRAGOMAN_SEED, INTEGER(seed, 0, 2147483647),
      "Seed of the random numbers. With the same seed, equal texts get equal translations, whatever else is "
      "translated. Default: 0" },
    { "rescue", 0, NULL, GROUP_SEARCH, TRANSLATE, DRAGOMAN_RESCUE, FLAG(rescue),
      "If the translation of a sentence repeats itself, translate the sentence again with a wider beam and without "
      "repeating any n-gram of three tokens, and keep the better translation. A warning names the line" },

    { "shortlist", 0, "FILE", GROUP_SEARCH, SENTENCES, DRAGOMAN_SHORTLIST, LIST(shortlists, MOST_MODELS),
      "Score only the target tokens that FILE lists for the source tokens, which is faster. FILE is a binary or "
      "lexical shortlist of Marian, or a vmap of CTranslate2. With several models, give it once per model; use - for "
      "none" },
    { "shortlist-first", 0, "N", GROUP_SEARCH, SENTENCES, DRAGOMAN_SHORTLIST_FIRST,
      INTEGER(shortlist_first, 0, 1000000),
      "Always score the first N tokens of the vocabulary. Default: as FILE says, 100 for a lexical one" },
    { "shortlist-best", 0, "N", GROUP_SEARCH, SENTENCES, DRAGOMAN_SHORTLIST_BEST, INTEGER(shortlist_best, 0, 10000),
      "Score the N most probable target tokens of each source token; FILE must have probabilities. Default: 100" },
    { "shortlist-first", 0, "N", GROUP_SEARCH, SHORTLIST, DRAGOMAN_SHORTLIST_FIRST,
      INTEGER(shortlist_first, 0, 1000000), "Put the N most frequent target tokens on every list. Default: 200" },
    { "shortlist-best", 0, "N", GROUP_SEARCH, SHORTLIST, DRAGOMAN_SHORTLIST_BEST, INTEGER(shortlist_best, 0, 10000),
      "Put the N most probable target tokens of each source token on its list. Default: 50" },

    { "output", 'o', "FILE", GROUP_STREAMS, TEXTS | PAIRS, DRAGOMAN_NO_SETTING, TEXT(output),
      "Write to FILE; an existing file is replaced only when everything has succeeded. A stream, such as /dev/stdout "
      "or a FIFO, is written directly" },
    { "output", 'o', "FILE", GROUP_STREAMS, PACK, DRAGOMAN_NO_SETTING, TEXT(output),
      "Write the packed model to FILE, a regular file; an existing file is replaced only when everything has "
      "succeeded" },
    { "forced", 0, "TARGET", GROUP_SEARCH, EXPLAIN, DRAGOMAN_NO_SETTING, TEXT(forced),
      "Show how the model translates the text into TARGET, instead of its own translation" },
    { "output", 'o', "FILE", GROUP_STREAMS, EXPLAIN, DRAGOMAN_NO_SETTING, TEXT(output),
      "Write to FILE; an existing file is replaced only when everything has succeeded. Default: standard output, "
      "unless it is a terminal" },
    { "format", 0, "NAME", GROUP_STREAMS, EXPLAIN, DRAGOMAN_NO_SETTING, CHOICE(page_format, page_format_names),
      "Write the explanation as NAME. html: a page for the browser, which loads nothing from the network. json: the "
      "numbers of the page. Default: html" },
    { "lang", 0, "NAME", GROUP_STREAMS, EXPLAIN, DRAGOMAN_NO_SETTING, CHOICE(page_language, page_language_names),
      "Open the page in the language NAME: en (English) or zh (Chinese). A button on the page changes the language. "
      "Default: en" },
    { "format", 0, "NAME", GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, CHOICE(format, format_names),
      "Write the output as NAME. text: the translations only. tsv: line number, rank, score and translation, with "
      "\\t, \\n, \\r and \\\\ for tab, newline, carriage return and backslash. jsonl: one JSON object per input "
      "line, with ids, tokens and scores. marian: the n-best lists of marian-decoder, NUMBER ||| TRANSLATION ||| F0= "
      "SUM ||| SCORE, with lines counted from 0. Default: text" },
    { "format", 0, "NAME", GROUP_STREAMS, SCORE, DRAGOMAN_NO_SETTING, CHOICE(format, pair_format_names),
      "Write the output as NAME. text: sum, number of tokens and mean of the log-probabilities, separated by tabs. "
      "jsonl: one JSON object per line with the same numbers. Default: text" },
    { "format", 0, "NAME", GROUP_STREAMS, ALIGN, DRAGOMAN_NO_SETTING, CHOICE(format, pair_format_names),
      "Write the output as NAME. text: the alignment only. jsonl: one JSON object per line. Default: text" },
    { "format", 0, "NAME", GROUP_STREAMS, MODELS, DRAGOMAN_NO_SETTING, CHOICE(format, model_list_formats),
      "Write the list as NAME. text: a table. jsonl: one JSON object per model, with its path and all languages. "
      "Default: text" },
    { "alignment", 0, "STYLE", GROUP_STREAMS, TRANSLATE, DRAGOMAN_ATTENTION, OPTION_ALIGNMENT,
      offsetof(Options, alignment), 0, 0, alignment_words,
      "Write the alignment of each translation with its source: in text after \" ||| \", in tsv in another column. "
      "hard: SOURCE-TARGET pairs of token numbers, counted from 0; each target token is paired with the source token "
      "that it attends to most. soft: for each target token, its attention to all source tokens. A number X, above 0 "
      "and at most 1: all pairs with an attention above X; 1 is the same as hard. End tokens are included. The output "
      "is that of marian-decoder" },
    { "alignment", 0, "STYLE", GROUP_STREAMS, ALIGN, DRAGOMAN_ATTENTION, OPTION_ALIGNMENT, offsetof(Options, alignment),
      0, 0, alignment_words,
      "Write the alignment as STYLE. hard: SOURCE-TARGET pairs of token numbers, counted from 0; each target token is "
      "paired with the source token that it attends to most. soft: for each target token, its attention to all source "
      "tokens. A number X, above 0 and at most 1: all pairs with an attention above X; 1 is the same as hard. End "
      "tokens are included. Default: hard" },
    { "alignment-unit", 0, "UNIT", GROUP_STREAMS, TRANSLATE | ALIGN, DRAGOMAN_NO_SETTING,
      CHOICE(alignment_unit, alignment_units),
      "Align by UNIT: token or word. A word is a run of characters without white space; each Han, kana or Thai "
      "character is a word by itself. Default: token" },
    { "token-scores", 0, NULL, GROUP_STREAMS, TRANSLATE, DRAGOMAN_TOKEN_SCORES, FLAG(token_scores),
      "Also write the log-probability of each token of a translation: in tsv in another column, separated by spaces; "
      "in jsonl as token_scores" },
    { "token-scores", 0, NULL, GROUP_STREAMS, SCORE, DRAGOMAN_TOKEN_SCORES, FLAG(token_scores),
      "Also write the log-probability of each token: in text in a last column, separated by spaces; in jsonl as "
      "token_scores, with the tokens" },
    { "pieces", 0, NULL, GROUP_STREAMS, PAIRS, DRAGOMAN_PIECES_IN, FLAG(pieces),
      "Read pieces of the model's vocabulary, separated by spaces, instead of text" },
    { "word-scores", 0, NULL, GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(word_scores),
      "Write the log-probability of each token after the translation, as marian-decoder does: ||| WordScores= ..." },
    { "tsv-in", 0, "COLUMNS", GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, TEXT(tsv_in),
      "Read lines whose columns are separated by tabs. COLUMNS is a list of their names, separated by commas. source: "
      "the text. prefix: the forced beginning of its translation. must: a text that the translation has to contain; "
      "can be repeated. -: ignored" },
    { "force-decode", 0, NULL, GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(force_decode),
      "Read the text, a tab and the forced beginning of its translation from each line, as marian-decoder does; the "
      "same as --tsv-in source,prefix" },
    { "confidence", 0, NULL, GROUP_STREAMS, TRANSLATE, DRAGOMAN_CONFIDENCE, FLAG(confidence),
      "Write how reliable each translation is: the probability that it is good, if the model is calibrated, and flags "
      "for signs that it is bad: loop, cut, short, long, copy, uncovered. In tsv these are two columns, in jsonl the "
      "keys confidence and flags" },
    { "pieces", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_PIECES_IN, FLAG(pieces),
      "Read and write pieces of the model's vocabulary, separated by spaces, instead of text" },
    { "pieces", 0, NULL, GROUP_STREAMS, LEARN, DRAGOMAN_PIECES_IN, FLAG(pieces),
      "Read pieces of the model's vocabulary, separated by spaces, instead of text" },

    { "split", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_SPLIT, FLAG(split),
      "Split each line into sentences, translate them one by one and join them with the white space of the source. "
      "Each input line still gives one output line. Default: only if the model asks for it, as the embedded models "
      "do" },
    { "no-split", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_NO_SETTING, FLAG(no_split),
      "Translate each line as a whole, even if the model asks for splitting" },
    { "capitals", 0, NULL, GROUP_STREAMS, SENTENCES | PAIRS, DRAGOMAN_CAPITALS, FLAG(capitals),
      "Convert sentences in all capitals to normal case, translate them, and convert their translations to capitals. "
      "Default: only if the model asks for it, as the embedded models do" },
    { "no-capitals", 0, NULL, GROUP_STREAMS, SENTENCES | PAIRS, DRAGOMAN_NO_SETTING, FLAG(no_capitals),
      "Translate sentences in all capitals without converting them, even if the model asks for it" },
    { "max-input", 0, "N", GROUP_STREAMS, SETTINGS, DRAGOMAN_MAX_INPUT,
      INTEGER(max_input, DRAGOMAN_LEAST_INPUT, 1000000),
      "Cut lines or sentences of more than N tokens into parts. Special tokens count, as in source_ids of "
      "jsonl output. Default and maximum: what the model accepts" },

    { "max-length-crop", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_CROP, FLAG(crop),
      "Cut off the part of a line that exceeds the longest input, as marian-decoder does, instead of translating it in "
      "parts. A warning names the line" },
    { "keep", 0, "REGEX", GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(keeps, OPTION_LIST_LIMIT),
      "Keep what matches REGEX, a regular expression (PCRE2, with Unicode): the translation contains each match "
      "exactly once, unchanged and in its place. Documents also keep addresses, paths, code and placeholders such as "
      "%s and {name}. Can be repeated" },
    { "keep-file", 0, "FILE", GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(keep_files, OPTION_LIST_LIMIT),
      "Keep the words and phrases in FILE, one on each line, where they are whole words. Case matters. Can be "
      "repeated" },
    { "keep-unknown", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_KEEP_UNKNOWN, FLAG(keep_unknown),
      "Keep words and symbols that the model cannot read, such as Greek words in an English-German model. Default: "
      "only if the model asks for it, as the embedded models do" },
    { "no-keep-unknown", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_NO_SETTING, FLAG(no_keep_unknown),
      "Let the model read such words and symbols, even if it asks for keeping them" },
    { "keep-numbers", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_KEEP_NUMBERS, FLAG(keep_numbers),
      "Keep long numbers, telephone numbers, IBANs, codes with digits, addresses, paths and names of files. If other "
      "numbers differ in the translation, translate the sentence again with all of its numbers kept. Default: only if "
      "the model asks for it, as the embedded models do" },
    { "no-keep-numbers", 0, NULL, GROUP_STREAMS, SETTINGS, DRAGOMAN_NO_SETTING, FLAG(no_keep_numbers),
      "Let the model translate all numbers, even if it asks for keeping them" },
    { "glossary", 0, "FILE", GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(glossaries, OPTION_LIST_LIMIT),
      "Translate terms as FILE says: each line is a term, a tab and its translation, or several separated by |; or "
      "FILE is TBX. Other forms of a term's words count, too. A warning names each term that the model could not "
      "translate so. Can be repeated; the first FILE that has a term decides" },

    { "memory", 0, "FILE", GROUP_STREAMS, TRANSLATE, DRAGOMAN_NO_SETTING, TEXT(memory),
      "Take translations from the translation memory FILE (.tsv or .tmx), and add new ones. Texts that a person has "
      "translated are always taken; texts that dragoman has translated, only with the same model and options. With a "
      ".tsv file, a run that was stopped goes on where it ended" },

    { "as", 0, "FORMAT", GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, TEXT(documents.as),
      "Read all files and standard input as FORMAT: lines, or a format of documents, whose texts alone are "
      "translated (see 'dragoman help documents'). Default: the ending of each name decides; standard input is "
      "lines" },
    { "encoding", 0, "NAME", GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, TEXT(documents.encoding),
      "Read and write documents and lines in the encoding NAME, such as windows-1252, Shift_JIS or UTF-16, unless they "
      "have a byte order mark. Default: what each document declares, else UTF-8" },
    { "select", 0, "WHAT", GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(documents.selects, OPTION_LIST_LIMIT),
      "Translate only the parts of documents that WHAT names: a path of keys, such as 'messages.*.text' (json, jsonl, "
      "yaml), or an element (xml). Can be repeated" },
    { "skip", 0, "WHAT", GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(documents.skips, OPTION_LIST_LIMIT),
      "Do not translate the parts of documents that WHAT names, as for --select. Can be repeated" },
    { "column", 0, "COLUMN", GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING,
      LIST(documents.columns, OPTION_LIST_LIMIT),
      "Translate only this column (csv, tsv): its number, from 1, or its name in the first row. Can be repeated" },
    { "retranslate", 0, NULL, GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(documents.retranslate),
      "Also translate texts that have a translation already (po, xliff, tmx, qt)" },
    { "keep-lang", 0, NULL, GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(documents.keep_language),
      "Do not change the names of languages in documents. Default: replace the name of a document's language by that "
      "of the translation, if it is known" },
    { "force-language", 0, NULL, GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(documents.force_language),
      "Also translate documents with a source and a translation (po, xliff, tmx, qt) that are for other languages than "
      "those of the model. Default: refuse them" },
    { "bilingual", 0, NULL, GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(documents.bilingual),
      "Write each source with its translation: lines as SOURCE, a tab and TRANSLATION; HTML in two columns; in "
      "Markdown and text, each paragraph above its translation" },
    { "identity", 0, NULL, GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(documents.identity),
      "Read and write documents with their own texts, without a model. The output equals the input, byte by byte; "
      "this is for testing" },
    { "pseudo", 0, NULL, GROUP_DOCUMENTS, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(documents.pseudo),
      "Give each letter from a to z an accent instead of translating, without a model. This shows which texts of "
      "documents would be translated; it is for testing" },

    { "output-dir", 'O', "DIR", GROUP_BATCH, TRANSLATE, DRAGOMAN_NO_SETTING, TEXT(output_dir),
      "Translate each FILE into a file of the same name in DIR, which is created if it does not exist. If FILE is a "
      "folder, translate all files below it, and keep their paths. Hidden files, links to folders and links that lead "
      "out of the folder are skipped" },
    { "suffix", 0, "TEXT", GROUP_BATCH, TRANSLATE, DRAGOMAN_NO_SETTING, TEXT(suffix),
      "Translate each FILE into a file next to it, with TEXT before the extension: with .de, guide.txt into "
      "guide.de.txt. Folders are treated as with -O. Files that already have the suffix are skipped" },
    { "include", 0, "GLOB", GROUP_BATCH, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(includes, MOST_GLOBS),
      "Translate only files that match GLOB. Can be repeated. A GLOB without a slash must match the name of the file; "
      "a GLOB with a slash, its path below the folder FILE. ** stands for any number of folders" },
    { "exclude", 0, "GLOB", GROUP_BATCH, TRANSLATE, DRAGOMAN_NO_SETTING, LIST(excludes, MOST_GLOBS),
      "Skip files and folders that match GLOB, even if --include matches them. Can be repeated" },
    { "others", 0, "ACTION", GROUP_BATCH, TRANSLATE, DRAGOMAN_NO_SETTING, CHOICE(others, other_files),
      "Skip or copy files that are not text to translate, such as pictures and code, as ACTION says. Default: skip" },
    { "resume", 0, NULL, GROUP_BATCH, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(resume),
      "Skip each file whose translation exists and is not older than the file. It compares only times, "
      "and does not notice another model or other options" },
    { "dry-run", 0, NULL, GROUP_BATCH, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(dry_run),
      "Only print what would be done with each file: path, format, target and action, separated by tabs" },
    { "progress", 0, NULL, GROUP_OTHER, TRANSLATE | PAIRS, DRAGOMAN_NO_SETTING, FLAG(progress),
      "Print a line of progress to stderr every ten seconds and at the end, also with -q. Default: a progress "
      "bar if stderr is a terminal, input and output use no terminal, and the work takes longer than two seconds" },
    { "no-progress", 0, NULL, GROUP_OTHER, TRANSLATE | PAIRS, DRAGOMAN_NO_SETTING, FLAG(no_progress),
      "Show no progress bar. -q also turns it off" },

    { "threads", 'j', "N", GROUP_OTHER, SENTENCES | PAIRS, DRAGOMAN_THREADS, INTEGER(threads, 1, 1024),
      "Use N threads. Default: all cores" },
    { "batch-rows", 0, "N", GROUP_OTHER, SETTINGS | PAIRS, DRAGOMAN_BATCH_ROWS, INTEGER(batch_rows, 1, 65536),
      "Compute at most N hypotheses at a time in each thread. A smaller N takes less memory and is slower. Default: "
      "64" },
    { "verify", 0, NULL, GROUP_OTHER, INFO, DRAGOMAN_NO_SETTING, FLAG(verify),
      "Compare all weights of a packed model with their checksums" },
    { "no-config", 0, NULL, GROUP_OTHER, TEXTS | MODELS | PACK | PAIRS | EXPLAIN | COMPLETE, DRAGOMAN_NO_SETTING,
      FLAG(no_config), "Do not read the configuration file, ~/.config/dragoman/config" },
    { "no-sandbox", 0, NULL, GROUP_OTHER, TEXTS | MODELS | PACK | PAIRS | EXPLAIN | GET | COMPLETE, DRAGOMAN_NO_SETTING,
      FLAG(no_sandbox),
      "Do not enter the sandbox, in which this program can use no network, start no program and run no new code (see "
      "SECURITY.md)" },
    { "quiet", 'q', NULL, GROUP_OTHER, TRANSLATE | INFO | PACK | LEARN | PAIRS | EXPLAIN, DRAGOMAN_NO_SETTING,
      FLAG(quiet), "Print errors only, no warnings" },
    { "quiet", 'q', NULL, GROUP_OTHER, GET, DRAGOMAN_NO_SETTING, FLAG(quiet),
      "Print errors only, no warnings and no progress" },
    { "verbose", 'v', NULL, GROUP_OTHER, TRANSLATE | PAIRS, DRAGOMAN_NO_SETTING, FLAG(verbose),
      "Print the numbers of lines, words and pieces, the time and the speed to stderr at the end; with -O or --suffix, "
      "also the numbers of files. At the start, print whether the sandbox is on" },
    { "version", 0, NULL, GROUP_OTHER, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(version),
      "Print the version, the build, the CPU level in use and the libraries" },
    { "help", 'h', NULL, GROUP_OTHER, EVERY_COMMAND, DRAGOMAN_NO_SETTING, FLAG(help), "Print this help" },

    { "help-man", 0, NULL, GROUP_HIDDEN, TRANSLATE, DRAGOMAN_NO_SETTING, FLAG(man), "Print the man page" },
};

_Static_assert(sizeof option_table / sizeof *option_table < OPTION_LIMIT, "raise OPTION_LIMIT");
const size_t option_count = sizeof option_table / sizeof *option_table;

const char *const option_group_names[GROUP_HIDDEN] = {
    [GROUP_MODEL] = "Model",
    [GROUP_SEARCH] = "Search (default: the model's settings)",
    [GROUP_STREAMS] = "Input and output",
    [GROUP_DOCUMENTS] = "Documents",
    [GROUP_BATCH] = "Batches of files",
    [GROUP_OTHER] = "Other",
};

bool option_is_shown(const OptionRow *row, Command command)
{
    return row->group != GROUP_HIDDEN && row->commands & COMMAND_BIT(command);
}
