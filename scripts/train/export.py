#!/usr/bin/env python3
"""Average checkpoints of train.py, or models that it started from, and write a Hugging Face Marian folder."""

import argparse
import json
import os
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file

from model import EOS, Shape
from optimizer import quantized


def names(shape):
    """Returns (Hugging Face name, own name, part, parts): a matrix of the folder is one of `parts` parts of the rows."""
    rows = []
    for side, layers in (("encoder", shape.encoder), ("decoder", shape.decoder)):
        for i in range(layers):
            theirs, ours = "model.%s.layers.%d." % (side, i), "%s.%d." % (side, i)
            for part, key in enumerate(("q_proj", "k_proj", "v_proj")):
                rows.append((theirs + "self_attn." + key, ours + "qkv", part, 3))
            rows.append((theirs + "self_attn.out_proj", ours + "out", 0, 1))
            rows.append((theirs + "self_attn_layer_norm", ours + "norm", 0, 1))
            if side == "decoder":
                rows.append((theirs + "encoder_attn.q_proj", ours + "cross_q", 0, 1))
                rows.append((theirs + "encoder_attn.k_proj", "cross_kv", 2 * i, 2 * layers))
                rows.append((theirs + "encoder_attn.v_proj", "cross_kv", 2 * i + 1, 2 * layers))
                rows.append((theirs + "encoder_attn.out_proj", ours + "cross_out", 0, 1))
                rows.append((theirs + "encoder_attn_layer_norm", ours + "cross_norm", 0, 1))
            rows.append((theirs + "fc1", ours + "ffn.fc1", 0, 1))
            rows.append((theirs + "fc2", ours + "ffn.fc2", 0, 1))
            rows.append((theirs + "final_layer_norm", ours + "ffn.norm", 0, 1))
    return [
        (theirs + kind, ours + kind, part, parts) for theirs, ours, part, parts in rows for kind in (".weight", ".bias")
    ]


def to_marian(weights, shape, dtype):
    tensors = {"model.shared.weight": weights["embedding"], "final_logits_bias": torch.zeros(1, shape.vocab)}
    for theirs, ours, part, parts in names(shape):
        tensors[theirs] = weights[ours].chunk(parts)[part]
    return {name: tensor.to(dtype).contiguous() for name, tensor in tensors.items()}


def load_shape(folder):
    """Returns the shape of an exported folder."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        sizes = json.load(file)
    return Shape(sizes["vocab_size"], sizes["d_model"], sizes["encoder_attention_heads"], sizes["encoder_layers"],
                 sizes["decoder_layers"], sizes["encoder_ffn_dim"], sizes["decoder_ffn_dim"], sizes["max_position_embeddings"])


def load_folder(folder, shape):
    """Returns the weights of an exported folder under own names; `shape` has its sizes."""
    tensors = load_file(os.path.join(folder, "model.safetensors"))
    weights, parts_of = {"embedding": tensors["model.shared.weight"]}, {}
    for theirs, ours, part, parts in names(shape):
        parts_of.setdefault(ours, [None] * parts)[part] = tensors[theirs]
    weights.update((name, torch.cat(parts)) for name, parts in parts_of.items())
    return {name: tensor.float() for name, tensor in weights.items()}


def config(shape, dtype, length_penalty):
    return {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "activation_function": "relu",
        "activation_dropout": 0.0,
        "attention_dropout": 0.0,
        "dropout": 0.1,
        "d_model": shape.d,
        "encoder_layers": shape.encoder,
        "encoder_attention_heads": shape.heads,
        "encoder_ffn_dim": shape.encoder_ffn,
        "decoder_layers": shape.decoder,
        "decoder_attention_heads": shape.heads,
        "decoder_ffn_dim": shape.decoder_ffn,
        "vocab_size": shape.vocab,
        "decoder_vocab_size": shape.vocab,
        "max_position_embeddings": shape.positions,
        "scale_embedding": True,
        "share_encoder_decoder_embeddings": True,
        "tie_word_embeddings": True,
        "static_position_embeddings": True,
        "is_encoder_decoder": True,
        "eos_token_id": EOS,
        "forced_eos_token_id": EOS,
        "pad_token_id": shape.pad,
        "decoder_start_token_id": shape.pad,
        "bad_words_ids": [[shape.pad]],
        "num_beams": 4,
        "length_penalty": length_penalty,
        "max_length": shape.positions,
        "dragoman_split_sentences": True,
        "dragoman_lower_capitals": True,
        "dragoman_keep_unknown": True,
        "dragoman_keep_numbers": True,
        "dragoman_valid_utf8": True,
        "torch_dtype": str(dtype).split(".")[1],
        "transformers_version": "4.57.1",
    }


def generation_config(model_config):
    """Returns the part of config() that generate() of transformers reads."""
    keys = ("bad_words_ids", "decoder_start_token_id", "eos_token_id", "forced_eos_token_id", "length_penalty", "max_length",
            "num_beams", "pad_token_id", "transformers_version")
    return {key: model_config[key] for key in keys}


def tokenizer_config(shape, languages):
    return {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": languages[0],
        "target_lang": languages[1],
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "model_max_length": shape.positions,
        "separate_vocabs": False,
        "sp_model_kwargs": {},
        "clean_up_tokenization_spaces": False,
    }


def load(path, last=False):
    """Returns the weights of a checkpoint or of an exported folder, and their shape.

    From last.pt, takes the moving average of the weights or, with `last`, the last weights."""
    if os.path.isdir(path):
        shape = load_shape(path)
        return load_folder(path, shape), shape
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    key = "weights" if "weights" in checkpoint else "vector" if last else "average"  # in checkpoint-*.pt, or in last.pt
    return checkpoint[key], Shape(**checkpoint["shape"])


def average(paths, last=False):
    """Returns the mean of the weights of the checkpoints and folders, and their shape."""
    models, shapes = zip(*(load(path, last) for path in paths))
    if any(vars(shape) != vars(shapes[0]) for shape in shapes):
        sys.exit("export.py: the models have different shapes")
    weights = {name: torch.stack([model[name].double() for model in models]).mean(0).float() for name in models[0]}
    return weights, shapes[0]


def rounded(weights):
    """Rounds matrices as `dragoman pack --int8` does, to int8 with one scale per row; biases and norms are unchanged."""
    return {name: quantized(tensor) if tensor.dim() == 2 else tensor for name, tensor in weights.items()}


def write_folder(out, data, weights, shape, dtype, length_penalty=1.0):
    with open(os.path.join(data, "languages.json"), encoding="utf-8") as file:
        languages = json.load(file)
    os.makedirs(out, exist_ok=True)
    save_file(to_marian(weights, shape, dtype), os.path.join(out, "model.safetensors"), metadata={"format": "pt"})
    for name in ("source.spm", "target.spm"):
        shutil.copyfile(os.path.join(data, "spm.model"), os.path.join(out, name))
    shutil.copyfile(os.path.join(data, "vocab.json"), os.path.join(out, "vocab.json"))
    model_config = config(shape, dtype, length_penalty)
    for name, content in (
        ("config.json", model_config),
        ("generation_config.json", generation_config(model_config)),
        ("tokenizer_config.json", tokenizer_config(shape, languages)),
    ):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2, ensure_ascii=False)
            file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", help="folder written by encode.py, for tokenizer and languages")
    parser.add_argument("checkpoints", nargs="+", metavar="CHECKPOINT",
                        help="checkpoint-*.pt, last.pt or exported folder; several are averaged, one named twice counts twice")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    parser.add_argument("--last", action="store_true",
                        help="use the last weights of last.pt, not their moving average; good after a short run in which the rate decayed")
    parser.add_argument("--int8", action="store_true",
                        help="round matrices to int8 and write them as float32, for other programs")
    parser.add_argument("--length-penalty", type=float, default=1.0,
                        help="length penalty of the model's search; choose it with held-out pairs (default %(default)s)")
    args = parser.parse_args()

    weights, shape = average(args.checkpoints, args.last)
    dtype = torch.float32 if args.int8 else getattr(torch, args.dtype)
    write_folder(args.out, args.data, rounded(weights) if args.int8 else weights, shape, dtype, args.length_penalty)


if __name__ == "__main__":
    sys.exit(main())
