/* keep_patterns.c - see keep_patterns.h. A pattern prefers to leave a text alone: ordinary text that is kept is not
 * translated. */
#include "keep_patterns.h"

#include <stddef.h>

/* Not after a letter or digit of the same kind of text; Chinese puts no space before an address. */
#define START "(?<![A-Za-z0-9_])"

/* What an address contains: no white space, quotes, angle brackets, or characters of scripts without spaces; full stops
 * and other marks only before something else; brackets only in pairs. */
#define ADDRESS_MARK "[.,;:!?*'|]"
#define ADDRESS_CHARACTER                                                                                              \
    "[^\\s.,;:!?*'|()\\[\\]{}<>\"`\\\\\\x{ab}\\x{bb}\\x{2018}-\\x{201f}\\x{2026}\\x{3000}-\\x{30ff}\\x{3400}-"         \
    "\\x{9fff}\\x{ff00}-\\x{ffef}]"
#define ADDRESS                                                                                                        \
    "(?:" ADDRESS_MARK "{0,20}+(?:" ADDRESS_CHARACTER "++|\\([^\\s()<>\"]{0,200}+\\)|\\[[^\\s\\[\\]<>\"]{0,200}+\\]|"  \
    "\\{{1,2}[^\\s{}<>\"]{1,200}+\\}{1,2}))++"

/* Parts of what printf() replaces: the number of the argument; width and precision; flags before them; the size of the
 * type. */
#define PRINTF_ARGUMENT "(?:[0-9]{1,2}\\$)?"
#define PRINTF_SIZE     "(?:[0-9]{1,4}|\\*)?(?:\\.(?:[0-9]{1,4}|\\*)?)?"
#define PRINTF_WIDTH    "[-+0#]{0,3}" PRINTF_SIZE
#define PRINTF_LENGTH   "(?:hh?|ll?|[qjztL])?"

#define NAME "[A-Za-z_][\\w.-]{0,60}"

/* Text with braces in it, at most four inside each other. */
#define NO_BRACES     "[^{}]*+"
#define BRACES        "(?:" NO_BRACES "\\{" NO_BRACES "\\})*+" NO_BRACES
#define TWO_BRACES    "(?:" NO_BRACES "\\{" BRACES "\\})*+" NO_BRACES
#define THREE_BRACES  "(?:" NO_BRACES "\\{" TWO_BRACES "\\})*+" NO_BRACES
#define NESTED_BRACES "(?:" NO_BRACES "\\{" THREE_BRACES "\\})*+" NO_BRACES

/* The inside of a formula with an operator, m > n or 1 - p, in which no word has three letters: between the dollar
 * signs of two prices, there are such words, or a space before the second sign. */
#define RELATION                                                                                                       \
    "(?=[^$]{0,200}(?:[=<>+]|\\s[*/|-]\\s))(?!\\s)(?:[^\\p{L}$\\\\]|\\p{L}{1,2}+(?!\\p{L})|\\\\(?:[A-Za-z]{1,40}+|"    \
    "[^A-Za-z$])){1,200}+(?<!\\s)"

#define SYMBOL                                                                                                         \
    "[\\x{a7}\\x{a9}\\x{ae}\\x{b1}\\x{b6}\\x{bc}-\\x{be}\\x{d7}\\x{f7}\\x{2020}-\\x{2022}\\x{2122}\\x{2150}-\\x{215e}" \
    "\\x{2190}-\\x{23ff}\\x{25a0}-\\x{27bf}\\x{2b00}-\\x{2bff}\\x{1f000}-\\x{1faff}]"
#define SYMBOL_STYLE "[\\x{fe0e}\\x{fe0f}\\x{20e3}\\x{1f3fb}-\\x{1f3ff}]*+"

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

    /* The common ones also before a letter, as in %ds. */
    { { "%s", "%1$d", "%-5.2f", "%@", "%lu", "%Lf" },
      "(?<![\\p{N}%])%" PRINTF_ARGUMENT PRINTF_WIDTH PRINTF_LENGTH "(?:[dsu@]|[ifnoxXeEgGFaAcCpS](?!\\p{L}))" },
    /* Not the percent sign of "30 % d'argent". */
    { { "%,.2f", "%'d", "%(d", "% d" },
      "(?<![\\p{N}%])(?<!\\p{N}[ \\x{a0}\\x{202f}])%" PRINTF_ARGUMENT
      "[-+0#]{0,3}(?:[,'(][-+0#,'(]{0,4}" PRINTF_SIZE PRINTF_LENGTH
      "[diuoxXeEfFgG]| [-+0#]{0,4}" PRINTF_SIZE PRINTF_LENGTH "[df])(?![\\p{L}\\p{N}'\\x{2019}]|\\.\\s?\\p{L})" },
    /* Of Ruby and of Apple. */
    { { "%<name>s", "%-8<name>.2f", "%#@files@" },
      "(?<![\\p{N}%])%" PRINTF_WIDTH "<" NAME ">" PRINTF_WIDTH "[bdiouxXeEfFgGaAcsp](?!\\p{L})|%" PRINTF_ARGUMENT
      "#@" NAME "@" },
    /* Also of Python and Qt. */
    { { "%%", "%(name)s", "%1", "%L1", "%name%" },
      "%%|%\\(" NAME "\\)" PRINTF_WIDTH "[diouxXeEfFgGcrsa]|(?<![\\p{N}%])%L?[0-9]{1,2}(?![\\p{N}%])|"
      "(?<![\\p{L}\\p{N}%])%" NAME "%(?![\\p{L}\\p{N}%])" },
    { { "{}", "{name}", "{0}", "{user.name!r:>10}", "{0,10:F2}", "{0, number, #.0}" },
      "\\{(?:[\\w$@#][\\w.$@#-]{0,60}+(?:\\[\\w{1,60}\\])?)?(?:,-?[0-9]{1,3})?(?:![rsa])?(?::[^\\s{}]{0,30}|\\s?,\\s?"
      "(?:number|date|time|spellout|ordinal|duration)\\b[^{}]{0,60})?\\}" },
    { { "{0:dd MMM yyyy}", "{0,12:d MMM}" },
      "\\{[0-9]{1,3}(?:,-?[0-9]{1,3})?:[^\\s{}]{1,30}+(?: [^\\s{}]{1,30}+){1,5}\\}" },
    /* The texts inside stay, too. */
    { { "{count, plural, one {# file} other {# files}}", "{0,choice,0#no files|1<{0} files}" },
      "\\{\\s?[\\w.]{1,60}\\s?,\\s?(?:plural|select|selectordinal|choice)\\s?," NESTED_BRACES "\\}" },
    { { "{{ x | filter }}", "{{{x}}}", "{% if x %}", "{# note #}", "<% if x %>" },
      "\\{{2,3}[^{}]++\\}{2,3}|\\{%(?:[^{}%]|%(?!\\}))++%\\}|\\{#(?:[^{}#]|#(?!\\}))++#\\}|<%(?:[^<>%]|%(?!>))++%>" },
    { { "${v}", "#{x}", "%{x}", "@{x}", "$(v)" }, "[$#%@]\\{[^{}]{1,100}+\\}|\\$\\(" NAME "\\)" },

    { { "<x id=\"1\"/>", "</a>", "<name>", "<0/>" },
      "<(?:/?[A-Za-z][\\w:.-]{0,40}+|[0-9]{1,3}+(?=/)|/[0-9]{1,3}+)"
      "(?:\\s+[\\w:.-]{1,40}+\\s?=\\s?(?:\"[^\"<>]{0,200}+\"|'[^'<>]{0,200}+'))*+\\s?/?>" },
    { { "&amp;", "&#38;" }, "&(?:[A-Za-z][A-Za-z0-9]{1,31}+|#[0-9]{1,7}+|#[xX][0-9A-Fa-f]{1,6}+);" },
    { { "$x$", "$a_1 + b^2$", "$\\alpha$", "$m > n$", "$$a = b$$" },
      "(?<![\\p{L}\\p{N}\\\\$])\\$(?:[A-Za-z(|-][^\\s$]{0,60}+|(?=[^$]{0,200}(?:\\\\[A-Za-z]|[\\^_]))"
      "[^\\s$][^$]{0,200}+(?<!\\s)|" RELATION ")\\$(?![\\p{L}\\p{N}$])|\\$\\$[^$]{1,400}+\\$\\$" },
    /* TeX, and MathJax; Markdown and strings double the backslashes. */
    { { "\\(x^2 + f(y)\\)", "\\[x_{[1]}\\]", "\\\\(x\\\\)" },
      "\\\\{1,2}+\\((?:[^()\\\\]|\\\\(?![()])|\\([^()]{0,100}+\\)){1,200}+\\\\\\)|"
      "\\\\{1,2}+\\[(?:[^\\[\\]\\\\]|\\\\(?![\\[\\]])|\\[[^\\[\\]]{0,100}+\\]){1,200}+\\\\\\]" },

    /* Symbols, which few models know: emoji, arrows, operators, as well as money without separators. */
    { { "😀", "→", "≥", "°C", "€5" },
      "(?:[\\x{1f1e6}-\\x{1f1ff}]{2}|[0-9#*]\\x{fe0f}\\x{20e3}|" SYMBOL SYMBOL_STYLE "(?:\\x{200d}" SYMBOL SYMBOL_STYLE
      ")*+)++|\\x{b0}[CF]?(?![a-z])|[\\x{a2}-\\x{a5}\\x{20a0}-\\x{20cf}](?:[0-9]{1,9}(?![0-9]|[.,][0-9]))?" },
    { { NULL }, NULL }
};
