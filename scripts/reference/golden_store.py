#!/usr/bin/env python3
"""Stores the folders of tests/golden compressed and without duplicates, and restores them.

    scripts/reference/golden_store.py fold [FOLDER]
    scripts/reference/golden_store.py unfold [FOLDER]

fold stores FOLDER (default: tests/golden) as tests/golden/README.md describes: a
file that several folders share is stored once, in shared/, and shared/LIST names
its copies; the small configurations of a folder are joined in its FILES; files
that gzip makes much smaller are compressed. unfold restores every file under its
own name. Repeating either changes nothing. scripts/assemble-golden does the same
as unfold without Python, for the tests.

A script that makes references calls unfold(folder) before it reads or writes
the folder, and fold(folder) at its end. Folders outside tests/golden are left
unchanged.
"""

import collections
import gzip
import hashlib
import os
import re
import sys
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
SMALL = 4096  # bytes; smaller configurations are joined in FILES, and smaller files are not compressed
HEAD = "==> "


def folders_of(tree):
    """Returns all folders that have files, except tree itself and shared/, relative to tree."""
    for path, folders, names in os.walk(tree):
        folders.sort()
        if Path(path) == tree:
            folders[:] = [f for f in folders if f != "shared"]
        elif names:
            yield os.path.relpath(path, tree)


def read_stored(folder):
    """Returns {name: content} for the files of a folder, and {name: bytes of NAME.gz}."""
    files, compressed = {}, {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.is_file() and path.suffix == ".gz":
            compressed[path.stem] = path.read_bytes()
            files.setdefault(path.stem, gzip.decompress(compressed[path.stem]))
        elif path.is_file():
            files[path.name] = path.read_bytes()  # a new file replaces NAME.gz
    return files, compressed


def split_files(text):
    """Returns {name: content} for the files in a FILES."""
    _, *parts = re.split(f"^{HEAD}(.*)\n".encode(), text, flags=re.MULTILINE)
    return {name.decode(): content for name, content in zip(parts[::2], parts[1::2])}


def read_tree(tree):
    """Returns {folder: {name: content}} and {path of a compressed file: its bytes}."""
    shared, compressed = read_stored(tree / "shared")
    compressed = {f"shared/{name}": data for name, data in compressed.items()}
    contents = collections.defaultdict(dict)
    for line in shared.pop("LIST", b"").decode().splitlines():
        path, name = line.split()
        contents[os.path.dirname(path)][os.path.basename(path)] = shared[name]
    for folder in folders_of(tree):
        files, packed = read_stored(tree / folder)
        gathered = split_files(files.pop("FILES", b""))
        contents[folder].update({**gathered, **files})  # a separate file is newer than FILES
        compressed.update({f"{folder}/{name}": data for name, data in packed.items()})
    return contents, compressed


def is_gathered(name, content):
    """Returns whether a file is joined in FILES: a small configuration that ends with a newline."""
    return (name.endswith((".json", ".yml", "merges.txt")) and len(content) <= SMALL and content.endswith(b"\n")
            and b"\r" not in content and b"\0" not in content and HEAD.encode() not in content)


def stored(path, content, compressed):
    """Returns (path.gz, bytes) if compression saves at least a third of content, else (path, bytes)."""
    if len(content) > SMALL:
        old = compressed.get(path)
        packed = old if old and gzip.decompress(old) == content else gzip.compress(content, 9, mtime=0)
        if 3 * len(packed) <= 2 * len(content):
            return path + ".gz", packed
    return path, content


def shared_names(contents):
    """Returns {content: name in shared/} for files that several folders have."""
    users = collections.defaultdict(list)
    for files in contents.values():
        for name, content in files.items():
            users[content].append(name)
    names = {}
    for content, same in users.items():
        if len(same) > 1:
            stem, dot, suffix = min(same).rpartition(".")
            names[content] = f"{stem}.{hashlib.sha256(content).hexdigest()[:8]}{dot}{suffix}"
    return names


def folded(contents, compressed):
    """Returns {path: bytes} for the files to store."""
    names = shared_names(contents)
    files = dict(stored(f"shared/{name}", content, compressed) for content, name in names.items())
    copies, gathered = [], collections.defaultdict(bytes)
    for path, content in sorted((f"{folder}/{name}", data) for folder, own in contents.items() for name, data in own.items()):
        folder, name = os.path.split(path)
        if content in names:
            copies.append(f"{path} {names[content]}\n")
        elif is_gathered(name, content):
            gathered[f"{folder}/FILES"] += f"{HEAD}{name}\n".encode() + content
        else:
            path, data = stored(path, content, compressed)
            files[path] = data
    if copies:
        files["shared/LIST"] = "".join(copies).encode()
    return {**files, **gathered}


def write_tree(tree, files):
    """Replaces the contents of tree by these files; files that are equal are not written."""
    for folder in [*folders_of(tree), "shared"]:
        for path in sorted((tree / folder).glob("*")):
            if path.is_file() and os.path.relpath(path, tree) not in files:
                path.unlink()
    for name, data in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
    if (tree / "shared").is_dir() and not any((tree / "shared").iterdir()):
        (tree / "shared").rmdir()


def is_golden(folder):
    return Path(folder).resolve().is_relative_to(GOLDEN)


def fold_tree(tree):
    write_tree(tree, folded(*read_tree(tree)))


def unfold_tree(tree):
    contents, _ = read_tree(tree)
    write_tree(tree, {f"{folder}/{name}": data for folder, own in contents.items() for name, data in own.items()})


def fold(folder):
    """Stores tests/golden after one of its folders was written."""
    if is_golden(folder):
        fold_tree(GOLDEN)


def unfold(folder):
    """Restores the files of tests/golden under their own names, so that scripts can read and write them."""
    if is_golden(folder):
        unfold_tree(GOLDEN)


def main():
    commands = {"fold": fold_tree, "unfold": unfold_tree}
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in commands:
        sys.exit("usage: golden_store.py fold|unfold [FOLDER]")
    commands[sys.argv[1]](Path(sys.argv[2]) if len(sys.argv) == 3 else GOLDEN)


if __name__ == "__main__":
    main()
