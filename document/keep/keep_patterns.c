/* keep_patterns.c - see keep_patterns.h. In doubt, a pattern does not match, because ordinary text must be
 * translated. */
#include "keep_patterns.h"

#include <stddef.h>

/* A part may begin here: no ASCII letter, digit or underscore is before it. A Chinese character may be before it,
 * because Chinese puts no space before an address. */
#define START "(?<![A-Za-z0-9_])"

/* The inside of an address: no white space, quotes, angle brackets, or characters of scripts without spaces; no full
 * stop or other mark at the end; brackets only in pairs. */
#define ADDRESS_MARK "[.,;:!?*'|]"
#define ADDRESS_CHARACTER                                                                                              \
    "[^\\s.,;:!?*'|()\\[\\]{}<>\"`\\\\\\x{ab}\\x{bb}\\x{2018}-\\x{201f}\\x{2026}\\x{3000}-\\x{30ff}\\x{3400}-"         \
    "\\x{9fff}\\x{ff00}-\\x{ffef}]"
#define ADDRESS                                                                                                        \
    "(?:" ADDRESS_MARK "{0,20}+(?:" ADDRESS_CHARACTER "++|\\([^\\s()<>\"]{0,200}+\\)|\\[[^\\s\\[\\]<>\"]{0,200}+\\]|"  \
    "\\{{1,2}[^\\s{}<>\"]{1,200}+\\}{1,2}))++"

/* Parts of a conversion of printf(): the number of the argument; width and precision; flags, width and precision; the
 * length modifier; the letter of the conversion. */
#define PRINTF_ARGUMENT "(?:[0-9]{1,2}\\$)?"
#define PRINTF_SIZE     "(?:[0-9]{1,4}|\\*)?(?:\\.(?:[0-9]{1,4}|\\*)?)?"
#define PRINTF_WIDTH    "[-+0#]{0,3}" PRINTF_SIZE
#define PRINTF_LENGTH   "(?:hh?|ll?|[qjztL])?"
#define PRINTF_TYPE     "[diouxXeEfFgGaAcCsSp@]"

#define NAME "[A-Za-z_][\\w.-]{0,60}"

/* Text that contains balanced braces, at most four levels deep. */
#define NO_BRACES     "[^{}]*+"
#define BRACES        "(?:" NO_BRACES "\\{" NO_BRACES "\\})*+" NO_BRACES
#define TWO_BRACES    "(?:" NO_BRACES "\\{" BRACES "\\})*+" NO_BRACES
#define THREE_BRACES  "(?:" NO_BRACES "\\{" TWO_BRACES "\\})*+" NO_BRACES
#define NESTED_BRACES "(?:" NO_BRACES "\\{" THREE_BRACES "\\})*+" NO_BRACES

/* Endings of file names. Endings that are words are missing, because a sentence may begin there: "the end.So". */
#define FILE_ENDING                                                                                                    \
    FILE_ENDINGS                                                                                                       \
    "|"                                                                                                                \
    "jsonl|ts|jsx|tsx|rb|bz2|xz|db|pyc|pyi|ipynb|ssa|sbv|ttml|xlf|xliff|tmx|arb|pot|mdx|qmd|rmd|adoc|ftl|bib|"         \
    "sty|tpl|hbs|erb|scss|vue|mjs|cjs|lua|rs|kt|hs|cc|cxx|hh|hxx|m4|mk|cmake|gradle|dmg|whl|flac|ogg|mpe?g|"           \
    "webm|heic|bmp|ico|woff2?|otf|eot|vcf|sqlite3?|npz|npy|pkl|pth|gguf|onnx|safetensors|parquet|xsd|xslt?|"           \
    "plist|env|svgz|avif"

/* An ending without the name of a file, as .txt. Common words after a full stop (ENDING_WORD) do not match. */
#define ENDING_START                                                                                                   \
    "(?<![^\\s(\\[{\"'`/,;|\\x{ab}\\x{2018}-\\x{201e}\\x{3000}-\\x{30ff}\\x{3400}-\\x{9fff}\\x{ff00}-\\x{ffef}])"
#define ENDING_WORD                                                                                                    \
    "(?!(?:a|i|an|and|as|at|be|but|by|for|he|her|his|how|if|in|is|it|its|my|no|not|now|of|on|or|our|she|so|than|that|" \
    "the|then|they|this|to|was|we|what|when|who|why|with|yes|you|aber|als|am|auch|bis|da|das|dass|der|die|du|ein|er|"  \
    "es|ich|im|ist|mit|nein|nicht|oder|sie|sind|und|von|war|was|weil|wenn|wer|wie|wir|wo|zu|de|el|en|et|il|je|la|le|"  \
    "les|los|que|un|una|une|y)(?![A-Za-z0-9]))"
#define ENDING_PART "(?:[a-z][a-z0-9]{0,14}+|[A-Z][A-Z0-9]{0,9}+|7z|3gp)"

/* *.txt */
#define GLOB                                                                                                           \
    "\\*\\.(?:[A-Za-z0-9_+*-]{1,20}+(?:\\.[A-Za-z0-9_*-]{1,20}+){0,2}+|%L?[0-9]{1,2}|%s|\\{[^\\s{}]{1,100}+\\})"

/* The attributes of a shortcode of WordPress; at least one of them has quotes. */
#define QUOTED_VALUE "\"[^\"\\[\\]]{0,300}+\"|'[^'\\[\\]]{0,300}+'"
#define SHORTCODE_VALUES                                                                                               \
    "(?=[^\\[\\]]{0,400}=[\"'])(?:\\s+[\\w-]{1,40}+=(?:" QUOTED_VALUE "|[^\\s\"'\\[\\]]{1,60}+)){1,20}+"

/* The (target) of a link in Markdown, with parentheses in pairs. */
#define LINK_TARGET "\\((?:[^\\s()<>\\[\\]`]++|\\([^\\s()<>\\[\\]`]*+\\))++\\)"

/* 0 to 255, without leading zeros */
#define BYTE "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"

/* 2001:db8 */
#define HEX_GROUPS "[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6}+"

/* The inside of a formula with an operator, as m > n or 1 - p, in which no word has three or more letters. Text between
 * the dollar signs of two prices has such words or a space before the second sign. */
#define RELATION                                                                                                       \
    "(?=[^$]{0,200}(?:[=<>+]|\\s[*/|-]\\s))(?!\\s)(?:[^\\p{L}$\\\\]|\\p{L}{1,2}+(?!\\p{L})|\\\\(?:[A-Za-z]{1,40}+|"    \
    "[^A-Za-z$])){1,200}+(?<!\\s)"

/* Also numero and Roman numeral signs, letters in circles, and characters of private use, which icon fonts show as
 * pictures. */
#define SYMBOL                                                                                                         \
    "[\\x{a7}\\x{a9}\\x{ae}\\x{b1}\\x{b6}\\x{bc}-\\x{be}\\x{d7}\\x{f7}\\x{2020}-\\x{2022}\\x{2116}\\x{2122}"           \
    "\\x{2150}-\\x{2188}\\x{2190}-\\x{23ff}\\x{24b6}-\\x{24e9}\\x{25a0}-\\x{27bf}\\x{2b00}-\\x{2bff}"                  \
    "\\x{1f000}-\\x{1faff}\\p{Co}]"
#define SYMBOL_STYLE "[\\x{fe0e}\\x{fe0f}\\x{20e3}\\x{1f3fb}-\\x{1f3ff}]*+"

/* The letters of a date pattern, as in MMM D, YYYY. A single letter must stand alone, because Add and Hmm are words. */
#define DATE_RUN                                                                                                       \
    "(?:y{2,5}+|Y{2,5}+|M{2,5}+|L{2,5}+|D{2,4}+|d{2,4}+|E{2,5}+|h{2}|H{2}|k{2}|m{2}|s{2}|S{2,9}+|Q{2,4}+|w{2}|"        \
    "Z{2,5}+|z{2,4}+|X{2,3}+)"
#define DATE_WORD "(?:" DATE_RUN "{1,8}+[aA]?|Do|[yYMdDEeaAhHkKmsSzZXoQqwWLG])(?![A-Za-z])"
#define DATE_GAP  "(?:[\\s:/.,\\x{2236}-]|'[^'\\n]{0,40}'|\\[[^\\[\\]\\n]{1,40}\\]){1,6}+"

const KeepPattern keep_patterns[] = {
    { { "https://example.org/a(b)?c", "mailto:me@example.org", "www.example.org" },
      "(?i)" START "(?:(?:https?|s?ftps?|file|wss?|git|ssh)://|mailto:(?=[^\\s@]{1,64}@)|www\\.(?=[a-z0-9]))" ADDRESS },
    { { "me@example.org" },
      "(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}+@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,24}"
      "(?![A-Za-z0-9])" },
    { { "/usr/lib/x", "~/x", "../x/y" },
      "(?<![\\p{L}\\p{N}_./:~)\\]}>%-])(?:/(?=[\\w@+=%-])[\\w@+=%.-]++/|(?:~|\\.{1,2})/)[\\w@+=%./-]*[\\w@+=%/-]" },
    { { "src/main.c" },
      "(?<![\\p{L}\\p{N}_./:~)\\]}>%@-])(?:[\\w-][\\w.-]{0,100}+/"
      ")++[\\w-]++(?:\\.[a-z][a-z0-9]{0,9}+)++(?![\\p{L}\\p{N}_/])" },
    /* A folder may contain spaces. */
    { { "C:\\x\\y", "\\\\server\\x", "C:\\Program Files\\x" },
      START
      "(?:[A-Za-z]:|\\\\\\\\[\\w.-]{1,100}+)\\\\(?:[^\\s\\\\/:*?\"<>|,;]{1,100}+(?: [^\\s\\\\/:*?\"<>|,;]{1,100}+)"
      "{0,3}\\\\)*+(?:[^\\s\\\\/:*?\"<>|,;()]{0,100}[^\\s\\\\/:*?\"<>|,;().!'])?" },
    { { "--name", "--name=value" },
      "(?<![\\p{L}\\p{N}_-])--[a-z][a-z0-9]{0,40}+(?:-[a-z0-9]{1,40}+)*+(?:=" ADDRESS ")?(?![\\p{L}\\p{N}_-])" },
    { { "git@github.com:octocat/hello-world.git", "root@db1:/srv/x" },
      "(?<![A-Za-z0-9._%+-])[a-z_][a-z0-9_.-]{0,31}+@[A-Za-z0-9][A-Za-z0-9.-]{0,100}+:[\\w.~/+%-]{0,200}[\\w~/+-]" },
    /* Addresses without https://, with a common domain or the domain of a country, and a path. */
    { { "example.com/docs/getting-started", "www2.example.co.uk:80/", "github.com/a/b.git" },
      "(?<![\\p{L}\\p{N}_./:@~-])(?:[a-z0-9][a-z0-9-]{1,62}+\\.){1,5}(?:com|org|net|edu|gov|int|info|dev|app|[a-z]{2})"
      "(?::[0-9]{1,5}+)?/(?:" ADDRESS ")?" },
    { { "example.org", "www2.example.co.io:8080" },
      "(?<![\\p{L}\\p{N}_./:@~%$-])(?:[a-z0-9][a-z0-9-]{0,62}+\\.){1,5}(?:com|org|net|edu|gov|io|dev|app|info)"
      "(?::[0-9]{2,5}+)?(?![\\p{L}\\p{N}_/@-]|\\.[\\p{L}\\p{N}])" },
    /* Names of services, packages and settings with three parts or more. Two parts may be two sentences without a space
     * between them. */
    { { "org.freedesktop.portal.Desktop", "client.processing.threads-min" },
      "(?<![\\p{L}\\p{N}_./:@~%$-])[a-z][A-Za-z0-9_-]{1,60}+(?:\\.[a-z][A-Za-z0-9_-]{1,60}+){1,20}(?:\\.[A-Za-z][A-Za-"
      "z0-9_-]{1,60}+){1,3}+(?![\\p{L}\\p{N}_/@]|\\.[\\p{L}\\p{N}])" },
    { { "house.txt", "getting-started.md", "archive.tar.gz", "Report_2.docx", "a.py", "c.ipynb" },
      "(?<![A-Za-z0-9_.-])(?:(?:[A-Za-z0-9_-]{2,100}+|[a-z0-9])\\.){1,5}(?:" FILE_ENDING
      ")(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])" },
    { { ".ssa", ".ipynb", ".tar.gz", ".7z", ".PDF", ".gitignore" },
      ENDING_START "(?<!\\.\\s)\\." ENDING_WORD ENDING_PART
                   "(?:\\.[a-z][a-z0-9]{0,9}+){0,3}+(?![A-Za-z0-9_]|\\.[A-Za-z0-9])" },
    /* IPv4 addresses, and version numbers that look like them. */
    { { "192.168.1.1", "192.168.178.123", "10.0.0.0/8", "127.0.0.1:8080/index" },
      "(?<![A-Za-z0-9_.])(?:" BYTE "\\.){3}" BYTE "(?::[0-9]{1,5}+)?(?:/(?:" ADDRESS ")?)?(?![A-Za-z0-9_]|\\.[0-9])" },
    /* Addresses of IPv6 and of network cards. */
    { { "2001:db8::1", "::1", "fe80::1/64", "2001:db8:0:0:0:ff00:42:8329", "00:1b:44:11:3a:b7" },
      "(?<![\\w:.])(?:(?=[A-Fa-f:]{0,40}+[0-9])(?:" HEX_GROUPS ")?::(?:" HEX_GROUPS ")?|(?:[0-9A-Fa-f]{1,4}:){5,7}+"
      "[0-9A-Fa-f]{1,4})(?:/[0-9]{1,3}+)?(?![\\w:])" },

    { { "550e8400-e29b-41d4-a716-446655440000" },
      START "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![A-Za-z0-9_-])" },
    /* Checksums and other numbers with many digits. */
    { { "9f86d081884c7d659a2feaa0c55ad015", "0x1F" },
      START "(?:(?=[A-Fa-f]{0,60}+[0-9])[0-9A-Fa-f]{16,}+|0[xX][0-9A-Fa-f]++)(?![A-Za-z0-9_])" },
    { { "2024-01-01T00:00:00Z", "2024-01-01T00:00+01:00", "2024-01-01T00:00:00.123" },
      "(?<![\\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9}+)?)?(?:Z|[+-][0-9]{2}:?"
      "[0-9]{2})?(?!\\w)" },
    /* Names with underscores, but not E_xit, whose _ marks a key, and Lehrer_innen, German for both genders. */
    { { "snake_case", "snake_case_x", "MAX_LEN", "__my_init__" },
      START "(?!\\w{2,100}_in(?:nen)?(?!\\w))_{0,2}+(?:[A-Za-z0-9]{2,}+_[A-Za-z0-9]{2,}+|[A-Za-z0-9]++(?:_{1,2}+[A-Za-"
            "z0-9]++){2,}+)_{0,2}+"
            "(?![A-Za-z0-9_])" },
    { { "main()", "house.getDogs()", "a->b()", "std::sort()" },
      "(?<![\\w.:>])[A-Za-z_]\\w{0,60}+(?:(?:\\.|::|->)[A-Za-z_]\\w{0,60}+){0,8}+\\(\\)" },
    { { "std::vector", "std::collections::HashMap", "Foo::Bar" },
      "(?<![\\w:.])[A-Za-z_][A-Za-z0-9_]{0,60}+(?:::~?[A-Za-z_][A-Za-z0-9_]{0,60}+){1,8}+(?!\\w|::)" },
    /* Names of icons, and placeholders of Laravel. */
    { { ":material-account-circle:", ":+1:", ":attribute", ":user_name" },
      "(?<![\\w:]):(?:[+-]1|[a-z][a-z0-9_+-]{1,60}+):(?![\\w:])|(?<![^\\s(\\[\"'\\x{201c}\\x{201e}]):[a-z][a-z_]{2,40}+"
      "(?![\\w:-])" },
    /* Keys of pymdownx.keys, but not {++new++} of CriticMarkup. */
    { { "++ctrl+alt+del++", "++f12++" },
      "(?<![\\w+{])\\+\\+[a-z0-9-]{1,20}+(?:\\+[a-z0-9-]{1,20}+){0,5}+\\+\\+(?![\\w+])" },
    /* Citations of Pandoc. */
    { { "@smith2020", "@smith:2020a" }, "(?<![\\w@.])@[A-Za-z][A-Za-z_:-]{0,60}+[0-9]{4}[a-z]?(?!\\w)" },
    /* References of Quarto. */
    { { "@fig-x", "@eq-energy_2" },
      "(?<![\\w@.])@(?:alg|cau|cnj|cor|def|eq|exm|exr|fig|imp|lem|lst|nte|prp|rem|sec|sol|tbl|thm|tip|wrn)-"
      "[A-Za-z0-9_-]{0,60}[A-Za-z0-9]" },
    /* Escapes that are part of the text, from strings of JSON with two backslashes. No small letter may follow. */
    { { "\\n", "\\t", "\\r\\n" }, "(?<!\\\\)(?:\\\\[nrt])++(?![a-z])" },
    /* Gaps in forms that a reader fills in. */
    { { "___", "............" }, "(?<!_)_{3,}+|(?<![\\p{L}\\p{N}.])\\.{4,}+|(?<!\\.)\\.{6,}+" },
    /* Separators of plural forms in Vue, Laravel and Polyglot, of titles and of links. */
    { { "|", "||||", "[1,19]", "[20,*]" }, "\\|++|\\[[0-9]{1,9},(?:[0-9]{1,9}|\\*|Inf)\\]" },
    /* Filters for file names in dialogs, and ;; between them in Qt. */
    { { "*.txt", "*.*", "*.%1", "(*.png *.xpm)", "(*.tar.gz);;", "(*)" },
      "\\((?:" GLOB "|\\*)(?:[ ,;]{1,3}" GLOB "){0,50}+\\)(?:;;)?|(?<![\\w*.])" GLOB "|;;" },

    /* Placeholders of printf(); the common ones also before a letter, as in %ds. */
    { { "%s", "%1$d", "%-5.2f", "%@", "%lu", "%Lf" },
      "(?<![\\p{N}%])%" PRINTF_ARGUMENT PRINTF_WIDTH PRINTF_LENGTH "(?:[dsu@]|[ifnoxXeEgGFaAcCpS](?!\\p{L}))" },
    /* Rare flags of printf(). The percent sign of "30 % d'argent" is not a placeholder. */
    { { "%,.2f", "%'d", "%(d", "% d" },
      "(?<![\\p{N}%])(?<!\\p{N}[ \\x{a0}\\x{202f}])%" PRINTF_ARGUMENT
      "[-+0#]{0,3}(?:[,'(][-+0#,'(]{0,4}" PRINTF_SIZE PRINTF_LENGTH
      "[diuoxXeEfFgG]| [-+0#]{0,4}" PRINTF_SIZE PRINTF_LENGTH "[df])(?![\\p{L}\\p{N}'\\x{2019}]|\\.\\s?\\p{L})" },
    /* Placeholders of strftime(). */
    { { "%A", "%-H:%M", "%I:%M:%S" },
      "(?<![\\p{N}%])(?<!\\p{N}[ \\x{a0}\\x{202f}])%[-_0^#]?(?:[HIkl][:\\x{2236}]%[-_0]?M(?:[:\\x{2236}]%[-_0]?S)?|"
      "[aAbBcCDeFgGhHIjklmMnpPrRTuUVwWxXyYzZ])(?![A-Za-z0-9])" },
    /* Placeholders of Ruby and Apple. */
    { { "%<name>s", "%-8<name>.2f", "%#@files@", "%arg" },
      "%arg(?![\\p{L}\\p{N}_])|(?<![\\p{N}%])%" PRINTF_WIDTH "<" NAME ">" PRINTF_WIDTH
      "[bdiouxXeEfFgGaAcsp](?!\\p{L})|%" PRINTF_ARGUMENT "#@" NAME "@" },
    /* Placeholders of Python, Qt and Symfony. */
    { { "%%", "%(name)s", "%1", "%1%", "%L1", "%name%%other%", "%%name%%", "%name%%s" },
      "(?<![\\p{L}\\p{N}%])(?:(?!%" PRINTF_LENGTH PRINTF_TYPE "%%)(?:%" NAME "%)++(?:%(?:" PRINTF_TYPE
      "(?!\\p{L}))?|(?![\\p{L}\\p{N}%]))|%%" NAME "%%(?![\\p{L}\\p{N}%]))|%%|%\\(" NAME "\\)" PRINTF_WIDTH
      "[diouxXeEfFgGcrsa]|(?<![\\p{N}%])%L?[0-9]{1,2}(?![\\p{N}%])|(?<![\\p{L}\\p{N}%])%[0-9]{1,2}%(?![\\p{L}\\p{N}%]"
      ")" },
    /* Placeholders of Chrome, WordPress and Mailchimp. Prices have no name between two dollar signs. */
    { { "$LINK_START$", "$START$$END$", "###USER_NAME###", "*|FNAME|*", "*|IF:COUPON|*" },
      "(?<![\\\\$\\p{N}])(?:\\$[A-Z][A-Z0-9_]{1,40}+\\$)++|(?<![#\\w])###[A-Za-z][\\w-]{0,60}+###(?![#\\w])|"
      "\\*\\|[A-Z][A-Z0-9_]{0,60}+(?:[:=][^|*\\n]{1,100}+)?\\|\\*" },
    /* Shortcodes of WordPress: with attributes, or as a pair. */
    { { "[gallery ids=\"1,2\" size='large']", "[/caption]" },
      "\\[[A-Za-z][\\w-]{0,40}+" SHORTCODE_VALUES "\\s?/?\\]|\\[/[A-Za-z][\\w-]{0,40}+\\]|"
      "\\[([a-z][\\w-]{0,40}+)\\](?=[^\\[\\]]{0,300}+\\[/\\1\\])" },
    { { "{}", "{name}", "{0}", "{user.name!r:>10}", "{0,10:F2}", "{0, number, #.0}" },
      "\\{(?:[\\w$@#][\\w.$@#-]{0,60}+(?:\\[\\w{1,60}\\])?)?(?:,-?[0-9]{1,3})?(?:![rsa])?(?::[^\\s{}]{0,30}|\\s?,\\s?"
      "(?:number|date|time|spellout|ordinal|duration)\\b[^{}]{0,60})?\\}" },
    { { "{0:dd MMM yyyy}", "{0,12:d MMM}" },
      "\\{[0-9]{1,3}(?:,-?[0-9]{1,3})?:[^\\s{}]{1,30}+(?: [^\\s{}]{1,30}+){1,5}\\}" },
    /* Messages of ICU. The texts in them are kept as well. */
    { { "{count, plural, one {# file} other {# files}}", "{0,choice,0#no files|1<{0} files}" },
      "\\{\\s?[\\w.]{1,60}\\s?,\\s?(?:plural|select|selectordinal|choice)\\s?," NESTED_BRACES "\\}" },
    { { "{{ x | filter }}", "{{{x}}}", "{% if x %}", "{% include \"x\" with {a: b} %}", "{# note #}", "<% if x %>" },
      "\\{{2,3}[^{}]++\\}{2,3}|\\{%(?:[^%{]|%(?!\\})|\\{(?!%))++%\\}|\\{#(?:[^{}#]|#(?!\\}))++#\\}|<%(?:[^<>%]|%(?!>))+"
      "+%>" },
    /* References to other messages, as i18next and Vue have them. */
    { { "$t(item, { \"count\": {{n}} })", "@:message.dio", "@:{'message.dio'}", "@.lower:(message.dio)" },
      "(?<![\\w$])\\$t\\([^()]{1,300}+\\)|(?<![\\w@.])@(?:\\.[a-z]{1,20}+)?:(?:\\{'?[\\w.-]{1,100}+'?\\}|\\([\\w.-]{1,"
      "100}+\\)|"
      "[A-Za-z_]\\w{0,60}+(?:\\.\\w{1,60}+){0,10}+)" },
    { { "${v}", "#{x}", "%{x}", "@{x}", "$(v)" }, "[$#%@]\\{[^{}]{1,100}+\\}|\\$\\(" NAME "\\)" },

    { { "<x id=\"1\"/>", "</a>", "<name>", "<0/>" },
      "<(?:/?[A-Za-z][\\w:.-]{0,40}+|[0-9]{1,3}+(?=/)|/[0-9]{1,3}+)"
      "(?:\\s+[\\w:.-]{1,40}+\\s?=\\s?(?:\"[^\"<>]{0,200}+\"|'[^'<>]{0,200}+'))*+\\s?/?>" },
    { { "&amp;", "&#38;" }, "&(?:[A-Za-z][A-Za-z0-9]{1,31}+|#[0-9]{1,7}+|#[xX][0-9A-Fa-f]{1,6}+);" },
    { { "<!-- x <b> -->", "<code>a < b</code>", "<kbd class='x'>a b</kbd>" },
      "<(code|pre|kbd|samp|script|style)(?:\\s[^<>]{0,200}+)?>(?:[^<]++|<(?![A-Za-z/!]))*+</"
      "\\1>|<!--(?:[^<-]++|-(?!->)|<(?!!--))*+-->" },
    /* Code spans and links of Markdown in other formats. The marks in `a' and `b' are quotation marks. */
    { { "`a b`", "``a b``" },
      "(?<![A-Za-z0-9_`\\\\])(`{1,3}+)(?!\\s)[^`\\n]{1,400}+(?<![\\s,;(])\\1(?![A-Za-z0-9_`])" },
    { { "](https://a.org/x_(y))", "](command:a.b)" },
      "\\]" LINK_TARGET "|(?<![\\p{L}\\p{N}])!?\\[(?=[^\\[\\]\\n]{1,300}+\\]" LINK_TARGET ")" },
    { { "$x$", "$a_1 + b^2$", "$\\alpha$", "$m > n$", "$$a = b$$" },
      "(?<![\\p{L}\\p{N}\\\\$])\\$(?:[A-Za-z(|-][^\\s$]{0,60}+|(?=[^$]{0,200}(?:\\\\[A-Za-z]|[\\^_]))"
      "[^\\s$][^$]{0,200}+(?<!\\s)|" RELATION ")\\$(?![\\p{L}\\p{N}$])|\\$\\$[^$]{1,4000}+\\$\\$" },
    /* Formulas: a list of letters, a function, and a letter before the ending of an ordinal number ($n$th). */
    { { "$x, y, z$", "$O(n log n)$" },
      "(?<![\\p{L}\\p{N}\\\\$])\\$(?:(?:[A-Za-z](?:,\\s?[A-Za-z]){1,9}|[A-Za-z]{1,2}\\([^$()]{1,100}+\\))\\$"
      "(?![\\p{L}\\p{N}$])|[A-Za-z]\\$(?=(?:st|nd|rd|th)(?!\\p{L})))" },
    /* Formulas of TeX and MathJax. In Markdown and in strings, the backslashes are doubled. */
    { { "\\(x^2 + f(y)\\)", "\\[x_{[1]}\\]", "\\\\(x\\\\)" },
      "\\\\{1,2}+\\((?:[^()\\\\]|\\\\(?![()])|\\([^()]{0,100}+\\)){1,200}+\\\\\\)|"
      "\\\\{1,2}+\\[(?:[^\\[\\]\\\\]|\\\\(?![\\[\\]])|\\[[^\\[\\]]{0,100}+\\]){1,200}+\\\\\\]" },

    /* Symbols that few models know: emoji, arrows, operators; also amounts of money without separators. */
    { { "😀", "→", "≥", "°C", "€5" },
      "(?:[\\x{1f1e6}-\\x{1f1ff}]{2}|[0-9#*]\\x{fe0f}\\x{20e3}|" SYMBOL SYMBOL_STYLE "(?:\\x{200d}" SYMBOL SYMBOL_STYLE
      ")*+)++|\\x{b0}[CF]?(?![a-z])|[\\x{a2}-\\x{a5}\\x{20a0}-\\x{20cf}](?:[0-9]{1,9}(?![0-9]|[.,][0-9]))?" },
    /* A whole text that is a pattern for dates. */
    { { "h:mm a", "MMMM Do", "MMM D, YYYY h:mm a", "EEEE, d MMM yyyy", "d 'de' MMMM", "yyyyMMdd", "H:m", "EEEE" },
      "\\A(?:" DATE_RUN "{2,8}+|yyyy|MMMM?|LLLL?|dddd?|EEEE?|(?=.{0,80}?(?:" DATE_RUN "|[hHkK]:m))(?:" DATE_GAP
      ")?" DATE_WORD "(?:" DATE_GAP DATE_WORD "){1,12}+(?:" DATE_GAP ")?)\\z" },
    { { NULL }, NULL }
};
