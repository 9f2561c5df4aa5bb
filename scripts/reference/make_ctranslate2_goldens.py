#!/usr/bin/env python3
"""Golden references of CTranslate2 folders: tests/golden/ctranslate2/NAME/.

    python3 -m venv /tmp/reference && . /tmp/reference/bin/activate
    pip install -r scripts/reference/requirements.txt
    python3 scripts/reference/make_ctranslate2_goldens.py tests/golden/ctranslate2 [NAME]...

tests/golden/argos gets an Argos package with one of the models.

CTranslate2's own converter converts random models of transformers' classes (a
list of tokens replaces the tokenizer), and CTranslate2 translates with them. Old
versions of model.bin are written by this script, and CTranslate2 reads them, too.
reference.jsonl has a line for each setting:

    {"settings": {"beams": 2, ...}, "tolerance": 1e-4,
     "sentences": [{"source": "pieces", "hypotheses": [{"pieces": "...", "score": -1.5}]}]}
"""

import json
import os
import random
import shutil
import struct
import sys
import zipfile

import ctranslate2
import numpy as np
import sentencepiece
import torch
import transformers
from ctranslate2.converters.transformers import _MODEL_LOADERS
from ctranslate2.specs import common_spec, transformer_spec

import golden_store

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "v", "é", "ß", "ж", "水"]


class Tokens:
    """The parts of a tokenizer that the converter needs."""

    def __init__(self, tokens, **special):
        self.tokens = tokens
        self.special_tokens_map = {}
        for name in ("bos", "eos", "unk", "pad"):
            token = special.get(name)
            setattr(self, name + "_token", token)
            setattr(self, name + "_token_id", tokens.index(token) if token in tokens else None)

    def get_vocab(self):
        return {token: i for i, token in enumerate(self.tokens)}

    def convert_ids_to_tokens(self, i):
        return self.tokens[i]


def stir(model, spread, seed):
    """Sets weights that give translations of different lengths."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "embed_positions" in name and p.requires_grad is False:
                continue
            if p.dim() == 2:
                p.normal_(0, spread / p.shape[1] ** 0.5)
            elif "norm" in name and name.endswith("weight"):
                p.normal_(1, 0.1)
            else:
                p.normal_(0, 0.2)
    return model.eval()


def marian(seed):
    tokens = ["</s>", "<unk>"] + WORDS + ["<pad>"]
    n = len(tokens)
    config = transformers.MarianConfig(
        vocab_size=n, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3, decoder_attention_heads=3,
        encoder_ffn_dim=48, decoder_ffn_dim=48, activation_function="swish", scale_embedding=True, max_position_embeddings=64,
        pad_token_id=n - 1, decoder_start_token_id=n - 1, eos_token_id=0, forced_eos_token_id=0)
    model = stir(transformers.MarianMTModel(config), 1.6, seed)
    with torch.no_grad():
        model.final_logits_bias.normal_(0, 0.3)
        model.final_logits_bias[0, 0] = 3  # makes the end token likely
    return model, Tokens(tokens, eos="</s>", unk="<unk>", pad="<pad>"), "", " </s>", ""


def m2m100(seed):
    tokens = ["<s>", "<pad>", "</s>", "<unk>"] + WORDS + ["__en__", "__de__"]
    config = transformers.M2M100Config(
        vocab_size=len(tokens), d_model=24, encoder_layers=2, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=40, decoder_ffn_dim=56, max_position_embeddings=64)
    model = stir(transformers.M2M100ForConditionalGeneration(config), 1.6, seed)
    return model, Tokens(tokens, bos="<s>", eos="</s>", unk="<unk>", pad="<pad>"), "__en__ ", " </s>", "__de__"


def mbart(seed):
    tokens = ["<s>", "<pad>", "</s>", "<unk>"] + WORDS + ["en_XX", "de_DE"]
    config = transformers.MBartConfig(
        vocab_size=len(tokens), d_model=24, encoder_layers=1, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64,
        scale_embedding=True)
    config.normalize_before = True
    config.tokenizer_class = "MBart50Tokenizer"
    model = stir(transformers.MBartForConditionalGeneration(config), 1.6, seed)
    return model, Tokens(tokens, bos="<s>", eos="</s>", unk="<unk>", pad="<pad>"), "en_XX ", " </s>", "de_DE"


def t5(seed, gated=True, tied=False):
    tokens = ["<pad>", "</s>", "<unk>"] + WORDS + ["<extra_id_0>"]
    config = transformers.T5Config(
        vocab_size=len(tokens), d_model=24, d_kv=10, d_ff=40, num_layers=2, num_decoder_layers=2, num_heads=3,
        relative_attention_num_buckets=8, relative_attention_max_distance=20, tie_word_embeddings=tied,
        feed_forward_proj="gated-gelu" if gated else "relu", decoder_start_token_id=0)
    model = stir(transformers.T5ForConditionalGeneration(config), 1.2 if not tied else 2.5, seed)
    return model, Tokens(tokens, eos="</s>", unk="<unk>", pad="<pad>"), "", " </s>", ""


def umt5(seed, encoder_layers=2):
    tokens = ["<pad>", "</s>", "<unk>"] + WORDS
    config = transformers.UMT5Config(
        vocab_size=len(tokens), d_model=24, d_kv=8, d_ff=40, num_layers=encoder_layers, num_decoder_layers=2, num_heads=3,
        relative_attention_num_buckets=8, relative_attention_max_distance=20, decoder_start_token_id=0)
    model = stir(transformers.UMT5ForConditionalGeneration(config), 1.2, seed)
    return model, Tokens(tokens, eos="</s>", unk="<unk>", pad="<pad>"), "", " </s>", ""


def converted(make, seed):
    model, tokens, *around = make(seed)
    loader = _MODEL_LOADERS[model.config.__class__.__name__]
    with torch.no_grad():
        return loader(model, tokens), around


def opennmt(seed, width=24, heads=4, tokens=None):
    """An OpenNMT model: no end token in the source, two vocabularies, computed positions."""
    spec = transformer_spec.TransformerSpec.from_config((2, 1), heads, pre_norm=True, activation=common_spec.Activation.GELUTanh)
    rng = np.random.default_rng(seed)
    source = ["<unk>", "<blank>", "<s>", "</s>"] + WORDS
    target = ["<unk>", "<blank>", "<s>", "</s>"] + WORDS[::-1] + ["x", "y"]
    if tokens:
        source = target = tokens
    rows = {"encoder/embeddings_0/weight": len(source), "decoder/embeddings/weight": len(target), "decoder/projection/weight": len(target)}

    def fill(layer, name, value):
        part, scope = name.split("/")[-1], name.rsplit("/", 1)[0]
        ffn = 40
        sides = {"/self_attention/linear_0": (3 * width, width), "/self_attention/linear_1": (width, width),
                 "/attention/linear_0": (width, width), "/attention/linear_1": (2 * width, width),
                 "/attention/linear_2": (width, width), "/ffn/linear_0": (ffn, width), "/ffn/linear_1": (width, ffn)}
        n, k = next((v for key, v in sides.items() if scope.endswith(key)), (rows.get(name.replace("bias", "weight"), 0), width))
        if part == "weight":
            setattr(layer, part, rng.normal(0, 1.6 / k ** 0.5, (n, k)).astype(np.float32))
        elif part == "bias":
            setattr(layer, part, rng.normal(0, 0.2, n).astype(np.float32))
        elif part == "gamma":
            setattr(layer, part, rng.normal(1, 0.1, width).astype(np.float32))
        elif part == "beta":
            setattr(layer, part, rng.normal(0, 0.1, width).astype(np.float32))

    from ctranslate2.specs.model_spec import visit_spec

    visit_spec(spec, fill)
    for stack in (spec.encoder, spec.decoder):
        del stack.__dict__["position_encodings"]  # CTranslate2 computes them
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    return spec, ("", "", "")


def text(t):
    return struct.pack("<H", len(t) + 1) + t.encode() + b"\0"


def old_name(name, version):
    """The names of OpenNMT-tf in revision 1."""
    name = name.replace("embeddings_0", "embeddings")
    if version > 1:
        return name
    name = name.replace("self_attention", "multi_head" if name.startswith("encoder") else "masked_multi_head")
    name = name.replace("/attention/", "/multi_head/").replace("layer_norm", "LayerNorm").replace("projection", "dense")
    name = name.replace("embeddings/weight", "w_embs").replace("weight", "kernel")
    for i in (0, 1, 2):
        name = name.replace("linear_%d" % i, "conv1d" + ("_%d" % i if i else ""))
    return "transformer/" + name + ":0"


def write_old(spec, folder, version, quantization):
    """Writes model.bin in a version from 1 to 5: attributes instead of config.json, no aliases before version 3."""
    variables = dict(spec.variables())
    revision = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}[version]
    kept = []
    for name, v in sorted(variables.items()):
        if isinstance(v, str):
            if version < 3:
                kept.append((name, variables[v].numpy()))
                if v + "_scale" in variables:
                    kept.append((name + "_scale", variables[v + "_scale"].numpy()))
            continue
        array = v.numpy()
        if array.ndim == 0 and version < 5:
            if version >= 3 and name == "encoder/num_heads":
                kept.append(("num_heads", array.astype(np.int8)))
            if name in ("encoder/activation", "encoder/pre_norm"):
                kept.append((name.split("/")[1], array.astype(np.int8)))
            if not name.endswith("_scale"):
                continue
        kept.append((name, array))
    with open(os.path.join(folder, "model.bin"), "wb") as f:
        f.write(struct.pack("<I", version))
        if version >= 2:
            f.write(text("TransformerSpec" if version > 2 else "TransformerBase") + struct.pack("<I", revision))
        f.write(struct.pack("<I", len(kept)))
        types = ["float32", "int8", "int16", "int32", "float16", "bfloat16"]
        for name, a in kept:
            f.write(text(old_name(name, version)) + struct.pack("<B", a.ndim) + struct.pack("<%dI" % a.ndim, *a.shape))
            if version >= 4:
                f.write(struct.pack("<BI", types.index(str(a.dtype)), a.nbytes))
            else:
                f.write(struct.pack("<BI", a.itemsize, a.size))
            f.write(a.tobytes())
        if version >= 3:
            aliases = [(a, b) for a, b in sorted(variables.items()) if isinstance(b, str)]
            f.write(struct.pack("<I", len(aliases)))
            for alias, name in aliases:
                f.write(text(old_name(alias, version)) + text(old_name(name, version)))
    os.remove(os.path.join(folder, "config.json"))
    for name in os.listdir(folder):
        if name.endswith("_vocabulary.json"):
            tokens = json.load(open(os.path.join(folder, name)))
            with open(os.path.join(folder, name[:-4] + "txt"), "w") as f:
                f.writelines(t + "\n" for t in tokens)
            os.remove(os.path.join(folder, name))


# name, maker, quantization, version (None: CTranslate2's own)
SPECS = [
    ("marian-f32", lambda s: converted(marian, s), None, None),
    ("marian-int8", lambda s: converted(marian, s), "int8", None),
    ("m2m100-f16", lambda s: converted(m2m100, s), "float16", None),
    ("mbart50-bf16", lambda s: converted(mbart, s), "bfloat16", None),
    ("t5-gated-int8-f16", lambda s: converted(t5, s), "int8_float16", None),
    ("t5-tied-f32", lambda s: converted(lambda x: t5(x, False, True), s), "float32", None),
    ("umt5-int16", lambda s: converted(lambda x: umt5(x, 1), s), "int16", None),  # only its decoder has duplicate biases
    ("opennmt-int8-bf16", lambda s: opennmt(s), "int8_bfloat16", None),
    ("opennmt-v1", lambda s: opennmt(s, 24, 8), None, 1),
    ("opennmt-v2", lambda s: opennmt(s, 24, 8), None, 2),
    ("opennmt-v3-int16", lambda s: opennmt(s, 24, 8), "int16", 3),
    ("opennmt-v4-f16", lambda s: opennmt(s, 24, 8), "float16", 4),
    ("opennmt-v5-int8", lambda s: opennmt(s, 24, 8), "int8", 5),
]

SETTINGS = [
    {},
    {"beams": 1},
    {"beams": 4, "n_best": 4},
    {"beams": 3, "n_best": 2, "length_penalty": 0.0},
    {"beams": 5, "n_best": 3, "length_penalty": 0.2},
    {"beams": 3, "repetition_penalty": 1.25, "no_repeat_ngram": 2},
    {"beams": 4, "n_best": 3, "prefix": "b d", "max_length": 12},
    {"beams": 1, "prefix": "c"},
    {"beams": 2, "n_best": 2, "max_length": 5, "min_length": 4},
]


def tolerance_of(name):
    """Integer models need a larger tolerance, because rounding differs."""
    return 0.03 if "int" in name else 1e-4


def translate(translator, pieces, setting, to):
    prefix = (to.split() if to else []) + setting.get("prefix", "").split()
    options = dict(beam_size=setting.get("beams", 2), num_hypotheses=setting.get("n_best", 1),
                   length_penalty=setting.get("length_penalty", 1), return_scores=True,
                   repetition_penalty=setting.get("repetition_penalty", 1),
                   no_repeat_ngram_size=setting.get("no_repeat_ngram", 0),
                   max_decoding_length=setting.get("max_length", 60), min_decoding_length=setting.get("min_length", 1))
    result = translator.translate_batch([pieces.split()], target_prefix=[prefix] if prefix else None, **options)[0]
    return [{"pieces": " ".join(h), "score": s} for h, s in zip(result.hypotheses, result.scores)]


def write_model(root, name, make, quantization, version, seed):
    folder = os.path.join(root, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    spec, (before, after, to) = make(seed)
    spec.validate()
    spec.optimize(quantization)
    spec.save(folder)
    if version:
        write_old(spec, folder, version, quantization)
    size = os.path.getsize(os.path.join(folder, "model.bin"))
    assert size < 150000, (name, size)
    return folder, before, after, to


def make_folder(root, number, name, make, quantization, version):
    rng = random.Random(number)
    sources = [" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 9))) for _ in range(8)]
    for seed in range(100):
        folder, before, after, to = write_model(root, name, make, quantization, version, 100 * number + seed)
        translator = ctranslate2.Translator(folder, intra_threads=1)
        lengths = {len(translate(translator, before + s + after, {}, to)[0]["pieces"].split()) for s in sources}
        if len(lengths) >= 4 and max(lengths) < 60:
            break
    with open(os.path.join(folder, "reference.jsonl"), "w") as f:
        for setting in SETTINGS:
            setting = dict({"max_length": 60}, **setting)  # the models have 64 positions
            rows = [{"source": before + s + after, "hypotheses": translate(translator, before + s + after, setting, to)}
                    for s in sources]
            if to:
                setting["prefix"] = (to + " " + setting.get("prefix", "")).strip()
            f.write(json.dumps({"settings": setting, "tolerance": tolerance_of(name), "sentences": rows}, ensure_ascii=False) + "\n")
    print(name, "seed", seed, "lengths", sorted(lengths), os.path.getsize(os.path.join(folder, "model.bin")))


SENTENCES = ["a cat sat on the mat", "the dog runs after the cat", "one two three", "dogs and cats are animals",
             "He said: no.", "where is the station?", "I", "the mat is on the table"]


def make_argos(path):
    """Writes an Argos Translate package, and its translations by CTranslate2 with the SentencePiece model."""
    work = path + ".work"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work + "/translate-en_de-1_0/model")
    with open(work + "/text", "w") as f:
        f.writelines(s + "\n" for s in SENTENCES * 20)
    sentencepiece.SentencePieceTrainer.train(input=work + "/text", model_prefix=work + "/sp", vocab_size=40, num_threads=1,
                                             normalization_rule_name="identity", minloglevel=2)
    sp = sentencepiece.SentencePieceProcessor(model_file=work + "/sp.model")
    package = work + "/translate-en_de-1_0"
    spec, _ = opennmt(7, tokens=[sp.id_to_piece(i) for i in range(sp.get_piece_size())])
    spec.validate()
    spec.optimize("float16")
    spec.save(package + "/model")
    shutil.copy(work + "/sp.model", package + "/sentencepiece.model")
    with open(package + "/metadata.json", "w") as f:
        json.dump({"package_version": "1.0", "argos_version": "1.0", "from_code": "en", "from_name": "English",
                   "to_code": "de", "to_name": "German"}, f)
    translator = ctranslate2.Translator(package + "/model", intra_threads=1)
    with open(os.path.splitext(path)[0] + ".tsv", "w") as f:
        for s in SENTENCES:
            result = translator.translate_batch([sp.encode(s, out_type=str)], max_decoding_length=40)[0].hypotheses[0]
            f.write("%s\t%s\n" % (s, sp.decode(result)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for folder, _, names in sorted(os.walk(package)):
            for name in sorted(names):
                whole = os.path.join(folder, name)
                z.writestr(zipfile.ZipInfo(os.path.relpath(whole, work), (2020, 1, 1, 0, 0, 0)), open(whole, "rb").read(),
                           zipfile.ZIP_DEFLATED)
    shutil.rmtree(work)
    print(path, os.path.getsize(path))


def main():
    torch.set_num_threads(1)
    ctranslate2.set_log_level(40)  # errors only
    root, names = sys.argv[1], sys.argv[2:]
    golden_store.unfold(root)
    if not names or "argos" in names:
        os.makedirs(root + "/../argos", exist_ok=True)
        make_argos(root + "/../argos/translate-en_de.argosmodel")
    for number, (name, make, quantization, version) in enumerate(SPECS):
        if not names or name in names:
            make_folder(root, number, name, make, quantization, version)
    golden_store.fold(root)


if __name__ == "__main__":
    main()
