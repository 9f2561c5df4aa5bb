#!/usr/bin/env python3
"""Writes small files with torch.save() in all formats, and the tensors that
PyTorch reads from them, for tests/unit/test_torch_bin.c.

    scripts/reference/make_torch_files.py tests/golden/torch

Each file that is a state dict (or holds one) has an entry in reference.json: a
list of {"name", "dtype", "shape", "bytes", "f32"}; bytes are those of the
contiguous tensor, f32 those of the tensor as float32 (for F16, BF16, F64),
in hex. Files named hostile_* must be refused and have no entry. In the format
before PyTorch 1.6, keys of storages are addresses, so these files differ from
run to run.
"""

import argparse
import collections
import io
import json
import os
import pathlib
import pickle
import struct
import sys
import zipfile

import numpy
import torch
from torch import nn

import golden_store

TYPES = {
    torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float64: "F64",
    torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
    torch.uint16: "U16", torch.uint32: "U32", torch.uint64: "U64", torch.bool: "BOOL",
    torch.complex64: "C64", torch.complex128: "C128",
    torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2",
}
FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


def raw(tensor):
    flat = tensor.detach().contiguous().clone().view(-1)
    return bytes(flat.untyped_storage()).hex() if flat.numel() else ""


def describe(state):
    rows = []
    for name, tensor in state.items():
        row = {"name": name, "dtype": TYPES[tensor.dtype], "shape": list(tensor.shape), "bytes": raw(tensor)}
        if tensor.dtype in FLOATS and tensor.dtype != torch.float32:
            row["f32"] = raw(tensor.to(torch.float32))
        rows.append(row)
    return rows


def many_types():
    state = collections.OrderedDict()
    numbers = torch.tensor([[0.0, -0.0, 1.5], [1e-30, -3.25, 1e5]])
    for dtype in FLOATS:
        state["w." + TYPES[dtype]] = numbers.to(dtype)
    state["pi"] = torch.tensor(3.14159265358979, dtype=torch.float64)
    state["scalar"] = torch.tensor(7.0)
    state["empty"] = torch.empty(0, 4)
    state["ids"] = torch.arange(5)
    state["mask"] = torch.tensor([True, False, True])
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
        state["i." + TYPES[dtype]] = torch.tensor([1, 2, 3], dtype=dtype)
    state["complex"] = torch.tensor([1 + 2j, 3 - 4j])
    return state


def newer_types():
    state = {}
    for dtype in (torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2):
        state["n." + TYPES[dtype]] = torch.tensor([1, 2, 3]).to(dtype)
    return state


def many_views():
    state = collections.OrderedDict()
    base = torch.arange(24, dtype=torch.float32) / 8
    state["shared.weight"] = base.view(4, 6)
    state["lm_head.weight"] = state["shared.weight"]
    state["transposed"] = base.view(4, 6).t()
    state["row"] = base.view(4, 6)[2]
    state["column"] = base.view(4, 6)[:, 3]
    state["every_second"] = base[1::2]
    state["block"] = base.view(4, 6)[1:3, 2:5]
    state["permuted"] = base.view(2, 3, 4).permute(2, 0, 1)
    state["expanded"] = torch.tensor([[2.5], [-1.0]]).half().expand(2, 7)
    state["one_column"] = base.view(24, 1).t()
    state["empty_slice"] = base[24:]
    state["windows"] = base.as_strided((3, 4), (2, 1))
    return state


def small_model():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2))


class OwnModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))


def checkpoint():
    model = small_model()
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [3, 5])
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    wrapped = collections.OrderedDict(("module." + k, v) for k, v in model.state_dict().items())
    saved = {
        "epoch": 12, "best": -0.75, "steps": 1 << 40, "note": "schön", "loss": torch.tensor(0.5), "tags": {"a", "b"},
        "dtype": torch.float32, "device": torch.device("cpu"), "size": torch.ones(2, 3).size(), "raw": b"\x00\xff",
        "model_state_dict": wrapped, "optimizer_state_dict": optimizer.state_dict(),
        "scheduler": {k: v for k, v in scheduler.state_dict().items()},
    }
    return saved, model.state_dict()


def training():
    """A training checkpoint that also has settings of the script and NumPy scalars."""
    state = small_model().state_dict()
    saved = {
        "args": argparse.Namespace(rate=0.1, cuda=False, sizes=[3, 4],
                                   out=pathlib.Path("runs"), inner=argparse.Namespace(seed=1)),
        "losses": numpy.arange(3.0), "best": numpy.float64(0.5), "steps": numpy.int64(7),
        "history": collections.defaultdict(list, train=[1.0]),
        "net": {"_orig_mod." + k: v for k, v in state.items()},
    }
    return saved, state


def parameters():
    plain = nn.Parameter(torch.tensor([1.0, 2.0]))
    marked = nn.Parameter(torch.tensor([3.0, 4.0]))
    marked.is_special = True
    attribute = torch.tensor([5.0, 6.0])
    attribute.note = "text"
    return {"plain": plain, "marked": marked, "attribute": attribute}


class Call:
    """An object that is pickled as a call of the named function."""

    def __init__(self, function, *args):
        self.call = (function, args)

    def __reduce__(self):
        return self.call


def with_pickle(path, data):
    """Writes an archive of torch.save() with another pickle."""
    buffer = io.BytesIO()
    torch.save({"w": torch.ones(2)}, buffer)
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as new:
        for item in old.infolist():
            new.writestr(zipfile.ZipInfo(item.filename), data if item.filename.endswith("data.pkl") else old.read(item))


def hostile(folder):
    command = "touch /tmp/dragoman-was-executed"
    torch.save({"w": torch.ones(2), "x": Call(os.system, command)}, folder + "/hostile_system.pt")
    torch.save(collections.OrderedDict(w=torch.ones(2), x=Call(eval, "1+1")), folder + "/hostile_eval.pt")
    torch.save({"x": Call(os.system, command)}, folder + "/hostile_protocol4.pt", pickle_protocol=4)
    torch.save({"x": Call(os.system, command)}, folder + "/hostile_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save({"args": Call(getattr, "text", "upper")}, folder + "/hostile_getattr.pt")
    text = command.encode()
    with_pickle(folder + "/hostile_instance.pt",
                b"\x80\x02}X\x01\x00\x00\x00x(X" + struct.pack("<I", len(text)) + text + b"iposix\nsystem\ns.")
    with_pickle(folder + "/hostile_text.pt", b"cposix\nsystem\n(S'" + text + b"'\ntR.")
    with_pickle(folder + "/hostile_object.pt", b"\x80\x02(X" + struct.pack("<I", len(text)) + text + b"o.")
    with_pickle(folder + "/hostile_extension.pt", b"\x80\x02\x82\x01)R.")
    torch.save(nn.Sequential(nn.Linear(1, 1)), folder + "/hostile_module.pt")
    torch.save({"model": OwnModel()}, folder + "/hostile_module_legacy.pt",
               _use_new_zipfile_serialization=False)
    with open(folder + "/hostile_plain.pt", "wb") as file:
        pickle.dump({"w": [1.0, 2.0]}, file)


def main():
    folder = sys.argv[1]
    golden_store.unfold(folder)
    torch.set_num_threads(1)
    saved, state = checkpoint()
    files = {
        "types.pt": (many_types(), {}),
        "newer_types.pt": (newer_types(), {}),
        "views.pt": (many_views(), {}),
        "views_legacy.pt": (many_views(), {"_use_new_zipfile_serialization": False}),
        "types_legacy.pt": (many_types(), {"_use_new_zipfile_serialization": False}),
        "protocol5.pt": (many_views(), {"pickle_protocol": 5}),
        "parameters.pt": (parameters(), {}),
        "state.pt": (small_model().state_dict(), {}),
        "legacy_protocol4.pt": (small_model().state_dict(),
                                {"pickle_protocol": 4, "_use_new_zipfile_serialization": False}),
    }
    reference = {}
    for name, (value, options) in files.items():
        torch.save(value, f"{folder}/{name}", **options)
        reference[name] = describe(torch.load(f"{folder}/{name}", weights_only=False))
    for name, options in (("checkpoint.pt", {}), ("checkpoint_legacy.pt", {"_use_new_zipfile_serialization": False})):
        torch.save(saved, f"{folder}/{name}", **options)
        reference[name] = describe(state)
    saved, state = training()
    torch.save(saved, f"{folder}/training.pt")
    reference["training.pt"] = describe(state)
    hostile(folder)
    with open(folder + "/reference.json", "w", encoding="utf-8") as file:
        rows = (f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row) for row in tensors) + "]"
                for name, tensors in reference.items())
        file.write("{" + ",\n".join(rows) + "}\n")
    golden_store.fold(folder)


if __name__ == "__main__":
    main()
