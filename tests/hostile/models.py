"""Models that claim more than they have: lengths, counts and sizes that no file bounds; deep and hostile text files."""

import json
import struct

import cases
from cases import case, member, model_json, model_with, zip_bytes

GROUP = "Models"
SAFETENSORS = "safetensors"
OWN = "own"
BOMBS = "JSON minefield"
HUGE = 2**31
DEEP = 100000


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def weights(trick, source, content):
    case(GROUP, trick, source, model_with({"model.safetensors": content}))


def tensor(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def add_safetensors():
    weights("The header of a safetensors file claims 2^63 bytes", SAFETENSORS, struct.pack("<Q", 1 << 63) + b"{}")
    weights(
        "The header of a safetensors file claims one byte more than the file has",
        SAFETENSORS,
        struct.pack("<Q", 3) + b"{}",
    )
    weights("A tensor claims 2^40 x 2^40 values", SAFETENSORS, safetensors({"w": tensor(shape=(1 << 40, 1 << 40))}))
    weights(
        "A tensor claims a terabyte", SAFETENSORS, safetensors({"w": tensor(shape=(1 << 38,), offsets=(0, 1 << 40))})
    )
    weights("A tensor ends before it begins", SAFETENSORS, safetensors({"w": tensor(offsets=(4, 0))}, bytes(4)))
    weights("Two tensors share their bytes", SAFETENSORS, safetensors({"a": tensor(), "b": tensor()}, bytes(4)))
    weights(
        "The bytes between two tensors belong to no tensor",
        SAFETENSORS,
        safetensors({"a": tensor(), "b": tensor(offsets=(8, 12))}, bytes(12)),
    )
    weights(
        "The header of a safetensors file has 100,000 levels of nesting",
        BOMBS,
        safetensors(b'{"w":' + b"[" * DEEP + b"]" * DEEP + b"}"),
    )
    weights(
        "The name of a tensor appears twice in the header",
        SAFETENSORS,
        safetensors(b'{"w":%s,"w":%s}' % ((json.dumps(tensor()).encode(),) * 2), bytes(4)),
    )
    weights(
        "The names of 30,000 tensors are empty",
        OWN,
        safetensors(b"{" + b",".join([b'"":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'] * 30000) + b"}"),
    )
    for path, what in (("../../../etc/passwd", "leads out of the folder"), ("/etc/passwd", "is absolute")):
        case(
            GROUP,
            f"The index of shards names a file that {what}",
            "Zip Slip",
            model_with(
                {"model.safetensors.index.json": json.dumps({"weight_map": {"w": path}})}, without=("*.safetensors",)
            ),
        )


def long_list(name):
    """A configuration of the base model with a list of 1.5 million numbers."""
    content = (cases.GOLDEN / "marian/swish-opus" / name).read_text(encoding="utf-8")
    return '{"long": [1' + ",1" * 1499999 + "]," + content.lstrip()[1:]


def two_long_files(folder):
    model_with({name: long_list(name) for name in ("config.json", "generation_config.json")})(folder)


def many_members(folder):
    content = (cases.GOLDEN / "marian/swish-opus/config.json").read_text(encoding="utf-8")
    members = ",".join([f'"k{i}":1' for i in range(100000)])
    model_with({"config.json": "{" + members + "," + content.lstrip()[1:]})(folder)


def add_configurations():
    for key, what in (
        ("d_model", "A model"),
        ("vocab_size", "A vocabulary"),
        ("encoder_layers", "An encoder"),
        ("max_position_embeddings", "A table of positions"),
        ("decoder_ffn_dim", "A feed-forward layer"),
    ):
        case(GROUP, f"{what} claims 2^31 as `{key}`", OWN, model_json("config.json", member(key, HUGE)))
    case(GROUP, "A model claims 2^31 - 1 layers", OWN, model_json("config.json", member("encoder_layers", HUGE - 1)))
    case(GROUP, "The number of heads is 0", OWN, model_json("config.json", member("encoder_attention_heads", 0)))
    case(GROUP, "The number of layers is negative", OWN, model_json("config.json", member("decoder_layers", -1)))
    case(GROUP, "A size is 1e308", OWN, model_json("config.json", member("d_model", 1e308)))
    case(GROUP, "A size is text", OWN, model_json("config.json", member("d_model", "32")))
    case(
        GROUP,
        "The id of a special token is outside of the vocabulary",
        OWN,
        model_json("generation_config.json", member("decoder_start_token_id", HUGE - 1)),
    )
    case(
        GROUP,
        "A beam of 2^31 hypotheses is the default of a model",
        OWN,
        model_json("generation_config.json", member("num_beams", HUGE)),
    )
    case(
        GROUP,
        "A beam of a million hypotheses is the default of a model",
        OWN,
        model_json("generation_config.json", member("num_beams", 1000000)),
    )
    case(
        GROUP,
        "The longest translation of a model has 2^31 - 1 tokens",
        OWN,
        model_json("generation_config.json", member("max_length", HUGE - 1)),
    )
    case(
        GROUP,
        "The model has a list of 30,000 forbidden words",
        OWN,
        model_json("generation_config.json", member("bad_words_ids", [[i % 100, 1] for i in range(30000)])),
        status=0,
    )
    for name in ("config.json", "generation_config.json", "vocab.json", "tokenizer_config.json"):
        case(
            GROUP, f"{name} has 100,000 levels of nesting", BOMBS, model_with({name: '{"a":' * DEEP + "1" + "}" * DEEP})
        )
    case(GROUP, "config.json is a million opening brackets", BOMBS, model_with({"config.json": "[" * 1000000}))
    case(GROUP, "config.json ends in a NUL and other text", BOMBS, model_with({"config.json": b'{"a":1}\0{"b":2}'}))
    case(
        GROUP,
        "config.json has 100,000 members",
        OWN,
        many_members,
        status=0,
    )
    case(GROUP, "config.json and generation_config.json have three million values together", OWN, two_long_files)
    case(
        GROUP,
        "config.json asks to run a file of Python (`auto_map`, `trust_remote_code`)",
        "transformers",
        model_json("config.json", lambda c: c.update({"auto_map": {"AutoModel": "x.Evil"}, "trust_remote_code": True})),
        status=0,
    )


def lengthen_last(vocabulary):
    """The last token but one, the one before the padding, becomes very long."""
    last = max((token for token in vocabulary if token != "<pad>"), key=vocabulary.get)
    vocabulary["a" * 10000000] = vocabulary.pop(last)


def add_vocabularies():
    def change(key, value):
        return model_json("vocab.json", member(key, value))

    case(GROUP, "The id of a token is 2^31", OWN, change("a", HUGE))
    case(GROUP, "The id of a token is 2^31 - 1", OWN, change("x-new", HUGE - 1))
    case(GROUP, "The id of a token is negative", OWN, change("x-new", -1))
    case(GROUP, "Two tokens have the same id", OWN, change("x-new", 1))
    case(GROUP, "A token has ten million bytes", OWN, model_json("vocab.json", lengthen_last), status=0)
    piece = b"\x0a\x08\x0a\x01a\x15\0\0\0\0"
    for what, model in (
        ("The length of a piece is 2^63", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
        ("A number never ends", b"\x0a" + b"\xff" * 30),
        ("A piece is longer than the model", b"\x0a\x05\x0a\x7fa\x15\0"),
        ("100,000 groups begin, and none ends", b"\x0b" * 100000),
        ("300,000 pieces are empty", b"\x0a\x00" * 300000),
        ("300,000 pieces are equal", piece * 300000),
    ):
        case(GROUP, f"SentencePiece: {what[0].lower() + what[1:]}", OWN, model_with({"source.spm": model}))


def tokenizer(change):
    return model_json("tokenizer.json", change, "families/mbart50-fast-only")


def add_tokenizers():
    arguments = "-m m --from en_XX --to de_DE"
    evil = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    case(
        GROUP,
        "tokenizer.json splits by a regular expression of exponential time",
        "ReDoS",
        tokenizer(member("pre_tokenizer", evil)),
        arguments,
    )
    replace = {"type": "Replace", "pattern": {"Regex": "(a|a)*b"}, "content": "x"}
    case(
        GROUP,
        "tokenizer.json replaces text by a regular expression of exponential time",
        "ReDoS",
        tokenizer(member("normalizer", replace)),
        arguments,
    )
    grow = {
        "type": "Sequence",
        "normalizers": [{"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaa"}] * 20,
    }
    case(
        GROUP,
        "tokenizer.json makes each letter longer, twenty times in a row",
        "billion laughs",
        tokenizer(member("normalizer", grow)),
        arguments,
    )
    case(
        GROUP,
        "tokenizer.json has 100,000 levels of nesting",
        BOMBS,
        model_with({"tokenizer.json": '{"a":' * DEEP + "1" + "}" * DEEP}, "families/mbart50-fast-only"),
        arguments,
    )
    case(
        GROUP,
        "The id of an added token is 2^31 - 1",
        OWN,
        tokenizer(lambda t: t["added_tokens"].append({**t["added_tokens"][-1], "id": HUGE - 1, "content": "x-new"})),
        arguments,
    )


def add_marian():
    npy = b"\x93NUMPY\1\0"

    def array(shape, dtype="<f4", data=b""):
        text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
        return npy + struct.pack("<H", len(text)) + text + data

    def npz(trick, content, name="encoder_Wemb"):
        case(GROUP, trick, OWN, model_with({"model.npz": zip_bytes([(name + ".npy", content)])}, "marian_nmt/student"))

    npz("The shape of an .npy array overflows", array("(4294967296, 4294967296)"))
    npz("The header of an .npy array claims 4 GB", b"\x93NUMPY\2\0\xff\xff\xff\xff")
    npz("An .npy array contains objects, which are pickles", array("(1,)", "|O", b"\x80\2cposix\nsystem\n."))
    npz("An .npy array has 30,000 dimensions", array("(" + "1," * 30000 + ")"))
    npz(
        "The settings in model.npz are YAML with aliases that expand to gigabytes",
        array("(%d,)" % len(laughs()), "|i1", laughs()),
        "special:model.yml",
    )
    for what, numbers, rest in (
        ("65,535 tensors", (1, 65535), b""),
        ("a name of 2^63 bytes", (1, 1, 1 << 63, 0x404, 1, 4), b""),
        ("2^40 dimensions", (1, 1, 2, 0x404, 1 << 40, 4), b"a\0"),
        ("a terabyte of values", (1, 1, 2, 0x404, 1, 1 << 40), b"a\0" + struct.pack("<i", 1 << 30)),
        ("a dimension below zero", (1, 1, 2, 0x404, 1, 4), b"a\0" + struct.pack("<i", -1)),
    ):
        case(
            GROUP,
            f"model.bin of Marian claims {what}",
            OWN,
            model_with(
                {"model.bin": struct.pack(f"<{len(numbers)}Q", *numbers) + rest + bytes(64)}, "marian_nmt/student_8bit"
            ),
        )
    case(
        GROUP,
        "decoder.yml has aliases that expand to gigabytes",
        "billion laughs",
        model_with({"decoder.yml": laughs()}, "marian_nmt/student"),
    )
    case(
        GROUP,
        "decoder.yml has 100,000 levels of nesting",
        BOMBS,
        model_with({"decoder.yml": "[" * DEEP}, "marian_nmt/student"),
    )
    case(
        GROUP,
        "vocab.yml has aliases that expand to gigabytes",
        "billion laughs",
        model_with({"vocab.yml": laughs()}, "marian_nmt/student"),
    )
    case(
        GROUP,
        "decoder.yml constructs an object of Python",
        "CVE-2020-1747",
        model_with({"decoder.yml": '!!python/object/apply:os.system ["touch x"]\n'}, "marian_nmt/student"),
    )
    vocabularies = "models: [model.npz]\nvocabs: [%s, %s]\n"
    for path, what in (("../outside", "a file outside of the folder"), ("/dev/zero", "an endless device")):
        case(GROUP, f"decoder.yml names {what} as vocabulary", "Zip Slip", beside(vocabularies % (path, path)))
        case(
            GROUP,
            f"decoder.yml names {what} as model",
            "Zip Slip",
            beside(f"models: [{path}]\nvocabs: [vocab.yml, vocab.yml]\n"),
        )


def beside(settings):
    """A model with these settings, and a file beside its folder."""

    def build(folder):
        model_with({"decoder.yml": settings}, "marian_nmt/student")(folder)
        (folder / "outside").write_text("root:x:0:0:root:/root:/bin/sh\n", encoding="utf-8")

    return build


def laughs():
    """Each list of YAML has ten aliases of the one before."""
    lines = ["a0: &a0 [laughs]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    return ("\n".join(lines) + "\n").encode()


def add_ctranslate2():
    def model(trick, content):
        case(GROUP, trick, OWN, model_with({"model.bin": content}, "ctranslate2/marian-f32"))

    head = struct.pack("<I", 6) + b"\x10\0TransformerSpec\0" + struct.pack("<I", 7)
    one = head + struct.pack("<I", 1) + b"\2\0a\0"
    model("model.bin of CTranslate2 claims 2^32 - 1 variables", head + struct.pack("<I", 2**32 - 1))
    model("A variable of CTranslate2 claims 255 dimensions", one + b"\xff" + bytes(100))
    model(
        "A variable of CTranslate2 claims 2^32 x 2^32 values",
        one + struct.pack("<BIIBI", 2, 2**32 - 1, 2**32 - 1, 0, 2**32 - 1) + bytes(100),
    )
    model("The name of a variable of CTranslate2 has no end", head + struct.pack("<I", 1) + b"\xff\xff" + b"a" * 100)


add_safetensors()
add_configurations()
add_vocabularies()
add_tokenizers()
add_marian()
add_ctranslate2()
