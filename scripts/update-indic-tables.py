#!/usr/bin/env python3
"""Writes tokenizer/families/indic_tables.c: the tables of the text steps of IndicTrans2 (indic_text.c).

Sources, all under the MIT licence:
- indic-nlp-library 0.92 (Anoop Kunchukuttan): the replacements of its normalizers. They are recorded: a string whose
  replace() notes its arguments passes through normalize() for each script. The package indic-nlp-library-itt 0.1.1 has
  the same ones, but spells each nukta as a backslash and five characters, which this script corrects.
- urduhack (Ikram Ali), which indic-nlp-library-itt includes: the characters of Urdu.
- IndicTransToolkit 1.1.1 (Varun Gumma, Jay Gala, Pranjal Agadh Chitale, Raj Dabre): the words that models write
  instead of "ID". They are read from processor.pyx.

    pip install IndicTransToolkit==1.1.1
    scripts/update-indic-tables.py > tokenizer/families/indic_tables.c
"""
import pathlib
import re

import indicnlp.normalize.indic_normalize as normalize
import IndicTransToolkit
from indicnlp.urduhack.normalization import character
from indicnlp.urduhack import urdu_characters

SCRIPTS = {"devanagari": "hi", "bengali": "bn", "gurmukhi": "pa", "gujarati": "gu", "odia": "or", "tamil": "ta",
           "telugu": "te", "kannada": "kn", "malayalam": "ml"}
FIRST, LAST = ("\ufeff", ""), ("\u2026", "...")  # of the replacements that all scripts share

HEAD = """/* indic_tables.c - the tables of indic_text.c, written by scripts/update-indic-tables.py from
 * indic-nlp-library 0.92 (Copyright 2013-present Anoop Kunchukuttan), urduhack (Copyright 2018 Ikram Ali) and
 * IndicTransToolkit 1.1.1 (Copyright 2024 Varun Gumma, Jay Gala, Pranjal Agadh Chitale, Raj Dabre). All three are under
 * the MIT licence. */
#include "indic_text.h"

#include <stddef.h>

/* clang-format off */"""


class Recorded(str):
    """A string that records what is replaced in it."""

    log = []

    def replace(self, old, new, *_):
        Recorded.log.append((str(old), str(new)))
        return Recorded(self)


def spelled(text):
    return "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\{c}" if c in '"\\' else f"\\u{ord(c):04x}"
                   for c in text)


def table(kind, name, items):
    lines, line = [], "   "
    for item in items + ["{ NULL, NULL }" if kind == "IndicRule" else "NULL"]:
        if len(line) + len(item) + 2 > 120:
            lines.append(line)
            line = "   "
        line += f" {item},"
    lines.append(line)
    body = "\n".join(lines)
    print(f"const {kind} {name}[] = {{\n{body}\n}};")


def rules(name, pairs):
    table("IndicRule", name, [f'{{ "{spelled(old)}", "{spelled(new)}" }}' for old, new in pairs])


def main():
    for value in vars(normalize).values():
        if hasattr(value, "NUKTA") and len(value.NUKTA) > 1:
            value.NUKTA = chr(int(value.NUKTA[2:], 16))
    print(HEAD)
    for script, code in SCRIPTS.items():
        Recorded.log = []
        normalize.IndicNormalizerFactory().get_normalizer(code).normalize(Recorded(""))
        first, last = Recorded.log.index(FIRST), Recorded.log.index(LAST) + 1
        if script == "devanagari":
            middle = Recorded.log.index(FIRST, first + 1)
            rules("indic_shared", Recorded.log[first:middle])
            rules("indic_punctuation", Recorded.log[middle:last])
        if first:
            rules(f"indic_{script}_before", Recorded.log[:first])
        rules(f"indic_{script}", Recorded.log[last:])
    rules("indic_urdu", [(chr(code), text) for code, text in sorted(character._TRANSLATOR.items())] +
          list(character.COMBINE_URDU_CHARACTERS.items()))
    for name, found in [("indic_urdu_diacritics", urdu_characters.URDU_DIACRITICS),
                        ("indic_urdu_punctuation", urdu_characters.URDU_PUNCTUATIONS),
                        ("indic_urdu_characters", urdu_characters.URDU_ALL_CHARACTERS)]:
        text = spelled("".join(sorted(found)))
        print(f"const char {name}[] =\n" +
              "\n".join(f'    "{text[i:i + 108]}"' for i in range(0, len(text), 108)) + ";")
    source = (pathlib.Path(IndicTransToolkit.__file__).parent / "processor.pyx").read_text(encoding="utf-8")
    cases = re.search(r"_INDIC_FAILURE_CASES = (\[.*?\])", source, re.DOTALL).group(1)
    table("char *const", "indic_identifier_words", [f'"{spelled(case)}"' for case in eval(cases)])
    print("/* clang-format on */")


if __name__ == "__main__":
    main()
