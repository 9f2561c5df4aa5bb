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

Prints a line for each fault and for each format. Exit status 1 if there is a fault.
"""
import csv
import html
import io
import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import html5lib
import polib
import pysrt
import webvtt
import yaml
from lxml import etree
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

BILINGUAL = {"xliff", "tmx", "qt", "po"}
INLINE = set("a abbr acronym b bdi bdo big blink br cite code data del dfn em font i img input ins kbd label mark nobr "
             "output q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr".split())
KEPT = set("code kbd samp tt var math svg listing pre iframe noembed noframes script style xmp template "
           "noscript".split())
TEXT_ATTRIBUTES = set("alt title placeholder aria-label content value label".split())


class Items(list):
    """The structure of a document: (kind, value). Kinds: block and inline must stay; text must change if it has
    letters; other may change."""

    def block(self, value):
        self.append(("block", value))

    def inline(self, value):
        self.append(("inline", value))

    def text(self, value, kept=False):
        if value and value.strip():
            self.append(("block" if kept is None else "inline" if kept else "text", value))

    def other(self, value):
        self.append(("other", value))


def html_items(text):
    items = Items()

    def walk(node, kept, depth):
        if not isinstance(node.tag, str):
            items.inline(f"comment {node.text}")
            return
        name = node.tag.rpartition("}")[2]
        put = items.inline if name in INLINE else items.block
        keeps = (kept and node.get("translate") != "yes") or name in KEPT or node.get("translate") == "no" or \
            "notranslate" in (node.get("class") or "")
        put(f"<{name} {sorted((k, v) for k, v in node.attrib.items() if k not in TEXT_ATTRIBUTES and k != 'lang')}")
        for key, value in sorted(node.attrib.items()):
            if key in TEXT_ATTRIBUTES:
                items.other(value)
        items.text(node.text, keeps)
        for child in node:
            walk(child, keeps, depth + 1)
            items.text(child.tail, keeps)
        put(f"</{name}")

    walk(html5lib.parse(text, treebuilder="lxml").getroot(), False, 0)
    return items


def markdown_items(text):
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(front_matter_plugin).use(footnote_plugin)
    items = Items()

    def inline(tokens):
        for token in tokens:
            if token.type in ("text", "text_special"):
                items.other(token.content)
            elif token.type in ("softbreak", "hardbreak"):
                items.inline(token.type)
            elif token.type == "html_inline":
                items.inline(re.sub(r'(alt|title)="[^"]*"', "", token.content))
            else:
                attributes = {k: v for k, v in token.attrs.items() if k not in ("title", "alt")}
                items.inline(f"{token.type} {attributes} {token.content if token.type == 'code_inline' else ''}")
                if token.type == "image":
                    inline(token.children)

    for token in parser.parse(text):
        if token.type == "inline":
            joined = "".join(t.content for t in token.children if t.type == "text" and not is_address(t.content))
            links = any(t.type in ("link_open", "html_inline") for t in token.children)
            items.append(("text" if not links and not joined.startswith("[") else "other", joined))
            inline(token.children)
        elif token.type == "html_block":
            items.other(token.content)
        else:
            content = token.content if token.type in ("fence", "code_block", "front_matter") else ""
            items.block(f"{token.type} {token.tag} {token.markup} {token.info} {token.level} {content}")
    return items


def is_address(text):
    return "://" in text or "@" in text


def xml_items(data, walk):
    items = Items()
    walk(items, etree.fromstring(data, etree.XMLParser(strip_cdata=False, resolve_entities=False, huge_tree=True)))
    return items


def tag_of(node):
    if not isinstance(node.tag, str):
        return f"{getattr(node.tag, '__name__', '')} {node.text}"
    return f"<{node.tag} {sorted(node.attrib.items())}"


def walk_xml(items, node, kept=False):
    items.inline(tag_of(node))
    if not isinstance(node.tag, str):
        return
    its = node.get("translate") or node.get("{http://www.w3.org/2005/11/its}translate")
    kept = its == "no" or (kept and its != "yes")
    put = (lambda t: items.text(t, True)) if kept else lambda t: t and t.strip() and items.append(
        ("other" if re.search(r"<\w|&lt;", t) else "text", t))
    put(node.text)
    for child in node:
        walk_xml(items, child, kept)
        put(child.tail)
    items.inline(f"</{node.tag}")


def walk_android(items, node, kept=True):
    items.inline(tag_of(node))
    if not isinstance(node.tag, str):
        return
    if node.tag in ("string", "item"):
        parent = node.getparent()
        is_text = node.tag == "string" or parent.tag in ("plurals", "string-array")
        kept = not is_text or "false" in (node.get("translatable"), parent.get("translatable"))
    if etree.QName(node).localname == "g":
        kept = True
    if (node.text or "").strip()[:1] in ("@", "?"):
        kept = True
    items.append(("inline" if kept else "other", node.text or ""))
    for child in node:
        walk_android(items, child, kept)
        items.append(("inline" if kept else "other", child.tail or ""))


def json_items(value, items=None):
    items = Items() if items is None else items
    if isinstance(value, str):
        items.text(value)
    elif isinstance(value, list):
        items.block(f"[{len(value)}")
        for item in value:
            json_items(item, items)
    elif isinstance(value, tuple):
        items.block(f"{{{len(value[0])}")
        for key, item in value[0]:
            items.block(f"key {key}")
            json_items(item, items)
    else:
        items.block(repr(value))
    return items


def jsonl_items(text):
    items = Items()
    for line in text.split("\n"):
        try:
            json_items(read_json(line), items)
        except ValueError:
            items.block(line)
    return items


def read_json(text):
    return json.loads(text, object_pairs_hook=lambda pairs: (pairs,), parse_float=str, parse_int=str)


def yaml_items(text):
    items = Items()
    for event in yaml.parse(text):
        values = {k: v for k, v in vars(event).items() if k not in ("start_mark", "end_mark", "value", "style")}
        if isinstance(event, yaml.ScalarEvent):
            items.block(f"scalar {values} {event.style}")
            items.other(event.value)
        else:
            items.block(f"{type(event).__name__} {values}")
    return items


def csv_items(text, delimiter):
    items = Items()
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        items.block(f"row {len(row)}")
        for cell in row:
            items.block("cell")
            items.text(cell)
    return items


def sniff(text):
    first = text.split("\n")[0]
    return max(",;\t|", key=first.count)


def cue_items(cues):
    items = Items()
    for cue in cues:
        items.block(str(cue[:-1]))
        items.text(re.sub(r"<[^>]*>|\{[^}]*\}", "", cue[-1]))
    return items


def srt_items(text):
    return cue_items((s.index, str(s.start), str(s.end), s.position, s.text) for s in pysrt.from_string(text))


def vtt_items(text):
    return cue_items((c.identifier, c.start, c.end, c.raw_text if hasattr(c, "raw_text") else c.text)
                     for c in webvtt.from_string(text))


def unescape(text):
    """Decodes \\uXXXX, and joins lines that end with a backslash."""
    text = re.sub(r"\\\r?\n[ \t]*", "", text)
    return re.sub(r"\\[uU]([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)


def text_items(text):
    items = Items()
    for line in text.splitlines():
        if not line.strip():
            items.block("blank line")
        items.text(line)
    return items


def pair_items(text):
    items = Items()
    for line in unescape(text).splitlines():
        key, _, value = line.partition("=")
        items.block(key) if value else items.other(line)
        items.other(value)
    return items


PARSERS = {
    "text": text_items,
    "html": html_items,
    "markdown": markdown_items,
    "xml": lambda text: xml_items(text.encode(), walk_xml),
    "android": lambda text: xml_items(text.encode(), walk_android),
    "json": lambda text: json_items(read_json(text)),
    "jsonl": jsonl_items,
    "yaml": yaml_items,
    "csv": lambda text: csv_items(text, sniff(text)),
    "tsv": lambda text: csv_items(text, "\t"),
    "srt": srt_items,
    "vtt": vtt_items,
    "properties": pair_items,
    "strings": pair_items,
}


def accents(dragoman):
    plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    made = subprocess.run([dragoman, "--pseudo", "--as", "text"], input=plain, capture_output=True, text=True).stdout
    return str.maketrans(made, plain)


def has_letters(text):
    """Whether the text has letters outside of what dragoman keeps as it is: addresses, placeholders, messages of ICU."""
    kept = r"\S*(?:://|/\w|@|www\.)\S*|\{%.*?%\}|\{\{.*?\}\}|\{\w+, *(?:plural|select).*\}|[$#%]?\{.*?\}|%[\d$]*[a-z@]"
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


def check(dragoman, name, path, folder, restore, translate, counts):
    out = folder / path.name
    code, message = run(dragoman, ["--identity"], name, path, out)
    if code and not out.exists():
        counts["refused"] += 1
        return
    if out.read_bytes() != path.read_bytes():
        yield "--identity changed it"
    out.unlink()
    code, message = run(dragoman, ["--pseudo"], name, path, out)
    try:
        yield from check_pseudo(name, read(path), read(out), restore)
    except Exception as error:  # the parser refuses the document
        try:
            PARSERS[name](read(path)) if name in PARSERS else list(compare_po(read(path), read(path), restore))
            yield f"{type(error).__name__}: {error}"
        except Exception:
            counts["not checked"] += 1
    if name == "po" and subprocess.run(["msgfmt", "-c", "-o", "/dev/null", path], capture_output=True).returncode == 0:
        made = subprocess.run(["msgfmt", "-c", "-o", "/dev/null", out], capture_output=True, text=True)
        if made.returncode:
            yield f"msgfmt: {made.stderr.strip()}"
    if translate:
        out.unlink()
        code, message = run(dragoman, ["--force-language"], name, path, out)
        if code:
            yield f"the translation failed: {message}"
        elif name in PARSERS:
            try:
                before = PARSERS[name](read(path))
            except Exception:
                return
            yield from compare_translation(before, PARSERS[name](read(out)), counts)
        elif name != "po":
            etree.fromstring(out.read_bytes())


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
