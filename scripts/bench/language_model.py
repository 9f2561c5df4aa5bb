#!/usr/bin/env python3
"""Measures the speed of a language model beside llama.cpp: docs/language-models.md, "Speed".

    python language_model.py make FOLDER              a model in FOLDER/model, 3.6 GB, and in FOLDER/model.gguf, 1.9 GB
    python language_model.py dragoman FOLDER COUNT    COUNT sentences; packs the model in int8 first
    python language_model.py llama.cpp FOLDER COUNT   COUNT sequences in one batch

The model has the shape of Hy-MT2 1.8B and random weights, so a translation has as many tokens as allowed. Needs torch,
safetensors, tokenizers and, for llama.cpp, gguf and llama-cpp-python. The DRAGOMAN program is ../../dragoman."""

import json
import os
import pathlib
import random
import subprocess
import sys
import time

D, LAYERS, HEADS, KV, SIZE, FFN, VOCAB = 2048, 32, 16, 4, 128, 6144, 120818
PROMPT, ANSWER, THREADS = 48, 64, 2  # tokens of a prompt of llama.cpp, of which dragoman has about as many; of an answer
DRAGOMAN = os.environ.get("DRAGOMAN", str(pathlib.Path(__file__).resolve().parents[2] / "dragoman"))
NAMES = {  # of a layer: safetensors, GGUF, shape
    "self_attn.q_proj": ("attn_q", (HEADS * SIZE, D)), "self_attn.k_proj": ("attn_k", (KV * SIZE, D)),
    "self_attn.v_proj": ("attn_v", (KV * SIZE, D)), "self_attn.o_proj": ("attn_output", (D, HEADS * SIZE)),
    "self_attn.query_layernorm": ("attn_q_norm", (SIZE,)), "self_attn.key_layernorm": ("attn_k_norm", (SIZE,)),
    "mlp.gate_proj": ("ffn_gate", (FFN, D)), "mlp.up_proj": ("ffn_up", (FFN, D)), "mlp.down_proj": ("ffn_down", (D, FFN)),
    "input_layernorm": ("attn_norm", (D,)), "post_attention_layernorm": ("ffn_norm", (D,)),
}  # fmt: skip


def sentences(count):
    random.seed(1)
    letters = "etaoinshrdlu"
    return [" ".join("".join(random.choices(letters, k=random.randint(2, 4))) for _ in range(6)) for _ in range(count)]


def make(folder):
    import numpy as np
    import torch
    from gguf import GGMLQuantizationType, GGUFWriter
    from gguf.quants import quantize
    from safetensors.torch import save_file

    torch.manual_seed(0)
    (folder / "model").mkdir(parents=True, exist_ok=True)
    out, tensors = GGUFWriter(folder / "model.gguf", "hunyuan-dense"), {}
    out.add_context_length(4096), out.add_embedding_length(D), out.add_block_count(LAYERS), out.add_feed_forward_length(FFN)
    out.add_head_count(HEADS), out.add_head_count_kv(KV), out.add_key_length(SIZE), out.add_value_length(SIZE)
    out.add_layer_norm_rms_eps(1e-5), out.add_rope_freq_base(10000.0), out.add_vocab_size(VOCAB)
    out.add_tokenizer_model("gpt2"), out.add_tokenizer_pre("hunyuan-dense")
    out.add_token_list([b"t%d" % i for i in range(VOCAB)]), out.add_token_types([1] * VOCAB)
    out.add_token_merges(["t1 t2"]), out.add_bos_token_id(1), out.add_eos_token_id(2)
    parts = [("model.embed_tokens", "token_embd", (VOCAB, D)), ("model.norm", "output_norm", (D,))]
    for i in range(LAYERS):
        parts += [(f"model.layers.{i}.{hf}", f"blk.{i}.{gg}", shape) for hf, (gg, shape) in NAMES.items()]
    for hf, gg, shape in parts:
        values = torch.ones(shape) if len(shape) == 1 else torch.randn(shape) * 0.02
        tensors[hf + ".weight"] = values.to(torch.bfloat16)
        array = tensors[hf + ".weight"].float().numpy()
        if len(shape) == 1:
            out.add_tensor(gg + ".weight", array.astype(np.float32))
        else:
            kind = GGMLQuantizationType.Q8_0
            out.add_tensor(gg + ".weight", quantize(array, kind), raw_dtype=kind)
    out.write_header_to_file(), out.write_kv_data_to_file(), out.write_tensors_to_file(), out.close()
    save_file(tensors, folder / "model/model.safetensors", metadata={"format": "pt"})
    write_texts(folder / "model")


def write_texts(folder):
    """Writes the tokenizer, one token per byte, and the settings."""
    from tokenizers import pre_tokenizers

    vocab = {"<pad>": 0, "<bos>": 1, "<eos>": 2}
    for piece in [*sorted(pre_tokenizers.ByteLevel.alphabet()), *(f"unused{i}" for i in range(VOCAB - 259))]:
        vocab[piece] = len(vocab)
    added = [{"id": vocab[t], "content": t, "special": True, "normalized": False} for t in ("<pad>", "<bos>", "<eos>")]
    step = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    model = {"type": "BPE", "vocab": vocab, "merges": []}
    files = {
        "tokenizer.json": {"added_tokens": added, "normalizer": None, "pre_tokenizer": step, "decoder": step, "model": model},
        "generation_config.json": {"eos_token_id": 2, "max_new_tokens": ANSWER, "do_sample": False},
        "config.json": {
            "model_type": "hunyuan_v1_dense", "vocab_size": VOCAB, "hidden_size": D, "intermediate_size": FFN,
            "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KV, "head_dim": SIZE,
            "hidden_act": "silu", "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
            "tie_word_embeddings": True, "eos_token_id": 2, "dragoman_prompt": "<bos>To {target_language}:\n{source}\nAnswer:",
        },
    }  # fmt: skip
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def measure_dragoman(folder, count):
    packed = folder / "model-int8.safetensors"
    if not packed.exists():
        subprocess.run([DRAGOMAN, "pack", "-m", folder / "model", "--int8", "-o", packed], check=True)
    command = [DRAGOMAN, "-m", packed, "--from", "en", "--to", "de", "--threads", str(THREADS), "--no-reuse", "-q"]
    command += ["--format", "jsonl"]
    times, lines = {}, sentences(count)
    for kind in ("start", "all"):  # the time to start is that of one line without letters
        text = "\n".join(lines) + "\n" if kind == "all" else "\n"
        start = time.perf_counter()
        out = subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout
        times[kind] = time.perf_counter() - start
    tokens = sum(len(json.loads(line)["translations"][0]["ids"]) for line in out.splitlines())
    seconds = times["all"] - times["start"]
    print(f"dragoman: {count} sentences, {tokens} tokens in {seconds:.1f} s: {tokens / seconds:.1f} per second")


def measure_llama(folder, count):
    import ctypes

    import llama_cpp as llama
    import numpy as np

    llama.llama_backend_init()
    model = llama.llama_model_load_from_file(str(folder / "model.gguf").encode(), llama.llama_model_default_params())
    settings = llama.llama_context_default_params()
    settings.n_ctx, settings.n_batch, settings.n_ubatch = count * (PROMPT + ANSWER + 16), max(512, count), 512
    settings.n_seq_max, settings.n_threads, settings.n_threads_batch, settings.kv_unified = count, THREADS, THREADS, True
    context = llama.llama_init_from_model(model, settings)
    batch, random_ids = llama.llama_batch_init(512, 0, count), np.random.default_rng(1)

    def run(rows):
        """Computes rows (token, position, sequence, wants logits); returns the best next token of each sequence."""
        batch.n_tokens, best = len(rows), {}
        for i, (token, position, sequence, wants) in enumerate(rows):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, position, 1, wants
            batch.seq_id[i][0] = sequence
        if llama.llama_decode(context, batch):
            sys.exit("llama_decode failed")
        for i, (_, _, sequence, wants) in enumerate(rows):
            if wants:
                logits = llama.llama_get_logits_ith(context, i)
                best[sequence] = int(np.ctypeslib.as_array(ctypes.cast(logits, ctypes.POINTER(ctypes.c_float)), (VOCAB,)).argmax())
        return best

    start, last, each = time.perf_counter(), {}, 512 // PROMPT
    for first in range(0, count, each):
        last |= run([(int(random_ids.integers(3, 259)), p, s, p == PROMPT - 1)
                     for s in range(first, min(count, first + each)) for p in range(PROMPT)])  # fmt: skip
    read = time.perf_counter()
    for step in range(1, ANSWER):
        last = run([(last[s], PROMPT + step - 1, s, True) for s in range(count)])
    end = time.perf_counter()
    print(f"llama.cpp: {count} sentences, {count * ANSWER / (end - start):.1f} tokens per second; "
          f"without reading the prompts {count * (ANSWER - 1) / (end - read):.1f}")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("make", "dragoman", "llama.cpp"):
        sys.exit(__doc__)
    place = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "make":
        make(place)
    else:
        {"dragoman": measure_dragoman, "llama.cpp": measure_llama}[sys.argv[1]](place, int(sys.argv[3]))
