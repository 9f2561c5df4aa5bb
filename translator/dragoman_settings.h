/* dragoman_settings.h - what can be set in DragomanOptions. dragoman.h includes this header. */
#ifndef DRAGOMAN_SETTINGS_LIST_H
#define DRAGOMAN_SETTINGS_LIST_H

/* The precision of the weights in memory, which determines memory use and speed. */
typedef enum {
    DRAGOMAN_AUTO, /* as the model stores them */
    DRAGOMAN_F32,  /* not rounded */
    DRAGOMAN_BF16, /* weights rounded to bf16 */
    DRAGOMAN_INT8  /* int8 matmul: weights and activations are rounded to 8 bits, with scales */
} DragomanPrecision;

/* Whether to split each line into sentences. The sentences are translated one by one; the translations
 * are joined with the white space that was between the sentences. */
typedef enum {
    DRAGOMAN_SPLIT_AUTO, /* if the model or dragoman_request_split() asks for it; never with DRAGOMAN_PIECES_IN */
    DRAGOMAN_SPLIT_ON,
    DRAGOMAN_SPLIT_OFF
} DragomanSplit;

/* Whether to convert sentences in all capitals to normal case, translate them, and convert their translations to
 * capitals. This is never done with DRAGOMAN_SUPPRESS or models that have stop strings, for a sentence whose
 * translation must begin with a given text, or for lines whose translation must contain one. */
typedef enum {
    DRAGOMAN_CAPITALS_AUTO, /* if the model asks for it; never with DRAGOMAN_PIECES_IN or DRAGOMAN_PIECES_OUT */
    DRAGOMAN_CAPITALS_ON,
    DRAGOMAN_CAPITALS_OFF
} DragomanCapitals;

/* Whether to keep words with letters, and symbols, that the model's vocabulary does not have, such as Cyrillic ones in
 * an English-German model: translations contain them unchanged, exactly once, as what dragoman_request_keep() names. If
 * the vocabulary has byte pieces, letters of the Latin script are left to the model. With several models, the first one
 * decides. Given translations (dragoman_request_score()) are not concerned. */
typedef enum {
    DRAGOMAN_KEEP_UNKNOWN_AUTO, /* if the model asks for it; never with DRAGOMAN_PIECES_IN or DRAGOMAN_PIECES_OUT */
    DRAGOMAN_KEEP_UNKNOWN_ON,   /* not for models whose source vocabulary is a list of words */
    DRAGOMAN_KEEP_UNKNOWN_OFF
} DragomanKeepUnknown;

/* Whether to keep numbers that a model might change. Long numbers, telephone numbers, IBANs, codes with digits,
 * addresses, paths and names of files are kept from the beginning, as what dragoman_request_keep() names. If other
 * numbers of a sentence differ from those of its translation, it is translated again with all of its numbers kept,
 * written as the target language does (1,234.5 becomes 1.234,5). With several models, the first one decides. Given
 * translations (dragoman_request_score()) are not concerned. */
typedef enum {
    DRAGOMAN_KEEP_NUMBERS_AUTO, /* if the model asks for it; never with DRAGOMAN_PIECES_IN or DRAGOMAN_PIECES_OUT */
    DRAGOMAN_KEEP_NUMBERS_ON,
    DRAGOMAN_KEEP_NUMBERS_OFF
} DragomanKeepNumbers;

/* Whether tokens are drawn at random (sampling) instead of searched for. With a beam size of 1, the DRAGOMAN_N_BEST
 * translations are drawn independently. With the same model and settings, including the seed, equal texts get equal
 * translations. */
typedef enum {
    DRAGOMAN_SAMPLING_AUTO, /* as the model's do_sample says */
    DRAGOMAN_SAMPLING_ON,   /* the beam size is 1 if DRAGOMAN_BEAMS is not set */
    DRAGOMAN_SAMPLING_OFF
} DragomanSampling;

#define DRAGOMAN_LEAST_INPUT 16 /* minimum of DRAGOMAN_MAX_INPUT */

/* Only DRAGOMAN_MODEL is required. The first word of each comment names the function that sets it:
 * dragoman_set_text(), _number(), _real() or _flag(). */
typedef enum {
    DRAGOMAN_NO_SETTING,
    DRAGOMAN_MODEL,              /* text: folder, packed model, or Marian's model file; "PATH,PATH" is an ensemble.
                                    An empty text is no model */
    DRAGOMAN_WEIGHTS,            /* text: weights of the models of an ensemble, as in "0.6,0.4". Default: 1 each */
    DRAGOMAN_VOCABS,             /* text: vocabularies of a Marian model, "SOURCE,TARGET" or one file for both.
                                    Default: those next to the model */
    DRAGOMAN_FROM,               /* text: language of the input; first model only */
    DRAGOMAN_VIA,                /* text: pivot language between the previous model and this one */
    DRAGOMAN_TO,                 /* text: language to translate into; last model only */
    DRAGOMAN_SHORTLIST,          /* text: file of the target tokens worth scoring (docs/shortlists.md) */
    DRAGOMAN_SHORTLIST_FIRST,    /* number: always score the first N tokens of the vocabulary.
                                    Default, -1: as the file says */
    DRAGOMAN_SHORTLIST_BEST,     /* number: score the N most probable target tokens of each source token, if the file
                                    has probabilities. Default, -1: 100 */
    DRAGOMAN_PREFIX,             /* text: forced beginning of each translation, without a newline */
    DRAGOMAN_PRECISION,          /* number: a DragomanPrecision */
    DRAGOMAN_SPLIT,              /* number: a DragomanSplit */
    DRAGOMAN_MAX_INPUT,          /* number: longest input of the model in tokens, including special tokens; at least
                                    DRAGOMAN_LEAST_INPUT. Longer lines are cut into parts. Default and maximum: the
                                    model's limit */
    DRAGOMAN_PIECES_IN,          /* flag: the input is pieces of the vocabulary, separated by spaces, instead of text */
    DRAGOMAN_PIECES_OUT,         /* flag: the same for the translations and the prefix */
    DRAGOMAN_THREADS,            /* number: at most 1024. Default, 0: all cores that the process may use */
    DRAGOMAN_BATCH_ROWS,         /* number: hypotheses in flight per thread, at most 65536. Default, 0: 64 */
    DRAGOMAN_N_BEST,             /* number: translations per line, at most the beam size times DRAGOMAN_PATIENCE;
                                    at most 1024 draws with a beam size of 1. Default, 0: 1 */
    DRAGOMAN_SKIP_SCORES,        /* flag: the scores are not needed. Greedy search leaves them 0 and saves time */
    DRAGOMAN_BEAMS,              /* number: beam size, at most 1024; 1 is greedy search. Default, 0: the model's */
    DRAGOMAN_MIN_LENGTH,         /* number of tokens, not counting the end token. Default, -1: the model's */
    DRAGOMAN_MAX_LENGTH,         /* number of tokens, counting the end token. Default, 0: the model's */
    DRAGOMAN_LENGTH_PENALTY,     /* real. Default: the model's */
    DRAGOMAN_REPETITION_PENALTY, /* real. Default: the model's */
    DRAGOMAN_WORD_PENALTY,       /* real. Default: that of a Marian model; 0 for others */
    DRAGOMAN_LENGTH_FACTOR,      /* real: at most this many target tokens per source token; 0: no such limit.
                                    Default: that of a Marian model; 0 for others */
    DRAGOMAN_ALLOW_UNK,          /* flag, Marian models only: allow the unknown token in translations */
    DRAGOMAN_NO_REPEAT_NGRAM,    /* number: never repeat an n-gram of N tokens; 0 turns this off.
                                    Default, -1: the model's */
    DRAGOMAN_RANGES,             /* flag: keep the bytes of each token, for dragoman_line_ranges() */
    DRAGOMAN_ATTENTION,          /* flag: keep the attention of each translation, for dragoman_align(). Includes
                                    DRAGOMAN_RANGES */
    DRAGOMAN_TOKEN_SCORES,       /* flag: keep the score of each token, for dragoman_line_token_scores(). Cannot be used
                                    with DRAGOMAN_SKIP_SCORES */
    DRAGOMAN_CONFIDENCE,         /* flag: judge each translation, for dragoman_line_confidence() and _flags(). Includes
                                    DRAGOMAN_ATTENTION, and DRAGOMAN_SKIP_SCORES has no effect. With several models,
                                    set it for each */
    DRAGOMAN_RESCUE,             /* flag: make a second attempt at translations that repeat themselves, see
                                    dragoman_line_rescued(). With several
                                    models, each has its own. DRAGOMAN_SKIP_SCORES has no effect */
    DRAGOMAN_CALIBRATION,        /* text: file that dragoman_calibrate() made for the model. Default: the calibration
                                    in the model's folder or packed file, if there is one */
    DRAGOMAN_FROM_LINES,         /* flag: dragoman_request_from() names the language of each line, so DRAGOMAN_FROM is
                                    not needed; first model only, which must have several source languages */
    DRAGOMAN_SAMPLING,           /* number: a DragomanSampling */
    DRAGOMAN_TEMPERATURE,        /* real, at least 1e-6: divide logits by it before drawing. Default: the model's,
                                    or 1 */
    DRAGOMAN_TOP_K,              /* number: draw from the N most probable tokens; 0: all. Default, -1: the model's */
    DRAGOMAN_TOP_P,              /* real, above 0: draw from the most probable tokens whose probabilities add up to it;
                                    1: all. Default: the model's */
    DRAGOMAN_MIN_P,              /* real, from 0 to 1: draw from tokens that have at least this fraction of the
                                    probability of the most probable one; 0: all. Default: the model's */
    DRAGOMAN_SEED,               /* number: seed of the random numbers. Default: 0 */
    DRAGOMAN_ALTERNATIVES,       /* number: take the N most probable tokens after the prefix and complete the
                                    translation after each of them. Default, 0: none. Replaces DRAGOMAN_N_BEST */
    DRAGOMAN_ALTERNATIVE_PROBABILITY, /* real, from 0 to 1: leave out less probable tokens. Default: 0 */
    DRAGOMAN_PREFIX_BIAS,      /* real, from 0 to below 1: favour the prefix instead of forcing it; its next token
                                    gets this share of the probability. Default, 0: force it */
    DRAGOMAN_SUPPRESS,         /* text: texts that are forbidden in translations, separated by newlines; with
                                    DRAGOMAN_PIECES_OUT, sequences of pieces */
    DRAGOMAN_DISABLE_UNK,      /* flag: forbid the unknown token in translations */
    DRAGOMAN_REPLACE_UNKNOWNS, /* flag: replace each unknown token by the source token with the most attention.
                                    Includes DRAGOMAN_RANGES; does not need DRAGOMAN_ATTENTION */
    DRAGOMAN_END_TOKEN,        /* text: pieces that end a translation instead of the model's end token, separated
                                    by newlines; they are not part of its text */
    DRAGOMAN_COVERAGE_PENALTY, /* real: add it times the sum of log(min(a, 1)) to the score of a hypothesis, where
                                    a is the total attention to each source token. Default: 0 */
    DRAGOMAN_PATIENCE,         /* real, above 0 and at most 1000: end the search when the beam size times this number
                                    of hypotheses have finished. Default: 1 */
    DRAGOMAN_CROP,             /* flag: cut off the part of a line that exceeds DRAGOMAN_MAX_INPUT, instead of
                                    translating the line in parts */
    DRAGOMAN_PREFER_PRECISION, /* flag: DRAGOMAN_PRECISION does not apply to packed models, which keep the precision
                                    that they were packed with. Otherwise, a packed model of another one is refused */
    DRAGOMAN_CAPITALS,         /* number: a DragomanCapitals */
    DRAGOMAN_KEEP_UNKNOWN,     /* number: a DragomanKeepUnknown */
    DRAGOMAN_KEEP_NUMBERS      /* number: a DragomanKeepNumbers */
} DragomanSetting;

#endif
