#!/usr/bin/env python3
"""References for tests/golden/test_tokenizer_golden.c.

Made with transformers 4.57.1 and sentencepiece 0.2.3 (pip):

    scripts/reference/make_tokenizer_goldens.py

Reads the tokenizer folders in tests/golden/tokenizers/ and writes to each

    encode.jsonl   {"text", "pieces", "ids"}  source side; ids with the end token
    target.jsonl   {"text", "ids"}            target side, without special tokens
    decode.jsonl   {"ids", "text"}            decode(skip_special_tokens=True,
                                              clean_up_tokenization_spaces=False)

and to added/

    reference.json {"rows": [{"text", "ids", "target", "decoded"}]}
                   ids of both sides, and the decoded target

opus-mt-fr-en is a published tokenizer (see its ORIGIN.txt). The others are
small; --train trains their SentencePiece models again:
  bytes   byte fallback, separate vocabularies, a BPE target
  codes   >>xxx<< codes, a tiny alphabet, white space kept, user-defined symbols
  added   the models and vocabularies of bytes, with tokens of add_tokens(); their
          ids follow those of vocab.json, so that some are also ids of
          target_vocab.json

If two segmentations of a text ("!!!!!") have equal scores, sentencepiece 0.2.2
and newer choose the first one; older versions may differ.

Two differences from transformers are intended:
  - Special tokens in the text are ordinary text. The text is therefore tokenized
    with split_special_tokens=True, and a piece that equals a special token
    becomes the unknown token.
  - A leading >>xxx<< is ordinary text if the vocabulary has no such code.
"""

import argparse
import json
import random
import shutil
import tempfile
from pathlib import Path

import sentencepiece
import transformers
from transformers.tokenization_utils import Trie

import golden_store

FOLDERS = Path(__file__).resolve().parents[2] / "tests" / "golden" / "tokenizers"
SEED = 20251121

WORDS = {
    "en": """the a of and to in is that it was for on are with his they at be this have from or one had by word but
    not what all were we when your can said there use an each which she do how their if will up other about out many
    then them these so some her would make like him into time has look two more write go see number no way could
    people my than first water been call who oil its now find long down day did get come made may part house river
    school train station mountain morning evening winter summer question answer friend letter""".split(),
    "de": """der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er
    hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis
    mehr durch man sein wurde sei zwei jahre wasser haus fluss schule bahnhof berg morgen abend winter sommer frage
    antwort freund brief straße größe übung ärger öffnung können müssen weiß schön zurück gegenüber""".split(),
}

SENTENCES = [
    "Où se trouve la gare, s'il vous plaît ?",
    "J'ai deux frères et une sœur ; ils habitent à Montréal.",
    "L'élève a répondu : « Je ne sais pas. »",
    "Prix : 1 234,56 € (TTC) — soit 20 % de moins qu'en 2019 !",
    "The quick brown fox jumps over the lazy dog.",
    "Der Bahnhof ist gegenüber der großen Schule, nicht wahr?",
    "C'est-à-dire... qu'est-ce que c'est que ça?!",
    "http://www.example.org/a_b/c?d=é&e=1#f et moi@example.org",
    "Réf. n° 12/34-B, §5, 3×4=12, ½ kg, 25°C, 10⁻³ m², H₂O, x²",
    "<b>gras</b> &amp; <a href=\"x\">lien</a> {0} %s ${var} `code`",
    "AUJOURD'HUI, IL FAIT BEAU À PARIS ET LES ÉLÈVES DANSENT",
    "anticonstitutionnellement désoxyribonucléique",
    "the house and the river are in the morning",
    "die schule und der bahnhof sind nicht schön",
]

NASTY = {
    "full-width": "Ｆｕｌｌ　ｗｉｄｔｈ　ＡＢＣ　１２３，．！？（）＠～￥￦",
    "half-width kana": "ﾊﾝｶｸ ｶﾞｷﾞｸﾞ ﾊﾟﾋﾟﾌﾟ ｡｢｣､･",
    "combining": "e\u0301 a\u0300 o\u0302 u\u0308 c\u0327 n\u0303 \u0301\u0302\u0303 Z\u0351\u036b\u0343 q\u0323\u0307",
    "precomposed": "éàôüçñ ệ ǘ Å Å K Ω",
    "zero-width": "a\u200bb c\u200cd e\u200df g\u2060h i\ufeffj k\u180el\u00adm",
    "emoji": "😀😃 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 🇫🇷🇩🇪 ❤️ ☎︎ 1️⃣ 🧑🏿‍🚀 ©️",
    "hebrew": "שָׁלוֹם עולם, מה שלומך?",
    "arabic": "مرحبا بالعالم، كَيْفَ حَالُكَ؟ ﷺ ﷽ ﻼ لا ١٢٣",
    "bidi": "\u202eabc\u202c \u2066def\u2069 \u200fghi\u200e \u061c",
    "ligatures": "ﬁn ﬂeur ﬃ ﬄ ﬅ ĳ ǆ œuvre Æsop ß ẞ ﷲ",
    "cjk": "你好，世界。今天天氣很好！「東京」タワーは高いですね。한국어도 됩니다",
    "cjk compatibility": "㍿ ㎏ ㎡ ㏂ ㌔ ㈱ ① ⑳ ⒜ Ⓐ Ⅷ ⅷ ℡ ℃ № ™ ℠",
    "thai": "สวัสดีชาวโลก น้ำ เป็นอย่างไรบ้าง กำ",
    "indic": "नमस्ते दुनिया क्षत्रिय தமிழ் বাংলা తెలుగు",
    "cyrillic": "Привет, мир! Ёжик й ў ї ґ",
    "greek": "Γειά σου Κόσμε ΰ ᾧ ς σ ϐ ϑ",
    "astral": "𝕳𝖊𝖑𝖑𝖔 𝟙𝟚𝟛 𐍈 𠀀𠮷 𝄞 🀄 𐌰𐌱",
    "private use": "\ue000\uf8ff\U000f0000\U0010fffd",
    "noncharacters": "\ufdd0\ufffe\uffff\U0001ffff\U0010ffff",
    "replacement": "a\ufffdb \ufffd\ufffd\ufffd c",
    "controls": "a\x01b\x02c\x07d\x08e\x0bf\x0cg\x0eh\x1bi\x1fj\x7fk\x80l\x85m\x9fn",
    "line ends": "a\rb\r\u2028c\u2029d\x1ce\x1df\x1eg",
    "tabs": "\ta\tb\t\tc \t d\t",
    "spaces": "  a  b   c    d     ",
    "other spaces": "a\u00a0b\u1680c\u2000d\u2003e\u2009f\u200ag\u202fh\u205fi\u3000j\u180ek",
    "quotes": "“a” ‘b’ «c» ‹d› „e‟ ‚f‛ \"g\" 'h' `i´ ′j″",
    "dashes": "a-b\u2010c\u2011d\u2012e–f—g―h−i\u00adj﹣k－l~m～n〜o",
    "dots": "a... b… c.. d‥ e· f• g‧ h⋯ i。j．",
    "underline": "▁a ▁▁b c▁d e▁ ▁ _f_",
    "specials": "</s> a <pad> b <unk> c <s> d </S> e < /s> <unk></s><pad>",
    "codes inside": "a >>fr<< b >>deu<< >> << <<>>",
    "markup": "<0x41> <0xE9> <0xFF> <0x0A> [MASK] <extra_id_0> <2de> __de__ @-@ @@",
    "digits": "0123456789 ٠١٢٣ ०१२३ 𝟎𝟏 ⁰¹²³ ₀₁₂ ½⅓¼ ㊿",
    "math": "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β ≠ ∑∏√∞≈≤≥±×÷",
    "hangul jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af ㅎㅏㄴ ﾾ ￡￢￣",
    "variation": "葛\U000e0100 ︎️\ufe0f\ufe0e a\ufe00",
    "tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f \U000e0041",
}

LEADING = [
    ">>fr<< Bonjour le monde", ">>fr<<Bonjour", ">>deu<< the house", ">>deu<<the house", ">>fra<<  the river ",
    ">>zho_Hans<< the school", ">>eng<<", ">>deu<<", ">>xx<< unknown code", ">>a b c<< text", ">><< empty",
    ">> no end", ">>no end<", "<<de>> wrong way", " >>deu<< after a space", ">>deu<<>>fra<< two", ">>deu<< >>fra<< two",
    ">>>deu<< three", ">>deu<<<", ">>DEU<< upper", "＞＞deu＜＜ full-width", ">>deu\u200b<< hidden",
    ">>quoted reply, and then << later", ">>1", "<<", ">>", "<", ">", "▁", "▁▁▁", " ", "  ", "\t", "\u3000", "\u200b", "\ufeff",
    "\u00a0", "\u0301", "\ufffd", "\x7f", "a", "é", "e\u0301", "😀", "</s>", "<unk>", "<pad>", "<s>", "§§", "a §§ b§§", "§", "@@ @@@ @@@@",
]


ADDED = ["foo", "[X1]", "the water", transformers.AddedToken("[S]", single_word=True),
         transformers.AddedToken("[L]", lstrip=True, rstrip=True), "é"]
ADDED_TEXTS = [
    "the house foo is", "foo", "foofoo the", " foo ", "[X1]", "a [X1]b", "the water is", "das wasser [S] und a[S]",
    "a [L] b[L]", "é und ée", "fo o", "foo é[X1]the water", "<brk> foo", "</s> foo <pad>", "Foo", "der fluss foo\u0301",
]


def random_char(rng):
    ranges = [(0x20, 0x7E), (0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x58F), (0x590, 0x6FF),
              (0x900, 0xE7F), (0x1E00, 0x20CF), (0x2100, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3),
              (0xE000, 0xF8FF), (0xF900, 0xFFEF), (0x1F300, 0x1FAFF), (0x10000, 0x1FFFF), (0x20000, 0x2FFFF),
              (0xE0000, 0xE01EF), (0x1, 0x9), (0xB, 0x1F), (0x7F, 0x9F)]
    return chr(rng.randint(*rng.choice(ranges)))


def random_line(rng):
    kind = rng.randrange(7)
    if kind == 0:
        return "".join(random_char(rng) for _ in range(rng.randint(1, 60)))
    if kind == 6:  # repeated characters, for which several segmentations have equal scores
        return rng.choice(["", " "]).join(random_char(rng) * rng.randint(1, rng.choice([4, 12, 50]))
                                          if rng.random() < 0.3 else
                                          rng.choice("!?.-=*_~#/eaoWwX0é…—\"'») ") * rng.randint(1, 30)
                                          for _ in range(rng.randint(1, 5)))
    parts = []
    for _ in range(rng.randint(1, 5)):
        source = rng.choice([rng.choice(SENTENCES), rng.choice(list(NASTY.values())),
                             " ".join(rng.choices(WORDS["en"] + WORDS["de"], k=rng.randint(1, 8))), random_char(rng)])
        start = rng.randrange(len(source))
        parts.append(source[start:start + rng.randint(1, 40)])
    line = rng.choice(["", " ", "  ", "\u200b", "\t"]).join(parts)
    if kind == 1:
        line = "".join(c + rng.choice(["", "", "", "\u0301", "\u200d", " "]) for c in line)
    if kind == 2:
        line = line.upper()
    return line


def long_lines(rng):
    words = SENTENCES * 20
    rng.shuffle(words)
    yield " ".join(words)[:10000]
    yield ("".join(WORDS["en"]) * 40)[:10000]
    yield "a" * 3000
    yield "é😀" * 700 + " " * 500 + "漢" * 700


def nasty_lines(count, with_long):
    rng = random.Random(SEED)
    lines = [""] + SENTENCES + list(NASTY.values()) + LEADING
    lines += [f" {line} " for line in NASTY.values()]
    if with_long:
        lines += list(long_lines(rng))
    while len(lines) < count:
        lines.append(random_line(rng))
    return [line.replace("\n", " ") for line in lines[:count]]


def write_jsonl(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(path.relative_to(FOLDERS.parents[2]), path.stat().st_size)


def to_ids(tokenizer, pieces, unk):
    special = set(tokenizer.all_special_tokens)
    return [unk if piece in special else tokenizer.convert_tokens_to_ids(piece) for piece in pieces]


def open_tokenizer(folder):
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    if not any(piece.startswith(">>") and piece.endswith("<<") for piece in tokenizer.encoder):
        tokenizer.remove_language_code = lambda text: ([], text)
    return tokenizer


def tokenize(tokenizer, line):
    """Tokenizes a line: added tokens are found in it, special tokens are not."""
    special = set(tokenizer.all_special_tokens)
    added = [token for token in tokenizer.added_tokens_encoder if token not in special]
    tokenizer.tokens_trie = Trie(added)
    return tokenizer.tokenize(line, split_special_tokens=not added)


def encode_rows(tokenizer, lines):
    for line in lines:
        pieces = tokenizer.tokenize(line, split_special_tokens=True)
        ids = to_ids(tokenizer, pieces, tokenizer.unk_token_id)
        yield {"text": line, "pieces": pieces, "ids": tokenizer.build_inputs_with_special_tokens(ids)}


def target_rows(tokenizer, lines):
    """Yields the rows of target.jsonl, without lines that begin with >>xxx<<, which has no meaning on the target side."""
    tokenizer._switch_to_target_mode()
    unk = tokenizer.current_encoder[tokenizer.unk_token]
    special = set(tokenizer.all_special_tokens)
    for line in lines:
        if not line.startswith(">>"):
            pieces = tokenizer.tokenize(line, split_special_tokens=True)
            yield {"text": line,
                   "ids": [unk if p in special else tokenizer.current_encoder.get(p, unk) for p in pieces]}
    tokenizer._switch_to_input_mode()


def decode_rows(tokenizer, lines):
    rng = random.Random(SEED + 1)
    # Every id except the NUL byte, which the test's JSON cannot contain.
    ids = [i for i, piece in tokenizer.decoder.items() if piece != "<0x00>"]
    top = max(ids)
    ids += [top + 1, top + 1000, *tokenizer.all_special_ids] * 5
    bytes_ids = [i for i, piece in tokenizer.decoder.items() if piece.startswith("<0x") and piece != "<0x00>"]
    rng.shuffle(ids)
    runs = []
    while ids:
        size = rng.choice([1, 2, 5, 20, 60])
        runs.append(ids[:size])
        ids = ids[size:]
    if bytes_ids:
        runs += [rng.choices(bytes_ids, k=rng.randint(1, 8)) for _ in range(100)]
    runs.append([])
    for row in target_rows(tokenizer, lines):
        runs.append(row["ids"] + [tokenizer.eos_token_id])
    for run in runs:
        text = tokenizer.decode(run, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        yield {"ids": run, "text": text}


def train(folder, name, **options):
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    words = WORDS["en"] if name == "source" else WORDS["de"]
    with tempfile.TemporaryDirectory() as tmp:
        corpus = Path(tmp) / "corpus.txt"
        corpus.write_text("".join(" ".join(rng.choices(words, k=rng.randint(3, 12))) + ".\n" for _ in range(4000)))
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus), model_prefix=str(folder / name), num_threads=1, hard_vocab_limit=False,
            minloglevel=2, **options)
    (folder / f"{name}.vocab").unlink()
    (folder / f"{name}.model").rename(folder / f"{name}.spm")


def pieces_of(path):
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1, ensure_ascii=True) + "\n")


def make_bytes():
    """Writes vocabularies whose ids, also that of <pad>, differ from SentencePiece's and between the sides."""
    folder = FOLDERS / "bytes"
    train(folder, "source", vocab_size=480, model_type="unigram", byte_fallback=True, character_coverage=1.0,
          normalization_rule_name="identity")
    train(folder, "target", vocab_size=520, model_type="bpe", byte_fallback=True, character_coverage=1.0,
          normalization_rule_name="identity")
    skip = {"<s>", "</s>", "<unk>"}
    source = [p for p in pieces_of(folder / "source.spm") if p not in skip]
    target = [p for p in pieces_of(folder / "target.spm") if p not in skip]
    random.Random(SEED).shuffle(source)
    random.Random(SEED + 1).shuffle(target)
    write_json(folder / "vocab.json", {p: i for i, p in enumerate(["</s>", "<unk>", *source, "<pad>"])})
    write_json(folder / "target_vocab.json",
               {p: i for i, p in enumerate(["</s>", "<unk>", "▁unheard", "of▁this", "<s>", *target, "<pad>"])})
    write_json(folder / "tokenizer_config.json", {
        "source_lang": "eng", "target_lang": "deu", "unk_token": {"content": "<unk>", "__type": "AddedToken"},
        "eos_token": "</s>", "pad_token": "<pad>", "model_max_length": 1e30, "separate_vocabs": True,
        "tokenizer_class": "MarianTokenizer"})


def make_codes():
    """Writes a vocabulary with gaps between the ids, a special token outside the
    alphabet, and one that is a symbol of the SentencePiece model."""
    folder = FOLDERS / "codes"
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as rules:
        rules.write("41 42\t61 62\n41 42 43\t78\nFF21\t41\n301\t\n2026\t2E 2E 2E\n3000\t20\n9\t20\n")
        rules.flush()
        train(folder, "source", vocab_size=150, model_type="unigram", character_coverage=1.0,
              normalization_rule_tsv=rules.name, remove_extra_whitespaces=False,
              user_defined_symbols=["<pad>", "@@", "@@@", ">>", "~"])
    train(folder, "target", vocab_size=150, model_type="unigram", character_coverage=1.0,
          normalization_rule_name="identity", treat_whitespace_as_suffix=True)
    skip = {"<s>", "</s>", "<unk>", "<pad>"}
    codes = [">>deu<<", ">>fra<<", ">>zho_Hans<<", ">>zho_Hant<<", ">>pt_br<<"]
    pieces = [p for p in pieces_of(folder / "source.spm") if p not in skip]
    pieces += [p for p in pieces_of(folder / "target.spm") if p not in skip and p not in pieces]
    names = ["<unk>", "</s>", *codes, "§§", "§", *pieces, "<pad>"]
    write_json(folder / "vocab.json", {p: i + 3 * (i // 50) for i, p in enumerate(names)})
    write_json(folder / "tokenizer_config.json", {
        "source_lang": "eng", "target_lang": "mul", "model_max_length": 512, "separate_vocabs": False,
        "tokenizer_class": "MarianTokenizer"})
    write_json(folder / "special_tokens_map.json", {
        "eos_token": {"content": "</s>", "lstrip": False, "normalized": False, "rstrip": False, "single_word": False},
        "unk_token": "<unk>", "pad_token": "<pad>", "additional_special_tokens": ["§§"]})


def make_added():
    folder = FOLDERS / "added"
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = open_tokenizer(FOLDERS / "bytes")
    tokenizer.add_tokens(ADDED)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<brk>"]})
    tokenizer.save_pretrained(folder)
    for name in "source.spm", "target.spm", "vocab.json", "target_vocab.json":
        shutil.copy(FOLDERS / "bytes" / name, folder)
    write_added_rows(folder, open_tokenizer(folder))


def write_added_rows(folder, tokenizer):
    rows = []
    for text in ADDED_TEXTS:
        ids = to_ids(tokenizer, tokenize(tokenizer, text), tokenizer.unk_token_id)
        tokenizer._switch_to_target_mode()
        unk = tokenizer.current_encoder[tokenizer.unk_token]
        target = to_ids(tokenizer, tokenize(tokenizer, text), unk)
        tokenizer._switch_to_input_mode()
        decoded = tokenizer.decode(target, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        rows.append({"text": text, "ids": tokenizer.build_inputs_with_special_tokens(ids), "target": target,
                     "decoded": decoded})
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    (folder / "reference.json").write_text(f'{{"rows":[\n{lines}\n]}}\n', encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", action="store_true", help="train the small SentencePiece models again")
    args = parser.parse_args()
    assert transformers.__version__ == "4.57.1", transformers.__version__
    golden_store.unfold(FOLDERS)
    if args.train:
        make_bytes()
        make_codes()
    for name, count in ("opus-mt-fr-en", 1000), ("bytes", 300), ("codes", 300):
        folder = FOLDERS / name
        tokenizer = open_tokenizer(folder)
        lines = nasty_lines(count, name == "opus-mt-fr-en")
        write_jsonl(folder / "encode.jsonl", encode_rows(tokenizer, lines))
        write_jsonl(folder / "target.jsonl", target_rows(tokenizer, lines[:300]))
        write_jsonl(folder / "decode.jsonl", decode_rows(tokenizer, lines[:200]))
    make_added()
    golden_store.fold(FOLDERS)


if __name__ == "__main__":
    main()
