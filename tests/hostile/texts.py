"""Texts that are hard to read: broken UTF-8, endless lines, marks without letters, expressions of exponential time."""

from cases import case, file_with

GROUP = "Texts"
KUHN = "UTF-8 decoder test"
UTR36 = "UTR 36"
BLNS = "naughty strings"
TROJAN = "Trojan Source"
REDOS = "ReDoS"
LETTERS = "a" * 40 + "!\n"


def text(trick, source, content, arguments="-m m -q --max-length 4", status=0):
    case(GROUP, trick, source, file_with("in", content), arguments, status)


text(
    "A slash, a NUL and a newline in overlong sequences",
    KUHN,
    b"a\xc0\xafb\xe0\x80\xaf\xf0\x80\x80\xaf\xc0\x80\xc0\x8a.\n",
)
text("Surrogates, single and in pairs", KUHN, b"\xed\xa0\x80 \xed\xbf\xbf \xed\xa0\xbd\xed\xb8\x80\n")
text(
    "Codes above U+10FFFF, and sequences of five and six bytes",
    KUHN,
    b"\xf4\x90\x80\x80 \xf8\x88\x80\x80\x80 \xfc\x84\x80\x80\x80\x80 \xfe\xff\n",
)
text("300,000 continuation bytes", KUHN, b"\x80" * 300000 + b"\n")
text("The end of the input cuts off a character", KUHN, b"One.\n\xf0\x9f\n")
text(
    "All noncharacters and private characters",
    BLNS,
    ("".join(map(chr, [*range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, *range(0xE000, 0xE100)])) + "\n"),
)
text("NULs and control characters", BLNS, bytes(b for b in range(256) if b not in (10,)) + b"\n")
text("A line of three million blanks", "own", lambda: " " * 3000000 + "\n")
text("A line of 30,000 letters without a blank", "own", lambda: "a" * 30000 + "\n")
text("A line of 300,000 letters that the vocabulary lacks", "own", lambda: "\u6f22" * 300000 + "\n")
text("300,000 combining marks on one letter", UTR36, lambda: "a" + "\u0301" * 300000 + "\n")
text("Combining marks in an order that normalization reverses", UTR36, lambda: "a" + "\u0301\u0316" * 150000 + "\n")
text(
    "Combining marks of two classes, all marks of one class first",
    UTR36,
    lambda: "a" + "\u0301" * 150000 + "\u0316" * 150000 + "\n",
)
text(
    "Zalgo: words with fifty marks on each letter",
    BLNS,
    lambda: (
        "".join(c + "".join(chr(0x300 + (i * 7 + ord(c)) % 112) for i in range(50)) for c in "One line. " * 200) + "\n"
    ),
)
text(
    "100,000 ligatures, each of which normalization makes eighteen characters long",
    UTR36,
    lambda: "\ufdfa" * 100000 + "\n",
)
text(
    "Letters that look alike, and letters of full width",
    UTR36,
    "\u041ene \u2113ine. \uff2f\uff4e\uff45 \uff4c\uff49\uff4e\uff45\uff0e\n",
)
text("Bidirectional overrides and isolates", TROJAN, "One \u202e\u2066line\u2069 \u2066.\u2069\n")
text("100,000 isolates that are not closed", TROJAN, lambda: "\u2066" * 100000 + "a\n")
text("Families of emoji joined 100,000 times", BLNS, lambda: "\U0001f468\u200d" * 100000 + "\n")
text("A language tag in invisible characters", UTR36, "One\U000e0001\U000e0064\U000e0065\U000e007f line.\n")
text("Escape sequences that control a terminal", BLNS, b"\x1b]0;title\x07\x1b[2J\x9b31m\n")
text("Special tokens of the model in the text", "own", "</s> <pad> <unk> >>de<< One.\n")
text(
    "A sentence that never ends, divided into sentences",
    "own",
    lambda: "a. " * 15000 + "\n",
    "-m m -q --max-length 2 --split",
)
text(
    "300,000 brackets and quotation marks, divided into sentences",
    "own",
    lambda: '("' * 150000 + "\n",
    "-m m -q --max-length 2 --split",
)
text(
    "`--keep` has an expression that takes exponential time with this text", REDOS, LETTERS, "-m m -q --keep (a+)+$", 1
)
text("`--keep` has nested repetitions", REDOS, LETTERS, "-m m -q --keep ((a*)*)*b", 0)
text(
    "`--keep` repeats 65,535 times a group that repeats 65,535 times",
    REDOS,
    "One.\n",
    "-m m --keep ((a{65535}){65535})",
    2,
)
text("The expression of `--keep` calls itself without end", REDOS, "One.\n", "-m m --keep (?R)", 1)
text("`--keep` has 300 nested groups", REDOS, "One.\n", "-m m --keep " + "(" * 300 + "a" + ")" * 300, 2)
