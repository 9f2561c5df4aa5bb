#!/usr/bin/env python3
"""Golden references of CTranslate2's decoding options: tests/golden/ctranslate2_decoding.

    python3 scripts/reference/make_ctranslate2_decoding_goldens.py tests/golden/ctranslate2_decoding [TRANSLITERATION]

Packages: scripts/reference/requirements.txt. TRANSLITERATION is CTranslate2's folder
tests/data/models/v2/aren-transliteration. It becomes the folder `transliteration`: the
same model with weights of 16 bits, in version 4 of model.bin.
Without TRANSLITERATION, that folder stays as it is.

decoding.jsonl has a line for each model and each setting. The models are `transliteration`
and some of tests/golden/ctranslate2:

    {"folder": "ctranslate2/opennmt-v2", "options": ["-b", "4", "-n", "2"], "end": [3],
     "sources": ["pieces", ...], "results": [[[[ids], score], ...], ...]}

"options" are those of dragoman, and "results" has the hypotheses of each source, best first,
without the one of the end tokens "end" that ended them. The first line of a folder has its
sources; the other lines have the same ones. With --replace-unknowns, a hypothesis is a
text of pieces without special tokens, instead of ids. CTranslate2 may replace an unknown
token by a special token of the source; dragoman takes the piece with the most attention.
"""

import json
import os
import random
import struct
import sys

import ctranslate2
import numpy as np

import golden_store

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "v", "é", "ß", "ж", "水"]
NAMES = ["آتزمون", "آتشيسون", "محمد", "واشنطن", "لندن", "فلاديمير", "شكسبير", "ابراهيم", "جورج", "Xكz"]
SPECIAL = {"<s>", "</s>", "<blank>", "<pad>", "__en__", "__de__"}

# name, text around a source, first token of all translations, a prefix, pieces to suppress, end tokens
MODELS = [
    ("ctranslate2_decoding/transliteration", ("", ""), "", "a t", ["o", "t z m", "h a"], ["n", "</s>"]),
    ("ctranslate2/marian-f32", ("", " </s>"), "", "b d", ["é", "u u", "h é k"], ["u", "é"]),
    ("ctranslate2/m2m100-f16", ("__en__ ", " </s>"), "__de__", "c", ["a", "h l", "e e e"], ["l", "n", "</s>"]),
    ("ctranslate2/opennmt-v2", ("", ""), "", "r v", ["p", "x x", "s y c"], ["x", "h"]),
]

# CTranslate2 reads the prefix of alternatives in one pass, without the factor of the embeddings
# in models that start from a zero embedding. These results differ from its forced prefix.
READS_PREFIX_WRONGLY = ["ctranslate2/marian-f32"]

PREFIX, END, SUPPRESS = object(), object(), object()  # those of the model

SETTINGS = [
    {"beam_size": 1},
    {"beam_size": 3, "num_hypotheses": 3},
    {"beam_size": 6, "num_hypotheses": 6},
    {"beam_size": 4, "num_hypotheses": 2, "length_penalty": 0.0},
    {"beam_size": 4, "num_hypotheses": 2, "length_penalty": 0.3},
    {"beam_size": 5, "num_hypotheses": 5, "length_penalty": 1.6},
    {"beam_size": 2, "num_hypotheses": 2, "length_penalty": -0.5},
    {"beam_size": 1, "target_prefix": PREFIX},
    {"beam_size": 2, "target_prefix": PREFIX},
    {"beam_size": 5, "target_prefix": PREFIX, "num_hypotheses": 3, "length_penalty": 0.0},
    {"beam_size": 2, "target_prefix": PREFIX, "prefix_bias_beta": 0.1},
    {"beam_size": 1, "target_prefix": PREFIX, "prefix_bias_beta": 0.5},
    {"beam_size": 4, "target_prefix": PREFIX, "prefix_bias_beta": 0.9, "num_hypotheses": 4},
    {"beam_size": 3, "target_prefix": PREFIX, "prefix_bias_beta": 0.99, "num_hypotheses": 2},
    {"beam_size": 2, "target_prefix": PREFIX, "alternatives": 3},
    {"beam_size": 1, "alternatives": 5},
    {"beam_size": 4, "target_prefix": PREFIX, "alternatives": 6, "min_alternative_expansion_prob": 0.05},
    {"beam_size": 3, "alternatives": 4, "length_penalty": 0.0, "max_decoding_length": 9},
    {"beam_size": 2, "target_prefix": PREFIX, "alternatives": 3, "max_decoding_length": 3},
    {"beam_size": 2, "alternatives": 3, "min_decoding_length": 5},
    {"beam_size": 4, "num_hypotheses": 4, "coverage_penalty": 0.1},
    {"beam_size": 3, "num_hypotheses": 2, "coverage_penalty": -0.2},
    {"beam_size": 1, "coverage_penalty": 0.1},
    {"beam_size": 4, "num_hypotheses": 2, "patience": 0.5},
    {"beam_size": 3, "num_hypotheses": 6, "patience": 2.0},
    {"beam_size": 5, "num_hypotheses": 3, "patience": 0.7, "length_penalty": 0.2},
    {"beam_size": 3, "repetition_penalty": 1.3},
    {"beam_size": 2, "num_hypotheses": 2, "repetition_penalty": 0.8},
    {"beam_size": 4, "num_hypotheses": 2, "no_repeat_ngram_size": 2},
    {"beam_size": 1, "no_repeat_ngram_size": 1},
    {"beam_size": 3, "num_hypotheses": 2, "suppress_sequences": SUPPRESS},
    {"beam_size": 1, "suppress_sequences": SUPPRESS},
    {"beam_size": 3, "num_hypotheses": 2, "end_token": END},
    {"beam_size": 1, "end_token": END},
    {"beam_size": 2, "num_hypotheses": 2, "min_decoding_length": 6},
    {"beam_size": 4, "num_hypotheses": 2, "min_decoding_length": 4, "max_decoding_length": 6},
    {"beam_size": 1, "max_decoding_length": 3},
    {"beam_size": 2, "target_prefix": PREFIX, "min_decoding_length": 5},
    {"beam_size": 2, "num_hypotheses": 2, "disable_unk": True},
    {"beam_size": 3, "num_hypotheses": 3, "replace_unknowns": True},
    {"beam_size": 4, "num_hypotheses": 2, "target_prefix": PREFIX, "coverage_penalty": 0.1, "replace_unknowns": True},
    {"beam_size": 4, "num_hypotheses": 4, "coverage_penalty": 0.1, "patience": 2.0, "length_penalty": 0.5,
     "repetition_penalty": 1.2},
    {"beam_size": 3, "target_prefix": PREFIX, "suppress_sequences": SUPPRESS, "no_repeat_ngram_size": 2,
     "min_decoding_length": 4},
    {"beam_size": 2, "target_prefix": PREFIX, "alternatives": 4, "suppress_sequences": SUPPRESS, "repetition_penalty": 1.1},
    {"beam_size": 3, "num_hypotheses": 3, "target_prefix": PREFIX, "prefix_bias_beta": 0.4, "repetition_penalty": 1.2,
     "patience": 1.5},
    {"beam_size": 2, "target_prefix": PREFIX, "alternatives": 3, "end_token": END},
    {"beam_size": 3, "num_hypotheses": 2, "disable_unk": True, "suppress_sequences": SUPPRESS, "end_token": END},
]

OPTIONS = {  # CTranslate2's name: dragoman's option
    "beam_size": "-b", "num_hypotheses": "-n", "length_penalty": "--length-penalty", "target_prefix": "--prefix",
    "prefix_bias_beta": "--prefix-bias", "alternatives": "--alternatives",
    "min_alternative_expansion_prob": "--min-alternative-probability", "coverage_penalty": "--coverage-penalty",
    "patience": "--patience", "repetition_penalty": "--repetition-penalty", "no_repeat_ngram_size": "--no-repeat-ngram",
    "suppress_sequences": "--suppress", "end_token": "--end-token", "min_decoding_length": "--min-length",
    "max_decoding_length": "--max-length", "disable_unk": "--disable-unk", "replace_unknowns": "--replace-unknowns",
}  # fmt: skip


def read_old_model(path):
    """Returns the variables of model.bin in version 2."""
    data, at = open(path, "rb").read(), 0

    def take(layout):
        nonlocal at
        values = struct.unpack_from("<" + layout, data, at)
        at += struct.calcsize("<" + layout)
        return values[0] if len(values) == 1 else values

    def text():
        return take("%ds" % take("H")).rstrip(b"\0").decode()

    assert take("I") == 2
    kind, revision, variables = text(), take("I"), {}
    for _ in range(take("I")):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        size, count = take("B"), take("I")
        array = np.frombuffer(data, {1: np.int8, 2: np.int16, 4: np.float32}[size], count, at)
        variables[name] = array.reshape(shape)
        at += size * count
    assert at == len(data)
    return kind, revision, variables


def write_model(folder, kind, revision, variables):
    """Writes model.bin in version 4, the first one with weights of 16 bits."""
    def text(s):
        return struct.pack("<H", len(s) + 1) + s.encode() + b"\0"

    with open(os.path.join(folder, "model.bin"), "wb") as f:
        f.write(struct.pack("<I", 4) + text(kind) + struct.pack("<II", revision, len(variables)))
        for name, a in variables.items():
            a = a.astype(np.float16) if a.dtype == np.float32 else a
            types = ["float32", "int8", "int16", "int32", "float16"]
            f.write(text(name) + struct.pack("<B", a.ndim) + struct.pack("<%dI" % a.ndim, *a.shape))
            f.write(struct.pack("<BI", types.index(str(a.dtype)), a.nbytes) + a.tobytes())
        f.write(struct.pack("<I", 0))  # no aliases


def make_transliteration(folder, original):
    os.makedirs(folder, exist_ok=True)
    write_model(folder, *read_old_model(os.path.join(original, "model.bin")))
    for name in ("source_vocabulary", "target_vocabulary"):
        with open(os.path.join(original, name + ".txt"), encoding="utf-8") as f:
            tokens = f.read().removesuffix("\n").split("\n")
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
            f.write(json.dumps(tokens, ensure_ascii=False) + "\n")


def read_tokens(folder):
    """Returns the target vocabulary."""
    for name in ("target_vocabulary.json", "shared_vocabulary.json", "target_vocabulary.txt"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            text = open(path, encoding="utf-8").read()
            tokens = json.loads(text) if name.endswith("json") else text.removesuffix("\n").split("\n")
            return tokens + ["<unk>"] * ("<unk>" not in tokens)


def sources_of(name, around):
    if name.endswith("transliteration"):
        return [" ".join(n) for n in NAMES]
    rng = random.Random(name)
    sources = [[rng.choice(WORDS) for _ in range(rng.randint(1, 9))] for _ in range(10)]
    sources[3][0] = sources[7][-1] = "unseen"
    return [around[0] + " ".join(s) + around[1] for s in sources]


def values_of(setting, model):
    """Replaces the marks in a setting by what the model has."""
    _, _, first, prefix, suppressed, ends = model
    marks = {PREFIX: (first + " " + prefix).split(), END: ends, SUPPRESS: [s.split() for s in suppressed]}
    values = {"max_decoding_length": 24, **setting}
    if first:
        values.setdefault("target_prefix", [first])
    return {key: marks.get(v, v) if v in (PREFIX, END, SUPPRESS) else v for key, v in values.items()}


def options_of(values):
    """The options of dragoman."""
    options = []
    for key, value in values.items():
        if value is True:
            options.append(OPTIONS[key])
        elif key == "suppress_sequences":
            options += [o for s in value for o in (OPTIONS[key], " ".join(s))]
        elif key == "end_token":
            options += [o for s in value for o in (OPTIONS[key], s)]
        else:
            options += [OPTIONS[key], " ".join(value) if key == "target_prefix" else str(value)]
    return options


def replaced(source, hypothesis, attention):
    """The pieces with the unknown ones replaced, but not by special tokens."""
    usable = [i for i, piece in enumerate(source) if piece not in SPECIAL]
    return [source[max(usable, key=lambda i: (row[i], -i))] if piece == "<unk>" else piece
            for piece, row in zip(hypothesis, attention)]


def translate(translator, source, values):
    """Returns pairs of pieces and scores."""
    values = dict(values)
    prefix, replace = values.pop("target_prefix", None), values.pop("replace_unknowns", False)
    if "alternatives" in values:
        values.update(num_hypotheses=values.pop("alternatives"), return_alternatives=True)

    def run(**more):
        return translator.translate_batch([source], target_prefix=[prefix] if prefix else None, return_scores=True,
                                          **values, **more)[0]

    if not replace:
        result = run(return_attention="coverage_penalty" in values)  # greedy search crashes without
        return list(zip(result.hypotheses, result.scores))
    result, own = run(return_attention=True), run(replace_unknowns=True)
    assert not result.attention or all(len(row) == len(source) for a in result.attention for row in a)
    texts = [replaced(source, h, a) for h, a in zip(result.hypotheses, result.attention)]
    for ours, theirs in zip(texts, own.hypotheses):  # they differ in special tokens alone
        assert all(o == t or t in SPECIAL for o, t in zip(ours, theirs)), (ours, theirs)
    return list(zip(texts, own.scores))


def make_rows(root, model):
    name, around, _, _, _, _ = model
    folder = os.path.join(root, "..", name)
    ids = {}
    for i, token in enumerate(read_tokens(folder)):
        ids.setdefault(token, i)
    translator = ctranslate2.Translator(folder, intra_threads=1)
    sources, rows, unknowns = sources_of(name, around), [], 0
    for setting in SETTINGS:
        values = values_of(setting, model)
        if name in READS_PREFIX_WRONGLY and "alternatives" in values and "target_prefix" in values:
            continue
        results = [translate(translator, s.split(), values) for s in sources]
        if setting.get("replace_unknowns"):
            shown = [[[" ".join(t for t in h if t not in SPECIAL), round(s, 5)] for h, s in r] for r in results]
        else:
            shown = [[[[ids[p] for p in h], round(s, 5)] for h, s in r] for r in results]
            unknowns += sum("<unk>" in h for r in results for h, _ in r)
        ends = [ids[t] for t in values.get("end_token", ["</s>"])]
        row = {"folder": name, "options": options_of(values), "end": ends, "sources": sources, "results": shown}
        if rows:
            del row["sources"]
        rows.append(row)
    print(name, len(rows), "settings,", unknowns, "hypotheses with unknown tokens")
    return rows


def main():
    root = sys.argv[1]
    ctranslate2.set_log_level(40)  # errors only
    golden_store.unfold(root)
    os.makedirs(root, exist_ok=True)
    if len(sys.argv) > 2:
        make_transliteration(os.path.join(root, "transliteration"), sys.argv[2])
    with open(os.path.join(root, "decoding.jsonl"), "w", encoding="utf-8") as f:
        for model in MODELS:
            for row in make_rows(root, model):
                f.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    golden_store.fold(root)


if __name__ == "__main__":
    main()
