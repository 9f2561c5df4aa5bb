#!/usr/bin/env python3
"""Checks what dragoman makes of office documents by an independent reader (zipfile and lxml).

    scripts/reference/check_office_documents.py [--translate] ./dragoman FILE...

For each file:

- --identity must give the same bytes.
- --pseudo must change only the parts with text. In DOCX and PPTX, each paragraph must have the same texts, except for
  accents on their letters, with the same formatting for each character, and the same other elements in the same order
  between them. In ODT and ODP, spans are not compared. In EPUB, all elements and attributes must be the same, and the
  pages must stay XML.
- With --translate, the other elements of each paragraph (in EPUB, of each part) must be the same in any order, and begin
  and end marks of fields must be in order.

Prints a line for each fault and for each file. Exit status 1 if there is a fault.
"""
import io
import re
import subprocess
import sys
import zipfile
from collections import Counter

from lxml import etree

IGNORED = {"lang", "noProof", "proofErr", "lastRenderedPageBreak", "rPr"}
IGNORED_ATTRIBUTES = {"lang", "altLang", "dirty", "err", "smtClean", "noProof", "bmk"}
TEXTS = {"descr", "title"}
PAGE_TEXTS = {"alt", "title", "placeholder", "aria-label"}


def local(node):
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def formatting(run):
    """What a reader sees of the formatting of a run."""
    properties = next((c for c in run if local(c) == "rPr"), None)
    if properties is None:
        return ()
    attributes = tuple(sorted((k, v) for k, v in properties.attrib.items() if k not in IGNORED_ATTRIBUTES))
    return attributes + tuple(etree.tostring(c) for c in properties if local(c) not in IGNORED)


def attributes(node):
    return sorted((k, v) for k, v in node.attrib.items() if "rsid" not in k and k not in TEXTS)


def is_preserved(node):
    return node.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve" or node.prefix == "a"


def read_paragraph(paragraph):
    """Returns the characters with their formatting and the elements around them, and the other elements with their
    places."""
    characters, others = [], []

    def walk(node, around):
        for child in node:
            name = local(child)
            if name in IGNORED or (name == "p" and child is not paragraph):
                continue
            if name == "t" and local(node) == "r" and node.prefix in ("w", "a"):
                text = child.text or ""
                text = text if is_preserved(child) else text.strip(" \t\r\n")
                characters.extend((c, formatting(node), around) for c in text)
            elif name == "r" and child.prefix in ("w", "a"):
                walk(child, around)
            else:
                others.append((len(characters), str(child.tag), attributes(child)))
                walk(child, around + (str(child.tag), str(attributes(child))))

    walk(paragraph, ())
    return characters, others


def read_odf_paragraph(paragraph):
    characters, others = [], []

    def put(text):
        characters.extend((c, (), ()) for c in re.sub(r"\s+", " ", text or ""))

    def walk(node):
        put(node.text)
        for child in node:
            if local(child) not in ("p", "h"):
                if local(child) != "span":
                    others.append((len(characters), str(child.tag), attributes(child)))
                walk(child)
            put(child.tail)

    walk(paragraph)
    return characters, others


def read_page(root):
    """All elements and texts of a page as one paragraph."""
    characters, others = [], []

    def walk(node):
        others.append((len(characters), str(node.tag), sorted((k, v) for k, v in node.attrib.items()
                                                                if k not in PAGE_TEXTS and "lang" not in k)))
        characters.extend((c, (), ()) for c in node.text or "")
        for child in node:
            walk(child)
            characters.extend((c, (), ()) for c in child.tail or "")

    walk(root)
    return [(characters, others)]


def paragraphs(data):
    """Those of all but the placeholders of masters and layouts, whose texts are prompts."""
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
    if local(root) in ("html", "ncx", "package"):
        return read_page(root)
    if "opendocument" in str(root.tag):
        for node in [n for n in root.iter() if local(n) == "tracked-changes"]:
            node.getparent().remove(node)
        return [read_odf_paragraph(node) for node in root.iter() if local(node) in ("p", "h", "title", "desc", "keyword")]
    if local(root) in ("sldMaster", "sldLayout"):
        for shape in [n for n in root.iter() if local(n) == "sp" and any(local(c) == "ph" for c in n.iter())]:
            shape.getparent().remove(shape)
    return [read_paragraph(node) for node in root.iter() if local(node) == "p" and isinstance(node.tag, str)]


def has_letters(text):
    return any(c.isascii() and c.isalpha() for c in text)


def compare_part(name, before, after, restore):
    a, b = paragraphs(before), paragraphs(after)
    if len(a) != len(b):
        yield f"{name}: {len(a)} != {len(b)} paragraphs"
        return
    for (was, others), (now, same) in zip(a, b):
        text = "".join(c for c, _, _ in was)
        if [(c, f, x) for c, f, x in was] != [(c.translate(restore), f, x) for c, f, x in now]:
            yield f"{name}: {text!r} became {''.join(c for c, _, _ in now)!r}, or its formatting changed"
        elif others != same:
            yield f"{name}: {text!r}: other elements: {others} became {same}"
        elif re.fullmatch(r"[\w ,.]+", text) and has_letters(text) and was == now:
            yield f"{name}: {text!r} did not change"


def counted(others):
    """The elements without the hyphens that a translation writes as characters, if it has them."""
    return Counter(str(o[1:]) for o in others if "noBreakHyphen" not in o[1])


def compare_translation(name, before, after):
    a, b = paragraphs(before), paragraphs(after)
    if len(a) != len(b):
        yield f"{name}: {len(a)} != {len(b)} paragraphs"
    for (was, others), (now, same) in zip(a, b):
        text = "".join(c for c, _, _ in was)
        if counted(others) != counted(same):
            yield f"{name}: {text!r}: other elements differ"
        marks = [str(o[2]) for o in same if "fldChar" in o[1]]
        if marks != [str(o[2]) for o in others if "fldChar" in o[1]]:
            yield f"{name}: {text!r}: the marks of fields are in another order"


def run(dragoman, options, path):
    return subprocess.run([dragoman, "-q", *options, path], capture_output=True)


def accents(dragoman):
    plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    made = subprocess.run([dragoman, "--pseudo", "--as", "text"], input=plain, capture_output=True, text=True).stdout
    return str.maketrans(made, plain)


def check(dragoman, path, restore, translate):
    data = open(path, "rb").read()
    same = run(dragoman, ["--identity"], path)
    if same.stdout != data:
        yield f"--identity differs: {same.stderr.decode().strip()}"
    made = run(dragoman, [] if translate else ["--pseudo"], path)
    if made.returncode:
        yield made.stderr.decode().strip()
        return
    old, new = zipfile.ZipFile(io.BytesIO(data)), zipfile.ZipFile(io.BytesIO(made.stdout))
    if new.testzip() or old.namelist() != new.namelist():
        yield "the entries differ"
    for name in old.namelist():
        before, after = old.read(name), new.read(name)
        if before == after:
            continue
        if translate:
            yield from compare_translation(name, before, after)
        else:
            yield from compare_part(name, before, after, restore)


def main():
    arguments = sys.argv[1:]
    translate = "--translate" in arguments
    dragoman, *paths = [a for a in arguments if a != "--translate"]
    restore, faults = accents(dragoman), 0
    for path in paths:
        found = list(check(dragoman, path, restore, translate))
        for fault in found:
            print(f"{path}: {fault}")
        faults += len(found)
        print(f"{path}: {len(found)} faults")
    sys.exit(faults > 0)


main()
