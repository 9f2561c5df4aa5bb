#!/usr/bin/env python3
"""Small random models in Marian's own format, and the output of Marian's search for them.

    make_marian_nmt_goldens.py tests/golden/marian_nmt
    make_marian_nmt_goldens.py --check FOLDER VOCABS NBEST

The arithmetic and the search are written in NumPy after src/models/transformer.h,
src/rnn/cells.h, src/translator/beam_search.cpp and history.h of marian-dev. --check
compares them with the n-best list of marian-decoder -b 6 -n 0.6 --n-best for a real
model (FOLDER has model.npz and src.txt): texts must be equal, scores to 2e-4.
"""
import math
import os
import re
import struct
import sys

import numpy as np

import golden_store

EPS = 1e-6


class Model:
    def __init__(self, weights, settings):
        self.w = {k: v.astype(np.float64) for k, v in weights.items() if k != "special:model.yml"}
        self.q = {}  # int8 matrices: values, their multiplier, the multiplier of the activations
        self.s = settings
        self.d, self.heads = int(settings["dim-emb"]), int(settings["transformer-heads"])
        self.pre = settings["transformer-preprocess"].replace("d", "")
        self.post = settings["transformer-postprocess"].replace("d", "")
        self.emb = settings["transformer-postprocess-emb"].replace("d", "")
        self.top = settings["transformer-postprocess-top"].replace("d", "")
        self.version = tuple(int(n) for n in re.findall(r"\d+", settings.get("version", "v1.9.0"))[:3])
        self.act = self.activation("transformer-ffn-activation")
        tied = settings.get("transformer-tied-layers") or []
        self.numbers = tied or [i + 1 for i in range(int(settings["dec-depth"]))]
        both = "Wemb" in self.w
        self.source = self.w["Wemb" if both else "encoder_Wemb"]
        self.target = self.w["Wemb" if both else "decoder_Wemb"]
        self.out = self.w.get("decoder_ff_logit_out_Wt", self.target)
        if "decoder_ff_logit_out_W" in self.w:
            self.out = self.w["decoder_ff_logit_out_W"].T

    def activation(self, key):
        if self.version >= (1, 12, 3) and self.s[key] == "gelu":
            return lambda x: x * np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.flat]).reshape(x.shape)
        return {
            "relu": lambda x: np.maximum(x, 0),
            "swish": lambda x: x * sigmoid(x),
            "gelu": lambda x: x * sigmoid(1.702 * x),
        }[self.s[key]]

    def rms(self, x, name, suffix=""):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * self.w[f"{name}_rms_scale{suffix}"]

    def norm(self, x, name, suffix=""):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPS)
        return x * self.w[f"{name}_ln_scale{suffix}"] + self.w[f"{name}_ln_bias{suffix}"]

    def before(self, x, name, letters):
        for letter in letters:
            x = {"n": self.norm, "r": self.rms}[letter](x, name, "_pre")
        return x

    def after(self, y, x, name, letters):
        for letter in letters:
            if letter == "a":
                y = y + x
            elif letter == "h":
                t = sigmoid(self.linear(x, name, "h"))
                y = t * y + (1 - t) * x
            else:
                y = {"n": self.norm, "r": self.rms}[letter](y, name)
        return y

    def matmul(self, x, name):
        if name not in self.q:
            return x @ self.w[name]
        numbers, multiplier, alpha = self.q[name]
        alpha = alpha or 127 / np.abs(x).max()
        return np.clip(np.rint(x * alpha), -127, 127) @ numbers / (alpha * multiplier)

    def linear(self, x, name, part):
        return self.matmul(x, f"{name}_W{part}") + self.w[f"{name}_b{part}"]

    def attention(self, x, keys, name, causal=False):
        def split(y):
            return y.reshape(len(y), self.heads, -1).transpose(1, 0, 2)

        normed = self.before(x, name + "_Wo", self.pre)
        q = split(self.linear(normed, name, "q"))
        if keys is x and not causal and self.version >= (1, 11, 0):
            keys = normed  # since Marian 1.11, which normalizes keys and values, too
        k, v = split(self.linear(keys, name, "k")), split(self.linear(keys, name, "v"))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(self.d // self.heads)
        if causal:
            scores = scores + np.triu(np.full(scores.shape[1:], -1e8), 1)
        self.probabilities = softmax(scores)
        context = (self.probabilities @ v).transpose(1, 0, 2).reshape(len(x), self.d)
        if causal and self.version >= (1, 11, 0):  # at the first step, keys and values are the query's input
            context[0] = self.linear(normed[:1], name, "v")[0]
        y = context if self.s.get("transformer-no-projection") else self.linear(context, name, "o")
        return self.after(y, x, name + "_Wo", self.post)

    def feed_forward(self, x, name):
        depth, y = int(self.s["transformer-ffn-depth"]), self.before(x, name + "_ffn", self.pre)
        if name.startswith("decoder"):
            depth = int(self.s.get("transformer-decoder-ffn-depth") or depth)
        for i in range(1, depth):
            y = self.act(self.linear(y, name, i))
        return self.after(self.linear(y, name, depth), x, name + "_ffn", self.post)

    def average(self, x, name):
        y = self.before(np.cumsum(x, 0) / np.arange(1, len(x) + 1)[:, None], name + "_ffn", self.pre)
        depth, act = int(self.s["transformer-aan-depth"]), self.activation("transformer-aan-activation")
        for i in range(1, depth):
            y = act(self.linear(y, name, i))
        if y.shape[-1] != self.d:
            y = self.linear(y, name, depth)
        if not self.s["transformer-aan-nogate"]:
            y = sigmoid(self.linear(x, name, "i")) * x + sigmoid(self.linear(y, name, "f")) * y
        return self.after(y, x, name + "_ffn", self.post)

    def recurrence(self, x, name):
        y = self.before(x, name, self.pre)
        f, y = sigmoid(self.linear(y, name, "f")), self.matmul(y, name + "_W")
        state, states = np.zeros(self.d), []
        for t in range(len(x)):
            state = f[t] * state + (1 - f[t]) * y[t]
            states.append(np.maximum(state, 0))
        states = np.array(states)
        if self.s.get("transformer-rnn-projection"):
            states = self.linear(states, name, "o")
        return self.after(states, x, name + "_ffn", self.post)

    def embed(self, rows):
        """Returns embeddings plus positions, without the steps of transformer-postprocess-emb."""
        if not self.s.get("transformer-disable-position-embeddings"):
            learned = "Wpos" in self.w
            rows = rows + self.w["Wpos"][: len(rows)] if learned else rows * math.sqrt(self.d) + self.places(len(rows))
        return rows

    def places(self, count):
        half = self.d // 2
        angles = np.arange(count)[:, None] * np.exp(np.arange(half) * -(math.log(10000.0) / (half - 1)))
        return np.concatenate([np.sin(angles), np.cos(angles)], 1)

    def encode(self, ids):
        start = self.embed(self.source[ids])
        x = self.before(start, "encoder_emb", self.emb)
        for n in range(1, int(self.s["enc-depth"]) + 1):
            x = self.attention(x, x, f"encoder_l{n}_self")
            x = self.feed_forward(x, f"encoder_l{n}_ffn")
        return self.after(x, start, "encoder_top", self.top)

    def next_scores(self, encoded, ids):
        """Returns the log-probabilities of the token after the target ids."""
        x = np.concatenate([np.zeros((1, self.d)), self.target[ids]]) if ids else np.zeros((1, self.d))
        start = self.embed(x)
        x = self.before(start, "decoder_emb", self.emb)
        self.cross = []  # of each layer, [heads, target ids, source ids]
        for n in self.numbers:
            if self.s["transformer-decoder-autoreg"] == "rnn":
                x = self.recurrence(x, f"decoder_l{n}_rnn")
            elif self.s["transformer-decoder-autoreg"] == "average-attention":
                x = self.average(x, f"decoder_l{n}_aan")
            else:
                x = self.attention(x, x, f"decoder_l{n}_self", causal=True)
            x = self.attention(x, encoded, f"decoder_l{n}_context")
            self.cross.append(self.probabilities)
            x = self.feed_forward(x, f"decoder_l{n}_ffn")
        x = self.after(x[-1:], start[-1:], "decoder_top", self.top)
        y = self.matmul(x, "Wemb") if self.q else x @ self.out.T
        y = (y + self.w.get("decoder_ff_logit_out_b", 0))[0]
        y = y - y.max()
        return y - math.log(np.exp(y).sum())

    def cross_attention(self, source, ids):
        """Returns the probabilities [layers * heads, target ids, source ids] with which the ids are chosen."""
        self.next_scores(self.encode(source), ids[:-1])
        return np.concatenate(self.cross)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


class Ensemble:
    """An ensemble, whose scores are weighted sums of log-probabilities."""

    def __init__(self, models, weights):
        self.models, self.weights = models, weights

    def encode(self, ids):
        return [m.encode(ids) for m in self.models]

    def next_scores(self, encoded, ids):
        return sum(w * m.next_scores(e, ids) for m, e, w in zip(self.models, encoded, self.weights))


def search(model, source, beam, normalize, word_penalty=0.0, factor=3.0, eos=0, unk=1):
    """Marian's beam search: finished hypotheses leave the beam. Returns (score, ids), best first."""
    encoded, running, done = model.encode(source), [(0.0, [])], []
    width = beam
    for t in range(1, 1000):
        candidates = []
        for score, ids in running:
            scores = model.next_scores(encoded, ids)
            scores[unk] = -math.inf
            best = np.argsort(-scores, kind="stable")[:width]
            candidates += [(score + scores[i], ids + [int(i)]) for i in best]
        candidates = sorted(candidates, key=lambda c: -c[0])[:width]
        last = t >= factor * len(source)
        for score, ids in candidates:
            if last or ids[-1] == eos:
                done.append(((score - word_penalty * t) / t**normalize, ids))
        running = [c for c in candidates if c[1][-1] != eos]
        width = len(running)
        if last or not running:
            break
    return sorted(done, key=lambda h: -h[0])


# --- Small random models ------------------------------------------------------
VOCAB = 96
BASE = {
    "type": "transformer", "dim-emb": 16, "enc-depth": 2, "dec-depth": 2, "transformer-heads": 2,
    "transformer-dim-ffn": 32, "transformer-ffn-depth": 2, "transformer-ffn-activation": "relu",
    "transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
    "transformer-postprocess-top": "", "transformer-decoder-autoreg": "self-attention", "dec-cell": "ssru",
    "transformer-tied-layers": [], "tied-embeddings-all": True, "tied-embeddings-src": False,
    "tied-embeddings": False, "output-omit-bias": False, "dim-vocabs": [VOCAB, VOCAB], "lemma-dim-emb": 0,
    "transformer-train-position-embeddings": False, "version": "v1.9.56",
}
AVERAGE = {
    "transformer-decoder-autoreg": "average-attention", "transformer-dim-aan": 2048, "transformer-aan-depth": 2,
    "transformer-aan-activation": "swish", "transformer-aan-nogate": False,
}
MODELS = {
    "post": {},
    "pre": {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n",
            "transformer-ffn-activation": "gelu", "tied-embeddings-all": False},
    "both": {"transformer-preprocess": "dn", "transformer-postprocess": "adn", "transformer-postprocess-emb": "nd",
             "transformer-ffn-activation": "swish", "tied-embeddings-all": False, "tied-embeddings-src": True},
    "branch": {"transformer-postprocess": "nda", "tied-embeddings-all": False, "tied-embeddings": True,
               "transformer-tied-layers": [1, 1], "output-omit-bias": True},
    "student": {"transformer-decoder-autoreg": "rnn", "dec-depth": 3, "transformer-tied-layers": [1, 2, 1]},
    "student_pre": {"transformer-decoder-autoreg": "rnn", "transformer-preprocess": "n",
                    "transformer-postprocess": "a", "transformer-postprocess-top": "n"},
    "student_8bit": {"transformer-decoder-autoreg": "rnn"},
    "average": {**AVERAGE, "transformer-dim-aan": 24,
                "transformer-aan-activation": "relu", "transformer-ffn-depth": 3, "transformer-heads": 4, "tied-embeddings-all": False},
    "average_pre": {**AVERAGE, "transformer-dim-aan": 16,
                    "transformer-aan-depth": 3, "transformer-preprocess": "n", "transformer-postprocess": "ha",
                    "transformer-postprocess-top": "na", "transformer-aan-activation": "gelu",
                    "transformer-ffn-activation": "gelu", "version": "v1.12.3", "tied-embeddings-all": False},
    "average_bare": {**AVERAGE, "transformer-aan-depth": 1,
                     "transformer-aan-nogate": True, "transformer-no-projection": True,
                     "transformer-postprocess": "hn", "transformer-ffn-depth": 1, "transformer-decoder-ffn-depth": 4,
                     "transformer-decoder-dim-ffn": 20, "tied-embeddings-all": False, "tied-embeddings": True},
    "rms": {"transformer-preprocess": "r", "transformer-postprocess": "dha", "transformer-postprocess-top": "rh",
            "transformer-postprocess-emb": "rd", "version": "v1.11.5", "transformer-ffn-depth": 1,
            "transformer-decoder-ffn-depth": 2},
    "rms_post": {"transformer-postprocess": "dar", "transformer-train-position-embeddings": True,
                 "transformer-tied-layers": [2, 2], "transformer-depth-scaling": True},
    "positions": {"transformer-train-position-embeddings": True, "max-length": 40, "transformer-postprocess": "an"},
    "no_positions": {"transformer-disable-position-embeddings": True, "transformer-decoder-autoreg": "rnn",
                 "transformer-rnn-projection": True, "transformer-postprocess": "anh"},
}
WORDS = ["</s>", "<unk>"] + [f"w{i}" for i in range(2, VOCAB)]


def random_weights(s, rng):
    d, f, w = s["dim-emb"], s["transformer-dim-ffn"], {}

    def matrix(name, rows, columns, size=2.0):
        w[name] = (rng.standard_normal((rows, columns)) * size / math.sqrt(rows)).astype(np.float32)

    def norm(name, letters, suffix=""):
        for letter, kind, shift in (("n", "ln", True), ("r", "rms", False)):
            if letter in letters:
                w[f"{name}_{kind}_scale{suffix}"] = rng.uniform(0.8, 1.2, (1, d)).astype(np.float32)
            if letter in letters and shift:
                w[f"{name}_{kind}_bias{suffix}"] = rng.uniform(-0.1, 0.1, (1, d)).astype(np.float32)

    def around(name, letters):
        norm(name, letters)
        if "h" in letters:
            matmul(name, "h", d, d)

    def norms(name, before=None):
        norm(before or name, s["transformer-preprocess"], "_pre")
        around(name, s["transformer-postprocess"])

    def matmul(name, part, rows, columns, bias=True):
        matrix(f"{name}_W{part}", rows, columns)
        if bias:
            w[f"{name}_b{part}"] = rng.uniform(-0.1, 0.1, (1, columns)).astype(np.float32)

    def attention(name):
        for part in "qkv" if s.get("transformer-no-projection") else "qkvo":
            matmul(name, part, d, d)
        norms(name + "_Wo")

    def feed_forward(name, decoder):
        depth = decoder and s.get("transformer-decoder-ffn-depth") or s["transformer-ffn-depth"]
        width = decoder and s.get("transformer-decoder-dim-ffn") or f
        for i in range(1, depth + 1):
            matmul(name, i, d if i == 1 else width, d if i == depth else width)
        norms(name + "_ffn")

    def average(name):
        width, depth = s["transformer-dim-aan"], s["transformer-aan-depth"]
        for i in range(1, depth):
            matmul(name, i, d if i == 1 else width, width)
        if depth > 1 and width != d:
            matmul(name, depth, width, d)
        for gate in "" if s["transformer-aan-nogate"] else "if":
            matmul(name, gate, d, d)
        norms(name + "_ffn")

    if s["transformer-train-position-embeddings"] and "max-length" in s:
        matrix("Wpos", s["max-length"], d, 4)
    if s["tied-embeddings-all"] or s["tied-embeddings-src"]:
        matrix("Wemb", VOCAB, d, 1.5)
    else:
        matrix("encoder_Wemb", VOCAB, d, 2)
        matrix("decoder_Wemb", VOCAB, d, 1.5)
    if s["tied-embeddings-src"]:
        matrix("decoder_ff_logit_out_W", d, VOCAB, 1.5)
    elif not s["tied-embeddings-all"] and not s["tied-embeddings"]:
        matrix("decoder_ff_logit_out_Wt", VOCAB, d, 8)
    if not s["output-omit-bias"]:
        bias = rng.uniform(-1, 1, (1, VOCAB)).astype(np.float32)
        bias[0, 0] += 0.3
        w["decoder_ff_logit_out_b"] = bias
    for stack, depth in (("encoder", s["enc-depth"]), ("decoder", s["dec-depth"])):
        norm(stack + "_emb", s["transformer-postprocess-emb"], "_pre")
        around(stack + "_top", s["transformer-postprocess-top"])
        numbers = range(1, depth + 1) if stack == "encoder" else s["transformer-tied-layers"] or range(1, depth + 1)
        for n in sorted(set(numbers)):
            name = f"{stack}_l{n}"
            if stack == "decoder" and s["transformer-decoder-autoreg"] == "rnn":
                matmul(name + "_rnn", "", d, d, bias=False)
                matmul(name + "_rnn", "f", d, d)
                if s.get("transformer-rnn-projection"):
                    matmul(name + "_rnn", "o", d, d)
                norms(name + "_rnn_ffn", name + "_rnn")
            elif stack == "decoder" and s["transformer-decoder-autoreg"] == "average-attention":
                average(name + "_aan")
            else:
                attention(name + "_self")
            if stack == "decoder":
                attention(name + "_context")
            feed_forward(name + "_ffn", stack == "decoder")
    return w


def yaml_text(settings):
    def show(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, list):
            return "\n  []" if not value else "".join(f"\n  - {v}" for v in value)
        return f'"{value}"' if value == "" else value

    return "".join(f"{k}: {show(v)}\n" for k, v in sorted(settings.items()))


def is_product(name):
    return re.search(r"_W[a-z0-9]?$", name) is not None


def write_bin(path, weights, settings, model, alphas):
    """Writes Marian's binary file with int8 matrices (src/common/binary.cpp); `model` then computes with them.
    Without alphas, the activations of a sentence share the multiplier 127 / max |x|."""
    items = []
    for name, values in sorted(weights.items()):
        kind, data = 0x404, values.tobytes()
        if is_product(name) or name == "Wemb":
            multiplier = np.float32(127 / np.abs(values).max())
            numbers = np.clip(np.rint(values * multiplier), -127, 127).astype(np.int8)
            alpha = np.float32(0 if alphas is None else alphas.get(name, 24))
            table = name == "Wemb"
            kind, data = 0x4101, (numbers if table else numbers.T).tobytes() + multiplier.tobytes()
            wide = numbers.astype(np.float64)
            model.q[name] = (wide.T if table else wide, float(multiplier), float(alpha))
            if table:
                model.source = model.target = (wide * np.float64(np.float32(1 / multiplier))).astype(np.float32)
                if alphas is not None:
                    items.append((name + "_QuantMultA", 0x4101, (1, 1), b"\x7f" + np.float32(127 / alpha).tobytes()))
            elif alphas is not None:
                items.append((name + "_QuantMultA", 0x404, (1, 1), alpha.tobytes()))
        items.append((name, kind, values.shape, data))
    items.append(("special:model.yml", 0x101, (len(settings) + 1,), settings + b"\0"))
    items = [(n.encode() + b"\0", k, s, d + bytes(-len(d) % 256)) for n, k, s, d in items]
    head = struct.pack("<QQ", 1, len(items))
    head += b"".join(struct.pack("<QQQQ", len(n), k, len(s), len(d)) for n, k, s, d in items)
    head += b"".join(n for n, _, _, _ in items)
    head += b"".join(struct.pack(f"<{len(s)}i", *s) for _, _, s, _ in items)
    padding = -(len(head) + 8) % 256
    with open(path, "wb") as file:
        file.write(head + struct.pack("<Q", padding) + bytes(padding) + b"".join(d for _, _, _, d in items))


def write_ensemble(path, models, weights, lines):
    model = Ensemble([models[name] for name in models], weights)
    with open(path, "w", encoding="utf-8") as file:
        for number, ids in enumerate(lines, 1):
            for rank, (score, target) in enumerate(search(model, ids + [0], 4, 0.6, 0.3, 2), 1):
                file.write(f"{number}\t{rank}\t{score:.6f}\t{surface(target)}\n")


def make(folder, name, seed):
    settings = dict(BASE, **MODELS[name])
    rng = np.random.default_rng(seed)
    weights = random_weights(settings, rng)
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    text = np.frombuffer(yaml_text(settings).encode() + b"\0", np.int8)
    model = Model(weights, settings)
    if name.endswith("8bit"):
        write_bin(os.path.join(place, "model.bin"), weights, yaml_text(settings).encode(), model, {})
    else:
        np.savez(os.path.join(place, "model.npz"), **weights, **{"special:model.yml": text})
    with open(os.path.join(place, "vocab.yml"), "w", encoding="utf-8") as file:
        file.writelines(f'"{word}": {i}\n' for i, word in enumerate(WORDS))
    with open(os.path.join(place, "decoder.yml"), "w", encoding="utf-8") as file:
        file.write("relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - vocab.yml\n  - vocab.yml\n"
                   "beam-size: 4\nnormalize: 0.6\nword-penalty: 0.3\nmax-length-factor: 2\n")
    lines = [rng.integers(2, VOCAB, rng.integers(1, 9)).tolist() for _ in range(8)]
    with open(os.path.join(place, "source.txt"), "w", encoding="utf-8") as file:
        file.writelines(" ".join(WORDS[i] for i in ids) + "\n" for ids in lines)
    with open(os.path.join(place, "expected.greedy.txt"), "w", encoding="utf-8") as file:
        for ids in lines:
            file.write(surface(search(model, ids + [0], 1, 0, 0, 3)[0][1]) + "\n")
    nbest = []
    with open(os.path.join(place, "expected.nbest.tsv"), "w", encoding="utf-8") as file:
        for number, ids in enumerate(lines, 1):
            found = search(model, ids + [0], 4, 0.6, 0.3, 2)
            for rank, (score, target) in enumerate(found, 1):
                file.write(f"{number}\t{rank}\t{score:.6f}\t{surface(target)}\n")
                total = score * len(target) ** 0.6 + 0.3 * len(target)
                nbest.append(f"{number - 1} ||| {surface(target)} ||| F0= {total:g} ||| {score:g}\n")
    if name == "post":
        with open(os.path.join(place, "expected.nbest.txt"), "w", encoding="utf-8") as file:
            file.writelines(nbest)
    return model, lines


def surface(ids):
    return " ".join(WORDS[i] for i in ids if i != 0)


def check(folder, vocabs, expected):
    import sentencepiece

    weights = dict(np.load(os.path.join(folder, "model.npz")))
    text = weights["special:model.yml"].tobytes().rstrip(b"\0").decode()
    settings = dict(re.findall(r"^([\w-]+): *(.*)$", text, re.M))
    settings = {k: v.strip('"') for k, v in settings.items()}
    settings["transformer-tied-layers"] = []
    model = Model(weights, settings)
    source, target = [sentencepiece.SentencePieceProcessor(model_file=v) for v in vocabs.split(",")]
    wanted = {}
    for line in open(expected, encoding="utf-8"):
        parts = line.rstrip("\n").split(" ||| ")
        wanted.setdefault(int(parts[0]), []).append((parts[1], float(parts[-1])))
    worst = 0.0
    for number, line in enumerate(open(os.path.join(folder, "src.txt"), encoding="utf-8").read().split("\n")[:-1]):
        if not line.strip() or number > 20:
            continue
        found = search(model, source.encode(line) + [0], 6, 0.6)
        assert [target.decode(ids) for _, ids in found] == [text for text, _ in wanted[number]], line
        worst = max([worst] + [abs(a[0] - b[1]) for a, b in zip(found, wanted[number])])
    print(f"{folder}: texts equal, scores to {worst:.1e}")
    assert worst < 2e-4


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(*sys.argv[2:])
    else:
        golden_store.unfold(sys.argv[1])
        made = {name: make(sys.argv[1], name, 41 + seed) for seed, name in enumerate(MODELS)}
        three, lines = {name: made[name][0] for name in ("post", "student", "average_pre")}, made["post"][1]
        write_ensemble(os.path.join(sys.argv[1], "post", "expected.ensemble.tsv"), three, [0.5, 0.25, 0.5], lines)
        write_ensemble(os.path.join(sys.argv[1], "post", "expected.sum.tsv"), three, [1, 1, 1], lines)
        golden_store.fold(sys.argv[1])
