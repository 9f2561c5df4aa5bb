#!/usr/bin/env python3
"""Golden references of the families beside Marian: tests/golden/families/NAME/.

    python3 -m venv /tmp/reference && . /tmp/reference/bin/activate
    pip install -r scripts/reference/requirements.txt
    python3 scripts/reference/make_family_goldens.py tests/golden/families [NAME]...

Folders and lines have the format of make_marian_goldens.py. A line has these
additional members, where they apply:

    {"from": "en", "to": "de",            the values of --from and --to
     "decoder_start_token_id": id,        arguments of generate() for these languages
     "forced_bos_token_id": id,
     "prefix": [ids], "prefix_text": "...",   including a forced language token
     "pieces": true,                      no text has these source ids
     "settings": {...}, "sentences": [...]}
"""

import json
import os
import sys
import warnings

import torch
import transformers

import golden_store
import make_search_goldens as search
from family_models import load, pairs_of, spec, write_folder
from golden_models import SOURCES, hypotheses_of, is_lively, lengths_of, tokens_found

BF16, F16 = torch.bfloat16, torch.float16
NEW = {"legacy": False}  # T5Tokenizer's newer treatment of the first space

SPECS = [
    spec("m2m100-relu", "m2m100", 16, (2, 1), (4, 2), (24, 32), positions=40, teach_pad=True),
    spec("m2m100-untied-bf16-bin", "m2m100", 24, (1, 2), (3, 4), (20, 16), tied=False, dtype=BF16, container="bin",
         tokenizer={"language_codes": "wmt21"}, spare_rows=13, special_languages=False,
         generation={"num_beams": 3, "max_length": 60}),
    spec("m2m100-swish-f16-sharded", "m2m100", 18, (1, 3), (3, 2), (17, 20), activation="swish", scale=False,
         dtype=F16, container="sharded", pieces=120, tokenizer={"language_codes": "wmt21", "num_madeup_words": 3},
         generation={"max_length": 50, "num_beams": 2, "early_stopping": "never"}),
    spec("small100-relu", "small100", 16, (3, 1), (4, 2), (24, 20)),
    spec("small100-gelu-f16-bin", "small100", 20, (1, 2), (5, 4), (16, 24), activation="gelu", dtype=F16,
         container="bin", tokenizer={"language_codes": "wmt21"}, teach_pad=True, spare_rows=1),
    spec("small100-untied-plain", "small100", 22, (2, 1), (2, 11), (30, 12), tied=False, scale=False,
         tokenizer={"language_codes": "wmt21"}, generation={"num_beams": 4, "length_penalty": 0.6}),
    spec("nllb-relu-all-languages", "nllb", 16, (2, 2), (4, 2), (24, 16), dtype=F16,
         tokenizer={"additional_special_tokens": None}, generation={"num_beams": 4, "max_length": 200}),
    spec("nllb-legacy-bin", "nllb", 24, (1, 2), (3, 8), (20, 28), container="bin", tokenizer={"legacy_behaviour": True},
         generation={"num_beams": 4, "max_length": 60}),
    spec("nllb-gelu-own-tables-legacy-format", "nllb", 20, (2, 1), (5, 2), (18, 30), activation="gelu", tied=False,
         own_tables=True,
         scale=False, dtype=BF16, container="bin-legacy", spare_rows=5, generation={"max_length": 60}),
    spec("seamless-v2-whole-f16", "seamless-v2", 16, (2, 1), (4, 2), (24, 20), dtype=F16,
         generation={"num_beams": 5, "max_new_tokens": 30}),
    spec("mbart25-gelu", "mbart25", 16, (1, 2), (4, 2), (20, 24), generation={"num_beams": 5, "max_length": 60}),
    spec("mbart25-relu-f16-bin", "mbart25", 24, (2, 1), (3, 6), (16, 20), activation="relu", dtype=F16, scale=False,
         container="bin", generation={"num_beams": 2, "max_length": 48, "early_stopping": True}, spare_rows=2),
    spec("mbart25-own-tables-swish", "mbart25", 20, (1, 2), (2, 5), (33, 19), tied=False, own_tables=True, activation="swish", positions=48,
         generation={"num_beams": 3, "max_length": 47, "length_penalty": 2.0}),
    spec("mbart50-gelu", "mbart50", 16, (2, 1), (2, 4), (24, 20),
         generation={"num_beams": 5, "early_stopping": True, "max_length": 64}),
    spec("mbart50-gelu-new-bf16-bin-sharded", "mbart50", 18, (1, 2), (3, 2), (16, 22), activation="gelu_new",
         dtype=BF16, container="bin-sharded", generation={"num_beams": 4, "max_length": 50}),
    spec("mbart50-untied-config-only", "mbart50", 20, (1, 1), (4, 10), (26, 18), tied=False, scale=False,
         generation_file=False, generation={"num_beams": 2, "max_length": 40, "no_repeat_ngram_size": 3}),
    spec("mbart50-fast-only", "mbart50", 16, (1, 1), (2, 4), (20, 16), files="fast-only", pieces=70, positions=40,
         generation={"num_beams": 3, "max_length": 40}),
    spec("bart-gelu", "bart", 24, (2, 1), (4, 3), (20, 24), generation={"num_beams": 4, "max_length": 60}),
    spec("bart-untied-relu-f16-bin", "bart", 18, (1, 2), (2, 6), (32, 16), tied=False, activation="relu", scale=False,
         dtype=F16, container="bin", generation={"num_beams": 3, "max_length": 50, "length_penalty": 0.6}),
    spec("mbarthez-swish-bf16", "mbarthez", 28, (1, 1), (7, 4), (24, 30), activation="swish", dtype=BF16,
         generation={"num_beams": 4, "early_stopping": True, "max_length": 48}),
    spec("t5-relu", "t5", 24, (2, 1), (4, 4), (40, 40), generation={"num_beams": 4, "max_length": 60}),
    spec("t5-wide-heads-bin", "t5", 16, (1, 3), (3, 3), (30, 30), d_kv=8, container="bin", tokenizer=NEW, buckets=6,
         distance=12, spare_rows=7),
    spec("t5-bf16-default-length", "t5", 20, (3, 1), (5, 5), (21, 21), d_kv=3, dtype=BF16, generation_file=False,
         config={"layer_norm_epsilon": 1e-5}),
    spec("t5v11-gated-gelu", "t5v11", 20, (1, 2), (3, 3), (24, 24), d_kv=5, spare_rows=3,
         generation={"num_beams": 4, "max_length": 50}),
    spec("t5v11-gated-silu-f16-bin", "t5v11", 16, (2, 1), (4, 4), (20, 20), activation="gated-silu", dtype=F16,
         container="bin", tokenizer=NEW, buckets=32, distance=128),
    spec("t5v11-gated-relu-tied-sharded", "t5v11", 24, (2, 2), (2, 2), (16, 16), activation="gated-relu", tied=True,
         container="sharded", d_kv=7, buckets=10, generation={"num_beams": 2, "max_length": 40}),
    spec("t5v11-new-fast-few-rows", "t5v11", 16, (2, 1), (2, 2), (16, 16), files="new-fast", spare_rows=-5, pieces=70),
    spec("mt5-gated-gelu", "mt5", 16, (2, 2), (4, 4), (24, 24), generation={"num_beams": 4, "max_length": 45}),
    spec("mt5-bf16-bin", "mt5", 24, (1, 2), (6, 6), (20, 20), d_kv=4, dtype=BF16, container="bin", tokenizer=NEW,
         spare_rows=10),
    spec("mt5-tied-legacy-format", "mt5", 20, (3, 1), (2, 2), (18, 18), d_kv=12, tied=True, container="bin-legacy",
         activation="gated-gelu", buckets=16, distance=64),
    spec("umt5-gated-gelu", "umt5", 16, (2, 2), (4, 4), (24, 24), generation={"num_beams": 4, "max_length": 45}),
    spec("umt5-f16-bin", "umt5", 20, (1, 3), (5, 5), (20, 20), d_kv=3, dtype=F16, container="bin", tokenizer=NEW,
         spare_rows=4),
    spec("umt5-tied-sharded", "umt5", 24, (3, 2), (2, 2), (16, 16), d_kv=9, tied=True, container="sharded", buckets=12,
         generation={"num_beams": 3, "max_length": 40}),
    spec("madlad-decoder-name", "madlad", 16, (2, 2), (4, 4), (24, 24), container="decoder-name",
         generation={"num_beams": 4, "max_length": 50}),
    spec("madlad-fast", "madlad", 16, (1, 1), (4, 4), (20, 20), files="fast", pieces=70),
    spec("madlad-bf16-bin", "madlad", 20, (1, 2), (2, 2), (22, 22), d_kv=8, dtype=BF16, container="bin", tokenizer=NEW),
    spec("madlad-tied-zero-pad", "madlad", 24, (2, 1), (3, 3), (20, 20), d_kv=7, tied=True, spare_rows=6,
         spm={"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}, tokenizer={"pad_token": "<pad>", "bos_token": None},
         config={"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}),
    spec("fsmt-relu", "fsmt", 16, (2, 1), (4, 2), (24, 20), pieces=120),
]  # fmt: skip

LIMIT = 35


def line_of(pair, settings, prefix=(), prefix_text=None):
    line = {"from": pair.source, "to": pair.target, **pair.tokens, "settings": settings, "prefix": list(prefix),
            "prefix_text": prefix_text, "sentences": []}  # fmt: skip
    return {k: v for k, v in line.items() if v is not None}


def solve_ids(model, pair, text, ids, line):
    """Returns the sentence with its hypotheses, or None if rounding decides a choice."""
    hypotheses = hypotheses_of(model, pair.tokenizer, ids, line["prefix"], line["settings"], pair.tokens)
    return hypotheses and {"source": text, "source_ids": ids, "hypotheses": hypotheses}


def solve(model, s, pair, settings, prefix=(), prefix_text=None, sources=SOURCES):
    line = line_of(pair, settings, prefix, prefix_text)
    full = pair.before if pair.target is None else ""
    for text in sources:
        ids = pair.encode(text)
        sentence = solve_ids(model, pair, full + text, ids, line) if len(ids) <= s["positions"] else None
        if sentence:
            line["sentences"].append(sentence)
    return line


def solve_padded(model, pair, settings, sources):
    """Returns sources that contain <pad>, which no text gives."""
    line = {**line_of(pair, settings), "pieces": True}
    for number, text in enumerate(sources):
        ids = pair.encode(text)
        at = 1 + number % (len(ids) - 1)
        sentence = solve_ids(model, pair, text, ids[:at] + [model.config.pad_token_id] * (1 + number) + ids[at:], line)
        if sentence:
            line["sentences"].append(sentence)
    return line


def prefixed(pair, free, end):
    """Returns (ids, text): a forced language token, and the beginning of a
    hypothesis of a search without a prefix."""
    for sentence in free["sentences"]:
        for h in sentence["hypotheses"]:
            words = h["text"].split()
            if words and "_" not in words[0]:
                word = words[0][:6]
                ids = [i for i in pair.encode_target(word) if i != end]
                return pair.head(0)[1:] + ids, word
    return None


def lines_of(model, s, index, pairs, free):
    grid = [(e, p) for p in (-0.5, 0.0, 0.6, 2.0) for e in (False, True, "never")]
    first, second, third = (pairs * 3)[:3]
    (early, penalty), (early2, penalty2) = grid[5 * index % 12], grid[(5 * index + 7) % 12]
    beam = {"beams": 4, "n_best": 4, "max_length": LIMIT}
    lines = [
        solve(model, s, first, {}, sources=SOURCES[:5]),
        solve(model, s, second, {"beams": 1, "n_best": 1, "max_length": LIMIT}, sources=SOURCES[:5]),
        solve(model, s, first, {**beam, "early_stopping": early, "length_penalty": penalty}, sources=SOURCES[:4]),
        solve(model, s, second, {**beam, "early_stopping": early2, "length_penalty": penalty2}, sources=SOURCES[2:5]),
        solve(model, s, third, {**beam, "n_best": 2, "no_repeat_ngram_size": 2, "repetition_penalty": 1.2,
                                "min_length": 6}, sources=SOURCES[1:4]),
        solve(model, s, third, {"beams": 3, "n_best": 3, "max_length": 6}, sources=SOURCES[:3]),
    ]  # fmt: skip
    if s["family"] == "fsmt":  # with a prefix, transformers 4.57.1 reads only its last token
        return [line for line in lines if line["sentences"]]
    found = prefixed(first, free, model.config.eos_token_id)
    if found:
        lines.append(solve(model, s, first, {**beam, "n_best": 2}, *found, sources=SOURCES[:3]))
    if s["family"] in ("m2m100", "nllb", "small100", "seamless-v2"):
        lines.append(solve_padded(model, first, {**beam, "n_best": 1}, SOURCES[1:4]))
    return [line for line in lines if line["sentences"]]


def tune(folder, s):
    """Tries seeds until the outputs are varied."""
    for seed in range(1, 30):
        write_folder(folder, s, seed, LIMIT, 0.9 + 0.1 * (seed % 4))
        model, pairs = load(folder), pairs_of(folder, s)
        free = solve(model, s, pairs[0], {"beams": 4, "n_best": 4, "max_length": LIMIT})
        used = tokens_found(free, [])
        if len(free["sentences"]) >= 5 and is_lively(free, [model.config.eos_token_id]):
            if not s["teach_pad"] or 1 in used:
                return model, pairs, free
    sys.exit(f"{s['name']}: no seed gives varied outputs")


def make(folder, index, s):
    model, pairs, free = tune(folder, s)
    lines = lines_of(model, s, index, pairs, free)
    assert len(lines) >= 6, f"{s['name']}: only {len(lines)} lines are well defined"
    with open(os.path.join(folder, "reference.jsonl"), "w", encoding="utf-8") as f:
        for line in lines:
            for h in (h for sentence in line["sentences"] for h in sentence["hypotheses"]):
                h["score"] = round(h["score"], 6)
            f.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    size = sum(os.path.getsize(os.path.join(folder, n)) for n in os.listdir(folder))
    own, several, count = lengths_of(lines, [model.config.eos_token_id])
    assert size < 130_000, f"{s['name']}: {size} bytes"
    print(f"{s['name']}: {size // 1000} kB, {len(lines)} lines, {count} hypotheses, {len(own)} with an end token, "
          f"lengths {min(own)} to {max(own)}, {several} searches with ends at several lengths", flush=True)


def main():
    if transformers.__version__ != search.PINNED:
        sys.exit(f"transformers {search.PINNED} is needed, this is {transformers.__version__}")
    root = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/families"
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    golden_store.unfold(root)
    for index, s in enumerate(SPECS):
        if len(sys.argv) <= 2 or s["name"] in sys.argv[2:]:
            make(os.path.join(root, s["name"]), index, s)
    golden_store.fold(root)


if __name__ == "__main__":
    main()
