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


ODF = "urn:oasis:names:tc:opendocument:xmlns:"
O = (f'xmlns:office="{ODF}office:1.0" xmlns:text="{ODF}text:1.0" xmlns:style="{ODF}style:1.0" xmlns:draw="{ODF}drawing:1.0" '
     f'xmlns:table="{ODF}table:1.0" xmlns:fo="{ODF}xsl-fo-compatible:1.0" xmlns:svg="{ODF}svg-compatible:1.0" '
     f'xmlns:meta="{ODF}meta:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" '
     'xmlns:officeooo="http://openoffice.org/2009/office" office:version="1.3"')
STYLES = ('<office:automatic-styles>'
          '<style:style style:name="T1" style:family="text"><style:text-properties officeooo:rsid="001"/></style:style>'
          '<style:style style:name="T2" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
          '<style:style style:name="T3" style:family="text"><style:text-properties fo:font-weight="bold" '
          'officeooo:rsid="002"/></style:style></office:automatic-styles>')


def odf_body():
    def p(*parts, name="p", attributes=""):
        return f'<text:{name} text:style-name="Standard"{attributes}>' + "".join(parts) + f"</text:{name}>"

    def span(text, style):
        return f'<text:span text:style-name="{style}">{text}</text:span>'

    note = ('<text:note text:id="n1" text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
            + p("The note is ", span("short", "T2"), ".") + "</text:note-body></text:note>")
    frame = ('<draw:frame draw:name="F"><draw:text-box>' + p("Text in the box.") + "</draw:text-box><svg:title>A box</svg:title>"
             "<svg:desc>A big &quot;red&quot; box</svg:desc></draw:frame>")
    link = '<text:a xlink:type="simple" xlink:href="https://example.org">' + span("the great", "T1") + " manual</text:a>"
    return "\n".join([
        '<text:tracked-changes><text:changed-region><text:deletion>' + p("Deleted text") +
        '</text:deletion></text:changed-region></text:tracked-changes>',
        p("The old house", name="h", attributes=' text:outline-level="1"'),
        p("The lit", span("tle", "T1"), " dog ", span("slee", "T2"), span("ps now", "T3"), " under the tree."),
        p("See the footnote", note, " about  money."), p("Read ", link, " before<text:s/>you start<text:line-break/>\nthe work."),
        p('<text:bookmark-start text:name="b"/>A bookmark<text:bookmark-end text:name="b"/> ends here, on page '
          '<text:page-number text:select-page="current">3</text:page-number>.'),
        p(frame, "The paragraph of the anchor."), p("Name:<text:tab/>John &amp; Mary &lt;both&gt;"),
        p('A comment<office:annotation office:name="c"><dc:creator>Jane</dc:creator>' + p("Is this true?") +
          '</office:annotation> is about this word<office:annotation-end office:name="c"/>.'),
        "<text:list><text:list-item>" + p("First item") + "</text:list-item></text:list>",
        '<table:table table:name="T"><table:table-row><table:table-cell>' + p("First cell") +
        "</table:table-cell><table:table-cell>" + p("83") + "</table:table-cell></table:table-row></table:table>",
        p(), '<text:p/>', p("12 %"),
    ])


def odt(path):
    kind = "application/vnd.oasis.opendocument.text"
    xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
    properties = '<style:text-properties fo:language="en" fo:country="US"/>'
    write(path, {
        "mimetype": kind,
        "content.xml": xml + f"<office:document-content {O}>{STYLES}<office:body><office:text>{odf_body()}</office:text>"
                             "</office:body></office:document-content>",
        "styles.xml": xml + f'<office:document-styles {O}><office:styles><style:default-style style:family="paragraph">'
                            f"{properties}</style:default-style></office:styles><office:master-styles><style:master-page>"
                            "<style:header><text:p>Page header</text:p></style:header></style:master-page>"
                            "</office:master-styles></office:document-styles>",
        "meta.xml": xml + f"<office:document-meta {O}><office:meta><dc:title>The house</dc:title><dc:language>en-US"
                          "</dc:language><meta:keyword>houses</meta:keyword></office:meta></office:document-meta>",
        "Pictures/a.png": b"\x89PNG\r\n\x1a\nnot really",
        "META-INF/manifest.xml": xml + '<manifest:manifest xmlns:manifest="' + ODF + 'manifest:1.0" manifest:version="1.3"><manifest:file-entry '
                                       f'manifest:full-path="/" manifest:media-type="{kind}"/>' +
        "".join(f'<manifest:file-entry manifest:full-path="{name}.xml" manifest:media-type="text/xml"/>'
                for name in ("content", "styles", "meta")) +
        '<manifest:file-entry manifest:full-path="Pictures/a.png" manifest:media-type="image/png"/></manifest:manifest>',
    }, stored=["mimetype", "Pictures/a.png"])


def fodt(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {O} office:mimetype="application/vnd.oasis.opendocument.text">{STYLES}<office:body><office:text>'
                    f"{odf_body()}</office:text></office:body></office:document>\n")


def xlsx(path):
    main = OPENXML + "officedocument.spreadsheetml."
    s = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

    def row(number, *cells):
        return f'<row r="{number}">' + "".join(cells) + "</row>"

    sheet = [
        row(1, *(f'<c r="{c}1" t="s"><v>{i}</v></c>' for i, c in enumerate("ABC"))),
        row(2, '<c r="A2" t="s"><v>3</v></c><c r="B2"><v>12.5</v></c><c r="C2" t="s"><v>4</v></c>'),
        row(3, '<c r="A3" t="s"><v>5</v></c><c r="B3"><f>B2*2</f><v>25</v></c><c r="C3" t="s"><v>4</v></c>'),
        row(4, '<c r="A4" t="inlineStr"><is><t>Written in the cell</t></is></c><c r="B4" t="b"><v>1</v></c>'
               '<c r="C4" t="str"><f>IF(C2="In stock","x","y")</f><v>x</v></c>'),
    ]
    strings = ["<t>Product</t>", "<t>Price</t>", "<t>State</t>", "<t>Garden chair</t>", "<t>In stock</t>",
               '<r><t xml:space="preserve">A </t></r><r><rPr><b/></rPr><t>heavy</t></r><r><t xml:space="preserve"> table</t></r>']
    write(path, {
        "[Content_Types].xml": types({"xl/workbook.xml": main + "sheet.main+xml", "xl/worksheets/sheet1.xml": main + "worksheet+xml",
                                      "xl/sharedStrings.xml": main + "sharedStrings+xml", "xl/comments1.xml": main + "comments+xml"}),
        "_rels/.rels": relations([(RELATIONS + "/officeDocument", "xl/workbook.xml", "")]),
        "xl/workbook.xml": HEAD + f'<workbook {s} xmlns:r="{RELATIONS}"><sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets>'
                                  "</workbook>",
        "xl/_rels/workbook.xml.rels": relations([(RELATIONS + "/worksheet", "worksheets/sheet1.xml", ""),
                                                 (RELATIONS + "/sharedStrings", "sharedStrings.xml", "")]),
        "xl/worksheets/sheet1.xml": HEAD + f'<worksheet {s}><sheetData>{"".join(sheet)}</sheetData><headerFooter><oddHeader>'
                                           "&amp;L&amp;BList of products&amp;R&amp;P</oddHeader></headerFooter></worksheet>",
        "xl/worksheets/_rels/sheet1.xml.rels": relations([(RELATIONS + "/comments", "../comments1.xml", "")]),
        "xl/sharedStrings.xml": HEAD + f'<sst {s} count="8" uniqueCount="6">' + "".join(f"<si>{x}</si>" for x in strings) + "</sst>",
        "xl/comments1.xml": HEAD + f'<comments {s}><authors><author>Jane</author></authors><commentList><comment ref="B2" authorId="0">'
                                   "<text><r><t>Is this the right price?</t></r></text></comment></commentList></comments>",
    })


def sheet_body():
    def cell(text, kind="string", more=""):
        return f'<table:table-cell office:value-type="{kind}"{more}><text:p>{text}</text:p></table:table-cell>'

    return ('<office:spreadsheet><table:table table:name="List">'
            "<table:table-row>" + cell("Product") + cell("Price") + "</table:table-row>\n"
            "<table:table-row>" + cell("Garden <text:span>chair</text:span>") + cell("12.5", "float", ' office:value="12.5"') +
            "</table:table-row>\n<table:table-row>" + cell("In stock", more=' table:number-columns-repeated="2"') +
            cell("25", "float", ' office:value="25" table:formula="of:=[.B2]*2"') + "</table:table-row></table:table></office:spreadsheet>")


def ods(path):
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
    write(path, {
        "mimetype": kind,
        "content.xml": xml + f"<office:document-content {O}><office:body>{sheet_body()}</office:body></office:document-content>",
        "META-INF/manifest.xml": xml + f'<manifest:manifest xmlns:manifest="{ODF}manifest:1.0" manifest:version="1.3">'
                                       f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/><manifest:file-entry '
                                       'manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
    }, stored=["mimetype"])


def fods(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {O} '
                    'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body>'
                    f"{sheet_body()}</office:body></office:document>\n")


def epub(path):
    xml = '<?xml version="1.0" encoding="utf-8"?>\n'
    page = (xml + '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">\n<head><title/>'
            '<script src="a.js"/></head>\n<body>\n{}\n</body>\n</html>\n')
    ncx = ('<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><docTitle><text>The old house</text></docTitle>'
           "<docAuthor><text>Jane Doe</text></docAuthor><navMap><navPoint id='a'><navLabel><text>First chapter</text></navLabel>"
           '<content src="one%20page.xhtml"/></navPoint></navMap></ncx>')
    book = ('<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x</dc:identifier><dc:title>The old house'
            "</dc:title><dc:creator>Jane Doe</dc:creator><dc:language>en</dc:language><dc:description>A story about a house."
            '</dc:description></metadata><manifest><item id="a" href="text/one%20page.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="n" href="./nav.xhtml" properties="nav" media-type="application/xhtml+xml"/><item id="t" href="toc.ncx" '
            'media-type="application/x-dtbncx+xml"/><item id="c" href="a.css" media-type="text/css"/></manifest><spine toc="t">'
            '<itemref idref="a"/></spine></package>')
    write(path, {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": xml + '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
                                        '<rootfiles><rootfile full-path="OEBPS/book.opf" '
                                        'media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/book.opf": xml + book,
        "OEBPS/toc.ncx": xml + ncx,
        "OEBPS/nav.xhtml": page.format('<nav><ol><li><a href="text/one%20page.xhtml">First chapter</a></li></ol></nav>'),
        "OEBPS/text/one page.xhtml": page.format(
            '<h1><a id="top"/>First chapter</h1>\n<p>The <b>red house</b> is old.<a id="p2"/> It has a <i>long</i> story, '
            'and\nmany <span class="x">windows</span>.</p>\n<p><img src="a.png" alt="A picture of the house"/></p><br/>'
            "\n<pre>code stays</pre>\n<p>John &amp; Mary said: &#8220;Hello!&#8221;</p>"),
        "OEBPS/a.css": "p { margin: 0 }\n",
    }, stored=["mimetype"])


def main():
    folder = Path(sys.argv[1])
    odt(folder / "odt" / "house.odt")
    fodt(folder / "fodt" / "house.fodt")
    xlsx(folder / "xlsx" / "list.xlsx")
    ods(folder / "ods" / "list.ods")
    fods(folder / "fods" / "list.fods")
    epub(folder / "epub" / "book.epub")
    docx(folder / "docx" / "letter.docx")
    pptx(folder / "pptx" / "slides.pptx")


main()
