#!/usr/bin/env python3
"""Write a larger model that computes nearly the same as a trained one, as a start for train.py --init.

New neurons of a feed-forward layer have random inputs and outputs of zero. A new encoder layer adds zero to its input
x, which its two norms then keep nearly as it is: their gains are the standard deviation of x and their biases its mean,
both measured on held-out sentences. New layers are distributed evenly among the old ones.
"""

import argparse
import json
import math
import os
import sys

import torch

import export
from batches import Pairs
from model import Shape, Transformer


def shape_of(folder):
    """Returns the shape of an exported folder."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    return Shape(config["vocab_size"], config["d_model"], config["encoder_attention_heads"], config["encoder_layers"],
                 config["decoder_layers"], config["encoder_ffn_dim"], config["decoder_ffn_dim"], config["max_position_embeddings"])


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
    """Returns the mean and the standard deviation of the values that each encoder layer puts out."""
    model = Transformer(shape)
    model.load_state_dict(weights, strict=False)
    pairs = Pairs(os.path.join(data, "dev.npz"))
    sums = torch.zeros(shape.encoder, 3)
    for begin, end in zip(pairs.source_offsets[:500], pairs.source_offsets[1:]):
        x = model.embed(torch.from_numpy(pairs.source_ids[begin:end].astype("int64"))[None], None)
        for number, layer in enumerate(model.encoder):
            x = layer(x, (None, None), None)
            sums[number] += torch.stack([x.mean(-1).sum(), x.std(-1).sum(), torch.tensor(float(end - begin))])
    return (sums[:, :2] / sums[:, 2:]).tolist()


def new_layer(fresh, mean, deviation):
    """Returns a layer for inputs with this mean and deviation; `fresh` has its random matrices."""
    layer = {name: tensor.clone() for name, tensor in fresh.items()}
    for name in ("out.weight", "ffn.fc2.weight"):
        layer[name].zero_()
    for norm in ("norm", "ffn.norm"):
        layer[norm + ".weight"].fill_(deviation)
        layer[norm + ".bias"].fill_(mean)
    return layer


def deepen(weights, layers, fresh, outputs):
    """Returns the weights with `layers` encoder layers; `outputs` has mean and deviation of each old layer."""
    old, new = len(outputs), layers - len(outputs)
    if not 0 <= new <= old:
        raise SystemExit("--layers: from %d to %d, at most one new layer after each old one" % (old, 2 * old))
    after = {math.ceil((i + 0.5) * old / new) - 1 for i in range(new)}
    grown = {name: tensor for name, tensor in weights.items() if not name.startswith("encoder.")}
    number = 0
    for layer in range(old):
        prefix = "encoder.%d." % layer
        parts = [{name[len(prefix) :]: tensor for name, tensor in weights.items() if name.startswith(prefix)}]
        if layer in after:
            parts.append(new_layer(fresh, *outputs[layer]))
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
    shape = shape_of(args.model)
    weights = export.load_folder(args.model, shape)
    outputs = statistics(weights, shape, args.data)
    if args.ffn > shape.encoder_ffn:
        widen(weights, args.ffn)
    larger = Shape(**{**vars(shape), "encoder": args.layers, "encoder_ffn": args.ffn})
    fresh = Transformer(larger).encoder[0].state_dict()
    weights = deepen(weights, args.layers, fresh, outputs)
    export.write_folder(args.out, args.data, weights, larger, torch.float32)


if __name__ == "__main__":
    sys.exit(main())
