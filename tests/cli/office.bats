#!/usr/bin/env bats
# office.bats - office documents and e-books on the command line.

load helper
load terminal

DOCUMENTS=${GOLDEN_ROOT:-$ROOT/build/golden}/documents

@test "names choose the formats, and translations are archives of the same kind" {
    local file
    for file in docx/letter.docx pptx/slides.pptx odt/house.odt epub/book.epub; do
        dragoman "$DOCUMENTS/$file" >out
        ! cmp -s out "$DOCUMENTS/$file"
        dragoman --identity --as "${file%/*}" out | cmp - out
        dragoman <"$DOCUMENTS/$file" --as "${file%/*}" | cmp - out
    done
    mkdir in
    cp "$DOCUMENTS"/docx/letter.docx "$DOCUMENTS"/epub/book.epub in
    dragoman -O out-of in
    dragoman "$DOCUMENTS/epub/book.epub" | cmp - out-of/book.epub
}

@test "a broken archive gives one line, and no file" {
    local by_name='(read as docx because of its name; --as chooses another format)'
    echo "This is no archive." >text.docx
    translate -o out.docx text.docx
    expect_status 1
    grep -qxF "dragoman: text.docx: not a DOCX document: it is not a zip archive $by_name" err
    head -c 3000 "$DOCUMENTS/docx/letter.docx" >cut.docx
    translate -o out.docx cut.docx
    expect_status 1
    grep -qF 'dragoman: cut.docx: zip archive: cut off: there is no directory at the end' err
    cp "$DOCUMENTS/epub/book.epub" book.docx
    translate -o out.docx book.docx
    expect_status 1
    grep -qxF "dragoman: book.docx: not a document of the format docx, but an e-book in EPUB; --as epub translates it" err
    cp "$DOCUMENTS/docx/letter.docx" damaged.docx
    printf 'xxxx' | dd of=damaged.docx bs=1 seek=700 conv=notrunc status=none
    translate -o out.docx damaged.docx
    expect_status 1
    [[ $(grep -c '^dragoman: damaged.docx' err) == 1 && ! -e out.docx ]]
}

@test "warnings name the part of the archive" {
    dragoman --as docx <"$DOCUMENTS/docx/letter.docx" >/dev/null 2>err
    [[ ! -s err ]] || grep -q '^dragoman: standard input/word/' err
}

@test "a memory makes the same archive without translating" {
    dragoman --memory memory.tsv "$DOCUMENTS/docx/letter.docx" >first
    translate -v --memory memory.tsv "$DOCUMENTS/docx/letter.docx"
    expect_status 0
    cmp first out
    grep -q ' 0 translated' err
}

# books NAME=ADDRESS=ENCRYPTED...: e-books whose description is at ADDRESS, and with a page that ENCRYPTED may name as
# encrypted.
books() {
    command -v python3 >/dev/null || skip "no python3"
    python3 - "$@" <<'END'
import sys, zipfile
page = "<html><body><p>A page.</p></body></html>"
for argument in sys.argv[1:]:
    name, address, encrypted = argument.split("=")
    with zipfile.ZipFile(name + ".epub", "w") as book:
        book.writestr("META-INF/container.xml", '<container><rootfile full-path="%s"/></container>' % address)
        book.writestr("META-INF/encryption.xml", '<e><CipherReference URI="%s"/></e>' % encrypted)
        book.writestr("a.opf", '<package><item href="one%20page.html" media-type="application/xhtml+xml"/></package>')
        book.writestr("one page.html", page)
END
}

@test "addresses in e-books may end with a percent sign" {
    local i addresses=(% %4 'a% 4' %4g)
    books 0=%=font.ttf 1=%4=font.ttf '2=a% 4=font.ttf' 3=%4g=font.ttf
    for i in 0 1 2 3; do
        translate $i.epub
        expect_status 1
        grep -qF "dragoman: $i.epub: not an EPUB book: it has no ${addresses[i]} (" err
    done
}

@test "an e-book is read if only its fonts are encrypted" {
    books font=a.opf=font.ttf page=a.opf=one%20page.html
    dragoman --identity font.epub | cmp - font.epub
    translate page.epub
    expect_status 1
    grep -qF 'dragoman: page.epub/one page.html: protected against copying (DRM), so it cannot be read' err
}

@test "e-books of EPUB 2 name the language of the translation" {
    command -v python3 >/dev/null || skip "no python3"
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
    python3 - <<'END'
import zipfile
with zipfile.ZipFile("two.epub", "w") as book:
    book.writestr("META-INF/container.xml", '<container><rootfile full-path="a.opf"/></container>')
    book.writestr("a.opf", '<package xml:lang="en"><metadata><dc:title xml:lang="en">The house</dc:title>'
                  '<dc:creator xml:lang="en">Jane</dc:creator></metadata>'
                  '<item href="a.ncx" media-type="application/x-dtbncx+xml"/>'
                  '<guide><reference title="The dog" type="cover"/><reference title=""/></guide></package>')
    book.writestr("a.ncx", '<?xml version="1.0"?>\n<!DOCTYPE ncx PUBLIC "n" "x">\n<!-- > -->'
                  '<ncx xml:lang="en"><text>The cat</text></ncx>')
END
    dragoman --identity two.epub | cmp - two.epub
    dragoman -q -o out.epub two.epub
    python3 -c 'import zipfile; z = zipfile.ZipFile("out.epub"); print(z.read("a.opf").decode(), z.read("a.ncx").decode())' >out
    cat out
    grep -qF '<package xml:lang="de"><metadata><dc:title xml:lang="de">Das Haus</dc:title>' out
    grep -qF '<dc:creator xml:lang="en">Jane<' out
    grep -qF '<reference title="Der Hund" type="cover"/><reference title=""/>' out
    grep -qF '<ncx xml:lang="de"><text>Die Katze</text>' out
}

@test "the description of a book can be in another encoding" {
    local name
    for name in windows-1252 UTF-16; do
        python3 - "$name" <<'EOF'
import sys, zipfile
name = sys.argv[1]
parts = {
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
    "a.opf": f'''<?xml version="1.0" encoding="{name}"?><package><metadata><title>Caf\u00e9</title></metadata>
<manifest><item href="a.xhtml" media-type="application/xhtml+xml"/></manifest></package>'''.encode(name),
    "a.xhtml": f'''<?xml version="1.0" encoding="{name}"?>
<html><body><p>Caf\u00e9</p></body></html>'''.encode(name),
}
with zipfile.ZipFile("other.epub", "w") as book:
    for part, text in parts.items():
        book.writestr(part, text)
EOF
        dragoman --identity other.epub | cmp - other.epub
        dragoman -q --pseudo -o out.epub other.epub
        python3 - "$name" <<'EOF'
import sys, zipfile
with zipfile.ZipFile("out.epub") as book:
    for part in "a.opf", "a.xhtml":
        assert "\u0106" in book.read(part).decode("utf-8" if sys.argv[1] != "UTF-16" else "utf-16"), part
EOF
    done
}

# by_extension [NAME DEFAULTS OVERRIDES]...: documents with elements Default and Override, each EXTENSION=TYPE or
# PATH=TYPE, and with a text after them, which has no attributes.
by_extension() {
    python3 - "$@" <<'END'
import sys, zipfile
arguments = sys.argv[1:]
while arguments:
    document, defaults, overrides, *arguments = arguments
    types = "<Types>"
    for kind, name, values in ("Default", "Extension", defaults), ("Override", "PartName", overrides):
        for value in values.split():
            types += '<%s %s="%s" ContentType="application/x.%s+xml"/>' % ((kind, name) + tuple(value.split("=")))
    with zipfile.ZipFile(document, "w") as archive:
        archive.writestr("[Content_Types].xml", types + "Types of parts</Types>")
        archive.writestr("_rels/.rels", '<R><Relationship Type="x/officeDocument" Target="/word/main.xml"/></R>')
        for name in "word/main.xml", "word/other.xml", "word/head.xml", "custom/x.XML":
            archive.writestr(name, "<w:document><w:p><w:r><w:t>A text</w:t></w:r></w:p></w:document>")
END
}

# translated FILE...: the names of the parts that are translated, one line for each document.
translated() {
    local file
    for file; do dragoman --identity "$file" | cmp - "$file"; done
    dragoman --pseudo -O pseudo "$@"
    python3 - "${@/#/pseudo/}" <<'END'
import sys, zipfile
for file in sys.argv[1:]:
    archive = zipfile.ZipFile(file)
    print(*[name for name in archive.namelist() if "Á ťéẋť" in archive.read(name).decode()])
END
}

@test "parts of DOCX may have a type by their extension" {
    local main=wordprocessingml.document.main header=wordprocessingml.header
    command -v python3 >/dev/null || skip "no python3"
    by_extension a.docx "XML=$main rels=relationships" "/word/head.xml=$header" \
        b.docx "xml=$header" "/word/main.xml=$main /word/other.xml=settings" \
        c.docx "xml=$main" "/word/main.xml=settings"
    [[ $(translated a.docx b.docx) == $'word/main.xml word/head.xml\nword/main.xml word/head.xml custom/x.XML' ]]
    translate c.docx
    expect_status 1
    grep -qF 'c.docx: not a DOCX document: [Content_Types].xml does not name one' err
}

# including FILE BYTES...: the document FILE.docx, which includes each FILE with these bytes, as Python spells them.
including() {
    command -v python3 >/dev/null || skip "no python3"
    python3 - "$@" <<'END'
import sys, zipfile
word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
types = {"xml": word, "rels": "x", "htm": "text/html", "mht": "message/rfc822"}
relationship = '<R><Relationship Id="i" Type="x/%s" Target="/word/%s"/></R>'
for file, text in zip(sys.argv[1::2], sys.argv[2::2]):
    with zipfile.ZipFile(file + ".docx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types>%s</Types>" % "".join(
            '<Default Extension="%s" ContentType="%s"/>' % pair for pair in types.items()))
        archive.writestr("_rels/.rels", relationship % ("officeDocument", "main.xml"))
        archive.writestr("word/main.xml", '<w:document><w:altChunk r:id="i"/></w:document>')
        archive.writestr("word/_rels/main.xml.rels", relationship % ("aFChunk", file))
        archive.writestr("word/" + file, text.encode().decode("unicode_escape").encode("latin-1"))
END
}

@test "HTML in a DOCX document is translated if it is UTF-8, and a warning names other files" {
    local file
    including a.htm '<p>A text &lt;b</p>' b.htm '<p>A text \xfc</p>' c.mht '<p>A text</p>'
    for file in [abc].*.docx; do dragoman --identity "$file" | cmp - "$file"; done
    translate --pseudo -o out.docx a.htm.docx
    expect_status 0
    [[ ! -s err && $(unzip -p out.docx word/a.htm) == $'\ufeff<p>Á ťéẋť &lt;ḃ</p>' ]]
    for file in b.htm.docx c.mht.docx; do
        translate --pseudo -o out.docx "$file"
        expect_status 0
        cmp out.docx "$file"
        grep -qF "dragoman: $file: some files that the document includes (w:altChunk) stay as they are" err
    done
}

# charts: one.odt and two.odt with a chart in the folder "Object 1", which the manifest of two.odt names wrongly.
charts() {
    python3 - <<'END'
import zipfile
entry = '<manifest:file-entry manifest:full-path="%s" manifest:media-type="application/vnd.oasis.opendocument.%s"/>'
for name, path in ("one.odt", "Object 1/"), ("two.odt", "Object 2/"):
    with zipfile.ZipFile(name, "w") as archive:
        archive.writestr("content.xml", "<office:text><text:p>12</text:p></office:text>")
        archive.writestr("Object 1/content.xml", "<chart:title><text:p>A title</text:p></chart:title>".join(
            ("<chart:chart>", "<table:table><text:p>A cell</text:p></table:table></chart:chart>")))
        archive.writestr("META-INF/manifest.xml", "<manifest:manifest>" + entry % ("/", "text") +
            entry % (path, "chart") + "</manifest:manifest>")
END
}

@test "titles of charts in OpenDocument are translated, but no cells" {
    command -v python3 >/dev/null || skip "no python3"
    charts
    dragoman --identity one.odt | cmp - one.odt
    dragoman --pseudo -o out.odt one.odt
    python3 -c 'import zipfile; print(zipfile.ZipFile("out.odt").read("Object 1/content.xml").decode())' >text
    grep -qF '<text:p>Á ťíťĺé</text:p>' text
    grep -qF '<text:p>A cell</text:p>' text
    dragoman --pseudo two.odt | cmp - two.odt
}

@test "a document is not written to a terminal" {
    cp "$DOCUMENTS/docx/letter.docx" .
    printf '\xff\xfeH\0i\0' >wide.txt
    local message="a document of the format docx cannot be shown on a terminal; write it to a file with -o FILE"
    for arguments in letter.docx "-o /dev/tty letter.docx" "-o /dev/stdout letter.docx" "--pseudo letter.docx"; do
        in_terminal "\"\$DRAGOMAN\" $arguments; echo status \$?"
        [[ $(<screen) == "dragoman: letter.docx: $message"*"status 2"* ]]
    done
    in_terminal "\"\$DRAGOMAN\" --identity wide.txt; echo status \$?"
    [[ $(<screen) == "dragoman: wide.txt: a document in UTF-16LE cannot be shown on a terminal"*"status 2"* ]]
    in_terminal "\"\$DRAGOMAN\" --identity letter.docx | cmp - letter.docx; \"\$DRAGOMAN\" -q -o out letter.docx"
    [[ ! -s screen && -s out ]]
}

@test "a binary file in a stream is refused, and a stream does not wait for more than it has" {
    for file in docx/letter.docx pptx/slides.pptx odt/house.odt epub/book.epub; do
        translate <"$DOCUMENTS/$file"
        expect_status 1
        [[ $(<err) == "dragoman: standard input: not lines of text, but "*"; --as ${file%/*} translates it" && ! -s out ]]
        translate < <(cat "$DOCUMENTS/$file")
        [[ $(<err) == *"--as ${file%/*} translates it" && ! -s out ]]
    done
    translate score < <(printf 'P' && sleep 0.1 && printf 'K\3\4\tabc\n')
    expect_status 1
    [[ $(<err) == *"but a zip archive"* && ! -s out ]]
    translate --as html < <(gzip -c "$DRAGOMAN" | head -c 5000)
    expect_status 1
    expect_err "dragoman: standard input: not a document of the format html, but compressed by gzip; decompress it first"
    mkfifo input
    "$DRAGOMAN" -q <input >out 3>&- &
    exec 9>input
    printf 'One.\n' >&9
    until [[ -s out ]]; do sleep 0.02; done
    exec 9>&-
    wait $!
}

@test "a name of the output that says another format is refused" {
    cp "$DOCUMENTS/docx/letter.docx" letter.docx
    echo "Hello." | tee lines.txt page.md >page.xlf
    local same="and its translation has the same format; choose another name"
    expect_usage_error "out.pdf: its name ends in .pdf, but letter.docx is of the format docx $same" -o out.pdf letter.docx
    expect_usage_error "out.txt: its name ends in .txt, but letter.docx is of the format docx $same" -o out.txt letter.docx
    expect_usage_error "out.odt: its name ends in .odt, but letter.docx is of the format docx $same" -o out.odt letter.docx
    expect_usage_error "out.html: its name ends in .html, but page.md is of the format markdown $same" -o out.html page.md
    expect_usage_error "out.docx: its name ends in .docx, but lines.txt is read as lines $same" -o out.docx lines.txt
    expect_usage_error "out.html: its name ends in .html, but standard input is read as lines $same" -o out.html
    expect_usage_error "out.docx: its name ends in .docx, but lines.txt is read as lines $same" --as lines -o out.docx lines.txt
    [[ ! -e out.docx && ! -e out.pdf ]]
    fits() {
        translate -q "$@" </dev/null
        expect_status 0
        expect_err
    }
    fits -o out.DOCX letter.docx
    fits -o out letter.docx
    fits -o out.md --as lines page.md
    fits -o out.md --as lines lines.txt
    fits -o out.de lines.txt
    fits -o out.tsv --bilingual lines.txt
    fits -o out.jsonl --format jsonl lines.txt
    echo '<resources><string name="a">A house.</string></resources>' >strings.txt
    fits -o out.xml --as android --pseudo strings.txt
    fits -o out.html --as html
}

@test "a document of another kind than its name says is refused with its kind" {
    cp "$DOCUMENTS/docx/letter.docx" letter.odt
    cp letter.odt letter.epub
    cp "$DOCUMENTS/odt/letter.odt" odt.docx 2>/dev/null || cp "$(find "$DOCUMENTS/odt" -name '*.odt' | head -1)" odt.docx
    for file in letter.odt letter.epub; do
        translate --pseudo -o "out.${file#*.}" "$file"
        expect_status 1
        expect_err "dragoman: $file: not a document of the format ${file#*.}, but a document in DOCX; --as docx translates it"
    done
    translate --pseudo -o out.docx odt.docx
    expect_status 1
    expect_err "dragoman: odt.docx: not a document of the format docx, but a document in OpenDocument; --as odt translates it"
}

# sheets NAME.xlsx: a spreadsheet with two sheets, a shared string in both, and a formula that compares with it.
sheets() {
    command -v python3 >/dev/null || skip "no python3"
    python3 - "$1" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as book:
    part = '<Override PartName="/xl/%s.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.%s+xml"/>'
    parts = (("workbook", "sheet.main"), ("worksheets/1", "worksheet"), ("worksheets/2", "worksheet"), ("s", "sharedStrings"))
    book.writestr("[Content_Types].xml", "<Types>%s</Types>" % "".join(part % names for names in parts))
    book.writestr("xl/workbook.xml", '<workbook xmlns:r="r"><sheets><sheet name="One" r:id="a"/><sheet name="Two" r:id="b"/>'
                  '</sheets></workbook>')
    book.writestr("xl/_rels/workbook.xml.rels", '<Relationships><Relationship Id="a" Target="worksheets/1.xml"/>'
                  '<Relationship Id="b" Target="worksheets/2.xml"/></Relationships>')
    sheet = '<worksheet><sheetData><row><c t="s"><v>0</v></c><c><f>IF(A1="the house",1,0)</f></c></row></sheetData></worksheet>'
    book.writestr("xl/worksheets/1.xml", sheet)
    book.writestr("xl/worksheets/2.xml", sheet)
    book.writestr("xl/s.xml", "<sst><si><t>The house</t></si></sst>")
END
}

# part FILE NAME: a part of an archive.
part() {
    python3 -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())' "$1" "$2"
}

@test "spreadsheets: one sheet is translated, and formulas that compare with its texts are reported" {
    sheets book.xlsx
    dragoman --identity book.xlsx | cmp - book.xlsx
    translate --pseudo --sheet two -o out.xlsx book.xlsx
    expect_status 0
    expect_err 'dragoman: book.xlsx: sheet One, B1: the formula compares with "the house", but the texts of cells are'\
' translated; change it as well (2 like this)'
    part out.xlsx xl/s.xml | grep -qxF '<sst><si><t>Ťḣé ḣóúśé</t></si><si><t>The house</t></si></sst>'
    part out.xlsx xl/worksheets/1.xml | grep -qF '<v>1</v>'
    part out.xlsx xl/worksheets/2.xml | grep -qF '<v>0</v>'
    translate --pseudo --sheet Three book.xlsx
    expect_status 1
    grep -qF "there is no sheet 'Three'; the sheets are: One, Two" err
    translate --pseudo --sheet One --as html book.xlsx
    expect_status 2
    grep -qF -- '--sheet cannot be used with book.xlsx, a document of the format html; it applies to: xlsx ods fods' err
}
