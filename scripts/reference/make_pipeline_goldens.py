#!/usr/bin/env python3
"""Golden references of pipeline("translation", ...): tests/golden/pipeline/transformers.jsonl.

    make build/golden/.stamp
    scripts/reference/make_pipeline_goldens.py build/golden tests/golden/pipeline

The models are those of other golden folders. Packages: scripts/reference/requirements.txt. Each line is one call:

    {"folder": "families/t5-relu", "task": "translation_en_to_de", "pipeline": {arguments}, "input": "text" or ["text"],
     "call": {arguments}, "answer": what the call returns, tensors as lists of numbers}

or, for a call that transformers refuses, "refused": true instead of "answer". With "lazy", the input was a generator, and
the answer is the list of what it gave. The models compute in f32, as dragoman does, and have the slow tokenizers.
"""

import json
import os
import sys
import warnings

import golden_store

LANGUAGES = {
    "families/m2m100-relu": {"src_lang": "en", "tgt_lang": "de"},
    "families/nllb-relu-all-languages": {"src_lang": "eng_Latn", "tgt_lang": "deu_Latn"},
    "families/mbart50-gelu": {"src_lang": "en_XX", "tgt_lang": "de_DE"},
}
MODELS = ["marian/swish-opus", "families/t5-relu", "families/t5-bf16-default-length", "families/madlad-decoder-name",
          *LANGUAGES]  # fmt: skip
TEXTS = ["tea", "the old bridge", "the moon is over the house", "tea\nthe bridge", "  two  spaces, it 's ."]
T5_TEXT = "translate English to French: the old bridge"

# arguments of pipeline(), arguments of the call, texts
CALLS = [
    ({}, {}, TEXTS),
    ({}, {}, TEXTS[1]),
    ({}, {}, []),
    ({"batch_size": 2}, {"num_beams": 1, "max_new_tokens": 12}, TEXTS[:3]),
    ({}, {"num_beams": 3, "num_return_sequences": 2, "max_length": 15, "length_penalty": 0.5}, TEXTS[:3]),
    ({"num_return_sequences": 2}, {}, TEXTS[2]),
    ({}, {"num_beams": 5, "early_stopping": True, "no_repeat_ngram_size": 2, "repetition_penalty": 1.2}, TEXTS[:2]),
    ({"early_stopping": "never"}, {"max_new_tokens": 20}, TEXTS[:2]),
    ({}, {"min_length": 6, "max_length": 9, "return_tensors": True, "num_return_sequences": 2}, TEXTS[:2]),
    ({"return_tensors": True}, {}, TEXTS[0]),
    ({"num_beams": 1}, {"min_new_tokens": 6, "max_new_tokens": 9}, TEXTS),
    ({"max_length": 11}, {"clean_up_tokenization_spaces": True}, TEXTS),
    ({"max_length": 11}, {"max_new_tokens": None, "temperature": 0.5, "top_k": 3}, TEXTS[1]),
    ({"max_new_tokens": 5, "return_text": False}, {"return_tensors": False}, TEXTS[1]),
    ({}, {"num_beams": 2, "num_return_sequences": 3}, TEXTS[0]),
]  # fmt: skip
OTHERS = [  # folder, task, arguments of pipeline(), arguments of the call, texts
    ("families/t5-relu", "translation_en_to_fr", {}, {}, TEXTS[:3]),
    ("families/t5-relu", "translation_en_to_ro", {}, {}, TEXTS[0]),
    ("families/t5-relu", "text2text-generation", {}, {"num_return_sequences": 2}, [T5_TEXT]),
    ("families/t5-relu", "text2text-generation", {}, {}, T5_TEXT),
    ("families/t5-relu", "text2text-generation", {"src_lang": "en"}, {}, T5_TEXT),
    ("families/t5-relu", "translation_xx_to_yy", {}, {}, T5_TEXT),
    ("families/t5-relu", "translation_en-de", {}, {}, TEXTS[0]),
    ("families/t5-relu", "summary", {}, {}, TEXTS[0]),
    ("families/m2m100-relu", "translation", {}, {}, TEXTS[0]),
    ("families/m2m100-relu", "translation", {}, {"tgt_lang": "de"}, TEXTS[0]),
    ("families/m2m100-relu", "translation", {}, {"src_lang": "en", "tgt_lang": "fr"}, TEXTS[:2]),
    ("families/m2m100-relu", "translation_en_to_fr", {}, {}, TEXTS[:2]),
    ("marian/swish-opus", "translation_en_to_de", {}, {"truncation": True}, TEXTS[:2]),
    ("marian/swish-opus", "translation", {}, {"truncation": True, "max_new_tokens": 8}, "the old bridge " * 30),
    ("marian/swish-opus", "translation", {}, {"unknown_argument": 1}, TEXTS[0]),
    ("marian/swish-opus", "translation", {"src_lang": "xx", "tgt_lang": "yy"}, {}, TEXTS[:2]),
]


def plain(answer):
    if isinstance(answer, dict):
        return {name: plain(value) for name, value in answer.items()}
    return [plain(one) for one in answer] if isinstance(answer, list) else getattr(answer, "tolist", lambda: answer)()


def solve(root, folder, task, made, call, texts, lazy=False):
    import torch
    from transformers import pipeline

    line = {"folder": folder, "task": task, "pipeline": made, "input": texts, "call": call}
    try:
        found = pipeline(task, model=os.path.join(root, folder), use_fast=False, dtype=torch.float32, **made)
        answer = found((text for text in texts) if lazy else texts, **call)
        line["answer"] = plain(list(answer) if lazy else answer)
    except (ValueError, KeyError) as fault:
        print(f"{folder} {task} {made} {call}: {str(fault)[:100]}")
        line["refused"] = True
    if lazy:
        line["lazy"] = True
    return line


def make(root):
    for folder in MODELS:
        texts = lambda given: ["<2de> " + text for text in given] if isinstance(given, list) else "<2de> " + given
        for made, call, given in CALLS:
            given = texts(given) if "madlad" in folder else given
            yield solve(root, folder, "translation", {**made, **LANGUAGES.get(folder, {})}, call, given)
        given = texts(TEXTS) if "madlad" in folder else TEXTS
        yield solve(root, folder, "translation", LANGUAGES.get(folder, {}), {"max_new_tokens": 10}, given, lazy=True)
    for other in OTHERS:
        yield solve(root, *other)


def main():
    import torch
    import transformers

    root, out = sys.argv[1:]
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    os.makedirs(out, exist_ok=True)
    golden_store.unfold(out)
    with open(os.path.join(out, "transformers.jsonl"), "w", encoding="utf-8") as f:
        for line in make(root):
            f.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    golden_store.fold(out)


if __name__ == "__main__":
    main()
