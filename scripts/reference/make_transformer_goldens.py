#!/usr/bin/env python3
"""Golden references of "model_type": "transformer": tests/golden/transformers/NAME/.

    pip install -r scripts/reference/requirements.txt
    python3 scripts/reference/make_transformer_goldens.py tests/golden/transformers [NAME]...

Makes complete folders with small random models: config.json, vocabularies, and a
state dict (.pt or safetensors) with the names of each tutorial. The models are
trained partially on a few sentences, so that hypotheses end at various lengths.
reference.jsonl has the output of transformers' generate() for the model as
tutorial_transformer.py computes it, in the format of make_marian_goldens.py.
"""

import json
import os
import random
import shutil
import sys
import warnings

import sentencepiece
import torch
import transformers
from safetensors.torch import save_file
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput

import golden_store
import make_search_goldens as search
import tutorial_names
import tutorial_transformer as tutorial

search.GAP = 5e-5

SOURCE_WORDS = "the a cat dog bird house tree river sees finds loves old small green in near and never .".split()
TARGET_WORDS = "der die das katze hund vogel haus baum fluss sieht findet liebt alt klein grün im bei und nie .".split()
SENTENCES = [
    "the cat sees a bird .",
    "a small dog finds the old tree near the river",
    "never",
    "the green bird and the old cat in the house .",
    "the zebra loves the dog",
    "a tree and a house and a river and a dog and a cat and a bird near the small green house",
]
SPECIALS = {"start_id": "<s>", "end_id": "</s>", "pad_id": "<pad>", "unk_id": "<unk>"}

FUNCTIONS = ("scaled_dot", "dot", "general", "additive", "location")
WINDOWS = ("global", "local-m", "local-p")


def spec(name, preset, container="safetensors", **config):
    base = {"model_type": "transformer", "names": preset, "d_model": 12, "layers": 1, "heads": 2, "ffn": 18,
            "max_positions": 40}  # fmt: skip
    ids = (0, 1, 2, 3) if preset == "annotated" else (2, 3, 1, 0)
    base.update(zip(("start_id", "end_id", "pad_id", "unk_id"), ids))
    if preset == "q_linear":
        base.update(source_start=False, source_end=False)
    return {"name": name, "container": container, "config": {**base, **config}}


def score_spec(index):
    """Returns model `index` of 15, which together have every score function with
    every window in every kind of attention."""
    presets = list(tutorial.PRESETS)
    setting = {}
    for kind, shift in (("encoder", 0), ("decoder", 5), ("cross", 10)):
        at = (index + shift) % 15
        setting[kind] = {"function": FUNCTIONS[at % 5], "window": WINDOWS[at // 5]}
        if setting[kind]["window"] != "global":
            setting[kind]["width"] = 1 + (index + shift // 5) % 3
    made = spec(f"score-{index:02}", presets[index % 6], ["safetensors", "pt"][index % 2], attention_score=setting)
    made["score_heads"] = index % 3 == 2
    if index % 4 == 1:
        made["config"]["heads"] = 4
    return made


SPECS = [
    spec("annotated-plain", "annotated", "pt", encoder_layers=2, decoder_layers=1, layers=None, position_encoding="stored"),
    spec("annotated-post-standard", "annotated", norm="post", layer_norm="standard", layer_norm_eps=1e-5,
         final_norm=False, position_encoding="concatenated", softmax_temperature=1.7, encoder_layers=2,
         decoder_layers=1, layers=None),
    spec("annotated-tied", "annotated", "pt", tie=["source", "target", "output"], position_encoding="none", heads=4,
         vocabulary="shared"),
    spec("annotated-spm", "annotated", vocabulary="spm", position_encoding="halves", d_model=18, heads=3),
    spec("q-linear-plain", "q_linear", "pt", encoder_layers=2, decoder_layers=1, layers=None, stored="yes"),
    spec("q-linear-no-bias", "q_linear", bias=False, tie=["target", "output"], encoder_heads=4, decoder_heads=2,
         heads=None, norm="post"),
    spec("q-linear-80", "q_linear", "pth", max_positions=80, softmax_temperature=0.8, source_end=True, activation="gelu",
         encoder_ffn=12, decoder_ffn=28, ffn=None),
    spec("nn-transformer-plain", "nn.Transformer", "pt", encoder_layers=2, decoder_layers=1, layers=None, stored="yes"),
    spec("nn-transformer-norm-first", "nn.Transformer", norm="pre", activation="gelu", bias=False),
    spec("nn-transformer-odd", "nn.Transformer", d_model=15, heads=3, scale_embedding=False, start_id=1, end_id=0,
         pad_id=3, unk_id=2),
    spec("fc-q-plain", "fc_q", "pt", encoder_layers=2, decoder_layers=1, layers=None),
    spec("fc-q-shared", "fc_q", tie=["source", "target"], vocabulary="shared", activation="swish"),
    spec("w-concat-plain", "w_concat", "pt", encoder_layers=2, decoder_layers=1, layers=None),
    spec("w-concat-std", "w_concat", layer_norm="std", position_encoding="two_exponent", final_norm=True),
    spec("w-qs-plain", "w_qs", "pt", encoder_layers=2, decoder_layers=1, layers=None, tie=["target", "output"], softmax_temperature=4.0, stored="yes"),
    spec("mapped-names", "annotated", weight_map={
        "encoder.layers.{i}": "enc.block_{i}", "decoder.layers.{i}": "dec.block_{i}", "source_embedding": "words.in",
        "target_embedding.weight": "words_out", "output": "head"}, prefix="module."),
] + [score_spec(i) for i in range(15)]  # fmt: skip


# --- the folder ---


def word_list(c, words):
    specials = {c[key]: token for key, token in SPECIALS.items()}
    ids, rest = [], iter(words)
    while len(ids) < len(words) + len(specials):
        ids.append(specials[len(ids)] if len(ids) in specials else next(rest))
    return ids


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in lines)


def train_pieces(path, words, c):
    order = {"bos_id": c["start_id"], "eos_id": c["end_id"], "pad_id": c["pad_id"], "unk_id": c["unk_id"]}
    lines = [" ".join(random.Random(i).choices(words, k=6)) for i in range(200)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=path, vocab_size=44, hard_vocab_limit=False, num_threads=1,
        minloglevel=2, character_coverage=1.0, normalization_rule_name="identity", **order)  # fmt: skip
    os.rename(path + ".model", path + ".spm")
    os.remove(path + ".vocab")
    return sentencepiece.SentencePieceProcessor(model_file=path + ".spm")


class Words:
    """A tokenizer that splits at white space and looks up words in a list."""

    def __init__(self, tokens, unk, left_out):
        self.tokens, self.unk, self.left_out = tokens, unk, left_out
        self.ids = {token: i for i, token in enumerate(tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, text):
        return [self.ids.get(token, self.unk) for token in text.split()]

    def decode(self, ids):
        return " ".join(self.tokens[i] for i in ids if i not in self.left_out)


class Pieces:
    def __init__(self, model, left_out):
        self.model, self.left_out = model, left_out

    def __len__(self):
        return len(self.model)

    def encode(self, text):
        return self.model.encode(text)

    def decode(self, ids):
        return self.model.decode([i for i in ids if i not in self.left_out])


def write_vocabularies(folder, c, kind):
    left_out = {c["start_id"], c["end_id"], c["pad_id"]}
    if kind == "spm":
        return [Pieces(train_pieces(os.path.join(folder, side), words, c), left_out)
                for side, words in (("source", SOURCE_WORDS), ("target", TARGET_WORDS))]  # fmt: skip
    if kind == "shared":
        tokens = word_list(c, list(dict.fromkeys(SOURCE_WORDS + TARGET_WORDS)))
        write_lines(os.path.join(folder, "vocab.txt"), tokens)
        return [Words(tokens, c["unk_id"], left_out)] * 2
    lists = [word_list(c, words) for words in (SOURCE_WORDS, TARGET_WORDS)]
    for side, tokens in zip(("source", "target"), lists):
        write_lines(os.path.join(folder, side + "_vocab.txt"), tokens)
    return [Words(tokens, c["unk_id"], left_out) for tokens in lists]


def random_weights(c):
    """Returns random weights. The norms have random signs, because tied models would otherwise repeat their input."""
    weights = {}
    for name, shape in tutorial.shapes(c).items():
        x = torch.randn(shape)
        if "norm.weight" in name:
            x = torch.sign(x) * (0.6 + 0.8 * torch.rand(shape))
        elif name.endswith("bias"):
            x *= 0.1
        elif "positions" in name:
            x = 0.5 * x
        elif "embedding" in name:
            x *= 1.0 / c["d_model"] ** 0.5 if c["scale_embedding"] else 0.5
        else:
            x *= 1.5 / shape[-1] ** 0.5
        weights[name] = x
    if c["position_encoding"] == "stored":
        table = 0.8 * tutorial.position_table("interleaved", c["max_positions"], c["d_model"])
        weights["source_positions"], weights["target_positions"] = table, table.clone()
    tie(c, weights)
    return weights


def tie(c, weights):
    tables = [side + "_embedding.weight" if side != "output" else "output.weight" for side in c["tie"]]
    for name in tables[1:]:
        weights[name] = weights[tables[0]]


def source_ids(c, vocabulary, text):
    ids = vocabulary.encode(text)
    return [c["source_start_id"]] * c["source_start"] + ids + [c["source_end_id"]] * c["source_end"]


def train(c, weights, pairs, steps):
    """Trains the model partially on the pairs. Untrained models repeat one token forever."""
    longest = max(len(a) for a, _ in pairs), max(len(b) for _, b in pairs)
    source = torch.tensor([a + [c["pad_id"]] * (longest[0] - len(a)) for a, _ in pairs])
    real = torch.arange(longest[0])[None] < torch.tensor([[len(a)] for a, _ in pairs])
    target = torch.tensor([b + [-100] * (longest[1] - len(b)) for _, b in pairs])
    inputs = torch.tensor([([c["start_id"]] + b + [0] * longest[1])[: longest[1]] for _, b in pairs])
    kept = [w.requires_grad_() for n, w in weights.items() if "positions" not in n or c["position_encoding"] == "learned"]
    adam = torch.optim.Adam(list({id(w): w for w in kept}.values()), lr=5e-3)
    for _ in range(steps):
        logits = tutorial.decode(c, weights, tutorial.encode(c, weights, source, real), real, inputs)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100)
        adam.zero_grad()
        loss.backward()
        adam.step()
        if loss.item() < 0.8:
            break
    for w in weights.values():
        w.requires_grad_(False)


def training_pairs(c, rng, source, target):
    pairs = []
    for text in SENTENCES:
        for _ in range(3):
            words = " ".join(rng.choices(TARGET_WORDS, k=rng.randrange(1, 9)))
            pairs.append((source_ids(c, source, text), target.encode(words)[:30] + [c["end_id"]]))
    return pairs


def save(folder, s, c, weights):
    preset = c["names"]
    state = tutorial_names.state_dict(preset, weights) if "weight_map" not in c else mapped_state(c, weights)
    shape = (-1, 1, c["d_model"]) if preset == "nn.Transformer" else (1, -1, c["d_model"])
    for name in state:
        if name.endswith((".pe", ".pos_embedding", ".pos_table")):
            state[name] = state[name].reshape(shape)
    if s["container"] != "safetensors":
        torch.save(state, os.path.join(folder, "model." + s["container"]))
        return
    seen, once = set(), {}
    for name, value in state.items():  # tied embeddings are stored once
        if value.data_ptr() not in seen:
            once[name] = value.contiguous()
        seen.add(value.data_ptr())
    save_file(once, os.path.join(folder, "model.safetensors"))


def mapped_state(c, weights):
    """Maps names with the weight_map of SPECS, if there is one."""
    state = {}
    for name, value in weights.items():
        new = tutorial_names.rename(c["names"], name)
        for ours, theirs in (("encoder.layers.", "enc.block_"), ("decoder.layers.", "dec.block_"),
                             ("source_embedding", "words.in"), ("output", "head")):  # fmt: skip
            if name.startswith(ours):
                new = theirs + name[len(ours) :]
        state[c["prefix"] + ("words_out" if name == "target_embedding.weight" else new)] = value
    return state


def make_model(folder, s, seed):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    torch.manual_seed(seed)
    written = {k: v for k, v in s["config"].items() if v is not None}
    kind = written.pop("vocabulary", "lists")
    if written.pop("stored", None):  # not in config.json; the positions are in the file
        c = {**tutorial.resolve(written), "position_encoding": "stored"}
    else:
        c = tutorial.resolve(written)
    c["score_heads"] = s.get("score_heads", False)
    source, target = write_vocabularies(folder, c, kind)
    c["source_vocab_size"] = written["source_vocab_size"] = len(source)
    c["target_vocab_size"] = written["target_vocab_size"] = len(target)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(written, f, indent=1)
        f.write("\n")
    weights = random_weights(c)
    train(c, weights, training_pairs(c, random.Random(seed), source, target), 120)
    save(folder, s, c, weights)
    return Model(c, weights), source, target


# --- the references ---


class Encoder(torch.nn.Module):
    main_input_name = "input_ids"

    def __init__(self, c, weights):
        super().__init__()
        self.c, self.weights = c, weights

    def forward(self, input_ids=None, **_):
        real = torch.ones_like(input_ids, dtype=torch.bool)
        return BaseModelOutput(last_hidden_state=tutorial.encode(self.c, self.weights, input_ids, real))


class Model(search.MarkovModel):
    def __init__(self, c, weights):
        config = search.MarkovConfig(vocab_size=c["target_vocab_size"])
        transformers.PreTrainedModel.__init__(self, config)
        self.unused = torch.nn.Parameter(torch.zeros(1))
        self.c, self.weights, self.encoder = c, weights, Encoder(c, weights)

    def forward(self, decoder_input_ids=None, encoder_outputs=None, **_):
        memory = encoder_outputs.last_hidden_state
        real = torch.ones(memory.shape[:2], dtype=torch.bool)
        return Seq2SeqLMOutput(logits=tutorial.decode(self.c, self.weights, memory, real, decoder_input_ids)[:, -1:])


def solve(model, source, target, settings):
    line = {"settings": settings, "prefix": [], "sentences": []}
    for text in SENTENCES:
        ids = source_ids(model.c, source, text)
        full = {**settings, "eos": model.c["end_id"], "pad": model.c["pad_id"], "start": model.c["start_id"]}
        hypotheses = search.run(model, {"source": ids, "prefix": [], "settings": full}, False)
        for h in hypotheses or []:
            h["text"] = target.decode(h["ids"])
        if hypotheses is not None:
            line["sentences"].append({"source": text, "source_ids": ids, "hypotheses": hypotheses})
    return line


SETTINGS = [
    {"beams": 1, "n_best": 1, "max_length": 20},
    {"beams": 4, "n_best": 4, "max_length": 20},
    {"beams": 3, "n_best": 2, "max_length": 20, "length_penalty": 0.6, "early_stopping": True},
    {"beams": 2, "n_best": 1, "max_length": 30, "length_penalty": 2.0, "early_stopping": "never"},
    {"beams": 1, "n_best": 1, "max_length": 5},
    {"beams": 3, "n_best": 1, "max_length": 9, "no_repeat_ngram_size": 2},
]


def ended(model, lines):
    return [len(h["ids"]) for line in lines for s in line["sentences"] for h in s["hypotheses"]
            if h["ids"][-1] == model.c["end_id"]]  # fmt: skip


def make(folder, s):
    for seed in range(1, 30):
        model, source, target = make_model(folder, s, seed)
        lines = [solve(model, source, target, settings) for settings in SETTINGS]
        own = ended(model, lines)
        texts = {h["text"] for line in lines for x in line["sentences"] for h in x["hypotheses"]}
        if all(len(line["sentences"]) >= 4 for line in lines) and len(set(own)) >= 5 and len(texts) >= 12:
            break
    else:
        sys.exit(f"{s['name']}: no seed gives varied outputs")
    with open(os.path.join(folder, "reference.jsonl"), "w", encoding="utf-8") as f:
        for line in lines:
            f.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    size = sum(os.path.getsize(os.path.join(folder, n)) for n in os.listdir(folder))
    assert size < 60_000, f"{s['name']}: {size} bytes"
    print(f"{s['name']}: seed {seed}, {size // 1000} kB, {len(own)} ends at {len(set(own))} lengths", flush=True)


def main():
    if transformers.__version__ != search.PINNED:
        sys.exit(f"transformers {search.PINNED} is needed, this is {transformers.__version__}")
    root = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/transformers"
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    golden_store.unfold(root)
    for s in SPECS:
        if len(sys.argv) <= 2 or s["name"] in sys.argv[2:]:
            make(os.path.join(root, s["name"]), s)
    golden_store.fold(root)


if __name__ == "__main__":
    main()
