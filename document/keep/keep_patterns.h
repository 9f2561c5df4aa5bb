/* keep_patterns.h - the parts that the translation of a document keeps by default: addresses, paths, placeholders of
 * programs, tags and entities that are text, formulas, and symbols such as emoji. (The embedded model copies no symbol
 * by itself. If symbols are kept parts, the chrF of sentences with symbols is higher by 0.6 to 3 points.)
 *
 * Each pattern is a regular expression that takes linear time on any text: it begins only where a run of its characters
 * begins, repeats without going back, or repeats a limited number of times. */
#ifndef DRAGOMAN_KEEP_PATTERNS_H
#define DRAGOMAN_KEEP_PATTERNS_H

/* Common endings of the names of files. They are not words, so that "the end.So" is not a file. Code that needs a list
 * can also split it at the bars. */
#define FILE_ENDINGS                                                                                                   \
    "txt|md|rst|tex|pdf|doc|docx|xls|xlsx|ppt|pptx|odt|ods|odp|rtf|csv|tsv|xml|htm|html|css|json|yml|yaml|"            \
    "toml|py|js|java|cpp|hpp|php|sh|bat|exe|dll|msi|ini|cfg|conf|log|bak|zip|tar|gz|tgz|7z|iso|png|jpg|jpeg|"          \
    "gif|svg|webp|tif|tiff|mp3|mp4|wav|avi|mkv|epub|sql|srt|vtt|ttf|eml|ics|psd|deb|rpm|apk|jar"

/* The most examples of a pattern. */
#define KEEP_EXAMPLES 8

typedef struct {
    /* Texts that the expression must match completely: between two words, or alone if it begins with \A. Then NULL. */
    const char *examples[KEEP_EXAMPLES];
    const char *expression; /* of PCRE2 */
} KeepPattern;

/* Ends with a pattern whose expression is NULL. */
extern const KeepPattern keep_patterns[];

#endif
