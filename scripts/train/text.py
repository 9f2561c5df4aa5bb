"""Cleans pairs: unifies spelling and quotation marks, and finds code and misaligned pairs."""

import re
import unicodedata

from sources import GROUPS

ENGLISH = frozenset("the of to and is are this that with for you your from be by it which".split())
WORD = re.compile(r"[^\W\d_]+")
TRUSTED = ("everyday", "bible", "written", "phrases", "idioms")  # groups that are hardly filtered
NUMBER = re.compile(r"\d+")
CODE = re.compile(r"[{}\\<>|]|::|==|->|=>|\w_\w|\w\(\)|https?:|\w/\w+/\w|\$\w|[^\W\d_]\.[^\W\d_]\S*\.|;$|\[\^|\*\w")
# Text that a translation copies: addresses, placeholders, tags. A pair in which both sides have the same is not code.
COPIED = re.compile(
    r"https?://[^\s<>\"„“]*[\w/]"
    r"|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|%(?:\d+\$)?[-+0]?\d*(?:\.\d+)?(?:l{0,2}[duixfsc]|@)(?!\w)"
    r"|%[\w]+%|%\(\w+\)s|\$\{\w+\}|\{\{ ?[\w.]+ ?\}\}|\{\w*\}"
    r"|</?\w[^<>]*>"
)
QUOTED = re.compile(r'"([^"]*)"')
SINGLE = re.compile(r"(?<!\w)[\u201a\u2039\u203a']([^\u201a\u2018\u2019\u2039\u203a']+)[\u2018\u2019\u2039\u203a'](?!\w)")

# Spelling before 1996: "ß" after a short vowel. Long vowels and diphthongs keep it ("groß", "Maß", "ließ", "weiß").
SHARP_S = re.compile(
    r"\b(?:so)?daß\b|muß(?!e\b|estunde)|müß(?!ig)|w[uü]ß(?=t)|(?<!e)iß|(?<!i)eß"
    r"|[lhn]aß|(?<!\bin)faß|(?<!s)paß|kraß|\bbaß|trabaß|elsaß|l(?<!f)äß|häß|gräß|\b(?:g|f|p)äß(?=chen|lein|ler)"
    r"|(?:sch|schl|fl|g|n|k|dr)uß|(?:w|k|n|fl|schl|sch)üß|\brußland"
    r"|schloß|goß|genoß|geschoß|(?<!g)roß|[bl]oß(?<=amboß)|koloß|schlöß|\bröß(?=chen|lein|l)",
    re.IGNORECASE,
)
FLOWED = re.compile(r"\b((?:be|zer|ab|er|ver|ein|zu|über)?)floß\b|\b((?:be|ab|er|ver|an|zer|über)?)schoß\b")  # not the nouns
OLD_SPELLINGS = [
    (re.compile(old), new)
    for old, new in (
        (r"\b([Nn])umerier", r"\1ummerier"),
        (r"\b(\w*[Pp])lazier", r"\1latzier"),
        (r"\b([Ii]m) (allgemeinen|übrigen|folgenden|wesentlichen|einzelnen|besonderen|weiteren|nachhinein|voraus)(?=[,.;:]| [a-zäöü]+(?:t|en|e)\b)(?! [a-zäöü]+ [A-ZÄÖÜ])",
         lambda m: m[1] + " " + m[2].capitalize()),
        (r"\b([Dd])es weiteren\b", r"\1es Weiteren"),
        (r"\b([Ii])n bezug auf\b", r"\1n Bezug auf"),
        (r"\b([Hh]eute|[Gg]estern|[Mm]orgen|[Vv]orgestern|[Üü]bermorgen) (abend|mittag|nachmittag|vormittag|nacht|morgen)\b",
         lambda m: m[1] + " " + m[2].capitalize()),
        (r"\b([Ww])ieviel\b", r"\1ie viel"),
        (r"\b([Ww])ieviele\b", r"\1ie viele"),
        (r"\b([Zz])uviel(e?)\b", r"\1u viel\2"),
        (r"\b([Zz])uwenig\b", r"\1u wenig"),
        (r"\b([Rr])auh(?!eit|aar)", r"\1au"),
        (r"Känguruh", "Känguru"),
        (r"([Ss])chiffahrt", r"\1chifffahrt"),
        (r"\b([Gg])reuel", r"\1räuel"),
        # Spelling before 1901, in the oldest books.
        (r"\bThür(?!ing)", "Tür"),
        (r"\bThier(?!ry|s)", "Tier"),
        (r"\b([Tt])heil", r"\1eil"),
        (r"\bThal\b", "Tal"),
        (r"\b([Tt])hun\b", r"\1un"),
        (r"\bthat(en|est|et)?\b", r"tat\1"),
        (r"\b([Gg])iebt?\b", lambda m: m[1] + "ib" + m[0][4:]),
        (r"\b([Ss])ey(n|d|en)?\b", r"\1ei\2"),
    )
]


def copied(text):
    return sorted(COPIED.findall(text))


def without_copied(text):
    return COPIED.sub("X", text)


def tidy(text):
    """Unifies spaces and composes characters."""
    text = unicodedata.normalize("NFC", text).replace("\\u00A0", " ").replace("\\*", "*")
    text = re.sub("[\u00ad\u200b\u200e\u200f\u2060\ufeff]", "", text)
    return " ".join(text.split())


def balance(text, opening, closing, straight='"'):
    """Drop a quotation mark at an edge whose partner is in another sentence."""
    marks = opening + closing + straight
    if sum(text.count(mark) for mark in set(marks)) % 2:
        if text[:1] in marks:
            return text[1:].lstrip()
        if text[-1:] in marks:
            return text[:-1].rstrip()
    return text


def tidy_english(text):
    """Replaces quotation marks and apostrophes by straight ones."""
    text = balance(tidy(text), "\u201c\u201e\u00ab", "\u201d\u00bb")
    text = re.sub("[\u201c\u201d\u201e\u201f\u00ab\u00bb]", '"', text)
    text = re.sub("[\u2018\u2019\u201a\u02bc\u00b4`]", "'", text)
    text = text.replace("''", '"')
    return re.sub(r" (?:-|--|\u2014|\u2015) ", " \u2013 ", text)


def new_spelling(text):
    """Converts German to the spelling since 1996."""
    if "ß" in text:
        text = re.sub(r"niß\b", "nis", text)
        text = SHARP_S.sub(lambda match: match[0].replace("ß", "ss"), text)
        text = FLOWED.sub(lambda match: match[0].replace("ß", "ss"), text)
    for old, new in OLD_SPELLINGS:
        text = old.sub(new, text)
    return text


def tidy_german(text):
    """Low and high quotation marks, straight apostrophes, spelling of today."""
    text = balance(tidy(text), "\u201e\u00bb\u00ab", "\u201c\u201d")
    if text.count('"') % 2 == 0:
        text = QUOTED.sub("\u201e\\1\u201c", text)
    text = re.sub("\u00bb([^\u00bb\u00ab]*)\u00ab", "\u201e\\1\u201c", text)
    text = re.sub("\u00ab([^\u00bb\u00ab]*)\u00bb", "\u201e\\1\u201c", text)
    text = re.sub("[\u201e\u201c]([^\u201e\u201c\u201d]*)\u201d", "\u201e\\1\u201c", text)
    text = SINGLE.sub("\u201a\\1\u2018", text)
    text = re.sub("(?<=\\w)[\u2018\u2019\u02bc\u00b4`]|\u2019", "'", text)
    text = re.sub(r" (?:-|--|\u2014|\u2015) ", " \u2013 ", text)
    return new_spelling(text)


def is_noise(english, german, group):
    """Returns whether a pair is code, untranslated, misaligned or not a sentence."""
    if not english or not german or english == german:
        return True
    if len(english) > 600 or len(german) > 600:
        return True
    ratio = (len(german) + 8) / (len(english) + 8)
    if not 0.45 < ratio < 2.2:
        return True
    words_en = WORD.findall(english)
    words_de = WORD.findall(german)
    if not words_en or not words_de or max(map(len, words_en)) > 24:
        return True
    name = GROUPS[group]
    if name in TRUSTED:
        return False
    if not 0.55 < ratio < 2.0:
        return True
    if copied(english) != copied(german):
        return True
    if name == "interface" and ("#" in english or ";" in english):  # numbers of lines, and several forms of a plural
        return True
    if CODE.search(without_copied(english)) or CODE.search(without_copied(german)):
        return True
    if name == "sutta":
        return False
    for text, words in ((english, words_en), (german, words_de)):
        if sum(map(len, words)) < 0.65 * len(text):
            return True
    if sorted(NUMBER.findall(english)) != sorted(NUMBER.findall(german)):
        return True
    # Much of the German side is left in English.
    lower_en = {word.lower() for word in words_en}
    lower_de = [word.lower() for word in words_de]
    if sum(word in ENGLISH for word in lower_de) > 0.1 * len(lower_de):
        return True
    if len(words_de) > 3 and sum(word in lower_en for word in lower_de) > 0.5 * len(lower_de):
        return True
    if english[-1] in ".?!:" and len(words_en) > 5 and german[-1] not in ".?!:)\u201c":
        return True
    return False
