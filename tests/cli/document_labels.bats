#!/usr/bin/env bats
# document_labels.bats - languages, accelerators and files of other formats on the command line.

load helper
load output

@test "the language of a page is that of its translation, unless --keep-lang is given" {
    printf '<html lang="en"><p lang="fr">This is a line.</p></html>' >page.html
    dragoman page.html >out.html
    [[ $(<out.html) == '<html lang="de"><p lang="fr">'* ]]
    [[ $(dragoman --keep-lang page.html) == "$(sed 's/lang="de"/lang="en"/' out.html)" ]]
    dragoman --identity page.html | cmp - page.html
    [[ $(dragoman --pseudo page.html) == '<html lang="en">'* ]]
}

@test "each translation has the accelerator of its source once, before a letter" {
    local text
    printf '<TS language="en">\n' >in.ts
    for text in '&amp;File' 'E&amp;xit' 'This is a &amp;line' 'Lines (&amp;L)' 'R&amp;D' 'This &amp;amp; a line'; do
        printf '<message><source>%s</source></message>\n' "$text" >>in.ts
    done
    printf '</TS>\n' >>in.ts
    dragoman --identity in.ts | cmp - in.ts
    dragoman in.ts | sed -n 's|.*unfinished">\(.*\)</translation>.*|\1|p' >out
    [[ $(wc -l <out) == 6 ]]
    head -n 4 out >marked
    [[ $(grep -c '&amp;[[:alpha:]]' marked) == 4 && $(grep -o '&amp;' marked | wc -l) == 4 ]]
    [[ $(dragoman --pseudo in.ts | grep -c 'É&amp;ẋíť<') == 1 ]]
    printf 'msgid "This is a _line"\nmsgstr ""\n' >in.po
    dragoman in.po | grep -q '^msgstr "[^_]*_[[:alpha:]][^_]*"$'
}

@test "a file whose content is not lines is refused" {
    printf 'PK\003\004' >x.zip
    translate -o out x.zip
    expect_status 1
    expect_err "dragoman: x.zip: not lines of text, but a zip archive; for an office document or an e-book, give\
 its format (--as docx, pptx, xlsx, odt, ods or epub)"
    printf '\037\213\010' >x.gz
    translate --as lines x.gz
    expect_status 1
    expect_err "dragoman: x.gz: not lines of text, but compressed by gzip; decompress it first"
    echo '<?xml version="1.0"?><a>b</a>' | tee x.txt >x.plist
    translate x.txt x.plist
    expect_status 1
    expect_err "dragoman: x.plist: not lines of text, but XML; --as xml translates its elements; --as lines translates\
 its lines"
    cp x.txt x.stringsdict
    translate x.stringsdict
    expect_status 1
    expect_err "dragoman: x.stringsdict: not lines of text, but XML; export its texts as XLIFF with Xcode"
    translate --as lines x.plist
    expect_status 0
}

@test "a file of a format that dragoman does not read is refused with a command that converts it" {
    local pdf='a PDF document; extract its text first: pdftotext -layout'
    printf '%%PDF-1.7\n' | tee 'a b.txt' >x.html
    translate 'a b.txt'
    expect_status 1
    expect_err "dragoman: a b.txt: not lines of text, but $pdf 'a b.txt' 'a b.txt'.txt; then translate 'a b.txt'.txt with\
 --as text"
    translate x.html
    expect_status 1
    expect_err "dragoman: x.html: not a document of the format html, but $pdf x.html x.html.txt; then translate\
 x.html.txt with --as text"
    printf '%%PDF-1.7\n' | translate
    expect_status 1
    expect_err "dragoman: standard input: not lines of text, but $pdf FILE FILE.txt; then translate FILE.txt with --as text"
    printf '.. note:: A dog\n   and a cat.\n' >x.rst
    translate x.rst
    expect_status 1
    expect_err "dragoman: x.rst: not lines of text, but reStructuredText; make PO templates first: sphinx-build -b gettext\
 . pot; --as text translates it as plain text"
    translate -g --as text x.rst
    expect_status 0
    translate -g <x.rst
    expect_status 0
    [[ $(dragoman -O new --dry-run x.rst 'a b.txt' | cut -f2,4) == $'other\tskip\nother\tskip' ]]
}

@test "a file of another format with the same ending is refused" {
    local by_name='(read as %s because of its name; --as chooses another format)'
    for _ in 1 2 3; do printf 'G%187s' ''; done | tr ' ' '\377' >video.ts
    translate video.ts
    expect_status 1
    # shellcheck disable=SC2059 # the format is above
    expect_err "dragoman: video.ts: this is an MPEG video, not a translation file of Qt $(printf "$by_name" qt)"
    echo 'export const a = "text";' >code.ts
    translate code.ts
    expect_status 1
    # shellcheck disable=SC2059
    expect_err "dragoman: code.ts: not XML: a file of this format begins with <TS> $(printf "$by_name" qt)"
    printf 'bplist00\321\001\377' >binary.strings
    translate binary.strings
    expect_status 1
    # shellcheck disable=SC2059
    expect_err "dragoman: binary.strings: this is a binary property list; convert it to text first $(printf "$by_name" strings)"
}

@test "a document for other languages than those of the model is refused, unless --force-language is given" {
    local pair='but the model translates from en into de: choose a model for it with -m, or with --from and --to, or'
    pair+=' translate it all the same with --force-language'
    printf 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n\nmsgid "This is a line."\nmsgstr ""\n' >fr.po
    translate fr.po
    expect_status 1
    expect_err "dragoman: fr.po:3: this document is for a translation into fr, $pair"
    dragoman --force-language fr.po | grep -q 'Language: de\\n'
    sed 's/fr/de_CH/' fr.po >ch.po
    dragoman ch.po | grep -q 'Language: de_CH\\n'
    printf '<xliff version="2.0" srcLang="fr" trgLang="en"><file><unit><segment><source>A</source></segment></unit></file></xliff>' >a.xlf
    translate -O made ch.po a.xlf
    expect_status 1
    grep -qF "dragoman: a.xlf:1: this document is for a translation from fr into en, $pair" err
    [[ -e made/ch.po && ! -e made/a.xlf ]]
    dragoman --identity a.xlf | cmp - a.xlf
    expect_usage_error "--force-language needs documents, but standard input is read as lines; choose its format with --as" --force-language
}
