#!/usr/bin/env python3
"""References for tests/golden/test_family_tokenizer_golden.c.

Made with transformers 4.57.1 and sentencepiece 0.2.3 (pip):

    scripts/reference/make_family_tokenizers.py [--train]

Writes small tokenizer folders of all families (FOLDERS) to
tests/golden/family_tokenizers/, and lines.jsonl with difficult texts. Each folder
tokenizes a different window of these lines. A folder has the files of a model
folder, and

    choice.json    model_type, the values of --from and --to, the line in
                   lines.jsonl where the folder's window begins, and the tokens
                   that transformers uses for the languages: decoder_start,
                   forced_bos
    encode.jsonl   {"ids"} of each line of the window, special tokens included
    decode.jsonl   {"ids", "text"}: decode(skip_special_tokens=True,
                   clean_up_tokenization_spaces=False), by the fast class where
                   the folder has a tokenizer.json, else by the slow one (of
                   BART: always by the fast one)

--train trains the models again.

As in make_tokenizer_goldens.py, special tokens in a text are ordinary text: the
slow class tokenizes it with split_special_tokens=True, and a piece that equals a
special token becomes the unknown token.
"""

import argparse
import json
import random
import tempfile
from pathlib import Path

import sentencepiece
import transformers
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, ByteLevelBPETokenizer
from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as M2M_CODES
from transformers.tokenization_utils import Trie

import golden_store
from make_tokenizer_goldens import SEED, WORDS, nasty_lines, write_json

ROOT = Path(__file__).resolve().parents[2] / "tests" / "golden" / "family_tokenizers"
WINDOW = 300
DECODES = 100

T5_IDS = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
TASKS = {f"translation_en_to_{code}": {"prefix": f"translate English to {name}: ", "max_length": 300}
         for code, name in (("de", "German"), ("fr", "French"), ("ro", "Romanian"))}
NLLB_CODES = ["deu_Latn", "eng_Latn", "tyv_Cyrl", "zho_Hans", "zho_Hant"]


class Small100Tokenizer(transformers.M2M100Tokenizer):
    """The tokenizer of SMaLL-100: the target language is in front of the source."""

    def set_src_lang_special_tokens(self, src_lang):
        self.prefix_tokens = [self.get_lang_id(self.tgt_lang)] if getattr(self, "tgt_lang", None) else []
        self.suffix_tokens = [self.eos_token_id]


def train(path, **options):
    """Inserts the `normal` pieces after the first three."""
    rng = random.Random(SEED)
    normal = options.pop("normal", [])
    words = WORDS["en"] + WORDS["de"] + ["translate", "English", "to", "German", "French:", "é😀", "漢字"]
    with tempfile.TemporaryDirectory() as tmp:
        corpus = Path(tmp) / "corpus.txt"
        corpus.write_text("".join(" ".join(rng.choices(words, k=rng.randint(3, 12))) + ".\n" for _ in range(3000)))
        options = {"normalization_rule_name": "identity", "character_coverage": 1.0, "hard_vocab_limit": False, **options}
        sentencepiece.SentencePieceTrainer.train(input=str(corpus), model_prefix=f"{tmp}/model", num_threads=1,
                                                 minloglevel=2, **options)
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(Path(f"{tmp}/model.model").read_bytes())
    for i, piece in enumerate(normal):
        model.pieces.insert(3 + i, sentencepiece_model_pb2.ModelProto.SentencePiece(piece=piece, score=0.0, type=1))
    model.trainer_spec.ClearField("input")
    model.trainer_spec.ClearField("model_prefix")
    path.write_bytes(model.SerializeToString())


def train_bytes(folder, size):
    """Writes vocab.json and merges.txt of byte-level BPE."""
    tokenizer = ByteLevelBPETokenizer()
    words = WORDS["en"] + WORDS["de"] + ["12", "é", "漢"]
    rng = random.Random(SEED)
    corpus = [" ".join(rng.choices(words, k=9)) + "." for _ in range(1000)]
    tokenizer.train_from_iterator(corpus, size, 2, False, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.save_model(str(folder))
    path = folder / "vocab.json"
    path.write_text(json.dumps(json.loads(path.read_text()), ensure_ascii=False, separators=(",", ":")) + "\n")


def write_vocab(folder):
    """Writes a vocab.json in another order than SentencePiece's ids, with one more piece and one missing."""
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    pieces = [model.id_to_piece(i) for i in range(4, model.get_piece_size())]
    random.Random(SEED).shuffle(pieces)
    names = ["<s>", "<pad>", "</s>", "<unk>", *pieces, "▁unheard"]
    (folder / "vocab.json").write_text(json.dumps({p: i for i, p in enumerate(names)}, indent=1) + "\n")


def row(class_name, model_type, spm, config=None, **more):
    return {"class": class_name, "model_type": model_type, "spm": spm, "config": config or {}, "model": None, "from": None,
            "to": None, "files": {}, "words": "", "added": [], "start": 0, "source": None, "target": None, "saved": None, **more}


def unigram(size, **options):
    return {"model_type": "unigram", "vocab_size": size, **options}


def bpe(size, **options):
    return {"model_type": "bpe", "vocab_size": size, **options}


def special(codes):
    return {"additional_special_tokens": [f"__{code}__" for code in codes]}


FOLDERS = {
    # from and to: the user's names; source and target: the names in transformers
    "m2m100": row("M2M100Tokenizer", "m2m_100", unigram(220), {"language_codes": "m2m100", **special(M2M_CODES["m2m100"])},
                  **{"from": "deu_Latn", "to": "__zh__"}, source="de", target="zh"),
    "m2m100-languages-are-text": row("M2M100Tokenizer", "m2m_100", bpe(160), **{"from": "EN", "to": "nso"}, source="en",
                                     target="ns"),
    "wmt21": row("M2M100Tokenizer", "m2m_100", bpe(200), {"language_codes": "wmt21", **special(M2M_CODES["wmt21"])},
                 **{"to": "cze"}, saved="is", target="cs"),
    "small100": row("M2M100Tokenizer", "m2m_100", unigram(180), {"name_or_path": "alirezamsh/small100", **special(
        M2M_CODES["m2m100"])}, **{"from": "de", "to": "sw_KE"}, target="sw"),
    "nllb": row("NllbTokenizer", "m2m_100", bpe(220), {"additional_special_tokens": NLLB_CODES},
                **{"from": "tyv_Cyrl", "to": "zh-CN"}, source="tyv_Cyrl", target="zho_Hans"),
    "nllb-legacy": row("NllbTokenizer", "m2m_100", unigram(200), {"legacy_behaviour": True},
                       **{"from": "fa", "to": "als_Latn"}, source="pes_Arab", target="als_Latn"),
    "nllb-saved": row("NllbTokenizerFast", "m2m_100", bpe(180), {"additional_special_tokens": NLLB_CODES},
                      **{"to": "de"}, saved="eng_Latn", target="deu_Latn"),
    "mbart25": row("MBartTokenizer", "mbart", unigram(240), **{"from": "cs", "to": "zho_Hans"}, source="cs_CZ",
                   target="zh_CN"),
    "mbart25-by-size": row("MBartTokenizer", "mbart", bpe(150), **{"from": "ita", "to": "ro-RO"}, source="it_IT",
                           target="ro_RO", model={"extra": 27}),
    "mbart50": row("MBart50Tokenizer", "mbart", bpe(200), **{"from": "glg_Latn", "to": "sl"}, source="gl_ES", target="sl_SI"),
    "mbart50-by-size": row("MBart50Tokenizer", "mbart", unigram(160), **{"from": "he", "to": "por_Latn"}, source="he_IL",
                           target="pt_XX", model={"extra": 54}),
    "barthez": row("BarthezTokenizer", "bart", unigram(200, control_symbols=["<pad>", "<mask>"])),
    "roberta": row("XLMRobertaTokenizer", "mbart", bpe(200)),
    "t5": row("T5Tokenizer", "t5", unigram(240, **T5_IDS), {"extra_ids": 20}, **{"from": "en", "to": "GERMAN"},
              model={"task_specific_params": TASKS}, words="translate English to German: "),
    "t5-plain": row("T5Tokenizer", "t5", unigram(220, **T5_IDS, normalization_rule_name="nmt_nfkc"), {"legacy": True}),
    "mt5": row("T5Tokenizer", "mt5", unigram(300, byte_fallback=True, **T5_IDS), {"extra_ids": 0}),
    "umt5-saved": row("T5TokenizerFast", "umt5", unigram(200, **T5_IDS), {"extra_ids": 7}),
    "madlad": row("T5Tokenizer", "t5", unigram(
        420, byte_fallback=True, remove_extra_whitespaces=False,
        normal=["\n", "<2ace>", "<2de>", "<2fr>", "<2zh>", "<2zh_Latn>"]),
        {"extra_ids": 0, "pad_token": "<s>", "bos_token": "<s>", "additional_special_tokens": []},
        **{"to": "<2zh_Latn>"}, words="<2zh_Latn> "),
    "mbart50-added": row("MBart50Tokenizer", "mbart", unigram(170), **{"from": "en", "to": "de"}, source="en_XX", target="de_DE",
                         added=[AddedToken("the", lstrip=True, rstrip=True), AddedToken("is", single_word=True), "bridge",
                                "é", "{", "house of"], start=700),
    "madlad-special": row("T5Tokenizer", "t5", unigram(160), {"extra_ids": 0, "additional_special_tokens": ["<2de>", "<2fr>"]},
                          **{"to": "fr"}, words="<2fr> "),
    "byt5": row("ByT5Tokenizer", "t5", None, {"extra_ids": 8}, **{"from": "en", "to": "de"},
                     model={"task_specific_params": TASKS}, words="translate English to German: "),
    "bart": row("BartTokenizer", "bart", {"vocab_size": 330}, start=300),
}


def write_folder(folder, r, retrain):
    """Writes the files of a model folder, with the fast class if there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    name = "spiece.model" if r["class"].startswith("T5") else "sentencepiece.bpe.model"
    if r["class"] == "BartTokenizer":
        name = "merges.txt"
        if retrain or not (folder / name).exists():
            train_bytes(folder, r["spm"]["vocab_size"])
    elif r["spm"] and (retrain or not (folder / name).exists()):
        train(folder / name, **dict(r["spm"]))
    if r["class"] == "M2M100Tokenizer":
        write_vocab(folder)
    config = {"tokenizer_class": r["class"], **r["config"]}
    if r["saved"]:
        config["src_lang"] = r["saved"]
    if r["model"] and "extra" in r["model"]:  # no tokenizer_config.json: the size of the vocabulary identifies it
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / name)).get_piece_size()
        write_json(folder / "config.json", {"model_type": r["model_type"], "vocab_size": pieces + r["model"]["extra"]})
        return
    write_json(folder / "tokenizer_config.json", config)
    if r["model"]:
        write_json(folder / "config.json", {"model_type": r["model_type"], **r["model"]})
    if r["class"].endswith("Fast") or r["added"]:
        tokenizer = getattr(transformers, r["class"]).from_pretrained(folder)
        tokenizer.add_tokens(r["added"])
        tokenizer.save_pretrained(folder)


def open_slow(folder, r):
    if r["class"] == "BartTokenizer":
        return transformers.BartTokenizerFast.from_pretrained(folder)
    cls = Small100Tokenizer if "name_or_path" in r["config"] else getattr(transformers, r["class"].removesuffix("Fast"))
    options = {k: v for k, v in (("src_lang", r["source"]), ("tgt_lang", r["target"])) if v}
    return cls.from_pretrained(folder, **options)


def encode(tokenizer, text):
    """Tokenizes text: added tokens are found in it, special tokens are not."""
    special_tokens = set(tokenizer.all_special_tokens)
    added = [token for token in tokenizer.added_tokens_encoder if token not in special_tokens]
    tokenizer.tokens_trie = Trie(added)
    pieces = tokenizer.tokenize(text, split_special_tokens=not added)
    ids = [tokenizer.unk_token_id if p in special_tokens else tokenizer.convert_tokens_to_ids(p) for p in pieces]
    return tokenizer.build_inputs_with_special_tokens(ids)


def language_ids(tokenizer, r):
    """Returns decoder_start and forced_bos for the target language."""
    if not r["target"] or "name_or_path" in r["config"]:
        return -1, -1
    code = tokenizer.get_lang_id(r["target"]) if r["class"].startswith("M2M") else tokenizer.convert_tokens_to_ids(r["target"])
    return (code, -1) if r["class"].startswith("MBartTokenizer") else (-1, code)


def decode_runs(tokenizer, encoded):
    rng = random.Random(SEED + 1)
    pieces = [i for i in range(len(tokenizer)) if tokenizer.convert_ids_to_tokens(i) not in (None, "<0x00>", "\0", "\u0100")]
    pieces += tokenizer.all_special_ids * 3
    rng.shuffle(pieces)
    while pieces:
        size = rng.choice([1, 2, 5, 20, 60])
        yield pieces[:size]
        pieces = pieces[size:]
    yield []
    yield from encoded[:DECODES]


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for r in rows:
            out.write(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n")


def write_reference(folder, r, start, lines):
    tokenizer = open_slow(folder, r)
    fast = transformers.AutoTokenizer.from_pretrained(folder) if (folder / "tokenizer.json").exists() else tokenizer
    decoder_start, forced_bos = language_ids(tokenizer, r)
    write_json(folder / "choice.json", {
        "model_type": r["model_type"], "from": r["from"], "to": r["to"], "first_line": start,
        "decoder_start": decoder_start, "forced_bos": forced_bos})
    word = r["words"].strip()
    if word in tokenizer.all_special_tokens:  # split_special_tokens=False would split the text at it
        encoded = [[tokenizer.convert_tokens_to_ids(word), *encode(tokenizer, line)] for line in lines]
    else:
        encoded = [encode(tokenizer, r["words"] + line) for line in lines]
    write_rows(folder / "encode.jsonl", ({"ids": ids} for ids in encoded))
    write_rows(folder / "decode.jsonl", (
        {"ids": run, "text": fast.decode(run, skip_special_tokens=True, clean_up_tokenization_spaces=False)}
        for run in decode_runs(tokenizer, encoded)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", action="store_true", help="train the small SentencePiece models again")
    args = parser.parse_args()
    assert transformers.__version__ == "4.57.1", transformers.__version__
    golden_store.unfold(ROOT)
    ROOT.mkdir(parents=True, exist_ok=True)
    lines = [line for line in nasty_lines(1500, False) if line.strip()]
    write_rows(ROOT / "lines.jsonl", ({"text": line} for line in lines))
    for i, (name, r) in enumerate(FOLDERS.items()):
        start = r["start"] or i * 67 % (len(lines) - WINDOW)
        write_folder(ROOT / name, r, args.train)
        write_reference(ROOT / name, r, start, lines[start:start + WINDOW])
        print(name, sum(f.stat().st_size for f in (ROOT / name).iterdir()))
    golden_store.fold(ROOT)


if __name__ == "__main__":
    main()
