# language_model.py - writes a small language model with random weights, whose answers consist of letters and spaces.
#     python3 language_model.py FOLDER TYPE      TYPE: qwen2, llama or hunyuan_v1_dense
import array
import json
import os
import random
import struct
import sys

folder, kind = sys.argv[1:3]
HIDDEN, LAYERS, HEADS, KV_HEADS, SIZE, FFN = 32, 3, 4, 2, 8, 48
SPECIALS = ["<s>", "</s>", "<|user|>", "<|answer|>"]

# Each byte is a piece, spelled as in byte-level BPE.
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
spelling = {b: chr(b) for b in printable}
spelling.update({b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in printable)})
vocab = {spelling[b]: b for b in range(256)}
tokens = 256 + len(SPECIALS)
random.seed(kind)


def values(count, spread):
    return array.array("f", (random.gauss(0, spread) for _ in range(count)))


# The answers: letters and spaces are likely, and the end token sometimes is.
output = array.array("f", bytes(4 * tokens * HIDDEN))
for token in [*b"abcdefghijklmnopqrstuvwxyz   ", 256 + SPECIALS.index("</s>")]:
    output[token * HIDDEN : (token + 1) * HIDDEN] = values(HIDDEN, 1)

tensors = {
    "model.embed_tokens.weight": ([tokens, HIDDEN], values(tokens * HIDDEN, 1)),
    "lm_head.weight": ([tokens, HIDDEN], output),
    "model.norm.weight": ([HIDDEN], array.array("f", [1] * HIDDEN)),
}
for layer in range(LAYERS):
    prefix = f"model.layers.{layer}."
    shapes = {
        "self_attn.q_proj.weight": [HEADS * SIZE, HIDDEN],
        "self_attn.k_proj.weight": [KV_HEADS * SIZE, HIDDEN],
        "self_attn.v_proj.weight": [KV_HEADS * SIZE, HIDDEN],
        "self_attn.o_proj.weight": [HIDDEN, HEADS * SIZE],
        "mlp.gate_proj.weight": [FFN, HIDDEN],
        "mlp.up_proj.weight": [FFN, HIDDEN],
        "mlp.down_proj.weight": [HIDDEN, FFN],
    }
    if kind == "qwen2":
        shapes |= {"self_attn.q_proj.bias": [HEADS * SIZE], "self_attn.k_proj.bias": [KV_HEADS * SIZE],
                   "self_attn.v_proj.bias": [KV_HEADS * SIZE]}
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        tensors[prefix + name] = (shape, values(count, 0.3))
    norms = {"input_layernorm": HIDDEN, "post_attention_layernorm": HIDDEN}
    if kind == "hunyuan_v1_dense":
        norms |= {"self_attn.query_layernorm": SIZE, "self_attn.key_layernorm": SIZE}
    for name, count in norms.items():
        tensors[f"{prefix}{name}.weight"] = ([count], array.array("f", [1] * count))

os.makedirs(folder, exist_ok=True)
header, at = {}, 0
for name, (shape, data) in tensors.items():
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * len(data)]}
    at += 4 * len(data)
with open(f"{folder}/model.safetensors", "wb") as out:
    text = json.dumps(header).encode()
    out.write(struct.pack("<Q", len(text)) + text)
    for _, data in tensors.values():
        out.write(data.tobytes())

config = {
    "model_type": kind, "hidden_size": HIDDEN, "intermediate_size": FFN, "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": SIZE, "vocab_size": tokens,
    "max_position_embeddings": 1024, "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
    "tie_word_embeddings": False, "bos_token_id": 256, "eos_token_id": 257,
    "dragoman_prompt": "<s><|user|>Translate from {source_language} to {target_language}: {source}<|answer|>",
}
added = [{"id": 256 + i, "content": s, "special": True, "normalized": False} for i, s in enumerate(SPECIALS)]
tokenizer = {
    "added_tokens": added,
    "normalizer": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": vocab, "merges": []},
}
files = {"config.json": config, "generation_config.json": {"eos_token_id": 257, "max_new_tokens": 40},
         "tokenizer.json": tokenizer}
for name, content in files.items():
    with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
        json.dump(content, out)
