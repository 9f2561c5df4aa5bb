"""The files that go to a GPU machine and come back, for gpu.py."""

import filecmp
import glob
import json
import lzma
import multiprocessing
import os
import random
import shutil
import tempfile

import numpy as np

from back_translate import is_bad
from encode import read_rows
from sources import DEV, GROUPS

HERE = os.path.dirname(os.path.abspath(__file__))
SHARES = {"docs": 0.6, "sutta": 0.5, "bible": 0.25}  # of the pairs that travel, relative to those of other groups
CHUNKS = 8


def compressed(text):
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def write_chunks(folder, name, rows, pool):
    """Compress rows as NAME-0.xz and so on; returns the number of bytes."""
    size = -(-len(rows) // CHUNKS)
    texts = ["".join("\t".join(row) + "\n" for row in rows[i * size : (i + 1) * size]) for i in range(CHUNKS)]
    total = 0
    for number, content in enumerate(pool.imap(compressed, texts)):
        with open(os.path.join(folder, "%s-%d.xz" % (name, number)), "wb") as out:
            out.write(content)
        total += len(content)
    return total


def decompressed(path):
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return file.read()


def read_chunks(folder, name, pool):
    """Returns the text that write_chunks() has compressed."""
    return "".join(pool.map(decompressed, sorted(glob.glob(os.path.join(folder, name + "-?.xz")))))


def pack(args):
    """Write the folder for the other machine. Pairs and sentences are left out evenly until it is small enough."""
    from gpu_trainer import save_int8
    import export

    os.makedirs(args.out, exist_ok=True)
    mark = os.path.join(args.out, "packed")
    if os.listdir(args.out) and not os.path.exists(mark):
        raise SystemExit("%s is not empty, and was not written by pack" % args.out)
    for path in glob.glob(os.path.join(args.out, "*")):
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif path != mark:
            os.remove(path)
    open(mark, "w").close()
    for path in glob.glob(os.path.join(HERE, "*.py")):
        shutil.copy(path, args.out)
    for name in ["spm.model", "vocab.json"] + ["dev-%s.tsv" % name for name in DEV]:
        shutil.copy(os.path.join(args.prepared, name), args.out)
    for folder in args.start:
        with open(os.path.join(folder, "tokenizer_config.json"), encoding="utf-8") as file:
            languages = json.load(file)
        if not filecmp.cmp(os.path.join(folder, "vocab.json"), os.path.join(args.prepared, "vocab.json"), shallow=False):
            raise SystemExit("%s: its vocabulary is not that of %s; change it with grow.py" % (folder, args.prepared))
        shape = export.load_shape(folder)
        save_int8(os.path.join(args.out, "start-%s-%s" % (languages["source_lang"], languages["target_lang"])),
                  export.load_folder(folder, shape), shape)
    left = args.mib * 2**20 - sum(os.path.getsize(path) for path in glob.glob(os.path.join(args.out, "*")))
    rng = random.Random(1)
    rows = [row for row in read_rows(os.path.join(args.prepared, "corpus.tsv"))
            if rng.random() < SHARES.get(GROUPS[int(row[2])], 1.0)]
    mono = {language: read_rows(os.path.join(args.prepared, "mono." + language)) for language in ("de", "en")}
    with multiprocessing.Pool(2) as pool:
        sample = 20000 // CHUNKS * CHUNKS
        rate = {}  # bytes per row, for large chunks a little less
        for name, lines in (("pairs", [row[:3] for row in rows]), ("de", mono["de"]), ("en", mono["en"])):
            taken = sorted(lines[:sample])
            rate[name] = len(compressed("".join("\t".join(row) + "\n" for row in taken))) / max(1, len(taken))
        budget = left * (1 - args.mono if mono["de"] or mono["en"] else 1)
        count = min(len(rows), int(budget / rate["pairs"]))
        left -= write_chunks(args.out, "pairs", sorted(row[:3] for row in rows[:count]), pool)
        counts = {}
        for language, share in (("en", 0.33), ("de", 1.0)):
            counts[language] = min(len(mono[language]), int(left * share / rate[language]))
            left -= write_chunks(args.out, "mono." + language, sorted(mono[language][: counts[language]]), pool)
    size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(args.out, "*")))
    print("%d of %d pairs, %d German and %d English sentences, %.1f MiB" % (
        count, len(rows), counts["de"], counts["en"], size / 2**20))


def unpack(folder, out, pool, most):
    """Write the folder of pack as one of prepare.py, with at most `most` rows of each kind."""
    rng = random.Random(1)
    for name in ("pairs", "mono.de", "mono.en"):
        lines = read_chunks(folder, name, pool).split("\n")[:-1]
        rng.shuffle(lines)
        with open(os.path.join(out, "corpus.tsv" if name == "pairs" else name), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines[:most])
    for name in ["spm.model", "vocab.json"] + ["dev-%s.tsv" % name for name in DEV]:
        shutil.copy(os.path.join(folder, name), out)


def translated_back(part):
    """Returns (sentence, translation, ids of both) of the good ones among (sentences, ids of translations)."""
    import sentencepiece

    path, sentences, translations = part
    model = sentencepiece.SentencePieceProcessor(model_file=path)
    kept = []
    for sentence, ids in zip(sentences, translations):
        text = "" if ids is None else model.decode(ids)
        if not is_bad(sentence, text):
            kept.append((sentence, text))
    sources, targets = (model.encode([row[side] for row in kept], num_threads=1) for side in (1, 0))
    return [(*row, *ids) for row, ids in zip(kept, zip(sources, targets)) if max(map(len, ids)) <= 140 and min(map(len, ids))]


def add_back_translated(path, rows, tag, out):
    """Write the pairs of `path` and the rows of translated_back() to another file."""
    data = dict(np.load(path))
    for name, column in (("source", 2), ("target", 3)):
        sides = [([tag] if column == 2 else []) + row[column] for row in rows]
        ids = np.fromiter((i for side in sides for i in side), np.int16)
        ends = data[name + "_offsets"][-1] + np.cumsum([len(side) for side in sides], dtype=np.int64)
        data[name + "_ids"] = np.concatenate([data[name + "_ids"], ids])
        data[name + "_offsets"] = np.concatenate([data[name + "_offsets"], ends])
        if name == "target" and "links" in data:
            data["links"] = np.concatenate([data["links"], np.full(len(ids), -1, data["links"].dtype)])
    data["groups"] = np.concatenate([data["groups"], np.full(len(rows), GROUPS.index("mono"), np.int8)])
    np.savez(out + ".new.npz", **data)
    os.replace(out + ".new.npz", out)


def read(args):
    """Write each model of the results as a folder of export.py, and the back-translated pairs as those of back_translate.py."""
    from gpu_trainer import load_int8
    import export
    import torch

    for path in sorted(glob.glob(os.path.join(args.results, "*.int8"))):
        direction = os.path.basename(path)[:5]
        weights, shape = load_int8(path)
        folder = os.path.join(args.out, direction)
        with tempfile.TemporaryDirectory() as data:
            with open(os.path.join(data, "languages.json"), "w", encoding="utf-8") as file:
                json.dump(direction.split("-"), file)
            for name in ("spm.model", "vocab.json"):
                shutil.copy(os.path.join(args.prepared, name), data)
            export.write_folder(folder, data, weights, shape, torch.float32)
        print(folder)
    for path in sorted(glob.glob(os.path.join(args.results, "back-translated-??.xz"))):
        folder = os.path.join(args.out, os.path.basename(path)[: -len(".xz")])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "part-0000.tsv"), "w", encoding="utf-8") as out:
            out.write(decompressed(path))
        open(os.path.join(folder, "complete"), "w").close()  # for pipeline.py
        print(folder)
