#!/usr/bin/env python3
"""References for tests/golden/test_prompt_golden.c.

Made with transformers 4.57.1, tokenizers 0.22.2 and sentencepiece 0.2.3 (pip):

    scripts/reference/make_prompt_goldens.py [LINES [FILE]]

Trains small tokenizers with the steps of the published language models, and
writes to tests/golden/prompts/prompts.jsonl, or to FILE, for each of them a row
{"name", "type", "prompt", "controls", "tokenizer"} and LINES rows {"text", "ids",
"count"}: the ids of tokenizer(prompt with the text, add_special_tokens=False). In
a text that spells a control token, dragoman finds only text; "count" is then the
number of control tokens of the prompt, without ids.

    qwen       byte-level BPE, NFC, one digit at a time, added tokens that are not special
    llama3     byte-level BPE, three digits at a time, ignore_merges
    hunyuan    byte-level BPE with three expressions
    llama      BPE with bytes, a space before each text between tokens
    llama_new  the same with a Metaspace: a space before the first text only
    gemma      BPE with bytes, no space, symbols of the vocabulary in the text
"""

import json
import random
import re
import sys
import tempfile
from pathlib import Path

import sentencepiece
import tokenizers
import transformers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers.convert_slow_tokenizer import convert_slow_tokenizer

import golden_store
from make_tokenizer_goldens import NASTY, SEED, SENTENCES, WORDS, nasty_lines, write_jsonl

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "golden" / "prompts"
LINES = 18
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
        r"\s+(?!\S)|\s+")
HUNYUAN = [r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
           r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"""
           r""" ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""]
CHATML = "<|im_start|>user\nTranslate from English to German.\nEnglish: {source}\nGerman:<|im_end|>\n<|im_start|>assistant\n"
PROMPTS = {
    "qwen": ("qwen3", "<|im_start|>system\nYou translate.<|im_end|>\n" + CHATML.replace("\nGerman:", " ")),
    "llama3": ("llama", "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nInto German: {source}\nGerman:"
                        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"),
    "hunyuan": ("hunyuan_v1_dense", "<｜hy_begin▁of▁sentence｜><｜hy_User｜>Translate into German:\n\n{source}"
                                    "<｜hy_Assistant｜>"),
    "llama": ("llama", "<s>" + CHATML),
    "llama_new": ("mistral", "<s>" + CHATML),
    "gemma": ("gemma2", "<s><start_of_turn>user\nInto   German:\n\n\n{source}<end_of_turn>\n<start_of_turn>model\n"),
}
SYMBOLS = ["<start_of_turn>", "<end_of_turn>", "<table>", "</b>", "▁▁", "▁▁▁", "[multimodal]"]
ODD = ["<|im_end|>", "<think>", "<table>", "</b>", "<start_of_turn>", "[multimodal]", "<s>", "<0x41>", "▁", "▁▁", "  ",
       "   ", "{source}", "<|", "<｜hy_User｜>", "12345", "I'LL", "e\u0301"]


def corpus():
    rng = random.Random(SEED)
    words = [w for language in WORDS.values() for w in language]
    return SENTENCES + [" ".join(rng.choices(words, k=rng.randrange(3, 9))) for _ in range(1500)]


def byte_level(expressions, specials, plain=(), normalizer=None, ignore=False):
    tokenizer = tokenizers.Tokenizer(models.BPE(ignore_merges=ignore))
    if normalizer:
        tokenizer.normalizer = normalizer
    splits = [pre_tokenizers.Split(Regex(e), "isolated") for e in expressions]
    last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits + [last])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(corpus(), trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet,
                                                                show_progress=False))
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in specials])
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in plain])
    return tokenizer.to_str()


def sentencepiece_bpe(folder, slow_class, specials, **options):
    prefix = str(Path(folder) / "m")
    Path(folder, "text").write_text("\n".join(corpus()), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=f"{folder}/text", model_prefix=prefix, model_type="bpe", vocab_size=400, byte_fallback=True,
        remove_extra_whitespaces=False, split_digits=True, normalization_rule_name="identity", minloglevel=2,
        character_coverage=0.99, num_threads=1, **options)
    fast = convert_slow_tokenizer(slow_class(prefix + ".model"))
    fast.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in specials])
    return fast.to_str()


def make_tokenizers():
    chatml = ["<|im_start|>", "<|im_end|>"]
    yield "qwen", byte_level([QWEN], chatml, ["<think>"], normalizers.NFC())
    yield "llama3", byte_level([QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")],
                               ["<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"], ignore=True)
    yield "hunyuan", byte_level(HUNYUAN, ["<｜hy_begin▁of▁sentence｜>", "<｜hy_User｜>", "<｜hy_Assistant｜>"])
    with tempfile.TemporaryDirectory() as folder:
        llama = sentencepiece_bpe(folder, transformers.LlamaTokenizer, chatml)
        yield "llama", llama
        new = json.loads(llama)
        new["normalizer"] = None
        new["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
        yield "llama_new", json.dumps(new)
        yield "gemma", sentencepiece_bpe(folder, transformers.GemmaTokenizer, SYMBOLS[:2], add_dummy_prefix=False,
                                         pad_id=0, eos_id=1, bos_id=2, unk_id=3, user_defined_symbols=SYMBOLS)


def texts(count):
    rng = random.Random(SEED)
    yield from [t for t in nasty_lines(count, False) if t.strip()][:count // 5]
    words = [w for line in SENTENCES for w in line.split()] + list(NASTY.values())
    while True:
        parts = [rng.choice(ODD if rng.random() < .5 else words) for _ in range(rng.randrange(1, 8))]
        yield re.sub(r"[\n\r\v\f\0]", " ", rng.choice(["", " ", "  "]).join(parts))


def rows(count):
    for name, text in make_tokenizers():
        content = json.loads(text)
        model_type, prompt = PROMPTS[name]
        fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer.from_str(text))
        vocab = content["model"]["vocab"]
        controls = {t["content"]: t["id"] for t in content["added_tokens"]
                    if t["special"] or t["content"] not in vocab or t["content"] in prompt}
        ids = fast(prompt.replace("{source}", "x"), add_special_tokens=False).input_ids
        yield {"name": name, "type": model_type, "prompt": prompt, "controls": sorted(controls.values()),
               "tokenizer": content}
        for _, line in zip(range(count), texts(count)):
            if any(token in line for token in controls):
                yield {"text": line, "count": sum(i in controls.values() for i in ids)}
            else:
                yield {"text": line,
                       "ids": fast(prompt.replace("{source}", line), add_special_tokens=False).input_ids}


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows(count))
        return
    golden_store.unfold(FOLDER)
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_jsonl(FOLDER / "prompts.jsonl", rows(count))
    golden_store.fold(FOLDER)


if __name__ == "__main__":
    main()
