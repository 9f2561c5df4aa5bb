"""Small random models of the translation families of transformers.

Each family is a row of FAMILIES, which has functions that make its tokenizer
and its configuration and that apply a pair of languages to both. write_folder()
writes a whole folder like save_pretrained(); pairs_of() opens its tokenizer
once for each pair of languages.
"""

import json
import os
import random
import shutil

import torch
import transformers
from sacremoses import MosesTokenizer
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    BartConfig,
    BartForConditionalGeneration,
    BarthezTokenizer,
    FSMTConfig,
    FSMTForConditionalGeneration,
    FSMTTokenizer,
    GenerationConfig,
    M2M100Config,
    M2M100ForConditionalGeneration,
    M2M100Tokenizer,
    MBart50Tokenizer,
    MBartConfig,
    MBartForConditionalGeneration,
    MBartTokenizer,
    MT5Config,
    MT5ForConditionalGeneration,
    NllbTokenizer,
    SeamlessM4TConfig,
    SeamlessM4TForTextToText,
    SeamlessM4TModel,
    SeamlessM4TTokenizer,
    SeamlessM4Tv2Config,
    SeamlessM4Tv2ForTextToText,
    SeamlessM4Tv2Model,
    T5Config,
    T5ForConditionalGeneration,
    T5Tokenizer,
    UMT5Config,
    UMT5ForConditionalGeneration,
)
from transformers.models.fsmt import modeling_fsmt
from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

from golden_models import ENGLISH, GERMAN, SOURCES, train, train_pieces

CONTROLS = {"bos_id": 0, "pad_id": 1, "eos_id": 2, "unk_id": 3}  # Barthez, M2M100
T5_CONTROLS = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
NLLB_LANGUAGES = ["ace_Arab", "deu_Latn", "eng_Latn", "fra_Latn", "srp_Cyrl", "zho_Hans", "zho_Hant", "zul_Latn"]
SEAMLESS_LANGUAGES = ["arb", "cmn", "cmn_Hant", "deu", "eng", "fra", "swh"]
MADLAD_LANGUAGES = ["<2en>", "<2de>", "<2fr>", "<2zh_Hant>"]
TASKS = [("en", "de", "English", "German"), ("en", "fr", "English", "French"), ("de", "en", "German", "English")]


class Pair:
    """One pair of languages of a folder: `source` and `target` are the values of
    --from and --to (None: not given), `tokens` the arguments of generate(),
    `before` the text in front of each source."""

    def __init__(self, tokenizer, source=None, target=None, tokens=None, before=""):
        self.tokenizer, self.source, self.target = tokenizer, source, target
        self.tokens, self.before = tokens or {}, before

    def encode(self, text):
        return self.tokenizer.encode(self.before + text)  # SeamlessM4T's __call__() adds padding

    def encode_target(self, text):
        """Returns the ids of a target text, without special tokens."""
        return self.tokenizer.encode(text, add_special_tokens=False)

    def head(self, start):
        """Returns the first tokens of the decoder."""
        start = self.tokens.get("decoder_start_token_id", start)
        forced = self.tokens.get("forced_bos_token_id")  # with "tgt_lang", which generate() prefers, the same token
        return [start] if forced is None else [start, forced]


class Small100Tokenizer(M2M100Tokenizer):
    """M2M100Tokenizer with the target language before the source, like the
    tokenization_small100.py of the published model."""

    def set_src_lang_special_tokens(self, src_lang):
        self.set_tgt_lang_special_tokens(self.tgt_lang or "en")


# --- tokenizers ---


def m2m_tokenizer(folder, s):
    pieces = train_pieces(os.path.join(folder, "sentencepiece.bpe.model"), s["texts"], s["pieces"], **s["spm"])
    vocab = {p: i for i, p in enumerate(["<s>", "<pad>", "</s>", "<unk>", *pieces])}
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as f:
        json.dump(vocab, f, ensure_ascii=False)
    options = dict(s["tokenizer"])
    if s["special_languages"]:  # as in published folders; the class does not add them
        codes = FAIRSEQ_LANGUAGE_CODES[options.get("language_codes", "m2m100")]
        options["additional_special_tokens"] = [f"__{code}__" for code in codes]
    return M2M100Tokenizer(os.path.join(folder, "vocab.json"), os.path.join(folder, "sentencepiece.bpe.model"),
                           src_lang="en", tgt_lang="de", **options)  # fmt: skip


def fairseq_tokenizer(tokenizer_class, **options):
    def make(folder, s):
        path = os.path.join(folder, "sentencepiece.bpe.model")
        train_pieces(path, s["texts"], s["pieces"], **{**options.get("spm", {}), **s["spm"]})
        return tokenizer_class(path, **{**options.get("tokenizer", {}), **s["tokenizer"]})

    return make


def t5_tokenizer(folder, s):
    path = os.path.join(folder, "spiece.model")
    train_pieces(path, s["texts"] + [f"translate {a} to {b}:" for _, _, a, b in TASKS], s["pieces"],
                 **{**T5_CONTROLS, **s["spm"]})  # fmt: skip
    return T5Tokenizer(path, **s["tokenizer"])


def train_fast_bpe(folder, texts, size, langs):
    """Writes the files of an FSMTTokenizer for a pair of languages. The target lacks some pieces, and its ids are in
    another order."""
    moses = MosesTokenizer(lang=langs[0])
    words = [" ".join(moses.tokenize(text, aggressive_dash_splits=True)) for text in texts]
    bpe = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    bpe.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    bpe.train_from_iterator(words, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], end_of_word_suffix="</w>", show_progress=False))
    model = json.loads(bpe.to_str())["model"]
    pieces = sorted(model["vocab"], key=model["vocab"].get)
    target = pieces[:4] + pieces[:5:-1]
    for name, vocab in (("src", pieces), ("tgt", target)):
        with open(os.path.join(folder, f"vocab-{name}.json"), "w", encoding="utf-8") as f:
            f.write(json.dumps({p: i for i, p in enumerate(vocab)}, ensure_ascii=False) + "\n")
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as f:
        f.writelines(" ".join(merge) + "\n" for merge in model["merges"])


def fsmt_tokenizer(folder, s):
    train_fast_bpe(folder, s["texts"], s["pieces"], ("en", "de"))
    files = [os.path.join(folder, name) for name in ("vocab-src.json", "vocab-tgt.json", "merges.txt")]
    return FSMTTokenizer(["en", "de"], *files, **s["tokenizer"])


def rows_of(tokenizer):
    """Returns the number of embeddings; M2M100Tokenizer does not count its languages."""
    if isinstance(tokenizer, M2M100Tokenizer):
        return len(tokenizer.encoder) + len(tokenizer.lang_token_to_id) + tokenizer.num_madeup_words
    return len(tokenizer)


# --- pairs of languages ---


def open_tokenizer(folder, slow_class, **languages):
    """Opens the fast class if the folder has a tokenizer.json, else the slow one."""
    if os.path.exists(os.path.join(folder, "tokenizer.json")):
        return AutoTokenizer.from_pretrained(folder, **languages)
    return slow_class.from_pretrained(folder, **languages)


def m2m_pairs(folder):
    for source, target in (("en", "de"), ("de", "en"), ("cs", "ru")):
        t = M2M100Tokenizer.from_pretrained(folder, src_lang=source, tgt_lang=target)
        yield Pair(t, source, target, {"forced_bos_token_id": t.get_lang_id(target)})


def small100_pairs(folder):
    for target in ("de", "en", "zh"):
        yield Pair(Small100Tokenizer.from_pretrained(folder, tgt_lang=target), None, target)


def nllb_pairs(folder):
    names = {"eng_Latn": "en", "deu_Latn": "deu"}
    for source, target in (("eng_Latn", "deu_Latn"), ("deu_Latn", "eng_Latn"), ("eng_Latn", "zho_Hans")):
        t = open_tokenizer(folder, NllbTokenizer, src_lang=source, tgt_lang=target)
        forced = {"forced_bos_token_id": t.convert_tokens_to_ids(target)}
        yield Pair(t, source, names.get(target, target), forced)


def seamless_pairs(folder):
    for source, target in (("eng", "deu"), ("deu", "eng"), ("swh", "cmn_Hant")):
        t = open_tokenizer(folder, SeamlessM4TTokenizer, src_lang=source, tgt_lang=target)
        t.set_src_lang_special_tokens(t.src_lang)
        forced = {"tgt_lang": target, "forced_bos_token_id": t.convert_tokens_to_ids(f"__{target}__")}
        yield Pair(t, source, target, forced)


def mbart_pairs(folder):
    for source, target in (("en_XX", "de_DE"), ("de_DE", "en_XX"), ("ru_RU", "fr_XX")):
        t = open_tokenizer(folder, MBartTokenizer, src_lang=source, tgt_lang=target)
        yield Pair(t, source, target, {"decoder_start_token_id": t.convert_tokens_to_ids(target)})


def mbart50_pairs(folder):
    for source, target in (("en_XX", "de_DE"), ("de_DE", "en_XX"), ("uk_UA", "sl_SI")):
        t = open_tokenizer(folder, MBart50Tokenizer, src_lang=source, tgt_lang=target)
        yield Pair(t, source, target, {"forced_bos_token_id": t.convert_tokens_to_ids(target)})


def plain_pairs(tokenizer_class):
    def make(folder):
        yield Pair(open_tokenizer(folder, tokenizer_class))

    return make


def t5_pairs(folder):
    t = open_tokenizer(folder, T5Tokenizer)
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        tasks = json.load(f).get("task_specific_params")
    if tasks:
        for source, target, from_name, to_name in TASKS[:2]:
            yield Pair(t, source, target, before=f"translate {from_name} to {to_name}: ")
    yield Pair(t, before="translate German to English: " if tasks else "")


def madlad_pairs(folder):
    t = open_tokenizer(folder, T5Tokenizer)
    for code in ("de", "en", "zh_Hant"):
        yield Pair(t, None, code, before=f"<2{code}> ")


class FSMTPair(Pair):
    def encode_target(self, text):
        """The tokenizer itself knows the ids of the source only."""
        ids = {piece: i for i, piece in self.tokenizer.decoder.items()}
        return [ids.get(piece, self.tokenizer.unk_token_id) for piece in self.tokenizer.tokenize(text)]


def fsmt_pairs(folder):
    t = FSMTTokenizer.from_pretrained(folder)
    yield FSMTPair(t, "en", "deu")


def repair_fsmt():
    """With a cache, FSMT of transformers 4.57.1 gives each new token the position of the first one, and without one,
    beam search fails. Newer versions add the length of the cache, as here."""
    decoder, positions = modeling_fsmt.FSMTDecoder, modeling_fsmt.SinusoidalPositionalEmbedding
    run, embed = decoder.forward, positions.forward

    def forward(self, *args, past_key_values=None, **more):
        self.embed_positions.before = past_key_values.get_seq_length() if past_key_values is not None else 0
        return run(self, *args, past_key_values=past_key_values, **more)

    def shifted(self, ids, *args, **more):
        before = getattr(self, "before", 0)
        return embed(self, torch.cat([ids.new_zeros((len(ids), before)), ids], 1), *args, **more)[:, before:]

    decoder.forward, positions.forward = forward, shifted


repair_fsmt()


# --- configurations ---


def fsmt_config(s, vocab):
    more = {"src_vocab_size": vocab, "tgt_vocab_size": vocab if s["tied"] else vocab - 2}
    config = bart_like(FSMTConfig, langs=["en", "de"], max_length=None, num_beams=None, **more)(s, vocab)
    del config.vocab_size
    return config


def bart_like(config_class, **more):
    def make(s, vocab):
        return config_class(
            vocab_size=vocab,
            d_model=s["d"],
            encoder_layers=s["layers"][0],
            decoder_layers=s["layers"][1],
            encoder_attention_heads=s["heads"][0],
            decoder_attention_heads=s["heads"][1],
            encoder_ffn_dim=s["ffn"][0],
            decoder_ffn_dim=s["ffn"][1],
            activation_function=s["activation"],
            scale_embedding=s["scale"],
            max_position_embeddings=s["positions"],
            tie_word_embeddings=s["tied"],
            **{"decoder_start_token_id": 2, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, **more, **s["config"]},
        )

    return make


SPEECH = {"speech_encoder_layers": 1, "speech_encoder_attention_heads": 1, "speech_encoder_intermediate_size": 4,
          "feature_projection_input_dim": 4, "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 1,
          "conv_depthwise_kernel_size": 3, "t2u_vocab_size": 8, "char_vocab_size": 9, "t2u_encoder_layers": 1,
          "t2u_encoder_ffn_dim": 4, "t2u_encoder_attention_heads": 1, "t2u_decoder_layers": 1, "t2u_decoder_ffn_dim": 4,
          "t2u_decoder_attention_heads": 1, "t2u_max_position_embeddings": 8, "upsample_initial_channel": 32,
          "t2u_variance_predictor_embed_dim": 4, "t2u_variance_predictor_hidden_dim": 4, "vocoder_num_langs": 2,
          "vocoder_num_spkrs": 2, "unit_hifi_gan_vocab_size": 4, "unit_embed_dim": 4, "lang_embed_dim": 4,
          "spkr_embed_dim": 4, "resblock_kernel_sizes": [3], "resblock_dilation_sizes": [[1]], "upsample_rates": [2],
          "upsample_kernel_sizes": [4]}  # fmt: skip


def seamless_like(config_class):
    """The parts for speech are as small as they can be."""
    make_text = bart_like(config_class, decoder_start_token_id=3, pad_token_id=0, bos_token_id=2, eos_token_id=3)

    def make(s, vocab):
        return make_text({**s, "config": {"hidden_size": s["d"], **SPEECH, **s["config"]}}, vocab)

    return make


def t5_like(config_class, tasks=False):
    def make(s, vocab):
        config = config_class(
            vocab_size=vocab,
            d_model=s["d"],
            d_kv=s["d_kv"],
            d_ff=s["ffn"][0],
            num_layers=s["layers"][0],
            num_decoder_layers=s["layers"][1],
            num_heads=s["heads"][0],
            relative_attention_num_buckets=s["buckets"],
            relative_attention_max_distance=s["distance"],
            feed_forward_proj=s["activation"],
            tie_word_embeddings=s["tied"],
            **{"decoder_start_token_id": 0, **s["config"]},
        )
        if tasks:
            config.task_specific_params = {
                f"translation_{a}_to_{b}": {"prefix": f"translate {c} to {d}: "} for a, b, c, d in TASKS[:2]
            }
        return config

    return make


def family(make_tokenizer, make_pairs, make_config, model, **defaults):
    return {"make_tokenizer": make_tokenizer, "make_pairs": make_pairs, "make_config": make_config, "model": model,
            "defaults": defaults}  # fmt: skip


M2M = M2M100ForConditionalGeneration
PUBLISHED = {"num_beams": 5, "early_stopping": True, "max_length": 200}
MADLAD = {"spm": {"pad_id": -1, "unk_id": 0, "bos_id": 1, "eos_id": 2, "user_defined_symbols": MADLAD_LANGUAGES},
          "tokenizer": {"extra_ids": 0, "pad_token": "<s>", "bos_token": "<s>"},
          "config": {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 0}}  # fmt: skip
SEAMLESS = {"tokenizer": {"additional_special_tokens": [f"__{code}__" for code in SEAMLESS_LANGUAGES]},
            "activation": "relu", "generation": {"max_new_tokens": 100}}  # fmt: skip
FAMILIES = {
    "m2m100": family(m2m_tokenizer, m2m_pairs, bart_like(M2M100Config), M2M, spm=CONTROLS, activation="relu",
                     generation=PUBLISHED),
    "small100": family(m2m_tokenizer, small100_pairs, bart_like(M2M100Config), M2M, spm=CONTROLS, activation="relu",
                       generation=PUBLISHED),
    "nllb": family(fairseq_tokenizer(NllbTokenizer, tokenizer={"additional_special_tokens": NLLB_LANGUAGES}),
                   nllb_pairs, bart_like(M2M100Config), M2M, activation="relu", generation={"max_length": 200}),
    "seamless": family(fairseq_tokenizer(SeamlessM4TTokenizer), seamless_pairs, seamless_like(SeamlessM4TConfig),
                       SeamlessM4TForTextToText, whole=SeamlessM4TModel, **SEAMLESS),
    "seamless-v2": family(fairseq_tokenizer(SeamlessM4TTokenizer), seamless_pairs, seamless_like(SeamlessM4Tv2Config),
                          SeamlessM4Tv2ForTextToText, whole=SeamlessM4Tv2Model, **SEAMLESS),
    "mbart25": family(fairseq_tokenizer(MBartTokenizer), mbart_pairs,
                      bart_like(MBartConfig, decoder_start_token_id=None, forced_eos_token_id=2),
                      MBartForConditionalGeneration, generation={"num_beams": 5, "max_length": 200}),
    "mbart50": family(fairseq_tokenizer(MBart50Tokenizer), mbart50_pairs, bart_like(MBartConfig, forced_eos_token_id=2),
                      MBartForConditionalGeneration, generation=PUBLISHED),
    "bart": family(fairseq_tokenizer(BarthezTokenizer, spm=CONTROLS), plain_pairs(BarthezTokenizer),
                   bart_like(BartConfig, forced_eos_token_id=2), BartForConditionalGeneration,
                   generation={"num_beams": 4}),
    "fsmt": family(fsmt_tokenizer, fsmt_pairs, fsmt_config, FSMTForConditionalGeneration, activation="relu", tied=False,
                   generation={"num_beams": 5, "max_length": 60}),
    "mbarthez": family(fairseq_tokenizer(BarthezTokenizer, spm=CONTROLS), plain_pairs(BarthezTokenizer),
                       bart_like(MBartConfig, forced_eos_token_id=2), MBartForConditionalGeneration,
                       generation={"num_beams": 4}),
    "t5": family(t5_tokenizer, t5_pairs, t5_like(T5Config, tasks=True), T5ForConditionalGeneration, activation="relu",
                 tokenizer={"extra_ids": 5}),
    "t5v11": family(t5_tokenizer, t5_pairs, t5_like(T5Config), T5ForConditionalGeneration, activation="gated-gelu",
                    tied=False, tokenizer={"extra_ids": 5}),
    "mt5": family(t5_tokenizer, t5_pairs, t5_like(MT5Config), MT5ForConditionalGeneration, activation="gated-gelu",
                  tied=False, tokenizer={"extra_ids": 0}),
    "umt5": family(t5_tokenizer, t5_pairs, t5_like(UMT5Config), UMT5ForConditionalGeneration, activation="gated-gelu",
                   tied=False, tokenizer={"extra_ids": 7}),
    "madlad": family(t5_tokenizer, madlad_pairs, t5_like(T5Config), T5ForConditionalGeneration, tied=False,
                     activation="gated-gelu", **MADLAD),
}  # fmt: skip


def spec(name, family_name, d, layers, heads, ffn, **more):
    """Describes a model; layers, heads and ffn are pairs (encoder, decoder)."""
    base = {
        "name": name, "family": family_name, "d": d, "layers": layers, "heads": heads, "ffn": ffn, "activation": "gelu",
        "scale": True, "tied": True, "dtype": torch.float32, "positions": 64, "pieces": 90, "spare_rows": 0,
        "container": "safetensors", "generation": {}, "generation_file": True, "spm": {}, "tokenizer": {}, "config": {},
        "d_kv": 6, "buckets": 8, "distance": 20, "teach_pad": False, "special_languages": True,
        "own_tables": False, "whole": None, "files": "slow", "texts": ENGLISH + GERMAN,
    }  # fmt: skip
    merged = {**base, **FAMILIES[family_name]["defaults"]}
    for key, value in more.items():  # overrides settings of the family
        merged[key] = {**merged[key], **value} if key in ("spm", "tokenizer", "config") else value
    return merged


# --- weights ---


def fill_parameter(name, p, s):
    """Returns random values for a parameter. The norms have random signs, because a model with tied
    embeddings would otherwise repeat its input."""
    normal = torch.randn(p.shape)
    if "norm" in name and name.endswith("weight"):
        return torch.sign(normal) * (0.6 + 0.8 * torch.rand(p.shape))
    if "relative_attention_bias" in name:
        return normal
    if "embed_positions" in name:
        return 0.3 * normal
    if "embed_tokens" in name or "shared" in name or "lm_head" in name:
        return normal * (1.0 / s["d"] ** 0.5 if s["scale"] else 0.5)
    if name.endswith("bias"):
        return 0.1 * normal
    if name.endswith("Attention.q.weight"):  # T5 does not divide by the root of the head's size
        normal = normal / s["d_kv"] ** 0.5
    return 1.5 * normal / p.shape[1] ** 0.5


def fill_model(model, s):
    if s["own_tables"]:
        for stack in (model.get_encoder(), model.get_decoder()):
            stack.embed_tokens.weight = torch.nn.Parameter(stack.embed_tokens.weight.clone())
    for name, p in model.named_parameters():
        if not name.startswith(("speech_encoder.", "t2u_model.", "vocoder.")):
            p.data = fill_parameter(name, p, s)
    model.tie_weights()
    if hasattr(model, "final_logits_bias"):
        model.final_logits_bias.data = 0.5 * torch.randn(model.final_logits_bias.shape)


def training_pairs(rng, pairs, start, s, limit):
    """Returns three targets of different lengths for each source, so that beams
    differ and finish at different steps."""
    found = []
    for number, pair in enumerate(pairs):
        for text in SOURCES:
            source = pair.encode(text)
            if len(source) > s["positions"]:
                continue
            for _ in range(3):
                ids = pair.encode_target(rng.choice(ENGLISH if number == 1 else GERMAN))
                ids = ids[: rng.randrange(2, min(len(ids), limit - 3))]
                if s["teach_pad"]:
                    ids[rng.randrange(len(ids))] = 1
                end = pair.tokenizer.eos_token_id
                found.append((source, pair.head(start) + ids + [pair.tokenizer.sep_token_id if end is None else end]))
    return found


# --- the folder ---


def compact_json(folder):
    for name in os.listdir(folder):
        if name.endswith(".json"):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                value = json.load(f)
            with open(path, "w", encoding="utf-8") as f:
                json.dump(value, f, ensure_ascii=False, separators=(",", ":"))
                f.write("\n")


def save_tokenizer(tokenizer, folder, s):
    """`files`: "slow" (only the SentencePiece model), "fast" (also a tokenizer.json
    made from the slow class), "new-fast" (made by the fast class itself),
    "fast-only" (only tokenizer.json)."""
    if s["files"] in ("new-fast", "fast-only"):
        fast_class = getattr(transformers, type(tokenizer).__name__ + "Fast")
        tokenizer = fast_class(vocab_file=tokenizer.vocab_file, **s["tokenizer"])
    tokenizer.save_pretrained(folder)
    if s["files"] == "fast":
        tokenizer = AutoTokenizer.from_pretrained(folder)
        tokenizer.save_pretrained(folder)
    for name in ("sentencepiece.bpe.model", "spiece.model"):
        path = os.path.join(folder, name)
        if s["files"] == "fast-only" and os.path.exists(path):
            os.remove(path)
    return tokenizer


def name_class(folder, name):
    path = os.path.join(folder, "tokenizer_config.json")
    with open(path, encoding="utf-8") as f:
        value = json.load(f)
    with open(path, "w", encoding="utf-8") as f:
        json.dump({**value, "tokenizer_class": name}, f)


def rename_shared(folder):
    """Gives the embeddings the decoder's name, as in some MADLAD-400 folders."""
    path = os.path.join(folder, "model.safetensors")
    tensors = load_file(path)
    tensors["decoder.embed_tokens.weight"] = tensors.pop("shared.weight")
    save_file(tensors, path, metadata={"format": "pt"})


def save_weights(model, folder, container):
    options = {"sharded": {"max_shard_size": "20KB"}, "bin-sharded": {"max_shard_size": "20KB"}}.get(container, {})
    model.save_pretrained(folder, safe_serialization=not container.startswith("bin"), **options)
    if container == "bin-legacy":
        path = os.path.join(folder, "pytorch_model.bin")
        torch.save(model.state_dict(), path, _use_new_zipfile_serialization=False)
    if container == "decoder-name":
        rename_shared(folder)


def write_generation(folder, model, s):
    path = os.path.join(folder, "config.json")
    with open(path, encoding="utf-8") as f:
        config = json.load(f)
    if s["generation_file"] == "model":  # save_pretrained() derives it from the configuration
        return
    if s["generation_file"]:
        keys = "bos_token_id eos_token_id pad_token_id decoder_start_token_id forced_eos_token_id".split()
        fixed = {k: getattr(model.config, k) for k in keys if getattr(model.config, k, None) is not None}
        GenerationConfig(**{**fixed, **s["generation"]}).save_pretrained(folder)
        return
    file = os.path.join(folder, "generation_config.json")
    if os.path.exists(file):
        os.remove(file)
    with open(path, "w", encoding="utf-8") as f:
        json.dump({**config, **s["generation"]}, f)


def check_load(model, folder):
    """Checks that transformers reads the same weights that were written."""
    again, state = load(folder).state_dict(), model.state_dict()
    assert all(torch.equal(state[k].float(), again[k]) for k in again), folder


def load(folder):
    """Loads the model of the folder. If tie_word_embeddings is false, transformers
    saves the embeddings of encoder and decoder only as model.shared.weight and
    does not find them again; they are set to that tensor."""
    model, info = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    for key in info["missing_keys"]:
        assert key.endswith("embed_tokens.weight"), key
        stack = model.get_encoder() if "encoder" in key else model.get_decoder()
        stack.embed_tokens.weight = getattr(model, "shared", model.get_input_embeddings()).weight
    return model.eval()


def pairs_of(folder, s):
    return list(FAMILIES[s["family"]]["make_pairs"](folder))


def write_folder(folder, s, seed, limit, stop):
    """Writes a whole folder with a model that is trained until its loss is `stop`."""
    row = FAMILIES[s["family"]]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    torch.manual_seed(seed)
    tokenizer = row["make_tokenizer"](folder, s)
    tokenizer = save_tokenizer(tokenizer, folder, s)
    if s["family"] == "small100":
        name_class(folder, "SMALL100Tokenizer")
    config = row["make_config"](s, rows_of(tokenizer) + s["spare_rows"])
    config.save_pretrained(folder)
    model = (s["whole"] or row["model"])(config)
    if s["family"].startswith("seamless"):
        ids = {code: tokenizer.convert_tokens_to_ids(f"__{code}__") for code in SEAMLESS_LANGUAGES}
        s = {**s, "generation": {**s["generation"], "text_decoder_lang_to_code_id": ids}}
    start = config.bos_token_id if config.decoder_start_token_id is None else config.decoder_start_token_id
    fill_model(model, s)
    pairs = training_pairs(random.Random(seed), pairs_of(folder, s), start, s, limit)
    train(model, pairs, stop)
    model = model.to(s["dtype"])
    if s["generation_file"] != "model":
        model.generation_config = GenerationConfig()
    save_weights(model, folder, s["container"])
    write_generation(folder, model, s)
    compact_json(folder)
    check_load(model, folder)
