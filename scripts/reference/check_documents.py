#!/usr/bin/env python3
"""Checks what dragoman makes of documents by independent parsers.

    scripts/reference/check_documents.py [--translate] ./dragoman build/golden/documents

Each folder that is named has folders that are named as formats (--as) and contain documents. For each document:

- --identity must give the same bytes.
- --pseudo must give a document in which the parser finds the same structure and the same texts, except for accents on
  their letters. Outside of bilingual formats, all bytes are the same without these accents. Every text with letters
  that the format translates must have changed. PO files must pass msgfmt -c.
- With --translate, the document is translated, and the structure must be the same except for the order of inline
  elements. The texts that did not change are counted.

A document that dragoman or the parser refuses, such as XML that is not well-formed, is named and counted, but is no
fault. Only --identity is checked for it, and for formats without a parser here. Prints a line for each of them, for each
fault and for each format. Exit status 1 if there is a fault.
"""
import html
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import polib
from lxml import etree

from document_items import PARSERS, is_address, unescape

BILINGUAL = {"xliff", "tmx", "qt", "po"}


def accents(dragoman):
    plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    made = subprocess.run([dragoman, "--pseudo", "--as", "text"], input=plain, capture_output=True, text=True).stdout
    return str.maketrans(made, plain)


def has_letters(text):
    """Whether the text has letters outside of what dragoman keeps as it is: addresses and placeholders."""
    kept = r"\S*(?:://|/\w|@|www\.)\S*|\{%.*?%\}|\{\{.*?\}\}|[$#%]?\{.*?\}|%[\d$]*[a-z@]"
    return re.search(r"[a-zA-Z]{2}", re.sub(kept, "", text)) is not None


def compare_items(before, after, restore):
    """Yields the differences between a document and its pseudo translation."""
    if len(before) != len(after):
        at = next((i for i, (a, b) in enumerate(zip(before, after)) if a[0] != b[0]), min(len(before), len(after)))
        yield f"{len(before)} != {len(after)} items, from {before[at:at + 1]} {after[at:at + 1]}"
        return
    for (kind, a), (other, b) in zip(before, after):
        if kind != other or a.translate(restore) != b.translate(restore):
            yield f"{kind} {a!r} became {other} {b!r}"
        elif kind in ("block", "inline") and a != b:
            yield f"{kind} {a!r} became {b!r}"
        elif kind == "text" and a == b and has_letters(a):
            yield f"text {a!r} did not change"


def compare_translation(before, after, counts):
    def tokens(items, kinds):
        return [value for kind, value in items if kind in kinds and "lang" not in value]
    if tokens(before, ["block"]) != tokens(after, ["block"]):
        a, b = tokens(before, ["block"]), tokens(after, ["block"])
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        yield f"blocks differ from {a[at:at + 1]} {b[at:at + 1]}"
    a, b = Counter(tokens(before, ["inline"])), Counter(tokens(after, ["inline"]))
    for name in ("softbreak {} ", "softbreak"):
        a.pop(name, None), b.pop(name, None)
    if a != b:
        yield f"inline elements differ: {list((a - b).items())[:3]} {list((b - a).items())[:3]}"
    left = Counter(v for k, v in before if k == "text" and len(v.split()) > 3 and has_letters(v))
    same = Counter(v for k, v in after if k == "text")
    counts["texts"] += sum(left.values())
    counts["same"] += sum((left & same).values())


def compare_po(before, after, restore):
    a, b = polib.pofile(before), polib.pofile(after)
    if len(a) != len(b):
        yield f"{len(a)} != {len(b)} entries"
    for x, y in zip(a, b):
        for name in ("msgid", "msgid_plural", "msgctxt", "comment", "tcomment", "occurrences", "obsolete"):
            if getattr(x, name) != getattr(y, name):
                yield f"{name} of {x.msgid!r} changed"
        done = x.msgstr or (x.msgstr_plural and all(x.msgstr_plural.values()))
        if x.obsolete or (done and not x.fuzzy):
            if (x.msgstr, x.msgstr_plural) != (y.msgstr, y.msgstr_plural):
                yield f"{x.msgid!r} is translated and changed"
        elif x.msgid.strip():
            if not y.fuzzy:
                yield f"{x.msgid!r} is not fuzzy"
            texts = list(y.msgstr_plural.values()) or [y.msgstr]
            sources = [x.msgid, x.msgid_plural] if x.msgid_plural else [x.msgid]
            for made in texts:
                if made in x.msgstr_plural.values() and made:
                    continue
                if made.translate(restore) not in [s.translate(restore) for s in sources]:
                    yield f"{x.msgid!r} became {made!r}"
                elif has_letters(x.msgid) and made in sources and not is_address(x.msgid):
                    yield f"{x.msgid!r} did not change"


def local(node):
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def inner(node):
    """The contents of an element as text, without namespaces."""
    text = etree.tostring(node, encoding="unicode", with_tail=False)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)
    return " ".join(re.sub(r"^<[^>]*>|</[^>]*>$", "", text, flags=re.S).split()) if node is not None else ""


def pairs_of(root):
    """Yields (source, target or None) of XLIFF, TMX and Qt."""
    for node in root.iter():
        if local(node) in ("trans-unit", "segment", "message"):
            source = next((c for c in node if local(c) == "source"), None)
            target = next((c for c in node if local(c) in ("target", "translation")), None)
            yield source, target


def skeleton(root):
    """All elements but targets, with their attributes."""
    out = []
    for node in root.iter():
        if any(local(n) in ("target", "translation") or "und" in n.attrib.values()
               for n in [node, *node.iterancestors()]):
            continue
        names = sorted((k, v) for k, v in node.attrib.items() if k not in ("state", "approved"))
        out.append((str(node.tag), names, (node.text or "").strip()))
    return out


def compare_xml_pairs(before, after, restore):
    a, b = etree.fromstring(before.encode()), etree.fromstring(after.encode())
    if skeleton(a) != skeleton(b):
        differences = [(x, y) for x, y in zip(skeleton(a), skeleton(b)) if x != y][:1]
        yield f"the structure differs: {differences}"
        return
    for (source, old), (same, new) in zip(pairs_of(a), pairs_of(b)):
        if source is None or not inner(source) or same is None:
            continue
        was, now = ("" if old is None else inner(old)), ("" if new is None else inner(new))
        if was == now:
            if not was and not any(n.get("translate") == "no" for n in [source, *source.iterancestors()]):
                yield f"{inner(source)!r} has no translation"
            continue
        now = re.sub(r"</?numerusform/?>\s*", "", now) if "numerusform" in now else now
        want = inner(source).translate(restore)
        if re.sub(r"\s", "", want) not in re.sub(r"\s", "", now.translate(restore)):
            yield f"{inner(source)!r} became {now!r}"
    variants = [n for n in b.iter() if local(n) == "tuv" and "und" in n.attrib.values()]
    for variant in variants:
        texts = [inner(n).translate(restore) for n in variant.getparent().iter() if local(n) == "seg"]
        if len(set(texts)) == len(texts):
            yield f"{texts[-1]!r} is no text of the unit"


def run(dragoman, kind, name, path, out):
    made = subprocess.run([dragoman, *kind, "-q", "--as", name, "-o", str(out), str(path)], capture_output=True)
    return made.returncode, made.stderr.decode(errors="replace").strip()


def read(path):
    return path.read_bytes().decode("utf-8-sig")


def check_pseudo(name, before, after, restore):
    if name == "po":
        yield from compare_po(before, after, restore)
    elif name in BILINGUAL:
        yield from compare_xml_pairs(before, after, restore)
    else:
        spelled = html.unescape if name in ("html", "markdown", "xml") else unescape
        if before.translate(restore) != after.translate(restore) and \
                spelled(before).translate(restore) != spelled(after).translate(restore):
            yield "bytes outside of texts changed"
        yield from compare_items(PARSERS[name](before), PARSERS[name](after), restore)


def parse(name, text):
    """Returns the items of a document; None in formats whose pairs of texts are compared. Raises an exception if the
    parser refuses the document."""
    if name in PARSERS:
        return PARSERS[name](text)
    if name == "po":
        polib.pofile(text)
    else:
        etree.fromstring(text.encode())
    return None


def check(dragoman, name, path, folder, restore, translate, counts):
    out = folder / path.name
    code, message = run(dragoman, ["--identity"], name, path, out)
    if code and not out.exists():
        counts["refused"] += 1
        print(f"{path}: refused: {message.partition(chr(10))[0]}"[:400])
        return
    if out.read_bytes() != path.read_bytes():
        yield "--identity changed it"
    if name not in PARSERS and name not in BILINGUAL:
        counts["without a parser"] += 1
        return
    try:
        before = parse(name, read(path))
    except Exception as error:  # dragoman reads what the parser refuses
        counts["not checked"] += 1
        print(f"{path}: not checked, because its parser refuses it: {type(error).__name__}: {error}"[:400])
        return
    out.unlink()
    code, message = run(dragoman, ["--pseudo"], name, path, out)
    try:
        yield from check_pseudo(name, read(path), read(out), restore)
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
    if name == "po" and subprocess.run(["msgfmt", "-c", "-o", "/dev/null", path], capture_output=True).returncode == 0:
        made = subprocess.run(["msgfmt", "-c", "-o", "/dev/null", out], capture_output=True, text=True)
        if made.returncode:
            yield f"msgfmt: {made.stderr.strip()}"
    if not translate:
        return
    out.unlink(missing_ok=True)
    code, message = run(dragoman, ["--force-language"], name, path, out)
    if code:
        yield f"the translation failed: {message}"
        return
    try:
        after = parse(name, read(out))
    except Exception as error:
        yield f"the parser refuses the translation: {type(error).__name__}: {error}"
        return
    if before is not None:
        yield from compare_translation(before, after, counts)


def main():
    warnings.simplefilter("ignore")
    arguments = sys.argv[1:]
    translate = "--translate" in arguments
    dragoman, *folders = [a for a in arguments if a != "--translate"]
    restore = accents(dragoman)
    faults = 0
    with tempfile.TemporaryDirectory() as temporary:
        for folder in sorted(f for root in folders for f in Path(root).iterdir() if f.is_dir()):
            counts = Counter()
            for path in sorted(p for p in folder.iterdir() if p.is_file()):
                counts["documents"] += 1
                for fault in check(dragoman, folder.name, path, Path(temporary), restore, translate, counts):
                    counts["faults"] += 1
                    print(f"{path}: {fault}"[:400])
            faults += counts["faults"]
            print(folder.name, ", ".join(f"{value} {key}" for key, value in counts.items()), flush=True)
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
