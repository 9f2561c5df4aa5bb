#!/usr/bin/env python3
"""Back-translate sentences of the target language with dragoman, in parts, so that the work can be interrupted.

Writes OUT/part-NNNN.tsv: each sentence and its translation. A pair is left out if the lengths or the numbers do not
match, if the translation repeats itself, or if it equals the sentence. Parts that exist are not written again.
"""

import argparse
import os
import sys

from evaluate import translate
from text import NUMBER, WORD


def is_bad(sentence, translation):
    """Returns whether a translation is probably wrong."""
    if not translation or translation == sentence:
        return True
    ratio = (len(sentence) + 8) / (len(translation) + 8)
    if not 0.55 < ratio < 2.0:
        return True
    if sorted(NUMBER.findall(sentence)) != sorted(NUMBER.findall(translation)):
        return True
    words = [word.lower() for word in WORD.findall(translation)]
    if len(words) > 8 and len(set(words)) < 0.45 * len(words):
        return True
    pairs = list(zip(words, words[1:], words[2:]))
    return len(pairs) > 6 and len(set(pairs)) < 0.8 * len(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="folder or packed file of the reverse direction")
    parser.add_argument("sentences", help="file with one sentence per line")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument("--dragoman", default=os.path.join(os.path.dirname(__file__), "..", "..", "dragoman"), metavar="PROGRAM")
    parser.add_argument("--part", type=int, default=10000, help="sentences per part")
    parser.add_argument("--parts", type=int, default=0, help="number of parts to write (default: all)")
    parser.add_argument("--beams", type=int, default=1)
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    with open(args.sentences, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    starts = range(0, len(lines), args.part)
    for number, start in enumerate(starts[: args.parts or None]):
        path = os.path.join(args.out, "part-%04d.tsv" % number)
        if os.path.exists(path):
            continue
        part = lines[start : start + args.part]
        translations = translate(args.dragoman, args.model, part, ["-b", str(args.beams)])
        kept = [pair for pair in zip(part, translations) if not is_bad(*pair)]
        with open(path + ".new", "w", encoding="utf-8") as out:
            out.writelines("%s\t%s\n" % pair for pair in kept)
        os.replace(path + ".new", path)
        print("part %d of %d: %d of %d pairs kept" % (number + 1, len(starts), len(kept), len(part)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
