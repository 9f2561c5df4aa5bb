#!/usr/bin/env python3
"""Small random int8 models in Marian's format, and the results of Marian's arithmetic.

    make_marian_int8_goldens.py tests/golden/marian_nmt [NAME...]

The "shared" models have no QuantMultA. Activations are multiplied by 127 / max |x| over
all rows that the sentence has in a matmul: those of its source, those of its beam in a
step, and, for keys and values of decoder self-attention, those of all positions of the
beam so far, which are requantized in each step. The "alphas" models have a different
QuantMultA for each matrix, also for query, key and value, as real models have.

Seeds are chosen so that no value is near a half before rounding, where f32 would decide.
"""
import os
import sys

import numpy as np

import golden_store
import make_marian_nmt_goldens as base

MODELS = {"student_shared": {"transformer-decoder-autoreg": "rnn"}, "self_shared": {}, "self_alphas": {}}
NEAR = 4e-5  # the smallest allowed distance from a half before rounding


class Shared(base.Model):
    nearest = 1.0

    def matmul(self, x, name):
        numbers, multiplier, alpha = self.q[name]
        self.largest[name] = max(self.largest.get(name, 0), np.abs(x).max())
        alpha = alpha or 127 / np.abs(x).max()
        self.nearest = min(self.nearest, np.abs(np.abs(x * alpha) % 1 - 0.5).min())
        return np.clip(np.rint(x * alpha), -127, 127) @ numbers / (alpha * multiplier)

    def heads_of(self, x):
        return x.reshape(*x.shape[:-1], self.heads, -1).swapaxes(-2, -3)

    def attend(self, x, keys, values, name):
        """Attention of x[beam, d] to keys[beam or 1, length, d]."""
        q = self.heads_of(self.linear(x, name, "q")[:, None])
        k, v = self.heads_of(keys), self.heads_of(values)
        y = base.softmax(q @ k.swapaxes(-1, -2) / np.sqrt(self.d // self.heads)) @ v
        y = self.linear(y.swapaxes(-2, -3).reshape(len(x), self.d), name, "o")
        return self.after(y, x, name + "_Wo", self.post)

    def start(self, source):
        encoded = self.encode(source)
        self.source_keys = []
        for n in self.numbers:
            name = f"decoder_l{n}_context"
            self.source_keys.append((self.linear(encoded, name, "k")[None], self.linear(encoded, name, "v")[None]))
        self.memory = [None] * len(self.numbers)

    def remember(self, x, parents, i, name):
        y, f = self.matmul(x, name + "_W"), base.sigmoid(self.linear(x, name, "f"))
        before = np.zeros_like(x) if self.memory[i] is None else self.memory[i][parents]
        self.memory[i] = f * before + (1 - f) * y
        return self.after(np.maximum(self.memory[i], 0), x, name + "_ffn", self.post)

    def look_back(self, x, parents, i, name):
        before = np.zeros((len(x), 0, self.d)) if self.memory[i] is None else self.memory[i][parents]
        all_inputs = self.memory[i] = np.concatenate([before, x[:, None]], 1)
        rows = all_inputs.reshape(-1, self.d)
        keys, values = [self.linear(rows, name, part).reshape(all_inputs.shape) for part in "kv"]
        return self.attend(x, keys, values, name)

    def step(self, t, words, parents):
        """Returns the log-probabilities [beam, words] of the next token."""
        x = self.target[words] if t else np.zeros((1, self.d))
        x = x * np.sqrt(self.d) + self.places(t + 1)[t]
        for i, n in enumerate(self.numbers):
            if self.s["transformer-decoder-autoreg"] == "rnn":
                x = self.remember(x, parents, i, f"decoder_l{n}_rnn")
            else:
                x = self.look_back(x, parents, i, f"decoder_l{n}_self")
            x = self.attend(x, *self.source_keys[i], f"decoder_l{n}_context")
            x = self.feed_forward(x, f"decoder_l{n}_ffn")
        y = self.matmul(x, "Wemb") + self.w["decoder_ff_logit_out_b"]
        y = y - y.max(-1, keepdims=True)
        return y - np.log(np.exp(y).sum(-1, keepdims=True))


def search(model, source, width, normalize, word_penalty, factor, eos=0, unk=1):
    model.start(source)
    beam, done = [(0.0, [], 0)], []
    for t in range(1000):
        scores = model.step(t, [ids[-1] for _, ids, _ in beam] if t else None, [p for _, _, p in beam])
        scores[:, unk] = -np.inf
        total = (np.array([s for s, _, _ in beam])[:, None] + scores).ravel()
        best = np.argsort(-total, kind="stable")[:width]
        last = t + 1 >= factor * len(source)
        found = [(total[i], beam[i // scores.shape[1]][1] + [int(i % scores.shape[1])], int(i // scores.shape[1])) for i in best]
        for score, ids, _ in found:
            if last or ids[-1] == eos:
                done.append(((score - word_penalty * (t + 1)) / (t + 1) ** normalize, ids))
        beam = [f for f in found if f[1][-1] != eos]
        width = len(beam)
        if last or not beam:
            return sorted(done, key=lambda h: -h[0])


def write_model(place, weights, settings, alphas):
    model = Shared(weights, settings)
    model.largest = {}
    base.write_bin(os.path.join(place, "model.bin"), weights, base.yaml_text(settings).encode(), model, alphas)
    return model


def make(folder, name, seed):
    """Returns False if a value is too near a half."""
    settings = dict(base.BASE, **MODELS[name])
    rng = np.random.default_rng(seed)
    weights = base.random_weights(settings, rng)
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    model = write_model(place, weights, settings, None)
    lines = [rng.integers(2, base.VOCAB, rng.integers(1, 6)).tolist() for _ in range(4)]
    if name.endswith("alphas"):
        for ids in lines:
            search(model, ids + [0], 4, 0.6, 0.3, 2)
        alphas = {k: np.float32(127 / v * rng.uniform(0.8, 1.2)) for k, v in model.largest.items()}
        model = write_model(place, weights, settings, alphas)
    greedy = [base.surface(search(model, ids + [0], 1, 0, 0, 3)[0][1]) for ids in lines]
    lists = [search(model, ids + [0], 4, 0.6, 0.3, 2) for ids in lines]
    if model.nearest < NEAR:
        return False

    def write(file, text):
        with open(os.path.join(place, file), "w", encoding="utf-8") as out:
            out.write(text)

    write("vocab.yml", "".join(f'"{word}": {i}\n' for i, word in enumerate(base.WORDS)))
    write("decoder.yml", "relative-paths: true\nmodels:\n  - model.bin\nvocabs:\n  - vocab.yml\n  - vocab.yml\n"
          "beam-size: 4\nnormalize: 0.6\nword-penalty: 0.3\nmax-length-factor: 2\n"
          f"gemm-precision: {'int8shiftAll' if name.startswith('student') else 'int8'}\n")
    write("source.txt", "".join(" ".join(base.WORDS[i] for i in ids) + "\n" for ids in lines))
    write("expected.greedy.txt", "".join(line + "\n" for line in greedy))
    write("expected.nbest.tsv", "".join(f"{number}\t{rank}\t{score:.6f}\t{base.surface(ids)}\n"
          for number, found in enumerate(lists, 1) for rank, (score, ids) in enumerate(found, 1)))
    return True


if __name__ == "__main__":
    golden_store.unfold(sys.argv[1])
    for name in sys.argv[2:] or MODELS:
        print(name, next(seed for seed in range(1, 1000) if make(sys.argv[1], name, seed)))
    golden_store.fold(sys.argv[1])
