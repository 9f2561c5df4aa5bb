#!/usr/bin/env python3
"""Writes the folder of a packed model, which transformers and CTranslate2's converter can load.

    python3 scripts/unpack_model.py models/en-de.safetensors en-de

FILE is a model of the Marian family that `dragoman pack` has written (docs/packed-files.md); FOLDER must be empty or
new. An int8 matrix becomes float32: each element is the int8 value times the scale of its row. Matrices of other types
keep their type. `dragoman pack` makes the same matrices from the folder, bit for bit. `dragoman info --verify` compares
FILE with its checksums, which this script does not.

Needs nothing but Python 3.9 or later.
"""

import argparse
import json
import os
import re
import struct
import sys
from array import array

# The matrices of a layer, with the tensors that each is made of, from its first rows to its last.
LAYER_MATRICES = {
    "self.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "self.output": ("self_attn.out_proj",),
    "cross.query": ("encoder_attn.q_proj",),
    "cross.kv": ("encoder_attn.k_proj", "encoder_attn.v_proj"),
    "cross.output": ("encoder_attn.out_proj",),
    "ffn.in": ("fc1",),
    "ffn.out": ("fc2",),
}
BEGINNING = b'{"__metadata__":{"dragoman.packed":"1",'  # of the header of a packed file
PANEL = 16  # rows whose elements alternate in the file
INT8_VALUES = tuple(map(float, (*range(128), *range(-128, 0))))  # of the bytes 0 to 255
BYTES = {"F32": 4, "F16": 2, "BF16": 2}
TYPE_NAMES = {"I8": "float32", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}


class Fault(Exception):
    """What is wrong with the file or the folder."""


class PackedFile:
    """The tensors of a packed file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        if not content[8:].startswith(BEGINNING):
            raise Fault("not a packed model; give a file written by 'dragoman pack'")
        size = struct.unpack_from("<Q", content)[0]
        self.tensors = json.loads(content[8 : 8 + size])
        del self.tensors["__metadata__"]
        self.content = memoryview(content)[8 + size :]

    def read(self, name):
        """Returns the type, the shape and the bytes of a tensor."""
        tensor = self.tensors[name]
        begin, end = tensor["data_offsets"]
        if not 0 <= begin <= end <= len(self.content):
            raise Fault(f"tensor {name} is outside the file, which may be incomplete; copy it again")
        return tensor["dtype"], tensor["shape"], self.content[begin:end]

    def files(self):
        """Returns the files of the folder, by name."""
        names = [name for name in self.tensors if name.startswith("files/")]
        return {name[len("files/") :]: bytes(self.read(name)[2]) for name in names}


def dequantized(row, scale):
    """Returns float32 elements for a row of int8 values. The largest is 127 * scale, which gives this scale again."""
    table = array("f", map(scale.__mul__, INT8_VALUES)).tobytes()
    elements = bytearray(4 * len(row))
    for byte in range(4):  # much faster than a loop over the elements
        elements[byte::4] = row.translate(table[byte::4])
    return elements


def read_rows(packed, name, rows, columns):
    """Returns the type of a matrix and its rows as bytes, int8 values as float32."""
    dtype, shape, data = packed.read(name)
    step = 4 if dtype == "I8" else BYTES[dtype]  # bytes of a row that are together
    width = columns * BYTES.get(dtype, 1)
    panels = -(-rows // PANEL)
    stride = len(data) // panels
    if len(data) % (panels * PANEL * step) or stride < PANEL * width:
        raise Fault(f"tensor {name} has the shape {shape}, which does not fit [{rows}, {columns}]")
    scales = packed.read(name + ".scales")[2].cast("f") if dtype == "I8" else None
    result = []
    for row in range(rows):
        if row % PANEL == 0:
            panel = bytes(data[row // PANEL * stride : (row // PANEL + 1) * stride])
        values = bytearray(stride // PANEL)
        for byte in range(step):
            values[byte::step] = panel[row % PANEL * step + byte :: PANEL * step]
        result.append(dequantized(values[:width], scales[row]) if scales else values[:width])
    return dtype, result


def matrix_tensors(packed, config):
    """Returns, for each matrix of the file, its name, its rows, its columns and the tensors that it is made of."""
    width, vocab = config["d_model"], config["vocab_size"]
    separate = "matrices/decoder.table" in packed.tensors
    tables = {
        "encoder.table": (vocab, "model.encoder.embed_tokens.weight" if separate else "model.shared.weight"),
        "decoder.table": (config.get("decoder_vocab_size", vocab), "model.decoder.embed_tokens.weight"),
        "output": (config.get("decoder_vocab_size", vocab), "lm_head.weight"),
    }
    for name in packed.tensors:
        if not name.startswith("matrices/") or name.endswith((".scales", ".corrections")):
            continue
        own = name[len("matrices/") :]
        layer = re.fullmatch(r"(encoder|decoder)\.layers\.(\d+)\.(.+)", own)
        if own in tables:
            yield name, tables[own][0], width, [tables[own][1]]
        elif layer and layer[3] in LAYER_MATRICES:
            inner = config[layer[1] + "_ffn_dim"]
            parts = [f"model.{layer[1]}.layers.{layer[2]}.{part}.weight" for part in LAYER_MATRICES[layer[3]]]
            rows = inner if layer[3] == "ffn.in" else width * len(parts)
            yield name, rows, inner if layer[3] == "ffn.out" else width, parts
        else:
            raise Fault(f"tensor {name} is not one of a Marian model")


def unpacked_tensors(packed, config):
    """Returns the tensors of model.safetensors as (type, shape, bytes), by name, and the type of the matrices."""
    tensors, types = {}, set()
    for name in packed.tensors:
        if not name.startswith(("files/", "matrices/", "pads/")):
            tensors[name] = packed.read(name)
    for name, count, columns, parts in matrix_tensors(packed, config):
        dtype, rows = read_rows(packed, name, count, columns)
        types.add(TYPE_NAMES[dtype])
        share = count // len(parts)
        for i, part in enumerate(parts):
            data = b"".join(rows[i * share : (i + 1) * share])
            tensors[part] = "F32" if dtype == "I8" else dtype, [share, columns], data
    return tensors, types.pop() if len(types) == 1 else "float32"


def write_safetensors(path, tensors):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors.values():
            out.write(data)


def set_type(content, config, wanted):
    """Returns config.json with the type of the matrices, which transformers may convert the weights to."""
    key = "torch_dtype" if "torch_dtype" in config else "dtype"
    if config.get(key, wanted) == wanted:
        return content
    return (json.dumps({**config, key: wanted}, indent=2, ensure_ascii=False) + "\n").encode()


def unpack(file, folder):
    packed = PackedFile(file)
    files = packed.files()
    strange = [name for name in files if not name or name in (".", "..") or re.search(r"[/\\\0]", name)]
    if strange:
        raise Fault(f"{strange[0]!r} is not the name of a file in a folder; do not use this model")
    config = json.loads(files.get("config.json", b"{}"))
    kind = config.get("model_type")
    if not kind:
        raise Fault("the model has no config.json with a model_type; only models of the type marian can be unpacked")
    if kind != "marian":
        raise Fault(f"the model_type is {kind}; only models of the type marian can be unpacked")
    tensors, dtype = unpacked_tensors(packed, config)
    files["config.json"] = set_type(files["config.json"], config, dtype)
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        raise Fault(f"{folder} is not empty; give a new folder")
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(content)
    write_safetensors(os.path.join(folder, "model.safetensors"), tensors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="packed model")
    parser.add_argument("folder", metavar="FOLDER", help="folder to write")
    args = parser.parse_args()
    try:
        unpack(args.file, args.folder)
    except OSError as error:
        sys.exit(f"unpack_model.py: {error.filename}: {error.strerror}")
    except Fault as fault:
        sys.exit(f"unpack_model.py: {args.file}: {fault}")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        sys.exit(f"unpack_model.py: {args.file} is damaged; 'dragoman info --verify -m {args.file}' says where")


if __name__ == "__main__":
    main()
