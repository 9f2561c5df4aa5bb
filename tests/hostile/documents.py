"""Documents that expand, nest deeply, or make simple parsers take quadratic time."""

import itertools
import random
import zipfile

from archives import docx, laughs
from cases import case, copy_model, file_with, replaced, zip_bytes

GROUP = "Documents"
LAUGHS = "billion laughs"
XXE = "XXE"
CMARK = "cmark"
LIBYAML = "libyaml"
MINEFIELD = "JSON minefield"
HTML5LIB = "html5lib"
MANY = 20000


def document(trick, source, name, content, status=0, arguments="--identity"):
    case(GROUP, trick, source, file_with(name, content), f"{arguments} {name}", status)


def add_xml():
    document("Entities expand to gigabytes", LAUGHS, "m.xml", laughs(), 1)
    quadratic = '<!DOCTYPE d [<!ENTITY a "' + "a" * 100000 + '">]><d>' + "&a;" * 100000 + "</d>"
    document("One long entity is used 100,000 times", "quadratic blowup", "m.xml", quadratic)
    document(
        "An entity contains itself", LAUGHS, "m.xml", '<!DOCTYPE d [<!ENTITY a "&b;"><!ENTITY b "&a;">]><d>&a;</d>'
    )
    document(
        "Parameter entities expand to gigabytes",
        LAUGHS,
        "m.xml",
        '<!DOCTYPE d [<!ENTITY % a "x"><!ENTITY % b "%a;%a;">%b;]><d>a</d>',
        1,
    )
    document(
        "An entity names a file of the machine",
        XXE,
        "m.xml",
        '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]><d>&e;</d>',
    )
    document(
        "An entity names an address of the network",
        XXE,
        "m.xml",
        '<!DOCTYPE d SYSTEM "http://example.invalid/d.dtd" [<!ENTITY e SYSTEM "http://example.invalid/">]><d>&e;</d>',
    )
    document(
        "XInclude names a file of the machine",
        XXE,
        "m.xml",
        '<d xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/passwd" parse="text"/></d>',
    )
    document("XML: 100,000 nested elements", "own", "m.xml", lambda: "<a>" * 100000 + "text" + "</a>" * 100000)
    document(
        "XML: an element has 100,000 attributes",
        "own",
        "m.xml",
        lambda: "<d " + " ".join(f'a{i}="x"' for i in range(100000)) + ">text</d>",
    )
    document(
        "XML: a tag of ten million bytes",
        "CVE-2023-52425 of expat",
        "m.xml",
        lambda: '<d a="' + "x" * 10000000 + '">text</d>',
    )
    case(
        GROUP,
        "Entities of a translation memory expand to gigabytes",
        LAUGHS,
        file_with("m.tmx", laughs("tmx")),
        "-m m --memory m.tmx",
    )
    case(
        GROUP,
        "Entities of a termbase expand to gigabytes",
        LAUGHS,
        file_with("m.tbx", laughs("martif")),
        "-m m --glossary m.tbx",
    )


def declared(root, attributes, body):
    """A DTD that gives each element `a` this many attributes."""
    names = " ".join(f"b{i} CDATA 'x'" for i in range(attributes))
    return f"<!DOCTYPE {root} [<!ATTLIST a {names}>]><{root}>{body}</{root}>"


def add_declarations():
    document("A DTD declares 100,000 attributes", "own", "m.xml", lambda: declared("d", 100000, "<a/>"), 1)
    document(
        "A DTD declares 100 attributes for each of 100,000 elements",
        "own",
        "m.xml",
        declared("d", 100, "<a/>" * 100000),
        1,
    )
    document("A DTD declares 100 attributes for each of 600 elements", "own", "m.xml", declared("d", 100, "<a/>" * 600))
    case(
        GROUP,
        "The DTD of a translation memory declares 100 attributes for each of 100,000 elements",
        "own",
        file_with("m.tmx", lambda: declared("tmx", 100, "<a/>" * 100000)),
        "-m m --memory m.tmx",
    )
    case(
        GROUP,
        "The DTD of a termbase declares 100 attributes for each of 100,000 elements",
        "own",
        file_with("m.tbx", lambda: declared("martif", 100, "<a/>" * 100000)),
        "-m m --glossary m.tbx",
    )


# The primes of XXH64.
PRIME_1 = 0x9E3779B185EBCA87
PRIME_2 = 0xC2B2AE3D27D4EB4F
WORD = (1 << 64) - 1
LETTERS = bytes(b for b in range(1, 127) if chr(b) not in "\t\n\v\f\r #\\")


def lane_pairs(start, count, random):
    """Pairs of eight bytes that leave a lane of XXH64 in the same state."""

    def after_first(first):
        lane = start + int.from_bytes(first, "little") * PRIME_2 & WORD
        return (lane << 31 | lane >> 33) * PRIME_1 & WORD

    inverse = pow(PRIME_2, -1, 1 << 64)
    pairs, state = [], None
    while len(pairs) < count:
        first = bytes(random.choices(LETTERS, k=8))
        if state is None:
            state = after_first(first) + int.from_bytes(b"eightest", "little") * PRIME_2 & WORD
        second = ((state - after_first(first)) * inverse & WORD).to_bytes(8, "little")
        if all(byte in LETTERS for byte in second):
            pairs.append((first, second))
    return pairs


def colliding(count):
    """Rows whose sources, count^4 texts of 64 bytes, have the same XXH64 with seed 0."""
    starts = (PRIME_1 + PRIME_2 & WORD, PRIME_2, 0, -PRIME_1 & WORD)
    lanes = [lane_pairs(start, count, random.Random(start)) for start in starts]
    return b"".join(
        b"".join(first for first, _ in text) + b"".join(second for _, second in text) + b"\tx\n"
        for text in itertools.product(*lanes)
    )


def many_languages(folder):
    """A memory of 250 languages, all of which fit the model, because its files name none."""
    copy_model(folder, "marian_nmt/student")
    languages = [f"q{a}{b}" for a in "abcdefghij" for b in "abcdefghijklmnopqrstuvwxy"]
    rows = [f"\t{language}\tde\tl{i}\tx\n" for i, language in enumerate(languages)]
    (folder / "m.tsv").write_text("".join(rows), encoding="utf-8")
    (folder / "in").write_text("".join(f"l{i % len(rows)}\n" for i in range(50000)), encoding="utf-8")


def many_pairs(folder):
    """Units in 84 languages, each of which may be the source or the target."""
    copy_model(folder, "marian_nmt/student")
    languages = [f"q{a}{b}" for a in "abcdefg" for b in "abcdefghijkl"]
    units = (
        "<tu>" + "".join(f'<tuv xml:lang="{x}"><seg>{unit} {x}</seg></tuv>' for x in languages) + "</tu>\n"
        for unit in range(400)
    )
    text = f'<tmx version="1.4">\n<header srclang="*all*"/><body>{"".join(units)}</body></tmx>'
    (folder / "m.tmx").write_text(text, encoding="utf-8")


def add_memories():
    case(
        GROUP,
        "400 units of a translation memory, each in 84 languages, make 2.8 million pairs",
        "own",
        many_pairs,
        "-m m --memory m.tmx",
        1,
    )
    case(
        GROUP,
        "A translation memory has 250 languages, and 50,000 lines are looked up in it",
        "own",
        many_languages,
        "-q -m m --memory m.tsv",
        0,
    )
    case(
        GROUP,
        "65,536 lines of a translation memory are made to collide in a hash table",
        "hash flooding",
        file_with("m.tsv", lambda: colliding(16)),
        "-m m --memory m.tsv",
        0,
    )


def add_data():
    yaml = ["a0: &a0 [laughs]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    document("Aliases of YAML expand to gigabytes", LAUGHS, "m.yaml", "\n".join(yaml) + "\n")
    document("YAML has 100,000 levels of nested brackets", LIBYAML, "m.yaml", "a: " + "[" * 100000, 1)
    document(
        "YAML has 2,000 levels of indentation",
        LIBYAML,
        "m.yaml",
        lambda: "".join(" " * i + "a:\n" for i in range(2000)),
        1,
    )
    document("A line of YAML has 100,000 colons", LIBYAML, "m.yaml", "a: " + "b:" * 100000 + "\n", 1)
    document("YAML has 20,000 keys that are never completed", LIBYAML, "m.yaml", "? a\n" * MANY)
    document("JSON has 100,000 levels of nesting", MINEFIELD, "m.json", "[" * 100000 + "]" * 100000, 1)
    document("JSON opens a million objects and closes none", MINEFIELD, "m.json", '{"a":' * 1000000, 1)
    document("A string of JSON has half of a surrogate pair", MINEFIELD, "m.json", '["\\ud800 text"]')
    document("A number of JSON has a million digits", MINEFIELD, "m.json", "[" + "9" * 1000000 + ', "text"]')
    document("A string of JSON has 20,000 literal line breaks", "own", "m.json", '["' + "A.\\\\n" * MANY + '"]')
    document(
        "A key of JSON has a million letters, and 100,000 values",
        "own",
        "m.json",
        lambda: '{"' + "k" * 1000000 + 'type":[' + ",".join(['"ab"'] * 100000) + "]}",
    )
    selections = "".join(f" {{{name},select,x{{k}}y{{l}}z{{m}}other{{n}}}}" for name in "abcde")
    document(
        "A message of JSON has 1,024 sentences and 100,000 soft hyphens",
        "own",
        "m.json",
        '["Word ' + "\u00ad" * 100000 + selections + '"]',
    )
    document(
        "A field of CSV has a quotation mark that is not closed", "own", "m.csv", lambda: 'a,"b' + "c,d\n" * 1000000, 1
    )
    document("A field of CSV has a million quotation marks", "own", "m.csv", lambda: 'a,"' + '""' * 1000000 + '"\n')


def add_markdown():
    for what, content in (
        ("100,000 nested quotations", "> " * 100000 + "a"),
        ("1,000 nested lists", "".join("  " * i + "* a\n" for i in range(1000))),
        ("20,000 opening brackets", "[" * MANY + "a"),
        ("20,000 opening brackets of links", "[a](" * MANY),
        ("20,000 nested brackets", "[" * MANY + "a" + "]" * MANY),
        ("20,000 stars that open emphasis", "*a " * MANY),
        ("20,000 stars that close emphasis", "a* " * MANY),
        ("Emphasis of two kinds that overlaps", "*a _b " * 10000),
        ("Emphasis of three stars that overlaps", "***a** " * 10000),
        ("Runs of backticks, each longer than the one before", "".join("e" + "`" * i for i in range(1000))),
        ("20,000 comments that are not closed", "<!--" * MANY),
        ("20,000 declarations that are not closed", "a <!A " * MANY),
        ("20,000 processing instructions that are not closed", "a <?" * MANY),
        ("20,000 sections of CDATA that are not closed", "a <![CDATA[" * MANY),
        ("20,000 tags that are not closed", "a <a " * MANY),
        ("20,000 images that are not closed", "![" * MANY),
        ("20,000 definitions of links", "".join(f"[{i}]: u\n" for i in range(MANY)) + "[x] " * MANY),
        (
            "A table of 1,000 columns and 30 rows",
            "|" + "a|" * 1000 + "\n|" + "-|" * 1000 + "\n" + ("|" + "b|" * 1000 + "\n") * 30,
        ),
        ("20,000 backslashes", "\\" * MANY + "a"),
        ("20,000 entities", "&amp;" * MANY + "&" * MANY),
    ):
        document(f"Markdown: {what[0].lower() + what[1:]}", CMARK, "m.md", content + "\n")
    cells = "|a|b|\n|-|-|\n" + "a|" * MANY + " " * 500000 + "\n"
    document("Markdown: a row of 20,000 cells and 500,000 blanks", "own", "m.md", cells)
    document("Markdown: 30,000 items with formulas that are not closed", "own", "m.md", "- $$a\n" * 30000)
    document("Markdown: 250,000 lines that could each begin a table", "own", "m.md", "---\n" * 250000)


def add_markup():
    for what, content in (
        ("40,000 nested elements", "<div>" * 40000 + "a"),
        ("40,000 nested inline elements", "<b>" * 40000 + "a"),
        ("20,000 end tags without a start tag", "a</b>" * MANY),
        ("20,000 tags that are not closed", "<a " * MANY + "a"),
        ("20,000 comments that are not closed", "<!--" * MANY),
        ("20,000 attributes", "<p " + "a='b' " * MANY + ">a</p>"),
        ("20,000 ampersands", "<p>" + "&" * MANY + "a</p>"),
        ("20,000 wrongly nested elements", "<b><i>a</b></i>" * MANY),
        ("20,000 nested tables", "<table><tr><td>" * MANY + "a"),
        ("20,000 scripts that are not closed", "<script>" * MANY),
        ("20,000 angle brackets", "<" * MANY + "a"),
    ):
        document(f"HTML: {what[0].lower() + what[1:]}", HTML5LIB, "m.html", content + "\n")
    kept = "<p translate=no><b translate=yes></p>" * MANY + "\n"
    document("HTML: 20,000 elements that are not closed, in elements that stay", "own", "m.html", kept)
    for what, content, status in (
        ("40,000 nested braces", "{" * 40000 + "a" + "}" * 40000, 0),
        ("10,000 nested environments", "\\begin{a}" * 10000 + "a" + "\\end{a}" * 10000, 0),
        ("20,000 dollar signs", "$a" * MANY, 0),
        ("200,000 letters in an algorithm", "\\begin{algorithm}" + "a" * 200000 + "\\end{algorithm}", 0),
        ("10,000 macros that define each other", "\\def\\a{\\a\\a}" * 10000 + "\\a", 0),
        ("A file of the machine is included", "\\input{/etc/passwd}\\immediate\\write18{touch x}\n", 0),
    ):
        document(f"LaTeX: {what[0].lower() + what[1:]}", "own", "m.tex", content + "\n", status)


def styles(levels):
    """A document with automatic styles inside each other."""
    names = "".join(f'<a:automatic-styles><style:style style:name="T{i}" style:family="text">' for i in range(levels))
    ends = "</style:style></a:automatic-styles>" * levels
    return f'<a:d xmlns:a="a" xmlns:style="s" xmlns:text="t">{names}{ends}<text:p>Body</text:p></a:d>'


def odt(content):
    """A text of OpenDocument with this content.xml."""
    return file_with("m.odt", lambda: zip_bytes([("content.xml", content())], zipfile.ZIP_DEFLATED))


def add_office():
    case(GROUP, "ODT: 20,000 nested styles", "own", odt(lambda: styles(20000)), "--identity m.odt", 0)
    for what, body in (
        (
            "40,000 nested elements with runs between them",
            "<w:p>" + ("<w:ins>" * 50 + "<w:r><w:t>a</w:t></w:r>") * 800 + "</w:ins>" * 40000 + "</w:p>",
        ),
        ("100,000 nested paragraphs", "<w:p>" * 100000 + "</w:p>" * 100000),
        ("a run with 40,000 line breaks", "<w:p><w:r>" + ("<w:t>a</w:t>" + "<w:br/>" * 4) * 10000 + "</w:r></w:p>"),
    ):
        part = f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>'
        build = docx(lambda entries, part=part: replaced(entries, "word/document.xml", part))
        case(GROUP, f"DOCX: {what}", "own", build, "--identity m.docx", 0)


add_xml()
add_declarations()
add_memories()
add_data()
add_markdown()
add_markup()
add_office()
