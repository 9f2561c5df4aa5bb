#!/usr/bin/env python3
"""Writes the office documents of the tests: what editors write, in small.

    scripts/reference/make_office_documents.py tests/golden/documents
"""
import sys
import zipfile
from pathlib import Path

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
OPENXML = "application/vnd.openxmlformats-"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
W = ('xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="' + RELATIONS + '" '
     'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
     'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
     'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"')
P = ('xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
     'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="' + RELATIONS + '"')
CORE = ('xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"')


def write(path, entries, stored=()):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, contents in entries.items():
            method = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), contents, method)


def types(parts):
    rows = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    return (HEAD + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Default Extension="rels" ContentType="{OPENXML}package.relationships+xml"/>'
            f'<Default Extension="xml" ContentType="application/xml"/>{rows}</Types>')


def relations(rows):
    rows = "".join(f'<Relationship Id="rId{i + 1}" Type="{kind}" Target="{target}"{more}/>'
                   for i, (kind, target, more) in enumerate(rows))
    return HEAD + f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def run(text, formatting="", name="w", attributes=' w:rsidR="00A17C3E"'):
    properties = f"<{name}:rPr>{formatting}</{name}:rPr>" if formatting else ""
    space = ' xml:space="preserve"' if name == "w" else ""
    return f"<{name}:r{attributes if name == 'w' else ''}>{properties}<{name}:t{space}>{text}</{name}:t></{name}:r>"


def field(code, result):
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    return (mark.format("begin") + f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
            + mark.format("separate") + result + mark.format("end"))


def paragraph(*parts):
    return '<w:p w:rsidR="00B2"><w:pPr><w:jc w:val="left"/></w:pPr>' + "".join(parts) + "</w:p>\r\n"


def docx(path):
    note = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="2"/></w:r>'
    box = "<w:txbxContent><w:p>" + run("Text in ") + run("the box", "<w:i/>") + "</w:p></w:txbxContent>"
    body = "".join([
        paragraph(run("The lit"), '<w:proofErr w:type="spellStart"/>', run("tle", '<w:lang w:val="en-GB"/>'),
                  '<w:proofErr w:type="spellEnd"/>', run(" dog"), run(" sleeps", "<w:b/>"),
                  run(" now", '<w:b/><w:lang w:val="en-US"/>'), run(" under the tree.")),
        paragraph(run("See the footnote"), note, run(" about money.")),
        paragraph('<w:bookmarkStart w:id="0" w:name="here"/>', run("A bookmark"), '<w:bookmarkEnd w:id="0"/>',
                  run(" ends here; "), '<w:bookmarkStart w:id="1" w:name="there"/>', run("another one "),
                  '<w:bookmarkEnd w:id="1"/>', run("ends there.")),
        paragraph(run("The page "), field("PAGE", run("3")), run(" has a picture, says "),
                  field('HYPERLINK "https://example.org"', run("the great manual", '<w:u w:val="single"/>')), run(".")),
        paragraph(run("We "), '<w:del w:id="5" w:author="A"><w:r><w:delText>never</w:delText></w:r></w:del>',
                  '<w:ins w:id="6" w:author="A">' + run("always") + "</w:ins>", run(" drink water.")),
        paragraph('<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline>'
                  '<wp:docPr id="1" name="Box 1" descr="A big &quot;red&quot; box &amp; more" title="Box"/>' + box +
                  "</wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict>" + box +
                  "</w:pict></mc:Fallback></mc:AlternateContent></w:r>", run("The paragraph of the anchor.")),
        paragraph(run("Before the formula "), "<m:oMath><m:r><m:t>energy</m:t></m:r></m:oMath>", run(" and after it.")),
        paragraph("<w:sdt><w:sdtPr><w:alias w:val=\"name\"/></w:sdtPr><w:sdtContent>", run("Content control"),
                  "</w:sdtContent></w:sdt>", run(" in a sentence.")),
        paragraph(run("Name:"), "<w:r><w:tab/><w:t>John &amp; Mary &lt;both&gt;</w:t><w:br/><w:t>A new line.</w:t></w:r>"),
        paragraph('<w:hyperlink r:id="rId1" w:history="1">', run("A "), run("whole", "<w:b/>"), run(" link"),
                  "</w:hyperlink>", run(" begins the line.")),
        paragraph(run("non"), "<w:r><w:noBreakHyphen/></w:r>", run("stop, soft"), "<w:r><w:softHyphen/></w:r>",
                  run("ware.")),
        "<w:p/><w:p><w:r><w:t/></w:r></w:p>", paragraph(run("12 %")),
        "<w:tbl><w:tr><w:tc>", paragraph(run("First cell")), "</w:tc><w:tc>", paragraph(run("83")),
        "</w:tc></w:tr></w:tbl>",
        "<w:p><w:r><w:t> Spaces that do not count </w:t></w:r></w:p>",
    ])
    main = OPENXML + "officedocument.wordprocessingml."
    parts = {"word/document.xml": main + "document.main+xml", "word/styles.xml": main + "styles+xml",
             "word/header1.xml": main + "header+xml", "word/footnotes.xml": main + "footnotes+xml",
             "docProps/core.xml": OPENXML + "package.core-properties+xml"}
    write(path, {
        "[Content_Types].xml": types(parts),
        "_rels/.rels": relations([(RELATIONS + "/officeDocument", "word/document.xml", "")]),
        "word/document.xml": HEAD + f"<w:document {W}><w:body>{body}<w:sectPr/></w:body></w:document>",
        "word/_rels/document.xml.rels": relations([
            (RELATIONS + "/hyperlink", "https://example.org/", ' TargetMode="External"'),
            (RELATIONS + "/styles", "styles.xml", ""), (RELATIONS + "/header", "header1.xml", ""),
            (RELATIONS + "/footnotes", "footnotes.xml", "")]),
        "word/styles.xml": HEAD + f'<w:styles {W}><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-US" '
                                  'w:eastAsia="en-US"/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>',
        "word/header1.xml": (HEAD + f"<w:hdr {W}><w:p>" + run("Confidential letter") + "</w:p></w:hdr>").encode(
            "utf-16").replace(b"U\0T\0F\0-\0008\0", b"U\0T\0F\0-\0001\0006\0"),
        "word/footnotes.xml": HEAD + f'<w:footnotes {W}><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>' +
                              run(" The note is short.") + "</w:p></w:footnote></w:footnotes>",
        "word/media/image1.png": b"\x89PNG\r\n\x1a\nnot really",
        "docProps/core.xml": HEAD + f"<cp:coreProperties {CORE}><dc:title>A letter</dc:title><dc:creator>Jane</dc:creator>"
                                    "<dc:language>en-US</dc:language></cp:coreProperties>",
    }, stored=["word/media/image1.png", "word/footnotes.xml"])


def pptx(path):
    def slide_run(text, attributes='lang="en-US"', inside=""):
        return f"<a:r><a:rPr {attributes}>{inside}</a:rPr><a:t>{text}</a:t></a:r>"

    def shape(*paragraphs, placeholder="", described=""):
        return (f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape 1"{described}/><p:cNvSpPr/><p:nvPr>{placeholder}</p:nvPr>'
                "</p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>" + "".join(f"<a:p>{p}</a:p>" for p in paragraphs) +
                "</p:txBody></p:sp>")

    def page(name, *shapes):
        return (HEAD + f"<p:{name} {P}><p:cSld><p:spTree>" + "".join(shapes) + f"</p:spTree></p:cSld></p:{name}>")

    number = '<a:fld id="{1}" type="slidenum"><a:rPr lang="en-US"/><a:t>one</a:t></a:fld>'
    main = OPENXML + "officedocument.presentationml."
    parts = {"ppt/presentation.xml": main + "presentation.main+xml", "ppt/slides/slide1.xml": main + "slide+xml",
             "ppt/notesSlides/notesSlide1.xml": main + "notesSlide+xml",
             "ppt/slideMasters/slideMaster1.xml": main + "slideMaster+xml",
             "ppt/comments/comment1.xml": main + "comments+xml"}
    write(path, {
        "[Content_Types].xml": types(parts),
        "_rels/.rels": relations([(RELATIONS + "/officeDocument", "ppt/presentation.xml", "")]),
        "ppt/presentation.xml": HEAD + f"<p:presentation {P}/>",
        "ppt/slides/slide1.xml": page("sld", shape(
            slide_run("The new ") + slide_run("prod", 'lang="en-US" dirty="0"') + slide_run("uct"),
            slide_run("It costs ") + slide_run("very little", 'lang="en-US" b="1"') + slide_run(" money.") + "<a:br/>" +
            slide_run("Second line") + '<a:endParaRPr lang="en-US"/>',
            slide_run("Slide ") + number,
            slide_run("Read "), slide_run("the manual", "", '<a:hlinkClick r:id="rId1"/>') + slide_run("!"),
            described=' descr="Title of the slide"')),
        "ppt/notesSlides/notesSlide1.xml": page("notes", shape(slide_run("Remember to smile."))),
        "ppt/slideMasters/slideMaster1.xml": page(
            "sldMaster", shape(slide_run("Click to edit"), placeholder='<p:ph type="title"/>'),
            shape(slide_run("Our company"))),
        "ppt/comments/comment1.xml": HEAD + f"<p:cmLst {P}><p:cm><p:text>Is this true?</p:text></p:cm></p:cmLst>",
    })


def main():
    folder = Path(sys.argv[1])
    docx(folder / "docx" / "letter.docx")
    pptx(folder / "pptx" / "slides.pptx")


main()
