#!/usr/bin/env python3
"""References for tests/golden/test_tokenizer_json_golden.c.

Made with transformers 4.57.1, tokenizers 0.22.2 and sentencepiece 0.2.3 (pip):

    scripts/reference/make_tokenizer_json_goldens.py

Trains small SentencePiece models, converts each as transformers does when it
saves a "fast" tokenizer, and writes to tests/golden/tokenizer_json/NAME/

    spm.model        the SentencePiece model
    tokenizer.json   the converted tokenizer
    old.json         the same in the format of older conversions (some folders)
    encode.jsonl     {"text", "pieces", "ids"}: SentencePiece's own pieces, and
                     their ids in the slow tokenizer
    tokenizer_config.json, config.json
                     the other files of a model folder (translation models)

    t5        unigram, a character map, user-defined symbols, <extra_id_*>
    mt5       unigram with byte pieces, which the conversion drops
    mbart25, mbart50
              unigram, language codes after the pieces
    nllb      BPE, language codes as added tokens
    barthez   BPE, the ids of SentencePiece with <s> in front
    llama     BPE with bytes, spaces kept; old.json has the newer stages
    spaces    unigram with pieces of several spaces
    native    unigram, Nmt and NFKC, trained by tokenizers: there is no spm.model,
              and {"text", "ids"} are from tokenizers, for lines without unusual
              spaces

Special tokens in the text are ordinary text here, as everywhere in dragoman: a
piece that equals one has the id of the unknown token.
"""

import json
import random
import shutil
import tempfile
from pathlib import Path

import sentencepiece
import tokenizers
import transformers
from sentencepiece import sentencepiece_model_pb2

import golden_store
from make_tokenizer_goldens import SEED, WORDS, nasty_lines, write_jsonl

FOLDERS = Path(__file__).resolve().parents[2] / "tests" / "golden" / "tokenizer_json"
LINES = 100
RULES = "41 42\t61 62\n41 42 43\t78\nFF21\t41\n301\t\n2026\t2E 2E 2E\n3000\t20\n9\t20\nA0\t20\n"
MODEL_TYPES = {"t5": "t5", "mt5": "mt5", "mbart25": "mbart", "mbart50": "mbart", "nllb": "m2m_100", "barthez": "mbart"}
LLAMA = {"model_type": "bpe", "byte_fallback": True, "remove_extra_whitespaces": False, "split_digits": True}

# name: options of the trainer, transformers' slow and fast class, the name of
# the model's file in such a folder, options of the tokenizer
JOBS = {
    "t5": ({"model_type": "unigram", "rules": True, "user_defined_symbols": ["<2de>", "<2fr>", "@@", "@@@"],
            "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
           "T5Tokenizer", "spiece.model", {"extra_ids": 10, "legacy": True}),
    "mt5": ({"model_type": "unigram", "byte_fallback": True, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
            "T5Tokenizer", "spiece.model", {"extra_ids": 0, "legacy": False}),
    "mbart25": ({"model_type": "unigram", "rules": True}, "MBartTokenizer", "sentencepiece.bpe.model",
                {"src_lang": "en_XX", "tgt_lang": "de_DE"}),
    "mbart50": ({"model_type": "unigram", "rules": True}, "MBart50Tokenizer", "sentencepiece.bpe.model",
                {"src_lang": "en_XX", "tgt_lang": "de_DE"}),
    "nllb": ({"model_type": "bpe", "rules": True}, "NllbTokenizer", "sentencepiece.bpe.model",
             {"src_lang": "eng_Latn", "tgt_lang": "deu_Latn"}),
    "barthez": ({"model_type": "bpe", "pad_id": 1, "eos_id": 2, "unk_id": 3, "bos_id": 0}, "BarthezTokenizer",
                "sentencepiece.bpe.model", {}),
    "llama": (LLAMA, "LlamaTokenizer", "tokenizer.model", {"legacy": True}),
    "spaces": ({"model_type": "unigram", "remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True,
                "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
               "T5Tokenizer", "spiece.model", {"extra_ids": 0, "legacy": True}),
}


def corpus(spaces):
    rng = random.Random(SEED)
    for _ in range(3000):
        words = rng.choices(WORDS["en"] + WORDS["de"], k=rng.randint(3, 12))
        line = words[0]
        for word in words[1:]:
            line += (" " * rng.choice([1, 1, 1, 2, 4]) if spaces else " ") + word
        yield line + rng.choice(".?!") + "\n"


def train(path, options):
    options = dict(options)
    with tempfile.TemporaryDirectory() as tmp:
        text, rules = Path(tmp) / "corpus.txt", Path(tmp) / "rules.tsv"
        text.write_text("".join(corpus("allow_whitespace_only_pieces" in options)))
        rules.write_text(RULES)
        if options.pop("rules", False):
            options["normalization_rule_tsv"] = str(rules)
        else:
            options["normalization_rule_name"] = "identity"
        size = 560 if options.get("byte_fallback") else 300
        sentencepiece.SentencePieceTrainer.train(
            input=str(text), model_prefix=f"{tmp}/m", num_threads=1, hard_vocab_limit=False, minloglevel=2,
            vocab_size=size, character_coverage=1.0, **options)
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(Path(f"{tmp}/m.model").read_bytes())
        model.trainer_spec.ClearField("input")  # names of temporary files
        model.trainer_spec.ClearField("model_prefix")
        model.normalizer_spec.ClearField("normalization_rule_tsv")
        path.write_bytes(model.SerializeToString())


def write_json(path, tree):
    path.write_text(json.dumps(tree, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def convert(model, job):
    """Returns the slow tokenizer, and the parsed tokenizer.json and
    tokenizer_config.json that its conversion writes."""
    _, name, file, options = job
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copy(model, Path(tmp) / file)
        (Path(tmp) / "config.json").write_text("{}")
        slow = getattr(transformers, name)(vocab_file=f"{tmp}/{file}", **options)
        slow.save_pretrained(f"{tmp}/slow")
        fast = getattr(transformers, name + "Fast").from_pretrained(f"{tmp}/slow", from_slow=True)
        fast.save_pretrained(f"{tmp}/fast")
        return slow, *(json.loads((Path(tmp) / "fast" / name).read_text(encoding="utf-8"))
                       for name in ("tokenizer.json", "tokenizer_config.json"))


def old_stages(tree):
    """Returns the tree in the format of tokenizers before 0.9: only the map, words, no model names."""
    tree = json.loads(json.dumps(tree))
    tree["normalizer"] = tree["normalizer"]["normalizers"][0]
    tree["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"},
        {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": True}]}
    tree["decoder"] = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
    del tree["model"]["type"]
    return tree


def old_merges(tree):
    """Returns the tree with the merges in the format of transformers before 4.38: "a b", without merges of score 0."""
    tree = json.loads(json.dumps(tree))
    merges = tree["model"]["merges"]
    first = "".join(merges[0])
    tree["model"]["merges"] = [" ".join(pair) for pair in merges if "".join(pair) != first]
    return tree


def rows(model, slow, lines):
    sp = sentencepiece.SentencePieceProcessor(model_file=str(model))
    special = set(slow.all_special_tokens)
    for line in lines:
        pieces = sp.encode(line, out_type=str)
        yield {"text": line, "pieces": pieces,
               "ids": [slow.unk_token_id if p in special else slow.convert_tokens_to_ids(p) for p in pieces]}


def make_native(lines):
    folder = FOLDERS / "native"
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizers.SentencePieceUnigramTokenizer()
    # Training twice on the same texts gives the same pieces, but slightly different scores.
    tokenizer.train_from_iterator(corpus(False), vocab_size=300, show_progress=False, unk_token="<unk>",
                                  special_tokens=["<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", tokenizer.token_to_id("</s>"))])
    write_json(folder / "tokenizer.json", json.loads(tokenizer.to_str()))
    good = [line for line in lines
            if (norm := tokenizer.normalizer.normalize_str(line)) == " ".join(norm.split(" ")).strip(" ")
            and not any(s in line for s in ("</s>", "<pad>", "<unk>"))]
    write_jsonl(folder / "encode.jsonl",
                ({"text": line, "ids": tokenizer.encode(line, add_special_tokens=False).ids} for line in good))


def main():
    assert transformers.__version__ == "4.57.1", transformers.__version__
    golden_store.unfold(FOLDERS)
    lines = nasty_lines(600, False)
    lines = [line for line in lines if "\0" not in line][:70] + random.Random(SEED).sample(lines[70:], LINES - 70)
    for name, job in JOBS.items():
        folder = FOLDERS / name
        folder.mkdir(parents=True, exist_ok=True)
        train(folder / "spm.model", job[0])
        slow, tree, config = convert(folder / "spm.model", job)
        write_json(folder / "tokenizer.json", tree)
        if name in MODEL_TYPES:
            write_json(folder / "tokenizer_config.json", config)
            write_json(folder / "config.json", {"model_type": MODEL_TYPES[name], "vocab_size": len(slow)})
        if name == "t5":
            write_json(folder / "old.json", old_stages(tree))
        if name in ("nllb", "barthez"):
            write_json(folder / "old.json", old_merges(tree))
        if name == "llama":
            job[3]["legacy"] = False
            write_json(folder / "old.json", convert(folder / "spm.model", job)[1])
        write_jsonl(folder / "encode.jsonl", rows(folder / "spm.model", slow, lines))
    make_native(nasty_lines(400, False))
    golden_store.fold(FOLDERS)


if __name__ == "__main__":
    main()
