#!/usr/bin/env python3
"""Write a model of another shape that computes nearly the same as a trained one, as a start for train.py --init.

If the data has another vocabulary, the embedding of a new piece is the mean of the embeddings of the old pieces that
spell it. (Scaled to their mean norm or to that of a random sum, the loss before further training was 4 and 17 % higher.)
A piece that both vocabularies contain keeps its embedding.

New neurons of a feed-forward layer have random inputs and outputs of zero; of too many neurons, those with the
largest contribution stay: the root mean square of the neuron times the norm of its outputs. A new encoder layer adds
zero to its input x, which its two norms then keep nearly as it is: their gains are the standard deviation of x and
their biases its mean. New layers are distributed evenly among the old ones.

In a wider model, the old dimensions of the states go where the frequencies of the sinusoidal positions are nearly the
old ones. No old head or neuron reads the new dimensions at first, and no layer adds to them: they have the positions
and small random embeddings, and each norm makes them about ten times smaller. So the norms see nearly the old sum of
squares over more dimensions, for which their gains make up; this needs old dimensions with a mean near zero. (With
gains like those of the old dimensions, the new ones drowned the tokens whose deviation is small.) New heads have random
queries, keys and values, and their output is not read. All statistics are of held-out sentences.
"""

import argparse
import json
import math
import os
import re
import sys

import numpy as np
import sentencepiece
import torch

import export
from batches import Pairs
from model import EOS, EncoderLayer, Transformer


class Speller:
    """Spells strings with the pieces of a SentencePiece unigram model, without adding a space before them."""

    def __init__(self, path):
        model = sentencepiece.SentencePieceProcessor(model_file=path)
        plain = [i for i in range(model.get_piece_size()) if not (model.is_control(i) or model.is_unknown(i) or model.is_byte(i))]
        self.scores = {model.id_to_piece(i): (model.get_score(i), i) for i in plain}
        self.bytes = [model.piece_to_id("<0x%02X>" % byte) for byte in range(256)]
        self.longest = max(map(len, self.scores))

    def spell(self, text):
        """Returns the ids of the most probable segmentation; characters without a piece become bytes."""
        best = [(0.0, ())] + [None] * len(text)
        for end in range(1, len(text) + 1):
            for begin in range(max(0, end - self.longest), end):
                if text[begin:end] in self.scores:
                    score, i = self.scores[text[begin:end]]
                    score += best[begin][0]
                    if best[end] is None or score > best[end][0]:
                        best[end] = score, best[begin][1] + (i,)
            if best[end] is None:
                ids = tuple(self.bytes[byte] for byte in text[end - 1].encode())
                best[end] = best[end - 1][0] - 100.0, best[end - 1][1] + ids
        return best[-1][1]


def respell(embedding, model, old, new):
    """Returns the embeddings of the vocabulary `new` (piece -> id), made of those of `old`, which the folder `model` has."""
    speller = Speller(os.path.join(model, "source.spm"))
    rows = torch.zeros(len(new), embedding.shape[1])
    for piece, i in new.items():
        if piece in old:
            rows[i] = embedding[old[piece]]
            continue
        # A control piece that is not in the old vocabulary was spelled <unk> there.
        ids = [old["<unk>"]] if re.fullmatch("<.*>", piece) else list(speller.spell(piece))
        rows[i] = embedding[ids].mean(0)
    return rows


@torch.no_grad()
def statistics(weights, shape, data):
    """Returns the mean and the deviation of each encoder layer's output, and the root mean squares of its neurons."""
    model = Transformer(shape)
    model.load_state_dict(weights)
    outputs, activity = torch.zeros(shape.encoder, 2), torch.zeros(shape.encoder, shape.encoder_ffn)

    def watch(number, ffn):
        def add_output(_module, _inputs, x):
            outputs[number] += torch.stack([x.mean(-1).sum(), x.std(-1).sum()])

        def add_activity(_module, _inputs, x):
            activity[number] += x.relu().square().sum((0, 1))

        ffn.norm.register_forward_hook(add_output)
        ffn.fc1.register_forward_hook(add_activity)

    for number, layer in enumerate(model.encoder):
        watch(number, layer.ffn)
    pairs = Pairs(os.path.join(data, "dev.npz"))
    tokens = 0
    step = max(1, (len(pairs.source_offsets) - 1) // 500)  # about 500 pairs, from all sets
    for begin, end in list(zip(pairs.source_offsets, pairs.source_offsets[1:]))[::step]:
        ids = np.append(pairs.source_ids[begin:end].astype(np.int64), EOS)
        model.encode(torch.from_numpy(ids)[None], [None] * (1 + 2 * shape.encoder))
        tokens += len(ids)
    return (outputs / tokens).tolist(), (activity / tokens).sqrt()


def resize_ffn(weights, ffn, activity):
    """Give the feed-forward layers of the encoder `ffn` neurons; `activity` has the root mean squares of the old ones."""
    for number, squares in enumerate(activity):
        fc1, bias, fc2 = ("encoder.%d.ffn.%s" % (number, name) for name in ("fc1.weight", "fc1.bias", "fc2.weight"))
        old, d = weights[fc1].shape
        if ffn <= old:
            kept = (squares * weights[fc2].norm(dim=0)).topk(ffn).indices.sort().values
            weights[fc1], weights[bias], weights[fc2] = weights[fc1][kept], weights[bias][kept], weights[fc2][:, kept]
        else:
            weights[fc1] = torch.cat([weights[fc1], torch.randn(ffn - old, d) * weights[fc1].std()])
            weights[bias] = torch.cat([weights[bias], torch.zeros(ffn - old)])
            weights[fc2] = torch.cat([weights[fc2], torch.zeros(d, ffn - old)], 1)


def widen(weights, shape, d):
    """Give the states `d` dimensions and as many more heads as fit; changes `weights` and `shape`."""
    old = shape.d
    half = (torch.arange(old // 2) * d / old).round().long()
    places = torch.cat([half, half + d // 2])
    scale = math.sqrt(old / d)

    def spread(x, fill):
        """Returns `fill` with x at the places of the old dimensions."""
        fill[..., places] = x
        return fill

    def spread_zero(x):
        return spread(x, torch.zeros(*x.shape[:-1], d))

    def add_heads(x):
        if x.dim() == 1:
            return torch.cat([x, torch.zeros(d - old)])
        return torch.cat([spread_zero(x), torch.randn(d - old, d) * x.std()])

    for name, x in weights.items():
        layer, _, kind = name.rpartition(".")
        if name == "embedding":
            noise = 0.1 * x.std() * torch.randn(len(x), d)
            noise[shape.pad] = 0
            weights[name] = spread(x * scale, noise)
        elif layer == "decoder.%d.ffn.norm" % (shape.decoder - 1):
            # Its output is multiplied by the embedding, which was scaled down.
            weights[name] = spread_zero(x if kind == "weight" else x / scale)
        elif layer.endswith("norm"):
            weights[name] = spread(x * scale, torch.full((d,), 0.1)) if kind == "weight" else spread_zero(x)
        elif layer.endswith(("qkv", "cross_q", "cross_kv")):
            weights[name] = torch.cat([add_heads(part) for part in x.split(old)])
        elif layer.endswith("out") and kind == "weight":
            weights[name] = torch.cat([spread_zero(x.t()), torch.zeros(d - old, d)]).t()
        elif layer.endswith("fc1"):
            weights[name] = spread_zero(x) if kind == "weight" else x
        elif kind == "weight":
            weights[name] = spread_zero(x.t()).t()
        else:
            weights[name] = spread_zero(x)
    shape.heads = shape.heads * d // old
    shape.d = d


def new_layer(shape, mean, deviation):
    """Returns the weights of a layer for inputs with this mean and deviation."""
    layer = EncoderLayer(shape.d, shape.encoder_ffn, shape.heads).state_dict()
    for name in ("out.weight", "ffn.fc2.weight"):
        layer[name].zero_()
    for norm in ("norm", "ffn.norm"):
        layer[norm + ".weight"].fill_(deviation)
        layer[norm + ".bias"].fill_(mean)
    return layer


def deepen(weights, shape, outputs):
    """Returns the weights of a model of this shape; `outputs` has the mean and the deviation of each old layer's output."""
    old, new = len(outputs), shape.encoder - len(outputs)
    after = {math.ceil((i + 0.5) * old / new) - 1 for i in range(new)} if new else set()
    grown = {name: tensor for name, tensor in weights.items() if not name.startswith("encoder.")}
    number = 0
    for layer in range(old):
        prefix = "encoder.%d." % layer
        parts = [{name[len(prefix) :]: tensor for name, tensor in weights.items() if name.startswith(prefix)}]
        if layer in after:
            parts.append(new_layer(shape, *outputs[layer]))
        for part in parts:
            grown.update(("encoder.%d.%s" % (number, name), tensor) for name, tensor in part.items())
            number += 1
    return grown


def read_vocabulary(folder):
    with open(os.path.join(folder, "vocab.json"), encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="exported folder")
    parser.add_argument("data", help="folder of encode.py; its vocabulary becomes that of the model")
    parser.add_argument("--layers", type=int, default=0, help="layers of the encoder (default: as many as the model has)")
    parser.add_argument("--ffn", type=int, default=0,
                        help="neurons of the encoder's feed-forward layers (default: as many as the model has)")
    parser.add_argument("--d", type=int, default=0,
                        help="dimensions of the states, a multiple of the size of a head (default: as many as the model has)")
    parser.add_argument("--out", required=True, help="folder to write")
    args = parser.parse_args()

    torch.manual_seed(1)
    shape = export.load_shape(args.model)
    args.layers, args.ffn, args.d = args.layers or shape.encoder, args.ffn or shape.encoder_ffn, args.d or shape.d
    if args.ffn < 1:
        parser.error("--ffn: at least 1")
    if args.d < shape.d or args.d % (shape.d // shape.heads):
        parser.error("--d: at least %d, and a multiple of %d" % (shape.d, shape.d // shape.heads))
    if not shape.encoder <= args.layers <= 2 * shape.encoder:
        parser.error("--layers: from %d to %d, at most one new layer after each old one" % (shape.encoder, 2 * shape.encoder))
    weights = export.load_folder(args.model, shape)
    old, new = (read_vocabulary(folder) for folder in (args.model, args.data))
    if old != new:
        weights["embedding"] = respell(weights["embedding"], args.model, old, new)
        shape.vocab = len(new)
        print("%d of %d pieces are new" % (len(set(new) - set(old)), len(new)))
    outputs, activity = statistics(weights, shape, args.data)
    if args.ffn < shape.encoder_ffn:
        print("%d of %d neurons of each encoder layer are dropped" % (shape.encoder_ffn - args.ffn, shape.encoder_ffn))
    resize_ffn(weights, args.ffn, activity)
    shape.encoder, shape.encoder_ffn = args.layers, args.ffn
    weights = deepen(weights, shape, outputs)
    if args.d > shape.d:
        widen(weights, shape, args.d)
    export.write_folder(args.out, args.data, weights, shape, torch.float32)


if __name__ == "__main__":
    sys.exit(main())
