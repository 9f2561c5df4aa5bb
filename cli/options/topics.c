/* topics.c - see topics.h. */
#include "topics.h"

#include <string.h>

static const char languages[] = "--from, --to and --via accept the same names for every model:\n"
                                "\n"
                                "  a code             de, deu, ger, deu_Latn, de_DE\n"
                                "  a tag or a locale  de-AT, zh-Hant-HK, de_DE.UTF-8, sr_RS@latin\n"
                                "  a name             German, Deutsch, \"Brazilian Portuguese\"\n"
                                "  the model's token  >>deu<<, __de__, <2de>\n"
                                "\n"
                                "Case, accents and the order of words are ignored, and - is the same as _. The\n"
                                "region may differ from that of the model; the script may not.\n"
                                "\n"
                                "List the languages of a model:\n"
                                "\n"
                                "  dragoman info -m PATH | grep language\n"
                                "\n"
                                "A line \"source language\" or \"target language\" names the only language of that\n"
                                "side, which needs no option. From \"target languages\", choose one with --to; from\n"
                                "\"languages\", choose two with --from and --to:\n"
                                "\n"
                                "  dragoman -m nllb-200-distilled-600M --from English --to zh_Hans < book.en\n"
                                "\n"
                                "If a model has language tokens, a line can choose its own target language:\n"
                                "\n"
                                "  echo \">>fra<< Where is the station?\" | dragoman -m opus-mt-en-ROMANCE\n"
                                "\n"
                                "With several models, --from applies to the first one and --to to the last one.\n"
                                "--via names the language between two models if neither determines it:\n"
                                "\n"
                                "  dragoman -m m2m100_418M -m nllb-200-distilled-600M --from fi --via en --to de\n";

static const char formats[] = "--format selects how the output is written.\n"
                              "\n"
                              "text (the default): the translations only; with -n N, N lines for each line.\n"
                              "\n"
                              "  Wo ist der Bahnhof?\n"
                              "\n"
                              "tsv: line number from 1, rank, score and translation, separated by tabs. In the\n"
                              "translation, \\t, \\n, \\r and \\\\ stand for tab, newline, carriage return and\n"
                              "backslash.\n"
                              "\n"
                              "  1\t1\t-0.11819273\tWo ist der Bahnhof?\n"
                              "\n"
                              "jsonl: one JSON object for each line, with ids, tokens and scores. It is on one\n"
                              "line; here it is wrapped and shortened.\n"
                              "\n"
                              "  {\"line\":1,\"source\":\"Where is the station?\",\"source_ids\":[1245,282,0],\n"
                              "   \"translations\":[{\"text\":\"Wo ist der Bahnhof?\",\"score\":-0.11819273,\n"
                              "   \"ids\":[935,285,0],\"tokens\":[\"Wo\",\"ist\",\"</s>\"]}]}\n"
                              "\n"
                              "marian: the n-best lists of marian-decoder: line number from 0, translation, sum\n"
                              "of log-probabilities, score.\n"
                              "\n"
                              "  0 ||| Wo ist der Bahnhof? ||| F0= -0.709156 ||| -0.118193\n"
                              "\n"
                              "--alignment adds SOURCE-TARGET pairs of token numbers to each format. In text:\n"
                              "\n"
                              "  Wo ist der Bahnhof? ||| 0-0 1-1 2-2 3-3 4-4 5-5\n"
                              "\n"
                              "--confidence adds to tsv and jsonl the probability that a translation is good,\n"
                              "and flags for signs that it is bad: loop, cut, short, long, copy, uncovered.\n"
                              "\n"
                              "The score is the sum of the log-probabilities of the tokens, divided by\n"
                              "length^X, where X is the length penalty.\n";

static const char models[] = "-m PATH accepts a model as it was downloaded:\n"
                             "\n"
                             "  a folder              in the format of Hugging Face, Marian or CTranslate2\n"
                             "  models--ORG--NAME     a folder in the cache of Hugging Face's programs\n"
                             "  model.npz             Marian's model file\n"
                             "  *.argosmodel          an Argos Translate package, or its folder\n"
                             "  NAME.safetensors      a file that 'dragoman pack' wrote\n"
                             "  en-de                 the English-German model that comes with dragoman\n"
                             "  PATH,PATH             an ensemble of models with the same vocabularies\n"
                             "\n"
                             "With -m A -m B, B translates the output of A.\n"
                             "\n"
                             "Without -m, dragoman uses the model that $DRAGOMAN_MODEL names, else en-de.\n"
                             "\n"
                             "With -m NAME, if NAME has no slash and no such file exists, dragoman looks for\n"
                             "NAME.safetensors in the folder models next to the program, then in\n"
                             "share/dragoman/models under the installation prefix. Put a packed model there to\n"
                             "use it without its path.\n"
                             "\n"
                             "dragoman never downloads a model. Download one, pack it if it will be used\n"
                             "often, and look at its languages and sizes:\n"
                             "\n"
                             "  hf download Helsinki-NLP/opus-mt-fr-en --local-dir opus-mt-fr-en\n"
                             "  dragoman pack -m opus-mt-fr-en --int8 -o fr-en.safetensors\n"
                             "  dragoman info -m fr-en.safetensors\n"
                             "  dragoman -m fr-en.safetensors < book.fr > book.en\n";

static const char exit_codes[] = "  0  Everything was translated and written.\n"
                                 "  1  A model, an input or the system has a fault: the model is missing or\n"
                                 "     corrupt, an input cannot be read, or the disk is full.\n"
                                 "  2  The command line is wrong: an unknown option, a value out of range, or a\n"
                                 "     language that the model does not know.\n"
                                 "\n"
                                 "An error is one line on stderr that begins with \"dragoman:\". If an input cannot\n"
                                 "be read, the other inputs are still translated, and the exit code is 1. With\n"
                                 "-o FILE, dragoman stops instead and does not replace FILE. With -O or --suffix,\n"
                                 "the files that failed are listed at the end; all others are complete.\n"
                                 "\n"
                                 "If the reader of the output closes the pipe, the signal SIGPIPE ends dragoman\n"
                                 "without a message, as it ends other filters; the shell reports 141. Ctrl-C ends\n"
                                 "it with SIGINT, which the shell reports as 130.\n"
                                 "\n"
                                 "  dragoman -o book.de book.en || echo \"exit code $?\"\n";

const TopicRow topic_table[] = {
    { "languages", "what --from and --to accept", languages },
    { "formats", "how the output is written", formats },
    { "models", "what -m accepts, and where models are searched for", models },
    { "exit-codes", "what the exit codes mean", exit_codes },
};
const size_t topic_count = sizeof topic_table / sizeof *topic_table;

const TopicRow *topic_find(const char *name)
{
    for (size_t i = 0; i < topic_count; i++)
        if (strcmp(topic_table[i].name, name) == 0) return &topic_table[i];
    return NULL;
}
