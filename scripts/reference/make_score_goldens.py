#!/usr/bin/env python3
"""Golden references of given translations: tests/golden/score/PROGRAM.jsonl.

    make build/golden/.stamp
    scripts/reference/make_score_goldens.py build/golden tests/golden/score PROGRAM

PROGRAM is transformers, ctranslate2 or marian. The models are those of other golden
folders. Packages: scripts/reference/requirements.txt; each program needs only its own
(marian: NumPy, the arithmetic of make_marian_nmt_goldens.py).

Each line is one pair; members that do not apply are absent:

    {"folder": "families/t5-relu", "from": "en", "to": "de", "pieces": true,
     "source": "text", "target": "text", "forced": 1, "ids": [ids], "logprobs": [numbers]}

With "pieces", the texts are pieces separated by spaces. "ids" are those of text_target (in
mBART's first models without the language after the end token), "logprobs" are log_softmax
of the logits, score_batch() or the arithmetic of marian-scorer, in units of 1e-6. The
first "forced" ids are a language that the model is forced to write.
"""

import json
import os
import sys

import numpy as np

import golden_store
from make_attention_goldens import read_json

FAMILIES = [  # folder, family
    ("m2m100-swish-f16-sharded", "m2m100"), ("small100-relu", "small100"), ("nllb-relu-all-languages", "nllb"),
    ("mbart25-gelu", "mbart25"), ("mbart50-gelu", "mbart50"), ("bart-gelu", "bart"),
    ("t5-relu", "t5"), ("mt5-gated-gelu", "mt5"), ("umt5-gated-gelu", "umt5"), ("madlad-decoder-name", "madlad"),
]  # fmt: skip
MARIAN_OF_TRANSFORMERS = ["swish-opus", "quick-gelu-untied", "relu-separate"]


def numbers(logprobs):
    return [int(n) for n in np.rint(np.asarray(logprobs, np.float64) * 1e6)]


def texts():
    from golden_models import GERMAN, SOURCES

    return list(zip(SOURCES, GERMAN[:3] + ["Ж 9", "wo"]))[:4]


# --- transformers ---


def scored(model, source, start, ids):
    import torch

    with torch.no_grad():
        out = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[start] + ids[:-1]]))
    return numbers(torch.log_softmax(out.logits[0], -1)[torch.arange(len(ids)), torch.tensor(ids)])


def labels_of(pair, family, text):
    """Returns the ids of text_target, and how many of them are forced."""
    if family == "small100":  # its own class writes no language before a target
        return pair.encode_target(text) + [pair.tokenizer.eos_token_id], 0
    ids = pair.tokenizer(text_target=text).input_ids
    if family == "mbart25":
        ids = ids[:-1]
    return ids, int("forced_bos_token_id" in pair.tokens)


def make_families(root):
    import family_models

    for name, family in FAMILIES:
        folder = os.path.join(root, "families", name)
        model = family_models.load(folder)
        pair = family_models.pairs_of(folder, {"family": family})[0]
        start = pair.tokens.get("decoder_start_token_id", model.generation_config.decoder_start_token_id)
        languages = {k: v for k, v in (("from", pair.source), ("to", pair.target)) if v}
        for source, target in texts():
            ids, forced = labels_of(pair, family, target)
            yield {"folder": f"families/{name}", **languages, "source": source, "target": target, "forced": forced,
                   "ids": ids, "logprobs": scored(model, pair.encode(source), start, ids)}  # fmt: skip


def make_transformers(root):
    import make_marian_goldens

    yield from make_families(root)
    for name in MARIAN_OF_TRANSFORMERS:
        model, tokenizer = make_marian_goldens.load(os.path.join(root, "marian", name))
        for source, target in texts():
            ids = tokenizer(text_target=target).input_ids
            start = model.generation_config.decoder_start_token_id
            logprobs = scored(model, tokenizer(source).input_ids, start, ids)
            yield {"folder": f"marian/{name}", "source": source, "target": target, "ids": ids, "logprobs": logprobs}


# --- CTranslate2 ---

CTRANSLATE2 = ["marian-f32", "marian-int8", "m2m100-f16", "t5-tied-f32", "opennmt-v4-f16", "opennmt-v5-int8"]


def words_of(path):
    for name in ("shared_vocabulary.json", "target_vocabulary.json"):
        if os.path.exists(os.path.join(path, name)):
            return read_json(path, name)
    with open(os.path.join(path, "target_vocabulary.txt"), encoding="utf-8") as f:
        return f.read().split("\n")


def make_ctranslate2(root):
    import ctranslate2

    for name in CTRANSLATE2:
        path = os.path.join(root, "ctranslate2", name)
        words = words_of(path)
        with open(os.path.join(path, "reference.jsonl"), encoding="utf-8") as f:
            sentences = json.loads(f.readline())["sentences"]
        plain = [w for w in words[8:20] if w and not w.startswith("<") and not w.startswith("_")]
        for i, sentence in enumerate(sentences[:3]):
            source, target = sentence["source"].split(), [plain[(i + 5 * k) % len(plain)] for k in range(4 + 3 * i)]
            found = ctranslate2.Translator(path, intra_threads=1).score_batch([source], [target])[0]
            yield {"folder": f"ctranslate2/{name}", "pieces": True, "source": " ".join(source),
                   "target": " ".join(target), "ids": [words.index(w) for w in found.tokens],
                   "logprobs": numbers(found.log_probs)}  # fmt: skip


# --- Marian ---

MARIAN = ["post", "pre", "rms_post", "student", "student_pre", "average", "average_pre", "both"]


def make_marian(root):
    import make_marian_nmt_goldens as marian

    for name in MARIAN:
        path = os.path.join(root, "marian_nmt", name)
        model = marian.Model(dict(np.load(os.path.join(path, "model.npz"))), dict(marian.BASE, **marian.MODELS[name]))
        with open(os.path.join(path, "source.txt"), encoding="utf-8") as f:
            source = f.read().split("\n")[1].split()
        for count in (1, 12):
            target = [marian.WORDS[2 + 7 * k % (len(marian.WORDS) - 2)] for k in range(1, count + 1)]
            ids = [marian.WORDS.index(word) for word in target] + [0]
            encoded = model.encode([marian.WORDS.index(word) for word in source] + [0])
            logprobs = [model.next_scores(encoded, ids[:t])[i] for t, i in enumerate(ids)]
            yield {"folder": f"marian_nmt/{name}", "pieces": True, "source": " ".join(source),
                   "target": " ".join(target), "ids": ids, "logprobs": numbers(logprobs)}  # fmt: skip


def main():
    root, out, program = sys.argv[1:]
    make = {"transformers": make_transformers, "ctranslate2": make_ctranslate2, "marian": make_marian}[program]
    os.makedirs(out, exist_ok=True)
    golden_store.unfold(out)
    with open(os.path.join(out, program + ".jsonl"), "w", encoding="utf-8") as f:
        for line in make(root):
            f.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    golden_store.fold(out)


if __name__ == "__main__":
    main()
