"""What independent parsers find in documents, for check_documents.py: lists of items, by the names of the formats."""
import csv
import io
import json
import re

import html5lib
import pysrt
import pysubs2
import webvtt
import yaml
from lxml import etree
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

INLINE = set("a abbr acronym b bdi bdo big blink br cite code data del dfn em font i img input ins kbd label mark nobr "
             "output q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr".split())
KEPT = set("code kbd samp tt var math listing metadata pre iframe noembed noframes script style xmp template "
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
        elif token.type == "front_matter":
            front_matter_items(items, token.content)
        else:
            content = token.content if token.type in ("fence", "code_block") else ""
            items.block(f"{token.type} {token.tag} {token.markup} {token.info} {token.level} {content}")
    return items


def front_matter_items(items, text):
    def walk(value):
        if isinstance(value, (dict, list)):
            items.block(f"{type(value).__name__} {list(value) if isinstance(value, dict) else len(value)}")
            for item in value.values() if isinstance(value, dict) else value:
                walk(item)
        else:
            items.other(str(value))

    try:
        walk(yaml.safe_load(text))
    except yaml.YAMLError:
        items.block(text)


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


def ttml_items(text):
    return cue_items((sorted(p.attrib.items()), "".join(p.itertext()))
                     for p in etree.fromstring(text.encode()).iter("{*}p"))


def vtt_items(text):
    return cue_items((c.identifier, c.start, c.end, c.raw_text if hasattr(c, "raw_text") else c.text)
                     for c in webvtt.from_string(text))


def ass_items(text):
    """Dialogues with karaoke stay as they are, and so do drawings."""
    film = pysubs2.SSAFile.from_string(text)
    items = Items()
    items.block(str((film.info, film.styles, film.fonts_opaque, film.graphics_opaque)))
    for event in film:
        is_spoken = event.type == "Dialogue" and not re.search(r"\{[^}]*\\[kK]", event.text)
        items.block(str({key: value for key, value in event.as_dict().items() if key != "text" or not is_spoken}))
        if not is_spoken:
            continue
        for tag in re.findall(r"\{[^}]*\}", event.text):
            items.inline(tag)
        words = re.sub(r"\{[^}]*\\p[1-9].*?(\{[^}]*\\p0.*?\}|$)", "", event.text)
        items.text(re.sub(r"\{[^}]*\}", "", words))
    return items


def sbv_items(text):
    items = Items()
    for cue in re.split(r"\n\n+", text.strip()):
        times, _, words = cue.partition("\n")
        items.block(times)
        items.text(words)
    return items


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
    "ttml": ttml_items,
    "vtt": vtt_items,
    "sbv": sbv_items,
    "ass": ass_items,
    "properties": pair_items,
    "strings": pair_items,
}
