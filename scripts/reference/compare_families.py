#!/usr/bin/env python3
"""Compares dragoman with transformers on many random models of all families.

    python3 scripts/reference/compare_families.py DRAGOMAN COUNT SEED [FAMILY]...

Makes COUNT folders with random families, shapes, vocabularies, containers and
kinds of tokenizer files. For each, translates twenty lines with the folder's
own settings, with greedy search and with beam 4, and compares source ids, ids,
scores (to 1e-4) and texts of all hypotheses with generate(). Sentences in which
rounding decides a choice are not compared. Prints the differences, keeps the
folders that differ, and exits with status 1 if there are any.
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

from family_models import FAMILIES, Pair, load, pairs_of, spec, write_folder
from golden_models import ENGLISH, GERMAN, SOURCES, hypotheses_of

LIMIT = 35
T5 = ("t5", "t5v11", "mt5", "umt5", "madlad")
ODD = ["Ж 9 milk", "A1 B2, c-d; (e) “f” 'g' 100%!?", "the  old   bridge", "ﬁne Ⅷ ½ Ｔｅａ ｔｅａ", "日本 the house", "-", "Tea.",
       "é è ü ß œ", "the <tea> & [milk] {sugar} #1 @x", "can you … call — the station"]  # fmt: skip


def random_lines(rng, count):
    words = " ".join(ENGLISH + GERMAN).split()
    lines = [rng.choice(SOURCES), rng.choice(ODD), rng.choice(ODD)]
    while len(lines) < count:
        line = " ".join(rng.choices(words, k=rng.randint(1, 14)))
        lines.append(rng.choice([line, line, line.capitalize() + ".", line.upper(), line + rng.choice("!?,;")]))
    return lines


def random_heads(rng, t5):
    """d, heads (encoder, decoder)"""
    size, one, two = rng.randint(2, 9), rng.randint(1, 6), rng.randint(1, 6)
    if t5:
        return rng.randint(12, 40), (one, one)
    return max(one * two * size, 12 * one * two) // (one * two) * (one * two), (one, two)


def random_shape(rng, family):
    t5 = family in T5
    d, heads = random_heads(rng, t5)
    wide = rng.randint(10, 50)
    shape = {
        "layers": (rng.randint(1, 3), rng.randint(1, 3)),
        "heads": heads,
        "ffn": (wide, wide) if t5 else (wide, rng.randint(10, 50)),
        "tied": rng.random() < 0.7 if not t5 else FAMILIES[family]["defaults"].get("tied", True) ^ (rng.random() < 0.15),
        "scale": rng.random() < 0.7,
        "dtype": rng.choice([torch.float32, torch.float32, torch.float16, torch.bfloat16]),
        "positions": rng.choice([64, 128, 256]),
        "pieces": rng.choice([80, 110, 150, 200]),
        "spare_rows": rng.choice([0, 0, 1, 8, 31]),
        "d_kv": rng.randint(2, 12),
        "buckets": rng.choice([8, 16, 32]),
        "distance": rng.choice([20, 64, 128]),
    }
    if rng.random() < 0.3:
        names = ["gated-gelu", "gated-silu", "gated-relu", "relu", "gelu"] if t5 else ["relu", "gelu", "swish", "gelu_new"]
        shape["activation"] = rng.choice(names)
    if family == "fsmt":  # the cache of transformers 4.57.1 has as many layers as the encoder
        shape["layers"] = tuple(sorted(shape["layers"], reverse=True))
    return d, shape


def random_files(rng, family):
    choice = {
        "container": rng.choice(["safetensors", "safetensors", "bin", "bin", "bin-legacy", "sharded", "bin-sharded"]),
        "files": "slow",
        "spm": {"normalization_rule_name": rng.choice(["identity", "nmt_nfkc", "nmt_nfkc"])},
        "tokenizer": {},
        "config": {},
    }
    if family not in ("m2m100", "small100", "fsmt"):
        choice["files"] = rng.choice(["slow", "fast", "fast-only", "new-fast"])
    if family in T5:
        choice["tokenizer"]["legacy"] = rng.random() < 0.5
        if rng.random() < 0.3 and family in ("madlad", "t5v11", "umt5"):
            choice["container"] = "decoder-name"
    elif family.startswith("seamless"):
        choice["whole"] = rng.choice([None, FAMILIES[family]["defaults"]["whole"]])
    elif family == "nllb":
        choice["tokenizer"]["legacy_behaviour"] = rng.random() < 0.3
        if rng.random() < 0.5:
            choice["tokenizer"]["additional_special_tokens"] = None
    elif family in ("m2m100", "small100"):
        choice["special_languages"] = rng.random() < 0.7
        choice["tokenizer"]["language_codes"] = "m2m100" if family == "small100" else rng.choice(["m2m100", "wmt21"])
    return choice


def random_generation(rng):
    found = rng.choice([{}, {"num_beams": 4}, {"num_beams": 5, "early_stopping": True}, {"num_beams": 2, "length_penalty": 0.6}])
    if rng.random() < 0.7:
        found["max_length"] = rng.choice([30, 50, 64])
    if rng.random() < 0.2:
        found["no_repeat_ngram_size"] = 3
    return found


def random_spec(rng, family):
    d, shape = random_shape(rng, family)
    files = random_files(rng, family)
    more = {**shape, **files, "generation": random_generation(rng), "generation_file": rng.choice([True, True, "model", False])}
    if family.startswith("seamless"):
        more["generation_file"] = True  # it has the ids of the languages
    if family == "mbart50" and rng.random() < 0.3:
        more["config"] = {**files["config"], "decoder_start_token_id": None}  # then it is bos_token_id
    if family in ("t5", "t5v11", "umt5") and rng.random() < 0.2:
        more["spare_rows"] = -3  # no rows for the last <extra_id_*>
    if family in ("m2m100", "small100") and rng.random() < 0.2:
        more["spare_rows"] = -8  # none for the made-up words
    if rng.random() < 0.1 and family in ("m2m100", "nllb", "mbart25", "mbart50", "bart") and not shape["tied"]:
        more["own_tables"] = True
    return spec("random", family, d, more.pop("layers"), more.pop("heads"), more.pop("ffn"), **more)


# --- dragoman ---


def run(program, folder, pair, lines, options):
    command = [program, "-m", folder, "--format", "jsonl", "-j", "1", *options]
    if pair.source:
        command += ["--from", pair.source]
    if pair.target:
        command += ["--to", pair.target]
    done = subprocess.run(command, input="".join(x + "\n" for x in lines), capture_output=True, text=True, timeout=120)
    if done.returncode:
        return None, f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}"
    return [json.loads(x) for x in done.stdout.splitlines()], done.stderr.strip()


def compare_sentence(got, source_ids, wanted):
    """Returns a description of the first difference, or None."""
    if got["source_ids"] != source_ids:
        return f"source ids {got['source_ids']}, wanted {source_ids}"
    if len(got["translations"]) != len(wanted):
        return f"{len(got['translations'])} translations, wanted {len(wanted)}"
    for rank, (g, w) in enumerate(zip(got["translations"], wanted)):
        if g["ids"] != w["ids"]:
            return f"rank {rank}: ids {g['ids']} {g['score']}, wanted {w['ids']} {w['score']}"
        if abs(g["score"] - w["score"]) > 1e-4 * max(1, abs(w["score"])):
            return f"rank {rank}: score {g['score']}, wanted {w['score']}"
        if g["text"] != w["text"]:
            return f"rank {rank}: text {g['text']!r}, wanted {w['text']!r}"
    return None


SETTINGS = [({}, []), ({"beams": 1, "n_best": 1, "max_length": LIMIT}, ["-g", "--max-length", str(LIMIT)]),
            ({"beams": 4, "n_best": 4, "max_length": LIMIT}, ["-b", "4", "-n", "4", "--max-length", str(LIMIT)])]  # fmt: skip


def compare(program, folder, s, model, pair, lines, counts):
    faults = []
    full = pair.before if pair.target is None else ""
    encoded = [pair.encode(line) for line in lines]
    for settings, options in SETTINGS:
        got, note = run(program, folder, pair, [full + line for line in lines], options)
        if got is None:
            return [note]
        for line, ids, g in zip(lines, encoded, got):
            if len(ids) > s["positions"]:
                continue
            wanted = hypotheses_of(model, pair.tokenizer, ids, [], settings, pair.tokens)
            if wanted is None:
                counts["close"] += 1
                continue
            counts["sentences"] += 1
            counts["hypotheses"] += len(wanted)
            counts["ended"] += sum(h["ids"][-1] == model.config.eos_token_id for h in wanted)
            fault = compare_sentence(g, ids, wanted)
            if fault:
                faults.append(f"{pair.source}-{pair.target} {options} {full + line!r}: {fault}")
    return faults


def bare(pairs, s):
    """As above without options: the text itself names the task."""
    if s["family"] == "madlad":
        return [Pair(p.tokenizer, before=p.before) for p in pairs[:1]]
    return []


def one_model(program, root, family, seed, counts):
    rng = random.Random(seed)
    s = random_spec(rng, family)
    folder = os.path.join(root, f"{family}-{seed}")
    write_folder(folder, s, seed, LIMIT, 0.9 + 0.2 * rng.random())
    model, pairs, lines = load(folder), pairs_of(folder, s), random_lines(rng, 20)
    pairs = rng.sample(pairs, min(2, len(pairs))) + bare(pairs, s)
    faults = []
    if pairs[0].source and family not in T5 and rng.random() < 0.4 and pairs[0].source in ("en", "eng_Latn", "en_XX"):
        pairs[0].source = None  # the tokenizer's default
    for number, pair in enumerate(pairs):
        faults += compare(program, folder, s, model, pair, lines[number::len(pairs)], counts)
    if not faults:
        shutil.rmtree(folder)
        return True
    shown = {k: v for k, v in s.items() if k not in ("texts", "name", "family")}
    print(f"{folder}: {len(faults)} faults; {shown}")
    for fault in faults[:4]:
        print("    " + fault[:700])
    return False


def main():
    program, count, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    families = sys.argv[4:] or list(FAMILIES)
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    root = tempfile.mkdtemp(prefix="dragoman-compare-")
    counts = {"sentences": 0, "hypotheses": 0, "ended": 0, "close": 0}
    good = 0
    for n in range(count):
        family = families[(seed + n) % len(families)]
        good += one_model(program, root, family, seed + n, counts)
        sys.stdout.flush()
    print(f"{good} of {count} models agree; {counts}")
    sys.exit(good < count)


if __name__ == "__main__":
    main()
