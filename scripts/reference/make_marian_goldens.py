#!/usr/bin/env python3
"""Golden references of the Marian family: tests/golden/marian/NAME/.

    python3 -m venv /tmp/reference && . /tmp/reference/bin/activate
    pip install -r scripts/reference/requirements.txt
    python3 scripts/reference/make_marian_goldens.py tests/golden/marian [NAME]...

Makes complete folders with small random models as transformers writes them, and
reference.jsonl with the output of generate() in each, one line per set of
settings:

    {"settings": {...}, "prefix": [ids], "sentences":
      [{"source": text, "source_ids": [...],
        "hypotheses": [{"ids": [...], "score": x, "text": "..."}]}]}

"settings" override the defaults of the folder. Lengths count new tokens, without
the start token. generate() returns no score for a greedy result; it is computed
here as the sum of the tokens' log-probabilities (of the processed logits) divided
by length^length_penalty.

The random models are trained partially on a few sentences, so that hypotheses
end at many different lengths, even in the same search, and use many pieces.
Sentences in which rounding decides a choice are left out.
"""

import json
import os
import random
import shutil
import sys
import warnings

import torch
import transformers
from safetensors.torch import load_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

import golden_store
import make_search_goldens as search
from golden_models import ENGLISH, GERMAN, SOURCES, train_pieces, write_json, train
from golden_models import hypotheses_of, is_lively, lengths_of, tokens_found


def spec(name, d, layers, heads, ffn, activation, **more):
    base = {
        "name": name, "d": d, "layers": layers, "heads": heads, "ffn": ffn, "activation": activation,
        "scale": True, "shared": True, "tied": True, "dtype": torch.float32, "positions": 64, "pieces": (80, 80),
        "specials": "opus", "shard": None, "generation_file": True, "more_ends": 0, "codes": [], "zero_pad": True,
        "generation": {"num_beams": 4},
    }  # fmt: skip
    return {**base, **more}


# layers, heads, ffn: (encoder, decoder)
SPECS = [
    spec("swish-opus", 32, (2, 1), (4, 2), (48, 64), "swish", generation={"num_beams": 4, "max_length": 64}),
    spec("gelu-f16-two-ends", 16, (1, 4), (2, 4), (40, 32), "gelu", scale=False, dtype=torch.float16, more_ends=1,
         generation={"num_beams": 3, "early_stopping": True, "num_return_sequences": 3}),
    spec("relu-separate", 24, (2, 2), (3, 2), (32, 40), "relu", shared=False, positions=40, pieces=(70, 90),
         specials="start", same_rows=True, zero_pad=False, generation={"num_beams": 6, "length_penalty": 0.6}),
    spec("gelu-new-bf16-untied", 48, (1, 1), (3, 6), (48, 40), "gelu_new", shared=False, tied=False,
         dtype=torch.bfloat16, pieces=(100, 64), specials="start", scale=False, free={"length_penalty": 0.6},
         generation={"num_beams": 2, "length_penalty": 2.0, "early_stopping": "never", "max_length": 64}),
    spec("quick-gelu-untied", 24, (3, 2), (3, 8), (24, 36), "quick_gelu", tied=False, specials="front",
         generation={"num_beams": 4, "no_repeat_ngram_size": 3, "max_length": 60}),
    spec("tanh-sharded", 40, (2, 2), (8, 4), (32, 24), "tanh", dtype=torch.float16, shard="16KB",
         generation={"num_beams": 5, "num_return_sequences": 2, "max_length": 50}),
    spec("sigmoid-config-only", 20, (2, 3), (4, 5), (30, 20), "sigmoid", generation_file=False, zero_pad=False,
         generation={"num_beams": 2, "early_stopping": True, "length_penalty": 0.6, "max_length": 48}),
    spec("relu6-odd", 21, (1, 2), (3, 7), (33, 17), "relu6", positions=41, pieces=(64, 64),
         generation={"num_beams": 3, "repetition_penalty": 1.2, "max_length": 41}),
    spec("relu2-default-length", 18, (4, 1), (2, 3), (20, 50), "relu2", scale=False, specials="front", zero_pad=False,
         generation={}),
    spec("leaky-relu-three-ends", 28, (1, 3), (7, 4), (28, 28), "leaky_relu", more_ends=2,
         generation={"num_beams": 4, "length_penalty": 0.0, "max_length": 50, "renormalize_logits": True}),
    spec("mish-languages", 32, (2, 1), (2, 8), (24, 48), "mish", dtype=torch.bfloat16, codes=["deu", "nld", "gsw"],
         generation={"num_beams": 4, "min_length": 4, "max_length": 50}),
    spec("linear-f16-separate", 16, (3, 1), (1, 16), (16, 24), "linear", shared=False, dtype=torch.float16,
         pieces=(90, 66), specials="front", scale=False, generation={"num_beams": 3, "length_penalty": -0.5}),
    spec("laplace-untied", 27, (2, 2), (9, 3), (19, 31), "laplace", tied=False, zero_pad=False,
         generation={"num_beams": 4, "early_stopping": "never", "max_length": 45}),
    spec("gelu-10-no-forced-end", 36, (1, 2), (6, 9), (20, 44), "gelu_10", dtype=torch.bfloat16, more_ends=1,
         forced_end=False, generation={"num_beams": 4, "max_length": 44, "no_repeat_ngram_size": 2}),
]  # fmt: skip


# --- the folder ---


def order_vocabulary(pieces, specials):
    orders = {"opus": "</s> <unk>", "start": "</s> <unk> <pad>", "front": "<pad> </s> <unk>"}
    head, tail = orders[specials].split(), ["<pad>"] if specials == "opus" else []
    return {piece: i for i, piece in enumerate(head + pieces + tail)}


def write_tokenizer(folder, s):
    source = train_pieces(os.path.join(folder, "source.spm"), ENGLISH, s["pieces"][0])
    target = train_pieces(os.path.join(folder, "target.spm"), GERMAN, s["pieces"][1])
    codes = [f">>{c}<<" for c in s["codes"]]
    config = {"source_lang": "en", "target_lang": "de", "unk_token": "<unk>", "eos_token": "</s>",
              "pad_token": "<pad>", "model_max_length": s["positions"], "tokenizer_class": "MarianTokenizer"}  # fmt: skip
    if s["shared"]:
        vocab = order_vocabulary(codes + list(dict.fromkeys(source + target)), s["specials"])
        write_json(folder, "vocab.json", vocab)
        target_vocab = vocab
    else:
        vocab, target_vocab = (order_vocabulary(p, s["specials"]) for p in (source, target))
        write_json(folder, "vocab.json", vocab)
        write_json(folder, "target_vocab.json", target_vocab)
        config["separate_vocabs"] = True
    write_json(folder, "tokenizer_config.json", config)
    return vocab, target_vocab


def model_config(s, vocab, target_vocab):
    end = target_vocab["</s>"]
    rows = len(vocab), len(target_vocab)
    if s.get("same_rows"):  # as in published models with separate vocabularies
        rows = max(rows), max(rows)
    return MarianConfig(
        vocab_size=rows[0],
        decoder_vocab_size=rows[1],
        share_encoder_decoder_embeddings=s["shared"],
        tie_word_embeddings=s["tied"],
        d_model=s["d"],
        encoder_layers=s["layers"][0],
        decoder_layers=s["layers"][1],
        encoder_attention_heads=s["heads"][0],
        decoder_attention_heads=s["heads"][1],
        encoder_ffn_dim=s["ffn"][0],
        decoder_ffn_dim=s["ffn"][1],
        activation_function=s["activation"],
        scale_embedding=s["scale"],
        max_position_embeddings=s["positions"],
        eos_token_id=end,
        pad_token_id=target_vocab["<pad>"],
        decoder_start_token_id=target_vocab["<pad>"],
        forced_eos_token_id=end if s.get("forced_end", True) else None,
    )


def new_model(config):
    """Gives the decoder's embeddings their own number of rows; MarianMTModel uses
    that of the encoder."""
    model = MarianMTModel(config)
    if model.get_decoder().embed_tokens.num_embeddings != model.final_logits_bias.shape[1]:
        rows = model.final_logits_bias.shape[1]
        model.model.decoder.embed_tokens = torch.nn.Embedding(rows, config.d_model, config.pad_token_id)
        model.lm_head = torch.nn.Linear(config.d_model, rows, bias=False)
        model.tie_weights()
    return model


def fill_parameter(name, p, s):
    """Returns random values for a parameter. The norms have random signs, because a model with tied
    embeddings would otherwise repeat its input."""
    normal = torch.randn(p.shape)
    if "layer_norm.weight" in name:
        return torch.sign(normal) * (0.6 + 0.8 * torch.rand(p.shape))
    if "embed_tokens" in name or "shared" in name or "lm_head" in name:
        return normal * (1.0 / s["d"] ** 0.5 if s["scale"] else 0.5)
    if name.endswith("bias"):
        return 0.1 * normal
    return 1.5 * normal / p.shape[1] ** 0.5


def fill_model(model, s):
    pad = model.config.pad_token_id
    for name, p in model.named_parameters():
        if "embed_positions" not in name:
            p.data = fill_parameter(name, p, s)
    model.tie_weights()
    if s["zero_pad"]:
        for stack in (model.get_encoder(), model.get_decoder()):
            stack.embed_tokens.weight.data[pad] = 0
    model.final_logits_bias.data = 0.5 * torch.randn(model.final_logits_bias.shape)


def training_pairs(rng, tokenizer, start, sources, ends, limit):
    """Returns three targets of different lengths for each source, so that beams
    differ and finish at different steps."""
    pairs = []
    for text in sources:
        if len(tokenizer(text).input_ids) > tokenizer.model_max_length:
            continue
        for _ in range(3):
            ids = tokenizer(text_target=rng.choice(GERMAN)).input_ids[:-1]
            ids = ids[: rng.randrange(2, min(len(ids), limit - 2))]
            pairs.append((tokenizer(text).input_ids, [start] + ids + [rng.choice(ends)]))
    return pairs


def write_generation(folder, model, s, ends):
    values = dict(s["generation"], bad_words_ids=[[model.config.pad_token_id]])
    if len(ends) > 1:
        values["eos_token_id"] = ends
    config_path = os.path.join(folder, "config.json")
    with open(config_path, encoding="utf-8") as f:
        config = json.load(f)
    file = os.path.join(folder, "generation_config.json")
    if os.path.exists(file):
        os.remove(file)
    if s["generation_file"]:
        fixed = {k: config[k] for k in ("eos_token_id", "pad_token_id", "decoder_start_token_id")}
        if config.get("forced_eos_token_id") is not None:
            fixed["forced_eos_token_id"] = config["forced_eos_token_id"]
        GenerationConfig(**{**fixed, **values}).save_pretrained(folder)
    else:
        write_json(folder, "config.json", {**config, **values})


def write_model(folder, s, seed, sources, limit):
    """Writes a whole folder; returns the end tokens."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    torch.manual_seed(seed)
    vocab, target_vocab = write_tokenizer(folder, s)
    model = new_model(model_config(s, vocab, target_vocab))
    ordinary = [i for p, i in target_vocab.items() if not p.startswith("<") and not p.startswith(">>")]
    ends = [model.config.eos_token_id] + random.Random(seed).sample(ordinary, s["more_ends"])
    fill_model(model, s)
    tokenizer = MarianTokenizer.from_pretrained(folder)
    start = model.config.decoder_start_token_id
    pairs = training_pairs(random.Random(seed), tokenizer, start, sources, ends, limit)
    train(model, pairs, 0.9 + 0.1 * (seed % 4))
    model = model.to(s["dtype"])
    model.generation_config = GenerationConfig()
    model.save_pretrained(folder, max_shard_size=s["shard"] or "5GB")
    write_generation(folder, model, s, ends)
    return ends


# --- the references ---

def solve(model, tokenizer, sources, settings, prefix=()):
    line = {"settings": settings, "prefix": list(prefix), "sentences": []}
    for text in sources:
        ids = tokenizer(text).input_ids
        if len(ids) > model.config.max_position_embeddings:
            continue
        if "encoder_repetition_penalty" in settings and max(ids) >= model.final_logits_bias.shape[1]:
            continue  # generate() indexes the target's scores with source ids
        hypotheses = hypotheses_of(model, tokenizer, ids, list(prefix), settings)
        if hypotheses is not None:
            line["sentences"].append({"source": text, "source_ids": ids, "hypotheses": hypotheses})
    return line


def settings_list(index, free, ends, limit):
    """Returns (settings, prefix) pairs. The twelve combinations of early_stopping
    and length_penalty are distributed over the models."""
    grid = [(e, p) for p in (-0.5, 0.0, 0.6, 2.0) for e in (False, True, "never")]
    common = tokens_found(free, ends)
    ids = max((h["ids"] for s in free["sentences"] for h in s["hypotheses"]), key=len)
    two, three = ids[1:3], ids[0:3]
    rows = [{}, {"beams": 1, "n_best": 1}]
    for k in range(5):
        early, penalty = grid[(5 * index + k * 7) % len(grid)]
        rows.append({"beams": 4, "n_best": 4, "early_stopping": early, "length_penalty": penalty, "max_length": limit})
    rows += [
        {"beams": 1, "n_best": 1, "repetition_penalty": 1.3, "max_length": limit},
        {"beams": 1, "n_best": 1, "no_repeat_ngram_size": 2, "max_length": limit - 2},
        {"beams": 1, "n_best": 1, "min_length": 9, "suppress_tokens": common[:2], "max_length": limit},
        {"beams": 4, "n_best": 4, "min_length": 8, "max_length": limit},
        {"beams": 3, "n_best": 3, "max_length": 5, "forced_eos_token_id": ends[0]},
        {"beams": 6, "n_best": 6, "no_repeat_ngram_size": 2, "repetition_penalty": 1.2, "max_length": limit},
        {"beams": 4, "n_best": 2, "bad_words_ids": [[common[0]], two, three], "max_length": limit},
        {"beams": 2, "n_best": 2, "suppress_tokens": common[:3], "begin_suppress_tokens": ends, "max_length": limit},
        {"beams": 4, "n_best": 4, "repetition_penalty": 0.8, "renormalize_logits": True, "max_length": limit},
        {"beams": 4, "n_best": 3, "encoder_no_repeat_ngram_size": 2, "encoder_repetition_penalty": 1.3,
         "max_length": limit},
        {"beams": 3, "n_best": 3, "forced_bos_token_id": common[1], "max_length": limit},
    ]  # fmt: skip
    pairs = [(row, []) for row in rows]
    pairs.append(({"beams": 4, "n_best": 2, "max_length": limit}, common[:3]))
    pairs.append(({"beams": 1, "n_best": 1, "max_length": limit}, common[2:3]))
    return pairs


def load(folder):
    tokenizer = MarianTokenizer.from_pretrained(folder)
    config = MarianConfig.from_pretrained(folder)
    if config.share_encoder_decoder_embeddings or config.vocab_size == config.decoder_vocab_size:
        return MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval(), tokenizer
    model = new_model(config)
    state = {k: v.float() for k, v in load_file(os.path.join(folder, "model.safetensors")).items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and all("embed_positions" in k or k == "lm_head.weight" for k in missing), missing
    model.generation_config = GenerationConfig.from_pretrained(folder)
    # In beam search, generate() uses the source's vocabulary size for the target;
    # nothing else reads it after this point.
    config.vocab_size = config.decoder_vocab_size
    return model.eval(), tokenizer


def tune(folder, s):
    """Tries seeds until the outputs are varied."""
    codes = [f">>{c}<< " for c in s["codes"]] or [""]
    sources = [codes[i % len(codes)] + text for i, text in enumerate(SOURCES)]
    limit = min(s["positions"], 36) - 1
    for seed in range(1, 30):
        ends = write_model(folder, s, seed, sources, limit)
        model, tokenizer = load(folder)
        free = solve(model, tokenizer, sources, {"beams": 4, "n_best": 4, "max_length": limit, **s.get("free", {})})
        if len(free["sentences"]) >= 4 and is_lively(free, ends):
            return model, tokenizer, sources, ends, limit, free
    sys.exit(f"{s['name']}: no seed gives varied outputs")


def make(folder, index, s):
    model, tokenizer, sources, ends, limit, free = tune(folder, s)
    lines = [solve(model, tokenizer, sources, *pair) for pair in settings_list(index, free, ends, limit)]
    lines = [line for line in lines if line["sentences"]]
    assert len(lines) >= 16, f"{s['name']}: only {len(lines)} lines are well defined"
    own, several, count = lengths_of(lines, ends)
    assert len(set(n for n in own if 3 <= n <= 35)) >= 8 and several >= 8
    with open(os.path.join(folder, "reference.jsonl"), "w", encoding="utf-8") as f:
        for line in lines:
            f.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    size = sum(os.path.getsize(os.path.join(folder, n)) for n in os.listdir(folder))
    assert size < 400_000, f"{s['name']}: {size} bytes"
    sentences = sum(len(line["sentences"]) for line in lines)
    print(f"{s['name']}: {size // 1000} kB, {len(lines)} settings, {sentences} searches ({several} with ends at several "
          f"lengths), {count} hypotheses, {len(own)} with an end token, lengths {min(own)} to {max(own)}", flush=True)


def main():
    if transformers.__version__ != search.PINNED:
        sys.exit(f"transformers {search.PINNED} is needed, this is {transformers.__version__}")
    root = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/marian"
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    golden_store.unfold(root)
    for index, s in enumerate(SPECS):
        if len(sys.argv) <= 2 or s["name"] in sys.argv[2:]:
            make(os.path.join(root, s["name"]), index, s)
    golden_store.fold(root)


if __name__ == "__main__":
    main()
