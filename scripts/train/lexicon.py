#!/usr/bin/env python3
"""Add single words and their translations to the pairs of align.py, so that rare words are seen more often.

The links between pieces become links between words: a word is linked to the source word that most of its pieces are
linked to. A source word and the one to three adjacent target words that are linked to it are counted as a pair, except at
the beginning of a sentence, where the case says nothing. A pair is added to pairs.npz, in the group "lexicon", if it was
counted at least --least times, and if its count is at least SOURCE_SHARE of all counts of the word, TARGET_SHARE of all
counts of the translation, and SENTENCE_SHARE of the sentences with the word. Synthetic and back-translated pairs are not
counted; pairs of equal words and words of one letter are not added.
"""

import argparse
import collections
import os
import re
import sys

import numpy as np
import sentencepiece

from encode import flatten
from sources import GROUPS

SOURCE_SHARE = 0.3
TARGET_SHARE = 0.005
SENTENCE_SHARE = 0.12
LONGEST = 3  # target words
WORD = re.compile(r"[^\W\d_](?:[\w'\u2019-]*\w)?")
MARKS = ".,;:!?\"()[]\u201c\u201d\u201e\u00bb\u00ab\u2026\u2013"
NOT_COUNTED = [GROUPS.index(name) for name in ("synthetic", "mono")]


def words_of(pieces):
    """The words that the pieces spell, without punctuation around them, and the number of the word of each piece."""
    words, numbers = [], []
    for piece in pieces:
        if piece.startswith("\u2581") or not words:
            words.append("")
        words[-1] += piece.lstrip("\u2581")
        numbers.append(len(words) - 1)
    return [word.strip(MARKS) for word in words], numbers


def ends_sentence(piece):
    return piece[-1:] in ".:!?"


class Lexicon:
    def __init__(self):
        self.pairs = collections.Counter()  # (word, translation)
        self.sentences = collections.Counter()  # in which a source word occurs

    def add(self, source, target, links):
        """Count the words of a pair of sentences, given as pieces; `links` has the source position of each target piece."""
        words, word_of = words_of(source)
        translations, translation_of = words_of(target)
        self.sentences.update(set(words))
        votes = [collections.Counter() for _ in translations]
        for number, link in zip(translation_of, links):
            votes[number][word_of[link] if link >= 0 else -1] += 1
        linked = collections.defaultdict(list)
        for number, vote in enumerate(votes):
            linked[vote.most_common(1)[0][0]].append(number)
        linked.pop(-1, None)
        first = {0} | {word_of[i] for i in range(1, len(source)) if ends_sentence(source[i - 1])}
        for number, found in linked.items():
            adjacent = found[-1] - found[0] == len(found) - 1
            if number in first or found[0] == 0 or len(found) > LONGEST or not adjacent:
                continue
            chosen = [translations[i] for i in found]
            if all(WORD.fullmatch(word) for word in [words[number], *chosen]):
                self.pairs[words[number], " ".join(chosen)] += 1

    def best(self, least):
        """The pairs that are frequent enough. Spellings of a translation that differ only in case count together, and the
        most frequent one is used.
        """
        variants = collections.defaultdict(collections.Counter)
        word_counts, translation_counts = collections.Counter(), collections.Counter()
        for (word, translation), count in self.pairs.items():
            variants[word, translation.lower()][translation] += count
            word_counts[word] += count
            translation_counts[translation.lower()] += count
        for (word, lower), counts in variants.items():
            count, (translation, _) = sum(counts.values()), counts.most_common(1)[0]
            if (count >= least and len(word) > 1 and word != translation and count >= SOURCE_SHARE * word_counts[word]
                    and count >= TARGET_SHARE * translation_counts[lower] and count >= SENTENCE_SHARE * self.sentences[word]):
                yield word, translation


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="folder written by encode.py and align.py")
    parser.add_argument("--least", type=int, default=3, help="smallest number of times that a pair is counted")
    args = parser.parse_args()

    path = os.path.join(args.data, "pairs.npz")
    data = dict(np.load(path))
    if (data["groups"] == GROUPS.index("lexicon")).any():
        print("the lexicon was added before")
        return
    model = sentencepiece.SentencePieceProcessor(model_file=os.path.join(args.data, "spm.model"))
    pieces = [model.id_to_piece(i) for i in range(model.get_piece_size())]
    lexicon = Lexicon()
    for number in np.flatnonzero(~np.isin(data["groups"], NOT_COUNTED)):
        (a, b), (c, d) = (data[side + "_offsets"][number : number + 2] for side in ("source", "target"))
        lexicon.add([pieces[i] for i in data["source_ids"][a:b]], [pieces[i] for i in data["target_ids"][c:d]],
                    data["links"][c:d].tolist())
    pairs = sorted(lexicon.best(args.least))
    for side, texts in (("source", [pair[0] for pair in pairs]), ("target", [pair[1] for pair in pairs])):
        ids, offsets = flatten(model.encode(texts))
        data[side + "_offsets"] = np.concatenate([data[side + "_offsets"], data[side + "_ids"].size + offsets[1:]])
        data[side + "_ids"] = np.concatenate([data[side + "_ids"], ids])
    data["groups"] = np.concatenate([data["groups"], np.full(len(pairs), GROUPS.index("lexicon"), np.int8)])
    data["links"] = np.concatenate([data["links"], np.full(data["target_ids"].size - data["links"].size, -1, np.int16)])
    np.savez(path + ".new.npz", **data)
    os.replace(path + ".new.npz", path)
    print("%d pairs of a word and its translation" % len(pairs))


if __name__ == "__main__":
    sys.exit(main())
