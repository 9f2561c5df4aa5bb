#!/usr/bin/env python3
"""Clean a parallel corpus, train the SentencePiece model and store the encoded pairs.

Input: tab-separated lines "English, German, source" (plain or .xz). Output, in --out:

  spm.model   joint unigram model with byte fallback, used for both languages
  vocab.json  piece -> id: </s> 0, <unk> 1, the pieces, <pad> last
  pairs.npz   token ids of every kept pair, with the number of its group
  dev.tsv     held-out pairs, never trained on
"""

import argparse
import collections
import json
import lzma
import os
import random
import re
import sys

import numpy as np
import sentencepiece

GROUPS = ("everyday", "technical", "bible")

ENGLISH = frozenset("the of to and is are this that with for you your from be by it which".split())
WORD = re.compile(r"[^\W\d_]+")
NUMBER = re.compile(r"\d+")
CODE = re.compile(r"[{}\\<>|]|::|==|->|=>|\w_\w|\w\(\)|https?:|\w/\w+/\w|\$\w|[^\W\d_]\.[^\W\d_]\S*\.|;$")
QUOTED = re.compile(r'"([^"]*)"')


def read_pairs(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 3:
                yield fields


def group_of(source):
    """Number in GROUPS of a corpus name."""
    if source == "tatoeba":
        return 0
    return 2 if source.startswith("bible") else 1


def tidy(text):
    return " ".join(text.replace("\u00ad", "").replace("\u00a0", " ").split())


def tidy_german(text):
    """One style of apostrophes and quotation marks, so that the model need not guess."""
    text = tidy(text).replace("\u2019", "'")
    if text.count('"') % 2 == 0:
        text = QUOTED.sub("\u201e\\1\u201c", text)
    return text


def is_noise(english, german, group):
    """Whether a pair is code, untranslated, misaligned or no sentence at all."""
    if not english or not german or english == german:
        return True
    if len(english) > 500 or len(german) > 500:
        return True
    ratio = (len(german) + 8) / (len(english) + 8)
    if not 0.45 < ratio < 2.2:
        return True
    words_en = WORD.findall(english)
    words_de = WORD.findall(german)
    if not words_en or not words_de:
        return True
    if group != 1:
        return False
    if not 0.6 < ratio < 1.9 or max(map(len, words_en)) > 24:
        return True
    if CODE.search(english) or CODE.search(german):
        return True
    for text, words in ((english, words_en), (german, words_de)):
        if sum(map(len, words)) < 0.7 * len(text):
            return True
    if sorted(NUMBER.findall(english)) != sorted(NUMBER.findall(german)):
        return True
    # Much of the German side is left in English.
    lower_en = {word.lower() for word in words_en}
    lower_de = [word.lower() for word in words_de]
    if sum(word in ENGLISH for word in lower_de) > 0.1 * len(lower_de):
        return True
    if sum(word in lower_en for word in lower_de) > 0.5 * len(lower_de):
        return True
    if english[-1] in ".?!:" and len(words_en) > 5 and german[-1] not in ".?!:)\u201c":
        return True
    return False


def clean(path, max_copies):
    """Kept (english, german, group) triples: no noise, no duplicates, few variants of a template."""
    seen = set()
    templates = collections.Counter()
    counts = collections.Counter()
    kept = []
    for english, german, source in read_pairs(path):
        group = group_of(source)
        english, german = tidy(english), tidy_german(german)
        counts[GROUPS[group], "read"] += 1
        if is_noise(english, german, group):
            counts[GROUPS[group], "noise"] += 1
            continue
        if (english, german) in seen:
            counts[GROUPS[group], "duplicate"] += 1
            continue
        seen.add((english, german))
        if group == 1:
            template = NUMBER.sub("0", english.lower())
            templates[template] += 1
            if templates[template] > max_copies:
                counts[GROUPS[group], "template"] += 1
                continue
        counts[GROUPS[group], "kept"] += 1
        kept.append((english, german, group))
    for name in sorted(counts):
        print("%-10s %-10s %8d" % (*name, counts[name]))
    return kept


def train_tokenizer(pairs, prefix, pieces, sentences, seed):
    """Train on a sample in which half of the lines are everyday sentences."""
    rng = random.Random(seed)
    pools = [[pair for pair in pairs if pair[2] == group] for group in range(len(GROUPS))]
    sample = []
    for pool, share in zip(pools, (0.5, 0.42, 0.08)):
        rng.shuffle(pool)
        sample.extend(pool[: int(sentences * share)])
    lines = [text for pair in sample for text in pair[:2]]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=prefix,
        model_type="unigram",
        vocab_size=pieces,
        character_coverage=0.9998,
        byte_fallback=True,
        normalization_rule_name="nmt_nfkc",
        bos_id=-1,
        eos_id=0,
        unk_id=1,
        pad_id=-1,
        num_threads=os.cpu_count() or 1,
        minloglevel=1,
    )


def write_vocabulary(model, path):
    """ids by piece in SentencePiece's order, with <pad> appended."""
    vocabulary = {model.id_to_piece(i): i for i in range(model.get_piece_size())}
    vocabulary["<pad>"] = len(vocabulary)
    with open(path, "w", encoding="utf-8") as out:
        json.dump(vocabulary, out, ensure_ascii=False, indent=0)
        out.write("\n")


def flatten(rows):
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return np.concatenate([np.asarray(row, np.int16) for row in rows]), offsets


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", help="tab-separated English, German, source (.xz or plain)")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument("--tokenizer", help="use this SentencePiece model instead of training one")
    parser.add_argument("--pieces", type=int, default=7999, help="pieces in the tokenizer (default %(default)s)")
    parser.add_argument("--sample", type=int, default=300000, help="pairs to train the tokenizer on")
    parser.add_argument("--max-pieces", type=int, default=100, help="drop pairs with a longer side")
    parser.add_argument("--max-copies", type=int, default=2, help="pairs kept with one English template")
    parser.add_argument("--dev", type=int, default=500, help="pairs held out of everyday and of technical text")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    pairs = clean(args.corpus, args.max_copies)
    rng = random.Random(args.seed)
    rng.shuffle(pairs)

    # Hold out whole English sentences, so that no variant of a dev sentence is trained on.
    dev = []
    for group in (0, 1):
        pool = [pair for pair in pairs if pair[2] == group]
        dev.extend(pool[: args.dev])
    held_out = {english for english, _, _ in dev}
    pairs = [pair for pair in pairs if pair[0] not in held_out]
    with open(os.path.join(args.out, "dev.tsv"), "w", encoding="utf-8") as out:
        for english, german, group in dev:
            out.write("%s\t%s\t%s\n" % (english, german, GROUPS[group]))

    path = os.path.join(args.out, "spm.model")
    if args.tokenizer:
        with open(args.tokenizer, "rb") as source, open(path, "wb") as target:
            target.write(source.read())
    else:
        train_tokenizer(pairs, path[: -len(".model")], args.pieces, args.sample, args.seed)
    model = sentencepiece.SentencePieceProcessor(model_file=path)
    write_vocabulary(model, os.path.join(args.out, "vocab.json"))

    sources = model.encode([pair[0] for pair in pairs])
    targets = model.encode([pair[1] for pair in pairs])
    groups, kept_sources, kept_targets = [], [], []
    for source, target, pair in zip(sources, targets, pairs):
        if max(len(source), len(target)) <= args.max_pieces:
            kept_sources.append(source)
            kept_targets.append(target)
            groups.append(pair[2])
    source_ids, source_offsets = flatten(kept_sources)
    target_ids, target_offsets = flatten(kept_targets)
    np.savez(
        os.path.join(args.out, "pairs.npz"),
        source_ids=source_ids,
        source_offsets=source_offsets,
        target_ids=target_ids,
        target_offsets=target_offsets,
        groups=np.asarray(groups, np.int8),
    )
    for group, name in enumerate(GROUPS):
        chosen = np.asarray(groups) == group
        print(
            "%-10s %7d pairs, %5.1f and %5.1f pieces on average"
            % (name, chosen.sum(), np.diff(source_offsets)[chosen].mean(), np.diff(target_offsets)[chosen].mean())
        )


if __name__ == "__main__":
    sys.exit(main())
