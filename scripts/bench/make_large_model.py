#!/usr/bin/env python3
"""Writes a model folder with random weights, of the size of a large multilingual model.

    python make_large_model.py nllb-600m OUT     NLLB-200-distilled-600M: F32, 2.5 GB, one file
    python make_large_model.py madlad-3b OUT     MADLAD-400-3B-MT: BF16, 5.9 GB, shards of at most 1 GB

Shapes and configuration are those of the published models; the weights are random. Memory and speed
can thus be measured without a download. The tokenizer is a SentencePiece model with the same number
of pieces: random words with random scores. All tensors are taken from one random block, each at its
own offset, so that writing gigabytes takes seconds.
"""

import argparse
import json
import pathlib
import random
import struct

import numpy as np

BLOCK = 1 << 22
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéèçñøåżłабвгдежзиклмнопрстухцчшщыэюя"


class Writer:
    """Collects (name, shape, scale, mean) and writes them as safetensors, shard by shard."""

    def __init__(self, dtype):
        self.dtype, self.width = dtype, 2 if dtype == "BF16" else 4
        self.tensors = []
        self.block = np.random.default_rng(1).standard_normal(BLOCK, dtype=np.float32)

    def add(self, name, shape, scale, mean=0.0):
        self.tensors.append((name, shape, scale, mean))

    def bytes_of(self, shape):
        return int(np.prod(shape)) * self.width

    def shards(self, most):
        groups, size = [[]], 0
        for tensor in self.tensors:
            if size and size + self.bytes_of(tensor[1]) > most:
                groups.append([])
                size = 0
            groups[-1].append(tensor)
            size += self.bytes_of(tensor[1])
        return groups

    def values(self, seed, count, scale, mean):
        at = seed * 7919 % BLOCK
        while count:
            part = self.block[at : at + count] * np.float32(scale) + np.float32(mean)
            count -= len(part)
            at = 0
            yield (part.view(np.uint32) >> 16).astype(np.uint16) if self.dtype == "BF16" else part

    def write_file(self, path, tensors):
        header, offset = {}, 0
        for name, shape, _, _ in tensors:
            end = offset + self.bytes_of(shape)
            header[name] = {"dtype": self.dtype, "shape": list(shape), "data_offsets": [offset, end]}
            offset = end
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(path, "wb") as f:
            f.write(struct.pack("<Q", len(text)) + text)
            for seed, (_, shape, scale, mean) in enumerate(tensors):
                for part in self.values(seed, int(np.prod(shape)), scale, mean):
                    part.tofile(f)

    def write(self, folder, most):
        groups = self.shards(most)
        if len(groups) == 1:
            self.write_file(folder / "model.safetensors", groups[0])
            return
        places = {}
        for i, group in enumerate(groups):
            name = f"model-{i + 1:05}-of-{len(groups):05}.safetensors"
            self.write_file(folder / name, group)
            places |= {tensor[0]: name for tensor in group}
        index = {"metadata": {"total_size": sum(self.bytes_of(t[1]) for t in self.tensors)}, "weight_map": places}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def field(number, kind, payload):
    """Encodes one field of a protocol buffer message; kind 2 is a byte string."""
    key = bytes([number << 3 | kind])
    if kind != 2:
        return key + payload
    size, out = len(payload), b""
    while size >= 128:
        out, size = out + bytes([size & 127 | 128]), size >> 7
    return key + out + bytes([size]) + payload


def write_sentencepiece(path, count, first, model_type):
    """Writes the pieces of `first` (text, type), then characters and random words, `count` in all."""
    rng, pieces = random.Random(1), {text: kind for text, kind in first}
    for letter in LETTERS + LETTERS.upper() + " .,;:!?'-0123456789()":
        pieces.setdefault(letter.replace(" ", "\u2581"), 1)
    while len(pieces) < count:
        word = "".join(rng.choices(LETTERS, k=rng.randint(2, 9)))
        pieces.setdefault(rng.choice(("", "\u2581")) + word, 1)
    out = []
    for rank, (text, kind) in enumerate(pieces.items()):
        piece = field(1, 2, text.encode()) + field(2, 5, struct.pack("<f", 0 if kind != 1 else -rank / 20000 - 1))
        out.append(field(1, 2, piece + (field(3, 0, bytes([kind])) if kind != 1 else b"")))
    out.append(field(2, 2, field(3, 0, bytes([model_type]))))
    path.write_bytes(b"".join(out))


def write_json(folder, name, value):
    (folder / name).write_text(json.dumps(value, indent=2))


def linear(writer, name, rows, columns, bias=True):
    writer.add(name + ".weight", (rows, columns), columns**-0.5)
    if bias:
        writer.add(name + ".bias", (rows,), 0.02)


def layer_norm(writer, name, d):
    writer.add(name + ".weight", (d,), 0.1, 1.0)
    writer.add(name + ".bias", (d,), 0.1)


def write_nllb(folder):
    d, ffn, layers, vocab = 1024, 4096, 12, 256206
    writer = Writer("F32")
    writer.add("model.shared.weight", (vocab, d), d**-0.5)
    for stack in ("encoder", "decoder"):
        for layer in range(layers):
            prefix = f"model.{stack}.layers.{layer}."
            for attention in ("self_attn", "encoder_attn")[: 1 if stack == "encoder" else 2]:
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(writer, f"{prefix}{attention}.{part}", d, d)
                layer_norm(writer, f"{prefix}{attention}_layer_norm", d)
            linear(writer, prefix + "fc1", ffn, d)
            linear(writer, prefix + "fc2", d, ffn)
            layer_norm(writer, prefix + "final_layer_norm", d)
        layer_norm(writer, f"model.{stack}.layer_norm", d)
    writer.write(folder, 1 << 40)
    config = {"model_type": "m2m_100", "architectures": ["M2M100ForConditionalGeneration"], "vocab_size": vocab,
              "d_model": d, "activation_function": "relu", "scale_embedding": True, "max_position_embeddings": 1024,
              "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 2,
              "max_length": 200, "tokenizer_class": "NllbTokenizer"}  # fmt: skip
    for stack in ("encoder", "decoder"):
        config |= {f"{stack}_layers": layers, f"{stack}_attention_heads": 16, f"{stack}_ffn_dim": ffn}
    write_json(folder, "config.json", config)
    special = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>", "bos_token": "<s>"}
    write_json(folder, "tokenizer_config.json", special | {"tokenizer_class": "NllbTokenizer"})
    write_sentencepiece(folder / "sentencepiece.bpe.model", 256000, [("<unk>", 2), ("<s>", 3), ("</s>", 3)], 2)


def write_madlad(folder):
    d, inner, ffn, layers, heads, vocab = 1024, 2048, 8192, 32, 16, 256000
    writer = Writer("BF16")
    writer.add("shared.weight", (vocab, d), 1.0)
    for stack in ("encoder", "decoder"):
        for layer in range(layers):
            attentions = ("SelfAttention", "EncDecAttention")[: 1 if stack == "encoder" else 2]
            for at, attention in enumerate(attentions):
                prefix = f"{stack}.block.{layer}.layer.{at}."
                for part in "qkv":
                    writer.add(f"{prefix}{attention}.{part}.weight", (inner, d), 0.3 * d**-0.5)
                writer.add(f"{prefix}{attention}.o.weight", (d, inner), inner**-0.5)
                writer.add(prefix + "layer_norm.weight", (d,), 0.1, 1.0)
            if layer == 0:
                writer.add(f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", (32, heads), 0.5)
            prefix = f"{stack}.block.{layer}.layer.{len(attentions)}."
            for part, rows, columns in (("wi_0", ffn, d), ("wi_1", ffn, d), ("wo", d, ffn)):
                writer.add(f"{prefix}DenseReluDense.{part}.weight", (rows, columns), columns**-0.5)
            writer.add(prefix + "layer_norm.weight", (d,), 0.1, 1.0)
        writer.add(f"{stack}.final_layer_norm.weight", (d,), 0.1, 1.0)
    writer.add("lm_head.weight", (vocab, d), d**-0.5)
    writer.write(folder, 1 << 30)
    write_json(folder, "config.json",
               {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": vocab, "d_model": d,
                "d_kv": inner // heads, "d_ff": ffn, "num_layers": layers, "num_decoder_layers": layers,
                "num_heads": heads, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False,
                "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
                "decoder_start_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "max_length": 128})  # fmt: skip
    write_json(folder, "tokenizer_config.json",
               {"tokenizer_class": "T5Tokenizer", "unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<s>",
                "extra_ids": 0})  # fmt: skip
    first = [("<unk>", 2), ("<s>", 3), ("</s>", 3)] + [(f"<2{code}>", 4) for code in ("de", "en", "fr", "zh")]
    write_sentencepiece(folder / "spiece.model", vocab, first, 1)


def main():
    shapes = {"nllb-600m": write_nllb, "madlad-3b": write_madlad}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=sorted(shapes))
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True)
    shapes[arguments.shape](arguments.out)


if __name__ == "__main__":
    main()
