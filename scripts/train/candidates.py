#!/usr/bin/env python3
"""Translate training pairs with dragoman into n-best lists, and rate each candidate with the reference.

Output, in --out: candidates.npz, for `train.py --candidates`. It has the arrays of pairs.npz, with one pair per
candidate, and `costs` [lists, n]: 1 minus the mean of the candidate's BLEU and chrF (by sacrebleu, from 0 to 1).
Lists whose costs differ by at most 0.01 are left out, because they teach nothing.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import random
import sys

import numpy as np
import sacrebleu
import sentencepiece

from encode import Encoder, read_rows
from evaluate import translate
from sources import GROUPS, values_option

BLEU, CHRF = sacrebleu.BLEU(effective_order=True), sacrebleu.CHRF()


def chosen(rows, counts, from_, to, rng):
    """Returns (source, reference) of up to counts[group] pairs of each group, with 3 to 39 English words."""
    pairs = []
    for name, count in counts.items():
        members = [row for row in rows if GROUPS[int(row[2])] == name and 2 < len(row[0].split()) < 40]
        pairs += [(row[from_], row[to]) for row in rng.sample(members, min(count, len(members)))]
    return pairs


def n_best(program, model, sources, n):
    """Returns the n best translations of each source, or fewer."""
    lines = translate(program, model, sources, ["-b", str(n), "-n", str(n), "--no-split", "--format", "jsonl"])
    return [[translation["text"] for translation in json.loads(line).get("translations", [])] for line in lines]


def costs_of(rated):
    """Returns the cost of each candidate; `rated` has the candidates and their reference."""
    candidates, reference = rated
    scores = [[metric.sentence_score(text, [reference]).score for metric in (BLEU, CHRF)] for text in candidates]
    return [1 - sum(both) / 200 for both in scores]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="folder or packed file of the model to train further")
    parser.add_argument("prepared", help="folder written by prepare.py")
    parser.add_argument("--out", required=True, help="folder written by encode.py; candidates.npz is written there")
    parser.add_argument("--direction", choices=("en-de", "de-en"), default="en-de")
    parser.add_argument("--dragoman", default=os.path.join(os.path.dirname(__file__), "..", "..", "dragoman"), metavar="PROGRAM")
    parser.add_argument("--counts", type=functools.partial(values_option, convert=int), default="everyday=60000,general=20000,docs=10000",
                        metavar="GROUP=COUNT,...", help="pairs of each group (default %(default)s)")
    parser.add_argument("-n", type=int, default=5, help="candidates per source (default %(default)s)")
    parser.add_argument("--longest", type=int, default=90, help="drop lists in which a side has more pieces")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    from_, to = (("en", "de").index(language) for language in args.direction.split("-"))
    pairs = chosen(read_rows(os.path.join(args.prepared, "corpus.tsv")), args.counts, from_, to, random.Random(args.seed))
    lists = n_best(args.dragoman, args.model, [source for source, _ in pairs], args.n)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        costs = list(pool.map(costs_of, zip(lists, (reference for _, reference in pairs)), chunksize=1000))
    model = sentencepiece.SentencePieceProcessor(model_file=os.path.join(args.out, "spm.model"))
    encoder, kept = Encoder(model, args.longest), []
    for (source, _), candidates, cost in zip(pairs, lists, costs):
        fits = all(0 < len(ids) <= args.longest for ids in model.encode([source] + candidates))
        if fits and len(cost) == args.n and max(cost) - min(cost) > 0.01:
            encoder.add([source] * args.n, candidates, [0] * args.n)
            kept.append(cost)
    if not kept:
        raise SystemExit("no list has %d candidates of different cost" % args.n)
    encoder.save(os.path.join(args.out, "candidates.npz"), costs=np.asarray(kept, np.float32))
    kept = np.asarray(kept)
    print("%d of %d lists kept; mean cost of the first candidate %.3f, of the best %.3f, of all %.3f" % (
        len(kept), len(pairs), kept[:, 0].mean(), kept.min(1).mean(), kept.mean()))


if __name__ == "__main__":
    sys.exit(main())
