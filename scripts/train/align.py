#!/usr/bin/env python3
"""Align the pairs of encode.py piece by piece, for train.py --align.

IBM model 1 with a preference for the diagonal (as fast_align), in both directions: with source pieces s_i and
target pieces t_j, the probability that t_j comes from s_i is

    p(i | j)  ~  t(t_j | s_i) exp(-LAMBDA |i / S - j / T|),

and t is estimated again from these in several iterations. A target piece is linked to the source piece for which
the product of the probabilities in both directions is largest, if that is at least LEAST. Adds the array `links`
(source position of each target id, -1 for none) to pairs.npz.
"""

import argparse
import os
import sys

import numpy as np
import torch

LAMBDA = 4.0
NULL = 0.04  # probability that a piece is aligned to nothing
LEAST = 0.1  # smallest product for a link


class Table:
    """The table t(given, produced), stored densely."""

    def __init__(self, vocab, device):
        self.vocab = vocab
        self.values = torch.full((vocab * vocab,), 1.0 / vocab, device=device)

    def posteriors(self, index, prior, dim):
        """Normalizes [rows, source, target] along `dim`; the rest up to 1 is the probability of NULL."""
        scores = self.values[index] * prior
        return scores / (scores.sum(dim, keepdim=True) + NULL / self.vocab + 1e-30)

    def estimate(self, counts):
        counts = counts.view(self.vocab, self.vocab)
        self.values = (counts / (counts.sum(1, keepdim=True) + 1e-6)).add_(1e-8).flatten()


def batches(data, chosen, cells, device):
    """Yields padded batches of pairs of similar sizes: source ids, target ids (-1 in padding), rows."""
    sizes = np.diff(data["source_offsets"]), np.diff(data["target_offsets"])
    order = chosen[np.lexsort((sizes[1][chosen], sizes[0][chosen]))]
    at = 0
    while at < len(order):
        rows = max(1, min(len(order) - at, 2048, int(cells / (sizes[0][order[at]] * 1.3 * max(8, sizes[1][order[at]])))))
        picked = order[at : at + rows]
        at += rows
        padded = []
        for side, name in enumerate(("source", "target")):
            array = np.full((rows, sizes[side][picked].max()), -1, np.int64)
            for row, pair in enumerate(picked):
                begin, end = data[name + "_offsets"][pair : pair + 2]
                array[row, : end - begin] = data[name + "_ids"][begin:end]
            padded.append(torch.from_numpy(array).to(device))
        yield (*padded, picked)


def prior_of(source, target):
    """Returns the preference for the diagonal, [rows, source, target], 0 in padding."""
    s, t = (source >= 0).sum(1), (target >= 0).sum(1)
    i = (torch.arange(source.shape[1], device=source.device) + 0.5)[None, :, None] / s[:, None, None]
    j = (torch.arange(target.shape[1], device=source.device) + 0.5)[None, None, :] / t[:, None, None]
    return torch.exp(-LAMBDA * (i - j).abs()) * (source >= 0)[:, :, None] * (target >= 0)[:, None, :]


def indices(source, target, vocab):
    source, target = source.clamp(min=0)[:, :, None], target.clamp(min=0)[:, None, :]
    return source * vocab + target, target * vocab + source


def train(data, tables, chosen, cells, device):
    counts = [torch.zeros_like(table.values) for table in tables]
    for source, target, _ in batches(data, chosen, cells, device):
        prior = prior_of(source, target)
        for table, count, index, dim in zip(tables, counts, indices(source, target, tables[0].vocab), (1, 2)):
            count.index_add_(0, index.flatten(), table.posteriors(index, prior, dim).flatten())
    for table, count in zip(tables, counts):
        table.estimate(count)


def link(data, tables, cells, device):
    links = np.full(len(data["target_ids"]), -1, np.int16)
    everything = np.arange(len(data["source_offsets"]) - 1)
    for source, target, picked in batches(data, everything, cells, device):
        prior = prior_of(source, target)
        index = indices(source, target, tables[0].vocab)
        product = tables[0].posteriors(index[0], prior, 1) * tables[1].posteriors(index[1], prior, 2)
        best, where = product.max(1)
        where = torch.where(best >= LEAST, where, -1).cpu().numpy()
        for row, pair in enumerate(picked):
            begin, end = data["target_offsets"][pair : pair + 2]
            links[begin:end] = where[row, : end - begin]
    return links


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="folder written by encode.py")
    parser.add_argument("--pairs", type=int, default=250000, help="number of pairs from which probabilities are estimated")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cells = 1 << (25 if device.type == "cuda" else 21)
    path = os.path.join(args.data, "pairs.npz")
    data = dict(np.load(path))
    vocab = 1 + max(int(data["source_ids"].max()), int(data["target_ids"].max()))
    tables = [Table(vocab, device) for _ in range(2)]
    rng = np.random.default_rng(1)
    count = len(data["groups"])
    for number in range(args.rounds):
        train(data, tables, rng.permutation(count)[: args.pairs], cells, device)
        print("round %d of %d" % (number + 1, args.rounds), flush=True)
    data["links"] = link(data, tables, cells, device)
    print("%.1f %% of the target pieces are linked" % (100 * (data["links"] >= 0).mean()))
    np.savez(path + ".new.npz", **data)
    os.replace(path + ".new.npz", path)


if __name__ == "__main__":
    sys.exit(main())
