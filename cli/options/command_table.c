/* command_table.c - see command_table.h. */
#include "command_table.h"

#include <string.h>

const CommandRow command_table[COMMANDS] = {
    [COMMAND_TRANSLATE] = { .name = "",
                            .usage = "dragoman [OPTION]... [FILE]...\n"
                                     "dragoman -O DIR | --suffix TEXT [OPTION]... FILE...\n"
                                     "dragoman COMMAND [OPTION]...\n",
                            .about = "Translate each line of the FILEs, or of standard input, to one line of standard "
                                     "output. FILE - is standard input. With -O or --suffix, translate files and "
                                     "folders into files.\n",
                            .examples = "echo \"Where is the train station?\" | dragoman\n"
                                        "dragoman -m opus-mt-fr-en -o book.en book.fr\n"
                                        "dragoman -O german/ english/\n"
                                        "dragoman -m es-en.argosmodel -m en-de < notes.es\n"
                                        "dragoman -m opus-mt-fr-en -b 4 -n 4 --format tsv < book.fr\n"
                                        "dragoman pack -m opus-mt-fr-en --int8 -o fr-en.safetensors\n",
                            .operands = OPERANDS_FILES,
                            .opens_models = true },
    [COMMAND_INFO] = { .name = "info",
                       .purpose = "Describe a model",
                       .usage = "dragoman info [-m PATH] [--verify] [OPTION]...\n",
                       .about =
                           "Describe a model: family, languages, sizes, memory, and the settings that a translation "
                           "with the same options would use.\n"
                           "With --verify, also read a packed model completely and compare it with its checksums.\n",
                       .examples = "dragoman info -m opus-mt-fr-en\n"
                                   "dragoman info -m fr-en.safetensors --verify\n",
                       .opens_models = true },
    [COMMAND_MODELS] = { .name = "models",
                         .purpose = "List the models on this machine that can be used by name",
                         .usage = "dragoman models [--from LANG] [--to LANG] [--format NAME]\n",
                         .about =
                             "List the models that -m finds by name, each with its place, languages and size, and "
                             "whether it can be opened. Weights are not read. The places are the aliases of the "
                             "configuration file, dragoman's own folder, the models that come with dragoman, the cache "
                             "of Hugging Face, and the models of Argos Translate, Firefox and translateLocally. "
                             "'dragoman help names' describes them.\n",
                         .examples = "dragoman models\n"
                                     "dragoman models --from fr --to en\n"
                                     "dragoman models --format jsonl | jq -r .name\n" },
    [COMMAND_PACK] = { .name = "pack",
                       .purpose = "Convert a model's folder to one file that opens at once",
                       .usage = "dragoman pack -m PATH [--f32|--bf16|--int8] -o FILE\n",
                       .about =
                           "Convert a model's folder to one file with the configuration, the vocabularies and the "
                           "weights, in the layout that matrix multiplication reads. Such a file opens in "
                           "milliseconds, and all processes that use it share its pages in memory.\n"
                           "The file can be given to -m and $DRAGOMAN_MODEL in place of the folder. The same folder "
                           "gives the same bytes on every machine.\n",
                       .examples = "dragoman pack -m opus-mt-fr-en --int8 -o fr-en.safetensors\n",
                       .opens_models = true },
    [COMMAND_SHORTLIST] = { .name = "shortlist",
                            .purpose = "Learn a shortlist from a text and its translation",
                            .usage = "dragoman shortlist [-m PATH] SOURCE TARGET -o FILE\n",
                            .about =
                                "Learn which target tokens are worth scoring for each source token (IBM model 1) and "
                                "write a file for --shortlist. Each line of TARGET is the translation of the same "
                                "line of SOURCE.\n"
                                "The output has Marian's binary format, or the format of CTranslate2's vmap if the "
                                "name of FILE ends in .txt. One of the two texts may be -, standard input. Files may "
                                "be compressed by gzip or zstd, standard input by gzip. Pairs with more than 200 "
                                "tokens on one side are skipped. The same files give the same bytes on every "
                                "machine.\n",
                            .examples = "dragoman shortlist -m opus-mt-fr-en train.fr train.en -o fr-en.bin\n"
                                        "dragoman -m opus-mt-fr-en --shortlist fr-en.bin < book.fr\n",
                            .operands = OPERANDS_FILES,
                            .opens_models = true },
    [COMMAND_SCORE] = { .name = "score",
                        .purpose = "Score given translations",
                        .usage = "dragoman score [-m PATH] [OPTION]... [FILE]...\n",
                        .about =
                            "Read lines of the form SOURCE, tab, TARGET, and write how probable the model finds TARGET "
                            "as a translation of SOURCE: the sum of the log-probabilities of its tokens, their number "
                            "and the mean, separated by tabs. The end token counts; a language token does not.\n"
                            "The scores are those of a translation with the same tokens and options, without a "
                            "shortlist. Lines are not split into sentences. A blank line gives an empty line. A line "
                            "without a source or a target, with a second tab, or with a text that is too long for the "
                            "model causes an error message and an empty line; the exit status is then 1.\n",
                        .examples = "paste book.fr book.en | dragoman score -m opus-mt-fr-en > scores.tsv\n"
                                    "dragoman score -m opus-mt-fr-en --token-scores pairs.tsv\n",
                        .operands = OPERANDS_FILES,
                        .opens_models = true },
    [COMMAND_ALIGN] = { .name = "align",
                        .purpose = "Align given translations",
                        .usage = "dragoman align [-m PATH] [OPTION]... [FILE]...\n",
                        .about = "Read lines of the form SOURCE, tab, TARGET, and write which tokens or words of "
                                 "SOURCE those of TARGET are aligned with, according to the attention of the model. "
                                 "Lines are read as by 'dragoman score'.\n",
                        .examples = "paste book.fr book.en | dragoman align -m opus-mt-fr-en\n"
                                    "dragoman align -m opus-mt-fr-en --alignment-unit word pairs.tsv\n",
                        .operands = OPERANDS_FILES,
                        .opens_models = true },
    [COMMAND_CALIBRATE] = { .name = "calibrate",
                            .purpose = "Calibrate the alignments and the confidence of a model",
                            .usage = "dragoman calibrate [-m PATH] SOURCE TARGET -o FILE\n",
                            .about =
                                "Choose the decoder layer, the head and the shift whose attention agrees best with the "
                                "links of a lexicon (IBM model 1 in both directions), which is learned from a text and "
                                "its translation, and fit the confidence in translations of the model. Write a file "
                                "for --calibration. Each line of TARGET is the translation of the same line of SOURCE. "
                                "A few thousand lines are enough; do not use lines that the model is tested with.\n"
                                "One of the two texts may be -, standard input. Files may be compressed by gzip or "
                                "zstd, standard input by gzip. At most 100,000 pairs are read; pairs with more than "
                                "200 tokens on one side are skipped. The same files give the same bytes on every "
                                "machine.\n",
                            .examples = "dragoman calibrate -m opus-mt-fr-en train.fr train.en -o fr-en.json\n"
                                        "dragoman pack -m opus-mt-fr-en --calibration fr-en.json -o fr-en.st\n",
                            .operands = OPERANDS_FILES,
                            .opens_models = true },
    [COMMAND_EXPLAIN] = { .name = "explain",
                          .purpose = "Write a page that shows how a model translates a sentence",
                          .usage = "dragoman explain [-m PATH] [OPTION]... TEXT [-o FILE]\n",
                          .about =
                              "Translate TEXT, a sentence, and write a page that shows how the model does it: tokens, "
                              "embeddings, the attention of every layer and head, the most likely tokens of each "
                              "step, the hypotheses of beam search, and the alignment with the source. If TEXT is -, "
                              "read one line from standard input.\n"
                              "The page is a single file that needs no network. A sentence may have at most 128 "
                              "tokens, and its translation at most 192; a search, at most 32 beams.\n",
                          .examples = "dragoman explain \"The cat sat on the mat.\" -o page.html\n"
                                      "dragoman explain -b 5 \"Good morning.\" --forced \"Guten Tag.\" -o page.html\n"
                                      "dragoman explain --format json \"Good morning.\" | jq .steps\n",
                          .opens_models = true },
    [COMMAND_GET] = { .name = "get",
                      .purpose = "Download a model",
                      .usage = "dragoman get [--int8] ORG/NAME[@REVISION]\n"
                               "dragoman get [--int8] argos:FROM-TO | firefox:FROM-TO\n",
                      .about =
                          "Download a model, check it, and print what to give to -m: a model of huggingface.co "
                          "into the cache of Hugging Face's programs, a package of Argos Translate into its folder, "
                          "or a model of Firefox into dragoman's folder. Only the files that dragoman needs are "
                          "downloaded. An interrupted download is continued by the same command.\n"
                          "No other command of dragoman uses the network. Needs libcurl and libcrypto. "
                          "Environment: HF_ENDPOINT, HF_TOKEN, HF_HOME, HF_HUB_CACHE and HF_HUB_OFFLINE as for "
                          "Hugging Face's programs, ARGOS_PACKAGE_INDEX and ARGOS_PACKAGES_DIR as for Argos "
                          "Translate, DRAGOMAN_FIREFOX_REGISTRY, and the proxy settings of curl.\n",
                      .examples = "dragoman get Helsinki-NLP/opus-mt-fr-en\n"
                                  "dragoman get --int8 Helsinki-NLP/opus-mt-fr-en\n"
                                  "dragoman get argos:es-en\n"
                                  "dragoman get firefox:de-en\n" },
    [COMMAND_HELP] = { .name = "help",
                       .purpose = "Explain a command or a topic",
                       .usage = "dragoman help [COMMAND|TOPIC]\n",
                       .about = "Explain a command, as 'dragoman COMMAND --help' does, or a topic. A unique beginning "
                                "of a name is enough. Without a name, print the same as 'dragoman --help'.\n",
                       .examples = "dragoman help languages\n"
                                   "dragoman help pack\n",
                       .operands = OPERANDS_SUBJECTS },
    [COMMAND_COMPLETION] = { .name = "completion",
                             .purpose = "Print a completion script for bash, zsh or fish",
                             .usage = "dragoman completion bash|zsh|fish\n",
                             .about =
                                 "Print a script with which the shell completes commands, options, models, languages "
                                 "and file names when you press Tab.\n"
                                 "'make install' installs the scripts. bash also needs the package bash-completion, "
                                 "and zsh needs share/zsh/site-functions of the installation in $fpath.\n"
                                 "To use a script without installing it, see the examples: the first line belongs in "
                                 "~/.bashrc, and the folder of the second one in $fpath.\n",
                             .examples = "eval \"$(dragoman completion bash)\"\n"
                                         "dragoman completion zsh > ~/.zfunc/_dragoman\n"
                                         "dragoman completion fish > ~/.config/fish/completions/dragoman.fish\n",
                             .operands = OPERANDS_SHELLS },
    [COMMAND_COMPLETE] = { .name = "complete",
                           .usage = "dragoman complete models|languages [-m PATH]...\n",
                           .about = "Print what the completion scripts need while the user types.\n" },
};

const char *const shell_names[] = { "bash", "zsh", "fish", NULL };

bool command_is_shown(Command command)
{
    return command_table[command].purpose;
}

void command_put_names(Buf *out, const char *separator)
{
    const char *before = "";

    for (Command c = 0; c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        buf_put_format(out, "%s%s", before, command_table[c].name);
        before = separator;
    }
}

Command command_find(const char *word)
{
    for (Command c = COMMAND_TRANSLATE + 1; c < COMMANDS; c++)
        if (strcmp(word, command_table[c].name) == 0) return c;
    return COMMAND_TRANSLATE;
}

size_t word_index(const char *const *list, const char *word)
{
    size_t i = 0;

    while (list[i] && strcmp(list[i], word) != 0) i++;
    return i;
}
