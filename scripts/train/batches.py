"""Batches of encoded pairs: weighted by group, with some pairs joined, and with rows of similar length."""

import numpy as np

from model import EOS
from sources import GROUPS

JOINED = [GROUPS.index(name) for name in ("everyday", "general", "community", "docs", "mono", "literature")]  # groups whose pairs are joined


class Pairs:
    """The arrays of a file written by encode.py or candidates.py."""

    def __init__(self, path):
        data = np.load(path)
        self.source_ids, self.source_offsets = data["source_ids"], data["source_offsets"]
        self.target_ids, self.target_offsets = data["target_ids"], data["target_offsets"]
        self.groups = data["groups"]
        self.links = data["links"] if "links" in data else None  # source position of each target id, -1 for none
        self.costs = data["costs"] if "costs" in data else None  # [lists, n]: the pairs are candidates, n of each source


class Side:
    """Positions of the tokens of one side of a batch: each example is a row, which has one or more pairs."""

    def __init__(self, offsets, examples):
        pairs = np.fromiter((pair for example in examples for pair in example), np.int64)
        counts = np.fromiter(map(len, examples), np.int64)
        sizes = offsets[pairs + 1] - offsets[pairs]
        begins = np.cumsum(sizes) - sizes  # of each pair in the batch
        firsts = begins[np.cumsum(counts) - counts]  # of each row
        self.lengths = np.add.reduceat(sizes, np.cumsum(counts) - counts)
        self.tokens = np.repeat(offsets[pairs] - begins, sizes) + np.arange(sizes.sum())  # in the flat array
        self.rows = np.repeat(np.arange(len(examples)), self.lengths)
        self.columns = np.arange(sizes.sum()) - firsts[self.rows]
        self.shifts = begins - np.repeat(firsts, counts)  # of each pair in its row
        self.sizes = sizes


def source_grain(length, grain):
    """Source widths are multiples of this; `length` includes the end token, and may be an array."""
    return np.where(length <= 56, grain, np.clip(length // 32 * 8, 8, 64))


class Batch:
    """Arrays [rows, width]; padding labels are -100, links of -1 point nowhere, `mask` is None without padding.

    With `costs` [lists, n], the examples are lists of n candidates, `source` and `mask` have one row per list, and
    there is always a mask.
    """

    def __init__(self, pairs, examples, grain, pad, costs=None):
        candidates = 1 if costs is None else costs.shape[1]
        source, target = Side(pairs.source_offsets, examples[::candidates]), Side(pairs.target_offsets, examples)
        rows, every, sources = len(examples), np.arange(len(examples)), len(source.lengths)
        longest = 1 + target.lengths.max()
        target_grain = 2 if longest <= 24 else 4 if longest <= 48 else 8
        width = -(-longest // target_grain) * target_grain
        source_width = 1 + source.lengths.max()
        step = source_grain(source_width, grain)
        self.source = np.full((sources, -(-source_width // step) * step), pad, np.int64)
        self.source[source.rows, source.columns] = pairs.source_ids[source.tokens]
        self.source[np.arange(sources), source.lengths] = EOS
        self.prefix = np.full((rows, width), pad, np.int64)
        self.label = np.full((rows, width), -100, np.int64)
        self.label[target.rows, target.columns] = pairs.target_ids[target.tokens]
        self.label[every, target.lengths] = EOS
        self.prefix[target.rows, target.columns + 1] = pairs.target_ids[target.tokens]
        self.links = np.full((rows, width), -1, np.int64)
        if pairs.links is not None:
            links = pairs.links[target.tokens].astype(np.int64)
            self.links[target.rows, target.columns] = np.where(links < 0, -1, links + np.repeat(source.shifts, target.sizes))
        self.tokens = int(rows + sources + source.lengths.sum() + target.lengths.sum())
        padded = np.arange(self.source.shape[1]) > source.lengths[:, None]
        has_mask = costs is not None or padded.any()
        self.mask = np.where(padded, np.float32(-1e9), np.float32(0))[:, None, None] if has_mask else None
        self.costs = costs


class Corpus:
    """Distributes the pairs over epochs. A batch has about `tokens` source and target tokens."""

    def __init__(self, pairs, pad, weights, join, paragraphs, tokens, grain, rng):
        self.pairs, self.pad, self.weights, self.join, self.paragraphs = pairs, pad, weights, join, paragraphs
        self.tokens, self.grain, self.rng = tokens, grain, rng
        self.source_sizes = np.diff(pairs.source_offsets)
        self.target_sizes = np.diff(pairs.target_offsets)

    def sample(self):
        """Tuples of pairs; each tuple becomes one training example."""
        examples, joined = [], []
        for group, name in enumerate(GROUPS):
            members, weight = np.flatnonzero(self.pairs.groups == group), self.weights[name]
            whole = int(weight)
            parts = [members] * whole + [self.rng.permutation(members)[: int(len(members) * (weight - whole))]]
            for part in parts:
                order = self.rng.permutation(part).tolist()
                count = int(len(order) * (self.join + self.paragraphs)) if group in JOINED else 0
                joined.extend(order[:count])
                examples.extend((pair,) for pair in order[count:])
        example, size, aim = [], 0, 0
        long = self.paragraphs / max(1e-9, self.paragraphs + self.join)  # share of pairs that go into paragraphs
        share = long / 280 / (long / 280 + (1 - long) / 45)
        for pair in self.rng.permutation(joined).tolist():
            size += max(self.source_sizes[pair], self.target_sizes[pair])
            if size > aim:
                aim = self.rng.integers(120, 440) if self.rng.random() < share else self.rng.integers(16, 75)
                example, size = [], max(self.source_sizes[pair], self.target_sizes[pair])
                examples.append(example)
            example.append(pair)
        return examples

    def epoch(self, longest=448):
        """Returns shuffled lists of rows, each a tuple of pairs; `batch` converts one to arrays.

        A batch's rows follow from its source length, and target widths are rounded up, so that few
        different shapes occur: oneDNN compiles its kernels again for each shape.
        """
        examples = self.sample()
        sources = np.array([sum(self.source_sizes[pair] for pair in example) for example in examples]) + 1
        targets = np.array([sum(self.target_sizes[pair] for pair in example) for example in examples]) + 1
        grains = source_grain(sources, self.grain)
        sources = -(-sources // grains) * grains
        batches = []
        for length in np.unique(sources):
            rows = max(4, int(self.tokens / (2.15 * length + 6)) // 4 * 4)
            same = np.flatnonzero((sources == length) & (targets <= min(longest, 2 * length + 8)))
            if not len(same) or length > longest + 64:
                continue
            missing = -len(same) % rows
            if missing > len(same):
                continue  # too rare to fill a batch
            same = np.concatenate([same, self.rng.choice(same, missing, replace=False)])
            same = same[np.lexsort((self.rng.random(len(same)), targets[same]))]
            batches.extend([[examples[i] for i in row] for row in same.reshape(-1, rows)])
        self.rng.shuffle(batches)
        return batches

    def batch(self, examples):
        return Batch(self.pairs, examples, self.grain, self.pad)


class Candidates:
    """Distributes n-best lists over epochs. A batch has about `tokens` target tokens, in two lists or more."""

    def __init__(self, pairs, pad, tokens, grain, rng):
        self.pairs, self.pad, self.tokens, self.grain, self.rng = pairs, pad, tokens, grain, rng
        self.n = pairs.costs.shape[1]
        self.source_sizes = np.diff(pairs.source_offsets)[:: self.n]
        self.target_sizes = np.diff(pairs.target_offsets).reshape(-1, self.n).max(1)

    def epoch(self):
        """Returns shuffled arrays of lists with sources and targets of similar length."""
        order = np.lexsort((self.target_sizes + 2 * self.rng.random(len(self.target_sizes)), self.source_sizes))
        sizes = np.cumsum(self.n * (1 + self.target_sizes[order]))
        batches = [lists for lists in np.split(order, np.flatnonzero(np.diff(sizes // self.tokens)) + 1) if len(lists) > 1]
        self.rng.shuffle(batches)
        return batches

    def batch(self, lists):
        examples = [(number * self.n + i,) for number in lists for i in range(self.n)]
        return Batch(self.pairs, examples, self.grain, self.pad, self.pairs.costs[lists])
