#!/usr/bin/env python3
"""Encode the output of prepare.py for one direction, with synthetic and back-translated pairs.

Output, in --out:

  pairs.npz      token ids of every pair, the number of its group, and links after align.py
  dev.npz        the same for the held-out pairs; the group is the number of the dev set
  spm.model, vocab.json, languages.json   copies, so that training and export need only this folder
"""

import argparse
import json
import os
import random
import re
import shutil
import sys

import numpy as np
import sentencepiece

import synthetic
from prepare import BACK_TRANSLATED, lines_of
from sources import DEV, GROUPS

CURLED = re.compile(r'"([^"]*)"')


def vary_english(text, rng):
    """Varies the typography as users do, for the source side only."""
    if rng.random() < 0.3:
        text = CURLED.sub("\u201c\\1\u201d", text).replace("'", "\u2019")
    return text


def vary_german(text, rng):
    luck = rng.random()
    if luck < 0.3:
        text = text.replace("\u201e", '"').replace("\u201c", '"')
    elif luck < 0.4:
        text = text.replace("\u201e", "\u00bb").replace("\u201c", "\u00ab")
    if rng.random() < 0.3:
        text = text.replace("'", "\u2019")
    if rng.random() < 0.03:  # as written before 1996
        text = re.sub(r"\b([Dd]a|[Mm]u|[Ll]ä|[Ww]u|[Mm]ü)ss(?=(?:te?n?)?\b)", r"\1ß", text)
    return text


VARY = {"en": vary_english, "de": vary_german}


class Encoder:
    """Collects pairs as ids, source first."""

    def __init__(self, model, longest):
        self.model, self.longest = model, longest
        self.sources, self.targets, self.groups = [], [], []

    def add(self, sources, targets, groups, tag=()):
        for source, target, group in zip(self.model.encode(sources), self.model.encode(targets), groups):
            if 0 < len(source) <= self.longest and 0 < len(target) <= self.longest:
                self.sources.append(list(tag) + source)
                self.targets.append(target)
                self.groups.append(group)

    def save(self, path, **arrays):
        source_ids, source_offsets = flatten(self.sources)
        target_ids, target_offsets = flatten(self.targets)
        np.savez(path + ".new.npz", source_ids=source_ids, source_offsets=source_offsets, target_ids=target_ids,
                 target_offsets=target_offsets, groups=np.asarray(self.groups, np.int8), **arrays)
        os.replace(path + ".new.npz", path)


def flatten(rows):
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return np.concatenate([np.zeros(0, np.int16), *(np.asarray(row, np.int16) for row in rows)]), offsets


def read_rows(path):
    return [line.split("\t") for line in lines_of(path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prepared", help="folder written by prepare.py")
    parser.add_argument("--direction", choices=("en-de", "de-en"), default="en-de")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument("--back-translated", nargs="*", default=[], metavar="FILE",
                        help="tab-separated target sentence and its machine translation, which becomes the source")
    parser.add_argument("--synthetic", type=int, default=80000, help="number of synthetic pairs")
    parser.add_argument("--longest", type=int, default=140, help="drop pairs in which a side has more pieces")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    for name in ("spm.model", "vocab.json"):
        shutil.copyfile(os.path.join(args.prepared, name), os.path.join(args.out, name))
    with open(os.path.join(args.out, "languages.json"), "w", encoding="utf-8") as out:
        json.dump(args.direction.split("-"), out)
    model = sentencepiece.SentencePieceProcessor(model_file=os.path.join(args.out, "spm.model"))
    rng = random.Random(args.seed)
    languages = args.direction.split("-")
    side = {"en": 0, "de": 1}
    from_, to = (side[language] for language in languages)
    vary = VARY[languages[0]]

    dev = Encoder(model, args.longest)
    for number, name in enumerate(DEV):
        rows = read_rows(os.path.join(args.prepared, "dev-%s.tsv" % name))
        dev.add([row[from_] for row in rows], [row[to] for row in rows], [number] * len(rows))
    dev.save(os.path.join(args.out, "dev.npz"))

    pairs = Encoder(model, args.longest)
    rows = read_rows(os.path.join(args.prepared, "corpus.tsv"))
    pairs.add([vary(row[from_], rng) for row in rows], [row[to] for row in rows], [int(row[2]) for row in rows])
    extra = synthetic.make(rows, languages, args.synthetic, rng)
    pairs.add([row[0] for row in extra], [row[1] for row in extra], [GROUPS.index("synthetic")] * len(extra))
    # Without <bt> in the vocabulary, this is <unk>, which no text contains if there is byte fallback.
    tag = [model.piece_to_id(BACK_TRANSLATED)]
    for path in args.back_translated:
        rows = [row for row in read_rows(path) if len(row) == 2]
        pairs.add([row[1] for row in rows], [row[0] for row in rows], [GROUPS.index("mono")] * len(rows), tag)
    pairs.save(os.path.join(args.out, "pairs.npz"))
    groups = np.asarray(pairs.groups)
    for number, name in enumerate(GROUPS):
        chosen = np.flatnonzero(groups == number)
        if len(chosen):
            sizes = [sum(len(side[i]) for i in chosen) / len(chosen) for side in (pairs.sources, pairs.targets)]
            print("%-10s %7d pairs, %5.1f and %5.1f pieces on average" % (name, len(chosen), *sizes))


if __name__ == "__main__":
    sys.exit(main())
