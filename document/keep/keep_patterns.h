/* keep_patterns.h - what the translation of a document keeps by default: addresses, paths, placeholders of programs,
 * tags and entities that are text, formulas, and symbols such as emoji. (The embedded model does not copy any symbol by
 * itself. As kept parts, symbols raise the chrF of sentences that contain them by 0.6 to 3 points.)
 *
 * Each pattern is a regular expression that takes linear time on any text: it begins only where a run of its characters
 * begins, repeats without going back, or repeats a limited number of times. */
#ifndef DRAGOMAN_KEEP_PATTERNS_H
#define DRAGOMAN_KEEP_PATTERNS_H

/* Common endings of the names of files, none of which is a word, as in "the end.So". Also a list for those who need no
 * regular expression. */
#define FILE_ENDINGS                                                                                                   \
    "txt|md|rst|tex|pdf|doc|docx|xls|xlsx|ppt|pptx|odt|ods|odp|rtf|csv|tsv|xml|htm|html|css|json|yml|yaml|"            \
    "toml|py|js|java|cpp|hpp|php|sh|bat|exe|dll|msi|ini|cfg|conf|log|bak|zip|tar|gz|tgz|7z|iso|png|jpg|jpeg|"          \
    "gif|svg|webp|tif|tiff|mp3|mp4|wav|avi|mkv|epub|sql|srt|vtt|ttf|eml|ics|psd|deb|rpm|apk|jar"

/* The most examples of a pattern. */
#define KEEP_EXAMPLES 8

typedef struct {
    /* Texts that the expression matches as a whole: between two words, or alone if it begins with \A; NULL: no more. */
    const char *examples[KEEP_EXAMPLES];
    const char *expression; /* of PCRE2 */
} KeepPattern;

/* Ends with a pattern whose expression is NULL. */
extern const KeepPattern keep_patterns[];

#endif
