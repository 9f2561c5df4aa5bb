#!/usr/bin/env python3
"""References for tests/golden/test_ranges_golden.c: the bytes that pieces stand for.

Made with sentencepiece 0.2.3 and tokenizers 0.22.2 (pip):

    scripts/reference/make_range_goldens.py

Reads models from tests/golden and writes to tests/golden/ranges/

    char.model    a SentencePiece model of single characters, which
                  libsentencepiece encodes
    encode.jsonl  {"text", "ranges": {MODEL: [begin, end, begin, end, ...]}}
    decode.jsonl  {"model", "pieces", "text", "ranges"}

Ranges are in bytes. Those of a SentencePiece model are begin and end of its
immutable proto; those of a tokenizer.json are its offset_mapping, converted
from characters. A text has no ranges for a tokenizer.json where tokenizers
differs from SentencePiece, which dragoman follows then (the head of
tokenizer/json/tokenizer_json.c lists the cases):

  - in the pieces, or in spaces at the ends (native)
  - in special tokens, which are ordinary text here
  - in white space at the ends that is not a space, which Strip removes
  - if the character map removes the first character, because tokenizers then
    shifts all ranges
"""

import json
import random
import tempfile
from pathlib import Path

import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2

import golden_store
from make_tokenizer_goldens import SEED, nasty_lines, write_jsonl

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
FOLDER = GOLDEN / "ranges"
LINES = 80
PROTOS = ["ranges/char.model", "tokenizers/opus-mt-fr-en/source.spm", "tokenizers/bytes/source.spm",
          "tokenizers/codes/source.spm", "tokenizer_json/nllb/spm.model", "tokenizer_json/llama/spm.model",
          "tokenizer_json/t5/spm.model", "tokenizer_json/spaces/spm.model"]
# tokenizer.json and the SentencePiece model that it was converted from
OFFSETS = {"tokenizer_json/native/tokenizer.json": None,
           "tokenizer_json/mbart50/tokenizer.json": "tokenizer_json/mbart50/spm.model",
           "tokenizer_json/nllb/tokenizer.json": "tokenizer_json/nllb/spm.model",
           "tokenizer_json/llama/tokenizer.json": "tokenizer_json/llama/spm.model",
           "tokenizer_json/t5/old.json": "tokenizer_json/t5/spm.model",
           "tokenizer_json/spaces/tokenizer.json": "tokenizer_json/spaces/spm.model"}
TEXTS = ["  leading,  inner   and trailing  ", "\u2581the sym\u2581bol \u2581 in a text", "cafe\u0301 e\u0302tre",
         "\uff21\uff22\uff23\u3000\uff44\uff45\uff46\uff01", "\ufb01ne \ufb02ow \u00bd \u2026", "日本語のテキスト。中文",
         "한국어 텍스트", "a\U0001f389b \U0001f44d\U0001f3fd ok", "x\u00a0y\u2003z", "zero\u200bwidth",
         "\u3392\u337f", "\tTabs\tand spaces \t", "\u00c5ngstr\u00f6m A\u030angstro\u0308m"]


def train_characters(path):
    with tempfile.TemporaryDirectory() as tmp:
        text = Path(tmp) / "corpus.txt"
        text.write_text("the quick brown fox jumps over the lazy dog\n" * 20)
        sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=f"{tmp}/m", model_type="char",
                                                 vocab_size=40, hard_vocab_limit=False, num_threads=1, minloglevel=2,
                                                 normalization_rule_name="identity")
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(Path(f"{tmp}/m.model").read_bytes())
        model.trainer_spec.ClearField("input")  # names of temporary files
        model.trainer_spec.ClearField("model_prefix")
        path.write_bytes(model.SerializeToString())


def open_model(name):
    return sentencepiece.SentencePieceProcessor(model_file=str(GOLDEN / name))


def flat(ranges):
    return [place for pair in ranges for place in pair]


def proto_ranges(model, line):
    return flat((p.begin, p.end) for p in model.encode(line, return_type="proto").pieces)


def same_pieces(tokens, pieces):
    return len(tokens) == len(pieces) and all(t in (p, "<unk>") for t, p in zip(tokens, pieces))


def offset_ranges(tokenizer, model, line):
    """Returns None where dragoman follows SentencePiece instead."""
    encoding = tokenizer.encode(line, add_special_tokens=False)
    normalizer = tokenizer.normalizer
    if any(token.content in line for token in tokenizer.get_added_tokens_decoder().values()):
        return None
    if line.strip() != line.strip(" ") or (normalizer and line and not normalizer.normalize_str(line[0])):
        return None
    if model and not same_pieces(encoding.tokens, model.encode(line, out_type=str)):
        return None
    if not model and normalizer.normalize_str(line) != normalizer.normalize_str(line).strip(" "):
        return None
    places = [0]
    for character in line:
        places.append(places[-1] + len(character.encode()))
    return flat((places[begin], places[end]) for begin, end in encoding.offsets)


def encode_rows(lines):
    protos = {name: open_model(name) for name in PROTOS}
    offsets = {name: (tokenizers.Tokenizer.from_file(str(GOLDEN / name)), model and open_model(model))
               for name, model in OFFSETS.items()}
    for line in lines:
        ranges = {name: proto_ranges(model, line) for name, model in protos.items()}
        ranges |= {name: offset_ranges(*pair, line) for name, pair in offsets.items()}
        yield {"text": line, "ranges": {name: r for name, r in ranges.items() if r is not None}}


def decode_rows(lines):
    """Every third piece is left out, so that characters lose some of their bytes."""
    for name in PROTOS:
        model = open_model(name)
        for line in lines:
            pieces = model.encode(line, out_type=str)
            pieces = [piece for i, piece in enumerate(pieces) if i % 3 != 1]
            proto = model.decode(pieces, return_type="proto")
            yield {"model": name, "pieces": pieces, "text": proto.text,
                   "ranges": flat((p.begin, p.end) for p in proto.pieces)}


def main():
    golden_store.unfold(GOLDEN)
    FOLDER.mkdir(exist_ok=True)
    train_characters(FOLDER / "char.model")
    lines = [line for line in nasty_lines(600, False) if "\0" not in line]
    lines = TEXTS + lines[1:60] + random.Random(SEED).sample(lines[60:], LINES - len(TEXTS))
    write_jsonl(FOLDER / "encode.jsonl", encode_rows(lines))
    write_jsonl(FOLDER / "decode.jsonl", decode_rows(lines[::3]))
    golden_store.fold(GOLDEN)


if __name__ == "__main__":
    main()
