#!/usr/bin/env python3
"""Golden references of traces: tests/golden/traces/PROGRAM.jsonl.

    make build/golden/.stamp
    scripts/reference/make_trace_goldens.py build/golden tests/golden/traces PROGRAM

PROGRAM is transformers or marian (NumPy, the arithmetic of make_marian_nmt_goldens.py). The
models are those of other golden folders. Packages: scripts/reference/requirements.txt.

Each line is one sentence; members that do not apply are absent:

    {"folder": "families/t5-relu", "from": code, "to": code, "beams": 4, "text": "...", "forced": "...",
     "source_ids": [ids], "ids": [ids], "encoder": [numbers], "decoder": [numbers], "cross": [numbers],
     "source_embeddings": [numbers], "target_embeddings": [numbers], "best": [numbers], "logprobs": [numbers]}

The attentions are [layers, heads, queries, keys], the embeddings [tokens, d_model]: the input of the
first layer before a norm. With an SSRU, "decoder" is [layers, tokens, tokens], the share that the input
of each step has in the state. "best" are the eight largest log-probabilities of each step, "logprobs"
those of the ids. All numbers are flattened, in units of 1e-5.
"""

import json
import os
import sys

import golden_store
import numpy as np
from make_attention_goldens import flat, references

TRANSFORMERS = ["marian/swish-opus", "families/nllb-relu-all-languages", "families/t5-relu", "families/mbart50-gelu"]
FORCED = {"marian/swish-opus": "der zug geht"}
NO_EMBEDDING_NORM = ["marian", "m2m_100", "t5"]  # model types whose first hidden state is the sum itself
MARIAN = ["post", "student", "average"]
BEST = 8


# --- transformers ---


def computed(model, source, start, ids, embeddings=False):
    """Returns what the model computes when it is forced to these ids."""
    import torch

    with torch.no_grad():
        out = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[start] + ids[:-1]]),
                    output_attentions=True, output_hidden_states=True, use_cache=False)  # fmt: skip
    logprobs = torch.log_softmax(out.logits[0].double(), -1)
    line = {
        "encoder": flat(torch.cat(out.encoder_attentions)),
        "decoder": flat(torch.cat(out.decoder_attentions)),
        "cross": flat(torch.cat(out.cross_attentions)),
        "best": flat(logprobs.topk(BEST).values),
        "logprobs": flat(logprobs[torch.arange(len(ids)), torch.tensor(ids)]),
    }
    if embeddings:
        line["source_embeddings"] = flat(out.encoder_hidden_states[0][0])
        line["target_embeddings"] = flat(out.decoder_hidden_states[0][0])
    return line


def transformers_lines(root, folder, model, tokenizer):
    plain = [l for l in references(root, folder) if not l["prefix"] and set(l["settings"]) <= {"beams"}]
    for line, number in [(plain[0], 1), (next((l for l in plain if l["settings"].get("beams") == 1), plain[-1]), 2)]:
        sentence = line["sentences"][number]
        start = line.get("decoder_start_token_id", model.generation_config.decoder_start_token_id)
        ids = sentence["hypotheses"][0]["ids"]
        embeddings = number == 1 and model.config.model_type in NO_EMBEDDING_NORM
        yield {"folder": folder, **{k: line[k] for k in ("from", "to") if line.get(k)}, **line["settings"],
               "text": sentence["source"], "source_ids": sentence["source_ids"], "ids": ids,
               **computed(model, sentence["source_ids"], start, ids, embeddings)}  # fmt: skip
    if folder in FORCED:
        ids = tokenizer(text_target=FORCED[folder]).input_ids
        yield {"folder": folder, "text": sentence["source"], "forced": FORCED[folder],
               "source_ids": sentence["source_ids"], "ids": ids,
               **computed(model, sentence["source_ids"], start, ids)}  # fmt: skip


def make_transformers(root):
    import family_models
    import make_marian_goldens

    for folder in TRANSFORMERS:
        path, tokenizer = os.path.join(root, folder), None
        if folder.startswith("marian/"):
            model, tokenizer = make_marian_goldens.load(path)[:2]
        else:
            model = family_models.load(path)
        model.set_attn_implementation("eager")
        yield from transformers_lines(root, folder, model, tokenizer)


# --- Marian ---


def shares(gates):
    """Returns [tokens, tokens] from the forget gates [tokens, d]."""
    out = np.zeros((len(gates), len(gates)))
    for t in range(len(gates)):
        for j in range(t + 1):
            out[t, j] = ((1 - gates[j]) * gates[j + 1 : t + 1].prod(0)).mean()
    return out


def traced(base):
    """Returns a subclass of make_marian_nmt_goldens.Model that keeps what it computes."""

    class Traced(base):
        def attention(self, x, keys, name, causal=False):
            y = super().attention(x, keys, name, causal)
            self.kept.append(self.probabilities)
            return y

        def recurrence(self, x, name):
            from make_marian_nmt_goldens import sigmoid

            self.kept.append(shares(sigmoid(self.linear(self.before(x, name, self.pre), name, "f"))))
            return super().recurrence(x, name)

        def average(self, x, name):
            self.kept.append(np.tril(np.ones((len(x), len(x)))) / np.arange(1, len(x) + 1)[:, None])
            return super().average(x, name)

    return Traced


def marian_computed(model, source, ids):
    model.kept = []
    encoded = model.encode(source)
    encoder, model.kept = model.kept, []
    scores = [model.next_scores(encoded, ids[:t]) for t in range(len(ids))]
    last = model.kept[-2 * len(model.numbers) :]
    return {"encoder": flat(np.array(encoder)), "decoder": flat(np.array(last[0::2])), "cross": flat(np.array(last[1::2])),
            "best": flat([np.sort(s)[::-1][:BEST] for s in scores]),
            "logprobs": flat([s[i] for s, i in zip(scores, ids)])}  # fmt: skip


def make_marian(root):
    import make_marian_nmt_goldens as marian

    for name in MARIAN:
        path = os.path.join(root, "marian_nmt", name)
        weights = dict(np.load(os.path.join(path, "model.npz")))
        model = traced(marian.Model)(weights, dict(marian.BASE, **marian.MODELS[name]))
        with open(os.path.join(path, "source.txt"), encoding="utf-8") as f:
            text = f.read().split("\n")[1]
        source = [marian.WORDS.index(word) for word in text.split()] + [0]
        for beams in (1, 4):
            model.kept = []
            ids = marian.search(model, source, beams, 0.6, 0.3, 2)[0][1]  # as decoder.yml
            yield {"folder": f"marian_nmt/{name}", "beams": beams, "text": text, "source_ids": source, "ids": ids,
                   **marian_computed(model, source, ids)}  # fmt: skip


def main():
    root, out, program = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    golden_store.unfold(out)
    with open(os.path.join(out, program + ".jsonl"), "w", encoding="utf-8") as f:
        for line in {"transformers": make_transformers, "marian": make_marian}[program](root):
            f.write(json.dumps(line, separators=(",", ":")) + "\n")
    golden_store.fold(out)


if __name__ == "__main__":
    main()
