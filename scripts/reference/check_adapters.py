#!/usr/bin/env python3
"""Compares dragoman with PEFT and transformers on random LoRA adapters of random models.

    python3 scripts/reference/check_adapters.py DRAGOMAN GOLDEN COUNT SEED [FAMILY]...

Needs peft besides requirements.txt. GOLDEN is build/golden. Makes COUNT random adapters for its
models in F32, F16 or BF16, merges them with merge_and_unload(), and compares ids, scores and
texts of twenty lines with generate(), in greedy search and with beam 4, as compare_families.py
does. Prints the differences, keeps the folders that differ, and exits with status 1 if there
are any.
"""

import os
import random
import shutil
import sys
import tempfile
import warnings

import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForSeq2SeqLM, MarianTokenizer

import compare_families
from compare_families import T5, compare, random_lines
from family_models import Pair, pairs_of
from make_family_goldens import SPECS

compare_families.SETTINGS = compare_families.SETTINGS[1:]
MARIAN = ["gelu-10-no-forced-end", "relu-separate", "relu6-odd", "swish-opus", "tanh-sharded"]
TYPES = [torch.float32, torch.float16, torch.bfloat16]
KINDS = ["attention", "all-linear", "embeddings", "saved", "bias", "lora_bias", "patterns", "two", "output", "f16-bin",
         "saved-embeddings"]  # fmt: skip


def names_of(family):
    if family in T5:
        return {"q": "q", "v": "v", "linear": ["q", "k", "v", "o", "wo"], "embedding": "shared"}
    return {"q": "q_proj", "v": "v_proj", "linear": ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"],
            "embedding": "shared" if family == "marian" else "embed_tokens"}  # fmt: skip


def config_of(rng, family, kind):
    names = names_of(family)
    more = {"r": rng.choice([1, 2, 4, 8]), "lora_alpha": rng.choice([1, 8, 16, 7]), "use_rslora": rng.random() < 0.3}
    more["target_modules"] = [names["q"], names["v"]]
    if kind in ("all-linear", "two"):
        more["target_modules"] = names["linear"]
    elif kind == "embeddings":
        more["target_modules"] = [names["q"], names["embedding"]]
    elif kind == "saved":
        more["modules_to_save"] = rng.choice([["lm_head"], ["lm_head", names["embedding"]]])
    elif kind == "saved-embeddings":
        more["modules_to_save"] = [rng.choice(["encoder.embed_tokens", "decoder.embed_tokens", names["embedding"]])]
    elif kind == "bias":
        more["bias"] = rng.choice(["all", "lora_only"])
    elif kind == "lora_bias" and family not in T5:
        more["lora_bias"] = True
    elif kind == "patterns":
        more["rank_pattern"] = {names["v"]: 3, rf"^.*decoder.*\.\d+\..*{names['q']}": 5}
        more["alpha_pattern"] = {rf"(en|x)coder\..*{names['q']}": 3, names["v"]: 0.5}
    elif kind == "output":
        more["target_modules"] = [names["q"], "lm_head"]
    return LoraConfig(task_type="SEQ_2_SEQ_LM", **more)


def load(folder, dtype):
    """As load() of family_models.py, in the type of the weights."""
    model, info = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=dtype, output_loading_info=True)
    for key in info["missing_keys"]:
        stack = model.get_encoder() if "encoder" in key else model.get_decoder()
        stack.embed_tokens.weight = model.get_input_embeddings().weight
    return model.eval()


def write_adapter(folder, base, dtype, config, kind):
    model = get_peft_model(load(base, dtype), config)
    for name, p in model.named_parameters():
        if "lora_" in name:
            p.data += 0.1 * torch.randn(p.shape)
        elif "modules_to_save" in name or (config.bias != "none" and name.endswith("bias")):
            p.data += 0.05 * torch.randn(p.shape).to(p.dtype)
    if kind == "f16-bin":
        model = model.half()
    model.save_pretrained(folder, safe_serialization=kind != "f16-bin")
    with open(os.path.join(folder, "adapter_config.json"), encoding="utf-8") as f:
        assert os.path.basename(base) in f.read()


def merge(model, folder, weight):
    model = PeftModel.from_pretrained(model, folder)
    for module in model.modules():
        if weight != 1 and hasattr(module, "set_scale"):
            module.set_scale("default", weight)
    return model.merge_and_unload()


def widen(model):
    """Returns the model in F32, also its sinusoidal positions, which transformers computes in the type of the weights."""
    model = model.float().eval()
    for module in model.modules():
        if hasattr(module, "make_weights"):
            module.weights = module.get_embedding(module.weights.size(0), module.embedding_dim, module.padding_idx)
    return model


def write_base(folder, golden, family, dtype, rng):
    """Copies a golden model, with weights of another type. Returns its description and a pair of languages."""
    if family == "marian":
        s = {"name": rng.choice(MARIAN), "family": family}
    else:
        s = rng.choice([s for s in SPECS if s["family"] == family and not s["own_tables"]])
    source = os.path.join(golden, "marian" if family == "marian" else "families", s["name"])
    shutil.copytree(source, folder)
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)
        if name.startswith(("model", "pytorch_model")):
            os.remove(os.path.join(folder, name))
    model = load(source, dtype)
    settings = model.generation_config
    model.generation_config = transformers.GenerationConfig()
    model.save_pretrained(folder)
    settings.save_pretrained(folder)
    s = {**s, "positions": getattr(model.config, "max_position_embeddings", 1000)}
    pairs = [Pair(MarianTokenizer.from_pretrained(folder))] if family == "marian" else pairs_of(folder, s)
    return s, rng.choice(pairs)


def one_model(program, root, golden, family, dtype, kind, seed, counts):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    folder, adapters = os.path.join(root, f"{family}-{seed}"), []
    s, pair = write_base(folder, golden, family, dtype, rng)
    model, name = load(folder, dtype), folder
    for number in range(2 if kind == "two" else 1):
        adapter, weight = f"{folder}.{number}", rng.choice([1, 0.5, -0.25]) if kind == "two" else 1
        write_adapter(adapter, folder, dtype, config_of(rng, family, kind), kind)
        model = merge(model, adapter, weight)
        name = name + "+" + adapter + (f":{weight}" if weight != 1 else "")
        adapters.append(adapter)
    if kind == "attention":
        name = adapters[0]  # its base_model_name_or_path is the folder
    faults = compare(program, name, s, widen(model), pair, random_lines(rng, 20), counts)
    if not faults:
        for path in [folder, *adapters]:
            shutil.rmtree(path)
        return True
    print(f"{name} {kind}: {len(faults)} faults; {({k: v for k, v in s.items() if k != 'texts'})}")
    for fault in faults[:3]:
        print("    " + fault[:700])
    return False


def main():
    program, golden, count, seed = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    families = sys.argv[5:] or ["nllb", "t5", "mbart50", "marian", "m2m100", "t5v11", "mbart25", "mt5"]
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    root = tempfile.mkdtemp(prefix="dragoman-adapters-")
    counts = {"sentences": 0, "hypotheses": 0, "ended": 0, "close": 0}
    good = 0
    for n in range(seed, seed + count):
        family, dtype = families[n % len(families)], TYPES[n // len(families) % 3]
        kind = KINDS[n % len(KINDS)]
        done = one_model(program, root, golden, family, dtype, kind, n, counts)
        print(f"{n} {family} {dtype} {kind}: {'equal' if done else 'DIFFERENT'}", flush=True)
        good += done
    print(f"{good} of {count} models agree; {counts}")
    sys.exit(good < count)


if __name__ == "__main__":
    main()
