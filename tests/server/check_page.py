#!/usr/bin/env python3
"""Checks the web page of the server: check_page.py [--contrast] FILE"""
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "hr"}
# Colors of texts, and what they are written on.
PAIRS = [(text, back) for text in ("text", "soft", "accent") for back in ("back", "card", "result", "accent-soft")]
PAIRS += [("text", back) for back in ("word", "unsure", "doubtful")]
PAIRS += [("bad", "card"), ("bad", "back"), ("on-accent", "accent")]


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.wanted, self.faults = [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.wanted += [attributes[name] for name in ("for", "aria-labelledby", "aria-controls") if name in attributes]
        if tag == "button" and "type" not in attributes and "form" not in self.open:
            self.faults.append(f"line {self.getpos()[0]}: a button without a type")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass  # shapes of SVG

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"line {self.getpos()[0]}: </{tag}> closes another element")


def check_elements(text):
    page = Page()
    page.feed(text)
    page.wanted += re.findall(r'\$\("([A-Za-z]+)"\)', text)
    faults = page.faults + [f"<{tag}> is not closed" for tag in page.open]
    faults += [f"id {name} exists twice" for name in set(page.ids) if page.ids.count(name) > 1]
    return faults + [f"id {name} does not exist" for name in sorted(set(page.wanted) - set(page.ids))]


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def check_contrast(text):
    colors = {name: shades for name, *shades in re.findall(r"--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)", text)}
    faults = []
    for front, back in PAIRS:
        for shade, theme in enumerate(("light", "dark")):
            low, high = sorted(luminance(colors[name][shade]) for name in (front, back))
            contrast = (high + 0.05) / (low + 0.05)
            if contrast < 4.5:
                faults.append(f"{front} on {back}, {theme}: {contrast:.2f}")
    return faults


text = open(sys.argv[-1], encoding="utf-8").read()
found = check_contrast(text) if sys.argv[1] == "--contrast" else check_elements(text)
print("\n".join(found))
sys.exit(1 if found else 0)
