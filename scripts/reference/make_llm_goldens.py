#!/usr/bin/env python3
"""Makes tests/golden/llm: language models with a decoder only, and T5Gemma, with what generate() returns.

    python3 scripts/reference/make_llm_goldens.py

Writes tests/golden/llm/reference.jsonl with a line for each model:
    name, transformers   the version that computed the line; config is written in its format
    config               config.json
    tensors              [name, shape, middle, range]: the values are spread evenly around `middle`, at most `range`
                         away. They depend only on the name (values_of() here, tests/llm_models.h in C), so the
                         weights need not be stored
    lines                searches: settings, and sentences with source_ids and hypotheses, as in families; tokens are
                         the log-probabilities of the tokens of the first hypothesis, without rules for repetitions

Run it with transformers 4.57.1. For the models that version 5 writes, it runs itself again with the Python in
$TRANSFORMERS5. Prompts for which float32 and float64 choose differently are left out, because rounding decides them.
For T5Gemma, version 4.57.1 gets a cache without windows: else, cross-attention would lose the begin of the source after
the first token (4.57.1 makes windows in the cache of cross-attention; 5.24.0 does not).
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy
import torch
import transformers

import golden_store

FOLDER = "tests/golden/llm"
VOCAB = 120
PROMPTS = 20
LIMIT = 14
ENDS = [2, 7, 19, 23, 42, 77, 101]

torch.set_num_threads(1)


def values_of(name, count, middle, spread):
    """Returns count float32 values. FNV-1a of the name and SplitMix64 of the index give 24 random bits each."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(seed) + numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        z = (z ^ (z >> numpy.uint64(31))) >> numpy.uint64(40)
    unit = z.astype(numpy.float32) * numpy.float32(2.0**-23) - numpy.float32(1)
    return unit * numpy.float32(spread) + numpy.float32(middle)


BASE = {"vocab_size": VOCAB, "hidden_size": 32, "intermediate_size": 44, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 96, "bos_token_id": 1, "eos_token_id": ENDS, "pad_token_id": 0}  # fmt: skip
VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 24}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 24}
T5GEMMA = {"head_dim": 12, "query_pre_attn_scalar": 20, "sliding_window": 8, "attn_logit_softcapping": 3.0, "final_logit_softcapping": 9.0}
UNTIED = {"tie_word_embeddings": False, "attention_bias": True, "layer_types": ["full_attention", "sliding_attention", "sliding_attention"]}
HUNYUAN = {"type": "dynamic", "alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 0.0}


def rope(base, scaling, old=True):
    """The positions of a model, as version 4 or 5 writes them."""
    if old:
        return {"rope_theta": base, "rope_scaling": scaling}
    return {"rope_parameters": {"rope_theta": base, **(scaling or {"rope_type": "default"})}}


# name, class of the configuration, of the model, changes to BASE, version of transformers
MODELS = [
    ("llama", "LlamaConfig", "LlamaForCausalLM", {}, 4),
    ("llama-all-heads", "LlamaConfig", "LlamaForCausalLM", {"num_key_value_heads": 4, "head_dim": 6, "tie_word_embeddings": True}, 4),
    ("llama-one-head-biases", "LlamaConfig", "LlamaForCausalLM",
     {"num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True, "hidden_act": "gelu"}, 4),
    ("llama-linear", "LlamaConfig", "LlamaForCausalLM", rope(500.0, {"rope_type": "linear", "factor": 2.5}), 4),
    ("llama-dynamic", "LlamaConfig", "LlamaForCausalLM", rope(10000.0, {"type": "dynamic", "factor": 2.0}), 4),
    ("llama-llama3", "LlamaConfig", "LlamaForCausalLM", rope(5000.0, LLAMA3) | {"head_dim": 16}, 4),
    ("llama-yarn", "LlamaConfig", "LlamaForCausalLM", rope(1000.0, YARN) | {"head_dim": 16}, 4),
    ("llama-yarn-scales", "LlamaConfig", "LlamaForCausalLM",
     rope(1000.0, {**YARN, "mscale": 0.7, "mscale_all_dim": 1.0, "beta_fast": 8, "truncate": False}) | {"head_dim": 16}, 4),
    ("mistral-window", "MistralConfig", "MistralForCausalLM", {"sliding_window": 9}, 4),
    ("mistral", "MistralConfig", "MistralForCausalLM", {"sliding_window": None, "head_dim": 12}, 4),
    ("qwen2", "Qwen2Config", "Qwen2ForCausalLM", {}, 4),
    ("qwen2-window", "Qwen2Config", "Qwen2ForCausalLM", {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1}, 4),
    ("qwen3", "Qwen3Config", "Qwen3ForCausalLM", {"head_dim": 16, "tie_word_embeddings": True}, 4),
    ("gemma2", "Gemma2Config", "Gemma2ForCausalLM",
     {"head_dim": 12, "query_pre_attn_scalar": 20, "sliding_window": 8, "attn_logit_softcapping": 3.0, "final_logit_softcapping": 9.0}, 4),
    ("gemma3-text", "Gemma3TextConfig", "Gemma3ForCausalLM",
     {"head_dim": 12, "query_pre_attn_scalar": 20, "sliding_window": 8, "sliding_window_pattern": 3, "rope_theta": 5000.0,
      "rope_local_base_freq": 50.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, 4),
    ("gemma3", "Gemma3Config", "Gemma3ForConditionalGeneration",
     {"head_dim": 12, "query_pre_attn_scalar": 20, "sliding_window": 8, "sliding_window_pattern": 2}, 4),
    ("hunyuan", "HunYuanDenseV1Config", "HunYuanDenseV1ForCausalLM",
     {"head_dim": 12, "rope_scaling": HUNYUAN, "tie_word_embeddings": True}, 4),
    ("t5gemma", "T5GemmaConfig", "T5GemmaForConditionalGeneration",
     {"encoder": {"num_hidden_layers": 4, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 36}, "decoder": {}}, 4),
    ("t5gemma-untied", "T5GemmaConfig", "T5GemmaForConditionalGeneration",
     {"encoder": UNTIED, "decoder": {**UNTIED, "num_key_value_heads": 4}, "tie_word_embeddings": False}, 4),
    ("llama-llama3-new", "LlamaConfig", "LlamaForCausalLM", rope(5000.0, LLAMA3, False) | {"head_dim": 16}, 5),
    ("qwen3-yarn-new", "Qwen3Config", "Qwen3ForCausalLM", rope(1000.0, YARN, False) | {"head_dim": 16}, 5),
    ("gemma3-new", "Gemma3Config", "Gemma3ForConditionalGeneration",
     {"head_dim": 12, "query_pre_attn_scalar": 20, "sliding_window": 8,
      "layer_types": ["full_attention", "sliding_attention", "full_attention"],
      "rope_parameters": {"full_attention": {"rope_theta": 5000.0, "rope_type": "linear", "factor": 8.0},
                          "sliding_attention": {"rope_theta": 50.0, "rope_type": "default"}}}, 5),
    ("hunyuan-new", "HunYuanDenseV1Config", "HunYuanDenseV1ForCausalLM",
     {"head_dim": 12, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "dynamic", **HUNYUAN}}, 5),
    ("t5gemma-new", "T5GemmaConfig", "T5GemmaForConditionalGeneration",
     {"encoder": {"num_key_value_heads": 1}, "decoder": {"num_hidden_layers": 2}}, 5),
]  # fmt: skip


def spec_of(name, shape, adds_one):
    """Returns the middle and the range of a tensor's values."""
    if len(shape) == 1 and "norm" in name:
        return [0.0 if adds_one else 1.0, 0.4]
    if len(shape) == 1:
        return [0.0, 0.4]
    if "vision" in name or "multi_modal" in name:
        return [0.0, 0.1]
    if "embed_tokens" in name:
        return [0.0, 0.5]
    if "lm_head" in name:
        return [0.0, 0.7]
    return [0.0, round(2.6 / shape[-1] ** 0.5, 3)]


def read_tensors(path, adds_one):
    with open(path, "rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    names = sorted(n for n in head if n != "__metadata__" and "vision_tower.vision_model.encoder" not in n)
    return [[n, head[n]["shape"], *spec_of(n, head[n]["shape"], adds_one)] for n in names]


def set_weights(folder, tensors):
    from safetensors.torch import load_file, save_file

    path = os.path.join(folder, "model.safetensors")
    weights = load_file(path)
    for name, shape, middle, spread in tensors:
        count = int(numpy.prod(shape))
        weights[name] = torch.from_numpy(values_of(name, count, middle, spread).reshape(shape))
    save_file(weights, path, {"format": "pt"})


def prompts():
    rng = numpy.random.default_rng(5)
    return [[1, *map(int, rng.integers(3, VOCAB, rng.integers(0, 40)))] for _ in range(PROMPTS)]


def generate(model, ids, beams, rules):
    ids = torch.tensor([ids])
    is_encoder_decoder = model.config.is_encoder_decoder
    if is_encoder_decoder and transformers.__version__.startswith("4"):
        rules = {**rules, "cache_implementation": "dynamic_full"}
    before = 1 if is_encoder_decoder else ids.shape[1]
    out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, num_beams=beams, num_return_sequences=beams,
                         max_new_tokens=LIMIT, pad_token_id=0, eos_token_id=ENDS, output_scores=True,
                         return_dict_in_generate=True, length_penalty=1.0, **rules)  # fmt: skip
    found = []
    for row, sequence in enumerate(out.sequences[:, before:].tolist()):
        end = next((i + 1 for i, t in enumerate(sequence) if t in ENDS), len(sequence))
        sequence = sequence[:end]
        with torch.no_grad():
            read = torch.cat([out.sequences[row : row + 1, :1] if is_encoder_decoder else ids, torch.tensor([sequence])], 1)
            logits = model(ids, decoder_input_ids=read).logits if is_encoder_decoder else model(read).logits
            logits = logits[0, before - 1 : -1]
        tokens = torch.log_softmax(logits.double(), -1)[range(end), sequence]
        if beams > 1:
            score = float(out.sequences_scores[row])
        else:  # the processed logits of each step
            score = sum(float(torch.log_softmax(x[0].double(), -1)[t]) for x, t in zip(out.scores, sequence)) / end
        found.append({"ids": sequence, "score": score, "tokens": [] if rules else tokens.tolist()})
    return found


def line_of(model, exact, beams, rules):
    sentences = []
    for ids in prompts():
        found, sure = generate(model, ids, beams, rules), generate(exact, ids, beams, rules)
        if [h["ids"] for h in found] != [h["ids"] for h in sure]:
            continue
        shown = [{"ids": h["ids"], "score": round(h["score"], 6)} for h in found]
        tokens = [round(t, 6) for t in sure[0]["tokens"]]
        sentences.append({"source_ids": ids, "hypotheses": shown, "tokens": tokens})
    return {"settings": {"beams": beams, "n_best": beams, "max_length": LIMIT, **rules}, "sentences": sentences}


def model_line(name, config_class, model_class, changes):
    config = {**BASE, **changes}
    if config_class == "Gemma3Config":
        config = {"text_config": config, "vision_config": VISION, **{k: BASE[k] for k in ("bos_token_id", "eos_token_id", "pad_token_id")}}
    if config_class == "T5GemmaConfig":
        config = {**changes, **{k: BASE[k] for k in ("vocab_size", "bos_token_id", "eos_token_id", "pad_token_id")}}
        config |= {k: {**BASE, **T5GEMMA, **changes[k]} for k in ("encoder", "decoder")}
    model_class = getattr(transformers, model_class)
    torch.manual_seed(1)
    model = model_class(getattr(transformers, config_class)(**config))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tensors = read_tensors(os.path.join(folder, "model.safetensors"), "gemma" in name)
        set_weights(folder, tensors)
        model, exact = (model_class.from_pretrained(folder, dtype=x, attn_implementation="eager").eval()
                        for x in (torch.float32, torch.float64))  # fmt: skip
        with open(os.path.join(folder, "config.json")) as file:
            config = json.load(file)
    for m in (model, exact):
        m.generation_config.eos_token_id = ENDS
    lines = [line_of(model, exact, beams, {}) for beams in (1, 4)]
    if name == "llama":  # rules for repetitions, which count the prompt
        lines += [line_of(model, exact, beams, {"repetition_penalty": 1.5, "no_repeat_ngram_size": 2}) for beams in (1, 4)]
    ids = {i for line in lines for s in line["sentences"] for h in s["hypotheses"] for i in h["ids"]}
    sizes = [len(line["sentences"]) for line in lines]
    lengths = {len(h["ids"]) for line in lines for s in line["sentences"] for h in s["hypotheses"]}
    print(f"{name}: {sizes} sentences, {len(ids)} different ids, lengths {sorted(lengths)}", file=sys.stderr)
    return {"name": name, "transformers": transformers.__version__, "config": config, "tensors": tensors, "lines": lines}


def main():
    version = int(transformers.__version__.split(".")[0])
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    lines = (json.dumps(model_line(*m[:4])) + "\n" for m in MODELS if m[4] == version)
    if version == 5:
        sys.stdout.writelines(lines)
        return
    new = subprocess.run([os.environ["TRANSFORMERS5"], __file__], check=True, stdout=subprocess.PIPE, text=True)
    os.makedirs(FOLDER, exist_ok=True)
    golden_store.unfold(FOLDER)
    with open(os.path.join(FOLDER, "reference.jsonl"), "w") as file:
        file.writelines(lines)
        file.write(new.stdout)
    golden_store.fold(FOLDER)


if __name__ == "__main__":
    main()
