"""Greedy translation of many sentences at once, in batches of similar length, with a Transformer of model.py.

For back-translation on a GPU. The keys and values of earlier positions are kept; finished rows leave the batch.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F

from model import EOS, split_heads


class Decoder:
    """The decoder's state for the unfinished rows of a batch."""

    def __init__(self, model, source, longest):
        """`source` [rows, width] has EOS at the end of each row and <pad> after it."""
        self.model, shape = model, model.shape
        rows = len(source)
        padded = source == shape.pad
        mask = torch.zeros(source.shape, device=source.device, dtype=model.embedding.dtype).masked_fill_(padded, -1e4)[:, None, None]
        none = [None] * (1 + 2 * shape.encoder)
        encoded = model.encode(source, none, mask)
        # The keys and values [rows, heads, width, size] of each layer's cross-attention.
        self.cross = [split_heads(part, shape.heads) for part in model.cross_kv(encoded).chunk(2 * shape.decoder, -1)]
        self.mask = mask
        size = shape.d // shape.heads
        self.past = [torch.empty(2, rows, shape.heads, longest, size, device=source.device, dtype=encoded.dtype)
                     for _ in range(shape.decoder)]
        self.forbidden = torch.zeros(shape.vocab, device=source.device, dtype=encoded.dtype)
        self.forbidden[shape.pad] = -1e4
        self.forbidden[1] = -1e4  # <unk>

    def keep(self, rows):
        """Drop all rows except these."""
        self.cross = [part[rows] for part in self.cross]
        self.mask = self.mask[rows]
        self.past = [past[:, rows] for past in self.past]

    def next(self, ids, position):
        """Returns the scores [rows, vocab] after the tokens `ids` at this position."""
        model, shape = self.model, self.model.shape
        x = F.embedding(ids[:, None], model.embedding) * math.sqrt(shape.d) + model.positions[position]
        for number, layer in enumerate(model.decoder):
            q, k, v = (split_heads(part, shape.heads) for part in layer.qkv(x).chunk(3, -1))
            past = self.past[number]
            past[0, :, :, position], past[1, :, :, position] = k[:, :, 0], v[:, :, 0]
            seen = past[:, :, :, : position + 1]
            attended = F.scaled_dot_product_attention(q, seen[0], seen[1])
            x = layer.norm(x + layer.out(attended.transpose(1, 2).flatten(2)))
            q = split_heads(layer.cross_q(x), shape.heads)
            k, v = self.cross[2 * number : 2 * number + 2]
            attended = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask)
            x = layer.cross_norm(x + layer.cross_out(attended.transpose(1, 2).flatten(2)))
            x = layer.ffn(x, None)
        return x[:, 0] @ model.embedding.t() + self.forbidden


@torch.no_grad()
def translate_batch(model, source, longest):
    """Returns the ids [rows, longest] of the translations, which end with EOS; `source` as in Decoder."""
    decoder = Decoder(model, source, longest)
    rows = torch.arange(len(source), device=source.device)  # of the batch, for each row that is unfinished
    out = torch.full((len(source), longest), EOS, device=source.device, dtype=torch.int16)
    ids = torch.full((len(source),), model.shape.pad, device=source.device)
    finished = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    for position in range(longest):
        ids = decoder.next(ids, position).argmax(-1)
        ids = ids.masked_fill(finished, EOS)
        out[rows, position] = ids.to(torch.int16)
        finished |= ids == EOS
        if position % 8 == 7:
            left = (~finished).nonzero()[:, 0]
            if not len(left):
                break
            if len(left) < 0.75 * len(rows):
                decoder.keep(left)
                rows, ids, finished = rows[left], ids[left], finished[left]
    return out


def translate(model, sources, tokens, deadline=None, clock=None):
    """Returns the translations of lists of ids, as lists of ids; None for those not reached before the deadline.

    A batch has about `tokens` source tokens. Batches are taken in random order, so that an early end leaves out
    sentences of all lengths.
    """
    device, pad = model.embedding.device, model.shape.pad
    sizes = np.array([len(ids) for ids in sources]) + 1
    order = np.argsort(sizes, kind="stable")
    bounds, begin = [], 0
    while begin < len(order):
        rows = max(1, tokens // int(sizes[order[begin]]))
        rows = max(1, min(rows, tokens // int(sizes[order[min(len(order), begin + rows) - 1]])))
        bounds.append((begin, min(len(order), begin + rows)))
        begin += rows
    results = [None] * len(sources)
    for number in np.random.default_rng(1).permutation(len(bounds)):
        if deadline and clock() > deadline:
            break
        chosen = order[slice(*bounds[number])]
        width = -(-int(sizes[chosen[-1]]) // 8) * 8
        source = np.full((len(chosen), width), pad, np.int64)
        for row, i in enumerate(chosen):
            source[row, : sizes[i] - 1] = sources[i]
            source[row, sizes[i] - 1] = EOS
        longest = min(model.shape.positions - 1, int(1.5 * width) + 12)
        out = translate_batch(model, torch.from_numpy(source).to(device), longest).cpu().numpy()
        ends = (out == EOS).argmax(1)
        for row, i in enumerate(chosen):
            if out[row, ends[row]] == EOS:  # otherwise the translation is not finished
                results[i] = out[row, : ends[row]].tolist()
    return results
