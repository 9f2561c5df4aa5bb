#!/usr/bin/env python3
"""Golden references of cross-attention: tests/golden/attention/PROGRAM.jsonl.

    make build/golden/.stamp
    scripts/reference/make_attention_goldens.py build/golden tests/golden/attention PROGRAM

PROGRAM is transformers, ctranslate2 or marian. The models are those of other golden
folders. Packages: scripts/reference/requirements.txt; each program needs only its own
(marian: NumPy, the arithmetic of make_marian_nmt_goldens.py).

Each line is one sentence; members that do not apply are absent:

    {"folder": "families/t5-relu", "settings": {"beams": 4, ...},
     "prefix": [ids], "decoder_start_token_id": id, "forced_bos_token_id": id,
     "source_ids": [ids], "heads": {"layer": 1, "count": 2},
     "hypotheses": [{"ids": [ids], "attention": [numbers], "logprobs": [numbers]}]}

"attention" is [planes, rows, source ids] in units of 1e-5, flattened. The planes are all
heads of all layers in order, or one: the mean of the first "count" heads of "layer". Some
hypotheses of an n-best list have no "attention". CTranslate2 has no row for the end token.
"logprobs" are the model's own for each id, in the same unit and without any setting.
"""

import json
import os
import shutil
import struct
import sys
import tempfile

import numpy as np

import golden_store

TRANSFORMERS = [
    "marian/swish-opus", "marian/tanh-sharded", "marian/quick-gelu-untied", "families/m2m100-swish-f16-sharded",
    "families/nllb-relu-all-languages", "families/mbart25-gelu", "families/mbart50-gelu", "families/bart-gelu",
    "families/t5-wide-heads-bin", "families/mt5-gated-gelu", "families/umt5-gated-gelu", "families/madlad-decoder-name",
]  # fmt: skip


def flat(attention):
    return [int(n) for n in np.rint(np.asarray(attention, np.float64) * 1e5).flatten()]


def keep(line, names):
    return {name: line[name] for name in names if line.get(name) not in (None, [])}


def references(root, folder):
    with open(os.path.join(root, folder, "reference.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


# --- transformers ---


def chosen_lines(lines):
    """Returns a greedy search, an n-best list, and a beam search with a prefix."""
    greedy = next(l for l in lines if l["settings"].get("beams") == 1 and not l["prefix"])
    nbest = next(l for l in lines if l["settings"].get("n_best") == 4 and not l["prefix"])
    prefixed = next(l for l in lines if l["settings"].get("beams") == 4 and l["prefix"])
    return [(greedy, 1), (nbest, 0), (prefixed, 0)]


def forced(model, source, start, ids):
    """Returns what the model computes when it is forced to these ids."""
    import torch

    with torch.no_grad():
        out = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[start] + ids[:-1]]),
                    output_attentions=True, use_cache=False)  # fmt: skip
    logprobs = torch.log_softmax(out.logits[0], -1)[torch.arange(len(ids)), torch.tensor(ids)]
    return {"attention": flat(torch.cat(out.cross_attentions, 1)[0]), "logprobs": flat(logprobs)}


def transformers_sentence(model, folder, line, number):
    sentence = line["sentences"][min(number, len(line["sentences"]) - 1)]
    start = line.get("decoder_start_token_id", model.generation_config.decoder_start_token_id)
    hypotheses = [{"ids": h["ids"]} for h in sentence["hypotheses"]]
    for h in (hypotheses[0], hypotheses[-1]):
        h.update(forced(model, sentence["source_ids"], start, h["ids"]))
    names = ["settings", "prefix", "decoder_start_token_id", "forced_bos_token_id"]
    return {"folder": folder, **keep(line, names), "source_ids": sentence["source_ids"], "hypotheses": hypotheses}


def make_transformers(root):
    import family_models
    import make_marian_goldens

    for folder in TRANSFORMERS:
        path = os.path.join(root, folder)
        loaded = make_marian_goldens.load(path)[0] if folder.startswith("marian/") else family_models.load(path)
        loaded.set_attn_implementation("eager")
        for line, number in chosen_lines(references(root, folder)):
            yield transformers_sentence(loaded, folder, line, number)


# --- CTranslate2 ---

CTRANSLATE2 = [  # folder, (alignment_layer, alignment_heads) or None, what that means, line of the reference, sentence
    ("ctranslate2/marian-f32", None, {"layer": 1, "count": 1}, 0, 1),
    ("ctranslate2/marian-f32", (0, 2), {"layer": 0, "count": 2}, 3, 0),
    ("ctranslate2/m2m100-f16", (-1, 0), {"layer": 0, "count": 4}, 2, 3),
    ("ctranslate2/mbart50-bf16", (-2, 0), {"layer": 0, "count": 2}, 0, 4),
    ("ctranslate2/t5-tied-f32", (1, 2), {"layer": 1, "count": 2}, 0, 5),
    ("ctranslate2/t5-tied-f32", None, {"layer": 1, "count": 1}, 4, 0),
]


def set_number(model, name, value):
    """Replaces an int16 attribute in the bytes of a model.bin: rank 0, type 2, 2 bytes."""
    head = f"decoder/{name}".encode() + b"\0\0\2\2\0\0\0"
    at = model.index(head) + len(head)
    return model[:at] + struct.pack("<h", value) + model[at + 2 :]


def with_heads(folder, path, heads):
    """Copies a folder, and changes the attributes unless heads is None."""
    shutil.copytree(folder, path)
    with open(os.path.join(path, "model.bin"), "rb") as f:
        model = f.read()
    if heads:
        model = set_number(set_number(model, "alignment_layer", heads[0]), "alignment_heads", heads[1])
    with open(os.path.join(path, "model.bin"), "wb") as f:
        f.write(model)


def read_json(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return json.load(f)


def ct2_settings(path, settings, words):
    config = read_json(path, "config.json")
    found = {k: v for k, v in settings.items() if k != "prefix"}
    return {**found, "start": words.index(config["decoder_start_token"]), "eos": words.index(config["eos_token"])}


def ct2_sentence(path, line, number):
    import ctranslate2

    words = read_json(path, "shared_vocabulary.json")
    settings, source = line["settings"], line["sentences"][number]["source"].split()
    prefix = settings.get("prefix", "").split()
    found = ctranslate2.Translator(path, intra_threads=1).translate_batch(
        [source], target_prefix=[prefix] if prefix else None, beam_size=settings.get("beams", 2),
        num_hypotheses=settings.get("n_best", 1), length_penalty=settings.get("length_penalty", 1),
        max_decoding_length=settings["max_length"], min_decoding_length=settings.get("min_length", 1),
        return_attention=True)[0]  # fmt: skip
    hypotheses = [{"ids": [words.index(p) for p in h], "attention": flat(a)}
                  for h, a in zip(found.hypotheses, found.attention)]  # fmt: skip
    return {"settings": ct2_settings(path, settings, words), "prefix": [words.index(p) for p in prefix],
            "source_ids": [words.index(p) for p in source], "hypotheses": hypotheses}  # fmt: skip


def make_ctranslate2(root):
    for folder, attributes, heads, number, sentence in CTRANSLATE2:
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "model")
            with_heads(os.path.join(root, folder), path, attributes)
            yield {"folder": folder, "heads": heads, **ct2_sentence(path, references(root, folder)[number], sentence)}


# --- Marian ---

MARIAN = ["post", "pre", "rms_post", "student", "student_pre", "average", "average_pre", "both"]


def marian_forced(model, source, ids):
    encoded = model.encode(source)
    logprobs = [model.next_scores(encoded, ids[:t])[i] for t, i in enumerate(ids)]
    return {"attention": flat(model.cross_attention(source, ids)), "logprobs": flat(logprobs)}


def make_marian(root):
    import make_marian_nmt_goldens as marian

    for name in MARIAN:
        path = os.path.join(root, "marian_nmt", name)
        weights = dict(np.load(os.path.join(path, "model.npz")))
        model = marian.Model(weights, dict(marian.BASE, **marian.MODELS[name]))
        with open(os.path.join(path, "source.txt"), encoding="utf-8") as f:
            source = [marian.WORDS.index(word) for word in f.read().split("\n")[1].split()] + [0]
        for beams in (1, 4):
            found = marian.search(model, source, beams, 0.6, 0.3, 2)  # as decoder.yml
            hypotheses = [{"ids": ids} for _, ids in found]
            for h in (hypotheses[0], hypotheses[-1]):
                h.update(marian_forced(model, source, h["ids"]))
            yield {"folder": f"marian_nmt/{name}", "settings": {"beams": beams, "n_best": len(found)},
                   "source_ids": source, "hypotheses": hypotheses}  # fmt: skip


def main():
    root, out, program = sys.argv[1:]
    make = {"transformers": make_transformers, "ctranslate2": make_ctranslate2, "marian": make_marian}[program]
    os.makedirs(out, exist_ok=True)
    golden_store.unfold(out)
    with open(os.path.join(out, program + ".jsonl"), "w", encoding="utf-8") as f:
        for line in make(root):
            f.write(json.dumps(line, separators=(",", ":")) + "\n")
    golden_store.fold(out)


if __name__ == "__main__":
    main()
