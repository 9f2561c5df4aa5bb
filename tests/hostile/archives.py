"""Archives of models and documents: names that lead out, links, bombs, broken directories."""

import gzip
import random
import struct
import zipfile
import zlib

import cases
from cases import case, deflated, expanding, file_with, link_entry, overlapping, replaced, set_flags, zip_bytes

GROUP = "Archives"
SLIP = "Zip Slip"
FIFIELD = "better zip bomb"
ZIPFILE = "zipfile"
FOLDER = "translate-en_de-1_0/"
DOCX = "documents/docx/letter.docx"
ARGOS = "argos/translate-en_de.argosmodel"
MEGABYTE = bytes(1 << 20)
CHECKSUMS = {200: 0x534F0861, 1024: 0x5B64C2B0}  # of so many megabytes of zeros


def entries_of(name):
    with zipfile.ZipFile(cases.GOLDEN / name) as archive:
        return [(one.filename, archive.read(one)) for one in archive.infolist()]


def package(change, compression=zipfile.ZIP_DEFLATED):
    """A package of Argos Translate whose entries `change` has changed."""

    def build(folder):
        entries = entries_of(ARGOS)
        (folder / "m.argosmodel").write_bytes(zip_bytes(change(entries), compression))

    return build


def docx(change):
    """A letter whose entries `change` has changed."""
    return lambda folder: (folder / "m.docx").write_bytes(zip_bytes(change(entries_of(DOCX)), zipfile.ZIP_DEFLATED))


def docx_bytes(change):
    """A letter whose bytes `change` has changed."""
    return lambda folder: (folder / "m.docx").write_bytes(change((cases.GOLDEN / DOCX).read_bytes()))


def bomb(source, file, name, megabytes):
    """An archive in which this entry expands to megabytes of zeros."""

    def build(folder):
        stream = deflated(b"", MEGABYTE, megabytes)
        archive = expanding(entries_of(source), [name], stream, megabytes << 20, CHECKSUMS[megabytes])
        (folder / file).write_bytes(archive)

    return build


def argos(trick, source, change, status=1, compression=zipfile.ZIP_DEFLATED):
    case(GROUP, trick, source, package(change, compression), "-m m.argosmodel", status)


def letter(trick, source, build, status=1):
    case(GROUP, trick, source, build, "--identity m.docx", status)


def shared_name(number):
    """The names of a model's files come first."""
    names = (
        "model/config.json",
        "model/model.bin",
        "model/shared_vocabulary.json",
        "metadata.json",
        "sentencepiece.model",
    )
    return FOLDER + (names[number] if number < len(names) else str(number))


def add_packages():
    for name, what in (
        (f"../{cases.ESCAPED}", "leads out of the folder"),
        (f"/tmp/{cases.ESCAPED}", "is absolute"),
        (f"..\\{cases.ESCAPED}", "leads out of the folder by backslashes"),
    ):
        argos(f"The name of an entry of a package {what}", SLIP, lambda e, name=name: e + [(name, "x")], status=0)
    argos(
        "The model in a package is a symbolic link",
        SLIP,
        lambda e: [
            (link_entry(name), "/etc/passwd") if name.endswith("model.bin") else (name, content) for name, content in e
        ],
    )
    argos("Two entries of a package have the same name", ZIPFILE, lambda e: e + [e[0]])
    case(
        GROUP,
        "An entry of a package expands to a gigabyte",
        FIFIELD,
        bomb(ARGOS, "m.argosmodel", FOLDER + "model/model.bin", 1024),
        "-m m.argosmodel",
    )
    argos(
        "Entries of a package have names of 60,000 bytes",
        ZIPFILE,
        lambda e: e + [(FOLDER + "a" * 60000 + str(i), "") for i in range(20)],
        status=0,
    )
    case(GROUP, "The package has 70,000 entries", FIFIELD, many_entries, "-m m.argosmodel", 0)
    argos("A package contains a package", "42.zip", lambda e: [("a.argosmodel", zip_bytes(e))])
    case(
        GROUP,
        "The entries of a package share their data",
        FIFIELD,
        file_with("m.argosmodel", lambda: overlapping(shared_name, 10000)),
        "-m m.argosmodel",
    )


def many_entries(folder):
    """A package with empty entries and a directory of ZIP64. zipfile would take a second to write them."""
    old = zip_bytes(entries_of(ARGOS))
    start, end = old.find(b"PK\1\2"), old.find(b"PK\5\6")
    names = [f"{FOLDER}{i:05}".encode() for i in range(70000)]
    length = struct.pack("<H", len(names[0]))
    head = b"PK\3\4\x14\0" + bytes(20) + length + bytes(2)
    record = b"PK\1\2\x14\0\x14\0" + bytes(20) + length + bytes(12)
    files = b"".join(head + name for name in names)
    offsets = range(start, start + len(files), len(head) + len(names[0]))
    records = old[start:end] + b"".join(
        record + struct.pack("<I", offset) + name for offset, name in zip(offsets, names)
    )
    count, at = len(names) + len(entries_of(ARGOS)), start + len(files)
    tail = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(records), at)
    tail += struct.pack("<4sIQI", b"PK\6\7", 0, at + len(records), 1)
    tail += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(records), at, 0)
    (folder / "m.argosmodel").write_bytes(old[:start] + files + records + tail)


def add_letters():
    for name, what in (
        (f"../{cases.ESCAPED}", "leads out of the folder"),
        (f"/tmp/{cases.ESCAPED}", "is absolute"),
        (f"..\\{cases.ESCAPED}", "leads out of the folder by backslashes"),
    ):
        letter(f"The name of a part of a document {what}", SLIP, docx(lambda e, name=name: e + [(name, "x")]))
    letter(
        "A part of a document is a symbolic link",
        SLIP,
        docx(lambda e: e + [(link_entry("word/link.xml"), "/etc/passwd")]),
        status=0,
    )
    for size, megabytes in (("200 MB", 200), ("a gigabyte", 1024)):
        letter(f"A part of a document expands to {size}", FIFIELD, bomb(DOCX, "m.docx", "word/document.xml", megabytes))
    letter(
        "The parts of a document share their data",
        FIFIELD,
        file_with("m.docx", lambda: overlapping(lambda i: f"word/{i}.xml" if i else "[Content_Types].xml", 10000)),
    )
    letter("The parts of a document are 300 MB together", "own", long_parts)
    letter(
        "Entities in a part of a document expand to gigabytes",
        "billion laughs",
        docx(lambda e: replaced(e, "word/document.xml", laughs())),
    )
    letter(
        "An entity in a part of a document names a file of the machine",
        "XXE",
        docx(
            lambda e: replaced(
                e,
                "word/document.xml",
                '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
                '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">&e;</w:document>',
            )
        ),
        status=0,
    )
    letter("The checksum of a part is wrong", ZIPFILE, docx_bytes(wrong_checksum))
    letter("The flags of the parts say that the parts are encrypted", ZIPFILE, docx_bytes(lambda b: set_flags(b, 1)))
    letter(
        "The directory of a document claims 65,535 entries",
        ZIPFILE,
        docx_bytes(lambda b: b[:-14] + b"\xff\xff\xff\xff" + b[-10:]),
    )
    letter(
        "The directory of a document begins beyond the end of the file",
        ZIPFILE,
        docx_bytes(lambda b: b[:-6] + b"\xff\xff\xff\x7f" + b[-2:]),
    )
    letter(
        "A document is a tar archive, not a zip archive",
        ZIPFILE,
        file_with("m.docx", b"letter".ljust(257, b"\0") + b"ustar\x0000" + bytes(1000)),
    )


def long_parts(folder):
    """Headers of 30 MB, which expand as much as real parts do."""
    block = random.Random(1).randbytes(500).hex().encode() + b"x" * 40000
    begin, end = b'<w:hdr xmlns:w="w"><!--', b"--></w:hdr>"
    part = begin + block * 732 + end
    stream, checksum = deflated(begin, block, 732, end), zlib.crc32(part)
    names = [f"word/long{i}.xml" for i in range(10)]
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"
    types = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name in names).encode()
    entries = [(name, content.replace(b"</Types>", types + b"</Types>")) for name, content in entries_of(DOCX)]
    entries += [(name, b"") for name in names]
    (folder / "m.docx").write_bytes(expanding(entries, names, stream, len(part), checksum))


def wrong_checksum(archive):
    """The checksum of the first entry in the directory does not match its bytes."""
    at = archive.find(b"PK\1\2") + 16
    return archive[:at] + struct.pack("<I", struct.unpack_from("<I", archive, at)[0] ^ 1) + archive[at + 4 :]


def laughs(root="d", levels=12):
    """The billion laughs: each entity is ten times the one before."""
    lines = ['<!ENTITY a0 "laughs">'] + [f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, levels)]
    return f"<?xml version='1.0'?><!DOCTYPE {root} [{''.join(lines)}]><{root}>&a{levels - 1};</{root}>"


def gzip_bomb():
    """A gigabyte of zeros in a megabyte."""
    stream = deflated(b"", MEGABYTE, 1024)
    return gzip.compress(b"")[:10] + stream + struct.pack("<II", CHECKSUMS[1024], 1 << 30)


def zstd_bomb():
    """A frame of 64 GB: blocks that repeat one byte 128 kB times, without their total length."""
    block = (128 * 1024 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * 500000 + b"\1\0\0"


def add_streams():
    case(
        GROUP,
        "A gzip-compressed glossary expands to a gigabyte",
        "gzip bomb",
        file_with("g.tsv.gz", gzip_bomb),
        "-m m --glossary g.tsv.gz",
    )
    case(
        GROUP,
        "A zstd-compressed glossary expands to 64 gigabytes",
        "zstd bomb",
        file_with("g.tsv.zst", zstd_bomb),
        "-m m --glossary g.tsv.zst",
    )
    case(
        GROUP,
        "A gzip-compressed shortlist claims at its end that it has 2^32 bytes",
        "gzip bomb",
        file_with("s.gz", lambda: gzip.compress(b"a b 1\n")[:-4] + b"\xff\xff\xff\xff"),
        "-m m --shortlist s.gz",
    )


add_packages()
add_letters()
add_streams()
