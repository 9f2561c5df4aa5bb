"""What all hostile cases share: the list of cases, and the files they are made of."""

import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import struct
import sys
import typing
import zipfile
import zlib

EXECUTED = "/tmp/dragoman-was-executed"  # what the payloads would create
ESCAPED = "escaped"  # what archives would write beside their folder
HEAD = "| trick | source | what dragoman says or does |"


@dataclasses.dataclass
class Case:
    """`trick` and `source` are the first cells of a row in docs/hostile-files.md. `build` writes the files to a folder,
    where the program is then called with the arguments. `says` is the message of a case that has no row.
    """

    group: str
    trick: str
    source: str
    build: typing.Callable
    arguments: str
    status: int
    says: str


CASES = []
GOLDEN = pathlib.Path()
TARGET = pathlib.Path()  # the folder of all cases


def case(group, trick, source, build, arguments="-m m", status=1, says=None):
    CASES.append(Case(group, trick, source, build, arguments, status, says))


# --- Files of models ---------------------------------------------------------


def copy_model(folder, name="marian/swish-opus", without=()):
    """Makes FOLDER/m from a model of the golden tests, without some files. The others are links: do not write to them."""
    shared = TARGET / "models" / name
    if not shared.exists():
        shutil.copytree(GOLDEN / name, shared, ignore=shutil.ignore_patterns("reference*"))
    shutil.copytree(shared, folder / "m", copy_function=os.link, ignore=shutil.ignore_patterns(*without))
    return folder / "m"


def model_with(files, name="marian/swish-opus", without=()):
    """A case whose model has other files: {name: bytes or text}."""

    def build(folder):
        model = copy_model(folder, name, (*without, *files))
        for file, content in files.items():
            (model / file).write_bytes(content.encode() if isinstance(content, str) else content)

    return build


def model_json(file, change, name="marian/swish-opus"):
    """A case whose model has one JSON file that `change` has changed."""

    def build(folder):
        content = json.loads((GOLDEN / name / file).read_text(encoding="utf-8"))
        change(content)
        model_with({file: json.dumps(content)}, name)(folder)

    return build


def member(key, value):
    """Sets a member of a JSON object."""
    return lambda content: content.__setitem__(key, value)


def file_with(name, content):
    """A case that consists of one file: bytes, text, or a function that returns them when they are needed."""

    def build(folder):
        data = content() if callable(content) else content
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)

    return build


# --- Zip archives ------------------------------------------------------------


def zip_bytes(entries, compression=zipfile.ZIP_STORED):
    """An archive with [(name or ZipInfo, content)]."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


def deflated(start, block, count, end=b""):
    """A deflate stream of start, count times block, and end. The block is compressed once, without what precedes it."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = stream.compress(start) + stream.flush(zlib.Z_FULL_FLUSH)
    again = stream.compress(block) + stream.flush(zlib.Z_FULL_FLUSH)
    return first + again * count + stream.compress(end) + stream.flush()


def expanding(entries, names, stream, size, checksum):
    """An archive in which the entries of these names have a deflate stream that expands to so many bytes."""
    archive = bytearray(zip_bytes([(name, stream if name in names else content) for name, content in entries]))
    wanted = tuple(name.encode() for name in names)
    for magic, at, to in ((b"PK\3\4", 8, 30), (b"PK\1\2", 10, 46)):
        start = archive.find(magic)
        while start >= 0:
            if archive.startswith(wanted, start + to):
                struct.pack_into("<H", archive, start + at, zipfile.ZIP_DEFLATED)
                struct.pack_into("<III", archive, start + at + 6, checksum, len(stream), size)
            start = archive.find(magic, start + 4)
    return bytes(archive)


def replaced(entries, name, content):
    """The entries, one of which has other content."""
    return [(name_, content if name_ == name else old) for name_, old in entries]


def link_entry(name):
    """The ZipInfo of a symbolic link."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info


def set_flags(archive, bits):
    """Sets bits in the flags of all entries."""
    changed = bytearray(archive)
    for magic, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = changed.find(magic)
        while start >= 0:
            flags = struct.unpack_from("<H", changed, start + at)[0]
            struct.pack_into("<H", changed, start + at, flags | bits)
            start = changed.find(magic, start + 4)
    return bytes(changed)


def overlapping(name, copies, kernel_bytes=1 << 20):
    """An archive whose entries all have the same compressed data: D. Fifield, A better zip bomb, WOOT 2019."""
    source = zip_bytes([(name(0), bytes(kernel_bytes))], zipfile.ZIP_DEFLATED)
    start = source.find(b"PK\1\2")
    end = source.find(b"PK\5\6")
    record = source[start:end]
    records = b"".join(
        record[:28] + struct.pack("<H", len(name(i))) + record[30:46] + name(i).encode() for i in range(copies)
    )
    return source[:start] + records + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, copies, copies, len(records), start, 0)


# --- The program of the tests ------------------------------------------------


def read_table(document):
    """The rows of the tables of docs/hostile-files.md: {(group, trick): [source, what dragoman says]}."""
    rows, group = {}, None
    for line in pathlib.Path(document).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            group = line.lstrip("# ")
        elif line.startswith("| ") and line != HEAD:
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            rows[group, cells[0]] = cells[1:]
    return rows


def expected(one, rows):
    """What dragoman prints to stderr for a case."""
    if one.says is not None:
        return one.says
    source, says = rows.pop((one.group, one.trick), ("", ""))
    if source != one.source or says.startswith("`") != (one.status > 0):
        sys.exit(f"docs/hostile-files.md: no such row: | {one.trick} | {one.source} |")
    return says.strip("`") if one.status else ""


def write_all(target, golden, document):
    """Writes each case to a folder, whose file "in" is the input, and cases.tsv: group, folder, status, arguments, message."""
    global GOLDEN, TARGET
    GOLDEN = pathlib.Path(golden).resolve()
    TARGET = pathlib.Path(target).resolve()
    rows = read_table(document)
    lines = []
    for number, one in enumerate(CASES):
        folder = TARGET / f"{number:03}"
        folder.mkdir(parents=True)
        one.build(folder)
        if "-m m " in one.arguments + " " and not (folder / "m").exists():
            copy_model(folder)
        if not (folder / "in").exists():
            (folder / "in").write_text("One.\n", encoding="utf-8")
        lines.append("\t".join([one.group, folder.name, str(one.status), one.arguments, expected(one, rows)]))
    if rows:
        sys.exit(f"docs/hostile-files.md: no case for this row: | {next(iter(rows))[1]} |")
    (TARGET / "cases.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
