#!/usr/bin/env python3
"""Clean the corpora and train the SentencePiece model of both languages.

Input: tab-separated lines "English, German, source", and files with one sentence per line, some with the name of their
source after a tab (plain or .xz).
Output, in --out, the same for both directions:

  corpus.tsv     the kept pairs: English, German, number of the group, source
  mono.de        the kept German sentences, shuffled
  mono.en        the kept English sentences, shuffled
  dev-NAME.tsv   the held-out pairs of a set in --held-out, never trained on
  spm.model      joint unigram model with byte fallback
  vocab.json     piece -> id: </s> 0, <unk> 1, the pieces, <pad> last
"""

import argparse
import collections
import json
import lzma
import os
import random
import re
import sys

import sentencepiece

from sources import DEV, GROUPS, MONOLINGUAL, SOURCES, WEIGHTS, group_of
from text import NUMBER, TRUSTED, WORD, is_noise, tidy_english, tidy_german

# Characters that become a piece even if they are rare in the corpus.
CHARACTERS = "".join(map(chr, range(33, 127))) + "äöüÄÖÜßẞéèêëáàâãåæçíìîïñóòôõøœúùûýÿžščřćČŠŽÉÅØÇÁÍÓÚłŁßāīūōñṃṇṭḍṅ–—„“”‚‘’«»›‹€£¥§©®°±×÷·•→≤≥µα"
BACK_TRANSLATED = "<bt>"  # a control piece, which no text contains


def lines_of(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n")


def key(text):
    """Returns a key that nearly equal sentences share."""
    return "".join(WORD.findall(text.lower()))


class Templates:
    """Counts sentences that differ only in numbers and, in repetitive corpora, those that begin alike."""

    def __init__(self, copies, openings):
        self.copies, self.openings, self.counts = copies, openings, collections.Counter()

    def full(self, english, group):
        name = GROUPS[group]
        if name in TRUSTED:
            return False
        template = NUMBER.sub("0", english.lower())
        self.counts[template] += 1
        if self.counts[template] > self.copies:
            return True
        if name != "sutta":
            return False
        opening = tuple(english.lower().split()[:4])
        self.counts[opening] += 1
        return self.counts[opening] > self.openings


def clean(paths, excluded, seen, templates, counts):
    """Returns (english, german, group, source) without noise and duplicates, and with few variants of a template.

    `seen`, `templates` and `counts` remember the pairs of earlier calls.
    """
    kept = []
    for path in paths:
        for line in lines_of(path):
            fields = line.split("\t")
            if len(fields) != 3:
                continue
            source = fields[2]
            group = group_of(source)
            if group is None:
                counts[source, "left out"] += 1
                continue
            english, german = tidy_english(fields[0]), tidy_german(fields[1])
            pair = key(english), key(german)
            if is_noise(english, german, group):
                why = "noise"
            elif pair[0] in excluded or pair[1] in excluded:
                why = "in a test set"
            elif pair in seen:
                why = "duplicate"
            elif templates.full(english, group):
                why = "template"
            else:
                why = "kept"
                kept.append((english, german, group, source))
            seen.add(pair)
            counts[source, why] += 1
    return kept


def clean_mono(paths, excluded, tidy, rng):
    """Returns the sentences without noise and duplicates, shuffled, with the share of each source in MONOLINGUAL."""
    seen, kept = set(excluded), []
    for path in paths:
        for line in lines_of(path):
            sentence, _, source = line.partition("\t")
            if tidy is tidy_german and not source:  # speeches have hyphens where their lines ended
                sentence = re.sub(r"(?<=[a-zäöüß])-(?=[a-zäöüß]{2})|(?<!\S)-(?=[A-Za-z]{3})", "", sentence)
            sentence = tidy(sentence)
            letters = sum(map(len, WORD.findall(sentence)))
            if not 12 <= len(sentence) <= 400 or letters < 0.7 * len(sentence) or key(sentence) in seen:
                continue
            seen.add(key(sentence))
            if rng.random() < MONOLINGUAL[source or None][0]:
                kept.append(sentence)
    rng.shuffle(kept)
    return kept


def read_held_out(path):
    """Returns the rows of each set: English, German, source."""
    sets = {name: [] for name in DEV}
    for line in lines_of(path):
        name, *row = line.split("\t")
        sets[name].append(row)
    return sets


def tokenizer_sample(pairs, mono, sentences, rng):
    """Returns lines in about the mix that training uses."""
    share = {"everyday": 0.2, "general": 0.2, "community": 0.12, "docs": 0.2, "sutta": 0.02, "bible": 0.02, "literature": 0.1,
             "interface": 0.06, "written": 0.1, "phrases": 0.03, "idioms": 0.01}
    lines = []
    for group, name in enumerate(GROUPS):
        pool = [pair for pair in pairs if pair[2] == group]
        wanted = int(share.get(name, 0) * sentences)
        for pair in rng.sample(pool, min(wanted, len(pool))):
            lines.extend(pair[:2])
    for language in mono:
        lines.extend(rng.sample(language, min(len(language), sentences // 4)))
    return lines


def train_tokenizer(lines, prefix, pieces):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=prefix,
        model_type="unigram",
        vocab_size=pieces,
        character_coverage=0.9998,
        required_chars=CHARACTERS,
        byte_fallback=True,
        split_digits=True,
        control_symbols=[BACK_TRANSLATED],
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


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8") as out:
        out.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", nargs="+", help="tab-separated English, German, source")
    parser.add_argument("--mono", nargs="*", default=[], help="German sentences, one a line")
    parser.add_argument("--mono-en", nargs="*", default=[], help="English sentences, one a line")
    parser.add_argument("--exclude", nargs="*", default=[], help="tab-separated test sets whose sentences are left out")
    parser.add_argument("--held-out", default=os.path.join(os.path.dirname(__file__), "held-out.tsv.xz"), metavar="FILE",
                        help="tab-separated name of the set, English, German, source (default: held-out.tsv.xz)")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument("--tokenizer", help="use this SentencePiece model instead of training one")
    parser.add_argument("--pieces", type=int, default=11999, help="pieces in the tokenizer (default %(default)s)")
    parser.add_argument("--sample", type=int, default=240000, help="pairs to train the tokenizer on")
    parser.add_argument("--max-copies", type=int, default=2, help="pairs kept with one English template")
    parser.add_argument("--max-openings", type=int, default=12, help="suttas: sentences kept with the same four first words")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    excluded = {key(text) for path in args.exclude for line in lines_of(path) for text in line.split("\t")[:2]}
    sets = read_held_out(args.held_out)
    for name, rows in sets.items():
        write_rows(os.path.join(args.out, "dev-%s.tsv" % name), rows)
    excluded |= {key(text) for rows in sets.values() for row in rows for text in row[:2]}
    seen, counts, templates = set(), collections.Counter(), Templates(args.max_copies, args.max_openings)
    pairs = clean(args.corpora, excluded, seen, templates, counts)
    rng = random.Random(args.seed)
    rng.shuffle(pairs)
    mono = [clean_mono(args.mono, excluded, tidy_german, rng), clean_mono(args.mono_en, excluded, tidy_english, rng)]
    for language, lines in zip(("de", "en"), mono):
        write_rows(os.path.join(args.out, "mono." + language), [(line,) for line in lines])

    reasons = ("kept", "noise", "duplicate", "template", "in a test set", "left out")
    with open(os.path.join(args.out, "sources.tsv"), "w", encoding="utf-8") as out:
        out.write("\t".join(("source", "group", "licence") + reasons) + "\n")
        for source, (group, licence) in SOURCES.items():
            row = [source, group or "-", licence] + [str(counts[source, reason]) for reason in reasons]
            out.write("\t".join(row) + "\n")
    for group, name in enumerate(GROUPS):
        print("%-10s %7d pairs, weight %.2f" % (name, sum(pair[2] == group for pair in pairs), WEIGHTS[name]))
    print("%d German and %d English sentences, %d pairs held out" % (*map(len, mono), sum(map(len, sets.values()))))

    path = os.path.join(args.out, "spm.model")
    if args.tokenizer:
        with open(args.tokenizer, "rb") as source, open(path, "wb") as target:
            target.write(source.read())
    elif not os.path.exists(path):
        train_tokenizer(tokenizer_sample(pairs, mono, args.sample, rng), path[: -len(".model")], args.pieces)
    model = sentencepiece.SentencePieceProcessor(model_file=path)
    write_vocabulary(model, os.path.join(args.out, "vocab.json"))
    write_rows(os.path.join(args.out, "corpus.tsv"), pairs)  # last, so that its existence shows that all files are complete


if __name__ == "__main__":
    sys.exit(main())
