#!/usr/bin/env python3
"""Converts the checkpoint and the vocabularies of a tutorial to a folder for dragoman.

    python3 scripts/export_tutorial.py --names annotated --heads 8 \\
        --checkpoint multi30k_model_final.pt --vocab vocab.pt -o my-model
    python3 scripts/export_tutorial.py --names q_linear --heads 8 --checkpoint weights/model_weights \\
        --source-vocab weights/SRC.pkl --target-vocab weights/TRG.pkl -o my-model
    echo "eine frau liest ." | dragoman -m my-model

--checkpoint is a state dict, or a dictionary that has one under "state_dict",
"model_state_dict" or "model". --vocab has the vocabularies of source and target,
as torch.save((vocab_src, vocab_tgt), ...) writes them, or one for both. A
vocabulary may be one of torchtext (any version; torchtext need not be installed),
a list of tokens, a dictionary from tokens to ids, or a text file with one token
per line. Nothing in a pickled vocabulary is executed.

Sizes are derived from the shapes of the weights, except for the number of heads.
Other settings (docs/tutorial-models.md) have the preset's defaults unless they are
given as --set KEY=JSON:

    --set norm='"post"' --set softmax_temperature=2.0 --set max_length=80

Needs torch and safetensors.
"""

import argparse
import json
import os
import pickle
import re
import sys
import zipfile

# Whether the tutorial adds start and end tokens to the source, and its special tokens.
PRESETS = {
    "annotated": {"source": True, "tokens": ("<s>", "</s>", "<blank>", "<unk>")},
    "q_linear": {"source": False, "tokens": ("<sos>", "<eos>", "<pad>", "<unk>")},
    "nn.Transformer": {"source": True, "tokens": ("<bos>", "<eos>", "<pad>", "<unk>")},
    "fc_q": {"source": True, "tokens": ("<sos>", "<eos>", "<pad>", "<unk>")},
    "w_concat": {"source": True, "tokens": ("<sos>", "<eos>", "<pad>", "<unk>")},
    "w_qs": {"source": True, "tokens": ("<s>", "</s>", "<blank>", "<unk>")},
}
# Weights whose shapes determine the sizes: embeddings, output, the first layer of
# the feed-forward, the table of positions; and the prefix of a layer's name.
SHAPES = {
    "annotated": ("src_embed.0.lut.weight", "tgt_embed.0.lut.weight", "generator.proj.weight", "feed_forward.w_1.weight",
                  "src_embed.1.pe", "{stack}.layers."),
    "q_linear": ("encoder.embed.embed.weight", "decoder.embed.embed.weight", "out.weight", "ff.linear_1.weight",
                 "encoder.pe.pe", "{stack}.layers."),
    "nn.Transformer": ("src_tok_emb.embedding.weight", "tgt_tok_emb.embedding.weight", "generator.weight",
                       "linear1.weight", "positional_encoding.pos_embedding", "transformer.{stack}.layers."),
    "fc_q": ("encoder.tok_embedding.weight", "decoder.tok_embedding.weight", "decoder.fc_out.weight",
             "positionwise_feedforward.fc_1.weight", "encoder.pos_embedding.weight", "{stack}.layers."),
    "w_concat": ("encoder.emb.tok_emb.weight", "decoder.emb.tok_emb.weight", "decoder.linear.weight",
                 "ffn.linear1.weight", "encoder.emb.pos_emb.encoding", "{stack}.layers."),
    "w_qs": ("encoder.src_word_emb.weight", "decoder.trg_word_emb.weight", "trg_word_prj.weight", "pos_ffn.w_1.weight",
             "encoder.position_enc.pos_table", "{stack}.layer_stack."),
}  # fmt: skip
KEYS = ("start_id", "end_id", "pad_id", "unk_id")


def fail(text):
    sys.exit(f"export_tutorial.py: {text}")


# --- pickled vocabularies ---


class Stand:
    """Replaces every object whose class is not known."""

    def __new__(cls, *_, **__):
        return super().__new__(cls)

    def __init__(self, *args, **_):
        self.args = args

    def __setstate__(self, state):
        self.state = state
        parts = state if isinstance(state, tuple) else (state,)
        for part in parts:
            if isinstance(part, dict):
                self.__dict__.update({k: v for k, v in part.items() if isinstance(k, str)})

    def __call__(self, *_, **__):
        return Stand()

    def append(self, _):
        pass

    def extend(self, _):
        pass

    def __setitem__(self, key, value):
        pass


class Table(dict):
    """Replaces defaultdict, Counter and OrderedDict; keeps only the entries."""

    def __init__(self, *args):
        super().__init__()
        for arg in args:
            if isinstance(arg, dict):
                self.update(arg)
            elif isinstance(arg, list):
                self.update(pair for pair in arg if isinstance(pair, (list, tuple)) and len(pair) == 2)

    def __setstate__(self, _):
        pass


class Reader(pickle.Unpickler):
    """Builds only dictionaries, lists and replacements."""

    def find_class(self, module, name):
        if (module, name) in (("collections", "OrderedDict"), ("collections", "defaultdict"),
                              ("collections", "Counter")):  # fmt: skip
            return Table
        if module in ("builtins", "__builtin__") and name in ("dict", "list", "tuple", "set", "frozenset", "str", "int"):
            return {"dict": Table, "list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "str": str,
                    "int": int}[name]  # fmt: skip
        if (module, name) == ("copy_reg", "_reconstructor") or (module, name) == ("copyreg", "_reconstructor"):
            return reconstruct
        return type(name if name.isidentifier() else "Unknown", (Stand,), {"__module__": module})

    def persistent_load(self, _):
        return Stand()


def reconstruct(cls, base=object, state=None):
    return cls() if isinstance(cls, type) and issubclass(cls, (Stand, Table)) else Stand()


def unpickle(path):
    """Reads a zip file of torch.save(), or a pickle, which may follow torch's old header."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                name = next((n for n in archive.namelist() if n.endswith("/data.pkl")), None)
                if name is None:
                    fail(f"{path}: the zip file has no data.pkl; expected a file of torch.save()")
                with archive.open(name) as f:
                    return Reader(f).load()
        with open(path, "rb") as f:
            value = Reader(f).load()
            while isinstance(value, int):  # magic number, protocol version
                value = Reader(f).load()
                if isinstance(value, dict) and "protocol_version" in value:
                    value = Reader(f).load()
            return value
    except Exception as problem:  # a pickle may be broken in any way
        fail(f"{path}: not a pickled vocabulary: {problem!r}")


def is_tokens(value):
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(x, str) for x in value)


def from_ids(table):
    tokens = [""] * (max(table.values()) + 1)
    for token, i in table.items():
        tokens[i] = token
    return tokens


def tokens_of(value, depth=0):
    """Returns the tokens of a vocabulary in the order of their ids, or None if its type is not known."""
    if is_tokens(value):
        return list(value)
    if isinstance(value, dict):
        if value and all(isinstance(k, str) for k in value) and all(type(v) is int and v >= 0 for v in value.values()):
            return from_ids(value)
        return None
    if not isinstance(value, Stand) or depth > 4:
        return None
    state = value.__dict__.get("state")
    if isinstance(state, tuple) and len(state) == 4 and is_tokens(state[2]):
        return list(state[2])  # torchtext's C++ vocabulary: version, default index, tokens, tensors
    for key in ("itos", "itos_", "vocab", "stoi", "word2idx", "token2idx"):
        if key in value.__dict__:
            found = tokens_of(value.__dict__[key], depth + 1)
            if found:
                return found
    return None


def read_vocabularies(path, keys=()):
    """Returns one or two lists of tokens."""
    try:
        return read_tokens(path, keys)
    except ValueError as problem:  # not UTF-8, or not JSON
        fail(f"{path}: cannot be read as a vocabulary: {problem}")


def read_tokens(path, keys):
    if path.endswith((".txt", ".vocab")):
        with open(path, encoding="utf-8") as f:
            return [f.read().split("\n")[:-1]]
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as f:
            value = json.load(f)
    else:
        value = unpickle(path)
    if isinstance(value, dict) and keys and all(k in value for k in keys):
        value = tuple(value[k] for k in keys)
    one = tokens_of(value)
    if one:
        return [one]
    parts = list(value.values()) if isinstance(value, dict) else value
    if isinstance(parts, (list, tuple)) and len(parts) == 2:
        both = [tokens_of(part) for part in parts]
        if all(both):
            return both
    fail(f"{path}: unknown type of vocabulary; expected one of torchtext, a list of tokens, or a dictionary from tokens to ids")


def find_vocabularies(args):
    if args.vocab:
        found = read_vocabularies(args.vocab, tuple(args.languages.split(",")) if args.languages else ())
        return found if len(found) == 2 else found * 2
    if not args.source_vocab or not args.target_vocab:
        fail("give --vocab, or --source-vocab and --target-vocab")
    return [read_vocabularies(path)[0] for path in (args.source_vocab, args.target_vocab)]


def write_list(path, tokens):
    """Writes one token per line. A token that a line cannot contain becomes an empty line, since no text has it."""
    lost = [t for t in tokens if "\n" in t or t.endswith("\r")]
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.writelines(("" if t in lost else t) + "\n" for t in tokens)
    if lost:
        print(f"{path}: left out {len(lost)} tokens with line breaks: {lost[:3]}", file=sys.stderr)


# --- weights ---


def read_state(path):
    try:
        import torch
    except ImportError:
        fail("this script needs torch and safetensors: install them with pip")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as problem:
        fail(f"{path}: {problem.strerror or problem}")
    except Exception as problem:  # torch has no common exception for files that it cannot read
        reason = str(problem).strip().split("\n")[0] or type(problem).__name__
        fail(f"{path}: not a state dict: {reason}\nA file of torch.save(model) has the whole model, whose classes this "
             "script does not run: in the tutorial's program, load it and write torch.save(model.state_dict(), FILE)")  # fmt: skip
    for key in ("state_dict", "model_state_dict", "model"):
        if isinstance(state, dict) and isinstance(state.get(key), dict):
            state = state[key]
    if not isinstance(state, dict) or not any(hasattr(v, "shape") for v in state.values()):
        fail(f"{path}: not a state dict; save model.state_dict()")
    state = {k: v for k, v in state.items() if hasattr(v, "shape")}
    while all(k.startswith("module.") for k in state):
        state = {k[len("module.") :]: v for k, v in state.items()}
    return state


def layers_of(state, prefix):
    found = [int(m[1]) for k in state if (m := re.match(re.escape(prefix) + r"(\d+)\.", k))]
    return max(found) + 1 if found else 0


def sizes_of(state, preset, path):
    source, target, output, ffn, positions, layer = SHAPES[preset]
    for name in (source, target):
        if name not in state:
            fail(f"{path}: {name} is missing; are these names of \"{preset}\"? The file has {', '.join(list(state)[:4])} ...")
    c = {"d_model": state[source].shape[1]}
    for stack in ("encoder", "decoder"):
        prefix = layer.replace("{stack}", stack)
        c[stack + "_layers"] = layers_of(state, prefix)
        if not c[stack + "_layers"] or f"{prefix}0.{ffn}" not in state:
            fail(f"{path}: {prefix}0.{ffn} is missing; are these names of \"{preset}\"?")
        c[stack + "_ffn"] = state[f"{prefix}0.{ffn}"].shape[0]
    c["source_vocab_size"], c["target_vocab_size"] = state[source].shape[0], state[target].shape[0]
    if positions in state:
        c["max_positions"] = state[positions].numel() // c["d_model"]
    same = lambda a, b: a in state and b in state and state[a].shape == state[b].shape and bool((state[a] == state[b]).all())  # noqa: E731
    tie = ["source"] * same(source, target) + ["target"] + ["output"] * same(target, output)
    if len(tie) > 1:
        c["tie"] = tie
    return c


def save_weights(state, path):
    from safetensors.torch import save_file

    save_file({k: v.clone().contiguous() for k, v in state.items()}, path)


# --- the folder ---


def check_heads(config):
    """A number of heads that does not divide the width splits no model, unless the size of a head is given."""
    for key in ("heads", "encoder_heads", "decoder_heads"):
        heads = config.get(key)
        if heads is None:
            continue
        if type(heads) is not int or heads < 1:
            fail(f"{key} must be a whole number of at least 1, not {heads}")
        if "head_size" not in config and config["d_model"] % heads:
            fail(f"{heads} {key.replace('_', ' ')} do not divide the width of the model, {config['d_model']}; give the number "
                 "of heads that the tutorial's program uses")  # fmt: skip


def check_vocabulary(side, tokens, config):
    """Returns the tokens, with empty ones for the rows that a model has beyond its vocabulary to round their number up."""
    rows = config[side + "_vocab_size"]
    used = max([len(tokens)] + [config[key] + 1 for key in KEYS if key in config])
    if used > rows:
        fail(f"the {side} vocabulary has {len(tokens)} tokens, but the model has {rows} embeddings")
    if used < rows and (rows % 8 or rows - used >= 8):
        fail(f"the {side} vocabulary has {len(tokens)} tokens, but the model has {rows} embeddings: "
             "it is that of another model")  # fmt: skip
    return tokens + [""] * (rows - used)


def id_of(tokens, token, side, key):
    if token not in tokens:
        fail(f"the {side} vocabulary has no token \"{token}\"; give its id with --set {key}=N")
    return tokens.index(token)


def special_ids(preset, source, target, given):
    ids = {}
    for key in KEYS:
        if key in given and (type(given[key]) is not int or given[key] < 0):
            fail(f"--set {key}={given[key]}: expected a whole number")
    for key, token in zip(KEYS, PRESETS[preset]["tokens"]):
        if key not in given:
            ids[key] = id_of(target, token, "target", key)
        wanted = key in ("pad_id", "unk_id") or PRESETS[preset]["source"]
        if "source_" + key not in given and wanted and token in source:
            at = source.index(token)
            if at != ids.get(key, given.get(key)):
                ids["source_" + key] = at
    return ids


def parse_settings(pairs):
    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        try:
            settings[key] = json.loads(value)
        except ValueError:
            settings[key] = value
        if not equals:
            fail(f"--set {pair}: expected KEY=VALUE")
    return settings


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", required=True, choices=list(PRESETS), help="preset of the tutorial")
    parser.add_argument("--checkpoint", required=True, help="state dict, or a dictionary that has one")
    parser.add_argument("--heads", required=True, type=int, help="number of attention heads")
    parser.add_argument("--vocab", help="vocabularies of source and target, or one for both")
    parser.add_argument("--source-vocab", help="vocabulary of the source")
    parser.add_argument("--target-vocab", help="vocabulary of the target")
    parser.add_argument("--languages", help="keys in a dictionary of vocabularies, such as de,en")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="a setting of config.json")
    parser.add_argument("-o", "--output", required=True, help="folder to write")
    return parser.parse_args()


def main():
    args = parse_arguments()
    state, given = read_state(args.checkpoint), parse_settings(args.set)
    source, target = find_vocabularies(args)
    config = {"model_type": "transformer", "names": args.names, "heads": args.heads}
    config.update(sizes_of(state, args.names, args.checkpoint))
    config.update(special_ids(args.names, source, target, given))
    config.update(source_start=PRESETS[args.names]["source"], source_end=PRESETS[args.names]["source"])
    config.update(given)
    check_heads(config)
    source, target = check_vocabulary("source", source, config), check_vocabulary("target", target, config)
    os.makedirs(args.output, exist_ok=True)
    write_list(os.path.join(args.output, "source_vocab.txt"), source)
    write_list(os.path.join(args.output, "target_vocab.txt"), target)
    save_weights(state, os.path.join(args.output, "model.safetensors"))
    with open(os.path.join(args.output, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)
        f.write("\n")
    print(f"{args.output}: {', '.join(sorted(os.listdir(args.output)))}")


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        fail(f"{problem.filename}: {problem.strerror}")
