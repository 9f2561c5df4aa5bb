#!/usr/bin/env python3
"""Compares dragoman with plain PyTorch on many random models of "model_type": "transformer".

    python3 scripts/reference/compare_tutorials.py DRAGOMAN COUNT SEED

The settings of each model are random: preset, sizes, norms, positions,
activation, biases, ties, vocabularies, score functions and windows. Source
ids, ids, texts and scores (to 1e-4) of greedy and beam search must be equal.
If a model differs, its folder is kept and its name printed.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import warnings

import torch
import transformers

import make_transformer_goldens as goldens
import tutorial_transformer as tutorial

SETTINGS = [
    {"beams": 1, "n_best": 1, "max_length": 20},
    {"beams": 4, "n_best": 4, "max_length": 20},
    {"beams": 3, "n_best": 3, "max_length": 12, "length_penalty": 0.6},
]


def random_scores(rng):
    scores = {}
    for kind in ("encoder", "decoder", "cross"):
        if rng.random() < 0.3:
            continue
        scores[kind] = {"function": rng.choice(goldens.FUNCTIONS), "window": rng.choice(goldens.WINDOWS)}
        if scores[kind]["window"] != "global":
            scores[kind]["width"] = rng.choice([1, 2, 3, 5])
    return scores


def random_positions(rng, preset):
    kinds = ["interleaved", "two_exponent", "concatenated", "halves", "stored", "none"]
    # nn.Transformer has one table for both sides, so learned positions cannot differ
    return rng.choice(kinds if preset == "nn.Transformer" else [*kinds, "learned"])


def random_spec(rng):
    preset = rng.choice(list(tutorial.PRESETS))
    heads = rng.choice([1, 2, 3, 4])
    spec = goldens.spec("random", preset, rng.choice(["pt", "pth", "safetensors"]), heads=heads, layers=None,
                        d_model=heads * rng.choice([2, 3, 4, 5, 8, 16, 17]), ffn=rng.choice([3, 8, 33]),
                        encoder_layers=rng.choice([1, 2, 3]), decoder_layers=rng.choice([1, 2]))  # fmt: skip
    choices = {
        "norm": ["pre", "post"], "layer_norm": ["std", "standard"], "final_norm": [True, False],
        "embedding_norm": [True, False], "activation": ["gelu", "swish", "tanh", "gelu_new", "leaky_relu"],
        "softmax_temperature": [0.5, 2, 3.3], "scale_embedding": [True, False], "source_start": [True, False],
        "source_end": [True, False], "vocabulary": ["lists", "spm"],
        "bias": [True, False, {"attention": False}, {"ffn": False, "norm": False}, {"output": False}],
    }  # fmt: skip
    config = spec["config"]
    for key, values in choices.items():
        if rng.random() < 0.4:
            config[key] = rng.choice(values)
    if preset == "w_qs":  # one name for both norms
        config.update(final_norm=False, embedding_norm=True)
    if rng.random() < 0.6:
        config["position_encoding"] = random_positions(rng, preset)
    if rng.random() < 0.4:
        config["tie"] = rng.choice([["target", "output"], ["source", "target"], ["source", "target", "output"]])
    if "source" in config.get("tie", []):
        config["vocabulary"] = "shared"
    if rng.random() < 0.7:
        config["attention_score"] = random_scores(rng)
    spec["score_heads"] = rng.random() < 0.5
    return spec


def translate(program, folder, settings, sentences):
    command = [program, "-m", folder, "--format", "jsonl", "--beam", str(settings["beams"]), "-n", str(settings["n_best"]),
               "--max-length", str(settings["max_length"]), "--length-penalty", str(settings.get("length_penalty", 1.0))]  # fmt: skip
    text = "".join(s["source"] + "\n" for s in sentences)
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    return [json.loads(line) for line in done.stdout.splitlines()]


def difference(got, want):
    """Returns a description of the first difference, or None."""
    if got["source_ids"] != want["source_ids"]:
        return f"source ids {got['source_ids']}, wanted {want['source_ids']}"
    for g, w in zip(got["translations"], want["hypotheses"], strict=True):
        if g["ids"] != w["ids"] or g["text"] != w["text"] or abs(g["score"] - w["score"]) > 1e-4:
            return f"{g['ids']} {g['score']} {g['text']!r}, wanted {w['ids']} {w['score']} {w['text']!r}"
    return None


def compare(program, folder, spec, seed):
    """Returns the number of sentences compared, and the first difference or None."""
    model, source, target = goldens.make_model(folder, spec, seed)
    count = 0
    for settings in SETTINGS:
        wanted = goldens.solve(model, source, target, settings)["sentences"]
        got = translate(program, folder, settings, wanted) if wanted else []
        if isinstance(got, str):
            return count, got
        for g, w in zip(got, wanted, strict=True):
            count += 1
            found = difference(g, w)
            if found:
                return count, f"{settings} \"{w['source']}\": {found}"
    return count, None


def main():
    program = os.path.abspath(sys.argv[1])
    rng = random.Random(int(sys.argv[3]))
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    total = bad = 0
    for _ in range(int(sys.argv[2])):
        folder = tempfile.mkdtemp(prefix="tutorial-")
        count, found = compare(program, folder, random_spec(rng), rng.randrange(10000))
        total += count
        if found:
            bad += 1
            print(f"{folder}: {found}", flush=True)
        else:
            shutil.rmtree(folder)
    print(f"{total} sentences compared, {bad} models differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
