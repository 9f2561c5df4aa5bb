#!/usr/bin/env python3
"""Write a larger model that computes nearly the same as a trained one, as a start for train.py --init.

New neurons of a feed-forward layer have random inputs and outputs of zero. A new encoder layer adds zero to its input
x, which its two norms then keep nearly as it is: their gains are the standard deviation of x and their biases its mean,
both measured on held-out sentences. New layers are distributed evenly among the old ones.
"""

import argparse
import math
import os
import sys

import numpy as np
import torch

import export
from batches import Pairs
from model import EOS, EncoderLayer, Shape, Transformer


def widen(weights, ffn):
    """Give the feed-forward layers of the encoder `ffn` neurons."""
    for name in [name for name in weights if name.startswith("encoder.") and name.endswith("ffn.fc1.weight")]:
        layer = name[: -len("fc1.weight")]
        old, d = weights[name].shape
        new = torch.randn(ffn - old, d) * weights[name].std()
        weights[name] = torch.cat([weights[name], new])
        weights[layer + "fc1.bias"] = torch.cat([weights[layer + "fc1.bias"], torch.zeros(ffn - old)])
        weights[layer + "fc2.weight"] = torch.cat([weights[layer + "fc2.weight"], torch.zeros(d, ffn - old)], 1)


@torch.no_grad()
def statistics(weights, shape, data):
    """Returns the mean and the standard deviation of each encoder layer's output."""
    model = Transformer(shape)
    model.load_state_dict(weights)
    pairs = Pairs(os.path.join(data, "dev.npz"))
    sums = torch.zeros(shape.encoder, 3)
    for begin, end in zip(pairs.source_offsets[:500], pairs.source_offsets[1:]):
        ids = np.append(pairs.source_ids[begin:end].astype(np.int64), EOS)
        x = model.embed(torch.from_numpy(ids)[None], None)
        for number, layer in enumerate(model.encoder):
            x = layer(x, (None, None), None)
            sums[number] += torch.stack([x.mean(-1).sum(), x.std(-1).sum(), torch.tensor(float(len(ids)))])
    return (sums[:, :2] / sums[:, 2:]).tolist()


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
    after = {math.ceil((i + 0.5) * old / new) - 1 for i in range(new)}
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="exported folder")
    parser.add_argument("data", help="folder of encode.py with the tokenizer of the model")
    parser.add_argument("--layers", type=int, default=6, help="layers of the encoder")
    parser.add_argument("--ffn", type=int, default=2048, help="neurons of the encoder's feed-forward layers")
    parser.add_argument("--out", required=True, help="folder to write")
    args = parser.parse_args()

    torch.manual_seed(1)
    shape = export.load_shape(args.model)
    if args.ffn < shape.encoder_ffn:
        parser.error("--ffn: the model has %d neurons already" % shape.encoder_ffn)
    if not shape.encoder <= args.layers <= 2 * shape.encoder:
        parser.error("--layers: from %d to %d, at most one new layer after each old one" % (shape.encoder, 2 * shape.encoder))
    with open(os.path.join(args.model, "vocab.json"), "rb") as old, open(os.path.join(args.data, "vocab.json"), "rb") as new:
        if old.read() != new.read():
            parser.error("%s was encoded with another vocabulary than that of %s" % (args.data, args.model))
    weights = export.load_folder(args.model, shape)
    outputs = statistics(weights, shape, args.data)
    widen(weights, args.ffn)
    larger = Shape(**{**vars(shape), "encoder": args.layers, "encoder_ffn": args.ffn})
    export.write_folder(args.out, args.data, deepen(weights, larger, outputs), larger, torch.float32)


if __name__ == "__main__":
    sys.exit(main())
