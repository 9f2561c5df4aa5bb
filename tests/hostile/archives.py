"""Archives of models and documents: names that lead out, links, bombs, broken directories."""

import gzip
import random
import struct
import zipfile
import zlib

import cases
from cases import case, file_with, link_entry, overlapping, set_flags, zip_bytes

GROUP = "Archives"
SLIP = "Zip Slip"
FIFIELD = "better zip bomb"
ZIPFILE = "zipfile"
FOLDER = "translate-en_de-1_0/"
DOCX = "documents/docx/letter.docx"


def entries_of(name):
    with zipfile.ZipFile(cases.GOLDEN / name) as archive:
        return [(one.filename, archive.read(one)) for one in archive.infolist()]


def package(change, compression=zipfile.ZIP_DEFLATED):
    """A package of Argos Translate whose entries `change` has changed."""

    def build(folder):
        entries = entries_of("argos/translate-en_de.argosmodel")
        (folder / "m.argosmodel").write_bytes(zip_bytes(change(entries), compression))

    return build


def replaced(entries, name, content):
    """The entries, one of which has other content, or as a function of the name another ZipInfo."""
    return [(name_, content if name_ == name else old) for name_, old in entries]


def docx(change):
    """A letter whose entries `change` has changed."""
    return lambda folder: (folder / "m.docx").write_bytes(zip_bytes(change(entries_of(DOCX)), zipfile.ZIP_DEFLATED))


def docx_bytes(change):
    """A letter whose bytes `change` has changed."""
    return lambda folder: (folder / "m.docx").write_bytes(change((cases.GOLDEN / DOCX).read_bytes()))


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
        (f"..\\{cases.ESCAPED}", "leads out by backslashes"),
    ):
        argos(f"The name of an entry of a package {what}", SLIP, lambda e, name=name: e + [(name, "x")], status=0)
    argos(
        "The model in a package is a symbolic link",
        SLIP,
        lambda e: [
            (link_entry(name), "/etc/passwd") if name.endswith("model.bin") else (name, content) for name, content in e
        ],
    )
    argos("Two entries have the same name", ZIPFILE, lambda e: e + [e[0]])
    argos(
        "An entry of a package expands to a gigabyte",
        FIFIELD,
        lambda e: replaced(e, FOLDER + "model/model.bin", bytes(1 << 30)),
    )
    argos(
        "Entries have names of 60,000 bytes",
        ZIPFILE,
        lambda e: e + [(FOLDER + "a" * 60000 + str(i), "") for i in range(20)],
        status=0,
    )
    argos(
        "The package has 70,000 entries",
        FIFIELD,
        lambda e: e + [(FOLDER + str(i), "") for i in range(70000)],
        status=0,
        compression=zipfile.ZIP_STORED,
    )
    argos("A package contains a package", "42.zip", lambda e: [("a.argosmodel", zip_bytes(e))])
    case(
        GROUP,
        "The entries of a package share their data",
        FIFIELD,
        file_with("m.argosmodel", lambda: overlapping(shared_name, 10000)),
        "-m m.argosmodel",
    )


def add_letters():
    for name, what in (
        (f"../{cases.ESCAPED}", "leads out of the folder"),
        (f"/tmp/{cases.ESCAPED}", "is absolute"),
        (f"..\\{cases.ESCAPED}", "leads out by backslashes"),
    ):
        letter(f"The name of a part of a document {what}", SLIP, docx(lambda e, name=name: e + [(name, "x")]))
    letter(
        "A part of a document is a symbolic link",
        SLIP,
        docx(lambda e: e + [(link_entry("word/link.xml"), "/etc/passwd")]),
        status=0,
    )
    letter(
        "A part of a document expands to 200 MB",
        FIFIELD,
        docx(lambda e: replaced(e, "word/document.xml", bytes(200 << 20))),
    )
    letter(
        "A part of a document expands to a gigabyte",
        FIFIELD,
        docx(lambda e: replaced(e, "word/document.xml", bytes(1 << 30))),
    )
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
        "A part of a document names a file of the machine as entity",
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
    letter("The flags of the parts say that they are encrypted", ZIPFILE, docx_bytes(lambda b: set_flags(b, 1)))
    letter(
        "The directory claims 65,535 entries", ZIPFILE, docx_bytes(lambda b: b[:-14] + b"\xff\xff\xff\xff" + b[-10:])
    )
    letter("The directory begins beyond the end", ZIPFILE, docx_bytes(lambda b: b[:-6] + b"\xff\xff\xff\x7f" + b[-2:]))
    letter(
        "A document is in an archive of another kind, tar",
        ZIPFILE,
        file_with("m.docx", b"letter".ljust(257, b"\0") + b"ustar\x0000" + bytes(1000)),
    )


def long_parts(folder):
    """Headers of 30 MB, which expand as much as real parts do."""
    block = random.Random(1).randbytes(500).hex() + "x" * 40000
    part = f'<w:hdr xmlns:w="w"><!--{block * 732}--></w:hdr>'
    names = [f"word/long{i}.xml" for i in range(10)]
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"
    types = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name in names).encode()
    entries = [(name, content.replace(b"</Types>", types + b"</Types>")) for name, content in entries_of(DOCX)]
    archive = zip_bytes(entries + [(name, part) for name in names], zipfile.ZIP_DEFLATED)
    (folder / "m.docx").write_bytes(archive)


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
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(1 << 20)
    return b"".join(stream.compress(block) for _ in range(1024)) + stream.flush()


def zstd_bomb():
    """A frame of 64 GB: blocks that repeat one byte 128 kB times, without their total length."""
    block = (128 * 1024 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * 500000 + b"\1\0\0"


def add_streams():
    case(
        GROUP,
        "A glossary expands to a gigabyte, gzip",
        "gzip bomb",
        file_with("g.tsv.gz", gzip_bomb),
        "-m m --glossary g.tsv.gz",
    )
    case(
        GROUP,
        "A glossary expands to 64 gigabytes, zstd",
        "zstd bomb",
        file_with("g.tsv.zst", zstd_bomb),
        "-m m --glossary g.tsv.zst",
    )
    case(
        GROUP,
        "A shortlist claims 2^32 bytes at its end, gzip",
        "gzip bomb",
        file_with("s.gz", lambda: gzip.compress(b"a b 1\n")[:-4] + b"\xff\xff\xff\xff"),
        "-m m --shortlist s.gz",
    )


add_packages()
add_letters()
add_streams()
